/* balance.c -- see balance.h. */
#include "core/cluster/balance.h"

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/base/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double around = 3e-4; /* seconds that a run takes beside its method: docs/how_to/large_sweeps.md */

double sp_balance_size(const sp_cell *cell)
{
    const sp_problem_spec *spec = cell->problem;
    return 1000.0 + floor((double)spec->n * (double)spec->features / 16.0);
}

static int compare(const char *sweep, const char *label, const sp_timing *t)
{
    const int order = strcmp(sweep, t->sweep);
    return order ? order : strcmp(label, t->label);
}

static int by_names(const void *a, const void *b)
{
    const sp_timing *x = a;
    return compare(x->sweep, x->label, b);
}

static int by_cell(const void *a, const void *b)
{
    const sp_cell *cell = a;
    return compare(cell->sweep, cell->label, b);
}

uint64_t sp_balance_weight(const sp_balance *b, const sp_cell *cell)
{
    const double size = sp_balance_size(cell);
    if (b->timings == 0)
        return (uint64_t)size;
    const sp_timing *found = bsearch(cell, b->timing, b->timings, sizeof *found, by_cell);
    const double seconds = found ? found->seconds / found->size : b->seconds / b->size;
    return 1 + (uint64_t)fmin(1e6 * (around + seconds * size), 1e15); /* 30 years */
}

/* The sums that a method without a stored run is judged by. */
static void add_up(sp_balance *b)
{
    b->seconds = b->size = 0.0;
    for (size_t i = 0; i < b->timings; i++) {
        b->seconds += (double)b->timing[i].runs * b->timing[i].seconds;
        b->size += (double)b->timing[i].runs * b->timing[i].size;
    }
}

/* --- measured ---------------------------------------------------------------------------------------------------- */

/* Adds what a run of each cell took, a row a run; there is room, and the names are the plan's. */
static sp_status list_runs(const sp_cell *cell, size_t cells, sp_store *store, sp_balance *b, sp_error *error)
{
    for (size_t i = 0; i < cells; i++) {
        sp_result result = { 0 };
        if (cell[i].skip || cell[i].pending)
            continue;
        const sp_status status = sp_store_get(store, &cell[i], cell[i].first, &result, error);
        if (status == SP_OK && result.status == SP_OK)
            b->timing[b->timings++] =
                (sp_timing){ (char *)cell[i].sweep, (char *)cell[i].label, 1, result.elapsed, sp_balance_size(&cell[i]) };
        sp_result_free(&result);
        if (status != SP_OK && status != SP_EABSENT)
            return status;
    }
    return SP_OK;
}

/* Adds the mean of rows of one method, with names of its own. */
static sp_status add_mean(sp_balance *b, const sp_timing *row, size_t rows)
{
    sp_timing mean = { sp_copy_text(row->sweep), sp_copy_text(row->label), rows, 0.0, 0.0 };
    for (size_t i = 0; i < rows; i++) {
        mean.seconds += row[i].seconds / (double)rows;
        mean.size += row[i].size / (double)rows;
    }
    b->timing[b->timings++] = mean;
    return mean.sweep && mean.label ? SP_OK : SP_ENOMEM;
}

sp_status sp_balance_measure(const sp_plan *plan, sp_store *store, sp_balance *b, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t most = plan->cells + plan->bases + plan->trials;
    sp_balance all = { .timing = sp_alloc(most + 1, sizeof *all.timing) };
    *b = (sp_balance){ .timing = sp_alloc(most + 1, sizeof *b->timing) };
    if (!all.timing || !b->timing)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", plan->path));
    SP_TRY(list_runs(plan->cell, plan->cells, store, &all, error));
    SP_TRY(list_runs(plan->base, plan->bases, store, &all, error));
    SP_TRY(list_runs(plan->trial, plan->trials, store, &all, error));
    qsort(all.timing, all.timings, sizeof *all.timing, by_names);
    for (size_t i = 0, end; i < all.timings; i = end) {
        for (end = i + 1; end < all.timings && by_names(&all.timing[i], &all.timing[end]) == 0; end++)
            ;
        if (add_mean(b, &all.timing[i], end - i) != SP_OK)
            SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", plan->path));
    }
    add_up(b);
cleanup:
    free(all.timing);
    if (status != SP_OK)
        sp_balance_free(b);
    return status;
}

/* --- the file ---------------------------------------------------------------------------------------------------- */

enum { SWEEP, LABEL, RUNS, SECONDS, SIZE, COLUMNS };
static const char *const columns[COLUMNS] = { "sweep", "label", "runs", "seconds", "size" };

static char *file_in(const char *folder)
{
    return sp_format("%s/balance.tsv", folder);
}

static void print(const sp_balance *b, sp_text *text)
{
    char number[SP_NUMBER_SIZE];
    for (size_t c = 0; c < COLUMNS; c++)
        sp_text_append(text, "%s%s", c > 0 ? "\t" : "", columns[c]);
    sp_text_append(text, "\n");
    for (size_t i = 0; i < b->timings; i++) {
        const sp_timing *t = &b->timing[i];
        sp_table_write(text, t->sweep);
        sp_text_append(text, "\t");
        sp_table_write(text, t->label);
        sp_text_append(text, "\t%zu\t%s", t->runs, sp_number(t->seconds, number));
        sp_text_append(text, "\t%s\n", sp_number(t->size, number));
    }
}

sp_status sp_balance_digest(const sp_balance *b, char out[SP_HASH_HEX], sp_error *error)
{
    sp_text text = { 0 };
    sp_hash hash;
    out[0] = '\0';
    if (b->timings == 0)
        return SP_OK;
    print(b, &text);
    if (text.failed) {
        sp_text_free(&text);
        return sp_fail(error, SP_ENOMEM, "timings: out of memory");
    }
    sp_hash_start(&hash);
    sp_hash_add(&hash, text.data, text.length);
    sp_hash_end_hex(&hash, out);
    sp_text_free(&text);
    return SP_OK;
}

sp_status sp_balance_write(const sp_balance *b, const char *folder, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text text = { 0 };
    char *path = file_in(folder);
    print(b, &text);
    if (!path || text.failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", folder));
    SP_TRY(sp_make_directory(folder, error));
    SP_TRY(sp_write_file(path, text.data, text.length, error));
cleanup:
    sp_text_free(&text);
    free(path);
    return status;
}

static sp_status take_row(sp_balance *b, const sp_table *t, size_t row, const size_t *column, const char *path,
                          sp_error *error)
{
    const double runs = sp_table_number(t, row, column[RUNS]), seconds = sp_table_number(t, row, column[SECONDS]);
    const double size = sp_table_number(t, row, column[SIZE]);
    if (!(runs >= 1.0 && runs < 1e15 && seconds >= 0.0 && isfinite(seconds) && size >= 1.0 && isfinite(size)))
        return sp_fail(error, SP_EDATA, "%s:%zu: runs = %s, seconds = %s, size = %s is no timing. Where the tasks of this "
                       "sweep are still to begin, remove the file", path, row + 2, sp_table_text(t, row, column[RUNS]),
                       sp_table_text(t, row, column[SECONDS]), sp_table_text(t, row, column[SIZE]));
    const sp_timing new = { sp_copy_text(sp_table_text(t, row, column[SWEEP])),
                            sp_copy_text(sp_table_text(t, row, column[LABEL])), (size_t)runs, seconds, size };
    b->timing[b->timings++] = new;
    return new.sweep && new.label ? SP_OK : sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
}

sp_status sp_balance_read(const char *folder, sp_balance *b, sp_error *error)
{
    sp_status status = SP_OK;
    size_t column[COLUMNS];
    sp_table table = { 0 };
    char *path = file_in(folder);
    *b = (sp_balance){ 0 };
    if (!path)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", folder);
    if (access(path, F_OK) != 0)
        goto cleanup;
    SP_TRY(sp_table_read(path, &table, error));
    b->kept = true;
    for (size_t c = 0; c < COLUMNS; c++) {
        column[c] = sp_table_column(&table, columns[c]);
        if (column[c] == table.columns)
            SP_TRY(sp_fail(error, SP_EDATA, "%s: there is no column %s", path, columns[c]));
    }
    if (!(b->timing = sp_alloc(table.rows + 1, sizeof *b->timing)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    for (size_t row = 0; row < table.rows; row++)
        SP_TRY(take_row(b, &table, row, column, path, error));
    qsort(b->timing, b->timings, sizeof *b->timing, by_names);
    add_up(b);
cleanup:
    sp_table_free(&table);
    free(path);
    if (status != SP_OK)
        sp_balance_free(b);
    return status;
}

void sp_balance_free(sp_balance *b)
{
    for (size_t i = 0; i < b->timings; i++) {
        free(b->timing[i].sweep);
        free(b->timing[i].label);
    }
    free(b->timing);
    *b = (sp_balance){ 0 };
}
