/*
 * execute.c -- executes one run of one cell:
 *
 *   records -> problem -> oracle -> method -> account -> measures at the returned iterate
 *
 * Trace. With c checkpoints per decade, step 0 is measured, then every step t >= next,
 *   next <- max(t + 1, ceil(t 10^(1/c))),
 * and always the last step. The method's clock stops while the harness measures.
 *
 * Measures are taken at the returned iterate. If the output is drawn uniformly from candidates (select = "mean"), each
 * candidate is measured and the mean is stored. Measures of the point handed over are taken when the outermost method
 * hands over, and are NaN if none does; with checkpoints that point is also in the trace, in place of the last iterate
 * before it. Measures of the path are taken at step 0 and at every step that the method reports, whether or not it is
 * in the trace. If a step is reported twice, the second point counts.
 */
#include "core/run/execute.h"

#include "core/base/memory.h"
#include "core/base/clock.h"
#include "core/base/resolved.h"
#include "core/plan/registry.h"
#include "core/plan/sources.h"
#include "core/run/platform.h"
#include "core/run/records.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum {
    TRACE_MAX = 4096,     /* points; the last step is kept beyond it */
    REFERENCE_STARTS = 8
};

/* --- results ----------------------------------------------------------------------------------------------- */

static void forget_values(sp_result *result)
{
    for (size_t i = 0; i < SP_MEASURES_MAX; i++)
        result->value[i] = NAN;
}

void sp_result_start(sp_result *result)
{
    *result = (sp_result){ .reference = { .value = NAN, .error = NAN }, .population = { .value = NAN, .error = NAN },
                           .spent = { .best = NAN, .order = NAN }, .promise = NAN, .promise_at_start = NAN,
                           .handover = NAN };
    for (size_t i = 0; i < SP_BOUNDS; i++)
        result->spent.epsilon[i] = NAN;
    forget_values(result);
}

void sp_result_fail(sp_result *result, sp_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->message, sizeof result->message, format, arguments);
    va_end(arguments);
    result->status = status;
    forget_values(result);
}

void sp_result_warn(sp_result *result, sp_warning_set codes, const char *format, ...)
{
    const size_t size = sizeof result->warning;
    size_t used = strlen(result->warning);
    va_list arguments;
    result->warned |= codes;
    if (used > 0)
        used += (size_t)snprintf(result->warning + used, size - used, "; ");
    if (used >= size)
        return;
    va_start(arguments, format);
    vsnprintf(result->warning + used, size - used, format, arguments);
    va_end(arguments);
}

void sp_result_free(sp_result *result)
{
    free(result->resolved);
    free(result->ledger);
    free(result->trace);
    free(result->iterate);
    sp_reference_free(&result->reference);
    *result = (sp_result){ 0 };
}

/* --- problem ----------------------------------------------------------------------------------------------- */

static sp_status make_start(const sp_cell *cell, const sp_problem_spec *spec, size_t replicate, double *w,
                            sp_error *error)
{
    const size_t d = spec->domain.d;
    switch (spec->start) {
    case SP_START_ZERO: /* the allocation is zero */
        break;
    case SP_START_CONSTANT:
        for (size_t j = 0; j < d; j++)
            w[j] = spec->start_size;
        break;
    case SP_START_SPHERE: {
        sp_stream_key key;
        gsl_rng *stream = sp_cell_stream(cell, SP_AXES_PROBLEM, replicate, SP_STREAM_START, &key) == SP_OK
                              ? sp_stream_open(key)
                              : NULL;
        if (!stream)
            return sp_fail(error, SP_ENOMEM, "start: out of memory");
        gsl_ran_dir_nd(stream, d, w);
        gsl_rng_free(stream);
        for (size_t j = 0; j < d; j++)
            w[j] *= spec->start_size;
        break;
    }
    }
    sp_domain_project(&spec->domain, w);
    return SP_OK;
}

/* Free with free(problem->start). */
static sp_status make_problem(const sp_cell *cell, size_t replicate, const sp_record_set *records, sp_problem *out,
                              sp_error *error)
{
    const sp_problem_spec *spec = cell->problem;
    const sp_dataset *train = records->train;
    *out = (sp_problem){
        .loss = spec->loss, .regulariser = spec->regulariser, .lambda = spec->lambda, .domain = spec->domain,
        .train = train, .test = records->test, .population = records->population, .realisable = spec->realisable,
    };
    memcpy(out->number, spec->number, sizeof out->number);
    if (train->n != spec->n || train->d != spec->features)
        return sp_fail(error, SP_EDATA, "problem: the data have n = %zu, d = %zu, the plan expects n = %zu, d = %zu",
                       train->n, train->d, spec->n, spec->features);
    const sp_status status = sp_problem_constants(spec, &out->certified, &out->declared, error);
    if (status != SP_OK)
        return status;
    out->start = sp_alloc_doubles(spec->domain.d);
    if (!out->start)
        return sp_fail(error, SP_ENOMEM, "start: out of memory");
    return make_start(cell, spec, replicate, out->start, error);
}

static void content_of(const sp_record_set *records, char out[SP_HASH_HEX])
{
    sp_hash hash;
    if (!records->test) {
        memcpy(out, records->train->content, SP_HASH_HEX);
        return;
    }
    sp_hash_start(&hash);
    sp_hash_text(&hash, records->train->content);
    sp_hash_text(&hash, records->test->content);
    sp_hash_end_hex(&hash, out);
}

/* --- F* ---------------------------------------------------------------------------------------------------- */

static sp_reference_of reference_of(const sp_measure *m)
{
    return m->population ? SP_OF_POPULATION : SP_OF_TRAINING;
}

static bool needs_reference(const sp_cell *cell, sp_reference_of of)
{
    for (size_t i = 0; i < cell->measures; i++)
        if (cell->measure[i]->reference && reference_of(cell->measure[i]) == of)
            return true;
    return false;
}

/* The replicate to which F* belongs: the population is the same for all replicates. */
static size_t owner_of(const sp_cell *cell, sp_reference_of of, size_t replicate)
{
    const bool shared = of == SP_OF_POPULATION && cell->problem->population != SP_POPULATION_TEST;
    return shared ? 0 : sp_records_replicate(cell, replicate);
}

sp_status sp_reference_key(const sp_cell *cell, sp_reference_of of, size_t replicate, char **out)
{
    const sp_problem_spec *spec = cell->problem;
    sp_hash hash;
    *out = NULL;
    if (!needs_reference(cell, of))
        return SP_OK;
    const uint64_t numbers[] = { cell->seed, (uint64_t)of, owner_of(cell, of, replicate) };
    char *text = sp_cell_problem_text(cell, SP_AXES_PROBLEM), *key = malloc(SP_HASH_HEX);
    if (!text || !key) {
        free(text);
        free(key);
        return SP_ENOMEM;
    }
    sp_hash_start(&hash);
    sp_hash_text(&hash, text);
    sp_hash_add(&hash, numbers, sizeof numbers);
    if (spec->data == SP_DATA_GENERATED)
        sp_hash_text(&hash, sp_source_of("core/data/generators", spec->generator->name));
    else
        sp_hash_text(&hash, spec->fingerprint);
    sp_hash_text(&hash, sp_source_of("losses", spec->loss->name));
    if (spec->regulariser)
        sp_hash_text(&hash, sp_source_of("losses/regularisers", spec->regulariser->name));
    sp_hash_text(&hash, sp_source_hash("core"));
    sp_hash_text(&hash, sp_platform());
    sp_hash_end_hex(&hash, key);
    free(text);
    *out = key;
    return SP_OK;
}

sp_status sp_execute_reference(sp_data_pool *pool, const sp_cell *cell, sp_reference_of of, size_t replicate,
                               sp_reference *out, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t owner = owner_of(cell, of, replicate); /* so that sharers get the same value */
    sp_record_set records = { 0 };
    sp_problem problem = { 0 }, population = { 0 };
    sp_stream_key key;
    gsl_rng *stream = NULL;

    SP_TRY(sp_record_set_make(pool, cell, owner, &records, error));
    SP_TRY(make_problem(cell, owner, &records, &problem, error));
    if (sp_cell_stream(cell, SP_AXES_PROBLEM, owner, SP_STREAM_MEASURE, &key) == SP_OK)
        stream = sp_stream_open(key);
    if (!stream) {
        status = sp_fail(error, SP_ENOMEM, "reference: out of memory");
        goto cleanup;
    }
    if (of == SP_OF_POPULATION)
        population = sp_problem_on(&problem, problem.population);
    SP_TRY(sp_reference_compute(of == SP_OF_POPULATION ? &population : &problem, REFERENCE_STARTS, stream, out, error));

cleanup:
    if (stream)
        gsl_rng_free(stream);
    free(problem.start);
    sp_record_set_free(&records);
    return status;
}

/* --- measures and trace ------------------------------------------------------------------------------------ */

typedef struct recorder {
    const sp_cell *cell;
    const sp_problem *problem;
    const sp_reference *reference[SP_REFERENCES];
    sp_workspace *workspace;
    sp_oracle *oracle;
    double *scratch;
    double *w;              /* copy of the iterate at the last checkpoint */
    sp_trace_point here;    /* the last checkpoint */
    bool measured;          /* `here` is in the trace */
    double sum[SP_MEASURES_MAX]; /* of each measure at the answer, over the candidates so far */
    size_t candidates;
    double handed[SP_MEASURES_MAX]; /* the measures of the point handed over */
    bool follows;           /* some measure is about the path */
    double last[SP_MEASURES_MAX]; /* of those: at the last iterate */
    double path[SP_MEASURES_MAX]; /* over the ones before it: the sum, or the largest */
    size_t iterates;
    size_t depth;           /* how many methods are around the one that has handed it over */
    double started, paused; /* paused: seconds spent measuring so far */
    double next;            /* the next step that is due */
    size_t room;
    void (*log)(const char *line);
    sp_result *result;
} recorder;

static bool all_finite(const double *w, size_t d)
{
    for (size_t j = 0; j < d; j++)
        if (!isfinite(w[j]))
            return false;
    return true;
}

static bool is_of_answer(const sp_measure *m)
{
    return m->measured == SP_AT_ANSWER;
}

static bool is_handed_over(const sp_measure *m)
{
    return m->measured == SP_AT_HAND_OVER;
}

static bool is_of_path(const sp_measure *m)
{
    return m->measured == SP_MEAN_OF_PATH || m->measured == SP_MOST_OF_PATH;
}

/* The measures for which `which` is true (NULL: all). A measure that does not exist at w is NAN, not a failure. */
static sp_status measure_some(const recorder *r, const double *w, bool (*which)(const sp_measure *), double *value)
{
    const bool finite = all_finite(w, sp_problem_d(r->problem));
    for (size_t i = 0; i < r->cell->measures; i++) {
        const sp_measure *m = r->cell->measure[i];
        value[i] = NAN;
        if (which && !which(m))
            continue;
        const sp_reference *reference = m->reference ? r->reference[reference_of(m)] : NULL;
        if (!finite || (m->reference && !reference))
            continue;
        const sp_status status = m->compute(r->problem, r->workspace, reference, w, r->scratch, &value[i]);
        if (status == SP_ENUMERIC)
            value[i] = NAN;
        else if (status != SP_OK)
            return status;
    }
    return SP_OK;
}

static sp_status measure_at(const recorder *r, const double *w, double *value)
{
    return measure_some(r, w, NULL, value);
}

static sp_status log_point(const recorder *r, const sp_trace_point *point)
{
    char number[SP_NUMBER_SIZE];
    sp_text line = { 0 };
    sp_text_append(&line, "step %zu  %.3f s  gradients %.0f  differences %.0f  hessians %.0f", point->step,
                   point->seconds, point->cost.gradients, point->cost.differences, point->cost.hessians);
    for (size_t i = 0; i < r->cell->measures; i++)
        sp_text_append(&line, "  %s %s", r->cell->measure[i]->name, sp_number(point->value[i], number));
    const sp_status status = line.failed ? SP_ENOMEM : SP_OK;
    if (status == SP_OK)
        r->log(line.data);
    sp_text_free(&line);
    return status;
}

static void end_step(recorder *r)
{
    for (size_t i = 0; i < r->cell->measures && r->iterates > 0; i++) {
        const double value = r->last[i];
        if (r->cell->measure[i]->measured == SP_MEAN_OF_PATH)
            r->path[i] += value;
        else if (r->iterates == 1 || value > r->path[i] || isnan(value))
            r->path[i] = value;
    }
}

/* The iterate of a step; `again`: another one of the same step. */
static sp_status follow(recorder *r, const double *w, bool again)
{
    const double now = sp_now();
    if (!again) {
        end_step(r);
        r->iterates++;
    }
    const sp_status status = measure_some(r, w, is_of_path, r->last);
    r->paused += sp_now() - now;
    return status;
}

/* Measures the last checkpoint and puts it into the trace; the same step again replaces it. */
static sp_status record(recorder *r)
{
    sp_result *result = r->result;
    const sp_status status = measure_at(r, r->w, r->here.value);
    if (status != SP_OK)
        return status;
    if (result->traces > 0 && result->trace[result->traces - 1].step == r->here.step)
        result->traces--;
    if (result->traces == r->room) {
        const size_t room = r->room ? 2 * r->room : 64;
        sp_trace_point *grown = realloc(result->trace, room * sizeof *grown);
        if (!grown)
            return SP_ENOMEM;
        result->trace = grown;
        r->room = room;
    }
    result->trace[result->traces++] = r->here;
    r->measured = true;
    return r->log ? log_point(r, &r->here) : SP_OK;
}

static sp_status on_checkpoint(void *context, size_t step, const double *w)
{
    recorder *r = context;
    const double now = sp_now(), c = r->cell->checkpoints;
    const bool again = r->iterates > 0 && step == r->here.step;
    sp_status status = SP_OK;

    r->here = (sp_trace_point){ .step = step, .cost = sp_oracle_cost(r->oracle) };
    r->here.seconds = now - r->started - r->paused;
    r->measured = false;
    r->result->steps = step;
    if (c > 0.0) {
        memcpy(r->w, w, sp_problem_d(r->problem) * sizeof *w);
        if ((double)step >= r->next && r->result->traces < TRACE_MAX) {
            SP_TRY(record(r));
            r->next = fmax((double)step + 1.0, ceil((double)step * pow(10.0, 1.0 / c)));
            r->paused += sp_now() - now;
        }
    }
    if (r->follows)
        SP_TRY(follow(r, w, again));
cleanup:
    return status;
}

static sp_status on_candidate(void *context, const double *w)
{
    recorder *r = context;
    const double now = sp_now();
    double value[SP_MEASURES_MAX];
    const sp_status status = measure_some(r, w, is_of_answer, value);
    for (size_t i = 0; i < r->cell->measures && status == SP_OK; i++)
        r->sum[i] += value[i];
    r->candidates++;
    r->paused += sp_now() - now;
    return status;
}

/* Methods within the first one, which says so later, or within the second one are not what the cell is about. */
static sp_status on_hand_over(void *context, size_t depth, const double *w)
{
    recorder *r = context;
    const double now = sp_now();
    sp_status status = SP_OK;
    if (depth > r->depth)
        return SP_OK;
    r->depth = depth;
    r->result->handover = (double)r->here.step;
    SP_TRY(measure_some(r, w, is_handed_over, r->handed));
    if (r->cell->checkpoints > 0.0 && r->here.step > 0) { /* what stands at step 0 is the start */
        memcpy(r->w, w, sp_problem_d(r->problem) * sizeof *w);
        SP_TRY(record(r));
    }
cleanup:
    r->paused += sp_now() - now;
    return status;
}

/* --- the ledger after the run ------------------------------------------------------------------------------ */

static int by_key(const void *a, const void *b)
{
    return strcmp(((const sp_resolved_value *)a)->key, ((const sp_resolved_value *)b)->key);
}

/* "eta=0.1:user steps=7:theory_capped:20 first.eta=0.2:theory": a method's own, by key, then those of its stages.
 * Behind what is capped stands what it would have been, where the method tells. */
static void print_stage(const sp_oracle *oracle, const char *prefix, sp_text *text)
{
    static const char *const from[] = {
        [SP_FROM_USER] = "user", [SP_FROM_THEORY] = "theory", [SP_FROM_CAP] = SP_RESOLVED_CAPPED,
        [SP_FROM_BALANCE] = "balanced"
    };
    size_t count;
    char number[SP_NUMBER_SIZE];
    sp_resolved_value sorted[SP_RESOLVED_MAX];
    const sp_resolved_value *resolved = sp_oracle_resolved(oracle, &count);
    memcpy(sorted, resolved, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_key);
    for (size_t i = 0; i < count; i++) {
        sp_text_append(text, "%s%s%s=%s:%s", text->length > 0 ? " " : "", prefix, sorted[i].key,
                       sp_number(sorted[i].value, number), from[sorted[i].from]);
        if (!isnan(sorted[i].wanted))
            sp_text_append(text, ":%s", sp_number(sorted[i].wanted, number));
    }
    const char *name;
    const sp_oracle *stage;
    for (size_t i = 0; (stage = sp_oracle_stage(oracle, i, &name)) != NULL; i++) {
        char *inner = sp_format("%s%s.", prefix, name);
        if (inner)
            print_stage(stage, inner, text);
        text->failed = text->failed || !inner;
        free(inner);
    }
}

static char *print_resolved(const sp_oracle *oracle)
{
    sp_text text = { 0 };
    print_stage(oracle, "", &text);
    if (text.failed) {
        sp_text_free(&text);
        return NULL;
    }
    return text.data ? text.data : sp_copy_text("");
}

static char *print_ledger(const sp_oracle *oracle)
{
    sp_text text = { 0 };
    sp_ledger_print(sp_oracle_ledger(oracle), &text);
    if (text.failed) {
        sp_text_free(&text);
        return NULL;
    }
    return text.data ? text.data : sp_copy_text("");
}

static void log_lines(void (*log)(const char *line), const char *text)
{
    while (*text) {
        char line[512];
        const size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "ledger: %.*s", (int)length, text);
        log(line);
        text += length + (text[length] == '\n');
    }
}

/* Cost, ledger, epsilon really spent: also of a run that failed half way. */
static sp_status close_books(const sp_cell *cell, const sp_oracle *oracle, sp_result *result, sp_error *error)
{
    const char *warning = sp_oracle_warning(oracle);
    result->cost = sp_oracle_cost(oracle);
    if (warning && *warning)
        sp_result_warn(result, sp_oracle_warned(oracle), "%s", warning);
    sp_oracle_promise(oracle, &result->promise, &result->promise_at_start);
    if (result->traces >= TRACE_MAX)
        sp_result_warn(result, sp_warning_bit(SP_WARNED_TRACE_CUT),
                       "the trace was cut short: fewer checkpoints a decade are needed");
    result->resolved = print_resolved(oracle);
    result->ledger = print_ledger(oracle);
    if (!warning || !result->resolved || !result->ledger)
        return sp_fail(error, SP_ENOMEM, "algorithm %s: out of memory", cell->method->algorithm->name);
    return sp_oracle_spent(oracle, &result->spent, error);
}

static size_t peak_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss * 1024; /* Linux counts kilobytes */
}

/* --- the run ----------------------------------------------------------------------------------------------- */

bool sp_keeps(const sp_cell *cell, size_t dimension)
{
    return dimension <= SP_KEPT_DIMENSION || cell->keep_iterate;
}

static sp_status keep_iterate(recorder *r, const double *w)
{
    const size_t d = sp_problem_d(r->problem);
    if (r->candidates > 0 || !sp_keeps(r->cell, d))
        return SP_OK;
    if (!(r->result->iterate = sp_alloc_doubles(d)))
        return SP_ENOMEM;
    memcpy(r->result->iterate, w, d * sizeof *w);
    r->result->dimension = d;
    return SP_OK;
}

static sp_status run_method(recorder *r, double *w, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t d = sp_problem_d(r->problem);
    const sp_method *method = r->cell->method;

    r->started = sp_now();
    SP_TRY(on_checkpoint(r, 0, w));
    status = sp_algorithm_run(method->algorithm, r->oracle, &method->values, w);
    r->result->seconds = sp_now() - r->started - r->paused;
    if (status != SP_OK) {
        const char *text = sp_oracle_error(r->oracle)->text;
        sp_fail(error, status, "%s", text[0] ? text : sp_status_text(status));
        goto cleanup;
    }
    if (!all_finite(w, d)) {
        status = sp_fail(error, SP_ENUMERIC, "the returned iterate is not finite");
        goto cleanup;
    }
    if (r->cell->checkpoints > 0.0 && !r->measured)
        SP_TRY(record(r));
    if (r->candidates == 0)
        SP_TRY(measure_some(r, w, is_of_answer, r->result->value));
    for (size_t i = 0; i < r->cell->measures && r->candidates > 0; i++)
        r->result->value[i] = r->sum[i] / (double)r->candidates;
    SP_TRY(keep_iterate(r, w));
    SP_TRY(sp_divergence_of(r->problem, r->workspace, w, &r->result->diverged));
    end_step(r);
    for (size_t i = 0; i < r->cell->measures; i++) {
        const sp_measure *m = r->cell->measure[i];
        if (is_handed_over(m))
            r->result->value[i] = r->depth < SIZE_MAX ? r->handed[i] : NAN;
        else if (is_of_path(m))
            r->result->value[i] = m->measured == SP_MEAN_OF_PATH ? r->path[i] / (double)r->iterates : r->path[i];
    }

cleanup:
    return status;
}

/* Doubles that the hungriest measure of the cell asks for. */
static size_t scratch_size(const sp_cell *cell, const sp_problem *problem)
{
    size_t most = 0;
    for (size_t i = 0; i < cell->measures; i++) {
        const sp_measure *m = cell->measure[i];
        const size_t size = m->scratch ? m->scratch(problem) : 8 * sp_problem_d(problem);
        most = size > most ? size : most;
    }
    return most;
}

/* The references that the cell needs, into the recorder and, without their minimisers, into the result. */
static void take_references(recorder *r, const sp_reference *const reference[SP_REFERENCES])
{
    sp_reference *const stored[SP_REFERENCES] = { &r->result->reference, &r->result->population };
    static const char *const letter[SP_REFERENCES] = { "F", "P" };
    for (sp_reference_of of = SP_OF_TRAINING; of < SP_REFERENCES; of++) {
        if (!needs_reference(r->cell, of))
            continue;
        r->reference[of] = reference ? reference[of] : NULL;
        if (r->reference[of]) {
            *stored[of] = *r->reference[of];
            stored[of]->minimiser = NULL;
        } else {
            sp_result_warn(r->result, sp_warning_bit(SP_WARNED_NO_REFERENCE),
                           "no reference value %s*: measures that need it are NaN", letter[of]);
        }
    }
    r->result->unreferenced = strlen(r->result->warning);
}

void sp_execute(sp_data_pool *pool, const sp_cell *cell, size_t replicate,
                const sp_reference *const reference[SP_REFERENCES], void (*log)(const char *line), sp_result *result)
{
    sp_status status = SP_OK, accounted = SP_OK;
    sp_error error = { 0 }, unaccounted = { 0 };
    const double begun = sp_now();
    sp_record_set records = { 0 };
    sp_problem problem = { 0 };
    sp_oracle *oracle = NULL;
    double *w = NULL;
    char *text = sp_cell_text(cell);
    recorder r = { .cell = cell, .problem = &problem, .log = log, .result = result, .depth = SIZE_MAX };

    sp_result_start(result);
    for (size_t i = 0; i < cell->measures; i++)
        r.follows = r.follows || is_of_path(cell->measure[i]);
    take_references(&r, reference);
    if (!text) {
        status = SP_ENOMEM;
        goto cleanup;
    }
    SP_TRY(sp_record_set_make(pool, cell, replicate, &records, &error));
    content_of(&records, result->content);
    SP_TRY(make_problem(cell, replicate, &records, &problem, &error));
    const size_t d = sp_problem_d(&problem);
    const sp_oracle_options options = {
        .problem = &problem,
        .privacy = cell->privacy,
        .coins = sp_stream_key_of(cell->seed, text, replicate, SP_STREAM_COINS),
        .sampling = sp_stream_key_of(cell->seed, text, replicate, SP_STREAM_SAMPLING),
        .noise = sp_stream_key_of(cell->seed, text, replicate, SP_STREAM_NOISE),
        .selection = sp_stream_key_of(cell->seed, text, replicate, SP_STREAM_SELECTION),
        .checkpoint = on_checkpoint,
        .candidate = on_candidate,
        .hand_over = on_hand_over,
        .context = &r,
    };
    SP_TRY(sp_oracle_new(&options, &oracle, &error));
    r.oracle = oracle;
    r.workspace = sp_workspace_new(&problem);
    r.w = sp_alloc_doubles(d);
    w = sp_alloc_doubles(d);
    r.scratch = calloc(scratch_size(cell, &problem) + 1, sizeof *r.scratch); /* calloc: untouched pages are not there */
    if (!r.workspace || !r.w || !w || !r.scratch) {
        status = SP_ENOMEM;
        goto cleanup;
    }
    memcpy(w, problem.start, d * sizeof *w);
    status = run_method(&r, w, &error);

cleanup:
    if (oracle)
        accounted = close_books(cell, oracle, result, &unaccounted);
    if (status == SP_OK && accounted != SP_OK) {
        status = accounted;
        error = unaccounted;
    }
    if (status != SP_OK)
        sp_result_fail(result, status, "%s", error.text[0] ? error.text : sp_status_text(status));
    if (log && result->ledger)
        log_lines(log, result->ledger);
    free(r.scratch);
    free(r.w);
    free(w);
    sp_workspace_free(r.workspace);
    sp_oracle_free(oracle);
    free(problem.start);
    free(text);
    sp_record_set_free(&records);
    result->elapsed = sp_now() - begun;
    result->peak_memory = peak_memory();
}

static sp_status measure_again(recorder *r, const double *iterate)
{
    sp_result *result = r->result;
    r->workspace = sp_workspace_new(r->problem);
    r->scratch = calloc(scratch_size(r->cell, r->problem) + 1, sizeof *r->scratch);
    result->trace = r->cell->checkpoints > 0.0 ? sp_alloc(1, sizeof *result->trace) : NULL;
    if (!r->workspace || !r->scratch || (r->cell->checkpoints > 0.0 && !result->trace))
        return SP_ENOMEM;
    if (result->trace) {
        *result->trace = (sp_trace_point){ .step = 0 };
        result->traces = 1;
    }
    const sp_status status = result->trace ? measure_at(r, r->problem->start, result->trace->value) : SP_OK;
    return status == SP_OK ? measure_some(r, iterate, is_of_answer, result->value) : status;
}

void sp_execute_measures(sp_data_pool *pool, const sp_cell *cell, size_t replicate,
                         const sp_reference *const reference[SP_REFERENCES], const double *iterate, size_t dimension,
                         sp_result *result)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    const double begun = sp_now();
    sp_record_set records = { 0 };
    sp_problem problem = { 0 };
    recorder r = { .cell = cell, .problem = &problem, .result = result };

    sp_result_start(result);
    take_references(&r, reference);
    SP_TRY(sp_record_set_make(pool, cell, replicate, &records, &error));
    content_of(&records, result->content);
    SP_TRY(make_problem(cell, replicate, &records, &problem, &error));
    if (dimension != sp_problem_d(&problem))
        SP_TRY(sp_fail(&error, SP_EDATA, "the stored iterate has d = %zu, the problem %zu", dimension,
                       sp_problem_d(&problem)));
    status = measure_again(&r, iterate);

cleanup:
    if (status != SP_OK)
        sp_result_fail(result, status, "%s", error.text[0] ? error.text : sp_status_text(status));
    free(r.scratch);
    sp_workspace_free(r.workspace);
    free(problem.start);
    sp_record_set_free(&records);
    result->elapsed = sp_now() - begun;
    result->peak_memory = peak_memory();
}
