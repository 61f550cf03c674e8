/* seeds.c -- writes and checks seeds.tsv (seeds.h). */
#include "core/rates/seeds.h"

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/base/packed.h"
#include "core/base/seal.h"
#include "core/rates/rates_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *sp_seeds_folder(const char *results, size_t number)
{
    return number == 1 ? sp_need(sp_copy_text(results)) : sp_need(sp_format("%s/seeds/%zu", results, number));
}

/* --- what belongs to a seed ---------------------------------------------------------------------------------- */

/* Adds a file, whether it is there or not. */
static sp_status add_file(sp_hash *hash, const char *folder, const char *name, sp_error *error)
{
    char *path = sp_need(sp_format("%s/%s", folder, name));
    const bool there = sp_packed_there(path);
    sp_hash_text(hash, there ? name : "");
    const sp_status status = there ? sp_packed_read(path, sp_seal_take, hash, error) : SP_OK;
    sp_hash_text(hash, "");
    free(path);
    return status;
}

static sp_status hash_tables(const char *results, size_t number, char out[SP_HASH_HEX], sp_error *error)
{
    static const char *const tables[] = { "cells.tsv", "runs.tsv", "tuning.tsv" };
    sp_status status = SP_OK;
    sp_hash hash;
    char *folder = sp_seeds_folder(results, number);
    sp_hash_start(&hash);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        SP_TRY(add_file(&hash, folder, tables[i], error));
    sp_hash_end_hex(&hash, out);
cleanup:
    free(folder);
    return status;
}

sp_status sp_seeds_write(const char *results, const uint64_t *seed, size_t count, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text text = { 0 };
    char tables[SP_HASH_HEX];
    char *path = sp_need(sp_format("%s/seeds.tsv", results));
    sp_text_append(&text, "number\tseed\ttables\n");
    for (size_t k = 0; k < count; k++) {
        SP_TRY(hash_tables(results, k + 1, tables, error));
        sp_text_append(&text, "%zu\t%llu\t%s\n", k + 1, (unsigned long long)seed[k], tables);
    }
    sp_need_text(&text);
    SP_TRY(sp_write_file(path, text.data, text.length, error));
cleanup:
    sp_text_free(&text);
    free(path);
    return status;
}

/* --- reading ------------------------------------------------------------------------------------------------- */

enum { NUMBER, SEED, TABLES, COLUMNS };
static const char *const columns[] = { [NUMBER] = "number", [SEED] = "seed", [TABLES] = "tables" };

/* The rows of seeds.tsv, checked; none without the file. */
static sp_status read_list(const char *path, sp_table *t, size_t column[COLUMNS], sp_error *error)
{
    sp_status status = sp_table_read(path, t, error);
    bool good = t->rows >= SP_SEEDS_MIN && t->rows <= SP_SEEDS_MAX;
    if (status == SP_EABSENT && error)
        *error = (sp_error){ 0 };
    if (status != SP_OK)
        return status == SP_EABSENT ? SP_OK : status;
    for (size_t c = 0; c < COLUMNS; c++) {
        column[c] = sp_table_column(t, columns[c]);
        good = good && column[c] < t->columns;
    }
    for (size_t row = 0; row < t->rows && good; row++) {
        const double seed = sp_table_number(t, row, column[SEED]);
        good = sp_table_number(t, row, column[NUMBER]) == (double)(row + 1) && seed >= 0.0 && seed < 9.1e15;
    }
    return good ? SP_OK : sp_fail(error, SP_EDATA, "%s: not a table of seeds: remove it, or `run --seeds` again", path);
}

/* Says so in `stale` when the tables of a seed are not those of which seeds.tsv speaks. */
static sp_status find_stale(const char *results, const sp_table *t, const size_t column[COLUMNS], char stale[256],
                            sp_error *error)
{
    char tables[SP_HASH_HEX];
    sp_status status = SP_OK;
    for (size_t row = 0; row < t->rows && !*stale; row++) {
        SP_TRY(hash_tables(results, row + 1, tables, error));
        if (strcmp(tables, sp_table_text(t, row, column[TABLES])) != 0)
            snprintf(stale, 256, "stale: the tables of seed %zu are not those that were made together with the other "
                     "%zu seeds': `run --seeds %zu` again", row + 1, t->rows - 1, t->rows);
    }
cleanup:
    return status;
}

sp_status sp_seeds_open(const char *results, uint64_t seed, sp_seeds *out, sp_error *error)
{
    sp_status status = SP_OK;
    sp_table t = { 0 };
    size_t column[COLUMNS] = { 0 };
    char *path = sp_need(sp_format("%s/seeds.tsv", results)), *folder = NULL;
    *out = (sp_seeds){ 0 };
    SP_TRY(read_list(path, &t, column, error));
    SP_TRY(find_stale(results, &t, column, out->stale, error));
    const size_t count = t.rows == 0 || *out->stale ? 1 : t.rows;
    out->runs = sp_need(sp_alloc(count, sizeof *out->runs));
    for (; out->count < count; out->count++) {
        free(folder);
        folder = sp_seeds_folder(results, out->count + 1);
        if (out->count > 0)
            seed = (uint64_t)sp_table_number(&t, out->count, column[SEED]);
        SP_TRY(sp_runs_open(folder, seed, &out->runs[out->count], error));
        if (out->count > 0)
            out->runs[out->count - 1].next = &out->runs[out->count];
    }
cleanup:
    sp_table_free(&t);
    free(path);
    free(folder);
    if (status != SP_OK)
        sp_seeds_close(out);
    return status;
}

void sp_seeds_close(sp_seeds *seeds)
{
    for (size_t k = 0; k < seeds->count; k++)
        sp_runs_close(&seeds->runs[k]);
    free(seeds->runs);
    *seeds = (sp_seeds){ 0 };
}

/* --- verdicts ------------------------------------------------------------------------------------------------ */

sp_status sp_seeds_verdict(const sp_seeds *seeds, const sp_claim *claim, sp_verdict *v, sp_error *error)
{
    const sp_status status = sp_verdict_of(&seeds->runs[0], claim, v, error);
    if (status == SP_OK && *seeds->stale)
        sp_rule(v, SP_NOT_RESOLVED, "%s", seeds->stale);
    return status;
}
