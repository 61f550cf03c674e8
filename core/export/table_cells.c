/* table_cells.c -- see table_cells.h. */
#include "core/export/table_cells.h"

#include "core/base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const prefix[SP_PARTS] = { "algorithm", "privacy", "problem" }; /* in the order of sp_part */

/* A cell by the hash of what it is looked for: its text and seed, or its place (hash_place). */
typedef struct entry {
    uint64_t hash;
    size_t cell;
} entry;

typedef struct making {
    const sp_plan *plan;
    const sp_table *table;
    const char *place;
    size_t sweep, label, seed, tuned;     /* columns */
    size_t *axis[SP_PARTS], axes[SP_PARTS]; /* columns of each part, sorted by name */
    entry *text, *at;                     /* all cells by text, the tuned ones by place; sorted */
    size_t texts, ats;
    sp_table_cells *out;
    sp_error *error;
} making;

static sp_status no_memory(const making *m)
{
    return sp_fail(m->error, SP_ENOMEM, "%s: out of memory", m->place);
}

/* --- columns -------------------------------------------------------------------------------------------------- */

static bool is_axis_of(const char *column, const char *part)
{
    const size_t length = strlen(part);
    return strncmp(column, part, length) == 0 && (column[length] == '\0' || column[length] == '.');
}

static int by_name(const void *a, const void *b, void *context)
{
    const sp_table *table = context;
    return strcmp(table->column[*(const size_t *)a], table->column[*(const size_t *)b]);
}

static sp_status find_columns(making *m)
{
    const struct { const char *name; size_t *column; } needed[] = {
        { "sweep", &m->sweep }, { "label", &m->label }, { "seed", &m->seed }, { "tuned", &m->tuned },
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if ((*needed[i].column = sp_table_column(m->table, needed[i].name)) == m->table->columns)
            return sp_fail(m->error, SP_EDATA, "%s: no column %s", m->place, needed[i].name);
    for (size_t part = 0; part < SP_PARTS; part++) {
        if (!(m->axis[part] = sp_alloc(m->table->columns + 1, sizeof **m->axis)))
            return no_memory(m);
        for (size_t c = 0; c < m->table->columns; c++)
            if (is_axis_of(m->table->column[c], prefix[part]))
                m->axis[part][m->axes[part]++] = c;
        if (m->axes[part] > 0)
            qsort_r(m->axis[part], m->axes[part], sizeof **m->axis, by_name, (void *)m->table);
    }
    return SP_OK;
}

/* --- the plan's cells ------------------------------------------------------------------------------------------- */

/* Is the value the grid of a parameter, as a cell shows it before its winner is known? */
static bool is_grid(const char *value)
{
    return value[0] == '{' || strncmp(value, "times {", sizeof "times {" - 1) == 0;
}

/* The tuning of a tuned cell; NULL: it is skipped, and has none. */
static const sp_tuning *tuning_of(const sp_plan *plan, size_t cell)
{
    size_t low = 0, high = plan->tunings;
    while (low < high) { /* the last one that does not begin behind the cell */
        const size_t middle = low + (high - low) / 2;
        if (plan->tuning[middle].cell <= cell)
            low = middle + 1;
        else
            high = middle;
    }
    const sp_tuning *t = low > 0 ? &plan->tuning[low - 1] : NULL;
    return t && cell < t->cell + t->members ? &plan->tuning[t->from] : NULL;
}

/* Does a grid choose the value of this axis of the plan's cell? */
static bool is_chosen(const sp_plan *plan, const sp_cell *cell, const char *key, const char *value)
{
    const size_t length = sizeof "algorithm." - 1;
    if (strncmp(key, "algorithm.", length) != 0)
        return false;
    const sp_tuning *t = tuning_of(plan, cell->index);
    for (size_t k = 0; t && k < t->keys; k++)
        if (strcmp(t->member->key[k].key, key + length) == 0)
            return true;
    return !t && is_grid(value);
}

static uint64_t add_hash(uint64_t hash, const char *text) /* FNV-1a, as sp_text_hash */
{
    for (const char *at = text;; at++) {
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
        if (!*at)
            return hash;
    }
}

static uint64_t hash_text(const sp_cell *cell)
{
    uint64_t hash = cell->seed;
    for (sp_axis_at at = { 0 }; sp_cell_next_axis(cell, &at);)
        hash = add_hash(add_hash(hash, at.key), at.value);
    return hash;
}

/* Of sweep, label, seed and all axes but those that a grid of `like`, a cell of the plan, chooses. */
static uint64_t hash_place(const sp_plan *plan, const sp_cell *cell, const sp_cell *like)
{
    uint64_t hash = add_hash(add_hash(cell->seed, cell->sweep), cell->label);
    for (sp_axis_at at = { 0 }; sp_cell_next_axis(cell, &at);) {
        const char *value = like == cell ? at.value : sp_cell_axis(like, at.key);
        if (!(value && is_chosen(plan, like, at.key, value)))
            hash = add_hash(add_hash(hash, at.key), at.value);
    }
    return hash;
}

static int by_hash(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return x->hash != y->hash ? (x->hash > y->hash) - (x->hash < y->hash) : (x->cell > y->cell) - (x->cell < y->cell);
}

static sp_status list_cells(making *m)
{
    const sp_plan *plan = m->plan;
    m->text = sp_alloc(plan->cells + 1, sizeof *m->text);
    m->at = sp_alloc(plan->cells + 1, sizeof *m->at);
    if (!m->text || !m->at)
        return no_memory(m);
    for (size_t i = 0; i < plan->cells; i++) {
        m->text[m->texts++] = (entry){ hash_text(&plan->cell[i]), i };
        if (plan->cell[i].tuned)
            m->at[m->ats++] = (entry){ hash_place(plan, &plan->cell[i], &plan->cell[i]), i };
    }
    qsort(m->text, m->texts, sizeof *m->text, by_hash);
    qsort(m->at, m->ats, sizeof *m->at, by_hash);
    return SP_OK;
}

static const entry *find_hash(const entry *list, size_t count, uint64_t hash)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && list[low].hash == hash ? &list[low] : NULL;
}

/* The plan's cell of this very text, in its own sweep where several share it; NULL: none. */
static const sp_cell *find_planned(const making *m, const sp_cell *cell)
{
    const sp_cell *found = NULL;
    const uint64_t hash = hash_text(cell);
    for (const entry *e = find_hash(m->text, m->texts, hash); e && e < m->text + m->texts && e->hash == hash; e++) {
        const sp_cell *c = &m->plan->cell[e->cell];
        if (c->seed != cell->seed || c->pending || sp_cell_compare(c, cell) != 0)
            continue;
        if (strcmp(c->sweep, cell->sweep) == 0 && strcmp(c->label, cell->label) == 0)
            return c;
        found = found ? found : c;
    }
    return found;
}

/* The plan's tuned cell that has all of this cell but what a grid chooses; NULL: none. */
static const sp_cell *find_tuned(const making *m, const sp_cell *cell)
{
    const sp_cell *like = NULL; /* has the grid of this label */
    for (size_t i = 0; i < m->ats; i++) {
        const sp_cell *c = &m->plan->cell[m->at[i].cell];
        if (strcmp(c->label, cell->label) != 0 || strcmp(c->sweep, cell->sweep) != 0)
            continue;
        like = c;
        break;
    }
    const entry *e = like ? find_hash(m->at, m->ats, hash_place(m->plan, cell, like)) : NULL;
    return e ? &m->plan->cell[e->cell] : NULL;
}

/* --- rows ------------------------------------------------------------------------------------------------------- */

/* One part of a row's axes, in the arena; NULL when out of memory. */
static const sp_axes *read_part(making *m, size_t row, size_t part)
{
    const sp_table *t = m->table;
    size_t count = 0;
    for (size_t i = 0; i < m->axes[part]; i++)
        count += !sp_table_empty(t, row, m->axis[part][i]);
    sp_axes *axes = sp_arena_words(&m->out->arena, sizeof *axes + count * sizeof *axes->axis);
    if (!axes)
        return NULL;
    for (size_t i = 0; i < m->axes[part]; i++)
        if (!sp_table_empty(t, row, m->axis[part][i]))
            axes->axis[axes->count++] = (sp_axis_text){ t->column[m->axis[part][i]], sp_table_text(t, row, m->axis[part][i]) };
    return axes;
}

static sp_status read_cell(making *m, size_t row)
{
    sp_cell cell = { .sweep = sp_table_text(m->table, row, m->sweep), .replicates = SP_REPLICATES_MAX };
    const char *seed = sp_table_text(m->table, row, m->seed);
    char *end;
    cell.label = (char *)sp_table_text(m->table, row, m->label);
    cell.seed = strtoull(seed, &end, 10);
    if (*end || end == seed)
        return sp_fail(m->error, SP_EDATA, "%s:%zu: seed = %s is not a count", m->place, row + 2, seed);
    for (size_t part = 0; part < SP_PARTS; part++)
        if (!(cell.part[part] = read_part(m, row, part)))
            return no_memory(m);
    const sp_cell *planned = find_planned(m, &cell);
    const bool own = planned && strcmp(planned->sweep, cell.sweep) == 0 && strcmp(planned->label, cell.label) == 0;
    const sp_cell *tuned = !own && strcmp(sp_table_text(m->table, row, m->tuned), "yes") == 0 ? find_tuned(m, &cell) : NULL;
    planned = tuned ? NULL : planned; /* another sweep may ask for the same run with a value that it gives */
    m->out->origin[row] = planned ? SP_CELL_PLANNED : tuned ? SP_CELL_TUNED : SP_CELL_FOREIGN;
    m->out->cell[row] = planned ? *planned : tuned ? *tuned : cell;
    if (tuned) {
        memcpy(m->out->cell[row].part, cell.part, sizeof cell.part);
        m->out->cell[row].pending = false;
        m->out->tuned[tuned->index] = &m->out->cell[row];
    }
    return SP_OK;
}

sp_status sp_table_cells_make(const sp_plan *plan, const sp_table *table, const char *place, sp_table_cells *out,
                              sp_error *error)
{
    sp_status status = SP_OK;
    making m = { .plan = plan, .table = table, .place = place, .out = out, .error = error };
    out->cell = sp_alloc(table->rows + 1, sizeof *out->cell);
    out->origin = sp_alloc(table->rows + 1, sizeof *out->origin);
    out->tuned = sp_alloc(plan->cells + 1, sizeof *out->tuned);
    out->rows = table->rows;
    if (!out->cell || !out->origin || !out->tuned)
        SP_TRY(no_memory(&m));
    SP_TRY(find_columns(&m));
    SP_TRY(list_cells(&m));
    for (size_t row = 0; row < table->rows; row++)
        SP_TRY(read_cell(&m, row));
cleanup:
    for (size_t part = 0; part < SP_PARTS; part++)
        free(m.axis[part]);
    free(m.text);
    free(m.at);
    return status;
}

void sp_table_cells_free(sp_table_cells *cells)
{
    free(cells->cell);
    free(cells->origin);
    free(cells->tuned);
    sp_arena_free(&cells->arena);
    *cells = (sp_table_cells){ 0 };
}
