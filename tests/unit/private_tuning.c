/* unit/private_tuning.c -- the best of a random number of runs over a grid: which point is reported, whose answer it
 * is, that points are drawn uniformly, and what is refused. */
#include "algorithms/algorithm.h"
#include "core/oracle/oracle_host.h"
#include "core/plan/registry.h"
#include "tests/private_problem.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>

enum { N = 40, D = 3 };

typedef struct run_of {
    sp_oracle *o;
    sp_status status;
    double w[D], grid;
    const sp_oracle *stage;
} run_of;

static sp_method inner;

static sp_values tuning(const char *name, const char *grid)
{
    const sp_algorithm *a = sp_algorithm_find("private_tuning");
    sp_values values;
    inner = (sp_method){ .algorithm = sp_algorithm_find(name) };
    sp_values_start(&inner.values, inner.algorithm->params);
    sp_values_start(&values, a->params);
    CHECK(sp_values_set_method(&values, "", "method", &inner, NULL) == SP_OK);
    CHECK(sp_values_set_text(&values, "", "grid", grid, NULL) == SP_OK);
    return values;
}

static void go(const private_problem *p, sp_privacy privacy, uint64_t seed, const char *name, const sp_values *values,
               run_of *r)
{
    const sp_algorithm *a = sp_algorithm_find(name);
    *r = (run_of){ .o = private_oracle(p, privacy, seed) };
    memcpy(r->w, p->problem.start, sizeof r->w);
    r->status = a->run(r->o, values, r->w);
    r->grid = sp_told(r->o, "grid");
    r->stage = sp_oracle_stage(r->o, 0, &(const char *){ NULL });
}

static void set(sp_values *values, const char *key, double number)
{
    CHECK(sp_values_set_number(values, "", key, number, NULL) == SP_OK);
}

/* Without noise the best of what was tried: 40 steps where they were tried at all, and its answer is theirs to the
 * bit. */
static void best_of_two(const private_problem *p)
{
    size_t longest = 0;
    sp_values gd;
    run_of alone, r;
    sp_values_start(&gd, sp_algorithm_find("dp_gd")->params);
    CHECK(sp_values_set_text(&gd, "", "select", "last", NULL) == SP_OK);
    for (uint64_t seed = 1; seed <= 30; seed++) {
        const sp_values values = tuning("dp_gd", "steps=1,40 select=last");
        go(p, private_silent, seed, "private_tuning", &values, &r);
        CHECK_EQUAL(r.status, SP_OK);
        CHECK(r.grid == 0.0 || r.grid == 1.0);
        CHECK(r.stage && sp_told(r.stage, "steps") == (r.grid == 1.0 ? 40.0 : 1.0));
        set(&gd, "steps", r.grid == 1.0 ? 40.0 : 1.0);
        go(p, private_silent, seed, "dp_gd", &gd, &alone);
        CHECK(memcmp(alone.w, r.w, sizeof r.w) == 0);
        longest += r.grid == 1.0;
        sp_oracle_free(alone.o);
        sp_oracle_free(r.o);
    }
    CHECK(longest > 20 && longest < 30); /* one run alone, of one step, has probability .13 and more */
}

/* Steps of no length leave every score at 0, so that the first run is kept: its point is uniform on the grid. */
static void points_are_uniform(private_problem *p)
{
    enum { TRIALS = 3000, POINTS = 6 };
    double seen[POINTS] = { 0.0 }, chi2 = 0.0;
    for (size_t j = 0; j < D; j++)
        p->problem.start[j] = 1.0;
    for (uint64_t seed = 0; seed < TRIALS; seed++) {
        run_of r;
        sp_values values = tuning("dp_gd", "steps=1,2,3 select=last,average");
        set(&inner.values, "eta", 1e-300);
        set(&values, "tries", 2.0);
        go(p, private_tight, 1000 + seed, "private_tuning", &values, &r);
        CHECK(r.status == SP_OK && r.grid >= 0.0 && r.grid < POINTS);
        seen[(size_t)fmin(r.grid, POINTS - 1)]++;
        sp_oracle_free(r.o);
    }
    for (size_t k = 0; k < POINTS; k++)
        chi2 += gsl_pow_2(seen[k] - TRIALS / (double)POINTS) / (TRIALS / (double)POINTS);
    CHECK_LESS_EQUAL(chi2, gsl_cdf_chisq_Qinv(1e-6, POINTS - 1.0));
}

/* With its noise: within the budget, one entry, by the accountant that has a theorem. */
static void pays(const private_problem *p)
{
    const double tries[] = { 10.0, 100.0 }, shapes[] = { 0.0, 1.0 };
    for (size_t i = 0; i < 4; i++) {
        run_of r;
        sp_values values = tuning("dp_gd", "steps=2,4,8 eta=0.1,1");
        set(&values, "tries", tries[i / 2]);
        set(&values, "shape", shapes[i % 2]);
        go(p, private_tight, 7 + i, "private_tuning", &values, &r);
        const sp_ledger *ledger = sp_oracle_ledger(r.o);
        sp_bounds spent;
        CHECK(r.status == SP_OK && ledger->count == 1);
        CHECK(ledger->entry[0].kind == SP_LEDGER_SELECT && ledger->entry[0].mean == tries[i / 2] &&
              ledger->entry[0].shape == shapes[i % 2] && ledger->entry[0].cap > (size_t)tries[i / 2]);
        CHECK(sp_oracle_spent(r.o, &spent, NULL) == SP_OK && spent.best <= 1.0 + 1e-9);
        CHECK(isnan(spent.epsilon[SP_BOUND_GAUSS]) && isnan(spent.epsilon[SP_BOUND_ZCDP]) &&
              isnan(spent.epsilon[SP_BOUND_PLD]) && spent.bound == SP_BOUND_RDP);
        sp_oracle_free(r.o);
    }
}

static void refusals(const private_problem *p)
{
    const sp_algorithm *a = sp_algorithm_find("private_tuning");
    sp_error error = { .text = "" };
    run_of r;
    sp_values values = tuning("dp_gd", "stesp=1,2");
    CHECK_EQUAL(a->check(&values, "algorithms[2]", &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "algorithms[2].grid.stesp: unknown key; did you mean steps?");
    go(p, private_tight, 1, "private_tuning", &values, &r);
    CHECK_EQUAL(r.status, SP_EINVAL);
    CHECK_CONTAINS(sp_oracle_error(r.o)->text, "grid.stesp: unknown key");
    sp_oracle_free(r.o);

    values = tuning("dp_gd", "steps=1,2");
    set(&inner.values, "steps", 3.0);
    CHECK_EQUAL(a->check(&values, "", &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "grid: steps is given already, or twice");

    /* what every run refuses, this refuses, in its words: subsets, a yardstick without noise, a nested tuning */
    const struct { const char *method, *grid, *says; } cases[] = {
        { "dp_sgd", "batch=5 steps=3 eta=0.1", "sampling has no zCDP" }, { "gd", "steps=3", "gd is not private" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        values = tuning(cases[i].method, cases[i].grid);
        go(p, private_tight, 1, "private_tuning", &values, &r);
        CHECK_EQUAL(r.status, SP_EPRIVACY);
        CHECK_CONTAINS(sp_oracle_error(r.o)->text, cases[i].says);
        sp_oracle_free(r.o);
    }
    static sp_method within;
    const sp_values nested = tuning("dp_gd", "");
    within = (sp_method){ .algorithm = a, .values = nested };
    static sp_method middle;
    middle = inner;
    CHECK(sp_values_set_method(&within.values, "", "method", &middle, NULL) == SP_OK);
    values = tuning("dp_gd", "");
    CHECK(sp_values_set_method(&values, "", "method", &within, NULL) == SP_OK);
    go(p, private_tight, 1, "private_tuning", &values, &r);
    CHECK_EQUAL(r.status, SP_EPRIVACY);
    CHECK_CONTAINS(sp_oracle_error(r.o)->text, "kept in zCDP");
    sp_oracle_free(r.o);
}

int main(void)
{
    private_problem p;
    gsl_set_error_handler_off();
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    best_of_two(&p);
    pays(&p);
    refusals(&p);
    points_are_uniform(&p);
    private_problem_free(&p);
    return sp_check_done();
}
