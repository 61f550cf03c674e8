/* unit/curvature.c -- a secret curvature matrix: traces and solves by the definition, how far a neighbour moves them
 * (random and adversarial ones, in thousands), their noise, what they cost and what they refuse. */
#include "core/numeric/math.h"
#include "tests/private_problem.h"

#include <gsl/gsl_math.h>

extern const sp_loss sp_loss_welsch;

enum { MOST = 12, DIM = 4 };

static const sp_batch all = { 0 };

/* --- by the definition ----------------------------------------------------------------------------------------- */

/* h(m) of the logistic loss, written down anew. */
static double logistic_weight(sp_weights weights, double m)
{
    if (weights == SP_WEIGHTS_HESSIAN)
        return 1.0 / ((1.0 + exp(-m)) * (1.0 + exp(m)));
    return fabs(m) < 1e-4 ? 0.25 - m * m / 48.0 : tanh(m / 2.0) / (2.0 * m);
}

/* H of the logistic loss; its trace is returned. */
static double matrix(private_problem *p, const double *w, sp_weights weights, double H[DIM][DIM])
{
    const size_t n = p->data.n, d = p->data.d;
    double trace = 0.0;
    memset(H, 0, DIM * sizeof *H);
    for (size_t i = 0; i < n; i++) {
        const double *x = sp_dataset_X(&p->data) + i * p->data.stride;
        double m = 0.0;
        for (size_t j = 0; j < d; j++)
            m += w[j] * x[j];
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; k < d; k++)
                H[j][k] += logistic_weight(weights, m) * x[j] * x[k] / (double)n;
    }
    for (size_t j = 0; j < d; j++)
        trace += H[j][j];
    return trace;
}

/* A x = v by elimination, A positive definite. */
static void eliminate(size_t d, double A[DIM][DIM], const double *v, double *x)
{
    double B[DIM][DIM + 1];
    for (size_t j = 0; j < d; j++) {
        memcpy(B[j], A[j], d * sizeof **B);
        B[j][d] = v[j];
    }
    for (size_t p = 0; p < d; p++)
        for (size_t j = 0; j < d; j++)
            for (size_t k = d + 1; j != p && k-- > p;)
                B[j][k] -= B[j][p] * B[p][k] / B[p][p];
    for (size_t j = 0; j < d; j++)
        x[j] = B[j][d] / B[j][j];
}

static void definition(void)
{
    const double v[DIM] = { 0.31, -1.7, 0.052, 2.385 }, w[DIM] = { 1.9, -0.4, 3.1, 0.7 }, ridge = 0.0137;
    for (int regularised = 0; regularised < 2; regularised++)
        for (int weights = SP_WEIGHTS_MAJORANT; weights <= SP_WEIGHTS_HESSIAN; weights++) {
            const double lambda = regularised ? 0.21 : 0.0;
            private_problem p;
            double H[DIM][DIM], expected[DIM], out[DIM], trace;
            private_problem_random(&p, &sp_loss_logistic, lambda, 40, DIM);
            sp_oracle *o = private_oracle(&p, private_none, 5);
            const sp_curvature c = { .batch = all, .point = w, .weights = (sp_weights)weights };
            const double by_hand = matrix(&p, w, c.weights, H);
            OK(o, sp_curvature_trace(o, &c, 0.0, &trace));
            CHECK_NEAR(trace, by_hand, 1e-14);
            for (size_t j = 0; j < DIM; j++) {
                /* of w^2 / (1 + w^2): 2 (1 - 3 w^2) / (1 + w^2)^3, 2 at most */
                const double s = 1.0 + w[j] * w[j], own = 2.0 * (1.0 - 3.0 * w[j] * w[j]) / (s * s * s);
                H[j][j] += ridge + lambda * (weights == SP_WEIGHTS_MAJORANT ? 2.0 : fmax(own, 0.0));
            }
            eliminate(DIM, H, v, expected);
            OK(o, sp_curvature_solve(o, &c, ridge, v, 0.0, out));
            for (size_t j = 0; j < DIM; j++)
                CHECK_NEAR(out[j], expected[j], 1e-11);
            CHECK_NEAR(sp_oracle_cost(o).hessians, 40.0, 0.0);
            CHECK_NEAR(sp_oracle_cost(o).gradients, 40.0, 0.0);
            CHECK_EQUAL(sp_oracle_cost(o).releases, 2);
            sp_oracle_free(o);
            private_problem_free(&p);
        }
}

/* b = 1/4, n = 50: 0.47619 at k = 0.1 and 10 at k = 1/50, 12.5 without b k in the denominator. */
static void printed_numbers(void)
{
    private_problem p;
    const double w[DIM] = { 0.3 }, v[DIM] = { 0.6, 0.0, -0.8, 0.0 };
    private_problem_random(&p, &sp_loss_logistic, 0.0, 50, DIM);
    sp_oracle *o = private_oracle(&p, private_tight, 5);
    const sp_curvature c = { .batch = all, .point = w };
    CHECK_NEAR(sp_public(o)->hessian_norm, 0.25, 1e-15);
    CHECK_NEAR(sp_curvature_sensitivity(o, &c, 0.1, v), 0.476190476, 1e-9);
    CHECK_NEAR(sp_curvature_sensitivity(o, &c, 0.02, v), 10.0, 1e-12);
    CHECK(isnan(sp_curvature_sensitivity(o, &(sp_curvature){ .batch = { 17 }, .point = w }, 0.02, v)));
    CHECK(isnan(sp_curvature_sensitivity(o, &c, 0.0, v)));
    sp_oracle_free(o);
    private_problem_free(&p);
    /* a regulariser holds the matrix up as well: k = 0.02 + 0.04 */
    private_problem_random(&p, &sp_loss_logistic, 0.02, 50, DIM);
    o = private_oracle(&p, private_tight, 5);
    CHECK_NEAR(sp_curvature_sensitivity(o, &c, 0.02, v), 0.25 / (50.0 * 0.0036 + 0.25 * 0.06), 1e-12);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* --- neighbours -------------------------------------------------------------------------------------------------- */

/* Two data sets that differ in one record, and what is asked of them. */
typedef struct pair {
    size_t n, d;
    double x[MOST + 1][DIM]; /* on the neighbour the last one replaces the first */
    double w[DIM], v[DIM], ridge;
    sp_weights weights;
} pair;

/* How far the solution moves, over its sensitivity; and likewise the trace. */
static double moved(const pair *q, double *of_trace)
{
    double out[2][DIM], trace[2], norm = 0.0, sensitivity = NAN;
    for (size_t side = 0; side < 2; side++) {
        private_problem p;
        double *X = NULL, *y = NULL;
        private_problem_new(&p, q->n, q->d, &X, &y);
        for (size_t i = 0; i < q->n; i++) {
            memcpy(X + i * p.data.stride, q->x[i == 0 && side == 1 ? q->n : i], q->d * sizeof *X);
            y[i] = 1.0;
        }
        private_problem_seal(&p, &sp_loss_logistic, 0.0);
        sp_oracle *o = private_oracle(&p, private_none, 5);
        const sp_curvature c = { .batch = all, .point = q->w, .weights = q->weights };
        OK(o, sp_curvature_solve(o, &c, q->ridge, q->v, 0.0, out[side]));
        OK(o, sp_curvature_trace(o, &c, 0.0, &trace[side]));
        sensitivity = sp_curvature_sensitivity(o, &c, q->ridge, q->v);
        sp_oracle_free(o);
        private_problem_free(&p);
    }
    for (size_t j = 0; j < q->d; j++)
        norm = hypot(norm, out[0][j] - out[1][j]);
    *of_trace = fabs(trace[0] - trace[1]) * (double)q->n / 0.25;
    return norm / sensitivity;
}

static void in_ball(gsl_rng *r, size_t d, double *x)
{
    const double length = gsl_rng_uniform(r) < 0.5 ? 1.0 - 1e-13 : gsl_rng_uniform(r);
    gsl_ran_dir_nd(r, d, x);
    for (size_t j = 0; j < d; j++)
        x[j] *= length;
}

static void draw(gsl_rng *r, pair *q)
{
    const double reach = pow(10.0, gsl_ran_flat(r, -3.0, 1.5));
    q->n = 1 + gsl_rng_uniform_int(r, MOST);
    q->d = 2 + gsl_rng_uniform_int(r, DIM - 1);
    q->weights = gsl_rng_uniform(r) < 0.5 ? SP_WEIGHTS_MAJORANT : SP_WEIGHTS_HESSIAN;
    q->ridge = pow(10.0, gsl_ran_flat(r, -4.0, 1.0));
    for (size_t i = 0; i <= q->n; i++)
        in_ball(r, q->d, q->x[i]);
    gsl_ran_dir_nd(r, q->d, q->w);
    gsl_ran_dir_nd(r, q->d, q->v);
    for (size_t j = 0; j < q->d; j++)
        q->w[j] *= reach;
    if (gsl_rng_uniform(r) < 0.3) /* the two records along v and across it, or opposite in the plane */
        for (size_t j = 0; j < q->d; j++) {
            q->x[0][j] = q->v[j] * (1.0 - 1e-13);
            q->w[j] *= 1e-3;
        }
}

/* A step of a random search for a larger move. */
static void vary(gsl_rng *r, double size, pair *q)
{
    for (size_t i = 0; i <= q->n; i++) {
        double norm = 0.0;
        for (size_t j = 0; j < q->d; j++) {
            q->x[i][j] += gsl_ran_gaussian(r, size);
            norm = hypot(norm, q->x[i][j]);
        }
        for (size_t j = 0; j < q->d && norm > 1.0 - 1e-13; j++)
            q->x[i][j] *= (1.0 - 1e-13) / norm;
    }
    for (size_t j = 0; j < q->d; j++) {
        q->w[j] += gsl_ran_gaussian(r, size);
        q->v[j] += gsl_ran_gaussian(r, size);
    }
    q->ridge *= exp(gsl_ran_gaussian(r, size));
}

static void neighbours(void)
{
    enum { DRAWN = 4000, SEARCHES = 25, TRIES = 160 };
    gsl_rng *r = sp_stream_open(sp_stream_key_of(23, "curvature", 0, SP_STREAM_DATA));
    double largest = 0.0, largest_trace = 0.0, of_trace;
    pair q;
    for (size_t i = 0; i < DRAWN; i++) {
        draw(r, &q);
        const double move = moved(&q, &of_trace);
        CHECK_LESS_EQUAL(move, 1.0 + 1e-9);
        CHECK_LESS_EQUAL(of_trace, 1.0 + 1e-12);
        largest = fmax(largest, move);
        largest_trace = fmax(largest_trace, of_trace);
    }
    CHECK(largest > 0.9 && largest_trace > 0.9);
    for (size_t i = 0; i < SEARCHES; i++) { /* uphill */
        draw(r, &q);
        double best = moved(&q, &of_trace), size = 0.5;
        for (size_t k = 0; k < TRIES; k++) {
            pair other = q;
            vary(r, size, &other);
            const double move = moved(&other, &of_trace);
            CHECK_LESS_EQUAL(move, 1.0 + 1e-9);
            size *= move > best ? 1.2 : 0.95;
            if (move > best) {
                best = move;
                q = other;
            }
        }
        largest = fmax(largest, best);
    }
    gsl_rng_free(r);
    /* attained: the others 0, x along v, y across it */
    const pair worst = { .n = 7, .d = 2, .x = { { 1.0 }, [7] = { 0.0, 1.0 } }, .v = { 2.385 }, .ridge = 0.03 };
    CHECK_NEAR(moved(&worst, &of_trace), 1.0, 1e-12);
    pair dropped = worst; /* a record of length 0 for one along v: as much as replacing */
    dropped.x[7][1] = 0.0;
    CHECK_NEAR(moved(&dropped, &of_trace), 1.0, 1e-12);
    CHECK_NEAR(of_trace, 1.0, 1e-12);
}

/* --- the majorant ------------------------------------------------------------------------------------------------- */

/* F(w) + <grad F(w), u - w> + (u - w)'(H + E)(u - w) / 2 - F(u), and the last form. */
static double above(const private_problem *p, sp_workspace *space, const double *w, const double *u, double *form)
{
    double g[DIM], E[DIM], H[DIM * DIM], way = 0.0;
    sp_problem_gradient(&p->problem, space, w, g);
    sp_data_curvature(&p->problem, space, (sp_rows){ NULL, 0 }, w, SP_WEIGHTS_MAJORANT, (double)p->data.n, H);
    sp_public_curvature(&p->problem, w, SP_WEIGHTS_MAJORANT, E);
    *form = 0.0;
    for (size_t j = 0; j < DIM; j++) {
        way += g[j] * (u[j] - w[j]);
        *form += E[j] * gsl_pow_2(u[j] - w[j]);
        for (size_t k = 0; k < DIM; k++)
            *form += H[j * DIM + k] * (u[j] - w[j]) * (u[k] - w[k]);
    }
    return sp_problem_value(&p->problem, space, w) + way + *form / 2.0 - sp_problem_value(&p->problem, space, u);
}

/* It is not negative, of losses that are not convex either, and with a regulariser that is not. */
static void lies_above(void)
{
    const sp_loss *const losses[] = { &sp_loss_logistic, &sp_loss_welsch };
    gsl_rng *r = sp_stream_open(sp_stream_key_of(24, "curvature", 0, SP_STREAM_DATA));
    for (size_t l = 0; l < 4; l++) {
        private_problem p;
        private_problem_random(&p, losses[l % 2], l < 2 ? 0.0 : 0.13, 20, DIM);
        sp_workspace *space = sp_workspace_new(&p.problem);
        for (size_t i = 0; i < 2000; i++) {
            double w[DIM], u[DIM], form;
            const double reach = pow(10.0, gsl_ran_flat(r, -2.0, 1.5));
            for (size_t j = 0; j < DIM; j++) {
                w[j] = gsl_ran_gaussian(r, 3.0);
                u[j] = w[j] + gsl_ran_gaussian(r, reach);
            }
            const double gap = above(&p, space, w, u, &form);
            CHECK_LESS_EQUAL(-gap, 1e-12 * (1.0 + form));
            for (size_t j = 0; l == 0 && j < DIM; j++)
                u[j] = -w[j];
            if (l == 0) /* the logistic loss's parabolas touch it on the other side, too */
                CHECK_NEAR(above(&p, space, w, u, &form), 0.0, 1e-13 * (1.0 + form));
        }
        sp_workspace_free(space);
        private_problem_free(&p);
    }
    gsl_rng_free(r);
}

/* --- noise and price ---------------------------------------------------------------------------------------------- */

static void noise_and_price(void)
{
    enum { RUNS = 4000 };
    private_problem p;
    const double w[DIM] = { 0.3, -0.2, 1.1, 0.5 }, v[DIM] = { 0.6, 0.1, -0.8, 0.0 }, ridge = 0.05;
    double exact[DIM], out[DIM], trace, exact_trace, multiplier[2], squares[2] = { 0.0, 0.0 };
    private_problem_random(&p, &sp_loss_logistic, 0.0, 30, DIM);
    sp_oracle *silent = private_oracle(&p, private_none, 5), *o = private_oracle(&p, private_tight, 5);
    const sp_curvature c = { .batch = all, .point = w };
    OK(silent, sp_curvature_solve(silent, &c, ridge, v, 0.0, exact));
    OK(silent, sp_curvature_trace(silent, &c, 0.0, &exact_trace));
    const sp_release_plan plan[] = { { .kind = SP_TRACE, .sample = sp_full(), .count = RUNS, .share = 0.25 },
                                     { .kind = SP_SOLUTION, .sample = sp_full(), .count = RUNS, .share = 0.75 } };
    OK(o, sp_calibrate(o, plan, 2, multiplier));
    for (size_t i = 0; i < RUNS; i++) {
        OK(o, sp_curvature_trace(o, &c, multiplier[0], &trace));
        OK(o, sp_curvature_solve(o, &c, ridge, v, multiplier[1], out));
        squares[0] += gsl_pow_2((trace - exact_trace) / (multiplier[0] * 0.25 / 30.0));
        for (size_t j = 0; j < DIM; j++)
            squares[1] += gsl_pow_2((out[j] - exact[j]) / (multiplier[1] * sp_curvature_sensitivity(o, &c, ridge, v)));
    }
    /* chi^2 within 5 standard deviations: false alarm 6e-7 each */
    CHECK_NEAR(squares[0] / RUNS, 1.0, 5.0 * sqrt(2.0 / RUNS));
    CHECK_NEAR(squares[1] / (RUNS * DIM), 1.0, 5.0 * sqrt(2.0 / (RUNS * DIM)));
    const sp_ledger *ledger = sp_oracle_ledger(o);
    CHECK_EQUAL(ledger->count, 2);
    for (size_t e = 0; e < 2 && e < ledger->count; e++) {
        CHECK(ledger->entry[e].kind == SP_LEDGER_GAUSS && ledger->entry[e].count == RUNS);
        CHECK(ledger->entry[e].noise_multiplier == multiplier[e] && ledger->entry[e].pool == 0);
    }
    CHECK_NEAR(ledger->entry[0].sensitivity_high, 0.25 / 30.0, 1e-15);
    CHECK_NEAR(ledger->entry[1].sensitivity_high, sp_curvature_sensitivity(o, &c, ridge, v), 1e-15);
    sp_bounds spent;
    CHECK(sp_oracle_spent(o, &spent, NULL) == SP_OK && spent.best <= 1.0 + 1e-9 && spent.best > 0.999);
    CHECK_EQUAL(sp_curvature_trace(o, &c, multiplier[0], &trace), SP_EBUDGET);
    CHECK_EQUAL(sp_curvature_solve(o, &c, ridge, v, multiplier[1], out), SP_EBUDGET);
    sp_oracle_free(silent);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Releases on fresh records are charged to these alone, by their number. */
static void fresh_records(void)
{
    private_problem p;
    const double w[DIM] = { 0.3 }, v[DIM] = { 0.6, 0.0, -0.8, 0.0 };
    double out[DIM];
    sp_batch batch;
    private_problem_random(&p, &sp_loss_logistic, 0.0, 60, DIM);
    sp_oracle *o = private_oracle(&p, private_tight, 5);
    for (size_t i = 0; i < 3; i++) {
        OK(o, sp_draw(o, sp_fresh(20), &batch));
        const sp_curvature c = { .batch = batch, .point = w };
        CHECK_NEAR(sp_curvature_sensitivity(o, &c, 0.1, v), 0.25 / (20.0 * 0.01 + 0.025), 1e-12);
        OK(o, sp_curvature_solve(o, &c, 0.1, v, 9.0, out));
        CHECK_EQUAL(sp_oracle_ledger(o)->entry[i].pool, i + 1);
    }
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* --- refusals ----------------------------------------------------------------------------------------------------- */

static void refusals(void)
{
    private_problem p, tilt;
    const double w[DIM] = { 0.3, -0.2, 1.1, 0.5 }, v[DIM] = { 0.6, 0.1, -0.8, 0.0 }, bad[DIM] = { 0.0, NAN };
    double out[DIM] = { 17.0 }, trace = 17.0, multiplier[1];
    sp_batch some;
    private_problem_random(&p, &sp_loss_logistic, 0.0, 30, DIM);
    private_problem_random(&tilt, &sp_loss_pseudo_huber, 0.0, 30, DIM);
    sp_oracle *o = private_oracle(&p, private_paper, 5), *other = private_oracle(&tilt, private_paper, 5);
    const sp_curvature c = { .batch = all, .point = w }, nowhere = { .batch = all, .point = bad },
                       odd = { .batch = all, .point = w, .weights = (sp_weights)2 };
    REFUSED(other, sp_curvature_trace(other, &c, 3.0, &trace), SP_EUNSUPPORTED, "pseudo_huber is no GLM");
    REFUSED(other, sp_curvature_solve(other, &c, 0.1, v, 3.0, out), SP_EUNSUPPORTED, "pseudo_huber is no GLM");
    REFUSED(o, sp_curvature_trace(o, &nowhere, 3.0, &trace), SP_ENUMERIC, "coordinate 1 of the point is nan");
    REFUSED(o, sp_curvature_trace(o, &odd, 3.0, &trace), SP_EINVAL, "no weights 2");
    REFUSED(o, sp_curvature_solve(o, &c, 0.1, bad, 3.0, out), SP_ENUMERIC, "v: coordinate 1 of the point is nan");
    REFUSED(o, sp_curvature_solve(o, &c, -0.1, v, 3.0, out), SP_EINVAL, "ridge = -0.1");
    REFUSED(o, sp_curvature_solve(o, &c, INFINITY, v, 3.0, out), SP_EINVAL, "ridge = inf");
    REFUSED(o, sp_curvature_solve(o, &c, 0.0, v, 3.0, out), SP_EINVAL, "nothing holds the matrix above 0");
    REFUSED(o, sp_curvature_solve(o, &c, 2e-10, v, 3.0, out), SP_EPRIVACY, "where rounding may tell");
    const double noises[] = { 0.0, -1.0, NAN, INFINITY };
    for (size_t i = 0; i < 4; i++) {
        REFUSED(o, sp_curvature_trace(o, &c, noises[i], &trace), SP_EPRIVACY, "sp_curvature_trace: noise_multiplier");
        REFUSED(o, sp_curvature_solve(o, &c, 0.1, v, noises[i], out), SP_EPRIVACY,
                "sp_curvature_solve: noise_multiplier");
    }
    const double far[DIM] = { 1e155 };
    REFUSED(o, sp_curvature_solve(o, &c, 0.1, far, 3.0, out), SP_EPRIVACY, "a sensitivity of");
    p.problem.declared.hessian_norm = INFINITY;
    REFUSED(o, sp_curvature_trace(o, &c, 3.0, &trace), SP_EPRIVACY, "hessian_norm = inf");
    p.problem.declared.hessian_norm = 0.25;
    OK(o, sp_draw(o, sp_poisson(0.5), &some));
    const sp_curvature poisson = { .batch = some, .point = w };
    REFUSED(o, sp_curvature_trace(o, &poisson, 3.0, &trace), SP_EPRIVACY, "Poisson");
    REFUSED(o, sp_curvature_solve(o, &poisson, 0.1, v, 3.0, out), SP_EPRIVACY, "Poisson");
    const sp_release_kind kinds[] = { SP_TRACE, SP_SOLUTION };
    for (size_t i = 0; i < 2; i++)
        REFUSED(o, sp_calibrate(o, &(sp_release_plan){ .kind = kinds[i], .sample = sp_poisson(0.5), .count = 3 }, 1,
                                multiplier), SP_EPRIVACY, "a solve on a Poisson sample");
    CHECK(out[0] == 17.0 && trace == 17.0);
    CHECK_EQUAL(sp_oracle_ledger(o)->count + sp_oracle_ledger(other)->count, 0);
    CHECK_EQUAL(sp_oracle_cost(o).releases, 0);
    OK(o, sp_curvature_solve(o, &c, 3e-10, v, 3.0, out)); /* 1.2e-9 of b */
    sp_oracle_free(o);
    sp_oracle_free(other);
    private_problem_free(&p);
    private_problem_free(&tilt);
}

int main(void)
{
    gsl_set_error_handler_off();
    definition();
    printed_numbers();
    neighbours();
    lies_above();
    noise_and_price();
    fresh_records();
    refusals();
    return sp_check_done();
}
