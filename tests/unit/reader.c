/* reader.c -- exact numbers, the three formats, labels, compressed files and archives. */
#include "core/base/stream.h"
#include "core/data/reader.h"
#include "core/data/scan.h"
#include "tests/check.h"
#include "tests/experiment.h"
#include "tests/pack.h"

#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <locale.h>

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
    };
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        check_number(fixed[i]);
    for (int trial = 0; trial < 40000; trial++) {
        char text[80];
        const int digits = 1 + (int)gsl_rng_uniform_int(stream, 21), point = (int)gsl_rng_uniform_int(stream, 23);
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
        " 1", "1e999", "-1e400", "12a", "1_000",
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

static sp_dataset read_text(const char *text, const sp_read_options *options)
{
    sp_dataset dataset;
    sp_error error = { 0 };
    const sp_status status = sp_read_dataset("text", text, strlen(text), options, &dataset, &error);
    SP_CHECK_REPORT(status == SP_OK, "%s", error.text);
    return dataset;
}

/* Reads `text` and compares with n x d numbers and n labels. */
static void check_text(const char *text, sp_read_options options, size_t n, size_t d, const double *X, const double *y)
{
    sp_dataset a = read_text(text, &options);
    CHECK_EQUAL(a.n, n);
    CHECK_EQUAL(a.d, d);
    for (size_t i = 0; a.n == n && a.d == d && i < n; i++) {
        CHECK_NEAR(a.y[i], y[i], 0.0);
        for (size_t j = 0; j < d; j++)
            CHECK_NEAR(a.X[i * a.stride + j], X[i * d + j], 0.0);
    }
    sp_dataset_free(&a);
}

static void test_libsvm(void)
{
    const double X[] = { 0.25, 0.0, -2.385, 0.0, 7e-3, 0.0, 1.0, 0.0, 0.0 }, y[] = { 1.0, -1.0, -1.0 };
    const sp_read_options o = { .format = SP_FORMAT_LIBSVM };
    check_text("2 1:0.25 3:-2.385\n1 2:7e-3\n1 1:1\n", o, 3, 3, X, y);
    check_text("+2.0 1:.25\t3:-2.385 \r\n1 2:.007\r\n1.0  1:1.", o, 3, 3, X, y); /* CRLF, blanks, no last newline */
    check_text("2 1:0.25 3:-2.385\n1 2:7e-3\n1 1:1\n\n \n", o, 3, 3, X, y);       /* white space at the end */

    const double wide[] = { 1.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0 }, kept[] = { 3.5, 3.5 };
    check_text("3.5 1:1\n3.5 2:0.5\n", (sp_read_options){ .d = 4 }, 2, 4, wide, kept); /* d beyond what is present */
}

static void test_labels(void)
{
    const double X[] = { 1.0, 2.0, 3.0 };
    check_text("0 1:1\n1 1:2\n0 1:3\n", (sp_read_options){ 0 }, 3, 1, X, (double[]){ -1.0, 1.0, -1.0 });
    check_text("0 1:1\n1 1:2\n0 1:3\n", (sp_read_options){ .regression = true }, 3, 1, X, (double[]){ 0.0, 1.0, 0.0 });
    check_text("0 1:1\n1 1:2\n2 1:3\n", (sp_read_options){ 0 }, 3, 1, X, (double[]){ 0.0, 1.0, 2.0 });
    check_text("0 1:1\n1 1:2\n2 1:3\n", (sp_read_options){ .positive = "0" }, 3, 1, X, (double[]){ 1.0, -1.0, -1.0 });
    check_text("2.0 1:1\n+2 1:2\n7 1:3\n", (sp_read_options){ .positive = "2" }, 3, 1, X, (double[]){ 1.0, 1.0, -1.0 });
    sp_dataset a = read_text("-4.5 1:3 2:4\n2.25 1:1\n1 1:1\n", &(sp_read_options){ 0 });
    CHECK_NEAR(a.label_bound, 4.5, 0.0);
    CHECK_NEAR(a.radius, 5.0, 0.0); /* the largest norm */
    sp_dataset_free(&a);
}

static void test_csv(void)
{
    const double X[] = { 1.5, -2.0, 3.25, 4.0 }, y[] = { 1.0, -1.0 };
    sp_read_options o = { .format = SP_FORMAT_CSV, .header = true, .label_column = -1, .positive = "spam" };
    check_text("a,b,type\n1.5,-2,spam\n3.25,4,nonspam\n", o, 2, 2, X, y);
    check_text("a , b,type\r\n 1.5,-2 , spam\r\n3.25,\t4,ham", o, 2, 2, X, y);
    o = (sp_read_options){ .format = SP_FORMAT_CSV, .delimiter = ';', .label_column = 1, .d = 2 };
    check_text("1.5;1;-2\n3.25;0;4\n", o, 2, 2, X, y);
    o.label_column = -2;
    check_text("1.5;1;-2\n3.25;0;4\n", o, 2, 2, X, y);
    o = (sp_read_options){ .format = SP_FORMAT_CSV, .delimiter = '\t', .label_column = 0 };
    check_text("1\t1.5\t-2\n0\t3.25\t4\n", o, 2, 2, X, y);
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
    char *bytes = NULL;
    size_t size = 0;
    sp_error error = { 0 };
    const sp_status status = sp_read_file(path, member, &bytes, &size, &error);
    SP_CHECK_REPORT(status == SP_OK, "%s", error.text);
    CHECK_TEXT(bytes, expected);
    CHECK_EQUAL(size, strlen(expected));
    free(bytes);
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
    char *data = NULL, *end = NULL;
    size_t data_size = 0, unused = 0;
    CHECK_EQUAL(sp_read_file("a.tar.xz", NULL, &end, &unused, NULL), SP_OK); /* the tar itself */
    CHECK(unused > 1000);
    free(end);
    FILE *file = fopen("a.tar.xz", "rb");
    CHECK(file && (data = malloc(100000)) && (data_size = fread(data, 1, 100000, file)) > 0 && fclose(file) == 0);
    const char *deb_names[] = { "debian-binary", "data.tar.xz" }, *deb_bytes[] = { "2.0\n", data };
    pack("a.deb", archive_write_set_format_ar_svr4, archive_write_add_filter_none, 2, deb_names, deb_bytes,
         (size_t[]){ 4, data_size });
    free(data);

    const char *paths[] = { "a.tar.xz", "a.zip", "a.deb" };
    for (size_t i = 0; i < 3; i++) {
        check_file(paths[i], "x.train", content); /* the first; whole path components */
        check_file(paths[i], "usr/share/x.train", content);
        check_file(paths[i], "usr/lib/x.train", "later");
        char *none = NULL;
        sp_error error = { 0 };
        CHECK_EQUAL(sp_read_file(paths[i], "train", &none, &unused, &error), SP_EDATA);
        CHECK_CONTAINS(error.text, paths[i]);
        CHECK_CONTAINS(error.text, "no member train");
        CHECK(none == NULL);
    }
}

int main(void)
{
    char folder[64];
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(2385, "reader", 0, SP_STREAM_DATA));
    if (!stream || enter_folder(folder) != 0)
        return 1;
    test_numbers(stream);
    test_libsvm();
    test_labels();
    test_csv();
    test_fann();
    test_round_trip(stream);
    test_locale();
    test_compressed();
    test_large();
    test_archives();
    gsl_rng_free(stream);
    leave_folder(folder);
    return sp_check_done();
}
