/* constants.h -- public knowledge about a problem, which a method may use without spending budget.
 *
 * Every number here follows from the loss, its parameters, the enforced bound on the norm of features, and the domain;
 * none depends on the records. For every record z of norm at most `radius` and all w, w' in the domain,
 *
 *   ||grad f(w, z)|| <= L,  ||grad f(w, z) - grad f(w', z)|| <= beta ||w - w'||,
 *   ||hess f(w, z) - hess f(w', z)|| <= rho_hessian ||w - w'||.
 *
 * In the norms of an l1 domain, where records have |x_j| <= `largest` (suffix _linf),
 *
 *   ||grad f(w, z)||_inf <= L_linf,  ||grad f(w, z) - grad f(w', z)||_inf <= beta_linf ||w - w'||_1;
 *
 * L and beta are also bounds in these norms, since ||.||_inf <= ||.||_2 <= ||.||_1.
 *
 * The data part (suffix _data) omits what does not depend on the record (a regulariser, h(w)). Sensitivities use the
 * data part, step sizes the total. A bound that does not exist is INFINITY; a property that does not hold is 0. */
#ifndef SP_BASE_CONSTANTS_H
#define SP_BASE_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sp_constants {
    size_t n, d;
    double radius;              /* R >= ||x||, enforced on every record */
    double L_data, L;           /* Lipschitz: data part, total */
    double beta_data, beta;     /* smoothness: data part, total */
    double largest;             /* of any |x_j|, enforced on every record; at most R */
    double L_data_linf, L_linf, beta_data_linf, beta_linf; /* at most the four above, as long as nothing is declared */
    double rho_hessian;         /* Lipschitz constant of the Hessian, total */
    double hessian_norm;        /* sup over records z of ||hess f_data(w, z)||_F, so of the operator norm; enforced */
    double hessian_frobenius;   /* sup over records z, z' of ||hess f_data(w, z) - hess f_data(w, z')||_F */
    double weak_convexity;      /* rho_w: f + (rho_w/2)||w||^2 is convex */
    double diameter;            /* of the domain */
    size_t vertices;            /* of the domain, where they can be listed (core/data/domain.h), else 0 */
    double distance;            /* bound on ||w0 - w*||; INFINITY when not declared */
    double gap;                 /* bound on F(w0) - F* */
    double quasar;              /* q: F is q-quasar-convex; 0 when not known to be */
    double kl_gamma, kl_kappa;  /* F - F* <= gamma^kappa ||grad F||^kappa; 0 when not known */
    bool convex, glm, smooth;   /* smooth: f has no kinks (else gradients are subgradients, beta is INFINITY) */
    bool gll;                   /* a convex Lipschitz function of the margin, with an envelope */
    bool strict_saddle;         /* every stationary point of F is a strict saddle or a global minimum */
    double cosines;             /* c > 0: on the whole space F = c (1 - (1/d) sum_j A_j cos(sqrt(d) w_j - phi_j)) with
                                   0 <= A_j <= 1, whatever the records: F is of period 2 pi / sqrt(d) in each w_j and
                                   within [0, 2 c]. 0: that is not known */
} sp_constants;

typedef enum { SP_NORM_L2, SP_NORM_L1, SP_NORM_LINF } sp_norm;

/* Weights h_i >= 0 of the records of a GLM in a curvature matrix H(w) = mean of h_i x_i x_i'. */
typedef enum {
    SP_WEIGHTS_MAJORANT, /* for all u, F(u) <= F(w) + <grad F(w), u - w> + (u - w)'H(w)(u - w) / 2; a regulariser counts
                            with its largest curvature */
    SP_WEIGHTS_HESSIAN   /* phi'' where it is positive; a regulariser's curvature likewise */
} sp_weights;

/* One term of a query: coefficient * grad f(point); `point` has d entries. */
typedef struct sp_term {
    double coefficient;
    const double *point;
} sp_term;

enum { SP_TERMS_MAX = 4 };

#endif
