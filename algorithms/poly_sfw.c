/*
 * poly_sfw.c -- one-pass stochastic Frank-Wolfe over the vertices of a polytope; the gradient estimate stays secret.
 *
 *   round r = 0..R-1, step t = 0..2^r - 1, h_t = 1 / sqrt(t + 1), on m_t = max(1, ceil(b / (t + 1))) fresh records:
 *     G = mean grad f(w) at t = 0, then  G <- (1 - h_t) G + mean( grad f(w) - (1 - h_t) grad f(w_prev) )
 *     v ~ P(v) ~ exp(-tau_r <v, G>) over the J vertices of W;   w_prev = w,   w <- (1 - h_t) w + h_t v
 *
 * W is the domain, D its diameter: in l2 if records' terms are clipped in l2, in l1 if they are clipped in l_inf, with
 * the constants L_data and beta_data of that pair (`norm`, parts/geometry.h). A record of the batch of step i moves G
 * at step i by at most s_i = 2 c_i / m_i, with c_i = (1 - h_i) min(beta_data h_(i-1) D, 2 L_data) + h_i L_data and c_0
 * = L_data, and at t >= i by s_i times the product of 1 - h_j over i < j <= t. So it costs tau_r D times that in
 * epsilon, in every choice of its round from step i on:
 *
 *   S_r = max over i of sum over t >= i of (D s_i prod(i < j <= t) (1 - h_j))^2,   tau_r = sqrt(8 rho_z / S_r)
 *
 * gives the record that pays most the cost rho_z, the zCDP budget of (epsilon, delta). Each round has its own records.
 * Rounds, batch and the bound on the population's Frank-Wolfe gap: parts/rounds.h, with
 *
 *   E_t = e_t + ln J / tau_r,   e_t = D sqrt(V_t) in l2, or 2 D sqrt(V_t ln J) in l1, whichever is smaller,
 *   V_t = (1 - h_t)^2 V_(t-1) + c_t^2 / m_t
 *
 * (J^2 differences of vertices, each with G - grad F sub-Gaussian of deviation D sqrt(V_t) by Hoeffding's lemma).
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Bassily, Guzman & Menart 2021, Algorithm 1, Theorems 7 and 8.
 * Privacy  (epsilon, delta), replace-one: 2^R - 1 exponential mechanisms; a record pays for those of its round from its
 *          batch on, by its remaining weight in G. Counted by the zCDP filter.
 * Differs  The exponential mechanism replaces report-noisy-min; the printed scale of its Laplace noise is s_r = 2 D
 *          (L_data + beta_data D) 2^r sqrt(ln(1/delta)) / (b epsilon) (calibration = "paper"). Per round 1 / tau_r
 *          grows by 2^(3/4) and the printed scale by 2. The printed b = n / ln^2 n leaves records unused; the printed R
 *          has an open constant and is about 1 at n = 10^4: "theory" uses at least 3. The start is projected onto W.
 * Output   uniform over the points w at which a vertex was chosen, unless `select` says otherwise.
 * Cost     one pass: m_t gradients at t = 0, else 2 m_t; 2^R J scores, some 4^R / 2 charges; J + 5 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/geometry.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/rounds.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { NORM = SP_ROUNDS_PARAMS };

static const sp_param params[] = {
    SP_ROUNDS_TABLE,
    [NORM] = { "norm", SP_CHOICE, SP_GEOMETRY_AUTO, { 0, 0 }, "in which gradients are clipped; auto: the one with less "
               "noise",
               SP_GEOMETRIES },
    { 0 }
};

/* c_t */
static double move_of(const sp_geometry *g, size_t t)
{
    return sp_rounds_move(g->L_data, g->beta_data, t == 0 ? 0.0 : sp_rounds_step(t - 1) * g->D, t);
}

/* s_t */
static double weight_of(const sp_geometry *g, size_t b, size_t t)
{
    return 2.0 * move_of(g, t) / (double)sp_rounds_batch(b, t);
}

/* tau_r. From the last step back: `kept` is the sum over t >= i of the squared product. */
static double sharpness(const sp_oracle *o, const sp_geometry *g, size_t b, size_t r)
{
    double kept = 0.0, worst = 0.0;
    for (size_t i = (size_t)1 << r; i-- > 0;) {
        const double fade = 1.0 - sp_rounds_step(i + 1), s = g->D * weight_of(g, b, i);
        kept = 1.0 + fade * fade * kept;
        worst = fmax(worst, s * s * kept);
    }
    return sqrt(8.0 * sp_budget_of(o)->rho_z / worst) * (1.0 - 1e-12);
}

static double error(const sp_oracle *o, const sp_geometry *g, size_t b, size_t r)
{
    const sp_geometry l2 = sp_geometry_of(o, SP_GEOMETRY_L2), linf = sp_geometry_of(o, SP_GEOMETRY_LINF);
    const double vertices = sp_log((double)sp_public(o)->vertices), choice = vertices / sharpness(o, g, b, r);
    double variance = 0.0, variance_linf = 0.0, sum = 0.0;
    if (sp_budget_of(o)->paper)
        return INFINITY;
    for (size_t t = 0; t < (size_t)1 << r; t++) {
        const double fade = 1.0 - sp_rounds_step(t), m = (double)sp_rounds_batch(b, t);
        const double move = move_of(&l2, t), move_linf = move_of(&linf, t);
        variance = fade * fade * variance + move * move / m;
        variance_linf = fade * fade * variance_linf + move_linf * move_linf / m;
        sum += fmin(l2.D * sqrt(variance), 2.0 * linf.D * sqrt(vertices * variance_linf)) + choice;
    }
    return sum;
}

static double theory(const sp_oracle *o)
{
    const sp_constants *c = sp_public(o);
    const double n = (double)c->n, logs = sp_log((double)c->vertices) * sp_log(n);
    return 2.0 / 3.0 * sp_log(n * sp_budget_of(o)->epsilon /
                              (logs * logs * sqrt(sp_log(1.0 / sp_budget_of(o)->delta)))) / sp_log(2.0);
}

/* What a choice of round r costs a record of weight 1. */
static double price(const sp_oracle *o, const sp_geometry *g, size_t b, size_t r)
{
    const sp_budget *budget = sp_budget_of(o);
    if (budget->paper)
        return (double)b * budget->epsilon / (2.0 * (g->L_data + g->beta_data * g->D) * ldexp(1.0, (int)r) *
                                              sqrt(sp_log(1.0 / budget->delta)));
    return sharpness(o, g, b, r) * g->D;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const sp_chooser chooser = sp_budget_of(o)->paper ? SP_CHOOSE_NOISY_MIN : SP_CHOOSE_EXPONENTIAL;
    const int d = (int)c->d;
    const sp_geometry g = sp_geometry_of(o, sp_choice(v, NORM));
    const sp_rounds s = sp_rounds_resolve(o, v, &g, theory(o), SP_ROUNDS_LEAST, error);
    double *previous = sp_alloc_doubles(c->d), *vertex = sp_alloc_doubles(c->d);
    sp_output output = { 0 };
    sp_accumulator *estimate;
    size_t step = 0;
    sp_batch batch;

    if (!previous || !vertex)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the iterates"));
    SP_TRY(sp_output_open(&output, o, sp_rounds_rule(v), s.steps));
    SP_TRY(sp_filter_by(o, SP_FILTER_ZCDP));
    SP_TRY(sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &estimate));
    sp_domain_project(sp_domain_of(o), w);
    for (size_t r = 0; r < s.rounds; r++) {
        const double each = price(o, &g, s.batch, r);
        double worst = 0.0;
        SP_TRY(sp_accumulator_restart(estimate));
        for (size_t t = 0; t < (size_t)1 << r; t++) {
            const double h = sp_rounds_step(t), weight = weight_of(&g, s.batch, t);
            worst = fmax((1.0 - h) * worst, weight);
            SP_TRY(sp_draw(o, sp_fresh(sp_rounds_batch(s.batch, t)), &batch));
            sp_query query = sp_rounds_query(batch, t, move_of(&g, t), w, previous);
            query.norm = g.norm;
            SP_TRY(sp_accumulator_add(estimate, 1.0 - h, &query));
            SP_TRY(sp_choose(o, batch, &(sp_space){ .kind = SP_SPACE_VERTICES },
                             &(sp_score){ .kind = SP_SCORE_INNER_PRODUCT, .accumulator = estimate }, chooser,
                             each * worst, vertex, NULL));
            SP_TRY(sp_output_offer(&output, w, vertex));
            cblas_dcopy(d, w, 1, previous, 1);
            cblas_dscal(d, 1.0 - h, w, 1);
            cblas_daxpy(d, h, vertex, 1, w, 1);
            SP_TRY(sp_checkpoint(o, ++step, w));
        }
    }
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    free(vertex);
    free(previous);
    return status;
}

const sp_algorithm sp_algorithm_poly_sfw = {
    .name = "poly_sfw",
    .summary = "one-pass stochastic Frank-Wolfe over the vertices of a polytope, each chosen by the exponential "
               "mechanism",
    .when = "smooth losses, convex or not, over an l1 ball, a simplex, a polytope or a small box, in many dimensions: "
            "a small Frank-Wolfe gap of the population from one pass over 10^5 records or more; noisy_fw for convex "
            "losses and fewer",
    .source = "Bassily, Guzman & Menart 2021, Algorithm 1",
    .releases = "2^R - 1 vertices, exponential mechanisms over inner products with a secret gradient estimate; a "
                "record pays for those of its round, by its weight in the estimate",
    .uses = "parts/fits parts/geometry parts/output parts/rounds parts/theory",
    .params = params,
    .fits = sp_vertex_fits,
    .run = run,
};
