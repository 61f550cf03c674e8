/* rows_kernels.c -- rows_body.h, compiled once an instruction set (WIDTH doubles are what its registers hold), and how
 * a pass walks over dense rows.
 *
 * A block's rows are read twice: by the inner products, from memory, and by the sum, from cache; meanwhile, and while
 * links are computed, the memory would wait. So the sum asks for rows that come later, line by line and not too many at
 * once: a block in line is no longer than 4 KB, 64 lines. Short rows, of which a block is as long in work as on its way
 * from memory, are asked for again a block before they are due. Data that stay in cache want longer blocks, which let
 * the processor begin one row's work before another's is done. Measured: docs/speed.md. */
#include "core/data/rows_kernels.h"

#include <stdbool.h>
#include <string.h>

typedef double pair __attribute__((vector_size(16)));
typedef double four __attribute__((vector_size(32)));

enum {
    SHORT = 8,
    NEAREST = 3, NEAR = 2,          /* __builtin_prefetch: to the first and to the second level of the cache */
    PAGE = 4096 / 8,                /* doubles of a block in line */
    LONG = 65536, LONG_LEAST = 8,   /* the same where a row fills a page, to stay in the second level; its rows */
    CACHED = 1 << 21,               /* doubles of data that stay in the last level from pass to pass, and */
    CACHED_ROWS = 32,               /* rows of their blocks */
    LIST = 16384 / 8,               /* doubles of a block of a list, and */
    LIST_LEAST = 8, LIST_MOST = 32, /* its rows */
    MANY = 4,                       /* asks from which on their own cost a block weighs more than the memory */
    AHEAD = 32768 / 8,              /* doubles from a row in line to the one that is asked for */
    SPARSE_AHEAD = 4096,            /* the same in entries of sparse rows */
    SHORT_ROW = 24                  /* doubles of a row that is asked for again */
};

typedef struct walk {
    const sp_dataset *data;
    const uint32_t *index; /* NULL: rows in line */
    size_t count, most, next; /* rows; most a block; of the block that comes next */
    const double *row[SP_PASS_ROWS], *later[SP_PASS_ROWS];
    const double *const *fetch; /* later, or NULL */
    size_t ahead;               /* doubles from a short row to the one that is asked for again, or 0 */
    sp_margins seen;
} walk;

static size_t between(size_t low, size_t v, size_t high)
{
    return v < low ? low : v > high ? high : v;
}

static void walk_start(walk *at, const sp_dataset *data, const uint32_t *index, size_t count, size_t asks)
{
    const size_t stride = data->stride, page = between(1, PAGE / stride, SP_PASS_ROWS);
    at->data = data;
    at->index = index;
    at->count = count;
    at->next = 0;
    at->fetch = index || stride < PAGE ? at->later : NULL;
    at->most = asks > MANY ? SP_PASS_ROWS
             : index ? between(LIST_LEAST, LIST / stride, LIST_MOST)
             : stride >= PAGE ? between(LONG_LEAST, LONG / stride, SP_PASS_ROWS)
             : count * stride <= CACHED ? CACHED_ROWS
             : page > SP_LANES ? page / SP_LANES * SP_LANES : page;
    at->ahead = !index && stride <= SHORT_ROW ? at->most * stride : 0;
    memset(&at->seen, 0, sizeof at->seen);
}

/* Of a list: row i, or its last. */
static inline const double *row_at(const walk *at, size_t i)
{
    return at->data->X + at->index[i < at->count ? i : at->count - 1] * at->data->stride;
}

/* The next block; false: there is none. */
static inline bool walk_on(walk *at)
{
    const size_t first = at->next, left = at->count - first, count = left < at->most ? left : at->most;
    at->seen.first = first;
    at->seen.count = count;
    at->next += count;
    const double *x = at->data->X + first * at->data->stride;
    for (size_t i = 0; i < count && !at->index; i++, x += at->data->stride) {
        at->row[i] = x;
        at->later[i] = x + AHEAD;
    }
    for (size_t i = 0; i < count && at->index; i++) {
        at->row[i] = row_at(at, first + i);
        at->later[i] = row_at(at, at->next + i);
    }
    for (size_t i = count; i % SP_LANES != 0; i++) /* whole eights */
        at->row[i] = at->row[count - 1];
    return count > 0;
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
