/* calibration.c -- the noise factor: never above the budget, hardly below it, and what a closed form says. */
#include "core/accountant/accountant.h"
#include "tests/check.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>

static sp_entry gauss(double noise_multiplier, size_t count)
{
    return (sp_entry){ .kind = SP_LEDGER_GAUSS, .noise_multiplier = noise_multiplier, .count = count };
}

static sp_entry subset(double noise_multiplier, double rate, size_t count)
{
    return (sp_entry){
        .kind = SP_LEDGER_GAUSS_WOR, .noise_multiplier = noise_multiplier, .rate = rate, .count = count
    };
}

static sp_entry in_pool(sp_entry entry, size_t pool)
{
    entry.pool = pool;
    return entry;
}

static void append_scaled(sp_ledger *to, const sp_ledger *from, double factor)
{
    for (size_t i = 0; i < from->count; i++) {
        sp_entry entry = from->entry[i];
        if (entry.noise_multiplier > 0.0)
            entry.noise_multiplier *= factor;
        CHECK_EQUAL(sp_ledger_append(to, &entry), SP_OK);
    }
}

/* The accountant, reading the ledger that calibration promised. */
static double spent_at(const sp_ledger *spent, const sp_ledger *planned, double factor, double delta,
                       sp_bound_kind *by)
{
    sp_ledger all = { 0 };
    sp_bounds bounds = { .best = NAN };
    CHECK_EQUAL(sp_ledger_copy(spent, &all), SP_OK);
    append_scaled(&all, planned, factor);
    CHECK_EQUAL(sp_account(&all, SP_REPLACE_ONE, delta, &bounds, NULL), SP_OK);
    sp_ledger_free(&all);
    *by = bounds.bound;
    return bounds.best;
}

static double calibrate(const sp_entry *before, size_t befores, const sp_entry *entry, size_t entries, double epsilon,
                        double delta)
{
    sp_ledger spent = { 0 }, planned = { 0 };
    double factor = NAN;
    sp_error error = { .text = "" };
    for (size_t i = 0; i < befores; i++)
        CHECK_EQUAL(sp_ledger_append(&spent, &before[i]), SP_OK);
    for (size_t i = 0; i < entries; i++)
        CHECK_EQUAL(sp_ledger_append(&planned, &entry[i]), SP_OK);
    SP_CHECK_REPORT(sp_calibrate_factor(&spent, &planned, epsilon, delta, &factor, &error) == SP_OK, "%s", error.text);
    sp_bound_kind by;
    const double reached = spent_at(&spent, &planned, factor, delta, &by);
    const double slack = by == SP_BOUND_PLD ? 2e-5 : 1e-7; /* as the header promises */
    CHECK_LESS_EQUAL(reached, epsilon);
    CHECK_LESS_EQUAL(epsilon * (1.0 - slack), reached);
    /* the smallest factor; a grid may jump by a part of its own error */
    CHECK(spent_at(&spent, &planned, factor * (by == SP_BOUND_PLD ? 0.9995 : 1.0 - 1e-6), delta, &by) > epsilon);
    sp_ledger_free(&spent);
    sp_ledger_free(&planned);
    return factor;
}

static void closed_forms(void)
{
    const double mu = sp_gaussian_mu(1.0, 1e-8);
    const sp_entry plain[] = { gauss(1.0, 77) };
    CHECK_NEAR(calibrate(NULL, 0, plain, 1, 1.0, 1e-8), sqrt(77.0) / mu, 1e-9 * sqrt(77.0) / mu);
    const sp_entry two[] = { gauss(0.7, 10), gauss(2.3, 400) };
    const double mu2 = 10.0 / gsl_pow_2(0.7) + 400.0 / gsl_pow_2(2.3);
    CHECK_NEAR(calibrate(NULL, 0, two, 2, 1.0, 1e-8), sqrt(mu2) / mu, 1e-9 * sqrt(mu2) / mu);
    /* what is spent is not scaled */
    const sp_entry before[] = { gauss(9.0, 2) };
    const double left = mu * mu - 2.0 / 81.0;
    CHECK_NEAR(calibrate(before, 1, plain, 1, 1.0, 1e-8), sqrt(77.0 / left), 1e-8 * sqrt(77.0 / left));
    /* pools do not add: the worst of them, on top of the outer entries */
    const sp_entry pools[] = { gauss(4.0, 3), in_pool(gauss(1.5, 1), 1), in_pool(gauss(1.0, 1), 2) };
    CHECK_NEAR(calibrate(NULL, 0, pools, 3, 1.0, 1e-8), sqrt(3.0 / 16.0 + 1.0) / mu, 1e-8 / mu);
    /* a spent pool is another one than the planned pool */
    const sp_entry narrow[] = { in_pool(gauss(6.0, 1), 1) }, wide[] = { gauss(1.0, 1), in_pool(gauss(8.0, 1), 2) };
    const double rest = mu * mu - 1.0 / 36.0;
    CHECK_NEAR(calibrate(narrow, 1, wide, 2, 1.0, 1e-8), 1.0 / sqrt(rest), 1e-8 / sqrt(rest));
    const sp_entry spent_pool[] = { in_pool(gauss(6.0, 1), 1) }, new_pool[] = { in_pool(gauss(1.0, 1), 2) };
    CHECK_NEAR(calibrate(spent_pool, 1, new_pool, 1, 1.0, 1e-8), 1.0 / mu, 1e-9 / mu);
}

static void subsets(void)
{
    const double epsilons[] = { 0.1, 1.0, 8.0 };
    for (size_t i = 0; i < 3; i++) {
        const double epsilon = epsilons[i];
        const sp_entry sgd[] = { subset(1.0, 0.0122, 6654) };
        const sp_entry spider[] = { gauss(3.0, 82), subset(1.0, 0.0122, 6573) };
        const sp_entry three[] = { gauss(3.0, 82), subset(1.0, 0.0122, 6573), subset(0.7, 0.3, 11) };
        const sp_entry before[] = { subset(30.0, 0.1, 10), gauss(300.0, 3) };
        const sp_entry pooled[] = { subset(1.0, 0.0122, 600), in_pool(gauss(0.05, 1), 3), in_pool(gauss(4.0, 2), 4) };
        calibrate(NULL, 0, sgd, 1, epsilon, 1e-8);
        calibrate(NULL, 0, spider, 2, epsilon, 1e-8);
        calibrate(NULL, 0, three, 3, epsilon, 1e-5);
        calibrate(before, 2, three, 3, epsilon, 1e-5);
        calibrate(NULL, 0, pooled, 3, epsilon, 1e-7);
    }
    /* conventions.md has 5.768 by Renyi curves; a plain numerical convolution of C_q (NumPy, cells of 1e-5) finds
     * epsilon 0.99988 at 5.4729 */
    const sp_entry sgd[] = { subset(1.0, 0.0122, 6654) };
    CHECK_NEAR(calibrate(NULL, 0, sgd, 1, 1.0, 1e-8), 5.4729, 7e-4);
    /* a subset of everything is the plain Gaussian */
    const sp_entry all[] = { subset(1.0, 1.0, 77) }, plain[] = { gauss(1.0, 77) };
    CHECK_NEAR(calibrate(NULL, 0, all, 1, 1.0, 1e-8), calibrate(NULL, 0, plain, 1, 1.0, 1e-8), 1e-9);
}

static void with_pure_entries(void)
{
    const sp_entry em = { .kind = SP_LEDGER_EM, .epsilon = 0.5, .count = 1 };
    const sp_entry warm[] = { em, gauss(1.0, 20), subset(1.0, 0.05, 180) };
    calibrate(&em, 1, warm + 1, 2, 1.0, 1e-8);
    calibrate(NULL, 0, warm, 3, 1.0, 1e-8);
    const sp_entry mixed[] = { em, gauss(1.0, 20) };
    /* at most what basic composition gives: the Gaussians within (1 - 0.5, delta) */
    CHECK_LESS_EQUAL(calibrate(NULL, 0, mixed, 2, 1.0, 1e-8), sqrt(20.0) / sp_gaussian_mu(0.5, 1e-8) * (1.0 + 1e-6));
    /* only by distributions there is room at all */
    const sp_entry full[] = { gauss(4.59, 1), { .kind = SP_LEDGER_SVT, .epsilon = 0.06, .count = 2 } };
    const sp_entry two[] = { in_pool(gauss(1.0, 1), 1), in_pool(gauss(1.0, 1), 2) };
    calibrate(full, 2, two, 2, 1.0, 1e-6);
}

/* Every kind with noise is scaled, under its neighbours; the others are paid first. */
static void other_kinds(void)
{
    const sp_entry tree = { .kind = SP_LEDGER_TREE, .noise_multiplier = 1.0, .steps = 1000, .count = 3 };
    const double mu = sp_gaussian_mu(1.0, 1e-8);
    CHECK_NEAR(calibrate(NULL, 0, &tree, 1, 1.0, 1e-8), sqrt(30.0) / mu, 1e-9 / mu); /* 10 nodes to a record */
    const sp_entry poisson = { .kind = SP_LEDGER_POISSON, .noise_multiplier = 0.5, .rate = 0.01, .count = 700 };
    const sp_entry choice = {
        .kind = SP_LEDGER_SELECT, .noise_multiplier = 1.0, .mean = 4.0, .shape = 1.0, .count = 1
    };
    const sp_entry mixed[] = { poisson, choice, gauss(2.0, 3) };
    calibrate(NULL, 0, mixed, 3, 2.0, 1e-6);
    const sp_entry failing = { .kind = SP_LEDGER_APPROX, .epsilon = 0.25, .delta = 4e-7, .count = 2 };
    calibrate(&failing, 1, mixed, 1, 1.0, 1e-6);

    sp_ledger ledger = { 0 };
    double both[2];
    CHECK_EQUAL(sp_ledger_append(&ledger, &poisson), SP_OK);
    for (int n = 0; n < 2; n++) {
        CHECK_EQUAL(sp_calibrate_under(NULL, &ledger, (sp_neighbours)n, 1.0, 1e-6, &both[n], NULL), SP_OK);
        sp_ledger scaled = { 0 };
        sp_bounds bounds;
        append_scaled(&scaled, &ledger, both[n]);
        CHECK_EQUAL(sp_account(&scaled, (sp_neighbours)n, 1e-6, &bounds, NULL), SP_OK);
        CHECK_LESS_EQUAL(bounds.best, 1.0);
        CHECK_LESS_EQUAL(1.0 - 2e-5, bounds.best);
        sp_ledger_free(&scaled);
    }
    CHECK(both[SP_REPLACE_ONE] > 1.3 * both[SP_ADD_REMOVE]); /* replacing moves the mean twice as far */
    sp_ledger_free(&ledger);
}

static void rounding(void)
{
    const double cases[] = { 1.0, 0.1, 2.385, 123456789012.4, 1.23456789012e-7, 9.9999999999995, 1e300, M_PI };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double up = sp_round_up(cases[i]);
        char digits[32];
        double again;
        CHECK_LESS_EQUAL(cases[i], up);
        CHECK_LESS_EQUAL(up, cases[i] * (1.0 + 1.001e-11));
        snprintf(digits, sizeof digits, "%.11e", up);
        CHECK(sscanf(digits, "%lf", &again) == 1 && fabs(again - up) <= 4e-16 * up);
    }
}

/* Budgets far from any use: the accountant never finds more than was asked for. */
static void tiny_and_huge(void)
{
    const double epsilons[] = { 1e-9, 1e-12, 1e9 }, deltas[] = { 1e-3, 1e-6, 1e-12 };
    const sp_ledger none = { 0 };
    for (size_t i = 0; i < 3; i++) {
        const double epsilon = epsilons[i];
        const sp_entry part = { .kind = SP_LEDGER_PURE, .epsilon = epsilon / 10.0, .count = 1 };
        const sp_entry poisson = { .kind = SP_LEDGER_POISSON, .noise_multiplier = 1.0, .rate = 0.05, .count = 200 };
        const sp_entry ledgers[][2] = { { gauss(1.0, 200), gauss(3.0, 7) },
                                        { poisson, gauss(7.0, 1) },
                                        { subset(1.0, 0.05, 200), gauss(7.0, 1) },
                                        { gauss(1.0, 3), part } };
        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 4; k++) {
                sp_ledger planned = { 0 };
                double factor = NAN;
                sp_error error = { .text = "" };
                sp_bound_kind by;
                for (size_t e = 0; e < 2; e++)
                    CHECK_EQUAL(sp_ledger_append(&planned, &ledgers[k][e]), SP_OK);
                SP_CHECK_REPORT(sp_calibrate_factor(NULL, &planned, epsilon, deltas[j], &factor, &error) == SP_OK,
                                "%s", error.text);
                const double reached = spent_at(&none, &planned, factor, deltas[j], &by);
                SP_CHECK_REPORT(reached <= epsilon * (1.0 + 1e-9), "epsilon %g delta %g ledger %zu: %.12g", epsilon,
                                deltas[j], k, reached);
                if (epsilon < 1.0) /* huge ones are not sought on the grid */
                    CHECK(spent_at(&none, &planned, 0.75 * factor, deltas[j], &by) > epsilon);
                sp_ledger_free(&planned);
            }
    }
}

static void nothing_left(void)
{
    sp_ledger spent = { 0 }, planned = { 0 };
    sp_error error;
    double factor = 3.25;
    const sp_entry one = gauss(1.0, 1), all = gauss(1.0 / sp_gaussian_mu(1.0, 1e-8), 1);
    const sp_entry much = gauss(0.5, 1), large = { .kind = SP_LEDGER_PURE, .epsilon = 1.5, .count = 1 };
    const sp_entry half = { .kind = SP_LEDGER_PURE, .epsilon = 0.5, .count = 1 };
    CHECK_EQUAL(sp_ledger_append(&planned, &one), SP_OK);
    const sp_entry *const cases[] = { &all, &much, &large };
    for (size_t i = 0; i < 3; i++) {
        sp_ledger_clear(&spent);
        CHECK_EQUAL(sp_ledger_append(&spent, cases[i]), SP_OK);
        CHECK_EQUAL(sp_calibrate_factor(&spent, &planned, 1.0, 1e-8, &factor, &error), SP_EBUDGET);
        CHECK_CONTAINS(error.text, "epsilon = 1");
    }
    /* nothing to scale */
    sp_ledger_clear(&planned);
    CHECK_EQUAL(sp_ledger_append(&planned, &half), SP_OK);
    CHECK_EQUAL(sp_calibrate_factor(NULL, &planned, 1.0, 1e-8, &factor, &error), SP_OK);
    CHECK(factor == 1.0);
    CHECK_EQUAL(sp_calibrate_factor(NULL, &planned, 0.25, 1e-8, &factor, &error), SP_EBUDGET);
    sp_ledger_free(&spent);
    sp_ledger_free(&planned);
}

int main(void)
{
    gsl_set_error_handler_off();
    closed_forms();
    subsets();
    with_pure_entries();
    other_kinds();
    rounding();
    tiny_and_huge();
    nothing_left();
    return sp_check_done();
}
