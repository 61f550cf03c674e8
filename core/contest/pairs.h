/* pairs.h -- one method's values against another's, replicate by replicate: functions of numbers alone.
 *
 * Replicate r gives the pair (a_r, b_r), a of the label and b of the base that it is held against. A run that failed
 * has the worst value that there is, an infinity; a run that is not there has NAN. Of every pair
 *
 *   x_r = log(a_r / b_r)   where all finite a and b are above 0,
 *   x_r = a_r - b_r        elsewhere;
 *
 * it is infinite where one of the two failed, 0 where a and b are equal but for rounding, and there is none where both
 * failed (a tie) or one is not there.
 *
 * t tests judge the mean of x. Sign tests judge its median where a mean says nothing: where one of a pair failed, where
 * all x are the same, and where half of them or more are 0.
 *
 *   difference   the mean (median) of x is not 0: two-sided
 *   equivalence  neither is more than the share margin above the other, whichever is held against which, by two one-sided
 *                tests (inference.h): with a ratio the mean of x lies between -+ log(1 + margin); else that of a - b between
 *                -+ margin times the smaller of |a| and |b|, the mean of which is as uncertain as that of a - b (Fieller
 *                1954). Not shown where one of a pair failed. */
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

/* x is room for 2 x count; in its first half are left the x_r of the pairs in which neither failed, else NAN.
 * SP_ENOMEM. */
sp_status sp_pair(const double *label, const double *base, size_t count, bool lower_is_better, double margin, double *x,
                  sp_paired *);

#endif
