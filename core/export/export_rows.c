/*
 * export_rows.c -- see export_rows.h.
 *
 * Where a method hands a point over to another, the column handover is the step at which it does. A column an axis that
 * some cell has; nothing where a cell does not have it. Numbers read back as the same double.
 */
#include "core/export/export_rows.h"

#include "core/base/memory.h"
#include "core/base/resolved.h"
#include "core/base/table.h"
#include "core/export/export_resolved.h"
#include "core/base/table_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void names(sp_text *out, const char *const *name, size_t count)
{
    for (size_t i = 0; i < count; i++)
        field(out, name[i]);
}

/* Frees the text. */
static void text_field(sp_text *out, sp_text *text)
{
    field(out, text->data);
    out->failed = out->failed || text->failed;
    sp_text_free(text);
}

/* --- columns ----------------------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort(const char **name, size_t count)
{
    if (count > 0)
        qsort(name, count, sizeof *name, by_text);
}

/* Adds a name that is not there yet. Cells share most of their texts, so that a look at the addresses mostly suffices. */
static sp_status add_name(const char ***list, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if ((*list)[i] == name)
            return SP_OK;
    for (size_t i = 0; i < *count; i++)
        if (strcmp((*list)[i], name) == 0)
            return SP_OK;
    const char **grown = realloc(*list, (*count + 1) * sizeof *grown);
    if (!grown)
        return SP_ENOMEM;
    grown[(*count)++] = name;
    *list = grown;
    return SP_OK;
}

/* Adds the name of a parameter, of which the arena then holds a copy. */
static sp_status add_resolved(void *context, const char *name)
{
    sp_export_columns *c = context;
    for (size_t i = 0; i < c->resolveds; i++)
        if (strcmp(c->resolved[i], name) == 0)
            return SP_OK;
    const char *copy = sp_arena_copy(&c->names, name);
    return copy ? add_name(&c->resolved, &c->resolveds, copy) : SP_ENOMEM;
}

/* Have two methods the same parameters? */
static bool same_shape(const sp_method *a, const sp_method *b)
{
    bool same = a->algorithm == b->algorithm;
    for (size_t i = 0; i < a->values.count && same; i++) {
        const sp_method *x = sp_submethod(&a->values, i), *y = sp_submethod(&b->values, i);
        same = x && y ? same_shape(x, y) : !x && !y;
    }
    return same;
}

sp_status sp_export_columns_find(sp_export_columns *out, const sp_plan *plan)
{
    sp_status status = SP_OK;
    out->plan = plan;
    const sp_method *before = NULL;
    for (size_t i = 0; i < plan->cells; i++) {
        const sp_cell *cell = &plan->cell[i];
        const sp_method *method = cell->method;
        if (!before || !same_shape(method, before))
            SP_TRY(sp_parameter_names(method, add_resolved, out));
        before = method;
        out->handed = out->handed || sp_hands_over(method);
        for (sp_axis_at axis = { 0 }; sp_cell_next_axis(cell, &axis);)
            SP_TRY(add_name(&out->axis, &out->axes, axis.key));
        for (size_t k = 0; k < cell->measures; k++)
            SP_TRY(add_name(&out->measure, &out->measures, cell->measure[k]->name));
    }
    sort(out->axis, out->axes);
    sort(out->measure, out->measures);
    sort(out->resolved, out->resolveds);
cleanup:
    return status;
}

void sp_export_columns_free(sp_export_columns *columns)
{
    free(columns->axis);
    free(columns->measure);
    free(columns->resolved);
    sp_arena_free(&columns->names);
    *columns = (sp_export_columns){ 0 };
}

static void axis_fields(sp_text *out, const sp_export_columns *c, const sp_cell *cell)
{
    sp_axis_at axis = { 0 }; /* both are sorted */
    bool more = sp_cell_next_axis(cell, &axis);
    for (size_t i = 0; i < c->axes; i++) {
        while (more && strcmp(axis.key, c->axis[i]) < 0)
            more = sp_cell_next_axis(cell, &axis);
        field(out, more && strcmp(axis.key, c->axis[i]) == 0 ? axis.value : NULL);
    }
}

/* `without`: bit i: nothing of the cell's measure[i]. */
static void measure_fields(sp_text *out, const sp_export_columns *c, const sp_cell *cell, const double *value,
                           uint16_t without)
{
    for (size_t i = 0; i < c->measures; i++) {
        size_t k = 0;
        while (k < cell->measures && strcmp(cell->measure[k]->name, c->measure[i]) != 0)
            k++;
        if (k < cell->measures && !(without & 1u << k))
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

/* --- cells and runs ------------------------------------------------------------------------------------------ */

static const char cost_header[] = "\tgradients\tdifferences\thessians\tlosses\treleases";

void sp_cells_head(const sp_export_columns *c, sp_text *out)
{
    sp_text_add_text(out, "cell\tsweep\tlabel");
    names(out, c->axis, c->axes);
    sp_text_add_text(out, "\tseed\tprivate\tdelta\ttuned");
}

void sp_cells_row(const sp_export_columns *c, const sp_cell *cell, size_t number_in_plan, sp_text *out)
{
    const bool private = cell->privacy.private;
    sp_text_add_count(out, number_in_plan);
    field(out, cell->sweep);
    field(out, cell->label);
    axis_fields(out, c, cell);
    whole(out, cell->seed);
    field(out, !private ? "no" : cell->privacy.noise ? "yes" : "noise_off");
    if (private)
        number(out, cell->privacy.delta);
    else
        field(out, NULL);
    field(out, cell->tuned ? "yes" : "no");
}

void sp_runs_head(const sp_export_columns *c, sp_text *out)
{
    sp_text_add_text(out, "run\tcell\treplicate\tstatus\tmessage");
    names(out, c->measure, c->measures);
}

void sp_runs_row(const sp_export_columns *c, const sp_run_of *run, sp_text *out)
{
    const sp_result *r = run->result;
    sp_text_add_text(out, run->name);
    whole(out, run->number);
    whole(out, run->replicate);
    field(out, r->status == SP_OK ? "ok" : sp_status_name(r->status));
    field(out, r->message);
    measure_fields(out, c, run->cell, r->value, 0);
}

void sp_shared_head(const sp_export_columns *c, sp_text *out)
{
    sp_text_add_text(out, "\tsignal");
    for (size_t i = 0; i < c->measures; i++) {
        sp_text_add_text(out, "\tstart.");
        sp_table_write(out, c->measure[i]);
    }
    sp_text_add_text(out, "\treference\treference_method\tpopulation_reference\tpopulation_reference_method");
    sp_text_append(out, "\tepsilon_spent\tbound%s\tsteps%s\tresolved\twarning"
                        "\tpromise\tpromise_at_start\tcapped\twarnings\tdiverged", cost_header,
                   c->handed ? "\thandover" : "");
    for (size_t i = 0; i < c->resolveds; i++) {
        sp_text_add_text(out, "\tresolved.");
        sp_table_write(out, c->resolved[i]);
    }
}

static void resolved_fields(sp_text *out, const sp_export_columns *c, const sp_run_of *run)
{
    sp_text value = { 0 };
    for (size_t i = 0; i < c->resolveds; i++) {
        value.length = 0;
        const bool known = sp_parameter_value(run->cell, run->result, c->resolved[i], &value);
        field(out, known ? value.data : NULL);
        out->failed = out->failed || value.failed;
    }
    sp_text_free(&value);
}

/* The measures at the starting point; NaN where the run left no checkpoint there. */
static void start_fields(sp_text *out, const sp_export_columns *c, const sp_cell *cell, const sp_result *r)
{
    double unknown[SP_MEASURES_MAX];
    for (size_t i = 0; i < SP_MEASURES_MAX; i++)
        unknown[i] = NAN;
    const bool known = r->status == SP_OK && r->traces > 0 && r->trace[0].step == 0;
    measure_fields(out, c, cell, known ? r->trace[0].value : unknown, 0);
}

void sp_shared_row(const sp_export_columns *c, const sp_run_of *run, sp_text *out)
{
    const sp_result *r = run->result;
    whole(out, (size_t)r->signal);
    start_fields(out, c, run->cell, r);
    number(out, r->reference.value);
    field(out, r->reference.method);
    number(out, r->population.value);
    field(out, r->population.method);
    number(out, r->spent.best);
    field(out, isfinite(r->spent.best) ? sp_bound_name(r->spent.bound) : NULL);
    cost_fields(out, &r->cost);
    whole(out, r->steps);
    if (c->handed)
        number(out, r->handover);
    field(out, r->resolved);
    field(out, r->warning);
    number(out, r->promise);
    number(out, r->promise_at_start);
    sp_text capped = { 0 }, codes = { 0 };
    sp_resolved_caps(r->resolved ? r->resolved : "", &capped);
    text_field(out, &capped);
    sp_warnings_print(r->warned, &codes);
    text_field(out, &codes);
    field(out, sp_divergence_name(r->diverged));
    resolved_fields(out, c, run);
}

/* --- along the way ------------------------------------------------------------------------------------------- */

static void run_head(sp_text *out, const sp_run_of *run)
{
    sp_text_add_text(out, run->name);
    field(out, run->cell->sweep);
    field(out, run->cell->label);
    whole(out, run->replicate);
}

void sp_traces_head(const sp_export_columns *c, sp_text *out, uint64_t *seed)
{
    const size_t begin = out->length;
    sp_text_append(out, "run\tsweep\tlabel\treplicate\tstep%s", cost_header);
    names(out, c->measure, c->measures);
    sp_table_sum_line(out, begin, seed);
    sp_text_add(out, "\n", 1);
}

void sp_traces_rows(const sp_export_columns *c, const sp_run_of *run, sp_text *out, uint64_t *seed)
{
    const sp_result *r = run->result;
    for (size_t i = 0; r->status == SP_OK && i < r->traces; i++) {
        const sp_trace_point *point = &r->trace[i];
        const size_t begin = out->length;
        run_head(out, run);
        whole(out, point->step);
        cost_fields(out, &point->cost);
        measure_fields(out, c, run->cell, point->value, point->step > 0 ? r->untraced : 0); /* was it taken later? */
        sp_table_sum_line(out, begin, seed);
        sp_text_add(out, "\n", 1);
    }
}

void sp_timings_head(sp_text *out)
{
    sp_text_add_text(out, "run\tsweep\tlabel\treplicate\tstep\tseconds\telapsed\tpeak_memory\n");
}

void sp_timings_rows(const sp_run_of *run, sp_text *out)
{
    const sp_result *r = run->result;
    run_head(out, run);
    field(out, NULL);
    number(out, r->seconds);
    number(out, r->elapsed);
    whole(out, r->peak_memory);
    sp_text_add(out, "\n", 1);
    for (size_t i = 0; r->status == SP_OK && i < r->traces; i++) {
        run_head(out, run);
        whole(out, r->trace[i].step);
        number(out, r->trace[i].seconds);
        field(out, NULL);
        field(out, NULL);
        sp_text_add(out, "\n", 1);
    }
}

/* --- skipped cells ------------------------------------------------------------------------------------------- */

void sp_skipped_head(const sp_export_columns *c, sp_text *out)
{
    sp_text_add_text(out, "sweep\tlabel");
    names(out, c->axis, c->axes);
    sp_text_add_text(out, "\treason\n");
}

void sp_skipped_row(const sp_export_columns *c, const sp_cell *cell, sp_text *out)
{
    sp_table_write(out, cell->sweep);
    field(out, cell->label);
    axis_fields(out, c, cell);
    field(out, cell->skip);
    sp_text_add(out, "\n", 1);
}

/* --- tuning ------------------------------------------------------------------------------------------------- */

const char *sp_tuning_axis(const sp_export_columns *c, const sp_tuning *tuning, const char *axis)
{
    const sp_cell *cell = &c->plan->cell[tuning->cell];
    const char *value = sp_cell_axis(cell, axis);
    for (size_t m = 1; m < tuning->members && value; m++) {
        const char *other = sp_cell_axis(cell + m, axis);
        value = other && strcmp(value, other) == 0 ? value : NULL;
    }
    return value;
}

void sp_tuning_head(const sp_export_columns *c, sp_text *out)
{
    sp_text_add_text(out, "sweep\tlabel");
    names(out, c->axis, c->axes);
    sp_text_add_text(out, "\tmeasure\tgrid\twinner\tmedian\tworst\tedge\tpoints\tmembers\treplicates");
    sp_text_append(out, "\truns\tfailed%s\tmedians\n", cost_header);
}

void sp_tuning_row(const sp_export_columns *c, const sp_tuning *tuning, const sp_tuning_scores *scores, sp_text *out)
{
    sp_text text = { 0 };
    const sp_cell *cell = &c->plan->cell[tuning->cell];
    const char *family = cell->problem->family;
    const bool won = scores->winner < tuning->points;
    const sp_cell *worst = won ? cell + scores->worst[scores->winner] : cell;
    sp_table_write(out, cell->sweep);
    field(out, cell->label);
    for (size_t i = 0; i < c->axes; i++)
        field(out, sp_tuning_axis(c, tuning, c->axis[i]));
    field(out, tuning->measure->name);
    sp_tuning_print_grid(tuning, &text);
    text_field(out, &text);
    if (won)
        sp_tuning_print_point(tuning, scores->winner, &text);
    text_field(out, &text);
    number(out, won ? scores->median[scores->winner] : NAN);
    field(out, won && family ? sp_cell_axis(worst, family) : NULL);
    if (won)
        sp_tuning_edge(tuning, scores->winner, &text);
    text_field(out, &text);
    whole(out, tuning->points);
    whole(out, tuning->members);
    whole(out, c->plan->trial[tuning->trial].replicates);
    whole(out, scores->runs);
    whole(out, scores->failed);
    cost_fields(out, &scores->cost);
    for (size_t g = 0; g < tuning->points; g++)
        sp_text_append(&text, isnan(scores->median[g]) ? "%sNaN" : "%s%.4g", g > 0 ? " " : "", scores->median[g]);
    text_field(out, &text);
    sp_text_add(out, "\n", 1);
}

/* --- who made them ------------------------------------------------------------------------------------------- */

void sp_provenance_head(sp_text *out)
{
    sp_text_add_text(out, "started\tcommit\tdirty\tscale\tcommand\tcompiler\tflags\tlibraries\tblas_core\tcpu\truns\tmade\n");
}

void sp_provenance_line(const sp_provenance_row *p, uint64_t runs, sp_text *out)
{
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
}
