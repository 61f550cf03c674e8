/* reader.c -- exact numbers, the four formats, labels, compressed files and archives. */
#include "core/numeric/stream.h"
#include "core/data/read/catalogue.h"
#include "core/data/read/collect.h"
#include "core/data/read/decimal.h"
#include "core/data/read/reader.h"
#include "core/data/rows.h"
#include "core/data/read/scan.h"
#include "tests/check.h"
#include "tests/experiment.h"
#include "tests/pack.h"
#include "tests/storages.h"

#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <fcntl.h>
#include <glob.h>
#include <locale.h>
#include <signal.h>
#include <sys/wait.h>

static size_t count_files(const char *pattern)
{
    glob_t found = { 0 };
    const size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    globfree(&found);
    return count;
}

/* --- numbers ------------------------------------------------------------------------------------------------- */

static bool number(const char *text, double *value)
{
    return sp_word_number((sp_word_view){ text, strlen(text) }, value);
}

static void check_number(const char *text)
{
    double value = NAN;
    const bool read = number(text, &value);
    const double expected = strtod(text, NULL); /* the locale of this program is "C" */
    SP_CHECK_REPORT(read && memcmp(&value, &expected, sizeof value) == 0, "'%s' read as %.17g", text, value);
    /* with more behind it, where numbers of one digit before the point take the short way */
    char line[128];
    const int length = snprintf(line, sizeof line, "%s 12345678901", text);
    const char *end = sp_decimal_read(line, line + length, &value);
    SP_CHECK_REPORT(end == line + strlen(text) && memcmp(&value, &expected, sizeof value) == 0, "'%s' read as %.17g",
                    line, value);
}

/* Every beginning of some numbers: read to its end, and nothing behind it (an allocation of its own, so that a
 * sanitizer sees a step too far). */
static void test_pieces(void)
{
    static const char *const whole[] = {
        "1234567890.0987654321", "0.00000000012345678901", "98765432.10123456", ".123456789", "0000000000000012345678.",
        "-0.368684 12:1 0.5", "7.1234567e+12", "3.25:4/5;6 7:8.9", "-0.00505051 13:1", "1 14:1 43:0.123456789",
        "-1e2 5:-0.25 6:2", "0.25/4 3:1.5,12",
    };
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        for (size_t length = 1; length <= strlen(whole[i]); length++) {
            char text[64] = "", *alone = malloc(length), *stop;
            if (!alone)
                return;
            memcpy(text, whole[i], length);
            memcpy(alone, whole[i], length);
            double value = NAN, expected = strtod(text, &stop);
            const char *end = sp_decimal_read(alone, alone + length, &value);
            if (end) {
                CHECK(memcmp(&value, &expected, sizeof value) == 0);
                CHECK_EQUAL((size_t)(end - alone), (size_t)(stop - text));
            } else { /* strtod takes "7.1e" for 7.1 and leaves the rest */
                CHECK(stop == text || *stop == 'e');
            }
            free(alone);
        }
}

/* Every length of mantissa and every exponent near the exact range, against the C library, to the bit. */
static void test_numbers(gsl_rng *stream)
{
    static const char *const fixed[] = {
        "0", "-0", "+0.0", "1", "-1.0", "+1", ".5", "5.", "-.25e1", "1e22", "1e23", "1e-22", "1e-23", "1E5", "1e+5",
        "007.5", "0.1", "0.3", "2.385", "9007199254740992", "9007199254740993", "9007199254740993e1",
        "18446744073709551617" /* 2^64 + 1 */, "123456789012345678", "1234567890123456789", "12345678901234567890123",
        "1.7976931348623157e308", "2.2250738585072014e-308", "4.9e-324", "1e-400", "0e999999999999",
        "0.000000000000000000000000000000000000001234", "1000000000000000000000000000000000000e-36",
        "9999999999999999999", "99999999999999999999", "0.0000000000000000001", "9007199254740992e22", "1e0022", "-0",
        "9007199254740991e-22", "1e-1000", "000000000000000000000001.5",
    };
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        check_number(fixed[i]);
#if defined(__SANITIZE_ADDRESS__)
    enum { TRIALS = 100000 };
#else
    enum { TRIALS = 2000000 };
#endif
    for (int trial = 0; trial < TRIALS; trial++) {
        char text[80];
        const int digits = 1 + (int)gsl_rng_uniform_int(stream, trial % 5 ? 21 : 10);
        const int point = trial % 5 ? (int)gsl_rng_uniform_int(stream, 23) : 1;
        size_t length = 0;
        if (trial % 2)
            text[length++] = '-';
        for (int i = 0; i < digits; i++) {
            if (i == point)
                text[length++] = '.';
            text[length++] = (char)('0' + gsl_rng_uniform_int(stream, 10));
        }
        text[length] = '\0';
        if (trial % 3)
            snprintf(text + length, sizeof text - length, "e%d", (int)gsl_rng_uniform_int(stream, 80) - 40);
        check_number(text);
    }
    static const char *const bad[] = {
        "", "+", "-", ".", "e5", "1e", "1e+", "nan", "inf", "-Infinity", "0x1p3", "1,5", "1.2.3", "--1", "1e5.0", "1 ",
        " 1", "1e999", "-1e400", "12a", "1_000", "1e18446744073709551617" /* 2^64 + 1 */,
    };
    double value;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        SP_CHECK_REPORT(!number(bad[i], &value), "'%s' was read as %.17g", bad[i], value);
    char endless[400];
    memset(endless, '1', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    CHECK(!number(endless, &value));
}

/* --- formats ------------------------------------------------------------------------------------------------- */

/* `size` bytes at the end of a block of their own: the sanitizer watches what follows. */
static sp_status read_bytes(const char *bytes, size_t size, const sp_read_options *options, sp_dataset *out,
                            sp_error *error)
{
    char *exact = malloc(size);
    memcpy(exact, bytes, size);
    const sp_status status = sp_read_dataset(&(sp_source){ "text", exact, size }, 1, options, out, error);
    free(exact);
    return status;
}

static sp_dataset read_text(const char *text, const sp_read_options *options)
{
    sp_dataset dataset;
    sp_error error = { 0 };
    const sp_status status = read_bytes(text, strlen(text), options, &dataset, &error);
    SP_CHECK_REPORT(status == SP_OK, "%s", error.text);
    return dataset;
}

/* Is it n x d with these numbers and labels? Sparse ones store no zero. */
static void check_dataset(const sp_dataset *a, size_t n, size_t d, const double *X, const double *y)
{
    double *row = malloc(d * sizeof *row), most = 0.0;
    size_t nonzero = 0;
    CHECK_EQUAL(a->n, n);
    CHECK_EQUAL(a->d, d);
    for (size_t i = 0; a->n == n && a->d == d && i < n; i++) {
        double square = 0.0;
        CHECK_NEAR(a->y[i], y[i], 0.0);
        sp_row_of(a, i, row);
        for (size_t j = 0; j < d; j++) {
            CHECK_NEAR(row[j], X[i * d + j], 0.0);
            square += row[j] * row[j];
            nonzero += X[i * d + j] != 0.0;
        }
        CHECK_NEAR(a->norm[i], sqrt(square), 1e-14 * sqrt(square));
        most = fmax(most, a->norm[i]);
    }
    CHECK_NEAR(a->radius, most, 0.0);
    if (a->storage == SP_STORE_SPARSE && a->n == n)
        CHECK_EQUAL(a->start[n], nonzero);
    free(row);
}

/* Reads `text`, stored either way, and compares with n x d numbers and n labels. */
static void check_text(const char *text, sp_read_options options, size_t n, size_t d, const double *X, const double *y)
{
    static const sp_storage kinds[] = { SP_STORE_DENSE, SP_STORE_SPARSE };
    for (size_t k = 0; k < 2; k++) {
        options.storage = kinds[k];
        sp_dataset a = read_text(text, &options);
        CHECK_EQUAL(a.storage, kinds[k]);
        check_dataset(&a, n, d, X, y);
        sp_dataset_free(&a);
    }
}

static void test_libsvm(void)
{
    const double X[] = { 0.25, 0.0, -2.385, 0.0, 7e-3, 0.0, 1.0, 0.0, 0.0 }, y[] = { 1.0, -1.0, -1.0 };
    const sp_read_options o = { .format = SP_FORMAT_LIBSVM };
    check_text("2 1:0.25 3:-2.385\n1 2:7e-3\n1 1:1\n", o, 3, 3, X, y);
    check_text("+2.0 1:.25\t3:-2.385 \r\n1 2:.007\r\n1.0  1:1.", o, 3, 3, X, y); /* CRLF, blanks, no last newline */
    check_text("2 1:0.25 3:-2.385\n1 2:7e-3\n1 1:1\n\n \n", o, 3, 3, X, y);       /* white space at the end */

    check_text("2 1:0.25 2:0 3:-2.385\n1 1:0.0 2:7e-3 3:-0e5\n1 1:1 2:1e-999", o, 3, 3, X, y); /* explicit zeros */
    const double hollow[] = { 0.0, 0.0, 2.385, 0.0, 0.0, 0.0 };
    check_text("1\n-1 1:2.385 2:0\n1 \r\n", o, 3, 2, hollow, (double[]){ 1.0, -1.0, 1.0 }); /* rows of zeros */
    check_text("1 0001:2.385 02:1\n-1 1:1\n", o, 2, 2, (double[]){ 2.385, 1.0, 1.0, 0.0 }, (double[]){ 1.0, -1.0 });

    const double wide[] = { 1.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0 }, kept[] = { 3.5, 3.5 };
    check_text("3.5 1:1\n3.5 2:0.5\n", (sp_read_options){ .d = 4 }, 2, 4, wide, kept); /* d beyond what is present */
    sp_dataset far = read_text("1 3000001:2.385\n-1 7:1\n", &(sp_read_options){ .storage = SP_STORE_SPARSE });
    CHECK(far.d == 3000001 && far.start && far.start[2] == 2 && far.column[0] == 3000000 && far.entry[0] == 2.385);
    sp_dataset_free(&far);
}

/* Comments, groups of ranking tasks, indices from 0, words as labels, lines that end in CR alone. */
static void test_libsvm_spellings(void)
{
    const double X[] = { 0.25, 0.0, -2.385, 0.0, 7e-3, 0.0, 1.0, 0.0, 0.0 }, y[] = { 1.0, -1.0, -1.0 };
    sp_read_options o = { .format = SP_FORMAT_LIBSVM };
    check_text("# first\n2 1:0.25 3:-2.385 # a note: 7:1\n1 2:7e-3\n # third\n1 1:1 #\n# last\n", o, 3, 3, X, y);
    check_text("2 qid:7 1:0.25 3:-2.385\n1 qid:7  2:7e-3 # x\n1 qid:8 1:1\n", o, 3, 3, X, y);
    check_text("2 1:0.25 3:-2.385\r1 2:7e-3\r1 1:1\r", o, 3, 3, X, y);
    o.positive = "yes";
    check_text("yes 1:0.25 3:-2.385\nno 2:7e-3\nno 1:1\n", o, 3, 3, X, y);
    o = (sp_read_options){ .zero_based = true, .d = 3 };
    check_text("2 0:0.25 2:-2.385\n1 1:7e-3\n1 00:1 1:0\n", o, 3, 3, X, y);
}

static void test_arff(void)
{
    static const char head[] =
        "% iris's cousin\n@RELATION t\n\n@Attribute 'a b' REAL\n@attribute c {green, 'dark red', x}\n"
        "@attribute k {0,1}\n@attribute w string\n@attribute class {no, yes}\n@DATA\n";
    /* 'a b', green, dark red, x, k, be, it's */
    const double X[] = { 1.5, 0, 1, 0, 1, 0, 1,
                         0.0, 1, 0, 0, 0, 1, 0,
                         -2.0, 1, 0, 0, 1, 0, 1 };
    const double y[] = { 1.0, -1.0, -1.0 };
    char text[600];
    sp_read_options o = { .format = SP_FORMAT_ARFF, .positive = "yes" };
    snprintf(text, sizeof text,
             "%s1.5,'dark red',1,'it\\'s',yes\n\n%% a note\n0 green\t0 , be no\r\n-2,green,1,\"it's\",no", head);
    check_text(text, o, 3, 7, X, y);
    const double sparse[] = { 1.5, 0, 1, 0, 1, 0, 1,
                              0.0, 1, 0, 0, 0, 1, 0,
                              -2.0, 1, 0, 0, 1, 0, 1 };
    snprintf(text, sizeof text, "%s{0 1.5, 1 'dark red', 2 1, 3 'it\\'s', 4 yes}\n{ 3 be }\n{0 -2,2 1,3 \"it's\"}\n",
             head);
    check_text(text, o, 3, 7, sparse, y); /* what is left out is 0, or the first value */

    o = (sp_read_options){
        .format = SP_FORMAT_ARFF, .label = "k", .omit = "w", .index = "1", .missing = SP_MISSING_DROP
    };
    const double fewer[] = { 0, 1, 0, 0, 1,
                             1, 0, 0, 1, 0 };
    snprintf(text, sizeof text, "%s?,'dark red',1,?,yes\n0,?,0,be,no\n-2,green,0,b,no\n", head);
    check_text(text, o, 2, 5, fewer, (double[]){ 1.0, -1.0 });
}

/* Lines passed over, numbers with a comma, own words for what is missing, and a column that numbers the records. */
static void test_csv_spellings(void)
{
    const double X[] = { 1.5, -2.0, 3.25, 4.0 }, y[] = { 1.0, -1.0 };
    sp_read_options o = { .format = SP_FORMAT_CSV, .header = true, .comment = '#' };
    check_text("# by hand\na,b,y\n#1,2,3\n1.5,-2,1\n3.25,4,0\n# end\n", o, 2, 2, X, y);
    check_text("a,b,y\r1.5,-2,1\r3.25,4,0\r", o, 2, 2, X, y);
    o = (sp_read_options){ .format = SP_FORMAT_CSV, .delimiter = ';', .decimal_comma = true };
    check_text("1,5;-2;1\n3,25;4;0\n", o, 2, 2, X, y);
    check_text("1,5;-2,0;0,5\n3,25;4;-0,25\n", o, 2, 2, X, y);
    o = (sp_read_options){ .format = SP_FORMAT_CSV, .header = true, .missing_words = "-,\"a, b\",-999",
                           .missing = SP_MISSING_DROP, .index = "id" };
    check_text("id,a,b,y\nu,1.5,-2,1\nv,-,1,1\nw,1,\"a, b\",0\nx,3.25,4,0\ny,1,-999,1\nz,#N/A,1,1\nt,-nan,1,1\n", o, 2,
               2, X, y);
    static const char *const usual[] = { "",    "?",   "NA",   "N/A",  "#N/A", "<NA>",
                                         "NaN", "nan", "-NaN", "-nan", "NULL", "null" };
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) { /* all that docs/how_to/data.md lists */
        char *text = sp_format("id,a,b,y\nu,1.5,-2,1\nv,%s,1,1\nw,3.25,4,0\n", usual[i]);
        check_text(text, o, 2, 2, X, y);
        free(text);
    }
}

/* Many columns, each asked for by its name: the time is that of the fields. */
static void test_many_columns(void)
{
    enum { COLUMNS = 30000 };
    sp_text text = { 0 }, names = { 0 };
    for (size_t j = 0; j < COLUMNS; j++)
        sp_text_append(&names, "%sc%zu", j > 0 ? "," : "", j * 7919 % COLUMNS);
    sp_text_append(&text, "%s,y\n", names.data);
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < COLUMNS; j++)
            sp_text_append(&text, "%zu,", (i + j) % 3);
        sp_text_append(&text, "%zu\n", i % 2);
    }
    const sp_read_options o = { .format = SP_FORMAT_CSV, .header = true, .categorical = names.data };
    sp_dataset a = read_text(text.data, &o);
    CHECK(a.n == 3 && a.d == 3 * COLUMNS);
    CHECK_NEAR(a.radius, sqrt(COLUMNS), 1e-9);
    sp_dataset_free(&a);
    sp_text_free(&text);
    sp_text_free(&names);
}

/* Few numbers in many features: dense records, which were not asked for, are not made; small ones are. */
static void test_far_apart(void)
{
    const sp_read_options o = { .choose_storage = true };
    sp_text text = { 0 };
    for (size_t i = 0; i < 400; i++)
        sp_text_append(&text, "%zu 1:2.385 %zu:1\n", i % 2, 900000 - i);
    sp_dataset far = read_text(text.data, &o), near = read_text("1 5:2.385\n-1 1:1\n", &o);
    CHECK(far.storage == SP_STORE_SPARSE && far.d == 900000 && far.start[far.n] == 800);
    CHECK(far.mapping_size < 8 * (far.d + 10 * far.n) + 4096);
    CHECK(near.storage == SP_STORE_DENSE && near.d == 5);
    sp_dataset_free(&far);
    sp_dataset_free(&near);
    sp_text_free(&text);
    CHECK(sp_dense_is_wasteful(2000, 3000000, 200000) && !sp_dense_is_wasteful(1000, 1000, 0) &&
          !sp_dense_is_wasteful(581012, 54, 6940438));
}

static void test_labels(void)
{
    const double X[] = { 1.0, 2.0, 3.0 };
    check_text("0 1:1\n1 1:2\n0 1:3\n", (sp_read_options){ 0 }, 3, 1, X, (double[]){ -1.0, 1.0, -1.0 });
    check_text("0 1:1\n1 1:2\n0 1:3\n", (sp_read_options){ .regression = true }, 3, 1, X, (double[]){ 0.0, 1.0, 0.0 });
    check_text("0 1:1\n1 1:2\n2 1:3\n", (sp_read_options){ 0 }, 3, 1, X, (double[]){ 0.0, 1.0, 2.0 });
    check_text("0 1:1\n1 1:2\n2 1:3\n", (sp_read_options){ .positive = "0" }, 3, 1, X, (double[]){ 1.0, -1.0, -1.0 });
    check_text("2.0 1:1\n+2 1:2\n7 1:3\n", (sp_read_options){ .positive = "2" }, 3, 1, X, (double[]){ 1.0, 1.0, -1.0 });
    /* A pair of classes: the others are left out, whatever they are. */
    const double pair[] = { 1.0, 3.0, 5.0 };
    const sp_read_options two = { .positive = "3", .negative = "8", .d = 9 };
    check_text("3 1:1\n5 1:2\n8 1:3\n0 1:4 9:1\n3.0 1:5\n", two, 3, 9,
               (double[27]){ [0] = pair[0], [9] = pair[1], [18] = pair[2] }, (double[]){ 1.0, -1.0, 1.0 });
    sp_dataset a = read_text("-4.5 1:3 2:4\n2.25 1:1\n1 1:1\n", &(sp_read_options){ 0 });
    CHECK_NEAR(a.label_bound, 4.5, 0.0);
    CHECK_NEAR(a.radius, 5.0, 0.0); /* the largest norm */
    sp_dataset_free(&a);
}

static void test_csv(void)
{
    const double X[] = { 1.5, -2.0, 3.25, 4.0 }, y[] = { 1.0, -1.0 };
    sp_read_options o = { .format = SP_FORMAT_CSV, .header = true, .positive = "spam" };
    check_text("a,b,type\n1.5,-2,spam\n3.25,4,nonspam\n", o, 2, 2, X, y);
    check_text("a , b,type\r\n 1.5,-2 , spam\r\n3.25,\t4,ham", o, 2, 2, X, y);
    o = (sp_read_options){ .format = SP_FORMAT_CSV, .delimiter = ';', .label = "2", .d = 2 };
    check_text("1.5;1;-2\n3.25;0;4\n", o, 2, 2, X, y);
    o.label = "-2";
    check_text("1.5;1;-2\n3.25;0;4\n", o, 2, 2, X, y);
    o = (sp_read_options){ .format = SP_FORMAT_CSV, .delimiter = '\t', .label = "1" };
    check_text("1\t1.5\t-2\n0\t3.25\t4\n", o, 2, 2, X, y);
    o = (sp_read_options){ .format = SP_FORMAT_CSV, .header = true, .label = "the type", .positive = "a, b" };
    check_text("x,\"the type\",y\n1.5,\"a, b\" ,-2\n \"3.25\" ,c,4\n", o, 2, 2, X, y);
    o = (sp_read_options){ .format = SP_FORMAT_CSV, .header = true, .label = "-2" }; /* no name: a number */
    check_text("x,t,y\n1.5,1,-2\n3.25,0,4\n", o, 2, 2, X, y);
}

/* Words become indicators in the order of their bytes, in the place of their column. */
static void test_categories(void)
{
    sp_read_options o = { .format = SP_FORMAT_CSV, .header = true };
    const char *text = "size,colour,taste,label\n"
                       "2.385,red,a,1\n"
                       "0,blue,b,0\n"
                       "-1,Zinc,a,1\n"
                       "4,blue,-,0\n";
    /* size, Zinc, blue, red, -, a, b */
    const double X[] = { 2.385, 0, 0, 1, 0, 1, 0,
                         0.0,   0, 1, 0, 0, 0, 1,
                         -1.0,  1, 0, 0, 0, 1, 0,
                         4.0,   0, 1, 0, 1, 0, 0 };
    const double y[] = { 1.0, -1.0, 1.0, -1.0 };
    check_text(text, o, 4, 7, X, y);
    o.d = 7;
    check_text(text, o, 4, 7, X, y);

    /* Named: numbers are words too. "10" < "2" < "2.0" < "x": by bytes, a prefix first. */
    o = (sp_read_options){ .format = SP_FORMAT_CSV, .header = true, .label = "label" };
    o.categorical = "month, day";
    const double named[] = { 0, 1, 0, 0, 1, 5,
                             1, 0, 0, 0, 1, 6,
                             0, 0, 1, 0, 1, 7,
                             0, 0, 0, 1, 1, 0 };
    check_text("month,day,label,x\n2,1,1,5\n10,1,0,6\n2.0,1,1,7\nx,1,0,0\n", o, 4, 6, named, y);
    o.categorical = "1,\"day\"";
    check_text("month,day,label,x\n2,1,1,5\n10,1,0,6\n2.0,1,1,7\nx,1,0,0\n", o, 4, 6, named, y);
    o = (sp_read_options){ .format = SP_FORMAT_CSV, .label = "3", .categorical = "1,-3" };
    check_text("2,1,1,5\n10,1,0,6\n2.0,1,1,7\nx,1,0,0\n", o, 4, 6, named, y);
    o.omit = "4"; /* whatever is in it */
    const double fewer[] = { 0, 1, 0, 0, 1,  1, 0, 0, 0, 1,  0, 0, 1, 0, 1,  0, 0, 0, 1, 1 };
    check_text("2,1,1,5\n10,1,0,x\n2.0,1,1,\nx,1,0,inf\n", o, 4, 5, fewer, y);
    o = (sp_read_options){ .format = SP_FORMAT_CSV, .label = "1" };
    check_text("1,x\n0,y\n1,x\n0,y\n", o, 4, 2, (double[]){ 1, 0, 0, 1, 1, 0, 0, 1 }, y); /* no number at all */

    enum { WORDS = 700 }; /* many, met in a scrambled order */
    sp_text many = { 0 };
    double *big = calloc((size_t)WORDS * WORDS, sizeof *big), *labels = calloc(WORDS, sizeof *labels);
    for (size_t i = 0; i < WORDS; i++) {
        const size_t word = i * 331 % WORDS;
        sp_text_append(&many, "w%03zu,%zu\n", word, i % 2);
        big[i * WORDS + word] = 1.0;
        labels[i] = i % 2 ? 1.0 : -1.0;
    }
    o.label = "2";
    check_text(many.data, o, WORDS, WORDS, big, labels);
    sp_text_free(&many);
    free(big);
    free(labels);
}

/* What is missing: its record is dropped, or it is the last feature of its column; a word met in a dropped record alone
 * is none. */
static void test_missing(void)
{
    sp_read_options o = { .format = SP_FORMAT_CSV, .header = true, .missing = SP_MISSING_DROP };
    const char *text = "size,colour,full,label\n"
                       "2.385,red,1,1\n"
                       "NA,green,2,0\n"
                       "-1,\"\",3,1\n"
                       "4,blue,4,?\n"
                       "0,blue,5,0\n";
    const double dropped[] = { 2.385, 0, 1, 1,
                               0.0,   1, 0, 5 };
    check_text(text, o, 2, 4, dropped, (double[]){ 1.0, -1.0 });
    o.missing = SP_MISSING_CATEGORY;
    const char *known = "size,colour,full,label\n"
                        ",red,1,1\n"
                        "NA,N/A,2,0\n"
                        "-1,\"\",3,1\n"
                        "0,blue,5,0\n";
    /* size, size is missing, blue, red, colour is missing, full */
    const double X[] = { 0, 1, 0, 1, 0, 1,
                         0, 1, 0, 0, 1, 2,
                         -1, 0, 0, 0, 1, 3,
                         0, 0, 1, 0, 0, 5 };
    check_text(known, o, 4, 6, X, (double[]){ 1.0, -1.0, 1.0, -1.0 });
    o.categorical = "size"; /* -1, 0, size is missing, ... */
    const double words[] = { 0, 0, 1, 0, 1, 0, 1,
                             0, 0, 1, 0, 0, 1, 2,
                             1, 0, 0, 0, 0, 1, 3,
                             0, 1, 0, 1, 0, 0, 5 };
    check_text(known, o, 4, 7, words, (double[]){ 1.0, -1.0, 1.0, -1.0 });
}

/* Fields of one byte, each of which is an entry: more entries than a file of this size usually has. */
static void test_empty_fields(void)
{
    enum { FIELDS = 37, ROWS = 500 };
    sp_text text = { 0 };
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < FIELDS; j++)
            sp_text_append(&text, i == 0 ? "0.5," : ",");
        sp_text_append(&text, "%zu\n", i % 2);
    }
    for (int storage = SP_STORE_DENSE; storage <= SP_STORE_SPARSE; storage++) {
        const sp_read_options o = { .format = SP_FORMAT_CSV, .missing = SP_MISSING_CATEGORY,
                                    .storage = (sp_storage)storage };
        sp_dataset a = read_text(text.data, &o);
        double row[2 * FIELDS] = { 0.0 }, ones = 0.0;
        CHECK(a.n == ROWS && a.d == 2 * FIELDS);
        for (size_t i = 1; i < a.n && a.d == 2 * FIELDS; i++) {
            sp_row_of(&a, i, row);
            for (size_t j = 0; j < FIELDS; j++)
                ones += row[2 * j + 1] - row[2 * j];
        }
        CHECK_NEAR(ones, (ROWS - 1) * FIELDS, 0.0);
        sp_dataset_free(&a);
    }
    sp_text_free(&text);
}

/* Room for one record with one number, and then for as many as come; a record that is left out leaves nothing. */
static void test_room(void)
{
    enum { N = 3000, EACH = 7 };
    sp_collected c;
    sp_dataset a;
    CHECK_EQUAL(sp_collect_start(&c, 0, 0, NULL), SP_OK);
    for (size_t i = 0; i < N + 500; i++) {
        for (size_t j = 0; j < EACH; j++)
            CHECK_EQUAL(sp_collect(&c, j, (double)(i % 5 * j)), SP_OK);
        CHECK_EQUAL(sp_collect_end(&c, (double)i, i % 7 != 3), SP_OK);
    }
    CHECK_EQUAL(c.n, N);
    CHECK(c.entries <= c.entry_room && c.n <= c.record_room);
    CHECK_EQUAL(sp_collected_dataset(&c, SP_STORE_DENSE, EACH, &a, NULL), SP_OK);
    size_t wrong = a.n != N;
    for (size_t k = 0, i = 0; i < N + 500 && k < a.n; i++)
        if (i % 7 != 3) {
            for (size_t j = 0; j < EACH; j++)
                wrong += a.X[k * a.stride + j] != (double)(i % 5 * j);
            wrong += a.y[k++] != (double)i;
        }
    CHECK_EQUAL(wrong, 0);
    sp_dataset_free(&a);
}

/* Columns within bounds that are given: clipped, then from 0 to 1. */
static void test_bounds(void)
{
    const sp_read_options o = { .format = SP_FORMAT_CSV, .header = true, .missing = SP_MISSING_CATEGORY,
                                .bounds = "a:18:90,\"b:,:-1:3\",3:0:0.5" };
    /* a, b, b is missing, c, d */
    const double X[] = { 0.0, 0.5, 0, 1, 7,
                         0.5, 0.0, 1, 1, 7,
                         1.0, 1.0, 0, 0, 7 };
    check_text("a,\"b:,\",c,d,y\n2.5,1,0.75,7,1\n54,,0.5,7,0\n91,1e300,-1,7,1\n", o, 3, 5, X,
               (double[]){ 1.0, -1.0, 1.0 });
}

/* RFC 4180: delimiters, line ends and doubled quotes within quotes. */
static void test_quotes(void)
{
    const sp_read_options o = { .format = SP_FORMAT_CSV, .header = true, .label = "a \"label\"",
                                .positive = "x\ny", .categorical = "\"b,b\"" };
    const double X[] = { 0, 1, 1.5, 1, 0, 2.5 };
    const double y[] = { 1.0, -1.0 };
    check_text("\"b,b\",c,\"a \"\"label\"\"\"\n"
               "\"\"\"q\"\", \"\"\",1.5,\"x\ny\"\n\"\"\"\",\"2.5\",\"\n\n\"\n", o, 2, 3, X, y);
    check_text("\xef\xbb\xbf\"b,b\",c,\"a \"\"label\"\"\"\r\n"
               "\"\"\"q\"\", \"\"\",1.5,\"x\ny\"\r\n\"\"\"\",\"2.5\",\"\r\n\"", o, 2, 3,
               X, y); /* a byte order mark, CR LF */
    check_text("\xef\xbb\xbf" "1 1:2.385\n-1 1:3\n", (sp_read_options){ 0 }, 2, 1, (double[]){ 2.385, 3 }, y);
}

/* Several texts are one: words and counts go on. */
static void test_sources(void)
{
    const char *part[] = { "x,c,l\n1,red,1\n2,blue,0\n", "x,c,l\n3,green,1\n0,red,0" };
    const sp_source source[] = { { "one", part[0], strlen(part[0]) }, { "two", part[1], strlen(part[1]) } };
    sp_read_options o = { .format = SP_FORMAT_CSV, .header = true, .label = "-1" };
    const double X[] = { 1, 0, 0, 1, 2, 1, 0, 0, 3, 0, 1, 0, 0, 0, 0, 1 };
    sp_dataset a;
    CHECK_EQUAL(sp_read_dataset(source, 2, &o, &a, NULL), SP_OK);
    check_dataset(&a, 4, 4, X, (double[]){ 1.0, -1.0, 1.0, -1.0 });
    sp_dataset_free(&a);

    const char *text[] = { "2 1:0.5\n", "1 3:2.385\n2 1:1\n" };
    const sp_source libsvm[] = { { "one", text[0], strlen(text[0]) }, { "two", text[1], strlen(text[1]) } };
    CHECK_EQUAL(sp_read_dataset(libsvm, 2, &(sp_read_options){ 0 }, &a, NULL), SP_OK);
    check_dataset(&a, 3, 3, (double[]){ 0.5, 0, 0, 0, 0, 2.385, 1, 0, 0 }, (double[]){ 1.0, -1.0, 1.0 });
    sp_dataset_free(&a);
}

static void test_options_text(void)
{
    const sp_read_options base = { .format = SP_FORMAT_CSV };
    enum { OTHERS = 20 };
    sp_read_options other[OTHERS];
    for (size_t i = 0; i < OTHERS; i++)
        other[i] = base;
    other[0].format = SP_FORMAT_IDX, other[1].storage = SP_STORE_SPARSE, other[2].d = 3, other[3].delimiter = ';';
    other[4].header = true, other[5].omit = "x", other[6].label = "x", other[7].categorical = "x";
    other[8].labels = "x", other[9].positive = "x", other[10].negative = "x", other[11].regression = true;
    other[12].missing = SP_MISSING_DROP, other[13].bounds = "x", other[14].choose_storage = true;
    other[15].zero_based = true, other[16].comment = '#', other[17].decimal_comma = true, other[18].index = "x";
    other[19].missing_words = "x";
    char *text[OTHERS + 1] = { sp_read_options_text(&base) };
    for (size_t i = 0; i < OTHERS; i++)
        text[i + 1] = sp_read_options_text(&other[i]);
    for (size_t i = 0; i <= OTHERS; i++)
        for (size_t k = 0; k < i; k++)
            SP_CHECK_REPORT(strcmp(text[i], text[k]) != 0, "options %zu and %zu: \"%s\"", k, i, text[i]);
    char *again = sp_read_options_text(&base);
    CHECK_TEXT(again, text[0]);
    free(again);
    for (size_t i = 0; i <= OTHERS; i++)
        free(text[i]);
}

/* --- IDX ----------------------------------------------------------------------------------------------------- */

static const char images[] = { 0, 0, 8, 3, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 3, /* 4 images of 1 x 3 */
                               0, (char)255, 51, 17, 0, 0, 1, 2, 3, 0, 0, 0 };
static const char labels[] = { 0, 0, 8, 1, 0, 0, 0, 4, 3, 8, 5, 3 };

static void test_idx(void)
{
    const sp_source source[] = { { "images", images, sizeof images }, { "labels", labels, sizeof labels } };
    const double X[] = { 0, 1, 0.2, 17 / 255.0, 0, 0, 1 / 255.0, 2 / 255.0, 3 / 255.0, 0, 0, 0 };
    const sp_storage kinds[] = { SP_STORE_DENSE, SP_STORE_SPARSE };
    sp_dataset a = { 0 };
    for (size_t k = 0; k < 2; k++) {
        sp_read_options o = { .format = SP_FORMAT_IDX, .storage = kinds[k] };
        CHECK_EQUAL(sp_read_dataset(source, 2, &o, &a, NULL), SP_OK);
        check_dataset(&a, 4, 3, X, (double[]){ 3.0, 8.0, 5.0, 3.0 });
        sp_dataset_free(&a);
        o.positive = "8", o.negative = "3";
        CHECK_EQUAL(sp_read_dataset(source, 2, &o, &a, NULL), SP_OK);
        check_dataset(&a, 3, 3, (double[]){ 0, 1, 0.2, 17 / 255.0, 0, 0, 0, 0, 0 }, (double[]){ -1.0, 1.0, -1.0 });
        sp_dataset_free(&a);
        o.negative = NULL;
        CHECK_EQUAL(sp_read_dataset(source, 2, &o, &a, NULL), SP_OK);
        check_dataset(&a, 4, 3, X, (double[]){ -1.0, 1.0, -1.0, -1.0 });
        sp_dataset_free(&a);
    }
    const sp_source twice[] = { source[0], source[1], source[0], source[1] };
    const sp_read_options five = { .format = SP_FORMAT_IDX, .positive = "5" };
    CHECK_EQUAL(sp_read_dataset(twice, 4, &five, &a, NULL), SP_OK);
    CHECK(a.n == 8 && a.y[6] == 1.0 && a.y[5] == -1.0 && a.norm[6] == a.norm[2]);
    sp_dataset_free(&a);

    write_bytes("some-images", images, sizeof images);
    const char *name = "labels", *bytes = labels;
    pack("some-labels.gz", archive_write_set_format_raw, archive_write_add_filter_gzip, 1, &name, &bytes,
         &(size_t){ sizeof labels });
    const sp_read_options o = { .format = SP_FORMAT_IDX, .labels = "some-labels.gz", .positive = "3", .negative = "5" };
    for (int round = 0; round < 2; round++) { /* read, then from the cache */
        CHECK_EQUAL(open_own_file("some-images", &o, &a, NULL), SP_OK);
        check_dataset(&a, 3, 3, (double[]){ 0, 1, 0.2, 1 / 255.0, 2 / 255.0, 3 / 255.0, 0, 0, 0 },
                      (double[]){ 1.0, -1.0, 1.0 });
        sp_dataset_free(&a);
    }

    sp_read_options plain = o; /* the labels' bytes count, not where they are */
    char other[sizeof labels], first[SP_HASH_HEX], again[SP_HASH_HEX];
    plain.labels = "here";
    write_bytes("here", labels, sizeof labels);
    write_bytes("there", labels, sizeof labels);
    CHECK_EQUAL(open_own_file("some-images", &plain, &a, NULL), SP_OK);
    records_content(&a, first);
    sp_dataset_free(&a);
    const size_t kept = count_files("cache/binary/*");
    plain.labels = "there";
    CHECK_EQUAL(open_own_file("some-images", &plain, &a, NULL), SP_OK);
    records_content(&a, again);
    CHECK_TEXT(again, first);
    sp_dataset_free(&a);
    CHECK_EQUAL(count_files("cache/binary/*"), kept);
    memcpy(other, labels, sizeof other);
    other[8] = 5;
    write_bytes("there", other, sizeof other);
    CHECK_EQUAL(open_own_file("some-images", &plain, &a, NULL), SP_OK);
    CHECK(a.n == 3 && a.y[0] == -1.0);
    sp_dataset_free(&a);
}

static void test_fann(void)
{
    const double X[] = { 0.0, 1.0, 0.25, 1.0, 0.0, -0.5 };
    const sp_read_options two = { .format = SP_FORMAT_FANN, .positive = "1" }, one = { .format = SP_FORMAT_FANN };
    check_text("2 3 2\n0 1 0.25 \n0 1 \n1 0 -.5\n1 0\n", two, 2, 3, X, (double[]){ 1.0, -1.0 });
    check_text("2 3 2\n0 1 0.25 \n0.2 0.9 \n1 0 -.5\n0.7 -0.1\n", two, 2, 3, X, (double[]){ 1.0, -1.0 });
    check_text("2 3 1\n0 1 0.25\n0.125\n1 0 -.5\n8\n", one, 2, 3, X, (double[]){ -1.0, 1.0 });
    const sp_read_options kept = { .format = SP_FORMAT_FANN, .regression = true };
    check_text("2 3 1\n0 1 0.25\n0.125\n1 0 -.5\n8\n", kept, 2, 3, X, (double[]){ 0.125, 8.0 });
    check_text("2 3 1\r\n0 1 0.25\r\n0\r\n1 0 -.5\r\n1", two, 2, 3, X, (double[]){ -1.0, 1.0 });
}

/* Random sparse records written with 17 digits come back to the bit. */
static void test_round_trip(gsl_rng *stream)
{
    enum { N = 60, D = 23 };
    double X[N * D] = { 0.0 }, y[N];
    sp_text text = { 0 };
    for (size_t i = 0; i < N; i++) {
        y[i] = gsl_ran_gaussian(stream, 3.0);
        sp_text_append(&text, "%.17g", y[i]);
        for (size_t j = 0; j < D; j++)
            if (j == D - 1 || gsl_rng_uniform(stream) < 0.4) {
                const int exponent = (int)gsl_rng_uniform_int(stream, 60) - 30;
                X[i * D + j] = gsl_ran_gaussian(stream, 1.0) * gsl_pow_int(10.0, exponent);
                sp_text_append(&text, " %zu:%.17g", j + 1, X[i * D + j]);
            }
        sp_text_append(&text, "\n");
    }
    check_text(text.data, (sp_read_options){ 0 }, N, D, X, y);
    sp_text_free(&text);
}

/* Record i has feature j + 1 unless 5 divides i + j; what it is worth tells it from all others. */
static size_t worth(size_t i, size_t j)
{
    return (i + j) % 5 == 0 ? 0 : 20 * i + j + 1;
}

/* So many records that their memory changes hands piece by piece. */
static void test_many(void)
{
    enum { N = 60000, D = 19 };
    sp_text text = { 0 };
    for (size_t i = 0; i < N; i++) {
        sp_text_append(&text, "%d", i % 3 ? 1 : -1);
        for (size_t j = 0; j < D; j++)
            if (worth(i, j) != 0)
                sp_text_append(&text, " %zu:%zu", j + 1, worth(i, j));
        sp_text_append(&text, "\n");
    }
    for (int storage = SP_STORE_DENSE; storage <= SP_STORE_SPARSE; storage++) {
        sp_dataset a;
        const sp_source source = { "many", text.data, text.length };
        const sp_read_options o = { .storage = (sp_storage)storage };
        CHECK_EQUAL(sp_read_dataset(&source, 1, &o, &a, NULL), SP_OK);
        CHECK(a.n == N && a.d == D);
        size_t wrong = 0;
        double row[D];
        for (size_t i = 0; i < a.n; i++) {
            sp_row_of(&a, i, row);
            wrong += a.y[i] != (i % 3 ? 1.0 : -1.0);
            for (size_t j = 0; j < D; j++)
                wrong += row[j] != (double)worth(i, j);
        }
        CHECK_EQUAL(wrong, 0);
        sp_dataset_free(&a);
    }
    sp_text_free(&text);
}

/* Numbers do not depend on the locale, if this machine has one with a comma. */
static void test_locale(void)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        puts("no German locale here: not tried");
    const double X[] = { 1.234567890123456789012 }, y[] = { 2.5 };
    check_text("2.5 1:1.234567890123456789012\n", (sp_read_options){ 0 }, 1, 1, X, y);
    setlocale(LC_ALL, "C");
}

/* --- files --------------------------------------------------------------------------------------------------- */

static const char content[] = "1 1:2.385\n-1 1:0.5\n";

static void check_file(const char *path, const char *member, const char *expected)
{
    sp_content c = { 0 };
    sp_error error = { 0 };
    const sp_status status = sp_content_read(path, member, 0, &c, &error);
    SP_CHECK_REPORT(status == SP_OK, "%s", error.text);
    CHECK_EQUAL(c.size, strlen(expected));
    CHECK(c.size == strlen(expected) && (c.size == 0 || memcmp(c.bytes, expected, c.size) == 0));
    CHECK((c.block == NULL) == (strcmp(path, "plain") == 0 || strcmp(path, "nothing") == 0)); /* plain: not copied */
    sp_content_free(&c);
}

static void check_empty(const char *path)
{
    sp_content c = { 0 };
    CHECK_EQUAL(sp_content_read(path, NULL, 0, &c, NULL), SP_OK);
    CHECK_EQUAL(c.size, 0);
    sp_content_free(&c);
}

static void test_compressed(void)
{
    const struct { const char *path; chooser filter; } kinds[] = {
        { "plain", archive_write_add_filter_none }, { "f.gz", archive_write_add_filter_gzip },
        { "f.bz2", archive_write_add_filter_bzip2 }, { "f.xz", archive_write_add_filter_xz },
        { "f.zst", archive_write_add_filter_zstd }, { "misnamed.txt", archive_write_add_filter_xz },
    };
    const char *names[] = { "f" }, *bytes[] = { content };
    const size_t sizes[] = { strlen(content) };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        pack(kinds[i].path, archive_write_set_format_raw, kinds[i].filter, 1, names, bytes, sizes);
        check_file(kinds[i].path, NULL, content);
    }
    write_text("nothing", "");
    check_file("nothing", NULL, "");
    const size_t none = 0;
    pack("nothing.gz", archive_write_set_format_raw, archive_write_add_filter_gzip, 1, names, bytes, &none);
    check_empty("nothing.gz");
}

static void test_large(void)
{
    const size_t size = 1000003; /* many times the buffer */
    char *text = malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)('a' + i * i % 23);
    text[size] = '\0';
    pack("large.gz", archive_write_set_format_raw, archive_write_add_filter_gzip, 1, (const char *[]){ "f" },
         (const char *[]){ text }, &size);
    check_file("large.gz", NULL, text);
    free(text);
}

static void test_archives(void)
{
    const char *names[] = { "./usr/share/not.train", "./usr/share/x.train", "./usr/lib/x.train" };
    const char *bytes[] = { "wrong", content, "later" };
    const size_t sizes[] = { 5, strlen(content), 5 };
    pack("a.tar.xz", archive_write_set_format_ustar, archive_write_add_filter_xz, 3, names, bytes, sizes);
    pack("a.zip", archive_write_set_format_zip, archive_write_add_filter_none, 3, names, bytes, sizes);
    sp_content c = { 0 };
    CHECK_EQUAL(sp_content_read("a.tar.xz", NULL, 0, &c, NULL), SP_OK); /* the tar itself */
    CHECK(c.size > 1000);
    sp_content_free(&c);
    CHECK_EQUAL(sp_content_load("a.tar.xz", 0, &c, NULL), SP_OK); /* the file itself */
    const char *deb_names[] = { "debian-binary", "data.tar.xz" }, *deb_bytes[] = { "2.0\n", c.bytes };
    pack("a.deb", archive_write_set_format_ar_svr4, archive_write_add_filter_none, 2, deb_names, deb_bytes,
         (size_t[]){ 4, c.size });
    sp_content_free(&c);

    const char *paths[] = { "a.tar.xz", "a.zip", "a.deb" };
    for (size_t i = 0; i < 3; i++) {
        check_file(paths[i], "x.train", content); /* the first; whole path components */
        check_file(paths[i], "usr/share/x.train", content);
        check_file(paths[i], "usr/lib/x.train", "later");
        sp_error error = { 0 };
        CHECK_EQUAL(sp_content_read(paths[i], "train", 0, &c, &error), SP_EDATA);
        CHECK_CONTAINS(error.text, paths[i]);
        CHECK_CONTAINS(error.text, "no member train");
        CHECK(c.bytes == NULL && c.block == NULL && c.size == 0);
    }
}

/* What was read stays as it was, whatever becomes of the file. */
static void test_content_is_ours(void)
{
    enum { SIZE = 100000 };
    char *bytes = malloc(SIZE);
    sp_content c = { 0 };
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (char)(i * 2385 >> 3);
    write_bytes("ours", bytes, SIZE);
    CHECK_EQUAL(sp_content_load("ours", 0, &c, NULL), SP_OK);
    write_bytes("ours", "other", 5);
    CHECK(c.size == SIZE && memcmp(c.bytes, bytes, SIZE) == 0);
    sp_content_free(&c);
    free(bytes);
}

/* A file that another program cuts short and restores, over and over: its records as they were at one time, or an error
 * that names it, never a signal. */
static void test_cut_meanwhile(void)
{
    enum { RECORDS = 200000, ROUNDS = 20 };
    static const char line[] = "1 1:0.5 2:0.25 3:0.125\n";
    const size_t length = sizeof line - 1, size = RECORDS * length;
    char *text = malloc(size);
    for (size_t i = 0; i < RECORDS; i++)
        memcpy(text + i * length, line, length);
    write_text("in_the_way", "");
    write_bytes("cut.txt", text, size);
    CHECK_EQUAL(setenv("STILLPOINT_CACHE", "in_the_way/cache", 1), 0); /* always from the text */
    const pid_t child = fork();
    if (child == 0) {
        const int file = open("cut.txt", O_WRONLY);
        alarm(60); /* should its parent die first */
        while (ftruncate(file, (off_t)(size / 2)) == 0 &&
               pwrite(file, text + size / 2, size - size / 2, (off_t)(size / 2)) > 0)
            ;
        _exit(1);
    }
    for (int round = 0; round < ROUNDS; round++) {
        sp_dataset dataset;
        sp_error error = { 0 };
        const sp_status status = open_own_file("cut.txt", &(sp_read_options){ .d = 3 }, &dataset, &error);
        CHECK(status == SP_OK || status == SP_EIO || status == SP_EHASH || status == SP_EDATA);
        if (status == SP_OK)
            CHECK(dataset.n >= RECORDS / 2 && dataset.n <= RECORDS);
        else
            CHECK_CONTAINS(error.text, "cut.txt");
        sp_dataset_free(&dataset);
    }
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    CHECK_EQUAL(setenv("STILLPOINT_CACHE", "cache", 1), 0);
    free(text);
}

/* Every byte of every file counts, and nothing else: neither the size nor the time stamp. */
static void test_fingerprint(void)
{
    sp_read_options o = { .format = SP_FORMAT_IDX, .labels = "labels" };
    char first[SP_HASH_HEX], other[SP_HASH_HEX];
    write_text("images", "some images");
    write_text("labels", "some labels");
    CHECK_EQUAL(sp_data_file_fingerprint("images", &o, first, NULL), SP_OK);
    CHECK_EQUAL(strlen(first), SP_HASH_HEX - 1);
    const struct { const char *path, *text; } change[] = {
        { "images", "some imageS" }, { "images", "some images" }, { "labels", "some labelS" },
        { "labels", "some label" }, { "labels", "some labels" }, { "labels", "" },
    };
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        const bool as_before = i == 1 || i == 4;
        struct stat about;
        CHECK_EQUAL(stat(change[i].path, &about), 0);
        write_text(change[i].path, change[i].text);
        CHECK_EQUAL(utimensat(AT_FDCWD, change[i].path, (struct timespec[]){ about.st_atim, about.st_mtim }, 0), 0);
        CHECK_EQUAL(sp_data_file_fingerprint("images", &o, other, NULL), SP_OK);
        CHECK_EQUAL(strcmp(other, first) == 0, as_before);
    }
    write_text("images", "some imagessome"); /* what lies in which file */
    write_text("labels", " labels");
    CHECK_EQUAL(sp_data_file_fingerprint("images", &o, other, NULL), SP_OK);
    CHECK(strcmp(other, first) != 0);
    write_text("copy", "some images");
    write_text("labels", "some labels");
    CHECK_EQUAL(sp_data_file_fingerprint("copy", &o, other, NULL), SP_OK);
    CHECK_TEXT(other, first);
    o.labels = NULL;
    CHECK_EQUAL(sp_data_file_fingerprint("copy", &o, other, NULL), SP_OK);
    CHECK(strcmp(other, first) != 0);
}

int main(void)
{
    char folder[64];
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(2385, "reader", 0, SP_STREAM_DATA));
    if (!stream || enter_folder(folder) != 0)
        return 1;
    test_numbers(stream);
    test_pieces();
    test_libsvm();
    test_libsvm_spellings();
    test_arff();
    test_csv_spellings();
    test_many_columns();
    test_far_apart();
    test_labels();
    test_csv();
    test_categories();
    test_missing();
    test_empty_fields();
    test_room();
    test_bounds();
    test_quotes();
    test_sources();
    test_options_text();
    test_fann();
    test_idx();
    test_round_trip(stream);
    test_many();
    test_locale();
    test_compressed();
    test_large();
    test_archives();
    test_content_is_ours();
    test_cut_meanwhile();
    test_fingerprint();
    gsl_rng_free(stream);
    leave_folder(folder);
    return sp_check_done();
}
