/*
 * em_zoom.c -- exponential mechanisms on shrinking balls: a coarse search of the whole domain, then finer ones around
 * the best point.
 *
 *   w_0 = centre of W;   round j = 0..J-1: among N uniform points of the ball of radius R_j = R 2^-j about w_j,
 *   projected into W, and w_j itself (j = 0: and the start), w_{j+1} = point i with P(i) ~ exp(-tau_j F(w_i)),
 *   tau_j = epsilon_j n / (4 L_data R_j),  sum epsilon_j = epsilon
 *
 * W and R are those of em_net. Losses are relative to w_j, so the sensitivity shrinks with the ball, and 1 / tau_j with
 * it. Because w_j stays among the candidates, later rounds lose no more of what round 0 reached than their own noise:
 * with probability 1 - zeta,
 *
 *   F(w) - F* <= L r_0 + sum_j (ln(N + 2) + ln((J+1)/zeta)) / tau_j,  r_0 = 2 R (ln((J+1)/zeta) / N)^(1/d)   (bound)
 *
 * The later rounds usually gain much more than (bound) says, but this is not proved: they may end in the basin of a
 * local minimum.
 *
 * When: as the first stage of a warm start for d up to about 10; em_net for d <= 3, langevin for more.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   ours, based on Lowy, Ullman & Wright 2024, Definition 4.1, so that it runs beyond d = 2.
 * Privacy  epsilon, pure, replace-one: J exponential mechanisms, which compose to sum epsilon_j, in zCDP to sum
 *          epsilon_j^2 / 8, whichever is better for the same budget.
 * Differs  -
 * Output   the last choice.
 * Cost     J (N + 3) n losses, N d doubles.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/compact.h"
#include "algorithms/parts/theory.h"
#include "core/numeric/normal.h"

#include <gsl/gsl_cblas.h>

enum { ROUNDS, POINTS, FIRST, ZETA };
enum { ROUNDS_MAX = 60 };

static const sp_param params[] = {
    [ROUNDS] = { "rounds", SP_COUNT, SP_DERIVED, { 1, ROUNDS_MAX }, "rounds J; default log2(n epsilon / d), 1 to 12" },
    [POINTS] = { "points", SP_COUNT, SP_DERIVED, { 1, 1e8 }, "random points N of a round; default 20 n / J, at least "
                                                             "100, at most 2e9 / (n J)" },
    [FIRST]  = { "first",  SP_REAL, 0.5, { 0.01, 0.99 }, "share of epsilon for round 0; the others get equal parts" },
    [ZETA]   = { "zeta",   SP_REAL, SP_DERIVED, { 1e-12, 0.5 }, "failure probability; default sqrt(d) / (n epsilon)" },
    { 0 }
};

typedef struct schedule {
    size_t rounds, points;
    double wanted; /* rounds, if their number had no limit */
    double first, rest; /* epsilon_0, epsilon_j */
    double zeta, R;
} schedule;

static schedule resolve(const sp_oracle *o, const sp_values *v)
{
    const sp_constants *c = sp_public(o);
    const double n = (double)c->n, d = (double)c->d;
    schedule s = { .R = sp_compact(o, NULL) };
    const double halvings = ceil(sp_log(n * sp_budget_of(o)->epsilon / d) / M_LN2);
    s.rounds = sp_given(v, ROUNDS) ? sp_count(v, ROUNDS) : (size_t)fmax(fmin(halvings, 12.0), 1.0);
    s.wanted = sp_given(v, ROUNDS) ? (double)s.rounds : fmax(halvings, 1.0);
    const double J = (double)s.rounds;
    s.points = sp_given(v, POINTS) ? sp_count(v, POINTS)
                                   : (size_t)fmax(fmin(20.0 * n, floor(2e9 / n)) / J, 100.0);
    const double first = s.rounds > 1 ? sp_real(v, FIRST) : 1.0, rest = (1.0 - first) / fmax(J - 1.0, 1.0);
    const double epsilon = sp_choice_epsilon(o, first * first + (J - 1.0) * rest * rest);
    s.first = first * epsilon;
    s.rest = rest * epsilon;
    s.zeta = sp_given(v, ZETA) ? sp_real(v, ZETA) : sp_choice_zeta(c, epsilon);
    return s;
}

static double epsilon_of(const schedule *s, size_t j)
{
    return j == 0 ? s->first : s->rest;
}

static double risk_bound(const sp_oracle *o, const sp_values *v)
{
    const sp_constants *c = sp_public(o);
    const schedule s = resolve(o, v);
    const double zeta = s.zeta / ((double)s.rounds + 1.0), N = (double)s.points;
    double sum = c->L * sp_covering_radius(s.R, (double)c->d, N, zeta);
    for (size_t j = 0; j < s.rounds; j++) {
        const double tau = epsilon_of(&s, j) * (double)c->n / (4.0 * c->L_data * ldexp(s.R, -(int)j));
        sum += (sp_log(N + 2.0) + sp_log(1.0 / zeta)) / tau;
    }
    return sum;
}

/* points[0] is the centre of the round and stays; fills the others up to `count`. */
static void scatter(sp_oracle *o, double radius, size_t from, size_t count, double *points)
{
    const int d = (int)sp_dimension(o);
    for (size_t i = from; i < count; i++) {
        double *w = points + i * (size_t)d;
        sp_ball_uniform(sp_coins(o), (size_t)d, radius, w);
        cblas_daxpy(d, 1.0, points, 1, w, 1);
        sp_compact_project(o, w);
    }
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const size_t d = c->d;
    const schedule s = resolve(o, v);
    double *points = sp_alloc(s.points + 2, d * sizeof *points);
    const sp_release_plan plan[] = {
        { .kind = SP_SELECTION, .count = 1, .epsilon = s.first },
        { .kind = SP_SELECTION, .count = s.rounds - 1, .epsilon = s.rest },
    };
    double none[2];
    sp_batch all;
    if (!points)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for %zu points", s.points + 2));
    sp_capped(o, "rounds", (double)s.rounds, s.wanted, sp_given(v, ROUNDS) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "points", (double)s.points, sp_given(v, POINTS) ? SP_FROM_USER : SP_FROM_CAP);
    sp_resolved(o, "zeta", s.zeta, sp_given(v, ZETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_promise(o, true, risk_bound(o, v), c->gap);

    sp_compact(o, points);
    sp_compact_project(o, w);
    SP_TRY(sp_checkpoint(o, 0, w));
    SP_TRY(sp_calibrate(o, plan, s.rounds > 1 ? 2 : 1, none));
    SP_TRY(sp_draw(o, sp_full(), &all));
    for (size_t j = 0; j < s.rounds; j++) {
        const double radius = ldexp(s.R, -(int)j);
        const size_t count = s.points + (j == 0 ? 2 : 1);
        memcpy(points + (j == 0 ? d : 0), w, d * sizeof *w);
        scatter(o, radius, j == 0 ? 2 : 1, count, points);
        SP_TRY(sp_choose(o, all, &(sp_space){ .kind = SP_SPACE_LIST, .count = count, .points = points },
                         &(sp_score){ .kind = SP_SCORE_LOSS, .reference = points, .radius = radius },
                         SP_CHOOSE_EXPONENTIAL, epsilon_of(&s, j), w, NULL));
        SP_TRY(sp_checkpoint(o, j + 1, w));
    }
cleanup:
    free(points);
    return status;
}

const sp_algorithm sp_algorithm_em_zoom = {
    .name = "em_zoom",
    .summary = "exponential mechanisms on shrinking balls: to start a warm start in up to about 10 dimensions",
    .when = "up to about 10 dimensions and nothing known of the loss but L; langevin beyond",
    .source = "after Lowy, Ullman & Wright 2024, Definition 4.1",
    .releases = "J exponential mechanisms over N losses, range sensitivity 4 L_data R 2^-j / n",
    .uses = "parts/compact parts/theory",
    .params = params,
    .fits = sp_compact_fits,
    .run = run,
    .risk_bound = risk_bound,
};
