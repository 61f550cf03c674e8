/* promises.c -- the tests of promises.h. */
#include "core/audit/promises.h"

#include "core/audit/audit_internal.h"
#include "core/base/memory.h"
#include "core/data/generate.h"
#include "core/plan/registry.h"
#include "losses/certify/certify.h"
#include "losses/optimum/reference.h"
#include "measures/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(const sp_promise_options *options, const char *what, bool kept, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void say(const sp_promise_options *options, const char *what, bool kept, const char *format, ...)
{
    sp_promise promise = { .what = what, .kept = kept };
    va_list list;
    va_start(list, format);
    vsnprintf(promise.detail, sizeof promise.detail, format, list);
    va_end(list);
    options->report(options->context, &promise);
}

/* The same bits: a NaN is itself. */
static size_t first_difference(size_t count, const double *a, const double *b)
{
    size_t i = 0;
    while (i < count && memcmp(&a[i], &b[i], sizeof *a) == 0)
        i++;
    return i;
}

/* --- parameters ------------------------------------------------------------------------------------------------- */

static bool default_fits(const sp_param *p)
{
    size_t words = 1;
    for (const char *c = p->kind == SP_CHOICE && p->choices ? p->choices : ""; *c; c++)
        words += *c == '|';
    if (!p->meaning || !*p->meaning || (p->kind == SP_CHOICE && !p->choices))
        return false;
    if (isnan(p->initial) || p->initial == SP_REQUIRED || p->kind == SP_TEXT || p->kind == SP_METHOD)
        return true;
    switch (p->kind) {
    case SP_FLAG:
        return p->initial == 0.0 || p->initial == 1.0;
    case SP_CHOICE:
        return p->initial >= 0.0 && p->initial < (double)words && floor(p->initial) == p->initial;
    case SP_COUNT:
        if (floor(p->initial) != p->initial)
            return false; /* fall through */
    default:
        return p->initial >= p->range.low && p->initial <= p->range.high;
    }
}

static void check_params(const sp_param *params, const sp_promise_options *options)
{
    size_t count = 0;
    const char *broken = NULL;
    for (const sp_param *p = params; p && p->key && count <= SP_PARAM_MAX; p++, count++)
        if (!broken && !default_fits(p))
            broken = p->key;
    if (count > SP_PARAM_MAX)
        say(options, "parameters", false, "more than %d, or the table does not end with { 0 }", SP_PARAM_MAX);
    else if (broken)
        say(options, "parameters", false, "%s: no meaning, or a default that it does not take", broken);
    else
        say(options, "parameters", true, "%zu, each with a meaning and a default that it takes", count);
}

/* --- algorithms -------------------------------------------------------------------------------------------------- */

/* A small problem that the method runs on, and the privacy that it runs under. */
typedef struct stage {
    sp_fixture fixture;
    sp_neighbourhood h;
    sp_audit_setting setting;
    sp_privacy privacy;
    sp_transcript *transcript;
} stage;

typedef struct answer {
    sp_run_record record;
    double *w;
    unsigned char iterates[SP_HASH_SIZE];
} answer;

enum { SEED = 7 }; /* of the streams */

static sp_status run_on(const stage *s, sp_side side, uint64_t seed, answer *out, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_trial trial = { &s->setting.method, &s->h.problem[side], s->privacy, seed, s->transcript, NULL, out->w };
    sp_transcript_record(s->transcript);
    SP_TRY(sp_trial_run(&trial, &out->record, error));
    if (out->record.status == SP_ENOMEM) /* no answer of the method's */
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s", out->record.message));
    sp_hash_end(&out->record.iterates, out->iterates);
cleanup:
    return status;
}

static bool same_answers(size_t d, const answer *a, const answer *b, char *where, size_t room)
{
    const size_t j = first_difference(d, a->w, b->w);
    if (a->record.status != b->record.status)
        snprintf(where, room, "%s, then %s", sp_status_name(a->record.status), sp_status_name(b->record.status));
    else if (j < d)
        snprintf(where, room, "entry %zu of the answer is %.17g, then %.17g", j, a->w[j], b->w[j]);
    else if (strcmp(a->record.account.data, b->record.account.data) != 0)
        snprintf(where, room, "another ledger, cost or resolved parameter");
    else if (memcmp(a->iterates, b->iterates, SP_HASH_SIZE) != 0)
        snprintf(where, room, "another iterate on the way");
    else
        return true;
    return false;
}

/* Finds a problem on which the method runs: the probe first, then registered losses, each on several domains.
 * SP_EMISFIT where it fits none. */
static sp_status find_stage(const sp_algorithm *a, stage *s, answer *out, bool *found, char *refusal, size_t room,
                            sp_error *error)
{
    static const sp_domain_kind kinds[] = { SP_DOMAIN_SPACE, SP_DOMAIN_L2_BALL, SP_DOMAIN_L1_BALL, SP_DOMAIN_SIMPLEX,
                                            SP_DOMAIN_POLYTOPE, SP_DOMAIN_BOX };
    enum { KINDS = sizeof kinds / sizeof *kinds, N = 20, D = 3, STEPS = 12 };
    sp_status status = SP_OK;
    const bool budget = sp_audit_private(a);
    bool fitted = false;
    *found = false;
    s->privacy = (sp_privacy){ .private = budget, .epsilon = budget ? 4.0 : INFINITY, .delta = budget ? 1e-5 : 1.0,
                               .noise = budget, .neighbours = SP_REPLACE_ONE };
    SP_TRY(sp_audit_setting_start(a, NULL, STEPS, &s->setting, error));
    for (size_t i = 0; i < (2 + sp_loss_count) * KINDS && !*found; i++) {
        const size_t which = i / KINDS;
        sp_neighbourhood_free(&s->h);
        s->fixture = (sp_fixture){ .name = "small", .loss = which < 2 ? NULL : sp_losses[which - 2], .n = N,
                                   .d = which < 2 ? D : 5, .others = SP_PROBE_FULL, .here = SP_PROBE_FULL,
                                   .there = -SP_PROBE_FULL, .convex = which == 1, .domain = kinds[i % KINDS] };
        status = sp_neighbourhood_make(&s->fixture, &s->h, error);
        if (status == SP_ENOMEM)
            goto cleanup;
        const char *misfit = status == SP_OK ? sp_misfit(a, &s->h.problem[SP_HERE].declared)
                                             : "there is no such problem";
        status = SP_OK;
        if (misfit) {
            if (!fitted)
                snprintf(refusal, room, "%s", misfit);
            continue;
        }
        fitted = true;
        free(out->w);
        if (!(out->w = sp_alloc_doubles(s->h.problem[SP_HERE].domain.d)))
            SP_TRY(sp_fail(error, SP_ENOMEM, "test: out of memory"));
        SP_TRY(run_on(s, SP_HERE, SEED, out, error));
        *found = out->record.status == SP_OK;
        if (!*found)
            snprintf(refusal, room, "%s: %s", sp_status_name(out->record.status), out->record.message);
    }
    if (!fitted)
        SP_TRY(sp_fail(error, SP_EMISFIT, "%s fits no small problem: %s", a->name, refusal));
cleanup:
    return status;
}

sp_status sp_promises_algorithm(const sp_algorithm *a, const sp_promise_options *options, sp_error *error)
{
    enum { OTHERS = 6 };
    sp_status status = SP_OK;
    stage s = { .transcript = sp_transcript_new() };
    answer first = { 0 }, again = { 0 };
    char where[340] = "";
    bool found = false, finite = true;
    check_params(a->params, options);
    if (!s.transcript)
        SP_TRY(sp_fail(error, SP_ENOMEM, "test: out of memory"));
    SP_TRY(find_stage(a, &s, &first, &found, where, sizeof where, error));
    if (!found) {
        sp_promise none = { .what = "a run", .last = true };
        snprintf(none.detail, sizeof none.detail, "on no small problem: %s", where);
        options->report(options->context, &none);
        goto cleanup;
    }
    say(options, "a run", true, "ends within its budget on %s",
        s.fixture.loss ? s.fixture.loss->name : "the audits' probe");
    *where = '\0';
    const size_t d = s.h.problem[SP_HERE].domain.d;
    for (size_t j = 0; j < d; j++)
        finite = finite && isfinite(first.w[j]);
    say(options, "a finite answer", finite, "%zu entries", d);
    if (!(again.w = sp_alloc_doubles(d)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "test: out of memory"));
    SP_TRY(run_on(&s, SP_HERE, SEED, &again, error));
    bool same = same_answers(d, &first, &again, where, sizeof where);
    say(options, "same streams, same bytes", same, "%s",
        same ? "a second run gave the same calls and the same answer" : where);
    if (!same)
        goto cleanup;
    for (uint64_t i = 0; i < OTHERS; i++)
        SP_TRY(run_on(&s, i % 2 == 0 ? SP_THERE : SP_HERE, SEED + i, &again, error));
    SP_TRY(run_on(&s, SP_HERE, SEED, &again, error));
    same = same_answers(d, &first, &again, where, sizeof where);
    say(options, "no memory of other runs", same, "%s",
        same ? "nor did runs on a neighbour and with other streams change the next one" : where);
cleanup:
    sp_run_record_free(&first.record);
    sp_run_record_free(&again.record);
    free(first.w);
    free(again.w);
    sp_neighbourhood_free(&s.h);
    sp_transcript_free(s.transcript);
    return status;
}

/* --- losses ------------------------------------------------------------------------------------------------------ */

static void say_finding(void *context, const sp_finding *f)
{
    char what[120];
    snprintf(what, sizeof what, "%s, %s", f->part, f->what);
    say(context, what, f->passed, "%s: %.7g certified, %.7g found", f->region, f->claimed, f->found);
}

sp_status sp_promises_loss(const sp_loss *loss, const sp_promise_options *options, sp_error *error)
{
    sp_status status = SP_OK;
    sp_values v;
    double number[SP_PARAM_MAX] = { 0.0 };
    sp_promise_options with = *options;
    const sp_certify_options search = { .seed = 1, .report = say_finding, .context = &with };
    sp_values_start(&v, loss->params);
    status = sp_values_check(&v, loss->name, error);
    SP_TRY(status == SP_EINVAL ? SP_EMISFIT : status); /* it has no defaults */
    for (size_t i = 0; i < v.count; i++)
        number[i] = v.value[i].number;
    SP_TRY(sp_certify_loss(loss, number, &search, error));
cleanup:
    return status;
}

/* --- measures ---------------------------------------------------------------------------------------------------- */

enum { MARGIN = 64 }; /* doubles behind the scratch */
static const double canary = 2.385e77;

typedef struct point {
    const sp_measure *measure;
    const sp_problem *problem;
    sp_workspace *workspace;
    const sp_reference *reference;
    double *w, *scratch;
    size_t room;
} point;

/* The measure at w, over scratch that is filled with `dirt`. */
static sp_status measure_at(const point *p, double dirt, double *out, bool *beyond)
{
    for (size_t i = 0; i < p->room + MARGIN; i++)
        p->scratch[i] = i < p->room ? dirt : canary;
    *out = NAN;
    const sp_status status = p->measure->compute(p->problem, p->workspace, p->reference, p->w, p->scratch, out);
    for (size_t i = p->room; i < p->room + MARGIN; i++)
        *beyond = *beyond || p->scratch[i] != canary;
    return status;
}

typedef struct measuring {
    size_t problems, points, numbers;
    bool same, within, untouched, numeric;
    char where[200];
} measuring;

static sp_status measure_problem(const sp_measure *m, const sp_problem *problem, measuring *done, sp_error *error)
{
    enum { POINTS = 5 };
    sp_status status = SP_OK;
    const size_t d = problem->domain.d;
    sp_reference reference = { 0 };
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(1, "test", 0, SP_STREAM_MEASURE));
    point p = { .measure = m, .problem = problem, .workspace = sp_workspace_new(problem), .w = sp_alloc_doubles(d),
                .room = m->scratch ? m->scratch(problem) : 8 * d };
    double *kept = sp_alloc_doubles(d);
    p.scratch = sp_alloc_doubles(p.room + MARGIN);
    if (!stream || !p.workspace || !p.w || !p.scratch || !kept)
        SP_TRY(sp_fail(error, SP_ENOMEM, "test: out of memory"));
    if (m->reference) {
        const sp_problem of = m->population ? sp_problem_on(problem, problem->population) : *problem;
        SP_TRY(sp_reference_compute(&of, 2, stream, &reference, error));
        p.reference = &reference;
    }
    done->problems++;
    for (size_t i = 0; i < POINTS; i++, done->points++) {
        double once, twice;
        bool beyond = false;
        for (size_t j = 0; j < d; j++)
            p.w[j] = kept[j] = i == 0 ? problem->start[j] : gsl_rng_uniform(stream) - 0.5;
        sp_domain_project(&problem->domain, p.w);
        memcpy(kept, p.w, d * sizeof *kept);
        const sp_status first = measure_at(&p, 0.0, &once, &beyond), second = measure_at(&p, -7.25e30, &twice, &beyond);
        done->same = done->same && first == second && first_difference(1, &once, &twice) == 1;
        done->within = done->within && !beyond;
        done->untouched = done->untouched && first_difference(d, p.w, kept) == d;
        done->numeric = done->numeric && !(first == SP_OK && isinf(once));
        done->numbers += first == SP_OK && isfinite(once);
        if (!*done->where && !(done->same && done->within && done->untouched && done->numeric))
            snprintf(done->where, sizeof done->where, "on %s: %.17g, then %.17g", problem->loss->name, once, twice);
    }
cleanup:
    if (stream)
        gsl_rng_free(stream);
    sp_reference_free(&reference);
    sp_workspace_free(p.workspace);
    free(p.w);
    free(p.scratch);
    free(kept);
    return status;
}

sp_status sp_promises_measure(const sp_measure *m, const sp_promise_options *options, sp_error *error)
{
    enum { MOST = 8 }; /* problems */
    sp_status status = SP_OK;
    sp_neighbourhood h = { 0 };
    measuring done = { .same = true, .within = true, .untouched = true, .numeric = true };
    const char *misfit = NULL;
    for (size_t i = 0; i < sp_loss_count && done.problems < MOST; i++) {
        const sp_fixture fixture = { .name = "small", .loss = sp_losses[i], .n = 20, .d = 5,
                                     .domain = SP_DOMAIN_L2_BALL };
        sp_neighbourhood_free(&h);
        status = sp_neighbourhood_make(&fixture, &h, error);
        if (status == SP_ENOMEM)
            goto cleanup;
        sp_problem *p = &h.problem[SP_HERE];
        p->population = p->train; /* its distribution is the records' own */
        const char *why = status != SP_OK ? "there is no such problem"
                          : m->fits       ? m->fits(p->loss, &p->declared, p->train->y != NULL) : NULL;
        status = SP_OK;
        if (why)
            misfit = why;
        else
            SP_TRY(measure_problem(m, p, &done, error));
    }
    if (done.problems == 0)
        SP_TRY(sp_fail(error, SP_EMISFIT, "test: %s can be tried on no small problem here: %s", m->name,
                       misfit ? misfit : "-"));
    say(options, "a number or NaN", done.numeric, "%s%zu numbers at %zu points of %zu problems",
        done.numeric ? "" : "infinite, ", done.numbers, done.points, done.problems);
    say(options, "same point, same number", done.same, "%s", done.same ? "whatever the scratch held" : done.where);
    say(options, "within its scratch", done.within, "%s", done.within ? "nothing behind it was written" : done.where);
    say(options, "leaves the iterate", done.untouched, "%s", done.untouched ? "as it was" : done.where);
cleanup:
    sp_neighbourhood_free(&h);
    return status;
}

/* --- generators -------------------------------------------------------------------------------------------------- */

static sp_status generate(const sp_generator *g, const sp_values *v, sp_storage storage, size_t n, size_t d,
                          sp_dataset *out, sp_error *error)
{
    sp_dataset_free(out);
    return sp_generate(g, v, storage, n, d, sp_stream_key_of(1, "test", 0, SP_STREAM_TRUTH),
                       sp_stream_key_of(1, "test", 0, SP_STREAM_DATA), out, error);
}

/* The first record of which the two differ, features or label; n: none. */
static size_t other_record(const sp_dataset *a, const sp_dataset *b, size_t n)
{
    size_t i = 0;
    while (i < n && first_difference(a->d, a->X + i * a->stride, b->X + i * b->stride) == a->d &&
           (!a->y || first_difference(1, &a->y[i], &b->y[i]) == 1))
        i++;
    return i;
}

static void check_records(const sp_generator *g, const sp_values *v, const sp_dataset *data,
                          const sp_promise_options *options)
{
    const double radius = g->radius(v, data->d), bound = g->label_bound(v, data->d);
    size_t far = data->n, labelled = data->n, odd = data->n;
    for (size_t i = data->n; i-- > 0;) {
        double square = 0.0;
        for (size_t j = 0; j < data->d; j++)
            square += data->X[i * data->stride + j] * data->X[i * data->stride + j];
        if (!(sqrt(square) <= radius * (1.0 + 1e-12)))
            far = i;
        if (data->y && !(fabs(data->y[i]) <= bound))
            labelled = i;
        if (data->y && g->binary && fabs(data->y[i]) != 1.0)
            odd = i;
    }
    say(options, "||x|| within its bound", far == data->n,
        far < data->n ? "record %zu is beyond %g" : "%zu records, radius %g", far, radius);
    if (data->y)
        say(options, "|y| within its bound", labelled == data->n,
            labelled < data->n ? "record %zu is beyond %g" : "%zu records, bound %g", labelled, bound);
    if (data->y && g->binary)
        say(options, "labels -1 and +1", odd == data->n, odd < data->n ? "record %zu has another" : "%zu records", odd);
}

sp_status sp_promises_generator(const sp_generator *g, const sp_promise_options *options, sp_error *error)
{
    enum { N = 64, FEW = 9, MOST = 16 };
    sp_status status = SP_OK;
    sp_values v;
    sp_dataset all = { 0 }, other = { 0 };
    double *x = NULL;
    size_t d = 0, at;
    check_params(g->params, options);
    sp_values_start(&v, g->params);
    for (const sp_param *p = g->params; p && p->key; p++)
        if (p->initial == SP_REQUIRED && (p->kind == SP_REAL || p->kind == SP_COUNT))
            SP_TRY(sp_values_set_number(&v, g->name, p->key, fmax(p->range.low, fmin(1.0, p->range.high)), error));
    for (size_t k = 4; k <= MOST && d == 0; k++)
        d = g->fits && g->fits(&v, k) ? 0 : k;
    if (d == 0)
        SP_TRY(sp_fail(error, SP_EMISFIT, "test: %s, d = %d: %s", g->name, MOST, g->fits(&v, MOST)));
    status = generate(g, &v, SP_STORE_DENSE, N, d, &all, error);
    if (status != SP_OK && status != SP_ENOMEM) {
        say(options, "records", false, "d = %zu: %s", d, error->text);
        status = SP_OK;
        goto cleanup;
    }
    SP_TRY(status);
    check_records(g, &v, &all, options);
    SP_TRY(generate(g, &v, SP_STORE_DENSE, N, d, &other, error));
    at = other_record(&all, &other, N);
    say(options, "same streams, same records", at == N,
        at < N ? "record %zu is another one" : "%zu records, made twice", at);
    SP_TRY(generate(g, &v, SP_STORE_DENSE, FEW, d, &other, error));
    at = other_record(&all, &other, FEW);
    say(options, "whatever their number", at == FEW, at < FEW ? "record %zu is another one" : "%zu records of %d", at,
        N);
    SP_TRY(generate(g, &v, SP_STORE_INDEXED, N, d, &other, error));
    if (!(x = sp_alloc_doubles(d)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "test: out of memory"));
    size_t wrong = N;
    for (size_t i = N; i-- > 0;) {
        other.row_maker(other.row_context, i, d, x);
        if (first_difference(d, x, all.X + i * all.stride) < d)
            wrong = i;
    }
    say(options, "in whatever order", wrong == N,
        wrong < N ? "record %zu is another one" : "%zu records, the last one first", wrong);
cleanup:
    sp_dataset_free(&all);
    sp_dataset_free(&other);
    free(x);
    return status;
}
