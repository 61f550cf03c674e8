/* reseal.c -- see reseal.h. */
#include "core/export/reseal.h"

#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/base/pack.h"
#include "core/base/packed.h"
#include "core/base/seal.h"
#include "core/base/table.h"
#include "core/base/table_rows.h"
#include "core/export/export.h"
#include "core/export/keys.h"
#include "core/export/table_makers.h"

#include <stdlib.h>
#include <string.h>

static sp_status out_of_memory(const char *folder, sp_error *error)
{
    return sp_fail(error, SP_ENOMEM, "%s: out of memory", folder);
}

static sp_status read_table(const char *folder, const char *name, sp_table *table, sp_error *error)
{
    char *path = sp_format("%s/%s", folder, name);
    const sp_status status = path ? sp_table_read(path, table, error) : out_of_memory(folder, error);
    free(path);
    return status;
}

/* --- lines ------------------------------------------------------------------------------------------------------------- */

/* Adds the end of line `number` of a table, 0 for the names, which begins at out->data[begin]. */
typedef void end_line(void *context, size_t number, size_t begin, sp_text *out);

/* Writes a table that was read without an error once more, and lets `end` add to each line; all other bytes stay. */
static sp_status rewrite(const char *folder, const char *name, end_line *end, void *context, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text text = { 0 }, out = { 0 };
    char *path = sp_format("%s/%s", folder, name);
    if (!path)
        SP_TRY(out_of_memory(folder, error));
    SP_TRY(sp_packed_text(path, &text, error));
    const char *at = text.data;
    for (size_t number = 0; *at; number++) {
        const size_t length = strcspn(at, "\n"), begin = out.length;
        sp_text_add(&out, at, length - (length > 0 && at[length - 1] == '\r'));
        end(context, number, begin, &out);
        sp_text_add(&out, "\n", 1);
        at += length + (at[length] == '\n');
    }
    if (out.failed)
        SP_TRY(out_of_memory(folder, error));
    SP_TRY(sp_pack_write(path, out.data, out.length, error));
cleanup:
    sp_text_free(&text);
    sp_text_free(&out);
    free(path);
    return status;
}

static void end_with_sum(void *seed, size_t number, size_t begin, sp_text *out)
{
    (void)number;
    sp_table_sum_line(out, begin, seed);
}

/* Does the table have checksums? If so, reading it has compared them. */
static sp_status has_sums(const char *folder, const char *name, bool *has, sp_error *error)
{
    sp_table_reader r = { 0 };
    char *path = sp_format("%s/%s", folder, name);
    const sp_status status = path ? sp_table_open(path, &r, error) : out_of_memory(folder, error);
    *has = r.summed;
    sp_table_close(&r);
    free(path);
    return status;
}

static sp_status sum_table(const char *folder, const char *name, sp_error *error)
{
    bool has = false;
    uint64_t seed = 0;
    const sp_status status = has_sums(folder, name, &has, error);
    return status != SP_OK || has ? status : rewrite(folder, name, end_with_sum, &seed, error);
}

/* --- who made the runs ------------------------------------------------------------------------------------------------- */

/* Column `made` of provenance.tsv. */
static void end_with_maker(void *context, size_t number, size_t begin, sp_text *out)
{
    const sp_text *made = context;
    (void)begin;
    sp_text_add(out, "\t", 1);
    if (number == 0)
        sp_text_add_text(out, "made");
    else if (made[number - 1].length > 0)
        sp_text_add(out, made[number - 1].data, made[number - 1].length);
    else
        sp_table_write(out, NULL);
}

/* Cells whose replicates one row made, " CELL:REPLICATES" to its text. */
static void add_cells(const sp_table *keys, const size_t column[3], size_t first, size_t last, sp_text *made)
{
    sp_text_append(made, "%s%s", made->length > 0 ? " " : "", sp_table_text(keys, first, column[0]));
    if (last > first)
        sp_text_append(made, "-%s", sp_table_text(keys, last, column[0]));
    sp_text_append(made, ":%s", sp_table_text(keys, first, column[1]));
}

/* Does row b go on where row a ends: the next cell, the same replicates, the same maker? */
static bool goes_on(const sp_table *keys, const size_t column[3], size_t a, size_t b)
{
    return sp_table_number(keys, b, column[0]) == sp_table_number(keys, a, column[0]) + 1.0 &&
           strcmp(sp_table_text(keys, a, column[1]), sp_table_text(keys, b, column[1])) == 0 &&
           strcmp(sp_table_text(keys, a, column[2]), sp_table_text(keys, b, column[2])) == 0;
}

/* Do two rows of keys.tsv differ in nothing but the maker and the replicates? */
static bool same_key(const sp_table *keys, const size_t column[3], size_t a, size_t b)
{
    bool same = true;
    for (size_t c = 0; c < keys->columns && same; c++)
        same = c == column[1] || c == column[2] || strcmp(sp_table_text(keys, a, c), sp_table_text(keys, b, c)) == 0;
    return same;
}

/* Marks the replicates of a row, "0-4,7", all of which are below `most`. */
static void mark(const char *ranges, bool *marked, size_t most)
{
    size_t first, last;
    for (const char *at = ranges; sp_read_range(&at, &first, &last); at += *at == ',')
        for (size_t i = first; i <= last && i < most; i++)
            marked[i] = true;
}

static void add_row(const sp_table *keys, const size_t column[3], size_t row, const bool *marked, size_t most, sp_text *out)
{
    for (size_t c = 0; c < keys->columns; c++) {
        if (c == column[2])
            continue;
        if (c > 0)
            sp_text_add(out, "\t", 1);
        if (c == column[1])
            sp_keys_ranges(out, marked, most);
        else
            sp_table_copy(out, keys, row, c);
    }
    sp_text_add(out, "\n", 1);
}

/* keys.tsv without its column `made`: rows that differ in it alone become one. */
static sp_status write_keys(const char *folder, const sp_table *keys, const size_t column[3], sp_error *error)
{
    enum { MOST = 1000000 }; /* replicates that a cell may have */
    sp_text out = { 0 };
    bool *marked = sp_alloc(MOST, sizeof *marked);
    char *path = sp_format("%s/keys.tsv", folder);
    sp_keys_head(&out);
    for (size_t row = 0, end = 0; row < keys->rows && marked; row = end) {
        for (; end < keys->rows && same_key(keys, column, row, end); end++)
            mark(sp_table_text(keys, end, column[1]), marked, MOST);
        size_t most = MOST;
        while (most > 0 && !marked[most - 1])
            most--;
        add_row(keys, column, row, marked, most, &out);
        memset(marked, 0, most);
    }
    const sp_status status = path && marked && !out.failed ? sp_pack_write(path, out.data, out.length, error)
                                                           : out_of_memory(folder, error);
    sp_text_free(&out);
    free(marked);
    free(path);
    return status;
}

/* Moves `made` from keys.tsv, where format 0 has it, to provenance.tsv. A run without a known maker is in no row. */
static sp_status move_makers(const char *folder, sp_error *error)
{
    sp_status status = SP_OK;
    sp_table keys = { 0 }, provenance = { 0 };
    sp_text *made = NULL;
    status = read_table(folder, "provenance.tsv", &provenance, error);
    if (status == SP_EABSENT || (status == SP_OK && sp_table_column(&provenance, "made") < provenance.columns)) {
        status = SP_OK;
        goto cleanup;
    }
    SP_TRY(status);
    status = read_table(folder, "keys.tsv", &keys, error);
    SP_TRY(status == SP_EABSENT ? SP_OK : status);
    if (!(made = sp_alloc(provenance.rows + 1, sizeof *made)))
        SP_TRY(out_of_memory(folder, error));
    const size_t column[] = { sp_table_column(&keys, "cell"), sp_table_column(&keys, "replicates"),
                              sp_table_column(&keys, "made") };
    for (size_t first = 0, last = 0; first < keys.rows && column[2] < keys.columns; first = last + 1) {
        const double maker = sp_table_number(&keys, first, column[2]);
        for (last = first; last + 1 < keys.rows && goes_on(&keys, column, last, last + 1);)
            last++;
        if (maker >= 1.0 && maker <= (double)provenance.rows)
            add_cells(&keys, column, first, last, &made[(size_t)maker - 1]);
    }
    SP_TRY(rewrite(folder, "provenance.tsv", end_with_maker, made, error));
    if (column[2] < keys.columns)
        SP_TRY(write_keys(folder, &keys, column, error));
cleanup:
    for (size_t i = 0; made && i < provenance.rows; i++)
        sp_text_free(&made[i]);
    free(made);
    sp_table_free(&keys);
    sp_table_free(&provenance);
    return status;
}

/* --- the seal ---------------------------------------------------------------------------------------------------------- */

typedef struct rows {
    const sp_plan *plan;
    const char *folder;
    sp_table runs;
    size_t run, cell, replicate, status;
    size_t at;              /* the first row that belongs to no cell before */
    sp_hash asked, present;
    size_t wanted, failed;
} rows;

static sp_status open_rows(rows *r, sp_error *error)
{
    sp_status status = SP_OK;
    SP_TRY(read_table(r->folder, "runs.tsv", &r->runs, error));
    const struct { const char *name; size_t *column; } needed[] = {
        { "run", &r->run }, { "cell", &r->cell }, { "replicate", &r->replicate }, { "status", &r->status }
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if ((*needed[i].column = sp_table_column(&r->runs, needed[i].name)) == r->runs.columns)
            SP_TRY(sp_fail(error, SP_EDATA, "%s/runs.tsv: no column %s", r->folder, needed[i].name));
    sp_hash_start(&r->asked);
    sp_hash_start(&r->present);
    for (size_t row = 0; row < r->runs.rows; row++) {
        sp_hash_text(&r->present, sp_table_text(&r->runs, row, r->run));
        r->failed += strcmp(sp_table_text(&r->runs, row, r->status), "ok") != 0;
    }
cleanup:
    return status;
}

/* The row of the replicate of a cell, if it is the next one; runs.rows: it is not there. */
static size_t next_row(const rows *r, size_t number, size_t replicate)
{
    const bool is = r->at < r->runs.rows && sp_table_number(&r->runs, r->at, r->cell) == (double)number &&
                    sp_table_number(&r->runs, r->at, r->replicate) == (double)replicate;
    return is ? r->at : r->runs.rows;
}

static void take_cell(rows *r, size_t i)
{
    const sp_cell *cell = &r->plan->cell[i];
    const bool there = r->at < r->runs.rows && sp_table_number(&r->runs, r->at, r->cell) == (double)(i + 1);
    char name[SP_RUN_NAME] = "";
    if (cell->skip && !there)
        return;
    for (size_t k = 0; k < cell->replicates; k++) {
        const size_t row = next_row(r, i + 1, k);
        const char *found = row < r->runs.rows ? sp_table_text(&r->runs, row, r->run) : NULL;
        *name = '\0';
        if (!cell->pending && !cell->skip)
            sp_run_name(cell, k, name);
        if (found && *name && strcmp(found, name) != 0)
            return; /* and the row stays the next one */
        r->at += found != NULL;
        r->wanted++;
        sp_hash_text(&r->asked, found ? found : name);
    }
}

static sp_status write_seal(const sp_plan *plan, const char *folder, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text head = { 0 };
    char digest[SP_HASH_HEX];
    rows r = { .plan = plan, .folder = folder };
    SP_TRY(open_rows(&r, error));
    for (size_t i = 0; i < plan->cells; i++)
        take_cell(&r, i);
    if (r.at < r.runs.rows)
        SP_TRY(sp_fail(error, SP_EDATA, "%s/runs.tsv:%zu: run %s is none that %s asks for there: the experiment has changed since",
                       folder, r.at + 2, sp_table_text(&r.runs, r.at, r.run), plan->path));
    sp_seal_begin(&head);
    SP_TRY(sp_seal_script(plan, folder, &head, error));
    sp_hash_end_hex(&r.asked, digest);
    sp_seal_add_count(&head, "asked", r.wanted, digest);
    sp_hash_end_hex(&r.present, digest);
    sp_seal_add_count(&head, "present", r.runs.rows, digest);
    sp_seal_add_count(&head, "failed", r.failed, NULL);
    SP_TRY(sp_seal_write(folder, &head, error));
cleanup:
    sp_table_free(&r.runs);
    sp_text_free(&head);
    return status;
}

sp_status sp_reseal(const sp_plan *plan, const char *folder, sp_error *error)
{
    static const char *const summed[] = { "cells.tsv", "runs.tsv" };
    sp_status status = SP_OK;
    sp_table table = { 0 };
    SP_TRY(sp_seal_check(folder, error));
    for (size_t i = 0; i < sizeof summed / sizeof *summed; i++) {
        SP_TRY(read_table(folder, summed[i], &table, error));
        sp_table_free(&table);
        SP_TRY(sum_table(folder, summed[i], error));
    }
    SP_TRY(move_makers(folder, error));
    SP_TRY(write_seal(plan, folder, error));
cleanup:
    sp_table_free(&table);
    return status;
}
