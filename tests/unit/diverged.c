/* diverged.c -- core/run/diverged.h on records on a line, where each code is known by hand. */
#include "core/run/diverged.h"
#include "tests/check.h"
#include "tests/private_problem.h"

extern const sp_loss sp_loss_sigmoid;

/* The code at w of `n` records x = 1, the first `against` of which have the label -1; the start is 0. */
static sp_divergence code(const sp_loss *loss, size_t n, size_t against, double w)
{
    private_problem p;
    double *X = NULL, *y = NULL;
    sp_divergence found = SP_DIVERGENCES;
    private_problem_new(&p, n, 1, &X, &y);
    for (size_t i = 0; i < n; i++) {
        X[i * p.data.stride] = 1.0;
        y[i] = i < against ? -1.0 : 1.0;
    }
    private_problem_seal(&p, loss, 0.0);
    sp_workspace *workspace = sp_workspace_new(&p.problem);
    CHECK(workspace != NULL);
    CHECK_EQUAL(sp_divergence_of(&p.problem, workspace, &w, &found), SP_OK);
    sp_workspace_free(workspace);
    private_problem_free(&p);
    return found;
}

/* F(0) = gap = 1/2, |phi'| <= 1/4, |phi''| <= 1 / (6 sqrt 3): beyond 1000 sqrt(6 sqrt 3) = 3224 a point is far. */
static void test_sigmoid(void)
{
    static const struct { size_t n, against; double w; sp_divergence code; } cases[] = {
        { 23, 0, 0.0, SP_NOT_DIVERGED },    /* the start */
        { 23, 0, 31.0, SP_NOT_DIVERGED },   /* all records fitted */
        { 23, 0, -31.0, SP_ABOVE_START },   /* F = 1, and no slope is left */
        { 23, 0, -1.5, SP_NOT_DIVERGED },   /* F is above the start, and the gradient points back */
        { 23, 14, 31.0, SP_ABOVE_START },   /* F = 14/23 */
        { 23, 0, -3200.0, SP_ABOVE_START },
        { 23, 0, -3250.0, SP_FAR },
        { 23, 7, 31.0, SP_SATURATED },      /* F = 7/23 fell by less than half of the gap */
        { 23, 7, 1.5, SP_NOT_DIVERGED },    /* these seven still pull */
        { 23, 5, 31.0, SP_NOT_DIVERGED },   /* F = 5/23 fell by more than half of the gap */
        { 23, 16, -31.0, SP_SATURATED },    /* the other way round */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        SP_CHECK_REPORT(code(&sp_loss_sigmoid, cases[i].n, cases[i].against, cases[i].w) == cases[i].code, "case %zu",
                        i);
}

/* No link of a convex loss saturates, and its minimum may be far away. */
static void test_logistic(void)
{
    CHECK_EQUAL(code(&sp_loss_logistic, 23, 7, 31.0), SP_NOT_DIVERGED);
    CHECK_EQUAL(code(&sp_loss_logistic, 23, 0, 1e5), SP_NOT_DIVERGED);
    CHECK_EQUAL(code(&sp_loss_logistic, 23, 0, -1e5), SP_FAR);
}

static void test_names(void)
{
    for (int k = 0; k < SP_DIVERGENCES; k++)
        CHECK_EQUAL(sp_divergence_named(sp_divergence_name((sp_divergence)k)), k);
    CHECK_EQUAL(sp_divergence_named("nowhere"), SP_NOT_DIVERGED);
}

int main(void)
{
    test_sigmoid();
    test_logistic();
    test_names();
    return sp_check_done();
}
