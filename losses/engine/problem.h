/* problem.h -- a problem: loss + regulariser r + records z_i + domain, with certified constants.
 *
 *   F(w) = (1/n) sum_i f(w, z_i) + lambda sum_j r(w_j)
 *
 * It has full access to the records, so it is for the harness only; a method sees the oracle (core/oracle/oracle.h).
 * The order of summation depends only on (n, d, storage). All functions are reentrant; a workspace belongs to one
 * caller. */
#ifndef SP_LOSSES_PROBLEM_H
#define SP_LOSSES_PROBLEM_H

#include "core/base/constants.h"
#include "core/data/dataset.h"
#include "core/data/domain.h"
#include "losses/loss.h"

#include <stdint.h>

/* What the user may declare above the certified values (`problem.declared`): L, L_data, beta, beta_data, rho_hessian,
 * gap, distance, quasar, kl_gamma, kl_kappa. */
extern const sp_param sp_declared_params[];

typedef struct sp_problem {
    const sp_loss *loss;
    double number[SP_PARAM_MAX]; /* the loss's parameters */
    const sp_regulariser *regulariser; /* NULL: none */
    double lambda;
    sp_domain domain;
    const sp_dataset *train, *test; /* test may be NULL */
    const sp_dataset *population;   /* fresh records that stand for the distribution, the same for all runs of a
                                       problem; one record, E x or E y x, where that is exact. NULL: not known */
    bool realisable;
    /* b > 0: the link is its Moreau envelope phi_b (engine/envelope.h); 0: it is not */
    double envelope;
    sp_constants certified, declared; /* declared = certified raised by the user's declarations */
    double *start;                    /* d: w0 */
} sp_problem;

/* Entries of w: the domain's. */
static inline size_t sp_problem_d(const sp_problem *p)
{
    return p->domain.d;
}

/* What the constants follow from: all of it public, known to `plan` before a record is read. */
typedef struct sp_setting {
    const sp_loss *loss;
    sp_numbers number;
    const sp_regulariser *regulariser; /* NULL: none */
    double lambda;
    const sp_domain *domain;
    size_t n, features;
    double radius, label_bound; /* of the records */
    double largest;             /* of their features; 0: radius */
    bool realisable;
    double start_norm;          /* ||w0|| enters the gap */
    double envelope;            /* as in sp_problem */
} sp_setting;

/* Entries of w for this loss on records of so many features; SP_EINVAL with the loss's own words when they do not
 * fit. */
sp_status sp_loss_dimension(const sp_loss *, sp_numbers, size_t features, size_t *d, sp_error *);
sp_status sp_certify(const sp_setting *, sp_constants *out, sp_error *);
/* certified raised by what is declared; refuses a declaration below the certified value (for q: above), naming
 * problem.declared.KEY and both numbers. Where nothing is certified (INFINITY; 0 for q and KL) the declaration is the
 * user's assumption. L and beta rise to L_data and beta_data when only those are declared. */
sp_status sp_declare(const sp_constants *certified, const sp_values *declared, sp_constants *out, sp_error *);

/* Scratch for one caller (block margins and slopes, d-vectors). NULL when out of memory. */
typedef struct sp_workspace sp_workspace;
sp_workspace *sp_workspace_new(const sp_problem *);
void sp_workspace_free(sp_workspace *);

/* --- full access: measures, references, tests ------------------------------------------------------------- */

double sp_problem_value(const sp_problem *, sp_workspace *, const double *w);                  /* F(w) */
void sp_problem_gradient(const sp_problem *, sp_workspace *, const double *w, double *out);    /* grad F(w), d */
void sp_problem_hessian(const sp_problem *, sp_workspace *, const double *w, double *H);       /* d x d full */
/* The same at `count` points, one read of the records for all: out[k] = F(point[k]), out[k * d ..] = grad F(point[k]).
 * Each is, to the bit, what it is alone. `out` holds none of the points. */
void sp_problem_values(const sp_problem *, sp_workspace *, size_t count, const double *const *point, double *out);
void sp_problem_gradients(const sp_problem *, sp_workspace *, size_t count, const double *const *point, double *out);
/* out[d] = hess F(w) v: one pass, no d x d. */
void sp_problem_product(const sp_problem *, sp_workspace *, const double *w, const double *v, double *out);
/* w = argmin over R^d of F without the regulariser (d entries), to rounding, where the loss has a closed form. */
bool sp_problem_minimiser(const sp_problem *, double *w);
/* A[d] and w[d] = phi_j / sqrt(d), |phi_j| <= pi, of F = c (1 - (1/d) sum_j A_j cos(sqrt(d) w_j - phi_j)), c =
 * certified.cosines. False where F is not known to be of that form. */
bool sp_problem_cosines(const sp_problem *, double *A, double *w);
/* The same problem over other records (test, population); it shares everything else, a workspace too where the records
 * are one of the problem's own datasets. */
sp_problem sp_problem_on(const sp_problem *, const sp_dataset *);
/* The data part of f(w, z_i), that is without h(w) and the regulariser, and its derivatives: for tests and scores. */
double sp_record_value(const sp_problem *, sp_workspace *, size_t i, const double *w);
void sp_record_gradient(const sp_problem *, sp_workspace *, size_t i, const double *w, double *out);
void sp_record_hessian(const sp_problem *, sp_workspace *, size_t i, const double *w, double *H);

/* --- what the oracle uses: data part clipped, public part exact ------------------------------------------- */

/* Which records: `index` NULL means all n, else `count` indices. */
typedef struct sp_rows {
    const uint32_t *index;
    size_t count;
} sp_rows;

/* out[d] = (1/divisor) sum over rows of clip(sum_k c_k clip(grad f_data(w_k, z), record_clip), bound).
 * clip(v, c) scales v down to l2 norm c; a non-finite record contributes 0. One pass over X for all terms. `out` may
 * be one of the points. */
void sp_data_query(const sp_problem *, sp_workspace *, sp_rows, size_t terms, const sp_term *, double record_clip,
                   double bound, double divisor, double *out);
/* `count` such queries of the same rows, one read of the records for all (of link losses; others are asked one by one).
 * Each answer is, to the bit, what it is alone; no `out` is a point of any of them. */
typedef struct sp_clip { /* per-record limits */
    double record, total;
    sp_norm norm; /* in which: l2 or l_inf. A vector is scaled down as a whole; of a link loss in l_inf by a bound on
                     its norm, |slope| times the smaller of ||x|| and the records' `largest` */
    /* xi > 0, in l2 alone: v becomes total v / (||v|| + xi), shorter than total; 0: it is cut to it */
    double normalise;
} sp_clip;
typedef struct sp_data_ask {
    size_t terms;
    const sp_term *term;
    const sp_clip *clip; /* NULL: nothing clipped, nothing dropped */
    double *out;         /* d */
} sp_data_ask;
void sp_data_queries(const sp_problem *, sp_workspace *, sp_rows, size_t count, const sp_data_ask *, double divisor);
/* out[d] = sum_k c_k grad of the data-independent part at w_k. */
void sp_public_query(const sp_problem *, sp_workspace *, size_t terms, const sp_term *, double *out);
/* Are the data summed: moments whose rows are no records, and a loss that is a function of their mean alone? */
bool sp_data_summed(const sp_problem *);
/* Can a query with these limits be answered? Of summed data only where no record can be beyond them, known from the
 * points alone: their mean is no mean of clipped vectors. */
bool sp_data_exact(const sp_problem *, size_t terms, const sp_term *, const sp_clip *);
/* out[i] = the data part of f(w, z) at the i-th of the rows, as it is; and the public part of F(w). How many numbers
 * that is, and how many records each stands for (*weight NULL: one): of summed data it is one, the mean over all of
 * them. */
void sp_data_values(const sp_problem *, sp_workspace *, sp_rows, const double *w, double *out);
size_t sp_data_value_count(const sp_problem *, sp_rows, const double **weight);
/* out[i] = that at w less that at c, which base[] holds; of summed data to rounding of ||w - c||, as no cut of each
 * record's bounds what rounding adds. */
void sp_data_changes(const sp_problem *, sp_workspace *, sp_rows, const double *w, const double *c, const double *base,
                     double *out);
double sp_public_value(const sp_problem *, const double *w);
/* H[d*d] = (1/divisor) sum over rows of the record Hessians of the data part, each enforced to the certified curvature
 * bounds (phi'' clamped, ||x|| <= R; record losses: record.c); public part apart. */
void sp_data_hessian(const sp_problem *, sp_workspace *, sp_rows, const double *w, double divisor, double *H);
void sp_public_hessian(const sp_problem *, sp_workspace *, const double *w, double *H);

/* H[d*d] = (1/divisor) sum over rows of h_i x_i x_i', 0 <= h_i <= sup |phi''|, ||x|| <= R enforced: of a link loss,
 * whose hessian_norm is R^2 sup |phi''|. And its trace, in the time of a gradient. */
void sp_data_curvature(const sp_problem *, sp_workspace *, sp_rows, const double *w, sp_weights, double divisor,
                       double *H);
double sp_data_curvature_trace(const sp_problem *, sp_workspace *, sp_rows, const double *w, sp_weights,
                               double divisor);
/* out[d]: the diagonal of what the regulariser adds, none of it negative: lambda sup r'', or lambda r''(w_j) where that
 * is positive. */
void sp_public_curvature(const sp_problem *, const double *w, sp_weights, double *restrict out);

#endif
