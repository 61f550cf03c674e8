/* import.c -- one run that was made elsewhere; see import.h. */
#include "core/base/memory.h"
#include "core/base/table.h"
#include "core/store/store_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what tables hold of a run --------------------------------------------------------------------------------- */

static void add_field(sp_text *out, const char *prefix, const char *name, const char *value)
{
    sp_text_append(out, "%s%s\t", prefix, name);
    sp_table_write(out, value && *value ? value : NULL);
    sp_text_add(out, "\n", 1);
}

static void add_number(sp_text *out, const char *prefix, const char *name, double value)
{
    char digits[SP_NUMBER_SIZE];
    add_field(out, prefix, name, isnan(value) ? "NaN" : sp_number(value, digits));
}

/* A line a field, "name TAB value". */
static void print_fields(const sp_cell *cell, const sp_result *r, sp_text *out)
{
    const bool started = r->status == SP_OK && r->traces > 0 && r->trace[0].step == 0;
    const sp_cost *c = &r->cost;
    const struct { const char *name; double value; } numbers[] = {
        { "signal", r->signal }, { "reference", r->reference.value }, { "population_reference", r->population.value },
        { "epsilon_spent", r->spent.best }, { "gradients", c->gradients }, { "differences", c->differences },
        { "hessians", c->hessians }, { "losses", c->losses }, { "releases", (double)c->releases },
        { "steps", (double)r->steps }, { "handover", r->handover },
    };
    const struct { const char *name, *value; } texts[] = {
        { "status", r->status == SP_OK ? "ok" : sp_status_name(r->status) }, { "message", r->message },
        { "reference_method", r->reference.method }, { "population_reference_method", r->population.method },
        { "bound", isfinite(r->spent.best) ? sp_bound_name(r->spent.bound) : NULL }, { "resolved", r->resolved },
        { "warning", r->warning },
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_field(out, "", texts[i].name, texts[i].value);
    for (size_t i = 0; i < cell->measures; i++)
        add_number(out, "", cell->measure[i]->name, r->value[i]);
    for (size_t i = 0; i < cell->measures && cell->checkpoints > 0.0; i++)
        add_number(out, "start.", cell->measure[i]->name, started ? r->trace[0].value[i] : NAN);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_number(out, "", numbers[i].name, numbers[i].value);
}

sp_status sp_result_difference(const sp_cell *cell, const sp_result *a, const sp_result *b, sp_text *one, sp_text *two,
                               sp_error *error)
{
    sp_status status = SP_OK;
    sp_text fields[2] = { { 0 }, { 0 } };
    print_fields(cell, a, &fields[0]);
    print_fields(cell, b, &fields[1]);
    if (fields[0].failed || fields[1].failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
    /* both have the same fields in the same order */
    for (const char *x = fields[0].data, *y = fields[1].data; *x;) {
        const size_t length = strcspn(x, "\n"), other = strcspn(y, "\n");
        if (length != other || memcmp(x, y, length) != 0) {
            sp_text_add(one, x, length);
            sp_text_add(two, y, other);
            break;
        }
        x += length + 1;
        y += other + 1;
    }
    if (one->failed || two->failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
cleanup:
    sp_text_free(&fields[0]);
    sp_text_free(&fields[1]);
    return status;
}

/* --- one run --------------------------------------------------------------------------------------------------- */

static sp_status contradiction(const sp_store *store, const sp_incoming *in, const char *theirs, const char *ours,
                               bool unknown, sp_error *error)
{
    char run[SP_RUN_NAME];
    const int name = (int)strcspn(theirs, "\t");
    const char *a = theirs + name + 1, *b = ours + name + 1;
    sp_run_name(in->cell, in->replicate, run);
    return sp_fail(error, SP_EDATA,
                   "run %s (%s/%s, replicate %zu): %.*s = %.*s in %s, %.*s in %s: %s, so that both cannot be right. "
                   "Nothing was merged", run, in->cell->sweep, in->cell->label, in->replicate, name, theirs,
                   (int)strcspn(a, "\n"), a, in->from, (int)strcspn(b, "\n"), b, store->database.path,
                   unknown ? "it is not known that other sources made them" : "the same sources made them");
}

/* The measures that the stored run has as well, for which there is room in `measure`. */
static sp_cell in_common(const sp_store *store, const sp_incoming *in, const sp_measure **measure, sp_result *result)
{
    sp_cell cell = *in->cell;
    cell.measure = measure;
    cell.measures = 0;
    *result = *in->result;
    for (size_t i = 0; i < in->cell->measures; i++) {
        if (!sp_store_measured(store, in->cell, in->replicate, in->cell->measure[i]))
            continue;
        cell.measure[cell.measures] = in->cell->measure[i];
        result->value[cell.measures++] = in->result->value[i];
    }
    return cell;
}

static sp_trace_point start_of(const sp_incoming *in, const sp_cell *common)
{
    sp_trace_point start = in->result->trace[0];
    for (size_t k = 0; k < common->measures; k++)
        for (size_t i = 0; i < in->cell->measures; i++)
            if (in->cell->measure[i] == common->measure[k])
                start.value[k] = in->result->trace[0].value[i];
    return start;
}

/* A run that the store has too. */
static sp_status meet(sp_store *store, const sp_stored_run *run, const sp_incoming *in, sp_imported *out,
                      sp_error *error)
{
    sp_status status = SP_OK;
    sp_run_state state;
    sp_result old = { 0 }, theirs;
    sp_text one = { 0 }, two = { 0 };
    const sp_measure *measure[SP_MEASURES_MAX];
    sp_cell common = in_common(store, in, measure, &theirs);
    sp_trace_point start;
    if (theirs.traces > 0) {
        start = start_of(in, &common);
        theirs.trace = &start;
        theirs.traces = 1;
    }
    SP_TRY(sp_store_get(store, &common, in->replicate, &old, error));
    SP_TRY(sp_result_difference(&common, &theirs, &old, &one, &two, error));
    *out = SP_BROUGHT_SAME;
    if (one.length == 0)
        goto cleanup;
    SP_TRY(sp_store_state(store, in->cell, in->replicate, &state, NULL, error));
    const bool current = sp_key_is_current(store, in->cell, in->key);
    const bool unknown = !in->key || strcmp(store->answers[run->answers].text[CORE], sp_unknown_source) == 0;
    if (unknown || sp_fingerprints_same(store, run, in->cell, in->key) || (current && state != SP_RUN_STALE))
        SP_TRY(contradiction(store, in, one.data, two.data, unknown, error));
    *out = current ? SP_BROUGHT_INSTEAD : SP_BROUGHT_OLD;
cleanup:
    sp_text_free(&one);
    sp_text_free(&two);
    sp_result_free(&old);
    return status;
}

sp_status sp_store_import(sp_store *store, const sp_incoming *in, bool dry, sp_imported *out, sp_error *error)
{
    sp_status status = SP_OK;
    char identity[SP_HASH_HEX];
    size_t answers;
    sp_run_identity(in->cell, in->replicate, identity);
    const sp_stored_run *run = sp_identities_find(&store->runs, identity);
    *out = SP_BROUGHT_NEW;
    if (run)
        SP_TRY(meet(store, run, in, out, error));
    if (dry || *out == SP_BROUGHT_SAME || *out == SP_BROUGHT_OLD)
        return SP_OK;
    SP_TRY(sp_fingerprints_import(store, in->cell, in->key, in->result->untraced, &answers, error));
    SP_TRY(sp_store_put_row(store, in->cell, in->replicate, in->result, answers, in->invocation, error));
cleanup:
    return status;
}
