/* linear_dynamical_system.c -- identification of a linear system of order k; each record is one trajectory of T steps.
 *
 *   h_1 = 0,  h_{t+1} = A h_t + e_k u_t,  v_t = <c, h_t> + D u_t,  f = mean over scored t of (v_t - y_t)^2
 *
 * x = (u_1, ..., u_T, y_1, ..., y_T) has the inputs and outputs, w = (a_1, ..., a_k, c_1, ..., c_k, D) the system. A is
 * in companion form with last row (-a_k, ..., -a_1): h_t = (s_{t-k+1}, ..., s_t) with s_{t+1} = u_t - sum_j a_j
 * s_{t+1-j}, and s_t = 0 for t <= 1. Gradient by reverse mode through time, Hessian times a vector by forward over
 * reverse.
 *
 * Bounds on ||w|| <= B, as operators on sequences: (s_2, ..., s_T) = (I + N)^-1 (u_1, ..., u_{T-1}), N = sum_j a_j
 * delay^j, v = C s + D u. ||N|| <= ||a||_1 <= nu = sqrt k B and N^(T-1) = 0, so ||(I + N)^-1|| <= g = 1 + nu + ... +
 * nu^(T-2), 0 for T = 1. ||C|| <= sqrt k ||c||. With M = -(I + N)^-1 N', s' = M s, s'' = 2 M^2 s, s''' = 6 M^3 s. Along
 * a unit vector with parts alpha, gamma, delta in a, c, D, and with P = nu g, all in units of ||u||:
 *   ||v||    <= sqrt k ||c|| g + |D|                        <= y0 = B sqrt(k g^2 + 1)
 *   ||v'||   <= sqrt k g (gamma + P alpha) + delta          <= y1 = sqrt(k g^2 (1 + P^2) + 1)
 *   ||v''||  <= 2 k g^2 (gamma alpha + P alpha^2)           <= y2 = k g^2 (P + sqrt(P^2 + 1))
 *   ||v'''|| <= 6 (sqrt k g)^3 (gamma alpha^2 + P alpha^3)  <= y3 = 6 (sqrt k g)^3 (2/(3 sqrt 3) + P)
 * The residual is at most ||u|| y0 + ||y||, and ||u||^2 + ||y||^2 <= R^2: ||u|| (||u|| y0 + ||y||) <= R^2 K,
 * K = (y0 + sqrt(y0^2 + 1))/2. With S scored steps
 *   |Df| <= (2/S) R^2 K y1,  D2f in [-(2/S) R^2 K y2, (2/S) R^2 (y1^2 + K y2)],  |D3f| <= (2/S) R^2 (3 y1 y2 + K y3),
 * and f(0) = sum y_t^2 / S <= R^2/S. For nu >= 1 these bounds grow with T as powers of nu.
 */
#include "losses/loss.h"

enum { ORDER, SKIP };

static const sp_param params[] = {
    [ORDER] = { "order", SP_COUNT, 2.0, { 1.0, 64.0 }, "k: dimension of the hidden state" },
    [SKIP]  = { "skip",  SP_REAL,  0.0, { 0.0, 0.9 },  "share of the steps, the first, that is not scored" },
    { 0 }
};

static size_t order(sp_numbers p)
{
    return (size_t)p[ORDER];
}

static size_t skipped(sp_numbers p, size_t steps)
{
    return (size_t)(p[SKIP] * (double)steps);
}

static size_t dimension(sp_numbers p, size_t features)
{
    return features % 2 != 0 || features / 2 <= order(p) ? 0 : 2 * order(p) + 1;
}

/* s, its adjoint, and both along v: k zeros and T values each; residuals, and along v: T each */
static size_t scratch_size(sp_numbers p, size_t features)
{
    return 4 * (order(p) + features / 2) + features;
}

/* s and residuals: h_t = s[t .. t+k-1], t = 0 .. T-1 */
static void simulate(sp_numbers p, size_t steps, const double *x, const double *w, double *restrict s,
                     double *restrict residual)
{
    const size_t k = order(p);
    const double *a = w, *c = w + k;
    for (size_t i = 0; i < k; i++)
        s[i] = 0.0;
    for (size_t t = 0; t < steps; t++) {
        double out = w[2 * k] * x[t], next = x[t];
        for (size_t i = 0; i < k; i++) {
            out += c[i] * s[t + i];
            next -= a[i] * s[t + k - 1 - i];
        }
        residual[t] = out - x[steps + t];
        s[t + k] = next;
    }
}

static double value(sp_numbers p, size_t features, const double *x, double y, const double *w, double *scratch)
{
    (void)y;
    const size_t steps = features / 2, first = skipped(p, steps);
    double *residual = scratch + order(p) + steps, sum = 0.0;
    simulate(p, steps, x, w, scratch, residual);
    for (size_t t = first; t < steps; t++)
        sum += residual[t] * residual[t];
    return sum / (double)(steps - first);
}

static void gradient(sp_numbers p, size_t features, const double *x, double y, const double *w, double *scratch,
                     double *restrict out)
{
    (void)y;
    const size_t k = order(p), steps = features / 2, first = skipped(p, steps);
    const double *a = w, *c = w + k;
    double *s = scratch, *adjoint = s + k + steps, *residual = adjoint + k + steps;
    simulate(p, steps, x, w, s, residual);
    for (size_t t = 0; t < k + steps; t++)
        adjoint[t] = 0.0;
    for (size_t j = 0; j < 2 * k + 1; j++)
        out[j] = 0.0;
    for (size_t t = steps; t-- > 0;) {
        const double g = t < first ? 0.0 : 2.0 * residual[t] / (double)(steps - first), next = adjoint[t + k];
        for (size_t i = 0; i < k; i++) {
            out[i] -= next * s[t + k - 1 - i];
            adjoint[t + k - 1 - i] -= next * a[i];
            out[k + i] += g * s[t + i];
            adjoint[t + i] += g * c[i];
        }
        out[2 * k] += g * x[t];
    }
}

static void product(sp_numbers p, size_t features, const double *x, double y, const double *w, const double *v,
                    double *scratch, double *restrict out)
{
    (void)y;
    const size_t k = order(p), steps = features / 2, first = skipped(p, steps);
    const double *a = w, *c = w + k, *ra = v, *rc = v + k;
    double *s = scratch, *adjoint = s + k + steps, *rs = adjoint + k + steps, *radjoint = rs + k + steps;
    double *residual = radjoint + k + steps, *rresidual = residual + steps;
    simulate(p, steps, x, w, s, residual);
    for (size_t t = 0; t < k + steps; t++)
        adjoint[t] = rs[t] = radjoint[t] = 0.0;
    for (size_t t = 0; t < steps; t++) {
        rresidual[t] = v[2 * k] * x[t];
        for (size_t i = 0; i < k; i++) {
            rresidual[t] += rc[i] * s[t + i] + c[i] * rs[t + i];
            rs[t + k] -= ra[i] * s[t + k - 1 - i] + a[i] * rs[t + k - 1 - i];
        }
    }
    for (size_t j = 0; j < 2 * k + 1; j++)
        out[j] = 0.0;
    for (size_t t = steps; t-- > 0;) {
        const double scale = t < first ? 0.0 : 2.0 / (double)(steps - first);
        const double g = scale * residual[t], rg = scale * rresidual[t], next = adjoint[t + k], rnext = radjoint[t + k];
        for (size_t i = 0; i < k; i++) {
            const size_t back = t + k - 1 - i;
            out[i] -= rnext * s[back] + next * rs[back];
            adjoint[back] -= next * a[i];
            radjoint[back] -= rnext * a[i] + next * ra[i];
            out[k + i] += rg * s[t + i] + g * rs[t + i];
            adjoint[t + i] += g * c[i];
            radjoint[t + i] += rg * c[i] + g * rc[i];
        }
        out[2 * k] += rg * x[t];
    }
}

static void bounds(sp_numbers p, const sp_region *region, sp_record_bounds *out)
{
    const size_t steps = region->features / 2;
    const double k = p[ORDER], B = region->norm, nu = sqrt(k) * B, R = region->radius;
    const double scored = (double)(steps - skipped(p, steps));
    *out = (sp_record_bounds){ INFINITY, INFINITY, INFINITY, INFINITY, R * R / scored };
    if (isinf(B))
        return;
    double g = 0.0;
    for (size_t t = 1; t < steps; t++)
        g = 1.0 + nu * g;
    const double P = nu * g, y0 = sp_hypot(sqrt(k) * g, 1.0) * B, y1 = sp_hypot(sqrt(k) * g * sp_hypot(1.0, P), 1.0);
    const double y2 = k * g * g * (P + sp_hypot(P, 1.0)), y3 = 6.0 * k * sqrt(k) * g * g * g * (2.0 / sqrt(27.0) + P);
    const double K = 0.5 * (y0 + sp_hypot(y0, 1.0)), factor = 2.0 / scored * R * R;
    out->slope = factor * K * y1;
    out->curvature_high = factor * (y1 * y1 + K * y2);
    out->curvature_low = factor * K * y2;
    out->third = factor * (3.0 * y1 * y2 + K * y3);
}

static const sp_record_form record = { .dimension = dimension,
                                       .wanted = "an even number above 2 order: inputs, then as many outputs",
                                       .scratch = scratch_size, .value = value, .gradient = gradient,
                                       .product = product, .bounds = bounds };

const sp_loss sp_loss_linear_dynamical_system = {
    .name = "linear_dynamical_system",
    .family = "quasar-convex",
    .formula = "mean_t (<c, h_t> + D u_t - y_t)^2, h_{t+1} = A h_t + e_k u_t, h_1 = 0, w = (a, c, D)",
    .source = "Hardt, Ma & Recht 2018; data: the generator lds",
    .note = "d = 2 order + 1; A is the companion matrix of z^k + a_1 z^(k-1) + ... + a_k. Quasar-convex only near an "
            "acquiescent system (Hardt, Ma & Recht), which is not certified. The constants need a bounded domain; they "
            "hold but are crude: on a ball of radius > 1/sqrt(order) they grow exponentially with the number of steps",
    .params = params,
    .record = &record,
    .smooth = true,
    .labels_unused = true,
};
