/*
 * statistics.c -- curves, fitted exponents and their bootstrap intervals.
 *
 *   sup        y_p = max_m (1/k) sum_r v_pmr over the members m of a family
 *   inversion  y_p = min { a : #{ r : v_pamr <= reach a } >= share k for all m }
 *   exponent   slope b of the least-squares line  log y_p = c + b log x_p;  local slopes between neighbours
 *
 * Source   Efron 1979 (percentile bootstrap). A resample of a curve draws replicates, not values: replicate r met the
 *          same records at every x, so its values move together.
 */
#include "core/evidence/statistics.h"

#include "core/base/memory.h"

#include <gsl/gsl_fit.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const sp_interval nothing = { .estimate = NAN, .low = NAN, .high = NAN };

size_t sp_distinct(double *value, size_t count)
{
    size_t kept = 0;
    gsl_sort(value, 1, count);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || value[i] != value[kept - 1])
            value[kept++] = value[i];
    return kept;
}

size_t sp_find_sorted(const double *sorted, size_t count, double value)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && sorted[low] == value ? low : count;
}

static size_t draw(gsl_rng *stream, size_t count)
{
    return (size_t)(gsl_rng_uniform(stream) * (double)count);
}

/* Sorts what it is given. */
static void set_interval(sp_interval *interval, double *resampled, size_t count, double level)
{
    gsl_sort(resampled, 1, count);
    interval->low = gsl_stats_quantile_from_sorted_data(resampled, 1, count, 0.5 * (1.0 - level));
    interval->high = gsl_stats_quantile_from_sorted_data(resampled, 1, count, 0.5 * (1.0 + level));
}

/* --- curves ----------------------------------------------------------------------------------------------- */

/* Mean of the finite ones among value[pick[i]]; NAN when there are none. */
static double mean_of(const double *value, const size_t *pick, size_t count)
{
    double sum = 0.0;
    size_t finite = 0;
    for (size_t i = 0; i < count; i++) {
        const double v = value[pick ? pick[i] : i];
        if (isfinite(v)) {
            sum += v;
            finite++;
        }
    }
    return finite ? sum / (double)finite : NAN;
}

static bool reached(const double *value, const size_t *pick, size_t count, double most, double share)
{
    size_t below = 0;
    for (size_t i = 0; i < count; i++)
        below += value[pick ? pick[i] : i] <= most;
    return (double)below >= share * (double)count * (1.0 - 1e-12); /* 0.9 of 20 is 18, whatever it rounds to */
}

/* y at one point from the picked replicates (NULL: all), and which member or level decides it. */
static double curve_at(const sp_samples *s, size_t point, const size_t *pick, size_t *decides)
{
    const double *value = s->value + point * s->levels * s->members * s->replicates;
    double y = NAN;
    *decides = s->level ? s->levels : s->members;
    for (size_t l = 0; s->level && l < s->levels; l++) {
        bool all = s->members > 0;
        for (size_t m = 0; m < s->members && all; m++)
            all = reached(value + (l * s->members + m) * s->replicates, pick, s->replicates, s->reach * s->level[l],
                          s->share);
        if (all) {
            *decides = l;
            return s->level[l];
        }
    }
    for (size_t m = 0; !s->level && m < s->members; m++) {
        const double mean = mean_of(value + m * s->replicates, pick, s->replicates);
        if (mean > y || (isnan(y) && !isnan(mean))) {
            y = mean;
            *decides = m;
        }
    }
    return y;
}

void sp_curve_values(const sp_samples *s, double *y, size_t *decides)
{
    for (size_t p = 0; p < s->points; p++) {
        size_t one;
        y[p] = curve_at(s, p, NULL, decides ? &decides[p] : &one);
    }
}

/* What a fit works on: everything about the points that have a y, and room for the resamples. */
typedef struct work {
    size_t used;          /* points of the line */
    size_t *at;           /* which they are */
    double *log_x, *log_y;
    size_t *pick, *decides, *now, *same;
    double *y;            /* of one resample, at every point */
    double *y_resampled;  /* points x SP_RESAMPLES, what is left packed to the front */
    size_t *y_count;
    double *slope, *local; /* SP_RESAMPLES; points x SP_RESAMPLES */
} work;

static bool work_open(const sp_samples *s, work *w)
{
    const size_t points = s->points + 1;
    *w = (work){
        .at = sp_alloc(points, sizeof *w->at), .log_x = sp_alloc_doubles(points), .log_y = sp_alloc_doubles(points),
        .pick = sp_alloc(s->replicates + 1, sizeof *w->pick), .decides = sp_alloc(points, sizeof *w->decides),
        .now = sp_alloc(points, sizeof *w->now), .same = sp_alloc(points, sizeof *w->same),
        .y = sp_alloc_doubles(points), .y_resampled = sp_alloc_doubles(points * SP_RESAMPLES),
        .y_count = sp_alloc(points, sizeof *w->y_count), .slope = sp_alloc_doubles(SP_RESAMPLES),
        .local = sp_alloc_doubles(points * SP_RESAMPLES),
    };
    return w->at && w->log_x && w->log_y && w->pick && w->decides && w->now && w->same && w->y && w->y_resampled &&
           w->y_count && w->slope && w->local;
}

static void work_close(work *w)
{
    void *const parts[] = { w->at,  w->log_x, w->log_y,       w->pick,    w->decides, w->now,
                            w->same, w->y,     w->y_resampled, w->y_count, w->slope,   w->local };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
}

/* The line through the points of w->y that are used; false when one has no logarithm. */
static bool line(work *w, double *intercept, double *slope)
{
    double c00, c01, c11, squares;
    for (size_t i = 0; i < w->used; i++) {
        const double y = w->y[w->at[i]];
        if (!(y > 0.0 && isfinite(y)))
            return false;
        w->log_y[i] = log(y);
    }
    gsl_fit_linear(w->log_x, 1, w->log_y, 1, w->used, intercept, slope, &c00, &c01, &c11, &squares);
    return true;
}

static double local_slope(const work *w, size_t i)
{
    return (w->log_y[i] - w->log_y[i - 1]) / (w->log_x[i] - w->log_x[i - 1]);
}

/* Draws replicates, and keeps y, slope and local slopes of the resample; returns how many lines there are. */
static size_t resample(const sp_samples *s, gsl_rng *stream, work *w)
{
    size_t lines = 0;
    double intercept;
    for (size_t b = 0; s->replicates > 1 && b < SP_RESAMPLES; b++) {
        for (size_t r = 0; r < s->replicates; r++)
            w->pick[r] = draw(stream, s->replicates);
        for (size_t p = 0; p < s->points; p++) {
            w->y[p] = curve_at(s, p, w->pick, &w->now[p]);
            if (!isnan(w->y[p]))
                w->y_resampled[p * SP_RESAMPLES + w->y_count[p]++] = w->y[p];
            w->same[p] += w->now[p] == w->decides[p];
        }
        if (!line(w, &intercept, &w->slope[lines]))
            continue;
        for (size_t i = 1; i < w->used; i++)
            w->local[w->at[i] * SP_RESAMPLES + lines] = local_slope(w, i);
        lines++;
    }
    return lines;
}

sp_status sp_fit_curve(const sp_samples *s, const bool *use, double level, gsl_rng *stream, sp_curve_fit *out)
{
    sp_status status = SP_OK;
    work w;
    double lowest = INFINITY, highest = -INFINITY;
    sp_interval slope = nothing;
    double intercept;
    if (!work_open(s, &w))
        SP_TRY(SP_ENOMEM);
    sp_curve_values(s, w.y, w.decides);
    for (size_t p = 0; p < s->points; p++) {
        if ((use && !use[p]) || isnan(w.y[p]))
            continue; /* for instance every replicate failed here */
        if (!(s->x[p] > 0.0 && isfinite(s->x[p])))
            SP_TRY(SP_EINVAL);
        lowest = fmin(lowest, s->x[p]);
        highest = fmax(highest, s->x[p]);
        w.log_x[w.used] = log(s->x[p]);
        w.at[w.used++] = p;
    }
    if (!(lowest < highest) || !line(&w, &intercept, &slope.estimate))
        SP_TRY(SP_EINVAL);
    slope.count = w.used;
    for (size_t p = 0; p < s->points; p++) {
        if (out->y)
            out->y[p] = (sp_interval){ w.y[p], NAN, NAN, s->replicates };
        if (out->decides)
            out->decides[p] = w.decides[p];
        if (out->local)
            out->local[p] = nothing;
    }
    for (size_t i = 1; i < w.used && out->local; i++)
        out->local[w.at[i]] = (sp_interval){ local_slope(&w, i), NAN, NAN, 2 };
    const size_t lines = resample(s, stream, &w);
    if (lines > 0)
        set_interval(&slope, w.slope, lines, level);
    for (size_t p = 0; p < s->points; p++) {
        if (out->y && w.y_count[p] > 0)
            set_interval(&out->y[p], w.y_resampled + p * SP_RESAMPLES, w.y_count[p], level);
        if (out->agreement)
            out->agreement[p] = s->replicates > 1 ? (double)w.same[p] / SP_RESAMPLES : 1.0;
        if (out->local && lines > 0 && !isnan(out->local[p].estimate))
            set_interval(&out->local[p], w.local + p * SP_RESAMPLES, lines, level);
    }
    out->slope = slope;
    out->intercept = intercept;
cleanup:
    work_close(&w);
    return status;
}

sp_status sp_fit_exponent(const double *x, const double *value, size_t points, size_t replicates, double level,
                          gsl_rng *stream, sp_interval *slope, double *intercept)
{
    const sp_samples samples = { .points = points, .levels = 1, .members = 1, .replicates = replicates, .x = x,
                                 .value = value };
    sp_curve_fit fit = { 0 };
    const sp_status status = sp_fit_curve(&samples, NULL, level, stream, &fit);
    if (status == SP_OK) {
        *slope = fit.slope;
        if (intercept)
            *intercept = fit.intercept;
    }
    return status;
}
