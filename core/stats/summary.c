/*
 * summary.c -- writes summary.tsv.
 *
 * It has one row per cell and measure: mean and median over the replicates that succeeded, their 95 % intervals
 * (inference.h), the number of values, the number of failed runs (sp_runs_value decides which failed, series.h). If the
 * experiment measures handover_gap, about which theorems hold with high probability, also the 90 % quantile (p90). */
#include "core/stats/summary.h"

#include "core/base/memory.h"
#include "core/base/pack.h"
#include "core/stats/inference.h"
#include "core/stats/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void append_number(sp_text *text, double value)
{
    char number[SP_NUMBER_SIZE];
    sp_text_add(text, "\t", 1);
    sp_text_add_text(text, isnan(value) ? "NaN" : sp_number(value, number));
}

static void append_interval(sp_text *text, const sp_interval *interval)
{
    append_number(text, interval->estimate);
    append_number(text, interval->low);
    append_number(text, interval->high);
}

static bool has_quantile(const sp_runs *runs)
{
    return sp_table_column(&runs->table, "handover_gap") < runs->table.columns;
}

/* Of the cell whose runs these are; room for a number a replicate is in `value`. */
static void append_cell(const sp_runs *runs, double *value, sp_text *text)
{
    const sp_table *t = &runs->table;
    for (size_t y = 0; y < t->columns; y++) {
        sp_interval mean, median;
        size_t failed = 0;
        if (!runs->measure[y] || sp_table_empty(t, 0, y)) /* the cell does not ask for it */
            continue;
        sp_runs_cell(runs, 0, y, value, &failed, &mean, &median);
        sp_table_copy(text, t, 0, runs->sweep);
        sp_text_add(text, "\t", 1);
        sp_table_copy(text, t, 0, runs->label);
        for (size_t c = 0; c < t->columns; c++)
            if (runs->axis[c]) {
                sp_text_add(text, "\t", 1);
                sp_table_copy(text, t, 0, c);
            }
        sp_text_add(text, "\t", 1);
        sp_table_write(text, t->column[y]);
        append_interval(text, &mean);
        sp_text_add(text, "\t", 1);
        sp_text_add_count(text, mean.count);
        sp_text_add(text, "\t", 1);
        sp_text_add_count(text, failed);
        append_interval(text, &median);
        if (has_quantile(runs))
            append_number(text, sp_quantile(value, runs->replicates, 0.9));
        sp_text_add(text, "\n", 1);
    }
}

static void write_head(const sp_runs *runs, sp_text *text)
{
    const sp_table *t = &runs->table;
    sp_text_add_text(text, "sweep\tlabel");
    for (size_t c = 0; c < t->columns; c++)
        if (runs->axis[c]) {
            sp_text_add(text, "\t", 1);
            sp_table_write(text, t->column[c]);
        }
    sp_text_append(text, "\tmeasure\tmean\tlow\thigh\tcount\tfailed\tmedian\tmedian_low\tmedian_high%s\n",
                   has_quantile(runs) ? "\tp90" : "");
}

sp_status sp_summary_write(const char *results, sp_error *error)
{
    sp_status status = SP_OK;
    sp_atomic_file draft = { 0 };
    sp_cell_reader cells = { 0 };
    const sp_runs *runs = &cells.runs;
    char *path = sp_need(sp_format("%s/summary.tsv", results));
    double *value = NULL;
    size_t room = 0;
    SP_TRY(sp_cell_reader_open(results, &cells, error));
    SP_TRY(sp_atomic_file_begin(&draft, path, error));
    write_head(runs, &draft.text);
    for (;;) {
        SP_TRY(sp_cell_reader_next(&cells, error));
        if (runs->table.rows == 0)
            break;
        if (runs->replicates > room) {
            free(value);
            value = sp_need(sp_alloc_doubles(room = runs->replicates));
        }
        append_cell(runs, value, &draft.text);
        SP_TRY(sp_atomic_file_pass(&draft, error));
    }
    SP_TRY(sp_atomic_file_complete(&draft, error));
    SP_TRY(sp_pack_place(&draft, error));
cleanup:
    sp_atomic_file_drop(&draft);
    sp_cell_reader_close(&cells);
    free(value);
    free(path);
    return status;
}
