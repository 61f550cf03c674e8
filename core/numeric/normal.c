/* normal.c -- standard normal numbers by Box & Muller 1958: for independent uniform u1 in (0, 1] and u2 in [0, 1),
 * sqrt(-2 log u1) (cos, sin)(2 pi u2) are two independent standard normals. Also uniform points in a ball.
 *
 * u2 = k / 4 + r with |r| <= 1/8 exactly. sin(2 pi r) / r and cos(2 pi r) are polynomials in r^2 (interpolated at
 * Chebyshev nodes with 80 digits; relative errors below 2^-54). The quarter turns k exchange sine and cosine and change
 * signs, on the bits. The uniform numbers of a chunk are drawn before its normals, so that the processor has several
 * independent computations to overlap. */
#include "core/numeric/normal.h"

#include "core/numeric/math.h"
#include "core/numeric/philox.h"

enum { GROUP = 2 * SP_PHILOX_LANES, GROUPS = 8 }; /* numbers of a group; groups at a time */

/* z[GROUP] */
static inline void box_muller(const uint64_t *restrict word, double *restrict z)
{
    static const double S[] = {
        0x1.921fb54442d18p+2, -0x1.4abbce625be41p+5, 0x1.466bc677587f8p+6, -0x1.32d2cce2e5b19p+6,
        0x1.50782fda12d96p+5, -0x1.e30071afc3e59p+3, 0x1.e3f38399551bfp+1,
    };
    static const double C[] = {
        0x1.0000000000000p+0, -0x1.3bd3cc9be45dep+4, 0x1.03c1f081b5aacp+6, -0x1.55d3c7e3c90f8p+6,
        0x1.e1f5068355e15p+5, -0x1.a6d1ec7906c20p+4, 0x1.f9cc41140bb60p+2, -0x1.b264ba152378ap+0,
    };
#pragma omp simd
    for (size_t i = 0; i < SP_PHILOX_LANES; i++) {
        const double u1 = sp_philox_uniform(word[i], word[SP_PHILOX_LANES + i]) + 0x1p-53; /* log has no special case */
        const double u2 = sp_philox_uniform(word[GROUP + i], word[GROUP + SP_PHILOX_LANES + i]);
        double exponent;
        const double fraction = sp_fraction(u1, &exponent);
        const double length = sqrt(-2.0 * sp_log_parts(exponent, fraction - 1.0, 0.0));
        const double shifted = 4.0 * u2 + 0x1.8p52, r = u2 - 0.25 * (shifted - 0x1.8p52), y = r * r;
        const uint64_t k = sp_bits(shifted), odd = -(k & 1); /* k modulo 4 */
        const uint64_t s = sp_bits(r * SP_POLYNOMIAL(y, S)), c = sp_bits(SP_POLYNOMIAL(y, C));
        const double sine = sp_double(((s & ~odd) | (c & odd)) ^ (k & 2) << 62);
        const double cosine = sp_double(((c & ~odd) | (s & odd)) ^ ((k + 1) & 2) << 62);
        z[2 * i] = length * cosine;
        z[2 * i + 1] = length * sine;
    }
}

static inline void add(sp_philox *philox, sp_philox_place at, size_t count, double scale, double *restrict v)
{
    for (size_t i = 0; i < count; i += GROUPS * GROUP) {
        _Alignas(64) uint64_t word[GROUPS * SP_PHILOX_WORDS];
        _Alignas(64) double z[GROUPS * GROUP];
        const size_t numbers = count - i < GROUPS * GROUP ? count - i : GROUPS * GROUP;
        for (size_t k = 0; k * GROUP < numbers; k++) {
            philox(&at, word + k * SP_PHILOX_WORDS);
            at.counter[0] += SP_PHILOX_LANES;
        }
        for (size_t k = 0; k * GROUP < numbers; k++)
            box_muller(word + k * SP_PHILOX_WORDS, z + k * GROUP);
        for (size_t j = 0; j < numbers; j++)
            v[i + j] += scale * z[j];
    }
}

#define ADD_ON(set)                                                                            \
    SP_KERNEL_ON(set, void, add, (sp_philox_place at, size_t count, double scale, double *v),  \
                 add(sp_philox_##set, at, count, scale, v))
ADD_ON(baseline)
ADD_ON(avx2)
ADD_ON(avx512)
static void (*const add_on[SP_ISAS])(sp_philox_place, size_t, double, double *) = { add_baseline, add_avx2,
                                                                                    add_avx512 };

void sp_normal_add(sp_stream_key key, uint64_t step, uint64_t pair, size_t count, double scale, double *v)
{
    add_on[sp_isa_in_use()](sp_philox_at(key, step, pair), count, scale, v);
}

void sp_ball_uniform(gsl_rng *stream, size_t d, double radius, double *v)
{
    sp_stream_key key;
    const uint64_t step = sp_stream_step(stream, &key);
    double norm = 0.0;
    for (size_t j = 0; j < d; j++)
        v[j] = 0.0;
    sp_normal_add(key, step, 0, d, 1.0, v);
    for (size_t j = 0; j < d; j++)
        norm = sp_hypot(norm, v[j]);
    const double length = radius * sp_pow(gsl_rng_uniform(stream), 1.0 / (double)d);
    for (size_t j = 0; norm > 0.0 && j < d; j++)
        v[j] *= length / norm;
}
