/* rng.h -- the type of a stream of random numbers: GSL's gsl_rng over a stream (stream.h). */
#ifndef SP_NUMERIC_RNG_H
#define SP_NUMERIC_RNG_H

#include <gsl/gsl_rng.h>

typedef gsl_rng sp_rng;

#endif
