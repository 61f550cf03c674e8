/* pairs.h -- compares one method's values with another's, replicate by replicate. The functions take numbers only.
 *
 * Replicate r gives the pair (a_r, b_r), a of the label and b of the base with which it is compared. A failed run has
 * the worst possible value, an infinity; a missing run has NAN. For every pair
 *
 *   x_r = log(a_r / b_r)   if all finite a and b are above 0,
 *   x_r = a_r - b_r        otherwise.
 *
 * x_r is infinite if one of the two failed, and 0 if a and b are equal up to rounding. There is no x_r if both failed
 * (a tie) or one is missing.
 *
 * t tests judge the mean of x. Sign tests judge its median where a mean is meaningless: if one run of a pair failed, if
 * all x are equal, or if at least half of them are 0.
 *
 *   difference   the mean (median) of x is not 0: two-sided
 *   equivalence  neither method is larger than the other by more than the share `margin`, by two one-sided tests
 *                (inference.h). With ratios the mean of x is within -+ log(1 + margin); otherwise that of a - b is
 *                within -+ margin times the smaller of |a| and |b|, whose mean is as uncertain as that of a - b
 *                (Fieller 1954). Not shown if one run of a pair failed. */
#ifndef SP_CONTEST_PAIRS_H
#define SP_CONTEST_PAIRS_H

#include "core/stats/inference.h"

typedef struct sp_shift {
    double p;    /* of no difference; NAN: fewer than two pairs */
    double side; /* above 0 where the label's values are the larger ones, below 0 where they are the smaller */
} sp_shift;

typedef struct sp_paired {
    bool ratio;            /* x is a logarithm */
    bool signs;            /* judged by sign tests */
    sp_interval estimate;  /* mean or median of x, of a ratio its exponential, with its 95 % interval; count: pairs */
    double log_ratio;      /* mean of the finite x; NAN without a ratio */
    sp_shift all, finite;  /* of all pairs; of those in which neither failed */
    double p_equivalent;   /* of no equivalence; NAN: fewer than two pairs */
    double improvement;    /* P(a better than b) + P(a = b)/2, any run of the label and any of the base; NAN: no runs */
} sp_paired;

/* x is room for 2 x count; in its first half are left the x_r of the pairs in which neither failed, else NAN. */
sp_paired sp_pair(const double *label, const double *base, size_t count, bool lower_is_better, double margin,
                  double *x);

#endif
