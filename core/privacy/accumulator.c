/* accumulator.c -- secret linear state with plain noise: a <- keep a + q.
 *
 * A batch weighs w: the sensitivity of its q times the |keep| of all later adds. A record outside every fresh batch
 * moves a by at most w_0, the sum over full batches, which all records are charged for. One in fresh batch g moves it
 * by w_0 + w_g, so its pool is charged for the difference of squares, (w_0 + w_g)^2 - w_0^2 = w_g (w_g + 2 w_0). */
#include "core/privacy/oracle_internal.h"

#include "core/base/memory.h"
#include "core/privacy/noise.h"

#include <gsl/gsl_cblas.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct weight {
    size_t pool;
    double weight;
} weight;

struct sp_accumulator {
    sp_accumulator *next;
    sp_oracle *oracle;
    double *data, *exact; /* d: the secret part, the public part */
    double full;
    weight *fresh;
    sp_entry *charge; /* one a pool, and one for all */
    size_t count, capacity;
};

static void accumulator_free(sp_accumulator *a)
{
    if (!a)
        return;
    free(a->data);
    free(a->exact);
    free(a->fresh);
    free(a->charge);
    free(a);
}

void sp_accumulators_free(sp_accumulator *a)
{
    while (a) {
        sp_accumulator *next = a->next;
        accumulator_free(a);
        a = next;
    }
}

static sp_status reserve(sp_accumulator *a, size_t pools)
{
    if (pools < a->capacity)
        return SP_OK;
    if (pools > SIZE_MAX / (4 * sizeof *a->charge))
        return sp_refuse(a->oracle, SP_ENOMEM, "accumulator: %zu batches", pools);
    const size_t capacity = 2 * pools + 16;
    weight *fresh = realloc(a->fresh, capacity * sizeof *fresh);
    if (fresh)
        a->fresh = fresh;
    sp_entry *charge = realloc(a->charge, capacity * sizeof *charge);
    if (charge)
        a->charge = charge;
    if (!fresh || !charge)
        return sp_refuse(a->oracle, SP_ENOMEM, "accumulator: out of memory for %zu batches", pools);
    a->capacity = capacity;
    return SP_OK;
}

sp_status sp_accumulator_open(sp_oracle *o, sp_accumulator_noise noise, const sp_accumulator_plan *plan,
                              sp_accumulator **out)
{
    sp_status status = SP_OK;
    sp_accumulator *a = NULL;
    if (noise != SP_NOISE_PLAIN)
        return sp_refuse(o, SP_EUNSUPPORTED, "sp_accumulator_open: tree and honaker noise are not built in yet");
    a = sp_alloc(1, sizeof *a);
    if (!a)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "accumulator: out of memory"));
    a->oracle = o;
    a->data = sp_alloc_doubles(sp_dimension(o));
    a->exact = sp_alloc_doubles(sp_dimension(o));
    if (!a->data || !a->exact)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "accumulator: out of memory at d = %zu", sp_dimension(o)));
    SP_TRY(reserve(a, plan ? plan->adds : 0));
    a->next = o->accumulators;
    o->accumulators = a;
    *out = a;
    a = NULL;
cleanup:
    accumulator_free(a);
    return status;
}

sp_status sp_accumulator_add(sp_accumulator *a, double keep, const sp_query *query)
{
    sp_status status = SP_OK;
    sp_oracle *o = a->oracle;
    sp_question question;
    const int d = (int)sp_dimension(o);
    SP_TRY(sp_query_check(o, query, &question));
    if (!isfinite(keep))
        SP_TRY(sp_refuse(o, SP_EINVAL, "sp_accumulator_add: keep = %g must be finite", keep));
    const size_t pool = question.part.entry.pool;
    if (o->options.privacy.private && question.part.entry.kind == SP_LEDGER_GAUSS_WOR)
        SP_TRY(sp_refuse(o, SP_EPRIVACY, "sp_accumulator_add: no theorem covers subsets in an accumulator"));
    SP_TRY(reserve(a, a->count + 1));

    sp_query_answer(o, query, &question, o->data, o->exact);
    cblas_dscal(d, keep, a->data, 1);
    cblas_dscal(d, keep, a->exact, 1);
    cblas_daxpy(d, 1.0, o->data, 1, a->data, 1);
    cblas_daxpy(d, 1.0, o->exact, 1, a->exact, 1);

    a->full *= fabs(keep);
    for (size_t i = 0; i < a->count; i++)
        a->fresh[i].weight *= fabs(keep);
    if (pool == 0)
        a->full += question.sensitivity;
    else if (a->count > 0 && a->fresh[a->count - 1].pool == pool)
        a->fresh[a->count - 1].weight += question.sensitivity;
    else
        a->fresh[a->count++] = (weight){ pool, question.sensitivity };
cleanup:
    return status;
}

/* A multiplier that is not finite belongs to a weight of 0, or one that has vanished: mu^2 = 0. */
static void add_charge(sp_accumulator *a, double noise_multiplier, size_t pool, size_t *entries)
{
    if (isfinite(noise_multiplier))
        a->charge[(*entries)++] = (sp_entry){ .noise_multiplier = noise_multiplier, .count = 1, .pool = pool };
}

sp_status sp_accumulator_release(sp_accumulator *a, double noise_std, double *out)
{
    sp_status status = SP_OK;
    sp_oracle *o = a->oracle;
    const size_t d = sp_dimension(o);
    size_t entries = 0;
    if (o->charged && !(noise_std > 0.0 && isfinite(noise_std)))
        SP_TRY(sp_refuse(o, SP_EPRIVACY, "sp_accumulator_release: noise_std = %g must be > 0 and finite", noise_std));
    add_charge(a, noise_std / a->full, 0, &entries);
    for (size_t i = 0; i < a->count; i++) {
        const double w = a->fresh[i].weight;
        add_charge(a, noise_std / (sqrt(w) * sqrt(w + 2.0 * a->full)), a->fresh[i].pool, &entries);
    }
    SP_TRY(sp_charge(o, a->charge, entries));
    o->cost.releases++;
    memcpy(o->data, a->data, d * sizeof *o->data);
    if (o->charged)
        sp_noise_gaussian(o->noise, noise_std, d, o->data);
    for (size_t j = 0; j < d; j++)
        out[j] = o->data[j] + a->exact[j];
cleanup:
    return status;
}

sp_status sp_accumulator_restart(sp_accumulator *a)
{
    const size_t d = sp_dimension(a->oracle);
    memset(a->data, 0, d * sizeof *a->data);
    memset(a->exact, 0, d * sizeof *a->exact);
    a->full = 0.0;
    a->count = 0;
    return SP_OK;
}
