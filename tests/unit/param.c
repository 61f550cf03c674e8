/* param.c -- schemas: every kind set, refused, defaulted and printed. */
#include "core/base/param.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { ETA, STEPS, CLIP, FLAT, MODE, LABEL, FIRST, SHARE };

static const sp_param params[] = {
    [ETA] = { "eta", SP_REAL, SP_DERIVED, { 0, HUGE_VAL }, "step size; default 1/beta" },
    [STEPS] = { "steps", SP_COUNT, SP_DERIVED, { 1, 1e9 }, "updates T" },
    [CLIP] = { "clip", SP_REAL, SP_REQUIRED, SP_POSITIVE, "gradient bound" },
    [FLAT] = { "flat", SP_FLAG, 1, { 0 }, "no decay" },
    [MODE] = { "parameters", SP_CHOICE, 2, { 0 }, "where they come from", "theory|capped|balanced" },
    [LABEL] = { "label", SP_TEXT, 0, { 0 }, "a name" },
    [FIRST] = { "first", SP_METHOD, 0, { 0 }, "the warm start" },
    [SHARE] = { "share", SP_REAL, 0.25, { 0.125, 0.875 }, "part of the budget" },
    { 0 },
};

static const char path[] = "algorithms[1]";

static void check_refusal(sp_status status, const sp_error *error, const char *text)
{
    CHECK_EQUAL(status, SP_EINVAL);
    CHECK_EQUAL(error->status, SP_EINVAL);
    CHECK_TEXT(error->text, text);
}

static void test_defaults(void)
{
    sp_values v;
    sp_values_start(&v, params);
    CHECK_EQUAL(v.count, 8);
    for (size_t i = 0; i < v.count; i++)
        CHECK(!sp_given(&v, i));
    CHECK(isnan(sp_real(&v, ETA)));
    CHECK_EQUAL(sp_count(&v, STEPS), 0);
    CHECK(sp_flag(&v, FLAT));
    CHECK_EQUAL(sp_choice(&v, MODE), 2);
    CHECK_TEXT(sp_word(&v, LABEL), "");
    CHECK(sp_submethod(&v, FIRST) == NULL);
    CHECK_NEAR(sp_real(&v, SHARE), 0.25, 0.0);
    sp_values_start(&v, NULL);
    CHECK_EQUAL(v.count, 0);
    CHECK_EQUAL(sp_values_check(&v, path, NULL), SP_OK);
}

static void test_set(void)
{
    sp_values v;
    sp_error error = { 0 };
    const struct sp_method *method = (const struct sp_method *)&v; /* opaque here: any address */
    sp_values_start(&v, params);
    CHECK_EQUAL(sp_values_set_number(&v, path, "eta", 2.385, &error), SP_OK);
    CHECK_EQUAL(sp_values_set_number(&v, path, "steps", 1e9, &error), SP_OK);
    CHECK_EQUAL(sp_values_set_number(&v, path, "share", 0.875, &error), SP_OK);
    CHECK_EQUAL(sp_values_set_flag(&v, path, "flat", false, &error), SP_OK);
    CHECK_EQUAL(sp_values_set_text(&v, path, "parameters", "capped", &error), SP_OK);
    CHECK_EQUAL(sp_values_set_text(&v, path, "label", "blue", &error), SP_OK);
    CHECK_EQUAL(sp_values_set_method(&v, path, "first", method, &error), SP_OK);
    CHECK_NEAR(sp_real(&v, ETA), 2.385, 0.0);
    CHECK_EQUAL(sp_count(&v, STEPS), 1000000000);
    CHECK_NEAR(sp_real(&v, SHARE), 0.875, 0.0);
    CHECK(!sp_flag(&v, FLAT));
    CHECK_EQUAL(sp_choice(&v, MODE), 1);
    CHECK_TEXT(sp_word(&v, LABEL), "blue");
    CHECK(sp_submethod(&v, FIRST) == method);
    for (size_t i = 0; i < v.count; i++)
        CHECK_EQUAL(sp_given(&v, i), i != CLIP);
    check_refusal(sp_values_check(&v, path, &error), &error, "algorithms[1].clip: missing (gradient bound)");
    CHECK_EQUAL(sp_values_set_number(&v, path, "clip", 1.0, &error), SP_OK);
    CHECK_EQUAL(sp_values_check(&v, path, &error), SP_OK);
    sp_values_set_number(&v, path, "eta", 0.5, &error); /* the later one counts */
    CHECK_NEAR(sp_real(&v, ETA), 0.5, 0.0);
    sp_values_set_flag(&v, path, "flat", true, &error);
    CHECK(sp_flag(&v, FLAT));
    sp_values_set_text(&v, path, "parameters", "theory", &error);
    CHECK_EQUAL(sp_choice(&v, MODE), 0);
}

static void test_unknown_keys(void)
{
    sp_values v;
    sp_error error = { 0 };
    sp_values_start(&v, params);
    check_refusal(sp_values_set_number(&v, path, "step", 1, &error), &error,
                  "algorithms[1].step: unknown key; did you mean steps?");
    check_refusal(sp_values_set_text(&v, path, "paramters", "theory", &error), &error,
                  "algorithms[1].paramters: unknown key; did you mean parameters?");
    check_refusal(sp_values_set_flag(&v, path, "momentum", true, &error), &error,
                  "algorithms[1].momentum: unknown key; "
                  "known keys: eta, steps, clip, flat, parameters, label, first, share");
    check_refusal(sp_values_set_method(&v, "", "frist", NULL, &error), &error,
                  "frist: unknown key; did you mean first?");
    sp_values_start(&v, NULL);
    check_refusal(sp_values_set_number(&v, "problem.loss", "lambda", 1, &error), &error,
                  "problem.loss.lambda: unknown key; there are no keys here");
    CHECK_EQUAL(sp_values_set_number(&v, path, "lambda", 1, NULL), SP_EINVAL);
}

static void test_wrong_types(void)
{
    sp_values v;
    sp_error error = { 0 };
    sp_values_start(&v, params);
    check_refusal(sp_values_set_text(&v, path, "eta", "fast", &error), &error,
                  "algorithms[1].eta = \"fast\": must be a number");
    check_refusal(sp_values_set_flag(&v, path, "eta", true, &error), &error,
                  "algorithms[1].eta = true: must be a number");
    check_refusal(sp_values_set_method(&v, path, "eta", NULL, &error), &error,
                  "algorithms[1].eta = an algorithm: must be a number");
    check_refusal(sp_values_set_text(&v, path, "steps", "7", &error), &error,
                  "algorithms[1].steps = \"7\": must be a whole number");
    check_refusal(sp_values_set_number(&v, path, "flat", 1, &error), &error,
                  "algorithms[1].flat = 1: must be true or false");
    check_refusal(sp_values_set_number(&v, path, "parameters", 1, &error), &error,
                  "algorithms[1].parameters = 1: must be one of theory, capped, balanced");
    check_refusal(sp_values_set_number(&v, path, "label", 2.5, &error), &error,
                  "algorithms[1].label = 2.5: must be a text");
    check_refusal(sp_values_set_text(&v, path, "first", "dp_sgd", &error), &error,
                  "algorithms[1].first = \"dp_sgd\": must be an algorithm");
    for (size_t i = 0; i < v.count; i++)
        CHECK(!sp_given(&v, i));
    char text[1001];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    CHECK_EQUAL(sp_values_set_text(&v, path, "eta", text, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "xxx...\": must be a number");
}

static void test_words(void)
{
    static const char *const bad[] = { "", "theor", "theoryx", "capped|balanced", "Theory" };
    sp_values v;
    sp_error error = { 0 };
    sp_values_start(&v, params);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_EQUAL(sp_values_set_text(&v, path, "parameters", bad[i], &error), SP_EINVAL);
        CHECK_CONTAINS(error.text, bad[i]);
        CHECK_CONTAINS(error.text, "must be one of theory, capped, balanced");
    }
    CHECK(!sp_given(&v, MODE));
}

static void test_ranges(void)
{
    sp_values v;
    sp_error error = { 0 };
    sp_values_start(&v, params);
    check_refusal(sp_values_set_number(&v, path, "eta", -1, &error), &error,
                  "algorithms[1].eta = -1: must be at least 0");
    check_refusal(sp_values_set_number(&v, path, "clip", 0, &error), &error,
                  "algorithms[1].clip = 0: must be positive");
    check_refusal(sp_values_set_number(&v, path, "share", 0.9, &error), &error,
                  "algorithms[1].share = 0.9: must be at least 0.125 and at most 0.875");
    check_refusal(sp_values_set_number(&v, path, "share", 0.1, &error), &error,
                  "algorithms[1].share = 0.1: must be at least 0.125 and at most 0.875");
    check_refusal(sp_values_set_number(&v, path, "steps", 0, &error), &error,
                  "algorithms[1].steps = 0: must be at least 1 and at most 1000000000");
    check_refusal(sp_values_set_number(&v, path, "steps", 3.5, &error), &error,
                  "algorithms[1].steps = 3.5: must be a whole number");
    check_refusal(sp_values_set_number(&v, path, "eta", (double)NAN, &error), &error,
                  "algorithms[1].eta = nan: must be a finite number");
    check_refusal(sp_values_set_number(&v, path, "eta", (double)INFINITY, &error), &error,
                  "algorithms[1].eta = inf: must be a finite number");
    check_refusal(sp_values_set_number(&v, path, "steps", -(double)INFINITY, &error), &error,
                  "algorithms[1].steps = -inf: must be a whole number");
    CHECK_EQUAL(sp_values_set_number(&v, path, "share", 0.125, &error), SP_OK); /* closed at both ends */
    CHECK_EQUAL(sp_values_set_number(&v, path, "share", 0.875, &error), SP_OK);
    CHECK_EQUAL(sp_values_set_number(&v, path, "eta", -0.0, &error), SP_OK);
    CHECK(!signbit(sp_real(&v, ETA))); /* one zero, one key */
}

static void test_count_is_exact(void)
{
    static const sp_param open[] = { { "steps", SP_COUNT, 5, { -10, HUGE_VAL }, "no bound of its own" }, { 0 } };
    sp_values v;
    sp_error error = { 0 };
    sp_values_start(&v, open);
    CHECK_EQUAL(sp_count(&v, 0), 5);
    CHECK_EQUAL(sp_values_set_number(&v, "", "steps", 0x1p53 - 1, &error), SP_OK);
    CHECK(sp_count(&v, 0) == ((size_t)1 << 53) - 1);
    check_refusal(sp_values_set_number(&v, NULL, "steps", 0x1p53, &error), &error,
                  "steps = 9007199254740992: must be at least 0 and at most 9007199254740991");
    CHECK_EQUAL(sp_values_set_number(&v, "", "steps", -1, &error), SP_EINVAL);
    CHECK_EQUAL(sp_values_set_number(&v, "", "steps", 0, &error), SP_OK);
}

static void test_print(void)
{
    sp_values v;
    sp_text text = { 0 };
    sp_values_start(&v, params);
    sp_values_print(&v, &text);
    CHECK_EQUAL(text.length, 0); /* defaults are not printed */
    sp_values_set_number(&v, path, "steps", 20, NULL); /* set in another order than the table's */
    sp_values_set_text(&v, path, "parameters", "balanced", NULL); /* given, though it is the default */
    sp_values_set_number(&v, path, "eta", 0.1, NULL);
    sp_values_set_method(&v, path, "first", (const struct sp_method *)&v, NULL);
    sp_values_print(&v, &text);
    CHECK_TEXT(text.data, "eta=0.1,steps=20,parameters=balanced");
    sp_text_free(&text);
    sp_values_set_flag(&v, path, "flat", false, NULL);
    sp_values_set_text(&v, path, "label", "a\",eta=\t2\\", NULL);
    sp_values_print(&v, &text);
    CHECK_TEXT(text.data, "eta=0.1,steps=20,flat=false,parameters=balanced,label=\"a\\\",eta=\\x092\\\\\"");
    sp_text_free(&text);
}

static void check_description(size_t index, const char *expected)
{
    sp_text text = { 0 };
    sp_param_describe(&params[index], &text);
    CHECK_TEXT(text.data, expected);
    sp_text_free(&text);
}

static void test_describe(void)
{
    check_description(ETA, "eta: a number, at least 0; derived; step size; default 1/beta");
    check_description(STEPS, "steps: a whole number, at least 1 and at most 1000000000; derived; updates T");
    check_description(CLIP, "clip: a number, positive; required; gradient bound");
    check_description(FLAT, "flat: true or false; default true; no decay");
    check_description(MODE, "parameters: one of theory, capped, balanced; default balanced; where they come from");
    check_description(LABEL, "label: a text; default \"\"; a name");
    check_description(FIRST, "first: an algorithm; the warm start");
    check_description(SHARE, "share: a number, at least 0.125 and at most 0.875; default 0.25; part of the budget");
}

/* A plan's values end where their schema does; what is copied says the same of each, also which are given. */
static void test_copy(void)
{
    sp_values v, copy;
    sp_values_start(&v, params);
    CHECK_EQUAL(sp_values_set_number(&v, path, "share", 0.385, NULL), SP_OK);
    CHECK_EQUAL(sp_values_set_text(&v, path, "label", "one", NULL), SP_OK);
    const size_t size = offsetof(sp_values, value) + v.count * sizeof *v.value;
    sp_values *shared = malloc(size);
    memcpy(shared, &v, size);
    memset(&copy, 0xff, sizeof copy);
    sp_values_copy(&copy, shared);
    free(shared);
    CHECK_EQUAL(copy.count, 8);
    for (size_t i = 0; i < copy.count; i++)
        CHECK_EQUAL(sp_given(&copy, i), i == SHARE || i == LABEL);
    CHECK(sp_real(&copy, SHARE) == 0.385);
    CHECK_TEXT(sp_word(&copy, LABEL), "one");
    CHECK_EQUAL(sp_choice(&copy, MODE), 2);
}

int main(void)
{
    test_defaults();
    test_copy();
    test_set();
    test_unknown_keys();
    test_wrong_types();
    test_words();
    test_ranges();
    test_count_is_exact();
    test_print();
    test_describe();
    return sp_check_done();
}
