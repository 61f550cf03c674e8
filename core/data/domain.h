/* domain.h -- the domain of the iterate w: projection, linear minimisation, vertices, diameter. Independent of the
 * data.
 *
 *   space      R^d
 *   l2_ball    ||w||_2 <= radius
 *   l1_ball    ||w||_1 <= radius                     vertices 2j: radius e_j, 2j + 1: -radius e_j
 *   lp_ball    ||w||_p <= radius, 1 < p <= 2
 *   simplex    w >= 0, sum_j w_j = radius            vertices j: radius e_j
 *   box        low <= w_j <= high                    vertices k: the 2^d corners, high where bit j of k is set; d <= 20
 *   polytope   conv(vertices), 1 to 64 of them, in the order given
 */
#ifndef SP_DATA_DOMAIN_H
#define SP_DATA_DOMAIN_H

#include "core/base/param.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { SP_POLYTOPE_MAX = 64 };

typedef enum {
    SP_DOMAIN_SPACE, SP_DOMAIN_L2_BALL, SP_DOMAIN_L1_BALL, SP_DOMAIN_LP_BALL, SP_DOMAIN_SIMPLEX, SP_DOMAIN_BOX,
    SP_DOMAIN_POLYTOPE
} sp_domain_kind;

/* A value: copies share the vertices, which whoever made the domain frees (sp_domain_free). */
typedef struct sp_domain {
    sp_domain_kind kind;
    size_t d;
    double radius;        /* balls and simplex, in their own norm; box and polytope: norm; space: INFINITY */
    double norm;          /* sup ||w||_2 over the domain; INFINITY on the whole space */
    double p;             /* lp_ball */
    double low, high;     /* box */
    size_t vertices;      /* polytope */
    const double *vertex; /* polytope: vertices x d */
} sp_domain;

/* Schema of `problem.domain = { "l2_ball", radius = 1 }`. A polytope's vertices are text, entries apart by blanks,
 * vertices by semicolons: { "polytope", vertices = "0 0; 1 0; 0 2" }. */
extern const char *const sp_domain_names[];    /* NULL-terminated, in the order of sp_domain_kind */
extern const char *const sp_domain_formulas[]; /* the same */
extern const sp_param sp_domain_params[];
/* Refuses what the kind does not take, and a missing parameter, naming problem.domain.KEY. Free with sp_domain_free. */
sp_status sp_domain_make(const char *name, const sp_values *, size_t d, sp_domain *out, sp_error *);
void sp_domain_free(sp_domain *); /* { 0 } is allowed */

double sp_domain_diameter(const sp_domain *);    /* sup ||w - w'||_2 */
double sp_domain_diameter_l1(const sp_domain *); /* sup ||w - w'||_1 */
double sp_domain_norm_l1(const sp_domain *);     /* sup ||w||_1 */
/* centre[d] (NULL: not wanted) = a point of the domain; returns the radius of a ball about it that covers the domain.
 * The whole space: 0 and INFINITY. */
double sp_domain_centre(const sp_domain *, double *centre);
/* Euclidean projection P, in place, without allocation. A point inside, within 1e-12, or not finite stays as it is.
 * Exact up to rounding, which on an lp_ball grows to about 1e-15 / (p - 1). On a polytope a certified duality gap
 *   max over v of <w - P(w), v - P(w)>   of at most 1e-12 D max(D, ||w - v_1||),   D = max ||v_i - v_1||. */
void sp_domain_project(const sp_domain *, double *w);
/* How far from the exact projection of a point within `far` of the domain that one may be, at most; 0 on the whole
 * space. */
double sp_domain_slack(const sp_domain *, double far);
/* Forgives rounding: 1e-12 of radius, for a box of norm; for a polytope 1e-7 of it: vertices may nearly coincide. */
bool sp_domain_contains(const sp_domain *, const double *w);
/* argmin over the domain of <g, v>, of equal vertices the first; a ball's is 0 when g = 0. SP_EUNSUPPORTED on the whole
 * space, SP_ENUMERIC when g is not finite. */
sp_status sp_domain_linear_minimise(const sp_domain *, const double *g, double *v);
/* How many vertices there are to list (0: none, or too many), and vertex k < that. */
size_t sp_domain_vertices(const sp_domain *);
void sp_domain_vertex(const sp_domain *, size_t k, double *v);
double sp_domain_vertex_dot(const sp_domain *, size_t k, const double *g); /* <g, v_k>; O(1) on l1_ball and simplex */

/* Mirror map h(w) = ||w - centre||_p^2 / (2 (p - 1)), 1 < p <= 2 (Bassily et al. 2021, section 5): its gradient, the
 * gradient of its conjugate (so that inverse(gradient(w)) = w), and, in place, the Bregman projection
 *   argmin over v in the domain of D_h(v, w),   D_h(v, w) = h(v) - h(w) - <grad h(w), v - w>,
 * for p = 2 on every domain (the Euclidean one), else on the whole space and on an lp_ball of the same p, about any
 * centre (else SP_EUNSUPPORTED; SP_ENUMERIC when w or centre is not finite), to about 1e-14 / (p - 1) of the largest of
 * radius, |centre_j| and |w_j|. centre = NULL is 0: D_h is then radial, and so a step on the ball about the centre of h
 * is one of w - centre with NULL. About another centre one projection takes some 10^3 d powers. */
void sp_mirror_gradient(double p, size_t d, const double *centre, const double *w, double *restrict out);
void sp_mirror_inverse(double p, size_t d, const double *centre, const double *z, double *restrict out);
sp_status sp_mirror_project(double p, const sp_domain *, const double *centre, double *w);

#endif
