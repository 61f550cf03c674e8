/* rows_kernels.h -- the arithmetic behind rows.h on rows as they lie in memory, once an instruction set: the same
 * operations in the same order on each of them (rows_body.h says which). For core/data/ and its tests.
 *
 * A dense row is read in whole groups of SP_LANES doubles: up to the next multiple, where anything finite may stand. */
#ifndef SP_DATA_ROWS_KERNELS_H
#define SP_DATA_ROWS_KERNELS_H

#include "core/numeric/isa.h"
#include "core/data/rows.h"

enum { SP_LANES = 8, SP_SQUARE_ROOM = 2 * SP_LANES };

/* How a pass over dense or one-hot rows goes on a maker's processors; sizes in doubles. It changes the speed and never
 * a bit. */
typedef struct sp_rows_tuning {
    size_t block, least;         /* a block of rows in line that come from memory; its least rows */
    size_t cached, cached_least; /* the same of data that stay in cache from pass to pass */
    size_t close;                /* a block of data that stay in its second level */
    size_t page_block;           /* a block of rows that fill a page of 4 KB each */
    size_t near, near_row;       /* from a row to the one that its inner product asks for; the longest row that does */
    size_t near_long;            /* the same of rows that are longer than 64 features, where sums overlap */
    size_t far, far_row;         /* from a row in memory to the one that the sum asks for; the longest that does */
    bool overlap;                /* a block's inner products come before the sum of the block before it */
    bool cached_overlap;         /* the same of data that stay in cache, but for long rows */
} sp_rows_tuning;

typedef enum { SP_ROWS_INTEL, SP_ROWS_OTHER, SP_ROWS_MAKERS } sp_rows_maker;

extern const sp_rows_tuning sp_rows_tunings[SP_ROWS_MAKERS];
sp_rows_maker sp_rows_maker_here(void);

/* sp_rows_pass of dense and one-hot rows */
typedef void sp_rows_pass_kernel(const sp_rows_tuning *, const sp_dataset *, const uint32_t *index, size_t count,
                                 size_t asks, const sp_rows_ask *, sp_rows_weigh *);

typedef struct sp_rows_kernels {
    sp_rows_pass_kernel *pass;
    /* out[i] = <row[i], w> */
    void (*dot)(size_t d, size_t count, const double *const *row, const double *w, double *restrict out);
    /* sum[d] += sum_i scale[i] row[i] */
    void (*add)(size_t d, size_t count, const double *const *row, const double *scale, double *restrict sum);
    /* The same of rows of signs, +1 where the bit is set and -1 where not; row i is sign + index[i] * words. */
    void (*dot_signs)(size_t d, size_t count, const uint64_t *sign, size_t words, const uint32_t *index,
                      const double *w, double *restrict out);
    void (*add_signs)(size_t d, size_t count, const uint64_t *sign, size_t words, const uint32_t *index,
                      const double *scale, double *restrict sum);
    /* The same of compressed sparse rows (dataset.h); row i is the one of index[i]; in line: rows that follow one
     * another, and others after them. */
    void (*dot_sparse)(size_t count, const uint64_t *start, const uint32_t *column, const double *entry,
                       const uint32_t *index, const double *w, double *restrict out);
    void (*add_sparse)(size_t count, const uint64_t *start, const uint32_t *column, const double *entry,
                       const uint32_t *index, bool in_line, const double *scale, double *restrict sum);
    /* The same of one-hot rows (dataset.h) */
    void (*dot_hot)(const sp_dataset *, size_t count, const double *const *row, const double *w, double *restrict out);
    void (*add_hot)(const sp_dataset *, size_t count, const double *const *row, const double *scale,
                    double *restrict sum);
    /* The upper triangle of H[d * d] += sum_i scale[i] row[i] row[i]', the rows' sum being taken first. scaled:
     * SP_SQUARE_ROOM doubles a row. Meanwhile as many rows come nearer from `fetch` on (NULL: none), `stride` doubles
     * each. */
    void (*square)(size_t d, size_t count, const double *const *row, const double *scale, const double *fetch,
                   size_t stride, double *restrict scaled, double *restrict H);
    /* The same of one-hot rows. packed: sp_rows_packing doubles. Meanwhile as many rows come nearer from `fetch` on
     * (NULL: none). */
    void (*square_hot)(const sp_dataset *, size_t count, const double *const *row, const double *scale,
                       const double *fetch, double *restrict packed, double *restrict H);
} sp_rows_kernels;

/* Doubles that square_hot needs of d features: the numeric ones of the rows, SP_SQUARE_ROOM more a row, their sums, and
 * their products with the listed ones. */
static inline size_t sp_hot_packing(size_t d, size_t numeric, size_t rows)
{
    const size_t whole = (numeric + SP_LANES - 1) / SP_LANES * SP_LANES;
    return rows * (whole + SP_SQUARE_ROOM) + numeric * numeric + d * whole;
}

extern const sp_rows_kernels *const sp_rows_kernels_of[SP_ISAS];

#endif
