/* status.c -- names, texts and messages; and the allocators, whose failures are statuses. */
#include "core/base/memory.h"
#include "core/base/status.h"
#include "tests/check.h"

#include <stdint.h>
#include <stdlib.h>

static void test_names(void)
{
    CHECK_EQUAL(SP_OK, 0); /* `if (status)` relies on it */
    CHECK_TEXT(sp_status_name(SP_OK), "SP_OK");
    CHECK_TEXT(sp_status_name(SP_EINVAL), "SP_EINVAL");
    CHECK_TEXT(sp_status_text(SP_EINVAL), "invalid value");
    CHECK_TEXT(sp_status_name(SP_EINTERRUPTED), "SP_EINTERRUPTED");
    CHECK_TEXT(sp_status_text(SP_EINTERRUPTED), "interrupted");
    for (int i = 0; i < SP_STATUS_COUNT; i++)
        for (int j = 0; j < i; j++) {
            CHECK(strcmp(sp_status_name((sp_status)i), sp_status_name((sp_status)j)) != 0);
            CHECK(strcmp(sp_status_text((sp_status)i), sp_status_text((sp_status)j)) != 0);
        }
    CHECK_TEXT(sp_status_name(SP_STATUS_COUNT), "SP_UNKNOWN");
    CHECK_TEXT(sp_status_text(SP_STATUS_COUNT), "unknown status");
}

static void test_messages(void)
{
    sp_error error = { 0 };
    CHECK_EQUAL(sp_fail(&error, SP_EDATA, "value %d is %s", 17, "ragged"), SP_EDATA);
    CHECK_EQUAL(error.status, SP_EDATA);
    CHECK_TEXT(error.text, "value 17 is ragged");
    sp_fail_prefix(&error, "%s:%d", "a9a", 42);
    CHECK_TEXT(error.text, "a9a:42: value 17 is ragged");
    CHECK_EQUAL(error.status, SP_EDATA);
    sp_fail(&error, SP_EIO, "again: %s", error.text); /* arguments may be the old message */
    CHECK_TEXT(error.text, "again: a9a:42: value 17 is ragged");
    sp_fail(&error, SP_EIO, "from a library\n");
    CHECK_TEXT(error.text, "from a library");
    CHECK_EQUAL(sp_fail(NULL, SP_EHASH, "%s", "nobody reads"), SP_EHASH);
    sp_fail_prefix(NULL, "%s", "nobody");
}

static void test_long_messages_are_cut(void)
{
    sp_error error = { 0 };
    char text[2 * sizeof error.text];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    sp_fail(&error, SP_EDATA, "%s", text);
    CHECK_EQUAL(strlen(error.text), sizeof error.text - 1);
    sp_fail_prefix(&error, "line %d", 3);
    CHECK_EQUAL(strlen(error.text), sizeof error.text - 1);
    CHECK(strncmp(error.text, "line 3: xxx", 11) == 0);
    sp_fail_prefix(&error, "%s", text);
    CHECK_EQUAL(strlen(error.text), sizeof error.text - 1);
}

static sp_status tries(sp_status first, int *reached)
{
    sp_status status = SP_OK;
    SP_TRY(first);
    *reached = 1;
cleanup:
    return status;
}

static void test_try(void)
{
    int reached = 0;
    CHECK_EQUAL(tries(SP_EBUDGET, &reached), SP_EBUDGET);
    CHECK(!reached);
    CHECK_EQUAL(tries(SP_OK, &reached), SP_OK);
    CHECK(reached);
}

static void test_allocation(void)
{
    static const size_t counts[] = { 0, 1, 7, 63, 64, 65, 1000 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        unsigned char *bytes = sp_alloc(counts[i], 3);
        CHECK(bytes != NULL);
        CHECK_EQUAL((uintptr_t)bytes % 64, 0);
        int sum = 0;
        for (size_t k = 0; bytes && k < 3 * counts[i]; k++)
            sum |= bytes[k];
        CHECK_EQUAL(sum, 0);
        free(bytes);
    }
    volatile size_t huge = SIZE_MAX; /* volatile: the compiler would see the size and warn */
    CHECK(sp_alloc(huge / 2, 3) == NULL); /* wraps to a small number */
    CHECK(sp_alloc(huge / 4 + 2, 4) == NULL);
    CHECK(sp_alloc(huge, 1) == NULL);
    CHECK(sp_alloc_doubles(huge / 8 + 2) == NULL);
    double *doubles = sp_alloc_doubles(5);
    for (size_t i = 0; i < 5; i++)
        CHECK_NEAR(doubles[i], 0.0, 0.0);
    doubles[4] = 2.385;
    free(doubles);
}

static void test_texts(void)
{
    CHECK(sp_copy_text(NULL) == NULL);
    const char *original = "Welsch";
    char *copy = sp_copy_text(original);
    CHECK(copy != original);
    CHECK_TEXT(copy, "Welsch");
    free(copy);
    char *text = sp_format("%s-%d-%.3f", "run", 7, 2.385);
    CHECK_TEXT(text, "run-7-2.385");
    free(text);
    text = sp_format("%2000d", 1);
    CHECK_EQUAL(strlen(text), 2000);
    free(text);
}

int main(void)
{
    test_names();
    test_messages();
    test_long_messages_are_cut();
    test_try();
    test_allocation();
    test_texts();
    return sp_check_done();
}
