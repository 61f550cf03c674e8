/* curve.h -- the measured values behind a claim: for each x, each alpha of an inversion, each member of a family and
 * each replicate the measure, its value at the start, and its value in the run of the same schedule without noise. */
#ifndef SP_RATES_CURVE_H
#define SP_RATES_CURVE_H

#include "core/stats/series.h"

/* Its texts belong to the runs. */
typedef struct sp_curve {
    size_t points;         /* values of x */
    size_t levels;         /* values of the claim's alpha; 1 without one */
    size_t members;        /* values of the claim's family; 1 without one */
    size_t replicates;     /* of the cell of the sweep that has most */
    double *x;             /* by point, ascending */
    double *level;         /* by level, ascending; the only one without an alpha is 0 */
    const char **member;   /* by member: numbers ascending, texts as they come; without a family the only one is NULL */
    size_t *row;           /* first row of the cell, points x levels x members; rows of runs.tsv when there is none */
    double *value;         /* y, points x levels x members x replicates; NAN: not there (as in the next two) */
    double *start;         /* y at the starting point */
    double *noise_free;    /* y of the same schedule without noise */
    size_t runs;           /* how many of its runs are in the table */
    size_t failed;         /* how many of these failed, or succeeded without a finite y */
    size_t diverged;       /* how many of these diverged (core/run/diverged.h) */
    bool private;          /* some of the runs are private: y has a private term */
    const char *noise_free_label; /* label of the runs without noise; NULL: there are none */
} sp_curve;

/* Both sets of runs come from the claim's sweep. SP_EINVAL when two cells stand at one place (the message names what
 * differs), or a column is missing. */
sp_status sp_curve_gather(const sp_runs *, const sp_claim *, const char *place, sp_curve *, sp_error *);
void sp_curve_free(sp_curve *);

/* As the statistics want it: `value` is one of value, start and noise_free. */
sp_samples sp_curve_samples(const sp_curve *, const sp_claim *, const double *value);

#endif
