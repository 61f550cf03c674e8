/* compare.c -- compares two labels at every point and over all points (compare.h). */
#include "core/contest/compare.h"

#include "core/base/memory.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const double level = 0.05;

typedef struct work {
    const sp_runs *runs;
    const sp_comparing *of;
    size_t y, family;      /* columns; family: as many as there are for none */
    size_t begin, end;     /* rows of the sweep */
    size_t replicates;     /* that it has */
    double *label, *base;  /* y by replicate, of the point in hand */
    double *x;             /* room for sp_pair */
    double *total, *count; /* by replicate: sum of log ratios over the points, and of how many */
    sp_comparisons *out;
} work;

const char *sp_order_name(sp_order order)
{
    static const char *const name[] = { "better", "worse", "equivalent", "undecided", "-" };
    return name[order];
}

/* --- values -------------------------------------------------------------------------------------------------- */

/* From begin on: its end, its replicates; is the measure recorded there? */
static bool find_sweep(work *k)
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

/* As sp_pair wants them. */
static void take_values(const work *k, size_t first, double *value)
{
    const sp_table *t = &k->runs->table;
    for (size_t r = 0; r < k->replicates; r++)
        value[r] = NAN;
    for (size_t row = first; row < k->end && sp_runs_same_cell(k->runs, first, row); row++)
        value[(size_t)sp_table_number(t, row, k->runs->replicate)] =
            sp_runs_rank_value(k->runs, row, k->y, k->of->lower_is_better);
}

/* How bad a member is on every other replicate. */
typedef struct badness {
    size_t failed;
    double mean; /* of the finite values, larger is worse; NAN: none */
    bool there;
} badness;

static badness badness_of(const work *k, const double *value, size_t first)
{
    badness b = { 0 };
    double total = 0.0, finite = 0.0;
    for (size_t r = first; r < k->replicates; r += 2) {
        b.there = b.there || !isnan(value[r]);
        b.failed += isinf(value[r]) != 0;
        if (isfinite(value[r])) {
            total += k->of->lower_is_better ? value[r] : -value[r];
            finite += 1.0;
        }
    }
    b.mean = total / finite;
    return b;
}

static bool is_worse(const badness *a, const badness *b)
{
    if (a->failed != b->failed || a->there != b->there)
        return a->there && (!b->there || a->failed > b->failed);
    return a->mean > b->mean;
}

/* Of the members' cells: the worst one, chosen on the even replicates for the odd ones, and the reverse. */
static void take_worst(const work *k, const sp_match *member, size_t members, bool base, double *value)
{
    double *y = k->x;
    for (size_t half = 0; half < 2; half++) {
        badness worst = { 0 };
        for (size_t r = half; r < k->replicates; r += 2)
            value[r] = NAN;
        for (const sp_match *m = member; m < member + members; m++) {
            take_values(k, base ? m->base : m->label, y);
            const badness b = badness_of(k, y, 1 - half);
            if (!is_worse(&b, &worst))
                continue;
            worst = b;
            for (size_t r = half; r < k->replicates; r += 2)
                value[r] = y[r];
        }
    }
}

/* --- points -------------------------------------------------------------------------------------------------- */

/* Takes the name of the first match over. */
static void compare_point(const work *k, sp_match *member, size_t members, sp_comparison *out)
{
    *out = (sp_comparison){ .sweep = sp_table_text(&k->runs->table, member->label, k->runs->sweep), .cells = *member };
    member->at = NULL;
    for (size_t base = 0; base < 2; base++) {
        double *value = base ? k->base : k->label;
        if (members > 1)
            take_worst(k, member, members, base, value);
        else
            take_values(k, base ? member->base : member->label, value);
        for (size_t r = 0; r < k->replicates; r++) {
            out->missing += isnan(value[r]) != 0;
            out->failed += isinf(value[r]) != 0;
        }
    }
    out->pair = sp_pair(k->label, k->base, k->replicates, k->of->lower_is_better, k->of->margin, k->x);
    for (size_t r = 0; r < k->replicates; r++)
        if (out->pair.ratio && isfinite(k->x[r])) {
            k->total[r] += k->x[r];
            k->count[r] += 1.0;
        }
}

static int by_rows(const sp_match *a, const sp_match *b)
{
    const int order = (a->label > b->label) - (a->label < b->label);
    return order != 0 ? order : (a->base > b->base) - (a->base < b->base);
}

static int by_name(const void *a, const void *b)
{
    const int order = strcmp(((const sp_match *)a)->at, ((const sp_match *)b)->at);
    return order != 0 ? order : by_rows(a, b);
}

static int by_cells(const void *a, const void *b)
{
    return by_rows(&((const sp_comparison *)a)->cells, &((const sp_comparison *)b)->cells);
}

static void compare_sweep(const work *k)
{
    sp_matches matches = { 0 };
    const size_t before = k->out->points;
    sp_match_cells(k->runs, k->begin, k->end, k->of->label, k->of->base, k->family, &matches);
    k->out->alone += matches.alone;
    if (matches.count == 0)
        return;
    sp_comparison *grown = sp_need(realloc(k->out->point, (before + matches.count) * sizeof *grown));
    k->out->point = grown;
    if (k->of->family)
        qsort(matches.match, matches.count, sizeof *matches.match, by_name);
    for (size_t i = 0, next = 1; i < matches.count; i = next++) {
        while (k->of->family && next < matches.count && strcmp(matches.match[i].at, matches.match[next].at) == 0)
            next++;
        compare_point(k, &matches.match[i], next - i, &grown[k->out->points++]);
    }
    qsort(grown + before, k->out->points - before, sizeof *grown, by_cells);
    sp_matches_free(&matches);
}

/* --- words --------------------------------------------------------------------------------------------------- */

sp_order sp_order_of(const sp_shift *difference, double p_equivalent, bool lower_is_better)
{
    if (difference->p <= level)
        return (difference->side < 0.0) == lower_is_better ? SP_BETTER : SP_WORSE;
    return isnan(difference->p) ? SP_TOO_FEW : p_equivalent <= level ? SP_EQUIVALENT : SP_UNDECIDED;
}

void sp_paired_adjust(sp_paired *const *pair, size_t count)
{
    static const size_t offset[] = { offsetof(sp_paired, all.p), offsetof(sp_paired, finite.p),
                                     offsetof(sp_paired, p_equivalent) };
    double *p = sp_need(sp_alloc_doubles(count + 1));
    for (size_t k = 0; k < sizeof offset / sizeof *offset; k++) {
        for (size_t i = 0; i < count; i++)
            p[i] = *(double *)((char *)pair[i] + offset[k]);
        sp_holm(p, count);
        for (size_t i = 0; i < count; i++)
            *(double *)((char *)pair[i] + offset[k]) = p[i];
    }
    free(p);
}

/* Adjusts the p-values, and finds what they say. */
static void decide(const work *k)
{
    sp_comparisons *out = k->out;
    sp_paired **pair = sp_need(sp_alloc(out->points + 1, sizeof *pair));
    for (size_t i = 0; i < out->points; i++)
        pair[i] = &out->point[i].pair;
    sp_paired_adjust(pair, out->points);
    for (size_t i = 0; i < out->points; i++) {
        sp_comparison *c = &out->point[i];
        c->order = sp_order_of(&c->pair.all, c->pair.p_equivalent, k->of->lower_is_better);
        const bool different = c->order == SP_BETTER || c->order == SP_WORSE;
        c->by_failures = different && c->order != sp_order_of(&c->pair.finite, 1.0, k->of->lower_is_better);
        c->small = different && c->pair.p_equivalent <= level;
        out->of[c->order]++;
    }
    free(pair);
}

/* --- over all points ----------------------------------------------------------------------------------------- */

/* The problem that a point belongs to. */
static int by_problem(const void *a, const void *b, void *context)
{
    const work *k = context;
    const sp_table *t = &k->runs->table;
    const size_t x = (*(sp_comparison *const *)a)->cells.label, y = (*(sp_comparison *const *)b)->cells.label;
    int order = 0;
    for (size_t c = 0; c < t->columns && order == 0; c++)
        if (k->runs->axis[c] && strncmp(t->column[c], "problem.", 8) == 0 && strcmp(t->column[c], "problem.n") != 0 &&
            c != k->family)
            order = strcmp(sp_table_text(t, x, c), sp_table_text(t, y, c));
    return order;
}

/* `point`: those with a ratio, by problem; mean: room for as many. */
static void find_ratio(work *k, sp_comparison *const *point, double *mean)
{
    sp_comparisons *out = k->out;
    for (size_t i = 0, next = 0; i < out->ratios; i = next) {
        double total = 0.0;
        for (; next < out->ratios && by_problem(&point[i], &point[next], k) == 0; next++)
            total += point[next]->pair.log_ratio;
        mean[out->problems++] = total / (double)(next - i);
    }
    out->ratio = sp_mean_t(mean, out->problems, 0.95);
    if (out->problems == 1) {
        for (size_t r = 0; r < k->runs->replicates; r++)
            k->total[r] = k->count[r] == (double)out->ratios ? k->total[r] / k->count[r] : NAN;
        const sp_interval over = sp_mean_t(k->total, k->runs->replicates, 0.95);
        out->ratio = over.count > 1 ? over : out->ratio;
    }
}

static void summarise(work *k)
{
    sp_comparisons *out = k->out;
    double known = 0.0, *mean = sp_need(sp_alloc_doubles(out->points + 1));
    sp_comparison **point = sp_need(sp_alloc(out->points + 1, sizeof *point));
    for (sp_comparison *c = out->point; c < out->point + out->points; c++) {
        if (!isnan(c->pair.log_ratio))
            point[out->ratios++] = c;
        if (!isnan(c->pair.improvement)) {
            out->improvement += c->pair.improvement;
            known += 1.0;
        }
    }
    out->improvement /= known;
    qsort_r(point, out->ratios, sizeof *point, by_problem, k);
    find_ratio(k, point, mean);
    out->ratio = (sp_interval){ exp(out->ratio.estimate), exp(out->ratio.low), exp(out->ratio.high), out->ratio.count };
    free(mean);
    free(point);
}

static void compare_all(work *k)
{
    const size_t rows = k->runs->table.rows, replicates = k->runs->replicates;
    k->label = sp_need(sp_alloc_doubles(replicates));
    k->base = sp_need(sp_alloc_doubles(replicates));
    k->x = sp_need(sp_alloc_doubles(2 * replicates));
    k->total = sp_need(sp_alloc_doubles(replicates));
    k->count = sp_need(sp_alloc_doubles(replicates));
    for (; k->begin < rows; k->begin = k->end)
        if (find_sweep(k))
            compare_sweep(k);
    decide(k);
    summarise(k);
    free(k->label);
    free(k->base);
    free(k->x);
    free(k->total);
    free(k->count);
}

sp_status sp_compare(const sp_runs *runs, const sp_comparing *of, sp_comparisons *out, sp_error *error)
{
    const size_t columns = runs->table.columns;
    work k = { .runs = runs, .of = of, .y = sp_table_column(&runs->table, of->measure), .family = columns, .out = out };
    *out = (sp_comparisons){ 0 };
    if (of->family)
        k.family = sp_runs_column(runs, of->family);
    if (of->family && (k.family == columns || k.family == runs->label))
        return sp_fail(error, SP_EINVAL, "%s is no axis of this experiment", of->family);
    compare_all(&k);
    return SP_OK;
}

void sp_comparisons_free(sp_comparisons *comparisons)
{
    for (size_t i = 0; i < comparisons->points; i++)
        free(comparisons->point[i].cells.at);
    free(comparisons->point);
    *comparisons = (sp_comparisons){ 0 };
}
