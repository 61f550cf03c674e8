/*
 * nsfw.c -- one-pass stochastic Frank-Wolfe with Gaussian noise on the gradient estimates.
 *
 *   round r = 0..R-1, step t = 0..2^r - 1, h_t = 1 / sqrt(t + 1), on m_t = max(1, ceil(b / (t + 1))) fresh records:
 *     G = mean grad f(w) + noise at t = 0, then
 *     G <- (1 - h_t) G + mean( grad f(w) - (1 - h_t) grad f(w_prev) ) + noise
 *     v = argmin over W of <v, G>;   w_prev = w,   w <- (1 - h_t) w + h_t v
 *
 * W is the domain, D its diameter. A record's term has norm at most c_t = (1 - h_t) min(beta_data ||w - w_prev||,
 * 2 L_data) + h_t L_data, c_0 = L_data; the noise is N(0, (2 c_t / (m_t mu))^2 I), mu the Gaussian-DP parameter of
 * (epsilon, delta). Rounds, batch and the bound on the population's Frank-Wolfe gap: parts/rounds.h, with
 *
 *   E_t = D sqrt(V_t),   V_t = (1 - h_t)^2 V_(t-1) + c_t^2 / m_t + d (2 c_t / (m_t mu))^2
 *
 * and h_(t-1) D for ||w - w_prev||.
 *
 * All norms are l2, also on an lp_ball: ||.||_2 bounds the dual norm of l_p, p <= 2, and D is 2 radius in both.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Bassily, Guzman & Menart 2021, section 4.2 (their Algorithm 6), Theorems 10 and 11.
 * Privacy  (epsilon, delta), replace-one: each record is in one release, so every release has the whole budget, noise
 *          multiplier 1 / mu of l2 sensitivity 2 c_t / m_t.
 * Differs  One release per step replaces the printed two (the gradient and the gradient difference), and its noise
 *          depends on the real length of the step; calibration = "paper" gives it the variance of the two, 16
 *          ln(1/delta) d^(2/p - 1) (h_t^2 L_data^2 + (1 - h_t)^2 h_t^2 beta_data^2 D^2) / (epsilon m_t)^2 (p = 2 except
 *          on an lp_ball). That has h_t for h_(t-1) and so may be too small at t = 1. The printed b = n / ln^2 n leaves
 *          records unused, and its R has an open constant. The start is projected onto W.
 * Output   uniform over the points w at which G was released, unless `select` says otherwise.
 * Cost     one pass: m_t gradients at t = 0, else 2 m_t; 5 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/geometry.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/rounds.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

static const sp_param params[] = { SP_ROUNDS_TABLE, { 0 } };

static double error(const sp_oracle *o, const sp_geometry *g, size_t b, size_t r)
{
    const sp_constants *c = sp_public(o);
    double variance = 0.0, sum = 0.0;
    if (sp_budget_of(o)->paper)
        return INFINITY;
    for (size_t t = 0; t < (size_t)1 << r; t++) {
        const double fade = 1.0 - sp_rounds_step(t), m = (double)sp_rounds_batch(b, t);
        const double way = t == 0 ? 0.0 : sp_rounds_step(t - 1) * g->D;
        const double move = sp_rounds_move(g->L_data, g->beta_data, way, t);
        const double noise_std = 2.0 * move / (m * sp_budget_of(o)->mu);
        variance = fade * fade * variance + move * move / m + (double)c->d * noise_std * noise_std;
        sum += g->D * sqrt(variance);
    }
    return sum;
}

/* p of the norm that W is a ball of; 2 on other domains. */
static double norm_of(const sp_oracle *o)
{
    return sp_domain_of(o)->kind == SP_DOMAIN_LP_BALL ? sp_domain_of(o)->p : 2.0;
}

/* kappa = min(1/(p-1), 2 ln d), and ln d more under the root where p < 2 */
static double theory(const sp_oracle *o)
{
    const sp_constants *c = sp_public(o);
    const double n = (double)c->n, d = (double)c->d, p = norm_of(o), log_n = sp_log(n);
    const double kappa = p < 2.0 ? fmax(1.0, fmin(1.0 / (p - 1.0), 2.0 * sp_log(d))) : 1.0;
    const double extra = p < 2.0 ? 1.0 + sp_log(d) : 1.0;
    return 0.8 / sp_log(2.0) * sp_log(n * sp_budget_of(o)->epsilon /
                                      (sqrt(d * extra * sp_log(1.0 / sp_budget_of(o)->delta)) *
                                       sp_pow(kappa, 5.0 / 3.0) * log_n * log_n));
}

/* The printed noise multiplier of step t, in units of that of step 0. */
static double printed(const sp_constants *c, size_t t, double move)
{
    const double h = sp_rounds_step(t);
    return sp_hypot(h * c->L_data, (1.0 - h) * h * c->beta_data * c->diameter) / move;
}

static double distance(size_t d, const double *v, const double *w)
{
    double norm = 0.0;
    for (size_t j = 0; j < d; j++)
        norm = sp_hypot(norm, v[j] - w[j]);
    return norm;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const sp_budget *budget = sp_budget_of(o);
    const int d = (int)c->d;
    const sp_geometry l2 = sp_geometry_of(o, SP_GEOMETRY_L2);
    const sp_rounds s = sp_rounds_resolve(o, v, &l2, theory(o), 1, error);
    const double paper = 2.0 * sp_pow((double)d, 1.0 / norm_of(o) - 0.5) * sqrt(sp_log(1.0 / budget->delta)) /
                         budget->epsilon;
    double *previous = sp_alloc_doubles(c->d), *change = sp_alloc_doubles(c->d), *estimate = sp_alloc_doubles(c->d);
    double multiplier = 0.0;
    sp_output output = { 0 };
    size_t step = 0;
    sp_batch batch;

    if (!previous || !change || !estimate)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient estimate"));
    SP_TRY(sp_output_open(&output, o, sp_rounds_rule(v), s.steps));
    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_fresh(s.batch), .count = s.steps,
                                               .paper = paper }, 1, &multiplier));
    sp_domain_project(sp_domain_of(o), w);
    for (size_t r = 0; r < s.rounds; r++)
        for (size_t t = 0; t < (size_t)1 << r; t++) {
            const double h = sp_rounds_step(t), way = t == 0 ? 0.0 : distance(c->d, w, previous);
            const double move = sp_rounds_move(c->L_data, c->beta_data, way, t);
            const double scale = budget->paper ? printed(c, t, move) : 1.0;
            SP_TRY(sp_draw(o, sp_fresh(sp_rounds_batch(s.batch, t)), &batch));
            const sp_query query = sp_rounds_query(batch, t, move, w, previous);
            SP_TRY(sp_gradient(o, &query, multiplier * scale, change));
            cblas_dscal(d, 1.0 - h, estimate, 1);
            cblas_daxpy(d, 1.0, change, 1, estimate, 1);
            SP_TRY(sp_output_offer(&output, w, estimate));
            cblas_dcopy(d, w, 1, previous, 1);
            status = sp_domain_linear_minimise(sp_domain_of(o), estimate, change);
            if (status != SP_OK)
                SP_TRY(sp_refuse(o, status, "no least point of <v, G> over the domain: the released G is not finite"));
            cblas_dscal(d, 1.0 - h, w, 1);
            cblas_daxpy(d, h, change, 1, w, 1);
            SP_TRY(sp_checkpoint(o, ++step, w));
        }
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    free(estimate);
    free(change);
    free(previous);
    return status;
}

const sp_algorithm sp_algorithm_nsfw = {
    .name = "nsfw",
    .summary = "one-pass stochastic Frank-Wolfe with Gaussian noise on the gradient estimates",
    .when = "smooth losses, convex or not, over a ball of l_p, 1 < p <= 2, or another bounded domain: a small "
            "Frank-Wolfe gap of the population from one pass over 10^5 records or more; poly_sfw over vertices in many "
            "dimensions",
    .source = "Bassily, Guzman & Menart 2021, section 4.2",
    .releases = "2^R - 1 gradient estimates, each on m_t fresh records, t the step of its round and h_t = 1 / "
                "sqrt(t + 1); sensitivity 2 ((1 - h_t) min(beta_data ||w - w'||, 2 L_data) + h_t L_data) / m_t; each "
                "record is in one release",
    .uses = "parts/fits parts/geometry parts/output parts/rounds parts/theory",
    .params = params,
    .fits = sp_bounded_fits,
    .run = run,
};
