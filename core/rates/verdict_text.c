/* verdict_text.c -- writes a verdict as a row of fits.tsv, and as a line for people. */
#include "core/base/memory.h"
#include "core/base/pack.h"
#include "core/rates/outcomes.h"
#include "core/rates/rates_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "-0.48 -0.51 -0.50", "-" without any. */
static void append_locals(const sp_verdict *v, sp_text *out)
{
    bool any = false;
    for (size_t p = 0; p < v->curve.points; p++)
        if (isfinite(v->local[p].estimate)) {
            sp_text_append(out, "%s%.2f", any ? " " : "", v->local[p].estimate);
            any = true;
        }
    if (!any)
        sp_text_append(out, "-");
}

/* --- a row --------------------------------------------------------------------------------------------------- */

static void append_number(sp_text *text, double value)
{
    char number[SP_NUMBER_SIZE];
    sp_text_append(text, "\t%s", isnan(value) ? "NaN" : sp_number(value, number));
}

static void append_text(sp_text *out, const char *text)
{
    sp_text_append(out, "\t");
    sp_table_write(out, text);
}

void sp_verdict_head(sp_text *out)
{
    sp_text_append(out, "sweep\talgorithm\ty\tx\twhere\tmode\tbelow\tsource\torigin\tclaimed\texponent\tse\tdf\tlow90\t"
                        "high90\tseeds\tspread\twithin_low90\twithin_high90\tpoints\ttolerance\tfit_p\ttail\t"
                        "tail_low\ttail_high\trival\tlog_lr\tcontrol\tpower\treplicates_needed\tp\tp_holm\tlocal\t"
                        "verdict\treason");
}

void sp_verdict_row(const sp_verdict *v, sp_text *out)
{
    const sp_claim *c = v->claim;
    const sp_slope *s = &v->slope;
    sp_text where = { 0 };
    sp_claim_conditions(c, &where);
    sp_table_write(out, c->sweep);
    append_text(out, c->algorithm);
    append_text(out, c->y);
    append_text(out, c->x);
    append_text(out, c->wheres > 0 ? where.data : NULL);
    append_text(out, c->mode);
    append_text(out, c->below);
    append_text(out, c->source);
    append_text(out, c->origin);
    append_number(out, v->exponent);
    append_number(out, s->estimate);
    append_number(out, s->se);
    append_number(out, s->df);
    append_number(out, s->low);
    append_number(out, s->high);
    sp_text_append(out, "\t%zu", v->seeds);
    append_number(out, v->spread);
    append_number(out, v->within.low);
    append_number(out, v->within.high);
    sp_text_append(out, "\t%zu", s->points);
    append_number(out, c->tolerance);
    append_number(out, s->fit_p);
    append_number(out, s->tail);
    append_number(out, s->tail_low);
    append_number(out, s->tail_high);
    append_number(out, c->rival);
    append_number(out, v->log_lr);
    append_number(out, v->control.estimate);
    append_number(out, v->power);
    append_number(out, v->replicates_needed);
    append_number(out, v->p);
    append_number(out, v->p_holm);
    sp_text_append(out, "\t");
    append_locals(v, out);
    append_text(out, sp_verdict_name(v->kind));
    append_text(out, *v->reason ? v->reason : NULL);
    out->failed = out->failed || where.failed;
    sp_text_free(&where);
}

/* --- a line -------------------------------------------------------------------------------------------------- */

/* "grad_norm / steps^1 / log^1 n ~ n^-0.667" */
static void append_law(const sp_verdict *v, sp_text *out)
{
    const sp_claim *c = v->claim;
    sp_text_append(out, "%s", c->y);
    for (size_t i = 0; i < c->pers; i++) {
        double power = 1.0;
        sp_read_number(c->per[i].value, &power);
        sp_text_append(out, " / %s^%.3g", c->per[i].key, power);
    }
    if (c->log != 0.0)
        sp_text_append(out, " / log^%.3g %s", c->log, sp_short_name(c->x));
    sp_text_append(out, " ~ %s^%.3g%s", sp_short_name(c->x), v->exponent, isnan(c->exponent) ? " (the bound's)" : "");
}

/* "(theory, Cor. 5.3; conjecture; below dp_gd; within path_radius=2.85; epsilon=1)" */
static void append_circumstances(const sp_claim *c, sp_text *out)
{
    sp_text_append(out, " (%s", c->mode);
    if (c->source)
        sp_text_append(out, ", %s", c->source);
    if (strcmp(c->origin, "theorem") != 0)
        sp_text_append(out, "; %s", c->origin);
    if (c->below)
        sp_text_append(out, "; below %s", c->below);
    if (c->withins > 0) {
        sp_text_append(out, "; within ");
        sp_claim_limits(c, out);
    }
    if (c->wheres > 0) {
        sp_text_append(out, "; ");
        sp_claim_conditions(c, out);
    }
    sp_text_append(out, ")");
}

/* "; excludes -0.5 (log LR 12.4) and the control noise-free (-0.91)" */
static void append_excluded(const sp_verdict *v, sp_text *out)
{
    const sp_claim *c = v->claim;
    const bool rival = sp_verdict_excludes_rival(v);
    const bool control = c->control && v->kind == SP_AGREES;
    if (!isnan(c->rival))
        sp_text_append(out, "; %s %.3g (log LR %.1f)", rival ? "excludes" : "does not exclude", c->rival, v->log_lr);
    if (control && isnan(v->control.estimate))
        sp_text_append(out, "; control %s: no power law", c->control);
    else if (c->control && !isnan(v->control.estimate))
        sp_text_append(out, "; control %s: %.3f", c->control, v->control.estimate);
}

/* "; meets the line of dp_gd at n = 2.1e+07 [9.4e+06, 8e+07]" */
static void append_crossing(const sp_verdict *v, sp_text *out)
{
    const sp_interval *c = &v->crossing;
    if (isnan(c->estimate))
        return;
    sp_text_append(out, "; meets the line of %s at %s = %.3g", v->claim->below, sp_short_name(v->claim->x),
                   c->estimate);
    if (isnan(c->low))
        sp_text_append(out, ", or nowhere: their slopes may be the same");
    else
        sp_text_append(out, " [%.3g, %.3g]", c->low, c->high);
}

/* A number that two points, or one replicate, do not have is left out. */
static void append_tests(const sp_verdict *v, sp_text *out)
{
    const sp_slope *s = &v->slope;
    const char *separator = "; ";
    if (!isnan(s->fit_p)) {
        sp_text_append(out, "%sfit p %.2g", separator, s->fit_p);
        separator = ", ";
    }
    if (!isnan(s->tail)) {
        sp_text_append(out, "%stail %.3f [%.3f, %.3f]", separator, s->tail, s->tail_low, s->tail_high);
        separator = ", ";
    }
    if (!isnan(v->power)) {
        sp_text_append(out, "%spower %.2f", separator, v->power);
        separator = ", ";
    }
    if (!isnan(v->p_holm)) {
        sp_text_append(out, "%sp %.2g", separator, v->p_holm);
        separator = ", ";
    }
    sp_text_append(out, "%slocal ", separator);
    append_locals(v, out);
}

void sp_verdict_line(const sp_verdict *v, sp_text *out)
{
    const sp_slope *s = &v->slope;
    sp_text_append(out, "%-12s  %s: ", sp_verdict_name(v->kind), v->claim->algorithm);
    append_law(v, out);
    sp_text_append(out, " +-%g", v->claim->tolerance);
    append_circumstances(v->claim, out);
    if (isnan(s->estimate)) {
        sp_text_append(out, ": not measured");
    } else {
        sp_text_append(out, ": measured %.3f [%.3f, %.3f]", s->estimate, s->low, s->high);
        if (v->seeds > 1)
            sp_text_append(out, " over %zu seeds of deviation %.3f (the first alone %.3f [%.3f, %.3f], deviation %.3f)",
                           v->seeds, v->spread, v->within.estimate, v->within.low, v->within.high, v->within.se);
        append_excluded(v, out);
        append_crossing(v, out);
        append_tests(v, out);
    }
    const char *reason = sp_outcome_reason(v->kind, v->reason);
    if (*reason)
        sp_text_append(out, ": %s", reason);
}

sp_status sp_fits_write(const sp_verdict *verdict, size_t count, const char *results, sp_error *error)
{
    sp_text text = { 0 };
    sp_verdict_head(&text);
    sp_text_append(&text, "\n");
    for (size_t i = 0; i < count; i++) {
        sp_verdict_row(&verdict[i], &text);
        sp_text_append(&text, "\n");
    }
    char *path = sp_need(sp_format("%s/fits.tsv", results));
    sp_need_text(&text);
    const sp_status status = sp_pack_write(path, text.data, text.length, error);
    sp_text_free(&text);
    free(path);
    return status;
}
