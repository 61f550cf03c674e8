/* math_bodies.h -- the bodies of the functions of math.h, which includes this file.
 *
 * Every polynomial interpolates its function at Chebyshev nodes, computed to 70 digits; after rounding its error is
 * below 0.2 ulp of the result. A number that is kept as a sum of two doubles is called x, x_low. */
#ifndef SP_NUMERIC_MATH_BODIES_H
#define SP_NUMERIC_MATH_BODIES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

SP_INLINE uint64_t sp_bits(double x)
{
    uint64_t out;
    memcpy(&out, &x, sizeof out);
    return out;
}

SP_INLINE double sp_double(uint64_t bits)
{
    double out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

/* a b + c, rounded once. Written wherever it is meant: what a compiler contracts is its own choice. */
SP_INLINE double sp_fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

/* The terms from c[first] on: four of them and x^4 times what is `above` */
SP_INLINE double sp_four_terms(double x, double x2, double x4, size_t first, size_t count, const double *c,
                               double above)
{
    if (first >= count)
        return 0.0;
    const size_t left = count - first;
    const double low = left > 1 ? sp_fma(x, c[first + 1], c[first]) : c[first];
    const double high = left > 3 ? sp_fma(x, c[first + 3], c[first + 2]) : left > 2 ? c[first + 2] : 0.0;
    const double four = left > 2 ? sp_fma(x2, high, low) : low;
    return left > 4 ? sp_fma(x4, above, four) : four;
}

/* c[0] + x sum_(i > 0) c[i] x^(i-1), 1 < count <= 25; the sum by Estrin's scheme: within fours, these by Horner's rule.
 * c[0] comes last, so that what is rounded before counts little. All conditions are known to the compiler, and there is
 * no loop that it might leave standing. */
SP_INLINE double sp_polynomial(double x, size_t count, const double *c)
{
    const double x2 = x * x, x4 = x2 * x2;
    double sum = sp_four_terms(x, x2, x4, 21, count, c, 0.0);
    sum = sp_four_terms(x, x2, x4, 17, count, c, sum);
    sum = sp_four_terms(x, x2, x4, 13, count, c, sum);
    sum = sp_four_terms(x, x2, x4, 9, count, c, sum);
    sum = sp_four_terms(x, x2, x4, 5, count, c, sum);
    return sp_fma(x, sp_four_terms(x, x2, x4, 1, count, c, sum), c[0]);
}
#define SP_POLYNOMIAL(x, c) sp_polynomial(x, sizeof(c) / sizeof *(c), c)

#define SP_LN2_HIGH 0x1.62e42fefa39efp-1
#define SP_LN2_LOW  0x1.abc9e3b39803fp-56

/* a b = product + *rest exactly, unless the rest is below the normal numbers */
SP_INLINE double sp_two_product(double a, double b, double *rest)
{
    const double product = a * b;
    *rest = sp_fma(a, b, -product);
    return product;
}

/* a + b = sum + *rest exactly (Knuth) */
SP_INLINE double sp_two_sum(double a, double b, double *rest)
{
    const double sum = a + b, b1 = sum - a;
    *rest = (a - (sum - b1)) + (b - b1);
    return sum;
}

/* --- exp, expm1 --------------------------------------------------------------------------------------------------
 * x + low = k ln 2 + r, |r| <= (ln 2)/2, and e^r = 1 + r + r^2 P(r). k is read from the last bits of a sum that is so
 * large that adding x/ln 2 to it rounds to a whole number; it carries 2046 more, so that it is positive. */

SP_INLINE double sp_exp_reduced(double x, double low, double *k, uint64_t *biased) /* e^r - 1 */
{
    static const double P[] = {
        0x1.0000000000000p-1,  0x1.5555555555557p-3,  0x1.5555555555556p-5,  0x1.11111111100ccp-7,
        0x1.6c16c16c162cbp-10, 0x1.a01a01abf0a80p-13, 0x1.a01a01a6dd7cdp-16, 0x1.71de021620098p-19,
        0x1.27e4db54baef7p-22, 0x1.af4e229b10f1fp-26, 0x1.1f7323eb1b00fp-29,
    };
    const double shift = 0x1.8p52 + 2046.0, shifted = sp_fma(x, 0x1.71547652b82fep+0, shift);
    *k = shifted - shift;
    *biased = sp_bits(shifted) & 0xfff;
    const double coarse = sp_fma(-*k, SP_LN2_HIGH, x); /* exact: a multiple of 2^-54 below 1/2 */
    const double rest = sp_fma(*k, SP_LN2_LOW, -low), r = coarse - rest;
    return r + sp_fma(r * r, SP_POLYNOMIAL(r, P), (coarse - r) - rest);
}

/* e^(x + low), low being smaller than an ulp of x. In two factors: 2^k alone need not be a normal number. */
SP_INLINE double sp_exp_sum(double x, double low)
{
    const double from = x < -746.0 ? -746.0 : x, within = from > 710.0 ? 710.0 : from;
    double k;
    uint64_t biased;
    const double mantissa = 1.0 + sp_exp_reduced(within, low, &k, &biased);
    const uint64_t half = biased >> 1, rest = biased - half;
    return mantissa * sp_double(half << 52) * sp_double(rest << 52);
}

SP_INLINE double sp_exp(double x)
{
    return sp_exp_sum(x, 0.0);
}

/* 2^k (e^r - 1) + (2^k - 1), halved until the end: 2^1024 is no number. k = 0 apart, for results below normal ones. */
SP_INLINE double sp_expm1(double x)
{
    const double from = x < -40.0 ? -40.0 : x, within = from > 710.0 ? 710.0 : from;
    double k;
    uint64_t biased;
    const double e = sp_exp_reduced(within, 0.0, &k, &biased), scale = sp_double((biased - 1024) << 52);
    const double sum = 2.0 * sp_fma(scale, e, scale - 0.5);
    return copysign(k == 0.0 ? e : sum, x);
}

/* --- log, log1p --------------------------------------------------------------------------------------------------
 * x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt 2, and with s = f / (2 + f), log(1 + f) = 2 s + s^3 P(s^2)
 *   = f - f^2/2 + s (f^2/2 + s^2 P(s^2)), in which the rounded terms are small. */

/* k and 1 + f of a normal x > 0; garbage of any other, as all that follows */
SP_INLINE double sp_fraction(double x, double *k)
{
    const uint64_t root = UINT64_C(0x3fe6a09e667f3bcd), above = sp_bits(x) - root; /* sqrt(1/2) */
    const uint64_t biased = (above + (UINT64_C(1023) << 52)) >> 52;
    *k = sp_double(UINT64_C(0x4330000000000000) | biased) - (0x1p52 + 1023.0);
    return sp_double((above & UINT64_C(0xfffffffffffff)) + root);
}

SP_INLINE double sp_log_parts(double k, double f, double low) /* k log 2 + log(1 + f) + low */
{
    static const double P[] = {
        0x1.5555555555555p-1, 0x1.9999999999a39p-2, 0x1.2492492476a1ap-2, 0x1.c71c7201a55d7p-3,
        0x1.745cf8e4bba1bp-3, 0x1.3b1c3c1c81c8fp-3, 0x1.0fbde0f4ad17bp-3, 0x1.0c0aff044a970p-3,
    };
    const double s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
    const double small = sp_fma(s, sp_fma(z, SP_POLYNOMIAL(z, P), half), sp_fma(k, SP_LN2_LOW, low));
    return sp_fma(k, SP_LN2_HIGH, f - (half - small));
}

SP_INLINE double sp_log(double x)
{
    const int tiny = x < 0x1p-1022;
    double k;
    const double f = sp_fraction(tiny ? x * 0x1p54 : x, &k) - 1.0;
    const double out = sp_log_parts(tiny ? k - 54.0 : k, f, 0.0), finite = x < INFINITY ? out : x;
    return x > 0.0 ? finite : x == 0.0 ? -INFINITY : NAN;
}

/* 1 + x = u + rest exactly; log(u + rest) = k log 2 + log(1 + (f + rest / 2^k)), where f + rest is x if k = 0 */
SP_INLINE double sp_log1p(double x)
{
    double rest, k, low;
    const double u = sp_two_sum(1.0, x, &rest), fraction = sp_fraction(u, &k);
    const double scale = 0.5 * sp_double(sp_bits(fraction) - sp_bits(u) + sp_bits(2.0)); /* 2^-k */
    const double f = sp_two_sum(fraction - 1.0, rest * scale, &low);
    const double out = sp_log_parts(k, f, low), finite = x < INFINITY ? out : x;
    return copysign(x > -1.0 ? finite : x == -1.0 ? -INFINITY : NAN, x);
}

/* --- tanh, sigmoid, cosh, acosh, hypot --------------------------------------------------------------------------- */

/* x + x^3 P(x^2) near 0, 1 - 2 / (e^(2x) + 1) from 0.55 on */
SP_INLINE double sp_tanh(double x)
{
    static const double P[] = {
        -0x1.5555555555555p-2, 0x1.1111111111109p-3, -0x1.ba1ba1ba1a732p-5, 0x1.664f48822e9a5p-6,
        -0x1.226e3539b9272p-7, 0x1.d6d3c60009e9cp-9, -0x1.7da25da5066b5p-10, 0x1.3547bfaa42508p-11,
        -0x1.f41d11ba745a0p-13, 0x1.8c93b7d5aba25p-14, -0x1.1adede7706052p-15, 0x1.08378067f032ap-17,
    };
    const double size = fabs(x), z = x * x, near = sp_fma(x, z * SP_POLYNOMIAL(z, P), x);
    const double far = 1.0 - 2.0 / (sp_exp(2.0 * (size > 22.0 ? 22.0 : size)) + 1.0);
    return copysign(size < 0.55 ? near : far, x);
}

SP_INLINE double sp_sigmoid(double x)
{
    const double e = sp_exp(-fabs(x));
    return (x < 0.0 ? e : 1.0) / (1.0 + e);
}

SP_INLINE double sp_cosh(double x)
{
    const double e = sp_exp(fabs(x));
    return sp_fma(0.5, e, 0.5 / e);
}

SP_INLINE double sp_acosh(double x)
{
    return sp_log1p((x - 1.0) + sqrt(sp_fma(x, x, -1.0)));
}

SP_INLINE double sp_hypot(double x, double y)
{
    const double a = fabs(x), b = fabs(y), large = a > b ? a : b, ratio = (a > b ? b : a) / large;
    const double out = large * sqrt(sp_fma(ratio, ratio, 1.0));
    const double finite = a == INFINITY || b == INFINITY ? INFINITY : out;
    return large == 0.0 ? 0.0 : finite;
}

/* --- sin, cos, atan -----------------------------------------------------------------------------------------------
 * x = k pi/2 + r + low, |r| <= pi/4. pi/2 in three doubles: x - k times the first is exact, a multiple of 2^-53 below
 * 1, and the rest keeps what is rounded: r has all its digits where x is next to a multiple of pi/2, |k| <= 2^21. */

typedef struct sp_quadrant { double sine, cosine; uint64_t k; } sp_quadrant; /* of r; k modulo 4 */

SP_INLINE sp_quadrant sp_turn(double x)
{
    static const double S[] = { -0x1.5555555555555p-3, 0x1.1111111110bb1p-7, -0x1.a01a019e83411p-13,
                                0x1.71de379600d7fp-19, -0x1.ae600a73bc9bcp-26, 0x1.5e0ae6796256cp-33 };
    static const double C[] = { 0x1.5555555555555p-5, -0x1.6c16c16c16966p-10, 0x1.a01a019f4e7b1p-16,
                                -0x1.27e4fa17955d8p-22, 0x1.1eeb68a1ad6fdp-29, -0x1.907d6fdbdb6c4p-37 };
    const double shifted = sp_fma(x, 0x1.45f306dc9c883p-1, 0x1.8p52), k = shifted - 0x1.8p52;
    double second_low, sum_low;
    const double first = sp_fma(-k, 0x1.921fb54442d18p+0, x);
    const double second = sp_two_product(-k, 0x1.1a62633145c07p-54, &second_low);
    const double sum = sp_two_sum(first, second, &sum_low);
    const double rest = sp_fma(k, 0x1.f1976b7ed8fbcp-110, sum_low + second_low), r = sum + rest;
    const double low = (sum - r) + rest, z = r * r, half = 0.5 * r, most = sp_fma(-half, r, 1.0);
    const double lost = sp_fma(-half, r, 1.0 - most);
    return (sp_quadrant){ .sine = r + sp_fma(r, z * SP_POLYNOMIAL(z, S), most * low),
                          .cosine = most + sp_fma(z * z, SP_POLYNOMIAL(z, C), sp_fma(-r, low, lost)),
                          .k = sp_bits(shifted) };
}

/* the sine of a quadrant turned by k pi/2; NaN where x is out of range */
SP_INLINE double sp_turned(double x, sp_quadrant q, uint64_t k)
{
    const uint64_t odd = -(k & 1), out = (sp_bits(q.cosine) & odd) | (sp_bits(q.sine) & ~odd);
    return fabs(x) <= 0x1.921fb54442d18p+21 ? sp_double(out ^ (k & 2) << 62) : NAN;
}

SP_INLINE double sp_sin(double x)
{
    const sp_quadrant q = sp_turn(x);
    const double out = sp_turned(x, q, q.k);
    return fabs(x) < 0x1p-27 ? x : out;
}

SP_INLINE double sp_cos(double x)
{
    const sp_quadrant q = sp_turn(x);
    return sp_turned(x, q, q.k + 1);
}

/* atan x = atan c + atan((x - c) / (1 + c x)), c the nearest of 0, 1/2, 1, 3/2 and infinity */
SP_INLINE double sp_atan(double x)
{
    static const double P[] = { -0x1.5555555555555p-2, 0x1.99999999998c4p-3, -0x1.2492492485427p-3,
                                0x1.c71c71bd22246p-4, -0x1.745d154ae1c94p-4, 0x1.3b1375a3f24c4p-4,
                                -0x1.110c9a3d3c1bep-4, 0x1.e170491df79b9p-5, -0x1.ab5849ab57353p-5,
                                0x1.6ffbb8354db1ap-5, -0x1.0f55666ec5c9ep-5, 0x1.e3e17f483240ap-7 };
    static const double centre[] = { 0.0, 0.5, 1.0, 1.5, 1.0 };
    static const double high[] = { 0.0, 0x1.dac670561bb4fp-2, 0x1.921fb54442d18p-1, 0x1.f730bd281f69bp-1,
                                   0x1.921fb54442d18p+0 };
    static const double low[] = { 0.0, 0x1.a2b7f222f65e2p-56, 0x1.1a62633145c07p-55, 0x1.007887af0cbbdp-56,
                                  0x1.1a62633145c07p-54 };
    const double a = fabs(x);
    const int i = (a > 0.4375) + (a > 0.6875) + (a > 1.1875) + (a > 2.4375);
    const double t = i == 4 ? -1.0 / a : (a - centre[i]) / sp_fma(centre[i], a, 1.0), z = t * t;
    return copysign(high[i] + (t + sp_fma(t, z * SP_POLYNOMIAL(z, P), low[i])), x);
}

/* --- erfc ---------------------------------------------------------------------------------------------------------
 * 1 - x - x P(x^2) near 0; e^(-x^2) P(q) / (1 + 2 x), q = (x - 4) / (x + 4), above, whose rounding goes into the
 * exponent; 2 less that of -x below. */

SP_INLINE double sp_erfc(double x)
{
    static const double near_P[] = {
        0x1.06eba8214db68p-3,   -0x1.812746b0379cep-2,  0x1.ce2f21a03ff82p-4,   -0x1.b82ce310948fdp-6,
        0x1.565bcc5dca879p-8,   -0x1.c02d6dd8bd948p-11, 0x1.f992c0b8028dep-14,  -0x1.f294435934fffp-17,
        0x1.8f2d5a1b50003p-20,
    };
    static const double P[] = {
        -0x1.1df1ad154a29cp-3,  0x1.f7f5df66fd951p-7,   0x1.16ecefcfa6077p-4,   -0x1.9ddb23c3e98a6p-4,
        0x1.7fee004df6263p-4,   -0x1.0fb06dfe46987p-4,  0x1.3079edfa1033fp-5,   -0x1.0962388367b2fp-6,
        0x1.49c671893963fp-8,   -0x1.8d4a9dc0d22f3p-11, -0x1.a1de7c6e9ac9cp-13, 0x1.3be0b393ee921p-13,
        -0x1.996ad056e530bp-16, -0x1.78a43458cca4bp-17, 0x1.7fb88e391a9fep-18,  0x1.4392983419eddp-22,
        -0x1.c05fc977974eap-21, 0x1.0d535fce28f99p-24,  0x1.ef6c0c38d1a2bp-24,  -0x1.09198a32cd9a9p-27,
        -0x1.d5bb4c6d5b92dp-27, -0x1.f47207b168acdp-30,
    };
    const double near = 1.0 - sp_fma(x, SP_POLYNOMIAL(x * x, near_P), x), size = fabs(x), a = size > 28.0 ? 28.0 : size;
    double square_low, below_low, p_low;
    const double square = sp_two_product(a, a, &square_low), below = sp_two_sum(1.0, 2.0 * a, &below_low);
    const double q = (a - 4.0) / (a + 4.0);
    const double p = sp_two_sum(0x1.3ba5916e9fd7fp+0, sp_fma(q, SP_POLYNOMIAL(q, P), -0x1.bfac4624a4b08p-55), &p_low);
    const double ratio = p / below, left = sp_fma(-ratio, below, p);
    const double lost = (left + sp_fma(-ratio, below_low, p_low)) / p;
    const double tail = ratio * sp_exp_sum(-square, lost - square_low);
    return size < 0.4769 ? near : x < 0.0 ? 2.0 - tail : tail;
}

#endif
