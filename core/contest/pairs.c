/* pairs.c -- tests paired values (pairs.h). Source: Agarwal et al. 2021 (probability of improvement). */
#include "core/contest/pairs.h"

#include <float.h>
#include <math.h>

static bool equal(double a, double b)
{
    return a == b || (isfinite(a - b) && fabs(a - b) <= 4.0 * DBL_EPSILON * fmax(fabs(a), fabs(b)));
}

static bool all_positive(const double *a, const double *b, size_t count)
{
    for (size_t r = 0; r < count; r++)
        if ((isfinite(a[r]) && a[r] <= 0.0) || (isfinite(b[r]) && b[r] <= 0.0))
            return false;
    return true;
}

static double pair_of(double a, double b, bool ratio)
{
    if (isnan(a) || isnan(b) || (isinf(a) && isinf(b)))
        return NAN;
    if (isinf(a) || isinf(b))
        return isinf(a) ? a : -b;
    if (equal(a, b))
        return 0.0;
    return ratio ? log(a) - log(b) : a - b;
}

/* How large the numbers are of which the x are differences. */
static double size_of(const double *a, const double *b, size_t count, bool ratio)
{
    double size = ratio ? 1.0 : 0.0;
    for (size_t r = 0; r < count; r++)
        if (isfinite(a[r]) && isfinite(b[r]))
            size = fmax(size, ratio ? fmax(fabs(log(a[r])), fabs(log(b[r]))) : fmax(fabs(a[r]), fabs(b[r])));
    return size;
}

static bool needs_signs(const double *x, size_t count, double size)
{
    size_t pairs = 0, ties = 0;
    double low = INFINITY, high = -INFINITY;
    for (size_t r = 0; r < count; r++)
        if (!isnan(x[r])) {
            pairs++;
            ties += x[r] == 0.0;
            low = fmin(low, x[r]);
            high = fmax(high, x[r]);
        }
    return 2 * ties >= pairs || isinf(low) || isinf(high) || high - low <= 16.0 * DBL_EPSILON * size;
}

static double test(const double *x, size_t count, bool signs, sp_side side)
{
    return signs ? sp_sign_test(x, count, 0.0, side) : sp_t_test(x, count, 0.0, side);
}

static sp_shift shift_of(const double *x, size_t count, bool signs)
{
    sp_shift shift = { .p = NAN };
    size_t pairs = 0;
    for (size_t r = 0; r < count; r++)
        if (!isnan(x[r])) {
            pairs++;
            shift.side += signs ? (x[r] > 0.0) - (x[r] < 0.0) : x[r];
        }
    if (pairs > 1)
        shift.p = test(x, count, signs, SP_UNEQUAL);
    return shift;
}

/* p of one of the two tests: x is above its lower bound (SP_GREATER), or below its upper one. Where x is a difference,
 * the one that is nearer to 0 at that bound is what the margin is a share of: a at the lower one of positive values. */
static double within(const double *x, const double *a, const double *b, size_t count, const sp_paired *pair,
                     double margin, sp_side side, double *from_bound)
{
    const double way = side == SP_GREATER ? 1.0 : -1.0;
    double total = 0.0;
    for (size_t r = 0; r < count; r++)
        total += isnan(x[r]) ? 0.0 : a[r] + b[r];
    const double *nearer = (way > 0.0) == (total >= 0.0) ? a : b;
    for (size_t r = 0; r < count; r++) {
        const double part = margin * (total < 0.0 ? -nearer[r] : nearer[r]) + DBL_MIN; /* 0 is within any margin of 0 */
        from_bound[r] = x[r] + way * (pair->ratio ? log1p(margin) : part);
    }
    const double p = test(from_bound, count, pair->signs, side);
    return isnan(p) ? 1.0 : p;
}

static double improvement_of(const double *a, const double *b, size_t count, bool lower_is_better)
{
    double won = 0.0, all = 0.0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (!isnan(a[i]) && !isnan(b[j])) {
                won += equal(a[i], b[j]) ? 0.5 : (a[i] < b[j]) == lower_is_better;
                all += 1.0;
            }
    return all > 0.0 ? won / all : NAN;
}

static sp_interval exponential(sp_interval i)
{
    return (sp_interval){ exp(i.estimate), exp(i.low), exp(i.high), i.count };
}

sp_paired sp_pair(const double *label, const double *base, size_t count, bool lower_is_better, double margin, double *x)
{
    const bool ratio = all_positive(label, base, count);
    const double size = size_of(label, base, count, ratio);
    bool failed = false;
    for (size_t r = 0; r < count; r++) {
        x[r] = pair_of(label[r], base[r], ratio);
        failed = failed || isinf(x[r]);
    }
    sp_paired out = { .ratio = ratio, .signs = needs_signs(x, count, size), .log_ratio = NAN, .p_equivalent = NAN,
                      .improvement = improvement_of(label, base, count, lower_is_better) };
    out.all = out.finite = shift_of(x, count, out.signs);
    if (!out.signs)
        out.estimate = sp_mean_t(x, count, 0.95);
    else
        out.estimate = sp_median_exact(x, count, 0.95);
    if (ratio)
        out.estimate = exponential(out.estimate);
    if (failed) {
        for (size_t r = 0; r < count; r++)
            x[r] = isinf(x[r]) ? NAN : x[r];
        out.finite = shift_of(x, count, needs_signs(x, count, size));
        out.p_equivalent = isnan(out.all.p) ? NAN : 1.0;
    } else if (out.estimate.count > 1) {
        out.p_equivalent = fmax(within(x, label, base, count, &out, margin, SP_GREATER, x + count),
                                 within(x, label, base, count, &out, margin, SP_LESS, x + count));
    }
    if (ratio)
        out.log_ratio = sp_mean_t(x, count, 0.95).estimate;
    return out;
}
