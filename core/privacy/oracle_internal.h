/* oracle_internal.h -- the oracle's state, for the files that implement it. Included inside core/privacy/ only. */
#ifndef SP_PRIVACY_ORACLE_INTERNAL_H
#define SP_PRIVACY_ORACLE_INTERNAL_H

#include "core/privacy/oracle_host.h"

#include <stdint.h>

/* A permutation of the records of which m, from `first` on, are the current batch. */
typedef struct sp_drawn {
    uint32_t *permutation; /* n, made at the first draw */
    size_t first, m;
    size_t serial;  /* draws so far; part of the handle, so that an old one is told */
    bool released;  /* the current batch has been charged for */
} sp_drawn;

/* A batch, resolved: its records, its announced size, and how the ledger calls a release on it. */
typedef struct sp_part {
    sp_rows rows;
    size_t m;
    sp_entry entry; /* count 1, the noise multiplier still to be set */
    sp_drawn *drawn; /* NULL: all records */
} sp_part;

/* Releases announced to sp_calibrate and not made yet. */
typedef struct sp_allowance {
    sp_entry entry; /* pool 1: any fresh batch */
    size_t left;
} sp_allowance;

/* The ledger as far as the budget depends on it: unsampled Gaussians by mu^2. */
typedef struct sp_spent {
    double mu2;             /* on all records */
    double *pool_mu2;       /* on each pool, from 1 */
    size_t capacity;
    double worst;           /* pool */
    sp_ledger sampled;      /* the rest */
} sp_spent;

struct sp_oracle {
    sp_oracle_options options;
    const sp_problem *problem;
    sp_budget budget;
    bool charged; /* private, with its noise: releases are noisy and paid for */

    sp_ledger ledger;
    sp_spent spent;
    sp_allowance *allowance;
    size_t allowances;

    gsl_rng *coins, *sampling, *noise;
    sp_drawn subset, fresh;
    size_t drained; /* records that fresh batches have used */
    size_t pools;

    sp_workspace *workspace;
    double *data, *exact; /* d: the data part and the public part of an answer */
    double *hessian;      /* d x d, made at the first sp_hessian */
    sp_accumulator *accumulators;

    sp_cost cost;
    sp_resolved_value resolved[SP_RESOLVED_MAX];
    size_t resolved_count;
    sp_text warning;
    size_t step; /* of the last checkpoint */
    sp_error error;
};

/* The budget is kept to this relative tolerance. */
#define SP_BUDGET_TOLERANCE (1.0 + 1e-9)

/* SP_EINVAL for a handle that is no longer valid. */
sp_status sp_batch_resolve(sp_oracle *, sp_batch, sp_part *);

/* What is wrong with a query, or its batch, bound and sensitivity. */
typedef struct sp_question {
    sp_part part;
    double bound, sensitivity;
} sp_question;
sp_status sp_query_check(sp_oracle *, const sp_query *, sp_question *);
/* data[d] = the clipped mean, without noise; exact[d] = the public part. Counts the cost. */
void sp_query_answer(sp_oracle *, const sp_query *, const sp_question *, double *data, double *exact);

/* Pay for one release: at most one entry a pool. Nothing is written unless the whole fits the budget. */
sp_status sp_charge(sp_oracle *, const sp_entry *, size_t entries);
/* Room to charge pool numbers up to `pools`. */
sp_status sp_charge_reserve_pools(sp_oracle *, size_t pools);
void sp_spent_free(sp_spent *);

void sp_accumulators_free(sp_accumulator *);

#endif
