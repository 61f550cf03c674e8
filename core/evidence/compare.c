/* compare.c -- see compare.h. */
#include "core/evidence/compare.h"

#include "core/base/memory.h"
#include "core/base/stream.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct comparing {
    const sp_runs *runs;
    const char *measure;
    bool lower_is_better;
    size_t y;              /* column */
    uint64_t seed;
    size_t begin, end;     /* rows of the sweep */
    size_t replicates;     /* that it has */
    double *label, *base;  /* y by replicate, of the point in hand */
    sp_comparisons *out;
} comparing;

const char *sp_order_name(sp_order order)
{
    static const char *const name[] = { "better", "worse", "same", "-" };
    return name[order];
}

/* From begin on: its end, its replicates; is the measure recorded there? */
static bool find_sweep(comparing *k)
{
    const sp_table *t = &k->runs->table;
    const char *sweep = sp_table_text(t, k->begin, k->runs->sweep);
    bool recorded = false;
    k->replicates = 0;
    for (k->end = k->begin; k->end < t->rows; k->end++) {
        if (strcmp(sp_table_text(t, k->end, k->runs->sweep), sweep) != 0)
            break;
        const size_t replicate = (size_t)sp_table_number(t, k->end, k->runs->replicate);
        k->replicates = replicate >= k->replicates ? replicate + 1 : k->replicates;
        recorded = recorded || isfinite(sp_table_number(t, k->end, k->y));
    }
    return recorded;
}

static void take_values(const comparing *k, size_t first, double *value, sp_comparison *out)
{
    for (size_t r = 0; r < k->replicates; r++)
        value[r] = NAN;
    out->missing += k->replicates;
    for (size_t row = first; row < k->end && sp_runs_same_cell(k->runs, first, row); row++) {
        const double y = sp_runs_succeeded(k->runs, row) ? sp_table_number(&k->runs->table, row, k->y) : NAN;
        value[(size_t)sp_table_number(&k->runs->table, row, k->runs->replicate)] = y;
        out->failed += isfinite(y) ? 0 : 1;
        out->missing--;
    }
}

static gsl_rng *open_stream(const comparing *k, const sp_match *match)
{
    const sp_table *t = &k->runs->table;
    const size_t rows[] = { match->label, match->base };
    sp_text name = { 0 };
    gsl_rng *stream = NULL;
    sp_text_append(&name, "difference\t%s\t%s", sp_table_text(t, match->label, k->runs->sweep), k->measure);
    for (size_t i = 0; i < 2; i++) {
        sp_text_append(&name, "\t%s", sp_table_text(t, rows[i], k->runs->label));
        for (size_t c = 0; c < t->columns; c++)
            if (k->runs->axis[c] && !sp_table_empty(t, rows[i], c)) /* as series.c */
                sp_text_append(&name, "\t%s=%s", t->column[c], sp_table_text(t, rows[i], c));
    }
    if (!name.failed)
        stream = sp_stream_open(sp_stream_key_of(k->seed, name.data, 0, SP_STREAM_BOOTSTRAP));
    sp_text_free(&name);
    return stream;
}

/* How far from 0 rounding alone takes a mean of differences: it must not decide. */
static double rounding_of(const comparing *k, size_t pairs)
{
    double largest = 0.0;
    for (size_t r = 0; r < k->replicates; r++)
        if (isfinite(k->label[r] - k->base[r]))
            largest = fmax(largest, fmax(fabs(k->label[r]), fabs(k->base[r])));
    return (double)(pairs + 2) * DBL_EPSILON * largest;
}

static sp_order order_of(const comparing *k, const sp_interval *difference)
{
    const double rounding = rounding_of(k, difference->count);
    if (isnan(difference->low))
        return SP_UNDECIDED;
    if (difference->low <= rounding && difference->high >= -rounding)
        return SP_SAME;
    return (difference->high < 0.0) == k->lower_is_better ? SP_BETTER : SP_WORSE;
}

/* Takes the name of the point over. */
static sp_status compare_point(const comparing *k, sp_match *match, sp_comparison *out)
{
    *out = (sp_comparison){ .sweep = sp_table_text(&k->runs->table, match->label, k->runs->sweep), .at = match->at };
    match->at = NULL;
    take_values(k, match->label, k->label, out);
    take_values(k, match->base, k->base, out);
    gsl_rng *stream = open_stream(k, match);
    if (!stream)
        return SP_ENOMEM;
    const sp_status status = sp_paired_difference(k->label, k->base, k->replicates, 0.95, stream, &out->difference);
    gsl_rng_free(stream);
    out->order = order_of(k, &out->difference);
    return status;
}

static sp_status compare_sweep(const comparing *k, const char *label, const char *base)
{
    sp_status status = SP_OK;
    sp_matches matches = { 0 };
    sp_comparison *grown = NULL;
    SP_TRY(sp_match_cells(k->runs, k->begin, k->end, label, base, &matches));
    k->out->alone += matches.alone;
    if (matches.count == 0)
        goto cleanup;
    grown = realloc(k->out->point, (k->out->points + matches.count) * sizeof *grown);
    if (!grown)
        SP_TRY(SP_ENOMEM);
    k->out->point = grown;
    for (size_t i = 0; i < matches.count; i++)
        SP_TRY(compare_point(k, &matches.match[i], &grown[k->out->points++]));
cleanup:
    sp_matches_free(&matches);
    return status;
}

sp_status sp_compare(const sp_runs *runs, const char *label, const char *base, const char *measure,
                     bool lower_is_better, sp_comparisons *out, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_table *t = &runs->table;
    const size_t column = sp_table_column(t, "seed");
    const double seed = column < t->columns && t->rows > 0 ? sp_table_number(t, 0, column) : NAN;
    comparing k = { .runs = runs, .measure = measure, .lower_is_better = lower_is_better,
                    .y = sp_table_column(t, measure), .out = out };
    *out = (sp_comparisons){ 0 };
    if (!(seed >= 0.0 && seed < 9.1e15))
        SP_TRY(sp_fail(error, SP_EDATA, "runs.tsv: no seed in its first row"));
    k.seed = (uint64_t)seed;
    k.label = sp_alloc_doubles(runs->replicates);
    k.base = sp_alloc_doubles(runs->replicates);
    if (!k.label || !k.base)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s - %s: out of memory", label, base));
    for (; k.begin < t->rows; k.begin = k.end)
        if (find_sweep(&k) && compare_sweep(&k, label, base) != SP_OK)
            SP_TRY(sp_fail(error, SP_ENOMEM, "%s - %s: out of memory", label, base));
cleanup:
    free(k.label);
    free(k.base);
    if (status != SP_OK)
        sp_comparisons_free(out);
    return status;
}

void sp_comparisons_free(sp_comparisons *comparisons)
{
    for (size_t i = 0; i < comparisons->points; i++)
        free(comparisons->point[i].at);
    free(comparisons->point);
    *comparisons = (sp_comparisons){ 0 };
}
