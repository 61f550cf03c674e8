/* compare.c -- see compare.h. */
#include "core/evidence/compare.h"

#include "core/base/memory.h"
#include "core/evidence/inference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct comparing {
    const sp_runs *runs;
    bool lower_is_better;
    size_t y;              /* column */
    size_t begin, end;     /* rows of the sweep */
    size_t replicates;     /* that it has */
    double *label, *base, *difference; /* y by replicate, of the point in hand */
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
static void compare_point(const comparing *k, sp_match *match, sp_comparison *out)
{
    *out = (sp_comparison){ .sweep = sp_table_text(&k->runs->table, match->label, k->runs->sweep), .at = match->at };
    match->at = NULL;
    take_values(k, match->label, k->label, out);
    take_values(k, match->base, k->base, out);
    for (size_t r = 0; r < k->replicates; r++)
        k->difference[r] = k->label[r] - k->base[r];
    out->difference = sp_mean_t(k->difference, k->replicates, 0.95);
    out->order = order_of(k, &out->difference);
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
        compare_point(k, &matches.match[i], &grown[k->out->points++]);
cleanup:
    sp_matches_free(&matches);
    return status;
}

sp_status sp_compare(const sp_runs *runs, const char *label, const char *base, const char *measure,
                     bool lower_is_better, sp_comparisons *out, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_table *t = &runs->table;
    comparing k = { .runs = runs, .lower_is_better = lower_is_better, .y = sp_table_column(t, measure), .out = out };
    *out = (sp_comparisons){ 0 };
    k.label = sp_alloc_doubles(runs->replicates);
    k.base = sp_alloc_doubles(runs->replicates);
    k.difference = sp_alloc_doubles(runs->replicates);
    if (!k.label || !k.base || !k.difference)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s - %s: out of memory", label, base));
    for (; k.begin < t->rows; k.begin = k.end)
        if (find_sweep(&k) && compare_sweep(&k, label, base) != SP_OK)
            SP_TRY(sp_fail(error, SP_ENOMEM, "%s - %s: out of memory", label, base));
cleanup:
    free(k.label);
    free(k.base);
    free(k.difference);
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
