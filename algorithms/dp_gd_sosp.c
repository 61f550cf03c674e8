/*
 * dp_gd_sosp.c -- noisy gradient descent, then a private choice among its iterates, to find a second-order stationary
 * point.
 *
 *   w_{t+1} = Proj_W( w_t - eta (grad F(w_t) + N(0, s_g^2 I)) ),   t = 0 .. T-1,   s_g^2 = 2 L_data^2 T / (n^2 rho_A)
 *
 * and the output is one of K candidates (every `stride`-th of w_0 .. w_{T-1}), chosen by the smallest score
 *
 *   u(w) = max{ ||grad F(w)|| / alpha, -lambda_min(hess F(w)) / sqrt(rho_H alpha) };
 *
 * a point of score u has second-order level at most alpha max(u, u^2), where w has level a if ||grad F(w)|| <= a and
 * lambda_min(hess F(w)) >= -sqrt(rho_H a). rho_A is the gradients' part of the budget, rho_H the Lipschitz constant of
 * the Hessian. At eta = 1/beta the descent lemma gives
 *
 *   mean_t E||grad F(w_t)||^2 <= 2 beta gap / T + d s_g^2 = alpha^2 / 2
 *
 * for T = 8 beta gap / alpha^2 and alpha = (64 d L_data^2 beta gap / (n^2 rho_A))^(1/4), the defaults. So some w_t is
 * expected to have a gradient of norm at most alpha. Only the isotropic noise keeps these points from being saddles;
 * nothing is proved about it, so there is no guarantee. The choice:
 *
 *   em, svt   on all records, by the score without a release of its parts: parts/sosp.h
 *   gauss     at each candidate a Hessian B is released besides the gradient g, with noise of deviation s_h. The first
 *             candidate with ||g|| <= alpha + c_g and lambda_min(B) >= -sqrt(rho_H alpha) - c_h is the output and ends
 *             the run, with c_g = s_g (sqrt d + sqrt(2 ln(2 K / zeta))), c_h = s_h (sqrt(2 d) + sqrt(2 ln(4 K /
 *             zeta))): with probability 1 - zeta no candidate of score 1 is missed, and the one taken exceeds the two
 *             limits by at most 2 c_g and 2 c_h
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Wang, Chen & Xu 2019, as used for comparison by Wang & Xu 2020; em and svt: Lowy, Ullman & Wright 2024.
 * Privacy  (epsilon, delta), replace-one: T gradients of l2 sensitivity 2 L_data / n, and one choice that costs
 *          selection_share of rho_z, so rho_A = (1 - selection_share) rho_z; gauss: K Hessians of Frobenius sensitivity
 *          hf / n, hf the largest distance of two records' Hessians, for selection_share of rho = mu^2 / 2.
 * Differs  The published choice is gauss with a second set of gradients, which is not needed, and with noise that has
 *          s_h off the diagonal too (hessian_noise = paper, c_h times sqrt 2); the default em releases no Hessians,
 *          whose noise grows with sqrt K. The published constants are not given, so calibration = "paper" has no
 *          formula here.
 * Output   the chosen candidate. If none passed: with svt the last iterate, with gauss the candidate of the smallest
 *          released score. Both store passed, 1 or 0.
 * Cost     T n gradients; in addition em and svt K n gradients and K n d^2 for Hessians, gauss K n d^2; K d doubles of
 *          state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/sosp.h"
#include "algorithms/parts/theory.h"
#include "core/numeric/eigen.h"

#include <gsl/gsl_cblas.h>

enum { ALPHA, STEPS, ETA, SELECTION, SELECTION_SHARE, STRIDE, HESSIAN_NOISE, ZETA };
enum { EM, SVT, GAUSS };

static const sp_param params[] = {
    [ALPHA]     = { "alpha", SP_REAL, SP_DERIVED, SP_POSITIVE, "level of second-order stationarity that is sought; "
                    "default what the noise allows, or what `steps` are for" },
    [STEPS]     = { "steps", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default 8 beta gap / alpha^2" },
    [ETA]       = { "eta", SP_REAL, SP_DERIVED, SP_POSITIVE, "step size; default 1/beta" },
    [SELECTION] = { "selection", SP_CHOICE, EM, { 0, 0 }, "private choice of the answer: exponential mechanism, sparse "
                    "vector technique, or released Hessians as published",
                    "em|svt|gauss" },
    [SELECTION_SHARE] = { "selection_share", SP_REAL, 0.3, { 0.001, 0.9 }, "part of the budget for the choice" },
    [STRIDE]    = { "stride", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "steps from one candidate to the next; "
                    "default for at most 1000 candidates" },
    [HESSIAN_NOISE] = { "hessian_noise", SP_CHOICE, 0, { 0, 0 }, "gauss: noise of the Hessians; goe has less off "
                    "the diagonal", "goe|paper" },
    [ZETA]      = { "zeta", SP_REAL, 0.05, { 1e-12, 0.5 }, "failure probability of the choice" },
    { 0 }
};

static const char *fits(const sp_constants *c)
{
    const char *misfit = sp_sosp_fits(c);
    if (misfit || sp_positive_gap_fits(c))
        return misfit ? misfit : sp_positive_gap_fits(c);
    return isfinite(c->hessian_frobenius) ? NULL : "the records' Hessians are not bounded (hessian_frobenius)";
}

typedef struct state {
    sp_oracle *o;
    sp_sosp choice;        /* its rule is none for gauss */
    bool gauss, mirrored;
    double eta, c_g, c_h;
    double multiplier[2];  /* of the noise: a gradient's, a Hessian's */
    double *w, *g, *best;  /* d; best: gauss: the candidate of the smallest released score so far */
    double *B;             /* d x d */
    double smallest;       /* that score */
    size_t taken;          /* updates */
    bool passed;           /* gauss */
} state;

static sp_status resolve(state *a, const sp_values *v)
{
    sp_status status = SP_OK;
    sp_oracle *o = a->o;
    sp_sosp *s = &a->choice;
    const sp_constants *c = sp_public(o);
    const sp_budget *b = sp_budget_of(o);
    const double n = (double)c->n, share = sp_real(v, SELECTION_SHARE), given = (double)sp_count(v, STEPS);
    const double rho_A = (1.0 - share) * (a->gauss ? b->rho : b->rho_z);
    const double theory = sqrt(8.0 * c->L_data / n * sqrt((double)c->d * c->beta * c->gap / rho_A));
    size_t steps = sp_count(v, STEPS);
    a->eta = sp_given(v, ETA) ? sp_real(v, ETA) : 1.0 / c->beta;
    s->alpha = sp_given(v, ALPHA)   ? sp_real(v, ALPHA)
               : sp_given(v, STEPS) ? sqrt(8.0 * c->beta * c->gap / given)
                                    : theory;
    const double exact = 8.0 * c->beta * c->gap / (s->alpha * s->alpha);
    if (sp_given(v, ALPHA) && !sp_given(v, STEPS) && !(exact <= SP_STEPS_MAX))
        SP_TRY(sp_refuse(o, SP_EINVAL, "alpha = %g takes %g steps", s->alpha, exact));
    if (!sp_given(v, STEPS))
        SP_TRY(sp_derive_steps(o, exact, &steps));
    s->steps = (double)steps;
    s->stride = sp_given(v, STRIDE) ? (double)sp_count(v, STRIDE) : ceil(s->steps / SP_SOSP_CANDIDATES);
    sp_sosp_divide(s, o, false, share);
    sp_resolved(o, "alpha", s->alpha, sp_given(v, ALPHA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "steps", s->steps, sp_given(v, STEPS) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "eta", a->eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "stride", s->stride, sp_given(v, STRIDE) ? SP_FROM_USER : SP_FROM_CAP);
cleanup:
    return status;
}

static sp_status calibrate(state *a, const sp_values *v)
{
    sp_status status = SP_OK;
    const sp_sosp *s = &a->choice;
    const sp_constants *c = sp_public(a->o);
    const double share = sp_real(v, SELECTION_SHARE), d = (double)c->d, K = ceil(s->steps / s->stride);
    const sp_release_plan plan[2] = {
        { .kind = SP_GRADIENT, .sample = sp_full(), .count = (size_t)s->steps, .share = 1.0 - share },
        a->gauss ? (sp_release_plan){ .kind = SP_HESSIAN, .sample = sp_full(), .count = (size_t)K, .share = share }
                 : sp_sosp_release(s),
    };
    SP_TRY(sp_calibrate(a->o, plan, 2, a->multiplier));
    a->c_g = a->multiplier[0] * 2.0 * c->L_data / (double)c->n * (sqrt(d) + sqrt(2.0 * sp_log(2.0 * K / s->zeta)));
    a->c_h = a->multiplier[1] * c->hessian_frobenius / (double)c->n *
             (sqrt(2.0 * d) + sqrt(2.0 * sp_log(4.0 * K / s->zeta))) * (a->mirrored ? M_SQRT2 : 1.0);
    const double curvature = sqrt(c->rho_hessian * s->alpha) + 2.0 * a->c_h;
    sp_promise(a->o, false, a->gauss ? fmax(s->alpha + 2.0 * a->c_g, curvature * curvature / c->rho_hessian)
                                     : sp_sosp_bound(s, c), sp_level_at_start(c));
cleanup:
    return status;
}

/* gauss: the candidate w, whose gradient g was released. */
static sp_status judge(state *a)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(a->o);
    const double alpha = a->choice.alpha, curvature = sqrt(sp_public(a->o)->rho_hessian * alpha);
    double lambda = NAN;
    sp_batch all;
    SP_TRY(sp_draw(a->o, sp_full(), &all));
    SP_TRY((a->mirrored ? sp_hessian_mirrored : sp_hessian)(a->o, all, a->w, a->multiplier[1], a->B));
    status = sp_eigen_smallest(d, a->B, &lambda, NULL);
    if (status != SP_OK)
        SP_TRY(sp_refuse(a->o, status, "the released Hessian has no eigenvalue"));
    const double norm = cblas_dnrm2((int)d, a->g, 1), score = fmax(norm / alpha, -lambda / curvature);
    if (score < a->smallest) {
        a->smallest = score;
        memcpy(a->best, a->w, d * sizeof *a->w);
    }
    a->passed = norm <= alpha + a->c_g && lambda >= -curvature - a->c_h;
cleanup:
    return status;
}

/* w_t, the candidate if it is its turn, and the update. */
static sp_status step(state *a, size_t t)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(a->o);
    sp_batch all;
    SP_TRY(sp_draw(a->o, sp_full(), &all));
    SP_TRY(sp_gradient(a->o, &SP_AT(all, a->w), a->multiplier[0], a->g));
    if (a->gauss && t % (size_t)a->choice.stride == 0)
        SP_TRY(judge(a));
    if (a->passed)
        return SP_OK;
    if (!a->gauss)
        sp_sosp_offer(&a->choice, t, a->w);
    cblas_daxpy((int)d, -a->eta, a->g, 1, a->w, 1);
    sp_domain_project(sp_domain_of(a->o), a->w);
    SP_TRY(sp_checkpoint(a->o, ++a->taken, a->w));
cleanup:
    return status;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(o), rule = sp_choice(v, SELECTION);
    static const sp_sosp_rule rules[] = { [EM] = SP_SOSP_EM, [SVT] = SP_SOSP_SVT, [GAUSS] = SP_SOSP_NONE };
    double *memory = sp_alloc(d + 2, d * sizeof *memory);
    state a = { .o = o, .gauss = rule == GAUSS, .mirrored = sp_choice(v, HESSIAN_NOISE) == 1, .w = w,
                .choice = { .rule = rules[rule], .zeta = sp_real(v, ZETA) }, .smallest = INFINITY };
    if (!memory)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for a Hessian of d = %zu", d));
    a.g = memory;
    a.best = memory + d;
    a.B = memory + 2 * d;
    SP_TRY(resolve(&a, v));
    SP_TRY(sp_sosp_open(&a.choice, o));
    SP_TRY(calibrate(&a, v));
    for (size_t t = 0; !a.passed && t < (size_t)a.choice.steps; t++)
        SP_TRY(step(&a, t));
    if (a.gauss) {
        sp_resolved(o, "passed", a.passed, SP_FROM_THEORY);
        if (!a.passed) {
            memcpy(w, a.best, d * sizeof *w);
            sp_warn_of(o, SP_WARNED_UNCERTIFIED,
                       "uncertified: no candidate passed; that of the smallest released score, %.3g, is returned",
                       a.smallest);
        }
    }
    SP_TRY(sp_sosp_choose(&a.choice, w));
    SP_TRY(sp_checkpoint(o, a.taken + 1, w));
cleanup:
    free(a.choice.list);
    free(memory);
    return status;
}

const sp_algorithm sp_algorithm_dp_gd_sosp = {
    .name = "dp_gd_sosp",
    .summary = "noisy gradient descent and a private choice of a second-order stationary point among its iterates",
    .when = "the baseline where saddles matter; no theorem says that its noise leaves them: spider_sosp with escape = "
            "hessian and dp_tr have one",
    .source = "Wang, Chen & Xu 2019; Wang & Xu 2020; Lowy, Ullman & Wright 2024",
    .releases = "T gradients of all records, sensitivity 2 L_data / n; one choice among the iterates, or at most T "
                "Hessians, Frobenius sensitivity hessian_frobenius / n",
    .uses = "parts/fits parts/sosp parts/theory",
    .params = params,
    .fits = fits,
    .run = run,
};
