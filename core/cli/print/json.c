/* json.c -- see json.h.
 *
 * The bracket. `high` is the smallest bound. `low` is what the unsampled Gaussians and trees of the composition cost by
 * themselves, which is known exactly: more releases never cost less. */
#include "core/cli/print/json.h"

#include "core/accountant/filter.h"

#include <math.h>

/* Bytes of the character of UTF-8 that begins here (RFC 3629); 0: none does. */
static size_t utf8_length(const unsigned char *c)
{
    static const struct { unsigned char first, last, low, high; size_t length; } range[] = {
        { 0x01, 0x7f, 0, 0, 1 },       { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
        { 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
        { 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
    };
    for (size_t i = 0; i < sizeof range / sizeof *range; i++) {
        if (*c < range[i].first || *c > range[i].last)
            continue;
        if (range[i].length > 1 && (c[1] < range[i].low || c[1] > range[i].high))
            return 0;
        for (size_t k = 2; k < range[i].length; k++)
            if (c[k] < 0x80 || c[k] > 0xbf)
                return 0;
        return range[i].length;
    }
    return 0;
}

void sp_json_string(const char *string, sp_text *out)
{
    if (!string) {
        sp_text_add_text(out, "null");
        return;
    }
    sp_text_add_text(out, "\"");
    for (const unsigned char *c = (const unsigned char *)string; *c;) {
        const size_t length = utf8_length(c);
        if (*c == '"' || *c == '\\')
            sp_text_append(out, "\\%c", *c);
        else if (*c < 0x20 || length == 0)
            sp_text_append(out, "\\u%04x", length == 0 ? 0xfffdU : *c);
        else
            sp_text_add(out, (const char *)c, length);
        c += length == 0 ? 1 : length;
    }
    sp_text_add_text(out, "\"");
}

void sp_json_number(double value, sp_text *out)
{
    char digits[SP_NUMBER_SIZE];
    sp_text_append(out, isnan(value) ? "null" : isinf(value) ? "\"%s\"" : "%s", sp_number(value, digits));
}

static bool sampled(const sp_entry *e)
{
    return (e->kind == SP_LEDGER_GAUSS_WOR || e->kind == SP_LEDGER_POISSON) && e->rate < 1.0;
}

static bool gaussian(const sp_entry *e)
{
    return e->kind == SP_LEDGER_GAUSS || e->kind == SP_LEDGER_GAUSS_WOR || e->kind == SP_LEDGER_POISSON ||
           e->kind == SP_LEDGER_TREE;
}

/* All keys in every mechanism, those that its kind does not have as null. */
static void print_mechanism(const sp_entry *e, sp_neighbours neighbours, sp_text *out)
{
    const bool poisson = e->kind == SP_LEDGER_POISSON;
    sp_text_append(out, "{ \"kind\": \"%s\", \"noise\": \"%s\", \"sampling\": \"%s\", \"noise_relative_to\": \"%s\"",
                   sp_ledger_kind_name(e->kind),
                   gaussian(e) ? "gaussian" : e->kind == SP_LEDGER_LAPLACE ? "laplace" : "other",
                   !sampled(e) ? "none" : poisson ? "poisson" : "fixed_size",
                   poisson || neighbours == SP_ADD_REMOVE ? "one_record" : "replaced_record");
    for (size_t i = 0; i < SP_ENTRY_FIELDS; i++) {
        const sp_entry_field *field = &sp_entry_fields[i];
        const void *at = (const char *)e + field->offset;
        sp_text_append(out, ", \"%s\": ", field->key);
        if (sp_entry_field_use(e->kind, i) == SP_FIELD_UNUSED)
            sp_json_string(NULL, out);
        else if (field->names)
            sp_json_string(field->names[*(const size_t *)at], out);
        else if (field->whole)
            sp_text_append(out, "%zu", *(const size_t *)at);
        else
            sp_json_number(*(const double *)at, out);
    }
    sp_text_append(out, " }");
}

/* The cost of the unsampled Gaussians alone, by their exact bound; 0 without any. */
static sp_status floor_of(const sp_ledger *ledger, sp_neighbours neighbours, double delta, double *low, sp_error *error)
{
    sp_status status = SP_OK;
    sp_ledger plain = { 0 };
    sp_bounds bounds;
    for (size_t i = 0; i < ledger->count; i++) {
        sp_entry entry = ledger->entry[i];
        entry.filter = SP_FILTER_NONE;
        if (gaussian(&entry) && !sampled(&entry) && (status = sp_ledger_append(&plain, &entry)) != SP_OK)
            SP_TRY(sp_fail(error, status, "out of memory for %zu entries", ledger->count));
    }
    SP_TRY(sp_account(&plain, neighbours, delta, &bounds, error));
    *low = bounds.epsilon[SP_BOUND_GAUSS];
cleanup:
    sp_ledger_free(&plain);
    return status;
}

sp_status sp_json_composition(const sp_ledger *ledger, sp_neighbours neighbours, double delta, const sp_bounds *bounds,
                              sp_text *out, sp_error *error)
{
    sp_status status = SP_OK;
    double low = 0.0;
    SP_TRY(floor_of(ledger, neighbours, delta, &low, error));
    sp_text_append(out, "{ \"neighbours\": \"%s\", \"delta\": ", sp_neighbours_name(neighbours));
    sp_json_number(delta, out);
    sp_text_append(out, ", \"epsilon\": { \"low\": ");
    sp_json_number(fmin(low, bounds->best), out);
    sp_text_append(out, ", \"high\": ");
    sp_json_number(bounds->best, out);
    sp_text_append(out, " },\n  \"accountant\": \"%s\", \"bounds\": {", sp_bound_name(bounds->bound));
    for (int k = 0; k < SP_BOUNDS; k++) {
        sp_text_append(out, "%s\"%s\": ", k == 0 ? " " : ", ", sp_bound_name((sp_bound_kind)k));
        sp_json_number(bounds->epsilon[k], out);
    }
    sp_text_append(out, " },\n  \"mechanisms\": [");
    for (size_t i = 0; i < ledger->count; i++) {
        sp_text_append(out, i == 0 ? "\n    " : ",\n    ");
        print_mechanism(&ledger->entry[i], neighbours, out);
    }
    sp_text_append(out, "\n  ] }");
    if (out->failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory for a composition of %zu entries", ledger->count));
cleanup:
    return status;
}
