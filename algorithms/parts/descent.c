/* descent.c -- computes step size and risk bound (descent.h). */
#include "algorithms/parts/descent.h"

double sp_distance(const sp_constants *c)
{
    return fmin(c->distance, c->diameter);
}

double sp_descent_step(const sp_constants *c, double steps, double batch, double noise_std)
{
    const double noise = (double)c->d * noise_std * noise_std, sampling = c->L_data * c->L_data / batch;
    double eta = NAN;
    if (c->convex || c->quasar > 0.0)
        eta = sp_distance(c) / sqrt(steps * (c->L * c->L + noise));
    if (!(isfinite(eta) && eta > 0.0))
        eta = fmin(1.0 / c->beta, sqrt(2.0 * c->gap / (c->beta * steps * (sampling + noise))));
    return isfinite(eta) && eta > 0.0 ? eta : NAN;
}

double sp_descent_bound(const sp_constants *c, double steps, double eta, double noise_std)
{
    const double q = c->convex ? 1.0 : c->quasar, G = c->L * c->L + (double)c->d * noise_std * noise_std;
    if (!(q > 0.0 && eta > 0.0))
        return INFINITY;
    return (sp_pow(sp_distance(c), 2.0) / (eta * steps) + eta * G) / (2.0 * q);
}
