/* nesting.c -- writes an entry of an oracle into the ledgers of all its parents, and decides which records pay for it
 * there.
 *
 * In one ledger, pools of different numbers have no record in common. A record pays the entries of pool 0, which all
 * records pay, and those of its own pool. Two cases need care.
 *
 * Pools inside a pool. A child on records of its own is one pool of its parent, and its fresh batches are parts of that
 * pool. Each part gets a number in the parent's ledger at its first release; the child's own number then stands
 * for the rest of its records. Example: the child is pool 2 of its parent, the largest number in use there. Releases
 * are given by the mu^2 that they cost:
 *
 *   the child releases                     the parent's ledger gets
 *   0.5 on its first fresh batch           0.5 in pool 3, a new number
 *   0.3 on all its records                 0.3 in pool 2 and 0.3 in pool 3
 *   0.4 on its second fresh batch          0.3 in pool 4, a new number that has missed it, and 0.4 in pool 4
 *
 * Its records have paid 0.8 (first batch), 0.7 (second) and 0.3 (the rest), in both ledgers.
 *
 * Pools that overlap. Two children on the same records each divide them into fresh batches in their own way. These are
 * two families of pools, and a record is in one pool of each. The first family has numbers in the parent's ledger. For
 * a Gaussian release of the other family all records pay the amount by which it raises the largest mu^2 in the family;
 * no record's own total is more. For any other release all records pay in full:
 *
 *   the second child releases              its batches have paid      the parent's ledger gets
 *   0.5 on its first fresh batch           0.5                        0.5 on all records
 *   0.2 on its second one                  0.5, 0.2                   nothing
 *   0.4 on the second one again            0.5, 0.6                   0.1 on all records */
#include "core/oracle/charge.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>

void sp_nesting_free(sp_nesting *nesting)
{
    free(nesting->own_pools.mu2);
    free(nesting->all_pools.mu2);
    free(nesting->number);
    sp_ledger_free(&nesting->on_all);
}

static sp_status reserve_family(sp_family *family, size_t pool)
{
    if (pool < family->capacity)
        return SP_OK;
    const size_t capacity = 2 * pool + 16;
    double *mu2 = realloc(family->mu2, capacity * sizeof *mu2);
    if (!mu2)
        return SP_ENOMEM;
    for (size_t i = family->capacity; i < capacity; i++)
        mu2[i] = 0.0;
    family->mu2 = mu2;
    family->capacity = capacity;
    return SP_OK;
}

/* The entry as all records pay for it; false when the family's worst does not rise. */
static bool spread(sp_family *family, sp_entry *entry)
{
    double *pool = &family->mu2[entry->pool];
    entry->pool = 0;
    if (!sp_entry_gaussian(entry))
        return true;
    *pool += sp_entry_mu2(entry);
    const double rise = *pool - family->worst;
    if (!(rise > 0.0))
        return false;
    family->worst = *pool;
    const size_t filter = entry->filter;
    *entry = sp_gauss_of(rise, 0);
    entry->filter = filter;
    return isfinite(entry->noise_multiplier);
}

static void post(sp_oracle *o, sp_entry *entry);

static void post_as(sp_oracle *parent, const sp_entry *entry, size_t pool)
{
    sp_entry copy = *entry;
    copy.pool = pool;
    post(parent, &copy);
}

/* Of an oracle on records of its own, whose fresh batches have numbers in its parent's ledger: what is on all its
 * records is on each of them, and on the rest of its records. */
static void post_parts(sp_oracle *o, const sp_entry *entry)
{
    sp_oracle *parent = o->parent;
    if (entry->pool > 0) {
        size_t *number = &o->nesting.number[entry->pool];
        if (*number == 0) {
            *number = ++parent->pools;
            o->nesting.numbered++;
            for (size_t i = 0; i < o->nesting.on_all.count; i++)
                post_as(parent, &o->nesting.on_all.entry[i], *number);
        }
        post_as(parent, entry, *number);
        return;
    }
    sp_ledger_append(&o->nesting.on_all, entry);
    post_as(parent, entry, o->nesting.pool);
    for (size_t i = 0; i < o->nesting.room; i++)
        if (o->nesting.number[i] > 0)
            post_as(parent, entry, o->nesting.number[i]);
}

/* Into this ledger and those above, where it may become another one; room is reserved, and the entry was checked. */
static void post(sp_oracle *o, sp_entry *entry)
{
    sp_oracle *parent = o->parent;
    sp_ledger_append(&o->ledger, entry);
    if (!parent || o->nesting.repeated)
        return;
    if (o->nesting.pool > 0 && parent->nesting.pools_of == parent) {
        post_parts(o, entry);
        return;
    }
    if (o->nesting.pool > 0) {
        if (entry->pool > 0 && !spread(&o->nesting.all_pools, entry))
            return;
        entry->pool = o->nesting.pool;
        if (!spread(&parent->nesting.own_pools, entry))
            return;
    } else if (entry->pool > 0) {
        if (!parent->nesting.pools_of)
            parent->nesting.pools_of = o;
        if (parent->nesting.pools_of != o && !spread(&o->nesting.all_pools, entry))
            return;
    }
    post(parent, entry);
}

void sp_nesting_post(sp_oracle *o, sp_entry *entry)
{
    if (entry->pool == 0 || o->nesting.pools_of == o || spread(&o->nesting.own_pools, entry))
        post(o, entry);
}

/* For numbers of pools up to `pool` of an oracle on records of its own, `entries` of them new. */
static sp_status reserve_numbers(sp_oracle *o, size_t pool, size_t entries)
{
    if (pool >= o->nesting.room) {
        const size_t grown = 2 * pool + 16;
        size_t *number = realloc(o->nesting.number, grown * sizeof *number);
        if (!number)
            return SP_ENOMEM;
        for (size_t i = o->nesting.room; i < grown; i++)
            number[i] = 0;
        o->nesting.number = number;
        o->nesting.room = grown;
    }
    const sp_status status = sp_ledger_reserve(&o->nesting.on_all, entries);
    return status == SP_OK ? sp_charge_reserve_pools(o->parent, o->parent->pools + entries) : status;
}

/* How many entries of the parent's ledger these may become. */
static size_t copies(const sp_oracle *o, size_t entries)
{
    return entries * (1 + GSL_MAX(o->nesting.on_all.count, o->nesting.numbered) + entries);
}

sp_status sp_nesting_reserve(sp_oracle *o, const sp_entry *entry, size_t entries)
{
    sp_status status = SP_OK;
    size_t pool = 0, many = entries;
    for (size_t i = 0; i < entries; i++)
        pool = GSL_MAX(pool, entry[i].pool);
    for (sp_oracle *a = o; a && status == SP_OK; a = a->nesting.repeated ? NULL : a->parent) {
        status = sp_ledger_reserve(&a->ledger, many);
        if (status == SP_OK && a->nesting.pools_of != a)
            status = reserve_family(&a->nesting.own_pools, pool);
        if (status == SP_OK && a->parent)
            status = reserve_family(&a->nesting.all_pools, pool);
        if (status == SP_OK && a->nesting.pool > 0) {
            status = reserve_numbers(a, pool, many);
            many = copies(a, many);
            pool = GSL_MAX(pool, a->parent->pools + many);
        }
    }
    return status == SP_OK ? SP_OK
                           : sp_refuse(o, status, "ledger: out of memory after %zu entries", o->ledger.count);
}
