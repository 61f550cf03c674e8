/* statistical.c -- the statistical audit: can the releases on D be told from those on D' better than the ledger allows?
 *
 * It makes N runs on each side. For each run it computes the exact log-likelihood ratio of its releases x_t,
 *
 *   l = sum_t log p'(x_t | x_1 .. x_{t-1}) / p(x_t | x_1 .. x_{t-1}),
 *
 * where the raw values on D and on D', given the same releases, come from following the recorded transcript (replay.h).
 * The guess is D' if l > 0. With a, b the one-sided Clopper & Pearson upper bounds on the rates of wrong guesses on D
 * and on D', the ledger is refuted if (a, b) is below its trade-off curve, the envelope over epsilon of
 *
 *   b >= 1 - delta(epsilon) - e^epsilon a,   a >= 1 - delta(epsilon) - e^epsilon b.
 *
 * If released values or coins decide what is released, the ledger of a run that stopped early says nothing about other
 * runs. So the curve is that of the costliest ledger of all 2 N runs (run.c defines the cost). A run that pays more has
 * a probability of order 1 / N, which is small compared with the width of a and b.
 *
 * If a method keeps the best of several runs, l is that of the best run's releases: nobody has seen the others, and any
 * statistic is valid.
 *
 * Gaussian release   log p'/p = (||x - raw||^2 - ||x - raw'||^2) / (2 noise_std^2), where an entry off the diagonal of
 *                    mirrored noise, which occurs twice, counts half; the batch is known if the ledger's theorem
 *                    assumes so (all records, disjoint pools).
 * Choice             log p of the exponential mechanism, -raw_i / noise_std - log sum_j exp(-raw_j / noise_std), also
 *                    for the other mechanisms, where it is just a statistic.
 * Sampled release    the batch is secret: p = (1 - q) p_out + q p_in, log p'/p = log((1 - q + q e^l') / (1 - q + q
 *                    e^l)), l, l' the ratios of p_in on D, D' to p_out. A mean is linear, so p_in, p_out follow from
 *                    the raw value on all records like the others (o), like the differing one on D (a), on D' (b): for
 *                    m records, out = o, in = o + (a - o) / m. A Poisson batch of k records, j of them others, has out
 *                    = (j / k) o and in = out + a / k; who else is in it may be known. */
#include "core/audit/audit_internal.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <stdio.h>

enum { GRID = 8, ENTRIES = 64 /* of a release on a secret batch: fixtures are small */ };
#define GRID_END 3.0

/* One bound of the box; the verdict is wrong when either bound is. */
#define BOUND_ERROR (SP_AUDIT_FALSE_ALARM / 2.0)

/* --- likelihoods -------------------------------------------------------------------------------------------- */

/* log p(x; a) / p(x; b) under N(., noise_std^2) */
static double gaussian_ratio(const sp_event *event, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t j = 0; j < event->size; j++) {
        const double weight = event->mirrored && j % (event->dimension + 1) != 0 ? 0.5 : 1.0;
        sum += weight * (gsl_pow_2(event->answer[j] - b[j]) - gsl_pow_2(event->answer[j] - a[j]));
    }
    return sum / (2.0 * gsl_pow_2(event->noise_std));
}

static bool equal(const sp_event *event, const double *a, const double *b)
{
    return memcmp(a, b, event->size * sizeof *a) == 0;
}

/* log P(chosen) under P(i) ~ exp(-raw_i / unit) */
static double choice_log(const sp_event *event, size_t chosen, const double *raw, double unit)
{
    double sum = 0.0;
    for (size_t i = 0; i < event->size; i++)
        sum += exp((raw[chosen] - raw[i]) / unit);
    return -log(sum);
}

static double known_batch(const sp_event *event, const double *here, const double *there, bool on_here)
{
    if (equal(event, here, there))
        return 0.0;
    if (sp_event_gaussian(event))
        return gaussian_ratio(event, there, here);
    if (event->move == SP_MOVE_RANGE && event->noise_std > 0.0) {
        const size_t chosen = (size_t)event->answer[0];
        return chosen < event->size ? choice_log(event, chosen, there, event->noise_std) -
                                          choice_log(event, chosen, here, event->noise_std) : 0.0;
    }
    return on_here ? -INFINITY : INFINITY; /* released as it is */
}

/* log(1 - q + q e^l) */
static double mixed(double q, double l)
{
    return l > 0.0 ? l + log(q + (1.0 - q) * exp(-l)) : log1p(q * expm1(l));
}

/* The raw values with all records like the others, like the differing one on D, like that on D'; is it in the batch? */
static double secret_batch(const sp_event *event, const double *others, const double *here, const double *there,
                           bool differs)
{
    double out[ENTRIES], in[2][ENTRIES];
    const double k = (double)event->count;
    const bool fixed = k == event->m; /* then a record outside makes room for another one */
    const double outside = fixed || !differs ? k : k - 1.0, inside = fixed ? k - 1.0 : outside;
    if (event->size > ENTRIES || event->count == 0 || strcmp(event->primitive, "stable_pass") == 0)
        return 0.0; /* an empty batch tells nothing; a pass is no mean */
    for (size_t i = 0; i < event->size; i++) { /* of k equal records each adds a k-th of the raw value */
        out[i] = outside / k * others[i];
        in[0][i] = (inside * others[i] + here[i]) / k;
        in[1][i] = (inside * others[i] + there[i]) / k;
    }
    return mixed(event->rate, gaussian_ratio(event, in[1], out)) -
           mixed(event->rate, gaussian_ratio(event, in[0], out));
}

/* --- runs --------------------------------------------------------------------------------------------------- */

static bool any_secret(const sp_transcript *transcript)
{
    for (size_t i = 0; i < sp_transcript_count(transcript); i++)
        if (sp_transcript_at(transcript, i)->rate > 0.0)
            return true;
    return false;
}

static bool holds(const sp_event *event, size_t record)
{
    for (size_t i = 0; i < event->count; i++)
        if (event->rows[i] == record)
            return true;
    return false;
}

/* l of one run on `side`. */
static sp_status one_run(const sp_audit_case *c, uint64_t seed, sp_side side, sp_ledger *worst, double *out,
                         sp_error *error)
{
    sp_status status = SP_OK;
    const sp_problem *problem = c->neighbourhood->problem;
    sp_transcript *const *transcript = c->transcript;
    sp_trial trial = { &c->setting->method, &problem[side], c->privacy, seed, transcript[side], worst };
    sp_transcript_record(transcript[side]);
    SP_TRY(sp_trial_run(&trial, NULL, error));
    trial.worst = NULL;
    const bool secret = any_secret(transcript[side]);
    for (size_t s = 0; s < (secret ? SP_SIDES : SP_ALL_OTHERS); s++) {
        if (s == side)
            continue;
        trial.problem = &problem[s];
        trial.transcript = transcript[s];
        sp_transcript_follow(transcript[s], transcript[side]);
        SP_TRY(sp_trial_run(&trial, NULL, error));
    }
    *out = 0.0;
    for (size_t i = 0; i < sp_transcript_count(transcript[side]); i++) {
        const sp_event *event = sp_transcript_at(transcript[side], i);
        if (event->forgotten)
            continue;
        if (event->rate > 0.0)
            *out += secret_batch(event, sp_transcript_at(transcript[SP_ALL_OTHERS], i)->raw,
                                 sp_transcript_at(transcript[SP_ALL_HERE], i)->raw,
                                 sp_transcript_at(transcript[SP_ALL_THERE], i)->raw, holds(event, c->fixture->place));
        else if (event->answers > 0)
            *out += known_batch(event, sp_transcript_at(transcript[SP_HERE], i)->raw,
                                sp_transcript_at(transcript[SP_THERE], i)->raw,
                                side == SP_HERE);
    }
cleanup:
    return status;
}

/* What a follow came upon. */
static const char *found(sp_transcript *const *transcript)
{
    const char *finding = NULL;
    for (size_t s = 0; s < SP_SIDES && !finding; s++)
        finding = sp_transcript_finding(transcript[s]);
    return finding;
}

/* --- the verdict -------------------------------------------------------------------------------------------- */

/* The rate at which so few wrong guesses have probability BOUND_ERROR; by bisection, for GSL's quantile of the beta
 * distribution does not always converge. */
static double clopper_pearson(size_t wrong, size_t runs)
{
    double low = (double)wrong / (double)runs, high = 1.0;
    for (int i = 0; i < 60 && wrong < runs; i++) {
        const double middle = 0.5 * (low + high);
        if (gsl_cdf_binomial_P((unsigned)wrong, middle, (unsigned)runs) > BOUND_ERROR)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The largest epsilon that (a, b) refutes at delta; 0: none. */
static double refuted(double a, double b, double delta)
{
    return fmax(0.0, fmax(log((1.0 - delta - a) / b), log((1.0 - delta - b) / a)));
}

struct sp_curve {
    sp_text ledger; /* as printed */
    sp_neighbours neighbours;
    double epsilon[GRID], delta[GRID];
    double best;    /* epsilon at the request's delta */
    sp_curve *next;
};

static void curve_free(sp_curve *curve)
{
    if (curve)
        sp_text_free(&curve->ledger);
    free(curve);
}

void sp_curves_free(sp_curve *curve)
{
    while (curve) {
        sp_curve *next = curve->next;
        curve_free(curve);
        curve = next;
    }
}

/* Of this ledger; among `curves` afterwards. */
static sp_status curve_of(const sp_ledger *ledger, const sp_privacy *privacy, sp_curve **curves, const sp_curve **out,
                          sp_error *error)
{
    sp_status status = SP_OK;
    sp_bounds bounds;
    sp_curve *curve = sp_alloc(1, sizeof *curve);
    if (curve)
        sp_ledger_print(ledger, &curve->ledger);
    if (!curve || curve->ledger.failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "audit: out of memory"));
    for (const sp_curve *known = *curves; known; known = known->next)
        if (known->neighbours == privacy->neighbours && known->ledger.length == curve->ledger.length &&
            (known->ledger.length == 0 || strcmp(known->ledger.data, curve->ledger.data) == 0)) {
            *out = known;
            goto cleanup;
        }
    for (size_t i = 0; i < GRID; i++) { /* dense at 0, where the test touches the curve */
        const double x = (double)i / (GRID - 1);
        curve->epsilon[i] = GRID_END * x * x;
        SP_TRY(sp_account_delta(ledger, privacy->neighbours, curve->epsilon[i], &curve->delta[i], error));
    }
    SP_TRY(sp_account(ledger, privacy->neighbours, privacy->delta, &bounds, error));
    curve->neighbours = privacy->neighbours;
    curve->best = bounds.best;
    curve->next = *curves;
    *out = *curves = curve;
    curve = NULL;
cleanup:
    curve_free(curve);
    return status;
}

static bool below(const sp_curve *curve, double a, double b)
{
    for (size_t i = 0; i < GRID; i++) {
        const double reach = 1.0 - curve->delta[i], slope = exp(curve->epsilon[i]);
        if (reach - slope * a > b || reach - slope * b > a)
            return true;
    }
    return false;
}

sp_status sp_audit_statistical(const sp_audit_case *c, const sp_audit_options *options, sp_audit_verdict *verdict,
                               sp_error *error)
{
    sp_status status = SP_OK;
    sp_ledger worst = { 0 };
    const sp_curve *curve = NULL;
    const double runs = (double)options->runs;
    size_t wrong[2] = { 0, 0 };
    for (size_t r = 0; r < options->runs; r++)
        for (size_t s = SP_HERE; s <= SP_THERE; s++) {
            double l = 0.0;
            if (sp_audit_late(c)) {
                verdict->left_out = true;
                snprintf(verdict->detail, sizeof verdict->detail, "after %zu of %zu runs a side", r, options->runs);
                goto cleanup;
            }
            status = one_run(c, options->seed + 2 * r + s, (sp_side)s, &worst, &l, error);
            const char *finding = status == SP_EPRIVACY ? found(c->transcript) : NULL;
            if (finding) { /* no ratio, but a verdict */
                snprintf(verdict->detail, sizeof verdict->detail, "followed on other records: %s", finding);
                status = SP_OK;
                goto cleanup;
            }
            SP_TRY(status);
            wrong[s] += s == SP_HERE ? l > 0.0 : !(l > 0.0);
        }
    const double a = clopper_pearson(wrong[0], options->runs), b = clopper_pearson(wrong[1], options->runs);
    SP_TRY(curve_of(&worst, &c->privacy, c->curves, &curve, error));
    verdict->passed = !below(curve, a, b);
    verdict->rejected = refuted(a, b, c->privacy.delta);
    snprintf(verdict->detail, sizeof verdict->detail,
             "%zu runs a side, wrong on %.3f and %.3f (at most %.3f, %.3f); epsilon <= %.3g refuted, the ledger says "
             "%.3g at delta = %g", options->runs, (double)wrong[0] / runs, (double)wrong[1] / runs, a, b,
             verdict->rejected, curve->best, c->privacy.delta);
cleanup:
    sp_ledger_free(&worst);
    return status;
}
