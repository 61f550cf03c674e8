/* loss.h -- what a loss exports. One loss a file; the file's name is the loss's name.
 *
 * Two forms exist. Both are evaluated by an engine (losses/engine/), so a loss holds mathematics only.
 *
 *   GLM    f(w, (x, y)) = phi(<w, x>, y): the file gives the link phi and its first two derivatives in the margin as
 *          scalar functions, and SP_LINK makes the block loops from them (the compiler inlines the scalar functions,
 *          so no call is made per record).
 *   tilt   f(w, x) = h(w) + <x, Phi(w)>, ||x|| <= R, Phi coordinatewise: h does not depend on data. The full-batch
 *          gradient grad h(w) + Phi'(w) o mean(x) costs O(d), exactly.
 */
#ifndef SP_LOSSES_LOSS_H
#define SP_LOSSES_LOSS_H

#include "core/base/param.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Values of the loss's parameters as plain numbers, in the order of its schema (counts, flags and choices too). */
typedef const double *sp_numbers;

/* Bounds of the link over all margins m and all labels with |y| <= label_bound. Rounded up or exact: the conformance
 * test hunts for violations. INFINITY where there is none. */
typedef struct sp_link_bounds {
    double slope;           /* sup |phi'| */
    double curvature_high;  /* sup phi'' (>= 0) */
    double curvature_low;   /* sup (-phi'') (>= 0) */
    double third;           /* sup |phi'''| */
    double gap;             /* sup over y of phi(0, y) - inf_m phi(m, y) */
} sp_link_bounds;

typedef struct sp_link {
    /* out[i] = phi(m[i], y[i]) and its derivatives in m, for count records */
    void (*value)(sp_numbers, size_t count, const double *m, const double *y, double *restrict out);
    void (*slope)(sp_numbers, size_t count, const double *m, const double *y, double *restrict out);
    void (*curvature)(sp_numbers, size_t count, const double *m, const double *y, double *restrict out);
} sp_link;

/* SP_LINK(value, slope, curvature), each `double f(double m, double y, sp_numbers p)`, defines `static const sp_link
 * link` after them. */
#define SP_LINK_BLOCK(function)                                                                        \
    static void function##_block(sp_numbers p, size_t count, const double *m, const double *y,         \
                                 double *restrict out)                                                 \
    {                                                                                                  \
        for (size_t i = 0; i < count; i++)                                                             \
            out[i] = function(m[i], y[i], p);                                                          \
    }
#define SP_LINK(value, slope, curvature)                                                               \
    SP_LINK_BLOCK(value)                                                                               \
    SP_LINK_BLOCK(slope)                                                                               \
    SP_LINK_BLOCK(curvature)                                                                           \
    static const sp_link link = { value##_block, slope##_block, curvature##_block };

/* Bounds of h and Phi over R^d. Phi is bounded by its derivatives: sup |Phi_j'|, sup |Phi_j''|, sup |Phi_j'''|. */
typedef struct sp_tilt_bounds {
    double h_slope, h_curvature, h_third; /* L, beta and rho_H of h alone */
    double h_weak_convexity;              /* sup -lambda_min(hess h), >= 0 */
    double phi_slope, phi_curvature, phi_third;
    double quasar;                        /* q of h alone; 0 if not known */
} sp_tilt_bounds;

typedef struct sp_tilt {
    double (*value)(sp_numbers, size_t d, const double *w);                   /* h */
    void (*gradient)(sp_numbers, size_t d, const double *w, double *restrict out); /* grad h */
    void (*hessian)(sp_numbers, size_t d, const double *w, double *restrict H);    /* H += hess h, d x d full */
    /* Phi, Phi', Phi'' coordinatewise: order 0, 1, 2 */
    void (*phi)(sp_numbers, size_t d, const double *w, int order, double *restrict out);
    /* argmin h (d entries), used when mean(x) = 0; may be NULL when it is not known */
    void (*minimiser)(sp_numbers, size_t d, double *restrict w);
    /* Of F = h + <x, Phi>, over all x with ||x|| <= radius: bounds on F(0) - inf F and on ||argmin F|| */
    void (*reach)(sp_numbers, size_t d, double radius, double *gap, double *distance);
} sp_tilt;

typedef struct sp_loss {
    const char *name;
    const char *formula; /* one line, as in the reference manual */
    const char *source;  /* where it comes from */
    const sp_param *params;
    const sp_link *link; /* GLM form */
    const sp_tilt *tilt; /* tilt form; exactly one of the two is set */
    void (*link_bounds)(sp_numbers, double label_bound, sp_link_bounds *);
    void (*tilt_bounds)(sp_numbers, size_t d, sp_tilt_bounds *);
    bool convex;         /* GLM: phi(., y) is convex for every y */
    bool labels_binary;  /* needs y in {-1, +1} */
    /* GLM with realisable labels on margins |m - y| <= range: the largest q with which F is q-quasar-convex with
     * respect to w* (0: none). NULL: never. */
    double (*quasar)(sp_numbers, double range);
} sp_loss;

/* A separable data-independent term lambda * sum_j r(w_j) added to the objective, r >= r(0) = 0. */
typedef struct sp_regulariser {
    const char *name, *formula, *source;
    double (*value)(double w); /* r, r', r'' at lambda = 1 */
    double (*slope)(double w);
    double (*curvature)(double w);
    double slope_max;          /* sup |r'|; INFINITY if unbounded (then L is finite on a ball only) */
    double curvature_high;     /* sup r'' */
    double curvature_low;      /* sup (-r''), >= 0 */
    double third;              /* sup |r'''| */
    bool convex;
} sp_regulariser;

/* --- pieces that several tilt losses share (losses/engine/shapes.c) --------------------------------------- */

/* h(v) = s (sqrt(1 + ||v||^2 / s^2) - 1), v = w - centre (1, ..., 1), over `count` coordinates: pseudo-Huber. Convex,
 * slope < 1, curvature <= 1/s, third derivative <= SP_PSEUDO_HUBER_THIRD / s^2. The Hessian is added to H, whose rows
 * are `stride` apart. */
#define SP_PSEUDO_HUBER_THIRD 0.8586501033599194 /* 1.5 / 1.25^2.5, at ||v|| = s/2 along v */
double sp_pseudo_huber(double s, double centre, size_t count, const double *w);
void sp_pseudo_huber_gradient(double s, double centre, size_t count, const double *w, double *restrict out);
void sp_pseudo_huber_hessian(double s, double centre, size_t count, const double *w, size_t stride, double *restrict H);

/* Phi_j(w) = tilt tanh(w_j - centre): its derivative of the given order, and its bounds (sets phi_* alone). */
void sp_tanh(double tilt, double centre, size_t d, const double *w, int order, double *restrict out);
void sp_tanh_bounds(double tilt, sp_tilt_bounds *);
/* Of F(v) = h(v) + <x, Phi(v)>, centre 0, over all x with tilt ||x|| <= a: bounds on ||argmin F|| and on -inf F. */
void sp_tanh_reach(double a, double s, size_t d, double *distance, double *drop);

#endif
