/* stable.c -- output perturbation by stability: one averaged projected pass of stochastic gradient descent, then noise
 * (Feldman, Koren & Talwar 2020; as used by Bassily, Guzman & Menart 2021).
 *
 *   v <- Proj(v - eta grad f(v, z_j)),  j = 1..m,   out = (1/m) sum_j v_j + N(0, noise_std^2 I)
 *
 * Sensitivity 2 L_data eta. Let record j be replaced. v_1 .. v_{j-1} are unchanged. Step j moves v_j by at most
 * eta ||grad f(v, z) - grad f(v, z')|| <= 2 L_data eta (the part that does not depend on the record cancels; the data
 * part is clipped to L_data). Every later step applies the same map on both sides, which does not expand: for f(., z)
 * convex and beta-smooth, v - eta grad f(v, z) is non-expansive if eta <= 2 / beta (Hardt, Recht & Singer 2016, Lemma
 * 3.6), and so is the projection. So v_j .. v_m move by at most 2 L_data eta each, and so does their mean over m.
 *
 * A clip is not enough here: convexity and smoothness must hold for every record. So the certified constants are used,
 * which hold for every record within the feature bound; without them: SP_EPRIVACY. Inner iterates are never
 * released. */
#include "core/oracle/oracle_internal.h"

#include "core/oracle/noise.h"

#include <gsl/gsl_cblas.h>
#include <math.h>
#include <string.h>

double sp_stable_sensitivity(const sp_oracle *o, size_t m, double eta)
{
    const sp_constants *c = &o->problem->declared;
    const double slack = sp_domain_slack(&o->problem->domain, eta * c->L);
    return fmax(2.0 * c->L_data * eta + 2.0 * (double)m * slack, SP_MAGNITUDE_MIN);
}

static sp_status check(sp_oracle *o, const sp_resolved_batch *resolved, double eta)
{
    const sp_constants *c = &o->problem->certified;
    if (!(eta > 0.0 && isfinite(eta)))
        return sp_refuse(o, SP_EINVAL, "sp_stable_pass: eta = %g must be > 0 and finite", eta);
    if (!o->options.privacy.private)
        return SP_OK;
    if (!c->convex)
        return sp_refuse(o, SP_EPRIVACY, "sp_stable_pass: the objective is not certified convex");
    if (!(eta * c->beta <= 2.0))
        return sp_refuse(o, SP_EPRIVACY, "sp_stable_pass: eta = %g is above 2 / beta = %g", eta, 2.0 / c->beta);
    if (!isfinite(c->L_data) || !isfinite(o->problem->declared.L_data))
        return sp_refuse(o, SP_EPRIVACY, "sp_stable_pass: no finite sensitivity (L_data = %g)", c->L_data);
    if (!(eta * o->problem->declared.L_data <= SP_MAGNITUDE_MAX))
        return sp_refuse(o, SP_EPRIVACY, "sp_stable_pass: eta L_data = %g is above %g",
                         eta * o->problem->declared.L_data, SP_MAGNITUDE_MAX);
    if (resolved->kind == SP_SAMPLE_POISSON)
        return sp_refuse(o, SP_EPRIVACY, "sp_stable_pass: no theorem covers a Poisson sample, whose size is secret");
    return SP_OK;
}

/* The average iterate of one pass over the batch. v: d entries of scratch. */
static void pass(sp_oracle *o, const sp_resolved_batch *resolved, double eta, double *v, double *average)
{
    const int d = (int)sp_dimension(o);
    const size_t m = (size_t)resolved->m;
    const double L = o->problem->declared.L_data;
    const sp_term term = { 1.0, v };
    memset(average, 0, (size_t)d * sizeof *average);
    for (size_t j = 0; j < m; j++) {
        const uint32_t record = resolved->rows.index ? resolved->rows.index[j] : (uint32_t)j;
        sp_data_query(o->problem, o->scratch.workspace, (sp_rows){ &record, 1 }, 1, &term, L, L, 1.0, o->scratch.data);
        sp_public_query(o->problem, o->scratch.workspace, 1, &term, o->scratch.exact);
        cblas_daxpy(d, -eta, o->scratch.data, 1, v, 1);
        cblas_daxpy(d, -eta, o->scratch.exact, 1, v, 1);
        sp_domain_project(&o->problem->domain, v);
        cblas_daxpy(d, 1.0 / (double)m, v, 1, average, 1);
    }
    o->cost.gradients += resolved->m;
}

sp_status sp_stable_pass(sp_oracle *o, sp_batch batch, const double *start, double eta, double noise_multiplier,
                         double *out)
{
    sp_status status = SP_OK;
    sp_resolved_batch resolved;
    sp_entry entry;
    const size_t d = sp_dimension(o);
    double sensitivity, noise_std;
    SP_TRY(sp_not_reentered(o));
    SP_TRY(sp_records_check_single(o, "a pass of single records"));
    SP_TRY(sp_point_check(o, "sp_stable_pass", start));
    SP_TRY(sp_batch_resolve(o, batch, &resolved));
    SP_TRY(check(o, &resolved, eta));
    SP_TRY(sp_noise_check(o, "sp_stable_pass: noise_multiplier", noise_multiplier));
    SP_TRY(sp_batch_check(o, &resolved));
    sensitivity = sp_stable_sensitivity(o, (size_t)resolved.m, eta);
    noise_std = o->charged ? noise_multiplier * sensitivity : 0.0;
    entry = resolved.entry;
    entry.noise_multiplier = noise_multiplier;
    entry.sensitivity_low = entry.sensitivity_high = sensitivity;
    SP_TRY(sp_charge_batch(o, &resolved, &entry));
    o->cost.releases++;
    memcpy(o->scratch.pass_point, start, d * sizeof *start);
    sp_domain_project(&o->problem->domain, o->scratch.pass_point);
    pass(o, &resolved, eta, o->scratch.pass_point, o->scratch.raw);
    memcpy(o->scratch.data, o->scratch.raw, d * sizeof *o->scratch.data);
    sp_noise_gaussian(o->noise, noise_std, d, o->scratch.data);
    SP_TRY(sp_transcript_event(o, &(sp_event){ .primitive = "stable_pass", .point = &start, .points = 1, .dimension = d,
                                         .rows = resolved.rows.index, .count = resolved.rows.count, .m = resolved.m,
                                         .rate = resolved.entry.rate, .raw = o->scratch.raw, .size = d,
                                         .move = SP_MOVE_L2,
                                         .sensitivity = sensitivity, .noise_std = noise_std, .answer = o->scratch.data,
                                         .answers = d }));
    memcpy(out, o->scratch.data, d * sizeof *out);
cleanup:
    return status;
}
