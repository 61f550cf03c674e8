/* momentum.c -- evaluates the bound of momentum.h and its best step length. */
#include "algorithms/parts/momentum.h"

double sp_momentum_step(const sp_constants *c, size_t blocks, size_t steps)
{
    return sqrt(c->gap / (c->beta * (double)blocks * (double)steps));
}

double sp_momentum_bound(const sp_constants *c, size_t batch, size_t steps, double a, double eta, double noise)
{
    const size_t blocks = c->n / batch + (c->n % batch > 0);
    const double T = (double)steps, B = (double)blocks, m = (double)batch, last = (double)(c->n - (blocks - 1) * batch);
    const double error = c->L_data * sqrt(a / ((2.0 - a) * m)) + 2.0 * c->beta * eta * B + c->beta * eta / a
                         + c->L / (a * T) + noise + c->L_data * a * (1.0 - last / m) / (1.0 - sp_pow(1.0 - a, B));
    return c->gap / (eta * T) + c->beta * eta / 2.0 + 2.0 * error;
}
