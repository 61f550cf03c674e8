/*
 * dp_ngd.c -- full-batch normalised gradient descent with Gaussian noise.
 *
 *   v = grad F(w) + N(0, (m 2 L_data / n)^2 I),   w <- Proj_W( w - min(eta / ||v||, 1/beta) v ),   T times
 *
 * m is the noise multiplier. With A = 2 sqrt(d) / (n mu) the norm of the noise is about A L_data sqrt(T), so bound (1)
 * of parts/normalised.h becomes
 *
 *   E||grad F(w_J)|| <= gap / (eta T) + beta eta / 2 + 2 A L_data sqrt(T),
 *
 * smallest at eta = sqrt(2 gap / (beta T)), T = sqrt(beta gap / 2) / (A L_data); where eta is given, at
 * T = (gap / (eta A L_data))^(2/3). The default T is at least 2, because with one step the start is the only candidate.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Tran & Cutkosky 2022, section 4: the full-batch method that theirs start from, with the normalised steps of
 *          Cutkosky & Mehta 2020.
 * Privacy  (epsilon, delta), replace-one: T Gaussian releases of l2 sensitivity 2 L_data / n.
 * Differs  Independent noise: a tree helps only if a record is in few leaves, and here it is in every one. Steps have
 *          length at most ||v|| / beta, which does not change the bound. (1) is 2/3 of the bound by Cutkosky & Mehta's
 *          constants. There is no printed formula for the noise. Projects when the domain is bounded.
 * Output   w_J, J uniform over the iterates at which a gradient was released, unless `select` says otherwise.
 * Cost     T n gradients, 4 d doubles of state.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/fits.h"
#include "algorithms/parts/normalised.h"
#include "algorithms/parts/output.h"
#include "algorithms/parts/theory.h"

enum { ETA, STEPS, SELECT };

static const sp_param params[] = {
    [ETA]    = { "eta",    SP_REAL,   SP_DERIVED, SP_POSITIVE,         "length of a step; default minimises the "
                                                                       "bound" },
    [STEPS]  = { "steps",  SP_COUNT,  SP_DERIVED, { 1, SP_STEPS_MAX }, "updates T; default minimises the bound" },
    [SELECT] = { "select", SP_CHOICE, SP_OUTPUT_UNIFORM, { 0, 0 },     "which iterate is returned", SP_OUTPUTS },
    { 0 }
};

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const double noise = sp_normalised_noise(o) * c->L_data;
    sp_normalised p = { .eta = sp_real(v, ETA), .gamma = 1.0, .steps = sp_count(v, STEPS) };

    if (!sp_given(v, STEPS)) {
        SP_TRY(sp_derive_steps(o, sp_given(v, ETA) ? sp_pow(c->gap / (p.eta * noise), 2.0 / 3.0)
                                                   : sqrt(c->beta * c->gap / 2.0) / noise, &p.steps));
        p.steps = p.steps < 2 ? 2 : p.steps;
    }
    if (!sp_given(v, ETA))
        p.eta = sqrt(2.0 * c->gap / (c->beta * (double)p.steps));
    sp_resolved(o, "eta", p.eta, sp_given(v, ETA) ? SP_FROM_USER : SP_FROM_BALANCE);
    sp_resolved(o, "steps", (double)p.steps, sp_given(v, STEPS) ? SP_FROM_USER : SP_FROM_BALANCE);
    SP_TRY(sp_normalised_run(o, &p, (sp_output_rule)sp_choice(v, SELECT), w));
cleanup:
    return status;
}

const sp_algorithm sp_algorithm_dp_ngd = {
    .name = "dp_ngd",
    .summary = "full-batch normalised gradient descent with Gaussian noise",
    .when = "gradients of very different sizes along the way, where a fixed step is too short or too long; else dp_gd, "
            "whose bound is smaller",
    .source = "Tran & Cutkosky 2022, section 4; Cutkosky & Mehta 2020",
    .releases = "T gradients of all records, sensitivity 2 L_data / n",
    .uses = "parts/fits parts/normalised parts/output parts/theory",
    .params = params,
    .fits = sp_positive_gap_fits,
    .run = run,
};
