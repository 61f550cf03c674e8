/* unit/audit.c -- the audits themselves: the one-run bound against enumeration, mechanisms that are known and
 * randomised response; claims of methods whose ledgers differ; add-remove neighbours; what a limit leaves out; records
 * that pay in pools of their own. */
#include "core/audit/audit_internal.h"
#include "core/plan/registry.h"
#include "tests/check.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>

/* --- the bound of one run ---------------------------------------------------------------------------------------- */

/* P(at least v of r), over all outcomes. */
static double enumerated(size_t r, double q, size_t low, size_t high)
{
    double sum = 0.0;
    for (unsigned outcome = 0; outcome < 1u << r; outcome++) {
        const size_t right = (size_t)__builtin_popcount(outcome);
        if (right >= low && right < high)
            sum += pow(q, (double)right) * pow(1.0 - q, (double)(r - right));
    }
    return sum;
}

static void tail_is_the_theorem(void)
{
    for (size_t r = 1; r <= 9; r++)
        for (size_t v = 0; v <= r; v++)
            for (double epsilon = 0.0; epsilon < 3.0; epsilon += 0.785) {
                const double q = exp(epsilon) / (1.0 + exp(epsilon)), delta = 2.385e-3;
                const size_t m = r + 4;
                double most = 0.0;
                for (size_t i = 1; i <= v; i++)
                    most = fmax(most, enumerated(r, q, v - i, v) / (double)i);
                const double expected = fmin(1.0, enumerated(r, q, v, r + 1) + 2.0 * (double)m * delta * most);
                const double found = sp_one_run_tail(m, r, v, epsilon, delta);
                SP_CHECK_REPORT(fabs(found - expected) <= 1e-12, "r = %zu, v = %zu, epsilon = %g: %.17g, not %.17g", r,
                                v, epsilon, found, expected);
            }
}

/* Randomised response on every coin, and with probability delta m / k the coins of k of them, which ones at random:
 * each coin is told with probability delta, so that it is (epsilon, delta)-DP, and its law is plain. */
static void tail_covers_known_mechanisms(void)
{
    const size_t m = 40;
    for (size_t k = 1; k <= m; k++)
        for (double epsilon = 0.0; epsilon < 4.0; epsilon += 0.585)
            for (double delta = 1e-5; delta < 5e-3; delta *= 8.0) {
                const double q = 1.0 / (1.0 + exp(-epsilon)), told = fmin(1.0, delta * (double)m / (double)k);
                for (size_t v = 1; v <= m; v++) {
                    const double plain = gsl_cdf_binomial_Q((unsigned)(v - 1), q, (unsigned)m);
                    const double rest = v <= k ? 1.0 : gsl_cdf_binomial_Q((unsigned)(v - k - 1), q, (unsigned)(m - k));
                    const double exact = (1.0 - told) * plain + told * rest;
                    const double bound = sp_one_run_tail(m, m, v, epsilon, delta);
                    SP_CHECK_REPORT(exact <= bound * (1.0 + 1e-9), "k = %zu, v = %zu, e = %g, delta = %g; %g > %g",
                                    k, v, epsilon, delta, exact, bound);
                }
            }
}

/* epsilon-hat is above epsilon in 5 % of the repetitions at most: of 400 more than 38 with probability 1e-4. Of 1e5
 * guesses it is within 0.04. */
static void randomised_response(void)
{
    gsl_rng *r = sp_stream_open(sp_stream_key_of(2385, "one_run", 0, SP_STREAM_DATA));
    for (double epsilon = 0.5; epsilon < 4.0; epsilon *= 2.0) {
        const double q = 1.0 / (1.0 + exp(-epsilon));
        size_t above = 0;
        for (size_t k = 0; k < 400; k++)
            above += sp_one_run_epsilon(500, 500, gsl_ran_binomial(r, q, 500), 0.0, 0.05) > epsilon;
        SP_CHECK_REPORT(above <= 38 && above > 2, "epsilon = %g: above it %zu times of 400", epsilon, above);
        const double many = sp_one_run_epsilon(100000, 100000, gsl_ran_binomial(r, q, 100000), 1e-9, 0.05);
        SP_CHECK_REPORT(many > epsilon - 0.04 && many < epsilon + 0.02, "epsilon = %g: found %g", epsilon, many);
    }
    CHECK_EQUAL(sp_one_run_epsilon(100, 100, 50, 1e-6, 0.05) == 0.0, true);
    CHECK(sp_one_run_epsilon(100, 100, 100, 1e-6, 0.05) > 2.0);
    gsl_rng_free(r);
}

/* --- methods ----------------------------------------------------------------------------------------------------- */

static const sp_param steps[] = { { "steps", SP_COUNT, 4, { 1, 50 }, "releases" }, { 0 } };

/* By a coin a release with what the budget needs, or with 16 times the noise. */
static sp_status frugal(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    double multiplier = 0.0;
    double *g = sp_alloc_doubles(sp_dimension(o));
    sp_batch batch;
    (void)v;
    if (!g)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory"));
    const bool cheap = gsl_rng_uniform(sp_coins(o)) < 0.5;
    const sp_release_plan plan[] = { { .kind = SP_GRADIENT, .sample = sp_full(), .count = 1 } };
    SP_TRY(sp_calibrate(o, plan, 1, &multiplier));
    SP_TRY(sp_draw(o, sp_full(), &batch));
    SP_TRY(sp_gradient(o, &SP_AT(batch, w), (cheap ? 16.0 : 1.0) * multiplier, g));
    w[0] -= 0.1 * g[0];
cleanup:
    free(g);
    return status;
}
static const sp_algorithm coin_method = { .name = "frugal", .params = steps, .run = frugal };

/* By a coin that is heads with this probability a release, else none. */
static sp_status sometimes(sp_oracle *o, const sp_values *v, double *w, double probability)
{
    return gsl_rng_uniform(sp_coins(o)) < probability ? frugal(o, v, w) : SP_OK;
}
static sp_status seldom(sp_oracle *o, const sp_values *v, double *w)
{
    return sometimes(o, v, w, 0.8);
}
static sp_status never(sp_oracle *o, const sp_values *v, double *w)
{
    return sometimes(o, v, w, 0.0);
}
static const sp_algorithm seldom_method = { .name = "seldom", .params = steps, .run = seldom };
static const sp_algorithm never_method = { .name = "never", .params = steps, .run = never };

typedef struct heard {
    size_t verdicts, left_out, failed, statistical;
    char text[900]; /* of the last statistical one */
} heard;

static void listen(void *context, const sp_audit_verdict *verdict)
{
    heard *h = context;
    h->verdicts++;
    h->left_out += verdict->left_out;
    h->failed += !verdict->passed && !verdict->left_out;
    if (verdict->audit == SP_AUDIT_STATISTICAL) {
        h->statistical++;
        snprintf(h->text, sizeof h->text, "%s: %s", verdict->fixture, verdict->detail);
    }
}

/* With 300 runs a side a single audit fails with probability 1e-3. The cheap run's ledger, about a sixteenth of mu, is
 * refuted by the other half of the runs. */
static void claims_are_of_the_costliest_run(void)
{
    for (uint64_t seed = 1; seed <= 4; seed++) { /* the first run is cheap for some */
        heard h = { 0 };
        sp_error error = { .text = "" };
        const sp_audit_options options = { .runs = 300, .seed = seed, .report = listen, .context = &h };
        SP_CHECK_REPORT(sp_audit(&coin_method, &options, &error) == SP_OK, "%s", error.text);
        SP_CHECK_REPORT(h.failed == 0, "seed %d: %s", (int)seed, h.text);
        CHECK(h.statistical > 0);
        CHECK_CONTAINS(h.text, "the ledger says 4 at");
    }
}

/* One replay, of each seed. */
static size_t findings(const sp_algorithm *method, size_t seeds, const char *said)
{
    const sp_fixture fixture = { "full", NULL, 20, 3, 0.0, SP_PROBE_ZERO, SP_PROBE_FULL, -SP_PROBE_FULL, 0 };
    sp_transcript *transcript[SP_SIDES] = { NULL };
    sp_neighbourhood h = { 0 };
    sp_audit_setting setting;
    sp_error error = { .text = "" };
    size_t found = 0;
    for (size_t i = 0; i < SP_SIDES; i++)
        CHECK((transcript[i] = sp_transcript_new()));
    CHECK(sp_neighbourhood_make(&fixture, &h, &error) == SP_OK);
    CHECK(sp_audit_setting_start(method, NULL, 12, &setting, &error) == SP_OK);
    const sp_privacy privacy = { .private = true, .epsilon = 4.0, .delta = 1e-5, .noise = true };
    const sp_audit_case c = { &fixture, &h, &setting, privacy, transcript, NULL, INFINITY };
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        sp_replays done = { 0 };
        sp_text finding = { 0 };
        CHECK(sp_audit_replay(&c, seed, &done, &finding, &error) == SP_OK);
        SP_CHECK_REPORT(finding.length == 0 || strstr(finding.data, said), "%s", finding.data);
        found += finding.length > 0;
        sp_text_free(&finding);
    }
    sp_neighbourhood_free(&h);
    for (size_t i = 0; i < SP_SIDES; i++)
        sp_transcript_free(transcript[i]);
    return found;
}

/* Of 20 seeds four or so are silent at first; all four tries of one are with probability 0.0016. */
static void silence_is_no_finding_once(void)
{
    CHECK_EQUAL(findings(&seldom_method, 20, "none"), 0);
    CHECK_EQUAL(findings(&never_method, 3, "nothing was recorded"), 3);
    CHECK_EQUAL(findings(sp_algorithm_find("start"), 3, "none"), 0);
}

static void limits_are_said(void)
{
    heard h = { 0 }, all = { 0 };
    sp_error error = { .text = "" };
    sp_audit_options options = { .runs = 20, .seed = 1, .seconds = 1e-9, .report = listen, .context = &h };
    CHECK(sp_audit(sp_algorithm_find("dp_gd"), &options, &error) == SP_OK);
    CHECK_EQUAL(h.left_out, h.verdicts);
    options.seconds = 0.0;
    options.context = &all;
    CHECK(sp_audit(sp_algorithm_find("dp_gd"), &options, &error) == SP_OK);
    CHECK_EQUAL(all.left_out, 0);
    CHECK_EQUAL(all.failed, 0);
    CHECK(all.verdicts <= h.verdicts); /* each is named, those by a printed formula that is not there, too */
}

/* --- neighbours -------------------------------------------------------------------------------------------------- */

static sp_audit_verdict statistical(const char *method, const sp_fixture *fixture, double batch,
                                    sp_neighbours neighbours)
{
    sp_audit_verdict verdict = { .passed = false };
    sp_neighbourhood h = { 0 };
    sp_audit_setting setting;
    sp_curve *curves = NULL;
    sp_error error = { .text = "" };
    sp_transcript *transcript[SP_SIDES] = { NULL };
    const sp_audit_options options = { .runs = 3000, .seed = 5 };
    for (size_t i = 0; i < SP_SIDES; i++)
        CHECK((transcript[i] = sp_transcript_new()));
    CHECK(sp_neighbourhood_make(fixture, &h, &error) == SP_OK);
    CHECK(sp_audit_setting_start(sp_algorithm_find(method), NULL, 12, &setting, &error) == SP_OK);
    CHECK(sp_audit_setting_number(&setting, "batch", batch));
    const sp_privacy privacy = { .private = true, .epsilon = 4.0, .delta = 1e-5, .noise = true,
                                 .neighbours = neighbours };
    const sp_audit_case c = { fixture, &h, &setting, privacy, transcript, &curves, INFINITY };
    SP_CHECK_REPORT(sp_audit_statistical(&c, &options, &verdict, &error) == SP_OK, "%s", error.text);
    sp_curves_free(curves);
    sp_neighbourhood_free(&h);
    for (size_t i = 0; i < SP_SIDES; i++)
        sp_transcript_free(transcript[i]);
    return verdict;
}

/* A record more moves a sum half as far as another record: noise for the one does not do for the other. */
static void neighbours_are_told_apart(void)
{
    const sp_fixture more = { "one more", NULL, 20, 1, 0.0, SP_PROBE_ZERO, SP_PROBE_FULL, SP_PROBE_ZERO, 0 };
    const sp_fixture other = { "another", NULL, 20, 1, 0.0, SP_PROBE_ZERO, SP_PROBE_FULL, -SP_PROBE_FULL, 0 };
    const struct { const sp_fixture *fixture; sp_neighbours neighbours; bool sound; } cases[] = {
        { &more, SP_ADD_REMOVE, true }, { &other, SP_ADD_REMOVE, false }, { &other, SP_REPLACE_ONE, true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sp_audit_verdict verdict = statistical("dp_sgd_poisson", cases[i].fixture, 19.0, cases[i].neighbours);
        SP_CHECK_REPORT(verdict.passed == cases[i].sound, "%s, %d: %s", cases[i].fixture->name,
                        (int)cases[i].neighbours, verdict.detail);
    }
}

/* Both stages of a warm start sample from records of their own: no record pays for both. */
static void pools_pay_for_themselves(void)
{
    const sp_fixture fixture = { "full", NULL, 20, 3, 0.0, SP_PROBE_FULL, SP_PROBE_FULL, -SP_PROBE_FULL, 0 };
    sp_transcript *transcript[SP_SIDES] = { NULL };
    sp_neighbourhood h = { 0 };
    sp_audit_setting setting;
    sp_error error = { .text = "" };
    sp_replays done = { 0 };
    sp_text finding = { 0 };
    for (size_t i = 0; i < SP_SIDES; i++)
        CHECK((transcript[i] = sp_transcript_new()));
    CHECK(sp_neighbourhood_make(&fixture, &h, &error) == SP_OK);
    CHECK(sp_audit_setting_start(sp_algorithm_find("warm_start"), sp_algorithm_find("dp_sgd"), 12, &setting, &error) ==
          SP_OK);
    CHECK(sp_audit_setting_word(&setting, "budget", "disjoint"));
    const sp_privacy privacy = { .private = true, .epsilon = 4.0, .delta = 1e-5, .noise = true };
    const sp_audit_case c = { &fixture, &h, &setting, privacy, transcript, NULL, INFINITY };
    CHECK(sp_audit_replay(&c, 3, &done, &finding, &error) == SP_OK);
    SP_CHECK_REPORT(finding.length == 0, "%s", finding.data);
    size_t secret = 0;
    for (size_t i = 0; i < sp_transcript_count(transcript[SP_HERE]); i++) {
        const sp_event *event = sp_transcript_at(transcript[SP_HERE], i);
        CHECK_EQUAL(event->pooled, 10);
        for (size_t k = 0; k < event->count; k++) { /* what is drawn is of the pool */
            size_t at = 0;
            while (at < event->pooled && event->pool[at] != event->rows[k])
                at++;
            CHECK(at < event->pooled);
        }
        secret += event->rate > 0.0;
    }
    CHECK(secret > 0);
    sp_text_free(&finding);
    sp_neighbourhood_free(&h);
    for (size_t i = 0; i < SP_SIDES; i++)
        sp_transcript_free(transcript[i]);
}

int main(void)
{
    gsl_set_error_handler_off();
    tail_is_the_theorem();
    tail_covers_known_mechanisms();
    randomised_response();
    claims_are_of_the_costliest_run();
    silence_is_no_finding_once();
    limits_are_said();
    neighbours_are_told_apart();
    pools_pay_for_themselves();
    return sp_check_done();
}
