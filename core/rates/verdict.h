/* verdict.h -- the verdict on a claim about an exponent: does the claimed power of x show in the exported tables?
 *
 * The exponent b is fitted (slope.h) to the response (response.h) at the points that count
 * (docs/explanation/claims.md: range, noise-free floor, value at the start). "Better" means that y gains on the
 * claimed power in the direction of x in the theorem: it decreases faster, or grows more slowly. CI is the 90 %
 * interval of b, c the claimed exponent, t the tolerance. For a claim in mode bound, CI is that of the slope at the
 * curve's end. The control is the same schedule without noise, the rival another exponent that the claim names.
 *
 *   AGREES        CI is within c -+ t: two one-sided tests at 5 %. The slope at the curve's end is within 2 t of c, the
 *                 rival is excluded, and the control does not show c. For a bound: CI is at most t worse than c, and no
 *                 point is above the bound
 *   STEEPER       CI is better than c by more than t
 *   SHALLOWER     CI is worse than c by more than t; for a bound also: some point is above it; or b is worse than that
 *                 of the label which it is claimed to be below
 *   VACUOUS       at too few points has y fallen well below its value at the start. In mode theory also: a parameter
 *                 was capped at a point that counts (column `capped`), of the label or of the one that it is claimed to
 *                 be below, so it is not the theorem's. In the other modes this is a note after the reason. In every
 *                 mode: a run at a point that counts is above a bound of `within`
 *   NOT_RESOLVED  the runs cannot decide; the reason says why. Checked in this order: a run is missing, failed or
 *                 diverged; there is no value at the start, or no run without noise to measure the floor; y has no
 *                 logarithm; too few points (private term too small: the schedule alone); the method resolves no bound
 *                 from which to take the exponent; in mode theory no column `resolved`; a measure of `within` is
 *                 unknown; a tuned optimum is at the edge of its grid; a worst instance at an end of the family, or an
 *                 alpha at the lower end of its grid; fewer than five replicates; local slopes that scatter (instances
 *                 too far apart: a staircase); an interval that is neither within the tolerance nor outside of it (the
 *                 reason says how many replicates would decide, or that x must go further); the rival is not excluded;
 *                 the curve bends; the label to be below is not resolved, or not worse; the control shows the exponent
 *                 too */
#ifndef SP_RATES_VERDICT_H
#define SP_RATES_VERDICT_H

#include "core/rates/curve.h"

enum { SP_FEWEST_POINTS = 3, SP_FEWEST_REPLICATES = 5 }; /* that a slope and its interval need */

typedef enum { SP_AGREES, SP_STEEPER, SP_SHALLOWER, SP_VACUOUS, SP_NOT_RESOLVED } sp_verdict_kind;
const char *sp_verdict_name(sp_verdict_kind); /* "AGREES" */

typedef struct sp_verdict {
    const sp_claim *claim;
    sp_verdict_kind kind;
    char reason[1024];      /* why it is this kind; "" when there is nothing to say */
    sp_curve curve;         /* the runs that it was decided on */
    size_t row;             /* a row of runs.tsv that belongs to the curve; rows of that table when there is none */
    size_t points;          /* how many points count; with fewer than three the line is through all */
    bool *counted;          /* does the point count? By point of the curve, as the next nine */
    sp_interval *y, *local; /* y, 95 %; local: slope from the counted point before, 90 % */
    double *start, *floor;  /* value at the start, and without noise; NAN: not known */
    sp_interval *fitted;    /* mean of what is fitted (response.h), 90 %; of an inversion y without an interval */
    double *model;          /* what the fitted line says of y; NAN where nothing was fitted */
    double *theory;         /* what the claimed exponent says of y, through the middle of what was fitted; of a claim
                             * with a constant the bound. NAN: nothing was fitted */
    size_t *decides;        /* member with the worst mean of all replicates, or level */
    double exponent;        /* the claimed one: the claim's, or that of the bound; NAN: there is no bound */
    sp_slope slope;         /* the fitted one; all NAN when there is no line */
    sp_slope drawn; /* the slope of y itself over the same points, which a figure shows: `slope` is that of y less
                             * its floor, divided by what the claim divides by. With seeds: of their means */
    size_t seeds;           /* that it was fitted over; 1: the replicates of the experiment's own */
    double spread;          /* standard deviation of the seeds' slopes; NAN: one seed */
    sp_slope within;        /* the slope of the experiment's own seed, with the interval that its replicates give */
    sp_slope control;       /* of the control; all NAN without one, or where it has no line */
    sp_interval crossing;   /* x where the line meets that of the label which it is claimed to be below, 90 % (slope.h);
                             * NAN: there is no such label, or it cannot be told */
    double log_lr;          /* log likelihood ratio of the claimed exponent against the rival; NAN: no rival */
    double power;           /* chance of AGREES were the claimed exponent the true one */
    double replicates_needed; /* at which that chance is about 0.9; over seeds: how many of those */
    double p, p_holm;       /* of AGREES, STEEPER, SHALLOWER; adjusted for the experiment's claims of the same word.
                             * NAN: another word, or SHALLOWER for another reason than the exponent */
} sp_verdict;

/* Nothing known yet. */
sp_verdict sp_verdict_none(const sp_claim *);
/* SP_EINVAL when several cells stand at one place of the claim: the message names what differs. */
sp_status sp_verdict_of(const sp_runs *, const sp_claim *, sp_verdict *, sp_error *);
/* Is the rival excluded? Its log likelihood ratio is to be log 20 at least. */
bool sp_verdict_excludes_rival(const sp_verdict *);
/* p_holm of the claims of one experiment. */
void sp_verdicts_adjust(sp_verdict *, size_t count);
void sp_verdict_free(sp_verdict *);

/* Writes fits.tsv into the folder `results`: one row a claim, with the claimed exponent, the fitted one, its 90 %
 * interval and the verdict. */
sp_status sp_fits_write(const sp_verdict *, size_t count, const char *results, sp_error *);
/* Columns and row of fits.tsv, without the line's end. */
void sp_verdict_head(sp_text *);
void sp_verdict_row(const sp_verdict *, sp_text *);
/* One line for people. */
void sp_verdict_line(const sp_verdict *, sp_text *);

#endif
