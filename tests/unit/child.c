/* child.c -- oracles inside oracles: shares, pools, projections, and one ledger that knows it all. */
#include "algorithms/algorithm.h"
#include "tests/private_problem.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_math.h>

enum { N = 80, D = 4, K = 2 };

static const double point[D] = { 0.31, -1.27, 0.05, 2.2 };
static const sp_batch all = { 0 };

static double settle(const sp_oracle *o)
{
    sp_bounds bounds = { .best = NAN };
    sp_error error = { .text = "" };
    SP_CHECK_REPORT(sp_oracle_spent(o, &bounds, &error) == SP_OK, "%s", error.text);
    return bounds.best;
}

static double mu2_of(const sp_oracle *o, size_t pool)
{
    const sp_ledger *ledger = sp_oracle_ledger(o);
    double mu2 = 0.0;
    for (size_t i = 0; i < ledger->count; i++)
        if (ledger->entry[i].kind == SP_LEDGER_GAUSS && (ledger->entry[i].pool == 0 || ledger->entry[i].pool == pool))
            mu2 += (double)ledger->entry[i].count / gsl_pow_2(ledger->entry[i].noise_multiplier);
    return mu2;
}

/* All that remains of one oracle's budget, on one release on all records. */
static double exhaust(sp_oracle *o)
{
    double s, out[D];
    OK(o, sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_full(), .count = 1 }, 1, &s));
    OK(o, sp_gradient(o, &SP_AT(all, point), s, out));
    CHECK_EQUAL(sp_gradient(o, &SP_AT(all, point), 100.0 * s, out), SP_EBUDGET);
    return s;
}

/* (epsilon, delta) shares: each is kept, together they are the parent's, and the ledger comes to less. */
static void basic_shares(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 81), *first = NULL, *second = NULL, *third = NULL;
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_BASIC, .share = 0.4 }, &first));
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_BASIC, .share = 0.35 }, &second));
    CHECK_NEAR(sp_budget_of(first)->epsilon, 0.4, 1e-15);
    CHECK_NEAR(sp_budget_of(first)->delta, 0.4e-6, 1e-20);
    CHECK_NEAR(sp_budget_of(first)->mu, sp_gaussian_mu(0.4, 0.4e-6), 1e-12);
    CHECK_NEAR(sp_budget_of(second)->rho_z, sp_zcdp_rho(0.35, 0.35e-6), 1e-12);
    REFUSED(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_BASIC, .share = 0.26 }, &third), SP_EBUDGET, "0.75");
    REFUSED(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_ZCDP, .share = 0.2 }, &third), SP_EPRIVACY, "zCDP");
    CHECK(third == NULL);
    const double s1 = exhaust(first), s2 = exhaust(second);
    CHECK_NEAR(1.0 / s1, sp_gaussian_mu(0.4, 0.4e-6), 1e-9);
    CHECK_NEAR(1.0 / s2, sp_gaussian_mu(0.35, 0.35e-6), 1e-9);
    const double s0 = exhaust(o); /* the parent keeps the rest for itself */
    CHECK_NEAR(1.0 / s0, sp_gaussian_mu(0.25, 0.25e-6), 1e-9);
    CHECK_NEAR(mu2_of(o, 0), 1.0 / (s0 * s0) + 1.0 / (s1 * s1) + 1.0 / (s2 * s2), 1e-12);
    CHECK_NEAR(settle(o), sp_gaussian_epsilon(sqrt(mu2_of(o, 0)), 1e-6), 1e-12);
    CHECK_LESS_EQUAL(settle(o), 1.0);
    CHECK_EQUAL(sp_oracle_cost(o).releases, 3);
    CHECK(sp_oracle_cost(o).gradients == 3.0 * N && sp_oracle_cost(first).gradients == N);
    CHECK_CONTAINS(sp_oracle_error(first)->text, "of privacy.epsilon = 0.4");
    sp_oracle_free(o); /* and its children */
    private_problem_free(&p);
}

/* zCDP shares: of rho_z; they add up to all of it. */
static void zcdp_shares(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 82), *first = NULL, *second = NULL, *third = NULL;
    const double rho = sp_budget_of(o)->rho_z;
    double out[D];
    sp_batch batch;
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_ZCDP, .share = 0.3 }, &first));
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_ZCDP, .share = 0.6 }, &second));
    CHECK_NEAR(sp_remaining(first), 0.3 * rho, 1e-15);
    CHECK_NEAR(sp_remaining(o), 0.1 * rho, 1e-15);
    CHECK_NEAR(sp_budget_of(first)->epsilon, sp_zcdp_epsilon(0.3 * rho, 1e-6), 1e-12);
    /* a filter */
    OK(first, sp_gradient(first, &SP_AT(all, point), 1.0 / sqrt(2.0 * 0.2 * rho), out));
    CHECK_NEAR(sp_remaining(first), 0.1 * rho, 1e-12);
    REFUSED(first, sp_gradient(first, &SP_AT(all, point), 1.0 / sqrt(2.0 * 0.1001 * rho), out), SP_EBUDGET, "zCDP");
    const sp_space space = { .kind = SP_SPACE_LIST, .count = 2, .points = (double[2 * D]){ 0.3, 0.1 } };
    const sp_score score = { .kind = SP_SCORE_LOSS, .reference = point };
    OK(first, sp_choose(first, all, &space, &score, SP_CHOOSE_EXPONENTIAL, sqrt(8.0 * 0.04 * rho), out, NULL));
    OK(first, sp_choose(first, all, &space, &score, SP_CHOOSE_NOISY_MIN, sqrt(2.0 * 0.05 * rho), out, NULL));
    CHECK_NEAR(sp_remaining(first), 0.01 * rho, 1e-12);
    OK(second, sp_draw(second, sp_subset(7), &batch));
    REFUSED(second, sp_gradient(second, &SP_AT(batch, point), 5.0, out), SP_EBUDGET, "zCDP to 0.02"); /* as on all */
    REFUSED(second, sp_calibrate(second, &(sp_release_plan){ .sample = sp_subset(7), .count = 3 }, 1, out), SP_EPRIVACY,
            "sampling has no zCDP");
    const double s2 = exhaust(second), s0 = exhaust(o);
    CHECK_NEAR(0.5 / (s2 * s2), 0.6 * rho, 1e-9 * rho);
    CHECK_NEAR(0.5 / (s0 * s0), 0.1 * rho, 1e-9 * rho);
    CHECK_LESS_EQUAL(settle(o), 1.0);
    REFUSED(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_BASIC, .share = 0.1 }, &third), SP_EPRIVACY, "add");
    REFUSED(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_ZCDP, .share = 0.05 }, &third), SP_EBUDGET, "spent");
    sp_oracle_free(o);

    /* Gaussians on fresh batches and on all records, announced together */
    o = private_oracle(&p, private_tight, 83);
    double s[2];
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_ZCDP, .share = 0.5 }, &first));
    const sp_release_plan plan[] = { { .kind = SP_GRADIENT, .sample = sp_full(), .count = 3, .share = 0.4 },
                                     { .kind = SP_GRADIENT, .sample = sp_fresh(10), .count = 5, .share = 0.6 } };
    OK(first, sp_calibrate(first, plan, 2, s));
    CHECK_NEAR(1.5 / (s[0] * s[0]) + 0.5 / (s[1] * s[1]), 0.5 * rho, 1e-9 * rho);
    for (size_t t = 0; t < 5; t++) {
        if (t < 3)
            OK(first, sp_gradient(first, &SP_AT(all, point), s[0], out));
        OK(first, sp_draw(first, sp_fresh(10), &batch));
        OK(first, sp_gradient(first, &SP_AT(batch, point), s[1], out));
    }
    CHECK_NEAR(sp_remaining(first), 0.0, 1e-9 * rho);
    CHECK_EQUAL(sp_oracle_ledger(o)->pools, 5); /* the only family: it keeps its pools */
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Which of the unit records an oracle on n of them sees, by the data part of its gradient. */
static unsigned long seen(sp_oracle *o, const private_problem *p, size_t n)
{
    const size_t d = p->data.d;
    sp_workspace *space = sp_workspace_new(&p->problem);
    double answer[64], exact[64], centre[64];
    unsigned long bits = 0;
    for (size_t j = 0; j < d; j++)
        centre[j] = 1.0 / sqrt((double)d);
    OK(o, sp_gradient(o, &SP_AT(all, centre), 0.0, answer));
    sp_public_query(&p->problem, space, 1, &(sp_term){ 1.0, centre }, exact);
    for (size_t j = 0; j < d; j++) {
        const double weight = (answer[j] - exact[j]) * (double)n;
        CHECK(fabs(weight) < 1e-9 || fabs(weight - 1.0) < 1e-9);
        bits |= weight > 0.5 ? 1ul << j : 0;
    }
    sp_workspace_free(space);
    return bits;
}

static void disjoint_records(void)
{
    private_problem p;
    private_problem_units(&p, 20);
    sp_oracle *o = private_oracle(&p, private_silent, 84), *child[2] = { NULL }, *third = NULL;
    sp_batch batch;
    unsigned long bits[2];
    for (size_t i = 0; i < 2; i++) {
        OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_DISJOINT, .share = 1.0, .pool = 7 + i }, &child[i]));
        CHECK_EQUAL(sp_records(child[i]), 7 + i);
        CHECK_EQUAL(sp_public(child[i])->n, 7 + i);
        bits[i] = seen(child[i], &p, 7 + i);
        CHECK_EQUAL(__builtin_popcountl(bits[i]), 7 + i);
    }
    CHECK_EQUAL(bits[0] & bits[1], 0);
    REFUSED(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_DISJOINT, .share = 1.0, .pool = 6 }, &third),
            SP_EDRAINED, "6 records asked for, 5 of 20");
    OK(o, sp_draw(o, sp_fresh(5), &batch));
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Children on records of their own have the whole budget each; what all records pay comes on top. */
static void disjoint_budgets(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 85), *child[3] = { NULL };
    double out[D];
    sp_batch batch;
    for (size_t i = 0; i < 3; i++) {
        OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_DISJOINT, .share = 1.0, .pool = 20 }, &child[i]));
        CHECK_NEAR(1.0 / exhaust(child[i]), sp_budget_of(o)->mu, 1e-8);
        CHECK_NEAR(settle(o), 1.0, 1e-6); /* parallel */
        CHECK_EQUAL(sp_oracle_ledger(o)->pools, i + 1);
    }
    OK(o, sp_draw(o, sp_fresh(20), &batch)); /* the parent's own, beside them */
    REFUSED(o, sp_gradient(o, &SP_AT(batch, point), 1.0 / sp_budget_of(o)->mu * (1.0 + 1e-9), out), SP_EBUDGET, "pool");
    OK(o, sp_gradient(o, &SP_AT(batch, point), 1.0 / sqrt(2.0 * sp_budget_of(o)->rho_z) * (1.0 + 1e-9), out));
    CHECK_NEAR(settle(o), 1.0, 1e-6); /* by shares: the children's plans are more than zCDP has */
    REFUSED(o, sp_gradient(o, &SP_AT(all, point), 1000.0, out), SP_EBUDGET, "children");
    CHECK_EQUAL(sp_calibrate(o, &(sp_release_plan){ .sample = sp_full(), .count = 1 }, 1, out), SP_EBUDGET);
    CHECK(sp_remaining(o) == 0.0);
    sp_oracle_free(o);

    /* smaller shares leave room for releases on all records; after one of those they are what they are */
    o = private_oracle(&p, private_tight, 86);
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_DISJOINT, .share = 0.7, .pool = 20 }, child));
    OK(o, sp_draw(o, sp_fresh(10), &batch));
    OK(o, sp_gradient(o, &SP_AT(batch, point), 60.0, out));
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_DISJOINT, .share = 0.71, .pool = 20 }, &child[1]));
    OK(o, sp_gradient(o, &SP_AT(all, point), 60.0, out));
    REFUSED(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_DISJOINT, .share = 0.72, .pool = 20 }, &child[2]),
            SP_EBUDGET, "judged against 0.29 of the budget");
    REFUSED(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_BASIC, .share = 0.01 }, &child[2]), SP_EBUDGET,
            "make the child before the first release");
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_DISJOINT, .share = 0.5, .pool = 20 }, &child[2]));
    exhaust(child[0]);
    CHECK_LESS_EQUAL(settle(o), 1.0);
    exhaust(o);
    CHECK_LESS_EQUAL(settle(o), 1.0);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Fresh batches inside children: of records of its own they are inside its pool; of the same records they overlap. */
static void pools_inside(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    double out[D], multiplier;
    sp_batch batch;
    sp_oracle *o = private_oracle(&p, private_tight, 87), *child[2] = { NULL };
    OK(o, sp_filter_by(o, SP_FILTER_GAUSS));
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_DISJOINT, .share = 1.0, .pool = 40 }, child));
    OK(child[0], sp_filter_by(child[0], SP_FILTER_GAUSS));
    for (size_t t = 0; t < 4; t++) { /* 4 pools of 0.5 mu^2, and 0.3 for all of the child's records */
        OK(child[0], sp_draw(child[0], sp_fresh(10), &batch));
        OK(child[0], sp_gradient(child[0], &SP_AT(batch, point), 1.0 / (sp_budget_of(o)->mu * sqrt(0.5)), out));
        if (t == 1)
            OK(child[0], sp_gradient(child[0], &SP_AT(all, point), 1.0 / (sp_budget_of(o)->mu * sqrt(0.3)), out));
    }
    const double all_of_it = gsl_pow_2(sp_budget_of(o)->mu);
    CHECK_NEAR(mu2_of(o, 1), 0.3 * all_of_it, 1e-9); /* the rest of the child's records, then its batches */
    for (size_t pool = 2; pool <= 5; pool++)
        CHECK_NEAR(mu2_of(o, pool), 0.8 * all_of_it, 1e-9);
    CHECK_NEAR(mu2_of(o, 6), 0.0, 0.0);
    CHECK_NEAR(mu2_of(child[0], 3), 0.8 * all_of_it, 1e-9);
    OK(o, sp_draw(o, sp_fresh(5), &batch)); /* the next pool's number is nobody's */
    OK(o, sp_gradient(o, &SP_AT(batch, point), 1.0 / (sp_budget_of(o)->mu * sqrt(0.6)), out));
    OK(child[0], sp_gradient(child[0], &SP_AT(all, point), 1.0 / (sp_budget_of(o)->mu * sqrt(0.1)), out));
    CHECK_NEAR(mu2_of(o, 3), 0.9 * all_of_it, 1e-9);
    CHECK_NEAR(mu2_of(o, 6), 0.6 * all_of_it, 1e-9);
    CHECK_LESS_EQUAL(settle(o), 1.0);
    sp_oracle_free(o);

    /* beside one another inside a child's pool: a release with all of the budget, and a choice with all of it */
    sp_oracle *inner = NULL;
    o = private_oracle(&p, private_tight, 89);
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_DISJOINT, .share = 1.0, .pool = 40 }, child));
    OK(child[0], sp_child(child[0], &(sp_child_options){ .mode = SP_SHARE_DISJOINT, .share = 1.0, .pool = 20 },
                          &inner));
    OK(child[0], sp_draw(child[0], sp_fresh(20), &batch));
    double none;
    const sp_release_plan choice = { .kind = SP_SELECTION, .count = 1, .epsilon = sp_budget_of(o)->epsilon };
    OK(child[0], sp_calibrate(child[0], &(sp_release_plan){ .sample = sp_fresh(20), .count = 1 }, 1, &multiplier));
    OK(child[0], sp_gradient(child[0], &SP_AT(batch, point), multiplier, out));
    OK(inner, sp_calibrate(inner, &choice, 1, &none));
    OK(inner, sp_choose(inner, all, &(sp_space){ .kind = SP_SPACE_LIST, .count = 2,
                                                 .points = (const double[2 * D]){ 1.0 } },
                        &(sp_score){ .kind = SP_SCORE_LOSS, .reference = point }, SP_CHOOSE_EXPONENTIAL,
                        sp_budget_of(o)->epsilon, out, NULL));
    CHECK_LESS_EQUAL(settle(o), 1.0);
    sp_oracle_free(o);

    o = private_oracle(&p, private_tight, 88);
    double worst[2] = { 0.0, 0.0 };
    for (size_t i = 0; i < 2; i++)
        OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_BASIC, .share = 0.5 }, &child[i]));
    for (size_t t = 0; t < 12; t++) { /* two families of pools on the same records, uneven */
        sp_oracle *c = child[t % 2];
        const double s = 30.0 + (double)((5 * t) % 7);
        OK(c, sp_draw(c, sp_fresh(5), &batch));
        OK(c, sp_gradient(c, &SP_AT(batch, point), s, out));
        if (t % 3 == 0)
            OK(c, sp_gradient(c, &SP_AT(batch, point), s, out));
        worst[t % 2] = fmax(worst[t % 2], (t % 3 == 0 ? 2.0 : 1.0) / (s * s));
    }
    double in_ledger = 0.0;
    for (size_t pool = 0; pool <= sp_oracle_ledger(o)->pools; pool++)
        in_ledger = fmax(in_ledger, mu2_of(o, pool));
    CHECK_NEAR(in_ledger, worst[0] + worst[1], 1e-12); /* a record may be in the worst pool of both */
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* --- projection --------------------------------------------------------------------------------------------------- */

static void projection(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    /* the first row alone makes some ||Phi x|| exceed 2 */
    const double phi[K * D] = { 2.9, -1.3, 0.2, 0.8, 0.4, 1.1, -0.7, 0.6 }, v[K] = { 0.6, -0.35 };
    sp_oracle *o = private_oracle(&p, private_silent, 89), *child = NULL;
    OK(o, sp_child(o, &(sp_child_options){ .share = 1.0, .projection = phi, .projected = K }, &child));
    CHECK_EQUAL(sp_dimension(child), K);
    CHECK_EQUAL(sp_domain_of(child)->d, K);
    const sp_constants *c = sp_public(child), *whole = sp_public(o);
    CHECK_NEAR(c->radius, 2.0 * whole->radius, 0.0);
    CHECK_NEAR(c->L_data, 2.0 * whole->L_data, 1e-15);
    CHECK_NEAR(c->beta_data, 4.0 * whole->beta_data, 1e-15);

    /* by hand: gradient of the mean of phi(<v, z>, y), z = Phi x cut to 2 */
    double out[K], expected[K] = { 0 }, w[D], lifted[D], cut = 0.0;
    for (size_t i = 0; i < N; i++) {
        const double *x = p.data.X + i * p.data.stride;
        double z[K] = { 0 }, margin = 0.0;
        for (size_t a = 0; a < K; a++)
            for (size_t j = 0; j < D; j++)
                z[a] += phi[a * D + j] * x[j];
        const double norm = hypot(z[0], z[1]), shorten = norm > 2.0 ? 2.0 / norm : 1.0;
        cut += norm > 2.0;
        for (size_t a = 0; a < K; a++)
            margin += v[a] * (z[a] *= shorten);
        for (size_t a = 0; a < K; a++)
            expected[a] -= p.data.y[i] / (1.0 + exp(p.data.y[i] * margin)) * z[a] / N;
    }
    CHECK(cut > 0.0 && cut < N);
    OK(child, sp_gradient(child, &SP_AT(all, v), 0.0, out));
    for (size_t a = 0; a < K; a++)
        CHECK_NEAR(out[a], expected[a], 1e-14);
    OK(child, sp_lift(child, v, lifted));
    for (size_t j = 0; j < D; j++) {
        w[j] = phi[j] * v[0] + phi[D + j] * v[1];
        CHECK_NEAR(lifted[j], w[j], 1e-15);
    }
    sp_oracle_free(o);

    /* what is declared of L and beta goes on with its factor; of the minimiser and of classes nothing does */
    p.problem.declared.L_data = p.problem.declared.L = 1.7;
    p.problem.declared.beta_data = p.problem.declared.beta = 0.9;
    p.problem.declared.gap = 3.1;
    p.problem.declared.distance = 2.2;
    p.problem.declared.kl_gamma = p.problem.declared.kl_kappa = 1.5;
    p.problem.declared.strict_saddle = true;
    o = private_oracle(&p, private_silent, 89);
    OK(o, sp_child(o, &(sp_child_options){ .share = 0.5, .projection = phi, .projected = K }, &child));
    c = sp_public(child);
    CHECK(c->L_data == 3.4 && c->L == 3.4 && c->beta_data == 3.6 && c->beta == 3.6 && c->gap == 3.1);
    CHECK(isinf(c->distance) && c->kl_gamma == 0.0 && c->kl_kappa == 0.0 && !c->strict_saddle);
    CHECK(c->convex && c->quasar == 1.0 && c->glm && c->d == K && c->n == N);
    CHECK_NEAR(c->rho_hessian, 8.0 * sp_public(o)->rho_hessian, 1e-15);
    CHECK_NEAR(c->hessian_norm, 4.0 * sp_public(o)->hessian_norm, 1e-15);
    REFUSED(o, sp_child(o, &(sp_child_options){ .share = 0.5, .distance = INFINITY }, &child), SP_EINVAL, "distance");
    OK(o, sp_child(o, &(sp_child_options){ .share = 0.5, .projection = phi, .projected = K, .gap = 0.4,
                                           .distance = 5.5 }, &child));
    CHECK(sp_public(child)->gap == 0.4 && sp_public(child)->distance == 5.5);
    sp_oracle_free(o);

    /* on a ball the answer comes back into it */
    p.problem.declared = p.problem.certified;
    p.problem.domain = (sp_domain){ .kind = SP_DOMAIN_L2_BALL, .d = D, .radius = 0.5, .norm = 0.5 };
    o = private_oracle(&p, private_silent, 89);
    OK(o, sp_child(o, &(sp_child_options){ .share = 1.0, .projection = phi, .projected = K }, &child));
    OK(child, sp_lift(child, v, lifted));
    CHECK_NEAR(cblas_dnrm2(D, lifted, 1), fmin(cblas_dnrm2(D, w, 1), sp_domain_of(o)->norm), 1e-14);
    sp_oracle_free(o);
    private_problem_free(&p);

    private_problem_random(&p, &sp_loss_logistic, 0.1, N, D);
    o = private_oracle(&p, private_silent, 90);
    REFUSED(o, sp_child(o, &(sp_child_options){ .share = 1.0, .projection = phi, .projected = K }, &child), SP_EMISFIT,
            "GLM");
    sp_oracle_free(o);
    private_problem_free(&p);

    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D); /* a box has no counterpart in R^k */
    p.problem.domain = (sp_domain){ .kind = SP_DOMAIN_BOX, .d = D, .low = -1.0, .high = 1.0, .norm = sqrt(D) };
    o = private_oracle(&p, private_silent, 90);
    REFUSED(o, sp_child(o, &(sp_child_options){ .share = 1.0, .projection = phi, .projected = K }, &child), SP_EMISFIT,
            "the domain box has no projection");
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* --- running ------------------------------------------------------------------------------------------------------ */

typedef struct visits {
    size_t count, step[16];
    double w[16][D];
} visits;

static sp_status visit(void *context, size_t step, const double *w)
{
    visits *v = context;
    v->step[v->count] = step;
    memcpy(v->w[v->count++], w, D * sizeof *w);
    return SP_OK;
}

static sp_status descend(sp_oracle *o, const sp_values *values, double *w)
{
    sp_status status = SP_OK;
    double g[D], s;
    (void)values;
    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_full(), .count = 3 }, 1, &s));
    SP_TRY(sp_checkpoint(o, 0, w));
    for (size_t t = 1; t <= 3; t++) {
        SP_TRY(sp_gradient(o, &SP_AT(all, w), s, g));
        cblas_daxpy((int)sp_dimension(o), -0.5, g, 1, w, 1);
        SP_TRY(sp_checkpoint(o, t, w));
    }
    sp_warn(o, "rho %d", 3);
cleanup:
    return status;
}

static const char *never(const sp_constants *c)
{
    return c->d == D ? NULL : "needs d = 4";
}

static void running(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    const sp_algorithm algorithm = { .name = "descend", .run = descend };
    const sp_algorithm picky = { .name = "picky", .run = descend, .fits = never };
    const sp_algorithm open_one = { .name = "open", .run = descend, .non_private_only = true };
    const sp_method method = { .algorithm = &algorithm };
    visits seen_points = { 0 };
    sp_oracle_options options = private_options(&p, private_tight, 91);
    options.checkpoint = visit;
    options.context = &seen_points;
    sp_oracle *o = NULL, *first = NULL, *second = NULL, *flat = NULL;
    sp_error error;
    double w[D], v[D];
    const double phi[K * D] = { 0.9, -0.3, 0.2, 0.8, 0.4, 0.1, -0.7, 0.6 }, begin[D] = { 0.5, 0.25, -0.1, 0.7 };
    CHECK_EQUAL(sp_oracle_new(&options, &o, &error), SP_OK);
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_ZCDP, .share = 0.5 }, &first));
    OK(o, sp_run(first, &method, w));
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_ZCDP, .share = 0.25, .start = w, .gap = 0.125 }, &second));
    CHECK(sp_public(second)->gap == 0.125);
    CHECK(memcmp(sp_start(second), w, sizeof w) == 0);
    OK(o, sp_run(second, &method, v));
    CHECK(sp_public(second)->convex && sp_public(second)->n == N);
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_ZCDP, .share = 0.25, .projection = phi, .projected = K,
                                           .start = begin }, &flat));
    OK(o, sp_run(flat, &method, v));
    CHECK_EQUAL(sp_oracle_cost(o).releases, 9);
    CHECK_LESS_EQUAL(settle(o), 1.0);
    CHECK_NEAR(mu2_of(o, 0), 2.0 * sp_budget_of(o)->rho_z, 1e-8);
    /* steps go on, points are of the parent's dimension */
    CHECK_EQUAL(seen_points.count, 12);
    for (size_t t = 0; t < 12; t++)
        CHECK_EQUAL(seen_points.step[t], t - t / 4);
    for (size_t j = 0; j < D; j++) {
        CHECK(seen_points.w[3][j] == w[j] && seen_points.w[4][j] == w[j]);
        CHECK_NEAR(seen_points.w[8][j], phi[j] * begin[0] + phi[D + j] * begin[1], 1e-15);
    }
    CHECK_TEXT(sp_oracle_warning(o), "rho 3; rho 3; rho 3");
    /* a gap that is not given: of another start, L away at most */
    sp_oracle *moved = NULL, *silent = private_oracle(&p, private_silent, 92);
    OK(silent, sp_child(silent, &(sp_child_options){ .share = 0.5, .start = begin }, &moved));
    CHECK_NEAR(sp_public(moved)->gap, sp_public(silent)->gap + sp_public(silent)->L * cblas_dnrm2(D, begin, 1), 1e-12);
    sp_oracle_free(silent);

    REFUSED(flat, sp_run(flat, &(sp_method){ .algorithm = &picky }, v), SP_EMISFIT, "needs d = 4");
    REFUSED(flat, sp_run(flat, &(sp_method){ .algorithm = &open_one }, v), SP_EPRIVACY, "not private");
    CHECK_CONTAINS(sp_oracle_error(o)->text, "not private"); /* what went wrong below is told above */
    CHECK_EQUAL(sp_run(flat, NULL, v), SP_EINVAL);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* A child of a child: the share of a share, in every ledger above. */
static void grandchildren(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 93), *child = NULL, *grandchild = NULL;
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_DISJOINT, .share = 1.0, .pool = 50 }, &child));
    OK(child, sp_child(child, &(sp_child_options){ .mode = SP_SHARE_BASIC, .share = 0.5 }, &grandchild));
    CHECK_EQUAL(sp_records(grandchild), 50);
    const double s = exhaust(grandchild);
    CHECK_NEAR(1.0 / s, sp_gaussian_mu(0.5, 0.5e-6), 1e-9);
    CHECK_NEAR(mu2_of(child, 0), 1.0 / (s * s), 1e-12);
    CHECK_NEAR(mu2_of(o, 1), 1.0 / (s * s), 1e-12);
    CHECK_NEAR(mu2_of(o, 0), 0.0, 0.0);
    CHECK_EQUAL(sp_oracle_cost(o).releases, 1);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Stages in the order in which they were made; children without a name are none. */
static void stages(void)
{
    static const char *const names[] = { "first", NULL, "second" };
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 95), *child[3] = { NULL }, *inner = NULL;
    const char *name = NULL;
    CHECK(sp_oracle_stage(o, 0, &name) == NULL);
    for (size_t i = 0; i < 3; i++)
        OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_BASIC, .share = 0.2, .stage = names[i] }, &child[i]));
    OK(o, sp_child(child[0], &(sp_child_options){ .mode = SP_SHARE_BASIC, .share = 0.5, .stage = "base" }, &inner));
    CHECK(sp_oracle_stage(o, 0, &name) == child[0]);
    CHECK_TEXT(name, "first");
    CHECK(sp_oracle_stage(o, 1, &name) == child[2]);
    CHECK_TEXT(name, "second");
    CHECK(sp_oracle_stage(o, 2, &name) == NULL);
    CHECK(sp_oracle_stage(child[0], 0, &name) == inner && sp_oracle_stage(child[2], 0, &name) == NULL);
    sp_oracle_free(o);
    private_problem_free(&p);
}

static void refusals(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 94), *child = NULL;
    const double bad[] = { 0.0, -0.5, 1.5, NAN }, hole[D] = { 0.0, NAN, 0.0, 0.0 };
    for (size_t i = 0; i < 4; i++)
        REFUSED(o, sp_child(o, &(sp_child_options){ .share = bad[i] }, &child), SP_EINVAL, "share");
    REFUSED(o, sp_child(o, &(sp_child_options){ .share = 0.5, .pool = 3 }, &child), SP_EINVAL, "pool = 3");
    REFUSED(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_DISJOINT, .share = 0.5 }, &child), SP_EINVAL,
            "pool = 0");
    REFUSED(o, sp_child(o, &(sp_child_options){ .share = 0.5, .projected = 3 }, &child), SP_EINVAL, "projected = 3");
    REFUSED(o, sp_child(o, &(sp_child_options){ .share = 0.5, .gap = -1.0 }, &child), SP_EINVAL, "gap = -1");
    REFUSED(o, sp_child(o, &(sp_child_options){ .share = 0.5, .projection = hole, .projected = 1 }, &child), SP_EINVAL,
            "entry 1");
    REFUSED(o, sp_child(o, &(sp_child_options){ .share = 0.5, .start = hole }, &child), SP_ENUMERIC, "coordinate 1");
    CHECK(child == NULL);
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 0);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* A projection that overflows on some records (to NaN, where the sum is taken in several parts) must not tell on which.
 */
static void overflowing_projection(void)
{
    enum { LONG = 1024 };
    double phi[LONG], out[1];
    for (size_t j = 0; j < LONG; j++)
        phi[j] = 1.7e308;
    for (int overflows = 0; overflows < 2; overflows++) {
        private_problem p;
        double *X = NULL, *y = NULL;
        private_problem_new(&p, 2, LONG, &X, &y);
        for (size_t j = 0; j < LONG; j++)
            X[j] = overflows ? (j % 2 ? -1.0 : 1.0) / 32.0 : j == 0 ? 1.0 : 0.0;
        y[0] = y[1] = 1.0;
        private_problem_seal(&p, &sp_loss_logistic, 0.0);
        sp_oracle *o = private_oracle(&p, private_tight, 95), *child = NULL;
        OK(o, sp_child(o, &(sp_child_options){ .share = 0.5, .projection = phi, .projected = 1 }, &child));
        OK(child, sp_gradient(child, &SP_AT(all, (double[1]){ 0.5 }), 1e3, out));
        CHECK(isfinite(out[0]));
        sp_oracle_free(o);
        private_problem_free(&p);
    }
}

/* Nothing is left of a whole that was given away: neither small shares, one after the other, nor a child's records by
 * a handle that the parent was never given. */
static void crumbs(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 96), *child = NULL;
    size_t many = 0;
    double out[D];
    OK(o, sp_child(o, &(sp_child_options){ .share = 1.0 }, &child));
    while (many < 10 && sp_child(o, &(sp_child_options){ .share = 0.7e-12 }, &child) == SP_OK)
        many++;
    CHECK_LESS_EQUAL((double)many, 1.0);
    sp_oracle_free(o);

    o = private_oracle(&p, private_tight, 97);
    OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_DISJOINT, .share = 1.0, .pool = 10 }, &child));
    for (size_t id = 1; id < 100; id++)
        REFUSED(o, sp_gradient(o, &SP_AT((sp_batch){ id }, point), 1e3, out), SP_EINVAL, "no longer valid");
    sp_oracle_free(o);
    private_problem_free(&p);
}

int main(void)
{
    gsl_set_error_handler_off();
    basic_shares();
    zcdp_shares();
    disjoint_records();
    disjoint_budgets();
    pools_inside();
    projection();
    running();
    grandchildren();
    stages();
    refusals();
    overflowing_projection();
    crumbs();
    return sp_check_done();
}
