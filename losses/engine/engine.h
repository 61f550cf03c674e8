/* engine.h -- the evaluators behind problem.h, one for each form of loss (link, tilt, record: losses/loss.h). Included
 * in losses/engine/ only.
 *
 * All three compute sums over `rows` divided by `divisor`, of the data part only, in the order of the rows. */
#ifndef SP_LOSSES_ENGINE_H
#define SP_LOSSES_ENGINE_H

#include "core/data/moments.h"
#include "core/data/rows.h"
#include "losses/engine/problem.h"

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
    /* out = the same Hessian, as it is, times v */
    void (*product)(const sp_problem *, sp_workspace *, sp_rows, const double *w, const double *v, double divisor,
                    double *out);
    /* Many at once, one read of the records: sp_data_queries, and out[k] = value() at point[k]. NULL: one by one. */
    void (*queries)(const sp_problem *, sp_workspace *, sp_rows, size_t count, const sp_data_ask *, double divisor);
    void (*value_of_each)(const sp_problem *, sp_workspace *, sp_rows, size_t count, const double *const *point,
                          double divisor, double *out);
} sp_engine;

extern const sp_engine sp_glm_engine, sp_tilt_engine, sp_record_engine;

/* Of f affine in x: is no gradient of a record that has been through its map, and no sum of them, beyond the limits?
 * False where the points are not finite. */
bool sp_record_unclipped(const sp_problem *, size_t terms, const sp_term *, const sp_clip *);

/* f(w, x) - f(c, x), f affine in x, at the mean x of the rows. */
double sp_record_change(const sp_problem *, sp_workspace *, sp_rows, const double *w, const double *c);

/* Doubles that clipping the records of a tilt loss needs. */
size_t sp_tilt_scratch(size_t features);

struct sp_workspace {
    sp_link_bounds link;     /* of the loss over the problem's region: what a Hessian is enforced to */
    sp_tilt_bounds tilt;
    sp_record_bounds record;
    sp_row_block block;
    size_t pack;    /* rows that `packed` holds */
    size_t packing; /* its doubles */
    double label[SP_ROWS], norm[SP_ROWS], scale[SP_ROWS], slope[SP_ROWS], margin[SP_TERMS_MAX][SP_ROWS];
    double *packed;  /* sp_rows_packing(train, pack), a mapping of its own; link losses alone */
    /* what sp_rows_gather needs, for any of the problem's datasets; the block that holds all below, too */
    double *buffer;
    double *feature; /* features: a record, or a mean of them */
    double *scratch; /* what a record loss needs; of a tilt loss sp_tilt_scratch */
    double *sum;     /* d */
    double *vector[SP_TERMS_MAX + 2]; /* d each */
};

static inline size_t sp_row_count(const sp_problem *p, sp_rows rows)
{
    return rows.index ? rows.count : sp_dataset_rows(p->train);
}

/* The next rows from `first`, at most `most`: where their features are. Returns how many. Whoever asks for labels and
 * norms (sp_rows_labels) after the inner products reads each row from front to back. */
size_t sp_block_open(const sp_problem *, sp_workspace *, sp_rows, size_t first, size_t most);
/* Rows that may be opened at once to be squared: as many as `packed` and the buffer hold. */
size_t sp_block_packed(const sp_problem *, const sp_workspace *);
/* sp_block_open for a block or at most `most`, with labels (0 where there are none) and norms. */
size_t sp_block_gather(const sp_problem *, sp_workspace *, sp_rows, size_t first, size_t most);

/* out = (1/divisor) sum over the rows of x, one entry a feature: of all rows what the dataset knows. */
void sp_block_mean(const sp_problem *, sp_workspace *, sp_rows, double divisor, double *restrict out);

/* sum += c clip(v, bound), products rounded before they are added; what is not finite makes the sum so. */
static inline void sp_add_clipped(size_t d, double c, const double *v, double bound, sp_norm in, double *restrict sum)
{
    double norm = in == SP_NORM_L2 ? sqrt(sp_dot(d, v, v)) : 0.0;
    for (size_t j = 0; in == SP_NORM_LINF && j < d; j++)
        norm = fabs(v[j]) > norm || isnan(v[j]) ? fabs(v[j]) : norm;
    c *= norm > bound ? bound / norm : 1.0;
    for (size_t j = 0; j < d; j++)
        sum[j] += c * v[j];
}

static inline bool sp_all_finite(size_t d, const double *v)
{
    return isfinite(sp_dot(d, v, v));
}

#endif
