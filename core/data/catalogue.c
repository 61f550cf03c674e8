/* catalogue.c -- the public data sets. SHA-256 are of the uncompressed bytes.
 *
 * The LIBSVM ones are hosted at csie.ntu.edu.tw/~cjlin/libsvmtools/datasets; cite that page's authors (Chang & Lin,
 * LIBSVM: a library for support vector machines, ACM TIST 2011) too. */
#include "core/data/catalogue.h"

#include <string.h>

#define LIBSVM "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/"
#define FANN "usr/share/doc/libfann-dev/examples/datasets/"

const sp_catalogue_entry sp_catalogue[] = {
    { .name = "a9a",
      .summary = "Adult census income above 50,000 dollars, binarised by Platt; training part",
      .citation = "Becker & Kohavi 1996 (UCI Adult); Platt 1998; Chang & Lin 2011",
      .licence = "CC BY 4.0 (UCI)",
      .n = 32561, .d = 123, .positive = 7841, .negative = 24720,
      .options = { .format = SP_FORMAT_LIBSVM, .d = 123 },
      .part = { { LIBSVM "a9a", NULL, "a9a", "f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906" } } },
    { .name = "covtype",
      .summary = "Forest cover type, lodgepole pine (+1) against the rest, features scaled to [0, 1]",
      .citation = "Blackard & Dean 1999, doi:10.24432/C50K5N; Chang & Lin 2011",
      .licence = "CC BY 4.0 (UCI); keep the copyright notice of Jock A. Blackard and Colorado State University",
      .n = 581012, .d = 54, .positive = 283301, .negative = 297711,
      .options = { .format = SP_FORMAT_LIBSVM, .d = 54 },
      .part = { { LIBSVM "covtype.libsvm.binary.scale.bz2", NULL, "covtype.libsvm.binary.scale",
                  "859809c092ca933e1a8cc1cfa15e33b56cb11651e4e0a5b52b702abc315a6c0f" } } },
    { .name = "ijcnn1",
      .summary = "engine misfires, IJCNN 2001 competition; training part",
      .citation = "Prokhorov 2001 (IJCNN neural network competition); Chang & Lin 2011",
      .licence = "none stated",
      .n = 35000, .d = 22, .positive = 3415, .negative = 31585,
      .options = { .format = SP_FORMAT_LIBSVM, .d = 22 },
      .part = { { LIBSVM "ijcnn1.tr.bz2", NULL, "ijcnn1.tr",
                  "9454b7a9d98fcb83e4b79f1094b996aec75909677a77eede6094a9bb4f71c461" } } },
    { .name = "mushroom",
      .summary = "mushrooms, poisonous (+1) against edible, 125 indicator features; from Debian's libfann-doc",
      .citation = "Schlimmer 1987 (UCI Mushroom); Nissen 2003 (FANN)",
      .licence = "CC BY 4.0 (UCI); LGPL-2.1+ (FANN)",
      .n = 8124, .d = 125, .positive = 3916, .negative = 4208,
      .options = { .format = SP_FORMAT_FANN, .d = 125, .positive = "1" },
      .part = { { "debian:libfann-doc", FANN "mushroom.train", "mushroom.train",
                  "38fa641ff1c17a5ba28c5a470b43c5a5abc05ce545d3e2189382cb20a6a17fea" },
                { "debian:libfann-doc", FANN "mushroom.test", "mushroom.test",
                  "da962d6332eaa400c8b3a0a9ee70abdcfab51571f2de66aec73f2b30bd737785" } } },
    { .name = "mushrooms",
      .summary = "mushrooms, edible (+1) against poisonous, 112 indicator features, the LIBSVM encoding",
      .citation = "Schlimmer 1987 (UCI Mushroom); Chang & Lin 2011",
      .licence = "CC BY 4.0 (UCI)",
      .n = 8124, .d = 112, .positive = 4208, .negative = 3916,
      .options = { .format = SP_FORMAT_LIBSVM, .d = 112 },
      .part = { { LIBSVM "mushrooms", NULL, "mushrooms",
                  "f39a4eb628dc61a7d43760815b061c9e497aa728ce1ad8bde57a09ef6043b538" } } },
    /* The public file (UCI) has no header and numeric classes: other bytes, whose hash is not known here. */
    { .name = "spambase",
      .summary = "e-mail, spam (+1) or not, 57 word and character counts; CSV with a header, to be placed by hand",
      .citation = "Hopkins, Reeber, Forman & Suermondt 1999 (UCI Spambase); Karatzoglou et al. 2004 (kernlab)",
      .licence = "CC BY 4.0 (UCI)",
      .n = 4601, .d = 57, .positive = 1813, .negative = 2788,
      .options = { .format = SP_FORMAT_CSV, .d = 57, .header = true, .label_column = -1, .positive = "spam" },
      .part = { { NULL, NULL, "spambase.csv", "6d0a558fb9da113b5cbda2d9d0f5ee76307d0b397d64c81df25522034dc46bb0" } } },
};

const size_t sp_catalogue_count = sizeof sp_catalogue / sizeof *sp_catalogue;

const sp_catalogue_entry *sp_catalogue_find(const char *name)
{
    for (size_t i = 0; i < sp_catalogue_count; i++)
        if (strcmp(sp_catalogue[i].name, name) == 0)
            return &sp_catalogue[i];
    return NULL;
}
