/* accountant.c -- the bounds against published vectors, closed forms and an independent quadrature.
 *
 * The quadrature evaluates the integral of spec/conventions.md as it is written there (over the log-ratio u, with the
 * hockey-stick curve), by GSL's adaptive rule; the accountant evaluates another form of it, over x, by trapezoids. */
#include "core/accountant/accountant.h"
#include "core/accountant/rdp.h"
#include "tests/check.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sf_erf.h>
#include <stdlib.h>

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

static sp_entry poisson(double noise_multiplier, double rate, size_t count)
{
    return (sp_entry){
        .kind = SP_LEDGER_POISSON, .noise_multiplier = noise_multiplier, .rate = rate, .count = count
    };
}

static sp_entry pure(sp_ledger_kind kind, double epsilon, size_t count)
{
    return (sp_entry){ .kind = kind, .epsilon = epsilon, .count = count };
}

static sp_entry in_pool(sp_entry entry, size_t pool)
{
    entry.pool = pool;
    return entry;
}

static sp_bounds bounds_of(const sp_entry *entries, size_t count, double delta)
{
    sp_ledger ledger = { 0 };
    sp_bounds bounds = { .best = NAN };
    sp_error error = { .text = "" };
    for (size_t i = 0; i < count; i++)
        CHECK_EQUAL(sp_ledger_append(&ledger, &entries[i]), SP_OK);
    SP_CHECK_REPORT(sp_account(&ledger, SP_REPLACE_ONE, delta, &bounds, &error) == SP_OK, "%s", error.text);
    sp_ledger_free(&ledger);
    return bounds;
}

#define BOUNDS(delta_, ...)                                                                      \
    bounds_of((const sp_entry[]){ __VA_ARGS__ }, sizeof((const sp_entry[]){ __VA_ARGS__ }) / sizeof(sp_entry), delta_)

/* --- conversions -------------------------------------------------------------------------------------------- */

static void vectors(void)
{
    CHECK_NEAR(sp_gaussian_mu(1.0, 1e-8), 0.196067, 5e-7);
    CHECK_NEAR(gsl_pow_2(sp_gaussian_mu(1.0, 1e-8)) / 2.0, 0.0192210, 5e-8);
    CHECK_NEAR(sp_gaussian_mu(0.5, 5e-9), 0.0988822, 5e-8);
    CHECK_NEAR(gsl_pow_2(sp_gaussian_mu(0.5, 5e-9)) / 2.0, 0.00488885, 5e-9);
    CHECK_NEAR(sp_zcdp_rho_bun_steinke(1.0, 1e-8), 0.0132154, 5e-8);
    CHECK_NEAR(sp_zcdp_rho(1.0, 1e-8), 0.0172053, 5e-8);
    CHECK_NEAR(sp_zcdp_rho(0.5, 5e-9), 0.00437083, 5e-9);
}

/* delta by its definition, the integral of (p - e^epsilon q)+ for N(mu, 1) against N(0, 1). */
typedef struct pair {
    double mu, epsilon;
} pair;

static double excess_mass(double x, void *context)
{
    const pair *p = context;
    return gsl_max(0.0, exp(-0.5 * gsl_pow_2(x - p->mu)) - exp(p->epsilon - 0.5 * x * x)) / sqrt(2.0 * M_PI);
}

static void gaussian_against_its_definition(void)
{
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(2000);
    const pair cases[] = { { 0.196, 1.0 }, { 1.37, 0.0 }, { 2.385, 7.25 }, { 0.031, 0.0123 }, { 6.5, 40.0 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pair p = cases[i];
        gsl_function f = { excess_mass, &p };
        double exact, error;
        const double edge = p.mu / 2.0 + p.epsilon / p.mu;
        const int status = gsl_integration_qag(&f, edge, gsl_max(edge, p.mu) + 12.0, 0.0, 1e-11, 2000,
                                               GSL_INTEG_GAUSS61, space, &exact, &error);
        CHECK_EQUAL(status, GSL_SUCCESS);
        CHECK_NEAR(sp_gaussian_delta(p.mu, p.epsilon), exact, 1e-9 * exact);
    }
    gsl_integration_workspace_free(space);
}

/* Where mu is small the two terms of the closed form are nearly equal: 60 digits (mpmath, Q(eps/mu - mu/2) -
 * e^eps Q(eps/mu + mu/2)). Never below. */
static void gaussian_of_small_mu(void)
{
    const struct {
        double mu, epsilon, delta;
    } cases[] = { { 9.7e-6, 1e-6, 3.3902876563438491e-6 },  { 9.7e-6, 7e-5, 3.4592045724852236e-19 },
                  { 2.5e-6, 1e-9, 9.9685578129020487e-7 },  { 2.5e-6, 3e-5, 3.6513550623737324e-40 },
                  { 3e-9, 1e-9, 7.6270834327857002e-10 },   { 4e-10, 1e-9, 8.0165487205210721e-13 },
                  { 1.3e-12, 2e-11, 8.698773001378162e-67 }, { 7e-7, 2.4e-5, 1.3058229983715595e-265 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double found = sp_gaussian_delta(cases[i].mu, cases[i].epsilon), exact = cases[i].delta;
        SP_CHECK_REPORT(found >= exact * (1.0 - 4e-16) && found <= exact * (1.0 + 3e-9),
                        "mu %g epsilon %g: delta %.17g, exactly %.17g", cases[i].mu, cases[i].epsilon, found, exact);
    }
    /* the two formulas meet */
    for (double x = 0.1; x < 9.0; x *= 1.3)
        CHECK_NEAR(sp_gaussian_delta(0.999999e-5, x * 1e-5), sp_gaussian_delta(1.000001e-5, x * 1e-5),
                   4e-6 * (1.0 + x * x) * sp_gaussian_delta(1e-5, x * 1e-5));
}

static void gaussian_inverts(void)
{
    const double epsilons[] = { 1e-4, 0.0123, 0.5, 1.0, 2.385, 11.0, 700.0 }, deltas[] = { 0.3, 1e-3, 1e-8, 1e-20 };
    for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++) {
        for (size_t j = 0; j < sizeof deltas / sizeof deltas[0]; j++) {
            const double epsilon = epsilons[i], delta = deltas[j], mu = sp_gaussian_mu(epsilon, delta);
            CHECK_LESS_EQUAL(sp_gaussian_delta(mu, epsilon), delta); /* rounded down */
            CHECK(sp_gaussian_delta(mu * (1.0 + 1e-9), epsilon) > delta);
            CHECK_LESS_EQUAL(sp_gaussian_epsilon(mu, delta), epsilon * (1.0 + 1e-10));
            CHECK_NEAR(sp_gaussian_epsilon(mu, delta), epsilon, 1e-9 * epsilon);
            const double rho = sp_zcdp_rho(epsilon, delta);
            CHECK_NEAR(sp_zcdp_epsilon(rho, delta), epsilon, 1e-9 * epsilon);
            CHECK_LESS_EQUAL(sp_zcdp_epsilon(rho, delta), epsilon);
            CHECK_LESS_EQUAL(rho, mu * mu / 2.0 * (1.0 + 1e-12)); /* zCDP promises less than Gaussians do */
            CHECK_LESS_EQUAL(sp_zcdp_rho_bun_steinke(epsilon, delta), rho * (1.0 + 1e-12));
        }
    }
    CHECK(sp_gaussian_epsilon(0.0, 1e-5) == 0.0 && sp_zcdp_epsilon(0.0, 1e-5) == 0.0);
    CHECK(isinf(sp_gaussian_epsilon(INFINITY, 1e-5)) && isinf(sp_zcdp_epsilon(INFINITY, 1e-5)));
    CHECK(isinf(sp_gaussian_mu(INFINITY, 1e-5)) && isinf(sp_gaussian_mu(1.0, 1.0)));
    CHECK(sp_gaussian_epsilon(1e-7, 1e-3) == 0.0); /* the total variation is below delta */
    CHECK(isnan(sp_gaussian_mu(NAN, 1e-5)) && isnan(sp_gaussian_epsilon(NAN, 0.1)) && isnan(sp_zcdp_rho(1.0, NAN)));
}

/* The minimum over orders by brute force. */
static void zcdp_is_a_minimum(void)
{
    const double rho = 0.0371, delta = 3e-7;
    double least = INFINITY;
    for (double excess = 1e-3; excess < 1e4; excess *= 1.0005) {
        const double order = 1.0 + excess;
        least = gsl_min(least, rho * order + log(excess / order) - (log(delta) + log(order)) / excess);
    }
    CHECK_NEAR(sp_zcdp_epsilon(rho, delta), least, 1e-6);
    CHECK_LESS_EQUAL(sp_zcdp_epsilon(rho, delta), least);
}

/* --- Renyi curves --------------------------------------------------------------------------------------------- */

typedef struct release {
    double noise_multiplier, rate, order;
} release;

static double log_phi(double x)
{
    return gsl_sf_log_erfc(-x / M_SQRT2) - M_LN2;
}

static double moment_density(double u, void *context)
{
    const release *r = context;
    const double x = 1.0 / r->noise_multiplier, v = log1p(expm1(u) / r->rate), a = r->order;
    const double first = log_phi(-v / x + x / 2.0), second = v + log_phi(-v / x - x / 2.0);
    return a * (a - 1.0) * (exp((a - 1.0) * u + first) + exp(first - a * u)) * r->rate * -expm1(second - first);
}

static double quadrature(release r)
{
    static const double cuts[] = { 0.0, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 1.0, 3.0, 10.0, 1e9 };
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(2000);
    gsl_function f = { moment_density, &r };
    const double top = r.order / gsl_pow_2(r.noise_multiplier) + 14.0 / r.noise_multiplier;
    double sum = 0.0;
    for (size_t i = 0; cuts[i] < top; i++) {
        double part, error;
        gsl_integration_qag(&f, cuts[i], gsl_min(cuts[i + 1], top), 0.0, 1e-11, 2000, GSL_INTEG_GAUSS61, space, &part,
                            &error);
        sum += part;
    }
    gsl_integration_workspace_free(space);
    return log1p(sum) / (r.order - 1.0);
}

static void renyi_against_quadrature(void)
{
    const release cases[] = { { 5.768, 0.0122, 20.0 },  { 1.794, 0.0235, 16.0 }, { 1.0, 0.01, 10.0 },
                              { 0.5, 0.01, 1.5 },       { 0.31, 0.12, 4.0 },     { 10.0, 0.001, 64.0 },
                              { 3.188, 0.0007, 2.0 },   { 100.0, 0.31, 300.0 },  { 2.385, 0.73, 1.01 },
                              { 0.9, 1e-6, 7.0 },       { 17.0, 0.05, 31.7 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const release r = cases[i];
        const double exact = quadrature(r), value = sp_rdp_without_replacement(r.noise_multiplier, r.rate, r.order);
        CHECK_NEAR(value, exact, 1e-10 * exact);
        CHECK_LESS_EQUAL(exact, value * (1.0 + 1e-12)); /* an upper bound */
    }
    CHECK_NEAR(74.0 * sp_rdp_without_replacement(1.794, 0.0235, 16.0), 0.17324, 5e-6);
    CHECK_NEAR(74.0 * sp_rdp_without_replacement(1.794, 0.0235, 20.0), 0.22239, 5e-6);
}

static void renyi_limits(void)
{
    CHECK_NEAR(sp_rdp_without_replacement(5.0, 1.0, 8.0), 0.16, 1e-15); /* a / (2 s^2) */
    CHECK_NEAR(sp_rdp_without_replacement(5.0, 1.0 - 1e-9, 8.0), 0.16, 1e-9);
    CHECK_NEAR(quadrature((release){ 5.0, 1.0, 8.0 }), 0.16, 1e-10);
    CHECK(sp_rdp_without_replacement(INFINITY, 0.1, 8.0) == 0.0);
    CHECK(isfinite(sp_rdp_without_replacement(1e-3, 0.1, 8.0)));
    double last = 0.0;
    for (double order = 1.001; order < 1e7; order *= 1.7) { /* never decreases, never above the unsampled curve */
        const double value = sp_rdp_without_replacement(1.3, 0.004, order);
        CHECK_LESS_EQUAL(last, value);
        CHECK_LESS_EQUAL(value, order / (2.0 * 1.3 * 1.3));
        last = value;
    }
}

/* As the vectors were computed: cubic grid of 600 points, trapezoids, integer orders 2..128. The grid is coarse: it
 * overstates by up to 2e-3 (with 4800 points it agrees with the accountant to 5 digits). */
static double trapezoids(release r)
{
    const double s = r.noise_multiplier, top = r.order / (s * s) + 14.0 / s;
    double sum = 0.0, u = 0.0;
    double last = r.order * (r.order - 1.0) * r.rate * 2.0 * (2.0 * exp(log_phi(0.5 / s)) - 1.0);
    for (int i = 1; i <= 600; i++) {
        const double next = top * gsl_pow_3(i / 600.0), value = moment_density(next, &r);
        sum += (value + last) / 2.0 * (next - u);
        u = next;
        last = value;
    }
    return log1p(sum) / (r.order - 1.0);
}

static double integer_orders(double (*curve)(release), double noise_multiplier, double rate, double count, double delta)
{
    double least = INFINITY;
    for (double a = 2.0; a <= 128.0; a++)
        least = gsl_min(least, count * curve((release){ noise_multiplier, rate, a }) + log((a - 1.0) / a) -
                                   (log(delta) + log(a)) / (a - 1.0));
    return least;
}

static double accountant_curve(release r)
{
    return sp_rdp_without_replacement(r.noise_multiplier, r.rate, r.order);
}

static void subset_vectors(void)
{
    const struct {
        size_t m, count;
        double noise_multiplier, epsilon;
    } cases[] = { { 122, 6654, 5.768, 0.9991 },
                  { 7, 542868, 3.188, 0.9999 },
                  { 100, 5000, 4.216, 0.9989 },
                  { 529, 136, 3.766, 0.9968 },
                  { 235, 74, 1.794, 0.9185 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double rate = (double)cases[i].m / 1e4, s = cases[i].noise_multiplier;
        const double listed = integer_orders(trapezoids, s, rate, (double)cases[i].count, 1e-8);
        const double exact = integer_orders(accountant_curve, s, rate, (double)cases[i].count, 1e-8);
        const sp_bounds b = BOUNDS(1e-8, subset(s, rate, cases[i].count));
        CHECK_NEAR(listed, cases[i].epsilon, 6e-5);
        CHECK_LESS_EQUAL(exact, listed);
        CHECK_NEAR(exact, listed, 2e-3);
        CHECK_LESS_EQUAL(b.epsilon[SP_BOUND_RDP], exact); /* fractional orders too */
        CHECK_NEAR(b.epsilon[SP_BOUND_RDP], exact, 1e-3);
        CHECK_EQUAL(b.bound, SP_BOUND_PLD);
        CHECK(isnan(b.epsilon[SP_BOUND_GAUSS]) && isnan(b.epsilon[SP_BOUND_ZCDP]) && isnan(b.epsilon[SP_BOUND_BASIC]));
        const double at = (double)cases[i].count * sp_rdp_without_replacement(s, rate, b.order) +
                          log((b.order - 1.0) / b.order) - (log(1e-8) + log(b.order)) / (b.order - 1.0);
        CHECK_NEAR(b.epsilon[SP_BOUND_RDP], at, 1e-12); /* the order explains the bound */
    }
}

/* --- reference cases ------------------------------------------------------------------------------------------ */

static void check_case(const char *name, sp_bounds b, double lower, double best_upper, double rdp_upper, double mistake)
{
    sp_check_count++;
    if (!(b.best >= lower * (1.0 - 1e-9)) || !(b.best > mistake) || !(b.epsilon[SP_BOUND_RDP] <= rdp_upper)) {
        sp_check_failures++;
        fprintf(stderr, "%s: best %.10g (from %.10g to %.10g, above %.10g), rdp %.10g (at most %.10g)\n", name, b.best,
                lower, best_upper, mistake, b.epsilon[SP_BOUND_RDP], rdp_upper);
    }
    if (!isnan(b.epsilon[SP_BOUND_GAUSS]))
        CHECK_NEAR(b.best, best_upper, 1e-9 * best_upper);
    else if (!isnan(b.epsilon[SP_BOUND_PLD]) && !isnan(best_upper))
        CHECK_LESS_EQUAL(b.best, best_upper + 1e-3);
}

/* Rows of the reference table: computed with published libraries and 50-digit arithmetic. */
static void reference_rows(void)
{
    const double any = INFINITY;
    check_case("A01", BOUNDS(1e-5, gauss(0.1, 1)), 91.8172896247, 91.8172896247, any, 0);
    check_case("A05", BOUNDS(1e-12, gauss(0.5, 1)), 15.6411257795, 15.6411257795, any, 0);
    check_case("A13", BOUNDS(1e-6, gauss(4.0, 1)), 1.06070186233, 1.06070186233, any, 0);
    check_case("A19", BOUNDS(1e-5, gauss(1000.0, 1)), 0.00193872496986, 0.00193872496986, any, 0);
    check_case("B03", BOUNDS(1e-6, gauss(5.0, 1000)), 49.3192766607, 49.3192766607, 51.7237246501 * (1 + 1e-9), 0);
    check_case("B05", BOUNDS(1e-5, gauss(316.227766016838, 100000)), 4.37717809568, 4.37717809568,
               4.72850706722 * (1 + 1e-9), 0);
    check_case("E01", BOUNDS(1e-6, subset(1.0, 0.01, 1)), 0.363947839616, 0.363947839616,
               1.24127580941 * (1 + 1e-9), 0.0436668);
    check_case("E03", BOUNDS(1e-6, subset(1.0, 0.01, 1000)), 2.12409762246, 2.512848862,
               4.02120809178 * (1 + 1e-9), 0.7209365);
    check_case("E05", BOUNDS(1e-6, subset(0.5, 0.01, 1000)), 15.4804316499, 16.9621065896,
               23.2896575328 * (1 + 1e-9), 2.1245226);
    check_case("E13", BOUNDS(1e-6, subset(1.0, 0.5, 1)), 4.05429056408, 4.05429056408,
               4.54641651402 * (1 + 1e-9), 1.5925609);
    check_case("E17", BOUNDS(1e-12, subset(3.0, 0.02, 20000)), 7.05270643713, 7.91371524583,
               15.8213365341 * (1 + 1e-9), 3.294);
    check_case("H04b", BOUNDS(1e-8, gauss(12.0, 20), subset(3.0, 0.05, 180)), 2.43, 2.43363128924,
               3.52163326592 * (1 + 1e-9), 0);
}

/* Rows of mixed ledgers under add_remove (H01, H03). */
static void mixed_rows(void)
{
    const sp_entry rows[][3] = {
        { { SP_LEDGER_POISSON, .noise_multiplier = 0.8, .rate = 0.005, .count = 100 }, gauss(8.0, 200),
          pure(SP_LEDGER_LAPLACE, 0.1, 100) },
        { { SP_LEDGER_POISSON, .noise_multiplier = 1.0, .rate = 0.001, .count = 2000 },
          { SP_LEDGER_POISSON, .noise_multiplier = 1.2, .rate = 0.005, .count = 2000 },
          { SP_LEDGER_POISSON, .noise_multiplier = 2.0, .rate = 0.02, .count = 1000 } },
    };
    const double lower[] = { 11.1378590051, 1.85612380178 }, upper[] = { 11.1492011982, 1.87631266199 };
    const double renyi[] = { 11.8450365598, 2.01451166832 };
    for (size_t i = 0; i < 2; i++) {
        sp_ledger ledger = { 0 };
        sp_bounds bounds;
        for (size_t k = 0; k < 3; k++)
            CHECK_EQUAL(sp_ledger_append(&ledger, &rows[i][k]), SP_OK);
        CHECK_EQUAL(sp_account(&ledger, SP_ADD_REMOVE, 1e-6, &bounds, NULL), SP_OK);
        check_case(i == 0 ? "H01" : "H03", bounds, lower[i], upper[i], renyi[i] * (1.0 + 1e-9), 0.0);
        sp_ledger_free(&ledger);
    }
}

/* "sigma=4" -> 4; NAN when the key is not there. */
static double number_in(const char *params, const char *key)
{
    const char *at = strstr(params, key);
    return at ? strtod(at + strlen(key), NULL) : NAN;
}

static void reference_table(void)
{
    char path[4096], line[1024];
    const char *source = getenv("SOURCE");
    snprintf(path, sizeof path, "%s/../shared/reference/accounting.tsv", source ? source : ".");
    FILE *file = fopen(path, "r");
    if (!file) {
        printf("reference table: skipped, %s is not there\n", path);
        return;
    }
    size_t run = 0;
    while (fgets(line, sizeof line, file)) {
        char *field[11], *rest = line;
        size_t fields = 0;
        while (fields < 11 && (field[fields] = strsep(&rest, "\t\n")))
            fields++;
        if (fields < 10)
            continue;
        const size_t count = (size_t)strtoull(field[4], NULL, 10);
        const double delta = strtod(field[5], NULL), s = number_in(field[3], "sigma="), q = number_in(field[3], "q=");
        const sp_neighbours neighbours = strcmp(field[2], "add/remove") == 0 ? SP_ADD_REMOVE : SP_REPLACE_ONE;
        sp_entry e;
        if (strcmp(field[1], "gaussian clipped sum") == 0) {
            e = gauss(s / 2.0, count); /* relative to the bound of one record */
        } else if (strncmp(field[1], "gaussian", 8) == 0) {
            e = gauss(s, count);
        } else if (strcmp(field[1], "fixed-size-WOR-gaussian") == 0) {
            e = subset(s, q, count);
        } else if (strcmp(field[1], "poisson-subsampled-gaussian") == 0) {
            e = (sp_entry){ .kind = SP_LEDGER_POISSON, .noise_multiplier = s, .rate = q, .count = count };
        } else if (strcmp(field[1], "laplace") == 0) {
            e = pure(SP_LEDGER_LAPLACE, 1.0 / number_in(field[3], "b="), count);
        } else if (strcmp(field[1], "pure-dp-kfold") == 0) {
            e = pure(SP_LEDGER_PURE, number_in(field[3], "eps0="), count);
        } else if (strcmp(field[1], "tree-aggregation") == 0) {
            e = (sp_entry){ .kind = SP_LEDGER_TREE, .noise_multiplier = s, .count = count,
                            .steps = (size_t)number_in(field[3], "steps=") };
        } else if (strncmp(field[1], "repeat-and-select", 17) == 0) {
            e = (sp_entry){ .kind = SP_LEDGER_SELECT, .noise_multiplier = s, .mean = number_in(field[3], "mean="),
                            .shape = number_in(field[3], "shape="), .count = count };
        } else if (strcmp(field[1], "k-ary randomised response") == 0) {
            const double p = number_in(field[3], "noise_p="), k = number_in(field[3], "k=");
            e = pure(SP_LEDGER_RANDOMISED_RESPONSE, log(1.0 + k * (1.0 - p) / p), count);
            e.choices = (size_t)k;
        } else {
            continue; /* the mixed ones are above and below, by name */
        }
        sp_ledger ledger = { 0 };
        sp_bounds bounds;
        CHECK_EQUAL(sp_ledger_append(&ledger, &e), SP_OK);
        CHECK_EQUAL(sp_account(&ledger, neighbours, delta, &bounds, NULL), SP_OK);
        sp_ledger_free(&ledger);
        check_case(field[0], bounds, *field[6] ? strtod(field[6], NULL) : 0.0, strtod(field[7], NULL),
                   *field[8] ? strtod(field[8], NULL) * (1.0 + 1e-9) : INFINITY,
                   *field[9] ? strtod(field[9], NULL) : 0.0);
        const double renyi = *field[8] ? strtod(field[8], NULL) : INFINITY;
        if (e.kind == SP_LEDGER_GAUSS_WOR && strtod(field[7], NULL) < 0.69 * renyi) /* fixed-size, with room below */
            CHECK_LESS_EQUAL(bounds.best, 0.7 * renyi);
        run++;
    }
    fclose(file);
    CHECK(run >= 59);
}

/* Far from the ordinary: 10^9 sampled steps, delta to 1e-20, epsilon beyond 100. The exact epsilons are those of
 * tests/end_to_end/composition.py (a contour integral of the pairs' moments in plain Python; eight digits), of
 * `stillpoint account epsilon --json --delta DELTA ENTRY | python3 composition.py`. What is left of the grid at 10^9
 * steps, each of a loss far below its own step, is 1.1 %. */
static void far_references(void)
{
    const struct {
        sp_entry entry;
        sp_neighbours neighbours;
        double delta, exact, above;
    } cases[] = {
        { subset(1.0, 1e-5, 1000000000), SP_REPLACE_ONE, 1e-6, 2.457177343, 1.2e-2 },
        { poisson(1.0, 1e-5, 1000000000), SP_REPLACE_ONE, 1e-6, 3.195758168, 1.2e-2 },
        { poisson(1.0, 1e-5, 1000000000), SP_ADD_REMOVE, 1e-6, 1.835957087, 1.2e-2 },
        { subset(100.0, 1e-3, 1000000000), SP_REPLACE_ONE, 1e-12, 2.141346224, 1.2e-2 },
        { poisson(20.0, 1e-3, 1000000000), SP_REPLACE_ONE, 1e-20, 33.82346459, 1.2e-2 },
        { subset(1.5, 0.02, 300), SP_REPLACE_ONE, 1e-20, 3.350663405, 1e-4 },
        { poisson(1.5, 0.02, 300), SP_ADD_REMOVE, 1e-20, 3.174459622, 1e-4 },
        { subset(1.0, 0.25, 900), SP_REPLACE_ONE, 1e-20, 147.9806552, 1e-5 },
        { poisson(0.8, 0.13, 1800), SP_ADD_REMOVE, 1e-6, 88.8640659, 1e-5 },
        { poisson(1.2, 0.2, 900), SP_REPLACE_ONE, 1e-9, 103.7528481, 1e-5 },
        /* almost all records at a delta that no one asks for: a Renyi order whose integrand peaks far out; in closed
         * form, 420 digits (mpmath) */
        { poisson(17.1, 0.9999998, 1), SP_REPLACE_ONE, 1e-198, 3.50016194572579, 1e-5 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double exact = cases[i].exact, delta = cases[i].delta;
        sp_ledger ledger = { 0 };
        sp_bounds b = { .best = NAN };
        double back = NAN;
        CHECK_EQUAL(sp_ledger_append(&ledger, &cases[i].entry), SP_OK);
        CHECK_EQUAL(sp_account(&ledger, cases[i].neighbours, delta, &b, NULL), SP_OK);
        SP_CHECK_REPORT(b.best >= exact * (1.0 - 1e-9) && b.best <= exact * (1.0 + cases[i].above),
                        "case %zu: epsilon %.10g, exactly %.10g", i, b.best, exact);
        CHECK_EQUAL(sp_account_delta(&ledger, cases[i].neighbours, exact, &back, NULL), SP_OK);
        SP_CHECK_REPORT(back >= delta * (1.0 - 1e-7) && back <= delta * (cases[i].above > 1e-3 ? 2.0 : 1.01),
                        "case %zu: delta %.10g, exactly %.10g", i, back, delta);
        sp_ledger_free(&ledger);
    }
}

/* --- laws ------------------------------------------------------------------------------------------------------- */

static void count_law(void)
{
    const sp_entry entries[] = { gauss(7.3, 1),
                                 subset(2.6, 0.017, 1),
                                 pure(SP_LEDGER_EM, 0.11, 1),
                                 pure(SP_LEDGER_LAPLACE, 0.07, 1),
                                 pure(SP_LEDGER_RANDOMISED_RESPONSE, 0.05, 1) };
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        sp_entry many[13], once = entries[i];
        for (size_t k = 0; k < 13; k++)
            many[k] = entries[i];
        once.count = 13;
        const sp_bounds a = bounds_of(many, 13, 1e-6), b = bounds_of(&once, 1, 1e-6);
        many[5].pool = 0;
        sp_ledger apart = { 0 }; /* the same, not run-length encoded */
        CHECK_EQUAL(sp_ledger_reserve(&apart, 13), SP_OK);
        memcpy(apart.entry, many, sizeof many);
        apart.count = 13;
        sp_bounds c;
        CHECK_EQUAL(sp_account(&apart, SP_REPLACE_ONE, 1e-6, &c, NULL), SP_OK);
        sp_ledger_free(&apart);
        CHECK_NEAR(a.best, b.best, 1e-12 * b.best);
        CHECK_NEAR(c.best, b.best, 1e-12 * b.best);
        CHECK(b.best > 0.0);
    }
    /* the count reaches the curve, not only the reading */
    CHECK(BOUNDS(1e-6, subset(2.6, 0.017, 1300)).best > 2.0 * BOUNDS(1e-6, subset(2.6, 0.017, 130)).best);
}

static void monotone(void)
{
    double last = 0.0;
    for (double q = 1e-4; q < 1.0; q *= 2.3) {
        const double now = BOUNDS(1e-7, subset(1.9, q, 500)).best;
        CHECK(now > last);
        last = now;
    }
    CHECK(BOUNDS(1e-7, gauss(1.9, 500)).epsilon[SP_BOUND_RDP] > last);
    last = INFINITY;
    for (double s = 0.3; s < 60.0; s *= 1.7) {
        const double now = BOUNDS(1e-7, subset(s, 0.02, 500)).best;
        CHECK(now < last);
        last = now;
    }
    for (double delta = 1e-2; delta > 1e-14; delta /= 7.0)
        CHECK(BOUNDS(delta, subset(1.9, 0.02, 500)).best < BOUNDS(delta / 7.0, subset(1.9, 0.02, 500)).best);
    last = 0.0;
    for (size_t count = 1; count < 100000; count *= 5) {
        const double now = BOUNDS(1e-7, subset(1.9, 0.02, count)).best;
        CHECK(now > last);
        last = now;
    }
}

static void sandwich(void)
{
    const sp_bounds b = BOUNDS(1e-8, gauss(31.0, 40), gauss(12.5, 3));
    const double mu = sqrt(40.0 / gsl_pow_2(31.0) + 3.0 / gsl_pow_2(12.5));
    CHECK_NEAR(b.epsilon[SP_BOUND_GAUSS], sp_gaussian_epsilon(mu, 1e-8), 1e-12);
    CHECK_NEAR(b.epsilon[SP_BOUND_RDP], b.epsilon[SP_BOUND_ZCDP], 1e-8); /* the same curve, two searches */
    CHECK(b.epsilon[SP_BOUND_GAUSS] < b.epsilon[SP_BOUND_RDP]);
    CHECK(b.best == b.epsilon[SP_BOUND_GAUSS] && b.bound == SP_BOUND_GAUSS);
    CHECK(isnan(b.epsilon[SP_BOUND_BASIC]));
    /* a subset of all records is the plain Gaussian */
    const sp_bounds whole = BOUNDS(1e-8, subset(31.0, 1.0, 40), subset(12.5, 1.0, 3));
    for (size_t k = 0; k < SP_BOUND_BASIC; k++)
        CHECK_NEAR(whole.epsilon[k], b.epsilon[k], 1e-12);
    /* never worse than without amplification */
    CHECK_LESS_EQUAL(BOUNDS(1e-6, subset(1.0, 0.999, 1)).best, BOUNDS(1e-6, gauss(1.0, 1)).epsilon[SP_BOUND_RDP]);
}

/* The moment of a discrete pair, and epsilon from it, by hand at every order of a fine grid. */
static double by_hand(const double *p, const double *q, size_t outcomes, double mu2, double count, double delta)
{
    double least = INFINITY;
    for (double excess = 1e-3; excess < 1e6; excess *= 1.001) {
        const double a = 1.0 + excess;
        double top = -INFINITY, sum = 0.0;
        for (size_t i = 0; i < outcomes; i++)
            top = gsl_max(top, a * log(p[i]) - excess * log(q[i]));
        for (size_t i = 0; i < outcomes; i++)
            sum += exp(a * log(p[i]) - excess * log(q[i]) - top);
        least = gsl_min(least, a * mu2 / 2.0 + count * (top + log(sum)) / excess + log(excess / a) -
                                   (log(delta) + log(a)) / excess);
    }
    return least;
}

static void pure_entries(void)
{
    /* Bounded range: ln dP/dQ in [t - 1, t]; the truth at small delta is 1 - 2 sqrt(delta (1 - 1/e)). A rho-only total
     * would report 2.86, a randomised response 1 - delta (1 + 1/e). */
    const sp_bounds em = BOUNDS(1e-8, pure(SP_LEDGER_EM, 1.0, 1));
    const double exact = 1.0 - 2.0 * sqrt(1e-8 * (1.0 - exp(-1.0)));
    CHECK_NEAR(em.best, exact, 2e-6);
    CHECK_LESS_EQUAL(exact - 1e-8, em.best);
    CHECK(em.epsilon[SP_BOUND_BASIC] == 1.0);
    CHECK_NEAR(em.epsilon[SP_BOUND_ZCDP], 2.86, 0.01);
    const sp_bounds many = BOUNDS(1e-6, pure(SP_LEDGER_PURE, 0.01, 1000));
    CHECK_NEAR(many.epsilon[SP_BOUND_ZCDP], sp_zcdp_epsilon(1000.0 * 1e-4 / 2.0, 1e-6), 1e-12);
    CHECK_LESS_EQUAL(many.epsilon[SP_BOUND_RDP], 1.46846999663 * (1.0 + 1e-9)); /* row G06: Renyi, and the truth */
    CHECK_LESS_EQUAL(1.36544670999, many.best);
    const sp_bounds range = BOUNDS(1e-6, pure(SP_LEDGER_EM, 0.01, 4000));
    CHECK_NEAR(range.epsilon[SP_BOUND_ZCDP], many.epsilon[SP_BOUND_ZCDP], 1e-12); /* a quarter of the rho */
    CHECK_NEAR(BOUNDS(1e-6, pure(SP_LEDGER_RNM_LAPLACE, 1.0, 10)).best, 9.99997706582, 1e-5); /* row G04: exact */

    const double delta = 1e-5, e = 2.0, mu2 = 2.0 / gsl_pow_2(3.1);
    const double high = exp(e) / (1.0 + exp(e)), p[] = { high, 1.0 - high }, q[] = { 1.0 - high, high };
    const sp_bounds mixed = BOUNDS(delta, gauss(3.1, 2), pure(SP_LEDGER_SVT, e, 1));
    CHECK_NEAR(mixed.epsilon[SP_BOUND_RDP], by_hand(p, q, 2, mu2, 1.0, delta), 1e-5);
    CHECK_NEAR(mixed.epsilon[SP_BOUND_BASIC], e + sp_gaussian_epsilon(sqrt(mu2), delta), 1e-12);
    CHECK(isnan(mixed.epsilon[SP_BOUND_GAUSS]));
    const sp_bounds sampled = BOUNDS(delta, subset(1.1, 0.02, 50), pure(SP_LEDGER_SVT, e, 1));
    CHECK_NEAR(sampled.epsilon[SP_BOUND_BASIC], e + BOUNDS(delta, subset(1.1, 0.02, 50)).epsilon[SP_BOUND_RDP], 1e-9);
    CHECK(isnan(sampled.epsilon[SP_BOUND_ZCDP]));
    /* reference row of a mixed ledger (H05b): no looser than the best upper bound known */
    const sp_bounds warm = BOUNDS(1e-8, pure(SP_LEDGER_EM, 0.5, 1), gauss(12.0, 20), subset(3.0, 0.05, 180));
    CHECK_LESS_EQUAL(2.43, warm.best); /* without the choice */
    CHECK_LESS_EQUAL(warm.best, 2.89409567731 + 1e-3);
}

/* Renyi curves against the pairs they are the curves of. */
static void other_curves(void)
{
    /* k-ary randomised response, row K03: kept with probability 0.1, else one of ten */
    const double keep = 0.19, other = 0.09;
    double p[10], q[10];
    for (size_t i = 0; i < 10; i++) {
        p[i] = i == 0 ? keep : other;
        q[i] = i == 1 ? keep : other;
    }
    sp_entry answers = pure(SP_LEDGER_RANDOMISED_RESPONSE, log(keep / other), 50);
    const double two = BOUNDS(1e-6, answers).best;
    answers.choices = 10;
    const sp_bounds ten = BOUNDS(1e-6, answers);
    CHECK_NEAR(ten.epsilon[SP_BOUND_RDP], by_hand(p, q, 10, 0.0, 50.0, 1e-6), 1e-4);
    CHECK_LESS_EQUAL(ten.best, 17.4140354269 * (1.0 + 1e-6));
    CHECK(ten.best > 0.747294736828 && two > ten.best);
    /* distributions: exact epsilons of 200, 40 and 10 answers, by powers of the polynomial of the three losses in 40
     * digits (mpmath) */
    const struct {
        double epsilon, delta, exact;
        size_t choices, count;
    } exact[] = { { 0.1, 1e-6, 0.966571605615247, 100, 200 },
                  { 0.5, 1e-9, 10.4665545590598, 10, 40 },
                  { 2.0, 1e-12, 11.9718609534909, 1000, 10 } };
    for (size_t i = 0; i < 3; i++) {
        sp_entry e = pure(SP_LEDGER_RANDOMISED_RESPONSE, exact[i].epsilon, exact[i].count);
        e.choices = exact[i].choices;
        const double found = BOUNDS(exact[i].delta, e).best;
        CHECK_LESS_EQUAL(exact[i].exact * (1.0 - 1e-14), found);
        CHECK_LESS_EQUAL(found, exact[i].exact * (1.0 + 1e-4));
    }
    CHECK_LESS_EQUAL(BOUNDS(1e-6, pure(SP_LEDGER_RANDOMISED_RESPONSE, log(3.0), 1)).best, log(3.0)); /* K01 */

    /* bounded range: over every position t of the range, the two-point pair at its ends */
    for (double epsilon = 0.02; epsilon < 6.0; epsilon *= 5.0) {
        double worst = 0.0;
        const double delta = 1e-7, count = ceil(9.0 / epsilon);
        const double reached = BOUNDS(delta, pure(SP_LEDGER_EM, epsilon, (size_t)count)).epsilon[SP_BOUND_RDP];
        for (double share = 0.02; share < 1.0; share += 0.02) {
            const double t = share * epsilon, up = -expm1(t - epsilon) / (exp(t) - exp(t - epsilon));
            const double one[] = { up * exp(t), 1.0 - up * exp(t) }, zero[] = { up, 1.0 - up };
            worst = gsl_max(worst, by_hand(one, zero, 2, 0.0, count, delta));
        }
        CHECK_LESS_EQUAL(worst, reached * (1.0 + 1e-9)); /* t may depend on the order: no smaller than each of them */
        CHECK_LESS_EQUAL(reached, worst * 1.01);
    }

    /* Laplace: cut into fine pieces; rows F01, F07 */
    enum { PIECES = 400 };
    double near[PIECES + 2], far[PIECES + 2];
    const double epsilon = 0.7;
    for (size_t i = 0; i < PIECES; i++) { /* x in (i, i+1) / PIECES between the centres 0 and 1 */
        const double x = (double)i / PIECES, step = epsilon / PIECES;
        near[i] = 0.5 * exp(-epsilon * x) * -expm1(-step);
        far[i] = 0.5 * exp(-epsilon * (1.0 - x)) * expm1(step);
    }
    near[PIECES] = far[PIECES + 1] = 0.5;
    near[PIECES + 1] = far[PIECES] = 0.5 * exp(-epsilon);
    const double laplace = BOUNDS(1e-6, pure(SP_LEDGER_LAPLACE, epsilon, 20)).epsilon[SP_BOUND_RDP];
    CHECK_NEAR(laplace, by_hand(near, far, PIECES + 2, 0.0, 20.0, 1e-6), 1e-4);
    CHECK_LESS_EQUAL(BOUNDS(1e-6, pure(SP_LEDGER_LAPLACE, 1.0, 1)).epsilon[SP_BOUND_RDP], 1.00507514019);
    const sp_bounds f07 = BOUNDS(1e-6, pure(SP_LEDGER_LAPLACE, 2.0, 4));
    CHECK_LESS_EQUAL(7.99134782968, f07.best);
    CHECK_LESS_EQUAL(f07.best, 7.99998400147 + 1e-6);
}

/* The densities themselves, in fine slices: a lower bound that converges. */
static double sliced(double noise_multiplier, double rate, bool replace, double order)
{
    const double mu = 1.0 / noise_multiplier, step = 1e-3, low = -mu - 14.0, high = order * mu + 14.0;
    double sum = 0.0;
    for (double x = low + step / 2.0; x < high; x += step) {
        const double zero = -x * x / 2.0, up = mu * x - mu * mu / 2.0, down = -mu * x - mu * mu / 2.0;
        const double p = log((1.0 - rate) + rate * exp(up)), q = replace ? log((1.0 - rate) + rate * exp(down)) : 0.0;
        sum += exp(zero + order * p - (order - 1.0) * q) * step;
    }
    return log(sum / sqrt(2.0 * M_PI)) / (order - 1.0);
}

static void poisson_entries(void)
{
    const struct {
        double noise_multiplier, rate, order;
    } cases[] = { { 1.0, 0.01, 8.0 }, { 2.0, 0.1, 3.0 }, { 0.6, 0.3, 2.2 }, { 5.0, 0.1, 30.0 }, { 1.3, 0.5, 1.5 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int replace = 0; replace < 2; replace++) {
            const sp_entry e = { .kind = SP_LEDGER_POISSON, .noise_multiplier = cases[i].noise_multiplier,
                                 .rate = cases[i].rate, .count = 1 };
            const double exact = sliced(cases[i].noise_multiplier, cases[i].rate, replace, cases[i].order);
            const double value = sp_rdp_release(&e, 1.0, replace ? SP_REPLACE_ONE : SP_ADD_REMOVE, cases[i].order);
            CHECK_NEAR(value, exact, 1e-9 * exact + 1e-12);
            const double both = sliced(cases[i].noise_multiplier / 2.0, cases[i].rate, false, cases[i].order);
            CHECK(!replace || value > sliced(cases[i].noise_multiplier, cases[i].rate, false, cases[i].order));
            CHECK(both > 0.0);
        }
    }
    /* all records: the plain Gaussian of twice the distance, or of the distance */
    const sp_entry all = { .kind = SP_LEDGER_POISSON, .noise_multiplier = 4.6, .rate = 1.0, .count = 9 };
    CHECK_NEAR(BOUNDS(1e-6, all).best, BOUNDS(1e-6, gauss(2.3, 9)).best, 1e-9);
}

static sp_entry poisson_of(double noise_multiplier, double rate, size_t count)
{
    return (sp_entry){ .kind = SP_LEDGER_POISSON, .noise_multiplier = noise_multiplier, .rate = rate, .count = count };
}

static double under_add_remove(double delta, sp_entry entry)
{
    sp_ledger ledger = { .entry = &entry, .count = 1 };
    sp_bounds bounds = { .best = NAN };
    CHECK_EQUAL(sp_account(&ledger, SP_ADD_REMOVE, delta, &bounds, NULL), SP_OK);
    return bounds.best;
}

/* Many samples: from the exact curve, by a contour integral in NumPy over a fixed grid of 4,001 points: at most .2 %
 * above it. */
static void many_samples(void)
{
    const struct {
        double noise_multiplier, rate;
        size_t count;
        double delta, replaced, added;
    } cases[] = { { 1.0, 1e-5, 100000000, 1e-5, 0.79248999739, 0.45767526802 },
                  { 1.0 / 1.37, 2.385e-6, 10000000000, 1e-6, 4.07577318637, 2.55912217394 },
                  { 1.0 / 0.7, 3e-4, 20000000, 1e-8, 12.12037181718, 6.21148415615 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const sp_entry e = poisson_of(cases[i].noise_multiplier, cases[i].rate, cases[i].count);
        const double replaced = BOUNDS(cases[i].delta, e).best, added = under_add_remove(cases[i].delta, e);
        CHECK_LESS_EQUAL(cases[i].replaced * (1.0 - 1e-9), replaced);
        CHECK_LESS_EQUAL(replaced, cases[i].replaced * 1.002);
        CHECK_LESS_EQUAL(cases[i].added * (1.0 - 1e-9), added);
        CHECK_LESS_EQUAL(added, cases[i].added * 1.002);
    }
    /* the limit of many small samples is a Gaussian: of mu = rate sqrt(2 count (e - 1/e)) for noise multiplier 1 */
    const double limit = sp_gaussian_epsilon(2.385e-7 * sqrt(2e12 * (exp(1.0) - exp(-1.0))), 1e-7);
    const double found = BOUNDS(1e-7, poisson_of(1.0, 2.385e-7, 1000000000000)).best;
    CHECK_LESS_EQUAL(limit * (1.0 - 1e-6), found);
    CHECK_LESS_EQUAL(found, limit * 1.002);
    /* and of subsets of rate sqrt(2 count (e Phi(3/2) + 3 Phi(-1/2) - 2)) (Dong, Roth & Su 2022, Cor. 5.4) */
    const double variance = exp(1.0) * 0.5 * erfc(-1.5 / M_SQRT2) + 1.5 * erfc(0.5 / M_SQRT2) - 2.0;
    const double of_subsets = sp_gaussian_epsilon(2.385e-7 * sqrt(2e12 * variance), 1e-7);
    const double subsets = BOUNDS(1e-7, subset(1.0, 2.385e-7, 1000000000000)).best;
    CHECK_LESS_EQUAL(of_subsets * (1.0 - 1e-6), subsets);
    CHECK_LESS_EQUAL(subsets, of_subsets * 1.002);
}

/* Samples so rare that delta is as likely as any of them: whatever the noise, and with others beside them. */
static void rare_samples(void)
{
    double delta;
    const double rate = 2.385e-7, tau = -expm1(20.0 * log1p(-rate));
    CHECK(BOUNDS(1e-5, poisson_of(0.01, rate, 20)).best == 0.0);
    CHECK(under_add_remove(1e-5, poisson_of(0.01, rate, 20)) == 0.0);
    CHECK(BOUNDS(1e-5, subset(0.01, rate, 20)).best == 0.0);
    CHECK(BOUNDS(0.99 * tau, poisson_of(0.01, rate, 20)).best > 1.0);
    CHECK_NEAR(BOUNDS(1e-5, poisson_of(0.01, rate, 20), gauss(10.0, 1)).best, sp_gaussian_epsilon(0.1, 1e-5 - tau),
               1e-9);
    sp_entry one = poisson_of(0.01, rate, 1);
    sp_ledger ledger = { .entry = &one, .count = 1 };
    CHECK_EQUAL(sp_account_delta(&ledger, SP_REPLACE_ONE, 0.5, &delta, NULL), SP_OK);
    CHECK_LESS_EQUAL(rate, delta);
    CHECK_LESS_EQUAL(delta, rate * (1.0 + 1e-14));
    double factor = NAN;
    CHECK_EQUAL(sp_calibrate_factor(NULL, &ledger, 0.5, 1e-5, &factor, NULL), SP_OK);
    CHECK_NEAR(factor, 1e-6, 0.0);
}

/* More noise, fewer releases, a larger delta: never a larger epsilon. delta(0) = q (2 Phi(mu/2) - 1) of one sample. */
static void small_epsilons(void)
{
    const double rate = 0.00105;
    double last = INFINITY;
    for (double noise = 0.15; noise < 4.0; noise *= 1.19) {
        const double at_zero = rate * erf(0.5 / noise / M_SQRT2);
        const double epsilon = under_add_remove(1e-3, poisson_of(noise, rate, 1));
        CHECK_LESS_EQUAL(epsilon, last * (1.0 + 1e-4) + 1e-9);
        CHECK(at_zero > 1e-3 || epsilon == 0.0);
        last = epsilon;
    }
    last = 0.0;
    for (size_t count = 1; count < 200; count = 2 * count + 1) {
        const double epsilon = under_add_remove(2e-3, poisson_of(2.385, rate, count));
        CHECK_LESS_EQUAL(last, epsilon * (1.0 + 1e-4) + 1e-9);
        last = epsilon;
    }
    /* the least noise with delta(epsilon) <= delta, of one sample in closed form */
    sp_entry one = poisson_of(1.0, rate, 1);
    sp_ledger ledger = { .entry = &one, .count = 1 };
    double factor = NAN;
    CHECK_EQUAL(sp_calibrate_under(NULL, &ledger, SP_ADD_REMOVE, 5e-4, 1e-3, &factor, NULL), SP_OK);
    CHECK_LESS_EQUAL(0.2426 * (1.0 - 1e-3), factor);
    CHECK_LESS_EQUAL(factor, 0.2426 * 1.03);
}

static void all_of_delta(void)
{
    const sp_entry three = { .kind = SP_LEDGER_APPROX, .epsilon = 0.3, .delta = 0.1, .count = 3 };
    CHECK_NEAR(BOUNDS(0.3, three).best, 0.9, 1e-12);
    sp_entry ten = { .kind = SP_LEDGER_APPROX, .epsilon = 0.3, .delta = 1e-6, .count = 10 };
    CHECK_NEAR(BOUNDS(1e-5, ten).best, 3.0, 1e-12);
    CHECK(isinf(BOUNDS(1e-5 * (1.0 - 1e-13), ten).best));
    CHECK(isinf(BOUNDS(1e-5, ten, gauss(100.0, 1)).best));
    double delta = NAN;
    sp_ledger ledger = { .entry = &ten, .count = 1 };
    CHECK_EQUAL(sp_account_delta(&ledger, SP_REPLACE_ONE, 3.0, &delta, NULL), SP_OK);
    CHECK_NEAR(delta, 1e-5, 1e-20);
    /* beneath every double is not nothing */
    sp_entry far = gauss(1.0, 1);
    ledger.entry = &far;
    CHECK_EQUAL(sp_account_delta(&ledger, SP_REPLACE_ONE, 40.0, &delta, NULL), SP_OK);
    CHECK(delta > 0.0 && delta < 1e-300);
}

static void trees_and_failures(void)
{
    const struct {
        size_t steps;
        double levels;
    } trees[] = { { 1, 1 }, { 2, 2 }, { 3, 2 }, { 7, 3 }, { 8, 4 }, { 1000, 10 }, { 1000000, 20 } };
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
        const sp_entry tree = { .kind = SP_LEDGER_TREE, .noise_multiplier = 4.3, .steps = trees[i].steps, .count = 2 };
        CHECK_NEAR(BOUNDS(1e-7, tree).best, sp_gaussian_epsilon(sqrt(2.0 * trees[i].levels) / 4.3, 1e-7), 1e-9);
    }
    const sp_entry failing = { .kind = SP_LEDGER_APPROX, .epsilon = 0.3, .delta = 1e-7, .count = 1 };
    const sp_bounds b = BOUNDS(2e-7, failing, gauss(6.0, 10)); /* row H08 */
    CHECK_NEAR(b.epsilon[SP_BOUND_BASIC], 0.3 + sp_gaussian_epsilon(sqrt(10.0) / 6.0, 1e-7), 1e-9);
    CHECK_LESS_EQUAL(b.best, 3.04837323724 + 1e-3);
    CHECK_LESS_EQUAL(BOUNDS(2e-7, gauss(6.0, 10)).best, b.best);
    CHECK(isinf(BOUNDS(1e-7, failing, failing, gauss(60.0, 1)).best)); /* the deltas alone are more */
}

/* Repetitions. Thm 2 by hand: ln(1/gamma) at shape 1 is ln(mean); J01 and J03 of the reference table. */
static void selections(void)
{
    sp_entry e = { .kind = SP_LEDGER_SELECT, .noise_multiplier = 2.0, .mean = 10.0, .shape = 1.0, .count = 1 };
    const double rho = 0.125, order = 7.3, log_gamma = log(10.0);
    double best = INFINITY;
    for (double other = 1.0; other < 100.0; other *= 1.0001)
        best = gsl_min(best, (1.0 - 1.0 / other) * rho * other + log_gamma / other);
    CHECK_NEAR(sp_rdp_release(&e, 1.0, SP_REPLACE_ONE, order),
               order * rho + 2.0 * best + log(10.0) / (order - 1.0), 1e-7);
    CHECK_LESS_EQUAL(BOUNDS(1e-6, e).best, 4.54767966871);
    CHECK(BOUNDS(1e-6, e).best > BOUNDS(1e-6, gauss(2.0, 1)).best);
    /* delta and back, alone and with others; by hand over all orders */
    const sp_entry with[] = { e, gauss(9.0, 3), subset(1.4, 0.01, 50), pure(SP_LEDGER_PURE, 0.3, 1) };
    for (size_t count = 1; count <= 4; count++) {
        sp_ledger ledger = { 0 };
        double back = NAN, least = 0.0;
        for (size_t k = 0; k < count; k++)
            CHECK_EQUAL(sp_ledger_append(&ledger, &with[k]), SP_OK);
        const double epsilon = bounds_of(with, count, 1e-6).best;
        CHECK_EQUAL(sp_account_delta(&ledger, SP_REPLACE_ONE, epsilon, &back, NULL), SP_OK);
        CHECK_NEAR(back, 1e-6, 1e-12);
        CHECK_EQUAL(sp_account_delta(&ledger, SP_REPLACE_ONE, 3.1, &back, NULL), SP_OK);
        for (double excess = 1e-2; excess < 1e3; excess *= 1.001) {
            double curve = 0.0;
            for (size_t k = 0; k < count; k++)
                curve += (double)with[k].count * sp_rdp_release(&with[k], 1.0, SP_REPLACE_ONE, 1.0 + excess);
            least = fmin(least, excess * (curve + log(excess / (1.0 + excess)) - 3.1) - log1p(excess));
        }
        CHECK_NEAR(back, exp(least), 1e-4 * exp(least));
        CHECK(back < 0.5);
        sp_ledger_free(&ledger);
    }
    /* gamma of other shapes: the mean of the distribution, summed term by term */
    const double shapes[] = { -0.5, 0.0, 0.7, 3.0 };
    for (size_t i = 0; i < 4; i++) {
        e.shape = shapes[i];
        e.noise_multiplier = 0.01; /* rho beyond ln(1/gamma): the term is (1 + shape) ln(1/gamma) itself */
        const double gamma = exp(-(sp_rdp_release(&e, 1.0, SP_REPLACE_ONE, order) - order * 5000.0 -
                                   log(10.0) / (order - 1.0)) / (1.0 + shapes[i]));
        double mass = 1.0, all = 0.0, mean = 0.0; /* Pr[k] ~ (1-gamma)^k/k! prod_{l<k} (l + shape) */
        for (double k = 1.0; k < 20000.0; k++) {
            mass *= k == 1.0 ? 1.0 - gamma : (1.0 - gamma) * (k - 1.0 + shapes[i]) / k;
            all += mass;
            mean += k * mass;
        }
        CHECK_NEAR(mean / all, 10.0, 1e-6);
    }
    e.shape = INFINITY;
    e.noise_multiplier = 2.0;
    CHECK_LESS_EQUAL(BOUNDS(1e-6, e).best, 5.18272763198);
    const double epsilon = log(order / (order - 1.0));
    CHECK_NEAR(sp_rdp_release(&e, 1.0, SP_REPLACE_ONE, order),
               order * rho + 10.0 * sp_gaussian_delta(0.5, epsilon) + log(10.0) / (order - 1.0), 1e-12);
}

/* A ledger with an entry that passed a filter has the filter's bound and no other, over all its entries. */
static void filtered_entries(void)
{
    const double delta = 1e-6;
    sp_entry entries[] = { gauss(9.3, 3),
                           { SP_LEDGER_GAUSS_WOR, .noise_multiplier = 21.7, .rate = 0.01, .count = 4 },
                           { SP_LEDGER_POISSON, .noise_multiplier = 44.1, .rate = 0.02, .count = 2 },
                           { SP_LEDGER_EM, .epsilon = 0.11, .count = 1, .filter = SP_FILTER_ZCDP } };
    const double rho = 1.5 / (9.3 * 9.3) + 2.0 / (21.7 * 21.7) + 4.0 / (44.1 * 44.1); /* as on all records */
    sp_bounds b = bounds_of(entries, 4, delta);
    CHECK(b.bound == SP_BOUND_ZCDP && isnan(b.epsilon[SP_BOUND_RDP]) && isnan(b.epsilon[SP_BOUND_PLD]) &&
          isnan(b.epsilon[SP_BOUND_BASIC]) && isnan(b.epsilon[SP_BOUND_GAUSS]));
    CHECK_NEAR(b.best, sp_zcdp_epsilon(rho + 0.11 * 0.11 / 8.0, delta), 1e-12);
    entries[3].filter = SP_FILTER_GAUSS; /* which knows no choices */
    CHECK(isinf(bounds_of(entries, 4, delta).best));
    entries[3].filter = SP_FILTER_BASIC; /* nor that one Gaussians */
    CHECK(isinf(bounds_of(entries, 4, delta).best));
    CHECK_NEAR(bounds_of(entries + 3, 1, delta).best, 0.11, 1e-12);
    entries[1].filter = SP_FILTER_GAUSS;
    b = bounds_of(entries, 3, delta);
    CHECK(b.bound == SP_BOUND_GAUSS && isnan(b.epsilon[SP_BOUND_ZCDP]));
    CHECK_NEAR(b.best, sp_gaussian_epsilon(sqrt(2.0 * rho), delta), 1e-12);
    entries[3].filter = SP_FILTER_GAUSS;
    entries[1].filter = SP_FILTER_ZCDP; /* of two filters neither, but what both imply */
    CHECK_NEAR(bounds_of(entries, 4, delta).best, sp_zcdp_epsilon(rho + 0.11 * 0.11 / 8.0, delta), 1e-12);

    sp_ledger ledger = { 0 };
    double found, factor;
    for (size_t i = 0; i < 4; i++)
        CHECK_EQUAL(sp_ledger_append(&ledger, &entries[i]), SP_OK);
    CHECK_EQUAL(sp_account_delta(&ledger, SP_REPLACE_ONE, bounds_of(entries, 4, delta).best, &found, NULL), SP_OK);
    CHECK_NEAR(found, delta, 1e-6 * delta);
    CHECK_EQUAL(sp_calibrate_factor(NULL, &ledger, 1.0, delta, &factor, NULL), SP_OK);
    CHECK_NEAR(rho / (factor * factor) + 0.11 * 0.11 / 8.0, sp_zcdp_rho(1.0, delta), 1e-6 * rho);
    const sp_entry marked = entries[1];
    ledger.count = 0;
    CHECK_EQUAL(sp_ledger_append(&ledger, &marked), SP_OK);
    entries[1].filter = SP_FILTER_NONE;
    CHECK_EQUAL(sp_ledger_append(&ledger, &entries[1]), SP_OK); /* the mark keeps them apart */
    CHECK_EQUAL(ledger.count, 2);
    sp_ledger_free(&ledger);
}

/* Any number of different choices on one pool costs under a filter what they cost, not what similar ones would. */
static void many_filtered_entries(void)
{
    sp_entry entries[200];
    for (int f = 0; f < 2; f++) {
        double rho = 0.0, epsilon = 0.0;
        for (size_t i = 0; i < 200; i++) {
            entries[i] = (sp_entry){ i % 2 ? SP_LEDGER_EM : SP_LEDGER_SVT, .epsilon = 0.2385 * pow(0.97, (double)i),
                                     .count = 1 + i % 3, .pool = 1,
                                     .filter = f == 0 ? SP_FILTER_ZCDP : SP_FILTER_BASIC };
            rho += (double)entries[i].count * gsl_pow_2(entries[i].epsilon) / (i % 2 ? 8.0 : 2.0);
            epsilon += (double)entries[i].count * entries[i].epsilon;
        }
        CHECK_NEAR(bounds_of(entries, 200, 1e-6).best, f == 0 ? sp_zcdp_epsilon(rho, 1e-6) : epsilon, 1e-12);
    }
}

/* Joined classes: above the exact bound, not by much. */
static void many_entries(void)
{
    sp_ledger ledger = { 0 };
    sp_bounds b;
    for (size_t i = 0; i < 20000; i++) {
        const sp_entry e = subset(2.0 + 1e-5 * (double)i, 0.001 + 1e-8 * (double)(i % 1000), 1);
        CHECK_EQUAL(sp_ledger_append(&ledger, &e), SP_OK);
    }
    CHECK_EQUAL(sp_account(&ledger, SP_REPLACE_ONE, 1e-6, &b, NULL), SP_OK);
    CHECK_LESS_EQUAL(BOUNDS(1e-6, subset(2.2, 0.001, 20000)).best, b.best);
    CHECK_LESS_EQUAL(b.best, 1.02 * BOUNDS(1e-6, subset(2.0, 0.00101, 10000), subset(2.1, 0.00101, 10000)).best);

    /* against the sum of all curves: pairs 2 % apart are joined, to the worse of the two */
    double least = INFINITY;
    sp_ledger_clear(&ledger);
    for (size_t i = 0; i < 40; i++) {
        const sp_entry e = subset(2.0 * pow(1.2, (double)(i / 2)) * (i % 2 == 0 ? 1.0 : 1.02), 0.02, 50);
        CHECK_EQUAL(sp_ledger_append(&ledger, &e), SP_OK);
    }
    for (double order = 3.0; order < 100.0; order *= 1.02) {
        double sum = log((order - 1.0) / order) - (log(1e-6) + log(order)) / (order - 1.0);
        for (size_t i = 0; i < 40; i++)
            sum += 50.0 * sp_rdp_release(&ledger.entry[i], 1.0, SP_REPLACE_ONE, order);
        least = gsl_min(least, sum);
    }
    CHECK_EQUAL(sp_account(&ledger, SP_REPLACE_ONE, 1e-6, &b, NULL), SP_OK);
    CHECK_LESS_EQUAL(1.001 * least, b.epsilon[SP_BOUND_RDP]);
    CHECK_LESS_EQUAL(b.epsilon[SP_BOUND_RDP], 1.05 * least);
    sp_ledger_free(&ledger);
}

static void pools(void)
{
    const double delta = 1e-7;
    /* disjoint records do not add; each of them pays the outer entries */
    CHECK_NEAR(BOUNDS(delta, in_pool(gauss(3.3, 2), 1), in_pool(gauss(3.3, 2), 2), in_pool(gauss(3.3, 2), 9)).best,
               BOUNDS(delta, gauss(3.3, 2)).best, 1e-12);
    CHECK_NEAR(BOUNDS(delta, gauss(5.7, 4), in_pool(gauss(9.1, 1), 1), in_pool(gauss(2.2, 1), 2)).best,
               BOUNDS(delta, gauss(5.7, 4), gauss(2.2, 1)).best, 1e-12);
    CHECK_NEAR(BOUNDS(delta, in_pool(gauss(3.3, 1), 1), in_pool(gauss(4.4, 1), 2), in_pool(gauss(5.5, 1), 1)).best,
               BOUNDS(delta, gauss(3.3, 1), gauss(5.5, 1)).best, 1e-12);
    /* a branch is converted by its own best bound; a column holds the worst pool's, or none */
    const sp_bounds b = BOUNDS(delta, in_pool(gauss(8.0, 1), 1), in_pool(subset(2.5, 0.01, 30), 2),
                               in_pool(pure(SP_LEDGER_PURE, 0.01, 3), 3));
    const sp_bounds g = BOUNDS(delta, gauss(8.0, 1)), w = BOUNDS(delta, subset(2.5, 0.01, 30));
    CHECK_NEAR(b.best, gsl_max(g.best, w.best), 1e-12);
    CHECK_NEAR(b.epsilon[SP_BOUND_RDP], gsl_max(g.epsilon[SP_BOUND_RDP], w.epsilon[SP_BOUND_RDP]), 1e-12);
    CHECK(isnan(b.epsilon[SP_BOUND_GAUSS]) && isnan(b.epsilon[SP_BOUND_ZCDP]));
    const sp_bounds late = BOUNDS(delta, in_pool(gauss(80.0, 1), 1), in_pool(subset(2.5, 0.01, 900), 2));
    const sp_bounds alone = BOUNDS(delta, subset(2.5, 0.01, 900));
    CHECK_NEAR(late.best, alone.best, 1e-12); /* the worst pool need not be the first */
    CHECK(late.bound == alone.bound && late.order == alone.order && late.best > BOUNDS(delta, gauss(80.0, 1)).best);
    const sp_bounds first = BOUNDS(delta, in_pool(subset(2.5, 0.01, 30), 1), in_pool(gauss(8.0, 1), 2));
    CHECK(isnan(first.epsilon[SP_BOUND_GAUSS]) && isnan(first.epsilon[SP_BOUND_ZCDP])); /* in either order */

    sp_ledger many = { 0 };
    sp_bounds worst;
    double mass;
    for (size_t pool = 1; pool <= 100000; pool++) {
        const sp_entry one = in_pool(gauss(pool == 77777 ? 4.1 : 4.2, 1), pool);
        const sp_entry two = in_pool(subset(1.6, 0.01, 2), pool);
        CHECK_EQUAL(sp_ledger_append(&many, &one), SP_OK);
        CHECK_EQUAL(sp_ledger_append(&many, &two), SP_OK);
    }
    CHECK_EQUAL(sp_account(&many, SP_REPLACE_ONE, delta, &worst, NULL), SP_OK);
    CHECK_NEAR(worst.best, BOUNDS(delta, gauss(4.1, 1), subset(1.6, 0.01, 2)).best, 1e-12);
    CHECK_EQUAL(sp_account_delta(&many, SP_REPLACE_ONE, worst.best, &mass, NULL), SP_OK);
    CHECK_NEAR(mass, delta, 2e-3 * delta); /* two distributions, two grids */
    sp_ledger_free(&many);
}

static void delta_and_back(void)
{
    const sp_entry ledgers[][3] = { { gauss(9.7, 12), gauss(30.0, 5), gauss(40.0, 1) },
                                    { gauss(9.7, 12), subset(1.4, 0.003, 900), subset(3.0, 0.2, 4) },
                                    { pure(SP_LEDGER_EM, 0.2, 3), subset(1.4, 0.003, 900), gauss(50.0, 1) },
                                    { pure(SP_LEDGER_PURE, 0.4, 1), gauss(9.7, 2), gauss(20.0, 3) } };
    for (size_t i = 0; i < sizeof ledgers / sizeof ledgers[0]; i++) {
        for (double delta = 1e-3; delta > 1e-13; delta /= 300.0) {
            sp_ledger ledger = { 0 };
            double back = NAN;
            for (size_t k = 0; k < 3; k++)
                CHECK_EQUAL(sp_ledger_append(&ledger, &ledgers[i][k]), SP_OK);
            const sp_bounds there = bounds_of(ledgers[i], 3, delta);
            for (size_t bound = 0; bound < SP_BOUNDS; bound++) {
                const double epsilon = there.epsilon[bound];
                double every[SP_BOUNDS];
                sp_bound_kind best;
                if (isnan(epsilon) || bound == SP_BOUND_ZCDP)
                    continue; /* rdp has the better orders of it */
                CHECK_EQUAL(sp_account_deltas(&ledger, SP_REPLACE_ONE, epsilon, every, &best, NULL), SP_OK);
                if (bound == SP_BOUND_PLD) { /* the two ways stand on different grids */
                    CHECK_NEAR(every[bound], delta, 2e-2 * delta);
                    continue;
                }
                CHECK_LESS_EQUAL(every[bound], delta * (1.0 + 1e-7));
                CHECK_NEAR(every[bound], delta, 1e-6 * delta);
                CHECK_NEAR(bounds_of(ledgers[i], 3, every[bound]).epsilon[bound], epsilon, 1e-7 * epsilon);
            }
            CHECK_EQUAL(sp_account_delta(&ledger, SP_REPLACE_ONE, there.best, &back, NULL), SP_OK);
            CHECK_NEAR(back, delta, 2e-2 * delta);
            sp_ledger_free(&ledger);
        }
    }
}

static void empty(void)
{
    const sp_ledger none = { 0 };
    sp_bounds b = { .best = NAN };
    double delta = NAN;
    CHECK_EQUAL(sp_account(&none, SP_REPLACE_ONE, 1e-5, &b, NULL), SP_OK);
    CHECK(b.best == 0.0 && b.epsilon[SP_BOUND_GAUSS] == 0.0 && b.epsilon[SP_BOUND_RDP] == 0.0);
    CHECK_EQUAL(sp_account_delta(&none, SP_REPLACE_ONE, 0.5, &delta, NULL), SP_OK);
    CHECK(delta == 0.0);
    CHECK_TEXT(sp_bound_name(SP_BOUND_GAUSS), "gauss");
    CHECK_TEXT(sp_bound_name(SP_BOUND_BASIC), "basic");
    CHECK_TEXT(sp_bound_name(SP_BOUND_PLD), "pld");
    CHECK_TEXT(sp_neighbours_name(SP_ADD_REMOVE), "add_remove");
}

static void extremes(void)
{
    CHECK(isfinite(BOUNDS(1e-6, gauss(3e4, 1000000000)).best));
    CHECK(isfinite(BOUNDS(1e-6, subset(40.0, 1e-4, 1000000000)).best));
    CHECK(isfinite(BOUNDS(1e-300, subset(4.0, 0.01, 10)).best));
    CHECK(isfinite(BOUNDS(1e-9, subset(0.01, 1e-5, 10)).best));
    CHECK(isfinite(BOUNDS(0.999, subset(1e6, 0.5, 1)).best));
}

int main(void)
{
    gsl_set_error_handler_off();
    vectors();
    gaussian_against_its_definition();
    gaussian_of_small_mu();
    gaussian_inverts();
    zcdp_is_a_minimum();
    renyi_against_quadrature();
    renyi_limits();
    subset_vectors();
    reference_rows();
    mixed_rows();
    reference_table();
    far_references();
    count_law();
    monotone();
    sandwich();
    pure_entries();
    other_curves();
    poisson_entries();
    many_samples();
    rare_samples();
    small_epsilons();
    all_of_delta();
    trees_and_failures();
    selections();
    many_entries();
    filtered_entries();
    many_filtered_entries();
    pools();
    delta_and_back();
    empty();
    extremes();
    return sp_check_done();
}
