/* tally.c -- see tally.h. */
#include "core/store/tally.h"

#include "core/base/memory.h"
#include "core/store/store_schema.h"
#include "core/store/version_6.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- tables --------------------------------------------------------------------------------------------------------- */

#define NAME(name, type) #name,
#define NAMES(columns) (const char *const[]){ columns(NAME) NULL }
#define TYPE(name, type) type,
#define TYPES(columns) (const char *const[]){ columns(TYPE) NULL }
#define SHAPE(kind, table, put, columns, keyed, keys)                                                                 \
    set(&shape[kind], table, put, keyed, keys, NAMES(columns), TYPES(columns))

#define PLACE(name, type) AT_##name,
enum { SP_RUN_COLUMNS(PLACE) };

static const char *const run_names[] = { SP_RUN_COLUMNS(NAME) NULL };
static const char *const run_names_6[] = { SP_RUN_COLUMNS_6(NAME) NULL };
static const char *const run_types_6[] = { SP_RUN_COLUMNS_6(TYPE) NULL };
static const char *const invocation_names[] = { SP_INVOCATION_COLUMNS(NAME) NULL };
static const char *const invocation_names_6[] = { SP_INVOCATION_COLUMNS_6(NAME) NULL };
static const char *const invocation_types_6[] = { SP_INVOCATION_COLUMNS_6(TYPE) NULL };

static void set(sp_row_shape *s, const char *table, sp_statement put, bool keyed, int keys, const char *const *name,
                const char *const *type)
{
    *s = (sp_row_shape){ .table = table, .put = put, .keyed = keyed, .keys = keys };
    for (; name[s->columns.count]; s->columns.count++)
        s->columns.role[s->columns.count] = sp_role_of(name[s->columns.count], type[s->columns.count]);
}

static void set_old(sp_row_shape *s, const char *const *name, const char *const *old, const char *const *type)
{
    s->name = name;
    s->old = old;
    for (; old[s->old_count]; s->old_count++)
        s->old_role[s->old_count] = sp_role_of(old[s->old_count], type[s->old_count]);
}

void sp_row_shapes(sp_row_shape shape[SP_ROW_KINDS])
{
    SHAPE(SP_INVOCATION_ROWS, "invocation", PUT_INVOCATION, SP_INVOCATION_COLUMNS, false, 1);
    SHAPE(SP_ANSWERS_ROWS, "answers", PUT_ANSWERS, SP_ANSWERS_COLUMNS, false, 1);
    SHAPE(SP_RUN_ROWS, "run", PUT_RUN, SP_RUN_COLUMNS, false, 1);
    SHAPE(SP_MEASURE_ROWS, "measure", PUT_MEASURE, SP_MEASURE_COLUMNS, true, 2);
    SHAPE(SP_ITERATE_ROWS, "iterate", PUT_ITERATE, SP_ITERATE_COLUMNS, false, 1);
    SHAPE(SP_TRACE_ROWS, "trace", PUT_TRACE, SP_TRACE_COLUMNS, true, 2);
    SHAPE(SP_TRACE_MEASURE_ROWS, "trace_measure", PUT_TRACE_MEASURE, SP_TRACE_MEASURE_COLUMNS, true, 3);
    SHAPE(SP_REFERENCE_ROWS, "reference", PUT_REFERENCE, SP_REFERENCE_COLUMNS, true, 1);
    SHAPE(SP_AUDIT_ROWS, "audits", PUT_AUDIT, SP_AUDIT_STORE_COLUMNS, true, 1);
    SHAPE(SP_TASK_ROWS, "task", PUT_TASK, SP_TASK_COLUMNS, false, 1);
    set_old(&shape[SP_RUN_ROWS], run_names, run_names_6, run_types_6);
    set_old(&shape[SP_INVOCATION_ROWS], invocation_names, invocation_names_6, invocation_types_6);
}

/* --- runs ----------------------------------------------------------------------------------------------------------- */

sp_status sp_tally_add(sp_tally *t, sp_row_kind kind, const sp_columns *row)
{
    const sp_field *v = row->value;
    char digits[SP_HASH_HEX] = "";
    if (kind != SP_RUN_ROWS)
        return sp_number_set_add(&t->id[kind], sp_field_number(v)) ? SP_OK : SP_ENOMEM;
    if (t->runs == t->room) {
        const size_t room = t->room + t->room / 2 + 64;
        sp_tallied *grown = realloc(t->run, room * sizeof *grown);
        if (!grown)
            return SP_ENOMEM;
        t->run = grown;
        t->room = room;
    }
    memcpy(digits, v[AT_identity].bytes, v[AT_identity].size == SP_HASH_HEX - 1 ? SP_HASH_HEX - 1 : 0);
    sp_tallied run = { .id = sp_field_number(&v[AT_id]), .answers = sp_field_number(&v[AT_answers]),
                       .invocation = sp_field_number(&v[AT_invocation]) };
    run.bad = sp_identity_read(digits, run.identity) ? NULL : "run"; /* cannot be, of a row that was written */
    memcpy(run.name, digits, SP_RUN_NAME - 1);
    run.rows[SP_MEASURE_ROWS] = sp_field_number(&v[AT_measures]);
    run.rows[SP_TRACE_ROWS] = sp_field_number(&v[AT_traces]);
    run.rows[SP_TRACE_MEASURE_ROWS] = run.rows[SP_TRACE_ROWS] * run.rows[SP_MEASURE_ROWS];
    run.rows[SP_ITERATE_ROWS] = sp_field_number(&v[AT_dimension]) > 0;
    t->run[t->runs++] = run;
    return SP_OK;
}

static int by_identity(const void *a, const void *b)
{
    const sp_tallied *x = a, *y = b;
    const int order = memcmp(x->identity, y->identity, SP_HASH_SIZE);
    return order ? order : (x->id < y->id) - (x->id > y->id);
}

static int by_id(const void *a, const void *b)
{
    const sp_tallied *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

size_t sp_tally_sort(sp_tally *t)
{
    size_t kept = 0, all = t->runs;
    if (t->runs > 0)
        qsort(t->run, t->runs, sizeof *t->run, by_identity);
    for (size_t i = 0; i < t->runs; i++)
        if (kept == 0 || memcmp(t->run[kept - 1].identity, t->run[i].identity, SP_HASH_SIZE) != 0)
            t->run[kept++] = t->run[i];
    t->runs = kept;
    if (kept > 0)
        qsort(t->run, kept, sizeof *t->run, by_id);
    for (size_t k = 0; k < SP_RUN_ROWS; k++)
        sp_number_set_sort(&t->id[k]);
    return all - kept;
}

sp_tallied *sp_tally_find(const sp_tally *t, uint64_t id)
{
    const sp_tallied key = { .id = id };
    return t->runs > 0 ? bsearch(&key, t->run, t->runs, sizeof key, by_id) : NULL;
}

bool sp_tally_has(const sp_tally *t, sp_row_kind kind, uint64_t id)
{
    return sp_number_set_has(&t->id[kind], id);
}

bool sp_tally_wrong(const sp_tally *t, const sp_tallied *run, char what[SP_DAMAGE_WHAT])
{
    static const struct { sp_row_kind kind; const char *name; } parts[] = {
        { SP_MEASURE_ROWS, "measures" }, { SP_ITERATE_ROWS, "iterates" }, { SP_TRACE_ROWS, "checkpoints" },
        { SP_TRACE_MEASURE_ROWS, "measures at checkpoints" }
    };
    if (run->bad)
        snprintf(what, SP_DAMAGE_WHAT, "a row of the table %s differs from its checksum", run->bad);
    else if (!sp_tally_has(t, SP_ANSWERS_ROWS, run->answers))
        snprintf(what, SP_DAMAGE_WHAT, "the hashes of its sources are lost");
    for (size_t p = 0; p < sizeof parts / sizeof *parts && !run->bad; p++)
        if (run->found[parts[p].kind] != run->rows[parts[p].kind]) {
            snprintf(what, SP_DAMAGE_WHAT, "%" PRIu64 " of its %" PRIu64 " %s are there", run->found[parts[p].kind],
                     run->rows[parts[p].kind], parts[p].name);
            return true;
        }
    return run->bad || !sp_tally_has(t, SP_ANSWERS_ROWS, run->answers);
}

void sp_tally_free(sp_tally *t)
{
    free(t->run);
    for (size_t k = 0; k < SP_RUN_ROWS; k++)
        sp_number_set_free(&t->id[k]);
    *t = (sp_tally){ 0 };
}
