/* banded.c -- square-root noise for discounted sums: correlated noise from a factorisation with a banded inverse.
 *
 * The adds are q_0, q_1, ..., the sums a_t = sum_{i <= t} keep^(t-i) q_i; as matrices over the steps, a = A q. Let R be
 * the lower triangular Toeplitz matrix with the p coefficients
 *
 *   r_0 = 1,  r_j = r_{j-1} (j - 3/2) / j keep,  0 < j < p,
 *
 * which are the first ones of A^(-1/2), and C = R^(-1), with c_0 = 1, c_t = -sum_{0<j<p} r_j c_{t-j}. At step t, with
 * z_t ~ N(0, I),
 *
 *   x_t = q_t - sum_{0<j<p} r_j x_{t-j}                       x = C q, secret
 *   y_t = x_t + noise_std z_t                                 released
 *   out_t = keep out_{t-1} + sum_{j<p} r_j y_{t-j}            out = A R y = a + noise_std A R z: post-processing
 *
 * Only the y_t are released, each by a Gaussian release. For j > 0, -r_j >= 0, and these sum to at most 1, so
 * 0 <= c_t <= 1. c decreases: at keep = 1 its first p entries are the coefficients of (1 - x)^(-1/2), which decrease,
 * and later c_{t-1} - c_t is the sum of -r_j (c_{t-1-j} - c_{t-j}), 0 <= t-1-j. Any other keep multiplies c_t by
 * keep^t.
 *
 * Charge. Suppose a record is in the adds of the steps P and moves add i by D_i. The points of a query may depend on
 * earlier releases, so D_i is any function of y_0, ..., y_{i-1}, but always ||D_i|| <= s_i, the sensitivity of add i.
 * Given the past, the mean of y_t moves by sum_{i in P, i <= t} c_{t-i} D_i, hence by at most the sum of the c_{t-i}
 * s_i, which no released value can change. So the run is a fully adaptive composition of Gaussians within
 *
 *   mu^2 = sum_t ( sum_{i in P, i <= t} c_{t-i} s_i )^2 / noise_std^2.
 *
 * At the release of each add all later releases that it affects are charged in advance, up to the last of the `adds`
 * for which the accumulator was opened. Therefore noise_std must not change between restarts. Let H_t(k) =
 * sum_{e <= k} c_{t - e period} be the weight of a record t steps after the first of its k + 1 adds so far. Then
 *
 *   fresh batch of step i     its pool, which is in no other add, pays  s_i^2 sum_{t < adds - i} c_t^2
 *   pass of `period` blocks,  all records pay at steps 0, period, 2 period, ..., the k-th time:
 *   each s_i <= s = s_0       s^2 sum_{t < adds} (H_t(k)^2 - H_t(k-1)^2)
 *
 * The second is what the records of the first block pay. Those of a block j steps later have made at most as many adds,
 * and have weight in j releases less, so they never owe more. The blocks must come from a fixed permutation. Full
 * batches are a pass of period 1.
 *
 * Band p. The variance decreases with p and the charge of passes increases: the default is the best power of two. */
#include "core/oracle/mechanisms/banded.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct sp_banded {
    size_t d, adds, band, period, steps;
    double keep;
    double *r, *c;          /* band, adds */
    double *paid;           /* adds. Fresh: sum of c_u^2, u <= t; passes: H_t of the adds so far */
    double *secret, *answer; /* the last band - 1 of x and y, step t in row t mod (band - 1) */
    double *out;            /* d: the last sum */
};

static size_t rows(size_t band)
{
    return band > 1 ? band - 1 : 1;
}

/* r and c of a schedule. */
static void coefficients(size_t adds, double keep, size_t band, double *r, double *c)
{
    r[0] = 1.0;
    for (size_t j = 1; j < band; j++)
        r[j] = r[j - 1] * ((double)j - 1.5) / (double)j * keep;
    c[0] = 1.0;
    for (size_t t = 1; t < adds; t++) {
        double sum = 0.0;
        for (size_t j = 1; j < band && j <= t; j++)
            sum -= r[j] * c[t - j];
        c[t] = sum;
    }
}

/* sum over t >= step of (H_t + c_{t - step})^2 - H_t^2 */
static double rise(size_t adds, const double *c, const double *H, size_t step)
{
    double sum = 0.0;
    for (size_t t = step; t < adds; t++)
        sum += c[t - step] * (2.0 * H[t] + c[t - step]);
    return sum;
}

static void join(size_t adds, const double *c, double *H, size_t step)
{
    for (size_t t = step; t < adds; t++)
        H[t] += c[t - step];
}

sp_banded_figures sp_banded_try(size_t adds, size_t period, double keep, size_t band, double *space)
{
    sp_banded_figures figures = { 0.0, 0.0, 0.0 };
    double *c = space, *H = space + adds, *r = space + 2 * adds, B = 0.0;
    coefficients(adds, keep, band, r, c);
    memset(H, 0, adds * sizeof *H);
    for (size_t step = 0; step < adds; step += period > 0 ? period : adds) { /* as they are charged, to the last bit */
        figures.cost += rise(adds, c, H, step);
        join(adds, c, H, step);
    }
    for (size_t t = 0; t < adds; t++) { /* B_t: of z_i in out_{i+t} */
        B = keep * B + (t < band ? r[t] : 0.0);
        figures.variance += (1.0 - (double)t / (double)adds) * B * B;
        figures.largest += B * B;
    }
    return figures;
}

size_t sp_banded_band(size_t adds, size_t period, double keep, sp_banded_figures *figures)
{
    double *space = sp_alloc_doubles(2 * adds + SP_BAND_MAX), smallest = HUGE_VAL;
    size_t best = 0;
    for (size_t band = 1; space && band <= SP_BAND_MAX && (band == 1 || band / 2 < adds); band *= 2) {
        const sp_banded_figures now = sp_banded_try(adds, period, keep, band, space);
        if (now.cost * now.variance < smallest) {
            smallest = now.cost * now.variance;
            best = band;
            if (figures)
                *figures = now;
        }
    }
    free(space);
    return best;
}

sp_banded *sp_banded_new(size_t d, size_t adds, size_t period, double keep)
{
    const size_t band = sp_banded_band(adds, period, keep, NULL);
    sp_banded *b = band > 0 ? sp_alloc(1, sizeof *b) : NULL;
    if (!b)
        return NULL;
    *b = (sp_banded){ .d = d, .adds = adds, .band = band, .period = period, .keep = keep };
    b->r = sp_alloc_doubles(band);
    b->c = sp_alloc_doubles(adds);
    b->paid = sp_alloc_doubles(adds);
    b->secret = sp_alloc(rows(band), d * sizeof *b->secret);
    b->answer = sp_alloc(rows(band), d * sizeof *b->answer);
    b->out = sp_alloc_doubles(d);
    if (!b->r || !b->c || !b->paid || !b->secret || !b->answer || !b->out) {
        sp_banded_free(b);
        return NULL;
    }
    coefficients(adds, keep, band, b->r, b->c);
    sp_banded_clear(b);
    return b;
}

void sp_banded_free(sp_banded *b)
{
    if (!b)
        return;
    free(b->r);
    free(b->c);
    free(b->paid);
    free(b->secret);
    free(b->answer);
    free(b->out);
    free(b);
}

void sp_banded_clear(sp_banded *b)
{
    double sum = 0.0;
    b->steps = 0;
    memset(b->out, 0, b->d * sizeof *b->out);
    for (size_t t = 0; t < b->adds; t++)
        b->paid[t] = b->period > 0 ? 0.0 : (sum += b->c[t] * b->c[t]);
}

size_t sp_banded_steps(const sp_banded *b)
{
    return b->steps;
}

static bool first_block(const sp_banded *b)
{
    return b->period > 0 && b->steps % b->period == 0;
}

double sp_banded_due(const sp_banded *b)
{
    if (b->period == 0)
        return b->paid[b->adds - 1 - b->steps];
    return first_block(b) ? rise(b->adds, b->c, b->paid, b->steps) : 0.0;
}

/* c falls, so the records of the last add of the first block weigh most, at that add; those of other blocks no more. */
double sp_banded_weight(const sp_banded *b)
{
    double sum = 1.0;
    for (size_t t = b->period; b->period > 0 && t <= b->steps; t += b->period)
        sum += b->c[t];
    return sum;
}

/* out -= the sum of r_j times row t - j, 0 < j < band, j <= t. */
static void subtract(const sp_banded *b, const double *ring, double *restrict out)
{
    for (size_t j = 1; j < b->band && j <= b->steps; j++) {
        const double *row = ring + (b->steps - j) % rows(b->band) * b->d, r = b->r[j];
        for (size_t i = 0; i < b->d; i++)
            out[i] -= r * row[i];
    }
}

void sp_banded_mix(const sp_banded *b, const double *q, double *x)
{
    memcpy(x, q, b->d * sizeof *x);
    subtract(b, b->secret, x);
}

void sp_banded_step(sp_banded *b, const double *x, const double *y, double *out)
{
    const size_t row = b->steps % rows(b->band) * b->d;
    memset(out, 0, b->d * sizeof *out);
    subtract(b, b->answer, out);
    for (size_t i = 0; i < b->d; i++)
        out[i] = b->out[i] = b->keep * b->out[i] + (y[i] - out[i]);
    memcpy(b->secret + row, x, b->d * sizeof *x);
    memcpy(b->answer + row, y, b->d * sizeof *y);
    if (first_block(b))
        join(b->adds, b->c, b->paid, b->steps);
    b->steps++;
}
