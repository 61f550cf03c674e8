/* oracle_internal.h -- the state of an oracle, and the functions that the files of core/oracle share. Included inside
 * this folder only. Terms: a batch is a set of records drawn by sp_draw; a pool is a set of records that shares no
 * record with other pools and pays for its releases alone (nesting.c); plan, gate and filter are explained in
 * charge.c. */
#ifndef SP_ORACLE_ORACLE_INTERNAL_H
#define SP_ORACLE_ORACLE_INTERNAL_H

#include "core/data/moments.h"
#include "core/oracle/oracle_host.h"
#include "core/oracle/transcript.h"

#include <stdint.h>

enum { SP_SAMPLE_KINDS = SP_SAMPLE_POISSON + 1 };

/* The last batch of one kind of sample: `count` records of `index` from `first` on. */
typedef struct sp_drawn {
    uint32_t *index; /* room for n, made at the first draw: a permutation, or what a Poisson sample holds */
    size_t first, count;
    double m;      /* announced size; 0: the batch was given to a child */
    double rate;   /* of a sample of all records */
    size_t serial; /* draws so far; part of the handle, so that an old one is told */
    size_t pool;   /* of a fresh batch */
    bool released; /* the current batch has been charged for */
} sp_drawn;

/* Passes over the records: what each record has paid for them, and the most any has. */
typedef struct sp_passes {
    size_t m, blocks; /* 0: none yet; blocks an epoch */
    bool reshuffle;
    size_t drawn;     /* blocks so far */
    double *mu2;      /* n */
    double worst;
} sp_passes;

/* Of records that are moments (core/data/moments.h): what fresh batches have left, and the last one of them. */
typedef struct sp_drawn_moments {
    sp_dataset left, batch; /* { 0 } before the first */
    sp_problem problem;     /* over the batch */
    const sp_oracle *divider; /* of an oracle with records of its own: whose fresh batches they are divided into, its
                                 own or those of a child on all of them; NULL: nobody's yet */
} sp_drawn_moments;

/* What a batch's handle stands for. */
typedef struct sp_resolved_batch {
    sp_sample_kind kind;
    const sp_problem *problem; /* over records of which the batch is `rows`: the oracle's, or one over it alone */
    sp_rows rows;    /* the records that it really holds */
    sp_rows listed;  /* the same among the oracle's, for a transcript: of moments their places in some order */
    double m;        /* announced size, by which sums are divided */
    sp_entry entry;  /* of a Gaussian release on it: count 1, the noise multiplier still to be set */
    sp_drawn *drawn; /* the sample that it is the last batch of; NULL: all records */
} sp_resolved_batch;

/* One group of releases that were announced to sp_calibrate. */
typedef struct sp_allowance {
    sp_entry entry; /* one of them, with its noise; its count is what one record pays for altogether */
    size_t left;    /* how many may still be made; 0 for groups on fresh batches, and of `mu2` */
    double mu2;     /* > 0: not single releases but so much of mu^2 in all, on one record (passes) */
    double used;    /* of `mu2` */
} sp_allowance;

/* What one pool has paid for itself. */
typedef struct sp_pool {
    double announced; /* mu^2 of the announced releases on it */
    double beside;    /* cost of all others, in the filter's unit */
} sp_pool;

/* What the gate knows (charge.c): the plan, and the cost of what was released, in the filter's unit (sp_entry_cost). */
typedef struct sp_spending {
    sp_filter filter;        /* by which unannounced releases pass */
    bool begun;              /* the first release was made: filter and plan are fixed */
    bool late;               /* the plan was announced after it: its releases count as unannounced */
    sp_allowance *group;     /* the plan */
    size_t groups;
    size_t last_group[2];    /* those that covered the last two releases */
    double plan, plan_pool;  /* cost of the whole plan, released or not: on all records, and on any one pool */
    double pool_mu2;         /* mu^2 that the plan lets one fresh batch spend */
    double announced;        /* cost of the plan's releases on all records so far */
    double beside;           /* cost of unannounced releases on all records */
    double worst;            /* the largest `beside` of a pool */
    sp_pool *pool;           /* by number, from 1 */
    size_t capacity;         /* room in `pool` */
} sp_spending;

/* One way to divide records into pools, in a ledger where another way has the numbers (nesting.c). */
typedef struct sp_family {
    double *mu2;     /* what each pool has paid, by number from 1 */
    size_t capacity; /* room in `mu2` */
    double worst;    /* the largest of `mu2` */
} sp_family;

/* An oracle's place in its parent, and its pools there. */
typedef struct sp_nesting {
    size_t pool;             /* the parent's pool that its records are; 0: all of the parent's records */
    const uint32_t *records; /* which of the parent's these are; NULL: all of them. The parent's */
    const sp_oracle *pools_of; /* whose family of pools has numbers in this ledger; NULL: there are no pools yet */
    sp_family own_pools;     /* this oracle's fresh batches, where another family has the numbers in its ledger */
    sp_family all_pools;     /* the pools of its ledger, where another family has the numbers in the parent's */
    size_t *number;          /* on records of its own: what its ledger's pools are called in the parent's; 0: not yet */
    size_t room;             /* in `number` */
    size_t numbered;         /* how many have a number */
    bool repeated;           /* one of several runs: what it releases, and says, goes no further (repeat.c) */
    sp_ledger on_all;        /* on records of its own: what it has released on all of them */
} sp_nesting;

/* How the budget is divided between an oracle and its children. */
typedef struct sp_shares {
    bool zcdp;            /* it is kept in rho_z */
    bool basic;           /* a child has an (epsilon, delta)-share of it */
    double given, beside; /* given to children: on the same records, all; on records of their own, the largest */
} sp_shares;

/* Room for one answer after the other. d: entries of w. */
typedef struct sp_scratch {
    sp_workspace *workspace; /* of the loss's engine */
    double *data, *exact;    /* d: the data part and the public part of an answer */
    double *raw;             /* d: what a transcript sees */
    double *pass_point;      /* d: the iterate of a stable pass */
    double *hessian;         /* the same of a Hessian, d x d each: data part, public part, what a transcript sees; made
                                at the first sp_hessian */
    double *losses;          /* `losses_size` doubles, grown: scores and points of a choice, records' losses */
    size_t losses_size;
    double *listed;          /* `listed_size` doubles, grown: what a generator of candidates answered */
    size_t listed_size;
} sp_scratch;

/* What methods see of what the oracle goes by. Copies: whatever they write there changes nothing here. */
typedef struct sp_shown {
    sp_constants constants;
    sp_domain domain;
    sp_budget budget;
    double *start;  /* d */
    double *vertex; /* of a polytope: vertices x d; NULL: none */
} sp_shown;

struct sp_oracle {
    sp_oracle_options options;
    const sp_problem *problem;
    sp_budget budget;
    sp_shown shown;
    struct sp_transcript *transcript; /* NULL: no audit listens; not owned */
    bool charged; /* private, with its noise: releases are noisy and paid for */

    sp_ledger ledger;     /* with the children's entries */
    sp_spending spending; /* of its own releases, without theirs */
    sp_shares shares;

    gsl_rng *coins, *sampling, *noise, *selection; /* the root's */
    bool asking, reentered; /* the root's: a generator of candidates is being asked, and has called the oracle */
    bool foreseen; /* the root's: sp_pass_cost has told something of what `sampling` is going to give */
    sp_drawn drawn[SP_SAMPLE_KINDS];
    sp_passes passes;
    size_t drained; /* records that fresh batches have used */
    sp_drawn_moments moments;
    size_t pools; /* numbers in use: of fresh batches, and of those of children on such a batch */

    /* nesting */
    sp_oracle *parent;   /* NULL: the run's own */
    double planned_calls, planned_releases; /* what its sp_calibrate, and those of its children, have announced */
    sp_oracle *children; /* the newest first, linked by `next`; owned */
    sp_oracle *next;
    sp_nesting nesting;
    sp_problem child_problem; /* a child's: what `problem` points to */
    sp_dataset child_data;    /* its records, where they are not all of its parent's as they are */
    double *child_start;      /* its start, of its dimension */
    double *projection;       /* k x d, row-major; NULL: none */
    size_t base;              /* the parent's step that its steps add to */
    bool based;               /* `base` is set: it has had a checkpoint */

    sp_scratch scratch;
    sp_accumulator *accumulators;

    sp_cost cost;
    const char *stage;       /* a child's name */
    sp_resolved_value resolved[SP_RESOLVED_MAX];
    size_t resolved_count;
    sp_text warning;
    sp_warning_set warned;           /* codes of these */
    double promise, promise_at_start; /* of sp_promised; NAN: nothing was promised */
    size_t step; /* of the last checkpoint */
    sp_error error;
};

/* The workspace and the vectors of an oracle whose problem and budget are set, and what it shows; false when out of
 * memory. */
bool sp_oracle_scratch(sp_oracle *);
/* d x d each: see sp_scratch.hessian. */
sp_status sp_oracle_hessian_scratch(sp_oracle *, const char *what);
/* Room for so many doubles in scratch.losses. */
sp_status sp_oracle_losses_scratch(sp_oracle *, size_t size, const char *what);
sp_oracle *sp_oracle_root(sp_oracle *);
/* What a repeated run has warned of and promised, to the oracle that repeats it. */
void sp_take_told(sp_oracle *, const sp_oracle *child);
void sp_cost_add(sp_cost *, sp_cost);
/* Every call that methods may make asks this first: SP_EPRIVACY within a generator of candidates. */
sp_status sp_not_reentered(sp_oracle *);
sp_status sp_reentered(sp_oracle *); /* says so */
/* SP_EREHEARSED where the problem has no records; asked before any is touched, and when the call is otherwise in
 * order. */
sp_status sp_not_rehearsed(sp_oracle *);

/* The budget is kept to this relative tolerance. */
#define SP_BUDGET_TOLERANCE (1.0 + 1e-9)
/* What 10^6 releases, added up one by one, may exceed their announced sum by: rounding. */
#define SP_SUM_TOLERANCE (1.0 + 1e-10)

/* Between these, squares, sums over records and noise are neither lost to 0 nor infinite. What bounds an answer counts
 * as at least the smaller one, unless it is 0; a private answer whose bound is above the larger one is refused. */
#define SP_MAGNITUDE_MIN 1e-150
#define SP_MAGNITUDE_MAX 1e150

/* A Gaussian release on all records, whose noise is still to be set. Copied: to clear an entry takes 10 ns. */
extern const sp_entry sp_gauss_once;

/* SP_EINVAL for a handle that is no longer valid. */
sp_status sp_batch_resolve(sp_oracle *, sp_batch, sp_resolved_batch *);
/* SP_EPRIVACY when no theorem covers another release on this batch. */
sp_status sp_batch_check(sp_oracle *, const sp_resolved_batch *);
sp_status sp_pass_check(sp_oracle *, const sp_sample *);
/* SP_EUNSUPPORTED where the records are moments: `what` asks for some of them by themselves. */
sp_status sp_records_check_single(sp_oracle *, const char *what);
size_t sp_pass_blocks(size_t n, size_t m);

/* A query that has been checked. */
typedef struct sp_question {
    sp_resolved_batch resolved; /* its batch */
    double bound;       /* to which each record's vector is clipped in l2 */
    double sensitivity; /* l2, replace one: 2 bound / m */
    double unit;        /* what the noise multiplier is relative to */
} sp_question;
/* Its numbers and points, and question->resolved. */
sp_status sp_query_points(sp_oracle *, const sp_query *, sp_question *);
/* The rest of a question that is resolved; SP_EPRIVACY where no noise would be relative to this bound. */
sp_status sp_question_bound(sp_oracle *, sp_question *, double bound);
/* Both, of a query of gradients. */
sp_status sp_query_check(sp_oracle *, const sp_query *, sp_question *);
double sp_query_distance(size_t d, const double *v, const double *w); /* ||v - w||_2 */
/* data[d] = the clipped mean, without noise; exact[d] = the public part. Counts the cost. */
void sp_query_answer(sp_oracle *, const sp_query *, const sp_question *, double *data, double *exact);
sp_status sp_point_check(sp_oracle *, const char *what, const double *w);
sp_status sp_noise_check(sp_oracle *, const char *what, double value);

/* SP_EPRIVACY for an entry whose noise this oracle does not count under the run's neighbours. */
sp_status sp_neighbours_check(sp_oracle *, const sp_entry *);

/* Pay for one release: at most one unsampled Gaussian a pool. Nothing is written unless the gate lets the whole pass.
 * */
sp_status sp_charge(sp_oracle *, const sp_entry *, size_t entries);
/* The same for one entry on one batch, which knows who pays. */
sp_status sp_charge_batch(sp_oracle *, sp_resolved_batch *, const sp_entry *);
/* The same for a Gaussian release of noise noise_multiplier times `unit`. */
sp_status sp_release_charge(sp_oracle *, sp_resolved_batch *, double noise_multiplier, double unit);
/* A random walk's delta. */
double sp_walk_delta(double epsilon, double tv);
/* The entry that raises what all records pay for passes to `worst`; false: it does not. */
bool sp_pass_entry(const sp_oracle *, double worst, sp_entry *);
/* Room to charge pool numbers up to `pools`. */
sp_status sp_charge_reserve_pools(sp_oracle *, size_t pools);
/* The entry goes into the ledger and those of the parents, where it may become another one. Room is reserved, and the
 * entry was checked. */
void sp_nesting_post(sp_oracle *, sp_entry *);
/* Room for these. */
sp_status sp_nesting_reserve(sp_oracle *, const sp_entry *, size_t entries);
/* A child for one run, on all records, of its parent's whole budget where that is not private, else rho-zCDP. */
sp_status sp_child_repeated(sp_oracle *, double rho, sp_oracle **);
/* Frees a child; its cost stays the parent's. */
void sp_child_drop(sp_oracle *, sp_oracle *child);
/* The noise multiplier of planned repetitions that spends what remains, the plan announced; the same with the noise
 * off. */
sp_status sp_repeats_noise(sp_oracle *, const sp_release_plan *, double *noise_multiplier);
void sp_nesting_free(sp_nesting *);
void sp_spending_free(sp_spending *);
/* The shares have changed from `before` to what they are: SP_EBUDGET when releases of this oracle were judged against
 * more than is left for them. What was announced is void. */
sp_status sp_charge_keep(sp_oracle *, const sp_shares *before);

/* --- accumulators, for choices */
typedef struct sp_secret {
    const double *data, *exact; /* d: the data part (NULL under a tree) and the public part */
    double worst;               /* the largest weight of a record */
    sp_norm norm;               /* in which */
    bool shared;                /* some batch is not a pool */
} sp_secret;
sp_secret sp_accumulator_secret(const sp_accumulator *);
/* Its batches; when none is shared, each is a pool with a weight. */
size_t sp_accumulator_pools(const sp_accumulator *);
double sp_accumulator_pool(const sp_accumulator *, size_t i, size_t *pool);
const sp_oracle *sp_accumulator_oracle(const sp_accumulator *);

void sp_accumulators_free(sp_accumulator *);

#endif
