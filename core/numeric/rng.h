/* rng.h -- random numbers as methods, generators and measures draw them: from a gsl_rng over a stream (stream.h), on
 * which GSL's distributions work too. */
#ifndef SP_NUMERIC_RNG_H
#define SP_NUMERIC_RNG_H

#include <stddef.h>

#ifdef STILLPOINT_PLUGIN
typedef struct sp_rng sp_rng;
#else
#include <gsl/gsl_rng.h>
typedef gsl_rng sp_rng;
#endif

double sp_rng_uniform(sp_rng *);          /* on [0, 1), 53 bits */
double sp_rng_normal(sp_rng *);           /* N(0, 1) */
size_t sp_rng_below(sp_rng *, size_t n);  /* uniform on 0 .. n - 1, n > 0 */

#endif
