/* target.c -- tests the bounds and the derivatives of one part of a loss (parts.h).
 *
 * The adversary chooses numbers: w, the record, a direction v and a length, in this order, as far as needed. In the
 * whole space w_j = a (1 + a^2) for its number a, so that a search reaches far; in a ball w is projected.
 *
 * Two points give lower bounds free of any error except rounding: a difference quotient of the gradient is at most the
 * Lipschitz constant, across kinks too, and f + (rho/2) ||.||^2 is convex only if
 *
 *   f((w + w')/2) <= (f(w) + f(w'))/2 + (rho/8) ||w - w'||^2.
 *
 * The largest |T[u, v, v]| of a symmetric T over unit u and v is attained at u = v (Banach), so third derivatives need
 * no second direction.
 *
 * Derivatives along a random line are compared with one-sided differences of order 4, one ahead and one behind, and the
 * nearer one counts: a kink next to the point spoils only one of them, a wrong derivative both. */
#include "losses/certify/parts.h"

#include <float.h>
#include <gsl/gsl_cblas.h>
#include <gsl/gsl_randist.h>
#include <string.h>

static const double farthest = 1e6;   /* largest |w_j| on the whole space */
static const double tolerance = 1e-6; /* of a derivative, relative */

size_t sp_target_record(const sp_target *t)
{
    return t->features + t->labels;
}

void sp_target_aim(sp_target *t, const double *v)
{
    const double length = t->features > 0 ? cblas_dnrm2((int)t->features, v, 1) : 0.0;
    for (size_t j = 0; j < t->features; j++)
        t->x[j] = t->radius * v[j] / fmax(1.0, length);
    if (t->labels && t->search->loss->labels_binary)
        t->y = copysign(t->label_bound, v[t->features]);
    else if (t->labels)
        t->y = t->label_bound * fmax(-1.0, fmin(1.0, v[t->features]));
    if (t->aimed)
        t->aimed(t);
}

static void hold(const sp_target *t, double *w)
{
    const double norm = isfinite(t->norm) ? cblas_dnrm2((int)t->d, w, 1) : 0.0;
    if (norm > t->norm)
        cblas_dscal((int)t->d, t->norm / norm, w, 1);
}

void sp_target_place(const sp_target *t, const double *v, double *w)
{
    for (size_t j = 0; j < t->d; j++)
        w[j] = isfinite(t->norm) ? v[j] : fmax(-farthest, fmin(farthest, v[j] * (1.0 + v[j] * v[j])));
    hold(t, w);
}

/* w2 = w + length v in the domain; returns ||w2 - w||, 0 when that is below `least`, relative to the unit and to ||w||:
 * rounding would tell them apart. */
static double second_point(const sp_target *t, const double *w, const double *v, double length, double least,
                           double *w2)
{
    double apart[SP_CERTIFY_MAX];
    for (size_t j = 0; j < t->d; j++)
        w2[j] = w[j] + length * v[j];
    hold(t, w2);
    for (size_t j = 0; j < t->d; j++)
        apart[j] = w2[j] - w[j];
    const double distance = cblas_dnrm2((int)t->d, apart, 1);
    return distance > least * fmax(t->unit, cblas_dnrm2((int)t->d, w, 1)) ? distance : 0.0;
}

static double form(sp_target *t, const double *w, const double *v)
{
    double Hv[SP_CERTIFY_MAX];
    t->product(t, w, v, Hv);
    return cblas_ddot((int)t->d, v, 1, Hv, 1);
}

static double midpoint(sp_target *t, const double *w, const double *w2, double distance)
{
    double middle[SP_CERTIFY_MAX];
    for (size_t j = 0; j < t->d; j++)
        middle[j] = 0.5 * (w[j] + w2[j]);
    const double a = t->value(t, w), b = t->value(t, w2), m = t->value(t, middle);
    return isinf(a) || isinf(b) ? -INFINITY : 8.0 * (m - 0.5 * (a + b)) / (distance * distance);
}

typedef struct probe {
    sp_target *target;
    sp_seek what;
} probe;

static double score(void *context, const double *numbers)
{
    const probe *p = context;
    sp_target *t = p->target;
    double w[SP_CERTIFY_MAX], w2[SP_CERTIFY_MAX], v[SP_CERTIFY_MAX], a[SP_CERTIFY_MAX], b[SP_CERTIFY_MAX];
    const double *direction = numbers + t->d + sp_target_record(t);
    sp_target_place(t, numbers, w);
    sp_target_aim(t, numbers + t->d);
    if (p->what == SP_SEEK_GAP)
        return t->value(t, t->start) - t->value(t, w);
    if (p->what == SP_SEEK_SLOPE) {
        t->gradient(t, w, a);
        return cblas_dnrm2((int)t->d, a, 1);
    }
    const double norm = cblas_dnrm2((int)t->d, direction, 1);
    if (!(norm > 0.0))
        return -INFINITY;
    for (size_t j = 0; j < t->d; j++)
        v[j] = direction[j] / norm;
    if (p->what <= SP_SEEK_BEND) {
        const double bend = form(t, w, v);
        return p->what == SP_SEEK_HIGH ? bend : p->what == SP_SEEK_LOW ? -bend : fabs(bend);
    }
    const double length = sp_pow(10.0, 2.5 * sp_tanh(direction[t->d]) - 1.5) * t->unit;
    const double distance = second_point(t, w, v, length, p->what == SP_SEEK_MIDPOINT ? 1e-2 : 1e-5, w2);
    if (!(distance > 0.0))
        return -INFINITY;
    if (p->what == SP_SEEK_MIDPOINT)
        return midpoint(t, w, w2, distance);
    if (p->what == SP_SEEK_THIRD)
        return fabs(form(t, w, v) - form(t, w2, v)) / distance;
    t->gradient(t, w, a);
    t->gradient(t, w2, b);
    cblas_daxpy((int)t->d, -1.0, b, 1, a, 1);
    return cblas_dnrm2((int)t->d, a, 1) / distance;
}

double sp_target_seek(sp_target *t, sp_seek what)
{
    const size_t record = t->d + sp_target_record(t);
    const size_t numbers = what == SP_SEEK_SLOPE || what == SP_SEEK_GAP ? record
                         : what <= SP_SEEK_BEND                         ? record + t->d
                                                                        : record + t->d + 1;
    const size_t starts = (t->d == 1 ? 5 : 1) * t->search->starts; /* one number costs little */
    return fmax(0.0, sp_certify_search(score, &(probe){ t, what }, numbers, t->search->stream, starts,
                                       t->search->steps));
}

static double ratio(double a, double b, double otherwise)
{
    return a > 0.0 && b > 0.0 && isfinite(a) && isfinite(b) ? a / b : otherwise;
}

double sp_part_unit(const sp_part_bounds *b)
{
    const double bend = fmax(b->curvature_high, b->curvature_low);
    return fmin(1.0, fmin(ratio(b->slope, bend, 1.0), ratio(bend, b->third, 1.0)));
}

unsigned sp_target_bounds(sp_target *t, const sp_part_bounds *claimed, unsigned tight, const char *region)
{
    const double scale = fmin(1.0, fmax(claimed->slope, claimed->curvature_high)); /* of what is claimed to be 0 */
    const struct {
        const char *what;
        double bound;
        unsigned flag;
        sp_seek seek;
    } claims[] = {
        { "slope", claimed->slope, SP_TIGHT_SLOPE, SP_SEEK_SLOPE },
        { "curvature_high", claimed->curvature_high, SP_TIGHT_HIGH, SP_SEEK_HIGH },
        { "curvature_low", claimed->curvature_low, SP_TIGHT_LOW, SP_SEEK_LOW },
        { "curvature_low, midpoints", claimed->curvature_low, 0, SP_SEEK_MIDPOINT },
        { "third", claimed->third, SP_TIGHT_THIRD, SP_SEEK_THIRD },
        { "gap", claimed->gap, SP_TIGHT_GAP, SP_SEEK_GAP },
    };
    unsigned finite = 0;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        if (claims[i].bound != INFINITY) {
            sp_judge(t->search, SP_CLAIM_BOUND, t->part, claims[i].what, region, claims[i].bound,
                     sp_target_seek(t, claims[i].seek), tight & claims[i].flag ? 0.97 : 0.0, scale);
            finite |= claims[i].flag;
        }
    return finite;
}

/* --- derivatives -------------------------------------------------------------------------------------------- */

/* t -> f(w + t v), or <grad f(w + t v), u> when u is given */
static double along(sp_target *t, const double *w, const double *v, const double *u, double step)
{
    double at[SP_CERTIFY_MAX], g[SP_CERTIFY_MAX];
    for (size_t j = 0; j < t->d; j++)
        at[j] = w[j] + step * v[j];
    if (!u)
        return t->value(t, at);
    t->gradient(t, at, g);
    return cblas_ddot((int)t->d, g, 1, u, 1);
}

/* The derivative at 0, from 0 and four steps of h. */
static double difference(sp_target *t, const double *w, const double *v, const double *u, double h)
{
    static const double weight[] = { -25.0, 48.0, -36.0, 16.0, -3.0 };
    double sum = 0.0;
    for (int k = 0; k < 5; k++)
        sum += weight[k] * along(t, w, v, u, k * h);
    return sum / (12.0 * h);
}

static void draw(const sp_target *t, double length, double *out)
{
    gsl_ran_dir_nd(t->search->stream, t->d, out);
    cblas_dscal((int)t->d, length, out, 1);
}

void sp_target_derivatives(sp_target *t, const char *region)
{
    double w[SP_CERTIFY_MAX], v[SP_CERTIFY_MAX], u[SP_CERTIFY_MAX], out[SP_CERTIFY_MAX], record[SP_CERTIFY_MAX + 1];
    double worst[2] = { 0.0 }, largest[2] = { 0.0 };
    gsl_rng *stream = t->search->stream;
    for (size_t i = 0; i < t->search->samples; i++) {
        draw(t, fmin(0.99 * t->norm, SP_CERTIFY_BALL * (0.02 + gsl_rng_uniform(stream))), w);
        draw(t, 1.0, v);
        draw(t, 1.0, u);
        for (size_t j = 0; j < sp_target_record(t); j++)
            record[j] = gsl_ran_gaussian(stream, 1.0);
        sp_target_aim(t, record);
        for (int order = 0; order < 2; order++) {
            const double h = 2e-4 * t->unit, *other = order == 1 ? u : NULL;
            if (order == 0)
                t->gradient(t, w, out);
            else
                t->product(t, w, u, out);
            const double claimed = cblas_ddot((int)t->d, out, 1, v, 1);
            const double ahead = difference(t, w, v, other, h), behind = difference(t, w, v, other, -h);
            const double error = fmin(fabs(claimed - ahead), fabs(claimed - behind));
            worst[order] = isnan(error) ? INFINITY : fmax(worst[order], error);
            largest[order] = fmax(largest[order], fabs(claimed));
        }
    }
    for (int order = 0; order < 2; order++) /* a linear function has no Hessian to be relative to, a flat one nothing */
        sp_judge(t->search, SP_CLAIM_DERIVATIVE, t->part, order == 0 ? "gradient" : "Hessian", region, tolerance,
                 worst[order] / fmax(DBL_MIN, fmax(largest[order], order == 1 ? 1e-3 * largest[0] : 0.0)), 0.0, 0.0);
}
