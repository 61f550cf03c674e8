/* reference.h -- F*, the smallest value of the objective, with a text that says how it is known:
 *
 *   closed                   by a formula: a tilt loss's minimiser; a link loss on realisable real labels
 *   convex, gap E            at a minimiser with E >= F - F* certified (losses/optimum/certificate.h, smoothed.h)
 *   convex, gap E, grad G    the same where E is above 1e-6 max(1, |F*|): the search ended with ||grad F|| = G (of the
 *                            smoothed F if F has kinks). If F is smooth, no point within D of it is lower by more than
 *                            G D. E may be inf
 *   multistart k, m agree    not convex: the best of k starts, m of which ended within 1e-9 max(1, |F*|) of it (1e-6
 *                            if F has kinks)
 *   ..., gap E               the same with E >= F - F* certified: F is convex except for its regulariser lambda r >= 0,
 *                            so the smallest value without it is a lower bound. Branch and bound
 *                            (losses/optimum/branch.h) raises it to within 1e-7 max(1, |F*|), or as far as its work
 *                            limit allows
 *
 * F* is never the best value that the methods under test found. */
#ifndef SP_LOSSES_OPTIMUM_REFERENCE_H
#define SP_LOSSES_OPTIMUM_REFERENCE_H

#include "losses/engine/problem.h"

typedef struct sp_reference {
    double value;      /* F* (an upper bound of it, within error when certified) */
    double error;      /* certified bound on value - F*; 0 when closed, INFINITY when there is none */
    char method[64];   /* "closed", "convex, gap 3e-16", "multistart 8, 7 agree" */
    double *minimiser; /* d: the best point found, F(minimiser) = value within rounding; NULL when only the value is
                          known. sp_reference_free frees it */
    size_t d;          /* its entries; 0 without one */
} sp_reference;

/* F* on the training records; on the population: of sp_problem_on(p, p->population). `stream` (SP_STREAM_MEASURE) draws
 * the starts. The same bytes whenever it is called with the same problem and stream. */
sp_status sp_reference_compute(const sp_problem *, size_t starts, sp_rng *stream, sp_reference *out, sp_error *);
void sp_reference_free(sp_reference *); /* { 0 } is allowed */

#endif
