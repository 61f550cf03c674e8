/* theory.c -- numbers of updates from formulas, smallest levels by bisection, and warnings about bounds (theory.h). */
#include "algorithms/parts/theory.h"

sp_status sp_derive_steps(sp_oracle *o, double exact, size_t *steps)
{
    if (!isfinite(exact))
        return sp_refuse(o, SP_EINVAL, "steps must be given: its default needs a privacy budget and a finite gap");
    if (!(ceil(exact) <= SP_STEPS_MAX))
        return sp_refuse(o, SP_EINVAL, "steps must be given: by default there are %.4g, above %g", ceil(exact),
                         SP_STEPS_MAX);
    *steps = (size_t)fmax(ceil(exact), 1.0);
    return SP_OK;
}

double sp_descent_steps(const sp_constants *c, double rho)
{
    return (double)c->n * sqrt(rho * c->beta * c->gap / (double)c->d) / c->L_data;
}

double sp_smallest_level(double top, bool (*reached)(void *context, double level), void *context)
{
    double low = 1e-9 * top, high = top;
    while (high > low * (1.0 + 1e-9)) {
        const double middle = sqrt(low * high);
        *(reached(context, middle) ? &high : &low) = middle;
    }
    return high;
}

double sp_gradient_at_start(const sp_constants *c)
{
    return fmin(c->L, sqrt(2.0 * c->beta * c->gap));
}

void sp_promise(sp_oracle *o, bool covered, double bound, double known)
{
    if (!isfinite(bound))
        return;
    sp_promised(o, bound, known);
    if (covered)
        sp_resolved(o, "bound", bound, SP_FROM_THEORY);
    if (bound >= known)
        sp_warn_of(o, SP_WARNED_VACUOUS_BOUND,
                   "vacuous parameters: the bound %.3g is not below %.3g, which holds at the start", bound, known);
}
