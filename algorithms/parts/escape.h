/* escape.h -- escapes: what a method does at a point w with a small gradient estimate v, which may be a saddle of F. A
 * walk is an iterate with the estimate that it moves by; g is the accuracy of the estimates, alpha = 4 g the wanted
 * level of second-order stationarity, rho_H the Lipschitz constant of the Hessian, zeta a failure probability.
 *
 *   kick     w <- Proj( w - eta (v + N(0, g^2 / (d ln(d/zeta)) I)) ), at most once in `pause` steps
 *   psgd     rounds of q = iota / (eta sqrt(rho_H alpha)) ordinary steps from w, each with other noise: if a round
 *            moves by sqrt(alpha / rho_H) / iota, the method continues there; after the last round w is the output
 *   hessian  of a released Hessian B, smallest eigenvalue l with unit vector u: if l <= -(3/4) sqrt(rho_H alpha),
 *            w <- Proj( w +- sqrt(alpha / rho_H) u ), downhill by v; otherwise w is the output
 *
 * Their guarantees and sources are in the head of spider_sosp.c. */
#ifndef SP_ALGORITHMS_PARTS_ESCAPE_H
#define SP_ALGORITHMS_PARTS_ESCAPE_H

#include "algorithms/algorithm.h"

/* NULL, or what is missing: a d for which Hessians can be dense, rho_H, L_data, beta, a positive gap. */
const char *sp_escape_fits(const sp_constants *);

typedef enum { SP_ESCAPE_KICK, SP_ESCAPE_PSGD, SP_ESCAPE_HESSIAN } sp_escape_kind;

typedef struct sp_escape_plan {
    sp_escape_kind kind;
    double g, alpha, zeta, eta;
    double longest;                   /* length of an ordinary step at most; 0: any */
    double pause;                     /* kick */
    double rounds, iota, round_steps; /* psgd; round_steps = q */
} sp_escape_plan;

typedef struct sp_walk {
    sp_oracle *o;
    const sp_escape_plan *plan;
    size_t d;
    double *w, *previous;       /* d: the iterate, and the one before it */
    double *estimate;           /* d: of the gradient at w */
    double drift;               /* sum of ||w - previous||^2 since the last gradient; INFINITY asks for a new one */
    double error;               /* what an adversary added to the estimate's first coordinate */
    double *anchor;             /* d: psgd: where the rounds begin, with what the four above are there */
    double *anchor_estimate, anchor_drift, anchor_error;
    double *work;               /* d d + d: a change of the estimate; a Hessian and its eigenvector */
    size_t round, inside;       /* psgd: the round it is in (0: none), its steps so far */
    size_t wait;                /* kick: steps until the next one is allowed */
    bool done, passed;          /* stopped; by the escape's own test, which vouches for w */
} sp_walk;

/* Defaults of `pause` and `round_steps`, from the plan's other numbers. */
double sp_escape_pause(const sp_constants *, const sp_escape_plan *);
double sp_escape_round(const sp_constants *, const sp_escape_plan *);

/* hessian, where estimates err by g/5 and Hessians by sqrt(rho_H alpha) / 10 at most: how much lower F is at least
 * after an ordinary step, whose estimate has this norm (3 g or more), and after a jump (derived in spider_sosp.c). */
double sp_step_fall(const sp_constants *, double norm);
double sp_jump_fall(const sp_constants *, double g);
/* The smallest g at which each of them lowers F by so much. */
double sp_accuracy_of_fall(const sp_constants *, double fall);

/* ||w - from||, d entries. */
double sp_walk_distance(const sp_walk *, const double *from);
/* w <- Proj(w + length step), d entries. */
void sp_walk_move(sp_walk *, double length, const double *step);
/* The ordinary step -eta v; in a round of psgd with what follows from it. */
void sp_walk_step(sp_walk *);

/* Whether an escape is to be tried at w: ||v|| <= 3 g. Counts the steps of `wait`. */
bool sp_escape_due(sp_walk *);
void sp_escape_kick(sp_walk *);
/* psgd: w becomes the anchor of the first round; nothing happens inside a round. */
void sp_escape_begin(sp_walk *);
/* The walk's `work` begins with a released Hessian at w (d x d), which is overwritten. Refuses one without a finite
 * eigenvalue. */
sp_status sp_escape_jump(sp_walk *);

/* Where nothing is selected at the end: stores `passed`, 1 where the escape's own test vouches for w, and warns where
 * that is no proof. */
void sp_escape_tell(const sp_walk *);

#endif
