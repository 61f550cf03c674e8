/* loss.h -- the interface of a loss. There is one loss per file; the file's name is the loss's name in Lua.
 *
 * f(w, (x, y)) = data part + h(w), for a record with features x and label y. The public part h is optional; no record
 * enters it. The data part has one of three forms, each evaluated by an engine (losses/engine/), so a loss contains
 * only formulas:
 *
 *   link    phi(m, y) with the margin m = <w, x>, a GLM: the file gives phi and its first two derivatives in m as
 *           scalar functions, and SP_LINK makes the loops over blocks of records (the compiler inlines the scalar
 *           functions, so no function is called per record). A non-smooth phi gives a subgradient, and curvature 0 at a
 *           kink.
 *   tilt    <x, Phi(w)>, Phi coordinatewise: the gradient over all records is Phi'(w) o mean(x), which costs O(d),
 *           exactly. "o" is the product entry by entry.
 *   record  anything else, record by record: value, gradient and Hessian-vector product. The dimension of w may differ
 *           from the number of features. If f is affine in x, means over records cost O(d) here too.
 *
 * Words of the losses' heads. r = m - y is the residual, M >= |m| a bound on the margins, R >= ||x||. Labels are
 * realisable if y = <w*, x> for a w* in the domain. F is q-quasar-convex if <grad F(w), w - w*> >= q (F(w) - F*) for a
 * minimiser w*; for a link on realisable labels q is the least value of r phi'(r) / phi(r). KL (Kurdyka-Lojasiewicz): F
 * - F* <= gamma^kappa ||grad F||^kappa; PL is KL with kappa = 2. The envelope is the Moreau envelope phi_b
 * (losses/engine/envelope.h), where b is its curvature. tilt >= 0 is a parameter that sets how much the records count
 * in a tilt loss; a = tilt R.
 */
#ifndef SP_LOSSES_LOSS_H
#define SP_LOSSES_LOSS_H

#include "core/base/constants.h"
#include "core/numeric/isa.h"
#include "core/numeric/math.h"
#include "core/base/param.h"
#include "core/base/record_map.h"
#include "losses/engine/extremum.h" /* sp_supremum: bounds without a closed form */
#include "losses/engine/sigmoid.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Values of the loss's parameters as plain numbers, in the order of its schema (counts, flags and choices too). */
typedef const double *sp_numbers;

/* What bounds may depend on: all of it public, and fixed before a record is read. */
typedef struct sp_region {
    size_t d, features;    /* entries of w and of x */
    double norm;           /* sup ||w||_2 over the domain; INFINITY on an unbounded one */
    double radius;         /* R >= ||x||_2 */
    double label_bound;    /* >= |y| */
    bool realisable;       /* y = <w*, x> exactly, for some w* in the domain */
} sp_region;

/* sup |<w, x>| over the region; INFINITY on an unbounded domain (0 when R = 0). */
static inline double sp_margin_bound(const sp_region *r)
{
    return r->radius > 0.0 ? r->radius * r->norm : 0.0;
}

/* Classes that F (without a regulariser) is certified to be in, over the region and whatever the records; 0, false
 * where it is not. Convexity is told from the curvature bounds. */
typedef struct sp_classes {
    double quasar;               /* q: <grad F(w), w - w*> >= q (F(w) - F*) for a minimiser w* */
    double kl_gamma, kl_kappa;   /* F(w) - F* <= gamma^kappa ||grad F(w)||^kappa */
    bool strict_saddle;          /* every stationary point has lambda_min(hess F) < 0 or is a global minimum */
} sp_classes;

/* Bounds of the link over the margins and labels of the region. Rounded up or exact: the conformance test hunts for
 * violations. INFINITY where there is none. */
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
 * link` after them. The loops are compiled once an instruction set (core/numeric/isa.h); for vector instructions a
 * function takes what it needs from core/numeric/math.h and selects by ?: between values that are already there. Losses
 * of the other forms make kernels of what evaluates such functions for many coordinates: SP_KERNEL_CALL (isa.h). */
#define SP_LINK_BLOCK(function)                                                                               \
    __attribute__((flatten)) static inline void function##_block(sp_numbers p, size_t count, const double *m, \
                                                                 const double *y, double *restrict out)       \
    {                                                                                                         \
        size_t i = 0;                                                                                         \
        for (; i + 8 <= count; i += 8)                                                                        \
            _Pragma("omp simd") for (size_t l = i; l < i + 8; l++)                                            \
                out[l] = function(m[l], y[l], p);                                                             \
        for (; i < count; i++)                                                                                \
            out[i] = function(m[i], y[i], p);                                                                 \
    }                                                                                                         \
    SP_KERNEL_CALL(void, function##_block,                                                                    \
                   (sp_numbers p, size_t count, const double *m, const double *y, double *restrict out),      \
                   (p, count, m, y, out))
#define SP_LINK(value, slope, curvature)                                                               \
    SP_LINK_BLOCK(value)                                                                               \
    SP_LINK_BLOCK(slope)                                                                               \
    SP_LINK_BLOCK(curvature)                                                                           \
    static const sp_link link = { value##_block_call, slope##_block_call, curvature##_block_call };

/* --- h(w), the part that no record enters -------------------------------------------------------------------- */

typedef struct sp_public_bounds { /* over the region */
    double slope;          /* sup ||grad h|| */
    double curvature_high; /* sup lambda_max(hess h), >= 0 */
    double curvature_low;  /* sup -lambda_min(hess h), >= 0 */
    double third;          /* Lipschitz constant of hess h */
    double gap;            /* h(0) - inf h */
} sp_public_bounds;

typedef struct sp_public_part {
    double (*value)(sp_numbers, size_t d, const double *w);
    void (*gradient)(sp_numbers, size_t d, const double *w, double *restrict out);
    void (*hessian)(sp_numbers, size_t d, const double *w, double *restrict H); /* H += hess h, d x d full */
    void (*product)(sp_numbers, size_t d, const double *w, const double *v, double *restrict out); /* += hess h(w) v */
    void (*bounds)(sp_numbers, const sp_region *, sp_public_bounds *);
} sp_public_part;

/* Defines public_part by kernels of functions that evaluate math.h for each coordinate. */
#define SP_PUBLIC_PART(value, gradient, hessian, product, bounds)                                                \
    SP_KERNEL_CALL(double, value, (sp_numbers p, size_t d, const double *w), (p, d, w))                          \
    SP_KERNEL_CALL(void, gradient, (sp_numbers p, size_t d, const double *w, double *restrict out), (p, d, w, out)) \
    SP_KERNEL_CALL(void, hessian, (sp_numbers p, size_t d, const double *w, double *restrict H), (p, d, w, H))   \
    SP_KERNEL_CALL(void, product, (sp_numbers p, size_t d, const double *w, const double *v, double *restrict out), \
                   (p, d, w, v, out))                                                                            \
    static const sp_public_part public_part = { value##_call, gradient##_call, hessian##_call, product##_call, bounds };

/* --- <x, Phi(w)> ---------------------------------------------------------------------------------------------- */

typedef struct sp_tilt_bounds {
    double slope, curvature, third; /* sup |Phi_j'|, |Phi_j''|, |Phi_j'''| over R^d */
} sp_tilt_bounds;

typedef struct sp_tilt {
    /* Phi, Phi', Phi'' coordinatewise: order 0, 1, 2 */
    void (*phi)(sp_numbers, size_t d, const double *w, int order, double *restrict out);
    void (*bounds)(sp_numbers, sp_tilt_bounds *);
    /* argmin over R^d of F = h + <mean, Phi> (d entries), exact to rounding; false where no closed form is known. */
    bool (*minimiser)(sp_numbers, size_t d, const double *mean, double *restrict w);
    /* Of F = h + <x, Phi>, over all x with ||x|| <= radius: bounds on F(0) - inf F and on ||argmin F|| over R^d */
    void (*reach)(sp_numbers, size_t d, double radius, double *gap, double *distance);
} sp_tilt;

/* --- one record at a time ------------------------------------------------------------------------------------- */

typedef struct sp_record_bounds { /* of the data part of one record, over the region */
    double slope;              /* sup ||grad f|| */
    double curvature_high, curvature_low; /* sup lambda_max, sup -lambda_min of hess f, both >= 0 */
    double third;              /* Lipschitz constant of hess f */
    double gap;                /* sup over records of f(0) - inf f */
    double frobenius;          /* sup ||hess f||_F where it is below sqrt d times the curvatures, both alike; or 0 */
} sp_record_bounds;

/* What a loss adds that is affine in x, f(w, x) = a(w) + <x, b(w)>: means over records are its values at mean(x). Its
 * bounds hold for every record that has been through `map`. */
typedef struct sp_affine {
    const sp_record_map *map;
    /* f(w, x) - f(c, x), to rounding of ||w - c||, though the values be larger. */
    double (*change)(sp_numbers, size_t features, const double *x, const double *w, const double *c);
    /* sum_k c_k grad f(w_k, x), d numbers, and */
    void (*query)(sp_numbers, size_t features, const double *x, size_t terms, const sp_term *, double *restrict out);
    /* exactly sup ||sum_k c_k grad f(w_k, x)|| over all such x, not a number where that is none: both to rounding
     * of that supremum, though the terms be larger. */
    double (*largest)(sp_numbers, size_t d, size_t terms, const sp_term *, sp_norm);
    /* argmin over R^d of F = h + the data part at the mean record, exact to rounding; false where it is not known. */
    bool (*minimiser)(sp_numbers, size_t d, const double *mean, double *restrict w);
    /* Of F = h + data part, whatever the records: bounds on lambda_max(hess F), on F(0) - inf F over R^d, and on the
     * norm of a minimiser over R^d. */
    void (*whole)(sp_numbers, size_t d, double *up, double *gap, double *distance);
    /* c > 0: f is sp_angles of weight c in all coordinates, and nothing else: a sum of cosines, one a coordinate, with
     * 0 <= f <= 2 c as `map` clips each pair to the disc. 0: this is not said. */
    double cosines;
} sp_affine;

typedef struct sp_record_form {
    size_t (*dimension)(sp_numbers, size_t features);           /* of w; 0: these features do not fit */
    const char *wanted;                                         /* what fits, for messages: "an even number, 2 steps" */
    size_t (*scratch)(sp_numbers, size_t features);             /* doubles that the functions below need */
    double (*value)(sp_numbers, size_t features, const double *x, double y, const double *w, double *scratch);
    void (*gradient)(sp_numbers, size_t features, const double *x, double y, const double *w, double *scratch,
                     double *restrict out);                     /* d */
    void (*product)(sp_numbers, size_t features, const double *x, double y, const double *w, const double *v,
                    double *scratch, double *restrict out);     /* hess f(w) v, d */
    void (*bounds)(sp_numbers, const sp_region *, sp_record_bounds *);
    const sp_affine *affine;                                    /* NULL: f is not affine in x */
} sp_record_form;

/* --- a loss --------------------------------------------------------------------------------------------------- */

/* Which of the certified constants are claimed tight: the certification has to come within 3 % of them. */
enum {
    SP_TIGHT_SLOPE = 1, SP_TIGHT_HIGH = 2, SP_TIGHT_LOW = 4, SP_TIGHT_THIRD = 8, SP_TIGHT_GAP = 16, SP_TIGHT_ALL = 31
};

typedef struct sp_loss {
    const char *name;
    const char *family;  /* heading in the manual: "non-convex GLM", "quasar-convex", "KL/PL", ... */
    const char *formula; /* one line, as in the reference manual */
    const char *source;  /* where it comes from */
    const char *note;    /* what a user must know: where the constants hold, which class needs what; may be NULL */
    const sp_param *params;
    const sp_link *link; /* exactly one of these three */
    const sp_tilt *tilt;
    const sp_record_form *record;
    const sp_public_part *public_part; /* may be NULL */
    void (*link_bounds)(sp_numbers, const sp_region *, sp_link_bounds *); /* with link */
    unsigned tight;      /* of the data part's bounds (link, tilt or record) */
    unsigned public_tight;
    /* link: a curvature out[i] in [0, curvature_high], over all margins, of a parabola that touches phi at m and lies
     * above it: phi(u, y) <= phi(m, y) + phi'(m, y) (u - m) + (out/2) (u - m)^2 for all u. NULL: curvature_high */
    void (*majorant)(sp_numbers, size_t count, const double *m, const double *y, double *restrict out);
    bool convex;         /* link: phi(., y) is convex for every y */
    bool peaked;         /* link: phi''(., y) rises to one peak and falls, so it is least at an end of an interval */
    bool smooth;         /* false: phi has kinks; slope is a subgradient */
    bool labels_binary;  /* needs y in {-1, +1} */
    double affine_margin; /* link, labels -1 and +1: phi is affine in y m while |m| <= this; 0: it is not */
    bool labels_unused;  /* link, record: y does not enter, so data without labels will do */
    /* GLL (convex, Lipschitz, non-smooth link), closed form of the Moreau envelope phi_b(m) = min_u phi(u) + (b/2)
     * (u - m)^2: value and slope b (m - prox). NULL: engine/envelope.h's bisection. */
    void (*envelope)(sp_numbers, double b, double m, double y, double *value, double *slope);
    void (*classes)(sp_numbers, const sp_region *, sp_classes *); /* fills what holds; NULL: none */
} sp_loss;

/* What every record goes through before it is stored; NULL: it stays as it is. */
static inline const sp_record_map *sp_loss_map(const sp_loss *loss)
{
    return loss->record && loss->record->affine ? loss->record->affine->map : NULL;
}

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
    /* tangent NULL: r is not of this shape. Else r is even, r'' falls from 0 to `trough`, where it is -curvature_low,
     * and rises beyond; r''(bend) = 0; tangent(b), b >= bend, is the t in (0, bend] with r(b) - r(t) = r'(t) (b -
     * t). */
    double bend, trough;
    double (*tangent)(double b);
} sp_regulariser;

/* --- pieces that several tilt losses share (losses/engine/shapes.c) --------------------------------------- */

/* h(v) = s (sqrt(1 + ||v||^2 / s^2) - 1), v = w - centre (1, ..., 1), over `count` coordinates: pseudo-Huber. Convex,
 * slope < 1, curvature <= 1/s, third derivative <= SP_PSEUDO_HUBER_THIRD / s^2. The Hessian is added to H, whose rows
 * are `stride` apart. */
#define SP_PSEUDO_HUBER_THIRD 0.8586501033599194 /* 1.5 / 1.25^2.5, at ||v|| = s/2 along v */
double sp_pseudo_huber(double s, double centre, size_t count, const double *w);
void sp_pseudo_huber_gradient(double s, double centre, size_t count, const double *w, double *restrict out);
void sp_pseudo_huber_hessian(double s, double centre, size_t count, const double *w, size_t stride, double *restrict H);

/* += the same Hessian times v */
void sp_pseudo_huber_product(double s, double centre, size_t count, const double *w, const double *v,
                             double *restrict out);

/* Phi_j(w) = tilt tanh(w_j - centre): its derivative of the given order, and its bounds. */
void sp_tanh_tilt(double tilt, double centre, size_t d, const double *w, int order, double *restrict out);
void sp_tanh_bounds(double tilt, sp_tilt_bounds *);
/* Of F(v) = h(v) + <x, Phi(v)>, centre 0, over all x with tilt ||x|| <= a: bounds on ||argmin F|| and on -inf F. */
void sp_tanh_reach(double a, double s, size_t d, double *distance, double *drop);
/* Phi_j(w) = tilt w_j. */
void sp_linear(double tilt, size_t d, const double *w, int order, double *restrict out);

/* h(w) = g(r), r = ||w - centre (1, ..., 1)||, from tangential = g'(r)/r and radial = g''(r):
 * losses/engine/spherical.c. The Hessian and its product with v are added. */
double sp_spherical_radius(double centre, size_t d, const double *w);
void sp_spherical_gradient(double tangential, double centre, size_t d, const double *w, double *restrict out);
void sp_spherical_hessian(double tangential, double radial, double centre, size_t d, const double *w,
                          double *restrict H);
void sp_spherical_product(double tangential, double radial, double centre, size_t d, const double *w, const double *v,
                          double *restrict out);

/* Angles in pairs, losses/engine/angles.c. x holds the 2 m numbers of a record, or of the mean record, w m coordinates:
 *   f(w, x) = weight (1 - (1/sqrt m) sum_j (x_{2j} cos u_j + x_{2j+1} sin u_j)),  u_j = sqrt m w_j. */
double sp_angles(double weight, size_t m, const double *x, const double *w);
/* f(w, x) - f(c, x) */
double sp_angles_change(double weight, size_t m, const double *x, const double *w, const double *c);
/* sum_k c_k grad f(w_k), m numbers; of points, the m coordinates from `first` on. */
void sp_angles_query(double weight, size_t first, size_t m, const double *x, size_t terms, const sp_term *,
                     double *restrict out);
void sp_angles_product(double weight, size_t m, const double *x, const double *w, const double *v,
                       double *restrict out);
/* sup ||sum_k c_k grad f|| over pairs in the disc of sp_disc(m). */
double sp_angles_largest(double weight, size_t first, size_t m, size_t terms, const sp_term *, sp_norm);
/* The minimiser of f(w, mean) with |u_j| <= pi. */
void sp_angles_minimiser(size_t m, const double *mean, double *restrict w);
/* Clips each of the m pairs to that disc. */
void sp_angles_clip(size_t m, double *restrict x);

#endif
