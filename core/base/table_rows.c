/* table_rows.c -- checksums of table rows, and which columns hold numbers (table_rows.h). */
#include "core/base/table_rows.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

const char sp_table_checksum[] = "checksum";

uint64_t sp_table_names_hash(const char *names, size_t length)
{
    return XXH3_64bits(names, length);
}

void sp_table_row_sum(uint64_t names, const char *row, size_t length, char out[SP_TABLE_SUM_SIZE])
{
    snprintf(out, SP_TABLE_SUM_SIZE, "%08x", (unsigned)(XXH3_64bits_withSeed(row, length, names) & 0xffffffffu));
}

void sp_table_sum_line(sp_text *out, size_t begin, uint64_t *seed)
{
    char sum[SP_TABLE_SUM_SIZE];
    const bool names = *seed == 0;
    if (out->failed)
        return;
    if (names)
        *seed = sp_table_names_hash(out->data + begin, out->length - begin);
    else
        sp_table_row_sum(*seed, out->data + begin, out->length - begin, sum);
    sp_text_add(out, "\t", 1);
    sp_text_add_text(out, names ? sp_table_checksum : sum);
}

bool sp_table_numeric(const char *column)
{
    static const char *const numeric[] = {
        "promise", "promise_at_start",
        "cell", "replicate", "seed", "signal", "delta", "reference", "population_reference", "epsilon_spent",
        "gradients", "differences", "hessians", "losses", "releases", "steps", "step", "handover", "seconds", "elapsed",
        "peak_memory",
        "mean", "low", "high", "count", "failed", "median", "median_low", "median_high", "p90", "exponent", "se", "df",
        "low90", "high90", "spread", "within_low90", "within_high90", "tail", "tail_low", "tail_high", "log_lr",
        "power", "p", "p_holm"
    };
    static const char start[] = "start.";
    if (strncmp(column, start, sizeof start - 1) == 0)
        return true;
    for (size_t i = 0; i < sizeof numeric / sizeof *numeric; i++)
        if (strcmp(column, numeric[i]) == 0)
            return true;
    return false;
}

bool sp_table_is_number(const char *field)
{
    double value;
    return sp_read_number(field, &value);
}
