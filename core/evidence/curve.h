/* curve.h -- the runs behind a claim: for each x, each alpha of an inversion, each member of a family and each
 * replicate what was measured, its value at the start, and what the same schedule gave without noise. */
#ifndef SP_EVIDENCE_CURVE_H
#define SP_EVIDENCE_CURVE_H

#include "core/evidence/series.h"

/* Its texts belong to the runs. */
typedef struct sp_curve {
    size_t points, levels, members, replicates;
    double *x, *level;     /* ascending; one level NAN without an alpha */
    const char **member;   /* numbers ascending, texts as they come; NULL for the only one without a family */
    size_t *row;           /* points x levels x members: first row of the cell; rows of runs.tsv when there is none */
    double *value, *start, *silent; /* points x levels x members x replicates; NAN: not there */
    size_t runs, failed;   /* runs that are there; of which failed, or succeeded without a finite y */
    bool private;          /* some of its runs are: it has a private term */
    const char *silent_label; /* of the runs without noise; NULL: there are none */
} sp_curve;

/* Both sets of runs come from the claim's sweep. SP_EINVAL when two cells stand at one place (the message names what
 * differs), or a column is missing. */
sp_status sp_curve_gather(const sp_runs *, const sp_claim *, const char *place, sp_curve *, sp_error *);
void sp_curve_free(sp_curve *);

/* As the statistics want it: one of value, start and silent. */
sp_samples sp_curve_samples(const sp_curve *, const sp_claim *, const double *value);

#endif
