/*
 * write.c -- a finished run into the store: one transaction.
 */
#include "core/store/store_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_cost(sp_row *r, const sp_cost *cost)
{
    sp_put_real(r, cost->gradients);
    sp_put_real(r, cost->differences);
    sp_put_real(r, cost->hessians);
    sp_put_real(r, cost->losses);
    sp_put_count(r, cost->releases);
}

static void write_bounds(const sp_bounds *spent, char out[SP_BOUNDS_SIZE])
{
    char digits[SP_NUMBER_SIZE];
    size_t length = 0;
    out[0] = '\0';
    for (size_t k = 0; k < SP_BOUNDS; k++)
        if (!isnan(spent->epsilon[k]))
            length += (size_t)snprintf(out + length, SP_BOUNDS_SIZE - length, "%s%s=%s", length > 0 ? " " : "",
                                       sp_bound_name((sp_bound_kind)k), sp_number(spent->epsilon[k], digits));
}

/* From the column `content` on. */
static void put_result(sp_row *r, const sp_result *result, const char *bounds)
{
    const sp_bounds *spent = &result->spent;
    sp_put_text(r, result->content);
    sp_put_count(r, (uint64_t)result->signal);
    sp_put_text(r, result->message);
    sp_put_text(r, result->warning);
    sp_put_text(r, result->resolved);
    sp_put_text(r, result->ledger);
    sp_put_real(r, spent->best);
    sp_put_text(r, isfinite(spent->best) ? sp_bound_name(spent->bound) : "");
    sp_put_real(r, spent->order);
    sp_put_text(r, bounds);
    put_cost(r, &result->cost);
    sp_put_count(r, result->steps);
    sp_put_real(r, result->handover);
    sp_put_real(r, result->reference.value);
    sp_put_real(r, result->reference.error);
    sp_put_text(r, result->reference.method);
    sp_put_real(r, result->population.value);
    sp_put_real(r, result->population.error);
    sp_put_text(r, result->population.method);
    sp_put_real(r, result->seconds);
    sp_put_real(r, result->elapsed);
    sp_put_count(r, result->peak_memory);
}

/* Behind `traces`; `codes` lives until the row is run. */
static void put_typed(sp_row *r, const sp_result *result, sp_text *codes)
{
    sp_warnings_print(result->warned, codes);
    sp_put_real(r, result->promise);
    sp_put_real(r, result->promise_at_start);
    sp_put_text(r, codes->data ? codes->data : "");
    sp_put_text(r, sp_divergence_name(result->diverged));
}

static sp_status put_run(sp_store *store, const sp_stored_run *run, const sp_cell *cell, size_t replicate,
                         const sp_result *result, uint64_t invocation, sp_error *error)
{
    char identity[SP_HASH_HEX], bounds[SP_BOUNDS_SIZE]; /* texts live until the row is run */
    sp_row r;
    sp_status status = SP_OK;
    sp_text codes = { 0 };
    char *text = sp_cell_text(cell);
    if (!text)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", store->database.path);
    SP_TRY(sp_row_prepare(&store->database, PUT_RUN, &r, error));
    sp_put_count(&r, run->id);
    sp_hash_hex(run->identity, identity);
    sp_put_text(&r, identity);
    sp_put_count(&r, store->answers[run->answers].id);
    sp_put_text(&r, sp_status_name(run->status));
    sp_put_real(&r, run->checkpoints);
    sp_put_count(&r, run->dimension);
    sp_put_checksum(&r);
    sp_put_id(&r, invocation);
    sp_put_text(&r, text);
    sp_put_count(&r, cell->seed);
    sp_put_count(&r, replicate);
    write_bounds(&result->spent, bounds);
    put_result(&r, result, bounds);
    sp_put_count(&r, cell->measures);
    sp_put_count(&r, result->traces);
    put_typed(&r, result, &codes);
    if (codes.failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", store->database.path));
    sp_put_checksum(&r);
    status = sp_row_run(&r, "storing a run", error);
cleanup:
    sp_text_free(&codes);
    free(text);
    return status;
}

static sp_status put_measures(sp_store *store, const sp_cell *cell, uint64_t id, const sp_result *result,
                              sp_error *error)
{
    sp_row r;
    sp_status status = SP_OK;
    for (size_t i = 0; i < cell->measures; i++) {
        SP_TRY(sp_row_prepare(&store->database, PUT_MEASURE, &r, error));
        sp_put_count(&r, id);
        sp_put_text(&r, cell->measure[i]->name);
        sp_put_real(&r, result->value[i]);
        sp_put_checksum(&r);
        SP_TRY(sp_row_run(&r, "storing a measure", error));
    }
cleanup:
    return status;
}

static sp_status put_trace(sp_store *store, const sp_cell *cell, uint64_t id, const sp_result *result, sp_error *error)
{
    sp_row r;
    sp_status status = SP_OK;
    for (size_t t = 0; t < result->traces; t++) {
        const sp_trace_point *point = &result->trace[t];
        SP_TRY(sp_row_prepare(&store->database, PUT_TRACE, &r, error));
        sp_put_count(&r, id);
        sp_put_count(&r, point->step);
        put_cost(&r, &point->cost);
        sp_put_real(&r, point->seconds);
        sp_put_checksum(&r);
        SP_TRY(sp_row_run(&r, "storing a trace", error));
        for (size_t i = 0; i < cell->measures; i++) {
            SP_TRY(sp_row_prepare(&store->database, PUT_TRACE_MEASURE, &r, error));
            sp_put_count(&r, id);
            sp_put_count(&r, point->step);
            sp_put_text(&r, cell->measure[i]->name);
            sp_put_real(&r, point->value[i]);
            sp_put_checksum(&r);
            SP_TRY(sp_row_run(&r, "storing a trace", error));
        }
    }
cleanup:
    return status;
}

static sp_status put_iterate(sp_store *store, const sp_stored_run *run, const sp_result *result, sp_error *error)
{
    sp_row r;
    sp_status status = SP_OK;
    if (run->dimension == 0)
        return SP_OK;
    SP_TRY(sp_row_prepare(&store->database, PUT_ITERATE, &r, error));
    sp_put_count(&r, run->id);
    sp_put_reals(&r, result->iterate, run->dimension);
    sp_put_checksum(&r);
    SP_TRY(sp_row_run(&r, "storing an iterate", error));
cleanup:
    return status;
}

/* Runs a statement on one number. */
static sp_status run_on(sp_store *store, sp_statement statement, uint64_t number, const char *doing, sp_error *error)
{
    sp_row r;
    const sp_status status = sp_row_prepare(&store->database, statement, &r, error);
    if (status != SP_OK)
        return status;
    sp_put_count(&r, number);
    return sp_row_run(&r, doing, error);
}

sp_status sp_store_put_row(sp_store *store, const sp_cell *cell, size_t replicate, const sp_result *result,
                           size_t answers, uint64_t invocation, sp_error *error)
{
    char digits[SP_HASH_HEX];
    const bool alone = sqlite3_get_autocommit(store->database.db) != 0; /* else it is one of many in a transaction */
    bool begun = false;
    sp_status status = SP_OK;
    sp_stored_run run = { .id = store->last_run + 1, .answers = (uint32_t)answers, .checkpoints = cell->checkpoints,
                          .status = result->status };
    if (result->status == SP_OK && result->iterate)
        run.dimension = (uint32_t)result->dimension;
    sp_run_identity(cell, replicate, digits);
    if (!sp_identity_read(digits, run.identity) || !sp_identities_reserve(&store->runs))
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", store->database.path);
    const sp_stored_run *old = sp_identities_at(&store->runs, run.identity);

    if (alone) {
        SP_TRY(sp_database_keep_place(&store->database, error));
        SP_TRY(sp_database_run(&store->database, BEGIN_WRITING, "beginning to store a run", error));
    }
    begun = alone;
    if (old)
        SP_TRY(run_on(store, FORGET, old->id, "replacing a run", error));
    else
        SP_TRY(run_on(store, SET_COUNT, store->runs.count + 1, "storing a run", error));
    SP_TRY(put_run(store, &run, cell, replicate, result, invocation, error));
    SP_TRY(put_measures(store, cell, run.id, result, error));
    SP_TRY(put_trace(store, cell, run.id, result, error));
    SP_TRY(put_iterate(store, &run, result, error));
    if (alone)
        SP_TRY(sp_database_run(&store->database, COMMIT, "storing a run", error));
    sp_identities_put(&store->runs, &run);
    store->last_run = run.id;

cleanup:
    if (status != SP_OK && begun) /* a full disk may have rolled back already: then this fails, and that is fine */
        sp_database_run(&store->database, ROLLBACK, "", NULL);
    return status;
}

/* Made by the sources of now. */
static sp_status put(sp_store *store, const sp_cell *cell, size_t replicate, const sp_result *result,
                     uint64_t invocation, sp_error *error)
{
    size_t answers;
    const sp_status status = sp_fingerprints_put(store, cell, result->untraced, &answers, error);
    return status == SP_OK ? sp_store_put_row(store, cell, replicate, result, answers, invocation, error) : status;
}

sp_status sp_store_put(sp_store *store, const sp_cell *cell, size_t replicate, const sp_result *result, sp_error *error)
{
    return put(store, cell, replicate, result, store->invocation, error);
}

/* --- further measures ---------------------------------------------------------------------------------------- */

static size_t index_of(const sp_cell *cell, const sp_measure *measure)
{
    size_t i = 0;
    while (i < cell->measures && cell->measure[i] != measure)
        i++;
    return i;
}

/* The value of a measure: at the answer, and at the start of the trace, which knows no more of it. */
static void take_measure(sp_result *row, size_t i, const sp_result *measured, size_t k)
{
    row->value[i] = measured->value[k];
    row->untraced &= (uint16_t) ~(1u << i);
    for (size_t t = 0; t < row->traces; t++) {
        const bool start = row->trace[t].step == 0 && measured->traces > 0;
        row->trace[t].value[i] = start ? measured->trace[0].value[k] : NAN;
        if (!start)
            row->untraced |= (uint16_t)(1u << i);
    }
}

static void take_reference(sp_reference *row, const sp_reference *used)
{
    if (isnan(used->value) && !used->method[0])
        return;
    *row = *used;
    row->minimiser = NULL;
}

/* What a run with these measures would have warned of: first that a reference is not known, then what its method says,
 * then why (workers.c). */
static void take_warning(sp_result *row, const sp_result *measured)
{
    char own[sizeof row->warning];
    const char *why = measured->warning + measured->unreferenced;
    if (!*measured->warning || row->warned & sp_warning_bit(SP_WARNED_NO_REFERENCE))
        return;
    memcpy(own, row->warning, sizeof own);
    row->warning[0] = '\0';
    sp_result_warn(row, measured->warned, "%.*s", (int)measured->unreferenced, measured->warning);
    if (*own)
        sp_result_warn(row, 0, "%s", own);
    if (*why)
        sp_result_warn(row, 0, "%s", why + strspn(why, "; "));
}

sp_status sp_store_put_measures(sp_store *store, const sp_cell *cell, const sp_cell *part, size_t replicate,
                                const sp_result *measured, sp_error *error)
{
    sp_status status = SP_OK;
    sp_result row = { 0 };
    sp_made made;
    SP_TRY(sp_store_get_made(store, cell, replicate, &row, &made, error));
    if (strcmp(row.content, measured->content) != 0) {
        char name[SP_RUN_NAME];
        sp_run_name(cell, replicate, name);
        SP_TRY(sp_fail(error, SP_EDATA, "run %s was made on other records than there are now: `run --again`", name));
    }
    for (size_t k = 0; k < part->measures; k++)
        take_measure(&row, index_of(cell, part->measure[k]), measured, k);
    take_reference(&row.reference, &measured->reference);
    take_reference(&row.population, &measured->population);
    take_warning(&row, measured);
    SP_TRY(sp_store_get_iterate(store, cell, replicate, &row.iterate, &row.dimension, error));
    SP_TRY(put(store, cell, replicate, &row, made.invocation, error));
cleanup:
    sp_result_free(&row);
    return status;
}
