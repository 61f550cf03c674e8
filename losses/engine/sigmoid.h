/* sigmoid.h -- sig(m) = 1 / (1 + exp(-m)), and its difference to a target t that the label y encodes:
 *
 *   label    t = (1 + y)/2: the labels -1 and +1 mean 0 and 1
 *   margin   t = sig(y): the label is the true margin, so realisable labels y = <w*, x> are fitted exactly by w* */
#ifndef SP_LOSSES_SIGMOID_H
#define SP_LOSSES_SIGMOID_H

#include "core/numeric/math.h"

enum { SP_TARGET_LABEL, SP_TARGET_MARGIN };
#define SP_TARGETS "label|margin"

static inline double sp_sigmoid_slope(double m)
{
    const double e = sp_exp(-fabs(m));
    return e / ((1.0 + e) * (1.0 + e));
}

static inline double sp_sigmoid_curvature(double m)
{
    return -sp_sigmoid_slope(m) * sp_tanh(0.5 * m);
}

#define SP_SIGMOID_CURVATURE 0.09622504486493765 /* sup |sig''| = 1/(6 sqrt 3), rounded up */

/* sig(m) - t, as (1 - t) sig(m) - t sig(-m): no cancellation where sig is flat. */
static inline double sp_sigmoid_minus(double m, double y, int target)
{
    const double t = target == SP_TARGET_MARGIN ? sp_sigmoid(y) : 0.5 * (1.0 + y);
    const double rest = target == SP_TARGET_MARGIN ? sp_sigmoid(-y) : 0.5 * (1.0 - y);
    return rest * sp_sigmoid(m) - t * sp_sigmoid(-m);
}

/* sup |t - 1/2| over labels |y| <= bound */
static inline double sp_target_spread(double bound, int target)
{
    return target == SP_TARGET_MARGIN ? 0.5 * sp_tanh(0.5 * bound) : 0.5 * bound;
}

#endif
