/* books.c -- from ledger entries to the distinct payers of bill.h: sort, sum, drop doubles. */
#include "core/accountant/bill.h"

#include "core/base/memory.h"
#include "core/accountant/rdp.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>

/* Subsets of a fixed size have no theorem where records come and go; all other kinds have one under both. */
static bool has_theorem(const sp_entry *entry, sp_neighbours neighbours)
{
    return entry->kind != SP_LEDGER_GAUSS_WOR || neighbours == SP_REPLACE_ONE;
}

static sp_status check_entries(const sp_ledger *ledger, sp_neighbours neighbours, sp_error *error)
{
    for (size_t i = 0; i < ledger->count; i++) {
        const sp_status status = sp_entry_check(&ledger->entry[i], error);
        if (status != SP_OK)
            return status;
        if (!has_theorem(&ledger->entry[i], neighbours))
            return sp_entry_refuse(&ledger->entry[i], SP_EPRIVACY,
                                   neighbours == SP_REPLACE_ONE
                                       ? "no accountant has a theorem for this entry under replace_one neighbours"
                                       : "no accountant has a theorem for this entry under add_remove neighbours",
                                   error);
    }
    return SP_OK;
}

bool sp_entry_noisy(const sp_entry *e)
{
    return e->kind == SP_LEDGER_GAUSS || e->kind == SP_LEDGER_GAUSS_WOR || e->kind == SP_LEDGER_POISSON ||
           e->kind == SP_LEDGER_TREE || e->kind == SP_LEDGER_SELECT;
}

static bool sampled(const sp_entry *e)
{
    return (e->kind == SP_LEDGER_GAUSS_WOR || e->kind == SP_LEDGER_POISSON) && e->rate < 1.0;
}

bool sp_item_curved(const sp_item *i)
{
    return sampled(&i->entry) || i->entry.kind == SP_LEDGER_SELECT;
}

/* mu^2 of one release of an unsampled Gaussian. Poisson noise is relative to the per-record bound. */
static double mu2_of(const sp_entry *e, sp_neighbours neighbours)
{
    const double nodes = e->kind == SP_LEDGER_TREE ? sp_tree_levels(e->steps) : 1.0;
    const double twice = e->kind == SP_LEDGER_POISSON && neighbours == SP_REPLACE_ONE ? 2.0 : 1.0;
    return nodes * gsl_pow_2(twice / e->noise_multiplier);
}

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

/* What joined releases must have in common. */
static int compare_kinds(const sp_item *a, const sp_item *b)
{
    int order = compare_numbers(a->entry.kind, b->entry.kind);
    if (order == 0)
        order = compare_numbers(a->scaled, b->scaled);
    if (order == 0 && a->entry.kind == SP_LEDGER_SELECT)
        order = compare_numbers(a->entry.mean, b->entry.mean);
    if (order == 0 && a->entry.kind == SP_LEDGER_SELECT)
        order = compare_numbers(a->entry.shape, b->entry.shape);
    if (order == 0 && a->entry.kind == SP_LEDGER_RANDOMISED_RESPONSE)
        order = compare_numbers((double)a->entry.choices, (double)b->entry.choices);
    if (order == 0 && a->entry.kind == SP_LEDGER_TREE)
        order = compare_numbers((double)a->entry.steps, (double)b->entry.steps);
    return order;
}

static int compare_releases(const sp_item *a, const sp_item *b)
{
    int order = compare_kinds(a, b);
    if (order == 0 && sp_entry_noisy(&a->entry))
        order = compare_numbers(a->entry.noise_multiplier, b->entry.noise_multiplier);
    if (order == 0 && sampled(&a->entry))
        order = compare_numbers(a->entry.rate, b->entry.rate);
    if (order == 0 && !sp_entry_noisy(&a->entry))
        order = compare_numbers(a->entry.epsilon, b->entry.epsilon);
    if (order == 0 && a->entry.kind == SP_LEDGER_APPROX)
        order = compare_numbers(a->entry.delta, b->entry.delta);
    return order;
}

static int compare_classes(const void *left, const void *right)
{
    const sp_item *a = left, *b = right;
    int order = compare_kinds(a, b);
    for (size_t k = 0; k < 2 && order == 0; k++)
        order = (a->class[k] > b->class[k]) - (a->class[k] < b->class[k]);
    return order;
}

static int compare_items(const void *left, const void *right)
{
    const sp_item *a = left, *b = right;
    return a->entry.pool != b->entry.pool ? (a->entry.pool > b->entry.pool) - (a->entry.pool < b->entry.pool)
                                          : compare_releases(a, b);
}

static int compare_others(const sp_payer *a, const sp_payer *b)
{
    if (a->others != b->others)
        return a->others > b->others ? 1 : -1;
    for (size_t i = 0; i < a->others; i++) {
        int order = compare_releases(&a->other[i], &b->other[i]);
        if (order == 0)
            order = compare_numbers(a->other[i].count, b->other[i].count);
        if (order != 0)
            return order;
    }
    return 0;
}

static int compare_payers(const void *left, const void *right)
{
    const sp_payer *a = left, *b = right;
    int order = compare_others(a, b);
    if (order == 0)
        order = compare_numbers(a->mu2[SP_SCALED], b->mu2[SP_SCALED]);
    return order != 0 ? order : compare_numbers(a->mu2[SP_FIXED], b->mu2[SP_FIXED]);
}

static void classify(sp_item *i, double width)
{
    const sp_entry *e = &i->entry;
    i->class[0] = (long)floor(log(sp_entry_noisy(e) ? e->noise_multiplier : e->epsilon) / width);
    i->class[1] = sampled(e) ? (long)floor(log(e->rate) / width)
                             : e->kind == SP_LEDGER_APPROX ? (long)floor(log(e->delta) / width) : 0;
}

/* Joins releases until few are left: a class costs what its most expensive member does. */
static size_t join_classes(sp_item *items, size_t count)
{
    for (double width = 1.0 / 4096.0; count > SP_CLASSES && width <= 8.0; width *= 2.0) {
        size_t kept = 0;
        for (size_t i = 0; i < count; i++)
            classify(&items[i], width);
        qsort(items, count, sizeof *items, compare_classes);
        for (size_t i = 0; i < count; i++) {
            const sp_item *new = &items[i];
            if (kept == 0 || compare_classes(&items[kept - 1], new) != 0) {
                items[kept++] = *new;
                continue;
            }
            sp_item *to = &items[kept - 1];
            to->count += new->count;
            to->entry.noise_multiplier = fmin(to->entry.noise_multiplier, new->entry.noise_multiplier);
            to->entry.rate = fmax(to->entry.rate, new->entry.rate);
            to->entry.epsilon = fmax(to->entry.epsilon, new->entry.epsilon);
            to->entry.delta = fmax(to->entry.delta, new->entry.delta);
        }
        count = kept;
    }
    return count;
}

/* The items of one payer, sorted: unsampled Gaussians go into mu^2, equal others are joined in place. */
static sp_payer sum_up(sp_item *items, size_t count, sp_neighbours neighbours)
{
    sp_payer p = { .other = items };
    for (size_t i = 0; i < count; i++) {
        const sp_item *new = &items[i];
        if (sp_entry_noisy(&new->entry) && !sp_item_curved(new)) {
            p.mu2[new->scaled] += new->count * mu2_of(&new->entry, neighbours);
        } else if (p.others > 0 && compare_releases(&items[p.others - 1], new) == 0) {
            items[p.others - 1].count += new->count;
        } else {
            items[p.others++] = *new;
        }
    }
    p.others = join_classes(items, p.others);
    return p;
}

/* A filter knows of no amplification: under one all entries are those of releases on all records. */
static void add_items(const sp_ledger *ledger, int scaled, sp_filter filter, sp_item *items, size_t *count)
{
    for (size_t i = 0; i < ledger->count; i++) {
        const sp_entry *e = &ledger->entry[i];
        sp_item *item = &items[(*count)++];
        *item = (sp_item){ .entry = *e,
                           .count = (double)e->count,
                           .scaled = sp_entry_noisy(e) ? scaled : SP_FIXED };
        if (filter != SP_FILTER_NONE && sampled(e))
            item->entry.rate = 1.0;
    }
}

static sp_filter filter_of(const sp_ledger *fixed, const sp_ledger *scaled)
{
    const sp_filter a = sp_ledger_filter(fixed), b = sp_ledger_filter(scaled);
    return a == b || b == SP_FILTER_NONE ? a : a == SP_FILTER_NONE ? b : SP_FILTER_ZCDP;
}

void sp_books_close(sp_books *b)
{
    free(b->items);
    free(b->payers);
    free(b->bounds);
}

sp_status sp_books_open(const sp_ledger *fixed, const sp_ledger *scaled, sp_neighbours neighbours, sp_books *b,
                            sp_error *error)
{
    sp_status status = SP_OK;
    size_t count = 0, capacity = 0;
    SP_TRY(check_entries(fixed, neighbours, error));
    SP_TRY(check_entries(scaled, neighbours, error));
    capacity = fixed->count + scaled->count;
    b->items = sp_alloc(capacity, sizeof *b->items);
    b->payers = sp_alloc(capacity + 1, sizeof *b->payers);
    b->bounds = sp_alloc(capacity + 1, sizeof *b->bounds);
    b->neighbours = neighbours;
    b->filter = filter_of(fixed, scaled);
    if (!b->items || !b->payers || !b->bounds)
        SP_TRY(sp_fail(error, SP_ENOMEM, "accountant: out of memory for %zu entries", capacity));
    add_items(fixed, SP_FIXED, b->filter, b->items, &count);
    add_items(scaled, SP_SCALED, b->filter, b->items, &count);
    qsort(b->items, count, sizeof *b->items, compare_items);
    b->count = 1;
    for (size_t first = 0, next; first < count; first = next) {
        const size_t pool = b->items[first].entry.pool;
        for (next = first + 1; next < count && b->items[next].entry.pool == pool;)
            next++;
        b->payers[pool == 0 ? 0 : b->count++] = sum_up(b->items + first, next - first, neighbours);
    }
    if (b->count > 1) {
        sp_payer *pools = b->payers + 1;
        size_t kept = 0;
        qsort(pools, b->count - 1, sizeof *pools, compare_payers);
        for (size_t i = 0; i + 1 < b->count; i++) {
            const sp_payer *previous = kept > 0 ? &pools[kept - 1] : NULL;
            const bool replaces = previous && compare_others(previous, &pools[i]) == 0 &&
                                  previous->mu2[SP_SCALED] == pools[i].mu2[SP_SCALED];
            pools[replaces ? kept - 1 : kept++] = pools[i];
        }
        b->count = kept + 1;
    }
cleanup:
    return status;
}
