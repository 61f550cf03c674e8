/*
 * export.c -- the store as TSV.
 *
 *   cells.tsv    one row a cell that has a stored run: its number in the plan, what the experiment gives it (sweep,
 *                label, axes, seed, privacy, whether it is tuned), and every column of the runs in which the runs of
 *                each cell agree
 *   runs.tsv     one row a stored run: its cell, replicate, status and measures, and the columns in which the runs of
 *                some cell differ
 *   traces.tsv   one row a checkpoint of a run that succeeded
 *   timings.tsv  seconds and memory: of the run (step -), and seconds at its checkpoints
 *   provenance.tsv  one row an invocation that made some of the runs in the store
 *   keys.tsv     by what they were made (keys.h)
 *   skipped.tsv  cells that are not run, with the reason; only when there are any
 *   claims.tsv   one row a claim of the experiment
 *   audits.tsv   one row a method; only when some was audited
 *   tuning.tsv   one row a point whose parameters are chosen from a grid: the winner; only when something is tuned
 *
 * Where a method hands a point over to another, the column handover is the step at which it does. A column an axis that
 * some cell has; nothing where a cell does not have it. Numbers read back as the same double.
 */
#include "core/store/export.h"

#include "core/base/memory.h"
#include "core/base/packed.h"
#include "core/base/table.h"
#include "core/store/audits.h"
#include "core/store/grids.h"
#include "core/store/keys.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sorted distinct names; they belong to the plan. */
typedef struct names {
    const char **name;
    size_t count;
} names;

typedef struct tables {
    const sp_plan *plan;
    names axes, measures;
    sp_text cells, runs; /* lines: what stands in that table whatever the runs are */
    sp_text shared;      /* a line a run, each field behind a tab: what stands in either table */
    size_t columns;      /* of `shared` */
    bool handed;         /* a method of the plan hands a point over to another: there is a column handover */
    bool *differs;       /* by column of `shared`: runs of one cell do, so it belongs to runs.tsv */
    size_t *stored;      /* by cell of the plan: its stored runs */
    sp_text traces, timings, provenance, keys, skipped, tuning;
    sp_key_makers makers;
} tables;

/* --- fields ------------------------------------------------------------------------------------------------ */

/* One field and the tab before it; nothing when there is nothing to say. */
static void field(sp_text *out, const char *text)
{
    sp_text_add(out, "\t", 1);
    sp_table_write(out, text && *text ? text : NULL);
}

static void number(sp_text *out, double value)
{
    char text[SP_NUMBER_SIZE];
    sp_text_add(out, "\t", 1);
    sp_text_add_text(out, isnan(value) ? "NaN" : sp_number(value, text));
}

static void whole(sp_text *out, size_t value)
{
    sp_text_add(out, "\t", 1);
    sp_text_add_count(out, value);
}

static void header(sp_text *out, const char *fixed, const names *more)
{
    sp_text_append(out, "%s", fixed);
    for (size_t i = 0; more && i < more->count; i++)
        field(out, more->name[i]);
}

/* --- columns ----------------------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort(names *list)
{
    if (list->count > 0)
        qsort(list->name, list->count, sizeof *list->name, by_text);
}

/* Adds a name that is not there yet. Cells share most of their texts, so that a look at the addresses mostly suffices. */
static sp_status add_name(names *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->name[i] == name)
            return SP_OK;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->name[i], name) == 0)
            return SP_OK;
    const char **grown = realloc(list->name, (list->count + 1) * sizeof *grown);
    if (!grown)
        return SP_ENOMEM;
    grown[list->count++] = name;
    list->name = grown;
    return SP_OK;
}

static sp_status collect_columns(tables *t)
{
    sp_status status = SP_OK;
    for (size_t i = 0; i < t->plan->cells; i++) {
        const sp_cell *cell = &t->plan->cell[i];
        t->handed = t->handed || sp_hands_over(cell->method);
        for (size_t k = 0; k < sp_cell_axes(cell); k++)
            SP_TRY(add_name(&t->axes, sp_cell_axis_at(cell, k)->key));
        for (size_t k = 0; k < cell->measures; k++)
            SP_TRY(add_name(&t->measures, cell->measure[k]->name));
    }
    sort(&t->axes);
    sort(&t->measures);
cleanup:
    return status;
}

static void axis_fields(sp_text *out, const tables *t, const sp_cell *cell)
{
    size_t k = 0; /* both are sorted */
    for (size_t i = 0; i < t->axes.count; i++) {
        const sp_axis_value *axis;
        while ((axis = sp_cell_axis_at(cell, k)) != NULL && strcmp(axis->key, t->axes.name[i]) < 0)
            k++;
        field(out, axis && strcmp(axis->key, t->axes.name[i]) == 0 ? axis->value : NULL);
    }
}

static void measure_fields(sp_text *out, const tables *t, const sp_cell *cell, const double *value)
{
    for (size_t i = 0; i < t->measures.count; i++) {
        size_t k = 0;
        while (k < cell->measures && strcmp(cell->measure[k]->name, t->measures.name[i]) != 0)
            k++;
        if (k < cell->measures)
            number(out, value[k]);
        else
            field(out, NULL);
    }
}

static void cost_fields(sp_text *out, const sp_cost *cost)
{
    number(out, cost->gradients);
    number(out, cost->differences);
    number(out, cost->hessians);
    number(out, cost->losses);
    whole(out, cost->releases);
}

/* --- rows -------------------------------------------------------------------------------------------------- */

static const char cost_header[] = "\tgradients\tdifferences\thessians\tlosses\treleases";

static void write_headers(tables *t)
{
    header(&t->cells, "cell\tsweep\tlabel", &t->axes);
    sp_text_append(&t->cells, "\tseed\tprivate\tdelta\ttuned\n");
    header(&t->runs, "run\tcell\treplicate\tstatus\tmessage", &t->measures);
    sp_text_append(&t->runs, "\n");
    sp_text_append(&t->shared, "\tsignal");
    for (size_t i = 0; i < t->measures.count; i++) {
        sp_text_append(&t->shared, "\tstart.");
        sp_table_write(&t->shared, t->measures.name[i]);
    }
    sp_text_append(&t->shared, "\treference\treference_method\tpopulation_reference\tpopulation_reference_method");
    sp_text_append(&t->shared, "\tepsilon_spent\tbound%s\tsteps%s\tresolved\twarning\n", cost_header,
                   t->handed ? "\thandover" : "");
    sp_text_append(&t->traces, "run\tsweep\tlabel\treplicate\tstep%s", cost_header);
    header(&t->traces, "", &t->measures);
    sp_text_add(&t->traces, "\n", 1);
    sp_text_append(&t->timings, "run\tsweep\tlabel\treplicate\tstep\tseconds\telapsed\tpeak_memory\n");
    header(&t->skipped, "sweep\tlabel", &t->axes);
    sp_text_append(&t->skipped, "\treason\n");
}

static void cell_row(tables *t, const sp_cell *cell, size_t number_in_plan)
{
    sp_text *out = &t->cells;
    const bool private = cell->privacy.private;
    sp_text_add_count(out, number_in_plan);
    field(out, cell->sweep);
    field(out, cell->label);
    axis_fields(out, t, cell);
    whole(out, cell->seed);
    field(out, !private ? "no" : cell->privacy.noise ? "yes" : "noise_off");
    if (private)
        number(out, cell->privacy.delta);
    else
        field(out, NULL);
    field(out, cell->tuned ? "yes" : "no");
    sp_text_add(out, "\n", 1);
}

static void run_row(tables *t, const sp_cell *cell, size_t number_in_plan, size_t replicate, const char *name,
                    const sp_result *r)
{
    sp_text *out = &t->runs;
    sp_text_add_text(out, name);
    whole(out, number_in_plan);
    whole(out, replicate);
    field(out, r->status == SP_OK ? "ok" : sp_status_name(r->status));
    field(out, r->message);
    measure_fields(out, t, cell, r->value);
    sp_text_add(out, "\n", 1);
}

/* The measures at the starting point; NaN where the run left no checkpoint there. */
static void start_fields(sp_text *out, const tables *t, const sp_cell *cell, const sp_result *r)
{
    double unknown[SP_MEASURES_MAX];
    for (size_t i = 0; i < SP_MEASURES_MAX; i++)
        unknown[i] = NAN;
    const bool known = r->status == SP_OK && r->traces > 0 && r->trace[0].step == 0;
    measure_fields(out, t, cell, known ? r->trace[0].value : unknown);
}

static void shared_row(tables *t, const sp_cell *cell, const sp_result *r)
{
    sp_text *out = &t->shared;
    whole(out, (size_t)r->signal);
    start_fields(out, t, cell, r);
    number(out, r->reference.value);
    field(out, r->reference.method);
    number(out, r->population.value);
    field(out, r->population.method);
    number(out, r->spent.best);
    field(out, isfinite(r->spent.best) ? sp_bound_name(r->spent.bound) : NULL);
    cost_fields(out, &r->cost);
    whole(out, r->steps);
    if (t->handed)
        number(out, r->handover);
    field(out, r->resolved);
    field(out, r->warning);
    sp_text_add(out, "\n", 1);
}

static void run_head(sp_text *out, const sp_cell *cell, size_t replicate, const char *name)
{
    sp_text_add_text(out, name);
    field(out, cell->sweep);
    field(out, cell->label);
    whole(out, replicate);
}

/* A measure that was taken later has no value along the way. */
static void trace_fields(tables *t, const sp_cell *cell, const sp_result *r, const sp_trace_point *point)
{
    for (size_t i = 0; i < t->measures.count; i++) {
        size_t k = 0;
        while (k < cell->measures && strcmp(cell->measure[k]->name, t->measures.name[i]) != 0)
            k++;
        if (k < cell->measures && !(point->step > 0 && r->untraced & 1u << k))
            number(&t->traces, point->value[k]);
        else
            field(&t->traces, NULL);
    }
}

static void trace_rows(tables *t, const sp_cell *cell, size_t replicate, const char *name, const sp_result *r)
{
    for (size_t i = 0; r->status == SP_OK && i < r->traces; i++) {
        const sp_trace_point *point = &r->trace[i];
        run_head(&t->traces, cell, replicate, name);
        whole(&t->traces, point->step);
        cost_fields(&t->traces, &point->cost);
        trace_fields(t, cell, r, point);
        sp_text_add(&t->traces, "\n", 1);
    }
}

static void timing_rows(tables *t, const sp_cell *cell, size_t replicate, const char *name, const sp_result *r)
{
    run_head(&t->timings, cell, replicate, name);
    field(&t->timings, NULL);
    number(&t->timings, r->seconds);
    number(&t->timings, r->elapsed);
    whole(&t->timings, r->peak_memory);
    sp_text_add(&t->timings, "\n", 1);
    for (size_t i = 0; r->status == SP_OK && i < r->traces; i++) {
        run_head(&t->timings, cell, replicate, name);
        whole(&t->timings, r->trace[i].step);
        number(&t->timings, r->trace[i].seconds);
        field(&t->timings, NULL);
        field(&t->timings, NULL);
        sp_text_add(&t->timings, "\n", 1);
    }
}

static sp_status cell_rows(tables *t, sp_store *store, const sp_cell *cell, sp_error *error)
{
    if (cell->skip) {
        sp_table_write(&t->skipped, cell->sweep);
        field(&t->skipped, cell->label);
        axis_fields(&t->skipped, t, cell);
        field(&t->skipped, cell->skip);
        sp_text_append(&t->skipped, "\n");
        return SP_OK;
    }
    sp_status status = SP_OK;
    const size_t index = (size_t)(cell - t->plan->cell);
    sp_made *made = sp_alloc(cell->replicates, sizeof *made);
    if (!made)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", t->plan->path);
    for (size_t replicate = 0; replicate < cell->replicates; replicate++) {
        char name[SP_RUN_NAME];
        sp_result result;
        status = sp_store_get_made(store, cell, replicate, &result, &made[replicate], error);
        if (status == SP_EABSENT)
            continue;
        SP_TRY(status);
        sp_run_name(cell, replicate, name);
        if (t->stored[index]++ == 0)
            cell_row(t, cell, index + 1);
        run_row(t, cell, index + 1, replicate, name, &result);
        shared_row(t, cell, &result);
        trace_rows(t, cell, replicate, name, &result);
        timing_rows(t, cell, replicate, name, &result);
        sp_result_free(&result);
    }
    status = sp_keys_cell(store, index + 1, made, cell->replicates, &t->makers, &t->keys);
cleanup:
    free(made);
    return status;
}

/* --- tuning ------------------------------------------------------------------------------------------------- */

/* What all members have in common. */
static void common_axis_fields(sp_text *out, const tables *t, const sp_tuning *tuning)
{
    const sp_cell *cell = &t->plan->cell[tuning->cell];
    for (size_t i = 0; i < t->axes.count; i++) {
        const char *value = sp_cell_axis(cell, t->axes.name[i]);
        for (size_t m = 1; m < tuning->members && value; m++) {
            const char *other = sp_cell_axis(cell + m, t->axes.name[i]);
            value = other && strcmp(value, other) == 0 ? value : NULL;
        }
        field(out, value);
    }
}

static void text_field(sp_text *out, sp_text *text)
{
    field(out, text->data);
    out->failed = out->failed || text->failed;
    sp_text_free(text);
}

static void tuning_row(tables *t, const sp_tuning *tuning, const sp_tuning_scores *scores)
{
    sp_text *out = &t->tuning, text = { 0 };
    const sp_cell *cell = &t->plan->cell[tuning->cell];
    const bool won = scores->winner < tuning->points;
    const sp_cell *worst = won ? cell + scores->worst[scores->winner] : cell;
    sp_table_write(out, cell->sweep);
    field(out, cell->label);
    common_axis_fields(out, t, tuning);
    field(out, tuning->measure->name);
    sp_tuning_print_grid(tuning, &text);
    text_field(out, &text);
    if (won)
        sp_tuning_print_point(tuning, scores->winner, &text);
    text_field(out, &text);
    number(out, won ? scores->median[scores->winner] : NAN);
    field(out, won && cell->family ? sp_cell_axis(worst, cell->family) : NULL);
    if (won)
        sp_tuning_edge(tuning, scores->winner, &text);
    text_field(out, &text);
    whole(out, tuning->points);
    whole(out, tuning->members);
    whole(out, t->plan->trial[tuning->trial].replicates);
    whole(out, scores->runs);
    whole(out, scores->failed);
    cost_fields(out, &scores->cost);
    for (size_t g = 0; g < tuning->points; g++)
        sp_text_append(&text, isnan(scores->median[g]) ? "%sNaN" : "%s%.4g", g > 0 ? " " : "", scores->median[g]);
    text_field(out, &text);
    sp_text_add(out, "\n", 1);
}

/* Points whose grid is complete. */
static sp_status tuning_rows(tables *t, sp_store *store, sp_error *error)
{
    sp_status status = SP_OK;
    header(&t->tuning, "sweep\tlabel", &t->axes);
    sp_text_append(&t->tuning, "\tmeasure\tgrid\twinner\tmedian\tworst\tedge\tpoints\tmembers\treplicates");
    sp_text_append(&t->tuning, "\truns\tfailed%s\tmedians\n", cost_header);
    for (size_t i = 0; i < t->plan->tunings; i++) {
        const sp_tuning *tuning = &t->plan->tuning[i];
        sp_tuning_scores scores;
        if (tuning->lender)
            continue;
        SP_TRY(sp_tuning_read(t->plan, tuning, store, &scores, error));
        if (scores.complete)
            tuning_row(t, tuning, &scores);
        sp_tuning_scores_free(&scores);
    }
cleanup:
    return status;
}

/* Its row, and that it stands there. */
static void invocation_row(void *context, const sp_provenance_row *p, uint64_t runs)
{
    tables *t = context;
    sp_text *out = &t->provenance;
    uint64_t *grown = realloc(t->makers.id, (t->makers.count + 1) * sizeof *grown);
    out->failed = out->failed || !grown;
    if (!grown)
        return;
    t->makers.id = grown;
    grown[t->makers.count++] = p->id;
    const char *const text[] = { p->scale, p->command, p->compiler, p->flags, p->libraries, p->blas_core, p->cpu };
    sp_table_write(out, p->started);
    field(out, p->commit);
    field(out, p->dirty ? "yes" : "no");
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (text[i] == p->flags && *p->flags) /* as the compiler has them: no formula, though they begin with "-" */
            sp_text_append(out, "\t%s", p->flags);
        else
            field(out, text[i]);
    whole(out, runs);
    sp_text_add(out, "\n", 1);
}

/* --- cells and runs ------------------------------------------------------------------------------------------ */

/* The end of the field behind this tab. */
static const char *field_end(const char *tab)
{
    return tab + 1 + strcspn(tab + 1, "\t\n");
}

static const char *next_line(const char *line)
{
    return strchr(line, '\n') + 1;
}

/* Finds the columns of `shared` in which runs of one cell differ. */
static sp_status find_differing(tables *t)
{
    const char *line = t->shared.data; /* the header */
    for (const char *c = line; *c != '\n'; c++)
        t->columns += *c == '\t';
    t->differs = sp_alloc(t->columns, sizeof *t->differs);
    if (!t->differs)
        return SP_ENOMEM;
    line = next_line(line);
    for (size_t i = 0; i < t->plan->cells; i++)
        for (size_t k = 0; k < t->stored[i]; k++, line = next_line(line)) {
            const char *a = line, *b = next_line(line);
            for (size_t c = 0; c < t->columns && k + 1 < t->stored[i]; c++) {
                const char *a_end = field_end(a), *b_end = field_end(b);
                t->differs[c] = t->differs[c] || a_end - a != b_end - b || memcmp(a, b, (size_t)(a_end - a)) != 0;
                a = a_end;
                b = b_end;
            }
        }
    return SP_OK;
}

/* One line of a table: its own and those fields of a line of `shared` that belong there. */
static void join_lines(sp_text *out, const char *own, const char *shared, const tables *t, bool runs)
{
    sp_text_add(out, own, strcspn(own, "\n"));
    for (size_t c = 0; c < t->columns; c++) {
        const char *end = field_end(shared);
        if (t->differs[c] == runs)
            sp_text_add(out, shared, (size_t)(end - shared));
        shared = end;
    }
    sp_text_add(out, "\n", 1);
}

/* Puts the fields of `shared` behind those of the cells and of the runs. */
static void append_shared(tables *t)
{
    sp_text cells = { 0 }, runs = { 0 };
    const char *cell = t->cells.data, *run = t->runs.data, *shared = t->shared.data;
    join_lines(&cells, cell, shared, t, false);
    join_lines(&runs, run, shared, t, true);
    for (size_t i = 0; i < t->plan->cells; i++)
        for (size_t k = 0; k < t->stored[i]; k++) {
            run = next_line(run);
            shared = next_line(shared);
            if (k == 0)
                join_lines(&cells, cell = next_line(cell), shared, t, false);
            join_lines(&runs, run, shared, t, true);
        }
    sp_text_free(&t->cells);
    sp_text_free(&t->runs);
    sp_text_free(&t->shared);
    t->cells = cells;
    t->runs = runs;
}

/* --- files ------------------------------------------------------------------------------------------------- */

typedef struct table_file {
    const char *name;
    const sp_text *text;
    bool wanted;  /* else there is none */
    bool in_git;
} table_file;

static sp_status remove_file(const char *path, sp_error *error)
{
    return unlink(path) == 0 || errno == ENOENT ? SP_OK : sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno));
}

/* A table that lies there packed and holds the same stays packed; else the packed one makes room. */
static sp_status write_table(const char *directory, const table_file *file, sp_error *error)
{
    sp_status status = SP_OK;
    char *path = sp_format("%s/%s", directory, file->name), *packed = sp_format("%s/%s.gz", directory, file->name);
    if (!path || !packed || file->text->failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s/%s: out of memory", directory, file->name));
    if (file->wanted && access(packed, F_OK) == 0 && sp_packed_holds(path, file->text->data, file->text->length))
        goto cleanup;
    SP_TRY(file->wanted ? sp_write_file(path, file->text->data, file->text->length, error) : remove_file(path, error));
    SP_TRY(remove_file(packed, error));
cleanup:
    free(packed);
    free(path);
    return status;
}

/* Is the table there as it would be written? Of what git does not keep, or is it not there at all? */
static bool is_there(const char *directory, const table_file *table)
{
    char *path = sp_format("%s/%s", directory, table->name);
    const bool there = path && (sp_packed_there(path)
                                    ? table->wanted && sp_packed_holds(path, table->text->data, table->text->length)
                                    : !(table->wanted && table->in_git));
    free(path);
    return there;
}

static bool has_provenance(const char *directory)
{
    char *path = sp_format("%s/provenance.tsv", directory);
    const bool there = path && access(path, F_OK) == 0;
    free(path);
    return there;
}

static sp_status write_files(const tables *t, const char *directory, bool skips, bool *same, sp_error *error)
{
    sp_status status = SP_OK;
    const table_file file[] = {
        { "cells.tsv", &t->cells, true, true },      { "runs.tsv", &t->runs, true, true },
        { "skipped.tsv", &t->skipped, skips, true }, { "tuning.tsv", &t->tuning, t->plan->tunings > 0, true },
        { "traces.tsv", &t->traces, true, false },
    };
    bool stays = same && has_provenance(directory);
    for (size_t i = 0; i < sizeof file / sizeof *file && stays; i++)
        stays = is_there(directory, &file[i]);
    if (!stays) { /* first: killed between them, the next export still finds tables that differ */
        SP_TRY(write_table(directory, &(table_file){ "provenance.tsv", &t->provenance, true, true }, error));
        SP_TRY(write_table(directory, &(table_file){ "keys.tsv", &t->keys, true, true }, error));
    }
    for (size_t i = 0; i < sizeof file / sizeof *file; i++)
        SP_TRY(write_table(directory, &file[i], error));
    SP_TRY(write_table(directory, &(table_file){ "timings.tsv", &t->timings, true, false }, error));
    if (same)
        *same = stays;
cleanup:
    return status;
}

sp_status sp_export(const sp_plan *plan, sp_store *store, const char *directory, bool *same, sp_error *error)
{
    sp_status status = SP_OK;
    tables t = { .plan = plan };
    bool skips = false, held = false;
    SP_TRY(sp_store_hold(store, &held, error));
    t.stored = sp_alloc(plan->cells + 1, sizeof *t.stored);
    if (!t.stored || collect_columns(&t) != SP_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", directory));
    write_headers(&t);
    sp_text_append(&t.provenance, "started\tcommit\tdirty\tscale\tcommand\tcompiler\tflags\tlibraries\tblas_core\t"
                                  "cpu\truns\n");
    SP_TRY(sp_store_invocations(store, invocation_row, &t, error));
    sp_keys_head(&t.keys);
    for (size_t i = 0; i < plan->cells; i++) {
        skips = skips || plan->cell[i].skip;
        SP_TRY(cell_rows(&t, store, &plan->cell[i], error));
    }
    if (t.cells.failed || t.runs.failed || t.shared.failed || find_differing(&t) != SP_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", directory));
    append_shared(&t);
    SP_TRY(tuning_rows(&t, store, error));
    SP_TRY(sp_make_directory(directory, error));
    SP_TRY(write_files(&t, directory, skips, same, error));
    SP_TRY(sp_export_audits(plan, store, directory, error));
    SP_TRY(sp_claims_write(plan->claim, plan->claims, plan->seed, directory, error));

cleanup:
    sp_store_let_go(store, held);
    sp_text_free(&t.cells);
    sp_text_free(&t.runs);
    sp_text_free(&t.shared);
    sp_text_free(&t.traces);
    sp_text_free(&t.timings);
    sp_text_free(&t.provenance);
    sp_text_free(&t.keys);
    free(t.makers.id);
    sp_text_free(&t.skipped);
    sp_text_free(&t.tuning);
    free(t.differs);
    free(t.stored);
    free(t.axes.name);
    free(t.measures.name);
    return status;
}
