/* run.c -- chooses parameters that keep a method's run small, and makes one run of it over a transcript. */
#include "core/audit/audit_internal.h"

#include "core/base/hash.h"
#include "core/plan/registry.h"

#include <gsl/gsl_math.h>
#include <stdio.h>

/* --- settings ----------------------------------------------------------------------------------------------- */

static const sp_param *find(const sp_param *params, const char *key)
{
    for (const sp_param *p = params; p && p->key; p++)
        if (strcmp(p->key, key) == 0)
            return p;
    return NULL;
}

bool sp_audit_takes(const sp_plan *plan, const void *entry)
{
    return !sp_is_extra(entry) || !plan || sp_plan_names(plan, entry);
}

bool sp_audit_nests(const sp_algorithm *a)
{
    for (const sp_param *p = a->params; p && p->key; p++)
        if (p->kind == SP_METHOD)
            return true;
    return false;
}

/* What a method parameter is set to: the first private method without one. */
static const sp_algorithm *plain_method(void)
{
    for (size_t i = 0; i < sp_algorithm_count; i++)
        if (sp_audit_private(sp_algorithms[i]) && !sp_audit_nests(sp_algorithms[i]))
            return sp_algorithms[i];
    return NULL;
}

static sp_status start_method(const sp_algorithm *a, size_t steps, sp_method *method, sp_error *error)
{
    sp_status status = SP_OK;
    *method = (sp_method){ .algorithm = a };
    sp_values_start(&method->values, a->params);
    const struct { const char *key; double value; } small[] = {
        { "steps", (double)steps }, { "steps_max", (double)steps }, { "max_epochs", (double)steps }, { "eta", 0.05 },
        { "theta", 0.5 }, { "inner_max", (double)steps },
    };
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (find(a->params, small[i].key))
            SP_TRY(sp_values_set_number(&method->values, a->name, small[i].key, small[i].value, error));
    for (const sp_param *p = a->params; p && p->key; p++)
        if (p->initial == SP_REQUIRED && (p->kind == SP_REAL || p->kind == SP_COUNT))
            SP_TRY(sp_values_set_number(&method->values, a->name, p->key, fmax(p->range.low, fmin(1.0, p->range.high)),
                                        error));
        else if (p->initial == SP_REQUIRED && p->kind == SP_CHOICE)
            SP_TRY(sp_values_set_text(&method->values, a->name, p->key, p->choices, error));
cleanup:
    return status;
}

sp_status sp_audit_setting_start(const sp_algorithm *a, const sp_algorithm *inner, size_t steps, sp_audit_setting *out,
                                 sp_error *error)
{
    sp_status status = SP_OK;
    *out = (sp_audit_setting){ .name = "" };
    SP_TRY(start_method(a, steps, &out->method, error));
    if (sp_audit_nests(a)) {
        if (!inner)
            inner = plain_method();
        if (!inner)
            SP_TRY(sp_fail(error, SP_EMISFIT, "audit: no private method to put into %s", a->name));
        SP_TRY(start_method(inner, steps, &out->inner, error));
    }
    for (const sp_param *p = a->params; p && p->key; p++)
        if (p->kind == SP_METHOD)
            SP_TRY(sp_values_set_method(&out->method.values, a->name, p->key, &out->inner, error));
    SP_TRY(sp_values_check(&out->method.values, a->name, error));
cleanup:
    return status;
}

bool sp_audit_setting_number(sp_audit_setting *s, const char *key, double number)
{
    char digits[SP_NUMBER_SIZE];
    if (!find(s->method.values.params, key) ||
        sp_values_set_number(&s->method.values, "audit", key, number, NULL) != SP_OK)
        return false;
    snprintf(s->name, sizeof s->name, "%s=%s", key, sp_number(number, digits));
    return true;
}

bool sp_audit_setting_word(sp_audit_setting *s, const char *key, const char *word)
{
    const sp_param *p = find(s->method.values.params, key);
    const sp_status status = !p ? SP_EINVAL
                             : p->kind == SP_FLAG
                                 ? sp_values_set_flag(&s->method.values, "audit", key, strcmp(word, "true") == 0, NULL)
                                 : sp_values_set_text(&s->method.values, "audit", key, word, NULL);
    snprintf(s->name, sizeof s->name, "%s=%s", key, word);
    return status == SP_OK;
}

/* --- runs --------------------------------------------------------------------------------------------------- */

sp_stream_key sp_trial_key(const sp_trial *trial, sp_purpose purpose)
{
    return sp_stream_key_of(trial->seed, "audit", 0, purpose);
}

typedef struct follower {
    sp_hash *iterates;
    size_t d;
} follower;

static sp_status on_checkpoint(void *context, size_t step, const double *w)
{
    follower *f = context;
    sp_hash_add(f->iterates, &step, sizeof step);
    sp_hash_add(f->iterates, w, f->d * sizeof *w);
    return SP_OK;
}

void sp_run_record_free(sp_run_record *record)
{
    sp_text_free(&record->account);
    sp_ledger_free(&record->ledger);
    *record = (sp_run_record){ 0 };
}

/* Everything that the oracle says afterwards, to the last bit. */
static sp_status keep_account(const sp_oracle *o, sp_run_record *out)
{
    const sp_cost cost = sp_oracle_cost(o);
    const char *warning = sp_oracle_warning(o);
    size_t count;
    const sp_resolved_value *resolved = sp_oracle_resolved(o, &count);
    sp_ledger_print(sp_oracle_ledger(o), &out->account);
    sp_text_append(&out->account, "gradients=%.17g differences=%.17g hessians=%.17g losses=%.17g releases=%zu\n",
                   cost.gradients, cost.differences, cost.hessians, cost.losses, cost.releases);
    for (size_t i = 0; i < count; i++)
        sp_text_append(&out->account, "%s=%.17g:%d\n", resolved[i].key, resolved[i].value, (int)resolved[i].from);
    sp_text_append(&out->account, "%s\n", warning ? warning : "");
    return out->account.failed || !warning ? SP_ENOMEM : sp_ledger_copy(sp_oracle_ledger(o), &out->ledger);
}

/* What a record pays for an entry: the Renyi divergence of order 2 of a Gaussian release, mu^2 where nothing is
 * sampled; of a choice its epsilon squared. */
static double price(const sp_entry *entry)
{
    const double once = entry->kind == SP_LEDGER_GAUSS || entry->kind == SP_LEDGER_GAUSS_WOR ||
                                entry->kind == SP_LEDGER_POISSON || entry->kind == SP_LEDGER_TREE ||
                                entry->kind == SP_LEDGER_SELECT
                            ? log1p(gsl_pow_2(entry->rate > 0.0 ? entry->rate : 1.0) *
                                    expm1(fmin(1.0 / gsl_pow_2(entry->noise_multiplier), 700.0)))
                            : gsl_pow_2(entry->epsilon);
    return once * (double)entry->count;
}

/* Of the record that pays most: the entries of all and those of one pool. */
static sp_status price_of(const sp_ledger *ledger, double *out, sp_error *error)
{
    double *sum = sp_alloc_doubles(ledger->pools + 1), most = 0.0;
    if (!sum)
        return sp_fail(error, SP_ENOMEM, "audit: out of memory");
    for (size_t e = 0; e < ledger->count; e++)
        sum[ledger->entry[e].pool] += price(&ledger->entry[e]);
    for (size_t pool = 1; pool <= ledger->pools; pool++)
        most = fmax(most, sum[pool]);
    *out = sum[0] + most;
    free(sum);
    return SP_OK;
}

static sp_status keep_costlier(const sp_ledger *ledger, sp_ledger *worst, sp_error *error)
{
    sp_status status = SP_OK;
    double now = 0.0, so_far = 0.0;
    sp_ledger copy = { 0 };
    SP_TRY(price_of(ledger, &now, error));
    SP_TRY(price_of(worst, &so_far, error));
    if (!(now > so_far))
        goto cleanup;
    if (sp_ledger_copy(ledger, &copy) != SP_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "audit: out of memory"));
    sp_ledger_free(worst);
    *worst = copy;
cleanup:
    return status;
}

sp_status sp_trial_run(const sp_trial *trial, sp_run_record *out, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t d = trial->problem->domain.d;
    sp_oracle *o = NULL;
    double *w = sp_alloc_doubles(d);
    follower f = { out ? &out->iterates : NULL, d };
    sp_oracle_options options = {
        .problem = trial->problem, .privacy = trial->privacy, .transcript = trial->transcript,
        .coins = sp_trial_key(trial, SP_STREAM_COINS), .sampling = sp_trial_key(trial, SP_STREAM_SAMPLING),
        .noise = sp_trial_key(trial, SP_STREAM_NOISE), .selection = sp_trial_key(trial, SP_STREAM_SELECTION),
    };
    if (!w)
        SP_TRY(sp_fail(error, SP_ENOMEM, "audit: out of memory"));
    if (out) {
        sp_run_record_free(out);
        sp_hash_start(&out->iterates);
        options.checkpoint = on_checkpoint;
        options.context = &f;
    }
    memcpy(w, trial->problem->start, d * sizeof *w);
    SP_TRY(sp_oracle_new(&options, &o, error));
    const sp_status ended = sp_algorithm_run(trial->method->algorithm, o, &trial->method->values, w);
    sp_transcript_end(trial->transcript, ended);
    if (ended == SP_OK && trial->worst)
        SP_TRY(keep_costlier(sp_oracle_ledger(o), trial->worst, error));
    if (trial->returned)
        memcpy(trial->returned, w, d * sizeof *w);
    if (!out) {
        if (ended != SP_OK)
            SP_TRY(sp_fail(error, ended, "%s: %s", trial->method->algorithm->name, sp_oracle_error(o)->text));
        goto cleanup;
    }
    out->status = ended;
    snprintf(out->message, sizeof out->message, "%.*s", (int)sizeof out->message - 1, sp_oracle_error(o)->text);
    sp_hash_add(&out->iterates, w, d * sizeof *w);
    if (keep_account(o, out) != SP_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "audit: out of memory"));
cleanup:
    sp_oracle_free(o);
    free(w);
    return status;
}
