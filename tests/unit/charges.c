/* charges.c -- what a charge depends on, one thing at a time, by the definitions: how often an (epsilon, delta)-DP
 * release was made, in which of two data sets the record is, or that it is replaced, every block of a tree that a full
 * batch is in, and what a Hessian's noise on a Poisson sample is relative to. */
#include "core/accountant/accountant.h"
#include "core/oracle/replay.h"
#include "tests/private_problem.h"

#include <gsl/gsl_math.h>

/* --- how often ----------------------------------------------------------------------------------------------- */

/* k releases that are (epsilon, delta)-DP are (k epsilon, k delta)-DP; zCDP's bound is taken at what k delta leaves. */
static void counts_failures(void)
{
    enum { COUNTS = 3 };
    static const size_t count[COUNTS] = { 1, 3, 250 };
    const double epsilon = 0.0385, failure = 2.385e-7;
    for (size_t i = 0; i < COUNTS; i++) {
        const double k = (double)count[i], rho = k * epsilon * epsilon / 2.0;
        sp_ledger once = { 0 }, apart = { 0 };
        sp_bounds b;
        double delta[SP_BOUNDS];
        sp_bound_kind best;
        sp_entry entry = { .kind = SP_LEDGER_APPROX, .epsilon = epsilon, .delta = failure, .count = count[i] };
        CHECK_EQUAL(sp_ledger_append(&once, &entry), SP_OK);
        entry.count = 1;
        for (size_t j = 0; j < count[i]; j++)
            CHECK_EQUAL(sp_ledger_append(&apart, &entry), SP_OK);

        CHECK_EQUAL(sp_account(&once, SP_REPLACE_ONE, (k - 0.01) * failure, &b, NULL), SP_OK);
        CHECK(isinf(b.best));
        CHECK_EQUAL(sp_account(&once, SP_REPLACE_ONE, (k + 1e-3) * failure, &b, NULL), SP_OK);
        CHECK_NEAR(b.epsilon[SP_BOUND_BASIC], k * epsilon, 1e-12 * k);
        CHECK_EQUAL(sp_account(&once, SP_REPLACE_ONE, 1e-4, &b, NULL), SP_OK);
        CHECK_NEAR(b.epsilon[SP_BOUND_ZCDP], sp_zcdp_epsilon(rho, 1e-4 - k * failure), 1e-9);
        const double together = b.best;
        CHECK_EQUAL(sp_account(&apart, SP_REPLACE_ONE, 1e-4, &b, NULL), SP_OK);
        CHECK_NEAR(b.best, together, 1e-12);
        CHECK_EQUAL(sp_account_deltas(&once, SP_REPLACE_ONE, k * epsilon, delta, &best, NULL), SP_OK);
        CHECK_NEAR(delta[SP_BOUND_BASIC], k * failure, 1e-12 * k * failure);
        CHECK_LESS_EQUAL(k * failure, delta[best] * (1.0 + 1e-12)); /* no bound forgets the failures */
        sp_ledger_free(&once);
        sp_ledger_free(&apart);
    }
}

/* --- which data set ------------------------------------------------------------------------------------------ */

static double phi(double x)
{
    return exp(-0.5 * x * x) / sqrt(2.0 * M_PI);
}

/* sup_A P(A) - e^epsilon Q(A) of one Poisson-sampled Gaussian, by quadrature: the record is in the first data set (P is
 * the mixture), or in the second. */
static double hockey_stick(double q, double mu, bool second, double epsilon)
{
    double sum = 0.0;
    const double h = 1e-4;
    for (double x = -12.0 + h / 2.0; x < 12.0 + mu; x += h) {
        const double mixed = (1.0 - q) * phi(x) + q * phi(x - mu), plain = phi(x);
        sum += h * fmax(0.0, second ? plain - exp(epsilon) * mixed : mixed - exp(epsilon) * plain);
    }
    return sum;
}

/* A sampled Gaussian and two epsilon-DP releases, whose losses are -2 e, 0 and 2 e. Which order is the worse one
 * depends on epsilon: the distribution's delta is that of the worse one, and no more than a little above. */
static void takes_the_worse_order(void)
{
    const double q = 0.1, mu = 1.0, e = 0.3, p = exp(e) / (1.0 + exp(e));
    const double mass[3] = { p * p, 2.0 * p * (1.0 - p), (1.0 - p) * (1.0 - p) };
    size_t worse[2] = { 0 };
    sp_ledger ledger = { 0 };
    const sp_entry entry[] = { { .kind = SP_LEDGER_POISSON, .noise_multiplier = 1.0 / mu, .rate = q, .count = 1 },
                               { .kind = SP_LEDGER_PURE, .epsilon = e, .count = 2 } };
    for (size_t i = 0; i < 2; i++)
        CHECK_EQUAL(sp_ledger_append(&ledger, &entry[i]), SP_OK);
    for (double epsilon = 0.05; epsilon < 1.3; epsilon += 0.15) {
        double order[2] = { 0.0 }, delta[SP_BOUNDS];
        sp_bound_kind best;
        sp_bounds bounds;
        for (size_t second = 0; second < 2; second++)
            for (size_t k = 0; k < 3; k++)
                order[second] += mass[k] * hockey_stick(q, mu, second, epsilon - 2.0 * e * (1.0 - (double)k));
        const double most = fmax(order[0], order[1]);
        if (fabs(order[0] - order[1]) > 0.01 * most)
            worse[order[1] > order[0]]++;
        CHECK_EQUAL(sp_account_deltas(&ledger, SP_ADD_REMOVE, epsilon, delta, &best, NULL), SP_OK);
        CHECK_LESS_EQUAL(most * (1.0 - 1e-6), delta[SP_BOUND_PLD]);
        CHECK_LESS_EQUAL(delta[SP_BOUND_PLD], most * (1.0 + 1e-3));
        for (size_t k = 0; k < SP_BOUNDS; k++)
            SP_CHECK_REPORT(!(delta[k] < most * (1.0 - 1e-6)), "epsilon = %g: the bound by %s is %.9g, below %.9g",
                            epsilon, sp_bound_name((sp_bound_kind)k), delta[k], most);
        CHECK_EQUAL(sp_account(&ledger, SP_ADD_REMOVE, most, &bounds, NULL), SP_OK);
        CHECK_LESS_EQUAL(epsilon * (1.0 - 1e-4), bounds.best);
    }
    CHECK(worse[0] > 0 && worse[1] > 0);
    sp_ledger_free(&ledger);
}

/* sup_A P(A) - e^epsilon Q(A) where one record is replaced by its opposite. */
static double opposed_stick(double q, double mu, double epsilon)
{
    double sum = 0.0;
    const double h = 1e-4;
    for (double x = -12.0 - mu + h / 2.0; x < 12.0 + mu; x += h)
        sum += h * fmax(0.0, (1.0 - q) * phi(x) + q * phi(x - mu) -
                                 exp(epsilon) * ((1.0 - q) * phi(x) + q * phi(x + mu)));
    return sum;
}

/* A run replaces a record, unless it says otherwise: so do its noise, what it has spent, and the accountant. */
static void replaces_records(void)
{
    enum { N = 30, D = 2, STEPS = 5 };
    const double w[D] = { 0.3, -0.2 };
    double multiplier, out[D];
    sp_bounds spent, replaced, moved;
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 5);
    OK(o, sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_poisson(0.2), .count = STEPS }, 1,
                       &multiplier));
    for (size_t t = 0; t < STEPS; t++) {
        sp_batch batch;
        OK(o, sp_draw(o, sp_poisson(0.2), &batch));
        CHECK_EQUAL(sp_batch_size(o, batch), 0.2 * N); /* announced, however many it holds */
        CHECK_NEAR(sp_sensitivity(o, &SP_AT(batch, w)), p.problem.declared.L_data / (0.2 * N), 1e-15);
        OK(o, sp_gradient(o, &SP_AT(batch, w), multiplier, out));
    }
    const sp_ledger *ledger = sp_oracle_ledger(o);
    CHECK_EQUAL(sp_account(ledger, SP_REPLACE_ONE, private_tight.delta, &replaced, NULL), SP_OK);
    CHECK_EQUAL(sp_account(ledger, SP_ADD_REMOVE, private_tight.delta, &moved, NULL), SP_OK);
    CHECK_EQUAL(sp_oracle_spent(o, &spent, NULL), SP_OK);
    CHECK_NEAR(spent.best, replaced.best, 1e-12);
    CHECK_LESS_EQUAL(replaced.best, private_tight.epsilon * (1.0 + 1e-9));
    CHECK_LESS_EQUAL(0.99 * private_tight.epsilon, replaced.best);
    CHECK_LESS_EQUAL(moved.best, 0.9 * replaced.best);
    sp_oracle_free(o);
    private_problem_free(&p);

    sp_ledger one = { 0 };
    const sp_entry entry = { .kind = SP_LEDGER_POISSON, .noise_multiplier = 1.3, .rate = 0.15, .count = 1 };
    CHECK_EQUAL(sp_ledger_append(&one, &entry), SP_OK);
    for (double epsilon = 0.1; epsilon < 1.0; epsilon += 0.2) {
        const double least = opposed_stick(0.15, 1.0 / 1.3, epsilon);
        double delta[SP_BOUNDS];
        sp_bound_kind best;
        CHECK_EQUAL(sp_account_deltas(&one, SP_REPLACE_ONE, epsilon, delta, &best, NULL), SP_OK);
        CHECK_LESS_EQUAL(least * (1.0 - 1e-6), delta[best]);
        CHECK_LESS_EQUAL(delta[SP_BOUND_PLD], least * (1.0 + 1e-3));
    }
    sp_ledger_free(&one);
}

/* --- every block of a tree ----------------------------------------------------------------------------------- */

/* The dyadic blocks that are noised in T steps, their ends at most T; without Honaker those at even places alone. Of a
 * full batch an add weighs keep^(end - t) at a block's end. */
static double blocks_mu2(size_t steps, double keep, bool honaker)
{
    double mu2 = 0.0;
    for (size_t length = 1; length <= steps; length *= 2)
        for (size_t end = length; end <= steps; end += length) {
            double weight = 0.0;
            for (size_t t = end - length + 1; t <= end; t++)
                weight += pow(keep, (double)(end - t));
            if (honaker || end / length % 2 == 1)
                mu2 += weight * weight;
        }
    return mu2;
}

static void charges_every_block(void)
{
    enum { N = 12, D = 2, STEPS = 11 };
    static const sp_accumulator_noise noises[] = { SP_NOISE_TREE, SP_NOISE_HONAKER };
    const double w[D] = { 0.3, -0.2 }, noise_std = 0.85;
    double out[D];
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    for (size_t honaker = 0; honaker < 2; honaker++)
        for (double keep = 0.6; keep < 1.2; keep += 0.2) {
            sp_transcript *transcript = sp_transcript_new();
            sp_oracle_options options = private_options(&p, private_paper, 3);
            sp_oracle *o = NULL;
            sp_accumulator *a;
            double unit = 0.0;
            options.transcript = transcript;
            sp_transcript_record(transcript);
            CHECK_EQUAL(sp_oracle_new(&options, &o, NULL), SP_OK);
            OK(o, sp_accumulator_open(o, noises[honaker], &(sp_accumulator_plan){ .adds = STEPS }, &a));
            for (size_t t = 1; t <= STEPS; t++) {
                const sp_query query = SP_AT(((sp_batch){ 0 }), w);
                double mu2 = 0.0;
                unit = sp_sensitivity(o, &query) / noise_std;
                OK(o, sp_accumulator_add(a, keep, &query));
                OK(o, sp_accumulator_release(a, noise_std, out));
                const sp_ledger *ledger = sp_oracle_ledger(o);
                for (size_t i = 0; i < ledger->count; i++)
                    mu2 += (double)ledger->entry[i].count / gsl_pow_2(ledger->entry[i].noise_multiplier);
                CHECK_NEAR(mu2 / (unit * unit), blocks_mu2(t, keep, honaker), 1e-9 * mu2 / (unit * unit));
            }
            CHECK_NEAR(sp_node_cost(noises[honaker], STEPS, 1, keep), blocks_mu2(STEPS, keep, honaker), 1e-9);
            for (size_t i = 0; i < sp_transcript_count(transcript); i++) /* each block has noise of its own */
                for (size_t k = 0; k < i; k++) {
                    const sp_event *one = sp_transcript_at(transcript, i), *other = sp_transcript_at(transcript, k);
                    CHECK(fabs(one->answer[0] - one->raw[0] - other->answer[0] + other->raw[0]) > 1e-9);
                }
            sp_oracle_free(o);
            sp_transcript_free(transcript);
        }
    private_problem_free(&p);
}

/* --- Hessians on Poisson samples ------------------------------------------------------------------------------- */

/* The multiplier is relative to one record's part, the Hessian's norm / (rate n), in ledger, transcript and numbers; on
 * other batches to the Frobenius sensitivity. The variance of 1,200 diagonal entries to the 1e-6 quantile, 20 %. */
static void noises_hessians(void)
{
    enum { N = 40, D = 3, RUNS = 400 };
    const double w[D] = { 0.3, -0.2, 0.1 }, multiplier = 5.5, rate = 0.25;
    double H[D * D];
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    p.problem.declared.hessian_norm *= 1.7; /* neither half nor all of the Frobenius bound */
    for (size_t poisson = 0; poisson < 2; poisson++) {
        const double unit = poisson ? p.problem.declared.hessian_norm / (rate * N)
                                    : p.problem.declared.hessian_frobenius / N;
        double square = 0.0;
        for (size_t mirrored = 0; mirrored < 2; mirrored++) {
            sp_transcript *transcript = sp_transcript_new();
            sp_oracle *o = NULL;
            sp_oracle_options options = private_options(&p, private_paper, 4 + poisson);
            options.transcript = transcript;
            sp_transcript_record(transcript);
            CHECK_EQUAL(sp_oracle_new(&options, &o, NULL), SP_OK);
            for (size_t t = 0; t < RUNS / 2; t++) {
                sp_batch batch = { 0 };
                OK(o, sp_draw(o, poisson ? sp_poisson(rate) : sp_full(), &batch));
                OK(o, (mirrored ? sp_hessian_mirrored : sp_hessian)(o, batch, w, multiplier, H));
                const sp_event *event = sp_transcript_at(transcript, t);
                CHECK_NEAR(event->noise_std, multiplier * unit, 1e-12 * multiplier * unit);
                for (size_t j = 0; j < D; j++)
                    square += gsl_pow_2((H[j * D + j] - event->raw[j * D + j]) / (multiplier * unit));
            }
            const sp_entry *entry = &sp_oracle_ledger(o)->entry[0];
            CHECK_EQUAL(entry->kind, poisson ? SP_LEDGER_POISSON : SP_LEDGER_GAUSS);
            CHECK(entry->noise_multiplier == multiplier && entry->count == RUNS / 2);
            CHECK_NEAR(entry->sensitivity_high, unit, 1e-14);
            CHECK_NEAR(entry->sensitivity_low, unit, 1e-14);
            sp_oracle_free(o);
            sp_transcript_free(transcript);
        }
        CHECK_NEAR(square / (RUNS * D), 1.0, 4.9 * sqrt(2.0 / (RUNS * D)));
    }
    private_problem_free(&p);
}

int main(void)
{
    gsl_set_error_handler_off();
    counts_failures();
    takes_the_worse_order();
    replaces_records();
    charges_every_block();
    noises_hessians();
    return sp_check_done();
}
