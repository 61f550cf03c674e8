/* ranking.c -- computes the rows of a ranking (ranking.h). */
#include "core/contest/ranking.h"

#include "core/base/memory.h"
#include "core/stats/audited.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- scores ------------------------------------------------------------------------------------------------------ */

static void find_scores(const sp_runs *runs, const sp_board *b, const char *measure, sp_rank *out)
{
    gsl_rng *stream = sp_score_stream(runs, measure);
    sp_label_score *score = sp_need(sp_alloc(b->labels + 1, sizeof *score));
    sp_score_all(b, stream, score);
    for (size_t l = 0; l < b->labels; l++) {
        out[l].score = score[l];
        out[l].place = 1;
        const double mine = score[l].rank.estimate; /* NAN: nobody else plays its tasks */
        for (size_t other = 0; other < b->labels; other++) {
            const double theirs = score[other].rank.estimate;
            const bool ahead = isnan(mine) ? !isnan(theirs) : theirs < mine;
            out[l].place += ahead;
        }
    }
    gsl_rng_free(stream);
    free(score);
}

/* --- cost -------------------------------------------------------------------------------------------------------- */

static void find_calls(const sp_runs *runs, const sp_board *b, size_t label, sp_rank *out)
{
    const size_t n = sp_table_axis(&runs->table, "n");
    double sum = 0.0, tasks = 0.0;
    for (size_t t = 0; t < b->tasks; t++) {
        const size_t first = b->row[sp_board_at(b, label, t)];
        double calls = 0.0, count = 0.0;
        out->runs += b->runs[sp_board_at(b, label, t)];
        for (size_t row = first; row < runs->table.rows && sp_runs_same_cell(runs, first, row); row++)
            if (sp_runs_succeeded(runs, row)) {
                const double records = n < runs->table.columns ? sp_table_number(&runs->table, row, n) : NAN;
                calls += sp_oracle_calls(&runs->table, row) / records;
                count++;
            }
        if (calls > 0.0) {
            sum += log(calls / count);
            tasks++;
        }
    }
    out->calls = tasks > 0.0 ? exp(sum / tasks) : NAN;
}

/* --- slopes ------------------------------------------------------------------------------------------------------ */

/* In epsilon, on the records of this row: all that begins with "problem". axis: room for as many as there are
 * columns. */
static sp_status fit_one(const sp_runs *runs, const char *measure, size_t row, sp_axis_value *axis, double *slope,
                         sp_error *error)
{
    sp_status status = SP_OK;
    const sp_table *t = &runs->table;
    sp_series series = { 0 };
    size_t axes = 0;
    for (size_t c = 0; c < t->columns; c++)
        if (runs->axis[c] && strncmp(t->column[c], "problem", strlen("problem")) == 0)
            axis[axes++] = (sp_axis_value){ t->column[c], (char *)sp_table_text(t, row, c), NULL };
    const sp_selection s = { .place = "standing", .sweep = sp_table_text(t, row, runs->sweep),
                             .label = sp_table_text(t, row, runs->label), .x = "privacy.epsilon", .y = measure,
                             .where = axis, .wheres = axes };
    *slope = NAN;
    SP_TRY(sp_series_collect(runs, &s, false, &series, error));
    if (series.points >= 2)
        *slope = sp_series_fit(runs, &s, &series).estimate;
cleanup:
    sp_series_free(&series);
    return status;
}

/* Is it the label's first task with these records? */
static bool is_first(const sp_runs *runs, const sp_board *b, size_t label, size_t task)
{
    for (size_t t = 0; t < task; t++)
        if (sp_board_plays(b, label, t) && sp_runs_alike(runs, b->row[sp_board_at(b, label, t)],
                                                         b->row[sp_board_at(b, label, task)], SP_SAME_RECORDS))
            return false;
    return true;
}

/* slope: room for one a task. */
static sp_status find_slope(const sp_runs *runs, const sp_board *b, const char *measure, size_t label,
                            sp_axis_value *axis, double *slope, sp_interval *out, sp_error *error)
{
    sp_status status = SP_OK;
    for (size_t t = 0; t < b->tasks; t++) {
        slope[t] = NAN;
        if (sp_board_plays(b, label, t) && is_first(runs, b, label, t))
            SP_TRY(fit_one(runs, measure, b->row[sp_board_at(b, label, t)], axis, &slope[t], error));
    }
    *out = sp_over_problems(b, slope);
cleanup:
    return status;
}

sp_status sp_ranking(const sp_runs *runs, const sp_board *b, const char *measure, sp_rank *out, sp_error *error)
{
    sp_status status = SP_OK;
    sp_axis_value *axis = sp_need(sp_alloc(runs->table.columns + 1, sizeof *axis));
    double *slope = sp_need(sp_alloc_doubles(b->tasks + 1));
    for (size_t l = 0; l < b->labels; l++)
        out[l] = (sp_rank){ 0 };
    find_scores(runs, b, measure, out);
    for (size_t l = 0; l < b->labels; l++) {
        find_calls(runs, b, l, &out[l]);
        SP_TRY(find_slope(runs, b, measure, l, axis, slope, &out[l].slope, error));
        out[l].audited = sp_label_audited(runs, NULL, b->label[l], &out[l].finding);
    }
cleanup:
    free(axis);
    free(slope);
    return status;
}
