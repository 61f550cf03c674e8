/* text.c -- growing strings, exact numbers, nearest names. */
#include "core/base/text.h"
#include "tests/check.h"

#include <float.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>

static void test_append(void)
{
    sp_text text = { 0 };
    CHECK(text.data == NULL);
    for (int i = 0; i < 1000; i++)
        sp_text_append(&text, "%d,", i);
    CHECK(!text.failed);
    CHECK_EQUAL(text.length, 10 * 2 + 90 * 3 + 900 * 4);
    CHECK_EQUAL(strlen(text.data), text.length);
    CHECK(strncmp(text.data, "0,1,2,", 6) == 0);
    CHECK_TEXT(text.data + text.length - 8, "998,999,");
    sp_text_free(&text);
    CHECK(text.data == NULL && text.length == 0 && text.capacity == 0 && !text.failed);
    sp_text_append(&text, "%s", "");
    CHECK_TEXT(text.data, "");
    sp_text_free(&text);
}

static void test_append_fails_once_for_all(void)
{
    sp_text text = { 0 };
    sp_text_append(&text, "kept");
    sp_text_append(&text, "%ls", L"\u4e2d"); /* not a character of the C locale: printf fails */
    CHECK(text.failed);
    sp_text_append(&text, " lost");
    CHECK_TEXT(text.data, "kept");
    CHECK(text.failed);
    sp_text_free(&text);
}

static void test_add(void)
{
    sp_text text = { 0 };
    sp_text_add_text(&text, "");
    CHECK_TEXT(text.data, "");
    sp_text_add_count(&text, 0);
    sp_text_add_text(&text, " ");
    sp_text_add_count(&text, 1900);
    sp_text_add(&text, " and more", 4);
    sp_text_add_count(&text, SIZE_MAX);
    CHECK_TEXT(text.data, "0 1900 and18446744073709551615");
    CHECK_EQUAL(text.length, strlen(text.data));
    sp_text_free(&text);
}

static void check_number(double value, const char *expected)
{
    char out[SP_NUMBER_SIZE];
    CHECK(sp_number(value, out) == out);
    CHECK(uselocale((locale_t)0) == LC_GLOBAL_LOCALE); /* the thread keeps the program's locale */
    CHECK_TEXT(out, expected);
}

static void test_number(void)
{
    check_number(0.1, "0.1");
    check_number(1e6, "1000000");
    check_number(-42.0, "-42");
    check_number(999999999999999.0, "999999999999999");
    check_number(1e15, "1e+15");
    check_number(2.385, "2.385");
    check_number(1.0 / 3.0, "0.3333333333333333");
    check_number(0.1 + 0.2, "0.30000000000000004"); /* the well-known one */
    check_number(1e-5, "1e-05");
    check_number(0.0, "0");
    check_number(-0.0, "-0");
    check_number((double)NAN, "nan");
    check_number(-(double)NAN, "nan");
    check_number((double)INFINITY, "inf");
    check_number(-(double)INFINITY, "-inf");
    check_number(DBL_MAX, "1.7976931348623157e+308");
    check_number(DBL_MIN, "2.2250738585072014e-308");
    check_number(0x1p-1074, "5e-324"); /* the smallest subnormal */
    check_number(1e-310, "1e-310");
}

/* Reads back exactly, and no shorter decimal does: over bit patterns of every magnitude. */
static void test_number_round_trip(void)
{
    uint64_t bits = 0x9e3779b97f4a7c15u;
    int longer = 0;
    for (int i = 0; i < 20000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        double value = 0.0, back = 0.0;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        char out[SP_NUMBER_SIZE], shorter[SP_NUMBER_SIZE];
        sp_number(value, out);
        CHECK(sp_read_number(out, &back) && memcmp(&back, &value, sizeof value) == 0);
        int digits = 0;
        for (const char *c = out; *c && *c != 'e'; c++)
            digits += digits > 0 ? *c >= '0' && *c <= '9' : *c >= '1' && *c <= '9'; /* significant ones */
        snprintf(shorter, sizeof shorter, "%.*e", digits > 2 ? digits - 2 : 0, value);
        longer += digits > 1 && strtod(shorter, NULL) == value;
    }
    CHECK_EQUAL(longer, 0);
}

/* As printf writes it: the first of 15, 16, 17 digits that read back. */
static bool like_printf(double value)
{
    char out[SP_NUMBER_SIZE], printed[SP_NUMBER_SIZE];
    int digits = 15;
    do
        snprintf(printed, sizeof printed, "%.*g", digits, value);
    while (digits++ < 17 && strtod(printed, NULL) != value);
    if (value == trunc(value) && fabs(value) < 1e15)
        snprintf(printed, sizeof printed, "%.0f", value);
    if (strcmp(sp_number(value, out), printed) == 0)
        return true;
    printf("%a: %s, printf %s\n", value, out, printed);
    return false;
}

/* What most numbers are written by, bit by bit: every power of two and of ten and their neighbours, short decimals, and
 * random bits of every magnitude in between. */
static void test_number_as_printf(void)
{
    uint64_t bits = 0x9e3779b97f4a7c15u;
    size_t other = 0;
    for (int e = -60; e <= 60; e++)
        for (int i = -3; i <= 3; i++) {
            double two = ldexp(1.0, e), ten = pow(10.0, e / 3.0);
            for (int k = 0; k < abs(i); k++) {
                two = nextafter(two, i * HUGE_VAL);
                ten = nextafter(ten, i * HUGE_VAL);
            }
            other += !like_printf(two);
            other += !like_printf(-ten);
        }
    for (int i = 0; i < 200000; i++) {
        double value = 0.0;
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        const uint64_t magnitude = 1023 - 30 + (bits >> 58); /* 2^-30 to 2^33 */
        const uint64_t pattern = (bits & UINT64_C(0x800fffffffffffff)) | magnitude << 52;
        memcpy(&value, &pattern, sizeof value);
        other += !like_printf(value);
        other += !like_printf((double)(bits >> 40) / 1e5); /* 7 digits */
        other += !like_printf((double)(bits >> 10) / 1e19); /* 16 digits, some of which read back */
    }
    CHECK_EQUAL(other, 0);
}

static void test_read_number(void)
{
    static const char *const good[] = { "2.385", "-1e-3", "+7", ".5", "inf", "-inf", "1000000" };
    static const double values[] = { 2.385, -1e-3, 7.0, 0.5, (double)INFINITY, -(double)INFINITY, 1e6 };
    static const char *const bad[] = { "", " 1", "1 ", "1,5", "1.5x", "--1", "e5", "one", "1\n", "0.1.2" };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double value = 0.0;
        CHECK(sp_read_number(good[i], &value));
        CHECK(value == values[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value = 17.5;
        SP_CHECK_REPORT(!sp_read_number(bad[i], &value), "read \"%s\" as %g", bad[i], value);
        CHECK_NEAR(value, 17.5, 0.0);
    }
    double value = 0.0;
    CHECK(sp_read_number("nan", &value) && isnan(value));
}

/* Under a locale with a decimal comma, where the machine has one, or can make one. */
static void test_locale(void)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "sp_test" };
    char folder[] = "/tmp/sp_locale_XXXXXX", command[256];
    const bool made = mkdtemp(folder) != NULL;
    if (made) {
        snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/sp_test >/dev/null 2>&1", folder);
        if (system(command) == 0)
            setenv("LOCPATH", folder, 1);
    }
    bool found = false;
    for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++)
        found = setlocale(LC_ALL, names[i]) && localeconv()->decimal_point[0] == ',';
    if (found) {
        double value = 0.0;
        check_number(2.385, "2.385");
        check_number(1e300, "1e+300");
        CHECK(sp_read_number("2.385", &value));
        CHECK_NEAR(value, 2.385, 0.0);
        CHECK(!sp_read_number("2,385", &value));
        char now[SP_NUMBER_SIZE];
        snprintf(now, sizeof now, "%.3f", 2.385);
        CHECK_TEXT(now, "2,385"); /* the caller's locale is back */
    } else {
        printf("no locale with a decimal comma here: not tested\n");
    }
    setlocale(LC_ALL, "C");
    if (made) {
        snprintf(command, sizeof command, "rm -rf %s", folder);
        CHECK_EQUAL(system(command), 0);
    }
}

static void test_nearest(void)
{
    static const char *const keys[] = { "lambda", "eta", "steps", "noise_multiplier", "epsilon", "clip" };
    enum { COUNT = sizeof keys / sizeof *keys };
    static const char *const typed[] = { "lamda", "epsilom", "espilon", "stpes", "Eta", "LAMBDA", "noise-multiplyer",
                                         "ets", "step", "clipp" };
    static const char *const meant[] = { "lambda", "epsilon", "epsilon", "steps", "eta", "lambda", "noise_multiplier",
                                         "eta", "steps", "clip" };
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        CHECK_TEXT(sp_nearest(typed[i], keys, COUNT), meant[i]);
    CHECK(sp_nearest("momentum", keys, COUNT) == NULL);
    CHECK(sp_nearest("lr", keys, COUNT) == NULL);
    CHECK(sp_nearest("", keys, COUNT) == NULL);
    CHECK(sp_nearest("lamda", keys, 0) == NULL);
    static const char *const letters[] = { "n", "d" };
    CHECK(sp_nearest("m", letters, 2) == NULL);
    static const char *const close[] = { "dp_gd", "dp_sgd" };
    CHECK_TEXT(sp_nearest("dp_sgdd", close, 2), "dp_sgd");
    char longest[200];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    CHECK(sp_nearest(longest, keys, COUNT) == NULL);
    const char *const one[] = { longest };
    CHECK(sp_nearest("lambda", one, 1) == NULL);
}

int main(void)
{
    test_append();
    test_append_fails_once_for_all();
    test_add();
    test_number();
    test_number_round_trip();
    test_number_as_printf();
    test_read_number();
    test_locale();
    test_nearest();
    return sp_check_done();
}
