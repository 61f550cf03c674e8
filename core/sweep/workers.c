/*
 * workers.c -- a sweep on forked workers.
 *
 * The references that are missing come first, then the runs, both as tasks of one loop: give tasks to workers while
 * there is room, wait for their sockets, signals and time limits, store what has arrived. Only this process touches the
 * store.
 *
 * A fork costs more than many a run, and the more the larger the plan is. So a worker whose run succeeded at once goes
 * on with the next one; every other run ends its process, and under a memory limit each has one of its own. A run that
 * dies in a process which has had others before is made again in a new one: whatever the others left behind, it is
 * nobody's failure but its own that is stored. The same holds for a run whose worker was killed from outside, as often
 * as KILLS says.
 *
 * Stopped processes. The kernel tells of a worker that is stopped or goes on (SIGCHLD). That this process was stopped
 * itself shows afterwards: by SIGCONT, or by a wait far longer than it was asked for. */
#include "core/sweep/workers.h"

#include "core/base/memory.h"
#include "core/base/clock.h"
#include "core/sweep/progress.h"
#include "core/sweep/queue.h"
#include "core/sweep/signals.h"
#include "core/run/records.h"
#include "core/run/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct task {
    sp_data_pool *pool;
    const sp_cell *cell;
    size_t replicate;
    sp_needed_reference *reference;
    const sp_job *job; /* NULL: compute the reference itself */
} task;

/* Limits of a worker that goes on: seconds of a run, runs. */
static const double at_once = 0.02;
enum { RUNS_A_WORKER = 1000 };

static const double longest_wait = 0.25; /* seconds, where time limits run */
enum { KILLS = 3 };                      /* from outside, of one task: then it has failed */

typedef struct slot {
    sp_worker worker;
    task task;
    size_t additions; /* to the pool, when it was forked */
    size_t kills;     /* from outside, of workers that had this task */
} slot;

typedef struct sweep {
    const sp_run_options *options;
    sp_store *store;
    sp_data_pool *pool;
    sp_queue queue;
    sp_progress progress;
    sp_run_summary *summary;
    slot *slot;           /* those at work first, then those that wait for work */
    struct pollfd *wait;  /* one a slot at work, then the signals */
    size_t slots, active, alive;
    bool (*make)(const struct sweep *, size_t, task *); /* the tasks: task i of count, or there is none */
    size_t next, count;
    sp_signals signals;
    size_t restored;      /* how often the store was put back, as was said */
    double looked;        /* when the signals were last read, seconds */
    double saved;         /* when rows were last saved, or the sweep began */
    bool stop;            /* no more starts: interrupted, or a failure under fail_fast */
} sweep;

/* --- one task ---------------------------------------------------------------------------------------------- */

/* In the worker. */
static void work(const void *context, sp_result *result)
{
    const task *t = context;
    if (t->job) {
        const sp_reference *reference[SP_REFERENCES];
        for (size_t of = 0; of < SP_REFERENCES; of++)
            reference[of] = t->job->reference[of] && t->job->reference[of]->known ? &t->job->reference[of]->value
                                                                              : NULL;
        const sp_to_measure *m = t->job->measure;
        if (m)
            sp_execute_measures(t->pool, &m->part, t->replicate, reference, m->iterate, m->dimension, result);
        else
            sp_execute(t->pool, t->cell, t->replicate, reference, NULL, result);
        return;
    }
    sp_error error = { 0 };
    const double begun = sp_now();
    sp_result_start(result);
    const sp_status status = sp_execute_reference(t->pool, t->cell, t->reference->of, t->replicate, &result->reference,
                                                 &error);
    if (status != SP_OK)
        sp_result_fail(result, status, "%s", error.text[0] ? error.text : sp_status_text(status));
    result->elapsed = sp_now() - begun;
}

static const char *reference_name(const sp_needed_reference *r)
{
    return r->of == SP_OF_POPULATION ? "P*" : "F*";
}

static sp_status take_reference(sweep *s, const task *t, sp_result *result, sp_error *error)
{
    sp_needed_reference *r = t->reference;
    if (result->status != SP_OK) {
        r->status = result->status;
        r->failure = sp_copy_text(result->message);
        sp_progress_say(&s->progress, "no reference value %s for %s/%s: %s", reference_name(r), t->cell->sweep,
                        t->cell->label, result->message);
        return r->failure ? SP_OK : sp_fail(error, SP_ENOMEM, "workers: out of memory");
    }
    r->value = result->reference;
    result->reference.minimiser = NULL; /* it is the queue's now */
    r->known = true;
    return sp_store_put_reference(s->store, r->key, &r->value, error);
}

/* SP_ENUMERIC: there is no such value. Whatever else: it was not found. */
static bool failed_with(const sp_needed_reference *r, sp_status status)
{
    return r && r->status == status;
}

static sp_status take_run(sweep *s, const task *t, sp_result *result, sp_error *error)
{
    const size_t shares = t->job->shares;
    const bool failed = result->status != SP_OK;
    for (size_t of = 0; of < SP_REFERENCES; of++)
        if (failed_with(t->job->reference[of], SP_ENUMERIC))
            sp_result_warn(result, sp_warning_bit(SP_WARNED_NO_REFERENCE), "%s", t->job->reference[of]->failure);
    sp_status status = SP_OK;
    if (!t->job->measure)
        status = sp_store_put(s->store, t->cell, t->replicate, result, error);
    else if (!failed) /* else its row stays as it is, and the next call tries again */
        status = sp_store_put_measures(s->store, t->cell, &t->job->measure->part, t->replicate, result, error);
    if (status != SP_OK)
        return status;
    if (sp_store_restored(s->store) > s->restored) {
        s->restored = sp_store_restored(s->store);
        sp_progress_say(&s->progress, "the store was removed, or its folder was renamed, while it was written: it is there again, "
                        "complete");
    }
    s->summary->remaining -= shares;
    s->summary->done += failed ? 0 : shares;
    s->summary->failed += failed ? shares : 0;
    sp_progress_add(&s->progress, shares, failed);
    if (failed) {
        char name[SP_RUN_NAME];
        sp_run_name(t->cell, t->replicate, name);
        sp_progress_say(&s->progress, "%s/%s run %s %s: %s: %s", t->cell->sweep, t->cell->label, name,
                        t->job->measure ? "could not be measured" : "failed", sp_status_text(result->status),
                        result->message);
        s->stop = s->stop || s->options->fail_fast;
    }
    return SP_OK;
}

static sp_status take(sweep *s, const task *t, sp_result *result, sp_error *error)
{
    const sp_status status = t->job ? take_run(s, t, result, error) : take_reference(s, t, result, error);
    sp_result_free(result);
    return status;
}

/* The last slot in use moves into the place that becomes free. */
static void remove_idle(sweep *s, size_t i)
{
    s->slot[i] = s->slot[--s->alive];
}

static sp_status fork_worker(sweep *s, const task *t, size_t kills, sp_error *error)
{
    while (s->active < s->alive) { /* a new one instead */
        sp_worker_end(&s->slot[s->active].worker);
        remove_idle(s, s->active);
    }
    slot *new = &s->slot[s->active];
    new->task = *t;
    new->kills = kills;
    new->additions = sp_data_pool_additions(s->pool);
    const sp_status status = sp_worker_start(&new->worker, work, t, sizeof *t, s->options->time_limit,
                                             s->options->memory_limit, error);
    s->active += status == SP_OK;
    s->alive = s->active;
    return status;
}

/* What a run has to have before it starts: data in the shape that the cell asks for, and the reference values. */
static sp_status prepare(sweep *s, const task *t, sp_error *error)
{
    for (size_t of = 0; t->job && of < SP_REFERENCES; of++) {
        const sp_needed_reference *r = t->job->reference[of];
        if (r && r->failure && !failed_with(r, SP_ENUMERIC))
            return sp_fail(error, SP_EREFERENCE, "no reference value %s: %s", reference_name(r), r->failure);
    }
    return sp_data_pool_prepare(s->pool, t->cell, t->replicate, error);
}

/* What cannot be prepared fails the task, not the sweep. */
static sp_status start(sweep *s, const task *t, sp_error *error)
{
    sp_error unprepared = { 0 };
    const sp_status prepared = prepare(s, t, &unprepared);
    if (prepared != SP_OK) {
        sp_result result;
        sp_result_start(&result);
        sp_result_fail(&result, prepared, "%s", unprepared.text);
        return take(s, t, &result, error);
    }
    slot *idle = &s->slot[s->active];
    if (s->active == s->alive || idle->additions != sp_data_pool_additions(s->pool))
        return fork_worker(s, t, 0, error);
    idle->task = *t;
    idle->kills = 0;
    sp_worker_again(&idle->worker, t, sizeof *t, s->options->time_limit);
    s->active++;
    return SP_OK;
}

/* Tasks for all slots, as far as there are any. */
static sp_status fill(sweep *s, sp_error *error)
{
    sp_status status = SP_OK;
    while (!s->stop && s->active < s->slots && s->next < s->count) {
        task t;
        if (!s->make(s, s->next++, &t))
            continue;
        sp_error refused = { 0 };
        status = start(s, &t, &refused);
        if (status == SP_ELIMIT && s->active > 0) {
            s->slots = s->active;
            s->next--;
            sp_progress_say(&s->progress, "from here on %zu workers: %s", s->slots, refused.text);
            status = SP_OK;
        }
        if (status != SP_OK)
            SP_TRY(sp_fail(error, status, "%s", refused.text));
    }
cleanup:
    return status;
}

static bool goes_on(const sweep *s, const sp_worker *worker, const sp_result *result)
{
    return result->status == SP_OK && result->elapsed <= at_once && worker->tasks < RUNS_A_WORKER &&
           worker->memory_limit == 0 && !worker->late && !s->stop;
}

/* Is a task whose worker has died to be given to a new one? If not, the result says why. */
static bool try_again(slot *died, bool shared, sp_result *result)
{
    if (shared)
        return true;
    if (!sp_killed_from_outside(result))
        return false;
    if (++died->kills < KILLS)
        return true;
    sp_result_fail(result, SP_ECRASH, "the worker was killed from outside by SIG%s, %zu times (out of memory?)",
                   sigabbrev_np(result->signal), died->kills);
    return false;
}

/* The last slot at work moves into the place that becomes free, and the worker, unless this was its last run, behind
 * those at work. */
static sp_status finish(sweep *s, size_t i, sp_error *error)
{
    sp_result result;
    sp_status status;
    slot done = s->slot[i];
    const bool shared = done.worker.tasks > 1 && !done.worker.late;
    const bool alive = sp_worker_take(&done.worker, &result);
    s->slot[i] = s->slot[--s->active];
    s->slot[s->active] = done;
    if (!alive || !goes_on(s, &done.worker, &result)) {
        if (alive)
            sp_worker_end(&done.worker);
        remove_idle(s, s->active);
    }
    if (!alive && try_again(&done, shared, &result)) {
        sp_result_free(&result);
        return fork_worker(s, &done.task, done.kills, error);
    }
    status = fill(s, error); /* before the row is written: the worker need not wait for it */
    if (status == SP_OK)
        return take(s, &done.task, &result, error);
    sp_result_free(&result);
    return status;
}

static void abandon(sweep *s)
{
    for (size_t i = 0; i < s->active; i++)
        sp_worker_kill(&s->slot[i].worker, false);
    while (s->alive > 0)
        sp_worker_end(&s->slot[--s->alive].worker);
    s->active = 0;
}

/* --- the loop ---------------------------------------------------------------------------------------------- */

/* Seconds of the wait that began at `before`, was to take `asked` and ended now for which this process was stopped; of
 * all the time since the last wait when SIGCONT tells so. */
static double stood_still(const sweep *s, bool continued, double before, double asked, double now)
{
    if (continued)
        return now - s->looked;
    return now - before > asked + longest_wait ? now - before - asked : 0.0;
}

/* Waits for a result, a signal or the next time limit. */
static sp_status wait_for_workers(sweep *s, sp_error *error)
{
    const double before = sp_now();
    double left = s->options->time_limit > 0.0 ? longest_wait : INFINITY;
    for (size_t i = 0; i < s->active; i++) {
        s->wait[i] = (struct pollfd){ .fd = s->slot[i].worker.socket, .events = POLLIN };
        left = fmin(left, fmax(sp_worker_left(&s->slot[i].worker, before), 0.0));
    }
    s->wait[s->active] = (struct pollfd){ .fd = s->signals.file, .events = POLLIN };
    if (poll(s->wait, s->active + 1, isinf(left) ? -1 : (int)ceil(1e3 * left)) < 0 && errno != EINTR)
        return sp_fail(error, SP_EIO, "workers: %s", strerror(errno));
    const double now = sp_now();
    const sp_news came = sp_signals_read(&s->signals);
    const double still = stood_still(s, came.continued, before, left, now);
    for (size_t i = 0; i < s->active; i++) {
        if (still > 0.0)
            sp_worker_excuse(&s->slot[i].worker, still, now);
        if (came.child)
            sp_worker_notice(&s->slot[i].worker, now);
    }
    s->looked = now;
    s->summary->interrupted = s->summary->interrupted || came.interrupt || s->progress.unread;
    s->stop = s->stop || s->summary->interrupted;
    return SP_OK;
}

static sp_status collect(sweep *s, sp_error *error)
{
    const double now = sp_now();
    for (size_t i = s->active; i-- > 0 && !s->stop;) { /* downwards: finish() fills the gap from above */
        slot *one = &s->slot[i];
        if (s->wait[i].revents == 0) {
            if (sp_worker_left(&one->worker, now) <= 0.0)
                sp_worker_kill(&one->worker, true);
        } else if (sp_worker_read(&one->worker)) {
            const sp_status status = finish(s, i, error);
            if (status != SP_OK)
                return status;
        }
    }
    return SP_OK;
}

/* Results come in as they are made: where time has passed without one, there is nothing new to save. */
static void save(sweep *s)
{
    if (!s->options->save || s->stop || sp_now() - s->saved < s->options->save_every)
        return;
    s->options->save(s->options->save_context);
    s->saved = sp_now();
}

/* Calls make(i) for i < count to get the tasks. */
static sp_status run_tasks(sweep *s, size_t count, bool (*make)(const sweep *, size_t, task *), sp_error *error)
{
    sp_status status = SP_OK;
    s->make = make;
    s->next = 0;
    s->count = count;
    s->looked = s->saved = sp_now();
    SP_TRY(fill(s, error));
    while (!s->stop && s->active > 0) {
        SP_TRY(wait_for_workers(s, error));
        SP_TRY(collect(s, error));
        SP_TRY(fill(s, error));
        save(s);
    }
cleanup:
    abandon(s);
    return status;
}

static bool make_reference(const sweep *s, size_t i, task *t)
{
    sp_needed_reference *r = &s->queue.reference[i];
    *t = (task){ s->pool, r->cell, r->replicate, r, NULL };
    return !r->known;
}

static bool make_run(const sweep *s, size_t i, task *t)
{
    const sp_job *job = &s->queue.job[i];
    *t = (task){ s->pool, job->cell, job->replicate, NULL, job };
    return true;
}

/* --- the sweep --------------------------------------------------------------------------------------------- */

/* What is made again, and why; a measure taken later is one at the answer, and at the start. */
static void say_reasons(const sp_queue *queue, const sp_run_options *options)
{
    for (size_t i = 0; i < queue->reasons && !options->quiet; i++) {
        const sp_reason *r = &queue->reason[i];
        fprintf(stderr, "%zu run%s %s: %s\n", r->runs, r->runs == 1 ? "" : "s",
                r->measure ? "measured on stored iterates, without values along the way (--again has them)"
                           : "made again", r->text);
    }
}

static size_t processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

/* How many workers there are descriptors for: one each, and some for data, the store and tables. */
static size_t most_workers(void)
{
    enum { OTHERS = 8 };
    struct rlimit limit;
    size_t left = 0;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return SIZE_MAX;
    for (int file = 0; file < (int)limit.rlim_cur && left <= OTHERS + 1024; file++)
        left += fcntl(file, F_GETFD) < 0;
    return left > OTHERS ? left - OTHERS : 1;
}

size_t sp_worker_slots(size_t jobs, bool quiet)
{
    const size_t wanted = jobs > 0 ? jobs : processors(), most = most_workers();
    if (wanted > most && !quiet)
        fprintf(stderr, "%zu workers instead of %zu: more files may not be open (ulimit -n)\n", most, wanted);
    return wanted < most ? wanted : most;
}

sp_status sp_run_plan(const sp_plan *plan, sp_store *store, const sp_run_options *options, sp_run_summary *summary,
                      sp_error *error)
{
    sp_status status = SP_OK;
    sweep s = { .options = options, .store = store, .summary = summary };

    *summary = (sp_run_summary){ 0 };
    sp_signals_hold(&s.signals);
    s.slots = sp_worker_slots(options->jobs, options->quiet);
    s.slot = sp_alloc(s.slots, sizeof *s.slot);
    s.wait = sp_alloc(s.slots + 1, sizeof *s.wait);
    if (s.signals.file < 0 || !s.slot || !s.wait) {
        status = sp_fail(error, s.signals.file < 0 ? SP_EIO : SP_ENOMEM, "workers: %s", strerror(errno));
        goto cleanup;
    }
    SP_TRY(sp_data_pool_new(&s.pool));
    SP_TRY(sp_queue_make(plan, store, options, &s.queue, summary, error));
    for (size_t i = 0; i < s.queue.jobs; i++) /* a missing file shows before anything has run */
        SP_TRY(sp_data_pool_open(s.pool, s.queue.job[i].cell, error));
    say_reasons(&s.queue, options);
    sp_progress_start(&s.progress, summary->remaining, options->quiet);
    status = run_tasks(&s, s.queue.references, make_reference, error);
    if (status == SP_OK)
        status = run_tasks(&s, s.queue.jobs, make_run, error);
    sp_progress_end(&s.progress);
    if (status == SP_OK && summary->interrupted)
        status = sp_fail(error, SP_EINTERRUPTED, "interrupted: %zu runs are left; the same command goes on from here",
                         summary->remaining);

cleanup:
    sp_queue_free(&s.queue);
    sp_data_pool_free(s.pool);
    free(s.slot);
    free(s.wait);
    sp_signals_release(&s.signals, summary->interrupted);
    return status;
}
