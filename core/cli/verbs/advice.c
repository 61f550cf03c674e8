/* advice.c -- see advice.h. */
#include "core/cli/verbs/advice.h"

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/contest/edges.h"
#include "core/stats/gone.h"
#include "core/contest/majority.h"
#include "core/contest/unmoved.h"
#include "core/stats/tables.h"
#include "core/rates/verdict.h"
#include "core/figures/figures.h"
#include "core/figures/gnuplot.h"
#include "core/store/grids.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LARGE_EPSILON = 20.0; /* at delta = 0 a record's odds may change by e^20 */

/* --- the plan ------------------------------------------------------------------------------------------------ */

static bool asks_for(const sp_cell *cell, const sp_measure *measure)
{
    bool yes = false;
    for (size_t i = 0; i < cell->measures && !yes; i++)
        yes = cell->measure[i] == measure;
    return yes;
}

/* Measures that a sweep names and none of its cells has. */
static void advise_measures(const sp_plan *plan, FILE *out)
{
    for (size_t i = 0; i < plan->unfits; i++) {
        const sp_unfit *u = &plan->unfit[i];
        bool fits = false;
        for (size_t k = 0; k < plan->cells && !fits; k++)
            fits = strcmp(plan->cell[k].sweep, u->sweep) == 0 && asks_for(&plan->cell[k], u->measure);
        if (!fits)
            fprintf(out, "advice: sweep %s: no problem has %s: %s\n", u->sweep, u->measure->name, u->reason);
    }
}

/* Is there a run of the claim's method on the same schedule without noise? */
static bool has_noise_free(const sp_plan *plan, const sp_claim *claim)
{
    const sp_algorithm *method = NULL;
    bool yes = false;
    for (size_t i = 0; i < plan->cells && !method; i++)
        if (strcmp(plan->cell[i].sweep, claim->sweep) == 0 && strcmp(plan->cell[i].label, claim->algorithm) == 0)
            method = plan->cell[i].method->algorithm;
    for (size_t i = 0; i < plan->cells && !yes; i++)
        yes = strcmp(plan->cell[i].sweep, claim->sweep) == 0 && plan->cell[i].method->algorithm == method &&
              plan->cell[i].privacy.private && !plan->cell[i].privacy.noise;
    return yes;
}

static void advise_claims(const sp_plan *plan, FILE *out)
{
    for (size_t i = 0; i < plan->claims; i++) {
        const sp_claim *c = &plan->claim[i];
        if (c->points < SP_FEWEST_POINTS)
            fprintf(out, "advice: the claim about %s/%s: %zu values of %s, a slope needs %d\n", c->sweep, c->algorithm,
                    c->points, c->x, SP_FEWEST_POINTS);
        if (c->replicates < SP_FEWEST_REPLICATES)
            fprintf(out, "advice: the claim about %s/%s: %zu replicate%s, an interval needs %d\n", c->sweep,
                    c->algorithm, c->replicates, c->replicates == 1 ? "" : "s", SP_FEWEST_REPLICATES);
        if (c->floor > 0.0 && !has_noise_free(plan, c))
            fprintf(out, "advice: the claim about %s/%s: no run without noise (privacy = { noise = \"off\" }) says what "
                         "the schedule alone leaves\n", c->sweep, c->algorithm);
    }
}

/* Cells of which something is true: how many, and the first. */
typedef struct concern {
    const sp_cell *first;
    size_t cells;
} concern;

static void add_concern(concern *all, const sp_cell *cell)
{
    all->first = all->cells++ == 0 ? cell : all->first;
}

static void advise_budgets(const sp_plan *plan, FILE *out)
{
    concern delta = { 0 }, epsilon = { 0 };
    for (size_t i = 0; i < plan->cells; i++) {
        const sp_cell *c = &plan->cell[i];
        if (c->skip || !c->privacy.private)
            continue;
        if (c->privacy.delta * (double)c->problem->n > 1.0)
            add_concern(&delta, c);
        if (c->privacy.epsilon > LARGE_EPSILON)
            add_concern(&epsilon, c);
    }
    if (delta.cells > 0)
        fprintf(out, "advice: delta is above 1/n in %zu cell%s, from %s/%s on (%g, n = %zu): to publish one record in n "
                     "whole would be allowed\n", delta.cells, delta.cells == 1 ? "" : "s", delta.first->sweep,
                delta.first->label, delta.first->privacy.delta, delta.first->problem->n);
    if (epsilon.cells > 0)
        fprintf(out, "advice: epsilon is above %g in %zu cell%s, from %s/%s on (%g): it promises next to nothing\n",
                LARGE_EPSILON, epsilon.cells, epsilon.cells == 1 ? "" : "s", epsilon.first->sweep,
                epsilon.first->label, epsilon.first->privacy.epsilon);
}

/* Formats of figures that this machine's gnuplot cannot draw. */
static void advise_formats(const sp_plan *plan, FILE *out)
{
    static const struct { sp_figure_format format; const char *ending; } formats[] = { { SP_FORMAT_PDF, "pdf" },
                                                                                       { SP_FORMAT_PNG, "png" } };
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        const sp_figure *first = NULL;
        sp_error why = { 0 };
        bool has = true;
        for (size_t i = 0; i < plan->figures && !first; i++)
            first = plan->figure[i].formats & formats[k].format ? &plan->figure[i] : NULL;
        if (first && sp_gnuplot_has(sp_figure_terminal(formats[k].format), &has, &why) != SP_OK)
            fprintf(out, "advice: figure %s: no %s.%s can be drawn here: %s\n", first->name, first->name,
                    formats[k].ending, why.text);
        else if (!has)
            fprintf(out, "advice: figure %s: no %s.%s can be drawn here: this gnuplot has no terminal %s (Debian's "
                         "gnuplot-nox has it)\n", first->name, first->name, formats[k].ending,
                    sp_figure_terminal(formats[k].format));
    }
}

/* Methods that did not come through their rehearsal, a line each. */
static void advise_crashes(const sp_plan *plan, FILE *out)
{
    for (const char *line = plan->crashes; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
        fprintf(out, "advice: %.*s: its runs will fail\n", (int)strcspn(line, "\n"), line);
}

/* A run of a day or more, the longest one of each method: a schedule that theory gives may be endless. */
static void advise_costs(const sp_plan *plan, FILE *out)
{
    static const double LONG = 86400.0;
    char time[SP_DURATION_SIZE];
    for (size_t k = 0; k < plan->costs; k++) {
        const sp_cell *cell = &plan->cell[plan->cost[k].cell];
        const double seconds = sp_plan_seconds(cell, &plan->cost[k]);
        bool longest = seconds >= LONG && !cell->left_out;
        for (size_t i = 0; i < plan->costs && longest; i++) {
            const sp_cell *other = &plan->cell[plan->cost[i].cell];
            const double theirs = sp_plan_seconds(other, &plan->cost[i]);
            if (strcmp(other->sweep, cell->sweep) == 0 && strcmp(other->label, cell->label) == 0 && !other->left_out)
                longest = theirs < seconds || (theirs == seconds && i >= k);
        }
        if (longest)
            fprintf(out, "advice: %s/%s: a run of cell %" PRIu32 " asks for %.3g oracle calls, about %s: give steps, or a "
                    "smaller epsilon or n\n", cell->sweep, cell->label, cell->index + 1, plan->cost[k].calls,
                    sp_duration(seconds, time));
    }
}

sp_status sp_advise_plan(const sp_plan *plan, FILE *out, sp_error *error)
{
    advise_measures(plan, out);
    advise_claims(plan, out);
    advise_budgets(plan, out);
    advise_formats(plan, out);
    advise_crashes(plan, out);
    advise_costs(plan, out);
    return ferror(out) ? sp_fail(error, SP_EIO, "%s: what is to be said cannot be written", plan->path) : SP_OK;
}

/* --- the runs ------------------------------------------------------------------------------------------------ */

void sp_advise_edge(const sp_tuning *t, sp_text *out)
{
    sp_text keys = { 0 };
    if (t->known)
        sp_tuning_edge(t, t->winner, &keys);
    if (keys.length > 0)
        sp_text_append(out, " (%s on the edge of its grid)", keys.data);
    out->failed = out->failed || keys.failed;
    sp_text_free(&keys);
}

static const char prefix[] = "advice: ";

/* Of grids, from tuning.tsv. */
static sp_status advise_edges(const char *tables, sp_text *out, sp_error *error)
{
    sp_table_reader points = { 0 };
    sp_labels edges = { 0 };
    sp_status status = sp_results_open(tables, "tuning.tsv", &points, error);
    if (status == SP_EABSENT)
        return SP_OK; /* nothing is tuned */
    SP_TRY(status);
    do {
        SP_TRY(sp_table_next(&points, SP_TABLE_ROW, error));
        sp_edges_add(&edges, &points.table);
    } while (points.table.rows > 0);
    for (size_t i = 0; i < edges.count; i++)
        sp_edges_tell(&edges.list[i], prefix, out);
cleanup:
    sp_table_close(&points);
    sp_labels_free(&edges);
    return status;
}

/* What methods warned of, by label: how many cells it has, and, in the order in which they did so first, how many warned
 * and of what. */
typedef struct warnings {
    sp_labels cells, warned;
} warnings;

static void add_warning(warnings *w, const sp_runs *runs)
{
    const sp_table *t = &runs->cells;
    const size_t warning = sp_table_column(t, "warning");
    if (warning == t->columns)
        return;
    const char *sweep = sp_table_text(&runs->table, 0, runs->sweep), *name = sp_table_text(&runs->table, 0, runs->label);
    sp_label *all = sp_labels_at(&w->cells, sweep, name);
    all->rows++;
    if (sp_table_empty(t, 0, warning))
        return;
    sp_label *l = sp_labels_at(&w->warned, sweep, name);
    if (l->marked++ == 0)
        l->first = sp_need(sp_copy_text(sp_table_text(t, 0, warning)));
}

static void tell_warnings(const warnings *w, sp_text *out)
{
    for (size_t i = 0; i < w->warned.count; i++) {
        const sp_label *l = &w->warned.list[i];
        sp_text_append(out, "%s%s/%s: in %zu of %zu cells: %s\n", prefix, l->sweep, l->label, l->marked,
                       sp_labels_find(&w->cells, l->sweep, l->label)->rows, l->first);
    }
}

/* Of cells that follow each other: on which problem might every method as well name the majority class? */
typedef struct problem {
    sp_text name, last;   /* what its columns say of the cell at hand, and of the one before */
    sp_text title;        /* for people */
    sp_majority majority; /* since the problem is that of the last cell */
} problem;

static void tell_majority(const problem *p, sp_text *out)
{
    const double share = sp_majority_share(&p->majority);
    if (!isnan(share))
        sp_text_append(out, "%s%s: accuracy is no better than the majority class: %.3f\n", prefix, p->title.data, share);
    out->failed = out->failed || p->name.failed || p->last.failed || p->title.failed;
}

static void name_problem(const sp_runs *runs, sp_text *name)
{
    name->length = 0;
    for (size_t k = 0; k < runs->table.columns; k++)
        if (sp_majority_names(runs, k)) {
            sp_table_write(name, sp_table_text(&runs->table, 0, k));
            sp_text_add(name, "\t", 1);
        }
}

static void begin_problem(problem *p, const sp_runs *runs)
{
    const sp_table *t = &runs->table;
    const size_t data = sp_table_axis(t, "data"), n = sp_table_axis(t, "n");
    p->majority = (sp_majority){ 0 };
    p->title.length = 0;
    sp_text_append(&p->title, "%s, %s, n = %s", sp_table_text(t, 0, runs->sweep),
                   data < t->columns ? sp_table_text(t, 0, data) : "signs",
                   n < t->columns ? sp_table_text(t, 0, n) : "-");
}

/* Says of the problem before what there is to say. */
static void add_majority(problem *p, const sp_runs *runs, sp_text *out)
{
    if (sp_table_column(&runs->table, "accuracy") == runs->table.columns)
        return;
    const sp_text before = p->last;
    p->last = p->name;
    p->name = before;
    name_problem(runs, &p->name);
    if (!p->last.data || p->name.failed || p->last.failed || strcmp(p->name.data, p->last.data) != 0) {
        tell_majority(p, out);
        begin_problem(p, runs);
    }
    sp_majority_add(&p->majority, runs, 0);
}

/* Of runs, in one pass over cells.tsv and runs.tsv. */
static sp_status advise_cells(sp_cell_reader *cells, sp_text *out, sp_error *error)
{
    sp_status status = SP_OK;
    warnings w = { 0 };
    sp_labels still = { 0 };
    sp_gone gone = { 0 };
    problem p = { 0 };
    sp_text majority = { 0 };
    for (;;) {
        SP_TRY(sp_cell_reader_next(cells, error));
        if (cells->runs.table.rows == 0)
            break;
        add_warning(&w, &cells->runs);
        sp_unmoved_add(&still, &cells->runs);
        sp_gone_add(&gone, &cells->runs);
        add_majority(&p, &cells->runs, &majority);
    }
    tell_majority(&p, &majority);
    tell_warnings(&w, out);
    sp_unmoved_tell(&still, prefix, out);
    sp_gone_tell(&gone, prefix, out);
    sp_text_add(out, majority.length > 0 ? majority.data : "", majority.length);
    out->failed = out->failed || majority.failed;
cleanup:
    sp_labels_free(&w.cells);
    sp_labels_free(&w.warned);
    sp_labels_free(&still);
    sp_gone_free(&gone);
    sp_text_free(&p.name);
    sp_text_free(&p.last);
    sp_text_free(&p.title);
    sp_text_free(&majority);
    return status;
}

sp_status sp_advise_runs(const sp_session *session, FILE *out, sp_error *error)
{
    sp_cell_reader cells = { 0 };
    sp_text said = { 0 };
    sp_status status = sp_cell_reader_open(session->tables, &cells, error);
    if (status != SP_OK)
        return status == SP_EABSENT ? SP_OK : status;
    SP_TRY(advise_edges(session->tables, &said, error));
    SP_TRY(advise_cells(&cells, &said, error));
    if (said.failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", session->tables));
    if (said.data)
        fputs(said.data, out);
cleanup:
    sp_text_free(&said);
    sp_cell_reader_close(&cells);
    return status;
}
