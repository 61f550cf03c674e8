/* unit/dp_newton.c -- what the head of dp_newton.c says: without noise every step lowers F by half of what its model
 * promises, the budget is divided as printed, and k follows from the released trace. */
#include "algorithms/algorithm.h"
#include "core/oracle/replay.h"
#include "core/plan/registry.h"
#include "tests/private_problem.h"

#include <gsl/gsl_math.h>

extern const sp_loss sp_loss_welsch;

enum { N = 40, D = 4, STEPS = 6 };

typedef struct run_of {
    double path[STEPS + 1][D], ridge;
    sp_transcript *transcript;
    sp_oracle *o;
} run_of;

static sp_status keep(void *context, size_t step, const double *w)
{
    run_of *r = context;
    memcpy(r->path[step], w, D * sizeof *w);
    return SP_OK;
}

/* key = NULL: none is set */
static void go(const private_problem *p, sp_privacy privacy, const char *key, double number, run_of *r)
{
    const sp_algorithm *a = sp_algorithm_find("dp_newton");
    sp_values values;
    sp_error error = { .text = "" };
    double w[D];
    *r = (run_of){ .transcript = sp_transcript_new() };
    sp_transcript_record(r->transcript);
    sp_oracle_options options = private_options(p, privacy, 11);
    options.checkpoint = keep;
    options.context = r;
    options.transcript = r->transcript;
    CHECK(sp_oracle_new(&options, &r->o, &error) == SP_OK);
    sp_values_start(&values, a->params);
    CHECK(sp_values_set_number(&values, "", "steps", STEPS, &error) == SP_OK);
    if (key)
        CHECK(sp_values_set_number(&values, "", key, number, &error) == SP_OK);
    memcpy(w, p->problem.start, sizeof w);
    memcpy(r->path[0], w, sizeof w);
    OK(r->o, a->run(r->o, &values, w));
    CHECK(memcmp(w, r->path[STEPS], sizeof w) == 0);
    r->ridge = sp_told(r->o, "ridge");
}

static void finish(run_of *r)
{
    sp_oracle_free(r->o);
    sp_transcript_free(r->transcript);
}

static void falls(void)
{
    const sp_loss *const losses[] = { &sp_loss_logistic, &sp_loss_welsch };
    for (size_t l = 0; l < 2; l++)
        for (int regularised = 0; regularised < 2; regularised++) {
            private_problem p;
            run_of r;
            private_problem_random(&p, losses[l], regularised ? 0.2 : 0.0, N, D);
            for (size_t j = 0; j < D; j++)
                p.problem.start[j] = 2.0 - (double)j;
            go(&p, private_silent, "ridge", 0.013, &r);
            sp_workspace *space = sp_workspace_new(&p.problem);
            for (size_t t = 0; t < STEPS; t++) {
                double g[D], promise = 0.0;
                sp_problem_gradient(&p.problem, space, r.path[t], g);
                for (size_t j = 0; j < D; j++)
                    promise += g[j] * (r.path[t][j] - r.path[t + 1][j]) / 2.0;
                CHECK(promise > 0.0);
                CHECK_LESS_EQUAL(sp_problem_value(&p.problem, space, r.path[t + 1]),
                                 sp_problem_value(&p.problem, space, r.path[t]) - promise + 1e-15);
            }
            CHECK_NEAR(r.ridge, 0.013, 0.0);
            sp_workspace_free(space);
            finish(&r);
            private_problem_free(&p);
        }
}

/* Parts of mu^2: .7 of it, .1 and .9 of the rest; with a ridge that is given .7 and .3. */
static void budget(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    for (int given = 0; given < 2; given++) {
        const double part[2][3] = { { 0.7, 0.03, 0.27 }, { 0.7, 0.3 } };
        run_of r;
        go(&p, private_tight, given ? "ridge" : NULL, 0.05, &r);
        const sp_ledger *ledger = sp_oracle_ledger(r.o);
        const double mu2 = gsl_pow_2(sp_budget_of(r.o)->mu);
        CHECK_EQUAL(ledger->count, given ? 2 : 3);
        for (size_t e = 0; e < ledger->count; e++) {
            CHECK_EQUAL(ledger->entry[e].count, STEPS);
            CHECK_NEAR(STEPS / gsl_pow_2(ledger->entry[e].noise_multiplier) / mu2, part[given][e], 1e-9);
        }
        finish(&r);
    }
    private_problem_free(&p);
}

/* k = (tr / (2 n^2 rho_dir))^(1/3), at least 1/n: the printed rule, b being 1/4. */
static void damping(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    const sp_privacy privacies[] = { private_tight,
                                     { .private = true, .epsilon = 4000.0, .delta = 1e-6, .noise = true } };
    for (size_t i = 0; i < 2; i++) {
        run_of r;
        double trace = NAN;
        go(&p, privacies[i], NULL, 0.0, &r);
        for (size_t k = 0; k < sp_transcript_count(r.transcript); k++)
            if (strcmp(sp_transcript_at(r.transcript, k)->primitive, "trace") == 0)
                trace = sp_transcript_at(r.transcript, k)->answer[0];
        const double rho_step = sp_budget_of(r.o)->rho * 0.27 / STEPS;
        const double balanced = cbrt(fmax(trace, 0.0) / (2.0 * N * N * rho_step));
        CHECK_NEAR(r.ridge, fmax(balanced, 1.0 / N), 1e-12 * r.ridge);
        CHECK((balanced < 1.0 / N) == (i == 1));
        finish(&r);
    }
    private_problem_free(&p);
}

int main(void)
{
    gsl_set_error_handler_off();
    falls();
    budget();
    damping();
    return sp_check_done();
}
