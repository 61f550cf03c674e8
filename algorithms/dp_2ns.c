/*
 * dp_2ns.c -- private search for an approximate second-order stationary point (Gao & Wright 2023): a w with
 * ||grad F(w)|| <= alpha and lambda_min(hess F(w)) >= -sqrt(rho_H alpha), rho_H the Lipschitz constant of the Hessian.
 *
 *   g = grad F(w) + N(0, s_g^2 I)
 *   if ||g|| > e_g:  w <- Proj_W( w - s g ),  s = 1/beta, or longer by a search
 *   else             B = hess F(w) + symmetric noise of deviation s_h;  (lambda, u) its smallest eigenpair, <u, g> <= 0
 *                    if lambda > -e_H: stop, w is the output and passed = 1
 *                    w <- Proj_W( w + s u ),  s = 2 |lambda| / rho_H, or longer by a search
 *
 * for at most T steps and n_H Hessians. All levels follow from alpha, with a constant c = 1/12:
 *
 *   e_H = sqrt(rho_H alpha) / (1 + c),   a_g = c e_H^2 / rho_H,   a_h = c e_H,   e_g = alpha - a_g.
 *
 * Suppose that the error of every released gradient is at most a_g in norm and that of every Hessian at most a_h. If
 * the run stops by itself, then ||grad F|| <= e_g + a_g and lambda_min(hess F) >= -e_H - a_h: w has level alpha.
 * Without a search, a step along -g lowers F by at least fall_g = (1/2 - a_g / e_g) e_g^2 / beta, since it lowers F by
 * at least (||g||^2 - a_g ||g||) / beta - ||g||^2 / (2 beta). A step along u with |lambda| >= e_H changes F by at most
 *
 *   s a_g - (|lambda| - a_h) s^2 / 2 + rho_H s^3 / 6 <= -fall_h,   fall_h = 2 (1/3 - 2 c) e_H^3 / rho_H^2.
 *
 * F can fall by at most gap = F(w0) - F*, which gives n_H = 1 + floor(gap / fall_h) and T = n_H + ceil(gap / fall_g).
 *
 * Search (parameter `search`, default em). The candidates are steps s_i = 10 r^i s_0, down to s_0. With gradients
 * whose error is at most a_g, exact Hessians up to a_h, and q = 1 - c - .25, the step s_0 lowers F by at least
 *
 *   along -g:  .6 s_0 ||g||^2,         r = .6,   s_0 = 2 (1 - a_g / e_g - .6) / beta;
 *   along u:   .25 s_0^2 |lambda| / 2,  r = .2,   s_0 = (3 q + sqrt(9 q^2 - 24 c)) / 2 |lambda| / rho_H.
 *
 *   em    the exponential mechanism picks among all candidates and the step of no search by F
 *   svt   AboveThreshold picks the first s_i that, up to its noise, lowers F by .6 s_i ||g||^2 or .25 s_i^2 |lambda| /
 *         2; if none does, the step of no search is taken
 *
 * With a search there is no guarantee: the mechanisms' noise can pick a step that lowers F by less than fall_g or
 * fall_h.
 *
 * Noise. rho_A is the part of the budget, in zCDP, that is left for gradients and Hessians: all of it without a search,
 * otherwise 1 - search_share of the zCDP budget rho_z. theta is the gradients' part of rho_A. hf is the largest
 * Frobenius distance of two records' Hessians. Then
 *
 *   s_g = (2 L_data / n) sqrt(T / (2 theta rho_A)),   s_h = (hf / n) sqrt(n_H / (2 (1 - theta) rho_A)),
 *
 * and with probability 1 - zeta all gradients' errors are at most s_g (sqrt d + sqrt(2 ln(2 T/zeta))) and all Hessians'
 * at most s_h (sqrt(2 d) + sqrt(2 ln(4 n_H/zeta))). The default alpha is the smallest for which these are within a_g
 * and a_h for some theta. As T ~ 1 / alpha^2 and n_H ~ 1 / alpha^(3/2), its rate is
 * (sqrt d / (n sqrt rho))^(1/2) + (hf sqrt d / (n sqrt rho))^(4/5).
 *
 * The guarantee, with probability 1 - zeta: search = none, the domain is the whole space, T is not cut by steps_max,
 * and the noise is within a_g and a_h. Otherwise a warning says which of these fails, or no bound is recorded.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Gao & Wright 2023.
 * Privacy  (epsilon, delta), replace-one: T gradients of l2 sensitivity 2 L_data / n; n_H Hessians of Frobenius
 *          sensitivity hf / n; with a search T choices by losses, each clipped to +-L_data ||s g||, which together cost
 *          search_share of rho_z. When the run stops depends on released values only.
 * Differs  Gradients and Hessians are counted apart; the published program pays for a gradient, a Hessian and a search
 *          at each of T + 1 steps. The paper prints a_g / e_g = .3, but a step along u needs the smaller a_g above; so
 *          e_g is larger here and T a third. em is ours: its zCDP cost is a quarter of svt's. The published search uses
 *          the smoothness in place of the Lipschitz constant in the sensitivity of a step along u, and e_H in place of
 *          e_H^3 in the decrease of such a step. hf comes from the loss. calibration = "paper" has no formula here.
 * Output   the point at which it stopped; without a stop the last iterate, a warning, and passed = 0.
 * Cost     at most T n gradients, n_H n d^2 for the Hessians, n_H d^3; with a search up to 8 n losses a step; d^2
 *          doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/sosp.h"
#include "algorithms/parts/theory.h"
#include "algorithms/parts/trust_steps.h"
#include "core/numeric/eigen.h"

#include <gsl/gsl_cblas.h>

enum { ALPHA, THETA, STEPS_MAX, SEARCH, SEARCH_SHARE, ZETA };
enum { EM, SVT, NONE };
enum { CANDIDATES_MAX = 8 };

static const sp_param params[] = {
    [ALPHA]     = { "alpha", SP_REAL, SP_DERIVED, SP_POSITIVE, "level of second-order stationarity that is sought; "
                    "default the smallest that the noise allows, without a budget 1/100 of the level at the start" },
    [THETA]     = { "theta", SP_REAL, SP_DERIVED, { 0.001, 0.999 }, "gradients' share of what the search leaves; "
                    "default: best" },
    [STEPS_MAX] = { "steps_max", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "steps T at most; default by theory" },
    [SEARCH]    = { "search", SP_CHOICE, EM, { 0, 0 }, "of a longer step: by the exponential mechanism, by the sparse "
                    "vector technique as published, or none, which alone has a guarantee", "em|svt|none" },
    [SEARCH_SHARE] = { "search_share", SP_REAL, 0.2, { 0.001, 0.9 }, "part of the budget for the searches" },
    [ZETA]      = { "zeta", SP_REAL, 0.05, { 1e-12, 0.5 }, "probability that the guarantee may fail with" },
    { 0 }
};

static const double c = 1.0 / 12.0;                    /* a_h / e_H, and a_g rho_H / e_H^2 */
static const double asked_g = 0.6, asked_h = 0.25;     /* what a searched step lowers F by, of its unit */
static const double longest = 10.0;                    /* s_i / s_0 at most */
static const double exact_alpha = 0.01;                /* without a budget, of the level at the start */
static const double least_share = 0.001;               /* of gradients or Hessians that hardly need any */

/* All that follows from alpha. */
typedef struct schedule {
    double alpha, e_g, e_H, a_g;
    double steps, hessians;  /* T, n_H */
    double theta;
    bool reached;            /* the noise is within a_g and a_h */
} schedule;

typedef struct state {
    sp_oracle *o;
    const sp_values *values;
    schedule s;
    size_t search;
    double rho;              /* rho_A */
    double epsilon;          /* of one choice */
    double multiplier[3];    /* of the noise: a gradient's, a Hessian's; a choice has none */
    double *w, *g, *u;       /* d */
    double *list;            /* CANDIDATES_MAX x d */
    double *B;               /* d x d */
    size_t hessians;         /* so far */
    bool passed, spent;      /* stopped by itself; for want of another Hessian */
} state;

/* What gradients and Hessians err by at most, of noise with these multipliers. */
static void noise_errors(const state *a, const schedule *s, const double *multiplier, double *error)
{
    const sp_constants *k = sp_public(a->o);
    const double d = (double)k->d, n = (double)k->n, zeta = sp_real(a->values, ZETA);
    error[0] = multiplier[0] * 2.0 * k->L_data / n * (sqrt(d) + sqrt(2.0 * sp_log(2.0 * s->steps / zeta)));
    error[1] = multiplier[1] * k->hessian_frobenius / n *
               (sqrt(2.0 * d) + sqrt(2.0 * sp_log(4.0 * s->hessians / zeta)));
}

/* T and n_H at most, by the gap. */
static void count(const sp_constants *k, const schedule *s, double *steps, double *hessians)
{
    const double fall_h = 2.0 * (1.0 / 3.0 - 2.0 * c) * s->e_H * s->e_H * s->e_H / (k->rho_hessian * k->rho_hessian);
    const double fall_g = (0.5 - s->a_g / s->e_g) * s->e_g * s->e_g / k->beta;
    *hessians = 1.0 + floor(k->gap / fall_h);
    *steps = *hessians + ceil(k->gap / fall_g);
}

static void plan_at(const state *a, double alpha, schedule *s)
{
    const sp_constants *k = sp_public(a->o);
    const double e_H = sqrt(k->rho_hessian * alpha) / (1.0 + c), a_g = c * e_H * e_H / k->rho_hessian;
    double error[2];
    *s = (schedule){ .alpha = alpha, .e_H = e_H, .a_g = a_g, .e_g = alpha - a_g };
    count(k, s, &s->steps, &s->hessians);
    if (sp_given(a->values, STEPS_MAX))
        s->steps = (double)sp_count(a->values, STEPS_MAX);
    s->hessians = fmin(s->hessians, s->steps);
    /* the parts of the budget that would do for each */
    const double whole[2] = { sqrt(s->steps / (2.0 * a->rho)), sqrt(s->hessians / (2.0 * a->rho)) };
    noise_errors(a, s, whole, error);
    const double need_g = sp_pow(error[0] / a_g, 2.0), need_h = sp_pow(error[1] / (c * e_H), 2.0);
    const double sum = need_g + need_h, best = sum > 0.0 ? need_g / sum : 0.5;
    s->theta = sp_given(a->values, THETA) ? sp_real(a->values, THETA)
                                          : fmax(least_share, fmin(best, 1.0 - least_share));
    s->reached = need_g <= s->theta && need_h <= 1.0 - s->theta;
}

static bool reached_at(void *context, double alpha)
{
    schedule s;
    plan_at(context, alpha, &s);
    return s.reached;
}

static sp_status resolve(state *a)
{
    sp_status status = SP_OK;
    sp_oracle *o = a->o;
    const sp_budget *b = sp_budget_of(o);
    const double top = sp_level_at_start(sp_public(o)), share = sp_real(a->values, SEARCH_SHARE);
    const bool given = sp_given(a->values, ALPHA), budget = isfinite(b->rho);
    a->rho = a->search == NONE ? b->rho : (1.0 - share) * b->rho_z;
    const double alpha = given    ? sp_real(a->values, ALPHA)
                         : budget ? sp_smallest_level(top, reached_at, a)
                                  : exact_alpha * top;
    plan_at(a, alpha, &a->s);
    if (!(a->s.steps <= SP_STEPS_MAX))
        SP_TRY(sp_refuse(o, SP_EINVAL, "alpha = %g takes up to %g steps", alpha, a->s.steps));
    a->epsilon = sqrt((a->search == EM ? 8.0 : 2.0) * share * b->rho_z / a->s.steps);
    sp_resolved(o, "alpha", alpha, given          ? SP_FROM_USER
                                   : !budget      ? SP_FROM_THEORY
                                   : a->s.reached ? SP_FROM_BALANCE
                                                  : SP_FROM_CAP);
    sp_resolved(o, "steps_max", a->s.steps, sp_given(a->values, STEPS_MAX) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "theta", a->s.theta, sp_given(a->values, THETA) ? SP_FROM_USER : SP_FROM_BALANCE);
cleanup:
    return status;
}

static sp_status calibrate(state *a)
{
    const sp_release_plan plan[] = {
        { .kind = SP_GRADIENT, .sample = sp_full(), .count = (size_t)a->s.steps, .share = a->s.theta },
        { .kind = SP_HESSIAN, .sample = sp_full(), .count = (size_t)a->s.hessians, .share = 1.0 - a->s.theta },
        { .kind = SP_SELECTION, .sample = sp_full(), .count = (size_t)a->s.steps, .epsilon = a->epsilon,
          .chooser = a->search == EM ? SP_CHOOSE_EXPONENTIAL : SP_CHOOSE_ABOVE_THRESHOLD },
    };
    return sp_calibrate(a->o, plan, a->search == NONE ? 2 : 3, a->multiplier);
}

/* Known after the calibration: the bound, or why there is none. */
static void promise(const state *a)
{
    sp_oracle *o = a->o;
    const schedule *s = &a->s;
    const double start = sp_level_at_start(sp_public(o)), room = 1.0 + 1e-6, a_h = c * s->e_H;
    double error[2], steps, hessians;
    noise_errors(a, s, a->multiplier, error);
    count(sp_public(o), s, &steps, &hessians);
    if (!(error[0] <= s->a_g * room && error[1] <= a_h * room))
        sp_warn_of(o, SP_WARNED_VACUOUS_PARAMETERS,
                   "vacuous parameters: by their noise gradients err by up to %.3g and Hessians by %.3g, where alpha = "
                   "%.3g bears %.3g and %.3g", error[0], error[1], s->alpha, s->a_g, a_h);
    else if (s->steps < steps)
        sp_warn_of(o, SP_WARNED_UNCERTIFIED_PARAMETERS,
                   "uncertified parameters: alpha = %.3g may take %g steps, steps_max is %g", s->alpha, steps,
                   s->steps);
    else if (a->search == NONE)
        sp_promise(o, sp_domain_of(o)->kind == SP_DOMAIN_SPACE, s->alpha, start);
}

/* w <- Proj( w + s v ) with the step s of no search; of unit steps what a search asks is `asked` s^power. */
typedef struct way {
    const double *v;     /* d */
    double plain, base;  /* s; s_0 */
    double shorter;      /* r */
    double asked, power;
} way;

static void go(const state *a, const way *x, double s, double *out)
{
    const int d = (int)sp_dimension(a->o);
    if (out != a->w)
        cblas_dcopy(d, a->w, 1, out, 1);
    cblas_daxpy(d, s, x->v, 1, out, 1);
    sp_domain_project(sp_domain_of(a->o), out);
}

static sp_status move(state *a, const way *x)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(a->o);
    double offset[CANDIDATES_MAX];
    size_t count = 0, index;
    sp_batch all;
    if (a->search == NONE) {
        go(a, x, x->plain, a->w);
        return SP_OK;
    }
    for (double s = longest * x->base; count + 2 < CANDIDATES_MAX && s > x->base * 1.001; s *= x->shorter) {
        offset[count] = x->asked * sp_pow(s, x->power);
        go(a, x, s, a->list + count++ * d);
    }
    offset[count] = x->asked * sp_pow(x->base, x->power);
    go(a, x, x->base, a->list + count++ * d);
    if (a->search == EM)
        go(a, x, x->plain, a->list + count++ * d);
    const sp_space space = { .kind = SP_SPACE_LIST, .count = count, .points = a->list };
    const sp_score score = { .kind = SP_SCORE_LOSS, .reference = a->w, .offset = a->search == SVT ? offset : NULL };
    SP_TRY(sp_draw(a->o, sp_full(), &all));
    SP_TRY(sp_choose(a->o, all, &space, &score, a->search == EM ? SP_CHOOSE_EXPONENTIAL : SP_CHOOSE_ABOVE_THRESHOLD,
                     a->epsilon, a->w, &index));
    if (index == count)
        go(a, x, x->plain, a->w);
cleanup:
    return status;
}

/* Along negative curvature, or the end. */
static sp_status bend(state *a)
{
    sp_status status = SP_OK;
    const int d = (int)sp_dimension(a->o);
    const double q = 1.0 - c - asked_h, rho_H = sp_public(a->o)->rho_hessian;
    double lambda = NAN;
    sp_batch all;
    if ((a->spent = (double)a->hessians >= a->s.hessians))
        return SP_OK;
    SP_TRY(sp_draw(a->o, sp_full(), &all));
    SP_TRY(sp_hessian(a->o, all, a->w, a->multiplier[1], a->B));
    a->hessians++;
    status = sp_eigen_smallest((size_t)d, a->B, &lambda, a->u);
    if (status != SP_OK)
        SP_TRY(sp_refuse(a->o, status, "the released Hessian has no eigenvalue"));
    a->passed = lambda > -a->s.e_H;
    if (a->passed)
        return SP_OK;
    if (cblas_ddot(d, a->u, 1, a->g, 1) > 0.0)
        cblas_dscal(d, -1.0, a->u, 1);
    SP_TRY(move(a, &(way){ .v = a->u, .plain = 2.0 * -lambda / rho_H, .shorter = 0.2, .asked = asked_h / 2.0 * -lambda,
                           .power = 2.0, .base = (3.0 * q + sqrt(9.0 * q * q - 24.0 * c)) / 2.0 * -lambda / rho_H }));
cleanup:
    return status;
}

static sp_status step(state *a)
{
    sp_status status = SP_OK;
    const schedule *s = &a->s;
    const int d = (int)sp_dimension(a->o);
    const double beta = sp_public(a->o)->beta;
    sp_batch all;
    SP_TRY(sp_draw(a->o, sp_full(), &all));
    SP_TRY(sp_gradient(a->o, &SP_AT(all, a->w), a->multiplier[0], a->g));
    const double norm = cblas_dnrm2(d, a->g, 1);
    if (!(norm > s->e_g))
        return bend(a);
    cblas_dscal(d, -1.0, a->g, 1);
    SP_TRY(move(a, &(way){ .v = a->g, .plain = 1.0 / beta, .base = 2.0 * (1.0 - s->a_g / s->e_g - asked_g) / beta,
                           .shorter = 0.6, .asked = asked_g * norm * norm, .power = 1.0 }));
cleanup:
    return status;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(o);
    double *memory = sp_alloc(2 + CANDIDATES_MAX + d, d * sizeof *memory);
    size_t taken = 0;
    state a = { .o = o, .values = v, .search = sp_choice(v, SEARCH), .w = w, .g = memory };
    if (!memory)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for a Hessian of d = %zu", d));
    a.u = a.g + d;
    a.list = a.u + d;
    a.B = a.list + CANDIDATES_MAX * d;
    SP_TRY(resolve(&a));
    SP_TRY(calibrate(&a));
    promise(&a);
    while (!a.passed && !a.spent && (double)taken < a.s.steps) {
        SP_TRY(step(&a));
        SP_TRY(sp_checkpoint(o, ++taken, w));
    }
    if (!a.passed)
        sp_warn_of(o, SP_WARNED_UNCERTIFIED,
                   "uncertified: no point passed in %zu steps and %zu Hessians; the last one is returned", taken,
                   a.hessians);
    sp_resolved(o, "passed", a.passed, SP_FROM_THEORY);
    SP_TRY(sp_checkpoint(o, taken + 1, w));
cleanup:
    free(memory);
    return status;
}

const sp_algorithm sp_algorithm_dp_2ns = {
    .name = "dp_2ns",
    .summary = "descent with line search and steps along negative curvature: second-order stationary points",
    .when = "a certificate of second-order stationarity is wanted, d up to some tens and the Hessian is Lipschitz: it "
            "stops where it has one, which search = none guarantees; dp_tr goes on to a smaller gradient",
    .source = "Gao & Wright 2023",
    .releases = "at most T gradients of all records, sensitivity 2 L_data / n, n_H Hessians, Frobenius sensitivity "
                "hessian_frobenius / n, and T choices among steps by their loss",
    .uses = "parts/fits parts/sosp parts/theory parts/trust_steps",
    .params = params,
    .follows_answers = true,
    .fits = sp_noisy_trust_fits,
    .run = run,
};
