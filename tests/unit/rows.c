/* rows.c -- the kernels against the plain loop, within a bound that holds for any order of summation, on records that
 * hurt; the same bits on every instruction set; and every storage, in widths around the size of a word and of a group
 * of lanes, with the promise that a row's numbers do not depend on the rows beside it. */
#include "core/numeric/stream.h"
#include "core/data/rows.h"
#include "core/data/rows_kernels.h"
#include "tests/storages.h"

#include <gsl/gsl_randist.h>

#include <float.h>

/* --- kernels --------------------------------------------------------------------------------------------------- */

enum { MOST = 40 };

typedef enum { GAUSSIAN, WIDE, DENORMAL, HUGE_ONES, ZERO_ROWS, KINDS } kind;

/* Numbers of one kind, behind each row something finite that must not count. */
static double *kernel_rows(kind k, size_t d, size_t stride, gsl_rng *stream)
{
    double *X = sp_alloc_doubles(MOST * stride);
    for (size_t i = 0; i < MOST; i++)
        for (size_t j = 0; j < stride; j++) {
            const double z = gsl_ran_gaussian(stream, 1.0);
            double *x = &X[i * stride + j];
            *x = k == WIDE ? ldexp(z, (int)gsl_rng_uniform_int(stream, 400) - 200) : k == DENORMAL ? z * 0x1p-1060
               : k == HUGE_ONES ? z * 0x1p500 : k == ZERO_ROWS && i % 3 == 0 ? 0.0 : z;
            if (j >= d)
                *x = 7.31e200;
        }
    return X;
}

/* |computed - exact| of a sum of m fused products, and of a start, in any order: m u sum |products|, and half of the
 * least subnormal for each. For joining m terms and a start takes m operations, each of them rounded once, and so does
 * the first product of a lane, but that one joins nothing: no term meets more than m roundings. The exact sum is taken
 * in long double, 2^-64 a step. */
static void check_sum(double computed, long double exact, long double size, size_t m)
{
    const long double bound = (long double)m * (0x1.01p-53L * size + 0x1p-1074L);
    SP_CHECK_REPORT(fabsl(computed - exact) <= bound, "%zu terms: %.17g for %.17Lg, allowed %.3Lg", m, computed, exact,
                    bound);
}

typedef struct kernel_case {
    size_t d, count, stride;
    const double *X, *w, *scale;
    const uint64_t *sign, *start; /* signs; of the entries of X that a sparse row keeps */
    const uint32_t *column;
    const double *entry;
    size_t words;
    sp_dataset hot;
} kernel_case;

typedef struct kernel_results {
    /* one block: count, d, count, d, ... */
    double *dot, *sum, *dot_signs, *sum_signs, *dot_sparse, *sum_sparse, *dot_hot, *sum_hot;
    double *H, *H_hot; /* d * d each, up to 65 features */
    size_t size;
} kernel_results;

static kernel_results kernel_room(const kernel_case *c)
{
    const size_t square = c->d <= 65 ? c->d * c->d : 0;
    kernel_results r = { .size = 4 * c->count + 4 * c->d + 2 * square };
    r.dot = sp_alloc_doubles(r.size);
    r.sum = r.dot + c->count;
    r.dot_signs = r.sum + c->d;
    r.sum_signs = r.dot_signs + c->count;
    r.dot_sparse = r.sum_signs + c->d;
    r.sum_sparse = r.dot_sparse + c->count;
    r.dot_hot = r.sum_sparse + c->d;
    r.sum_hot = r.dot_hot + c->count;
    r.H = r.sum_hot + c->d;
    r.H_hot = r.H + square;
    for (size_t j = 0; j < c->d; j++)
        r.sum[j] = r.sum_signs[j] = r.sum_sparse[j] = r.sum_hot[j] = 0.731;
    return r;
}

static void kernel_run(const kernel_case *c, sp_isa isa, kernel_results *r)
{
    const sp_rows_kernels *kernels = sp_rows_kernels_of[isa];
    const double *row[MOST], *hot[MOST];
    uint32_t index[MOST];
    for (size_t i = 0; i < c->count; i++) {
        index[i] = (uint32_t)(i * 7 % MOST);
        row[i] = c->X + index[i] * c->stride;
        hot[i] = c->hot.X + index[i] * c->hot.stride;
    }
    kernels->dot(c->d, c->count, row, c->w, r->dot);
    kernels->add(c->d, c->count, row, c->scale, r->sum);
    kernels->dot_signs(c->d, c->count, c->sign, c->words, index, c->w, r->dot_signs);
    kernels->add_signs(c->d, c->count, c->sign, c->words, index, c->scale, r->sum_signs);
    kernels->dot_sparse(c->count, c->start, c->column, c->entry, index, c->w, r->dot_sparse);
    kernels->add_sparse(c->count, c->start, c->column, c->entry, index, c->count % 2 == 0, c->scale, r->sum_sparse);
    kernels->dot_hot(&c->hot, c->count, hot, c->w, r->dot_hot);
    kernels->add_hot(&c->hot, c->count, hot, c->scale, r->sum_hot);
    if (c->d > 65)
        return;
    double scaled[MOST * SP_SQUARE_ROOM], *packed = sp_alloc_doubles(sp_hot_packing(c->d, c->hot.numeric, c->count));
    kernels->square_hot(&c->hot, c->count, hot, c->scale, c->count % 2 ? c->X : NULL, packed, r->H_hot);
    free(packed);
    kernels->square(c->d, c->count, row, c->scale, c->count % 2 ? c->X : NULL, c->stride, scaled, r->H);
}

/* Entry j of row k as a dense, a packed, a sparse row (an eight to begin with in most rows, then here and there) and a
 * one-hot row (of whose features two in three are numeric, while there is room). */
enum { DENSE, PACKED, SPARSE, ONE_HOT };

static bool kept(size_t k, size_t j)
{
    return k % 5 != 4 && (j < 9 - k % 3 || (j * 7 + k * 13) % 11 < 4 || (j / 16 + k) % 4 == 0);
}

static bool is_number(size_t d, size_t j)
{
    return d % 7 != 5 && j % 3 != 1 && j < 96;
}

static double hot_value(const kernel_case *c, size_t k)
{
    return c->X[k * c->stride + c->d / 2];
}

static double entry_of(const kernel_case *c, int form, size_t k, size_t j)
{
    if (form == PACKED)
        return c->sign[k * c->words + j / 64] >> j % 64 & 1 ? 1.0 : -1.0;
    if (form == ONE_HOT && !is_number(c->d, j))
        return kept(k, j) ? hot_value(c, k) : 0.0;
    return form == SPARSE && !kept(k, j) ? 0.0 : c->X[k * c->stride + j];
}

/* What stands behind the numbers and the list must not count. */
static void make_hot(kernel_case *c)
{
    size_t numeric = 0;
    for (size_t j = 0; j < c->d; j++)
        numeric += is_number(c->d, j);
    CHECK_EQUAL(sp_dataset_new(SP_STORE_ONE_HOT, MOST, c->d, sp_hot_entries(numeric, c->d - numeric), false, false,
                               &c->hot, NULL), SP_OK);
    CHECK(sp_rows_packing(&c->hot, MOST) >= MOST * c->d); /* the search of F* puts rows in line there */
    for (size_t i = 0; i < MOST; i++) {
        double *row = sp_dataset_X(&c->hot) + i * c->hot.stride;
        uint16_t *list = (uint16_t *)sp_hot_list(&c->hot, row);
        memset(row, 0xff, c->hot.stride * sizeof *row); /* not a number */
        list[0] = 0;
        for (size_t j = 0, place = 0; j < c->d; j++)
            if (is_number(c->d, j)) {
                sp_dataset_column(&c->hot)[place] = (uint32_t)j;
                row[place++] = c->X[i * c->stride + j];
            } else if (kept(i, j)) {
                list[++list[0]] = (uint16_t)j;
            }
        row[numeric + SP_HOT_VALUE] = hot_value(c, i);
    }
}

static void kernel_truth(const kernel_case *c, int form, const double *dot, const double *total)
{
    for (size_t i = 0; i < c->count; i++) {
        long double sum = 0.0L, size = 0.0L;
        for (size_t j = 0; j < c->d; j++) {
            const long double term = (long double)entry_of(c, form, i * 7 % MOST, j) * c->w[j];
            sum += term;
            size += fabsl(term);
        }
        check_sum(dot[i], sum, size, c->d);
    }
    for (size_t j = 0; j < c->d; j++) {
        long double sum = 0.731, size = 0.731; /* what the kernels began with, a double */
        for (size_t i = 0; i < c->count; i++) {
            const long double term = (long double)entry_of(c, form, i * 7 % MOST, j) * c->scale[i];
            sum += term;
            size += fabsl(term);
        }
        check_sum(total[j], sum, size, c->count);
    }
}

/* Upper triangle; one rounding more, of b x_k, is within twice as much. */
static void square_truth(const kernel_case *c, int form, const double *H)
{
    for (size_t j = 0; j < c->d; j++)
        for (size_t k = 0; k < c->d; k++) {
            long double sum = 0.0L, size = 0.0L, smallest = 0.0L;
            for (size_t i = 0; i < c->count && k >= j; i++) {
                const long double x = entry_of(c, form, i * 7 % MOST, j), z = entry_of(c, form, i * 7 % MOST, k);
                const long double term = x * c->scale[i] * z;
                sum += term;
                size += fabsl(term);
                smallest += (fabsl(x) + (form == ONE_HOT ? fabsl(z) : 0.0L)) * 0x1p-1074L; /* b x_k may underflow before
                                                                  x_j meets it; of one-hot rows b x_j before x_k */
            }
            check_sum(H[j * c->d + k], sum, 2.0L * size + smallest * 0x1p53L, c->count);
        }
}

/* Eight lanes as rows_body.h adds them up. */
static double folded(const double *l)
{
    return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]));
}

/* The order of rows_body.h as plain loops: the same bits. */
static void plain_truth(const kernel_case *c, const kernel_results *r)
{
    size_t wrong = 0;
    for (size_t i = 0; i < c->count; i++) {
        const size_t k = i * 7 % MOST;
        double l[SP_LANES] = { 0.0 }, hot[SP_LANES] = { 0.0 }, listed = 0.0;
        for (size_t j = 0, place = 0; j < c->d; j++) {
            l[j % SP_LANES] = fma(c->X[k * c->stride + j], c->w[j], l[j % SP_LANES]);
            if (is_number(c->d, j)) {
                hot[place % SP_LANES] = fma(c->X[k * c->stride + j], c->w[j], hot[place % SP_LANES]);
                place++;
            } else if (kept(k, j)) {
                listed += c->w[j];
            }
        }
        wrong += r->dot[i] != folded(l) || r->dot_hot[i] != fma(hot_value(c, k), listed, folded(hot));
    }
    for (size_t j = 0; j < c->d; j++) {
        double sum = 0.731, hot = 0.731;
        for (size_t i = 0; i < c->count; i++) {
            sum = fma(c->scale[i], c->X[i * 7 % MOST * c->stride + j], sum);
            hot = fma(c->scale[i], entry_of(c, ONE_HOT, i * 7 % MOST, j), hot);
        }
        wrong += r->sum[j] != sum || r->sum_hot[j] != hot;
    }
    for (size_t j = 0; j < c->d && c->d <= 65; j++)
        for (size_t k = j; k < c->d; k++) {
            double sum = 0.0;
            for (size_t i = 0; i < c->count; i++) {
                const double *x = c->X + i * 7 % MOST * c->stride;
                sum = fma(x[j], c->scale[i] * x[k], sum);
            }
            wrong += r->H[j * c->d + k] != sum;
        }
    SP_CHECK_REPORT(wrong == 0, "d = %zu, %zu rows: %zu numbers are not those of plain loops", c->d, c->count, wrong);
}

static void check_kernels(kind k, size_t d, size_t count, gsl_rng *stream)
{
    const size_t stride = sp_dense_stride(d), words = (d + 63) / 64;
    double *X = kernel_rows(k, d, stride, stream), *w = sp_alloc_doubles(d), scale[MOST];
    uint64_t *sign = sp_alloc(MOST * words, sizeof *sign);
    for (size_t j = 0; j < d; j++)
        w[j] = gsl_ran_gaussian(stream, k == HUGE_ONES ? 0x1p-400 : 1.0);
    for (size_t i = 0; i < MOST; i++)
        scale[i] = gsl_ran_gaussian(stream, k == HUGE_ONES ? 0x1p-600 : 1.0);
    for (size_t i = 0; i < MOST * words; i++)
        sign[i] = (uint64_t)gsl_rng_get(stream) << 32 ^ (uint64_t)gsl_rng_get(stream) << 11 ^ gsl_rng_get(stream);
    uint64_t start[MOST + 1] = { 0 };
    uint32_t *column = sp_alloc(MOST * d, sizeof *column);
    double *entry = sp_alloc_doubles(MOST * d);
    for (size_t i = 0; i < MOST; i++) {
        start[i + 1] = start[i];
        for (size_t j = 0; j < d; j++)
            if (kept(i, j)) {
                column[start[i + 1]] = (uint32_t)j;
                entry[start[i + 1]++] = X[i * stride + j];
            }
    }
    kernel_case c = { d, count, stride, X, w, scale, sign, start, column, entry, words, { 0 } };
    make_hot(&c);
    kernel_results first = kernel_room(&c);
    kernel_run(&c, SP_ISA_BASELINE, &first);
    kernel_truth(&c, DENSE, first.dot, first.sum);
    kernel_truth(&c, PACKED, first.dot_signs, first.sum_signs);
    kernel_truth(&c, SPARSE, first.dot_sparse, first.sum_sparse);
    kernel_truth(&c, ONE_HOT, first.dot_hot, first.sum_hot);
    if (d <= 65) {
        square_truth(&c, DENSE, first.H);
        square_truth(&c, ONE_HOT, first.H_hot);
    }
    plain_truth(&c, &first);
    for (sp_isa isa = SP_ISA_AVX2; isa < SP_ISAS; isa++) {
        if (!sp_isa_known(sp_isa_name(isa)))
            continue;
        kernel_results other = kernel_room(&c);
        kernel_run(&c, isa, &other);
        SP_CHECK_REPORT(memcmp(first.dot, other.dot, first.size * sizeof *first.dot) == 0,
                        "%s: other bits than baseline, d = %zu, %zu rows", sp_isa_name(isa), d, count);
        free(other.dot);
    }
    free(first.dot);
    sp_dataset_free(&c.hot);
    free(entry);
    free(column);
    free(sign);
    free(w);
    free(X);
}

/* What is not finite goes where it belongs and nowhere else, on every set. */
static void check_not_finite(sp_isa isa)
{
    enum { D = 21 };
    double X[3][24] = { { 0.0 } }, w[D], out[3], sum[D] = { 0.0 };
    const double *row[] = { X[0], X[1], X[2] }, scale[] = { 1.0, NAN, -2.0 };
    for (size_t j = 0; j < D; j++) {
        X[0][j] = X[2][j] = 1.0;
        X[1][j] = j == 20;
        w[j] = j == 20 ? INFINITY : 0.385;
    }
    sp_rows_kernels_of[isa]->dot(D, 3, row, w, out);
    CHECK(isinf(out[0]) && isinf(out[2]) && isinf(out[1]));
    w[20] = NAN;
    X[0][20] = 0.0; /* 0 times NAN is NAN */
    sp_rows_kernels_of[isa]->dot(D, 3, row, w, out);
    CHECK(isnan(out[0]) && isnan(out[1]) && isnan(out[2]));
    sp_rows_kernels_of[isa]->add(D, 1, row, scale, sum);
    sp_rows_kernels_of[isa]->add(D, 1, row + 2, scale + 2, sum);
    CHECK_NEAR(sum[0], -1.0, 0.0);
    CHECK_NEAR(sum[20], -2.0, 0.0);
    sp_rows_kernels_of[isa]->add(D, 3, row, scale, sum);
    for (size_t j = 0; j < D; j++)
        CHECK(isnan(sum[j]));
}

static void check_every_kernel(gsl_rng *stream)
{
    static const size_t widths[] = { 1, 5, 7, 8, 9, 10, 16, 22, 33, 40, 41, 50, 54, 63, 64, 65, 72, 131, 1000 };
    static const size_t counts[] = { 1, 7, 8, 9, 16, 29, MOST };
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int of = GAUSSIAN; of < KINDS; of++)
                check_kernels((kind)of, widths[k], counts[c], stream);
    for (sp_isa isa = SP_ISA_BASELINE; isa < SP_ISAS; isa++)
        if (sp_isa_known(sp_isa_name(isa)))
            check_not_finite(isa);
}

/* --- storages --------------------------------------------------------------------------------------------------- */

enum { N = 37 };

typedef enum { FULL, HOLES, SIGNS, HOT, PATTERNS } pattern; /* Gaussian; two thirds of it 0; +-unit; Gaussian up to
                                                               feature 20, behind it 0 or one number a row */

static double *matrix(pattern p, size_t d, double unit, gsl_rng *stream)
{
    double *X = sp_alloc_doubles(N * d);
    for (size_t k = 0; k < N * d; k++) {
        X[k] = p == SIGNS ? (gsl_rng_uniform(stream) < 0.385 ? unit : -unit) : gsl_ran_gaussian(stream, 1.0);
        if (p == HOLES && gsl_rng_uniform(stream) < 2.0 / 3.0)
            X[k] = 0.0;
    }
    for (size_t i = 0; p == HOT && i < N; i++)
        for (size_t j = 20; j < d; j++)
            X[i * d + j] = (j + i) % 5 == 0 || j + 1 == d ? 0.0731 * (double)(i + 1) : 0.0;
    for (size_t j = 0; (p == HOLES || p == HOT) && j < d; j++)
        X[5 * d + j] = 0.0; /* an empty row */
    return X;
}

/* The block's rows are index[0 .. count-1] of X. */
static void check_block(sp_row_block *block, const double *X, size_t d, const double *w, const double *scale)
{
    double dot[SP_ROWS], *sum = sp_alloc_doubles(2 * d), *row = sum + d;
    const double before = 0.731;
    for (size_t j = 0; j < d; j++)
        sum[j] = before;
    sp_rows_dot(block, w, dot);
    sp_rows_add(block, scale, sum);
    for (size_t i = 0; i < block->count; i++) {
        const double *x = X + block->index[i] * d;
        long double expected = 0.0L, size = 0.0L;
        for (size_t j = 0; j < d; j++) {
            expected += (long double)x[j] * w[j];
            size += fabsl((long double)x[j] * w[j]);
        }
        CHECK_NEAR(dot[i], (double)expected, 1e-15 * (double)(2.0L + size));
        sp_rows_copy(block, i, -1.31, row);
        for (size_t j = 0; j < d; j++)
            CHECK(row[j] == -1.31 * x[j]);
        sp_row_of(block->data, block->index[i], row);
        CHECK(memcmp(row, x, d * sizeof *x) == 0);
    }
    for (size_t j = 0; j < d; j++) {
        long double expected = before;
        for (size_t i = 0; i < block->count; i++)
            expected += (long double)scale[i] * X[block->index[i] * d + j];
        CHECK_NEAR(sum[j], (double)expected, 1e-13);
    }
    free(sum);
}

/* H += sum_i scale_i x_i x_i' on and above the diagonal, nothing below it. Sparse rows: to the bit. */
static void check_square(const sp_row_block *block, const double *X, size_t d, const double *scale)
{
    double *H = sp_alloc(d, d * sizeof *H), *packed = sp_alloc_doubles(sp_rows_packing(block->data, block->count));
    const double allowed = block->data->storage == SP_STORE_SPARSE ? 0.0 : 1e-13;
    for (size_t k = 0; k < d * d; k++)
        H[k] = 0.731;
    sp_rows_square(block, scale, packed, H);
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < d; k++) {
            long double expected = 0.731L;
            double in_order = 0.731;
            for (size_t i = 0; i < block->count && k >= j; i++) {
                const double x = X[block->index[i] * d + j], z = X[block->index[i] * d + k];
                expected += (long double)scale[i] * x * z;
                in_order += scale[i] * x * z;
            }
            CHECK_NEAR(H[j * d + k], allowed > 0.0 ? (double)expected : in_order, allowed);
            CHECK_NEAR(in_order, (double)expected, 1e-13);
        }
    free(packed);
    free(H);
}

/* One row at a time gives the same bits as the block, in the inner products and in the sum. */
static void check_alone(sp_row_block *block, const double *w, const double *scale, double *buffer)
{
    const sp_dataset *data = block->data;
    double together[SP_ROWS], *sum = sp_alloc_doubles(2 * data->d), *other = sum + data->d;
    sp_row_block one;
    sp_rows_dot(block, w, together);
    sp_rows_add(block, scale, sum);
    for (size_t i = 0; i < block->count; i++) {
        double alone;
        const uint32_t index = block->index[i];
        sp_rows_gather(data, &index, 0, 1, buffer, &one);
        sp_rows_dot(&one, w, &alone);
        CHECK(memcmp(&alone, &together[i], sizeof alone) == 0);
        sp_rows_add(&one, &scale[i], other);
    }
    CHECK(memcmp(sum, other, data->d * sizeof *sum) == 0);
    free(sum);
}

/* --- passes: what they give is what blocks give, to the bit ------------------------------------------------------ */

enum { PASS_N = 333, ASKS_MOST = 9 };

/* Of a record alone: its inner products with the points, its label and norm */
typedef struct record_truth {
    double dot[SP_TERMS_MAX], label, norm;
} record_truth;

static record_truth *record_truths(const sp_dataset *data, const double *w)
{
    record_truth *truth = sp_alloc(data->n, sizeof *truth);
    double *row = sp_alloc_doubles(sp_rows_buffer(data));
    sp_row_block one;
    for (size_t i = 0; i < data->n; i++) {
        sp_rows_gather(data, NULL, i, 1, row, &one);
        for (size_t t = 0; t < SP_TERMS_MAX; t++)
            sp_rows_dot(&one, w + t * data->d, &truth[i].dot[t]);
        sp_rows_labels(&one, &truth[i].label, &truth[i].norm);
    }
    free(row);
    return truth;
}

typedef struct weighing {
    size_t points, point; /* point[0], ..., or of asks that are alike this one alone */
    const record_truth *truth;
    const uint32_t *index;
    size_t seen, wrong;
} weighing;

/* What a record counts: out of all that `weigh` sees of it. */
static double weight(const weighing *at, size_t i)
{
    const record_truth *r = &at->truth[at->index ? at->index[i] : i];
    double dots = 0.0;
    for (size_t t = 0; t < at->points; t++)
        dots += r->dot[at->point + t];
    return dots * r->norm + r->label;
}

/* Counts rows whose margins, labels or norms are not their own. */
static void weigh(const void *context, const sp_margins *seen, double *restrict scale)
{
    weighing *at = (weighing *)(uintptr_t)context;
    at->wrong += seen->first != at->seen || seen->count == 0 || seen->count > SP_PASS_ROWS;
    at->seen += seen->count;
    for (size_t i = 0; i < seen->count; i++) {
        const record_truth *r = &at->truth[at->index ? at->index[seen->first + i] : seen->first + i];
        for (size_t t = 0; t < at->points; t++)
            at->wrong += memcmp(&r->dot[at->point + t], &seen->at[t][i], sizeof(double)) != 0;
        at->wrong += r->label != seen->label[i] || r->norm != seen->norm[i];
        scale[i] = weight(at, seen->first + i);
    }
}

/* Passes over these are kernels. */
static bool in_lines(const sp_dataset *data)
{
    return data->storage == SP_STORE_DENSE || data->storage == SP_STORE_ONE_HOT;
}

/* Of dense and one-hot rows with the kernels of `isa`, as on processors of `maker`. Alike: asks of one point each and a
 * sum, which dense rows take two at a time. */
static void check_pass(const sp_dataset *data, sp_isa isa, sp_rows_maker maker, const uint32_t *index, size_t count,
                       size_t asks, bool alike, const double *w, const record_truth *truth)
{
    const size_t d = data->d, most = sp_rows_per_block(data);
    const double *point[SP_TERMS_MAX];
    double *sum = sp_alloc_doubles((asks + 1) * d), *buffer = sp_alloc_doubles(sp_rows_buffer(data));
    weighing at[ASKS_MOST];
    sp_rows_ask ask[ASKS_MOST];
    sp_row_block block;
    for (size_t t = 0; t < SP_TERMS_MAX; t++)
        point[t] = w + t * d;
    for (size_t a = 0; a < asks; a++) {
        at[a] = (weighing){ alike ? 1 : 1 + a % SP_TERMS_MAX, alike ? a % SP_TERMS_MAX : 0, truth, index, 0, 0 };
        ask[a] = (sp_rows_ask){ at[a].points, point + at[a].point, &at[a], !alike && a == 5 ? NULL : sum + a * d };
        for (size_t j = 0; j < d; j++)
            sum[a * d + j] = 0.731;
    }
    if (in_lines(data))
        sp_rows_kernels_of[isa]->pass(&sp_rows_tunings[maker], data, index, count, asks, ask, weigh);
    else
        sp_rows_pass(data, index, count, asks, ask, weigh, buffer);
    for (size_t a = 0; a < asks; a++) {
        double *expected = sum + asks * d, scale[SP_ROWS];
        CHECK(at[a].seen == count && at[a].wrong == 0);
        for (size_t j = 0; j < d; j++)
            expected[j] = 0.731;
        for (size_t i = 0; i < count && ask[a].sum; i += block.count) {
            sp_rows_gather(data, index ? index + i : NULL, i, count - i < most ? count - i : most, buffer, &block);
            for (size_t k = 0; k < block.count; k++)
                scale[k] = weight(&at[a], i + k);
            sp_rows_add(&block, scale, expected);
        }
        SP_CHECK_REPORT(memcmp(expected, sum + a * d, d * sizeof *sum) == 0,
                        "%s, %s, d = %zu, %zu rows, ask %zu of %zu%s", sp_storage_names[data->storage],
                        sp_isa_name(isa), d, count, a, asks, alike ? ", alike" : "");
    }
    free(buffer);
    free(sum);
}

/* n rows of d signs, with labels or without: every storage can hold them, one-hot rows where d is not too large. Behind
 * the first `numbers` they are 0 or the row's own number, none in each seventh row. */
static void check_passes(size_t n, size_t d, size_t numbers, bool labels, gsl_rng *stream)
{
    const size_t count[] = { PASS_N, 1, 7, 8, 65 };
    double *X = sp_alloc_doubles(n * d), *y = sp_alloc_doubles(n), *w = sp_alloc_doubles(SP_TERMS_MAX * d);
    uint32_t index[2 * PASS_N]; /* longer than most of the data */
    for (size_t k = 0; k < n * d; k++)
        X[k] = gsl_rng_uniform(stream) < 0.5 ? -0.731 : 0.731;
    for (size_t k = 0; k < n * d; k++)
        if (k % d >= numbers)
            X[k] = (k / d) % 7 != 3 && X[k] > 0.0 ? 0.0173 * (double)(k / d % 50 + 1) : 0.0;
    for (size_t i = 0; i < n; i++)
        y[i] = gsl_ran_gaussian(stream, 1.0);
    for (size_t j = 0; j < SP_TERMS_MAX * d; j++)
        w[j] = gsl_ran_gaussian(stream, 1.0);
    for (size_t i = 0; i < 2 * PASS_N; i++)
        index[i] = (uint32_t)gsl_rng_uniform_int(stream, n);
    const records r = { .n = n, .d = d, .X = X, .y = labels ? y : NULL, .unit = numbers < d ? 0.0 : 0.731,
                        .radius = 1e3, .label_bound = 1e3 };
    for (int storage = 0; storage < STORAGES; storage++) {
        sp_dataset data;
        if (!records_fit(&r, (sp_storage)storage) || !records_stored(&r, (sp_storage)storage, &data))
            continue;
        record_truth *truth = record_truths(&data, w);
        for (sp_isa isa = SP_ISA_BASELINE; isa < (in_lines(&data) ? SP_ISAS : SP_ISA_AVX2); isa++)
            for (size_t asks = 1; sp_isa_known(sp_isa_name(isa)) && asks <= ASKS_MOST; asks += asks == 1 ? 1 : 7)
                for (sp_rows_maker m = 0; m < (in_lines(&data) ? SP_ROWS_MAKERS : 1); m++) {
                    check_pass(&data, isa, m, NULL, n, asks, false, w, truth);
                    for (size_t c = 0; c < sizeof count / sizeof *count; c++) {
                        const size_t some = count[c] <= n ? count[c] : 2 * PASS_N;
                        check_pass(&data, isa, m, index, some, asks, false, w, truth);
                    }
                    if (asks > 1) {
                        check_pass(&data, isa, m, NULL, n, asks, true, w, truth);
                        check_pass(&data, isa, m, index, count[0], asks, true, w, truth);
                    }
                }
        free(truth);
        sp_dataset_free(&data);
    }
    free(X);
    free(y);
    free(w);
}

static void check_storage(const records *r, sp_storage storage, const double *w, const double *scale)
{
    sp_dataset data;
    sp_row_block block;
    if (!records_stored(r, storage, &data))
        return;
    for (size_t i = 0; i < N && storage == SP_STORE_DENSE; i++) { /* a row carries its label and norm, then zeros */
        const double *x = data.X + i * data.stride;
        CHECK((uintptr_t)x % 64 == 0 && data.stride == sp_dense_stride(r->d));
        CHECK(x[r->d] == (r->y ? r->y[i] : 0.0) && x[r->d + 1] == data.norm[i]);
        for (size_t j = r->d + 2; j < data.stride; j++)
            CHECK(x[j] == 0.0);
    }
    const size_t most = sp_rows_per_block(&data);
    CHECK(most >= 8 && most <= SP_ROWS && most % 8 == 0);
    CHECK_EQUAL(sp_rows_buffer(&data), storage == SP_STORE_INDEXED ? most * sp_dense_stride(r->d) : 0);
    double *buffer = sp_alloc_doubles(sp_rows_buffer(&data));
    double *alone = sp_alloc_doubles(sp_rows_buffer(&data)); /* the block still stands in the other */
    const size_t count = most < 19 ? most : 19; /* not a multiple of four */
    uint32_t index[19];
    for (size_t i = 0; i < count; i++)
        index[i] = (uint32_t)(11 * i % N);
    index[1] = index[0]; /* a record may come twice */
    sp_rows_gather(&data, index, 0, count, buffer, &block);
    CHECK_EQUAL(block.count, count);
    CHECK(block.data == &data && memcmp(block.index, index, count * sizeof *index) == 0);
    check_block(&block, r->X, r->d, w, scale);
    if (r->d <= 64)
        check_square(&block, r->X, r->d, scale);
    check_alone(&block, w, scale, alone);
    double label[SP_ROWS], norm[SP_ROWS];
    sp_rows_labels(&block, label, norm);
    for (size_t i = 0; i < count; i++)
        CHECK(label[i] == (r->y ? r->y[index[i]] : 0.0) && norm[i] == data.norm[index[i]]);
    sp_rows_gather(&data, NULL, N - 7, 7, buffer, &block);
    CHECK(block.index[0] == N - 7 && block.index[6] == N - 1);
    check_block(&block, r->X, r->d, w, scale);
    sp_dataset_free(&data);
    free(buffer);
    free(alone);
}

int main(void)
{
    static const size_t widths[] = { 1, 3, 4, 5, 7, 8, 9, 12, 31, 63, 64, 65, 68, 127, 129, 200, 2500 };
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(2385, "rows", 0, SP_STREAM_DATA));
    static const size_t passed[] = { 1, 6, 7, 8, 22, 54, 62, 63, 64, 65, 94, 190, 511, 1200 };
    static const size_t numbers[] = { SIZE_MAX, 10, 0 };
    check_every_kernel(stream);
    for (size_t k = 0; k < sizeof passed / sizeof *passed; k++)
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
            if (numbers[n] == SIZE_MAX || passed[k] < 100)
                check_passes(passed[k] > 1000 ? 65 : PASS_N, passed[k], numbers[n], (k + n) % 3 != 0, stream);
    check_passes(40000, 54, SIZE_MAX, true, stream); /* more than stays in cache */
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        for (int p = FULL; p < PATTERNS; p++) {
            const size_t d = widths[k];
            const double unit = 0.731;
            double *X = matrix((pattern)p, d, unit, stream), *w = sp_alloc_doubles(d), scale[SP_ROWS], y[N];
            for (size_t j = 0; j < d; j++)
                w[j] = gsl_ran_gaussian(stream, 1.0);
            for (size_t i = 0; i < SP_ROWS; i++)
                scale[i] = gsl_ran_gaussian(stream, 1.0);
            for (size_t i = 0; i < N; i++)
                y[i] = gsl_ran_gaussian(stream, 1.0);
            const records r = { .n = N, .d = d, .X = X, .y = d % 2 ? y : NULL, .unit = p == SIGNS ? unit : 0.0,
                                .radius = 1e3, .label_bound = 1e3 };
            for (int storage = 0; storage < STORAGES; storage++)
                if (records_fit(&r, (sp_storage)storage))
                    check_storage(&r, (sp_storage)storage, w, scale);
            free(w);
            free(X);
        }
    gsl_rng_free(stream);
    return sp_check_done();
}
