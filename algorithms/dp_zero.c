/*
 * dp_zero.c -- zeroth-order descent: each step releases one noisy number, the slope of F along a random direction.
 *
 *   u ~ N(0, I), of public coins;   w <- Proj_W( w - eta (c + N(0, s^2)) u ),   T times
 *   c = mean over the records of the slope (f(w + h u) - f(w - h u)) / (2 h), clipped to +-min(C, L_data ||u||)
 *
 * A slope equals <u, grad f> up to order h^2, and is at most L_data ||u|| if L_data is correct. <u, grad f> is normal
 * with deviation at most L_data, so of all n T slopes at most 1/2 is expected beyond C = L_data sqrt(2 ln(4 n T)), and
 * clipping is negligible compared with the noise. Let H0 be a matrix with hess F <= H0 everywhere, and tr(H0) = r beta.
 * In the limit of small h, without clipping,
 *
 *   E[F(w_{t+1}) - F(w_t)] <= -eta ||g||^2 + (eta^2 / 2) (||g||^2 tr(H0) + 2 g'H0 g + s^2 tr(H0)),   g = grad F(w_t),
 *
 * because E[<u, g>^2 u'H0 u] is the sum of the first two terms in parentheses. So with eta <= 1 / ((r + 2) beta), gap
 * >= F(w_0) - F*,
 *
 *   mean_t E||grad F(w_t)||^2 <= 2 gap / (eta T) + eta s^2 r beta,
 *
 * where s <= C sqrt(2 T / rho) / n, rho the budget. At eta = sqrt(2 gap / (r beta T)) / s that is 4 C sqrt(gap r beta /
 * rho) / n, for every T >= (r + 2) beta n sqrt(gap rho / (r beta)) / C, for which that eta is small enough.
 *
 * r is at most d. For a GLM without a regulariser r = 1, since tr(x x') = ||x||^2, and d does not appear in the bound.
 * This is no gain over gradients: by the same lemma dp_gd has this bound with L_data in place of C.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Zhang, Li, Thekumparampil, Oh & He 2024 (DPZero, arXiv 2310.09639).
 * Privacy  (epsilon, delta), replace-one: T Gaussian releases of a number, sensitivity 2 min(C, L_data ||u||) / n.
 * Differs  Slopes are cut to L_data ||u|| where that is less than C, with as much less noise. Noise comes from the
 *          accountant; the paper's code has sqrt(b) times too much for a batch of b. On a bounded domain w +- h u may
 *          be outside by h ||u||. With storage = "moments" no single record can be clipped, so C must be large.
 * Output   w_J, J uniform over the iterates at which a slope was released, unless `select` says otherwise; select =
 *          min_release uses |c| ||u||.
 * Cost     2 T n losses, 5 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/theory.h"
#include "core/numeric/normal.h"

#include <gsl/gsl_cblas.h>

enum { ETA, STEPS, RANK, CLIP, WIDTH, SELECT };

static const sp_param params[] = {
    [ETA]    = { "eta",    SP_REAL,   SP_DERIVED, SP_POSITIVE,         "step size; default minimises the bound" },
    [STEPS]  = { "steps",  SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default from where the bound does "
                                                                       "not depend on it" },
    [RANK]   = { "rank",   SP_REAL,   SP_DERIVED, { 1, DBL_MAX },      "r, tr(H0) / beta; default 1 of a GLM without "
                                                                       "a regulariser, else d" },
    [CLIP]   = { "clip",   SP_REAL,   SP_DERIVED, SP_POSITIVE,         "C; default L_data sqrt(2 ln(4 n T))" },
    [WIDTH]  = { "h",      SP_REAL,   1e-3,       SP_POSITIVE,         "half the way between two losses, over ||u||" },
    [SELECT] = { "select", SP_CHOICE, SP_OUTPUT_UNIFORM, { 0, 0 },     "which iterate is returned", SP_OUTPUTS },
    { 0 }
};

typedef struct schedule {
    double rank, steps, clip, eta, bound;
} schedule;

static double clip_for(const sp_constants *c, double steps)
{
    return c->L_data * sqrt(2.0 * sp_log(4.0 * (double)c->n * steps));
}

static double rank_of(const sp_constants *c, const sp_values *v)
{
    return sp_given(v, RANK) ? sp_real(v, RANK) : c->glm && c->beta == c->beta_data ? 1.0 : (double)c->d;
}

/* T before rounding; C is that of the T which C = L_data would give, no smaller than its own. */
static double steps_of(const sp_constants *c, const sp_values *v, double rho)
{
    const double r = rank_of(c, v), least = (r + 2.0) * c->beta * (double)c->n * sqrt(c->gap * rho / (r * c->beta));
    return least / (sp_given(v, CLIP) ? sp_real(v, CLIP) : clip_for(c, fmax(least / c->L_data, 1.0)));
}

static schedule resolve(const sp_constants *c, const sp_values *v, double rho, double steps)
{
    schedule s = { .rank = rank_of(c, v), .steps = steps };
    s.clip = sp_given(v, CLIP) ? sp_real(v, CLIP) : clip_for(c, steps);
    const double noise_std = s.clip * sqrt(2.0 * steps / rho) / (double)c->n;
    const double longest = 1.0 / ((s.rank + 2.0) * c->beta);
    const double best = sqrt(2.0 * c->gap / (s.rank * c->beta * steps)) / noise_std;
    s.eta = sp_given(v, ETA) ? sp_real(v, ETA) : fmin(best, longest);
    s.bound = s.eta <= longest ? sqrt(2.0 * c->gap / (s.eta * steps) + s.eta * noise_std * noise_std * s.rank * c->beta)
                               : INFINITY;
    return s;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const double rho = sp_budget_of(o)->rho, h = sp_real(v, WIDTH);
    const size_t d = c->d;
    double multiplier = 0.0, slope = 0.0, *u = sp_alloc(d, 3 * sizeof *u), *ahead = u + d, *behind = ahead + d;
    size_t steps = sp_count(v, STEPS);
    sp_output output = { 0 };
    sp_query query = { .terms = 2, .term = { { 0.5 / h, ahead }, { -0.5 / h, behind } } };

    if (!u)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for %zu dimensions", d));
    if (!sp_given(v, STEPS))
        SP_TRY(sp_derive_steps(o, steps_of(c, v, rho), &steps));
    const schedule s = resolve(c, v, rho, (double)steps);
    sp_resolved(o, "steps", s.steps, sp_given(v, STEPS) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "eta", s.eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "rank", s.rank, sp_given(v, RANK) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "clip", s.clip, sp_given(v, CLIP) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_predict(o, (sp_output_rule)sp_choice(v, SELECT), s.bound, sp_gradient_at_start(c));
    SP_TRY(sp_output_open(&output, o, (sp_output_rule)sp_choice(v, SELECT), steps));

    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_MEAN_LOSS, .sample = sp_full(), .count = steps }, 1,
                        &multiplier));
    SP_TRY(sp_draw(o, sp_full(), &query.batch));
    for (size_t t = 1; t <= steps; t++) {
        sp_stream_key key;
        const uint64_t step = sp_stream_step(sp_coins(o), &key);
        memset(u, 0, d * sizeof *u);
        sp_normal_add(key, step, 0, d, 1.0, u);
        for (size_t j = 0; j < d; j++) {
            ahead[j] = w[j] + h * u[j];
            behind[j] = w[j] - h * u[j];
        }
        query.bound = fmin(s.clip, c->L_data * cblas_dnrm2((int)d, u, 1));
        SP_TRY(sp_mean_loss(o, &query, multiplier, &slope));
        cblas_dscal((int)d, slope, u, 1);
        SP_TRY(sp_output_offer(&output, w, u));
        cblas_daxpy((int)d, -s.eta, u, 1, w, 1);
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t, w));
    }
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    free(u);
    return status;
}

const sp_algorithm sp_algorithm_dp_zero = {
    .name = "dp_zero",
    .summary = "descent from losses alone, without gradients: a noisy slope along a random direction a step",
    .when = "gradients cannot be had; its freedom from d on GLMs is dp_gd's as well, which leaves less",
    .source = "Zhang, Li, Thekumparampil, Oh & He 2024 (DPZero)",
    .releases = "T mean slopes along public directions u, a number each, sensitivity 2 min(C, L_data ||u||) / n",
    .uses = "parts/fits parts/output parts/theory",
    .params = params,
    .fits = sp_positive_gap_fits,
    .run = run,
};
