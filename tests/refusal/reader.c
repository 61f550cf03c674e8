/* reader.c -- malformed data: each refused with the file, the line and the offending text. */
#include "core/data/catalogue.h"
#include "core/data/reader.h"
#include "tests/check.h"
#include "tests/experiment.h"

static const sp_read_options libsvm = { 0 }, narrow = { .d = 3 }, wanting = { .positive = "7" };
static const sp_read_options csv = { .format = SP_FORMAT_CSV, .label_column = -1 };
static const sp_read_options csv_header = { .format = SP_FORMAT_CSV, .label_column = -1, .header = true };
static const sp_read_options csv_far = { .format = SP_FORMAT_CSV, .label_column = 3 };
static const sp_read_options csv_before = { .format = SP_FORMAT_CSV, .label_column = -4 };
static const sp_read_options csv_wide = { .format = SP_FORMAT_CSV, .label_column = -1, .d = 3 };
static const sp_read_options csv_word = { .format = SP_FORMAT_CSV, .label_column = -1, .positive = "spam" };
static const sp_read_options fann = { .format = SP_FORMAT_FANN };
static const sp_read_options fann_two = { .format = SP_FORMAT_FANN, .positive = "1" };
static const sp_read_options fann_wide = { .format = SP_FORMAT_FANN, .d = 3 };
static const sp_read_options fann_out = { .format = SP_FORMAT_FANN, .positive = "2" };

static const struct {
    const sp_read_options *options;
    const char *text, *message;
} bad[] = {
    { &libsvm, "", "bad.txt: there are no records" },
    { &libsvm, " \n\n\r\n", "bad.txt: there are no records" },
    { &libsvm, "1 1:2\n\n1 1:3\n", "bad.txt:2: an empty line" },
    { &libsvm, "1 1:2\n \t\r\n1 1:3\n", "bad.txt:2: an empty line" },
    { &libsvm, "1 1:2\n-1\n1 1:3\n", "bad.txt:2: a record without features" },
    { &libsvm, "1 1:2\n1 1:nan\n", "bad.txt:2: value 'nan' is not a finite number" },
    { &libsvm, "1 1:2\n1 1:inf\n", "bad.txt:2: value 'inf'" },
    { &libsvm, "1 1:2\n1 1:-1e999\n", "bad.txt:2: value '-1e999'" },
    { &libsvm, "1 1:2\nnan 1:2\n", "bad.txt:2: label 'nan'" },
    { &libsvm, "spam 1:2\n", "bad.txt:1: label 'spam'" },
    { &wanting, "spam 1:2\n", "bad.txt:1: label 'spam'" },
    { &libsvm, "1 0:2\n", "bad.txt:1: index '0' is not a whole number from 1" },
    { &libsvm, "1 -3:2\n", "bad.txt:1: index '-3'" },
    { &libsvm, "1 1.5:2\n", "bad.txt:1: index '1.5'" },
    { &libsvm, "1 qid:2\n", "bad.txt:1: index 'qid'" },
    { &libsvm, "1 :2\n", "bad.txt:1: index ''" },
    { &libsvm, "1 2:1 2:3\n", "bad.txt:1: index 2 after 2: indices must ascend" },
    { &libsvm, "1 1:1\n1 5:1 2:3\n", "bad.txt:2: index 2 after 5" },
    { &libsvm, "1 10000001:1\n", "bad.txt:1: index '10000001' is not a whole number from 1 to 10000000" },
    { &libsvm, "1 99999999999999999999999999:1\n", "bad.txt:1: index '99999999999999999999999999'" },
    { &narrow, "1 3:1\n1 4:1\n", "bad.txt:2: index '4' is not a whole number from 1 to 3" },
    { &libsvm, "1 1\n", "bad.txt:1: index 1 has no ':' and value" },
    { &libsvm, "1 1 :2\n", "bad.txt:1: index 1 has no ':' and value" },
    { &libsvm, "1 1:\n", "bad.txt:1: index 1 has no value" },
    { &libsvm, "1 1: 2\n", "bad.txt:1: index 1 has no value" },
    { &libsvm, "1 1:2:3\n", "bad.txt:1: value '2:3'" },
    { &libsvm, "1 1:2 # note\n", "bad.txt:1: index '#'" },
    { &libsvm, "1 1:2,2:3\n", "bad.txt:1: value '2,2:3'" },
    { &libsvm, "1 1:0x10\n", "bad.txt:1: value '0x10'" },
    { &libsvm, "1 1:1111111111111111111111111111111111111111X\n",
      "value '1111111111111111111111111111111111111111' is not" }, /* cut */
    { &wanting, "1 1:2\n2 1:3\n", "bad.txt: no record has the positive label '7'" },
    { &csv, "1,2,0\n3,4\n", "bad.txt:2: 2 fields, expected 3" },
    { &csv, "1,2,0\n3,4,1,5\n", "bad.txt:2: 4 fields, expected 3" },
    { &csv, "1,2,0\n3,,1\n", "bad.txt:2: field 2 '' is not a finite number" },
    { &csv, "1,2,0\n3,NaN,1\n", "bad.txt:2: field 2 'NaN'" },
    { &csv, "1,2,0\n\n3,4,1\n", "bad.txt:2: an empty line" },
    { &csv, "1,2,0\n3,4,spam\n", "bad.txt:2: label 'spam'" },
    { &csv_word, "1,2,spam\n3,4,\n", "bad.txt:2: the label is empty" },
    { &csv_word, "1,2,ham\n3,4,egg\n", "no record has the positive label 'spam'" },
    { &csv, "a,b,c\n1,2,0\n", "bad.txt:1: field 1 'a' is not a finite number (is the first line a header?)" },
    { &csv, "1,\"2\",0\n", "bad.txt:1: quoted fields are not supported" },
    { &csv, "1\n2\n", "bad.txt:1: a record without features" },
    { &csv_header, "a,b,c\n", "bad.txt: there are no records" },
    { &csv_header, "a,b,c\n1,2\n", "bad.txt:2: 2 fields, expected 3" },
    { &csv_far, "1,2,0\n", "bad.txt:1: no column 3 for the label: there are 3" },
    { &csv_before, "1,2,0\n", "bad.txt:1: no column -4 for the label: there are 3" },
    { &csv_wide, "1,2,0\n", "bad.txt:1: 2 features, expected 3" },
    { &fann, "2 2\n1 2\n0\n", "bad.txt:1: number of outputs ''" },
    { &fann, "two 2 1\n1 2\n0\n", "bad.txt:1: number of rows 'two'" },
    { &fann, "2 0 1\n", "bad.txt:1: number of inputs '0'" },
    { &fann, "2 10000001 1\n", "bad.txt:1: number of inputs '10000001'" },
    { &fann, "2 2 1 9\n", "bad.txt:1: '9' after rows, inputs and outputs" },
    { &fann_wide, "2 2 1\n1 2\n0\n", "bad.txt:1: 2 features, expected 3" },
    { &fann, "2 2 1\n1 2\n0\n", "bad.txt:3: the text ends after 1 of 2 rows" },
    { &fann, "1 2 1\n1 2\n", "bad.txt:2: the line of outputs is missing" },
    { &fann, "1 2 1\n1 2\n0\n3 4\n", "bad.txt:4: rubbish after the last of 1 rows" },
    { &fann, "2 2 1\n1 2 3\n0\n1 2\n0\n", "bad.txt:2: 3 numbers, expected 2 (inputs)" },
    { &fann, "2 2 1\n1 2\n0\n1\n0\n", "bad.txt:4: 1 numbers, expected 2 (inputs)" },
    { &fann, "2 2 1\n1 2\n0 1\n1 2\n0\n", "bad.txt:3: more than 1 output" },
    { &fann, "2 2 1\n1 2\n\n1 2\n0\n", "bad.txt:3: output '' is not" },
    { &fann, "2 2 1\n\n1 2\n0\n1 2\n0\n", "bad.txt:2: an empty line" },
    { &fann, "1 2 1\n1 inf\n0\n", "bad.txt:2: input 'inf'" },
    { &fann, "1 2 1\n1 2\nnan\n", "bad.txt:3: output 'nan'" },
    { &fann, "1 2 2\n1 2\n0 1\n", "bad.txt:1: 2 outputs: `positive` must name" },
    { &fann_two, "1 2 2\n1 2\n1 1\n", "bad.txt:3: no single output is the largest" },
    { &fann_two, "1 2 2\n1 2\n1\n", "bad.txt:3: 1 numbers, expected 2 (outputs)" },
    { &fann_out, "1 2 2\n1 2\n0 1\n", "no record has the positive label '2'" },
};

static void test_texts(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sp_dataset dataset;
        sp_error error = { 0 };
        const sp_status status = sp_read_dataset("bad.txt", bad[i].text, strlen(bad[i].text), bad[i].options, &dataset,
                                                 &error);
        SP_CHECK_REPORT(status == SP_EDATA, "\"%s\" gave %s", bad[i].text, sp_status_name(status));
        CHECK_CONTAINS(error.text, bad[i].message);
        CHECK(dataset.mapping == NULL);
    }
}

/* Dense storage that cannot be held is refused before it is asked for. */
static void test_too_large(void)
{
    sp_text text = { 0 };
    sp_dataset dataset;
    sp_error error = { 0 };
    for (size_t i = 0; i < 1000; i++)
        sp_text_append(&text, "1 10000000:2.385\n");
    CHECK_EQUAL(sp_read_dataset("wide", text.data, text.length, &libsvm, &dataset, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "wide: n = 1000, d = 10000000: too large");
    sp_text_free(&text);
}

/* A byte that ends C strings ends nothing here, and the text need not end in one. */
static void test_bytes(void)
{
    const char zero[] = "1 1:2\n1 1:3\0\n1 1:4", *no_end = "1 1:2\n1 1:35";
    sp_dataset dataset;
    sp_error error = { 0 };
    CHECK_EQUAL(sp_read_dataset("bytes", zero, sizeof zero - 1, &libsvm, &dataset, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "bytes:2: value '3");
    char *exact = malloc(11); /* the sanitizer watches its end */
    memcpy(exact, no_end, 11);
    CHECK_EQUAL(sp_read_dataset("bytes", exact, 11, &libsvm, &dataset, &error), SP_OK);
    CHECK_NEAR(dataset.X[dataset.stride], 3.0, 0.0);
    sp_dataset_free(&dataset);
    free(exact);
}

static void test_files(void)
{
    char *bytes;
    size_t size;
    sp_error error = { 0 };
    sp_dataset dataset;
    CHECK_EQUAL(sp_read_file("missing.txt", NULL, &bytes, &size, &error), SP_EIO);
    CHECK_TEXT(error.text, "missing.txt: No such file or directory");
    CHECK(bytes == NULL);
    CHECK_EQUAL(sp_read_file(".", NULL, &bytes, &size, &error), SP_EIO);
    CHECK_TEXT(error.text, ".: Is a directory");
    write_text("text", "not an archive");
    CHECK_EQUAL(sp_read_file("text", "member", &bytes, &size, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "text: ");

    write_text("whole", "1 1:0.125 2:0.3\n-1 1:2.385 2:17\n");
    if (system("gzip -c whole >whole.gz && head -c 40 whole.gz >cut.gz") != 0)
        return;
    CHECK_EQUAL(sp_read_file("cut.gz", NULL, &bytes, &size, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "cut.gz: ");
    CHECK_EQUAL(sp_data_open_file("missing.txt", &libsvm, &dataset, &error), SP_EIO);
    CHECK_CONTAINS(error.text, "missing.txt: No such file");
    write_text("ragged.csv", "1,2,0\n3,1\n");
    CHECK_EQUAL(sp_data_open_file("ragged.csv", &csv, &dataset, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "ragged.csv:2: 2 fields, expected 3");
    CHECK(dataset.mapping == NULL);
}

int main(void)
{
    char folder[64];
    if (enter_folder(folder) != 0)
        return 1;
    test_texts();
    test_too_large();
    test_bytes();
    test_files();
    leave_folder(folder);
    return sp_check_done();
}
