/* rows_walk.h -- how a pass walks over dense and one-hot rows, block by block; the same for every instruction set.
 *
 * The rows of a block are read twice: by the inner products, from memory, and by the sum, from the cache. During the
 * second read, and while links are computed, the memory would be idle. So later rows are prefetched, line by line and
 * not too many at once: the sum prefetches rows that are far ahead, to the second level of the cache, and the inner
 * products prefetch rows that are near, to the first. On some processors the inner products of a block come before the
 * sum of the block before it. How far and how long differs between the makers of processors (sp_rows_tuning); it
 * changes the speed and never a bit. Measured: docs/explanation/speed.md. */
#ifndef SP_DATA_ROWS_WALK_H
#define SP_DATA_ROWS_WALK_H

#include "core/data/rows_kernels.h"

#include <stdbool.h>
#include <string.h>

enum {
    SHORT = 8,                      /* eights of features up to which a row fits in registers */
    NEAREST = 3, NEAR = 2,          /* __builtin_prefetch: to the first and to the second level of the cache */
    PAGE = 4096 / 8,                /* doubles of a row from which on it is long */
    CACHED = 1 << 21,               /* doubles of data that stay in the last level from pass to pass, and */
    CLOSE = 1 << 17,                /* in the second */
    LIST = 16384 / 8,               /* doubles of a block of a list, and */
    LIST_LEAST = 8, LIST_MOST = 32, /* its rows */
    LIST_NEAREST = 4,               /* eights of a list's rows up to which they are asked for to the first level */
    MANY = 4,                       /* asks from which on their own cost a block weighs more than the memory */
    SPARSE_AHEAD = 4096,            /* entries from a sparse row to the one that is asked for */
    LISTS = 4                       /* listed features whose rows of H are worked on at once */
};

/* Rows that are taken together. */
typedef struct block {
    size_t first, count; /* from row `first` of the pass on */
    const double *row[SP_PASS_ROWS], *later[SP_PASS_ROWS]; /* whole eights: the last row again */
} block;

typedef struct sp_walk {
    const sp_dataset *data;
    const sp_rows_tuning *by;
    const uint32_t *index;    /* NULL: rows in line */
    size_t count, most, next; /* rows; most a block; of the block that comes next */
    bool fetch;               /* what is `later` than a row is asked for */
    bool overlap;             /* inner products come before the sum of the block before */
    bool apart;               /* labels and norms come from arrays of their own, not from the rows */
    size_t near;              /* doubles from a row to the one that its inner product asks for, or 0 */
    size_t asks;
    const sp_rows_ask *ask, *last;  /* all; whose inner products are or have been taken */
    const sp_rows_ask *now, *due;   /* of this turn: whose inner products are taken; whose sum is; NULL: none */
    size_t taken, added;      /* of this turn: asks from `now` on, of one block; sums from `due` on, 0 where NULL */
    bool paired;              /* two asks are taken at a time */
    sp_rows_weigh *weigh;
    block room[2], *here;     /* of `now` */
    const block *rows;        /* of `due`, and */
    _Alignas(64) double scale[2][SP_PASS_ROWS]; /* what they count for each ask */
    /* Of `here`: what sp_margins shows, one point after another */
    _Alignas(64) double margin[SP_TERMS_MAX][SP_PASS_ROWS], label[SP_PASS_ROWS], norm[SP_PASS_ROWS];
} sp_walk;

/* Rows up to the next eight */
static inline size_t whole(size_t count)
{
    return (count + SP_LANES - 1) / SP_LANES * SP_LANES;
}

/* How many eights of each row of a list's next block are prefetched with this block's inner products; the others are
 * prefetched with its sum. Half of a longer row, because the memory takes longer than either; none of a short one. */
static inline size_t eights_before(size_t eights)
{
    return eights > LIST_NEAREST ? eights / 2 : 0;
}

/* Rows that do not fit in registers */
static inline bool sp_rows_long(const sp_dataset *data)
{
    return data->storage == SP_STORE_DENSE && data->d > SHORT * SP_LANES;
}

/* The arguments of sp_rows_pass_kernel */
typedef struct sp_pass {
    const sp_rows_tuning *by;
    const sp_dataset *data;
    const uint32_t *index;
    size_t count, asks;
    const sp_rows_ask *ask;
    sp_rows_weigh *weigh;
    bool paired;              /* two asks are taken at a time */
} sp_pass;

/* May two asks be taken at a time? If each has one point, and the rows are dense and not long. */
bool sp_pass_pairs(const sp_dataset *, size_t asks, const sp_rows_ask *);
/* A walk that has not begun. */
void sp_walk_start(sp_walk *, const sp_pass *);

/* out[] = the rows of a list from `first` on, `count` of them */
static inline void rows_at(const sp_walk *at, size_t first, size_t count, const double **restrict out)
{
    const uint32_t *index = at->index + first;
    const double *X = at->data->X;
    const size_t stride = at->data->stride;
    for (size_t i = 0; i < count; i++)
        out[i] = X + index[i] * stride;
}

/* On to the next block; false: there is none. */
static inline bool sp_walk_on(sp_walk *at)
{
    if (at->next == at->count)
        return false;
    const size_t first = at->next, left = at->count - first, count = left < at->most ? left : at->most;
    const size_t after = left - count < count ? left - count : count; /* rows of a list that are asked for */
    const block *before = at->here;
    block *b = at->here = before == at->room ? at->room + 1 : at->room;
    b->first = first;
    b->count = count;
    at->next += count;
    const double *x = at->data->X + first * at->data->stride;
    for (size_t i = 0; i < count && !at->index; i++)
        b->row[i] = x + i * at->data->stride;
    for (size_t i = 0; i < count && !at->index && at->fetch; i++)
        b->later[i] = b->row[i] + at->by->far;
    if (at->index && first == 0)
        rows_at(at, 0, count, b->row);
    else if (at->index)
        memcpy(b->row, before->later, count * sizeof *b->row);
    for (size_t i = count; i % SP_LANES != 0; i++)
        b->row[i] = b->row[count - 1];
    if (at->index)
        rows_at(at, at->next, after, b->later);
    for (size_t i = after; i < whole(count) && at->index; i++)
        b->later[i] = b->row[i]; /* which is there */
    return true;
}

/* What is weighed becomes due; then on to the next asks, or the first and the next block. False: nothing is left. */
static inline bool sp_walk_turn(sp_walk *at)
{
    const sp_rows_ask *end = at->ask + at->asks;
    at->due = at->now;
    at->added = at->due && at->due->sum ? at->taken : 0;
    at->rows = at->here;
    if (at->due && !at->overlap) {
        at->now = NULL;
        at->taken = 0;
        return true;
    }
    if (at->last && at->last + 1 < end)
        at->last++;
    else
        at->last = sp_walk_on(at) ? at->ask : NULL;
    at->now = at->last;
    at->taken = !at->now ? 0 : at->paired && at->last + 1 < end ? 2 : 1;
    at->last += at->taken == 2;
    return at->now || at->due;
}

/* What the rows count, whose inner products have been taken. */
static inline void sp_walk_weigh(sp_walk *at)
{
    const size_t first = at->here->first;
    const double *label = at->apart ? at->data->y + first : at->label;
    const double *norm = at->apart ? at->data->norm + first : at->norm;
    for (size_t a = 0; a < at->taken; a++)
        at->weigh(at->now[a].context, &(sp_margins){ first, at->here->count, at->margin + a, label, norm },
                  at->scale[a]);
}

/* Does the sum that is due ask for later rows? Those of a block once. */
static inline bool sp_walk_fetches(const sp_walk *at)
{
    return at->fetch && at->due == at->ask;
}

#endif
