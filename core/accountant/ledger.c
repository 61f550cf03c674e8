/* ledger.c -- the list of releases, run-length encoded.
 *
 * The accountant does not depend on the order of entries. So an append may be added to the count of any recent equal
 * entry, not only the last one: an algorithm that alternates between two kinds of release still writes two entries. */
#include "core/accountant/ledger.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_BACK = 4 };

enum { MULTIPLIER = 1, RATE = 2, EPSILON = 4, DELTA = 8, MEAN = 16, SHAPE = 32, STEPS = 64, CHOICES = 128, CAP = 256 };

static const char *const filter_names[SP_FILTERS] = { "none", "zcdp", "gauss", "basic" };

/* In the order of the bits above, then what every kind has. */
const sp_entry_field sp_entry_fields[SP_ENTRY_FIELDS] = {
    { "noise_multiplier", offsetof(sp_entry, noise_multiplier), false, NULL },
    { "rate", offsetof(sp_entry, rate), false, NULL },
    { "epsilon", offsetof(sp_entry, epsilon), false, NULL },
    { "delta", offsetof(sp_entry, delta), false, NULL },
    { "mean", offsetof(sp_entry, mean), false, NULL },
    { "shape", offsetof(sp_entry, shape), false, NULL },
    { "steps", offsetof(sp_entry, steps), true, NULL },
    { "choices", offsetof(sp_entry, choices), true, NULL },
    { "cap", offsetof(sp_entry, cap), true, NULL },
    { "count", offsetof(sp_entry, count), true, NULL },
    { "pool", offsetof(sp_entry, pool), true, NULL },
    { "sensitivity_low", offsetof(sp_entry, sensitivity_low), false, NULL },
    { "sensitivity_high", offsetof(sp_entry, sensitivity_high), false, NULL },
    { "filter", offsetof(sp_entry, filter), true, filter_names },
};
enum { COUNT_FIELD = 9 };

static const struct {
    const char *name;
    unsigned fields, optional;
} kinds[SP_LEDGER_KINDS] = {
    [SP_LEDGER_GAUSS] = { "gauss", MULTIPLIER },
    [SP_LEDGER_GAUSS_WOR] = { "gauss_wor", MULTIPLIER | RATE },
    [SP_LEDGER_POISSON] = { "poisson", MULTIPLIER | RATE },
    [SP_LEDGER_EM] = { "em", EPSILON },
    [SP_LEDGER_RNM_LAPLACE] = { "rnm_laplace", EPSILON },
    [SP_LEDGER_LAPLACE] = { "laplace", EPSILON },
    [SP_LEDGER_SVT] = { "svt", EPSILON },
    [SP_LEDGER_PURE] = { "pure", EPSILON },
    [SP_LEDGER_APPROX] = { "approx", EPSILON | DELTA },
    [SP_LEDGER_RANDOMISED_RESPONSE] = { "randomised_response", EPSILON | CHOICES, CHOICES },
    [SP_LEDGER_TREE] = { "tree", MULTIPLIER | STEPS },
    [SP_LEDGER_SELECT] = { "select", MULTIPLIER | MEAN | SHAPE | CAP, CAP },
};

const char *sp_ledger_kind_name(sp_ledger_kind kind)
{
    return (size_t)kind < SP_LEDGER_KINDS ? kinds[kind].name : "unknown";
}

sp_field_use sp_entry_field_use(sp_ledger_kind kind, size_t field)
{
    if (field >= COUNT_FIELD)
        return SP_FIELD_OPTIONAL;
    const unsigned bit = 1u << field;
    if ((size_t)kind >= SP_LEDGER_KINDS || !(kinds[kind].fields & bit))
        return SP_FIELD_UNUSED;
    return kinds[kind].optional & bit ? SP_FIELD_OPTIONAL : SP_FIELD_REQUIRED;
}

/* An optional number that is 0 is left out. */
static void print(const sp_entry *entry, const char *first, const char *next, sp_text *out)
{
    const char *separator = first;
    sp_text_append(out, "%s", sp_ledger_kind_name(entry->kind));
    for (size_t i = 0; i < SP_ENTRY_FIELDS; i++) {
        const sp_entry_field *field = &sp_entry_fields[i];
        const void *at = (const char *)entry + field->offset;
        const sp_field_use use = sp_entry_field_use(entry->kind, i);
        char number[SP_NUMBER_SIZE];
        const bool zero = field->whole ? *(const size_t *)at == 0 : *(const double *)at == 0.0;
        if (use == SP_FIELD_UNUSED || (use == SP_FIELD_OPTIONAL && i != COUNT_FIELD && zero))
            continue;
        if (field->names)
            sp_text_append(out, "%s%s=%s", separator, field->key,
                           *(const size_t *)at < SP_FILTERS ? field->names[*(const size_t *)at] : "unknown");
        else if (field->whole)
            sp_text_append(out, "%s%s=%zu", separator, field->key, *(const size_t *)at);
        else
            sp_text_append(out, "%s%s=%s", separator, field->key, sp_number(*(const double *)at, number));
        separator = next;
    }
}

void sp_entry_print(const sp_entry *entry, sp_text *out)
{
    print(entry, ":", ",", out);
}

void sp_ledger_print(const sp_ledger *ledger, sp_text *out)
{
    for (size_t i = 0; i < ledger->count; i++) {
        print(&ledger->entry[i], " ", " ", out);
        sp_text_append(out, "\n");
    }
}

sp_status sp_entry_refuse(const sp_entry *entry, sp_status status, const char *why, sp_error *error)
{
    sp_text text = { 0 };
    sp_entry_print(entry, &text);
    sp_fail(error, status, "%s: %s", text.failed ? sp_ledger_kind_name(entry->kind) : text.data, why);
    sp_text_free(&text);
    return status;
}

sp_status sp_entry_check(const sp_entry *entry, sp_error *error)
{
    const char *why = NULL;
    if ((size_t)entry->kind >= SP_LEDGER_KINDS)
        return sp_fail(error, SP_EINVAL, "ledger entry of unknown kind %d", (int)entry->kind);
    const unsigned fields = kinds[entry->kind].fields;
    if ((fields & MULTIPLIER) && !(entry->noise_multiplier > 0.0 && isfinite(entry->noise_multiplier)))
        why = "noise_multiplier must be > 0 and finite";
    else if ((fields & RATE) && !(entry->rate > 0.0 && entry->rate <= 1.0))
        why = "rate must be in (0, 1]";
    else if ((fields & EPSILON) && !(entry->epsilon > 0.0 && isfinite(entry->epsilon)))
        why = "epsilon must be > 0 and finite";
    else if ((fields & DELTA) && !(entry->delta > 0.0 && entry->delta < 1.0))
        why = "delta must be in (0, 1)";
    else if ((fields & MEAN) && !(entry->mean > 0.0 && isfinite(entry->mean)))
        why = "mean must be > 0 and finite";
    else if ((fields & SHAPE) && !(entry->shape > -1.0))
        why = "shape must be > -1 (inf for Poisson)";
    else if ((fields & SHAPE) && isfinite(entry->shape) && !(entry->mean > 1.0))
        why = "mean must be > 1 unless shape=inf: a truncated negative binomial number of runs is at least 1";
    else if ((fields & STEPS) && entry->steps == 0)
        why = "steps must be >= 1";
    else if ((fields & CHOICES) && entry->choices == 1)
        why = "choices must be >= 2";
    else if (!(entry->sensitivity_low >= 0.0 && entry->sensitivity_low <= entry->sensitivity_high &&
               isfinite(entry->sensitivity_high)))
        why = "sensitivity_low and sensitivity_high must be finite, and 0 <= low <= high";
    else if (entry->count == 0)
        why = "count must be >= 1";
    else if (entry->filter >= SP_FILTERS)
        why = "there is no such filter";
    else if (entry->filter != SP_FILTER_NONE && (entry->kind == SP_LEDGER_APPROX || entry->kind == SP_LEDGER_SELECT))
        why = "no filter counts such an entry";
    return why ? sp_entry_refuse(entry, SP_EINVAL, why, error) : SP_OK;
}

/* Equal apart from count and sensitivity; fields that the kind does not use do not matter. */
static bool same(const sp_entry *a, const sp_entry *b)
{
    const unsigned fields = kinds[a->kind].fields;
    return a->kind == b->kind && a->pool == b->pool && a->filter == b->filter &&
           (!(fields & MULTIPLIER) || a->noise_multiplier == b->noise_multiplier) &&
           (!(fields & RATE) || a->rate == b->rate) && (!(fields & EPSILON) || a->epsilon == b->epsilon) &&
           (!(fields & DELTA) || a->delta == b->delta) && (!(fields & MEAN) || a->mean == b->mean) &&
           (!(fields & SHAPE) || a->shape == b->shape) && (!(fields & STEPS) || a->steps == b->steps) &&
           (!(fields & CHOICES) || a->choices == b->choices) && (!(fields & CAP) || a->cap == b->cap);
}

sp_status sp_ledger_reserve(sp_ledger *ledger, size_t entries)
{
    if (ledger->capacity - ledger->count >= entries)
        return SP_OK;
    if (entries > SIZE_MAX / (2 * sizeof *ledger->entry) - ledger->count)
        return SP_ENOMEM;
    const size_t needed = ledger->count + entries;
    const size_t capacity = needed > 2 * ledger->capacity ? needed : 2 * ledger->capacity;
    sp_entry *entry = realloc(ledger->entry, capacity * sizeof *entry);
    if (!entry)
        return SP_ENOMEM;
    ledger->entry = entry;
    ledger->capacity = capacity;
    return SP_OK;
}

sp_status sp_ledger_append(sp_ledger *ledger, const sp_entry *entry)
{
    sp_status status = sp_entry_check(entry, NULL);
    if (status != SP_OK)
        return status;
    for (size_t back = 1; back <= LOOK_BACK && back <= ledger->count; back++) {
        sp_entry *earlier = &ledger->entry[ledger->count - back];
        if (same(earlier, entry) && entry->count <= SIZE_MAX - earlier->count) {
            earlier->count += entry->count;
            if (entry->sensitivity_low < earlier->sensitivity_low)
                earlier->sensitivity_low = entry->sensitivity_low;
            if (entry->sensitivity_high > earlier->sensitivity_high)
                earlier->sensitivity_high = entry->sensitivity_high;
            return SP_OK;
        }
    }
    if ((status = sp_ledger_reserve(ledger, 1)) != SP_OK)
        return status;
    ledger->entry[ledger->count++] = *entry;
    if (entry->pool > ledger->pools)
        ledger->pools = entry->pool;
    return SP_OK;
}

void sp_ledger_clear(sp_ledger *ledger)
{
    ledger->count = 0;
    ledger->pools = 0;
}

sp_filter sp_ledger_filter(const sp_ledger *ledger)
{
    size_t filter = SP_FILTER_NONE;
    for (size_t i = 0; i < ledger->count; i++) {
        const size_t other = ledger->entry[i].filter;
        if (other != SP_FILTER_NONE)
            filter = filter == SP_FILTER_NONE || filter == other ? other : (size_t)SP_FILTER_ZCDP;
    }
    return (sp_filter)filter;
}

void sp_ledger_free(sp_ledger *ledger)
{
    free(ledger->entry);
    *ledger = (sp_ledger){ 0 };
}

sp_status sp_ledger_copy(const sp_ledger *from, sp_ledger *to)
{
    sp_ledger_clear(to);
    const sp_status status = sp_ledger_reserve(to, from->count);
    if (status != SP_OK)
        return status;
    if (from->count > 0)
        memcpy(to->entry, from->entry, from->count * sizeof *to->entry);
    to->count = from->count;
    to->pools = from->pools;
    return SP_OK;
}
