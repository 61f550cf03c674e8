/* verdict.h -- does the claimed exponent show? Computed from exported tables alone.
 *
 * The exponent is fitted over the points that count (see plan.h: range, noise-free floor, value at the start). "Better"
 * means that y gains on the claimed power where x goes in the theorem: it falls faster, or grows more slowly.
 *
 *   AGREES        the exponent is within the tolerance of the claimed one; of a bound: or better, and below the bound
 *   STEEPER       better by more than the tolerance
 *   SHALLOWER     worse by more than the tolerance; of a bound: or some point is above it; or all of its interval is
 *                 worse than that of the label it is claimed to be below
 *   VACUOUS       too few points where y has fallen well below its value at the start; in mode theory also a parameter
 *                 that was capped at a point that counts (theory_capped in the column `resolved`), of the label or of
 *                 that which it is claimed to be below: it is not the theorem's. In the other modes this is a note
 *                 behind the reason
 *   NOT_RESOLVED  the runs cannot tell: the reason says why. In this order: a run is missing or failed; there is no
 *                 value at the start, or no run without noise to measure the floor; y has no logarithm; too few points
 *                 (private term too small: the schedule alone); in mode theory no column `resolved`; a tuned optimum on
 *                 the edge of its grid; a worst instance at an end of the family, or an alpha at the lower end of its
 *                 grid; a single replicate; local slopes that scatter (instances too far apart: a staircase); an
 *                 interval wider than the tolerance; the label to be below is itself not resolved for such a reason, or
 *                 the two intervals overlap */
#ifndef SP_EVIDENCE_VERDICT_H
#define SP_EVIDENCE_VERDICT_H

#include "core/evidence/curve.h"

typedef enum { SP_AGREES, SP_STEEPER, SP_SHALLOWER, SP_VACUOUS, SP_NOT_RESOLVED } sp_verdict_kind;
const char *sp_verdict_name(sp_verdict_kind); /* "AGREES" */

typedef struct sp_verdict {
    const sp_claim *claim;
    sp_verdict_kind kind;
    char reason[1024];      /* why it is this kind; "" when there is nothing to say */
    sp_curve curve;         /* the runs that it was decided on */
    size_t row;             /* a row of runs.tsv that belongs to the curve; rows of that table when there is none */
    size_t points;          /* how many points count; with fewer than three the line is through all */
    bool *counted;          /* does the point count? By point of the curve, as the next six */
    sp_interval *y, *local; /* 95 %; local: slope from the counted point before */
    double *start, *floor;  /* value at the start, and without noise; NAN: not known */
    size_t *decides;        /* member with the worst mean, or level (sp_curve_fit) */
    double *agreement;      /* share of the resamples in which the same one decides */
    sp_interval slope;      /* the fitted exponent, 95 %; all NAN when there is no line */
    double intercept;       /* log C of the fitted C x^slope */
} sp_verdict;

/* SP_EINVAL when several cells stand at one place of the claim: the message names what differs. */
sp_status sp_verdict_of(const sp_runs *, const sp_claim *, sp_verdict *, sp_error *);
void sp_verdict_free(sp_verdict *);

/* Columns and row of fits.tsv, without the line's end. */
void sp_verdict_head(sp_text *);
void sp_verdict_row(const sp_verdict *, sp_text *);
/* One line for people. */
void sp_verdict_line(const sp_verdict *, sp_text *);

#endif
