/* sampling.c -- which records a batch holds. All of it from the secret sampling stream.
 *
 * A subset is the head of a permutation after m steps of the Fisher-Yates shuffle: uniform whatever the permutation
 * was before, hence independent of all earlier subsets. Fresh batches are consecutive blocks of one shuffled
 * permutation; each is a pool of its own. */
#include "core/privacy/oracle_internal.h"

#include "core/base/memory.h"

enum { FRESH_BIT = 1 };

static sp_status identity(sp_oracle *o, sp_drawn *drawn)
{
    const size_t n = sp_records(o);
    if (drawn->permutation)
        return SP_OK;
    drawn->permutation = sp_alloc(n, sizeof *drawn->permutation);
    if (!drawn->permutation)
        return sp_refuse(o, SP_ENOMEM, "sp_draw: out of memory for a permutation of %zu records", n);
    for (size_t i = 0; i < n; i++)
        drawn->permutation[i] = (uint32_t)i;
    return SP_OK;
}

/* The first m places become a uniform choice, in uniform order. */
static void shuffle(gsl_rng *stream, uint32_t *permutation, size_t n, size_t m)
{
    for (size_t i = 0; i < m && i + 1 < n; i++) {
        const size_t j = i + gsl_rng_uniform_int(stream, n - i);
        const uint32_t moved = permutation[i];
        permutation[i] = permutation[j];
        permutation[j] = moved;
    }
}

static sp_status draw_subset(sp_oracle *o, size_t m, sp_batch *out)
{
    sp_drawn *drawn = &o->subset;
    sp_status status = identity(o, drawn);
    if (status != SP_OK)
        return status;
    shuffle(o->sampling, drawn->permutation, sp_records(o), m);
    drawn->m = m;
    drawn->released = false;
    out->id = 2 * ++drawn->serial;
    return SP_OK;
}

static sp_status draw_fresh(sp_oracle *o, size_t m, sp_batch *out)
{
    const size_t n = sp_records(o);
    sp_drawn *drawn = &o->fresh;
    sp_status status = SP_OK;
    if (m > n - o->drained)
        return sp_refuse(o, SP_EDRAINED, "sp_draw: %zu fresh records asked for, %zu of %zu are unused", m,
                         n - o->drained, n);
    SP_TRY(identity(o, drawn));
    SP_TRY(sp_charge_reserve_pools(o, o->pools + 1));
    if (o->drained == 0)
        shuffle(o->sampling, drawn->permutation, n, n);
    drawn->first = o->drained;
    drawn->m = m;
    drawn->released = false;
    o->drained += m;
    o->pools++;
    out->id = 2 * ++drawn->serial | FRESH_BIT;
cleanup:
    return status;
}

sp_status sp_draw(sp_oracle *o, sp_sample sample, sp_batch *out)
{
    const size_t n = sp_records(o);
    if (sample.kind == SP_SAMPLE_FULL) {
        out->id = 0;
        return SP_OK;
    }
    if (sample.kind != SP_SAMPLE_SUBSET && sample.kind != SP_SAMPLE_FRESH)
        return sp_refuse(o, SP_EUNSUPPORTED, "sp_draw: passes and Poisson samples are not built in yet");
    if (sample.m == 0 || sample.m > n)
        return sp_refuse(o, SP_EINVAL, "sp_draw: m = %zu must be in [1, %zu]", sample.m, n);
    if (sample.kind == SP_SAMPLE_FRESH)
        return draw_fresh(o, sample.m, out);
    if (sample.m < n)
        return draw_subset(o, sample.m, out);
    out->id = 0;
    return SP_OK;
}

/* Whose handle it is, if it is still the current one. */
static const sp_drawn *current(const sp_oracle *o, sp_batch batch)
{
    const sp_drawn *drawn = batch.id & FRESH_BIT ? &o->fresh : &o->subset;
    return batch.id / 2 == drawn->serial && drawn->serial > 0 ? drawn : NULL;
}

size_t sp_batch_size(const sp_oracle *o, sp_batch batch)
{
    const sp_drawn *drawn = current(o, batch);
    return batch.id == 0 ? sp_records(o) : drawn ? drawn->m : 0;
}

sp_status sp_batch_resolve(sp_oracle *o, sp_batch batch, sp_part *part)
{
    const size_t n = sp_records(o);
    if (batch.id == 0) {
        *part = (sp_part){ .m = n, .entry = { .kind = SP_LEDGER_GAUSS, .count = 1 } };
        return SP_OK;
    }
    if (!current(o, batch))
        return sp_refuse(o, SP_EINVAL, "batch %zu is no longer valid: another one of its kind was drawn", batch.id);
    const bool fresh = batch.id & FRESH_BIT;
    sp_drawn *drawn = fresh ? &o->fresh : &o->subset;
    part->rows = (sp_rows){ drawn->permutation + drawn->first, drawn->m };
    part->m = drawn->m;
    part->drawn = drawn;
    part->entry = fresh ? (sp_entry){ .kind = SP_LEDGER_GAUSS, .count = 1, .pool = o->pools }
                        : (sp_entry){ .kind = SP_LEDGER_GAUSS_WOR, .rate = (double)drawn->m / (double)n, .count = 1 };
    return SP_OK;
}
