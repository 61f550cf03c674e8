/*
 * sr_nsgd.c -- passes over the records with momentum and normalised steps; most of the momentum comes from gradient
 * differences between epochs, whose sensitivity is small.
 *
 * The n records come in N = ceil(n / m) blocks of m, in the order of one secret permutation, epoch after epoch: step r
 * of every epoch uses block S_r and the gradient (|S_r| / m) mean_{S_r} grad f. Let b = 1 - a, a the weight of a new
 * gradient, u_q the iterate at the start of epoch q = 0, 1, ..., E - 1, and for a vector x_i a step write prefix(x)_r =
 * sum_{i <= r} b^(r-i) x_i over the steps 1..r of an epoch. The momentum at step r of epoch q is a times
 *
 *   H_q(r) + R_q(r),   where H has the gradients at the start of their epoch and R the changes since then:
 *
 *   G_q = prefix(grad f(u_q)),  D_q = prefix(grad f(w) - grad f(u_q)),
 *   M_q = prefix(grad f(u_q) - (1 - gamma) grad f(u_{q-1}))
 *   win(P)_q(r) = P_q(r) + b^r (P_{q-1}(N) - b^(N-r) P_{q-1}(r))              the last N steps
 *   W_1 = win(G)_1,  W_q = (1 - gamma) W_{q-1} + win(M)_q for q >= 2
 *   H_0 = G_0,  H_q = W_q + b^N H_{q-1};   R_q(r) = D_q(r) + b^r R_{q-1}(N)
 *
 * exactly, for any gamma in (0, 1], because step r has the same records in every epoch. The released values are the
 * prefixes G (q = 0, 1), M (q >= 1) and D, each with the noise of a tree over one epoch; the rest is post-processing:
 *
 *   w <- w - eta g / ||g||,   g = H + R of the released prefixes.
 *
 * A step has length eta, so ||u_q - u_{q-1}|| <= eta N, and a term of M has norm at most (1 - gamma) beta eta N + gamma
 * L, one of D at most beta eta (r - 1); only G, in two epochs, has the full L.
 *
 * Noise. With k = (1 - b^N)^(-2), p = log2(N) / 2 + 1 and s_j the noise_std of the three trees, the variance of a
 * coordinate of the noise of H + R is about p (A_G s_G^2 + A_M s_M^2 + A_D s_D^2), A_G = k, A_M = k / (gamma (2 -
 * gamma)), A_D = 1 / (1 - b^(2N)): an estimate, on which privacy does not depend. With c_j what a record pays for tree
 * j at noise_std = 1, it is smallest for shares of the budget in proportion to sqrt(A_j c_j) and for gamma = min(1,
 * beta eta N / L).
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Tran & Cutkosky 2022, Alg. 2; H is their Eq. (3), summed by a recursion.
 * Privacy  (epsilon, delta), replace-one. A record is in one add an epoch of each tree, and no node spans two epochs.
 *          With C = sp_node_cost of N adds of discount b and C_D the same with the weight ((r - 1) / N)^2: c_G = min(E,
 *          2) C (2 L_data / m)^2, c_M = (E - 1) C (2 ((1 - gamma) beta_data eta N + gamma L_data) / m)^2, c_D = E C_D
 *          (2 beta_data eta N / m)^2; beta_data eta N at most 2 L_data. Each release is charged for the real distance,
 *          which is smaller, so some of the budget remains unused.
 * Differs  One permutation for all epochs: with a new one each epoch, as printed, Eq. (3) is false. Their trees of
 *          differences and of gamma-weighted gradients are one tree, M, as good as the best split into two. Eq. (3) as
 *          a recursion takes O(d) per step instead of their O(d T / N). Prefixes are per epoch; a node of theirs may
 *          span two epochs. beta is in all sensitivities, and noise comes from the accountant (calibration = "paper"
 *          has no formula for merged trees). gamma may exceed 1/2. At most `max_epochs` epochs: theory has T = n^(7/3)
 *          epsilon^(4/3) / d^(2/3). Projects when the domain is bounded.
 * Output   w_J, J uniform over all steps, unless `select` says otherwise.
 * Cost     T = E N steps of 3, 5, then 4 m gradients (epoch 0, 1, then); 3 N d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/momentum.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/pass_sum.h"
#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_math.h>

enum { EPOCHS, MAX_EPOCHS, BATCH, MOMENTUM, GAMMA, ETA, SELECT };

static const sp_param params[] = {
    [EPOCHS]     = { "epochs", SP_COUNT, SP_DERIVED, { 1, 1e6 }, "passes E over the records; default by theory" },
    [MAX_EPOCHS] = { "max_epochs", SP_COUNT, 200, { 1, 1e6 },    "a default of `epochs` is at most this" },
    [BATCH]    = { "batch",    SP_COUNT,  1,          { 1, SP_STEPS_MAX }, "records m of a step" },
    [MOMENTUM] = { "momentum", SP_REAL,   SP_DERIVED, { 1e-9, 1 }, "weight a of a new gradient; default 1 / N, where "
                                                                   "N = ceil(n / m)" },
    [GAMMA]    = { "gamma",    SP_REAL,   SP_DERIVED, { 1e-9, 1 }, "weight of the last epoch's gradients; default "
                                                                   "beta eta N / L_data, at most 1" },
    [ETA]      = { "eta",      SP_REAL,   SP_DERIVED, SP_POSITIVE, "length of a step; default by theory" },
    [SELECT]   = { "select",   SP_CHOICE, SP_OUTPUT_UNIFORM, { 0, 0 }, "which iterate is returned", SP_OUTPUTS },
    { 0 }
};

enum { G, M, DRIFT, TREES };

typedef struct scheme {
    sp_oracle *oracle;
    size_t d, batch, N, epochs;
    double a, b, gamma, eta;
    double noise_std[TREES];    /* of a node */
    sp_accumulator *tree[TREES]; /* the oracle's */
    double *vectors;            /* all below; to be freed */
    double *P, *W, *H;          /* N x d, row r - 1: G or M, W and H; up to the current row this epoch's */
    double *end, *rest;         /* d: P_{q-1}(N), R_{q-1}(N) */
    double *now, *drift;        /* d: released prefixes */
    double *u, *before;         /* d: u_q, u_{q-1} */
} scheme;

static sp_status resolve(sp_oracle *o, const sp_values *v, scheme *x)
{
    const sp_constants *c = sp_public(o);
    const double n = (double)c->n, cap = (double)sp_count(v, MAX_EPOCHS);
    const double theory = ceil(sp_pow(n * sp_budget_of(o)->epsilon, 4.0 / 3.0) / sp_pow((double)c->d, 2.0 / 3.0));
    *x = (scheme){ .oracle = o, .d = c->d, .batch = sp_count(v, BATCH) };
    x->N = sp_pass_epoch(o, x->batch);
    x->epochs = sp_given(v, EPOCHS) ? sp_count(v, EPOCHS) : (size_t)fmin(theory, cap);
    x->a = sp_given(v, MOMENTUM) ? sp_real(v, MOMENTUM) : 1.0 / (double)x->N;
    x->b = 1.0 - x->a;
    x->eta = sp_given(v, ETA) ? sp_real(v, ETA) : sp_momentum_step(c, x->N, x->N * x->epochs);
    x->gamma = sp_given(v, GAMMA) ? sp_real(v, GAMMA)
                                  : fmax(fmin(c->beta * x->eta * (double)x->N / c->L_data, 1.0), 1e-9);
    sp_capped(o, "epochs", (double)x->epochs, sp_given(v, EPOCHS) ? (double)x->epochs : theory,
              sp_given(v, EPOCHS) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "momentum", x->a, sp_given(v, MOMENTUM) ? SP_FROM_USER : SP_FROM_THEORY);
    sp_resolved(o, "gamma", x->gamma, sp_given(v, GAMMA) ? SP_FROM_USER : SP_FROM_BALANCE);
    sp_resolved(o, "eta", x->eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_THEORY);
    return SP_OK;
}

/* C_D: the cost of the dearest record when the add of step i has sensitivity (i - 1) / N. */
static double drift_cost(size_t N, double b)
{
    double worst = 0.0;
    for (size_t i = 1; i <= N; i++) {
        double sum = 0.0;
        for (size_t length = 1; length <= N; length *= 2) {
            const size_t index = (i - 1) / length, end = (index + 1) * length;
            if (index % 2 == 0 && end <= N)
                sum += sp_pow(b, 2.0 * (double)(end - i));
        }
        worst = fmax(worst, sum * gsl_pow_2((double)(i - 1) / (double)N));
    }
    return worst;
}

/* Noise of the three trees; what there is of it in the momentum. */
static sp_status calibrate(scheme *x, double *noise)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(x->oracle);
    const double N = (double)x->N, E = (double)x->epochs, m = (double)x->batch, forgotten = sp_pow(x->b, N);
    const double C = sp_node_cost(SP_NOISE_TREE, x->N, 0, x->b), far = fmin(c->beta_data * x->eta * N, 2.0 * c->L_data);
    const double cost[TREES] = {
        [G] = fmin(E, 2.0) * C * gsl_pow_2(2.0 * c->L_data / m),
        [M] = (E - 1.0) * C * gsl_pow_2(2.0 * ((1.0 - x->gamma) * far + x->gamma * c->L_data) / m),
        [DRIFT] = E * drift_cost(x->N, x->b) * gsl_pow_2(2.0 * c->beta_data * x->eta * N / m),
    };
    const double k = 1.0 / gsl_pow_2(1.0 - forgotten);
    const double A[TREES] = { [G] = k, [M] = k / (x->gamma * (2.0 - x->gamma)),
                              [DRIFT] = 1.0 / (1.0 - forgotten * forgotten) };
    double multiplier = 0.0, shares = 0.0, variance = 0.0;
    for (size_t j = 0; j < TREES; j++)
        shares += sqrt(A[j] * cost[j]);
    SP_TRY(sp_calibrate(x->oracle, &(sp_release_plan){ .kind = SP_ACCUMULATED, .sample = sp_pass(x->batch, false),
                                                       .count = x->N * x->epochs }, 1, &multiplier));
    for (size_t j = 0; j < TREES; j++) {
        if (!(cost[j] > 0.0))
            continue; /* not released, or nothing in it */
        x->noise_std[j] = multiplier * sqrt(cost[j] * shares / sqrt(A[j] * cost[j]));
        variance += A[j] * gsl_pow_2(x->noise_std[j]);
        SP_TRY(sp_accumulator_open(x->oracle, SP_NOISE_TREE, &(sp_accumulator_plan){ .adds = x->N }, &x->tree[j]));
    }
    *noise = x->a * sqrt((double)x->d * (sp_log(N) / (2.0 * M_LN2) + 1.0) * variance);
cleanup:
    return status;
}

static sp_status open(scheme *x, const double *w)
{
    const size_t d = x->d, all = x->N * d;
    x->vectors = sp_alloc(3 * x->N + 6, d * sizeof *x->vectors);
    if (!x->vectors)
        return sp_refuse(x->oracle, SP_ENOMEM, "no memory for the sums of %zu steps", x->N);
    x->P = x->vectors;
    x->W = x->P + all;
    x->H = x->W + all;
    x->end = x->H + all;
    x->rest = x->end + d;
    x->now = x->rest + d;
    x->drift = x->now + d;
    x->u = x->drift + d;
    x->before = x->u + d;
    memcpy(x->u, w, d * sizeof *w);
    return SP_OK;
}

static double distance(size_t d, const double *v, const double *w)
{
    double sum = 0.0;
    for (size_t i = 0; i < d; i++)
        sum += (v[i] - w[i]) * (v[i] - w[i]);
    return sqrt(sum);
}

/* The next prefix of a tree: terms scale grad f(v) and -scale kept grad f(before), `before` at most so many steps ago.
 * The way from there is not more than was announced, however it is rounded. */
static sp_status prefix(scheme *x, size_t tree, sp_batch batch, double scale, const double *v, double kept,
                        const double *before, size_t steps, double *out)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(x->oracle);
    sp_query query = { .batch = batch, .terms = tree == G ? 1 : 2,
                       .term = { { scale, v }, { -scale * kept, before } } };
    const double way = tree == G ? 0.0 : fmin(distance(x->d, v, before), x->eta * (double)steps);
    const double moved = fmin(c->beta_data * way, 2.0 * c->L_data);
    query.bound = scale * (tree == G ? c->L_data : kept * moved + (1.0 - kept) * c->L_data);
    if (!(query.bound > 0.0) && scale != 1.0) /* both points are one: nothing, at no cost, of a short block too */
        query.term[0].coefficient = query.term[1].coefficient = 0.0;
    SP_TRY(sp_accumulator_add(x->tree[tree], x->b, &query));
    SP_TRY(sp_accumulator_release(x->tree[tree], x->noise_std[tree], out));
cleanup:
    return status;
}

/* g[d] = H_q(r) + R_q(r) at w, step r of epoch q; the rows r of P, W and H become this epoch's. */
static sp_status estimate(scheme *x, size_t q, size_t r, const double *w, double *g)
{
    sp_status status = SP_OK;
    const size_t d = x->d;
    const double begun = sp_pow(x->b, (double)r), left = sp_pow(x->b, (double)(x->N - r)), whole = begun * left;
    double *P = x->P + (r - 1) * d, *W = x->W + (r - 1) * d, *H = x->H + (r - 1) * d;
    sp_batch batch;
    SP_TRY(sp_draw(x->oracle, sp_pass(x->batch, false), &batch));
    const double scale = (double)sp_batch_size(x->oracle, batch) / (double)x->batch;
    if (q <= 1)
        SP_TRY(prefix(x, G, batch, scale, x->u, 0.0, x->u, 0, x->now));
    for (size_t i = 0; i < d && q == 1; i++)
        W[i] = x->now[i] + begun * (x->end[i] - left * P[i]);
    if (q >= 1)
        SP_TRY(prefix(x, M, batch, scale, x->u, 1.0 - x->gamma, x->before, x->N, x->now));
    for (size_t i = 0; i < d && q >= 2; i++)
        W[i] = (1.0 - x->gamma) * W[i] + x->now[i] + begun * (x->end[i] - left * P[i]);
    if (x->tree[DRIFT])
        SP_TRY(prefix(x, DRIFT, batch, scale, w, 1.0, x->u, r - 1, x->drift));
    memcpy(P, x->now, d * sizeof *P);
    for (size_t i = 0; i < d; i++) {
        H[i] = q == 0 ? x->now[i] : W[i] + whole * H[i];
        g[i] = H[i] + x->drift[i] + begun * x->rest[i];
    }
cleanup:
    return status;
}

static sp_status next_epoch(scheme *x, const double *w)
{
    sp_status status = SP_OK;
    const double whole = sp_pow(x->b, (double)x->N);
    memcpy(x->end, x->P + (x->N - 1) * x->d, x->d * sizeof *w);
    memcpy(x->before, x->u, x->d * sizeof *w);
    memcpy(x->u, w, x->d * sizeof *w);
    for (size_t i = 0; i < x->d; i++)
        x->rest[i] = x->drift[i] + whole * x->rest[i];
    for (size_t j = 0; j < TREES; j++)
        if (x->tree[j])
            SP_TRY(sp_accumulator_restart(x->tree[j]));
cleanup:
    return status;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    double *g = sp_alloc_doubles(c->d), kept = 1.0, noise = 0.0;
    sp_output output = { 0 };
    scheme x = { 0 };

    if (!g)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the momentum"));
    SP_TRY(resolve(o, v, &x));
    const size_t steps = x.N * x.epochs;
    SP_TRY(sp_output_open(&output, o, (sp_output_rule)sp_choice(v, SELECT), steps));
    SP_TRY(calibrate(&x, &noise));
    SP_TRY(open(&x, w));
    sp_promise(o, false, sp_momentum_bound(c, x.batch, steps, x.a, x.eta, noise), sp_gradient_at_start(c));

    for (size_t t = 1; t <= steps; t++) {
        const size_t q = (t - 1) / x.N, r = (t - 1) % x.N + 1;
        if (r == 1 && q > 0)
            SP_TRY(next_epoch(&x, w));
        SP_TRY(estimate(&x, q, r, w, g));
        kept *= x.b;
        cblas_dscal((int)c->d, x.a / (1.0 - kept), g, 1);
        SP_TRY(sp_output_offer(&output, w, g));
        const double norm = cblas_dnrm2((int)c->d, g, 1);
        cblas_daxpy((int)c->d, norm > 0.0 ? -x.eta / norm : 0.0, g, 1, w, 1);
        sp_domain_project(sp_domain_of(o), w);
        SP_TRY(sp_checkpoint(o, t, w));
    }
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    free(x.vectors);
    free(g);
    return status;
}

const sp_algorithm sp_algorithm_sr_nsgd = {
    .name = "sr_nsgd",
    .summary = "normalised momentum over many passes, from gradient differences between epochs",
    .when = "a small mean gradient of a smooth loss from many passes (hundreds), so that an epoch moves little; from a "
            "few passes, dp_nsgd",
    .source = "Tran & Cutkosky 2022, Alg. 2",
    .releases = "at each step discounted sums over the epoch so far: of gradients (in the first two epochs), of "
                "gradients less (1 - gamma) times those an epoch ago, and of what gradients changed since the epoch "
                "began",
    .uses = "parts/fits parts/momentum parts/output parts/pass_sum parts/theory",
    .params = params,
    .passes = true,
    .fits = sp_positive_gap_fits,
    .run = run,
};
