/* standing.c -- see standing.h. */
#include "core/evidence/standing.h"

#include "core/base/memory.h"
#include "core/base/stream.h"
#include "core/evidence/audited.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- scores ------------------------------------------------------------------------------------------------------ */

static sp_status find_scores(const sp_runs *runs, const sp_board *b, const char *measure, sp_standing *out, sp_error *error)
{
    sp_status status = SP_OK;
    char *name = sp_format("score\t%s", measure);
    gsl_rng *stream = name ? sp_stream_open(sp_stream_key_of(runs->seed, name, 0, SP_STREAM_BOOTSTRAP)) : NULL;
    sp_label_score *score = sp_alloc(b->labels + 1, sizeof *score);
    if (!stream || !score || sp_score_all(b, stream, score) != SP_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "standing: out of memory"));
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
cleanup:
    gsl_rng_free(stream);
    free(name);
    free(score);
    return status;
}

/* --- cost -------------------------------------------------------------------------------------------------------- */

/* Of one run, a record; NAN where the table does not say. */
static double calls_of(const sp_runs *runs, size_t row)
{
    static const struct { const char *column; double points; } asks[] = { { "gradients", 1 }, { "differences", 2 },
                                                                          { "hessians", 1 }, { "losses", 1 } };
    const sp_table *t = &runs->table;
    const size_t n = sp_table_axis(t, "n");
    double calls = 0.0;
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        const size_t column = sp_table_column(t, asks[i].column);
        calls += column < t->columns ? asks[i].points * sp_table_number(t, row, column) : NAN;
    }
    return n < t->columns ? calls / sp_table_number(t, row, n) : NAN;
}

static void find_calls(const sp_runs *runs, const sp_board *b, size_t label, sp_standing *out)
{
    double sum = 0.0, tasks = 0.0;
    for (size_t t = 0; t < b->tasks; t++) {
        const size_t first = b->row[sp_board_at(b, label, t)];
        double calls = 0.0, count = 0.0;
        for (size_t row = first; row < runs->table.rows && sp_runs_same_cell(runs, first, row); row++) {
            out->runs++;
            if (sp_runs_succeeded(runs, row)) {
                calls += calls_of(runs, row);
                count++;
            }
        }
        if (calls > 0.0) {
            sum += log(calls / count);
            tasks++;
        }
    }
    out->calls = tasks > 0.0 ? exp(sum / tasks) : NAN;
}

/* --- slopes ------------------------------------------------------------------------------------------------------ */

/* In epsilon, on the problem of this row: all that begins with "problem". axis: room for as many as there are columns. */
static sp_status fit_one(const sp_runs *runs, const char *measure, size_t row, sp_axis_value *axis, double *slope,
                         sp_error *error)
{
    sp_status status = SP_OK;
    const sp_table *t = &runs->table;
    sp_series series = { 0 };
    sp_slope fit;
    size_t axes = 0;
    for (size_t c = 0; c < t->columns; c++)
        if (runs->axis[c] && strncmp(t->column[c], "problem", strlen("problem")) == 0)
            axis[axes++] = (sp_axis_value){ t->column[c], t->cell[row * t->columns + c], NULL };
    const sp_selection s = { .place = "standing", .sweep = sp_table_text(t, row, runs->sweep),
                             .label = sp_table_text(t, row, runs->label), .x = "privacy.epsilon", .y = measure,
                             .where = axis, .wheres = axes };
    *slope = NAN;
    SP_TRY(sp_series_collect(runs, &s, false, &series, error));
    if (series.points < 2)
        goto cleanup;
    SP_TRY(sp_series_fit(runs, &s, &series, &fit));
    *slope = fit.estimate;
cleanup:
    sp_series_free(&series);
    return status;
}

/* slope: room for one a problem. */
static sp_status find_slope(const sp_runs *runs, const sp_board *b, const char *measure, size_t label, sp_axis_value *axis,
                            double *slope, sp_interval *out, sp_error *error)
{
    sp_status status = SP_OK;
    for (size_t p = 0; p < b->problems; p++)
        slope[p] = NAN;
    for (size_t t = 0; t < b->tasks; t++) {
        const size_t row = b->row[sp_board_at(b, label, t)];
        if (row < runs->table.rows && isnan(slope[b->problem[t]]))
            SP_TRY(fit_one(runs, measure, row, axis, &slope[b->problem[t]], error));
    }
    *out = sp_mean_t(slope, b->problems, 0.95);
cleanup:
    return status;
}

/* --- audits ------------------------------------------------------------------------------------------------------ */

static void find_audit(const sp_runs *runs, const sp_board *b, size_t label, sp_standing *out)
{
    static const char *const worse[] = { SP_AUDITED_NONE, "yes", "no", "failed" };
    size_t worst = 0;
    out->audited = worse[0];
    for (size_t t = 0; t < b->tasks; t++) {
        const size_t row = b->row[sp_board_at(b, label, t)];
        const char *finding = NULL;
        if (row == runs->table.rows)
            continue;
        const char *word = sp_label_audited(runs, sp_table_text(&runs->table, row, runs->sweep), b->label[label], &finding);
        for (size_t i = worst + 1; i < sizeof worse / sizeof *worse; i++)
            if (strcmp(word, worse[i]) == 0) {
                worst = i;
                out->audited = word;
                out->finding = finding;
            }
    }
}

sp_status sp_standings(const sp_runs *runs, const sp_board *b, const char *measure, sp_standing *out, sp_error *error)
{
    sp_status status = SP_OK;
    sp_axis_value *axis = sp_alloc(runs->table.columns + 1, sizeof *axis);
    double *slope = sp_alloc_doubles(b->problems + 1);
    if (!axis || !slope)
        SP_TRY(sp_fail(error, SP_ENOMEM, "standing: out of memory"));
    for (size_t l = 0; l < b->labels; l++)
        out[l] = (sp_standing){ 0 };
    SP_TRY(find_scores(runs, b, measure, out, error));
    for (size_t l = 0; l < b->labels; l++) {
        find_calls(runs, b, l, &out[l]);
        SP_TRY(find_slope(runs, b, measure, l, axis, slope, &out[l].slope, error));
        find_audit(runs, b, l, &out[l]);
    }
cleanup:
    free(axis);
    free(slope);
    return status;
}
