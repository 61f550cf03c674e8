/*
 * statistics.c -- the value y_p of a curve at a point p, from the values v of all replicates r:
 *
 *   sup        y_p = max_m (1/k) sum_r v_pmr over the members m of a family
 *   inversion  y_p = min { a : #{ r : v_pamr <= reach a } >= share k for all m }
 */
#include "core/stats/statistics.h"

#include <gsl/gsl_sort.h>
#include <math.h>

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

/* --- curves ----------------------------------------------------------------------------------------------- */

double sp_finite_mean(const double *value, const size_t *pick, size_t count, size_t *finite)
{
    double sum = 0.0;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const double v = value[pick ? pick[i] : i];
        if (isfinite(v)) {
            sum += v;
            found++;
        }
    }
    if (finite)
        *finite = found;
    return found ? sum / (double)found : NAN;
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
        const double mean = sp_finite_mean(value + m * s->replicates, pick, s->replicates, NULL);
        if (mean > y || (isnan(y) && !isnan(mean))) {
            y = mean;
            *decides = m;
        }
    }
    return y;
}

void sp_curve_values(const sp_samples *s, const size_t *pick, double *y, size_t *decides)
{
    for (size_t p = 0; p < s->points; p++) {
        size_t one;
        y[p] = curve_at(s, p, pick, decides ? &decides[p] : &one);
    }
}

void sp_resample(size_t count, gsl_rng *stream, size_t *pick)
{
    for (size_t i = 0; i < count; i++)
        pick[i] = draw(stream, count);
}
