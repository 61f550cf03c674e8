/* profile.c -- see profile.h. */
#include "core/evidence/profile.h"

#include "core/base/memory.h"
#include "core/base/stream.h"

#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All replicates of all cells. */
typedef struct matrix {
    size_t labels, problems, replicates;
    double *value;   /* labels x problems x replicates; NAN: none */
    bool *whole;     /* has the cell a finite value of each of its runs? labels x problems */
    size_t *count;   /* replicates of the problem: those of its cell that has most */
} matrix;

static bool same_problem(const sp_runs *runs, size_t a, size_t b)
{
    const sp_table *t = &runs->table;
    if (strcmp(sp_table_text(t, a, runs->sweep), sp_table_text(t, b, runs->sweep)) != 0)
        return false;
    for (size_t k = 0; k < t->columns; k++)
        if (runs->axis[k] && sp_is_problem_axis(t->column[k]) &&
            strcmp(sp_table_text(t, a, k), sp_table_text(t, b, k)) != 0)
            return false;
    return true;
}

/* The row of every cell; problems in the order of the rows. `first` has room for a problem a row. */
static sp_status find_cells(const sp_runs *runs, const sp_selection *s, const char *const *label, size_t *first,
                            sp_profile *out, sp_error *error)
{
    const size_t rows = runs->table.rows;
    for (size_t pass = 0; pass < 2; pass++) { /* problems first, then cells */
        for (size_t row = 0; row < rows; row++) {
            if (row > 0 && sp_runs_same_cell(runs, row, row - 1))
                continue;
            for (size_t l = 0; l < out->labels; l++) {
                sp_selection one = *s;
                one.label = label[l];
                if (!sp_runs_selected(runs, &one, row))
                    continue;
                size_t p = 0;
                while (p < out->problems && !same_problem(runs, first[p], row))
                    p++;
                if (p == out->problems)
                    first[out->problems++] = row;
                size_t *cell = pass > 0 ? &out->row[l * out->problems + p] : NULL;
                if (cell && *cell < rows)
                    return sp_runs_ambiguous(runs, s->place, *cell, row, " at one problem", error);
                if (cell)
                    *cell = row;
            }
        }
        if (pass == 0) {
            out->row = sp_alloc(out->labels * out->problems + 1, sizeof *out->row);
            if (!out->row)
                return sp_fail(error, SP_ENOMEM, "%s: out of memory", s->place);
            for (size_t i = 0; i < out->labels * out->problems; i++)
                out->row[i] = rows;
        }
    }
    return SP_OK;
}

static sp_status read_values(const sp_runs *runs, const sp_selection *s, sp_profile *out, matrix *m, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t y = sp_table_column(&runs->table, s->y), cells = out->labels * out->problems;
    if (y == runs->table.columns)
        SP_TRY(sp_fail(error, SP_EINVAL, "%s: runs.tsv has no column %s", s->place, s->y));
    *m = (matrix){ out->labels, out->problems, runs->replicates, sp_alloc_doubles(cells * runs->replicates + 1),
                   sp_alloc(cells + 1, sizeof *m->whole), sp_alloc(out->problems + 1, sizeof *m->count) };
    if (!m->value || !m->whole || !m->count)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->place));
    for (size_t i = 0; i < cells; i++) {
        double *value = m->value + i * m->replicates;
        size_t runs_there = 0, last = 0, finite = 0;
        for (size_t r = 0; r < m->replicates; r++)
            value[r] = NAN;
        for (size_t row = out->row[i]; row < runs->table.rows && sp_runs_same_cell(runs, out->row[i], row); row++) {
            const size_t r = (size_t)sp_table_number(&runs->table, row, runs->replicate);
            value[r] = sp_runs_succeeded(runs, row) ? sp_table_number(&runs->table, row, y) : NAN;
            finite += isfinite(value[r]) != 0;
            last = r + 1 > last ? r + 1 : last;
            runs_there++;
        }
        size_t *count = &m->count[i % m->problems];
        m->whole[i] = finite > 0 && finite == runs_there && finite == last;
        *count = last > *count ? last : *count;
        if (m->whole[i]) {
            out->fewest = out->fewest == 0 || finite < out->fewest ? finite : out->fewest;
            out->most = finite > out->most ? finite : out->most;
        }
    }
cleanup:
    return status;
}

/* Of the replicates that were drawn; a cell with fewer than its problem takes those that it has. NULL: of all. */
static double mean_of(const matrix *m, size_t cell, const size_t *drawn)
{
    const double *value = m->value + cell * m->replicates;
    double sum = 0.0, count = 0.0;
    for (size_t i = 0; i < m->count[cell % m->problems]; i++) {
        const double y = value[drawn ? drawn[i] : i];
        sum += isnan(y) ? 0.0 : y;
        count += !isnan(y);
    }
    return m->whole[cell] && count > 0.0 ? sum / count : INFINITY;
}

/* ratio[labels x problems]; drawn[problems x replicates], NULL: all replicates. */
static void find_ratios(const matrix *m, const size_t *drawn, double *ratio)
{
    for (size_t p = 0; p < m->problems; p++) {
        double best = INFINITY;
        for (size_t l = 0; l < m->labels; l++) {
            double *r = &ratio[l * m->problems + p];
            *r = mean_of(m, l * m->problems + p, drawn ? drawn + p * m->replicates : NULL);
            best = fmin(best, *r);
        }
        for (size_t l = 0; l < m->labels; l++) {
            double *r = &ratio[l * m->problems + p];
            *r = isinf(*r) ? INFINITY : *r <= best ? 1.0 : best > 0.0 ? *r / best : INFINITY;
        }
    }
}

/* Problems whose ratio is at most tau. */
static size_t count_within(const double *sorted, size_t problems, double tau)
{
    size_t low = 0, high = problems;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sorted[middle] <= tau)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many problems are within each tau, labels x points; sorts each label's ratios. */
static void count_shares(const sp_profile *profile, double *ratio, size_t *within)
{
    for (size_t l = 0; l < profile->labels; l++) {
        double *mine = ratio + l * profile->problems;
        gsl_sort(mine, 1, profile->problems);
        for (size_t k = 0; k < profile->points; k++)
            within[l * profile->points + k] = count_within(mine, profile->problems, profile->tau[k]);
    }
}

static void draw(const matrix *m, gsl_rng *stream, size_t *drawn)
{
    for (size_t p = 0; p < m->problems; p++)
        for (size_t i = 0; i < m->count[p]; i++)
            drawn[p * m->replicates + i] = gsl_rng_uniform_int(stream, m->count[p]);
}

/* Of SP_RESAMPLES counts, `times` each occurred, the one below which this share of them is. */
static size_t quantile(const unsigned short *times, double share)
{
    size_t count = 0;
    for (double below = times[0]; below < share * SP_RESAMPLES; below += times[++count])
        ;
    return count;
}

/* within: of the runs as they are, labels x points. */
static sp_status find_bands(const sp_runs *runs, const sp_selection *s, const matrix *m, size_t *within,
                            sp_profile *out, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t cells = out->labels * out->points, counts = out->problems + 1;
    double *ratio = sp_alloc_doubles(out->labels * out->problems + 1);
    size_t *drawn = sp_alloc(out->problems * m->replicates + 1, sizeof *drawn);
    size_t *again = sp_alloc(cells + 1, sizeof *again);
    unsigned short *times = sp_alloc(cells * counts + 1, sizeof *times); /* by count of problems */
    char *name = sp_format("profile\t%s\t%s", s->sweep ? s->sweep : "", s->y);
    gsl_rng *stream = name ? sp_stream_open(sp_stream_key_of(runs->seed, name, 0, SP_STREAM_BOOTSTRAP)) : NULL;
    if (!ratio || !drawn || !again || !times || !stream)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->place));
    for (size_t b = 0; b < SP_RESAMPLES; b++) {
        draw(m, stream, drawn);
        find_ratios(m, drawn, ratio);
        count_shares(out, ratio, again);
        for (size_t i = 0; i < cells; i++)
            times[i * counts + again[i]]++;
    }
    for (size_t i = 0; i < cells; i++) {
        const double problems = (double)out->problems, low = (double)quantile(times + i * counts, 0.025);
        const double here = (double)within[i], high = (double)quantile(times + i * counts, 0.975);
        out->share[i] = (sp_interval){ here / problems, fmin(low, here) / problems, fmax(high, here) / problems,
                                       out->problems };
    }
cleanup:
    free(ratio);
    free(drawn);
    free(again);
    free(times);
    free(name);
    gsl_rng_free(stream);
    return status;
}

sp_status sp_profile_of(const sp_runs *runs, const sp_selection *s, const char *const *label, size_t labels,
                        sp_profile *out, sp_error *error)
{
    sp_status status = SP_OK;
    matrix m = { 0 };
    double *sorted = NULL;
    size_t *within = NULL, *first = sp_alloc(runs->table.rows + 1, sizeof *first);
    *out = (sp_profile){ .labels = labels };
    if (!first)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->place));
    SP_TRY(find_cells(runs, s, label, first, out, error));
    if (out->problems == 0)
        goto cleanup;
    SP_TRY(read_values(runs, s, out, &m, error));
    const size_t cells = labels * out->problems;
    out->ratio = sp_alloc_doubles(cells + 1);
    sorted = sp_alloc_doubles(cells + 1);
    out->tau = sp_alloc_doubles(cells + 2);
    if (!out->ratio || !sorted || !out->tau)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->place));
    find_ratios(&m, NULL, out->ratio);
    out->tau[out->points++] = 1.0;
    for (size_t i = 0; i < cells; i++)
        if (isfinite(out->ratio[i]))
            out->tau[out->points++] = out->ratio[i];
    out->points = sp_distinct(out->tau, out->points);
    memcpy(sorted, out->ratio, cells * sizeof *sorted);
    within = sp_alloc(labels * out->points + 1, sizeof *within);
    out->share = sp_alloc(labels * out->points + 1, sizeof *out->share);
    if (!within || !out->share)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->place));
    count_shares(out, sorted, within);
    SP_TRY(find_bands(runs, s, &m, within, out, error));
cleanup:
    free(first);
    free(within);
    free(sorted);
    free(m.value);
    free(m.whole);
    free(m.count);
    if (status != SP_OK)
        sp_profile_free(out);
    return status;
}

void sp_profile_free(sp_profile *profile)
{
    free(profile->tau);
    free(profile->ratio);
    free(profile->row);
    free(profile->share);
    *profile = (sp_profile){ 0 };
}
