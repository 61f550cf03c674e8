/* oracle.c -- creates an oracle, shows methods the public constants, receives their checkpoints, warnings and resolved
 * parameters, and gives the harness its ledger and costs afterwards. */
#include "core/oracle/oracle_internal.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sp_status sp_not_rehearsed(sp_oracle *o)
{
    return o->options.rehearsal ? sp_refuse(o, SP_EREHEARSED, "%s", sp_status_text(SP_EREHEARSED)) : SP_OK;
}

static sp_status budget_make(const sp_oracle_options *options, sp_budget *budget, sp_error *error)
{
    const sp_privacy *privacy = &options->privacy;
    if (!privacy->private) {
        *budget = (sp_budget){ INFINITY, 1.0, INFINITY, INFINITY, INFINITY, false, INFINITY, false };
        return SP_OK;
    }
    if (!(privacy->epsilon > 0.0 && isfinite(privacy->epsilon)))
        return sp_fail(error, SP_EINVAL, "privacy.epsilon = %g: must be > 0 and finite", privacy->epsilon);
    if (!(privacy->delta > 0.0 && privacy->delta < 1.0))
        return sp_fail(error, SP_EINVAL, "privacy.delta = %g: must be in (0, 1)", privacy->delta);
    const double mu = sp_gaussian_mu(privacy->epsilon, privacy->delta);
    *budget = (sp_budget){ privacy->epsilon, privacy->delta, mu, mu * mu / 2.0,
                           sp_transcript_rho(options->transcript, privacy->epsilon, privacy->delta), privacy->noise,
                           privacy->epsilon, privacy->calibration == SP_CALIBRATE_PAPER };
    return SP_OK;
}

static bool show_public(sp_oracle *o)
{
    const sp_problem *p = o->problem;
    const size_t d = sp_dimension(o), entries = p->domain.vertices * d;
    sp_shown *shown = &o->shown;
    *shown = (sp_shown){ .constants = p->declared, .domain = p->domain, .budget = o->budget };
    shown->start = sp_alloc_doubles(d);
    shown->vertex = entries > 0 ? sp_alloc_doubles(entries) : NULL;
    if (!shown->start || (entries > 0 && !shown->vertex))
        return false;
    memcpy(shown->start, p->start, d * sizeof *shown->start);
    if (entries > 0)
        memcpy(shown->vertex, p->domain.vertex, entries * sizeof *shown->vertex);
    shown->domain.vertex = shown->vertex;
    return true;
}

bool sp_oracle_scratch(sp_oracle *o)
{
    const size_t d = sp_dimension(o);
    o->scratch.workspace = sp_workspace_new(o->problem);
    o->scratch.data = sp_alloc_doubles(d);
    o->scratch.exact = sp_alloc_doubles(d);
    o->scratch.raw = sp_alloc_doubles(d);
    o->scratch.pass_point = sp_alloc_doubles(d);
    return o->scratch.workspace && o->scratch.data && o->scratch.exact && o->scratch.raw && o->scratch.pass_point &&
           show_public(o);
}

sp_status sp_oracle_losses_scratch(sp_oracle *o, size_t size, const char *what)
{
    sp_scratch *s = &o->scratch;
    if (size <= s->losses_size)
        return SP_OK;
    free(s->losses);
    s->losses_size = 0;
    s->losses = sp_alloc_doubles(size);
    if (!s->losses)
        return sp_refuse(o, SP_ENOMEM, "%s: out of memory for %zu losses", what, size);
    s->losses_size = size;
    return SP_OK;
}

sp_status sp_oracle_new(const sp_oracle_options *options, sp_oracle **out, sp_error *error)
{
    sp_status status = SP_OK;
    sp_oracle *o = NULL;
    sp_budget budget;
    const size_t n = options->problem->train->n, d = options->problem->domain.d;
    *out = NULL;
    SP_TRY(budget_make(options, &budget, error));
    if (n == 0 || n > UINT32_MAX)
        SP_TRY(sp_fail(error, SP_EUNSUPPORTED, "%zu records: an oracle samples from 1 to 2^32 - 1", n));
    o = sp_alloc(1, sizeof *o);
    if (!o)
        SP_TRY(sp_fail(error, SP_ENOMEM, "oracle: out of memory"));
    o->options = *options;
    o->problem = options->problem;
    o->budget = budget;
    o->spending.filter = SP_FILTER_ZCDP;
    o->transcript = options->transcript;
    o->charged = options->privacy.private && options->privacy.noise;
    o->promise = o->promise_at_start = NAN;
    o->coins = sp_stream_open(options->coins);
    o->sampling = sp_stream_open(options->sampling);
    o->noise = sp_stream_open(options->noise);
    o->selection = sp_stream_open(options->selection);
    if (!o->coins || !o->sampling || !o->noise || !o->selection || !sp_oracle_scratch(o))
        SP_TRY(sp_fail(error, SP_ENOMEM, "oracle: out of memory at d = %zu", d));
    *out = o;
    o = NULL;
cleanup:
    sp_oracle_free(o);
    return status;
}

void sp_oracle_free(sp_oracle *o)
{
    if (!o)
        return;
    while (o->children) {
        sp_oracle *child = o->children;
        o->children = child->next;
        sp_oracle_free(child);
    }
    sp_accumulators_free(o->accumulators);
    sp_ledger_free(&o->ledger);
    sp_spending_free(&o->spending);
    for (size_t kind = 0; kind < SP_SAMPLE_KINDS; kind++)
        free(o->drawn[kind].index);
    free(o->passes.mu2);
    sp_nesting_free(&o->nesting);
    if (!o->parent) { /* a child's are its root's */
        gsl_rng_free(o->coins);
        gsl_rng_free(o->sampling);
        gsl_rng_free(o->noise);
        gsl_rng_free(o->selection);
    }
    sp_dataset_free(&o->child_data);
    sp_dataset_free(&o->moments.left);
    sp_dataset_free(&o->moments.batch);
    free(o->child_start);
    free(o->projection);
    free(o->shown.start);
    free(o->shown.vertex);
    sp_workspace_free(o->scratch.workspace);
    free(o->scratch.data);
    free(o->scratch.exact);
    free(o->scratch.raw);
    free(o->scratch.pass_point);
    free(o->scratch.hessian);
    free(o->scratch.losses);
    free(o->scratch.listed);
    sp_text_free(&o->warning);
    free(o);
}

/* --- public knowledge --------------------------------------------------------------------------------------- */

const sp_constants *sp_public(const sp_oracle *o)
{
    return &o->shown.constants;
}

const sp_domain *sp_domain_of(const sp_oracle *o)
{
    return &o->shown.domain;
}

size_t sp_dimension(const sp_oracle *o)
{
    return o->problem->domain.d;
}

size_t sp_records(const sp_oracle *o)
{
    return o->problem->train->n;
}

gsl_rng *sp_coins(sp_oracle *o)
{
    return o->coins;
}

const double *sp_start(const sp_oracle *o)
{
    return o->shown.start;
}

const sp_budget *sp_budget_of(const sp_oracle *o)
{
    return &o->shown.budget;
}

sp_oracle *sp_oracle_root(sp_oracle *o)
{
    while (o->parent)
        o = o->parent;
    return o;
}

/* --- reporting ---------------------------------------------------------------------------------------------- */

/* A child's point as one of its parent. */
static const double *lifted(sp_oracle *o, const double *w)
{
    if (!o->projection)
        return w;
    sp_lift(o, w, o->parent->scratch.raw);
    return o->parent->scratch.raw;
}

sp_status sp_checkpoint(sp_oracle *o, size_t step, const double *w)
{
    const sp_status status = sp_not_reentered(o);
    if (status != SP_OK)
        return status;
    if (step < o->step)
        return sp_refuse(o, SP_EINVAL, "sp_checkpoint: step %zu comes after step %zu", step, o->step);
    o->step = step;
    if (o->nesting.repeated)
        return SP_OK;
    if (o->parent) {
        if (!o->based)
            o->base = o->parent->step;
        o->based = true;
        return sp_checkpoint(o->parent, o->base + step, lifted(o, w));
    }
    return o->options.checkpoint ? o->options.checkpoint(o->options.context, step, w) : SP_OK;
}

sp_status sp_candidate(sp_oracle *o, const double *w)
{
    const sp_status status = sp_not_reentered(o);
    if (status != SP_OK)
        return status;
    if (o->nesting.repeated)
        return SP_OK;
    if (o->parent)
        return sp_candidate(o->parent, lifted(o, w));
    return o->options.candidate ? o->options.candidate(o->options.context, w) : SP_OK;
}

static sp_status pass_up(sp_oracle *o, size_t depth, const double *w)
{
    if (o->nesting.repeated)
        return SP_OK;
    if (o->parent)
        return pass_up(o->parent, depth + 1, lifted(o, w));
    return o->options.hand_over ? o->options.hand_over(o->options.context, depth, w) : SP_OK;
}

sp_status sp_hand_over(sp_oracle *o, const double *w)
{
    const sp_status status = sp_not_reentered(o);
    return status == SP_OK ? pass_up(o, 0, w) : status;
}

static void tell(sp_oracle *o, const char *key, double value, sp_provenance from, double wanted)
{
    size_t i = 0;
    while (i < o->resolved_count && strcmp(o->resolved[i].key, key) != 0)
        i++;
    if (i == SP_RESOLVED_MAX) {
        sp_warn_of(o, SP_WARNED_RESOLVED_CUT, "more than %d resolved values: %s is not stored", SP_RESOLVED_MAX, key);
        return;
    }
    o->resolved[i] = (sp_resolved_value){ key, value, from, wanted };
    if (i == o->resolved_count)
        o->resolved_count++;
}

void sp_resolved(sp_oracle *o, const char *key, double value, sp_provenance from)
{
    tell(o, key, value, from, NAN);
}

void sp_capped(sp_oracle *o, const char *key, double value, double wanted, sp_provenance otherwise)
{
    const bool cut = value != wanted;
    tell(o, key, value, cut ? SP_FROM_CAP : otherwise, cut ? wanted : NAN);
}

double sp_told(const sp_oracle *o, const char *key)
{
    for (size_t i = 0; i < o->resolved_count; i++)
        if (strcmp(o->resolved[i].key, key) == 0)
            return o->resolved[i].value;
    return NAN;
}

/* Where warnings and promises of an oracle go on to; NULL: nowhere. Of repeated runs the best one's are taken later. */
static sp_oracle *told_next(const sp_oracle *o)
{
    return o->nesting.repeated ? NULL : o->parent;
}

static void add_warning(sp_oracle *o, sp_warning_set codes, const char *text)
{
    for (; o; o = told_next(o)) {
        sp_text_append(&o->warning, "%s%s", o->warning.length > 0 ? "; " : "", text);
        o->warned |= codes;
    }
}

void sp_warn_of(sp_oracle *o, sp_warning code, const char *format, ...)
{
    char text[sizeof o->error.text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_warning(o, sp_warning_bit(code), text);
}

void sp_warn(sp_oracle *o, const char *format, ...)
{
    char text[sizeof o->error.text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_warning(o, sp_warning_bit(SP_WARNED_METHOD), text);
}

void sp_promised(sp_oracle *o, double bound, double at_start)
{
    for (; o; o = told_next(o))
        if (isnan(o->promise) || (bound >= at_start && o->promise < o->promise_at_start)) {
            o->promise = bound;
            o->promise_at_start = at_start;
        }
}

void sp_take_told(sp_oracle *o, const sp_oracle *child)
{
    if (child->warning.failed) /* a warning that is lost is not hidden */
        o->warning.failed = true;
    else if (child->warning.length > 0)
        add_warning(o, child->warned, child->warning.data);
    if (!isnan(child->promise))
        sp_promised(o, child->promise, child->promise_at_start);
}

sp_status sp_refuse(sp_oracle *o, sp_status status, const char *format, ...)
{
    char text[sizeof o->error.text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return sp_fail(&o->error, status, "%s", text);
}

const sp_error *sp_oracle_error(const sp_oracle *o)
{
    for (const sp_oracle *child = o->children; child && o->error.status == SP_OK; child = child->next)
        if (sp_oracle_error(child)->status != SP_OK)
            return sp_oracle_error(child);
    return &o->error;
}

/* --- the harness's view --------------------------------------------------------------------------------------- */

const sp_ledger *sp_oracle_ledger(const sp_oracle *o)
{
    return &o->ledger;
}

void sp_cost_add(sp_cost *sum, sp_cost cost)
{
    sum->gradients += cost.gradients;
    sum->differences += cost.differences;
    sum->hessians += cost.hessians;
    sum->losses += cost.losses;
    sum->releases += cost.releases;
}

sp_cost sp_oracle_cost(const sp_oracle *o)
{
    sp_cost sum = o->cost;
    for (const sp_oracle *child = o->children; child; child = child->next)
        sp_cost_add(&sum, sp_oracle_cost(child));
    return sum;
}

void sp_oracle_planned(const sp_oracle *o, double *calls, double *releases)
{
    *calls = o->planned_calls;
    *releases = o->planned_releases;
}

const sp_resolved_value *sp_oracle_resolved(const sp_oracle *o, size_t *count)
{
    *count = o->resolved_count;
    return o->resolved;
}

const sp_oracle *sp_oracle_stage(const sp_oracle *o, size_t i, const char **name)
{
    size_t later = 0; /* the list has the newest first */
    for (const sp_oracle *child = o->children; child; child = child->next)
        later += child->stage != NULL;
    if (i >= later)
        return NULL;
    later -= i + 1;
    const sp_oracle *child = o->children;
    while (!child->stage || later-- > 0)
        child = child->next;
    *name = child->stage;
    return child;
}

sp_warning_set sp_oracle_warned(const sp_oracle *o)
{
    return o->warned;
}

void sp_oracle_promise(const sp_oracle *o, double *bound, double *at_start)
{
    *bound = o->promise;
    *at_start = o->promise_at_start;
}

const char *sp_oracle_warning(const sp_oracle *o)
{
    return o->warning.failed ? NULL : o->warning.data ? o->warning.data : "";
}

sp_status sp_oracle_spent(const sp_oracle *o, sp_bounds *out, sp_error *error)
{
    const sp_privacy *privacy = &o->options.privacy;
    if (!o->charged) {
        *out = (sp_bounds){ .bound = SP_BOUND_GAUSS };
        for (size_t k = 0; sp_oracle_cost(o).releases > 0 && k < SP_BOUNDS; k++)
            out->epsilon[k] = out->best = INFINITY;
        return SP_OK;
    }
    const sp_status status = sp_account(&o->ledger, privacy->neighbours, privacy->delta, out, error);
    const bool above = status == SP_OK && privacy->calibration == SP_CALIBRATE_TIGHT &&
                       !(out->best <= privacy->epsilon * SP_BUDGET_TOLERANCE);
    if (above && o->children && sp_ledger_filter(&o->ledger) != SP_FILTER_NONE) {
        /* one oracle's filter is no bound for another's plan; each kept to its share, and the shares add up */
        out->epsilon[SP_BOUND_BASIC] = out->best = privacy->epsilon;
        out->bound = SP_BOUND_BASIC;
        return SP_OK;
    }
    if (above)
        return sp_fail(error, SP_EBUDGET, "privacy.epsilon = %g, but the ledger spent %.10g (delta = %g, bound %s)",
                       privacy->epsilon, out->best, privacy->delta, sp_bound_name(out->bound));
    return status;
}
