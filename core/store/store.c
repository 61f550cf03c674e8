/*
 * store.c -- runs, references and invocations in the store.
 */
#include "core/store/store.h"

#include "core/base/memory.h"
#include "core/plan/registry.h"
#include "core/run/platform.h"
#include "core/run/sources.h"
#include "core/store/database.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    BEGIN, COMMIT, ROLLBACK, INVOCATION, INVOCATIONS, FIND, MEASURES, FORGET, RUN, MEASURE, TRACE, TRACE_MEASURE, READ,
    READ_TRACE, READ_TRACE_MEASURES, PUT_REFERENCE, GET_REFERENCE, STATEMENTS
} statement;

#define RESULT                                                                                                        \
    "content, status, signal, message, warning, resolved, ledger, epsilon, bound, renyi_order, bounds, gradients, "   \
    "differences, hessians, losses, releases, steps, reference, reference_error, reference_method, "                   \
    "population, population_error, population_method, seconds, elapsed, peak_memory"

static const char *const sql[STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [INVOCATION] = "INSERT INTO invocation (started, command, scale, script, \"commit\", dirty, compiler, flags, "
                   "libraries, blas_core, cpu) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [INVOCATIONS] = "SELECT started, command, scale, script, \"commit\", dirty, compiler, flags, libraries, blas_core, "
                    "cpu, count(*) FROM invocation JOIN run ON run.invocation = invocation.id GROUP BY invocation.id "
                    "ORDER BY invocation.id",
    [FIND] = "SELECT id, status, checkpoints, data, algorithm, loss, regulariser, core, platform "
             "FROM run WHERE identity = ?",
    [MEASURES] = "SELECT name, source, value FROM measure WHERE run = ?",
    [FORGET] = "DELETE FROM run WHERE identity = ?",
    [RUN] = "INSERT INTO run (identity, invocation, cell, seed, replicate, checkpoints, data, algorithm, loss, "
            "regulariser, core, platform, " RESULT ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
            "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [MEASURE] = "INSERT INTO measure (run, name, source, value) VALUES (?, ?, ?, ?)",
    [TRACE] = "INSERT INTO trace (run, step, gradients, differences, hessians, losses, releases, seconds) "
              "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    [TRACE_MEASURE] = "INSERT INTO trace_measure (run, step, name, value) VALUES (?, ?, ?, ?)",
    [READ] = "SELECT " RESULT " FROM run WHERE id = ?",
    [READ_TRACE] = "SELECT step, gradients, differences, hessians, losses, releases, seconds FROM trace WHERE run = ? "
                   "ORDER BY step",
    [READ_TRACE_MEASURES] = "SELECT step, name, value FROM trace_measure WHERE run = ? ORDER BY step",
    [PUT_REFERENCE] = "INSERT OR REPLACE INTO reference (key, value, error, method, minimiser) VALUES (?, ?, ?, ?, ?)",
    [GET_REFERENCE] = "SELECT value, error, method, minimiser FROM reference WHERE key = ?",
};

struct sp_store {
    sp_database database;
    uint64_t invocation; /* 0: none yet */
};

static sp_status open_store(const char *directory, bool writer, sp_store **out, sp_error *error)
{
    *out = NULL;
    sp_store *store = sp_alloc(1, sizeof *store);
    if (!store)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", directory);
    const sp_status status = sp_database_open(&store->database, directory, writer, sql, STATEMENTS, error);
    if (status != SP_OK)
        free(store);
    else
        *out = store;
    return status;
}

sp_status sp_store_open(const char *directory, sp_store **out, sp_error *error)
{
    return open_store(directory, true, out, error);
}

sp_status sp_store_open_readonly(const char *directory, sp_store **out, sp_error *error)
{
    return open_store(directory, false, out, error);
}

void sp_store_close(sp_store *store)
{
    if (!store)
        return;
    sp_database_close(&store->database);
    free(store);
}

/* --- what was asked ---------------------------------------------------------------------------------------- */

void sp_run_identity(const sp_cell *cell, size_t replicate, char out[SP_HASH_HEX])
{
    const uint64_t numbers[] = { cell->seed, replicate };
    sp_hash hash;
    sp_hash_start(&hash);
    sp_hash_text(&hash, cell->cell_text);
    sp_hash_add(&hash, numbers, sizeof numbers);
    sp_hash_end_hex(&hash, out);
}

void sp_run_name(const sp_cell *cell, size_t replicate, char out[SP_RUN_NAME])
{
    char identity[SP_HASH_HEX];
    sp_run_identity(cell, replicate, identity);
    memcpy(out, identity, SP_RUN_NAME - 1);
    out[SP_RUN_NAME - 1] = '\0';
}

/* --- what answered it -------------------------------------------------------------------------------------- */

typedef struct answers {
    char algorithm[SP_HASH_HEX];
    const char *data, *loss, *regulariser, *core, *platform;
} answers;

static void find_answers(const sp_cell *cell, answers *out)
{
    const sp_problem_spec *spec = cell->problem;
    const sp_regulariser *regulariser = spec->regulariser;
    sp_hash hash;
    sp_hash_start(&hash);
    sp_hash_method(&hash, cell->method);
    sp_hash_end_hex(&hash, out->algorithm);
    out->loss = sp_source_of("losses", spec->loss->name);
    out->regulariser = regulariser ? sp_source_of("losses/regularisers", regulariser->name) : "";
    out->core = sp_source_hash("core");
    out->platform = sp_platform();
    out->data = spec->data == SP_DATA_GENERATED ? sp_source_of("core/data/generators", spec->generator->name)
                                                : spec->fingerprint;
}

/* --- state of a run ---------------------------------------------------------------------------------------- */

static sp_status status_named(const char *name)
{
    for (int i = 0; i < SP_STATUS_COUNT; i++)
        if (strcmp(sp_status_name((sp_status)i), name) == 0)
            return (sp_status)i;
    return SP_EVERSION;
}

/* One more reason; `text` may be NULL. */
static void because(sp_text *why, size_t *reasons, const char *kind, const char *name, const char *what)
{
    if (why)
        sp_text_append(why, "%s%s%s%s %s", *reasons > 0 ? ", " : "", kind, name[0] ? " " : "", name, what);
    (*reasons)++;
}

static const char *name_of_data(const sp_problem_spec *spec)
{
    if (spec->data == SP_DATA_GENERATED)
        return spec->generator->name;
    return spec->data == SP_DATA_FILE ? spec->path : spec->entry->name;
}

static sp_status compare_measures(sp_store *store, const sp_cell *cell, uint64_t id, sp_text *why, size_t *reasons,
                                  sp_error *error)
{
    enum { NEW, CHANGED, SAME } found[SP_MEASURES_MAX] = { NEW };
    sp_row r;
    sp_status status = sp_row_prepare(&store->database, MEASURES, &r, error);
    if (status != SP_OK)
        return status;
    sp_put_count(&r, id);
    while ((status = sp_row_next(&r, error)) == SP_OK) {
        const char *name = sp_take_text(&r), *source = sp_take_text(&r);
        for (size_t i = 0; i < cell->measures; i++)
            if (strcmp(cell->measure[i]->name, name) == 0)
                found[i] = strcmp(sp_source_of("measures", name), source) == 0 ? SAME : CHANGED;
    }
    for (size_t i = 0; i < cell->measures; i++)
        if (found[i] != SAME)
            because(why, reasons, "measure", cell->measure[i]->name, found[i] == NEW ? "is new" : "changed");
    return status == SP_EABSENT ? SP_OK : status;
}

sp_status sp_store_state(sp_store *store, const sp_cell *cell, size_t replicate, sp_run_state *state, sp_text *why,
                         sp_error *error)
{
    char identity[SP_HASH_HEX];
    const sp_regulariser *regulariser = cell->problem->regulariser;
    size_t reasons = 0;
    answers now;
    sp_row r;
    *state = SP_RUN_MISSING;
    sp_run_identity(cell, replicate, identity);
    sp_status status = sp_row_prepare(&store->database, FIND, &r, error);
    if (status != SP_OK)
        return status;
    sp_put_text(&r, identity);
    status = sp_row_next(&r, error);
    if (status != SP_OK)
        return status == SP_EABSENT ? SP_OK : status;

    const uint64_t id = sp_take_count(&r);
    const sp_status outcome = status_named(sp_take_text(&r));
    if (sp_take_real(&r) < cell->checkpoints) /* a finer trace than asked for is good enough */
        because(why, &reasons, "checkpoints", "", "were fewer");
    const char *stored[6];
    for (size_t i = 0; i < sizeof stored / sizeof *stored; i++)
        stored[i] = sp_take_text(&r);
    find_answers(cell, &now);
    if (strcmp(stored[0], now.data) != 0)
        because(why, &reasons, "data", name_of_data(cell->problem), "changed");
    if (strcmp(stored[1], now.algorithm) != 0)
        because(why, &reasons, "algorithm", cell->method->algorithm->name, "changed");
    if (strcmp(stored[2], now.loss) != 0)
        because(why, &reasons, "loss", cell->problem->loss->name, "changed");
    if (strcmp(stored[3], now.regulariser) != 0)
        because(why, &reasons, "regulariser", regulariser ? regulariser->name : "", "changed");
    if (strcmp(stored[4], now.core) != 0)
        because(why, &reasons, "core", "", "changed");
    if (strcmp(stored[5], now.platform) != 0) {
        if (why) {
            sp_text_append(why, reasons > 0 ? ", " : "");
            sp_platform_print_changes(stored[5], now.platform, why);
        }
        reasons++;
    }
    sqlite3_reset(r.at);
    status = compare_measures(store, cell, id, why, &reasons, error);
    *state = reasons > 0 ? SP_RUN_STALE : outcome == SP_OK ? SP_RUN_DONE : SP_RUN_FAILED;
    return status;
}

/* --- writing ----------------------------------------------------------------------------------------------- */

sp_status sp_store_invocation(sp_store *store, const sp_provenance_row *p, sp_error *error)
{
    sp_row r;
    sp_status status = sp_row_prepare(&store->database, INVOCATION, &r, error);
    if (status != SP_OK)
        return status;
    sp_put_text(&r, p->started);
    sp_put_text(&r, p->command);
    sp_put_text(&r, p->scale);
    sp_put_text(&r, p->script);
    sp_put_text(&r, p->commit);
    sp_put_count(&r, p->dirty);
    sp_put_text(&r, p->compiler);
    sp_put_text(&r, p->flags);
    sp_put_text(&r, p->libraries);
    sp_put_text(&r, p->blas_core);
    sp_put_text(&r, p->cpu);
    status = sp_row_run(&r, "storing the invocation", error);
    if (status == SP_OK)
        store->invocation = (uint64_t)sqlite3_last_insert_rowid(store->database.db);
    return status;
}

sp_status sp_store_invocations(sp_store *store, void (*take)(void *context, const sp_provenance_row *, uint64_t runs),
                               void *context, sp_error *error)
{
    sp_row r;
    sp_status status = sp_row_prepare(&store->database, INVOCATIONS, &r, error);
    if (status != SP_OK)
        return status;
    while ((status = sp_row_next(&r, error)) == SP_OK) {
        char *text[11];
        bool dirty = false;
        for (size_t i = 0; i < sizeof text / sizeof *text; i++)
            if (i == 5)
                dirty = sp_take_count(&r) != 0;
            else
                text[i] = (char *)sp_take_text(&r);
        take(context, &(sp_provenance_row){ .started = text[0], .command = text[1], .scale = text[2],
                                            .script = text[3], .commit = text[4], .compiler = text[6],
                                            .flags = text[7], .libraries = text[8], .blas_core = text[9],
                                            .cpu = text[10], .dirty = dirty }, sp_take_count(&r));
    }
    return status == SP_EABSENT ? SP_OK : status;
}

static void put_cost(sp_row *r, const sp_cost *cost)
{
    sp_put_real(r, cost->gradients);
    sp_put_real(r, cost->differences);
    sp_put_real(r, cost->hessians);
    sp_put_real(r, cost->losses);
    sp_put_count(r, cost->releases);
}

enum { BOUNDS_SIZE = 64 * SP_BOUNDS };

/* "gauss=0.98 zcdp=1.07": those that there are, so that a new kind of bound needs no new column. */
static void write_bounds(const sp_bounds *spent, char out[BOUNDS_SIZE])
{
    char digits[SP_NUMBER_SIZE];
    size_t length = 0;
    out[0] = '\0';
    for (size_t k = 0; k < SP_BOUNDS; k++)
        if (!isnan(spent->epsilon[k]))
            length += (size_t)snprintf(out + length, BOUNDS_SIZE - length, "%s%s=%s", length > 0 ? " " : "",
                                       sp_bound_name((sp_bound_kind)k), sp_number(spent->epsilon[k], digits));
}

static void put_result(sp_row *r, const sp_result *result, const char *bounds)
{
    const sp_bounds *spent = &result->spent;
    sp_put_text(r, result->content);
    sp_put_text(r, sp_status_name(result->status));
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

static sp_status put_run(sp_store *store, const sp_cell *cell, size_t replicate, const sp_result *result,
                         sp_error *error)
{
    char identity[SP_HASH_HEX], bounds[BOUNDS_SIZE]; /* texts live until the row is run */
    answers now;
    sp_row r;
    sp_status status = SP_OK;
    sp_run_identity(cell, replicate, identity);
    find_answers(cell, &now);
    SP_TRY(sp_row_prepare(&store->database, FORGET, &r, error));
    sp_put_text(&r, identity);
    SP_TRY(sp_row_run(&r, "replacing a run", error));

    SP_TRY(sp_row_prepare(&store->database, RUN, &r, error));
    sp_put_text(&r, identity);
    if (store->invocation > 0)
        sp_put_count(&r, store->invocation);
    else
        r.next++; /* NULL */
    sp_put_text(&r, cell->cell_text);
    sp_put_count(&r, cell->seed);
    sp_put_count(&r, replicate);
    sp_put_real(&r, cell->checkpoints);
    sp_put_text(&r, now.data);
    sp_put_text(&r, now.algorithm);
    sp_put_text(&r, now.loss);
    sp_put_text(&r, now.regulariser);
    sp_put_text(&r, now.core);
    sp_put_text(&r, now.platform);
    write_bounds(&result->spent, bounds);
    put_result(&r, result, bounds);
    SP_TRY(sp_row_run(&r, "storing a run", error));

cleanup:
    return status;
}

static sp_status put_measures(sp_store *store, const sp_cell *cell, uint64_t id, const sp_result *result,
                              sp_error *error)
{
    sp_row r;
    sp_status status = SP_OK;
    for (size_t i = 0; i < cell->measures; i++) {
        SP_TRY(sp_row_prepare(&store->database, MEASURE, &r, error));
        sp_put_count(&r, id);
        sp_put_text(&r, cell->measure[i]->name);
        sp_put_text(&r, sp_source_of("measures", cell->measure[i]->name));
        sp_put_real(&r, result->value[i]);
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
        SP_TRY(sp_row_prepare(&store->database, TRACE, &r, error));
        sp_put_count(&r, id);
        sp_put_count(&r, point->step);
        put_cost(&r, &point->cost);
        sp_put_real(&r, point->seconds);
        SP_TRY(sp_row_run(&r, "storing a trace", error));
        for (size_t i = 0; i < cell->measures; i++) {
            SP_TRY(sp_row_prepare(&store->database, TRACE_MEASURE, &r, error));
            sp_put_count(&r, id);
            sp_put_count(&r, point->step);
            sp_put_text(&r, cell->measure[i]->name);
            sp_put_real(&r, point->value[i]);
            SP_TRY(sp_row_run(&r, "storing a trace", error));
        }
    }
cleanup:
    return status;
}

sp_status sp_store_put(sp_store *store, const sp_cell *cell, size_t replicate, const sp_result *result, sp_error *error)
{
    sp_status status = sp_database_run(&store->database, BEGIN, "beginning to store a run", error);
    if (status != SP_OK)
        return status;
    SP_TRY(put_run(store, cell, replicate, result, error));
    const uint64_t id = (uint64_t)sqlite3_last_insert_rowid(store->database.db);
    SP_TRY(put_measures(store, cell, id, result, error));
    SP_TRY(put_trace(store, cell, id, result, error));
    SP_TRY(sp_database_run(&store->database, COMMIT, "storing a run", error));

cleanup:
    if (status != SP_OK) /* a full disk may have rolled back already: then this fails, and that is fine */
        sp_database_run(&store->database, ROLLBACK, "", NULL);
    return status;
}

/* --- reading ----------------------------------------------------------------------------------------------- */

static void take_cost(sp_row *r, sp_cost *cost)
{
    cost->gradients = sp_take_real(r);
    cost->differences = sp_take_real(r);
    cost->hessians = sp_take_real(r);
    cost->losses = sp_take_real(r);
    cost->releases = (size_t)sp_take_count(r);
}

static void take_into(sp_row *r, char *out, size_t size)
{
    snprintf(out, size, "%s", sp_take_text(r));
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
    char text[BOUNDS_SIZE], *rest = text;
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

static sp_status take_result(sp_row *r, sp_result *result)
{
    sp_bounds *spent = &result->spent;
    take_into(r, result->content, sizeof result->content);
    result->status = status_named(sp_take_text(r));
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

static sp_status get_trace(sp_store *store, const sp_cell *cell, uint64_t id, sp_result *result, sp_error *error)
{
    size_t room = 0, t = 0;
    sp_row r;
    sp_status status = sp_row_prepare(&store->database, READ_TRACE, &r, error);
    if (status != SP_OK)
        return status;
    sp_put_count(&r, id);
    while ((status = sp_row_next(&r, error)) == SP_OK) {
        if (result->traces == room) {
            room = room ? 2 * room : 64;
            sp_trace_point *grown = realloc(result->trace, room * sizeof *grown);
            if (!grown)
                return SP_ENOMEM;
            result->trace = grown;
        }
        sp_trace_point *point = &result->trace[result->traces++];
        *point = (sp_trace_point){ .step = (size_t)sp_take_count(&r) };
        take_cost(&r, &point->cost);
        point->seconds = sp_take_real(&r);
        for (size_t i = 0; i < SP_MEASURES_MAX; i++)
            point->value[i] = NAN;
    }
    if (status != SP_EABSENT || (status = sp_row_prepare(&store->database, READ_TRACE_MEASURES, &r, error)) != SP_OK)
        return status;
    sp_put_count(&r, id);
    while ((status = sp_row_next(&r, error)) == SP_OK) {
        const size_t step = (size_t)sp_take_count(&r), i = measure_index(cell, sp_take_text(&r));
        while (t < result->traces && result->trace[t].step < step)
            t++;
        if (t < result->traces && i < SP_MEASURES_MAX)
            result->trace[t].value[i] = sp_take_real(&r);
    }
    return status == SP_EABSENT ? SP_OK : status;
}

static sp_status get_measures(sp_store *store, const sp_cell *cell, uint64_t id, sp_result *result, sp_error *error)
{
    sp_row r;
    sp_status status = sp_row_prepare(&store->database, MEASURES, &r, error);
    if (status != SP_OK)
        return status;
    for (size_t i = 0; i < SP_MEASURES_MAX; i++)
        result->value[i] = NAN;
    sp_put_count(&r, id);
    while ((status = sp_row_next(&r, error)) == SP_OK) {
        const size_t i = measure_index(cell, sp_take_text(&r));
        sp_take_text(&r);
        if (i < SP_MEASURES_MAX)
            result->value[i] = sp_take_real(&r);
    }
    return status == SP_EABSENT ? SP_OK : status;
}

sp_status sp_store_get(sp_store *store, const sp_cell *cell, size_t replicate, sp_result *result, sp_error *error)
{
    char identity[SP_HASH_HEX];
    sp_row r;
    sp_status status = SP_OK;
    *result = (sp_result){ 0 };
    sp_run_identity(cell, replicate, identity);
    SP_TRY(sp_row_prepare(&store->database, FIND, &r, error));
    sp_put_text(&r, identity);
    SP_TRY(sp_row_next(&r, error));
    const uint64_t id = sp_take_count(&r);
    sqlite3_reset(r.at);

    SP_TRY(sp_row_prepare(&store->database, READ, &r, error));
    sp_put_count(&r, id);
    SP_TRY(sp_row_next(&r, error));
    status = take_result(&r, result);
    sqlite3_reset(r.at);
    if (status == SP_OK)
        status = get_measures(store, cell, id, result, error);
    if (status == SP_OK && cell->checkpoints > 0.0)
        status = get_trace(store, cell, id, result, error);

cleanup:
    if (status != SP_OK)
        sp_result_free(result);
    if (status == SP_ENOMEM)
        sp_fail(error, SP_ENOMEM, "%s: out of memory", store->database.path);
    return status;
}

/* --- references -------------------------------------------------------------------------------------------- */

sp_status sp_store_put_reference(sp_store *store, const char *key, const sp_reference *reference, sp_error *error)
{
    sp_row r;
    const sp_status status = sp_row_prepare(&store->database, PUT_REFERENCE, &r, error);
    if (status != SP_OK)
        return status;
    sp_put_text(&r, key);
    sp_put_real(&r, reference->value);
    sp_put_real(&r, reference->error);
    sp_put_text(&r, reference->method);
    sp_put_reals(&r, reference->minimiser, reference->d);
    return sp_row_run(&r, "storing a reference value", error);
}

sp_status sp_store_get_reference(sp_store *store, const char *key, sp_reference *reference, sp_error *error)
{
    sp_row r;
    sp_status status = sp_row_prepare(&store->database, GET_REFERENCE, &r, error);
    if (status != SP_OK)
        return status;
    sp_put_text(&r, key);
    status = sp_row_next(&r, error);
    if (status != SP_OK)
        return status;
    reference->value = sp_take_real(&r);
    reference->error = sp_take_real(&r);
    take_into(&r, reference->method, sizeof reference->method);
    const double *minimiser = sp_take_reals(&r, &reference->d);
    if (minimiser && (reference->minimiser = sp_alloc_doubles(reference->d)))
        memcpy(reference->minimiser, minimiser, reference->d * sizeof *minimiser);
    sqlite3_reset(r.at);
    return minimiser && !reference->minimiser ? sp_fail(error, SP_ENOMEM, "%s: out of memory", store->database.path)
                                              : SP_OK;
}
