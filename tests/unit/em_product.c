/* unit/em_product.c -- von Mises draws, the choice on the torus, its privacy by brute force, em_product's bound,
 * budgets and refusals. Expected laws are integrated numerically, moments are GSL's Bessel functions.
 *
 * Statistical tests fix their seed; each allows the 1e-6 quantile, or five standard errors. */
#include "core/oracle/noise.h"
#include "core/oracle/oracle_internal.h"
#include "tests/private_problem.h"
#include "tests/trial.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sf_bessel.h>
#include <gsl/gsl_sort.h>

extern const sp_loss sp_loss_circular;

/* --- laws ---------------------------------------------------------------------------------------------------- */

enum { CELLS = 40000 };

/* The law of density ~ exp(-k (1 - cos(u - phi))) on [low, high]. */
typedef struct law {
    double low, high, cdf[CELLS + 1];
} law;

static void integrate(double k, double phi, double low, double high, law *out)
{
    const double h = (high - low) / CELLS;
    out->low = low;
    out->high = high;
    out->cdf[0] = 0.0;
    for (size_t i = 0; i < CELLS; i++)
        out->cdf[i + 1] = out->cdf[i] + exp(-2.0 * k * gsl_pow_2(sin(0.5 * (low + ((double)i + 0.5) * h - phi))));
    const double all = out->cdf[CELLS];
    for (size_t i = 0; i <= CELLS; i++)
        out->cdf[i] /= all;
}

static double below(const law *l, double u)
{
    const double at = fmax(0.0, fmin((u - l->low) / (l->high - l->low) * CELLS, CELLS - 1e-9)), i = floor(at);
    return l->cdf[(size_t)i] + (at - i) * (l->cdf[(size_t)i + 1] - l->cdf[(size_t)i]);
}

/* sqrt(N) times the distance of Kolmogorov & Smirnov; sorts. P(> 2.69) = 1e-6. */
static double distance(double *u, size_t count, const law *l)
{
    const double n = (double)count;
    double worst = 0.0;
    gsl_sort(u, 1, count);
    for (size_t i = 0; i < count; i++) {
        const double P = below(l, u[i]);
        worst = fmax(worst, fmax((double)(i + 1) / n - P, P - (double)i / n));
    }
    return worst * sqrt(n);
}

static gsl_rng *stream(uint64_t seed)
{
    return sp_stream_open(sp_stream_key_of(seed, "em_product", 0, SP_STREAM_SELECTION));
}

/* --- von Mises draws ----------------------------------------------------------------------------------------- */

static const double concentrations[] = { 0.0,  1e-300, 1e-9, 0.03, 0.789, 2.385, 17.0, 300.0,
                                         1e4, 1e6,    3e7,  1e9,  1e12,  1e60,  1e150 };
enum { CONCENTRATIONS = sizeof concentrations / sizeof *concentrations, DRAWS = 20000 };

/* The mean of max(k, 1) (1 - cos u) and its variance, by r = I_1 / I_0 = E cos u and E cos^2 u = 1 - r / k; of large k
 * the first terms of their series. */
static double moment(double k, double *variance)
{
    if (k > 1e3) {
        *variance = 0.5;
        return 0.5 + 0.125 / k;
    }
    const double r = gsl_sf_bessel_I1_scaled(k) / gsl_sf_bessel_I0_scaled(k), unit = fmax(k, 1.0);
    *variance = unit * unit * (1.0 - r * r - (k > 1e-6 ? r / k : 0.5));
    return unit * (1.0 - r);
}

static void test_draws(void)
{
    static double u[DRAWS];
    static law l;
    gsl_rng *r = stream(1);
    for (size_t c = 0; c < CONCENTRATIONS; c++) {
        const double k = concentrations[c], reach = fmin(M_PI, 12.0 / sqrt(k));
        double variance, sum = 0.0, right = 0.0;
        const double mean = moment(k, &variance);
        for (size_t i = 0; i < DRAWS; i++) {
            u[i] = sp_noise_von_mises(r, k);
            CHECK(fabs(u[i]) <= M_PI);
            sum += 2.0 * fmax(k, 1.0) * gsl_pow_2(sin(0.5 * u[i])) / DRAWS;
            right += u[i] > 0.0;
        }
        integrate(k, 0.0, -reach, reach, &l);
        const double D = distance(u, DRAWS, &l);
        SP_CHECK_REPORT(D <= 2.69, "k = %g: sqrt(N) D = %g", k, D);
        CHECK_NEAR(right / DRAWS, 0.5, 5.0 * 0.5 / sqrt(DRAWS));
        SP_CHECK_REPORT(fabs(sum - mean) <= 5.0 * sqrt(variance / DRAWS), "k = %g: the mean is %g, expected %g", k, sum,
                        mean);
    }
    gsl_rng_free(r);
}

/* The same bits on every instruction set; and as many numbers are taken whatever the concentration is. */
static void test_bits_and_time(void)
{
    enum { FEW = 500 };
    double u[SP_ISAS][FEW];
    const sp_isa usual = sp_isa_in_use();
    for (sp_isa isa = SP_ISA_BASELINE; isa < SP_ISAS; isa++) {
        if (!sp_isa_known(sp_isa_name(isa)))
            continue;
        gsl_rng *r = stream(2);
        sp_isa_chosen = isa;
        for (size_t i = 0; i < FEW; i++)
            u[isa][i] = sp_noise_von_mises(r, concentrations[i % CONCENTRATIONS]);
        CHECK(memcmp(u[isa], u[0], sizeof u[0]) == 0);
        gsl_rng_free(r);
    }
    sp_isa_chosen = usual;
    for (uint64_t seed = 10; seed < 30; seed++) {
        unsigned long first = 0;
        for (size_t c = 0; c < CONCENTRATIONS; c++) {
            gsl_rng *r = stream(seed);
            sp_noise_von_mises(r, concentrations[c]);
            const unsigned long next = gsl_rng_get(r);
            first = c == 0 ? next : first;
            CHECK_EQUAL(next, first);
            gsl_rng_free(r);
        }
    }
}

/* --- the choice ---------------------------------------------------------------------------------------------- */

enum { PAIRS = 3, RECORDS = 4 };

/* Angles, and lengths as parts of the disc's radius: what is longer is clipped. Coordinate 0 lies near pi, where angles
 * wrap; of coordinate 1 the records cancel; all but the last record of coordinate 2 are short. */
static const double angle[RECORDS][PAIRS] = {
    { 3.0, 0.4, 1.2 }, { -3.1, 0.4 + M_PI, -0.3 }, { 2.7, 2.0, 0.9 }, { -2.9, 2.0 - M_PI, -2.2 },
};
static const double length[RECORDS][PAIRS] = {
    { 1.0, 1.0, 0.2 }, { 1.4, 1.0, 0.5 }, { 1.0, 0.5, 0.0 }, { 1.0, 0.5, 3.0 },
};

typedef struct scene {
    sp_dataset data;
    sp_problem problem;
    double A[PAIRS], phi[PAIRS]; /* by libm */
} scene;

static void scene_make(scene *s)
{
    const sp_domain space = { SP_DOMAIN_SPACE, PAIRS, INFINITY, INFINITY };
    sp_error error = { .text = "" };
    *s = (scene){ 0 };
    bool ok = sp_dataset_new(SP_STORE_DENSE, RECORDS, 2 * PAIRS, 0, false, false, &s->data, &error) == SP_OK;
    for (size_t j = 0; ok && j < PAIRS; j++) {
        double re = 0.0, im = 0.0;
        for (size_t i = 0; i < RECORDS; i++) {
            double *x = sp_dataset_X(&s->data) + i * s->data.stride + 2 * j;
            x[0] = length[i][j] * cos(angle[i][j]) / sqrt(PAIRS);
            x[1] = length[i][j] * sin(angle[i][j]) / sqrt(PAIRS);
            re += fmin(length[i][j], 1.0) * cos(angle[i][j]) / RECORDS;
            im += fmin(length[i][j], 1.0) * sin(angle[i][j]) / RECORDS;
        }
        s->A[j] = hypot(re, im);
        s->phi[j] = atan2(im, re);
    }
    ok = ok && sp_dataset_seal(&s->data, 3.0, 1.0, &error) == SP_OK;
    ok = ok && sp_dataset_map(&s->data, sp_loss_map(&sp_loss_circular), &error) == SP_OK;
    s->problem = (sp_problem){ .loss = &sp_loss_circular, .train = &s->data, .domain = space,
                               .start = sp_alloc_doubles(PAIRS) };
    const sp_setting setting = { .loss = &sp_loss_circular, .number = s->problem.number, .domain = &s->problem.domain,
                                 .n = RECORDS, .features = 2 * PAIRS, .radius = 3.0, .label_bound = 1.0 };
    ok = ok && s->problem.start && sp_certify(&setting, &s->problem.certified, &error) == SP_OK;
    s->problem.declared = s->problem.certified;
    SP_CHECK_REPORT(ok, "%s", error.text);
}

static void scene_drop(scene *s)
{
    free(s->problem.start);
    sp_dataset_free(&s->data);
}

static sp_oracle *oracle_of(const sp_problem *p, sp_privacy privacy, uint64_t seed)
{
    const private_problem of = { .problem = *p };
    sp_oracle_options options = private_options(&of, privacy, seed);
    sp_oracle *o = NULL;
    sp_error error = { .text = "" };
    options.problem = p;
    SP_CHECK_REPORT(sp_oracle_new(&options, &o, &error) == SP_OK, "%s", error.text);
    return o;
}

/* The form of F that the law rests on, at points that no period has seen. */
static void test_form(void)
{
    scene s;
    double A[PAIRS], w[PAIRS];
    scene_make(&s);
    sp_workspace *space = sp_workspace_new(&s.problem);
    CHECK(s.problem.certified.cosines == 1.0);
    CHECK(space && sp_problem_cosines(&s.problem, A, w));
    for (size_t j = 0; j < PAIRS; j++) {
        CHECK_NEAR(A[j], s.A[j], 1e-11); /* the disc is 1e-12 short */
        if (A[j] > 1e-3)
            CHECK_NEAR(sqrt(PAIRS) * w[j], s.phi[j], 1e-11);
    }
    for (int t = -20; t < 20; t++) {
        const double at[PAIRS] = { 0.731 * t, 2.385 - 0.4 * t, -1.1 * t * t };
        double F = 1.0;
        for (size_t j = 0; j < PAIRS; j++)
            F -= s.A[j] * cos(sqrt(PAIRS) * at[j] - s.phi[j]) / PAIRS;
        CHECK_NEAR(sp_problem_value(&s.problem, space, at), F, 1e-11);
    }
    sp_workspace_free(space);
    scene_drop(&s);
}

/* Each coordinate's law, that they are independent, and the mean of F. */
static void test_law(double epsilon)
{
    static double u[PAIRS][DRAWS];
    static law l;
    scene s;
    double sum[PAIRS] = { 0.0 }, mean[PAIRS], variance[PAIRS], products[PAIRS] = { 0.0 };
    scene_make(&s);
    const double tau = epsilon * RECORDS / 4.0, root = sqrt(PAIRS);
    sp_oracle *o = oracle_of(&s.problem, private_paper, 5);
    for (size_t j = 0; j < PAIRS; j++) {
        const double k = tau * s.A[j] / PAIRS, unit = fmax(k, 1.0);
        mean[j] = 1.0 - moment(k, &variance[j]) / unit;
        variance[j] /= unit * unit;
    }
    for (size_t i = 0; i < DRAWS; i++) {
        double w[PAIRS], off[PAIRS];
        OK(o, sp_choose_product(o, epsilon, w));
        for (size_t j = 0; j < PAIRS; j++) {
            CHECK(w[j] > -M_PI / root && w[j] <= M_PI / root);
            u[j][i] = root * w[j];
            off[j] = (cos(u[j][i] - s.phi[j]) - mean[j]) / sqrt(variance[j]);
            sum[j] += off[j];
        }
        for (size_t j = 0; j < PAIRS; j++)
            products[j] += off[j] * off[(j + 1) % PAIRS];
    }
    for (size_t j = 0; j < PAIRS; j++) {
        integrate(tau * s.A[j] / PAIRS, s.phi[j], -M_PI, M_PI, &l);
        const double D = distance(u[j], DRAWS, &l);
        SP_CHECK_REPORT(D <= 2.69, "epsilon = %g, coordinate %zu: sqrt(N) D = %g", epsilon, j, D);
        SP_CHECK_REPORT(fabs(sum[j]) <= 5.0 * sqrt(DRAWS), "epsilon = %g, coordinate %zu: E cos is off by %g standard "
                        "errors", epsilon, j, sum[j] / sqrt(DRAWS));
        CHECK_LESS_EQUAL(fabs(products[j]), 5.0 * sqrt(DRAWS));
    }
    const sp_ledger *ledger = sp_oracle_ledger(o);
    CHECK_EQUAL(ledger->count, 1);
    CHECK_EQUAL(ledger->entry[0].kind, SP_LEDGER_EM);
    CHECK_EQUAL(ledger->entry[0].count, DRAWS);
    CHECK(ledger->entry[0].epsilon == epsilon);
    CHECK_NEAR(ledger->entry[0].sensitivity_high, 4.0 / RECORDS, 1e-15);
    CHECK_EQUAL(sp_oracle_cost(o).releases, DRAWS);
    CHECK_EQUAL(sp_oracle_cost(o).losses, DRAWS * RECORDS);
    sp_oracle_free(o);
    scene_drop(&s);
}

/* A coordinate without records' say is uniform, whatever epsilon is; without noise the answer is the minimiser. */
static void test_ends(void)
{
    static double u[DRAWS];
    static law l;
    scene s;
    double w[PAIRS];
    scene_make(&s);
    for (size_t k = 0; k < 2; k++)
        ((double *)s.data.mean)[2 + k] = 0.0; /* to the last bit */
    sp_oracle *o = oracle_of(&s.problem, private_paper, 6);
    for (size_t i = 0; i < DRAWS; i++) {
        OK(o, sp_choose_product(o, 1e15, w));
        u[i] = sqrt(PAIRS) * w[1];
        CHECK_NEAR(remainder(sqrt(PAIRS) * w[2] - s.phi[2], 2.0 * M_PI), 0.0, 1e-6);
    }
    integrate(0.0, 0.0, -M_PI, M_PI, &l);
    CHECK_LESS_EQUAL(distance(u, DRAWS, &l), 2.69);
    sp_oracle_free(o);
    const sp_privacy quiet[] = { private_silent, private_none };
    for (size_t i = 0; i < 2; i++) {
        o = oracle_of(&s.problem, quiet[i], 7);
        OK(o, sp_choose_product(o, 0.1, w));
        CHECK_NEAR(sqrt(PAIRS) * w[0], s.phi[0], 1e-11);
        CHECK(w[1] == 0.0);
        CHECK_NEAR(sqrt(PAIRS) * w[2], s.phi[2], 1e-11);
        CHECK_EQUAL(sp_oracle_ledger(o)->count, 0);
        sp_oracle_free(o);
    }
    scene_drop(&s);
}

/* --- privacy ------------------------------------------------------------------------------------------------- */

/* log p - log p' of two laws of one angle: its least and largest value over the circle. */
static void log_ratio(double k, double phi, double k2, double phi2, double *low, double *high)
{
    const double Z = k + log(gsl_sf_bessel_I0_scaled(k)), Z2 = k2 + log(gsl_sf_bessel_I0_scaled(k2));
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < 2000; i++) {
        const double u = 2.0 * M_PI * (double)i / 2000.0;
        const double ratio = k * cos(u - phi) - Z - k2 * cos(u - phi2) + Z2;
        *low = fmin(*low, ratio);
        *high = fmax(*high, ratio);
    }
}

/* d = 1, every pair of neighbours of a grid of records: |log p/p'| <= epsilon, and its range, too, which opposite
 * records attain. p has the concentration that test_law has found the choice to have. */
static void test_privacy(double epsilon, size_t n)
{
    enum { ANGLES = 24, LENGTHS = 3 };
    const double tau = epsilon * (double)n / 4.0;
    double widest = 0.0, worst = 0.0;
    for (size_t rest = 0; rest < ANGLES * (n > 1 ? 4 : 1); rest++)
        for (size_t a = 0; a < ANGLES * LENGTHS; a++)
            for (size_t b = 0; b < ANGLES * LENGTHS; b++) {
                const double turn = 2.0 * M_PI / ANGLES, others = n > 1 ? 0.25 * (double)(rest / ANGLES + 1) : 0.0;
                const double at[2] = { turn * (double)(a % ANGLES), turn * (double)(b % ANGLES) };
                const double far[2] = { 0.5 * (double)(a / ANGLES), 0.5 * (double)(b / ANGLES) };
                double A[2], phi[2], low, high;
                for (size_t k = 0; k < 2; k++) {
                    const double share = 1.0 / (double)n, aside = others * (1.0 - share);
                    const double re = aside * cos(turn * (double)(rest % ANGLES)) + share * far[k] * cos(at[k]);
                    const double im = aside * sin(turn * (double)(rest % ANGLES)) + share * far[k] * sin(at[k]);
                    A[k] = hypot(re, im);
                    phi[k] = atan2(im, re);
                }
                if (rest > 0 && a % ANGLES > 0) /* by symmetry */
                    continue;
                log_ratio(tau * A[0], phi[0], tau * A[1], phi[1], &low, &high);
                widest = fmax(widest, high - low);
                worst = fmax(worst, fmax(high, -low));
            }
    CHECK_LESS_EQUAL(widest, epsilon * (1.0 + 1e-9));
    CHECK_LESS_EQUAL(0.999 * epsilon, widest);
    CHECK_LESS_EQUAL(worst, epsilon);
    printf("n = %zu, epsilon = %g: |log p/p'| <= %.4g, range %.4g\n", n, epsilon, worst, widest);
}

/* --- the bound ----------------------------------------------------------------------------------------------- */

/* The generating function that the bound is made of; of one coordinate the tail itself. */
static void test_tail(void)
{
    static law l;
    double most = 0.0;
    for (double k = 1e-4; k < 1e6; k *= 1.07) {
        for (double s = 0.0; s < 0.9999; s += 0.013) {
            const double mgf = gsl_sf_bessel_I0_scaled((1.0 - s) * k) / gsl_sf_bessel_I0_scaled(k) * sqrt(1.0 - s);
            CHECK_LESS_EQUAL(mgf, exp(0.1615));
            most = fmax(most, mgf);
        }
        CHECK_LESS_EQUAL(k * (1.0 - gsl_sf_bessel_I1_scaled(k) / gsl_sf_bessel_I0_scaled(k)), 0.609);
    }
    CHECK_LESS_EQUAL(1.17, most);
    for (double k = 0.3; k < 1e4; k *= 1.7) {
        integrate(k, 0.0, -M_PI, M_PI, &l);
        for (double zeta = 0.5; zeta > 1e-9; zeta /= 3.0) {
            const double t = log(1.0 / zeta) + 0.1615, most_of = (0.5 + sqrt(t) + t) / (2.0 * k);
            if (most_of < 1.0) /* k (1 - cos u) > 2 k most_of, on either side */
                CHECK_LESS_EQUAL(2.0 * below(&l, -2.0 * asin(sqrt(most_of))), zeta * (1.0 + 1e-6));
        }
    }
}

static trial_run go(const trial_problem *t, const char *settings, sp_privacy privacy, uint64_t seed)
{
    const sp_algorithm *em_product = sp_algorithm_find("em_product");
    trial_run run = { .seed = seed };
    const sp_values values = trial_values(em_product, settings);
    trial_go(em_product, &values, t, privacy, &run);
    return run;
}

/* By the formula; and no more often above it than zeta allows, at 1e-6. */
static void test_bound(void)
{
    for (size_t d = 1; d <= 8; d += 7) {
        enum { RUNS = 400 };
        trial_problem t = { 0 };
        if (!trial_make("circular", 1001, d, INFINITY, false, &t))
            continue;
        double *mean = (double *)t.data.mean; /* A = 0.7 */
        for (size_t j = 0; j < d; j++) {
            mean[2 * j] = 0.7 * cos(2.0 + (double)j) / sqrt((double)d);
            mean[2 * j + 1] = 0.7 * sin(2.0 + (double)j) / sqrt((double)d);
        }
        sp_workspace *space = sp_workspace_new(&t.problem);
        trial_run run = go(&t, "", trial_private(0.9, 1e-8), 1);
        const double n = 1001.0, D = (double)d, tau = 0.9 * n / 4.0, x = log(0.9 * n / sqrt(D)) + 0.1615 * D;
        CHECK_NEAR(run.risk_bound, (D / 2.0 + sqrt(D * x) + x) / tau, 1e-12);
        CHECK_NEAR(trial_resolved(&run, "bound"), run.risk_bound, 0.0);
        CHECK_NEAR(trial_resolved(&run, "zeta"), sqrt(D) / (0.9 * n), 1e-15);
        CHECK(run.ledger.count == 1 && run.ledger.entry[0].kind == SP_LEDGER_EM && run.ledger.entry[0].epsilon == 0.9);
        CHECK_NEAR(run.spent.best, 0.9, 1e-3);
        CHECK_LESS_EQUAL(run.spent.best, 0.9 * (1.0 + 1e-9));
        trial_end(&run);
        size_t above = 0;
        double sum = 0.0;
        for (uint64_t seed = 0; seed < RUNS; seed++) {
            run = go(&t, "zeta=0.05", trial_private(0.9, 1e-8), seed);
            const double excess = sp_problem_value(&t.problem, space, run.w) - 0.3;
            above += excess > run.risk_bound;
            sum += excess / RUNS;
            trial_end(&run);
        }
        CHECK_LESS_EQUAL(1e-6, gsl_cdf_binomial_Q((unsigned)above, 0.05, RUNS));
        double variance;
        const double k = tau * 0.7 / D, expected = D * moment(k, &variance) / tau; /* k > 1 */
        CHECK_NEAR(sum, expected, 5.0 * sqrt(D * variance / RUNS) / tau);
        sp_workspace_free(space);
        trial_drop(&t);
    }
}

/* paper: epsilon / 2; tight: epsilon^2 / 8 = rho_z / 2; disjoint: epsilon on n / 2 records. psi is handed over. */
static void test_warm_start(void)
{
    const double rho_z = 0.0172053180394; /* of epsilon = 1, delta = 1e-8: tests/unit/lowy_b_em.c */
    const struct { const char *budget; double epsilon, n; size_t pool; } rows[] = {
        { "budget=paper", 0.5, 1000.0, 0 },
        { "budget=tight", sqrt(4.0 * rho_z), 1000.0, 0 },
        { "budget=disjoint", 1.0, 500.0, 1 },
    };
    const sp_algorithm *warm = sp_algorithm_find("warm_start");
    trial_problem t = { 0 };
    if (!trial_make("circular", 1000, 3, INFINITY, false, &t))
        return;
    for (size_t i = 0; i < 3; i++) {
        sp_values values = trial_values(warm, rows[i].budget);
        const sp_algorithm *em_product = sp_algorithm_find("em_product");
        const sp_method first = { em_product, trial_values(em_product, "zeta=0.001") };
        CHECK(sp_values_set_method(&values, "warm_start", "first", &first, NULL) == SP_OK);
        trial_run run = { .seed = 3 };
        trial_go(warm, &values, &t, trial_private(1.0, 1e-8), &run);
        SP_CHECK_REPORT(run.status == SP_OK, "%s: %s", rows[i].budget, run.message);
        const double tau = rows[i].epsilon * rows[i].n / 4.0, x = log(1000.0) + 0.1615 * 3.0;
        CHECK_NEAR(trial_resolved(&run, "gap"), (1.5 + sqrt(3.0 * x) + x) / tau, 1e-9);
        CHECK_NEAR(run.ledger.entry[0].epsilon, rows[i].epsilon, 1e-9);
        CHECK_NEAR(run.ledger.entry[0].sensitivity_high, 4.0 / rows[i].n, 1e-15);
        CHECK_EQUAL(run.ledger.entry[0].pool, rows[i].pool);
        CHECK_LESS_EQUAL(run.spent.best, 1.0 + 1e-9);
        trial_end(&run);
    }
    trial_drop(&t);
}

/* --- refusals ------------------------------------------------------------------------------------------------ */

static const char *misfit(const sp_problem *p)
{
    return sp_algorithm_find("em_product")->fits(&p->certified);
}

static void test_refusals(void)
{
    scene s;
    double w[PAIRS] = { 7.0, 7.0, 7.0 }, raised[PAIRS];
    scene_make(&s);
    sp_oracle *o = oracle_of(&s.problem, private_tight, 1);
    static const double wrong[] = { 0.0, -1.0, NAN, INFINITY, 1e151 };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        REFUSED(o, sp_choose_product(o, wrong[i], w), SP_EPRIVACY, "sp_choose_product: epsilon");
    REFUSED(o, sp_choose_product(o, 50.0, w), SP_EBUDGET, "epsilon");
    const sp_record_map *map = s.data.map;
    s.data.map = NULL;
    REFUSED(o, sp_choose_product(o, 0.1, w), SP_EUNSUPPORTED, "have not been through the map of circular");
    s.data.map = map;
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 0);
    CHECK(w[0] == 7.0 && w[2] == 7.0);
    OK(o, sp_choose_product(o, 0.1, w));
    CHECK(misfit(&s.problem) == NULL);
    sp_oracle_free(o);
    /* no declared constant enters */
    s.problem.declared.L = s.problem.declared.L_data = s.problem.declared.beta = s.problem.declared.gap = 7.0;
    o = oracle_of(&s.problem, private_tight, 1);
    OK(o, sp_choose_product(o, 0.1, raised));
    CHECK(memcmp(w, raised, sizeof w) == 0);
    sp_oracle_free(o);

    /* on a ball or in a box, with a regulariser, and of other losses F is something else */
    const sp_domain ball = { SP_DOMAIN_L2_BALL, PAIRS, 9.0, 9.0 };
    const sp_domain box = { .kind = SP_DOMAIN_BOX, .d = PAIRS, .radius = 4.0, .norm = 4.0, .low = -M_PI / sqrt(PAIRS),
                            .high = M_PI / sqrt(PAIRS) };
    const sp_setting usual = { .loss = &sp_loss_circular, .number = s.problem.number, .domain = &s.problem.domain,
                               .n = RECORDS, .features = 2 * PAIRS, .radius = 3.0, .label_bound = 1.0 };
    sp_setting settings[] = { usual, usual, usual, usual };
    settings[0].domain = &ball;
    settings[1].domain = &box;
    settings[2].regulariser = &sp_regulariser_nonconvex;
    settings[2].lambda = 1e-9;
    settings[3].loss = sp_loss_find("cos_saddle");
    settings[3].features = PAIRS;
    const double number[SP_PARAM_MAX] = { 0.5, 0.5, 0.5 };
    settings[3].number = number;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        sp_problem other = s.problem;
        other.domain = *settings[i].domain;
        other.loss = settings[i].loss;
        sp_error error = { .text = "" };
        SP_CHECK_REPORT(sp_certify(&settings[i], &other.certified, &error) == SP_OK, "%s", error.text);
        other.declared = other.certified;
        CHECK_CONTAINS(misfit(&other), "not known to be a sum of cosines");
        if (i > 1)
            continue;
        o = oracle_of(&other, private_tight, 1);
        REFUSED(o, sp_choose_product(o, 0.1, w), SP_EUNSUPPORTED, sp_domain_names[other.domain.kind]);
        sp_oracle_free(o);
    }
    scene_drop(&s);
}

int main(void)
{
    gsl_set_error_handler_off();
    test_draws();
    test_bits_and_time();
    test_form();
    test_law(0.7);
    test_law(40.0);
    test_law(3000.0);
    test_ends();
    test_privacy(1.0, 1);
    test_privacy(8.0, 1);
    test_privacy(0.5, 2);
    test_privacy(4.0, 5);
    test_tail();
    test_bound();
    test_warm_start();
    test_refusals();
    return sp_check_done();
}
