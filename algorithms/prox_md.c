/*
 * prox_md.c -- approximate proximal steps on fresh records, each by private mirror descent; for weakly convex losses.
 *
 *   for r = 1..R:  w_(r+1) = sc_dpmd(m = floor(n/R) fresh records, w_r),  nearly  argmin_W F + (B/2) ||. - w_r||_p^2
 *
 * F + (rho_w/2) ||.||^2 is convex, kappa = 1 / (p - 1), B = 2 rho_w kappa. sc_dpmd is mirror descent about w_r with the
 * mirror map h(w) = (kappa/2) ||w - w_r||_p^2, which is 1-strongly convex. The proximal term is 2 rho_w h, and each
 * update treats it exactly:
 *
 *   v = w_r;  for t = 1..T:  g = mean grad F(v) over the m records + N(0, s^2 I)
 *                            v <- the Bregman projection onto W of grad h*( (grad h(v) - 2 g / (rho_w t)) / (1 + 4/t) )
 *   w_(r+1) = the mean of the v at which g was taken, with weights t + 3
 *
 * Bound, for the population's risk P and prox(w) = argmin_W P + (B/2) ||. - w||_p^2, J uniform on 1..R+1:
 *
 *   E||w_J - prox(w_J)||_p <= sqrt( (2/rho_w) (gap / (R + 1) + a) ),
 *   a = x + 2 L^2 / (rho_w m) + 2 L sqrt(2 x / rho_w),
 *   x = (3 L^2 / (4 rho_w kappa) + (T + 3 (1 + ln T)) G / rho_w + T G / (4 rho_w kappa)) / (T (T + 7) / 2),
 *   G = L^2 + d s^2,  s^2 = T (2 L_data / (m mu))^2.
 *
 * x bounds the error of sc_dpmd in the objective on its records: the weights telescope, and the last term of x accounts
 * for the proximal term, which enters one update late and is at most G / (4 rho_w kappa) on average. 2 L^2 / (rho_w m)
 * is the exact minimiser's excess on the population, by stability. The root is for the distance between the two, along
 * which the slopes of P and of the mean over the records differ by at most 2 L. A round then lowers P by at least
 * (rho_w/2) ||w_r - prox(w_r)||_p^2 - a. For all data ||w - prox(w)||_p <= L / B, so a bound above that is vacuous.
 * Definition 15 of the paper counts max{1, B D} ||w - prox(w)||, D the diameter. At p = 2 the measure
 * population_prox_distance is the bounded quantity; prox_distance is the same on the records, and prox_gap is B times
 * that, the norm of the gradient of F's Moreau envelope.
 *
 * R minimises the bound, T = ceil(m^2 mu^2 / (4 d)) is the T for which d s^2 = L^2; more updates halve x at best.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Bassily, Guzman & Menart 2021, section 5, Algorithm 2 and Theorem 16.
 * Privacy  (epsilon, delta), replace-one: each record is in one round, and each round makes T Gaussian releases of l2
 *          sensitivity 2 L_data / m with the whole budget.
 * Differs  The paper's inner solver (sc_afkt: Asi, Feldman, Koren & Talwar 2021) is its Theorem 29, in an appendix that
 *          we do not have. Its constants decide whether its stages contract, and a wrong stage would not be noticed, so
 *          it is left out: sc_dpmd has a single level, and is one term, L^2 sqrt d / (rho_w m epsilon), worse. rho_w
 *          and L are certified in the l2 norm and so hold in every ||.||_p, p <= 2, without the powers of d that the
 *          paper's need; hence p = 2 by default, and p itself where the paper has max{p, 1 + 1/ln d}. R minimises the
 *          bound, which is vacuous for the printed R at n = 10^5. w_(R+1) is a candidate too; the proof covers it.
 * Output   w_J with J drawn by public coins, or the last iterate.
 * Cost     n T gradients, T passes over each of R pools; 5 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { P, ROUNDS, INNER, INNER_MAX, SELECT };
enum { ROUNDS_MAX = 100000 };

static const sp_param params[] = {
    [P]         = { "p", SP_REAL, 2, { 1.000001, 2 }, "of the norm of the proximal term; below 2 on R^d, or as that "
                    "of an lp_ball" },
    [ROUNDS]    = { "rounds", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "proximal steps R; default minimises the "
                                                                         "bound" },
    [INNER]     = { "inner_steps", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "T, updates a round; default by theory" },
    [INNER_MAX] = { "inner_max", SP_COUNT, 5000, { 1, SP_STEPS_MAX }, "the default of T is at most this" },
    [SELECT]    = { "select", SP_CHOICE, 0, { 0, 0 }, "which iterate is returned", "uniform|last|mean" },
    { 0 }
};
static const sp_output_rule rules[] = { SP_OUTPUT_UNIFORM, SP_OUTPUT_LAST, SP_OUTPUT_MEAN };

static const char *fits(const sp_constants *c)
{
    if (!(c->L_data > 0.0 && isfinite(c->L)))
        return "the records' gradients are not bounded (L_data, L)";
    if (!isfinite(c->weak_convexity))
        return "F is not weakly convex here";
    if (!(c->weak_convexity > 0.0))
        return "F is convex: use phased_sgd or dp_sgd";
    return isfinite(fmin(c->gap, c->L * c->diameter)) ? NULL : "no bound on F(w0) - F* is known (gap)";
}

typedef struct schedule {
    double p, kappa;
    size_t rounds, records, steps; /* R, m, T */
    double bound;                  /* on E||w_J - prox(w_J)||_p */
} schedule;

/* T before it is capped. */
static double theory_steps(const sp_oracle *o, double m)
{
    const double mu = sp_budget_of(o)->mu;
    return ceil(m * m * mu * mu / (4.0 * (double)sp_dimension(o)));
}

static schedule with_rounds(const sp_oracle *o, const sp_values *v, size_t rounds)
{
    const sp_constants *c = sp_public(o);
    const double rho = c->weak_convexity, L = c->L, kappa = 1.0 / (sp_real(v, P) - 1.0), m = (double)(c->n / rounds);
    const double T = sp_given(v, INNER) ? (double)sp_count(v, INNER)
                                        : fmin(theory_steps(o, m), (double)sp_count(v, INNER_MAX));
    const double s = 2.0 * c->L_data * sqrt(T) / (m * sp_budget_of(o)->mu), G = L * L + (double)c->d * s * s;
    const double first = 3.0 * L * L / (4.0 * rho * kappa), term = T * G / (4.0 * rho * kappa);
    const double x = (first + (T + 3.0 * (1.0 + sp_log(T))) * G / rho + term) / (0.5 * T * (T + 7.0));
    const double a = x + 2.0 * L * L / (rho * m) + 2.0 * L * sqrt(2.0 * x / rho);
    const double gap = fmin(c->gap, L * c->diameter);
    return (schedule){ sp_real(v, P), kappa, rounds, c->n / rounds, (size_t)T,
                       sqrt(2.0 / rho * (gap / (double)(rounds + 1) + a)) };
}

static sp_status resolve(sp_oracle *o, const sp_values *v, schedule *out)
{
    const sp_constants *c = sp_public(o);
    const sp_domain *domain = sp_domain_of(o);
    const double p = sp_real(v, P);
    if (p < 2.0 && domain->kind != SP_DOMAIN_SPACE && !(domain->kind == SP_DOMAIN_LP_BALL && domain->p == p))
        return sp_refuse(o, SP_EINVAL, "p = %g: there is a Bregman projection onto R^d and onto the lp_ball of that p; "
                         "the domain is %s", p, sp_domain_names[domain->kind]);
    const size_t given = sp_given(v, ROUNDS) ? sp_count(v, ROUNDS) : 1;
    if (given > c->n)
        sp_warn_of(o, SP_WARNED_PARAMETER_CUT,
                   "prox_md: rounds = %zu, but there are %zu records, one a round", given, c->n);
    *out = with_rounds(o, v, given < c->n ? given : c->n);
    for (size_t rounds = 2; !sp_given(v, ROUNDS) && rounds <= c->n && rounds <= ROUNDS_MAX; rounds++) {
        const schedule next = with_rounds(o, v, rounds);
        if (next.bound < out->bound)
            *out = next;
    }
    sp_resolved(o, "rounds", (double)out->rounds, !sp_given(v, ROUNDS) ? SP_FROM_BALANCE : given > c->n ? SP_FROM_CAP
                                                                                              : SP_FROM_USER);
    sp_resolved(o, "inner_steps", (double)out->steps, sp_given(v, INNER) ? SP_FROM_USER
                : (double)out->steps < theory_steps(o, (double)out->records) ? SP_FROM_CAP : SP_FROM_THEORY);
    sp_promise(o, p == 2.0 && sp_choice(v, SELECT) == 0, out->bound, c->L / (2.0 * c->weak_convexity * out->kappa));
    return SP_OK;
}

/* w_r, in place, to w_(r+1). work: 4 d doubles. */
static sp_status sc_dpmd(sp_oracle *o, const schedule *s, double multiplier, size_t *step, double *w, double *work)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(o);
    const double rho = sp_public(o)->weak_convexity, all = 0.5 * (double)s->steps * (double)(s->steps + 7);
    double *centre = work, *v = work + d, *g = work + 2 * d, *theta = work + 3 * d;
    sp_batch batch;
    SP_TRY(sp_draw(o, sp_fresh(s->records), &batch));
    memcpy(centre, w, d * sizeof *w);
    memcpy(v, w, d * sizeof *w);
    memset(w, 0, d * sizeof *w);
    for (size_t t = 1; t <= s->steps; t++) {
        cblas_daxpy((int)d, (double)(t + 3) / all, v, 1, w, 1);
        SP_TRY(sp_gradient(o, &SP_AT(batch, v), multiplier, g));
        sp_mirror_gradient(s->p, d, centre, v, theta);
        cblas_daxpy((int)d, -2.0 / (rho * (double)t), g, 1, theta, 1);
        cblas_dscal((int)d, 1.0 / (1.0 + 4.0 / (double)t), theta, 1);
        sp_mirror_inverse(s->p, d, centre, theta, v);
        const sp_status projected = sp_mirror_project(s->p, sp_domain_of(o), centre, v);
        if (projected != SP_OK)
            SP_TRY(sp_refuse(o, projected, "update %zu has no Bregman projection", *step + 1));
        SP_TRY(sp_checkpoint(o, ++*step, v));
    }
    sp_domain_project(sp_domain_of(o), w); /* the mean is inside but for rounding */
cleanup:
    return status;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(o);
    schedule s = { 0 };
    sp_output output = { 0 };
    double multiplier = 0.0, *work = NULL;
    size_t step = 0;

    SP_TRY(resolve(o, v, &s));
    work = sp_alloc(4, d * sizeof *work);
    if (!work)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for a mirror step at d = %zu", d));
    SP_TRY(sp_output_open(&output, o, rules[sp_choice(v, SELECT)], s.rounds + 1));
    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_fresh(s.records), .count = s.rounds },
                        1, &multiplier));
    multiplier *= sqrt((double)s.steps); /* so many releases on one batch */
    sp_domain_project(sp_domain_of(o), w);
    SP_TRY(sp_checkpoint(o, 0, w));
    for (size_t r = 1; r <= s.rounds; r++) {
        SP_TRY(sp_output_offer(&output, w, NULL));
        SP_TRY(sc_dpmd(o, &s, multiplier, &step, w, work));
    }
    SP_TRY(sp_output_offer(&output, w, NULL));
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    free(work);
    return status;
}

const sp_algorithm sp_algorithm_prox_md = {
    .name = "prox_md",
    .summary = "proximal steps by private mirror descent on fresh records: weakly convex losses, with kinks too",
    .when = "a weakly convex loss with kinks, or another one whose proximal distance is of interest, and many records; "
            "for a small gradient of a smooth loss dp_gd or dp_spider. The paper's own inner solver is left out "
            "(docs/reference/methods.md)",
    .source = "Bassily, Guzman & Menart 2021, Algorithm 2 and Theorem 16",
    .releases = "a round: T gradients of m = n/R fresh records, l2 sensitivity 2 L_data / m",
    .uses = "parts/output parts/theory",
    .params = params,
    .fits = fits,
    .run = run,
};
