/* reader.c -- malformed data: each refused with the file, the line and the offending text. */
#include "core/data/read/catalogue.h"
#include "core/data/read/reader.h"
#include "tests/check.h"
#include "tests/experiment.h"
#include "tests/pack.h"

static const sp_read_options libsvm = { 0 }, narrow = { .d = 3 }, wanting = { .positive = "7" };
static const sp_read_options pair = { .positive = "1", .negative = "3" };
static const sp_read_options csv = { .format = SP_FORMAT_CSV, .label = "-1" };
static const sp_read_options csv_header = { .format = SP_FORMAT_CSV, .label = "-1", .header = true };
static const sp_read_options csv_far = { .format = SP_FORMAT_CSV, .label = "4" };
static const sp_read_options csv_before = { .format = SP_FORMAT_CSV, .label = "-4" };
static const sp_read_options csv_wide = { .format = SP_FORMAT_CSV, .label = "-1", .d = 3 };
static const sp_read_options csv_word = { .format = SP_FORMAT_CSV, .label = "-1", .positive = "spam" };
static const sp_read_options csv_named = { .format = SP_FORMAT_CSV, .header = true, .label = "b" };
static const sp_read_options csv_categorical = { .format = SP_FORMAT_CSV, .label = "-1", .header = true,
                                                 .categorical = "a, c" };
static const sp_read_options csv_label = { .format = SP_FORMAT_CSV, .label = "-1", .categorical = "1,3" };
static const sp_read_options csv_part = { .format = SP_FORMAT_CSV, .label = "-1", .categorical = "0.5" };
static const sp_read_options csv_zero = { .format = SP_FORMAT_CSV, .label = "0" };
static const sp_read_options csv_drop = { .format = SP_FORMAT_CSV, .header = true, .missing = SP_MISSING_DROP };
static const sp_read_options csv_own = { .format = SP_FORMAT_CSV, .header = true, .missing = SP_MISSING_CATEGORY };
static const sp_read_options csv_omit = { .format = SP_FORMAT_CSV, .header = true, .omit = "c" };
static const sp_read_options csv_bounds = { .format = SP_FORMAT_CSV, .header = true, .bounds = "a:0:2" };
static const sp_read_options csv_low = { .format = SP_FORMAT_CSV, .header = true, .bounds = "a:2:2" };
static const sp_read_options csv_part_bound = { .format = SP_FORMAT_CSV, .header = true, .bounds = "a:2" };
static const sp_read_options csv_word_bounds = { .format = SP_FORMAT_CSV, .header = true, .categorical = "a",
                                                 .bounds = "a:0:2" };
static const sp_read_options csv_both = { .format = SP_FORMAT_CSV, .header = true, .categorical = "a", .omit = "b,a" };
static const sp_read_options fann = { .format = SP_FORMAT_FANN };
static const sp_read_options fann_two = { .format = SP_FORMAT_FANN, .positive = "1" };
static const sp_read_options fann_wide = { .format = SP_FORMAT_FANN, .d = 3 };
static const sp_read_options fann_out = { .format = SP_FORMAT_FANN, .positive = "2" };

static const sp_read_options from_zero = { .zero_based = true };
static const sp_read_options csv_comment = { .format = SP_FORMAT_CSV, .comment = '#' };
static const sp_read_options csv_comma = { .format = SP_FORMAT_CSV, .delimiter = ';', .decimal_comma = true };
static const sp_read_options csv_index = { .format = SP_FORMAT_CSV, .header = true, .index = "l" };
static const sp_read_options csv_words = { .format = SP_FORMAT_CSV, .header = true, .missing_words = "-,\"no, no\"" };
static const sp_read_options arff = { .format = SP_FORMAT_ARFF };

#define A "@attribute a numeric\n@attribute c {red, green}\n@attribute y {0, 1}\n@data\n"
#define CR ": a stray carriage return (CR) after 5 characters: lines end in LF or CR LF"
#define DROP " is missing: missing = \"drop\" leaves such records out"
#define MISSING DROP ", \"category\" makes it a category of its own"
#define WORD " is not a finite number (of words, `positive` names the one that becomes +1)"
#define FOR_CSV \
    "x: `label`, `categorical`, `omit`, `index`, `missing`, `missing_words` and bounds of columns are for csv"
static const struct {
    const sp_read_options *options;
    const char *text, *message; /* after "bad.txt:" */
} bad[] = {
    { &libsvm, "", " there are no records" },
    { &libsvm, " \n\n\r\n", " there are no records" },
    { &libsvm, "1 1:2\n\n1 1:3\n", "2: an empty line" },
    { &libsvm, "\n1 1:2\n1 1:3\n", "1: an empty line" },
    { &libsvm, "1 1:2\n \t\r\n1 1:3\n", "2: an empty line" },
    { &libsvm, "1\n-1\n", " no record has a feature" },
    { &libsvm, "1 1:2\n1 1:nan\n", "2: value 'nan' is not a finite number" },
    { &libsvm, "1 1:2\n1 1:inf\n", "2: value 'inf' is not a finite number" },
    { &libsvm, "1 1:2\n1 1:-1e999\n", "2: value '-1e999' is not a finite number" },
    { &libsvm, "1 1:2\nnan 1:2\n", "2: label 'nan' is not a finite number" },
    { &libsvm, "spam 1:2\n", "1: label 'spam' is not a finite number" },
    { &wanting, "spam 1:2\n", " no record has the positive label '7'" },
    { &libsvm, "1,2 1:2\n", "1: label '1,2' is not a finite number" },
    { &libsvm, "1:2 2:3\n", "1: '1:2' stands where the label is wanted" },
    { &wanting, "7 1:2\n1:2 2:3\n", "2: '1:2' stands where the label is wanted" },
    { &libsvm, "# a note\n1 1:2 # another\n1 00:2\n",
      "3: index '00': indices count from 1 (zero_based = true: from 0)" },
    { &from_zero, "1 0:2\n1 0:1 0:2\n", "2: index 0 twice" },
    { &from_zero, "1 0:2 3:1\n1 3:1 2:2\n", "2: index 2 after 3: indices must ascend" },
    { &from_zero, "1 -1:2\n", "1: index '-1' is not a whole number from 0 to 4294967294" },
    { &from_zero, "1 :2\n", "1: index '' is not a whole number from 0 to" },
    { &libsvm, "1 -3:2\n", "1: index '-3' is not a whole number from 1 to 4294967295" },
    { &libsvm, "1 +3:2\n", "1: index '+3' is not a whole number from 1 to 4294967295" },
    { &libsvm, "1 1.5:2\n", "1: index '1.5' is not a whole number from 1 to 4294967295" },
    { &libsvm, "1 sid:2\n", "1: index 'sid' is not a whole number from 1 to 4294967295" },
    { &libsvm, "1 qid:2\n", " no record has a feature" },
    { &libsvm, "1 1:2 qid:2\n", "1: index 'qid' is not a whole number from 1 to 4294967295" },
    { &libsvm, "1 :2\n", "1: index '' is not a whole number from 1 to 4294967295" },
    { &libsvm, "1 2:1 2:3\n", "1: index 2 twice" },
    { &libsvm, "1 1:1\n1 5:1 2:3\n", "2: index 2 after 5: indices must ascend" },
    { &libsvm, "1 4294967296:1\n", "1: index '4294967296' is not a whole number from 1 to 4294967295" },
    { &libsvm, "1 99999999999999999999999999:1\n",
      "1: index '99999999999999999999999999' is not a whole number from 1 to 4294967295" },
    { &narrow, "1 3:1\n1 4:1\n", "2: index '4' is not a whole number from 1 to 3" },
    { &libsvm, "1 1\n", "1: index 1 has no ':' and value" },
    { &libsvm, "1 1 :2\n", "1: index 1 has no ':' and value" },
    { &libsvm, "1 1:\n", "1: index 1 has no value" },
    { &libsvm, "1 1: 2\n", "1: index 1 has no value" },
    { &libsvm, "1 1:2:3\n", "1: value '2:3' is not a finite number" },
    { &libsvm, "1 1:2# note\n", "1: value '2#' is not a finite number" },
    { &libsvm, "1 1:2,2:3\n", "1: value '2,2:3' is not a finite number" },
    { &libsvm, "1 1:2,25\n", "1: value '2,25' is not a finite number (a decimal comma" },
    { &libsvm, "1 1:0x10\n", "1: value '0x10' is not a finite number (hexadecimal" },
    { &libsvm, "1 1:1e\n", "1: value '1e' is not a finite number" },
    { &libsvm, "1 1:1111111111111111111111111111111111111111X\n",
      "1: value '1111111111111111111111111111111111111111' is not a finite number" }, /* cut */
    { &libsvm, "1 1:2\r1 1:3\n1 1:4\n", "1" CR },
    { &libsvm, "1 1:2\r1 1:3\r1 x:4\r", "3: index 'x' is not a whole number" },
    { &csv, "1,2,0\r3,4,1\n1,2,0\r", "1" CR },
    { &csv, "1,2,0\r3,4\r", "2: 2 fields, expected 3" },
    { &csv, "1,2,0\r\r\n3,4,1\r\n", "1" CR },
    { &wanting, "1 1:2\n2 1:3\n", " no record has the positive label '7'" },
    { &pair, "1 1:2\n2 1:3\n", " no record has the negative label '3'" },
    { &pair, "2 1:3\n", " no record has the positive label '1'" },
    { &csv, "1,2,0\n3,4\n", "2: 2 fields, expected 3" },
    { &csv, "1,2,0\n3,4,1,5\n", "2: 4 fields, expected 3" },
    { &csv, "1,2,0\n3,,1\n", "2: column 2: ''" MISSING },
    { &csv, "1,2,0\n1,2,0\n3,NaN,1\n", "3: column 2: 'NaN'" MISSING },
    { &csv, "1,nan,0\n3,nan,1\n", "1: column 2: 'nan'" MISSING },
    { &csv, "1,inf,0\n3,4,1\n", "1: column 2: 'inf' is not a finite number (correct it" },
    { &csv_header, "a,b,c\n1,,0\n", "2: column 2 (b): ''" MISSING },
    { &csv_header, "a,b,c\n1,2,0\n3,?,1\n", "3: column 2 (b): '?'" MISSING },
    { &csv_header, "a,b,c\n1,2,0\n3,x,1\n", "3: column 2 (b): 'x' is not a finite number" },
    { &csv_header, "a,b,c\n1,x,0\n3,,1\n", "3: column 2 (b): ''" MISSING },
    { &csv_header, "a,b,c\n1,x,0\n3,inf,1\n", "3: column 2 (b): 'inf' is not a word" },
    { &csv_header, "a,b,c\n1,x,0\n3,7.5,1\n", "3: column 2 (b): '7.5' is a number, the first record has 'x'" },
    { &csv, "1,2,0\n\n3,4,1\n", "2: an empty line" },
    { &csv, "1,2,0\n3,4,spam\n", "2: label 'spam'" WORD },
    { &csv_word, "1,2,spam\n3,4,\n", "2: column 3: ''" DROP },
    { &csv_word, "1,2,ham\n3,4,egg\n", " no record has the positive label 'spam'" },
    { &csv, "a,b,c\n1,2,0\n", "1: label 'c'" WORD },
    { &csv_word, "a,b,c\n1,2,spam\n",
      "2: column 1: '1' is a number, the first record has 'a' (is the first line a header?)" },
    { &csv, "1,\"2,0\n", "1: a quote that is not closed" },
    { &csv, "1,\"2\"x,0\n", "1: 'x' after a quoted field (a quote within quotes is written twice)" },
    { &csv, "1,\"2\"\"3,0\n", "1: a quote that is not closed" },
    { &csv, "1,2,0\n1,\"2\n,0\n3,4,1\n", "2: a quote that is not closed" },
    { &csv, "1,x,0\n1,\"y\nz\",0\n3,4,1,5\n", "4: column 2: '4' is a number, the first record has 'x'" },
    { &csv, "1\n2\n", "1: a record without features" },
    { &csv_header, "a,b,c\n", " there are no records" },
    { &csv_header, "a,b,c\n1,2\n", "2: 2 fields, expected 3" },
    { &csv_far, "1,2,0\n", "1: no column '4' (label): there are 3, counted from 1" },
    { &csv_before, "1,2,0\n", "1: no column '-4' (label): there are 3, counted from 1" },
    { &csv_zero, "1,2,0\n", "1: no column '0' (label): there are 3, counted from 1" },
    { &csv_drop, "a,b,c\n1,,0\n,2,1\n?,NA,1\n", " there are no records" },
    { &csv_drop, "a,b,c\n1,,0\n,2\n", "3: 2 fields, expected 3" },
    { &csv_own, "a,b,c\n1,,0\n3,4,NA\n", "3: column 3 (c): 'NA'" DROP },
    { &csv_omit, "a,b,c\n1,2,0\n", "1: column 'c' is the label: it cannot be in omit" },
    { &csv_omit, "c,l\n1,0\n", "1: a record without features" },
    { &csv_bounds, "a,b,l\n1,2,0\nx,2,0\n", "3: column 1 (a): 'x' is not a finite number" },
    { &csv_bounds, "a,b,l\nx,2,0\n1,2,0\n", "2: column 1 (a): 'x' is not a finite number" },
    { &csv_bounds, "b,l\n1,0\n", "1: no column 'a' (scale): there are 2, counted from 1; they are b, l" },
    { &csv_bounds, "b,a\n1,0\n", "1: column 'a' is the label: it cannot be in scale" },
    { &csv_low, "a,l\n1,0\n", "1: scale, 'a:2:2': must be COLUMN:LOW:HIGH with LOW below HIGH" },
    { &csv_part_bound, "a,l\n1,0\n", "1: scale, 'a:2': must be COLUMN:LOW:HIGH with LOW below HIGH" },
    { &csv_word_bounds, "a,l\n1,0\n", "1: column 'a' is in categorical or omit: it cannot be in scale" },
    { &csv_both, "a,b,l\n1,2,0\n", "1: column 'a' is in categorical and in omit" },
    { &csv_wide, "1,2,0\n", "1: 2 features, expected 3" },
    { &csv_wide, "1,a,0\n2,b,0\n3,a,0\n2,c,1\n", "4: 4 features, expected 3" },
    { &csv_named, "a,c\n1,2\n", "1: no column 'b' (label): there are 2, counted from 1; they are a, c" },
    { &csv_named, "a,b,b\n1,2,3\n", "1: 2 columns are called 'b': say which by its number, counted from 1" },
    { &csv_categorical, "a,b,l\nx,1,0\n",
      "1: no column 'c' (categorical): there are 3, counted from 1; they are a, b, l" },
    { &csv_categorical, "a,b,c\nx,1,0\n", "1: column 'c' is the label: it cannot be in categorical" },
    { &csv_categorical, "a,b,c,l\n1,1,2,0\n,1,2,1\n", "3: column 1 (a): ''" MISSING },
    { &csv_label, "1,2,0\n", "1: column '3' is the label: it cannot be in categorical" },
    { &csv_label, "1,2\n", "1: no column '3' (categorical): there are 2, counted from 1" },
    { &csv_part, "1,2\n", "1: no column '0.5' (categorical): there are 2, counted from 1" },
    { &csv_comment, "#1\n1,2,0\n#x,y,z\n3,x,1\n", "4: column 2: 'x' is not a finite number" },
    { &csv_comma, "1,5;2;0\n1,5,5;2;1\n", "2: column 1: '1,5,5' is not a finite number" },
    { &csv_index, "a,b,l\n1,x,0\n", "1: column 'l' is the label: it cannot be in index" },
    { &csv_words, "a,b,l\n1,-,0\n", "2: column 2 (b): '-'" MISSING },
    { &csv_words, "a,b,l\n1,\"no, no\",0\n", "2: column 2 (b): 'no, no'" MISSING },
    { &arff, "@relation t\n@attribute a numeric\n", "2: the text ends before @data" },
    { &arff, "@relation t\n@attribut a numeric\n", "2: '@attribut'" },
    { &arff, "@data\n1,2\n", "1: @data before the first @attribute" },
    { &arff, "@attribute a money\n", "1: 'money' is no type" },
    { &arff, "@attribute a { x, y\n", "1: the values of a nominal attribute do not end in }" },
    { &arff, "@attribute a { x y }\n", "1: the values of a nominal attribute do not end in }" },
    { &arff, "@attribute a { x,, y }\n", "1: value 2 of a nominal attribute is empty" },
    { &arff, "@attribute 'a numeric\n", "1: a quote (') that is not closed" },
    { &arff, A "1,red,0\n2,blue,1\n", "6: column 2 (c): 'blue' is not one of the 2 values" },
    { &arff, A "1,red,0\nx,red,1\n", "6: column 1 (a): 'x' is not a finite number" },
    { &arff, A "1,red\n", "5: 2 values, expected 3" },
    { &arff, A "1,red,0\n\n% a note\n1,red,0,7\n", "8: more than 3 values, from '7' on" },
    { &arff, A "1,?,0\n", "5: column 2 (c): '?'" MISSING },
    { &arff, A "1,red,?\n", "5: column 3 (y): '?'" DROP },
    { &arff, A "{0 1, 0 2}\n", "5: attribute 0 twice" },
    { &arff, A "{2 1, 1 red}\n", "5: attribute 1 twice, or after a later one" },
    { &arff, A "{0 1, 3 1}\n", "5: attribute '3' is not a whole number from 0 to 2" },
    { &arff, A "{0 1, 2 1\n", "5: a sparse record does not end in }" },
    { &arff, A "{0 1} 5\n", "5: '5' after the } of a sparse record" },
    { &arff, A "{0}\n", "5: attribute 0 has no value" },
    { &arff, A "1, {red, 0\n", "5: '{' after value 2 of a dense record" },
    { &arff, "@attribute t date 'yyyy-MM-dd'\n@attribute a real\n@attribute y {0,1}\n@data\n",
      "4: attribute 't' holds dates, which are not read" },
    { &arff, "@attribute c {u,u}\n@attribute y {0,1}\n@data\n", "3: attribute 'c' declares a value twice" },
    { &arff, A, " there are no records" },
    { &fann, "2 2\n1 2\n0\n", "1: number of outputs '' is not a whole number from 1 to 4294967295" },
    { &fann, "two 2 1\n1 2\n0\n", "1: number of rows 'two' is not a whole number from 1 to 4294967295" },
    { &fann, "2 0 1\n", "1: number of inputs '0' is not a whole number from 1 to 4294967295" },
    { &fann, "2 4294967296 1\n", "1: number of inputs '4294967296' is not a whole number from 1 to 4294967295" },
    { &fann, "2 2 1 9\n", "1: '9' after rows, inputs and outputs" },
    { &fann_wide, "2 2 1\n1 2\n0\n", "1: 2 features, expected 3" },
    { &fann, "2 2 1\n1 2\n0\n", "3: the text ends after 1 of 2 rows" },
    { &fann, "1 2 1\n1 2\n", "2: the line of outputs is missing" },
    { &fann, "1 2 1\n1 2\n0\n3 4\n", "4: rubbish after the last of 1 rows" },
    { &fann, "2 2 1\n1 2 3\n0\n1 2\n0\n", "2: 3 numbers, expected 2 (inputs)" },
    { &fann, "2 2 1\n1 2\n0\n1\n0\n", "4: 1 numbers, expected 2 (inputs)" },
    { &fann, "2 2 1\n1 2\n0 1\n1 2\n0\n", "3: 2 numbers, expected 1 (outputs)" },
    { &fann, "2 2 1\n1 2\n\n1 2\n0\n", "3: an empty line" },
    { &fann, "2 2 1\n\n1 2\n0\n1 2\n0\n", "2: an empty line" },
    { &fann, "1 2 1\n1 inf\n0\n", "2: input 'inf' is not a finite number" },
    { &fann, "1 2 1\n1 2\nnan\n", "3: output 'nan' is not a finite number" },
    { &fann, "1 2 2\n1 2\n0 1\n", "1: 2 outputs: `positive` must name the one that becomes +1" },
    { &fann_two, "1 2 2\n1 2\n1 1\n", "3: no single output is the largest" },
    { &fann_two, "1 2 2\n1 2\n1\n", "3: 1 numbers, expected 2 (outputs)" },
    { &fann_out, "1 2 2\n1 2\n0 1\n", " no record has the positive label '2'" },
};

static void check_refused(const sp_source *source, size_t count, const sp_read_options *options, sp_status expected,
                          const char *message)
{
    sp_dataset dataset;
    sp_error error = { 0 };
    const sp_status status = sp_read_dataset(source, count, options, &dataset, &error);
    SP_CHECK_REPORT(status == expected, "\"%s\" gave %s", source->bytes, sp_status_name(status));
    SP_CHECK_REPORT(strncmp(error.text, message, strlen(message)) == 0, "\"%s\" does not begin with \"%s\"", error.text,
                    message);
    CHECK(dataset.mapping == NULL);
}

static void test_texts(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char message[200];
        snprintf(message, sizeof message, "bad.txt:%s", bad[i].message);
        const sp_source source = { "bad.txt", bad[i].text, strlen(bad[i].text) };
        check_refused(&source, 1, bad[i].options, SP_EDATA, message);
    }
}

/* The second text of two is named when it is the wrong one. */
static void test_sources(void)
{
    const sp_source texts[] = { { "a.csv", "1,x,0\n", 6 }, { "b.csv", "1,0\n", 4 }, { "c.csv", "2,3,0\n", 6 } };
    check_refused(texts, 2, &csv, SP_EDATA, "b.csv:1: 2 fields, expected 3");
    const sp_source other[] = { texts[0], texts[2] };
    check_refused(other, 2, &csv, SP_EDATA,
                  "c.csv:1: column 2: '3' is a number, the first record has 'x' (is the first line a header?)");
    const sp_source nets[] = { { "a", "1 2 1\n1 2\n0\n", 12 }, { "b", "1 1 1\n1\n0\n", 10 } };
    check_refused(nets, 2, &fann, SP_EDATA, "b:1: 1 features, expected 2");
}

static void test_options(void)
{
    const struct {
        sp_read_options options;
        const char *message;
    } wrong[] = {
        { { .storage = SP_STORE_SIGNS }, "x: storage must be dense or sparse" },
        { { .negative = "1" }, "x: `negative` needs `positive`" },
        { { .negative = "1", .positive = "1" }, "x: `negative` is the same label as `positive`" },
        { { .regression = true, .positive = "1" }, "x: `regression` keeps the labels, `positive` does not" },
        { { .categorical = "a" }, FOR_CSV },
        { { .label = "a", .header = true }, FOR_CSV },
        { { .missing = SP_MISSING_DROP }, FOR_CSV },
        { { .bounds = "1:0:1" }, FOR_CSV },
        { { .index = "1" }, FOR_CSV },
        { { .missing_words = "-" }, FOR_CSV },
        { { .comment = '#' }, "x: `comment` and `decimal` are for csv" },
        { { .format = SP_FORMAT_ARFF, .decimal_comma = true }, "x: `comment` and `decimal` are for csv" },
        { { .format = SP_FORMAT_CSV, .zero_based = true }, "x: `zero_based` is for libsvm" },
        { { .format = SP_FORMAT_CSV, .labels = "a" },
          "x: `labels` is the path of the labels of idx images; `label` names the column of a csv" },
        { { .format = SP_FORMAT_IDX }, "x: images and their labels are two files: `labels` names the second" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_refused(&(sp_source){ "x", "1 1:1\n", 6 }, 1, &wrong[i].options, SP_EINVAL, wrong[i].message);
}

/* --- IDX ----------------------------------------------------------------------------------------------------- */

#define IMAGES "\0\0\10\3\0\0\0\2\0\0\0\1\0\0\0\2" "abcd"
#define LABELS "\0\0\10\1\0\0\0\2" "\3\10"

static void test_idx(void)
{
    const struct {
        const char *image;
        size_t image_size;
        const char *label;
        size_t label_size;
        size_t d;
        const char *message;
    } wrong[] = {
#define BYTES(text) text, sizeof text - 1
        { BYTES(""), BYTES(LABELS), 0, "images: not an IDX file" },
        { BYTES("\0\0\10"), BYTES(LABELS), 0, "images: not an IDX file" },
        { BYTES("\0\1\10\3"), BYTES(LABELS), 0, "images: not an IDX file" },
        { BYTES(IMAGES), BYTES("P5 2 1 255"), 0, "labels: not an IDX file" },
        { BYTES("\0\0\15\3\0\0\0\2\0\0\0\1\0\0\0\2"), BYTES(LABELS), 0,
          "images: elements of type 0x0d, only unsigned bytes (0x08) can be read" },
        { BYTES(LABELS), BYTES(LABELS), 0, "images: an array of 1 dimensions, expected images (2 or more)" },
        { BYTES(IMAGES), BYTES(IMAGES), 0, "labels: an array of 3 dimensions, expected labels (1)" },
        { BYTES("\0\0\10\3\0\0\0\2\0\0\0"), BYTES(LABELS), 0, "images: ends within its header (11 bytes)" },
        { BYTES(IMAGES "e"), BYTES(LABELS), 0, "images: 5 bytes after the header, which announces 4" },
        { BYTES("\0\0\10\3\0\0\0\2\0\0\0\1\0\0\0\2abc"), BYTES(LABELS), 0,
          "images: 3 bytes after the header, which announces 4" },
        { BYTES(IMAGES), BYTES("\0\0\10\1\0\0\0\2\1"), 0, "labels: 1 bytes after the header, which announces 2" },
        { BYTES(IMAGES), BYTES("\0\0\10\1\0\0\0\3\1\2\3"), 0, "labels: 3 labels, but 2 images in images" },
        { BYTES("\0\0\10\2\0\0\0\2\0\0\0\0"), BYTES(LABELS), 0,
          "images: dimension 2 is 0: no features, or more than 2^32 - 1" },
        { BYTES("\0\0\10\3\0\0\0\1\0\2\0\0\0\1\0\0"), BYTES(LABELS), 0,
          "images: dimension 3 is 65536: no features, or more than 2^32 - 1" },
        { BYTES("\0\0\10\2\377\377\377\377\377\377\377\377"), BYTES(LABELS), 0,
          "images: 0 bytes after the header, which announces 18446744065119617025" },
        { BYTES("\0\0\10\3\0\0\0\0\0\0\0\1\0\0\0\2"), BYTES("\0\0\10\1\0\0\0\0"), 0,
          "images: there are no records" },
        { BYTES(IMAGES), BYTES(LABELS), 3, "images: 2 features, expected 3" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *exact = malloc(wrong[i].image_size + 1); /* the sanitizer watches what is read beyond */
        memcpy(exact + 1, wrong[i].image, wrong[i].image_size);
        const sp_source source[] = { { "images", exact + 1, wrong[i].image_size },
                                     { "labels", wrong[i].label, wrong[i].label_size } };
        check_refused(source, 2, &(sp_read_options){ .format = SP_FORMAT_IDX, .d = wrong[i].d }, SP_EDATA,
                      wrong[i].message);
        free(exact);
    }
    const sp_source source[] = { { "images", BYTES(IMAGES) }, { "labels", BYTES(LABELS) } };
    check_refused(source, 2, &(sp_read_options){ .format = SP_FORMAT_IDX, .positive = "3", .negative = "4" }, SP_EDATA,
                  "images: no record has the negative label '4'");
}

/* Dense storage that cannot be held is refused before it is asked for; sparse it can be. */
static void test_too_large(void)
{
    sp_text text = { 0 };
    sp_dataset dataset;
    for (size_t i = 0; i < 1000; i++)
        sp_text_append(&text, "1 10000000:2.385\n");
    const sp_source source = { "wide", text.data, text.length };
    check_refused(&source, 1, &libsvm, SP_EINVAL,
                  "wide: n = 1000, d = 10000000, dense: too large (at most 64 GiB, 2^32 - 1 records and features)");
    CHECK_EQUAL(sp_read_dataset(&source, 1, &(sp_read_options){ .storage = SP_STORE_SPARSE }, &dataset, NULL), SP_OK);
    CHECK(dataset.n == 1000 && dataset.d == 10000000 && dataset.start[1000] == 1000);
    sp_dataset_free(&dataset);
    sp_text_free(&text);
}

/* A byte that ends C strings ends nothing here, and the text need not end in one. */
static void test_bytes(void)
{
    const char zero[] = "1 1:2\n1 1:3\0\n1 1:4", *no_end = "1 1:2\n1 1:35";
    sp_dataset dataset;
    sp_error error = { 0 };
    const sp_source cut = { "bytes", zero, sizeof zero - 1 };
    CHECK_EQUAL(sp_read_dataset(&cut, 1, &libsvm, &dataset, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "bytes:2: value '3");
    char *exact = malloc(11); /* the sanitizer watches its end */
    memcpy(exact, no_end, 11);
    CHECK_EQUAL(sp_read_dataset(&(sp_source){ "bytes", exact, 11 }, 1, &libsvm, &dataset, &error), SP_OK);
    CHECK_NEAR(dataset.X[dataset.stride], 3.0, 0.0);
    sp_dataset_free(&dataset);
    free(exact);
}

static void check_no_content(const char *path, const char *member, sp_status expected, const char *message)
{
    sp_content c;
    sp_error error = { 0 };
    CHECK_EQUAL(sp_content_read(path, member, 0, &c, &error), expected);
    CHECK_CONTAINS(error.text, message);
    CHECK(c.bytes == NULL && c.size == 0 && c.block == NULL);
}

static void check_no_file(const char *path, const sp_read_options *options, sp_status expected, const char *message)
{
    sp_dataset dataset;
    sp_error error = { 0 };
    CHECK_EQUAL(open_own_file(path, options, &dataset, &error), expected);
    CHECK_TEXT(error.text, message);
    CHECK(dataset.mapping == NULL);
}

static void test_files(void)
{
    check_no_content("missing.txt", NULL, SP_EIO, "missing.txt: No such file or directory");
    check_no_content(".", NULL, SP_EIO, ".: Is a directory");
    check_no_content("/dev/null", NULL, SP_EIO, "/dev/null: not a regular file");
    write_text("text", "not an archive");
    check_no_content("text", "member", SP_EDATA, "text: ");
    write_text("nothing", "");
    check_no_content("nothing", "member", SP_EDATA, "nothing: ");

    const char *name = "f", *bytes = "1 1:0.125 2:0.3\n-1 1:2.385 2:17\n";
    pack("whole.gz", archive_write_set_format_raw, archive_write_add_filter_gzip, 1, &name, &bytes,
         &(size_t){ strlen(bytes) });
    sp_content whole;
    CHECK_EQUAL(sp_content_load("whole.gz", 0, &whole, NULL), SP_OK);
    write_bytes("cut.gz", whole.bytes, whole.size / 2);
    sp_content_free(&whole);
    check_no_content("cut.gz", NULL, SP_EDATA, "cut.gz: ");

    check_no_file("missing.txt", &libsvm, SP_EIO, "missing.txt: No such file or directory");
    write_text("ragged.csv", "1,2,0\n3,1\n");
    check_no_file("ragged.csv", &csv, SP_EDATA, "ragged.csv:2: 2 fields, expected 3");
    const sp_read_options idx = { .format = SP_FORMAT_IDX, .labels = "none" }, alone = { .format = SP_FORMAT_IDX };
    check_no_file("text", &idx, SP_EIO, "none: No such file or directory");
    check_no_file("text", &alone, SP_EINVAL, "text: images and their labels are two files: `labels` names the second");
}

/* Little on disk, much in memory. */
static void test_limits(void)
{
    enum { MIB = 1 << 20, ZEROS = 64 * MIB };
    const sp_read_options small = { .limit = MIB }, most = { .limit = (size_t)1 << 30 };
    const sp_read_options columns = { .format = SP_FORMAT_CSV, .limit = MIB };
    const sp_read_options sparse = { .storage = SP_STORE_SPARSE, .limit = (size_t)1 << 30 };
    const char *name = "f";
    char *zeros = calloc(1, ZEROS), *text = malloc(ZEROS);
    sp_dataset dataset;
    CHECK(zeros && text);
    pack("bomb.gz", archive_write_set_format_raw, archive_write_add_filter_gzip, 1, &name, (const char **)&zeros,
         &(size_t){ ZEROS });
    check_no_file("bomb.gz", &small, SP_ELIMIT, "bomb.gz: unpacks to more than 1 MiB (`limit` is the limit)");
    enum { IMPLAUSIBLE = 257 * MIB };
    char *many = calloc(1, IMPLAUSIBLE);
    sp_content content;
    CHECK(many != NULL);
    pack("bomb.gz", archive_write_set_format_raw, archive_write_add_filter_gzip, 1, &name, (const char **)&many,
         &(size_t){ IMPLAUSIBLE });
    check_no_content("bomb.gz", NULL, SP_ELIMIT, "bomb.gz: unpacks to more than 256 MiB");
    CHECK_EQUAL(sp_content_read("bomb.gz", NULL, IMPLAUSIBLE + 1, &content, NULL), SP_OK);
    CHECK_EQUAL(content.size, IMPLAUSIBLE);
    sp_content_free(&content);
    free(many);
    write_bytes("large", zeros, 2 * MIB);
    check_no_file("large", &small, SP_ELIMIT, "large: has more than 1 MiB (`limit` is the limit)");

    write_text("far", "1 1:1\n-1 200000000:1\n");
    check_no_file("far", &most, SP_ELIMIT,
                  "far:2: reading takes more than 1024 MiB (2 records; `limit` is the limit)");
    check_no_file("far", &sparse, SP_ELIMIT,
                  "far:2: reading takes more than 1024 MiB (2 records; `limit` is the limit)");
    write_text("near", "1 1:1\n-1 200000:1\n");
    CHECK_EQUAL(open_own_file("near", &most, &dataset, NULL), SP_OK);
    sp_dataset_free(&dataset);

    for (size_t i = 0; i < MIB - 2; i += 2) /* labels alone */
        memcpy(text + i, "1\n", 3);
    write_text("labels.txt", text);
    check_no_file("labels.txt", &small, SP_ELIMIT,
                  "labels.txt:1: reading takes more than 1 MiB (1 records; `limit` is the limit)");
    for (size_t i = 0; i < MIB / 2; i += 4)
        memcpy(text + i, "1,2\n", 5);
    write_text("numbers.csv", text);
    check_no_file("numbers.csv", &columns, SP_ELIMIT,
                  "numbers.csv:18725: reading takes more than 1 MiB (18725 records; `limit` is the limit)");
    free(zeros);
    free(text);
}

/* Other bytes than those of the fingerprint are not read: their records are cached, or there are none. */
static void test_changed(void)
{
    const char images[] = "\0\0\10\2\0\0\0\2\0\0\0\1ab", labels[] = "\0\0\10\1\0\0\0\2\3\4";
    const sp_read_options o = { .format = SP_FORMAT_IDX, .labels = "labels" };
    char fingerprint[SP_HASH_HEX], before[32];
    sp_dataset dataset;
    sp_error error = { 0 };
    write_bytes("images", images, sizeof images - 1);
    write_bytes("labels", labels, sizeof labels - 1);
    CHECK_EQUAL(sp_data_file_fingerprint("images", &o, fingerprint, NULL), SP_OK);
    write_bytes("labels", "\0\0\10\1\0\0\0\2\4\3", 10);
    CHECK_EQUAL(sp_data_open_file("images", &o, fingerprint, &dataset, &error), SP_EHASH);
    CHECK_CONTAINS(error.text, "images: changed while it was in use");
    snprintf(before, sizeof before, "before %.12s", fingerprint);
    CHECK_CONTAINS(error.text, before);
    CHECK(dataset.mapping == NULL);
    write_bytes("labels", labels, sizeof labels - 1);
    CHECK_EQUAL(sp_data_open_file("images", &o, fingerprint, &dataset, &error), SP_OK);
    sp_dataset_free(&dataset);
    write_bytes("labels", "\0\0\10\1\0\0\0\2\4\3", 10);
    CHECK_EQUAL(sp_data_open_file("images", &o, fingerprint, &dataset, &error), SP_OK);
    CHECK(dataset.n == 2 && dataset.y[0] == -1.0 && dataset.y[1] == 1.0);
    sp_dataset_free(&dataset);

    CHECK_EQUAL(sp_data_file_fingerprint("missing.txt", &libsvm, fingerprint, &error), SP_EIO);
    CHECK_TEXT(error.text, "missing.txt: No such file or directory");
    CHECK_EQUAL(sp_data_file_fingerprint(".", &libsvm, fingerprint, &error), SP_EIO);
    CHECK_TEXT(error.text, ".: Is a directory");
}

int main(void)
{
    char folder[64];
    if (enter_folder(folder) != 0)
        return 1;
    test_texts();
    test_sources();
    test_options();
    test_idx();
    test_too_large();
    test_bytes();
    test_files();
    test_limits();
    test_changed();
    leave_folder(folder);
    return sp_check_done();
}
