/*
 * tree_spider.c -- one pass over fresh records, with gradient estimates along a binary tree and normalised steps at its
 * leaves.
 *
 * A round is a tree of depth D, walked depth first. At its root v = mean of b fresh gradients at w; a left child copies
 * (w, v) of its parent; a right child s at depth k draws b / 2^k fresh records and stores the current w with
 *
 *   v_s = v_parent + mean[grad f(w) - grad f(w_parent)] + noise;
 *   at a leaf  w <- Proj_W( w - min(1 / (2 beta), r / ||v||) v )
 *
 * with r = b_t / (2^(D/2) beta). So ||w - w_parent|| <= 2^(D-k) r and the mean of the b / 2^k differences has
 * sensitivity at most 2 beta 2^(D-k) r 2^k / b = 2 b_t 2^(D/2) / b, the same at every depth. A round takes
 * b (1 + D/2) records; D 2^(D+1) <= b keeps the error of v at a leaf, a sum of at most D noise vectors, as small as
 * that of the root.
 *
 *   b = max{ n^(2/3), sqrt(n) d^(1/4) / sqrt(epsilon) },   b_t = alpha min{ 1, sqrt(b epsilon / d) }
 *   alpha = sqrt 2 L_data max{ n^(-1/3), (sqrt d / (n epsilon))^(1/2) }
 *
 * E||grad P(w)|| = O~(alpha) for the population loss P. When: one pass over many records, a population gradient wanted,
 * n >> d; for the empirical loss dp_spider does better.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Arora, Bassily, Gonzalez, Guzman, Menart & Ullah 2023, Alg. 1, as used by Lowy, Ullman & Wright 2024.
 * Privacy  (epsilon, delta), replace-one: each record is in one release, so each gets the whole budget, noise
 *          multiplier 1/mu. Sensitivities 2 L_data / b and 2 min(beta_data ||w - w_parent||, 2 L_data) / (b / 2^k).
 * Differs  Does not stop at ||v|| <= 2 alpha, since the time of the stop would reveal something: it goes on and returns
 *          the leaf with the smallest ||v||, to which the guarantee of the stopped iterate applies too. Steps are
 *          normalised if the theorem requires it (||v|| > 2 alpha), and have length at most ||v|| / (2 beta). The noise
 *          depends on the real distance ||w - w_parent||.
 * Output   the leaf with the smallest released ||v||, unless `select` says otherwise.
 * Cost     n gradients at most, one pass; 2 (D + 1) d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

enum { BATCH, ALPHA, SELECT };

static const sp_param params[] = {
    [BATCH]  = { "batch",  SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "records b at a root; default by theory" },
    [ALPHA]  = { "alpha",  SP_REAL,   SP_DERIVED, SP_POSITIVE, "accuracy, sets the steps' length; default by theory" },
    [SELECT] = { "select", SP_CHOICE, SP_OUTPUT_MIN_RELEASE, { 0, 0 }, "which iterate is returned", SP_OUTPUTS },
    { 0 }
};

typedef struct schedule {
    size_t batch, depth, rounds;
    double length; /* r */
} schedule;

/* Records that a round takes. */
static size_t records(size_t batch, size_t depth)
{
    size_t sum = batch;
    for (size_t k = 1; k <= depth; k++)
        sum += (batch >> k) << (k - 1);
    return sum;
}

static schedule resolve(sp_oracle *o, const sp_values *v)
{
    const sp_constants *c = sp_public(o);
    const double n = (double)c->n, d = (double)c->d, epsilon = sp_budget_of(o)->epsilon;
    const double theory = c->L_data * sqrt(2.0) * fmax(sp_pow(n, -1.0 / 3.0), sqrt(sqrt(d) / (n * epsilon)));
    const double alpha = sp_given(v, ALPHA) ? sp_real(v, ALPHA) : theory;
    const double batch = fmax(sp_pow(n, 2.0 / 3.0), sqrt(n * sqrt(d) / epsilon)) * (1.0 - 1e-12); /* 10^4 at n = 10^6 */
    schedule s = { .batch = sp_given(v, BATCH) ? sp_count(v, BATCH) : (size_t)ceil(fmin(batch, n)) };
    while ((s.depth + 1) << (s.depth + 2) <= s.batch && records(s.batch, s.depth + 1) <= c->n)
        s.depth++;
    s.rounds = s.batch > c->n ? 1 : c->n / records(s.batch, s.depth); /* too large a batch is refused when drawn */
    s.length = alpha * fmin(1.0, sqrt((double)s.batch * epsilon / d)) / (sqrt(ldexp(1.0, (int)s.depth)) * c->beta);
    sp_capped(o, "batch", (double)s.batch, sp_given(v, BATCH) ? (double)s.batch : ceil(batch),
              sp_given(v, BATCH) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "alpha", alpha, sp_given(v, ALPHA) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_promise(o, false, alpha, sp_gradient_at_start(c));
    return s;
}

/* The estimate at leaf `leaf`, in place: levels `at` (points) and `v` (estimates), each (depth + 1) x d. The highest
 * node that begins here is drawn anew; those below it are left children of it. */
static sp_status descend(sp_oracle *o, const schedule *s, size_t leaf, double multiplier, const double *w, double *at,
                         double *v)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(o);
    size_t level = leaf == 0 ? 0 : s->depth;
    sp_batch batch;
    for (size_t rest = leaf; rest != 0 && rest % 2 == 0; rest /= 2)
        level--;
    SP_TRY(sp_draw(o, sp_fresh(s->batch >> level), &batch));
    memcpy(at + level * d, w, d * sizeof *w);
    if (level == 0) {
        SP_TRY(sp_gradient(o, &SP_AT(batch, w), multiplier, v));
    } else {
        SP_TRY(sp_gradient(o, &SP_BETWEEN(batch, w, at + (level - 1) * d), multiplier, v + level * d));
        cblas_daxpy((int)d, 1.0, v + (level - 1) * d, 1, v + level * d, 1);
    }
    for (; level < s->depth; level++) {
        memcpy(at + (level + 1) * d, at + level * d, d * sizeof *at);
        memcpy(v + (level + 1) * d, v + level * d, d * sizeof *v);
    }
cleanup:
    return status;
}

static sp_status run(sp_oracle *o, const sp_values *values, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const schedule s = resolve(o, values);
    const size_t leaves = (size_t)1 << s.depth, steps = s.rounds * leaves;
    double *at = sp_alloc(s.depth + 1, c->d * sizeof *at), *v = sp_alloc(s.depth + 1, c->d * sizeof *v);
    sp_output output = { 0 };
    double multiplier = 0.0;

    if (!at || !v)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for %zu levels of estimates", s.depth + 1));
    SP_TRY(sp_output_open(&output, o, (sp_output_rule)sp_choice(values, SELECT), steps));
    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_fresh(s.batch), .count = steps }, 1,
                        &multiplier));
    for (size_t t = 0; t < steps; t++) {
        SP_TRY(descend(o, &s, t % leaves, multiplier, w, at, v));
        const double *estimate = v + s.depth * c->d, norm = cblas_dnrm2((int)c->d, estimate, 1);
        SP_TRY(sp_output_offer(&output, w, estimate));
        cblas_daxpy((int)c->d, norm > 0.0 ? -fmin(0.5 / c->beta, s.length / norm) : 0.0, estimate, 1, w, 1);
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t + 1, w));
    }
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    free(v);
    free(at);
    return status;
}

const sp_algorithm sp_algorithm_tree_spider = {
    .name = "tree_spider",
    .summary = "one pass over fresh records, gradient estimates in a tree: a small population gradient, n >> d",
    .when = "the population's gradient from one pass over many records, n >> d; for the empirical loss dp_spider",
    .source = "Arora et al. 2023, Alg. 1; Lowy, Ullman & Wright 2024",
    .releases = "a round: one gradient of b fresh records, then 2^D - 1 gradient differences of b / 2^k fresh ones, "
                "sensitivity 2 min(beta_data ||w - w'||, 2 L_data) / (b / 2^k); each record is in one release",
    .uses = "parts/fits parts/output parts/theory",
    .params = params,
    .fits = sp_smooth_fits,
    .run = run,
};
