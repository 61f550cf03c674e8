/* kl_prox.c -- kl_prox: schedule at the reference point of the specification (n = 1e4, d = 10, epsilon = 1, delta =
 * 1e-8) on ||w||^1.5 / 1.5, ledger, the inequalities of its head, and where it ends on records in opposite pairs.
 *
 * Reference numbers: a Python program that shares nothing with the code here. */
#include "core/numeric/root.h"
#include "tests/trial.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_math.h>

/* On the unit ball, records in pairs x, -x; tau = 3/2: kappa = 3 and gamma^3 = 2/3. */
static bool sharp(size_t n, size_t d, trial_problem *out)
{
    bool ok = trial_make_on((sp_domain){ SP_DOMAIN_L2_BALL, d, 1.0, 1.0 }, "power", n, false, out);
    sp_problem *p = &out->problem;
    p->number[0] = 1.5;
    const sp_setting setting = { .loss = p->loss, .number = p->number, .domain = &p->domain, .n = n, .features = d,
                                 .radius = 1.0, .label_bound = 1.0, .start_norm = 1.0 };
    ok = ok && sp_certify(&setting, &p->certified, NULL) == SP_OK;
    p->declared = p->certified;
    p->declared.kl_gamma = cbrt(2.0 / 3.0);
    p->declared.kl_kappa = 3.0;
    p->start[0] = 1.0;
    return ok;
}

static trial_run go(const char *settings, const trial_problem *t, sp_privacy privacy, trial_run run)
{
    const sp_algorithm *a = sp_algorithm_find("kl_prox");
    const sp_values values = trial_values(a, settings);
    run.seed = run.seed ? run.seed : 3;
    trial_go(a, &values, t, privacy, &run);
    SP_CHECK_REPORT(run.status == (run.fail_at ? SP_EINTERRUPTED : SP_OK), "%s: %s", settings, run.message);
    return run;
}

static void constants(void)
{
    trial_problem t;
    if (!sharp(40, 3, &t))
        return;
    const sp_constants *c = &t.problem.certified;
    CHECK(c->beta == INFINITY && c->rho_hessian == INFINITY && c->weak_convexity == 0.0 && c->convex);
    CHECK_NEAR(c->L, 1.3, 1e-15);
    CHECK_NEAR(c->L_data, 0.3, 1e-15);
    CHECK(c->kl_gamma == 0.0); /* a tilt would round the tip off: to be declared */
    const char *misfit = sp_algorithm_find("kl_gd")->fits(&t.problem.declared);
    CHECK(misfit && strstr(misfit, "kappa in [1, 2]"));
    misfit = sp_algorithm_find("kl_prox")->fits(c);
    CHECK(misfit && strstr(misfit, "kappa >= 2"));
    sp_constants open = t.problem.declared;
    CHECK(!sp_algorithm_find("kl_prox")->fits(&open));
    open.weak_convexity = INFINITY;
    CHECK_CONTAINS(sp_algorithm_find("kl_prox")->fits(&open), "weakly convex");
    open = t.problem.declared;
    open.L = INFINITY;
    CHECK_CONTAINS(sp_algorithm_find("kl_prox")->fits(&open), "gap, L");
    trial_drop(&t);
}

static void schedule(void)
{
    static const struct { size_t n; const char *settings; double modulus, rounds, steps, wanted; } cases[] = {
        { 10000, "inner_max=1000000", 0.07894736842105263, 32, 53906, NAN },
        { 10000, "", 0.07894736842105263, 32, 2000, 53906 },
        { 100, "", 0.07894736842105263, 12, 15, NAN },
        { 10000, "penalty=fixed inner_max=1000000", 0.046875, 44, 39205, NAN },
        { 10000, "penalty=fixed modulus=0.2 inner_max=1000000", 0.2, 116, 14871, NAN },
        { 10000, "rounds=7 inner_steps=9", 0.07894736842105263, 7, 9, NAN },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trial_problem t;
        if (!sharp(cases[i].n, 10, &t))
            return;
        t.problem.declared.gap = 2.0 / 3.0;
        trial_run run = go(cases[i].settings, &t, trial_private(1.0, 1e-8), (trial_run){ .fail_at = 1 });
        CHECK_NEAR(trial_resolved(&run, "modulus"), cases[i].modulus, 1e-14);
        CHECK_NEAR(trial_resolved(&run, "rounds"), cases[i].rounds, 0.0);
        CHECK_NEAR(trial_resolved(&run, "inner_steps"), cases[i].steps, 0.0);
        for (size_t k = 0; k < run.resolved_count; k++)
            if (strcmp(run.resolved[k].key, "inner_steps") == 0)
                CHECK(isnan(cases[i].wanted) ? run.resolved[k].from != SP_FROM_CAP
                                             : run.resolved[k].from == SP_FROM_CAP &&
                                                   run.resolved[k].wanted == cases[i].wanted);
        CHECK(run.ledger.count == 1 && run.ledger.entry[0].kind == SP_LEDGER_GAUSS);
        CHECK(run.ledger.entry[0].count == (size_t)cases[i].steps - 1); /* of the first round, so far */
        CHECK_NEAR(run.ledger.entry[0].sensitivity_high, 0.6 / (double)cases[i].n, 1e-15);
        trial_end(&run);
        if (i == 5) { /* the whole run spends the budget, and 12 L^2 / (M K) is more than the noise leaves */
            run = go(cases[i].settings, &t, trial_private(1.0, 1e-8), (trial_run){ .fail_at = 0 });
            CHECK(run.ledger.entry[0].count == 7 * 8 && run.cost.gradients == 56.0 * 10000.0);
            CHECK_LESS_EQUAL(0.9999, run.spent.best);
            CHECK_LESS_EQUAL(run.spent.best, 1.0 + 1e-9);
            CHECK_CONTAINS(run.warning, "inner_steps = 9 leaves");
            trial_end(&run);
        }
        trial_drop(&t);
    }
}

/* --- the decrease of a round, whoever finds w ------------------------------------------------------------------- */

typedef struct prox {
    double c, M;
} prox;

/* F = r^1.5 / 1.5 in one dimension: slope of F(u) + M (u - c)^2 */
static double slope(void *context, double u)
{
    const prox *p = context;
    return sqrt(u) + 2.0 * p->M * (u - p->c);
}

static void decrease(void)
{
    gsl_rng *stream = sp_stream_open(trial_key(11, SP_STREAM_DATA));
    const double gamma = cbrt(2.0 / 3.0), kappa = 3.0;
    double closest = INFINITY, largest = 0.0;
    for (size_t i = 0; i < 100000; i++) {
        prox at = { exp(-9.0 * gsl_rng_uniform(stream)), exp(6.0 * gsl_rng_uniform(stream) - 3.0) };
        const double before = pow(at.c, 1.5) / 1.5;
        if (i % 2 == 0) /* M_t of Phi = e(c) */
            at.M = pow(before, (2.0 - kappa) / kappa) / (19.0 * gamma * gamma);
        const double p = sp_root(slope, &at, 0.0, at.c);
        const double w = fabs(p + (at.c + p) * gsl_ran_gaussian(stream, 1.0) * exp(-8.0 * gsl_rng_uniform(stream)));
        const double x = pow(p, 1.5) / 1.5, y = at.M * gsl_pow_2(p - at.c), after = pow(w, 1.5) / 1.5;
        const double D = after + at.M * gsl_pow_2(w - at.c) - x - y, most = x + 2.0 * sqrt(2.0 * y * fmax(D, 0.0)) + D;
        CHECK_LESS_EQUAL(pow(x, 2.0 / kappa) / (4.0 * at.M * gamma * gamma), y * (1.0 + 1e-9) + 1e-18);
        CHECK_LESS_EQUAL(x + 1.5 * y, before * (1.0 + 1e-12));
        CHECK_LESS_EQUAL(after, most + 1e-12);
        closest = fmin(closest, most / after);
        if (i % 2 == 0 && D <= before / 60.0)
            largest = fmax(largest, after / before);
    }
    CHECK_LESS_EQUAL(closest, 1.1); /* it is no idle bound */
    CHECK_LESS_EQUAL(largest, 0.5);
    gsl_rng_free(stream);
}

/* Without noise rounds lead to the tip, nearer the longer they are; with it the risk is of the order of the rate. */
static void ends_at_the_tip(void)
{
    trial_problem t;
    double risk[3];
    static const char *const settings[] = { "inner_max=20000", "inner_max=200", "inner_max=20000" };
    if (!sharp(2000, 4, &t))
        return;
    const double rate = pow(cbrt(2.0 / 3.0) * 0.3 * sqrt(4.0) / (2000.0 * 0.138648), 3.0);
    sp_privacy privacy = trial_private(1.0, 1e-8);
    for (size_t i = 0; i < 3; i++) {
        privacy.noise = i == 2;
        trial_run run = go(settings[i], &t, privacy, (trial_run){ .seed = 5 });
        risk[i] = pow(cblas_dnrm2(4, run.w, 1), 1.5) / 1.5;
        trial_end(&run);
    }
    CHECK_LESS_EQUAL(risk[0], 0.1 * rate);
    CHECK_LESS_EQUAL(10.0 * risk[0], risk[1]);
    CHECK_LESS_EQUAL(risk[2], 1e3 * rate);
    CHECK_LESS_EQUAL(0.1 * rate, risk[2]);
    trial_drop(&t);
}

int main(void)
{
    constants();
    schedule();
    decrease();
    ends_at_the_tip();
    return sp_check_done();
}
