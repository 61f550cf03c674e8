/* rows_kernels.c -- rows_body.h, compiled once an instruction set (WIDTH doubles are what its registers hold), and how
 * a pass walks over dense and one-hot rows.
 *
 * A block's rows are read twice: by the inner products, from memory, and by the sum, from cache; meanwhile, and while
 * links are computed, the memory would wait. So rows are asked for ahead, line by line and not too many at once: from
 * far by the sum, to the second level of the cache, and again, when they are near, by the inner products, to the first.
 * Where it pays, a block's inner products come before the sum of the block before it. How far and how long differs
 * between processors, and is a table of their makers; it changes no bit. Measured: docs/reference/speed.md. */
#include "core/data/rows_kernels.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#ifdef SP_ISA_X86
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef double four __attribute__((vector_size(32)));

enum {
    SHORT = 8,
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

const sp_rows_tuning sp_rows_tunings[SP_ROWS_MAKERS] = {
    [SP_ROWS_INTEL] = { .block = 512, .least = 8, .cached = 512, .close = 1536, .cached_least = 16, .page_block = 8192,
                        .near = 512, .near_row = 72, .near_long = 128, .far = 4096, .far_row = SIZE_MAX,
                        .overlap = true, .cached_overlap = true },
    [SP_ROWS_OTHER] = { .block = 512, .least = 1, .close = 1536, .cached_least = 32, .page_block = 131072, .near = 512,
                        .near_row = 72, .far = 8192, .far_row = PAGE - 1, .cached_overlap = true },
};

/* Rows that are taken together. */
typedef struct block {
    size_t first, count; /* from row `first` of the pass on */
    const double *row[SP_PASS_ROWS], *later[SP_PASS_ROWS]; /* whole eights: the last row again */
} block;

typedef struct walk {
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
    bool paired;              /* in_pairs */
    sp_rows_weigh *weigh;
    block room[2], *here;     /* of `now` */
    const block *rows;        /* of `due`, and */
    _Alignas(64) double scale[2][SP_PASS_ROWS]; /* what they count for each ask */
    /* Of `here`: what sp_margins shows, one point after another */
    _Alignas(64) double margin[SP_TERMS_MAX][SP_PASS_ROWS], label[SP_PASS_ROWS], norm[SP_PASS_ROWS];
} walk;

static size_t between(size_t low, size_t v, size_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* Rows up to the next eight */
static inline size_t whole(size_t count)
{
    return (count + SP_LANES - 1) / SP_LANES * SP_LANES;
}

/* Of a list, eights of a row of the next block that are asked for with this block's inner products; the others are with
 * its sum. Halves, but for short rows: the memory takes longer than either. */
static inline size_t come_before(size_t eights)
{
    return eights > LIST_NEAREST ? eights / 2 : 0;
}

/* Rows that do not fit in registers */
static inline bool is_long(const sp_dataset *data)
{
    return data->storage == SP_STORE_DENSE && data->d > SHORT * SP_LANES;
}

/* Are asks taken two at a time? Of one point each, of dense rows that are not long. */
static bool in_pairs(const sp_dataset *data, size_t asks, const sp_rows_ask *ask)
{
    bool alike = asks > 1 && data->storage == SP_STORE_DENSE && !is_long(data);
    for (size_t a = 0; a < asks; a++)
        alike &= ask[a].points == 1 && !ask[a].sum == !ask->sum;
    return alike;
}

static void walk_start(walk *at, const sp_rows_tuning *by, const sp_dataset *data, const uint32_t *index, size_t count,
                       size_t asks, const sp_rows_ask *ask, sp_rows_weigh *weigh)
{
    const size_t stride = data->stride;
    const bool cached = count * stride <= CACHED, close = count * stride <= CLOSE;
    at->data = data;
    at->by = by;
    at->index = index;
    at->count = count;
    at->next = 0;
    at->fetch = index || (stride <= by->far_row && !cached);
    /* A short list's sum asks for the next block. */
    at->overlap = is_long(data) ? by->overlap : !index && (cached ? by->cached_overlap : by->overlap);
    at->most = asks > MANY ? SP_PASS_ROWS
             : index ? between(LIST_LEAST, LIST / stride, LIST_MOST)
             : stride >= PAGE ? between(SP_LANES, by->page_block / stride, SP_PASS_ROWS)
             : cached ? between(by->cached_least, (close ? by->close : by->cached) / stride, SP_PASS_ROWS)
             : between(by->least, by->block / stride, SP_PASS_ROWS);
    if (at->most > SP_LANES)
        at->most -= at->most % SP_LANES;
    at->near = !index && stride <= by->near_row ? by->near : 0;
    at->apart = !index && close && data->y;
    at->asks = asks;
    at->ask = ask;
    at->last = at->now = NULL;
    at->taken = at->added = 0;
    at->paired = in_pairs(data, asks, ask);
    at->weigh = weigh;
    at->here = at->room;
}

/* out[] = the rows of a list from `first` on, `count` of them */
static inline void rows_at(const walk *at, size_t first, size_t count, const double **restrict out)
{
    const uint32_t *index = at->index + first;
    const double *X = at->data->X;
    const size_t stride = at->data->stride;
    for (size_t i = 0; i < count; i++)
        out[i] = X + index[i] * stride;
}

/* On to the next block; false: there is none. */
static inline bool walk_on(walk *at)
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
static inline bool walk_turn(walk *at)
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
        at->last = walk_on(at) ? at->ask : NULL;
    at->now = at->last;
    at->taken = !at->now ? 0 : at->paired && at->last + 1 < end ? 2 : 1;
    at->last += at->taken == 2;
    return at->now || at->due;
}

/* What the rows count, whose inner products have been taken. */
static inline void walk_weigh(walk *at)
{
    const size_t first = at->here->first;
    const double *label = at->apart ? at->data->y + first : at->label;
    const double *norm = at->apart ? at->data->norm + first : at->norm;
    for (size_t a = 0; a < at->taken; a++)
        at->weigh(at->now[a].context, &(sp_margins){ first, at->here->count, at->margin + a, label, norm },
                  at->scale[a]);
}

/* Does the sum that is due ask for later rows? Those of a block once. */
static inline bool walk_fetches(const walk *at)
{
    return at->fetch && at->due == at->ask;
}

#define SET baseline
#define WIDTH 2
#include "core/data/rows_body.h"

#define SET avx2
#define WIDTH 4
#include "core/data/rows_body.h"

#define SET avx512
#define WIDTH 8
#include "core/data/rows_body.h"

const sp_rows_kernels *const sp_rows_kernels_of[SP_ISAS] = { &kernels_baseline, &kernels_avx2, &kernels_avx512 };

sp_rows_maker sp_rows_maker_here(void)
{
#ifdef SP_ISA_X86
    if (__builtin_cpu_is("intel"))
        return SP_ROWS_INTEL;
#endif
    return SP_ROWS_OTHER;
}
