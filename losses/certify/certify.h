/* certify.h -- certification of a loss: a search for violations. Derivatives are compared with differences. For every
 * constant and class that the loss claims, an adversary chooses the iterate, the records, the direction and the step
 * that violate the claim most.
 *
 * A search proves nothing; but a constant that is too small breaks privacy, and this search is how it is found. Each
 * claim gives one finding: `claimed` is the claimed upper bound, `found` the largest value met. The claim passes if
 *
 *   found <= claimed (1 + 1e-9)   and   found >= required claimed,
 *
 * where required = 0.97 if the loss calls the bound tight, 0.9 if problem.c composed it from tight bounds, else 0.
 * Classes are written in the same way: 1/q >= (F - F*) / <grad F, w - w*>, gamma^kappa >= (F - F*) / ||grad F||^kappa.
 *
 * Records have ||x|| <= SP_CERTIFY_RADIUS and |y| <= SP_CERTIFY_LABEL. The regions are the whole space and the ball of
 * radius SP_CERTIFY_BALL; tightness is required on the first of them on which the bound is finite. Reentrant; prints
 * nothing; the same seed gives the same findings. */
#ifndef SP_LOSSES_CERTIFY_CERTIFY_H
#define SP_LOSSES_CERTIFY_CERTIFY_H

#include "losses/engine/problem.h"

#include <gsl/gsl_rng.h>
#include <stdint.h>

#define SP_CERTIFY_RADIUS 1.31
#define SP_CERTIFY_LABEL 0.83 /* 1 for labels -1 and +1 */
#define SP_CERTIFY_BALL 2.385

typedef enum {
    SP_CLAIM_DERIVATIVE = 1, /* claimed: the relative error allowed */
    SP_CLAIM_BOUND = 2,      /* of one part: link, public part, tilt, record, regulariser */
    SP_CLAIM_CONSTANT = 4,   /* of the problem: sp_constants */
    SP_CLAIM_CLASS = 8,      /* quasar-convex, KL, strict saddle */
    SP_CLAIM_ENVELOPE = 16,
    SP_CLAIM_ENGINE = 32,    /* the engine against the sum over the records; claimed: the relative error allowed */
    SP_CLAIM_ALL = 63
} sp_claim_kind;

typedef struct sp_finding {
    sp_claim_kind kind;
    const char *part;   /* "link", "public part", "tilt", "record", "regulariser", "problem", "envelope", "engine" */
    const char *what;   /* "curvature_high", "L_data", "1/q", ...: the field's name where there is one */
    const char *region; /* "whole space", "ball", "ball, realisable" */
    double claimed;     /* upper bound on the quantity, or on the error of a derivative */
    double found;       /* the largest value that the search met */
    double required;    /* the share of `claimed` that it had to meet; 0: none */
    bool passed;
} sp_finding; /* the texts live as long as the call */

typedef struct sp_certify_options {
    unsigned claims;                   /* which kinds; 0: all */
    const sp_regulariser *regulariser; /* added to the problem; NULL: none */
    double lambda;                     /* its weight */
    uint64_t seed;
    bool thorough;                     /* 6 times the restarts, 8 times the steps */
    void (*report)(void *context, const sp_finding *);
    void *context;
} sp_certify_options;

/* SP_OK also when claims fail; an error when the certification could not be carried out. */
sp_status sp_certify_loss(const sp_loss *, sp_numbers, const sp_certify_options *, sp_error *);
sp_status sp_certify_regulariser(const sp_regulariser *, const sp_certify_options *, sp_error *);

/* The smallest number of features from `least` to `most` that the loss can take; 0: none of them. */
size_t sp_certify_features(const sp_loss *, sp_numbers, size_t least, size_t most);

/* The largest score over |v_j| <= SP_SEARCH_FAR, j < k <= SP_SEARCH_MAX, met by random starts and local steps whose
 * length adapts; a step that helped is taken again, longer. A score that is not a number counts as INFINITY. */
enum { SP_SEARCH_MAX = 512 };
#define SP_SEARCH_FAR 1e6
double sp_certify_search(double (*score)(void *context, const double *v), void *context, size_t k, gsl_rng *,
                        size_t starts, size_t steps);

#endif
