/* grouped_ledger.c -- turns ledger entries into the groups of composition.h: sorts them by pool and kind, counts equal
 * ones together, joins similar ones where there are too many, and keeps one of the pools that pay the same. */
#include "core/accountant/composition.h"

#include "core/accountant/rdp.h"
#include "core/base/memory.h"

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

bool sp_release_needs_curve(const sp_repeated_release *r)
{
    return sampled(&r->entry) || r->entry.kind == SP_LEDGER_SELECT;
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
static int compare_kinds(const sp_repeated_release *a, const sp_repeated_release *b)
{
    int order = compare_numbers(a->entry.kind, b->entry.kind);
    if (order == 0)
        order = compare_numbers(a->scaled, b->scaled);
    if (order == 0 && a->entry.kind == SP_LEDGER_SELECT)
        order = compare_numbers(a->entry.mean, b->entry.mean);
    if (order == 0 && a->entry.kind == SP_LEDGER_SELECT)
        order = compare_numbers(a->entry.shape, b->entry.shape);
    if (order == 0 && a->entry.kind == SP_LEDGER_SELECT)
        order = compare_numbers((double)a->entry.cap, (double)b->entry.cap);
    if (order == 0 && a->entry.kind == SP_LEDGER_RANDOMISED_RESPONSE)
        order = compare_numbers((double)a->entry.choices, (double)b->entry.choices);
    if (order == 0 && a->entry.kind == SP_LEDGER_TREE)
        order = compare_numbers((double)a->entry.steps, (double)b->entry.steps);
    return order;
}

static int compare_releases(const sp_repeated_release *a, const sp_repeated_release *b)
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

static int compare_buckets(const void *left, const void *right)
{
    const sp_repeated_release *a = left, *b = right;
    int order = compare_kinds(a, b);
    for (size_t k = 0; k < 2 && order == 0; k++)
        order = (a->bucket[k] > b->bucket[k]) - (a->bucket[k] < b->bucket[k]);
    return order;
}

static int compare_entries(const void *left, const void *right)
{
    const sp_repeated_release *a = left, *b = right;
    return a->entry.pool != b->entry.pool ? (a->entry.pool > b->entry.pool) - (a->entry.pool < b->entry.pool)
                                          : compare_releases(a, b);
}

static int compare_distinct(const sp_release_group *a, const sp_release_group *b)
{
    if (a->distinct != b->distinct)
        return a->distinct > b->distinct ? 1 : -1;
    for (size_t i = 0; i < a->distinct; i++) {
        int order = compare_releases(&a->release[i], &b->release[i]);
        if (order == 0)
            order = compare_numbers(a->release[i].count, b->release[i].count);
        if (order != 0)
            return order;
    }
    return 0;
}

static int compare_groups(const void *left, const void *right)
{
    const sp_release_group *a = left, *b = right;
    int order = compare_distinct(a, b);
    if (order == 0)
        order = compare_numbers(a->mu2[SP_SCALED], b->mu2[SP_SCALED]);
    return order != 0 ? order : compare_numbers(a->mu2[SP_FIXED], b->mu2[SP_FIXED]);
}

static void find_bucket(sp_repeated_release *r, double width)
{
    const sp_entry *e = &r->entry;
    r->bucket[0] = (long)floor(log(sp_entry_noisy(e) ? e->noise_multiplier : e->epsilon) / width);
    r->bucket[1] = sampled(e) ? (long)floor(log(e->rate) / width)
                             : e->kind == SP_LEDGER_APPROX ? (long)floor(log(e->delta) / width) : 0;
}

/* Joins the releases of a bucket, in wider and wider buckets, until few are left: all of a join then count as what the
 * most expensive of them would be. */
static size_t join_similar(sp_repeated_release *releases, size_t count)
{
    for (double width = 1.0 / 4096.0; count > SP_RELEASES_MAX && width <= 8.0; width *= 2.0) {
        size_t kept = 0;
        for (size_t i = 0; i < count; i++)
            find_bucket(&releases[i], width);
        qsort(releases, count, sizeof *releases, compare_buckets);
        for (size_t i = 0; i < count; i++) {
            const sp_repeated_release *new = &releases[i];
            if (kept == 0 || compare_buckets(&releases[kept - 1], new) != 0) {
                releases[kept++] = *new;
                continue;
            }
            sp_repeated_release *to = &releases[kept - 1];
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

/* Under a filter what a release costs is its epsilon, or epsilon^2 under zCDP, and costs add up: any number of a kind
 * is exactly so many, in fractions, of the dearest. */
static size_t join_filtered(sp_repeated_release *releases, size_t count, sp_filter filter)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const sp_repeated_release *new = &releases[i];
        if (kept == 0 || compare_kinds(&releases[kept - 1], new) != 0 || sp_release_needs_curve(new) ||
            new->entry.kind == SP_LEDGER_APPROX) {
            releases[kept++] = *new;
            continue;
        }
        sp_repeated_release *to = &releases[kept - 1];
        const double ratio = to->entry.epsilon / new->entry.epsilon; /* sorted: at most 1 */
        to->count = to->count * (filter == SP_FILTER_ZCDP ? ratio * ratio : ratio) + new->count;
        to->entry.epsilon = new->entry.epsilon;
    }
    return kept;
}

/* One group from its releases, sorted: unsampled Gaussians go into mu^2, equal others are counted together in place. */
static sp_release_group sum_up(sp_repeated_release *releases, size_t count, sp_neighbours neighbours, sp_filter filter)
{
    sp_release_group group = { .release = releases };
    for (size_t i = 0; i < count; i++) {
        const sp_repeated_release *new = &releases[i];
        if (sp_entry_noisy(&new->entry) && !sp_release_needs_curve(new)) {
            group.mu2[new->scaled] += new->count * mu2_of(&new->entry, neighbours);
        } else if (group.distinct > 0 && compare_releases(&releases[group.distinct - 1], new) == 0) {
            releases[group.distinct - 1].count += new->count;
        } else {
            releases[group.distinct++] = *new;
        }
    }
    if (filter != SP_FILTER_NONE && group.distinct > SP_RELEASES_MAX)
        group.distinct = join_filtered(releases, group.distinct, filter);
    group.distinct = join_similar(releases, group.distinct);
    return group;
}

/* A filter knows of no amplification: under one all entries are those of releases on all records. */
static void add_releases(const sp_ledger *ledger, int scaled, sp_filter filter, sp_repeated_release *releases,
                         size_t *count)
{
    for (size_t i = 0; i < ledger->count; i++) {
        const sp_entry *e = &ledger->entry[i];
        sp_repeated_release *release = &releases[(*count)++];
        *release = (sp_repeated_release){ .entry = *e, .count = (double)e->count,
                                          .scaled = sp_entry_noisy(e) ? scaled : SP_FIXED };
        if (filter != SP_FILTER_NONE && sampled(e))
            release->entry.rate = 1.0;
    }
}

static sp_filter filter_of(const sp_ledger *fixed, const sp_ledger *scaled)
{
    const sp_filter a = sp_ledger_filter(fixed), b = sp_ledger_filter(scaled);
    return a == b || b == SP_FILTER_NONE ? a : a == SP_FILTER_NONE ? b : SP_FILTER_ZCDP;
}

void sp_grouped_close(sp_grouped_ledger *g)
{
    free(g->releases);
    free(g->groups);
    free(g->bounds);
}

sp_status sp_grouped_open(const sp_ledger *fixed, const sp_ledger *scaled, sp_neighbours neighbours,
                          sp_grouped_ledger *g, sp_error *error)
{
    sp_status status = SP_OK;
    size_t count = 0, capacity = 0;
    SP_TRY(check_entries(fixed, neighbours, error));
    SP_TRY(check_entries(scaled, neighbours, error));
    capacity = fixed->count + scaled->count;
    g->releases = sp_alloc(capacity, sizeof *g->releases);
    g->groups = sp_alloc(capacity + 1, sizeof *g->groups);
    g->bounds = sp_alloc(capacity + 1, sizeof *g->bounds);
    g->neighbours = neighbours;
    g->filter = filter_of(fixed, scaled);
    if (!g->releases || !g->groups || !g->bounds)
        SP_TRY(sp_fail(error, SP_ENOMEM, "accountant: out of memory for %zu entries", capacity));
    add_releases(fixed, SP_FIXED, g->filter, g->releases, &count);
    add_releases(scaled, SP_SCALED, g->filter, g->releases, &count);
    qsort(g->releases, count, sizeof *g->releases, compare_entries);
    g->count = 1;
    for (size_t first = 0, next; first < count; first = next) {
        const size_t pool = g->releases[first].entry.pool;
        for (next = first + 1; next < count && g->releases[next].entry.pool == pool;)
            next++;
        g->groups[pool == 0 ? 0 : g->count++] = sum_up(g->releases + first, next - first, neighbours,
                                                        g->filter);
    }
    if (g->count > 1) {
        sp_release_group *pools = g->groups + 1;
        size_t kept = 0;
        qsort(pools, g->count - 1, sizeof *pools, compare_groups);
        for (size_t i = 0; i + 1 < g->count; i++) {
            const sp_release_group *previous = kept > 0 ? &pools[kept - 1] : NULL;
            const bool replaces = previous && compare_distinct(previous, &pools[i]) == 0 &&
                                  previous->mu2[SP_SCALED] == pools[i].mu2[SP_SCALED];
            pools[replaces ? kept - 1 : kept++] = pools[i];
        }
        g->count = kept + 1;
    }
cleanup:
    return status;
}
