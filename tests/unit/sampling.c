/* sampling.c -- passes and Poisson samples: which records they hold, what they divide by, what they are charged.
 *
 * Statistical tests fix their seed; each allows the 1e-6 quantile. */
#include "core/oracle/sampling.c" /* the kernels of each set */

#include "tests/private_problem.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>

enum { N = 23 };

static double settle(const sp_oracle *o)
{
    sp_bounds bounds = { .best = NAN };
    sp_error error = { .text = "" };
    SP_CHECK_REPORT(sp_oracle_spent(o, &bounds, &error) == SP_OK, "%s", error.text);
    return bounds.best;
}

static double outer_mu2(const sp_oracle *o)
{
    const sp_ledger *ledger = sp_oracle_ledger(o);
    double mu2 = 0.0;
    for (size_t i = 0; i < ledger->count; i++) {
        CHECK_EQUAL(ledger->entry[i].pool, 0);
        CHECK_EQUAL(ledger->entry[i].kind, SP_LEDGER_GAUSS);
        mu2 += (double)ledger->entry[i].count / gsl_pow_2(ledger->entry[i].noise_multiplier);
    }
    return mu2;
}

/* Which of the unit records a batch holds, as bits, each with weight 1 / m; `count` of them. */
static unsigned long members(sp_oracle *o, const private_problem *p, sp_batch batch, double m, size_t *count)
{
    const size_t n = p->data.n;
    sp_workspace *space = sp_workspace_new(&p->problem);
    double answer[64], exact[64], centre[64];
    unsigned long bits = 0;
    *count = 0;
    for (size_t j = 0; j < n; j++)
        centre[j] = 1.0 / sqrt((double)n);
    OK(o, sp_gradient(o, &SP_AT(batch, centre), 0.0, answer));
    sp_public_query(&p->problem, space, 1, &(sp_term){ 1.0, centre }, exact);
    for (size_t j = 0; j < n; j++) {
        const double weight = (answer[j] - exact[j]) * m;
        CHECK(fabs(weight) < 1e-9 || fabs(weight - 1.0) < 1e-9);
        if (weight > 0.5) {
            bits |= 1ul << j;
            ++*count;
        }
    }
    sp_workspace_free(space);
    return bits;
}

/* Each record once an epoch; a fixed pass repeats its blocks, a reshuffled one does not. */
static void passes(void)
{
    private_problem p;
    private_problem_units(&p, N);
    for (int reshuffle = 0; reshuffle < 2; reshuffle++) {
        sp_oracle *o = private_oracle(&p, private_silent, 41);
        unsigned long block[3][5];
        sp_batch batch = { 0 };
        size_t count;
        for (size_t epoch = 0; epoch < 3; epoch++) {
            unsigned long seen = 0;
            for (size_t b = 0; b < 5; b++) {
                OK(o, sp_draw(o, sp_pass(5, reshuffle), &batch));
                CHECK_EQUAL(sp_batch_size(o, batch), b < 4 ? 5 : 3);
                block[epoch][b] = members(o, &p, batch, b < 4 ? 5.0 : 3.0, &count);
                CHECK_EQUAL(count, b < 4 ? 5 : 3);
                CHECK_EQUAL(seen & block[epoch][b], 0);
                seen |= block[epoch][b];
                CHECK_NEAR(sp_sensitivity(o, &SP_AT(batch, sp_start(o))),
                           2.0 * sp_public(o)->L_data / (b < 4 ? 5.0 : 3.0), 1e-15);
            }
            CHECK_EQUAL(seen, (1ul << N) - 1);
        }
        CHECK_EQUAL(memcmp(block[0], block[1], sizeof block[0]) == 0, !reshuffle);
        CHECK_EQUAL(memcmp(block[1], block[2], sizeof block[0]) == 0, !reshuffle);
        CHECK(block[0][0] != 31ul); /* shuffled */
        REFUSED(o, sp_draw(o, sp_pass(4, reshuffle), &batch), SP_EUNSUPPORTED, "one kind of pass");
        REFUSED(o, sp_draw(o, sp_pass(5, !reshuffle), &batch), SP_EUNSUPPORTED, "one kind of pass");
        sp_oracle_free(o);
    }
    private_problem_free(&p);
}

/* E epochs of equal releases cost E releases; a new permutation is uniform again. */
static void pass_charges(void)
{
    private_problem p;
    private_problem_units(&p, N);
    for (int reshuffle = 0; reshuffle < 2; reshuffle++) {
        sp_oracle *o = private_oracle(&p, private_tight, 42);
        sp_batch batch = { 0 };
        double out[N], s;
        const size_t count = 5 * 4 + 2; /* 4 epochs and two blocks: 5 releases for the records of those */
        const sp_release_plan plan = { .kind = SP_GRADIENT, .sample = sp_pass(5, reshuffle), .count = count };
        OK(o, sp_calibrate(o, &plan, 1, &s));
        CHECK_NEAR(s, sqrt(5.0) / sp_budget_of(o)->mu, 1e-8 * s);
        for (size_t t = 0; t < count; t++) {
            OK(o, sp_draw(o, sp_pass(5, reshuffle), &batch));
            OK(o, sp_gradient(o, &SP_AT(batch, sp_start(o)), s, out));
            CHECK_NEAR(outer_mu2(o), (double)(t / 5 + 1) / (s * s), 1e-12);
        }
        CHECK_EQUAL(sp_oracle_ledger(o)->count, 1); /* five equal entries */
        CHECK_NEAR(settle(o), 1.0, 1e-6);
        OK(o, sp_draw(o, sp_pass(5, reshuffle), &batch)); /* not announced; free for records that paid less */
        CHECK_EQUAL(sp_gradient(o, &SP_AT(batch, sp_start(o)), s, out), SP_OK);
        REFUSED(o, sp_gradient(o, &SP_AT(batch, sp_start(o)), s / 2.0, out), SP_EBUDGET, "of privacy.epsilon = 1");
        sp_oracle_free(o);
    }
    private_problem_free(&p);
}

/* Uneven releases: a record pays for its own blocks, all for the worst record (brute force over the realised blocks).
 * */
static void uneven_passes(void)
{
    private_problem p;
    private_problem_units(&p, N);
    for (int reshuffle = 0; reshuffle < 2; reshuffle++) {
        sp_oracle *o = private_oracle(&p, private_tight, 43), *bare = private_oracle(&p, private_silent, 43);
        double paid[N] = { 0 }, out[N], worst = 0.0;
        for (size_t t = 0; t < 17; t++) {
            sp_batch batch = { 0 }, same = { 0 };
            size_t count;
            const double s = 40.0 + 7.3 * (double)((t * 5) % 11);
            OK(o, sp_draw(o, sp_pass(5, reshuffle), &batch));
            OK(bare, sp_draw(bare, sp_pass(5, reshuffle), &same)); /* the same sampling stream */
            const unsigned long bits = members(bare, &p, same, (double)sp_batch_size(bare, same), &count);
            for (size_t twice = 0; twice < 1 + t % 2; twice++) {
                OK(o, sp_gradient(o, &SP_AT(batch, sp_start(o)), s, out));
                for (size_t j = 0; j < N; j++)
                    paid[j] += bits >> j & 1 ? 1.0 / (s * s) : 0.0;
            }
            for (size_t j = 0; j < N; j++)
                worst = fmax(worst, paid[j]);
            CHECK_NEAR(outer_mu2(o), worst, 1e-12);
        }
        sp_oracle_free(o);
        sp_oracle_free(bare);
    }
    private_problem_free(&p);
}

/* Sizes are binomial, every record is in with the same probability, neighbours in the order independently. */
static void poisson_law(void)
{
    enum { RUNS = 20000, CELLS = 13 };
    private_problem p;
    private_problem_units(&p, N);
    sp_oracle *o = private_oracle(&p, private_silent, 44);
    const double rate = 0.2385;
    double sizes[CELLS] = { 0 }, in[N] = { 0 }, both = 0.0, chi2 = 0.0, each = 0.0;
    for (size_t t = 0; t < RUNS; t++) {
        sp_batch batch = { 0 };
        size_t count;
        OK(o, sp_draw(o, sp_poisson(rate), &batch));
        CHECK_EQUAL(sp_batch_size(o, batch), 5); /* 5.4855: announced, whatever the real size */
        const unsigned long bits = members(o, &p, batch, rate * N, &count);
        sizes[count < CELLS - 1 ? count : CELLS - 1] += 1.0;
        for (size_t j = 0; j < N; j++)
            in[j] += (double)(bits >> j & 1);
        both += (double)(bits >> 3 & bits >> 4 & 1);
    }
    for (size_t k = 0; k < CELLS; k++) { /* P(size = k), tail in the last cell */
        double probability = 0.0;
        for (size_t j = k; j <= (k < CELLS - 1 ? k : N); j++)
            probability += exp(lgamma(N + 1.0) - lgamma((double)j + 1.0) - lgamma((double)(N - j) + 1.0) +
                               (double)j * log(rate) + (double)(N - j) * log1p(-rate));
        chi2 += gsl_pow_2(sizes[k] - RUNS * probability) / (RUNS * probability);
    }
    CHECK_LESS_EQUAL(chi2, gsl_cdf_chisq_Qinv(1e-6, CELLS - 1.0));
    for (size_t j = 0; j < N; j++)
        each += gsl_pow_2(in[j] - RUNS * rate) / (RUNS * rate * (1.0 - rate));
    CHECK_LESS_EQUAL(each, gsl_cdf_chisq_Qinv(1e-6, N));
    CHECK_NEAR(both / RUNS, rate * rate, 4.9 * rate / sqrt(RUNS));
    const sp_cost cost = sp_oracle_cost(o);
    CHECK_NEAR(cost.gradients, RUNS * rate * N, 1e-6 * RUNS); /* announced, too */
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Gaps are floor(log u / log(1 - rate)) of the uniform numbers of pairs of words, on every instruction set. */
static void poisson_gaps(void)
{
    static const gaps_kernel kernel[SP_ISAS] = { gaps_baseline, gaps_avx2, gaps_avx512 };
    static const double rates[] = { 0.2385, 1e-3, 1e-9, 0.999 };
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(48, "sampling test", 0, SP_STREAM_SAMPLING));
    sp_philox_words words;
    sp_philox_words_open(&words, stream);
    for (size_t t = 0; t < 400; t++) {
        const double survival = sp_log1p(-rates[t % 4]);
        double gap[GAPS], same[GAPS];
        sp_philox_words_fill(&words);
        if (t < 4) /* the ends: u = 2^-53 and u = 1 */
            for (size_t i = 0; i < SP_PHILOX_WORDS; i++)
                words.word[i] = i % 2 == 0 ? 0 : UINT32_MAX;
        gaps_baseline(words.word, survival, gap);
        for (size_t i = 0; i < GAPS; i++) {
            const uint64_t *high = words.word + i / 8 * 16 + i % 8;
            const long double u = ldexpl((long double)((high[0] << 32 | high[8]) >> 11) + 1.0L, -53);
            const long double exact = logl(u) / log1pl(-(long double)rates[t % 4]);
            CHECK(gap[i] >= 0.0 && gap[i] == floor(gap[i]));
            CHECK(exact >= (long double)gap[i] * (1.0L - 1e-15L));
            CHECK(exact <= ((long double)gap[i] + 1.0L) * (1.0L + 1e-15L));
        }
        for (sp_isa isa = SP_ISA_AVX2; isa < SP_ISAS; isa++) {
            if (!sp_isa_known(sp_isa_name(isa)))
                continue;
            kernel[isa](words.word, survival, same);
            CHECK(memcmp(gap, same, sizeof gap) == 0);
        }
    }
    gsl_rng_free(stream);
}

/* More records than one filling of words gives: counts over a long list, and how evenly they lie on it. */
static void long_lists(void)
{
    enum { RECORDS = 100003, RUNS = 40, PARTS = 50 };
    static uint32_t record[RECORDS];
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(49, "sampling test", 0, SP_STREAM_SAMPLING));
    const double rate = 0.0385;
    double all = 0.0, part[2][PARTS] = { { 0 } }, chi2[2] = { 0.0, 0.0 };
    for (size_t run = 0; run < RUNS; run++) {
        const size_t count = thin(stream, rate, RECORDS, record);
        all += (double)count;
        for (size_t i = 0; i < count; i++) {
            CHECK(i == 0 || record[i - 1] < record[i]);
            part[0][(uint64_t)record[i] * PARTS / RECORDS] += 1.0;
        }
        CHECK(record[count - 1] < RECORDS);
    }
    for (uint32_t i = 0; i < RECORDS; i++)
        record[i] = i;
    for (size_t run = 0; run < RUNS; run++) { /* whatever the permutation was before */
        shuffle(stream, record, RECORDS, 3851);
        for (size_t i = 0; i < 3851; i++)
            part[1][(uint64_t)record[i] * PARTS / RECORDS] += 1.0;
    }
    CHECK_NEAR(all, RUNS * RECORDS * rate, 4.9 * sqrt(RUNS * RECORDS * rate * (1.0 - rate)));
    for (size_t k = 0; k < 2; k++) {
        double drawn = 0.0;
        for (size_t i = 0; i < PARTS; i++)
            drawn += part[k][i];
        for (size_t i = 0; i < PARTS; i++) /* the variance of a part is that of a binomial, nearly */
            chi2[k] += gsl_pow_2(part[k][i] - drawn / PARTS) / (drawn / PARTS * (1.0 - rate));
        CHECK_LESS_EQUAL(chi2[k], gsl_cdf_chisq_Qinv(1e-6, PARTS - 1.0));
        CHECK_LESS_EQUAL(gsl_cdf_chisq_Pinv(1e-6, PARTS - 1.0), chi2[k]);
    }
    gsl_rng_free(stream);
}

/* All ordered choices of 3 of 5 are equally likely, given the permutation before. */
static void subset_law(void)
{
    enum { RUNS = 120000, CHOICES = 5 * 4 * 3 };
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(50, "sampling test", 0, SP_STREAM_SAMPLING));
    double seen[125] = { 0 }, chi2 = 0.0;
    size_t met = 0;
    for (size_t run = 0; run < RUNS; run++) {
        uint32_t record[5] = { 3, 0, 4, 2, 1 };
        shuffle(stream, record, 5, 3);
        seen[25 * record[0] + 5 * record[1] + record[2]] += 1.0;
    }
    for (size_t k = 0; k < 125; k++)
        if (seen[k] > 0.0) {
            met++;
            chi2 += gsl_pow_2(seen[k] - RUNS / CHOICES) / (RUNS / CHOICES);
        }
    CHECK_EQUAL(met, CHOICES);
    CHECK_LESS_EQUAL(chi2, gsl_cdf_chisq_Qinv(1e-6, CHOICES - 1.0));
    gsl_rng_free(stream);
}

/* Multiplier and sensitivity are per record, the mean is over rate n, the ledger says poisson. */
static void poisson_charges(void)
{
    enum { STEPS = 50 };
    private_problem p;
    private_problem_units(&p, N);
    sp_oracle *o = private_oracle(&p, private_tight, 45);
    sp_batch batch = { 0 }, second = { 0 };
    double out[N], s;
    OK(o, sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_poisson(0.1), .count = STEPS }, 1, &s));
    for (size_t t = 0; t < STEPS; t++) {
        OK(o, sp_draw(o, sp_poisson(0.1), &batch));
        CHECK_NEAR(sp_sensitivity(o, &SP_AT(batch, sp_start(o))), sp_public(o)->L_data / 2.3, 1e-15);
        OK(o, sp_gradient(o, &SP_AT(batch, sp_start(o)), s, out));
        REFUSED(o, sp_gradient(o, &SP_AT(batch, sp_start(o)), s, out), SP_EPRIVACY, "draw anew");
    }
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 1);
    CHECK_EQUAL(sp_oracle_ledger(o)->entry[0].kind, SP_LEDGER_POISSON);
    CHECK_EQUAL(sp_oracle_ledger(o)->entry[0].count, STEPS);
    CHECK(sp_oracle_ledger(o)->entry[0].rate == 0.1 && sp_oracle_ledger(o)->entry[0].noise_multiplier == s);
    CHECK_LESS_EQUAL(settle(o), 1.0);
    CHECK_NEAR(settle(o), 1.0, 2e-5);
    CHECK_EQUAL(sp_draw(o, sp_poisson(0.1), &batch), SP_OK);
    CHECK_EQUAL(sp_gradient(o, &SP_AT(batch, sp_start(o)), s, out), SP_EBUDGET);
    OK(o, sp_draw(o, sp_poisson(0.1), &second));
    CHECK_EQUAL(sp_gradient(o, &SP_AT(batch, sp_start(o)), s, out), SP_EINVAL);
    OK(o, sp_draw(o, sp_poisson(1.0), &second)); /* all records, each time */
    CHECK_EQUAL(second.id, 0);
    sp_oracle_free(o);

    /* the noise really is multiplier x bound / (rate n) */
    enum { RUNS = 4000 };
    o = private_oracle(&p, private_paper, 46);
    double squares = 0.0;
    for (size_t t = 0; t < RUNS; t++) { /* two equal points: the data part of the answer is all noise */
        const sp_query query = { .terms = 2, .bound = 0.7, .term = { { 1.0, sp_start(o) }, { -1.0, sp_start(o) } } };
        sp_query drawn = query;
        OK(o, sp_draw(o, sp_poisson(0.1), &drawn.batch));
        OK(o, sp_gradient(o, &drawn, 3.25, out));
        for (size_t j = 0; j < N; j++)
            squares += gsl_pow_2(out[j] / (3.25 * 0.7 / 2.3)) / (RUNS * N);
    }
    CHECK_NEAR(squares, 1.0, 4.9 * sqrt(2.0 / (RUNS * N)));
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* A fresh batch and a pass may hold the same record: it pays for both. */
static void pass_beside_fresh(void)
{
    private_problem p;
    private_problem_units(&p, N);
    sp_oracle *o = private_oracle(&p, private_tight, 47);
    const double mu = sp_budget_of(o)->mu;
    sp_batch batch = { 0 };
    double out[N];
    OK(o, sp_filter_by(o, SP_FILTER_GAUSS));
    OK(o, sp_draw(o, sp_fresh(4), &batch));
    OK(o, sp_gradient(o, &SP_AT(batch, sp_start(o)), 1.0 / (0.8 * mu), out));
    OK(o, sp_draw(o, sp_pass(4, true), &batch));
    REFUSED(o, sp_gradient(o, &SP_AT(batch, sp_start(o)), 1.0 / (0.61 * mu), out), SP_EBUDGET, "gauss");
    OK(o, sp_gradient(o, &SP_AT(batch, sp_start(o)), 1.0 / (0.59 * mu), out));
    CHECK_LESS_EQUAL(settle(o), 1.0);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* A shuffle is what its definition says, word by word; of a million places some take a word anew. */
static void shuffles(void)
{
    enum { MOST = 1000000 };
    static const size_t sizes[][2] = { { 1, 1 }, { 2, 1 }, { 2, 2 }, { 300, 128 }, { 300, 129 }, { 300, 299 },
                                       { 300, 300 }, { MOST, 300 }, { MOST, MOST } };
    uint32_t *shuffled = sp_alloc(MOST, sizeof *shuffled), *defined = sp_alloc(MOST, sizeof *defined);
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(51, "sampling test", 0, SP_STREAM_SAMPLING));
    for (size_t i = 0; i < MOST; i++)
        shuffled[i] = defined[i] = (uint32_t)i;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t n = sizes[s][0], m = sizes[s][1];
        gsl_rng *again = gsl_rng_clone(stream);
        sp_philox_words words;
        shuffle(stream, shuffled, n, m);
        sp_philox_words_open(&words, again);
        for (size_t i = 0; i < m && i + 1 < n; i++)
            swap(defined, i, i + sp_philox_words_below(&words, (uint32_t)(n - i)));
        CHECK(memcmp(shuffled, defined, MOST * sizeof *shuffled) == 0);
        CHECK(gsl_rng_get(stream) == gsl_rng_get(again));
        sp_stream_at(stream, s + 1);
        gsl_rng_free(again);
    }
    gsl_rng_free(stream);
    free(defined);
    free(shuffled);
}

int main(void)
{
    gsl_set_error_handler_off();
    passes();
    pass_charges();
    uneven_passes();
    poisson_law();
    poisson_gaps();
    long_lists();
    shuffles();
    subset_law();
    poisson_charges();
    pass_beside_fresh();
    return sp_check_done();
}
