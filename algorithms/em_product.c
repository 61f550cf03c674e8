/*
 * em_product.c -- the exponential mechanism of a sum of cosines, exact in any dimension: no net, no resolution.
 *
 *   return w with density ~ exp(-tau F(w)) on the torus (-pi, pi]^d / sqrt(d),  tau = epsilon n / (4 c)
 *
 * for F(w) = c (1 - (1/d) sum_j A_j cos(u_j - phi_j)), u_j = sqrt(d) w_j, 0 <= A_j <= 1 (`circular`: c = 1). F has the
 * period 2 pi in each u_j: the torus, which is public, contains a minimiser for all records. The density is a
 * product: u_j is phi_j plus a von Mises angle of concentration k_j = tau c A_j / d, reduced to (-pi, pi].
 *
 * tau (F(w) - F*) = sum_j k_j (1 - cos(u_j - phi_j)) has independent terms. With b(x) = e^-x I_0(x), I_0 the modified
 * Bessel function, E exp(s term_j) = b((1 - s) k_j) / b(k_j) for s in [0, 1). sqrt(2 pi x) b(x) increases from 0 to
 * e^0.16141 at x = 0.79 and then decreases to 1, so this is at most e^0.1615 / sqrt(1 - s) for any k_j: up to that
 * factor it is half a chi-square variable of one degree of freedom. By the tail of chi-square (Laurent & Massart 2000,
 * Lemma 1), with probability 1 - zeta
 *
 *   F(w) - F* <= (d/2 + sqrt(d t) + t) / tau,  t = ln(1/zeta) + 0.1615 d                                  (bound)
 *
 * On average F(w) - F* is at most 0.609 d / tau, as x (1 - I_1(x) / I_0(x)) is at most 0.609.
 *
 * When: as the first stage of a warm start on such a loss (Corollary 4.3), if no net (em_net) is fine enough.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Lowy, Ullman & Wright 2024, Definition 4.1, Corollary 4.3; McSherry & Talwar 2007; Best & Fisher 1979.
 * Privacy  epsilon, pure, replace-one: one exponential mechanism of bounded range. Every record's f is within [0, 2 c],
 *          so a difference of two values of F changes by at most 4 c / n, and this is attained. No declared constant is
 *          used, and nothing is clipped except the records themselves, by the loss's map.
 * Differs  The printed range, 2 L D / n for a set of diameter D, is pi times as large here. The printed bound is that
 *          of a net on any Lipschitz loss, with d ln(1 + epsilon n / d) in place of d.
 * Output   the chosen point.
 * Cost     one mean of the records, and O(d).
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/compact.h"
#include "algorithms/parts/theory.h"

enum { ZETA };

static const sp_param params[] = {
    [ZETA] = { "zeta", SP_REAL, SP_DERIVED, { 1e-12, 0.5 }, "failure probability; default sqrt(d) / (n epsilon)" },
    { 0 }
};

static const char *fits(const sp_constants *c)
{
    return c->cosines > 0.0 ? NULL : "F is not known to be a sum of cosines, one a coordinate, over the whole space";
}

static double zeta_of(const sp_oracle *o, const sp_values *v)
{
    return sp_given(v, ZETA) ? sp_real(v, ZETA) : sp_choice_zeta(sp_public(o), sp_choice_epsilon(o, 1.0));
}

static double risk_bound(const sp_oracle *o, const sp_values *v)
{
    const sp_constants *c = sp_public(o);
    const double d = (double)c->d, tau = sp_choice_epsilon(o, 1.0) * (double)c->n / (4.0 * c->cosines);
    const double t = sp_log(1.0 / zeta_of(o, v)) + 0.1615 * d;
    return (0.5 * d + sqrt(d * t) + t) / tau;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const double epsilon = sp_choice_epsilon(o, 1.0);
    double none;
    sp_resolved(o, "zeta", zeta_of(o, v), sp_given(v, ZETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_promise(o, true, risk_bound(o, v), sp_public(o)->gap);
    SP_TRY(sp_checkpoint(o, 0, w));
    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_SELECTION, .count = 1, .epsilon = epsilon }, 1, &none));
    SP_TRY(sp_choose_product(o, epsilon, w));
    SP_TRY(sp_checkpoint(o, 1, w));
cleanup:
    return status;
}

const sp_algorithm sp_algorithm_em_product = {
    .name = "em_product",
    .summary = "the exponential mechanism of a sum of cosines, exact in any dimension: to start a warm start there",
    .when = "the loss is a sum of cosines, one a coordinate (circular), over the whole space; em_net and em_zoom else",
    .source = "Lowy, Ullman & Wright 2024, Definition 4.1 and Corollary 4.3",
    .releases = "one exponential mechanism over a product of von Mises densities, range sensitivity 4 c / n",
    .uses = "parts/compact parts/theory",
    .params = params,
    .fits = fits,
    .run = run,
    .risk_bound = risk_bound,
};
