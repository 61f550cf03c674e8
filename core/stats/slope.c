/* slope.c -- computes the fit, interval, tail and intersection of slope.h. */
#include "core/stats/slope.h"

#include "core/base/memory.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>

static const sp_interval nothing = { .estimate = NAN, .low = NAN, .high = NAN };
const sp_slope sp_no_slope = { .estimate = NAN, .se = NAN, .df = NAN, .noise_se = NAN,
                               .noise_df = NAN, .low = NAN, .high = NAN, .intercept = NAN,
                               .middle = NAN, .level = NAN, .level_se = NAN, .covariance = NAN,
                               .fit_p = NAN, .tail = NAN, .tail_low = NAN, .tail_high = NAN, .tail_se = NAN,
                               .tail_df = NAN };

/* Relative deviations below 1e-9 are rounding. */
static const double least_variance = 1e-18;

enum { LINE = 2, QUADRATIC = 3 }; /* coefficients of a polynomial in z */

/* Logarithms of means, with their covariances. */
typedef struct curve {
    size_t points;
    size_t *at;         /* which points of the caller's */
    double *z;          /* log x, less its mean */
    double *log_y;
    double *covariance; /* points x points, of log_y; NAN with a single replicate */
    double *df;         /* by point, R_p - 1 */
    bool joint, toward_zero;
    double joint_df;    /* of any sum over points where replicates go together */
    double *a, *residual, *leverage; /* room: weights of a sum over points; of a polynomial's fit */
    double mean_z;
} curve;

static void curve_open(size_t points, curve *c)
{
    const size_t n = points + 1;
    *c = (curve){ .at = sp_need(sp_alloc(n, sizeof *c->at)),
                  .z = sp_need(sp_alloc_doubles(n)),
                  .log_y = sp_need(sp_alloc_doubles(n)),
                  .covariance = sp_need(sp_alloc_doubles(n * n)),
                  .df = sp_need(sp_alloc_doubles(n)),
                  .a = sp_need(sp_alloc_doubles(n)),
                  .residual = sp_need(sp_alloc_doubles(n)),
                  .leverage = sp_need(sp_alloc_doubles(n)) };
}

static void curve_close(curve *c)
{
    void *const parts[] = { c->at, c->z, c->log_y, c->covariance, c->df, c->a, c->residual, c->leverage };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
}

static double covariance_of(const curve *c, size_t p, size_t q)
{
    return c->covariance[p * c->points + q] + (p == q ? least_variance : 0.0);
}

/* Takes the points that are used and have a positive mean, with their x; false when one has no logarithm, two have the
 * same x, or fewer than two are left. */
static bool take_points(curve *c, size_t points, const double *x, const double *y, const bool *use)
{
    for (size_t p = 0; p < points; p++) {
        if ((use && !use[p]) || isnan(y[p]))
            continue; /* for instance every replicate failed here */
        if (!(x[p] > 0.0 && isfinite(x[p]) && y[p] > 0.0 && isfinite(y[p])))
            return false;
        c->z[c->points] = log(x[p]);
        if (c->points > 0 && c->z[c->points] == c->z[c->points - 1])
            return false;
        c->log_y[c->points] = log(y[p]);
        c->mean_z += c->z[c->points];
        c->at[c->points++] = p;
    }
    if (c->points < 2)
        return false;
    c->mean_z /= (double)c->points;
    for (size_t p = 0; p < c->points; p++)
        c->z[p] -= c->mean_z;
    return true;
}

/* --- sums over points ---------------------------------------------------------------------------------------- */

typedef struct sum {
    double estimate, se, df;
} sum;

/* sum_p a_p log y_p */
static sum sum_of(const curve *c, const double *a)
{
    sum s = { 0 };
    double variance = 0.0, welch = 0.0;
    for (size_t p = 0; p < c->points; p++) {
        const double v = a[p] * a[p] * covariance_of(c, p, p);
        s.estimate += a[p] * c->log_y[p];
        variance += v;
        welch += v * v / c->df[p];
        for (size_t q = 0; q < p && c->joint; q++)
            variance += 2.0 * a[p] * a[q] * covariance_of(c, p, q);
    }
    s.se = sqrt(variance < 0.0 ? 0.0 : variance); /* NAN: two points without a replicate that both have */
    s.df = c->joint ? c->joint_df : variance * variance / welch;
    return s;
}

/* Covariance of sum_p a_p log y_p and the mean of log y. */
static double covariance_with_mean(const curve *c, const double *a)
{
    double total = 0.0;
    for (size_t p = 0; p < c->points; p++)
        for (size_t q = 0; q < c->points; q++)
            total += c->joint || p == q ? a[p] * covariance_of(c, p, q) / (double)c->points : 0.0;
    return total;
}

void sp_slope_interval(double estimate, double se, double df, double *low, double *high)
{
    const double half = df > 0.0 ? gsl_cdf_tdist_Pinv(0.95, df) * se : NAN;
    *low = estimate - half;
    *high = estimate + half;
}

/* --- polynomials --------------------------------------------------------------------------------------------- */

/* The fit of a polynomial with k coefficients: the matrix of its normal equations, factored. z is in units of its
 * largest, so that they stay well conditioned. */
typedef struct polynomial {
    size_t k;
    bool weighted; /* by the reciprocal variances of log y; else every point counts the same */
    double unit;
    double matrix[QUADRATIC * QUADRATIC];
} polynomial;

static void powers_at(const polynomial *f, double z, double *out)
{
    out[0] = 1.0;
    for (size_t i = 1; i < f->k; i++)
        out[i] = out[i - 1] * (z / f->unit);
}

static double weight_of(const curve *c, const polynomial *f, size_t p)
{
    return f->weighted ? 1.0 / covariance_of(c, p, p) : 1.0;
}

static polynomial polynomial_of(const curve *c, size_t k, bool weighted)
{
    polynomial f = { .k = k, .weighted = weighted };
    for (size_t p = 0; p < c->points; p++)
        f.unit = fmax(f.unit, fabs(c->z[p]));
    for (size_t p = 0; p < c->points; p++) {
        double power[QUADRATIC];
        powers_at(&f, c->z[p], power);
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++)
                f.matrix[i * k + j] += weight_of(c, &f, p) * power[i] * power[j];
    }
    gsl_matrix_view m = gsl_matrix_view_array(f.matrix, k, k);
    gsl_linalg_cholesky_decomp1(&m.matrix);
    return f;
}

static void solve(const polynomial *f, double *vector)
{
    gsl_matrix_const_view m = gsl_matrix_const_view_array(f->matrix, f->k, f->k);
    gsl_vector_view v = gsl_vector_view_array(vector, f->k);
    gsl_linalg_cholesky_svx(&m.matrix, &v.vector);
}

/* Its residuals and leverages; returns the weighted sum of squares. */
static double residuals_of(curve *c, const polynomial *f)
{
    double coefficient[QUADRATIC] = { 0 }, squares = 0.0;
    for (size_t p = 0; p < c->points; p++) {
        double power[QUADRATIC];
        powers_at(f, c->z[p], power);
        for (size_t i = 0; i < f->k; i++)
            coefficient[i] += weight_of(c, f, p) * power[i] * c->log_y[p];
    }
    solve(f, coefficient);
    for (size_t p = 0; p < c->points; p++) {
        double power[QUADRATIC], solved[QUADRATIC];
        powers_at(f, c->z[p], power);
        powers_at(f, c->z[p], solved);
        solve(f, solved);
        c->residual[p] = c->log_y[p];
        c->leverage[p] = 0.0;
        for (size_t i = 0; i < f->k; i++) {
            c->residual[p] -= coefficient[i] * power[i];
            c->leverage[p] += weight_of(c, f, p) * power[i] * solved[i];
        }
        squares += weight_of(c, f, p) * c->residual[p] * c->residual[p];
    }
    return squares;
}

/* c->a: the weights of log y in its derivative at z; returns the sum of their squares. */
static double differentiate(curve *c, const polynomial *f, double z)
{
    double derivative[QUADRATIC] = { 0 }, squares = 0.0, power[QUADRATIC];
    powers_at(f, z, power);
    for (size_t i = 1; i < f->k; i++)
        derivative[i] = (double)i * power[i - 1] / f->unit;
    solve(f, derivative);
    for (size_t p = 0; p < c->points; p++) {
        c->a[p] = 0.0;
        powers_at(f, c->z[p], power);
        for (size_t i = 0; i < f->k; i++)
            c->a[p] += weight_of(c, f, p) * power[i] * derivative[i];
        squares += c->a[p] * c->a[p];
    }
    return squares;
}

/* --- does it fit? -------------------------------------------------------------------------------------------- */

/* Points apart: the residuals' chi^2 over q = P - k, whose variances are themselves estimates (Johansen 1980, which is
 * Welch's test where k = 1). */
static double fit_apart(const curve *c, size_t k, double chi2)
{
    const double q = (double)(c->points - k);
    double a = 0.0;
    for (size_t p = 0; p < c->points; p++)
        a += gsl_pow_2(1.0 - c->leverage[p]) / c->df[p];
    const double scale = q + 2.0 * a - 6.0 * a / (q + 2.0), df = q * (q + 2.0) / (3.0 * a);
    return df > 0.0 ? gsl_cdf_fdist_Q(chi2 / scale, q, df) : NAN;
}

/* Divided difference of order k at point p and the k after it: 0 for every polynomial with k coefficients. */
static void difference_at(const curve *c, size_t p, size_t k, double *a)
{
    for (size_t i = 0; i < c->points; i++)
        a[i] = 0.0;
    for (size_t i = p; i <= p + k; i++) {
        a[i] = 1.0;
        for (size_t j = p; j <= p + k; j++)
            a[i] /= i == j ? 1.0 : c->z[i] - c->z[j];
    }
}

/* Replicates go together: Hotelling's T^2 of the q = P - k divided differences. */
static double fit_together(const curve *c, size_t k)
{
    const size_t q = c->points - k, n = c->points;
    gsl_matrix *covariance = sp_need(gsl_matrix_calloc(q, q));
    gsl_vector *difference = sp_need(gsl_vector_calloc(q)), *solved = sp_need(gsl_vector_calloc(q));
    double *weight = sp_need(sp_alloc_doubles(q * n));
    double p_value = NAN;
    for (size_t i = 0; i < q; i++) {
        double *a = weight + i * n;
        difference_at(c, i, k, a);
        const double size = fabs(a[i]); /* in units of its first weight */
        for (size_t p = 0; p < n; p++) {
            a[p] /= size;
            *gsl_vector_ptr(difference, i) += a[p] * c->log_y[p];
        }
        for (size_t j = 0; j <= i; j++) {
            double total = 0.0, size_of_terms = 0.0;
            for (size_t p = 0; p < n; p++)
                for (size_t r = 0; r < n; r++) {
                    const double term = a[p] * weight[j * n + r] * covariance_of(c, p, r);
                    total += term;
                    size_of_terms += fabs(term);
                }
            total += i == j ? 1e-12 * size_of_terms : 0.0; /* what rounding may leave of what cancels */
            gsl_matrix_set(covariance, i, j, total);
            gsl_matrix_set(covariance, j, i, total);
        }
    }
    const double df = c->joint_df - (double)q + 1.0;
    if (df > 0.0 && gsl_linalg_cholesky_decomp1(covariance) == GSL_SUCCESS) {
        double t2 = 0.0;
        gsl_linalg_cholesky_solve(covariance, difference, solved);
        for (size_t i = 0; i < q; i++)
            t2 += gsl_vector_get(difference, i) * gsl_vector_get(solved, i);
        p_value = gsl_cdf_fdist_Q(t2 * df / ((double)q * c->joint_df), (double)q, df);
    }
    gsl_matrix_free(covariance);
    gsl_vector_free(difference);
    gsl_vector_free(solved);
    free(weight);
    return p_value;
}

/* p of the test that the points lie on a polynomial with k coefficients; NAN: as many points, or a single replicate. */
static double test_fit(curve *c, size_t k)
{
    const polynomial f = polynomial_of(c, k, true);
    if (c->points <= k || !(c->df[0] > 0.0))
        return NAN;
    return c->joint ? fit_together(c, k) : fit_apart(c, k, residuals_of(c, &f));
}

/* --- slopes -------------------------------------------------------------------------------------------------- */

/* The slope at z of the polynomial of least squares, by the noise of the replicates; its error by the residuals, 0
 * where there are none; the p of the fit. */
static void slope_at(curve *c, size_t k, double z, sum *slope, double *residual_se, double *p_value)
{
    const polynomial f = polynomial_of(c, k, false);
    const double squares = differentiate(c, &f, z), rest = residuals_of(c, &f);
    *slope = sum_of(c, c->a);
    *residual_se = c->points > k ? sqrt(squares * rest / (double)(c->points - k)) : 0.0;
    *p_value = test_fit(c, k);
}

/* Where the fit is rejected: an error no smaller than the residuals', with the degrees of freedom that they have. */
static bool widen(sum *s, double p_value, double residual_se, size_t df)
{
    if (!(p_value < 0.05 && residual_se > s->se))
        return false;
    s->se = residual_se;
    s->df = (double)df;
    return true;
}

/* The line at the mean of z; its error in the same way as that of the slope, whose weights c->a are. */
static void find_level(curve *c, bool widened, double residual_se, sp_slope *out)
{
    double squares = 0.0;
    out->covariance = covariance_with_mean(c, c->a);
    for (size_t p = 0; p < c->points; p++) {
        squares += c->a[p] * c->a[p];
        c->a[p] = 1.0 / (double)c->points;
    }
    out->level_se = sum_of(c, c->a).se;
    if (widened) { /* residuals that are independent and alike */
        out->level_se = fmax(out->level_se, residual_se / sqrt(squares * (double)c->points));
        out->covariance = 0.0;
    }
    out->middle = c->mean_z;
}

static void fit_line(curve *c, sp_slope *out)
{
    double mean = 0.0, residual_se;
    sum b;
    slope_at(c, LINE, 0.0, &b, &residual_se, &out->fit_p);
    out->noise_se = b.se;
    out->noise_df = b.df;
    find_level(c, widen(&b, out->fit_p, residual_se, c->points - LINE), residual_se, out);
    for (size_t p = 0; p < c->points; p++)
        mean += c->log_y[p] / (double)c->points;
    out->estimate = b.estimate;
    out->se = b.se;
    out->df = b.df;
    out->level = mean;
    out->intercept = mean - b.estimate * c->mean_z;
    sp_slope_interval(b.estimate, b.se, b.df, &out->low, &out->high);
}

static void fit_tail(curve *c, sp_slope *out)
{
    double residual_se, p_value;
    sum tail;
    if (c->points < QUADRATIC)
        return;
    const double end = c->z[c->toward_zero ? 0 : c->points - 1];
    slope_at(c, QUADRATIC, end, &tail, &residual_se, &p_value);
    widen(&tail, p_value, residual_se, c->points - QUADRATIC);
    out->tail = tail.estimate;
    out->tail_se = tail.se;
    out->tail_df = tail.df;
    sp_slope_interval(tail.estimate, tail.se, tail.df, &out->tail_low, &out->tail_high);
}

static void find_local(curve *c, size_t points, sp_interval *local)
{
    for (size_t p = 0; p < points; p++)
        local[p] = nothing;
    for (size_t p = 1; p < c->points; p++) {
        const double step = c->z[p] - c->z[p - 1];
        for (size_t i = 0; i < c->points; i++)
            c->a[i] = i == p ? 1.0 / step : i + 1 == p ? -1.0 / step : 0.0;
        const sum s = sum_of(c, c->a);
        local[c->at[p]] = (sp_interval){ .estimate = s.estimate, .count = 2 };
        sp_slope_interval(s.estimate, s.se, s.df, &local[c->at[p]].low, &local[c->at[p]].high);
    }
}

/* Everything about a curve whose covariances are known. */
static void fit_curve(curve *c, size_t points, sp_slope *out, sp_interval *local)
{
    sp_slope slope = sp_no_slope;
    slope.points = c->points;
    fit_line(c, &slope);
    fit_tail(c, &slope);
    if (local)
        find_local(c, points, local);
    *out = slope;
}

/* --- two lines ----------------------------------------------------------------------------------------------- */

/* A line in z about z = c, with the variances of its level there and of its slope, and their covariance. */
typedef struct line {
    double level, slope, level_variance, slope_variance, covariance;
} line;

static line line_at(const sp_slope *s, double c)
{
    const double shift = c - s->middle, slope_variance = s->se * s->se;
    return (line){ .level = s->level + s->estimate * shift, .slope = s->estimate, .slope_variance = slope_variance,
                   .level_variance = s->level_se * s->level_se + (2.0 * s->covariance + slope_variance * shift) * shift,
                   .covariance = s->covariance + slope_variance * shift };
}

sp_interval sp_slope_crossing(const sp_slope *a, const sp_slope *b)
{
    const double c = 0.5 * (a->middle + b->middle);
    const line f = line_at(a, c), g = line_at(b, c);
    const double level = f.level - g.level, slope = f.slope - g.slope;
    const double v = f.slope_variance + g.slope_variance;
    const double df = v * v / (gsl_pow_2(f.slope_variance) / a->df + gsl_pow_2(g.slope_variance) / b->df);
    if (!(df > 0.0) || slope == 0.0)
        return nothing;
    const double t2 = gsl_pow_2(gsl_cdf_tdist_Pinv(0.95, df));
    const double A = slope * slope - t2 * v, B = level * slope - t2 * (f.covariance + g.covariance);
    const double C = level * level - t2 * (f.level_variance + g.level_variance);
    const double half = A > 0.0 ? sqrt(fmax(B * B - A * C, 0.0)) / A : NAN;
    return (sp_interval){ .estimate = exp(c - level / slope), .low = exp(c - B / A - half),
                          .high = exp(c - B / A + half), .count = 2 };
}

/* --- means --------------------------------------------------------------------------------------------------- */

static double mean_of(const sp_points *s, size_t p, size_t *count)
{
    return sp_finite_mean(s->value + p * s->replicates, NULL, s->replicates, count);
}

/* Of the logarithms of two points' means, over the replicates that both have. */
static double covariance_of_means(const sp_points *s, size_t p, size_t q, double mean_p, double mean_q)
{
    const double *y = s->value + p * s->replicates, *w = s->value + q * s->replicates;
    double total = 0.0;
    size_t count = 0;
    for (size_t r = 0; r < s->replicates; r++)
        if (isfinite(y[r]) && isfinite(w[r])) {
            total += (y[r] - mean_p) * (w[r] - mean_q);
            count++;
        }
    return count > 1 ? total / ((double)(count - 1) * (double)count * mean_p * mean_q) : NAN;
}

sp_status sp_slope_fit(const sp_points *s, const bool *use, sp_slope *out, sp_interval *local)
{
    sp_status status = SP_OK;
    curve c;
    double *mean = sp_need(sp_alloc_doubles(s->points + 1));
    size_t count;
    curve_open(s->points, &c);
    for (size_t p = 0; p < s->points; p++)
        mean[p] = mean_of(s, p, &count);
    if (!take_points(&c, s->points, s->x, mean, use))
        SP_TRY(SP_EINVAL);
    c.joint = s->joint;
    c.toward_zero = s->toward_zero;
    c.joint_df = (double)s->replicates - 1.0;
    for (size_t p = 0; p < c.points; p++) {
        const size_t at = c.at[p];
        mean_of(s, at, &count);
        c.df[p] = (double)count - 1.0;
        c.joint_df = fmin(c.joint_df, c.df[p]);
        for (size_t q = 0; q < c.points; q++)
            if (s->joint || q == p)
                c.covariance[p * c.points + q] = covariance_of_means(s, at, c.at[q], mean[at], mean[c.at[q]]);
    }
    fit_curve(&c, s->points, out, local);
cleanup:
    curve_close(&c);
    free(mean);
    return status;
}

/* --- inversions ---------------------------------------------------------------------------------------------- */

/* Covariances of log y over resamples; those in which a fitted point reaches no level are left out. */
static void resample(const sp_samples *s, gsl_rng *stream, curve *c)
{
    const size_t n = c->points;
    double *y = sp_need(sp_alloc_doubles(s->points + 1)), *total = sp_need(sp_alloc_doubles(n));
    size_t *pick = sp_need(sp_alloc(s->replicates + 1, sizeof *pick)), lines = 0;
    for (size_t b = 0; b < SP_RESAMPLES; b++) {
        bool whole = true;
        sp_resample(s->replicates, stream, pick);
        sp_curve_values(s, pick, y, NULL);
        for (size_t p = 0; p < n; p++)
            whole = whole && isfinite(y[c->at[p]]);
        for (size_t p = 0; p < n && whole; p++) {
            const double from = log(y[c->at[p]]) - c->log_y[p];
            total[p] += from;
            for (size_t q = 0; q < n; q++)
                c->covariance[p * n + q] += from * (log(y[c->at[q]]) - c->log_y[q]);
        }
        lines += whole;
    }
    for (size_t p = 0; p < n; p++)
        for (size_t q = 0; q < n; q++) {
            double *v = &c->covariance[p * n + q];
            *v = s->replicates > 1 && lines > 1
                     ? (*v - total[p] * total[q] / (double)lines) / (double)(lines - 1) : NAN;
        }
    free(y);
    free(total);
    free(pick);
}

/* Variance of a uniform law over the step from the level below. */
static double grid_variance(const sp_samples *s, size_t level)
{
    const size_t above = level > 0 ? level : 1;
    return above < s->levels ? gsl_pow_2(log(s->level[above] / s->level[above - 1])) / 12.0 : 0.0;
}

sp_status sp_slope_of_inversion(const sp_samples *s, const bool *use, gsl_rng *stream, sp_slope *out,
                                sp_interval *local, sp_interval *y_interval)
{
    sp_status status = SP_OK;
    curve c;
    double *y = sp_need(sp_alloc_doubles(s->points + 1));
    size_t *level = sp_need(sp_alloc(s->points + 1, sizeof *level));
    curve_open(s->points, &c);
    sp_curve_values(s, NULL, y, level);
    if (!take_points(&c, s->points, s->x, y, use))
        SP_TRY(SP_EINVAL);
    resample(s, stream, &c);
    c.joint = true;
    c.toward_zero = s->toward_zero;
    c.joint_df = (double)s->replicates - 1.0;
    for (size_t p = 0; p < c.points; p++) {
        c.df[p] = c.joint_df;
        c.covariance[p * c.points + p] += grid_variance(s, level[c.at[p]]);
        const double half = gsl_cdf_tdist_Pinv(0.975, c.joint_df) * sqrt(covariance_of(&c, p, p));
        y_interval[c.at[p]].low = exp(c.log_y[p] - half);
        y_interval[c.at[p]].high = exp(c.log_y[p] + half);
    }
    fit_curve(&c, s->points, out, local);
cleanup:
    curve_close(&c);
    free(y);
    free(level);
    return status;
}
