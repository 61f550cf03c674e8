/* engine.h -- the evaluators behind problem.h, one for each form of loss. For losses/engine/ alone.
 *
 * All three work on sums over `rows` divided by `divisor`, of the data part alone, in the order of the rows. */
#ifndef SP_LOSSES_ENGINE_H
#define SP_LOSSES_ENGINE_H

#include "losses/engine/problem.h"

/* Per-record limits of sp_data_query. */
typedef struct sp_clip {
    double record, total;
} sp_clip;

typedef struct sp_engine {
    double (*value)(const sp_problem *, sp_workspace *, sp_rows, const double *w, double divisor);
    /* sp_data_values */
    void (*values)(const sp_problem *, sp_workspace *, sp_rows, const double *w, double *restrict out);
    /* sp_data_query; clip NULL: as it is, nothing clipped and nothing dropped */
    void (*query)(const sp_problem *, sp_workspace *, sp_rows, size_t terms, const sp_term *, const sp_clip *clip,
                  double divisor, double *out);
    /* sp_data_hessian; not enforced: as it is */
    void (*hessian)(const sp_problem *, sp_workspace *, sp_rows, const double *w, bool enforced, double divisor,
                    double *H);
} sp_engine;

extern const sp_engine sp_glm_engine, sp_tilt_engine;

/* Convex F: the best of reference.c's certified bounds on F(w) - F*, and ||grad F(w)||. scratch: d + d x d. */
sp_status sp_convex_gap(const sp_problem *, sp_workspace *, const double *w, double *scratch, double *gap,
                        double *gradient_norm);

enum { SP_BLOCK = 256 };

struct sp_workspace {
    sp_link_bounds link; /* of the loss at its parameters: what a Hessian is enforced to */
    sp_tilt_bounds tilt;
    size_t block; /* rows a block, so that block x d doubles stay in the second-level cache */
    const double *row[SP_BLOCK];
    double label[SP_BLOCK], norm[SP_BLOCK], scale[SP_BLOCK], slope[SP_BLOCK], margin[SP_TERMS_MAX][SP_BLOCK];
    double *packed; /* block x d */
    double *sum;    /* d */
    double *vector[SP_TERMS_MAX + 2]; /* d each */
};

/* <x, w> in eight lanes: the order of summation depends on d alone. */
static inline double sp_dot(size_t d, const double *restrict x, const double *restrict w)
{
    double lane[8] = { 0.0 };
    size_t j = 0;
    for (; j + 8 <= d; j += 8)
        for (size_t l = 0; l < 8; l++)
            lane[l] += x[j + l] * w[j + l];
    for (size_t l = 0; j + l < d; l++)
        lane[l] += x[j + l] * w[j + l];
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

static inline size_t sp_row_count(const sp_problem *p, sp_rows rows)
{
    return rows.index ? rows.count : p->train->n;
}

static inline size_t sp_row_at(sp_rows rows, size_t i)
{
    return rows.index ? rows.index[i] : i;
}

#endif
