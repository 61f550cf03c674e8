/* unmoved.c -- finds unmoved labels in runs.tsv (unmoved.h). */
#include "core/contest/unmoved.h"

#include <math.h>
#include <string.h>

static void compare(const sp_runs *runs, size_t row, bool *known, bool *moves)
{
    const sp_table *t = &runs->table;
    for (size_t c = 0; c < t->columns; c++) {
        if (!runs->measure[c] || strcmp(t->column[c], "accuracy") == 0)
            continue;
        const size_t start = sp_runs_start_column(runs, t->column[c]);
        if (start == t->columns || isnan(sp_table_number(t, row, c)) || isnan(sp_table_number(t, row, start)))
            continue;
        *known = true;
        *moves = *moves || strcmp(sp_table_text(t, row, c), sp_table_text(t, row, start)) != 0;
    }
}

/* By its method, which is there to stay. */
static bool stays(const sp_runs *runs, size_t row)
{
    const size_t algorithm = sp_table_column(&runs->table, "algorithm");
    return algorithm < runs->table.columns && strcmp(sp_table_text(&runs->table, row, algorithm), "start") == 0;
}

bool sp_unmoved_cell(const sp_runs *runs, size_t first, size_t *end)
{
    bool any = false, all = !stays(runs, first);
    for (*end = first; *end < runs->table.rows && sp_runs_same_cell(runs, first, *end); ++*end) {
        bool known = false, moves = false;
        if (!sp_runs_succeeded(runs, *end))
            continue;
        compare(runs, *end, &known, &moves);
        any = true;
        all = all && known && !moves;
    }
    return any && all;
}

void sp_unmoved_add(sp_labels *labels, const sp_runs *runs)
{
    const sp_table *t = &runs->table;
    for (size_t row = 0; row < t->rows; row++) {
        if (stays(runs, row) || !sp_runs_succeeded(runs, row))
            continue;
        bool known = false, moves = false;
        sp_label *l = sp_labels_at(labels, sp_table_text(t, row, runs->sweep), sp_table_text(t, row, runs->label));
        compare(runs, row, &known, &moves);
        l->rows++;
        l->known += known;
        l->marked += moves;
    }
}

void sp_unmoved_tell(const sp_labels *labels, const char *prefix, sp_text *out)
{
    for (size_t i = 0; i < labels->count; i++) {
        const sp_label *l = &labels->list[i];
        if (l->known > 0 && l->marked == 0)
            sp_text_append(out,
                           "%s%s/%s: never leaves its start: all measures of its %zu run%s are as they were there\n",
                           prefix, l->sweep, l->label, l->rows, l->rows == 1 ? "" : "s");
    }
}
