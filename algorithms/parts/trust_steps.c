/* trust_steps.c -- the common code of dp_tr, dp_str and trust_region (trust_steps.h): parameters, steps, stop and
 * bound. */
#include "algorithms/parts/trust_steps.h"

#include "algorithms/parts/fits.h"
#include "algorithms/parts/sosp.h"
#include "algorithms/parts/theory.h"
#include "core/numeric/trust_region.h"

#include <gsl/gsl_cblas.h>

/* Subsets: C of the printed batches, up to constants; the noise multiplier below which amplification gives out; and
 * what subsets that large cost in noise at most. */
static const double printed_batch = 4.0, least_multiplier = 3.0, noise_of_subsets = 1.25;
/* Without a budget alpha is this part of the level at the start. */
static const double exact_alpha = 0.01;
/* Of the budget, for gradients or Hessians that hardly need any: the records' Hessians may all be the same. */
static const double least_share = 0.001;

typedef struct schedule {
    const sp_trust_options *given;
    double alpha, theta, steps;
    double batch[2];      /* records of a gradient's release, and of a Hessian's */
    bool sampled[2];      /* whether they are a subset */
    double need[2];       /* A_g, A_h */
    double multiplier[2]; /* of the noise */
} schedule;

const char *sp_trust_fits(const sp_constants *c)
{
    if (sp_sosp_fits(c))
        return sp_sosp_fits(c);
    if (!(c->beta > 0.0 && isfinite(c->beta)))
        return "the loss is not smooth (beta)";
    if (!isfinite(c->gap))
        return "no bound on F(w0) - F* is known (gap)";
    return c->gap > 0.0 ? NULL : "w0 is a minimiser: F(w0) - F* is known to be 0 (gap)";
}

const char *sp_noisy_trust_fits(const sp_constants *c)
{
    const char *misfit = sp_trust_fits(c);
    if (misfit || sp_gap_fits(c))
        return misfit ? misfit : sp_gap_fits(c);
    return isfinite(c->hessian_frobenius) ? NULL : "the records' Hessians are not bounded (hessian_frobenius)";
}

/* e_g and e_h of noise with these multipliers on the schedule's batches. */
static void noise_errors(const sp_constants *c, const schedule *s, const double *multiplier, double *error)
{
    const double d = (double)c->d, t = sqrt(2.0 * sp_log(4.0 * s->steps / s->given->zeta));
    error[0] = multiplier[0] * 2.0 * c->L_data / s->batch[0] * (sqrt(d) + t);
    error[1] = multiplier[1] * c->hessian_frobenius / s->batch[1] * (sqrt(2.0 * d) + t);
    error[1] *= s->given->mirrored ? M_SQRT2 : 1.0;
}

/* What noise may add to e_g and e_h. */
static void allowed_errors(const sp_constants *c, const schedule *s, double *allowed)
{
    allowed[0] = s->alpha / (s->sampled[0] ? 24.0 : 12.0);
    allowed[1] = sqrt(c->rho_hessian * s->alpha) / (s->sampled[1] ? 12.0 : 6.0);
}

static double steps_at(const sp_constants *c, double alpha)
{
    return floor(6.0 * sqrt(c->rho_hessian) * c->gap / (alpha * sqrt(alpha))) + 1.0;
}

/* All that follows from alpha but the batches, with whether it can be reached. */
static bool plan_at(const sp_oracle *o, double alpha, schedule *s)
{
    const sp_constants *c = sp_public(o);
    const sp_trust_options *given = s->given;
    double error[2], allowed[2];
    s->alpha = alpha;
    s->steps = given->steps > 0 ? (double)given->steps : steps_at(c, alpha);
    const double whole = sqrt(s->steps / (2.0 * sp_budget_of(o)->rho)), multiplier[2] = { whole, whole };
    for (int i = 0; i < 2; i++) {
        s->batch[i] = (double)c->n;
        s->sampled[i] = given->subsets && given->batch[i] < c->n;
    }
    noise_errors(c, s, multiplier, error);
    allowed_errors(c, s, allowed);
    for (int i = 0; i < 2; i++)
        s->need[i] = sp_pow((s->sampled[i] ? noise_of_subsets : 1.0) * error[i] / allowed[i], 2.0);
    const double sum = s->need[0] + s->need[1], best = sum > 0.0 ? s->need[0] / sum : 0.5;
    s->theta = isnan(given->theta) ? fmax(least_share, fmin(best, 1.0 - least_share)) : given->theta;
    return s->need[0] <= s->theta && s->need[1] <= 1.0 - s->theta;
}

typedef struct search {
    const sp_oracle *o;
    schedule *s;
} search;

static bool reached_at(void *context, double alpha)
{
    const search *x = context;
    return plan_at(x->o, alpha, x->s);
}

/* Whether some alpha up to `top` can be reached; the smallest, or `top`. */
static bool smallest(const sp_oracle *o, double top, schedule *s)
{
    return plan_at(o, sp_smallest_level(top, reached_at, &(search){ o, s }), s) || s->alpha < top;
}

/* The batches: as printed, but large enough for noise that is hardly more than that of all records. */
static sp_status choose_batches(sp_oracle *o, schedule *s)
{
    const sp_constants *c = sp_public(o);
    const double n = (double)c->n, rho = sp_budget_of(o)->rho, share[2] = { s->theta, 1.0 - s->theta };
    const double scale[2] = { c->L_data / s->alpha, c->beta_data / sqrt(c->rho_hessian * s->alpha) };
    for (int i = 0; i < 2 && s->given->subsets; i++) {
        const size_t batch = s->given->batch[i];
        if (batch > c->n)
            return sp_refuse(o, SP_EINVAL, "%s = %zu is more than the %zu records", i == 0 ? "batch" : "batch_h",
                             batch, c->n);
        const double sampling = printed_batch * scale[i] * scale[i] * sp_log((double)c->d / s->given->zeta);
        const double noise = isfinite(rho) ? least_multiplier * n * sqrt(2.0 * share[i] * rho / s->steps) : 1.0;
        s->batch[i] = batch > 0 ? (double)batch : fmin(fmax(ceil(fmax(sampling, noise)), 1.0), n);
        s->sampled[i] = s->batch[i] < n;
    }
    return SP_OK;
}

static sp_status resolve(sp_oracle *o, schedule *s)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const sp_trust_options *given = s->given;
    const double top = sp_level_at_start(c);
    sp_provenance from = SP_FROM_BALANCE;
    if (!isnan(given->alpha) || !isfinite(sp_budget_of(o)->rho)) {
        from = isnan(given->alpha) ? SP_FROM_THEORY : SP_FROM_USER;
        plan_at(o, isnan(given->alpha) ? exact_alpha * top : given->alpha, s);
    } else if (!smallest(o, top, s)) {
        from = SP_FROM_CAP;
    }
    if (!(s->steps <= SP_STEPS_MAX))
        SP_TRY(sp_refuse(o, SP_EINVAL, "alpha = %g takes up to %g steps", s->alpha, s->steps));
    SP_TRY(choose_batches(o, s));
    sp_resolved(o, "alpha", s->alpha, from);
    sp_resolved(o, "steps_max", s->steps, given->steps > 0 ? SP_FROM_USER : SP_FROM_THEORY);
    if (given->printed)
        sp_resolved(o, "theta", s->theta, isnan(given->theta) ? SP_FROM_BALANCE : SP_FROM_USER);
    if (given->subsets) {
        sp_resolved(o, "batch", s->batch[0], given->batch[0] > 0 ? SP_FROM_USER : SP_FROM_THEORY);
        sp_resolved(o, "batch_h", s->batch[1], given->batch[1] > 0 ? SP_FROM_USER : SP_FROM_THEORY);
    }
cleanup:
    return status;
}

static sp_sample sample_of(const schedule *s, int i)
{
    return s->sampled[i] ? sp_subset((size_t)s->batch[i]) : sp_full();
}

static sp_status calibrate(sp_oracle *o, schedule *s)
{
    const sp_constants *c = sp_public(o);
    double printed[2];
    if (!s->given->printed)
        return SP_OK; /* an oracle with a budget refuses the first release */
    s->given->printed(o, s->steps, &printed[0], &printed[1]);
    const sp_release_plan plan[2] = {
        { .kind = SP_GRADIENT, .sample = sample_of(s, 0), .count = (size_t)s->steps, .share = s->theta,
          .paper = printed[0] * s->batch[0] / (2.0 * c->L_data) },
        { .kind = SP_HESSIAN, .sample = sample_of(s, 1), .count = (size_t)s->steps, .share = 1.0 - s->theta,
          .paper = printed[1] * s->batch[1] / c->hessian_frobenius },
    };
    return sp_calibrate(o, plan, 2, s->multiplier);
}

/* Known after the calibration: the bound, or why there is none. */
static void promise(sp_oracle *o, const schedule *s)
{
    const sp_constants *c = sp_public(o);
    const double l = sp_log(16.0 * (double)c->d * s->steps / s->given->zeta), start = sp_level_at_start(c);
    const double proved[2] = { 4608.0 * l * c->L_data * c->L_data / (s->alpha * s->alpha),
                               1152.0 * l * c->beta_data * c->beta_data / (c->rho_hessian * s->alpha) };
    const double level = 169.0 / 36.0 * s->alpha;
    double error[2], allowed[2];
    bool sampling = true;
    noise_errors(c, s, s->multiplier, error);
    allowed_errors(c, s, allowed);
    for (int i = 0; i < 2; i++)
        sampling &= !s->sampled[i] || s->batch[i] >= proved[i];
    if (!(error[0] <= allowed[0] * (1.0 + 1e-6) && error[1] <= allowed[1] * (1.0 + 1e-6)))
        sp_warn_of(o, SP_WARNED_VACUOUS_PARAMETERS,
                   "vacuous parameters: by their noise gradients err by up to %.3g and Hessians by %.3g, where alpha = "
                   "%.3g bears %.3g and %.3g; level %.3g, and %.3g holds at the start", error[0], error[1], s->alpha,
                   allowed[0], allowed[1], level, start);
    else if (!sampling)
        sp_warn_of(o, SP_WARNED_UNCERTIFIED_PARAMETERS,
                   "uncertified parameters: subsets of %g records for gradients and %g for Hessians; the proof asks "
                   "for %.4g and %.4g", s->batch[0], s->batch[1], proved[0], proved[1]);
    else if (s->steps < steps_at(c, s->alpha))
        sp_warn_of(o, SP_WARNED_UNCERTIFIED_PARAMETERS,
                   "uncertified parameters: alpha = %.3g may take %g steps, steps_max is %g", s->alpha,
                   steps_at(c, s->alpha), s->steps);
    else
        sp_promise(o, sp_domain_of(o)->kind == SP_DOMAIN_SPACE, level, start);
}

typedef struct state {
    const schedule *s;
    size_t d;
    double *w, *g, *h, *best, *values, *scratch; /* d; best: the point of the smallest score so far */
    double *B;                                   /* d x d */
    double score;                                /* of `best` */
    bool passed;
} state;

static sp_status step(sp_oracle *o, state *a)
{
    sp_status status = SP_OK;
    const schedule *s = a->s;
    const double rho_H = sp_public(o)->rho_hessian;
    double lambda = NAN;
    sp_batch batch;
    SP_TRY(sp_draw(o, sample_of(s, 0), &batch));
    SP_TRY(sp_gradient(o, &SP_AT(batch, a->w), s->multiplier[0], a->g));
    SP_TRY(sp_draw(o, sample_of(s, 1), &batch)); /* anew: a subset serves one release */
    SP_TRY((s->given->mirrored ? sp_hessian_mirrored : sp_hessian)(o, batch, a->w, s->multiplier[1], a->B));
    status = sp_trust_region_subproblem(a->d, a->B, a->g, sqrt(s->alpha / rho_H), a->values, a->h, &lambda,
                                        a->scratch);
    if (status != SP_OK)
        SP_TRY(sp_refuse(o, status, "no step from the released gradient and Hessian"));
    const double score = fmax(cblas_dnrm2((int)a->d, a->g, 1) / s->alpha, -a->values[0] / sqrt(rho_H * s->alpha));
    if (score < a->score) {
        a->score = score;
        memcpy(a->best, a->w, a->d * sizeof *a->w);
    }
    cblas_daxpy((int)a->d, 1.0, a->h, 1, a->w, 1);
    sp_domain_project(sp_domain_of(o), a->w);
    a->passed = lambda <= sqrt(rho_H * s->alpha);
cleanup:
    return status;
}

sp_status sp_trust_run(sp_oracle *o, const sp_trust_options *given, double *w)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(o);
    double *memory = sp_alloc(d + 5, d * sizeof *memory);
    schedule s = { .given = given };
    size_t taken = 0;
    if (!memory)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for a Hessian of d = %zu", d));
    state a = { .s = &s, .d = d, .w = w, .g = memory, .h = memory + d, .best = memory + 2 * d,
                .values = memory + 3 * d, .scratch = memory + 4 * d, .B = memory + 5 * d, .score = INFINITY };
    SP_TRY(resolve(o, &s));
    SP_TRY(calibrate(o, &s));
    promise(o, &s);
    while (!a.passed && (double)taken < s.steps) {
        SP_TRY(step(o, &a));
        SP_TRY(sp_checkpoint(o, ++taken, w));
    }
    if (!a.passed)
        sp_warn_of(o, SP_WARNED_UNCERTIFIED,
                   "uncertified: none of %zu steps had a multiplier of at most sqrt(alpha rho_hessian) = %.3g; the "
                   "iterate of the smallest released score is at %.3g%s", taken,
                   sqrt(s.alpha * sp_public(o)->rho_hessian), a.score, given->last ? "" : ", and is returned");
    if (!a.passed && !given->last)
        memcpy(w, a.best, d * sizeof *w);
    sp_resolved(o, "passed", a.passed, SP_FROM_THEORY);
    SP_TRY(sp_checkpoint(o, taken + 1, w));
cleanup:
    free(memory);
    return status;
}
