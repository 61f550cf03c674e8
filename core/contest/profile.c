/* profile.c -- computes performance profiles and their bands (profile.h). */
#include "core/contest/profile.h"

#include "core/base/memory.h"
#include "core/numeric/stream.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The row of every cell in which somebody plays; problems in the order of the rows. `first` has room for a problem a
 * row. */
static sp_status find_cells(const sp_runs *runs, const sp_selection *s, size_t y, const char *const *label,
                            size_t *first, sp_board *b, sp_error *error)
{
    const size_t rows = runs->table.rows;
    for (size_t pass = 0; pass < 2; pass++) { /* problems first, then cells */
        for (size_t row = 0; row < rows; row++) {
            if (row > 0 && sp_runs_same_cell(runs, row, row - 1))
                continue;
            for (size_t l = 0; l < b->labels; l++) {
                sp_selection one = *s;
                one.label = label[l];
                if (!sp_runs_selected(runs, &one, row) || !sp_runs_play(runs, row, y))
                    continue;
                size_t p = 0;
                while (p < b->tasks && !sp_runs_alike(runs, first[p], row, SP_SAME_TASK))
                    p++;
                if (p == b->tasks)
                    first[b->tasks++] = row;
                size_t *cell = pass > 0 ? &b->row[l * b->tasks + p] : NULL;
                if (cell && *cell < rows)
                    return sp_runs_ambiguous(runs, s->place, *cell, row, " at one problem", error);
                if (cell)
                    *cell = row;
            }
        }
        if (pass == 0) {
            b->row = sp_need(sp_alloc(b->labels * b->tasks + 1, sizeof *b->row));
            for (size_t i = 0; i < b->labels * b->tasks; i++)
                b->row[i] = rows;
        }
    }
    return SP_OK;
}

/* The ratios of a board, INFINITY where a label does not play. */
static void fill_in(const sp_board *b, double *ratio)
{
    for (size_t cell = 0; cell < b->labels * b->tasks; cell++)
        ratio[cell] = isnan(ratio[cell]) ? INFINITY : ratio[cell];
}

static void count_runs(const sp_board *b, sp_profile *out)
{
    for (size_t cell = 0; cell < b->labels * b->tasks; cell++)
        if (isfinite(b->mean[cell])) {
            out->fewest = out->fewest == 0 || b->runs[cell] < out->fewest ? b->runs[cell] : out->fewest;
            out->most = b->runs[cell] > out->most ? b->runs[cell] : out->most;
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

/* Of SP_RESAMPLES counts, `times` each occurred, the one below which this share of them is. */
static size_t quantile(const unsigned short *times, double share)
{
    size_t count = 0;
    for (double below = times[0]; below < share * SP_RESAMPLES; below += times[++count])
        ;
    return count;
}

/* within: of the runs as they are, labels x points. */
static void find_bands(const sp_runs *runs, const sp_selection *s, const sp_board *b, size_t *within, sp_profile *out)
{
    const size_t cells = out->labels * out->points, counts = out->problems + 1;
    double *ratio = sp_need(sp_alloc_doubles(out->labels * out->problems + 1));
    size_t *drawn = sp_need(sp_alloc(b->replicates + 1, sizeof *drawn));
    size_t *again = sp_need(sp_alloc(cells + 1, sizeof *again));
    unsigned short *times = sp_need(sp_alloc(cells * counts + 1, sizeof *times)); /* by count of problems */
    char *name = sp_need(sp_format("profile\t%s\t%s", s->sweep ? s->sweep : "", s->y));
    gsl_rng *stream = sp_need(sp_stream_open(sp_stream_key_of(runs->seed, name, 0, SP_STREAM_BOOTSTRAP)));
    for (size_t k = 0; k < SP_RESAMPLES; k++) {
        sp_board_draw(b, stream, drawn, ratio);
        fill_in(b, ratio);
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
    free(ratio);
    free(drawn);
    free(again);
    free(times);
    free(name);
    gsl_rng_free(stream);
}

sp_status sp_profile_of(const sp_runs *runs, const sp_selection *s, const char *const *label, size_t labels,
                        sp_profile *out, sp_error *error)
{
    sp_status status = SP_OK;
    sp_board b = { .labels = labels };
    const size_t y = sp_table_column(&runs->table, s->y);
    double *sorted = NULL;
    size_t *within = NULL, *first = sp_need(sp_alloc(runs->table.rows + 1, sizeof *first));
    *out = (sp_profile){ .labels = labels };
    if (y == runs->table.columns)
        SP_TRY(sp_fail(error, SP_EINVAL, "%s: runs.tsv has no column %s", s->place, s->y));
    SP_TRY(find_cells(runs, s, y, label, first, &b, error));
    if (b.tasks == 0)
        goto cleanup;
    const size_t cells = labels * b.tasks;
    sorted = sp_need(sp_alloc_doubles(cells + 1));
    out->tau = sp_need(sp_alloc_doubles(cells + 2));
    sp_board_read(runs, y, &b);
    fill_in(&b, b.ratio);
    count_runs(&b, out);
    out->problems = b.tasks;
    out->ratio = b.ratio;
    out->row = b.row;
    b.ratio = NULL; /* the profile's own now */
    b.row = NULL;
    out->tau[out->points++] = 1.0;
    for (size_t i = 0; i < cells; i++)
        if (isfinite(out->ratio[i]))
            out->tau[out->points++] = out->ratio[i];
    out->points = sp_distinct(out->tau, out->points);
    memcpy(sorted, out->ratio, cells * sizeof *sorted);
    within = sp_need(sp_alloc(labels * out->points + 1, sizeof *within));
    out->share = sp_need(sp_alloc(labels * out->points + 1, sizeof *out->share));
    count_shares(out, sorted, within);
    find_bands(runs, s, &b, within, out);
cleanup:
    free(first);
    free(within);
    free(sorted);
    sp_board_free(&b);
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
