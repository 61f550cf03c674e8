/* conformance/recurrence.c NAME -- every method does what the head of its file says: with its noise off, the iterates
 * of three steps are those of the recurrence there, which is written down here once more, by plain loops.
 *
 * F is evaluated record by record (sp_record_value) and its gradient is a central difference of that, its Hessian the
 * formula of the logistic loss: nothing here shares code with what it checks but the loss's value, the projection and
 * the random streams. Which records a batch held, a transcript tells. A method that is not here is refused by name,
 * with the reason and the test that has it. */
#include "core/numeric/normal.h"
#include "tests/allocation.h"
#include "tests/trial.h"

#include <gsl/gsl_math.h>

enum { N = 60, D = 3, STEPS = 3, SEED = 2385 };

#define TOLERANCE 1e-7 /* differences err by 1e-10, and steps of normalised methods divide by small gradients */

/* One run, and what is expected of it. */
typedef struct trace {
    trial_problem t;
    sp_workspace *workspace;
    trial_run run;
    double seen[STEPS + 1][D]; /* at the checkpoints; the first of each number */
    bool known[STEPS + 1];
    double path[STEPS + 1][D]; /* expected; [0] is the start */
} trace;

typedef void recurrence(trace *);

/* --- F ------------------------------------------------------------------------------------------------------- */

static size_t batch_size(const sp_event *event)
{
    return event->rows ? event->count : N;
}

static size_t record_of(const sp_event *event, size_t i)
{
    return event->rows ? event->rows[i] : i;
}

/* The mean over the event's records, or over all (NULL), less `divisor` for their number where it is > 0. */
static double value_at(trace *r, const sp_event *event, const double *w)
{
    static const sp_event all = { .rows = NULL };
    const sp_event *e = event ? event : &all;
    double sum = 0.0;
    for (size_t i = 0; i < batch_size(e); i++)
        sum += sp_record_value(&r->t.problem, r->workspace, record_of(e, i), w);
    return sum / (double)batch_size(e);
}

static void gradient_at(trace *r, const sp_event *event, const double *w, double *g)
{
    const double h = 1e-5;
    double at[D];
    memcpy(at, w, sizeof at);
    for (size_t j = 0; j < D; j++) {
        at[j] = w[j] + h;
        g[j] = value_at(r, event, at);
        at[j] = w[j] - h;
        g[j] = (g[j] - value_at(r, event, at)) / (2.0 * h);
        at[j] = w[j];
    }
}

/* Logistic: phi'' = s (1 - s), s = 1 / (1 + exp(-m)); and the curvature of the parabola that touches phi at m and -m.
 * */
static double second_derivative(double m)
{
    const double s = 1.0 / (1.0 + exp(-m));
    return s * (1.0 - s);
}

static double parabola(double m)
{
    return fabs(m) < 1e-4 ? 0.25 : tanh(m / 2.0) / (2.0 * m);
}

/* Mean of weight(<w, x>) x x'. */
static void squares_at(trace *r, const sp_event *event, const double *w, double (*weight)(double), double H[D][D])
{
    memset(H, 0, D * D * sizeof **H);
    for (size_t i = 0; i < batch_size(event); i++) {
        const double *x = sp_dataset_X(&r->t.data) + record_of(event, i) * r->t.data.stride;
        double m = 0.0;
        for (size_t j = 0; j < D; j++)
            m += w[j] * x[j];
        for (size_t j = 0; j < D; j++)
            for (size_t k = 0; k < D; k++)
                H[j][k] += weight(m) * x[j] * x[k] / (double)batch_size(event);
    }
}

static void hessian_at(trace *r, const sp_event *event, const double *w, double H[D][D])
{
    squares_at(r, event, w, second_derivative, H);
}

/* The k-th access of this kind; NULL: any. */
static const sp_event *event_at(trace *r, const char *primitive, size_t k)
{
    static const sp_event none = { .rows = NULL };
    for (size_t i = 0; i < sp_transcript_count(r->run.transcript); i++) {
        const sp_event *event = sp_transcript_at(r->run.transcript, i);
        if ((!primitive || strcmp(event->primitive, primitive) == 0) && k-- == 0)
            return event;
    }
    SP_CHECK_REPORT(false, "there is no further %s", primitive ? primitive : "access");
    return &none;
}

static double norm(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* path[t + 1] = Proj(path[t] - eta v) */
static void step(trace *r, size_t t, double eta, const double *v)
{
    for (size_t j = 0; j < D; j++)
        r->path[t + 1][j] = r->path[t][j] - eta * v[j];
    sp_domain_project(&r->t.problem.domain, r->path[t + 1]);
}

/* --- recurrences --------------------------------------------------------------------------------------------- */

/* w <- Proj( w - eta mean_S grad f(w) ) */
static void descend(trace *r, double eta)
{
    for (size_t t = 0; t < STEPS; t++) {
        double g[D];
        gradient_at(r, event_at(r, "gradient", t), r->path[t], g);
        step(r, t, eta, g);
    }
}

static void descends(trace *r)
{
    descend(r, 0.7);
}

/* w <- w - eta mean_A grad f(w) of the first method, and from there the same of the second on the records B that are
 * left: 40 % and 60 % of them. */
static void goes_on_elsewhere(trace *r)
{
    const sp_event *event[] = { event_at(r, "gradient", 0), event_at(r, "gradient", 1) };
    size_t of[N] = { 0 };
    CHECK_EQUAL(batch_size(event[0]), 24);
    CHECK_EQUAL(batch_size(event[1]), 36);
    for (size_t t = 0; t < 2; t++) {
        double g[D];
        for (size_t i = 0; i < batch_size(event[t]); i++)
            of[record_of(event[t], i)]++;
        gradient_at(r, event[t], r->path[t], g);
        step(r, t, 0.7, g);
    }
    for (size_t i = 0; i < N; i++)
        CHECK_EQUAL(of[i], 1);
}

/* eta = 0.7 / sqrt t */
static void descends_ever_less(trace *r)
{
    for (size_t t = 0; t < STEPS; t++) {
        double g[D];
        gradient_at(r, event_at(r, "gradient", t), r->path[t], g);
        step(r, t, 0.7 / sqrt((double)t + 1.0), g);
    }
}

/* A round from c: four points of weights 0.1, 0.2, 0.3, 0.4, from each a step of 1 / (3 i) along grad F(u) + 6 (u - c),
 * within L / 6 of c. M = 3 */
static void proximal_points(trace *r)
{
    const double radius = r->t.problem.declared.L / 6.0;
    for (size_t t = 0; t < STEPS; t++) {
        double u[D], mean[D] = { 0.0 };
        memcpy(u, r->path[t], sizeof u);
        for (size_t i = 1; i <= 4; i++) {
            double g[D], apart[D];
            for (size_t j = 0; j < D; j++)
                mean[j] += 0.1 * (double)i * u[j];
            gradient_at(r, NULL, u, g);
            for (size_t j = 0; j < D; j++) {
                u[j] -= (g[j] + 6.0 * (u[j] - r->path[t][j])) / (3.0 * (double)i);
                apart[j] = u[j] - r->path[t][j];
            }
            for (size_t j = 0; j < D; j++)
                u[j] = r->path[t][j] + fmin(1.0, radius / norm(apart)) * apart[j];
        }
        memcpy(r->path[t + 1], mean, sizeof mean);
    }
}

/* eta is the default, 1/beta */
static void descends_by_beta(trace *r)
{
    descend(r, 1.0 / r->t.problem.declared.beta);
}

/* v + N(0, g^2 / (d ln(d/zeta)) I) in place of v at steps 1 and 3: a pause of two steps lies between them. */
static void kicks(trace *r)
{
    const double g = 1.0, zeta = 0.1;
    gsl_rng *coins = sp_stream_open(trial_key(SEED, SP_STREAM_COINS));
    for (size_t t = 0; t < STEPS; t++) {
        double v[D];
        gradient_at(r, NULL, r->path[t], v);
        if (t % 2 == 0) {
            sp_stream_key key;
            const uint64_t substream = sp_stream_step(coins, &key);
            sp_normal_add(key, substream, 0, D, g / sqrt(D * log(D / zeta)), v);
        }
        step(r, t, 1.0 / r->t.problem.declared.beta, v);
    }
    gsl_rng_free(coins);
}

/* In K = 2 of D = 3 dimensions: Phi, entries N(0, 1/K); z = Phi x, cut to norm 2; v <- v - 0.7 mean phi'(<v, z>) z from
 * Phi w_0; w = Phi' v. */
static void descends_in_shadow(trace *r)
{
    enum { K = 2 };
    gsl_rng *coins = sp_stream_open(trial_key(SEED, SP_STREAM_COINS));
    sp_stream_key key;
    const uint64_t substream = sp_stream_step(coins, &key);
    double phi[K][D] = { { 0.0 } }, v[K] = { 0.0 };
    sp_normal_add(key, substream, 0, K * D, 1.0 / sqrt(K), &phi[0][0]);
    gsl_rng_free(coins);
    for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j < D; j++)
            v[k] += phi[k][j] * r->path[0][j];
    for (size_t t = 0; t < STEPS; t++) {
        double mean[K] = { 0.0 };
        for (size_t i = 0; i < N; i++) {
            const double *x = sp_dataset_X(&r->t.data) + i * r->t.data.stride, y = sp_dataset_y(&r->t.data)[i];
            double z[K] = { 0.0 };
            for (size_t k = 0; k < K; k++)
                for (size_t j = 0; j < D; j++)
                    z[k] += phi[k][j] * x[j];
            const double cut = fmin(1.0, 2.0 / sqrt(z[0] * z[0] + z[1] * z[1]));
            const double margin = cut * (v[0] * z[0] + v[1] * z[1]);
            for (size_t k = 0; k < K; k++)
                mean[k] += -y / (1.0 + exp(y * margin)) * cut * z[k] / N;
        }
        for (size_t k = 0; k < K; k++)
            v[k] -= 0.7 * mean[k];
        for (size_t j = 0; j < D; j++)
            r->path[t + 1][j] = phi[0][j] * v[0] + phi[1][j] * v[1];
    }
}

/* Sums of clipped gradients are divided by b, whatever the sample holds: v <- 0.6 v + g. Norms are cut to 0.2. */
static void descends_poisson(trace *r)
{
    double v[D] = { 0.0 };
    for (size_t t = 0; t < STEPS; t++) {
        const sp_event *event = event_at(r, "gradient", t);
        double sum[D] = { 0.0 };
        for (size_t i = 0; i < event->count; i++) {
            const sp_event one = { .rows = &event->rows[i], .count = 1 };
            double g[D];
            gradient_at(r, &one, r->path[t], g);
            for (size_t j = 0; j < D; j++)
                sum[j] += g[j] * fmin(1.0, 0.2 / norm(g));
        }
        for (size_t j = 0; j < D; j++)
            v[j] = 0.6 * v[j] + sum[j] / 15.0;
        step(r, t, 0.7, v);
    }
}

/* 0.2 along each coordinate, against the sign of the gradient */
static void signs(trace *r)
{
    for (size_t t = 0; t < STEPS; t++) {
        double g[D];
        gradient_at(r, event_at(r, "gradient", t), r->path[t], g);
        for (size_t j = 0; j < D; j++)
            g[j] = g[j] > 0.0 ? 1.0 : -1.0;
        step(r, t, 0.2, g);
    }
}

/* w <- w - 0.3 c u, u = N(0, I), a substream of the coins for each, c the slope of F from w - 0.001 u to w + 0.001 u */
static void slopes(trace *r)
{
    gsl_rng *coins = sp_stream_open(trial_key(SEED, SP_STREAM_COINS));
    for (size_t t = 0; t < STEPS; t++) {
        sp_stream_key key;
        const uint64_t substream = sp_stream_step(coins, &key);
        double u[D] = { 0.0 }, ahead[D], behind[D];
        sp_normal_add(key, substream, 0, D, 1.0, u);
        for (size_t j = 0; j < D; j++) {
            ahead[j] = r->path[t][j] + 1e-3 * u[j];
            behind[j] = r->path[t][j] - 1e-3 * u[j];
        }
        step(r, t, 0.3 * (value_at(r, NULL, ahead) - value_at(r, NULL, behind)) / 2e-3, u);
    }
    gsl_rng_free(coins);
}

/* The moments of the gradients so far, written out as sums: weights 0.6^(t - i) and 0.8^(t - i), which are divided by
 * their own; no noise, so that nothing is taken off. */
static void adam(trace *r)
{
    double g[STEPS][D], v[D];
    for (size_t t = 0; t < STEPS; t++) {
        gradient_at(r, event_at(r, "gradient", t), r->path[t], g[t]);
        for (size_t j = 0; j < D; j++) {
            double first = 0.0, second = 0.0, weight[2] = { 0.0, 0.0 };
            for (size_t i = 0; i <= t; i++) {
                first += pow(0.6, (double)(t - i)) * g[i][j];
                second += pow(0.8, (double)(t - i)) * g[i][j] * g[i][j];
                weight[0] += pow(0.6, (double)(t - i));
                weight[1] += pow(0.8, (double)(t - i));
            }
            v[j] = first / weight[0] / sqrt(fmax(second / weight[1], 1e-4));
        }
        step(r, t, 0.2, v);
    }
}

/* Each record's gradient becomes 0.2 g / (||g|| + 0.3), and sqrt(u') is not corrected, but 0.01 is added */
static void adam_of_normalised(trace *r)
{
    double m[D] = { 0.0 }, u[D] = { 0.0 };
    for (size_t t = 0; t < STEPS; t++) {
        const sp_event *event = event_at(r, "gradient", t);
        double sum[D] = { 0.0 };
        for (size_t i = 0; i < event->count; i++) {
            const sp_event one = { .rows = &event->rows[i], .count = 1 };
            double g[D];
            gradient_at(r, &one, r->path[t], g);
            for (size_t j = 0; j < D; j++)
                sum[j] += 0.2 * g[j] / (norm(g) + 0.3) / 15.0;
        }
        for (size_t j = 0; j < D; j++) {
            m[j] = 0.9 * m[j] + 0.1 * sum[j];
            u[j] = 0.999 * u[j] + 0.001 * sum[j] * sum[j];
            const double first = m[j] / (1.0 - pow(0.9, (double)t + 1.0));
            sum[j] = first / (sqrt(u[j] / (1.0 - pow(0.999, (double)t + 1.0))) + 0.01);
        }
        step(r, t, 0.2, sum);
    }
}

/* v_t = keep v_{t-1} + mean_S[grad f(w_t) - keep grad f(w_{t-1})], anew where t = 0 mod period; then a step. */
static void recursive(trace *r, double keep, size_t period, double eta, bool normalised)
{
    double v[D] = { 0.0 };
    for (size_t t = 0; t < STEPS; t++) {
        const sp_event *event = event_at(r, "gradient", t);
        double now[D], before[D];
        gradient_at(r, event, r->path[t], now);
        if (t % period > 0)
            gradient_at(r, event, r->path[t - 1], before);
        for (size_t j = 0; j < D; j++)
            v[j] = t % period == 0 ? now[j] : keep * v[j] + now[j] - keep * before[j];
        step(r, t, normalised ? fmin(eta / norm(v), 1.0 / r->t.problem.declared.beta) : eta, v);
    }
}

static void spider(trace *r)
{
    recursive(r, 1.0, 2, 0.7, false);
}

static void momentum_of_differences(trace *r)
{
    recursive(r, 0.7, STEPS, 0.7, false);
}

static void normalised_differences(trace *r)
{
    recursive(r, 0.6, STEPS, 0.2, true);
}

static void normalised(trace *r)
{
    recursive(r, 0.0, 1, 0.2, true);
}

/* m_0 = g_0, m_t = 0.7 m_{t-1} + 0.3 g_t */
static void normalised_momentum(trace *r)
{
    double m[D] = { 0.0 };
    for (size_t t = 0; t < STEPS; t++) {
        double g[D];
        gradient_at(r, event_at(r, "gradient", t), r->path[t], g);
        for (size_t j = 0; j < D; j++)
            m[j] = t == 0 ? g[j] : 0.7 * m[j] + 0.3 * g[j];
        step(r, t, fmin(0.2 / norm(m), 1.0 / r->t.problem.declared.beta), m);
    }
}

/* M_t = 0.7 M_{t-1} + 0.3 grad F(w_t), M_0 = 0; w <- w - eta M_t / ||M_t||: one block an epoch */
static void momentum_over_passes(trace *r)
{
    double m[D] = { 0.0 };
    for (size_t t = 0; t < STEPS; t++) {
        double g[D];
        gradient_at(r, NULL, r->path[t], g);
        for (size_t j = 0; j < D; j++)
            m[j] = 0.7 * m[j] + 0.3 * g[j];
        step(r, t, 0.2 / norm(m), m);
    }
}

/* w_{t+1} = Proj( w_1 - eta sum_{i <= t} grad F(w_i) ) */
static void leader(trace *r)
{
    double sum[D] = { 0.0 };
    for (size_t t = 0; t < STEPS; t++) {
        double g[D];
        gradient_at(r, NULL, r->path[t], g);
        for (size_t j = 0; j < D; j++) {
            sum[j] += g[j];
            r->path[t + 1][j] = r->path[0][j] - 0.7 * sum[j];
        }
        sp_domain_project(&r->t.problem.domain, r->path[t + 1]);
    }
}

/* Two leaves a round, b = 8: the root on 8 records, then the second leaf's difference on 4 to the root's w. */
static void tree(trace *r)
{
    const double beta = r->t.problem.declared.beta, alpha = 0.5;
    const double way = alpha * fmin(1.0, sqrt(8.0 * 0.7 / D)) / (M_SQRT2 * beta);
    double v[D] = { 0.0 };
    for (size_t t = 0; t < STEPS; t++) {
        const sp_event *event = event_at(r, "gradient", t);
        double now[D], root[D];
        CHECK_EQUAL(event->count, t % 2 == 0 ? 8 : 4);
        gradient_at(r, event, r->path[t], now);
        if (t % 2 == 1)
            gradient_at(r, event, r->path[t - 1], root);
        for (size_t j = 0; j < D; j++)
            v[j] = t % 2 == 0 ? now[j] : v[j] + now[j] - root[j];
        step(r, t, fmin(0.5 / beta, way / norm(v)), v);
    }
}

/* lam / (4 gamma beta ||v||) v, lam = sqrt(Phi), Phi = F0 / c^k, two steps a round at kappa = 2 */
static void kl_rounds(trace *r)
{
    const sp_constants *k = &r->t.problem.declared;
    const double gamma = k->kl_gamma, F0 = fmin(k->gap, gsl_pow_2(k->L * gamma));
    const double c = 1.0 + 1.0 / (6.0 * gamma * gamma * k->beta);
    for (size_t t = 0; t < STEPS; t++) {
        double v[D];
        const double lam = sqrt(F0 / pow(c, (double)(t / 2 + 1)));
        gradient_at(r, NULL, r->path[t], v);
        CHECK_LESS_EQUAL(7.0 * lam / (8.0 * gamma), norm(v));
        step(r, t, lam / (4.0 * gamma * k->beta * norm(v)), v);
    }
}

/* h = -(H + lambda I)^-1 g, positive definite: no pivots. */
static void solve(double H[D][D], double lambda, const double *g, double *h)
{
    double A[D][D + 1];
    for (size_t j = 0; j < D; j++) {
        for (size_t k = 0; k < D; k++)
            A[j][k] = H[j][k] + (j == k ? lambda : 0.0);
        A[j][D] = -g[j];
    }
    for (size_t p = 0; p < D; p++)
        for (size_t j = 0; j < D; j++)
            for (size_t k = D + 1; j != p && k-- > p;)
                A[j][k] -= A[j][p] * A[p][k] / A[p][p];
    for (size_t j = 0; j < D; j++)
        h[j] = A[j][D] / A[j][j];
}

/* h = argmin over ||h|| <= radius of <g, h> + h'Hh/2, H positive semidefinite: the multiplier by bisection. */
static void model_minimum(double H[D][D], const double *g, double radius, double *h)
{
    double low = 0.0, high = norm(g) / radius + 1.0;
    for (size_t tries = 0; tries < 200; tries++) {
        const double lambda = 0.5 * (low + high);
        solve(H, lambda, g, h);
        *(norm(h) > radius ? &low : &high) = lambda;
    }
}

/* w <- w - (H + k I)^-1 g; of the budget a step has .3 x .9 / 3. Records are of length 1, so b = 1/4 and the trace is
 * the mean weight. */
static void newton(trace *r, double (*weight)(double), double scale)
{
    const double rho_step = 0.27 * gsl_pow_2(sp_gaussian_mu(0.7, 1e-5)) / 2.0 / STEPS;
    for (size_t t = 0; t < STEPS; t++) {
        double g[D], H[D][D], h[D];
        gradient_at(r, event_at(r, "gradient", t), r->path[t], g);
        squares_at(r, event_at(r, "solve", t), r->path[t], weight, H);
        const double sum = H[0][0] + H[1][1] + H[2][2];
        solve(H, scale * fmax(cbrt(0.5 * sum / (N * N * rho_step)), 1.0 / N), g, h);
        step(r, t, -1.0, h);
    }
}

static void newton_by_parabola(trace *r)
{
    newton(r, parabola, 1.0);
}

static void newton_by_hessian(trace *r)
{
    newton(r, second_derivative, 0.4);
}

static void trust_region(trace *r)
{
    const double radius = sqrt(1e-3 / r->t.problem.declared.rho_hessian);
    for (size_t t = 0; t < STEPS; t++) {
        double g[D], H[D][D], h[D];
        gradient_at(r, event_at(r, "gradient", t), r->path[t], g);
        hessian_at(r, event_at(r, "hessian", t), r->path[t], H);
        model_minimum(H, g, radius, h);
        step(r, t, -1.0, h);
    }
}

/* The vertex +-radius e_j of the l1 ball with the least <v, g>; the choice was by these numbers. */
static void least_vertex(trace *r, const sp_event *choice, const double *g, double *v)
{
    size_t best = 0;
    for (size_t j = 1; j < D; j++)
        best = fabs(g[j]) > fabs(g[best]) ? j : best;
    CHECK_EQUAL(choice->size, 2 * D);
    for (size_t k = 0; k < choice->size; k++)
        CHECK_NEAR(choice->raw[k], (k % 2 == 0 ? 1.0 : -1.0) * r->t.problem.domain.radius * g[k / 2],
                   TOLERANCE * r->t.problem.domain.radius);
    memset(v, 0, D * sizeof *v);
    v[best] = g[best] > 0.0 ? -r->t.problem.domain.radius : r->t.problem.domain.radius;
}

static void towards(trace *r, size_t t, double h, const double *v)
{
    for (size_t j = 0; j < D; j++)
        r->path[t + 1][j] = (1.0 - h) * r->path[t][j] + h * v[j];
}

static void frank_wolfe(trace *r)
{
    for (size_t t = 0; t < STEPS; t++) {
        double g[D], v[D];
        gradient_at(r, NULL, r->path[t], g);
        least_vertex(r, event_at(r, "choose", t), g, v);
        towards(r, t, 2.0 / ((double)t + 2.0), v);
    }
}

/* Rounds of 1 and 2 steps: G <- (1 - h) G + mean_S[grad f(w) - (1 - h) grad f(w_prev)], h = 1 / sqrt(t + 1). */
static void frank_wolfe_rounds(trace *r)
{
    double G[D] = { 0.0 };
    for (size_t at = 0; at < STEPS; at++) {
        const size_t t = at == 0 ? 0 : at - 1;
        const double h = 1.0 / sqrt((double)t + 1.0);
        const sp_event *event = event_at(r, NULL, at);
        double now[D], before[D] = { 0.0 }, v[D];
        CHECK_EQUAL(event->count, t == 0 ? 8 : 4);
        gradient_at(r, event, r->path[at], now);
        if (t > 0)
            gradient_at(r, event, r->path[at - 1], before);
        for (size_t j = 0; j < D; j++)
            G[j] = (1.0 - h) * G[j] + now[j] - (1.0 - h) * before[j];
        if (r->t.problem.domain.kind == SP_DOMAIN_L1_BALL)
            least_vertex(r, event, G, v);
        else
            for (size_t j = 0; j < D; j++)
                v[j] = -r->t.problem.domain.radius * G[j] / norm(G);
        towards(r, at, h, v);
    }
}

/* Phase i: from w one step of eta / 4^i for each of n / 2^i records; their mean, projected. */
static void phases(trace *r)
{
    for (size_t i = 1; i <= STEPS; i++) {
        const sp_event *event = event_at(r, "stable_pass", i - 1);
        const double eta = 0.7 / pow(4.0, (double)i);
        double v[D], mean[D] = { 0.0 };
        CHECK_EQUAL(event->count, N >> i);
        memcpy(v, r->path[i - 1], sizeof v);
        for (size_t k = 0; k < event->count; k++) {
            const sp_event one = { .rows = &event->rows[k], .count = 1 };
            double g[D];
            gradient_at(r, &one, v, g);
            for (size_t j = 0; j < D; j++)
                v[j] -= eta * g[j];
            sp_domain_project(&r->t.problem.domain, v);
            for (size_t j = 0; j < D; j++)
                mean[j] += v[j] / (double)event->count;
        }
        memcpy(r->path[i], mean, sizeof mean);
        sp_domain_project(&r->t.problem.domain, r->path[i]);
    }
}

/* p = 2, one round: v <- w_1 + (v - w_1 - 2 g / (rho_w t)) / (1 + 4 / t) */
static void mirror_descent(trace *r)
{
    const double rho_w = r->t.problem.declared.weak_convexity;
    for (size_t t = 1; t <= STEPS; t++) {
        double g[D];
        gradient_at(r, event_at(r, "gradient", t - 1), r->path[t - 1], g);
        for (size_t j = 0; j < D; j++)
            r->path[t][j] = r->path[0][j] + (r->path[t - 1][j] - r->path[0][j] - 2.0 * g[j] / (rho_w * (double)t)) /
                                                (1.0 + 4.0 / (double)t);
        sp_domain_project(&r->t.problem.domain, r->path[t]);
    }
}

/* The ball about the start of the radius `distance`. */
static bool in_ball(const trace *r, const double *w)
{
    const double apart[D] = { w[0] - r->path[0][0], w[1] - r->path[0][1], w[2] - r->path[0][2] };
    return norm(apart) <= r->t.problem.declared.distance;
}

/* 40 moves of Metropolis' walk, downhill alone: w + move_std Z, one substream a move, after which one coin is drawn. */
static void walk_by(trace *r, double move_std)
{
    gsl_rng *stream = sp_stream_open(trial_key(SEED, SP_STREAM_SELECTION));
    double w[D];
    memcpy(w, r->path[0], sizeof w);
    for (size_t t = 0; t < 40; t++) {
        sp_stream_key key;
        double next[D];
        const uint64_t substream = sp_stream_step(stream, &key);
        gsl_rng_uniform(stream);
        memcpy(next, w, sizeof next);
        sp_normal_add(key, substream, 0, D, move_std, next);
        if (in_ball(r, next) && value_at(r, NULL, next) < value_at(r, NULL, w))
            memcpy(w, next, sizeof w);
    }
    memcpy(r->path[1], w, sizeof w);
    gsl_rng_free(stream);
}

static void walk(trace *r)
{
    walk_by(r, 1.1);
}

/* 2.4 / (tau L), tau = epsilon n / (4 L_data R) */
static void walk_by_temperature(trace *r)
{
    const sp_constants *c = &r->t.problem.declared;
    walk_by(r, 2.4 * 4.0 * c->L_data * c->distance / (0.7 * N * c->L));
}

static void walk_by_radius(trace *r)
{
    walk_by(r, 0.01 * r->t.problem.declared.distance);
}

/* The least of 1,024 uniform points of the ball. */
static void least_of_many(trace *r)
{
    gsl_rng *stream = sp_stream_open(trial_key(SEED, SP_STREAM_SELECTION));
    double least = INFINITY;
    for (size_t trial = 0; trial < 1024; trial++) {
        double w[D];
        sp_ball_uniform(stream, D, r->t.problem.declared.distance, w);
        for (size_t j = 0; j < D; j++)
            w[j] += r->path[0][j];
        if (value_at(r, NULL, w) < least) {
            least = value_at(r, NULL, w);
            memcpy(r->path[1], w, sizeof w);
        }
    }
    gsl_rng_free(stream);
}

/* w <- w - s g, of seven steps s the one that lowers F most: 10 x .6^i s_0 down to s_0, and 1/beta. */
static void searched_steps(trace *r)
{
    const double beta = r->t.problem.declared.beta, base = 2.0 * (0.4 - 12.0 / 157.0) / beta;
    for (size_t t = 0; t < STEPS; t++) {
        double g[D], best = INFINITY, chosen = NAN, next[D];
        gradient_at(r, event_at(r, "gradient", t), r->path[t], g);
        for (size_t i = 0; i < 7; i++) {
            const double s = i == 6 ? 1.0 / beta : base * (i == 5 ? 1.0 : 10.0 * pow(0.6, (double)i));
            for (size_t j = 0; j < D; j++)
                next[j] = r->path[t][j] - s * g[j];
            if (value_at(r, NULL, next) < best) {
                best = value_at(r, NULL, next);
                chosen = s;
            }
        }
        CHECK(fabs(chosen * beta - 1.0) > 0.1); /* a search that matters */
        step(r, t, chosen, g);
    }
}

static void stays(trace *r)
{
    (void)r;
}

/* --- methods ------------------------------------------------------------------------------------------------- */

static const struct method {
    const char *name, *settings;
    recurrence *expected; /* NULL: refused */
    size_t least;         /* checkpoints that there are at least, of steps 1 to 3 */
    const char *loss;     /* NULL: logistic */
    sp_domain_kind ground;
    double radius;        /* of it; 0: 0.8 */
    bool budget;          /* an uncertified method, with what it asks for to take a budget */
    const char *reason;   /* of a refusal */
} methods[] = {
    { "gd", "eta=0.7 steps=3", descends, 3 },
    { "sgd", "eta=0.7 steps=3 batch=7", descends, 3 },
    { "rrsgd", "eta=0.7 epochs=1 batch=7", descends, 1 },
    { "normalised_sgd", "eta=0.2 steps=3 batch=7 momentum=0.3", normalised_momentum, 3 },
    { "spider", "eta=0.7 steps=3 period=2 batch=7", spider, 3 },
    { "trust_region", "alpha=1e-3 steps_max=3", trust_region, 3 },
    { "dp_gd", "eta=0.7 steps=3", descends, 3 },
    { "dp_sgd", "eta=0.7 steps=3 batch=7", descends, 3 },
    { "dp_sgd", "eta=0.7 steps=3 batch=60 decay=0.5", descends_ever_less, 3 },
    { "dp_sgd_hp", "eta=0.7 steps=3 runs=1", descends, 3 },
    { "dp_sgd_poisson", "eta=0.7 steps=3 batch=15 momentum=0.6 clip=0.2", descends_poisson, 3 },
    { "dp_sign", "eta=0.2 steps=3 batch=7", signs, 3 },
    { "dp_adam", "eta=0.2 steps=3 b1=0.6 b2=0.8 xi=0.01", adam, 3 },
    { "dp_adam", "eta=0.2 steps=3 batch=15 sample=poisson map=normalise clip=0.2 offset=0.3 correct=false xi=0.01",
      adam_of_normalised, 3 },
    { "dp_zero", "eta=0.3 steps=3 select=last", slopes, 3 },
    { "dp_ngd", "eta=0.2 steps=3", normalised, 3 },
    { "fb_sr_ngd", "eta=0.2 steps=3 gamma=0.4", normalised_differences, 3 },
    { "dp_nsgd", "eta=0.2 epochs=3 batch=60 momentum=0.3", momentum_over_passes, 3 },
    { "sr_nsgd", "eta=0.2 epochs=3 batch=60 momentum=0.3 gamma=0.4", momentum_over_passes, 3 },
    { "dp_ftrl", "eta=0.7 steps=3 batch=60", leader, 3 },
    { "dp_spider", "eta=0.7 steps=3 period=2 batch=7", spider, 3 },
    { "dp_srm", "eta=0.7 steps=3 batch=7 momentum=0.3", momentum_of_differences, 3 },
    { "tree_spider", "batch=8 alpha=0.5", tree, 3 },
    { "kl_gd", "steps=3", descends_by_beta, 3 },
    { "kl_prox", "rounds=3 inner_steps=4 modulus=3", proximal_points, 3 },
    { "kl_spider", "k_scale=6 floor_scale=1e-12", kl_rounds, 3 },
    { "adaptive_gd", "eta=0.7 steps=3", descends, 3 },
    { "langevin", "eta=0.7 steps=3", descends, 3 },
    { "dp_tr", "alpha=1e-3 steps_max=3", trust_region, 3 },
    { "dp_2ns", "alpha=1e-3 steps_max=3", searched_steps, 3 },
    { "dp_2ns", "alpha=1e-3 steps_max=3 search=none", descends_by_beta, 3 },
    { "dp_newton", "steps=3", newton_by_parabola, 3 },
    { "dp_newton", "steps=3 weights=hessian ridge_scale=0.4", newton_by_hessian, 3 },
    { "dp_str", "alpha=1e-3 steps_max=3 batch=7 batch_h=9", trust_region, 3 },
    { "dp_gd_sosp", "eta=0.7 steps=3", descends, 3 },
    { "spider_sosp", "accuracy=1e-4 steps=3", descends_by_beta, 3 },
    { "spider_sosp", "accuracy=1 pause=2 steps=3", kicks, 3 },
    { "noisy_fw", "steps=3", frank_wolfe, 3, NULL, SP_DOMAIN_L1_BALL, .radius = 20.0 }, /* so that vertices change */
    { "poly_sfw", "rounds=2 batch=8", frank_wolfe_rounds, 3, NULL, SP_DOMAIN_L1_BALL },
    { "nsfw", "rounds=2 batch=8", frank_wolfe_rounds, 3, NULL, SP_DOMAIN_L2_BALL },
    { "phased_sgd", "eta=0.7", phases, 3 },
    { "prox_md", "p=2 rounds=1 inner_steps=3", mirror_descent, 3, "welsch" },
    { "em_mcmc", "moves=40 move_std=1.1", walk, 1 },
    { "em_mcmc", "moves=40", walk_by_radius, 1 },
    { "em_mcmc", "moves=40 tv=1e-9", walk_by_temperature, 1, .budget = true },
    { "em_reject", "", least_of_many, 1 },
    { "warm_start", "eta=0.7 steps=3", descends, 3 },
    { "warm_start", "budget=disjoint share=0.4 eta=0.7 steps=1", goes_on_elsewhere, 2 },
    { "jl_glm", "k=3 eta=0.7 steps=3", descends, 3 },
    { "jl_glm", "k=2 eta=0.7 steps=3", descends_in_shadow, 3 },
    { "start", "", stays, 0 },
    { "private_tuning", .reason = "a choice among runs of another method: unit/private_tuning" },
    { "em_net", .reason = "one choice, no recurrence: its law is in unit/lowy_b_em" },
    { "em_zoom", .reason = "choices among random points, no recurrence: unit/lowy_b_em has its rounds" },
    { "em_product", .reason = "one draw, no recurrence: its law is in unit/em_product" },
    { "adaptive_spider", .reason = "its batches stay in an accumulator, of whose records no transcript tells: "
                                   "unit/liu_talwar has its schedule" },
    { "fixed_spider", .reason = "its batches stay in an accumulator, of whose records no transcript tells: "
                                "unit/liu_talwar has its schedule" },
};

static void watch(trial_run *run, size_t number, const double *w)
{
    trace *r = run->context;
    if (number > STEPS || r->known[number])
        return;
    memcpy(r->seen[number], w, sizeof r->seen[number]);
    r->known[number] = true;
}

static void check(const struct method *m, const sp_algorithm *algorithm)
{
    trace r = { .run = { .seed = SEED, .watch = watch } };
    const double radius = m->ground == SP_DOMAIN_SPACE ? INFINITY : m->radius > 0.0 ? m->radius : 0.8;
    const sp_domain domain = { m->ground, D, radius, radius };
    const bool none = algorithm->non_private_only || (algorithm->uncertified && !m->budget);
    size_t known = 0;
    if (!trial_make_on(domain, m->loss ? m->loss : "logistic", N, false, &r.t))
        return;
    for (size_t j = 0; j < D; j++)
        r.t.problem.start[j] = 0.1 * (double)(j + 1) - 0.15;
    sp_constants *c = &r.t.problem.declared;
    c->kl_gamma = 10.0, c->kl_kappa = 2.0; /* schedules need something: nothing here depends on its truth */
    c->gap = fmin(c->gap, 1.0);
    c->distance = fmin(c->distance, 1.5);
    memcpy(r.path[0], r.t.problem.start, sizeof r.path[0]);
    r.workspace = sp_workspace_new(&r.t.problem);
    r.run.transcript = sp_transcript_new();
    r.run.context = &r;
    CHECK(r.workspace && r.run.transcript);
    sp_transcript_record(r.run.transcript);
    const sp_values values = trial_values(algorithm, m->settings);
    trial_go(algorithm, &values, &r.t, none ? trial_not_private() : trial_noise_off(0.7, 1e-5), &r.run);
    SP_CHECK_REPORT(r.run.status == SP_OK, "%s: %s", sp_status_name(r.run.status), r.run.message);
    if (r.run.status == SP_OK)
        m->expected(&r);
    for (size_t t = 1; t <= STEPS && r.run.status == SP_OK; t++) {
        known += r.known[t];
        for (size_t j = 0; r.known[t] && j < D; j++)
            SP_CHECK_REPORT(fabs(r.seen[t][j] - r.path[t][j]) <= TOLERANCE,
                            "step %zu, coordinate %zu: %.12g, by the recurrence %.12g", t, j, r.seen[t][j],
                            r.path[t][j]);
    }
    SP_CHECK_REPORT(known >= m->least, "%zu checkpoints, at least %zu expected", known, m->least);
    if (m->least == STEPS) { /* it moves, in every step */
        for (size_t t = 1; t <= STEPS; t++)
            CHECK(memcmp(r.path[t], r.path[t - 1], sizeof r.path[t]) != 0);
    }
    trial_end(&r.run);
    sp_transcript_free(r.run.transcript);
    sp_workspace_free(r.workspace);
    trial_drop(&r.t);
}

int main(int argc, char **argv)
{
    const sp_algorithm *algorithm = argc > 1 ? sp_algorithm_find(argv[1]) : NULL;
    bool found = false;
    for (size_t i = 0; algorithm && i < sizeof methods / sizeof *methods; i++) {
        if (strcmp(methods[i].name, algorithm->name) != 0)
            continue;
        found = true;
        if (!methods[i].expected)
            printf("%s is refused: %s\n", algorithm->name, methods[i].reason);
        else
            check(&methods[i], algorithm);
    }
    SP_CHECK_REPORT(found, "%s has no recurrence here, and no reason why not", argc > 1 ? argv[1] : "no method");
    return sp_check_done();
}
