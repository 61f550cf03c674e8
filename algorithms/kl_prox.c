/*
 * kl_prox.c -- approximate proximal points by noisy gradients, for KL losses (losses/loss.h) with kappa >= 2, smooth or
 * not.
 *
 *   for t = 1..T:  c = u_1 = w
 *     u_{i+1} = Proj( u_i - (mean grad f(u_i) + s N(0, I) + 2 M_t (u_i - c)) / (M_t i) ),  i < K
 *     w = 2 / (K (K + 1)) sum_i i u_i
 *
 * F - F* <= gamma^kappa ||grad F||^kappa; F is L-Lipschitz, and F + (M_t / 2) ||w||^2 convex. Proj is into the ball of
 * radius L / (2 M_t) about c, then into W. G(u) = F(u) + M_t ||u - c||^2 is M_t-strongly convex, its minimiser p in the
 * ball. The vectors that the steps use have E||.||^2 <= 4 L^2 + d s^2. With steps 1 / (M_t i) and weights i, the usual
 * argument gives E D <= 3 (4 L^2 + d s^2) / (M_t (K + 1)), D = G(w) - G(p). As s^2 = 2 L_data^2 T K / (n^2 rho), rho
 * the budget, the noise's part of that is about 6 d L_data^2 T / (M_t n^2 rho), for every K; the other part decreases
 * with K.
 *
 * Write e = F - F*, x = e(p), y = M_t ||p - c||^2. If p is inside W, ||grad F(p)|| = 2 M_t ||p - c||, so y is at least
 * x^(2/kappa) / (4 M_t gamma^2); strong convexity has e(c) >= x + 1.5 y and ||w - p||^2 <= 2 D / M_t, hence
 *
 *   e(w) <= x + 2 sqrt(2 y D) + D.
 *
 * Let e(c) <= Phi, M_t = Phi^((2 - kappa) / kappa) / (19 gamma^2) and D <= Phi / 60. Then x <= Phi / 8, and e(w) <=
 * Phi / 2. So with Phi_t = F0 2^-t, M_t that of Phi_{t-1}, or the modulus of weak convexity if that is larger, e is
 * halved by every round until D is too large, at Phi of order (gamma L_data sqrt(d T) / (n sqrt rho))^kappa: the
 * paper's rate, up to logarithms. kappa = 2 has (sqrt d / (n sqrt rho))^2, a larger kappa less. This argument is about
 * a single run; a bound on the mean over runs would need more, so no risk bound is recorded.
 *
 *   growing  M_t as above, T = log2(F0 / (gamma L_data sqrt d / (n sqrt rho))^kappa), from 2 to 1000
 *   fixed    M_t = max(the modulus, F0^((2 - kappa) / kappa) / (32 gamma^2)), of which the first is printed,
 *            T = (1 + 32 F0^((kappa - 2) / kappa) gamma^2 M) ln(F0 / (gamma L_data sqrt d / (n sqrt rho))^kappa)
 *   K        n^2 (rho / T) ln(2 / zeta)^2 / d, at least 2, at most inner_max
 *
 * with F0 = min(gap, (gamma L)^kappa). If K is capped, the term 12 L^2 / (M_t K) remains, and the run compares it with
 * the noise.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Menart, Ullah, Arora, Bassily & Guzman 2023 (arXiv 2311.13447), Algorithms 2 and 4.
 * Privacy  (epsilon, delta), replace-one: T (K - 1) Gaussian releases of l2 sensitivity 2 L_data / n.
 * Differs  One M for all rounds, as printed, leaves D of order n^-2 in each, and the argument above then gives only e
 *          of that order: the printed rate needs exact proximal points, e(c) - e(p) >= e(p)^(2/kappa) / (4 M gamma^2).
 *          On ||w||^1.5, kappa = 3, the risk then decreases as n^-2.5 (experiments/kl_prox.lua); hence `growing`. The
 *          noise comes from the accountant: the printed s^2 = 4 L^2 K / (n^2 rho_t) a round costs rho_t / 2, half of
 *          what is available. K is capped. It also projects onto W; the proof is for minimisers inside W.
 * Output   the last w.
 * Cost     T K n gradients, 4 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { PENALTY, ROUNDS, INNER_STEPS, INNER_MAX, MODULUS, ZETA };
enum { GROWING, FIXED };
enum { ROUNDS_MAX = 1000 }; /* without noise theory would have them go on for ever */

static const sp_param params[] = {
    [PENALTY]     = { "penalty",     SP_CHOICE, GROWING,   { 0, 0 },   "M_t: growing as the risk falls, or fixed",
                      "growing|fixed" },
    [ROUNDS]      = { "rounds",      SP_COUNT, SP_DERIVED, { 1, 1e6 }, "proximal points T; default by theory" },
    [INNER_STEPS] = { "inner_steps", SP_COUNT, SP_DERIVED, { 2, SP_STEPS_MAX }, "points K of a round; default by "
                                                                                "theory, up to inner_max" },
    [INNER_MAX]   = { "inner_max",   SP_COUNT, 2000,       { 2, SP_STEPS_MAX }, "cap on K" },
    [MODULUS]     = { "modulus",     SP_REAL,  SP_DERIVED, SP_POSITIVE, "M_1; default by theory, at least the modulus "
                                                                        "of weak convexity" },
    [ZETA]        = { "zeta",        SP_REAL,  0.1,        { 1e-12, 0.5 }, "failure probability, in K" },
    { 0 }
};

static const char *fits(const sp_constants *c)
{
    if (!(c->kl_gamma > 0.0 && c->kl_kappa >= 2.0))
        return "the loss is not known to be KL with kappa >= 2 (declare kl_gamma and kl_kappa)";
    if (!isfinite(c->weak_convexity))
        return "the loss is not known to be weakly convex (weak_convexity)";
    if (!(isfinite(c->L) && c->gap > 0.0 && isfinite(c->gap)))
        return "no bound on F(w0) - F*, or on gradients, is known (gap, L)";
    return sp_lipschitz_fits(c);
}

typedef struct schedule {
    double modulus, growth;       /* M_1, M_{t+1} / M_t */
    double rounds, wanted, steps; /* T, K as derived, K */
} schedule;

static schedule resolve(const sp_constants *c, const sp_values *v, double rho)
{
    const bool growing = sp_choice(v, PENALTY) == GROWING;
    const double kappa = c->kl_kappa, square = c->kl_gamma * c->kl_gamma, n = (double)c->n, d = (double)c->d;
    const double F0 = fmin(c->gap, sp_pow(c->L * c->kl_gamma, kappa)), power = sp_pow(F0, (kappa - 2.0) / kappa);
    const double ratio = sp_log(F0) - kappa * sp_log(c->kl_gamma * c->L_data * sqrt(d / rho) / n);
    schedule s = { .modulus = 1.0 / ((growing ? 19.0 : 32.0) * square * power),
                   .growth = growing ? sp_pow(2.0, (kappa - 2.0) / kappa) : 1.0 };
    s.modulus = sp_given(v, MODULUS) ? sp_real(v, MODULUS) : s.modulus;
    const double factor = growing ? 1.0 / M_LN2
                                  : 1.0 + 32.0 * power * square * fmax(s.modulus, c->weak_convexity);
    s.rounds = sp_given(v, ROUNDS) ? (double)sp_count(v, ROUNDS) : fmin(fmax(ceil(factor * ratio), 2.0), ROUNDS_MAX);
    const double l = sp_log(2.0 / sp_real(v, ZETA));
    s.wanted = sp_given(v, INNER_STEPS) ? (double)sp_count(v, INNER_STEPS)
                                        : fmax(2.0, ceil(n * n * rho / s.rounds * l * l / d));
    s.steps = sp_given(v, INNER_STEPS) ? s.wanted : fmin(s.wanted, (double)sp_count(v, INNER_MAX));
    return s;
}

/* u into the ball of that radius about c */
static void confine(size_t d, const double *c, double radius, double *u)
{
    double square = 0.0;
    for (size_t j = 0; j < d; j++)
        square += (u[j] - c[j]) * (u[j] - c[j]);
    const double shrink = radius / sqrt(square);
    for (size_t j = 0; shrink < 1.0 && j < d; j++)
        u[j] = c[j] + shrink * (u[j] - c[j]);
}

/* A cap on K: what it leaves in D, and what the noise does, with M_t divided out of both. */
static void compare(sp_oracle *o, const schedule *s, double rho)
{
    const sp_constants *c = sp_public(o);
    const double n = (double)c->n, left = 12.0 * c->L * c->L / s->steps;
    const double noise = 6.0 * (double)c->d * c->L_data * c->L_data * s->rounds / (n * n * rho);
    if (left > noise)
        sp_warn_of(o, SP_WARNED_INEXACT,
                   "kl_prox: inner_steps = %g leaves %.3g times what the noise does in a round's accuracy", s->steps,
                   left / noise);
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *k = sp_public(o);
    const double rho = sp_budget_of(o)->rho;
    const size_t d = k->d;
    const schedule s = resolve(k, v, rho);
    double multiplier = 0.0, *c = sp_alloc(d, 3 * sizeof *c), *u = c + d, *g = u + d;
    size_t rounds = 0, steps = 0;
    sp_batch all;

    if (!c)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for %zu dimensions", d));
    SP_TRY(sp_derive_steps(o, s.rounds, &rounds));
    SP_TRY(sp_derive_steps(o, s.steps, &steps));
    sp_resolved(o, "modulus", fmax(s.modulus, k->weak_convexity), sp_given(v, MODULUS) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "rounds", s.rounds, sp_given(v, ROUNDS) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_capped(o, "inner_steps", s.steps, s.wanted, sp_given(v, INNER_STEPS) ? SP_FROM_USER : SP_FROM_THEORY);
    compare(o, &s, rho);

    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_full(),
                                               .count = rounds * (steps - 1) }, 1, &multiplier));
    SP_TRY(sp_draw(o, sp_full(), &all));
    double growing = s.modulus;
    for (size_t t = 1; t <= rounds; t++, growing *= s.growth) {
        const double M = fmax(growing, k->weak_convexity);
        memcpy(c, w, d * sizeof *c);
        memcpy(u, w, d * sizeof *u);
        memset(w, 0, d * sizeof *w);
        for (size_t i = 1; i <= steps; i++) {
            cblas_daxpy((int)d, 2.0 * (double)i / (s.steps * (s.steps + 1.0)), u, 1, w, 1);
            if (i == steps)
                break;
            SP_TRY(sp_gradient(o, &SP_AT(all, u), multiplier, g));
            for (size_t j = 0; j < d; j++)
                u[j] -= (g[j] + 2.0 * M * (u[j] - c[j])) / (M * (double)i);
            confine(d, c, k->L / (2.0 * M), u);
            sp_domain_project(sp_domain_of(o), u);
        }
        SP_TRY(sp_checkpoint(o, t, w));
    }
cleanup:
    free(c);
    return status;
}

const sp_algorithm sp_algorithm_kl_prox = {
    .name = "kl_prox",
    .summary = "approximate proximal points by noisy gradients, for KL losses with kappa >= 2, smooth or not",
    .when = "a KL loss with kappa above 2 and known constants, which is sharp at its minimum and not smooth; at "
            "kappa = 2 kl_gd has a bound with constants",
    .source = "Menart, Ullah, Arora, Bassily & Guzman 2023, Algorithms 2 and 4",
    .releases = "T (K - 1) gradients of all records, sensitivity 2 L_data / n",
    .uses = "parts/fits parts/theory",
    .params = params,
    .fits = fits,
    .run = run,
};
