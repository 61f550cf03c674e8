/* edges.c -- reads the column `edge` of tuning.tsv (edges.h). */
#include "core/contest/edges.h"

#include "core/base/memory.h"

void sp_edges_add(sp_labels *labels, const sp_table *t)
{
    const size_t edge = sp_table_column(t, "edge");
    const size_t sweep = sp_table_column(t, "sweep"), label = sp_table_column(t, "label");
    if (edge == t->columns || sweep == t->columns || label == t->columns)
        return;
    for (size_t row = 0; row < t->rows; row++) {
        sp_label *l = sp_labels_at(labels, sp_table_text(t, row, sweep), sp_table_text(t, row, label));
        const bool at_end = !sp_table_empty(t, row, edge);
        if (at_end && l->marked == 0)
            l->first = sp_need(sp_copy_text(sp_table_text(t, row, edge)));
        l->rows++;
        l->marked += at_end;
    }
}

void sp_edges_tell(const sp_label *l, const char *prefix, sp_text *out)
{
    if (l->marked > 0)
        sp_text_append(out, "%s%s/%s: at %zu of %zu points the winner is at an end (%s on the edge of its grid): the "
                       "optimum may be further out\n", prefix, l->sweep, l->label, l->marked, l->rows, l->first);
}
