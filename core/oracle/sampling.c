/* sampling.c -- draws batches: chooses which records a batch contains. All randomness is from the secret sampling
 * stream.
 *
 *   subset   the first m places of a permutation after m steps of the Fisher-Yates shuffle. It is uniform whatever the
 *            permutation was before, hence independent of all earlier subsets
 *   fresh    consecutive blocks of one shuffled permutation; each is a pool of its own (nesting.c)
 *   pass     walks through a permutation block by block; the last block of an epoch contains what is left over
 *   poisson  each record independently with probability rate. The gaps between records are geometric,
 *            P(gap > g) = (1 - rate)^g, so a draw costs the size of the sample and not n. The real size is secret; the
 *            announced size is rate n
 *
 * If the data is stored as moments (core/data/moments.h: counts, no records), there are only full and fresh batches.
 * The records in a batch are independent of their content, so the batch's counts are hypergeometric given those of all
 * records, and the next batch's given what is left. Overlapping subsets would have such counts too, but their joint
 * distribution depends on single records, which are not stored. The same holds for the batches of an oracle and of its
 * child on the same records, or of two such children: only one of them can have any. */
#include "core/oracle/oracle_internal.h"

#include "core/numeric/math.h"
#include "core/base/memory.h"
#include "core/numeric/philox_words.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>

static sp_status identity(sp_oracle *o, sp_drawn *drawn)
{
    const size_t n = sp_records(o);
    if (drawn->index)
        return SP_OK;
    drawn->index = sp_alloc(n, sizeof *drawn->index);
    if (!drawn->index)
        return sp_refuse(o, SP_ENOMEM, "sp_draw: out of memory for a permutation of %zu records", n);
    for (size_t i = 0; i < n; i++)
        drawn->index[i] = (uint32_t)i;
    return SP_OK;
}

static inline void swap(uint32_t *v, size_t i, size_t j)
{
    const uint32_t moved = v[i];
    v[i] = v[j];
    v[j] = moved;
}

/* The first m places become a uniform choice, in uniform order. Place i is exchanged for i + sp_philox_words_below(n -
 * i): of the words that are there, in a loop that calls nothing, up to one that may have to be drawn anew. */
static void shuffle(gsl_rng *stream, uint32_t *permutation, size_t n, size_t m)
{
    const size_t end = m < n ? m : n - 1;
    sp_philox_words words;
    sp_philox_words_open(&words, stream);
    for (size_t i = 0; i < end; i++) {
        const uint64_t *word = words.word + SP_WORDS - words.left;
        const size_t stop = end - i < words.left ? end : i + words.left, first = i;
        for (; i < stop; i++, word++) {
            const uint64_t product = (uint32_t)*word * (uint64_t)(n - i);
            if ((uint32_t)product < n - i)
                break;
            swap(permutation, i, i + (product >> 32));
        }
        words.left -= i - first;
        if (i < end)
            swap(permutation, i, i + sp_philox_words_below(&words, (uint32_t)(n - i)));
    }
}

static void new_batch(sp_drawn *drawn, sp_sample_kind kind, size_t first, size_t count, double m, sp_batch *out)
{
    drawn->first = first;
    drawn->count = count;
    drawn->m = m;
    drawn->released = false;
    out->id = SP_SAMPLE_KINDS * ++drawn->serial + kind;
}

static sp_status draw_subset(sp_oracle *o, sp_drawn *drawn, size_t m, sp_batch *out)
{
    sp_status status = identity(o, drawn);
    if (status != SP_OK)
        return status;
    shuffle(o->sampling, drawn->index, sp_records(o), m);
    new_batch(drawn, SP_SAMPLE_SUBSET, 0, m, (double)m, out);
    drawn->rate = (double)m / (double)sp_records(o);
    return SP_OK;
}

sp_status sp_records_check_single(sp_oracle *o, const char *what)
{
    if (!o->problem->train->moments)
        return SP_OK;
    return sp_refuse(o, SP_EUNSUPPORTED, "%s: storage = \"moments\" has full batches and fresh ones, and no records by "
                     "themselves: take all of them (batch = n), or storage = \"dense\"", what);
}

/* The nearest oracle, from this one up, that has records of its own: a child on a pool, or the run's. */
static sp_oracle *owner_of(sp_oracle *o)
{
    while (o->parent && o->nesting.pool == 0)
        o = o->parent;
    return o;
}

static sp_status draw_moments(sp_oracle *o, size_t m)
{
    sp_status status = SP_OK;
    sp_drawn_moments *drawn = &o->moments;
    sp_oracle *owner = owner_of(o);
    if (owner->moments.divider && owner->moments.divider != o)
        return sp_refuse(o, SP_EUNSUPPORTED,
                         "sp_draw: fresh batches of records that another stage has divided into its "
                         "own: storage = \"moments\" divides them once: give each stage records of its own (budget = "
                         "\"disjoint\"), or take storage = \"dense\"");
    if (!drawn->left.moments)
        SP_TRY(sp_moments_like(o->problem->train, &drawn->left, &o->error));
    if (!drawn->batch.moments)
        SP_TRY(sp_moments_like(o->problem->train, &drawn->batch, &o->error));
    SP_TRY(sp_moments_draw(&drawn->left, m, o->sampling, &drawn->batch, &o->error));
    owner->moments.divider = o;
    drawn->problem = sp_problem_on(o->problem, &drawn->batch);
cleanup:
    return status;
}

static sp_status draw_fresh(sp_oracle *o, sp_drawn *drawn, size_t m, sp_batch *out)
{
    const size_t n = sp_records(o);
    sp_status status = SP_OK;
    if (m > n - o->drained)
        return sp_refuse(o, SP_EDRAINED, "sp_draw: %zu fresh records asked for, %zu of %zu are unused", m,
                         n - o->drained, n);
    const bool moments = o->problem->train->moments;
    if (!moments || o->transcript)
        SP_TRY(identity(o, drawn));
    SP_TRY(sp_charge_reserve_pools(o, o->pools + 1));
    if (moments)
        SP_TRY(draw_moments(o, m));
    else if (o->drained == 0)
        shuffle(o->sampling, drawn->index, n, n);
    new_batch(drawn, SP_SAMPLE_FRESH, o->drained, m, (double)m, out);
    o->drained += m;
    drawn->pool = ++o->pools;
    if (!o->nesting.pools_of)
        o->nesting.pools_of = o;
cleanup:
    return status;
}

size_t sp_pass_blocks(size_t n, size_t m)
{
    return n / m + (n % m > 0);
}

sp_status sp_pass_check(sp_oracle *o, const sp_sample *sample)
{
    const sp_passes *p = &o->passes;
    if (p->m > 0 && (p->m != sample->m || p->reshuffle != sample->reshuffle))
        return sp_refuse(o, SP_EUNSUPPORTED, "sp_pass: one kind of pass an oracle; blocks of %zu (%s) came before %zu "
                         "(%s)", p->m, p->reshuffle ? "reshuffled" : "fixed", sample->m,
                         sample->reshuffle ? "reshuffled" : "fixed");
    return SP_OK;
}

static sp_status draw_pass(sp_oracle *o, sp_drawn *drawn, const sp_sample *sample, sp_batch *out)
{
    const size_t n = sp_records(o);
    sp_passes *p = &o->passes;
    sp_status status = SP_OK;
    SP_TRY(sp_pass_check(o, sample));
    SP_TRY(identity(o, drawn));
    if (o->charged && !p->mu2 && !(p->mu2 = sp_alloc_doubles(n)))
        SP_TRY(sp_refuse(o, SP_ENOMEM, "sp_draw: out of memory for the charges of %zu records", n));
    if (p->m == 0) {
        p->m = sample->m;
        p->blocks = sp_pass_blocks(n, sample->m);
        p->reshuffle = sample->reshuffle;
    }
    const size_t block = p->drawn % p->blocks, first = block * p->m;
    if (block == 0 && (p->reshuffle || p->drawn == 0))
        shuffle(o->sampling, drawn->index, n, n);
    const size_t count = GSL_MIN(p->m, n - first);
    new_batch(drawn, SP_SAMPLE_PASS, first, count, (double)count, out);
    p->drawn++;
cleanup:
    return status;
}

enum { GAPS = SP_WORDS / 2 };

/* floor(log u / survival), u a multiple of 2^-53 on (0, 1]: how many records come before the next one of the sample. */
static inline void gaps(const uint64_t *restrict word, double survival, double *restrict out)
{
    for (size_t k = 0; k < GAPS; k += SP_PHILOX_LANES) {
        const uint64_t *high = word + 2 * k, *low = high + SP_PHILOX_LANES;
#pragma omp simd
        for (size_t i = 0; i < SP_PHILOX_LANES; i++) {
            double exponent;
            const double fraction = sp_fraction(sp_philox_uniform(high[i], low[i]) + 0x1p-53, &exponent);
            out[k + i] = floor(sp_log_parts(exponent, fraction - 1.0, 0.0) / survival);
        }
    }
}
SP_KERNEL(void, gaps, (const uint64_t *word, double survival, double *out), gaps(word, survival, out))

/* The records of a Poisson sample; how many. */
static size_t thin(gsl_rng *stream, double rate, size_t n, uint32_t *records)
{
    const gaps_kernel kernel = gaps_pick();
    const double survival = sp_log1p(-rate);
    double gap[GAPS], next = 0.0;
    size_t count = 0;
    sp_philox_words words;
    sp_philox_words_open(&words, stream);
    for (;;) {
        sp_philox_words_fill(&words);
        kernel(words.word, survival, gap);
        for (size_t i = 0; i < GAPS; i++, next += 1.0) {
            next += gap[i];
            if (!(next < (double)n))
                return count;
            records[count++] = (uint32_t)next;
        }
    }
}

static sp_status draw_poisson(sp_oracle *o, sp_drawn *drawn, double rate, sp_batch *out)
{
    const size_t n = sp_records(o);
    sp_status status = identity(o, drawn);
    if (status != SP_OK)
        return status;
    new_batch(drawn, SP_SAMPLE_POISSON, 0, thin(o->sampling, rate, n, drawn->index), rate * (double)n, out);
    drawn->rate = rate;
    return SP_OK;
}

sp_status sp_draw(sp_oracle *o, sp_sample sample, sp_batch *out)
{
    const size_t n = sp_records(o);
    const bool sampled = (sample.kind == SP_SAMPLE_SUBSET && sample.m < n) ||
                         (sample.kind == SP_SAMPLE_POISSON && sample.rate < 1.0);
    if ((unsigned)sample.kind >= SP_SAMPLE_KINDS)
        return sp_refuse(o, SP_EINVAL, "sp_draw: there is no sample kind %d", (int)sample.kind);
    sp_drawn *drawn = &o->drawn[sample.kind];
    const sp_status within = sp_not_reentered(o);
    if (within != SP_OK)
        return within;
    if (sample.kind == SP_SAMPLE_POISSON && !(sample.rate > 0.0 && sample.rate <= 1.0))
        return sp_refuse(o, SP_EINVAL, "sp_draw: rate = %g must be in (0, 1]", sample.rate);
    if (sample.kind != SP_SAMPLE_FULL && sample.kind != SP_SAMPLE_POISSON && (sample.m == 0 || sample.m > n))
        return sp_refuse(o, SP_EINVAL, "sp_draw: the batch's m = %zu must be in [1, %zu], there being so many "
                         "records", sample.m, n);
    if (sampled && o->options.privacy.private && sp_oracle_root(o)->foreseen)
        return sp_refuse(o, SP_EPRIVACY, "sp_draw: sp_pass_cost has told of the coming permutations: what is drawn "
                         "from the same numbers is no secret sample");
    if (sampled || sample.kind == SP_SAMPLE_PASS) {
        const sp_status status = sp_records_check_single(o, sample.kind == SP_SAMPLE_PASS     ? "a pass"
                                                            : sample.kind == SP_SAMPLE_SUBSET ? "a subset"
                                                                                              : "a Poisson sample");
        if (status != SP_OK)
            return status;
    }
    const bool some = sampled || sample.kind == SP_SAMPLE_FRESH || sample.kind == SP_SAMPLE_PASS;
    const sp_status rehearsed = some ? sp_not_rehearsed(o) : SP_OK;
    if (rehearsed != SP_OK)
        return rehearsed;
    if (sample.kind == SP_SAMPLE_FRESH)
        return draw_fresh(o, drawn, sample.m, out);
    if (sample.kind == SP_SAMPLE_PASS)
        return draw_pass(o, drawn, &sample, out);
    if (sample.kind == SP_SAMPLE_SUBSET && sample.m < n)
        return draw_subset(o, drawn, sample.m, out);
    if (sample.kind == SP_SAMPLE_POISSON && sample.rate < 1.0)
        return draw_poisson(o, drawn, sample.rate, out);
    out->id = 0;
    return SP_OK;
}

/* The sample whose batch has this handle, if the handle is still valid. */
static const sp_drawn *current(const sp_oracle *o, sp_batch batch)
{
    const sp_drawn *drawn = &o->drawn[batch.id % SP_SAMPLE_KINDS];
    return batch.id / SP_SAMPLE_KINDS == drawn->serial && drawn->m > 0.0 ? drawn : NULL;
}

size_t sp_batch_size(const sp_oracle *o, sp_batch batch)
{
    const sp_drawn *drawn = current(o, batch);
    return batch.id == 0 ? sp_records(o) : drawn ? (size_t)fmax(round(drawn->m), 1.0) : 0;
}

sp_status sp_batch_resolve(sp_oracle *o, sp_batch batch, sp_resolved_batch *resolved)
{
    const sp_sample_kind kind = (sp_sample_kind)(batch.id % SP_SAMPLE_KINDS); /* of all records SP_SAMPLE_FULL */
    sp_drawn *drawn = batch.id == 0 ? NULL : &o->drawn[kind];
    const sp_status rehearsed = sp_not_rehearsed(o);
    if (rehearsed != SP_OK)
        return rehearsed;
    if (drawn && !current(o, batch))
        return sp_refuse(o, SP_EINVAL, "batch %zu is no longer valid: another one of its kind was drawn", batch.id);
    resolved->kind = kind;
    const bool summed = drawn && o->problem->train->moments;
    resolved->problem = summed ? &o->moments.problem : o->problem;
    resolved->listed = drawn && drawn->index ? (sp_rows){ drawn->index + drawn->first, drawn->count }
                                             : (sp_rows){ NULL, 0 };
    resolved->rows = summed ? (sp_rows){ NULL, 0 } : resolved->listed;
    resolved->m = drawn ? drawn->m : (double)sp_records(o);
    resolved->entry = sp_gauss_once;
    resolved->drawn = drawn;
    if (kind == SP_SAMPLE_FRESH)
        resolved->entry.pool = drawn->pool;
    if (kind == SP_SAMPLE_SUBSET || kind == SP_SAMPLE_POISSON) {
        resolved->entry.kind = kind == SP_SAMPLE_SUBSET ? SP_LEDGER_GAUSS_WOR : SP_LEDGER_POISSON;
        resolved->entry.rate = drawn->rate;
    }
    return SP_OK;
}

sp_status sp_batch_check(sp_oracle *o, const sp_resolved_batch *resolved)
{
    const bool sampled = resolved->kind == SP_SAMPLE_SUBSET || resolved->kind == SP_SAMPLE_POISSON;
    if (o->options.privacy.private && sampled && resolved->drawn->released)
        return sp_refuse(o, SP_EPRIVACY, "a subset of %g records was released twice: draw anew for each release",
                         resolved->m);
    return SP_OK;
}

/* --- what coming permutations cost ------------------------------------------------------------------------------- */

/* sum over the released nodes of a tree over `adds` steps of the square of a record's weight; at: its steps, rising. */
static double nodes_cost(sp_accumulator_noise noise, size_t adds, double keep, const uint32_t *at, size_t count)
{
    double cost = 0.0;
    for (size_t length = 1; length <= adds; length *= 2)
        for (size_t i = 0; i < count;) {
            const size_t index = (at[i] - 1) / length, end = (index + 1) * length;
            double weight = 0.0;
            for (; i < count && (at[i] - 1) / length == index; i++)
                weight += sp_pow(fabs(keep), (double)(end - at[i]));
            if (end <= adds && (noise == SP_NOISE_HONAKER || index % 2 == 0))
                cost += gsl_pow_2(weight);
        }
    return cost;
}

sp_status sp_pass_cost(sp_oracle *o, sp_accumulator_noise noise, size_t m, size_t adds, double keep, double *cost)
{
    sp_status status = SP_OK;
    const size_t n = sp_records(o);
    const sp_sample sample = sp_pass(m, true);
    uint32_t *order = NULL, *at = NULL;
    gsl_rng *stream = NULL;
    SP_TRY(sp_not_reentered(o));
    SP_TRY(sp_records_check_single(o, "a pass"));
    if (m == 0 || m > n || adds == 0 || adds > UINT32_MAX)
        return sp_refuse(o, SP_EINVAL, "sp_pass_cost: m = %zu must be in [1, %zu], adds = %zu at least 1", m, n, adds);
    if (noise != SP_NOISE_TREE && noise != SP_NOISE_HONAKER)
        return sp_refuse(o, SP_EUNSUPPORTED, "sp_pass_cost: the noise of a reshuffled pass is a tree's");
    SP_TRY(sp_pass_check(o, &sample));
    const size_t blocks = sp_pass_blocks(n, m), epochs = (adds + blocks - 1) / blocks;
    if (o->passes.drawn % blocks != 0)
        SP_TRY(sp_refuse(o, SP_EINVAL, "sp_pass_cost: %zu blocks of this epoch are drawn already",
                         o->passes.drawn % blocks));
    SP_TRY(sp_not_rehearsed(o));
    order = sp_alloc(n, sizeof *order);
    at = sp_alloc(n, epochs * sizeof *at); /* row: a record's steps */
    stream = gsl_rng_clone(o->sampling);
    if (!order || !at || !stream)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "sp_pass_cost: out of memory for %zu epochs of %zu records", epochs, n));
    for (size_t i = 0; i < n; i++) /* whatever the order is now: the dearest record is, by whatever name */
        order[i] = (uint32_t)i;
    for (size_t e = 0; e < epochs; e++) {
        shuffle(stream, order, n, n);
        for (size_t i = 0; i < n; i++)
            at[order[i] * epochs + e] = (uint32_t)(e * blocks + i / m + 1);
    }
    sp_oracle_root(o)->foreseen = true;
    *cost = 0.0;
    for (size_t i = 0; i < n; i++) /* a step beyond the last add is in no node */
        *cost = fmax(*cost, nodes_cost(noise, adds, keep, at + i * epochs, epochs));
cleanup:
    gsl_rng_free(stream);
    free(at);
    free(order);
    return status;
}
