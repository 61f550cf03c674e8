/* fits.c -- the tests of fits.h. */
#include "algorithms/parts/fits.h"

const char *sp_lipschitz_fits(const sp_constants *c)
{
    return c->L_data > 0.0 && isfinite(c->L_data) ? NULL : "the records' gradients are not bounded (L_data)";
}

const char *sp_smooth_fits(const sp_constants *c)
{
    return c->beta > 0.0 && isfinite(c->beta) ? sp_lipschitz_fits(c) : "the loss is not smooth (beta)";
}

const char *sp_gap_fits(const sp_constants *c)
{
    const char *misfit = sp_smooth_fits(c);
    return misfit || isfinite(c->gap) ? misfit : "no bound on F(w0) - F* is known (gap)";
}

const char *sp_positive_gap_fits(const sp_constants *c)
{
    const char *misfit = sp_gap_fits(c);
    return misfit || c->gap > 0.0 ? misfit : "w0 is a minimiser: F(w0) - F* is known to be 0 (gap)";
}

const char *sp_vertex_fits(const sp_constants *c)
{
    if (c->vertices < 2)
        return "the domain has no vertices to list (an l1 ball, a simplex, a polytope, a box up to d = 20)";
    return sp_smooth_fits(c);
}

const char *sp_bounded_fits(const sp_constants *c)
{
    return c->diameter > 0.0 && isfinite(c->diameter) ? sp_smooth_fits(c) : "the domain is not bounded, or one point";
}

const char *sp_kl_fits(const sp_constants *c)
{
    if (!(c->kl_gamma > 0.0 && c->kl_kappa >= 1.0 && c->kl_kappa <= 2.0))
        return "the loss is not known to be KL with kappa in [1, 2] (declare kl_gamma and kl_kappa)";
    const char *misfit = sp_smooth_fits(c);
    return misfit || (c->gap > 0.0 && isfinite(fmin(c->gap, c->L))) ? misfit : "no bound on F(w0) - F* is known (gap)";
}
