/* edges.c -- see edges.h. */
#include "core/evidence/edges.h"

#include <string.h>

static bool same_label(const sp_table *t, size_t a, size_t b)
{
    const size_t sweep = sp_table_column(t, "sweep"), label = sp_table_column(t, "label");
    return strcmp(sp_table_text(t, a, sweep), sp_table_text(t, b, sweep)) == 0 &&
           strcmp(sp_table_text(t, a, label), sp_table_text(t, b, label)) == 0;
}

sp_edges sp_edges_count(const sp_runs *runs, size_t row)
{
    const sp_table *t = &runs->tuning;
    const size_t edge = sp_table_column(t, "edge");
    sp_edges e = { 0 };
    if (edge == t->columns || sp_table_column(t, "sweep") == t->columns || sp_table_column(t, "label") == t->columns)
        return e;
    for (size_t k = 0; k < row; k++)
        if (same_label(t, k, row))
            return e;
    for (size_t k = row; k < t->rows; k++) {
        if (!same_label(t, k, row))
            continue;
        e.points++;
        if (!sp_table_empty(t, k, edge) && e.edges++ == 0)
            e.first = k;
    }
    return e;
}

void sp_edges_tell(const sp_runs *runs, size_t row, const char *prefix, sp_text *out)
{
    const sp_table *t = &runs->tuning;
    const sp_edges e = sp_edges_count(runs, row);
    if (e.edges > 0)
        sp_text_append(out, "%s%s/%s: at %zu of %zu points the winner is at an end (%s on the edge of its grid): the "
                       "optimum may be further out\n", prefix, sp_table_text(t, row, sp_table_column(t, "sweep")),
                       sp_table_text(t, row, sp_table_column(t, "label")), e.edges, e.points,
                       sp_table_text(t, e.first, sp_table_column(t, "edge")));
}
