/* warnings.c -- codes of warnings as words, the column `capped`, and both from what e19951b wrote: sentences. */
#include "core/base/old_warnings.h"
#include "core/base/resolved.h"

#include "tests/check.h"

#include <math.h>
#include <string.h>

static void check_words(sp_warning_set set, const char *expected)
{
    sp_text text = { 0 };
    sp_warnings_print(set, &text);
    CHECK_TEXT(text.data ? text.data : "", expected);
    CHECK_EQUAL(sp_warnings_read(expected), set);
    sp_text_free(&text);
}

static void test_words(void)
{
    check_words(0, "");
    check_words(sp_warning_bit(SP_WARNED_UNCERTIFIED), "uncertified");
    check_words(sp_warning_bit(SP_WARNED_UNCERTIFIED_PARAMETERS) | sp_warning_bit(SP_WARNED_METHOD),
                "method uncertified_parameters");
    CHECK_EQUAL(sp_warnings_read("uncertain no_reference"), sp_warning_bit(SP_WARNED_NO_REFERENCE));
    for (int code = 0; code < SP_WARNING_CODES; code++) { /* each has a word of its own */
        sp_text text = { 0 };
        sp_warnings_print(sp_warning_bit((sp_warning)code), &text);
        CHECK(text.length > 0);
        CHECK_EQUAL(sp_warnings_read(text.data ? text.data : ""), sp_warning_bit((sp_warning)code));
        sp_text_free(&text);
    }
}

static void check_caps(const char *resolved, const char *expected)
{
    sp_text text = { 0 };
    sp_resolved_caps(resolved, &text);
    CHECK_TEXT(text.data ? text.data : "", expected);
    sp_text_free(&text);
}

static void test_caps(void)
{
    check_caps("", "");
    check_caps("eta=0.385:theory steps=7:user", "");
    check_caps("eta=0.385:theory_capped first.steps=7:theory_capped:23.5 k=2:balanced", "eta=0.385 first.steps=7:23.5");
}

static void test_old(void)
{
    double bound, at_start;
    const char *two =
        "uncertified: no candidate passed; vacuous parameters: the bound 2.38 is not below 0.5, which holds "
        "at the start; vacuous parameters: the bound 7 is not below 6, which holds at the start";
    sp_old_promise(two, &bound, &at_start);
    CHECK(bound == 2.38 && at_start == 0.5); /* the first */
    CHECK_EQUAL(sp_old_warning_codes(two),
                sp_warning_bit(SP_WARNED_UNCERTIFIED) | sp_warning_bit(SP_WARNED_VACUOUS_BOUND));
    sp_old_promise("the bound is large", &bound, &at_start);
    CHECK(isnan(bound) && isnan(at_start));
    CHECK_EQUAL(sp_old_warning_codes(""), 0);
    CHECK_EQUAL(sp_old_warning_codes("mine alone"), sp_warning_bit(SP_WARNED_METHOD));
}

int main(void)
{
    test_words();
    test_caps();
    test_old();
    return sp_check_done();
}
