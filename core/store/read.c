/*
 * read.c -- a stored run, compared with its checksums.
 *
 * A damaged page may also list a row twice in place of another: as many as there should be, each whole. So the keys of
 * the rows of a run have to grow.
 */
#include "core/base/memory.h"
#include "core/store/store_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void take_cost(sp_row *r, sp_cost *cost)
{
    cost->gradients = sp_take_real(r);
    cost->differences = sp_take_real(r);
    cost->hessians = sp_take_real(r);
    cost->losses = sp_take_real(r);
    cost->releases = (size_t)sp_take_count(r);
}

/* As much of it as there is room for. */
static void copy_text(char *out, size_t size, const char *text)
{
    const size_t length = strnlen(text, size - 1);
    memcpy(out, text, length);
    out[length] = '\0';
}

static void take_into(sp_row *r, char *out, size_t size)
{
    copy_text(out, size, sp_take_text(r));
}

static sp_bound_kind bound_named(const char *name)
{
    for (int i = 0; i < SP_BOUNDS; i++)
        if (strcmp(sp_bound_name((sp_bound_kind)i), name) == 0)
            return (sp_bound_kind)i;
    return SP_BOUND_GAUSS;
}

static void take_bounds(sp_row *r, sp_bounds *spent)
{
    char text[SP_BOUNDS_SIZE], *rest = text;
    for (size_t k = 0; k < SP_BOUNDS; k++)
        spent->epsilon[k] = NAN;
    take_into(r, text, sizeof text);
    for (char *name; (name = strsep(&rest, " "));) {
        char *number = strchr(name, '=');
        if (!number)
            continue;
        *number++ = '\0';
        sp_read_number(number, &spent->epsilon[bound_named(name)]);
    }
}

/* From the column `content` on. */
static sp_status take_result(sp_row *r, sp_result *result)
{
    sp_bounds *spent = &result->spent;
    take_into(r, result->content, sizeof result->content);
    result->signal = (int)sp_take_count(r);
    take_into(r, result->message, sizeof result->message);
    take_into(r, result->warning, sizeof result->warning);
    result->resolved = sp_copy_text(sp_take_text(r));
    result->ledger = sp_copy_text(sp_take_text(r));
    spent->best = sp_take_real(r);
    spent->bound = bound_named(sp_take_text(r));
    spent->order = sp_take_real(r);
    take_bounds(r, spent);
    take_cost(r, &result->cost);
    result->steps = (size_t)sp_take_count(r);
    result->handover = sp_take_real(r);
    result->reference.value = sp_take_real(r);
    result->reference.error = sp_take_real(r);
    take_into(r, result->reference.method, sizeof result->reference.method);
    result->population.value = sp_take_real(r);
    result->population.error = sp_take_real(r);
    take_into(r, result->population.method, sizeof result->population.method);
    result->seconds = sp_take_real(r);
    result->elapsed = sp_take_real(r);
    result->peak_memory = (size_t)sp_take_count(r);
    return result->resolved && result->ledger ? SP_OK : SP_ENOMEM;
}

/* Position of a measure in the cell, or SP_MEASURES_MAX: another sweep's. */
static size_t measure_index(const sp_cell *cell, const char *name)
{
    for (size_t i = 0; i < cell->measures; i++)
        if (strcmp(cell->measure[i]->name, name) == 0)
            return i;
    return SP_MEASURES_MAX;
}

enum { NAME_SIZE = 128 };

/* Does it come after `last`? It is the last one then. */
static bool comes_next(const char *name, char last[NAME_SIZE])
{
    const bool next = strncmp(last, name, NAME_SIZE - 1) < 0;
    copy_text(last, NAME_SIZE, name);
    return next;
}

/* Rows that other tables have for a run, and who made it */
typedef struct row_counts {
    uint64_t measures, traces, invocation;
} row_counts;

static sp_status get_run(sp_store *store, const sp_stored_run *run, sp_result *result, row_counts *rows,
                         sp_error *error)
{
    sp_row r;
    sp_status status = sp_row_prepare(&store->database, RUN, &r, error);
    if (status != SP_OK)
        return status;
    sp_put_count(&r, run->id);
    status = sp_row_next(&r, error);
    if (status != SP_OK)
        return status == SP_EABSENT ? sp_store_damaged_run(store, run, error) : status;
    sp_take_count(&r);
    const bool same = sp_identities_find(&store->runs, sp_take_text(&r)) == run;
    sp_take_count(&r);
    result->status = sp_status_named(sp_take_text(&r));
    sp_take_real(&r);
    sp_take_count(&r);
    const bool state = sp_take_checksum(&r);
    rows->invocation = sp_take_count(&r);
    sp_take_text(&r); /* cell, seed, replicate */
    sp_take_count(&r);
    sp_take_count(&r);
    status = take_result(&r, result);
    rows->measures = sp_take_count(&r);
    rows->traces = sp_take_count(&r);
    result->promise = sp_take_real(&r);
    result->promise_at_start = sp_take_real(&r);
    result->warned = sp_warnings_read(sp_take_text(&r));
    result->diverged = sp_divergence_named(sp_take_text(&r));
    if (status == SP_OK && !(sp_take_checksum(&r) && state && same))
        status = sp_store_damaged_run(store, run, error);
    sqlite3_reset(r.at);
    return status;
}

static sp_status get_measures(sp_store *store, const sp_cell *cell, const sp_stored_run *run, uint64_t rows,
                              sp_result *result, sp_error *error)
{
    uint64_t found = 0;
    char last[NAME_SIZE] = "";
    bool whole = true;
    sp_row r;
    sp_status status = sp_row_prepare(&store->database, MEASURES, &r, error);
    if (status != SP_OK)
        return status;
    for (size_t i = 0; i < SP_MEASURES_MAX; i++)
        result->value[i] = NAN;
    sp_put_count(&r, run->id);
    for (; (status = sp_row_next(&r, error)) == SP_OK; found++) {
        sp_take_count(&r);
        const char *name = sp_take_text(&r);
        const size_t i = measure_index(cell, name);
        whole = comes_next(name, last) && whole;
        const double value = sp_take_real(&r);
        whole = sp_take_checksum(&r) && whole;
        if (i < SP_MEASURES_MAX)
            result->value[i] = value;
    }
    if (status == SP_EABSENT && !(whole && found == rows))
        return sp_store_damaged_run(store, run, error);
    return status == SP_EABSENT ? SP_OK : status;
}

static sp_status get_trace(sp_store *store, const sp_stored_run *run, uint64_t rows, sp_result *result, sp_error *error)
{
    size_t room = 0;
    bool whole = true;
    sp_row r;
    sp_status status = sp_row_prepare(&store->database, TRACE, &r, error);
    if (status != SP_OK)
        return status;
    sp_put_count(&r, run->id);
    while ((status = sp_row_next(&r, error)) == SP_OK) {
        if (result->traces == room) {
            room = room ? 2 * room : 64;
            sp_trace_point *grown = realloc(result->trace, room * sizeof *grown);
            if (!grown) {
                sqlite3_reset(r.at);
                return SP_ENOMEM;
            }
            result->trace = grown;
        }
        sp_trace_point *point = &result->trace[result->traces++];
        sp_take_count(&r);
        *point = (sp_trace_point){ .step = (size_t)sp_take_count(&r) };
        take_cost(&r, &point->cost);
        point->seconds = sp_take_real(&r);
        whole = sp_take_checksum(&r) && (result->traces < 2 || point[-1].step < point->step) && whole;
        for (size_t i = 0; i < SP_MEASURES_MAX; i++)
            point->value[i] = NAN;
    }
    if (status == SP_EABSENT && !(whole && result->traces == rows))
        return sp_store_damaged_run(store, run, error);
    return status == SP_EABSENT ? SP_OK : status;
}

/* At every step of the trace the same measures, by name. */
static sp_status get_trace_measures(sp_store *store, const sp_cell *cell, const sp_stored_run *run, uint64_t measures,
                                    sp_result *result, sp_error *error)
{
    uint64_t found = 0;
    char last[NAME_SIZE] = "";
    bool whole = true;
    sp_row r;
    sp_status status = sp_row_prepare(&store->database, TRACE_MEASURES, &r, error);
    if (status != SP_OK)
        return status;
    sp_put_count(&r, run->id);
    for (; (status = sp_row_next(&r, error)) == SP_OK && found < measures * result->traces; found++) {
        sp_trace_point *point = &result->trace[found / measures];
        if (found % measures == 0)
            last[0] = '\0';
        sp_take_count(&r);
        whole = sp_take_count(&r) == point->step && whole;
        const char *name = sp_take_text(&r);
        const size_t i = measure_index(cell, name);
        whole = comes_next(name, last) && whole;
        const double value = sp_take_real(&r);
        whole = sp_take_checksum(&r) && whole;
        if (i < SP_MEASURES_MAX)
            point->value[i] = value;
    }
    sqlite3_reset(r.at);
    if (status == SP_OK || (status == SP_EABSENT && !(whole && found == measures * result->traces)))
        return sp_store_damaged_run(store, run, error);
    return status == SP_EABSENT ? SP_OK : status;
}

sp_status sp_store_get_iterate(sp_store *store, const sp_cell *cell, size_t replicate, double **out, size_t *dimension,
                               sp_error *error)
{
    char identity[SP_HASH_HEX];
    sp_row r;
    sp_status status = SP_OK;
    *out = NULL;
    *dimension = 0;
    sp_run_identity(cell, replicate, identity);
    const sp_stored_run *run = sp_identities_find(&store->runs, identity);
    if (!run || run->dimension == 0)
        return SP_EABSENT;
    SP_TRY(sp_row_prepare(&store->database, ITERATE, &r, error));
    sp_put_count(&r, run->id);
    status = sp_row_next(&r, error);
    if (status != SP_OK)
        SP_TRY(status == SP_EABSENT ? sp_store_damaged_run(store, run, error) : status);
    sp_take_count(&r);
    const double *w = sp_take_reals(&r, dimension);
    if (!sp_take_checksum(&r) || *dimension != run->dimension)
        status = sp_store_damaged_run(store, run, error);
    else if (!(*out = sp_alloc_doubles(*dimension)))
        status = sp_fail(error, SP_ENOMEM, "%s: out of memory", store->database.path);
    else
        memcpy(*out, w, *dimension * sizeof *w);
    sqlite3_reset(r.at);
cleanup:
    return status == SP_EDATA ? sp_store_note_run(store, cell, replicate, error) : status;
}

sp_status sp_store_get_made(sp_store *store, const sp_cell *cell, size_t replicate, sp_result *result,
                            sp_made *made, sp_error *error)
{
    char identity[SP_HASH_HEX];
    row_counts rows = { 0 };
    sp_status status = SP_OK;
    *result = (sp_result){ 0 };
    sp_run_identity(cell, replicate, identity);
    const sp_stored_run *run = sp_identities_find(&store->runs, identity);
    if (!run)
        return SP_EABSENT;
    SP_TRY(get_run(store, run, result, &rows, error));
    result->untraced = sp_fingerprints_untraced(&store->answers[run->answers], cell);
    *made = (sp_made){ .there = true, .answers = run->answers, .invocation = rows.invocation };
    memcpy(made->name, identity, SP_RUN_NAME - 1);
    SP_TRY(get_measures(store, cell, run, rows.measures, result, error));
    if (cell->checkpoints > 0.0) {
        SP_TRY(get_trace(store, run, rows.traces, result, error));
        SP_TRY(get_trace_measures(store, cell, run, rows.measures, result, error));
    }

cleanup:
    if (status != SP_OK)
        sp_result_free(result);
    if (status == SP_ENOMEM)
        sp_fail(error, SP_ENOMEM, "%s: out of memory", store->database.path);
    return status == SP_EDATA ? sp_store_note_run(store, cell, replicate, error) : status;
}

sp_status sp_store_get(sp_store *store, const sp_cell *cell, size_t replicate, sp_result *result, sp_error *error)
{
    sp_made made;
    return sp_store_get_made(store, cell, replicate, result, &made, error);
}
