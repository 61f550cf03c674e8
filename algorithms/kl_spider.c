/*
 * kl_spider.c -- restarted noisy SPIDER for KL losses (losses/loss.h): rounds of normalised steps, each with a smaller
 * target risk.
 *
 *   round k:  Phi_k = max(Phi_{k-1} / c, floor),  lam = Phi_k^(1/kappa),  T_k = floor((F0 / Phi_k)^p)
 *     v = grad F(w) + noise
 *     T_k + 1 times, while ||v|| >= 7 lam / (8 gamma):   w' = w - lam / (4 gamma beta ||v||) v
 *                                                        v <- v + grad F(w') - grad F(w) + noise,   w <- w'
 *
 * where F - F* <= gamma^kappa ||grad F||^kappa, 1 <= kappa <= 2, p = (2 - kappa) / kappa,
 * F0 = min(gap, (L gamma)^kappa), and with C = floor_scale, a = max{ gamma L_data, (beta_data / beta) F0^(1/kappa) },
 *
 *   c     = 1 + F0^p / (k_scale gamma^2 beta),    K' = ln(F0 (n sqrt rho / (gamma L_data sqrt d))^kappa) / ln c
 *   zeta' = (zeta / K') min{ 1, (gamma L_data sqrt(K' d) / (n sqrt rho F0^(1/kappa)))^(2-kappa) }
 *   floor = ( C a sqrt(K_eff d ln(1/zeta')) / (n sqrt rho) )^kappa,   K_eff = min(K', 1 / (1 - c^(-1/kappa))).
 *
 * The last round is the first one with Phi = floor; then F(w) - F* <= floor with probability 1 - zeta: rate
 * (sqrt d / (n sqrt rho))^kappa up to a logarithm, on a ball about w0 of radius (K/2) F0^(1/kappa) / (gamma beta).
 *
 * parameters
 *   theory     k_scale = 64, C = 40: those of the proof, useful from about n = 10^5 on;
 *   practical  k_scale = 6, C = 4: the same rate; proved only without noise (T_k + 1 steps, each of which
 *              lowers F by 3 lam^2 / (16 gamma^2 beta), make Phi_k of Phi_{k-1} from k_scale = 16/3 on).
 *
 * When: a KL loss with known constants and kappa < 2, or many records; for smaller n the bound of kl_gd is better.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Menart, Ullah, Arora, Bassily & Guzman 2023, Alg. 1 (KL Spider); Lowy, Ullman & Wright 2024, Lemma 6.2.
 * Privacy  (epsilon, delta), replace-one: K releases of l2 sensitivity 2 L_data / n, sum_k (T_k + 1) of 2 min(beta_data
 *          ||w' - w||, 2 L_data) / n.
 * Differs  Rounds get shares of the gradients' budget in proportion to 1 / lam_k (printed: equal ones): noise may be
 *          large while the risk is large, and the floor contains K_eff, not K'. All differences share one noise
 *          multiplier. The printed noise costs twice its rho under replace-one, hence C = 40 for 32. A round returns
 *          the point that passed its test (printed: the one before). After passing it keeps w and goes on releasing, so
 *          that the number of releases is public; while w does not move, a release needs no pass over the records.
 * Output   the last iterate.
 * Cost     n (K + 2 sum_k (T_k + 1)) gradients at most; 3 d + 2 K doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { PARAMETERS, ROUNDS, K_SCALE, FLOOR_SCALE, ZETA, SPLIT };
enum { THEORY, PRACTICAL };
enum { ROUNDS_MAX = 1000000 };

static const sp_param params[] = {
    [PARAMETERS]  = { "parameters", SP_CHOICE, PRACTICAL, { 0, 0 }, "whose constants: the proof's, or small ones",
                      "theory|practical" },
    [ROUNDS]      = { "rounds",  SP_COUNT, SP_DERIVED, { 1, ROUNDS_MAX }, "rounds K; default down to the floor" },
    [K_SCALE]     = { "k_scale", SP_REAL,  SP_DERIVED, SP_POSITIVE, "constant of c; default by `parameters`" },
    [FLOOR_SCALE] = { "floor_scale", SP_REAL, SP_DERIVED, SP_POSITIVE, "constant C; default by `parameters`" },
    [ZETA]        = { "zeta",    SP_REAL,  0.1,        { 1e-12, 0.5 }, "failure probability" },
    [SPLIT]       = { "split",   SP_REAL,  0.5,        { 0.01, 0.99 }, "share of the budget for gradients" },
    { 0 }
};

typedef struct schedule {
    double k_scale, floor_scale;
    double F0, ratio, floor; /* floor may lie above F0: then nothing is promised */
    double wanted;           /* rounds before ROUNDS_MAX */
    size_t rounds;
} schedule;

static double floor_of(const sp_constants *c, double rho, double zeta, const schedule *s)
{
    const double kappa = c->kl_kappa, noise = sqrt((double)c->d / rho) / (double)c->n;
    const double start = sp_pow(s->F0, 1.0 / kappa);
    if (!isfinite(rho))
        return 0.0;
    const double reached = c->kl_gamma * c->L_data * noise / start; /* of F0^(1/kappa), at best */
    const double rounds = fmax(ceil(-kappa * sp_log(reached) / sp_log(s->ratio)), 1.0);
    const double small = zeta / rounds * fmin(1.0, sp_pow(sqrt(rounds) * reached, 2.0 - kappa));
    const double effective = fmin(rounds, 1.0 / (1.0 - sp_pow(s->ratio, -1.0 / kappa)));
    const double scale = fmax(c->kl_gamma * c->L_data, c->beta_data / c->beta * start);
    return sp_pow(s->floor_scale * scale * noise * sqrt(effective * sp_log(1.0 / small)), kappa);
}

static schedule resolve(const sp_oracle *o, const sp_values *v)
{
    const sp_constants *c = sp_public(o);
    const bool theory = sp_choice(v, PARAMETERS) == THEORY;
    schedule s = { .k_scale = sp_given(v, K_SCALE) ? sp_real(v, K_SCALE) : theory ? 64.0 : 6.0,
                   .floor_scale = sp_given(v, FLOOR_SCALE) ? sp_real(v, FLOOR_SCALE) : theory ? 40.0 : 4.0,
                   .F0 = fmin(c->gap, sp_pow(c->L * c->kl_gamma, c->kl_kappa)) };
    s.ratio = 1.0 + sp_pow(s.F0, (2.0 - c->kl_kappa) / c->kl_kappa) / (s.k_scale * c->kl_gamma * c->kl_gamma * c->beta);
    s.floor = floor_of(c, sp_budget_of(o)->rho, sp_real(v, ZETA), &s);
    const double low = fmin(fmax(s.floor, DBL_EPSILON * s.F0), s.F0); /* without noise: until rounding */
    s.wanted = sp_given(v, ROUNDS) ? (double)sp_count(v, ROUNDS)
                                   : fmax(ceil(sp_log(s.F0 / low) / sp_log(s.ratio)), 1.0);
    s.rounds = (size_t)fmin(s.wanted, ROUNDS_MAX);
    return s;
}

/* Phi of round k = 1, 2, .. */
static double risk_of(const schedule *s, double k)
{
    return fmax(s->F0 * sp_pow(s->ratio, -k), fmin(s->floor, s->F0));
}

static double steps_of(const sp_constants *c, const schedule *s, double k)
{
    return floor(sp_pow(s->F0 / risk_of(s, k), (2.0 - c->kl_kappa) / c->kl_kappa)) + 1.0;
}

/* With probability 1 - zeta; INFINITY where the proof's constants do not hold. */
static double bound(const schedule *s)
{
    if (s->k_scale < 64.0 || s->floor_scale < 40.0 || !(s->floor < s->F0))
        return INFINITY;
    return risk_of(s, (double)s->rounds);
}

static double risk_bound(const sp_oracle *o, const sp_values *v)
{
    const schedule s = resolve(o, v);
    return bound(&s);
}

static void report(sp_oracle *o, const sp_values *v, const schedule *s)
{
    const sp_provenance from = sp_choice(v, PARAMETERS) == THEORY ? SP_FROM_THEORY : SP_FROM_BALANCE;
    sp_resolved(o, "k_scale", s->k_scale, sp_given(v, K_SCALE) ? SP_FROM_USER : from);
    sp_resolved(o, "floor_scale", s->floor_scale, sp_given(v, FLOOR_SCALE) ? SP_FROM_USER : from);
    sp_capped(o, "rounds", (double)s->rounds, s->wanted, sp_given(v, ROUNDS) ? SP_FROM_USER : from);
    sp_promise(o, isfinite(bound(s)), s->floor < s->F0 ? risk_of(s, (double)s->rounds) : s->floor, s->F0);
}

/* multiplier[k]: of round k's gradient; [rounds]: of all differences. */
static sp_status calibrate(sp_oracle *o, const sp_values *v, const schedule *s, double *multiplier, size_t *steps)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    sp_release_plan *plan = sp_alloc(s->rounds + 1, sizeof *plan);
    double sum = 0.0, differences = 0.0;
    if (!plan)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for %zu rounds", s->rounds));
    for (size_t k = 0; k < s->rounds; k++) {
        const double share = sp_pow(risk_of(s, (double)k + 1.0), -1.0 / c->kl_kappa);
        plan[k] = (sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_full(), .count = 1, .share = share };
        sum += share;
        differences += steps_of(c, s, (double)k + 1.0);
    }
    for (size_t k = 0; k < s->rounds; k++)
        plan[k].share *= sp_real(v, SPLIT) / sum;
    if (!(differences <= SP_STEPS_MAX))
        SP_TRY(sp_refuse(o, SP_EINVAL, "%g steps in %zu rounds; lower rounds", differences, s->rounds));
    *steps = (size_t)differences;
    plan[s->rounds] = (sp_release_plan){ .kind = SP_DIFFERENCE, .sample = sp_full(), .count = *steps,
                                         .share = 1.0 - sp_real(v, SPLIT) };
    SP_TRY(sp_calibrate(o, plan, s->rounds + 1, multiplier));
cleanup:
    free(plan);
    return status;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const schedule s = resolve(o, v);
    const int d = (int)c->d;
    double *estimate = sp_alloc_doubles(c->d), *change = sp_alloc_doubles(c->d), *previous = sp_alloc_doubles(c->d);
    double *multiplier = sp_alloc_doubles(s.rounds + 1);
    size_t steps = 0, step = 0;
    sp_batch all;

    if (!estimate || !change || !previous || !multiplier)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient estimate"));
    report(o, v, &s);
    SP_TRY(calibrate(o, v, &s, multiplier, &steps));
    SP_TRY(sp_draw(o, sp_full(), &all));
    for (size_t k = 0; k < s.rounds; k++) {
        const double lam = sp_pow(risk_of(&s, (double)k + 1.0), 1.0 / c->kl_kappa);
        const size_t end = step + (size_t)steps_of(c, &s, (double)k + 1.0);
        SP_TRY(sp_gradient(o, &SP_AT(all, w), multiplier[k], estimate));
        while (step < end) {
            const double norm = cblas_dnrm2(d, estimate, 1);
            cblas_dcopy(d, w, 1, previous, 1);
            if (norm >= 7.0 * lam / (8.0 * c->kl_gamma)) { /* else it stays: the change is exactly 0 */
                cblas_daxpy(d, -lam / (4.0 * c->kl_gamma * c->beta * norm), estimate, 1, w, 1);
                sp_domain_project(sp_domain_of(o), w);
            }
            SP_TRY(sp_gradient(o, &SP_BETWEEN(all, w, previous), multiplier[s.rounds], change));
            cblas_daxpy(d, 1.0, change, 1, estimate, 1);
            SP_TRY(sp_checkpoint(o, ++step, w));
        }
    }
cleanup:
    free(multiplier);
    free(previous);
    free(change);
    free(estimate);
    return status;
}

const sp_algorithm sp_algorithm_kl_spider = {
    .name = "kl_spider",
    .summary = "restarted SPIDER for KL losses with known constants: the better rate for kappa < 2, from large n on",
    .when = "a KL loss with known constants and kappa < 2, or very many records; kl_gd promises more for fewer",
    .source = "Menart, Ullah, Arora, Bassily & Guzman 2023, Alg. 1; Lowy, Ullman & Wright 2024, section 6",
    .releases = "a round: a gradient of all records, sensitivity 2 L_data / n, then T_k + 1 gradient differences, "
                "sensitivity 2 min(beta_data ||w' - w||, 2 L_data) / n",
    .uses = "parts/fits parts/theory",
    .params = params,
    .fits = sp_kl_fits,
    .run = run,
    .risk_bound = risk_bound,
};
