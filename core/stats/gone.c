/* gone.c -- lists diverged runs and worthless winners (gone.h). */
#include "core/stats/gone.h"

#include "core/base/memory.h"

#include <math.h>
#include <string.h>

/* The first of the risks that the cell measures; columns of the table: none. */
static size_t risk_column(const sp_runs *runs)
{
    static const char *const risks[] = { "excess_risk", "population_excess_risk", "objective" };
    const sp_table *t = &runs->table;
    for (size_t i = 0; i < sizeof risks / sizeof *risks; i++) {
        const size_t y = sp_table_column(t, risks[i]);
        if (y < t->columns && runs->measure[y] && !sp_table_empty(t, 0, y))
            return y;
    }
    return t->columns;
}

static void add_tuned(sp_labels *labels, const sp_runs *runs)
{
    const sp_table *t = &runs->table;
    const size_t y = risk_column(runs);
    if (runs->tuned == t->columns || strcmp(sp_table_text(t, 0, runs->tuned), "yes") != 0 || y == t->columns)
        return;
    const size_t start = sp_runs_start_column(runs, t->column[y]);
    double risk = 0.0, before = 0.0;
    for (size_t row = 0; row < t->rows; row++) {
        risk += sp_table_number(t, row, y);
        before += sp_table_number(t, row, start);
    }
    sp_label *l = sp_labels_at(labels, sp_table_text(t, 0, runs->sweep), sp_table_text(t, 0, runs->label));
    l->rows++;
    l->known += !isnan(risk) && !isnan(before);
    if (risk >= before && l->marked++ == 0)
        l->first = sp_need(sp_copy_text(t->column[y]));
}

void sp_gone_add(sp_gone *g, const sp_runs *runs)
{
    const sp_table *t = &runs->table;
    for (size_t row = 0; row < t->rows; row++) {
        sp_label *l = sp_labels_at(&g->diverged, sp_table_text(t, row, runs->sweep),
                                   sp_table_text(t, row, runs->label));
        l->rows++;
        if (sp_runs_diverged(runs, row) && l->marked++ == 0)
            l->first = sp_need(sp_copy_text(sp_table_text(t, row, runs->diverged)));
    }
    add_tuned(&g->tuned, runs);
}

void sp_gone_tell(const sp_gone *g, const char *prefix, sp_text *out)
{
    for (size_t i = 0; i < g->diverged.count; i++) {
        const sp_label *l = &g->diverged.list[i];
        if (l->marked > 0)
            sp_text_append(out, "%s%s/%s: %zu of %zu runs diverged (%s, column diverged): they are in no ranking\n",
                           prefix, l->sweep, l->label, l->marked, l->rows, l->first);
    }
    for (size_t i = 0; i < g->tuned.count; i++) {
        const sp_label *l = &g->tuned.list[i];
        if (l->marked > 0)
            sp_text_append(out,
                           "%s%s/%s: at %zu of %zu points the tuned winner's %s is no lower than at the start: tune by "
                           "a risk, or widen the grid\n",
                           prefix, l->sweep, l->label, l->marked, l->known, l->first);
    }
}

void sp_gone_free(sp_gone *g)
{
    sp_labels_free(&g->diverged);
    sp_labels_free(&g->tuned);
}
