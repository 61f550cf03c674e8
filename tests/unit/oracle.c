/* oracle.c -- answers, sampling, charging and calibration, from outside the door.
 *
 * Statistical tests fix their seed; each allows 4.9 standard errors (false alarm 1e-6) or the 1e-6 quantile. */
#include "tests/private_problem.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>

static double settle(const sp_oracle *o)
{
    sp_bounds bounds = { .best = NAN };
    sp_error error = { .text = "" };
    SP_CHECK_REPORT(sp_oracle_spent(o, &bounds, &error) == SP_OK, "%s", error.text);
    return bounds.best;
}

/* --- answers ------------------------------------------------------------------------------------------------ */

static void clip(size_t d, double *v, double limit)
{
    double norm = 0.0;
    for (size_t j = 0; j < d; j++)
        norm = hypot(norm, v[j]);
    for (size_t j = 0; norm > limit && j < d; j++)
        v[j] *= limit / norm;
}

/* The definition, one record at a time. */
static void plain_loop(const private_problem *p, const sp_query *query, double bound, double *out)
{
    const size_t n = p->data.n, d = p->data.d;
    sp_workspace *space = sp_workspace_new(&p->problem);
    double *sum = sp_alloc_doubles(d), *g = sp_alloc_doubles(d);
    memset(out, 0, d * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        memset(sum, 0, d * sizeof *sum);
        for (size_t k = 0; k < query->terms; k++) {
            sp_record_gradient(&p->problem, space, i, query->term[k].point, g);
            clip(d, g, p->problem.declared.L_data);
            for (size_t j = 0; j < d; j++)
                sum[j] += query->term[k].coefficient * g[j];
        }
        clip(d, sum, bound);
        for (size_t j = 0; j < d; j++)
            out[j] += sum[j] / (double)n;
    }
    for (size_t k = 0; k < query->terms; k++)
        for (size_t j = 0; j < d; j++)
            if (p->problem.regulariser)
                out[j] += query->term[k].coefficient * p->problem.lambda *
                          p->problem.regulariser->slope(query->term[k].point[j]);
    free(sum);
    free(g);
    sp_workspace_free(space);
}

enum { N = 23, D = 5 };

static const double point_v[D] = { 0.31, -1.27, 0.05, 2.2, -0.6 }, point_w[D] = { 0.33, -1.20, 0.0, 2.1, -0.66 },
                    point_u[D] = { -4.0, 3.0, 7.5, 0.25, 1.5 };

static void answers_without_noise(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.07, N, D);
    sp_oracle *o = private_oracle(&p, private_silent, 1);
    const sp_constants *c = sp_public(o);
    sp_batch all, fresh;
    double out[D], expected[D];
    OK(o, sp_draw(o, sp_full(), &all));
    double step = 0.0;
    for (size_t j = 0; j < D; j++)
        step = hypot(step, point_v[j] - point_w[j]);

    const sp_query at = SP_AT(all, point_v), between = SP_BETWEEN(all, point_v, point_w);
    const sp_query far = SP_BETWEEN(all, point_u, point_w);
    sp_query three = { .batch = all, .terms = 3, .term = { { 0.5, point_u }, { -1.5, point_v }, { 1.0, point_w } } };
    sp_query tight = at;
    tight.bound = 0.15;
    const struct {
        sp_query query;
        double bound;
    } cases[] = { { at, c->L_data },
                  { between, fmin(c->beta_data * step, 2.0 * c->L_data) },
                  { far, 2.0 * c->L_data },
                  { three, 3.0 * c->L_data },
                  { tight, 0.15 } };
    CHECK(c->beta_data * step < 2.0 * c->L_data);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        OK(o, sp_gradient(o, &cases[i].query, 0.0, out));
        plain_loop(&p, &cases[i].query, cases[i].bound, expected);
        for (size_t j = 0; j < D; j++)
            CHECK_NEAR(out[j], expected[j], 1e-14);
        CHECK_NEAR(sp_sensitivity(o, &cases[i].query), 2.0 * cases[i].bound / N, 1e-15);
    }
    plain_loop(&p, &at, INFINITY, expected); /* the clip of 0.15 did something */
    OK(o, sp_gradient(o, &at, 0.0, out));
    CHECK_NEAR(out[0], expected[0], 1e-14);
    OK(o, sp_gradient(o, &tight, 0.0, out));
    CHECK(fabs(out[0] - expected[0]) > 1e-4);

    double H[D * D], exact[D * D];
    sp_workspace *space = sp_workspace_new(&p.problem);
    OK(o, sp_hessian(o, all, point_v, 0.0, H));
    sp_problem_hessian(&p.problem, space, point_v, exact);
    for (size_t k = 0; k < D * D; k++)
        CHECK_NEAR(H[k], exact[k], 1e-14);
    sp_workspace_free(space);

    /* disjoint blocks average to the whole */
    double mean[D] = { 0 };
    for (size_t block = 0; block < 4; block++) {
        const size_t m = block < 3 ? 6 : 5;
        OK(o, sp_draw(o, sp_fresh(m), &fresh));
        CHECK_EQUAL(sp_batch_size(o, fresh), m);
        OK(o, sp_gradient(o, &SP_AT(fresh, point_v), 0.0, out));
        for (size_t j = 0; j < D; j++)
            mean[j] += out[j] * (double)m / N;
    }
    plain_loop(&p, &at, c->L_data, expected);
    for (size_t j = 0; j < D; j++)
        CHECK_NEAR(mean[j], expected[j], 1e-14);

    const sp_cost cost = sp_oracle_cost(o);
    CHECK(cost.gradients == (1 + 3 + 1 + 1 + 1) * (double)N + N && cost.differences == 2.0 * N && cost.hessians == N);
    CHECK_EQUAL(cost.releases, 7 + 1 + 4);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Noise has the announced deviation, and nothing else was added. */
static void noise_deviation(void)
{
    enum { RUNS = 4000 };
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.07, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 2), *exact = private_oracle(&p, private_silent, 2);
    const sp_release_plan plan[] = { { .kind = SP_GRADIENT, .sample = sp_full(), .count = RUNS },
                                     { .kind = SP_HESSIAN, .sample = sp_full(), .count = 2 * RUNS } };
    const sp_batch all = { 0 };
    const sp_query query = SP_BETWEEN(all, point_v, point_w);
    double multiplier[2], out[D], mean[D], H[D * D], G[D * D], sum = 0.0, squares = 0.0, frobenius = 0.0, pair = 0.0;
    double mirrored[2] = { 0.0 }; /* on the diagonal, and off it */
    OK(o, sp_calibrate(o, plan, 2, multiplier));
    OK(exact, sp_gradient(exact, &query, 0.0, mean));
    OK(exact, sp_hessian(exact, all, point_v, 0.0, G));
    for (size_t t = 0; t < RUNS; t++) {
        OK(o, sp_gradient(o, &query, multiplier[0], out));
        OK(o, sp_hessian(o, all, point_v, multiplier[1], H));
        const double std = multiplier[0] * sp_sensitivity(o, &query);
        const double h = multiplier[1] * sp_public(o)->hessian_frobenius / N;
        for (size_t j = 0; j < D; j++) {
            sum += (out[j] - mean[j]) / std / (RUNS * D);
            squares += gsl_pow_2((out[j] - mean[j]) / std) / (RUNS * D);
            frobenius += gsl_pow_2((H[j * D + j] - G[j * D + j]) / h) / (RUNS * D);
        }
        pair += 2.0 * gsl_pow_2((H[1] - G[1]) / h) / RUNS;
        OK(o, sp_hessian_mirrored(o, all, point_v, multiplier[1], H));
        mirrored[0] += gsl_pow_2((H[0] - G[0]) / h) / RUNS;
        mirrored[1] += gsl_pow_2((H[1] - G[1]) / h) / RUNS;
        CHECK(H[1] == H[D]);
    }
    CHECK_NEAR(sum, 0.0, 4.9 / sqrt(RUNS * D));
    CHECK_NEAR(squares, 1.0, 4.9 * sqrt(2.0 / (RUNS * D)));
    CHECK_NEAR(frobenius, 1.0, 4.9 * sqrt(2.0 / (RUNS * D)));
    CHECK_NEAR(pair, 1.0, 4.9 * sqrt(2.0 / RUNS));
    CHECK_NEAR(mirrored[0], 1.0, 4.9 * sqrt(2.0 / RUNS));
    CHECK_NEAR(mirrored[1], 1.0, 4.9 * sqrt(2.0 / RUNS));
    /* the charge is that of sp_hessian: one kind of entry for both */
    const sp_ledger *ledger = sp_oracle_ledger(o);
    CHECK_EQUAL(ledger->count, 2);
    CHECK_EQUAL(ledger->entry[1].count, 2 * RUNS);
    CHECK_NEAR(ledger->entry[1].noise_multiplier, multiplier[1], 0.0);
    CHECK_LESS_EQUAL(settle(o), 1.0 + 1e-9);
    sp_oracle_free(o);
    sp_oracle_free(exact);
    private_problem_free(&p);
}

/* Replace-one neighbours that move the answer as far as it can go. */
static void sensitivity_is_a_bound(void)
{
    const double margins[] = { 1.0, 0.0, -1e-3, 2.5 };
    for (size_t i = 0; i < 4; i++) {
        double answer[2][3], *X = NULL, *y = NULL, gap = 0.0, sensitivity = 0.0, cap = 0.0;
        double w[3], previous[3] = { 1.3, 0.2, -0.4 };
        for (size_t side = 0; side < 2; side++) {
            private_problem p;
            private_problem_new(&p, 4, 3, &X, &y);
            X[0] = side == 0 ? 1.0 : -1.0; /* the other records have zero gradient */
            private_problem_seal(&p, &sp_loss_pseudo_huber, 0.0);
            for (size_t j = 0; j < 3; j++)
                w[j] = 1.0 / sqrt(3.0) + margins[i]; /* Phi' is largest at the centre, margin 0 */
            sp_oracle *o = private_oracle(&p, private_silent, 1);
            const sp_query at = SP_AT((sp_batch){ 0 }, w), between = SP_BETWEEN((sp_batch){ 0 }, w, previous);
            const sp_query query = i < 3 ? at : between;
            OK(o, sp_gradient(o, &query, 0.0, answer[side]));
            sensitivity = sp_sensitivity(o, &query);
            cap = (i < 3 ? 2.0 : 4.0) * sp_public(o)->L_data / 4.0;
            sp_oracle_free(o);
            private_problem_free(&p);
        }
        for (size_t j = 0; j < 3; j++)
            gap = hypot(gap, answer[0][j] - answer[1][j]);
        CHECK_LESS_EQUAL(gap, sensitivity * (1.0 + 1e-12));
        CHECK_LESS_EQUAL(sensitivity, cap);
        if (i == 1)
            CHECK_NEAR(gap, sensitivity, 1e-12); /* attained: opposite gradients of full norm */
        if (i == 3)
            CHECK(gap > 0.1 * sensitivity);
    }
    /* batches: the factor is 2 / m, not 2 / n */
    private_problem p;
    sp_batch some;
    private_problem_units(&p, 10);
    sp_oracle *o = private_oracle(&p, private_silent, 1);
    OK(o, sp_draw(o, sp_subset(4), &some));
    CHECK_NEAR(sp_sensitivity(o, &SP_AT(some, sp_start(o))), 2.0 * sp_public(o)->L_data / 4.0, 1e-15);
    OK(o, sp_draw(o, sp_fresh(1), &some));
    CHECK_NEAR(sp_sensitivity(o, &SP_AT(some, sp_start(o))), 2.0 * sp_public(o)->L_data, 1e-15);
    sp_oracle_free(o);
    private_problem_free(&p);
}

static void equal_points_are_free_but_charged(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.07, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 3);
    double out[D], same[D];
    memcpy(same, point_v, sizeof same);
    OK(o, sp_gradient(o, &SP_BETWEEN((sp_batch){ 0 }, point_v, same), 20.0, out));
    for (size_t j = 0; j < D; j++)
        CHECK(out[j] == 0.0);
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 1);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* --- sampling ----------------------------------------------------------------------------------------------- */

/* Which of the unit records a batch holds, as bits; checks that each is there once, with weight 1 / m. */
static unsigned long members(sp_oracle *o, const private_problem *p, sp_batch batch, size_t m)
{
    const size_t n = p->data.n;
    sp_workspace *space = sp_workspace_new(&p->problem);
    double *answer = sp_alloc_doubles(2 * n), *exact = answer + n, centre[64], total = 0.0;
    unsigned long bits = 0;
    for (size_t j = 0; j < n; j++)
        centre[j] = 1.0 / sqrt((double)n);
    OK(o, sp_gradient(o, &SP_AT(batch, centre), 0.0, answer));
    sp_public_query(&p->problem, space, 1, &(sp_term){ 1.0, centre }, exact);
    for (size_t j = 0; j < n; j++) {
        const double weight = (answer[j] - exact[j]) * (double)m;
        total += weight;
        bits |= weight > 0.5 ? 1ul << j : 0;
        CHECK(fabs(weight) < 1e-9 || fabs(weight - 1.0) < 1e-9);
    }
    CHECK_NEAR(total, (double)m, 1e-9);
    free(answer);
    sp_workspace_free(space);
    return bits;
}

static void subsets_are_uniform(void)
{
    enum { RUNS = 20000 };
    private_problem p;
    private_problem_units(&p, 6);
    sp_oracle *o = private_oracle(&p, private_silent, 4);
    size_t seen[64] = { 0 }, next[64] = { 0 }, kinds = 0;
    unsigned long last = 0;
    double chi2 = 0.0, joint = 0.0;
    for (size_t t = 0; t < RUNS; t++) {
        sp_batch some;
        OK(o, sp_draw(o, sp_subset(3), &some));
        const unsigned long bits = members(o, &p, some, 3);
        seen[bits]++;
        next[(last & 7) * 8 + (bits & 7)] += t > 0;
        last = bits;
    }
    for (unsigned long bits = 0; bits < 64; bits++) {
        if (__builtin_popcountl(bits) != 3) {
            CHECK_EQUAL(seen[bits], 0);
            continue;
        }
        kinds++;
        chi2 += gsl_pow_2((double)seen[bits] - RUNS / 20.0) / (RUNS / 20.0);
    }
    CHECK_EQUAL(kinds, 20);
    CHECK_LESS_EQUAL(chi2, gsl_cdf_chisq_Qinv(1e-6, 19.0));
    CHECK_LESS_EQUAL(gsl_cdf_chisq_Qinv(1.0 - 1e-6, 19.0), chi2);
    /* one batch says nothing about the next: bits 0..2 hold k of 3 in C(3,k) / 20 of C(3,3-k) ways */
    static const double chance[8] = { 1 / 20., 3 / 20., 3 / 20., 3 / 20., 3 / 20., 3 / 20., 3 / 20., 1 / 20. };
    for (size_t a = 0; a < 8; a++)
        for (size_t b = 0; b < 8; b++) {
            const double expected = (RUNS - 1) * chance[a] * chance[b];
            joint += gsl_pow_2((double)next[a * 8 + b] - expected) / expected;
        }
    CHECK_LESS_EQUAL(joint, gsl_cdf_chisq_Qinv(1e-6, 63.0));
    sp_oracle_free(o);
    private_problem_free(&p);
}

static void fresh_batches_are_disjoint(void)
{
    private_problem p;
    private_problem_units(&p, 20);
    sp_oracle *o = private_oracle(&p, private_silent, 5), *other = private_oracle(&p, private_silent, 6);
    sp_batch batch;
    unsigned long used = 0, first_of_other;
    const size_t sizes[] = { 3, 1, 7, 5 };
    for (size_t i = 0; i < 4; i++) {
        OK(o, sp_draw(o, sp_fresh(sizes[i]), &batch));
        const unsigned long bits = members(o, &p, batch, sizes[i]);
        CHECK_EQUAL(used & bits, 0);
        used |= bits;
    }
    REFUSED(o, sp_draw(o, sp_fresh(5), &batch), SP_EDRAINED, "5 fresh records asked for, 4 of 20 are unused");
    OK(o, sp_draw(o, sp_fresh(4), &batch));
    CHECK_EQUAL(used | members(o, &p, batch, 4), (1ul << 20) - 1);
    CHECK_EQUAL(sp_draw(o, sp_fresh(1), &batch), SP_EDRAINED);
    OK(other, sp_draw(other, sp_fresh(10), &batch));
    first_of_other = members(other, &p, batch, 10);
    CHECK(first_of_other != (1ul << 10) - 1); /* shuffled, by the stream */
    sp_oracle_free(o);
    sp_oracle_free(other);
    private_problem_free(&p);
}

static void handles(void)
{
    private_problem p;
    private_problem_units(&p, 12);
    sp_oracle *o = private_oracle(&p, private_none, 7);
    sp_batch first, second, fresh, all;
    double out[12];
    const double *w = sp_start(o);
    OK(o, sp_draw(o, sp_subset(5), &first));
    OK(o, sp_draw(o, sp_fresh(2), &fresh));
    OK(o, sp_draw(o, sp_full(), &all));
    CHECK_EQUAL(all.id, 0);
    CHECK_EQUAL(sp_batch_size(o, all), 12);
    OK(o, sp_gradient(o, &SP_AT(first, w), 0.0, out)); /* draws of other kinds leave it valid */
    OK(o, sp_draw(o, sp_subset(6), &second));
    CHECK_EQUAL(sp_batch_size(o, second), 6);
    CHECK_EQUAL(sp_batch_size(o, first), 0);
    CHECK(isnan(sp_sensitivity(o, &SP_AT(first, w))));
    out[0] = 3.25;
    REFUSED(o, sp_gradient(o, &SP_AT(first, w), 0.0, out), SP_EINVAL, "no longer valid");
    REFUSED(o, sp_hessian(o, first, w, 0.0, out), SP_EINVAL, "no longer valid");
    CHECK(out[0] == 3.25); /* a failing call leaves its output untouched */
    OK(o, sp_gradient(o, &SP_AT(fresh, w), 0.0, out));
    OK(o, sp_draw(o, sp_fresh(2), &second));
    CHECK_EQUAL(sp_gradient(o, &SP_AT(fresh, w), 0.0, out), SP_EINVAL);
    CHECK_EQUAL(sp_gradient(o, &SP_AT((sp_batch){ 999 }, w), 0.0, out), SP_EINVAL);
    OK(o, sp_draw(o, sp_subset(12), &first)); /* a subset of all records is the full batch */
    CHECK_EQUAL(first.id, 0);
    REFUSED(o, sp_draw(o, sp_subset(0), &first), SP_EINVAL, "m = 0");
    REFUSED(o, sp_draw(o, sp_subset(13), &first), SP_EINVAL, "the batch's m = 13 must be in [1, 12]");
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* --- budget ------------------------------------------------------------------------------------------------- */

static void exact_plan(void)
{
    enum { REFRESHES = 12, STEPS = 150 };
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, 200, D);
    sp_oracle *o = private_oracle(&p, private_tight, 8);
    double s[2], out[D] = { 0 };
    const sp_release_plan plan[] = {
        { .kind = SP_GRADIENT, .sample = sp_full(), .count = REFRESHES, .share = 0.3 },
        { .kind = SP_DIFFERENCE, .sample = sp_subset(20), .count = STEPS, .share = 0.7 },
    };
    sp_batch part;
    OK(o, sp_calibrate(o, plan, 2, s));
    /* multiplier_e = c rate_e sqrt(count_e / (2 share_e)) */
    CHECK_NEAR(s[0] / sqrt(REFRESHES / 0.6), s[1] / (0.1 * sqrt(STEPS / 1.4)), 1e-12 * s[0]);
    for (size_t t = 0; t < STEPS; t++) {
        if (t < REFRESHES)
            OK(o, sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), s[0], out));
        OK(o, sp_draw(o, sp_subset(20), &part));
        OK(o, sp_gradient(o, &SP_BETWEEN(part, point_v, point_w), s[1], out));
    }
    const double spent = settle(o);
    CHECK_LESS_EQUAL(spent, 1.0);
    CHECK_LESS_EQUAL(1.0 - 2e-5, spent);
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 2);

    out[0] = 3.25;
    const sp_cost before = sp_oracle_cost(o);
    OK(o, sp_draw(o, sp_subset(20), &part));
    REFUSED(o, sp_gradient(o, &SP_BETWEEN(part, point_v, point_w), s[1], out), SP_EBUDGET,
            "gauss_wor:noise_multiplier=");
    CHECK_CONTAINS(sp_oracle_error(o)->text, "was not announced; with all that was it would bring zCDP");
    CHECK_CONTAINS(sp_oracle_error(o)->text, "of privacy.epsilon = 1");
    CHECK_EQUAL(sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), s[0], out), SP_EBUDGET);
    CHECK_EQUAL(sp_hessian(o, (sp_batch){ 0 }, point_v, s[0], (double[D * D]){ 0 }), SP_EBUDGET);
    CHECK(out[0] == 3.25 && sp_oracle_cost(o).releases == before.releases); /* refused before answering */
    CHECK(settle(o) == spent);
    REFUSED(o, sp_calibrate(o, plan, 2, s), SP_EBUDGET, "epsilon = 1");
    sp_oracle_free(o);
    private_problem_free(&p);
}

static void plain_shares_are_shares_of_rho(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, 50, D);
    sp_oracle *o = private_oracle(&p, private_tight, 8);
    const double rho = sp_budget_of(o)->rho;
    double s[3], out[D];
    OK(o, sp_filter_by(o, SP_FILTER_GAUSS));
    const sp_release_plan plan[] = { { .kind = SP_GRADIENT, .sample = sp_full(), .count = 7, .share = 1.0 },
                                     { .kind = SP_HESSIAN, .sample = sp_full(), .count = 0, .share = 5.0 },
                                     { .kind = SP_GRADIENT, .sample = sp_subset(50), .count = 90, .share = 3.0 } };
    OK(o, sp_calibrate(o, plan, 3, s));
    CHECK_NEAR(7.0 / (2.0 * s[0] * s[0]), 0.25 * rho, 1e-9 * rho);
    CHECK_NEAR(90.0 / (2.0 * s[2] * s[2]), 0.75 * rho, 1e-9 * rho);
    CHECK(s[1] == 0.0); /* nothing announced, nothing to release with */
    REFUSED(o, sp_filter_by(o, SP_FILTER_BASIC), SP_EINVAL, "before the first plan");
    /* half way, announce anew: what is left goes to the new plan, and the old announcements are void */
    for (size_t t = 0; t < 7; t++)
        OK(o, sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), s[0], out));
    CHECK_NEAR(sp_remaining(o), 0.0, 1e-8 * rho); /* it is all announced */
    double old = s[2];
    OK(o, sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_full(), .count = 2 }, 1, s));
    CHECK_NEAR(2.0 / (2.0 * s[0] * s[0]), 0.75 * rho, 1e-8 * rho);
    OK(o, sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), s[0], out));
    OK(o, sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), s[0], out));
    CHECK_EQUAL(sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), old, out), SP_EBUDGET);
    CHECK_NEAR(settle(o), 1.0, 1e-6);
    CHECK_NEAR(sp_remaining(o), 0.0, 1e-6 * rho);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* A filter: releases that nobody announced, each within what remains. */
static void unannounced(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, 50, D);
    double out[D], s;
    for (int exact = 0; exact < 2; exact++) { /* in zCDP; in Gaussian DP, which is all of it for Gaussians */
        sp_oracle *o = private_oracle(&p, private_tight, 9);
        const double unit = exact ? 1.0 : 2.0, budget = exact ? gsl_pow_2(sp_budget_of(o)->mu) : sp_budget_of(o)->rho_z;
        if (exact)
            OK(o, sp_filter_by(o, SP_FILTER_GAUSS));
        double left = sp_remaining(o);
        CHECK_NEAR(left, budget, 1e-9 * budget);
        for (size_t t = 0; t < 30; t++) {
            OK(o, sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), 1.0 / sqrt(unit * 0.1 * left), out));
            CHECK_NEAR(sp_remaining(o), 0.9 * left, 1e-7 * left);
            left = sp_remaining(o);
        }
        CHECK_EQUAL(sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), 1.0 / sqrt(unit * 1.001 * left), out), SP_EBUDGET);
        OK(o, sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), 1.0 / sqrt(unit * left), out));
        CHECK_EQUAL(sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), 1e4, out), SP_EBUDGET);
        CHECK_NEAR(settle(o), 1.0, 1e-6);
        CHECK_EQUAL(sp_ledger_filter(sp_oracle_ledger(o)), exact ? SP_FILTER_GAUSS : SP_FILTER_ZCDP);
        sp_oracle_free(o);
    }

    /* less noise than announced is another release, and the plan has left nothing for others */
    sp_oracle *o = private_oracle(&p, private_tight, 9);
    OK(o, sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_full(), .count = 10 }, 1, &s));
    OK(o, sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), 1.5 * s, out)); /* more noise is covered */
    REFUSED(o, sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), s / 2.0, out), SP_EBUDGET, "was not announced");
    size_t answered = 0;
    while (sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), s, out) == SP_OK)
        answered++;
    CHECK_EQUAL(answered, 9);
    CHECK_EQUAL(sp_ledger_filter(sp_oracle_ledger(o)), SP_FILTER_NONE);
    CHECK_EQUAL(sp_oracle_error(o)->status, SP_EBUDGET);
    CHECK_LESS_EQUAL(settle(o), 1.0);
    sp_oracle_free(o);
    private_problem_free(&p);
}

static void parallel_pools(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, 1000, D);
    sp_oracle *o = private_oracle(&p, private_tight, 10);
    const double mu = sp_budget_of(o)->mu;
    double s[2], out[D];
    sp_batch batch;
    const sp_release_plan plan = { .kind = SP_GRADIENT, .sample = sp_fresh(10), .count = 100 };
    OK(o, sp_calibrate(o, &plan, 1, s));
    CHECK_NEAR(s[0], 1.0 / mu, 1e-9 / mu); /* every record is in one batch at most */
    for (size_t t = 0; t < 99; t++) {
        OK(o, sp_draw(o, sp_fresh(10), &batch));
        OK(o, sp_gradient(o, &SP_AT(batch, point_v), s[0], out));
    }
    CHECK_EQUAL(sp_oracle_ledger(o)->pools, 99);
    CHECK_NEAR(settle(o), 1.0, 1e-6);
    REFUSED(o, sp_gradient(o, &SP_AT(batch, point_v), s[0], out), SP_EBUDGET, "pool=99");
    CHECK_EQUAL(sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), 1000.0, out), SP_EBUDGET); /* outer: all pools pay */
    OK(o, sp_draw(o, sp_fresh(10), &batch));
    OK(o, sp_gradient(o, &SP_AT(batch, point_v), s[0], out));
    CHECK_NEAR(settle(o), 1.0, 1e-6);
    sp_oracle_free(o);

    o = private_oracle(&p, private_tight, 10); /* outer and pool together */
    const sp_release_plan both[] = { { .kind = SP_GRADIENT, .sample = sp_full(), .count = 3, .share = 0.4 },
                                     { .kind = SP_GRADIENT, .sample = sp_fresh(50), .count = 20, .share = 0.6 } };
    OK(o, sp_calibrate(o, both, 2, s));
    CHECK_NEAR(3.0 / gsl_pow_2(s[0]) + 1.0 / gsl_pow_2(s[1]), mu * mu, 1e-9 * mu * mu);
    for (size_t t = 0; t < 20; t++) {
        if (t < 3)
            OK(o, sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), s[0], out));
        OK(o, sp_draw(o, sp_fresh(50), &batch));
        OK(o, sp_gradient(o, &SP_AT(batch, point_v), s[1], out));
    }
    CHECK_NEAR(settle(o), 1.0, 1e-6);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Without announcements the gate knows that pools do not add, and that each pays what all records pay. */
static void unannounced_pools(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, 1000, D);
    sp_oracle *o = private_oracle(&p, private_tight, 10);
    const double mu = sp_budget_of(o)->mu;
    double out[D];
    sp_batch batch;
    OK(o, sp_filter_by(o, SP_FILTER_GAUSS));
    for (size_t t = 0; t < 5; t++) {
        OK(o, sp_draw(o, sp_fresh(10), &batch));
        OK(o, sp_gradient(o, &SP_AT(batch, point_v), 1.0 / (0.6 * mu), out));
    }
    OK(o, sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), 1.0 / (0.7 * mu), out)); /* 0.36 + 0.49 of mu^2 */
    CHECK_NEAR(sp_remaining(o), 0.15 * mu * mu, 1e-6 * mu * mu);
    REFUSED(o, sp_gradient(o, &SP_AT(batch, point_v), 1.0 / (0.4 * mu), out), SP_EBUDGET, "pool=5"); /* + 0.16 */
    OK(o, sp_draw(o, sp_fresh(10), &batch));
    OK(o, sp_gradient(o, &SP_AT(batch, point_v), 1.0 / (0.714 * mu), out)); /* a new pool: 0.51 + 0.49 */
    CHECK_EQUAL(sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), 1.0 / (0.1 * mu), out), SP_EBUDGET);
    CHECK_LESS_EQUAL(settle(o), 1.0);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* The last line of defence reads the ledger alone. */
static void settling_over_budget(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, 50, D);
    const sp_entry smuggled = { .kind = SP_LEDGER_GAUSS, .noise_multiplier = 3.5, .count = 1 };
    for (size_t i = 0; i < 2; i++) {
        sp_oracle *o = private_oracle(&p, i == 0 ? private_tight : private_paper, 11);
        sp_bounds bounds;
        sp_error error = { .text = "" };
        CHECK_EQUAL(sp_ledger_append((sp_ledger *)sp_oracle_ledger(o), &smuggled), SP_OK);
        CHECK_EQUAL(sp_oracle_spent(o, &bounds, &error), i == 0 ? SP_EBUDGET : SP_OK);
        CHECK_NEAR(bounds.best, sp_gaussian_epsilon(1.0 / 3.5, 1e-6), 1e-12);
        CHECK(bounds.best > 1.0);
        if (i == 0)
            CHECK_CONTAINS(error.text, "privacy.epsilon = 1, but the ledger spent 1.2");
        sp_oracle_free(o);
    }
    private_problem_free(&p);
}

static void one_subset_one_release(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, 50, D);
    sp_oracle *o = private_oracle(&p, private_tight, 11);
    sp_batch some;
    double out[D];
    OK(o, sp_draw(o, sp_subset(5), &some));
    OK(o, sp_gradient(o, &SP_AT(some, point_v), 30.0, out));
    REFUSED(o, sp_gradient(o, &SP_AT(some, point_v), 30.0, out), SP_EPRIVACY, "draw anew");
    CHECK_EQUAL(sp_hessian(o, some, point_v, 30.0, (double[D * D]){ 0 }), SP_EPRIVACY);
    OK(o, sp_draw(o, sp_subset(5), &some));
    OK(o, sp_gradient(o, &SP_AT(some, point_v), 30.0, out));
    sp_text text = { 0 };
    sp_ledger_print(sp_oracle_ledger(o), &text);
    CHECK_TEXT(text.data, "gauss_wor noise_multiplier=30 rate=0.1 count=2 sensitivity_low=0.4 sensitivity_high=0.4 "
                          "filter=zcdp\n");
    sp_text_free(&text);
    sp_oracle_free(o);
    private_problem_free(&p);
}

static void paper_calibration(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, 50, D);
    sp_oracle *o = private_oracle(&p, private_paper, 12);
    sp_release_plan plan = { .kind = SP_GRADIENT, .sample = sp_full(), .count = 4 };
    double s = NAN, out[D];
    REFUSED(o, sp_calibrate(o, &plan, 1, &s), SP_EUNSUPPORTED, "no printed formula");
    plan.paper = 0.8;
    OK(o, sp_calibrate(o, &plan, 1, &s));
    CHECK(s == 0.8);
    for (size_t t = 0; t < 6; t++) { /* no gate */
        OK(o, sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), s, out));
        if (t < 4)
            CHECK_NEAR(settle(o), sp_gaussian_epsilon(sqrt((double)t + 1.0) / 0.8, 1e-6), 1e-9); /* really spent */
        else
            CHECK_NEAR(settle(o), sp_zcdp_epsilon(((double)t + 1.0) / 2.0 / 0.64, 1e-6), 1e-9); /* not announced */
    }
    CHECK(settle(o) > 5.0);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* One record more or less: the accountant's other relation, for what was announced on Poisson samples and no more. */
static void add_remove(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, 50, D);
    sp_privacy privacy = private_tight;
    privacy.neighbours = SP_ADD_REMOVE;
    sp_oracle *o = private_oracle(&p, privacy, 12), *child;
    sp_release_plan plan = { .kind = SP_GRADIENT, .sample = sp_poisson(0.2), .count = 4 };
    const sp_release_plan others[] = {
        { .kind = SP_GRADIENT, .sample = sp_full(), .count = 1 },
        { .kind = SP_GRADIENT, .sample = sp_poisson(1.0), .count = 1 },
        { .kind = SP_GRADIENT, .sample = sp_subset(10), .count = 1 },
        { .kind = SP_GRADIENT, .sample = sp_fresh(10), .count = 1 },
        { .kind = SP_GRADIENT, .sample = sp_pass(10, false), .count = 1 },
        { .kind = SP_SELECTION, .sample = sp_full(), .count = 1, .epsilon = 0.1 },
    };
    double multiplier = NAN, factor = NAN, out[D], replaced = NAN;
    sp_batch batch;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        REFUSED(o, sp_calibrate(o, &others[i], 1, &multiplier), SP_EPRIVACY, "add_remove");
    REFUSED(o, sp_child(o, &(sp_child_options){ .share = 0.5 }, &child), SP_EPRIVACY, "add_remove");
    OK(o, sp_calibrate(o, &plan, 1, &multiplier));
    sp_ledger planned = { 0 };
    sp_error error;
    CHECK_EQUAL(sp_ledger_append(&planned, &(sp_entry){ .kind = SP_LEDGER_POISSON, .noise_multiplier = 1.0,
                                                        .rate = 0.2, .count = 4 }), SP_OK);
    CHECK_EQUAL(sp_calibrate_under(NULL, &planned, SP_ADD_REMOVE, 1.0, 1e-6, &factor, &error), SP_OK);
    CHECK_NEAR(multiplier, factor, 1e-4 * factor);
    CHECK_EQUAL(sp_calibrate_under(NULL, &planned, SP_REPLACE_ONE, 1.0, 1e-6, &replaced, &error), SP_OK);
    CHECK(multiplier < 0.7 * replaced);
    for (size_t t = 0; t < 4; t++) {
        OK(o, sp_draw(o, sp_poisson(0.2), &batch));
        OK(o, sp_gradient(o, &SP_AT(batch, point_v), multiplier, out));
    }
    CHECK(settle(o) > 0.999 && settle(o) <= 1.0);
    sp_bounds bounds; /* which replace-one would not let pass */
    CHECK_EQUAL(sp_account(sp_oracle_ledger(o), SP_REPLACE_ONE, 1e-6, &bounds, &error), SP_OK);
    CHECK(bounds.best > 1.3);
    OK(o, sp_draw(o, sp_poisson(0.2), &batch));
    REFUSED(o, sp_gradient(o, &SP_AT(batch, point_v), 1e6, out), SP_EBUDGET, "was not announced");
    REFUSED(o, sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), 1e6, out), SP_EPRIVACY, "Poisson samples");
    REFUSED(o, sp_hessian(o, (sp_batch){ 0 }, point_v, 1e6, (double[D * D]){ 0.0 }), SP_EPRIVACY, "Poisson samples");
    sp_oracle_free(o);
    sp_ledger_free(&planned);
    private_problem_free(&p);
}

static void without_privacy(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, 50, D);
    const sp_privacy modes[] = { private_none, private_silent };
    for (size_t i = 0; i < 2; i++) {
        sp_oracle *o = private_oracle(&p, modes[i], 13);
        sp_bounds bounds;
        double s = NAN, out[D];
        CHECK(settle(o) == 0.0); /* nothing was released */
        OK(o, sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_full(), .count = 9 }, 1, &s));
        CHECK(s == 0.0);
        OK(o, sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), s, out));
        CHECK_EQUAL(sp_oracle_spent(o, &bounds, NULL), SP_OK);
        CHECK(isinf(bounds.best) && isinf(bounds.epsilon[SP_BOUND_GAUSS]) && isinf(bounds.epsilon[SP_BOUND_RDP]));
        CHECK_EQUAL(sp_oracle_ledger(o)->count, 0);
        CHECK(isinf(sp_remaining(o)) && !sp_budget_of(o)->noise);
        CHECK((i == 0) == (isinf(sp_budget_of(o)->mu) && isinf(sp_budget_of(o)->epsilon)));
        sp_oracle_free(o);
    }
    sp_oracle *o = private_oracle(&p, private_tight, 13);
    const sp_budget *b = sp_budget_of(o);
    CHECK(b->epsilon == 1.0 && b->delta == 1e-6 && b->noise);
    CHECK(b->mu == sp_gaussian_mu(1.0, 1e-6) && b->rho == b->mu * b->mu / 2.0 && b->rho_z == sp_zcdp_rho(1.0, 1e-6));
    CHECK(settle(o) == 0.0);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* --- streams, reporting ------------------------------------------------------------------------------------- */

static void first_answers(const private_problem *p, sp_oracle_options options, double *full, double *some)
{
    sp_oracle *o = NULL;
    sp_batch batch;
    CHECK_EQUAL(sp_oracle_new(&options, &o, NULL), SP_OK);
    OK(o, sp_draw(o, sp_subset(p->data.n / 2), &batch));
    gsl_rng_uniform(sp_coins(o));
    OK(o, sp_gradient(o, &SP_AT((sp_batch){ 0 }, point_v), 50.0, full));
    OK(o, sp_gradient(o, &SP_AT(batch, point_v), 50.0, some));
    sp_oracle_free(o);
}

static void streams(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, 50, D);
    const sp_oracle_options base = private_options(&p, private_tight, 14);
    sp_oracle_options noise = base, sampling = base, others = base;
    noise.noise.word[0]++;
    sampling.sampling.word[1]++;
    others.coins.word[0]++;
    others.selection.word[0]++;
    double full[2][D], some[2][D];
    first_answers(&p, base, full[0], some[0]);
    first_answers(&p, base, full[1], some[1]);
    CHECK(memcmp(full[0], full[1], sizeof full[0]) == 0 && memcmp(some[0], some[1], sizeof some[0]) == 0);
    first_answers(&p, others, full[1], some[1]);
    CHECK(memcmp(full[0], full[1], sizeof full[0]) == 0 && memcmp(some[0], some[1], sizeof some[0]) == 0);
    first_answers(&p, sampling, full[1], some[1]);
    CHECK(memcmp(full[0], full[1], sizeof full[0]) == 0 && memcmp(some[0], some[1], sizeof some[0]) != 0);
    first_answers(&p, noise, full[1], some[1]);
    CHECK(memcmp(full[0], full[1], sizeof full[0]) != 0);
    private_problem_free(&p);
}

typedef struct diary {
    size_t calls, step;
    double first;
    sp_status answer;
} diary;

static sp_status note(void *context, size_t step, const double *w)
{
    diary *d = context;
    d->calls++;
    d->step = step;
    d->first = w[0];
    return d->answer;
}

static void reporting(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, 50, D);
    diary d = { 0 };
    sp_oracle_options options = private_options(&p, private_tight, 15);
    sp_oracle *o = NULL;
    size_t count = 0;
    options.checkpoint = note;
    options.context = &d;
    CHECK_EQUAL(sp_oracle_new(&options, &o, NULL), SP_OK);
    OK(o, sp_checkpoint(o, 0, point_v));
    OK(o, sp_checkpoint(o, 4, point_w));
    OK(o, sp_checkpoint(o, 4, point_w));
    CHECK(d.calls == 3 && d.step == 4 && d.first == point_w[0]);
    REFUSED(o, sp_checkpoint(o, 3, point_w), SP_EINVAL, "step 3 comes after step 4");
    d.answer = SP_ELIMIT;
    CHECK_EQUAL(sp_checkpoint(o, 5, point_w), SP_ELIMIT);

    sp_resolved(o, "eta", 0.5, SP_FROM_THEORY);
    sp_capped(o, "steps", 70.0, 71.5, SP_FROM_THEORY);
    sp_capped(o, "period", 7.0, 7.0, SP_FROM_BALANCE);
    sp_resolved(o, "eta", 0.25, SP_FROM_USER);
    const sp_resolved_value *values = sp_oracle_resolved(o, &count);
    CHECK_EQUAL(count, 3);
    CHECK_TEXT(values[0].key, "eta");
    CHECK(values[0].value == 0.25 && values[0].from == SP_FROM_USER && isnan(values[0].wanted));
    CHECK(values[1].value == 70.0 && values[1].from == SP_FROM_CAP && values[1].wanted == 71.5);
    CHECK(values[2].value == 7.0 && values[2].from == SP_FROM_BALANCE && isnan(values[2].wanted));

    CHECK_TEXT(sp_oracle_warning(o), "");
    sp_warn(o, "the bound %g is vacuous", 1.75);
    sp_warn(o, "again");
    CHECK_TEXT(sp_oracle_warning(o), "the bound 1.75 is vacuous; again");
    CHECK_EQUAL(sp_oracle_warned(o), sp_warning_bit(SP_WARNED_METHOD));
    sp_warn_of(o, SP_WARNED_INEXACT, "a third");
    CHECK_EQUAL(sp_oracle_warned(o), sp_warning_bit(SP_WARNED_METHOD) | sp_warning_bit(SP_WARNED_INEXACT));
    double bound, at_start;
    sp_oracle_promise(o, &bound, &at_start);
    CHECK(isnan(bound) && isnan(at_start));
    sp_promised(o, 0.385, 1.5); /* the first one, until one is vacuous */
    sp_promised(o, 0.25, 1.5);
    sp_oracle_promise(o, &bound, &at_start);
    CHECK(bound == 0.385 && at_start == 1.5);
    sp_promised(o, 2.385, 1.75);
    sp_promised(o, 3.0, 1.0);
    sp_oracle_promise(o, &bound, &at_start);
    CHECK(bound == 2.385 && at_start == 1.75);
    REFUSED(o, sp_refuse(o, SP_EMISFIT, "needs q = %d%%", 3), SP_EMISFIT, "needs q = 3%");

    CHECK(sp_public(o)->L_data == p.problem.declared.L_data && sp_public(o)->n == 50);
    CHECK(sp_domain_of(o)->kind == SP_DOMAIN_SPACE && sp_domain_of(o)->d == D);
    CHECK(sp_dimension(o) == D && sp_records(o) == 50);
    CHECK(memcmp(sp_start(o), p.problem.start, D * sizeof(double)) == 0);
    sp_oracle_free(o);
    sp_oracle_free(NULL);
    private_problem_free(&p);
}

/* Bounds so small that the noise would be 0 where the answer is not; so large that sums would overflow. */
static void extreme_bounds(void)
{
    enum { MANY = 20000 };
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, MANY, D);
    sp_oracle *o = private_oracle(&p, private_tight, 41);
    const double w[D] = { 0.31, -1.27, 0.05 };
    const sp_batch all = { 0 };
    double one[D], other[D];
    sp_query query = SP_AT(all, w);
    query.bound = 1e-320;
    CHECK_NEAR(sp_sensitivity(o, &query), 2e-150 / MANY, 1e-160);
    OK(o, sp_gradient(o, &query, 1e6, one));
    OK(o, sp_gradient(o, &query, 1e6, other));
    CHECK(one[0] != other[0]);
    query.term[0].coefficient = 1e308;
    query.bound = 1e307;
    REFUSED(o, sp_gradient(o, &query, 1e6, one), SP_EPRIVACY, "bound = 1e+307");
    query.bound = 1e150;
    OK(o, sp_gradient(o, &query, 1e6, one));
    for (size_t j = 0; j < D; j++)
        CHECK(isfinite(one[j]));
    sp_oracle_free(o);
    private_problem_free(&p);
}

int main(void)
{
    gsl_set_error_handler_off();
    answers_without_noise();
    noise_deviation();
    sensitivity_is_a_bound();
    equal_points_are_free_but_charged();
    subsets_are_uniform();
    fresh_batches_are_disjoint();
    handles();
    exact_plan();
    plain_shares_are_shares_of_rho();
    unannounced();
    parallel_pools();
    unannounced_pools();
    settling_over_budget();
    one_subset_one_release();
    paper_calibration();
    add_remove();
    without_privacy();
    streams();
    reporting();
    extreme_bounds();
    return sp_check_done();
}
