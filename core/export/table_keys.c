/* table_keys.c -- see table_keys.h. */
#include "core/export/table_keys.h"

#include "core/base/memory.h"
#include "core/base/pack.h"
#include "core/export/keys.h"
#include "core/export/table_makers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const columns[SP_KEY_TEXTS] = { "data", "algorithm", "loss", "regulariser", "core", "platform",
                                                   "measures" };

static sp_status need(const sp_table *t, const char *folder, const char *name, size_t *column, sp_error *error)
{
    *column = sp_table_column(t, name);
    return *column < t->columns ? SP_OK : sp_fail(error, SP_EDATA, "%s/keys.tsv: no column %s", folder, name);
}

sp_status sp_table_keys_open(const char *folder, sp_table_keys *keys, sp_error *error)
{
    *keys = (sp_table_keys){ .last = 0 };
    char *path = sp_format("%s/keys.tsv", folder);
    sp_status status = path ? sp_table_read(path, &keys->table, error)
                            : sp_fail(error, SP_ENOMEM, "%s: out of memory", folder);
    free(path);
    if (status == SP_EABSENT) {
        if (error)
            *error = (sp_error){ 0 };
        return SP_OK;
    }
    for (size_t k = 0; k < SP_KEY_TEXTS && status == SP_OK; k++)
        status = need(&keys->table, folder, columns[k], &keys->column[k], error);
    if (status == SP_OK)
        status = need(&keys->table, folder, "cell", &keys->cell, error);
    if (status == SP_OK)
        status = need(&keys->table, folder, "replicates", &keys->replicates, error);
    return status;
}

/* "0-4,7": is it one of them? */
static bool holds_replicate(const char *ranges, size_t replicate)
{
    size_t first, last;
    for (const char *at = ranges; sp_read_range(&at, &first, &last); at += *at == ',')
        if (first <= replicate && replicate <= last)
            return true;
    return false;
}

size_t sp_table_keys_find(sp_table_keys *keys, const char *cell, size_t replicate)
{
    const sp_table *t = &keys->table;
    for (size_t i = 0; i < t->rows; i++) {
        const size_t at = (keys->last + i) % t->rows;
        if (strcmp(sp_table_text(t, at, keys->cell), cell) == 0 &&
            holds_replicate(sp_table_text(t, at, keys->replicates), replicate))
            return keys->last = at;
    }
    return t->rows;
}

void sp_table_keys_take(const sp_table_keys *keys, size_t row, const char *text[SP_KEY_TEXTS])
{
    for (size_t k = 0; k < SP_KEY_TEXTS; k++)
        text[k] = sp_table_empty(&keys->table, row, keys->column[k]) ? ""
                                                                     : sp_table_text(&keys->table, row, keys->column[k]);
}

/* --- current keys ---------------------------------------------------------------------------------------------- */

typedef struct keyed_run {
    size_t cell, replicate;
    char *key; /* the fields behind the replicates */
} keyed_run;

typedef struct keyed_runs {
    const sp_table_runs *tables;
    size_t place, cell_column;
    keyed_run *run;
    size_t count;
} keyed_runs;

static sp_status add_run(void *context, const sp_table_run *run, sp_error *error)
{
    keyed_runs *k = context;
    const size_t *row, rows = sp_table_runs_rows(k->tables, k->place, &row);
    for (size_t i = 0; i < rows; i++) {
        sp_text key = { 0 };
        sp_keys_now(run->cell, &key);
        keyed_run *grown = key.failed ? NULL : realloc(k->run, (k->count + 1) * sizeof *grown);
        if (!grown) {
            sp_text_free(&key);
            return sp_fail(error, SP_ENOMEM, "%s: out of memory", k->tables->folder);
        }
        k->run = grown;
        grown[k->count++] = (keyed_run){ (size_t)sp_table_number(&k->tables->runs, row[i], k->cell_column), run->replicate,
                                         key.data };
    }
    return SP_OK;
}

static int by_cell(const void *a, const void *b)
{
    const keyed_run *x = a, *y = b;
    int order = (x->cell > y->cell) - (x->cell < y->cell);
    order = order ? order : strcmp(x->key, y->key);
    return order ? order : (x->replicate > y->replicate) - (x->replicate < y->replicate);
}

/* The runs of one cell and key, in one row. */
static size_t print_row(const keyed_runs *k, size_t first, sp_text *out)
{
    const keyed_run *r = k->run;
    size_t end = first;
    sp_text_append(out, "%zu\t", r[first].cell);
    while (end < k->count && r[end].cell == r[first].cell && strcmp(r[end].key, r[first].key) == 0) {
        size_t last = end;
        while (last + 1 < k->count && r[last + 1].cell == r[first].cell && strcmp(r[last + 1].key, r[first].key) == 0 &&
               r[last + 1].replicate == r[last].replicate + 1)
            last++;
        sp_text_append(out, last > end ? "%s%zu-%zu" : "%s%zu", end > first ? "," : "", r[end].replicate, r[last].replicate);
        end = last + 1;
    }
    sp_text_add_text(out, r[first].key);
    return end;
}

sp_status sp_table_keys_make(const sp_table_runs *tables, sp_error *error)
{
    sp_status status = SP_OK;
    keyed_runs k = { .tables = tables, .cell_column = sp_table_column(&tables->runs, "cell") };
    sp_text text = { 0 };
    char *path = sp_format("%s/keys.tsv", tables->folder);
    for (k.place = 0; k.place < tables->places; k.place++)
        SP_TRY(sp_table_runs_read(tables, k.place, add_run, &k, error));
    if (k.count > 0)
        qsort(k.run, k.count, sizeof *k.run, by_cell);
    sp_keys_head(&text);
    for (size_t i = 0; i < k.count;)
        i = print_row(&k, i, &text);
    if (!path || text.failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", tables->folder));
    SP_TRY(sp_pack_write(path, text.data, text.length, error));
    if (text.length > SP_PACK_ABOVE)
        SP_TRY(sp_pack(path, error));
cleanup:
    for (size_t i = 0; i < k.count; i++)
        free(k.run[i].key);
    free(k.run);
    free(path);
    sp_text_free(&text);
    return status;
}

void sp_table_keys_free(sp_table_keys *keys)
{
    sp_table_free(&keys->table);
    *keys = (sp_table_keys){ 0 };
}
