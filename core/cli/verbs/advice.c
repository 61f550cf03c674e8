/* advice.c -- see advice.h. */
#include "core/cli/verbs/advice.h"

#include "core/base/memory.h"
#include "core/evidence/edges.h"
#include "core/evidence/majority.h"
#include "core/evidence/still.h"
#include "core/evidence/verdict.h"
#include "core/figures/figures.h"
#include "core/figures/gnuplot.h"
#include "core/store/grids.h"

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
            method = sp_cell_method(&plan->cell[i]).algorithm;
    for (size_t i = 0; i < plan->cells && !yes; i++)
        yes = strcmp(plan->cell[i].sweep, claim->sweep) == 0 && sp_cell_method(&plan->cell[i]).algorithm == method &&
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
        if (c->privacy.delta * (double)sp_cell_problem(c).n > 1.0)
            add_concern(&delta, c);
        if (c->privacy.epsilon > LARGE_EPSILON)
            add_concern(&epsilon, c);
    }
    if (delta.cells > 0)
        fprintf(out, "advice: delta is above 1/n in %zu cell%s, from %s/%s on (%g, n = %zu): to publish one record in n "
                     "whole would be allowed\n", delta.cells, delta.cells == 1 ? "" : "s", delta.first->sweep,
                delta.first->label, delta.first->privacy.delta, sp_cell_problem(delta.first).n);
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

sp_status sp_advise_plan(const sp_plan *plan, FILE *out, sp_error *error)
{
    advise_measures(plan, out);
    advise_claims(plan, out);
    advise_budgets(plan, out);
    advise_formats(plan, out);
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

/* What methods warned of, a line a label. */
static sp_status advise_warnings(const sp_runs *runs, sp_text *out, sp_error *error)
{
    const sp_table *t = &runs->cells;
    const size_t sweep = sp_table_column(t, "sweep"), label = sp_table_column(t, "label");
    const size_t warning = sp_table_column(t, "warning");
    if (sweep == t->columns || label == t->columns || warning == t->columns)
        return SP_OK;
    bool *said = sp_alloc(t->rows + 1, sizeof *said);
    if (!said)
        return sp_fail(error, SP_ENOMEM, "cells.tsv: out of memory");
    for (size_t row = 0; row < t->rows; row++) {
        size_t cells = 0, warned = 0;
        if (said[row] || sp_table_empty(t, row, warning))
            continue;
        for (size_t k = 0; k < t->rows; k++)
            if (strcmp(sp_table_text(t, k, sweep), sp_table_text(t, row, sweep)) == 0 &&
                strcmp(sp_table_text(t, k, label), sp_table_text(t, row, label)) == 0) {
                cells++;
                warned += !sp_table_empty(t, k, warning);
                said[k] = true;
            }
        sp_text_append(out, "%s%s/%s: in %zu of %zu cells: %s\n", prefix, sp_table_text(t, row, sweep),
                       sp_table_text(t, row, label), warned, cells, sp_table_text(t, row, warning));
    }
    free(said);
    return SP_OK;
}

/* A line for each problem on which every method might as well name the majority class. */
static void advise_majority(const sp_runs *runs, sp_text *out)
{
    const sp_table *t = &runs->table;
    const size_t data = sp_table_axis(t, "data"), n = sp_table_axis(t, "n");
    for (size_t row = 0, end = 0; row < t->rows; row = end) {
        const double share = sp_majority_unbeaten(runs, row, &end);
        if (!isnan(share))
            sp_text_append(out, "%s%s, %s, n = %s: accuracy is no better than the majority class: %.3f\n", prefix,
                           sp_table_text(t, row, runs->sweep),
                           data < t->columns ? sp_table_text(t, row, data) : "signs",
                           n < t->columns ? sp_table_text(t, row, n) : "-", share);
    }
}

sp_status sp_advise_runs(const sp_session *session, FILE *out, sp_error *error)
{
    sp_runs runs = { 0 };
    sp_text said = { 0 };
    sp_status status = sp_runs_open(session->tables, session->plan.seed, &runs, error);
    if (status != SP_OK)
        return status == SP_EABSENT ? SP_OK : status;
    for (size_t row = 0; row < runs.tuning.rows; row++)
        sp_edges_tell(&runs, row, prefix, &said);
    SP_TRY(advise_warnings(&runs, &said, error));
    SP_TRY(sp_still_tell(&runs, prefix, &said, error));
    advise_majority(&runs, &said);
    if (said.failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", session->tables));
    if (said.data)
        fputs(said.data, out);
cleanup:
    sp_text_free(&said);
    sp_runs_close(&runs);
    return status;
}
