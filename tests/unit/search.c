/* search.c -- a search on a grid that keeps twelve cells at most, and so goes on depth first nearly from its beginning:
 * the same law of a private choice, the same bound on the minimum, and no refusal that records could bring about.
 *
 * Statistical tests fix their seed; each allows the 1e-6 quantile. */
#define SP_SEARCH_CELLS 12
#include "core/oracle/mechanisms/choose_grid.c" /* stands in for the library's own */

#include "tests/private_problem.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>

enum { N = 20, DIMENSIONS = 2, SIDE = 21, COUNT = SIDE * SIDE + 1, DRAWS = 20000 };

static const double reference[DIMENSIONS] = { 0.1, -0.2 }, extra[DIMENSIONS] = { 0.35, 0.05 }, radius = 1.6;
static const double origin[DIMENSIONS] = { -1.2, -1.3 };

static sp_space grid(void)
{
    return (sp_space){ .kind = SP_SPACE_GRID, .points = extra, .origin = origin, .spacing = 0.11, .side = SIDE,
                       .search = true };
}

/* Candidate i, and F there less F at the reference, by the definition. */
static double loss_of(const private_problem *p, sp_workspace *space, size_t i, double *w)
{
    double sum = 0.0;
    for (size_t j = 0, rest = i; j < DIMENSIONS; j++, rest /= SIDE)
        w[j] = i + 1 == COUNT ? extra[j] : origin[j] + 0.11 * (double)(rest % SIDE);
    const double far = hypot(w[0] - reference[0], w[1] - reference[1]);
    for (size_t j = 0; far > radius && j < DIMENSIONS; j++)
        w[j] = reference[j] + (w[j] - reference[j]) * radius / far;
    for (size_t r = 0; r < N; r++)
        sum += (sp_record_value(&p->problem, space, r, w) - sp_record_value(&p->problem, space, r, reference)) / N;
    return sum;
}

static void law(const private_problem *p, double epsilon)
{
    static double expected[COUNT], seen[COUNT];
    const sp_score score = { .kind = SP_SCORE_LOSS, .reference = reference, .radius = radius };
    const double unit = 4.0 * p->problem.declared.L_data * radius / N / epsilon;
    sp_workspace *space = sp_workspace_new(&p->problem);
    sp_oracle *o = private_oracle(p, private_paper, 91);
    const sp_space searched = grid();
    double total = 0.0, chi2 = 0.0, cells = -1.0, w[DIMENSIONS];
    for (size_t i = 0; i < COUNT; i++) {
        seen[i] = 0.0;
        total += expected[i] = exp(-loss_of(p, space, i, w) / unit);
    }
    for (size_t t = 0; t < DRAWS; t++) {
        size_t index = COUNT;
        OK(o, sp_choose(o, (sp_batch){ 0 }, &searched, &score, SP_CHOOSE_EXPONENTIAL, epsilon, w, &index));
        CHECK(index < COUNT);
        seen[index] += 1.0;
    }
    for (size_t i = 0; i < COUNT;) {
        double got = 0.0, due = 0.0;
        for (; i < COUNT && due < 20.0; i++) {
            got += seen[i];
            due += expected[i] / total * DRAWS;
        }
        chi2 += gsl_pow_2(got - due) / due;
        cells += 1.0;
    }
    CHECK(cells >= 5.0);
    CHECK_LESS_EQUAL(chi2, gsl_cdf_chisq_Qinv(1e-6, cells));
    sp_oracle_free(o);
    sp_workspace_free(space);
}

static void minimum(const private_problem *p)
{
    const sp_score score = { .kind = SP_SCORE_LOSS, .reference = reference, .radius = radius };
    sp_workspace *space = sp_workspace_new(&p->problem);
    sp_oracle *o = private_oracle(p, private_none, 92);
    const sp_space searched = grid();
    double least = INFINITY, w[DIMENSIONS];
    size_t index;
    for (size_t i = 0; i < COUNT; i++)
        least = fmin(least, loss_of(p, space, i, w));
    OK(o, sp_choose(o, (sp_batch){ 0 }, &searched, &score, SP_CHOOSE_EXPONENTIAL, 0.0, w, &index));
    CHECK_LESS_EQUAL(loss_of(p, space, index, w), least + p->problem.certified.L * 0.11 * M_SQRT2 / 2.0);
    sp_oracle_free(o);
    sp_workspace_free(space);
}

int main(void)
{
    private_problem p;
    gsl_set_error_handler_off();
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, DIMENSIONS);
    law(&p, 3.0);
    law(&p, 60.0);
    minimum(&p);
    private_problem_free(&p);
    return sp_check_done();
}
