/* rows_pass.h -- passes over dense and one-hot rows, and their inner products and sums outside passes.
 *
 * Up to SHORT eights of features, w and the sum stay in registers, which takes code with the number of eights in it. So
 * these functions exist once for each number of eights of dense rows, and for 0, 1 and 2 eights of numeric features of
 * one-hot rows; one more function serves one-hot rows with more. Measured: docs/explanation/speed.md. */
#ifndef SP_DATA_ROWS_PASS_H
#define SP_DATA_ROWS_PASS_H

#include "core/data/rows_dense.h"

/* Labels and norms, which are stored behind the features; call it after the inner products, which load the rows. */
INLINE void load_labels(sp_walk *at)
{
    const sp_dataset *data = at->data;
    const size_t label = data->storage == SP_STORE_ONE_HOT ? data->numeric + SP_HOT_LABEL : data->d;
    for (size_t i = 0; !at->apart && i < at->here->count; i += SP_LANES)
        load_columns(at->here->row + i, label, at->label + i, at->norm + i);
}

/* Points and the sum of a single ask stay padded from block to block. */
INLINE void pass_eights(size_t eights, bool is_hot, const sp_pass *from)
{
    _Alignas(64) double w[SP_TERMS_MAX][SHORT * SP_LANES], g[SHORT * SP_LANES] = { 0.0 };
    sp_walk at;
    sp_walk_start(&at, from);
    const sp_dataset *hot = is_hot ? at.data : NULL;
    const size_t d = at.data->d;
    const bool alone = at.asks == 1;
    for (size_t k = 0; alone && k < at.ask->points; k++)
        pad(eights, hot, d, at.ask->point[k], w[k]);
    if (alone && at.ask->sum)
        pad(eights, hot, d, at.ask->sum, g);
    while (sp_walk_turn(&at)) {
        const sp_rows_ask *now = at.now, *due = at.due;
        for (size_t k = 0; now && !alone && k < now->points; k++)
            pad(eights, hot, d, now->point[k], w[k]);
        if (at.added && !alone)
            pad(eights, hot, d, due->sum, g);
        both_eights(eights, hot, &at, w[0], at.margin[0], g);
        if (at.added && !alone)
            unpad(eights, hot, d, g, due->sum);
        for (size_t k = 1; now && k < now->points; k++)
            for (size_t i = 0; i < whole(at.here->count); i += SP_LANES)
                dot_eight(eights, hot, 1, at.here->row + i, 0, 0, w[k], now->point[k], at.margin[k] + i);
        if (now && now == at.ask)
            load_labels(&at);
        sp_walk_weigh(&at);
    }
    if (alone && at.ask->sum)
        unpad(eights, hot, d, g, at.ask->sum);
}

NOINLINE void pass_long(const sp_pass *from)
{
    sp_walk at;
    sp_walk_start(&at, from);
    while (sp_walk_turn(&at)) {
        const sp_rows_ask *now = at.now, *due = at.due;
        const bool together = now && due && due->sum;
        if (together)
            both_long(&at, now->point[0], at.margin[0], due->sum);
        else if (due && due->sum)
            add_long(at.data->d, at.rows->count, at.rows->row, sp_walk_fetches(&at) ? at.rows->later : NULL,
                     at.scale[0], due->sum);
        for (size_t k = together; now && k < now->points; k++)
            dot_long(at.data->d, at.here->count, at.here->row, now->point[k], at.margin[k]);
        for (size_t k = 0; now && k < now->points; k++)
            for (size_t i = at.here->count; i < whole(at.here->count); i++)
                at.margin[k][i] = 0.0;
        if (now && now == at.ask)
            load_labels(&at);
        sp_walk_weigh(&at);
    }
}

/* --- a function for each number of eights: one that holds them all takes the compiler twice as long --------------- */

typedef struct eights_kernels {
    void (*dot)(size_t eights, const sp_dataset *hot, size_t count, const double *const *row, const double *w,
                const double *listed, double *restrict out);
    void (*add)(size_t eights, const sp_dataset *hot, size_t count, const double *const *row, const double *scale,
                vec *sum, double *restrict listed);
    void (*pass)(size_t eights, const sp_pass *);
} eights_kernels;

/* of_NAME: rows of so many eights, or of any number if `number` is eights */
#define EIGHTS(name, number, is_hot)                                                                                   \
    NOINLINE void dot_##name(__attribute__((unused)) size_t eights, __attribute__((unused)) const sp_dataset *hot,     \
                             size_t count, const double *const *row, const double *w, const double *listed,            \
                             double *restrict out)                                                                     \
    {                                                                                                                  \
        dot_eights(number, is_hot ? hot : NULL, count, row, w, listed, out);                                           \
    }                                                                                                                  \
    NOINLINE void add_##name(__attribute__((unused)) size_t eights, __attribute__((unused)) const sp_dataset *hot,     \
                             size_t count, const double *const *row, const double *scale, vec *sum,                    \
                             double *restrict listed)                                                                  \
    {                                                                                                                  \
        vec g[SHORT * SP_LANES / WIDTH]; /* in registers, as `sum` is not */                                           \
        memcpy(g, sum, sizeof *g * PARTS * (number));                                                                  \
        add_eights(number, is_hot ? hot : NULL, count, row, 0, NULL, scale, g, listed);                                \
        memcpy(sum, g, sizeof *g * PARTS * (number));                                                                  \
    }                                                                                                                  \
    NOINLINE void pass_##name(__attribute__((unused)) size_t eights, const sp_pass *from)                              \
    {                                                                                                                  \
        pass_eights(number, is_hot, from);                                                                             \
    }                                                                                                                  \
    static const eights_kernels of_##name = { dot_##name, add_##name, pass_##name };
EIGHTS(hot_any, eights, true)
#if BY_EIGHTS
EIGHTS(1, 1, false)
EIGHTS(2, 2, false)
EIGHTS(3, 3, false)
EIGHTS(4, 4, false)
EIGHTS(5, 5, false)
EIGHTS(6, 6, false)
EIGHTS(7, 7, false)
EIGHTS(8, SHORT, false)
EIGHTS(hot_0, 0, true)
EIGHTS(hot_1, 1, true)
EIGHTS(hot_2, 2, true)
#else
EIGHTS(dense_any, eights, false)
#endif
#undef EIGHTS

static size_t eights_of(size_t numbers)
{
    return (numbers + SP_LANES - 1) / SP_LANES;
}

static const eights_kernels *kernels_of(size_t eights, bool hot)
{
#if BY_EIGHTS
    static const eights_kernels *const dense[] = { NULL, &of_1, &of_2, &of_3, &of_4, &of_5, &of_6, &of_7, &of_8 };
    static const eights_kernels *const few_numbers[] = { &of_hot_0, &of_hot_1, &of_hot_2 };
    return !hot ? dense[eights] : eights < sizeof few_numbers / sizeof *few_numbers ? few_numbers[eights] : &of_hot_any;
#else
    (void)eights;
    return hot ? &of_hot_any : &of_dense_any;
#endif
}

/* --- two asks at a time ---------------------------------------------------------------------------------------- */

#if PAIRS
/* Inner products of the walk's block with two asks' points: w[], then w[SHORT * SP_LANES + ...] */
INLINE void dot_two(size_t eights, const sp_walk *at, const double *w, double *restrict out)
{
    const size_t step = at->index ? 0 : at->data->stride, count = at->here->count;
    const double *const *row = at->here->row;
    for (size_t i = 0; i < count; i += SP_LANES)
        dot_eight(eights, NULL, 2, row + i, i + SP_LANES <= count ? step : 0, 0, w, NULL, out + i);
}

#define EIGHTS_CASES(name, ...)              \
    case 1: name(1, __VA_ARGS__); break;     \
    case 2: name(2, __VA_ARGS__); break;     \
    case 3: name(3, __VA_ARGS__); break;     \
    case 4: name(4, __VA_ARGS__); break;     \
    case 5: name(5, __VA_ARGS__); break;     \
    case 6: name(6, __VA_ARGS__); break;     \
    case 7: name(7, __VA_ARGS__); break;     \
    case SHORT: name(SHORT, __VA_ARGS__); break;

NOINLINE void dot_pair(size_t eights, const sp_walk *at, const double *w, double *restrict out)
{
    if (at->taken == 1)
        kernels_of(eights, false)->dot(eights, NULL, whole(at->here->count), at->here->row, w, NULL, out);
    else
        switch (eights) {
            EIGHTS_CASES(dot_two, at, w, out)
        }
}

/* Two sums' terms of the block that is due: sum[], then sum[SHORT * SP_LANES + ...] */
INLINE void add_two(size_t eights, size_t count, const double *const *row, size_t step,
                    const double (*scale)[SP_PASS_ROWS], double *restrict sum)
{
    vec g[2][SHORT * SP_LANES / WIDTH];
    for (size_t k = 0; k < 2; k++)
        for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++)
            g[k][v] = FROM(sum + k * SHORT * SP_LANES + v * WIDTH);
    for (size_t i = 0; i < count; i++) {
        const double *x = row_of(row, step, i);
        for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++)
            for (size_t k = 0; k < 2; k++)
                g[k][v] = mul_add(spread(scale[k][i]), FROM(x + v * WIDTH), g[k][v]);
    }
    for (size_t k = 0; k < 2; k++)
        for (size_t v = 0; v < eights * SP_LANES / WIDTH; v++)
            AT(sum + k * SHORT * SP_LANES + v * WIDTH) = g[k][v];
}

NOINLINE void add_pair(size_t eights, const sp_walk *at, double *restrict sum)
{
    const size_t count = at->rows->count, step = at->index ? 0 : at->data->stride;
    for (size_t i = 0; sp_walk_fetches(at) && i < count; i++)
        prefetch_row(0, eights, NULL, at->rows->later[i], false);
    if (at->added == 1)
        kernels_of(eights, false)->add(eights, NULL, count, at->rows->row, at->scale[0], (vec *)sum, NULL);
    else
        switch (eights) {
            EIGHTS_CASES(add_two, count, at->rows->row, step, at->scale, sum)
        }
}

/* A pass of asks of one point each, two at a time: both use each row while it is in registers. */
NOINLINE void pass_pairs(const sp_pass *from)
{
    _Alignas(64) double w[2][SHORT * SP_LANES], g[2][SHORT * SP_LANES];
    sp_walk walk, *const at = &walk;
    sp_walk_start(at, from);
    const size_t d = at->data->d, eights = eights_of(d);
    while (sp_walk_turn(at)) {
        for (size_t k = 0; k < at->taken; k++)
            pad(eights, NULL, d, *at->now[k].point, w[k]);
        for (size_t k = 0; k < at->added; k++)
            pad(eights, NULL, d, at->due[k].sum, g[k]);
        if (at->taken > 0)
            dot_pair(eights, at, w[0], at->margin[0]);
        if (at->added > 0)
            add_pair(eights, at, g[0]);
        for (size_t k = 0; k < at->added; k++)
            unpad(eights, NULL, d, g[k], at->due[k].sum);
        if (at->now == at->ask)
            load_labels(at);
        sp_walk_weigh(at);
    }
}

#endif

KERNEL void pass(const sp_rows_tuning *by, const sp_dataset *data, const uint32_t *index, size_t count, size_t asks,
                 const sp_rows_ask *ask, sp_rows_weigh *weigh)
{
    const sp_dataset *hot = data->storage == SP_STORE_ONE_HOT ? data : NULL;
    const size_t eights = eights_of(hot ? hot->numeric : data->d);
    const sp_pass from = { by, data, index, count, asks, ask, weigh, PAIRS && sp_pass_pairs(data, asks, ask) };
#if PAIRS
    if (from.paired)
        pass_pairs(&from);
    else
#endif
    if (sp_rows_long(data))
        pass_long(&from);
    else
        kernels_of(eights, hot)->pass(eights, &from);
}

KERNEL void dot(size_t d, size_t count, const double *const *row, const double *w, double *restrict out)
{
    const size_t eights = eights_of(d);
    double padded[SHORT * SP_LANES];
    if (eights > SHORT) {
        dot_long(d, count, row, w, out);
        return;
    }
    pad(eights, NULL, d, w, padded);
    kernels_of(eights, false)->dot(eights, NULL, count, row, padded, NULL, out);
}

KERNEL void add(size_t d, size_t count, const double *const *row, const double *scale, double *restrict sum)
{
    const size_t eights = eights_of(d);
    vec padded[SHORT * SP_LANES / WIDTH];
    if (eights > SHORT) {
        add_long(d, count, row, NULL, scale, sum);
        return;
    }
    pad(eights, NULL, d, sum, (double *)padded);
    kernels_of(eights, false)->add(eights, NULL, count, row, scale, padded, NULL);
    memcpy(sum, padded, d * sizeof *sum);
}

KERNEL void dot_hot(const sp_dataset *data, size_t count, const double *const *row, const double *w,
                    double *restrict out)
{
    const size_t eights = eights_of(data->numeric);
    double padded[SHORT * SP_LANES];
    pad(eights, data, data->d, w, padded);
    kernels_of(eights, true)->dot(eights, data, count, row, padded, w, out);
}

KERNEL void add_hot(const sp_dataset *data, size_t count, const double *const *row, const double *scale,
                    double *restrict sum)
{
    const size_t eights = eights_of(data->numeric);
    vec padded[SHORT * SP_LANES / WIDTH];
    pad(eights, data, data->d, sum, (double *)padded);
    kernels_of(eights, true)->add(eights, data, count, row, scale, padded, sum);
    unpad(eights, data, data->d, (double *)padded, sum);
}

#endif
