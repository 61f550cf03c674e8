/* catalogue.c -- the table of public data sets. SHA-256 are of the uncompressed bytes.
 *
 * The LIBSVM ones are hosted at csie.ntu.edu.tw/~cjlin/libsvmtools/datasets; cite that page's authors (Chang & Lin,
 * LIBSVM: a library for support vector machines, ACM TIST 2011) too. MNIST's own page is often down, so the address is
 * a mirror of the same files. Records that are mostly zero are stored sparse: the numbers are the same, with less to
 * read. */
#include "core/data/read/catalogue.h"

#include <string.h>

#define LIBSVM "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/"
#define FANN "usr/share/doc/libfann-dev/examples/datasets/"
#define MNIST "https://ossci-datasets.s3.amazonaws.com/mnist/"
#define ADULT "Becker & Kohavi 1996 (UCI Adult); Platt 1998; Chang & Lin 2011"
#define PROKHOROV "Prokhorov 2001 (IJCNN neural network competition); Chang & Lin 2011"
#define LECUN "LeCun, Bottou, Bengio & Haffner 1998 (MNIST)"

const sp_catalogue_entry sp_catalogue[] = {
    { .name = "a9a",
      .summary = "Adult census income above 50,000 dollars, binarised by Platt; training part",
      .citation = ADULT,
      .licence = "CC BY 4.0 (UCI)",
      .n = 32561, .d = 123, .positive = 7841, .negative = 24720,
      .options = { .format = SP_FORMAT_LIBSVM, .storage = SP_STORE_SPARSE, .d = 123 },
      .part = { { LIBSVM "a9a", NULL, "a9a",
                  "f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906" } } },
    { .name = "a9a.t",
      .summary = "Adult census income above 50,000 dollars, binarised by Platt; test part",
      .citation = ADULT,
      .licence = "CC BY 4.0 (UCI)",
      .n = 16281, .d = 123, .positive = 3846, .negative = 12435,
      .options = { .format = SP_FORMAT_LIBSVM, .storage = SP_STORE_SPARSE, .d = 123 },
      .part = { { LIBSVM "a9a.t", NULL, "a9a.t",
                  "1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9" } } },
    /* The raw problem's file is not here: its hash is not known, so it has no entry. */
    { .name = "covtype",
      .summary = "forest cover type, lodgepole pine (+1) or not, features scaled to [0, 1]; "
                 "raw covtype (unscaled) is another problem: data = { file = ... }",
      .citation = "Blackard & Dean 1999, doi:10.24432/C50K5N; Chang & Lin 2011",
      .licence = "CC BY 4.0 (UCI); keep the copyright notice of Jock A. Blackard and Colorado State University",
      .n = 581012, .d = 54, .positive = 283301, .negative = 297711,
      .options = { .format = SP_FORMAT_LIBSVM, .storage = SP_STORE_SPARSE, .d = 54 },
      .part = { { LIBSVM "covtype.libsvm.binary.scale.bz2", NULL, "covtype.libsvm.binary.scale",
                  "859809c092ca933e1a8cc1cfa15e33b56cb11651e4e0a5b52b702abc315a6c0f" } } },
    { .name = "ijcnn1",
      .summary = "engine misfires, IJCNN 2001 competition; training part",
      .citation = PROKHOROV,
      .licence = "none stated",
      .n = 35000, .d = 22, .positive = 3415, .negative = 31585,
      .options = { .format = SP_FORMAT_LIBSVM, .d = 22 },
      .part = { { LIBSVM "ijcnn1.tr.bz2", NULL, "ijcnn1.tr",
                  "9454b7a9d98fcb83e4b79f1094b996aec75909677a77eede6094a9bb4f71c461" } } },
    { .name = "ijcnn1.val",
      .summary = "engine misfires, IJCNN 2001 competition; validation part",
      .citation = PROKHOROV,
      .licence = "none stated",
      .n = 14990, .d = 22, .positive = 1438, .negative = 13552,
      .options = { .format = SP_FORMAT_LIBSVM, .d = 22 },
      .part = { { LIBSVM "ijcnn1.val.bz2", NULL, "ijcnn1.val",
                  "87b64ee77f4e0cb0d04e93ec7c292a669a8ad9f4ccfd85034bfef4810526b34a" } } },
    { .name = "ijcnn1.t",
      .summary = "engine misfires, IJCNN 2001 competition; test part",
      .citation = PROKHOROV,
      .licence = "none stated",
      .n = 91701, .d = 22, .positive = 8712, .negative = 82989,
      .options = { .format = SP_FORMAT_LIBSVM, .d = 22 },
      .part = { { LIBSVM "ijcnn1.t.bz2", NULL, "ijcnn1.t",
                  "e7b0bbd518641980dc322746c6bc59d019d3153934e6258e48f9d8cfae2c4bb8" } } },
    { .name = "mnist",
      .summary = "handwritten digits, 28 x 28 pixels / 255, 3 (+1) against 8 or another pair; training part",
      .citation = LECUN,
      .licence = "usually given as CC BY-SA 3.0",
      .n = 11982, .d = 784, .positive = 6131, .negative = 5851,
      .class_count = { 5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949 },
      .options = { .format = SP_FORMAT_IDX, .storage = SP_STORE_SPARSE, .d = 784, .positive = "3", .negative = "8" },
      .part = { { MNIST "train-images-idx3-ubyte.gz", NULL, "mnist-train-images-idx3-ubyte",
                  "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db" },
                { MNIST "train-labels-idx1-ubyte.gz", NULL, "mnist-train-labels-idx1-ubyte",
                  "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5" } } },
    { .name = "mnist.t",
      .summary = "handwritten digits, 28 x 28 pixels / 255, 3 (+1) against 8 or another pair; test part",
      .citation = LECUN,
      .licence = "usually given as CC BY-SA 3.0",
      .n = 1984, .d = 784, .positive = 1010, .negative = 974,
      .class_count = { 980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009 },
      .options = { .format = SP_FORMAT_IDX, .storage = SP_STORE_SPARSE, .d = 784, .positive = "3", .negative = "8" },
      .part = { { MNIST "t10k-images-idx3-ubyte.gz", NULL, "mnist-t10k-images-idx3-ubyte",
                  "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7" },
                { MNIST "t10k-labels-idx1-ubyte.gz", NULL, "mnist-t10k-labels-idx1-ubyte",
                  "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2" } } },
    { .name = "mushroom",
      .summary = "mushrooms, poisonous (+1) against edible, 125 indicator features; from Debian's libfann-doc",
      .citation = "Schlimmer 1987 (UCI Mushroom); Nissen 2003 (FANN)",
      .licence = "CC BY 4.0 (UCI); LGPL-2.1+ (FANN)",
      .n = 8124, .d = 125, .positive = 3916, .negative = 4208,
      .options = { .format = SP_FORMAT_FANN, .storage = SP_STORE_SPARSE, .d = 125, .positive = "1" },
      .part = { { "debian:libfann-doc", FANN "mushroom.train", "mushroom.train",
                  "38fa641ff1c17a5ba28c5a470b43c5a5abc05ce545d3e2189382cb20a6a17fea" },
                { "debian:libfann-doc", FANN "mushroom.test", "mushroom.test",
                  "da962d6332eaa400c8b3a0a9ee70abdcfab51571f2de66aec73f2b30bd737785" } } },
    { .name = "mushrooms",
      .summary = "mushrooms, edible (+1) against poisonous, 112 indicator features, the LIBSVM encoding",
      .citation = "Schlimmer 1987 (UCI Mushroom); Chang & Lin 2011",
      .licence = "CC BY 4.0 (UCI)",
      .n = 8124, .d = 112, .positive = 4208, .negative = 3916,
      .options = { .format = SP_FORMAT_LIBSVM, .storage = SP_STORE_SPARSE, .d = 112 },
      .part = { { LIBSVM "mushrooms", NULL, "mushrooms",
                  "f39a4eb628dc61a7d43760815b061c9e497aa728ce1ad8bde57a09ef6043b538" } } },
    /* The public file (UCI) has no header and numeric classes: other bytes, whose hash is not known here. */
    { .name = "spambase",
      .summary = "e-mail, spam (+1) or not, 57 word and character counts; CSV with a header, to be placed by hand",
      .citation = "Hopkins, Reeber, Forman & Suermondt 1999 (UCI Spambase); Karatzoglou et al. 2004 (kernlab)",
      .licence = "CC BY 4.0 (UCI)",
      .n = 4601, .d = 57, .positive = 1813, .negative = 2788,
      .options = { .format = SP_FORMAT_CSV, .d = 57, .header = true, .positive = "spam" },
      .part = { { NULL, NULL, "spambase.csv",
                  "6d0a558fb9da113b5cbda2d9d0f5ee76307d0b397d64c81df25522034dc46bb0" } } },
};

const size_t sp_catalogue_count = sizeof sp_catalogue / sizeof *sp_catalogue;

const sp_catalogue_entry *sp_catalogue_find(const char *name)
{
    for (size_t i = 0; i < sp_catalogue_count; i++)
        if (strcmp(sp_catalogue[i].name, name) == 0)
            return &sp_catalogue[i];
    return NULL;
}

static sp_status find_class(const sp_catalogue_entry *entry, const char *name, size_t *class, sp_error *error)
{
    size_t classes = SP_CLASSES_MAX;
    while (classes > 0 && entry->class_count[classes - 1] == 0)
        classes--;
    if (classes == 0)
        return sp_fail(error, SP_EINVAL, "%s has two classes: there is nothing to choose", entry->name);
    *class = *name >= '0' && *name <= '9' && name[1] == '\0' ? (size_t)(*name - '0') : classes;
    if (*class >= classes)
        return sp_fail(error, SP_EINVAL, "'%s': the classes of %s are 0 to %zu", name, entry->name, classes - 1);
    return SP_OK;
}

sp_status sp_catalogue_vary(const sp_catalogue_entry *entry, sp_storage storage, const char *positive,
                            const char *negative, sp_catalogue_entry *out, sp_error *error)
{
    sp_status status = SP_OK;
    size_t one = 0, other = 0;
    sp_catalogue_entry varied = *entry;
    varied.options.storage = storage;
    if (negative && !positive)
        return sp_fail(error, SP_EINVAL, "`negative` needs `positive`");
    if (positive) {
        SP_TRY(find_class(entry, positive, &one, error));
        other = one;
        if (negative)
            SP_TRY(find_class(entry, negative, &other, error));
        if (negative && other == one)
            return sp_fail(error, SP_EINVAL, "`negative` is the same label as `positive`");
        varied.options.positive = positive;
        varied.options.negative = negative;
        varied.positive = entry->class_count[one];
        varied.negative = 0;
        for (size_t i = 0; i < SP_CLASSES_MAX; i++)
            if (i != one && (i == other || !negative))
                varied.negative += entry->class_count[i];
        varied.n = varied.positive + varied.negative;
    }
    *out = varied;
cleanup:
    return status;
}
