/* unit/lowy_b_em.c -- em_net, em_zoom, em_reject, em_mcmc, langevin and what they stand on: the law of a choice on a
 * grid that is searched, of one from a density, their evaluations and charges, the methods' bounds and budgets.
 *
 * Statistical tests fix their seed; each allows the 1e-6 quantile. Reference numbers: an independent Python computation
 * from the formulas in the files' heads, with rho_z(1, 1e-8) = 0.0172053180394. */
#include "core/numeric/normal.h"
#include "core/oracle/noise.h"
#include "core/oracle/oracle_internal.h"
#include "tests/private_problem.h"
#include "tests/trial.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>

static const double rho_z = 0.0172053180394;

/* --- a loss that counts: phi(m, y) = y sin(3 m) / 3 --------------------------------------------------------------- */

static size_t looked_at; /* records' losses */

static void value(sp_numbers p, size_t count, const double *m, const double *y, double *restrict out)
{
    (void)p;
    looked_at += count;
    for (size_t i = 0; i < count; i++)
        out[i] = y[i] * sin(3.0 * m[i]) / 3.0;
}

static void slope(sp_numbers p, size_t count, const double *m, const double *y, double *restrict out)
{
    (void)p;
    for (size_t i = 0; i < count; i++)
        out[i] = y[i] * cos(3.0 * m[i]);
}

static void curvature(sp_numbers p, size_t count, const double *m, const double *y, double *restrict out)
{
    (void)p;
    for (size_t i = 0; i < count; i++)
        out[i] = -3.0 * y[i] * sin(3.0 * m[i]);
}

static const sp_link link = { value, slope, curvature };

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    (void)p, (void)region;
    *out = (sp_link_bounds){ .slope = 1.0, .curvature_high = 3.0, .curvature_low = 3.0, .third = 9.0,
                             .gap = 2.0 / 3.0 };
}

static const sp_loss wave = { .name = "wave", .formula = "y sin(3 m) / 3", .source = "-", .link = &link,
                              .link_bounds = link_bounds, .smooth = true };

enum { RECORDS = 20 };
static const double centre[3] = { 0.21, -0.13, 0.08 }, radius = 1.37;

/* F on this problem, by the definition. */
static double loss_at(const private_problem *p, const double *w)
{
    double sum = 0.0;
    for (size_t i = 0; i < p->data.n; i++) {
        double m = 0.0;
        for (size_t j = 0; j < p->data.d; j++)
            m += sp_dataset_X((sp_dataset *)&p->data)[i * p->data.stride + j] * w[j];
        sum += p->data.y[i] * sin(3.0 * m) / 3.0;
    }
    return sum / (double)p->data.n;
}

static void onto_ball(size_t d, double *w)
{
    double norm = 0.0;
    for (size_t j = 0; j < d; j++)
        norm += gsl_pow_2(w[j] - centre[j]);
    norm = sqrt(norm);
    for (size_t j = 0; norm > radius && j < d; j++)
        w[j] = centre[j] + (w[j] - centre[j]) * radius / norm;
}

static sp_space grid(size_t side, size_t d, double *origin, const double *extra)
{
    for (size_t j = 0; j < d; j++)
        origin[j] = centre[j] - radius + 0.013;
    return (sp_space){ .kind = SP_SPACE_GRID, .points = extra, .origin = origin, .side = side,
                       .spacing = 2.0 * radius / (double)(side > 1 ? side - 1 : 1) };
}

static const sp_score score = { .kind = SP_SCORE_LOSS, .reference = centre, .radius = 1.37 };

/* Observed against expected, neighbouring cells joined until 10 are expected. */
static double chi_square_p(const size_t *observed, const double *law, size_t count, double draws)
{
    double seen = 0.0, expected = 0.0, sum = 0.0, cells = -1.0;
    for (size_t i = 0; i < count; i++) {
        seen += (double)observed[i];
        expected += draws * law[i];
        if (expected < 10.0 && i + 1 < count)
            continue;
        sum += expected > 0.0 ? gsl_pow_2(seen - expected) / expected : 0.0;
        cells += 1.0;
        seen = expected = 0.0;
    }
    return gsl_cdf_chisq_Q(sum, cells);
}

/* --- the law on a grid --------------------------------------------------------------------------------------- */

/* All frequencies, and the mean of F to five standard errors, which notices what is everywhere a little off. */
static void test_law_on_a_grid(size_t d, size_t side, double epsilon, size_t draws, bool search)
{
    private_problem p;
    double origin[3], w[3];
    const double extra[3] = { 0.3, 0.1, -0.2 };
    const size_t count = (size_t)pow((double)side, (double)d) + 1;
    double *law = sp_alloc_doubles(count), *F = sp_alloc_doubles(count), total = 0.0;
    double mean = 0.0, square = 0.0, seen = 0.0;
    size_t *observed = sp_alloc(count, sizeof *observed);
    private_problem_random(&p, &wave, 0.0, RECORDS, d);
    sp_oracle *o = private_oracle(&p, private_paper, 1000 + d);
    sp_space space = grid(side, d, origin, extra);
    space.search = search;
    const double tau = epsilon * RECORDS / (4.0 * radius);
    for (size_t i = 0; i < count; i++) {
        size_t rest = i;
        for (size_t j = 0; j < d; j++, rest /= side)
            w[j] = i + 1 < count ? origin[j] + (double)(rest % side) * space.spacing : extra[j];
        onto_ball(d, w);
        F[i] = loss_at(&p, w);
        law[i] = exp(-tau * F[i]);
        total += law[i];
    }
    for (size_t i = 0; i < count; i++) {
        law[i] /= total;
        mean += law[i] * F[i];
        square += law[i] * F[i] * F[i];
    }
    for (size_t t = 0; t < draws; t++) {
        size_t index = count;
        OK(o, sp_choose(o, (sp_batch){ 0 }, &space, &score, SP_CHOOSE_EXPONENTIAL, epsilon, w, &index));
        CHECK(index < count);
        observed[index]++;
        seen += F[index] / (double)draws;
    }
    const double P = chi_square_p(observed, law, count, (double)draws);
    const double off = (seen - mean) / sqrt((square - mean * mean) / (double)draws);
    SP_CHECK_REPORT(P >= 1e-6 && fabs(off) <= 5.0, "d = %zu, side = %zu, epsilon = %g%s: p = %g, the mean is off by %g "
                    "standard errors", d, side, epsilon, search ? ", searched" : "", P, off);
    CHECK_EQUAL(sp_oracle_ledger(o)->entry[0].count, (double)draws);
    CHECK_NEAR(sp_oracle_ledger(o)->entry[0].sensitivity_high, 4.0 * radius / RECORDS, 1e-14);
    CHECK(sp_oracle_ledger(o)->entry[0].epsilon == epsilon);
    sp_oracle_free(o);
    private_problem_free(&p);
    free(observed);
    free(F);
    free(law);
}

/* --- the law on a body --------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef void draw(sp_oracle *, size_t d, double epsilon, double *out);

/* By a search of 1e15 points. */
static void searched(sp_oracle *o, size_t d, double epsilon, double *out)
{
    double origin[3];
    sp_space space = grid(d == 1 ? (size_t)1 << 49 : d == 2 ? (size_t)1 << 24 : (size_t)1 << 16, d, origin, NULL);
    space.search = true;
    OK(o, sp_choose(o, (sp_batch){ 0 }, &space, &score, SP_CHOOSE_EXPONENTIAL, epsilon, out, NULL));
}

static void rejected(sp_oracle *o, size_t d, double epsilon, double *out)
{
    (void)d;
    OK(o, sp_choose_point(o, &(sp_continuum){ .centre = centre, .radius = radius, .trials = 1e15 }, epsilon, out));
}

static void walked(sp_oracle *o, size_t d, double epsilon, double *out)
{
    memcpy(out, centre, d * sizeof *out);
    OK(o, sp_choose_point(o, &(sp_continuum){ .centre = centre, .radius = radius, .moves = 200, .move_std = 1.0,
                                              .tv = 1e-9 }, epsilon, out));
}

/* No filter counts a walk. */
static void announce_walks(sp_oracle *o, double epsilon, size_t count)
{
    double none;
    OK(o, sp_calibrate(o, &(sp_release_plan){ .kind = SP_SELECTION, .count = count, .epsilon = epsilon, .tv = 1e-9 }, 1,
                       &none));
}

/* d = 1: Kolmogorov & Smirnov against the density by quadrature; P(K > 2.69) = 1e-6. */
static void test_law_on_a_line(draw *from, const char *name)
{
    enum { COUNT = 1000, CELLS = 20000 };
    static double w[COUNT], cdf[CELLS + 1];
    private_problem p;
    const double epsilon = 7.0, tau = epsilon * RECORDS / (4.0 * radius), h = 2.0 * radius / CELLS;
    double worst = 0.0;
    private_problem_random(&p, &wave, 0.0, RECORDS, 1);
    for (size_t i = 0; i < CELLS; i++) {
        const double at = centre[0] - radius + ((double)i + 0.5) * h;
        cdf[i + 1] = cdf[i] + exp(-tau * loss_at(&p, &at));
    }
    sp_oracle *o = private_oracle(&p, private_paper, 77);
    if (from == walked)
        announce_walks(o, epsilon, COUNT);
    for (size_t t = 0; t < COUNT; t++)
        from(o, 1, epsilon, &w[t]);
    qsort(w, COUNT, sizeof *w, ascending);
    for (size_t t = 0; t < COUNT; t++) {
        const double at = fmax(0.0, fmin((w[t] - centre[0] + radius) / h, CELLS - 1e-9)), i = floor(at);
        const double P = (cdf[(size_t)i] + (at - i) * (cdf[(size_t)i + 1] - cdf[(size_t)i])) / cdf[CELLS];
        worst = fmax(worst, fmax((double)(t + 1) / COUNT - P, P - (double)t / COUNT));
        CHECK_LESS_EQUAL(fabs(w[t] - centre[0]), radius * (1.0 + 1e-12));
    }
    SP_CHECK_REPORT(worst * sqrt(COUNT) <= 2.69, "%s: sqrt(N) D = %g", name, worst * sqrt(COUNT));
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* d = 2: the mean of F against quadrature in polar coordinates, to five standard errors. (Not of a grid: that has the
 * corners of its square on the circle.) */
static void test_law_in_the_plane(draw *from, const char *name)
{
    enum { COUNT = 1000, CELLS = 300 };
    private_problem p;
    const double epsilon = 25.0, tau = epsilon * RECORDS / (4.0 * radius);
    double Z = 0.0, mean = 0.0, square = 0.0, sum = 0.0, w[2];
    private_problem_random(&p, &wave, 0.0, RECORDS, 2);
    for (size_t i = 0; i < CELLS; i++)
        for (size_t k = 0; k < CELLS; k++) {
            const double r = radius * ((double)i + 0.5) / CELLS, angle = 2.0 * M_PI * (double)k / CELLS;
            w[0] = centre[0] + r * cos(angle);
            w[1] = centre[1] + r * sin(angle);
            const double F = loss_at(&p, w), weight = r * exp(-tau * F);
            Z += weight;
            mean += weight * F;
            square += weight * F * F;
        }
    mean /= Z;
    sp_oracle *o = private_oracle(&p, private_paper, 78);
    if (from == walked)
        announce_walks(o, epsilon, COUNT);
    for (size_t t = 0; t < COUNT; t++) {
        from(o, 2, epsilon, w);
        sum += loss_at(&p, w) / COUNT;
    }
    const double error = sqrt((square / Z - mean * mean) / COUNT);
    SP_CHECK_REPORT(fabs(sum - mean) <= 5.0 * error, "%s: mean %g, expected %g +- %g", name, sum, mean, error);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Few evaluations, hardly more on a finer grid; the minimum without noise. */
static void test_search_looks_at_few(void)
{
    for (size_t d = 1; d <= 3; d++) {
        private_problem p;
        double w[3], origin[3], best[3], smallest = INFINITY, looked[2];
        private_problem_random(&p, &wave, 0.0, RECORDS, d);
        for (size_t fine = 0; fine < 2; fine++) {
            sp_oracle *o = private_oracle(&p, private_paper, 90 + d);
            const size_t side = d == 1 ? (fine ? (size_t)1 << 49 : 100000) : d == 2 ? (fine ? (size_t)1 << 24 : 300)
                                                                             : (fine ? (size_t)1 << 16 : 45);
            sp_space space = grid(side, d, origin, NULL);
            space.search = true;
            looked_at = 0;
            for (size_t t = 0; t < 20; t++)
                OK(o, sp_choose(o, (sp_batch){ 0 }, &space, &score, SP_CHOOSE_EXPONENTIAL, 100.0, w, NULL));
            looked[fine] = (double)looked_at / (20.0 * RECORDS);
            CHECK_EQUAL(sp_oracle_cost(o).losses, 20.0 * RECORDS); /* what the search looks at is not told */
            sp_oracle_free(o);
        }
        printf("search, d = %zu: %.0f evaluations, of the fine grid %.0f\n", d, looked[0], looked[1]);
        CHECK_LESS_EQUAL(looked[0], d == 3 ? 20000.0 : 2000.0);
        CHECK_LESS_EQUAL(looked[1], 2.0 * looked[0] + 300.0);

        const size_t side = d == 1 ? 2000 : d == 2 ? 150 : 40;
        sp_space space = grid(side, d, origin, NULL);
        sp_oracle *o = private_oracle(&p, private_silent, 1);
        OK(o, sp_choose(o, (sp_batch){ 0 }, &space, &score, SP_CHOOSE_EXPONENTIAL, 1.0, best, NULL));
        smallest = loss_at(&p, best);
        space.search = true;
        OK(o, sp_choose(o, (sp_batch){ 0 }, &space, &score, SP_CHOOSE_EXPONENTIAL, 1.0, w, NULL));
        CHECK_LESS_EQUAL(smallest - 1e-12, loss_at(&p, w));
        CHECK_LESS_EQUAL(loss_at(&p, w), smallest + p.problem.certified.L * space.spacing * sqrt((double)d) / 2.0);
        sp_oracle_free(o);
        private_problem_free(&p);
    }
}

/* Wells of unequal depth: a bound that is a little too small loses the deepest one, or the choice. */
static void test_search_among_wells(void)
{
    private_problem p;
    double *X = NULL, *y = NULL, w, best, origin;
    private_problem_new(&p, RECORDS, 1, &X, &y);
    for (size_t i = 0; i < RECORDS; i++) {
        X[i * p.data.stride] = i % 2 ? 1.0 : 0.41;
        y[i] = 1.0;
    }
    private_problem_seal(&p, &wave, 0.0);
    sp_oracle *silent = private_oracle(&p, private_silent, 1), *noisy = private_oracle(&p, private_paper, 1);
    for (size_t k = 0; k < 40; k++) {
        const sp_score far = { .kind = SP_SCORE_LOSS, .reference = centre, .radius = 2.0 + 0.37 * (double)k };
        origin = centre[0] - far.radius;
        sp_space space = { .kind = SP_SPACE_GRID, .origin = &origin, .side = 4001, .spacing = far.radius / 2000.0 };
        OK(silent, sp_choose(silent, (sp_batch){ 0 }, &space, &far, SP_CHOOSE_EXPONENTIAL, 1.0, &best, NULL));
        space.search = true;
        OK(silent, sp_choose(silent, (sp_batch){ 0 }, &space, &far, SP_CHOOSE_EXPONENTIAL, 1.0, &w, NULL));
        CHECK_LESS_EQUAL(loss_at(&p, &w), loss_at(&p, &best) + space.spacing / 2.0);
        /* tau = 5000: above by (ln 4001 + 14) / tau with probability 1e-6 */
        OK(noisy, sp_choose(noisy, (sp_batch){ 0 }, &space, &far, SP_CHOOSE_EXPONENTIAL, 1e3 * far.radius, &w, NULL));
        CHECK_LESS_EQUAL(loss_at(&p, &w), loss_at(&p, &best) + 22.3 / 5000.0);
    }
    sp_oracle_free(silent);
    sp_oracle_free(noisy);
    private_problem_free(&p);
}

/* A Poisson sample may hold far more records than its rate says, and u is as much steeper. As epsilon grows, the
 * choice is the least of a list's scores. */
static void test_search_in_a_poisson_sample(void)
{
    const double zero = 0.0, origin = -6.0;
    const sp_score wide = { .kind = SP_SCORE_LOSS, .reference = &zero, .radius = 6.0 };
    size_t samples = 0;
    private_problem p;
    private_problem_random(&p, &wave, 0.0, 60, 1);
    for (uint64_t seed = 100; seed < 300; seed++) {
        double w[2];
        sp_batch batch;
        sp_resolved_batch resolved;
        for (size_t search = 0; search < 2; search++) {
            sp_oracle *o = private_oracle(&p, private_paper, seed);
            const sp_space space = { .kind = SP_SPACE_GRID, .origin = &origin, .side = 2001, .spacing = 0.006,
                                     .search = search };
            OK(o, sp_draw(o, sp_poisson(0.01), &batch));
            OK(o, sp_choose(o, batch, &space, &wide, SP_CHOOSE_EXPONENTIAL, 1e12, &w[search], NULL));
            OK(o, sp_batch_resolve(o, batch, &resolved));
            sp_oracle_free(o);
        }
        if (resolved.rows.count > 1) { /* one record alone has several minima */
            CHECK_NEAR(w[1], w[0], 1e-9);
            samples++;
        }
    }
    CHECK(samples > 10);
    private_problem_free(&p);
}

/* phi = y m: where the records cancel, u is 0 everywhere and a cell has no slack; the choice is uniform, too. */
static void line(sp_numbers p, size_t count, const double *m, const double *y, double *out)
{
    (void)p;
    for (size_t i = 0; i < count; i++)
        out[i] = y[i] * m[i];
}

static void line_slope(sp_numbers p, size_t count, const double *m, const double *y, double *out)
{
    (void)p, (void)m;
    for (size_t i = 0; i < count; i++)
        out[i] = y[i];
}

static void line_curvature(sp_numbers p, size_t count, const double *m, const double *y, double *out)
{
    (void)p, (void)m, (void)y;
    for (size_t i = 0; i < count; i++)
        out[i] = 0.0;
}

static void line_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    (void)p, (void)region;
    *out = (sp_link_bounds){ .slope = 1.0, .gap = INFINITY };
}

static void test_search_without_slack(void)
{
    enum { SIDE = 9, DRAWS = 900 };
    static const sp_link straight = { line, line_slope, line_curvature };
    static const sp_loss loss = { .name = "line", .formula = "y m", .source = "-", .link = &straight,
                                  .link_bounds = line_bounds, .smooth = true, .convex = true };
    private_problem p;
    double *X = NULL, *y = NULL, law[SIDE], w, origin = centre[0] - radius;
    size_t observed[SIDE] = { 0 }, index;
    private_problem_new(&p, 4, 1, &X, &y);
    for (size_t i = 0; i < 4; i++) {
        X[i * p.data.stride] = i % 2 == 0 ? 1.0 : -1.0;
        y[i] = 1.0;
    }
    private_problem_seal(&p, &loss, 0.0);
    CHECK(p.problem.certified.beta == 0.0 && p.problem.certified.L == 1.0);
    sp_oracle *o = private_oracle(&p, private_paper, 12);
    const sp_space space = { .kind = SP_SPACE_GRID, .origin = &origin, .side = SIDE,
                             .spacing = 2.0 * radius / (SIDE - 1), .search = true };
    for (size_t t = 0; t < DRAWS; t++) {
        OK(o, sp_choose(o, (sp_batch){ 0 }, &space, &score, SP_CHOOSE_EXPONENTIAL, 1.0, &w, &index));
        observed[index]++;
    }
    for (size_t i = 0; i < SIDE; i++)
        law[i] = 1.0 / SIDE;
    CHECK(chi_square_p(observed, law, SIDE, DRAWS) >= 1e-6);
    sp_oracle_free(o);
    private_problem_free(&p);
}

static void test_refusals(void)
{
    private_problem p, wide;
    double origin[4] = { 0.0 }, w[4] = { 0.0 };
    const sp_batch all = { 0 };
    private_problem_random(&p, &wave, 0.0, RECORDS, 2);
    private_problem_random(&wide, &wave, 0.0, RECORDS, 4);
    sp_oracle *o = private_oracle(&p, private_tight, 1), *wider = private_oracle(&wide, private_tight, 1);
    sp_space space = grid(10, 2, origin, NULL);
    sp_score bare = score;
    bare.radius = 0.0;
    REFUSED(o, sp_choose(o, all, &space, &bare, SP_CHOOSE_EXPONENTIAL, 0.1, w, NULL), SP_EINVAL, "radius = 0");
    REFUSED(o, sp_choose(o, all, &space, &score, SP_CHOOSE_NOISY_MIN, 0.1, w, NULL), SP_EUNSUPPORTED, "grid");
    space.side = (size_t)1 << 30;
    REFUSED(o, sp_choose(o, all, &space, &score, SP_CHOOSE_EXPONENTIAL, 0.1, w, NULL), SP_EINVAL, "points");
    space.side = 0;
    REFUSED(o, sp_choose(o, all, &space, &score, SP_CHOOSE_EXPONENTIAL, 0.1, w, NULL), SP_EINVAL, "no candidates");
    space = grid(3, 3, origin, NULL);
    space.search = true;
    REFUSED(wider, sp_choose(wider, all, &space, &score, SP_CHOOSE_EXPONENTIAL, 0.1, w, NULL), SP_EUNSUPPORTED,
            "d = 4");
    p.problem.certified.L = INFINITY; /* declared alone */
    REFUSED(o, sp_choose(o, all, &space, &score, SP_CHOOSE_EXPONENTIAL, 0.1, w, NULL), SP_EPRIVACY, "certified");
    sp_continuum W = { .centre = centre, .radius = radius, .trials = 10.0 };
    REFUSED(o, sp_choose_point(o, &W, 0.1, w), SP_EPRIVACY, "certified");
    p.problem.certified.L = 1.0;
    /* so few trials that whether one is accepted tells: here each is with probability e^-1 or so */
    const size_t spent = sp_oracle_ledger(o)->count;
    for (W.trials = 0.0; W.trials <= 36.0; W.trials += 12.0)
        REFUSED(o, sp_choose_point(o, &W, 0.1, w), SP_EPRIVACY, "would tell about records");
    CHECK_EQUAL(sp_oracle_ledger(o)->count, spent);
    W.radius = -1.0;
    REFUSED(o, sp_choose_point(o, &W, 0.1, w), SP_EINVAL, "radius = -1");
    /* a walk: the caller's word, or nothing */
    W = (sp_continuum){ .centre = centre, .radius = radius, .moves = 5, .move_std = 0.1, .tv = NAN };
    REFUSED(o, sp_choose_point(o, &W, 0.1, w), SP_EPRIVACY, "infinite");
    W.tv = 1e-7;
    sp_release_plan walk = { .kind = SP_SELECTION, .count = 1, .epsilon = 0.1, .tv = 1e-6 }; /* delta = 2.1e-6 */
    REFUSED(o, sp_calibrate(o, &walk, 1, origin), SP_EBUDGET, "delta = 1e-06");
    walk.tv = 1e-7;
    OK(o, sp_calibrate(o, &walk, 1, origin));
    OK(o, sp_choose_point(o, &W, 0.1, w));
    const sp_entry *last = &sp_oracle_ledger(o)->entry[sp_oracle_ledger(o)->count - 1];
    CHECK_EQUAL(last->kind, SP_LEDGER_APPROX);
    CHECK_NEAR(last->epsilon, 0.1, 0.0);
    CHECK_NEAR(last->delta, (1.0 + exp(0.1)) * 1e-7, 1e-20);
    REFUSED(o, sp_choose_point(o, &W, 0.1, w), SP_EPRIVACY, "approx"); /* one was announced */
    sp_oracle_free(o);
    sp_oracle_free(wider);
    private_problem_free(&p);
    private_problem_free(&wide);
}

/* --- pieces -------------------------------------------------------------------------------------------------- */

/* 1e-6 by Kolmogorov & Smirnov, at three pairs. */
static void test_gumbel_below(void)
{
    static const double at[3][2] = { { 0.0, INFINITY }, { 2.3, 1.1 }, { -1.0, 5.0 } };
    enum { COUNT = 4000 };
    static double x[COUNT];
    gsl_rng *r = sp_stream_open(sp_stream_key_of(5, "gumbel", 0, SP_STREAM_SELECTION));
    for (size_t k = 0; k < 3; k++) {
        double worst = 0.0;
        for (size_t i = 0; i < COUNT; i++)
            x[i] = sp_noise_gumbel_below(r, at[k][0], at[k][1]);
        qsort(x, COUNT, sizeof *x, ascending);
        CHECK_LESS_EQUAL(x[COUNT - 1], at[k][1]);
        for (size_t i = 0; i < COUNT; i++) {
            const double P = exp(exp(at[k][0] - at[k][1]) - exp(at[k][0] - x[i]));
            worst = fmax(worst, fmax((double)(i + 1) / COUNT - P, P - (double)i / COUNT));
        }
        CHECK_LESS_EQUAL(worst * sqrt(COUNT), 2.69);
    }
    gsl_rng_free(r);
}

/* Every point of the domain is within the radius of the centre, and one is at it. */
static void test_domain_centres(void)
{
    static const double vertex[] = { 0.1, 0.2, -0.4, 1.3, 0.0, 0.7, -0.2, 0.5, 0.9, 0.8, 0.8, -1.0 };
    const sp_domain domains[] = {
        { SP_DOMAIN_L2_BALL, 3, 1.7, 1.7 }, { SP_DOMAIN_L1_BALL, 3, 1.7, 1.7 },
        { .kind = SP_DOMAIN_LP_BALL, .d = 3, .radius = 1.7, .norm = 1.7, .p = 1.5 },
        { SP_DOMAIN_SIMPLEX, 3, 1.7, 1.7 },
        { .kind = SP_DOMAIN_BOX, .d = 3, .radius = 2.6, .norm = 2.6, .low = -0.4, .high = 1.5 },
        { .kind = SP_DOMAIN_POLYTOPE, .d = 3, .radius = 1.7, .norm = 1.7, .vertices = 4, .vertex = vertex },
    };
    gsl_rng *r = sp_stream_open(sp_stream_key_of(6, "centres", 0, SP_STREAM_COINS));
    for (size_t k = 0; k < sizeof domains / sizeof *domains; k++) {
        double c[3], g[3], v[3], most = 0.0;
        const double R = sp_domain_centre(&domains[k], c);
        CHECK(sp_domain_contains(&domains[k], c));
        CHECK_NEAR(sp_domain_centre(&domains[k], NULL), R, 0.0);
        for (size_t t = 0; t < 2000; t++) { /* extreme points in all directions, axes too */
            sp_ball_uniform(r, 3, 1.0, g);
            for (size_t j = 0; t < 6 && j < 3; j++)
                g[j] = j == t / 2 ? (t % 2 ? 1.0 : -1.0) : 0.0;
            CHECK(sp_domain_linear_minimise(&domains[k], g, v) == SP_OK);
            most = fmax(most, sqrt(gsl_pow_2(v[0] - c[0]) + gsl_pow_2(v[1] - c[1]) + gsl_pow_2(v[2] - c[2])));
        }
        SP_CHECK_REPORT(most <= R * (1.0 + 1e-12) && most >= 0.999 * R, "%s: %g, covered by %g",
                        sp_domain_names[domains[k].kind], most, R);
    }
    CHECK(sp_domain_centre(&(sp_domain){ SP_DOMAIN_SPACE, 3, INFINITY, INFINITY }, NULL) == INFINITY);
    gsl_rng_free(r);
}

/* --- the methods --------------------------------------------------------------------------------------------- */

static trial_problem flat[4]; /* d = 1, 2, 3 and 7; n = 1e4, every constant 1, R = distance = 1 */
static const size_t dimensions[4] = { 1, 2, 3, 7 };

static const sp_algorithm *named(const char *name)
{
    return sp_algorithm_find(name);
}

static trial_run go(const char *name, const char *settings, const trial_problem *t, sp_privacy privacy)
{
    trial_run run = { .seed = 3 };
    const sp_values values = trial_values(named(name), settings);
    trial_go(named(name), &values, t, privacy, &run);
    return run;
}

/* tau = n epsilon / 4 = 2500; t = ln(n epsilon / sqrt d) */
static void test_bounds(void)
{
    for (size_t k = 0; k < 3; k++) {
        const double d = (double)dimensions[k], t = log(1e4 / sqrt(d));
        /* r wanted: 2 d / 1e4; sqrt(d) / r cells */
        const double cells = ceil(1e4 / (2.0 * sqrt(d))), r = sqrt(d) / cells, N = pow(cells + 1.0, d) + 1.0;
        trial_run run = go("em_net", "search=true", &flat[k], trial_private(1.0, 1e-8));
        SP_CHECK_REPORT(run.status == SP_OK, "%s", run.message);
        CHECK_NEAR(run.risk_bound, (log(N) + t) / 2500.0 + r, 1e-12);
        CHECK_NEAR(trial_resolved(&run, "bound"), run.risk_bound, 0.0);
        CHECK_NEAR(trial_resolved(&run, "resolution"), r, 1e-15);
        CHECK_EQUAL(trial_resolved(&run, "points"), N);
        CHECK_EQUAL(run.ledger.count, 1);
        CHECK_EQUAL(run.ledger.entry[0].kind, SP_LEDGER_EM);
        CHECK_NEAR(run.ledger.entry[0].epsilon, 1.0, 0.0);
        CHECK_NEAR(run.ledger.entry[0].sensitivity_high, 4e-4, 1e-18);
        CHECK(run.spent.best >= 0.99 && run.spent.best <= 1.0 + 1e-9);
        /* the promise holds, here by a wide margin */
        sp_workspace *space = sp_workspace_new(&flat[k].problem);
        double minimiser[3];
        for (size_t j = 0; j < dimensions[k]; j++)
            minimiser[j] = 1.0 / sqrt(d);
        CHECK_LESS_EQUAL(sp_problem_value(&flat[k].problem, space, run.w) -
                         sp_problem_value(&flat[k].problem, space, minimiser), run.risk_bound);
        sp_workspace_free(space);
        trial_end(&run);

        run = go("em_reject", "", &flat[k], trial_noise_off(1.0, 1e-8)); /* else it would take long */
        CHECK_NEAR(run.risk_bound, (d * log(2.0 * 2500.0 / d) + t) / 2500.0 + d / 2500.0, 1e-12);
        trial_end(&run);
    }
    /* capped: 20 n = 1e4 points, 100^2; given, 17^3 = 4913 */
    trial_problem few = { 0 };
    trial_run run = { 0 };
    if (trial_make("pseudo_huber", 500, 2, 1.0, false, &few)) {
        run = go("em_net", "", &few, trial_private(1.0, 1e-8));
        CHECK_EQUAL(trial_resolved(&run, "points"), 10001.0);
        CHECK_NEAR(trial_resolved(&run, "resolution"), sqrt(2.0) / 99.0, 1e-15);
        CHECK_EQUAL(run.cost.losses, 500.0 * 10002.0);
        trial_end(&run);
    }
    trial_drop(&few);
    run = go("em_net", "search=true points=4913", &flat[2], trial_private(1.0, 1e-8));
    CHECK_EQUAL(trial_resolved(&run, "points"), 4914.0);
    trial_end(&run);
    run = go("em_net", "search=true points=4912", &flat[2], trial_private(1.0, 1e-8));
    CHECK_EQUAL(trial_resolved(&run, "points"), 4097.0);
    trial_end(&run);
    /* random points: r = 2 (ln(2/zeta) / N)^(1/7) */
    run = go("em_net", "points=3000 zeta=0.01", &flat[3], trial_private(1.0, 1e-8));
    CHECK_NEAR(run.risk_bound, (log(3001.0) + log(200.0)) / 2500.0 + 2.0 * pow(log(200.0) / 3000.0, 1.0 / 7.0), 1e-12);
    CHECK_EQUAL(run.cost.losses, 1e4 * 3002.0);
    trial_end(&run);

    /* J = ceil(log2(1e4 / 3)) = 12; epsilon_0 = 1/2, the others 1/22; tau_j = 2500 epsilon_j 2^j; zCDP would give
     * sqrt(8 rho_z / (1/4 + 1/44)) = 0.710 in all, less than 1 */
    run = go("em_zoom", "points=500 zeta=0.01", &flat[2], trial_private(1.0, 1e-8));
    double psi = 2.0 * cbrt(log(1300.0) / 500.0) + (log(502.0) + log(1300.0)) / 1250.0;
    for (int j = 1; j < 12; j++)
        psi += (log(502.0) + log(1300.0)) / (2500.0 / 22.0 * pow(2.0, j));
    CHECK_NEAR(run.risk_bound, psi, 1e-9);
    CHECK_EQUAL(run.cost.losses, 1e4 * (503.0 + 11.0 * 502.0));
    CHECK_EQUAL(run.checkpoints, 13);
    CHECK_NEAR(run.ledger.entry[0].epsilon, 0.5, 1e-15);
    CHECK_NEAR(run.ledger.entry[1].epsilon, 1.0 / 22.0, 1e-15);
    CHECK_LESS_EQUAL(run.ledger.entry[0].sensitivity_high, 4e-4 * (1.0 + 1e-12));
    trial_end(&run);
    /* many equal rounds: zCDP leaves more, sqrt(8 rho_z / (1/12)) = 1.285 > 1 */
    run = go("em_zoom", "points=50 rounds=12 first=0.0833333333333333333", &flat[2], trial_private(1.0, 1e-8));
    CHECK_NEAR(run.ledger.entry[0].epsilon, sqrt(8.0 * rho_z * 12.0) / 12.0, 1e-9);
    CHECK_EQUAL(run.status, SP_OK);
    CHECK_LESS_EQUAL(run.spent.best, 1.0 + 1e-9);
    trial_end(&run);
}

typedef struct stages {
    sp_method first, second;
    sp_values values;
} stages;

static trial_run warm(const char *first, const char *settings, const char *budget, const trial_problem *t)
{
    static stages s;
    s.first = (sp_method){ named(first), trial_values(named(first), settings) };
    s.second = (sp_method){ named("dp_gd"), trial_values(named("dp_gd"), "steps=9") };
    s.values = trial_values(named("warm_start"), budget);
    CHECK(sp_values_set_method(&s.values, "w", "first", &s.first, NULL) == SP_OK);
    CHECK(sp_values_set_method(&s.values, "w", "second", &s.second, NULL) == SP_OK);
    trial_run run = { .seed = 3 };
    trial_go(named("warm_start"), &s.values, t, trial_private(1.0, 1e-8), &run);
    return run;
}

/* paper: epsilon / 2; tight: epsilon^2 / 8 = rho_z / 2; disjoint: epsilon on n / 2 records. dp_gd has the rest. */
static void test_warm_start_budgets(void)
{
    const double rho_half = 0.00488884703574, mu = 0.196066560213954;
    const struct {
        const char *budget;
        double epsilon, n, rho;
    } rows[] = {
        { "budget=paper", 0.5, 1e4, rho_half },
        { "budget=tight", sqrt(4.0 * rho_z), 1e4, rho_z / 2.0 },
        { "budget=disjoint", 1.0, 5e3, mu * mu / 2.0 },
    };
    for (size_t i = 0; i < 3; i++) {
        trial_run run = warm("em_net", "resolution=0.01 zeta=0.001", rows[i].budget, &flat[0]);
        SP_CHECK_REPORT(run.status == SP_OK, "%s: %s", rows[i].budget, run.message);
        CHECK_NEAR(run.ledger.entry[0].epsilon, rows[i].epsilon, 1e-9);
        const double tau = rows[i].epsilon * rows[i].n / 4.0;
        CHECK_NEAR(trial_resolved(&run, "gap"), (log(102.0) + log(1000.0)) / tau + 0.01, 1e-9);
        CHECK_EQUAL(run.ledger.count, 2);
        CHECK_NEAR(run.ledger.entry[1].noise_multiplier, sqrt(9.0 / (2.0 * rows[i].rho)), 1e-3);
        CHECK_EQUAL(run.ledger.entry[0].pool, i == 2 ? 1 : 0);
        CHECK_EQUAL(run.ledger.entry[1].pool, i == 2 ? 2 : 0);
        CHECK_LESS_EQUAL(run.spent.best, 1.0 + 1e-9);
        trial_end(&run);
    }
    trial_run run = warm("em_zoom", "points=50 rounds=3", "budget=tight", &flat[2]);
    CHECK_NEAR(run.ledger.entry[0].epsilon, 0.5 * sqrt(4.0 * rho_z / (0.25 + 0.125)), 1e-9);
    CHECK_LESS_EQUAL(run.spent.best, 1.0 + 1e-9);
    trial_end(&run);
    /* a walk has no zCDP; with a tv it may have epsilon / 2 */
    run = warm("em_mcmc", "moves=5 tv=1e-10", "budget=tight", &flat[2]);
    CHECK_EQUAL(run.status, SP_EPRIVACY);
    trial_end(&run);
    run = warm("em_mcmc", "moves=5 tv=1e-10", "budget=paper", &flat[2]);
    SP_CHECK_REPORT(run.status == SP_OK, "%s", run.message);
    CHECK_EQUAL(run.ledger.entry[0].kind, SP_LEDGER_APPROX);
    CHECK_NEAR(run.ledger.entry[0].epsilon, 0.5, 1e-12);
    trial_end(&run);
    run = warm("em_mcmc", "moves=5", "budget=paper", &flat[2]);
    CHECK_EQUAL(run.status, SP_EPRIVACY);
    CHECK_CONTAINS(run.message, "uncertified");
    trial_end(&run);
}

typedef struct path {
    double w[64][3];
} path;

static void record(trial_run *run, size_t step, const double *w)
{
    memcpy(((path *)run->context)->w[step], w, 3 * sizeof *w);
}

/* Projected gradient descent without noise; T, the temperature's step and the noise with it. */
static void test_langevin(void)
{
    const double rho = 0.0192210480170661;
    trial_problem t;
    path p;
    double w[3] = { 0.0 }, g[3];
    if (!trial_make("pseudo_huber", 400, 3, 0.4, false, &t))
        return;
    sp_workspace *space = sp_workspace_new(&t.problem);
    trial_run run = { .seed = 3, .watch = record, .context = &p };
    const sp_values values = trial_values(named("langevin"), "steps=40 eta=0.3");
    trial_go(named("langevin"), &values, &t, trial_noise_off(1.0, 1e-6), &run);
    for (size_t i = 1; i <= 40; i++) {
        sp_problem_gradient(&t.problem, space, w, g);
        for (size_t j = 0; j < 3; j++)
            w[j] -= 0.3 * g[j];
        const double norm = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        for (size_t j = 0; j < 3; j++) {
            w[j] *= norm > 0.4 ? 0.4 / norm : 1.0;
            CHECK_NEAR(p.w[i][j], w[j], 1e-12);
        }
    }
    trial_end(&run);
    sp_workspace_free(space);
    trial_drop(&t);

    run = go("langevin", "steps=100", &flat[2], trial_private(1.0, 1e-8));
    const double noise_std = run.ledger.entry[0].noise_multiplier * 2.0 / 1e4;
    CHECK_EQUAL(run.ledger.entry[0].count, 100);
    CHECK_NEAR(noise_std * noise_std, 2.0 * 100.0 / (1e8 * rho), 1e-9);
    CHECK_NEAR(trial_resolved(&run, "tau"), 2500.0, 1e-9);
    CHECK_NEAR(trial_resolved(&run, "eta"), 1.0, 0.0); /* 2 / (1.04e-4 * 2500) > 1 = 1 / beta */
    trial_end(&run);
    run = go("langevin", "steps=2000", &flat[2], trial_private(1.0, 1e-8));
    CHECK_NEAR(trial_resolved(&run, "eta"), 2.0 / (2.0 * 2000.0 / (1e8 * rho) * 2500.0), 1e-6);
    trial_end(&run);
    run = go("langevin", "", &flat[2], trial_private(1.0, 1e-8)); /* n^2 rho / 6 = 320350.8; 1e9 / n */
    CHECK_EQUAL(trial_resolved(&run, "steps"), 100000);
    trial_end(&run);
}

int main(void)
{
    gsl_set_error_handler_off();
    test_gumbel_below();
    test_domain_centres();
    for (size_t search = 0; search < 2; search++) {
        test_law_on_a_grid(1, 101, 6.0, 2000, search);
        test_law_on_a_grid(1, 1001, 60.0, 2500, search);
        test_law_on_a_grid(2, 15, 6.0, 1200, search);
        test_law_on_a_grid(2, 41, 30.0, 600, search);
        test_law_on_a_grid(3, 6, 6.0, 1200, search);
    }
    test_law_on_a_line(searched, "search");
    test_law_on_a_line(rejected, "rejection");
    test_law_on_a_line(walked, "walk");
    test_law_in_the_plane(rejected, "rejection");
    test_search_looks_at_few();
    test_search_among_wells();
    test_search_in_a_poisson_sample();
    test_search_without_slack();
    test_refusals();
    bool ok = true;
    for (size_t k = 0; k < 4; k++) {
        ok = trial_make("pseudo_huber", 10000, dimensions[k], INFINITY, false, &flat[k]) && ok;
        sp_constants *c = &flat[k].problem.declared;
        flat[k].problem.number[2] = 0.0; /* tilt: c has distance 1 from the start, and is the minimiser */
        c->L = c->L_data = c->beta = c->beta_data = c->gap = c->distance = 1.0;
    }
    if (ok) {
        test_bounds();
        test_warm_start_budgets();
        test_langevin();
    }
    for (size_t k = 0; k < 4; k++)
        trial_drop(&flat[k]);
    return sp_check_done();
}
