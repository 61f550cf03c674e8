/* pld.c -- privacy-loss distributions on a grid, composed by an exponentially tilted FFT, every error rounded up.
 *
 * A pair (P, Q) has privacy loss l = log dP/dQ. On the grid i h, the part of the pair with loss in [i h, (i+1) h] and masses
 * a = P, b = Q is moved to the two ends so that both masses stay:
 *
 *   right = (a - e^(i h) b) / (1 - e^-h),  left = a - right                                            (1)
 *
 * which keeps delta(epsilon) at every grid point and raises it between them. What lies above the grid goes to infinity, what
 * lies below it to its lowest point. The composition of classes j (k_j equal releases with finite masses p_j) has
 *
 *   P(x) = e^(K - lambda x) t(x),  t = conv_j t_j^(* k_j),  t_j(x) = p_j(x) e^(lambda x - K_j),  K = sum k_j K_j,   (2)
 *   delta(epsilon) = infinity + sum over x > epsilon of P(x) (1 - e^(epsilon - x)),
 *
 * t by FFT on a window of N points. lambda puts t where epsilon is, so the FFT's error is small against what is summed there.
 * Mass above the window wraps to its bottom and is lost to the sum: its Chernoff bound e^(K(s) - s top) is added to infinity.
 * Mass below the window wraps to its top and only adds. A bound on the FFT's rounding is added to every t(x).
 */
#include "core/privacy/pld.h"

#include "core/base/memory.h"

#include <fftw3.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

enum { CLASSES_MAX = 64, SKETCH = 600, LOG2_MIN = 16, LOG2_MAX = 21 };

static const double unit = DBL_EPSILON / 2.0;
static const double log_tail = -95.0;      /* log of the mass cut off above the grid, for all releases of a class together */
static const double log_low = -50.0;       /* the same below, where mass is kept and moved up */
static const double fine = 1.0 / 8192.0;   /* grid step that the window aims at */

/* --- pairs ------------------------------------------------------------------------------------------------ */

typedef enum {
    NORMAL,   /* (1 - q) N(0, 1) + q N(mu, 1) against N(0, 1); q = 1: the Gaussian mechanism */
    SWAPPED,  /* the same with P and Q exchanged */
    MIRRORED, /* losses > 0 of NORMAL, their mirror image, and what is left at 0: C_q(G_mu) */
    OPPOSED,  /* (1 - q) N(0, 1) + q N(mu, 1) against (1 - q) N(0, 1) + q N(-mu, 1) */
    LAPLACE,  /* Lap(1 / epsilon) at distance 1 */
    RESPONSE  /* randomised response with epsilon, delta at infinity */
} form;

typedef struct pair {
    form form;
    double mu, q, epsilon, delta;
    double count;
} pair;

/* A finite measure on the grid: mass[i] at (first + i) h, and what is at infinity. */
typedef struct grid {
    double h;
    long first;
    size_t size;
    double *mass;
    double infinite;
} grid;

/* N(0,1)(a, b) from above (*high) and from below (*low). */
static void normal_interval(double a, double b, double *low, double *high)
{
    double mass, error;
    if (a < 0.0 && b > 0.0) {
        mass = 0.5 * (erf(b * M_SQRT1_2) - erf(a * M_SQRT1_2));
        error = 4.0 * unit;
    } else {
        const double near = fmin(fabs(a), fabs(b)), far = fmax(fabs(a), fabs(b));
        const double tail = 0.5 * erfc(near * M_SQRT1_2);
        mass = tail - 0.5 * erfc(far * M_SQRT1_2);
        error = (4.0 + near * near) * unit * tail; /* near^2: rounding of the argument */
    }
    *low = fmax(0.0, mass - error);
    *high = fmax(0.0, mass + error);
}

/* The x at which the loss of NORMAL or OPPOSED, increasing in x, is `loss`. */
static double threshold(const pair *p, double loss)
{
    if (p->form == OPPOSED) {
        /* z = e^(mu x): A z^2 + B z - A e^loss = 0, A = q e^(-mu^2/2), B = (1 - q)(1 - e^loss); x is odd in the loss */
        const double l = fabs(loss), a = p->q * exp(-0.5 * p->mu * p->mu), b = -(1.0 - p->q) * expm1(l);
        const double z = (-b + sqrt(b * b + 4.0 * a * a * exp(l))) / (2.0 * a);
        return copysign(log(z) / p->mu, loss);
    }
    const double inside = expm1(loss) / p->q;
    return inside > -1.0 ? log1p(inside) / p->mu + 0.5 * p->mu : -INFINITY;
}

/* log((1 - q) + q e^z) */
static double log_mixture(double q, double z)
{
    if (q == 1.0)
        return z;
    return z > 30.0 ? z + log(q) + log1p((1.0 - q) / q * exp(-z)) : log1p(q * expm1(z));
}

static double loss_at(const pair *p, double x)
{
    const double up = log_mixture(p->q, p->mu * x - 0.5 * p->mu * p->mu);
    return p->form == OPPOSED ? up - log_mixture(p->q, -p->mu * x - 0.5 * p->mu * p->mu) : up;
}

/* Adds (1) for one interval; `i` counts from the grid's first point. */
static void deposit(grid *g, size_t i, double a, double b)
{
    const double left_end = (double)(g->first + (long)i) * g->h;
    double right = (a - exp(left_end) * b) / -expm1(-g->h);
    right = fmin(a, fmax(0.0, right * (1.0 + 8.0 * unit)));
    g->mass[i] += a - right;
    g->mass[i + 1] += right;
}

/* P- and Q-mass of losses in (low, high), a from above and b from below, of the forms that rest on normals. */
static void normal_masses(const pair *p, double low, double high, double *a, double *b)
{
    double zero[2], plus[2], minus[2];
    const double from = threshold(p, low), to = threshold(p, high);
    normal_interval(from, to, &zero[0], &zero[1]);
    normal_interval(from - p->mu, to - p->mu, &plus[0], &plus[1]);
    normal_interval(from + p->mu, to + p->mu, &minus[0], &minus[1]);
    const double with = p->form == OPPOSED ? 1.0 - p->q : 1.0, far = p->form == OPPOSED ? p->q : 0.0;
    if (p->form == SWAPPED) { /* called with the mirrored interval */
        *a = zero[1];
        *b = (1.0 - p->q) * zero[0] + p->q * plus[0];
    } else {
        *a = (1.0 - p->q) * zero[1] + p->q * plus[1];
        *b = with * zero[0] + far * minus[0];
    }
}

/* Losses between which a pair lies, tails below log_tail and log_low left out. */
static void range_of(const pair *p, double *low, double *high)
{
    const double reach = sqrt(-2.0 * (log_tail - log(p->count))), depth = sqrt(-2.0 * (log_low - log(p->count)));
    switch (p->form) {
    case NORMAL:
        *low = loss_at(p, -depth);
        *high = loss_at(p, p->mu + reach);
        return;
    case SWAPPED:
        *low = -loss_at(p, p->mu + depth);
        *high = -loss_at(p, -reach);
        return;
    case MIRRORED:
    case OPPOSED:
        *high = loss_at(p, p->mu + reach);
        *low = -*high;
        return;
    case LAPLACE:
    case RESPONSE:
        *low = -p->epsilon;
        *high = p->epsilon;
        return;
    }
}

static sp_status grid_open(grid *g, double low, double high, double h)
{
    g->h = h;
    g->first = (long)floor(low / h) - 1;
    g->size = (size_t)((long)ceil(high / h) + 2 - g->first) + 1;
    g->infinite = 0.0;
    g->mass = sp_alloc_doubles(g->size);
    return g->mass ? SP_OK : SP_ENOMEM;
}

/* Discretises one release; low and high as from range_of. */
static void fill(const pair *p, grid *g, double low, double high)
{
    const double h = g->h, tail = exp(log_tail - log(p->count)), bottom = exp(log_low - log(p->count));
    const long zero = -g->first; /* index of loss 0 */

    if (p->form == RESPONSE || p->form == LAPLACE) {
        const double finite = 1.0 - p->delta, e = p->epsilon;
        const double top = finite * (p->form == RESPONSE ? 1.0 / (1.0 + exp(-e)) : 0.5);
        const size_t last = (size_t)((long)floor(e / h) - g->first), start = (size_t)((long)floor(-e / h) - g->first);
        deposit(g, last, top, top * exp(-e));
        deposit(g, start, top * exp(-e), top);
        for (size_t i = start; p->form == LAPLACE && i <= last; i++) {
            /* x in (0, 1) has loss e (2 x - 1), P-density (e/2) e^(-e (1 - x)), Q-density (e/2) e^(-e x) */
            const double l0 = fmax(-e, (double)(g->first + (long)i) * h), l1 = fmin(e, (double)(g->first + (long)i + 1) * h);
            const double x0 = 0.5 * (l0 / e + 1.0), x1 = 0.5 * (l1 / e + 1.0), span = expm1(e * (x1 - x0));
            if (x1 > x0)
                deposit(g, i, 0.5 * exp(-e * (1.0 - x0)) * span * (1.0 + 8.0 * unit),
                        0.5 * exp(-e * x1) * span * (1.0 - 8.0 * unit));
        }
        g->infinite = p->delta;
        return;
    }
    if (p->form == MIRRORED) {
        /* Q-masses of the upper half are the P-masses of the lower one. */
        double above = 0.0, below = 0.0, mass[2];
        const double from = 0.5 * p->mu;
        normal_interval(from, INFINITY, &mass[0], &mass[1]);
        below = mass[0];
        normal_interval(from - p->mu, INFINITY, &mass[0], &mass[1]);
        above = (1.0 - p->q) * below + p->q * mass[0];
        const pair upper = { .form = NORMAL, .mu = p->mu, .q = p->q };
        for (size_t i = (size_t)zero; (double)(i - (size_t)zero) * h < high; i++) {
            const size_t k = i - (size_t)zero;
            double a, b, swapped_a, swapped_b;
            normal_masses(&upper, (double)k * h, (double)(k + 1) * h, &a, &b);
            deposit(g, i, a, b);
            const pair lower = { .form = SWAPPED, .mu = p->mu, .q = p->q };
            normal_masses(&lower, (double)k * h, (double)(k + 1) * h, &swapped_a, &swapped_b);
            deposit(g, (size_t)zero - k - 1, swapped_a, swapped_b);
        }
        g->mass[zero] += fmax(0.0, 1.0 - above - below) + 8.0 * unit;
        g->infinite = tail;
        g->mass[0] += tail;
        return;
    }
    const size_t start = (size_t)((long)floor(low / h) - g->first), end = (size_t)((long)ceil(high / h) - g->first);
    for (size_t i = start; i < end; i++) {
        const double l0 = (double)(g->first + (long)i) * h, l1 = (double)(g->first + (long)i + 1) * h;
        double a, b;
        if (p->form == SWAPPED)
            normal_masses(p, -l1, -l0, &a, &b);
        else
            normal_masses(p, l0, l1, &a, &b);
        deposit(g, i, a, b);
    }
    g->mass[start] += p->form == OPPOSED ? tail : bottom;
    g->infinite = tail;
}

/* --- planning --------------------------------------------------------------------------------------------- */

/* P by a few points (loss, log mass), for choosing lambda and the window: nothing that is reported rests on it. */
typedef struct sketch {
    size_t size;
    double loss[2 * SKETCH + 1], log_mass[2 * SKETCH + 1];
} sketch;

static void put(sketch *k, double loss, double log_mass)
{
    k->loss[k->size] = loss;
    k->log_mass[k->size++] = log_mass;
}

static void draw(const pair *p, sketch *k)
{
    const double e = p->epsilon;
    k->size = 0;
    if (p->form == RESPONSE) {
        put(k, e, -log1p(exp(-e)));
        put(k, -e, -e - log1p(exp(-e)));
        return;
    }
    if (p->form == LAPLACE) {
        put(k, e, log(0.5));
        put(k, -e, log(0.5) - e);
        for (int i = 0; i < SKETCH; i++) {
            const double x = (i + 0.5) / SKETCH;
            put(k, e * (2.0 * x - 1.0), log(0.5 * e / SKETCH) - e * (1.0 - x));
        }
        return;
    }
    const double reach = sqrt(-2.0 * (log_tail - log(p->count)));
    const double from = p->form == MIRRORED ? 0.5 * p->mu : -reach - (p->form == OPPOSED ? p->mu : 0.0);
    const double step = (p->mu + reach - from) / SKETCH, log_step = log(step) - 0.5 * log(2.0 * M_PI);
    for (int i = 0; i < SKETCH; i++) {
        const double x = from + (i + 0.5) * step, loss = loss_at(p, x), base = log_step - 0.5 * x * x;
        const double mixed = base + log_mixture(p->q, p->mu * x - 0.5 * p->mu * p->mu);
        if (p->form == SWAPPED) {
            put(k, -loss, base);
            continue;
        }
        put(k, loss, mixed);
        if (p->form == MIRRORED)
            put(k, -loss, base);
    }
    if (p->form == MIRRORED)
        put(k, 0.0, log(fmax(1e-300, (1.0 - p->q) * erf(p->mu / sqrt(8.0)))));
}

/* sum k_j log E e^(lambda loss), and its derivative in lambda. */
static double moment(const pair *pairs, const sketch *sketches, size_t count, double lambda, double *mean)
{
    double total = 0.0;
    *mean = 0.0;
    for (size_t j = 0; j < count; j++) {
        const sketch *k = &sketches[j];
        double top = -INFINITY, sum = 0.0, first = 0.0;
        for (size_t i = 0; i < k->size; i++)
            top = fmax(top, lambda * k->loss[i] + k->log_mass[i]);
        for (size_t i = 0; i < k->size; i++) {
            const double term = exp(lambda * k->loss[i] + k->log_mass[i] - top);
            sum += term;
            first += k->loss[i] * term;
        }
        total += pairs[j].count * (top + log(sum));
        *mean += pairs[j].count * first / sum;
    }
    return total;
}

/* The lambda of the smallest Chernoff bound, by bisection of its derivative on log lambda: of log delta at `epsilon`, or, where
 * that is NAN, of epsilon at `log_delta` (m is the mean of the tilted loss; K - lambda m falls with lambda). */
static double best_lambda(const pair *pairs, const sketch *sketches, size_t count, double epsilon, double log_delta)
{
    double low = log(1e-4), high = log(1e5);
    for (int step = 0; step < 40; step++) {
        const double middle = 0.5 * (low + high), lambda = exp(middle);
        double mean;
        const double K = moment(pairs, sketches, count, lambda, &mean);
        const bool more = isnan(epsilon) ? K - lambda * mean > log_delta : mean < epsilon;
        if (more)
            low = middle;
        else
            high = middle;
    }
    return exp(0.5 * (low + high));
}

/* --- composition ------------------------------------------------------------------------------------------ */

/* z <- z^k in place for one transform, folded into Z; reach[f] gathers k / |z| for the error bound. */
static void fold_power(const fftw_complex *z, double k, size_t half, fftw_complex *Z, double *reach)
{
    for (size_t f = 0; f < half; f++) {
        const double size = hypot(z[f][0], z[f][1]), angle = k * atan2(z[f][1], z[f][0]);
        const double power = size > 0.0 ? exp(k * log(size)) : 0.0;
        const double re = power * cos(angle), im = power * sin(angle), old = Z[f][0];
        Z[f][0] = old * re - Z[f][1] * im;
        Z[f][1] = old * im + Z[f][1] * re;
        reach[f] += size > 0.0 ? 4.0 * k / size : 0.0;
    }
}

/* Composes one order of every pair. `delta` is the target, or NAN with a given epsilon; the other one is the answer. */
static sp_status compose(const pair *pairs, size_t count, double delta, double epsilon, double *answer)
{
    sp_status status = SP_OK;
    sketch *sketches = sp_alloc(count, sizeof *sketches);
    double *t = NULL, *reach = NULL, releases = 0.0, infinite = 0.0;
    grid g = { 0 };
    fftw_complex *z = NULL, *Z = NULL;
    fftw_plan forward = NULL, backward = NULL;
    const bool seek = !isnan(delta);

    if (!sketches)
        SP_TRY(SP_ENOMEM);
    for (size_t j = 0; j < count; j++) {
        draw(&pairs[j], &sketches[j]);
        releases += pairs[j].count;
        infinite += pairs[j].count * pairs[j].delta;
    }
    if (seek && infinite >= delta) {
        *answer = INFINITY;
        goto cleanup;
    }

    double mean, up, down, ignored;
    const double lambda = best_lambda(pairs, sketches, count, seek ? NAN : epsilon, seek ? log(delta - infinite) : NAN);
    const double K0 = moment(pairs, sketches, count, lambda, &mean);
    const double log_scale = (seek ? log(delta) : K0 - lambda * epsilon) - 18.0; /* what may be given away */
    moment(pairs, sketches, count, 1.05 * lambda, &up);
    moment(pairs, sketches, count, 0.95 * lambda, &down);
    const double spread = fmax(sqrt(fmax((up - down) / (0.1 * lambda), 0.0)), 1e-9);
    const double bottom = fmin(mean, seek ? mean : epsilon) - 10.0 * spread;
    double top = fmax(mean, seek ? mean : epsilon) + 8.0 * spread, s = lambda;
    for (int widen = 0; widen < 60; widen++, top += 2.0 * spread) {
        s = best_lambda(pairs, sketches, count, top, NAN);
        if (moment(pairs, sketches, count, s, &ignored) - s * top <= log_scale)
            break;
    }

    fprintf(stderr,"lambda %g K0 %g mean %g spread %g bottom %g top %g s %g log_scale %g\n",lambda,K0,mean,spread,bottom,top,s,log_scale);
    size_t log2_size = LOG2_MIN;
    while (log2_size < LOG2_MAX && (top - bottom) / (double)((size_t)1 << log2_size) > fine * fmin(1.0, spread))
        log2_size++;
    const size_t N = (size_t)1 << log2_size, half = N / 2 + 1;
    const double h = (top - bottom) / (double)(N - 2);
    const long window = (long)floor(bottom / h);
    t = fftw_alloc_real(N);
    z = fftw_alloc_complex(half);
    Z = fftw_alloc_complex(half);
    reach = sp_alloc_doubles(half);
    if (!t || !z || !Z || !reach)
        SP_TRY(SP_ENOMEM);
    forward = fftw_plan_dft_r2c_1d((int)N, t, z, FFTW_ESTIMATE);
    backward = fftw_plan_dft_c2r_1d((int)N, Z, t, FFTW_ESTIMATE | FFTW_DESTROY_INPUT);
    if (!forward || !backward)
        SP_TRY(SP_ENOMEM);
    for (size_t f = 0; f < half; f++)
        Z[f][0] = 1.0, Z[f][1] = 0.0;

    double K = 0.0, Ks = 0.0;
    infinite = 0.0;
    for (size_t j = 0; j < count; j++) {
        double low, high, sum = 0.0;
        range_of(&pairs[j], &low, &high);
        SP_TRY(grid_open(&g, low, high, h));
        fill(&pairs[j], &g, low, high);
        infinite += pairs[j].count * g.infinite;
        /* Any K_j near the true one serves in (2). */
        const double Kj = moment(&(pair){ .count = 1.0 }, &sketches[j], 1, lambda, &ignored);
        const double Kjs = moment(&(pair){ .count = 1.0 }, &sketches[j], 1, s, &ignored);
        memset(t, 0, N * sizeof *t);
        for (size_t i = 0; i < g.size; i++) {
            const long place = g.first + (long)i;
            if (!(g.mass[i] > 0.0))
                continue;
            t[(size_t)(place % (long)N + (long)N) % N] += g.mass[i] * exp(lambda * (double)place * h - Kj);
            sum += g.mass[i] * exp(s * (double)place * h - Kjs);
        }
        K += pairs[j].count * Kj;
        Ks += pairs[j].count * (Kjs + log(sum));
        fftw_execute(forward);
        fold_power(z, pairs[j].count, half, Z, reach);
        free(g.mass);
        g.mass = NULL;
    }

    /* Rounding of one value of t: that of each transform carried through the powers, and of the inverse transform. */
    const double transform = 4.0 * unit * (double)log2_size;
    double carried = 0.0;
    for (size_t f = 0; f < half; f++)
        carried += 2.0 * hypot(Z[f][0], Z[f][1]) * (1.0 + reach[f]);
    const double noise = transform * carried / (double)N;
    fftw_execute(backward);

    /* From the top down, all terms positive: with G(x) = sum over y > x of P(y) e^(x - y),
     * delta(x) = delta(x + h) + (1 - e^-h) (P(x + h) + G(x + h)),  G(x) = e^-h (P(x + h) + G(x + h)). */
    const double outside = fmin(0.0, Ks - s * (double)(window + (long)N - 2) * h);
    double at = fmin(1.0, (infinite + exp(outside)) * (1.0 + 1e-12)), later = at, G = 0.0;
    const double slack = releases * 64.0 * unit; /* rounding of the grid points' losses */
    long x = window + (long)N - 2;
    const long last = seek ? 0 : (long)floor((epsilon - slack) / h);
    for (; x > last && x > window && (!seek || at <= delta); x--) {
        const size_t slot = (size_t)(x % (long)N + (long)N) % N;
        const double P = (fmax(0.0, t[slot] / (double)N) + noise) * exp(K - lambda * (double)x * h);
        later = at;
        at += -expm1(-h) * (P + G);
        G = exp(-h) * (P + G);
    }
    /* `at` is delta(x h), `later` delta((x + 1) h). */
    if (seek) {
        if (at <= delta) {
            *answer = x <= 0 ? 0.0 : (double)x * h;
        } else {
            const double share = (at - delta) / (at - later); /* delta is linear in e^epsilon between grid points */
            *answer = fmax(0.0, (double)x * h + log1p(share * expm1(h)));
        }
        *answer = *answer > 0.0 || at > delta ? *answer * (1.0 + 4.0 * unit) + slack : *answer;
    } else {
        *answer = fmin(1.0, at);
    }
cleanup:
    free(sketches);
    free(g.mass);
    if (forward)
        fftw_destroy_plan(forward);
    if (backward)
        fftw_destroy_plan(backward);
    fftw_free(t);
    fftw_free(z);
    fftw_free(Z);
    free(reach);
    return status;
}

/* --- entries ---------------------------------------------------------------------------------------------- */

static sp_status pair_of(const sp_entry *e, sp_neighbours neighbours, bool swapped, pair *out, sp_error *error)
{
    const pair normal = { .mu = 1.0 / e->noise_multiplier, .q = e->rate, .count = (double)e->count };
    *out = normal;
    switch (e->kind) {
    case SP_LEDGER_GAUSS:
        out->form = NORMAL;
        out->q = 1.0;
        return SP_OK;
    case SP_LEDGER_GAUSS_WOR:
        if (neighbours == SP_REPLACE_ONE) {
            out->form = e->rate < 1.0 ? MIRRORED : NORMAL;
            return SP_OK;
        }
        break;
    case SP_LEDGER_POISSON:
        out->form = neighbours == SP_REPLACE_ONE ? OPPOSED : swapped ? SWAPPED : NORMAL;
        return SP_OK;
    case SP_LEDGER_LAPLACE:
        *out = (pair){ .form = LAPLACE, .epsilon = e->epsilon, .count = (double)e->count };
        return SP_OK;
    case SP_LEDGER_EM:
    case SP_LEDGER_RNM_LAPLACE:
    case SP_LEDGER_SVT:
    case SP_LEDGER_PURE:
    case SP_LEDGER_RANDOMISED_RESPONSE:
        *out = (pair){ .form = RESPONSE, .epsilon = e->epsilon, .count = (double)e->count };
        return SP_OK;
    case SP_LEDGER_APPROX:
        *out = (pair){ .form = RESPONSE, .epsilon = e->epsilon, .delta = e->delta, .count = (double)e->count };
        return SP_OK;
    default:
        break;
    }
    return sp_fail(error, SP_EPRIVACY, "%s under %s neighbours has no privacy-loss distribution here",
                   sp_ledger_kind_name(e->kind), neighbours == SP_REPLACE_ONE ? "replace_one" : "add_remove");
}

/* Unsampled Gaussians into one, equal entries into one. */
static sp_status gather(const sp_entry *entry, size_t entries, sp_neighbours neighbours, bool swapped, pair *pairs, size_t *count,
                        sp_error *error)
{
    sp_status status = SP_OK;
    double mu2 = 0.0;
    *count = 0;
    for (size_t i = 0; i < entries; i++) {
        pair p;
        SP_TRY(sp_entry_check(&entry[i], error));
        SP_TRY(pair_of(&entry[i], neighbours, swapped, &p, error));
        if (p.form == NORMAL && p.q == 1.0) {
            mu2 += p.count * p.mu * p.mu * (1.0 + 4.0 * unit);
            continue;
        }
        size_t k = 0;
        while (k < *count && !(pairs[k].form == p.form && pairs[k].mu == p.mu && pairs[k].q == p.q &&
                               pairs[k].epsilon == p.epsilon && pairs[k].delta == p.delta))
            k++;
        if (k == CLASSES_MAX - 1)
            SP_TRY(sp_fail(error, SP_EUNSUPPORTED, "more than %d different releases", CLASSES_MAX - 1));
        if (k == *count)
            pairs[(*count)++] = p;
        else
            pairs[k].count += p.count;
    }
    if (mu2 > 0.0)
        pairs[(*count)++] = (pair){ .form = NORMAL, .mu = sqrt(mu2), .q = 1.0, .count = 1.0 };
cleanup:
    return status;
}

static sp_status solve(const sp_entry *entry, size_t entries, sp_neighbours neighbours, double delta, double epsilon,
                       double *answer, sp_error *error)
{
    sp_status status = SP_OK;
    bool poisson = false;
    *answer = 0.0;
    for (size_t i = 0; i < entries; i++)
        poisson = poisson || entry[i].kind == SP_LEDGER_POISSON;
    /* Only Poisson sampling under add/remove has two orders; each composes with itself, the worse one counts. */
    for (int swapped = 0; swapped <= (poisson && neighbours == SP_ADD_REMOVE); swapped++) {
        pair pairs[CLASSES_MAX];
        size_t count = 0;
        double one = 0.0;
        SP_TRY(gather(entry, entries, neighbours, swapped != 0, pairs, &count, error));
        if (count > 0)
            SP_TRY(compose(pairs, count, delta, epsilon, &one));
        *answer = fmax(*answer, one);
    }
cleanup:
    return status;
}

sp_status sp_pld_epsilon(const sp_entry *entry, size_t entries, sp_neighbours neighbours, double delta, double *epsilon,
                         sp_error *error)
{
    return solve(entry, entries, neighbours, delta, NAN, epsilon, error);
}

sp_status sp_pld_delta(const sp_entry *entry, size_t entries, sp_neighbours neighbours, double epsilon, double *delta,
                       sp_error *error)
{
    return solve(entry, entries, neighbours, NAN, epsilon, delta, error);
}
