/* noise.c -- the noise audit: is the noise as the ledger says? It tests (answer - raw) / noise_std of every Gaussian
 * release of a few runs, in the order in which they were drawn, against independent standard normals z_1 .. z_N:
 *
 *   shape         Kolmogorov & Smirnov: D (sqrt N + .12 + .11 / sqrt N), by Stephens 1970
 *   scale         sum z^2 ~ chi^2_N, two-sided
 *   correlation   sum z z' / sqrt N' ~ N(0, 1), with the next number, the same place of the next release, the same
 *                 place of the next run
 *   streams       with the normals that the keys of the other streams of the run give at the same step
 *   batches       whether one record is in a secret batch: as often as the rate says, and without correlation to the
 *                 next batch, both as N(0, 1)
 *
 * A choice whose distribution is known (transcript.h) contributes one number to shape, scale and correlation: z =
 * Phi^-1(P(i < chosen) + v P(i = chosen)), v uniform on (0, 1). A choice from a density (choose_point) contributes
 * none: its scores are known at the witnesses only, so it is left to the statistical audit.
 *
 * The fixture's public part is zero, so answer - raw is the noise. The off-diagonal of a Hessian's noise has noise_std
 * / sqrt 2, or noise_std if it is mirrored. Each test may fail with probability SP_AUDIT_FALSE_ALARM / TESTS. */
#include "core/numeric/normal.h"
#include "core/audit/audit_internal.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <stdio.h>

enum { RUNS = 48, TESTS = 10, STREAMS = 3, NUMBERS_MAX = 1 << 20 };

/* Of terms that have mean 0 and variance 1. */
typedef struct sum {
    double value, terms;
} sum;

typedef struct sample {
    double *z;
    size_t count;
    size_t run[RUNS + 1];  /* where each run begins, and the end */
    sum release, stream[STREAMS]; /* of products with the release before, with the other streams */
    size_t densities;             /* choices from a density */
    sum member, members;          /* of a record's memberships, of their products with the one before */
} sample;

typedef struct test {
    const char *name;
    double p;
} test;

/* --- one run ------------------------------------------------------------------------------------------------ */

/* The standardised noise of a release; how many numbers were drawn for it. */
static size_t standardise(const sp_event *event, double *z)
{
    const bool symmetric = strcmp(event->primitive, "hessian") == 0;
    const size_t d = event->dimension;
    size_t count = 0;
    for (size_t i = 0; i < event->size; i++) {
        if (symmetric && i % d < i / d)
            continue;
        const bool half = symmetric && !event->mirrored && i % d > i / d;
        const double scale = half ? event->noise_std * M_SQRT1_2 : event->noise_std;
        z[count++] = (event->answer[i] - event->raw[i]) / scale;
    }
    return count;
}

/* P(the noisy minimum is i), by midpoints over the noise of i: its density, and that all others lie above. */
static double noisy_min(const sp_event *event, size_t i)
{
    const double end = 25.0, step = 0.02;
    double chance = 0.0;
    for (double z = -end + step / 2.0; z < end; z += step) {
        double product = 0.5 * exp(-fabs(z)) * step;
        for (size_t j = 0; j < event->size; j++)
            product *= j == i ? 1.0 : gsl_cdf_laplace_Q(z + (event->raw[i] - event->raw[j]) / event->noise_std, 1.0);
        chance += product;
    }
    return chance;
}

/* A standard normal number, if the choice has its law. */
static double of_choice(const sp_event *event, double v)
{
    double before = 0.0, all = 0.0, most = -INFINITY;
    const size_t chosen = (size_t)event->answer[0];
    for (size_t i = 0; i < event->size; i++)
        most = fmax(most, -event->raw[i]);
    for (size_t i = 0; i < event->size; i++) {
        const double weight = event->law == SP_LAW_GIBBS ? exp((-event->raw[i] - most) / event->noise_std)
                                                         : noisy_min(event, i);
        before += i < chosen ? weight : i == chosen ? v * weight : 0.0;
        all += weight;
    }
    return gsl_cdf_ugaussian_Pinv(fmax(1e-15, fmin(before / all, 1.0 - 1e-15)));
}

static void add(sum *s, double term)
{
    s->value += term;
    s->terms += 1.0;
}

/* Is the record in the secret batch? Standardised. */
static double membership(const sp_event *event, size_t record)
{
    const double q = event->rate;
    bool in = false;
    for (size_t i = 0; i < event->count; i++)
        in |= event->rows[i] == record;
    return (in - q) / sqrt(q * (1.0 - q));
}

static void collect_batches(const sp_transcript *transcript, size_t record, sample *s)
{
    double before = NAN;
    for (size_t i = 0; i < sp_transcript_count(transcript); i++) {
        const sp_event *event = sp_transcript_at(transcript, i);
        if (!(event->rate > 0.0 && event->rate < 1.0))
            continue;
        const double now = membership(event, record);
        add(&s->member, now);
        if (!isnan(before))
            add(&s->members, now * before);
        before = now;
    }
}

/* z[count] with what another key gives at that step. */
static void compare(sp_stream_key other, uint64_t step, const double *z, size_t count, sum *products)
{
    enum { CHUNK = 64 };
    for (size_t i = 0; i < count; i += CHUNK) {
        const size_t numbers = GSL_MIN(count - i, (size_t)CHUNK);
        double theirs[CHUNK] = { 0.0 };
        sp_normal_add(other, step, i / 2, numbers, 1.0, theirs);
        for (size_t j = 0; j < numbers; j++)
            add(products, z[i + j] * theirs[j]);
    }
}

static sp_status collect(const sp_trial *trial, sample *s, sp_error *error)
{
    static const sp_purpose other[STREAMS] = { SP_STREAM_COINS, SP_STREAM_SAMPLING, SP_STREAM_SELECTION };
    sp_status status = SP_OK;
    size_t before = 0, length = 0; /* the release before: where, how long */
    uint64_t step = 0;
    sp_stream place;
    gsl_rng *coins = sp_stream_place(&place, sp_trial_key(trial, SP_STREAM_MEASURE));
    SP_TRY(sp_trial_run(trial, NULL, error));
    for (size_t i = 0; i < sp_transcript_count(trial->transcript); i++) {
        const sp_event *event = sp_transcript_at(trial->transcript, i);
        double *z = s->z + s->count;
        const uint64_t mine = step;
        step += event->move == SP_MOVE_L2; /* a release without noise has a step, too */
        if (event->law != SP_LAW_OTHER && event->noise_std > 0.0 && s->count < NUMBERS_MAX)
            s->z[s->count++] = of_choice(event, gsl_rng_uniform_pos(coins));
        s->densities += strcmp(event->primitive, "choose_point") == 0 ||
                        strcmp(event->primitive, "choose_product") == 0;
        if (!sp_event_gaussian(event) || s->count + event->size > NUMBERS_MAX)
            continue;
        const size_t count = standardise(event, z);
        for (size_t j = 0; j < count && count == length; j++)
            add(&s->release, z[j] * s->z[before + j]);
        for (size_t k = 0; k < STREAMS; k++)
            compare(sp_trial_key(trial, other[k]), mine, z, count, &s->stream[k]);
        before = s->count;
        length = count;
        s->count += count;
    }
cleanup:
    return status;
}

/* --- tests -------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts. */
static double kolmogorov_smirnov(double *z, size_t count)
{
    const double n = (double)count, root = sqrt(n);
    double distance = 0.0, p = 0.0;
    qsort(z, count, sizeof *z, ascending);
    for (size_t i = 0; i < count; i++) {
        const double cdf = gsl_cdf_ugaussian_P(z[i]);
        distance = fmax(distance, fmax((double)(i + 1) / n - cdf, cdf - (double)i / n));
    }
    const double lambda = distance * (root + 0.12 + 0.11 / root);
    if (lambda < 0.3)
        return 1.0; /* the series needs many terms there */
    for (int k = 1; k <= 20; k++)
        p += (k % 2 == 1 ? 2.0 : -2.0) * exp(-2.0 * k * k * lambda * lambda);
    return fmax(0.0, fmin(1.0, p));
}

static double two_sided(const sum *s)
{
    return s->terms > 0.0 ? 2.0 * gsl_cdf_ugaussian_Q(fabs(s->value) / sqrt(s->terms)) : 1.0;
}

static double lagged(const sample *s)
{
    sum lag = { 0.0, 0.0 };
    for (size_t i = 1; i < s->count; i++)
        add(&lag, s->z[i] * s->z[i - 1]);
    return two_sided(&lag);
}

static double between_runs(const sample *s)
{
    sum next = { 0.0, 0.0 };
    for (size_t r = 0; r + 1 < RUNS; r++)
        for (size_t i = s->run[r], k = s->run[r + 1]; i < s->run[r + 1] && k < s->run[r + 2]; i++, k++)
            add(&next, s->z[i] * s->z[k]);
    return two_sided(&next);
}

static double scale(const sample *s)
{
    double squares = 0.0;
    for (size_t i = 0; i < s->count; i++)
        squares += s->z[i] * s->z[i];
    return 2.0 * fmin(gsl_cdf_chisq_P(squares, (double)s->count), gsl_cdf_chisq_Q(squares, (double)s->count));
}

sp_status sp_audit_noise(const sp_audit_case *c, const sp_audit_options *options, sp_audit_verdict *verdict,
                         sp_error *error)
{
    sp_status status = SP_OK;
    sample s = { .z = sp_alloc_doubles(NUMBERS_MAX) };
    sp_transcript *transcript = c->transcript[SP_HERE];
    double smallest = 1.0;
    const char *which = "";
    if (!s.z)
        SP_TRY(sp_fail(error, SP_ENOMEM, "audit: out of memory"));
    for (size_t r = 0; r < RUNS; r++) {
        if (sp_audit_late(c)) {
            verdict->left_out = true;
            snprintf(verdict->detail, sizeof verdict->detail, "after %zu of %d runs", r, RUNS);
            goto cleanup;
        }
        const sp_trial trial = { &c->setting->method, &c->neighbourhood->problem[SP_HERE], c->privacy,
                                 options->seed + r, transcript, NULL };
        sp_transcript_record(transcript);
        SP_TRY(collect(&trial, &s, error));
        collect_batches(transcript, c->fixture->place, &s);
        s.run[r + 1] = s.count;
    }
    verdict->passed = s.count > 0 || s.densities > 0;
    if (s.count == 0) {
        snprintf(verdict->detail, sizeof verdict->detail, "%s", s.densities > 0 ? "draws from a density alone"
                                                                                : "no release has noise");
        goto cleanup;
    }
    const test tests[TESTS] = {
        { "scale (chi-square)", scale(&s) },
        { "correlation with the next number", lagged(&s) },
        { "correlation with the next release", two_sided(&s.release) },
        { "correlation with the next run", between_runs(&s) },
        { "correlation with the coins", two_sided(&s.stream[0]) },
        { "correlation with the sampling", two_sided(&s.stream[1]) },
        { "correlation with the selection", two_sided(&s.stream[2]) },
        { "how often a record is in a batch", two_sided(&s.member) },
        { "correlation of a batch with the next one", two_sided(&s.members) },
        { "shape (Kolmogorov-Smirnov)", kolmogorov_smirnov(s.z, s.count) }, /* the last: it sorts */
    };
    for (size_t i = 0; i < TESTS; i++)
        if (!(tests[i].p >= smallest)) {
            smallest = tests[i].p;
            which = tests[i].name;
        }
    verdict->passed = smallest >= SP_AUDIT_FALSE_ALARM / TESTS;
    snprintf(verdict->detail, sizeof verdict->detail, "%zu numbers, %d tests; smallest p = %.3g: %s", s.count, TESTS,
             smallest, which);
cleanup:
    free(s.z);
    return status;
}
