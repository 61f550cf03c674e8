/* table_grids.c -- see table_grids.h. */
#include "core/store/table_grids.h"

#include "core/base/memory.h"
#include "core/base/table.h"
#include "core/store/export_rows.h"

#include <stdlib.h>
#include <string.h>

typedef struct grids {
    sp_table table;            /* tuning.tsv */
    sp_export_columns columns; /* of the plan */
    size_t *axis;              /* where the table has them */
    size_t sweep, label, measure, grid, winner;
} grids;

static bool holds(const grids *g, size_t row, size_t column, const char *value)
{
    if (column == g->table.columns || sp_table_empty(&g->table, row, column))
        return !value;
    return value && strcmp(sp_table_text(&g->table, row, column), value) == 0;
}

static bool is_tuned(const sp_tuning *t, const char *axis)
{
    static const char place[] = "algorithm.";
    if (strncmp(axis, place, sizeof place - 1) != 0)
        return false;
    for (size_t k = 0; k < t->keys; k++)
        if (strcmp(axis + sizeof place - 1, t->member[0].key[k].key) == 0)
            return true;
    return false;
}

/* The tuned parameters are those of the winner in the table, and not there yet in the plan. */
static bool is_row_of(const grids *g, size_t row, const sp_tuning *t, const char *grid)
{
    const sp_cell *cell = &g->columns.plan->cell[t->cell];
    bool is = holds(g, row, g->sweep, cell->sweep) && holds(g, row, g->label, cell->label) &&
              holds(g, row, g->measure, t->measure->name) && holds(g, row, g->grid, grid);
    for (size_t i = 0; is && i < g->columns.axes; i++)
        is = is_tuned(t, g->columns.axis[i]) ||
             holds(g, row, g->axis[i], sp_tuning_axis(&g->columns, t, g->columns.axis[i]));
    return is;
}

/* The row's winner as a point of the grid; points where it is none of them. */
static sp_status read_winner(const grids *g, size_t row, const sp_tuning *t, size_t *winner, sp_error *error)
{
    *winner = t->points;
    for (size_t point = 0; point < t->points && *winner == t->points; point++) {
        sp_text text = { 0 };
        sp_tuning_print_point(t, point, &text);
        const bool failed = text.failed;
        if (!failed && holds(g, row, g->winner, text.data))
            *winner = point;
        sp_text_free(&text);
        if (failed)
            return sp_fail(error, SP_ENOMEM, "out of memory");
    }
    return SP_OK;
}

static sp_status choose(const grids *g, sp_tuning *t, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text grid = { 0 };
    size_t row = 0;
    sp_tuning_print_grid(t, &grid);
    if (grid.failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
    while (row < g->table.rows && !is_row_of(g, row, t, grid.data))
        row++;
    if (row < g->table.rows)
        SP_TRY(read_winner(g, row, t, &t->winner, error));
    t->known = row < g->table.rows && t->winner < t->points;
cleanup:
    sp_text_free(&grid);
    return status;
}

static sp_status open_grids(grids *g, const sp_plan *plan, const char *path, sp_error *error)
{
    sp_status status = SP_OK;
    SP_TRY(sp_table_read(path, &g->table, error));
    if (sp_export_columns_find(&g->columns, plan) != SP_OK ||
        !(g->axis = sp_alloc(g->columns.axes + 1, sizeof *g->axis)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    for (size_t i = 0; i < g->columns.axes; i++)
        g->axis[i] = sp_table_column(&g->table, g->columns.axis[i]);
    g->sweep = sp_table_column(&g->table, "sweep");
    g->label = sp_table_column(&g->table, "label");
    g->measure = sp_table_column(&g->table, "measure");
    g->grid = sp_table_column(&g->table, "grid");
    g->winner = sp_table_column(&g->table, "winner");
cleanup:
    return status;
}

sp_status sp_table_grids_choose(sp_plan *plan, const char *folder, sp_error *error)
{
    sp_status status = SP_OK;
    grids g = { 0 };
    bool *chosen = sp_alloc(plan->tunings + 1, sizeof *chosen);
    char *path = sp_format("%s/tuning.tsv", folder);
    if (!chosen || !path)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", folder));
    status = plan->tunings > 0 ? open_grids(&g, plan, path, error) : SP_EABSENT;
    if (status == SP_EABSENT) {
        status = SP_OK;
        goto cleanup;
    }
    SP_TRY(status);
    for (size_t i = 0; i < plan->tunings; i++) {
        sp_tuning *t = &plan->tuning[i];
        if (t->lender || t->known || t->derives || plan->cell[t->cell].skip)
            continue;
        SP_TRY(choose(&g, t, error));
        chosen[i] = t->known;
    }
    for (size_t i = 0; i < plan->tunings; i++) {
        const sp_tuning *t = &plan->tuning[i];
        for (size_t m = 0; m < t->members && chosen[t->from] && !plan->cell[t->cell].skip; m++)
            SP_TRY(sp_tuning_resolve_cell(plan, t, m, error));
    }
cleanup:
    sp_table_free(&g.table);
    sp_export_columns_free(&g.columns);
    free(g.axis);
    free(chosen);
    free(path);
    return status;
}
