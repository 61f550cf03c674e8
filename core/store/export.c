/*
 * export.c -- the store as TSV.
 *
 *   runs.tsv     one row a stored run
 *   traces.tsv   one row a checkpoint of a run that succeeded
 *   timings.tsv  seconds and memory: of the run (step -), and seconds at its checkpoints
 *   provenance.tsv  one row an invocation that made some of the runs in the store
 *   skipped.tsv  cells that are not run, with the reason; only when there are any
 *   claims.tsv   one row a claim of the experiment
 *   tuning.tsv   one row a point whose parameters are chosen from a grid: the winner; only when something is tuned
 *
 * A column an axis that some cell has; "-" where a cell does not have it. Numbers read back as the same double.
 */
#include "core/store/export.h"

#include "core/base/memory.h"
#include "core/store/grids.h"

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
    sp_text runs, traces, timings, provenance, skipped, tuning;
} tables;

/* --- fields ------------------------------------------------------------------------------------------------ */

/* One field, its tabs, line ends and backslashes escaped; "-" when there is nothing to say. */
static void field(sp_text *out, const char *text)
{
    sp_text_append(out, "\t");
    if (!text || !*text)
        sp_text_append(out, "-");
    while (text && *text) {
        const size_t plain = strcspn(text, "\t\n\r\\");
        sp_text_append(out, "%.*s", (int)plain, text);
        text += plain;
        if (*text) {
            sp_text_append(out, "\\%c", *text == '\t' ? 't' : *text == '\n' ? 'n' : *text == '\r' ? 'r' : '\\');
            text++;
        }
    }
}

static void number(sp_text *out, double value)
{
    char text[SP_NUMBER_SIZE];
    sp_text_append(out, "\t%s", isnan(value) ? "NaN" : sp_number(value, text));
}

static void whole(sp_text *out, size_t value)
{
    sp_text_append(out, "\t%zu", value);
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

static void sort_distinct(names *list)
{
    size_t kept = 0;
    if (list->count > 0)
        qsort(list->name, list->count, sizeof *list->name, by_text);
    for (size_t i = 0; i < list->count; i++)
        if (kept == 0 || strcmp(list->name[kept - 1], list->name[i]) != 0)
            list->name[kept++] = list->name[i];
    list->count = kept;
}

static sp_status collect_columns(tables *t)
{
    size_t axes = 0, measures = 0;
    for (size_t i = 0; i < t->plan->cells; i++) {
        axes += t->plan->cell[i].axes;
        measures += t->plan->cell[i].measures;
    }
    t->axes.name = sp_alloc(axes + 1, sizeof *t->axes.name);
    t->measures.name = sp_alloc(measures + 1, sizeof *t->measures.name);
    if (!t->axes.name || !t->measures.name)
        return SP_ENOMEM;
    for (size_t i = 0; i < t->plan->cells; i++) {
        const sp_cell *cell = &t->plan->cell[i];
        for (size_t k = 0; k < cell->axes; k++)
            t->axes.name[t->axes.count++] = cell->axis[k].key;
        for (size_t k = 0; k < cell->measures; k++)
            t->measures.name[t->measures.count++] = cell->measure[k]->name;
    }
    sort_distinct(&t->axes);
    sort_distinct(&t->measures);
    return SP_OK;
}

static void axis_fields(sp_text *out, const tables *t, const sp_cell *cell)
{
    size_t k = 0; /* both are sorted */
    for (size_t i = 0; i < t->axes.count; i++) {
        while (k < cell->axes && strcmp(cell->axis[k].key, t->axes.name[i]) < 0)
            k++;
        const bool here = k < cell->axes && strcmp(cell->axis[k].key, t->axes.name[i]) == 0;
        field(out, here ? cell->axis[k].value : NULL);
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
    header(&t->runs, "run\tsweep\tlabel", &t->axes);
    header(&t->runs, "\treplicate\tseed\tstatus\tsignal\tmessage", &t->measures);
    sp_text_append(&t->runs, "\treference\treference_method\tpopulation_reference\tpopulation_reference_method");
    sp_text_append(&t->runs, "\tepsilon_spent\tbound\tdelta\tprivate\ttuned%s", cost_header);
    sp_text_append(&t->runs, "\tsteps\tresolved\twarning\n");
    sp_text_append(&t->traces, "run\tsweep\tlabel\treplicate\tstep%s", cost_header);
    header(&t->traces, "", &t->measures);
    sp_text_append(&t->traces, "\n");
    sp_text_append(&t->timings, "run\tsweep\tlabel\treplicate\tstep\tseconds\telapsed\tpeak_memory\n");
    header(&t->skipped, "sweep\tlabel", &t->axes);
    sp_text_append(&t->skipped, "\treason\n");
}

static void run_row(tables *t, const sp_cell *cell, size_t replicate, const char *name, const sp_result *r)
{
    sp_text *out = &t->runs;
    const bool private = cell->privacy.private;
    sp_text_append(out, "%s", name);
    field(out, cell->sweep);
    field(out, cell->label);
    axis_fields(out, t, cell);
    whole(out, replicate);
    sp_text_append(out, "\t%llu", (unsigned long long)cell->seed);
    field(out, r->status == SP_OK ? "ok" : sp_status_name(r->status));
    sp_text_append(out, "\t%d", r->signal);
    field(out, r->message);
    measure_fields(out, t, cell, r->value);
    number(out, r->reference.value);
    field(out, r->reference.method);
    number(out, r->population.value);
    field(out, r->population.method);
    number(out, r->spent.best);
    field(out, isfinite(r->spent.best) ? sp_bound_name(r->spent.bound) : NULL);
    if (private)
        number(out, cell->privacy.delta);
    else
        field(out, NULL);
    field(out, !private ? "no" : cell->privacy.noise ? "yes" : "noise_off");
    field(out, cell->tuned ? "yes" : "no");
    cost_fields(out, &r->cost);
    whole(out, r->steps);
    field(out, r->resolved);
    field(out, r->warning);
    sp_text_append(out, "\n");
}

static void run_head(sp_text *out, const sp_cell *cell, size_t replicate, const char *name)
{
    sp_text_append(out, "%s", name);
    field(out, cell->sweep);
    field(out, cell->label);
    whole(out, replicate);
}

static void trace_rows(tables *t, const sp_cell *cell, size_t replicate, const char *name, const sp_result *r)
{
    for (size_t i = 0; r->status == SP_OK && i < r->traces; i++) {
        const sp_trace_point *point = &r->trace[i];
        run_head(&t->traces, cell, replicate, name);
        whole(&t->traces, point->step);
        cost_fields(&t->traces, &point->cost);
        measure_fields(&t->traces, t, cell, point->value);
        sp_text_append(&t->traces, "\n");
    }
}

static void timing_rows(tables *t, const sp_cell *cell, size_t replicate, const char *name, const sp_result *r)
{
    run_head(&t->timings, cell, replicate, name);
    field(&t->timings, NULL);
    number(&t->timings, r->seconds);
    number(&t->timings, r->elapsed);
    whole(&t->timings, r->peak_memory);
    sp_text_append(&t->timings, "\n");
    for (size_t i = 0; r->status == SP_OK && i < r->traces; i++) {
        run_head(&t->timings, cell, replicate, name);
        whole(&t->timings, r->trace[i].step);
        number(&t->timings, r->trace[i].seconds);
        field(&t->timings, NULL);
        field(&t->timings, NULL);
        sp_text_append(&t->timings, "\n");
    }
}

static sp_status cell_rows(tables *t, sp_store *store, const sp_cell *cell, sp_error *error)
{
    if (cell->skip) {
        sp_text_append(&t->skipped, "%s", cell->sweep);
        field(&t->skipped, cell->label);
        axis_fields(&t->skipped, t, cell);
        field(&t->skipped, cell->skip);
        sp_text_append(&t->skipped, "\n");
        return SP_OK;
    }
    for (size_t replicate = 0; replicate < cell->replicates; replicate++) {
        char name[SP_RUN_NAME];
        sp_result result;
        const sp_status status = sp_store_get(store, cell, replicate, &result, error);
        if (status == SP_EABSENT)
            continue;
        if (status != SP_OK)
            return status;
        sp_run_name(cell, replicate, name);
        run_row(t, cell, replicate, name, &result);
        trace_rows(t, cell, replicate, name, &result);
        timing_rows(t, cell, replicate, name, &result);
        sp_result_free(&result);
    }
    return SP_OK;
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
    sp_text_append(out, "%s", cell->sweep);
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
    sp_text_append(out, "\n");
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

static void invocation_row(void *context, const sp_provenance_row *p, uint64_t runs)
{
    sp_text *out = context;
    const char *const text[] = { p->scale, p->command, p->compiler, p->flags, p->libraries, p->blas_core, p->cpu };
    sp_text_append(out, "%s\t%s\t%s", p->started, *p->commit ? p->commit : "-", p->dirty ? "yes" : "no");
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        field(out, text[i]);
    whole(out, runs);
    sp_text_append(out, "\n");
}

/* --- files ------------------------------------------------------------------------------------------------- */

static sp_status write_table(const char *directory, const char *name, const sp_text *text, bool wanted, sp_error *error)
{
    sp_status status = SP_OK;
    char *path = sp_format("%s/%s", directory, name);
    if (!path || text->failed)
        status = sp_fail(error, SP_ENOMEM, "%s/%s: out of memory", directory, name);
    else if (wanted)
        status = sp_write_file(path, text->data, text->length, error);
    else if (unlink(path) != 0 && errno != ENOENT)
        status = sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno));
    free(path);
    return status;
}

sp_status sp_export(const sp_plan *plan, sp_store *store, const char *directory, sp_error *error)
{
    sp_status status = SP_OK;
    tables t = { .plan = plan };
    bool skips = false;
    if (collect_columns(&t) != SP_OK) {
        status = sp_fail(error, SP_ENOMEM, "%s: out of memory", directory);
        goto cleanup;
    }
    write_headers(&t);
    for (size_t i = 0; i < plan->cells; i++) {
        skips = skips || plan->cell[i].skip;
        SP_TRY(cell_rows(&t, store, &plan->cell[i], error));
    }
    SP_TRY(tuning_rows(&t, store, error));
    sp_text_append(&t.provenance, "started\tcommit\tdirty\tscale\tcommand\tcompiler\tflags\tlibraries\tblas_core\t"
                                  "cpu\truns\n");
    SP_TRY(sp_store_invocations(store, invocation_row, &t.provenance, error));
    SP_TRY(sp_make_directory(directory, error));
    SP_TRY(write_table(directory, "runs.tsv", &t.runs, true, error));
    SP_TRY(write_table(directory, "traces.tsv", &t.traces, true, error));
    SP_TRY(write_table(directory, "timings.tsv", &t.timings, true, error));
    SP_TRY(write_table(directory, "provenance.tsv", &t.provenance, true, error));
    SP_TRY(write_table(directory, "skipped.tsv", &t.skipped, skips, error));
    SP_TRY(write_table(directory, "tuning.tsv", &t.tuning, plan->tunings > 0, error));
    SP_TRY(sp_claims_write(plan->claim, plan->claims, plan->seed, directory, error));

cleanup:
    sp_text_free(&t.runs);
    sp_text_free(&t.traces);
    sp_text_free(&t.timings);
    sp_text_free(&t.provenance);
    sp_text_free(&t.skipped);
    sp_text_free(&t.tuning);
    free(t.axes.name);
    free(t.measures.name);
    return status;
}
