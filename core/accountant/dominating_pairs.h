/* dominating_pairs.h -- one release as a dominating pair (P, Q) of distributions, and as a measure on a grid that
 * dominates the pair. Included inside this folder only.
 *
 * The privacy loss is l = log dP/dQ under P. A pair dominates a release if its hockey-stick curve
 * delta(epsilon) = sup_A P(A) - e^epsilon Q(A) is nowhere below that of the release. Dominating pairs compose (Zhu,
 * Dong & Wang 2022). Forms, where mu = 1 / noise multiplier is the distance of the two means, q the sampling rate, and
 * Lap(b) the Laplace distribution of scale b:
 *
 *   normal     (1 - q) N(0, 1) + q N(mu, 1) against N(0, 1); q = 1: the Gaussian mechanism
 *   swapped    the same with P and Q exchanged
 *   mirrored   fixed-size subsampling under replace-one, C_q(G_mu) of Dong, Roth & Su 2022, Thm 4.2: the losses > 0 of
 *              `normal`, their mirror image (P and Q exchanged), and the remaining mass of P at loss 0
 *   opposed    (1 - q) N(0, 1) + q N(mu, 1) against (1 - q) N(0, 1) + q N(-mu, 1): Poisson sampling under replace-one
 *   laplace    Lap(1 / epsilon) around 0 against the same around 1
 *   response   randomised response between two answers, which dominates every epsilon-DP release (Kairouz, Oh &
 *              Viswanath 2015); with more answers, two of its inputs: any third answer has loss 0
 */
#ifndef SP_ACCOUNTANT_DOMINATING_PAIRS_H
#define SP_ACCOUNTANT_DOMINATING_PAIRS_H

#include "core/accountant/ledger.h"

typedef enum {
    SP_PAIR_NORMAL, SP_PAIR_SWAPPED, SP_PAIR_MIRRORED, SP_PAIR_OPPOSED, SP_PAIR_LAPLACE, SP_PAIR_RESPONSE
} sp_pair_form;

typedef struct sp_dominating_pair {
    sp_pair_form form;
    double mu, q;   /* of the forms that rest on normals */
    double epsilon; /* of the other two */
    double others;  /* of response: the answers beside the two */
    double count;   /* how many such releases; used by the composition alone */
} sp_dominating_pair;

/* Losses [low, high] of one release: at most exp(log_tail) of P lies above `high`. Of the forms that rest on normals
 * what lies below `low` (>= min(floor, 0)) is to be moved up to it; the others lie within +-epsilon. */
void sp_pair_range(const sp_dominating_pair *, double log_tail, double floor, double *low, double *high);

/* P at a few points, loss[i] of mass exp(log_mass[i]): good for moments of the loss, for planning; nothing that is
 * reported rests on it. The losses are within [low, high]. Returns how many points, at most SP_SKETCH_MAX. */
enum { SP_SKETCH_MAX = 512 };
size_t sp_pair_sketch(const sp_dominating_pair *, double log_tail, double low, double high, double *restrict loss,
                      double *restrict log_mass);

/* A finite measure of losses: mass[i] at the loss (first + i) h, and `infinite` at infinity. */
typedef struct sp_loss_grid {
    double h;        /* step */
    long first;      /* the lowest point, in steps */
    size_t size;     /* points */
    double *mass;    /* array of `size`, to be zero before it is filled */
    double infinite; /* mass of the loss infinity */
} sp_loss_grid;

/* first and size for losses in [low, high] on the grid of step h. */
void sp_loss_grid_place(sp_loss_grid *, double low, double high, double h);
/* Fills mass and infinite with a measure that dominates the pair ("connect the dots", Doroshenko, Ghazi, Kamath, Kumar
 * & Manurangsi 2022), up to a shift of every loss by sp_pair_slack. */
void sp_pair_discretise(const sp_dominating_pair *, double log_tail, double low, double high, sp_loss_grid *);
/* Bound on the rounding of the grid points' losses, for |x| of the normals up to sqrt(-2 log_tail) + mu. */
double sp_pair_slack(const sp_dominating_pair *, double log_tail);

#endif
