/* project.h -- what the files behind domain.h share (domain.c, project.c, mirror.c, polytope.c). */
#ifndef SP_DATA_PROJECT_H
#define SP_DATA_PROJECT_H

#include "core/data/domain.h"

/* A sum that carries its rounding along (Neumaier): entries of one sign lose nothing, however many there are. */
typedef struct sp_exact_sum {
    double head; /* the sum as it is rounded */
    double tail; /* what rounding has lost so far */
} sp_exact_sum;
void sp_exact_add(sp_exact_sum *, double x);
double sp_exact_total(const sp_exact_sum *);

bool sp_all_finite(size_t d, const double *w);
double sp_norm_max(size_t d, const double *w, const double *centre); /* max |w - centre|; centre = NULL is 0 */
/* ||w - centre||_p, p >= 1, of finite vectors, without overflow or underflow on the way. */
double sp_norm_p(double p, size_t d, const double *w, const double *centre);

/* The point of a polytope nearest to w, as a mean of its vertices: weight[vertices] >= 0 of sum 1. */
void sp_project_polytope(const sp_domain *, const double *w, double *weight);

#endif
