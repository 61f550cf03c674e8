/*
 * spider_sosp.c -- private SPIDER with escapes from saddles and a private choice of the output; finds second-order
 * stationary points.
 *
 *   estimate  v = grad F(w) + noise                 when sum ||w - w'||^2 since the last one reached `drift`
 *             v <- v + grad F(w) - grad F(w') + noise                                    otherwise; w' was before w
 *   move      w <- Proj_W( w - eta v ),  eta = 1 / beta; where ||v|| <= 3 g an escape is tried:
 *     kick      v + N(0, g^2 / (d ln(d/zeta)) I) in place of v, at most once in `pause` steps
 *     psgd      up to `rounds` times from here a new gradient and q = iota / (eta sqrt(rho_H alpha)) ordinary steps,
 *               with other noise each time: a round that moves by sqrt(alpha / rho_H) / iota continues, otherwise w is
 *               the output; eta = sqrt(rho_H alpha) / beta^2, at most 1 / beta, iota = max(1, ln(d/zeta))
 *     hessian   B = hess F(w) + noise: if lambda_min(B) <= -(3/4) sqrt(rho_H alpha), of unit vector u, then
 *               w <- w +- sqrt(alpha / rho_H) u, downhill by v, and a new gradient; otherwise w is the output
 *   select    among every `stride`-th iterate and the last (w0 is no candidate), privately, by the score
 *               max{ ||grad F(w)|| / alpha, -lambda_min(hess F(w)) / sqrt(rho_H alpha) },  alpha = 4 g
 *
 *   T     updates at most: kick, psgd 4 scale gap / (eta g^2) [psgd + m rounds q], hessian
 *         1 + scale gap / min{ step, jump }
 *   n1    gradients: kick, psgd 1 + 4 eta gap / drift [kick with refresh + T / pause, psgd + m rounds], hessian
 *         1 + gap / min{ (13/30) beta drift, jump }
 *   m     = 1 + 8 iota^3 sqrt(rho_H) gap / alpha^(3/2): the number of points at which psgd makes rounds; it leaves all
 *         of them except one
 *   n_h   Hessians: 1 + gap / jump;   step = 3.9 g^2 / beta, jump = (13/120) alpha^(3/2) / sqrt(rho_H): see below
 *   pause = beta ln(d beta gap / (rho_H g zeta)) / sqrt(rho_H g),  rounds = 5.2 ln(1/zeta)
 *
 * Accuracy. The noise_std of a gradient is s1 and of a difference s2 c, c = min(beta_data ||w - w'||, 2 L_data), b1 and
 * b2 their numbers of records; between two gradients the noise is a Brownian motion stopped by s1^2 + s2^2 beta_data^2
 * drift (Levy's inequality), the sampling error a bounded martingale (Pinelis 1994). So with probability 1 - zeta/2 all
 * v are within
 *
 *   E = (sqrt d + sqrt(2 l)) sqrt(s1^2 + s2^2 beta_data^2 drift) + sqrt(2 l V),   l = ln(8 n1 / zeta),
 *
 * V = 4 L_data^2 / b1 + 4 beta_data^2 drift / b2 (population; 0 for erm), and the Hessians, with noise s_h (`hf` is the
 * largest Frobenius distance of two records' Hessians), within E_h = (sqrt(2 d) + sqrt(2 ln(4 n_h / zeta))) s_h [+ hf
 * sqrt(8 ln(8 d n_h / zeta) / b_h)], b_h their number of records. g is the smallest with E <= g/4 (hessian: E <= g/5
 * and E_h <= sqrt(rho_H alpha) / 10), by bisection, `drift` the best of 4 gap / (2^i beta). Rates: g ~ (sqrt(L beta
 * gap) sqrt d / (n sqrt rho))^(2/3) for erm, n^(-1/3) + (sqrt d / (n epsilon))^(3/7) for population; for psgd see
 * below; for hessian with erm, where most of n1 are the gradients after jumps: (L sqrt gap rho_H^(1/4) sqrt d / (n sqrt
 * rho))^(4/7).
 *
 * The escape lemma published for `kick` does not hold: it assumes only that the error of v has norm <= g, and such an
 * error along the direction of negative curvature cancels the kick permanently (F = -a w^2/2: where the kick leads,
 * |grad F| = a |w| is far below g, so the error can keep v pointing back). The parameter `adversary` adds that error to
 * every estimate, after its release: axis 1 of v gets the number, of size at most adversary g, that leads closest back
 * to w0. `hessian` has a proof. If all errors are within E and E_h, an ordinary step has ||v|| > 3 g and an error of at
 * most g/5, and it lowers F by
 *
 *   (1/2 - (g/5) / ||v||) ||v||^2 / beta >= (13/30) ||v||^2 / beta = (13/30) beta ||w - w'||^2 > 3.9 g^2 / beta = step,
 *
 * and all steps between two gradients lower it by (13/30) beta drift. A jump of length r = sqrt(alpha / rho_H) has
 * curvature at most -(3/4 - 1/10) sqrt(rho_H alpha) along u, which changes by at most rho_H r during the jump, and a
 * slope of at most g/5 = alpha / 20; so by Taylor's theorem it lowers F by (0.65 / 2 - 1/6 - 1/20) alpha^(3/2) /
 * sqrt(rho_H) = jump. All of them together lower F by at most gap: hence T, n1 and n_h (the last Hessian is that of the
 * output), and with probability 1 - zeta the output is an alpha-SOSP with ||grad F|| <= 3.2 g. `psgd` relies on
 * isotropic noise instead: two paths from one point that differ only along the saddle's axis must separate. The errors
 * of their estimates differ by up to 2 beta ||x - x'|| a step, and over the q steps of a round that is less than what
 * they gain if (eta beta)^2 q is at most about 1: eta = sqrt(rho_H alpha) / beta^2, up to logarithms. With this eta the
 * two branches of Tao et al.'s length of a segment balance both terms of E; with 1 / beta (`eta_rule` = smooth)
 * neither. Rounds must not share one estimate either (rounds_fresh = false): the error of a recursion is nearly
 * constant within a segment, so the rounds would differ only by the noise of differences, and what turns the first
 * round back turns all of them back. A new gradient for each round costs m `rounds` gradients more, about as many as
 * the drift requires with that eta: the rates are n^(-1/3) + (sqrt d / (n epsilon))^(2/5) for population and 4/7 in
 * place of 2/3 for erm. The decrease of F by a round that escapes, alpha^(3/2) / (8 iota^3 sqrt(rho_H)), and iota's
 * logarithm have unknown constants, so there is no guarantee: psgd may accept a saddle. Privacy, and the choice's own
 * guarantee
 *
 *   score <= smallest score + 2 Du ln(K/zeta) / epsilon_s, Du = max{ 2 L_data / alpha, hf / sqrt(rho_H alpha) } / m,
 *
 * among K candidates on m records, hold for every escape.
 *
 * Counting hessian's updates by the decrease of F lowers alpha (experiments/second_order.lua, n = 1e4, 1e5,
 * 1e6): alpha is .215, .0596, .0164. With T = 4 beta gap / g^2 + n_h, n1 = 1 + 4 gap / (beta drift) + n_h and
 * n_h = 1 + 10 gap sqrt(rho_H) / alpha^(3/2) it was .295, .0728, .0186; T alone, 15.6 times as large by `scale`, makes
 * it .238, .0612, .0166. The level really reached was .165, .034, .012 and is .139, .040, .011: it is that of the first
 * point with ||v|| <= 3 g, with noise or without, and changes less than the guarantee.
 *
 * When: saddles matter; `hessian` for d up to some tens. For a small mean gradient alone use dp_spider.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Ganesh, Liu, Oh & Thakurta 2023, as used by Lowy, Ullman & Wright 2024, sections 3, 7; psgd after Tao et al.
 *          2025; hessian as in Liu & Talwar 2024 (second version), noise of Wang & Xu 2020.
 * Privacy  (epsilon, delta), replace-one. erm: n1 gradients of sensitivity 2 L_data / n, T differences of 2 c / n,
 *          Hessians of Frobenius sensitivity hf / n, and the choice, composed; a choice costs rho epsilon_s^2 / 8 (em)
 *          or epsilon_s^2 / 2 (svt), selection_share of rho_z. population: every release on fresh records, the choice
 *          on a half of its own, in parallel: each has the whole budget.
 * Differs  Candidates for an escape have ||v|| <= 3 g (printed: g ln^3). T, n1, drift are explicit (printed: up to
 *          constants), for hessian by what each update lowers F by, and E is sharper than sqrt d times a logarithm.
 *          Scores are in units of alpha = 4 g, which a point that passes an escape has; in units of g its score would
 *          be above 3. drift falls to 0 only with a new gradient. `passed` is stored: 1 if the output is within the
 *          threshold or passed its escape's test, else 0; if a cap is reached or nothing passes, the output is the last
 *          iterate.
 * Output   the chosen candidate; with selection = none the point where the escape stopped. auto is em for kick, none
 *          for the others.
 * Cost     erm n (n1 + 2 T), n d^2 a Hessian; population 2 n; a choice m gradients and Hessians a candidate.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/escape.h"
#include "algorithms/parts/sosp.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { MODE, ESCAPE, SELECTION, ACCURACY, STEPS, SCALE, ETA, ETA_RULE, DRIFT, GRADIENTS, REFRESH, PAUSE, ROUNDS,
       ROUNDS_FRESH, IOTA, HESSIANS, STRIDE, SPLIT, HESSIAN_SHARE, SELECTION_SHARE, ZETA, ADVERSARY };
enum { ERM, POPULATION };
enum { PAPER, SMOOTH };
enum { GRID = 40 };

static const sp_param params[] = {
    [MODE]      = { "mode", SP_CHOICE, ERM, { 0, 0 }, "all records each time, or fresh ones", "erm|population" },
    [ESCAPE]    = { "escape", SP_CHOICE, SP_ESCAPE_KICK, { 0, 0 }, "from a saddle: kick as published, whose lemma is "
                    "false; two repairs, of which hessian is proved",
                    "kick|psgd|hessian" },
    [SELECTION] = { "selection", SP_CHOICE, SP_SOSP_AUTO, { 0, 0 }, "private choice of the answer", SP_SOSP_RULES },
    [ACCURACY]  = { "accuracy", SP_REAL, SP_DERIVED, SP_POSITIVE, "g, a quarter of the level alpha; default what the "
                    "noise allows, of `steps` where given" },
    [STEPS]     = { "steps", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default of `accuracy`" },
    [SCALE]     = { "scale", SP_REAL, 1, SP_POSITIVE, "multiplies T" },
    [ETA]       = { "eta", SP_REAL, SP_DERIVED, SP_POSITIVE, "step size; default 1 / beta, of psgd by eta_rule" },
    [ETA_RULE]  = { "eta_rule", SP_CHOICE, PAPER, { 0, 0 }, "psgd: eta = sqrt(rho_H alpha) / beta^2 (paper), or "
                    "1 / beta (smooth)", "paper|smooth" },
    [DRIFT]     = { "drift", SP_REAL, SP_DERIVED, { 1e-12, DBL_MAX }, "squared way between gradients, at least 1e-12, "
                    "with which no step takes a difference; default the best" },
    [GRADIENTS] = { "gradients", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "n1 at most; default of `drift`" },
    [REFRESH]   = { "refresh", SP_FLAG, false, { 0, 1 }, "kick: a new gradient before each" },
    [PAUSE]     = { "pause", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "kick: steps between two; default by theory" },
    [ROUNDS]    = { "rounds", SP_COUNT, SP_DERIVED, { 1, 1e6 }, "psgd: attempts at a point; default 5.2 ln(1/zeta)" },
    [ROUNDS_FRESH] = { "rounds_fresh", SP_FLAG, true, { 0, 1 }, "psgd: each attempt begins with a new gradient" },
    [IOTA]      = { "iota", SP_REAL, SP_DERIVED, { 1, 1e6 }, "psgd: logarithmic factor; default max(1, ln(d/zeta))" },
    [HESSIANS]  = { "hessians", SP_COUNT, SP_DERIVED, { 1, 1e6 }, "hessian: at most so many; default by theory" },
    [STRIDE]    = { "stride", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "steps from one candidate to the next; "
                    "default for about 1000 candidates" },
    [SPLIT]     = { "split", SP_REAL, 0.5, { 0.01, 0.99 }, "erm: gradients' share of the estimates' budget" },
    [HESSIAN_SHARE] = { "hessian_share", SP_REAL, 1.0 / 3.0, { 0.01, 0.99 }, "erm: Hessians' share of the releases'" },
    [SELECTION_SHARE] = { "selection_share", SP_REAL, 0.3, { 0.001, 0.9 }, "erm: share of rho_z that a choice costs" },
    [ZETA]      = { "zeta", SP_REAL, 0.1, { 1e-12, 0.5 }, "failure probability" },
    [ADVERSARY] = { "adversary", SP_REAL, 0, { 0, 1 }, "for experiments: in units of g, an error along the first axis "
                    "that every estimate gets, back to the start" },
    { 0 }
};

enum { OF_GRADIENTS, OF_DIFFERENCES, OF_HESSIANS, GROUPS };

typedef struct schedule {
    size_t mode;
    sp_escape_plan escape;
    sp_sosp choice;
    double drift, adversary;
    bool paper, fresh;                                  /* psgd: eta of the paper, rounds with new gradients */
    double count[GROUPS], share[GROUPS], batch[GROUPS]; /* releases at most; shares of rho; records of one */
    double rho, mu;                                     /* of the releases; of one on fresh records */
} schedule;

/* --- the schedule ------------------------------------------------------------------------------------------------ */

static double given_or(const sp_values *v, size_t key, double derived)
{
    return !sp_given(v, key) ? derived : v->params[key].kind == SP_COUNT ? (double)sp_count(v, key) : sp_real(v, key);
}

/* The step size at an accuracy. */
static double eta_of(const sp_constants *c, const sp_values *v, const schedule *s, double g)
{
    return given_or(v, ETA, fmin(1.0, s->paper ? sqrt(c->rho_hessian * 4.0 * g) / c->beta : 1.0) / c->beta);
}

/* The accuracy that so many updates are for, rounds aside: g^2 eta = 4 scale gap / steps. */
static double accuracy_of(const sp_constants *c, const sp_values *v, const schedule *s, double steps)
{
    const double scale = sp_real(v, SCALE), each = scale * c->gap / steps;
    if (s->escape.kind == SP_ESCAPE_HESSIAN)
        return sp_accuracy_of_fall(c, scale * c->gap / (steps - 1.0));
    const double smooth = sqrt(4.0 * c->beta * each);
    return s->paper ? fmax(smooth, sp_pow(2.0 * c->beta * c->beta * each / sqrt(c->rho_hessian), 0.4)) : smooth;
}

/* psgd: how often there may be all the rounds, with new gradients: at the answer, and where one of them gets away. */
static double sets_of_rounds(const sp_constants *c, const schedule *s)
{
    const double i = s->escape.iota, a = s->escape.alpha;
    return s->fresh ? 1.0 + floor(8.0 * i * i * i * sqrt(c->rho_hessian / a) * c->gap / a) : 1.0;
}

/* All that follows from g and the drift. */
static void plan_at(const sp_constants *c, const sp_values *v, double g, double drift, schedule *s)
{
    sp_escape_plan *escape = &s->escape;
    double *count = s->count;
    escape->g = g;
    escape->alpha = s->choice.alpha = 4.0 * g;
    escape->eta = eta_of(c, v, s, g);
    s->drift = drift;
    escape->pause = given_or(v, PAUSE, sp_escape_pause(c, escape));
    escape->round_steps = sp_escape_round(c, escape);
    if (escape->kind == SP_ESCAPE_HESSIAN) {
        const double jump = sp_jump_fall(c, g);
        count[OF_HESSIANS] = given_or(v, HESSIANS, 1.0 + floor(c->gap / jump));
        count[OF_DIFFERENCES] = 1.0 + floor(sp_real(v, SCALE) * c->gap / fmin(sp_step_fall(c, 3.0 * g), jump));
        count[OF_GRADIENTS] = 1.0 + floor(c->gap / fmin(sp_step_fall(c, c->beta * sqrt(drift)), jump));
    } else {
        const double beta = s->paper ? 1.0 / escape->eta : c->beta;
        count[OF_DIFFERENCES] = ceil(sp_real(v, SCALE) * 4.0 * beta * c->gap / (g * g));
        count[OF_GRADIENTS] = 1.0 + ceil(4.0 * c->gap / (beta * drift));
        if (escape->kind == SP_ESCAPE_PSGD) {
            const double rounds = escape->rounds * sets_of_rounds(c, s);
            count[OF_DIFFERENCES] += rounds * escape->round_steps;
            count[OF_GRADIENTS] += s->fresh ? rounds : 0.0;
        }
    }
    count[OF_DIFFERENCES] = given_or(v, STEPS, count[OF_DIFFERENCES]);
    if (escape->kind == SP_ESCAPE_KICK && sp_flag(v, REFRESH))
        count[OF_GRADIENTS] += ceil(count[OF_DIFFERENCES] / escape->pause);
    count[OF_GRADIENTS] = given_or(v, GRADIENTS, fmin(count[OF_GRADIENTS], count[OF_DIFFERENCES]));
    for (int i = 0; i < GROUPS && s->mode == POPULATION; i++)
        s->batch[i] = floor(((double)c->n - s->choice.records) /
                            ((escape->kind == SP_ESCAPE_HESSIAN ? 3.0 : 2.0) * fmax(count[i], 1.0)));
}

/* Noise multiplier of a release. */
static double multiplier_of(const schedule *s, int group)
{
    return s->mode == POPULATION ? 1.0 / s->mu : sqrt(s->count[group] / (2.0 * s->share[group] * s->rho));
}

/* E */
static double gradient_error(const sp_constants *c, const schedule *s)
{
    const double l = sp_log(8.0 * s->count[OF_GRADIENTS] / s->escape.zeta), b1 = s->batch[0], b2 = s->batch[1];
    const double fresh = 2.0 * c->L_data / b1, moved = 2.0 * c->beta_data * sqrt(s->drift) / b2;
    const double noise = sp_hypot(fresh * multiplier_of(s, OF_GRADIENTS), moved * multiplier_of(s, OF_DIFFERENCES));
    const double sampling = s->mode == POPULATION ? sqrt(2.0 * l * (fresh * fresh * b1 + moved * moved * b2)) : 0.0;
    return b1 >= 1.0 && b2 >= 1.0 ? (sqrt((double)c->d) + sqrt(2.0 * l)) * noise + sampling : INFINITY;
}

/* E_h */
static double hessian_error(const sp_constants *c, const schedule *s)
{
    const double d = (double)c->d, many = s->count[OF_HESSIANS], b = s->batch[OF_HESSIANS];
    const double noise = c->hessian_frobenius / b * multiplier_of(s, OF_HESSIANS);
    const double zeta = s->escape.zeta, l = sp_log(8.0 * d * many / zeta);
    const double sampling = s->mode == POPULATION ? sp_hessian_spread(c) * sqrt(8.0 * l / b) : 0.0;
    return b >= 1.0 ? (sqrt(2.0 * d) + sqrt(2.0 * sp_log(4.0 * many / zeta))) * noise + sampling : INFINITY;
}

static bool accurate(const sp_constants *c, const schedule *s)
{
    if (s->escape.kind == SP_ESCAPE_HESSIAN && !(hessian_error(c, s) <= 0.1 * sqrt(c->rho_hessian * s->escape.alpha)))
        return false;
    return gradient_error(c, s) <= (s->escape.kind == SP_ESCAPE_HESSIAN ? 0.2 : 0.25) * s->escape.g;
}

/* plan_at with the drift of the smallest error. */
static void plan_for(const sp_constants *c, const sp_values *v, double g, schedule *s)
{
    schedule at = *s;
    double smallest = INFINITY;
    plan_at(c, v, g, given_or(v, DRIFT, 4.0 * c->gap / c->beta), s);
    for (int i = 0; i <= GRID && !sp_given(v, DRIFT); i++) {
        plan_at(c, v, g, ldexp(4.0 * c->gap / c->beta, -i), &at);
        const double error = gradient_error(c, &at);
        if (error < smallest) {
            smallest = error;
            *s = at;
        }
    }
}

/* The smallest g that the noise allows; `top` where none below it is. */
static void bisect(const sp_constants *c, const sp_values *v, double top, schedule *s)
{
    double low = 1e-9 * top, high = top;
    while (high > low * (1.0 + 1e-9)) {
        const double middle = sqrt(low * high);
        plan_for(c, v, middle, s);
        if (accurate(c, s))
            high = middle;
        else
            low = middle;
    }
    plan_for(c, v, high, s);
}

/* Between choice and releases, and among these. */
static void divide(const sp_oracle *o, const sp_values *v, schedule *s)
{
    const sp_budget *b = sp_budget_of(o);
    const double n = (double)sp_records(o), share = sp_real(v, SELECTION_SHARE);
    const bool shared = s->mode == ERM && s->choice.rule != SP_SOSP_NONE;
    sp_sosp_divide(&s->choice, o, s->mode == POPULATION, share);
    s->rho = shared ? b->rho_z * (1.0 - share) : b->rho;
    s->mu = b->mu;
    const double estimates = s->escape.kind == SP_ESCAPE_HESSIAN ? 1.0 - sp_real(v, HESSIAN_SHARE) : 1.0;
    s->share[OF_GRADIENTS] = s->mode == POPULATION ? 1.0 : estimates * sp_real(v, SPLIT);
    s->share[OF_DIFFERENCES] = s->mode == POPULATION ? 1.0 : estimates * (1.0 - sp_real(v, SPLIT));
    s->share[OF_HESSIANS] = s->mode == POPULATION ? 1.0 : 1.0 - estimates;
    for (int i = 0; i < GROUPS; i++)
        s->batch[i] = n;
}

static void report(sp_oracle *o, const sp_values *v, const schedule *s, sp_provenance from)
{
    const sp_escape_plan *escape = &s->escape;
    const bool kick = escape->kind == SP_ESCAPE_KICK, psgd = escape->kind == SP_ESCAPE_PSGD;
    const struct { size_t key; double value; bool used; } rows[] = {
        { ACCURACY, escape->g, true }, { STEPS, s->count[OF_DIFFERENCES], true }, { ETA, escape->eta, true },
        { DRIFT, s->drift, true }, { GRADIENTS, s->count[OF_GRADIENTS], true }, { PAUSE, escape->pause, kick },
        { ROUNDS, escape->rounds, psgd }, { IOTA, escape->iota, psgd },
        { HESSIANS, s->count[OF_HESSIANS], escape->kind == SP_ESCAPE_HESSIAN },
        { STRIDE, s->choice.stride, s->choice.rule != SP_SOSP_NONE },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].used)
            sp_resolved(o, params[rows[i].key].key, rows[i].value, sp_given(v, rows[i].key) ? SP_FROM_USER : from);
}

static sp_status resolve(sp_oracle *o, const sp_values *v, schedule *s)
{
    const sp_constants *c = sp_public(o);
    const double top = sp_level_at_start(c) / 4.0, zeta = sp_real(v, ZETA), d = (double)c->d;
    *s = (schedule){ .mode = sp_choice(v, MODE), .adversary = sp_real(v, ADVERSARY),
                     .choice = { .rule = (sp_sosp_rule)sp_choice(v, SELECTION), .zeta = zeta },
                     .escape = { .kind = (sp_escape_kind)sp_choice(v, ESCAPE), .zeta = zeta } };
    s->paper = s->escape.kind == SP_ESCAPE_PSGD && sp_choice(v, ETA_RULE) == PAPER;
    s->fresh = s->escape.kind == SP_ESCAPE_PSGD && sp_flag(v, ROUNDS_FRESH);
    if (s->choice.rule == SP_SOSP_AUTO)
        s->choice.rule = s->escape.kind == SP_ESCAPE_KICK ? SP_SOSP_EM : SP_SOSP_NONE;
    s->escape.rounds = given_or(v, ROUNDS, ceil(5.2 * sp_log(1.0 / zeta)));
    s->escape.iota = given_or(v, IOTA, fmax(1.0, sp_log(d / zeta)));
    divide(o, v, s);
    if (sp_given(v, ACCURACY))
        plan_for(c, v, sp_real(v, ACCURACY), s);
    else if (sp_given(v, STEPS))
        plan_for(c, v, fmin(top, accuracy_of(c, v, s, given_or(v, STEPS, 1.0))), s);
    else if (isfinite(s->rho))
        bisect(c, v, top, s);
    else
        return sp_refuse(o, SP_EINVAL, "accuracy or steps must be given: their default needs a privacy budget");
    if (!(s->count[OF_DIFFERENCES] >= 1.0 && s->count[OF_DIFFERENCES] <= SP_STEPS_MAX))
        return sp_refuse(o, SP_EINVAL, "accuracy = %g takes %g steps", s->escape.g, s->count[OF_DIFFERENCES]);
    for (int i = 0; i < GROUPS; i++)
        s->batch[i] = fmax(s->batch[i], 1.0);
    s->choice.steps = s->count[OF_DIFFERENCES];
    s->choice.stride = given_or(v, STRIDE, ceil(s->choice.steps / SP_SOSP_CANDIDATES));

    const double reached = sp_sosp_bound(&s->choice, c), error = gradient_error(c, s);
    const bool reliable = accurate(c, s), capped = s->escape.g == top && !sp_given(v, ACCURACY);
    report(o, v, s, capped ? SP_FROM_CAP : SP_FROM_THEORY);
    if (reliable)
        sp_promise(o, s->escape.kind == SP_ESCAPE_HESSIAN && s->mode == ERM &&
                      sp_domain_of(o)->kind == SP_DOMAIN_SPACE && !sp_given(v, ETA) && s->adversary == 0.0,
                   reached, sp_level_at_start(c));
    else
        sp_warn_of(o, SP_WARNED_VACUOUS_PARAMETERS,
                   "vacuous parameters: estimates err by up to %.3g, more than accuracy g = %.3g can bear; level %.3g, "
                   "and %.3g holds at the start", error, s->escape.g, reached, sp_level_at_start(c));
    return SP_OK;
}

/* --- the run ----------------------------------------------------------------------------------------------------- */

typedef struct state {
    sp_oracle *o;
    schedule *s;
    sp_walk walk;
    size_t taken;              /* steps */
    size_t used[GROUPS];       /* releases */
    double multiplier[GROUPS]; /* of their noise */
    double records;            /* population: left for fresh batches */
} state;

/* A batch for the next release of a group. False: records or releases have run out, and the run stops. */
static bool may(state *a, int group)
{
    const schedule *s = a->s;
    if ((double)a->used[group] < s->count[group] && (s->mode == ERM || s->batch[group] <= a->records))
        return true;
    a->walk.done = true;
    return false;
}

static sp_status draw(state *a, int group, sp_batch *batch)
{
    const size_t m = (size_t)a->s->batch[group];
    a->used[group]++;
    a->records -= (double)m;
    return sp_draw(a->o, a->s->mode == POPULATION ? sp_fresh(m) : sp_full(), batch);
}

static sp_status fresh(state *a)
{
    sp_status status = SP_OK;
    sp_batch batch;
    if (!may(a, OF_GRADIENTS))
        return SP_OK;
    SP_TRY(draw(a, OF_GRADIENTS, &batch));
    SP_TRY(sp_gradient(a->o, &SP_AT(batch, a->walk.w), a->multiplier[OF_GRADIENTS], a->walk.estimate));
    a->walk.drift = a->walk.error = 0.0;
cleanup:
    return status;
}

static sp_status estimate(state *a)
{
    sp_status status = SP_OK;
    sp_walk *walk = &a->walk;
    sp_batch batch;
    if (walk->drift >= a->s->drift)
        return fresh(a);
    if (!may(a, OF_DIFFERENCES))
        return SP_OK;
    SP_TRY(draw(a, OF_DIFFERENCES, &batch));
    SP_TRY(sp_gradient(a->o, &SP_BETWEEN(batch, walk->w, walk->previous), a->multiplier[OF_DIFFERENCES], walk->work));
    cblas_daxpy((int)walk->d, 1.0, walk->work, 1, walk->estimate, 1);
cleanup:
    return status;
}

static sp_status kick(state *a, bool refresh)
{
    sp_status status = SP_OK;
    if (refresh)
        SP_TRY(fresh(a));
    if (!a->walk.done)
        sp_escape_kick(&a->walk);
cleanup:
    return status;
}

static sp_status jump(state *a)
{
    sp_status status = SP_OK;
    sp_batch batch;
    if (!may(a, OF_HESSIANS))
        return SP_OK;
    SP_TRY(draw(a, OF_HESSIANS, &batch));
    SP_TRY(sp_hessian(a->o, batch, a->walk.w, a->multiplier[OF_HESSIANS], a->walk.work));
    SP_TRY(sp_escape_jump(&a->walk));
cleanup:
    return status;
}

/* Replaces the error that the adversary added to the last estimate. */
static void mislead(state *a)
{
    sp_walk *walk = &a->walk;
    const double most = a->s->adversary * a->s->escape.g;
    const double back = (walk->w[0] - sp_start(a->o)[0]) / a->s->escape.eta;
    walk->estimate[0] -= walk->error;
    walk->error = fmax(-most, fmin(most, back - walk->estimate[0]));
    walk->estimate[0] += walk->error;
}

/* The first round at w, from its estimate or a new one. */
static sp_status begin_rounds(state *a)
{
    sp_status status = SP_OK;
    if (a->s->fresh)
        SP_TRY(fresh(a));
    if (a->walk.done)
        return SP_OK;
    if (a->s->fresh && a->s->adversary > 0.0)
        mislead(a);
    sp_escape_begin(&a->walk);
    if (a->s->fresh)
        a->walk.anchor_drift = INFINITY;
cleanup:
    return status;
}

/* The next update from a known estimate. */
static sp_status update(state *a, bool refresh)
{
    sp_status status = SP_OK;
    const sp_escape_kind kind = a->s->escape.kind;
    if (a->s->adversary > 0.0)
        mislead(a);
    const bool due = sp_escape_due(&a->walk);
    if (due && kind == SP_ESCAPE_KICK)
        return kick(a, refresh);
    if (due && kind == SP_ESCAPE_HESSIAN)
        return jump(a);
    if (due && kind == SP_ESCAPE_PSGD && a->walk.round == 0)
        SP_TRY(begin_rounds(a));
    if (!a->walk.done)
        sp_walk_step(&a->walk);
cleanup:
    return status;
}

static sp_status descend(state *a, bool refresh)
{
    sp_status status = SP_OK;
    const size_t steps = (size_t)a->s->count[OF_DIFFERENCES];
    bool kept = false;
    while (!a->walk.done && a->taken < steps) {
        SP_TRY(estimate(a));
        if (!a->walk.done)
            SP_TRY(update(a, refresh));
        if (a->walk.done)
            break;
        SP_TRY(sp_checkpoint(a->o, ++a->taken, a->walk.w));
        kept = sp_sosp_offer(&a->s->choice, a->taken, a->walk.w);
    }
    if (a->walk.done || !kept)
        sp_sosp_keep(&a->s->choice, a->walk.w);
cleanup:
    return status;
}

static void tell_stop(const state *a)
{
    const schedule *s = a->s;
    if (a->walk.done && !a->walk.passed)
        sp_warn_of(a->o, SP_WARNED_STOPPED_EARLY,
                   "stopped after %zu of %g steps: %zu of %g gradients, %zu of %g Hessians used", a->taken,
                   s->count[OF_DIFFERENCES], a->used[OF_GRADIENTS], s->count[OF_GRADIENTS], a->used[OF_HESSIANS],
                   s->count[OF_HESSIANS]);
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(o);
    double *memory = sp_alloc(d + 6, d * sizeof *memory);
    schedule s = { 0 };
    state a = { .o = o, .s = &s,
                .walk = { .o = o, .plan = &s.escape, .d = d, .w = w, .drift = INFINITY } };

    if (!memory)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient estimate"));
    a.walk.previous = memory;
    a.walk.estimate = memory + d;
    a.walk.anchor = memory + 2 * d;
    a.walk.anchor_estimate = memory + 3 * d;
    a.walk.work = memory + 4 * d; /* d of a change, d x d of a Hessian and d of its eigenvector */
    SP_TRY(resolve(o, v, &s));
    SP_TRY(sp_sosp_open(&s.choice, o));
    a.records = (double)sp_records(o) - (s.mode == POPULATION ? s.choice.records : 0.0);
    sp_release_plan plan[GROUPS + 1] = { [GROUPS] = sp_sosp_release(&s.choice) };
    static const sp_release_kind kinds[GROUPS] = { SP_GRADIENT, SP_DIFFERENCE, SP_HESSIAN };
    for (int i = 0; i < GROUPS; i++)
        plan[i] = (sp_release_plan){ .kind = kinds[i], .count = (size_t)s.count[i], .share = s.share[i],
                                     .sample = s.mode == POPULATION ? sp_fresh((size_t)s.batch[i]) : sp_full() };
    double multiplier[GROUPS + 1] = { 0.0 };
    const bool announced = s.choice.rule != SP_SOSP_NONE && !s.choice.apart;
    SP_TRY(sp_calibrate(o, plan, announced ? GROUPS + 1 : GROUPS, multiplier));
    memcpy(a.multiplier, multiplier, sizeof a.multiplier);

    SP_TRY(descend(&a, sp_flag(v, REFRESH)));
    tell_stop(&a);
    if (s.choice.rule == SP_SOSP_NONE)
        sp_escape_tell(&a.walk);
    SP_TRY(sp_sosp_choose(&s.choice, w));
    SP_TRY(sp_checkpoint(o, a.taken + 1, w));
cleanup:
    free(s.choice.list);
    free(memory);
    return status;
}

const sp_algorithm sp_algorithm_spider_sosp = {
    .name = "spider_sosp",
    .summary = "SPIDER with saddle escapes and a private choice: second-order stationary points, where saddles matter",
    .when = "saddles matter: escape = hessian up to d of some tens, else kick, of which nothing is proved; a small "
            "mean gradient alone is dp_spider's",
    .source = "Ganesh, Liu, Oh & Thakurta 2023; Lowy, Ullman & Wright 2024; escapes after Tao et al. 2025 and Liu & "
              "Talwar 2024",
    .releases = "at most n1 gradients, sensitivity 2 L_data / n, T gradient differences, 2 min(beta_data ||w - w'||, "
                "2 L_data) / n, Hessians; one choice among the iterates. population: each on fresh records",
    .uses = "parts/escape parts/fits parts/sosp parts/theory",
    .params = params,
    .fits = sp_escape_fits,
    .run = run,
};
