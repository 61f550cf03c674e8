/* method.c -- runs all audits of a method, and of the methods inside it, and writes their verdicts as one row; computes
 * the key of that row. */
#include "core/audit/audit_internal.h"
#include "core/audit/promises.h"

#include "core/base/table.h"
#include "core/data/generator.h"
#include "core/plan/plan.h"
#include "core/plan/registry.h"
#include "core/plan/sources.h"

#include <stdio.h>

/* --- the key ------------------------------------------------------------------------------------------------ */

/* What sp_audit runs for it. */
static void hash_audited(sp_hash *hash, const sp_algorithm *algorithm)
{
    sp_hash_text(hash, algorithm->name);
    sp_hash_algorithm(hash, algorithm);
    for (const sp_param *p = algorithm->foreign ? algorithm->params : NULL; p && p->key; p++) {
        sp_hash_text(hash, p->key); /* the values at which it is audited stand in the experiment */
        sp_hash_add(hash, &p->initial, sizeof p->initial);
    }
    for (size_t i = 0; i < sp_algorithm_count && sp_audit_nests(algorithm); i++)
        if (sp_audit_private(sp_algorithms[i]) && !sp_audit_nests(sp_algorithms[i]) && !sp_is_extra(sp_algorithms[i]))
            sp_hash_algorithm(hash, sp_algorithms[i]);
}

static void hash_method(sp_hash *hash, const sp_method *method)
{
    hash_audited(hash, method->algorithm);
    for (size_t i = 0; i < method->values.count; i++)
        if (sp_submethod(&method->values, i)) {
            sp_hash_text(hash, method->values.params[i].key);
            hash_method(hash, sp_submethod(&method->values, i));
        }
    sp_hash_text(hash, ""); /* it ends here */
}

/* Results rest on it, whatever their method, and no test of the checkout has seen it. */
static bool is_examined(const sp_plan *plan, const void *entry)
{
    return sp_is_extra(entry) && sp_audit_takes(plan, entry);
}

void sp_audit_key(const sp_plan *plan, const sp_method *method, size_t runs, uint64_t seed, char key[SP_HASH_HEX])
{
    const uint64_t numbers[] = { runs, seed };
    sp_hash hash;
    sp_hash_start(&hash);
    sp_hash_text(&hash, sp_source_hash("core"));
    sp_hash_text(&hash, sp_source_hash("core/audit"));
    for (size_t i = 0; i < sp_loss_count; i++)
        if (sp_audit_takes(plan, sp_losses[i]))
            sp_hash_text(&hash, sp_source_of("losses", sp_losses[i]->name));
    for (size_t i = 0; i < sp_measure_count; i++)
        if (is_examined(plan, sp_measures[i]))
            sp_hash_text(&hash, sp_source_of("measures", sp_measures[i]->name));
    for (size_t i = 0; i < sp_generator_count; i++)
        if (is_examined(plan, sp_generators[i]))
            sp_hash_text(&hash, sp_source_of("core/data/generators", sp_generators[i]->name));
    hash_method(&hash, method);
    sp_hash_add(&hash, numbers, sizeof numbers);
    sp_hash_end_hex(&hash, key);
}

bool sp_audit_same(const sp_method *a, const sp_method *b)
{
    bool same = a->algorithm == b->algorithm && a->values.count == b->values.count;
    for (size_t i = 0; same && i < a->values.count; i++) {
        const sp_method *one = sp_submethod(&a->values, i), *other = sp_submethod(&b->values, i);
        same = one && other ? sp_audit_same(one, other) : one == other;
    }
    return same;
}

/* --- the row ------------------------------------------------------------------------------------------------ */

typedef struct total {
    const char *name;              /* of what is examined now */
    size_t made[SP_AUDITS], failed[SP_AUDITS], left_out;
    size_t broken;                 /* promises */
    bool misfit;                   /* some method of them fits no fixture */
    double epsilon;                /* NAN: there was no one-run audit */
    char finding[1024];            /* the first failure, or misfit */
} total;

static bool any_failed(const total *t)
{
    bool any = t->broken > 0;
    for (size_t i = 0; i < SP_AUDITS; i++)
        any = any || t->failed[i] > 0;
    return any;
}

static void add_promise(void *context, const sp_promise *promise)
{
    total *t = context;
    if (!promise->kept && !any_failed(t))
        snprintf(t->finding, sizeof t->finding, "%s: conformance, %s: %s", t->name, promise->what, promise->detail);
    t->broken += !promise->kept;
}

static void add(void *context, const sp_audit_verdict *verdict)
{
    total *t = context;
    const bool any = any_failed(t);
    t->left_out += verdict->left_out;
    if (verdict->left_out)
        return;
    t->made[verdict->audit]++;
    t->failed[verdict->audit] += !verdict->passed;
    if (verdict->audit == SP_AUDIT_ONE_RUN)
        t->epsilon = fmax(t->epsilon, verdict->rejected); /* of NAN and a number the number */
    if (!verdict->passed && !any)
        snprintf(t->finding, sizeof t->finding, "%s: %s, %s: %s", t->name, sp_audit_name(verdict->audit),
                 verdict->fixture, verdict->detail);
}

static size_t all_made(const total *t)
{
    size_t made = 0;
    for (size_t i = 0; i < SP_AUDITS; i++)
        made += t->made[i];
    return made;
}

static sp_status audit_all(const sp_plan *plan, const sp_method *method, size_t runs, uint64_t seed, total *t,
                           sp_error *error)
{
    sp_status status = SP_OK;
    const size_t before = all_made(t);
    const sp_audit_options options = { .plan = plan, .runs = runs, .seed = seed, .report = add, .context = t };
    t->name = method->algorithm->name;
    status = sp_promises_algorithm(method->algorithm, &(sp_promise_options){ add_promise, t }, error);
    SP_TRY(status == SP_EMISFIT ? SP_OK : status);
    status = sp_audit(method->algorithm, &options, error);
    SP_TRY(status == SP_EMISFIT ? SP_OK : status);
    if (all_made(t) == before) {
        t->misfit = true;
        if (!*t->finding)
            snprintf(t->finding, sizeof t->finding, "%s fits no fixture of the audits", method->algorithm->name);
    }
    for (size_t i = 0; i < method->values.count; i++)
        if (sp_submethod(&method->values, i))
            SP_TRY(audit_all(plan, sp_submethod(&method->values, i), runs, seed, t, error));
cleanup:
    return status;
}

/* The losses, measures and generators of built-in folders that the plan names. */
static sp_status examine_extras(const sp_plan *plan, total *t, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_promise_options with = { add_promise, t };
    for (size_t i = 0; i < sp_loss_count; i++)
        if (is_examined(plan, sp_losses[i])) {
            t->name = sp_losses[i]->name;
            status = sp_promises_loss(sp_losses[i], &with, error);
            SP_TRY(status == SP_EMISFIT ? SP_OK : status);
        }
    for (size_t i = 0; i < sp_measure_count; i++)
        if (is_examined(plan, sp_measures[i])) {
            t->name = sp_measures[i]->name;
            status = sp_promises_measure(sp_measures[i], &with, error);
            SP_TRY(status == SP_EMISFIT ? SP_OK : status);
        }
    for (size_t i = 0; i < sp_generator_count; i++)
        if (is_examined(plan, sp_generators[i])) {
            t->name = sp_generators[i]->name;
            status = sp_promises_generator(sp_generators[i], &with, error);
            SP_TRY(status == SP_EMISFIT ? SP_OK : status);
        }
    status = SP_OK;
cleanup:
    return status;
}

sp_status sp_audit_row(const sp_plan *plan, const sp_method *method, size_t runs, uint64_t seed, sp_text *row,
                       sp_error *error)
{
    sp_status status = SP_OK;
    total t = { .epsilon = NAN };
    SP_TRY(audit_all(plan, method, runs, seed, &t, error));
    SP_TRY(examine_extras(plan, &t, error));
    sp_text_append(row, "%s\t%s", any_failed(&t) ? "failed" : t.misfit ? "no" : "yes",
                   t.broken > 0 ? "fail" : "pass");
    for (size_t i = 0; i < SP_AUDITS; i++)
        sp_text_append(row, "\t%s", t.failed[i] > 0 ? "fail" : t.made[i] > 0 ? "pass" : "-");
    sp_text_append(row, isnan(t.epsilon) ? "\t-" : "\t%.3g", t.epsilon);
    sp_text_append(row, "\t%zu\t", t.left_out);
    sp_table_write(row, *t.finding ? t.finding : NULL);
    if (row->failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", method->algorithm->name));
cleanup:
    return status;
}
