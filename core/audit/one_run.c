/* one_run.c -- the one-run audit: how many independent coins can be guessed from one run?
 *
 * m records are canaries. A fair coin S_i = +-1 chooses canary i from two records with opposite gradients of full norm,
 * on an axis of its own. Each canary gets a score computed only from the releases. For the r canaries with the largest
 * |score| the sign is the guess, and v of these guesses are right.
 *
 * Theorem (Steinke, Nasr & Jagielski 2023, Theorem 5.2). Let M be any random map of S, (epsilon, delta)-DP between
 * vectors of coins that differ in one coin, S uniform, and let the guesses T = M(S) in {-1, 0, 1}^m have r nonzero
 * entries. With B ~ Bin(r, e^epsilon / (1 + e^epsilon)),
 *
 *   P(at least v are right) <= P(B >= v) + 2 m delta max_{1 <= i <= v} P(v - i <= B < v) / i.
 *
 * In the paper a coin includes or omits its record, so the map has the method's epsilon under add-remove neighbours.
 * Here it chooses one of two records: vectors that differ in one coin are data sets that differ in one record, and the
 * map has the method's epsilon under replace-one, without a factor. (Comparing add-remove runs with half of a
 * replace-one ledger, or counting a canary twice, would be wrong.) Guesses are post-processing; r is fixed in advance.
 * R runs with independent coins are one map of all R m coins, each of which is in one run only, so this map is as
 * private as one run: they count as one run with R m canaries. (R = 1 except for methods with Hessians and for few
 * dimensions.)
 *
 * epsilon-hat is the smallest epsilon at which the bound is at least the level: epsilon >= epsilon-hat with confidence
 * 1 - level. If several r are tried, each has its part of the level. epsilon-hat is compared with the epsilon of the
 * costliest ledger, at its delta. It is a lower bound from few guesses: it misses most mistakes that statistical audits
 * find, and detects half of the noise only seldom. But it covers what they do not: all records at once, in many
 * dimensions.
 *
 * Scores. For Gaussian releases of d numbers, the score is the log-likelihood ratio of the two records, summed over
 * releases: the raw values a and b with all canaries one way and the other, given the same releases, come from
 * following the transcript (replay.h). In release x axis i has the ratio ((x_i - b_i)^2 - (x_i - a_i)^2) / (2
 * noise_std^2), because nothing else is on that axis. For a secret batch of rate q it is log((1 - q + q e^l) / (1 - q +
 * q e^l')), l and l' the ratios to an absent record; the other records are the same for every canary. For a method
 * without such releases a score is the difference of the losses of the two records at its output. Any scores are valid;
 * better ones make epsilon-hat larger.
 */
#include "core/audit/audit_internal.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <stdio.h>

/* How many guesses: all, and the surest ones. */
static const size_t part[] = { 1, 2, 8, 32 };
enum { PARTS = sizeof part / sizeof *part };

typedef struct guess {
    double score;
    bool coin;
} guess;

/* --- the bound ---------------------------------------------------------------------------------------------- */

double sp_one_run_tail(size_t m, size_t r, size_t v, double epsilon, double delta)
{
    const double q = 1.0 / (1.0 + exp(-epsilon));
    double below = 0.0, most = 0.0;
    for (size_t i = 1; i <= v; i++) {
        below += gsl_ran_binomial_pdf((unsigned)(v - i), q, (unsigned)r);
        most = fmax(most, below / (double)i);
    }
    const double tail = v == 0 ? 1.0 : gsl_cdf_binomial_Q((unsigned)(v - 1), q, (unsigned)r);
    return fmin(1.0, tail + 2.0 * (double)m * delta * most);
}

double sp_one_run_epsilon(size_t m, size_t r, size_t v, double delta, double level)
{
    double low = 0.0, high = 50.0;
    if (!(sp_one_run_tail(m, r, v, 0.0, delta) < level))
        return 0.0;
    for (int i = 0; i < 40; i++) {
        const double middle = 0.5 * (low + high);
        if (sp_one_run_tail(m, r, v, middle, delta) < level)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* --- scores ------------------------------------------------------------------------------------------------- */

/* log p(x; a) / p(x; 0) with one number of noise. */
static double ratio(double x, double a, double noise_std)
{
    return a * (2.0 * x - a) / (2.0 * gsl_pow_2(noise_std));
}

/* log(1 - q + q e^l) */
static double mixed(double q, double l)
{
    return l > 0.0 ? l + log(q + (1.0 - q) * exp(-l)) : log1p(q * expm1(l));
}

/* What a canary that is in the batch adds: the largest number of `raw`. Canaries in it have all the same. */
static double share(const sp_event *event, const double *raw)
{
    double most = 0.0;
    for (size_t i = 0; i < event->size; i++)
        if (fabs(raw[i]) > fabs(most))
            most = raw[i];
    return most;
}

static void add_scores(const sp_event *event, const double *here, const double *there, double *score)
{
    const bool secret = event->rate > 0.0 && event->rate < 1.0;
    const double a = share(event, here), b = share(event, there);
    for (size_t i = 0; i < event->size; i++)
        score[i] += secret ? mixed(event->rate, ratio(event->answer[i], a, event->noise_std)) -
                                 mixed(event->rate, ratio(event->answer[i], b, event->noise_std))
                           : ratio(event->answer[i], here[i], event->noise_std) -
                                 ratio(event->answer[i], there[i], event->noise_std);
}

/* score[i] = f(w, the other record) - f(w, the one). */
static sp_status by_losses(const sp_neighbourhood *h, const double *w, size_t n, double *score, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_problem *one = &h->problem[SP_ALL_HERE], *other = &h->problem[SP_ALL_THERE];
    sp_workspace *space[2] = { sp_workspace_new(one), sp_workspace_new(other) };
    if (!space[0] || !space[1])
        SP_TRY(sp_fail(error, SP_ENOMEM, "audit: out of memory"));
    for (size_t i = 0; i < n; i++)
        score[i] = sp_record_value(other, space[1], i, w) - sp_record_value(one, space[0], i, w);
cleanup:
    sp_workspace_free(space[0]);
    sp_workspace_free(space[1]);
    return status;
}

/* A score for each record of one run over these coins. */
static sp_status one_run(const sp_audit_case *c, const sp_neighbourhood *h, uint64_t seed, sp_ledger *worst,
                         double *score, sp_error *error)
{
    sp_status status = SP_OK;
    static const sp_side sides[] = { SP_HERE, SP_ALL_HERE, SP_ALL_THERE };
    const size_t n = c->fixture->n;
    double *w = sp_alloc_doubles(h->problem[SP_HERE].domain.d);
    bool any = false;
    if (!w)
        SP_TRY(sp_fail(error, SP_ENOMEM, "audit: out of memory"));
    for (size_t s = 0; s < 3; s++) {
        const sp_trial trial = { &c->setting->method, &h->problem[sides[s]], c->privacy, seed, c->transcript[sides[s]],
                                 s == 0 ? worst : NULL, s == 0 ? w : NULL };
        if (s == 0)
            sp_transcript_record(c->transcript[SP_HERE]);
        else
            sp_transcript_follow(c->transcript[sides[s]], c->transcript[SP_HERE]);
        SP_TRY(sp_trial_run(&trial, NULL, error));
    }
    for (size_t i = 0; i < sp_transcript_count(c->transcript[SP_HERE]); i++) {
        const sp_event *event = sp_transcript_at(c->transcript[SP_HERE], i);
        if (c->fixture->loss || !sp_event_gaussian(event) || event->size != n || event->forgotten)
            continue;
        add_scores(event, sp_transcript_at(c->transcript[SP_ALL_HERE], i)->raw,
                   sp_transcript_at(c->transcript[SP_ALL_THERE], i)->raw, score);
        any = true;
    }
    if (!any)
        SP_TRY(by_losses(h, w, n, score, error));
cleanup:
    free(w);
    return status;
}

/* --- the verdict -------------------------------------------------------------------------------------------- */

static int surest(const void *a, const void *b)
{
    const double x = fabs(((const guess *)a)->score), y = fabs(((const guess *)b)->score);
    return (x < y) - (x > y);
}

/* Sorts. The best of PARTS bounds. */
static double best_bound(guess *g, size_t m, double delta, size_t *right, size_t *guesses)
{
    double best = -1.0;
    qsort(g, m, sizeof *g, surest);
    for (size_t p = 0; p < PARTS; p++) {
        const size_t r = m / part[p];
        size_t v = 0;
        for (size_t i = 0; i < r; i++)
            v += (g[i].score > 0.0) == g[i].coin;
        const double bound = r > 0 ? sp_one_run_epsilon(m, r, v, delta, SP_AUDIT_FALSE_ALARM / PARTS) : 0.0;
        if (bound > best) {
            best = bound;
            *right = v;
            *guesses = r;
        }
    }
    return best;
}

sp_status sp_audit_one_run(const sp_audit_case *c, const sp_audit_options *options, sp_audit_verdict *verdict,
                           sp_error *error)
{
    sp_status status = SP_OK;
    const size_t n = c->fixture->n, runs = (SP_CANARIES + n - 1) / n, m = runs * n;
    sp_fixture fixture = *c->fixture;
    sp_neighbourhood h = { 0 };
    sp_ledger worst = { 0 };
    sp_bounds bounds;
    sp_stream place;
    gsl_rng *coins = sp_stream_place(&place, sp_stream_key_of(options->seed, "canaries", 0, SP_STREAM_DATA));
    guess *g = sp_alloc(m, sizeof *g);
    bool *coin = sp_alloc(n, sizeof *coin);
    double *score = sp_alloc_doubles(n);
    size_t right = 0, guesses = 0;
    if (!g || !coin || !score)
        SP_TRY(sp_fail(error, SP_ENOMEM, "audit: out of memory"));
    fixture.coin = coin;
    for (size_t r = 0; r < runs; r++) {
        if (sp_audit_late(c)) {
            verdict->left_out = true;
            snprintf(verdict->detail, sizeof verdict->detail, "after %zu of %zu runs", r, runs);
            goto cleanup;
        }
        for (size_t i = 0; i < n; i++) {
            coin[i] = gsl_rng_uniform_int(coins, 2) == 1;
            score[i] = 0.0;
        }
        sp_neighbourhood_free(&h);
        SP_TRY(sp_neighbourhood_make(&fixture, &h, error));
        SP_TRY(one_run(c, &h, options->seed + r, &worst, score, error));
        for (size_t i = 0; i < n; i++)
            g[r * n + i] = (guess){ score[i], coin[i] };
    }
    SP_TRY(sp_account(&worst, c->privacy.neighbours, c->privacy.delta, &bounds, error));
    verdict->rejected = best_bound(g, m, c->privacy.delta, &right, &guesses);
    verdict->passed = verdict->rejected <= bounds.best;
    snprintf(verdict->detail, sizeof verdict->detail, "%zu canaries in %zu run%s, %zu of %zu guesses right: epsilon >= "
             "%.3g with confidence %g, the ledger says %.3g at delta = %g", m, runs, runs > 1 ? "s" : "", right,
             guesses, verdict->rejected, 1.0 - SP_AUDIT_FALSE_ALARM, bounds.best, c->privacy.delta);
cleanup:
    sp_ledger_free(&worst);
    sp_neighbourhood_free(&h);
    free(score);
    free(coin);
    free(g);
    return status;
}
