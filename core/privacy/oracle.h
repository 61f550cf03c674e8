/* oracle.h -- a problem seen through a budget: the algorithms' only door to the data.
 *
 * Every release draws its noise and writes its ledger entry in the same call. An algorithm never holds an unnoised
 * vector that depends on the data. Neighbours replace one record: the mean over m records of vectors clipped to
 * `bound` has l2 sensitivity 2 bound / m, whether or not the declared constants are true.
 *
 * Handles (batches, children) belong to the oracle and are freed with it. All calls return sp_status; a failing one
 * leaves its message in the oracle (sp_oracle_error) and its output untouched. SP_EUNSUPPORTED marks a primitive, or a
 * variant of it, that this version does not have. */
#ifndef SP_PRIVACY_ORACLE_H
#define SP_PRIVACY_ORACLE_H

#include "core/base/constants.h"
#include "core/base/param.h"
#include "core/base/status.h"
#include "core/data/domain.h"

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct sp_oracle sp_oracle;
typedef struct sp_accumulator sp_accumulator;

/* --- public knowledge ------------------------------------------------------------------------------------ */

const sp_constants *sp_public(const sp_oracle *);   /* declared constants; never F* */
const sp_domain *sp_domain_of(const sp_oracle *);
size_t sp_dimension(const sp_oracle *);
size_t sp_records(const sp_oracle *);               /* n of this oracle (a child may see fewer) */
gsl_rng *sp_coins(sp_oracle *);                     /* data-independent randomness */
const double *sp_start(const sp_oracle *);          /* w0, d entries */

/* --- budget ---------------------------------------------------------------------------------------------- */

typedef struct sp_budget {
    double epsilon, delta; /* of this oracle; INFINITY, 1 when the run is not private */
    double mu;             /* largest Gaussian-DP parameter within it; INFINITY when not private */
    double rho;            /* mu^2 / 2: the zCDP budget of a ledger of unsampled Gaussians */
    double rho_z;          /* the zCDP budget of any other ledger (spec/conventions.md) */
    bool noise;            /* false: the same schedule with the noise off; the result is not private */
} sp_budget;
const sp_budget *sp_budget_of(const sp_oracle *);

typedef enum { SP_GRADIENT, SP_DIFFERENCE, SP_HESSIAN, SP_ACCUMULATED } sp_release_kind;

typedef enum {
    SP_SAMPLE_FULL,    /* every record, each time */
    SP_SAMPLE_SUBSET,  /* m records, uniform without replacement, drawn anew at each sp_draw */
    SP_SAMPLE_FRESH,   /* m records that no batch has used yet */
    SP_SAMPLE_PASS,    /* consecutive blocks of m of a permutation, fixed or reshuffled each epoch */
    SP_SAMPLE_POISSON  /* each record with probability rate */
} sp_sample_kind;

typedef struct sp_sample {
    sp_sample_kind kind;
    size_t m;
    double rate;
    bool reshuffle;
} sp_sample;

static inline sp_sample sp_full(void) { return (sp_sample){ .kind = SP_SAMPLE_FULL }; }
static inline sp_sample sp_subset(size_t m) { return (sp_sample){ .kind = SP_SAMPLE_SUBSET, .m = m }; }
static inline sp_sample sp_fresh(size_t m) { return (sp_sample){ .kind = SP_SAMPLE_FRESH, .m = m }; }
static inline sp_sample sp_pass(size_t m, bool reshuffle)
{
    return (sp_sample){ .kind = SP_SAMPLE_PASS, .m = m, .reshuffle = reshuffle };
}
static inline sp_sample sp_poisson(double rate) { return (sp_sample){ .kind = SP_SAMPLE_POISSON, .rate = rate }; }

/* A batch: opaque, valid until the next sp_draw with the same sample kind. */
typedef struct sp_batch {
    size_t id; /* 0: all records */
} sp_batch;

/* One group of releases that an algorithm announces. `sample` says which records each of them will see. */
typedef struct sp_release_plan {
    sp_release_kind kind;
    sp_sample sample;
    size_t count;      /* releases */
    double share;      /* weight of this group in the budget; all 0 means equal shares */
    double paper;      /* the noise multiplier of the printed formula, used under calibration = "paper" */
} sp_release_plan;

/* Noise multipliers, one an entry, that spend what remains of the budget on exactly the announced releases:
 *   multiplier_e = c * rate_e * sqrt(count_e / (2 share_e)),
 * with c solved against the accountant and rounded up. Without sampling the shares are shares of rho. Fresh batches are
 * disjoint: their releases run in parallel, so count does not enter. SP_EBUDGET when nothing remains. 0 when noise is
 * off or the run is not private, and for a group of no releases. A later call spends what remains anew: what an earlier
 * one announced and was not released is void. */
sp_status sp_calibrate(sp_oracle *, const sp_release_plan *, size_t entries, double *noise_multiplier);

/* zCDP still unspent (for filters); a release beyond it fails with SP_EBUDGET. INFINITY when not private. */
double sp_remaining(const sp_oracle *);

/* --- records --------------------------------------------------------------------------------------------- */

/* SP_EDRAINED when fewer than m unused records are left; SP_EINVAL for m = 0 or m > n. A subset of all n records is
 * the full batch. In a private run a subset serves one release (a second one: SP_EPRIVACY); draw anew for each. */
sp_status sp_draw(sp_oracle *, sp_sample, sp_batch *);
size_t sp_batch_size(const sp_oracle *, sp_batch); /* announced size */

/* --- noisy answers --------------------------------------------------------------------------------------- */

typedef enum { SP_NORM_L2, SP_NORM_L1, SP_NORM_LINF } sp_norm;

/* mean over the batch of clip(sum_k c_k grad f(w_k)); terms that do not depend on data are exact and outside. */
typedef struct sp_query {
    sp_batch batch;
    sp_norm norm;
    size_t terms;
    sp_term term[SP_TERMS_MAX];
    double bound; /* norm of a record's summed term; 0: the bound that the declared constants imply, |c| L_data for one
                     term, min(beta_data ||w - w'||, 2 L_data) for c = (1, -1), sum |c_k| L_data otherwise */
} sp_query;

#define SP_AT(batch_, w_) ((sp_query){ .batch = (batch_), .terms = 1, .term = { { 1.0, (w_) } } })
#define SP_BETWEEN(batch_, w_, previous_) \
    ((sp_query){ .batch = (batch_), .terms = 2, .term = { { 1.0, (w_) }, { -1.0, (previous_) } } })

/* The l2 sensitivity that the next call with this query will be charged for: 2 bound / batch size. NAN for an invalid
 * batch. */
double sp_sensitivity(const sp_oracle *, const sp_query *);

/* out[d] = mean + N(0, (noise_multiplier * sensitivity)^2 I). A zero sensitivity (two equal points) is answered
 * exactly (0 for the data part) and still charged. */
sp_status sp_gradient(sp_oracle *, const sp_query *, double noise_multiplier, double *out);
/* out[d*d], symmetric: mean of the records' Hessians + symmetric noise; Frobenius sensitivity hessian_frobenius / m. */
sp_status sp_hessian(sp_oracle *, sp_batch, const double *w, double noise_multiplier, double *out);

/* --- secret linear state --------------------------------------------------------------------------------- */

typedef enum { SP_NOISE_PLAIN, SP_NOISE_TREE, SP_NOISE_HONAKER } sp_accumulator_noise;

typedef struct sp_accumulator_plan {
    size_t adds;     /* at most so many adds between restarts (tree depth) */
    double discount; /* tree: keep at every add, 1 = none */
} sp_accumulator_plan;

/* a = 0, of dimension d; a <- keep a + q; released, never read. The oracle tracks each batch's weight (times |keep| at
 * every add); a release charges (weight / noise_std)^2 to the records of each batch. Batches: full, or fresh ones; a
 * subset has no theorem here (SP_EPRIVACY). The public part of q is kept exactly beside it and released with it. */
sp_status sp_accumulator_open(sp_oracle *, sp_accumulator_noise, const sp_accumulator_plan *, sp_accumulator **);
sp_status sp_accumulator_add(sp_accumulator *, double keep, const sp_query *);
sp_status sp_accumulator_release(sp_accumulator *, double noise_std, double *out);
sp_status sp_accumulator_restart(sp_accumulator *); /* zero, new tree; charges stay */

/* --- choices --------------------------------------------------------------------------------------------- */

typedef enum { SP_CHOOSE_EXPONENTIAL, SP_CHOOSE_NOISY_MIN, SP_CHOOSE_ABOVE_THRESHOLD } sp_chooser;

typedef enum { SP_SPACE_LIST, SP_SPACE_GENERATOR, SP_SPACE_VERTICES } sp_space_kind;
typedef struct sp_space {
    sp_space_kind kind;
    size_t count;
    const double *points; /* list: count x d */
    void (*generate)(void *context, size_t index, double *out); /* public candidates */
    void *context;
} sp_space;

typedef enum { SP_SCORE_LOSS, SP_SCORE_INNER_PRODUCT, SP_SCORE_SOSP } sp_score_kind;
typedef struct sp_score {
    sp_score_kind kind;
    const double *reference;           /* loss relative to this point */
    double radius;                     /* candidates lie within it of the reference */
    const sp_accumulator *accumulator; /* inner product */
    double gradient_scale, curvature_scale, threshold;
} sp_score;

sp_status sp_choose(sp_oracle *, sp_batch, const sp_space *, const sp_score *, sp_chooser, double epsilon, double *out,
                    size_t *index);

/* Privacy by stability: one averaged projected pass, convex and eta <= 2/beta certified, inner iterates unseen. */
sp_status sp_stable_pass(sp_oracle *, sp_batch, const double *start, double eta, double noise_multiplier, double *out);

/* --- nesting --------------------------------------------------------------------------------------------- */

typedef enum { SP_SHARE_BASIC, SP_SHARE_ZCDP, SP_SHARE_DISJOINT } sp_share;

typedef struct sp_child_options {
    sp_share mode;
    double share;             /* of the budget */
    size_t pool;              /* disjoint: records taken from the unused ones */
    const double *projection; /* k x d, applied to every record; NULL: none */
    size_t projected;         /* k */
    double gap;               /* public bound on F(start) - F*; 0: the parent's */
    const double *start;      /* NULL: the parent's */
} sp_child_options;

struct sp_method;
sp_status sp_child(sp_oracle *, const sp_child_options *, sp_oracle **);
sp_status sp_run(sp_oracle *child, const struct sp_method *, double *w);
sp_status sp_lift(const sp_oracle *child, const double *in, double *out);

/* --- reporting, one way ---------------------------------------------------------------------------------- */

/* The harness may measure w here; nothing comes back. Steps count from 0 (the start) and never fall. */
sp_status sp_checkpoint(sp_oracle *, size_t step, const double *w);

/* Where a resolved parameter came from; it is stored beside the result. */
typedef enum { SP_FROM_USER, SP_FROM_THEORY, SP_FROM_CAP, SP_FROM_BALANCE } sp_provenance;
void sp_resolved(sp_oracle *, const char *key, double value, sp_provenance);
/* A warning that is stored with the run (for instance a vacuous parameterisation); public text only. */
void sp_warn(sp_oracle *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* For algorithms: leave a message and return the status. */
sp_status sp_refuse(sp_oracle *, sp_status, const char *format, ...) __attribute__((format(printf, 3, 4)));
const sp_error *sp_oracle_error(const sp_oracle *);

#endif
