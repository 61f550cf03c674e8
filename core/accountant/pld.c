/* pld.c -- composes privacy-loss distributions by an exponentially tilted FFT, with every error rounded up.
 *
 * Pair j (dominating_pairs.h) stands for k_j equal releases. p_j(x) is the mass of its measure on the grid at the loss
 * x; `infinity` is the mass of the composition at the loss infinity. With a tilt lambda > 0, chosen below, the finite
 * losses x of the composition have mass P(x):
 *
 *   P(x) = e^(K - lambda x) t(x),  t = conv_j t_j^(* k_j),  t_j(x) = p_j(x) e^(lambda x - K_j),  K = sum k_j K_j, (1)
 *   delta(epsilon) = infinity + sum over x > epsilon of P(x) (1 - e^(epsilon - x)).                             (2)
 *
 * Here conv is the convolution over j, * k_j the k_j-fold convolution of t_j with itself, and e^K_j the sum of
 * p_j(x) e^(lambda x), so that t_j sums to 1. lambda is that of the Chernoff bound, which moves the mean of t to
 * epsilon. The terms of (2) are then of the size of t itself, and the errors of the FFT are small compared with them,
 * however small delta is.
 *
 * t is computed on N points, modulo N: a window of losses up to `top`. Mass above the window is missing from (2); its
 * Chernoff bound e^(K(s) - s top), where K(s) is K with s > lambda in place of lambda, is added to infinity. Mass from
 * outside that wraps around to the other end of the window can only raise (2).
 *
 * Rounding. Every output of an FFT is a sum over its N inputs, each multiplied by log2(N) factors of modulus 1, so its
 * error is at most eta log2(N) ||t||_1 (eta = 8 units of roundoff for a complex product, its factor and a sum). The
 * largest entry of t_j, at the point m_j, is taken out of the transform: at the frequency theta the transform of t_j is
 * z_j = e^(i theta m_j) (1 + w), w = sum over the other points m of t_j(m) (e^(i theta (m - m_j)) - 1). The k_j-th
 * power of the phase factor is exactly a shift of the window by k_j m_j steps. The error of w is at most
 * E_j = 2 eta log2(N) (1 - t_j(m_j)), so the relative error of z_j^k_j = exp(k_j log1p(w)) is at most
 * k_j E_j / (|z_j| - E_j) and some units of k_j log z_j. Summing over j, and adding the inverse transform's
 * eta log2(N) ||Z||_1 / N with Z the product of all z_j^k_j, bounds the error of every t(x); this bound is added to
 * t(x).
 *
 * A single release is read from its own measure on the grid, without a transform, if the transform's roundings would
 * exceed a hundredth of delta.
 *
 * Grid step. Moving the mass of a loss l to its neighbouring grid points `left` and `right` raises log delta by about
 * the sum over the tilted mass of lambda (lambda + 1) (l - left) (right - l) / 2. This is predicted from a sketch of
 * the pairs, and the step is chosen so that it stays small.
 */
#include "core/accountant/pld.h"

#include "core/base/memory.h"

#include <fftw3.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#ifndef FFTW_NO_SIMD
#define FFTW_NO_SIMD (1U << 17) /* scalar code: the same bits on every processor */
#endif

enum { LOG2_MIN = 12, LOG2_MAX = 21 }; /* points of the window: up to 16 MB a real vector */

static const double unit = DBL_EPSILON / 2.0;
/* Given away here and there, as -log of a share of delta: beside it nothing; what is added to it above the window; what
 * comes back into the window below, where it is only a little too large. */
static const double negligible = 25.0, above_window = 18.0, wrapped = 12.0;
static const double vanishing = 100.0; /* frequencies of t below e^-100 are set to 0: far below any rounding of it */
static const double log_max = 700.0;   /* exp of more may overflow */
static const double rounded_up = 1.0 + 1e-12, noise_rounded_up = 1.0 + 1e-6; /* beyond what short formulas round off */

/* Searches of the plan, whose results need not be exact: any choice gives a valid bound. */
static const double lambda_low = 1e-7, lambda_high = 1e7, lambda_accuracy = 1e-3; /* of its logarithm */
static const double theta_low = 1e-6, theta_high = 1e6, theta_accuracy = 0.02;
static const double first_log_delta = -125.0; /* where delta is sought: about e^-125 before it is known better */
static const double log_delta_margin = 5.0;   /* and then e^5 below its Chernoff bound */
static const double heaped_share = 0.02;      /* a tilted mean is no nearer to the largest loss, in shares of its way */
/* The spread of the tilted loss is from the slope of its mean between 0.95 and 1.05 lambda. */
static const double tilt_down = 0.95, tilt_up = 1.05, tilt_span = 0.1;
static const double spread_least = 1e-9; /* of all losses' width */
/* The window's ends go out from 6 spreads by 1.4 at a time, up to 60 times, and no further than 4 times to where mass
 * is negligible. */
enum { WIDER_MAX = 60 };
static const double reach_first = 6.0, reach_factor = 1.4, reach_beyond = 4.0;
/* The step is to raise epsilon by 1.5e-4 at most and by 5e-4 of itself, or of a thousandth of the window, and to be an
 * eighth of the spread. */
static const double inflation_most = 1.5e-4, inflation_share = 5e-4, window_share = 1e-3, steps_a_spread = 8.0;
static const double step_least = 1e-12; /* of the largest loss: doubles tell the grid's points apart */
static const double spare_points = 8.0; /* of the window, for ends that are rounded outwards */
static const double fit_rounding = 1e-9; /* relative, when the window's width is compared with its points */

/* --- planning ------------------------------------------------------------------------------------------------- */

/* The pairs by a few points each. Nothing that is reported rests on a sketch: it only chooses lambda, the window, the
 * step, and any choice gives a valid bound. */
typedef struct sketch {
    const sp_dominating_pair *pair;
    double low, high; /* losses */
    size_t size;
    double loss[SP_SKETCH_MAX], log_mass[SP_SKETCH_MAX];
} sketch;

typedef struct sketches {
    size_t count;
    sketch *one;
    double low, high; /* of the composition */
    bool careful;     /* as the question */
} sketches;

/* What is asked for. */
typedef struct question {
    double delta;     /* the target; NAN: it is sought */
    double epsilon;   /* where delta is sought, or near which epsilon is to be found; NAN: not known */
    bool careful;     /* again, for the answer was no good: see sp_pld_epsilon */
    double log_delta; /* where delta is sought again: of what it was the last time */
} question;

/* A sketch's mass is 1 up to a thousandth or so, which a large count makes much of. */
static void normalise(sketch *k)
{
    double sum = 0.0;
    for (size_t i = 0; i < k->size; i++)
        sum += exp(k->log_mass[i]);
    for (size_t i = 0; i < k->size; i++)
        k->log_mass[i] -= log(sum);
}

static void draw(sketches *all, const sp_dominating_pair *pairs, double log_tail, double floor)
{
    all->low = all->high = 0.0;
    for (size_t j = 0; j < all->count; j++) {
        sketch *k = &all->one[j];
        k->pair = &pairs[j];
        const double one = log_tail - log(k->pair->count);
        sp_pair_range(k->pair, one, floor, &k->low, &k->high);
        k->size = sp_pair_sketch(k->pair, one, k->low, k->high, k->loss, k->log_mass);
        if (all->careful)
            normalise(k);
        all->low += k->pair->count * k->low;
        all->high += k->pair->count * k->high;
    }
}

static const double smallest_term = -40.0; /* of a sum whose largest is e^0: what is below rounds to nothing */

/* log E e^(lambda loss) of one release, and its derivative. */
static double moment_of(const sketch *k, double lambda, double *mean)
{
    double top = -INFINITY, sum = 0.0, first = 0.0;
    for (size_t i = 0; i < k->size; i++)
        top = fmax(top, lambda * k->loss[i] + k->log_mass[i]);
    for (size_t i = 0; i < k->size; i++) {
        const double term = lambda * k->loss[i] + k->log_mass[i] - top;
        if (term > smallest_term) {
            const double weight = exp(term);
            sum += weight;
            first += k->loss[i] * weight;
        }
    }
    *mean = first / sum;
    return top + log(sum);
}

static double moment(const sketches *all, double lambda, double *mean)
{
    double total = 0.0;
    *mean = 0.0;
    for (size_t j = 0; j < all->count; j++) {
        double one;
        total += all->one[j].pair->count * moment_of(&all->one[j], lambda, &one);
        *mean += all->one[j].pair->count * one;
    }
    return total;
}

/* The lambda of the smallest Chernoff bound: of log delta at `epsilon`, or, where that is NAN, of epsilon at log_delta
 * (K - lambda K' falls with lambda). Not so large that the tilt heaps everything on the largest loss. */
static double best_lambda(const sketches *all, double epsilon, double log_delta)
{
    double low = log(lambda_low), high = log(lambda_high), at_rest;
    moment(all, 0.0, &at_rest);
    while (high - low > lambda_accuracy) {
        const double lambda = exp(0.5 * (low + high));
        double mean;
        const double K = moment(all, lambda, &mean);
        const bool heaped = all->high - mean < heaped_share * (all->high - at_rest);
        if (!heaped && (isnan(epsilon) ? K - lambda * mean > log_delta : mean < epsilon))
            low = log(lambda);
        else
            high = log(lambda);
    }
    return exp(low);
}

/* The theta beside lambda, on the side of `sign`, with mean x under it; *log_beyond = log of the Chernoff bound of the
 * tilted mass beyond x. */
static double beyond(const sketches *all, double lambda, double K, double x, double sign, double *log_beyond)
{
    double low = log(theta_low), high = log(theta_high), theta = lambda, mean = 0.0, least = 0.0;
    while (high - low > theta_accuracy) {
        const double s = exp(0.5 * (low + high)), Ks = moment(all, lambda + sign * s, &mean);
        const double bound = Ks - K - sign * s * x;
        if (bound < least) {
            least = bound;
            theta = lambda + sign * s;
        }
        *(sign * (x - mean) > 0.0 ? &low : &high) = log(s);
    }
    *log_beyond = least;
    return theta;
}

typedef struct window {
    double lambda, s; /* of the tilt, of the Chernoff bound of what is above the window */
    double mean;      /* of the loss under lambda */
    double log_delta; /* roughly */
    double log_tail;  /* of what all releases of a pair together may have above their largest loss */
    size_t log2_size;
    double h;
    long first;   /* point first is the lowest */
    bool careful; /* as the question; sums are compensated, for a large count makes much of their roundings */
} window;

/* By how much a step h raises the composition's epsilon. */
static double inflation(const sketches *all, double lambda, double h)
{
    double total = 0.0, ignored;
    for (size_t j = 0; j < all->count; j++) {
        const sketch *k = &all->one[j];
        const double K = moment_of(k, lambda, &ignored);
        double sum = 0.0;
        for (size_t i = 0; i < k->size; i++) /* a cell apart, (l - left)(right - l) is h^2/6 on average */
            sum += exp(lambda * k->loss[i] + k->log_mass[i] - K) * fmin(h * h / 6.0, h * fabs(k->loss[i]));
        total += k->pair->count * 0.5 * (lambda + 1.0) * sum;
    }
    return total;
}

/* One epsilon of all pairs whose losses end at +-epsilon: the grid then meets them. 0: there is none. */
static double lattice(const sketches *all)
{
    double epsilon = 0.0;
    for (size_t j = 0; j < all->count; j++) {
        const sp_dominating_pair *p = all->one[j].pair;
        if (!(p->epsilon > 0.0) || (epsilon > 0.0 && p->epsilon != epsilon))
            return 0.0;
        epsilon = p->epsilon;
    }
    return epsilon;
}

static void plan(sketches *all, const sp_dominating_pair *pairs, const question *q, window *w)
{
    const double delta = q->delta, epsilon = q->epsilon;
    const bool seek = !isnan(delta);
    double mean, K, up, down, log_beyond;
    w->careful = q->careful;
    w->log_delta = seek ? log(delta) : q->careful ? q->log_delta - log_delta_margin : first_log_delta;
    w->lambda = 0.0;
    for (int round = 0; round < 2; round++) { /* the second with the cuts that the first one calls for */
        w->log_tail = w->log_delta - negligible;
        draw(all, pairs, w->log_tail, w->lambda > 0.0 ? -2.0 * negligible / w->lambda : -INFINITY);
        w->lambda = best_lambda(all, epsilon, seek ? log(delta) : NAN);
        K = moment(all, w->lambda, &mean);
        if (!seek && !q->careful)
            w->log_delta = fmin(0.0, fmax(-log_max, K - w->lambda * epsilon)) - log_delta_margin;
    }
    w->mean = mean;
    const double lambda = w->lambda, width = all->high - all->low, at = isnan(epsilon) ? mean : epsilon;
    moment(all, tilt_up * lambda, &up);
    moment(all, tilt_down * lambda, &down);
    const double spread = fmax(sqrt(fmax((up - down) / (tilt_span * lambda), 0.0)), spread_least * width);
    double top = fmax(mean, at), bottom = fmin(mean, at), reach = reach_first * spread, releases = 0.0;
    double kept = INFINITY; /* where what is above no longer matters: it is added to delta */
    for (int wider = 0; wider < WIDER_MAX && reach < reach_beyond * kept; wider++, reach *= reach_factor) {
        w->s = beyond(all, lambda, K, top + reach, 1.0, &log_beyond);
        if (isinf(kept) && log_beyond + K - lambda * (top + reach) <= w->log_delta - above_window)
            kept = reach;
        /* it appears far below, too, with a tilt that is taken back too little there: keep it out if that is cheap */
        if ((isfinite(kept) && log_beyond + K - lambda * at <= w->log_delta - wrapped) || top + reach >= all->high)
            break;
    }
    if (reach >= reach_beyond * kept) {
        reach = kept;
        w->s = beyond(all, lambda, K, top + reach, 1.0, &log_beyond);
    }
    if (top + reach >= all->high) /* the highest points round up, each by less than a step */
        for (size_t j = 0; j < all->count; j++)
            releases += pairs[j].count;
    top = fmin(top + reach, all->high);
    reach = reach_first * spread;
    for (int wider = 0; wider < WIDER_MAX; wider++, reach *= reach_factor) {
        beyond(all, lambda, K, bottom - reach, -1.0, &log_beyond);
        if (log_beyond <= -negligible || bottom - reach <= all->low)
            break;
    }
    bottom = fmin(fmax(bottom - reach, all->low), at - spread);

    const double wanted = fmin(inflation_most, inflation_share * fmax(at, window_share * (top - bottom)));
    const double meet = lattice(all);
    double longest = 0.0; /* a release's own grid is to stay short, too */
    for (size_t j = 0; j < all->count; j++)
        longest = fmax(longest, all->one[j].high - all->one[j].low);
    for (w->log2_size = LOG2_MIN;; w->log2_size++) {
        const double inner = ldexp(1.0, (int)w->log2_size) - spare_points;
        w->h = fmax((top - bottom) / fmax(inner - releases, 0.5 * inner), ldexp(longest, -LOG2_MAX));
        w->h = fmax(w->h, step_least * (q->careful ? fmax(top, -bottom) : fmax(all->high, -all->low)));
        if (meet > 0.0)
            w->h = meet / fmax(1.0, floor(meet / w->h));
        if ((inflation(all, lambda, w->h) <= wanted && w->h <= spread / steps_a_spread &&
             top - bottom <= inner * w->h * (1.0 + fit_rounding)) ||
            w->log2_size == LOG2_MAX)
            break;
    }
    w->first = (long)floor(bottom / w->h) - 2;
}

/* --- composition ---------------------------------------------------------------------------------------------- */

typedef struct transform {
    size_t N, half;
    double *t;
    fftw_complex *z, *Z;
    fftw_plan forward, backward;
    double *error; /* relative to Z, of each frequency */
    double lost;   /* bound on the sum of |Z| over the frequencies set to 0 */
    size_t shift;  /* t(x) stands at x - shift, modulo N */
} transform;

static void transform_close(transform *f)
{
    if (f->forward)
        fftw_destroy_plan(f->forward);
    if (f->backward)
        fftw_destroy_plan(f->backward);
    fftw_free(f->t);
    fftw_free(f->z);
    fftw_free(f->Z);
    free(f->error);
}

static sp_status transform_open(transform *f, size_t log2_size)
{
    f->N = (size_t)1 << log2_size;
    f->half = f->N / 2 + 1;
    f->t = fftw_alloc_real(f->N);
    f->z = fftw_alloc_complex(f->half);
    f->Z = fftw_alloc_complex(f->half);
    f->error = sp_alloc_doubles(f->half);
    if (!f->t || !f->z || !f->Z || !f->error)
        return SP_ENOMEM;
    f->forward = fftw_plan_dft_r2c_1d((int)f->N, f->t, f->z, FFTW_ESTIMATE | FFTW_NO_SIMD);
    f->backward = fftw_plan_dft_c2r_1d((int)f->N, f->Z, f->t, FFTW_ESTIMATE | FFTW_NO_SIMD | FFTW_DESTROY_INPUT);
    for (size_t i = 0; i < f->half; i++)
        f->Z[i][0] = 1.0, f->Z[i][1] = 0.0;
    return f->forward && f->backward ? SP_OK : SP_ENOMEM;
}

/* eta log2 N of the head */
static double transform_error(const transform *f)
{
    return 8.0 * unit * log2((double)f->N);
}

/* Z *= (1 + w)^k, w = z - rest, z the transform of entries that sum to `rest`. Vanishing frequencies become 0. */
static void fold_power(transform *f, double k, double rest)
{
    const double E = 2.0 * transform_error(f) * rest, nothing = fmax(exp(-2.0 * vanishing / k), 4.0 * E * E);
    const double gone = exp(k * log(sqrt(nothing) + E)); /* |z| may be by E larger than it was found */
    for (size_t i = 0; i < f->half; i++) {
        double *Z = f->Z[i];
        const double re = f->z[i][0] - rest, im = f->z[i][1], square = re * (2.0 + re) + im * im; /* |1 + w|^2 - 1 */
        if (Z[0] == 0.0 && Z[1] == 0.0)
            continue;
        if (!(1.0 + square > nothing)) {
            f->lost += 2.0 * hypot(Z[0], Z[1]) * gone;
            Z[0] = Z[1] = 0.0;
            continue;
        }
        const double log_size = 0.5 * k * log1p(square), angle = k * atan2(im, 1.0 + re), power = exp(log_size);
        const double u = power * cos(angle), v = power * sin(angle), old = Z[0];
        Z[0] = old * u - Z[1] * v;
        Z[1] = old * v + Z[1] * u;
        f->error[i] += k * E / (sqrt(1.0 + square) - E) + 8.0 * unit * (2.0 + fabs(log_size) + fabs(angle));
    }
}

/* Bound on the error of every t(x) after the inverse transform; to be taken before it, which destroys Z. */
static double noise_of(const transform *f)
{
    double carried = f->lost, sum = 0.0;
    for (size_t i = 0; i < f->half; i++) {
        const double size = 2.0 * hypot(f->Z[i][0], f->Z[i][1]);
        if (size > 0.0) {
            carried += size * expm1(fmin(f->error[i], log_max));
            sum += size;
        }
    }
    return (carried + transform_error(f) * sum) / (double)f->N * noise_rounded_up;
}

typedef struct totals {
    double K, Ks;    /* sum k_j log sum p_j e^(lambda x), and at s */
    double infinite; /* from above */
    double slack;    /* all losses may be this much larger */
    double rounding; /* relative error of P(x) */
    double last;     /* sum k_j (the highest point of pair j), in steps */
} totals;

/* *sum += term, what is rounded off going to *lost. */
static void add_to(double *sum, double *lost, double term)
{
    const double next = *sum + term;
    *lost += fabs(*sum) >= fabs(term) ? (*sum - next) + term : (term - next) + *sum;
    *sum = next;
}

/* 1 less the whole measure, summed with compensation. */
static double missing(const sp_loss_grid *g)
{
    double sum = 1.0 - g->infinite, lost = 0.0;
    for (size_t i = 0; i < g->size; i++)
        add_to(&sum, &lost, -g->mass[i]);
    return sum + lost;
}

static const double missing_most = 1e-14; /* of the mass 1 of a release's P */

static sp_status add_pair(transform *f, const window *w, const sketch *k, totals *sum)
{
    const double count = k->pair->count, log_tail = w->log_tail - log(count);
    double at_lambda = 0.0, at_s = 0.0, rest = 0.0, most = 0.0, lost[2] = { 0.0, 0.0 }, ignored;
    sp_loss_grid g;
    sp_loss_grid_place(&g, k->low, k->high, w->h);
    g.mass = sp_alloc_doubles(g.size);
    if (!g.mass)
        return SP_ENOMEM;
    sp_pair_discretise(k->pair, log_tail, k->low, k->high, &g);
    /* any number near K_j will do inside exp */
    const double near = moment_of(k, w->lambda, &ignored), near_s = moment_of(k, w->s, &ignored);
    for (size_t i = 0; i < f->N; i++)
        f->t[i] = 0.0;
    size_t last = 0, largest = 0;
    /* P was rounded up; what is missing all the same, where a pair's numbers are too wild, goes to infinity */
    if (!(missing(&g) <= missing_most))
        g.infinite = missing(&g) <= 1.0 ? g.infinite + missing(&g) : INFINITY;
    for (size_t i = 0; i < g.size; i++) {
        const double x = (double)(g.first + (long)i) * w->h, exponent = w->lambda * x - near;
        if (!(g.mass[i] > 0.0))
            continue;
        last = i;
        at_s += g.mass[i] * exp(w->s * x - near_s);
        g.mass[i] *= exp(exponent);
        add_to(&at_lambda, &lost[0], g.mass[i]);
        if (g.mass[i] > g.mass[largest])
            largest = i;
        if (g.mass[i] > 0.0)
            most = fmax(most, fabs(exponent));
    }
    at_lambda += w->careful ? lost[0] : 0.0;
    for (size_t i = 0; i < g.size; i++) {
        if (i == largest || !(g.mass[i] > 0.0))
            continue;
        f->t[(i - largest) & (f->N - 1)] += g.mass[i] / at_lambda;
        add_to(&rest, &lost[1], g.mass[i] / at_lambda);
    }
    rest += w->careful ? lost[1] : 0.0;
    free(g.mass);
    sum->K += count * (near + log(at_lambda));
    sum->Ks += count * (near_s + log(at_s));
    sum->infinite += count * g.infinite;
    sum->slack += count * sp_pair_slack(k->pair, log_tail);
    sum->rounding += count * unit * (2.0 * most + 2.0 * fabs(near) + 16.0 + (double)g.size * unit);
    sum->last += count * (double)(g.first + (long)last);
    f->shift += (size_t)fmod(count, (double)f->N) * (size_t)(g.first + (long)largest); /* modulo 2^64, so modulo N */
    fftw_execute(f->forward);
    fold_power(f, count, rest);
    return SP_OK;
}

/* (2) from the top down, all terms positive: with G(x) = sum over y > x of P(y) e^(x - y),
 *   delta(x) = delta(x + h) + (1 - e^-h) (P(x + h) + G(x + h)),  G(x) = e^-h (P(x + h) + G(x + h)). */
/* *waste: the share of noise, infinity and what is above the window in delta where it was read. */
static double read_off(const transform *f, const window *w, const totals *sum, double noise, const question *q,
                       double *waste)
{
    const double delta = q->delta, epsilon = q->epsilon;
    const bool seek = !isnan(delta);
    const double h = w->h, fall = exp(-h), share = -expm1(-h), slack = sum->slack;
    const long top = w->first + (long)f->N - 1, last = seek ? 0 : (long)floor((epsilon - slack) / h);
    const double outside = (double)top >= sum->last ? 0.0 : exp(fmin(0.0, sum->Ks - w->s * (double)top * h));
    const double scale = exp(sum->rounding) * rounded_up;
    double at = (sum->infinite + outside) * scale, later = at, G = 0.0, wasted = at, wasted_G = 0.0;
    long x = (double)top < sum->last ? top : (long)sum->last; /* nothing is above */
    const long start = x;
    for (; x > last && x > w->first && (!seek || at <= delta); x--) {
        const double t = fmax(0.0, f->t[((size_t)x - f->shift) & (f->N - 1)] / (double)f->N) + noise;
        const double untilt = exp(fmin(sum->K - w->lambda * (double)x * h, log_max)), P = t * untilt * scale;
        later = at;
        at += share * (P + G);
        G = fall * (P + G);
        wasted += share * (noise * untilt + wasted_G);
        wasted_G = fall * (noise * untilt + wasted_G);
    }
    *waste = wasted / at;
    /* `at` is delta(x h), `later` delta((x + 1) h); delta is linear in e^epsilon between grid points */
    if (!seek) { /* nothing of the window is above epsilon: all of it is in infinity; below it: the whole of P */
        if (x == start)
            return at < 1.0 ? at : 1.0;
        if (x > last)
            return 1.0;
        const double into = expm1(fmin(fmax((epsilon - slack) - (double)x * h, 0.0), h)) / expm1(h);
        const double here = (at - (at - later) * into) * rounded_up;
        return here < 1.0 ? here : 1.0;
    }
    if (x == start)
        return at <= delta && x <= 0 ? slack : INFINITY;
    if (at <= delta)
        return fmax(0.0, (double)x * h) * (1.0 + 4.0 * unit) + (x > 0 ? slack : 0.0);
    const double between = (double)x * h + log1p((at - delta) / (at - later) * expm1(h));
    return isnan(between) ? INFINITY : fmax(0.0, between * (1.0 + 4.0 * unit) + slack);
}

typedef struct composed {
    double answer; /* epsilon, or delta */
    double mean;   /* of the loss under the tilt: about the Chernoff bound of epsilon */
    double waste;  /* read_off */
} composed;

static sp_status compose(const sp_dominating_pair *pairs, size_t count, const question *q, composed *out)
{
    sp_status status = SP_OK;
    sketches all = { .count = count, .one = sp_alloc(count, sizeof *all.one), .careful = q->careful };
    transform f = { 0 };
    totals sum = { 0 };
    window w = { 0 };
    double noise = 0.0;
    SP_TRY(all.one ? SP_OK : SP_ENOMEM);
    plan(&all, pairs, q, &w);
    SP_TRY(transform_open(&f, w.log2_size));
    for (size_t j = 0; j < count; j++)
        SP_TRY(add_pair(&f, &w, &all.one[j], &sum));
    noise = noise_of(&f);
    fftw_execute(f.backward);
    out->answer = read_off(&f, &w, &sum, noise, q, &out->waste);
    out->mean = w.mean;
cleanup:
    transform_close(&f);
    free(all.one);
    return status;
}

enum { LOG2_ONE = 16 }; /* points of a single release's losses */

/* A single release needs no transform: its measure on the grid is t, without a tilt. */
static sp_status read_one(const sp_dominating_pair *pair, const question *q, composed *out)
{
    sp_status status = SP_OK;
    const double log_tail = (isnan(q->delta) ? q->log_delta : log(q->delta)) - negligible;
    const size_t points = (size_t)1 << LOG2_ONE;
    transform f = { .N = 2 * points, .t = fftw_alloc_real(2 * points) };
    double low, high, absent;
    sp_loss_grid g;
    SP_TRY(f.t ? SP_OK : SP_ENOMEM);
    for (size_t i = 0; i < f.N; i++)
        f.t[i] = 0.0;
    sp_pair_range(pair, log_tail, -INFINITY, &low, &high);
    sp_loss_grid_place(&g, low, high, (high - low) / (double)points);
    g.mass = f.t;
    sp_pair_discretise(pair, log_tail, low, high, &g);
    absent = missing(&g);
    f.shift = (size_t)g.first;
    const window w = { .h = g.h, .first = g.first };
    const totals sum = { .infinite = g.infinite + (absent <= missing_most ? 0.0 : absent <= 1.0 ? absent : INFINITY),
                         .slack = sp_pair_slack(pair, log_tail),
                         .last = (double)(g.first + (long)g.size - 1) };
    for (size_t i = 0; i < f.N; i++)
        f.t[i] *= (double)f.N; /* as an inverse transform leaves it */
    out->answer = read_off(&f, &w, &sum, 0.0, q, &out->waste);
cleanup:
    fftw_free(f.t);
    return status;
}

/* An epsilon below this share of what the tilt was made for is sought again, with a tilt made for it. */
static const double far_off = 0.7;

/* An answer is composed again, with care, where more of its delta than waste_most is roundings and cuts, or where it is
 * so far above the Chernoff bound that the tilt was not made for it: with sketches that have mass 1, a grid as fine as
 * the window allows, and tails cut by what delta was found to be, as long as that helps. */
static const double waste_most = 1e-2, far_above = 1.5, helps = 0.99;
enum { CAREFUL_MAX = 12 };

static sp_status compose_carefully(const sp_dominating_pair *pairs, size_t count, question *q, double *answer)
{
    sp_status status = SP_OK;
    const bool single = count == 1 && pairs[0].count == 1.0;
    composed found = { .waste = 1.0 };
    q->careful = true;
    for (int i = 0; i < CAREFUL_MAX && *answer > DBL_MIN && !(found.waste <= waste_most); i++) {
        const double before = *answer;
        if (isnan(q->delta))
            q->log_delta = log(before);
        else
            q->epsilon = i > 0 && isfinite(before) ? before : NAN;
        SP_TRY(single ? read_one(pairs, q, &found) : compose(pairs, count, q, &found));
        *answer = fmin(*answer, found.answer);
        if (i > 0 && !(*answer < helps * before))
            break;
    }
cleanup:
    return status;
}

sp_status sp_pld_epsilon(const sp_dominating_pair *pairs, size_t count, double delta, double *epsilon)
{
    composed found, again;
    question q = { .delta = delta, .epsilon = NAN };
    sp_status status = compose(pairs, count, &q, &found);
    *epsilon = found.answer;
    /* the Chernoff bound was far off: rare large losses */
    if (status == SP_OK && *epsilon > 0.0 && *epsilon < far_off * found.mean) {
        q.epsilon = *epsilon;
        status = compose(pairs, count, &q, &again);
        *epsilon = fmin(*epsilon, again.answer);
        found.waste = fmin(found.waste, again.waste);
    }
    if (status == SP_OK && (!(found.waste <= waste_most) || *epsilon > far_above * found.mean))
        status = compose_carefully(pairs, count, &q, epsilon);
    return status;
}

sp_status sp_pld_delta(const sp_dominating_pair *pairs, size_t count, double epsilon, double *delta)
{
    composed found;
    question q = { .delta = NAN, .epsilon = epsilon };
    sp_status status = compose(pairs, count, &q, &found);
    *delta = found.answer;
    if (status == SP_OK && !(found.waste <= waste_most))
        status = compose_carefully(pairs, count, &q, delta);
    return status;
}
