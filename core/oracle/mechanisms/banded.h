/* banded.h -- discounted sums under square-root noise: the coefficients and costs of banded.c, and its two linear
 * filters. It draws no noise and charges nothing; the caller (accumulator.c) does both. Included inside this folder
 * only. */
#ifndef SP_ORACLE_MECHANISMS_BANDED_H
#define SP_ORACLE_MECHANISMS_BANDED_H

#include <stddef.h>

enum { SP_BAND_MAX = 1024 }; /* longest band: state is twice as many vectors, a step as many multiplications a number */

typedef struct sp_banded sp_banded;

/* For up to `adds` sums of dimension d; period: blocks of the fixed pass that the adds walk, 1 for full batches, 0 for
 * fresh ones; keep in [0, 1]. The band is sp_banded_band's. NULL when out of memory. */
sp_banded *sp_banded_new(size_t d, size_t adds, size_t period, double keep);
void sp_banded_free(sp_banded *);
void sp_banded_clear(sp_banded *); /* back to the first step */
size_t sp_banded_steps(const sp_banded *); /* so far */

/* At unit sensitivity: what is charged at this step's release, in units of 1 / noise_std^2; and the most that a record
 * weighs in it. */
double sp_banded_due(const sp_banded *);
double sp_banded_weight(const sp_banded *);

/* x[d] = what is to be released in place of the add q[d]. */
void sp_banded_mix(const sp_banded *, const double *q, double *x);
/* The next step: y[d] is x as it was released. out[d]: the sum of the adds, from released vectors alone. */
void sp_banded_step(sp_banded *, const double *x, const double *y, double *out);

/* Of the schedule with this band: the cost of sp_node_cost, and the variances of sp_answer_variance, mean over the
 * answers, and of sp_answer_variance_max, that of the last answer, which sums up the most noise. */
typedef struct sp_banded_figures {
    double cost, variance, largest;
} sp_banded_figures;
/* `space`: 2 adds + band doubles. */
sp_banded_figures sp_banded_try(size_t adds, size_t period, double keep, size_t band, double *space);
/* The power of two up to SP_BAND_MAX whose cost times mean variance is the smallest, and its figures (may be NULL); 0
 * when out of memory. */
size_t sp_banded_band(size_t adds, size_t period, double keep, sp_banded_figures *);

#endif
