/* math.c -- the elementary functions against long double (64 bits of precision on x86-64, 113 on arm64): dense and at
 * the places where they are hard; special values as in C99 Annex F. */
#include "core/numeric/math.h"
#include "tests/check.h"

#include <float.h>

enum { DRAWS = 20000 };

static uint64_t state = UINT64_C(0x2385238523852385);

static uint64_t bits(void) /* xorshift */
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static double uniform(double low, double high)
{
    return low + (high - low) * ((double)(bits() >> 11) * 0x1p-53);
}

/* |got - exact| in units of the last place that a double next to `exact` has; NaN and infinities only if equal */
static double error(double got, long double exact)
{
    const double rounded = (double)exact;
    int exponent;
    if (isnan(got) || isnan(rounded))
        return isnan(got) && isnan(rounded) ? 0.0 : INFINITY;
    if (isinf(got) || isinf(rounded))
        return got == rounded ? 0.0 : INFINITY;
    frexp(rounded, &exponent);
    return (double)(fabsl(got - exact) / ldexpl(1.0L, (exponent < -1021 ? -1021 : exponent) - 53));
}

#define CALLABLE(name) \
    static double call_##name(double x) { return sp_##name(x); }
CALLABLE(exp)
CALLABLE(expm1)
CALLABLE(log)
CALLABLE(log1p)
CALLABLE(tanh)
CALLABLE(sin)
CALLABLE(cos)
CALLABLE(erfc)
CALLABLE(sigmoid)
CALLABLE(atan)
CALLABLE(cosh)
CALLABLE(acosh)

static long double sigmoidl(long double x)
{
    return 1.0L / (1.0L + expl(-x));
}

typedef struct function {
    const char *name;
    double (*f)(double);
    long double (*exact)(long double);
    double low, high, ulps;
} function;

#define TURN 0x1.921fb54442d18p+21 /* 2^20 pi */

static const function functions[] = {
    { "exp", call_exp, expl, -INFINITY, INFINITY, 1.0 },
    { "expm1", call_expm1, expm1l, -INFINITY, INFINITY, 2.0 },
    { "log", call_log, logl, 0.0, INFINITY, 1.0 },
    { "log1p", call_log1p, log1pl, -1.0, INFINITY, 1.0 },
    { "tanh", call_tanh, tanhl, -INFINITY, INFINITY, 2.0 },
    { "sin", call_sin, sinl, -TURN, TURN, 1.0 },
    { "cos", call_cos, cosl, -TURN, TURN, 1.0 },
    { "erfc", call_erfc, erfcl, -INFINITY, INFINITY, 2.0 },
    { "sigmoid", call_sigmoid, sigmoidl, -INFINITY, INFINITY, 2.5 },
    { "atan", call_atan, atanl, -INFINITY, INFINITY, 1.0 },
    { "cosh", call_cosh, coshl, -709.7, 709.7, 2.0 },
    { "acosh", call_acosh, acoshl, 1.0, 1e154, 4.0 },
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

typedef struct worst {
    double ulps, x;
} worst;

static void probe(const function *f, double x, worst *w)
{
    if (!(x >= f->low && x <= f->high))
        return;
    const double ulps = error(f->f(x), f->exact(x));
    if (!(ulps <= w->ulps))
        *w = (worst){ ulps, x };
}

/* x, what is next to it, and their negatives */
static void around(const function *f, double x, worst *w)
{
    double below = x, above = x;
    for (int k = 0; k < 4; k++) {
        probe(f, below, w);
        probe(f, above, w);
        probe(f, -below, w);
        probe(f, -above, w);
        below = nextafter(below, -INFINITY);
        above = nextafter(above, INFINITY);
    }
}

static void accuracy(const function *f)
{
    static const double scales[] = { 1e-300, 1e-18, 1e-8, 1e-3, 0.3, 0.6, 1.0, 3.0, 30.0, 760.0, 1e5, 0x1p22 };
    /* where the formulas change, overflow, or leave the normal numbers */
    static const double edges[] = {
        0.0, DBL_MIN, DBL_MAX, 0x1p-1074, 0x1p-54, 0x1p-53, 0x1p-27, 0x1p53, 0x1p54, 0.4375, 0.4769, 0.55, 0.6875,
        1.1875, 2.4375, 4.0, 22.0, 26.543, 27.2264, 28.0, 40.0, 36.7368005696771, 708.39641853226408,
        709.78271289338397, 710.0, 744.44007192138122, 745.13321910194111, 746.0, 0x1.6a09e667f3bcdp-1,
        0x1.6a09e667f3bcdp+0, 0x1.a827999fcef34p-2, 0.29289321881345243, 1.0, 3.0, 10.0
    };
    worst w = { 0.0, 0.0 };
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++)
        for (int i = 0; i < DRAWS / 12; i++)
            probe(f, uniform(-scales[s], scales[s]), &w);
    for (int i = 0; i < DRAWS; i++)
        probe(f, sp_double(bits()), &w); /* any exponent, NaN left out */
    for (int i = 0; i < DRAWS; i++)
        probe(f, 1.0 + uniform(-1.0, 1.0) * ldexp(1.0, -(int)(bits() % 54)), &w); /* logarithms near 0 */
    for (size_t k = 0; k < sizeof edges / sizeof *edges; k++)
        around(f, edges[k], &w);
    for (int k = 0; k < 2200; k++) /* halfway between two reductions of exp */
        around(f, (k + 0.5) * 0.34657359027997264, &w);
    for (int k = -1074; k < 1024; k++)
        around(f, ldexp(1.0, k), &w);
    for (int k = 0; k < DRAWS; k++) { /* next to a multiple of pi/4 */
        const long double multiple = k < DRAWS / 2 ? k : (long double)(bits() % (1 << 22));
        around(f, (double)(multiple * 0.785398163397448309616L), &w);
    }
    SP_CHECK_REPORT(w.ulps <= f->ulps, "%s(%a): off by %.3f ulp, allowed %.3g", f->name, w.x, w.ulps, f->ulps);
    printf("%-8s %.3f ulp\n", f->name, w.ulps);
}

static void powers(void)
{
    double most = 0.0, at_x = 0.0, at_y = 0.0;
    for (int i = 0; i < 6 * DRAWS; i++) {
        double x = i % 3 == 0 ? uniform(0.3, 3.0) : sp_double(bits() & INT64_MAX);
        if (i % 3 == 1)
            x = 1.0 + uniform(-0.5, 0.5) * ldexp(1.0, -(int)(bits() % 53));
        const double reach = i % 2 == 0 ? 3.0 : 750.0 / fabs(log(x)), y = uniform(-reach, reach);
        if (!(x > 0.0 && x < INFINITY))
            continue;
        const double ulps = error(sp_pow(x, y), powl(x, y));
        if (!(ulps <= most)) {
            most = ulps;
            at_x = x;
            at_y = y;
        }
    }
    SP_CHECK_REPORT(most <= 1.5, "pow(%a, %a): off by %.3f ulp", at_x, at_y, most);
    printf("%-8s %.3f ulp\n", "pow", most);
    CHECK(sp_pow(0.0, 0.5) == 0.0 && sp_pow(0.0, 0.0) == 1.0 && sp_pow(0.0, -2.0) == INFINITY);
    CHECK(sp_pow(2.385, 0.0) == 1.0 && sp_pow(1.0, 1e300) == 1.0 && sp_pow(1.0, -INFINITY) == 1.0);
    CHECK(sp_pow(INFINITY, 2.0) == INFINITY && sp_pow(INFINITY, -0.5) == 0.0 && sp_pow(NAN, 0.0) == 1.0);
    CHECK(sp_pow(2.0, INFINITY) == INFINITY && sp_pow(0.5, INFINITY) == 0.0 && sp_pow(2.0, -INFINITY) == 0.0);
    CHECK(sp_pow(3.0, 1e300) == INFINITY && sp_pow(3.0, -1e300) == 0.0 && sp_pow(1e300, 1e-300) == 1.0);
    CHECK(isnan(sp_pow(-2.0, 3.0)) && isnan(sp_pow(NAN, 2.0)) && isnan(sp_pow(2.0, NAN)));
    CHECK(sp_pow(2.0, -1074.0) == 0x1p-1074 && sp_pow(0x1p-1074, 1.0) == 0x1p-1074 && sp_pow(10.0, 3.0) == 1000.0);
}

static void lengths(void)
{
    double most = 0.0;
    for (int i = 0; i < 3 * DRAWS; i++) {
        const double x = i % 3 == 0 ? sp_double(bits()) : uniform(-2.0, 2.0);
        const double y = i % 3 == 0 ? sp_double(bits()) : uniform(-2.0, 2.0) * ldexp(1.0, -(int)(bits() % 60));
        if (!isnan(x) && !isnan(y))
            most = fmax(most, error(sp_hypot(x, y), hypotl(x, y)));
    }
    CHECK_LESS_EQUAL(most, 2.0);
    printf("%-8s %.3f ulp\n", "hypot", most);
    CHECK(sp_hypot(0.0, -0.0) == 0.0 && sp_hypot(-3.0, 4.0) == 5.0 && sp_hypot(0x1p-1074, 0.0) == 0x1p-1074);
    CHECK(sp_hypot(INFINITY, NAN) == INFINITY && sp_hypot(NAN, -INFINITY) == INFINITY);
    CHECK(isnan(sp_hypot(NAN, 1.0)) && isnan(sp_hypot(0.0, NAN)));
    CHECK(sp_hypot(1e300, 1e300) < INFINITY && sp_hypot(DBL_MAX, DBL_MAX) == INFINITY);
}

static int same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Remainders of products of whole numbers, and what two roundings would bring to the wrong side of a tie: as a call,
 * which fma.c answers on x86-64, and libm on a processor without FMA. */
static void fused(void)
{
    double (*volatile called)(double, double, double) = fma;
    for (int i = 0; i < DRAWS; i++) {
        const int64_t a = (int64_t)(bits() >> 11), b = (int64_t)(bits() >> 11) - (INT64_C(1) << 52);
        const double product = (double)a * (double)b;
        const double rest = (double)((__int128)a * b - (__int128)product);
        CHECK(called((double)a, (double)b, -product) == rest);
    }
    CHECK(called(0x1.0000004p0, 0x1.0000004p-53, 1.0) == 0x1.0000000000001p0);
    CHECK(called(-0x1.0000004p0, 0x1.0000004p-53, 1.0) == 0x1.fffffffffffffp-1);
    CHECK(called(0x1.8p-1000, 0x1p-75, 0x1p-1074) == 0x1p-1073 && called(0x1p-1074, 0.25, 0x1p-1074) == 0x1p-1074);
    CHECK(called(0x1p1000, 0x1p1000, -INFINITY) == -INFINITY && isnan(called(INFINITY, 0.0, 1.0)));
}

static void special_values(void)
{
    for (size_t k = 0; k < FUNCTIONS; k++)
        SP_CHECK_REPORT(isnan(functions[k].f(NAN)), "%s(NaN) is a number", functions[k].name);
    CHECK(sp_exp(INFINITY) == INFINITY && same_bits(sp_exp(-INFINITY), 0.0) && sp_exp(-0.0) == 1.0);
    CHECK(sp_exp(709.8) == INFINITY && same_bits(sp_exp(-745.2), 0.0) && sp_exp(-745.1) == 0x1p-1074);
    CHECK(sp_expm1(INFINITY) == INFINITY && sp_expm1(-INFINITY) == -1.0 && sp_expm1(-50.0) == -1.0);
    CHECK(same_bits(sp_expm1(-0.0), -0.0) && same_bits(sp_expm1(0.0), 0.0) && sp_expm1(-0x1p-1074) == -0x1p-1074);
    CHECK(sp_log(0.0) == -INFINITY && sp_log(-0.0) == -INFINITY && sp_log(INFINITY) == INFINITY);
    CHECK(isnan(sp_log(-1.0)) && isnan(sp_log(-INFINITY)) && same_bits(sp_log(1.0), 0.0));
    CHECK(sp_log1p(-1.0) == -INFINITY && sp_log1p(INFINITY) == INFINITY && isnan(sp_log1p(-1.5)));
    CHECK(isnan(sp_log1p(-INFINITY)) && same_bits(sp_log1p(-0.0), -0.0) && sp_log1p(0x1p-1074) == 0x1p-1074);
    CHECK(sp_tanh(INFINITY) == 1.0 && sp_tanh(-INFINITY) == -1.0 && same_bits(sp_tanh(-0.0), -0.0));
    CHECK(same_bits(sp_sin(-0.0), -0.0) && same_bits(sp_sin(0.0), 0.0) && sp_cos(0.0) == 1.0);
    CHECK(isnan(sp_sin(INFINITY)) && isnan(sp_cos(-INFINITY)) && !isnan(sp_sin(TURN)) && !isnan(sp_cos(-TURN)));
    CHECK(isnan(sp_sin(nextafter(TURN, INFINITY))) && isnan(sp_cos(-nextafter(TURN, INFINITY))));
    CHECK(sp_erfc(INFINITY) == 0.0 && sp_erfc(-INFINITY) == 2.0 && sp_erfc(0.0) == 1.0 && sp_erfc(30.0) == 0.0);
    CHECK(sp_sigmoid(INFINITY) == 1.0 && same_bits(sp_sigmoid(-INFINITY), 0.0) && sp_sigmoid(0.0) == 0.5);
    CHECK(sp_atan(INFINITY) == M_PI_2 && sp_atan(-INFINITY) == -M_PI_2 && same_bits(sp_atan(-0.0), -0.0));
    CHECK(sp_cosh(-INFINITY) == INFINITY && sp_cosh(0.0) == 1.0 && sp_acosh(1.0) == 0.0 && isnan(sp_acosh(0.9)));
    CHECK(sp_acosh(INFINITY) == INFINITY);
}

int main(void)
{
    for (size_t k = 0; k < FUNCTIONS; k++)
        accuracy(&functions[k]);
    powers();
    lengths();
    fused();
    special_values();
    return sp_check_done();
}
