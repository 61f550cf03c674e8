/* table_grids.c -- see table_grids.h. */
#include "core/export/table_grids.h"

#include "core/base/memory.h"
#include "core/base/packed.h"

#include <stdlib.h>
#include <string.h>

static bool holds(const sp_table_grids *g, size_t row, size_t column, const char *value)
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
static bool is_row_of(const sp_table_grids *g, size_t row, const sp_tuning *t)
{
    const sp_cell *cell = &g->columns->plan->cell[t->cell];
    bool is = holds(g, row, g->sweep, cell->sweep) && holds(g, row, g->label, cell->label);
    for (size_t i = 0; is && i < g->columns->axes; i++)
        is = is_tuned(t, g->columns->axis[i]) ||
             holds(g, row, g->axis[i], sp_tuning_axis(g->columns, t, g->columns->axis[i]));
    return is;
}

/* The row's winner as a point of the grid; points where it is none of them. */
static sp_status read_winner(const sp_table_grids *g, size_t row, const sp_tuning *t, size_t *winner, sp_error *error)
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

static sp_status choose(const sp_table_grids *g, sp_tuning *t, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text grid = { 0 };
    size_t row = 0;
    sp_tuning_print_grid(t, &grid);
    if (grid.failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
    while (row < g->table.rows && !(holds(g, row, g->measure, t->measure->name) &&
                                    holds(g, row, g->grid, grid.data) && is_row_of(g, row, t)))
        row++;
    if (row < g->table.rows)
        SP_TRY(read_winner(g, row, t, &t->winner, error));
    t->known = row < g->table.rows && t->winner < t->points;
cleanup:
    sp_text_free(&grid);
    return status;
}

static sp_status open_grids(sp_table_grids *g, const sp_export_columns *columns, const char *path, sp_error *error)
{
    sp_status status = SP_OK;
    g->columns = columns;
    SP_TRY(sp_table_read(path, &g->table, error));
    g->axis = sp_alloc(columns->axes + 1, sizeof *g->axis);
    if (!g->axis)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    for (size_t i = 0; i < columns->axes; i++)
        g->axis[i] = sp_table_column(&g->table, columns->axis[i]);
    g->sweep = sp_table_column(&g->table, "sweep");
    g->label = sp_table_column(&g->table, "label");
    g->measure = sp_table_column(&g->table, "measure");
    g->grid = sp_table_column(&g->table, "grid");
    g->winner = sp_table_column(&g->table, "winner");
cleanup:
    return status;
}

void sp_table_grids_free(sp_table_grids *g)
{
    sp_table_free(&g->table);
    free(g->axis);
    free(g->row);
    free(g->planned);
    *g = (sp_table_grids){ 0 };
}

/* --- winners ---------------------------------------------------------------------------------------------------- */

sp_status sp_table_grids_choose(sp_plan *plan, const char *folder, sp_error *error)
{
    sp_status status = SP_OK;
    sp_table_grids g = { 0 };
    sp_export_columns columns = { 0 };
    bool *chosen = sp_alloc(plan->tunings + 1, sizeof *chosen);
    char *path = sp_format("%s/tuning.tsv", folder);
    if (!chosen || !path)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", folder));
    if (sp_export_columns_find(&columns, plan) != SP_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    status = plan->tunings > 0 ? open_grids(&g, &columns, path, error) : SP_EABSENT;
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
    sp_table_grids_free(&g);
    sp_export_columns_free(&columns);
    free(chosen);
    free(path);
    return status;
}

/* --- lines ------------------------------------------------------------------------------------------------------ */

/* The rows of the plan's tunings: mostly in their order. */
static sp_status find_rows(sp_table_grids *g, const char *path, sp_error *error)
{
    const sp_plan *plan = g->columns->plan;
    const size_t rows = g->table.rows;
    size_t next = 0;
    g->row = sp_alloc(plan->tunings + 1, sizeof *g->row);
    g->planned = sp_alloc(rows + 1, sizeof *g->planned);
    if (!g->row || !g->planned)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
    for (size_t i = 0; i < plan->tunings; i++) {
        g->row[i] = rows;
        for (size_t k = 0; k < rows && g->row[i] == rows && !plan->tuning[i].lender; k++) {
            const size_t row = (next + k) % rows;
            g->row[i] = !g->planned[row] && is_row_of(g, row, &plan->tuning[i]) ? row : rows;
        }
        if (g->row[i] == rows)
            continue;
        g->planned[g->row[i]] = true;
        next = g->row[i] + 1;
    }
    return SP_OK;
}

sp_status sp_table_grids_open(sp_table_grids *g, const sp_export_columns *columns, const char *folder, sp_error *error)
{
    sp_status status = SP_OK;
    char *path = sp_format("%s/tuning.tsv", folder);
    if (!path)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", folder);
    if (sp_packed_there(path)) {
        SP_TRY(open_grids(g, columns, path, error));
        SP_TRY(find_rows(g, path, error));
    }
cleanup:
    free(path);
    return status;
}

/* A row under the columns of the plan's table. */
static void add_line(const sp_table_grids *g, size_t row, sp_text *out)
{
    sp_text head = { 0 };
    sp_tuning_head(g->columns, &head);
    out->failed = out->failed || head.failed;
    for (char *name = head.failed ? NULL : head.data; name && *name;) {
        const size_t length = strcspn(name, "\t\n");
        const char end = name[length];
        name[length] = '\0';
        const size_t column = sp_table_column(&g->table, name);
        if (column < g->table.columns)
            sp_table_copy(out, &g->table, row, column);
        else
            sp_table_write(out, NULL);
        sp_text_add(out, &end, 1);
        name += length + 1;
    }
    sp_text_free(&head);
}

static void add_until(sp_table_grids *g, size_t end, sp_text *out)
{
    for (; g->written < end; g->written++)
        if (!g->planned[g->written])
            add_line(g, g->written, out);
}

bool sp_table_grids_pass(sp_table_grids *g, size_t i, bool write, sp_text *out)
{
    const size_t row = g->row ? g->row[i] : 0;
    if (row == g->table.rows)
        return false;
    add_until(g, row, out);
    if (write)
        add_line(g, row, out);
    return write;
}

void sp_table_grids_end(sp_table_grids *g, sp_text *out)
{
    add_until(g, g->table.rows, out);
}
