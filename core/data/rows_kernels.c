/* rows_kernels.c -- the kernels of each instruction set, how a pass is tuned for the makers of processors, and how it
 * starts (rows_walk.h). */
#include "core/data/rows_walk.h"

const sp_rows_tuning sp_rows_tunings[SP_ROWS_MAKERS] = {
    [SP_ROWS_INTEL] = { .block = 512, .least = 8, .cached = 512, .close = 1536, .cached_least = 16, .page_block = 8192,
                        .near = 512, .near_row = 72, .near_long = 128, .far = 4096, .far_row = SIZE_MAX,
                        .overlap = true, .cached_overlap = true },
    [SP_ROWS_OTHER] = { .block = 512, .least = 1, .close = 1536, .cached_least = 32, .page_block = 131072, .near = 512,
                        .near_row = 72, .far = 8192, .far_row = PAGE - 1, .cached_overlap = true },
};

static size_t between(size_t low, size_t v, size_t high)
{
    return v < low ? low : v > high ? high : v;
}

bool sp_pass_pairs(const sp_dataset *data, size_t asks, const sp_rows_ask *ask)
{
    bool alike = asks > 1 && data->storage == SP_STORE_DENSE && !sp_rows_long(data);
    for (size_t a = 0; a < asks; a++)
        alike &= ask[a].points == 1 && !ask[a].sum == !ask->sum;
    return alike;
}

void sp_walk_start(sp_walk *at, const sp_pass *from)
{
    const sp_rows_tuning *by = from->by;
    const sp_dataset *data = from->data;
    const uint32_t *index = from->index;
    const size_t count = from->count, asks = from->asks;
    const size_t stride = data->stride;
    const bool cached = count * stride <= CACHED, close = count * stride <= CLOSE;
    at->data = data;
    at->by = by;
    at->index = index;
    at->count = count;
    at->next = 0;
    at->fetch = index || (stride <= by->far_row && !cached);
    /* A short list's sum asks for the next block. */
    at->overlap = sp_rows_long(data) ? by->overlap : !index && (cached ? by->cached_overlap : by->overlap);
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
    at->ask = from->ask;
    at->last = at->now = NULL;
    at->taken = at->added = 0;
    at->paired = from->paired;
    at->weigh = from->weigh;
    at->here = at->room;
}

extern const sp_rows_kernels sp_rows_kernels_baseline, sp_rows_kernels_avx2, sp_rows_kernels_avx512;
const sp_rows_kernels *const sp_rows_kernels_of[SP_ISAS] = {
    [SP_ISA_BASELINE] = &sp_rows_kernels_baseline,
#ifdef SP_ISA_X86
    [SP_ISA_AVX2] = &sp_rows_kernels_avx2,
    [SP_ISA_AVX512] = &sp_rows_kernels_avx512,
#endif
};

sp_rows_maker sp_rows_maker_here(void)
{
#ifdef SP_ISA_X86
    if (__builtin_cpu_is("intel"))
        return SP_ROWS_INTEL;
#endif
    return SP_ROWS_OTHER;
}
