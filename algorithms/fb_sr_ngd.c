/*
 * fb_sr_ngd.c -- full-batch normalised gradient descent with a momentum whose releases have reduced sensitivity.
 *
 *   v_0 = grad F(w_0) + N(0, (m_0 2 L_data / n)^2 I)
 *   v_t = (1 - gamma) v_{t-1} + mean[grad f(w_t) - (1 - gamma) grad f(w_{t-1})] + N(0, (m 2 c / n)^2 I),  0 < t < T
 *   w_{t+1} = Proj_W( w_t - min(eta / ||v_t||, 1/beta) v_t ),   0 <= t < T
 *   c = (1 - gamma) min(beta_data eta, 2 L_data) + gamma L_data
 *
 * m_0 and m are noise multipliers. A step changes a record's gradient by at most beta eta, so at gamma = beta eta /
 * L_data a record's part of a release has norm at most 2 beta eta, compared with L_data for a gradient. The mean square
 * of the noise in v_t is then at most 2 A^2 beta L_data eta T, A = 2 sqrt(d) / (n mu), once the part of v_0 has
 * decayed, and bound (1) of parts/normalised.h becomes, with y = eta T,
 *
 *   E||grad F(w_J)|| <= gap / y + beta eta / 2 + 2 A sqrt(2 beta L_data y),
 *
 * smallest at y = (gap / (A sqrt(2 beta L_data)))^(2/3) for every eta. A smaller eta costs more steps: by default its
 * term is 10 % of the other two. If T is given, or limited by `max_gradients`, eta minimises the sum; if eta is given,
 * T = y / eta. The default T is at least 2, because with one step the start is the only candidate. The bound that a run
 * records is (1) with its own shares and start.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Tran & Cutkosky 2022, section 4, which names the method on the way to its Algorithm 2.
 * Privacy  (epsilon, delta), replace-one: a Gaussian release of l2 sensitivity 2 L_data / n, T - 1 of 2 c / n.
 * Differs  The paper estimates gradient and gradient difference separately, and says that a tree gives their sums
 *          within eta / (n epsilon). With full batches a record is in every leaf, so the noise here is independent, and
 *          both are one release, with the same variance as the best split into two. Steps have length at most ||v|| /
 *          beta, which does not change the bound; (1) is 2/3 of the bound by Cutkosky & Mehta's constants. There is no
 *          printed formula for the noise. Projects when the domain is bounded.
 * Output   w_J, J uniform over the iterates at which v was released, unless `select` says otherwise.
 * Cost     (2 T - 1) n gradients, 4 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/normalised.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/theory.h"

enum { ETA, STEPS, GAMMA, SPLIT, MAX_GRADIENTS, SELECT };

static const sp_param params[] = {
    [ETA]    = { "eta",    SP_REAL,   SP_DERIVED, SP_POSITIVE,         "length of a step; default by theory" },
    [STEPS]  = { "steps",  SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default minimises the bound" },
    [GAMMA]  = { "gamma",  SP_REAL,   SP_DERIVED, { DBL_MIN, 1 },      "weight of a new gradient in the estimate; "
                                                                       "default beta eta / L_data, at most 1" },
    [SPLIT]  = { "split",  SP_REAL,   0.05,       { 0.001, 0.99 },     "share of the budget for the first gradient" },
    [MAX_GRADIENTS] = { "max_gradients", SP_REAL, 1e10, { 1, DBL_MAX }, "a default T costs at most so many gradients" },
    [SELECT] = { "select", SP_CHOICE, SP_OUTPUT_UNIFORM, { 0, 0 },     "which iterate is returned", SP_OUTPUTS },
    { 0 }
};

/* The y = eta T that minimises gap / y + beta y / (2 T) + rate sqrt(y), which is convex in log y. */
static double balanced_path(const sp_constants *c, double rate, double T)
{
    double low = -700.0, high = 700.0;
    for (int i = 0; i < 100; i++) {
        const double middle = (low + high) / 2.0, y = sp_exp(middle);
        const double slope = c->beta * y / (2.0 * T) + rate * sqrt(y) / 2.0 - c->gap / y;
        *(slope > 0.0 ? &high : &low) = middle;
    }
    return sp_exp(low);
}

static sp_status resolve(sp_oracle *o, const sp_values *v, sp_normalised *p)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const double rate = 2.0 * sp_normalised_noise(o) * sqrt(2.0 * c->beta * c->L_data);
    const double path = sp_pow(2.0 * c->gap / rate, 2.0 / 3.0); /* y */
    const double most = floor(sp_real(v, MAX_GRADIENTS) / (2.0 * (double)c->n));
    const bool steps_given = sp_given(v, STEPS), eta_given = sp_given(v, ETA);
    sp_provenance from = SP_FROM_BALANCE;

    p->split = sp_real(v, SPLIT);
    p->steps = sp_count(v, STEPS);
    p->eta = eta_given ? sp_real(v, ETA) : 0.2 / c->beta * (c->gap / path + rate * sqrt(path));
    if (!steps_given) {
        const double exact = path / p->eta;
        from = ceil(exact) > most ? SP_FROM_CAP : SP_FROM_BALANCE;
        SP_TRY(sp_derive_steps(o, isfinite(exact) ? fmin(exact, most) : exact, &p->steps));
        p->steps = p->steps < 2 ? 2 : p->steps;
    }
    if (!eta_given && (steps_given || from == SP_FROM_CAP))
        p->eta = balanced_path(c, rate, (double)p->steps) / (double)p->steps;
    p->gamma = sp_given(v, GAMMA) ? sp_real(v, GAMMA) : fmin(c->beta * p->eta / c->L_data, 1.0);
    sp_resolved(o, "eta", p->eta, eta_given ? SP_FROM_USER : steps_given ? SP_FROM_BALANCE : SP_FROM_THEORY);
    sp_resolved(o, "steps", (double)p->steps, steps_given ? SP_FROM_USER : from);
    sp_resolved(o, "gamma", p->gamma, sp_given(v, GAMMA) ? SP_FROM_USER : SP_FROM_THEORY);
cleanup:
    return status;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_normalised p = { 0 };
    const sp_status status = resolve(o, v, &p);
    return status == SP_OK ? sp_normalised_run(o, &p, (sp_output_rule)sp_choice(v, SELECT), w) : status;
}

const sp_algorithm sp_algorithm_fb_sr_ngd = {
    .name = "fb_sr_ngd",
    .summary = "full-batch normalised gradient descent with momentum of reduced sensitivity",
    .when = "a small mean gradient of a smooth loss where many full passes are affordable; dp_gd takes fewer, "
            "dp_spider has the same rate",
    .source = "Tran & Cutkosky 2022, section 4",
    .releases = "a gradient of all records, sensitivity 2 L_data / n; then T - 1 changes of the estimate, sensitivity "
                "2 ((1 - gamma) min(beta_data eta, 2 L_data) + gamma L_data) / n",
    .uses = "parts/fits parts/normalised parts/output parts/theory",
    .params = params,
    .fits = sp_positive_gap_fits,
    .run = run,
};
