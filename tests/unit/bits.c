/* bits.c -- the same bits on every processor and by every compiler: SHA-256 of what the elementary functions, the
 * normal numbers and the kernels of rows give, as an x86-64 (SSE2) with gcc had it. Every operation on the way is one
 * of IEEE 754's, rounded correctly and in one order, so aarch64 (NEON) and clang have no choice. */
#include "core/base/hash.h"
#include "core/numeric/math.h"
#include "core/numeric/normal.h"
#include "core/data/dataset.h"
#include "core/data/rows_kernels.h"
#include "tests/check.h"

enum { POINTS = 20011, ROWS = 29, MOST = 200 }; /* MOST doubles a row, a multiple of 8 */

static double normal[POINTS];

static void is(const char *what, sp_hash *hash, const char *expected)
{
    char hex[SP_HASH_HEX];
    sp_hash_end_hex(hash, hex);
    SP_CHECK_REPORT(strcmp(hex, expected) == 0, "%s: other bits, %s", what, hex);
}

/* Which NaN comes out of an operation is the processor's choice. */
static void add_numbers(sp_hash *hash, size_t count, const double *v)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = isnan(v[i]) ? UINT64_MAX : sp_bits(v[i]);
        sp_hash_add(hash, &bits, sizeof bits);
    }
}

static void test_functions(void)
{
    static double (*const function[])(double) = { sp_exp, sp_expm1, sp_log, sp_log1p, sp_tanh, sp_sin, sp_cos, sp_erfc,
                                                  sp_sigmoid, sp_atan, sp_cosh, sp_acosh };
    sp_hash hash;
    sp_hash_start(&hash);
    for (size_t f = 0; f < sizeof function / sizeof *function; f++)
        for (size_t i = 0; i < POINTS; i++) {
            const double x = normal[i] * (i % 3 == 0 ? 1.0 : i % 3 == 1 ? 40.0 : 300.0), out = function[f](x);
            add_numbers(&hash, 1, &out);
        }
    for (size_t i = 0; i < POINTS; i++) {
        const double out[] = { sp_pow(fabs(normal[i]), 2.385 * normal[POINTS - 1 - i]), sp_hypot(normal[i], 2.385) };
        add_numbers(&hash, 2, out);
    }
    is("elementary functions", &hash, "0c7fe9574748ad9bd7e5791c14c11624e33a138c15a809dd6b160cfc1646fca9");
}

/* Inner products and sums of rows of every width from one vector to more than stays in the registers. */
static void test_rows(sp_isa isa)
{
    static double x[ROWS][MOST];
    const double *row[ROWS];
    double out[ROWS], sum[MOST] = { 0.0 };
    sp_hash hash;
    sp_hash_start(&hash);
    for (size_t d = 1; d < MOST; d += d < 80 ? 1 : 17) {
        for (size_t i = 0; i < ROWS; i++) {
            for (size_t j = 0; j < MOST; j++)
                x[i][j] = j < d ? normal[i * MOST + j] : 0.0;
            row[i] = x[i];
        }
        sp_rows_kernels_of[isa]->dot(d, ROWS, row, normal + d, out);
        sp_rows_kernels_of[isa]->add(d, ROWS, row, normal + 2 * d, sum);
        add_numbers(&hash, ROWS, out);
        add_numbers(&hash, d, sum);
    }
    is(sp_isa_name(isa), &hash, "bb59ed4e9840565f9e410d98e187854a3c75cbe72d1f7252fa6d85ac0bc8962d");
}

int main(void)
{
    sp_hash hash;
    sp_hash_start(&hash);
    sp_normal_add(sp_stream_key_of(11, "bits", 0, SP_STREAM_NOISE), 3, 5, POINTS, 1.0, normal);
    add_numbers(&hash, POINTS, normal);
    is("normal numbers", &hash, "8a190ef9e0a7582c446066440480260b10f3c57caf16ddda55d514c82990e57a");
    test_functions();
    for (sp_isa isa = SP_ISA_BASELINE; isa < SP_ISAS; isa++)
        if (sp_isa_known(sp_isa_name(isa)))
            test_rows(isa);
    return sp_check_done();
}
