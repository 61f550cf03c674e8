/* bi_tempered.c -- phi(m, y) = (1 - p^(1-t1))/(1-t1) - (1 - p^(2-t1) - q^(2-t1))/(2-t1), q = 1 - p, where p is the
 * probability that the tempered softmax gives to the label y:
 *
 *   log_t2(p) - log_t2(q) = y m,  log_t(p) = (p^(1-t) - 1)/(1-t)
 *
 * Bounded for t1 < 1, so that outliers have little weight; heavy tails for t2 > 1. t1 = 0, t2 = 1 is the savage loss.
 *
 * With x = log(p/q) and k = t2 - 1 the equation for p is
 *
 *   h(x) = (1 + exp(-x))^k (exp(k x) - 1)/k = y m     (h(x) = x for k = 0; h is odd, and convex for x >= 0),
 *
 * solved by Newton's method from x = log(1 + k |m|)/k, which is not below the root. With a = p^t2, b = q^t2 and
 * s = 1/(a + b), dp/d(ym) = a b s and
 *
 *   phi' = y S,  S = -(p^(t2-t1) q^(t2+1) + p^t2 q^(t2+1-t1)) s
 *   phi'' = t2 S (p^k (b s)^2 - q^k (a s)^2) + p^(t2+k-t1) (b s)^2 (t1 q + p) + (1-t1) q^(2 t2-t1) (a s)^2
 *
 * Bounds. In x, (p^i q^j s^l)' = p^i q^j s^l (i q - j p - l t2 (a q - b p) s) and dx/d(ym) = (p q)^k s, so every
 * derivative of phi is a sum of terms c p^i q^j s^l with i, j, l >= 0. As s <= 2^k and |(a q - b p) s| <= 1/2,
 *
 *   |term''| <= |c| max(p^i q^j) 2^(k l) ((max(i, j) + l t2/2)^2 + (i + j)/4 + l t2^2/4).
 *
 * This bound on the second derivative is what the search for the largest value (engine/extremum.h) needs.
 */
#include "losses/loss.h"

enum { T1, T2 };

static const sp_param params[] = {
    [T1] = { "t1", SP_REAL, 0.5, { 0.0, 0.99 }, "temperature of the logarithm: the loss is at most 1/(1-t1)" },
    [T2] = { "t2", SP_REAL, 1.0, { 1.0, 4.0 }, "temperature of the softmax: 1 is the sigmoid, more has heavier tails" },
    { 0 }
};

static double log_sigmoid(double x)
{
    return (x < 0.0 ? x : 0.0) - sp_log1p(sp_exp(-fabs(x)));
}

/* log(p/q) at the margin z of the label */
static double log_odds(double z, double t2)
{
    const double k = t2 - 1.0, size = fabs(z);
    if (k == 0.0)
        return z;
    double x = sp_log1p(k * size) / k;
    for (int i = 0; i < 64; i++) {
        const double e = sp_exp(-x), up = sp_exp(k * sp_log1p(e)), grown = sp_expm1(k * x); /* q/p, p^-k, (p/q)^k - 1 */
        const double step = (up * grown / k - size) / (up * (e + 1.0 + grown) / (1.0 + e)); /* h' = p^-k q + q^-k p */
        x -= step;
        if (!(step > 1e-15 * x))
            break;
    }
    return copysign(x, z);
}

static double value(double m, double y, sp_numbers p)
{
    const double x = log_odds(y * m, p[T2]), log_p = log_sigmoid(x), log_q = log_sigmoid(-x);
    return -sp_expm1((1.0 - p[T1]) * log_p) / (1.0 - p[T1]) +
           (sp_expm1((2.0 - p[T1]) * log_p) + sp_exp((2.0 - p[T1]) * log_q)) / (2.0 - p[T1]);
}

/* S, the derivative in z = y m */
static double steepness(double x, double t1, double t2)
{
    const double log_p = log_sigmoid(x), log_q = log_sigmoid(-x);
    return -sp_exp((t2 - t1) * log_p + log_q) * sp_sigmoid(-t2 * x) -
           sp_exp((1.0 + t2 - t1) * log_q) * sp_sigmoid(t2 * x);
}

static double slope(double m, double y, sp_numbers p)
{
    return y * steepness(log_odds(y * m, p[T2]), p[T1], p[T2]);
}

static double curvature(double m, double y, sp_numbers p)
{
    const double t1 = p[T1], t2 = p[T2], x = log_odds(y * m, t2);
    const double log_p = log_sigmoid(x), log_q = log_sigmoid(-x);
    const double as = sp_sigmoid(t2 * x), bs = sp_sigmoid(-t2 * x);
    return t2 * steepness(x, t1, t2) * (sp_exp((t2 - 1.0) * log_p) * bs * bs - sp_exp((t2 - 1.0) * log_q) * as * as) +
           sp_exp((2.0 * t2 - 1.0 - t1) * log_p) * bs * bs * (t1 * sp_exp(log_q) + sp_exp(log_p)) +
           (1.0 - t1) * sp_exp((2.0 * t2 - t1) * log_q) * as * as;
}

SP_LINK(value, slope, curvature)

/* --- bounds ----------------------------------------------------------------------------------------------- */

enum { TERMS_MAX = 32 };

typedef struct derivative {
    double t2, sign;
    size_t count;
    struct { double c, i, j, l; } term[TERMS_MAX];
} derivative;

static void add(derivative *to, double c, double i, double j, double l)
{
    to->term[to->count].c = c;
    to->term[to->count].i = i;
    to->term[to->count].j = j;
    to->term[to->count++].l = l;
}

/* d/dz = (p q)^k s d/dx */
static derivative differentiate(const derivative *f)
{
    derivative out = { f->t2, f->sign, 0 };
    const double t2 = f->t2, k = t2 - 1.0;
    for (size_t n = 0; n < f->count; n++) {
        const double c = f->term[n].c, i = f->term[n].i, j = f->term[n].j, l = f->term[n].l;
        add(&out, c * i, i + k, j + k + 1.0, l + 1.0);
        add(&out, -c * j, i + k + 1.0, j + k, l + 1.0);
        add(&out, -c * l * t2, i + k + t2, j + k + 1.0, l + 2.0);
        add(&out, c * l * t2, i + k + 1.0, j + k + t2, l + 2.0);
    }
    return out;
}

static double log_s(double x, double t2)
{
    return -sp_log(sp_exp(t2 * log_sigmoid(x)) + sp_exp(t2 * log_sigmoid(-x)));
}

static double sum(const void *context, double x)
{
    const derivative *f = context;
    const double log_p = log_sigmoid(x), log_q = log_sigmoid(-x), log_scale = log_s(x, f->t2);
    double out = 0.0;
    for (size_t n = 0; n < f->count; n++)
        out += f->term[n].c * sp_exp(f->term[n].i * log_p + f->term[n].j * log_q + f->term[n].l * log_scale);
    return f->sign * out;
}

/* >= sup |f''| in x; p^i q^j is largest at p/q = i/j */
static double bend(const derivative *f)
{
    double out = 0.0;
    for (size_t n = 0; n < f->count; n++) {
        const double i = f->term[n].i, j = f->term[n].j, l = f->term[n].l, odds = sp_log(i / j);
        const double rate = fmax(i, j) + 0.5 * l * f->t2;
        const double most = i * log_sigmoid(odds) + j * log_sigmoid(-odds) + l * (f->t2 - 1.0) * M_LN2;
        out += fabs(f->term[n].c) * sp_exp(most) *
               (rate * rate + 0.25 * (i + j + l * f->t2 * f->t2));
    }
    return out;
}

/* >= sup of f over |x| >= far */
static double outside(const derivative *f, double far)
{
    double left = 0.0, right = 0.0;
    for (size_t n = 0; n < f->count; n++) {
        const double log_scale = f->term[n].l * log_s(far, f->t2);
        left += fabs(f->term[n].c) * sp_exp(f->term[n].i * log_sigmoid(-far) + log_scale);
        right += fabs(f->term[n].c) * sp_exp(f->term[n].j * log_sigmoid(-far) + log_scale);
    }
    return fmax(left, right);
}

static double supremum(derivative f, double sign)
{
    double far = 1.0, out;
    f.sign = sign;
    do {
        far *= 2.0;
        out = sp_supremum(sum, &f, -far, far, bend(&f));
    } while (outside(&f, far) > out);
    return out;
}

static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    (void)region;
    const double t1 = p[T1], t2 = p[T2];
    derivative first = { t2, 1.0, 0 };
    add(&first, -1.0, t2 - t1, t2 + 1.0, 1.0);
    add(&first, -1.0, t2, t2 + 1.0 - t1, 1.0);
    const derivative second = differentiate(&first), third = differentiate(&second);
    *out = (sp_link_bounds){
        .slope = supremum(first, -1.0), /* phi falls with y m */
        .curvature_high = supremum(second, 1.0),
        .curvature_low = supremum(second, -1.0),
        .third = fmax(supremum(third, 1.0), supremum(third, -1.0)),
        .gap = value(0.0, 1.0, p),
    };
}

const sp_loss sp_loss_bi_tempered = {
    .name = "bi_tempered",
    .family = "non-convex GLM",
    .formula = "(1 - p^(1-t1))/(1-t1) - (1 - p^(2-t1) - (1-p)^(2-t1))/(2-t1), log_t2(p) - log_t2(1-p) = y <w, x>",
    .source = "Amid, Warmuth, Anil & Koren 2019",
    .params = params,
    .link = &link,
    .link_bounds = link_bounds,
    .tight = SP_TIGHT_ALL & ~(unsigned)SP_TIGHT_GAP, /* which is right, but approached slowly for large t2 */
    .smooth = true,
    .labels_binary = true,
};
