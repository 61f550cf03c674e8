/* stable.c -- the stable pass: what it computes, how far a neighbour moves it, what it refuses. */
#include "core/oracle/replay.h"
#include "tests/private_problem.h"

#include <gsl/gsl_math.h>

enum { N = 30, D = 3 };

static const double start[D] = { 0.4, -0.2, 0.9 };
static const sp_batch all = { 0 };

/* Random records; `side` > 0 puts an extreme one at `place`. `radius` > 0: on a ball. */
static void problem(private_problem *p, size_t place, int side, double radius)
{
    double *X = NULL, *y = NULL;
    gsl_rng *r = sp_stream_open(sp_stream_key_of(9, "stable", 0, SP_STREAM_DATA));
    private_problem_new(p, N, D, &X, &y);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < D; j++)
            X[i * p->data.stride + j] = 1.1 * (gsl_rng_uniform(r) - 0.5);
        y[i] = gsl_rng_uniform(r) < 0.5 ? -1.0 : 1.0;
    }
    gsl_rng_free(r);
    if (side > 0) {
        memset(X + place * p->data.stride, 0, D * sizeof *X);
        X[place * p->data.stride + (size_t)(side - 1) % D] = side > D ? -1.0 : 1.0;
        y[place] = 1.0;
    }
    private_problem_seal(p, &sp_loss_logistic, 0.0);
    if (radius > 0.0)
        p->problem.domain = (sp_domain){ SP_DOMAIN_L2_BALL, D, radius, radius };
}

/* The definition. */
static void by_hand(const private_problem *p, double eta, double *average)
{
    sp_workspace *space = sp_workspace_new(&p->problem);
    double v[D], g[D];
    memcpy(v, start, sizeof v);
    sp_domain_project(&p->problem.domain, v);
    memset(average, 0, D * sizeof *average);
    for (size_t i = 0; i < N; i++) {
        sp_record_gradient(&p->problem, space, i, v, g);
        for (size_t j = 0; j < D; j++)
            v[j] -= eta * g[j];
        sp_domain_project(&p->problem.domain, v);
        for (size_t j = 0; j < D; j++)
            average[j] += v[j] / N;
    }
    sp_workspace_free(space);
}

static void definition(void)
{
    for (int ball = 0; ball < 2; ball++) {
        private_problem p;
        double out[D], expected[D];
        problem(&p, 0, 0, ball ? 0.7 : 0.0);
        sp_oracle *o = private_oracle(&p, private_silent, 71);
        const double eta = 2.0 / sp_public(o)->beta;
        OK(o, sp_stable_pass(o, all, start, eta, 0.0, out));
        by_hand(&p, eta, expected);
        for (size_t j = 0; j < D; j++)
            CHECK_NEAR(out[j], expected[j], 1e-13);
        CHECK_NEAR(sp_oracle_cost(o).gradients, N, 0.0);
        sp_oracle_free(o);
        private_problem_free(&p);
    }
}

/* Every place, several kinds of record: the average moves by at most 2 L eta, up to the largest eta that is allowed. */
static void stability(void)
{
    for (int run = 0; run < 4; run++) {
        const bool ball = run & 1, small = run & 2;
        double closest = 0.0;
        for (size_t place = 0; place < N; place += 7)
            for (int side = 1; side <= 2 * D; side++) {
                double out[2][D], gap = 0.0, bound = 0.0;
                for (int twin = 0; twin < 2; twin++) {
                    private_problem p;
                    problem(&p, place, twin ? (side + 2) % (2 * D) + 1 : side, ball ? 0.7 : 0.0);
                    sp_oracle *o = private_oracle(&p, private_silent, 72);
                    const double eta = (small ? 0.02 : 2.0) / sp_public(o)->beta;
                    OK(o, sp_stable_pass(o, all, start, eta, 0.0, out[twin]));
                    bound = 2.0 * sp_public(o)->L_data * eta;
                    sp_oracle_free(o);
                    private_problem_free(&p);
                }
                for (size_t j = 0; j < D; j++)
                    gap = hypot(gap, out[0][j] - out[1][j]);
                CHECK_LESS_EQUAL(gap, bound * (1.0 + 1e-12));
                closest = fmax(closest, gap / bound);
            }
        CHECK(!small || closest > 0.3); /* small steps: the first record's move survives */
    }
}

/* Just within what a projection forgives a neighbour's tiny step leads just beyond, and is taken back all the way: the
 * declared sensitivity covers that on every domain. */
static void forgiven_projections(void)
{
    static const double vertex[] = { -0.7, 0.0, 0.0, 0.7, 0.0, 0.0, 0.0, 0.7, 0.0, 0.0, 0.0, 0.7 };
    const sp_domain domains[] = {
        { .kind = SP_DOMAIN_L2_BALL, .radius = 0.7, .norm = 0.7 },
        { .kind = SP_DOMAIN_L1_BALL, .radius = 0.7, .norm = 0.7 },
        { .kind = SP_DOMAIN_LP_BALL, .radius = 0.7, .norm = 0.7, .p = 1.5 },
        { .kind = SP_DOMAIN_SIMPLEX, .radius = 0.7, .norm = 0.7 },
        { .kind = SP_DOMAIN_BOX, .radius = 0.7 * sqrt(D), .norm = 0.7 * sqrt(D), .low = -0.7, .high = 0.7 },
        { .kind = SP_DOMAIN_POLYTOPE, .radius = 0.7, .norm = 0.7, .vertices = 4, .vertex = vertex },
    };
    for (size_t k = 0; k < sizeof domains / sizeof *domains; k++) {
        double out[2][D], edge[D] = { 0.7 }, low = 0.7, high = 0.7 * (1.0 + 1e-11), declared = 0.0, eta = 0.0;
        for (int twin = 0; twin < 2; twin++) {
            private_problem p;
            double *X = NULL, *y = NULL;
            private_problem_new(&p, N, D, &X, &y);
            X[0] = 1.0;
            y[0] = twin ? 1.0 : -1.0; /* out, in; the others do nothing */
            private_problem_seal(&p, &sp_loss_logistic, 0.0);
            p.problem.domain = domains[k];
            p.problem.domain.d = D;
            for (int i = 0; twin == 0 && i < 60; i++) { /* the last point that stays as it is */
                double w[D] = { (low + high) / 2.0 };
                sp_domain_project(&p.problem.domain, w);
                *(w[0] == (low + high) / 2.0 && w[1] == 0.0 ? &low : &high) = (low + high) / 2.0;
            }
            edge[0] = low;
            sp_oracle *o = private_oracle(&p, private_silent, 77);
            eta = 1e-14;
            OK(o, sp_stable_pass(o, all, edge, eta, 0.0, out[twin]));
            sp_oracle_free(o);
            o = private_oracle(&p, private_paper, 77);
            double noisy[D];
            OK(o, sp_stable_pass(o, all, edge, eta, 9.0, noisy));
            declared = sp_oracle_ledger(o)->entry[0].sensitivity_high;
            CHECK(declared == sp_stable_sensitivity(o, N, eta));
            sp_oracle_free(o);
            private_problem_free(&p);
        }
        const double gap = fabs(out[0][0] - out[1][0]);
        CHECK_LESS_EQUAL(gap, declared);
        CHECK_LESS_EQUAL(1e-13, gap); /* the case is met: a step of 1e-14 alone does not go that far */
        CHECK_LESS_EQUAL(declared, k < 5 ? 1e-9 : 1e-3);
    }
}

/* The declared sensitivity and the noise are those; a fresh batch pays alone. */
static void noise_and_charge(void)
{
    enum { RUNS = 4000 };
    private_problem p;
    problem(&p, 0, 0, 0.0);
    sp_oracle *o = private_oracle(&p, private_paper, 73);
    double out[D], exact[D], squares = 0.0;
    const double eta = 0.3, unit = 2.0 * sp_public(o)->L_data * eta;
    by_hand(&p, eta, exact);
    for (size_t t = 0; t < RUNS; t++) {
        OK(o, sp_stable_pass(o, all, start, eta, 1.9, out));
        for (size_t j = 0; j < D; j++)
            squares += gsl_pow_2((out[j] - exact[j]) / (1.9 * unit)) / (RUNS * D);
    }
    CHECK_NEAR(squares, 1.0, 4.9 * sqrt(2.0 / (RUNS * D)));
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 1);
    CHECK(sp_oracle_ledger(o)->entry[0].noise_multiplier == 1.9 && sp_oracle_ledger(o)->entry[0].count == RUNS);
    sp_oracle_free(o);

    o = private_oracle(&p, private_tight, 74);
    OK(o, sp_filter_by(o, SP_FILTER_GAUSS));
    const double s = 1.0 / sp_budget_of(o)->mu * (1.0 + 1e-9);
    for (size_t t = 1; t <= 3; t++) { /* the phases of phased SGD: each has the whole budget */
        sp_batch batch;
        sp_bounds bounds;
        OK(o, sp_draw(o, sp_fresh(8 / t), &batch));
        OK(o, sp_stable_pass(o, batch, start, eta, s, out));
        CHECK_EQUAL(sp_oracle_ledger(o)->entry[t - 1].pool, t);
        CHECK_EQUAL(sp_oracle_spent(o, &bounds, NULL), SP_OK);
        CHECK_NEAR(bounds.best, 1.0, 1e-6);
    }
    REFUSED(o, sp_stable_pass(o, all, start, eta, 100.0, out), SP_EBUDGET, "gauss");
    sp_oracle_free(o);
    private_problem_free(&p);
}

static void refusals(void)
{
    private_problem p;
    double out[D] = { 3.25 };
    const double nan_start[D] = { 0.0, NAN, 0.0 };
    sp_batch batch;
    problem(&p, 0, 0, 0.0);
    sp_oracle *o = private_oracle(&p, private_tight, 75);
    const double edge = 2.0 / sp_public(o)->beta;
    REFUSED(o, sp_stable_pass(o, all, start, edge * 1.0001, 9.0, out), SP_EPRIVACY, "2 / beta");
    REFUSED(o, sp_stable_pass(o, all, start, 0.0, 9.0, out), SP_EINVAL, "eta = 0");
    REFUSED(o, sp_stable_pass(o, all, start, NAN, 9.0, out), SP_EINVAL, "eta = nan");
    REFUSED(o, sp_stable_pass(o, all, start, 0.1, 0.0, out), SP_EPRIVACY, "noise_multiplier = 0");
    REFUSED(o, sp_stable_pass(o, all, nan_start, 0.1, 9.0, out), SP_ENUMERIC, "coordinate 1");
    OK(o, sp_draw(o, sp_poisson(0.3), &batch));
    REFUSED(o, sp_stable_pass(o, batch, start, 0.1, 9.0, out), SP_EPRIVACY, "Poisson");
    CHECK(out[0] == 3.25 && sp_oracle_ledger(o)->count == 0);
    sp_oracle_free(o);
    private_problem_free(&p);

    private_problem_random(&p, &sp_loss_logistic, 0.1, N, D); /* a non-convex regulariser */
    o = private_oracle(&p, private_tight, 76);
    REFUSED(o, sp_stable_pass(o, all, start, 0.01, 9.0, out), SP_EPRIVACY, "convex");
    sp_oracle_free(o);
    o = private_oracle(&p, private_none, 76); /* stability is for privacy alone */
    OK(o, sp_stable_pass(o, all, start, 0.01, 0.0, out));
    sp_oracle_free(o);
    private_problem_free(&p);
}

int main(void)
{
    gsl_set_error_handler_off();
    definition();
    stability();
    forgiven_projections();
    noise_and_charge();
    refusals();
    return sp_check_done();
}
