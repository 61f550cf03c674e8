/* math.c -- the one function of math.h that is called and not inlined: no loop needs it as vector code. */
#include "core/numeric/math.h"

/* log x as a sum of two doubles, right to a relative 2^-64; garbage unless 0 < x < infinity */
SP_INLINE double log_double(double x, double *low)
{
    static const double P[] = { /* of (log(1 + f) - 2 s - (2/3) s^3) / s^5 */
        0x1.999999999999ap-2, 0x1.2492492492522p-2, 0x1.c71c71c6ea5acp-3, 0x1.745d177ad436ap-3,
        0x1.3b1395b82701ep-3, 0x1.1118cd67251c5p-3, 0x1.df7ba1f4809c3p-4, 0x1.e03a7acf07f85p-4,
    };
    const int tiny = x < 0x1p-1022;
    double exponent, g_low, z_low, p_low, c_low, t_low, k_low, sum_low;
    const double f = sp_fraction(tiny ? x * 0x1p54 : x, &exponent) - 1.0, k = tiny ? exponent - 54.0 : exponent;
    const double g = sp_two_sum(2.0, f, &g_low), s = f / g;
    const double s_low = sp_fma(-s, g_low, sp_fma(-s, g, f)) / g; /* f - s (g + g_low) is what the division left */
    const double z = sp_two_product(s, s, &z_low);
    z_low = sp_fma(2.0 * s, s_low, z_low);
    const double p = sp_two_sum(0x1.5555555555555p-1, z * SP_POLYNOMIAL(z, P), &p_low);
    p_low += 0x1.5555555555555p-55;
    const double c = sp_two_product(z, p, &c_low); /* log(1 + f) = s (2 + c) */
    c_low = sp_fma(z, p_low, sp_fma(z_low, p, c_low));
    const double t = sp_two_product(s, c, &t_low);
    t_low = sp_fma(s, c_low, sp_fma(s_low, c, t_low));
    const double whole = sp_two_product(k, SP_LN2_HIGH, &k_low);
    const double lead = sp_two_sum(whole, 2.0 * s, &sum_low), sum = sp_two_sum(lead, t, low);
    *low += sum_low + t_low + sp_fma(2.0, s_low, sp_fma(k, SP_LN2_LOW, k_low));
    return sum;
}

static inline double power(double x, double y)
{
    double low, y_low;
    const double finite = log_double(x, &low), inside = x < INFINITY ? finite : x;
    const double high = x > 0.0 ? inside : x == 0.0 ? -INFINITY : NAN;
    const double exponent = sp_two_product(y, high, &y_low), rest = sp_fma(y, low, y_low);
    const double out = sp_exp_sum(exponent, fabs(exponent) < 800.0 ? rest : 0.0);
    return y == 0.0 || x == 1.0 ? 1.0 : out;
}

SP_KERNEL_CALL(double, power, (double x, double y), (x, y))

double sp_pow(double x, double y)
{
    return power_call(x, y);
}
