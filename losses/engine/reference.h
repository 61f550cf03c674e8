/* reference.h -- F*: the smallest value of the objective, with a label that says how it is known.
 *
 *   closed    a formula (tilt losses with mean(x) = 0 or no tilt, realisable GLM; no regulariser)
 *   convex, gap E    trust-region Newton; E certifies F - F* (curvature, distance or duality gap: reference.c)
 *   convex, grad G   the same where the certificate is weak: it ended with ||grad F|| = G
 *   multistart k, m agree   the best of k trust-region starts, m of which ended within 1e-9 max(1, |F*|) of it
 */
#ifndef SP_LOSSES_REFERENCE_H
#define SP_LOSSES_REFERENCE_H

#include "losses/engine/problem.h"

typedef struct sp_reference {
    double value;      /* F* (an upper bound of it, within error when certified) */
    double error;      /* certified bound on value - F*; 0 when closed, INFINITY for multistart */
    char method[64];   /* "closed", "convex, gap 3e-16", "multistart 8, 7 agree" */
} sp_reference;

/* `stream` (SP_STREAM_MEASURE) draws the starts. */
sp_status sp_reference_compute(const sp_problem *, size_t starts, gsl_rng *stream, sp_reference *out, sp_error *);

#endif
