/* unit/grid.c -- grids of parameters as texts: every combination once, and what is refused. */
#include "core/base/grid.h"
#include "tests/check.h"

enum { STEPS, ETA, RULE, LAST, NAME, INNER };
static const sp_param params[] = {
    [STEPS] = { "steps", SP_COUNT, 7, { 1, 1000 }, "updates" },
    [ETA] = { "eta", SP_REAL, SP_DERIVED, SP_POSITIVE, "step size" },
    [RULE] = { "rule", SP_CHOICE, 0, { 0, 0 }, "which", "first|second|last" },
    [LAST] = { "last", SP_FLAG, 0, { 0, 0 }, "whether" },
    [NAME] = { "name", SP_TEXT, 0, { 0, 0 }, "a text" },
    [INNER] = { "inner", SP_METHOD, 0, { 0, 0 }, "a method" },
    { 0 }
};

static sp_values start(void)
{
    sp_values values;
    sp_values_start(&values, params);
    return values;
}

static void combinations(void)
{
    static const double steps[] = { 5, 10, 200 }, eta[] = { 0.1, 2.385 };
    const char *const grids[] = { "steps=5,10,200 eta=0.1,2.385 rule=second last=true,false",
                                  "  steps=5,1e1,200\teta=.1,2.385   rule=second last=true,false " };
    for (size_t g = 0; g < 2; g++) {
        size_t points = 0;
        sp_values values = start();
        CHECK(sp_grid_check(&values, "here", grids[g], &points, NULL) == SP_OK);
        CHECK_EQUAL(points, 12);
        CHECK(!sp_given(&values, STEPS)); /* a check changes nothing */
        for (size_t k = 0; k < points; k++) {
            sp_values at = start();
            CHECK(sp_grid_set(&at, "here", grids[g], k, NULL) == SP_OK);
            CHECK_EQUAL(sp_count(&at, STEPS), steps[k / 4]);
            CHECK_NEAR(sp_real(&at, ETA), eta[k / 2 % 2], 0.0);
            CHECK(sp_chosen(&at, RULE, "second") && sp_flag(&at, LAST) == (k % 2 == 0));
        }
    }
    size_t points = 0;
    sp_values values = start();
    CHECK(sp_grid_check(&values, "here", "", &points, NULL) == SP_OK && points == 1);
    CHECK(sp_grid_set(&values, "here", "", 0, NULL) == SP_OK && !sp_given(&values, STEPS));
}

static void refusals(void)
{
    char many[4096] = "steps=1", wide[4096] = "eta=1";
    for (int i = 2; i <= 900; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), ",%d", i);
    for (int i = 2; i < 900; i++)
        snprintf(wide + strlen(wide), sizeof wide - strlen(wide), ",%d", i);
    char product[8300], product_more[8320];
    snprintf(product, sizeof product, "%s %s", many, wide);
    snprintf(product_more, sizeof product_more, "%s last=true,false", product);
    const char *const cases[][2] = {
        { "steps", "here.grid: \"steps\" is not KEY=VALUE,VALUE,..." },
        { "=3", "is not KEY=VALUE" },
        { "step=3", "step: unknown key; did you mean steps?" },
        { "steps=0", "steps = 0: must be at least 1 and at most 1000" },
        { "steps=3,4.5", "steps = 4.5: must be a whole number" },
        { "steps=3,", "steps = \"\": must be a whole number" },
        { "steps=3,,4", "steps = \"\": must be a whole number" },
        { "steps=3,4,3", "here.grid: steps = 3 twice" },
        { "steps=3 steps=4", "here.grid: steps is given already, or twice" },
        { "eta=big", "eta = \"big\": must be a number" },
        { "eta=-1", "eta = -1: must be positive" },
        { "rule=third", "rule = \"third\": must be one of first, second, last" },
        { "last=1", "last = 1: must be true or false" },
        { "name=a,b", "name is no number, flag or word, of which a grid has several" },
        { "inner=gd", "inner is no number, flag or word" },
        { "a_key_that_is_longer_than_any_parameter_of_any_method_could_ever_be_called=1", "is not KEY=VALUE" },
        { "rule=a_value_that_is_longer_than_any_word_of_any_choice_could_ever_reasonably_be", "more than 63 letters" },
        { product_more, "here.grid: more than 1000000 points" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sp_error error = { .text = "" };
        const sp_values values = start();
        CHECK_EQUAL(sp_grid_check(&values, "here.grid", cases[i][0], NULL, &error), SP_EINVAL);
        CHECK_CONTAINS(error.text, "here.grid");
        CHECK_CONTAINS(error.text, cases[i][1]);
    }
    size_t points = 0;
    const sp_values values = start();
    CHECK(sp_grid_check(&values, "here", product, &points, NULL) == SP_OK && points == 900 * 899);
    sp_values given = start();
    sp_error error = { .text = "" };
    CHECK(sp_values_set_number(&given, "", "steps", 9, NULL) == SP_OK);
    CHECK_EQUAL(sp_grid_check(&given, "here", "steps=3,4", NULL, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "here: steps is given already, or twice");
}

int main(void)
{
    combinations();
    refusals();
    return sp_check_done();
}
