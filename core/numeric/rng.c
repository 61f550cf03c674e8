/* rng.c -- draws uniform and normal numbers and indices from a gsl_rng. */
#include "core/numeric/rng.h"

#include <gsl/gsl_randist.h>

double sp_rng_uniform(sp_rng *rng)
{
    return gsl_rng_uniform(rng);
}

double sp_rng_normal(sp_rng *rng)
{
    return gsl_ran_gaussian_ziggurat(rng, 1.0);
}

size_t sp_rng_below(sp_rng *rng, size_t n)
{
    return gsl_rng_uniform_int(rng, n);
}
