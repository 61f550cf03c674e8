/* verdict.c -- the verdict on a claim: tests the preconditions in order, then compares the slope's interval with the
 * claimed exponent (verdict.h). */
#include "core/stats/inference.h"
#include "core/rates/rates_internal.h"

#include "core/base/memory.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = { [SP_AGREES] = "AGREES", [SP_STEEPER] = "STEEPER", [SP_SHALLOWER] = "SHALLOWER",
                                     [SP_VACUOUS] = "VACUOUS", [SP_NOT_RESOLVED] = "NOT_RESOLVED" };

const char *sp_verdict_name(sp_verdict_kind kind)
{
    return names[kind];
}

/* --- the exponent -------------------------------------------------------------------------------------------- */

static bool above_bound(sp_verdict *v)
{
    const sp_claim *claim = v->claim;
    for (size_t p = 0; p < v->curve.points; p++)
        if (v->counted[p] && v->y[p].low > v->theory[p])
            return sp_rule(v, SP_SHALLOWER, "%s = %.3g at %s = %g is above the bound %.3g", claim->y, v->y[p].estimate,
                           sp_short_name(claim->x), v->curve.x[p], v->theory[p]);
    return false;
}

/* An exponent with its error, seen from the claimed one: how much worse it is. */
typedef struct excess {
    double estimate, se, df, low, high; /* 90 % */
} excess;

static excess excess_of(const sp_verdict *v, double exponent, double se, double df)
{
    const double sign = strcmp(v->claim->toward, "zero") == 0 ? -1.0 : 1.0;
    excess e = { .estimate = sign * (exponent - v->exponent), .se = se, .df = df };
    sp_slope_interval(e.estimate, se, df, &e.low, &e.high);
    return e;
}

/* What the words go by: of a bound the end of the curve, else the whole of it. */
static excess judged_excess(const sp_verdict *v)
{
    const sp_slope *s = &v->slope;
    return sp_is_mode(v, "bound") ? excess_of(v, s->tail, s->tail_se, s->tail_df)
                                  : excess_of(v, s->estimate, s->se, s->df);
}

/* The chance of AGREES were the claimed exponent the true one; and how many replicates have it at 90 %: one straight
 * line in twenty is rejected and has a wide interval, so that 95 % of the others have to agree; a claim with two sides
 * may lose 2.5 % on each. */
static void foresee(sp_verdict *v)
{
    const double tolerance = v->claim->tolerance;
    const bool bound = sp_is_mode(v, "bound");
    const excess e = judged_excess(v);
    if (!(e.df > 0.0))
        return;
    const double t95 = gsl_cdf_tdist_Pinv(0.95, e.df), beyond = bound ? t95 : gsl_cdf_tdist_Pinv(0.975, e.df);
    const double reach = gsl_cdf_tdist_P(tolerance / e.se - t95, e.df);
    v->power = bound ? reach : fmax(2.0 * reach - 1.0, 0.0);
    v->replicates_needed = ceil((double)sp_fewest_replicates(v) * gsl_pow_2((t95 + beyond) * e.se / tolerance));
}

/* Against its rival, the ratio of the likelihoods of a normal law. */
static void weigh_rival(sp_verdict *v)
{
    const bool bound = sp_is_mode(v, "bound");
    const double b = bound ? v->slope.tail : v->slope.estimate, se = bound ? v->slope.tail_se : v->slope.se;
    v->log_lr = (gsl_pow_2(b - v->claim->rival) - gsl_pow_2(b - v->exponent)) / (2.0 * se * se);
}

/* How many it takes, if the estimate stays, for the interval to lie on one side of the tolerance; but no fewer than
 * have power. */
static double settling_replicates(const sp_verdict *v, excess e)
{
    const double size = sp_is_mode(v, "bound") ? e.estimate : fabs(e.estimate);
    const double half = 0.5 * (e.high - e.low), room = fabs(v->claim->tolerance - size);
    return fmax(v->replicates_needed, ceil((double)sp_fewest_replicates(v) * gsl_pow_2(half / room)));
}

/* What more of narrows the interval. */
static const char *repeats(const sp_verdict *v)
{
    return v->seeds > 1 ? "seeds" : "replicates";
}

/* Replicates narrow an interval that noise makes wide; where the points lie on no line they do not. */
static bool too_wide(sp_verdict *v, excess e)
{
    static const char neither[] = "the interval lies neither within the tolerance nor outside of it";
    if (v->slope.fit_p < 0.05)
        return sp_rule(v, SP_NOT_RESOLVED, "the points lie on no line (p = %.2g), and %s: %s must go further",
                       v->slope.fit_p, neither, sp_short_name(v->claim->x));
    return sp_rule(v, SP_NOT_RESOLVED, "%s: %.0f %s would settle it", neither, settling_replicates(v, e), repeats(v));
}

/* A power law's end has its exponent: with an interval that comes within two tolerances of the claimed one. */
static bool bends_away(sp_verdict *v)
{
    const sp_slope *s = &v->slope;
    const double tolerance = 2.0 * v->claim->tolerance;
    if (!(s->tail_low > v->exponent + tolerance || s->tail_high < v->exponent - tolerance))
        return false;
    return sp_rule(v, SP_NOT_RESOLVED, "the curve bends: at its end the slope is %.3f [%.3f, %.3f], two tolerances are "
                   "%g: %s must go further", s->tail, s->tail_low, s->tail_high, tolerance, sp_short_name(v->claim->x));
}

static const double log_20 = 2.995732273553991;

bool sp_verdict_excludes_rival(const sp_verdict *v)
{
    return v->log_lr >= log_20;
}

static bool rival_stands(sp_verdict *v)
{
    if (isnan(v->claim->rival) || sp_verdict_excludes_rival(v))
        return false;
    if (!(v->log_lr > 0.0)) /* of a bound, which may be kept with room to spare */
        return sp_rule(v, SP_NOT_RESOLVED, "the rival %.3g is not excluded: log likelihood ratio %.1f, not %.1f: the "
                       "slope at the curve's end is nearer to it", v->claim->rival, v->log_lr, log_20);
    const double enough = ceil((double)sp_fewest_replicates(v) * log_20 / v->log_lr);
    return sp_rule(v, SP_NOT_RESOLVED, "the rival %.3g is not excluded: log likelihood ratio %.1f, not %.1f: %.0f %s "
                   "would settle it", v->claim->rival, v->log_lr, log_20, fmax(v->replicates_needed, enough),
                   repeats(v));
}

/* One-sided, of what the word says about the exponent. */
static double p_of(const sp_verdict *v, excess e)
{
    const double tolerance = v->claim->tolerance, size = fabs(e.estimate);
    if (v->kind == SP_AGREES)
        return gsl_cdf_tdist_Q((tolerance - (sp_is_mode(v, "bound") ? e.estimate : size)) / e.se, e.df);
    return v->kind == SP_STEEPER || v->kind == SP_SHALLOWER ? gsl_cdf_tdist_Q((size - tolerance) / e.se, e.df) : NAN;
}

static bool scattered(sp_verdict *v)
{
    double lowest = INFINITY, highest = -INFINITY;
    bool far = false;
    for (size_t p = 0; p < v->curve.points; p++) {
        const sp_interval *local = &v->local[p];
        if (isnan(local->estimate))
            continue;
        lowest = fmin(lowest, local->estimate);
        highest = fmax(highest, local->estimate);
        far = far || local->low > v->slope.estimate + v->claim->scatter ||
              local->high < v->slope.estimate - v->claim->scatter;
    }
    return far && sp_rule(v, SP_NOT_RESOLVED, "local slopes go from %.2f to %.2f, more than %.2f from the fitted %.2f: "
                          "no power law%s", lowest, highest, v->claim->scatter, v->slope.estimate,
                       v->claim->family ? ", or a family with members too far apart (a staircase)" : "");
}

/* The word for a slope that has an interval. */
static void decide(sp_verdict *v)
{
    const double tolerance = v->claim->tolerance;
    const bool bound = sp_is_mode(v, "bound");
    const excess e = judged_excess(v);
    if (isfinite(v->claim->constant) && above_bound(v))
        return;
    if (!(e.df > 0.0))
        sp_rule(v, SP_NOT_RESOLVED, "there is no interval");
    else if (e.low > tolerance)
        v->kind = SP_SHALLOWER;
    else if (e.high < -tolerance && !bound)
        v->kind = SP_STEEPER;
    else if (!(e.high <= tolerance && (bound || e.low >= -tolerance)))
        too_wide(v, e);
    else if (!rival_stands(v) && (bound || !bends_away(v)))
        v->kind = SP_AGREES;
    v->p = p_of(v, e);
}

/* --- other labels -------------------------------------------------------------------------------------------- */

/* The same claim of another label, as far as its slope: whatever it is, but measured. */
static sp_status measure_other(const sp_runs *runs, const sp_verdict *v, char *label, sp_claim *claim,
                               sp_verdict *other, sp_text *caps, sp_error *error)
{
    static char sup[] = "sup";
    *claim = *v->claim;
    claim->algorithm = label;
    claim->below = claim->control = NULL;
    claim->rival = claim->constant = NAN;
    claim->withins = 0;
    if (v->claim->control && strcmp(label, v->claim->control) == 0) { /* it need not leave its start, nor its floor */
        claim->floor = 0.0;
        claim->start = INFINITY;
    }
    claim->mode = sup; /* no promise about its parameters */
    return sp_verdict_measure(runs, claim, other, caps, error);
}

static void note(sp_verdict *v, const char *before, const sp_text *text)
{
    const size_t length = strlen(v->reason);
    if (text->length > 0)
        snprintf(v->reason + length, sizeof v->reason - length, "%s%s%s", length > 0 ? "; " : "", before, text->data);
}

/* Is the exponent better than that of the label which it is claimed to be below? A cap makes an exponent worse, and so
 * that claim easier: what was capped there counts as it does here. */
static void rule_by_other(sp_verdict *v, const sp_verdict *w, sp_text *caps)
{
    const excess mine = excess_of(v, v->slope.estimate, v->slope.se, v->slope.df);
    const excess theirs = excess_of(v, w->slope.estimate, w->slope.se, w->slope.df);
    const double variance = mine.se * mine.se + theirs.se * theirs.se; /* Welch */
    const double df = gsl_pow_2(variance) / (gsl_pow_4(mine.se) / mine.df + gsl_pow_4(theirs.se) / theirs.df);
    double low, high;
    sp_slope_interval(mine.estimate - theirs.estimate, sqrt(variance), df, &low, &high);
    if (*w->reason || isnan(low))
        sp_rule(v, SP_NOT_RESOLVED, "that of %s is not resolved: %.900s", v->claim->below, w->reason);
    else if (caps->length > 0 && sp_is_mode(v, "theory"))
        sp_rule(v, SP_VACUOUS, "of %s %.900s", v->claim->below, caps->data);
    else if (!(high < 0.0))
        sp_rule(v, low > 0.0 ? SP_SHALLOWER : SP_NOT_RESOLVED, "not better than that of %s, %.3f [%.3f, %.3f]",
             v->claim->below, w->slope.estimate, w->slope.low, w->slope.high);
    if (caps->length > 0 && !sp_is_mode(v, "theory")) {
        char *before = sp_need(sp_format("of %s ", v->claim->below));
        note(v, before, caps);
        free(before);
    }
}

/* Where the two lines meet, whatever the word is; and the word, where the label's own exponent is borne out. */
static sp_status compare_with_other(const sp_runs *runs, sp_verdict *v, sp_error *error)
{
    sp_claim claim;
    sp_text caps = { 0 };
    sp_verdict w;
    const sp_status status = measure_other(runs, v, v->claim->below, &claim, &w, &caps, error);
    if (status != SP_OK)
        return status;
    if (!*w.reason)
        v->crossing = sp_slope_crossing(&v->slope, &w.slope);
    if (v->kind == SP_AGREES || v->kind == SP_STEEPER)
        rule_by_other(v, &w, &caps);
    sp_verdict_free(&w);
    sp_need_text(&caps);
    sp_text_free(&caps);
    return SP_OK;
}

/* Does a label that must not show it show the exponent too? Where its y has no logarithm it does not. Nor do residuals
 * that widen its interval make it show what it does not. */
static sp_status compare_with_control(const sp_runs *runs, sp_verdict *v, sp_error *error)
{
    sp_claim claim = *v->claim;
    sp_text caps = { 0 };
    sp_verdict w;
    const sp_status status = measure_other(runs, v, v->claim->control, &claim, &w, &caps, error);
    sp_text_free(&caps);
    if (status != SP_OK)
        return status;
    v->control = w.slope;
    const excess e = excess_of(v, w.slope.estimate, w.slope.noise_se, w.slope.noise_df);
    const bool silent = sp_has_no_logarithm(&w);
    if (!silent && (*w.reason || isnan(e.low)))
        sp_rule(v, SP_NOT_RESOLVED, "the control %s is not resolved: %.900s", claim.algorithm, w.reason);
    else if (!silent && !(e.low > v->claim->tolerance || e.high < -v->claim->tolerance))
        sp_rule(v, SP_NOT_RESOLVED, "the schedule alone: the control %s shows %.3f too", claim.algorithm,
             w.slope.estimate);
    sp_verdict_free(&w);
    return SP_OK;
}

/* --- the whole ----------------------------------------------------------------------------------------------- */

sp_status sp_verdict_of(const sp_runs *runs, const sp_claim *claim, sp_verdict *v, sp_error *error)
{
    sp_text caps = { 0 };
    sp_status status = sp_verdict_measure(runs, claim, v, &caps, error);
    if (status != SP_OK)
        goto cleanup;
    foresee(v);
    weigh_rival(v);
    if (*v->reason)
        goto cleanup;
    if (sp_is_mode(v, "bound") || !scattered(v))
        decide(v);
    if (claim->below)
        SP_TRY(compare_with_other(runs, v, error));
    if (claim->control && v->kind == SP_AGREES)
        SP_TRY(compare_with_control(runs, v, error));
    note(v, "", &caps);
cleanup:
    if (status != SP_OK)
        sp_verdict_free(v);
    sp_text_free(&caps);
    return status;
}

/* Claims that share a word share the chance of being wrong. */
void sp_verdicts_adjust(sp_verdict *v, size_t count)
{
    double *p = sp_need(sp_alloc_doubles(count + 1));
    for (int kind = SP_AGREES; kind <= SP_SHALLOWER; kind++) {
        size_t k = 0;
        for (size_t i = 0; i < count; i++)
            if (v[i].kind == (sp_verdict_kind)kind && !isnan(v[i].p))
                p[k++] = v[i].p;
        sp_holm(p, k);
        k = 0;
        for (size_t i = 0; i < count; i++)
            if (v[i].kind == (sp_verdict_kind)kind && !isnan(v[i].p))
                v[i].p_holm = p[k++];
    }
    free(p);
}

void sp_verdict_free(sp_verdict *v)
{
    sp_curve_free(&v->curve);
    free(v->counted);
    free(v->y);
    free(v->local);
    free(v->start);
    free(v->floor);
    free(v->fitted);
    free(v->model);
    free(v->theory);
    free(v->decides);
    *v = (sp_verdict){ 0 };
}
