/* trial.h -- one small problem and one run of an algorithm on it, for tests of algorithms. */
#ifndef SP_TESTS_TRIAL_H
#define SP_TESTS_TRIAL_H

#include "algorithms/algorithm.h"
#include "core/oracle/replay.h"
#include "core/plan/registry.h"
#include "tests/check.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_randist.h>

/* --- a problem ------------------------------------------------------------------------------------------- */

typedef struct trial_problem {
    sp_dataset data;
    sp_problem problem;
} trial_problem;

/* Records on the unit sphere in pairs x, -x with labels 1, -1: mean(x) = 0 for even n, so that a tilt loss has its
 * minimum where h has. A neighbour has the last record's opposite. */
static inline bool trial_make_on(sp_domain domain, const char *loss, size_t n, bool neighbour, trial_problem *out)
{
    const size_t d = domain.d;
    size_t features = d, fitting = 0;
    const sp_loss *found = sp_loss_find(loss);
    sp_values values;
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(2385, "trial", 0, SP_STREAM_DATA));
    *out = (trial_problem){ 0 };
    sp_problem *p = &out->problem;
    bool ok = found && stream;
    if (ok) {
        *p = (sp_problem){ .loss = found, .train = &out->data, .start = sp_alloc_doubles(d), .domain = domain };
        sp_values_start(&values, found->params);
        for (size_t i = 0; i < values.count; i++)
            p->number[i] = values.value[i].number;
        while (features < 2 * d &&
               (sp_loss_dimension(found, p->number, features, &fitting, NULL) != SP_OK || fitting != d))
            features++;
        ok = p->start && sp_dataset_new(SP_STORE_DENSE, n, features, 0, true, false, &out->data, NULL) == SP_OK;
    }
    for (size_t i = 0; ok && i < n; i++) {
        double *x = sp_dataset_X(&out->data) + i * out->data.stride;
        if (i % 2 == 0)
            gsl_ran_dir_nd(stream, features, x);
        else
            for (size_t j = 0; j < features; j++)
                x[j] = -x[j - out->data.stride];
        if (i + 1 == n && neighbour)
            cblas_dscal((int)features, -1.0, x, 1);
        sp_dataset_y(&out->data)[i] = i % 2 == 0 ? 1.0 : -1.0;
    }
    ok = ok && sp_dataset_seal(&out->data, 1.0, 1.0, NULL) == SP_OK;
    ok = ok && sp_dataset_map(&out->data, sp_loss_map(found), NULL) == SP_OK;
    if (ok) {
        const sp_setting setting = { .loss = found, .number = p->number, .domain = &p->domain, .n = n,
                                     .features = features, .radius = 1.0, .label_bound = 1.0 };
        ok = sp_certify(&setting, &p->certified, NULL) == SP_OK;
        p->declared = p->certified;
    }
    gsl_rng_free(stream);
    SP_CHECK_REPORT(ok, "cannot make the problem %s, n = %zu, d = %zu", loss, n, d);
    return ok;
}

/* On the l2 ball of that radius; INFINITY: no domain. */
static inline bool trial_make(const char *loss, size_t n, size_t d, double radius, bool neighbour, trial_problem *out)
{
    const sp_domain_kind kind = isfinite(radius) ? SP_DOMAIN_L2_BALL : SP_DOMAIN_SPACE;
    return trial_make_on((sp_domain){ kind, d, radius, radius }, loss, n, neighbour, out);
}

static inline void trial_drop(trial_problem *t)
{
    free(t->problem.start);
    sp_dataset_free(&t->data);
    *t = (trial_problem){ 0 };
}

static inline double trial_gradient_norm(const trial_problem *t, const double *w)
{
    sp_workspace *scratch = sp_workspace_new(&t->problem);
    double *g = sp_alloc_doubles(t->problem.domain.d), norm = NAN;
    if (scratch && g) {
        sp_problem_gradient(&t->problem, scratch, w, g);
        norm = cblas_dnrm2((int)t->problem.domain.d, g, 1);
    }
    free(g);
    sp_workspace_free(scratch);
    return norm;
}

/* --- a run ----------------------------------------------------------------------------------------------- */

static inline sp_privacy trial_private(double epsilon, double delta)
{
    return (sp_privacy){ .private = true, .epsilon = epsilon, .delta = delta, .noise = true };
}

static inline sp_privacy trial_noise_off(double epsilon, double delta)
{
    return (sp_privacy){ .private = true, .epsilon = epsilon, .delta = delta };
}

static inline sp_privacy trial_not_private(void)
{
    return (sp_privacy){ .epsilon = INFINITY, .delta = 1.0 };
}

enum { TRIAL_DIMENSION = 16, TRIAL_PATH = 4096 };

typedef struct trial_run {
    /* set before */
    size_t fail_at; /* the checkpoint that returns SP_EINTERRUPTED; 0: none */
    uint64_t seed;
    uint64_t noise_seed; /* of noise and choices; 0: `seed` */
    void (*watch)(struct trial_run *, size_t step, const double *w); /* at every checkpoint; may be NULL */
    void (*candidate)(struct trial_run *, const double *w); /* at every sp_candidate; may be NULL */
    void *context;
    void (*before)(void), (*after)(void); /* around the algorithm itself; may be NULL */
    sp_transcript *transcript; /* of its accesses; may be NULL */
    /* set by trial_go */
    sp_status status, settled;
    char message[1024], warning[1024];
    double w[TRIAL_DIMENSION];
    size_t checkpoints, last_step;
    bool steps_fell;
    sp_cost cost;
    sp_bounds spent;
    sp_resolved_value resolved[SP_RESOLVED_MAX];
    size_t resolved_count;
    sp_ledger ledger;
    double risk_bound; /* NAN when there is none */
} trial_run;

static inline sp_status trial_checkpoint(void *context, size_t step, const double *w)
{
    trial_run *run = context;
    run->checkpoints++;
    run->steps_fell |= step < run->last_step;
    run->last_step = step;
    if (run->watch)
        run->watch(run, step, w);
    return run->fail_at == run->checkpoints ? SP_EINTERRUPTED : SP_OK;
}

static inline sp_status trial_candidate(void *context, const double *w)
{
    trial_run *run = context;
    if (run->candidate)
        run->candidate(run, w);
    return SP_OK;
}

static inline sp_stream_key trial_key(uint64_t seed, sp_purpose purpose)
{
    return sp_stream_key_of(seed, "trial", 0, purpose);
}

/* Fills the lower half of `run`; trial_end releases what it holds. */
static inline void trial_go(const sp_algorithm *a, const sp_values *values, const trial_problem *t, sp_privacy privacy,
                            trial_run *run)
{
    sp_oracle *o = NULL;
    sp_error error = { 0 };
    const uint64_t noise_seed = run->noise_seed ? run->noise_seed : run->seed;
    const sp_oracle_options options = {
        .problem = &t->problem, .privacy = privacy,
        .coins = trial_key(run->seed, SP_STREAM_COINS), .sampling = trial_key(run->seed, SP_STREAM_SAMPLING),
        .noise = trial_key(noise_seed, SP_STREAM_NOISE), .selection = trial_key(noise_seed, SP_STREAM_SELECTION),
        .checkpoint = trial_checkpoint, .candidate = trial_candidate, .context = run, .transcript = run->transcript,
    };
    run->checkpoints = run->last_step = 0;
    run->steps_fell = false;
    memcpy(run->w, t->problem.start, t->problem.domain.d * sizeof *run->w);
    run->status = sp_oracle_new(&options, &o, &error);
    SP_CHECK_REPORT(run->status == SP_OK, "oracle: %s", error.text);
    if (run->status != SP_OK)
        return;
    run->risk_bound = a->risk_bound ? a->risk_bound(o, values) : NAN;
    if (run->before)
        run->before();
    run->status = sp_algorithm_run(a, o, values, run->w);
    if (run->after)
        run->after();
    const sp_error *said = sp_oracle_error(o);
    snprintf(run->message, sizeof run->message, "%.*s", (int)sizeof run->message - 1, said ? said->text : "");
    snprintf(run->warning, sizeof run->warning, "%s", sp_oracle_warning(o) ? sp_oracle_warning(o) : "");
    run->settled = sp_oracle_spent(o, &run->spent, &error);
    run->cost = sp_oracle_cost(o);
    const sp_resolved_value *resolved = sp_oracle_resolved(o, &run->resolved_count);
    if (run->resolved_count > 0)
        memcpy(run->resolved, resolved, run->resolved_count * sizeof *resolved);
    CHECK(sp_ledger_copy(sp_oracle_ledger(o), &run->ledger) == SP_OK);
    sp_oracle_free(o);
}

static inline void trial_end(trial_run *run)
{
    sp_ledger_free(&run->ledger);
    run->ledger = (sp_ledger){ 0 };
}

/* NAN when the algorithm did not say. */
static inline double trial_resolved(const trial_run *run, const char *key)
{
    for (size_t i = 0; i < run->resolved_count; i++)
        if (strcmp(run->resolved[i].key, key) == 0)
            return run->resolved[i].value;
    return NAN;
}

/* --- parameters: "steps=20 select=last"; those that the algorithm does not have are left out. A parameter that is a
 * method is dp_gd with select=last and the same settings, until the next call. ----------------------------------- */

static inline size_t trial_find(const sp_values *values, const char *key)
{
    size_t i = 0;
    while (i < values->count && strcmp(values->params[i].key, key) != 0)
        i++;
    return i;
}

static inline sp_values trial_values(const sp_algorithm *a, const char *settings)
{
    static sp_method inner;
    sp_values values;
    char text[256], *rest = text;
    sp_values_start(&values, a->params);
    for (size_t i = 0; i < values.count; i++)
        if (a->params[i].kind == SP_METHOD) {
            inner.algorithm = sp_algorithm_find("dp_gd");
            snprintf(text, sizeof text, "select=last %.240s", settings);
            inner.values = trial_values(inner.algorithm, text);
            CHECK(sp_values_set_method(&values, a->name, a->params[i].key, &inner, NULL) == SP_OK);
        }
    for (size_t i = 0; i < values.count; i++) /* consent that has but one word */
        if (a->params[i].kind == SP_CHOICE && a->params[i].initial == SP_REQUIRED)
            CHECK(sp_values_set_text(&values, a->name, a->params[i].key, a->params[i].choices, NULL) == SP_OK);
    snprintf(text, sizeof text, "%s", settings);
    for (char *key = strtok_r(text, " ", &rest); key; key = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(key, '=');
        double number = 0.0;
        *value++ = '\0';
        if (trial_find(&values, key) == values.count)
            continue;
        sp_error error = { 0 };
        const sp_status status = sp_read_number(value, &number)
            ? sp_values_set_number(&values, a->name, key, number, &error)
            : strcmp(value, "true") == 0    ? sp_values_set_flag(&values, a->name, key, true, &error)
            : strcmp(value, "false") == 0 ? sp_values_set_flag(&values, a->name, key, false, &error)
                                          : sp_values_set_text(&values, a->name, key, value, &error);
        SP_CHECK_REPORT(status == SP_OK, "%s", error.text);
    }
    return values;
}

#endif
