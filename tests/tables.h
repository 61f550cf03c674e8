/* tables.h -- cells.tsv and runs.tsv from one table written by hand, one row per run: run, sweep, label, axes,
 * replicate, [seed], status, [message], measures, [reference], epsilon_spent, private, [tuned], [start.MEASURE...].
 * Rows of one cell need not stand together. */
#ifndef SP_TESTS_TABLES_H
#define SP_TESTS_TABLES_H

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/base/table.h"
#include "tests/check.h"

#include <stdlib.h>
#include <unistd.h>

static inline void tables_save(const char *folder, const char *name, const char *text)
{
    char *path = sp_format("%s/%s", folder, name);
    CHECK_EQUAL(sp_write_file(path, text, strlen(text), NULL), SP_OK);
    free(path);
}

static inline bool tables_of_cell(const sp_table *t, size_t column)
{
    const char *name = t->column[column];
    return (column > 0 && column < sp_table_column(t, "replicate")) || strcmp(name, "seed") == 0 ||
           strcmp(name, "private") == 0 || strcmp(name, "tuned") == 0;
}

static inline bool tables_same_cell(const sp_table *t, size_t a, size_t b)
{
    for (size_t c = 1; c < sp_table_column(t, "replicate"); c++)
        if (strcmp(sp_table_text(t, a, c), sp_table_text(t, b, c)) != 0)
            return false;
    return true;
}

/* The fields of one row, or with row = rows the names; a cell without a seed gets one. */
static inline void tables_fields(const sp_table *t, size_t row, bool cell, sp_text *out)
{
    for (size_t c = 1; c < t->columns; c++) {
        if (cell && c == sp_table_column(t, "replicate") && sp_table_column(t, "seed") == t->columns)
            sp_text_append(out, row == t->rows ? "\tseed" : "\t1");
        if (tables_of_cell(t, c) == cell) {
            sp_text_append(out, "\t");
            if (row == t->rows)
                sp_table_write(out, t->column[c]);
            else
                sp_table_copy(out, t, row, c);
        }
    }
}

/* A measure without a column of its values at the start gets one: not known. */
static inline void tables_starts(const sp_table *t, bool head, sp_text *out)
{
    const size_t message = sp_table_column(t, "message"), reference = sp_table_column(t, "reference");
    const size_t first = (message < t->columns ? message : sp_table_column(t, "status")) + 1;
    const size_t end = reference < t->columns ? reference : sp_table_column(t, "epsilon_spent");
    for (size_t c = first; c < end; c++) {
        char *name = sp_format("start.%s", t->column[c]);
        if (sp_table_column(t, name) == t->columns)
            sp_text_append(out, "\t%s", head ? name : "NaN");
        free(name);
    }
}

static inline void tables_write(const char *folder, const char *table)
{
    sp_text cells = { 0 }, runs = { 0 };
    sp_table t = { 0 };
    size_t cell = 0;
    char *path = sp_format("%s/wide.tsv", folder);
    tables_save(folder, "wide.tsv", table);
    CHECK_EQUAL(sp_table_read(path, &t, NULL), SP_OK);
    sp_text_append(&cells, "cell");
    sp_text_append(&runs, "run\tcell");
    tables_fields(&t, t.rows, true, &cells);
    tables_fields(&t, t.rows, false, &runs);
    sp_text_append(&cells, "\n");
    tables_starts(&t, true, &runs);
    sp_text_append(&runs, "\n");
    for (size_t row = 0; row < t.rows; row++) {
        bool seen = false;
        for (size_t before = 0; before < row; before++)
            seen = seen || tables_same_cell(&t, before, row);
        if (seen)
            continue;
        sp_text_append(&cells, "%zu", ++cell);
        tables_fields(&t, row, true, &cells);
        sp_text_append(&cells, "\n");
        for (size_t r = row; r < t.rows; r++)
            if (tables_same_cell(&t, row, r)) {
                sp_text_append(&runs, "%s\t%zu", sp_table_text(&t, r, 0), cell);
                tables_fields(&t, r, false, &runs);
                tables_starts(&t, false, &runs);
                sp_text_append(&runs, "\n");
            }
    }
    tables_save(folder, "cells.tsv", cells.data);
    tables_save(folder, "runs.tsv", runs.data);
    unlink(path);
    free(path);
    sp_table_free(&t);
    sp_text_free(&cells);
    sp_text_free(&runs);
}

static inline void tables_remove(const char *folder)
{
    static const char *const names[] = { "cells.tsv", "runs.tsv" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = sp_format("%s/%s", folder, names[i]);
        unlink(path);
        free(path);
    }
}

#endif
