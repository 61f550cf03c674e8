/*
 * em_net.c -- the exponential mechanism on a net of points: finds a point of nearly the smallest loss, for any
 * Lipschitz loss.
 *
 *   return one of {w_1, ..., w_N} with P(i) ~ exp(-tau F(w_i)),  tau = epsilon n / (4 L_data R)
 *
 * on a compact set W, covered by a ball of radius R: the domain, or on the whole space the ball of radius `distance`
 * about w0, which contains a minimiser. The net is public: for d <= 3 a regular grid, shifted at random within a cell
 * by public coins (so that no minimiser is on it by design) and projected onto W; otherwise N uniform points of the
 * ball, projected, and the start. With r its covering radius, and probability 1 - zeta,
 *
 *   F(w) - F* <= (ln N + ln(1/zeta)) / tau + L r                                                          (bound)
 *
 * (random points: r = 2 R (ln(2/zeta) / N)^(1/d) covers the minimiser with probability 1 - zeta/2, and ln(2/zeta)).
 * r = 2 R d / (epsilon n) makes the second term as small as the first; this requires (1 + epsilon n / d)^d points.
 *
 * search = true makes the choice on the grid without computing a score for each point
 * (core/oracle/mechanisms/choose_grid.c). The distribution is exactly the same, and some hundred evaluations (d <= 2)
 * or thousand suffice for up to 1e15 points. But its running time depends on the records: a side channel, which epsilon
 * does not cover. Set search = true only if nobody can measure the time. The losses it evaluates are not in the
 * reported cost. Without search, the cap on the number of points costs accuracy from about n = 1e4, d = 2 on.
 *
 * When: as the first stage of a warm start for d of 1 to 3, if only L is known of the loss (Corollary 4.3). For larger
 * d use em_zoom.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Lowy, Ullman & Wright 2024, Definition 4.1, Lemma 4.2; McSherry & Talwar 2007.
 * Privacy  epsilon, pure, replace-one, for every net: one exponential mechanism whose losses, relative to the centre of
 *          W and clipped to +-L_data R, have range sensitivity at most 4 L_data R / n.
 * Differs  The printed exponent is half of tau: it is (epsilon / 2)-DP. F need not be bounded. The printed cardinality
 *          has a factor D^d too many.
 * Output   the chosen point.
 * Cost     (N + 1) n losses, N doubles and for d > 3 N d.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/compact.h"
#include "algorithms/parts/theory.h"
#include "core/numeric/normal.h"

#include <gsl/gsl_cblas.h>

enum { POINTS, RESOLUTION, SEARCH, ZETA };

static const sp_param params[] = {
    [POINTS] = { "points", SP_COUNT, SP_DERIVED, { 2, SP_GRID_MAX }, "at most so many points N; default 20 n, at least "
                                                                 "1000, at most 2e9 / n; of a search 2^50" },
    [RESOLUTION] = { "resolution", SP_REAL, SP_DERIVED, SP_POSITIVE, "covering radius r of the grid; default "
                                                                     "2 R d / (epsilon n), capped by points" },
    [SEARCH] = { "search", SP_FLAG, false, { 0, 1 }, "find the choice without listing the grid (d <= 3); the running "
                                                     "time then depends on the records" },
    [ZETA]   = { "zeta",   SP_REAL, SP_DERIVED, { 1e-12, 0.5 }, "failure probability; default sqrt(d) / (n epsilon)" },
    { 0 }
};

typedef struct net {
    double epsilon, zeta, R, half; /* W: covered by a ball, by a cube of side 2 half */
    double r, N;
    size_t side;                   /* of a grid; 0: random points */
    sp_provenance from;
} net;

/* The most points a side of N in all. */
static double root(double N, size_t d)
{
    const double exact = sp_pow(N, 1.0 / (double)d), next = floor(exact) + 1.0;
    double product = 1.0;
    for (size_t j = 0; j < d; j++)
        product *= next;
    return product <= N ? next : floor(exact);
}

static net resolve(const sp_oracle *o, const sp_values *v)
{
    const sp_constants *c = sp_public(o);
    const sp_domain *domain = sp_domain_of(o);
    const double n = (double)c->n, d = (double)c->d;
    const bool grid = c->d <= SP_GRID_SEARCH_D;
    net s = { .epsilon = sp_choice_epsilon(o, 1.0), .R = sp_compact(o, NULL), .from = SP_FROM_THEORY };
    s.half = domain->kind == SP_DOMAIN_BOX ? 0.5 * (domain->high - domain->low) : s.R;
    s.zeta = sp_given(v, ZETA) ? sp_real(v, ZETA) : sp_choice_zeta(c, s.epsilon);
    double most = grid && sp_flag(v, SEARCH) ? SP_GRID_MAX - 1.0 : fmax(fmin(20.0 * n, floor(2e9 / n)), 1000.0);
    if (sp_given(v, POINTS))
        most = (double)sp_count(v, POINTS);
    const double wanted = sp_given(v, RESOLUTION) ? sp_real(v, RESOLUTION) : 2.0 * s.R * d / (s.epsilon * n);
    if (grid) {
        const double cells = ceil(s.half * sqrt(d) / wanted), cap = fmax(root(most, c->d) - 1.0, 1.0);
        s.side = (size_t)fmax(fmin(cells, cap), 1.0) + 1;
        s.from = sp_given(v, RESOLUTION) ? SP_FROM_USER : SP_FROM_THEORY;
        s.r = s.half * sqrt(d) / (double)(s.side - 1);
        s.N = sp_pow((double)s.side, d) + 1.0;
        if (cells > cap)
            s.from = SP_FROM_CAP;
    } else {
        const double theory = sp_pow(1.0 + s.epsilon * n / d, d);
        s.N = fmax(fmin(ceil(theory), most), 1.0) + 1.0;
        s.from = sp_given(v, POINTS) ? SP_FROM_USER : theory > most ? SP_FROM_CAP : SP_FROM_THEORY;
        s.r = sp_covering_radius(s.R, d, s.N - 1.0, s.zeta / 2.0);
    }
    return s;
}

static double bound(const sp_constants *c, const net *s)
{
    const double tau = s->epsilon * (double)c->n / (4.0 * c->L_data * s->R);
    return (sp_log(s->N) + sp_log((s->side > 0 ? 1.0 : 2.0) / s->zeta)) / tau + c->L * s->r;
}

static double risk_bound(const sp_oracle *o, const sp_values *v)
{
    const net s = resolve(o, v);
    return bound(sp_public(o), &s);
}

/* The net around `centre`; points[d] holds the start in W, points has room for N - 1 more if they are random. */
static sp_space make(sp_oracle *o, const sp_values *v, const net *s, const double *centre, double *origin,
                     double *points)
{
    const size_t d = sp_dimension(o);
    if (s->side > 0) {
        const double spacing = 2.0 * s->half / (double)(s->side - 1);
        for (size_t j = 0; j < d; j++)
            origin[j] = centre[j] - s->half + (0.5 - gsl_rng_uniform(sp_coins(o))) * spacing;
        return (sp_space){ .kind = SP_SPACE_GRID, .points = points, .origin = origin, .spacing = spacing,
                           .side = s->side, .search = sp_flag(v, SEARCH) };
    }
    for (size_t i = 1; i < (size_t)s->N; i++) {
        double *w = points + i * d;
        sp_ball_uniform(sp_coins(o), d, s->R, w);
        cblas_daxpy((int)d, 1.0, centre, 1, w, 1);
        sp_compact_project(o, w);
    }
    return (sp_space){ .kind = SP_SPACE_LIST, .count = (size_t)s->N, .points = points };
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const size_t d = c->d;
    const net s = resolve(o, v);
    double *centre = sp_alloc(2, d * sizeof *centre);
    double *points = sp_alloc(s.side > 0 ? 1 : (size_t)s.N, d * sizeof *points);
    double none;
    sp_batch all;
    if (!centre || !points)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for %.0f points", s.N));
    sp_resolved(o, "resolution", s.r, s.from);
    sp_resolved(o, "points", s.N, s.from);
    sp_resolved(o, "zeta", s.zeta, sp_given(v, ZETA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_promise(o, true, bound(c, &s), c->gap);
    if (sp_flag(v, SEARCH) && s.side == 0)
        sp_warn_of(o, SP_WARNED_PARAMETER_CUT,
                   "d = %zu: there is no grid to search; %.0f random points are listed", d, s.N);

    sp_compact(o, centre);
    sp_compact_project(o, w);
    memcpy(points, w, d * sizeof *w);
    SP_TRY(sp_checkpoint(o, 0, w));
    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_SELECTION, .count = 1, .epsilon = s.epsilon }, 1, &none));
    const sp_space space = make(o, v, &s, centre, centre + d, points);
    SP_TRY(sp_draw(o, sp_full(), &all));
    SP_TRY(sp_choose(o, all, &space, &(sp_score){ .kind = SP_SCORE_LOSS, .reference = centre, .radius = s.R },
                     SP_CHOOSE_EXPONENTIAL, s.epsilon, w, NULL));
    SP_TRY(sp_checkpoint(o, 1, w));
cleanup:
    free(points);
    free(centre);
    return status;
}

const sp_algorithm sp_algorithm_em_net = {
    .name = "em_net",
    .summary = "the exponential mechanism on a net: to start a warm start in 1 to 3 dimensions, whatever the loss",
    .when = "1 to 3 dimensions and nothing known of the loss but L; em_zoom beyond",
    .source = "Lowy, Ullman & Wright 2024, Definition 4.1 and Lemma 4.2",
    .releases = "one exponential mechanism over N losses, range sensitivity 4 L_data R / n",
    .uses = "parts/compact parts/theory",
    .params = params,
    .fits = sp_compact_fits,
    .run = run,
    .risk_bound = risk_bound,
};
