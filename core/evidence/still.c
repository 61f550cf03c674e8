/* still.c -- see still.h. */
#include "core/evidence/still.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct method {
    size_t row;  /* its first run */
    size_t runs; /* that succeeded */
    bool known, moves;
} method;

static method *method_of(const sp_runs *runs, method *list, size_t *count, size_t row)
{
    const sp_table *t = &runs->table;
    for (size_t i = *count; i-- > 0;) /* most rows follow one of their own */
        if (strcmp(sp_table_text(t, list[i].row, runs->label), sp_table_text(t, row, runs->label)) == 0 &&
            strcmp(sp_table_text(t, list[i].row, runs->sweep), sp_table_text(t, row, runs->sweep)) == 0)
            return &list[i];
    list[*count] = (method){ .row = row };
    return &list[(*count)++];
}

static void compare(const sp_runs *runs, size_t row, method *m)
{
    const sp_table *t = &runs->table;
    m->runs++;
    for (size_t c = 0; c < t->columns; c++) {
        if (!runs->measure[c] || strcmp(t->column[c], "accuracy") == 0)
            continue;
        const size_t start = sp_runs_start_column(runs, t->column[c]);
        if (start == t->columns || isnan(sp_table_number(t, row, c)) || isnan(sp_table_number(t, row, start)))
            continue;
        m->known = true;
        m->moves = m->moves || strcmp(sp_table_text(t, row, c), sp_table_text(t, row, start)) != 0;
    }
}

sp_status sp_still_tell(const sp_runs *runs, const char *prefix, sp_text *out, sp_error *error)
{
    const sp_table *t = &runs->table;
    const size_t algorithm = sp_table_column(t, "algorithm");
    size_t count = 0;
    method *list = sp_alloc(t->rows + 1, sizeof *list);
    if (!list)
        return sp_fail(error, SP_ENOMEM, "runs.tsv: out of memory");
    for (size_t row = 0; row < t->rows; row++) {
        const bool stays = algorithm < t->columns && strcmp(sp_table_text(t, row, algorithm), "start") == 0;
        if (!stays && sp_runs_succeeded(runs, row))
            compare(runs, row, method_of(runs, list, &count, row));
    }
    for (size_t i = 0; i < count; i++)
        if (list[i].known && !list[i].moves)
            sp_text_append(out, "%s%s/%s: never leaves its start: all measures of its %zu run%s are as they were there\n",
                           prefix, sp_table_text(t, list[i].row, runs->sweep),
                           sp_table_text(t, list[i].row, runs->label), list[i].runs, list[i].runs == 1 ? "" : "s");
    free(list);
    return SP_OK;
}
