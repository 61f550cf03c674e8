/* dominating_pairs.c -- puts the privacy loss of one release on a grid ("connect the dots"): the mass of each interval
 * of losses is moved to the two ends of the interval, such that the result dominates the release.
 *
 * Consider the losses in [l, l + h], with mass a under P and b under Q. Both masses are preserved if
 *
 *   right = (a - e^l b) / (1 - e^-h),  left = a - right,                                                        (1)
 *
 * where `right` goes to l + h and `left` to l. This keeps delta(epsilon) at every grid point and raises it between
 * them. a is rounded up and b down; mass that would then violate (1) at l + h goes to infinity. Where e^(l + h)
 * overflows, all of a goes to l + h.
 *
 * In the forms made of normal distributions the loss increases with x. So an interval of losses is an interval of x,
 * and its masses are differences of normal tails, each taken on the side where it is small.
 */
#include "core/accountant/dominating_pairs.h"

#include <float.h>
#include <math.h>

static const double unit = DBL_EPSILON / 2.0;

/* log((1 - q) + q e^z) */
static double log_mixture(double q, double z)
{
    if (q == 1.0)
        return z;
    return z > 30.0 ? z + log(q) + log1p((1.0 - q) / q * exp(-z)) : log1p(q * expm1(z));
}

/* Loss of the forms normal and opposed at x. */
static double loss_at(const sp_dominating_pair *p, double x)
{
    const double up = log_mixture(p->q, p->mu * x - 0.5 * p->mu * p->mu);
    return p->form == SP_PAIR_OPPOSED ? up - log_mixture(p->q, -p->mu * x - 0.5 * p->mu * p->mu) : up;
}

/* Its inverse. normal: e^(mu x - mu^2/2) = (e^loss - (1 - q)) / q. opposed: z = e^(mu x) solves A z^2 + B z = A e^loss,
 * A = q e^(-mu^2/2), B = -(1 - q) (e^loss - 1) <= 0 for loss >= 0; x is odd in the loss. Divided by e^loss. */
static double threshold(const sp_dominating_pair *p, double loss)
{
    if (p->form == SP_PAIR_OPPOSED) {
        const double l = fabs(loss), a = p->q * exp(-0.5 * p->mu * p->mu), b = -(1.0 - p->q) * expm1(-l);
        return copysign((l + log((b + hypot(b, 2.0 * a * exp(-0.5 * l))) / (2.0 * a))) / p->mu, loss);
    }
    if (loss > 30.0)
        return (loss - log(p->q) + log1p((p->q - 1.0) * exp(-loss))) / p->mu + 0.5 * p->mu;
    const double inside = expm1(loss) / p->q;
    return inside > -1.0 ? log1p(inside) / p->mu + 0.5 * p->mu : -INFINITY;
}

void sp_pair_range(const sp_dominating_pair *p, double log_tail, double floor, double *low, double *high)
{
    const double reach = sqrt(-2.0 * log_tail); /* a normal tail beyond r is below exp(-r^2/2) */
    switch (p->form) {
    case SP_PAIR_NORMAL:
        *high = loss_at(p, p->mu + reach);
        *low = loss_at(p, -reach);
        break;
    case SP_PAIR_SWAPPED:
        *high = -loss_at(p, -reach);
        *low = -loss_at(p, reach);
        break;
    case SP_PAIR_MIRRORED:
    case SP_PAIR_OPPOSED:
        *high = loss_at(p, p->mu + reach);
        *low = -*high;
        break;
    case SP_PAIR_LAPLACE:
    case SP_PAIR_RESPONSE:
        *high = p->epsilon;
        *low = -p->epsilon;
        return;
    }
    *low = fmax(*low, fmin(floor, 0.0));
}

double sp_pair_slack(const sp_dominating_pair *p, double log_tail)
{
    return 16.0 * unit * (1.0 + p->mu * (sqrt(-2.0 * log_tail) + p->mu) + p->epsilon);
}

size_t sp_pair_sketch(const sp_dominating_pair *p, double log_tail, double low, double high, double *restrict loss,
                      double *restrict log_mass)
{
    size_t size = 0;
    const double e = p->epsilon;
    if (p->form == SP_PAIR_RESPONSE || p->form == SP_PAIR_LAPLACE) {
        const double top = p->form == SP_PAIR_RESPONSE ? -log1p((1.0 + p->others) * exp(-e)) : -M_LN2;
        loss[size] = e, log_mass[size++] = top;
        loss[size] = -e, log_mass[size++] = top - e;
        if (p->others > 0.0)
            loss[size] = 0.0, log_mass[size++] = top - e + log(p->others);
        const size_t inside = p->form == SP_PAIR_LAPLACE ? SP_SKETCH_MAX / 2 : 0;
        for (size_t i = 0; i < inside; i++) { /* x in (0, 1): see laplace() */
            const double x = ((double)i + 0.5) / (double)inside;
            loss[size] = e * (2.0 * x - 1.0);
            log_mass[size++] = log(0.5 * e / (double)inside) - e * (1.0 - x);
        }
    } else {
        const bool mirrored = p->form == SP_PAIR_MIRRORED, swapped = p->form == SP_PAIR_SWAPPED;
        const double deep = sqrt(-2.0 * log_tail), from = mirrored ? 0.5 * p->mu : -deep;
        const size_t points = SP_SKETCH_MAX / 2 - 1;
        const double step = (p->mu + deep - from) / (double)points, log_step = log(step) - 0.5 * log(2.0 * M_PI);
        for (size_t i = 0; i < points; i++) {
            const double x = from + ((double)i + 0.5) * step, l = loss_at(p, x), base = log_step - 0.5 * x * x;
            const double mixed = base + log_mixture(p->q, p->mu * x - 0.5 * p->mu * p->mu);
            loss[size] = swapped ? -l : l;
            log_mass[size++] = swapped ? base : mixed;
            if (mirrored)
                loss[size] = -l, log_mass[size++] = base;
        }
        if (mirrored) /* P of the losses > 0 and < 0 add up to 1 - (1 - q) (2 Phi(mu/2) - 1) */
            loss[size] = 0.0, log_mass[size++] = log(fmax(DBL_MIN, (1.0 - p->q) * erf(p->mu / sqrt(8.0))));
    }
    for (size_t i = 0; i < size; i++)
        loss[i] = fmin(fmax(loss[i], low), high);
    return size;
}

/* --- discretisation ------------------------------------------------------------------------------------------- */

void sp_loss_grid_place(sp_loss_grid *g, double low, double high, double h)
{
    g->h = h;
    g->first = (long)floor(low / h) - 1;
    g->size = (size_t)((long)ceil(high / h) + 2 - g->first);
}

/* (1) for the interval from grid point i (counted from the first) to the next. */
static void deposit(sp_loss_grid *g, size_t i, double a, double b)
{
    const double l = (double)(g->first + (long)i) * g->h;
    const double right = (a - exp(l) * b) / -expm1(-g->h) * (1.0 + 8.0 * unit);
    if (!(a > 0.0))
        return;
    if (!isfinite(exp(l + g->h))) { /* b is nothing, or lost its digits: up by what is left of the interval */
        g->mass[i + 1] += a;
    } else if (right > a) {
        const double beyond = fmax(0.0, a - exp(l + g->h) * b * (1.0 - 8.0 * unit));
        g->infinite += beyond;
        g->mass[i + 1] += a - beyond;
    } else {
        g->mass[i] += a - fmax(0.0, right);
        g->mass[i + 1] += fmax(0.0, right);
    }
}

/* The end of an interval: x, and the smaller tail of N(0, 1) beyond x - shift for the shifts 0, mu, -mu. */
typedef struct edge {
    double x, shift[3], tail[3];
} edge;

static edge edge_at(const sp_dominating_pair *p, double loss)
{
    edge e = { .x = threshold(p, loss), .shift = { 0.0, p->mu, -p->mu } };
    for (size_t k = 0; k < (p->form == SP_PAIR_OPPOSED ? 3 : 2); k++)
        e.tail[k] = 0.5 * erfc(fabs(e.x - e.shift[k]) * M_SQRT1_2);
    return e;
}

/* N(shift, 1) between two edges, from below and from above. */
static void between(const edge *from, const edge *to, size_t k, double *low, double *high)
{
    const double a = from->x - from->shift[k], b = to->x - to->shift[k], near = fmin(fmin(fabs(a), fabs(b)), 40.0);
    const double one = from->tail[k], other = to->tail[k];
    const double mass = a < 0.0 && b > 0.0 ? 1.0 - one - other : fabs(one - other);
    /* erfc is good to a few units, its argument's rounding costs near^2 more; the far tail is the smaller one */
    const double error = (8.0 + 2.0 * near * near) * unit * fmin(1.0, one + other) + (a < 0.0 && b > 0.0 ? unit : 0.0);
    *low = fmax(0.0, mass - error);
    *high = mass + error;
}

/* P from above and Q from below, of the form normal; and of its mirror image, P = N(0, 1). */
static void normal_masses(const sp_dominating_pair *p, const edge *from, const edge *to, double *a, double *b,
                          double *mirror_a, double *mirror_b)
{
    double zero[2], plus[2];
    between(from, to, 0, &zero[0], &zero[1]);
    between(from, to, 1, &plus[0], &plus[1]);
    *a = ((1.0 - p->q) * zero[1] + p->q * plus[1]) * (1.0 + 4.0 * unit);
    *b = zero[0];
    *mirror_a = zero[1];
    *mirror_b = ((1.0 - p->q) * zero[0] + p->q * plus[0]) * (1.0 - 4.0 * unit);
}

static void opposed_masses(const sp_dominating_pair *p, const edge *from, const edge *to, double *a, double *b)
{
    double zero[2], plus[2], minus[2];
    between(from, to, 0, &zero[0], &zero[1]);
    between(from, to, 1, &plus[0], &plus[1]);
    between(from, to, 2, &minus[0], &minus[1]);
    *a = ((1.0 - p->q) * zero[1] + p->q * plus[1]) * (1.0 + 4.0 * unit);
    *b = ((1.0 - p->q) * zero[0] + p->q * minus[0]) * (1.0 - 4.0 * unit);
}

/* One interval after the other from loss `low` to beyond `high`. What is below the first one is moved up to it. */
static void normals(const sp_dominating_pair *p, double low, double high, sp_loss_grid *g)
{
    const bool swapped = p->form == SP_PAIR_SWAPPED;
    const long start = (long)floor(low / g->h), end = (long)ceil(high / g->h);
    edge last = edge_at(p, swapped ? -(double)start * g->h : (double)start * g->h);
    const edge bottom = { .x = swapped ? INFINITY : -INFINITY, .shift = { 0.0, p->mu, -p->mu } };
    double a, b, other_a, other_b;
    for (long i = start - 1; i < end; i++) {
        const edge next = i < start ? last : edge_at(p, swapped ? -(double)(i + 1) * g->h : (double)(i + 1) * g->h);
        const edge *left = i < start ? &bottom : &last;
        if (p->form == SP_PAIR_OPPOSED)
            opposed_masses(p, left, &next, &a, &b);
        else if (swapped)
            normal_masses(p, &next, left, &other_a, &other_b, &a, &b);
        else
            normal_masses(p, left, &next, &a, &b, &other_a, &other_b);
        if (i < start)
            g->mass[start - g->first] += a;
        else
            deposit(g, (size_t)(i - g->first), a, b);
        last = next;
    }
}

static void mirrored(const sp_dominating_pair *p, double low, double high, sp_loss_grid *g)
{
    const sp_dominating_pair normal = { .form = SP_PAIR_NORMAL, .mu = p->mu, .q = p->q };
    const long end = (long)ceil(high / g->h), bottom = (long)floor(low / g->h);
    const size_t zero = (size_t)-g->first;
    edge last = edge_at(&normal, 0.0);
    for (long i = 0; i < end; i++) {
        const edge next = edge_at(&normal, (double)(i + 1) * g->h);
        double a, b, mirror_a, mirror_b;
        normal_masses(&normal, &last, &next, &a, &b, &mirror_a, &mirror_b);
        deposit(g, zero + (size_t)i, a, b);
        if (-i - 1 >= bottom)
            deposit(g, (size_t)(-i - 1 - g->first), mirror_a, mirror_b);
        else
            g->mass[bottom - g->first] += mirror_a;
        last = next;
    }
    /* 1 - P(losses > 0) - P(losses < 0) */
    g->mass[zero] += (1.0 - p->q) * erf(p->mu / sqrt(8.0)) * (1.0 + 8.0 * unit);
}

/* P and Q have masses a and b at one loss. */
static void atom(sp_loss_grid *g, double loss, double a, double b)
{
    const double place = loss / g->h, whole = round(place);
    if (fabs(place - whole) <= 8.0 * unit * fabs(place)) /* on the grid, up to sp_pair_slack */
        g->mass[(long)whole - g->first] += a * (1.0 + 8.0 * unit);
    else
        deposit(g, (size_t)((long)floor(place) - g->first), a * (1.0 + 8.0 * unit), b * (1.0 - 8.0 * unit));
}

/* x in (0, 1) has loss e (2 x - 1), P-density (e/2) e^(-e (1 - x)), Q-density (e/2) e^(-e x); outside |loss| = e. */
static void laplace(const sp_dominating_pair *p, sp_loss_grid *g)
{
    const double e = p->epsilon;
    const long start = (long)floor(-e / g->h), last = (long)floor(e / g->h);
    for (long i = start; i <= last; i++) {
        const double x0 = fmax(0.0, 0.5 * ((double)i * g->h / e + 1.0));
        const double x1 = fmin(1.0, 0.5 * ((double)(i + 1) * g->h / e + 1.0)), span = expm1(e * (x1 - x0));
        if (x1 > x0)
            deposit(g, (size_t)(i - g->first), 0.5 * exp(-e * (1.0 - x0)) * span * (1.0 + 16.0 * unit),
                    0.5 * exp(-e * x1) * span * (1.0 - 16.0 * unit));
    }
}

void sp_pair_discretise(const sp_dominating_pair *p, double log_tail, double low, double high, sp_loss_grid *g)
{
    g->infinite = 0.0;
    if (p->form == SP_PAIR_LAPLACE || p->form == SP_PAIR_RESPONSE) {
        const bool response = p->form == SP_PAIR_RESPONSE;
        const double e = p->epsilon, top = response ? 1.0 / (1.0 + (1.0 + p->others) * exp(-e)) : 0.5;
        atom(g, e, top, top * exp(-e));
        atom(g, -e, top * exp(-e), top);
        g->mass[-g->first] += p->others * top * exp(-e) * (1.0 + 16.0 * unit);
        if (p->form == SP_PAIR_LAPLACE)
            laplace(p, g);
        return;
    }
    if (p->form == SP_PAIR_MIRRORED)
        mirrored(p, low, high, g);
    else
        normals(p, low, high, g);
    g->infinite += exp(log_tail); /* what is above `high` */
}
