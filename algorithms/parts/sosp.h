/* sosp.h -- the private choice of a second-order stationary point among the iterates of a run. Every `stride`-th
 * iterate and the last one are candidates. The choice returns one with nearly the smallest score
 *
 *   u(w) = max{ ||grad F(w)|| / alpha, -lambda_min(hess F(w)) / sqrt(rho_H alpha) },
 *
 * where alpha is the wanted level of second-order stationarity, F the mean loss of the m records that the choice uses,
 * and rho_H the Lipschitz constant of the Hessian. A point of score u <= 1 is an alpha-SOSP; any other has level at
 * most alpha u^2. With hf the largest distance of two records' Hessians, replacing a record changes a score by at most
 *
 *   Du = max{ 2 L_data / alpha, hf / sqrt(rho_H alpha) } / m.
 *
 *   em    the exponential mechanism: among K candidates, with probability 1 - zeta, one of score at most
 *         smallest score + 2 Du ln(K/zeta) / epsilon
 *   svt   AboveThreshold: the first candidate below 1 + slack, up to its noises, which are within
 *         slack = 8 Du (ln K + ln(2/zeta)) / epsilon with probability 1 - zeta; there may be none
 *
 * Both are epsilon-DP. In zCDP em costs epsilon^2 / 8, svt epsilon^2 / 2. */
#ifndef SP_ALGORITHMS_PARTS_SOSP_H
#define SP_ALGORITHMS_PARTS_SOSP_H

#include "algorithms/algorithm.h"

#define SP_SOSP_RULES "auto|em|svt|none"
typedef enum { SP_SOSP_AUTO, SP_SOSP_EM, SP_SOSP_SVT, SP_SOSP_NONE } sp_sosp_rule; /* auto: the method's own default */

enum { SP_SOSP_CANDIDATES = 1000 }; /* about so many by default */

typedef struct sp_sosp {
    sp_sosp_rule rule;  /* em, svt or none, with which sp_sosp_choose leaves the last iterate */
    double alpha, zeta; /* the level; the probability that the choice's guarantee may fail with */
    double records;     /* m; 0 for none */
    double epsilon;     /* of the choice */
    bool apart;         /* the choice has records of its own; else it is made on all */
    double steps;       /* of the run at most */
    double stride;      /* steps between two candidates */
    /* set by sp_sosp_open */
    sp_oracle *o, *judge; /* of the run; of the choice: a child where it is apart */
    size_t d, listed;     /* dimension; candidates so far */
    double *list;         /* listed x d; free() it */
} sp_sosp;

/* NULL, or what is missing for a score: rho_H, or a d for which Hessians can be dense. */
const char *sp_sosp_fits(const sp_constants *);
/* hf */
double sp_hessian_spread(const sp_constants *);
/* The smallest level that is certain of w0. */
double sp_level_at_start(const sp_constants *);

/* Sets records and epsilon. Apart: ceil(n/2) records and the whole budget, as pure epsilon-DP where that is what there
 * is; else all records and `share` of rho_z. */
void sp_sosp_divide(sp_sosp *, const sp_oracle *, bool apart, double share);
/* K at most */
double sp_sosp_candidates(const sp_sosp *);
/* The level of the answer, with probability 1 - zeta, where one of the candidates has score 1. */
double sp_sosp_bound(const sp_sosp *, const sp_constants *);

/* Memory for the list, and the child. SP_ENOMEM. */
sp_status sp_sosp_open(sp_sosp *, sp_oracle *);
/* What the run's own oracle is to be told of (sp_calibrate); a choice apart has told its child. */
sp_release_plan sp_sosp_release(const sp_sosp *);
/* w after so many steps: a candidate if it is its turn. Returns whether it was. */
bool sp_sosp_offer(sp_sosp *, size_t step, const double *w);
/* w is a candidate. */
void sp_sosp_keep(sp_sosp *, const double *w);
/* w holds the last iterate and takes the chosen one. svt: stores "passed", 1 or 0; at 0 it warns and leaves w. */
sp_status sp_sosp_choose(sp_sosp *, double *w);

#endif
