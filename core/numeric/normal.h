/* normal.h -- standard normal numbers by random access: a function of stream, step and index, without state or
 * allocation. They come from Philox4x32-10 (philox.h) with the counter (pair, step, stream). This generator has no
 * block in common with the gsl_rng of stream.h (Philox4x64-10), whatever the keys are. */
#ifndef SP_NUMERIC_NORMAL_H
#define SP_NUMERIC_NORMAL_H

#include "core/numeric/stream.h"

#include <stddef.h>

/* v[i] += scale z, z the number 2 pair + i of step `step` of the stream, i < count; 2 pair + count <= 2^33.
 *
 * Pair p of a step is Box & Muller's, (z, z') = sqrt(-2 log u1) (cos, sin)(2 pi u2), of the Philox4x32-10 block
 *
 *   key      (key.word[0] mod 2^32, floor(key.word[0] / 2^32))
 *   counter  (p, step mod 2^32, r mod 2^32, floor(r / 2^32)),  r = key.word[1] + floor(step / 2^32)
 *   output   (a, b, c, e);  u1 = (floor((2^32 a + b) / 2^11) + 1) / 2^53,  u2 = floor((2^32 c + e) / 2^11) / 2^53
 *
 * within 4 ulp, the same bits on every processor. Lengths reach 8.57, and P(|z| > t) is right to a relative
 * 2^-53 e^(t^2/2): 2e-7 at 6.5 deviations, 1 % at 8. */
void sp_normal_add(sp_stream_key key, uint64_t step, uint64_t pair, size_t count, double scale, double *v);

/* v[d] = a point uniform in the ball of this radius: a step of the stream for its direction, a number of the next one
 * for its length. */
void sp_ball_uniform(gsl_rng *stream, size_t d, double radius, double *v);

#endif
