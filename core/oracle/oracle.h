/* oracle.h -- a problem seen through a privacy budget: the only access that methods have to the data.
 *
 * Every release (noisy value) draws its noise and writes its ledger entry in the same call. A method never holds an
 * unnoised vector that depends on the data. Neighbours replace one record: the mean over m records of vectors clipped
 * to `bound` has l2 sensitivity 2 bound / m, whether or not the declared constants are true.
 *
 * Handles (batches, children) belong to the oracle and are freed with it. All calls that can fail return sp_status; on
 * failure the message is in the oracle (sp_oracle_error) and the output is unchanged. SP_EUNSUPPORTED marks a
 * primitive, or a variant of it, that does not exist here. */
#ifndef SP_ORACLE_ORACLE_H
#define SP_ORACLE_ORACLE_H

#include "core/accountant/filter.h"
#include "core/base/constants.h"
#include "core/base/param.h"
#include "core/numeric/rng.h"
#include "core/base/status.h"
#include "core/base/warnings.h"
#include "core/data/domain.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct sp_oracle sp_oracle;
typedef struct sp_accumulator sp_accumulator;

/* Under add-remove neighbours, which a run may ask for, n is the announced number of records; releases on Poisson
 * samples of rate < 1 are let pass, all others and children are refused (SP_EPRIVACY). */

/* --- public knowledge ------------------------------------------------------------------------------------ */

/* What these point to are copies: the oracle goes by its own. */
const sp_constants *sp_public(const sp_oracle *);   /* declared constants; never F* */
const sp_domain *sp_domain_of(const sp_oracle *);
size_t sp_dimension(const sp_oracle *);
size_t sp_records(const sp_oracle *);               /* n of this oracle (a child may see fewer) */
sp_rng *sp_coins(sp_oracle *);                      /* data-independent randomness */
const double *sp_start(const sp_oracle *);          /* w0, d entries */

/* --- budget ---------------------------------------------------------------------------------------------- */

typedef struct sp_budget {
    double epsilon, delta; /* of this oracle; INFINITY, 1 when the run is not private */
    double mu;             /* largest Gaussian-DP parameter within it; INFINITY when not private */
    double rho;            /* mu^2 / 2: the zCDP budget of a ledger of unsampled Gaussians */
    double rho_z;          /* the zCDP budget of any other ledger (spec/conventions.md) */
    bool noise;            /* false: the same schedule with the noise off; the result is not private */
    double pure;           /* what the epsilons of pure releases may sum to, whatever delta is; 0: kept in zCDP */
    bool paper;            /* privacy.calibration = paper: noise by the printed formulas, whatever it costs */
} sp_budget;
const sp_budget *sp_budget_of(const sp_oracle *);

typedef enum {
    SP_GRADIENT, SP_DIFFERENCE, SP_HESSIAN, SP_MEAN_LOSS, SP_TRACE, SP_SOLUTION, SP_ACCUMULATED, SP_SELECTION,
    SP_REPEATS
} sp_release_kind;

typedef enum { SP_CHOOSE_EXPONENTIAL, SP_CHOOSE_NOISY_MIN, SP_CHOOSE_ABOVE_THRESHOLD } sp_chooser;

typedef enum {
    SP_SAMPLE_FULL,    /* every record, each time */
    SP_SAMPLE_SUBSET,  /* m records, uniform without replacement, drawn anew at each sp_draw */
    SP_SAMPLE_FRESH,   /* m records that no batch has used yet */
    SP_SAMPLE_PASS,    /* consecutive blocks of m of a permutation, fixed or reshuffled each epoch; no amplification */
    SP_SAMPLE_POISSON  /* each record with probability rate; announced size rate n, the real one is never told */
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
    sp_chooser chooser; /* SP_SELECTION: its cost is fixed, its multiplier is 0 */
    double epsilon;     /* SP_SELECTION: of each */
    double tv;          /* SP_SELECTION: > 0: it is a random walk, of this word (sp_continuum) */
    /* SP_REPEATS: how many runs (sp_repeats), of which one is rho-zCDP, rho = 1 / (2 multiplier^2) */
    double mean, shape;
    size_t cap;
} sp_release_plan;

/* Noise multipliers, one an entry, that spend what remains of the budget on exactly the announced releases:
 *   multiplier_e = c * rate_e * sqrt(count_e / (2 share_e)),
 * with c solved against the accountant and rounded up; a Poisson sample's is 2 rate_e sqrt(...). Without sampling the
 * shares are shares of rho. Fresh batches are disjoint: their releases run in parallel, so count does not enter. In a
 * pass a record is in one block an epoch: count_e is the number of epochs that are touched. SP_ACCUMULATED on fresh
 * batches or a pass: the multiplier is noise_std / sqrt(sp_node_cost) for unit sensitivities (one record's weights, all
 * its releases together), so count does not enter either. SP_EBUDGET when nothing remains. 0 when noise is
 * off or the run is not private, and for a group of no releases.
 *
 * What is announced before the first release is judged as a whole, by the best bound that the accountant has for it;
 * its releases may come in any order, with more noise, or not at all. A later call before the first release replaces
 * the plan. After the first release nothing is announced: such a plan gets the multipliers with which it passes the
 * filter (below), on what that has left; what an earlier plan announced and was not released is void. */
sp_status sp_calibrate(sp_oracle *, const sp_release_plan *, size_t entries, double *noise_multiplier);
/* Whether a plan may hold subsets: before the first release and not under zCDP shares, of which sampling has none. The
 * same with the noise off. */
bool sp_subsets_count(const sp_oracle *);

/* How this oracle counts releases that it was not told of before its first one: SP_FILTER_ZCDP where nothing is said,
 * SP_FILTER_GAUSS for Gaussian releases alone, SP_FILTER_BASIC for choices alone. The whole plan, released or not,
 * counts with them; where the plan is above the filter's limit, nothing else passes. To be said before plan and release
 * (SP_EINVAL). Under zCDP shares SP_FILTER_GAUSS changes nothing, and SP_FILTER_BASIC is refused (SP_EPRIVACY). */
sp_status sp_filter_by(sp_oracle *, sp_filter);

/* What the filter still lets pass on all records, in zCDP, mu^2 or epsilon; a release beyond it fails with SP_EBUDGET.
 * INFINITY when not private. */
double sp_remaining(const sp_oracle *);

/* --- records --------------------------------------------------------------------------------------------- */

/* SP_EDRAINED when fewer than m unused records are left; SP_EINVAL for m = 0 or m > n, or a rate outside (0, 1]. A
 * subset of all n records, and a Poisson sample of rate 1, is the full batch. In a private run a subset and a Poisson
 * sample serve one release (a second one: SP_EPRIVACY); draw anew for each. The last block of an epoch of a pass holds
 * what is left over; an oracle has one kind of pass (another one: SP_EUNSUPPORTED). */
sp_status sp_draw(sp_oracle *, sp_sample, sp_batch *);
size_t sp_batch_size(const sp_oracle *, sp_batch); /* announced size, to the nearest record; 0 for an invalid one */

/* --- noisy answers --------------------------------------------------------------------------------------- */

/* mean over the batch of clip(sum_k c_k grad f(w_k)); terms that do not depend on data are exact and outside. */
typedef struct sp_query {
    sp_batch batch;
    sp_norm norm; /* in which a record's terms are cut: l2, or for accumulators that choices alone read l_inf */
    size_t terms;
    sp_term term[SP_TERMS_MAX];
    double bound; /* norm of a record's summed term; 0: the bound that the declared constants imply, |c| L_data for one
                     term, min(beta_data ||w - w'||, 2 L_data) for c = (1, -1), sum |c_k| L_data otherwise; in l_inf
                     L_data_linf and beta_data_linf ||w - w'||_1, where they are smaller */
    double
        normalise; /* xi > 0: a record's summed term v becomes bound v / (||v|| + xi), shorter than the bound, in place
                         of being cut to it. In l2, and not of summed data (SP_EUNSUPPORTED); 0: it is cut */
} sp_query;

#define SP_AT(batch_, w_) ((sp_query){ .batch = (batch_), .terms = 1, .term = { { 1.0, (w_) } } })
#define SP_BETWEEN(batch_, w_, previous_) \
    ((sp_query){ .batch = (batch_), .terms = 2, .term = { { 1.0, (w_) }, { -1.0, (previous_) } } })

/* What the noise multiplier of the next call with this query is relative to: its sensitivity 2 bound / batch size;
 * on a Poisson sample the bound on one record's part, bound / (rate n) (ledger.h). NAN for an invalid batch. */
double sp_sensitivity(const sp_oracle *, const sp_query *);

/* out[d] = mean + N(0, (noise_multiplier * sensitivity)^2 I). A zero sensitivity (two equal points) is answered
 * exactly (0 for the data part) and still charged. */
sp_status sp_gradient(sp_oracle *, const sp_query *, double noise_multiplier, double *out);
/* out[d*d], symmetric: mean of the records' Hessians + symmetric noise; Frobenius sensitivity hessian_frobenius / m.
 * On a Poisson sample the multiplier is relative to one record's part, hessian_norm / (rate n). */
sp_status sp_hessian(sp_oracle *, sp_batch, const double *w, double noise_multiplier, double *out);
/* The same, and the same charge, with the noise that papers print: one number of deviation noise_multiplier times the
 * sensitivity for each entry on and above the diagonal, mirrored below it. Off the diagonal that is twice the variance
 * of sp_hessian's noise, which already suffices. */
sp_status sp_hessian_mirrored(sp_oracle *, sp_batch, const double *w, double noise_multiplier, double *out);

/* *out = mean over the batch of clip(sum_k c_k f(w_k)) + N(0, (noise_multiplier * sensitivity)^2), a number; clip cuts
 * it to +-bound, and what is not finite counts as 0. Terms that do not depend on data are exact and outside. bound = 0:
 * what L_data implies where the coefficients sum to 0, sum_k |c_k| L_data ||w_k - w_K||, w_K the last point; SP_EINVAL
 * otherwise, for a loss alone has none. The sensitivity is 2 bound / batch size; on a Poisson sample the multiplier is
 * relative to one record's part, bound / (rate n). The query's norm and normalise play no part. Of summed data, which
 * have no records to cut: SP_EUNSUPPORTED unless the points are in the domain and the certified L keeps every record
 * within the bound. */
sp_status sp_mean_loss(sp_oracle *, const sp_query *, double noise_multiplier, double *out);

/* --- secret curvature ------------------------------------------------------------------------------------ */

/* Of a GLM: the matrix H = mean over the batch of h_i x_i x_i' at w = `point`, 0 <= h_i x_i'x_i <= b =
 * sp_public(o)->hessian_norm. It stays here, and so do the x_i. A Poisson sample has no theorem (SP_EPRIVACY). */
typedef struct sp_curvature {
    sp_batch batch;
    const double *point; /* d */
    sp_weights weights;
} sp_curvature;

/* *out = trace H + N(0, (noise_multiplier b / m)^2), m the batch size: its sensitivity is b / m. */
sp_status sp_curvature_trace(sp_oracle *, const sp_curvature *, double noise_multiplier, double *out);
/* out[d] = (H + E + ridge I)^-1 v + N(0, (noise_multiplier sensitivity)^2 I); v, of d entries, and ridge are public. E
 * is the diagonal matrix of the regulariser's curvature by the same weights, none of it negative. Its sensitivity is
 *   ||v|| b / (m k^2 + b k),   k = ridge + the smallest entry of E            (curvature.c has the proof)
 * SP_EINVAL for a ridge below 0, and unless k > 0; SP_EPRIVACY in a private run where k <= 1e-9 b, for rounding might
 * tell then. */
double sp_curvature_sensitivity(const sp_oracle *, const sp_curvature *, double ridge, const double *v); /* or NAN */
sp_status sp_curvature_solve(sp_oracle *, const sp_curvature *, double ridge, const double *v,
                             double noise_multiplier, double *out);

/* --- secret linear state --------------------------------------------------------------------------------- */

typedef enum { SP_NOISE_PLAIN, SP_NOISE_TREE, SP_NOISE_HONAKER, SP_NOISE_SQRT } sp_accumulator_noise;

typedef struct sp_accumulator_plan {
    size_t adds;   /* a tree, square root: at most so many releases between restarts */
    double keep;   /* square root: that of every add, in [0, 1] */
    size_t period; /* square root: blocks of the fixed pass; 1: full batches, 0: fresh ones */
} sp_accumulator_plan;

/* a = 0, of dimension d; a <- keep a + q; released, never read. The oracle tracks each batch's weight (times |keep| at
 * every add); a release charges (weight / noise_std)^2 to the records of each batch. Batches: full, fresh, or of a
 * pass; a subset or a Poisson sample has no theorem here, nor has the release of fresh batches and a pass together
 * (SP_EPRIVACY). The public part of q is kept exactly beside it and released with it.
 *
 * What is added in l_inf makes all weights bounds on the l_inf norm, which Gaussian noise does not answer for: from
 * then until a restart, or an add that keeps nothing, a release is refused (SP_EPRIVACY), and only choices by inner
 * product read it: the difference of <w, a> and <w', a> moves by a weight times ||w - w'||_1. Plain noise alone.
 *
 * Tree (needs a plan): the adds since the last release are a step, and the release at step t noises one dyadic block of
 * steps, with noise_std a coordinate; its answer sums up to log2 t blocks, each with noise of its own. A record in one
 * add pays for at most floor(log2 adds) + 1 blocks, for the weight it has at their ends. Any keep will do. Honaker
 * noises every node of the tree and weighs them: less noise in the answer for about twice the charge of the average
 * record.
 *
 * Square root (needs a plan; banded.c has the argument): a release after every add, each with the same keep and, from a
 * restart to the next, the same noise_std; noise of one release is taken back in part by later ones. A record pays in
 * advance, at the release of its add for all `adds` releases. Batches are of one kind: fresh ones, each in one add; or
 * all blocks of a fixed pass in the order drawn, or full batches, none with a larger sensitivity than the first. */
sp_status sp_accumulator_open(sp_oracle *, sp_accumulator_noise, const sp_accumulator_plan *, sp_accumulator **);
sp_status sp_accumulator_add(sp_accumulator *, double keep, const sp_query *);
sp_status sp_accumulator_release(sp_accumulator *, double noise_std, double *out);
sp_status sp_accumulator_restart(sp_accumulator *); /* zero, new tree; charges stay */
/* max over records of sum over releases (weight)^2, when `adds` adds of sensitivity 1, each multiplied by keep before
 * the next, are each released at once: a record pays cost (sensitivity / noise_std)^2 of mu^2. The record of add t
 * comes back at t + period, t + 2 period, ... (a fixed pass of `period` blocks); period 0: never (fresh batches). NAN
 * when out of memory (square root alone). */
double sp_node_cost(sp_accumulator_noise, size_t adds, size_t period, double keep);
/* The same for `adds` adds of a pass in blocks of m that is reshuffled each epoch, by a tree: draws the permutations of
 * the coming epochs now and goes through all records. They do not depend on records, and given them the releases are
 * Gaussian, so noise of that cost is private although it tells about them. At an epoch's start alone (SP_EINVAL); what
 * else is sampled before the last add changes the permutations, and the gate refuses what then costs more. From then on
 * a private run draws no subsets or Poisson samples (SP_EPRIVACY): they would be drawn from the same numbers, and have
 * to be secret. */
sp_status sp_pass_cost(sp_oracle *, sp_accumulator_noise, size_t m, size_t adds, double keep, double *cost);
/* Variance of a coordinate of the answers, mean over the releases of the same schedule, in units of noise_std^2; NAN
 * when out of memory. */
double sp_answer_variance(sp_accumulator_noise, size_t adds, size_t period, double keep);
/* The same of the answer that has the largest. */
double sp_answer_variance_max(sp_accumulator_noise, size_t adds, size_t period, double keep);

/* --- choices --------------------------------------------------------------------------------------------- */

typedef enum { SP_SPACE_LIST, SP_SPACE_GENERATOR, SP_SPACE_VERTICES, SP_SPACE_GRID } sp_space_kind;
typedef struct sp_space {
    sp_space_kind kind;
    size_t count;
    const double *points; /* list: count x d; grid: NULL, or d entries: the last candidate */
    /* generator: public candidates. Each is asked for once, the first one first; a call of the oracle from within is
     * refused, and the choice with it (SP_EPRIVACY) */
    void (*generate)(void *context, size_t index, double *out);
    void *context;
    /* grid: origin_j + i_j spacing, i_j < side (the first coordinate's runs first), each projected into W: the domain,
     * on the whole space the ball of the score's radius about its reference, which has to cover a domain (of summed
     * data W is what the two have in common). For the exponential mechanism of losses alone; its range is that of two
     * points at that radius, whatever the points. */
    const double *origin;
    double spacing;
    size_t side;
    bool search; /* find the choice without a score for each point: choose_grid.c. The time then tells about records */
} sp_space;

enum { SP_GRID_SEARCH_D = 3 }; /* a search is for d up to this */
#define SP_GRID_MAX 0x1p50     /* points */

typedef enum { SP_SCORE_LOSS, SP_SCORE_INNER_PRODUCT, SP_SCORE_SOSP } sp_score_kind;
typedef struct sp_score {
    sp_score_kind kind;
    /* loss: public; f(w) - f(reference) is cut to +-L_data ||w - reference||, each record's. Of summed data, which have
     * no records to cut, it has to be in the domain. */
    const double *reference;
    double radius;           /* loss: > 0: a candidate further away than this from the reference is refused */
    const sp_accumulator *accumulator; /* inner product <w, a>; of plain noise. Its batches pay, by their weights */
    double gradient_scale, curvature_scale; /* SOSP: max(||grad F|| / first, -lambda_min(hess F) / second), d <= 200 */
    double threshold;                       /* AboveThreshold: stops at the first score below it, noises added */
    const double *offset;    /* of a list or a generator: `count` public numbers, added to the scores; NULL: none */
} sp_score;

/* The candidate of (nearly) the smallest score over the batch, epsilon-DP: out[d] and its index (may be NULL). Scores
 * never leave. AboveThreshold without a hit: *index = count and `out` untouched. The choice is charged to the records
 * of the batch; on a subset, a Poisson sample or a pass to all records, without amplification. Without noise: the
 * smallest, the first of equals; of a search one within L_data times half a cell's diagonal of it. SP_SPACE_VERTICES:
 * SP_EUNSUPPORTED on a domain without vertices. A search needs a certified L in a private run (SP_EPRIVACY); of the
 * losses it looks at only those at the reference count as cost. */
sp_status sp_choose(sp_oracle *, sp_batch, const sp_space *, const sp_score *, sp_chooser, double epsilon, double *out,
                    size_t *index);

/* The exponential mechanism without a list: one draw from the density ~ exp(-tau u) on W, which is the domain, on the
 * whole space the ball of `radius` about `centre`; u and its range are those of a grid's losses, tau = epsilon / Dr.
 *
 * By rejection (moves = 0): uniform proposals, accepted with probability exp(-tau (u - lower)), lower a bound that a
 * search finds. The law is exact, the time tells about records; d <= SP_GRID_SEARCH_D, and a certified L as for a
 * search, and so many trials that none is accepted with probability 2^-53 at most, whatever the records (SP_EPRIVACY).
 * Without noise: the smallest u among some uniform points.
 * By Metropolis' random walk (moves > 0) from Proj(out), public, with steps N(0, move_std^2 I). If the law of its last
 * point is within `tv` in total variation of the density, on every two neighbours, it is (epsilon, (1 + e^epsilon)
 * tv)-DP, and is charged that. Nothing here can tell: tv is the caller's word, and without one (NAN) the cost is
 * infinite, so that a private run is refused (SP_EPRIVACY). Without noise: moves downhill alone. */
typedef struct sp_continuum {
    const double *centre; /* d, public */
    double radius;
    double trials;        /* rejection */
    size_t moves;
    double move_std, tv;
} sp_continuum;
sp_status sp_choose_point(sp_oracle *, const sp_continuum *, double epsilon, double *out);

/* The exponential mechanism coordinate by coordinate: where F is c (1 - (1/d) sum_j A_j cos(sqrt(d) w_j - phi_j))
 * (sp_constants.cosines), one draw from the density ~ exp(-tau F) on the public torus (-pi, pi]^d / sqrt(d), on which F
 * takes all its values. One record moves a difference of two values of F by at most Dr = 4 c / n; tau = epsilon / Dr.
 * The law is exact for any d, and the time does not depend on it. A and phi stay here. Without noise: a minimiser of F.
 * SP_EUNSUPPORTED where F is not of that form, as on a bounded domain. */
sp_status sp_choose_product(sp_oracle *, double epsilon, double *out);

/* Privacy by stability: out = the average iterate of one projected pass over the batch, v <- Proj(v - eta grad f(v,
 * z)), from Proj(start), + N(0, (noise_multiplier s)^2 I), s the sensitivity below. Inner iterates are unseen. In a
 * private run the objective has to be certified convex with eta <= 2 / beta (else SP_EPRIVACY); a Poisson sample has no
 * theorem. Project the answer yourself where that matters. */
sp_status sp_stable_pass(sp_oracle *, sp_batch, const double *start, double eta, double noise_multiplier, double *out);
/* Of a pass over m records: 2 L_data eta, and on a bounded domain what projections forgive besides (stable.c). */
double sp_stable_sensitivity(const sp_oracle *, size_t m, double eta);

/* --- nesting --------------------------------------------------------------------------------------------- */

typedef enum {
    SP_SHARE_BASIC,   /* (share epsilon, share delta) */
    SP_SHARE_ZCDP,    /* share rho_z: Gaussians, choices; sampling has no zCDP. The parent's rest is in rho_z, too */
    SP_SHARE_DISJOINT, /* the same share of a budget on records of its own */
    SP_SHARE_REPEAT    /* sp_repeat makes these; nobody else (SP_EINVAL) */
} sp_share;

typedef struct sp_child_options {
    sp_share mode;
    double share;             /* (0, 1] of the parent's whole budget */
    size_t pool;              /* disjoint: records taken from the unused ones */
    const double *projection; /* k x d, public, applied to every record of a GLM, then cut to norm 2 R; NULL: none */
    size_t projected;         /* k */
    double envelope;          /* b > 0: the link phi of a GLM, convex and L0-Lipschitz, becomes its Moreau envelope
                                 min_u phi(u) + (b/2)(u - m)^2: convex, L_data as before, beta_data = b R^2, between
                                 phi - L0^2/(2b) and phi; a public map of each record's loss, charged like any child
                                 (losses/engine/envelope.h, child.c); 0: none. F_b is what the child sees; checkpoints
                                 measure F */
    double gap;               /* public bound on F(start) - F*; 0: the parent's + L ||start - its start||, after a
                                 projection or an envelope the certified one or the parent's, if larger */
    double distance;          /* public bound on ||start - w*||; 0: the parent's + ||start - its start||, after a
                                 projection or an envelope the certified one */
    const double *start;      /* of the child's dimension; NULL: the parent's, projected like the records */
    const char *stage;        /* static, "first": what the child resolves is stored as first.eta, ...; NULL: no */
} sp_child_options;

/* The share leaves the parent's budget now, and what was announced there is void. Once the parent has released
 * something itself it has no (epsilon, delta)-shares to give any more (SP_EBUDGET), except to children on records of
 * their own while nothing was released on all records; zCDP shares come out of what its filter has left. Shares of
 * children on the same records add up to at most 1 (SP_EBUDGET beyond); children on records of their own run beside one
 * another and leave releases on all records what the largest of them does not take. An oracle gives basic shares or
 * zCDP shares, not both (SP_EPRIVACY). All of a child's entries and costs are its parent's too; its checkpoints go on
 * from the parent's step. */
sp_status sp_child(sp_oracle *, const sp_child_options *, sp_oracle **);
/* out = projection' in, in the parent's domain; a copy without a projection. */
sp_status sp_lift(const sp_oracle *child, const double *in, double *out);

/* The best of K runs, K drawn from the coins: truncated negative binomial (core/accountant/repetitions.h), cut where
 * that costs a thousandth of delta.
 * Each run has a child of its own, and its score is the mean clipped loss difference of its answer to the start, noise
 * added. One run with its score is rho-zCDP, whatever it does: children of this kind keep a budget in zCDP, so that
 * nothing in them is sampled. A run that fails has the score INFINITY. The ledger gets one entry `select`, for which
 * RDP alone has a theorem; the rest of the budget is spent on it. What the others released, checkpoints and warnings of
 * theirs included, is forgotten; a method may not tell it either, nor K, nor which of the runs was the best. */
typedef struct sp_repeats {
    double mean, shape; /* of K: mean > 1; shape > -1, 0 for the logarithmic law, 1 for the geometric one */
    double score;       /* (0, 1): the part of a run's rho that its score takes */
    const char *stage;  /* static, "method": what the best run resolved is stored as method.eta, ...; NULL: no */
    size_t size;        /* numbers in an answer: d of the iterate, then what is to be known of the best run besides */
    /* One run: answer[size]. May draw coins. */
    sp_status (*attempt)(void *context, sp_oracle *run, double *answer);
    void *context;
} sp_repeats;

/* answer[size] and *score of the best; INFINITY where it failed, and then its status is returned, its message in the
 * oracle. To be the oracle's first release, and its last (SP_EPRIVACY, SP_EBUDGET); a budget that is kept in zCDP has
 * no theorem for it (SP_EPRIVACY). SP_ENOMEM, SP_ELIMIT and SP_EINTERRUPTED of a run end all. */
sp_status sp_repeat(sp_oracle *, const sp_repeats *, double *answer, double *score);

/* --- reporting, one way ---------------------------------------------------------------------------------- */

/* The harness may measure w here; nothing comes back. Steps count from 0 (the start) and never fall. */
sp_status sp_checkpoint(sp_oracle *, size_t step, const double *w);

/* w is one of the points of which the answer is one at random, each as likely: the harness may measure at all of them,
 * for the mean over the draw. Nothing comes back. */
sp_status sp_candidate(sp_oracle *, const double *w);
/* w is where one method within this one has ended and another goes on: the harness may measure there. Nothing comes
 * back. */
sp_status sp_hand_over(sp_oracle *, const double *w);

/* Where a resolved parameter came from; it is stored beside the result. */
typedef enum { SP_FROM_USER, SP_FROM_THEORY, SP_FROM_CAP, SP_FROM_BALANCE } sp_provenance;
void sp_resolved(sp_oracle *, const char *key, double value, sp_provenance);
/* The same of a parameter that a cap may have cut: SP_FROM_CAP where it is not `wanted`, which is stored beside it. */
void sp_capped(sp_oracle *, const char *key, double value, double wanted, sp_provenance otherwise);
double sp_told(const sp_oracle *, const char *key); /* what sp_resolved was last told here; NAN: nothing */
/* A warning that is stored with the run, public text only; the code is for programs (core/base/warnings.h). Without one
 * it is SP_WARNED_METHOD. */
void sp_warn_of(sp_oracle *, sp_warning, const char *format, ...) __attribute__((format(printf, 3, 4)));
void sp_warn(sp_oracle *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A bound that the method promises at its parameters, and the value that is known at the start: both public, stored
 * with the run. If a run promises several, the first vacuous one is stored (bound >= at_start), and without one the
 * first. */
void sp_promised(sp_oracle *, double bound, double at_start);
/* For algorithms: leave a message and return the status. */
sp_status sp_refuse(sp_oracle *, sp_status, const char *format, ...) __attribute__((format(printf, 3, 4)));
const sp_error *sp_oracle_error(const sp_oracle *);

#endif
