/* workers.c -- whatever a run does to its process costs one run, which becomes a row; the order and the number of
 * workers change nothing. */
#include "core/numeric/blas.h"
#include "core/sweep/queue.h"
#include "core/sweep/signals.h"
#include "core/sweep/workers.h"

#include "core/export/export.h"
#include "core/sweep/progress.h"
#include "tests/cells.h"
#include "tests/check.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

/* --- methods that harm their process ------------------------------------------------------------------------ */

static sp_status run_crash(sp_oracle *o, const sp_values *v, double *w)
{
    (void)o, (void)v, (void)w;
    signal(SIGSEGV, SIG_DFL); /* a sanitizer would turn it into an exit */
    raise(SIGSEGV);
    return SP_OK;
}

static sp_status run_exit(sp_oracle *o, const sp_values *v, double *w)
{
    (void)o, (void)v, (void)w;
    _exit(7);
}

static sp_status run_sleep(sp_oracle *o, const sp_values *v, double *w)
{
    (void)o, (void)v, (void)w;
    sleep(600);
    return SP_OK;
}

/* An allocation beyond the limit fails as malloc does, and is touched when it does not. */
static sp_status run_allocate(sp_oracle *o, const sp_values *v, double *w)
{
    (void)v, (void)w;
    for (size_t i = 0; i < 64; i++) {
        char *block = malloc((size_t)64 << 20);
        if (!block)
            return sp_refuse(o, SP_ENOMEM, "no memory for block %zu", i);
        memset(block, 1, (size_t)1 << 12);
        __asm__ volatile("" ::"r"(block) : "memory"); /* or clang leaves out what nobody reads */
    }
    return SP_OK;
}

static sp_status run_signal(sp_oracle *o, const sp_values *v, double *w)
{
    (void)o, (void)v, (void)w;
    raise(SIGINT); /* a terminal sends Ctrl-C to the workers too */
    raise(SIGTERM);
    return SP_OK;
}

static sp_status run_stop_parent(sp_oracle *o, const sp_values *v, double *w)
{
    (void)o, (void)v, (void)w;
    kill(getppid(), SIGINT);
    sleep(600);
    return SP_OK;
}

/* w_1 = the runs that this process has had, w_2 its id. */
static size_t runs_here;

static sp_status run_count(sp_oracle *o, const sp_values *v, double *w)
{
    (void)o, (void)v;
    w[0] = (double)++runs_here;
    w[1] = (double)getpid();
    return SP_OK;
}

/* Dies of what an earlier run left behind. */
static sp_status run_poisoned(sp_oracle *o, const sp_values *v, double *w)
{
    if (runs_here > 0)
        _exit(7);
    return run_count(o, v, w);
}

static sp_status run_slow(sp_oracle *o, const sp_values *v, double *w)
{
    usleep(50000);
    return run_count(o, v, w);
}

enum { LARGE = 16 << 20 };

/* The first in a process takes so much for a while. */
static sp_status run_large(sp_oracle *o, const sp_values *v, double *w)
{
    if (runs_here == 0)
        munmap(mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0), LARGE);
    return run_count(o, v, w);
}

/* --- what happens from outside ------------------------------------------------------------------------------ */

typedef struct shared_state {
    size_t tries;  /* processes that have begun the run or the reference */
    size_t deaths; /* as many of the first ones die */
    int killer;    /* of this signal; 0: they sleep */
} shared_state;

static shared_state *shared; /* with the workers */

static void begin_try(void)
{
    if (shared->tries++ >= shared->deaths)
        return;
    if (shared->killer == 0)
        sleep(600);
    signal(shared->killer, SIG_DFL);
    kill(getpid(), shared->killer);
}

static sp_status run_victim(sp_oracle *o, const sp_values *v, double *w)
{
    (void)o, (void)v;
    begin_try();
    w[0] = 0.385;
    return SP_OK;
}

enum { STILL = 5000000, NAP = 300000 }; /* microseconds stopped; at work */

/* Stops itself, and the sweep where the value says so; another process continues both. */
static sp_status stop_for_a_while(bool sweep_too)
{
    const pid_t worker = getpid(), sweep = getppid(), helper = fork();
    if (helper == 0) {
        usleep(NAP); /* the sweep waits in poll */
        if (sweep_too)
            kill(sweep, SIGSTOP);
        kill(worker, SIGSTOP);
        usleep(STILL);
        kill(worker, SIGCONT);
        if (sweep_too)
            kill(sweep, SIGCONT);
        _exit(0);
    }
    waitpid(helper, NULL, 0);
    usleep(NAP);
    return SP_OK;
}

static sp_status run_stopped(sp_oracle *o, const sp_values *v, double *w)
{
    (void)o, (void)v, (void)w;
    return stop_for_a_while(false);
}

static sp_status run_all_stopped(sp_oracle *o, const sp_values *v, double *w)
{
    (void)o, (void)v, (void)w;
    return stop_for_a_while(true);
}

static const sp_algorithm victim = { .name = "victim", .run = run_victim };
static const sp_algorithm stopped = { .name = "stopped", .run = run_stopped };
static const sp_algorithm all_stopped = { .name = "all_stopped", .run = run_all_stopped };
static const sp_algorithm tally = { .name = "tally", .run = run_count };
static const sp_algorithm poisoned = { .name = "poisoned", .run = run_poisoned };
static const sp_algorithm slow = { .name = "slow", .run = run_slow };
static const sp_algorithm large = { .name = "large", .run = run_large };
static const sp_algorithm crash = { .name = "crash", .run = run_crash };
static const sp_algorithm leave = { .name = "leave", .run = run_exit };
static const sp_algorithm dream = { .name = "dream", .run = run_sleep };
static const sp_algorithm hoard = { .name = "hoard", .run = run_allocate };
static const sp_algorithm deaf = { .name = "deaf", .run = run_signal };
static const sp_algorithm betray = { .name = "betray", .run = run_stop_parent };

static sp_status measure_gap(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference,
                             const double *w, double *scratch, double *out)
{
    (void)p, (void)workspace, (void)scratch;
    *out = w[0] - reference->value;
    return SP_OK;
}

static const sp_measure gap = { .name = "gap", .reference = true, .compute = measure_gap };

/* --- helpers ------------------------------------------------------------------------------------------------ */

typedef struct bench {
    char *folder;
    sp_store *store;
    sp_plan plan;
    sp_run_options options;
    sp_run_summary summary;
    sp_error error;
} bench;

static void bench_open(bench *b, sp_cell *cell, size_t cells)
{
    *b = (bench){ .folder = cells_folder(), .options = { .jobs = 2, .quiet = true } };
    cells_plan(&b->plan, cell, cells);
    CHECK_EQUAL(sp_store_open(b->folder, &b->store, &b->error), SP_OK);
}

static sp_status bench_run(bench *b)
{
    return sp_run_plan(&b->plan, b->store, &b->options, &b->summary, &b->error);
}

static void bench_close(bench *b)
{
    sp_store_close(b->store);
    cells_remove(b->folder);
}

static char *read_text(const char *folder, const char *name)
{
    char path[256];
    sp_text text = { 0 };
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    for (int c; file && (c = fgetc(file)) != EOF;)
        sp_text_append(&text, "%c", c);
    if (file)
        fclose(file);
    return text.data;
}

/* Three replicates of a method, two well-behaved cells beside it. */
static void check_harm(const sp_algorithm *algorithm, const sp_run_options *options, sp_status status, int killer,
                       const char *message)
{
    sp_cell cell[3];
    bench b;
    cells_make(&cell[0], &cells_algorithm_walk, "walk 1");
    cells_make(&cell[1], algorithm, "harm");
    cells_make(&cell[2], &cells_algorithm_walk, "walk 2");
    cell[1].replicates = 2;
    bench_open(&b, cell, 3);
    b.options.time_limit = options->time_limit;
    b.options.memory_limit = options->memory_limit;
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.planned, 8);
    CHECK_EQUAL(b.summary.done, 6);
    CHECK_EQUAL(b.summary.failed, 2);
    CHECK_EQUAL(b.summary.remaining, 0);
    for (size_t r = 0; r < 2; r++) {
        sp_result result;
        CHECK_EQUAL(sp_store_get(b.store, &cell[1], r, &result, NULL), SP_OK);
        CHECK_EQUAL(result.status, status);
        CHECK_EQUAL(result.signal, killer);
        CHECK_CONTAINS(result.message, message);
        CHECK(isnan(result.value[0]));
        CHECK(result.elapsed > 0.0);
        CHECK(result.peak_memory > 0);
        sp_result_free(&result);
    }
    /* failed ones are kept, not retried, and not counted as present */
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.present, 6);
    CHECK_EQUAL(b.summary.failed, 2);
    CHECK_EQUAL(b.summary.done, 0);
    bench_close(&b);
    for (size_t i = 0; i < 3; i++)
        cells_free(&cell[i]);
}

static void test_harm(void)
{
    const sp_run_options none = { 0 }, quick = { .time_limit = 2.385 }, small = { .memory_limit = (size_t)256 << 20 };
    check_harm(&crash, &none, SP_ECRASH, SIGSEGV, "SIGSEGV");
    check_harm(&leave, &none, SP_ECRASH, 0, "exit code 7");
    check_harm(&dream, &quick, SP_ELIMIT, SIGKILL, "time limit of 2.385 s");
    check_harm(&hoard, &small, SP_ELIMIT, 0, "memory limit of 256 MiB");
}

static void test_deaf(void)
{
    sp_cell cell;
    bench b;
    cells_make(&cell, &deaf, "deaf");
    bench_open(&b, &cell, 1);
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.done, 3);
    bench_close(&b);
    cells_free(&cell);
}

/* One run of `victim`, of whose workers the first `deaths` end so. */
static void run_with_deaths(size_t deaths, int killer, sp_result *result)
{
    sp_cell cell;
    bench b;
    *shared = (shared_state){ .deaths = deaths, .killer = killer };
    cells_make(&cell, &victim, "victim");
    cell.replicates = 1;
    bench_open(&b, &cell, 1);
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(sp_store_get(b.store, &cell, 0, result, NULL), SP_OK);
    CHECK_EQUAL(b.summary.failed, result->status != SP_OK);
    CHECK_EQUAL(b.summary.remaining, 0);
    bench_close(&b);
    cells_free(&cell);
}

/* A worker that somebody else kills is nobody's failure, unless it happens again and again; a crash is the run's. */
static void test_killed_from_outside(void)
{
    static const int outside[] = { SIGKILL, SIGTERM };
    sp_result result;
    for (size_t i = 0; i < 2; i++) {
        run_with_deaths(2, outside[i], &result);
        CHECK_EQUAL(result.status, SP_OK);
        CHECK(result.value[0] == 0.385);
        CHECK_EQUAL(shared->tries, 3);
        sp_result_free(&result);

        run_with_deaths(100, outside[i], &result);
        CHECK_EQUAL(result.status, SP_ECRASH);
        CHECK_EQUAL(result.signal, outside[i]);
        CHECK_CONTAINS(result.message, "killed from outside by SIG");
        CHECK_CONTAINS(result.message, "3 times");
        CHECK_EQUAL(shared->tries, 3);
        sp_result_free(&result);
    }
    run_with_deaths(100, SIGSEGV, &result);
    CHECK_EQUAL(result.status, SP_ECRASH);
    CHECK_EQUAL(shared->tries, 1);
    sp_result_free(&result);
}

/* Time that a worker, or all of the program, is stopped does not count. */
static void test_stopped(void)
{
    const sp_algorithm *const ways[] = { &stopped, &all_stopped };
    for (size_t i = 0; i < 2; i++) {
        sp_cell cell;
        bench b;
        sp_result result;
        cells_make(&cell, ways[i], ways[i]->name);
        cell.replicates = 1;
        bench_open(&b, &cell, 1);
        b.options.jobs = 1;
        b.options.time_limit = 4.5; /* at work for 0.6 s, stopped for 5 s */
        CHECK_EQUAL(bench_run(&b), SP_OK);
        CHECK_EQUAL(sp_store_get(b.store, &cell, 0, &result, NULL), SP_OK);
        SP_CHECK_REPORT(result.status == SP_OK, "%s: %s", ways[i]->name, result.message);
        CHECK(result.elapsed > 5.0);
        sp_result_free(&result);
        bench_close(&b);
        cells_free(&cell);
    }
}

/* --- several runs a process ----------------------------------------------------------------------------------- */

static sp_status measure_second(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference,
                                const double *w, double *scratch, double *out)
{
    (void)p, (void)workspace, (void)reference, (void)scratch;
    *out = w[1];
    return SP_OK;
}

static const sp_measure second = { .name = "second", .compute = measure_second };

enum { MANY = 150, SLOW = 5, A_WORKER = 1000 };

/* Runs so many replicates on one worker: how many processes that took, and the most that one of them was given. */
static size_t processes_of(const sp_algorithm *algorithm, size_t runs, size_t memory_limit, size_t *most)
{
    sp_cell cell;
    bench b;
    size_t processes = 0;
    double last = 0.0;
    *most = 0;
    cells_make(&cell, algorithm, algorithm->name);
    cell.checkpoints = 0.0;
    cell.measure[1] = &second;
    cell.measures = 2;
    cell.replicates = (uint32_t)runs;
    bench_open(&b, &cell, 1);
    b.options.jobs = 1;
    b.options.memory_limit = memory_limit;
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.done, cell.replicates);
    CHECK_EQUAL(b.summary.failed, 0);
    for (size_t r = 0; r < cell.replicates; r++) {
        sp_result result;
        CHECK_EQUAL(sp_store_get(b.store, &cell, r, &result, NULL), SP_OK);
        processes += result.value[1] != last;
        last = result.value[1];
        *most = result.value[0] > (double)*most ? (size_t)result.value[0] : *most;
        sp_result_free(&result);
    }
    bench_close(&b);
    cells_free(&cell);
    return processes;
}

static void test_shared_process(void)
{
    size_t most;
    CHECK(processes_of(&tally, MANY, 0, &most) < MANY / 4); /* on a busy machine a run may look slow */
    CHECK(most > 4);
    CHECK(processes_of(&tally, A_WORKER + MANY, 0, &most) > 1);
    CHECK(most <= A_WORKER);
    /* what harms the next run in the same process harms nothing: it is made again in a new one */
    CHECK_EQUAL(processes_of(&poisoned, MANY, 0, &most), MANY);
    CHECK_EQUAL(most, 1);
    /* slow runs, and all under a memory limit, have a process of their own */
    CHECK_EQUAL(processes_of(&slow, SLOW, 0, &most), SLOW);
    CHECK_EQUAL(processes_of(&tally, MANY, (size_t)1 << 30, &most), MANY);
    CHECK_EQUAL(most, 1);
}

/* The peak of a run is not that of another one before it. */
static void test_peak_of_each(void)
{
    sp_cell cell;
    bench b;
    size_t first = 0, later = 0;
    cells_make(&cell, &large, "large");
    cell.replicates = 4;
    bench_open(&b, &cell, 1);
    b.options.jobs = 1;
    CHECK_EQUAL(bench_run(&b), SP_OK);
    for (size_t r = 0; r < 4; r++) {
        sp_result result;
        CHECK_EQUAL(sp_store_get(b.store, &cell, r, &result, NULL), SP_OK);
        if (result.value[0] == 1.0)
            first = result.peak_memory;
        else
            later = result.peak_memory;
        sp_result_free(&result);
    }
    CHECK(first > LARGE);
    CHECK(later == 0 || access("/proc/self/clear_refs", W_OK) != 0 || later + LARGE / 2 < first);
    bench_close(&b);
    cells_free(&cell);
}

/* Data that come into memory after a worker was forked reach the runs that need them. */
static void test_later_data(void)
{
    sp_cell cell[2];
    bench b;
    for (size_t i = 0; i < 2; i++) {
        cells_make(&cell[i], &tally, i == 0 ? "without" : "with");
        cell[i].replicates = 5;
        if (i == 1) {
            cells_problem(&cell[i])->population = SP_POPULATION_FRESH;
            cells_problem(&cell[i])->population_size = 100;
        }
    }
    bench_open(&b, cell, 2);
    b.options.jobs = 1;
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.done, 10);
    bench_close(&b);
    cells_free(&cell[0]);
    cells_free(&cell[1]);
}

/* --- stopping ----------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t caught;

static void on_interrupt(int number)
{
    caught = number;
}

static void test_interrupt(void)
{
    sp_cell cell[2];
    bench b;
    struct sigaction mine = { .sa_handler = on_interrupt }, before, after;
    sigset_t mask;
    cells_make(&cell[0], &cells_algorithm_walk, "walk 1");
    cells_make(&cell[1], &betray, "betray");
    cells_records(&cell[1])[0] = '3'; /* other records: its runs come after the walks */
    bench_open(&b, cell, 2);
    b.options.jobs = 1;
    sigaction(SIGINT, &mine, &before);
    CHECK_EQUAL(bench_run(&b), SP_EINTERRUPTED);
    CHECK_CONTAINS(b.error.text, "interrupted: 3 runs are left");
    CHECK(b.summary.interrupted);
    CHECK_EQUAL(b.summary.done, 3);
    CHECK_EQUAL(b.summary.remaining, 3);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1); /* no worker is left */
    sigaction(SIGINT, &before, &after);
    CHECK(after.sa_handler == on_interrupt); /* as it was */
    sigprocmask(SIG_SETMASK, NULL, &mask);
    CHECK(!sigismember(&mask, SIGINT));
    CHECK_EQUAL(caught, 0);

    cells_method(&cell[1])->algorithm = &cells_algorithm_walk; /* goes on where it stopped */
    sp_values_start(&cells_method(&cell[1])->values, cells_walk_params);
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.present, 3);
    CHECK_EQUAL(b.summary.done, 3);
    bench_close(&b);
    cells_free(&cell[0]);
    cells_free(&cell[1]);
}

/* A signal that nobody has read when workers have ended is still to come, unless an interruption was noticed before
 * it. */
static void test_signal_of_the_last_moment(void)
{
    sigset_t term, before, pending;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, &before); /* as a task of a sweep has it (run --shard) */
    for (int noticed = 0; noticed < 2; noticed++) {
        sp_signals signals;
        sp_signals_hold(&signals);
        CHECK(!sp_signals_read(&signals).interrupt);
        raise(SIGTERM);
        sp_signals_release(&signals, noticed);
        sigpending(&pending);
        CHECK_EQUAL(sigismember(&pending, SIGTERM), !noticed);
        sp_signals_hold(&signals); /* the next stage hears it */
        CHECK_EQUAL(sp_signals_read(&signals).interrupt, !noticed);
        sp_signals_release(&signals, true);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static void test_fail_fast(void)
{
    sp_cell cell[3];
    bench b;
    sp_run_state state;
    cells_make(&cell[0], &leave, "leave");
    cells_make(&cell[1], &dream, "dream");
    cells_make(&cell[2], &cells_algorithm_walk, "walk 1");
    cell[0].replicates = 1;
    bench_open(&b, cell, 3);
    b.options.fail_fast = true;
    const time_t started = time(NULL);
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK(time(NULL) - started < 60);
    CHECK_EQUAL(b.summary.failed, 1);
    CHECK_EQUAL(b.summary.done, 0);
    CHECK_EQUAL(b.summary.remaining, 6);
    CHECK_EQUAL(sp_store_state(b.store, &cell[1], 0, &state, NULL, NULL), SP_OK);
    CHECK_EQUAL(state, SP_RUN_MISSING);

    /* retried only when asked */
    cells_method(&cell[0])->algorithm = &cells_algorithm_walk;
    sp_values_start(&cells_method(&cell[0])->values, cells_walk_params);
    cells_plan(&b.plan, cell, 1);
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.failed, 1);
    b.options.retry_failed = true;
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.failed, 0);
    CHECK_EQUAL(b.summary.done, 1);
    bench_close(&b);
    for (size_t i = 0; i < 3; i++)
        cells_free(&cell[i]);
}

/* kill -9 of the parent in the middle: the workers go with it, what was stored stays. */
static void test_killed_parent(void)
{
    sp_cell cell[2];
    bench b;
    *shared = (shared_state){ .deaths = 100 }; /* sleepers */
    cells_make(&cell[0], &cells_algorithm_walk, "walk 1");
    cells_make(&cell[1], &victim, "victim");
    cells_records(&cell[1])[0] = '3'; /* as above */
    bench_open(&b, cell, 2);
    sp_store_close(b.store);
    b.store = NULL;
    const pid_t parent = fork();
    if (parent == 0) {
        b.options.jobs = 1;
        if (sp_store_open(b.folder, &b.store, NULL) == SP_OK)
            bench_run(&b);
        _exit(0);
    }
    sp_run_state state = SP_RUN_MISSING;
    /* walks are stored, a sleeper is at work */
    for (int i = 0; i < 6000 && (state != SP_RUN_DONE || shared->tries == 0); i++) {
        usleep(10000);
        sp_store *reader = NULL;
        if (sp_store_open_readonly(b.folder, &reader, NULL) == SP_OK)
            sp_store_state(reader, &cell[0], 2, &state, NULL, NULL);
        sp_store_close(reader);
    }
    CHECK_EQUAL(state, SP_RUN_DONE);
    CHECK_EQUAL(shared->tries, 1);
    char path[64], line[64] = "";
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)parent, (long)parent);
    FILE *children = fopen(path, "r");
    CHECK(children && fgets(line, sizeof line, children));
    if (children)
        fclose(children);
    const pid_t worker = (pid_t)strtol(line, NULL, 10);
    CHECK(worker > 0);
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    bool gone = false;
    for (int i = 0; i < 6000 && !gone; i++) { /* somebody else's child now: gone, or a zombie without a command line */
        usleep(10000);
        snprintf(path, sizeof path, "/proc/%ld/cmdline", (long)worker);
        FILE *command = fopen(path, "r");
        gone = !command || fgetc(command) == EOF;
        if (command)
            fclose(command);
    }
    CHECK(gone);

    CHECK_EQUAL(sp_store_open(b.folder, &b.store, &b.error), SP_OK); /* the lock went with it */
    cells_method(&cell[1])->algorithm = &cells_algorithm_walk;
    sp_values_start(&cells_method(&cell[1])->values, cells_walk_params);
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.present, 3);
    CHECK_EQUAL(b.summary.done, 3);
    bench_close(&b);
    cells_free(&cell[0]);
    cells_free(&cell[1]);
}

/* --- order, sharing, references ----------------------------------------------------------------------------- */

static void test_order(void)
{
    static const struct { size_t jobs; uint64_t shuffle; } ways[] = { { 1, 0 }, { 3, 0 }, { 2, 17 } };
    sp_cell cell[4];
    char *runs[3], *traces[3];
    for (size_t i = 0; i < 4; i++) {
        char text[16];
        snprintf(text, sizeof text, "walk %zu", i);
        cells_make(&cell[i], i == 2 ? &leave : &cells_algorithm_walk, text);
        cell[i].measure[1] = sp_measure_find("grad_norm");
        cell[i].measure[2] = sp_measure_find("excess_risk");
        cell[i].measures = 3;
    }
    for (size_t k = 0; k < 3; k++) {
        bench b;
        bench_open(&b, cell, 4);
        b.options.jobs = ways[k].jobs;
        b.options.shuffle = ways[k].shuffle;
        CHECK_EQUAL(bench_run(&b), SP_OK);
        CHECK_EQUAL(sp_export(&b.plan, b.store, b.folder, NULL, &b.error), SP_OK);
        runs[k] = read_text(b.folder, "runs.tsv");
        traces[k] = read_text(b.folder, "traces.tsv");
        bench_close(&b);
    }
    for (size_t k = 1; k < 3; k++) {
        CHECK_TEXT(runs[k], runs[0]);
        CHECK_TEXT(traces[k], traces[0]);
    }
    CHECK_CONTAINS(runs[0], "\tok\t");
    CHECK_CONTAINS(runs[0], "SP_ECRASH");
    for (size_t k = 0; k < 3; k++) {
        free(runs[k]);
        free(traces[k]);
    }
    for (size_t i = 0; i < 4; i++)
        cells_free(&cell[i]);
}

/* Runs that meet the same records follow the first of them. */
static void test_runs_joined(void)
{
    static const size_t expected[][2] = { { 0, 0 }, { 2, 0 }, { 0, 1 }, { 2, 1 }, { 0, 2 }, { 2, 2 },
                                          { 1, 0 }, { 3, 0 }, { 1, 1 }, { 1, 2 } };
    enum { RUNS = sizeof expected / sizeof *expected };
    sp_cell cell[4];
    bench b;
    sp_queue queue;
    sp_run_summary summary = { 0 };
    for (size_t i = 0; i < 4; i++) {
        char text[16];
        snprintf(text, sizeof text, "walk %zu", i);
        cells_make(&cell[i], &cells_algorithm_walk, text);
        if (i % 2 == 1)
            cells_records(&cell[i])[0] = '3';
    }
    cell[3].replicates = 1;
    bench_open(&b, cell, 4);
    CHECK_EQUAL(sp_queue_make(&b.plan, b.store, &b.options, &queue, &summary, &b.error), SP_OK);
    CHECK_EQUAL(queue.jobs, RUNS);
    for (size_t i = 0; i < queue.jobs && i < RUNS; i++) {
        CHECK_EQUAL(queue.job[i].cell - cell, expected[i][0]);
        CHECK_EQUAL(queue.job[i].replicate, expected[i][1]);
    }
    sp_queue_free(&queue);
    bench_close(&b);
    for (size_t i = 0; i < 4; i++)
        cells_free(&cell[i]);
}

/* Two sweeps that ask different things of the same run share it. */
static void test_sharing(void)
{
    sp_cell cell[3];
    bench b;
    sp_result result;
    cells_make(&cell[0], &cells_algorithm_walk, "walk 1");
    cells_make(&cell[1], &cells_algorithm_walk, "walk 1");
    cells_make(&cell[2], &cells_algorithm_walk, "walk 1");
    cell[0].checkpoints = 0.0;
    cell[1].sweep = "other";
    cell[1].measure[0] = sp_measure_find("grad_norm");
    cell[1].replicates = 5;
    char skip[] = "not here";
    cell[2].skip = skip;
    bench_open(&b, cell, 3);
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.planned, 8);
    CHECK_EQUAL(b.summary.done, 8);
    CHECK_EQUAL(b.summary.skipped, 1);
    CHECK_EQUAL(sp_store_get(b.store, &cell[0], 2, &result, NULL), SP_OK);
    CHECK(result.value[0] == 7.0 && result.traces == 0);
    sp_result_free(&result);
    CHECK_EQUAL(sp_store_get(b.store, &cell[1], 2, &result, NULL), SP_OK);
    CHECK(isfinite(result.value[0]) && result.value[0] != 7.0);
    CHECK(result.traces > 2 && isfinite(result.trace[1].value[0]));
    sp_result_free(&result);
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.present, 8);
    CHECK_EQUAL(b.summary.done, 0);

    /* a new measure makes the run stale for both */
    cell[0].measure[cell[0].measures++] = sp_measure_find("objective");
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.stale, 8);
    CHECK_EQUAL(b.summary.done, 8);
    CHECK_EQUAL(b.summary.present, 0);
    bench_close(&b);
    for (size_t i = 0; i < 3; i++)
        cells_free(&cell[i]);
}

static void test_references(void)
{
    sp_cell cell[2];
    bench b;
    sp_result result;
    cells_make(&cell[0], &cells_algorithm_walk, "walk 1");
    cells_make(&cell[1], &cells_algorithm_walk, "walk 2");
    cell[0].measure[0] = cell[1].measure[0] = &gap;
    bench_open(&b, cell, 2);
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.done, 6);
    for (size_t r = 0; r < 3; r++) {
        sp_reference reference = { .value = NAN };
        char *key = NULL;
        CHECK_EQUAL(sp_reference_key(&cell[0], SP_OF_TRAINING, r, &key), SP_OK);
        CHECK_EQUAL(sp_store_get_reference(b.store, key, &reference, NULL), SP_OK);
        free(key);
        sp_reference_free(&reference);
        for (size_t i = 0; i < 2; i++) {
            CHECK_EQUAL(sp_store_get(b.store, &cell[i], r, &result, NULL), SP_OK);
            CHECK(result.reference.value == reference.value);
            CHECK(result.value[0] == 7.0 - reference.value);
            CHECK_TEXT(result.reference.method, reference.method);
            sp_result_free(&result);
        }
    }
    bench_close(&b);

    /* One that cannot be computed (the objective is NaN everywhere) costs the measure, not the run. */
    cells_problem(&cell[0])->number[0] = NAN;
    bench_open(&b, cell, 1);
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(sp_store_get(b.store, &cell[0], 0, &result, NULL), SP_OK);
    CHECK_EQUAL(result.status, SP_OK);
    CHECK(isnan(result.value[0]));
    CHECK_CONTAINS(result.warning, "no reference value F*: measures that need it are NaN; ");
    sp_result_free(&result);
    bench_close(&b);
    cells_free(&cell[0]);
    cells_free(&cell[1]);
}

/* pseudo_huber whose value gets into trouble. Only the reference asks for it: `walk` and `gap` do not. */
static sp_loss troubled;
static sp_public_part troubled_part, untroubled_part;

static double troubled_value(sp_numbers p, size_t d, const double *w)
{
    begin_try();
    return untroubled_part.value(p, d, w);
}

static void make_troubled(void)
{
    troubled = *sp_loss_find("pseudo_huber");
    untroubled_part = troubled_part = *troubled.public_part;
    troubled_part.value = troubled_value;
    troubled.public_part = &troubled_part;
}

/* A reference that could not be computed is no result: the runs that need it are failures that say so, and the next
 * call computes it and them. */
static void check_failed_reference(int killer, const char *message)
{
    sp_cell cell[2];
    bench b;
    sp_result result;
    *shared = (shared_state){ .deaths = SIZE_MAX, .killer = killer };
    cells_make(&cell[0], &cells_algorithm_walk, "walk 1");
    cells_make(&cell[1], &cells_algorithm_walk, "walk 2");
    cells_problem(&cell[0])->loss = &troubled;
    cell[0].measure[1] = &gap;
    cell[0].measures = 2;
    cell[0].replicates = 2;
    bench_open(&b, cell, 2);
    b.options.time_limit = killer == 0 ? 2.385 : 0.0;
    for (int call = 0; call < 2; call++) {
        CHECK_EQUAL(bench_run(&b), SP_OK);
        CHECK_EQUAL(b.summary.failed, 2);
        CHECK_EQUAL(b.summary.done + b.summary.present, 3);
        CHECK_EQUAL(b.summary.remaining, 0);
        for (size_t r = 0; r < 2; r++) {
            CHECK_EQUAL(sp_store_get(b.store, &cell[0], r, &result, NULL), SP_OK);
            CHECK_EQUAL(result.status, SP_EREFERENCE);
            CHECK_CONTAINS(result.message, "no reference value F*: ");
            CHECK_CONTAINS(result.message, message);
            CHECK(isnan(result.value[0]) && isnan(result.value[1]));
            sp_result_free(&result);
        }
    }
    *shared = (shared_state){ 0 };
    b.options.time_limit = 0.0;
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.failed, 0);
    CHECK_EQUAL(b.summary.done, 2);
    CHECK_EQUAL(sp_store_get(b.store, &cell[0], 1, &result, NULL), SP_OK);
    CHECK_EQUAL(result.status, SP_OK);
    CHECK(isfinite(result.value[1]));
    CHECK_TEXT(result.warning, "");
    sp_result_free(&result);
    bench_close(&b);

    /* killed from outside once: nothing to see */
    *shared = (shared_state){ .deaths = 1, .killer = SIGKILL };
    bench_open(&b, cell, 2);
    CHECK_EQUAL(bench_run(&b), SP_OK);
    CHECK_EQUAL(b.summary.done, 5);
    bench_close(&b);
    cells_free(&cell[0]);
    cells_free(&cell[1]);
}

static void test_failed_references(void)
{
    make_troubled();
    check_failed_reference(0, "time limit of 2.385 s");
    check_failed_reference(SIGSEGV, "the worker died of SIGSEGV");
    check_failed_reference(SIGKILL, "killed from outside by SIGKILL, 3 times");
}

/* --- progress ----------------------------------------------------------------------------------------------- */

static void test_progress(void)
{
    sp_text text = { 0 };
    const sp_progress p = { .total = 400, .done = 123, .failed = 2, .started = 100.0 };
    sp_progress_text(&p, 103.5, 20, &text);
    CHECK_TEXT(text.data, "[######..............] 123/400 done, 2 failed, 35.1 runs/s, 8 s left");
    sp_text_free(&text);
    sp_progress_text(&p, 100.0, 0, &text);
    CHECK_TEXT(text.data, "123/400 done, 2 failed");
    sp_text_free(&text);
    sp_progress_text(&p, 6320.5, 0, &text); /* 6220.5 s for 123, 277 left: 14008.8 s */
    CHECK_TEXT(text.data, "123/400 done, 2 failed, 0.0198 runs/s, 3.9 h left");
    sp_text_free(&text);
}

int main(void)
{
    CHECK_EQUAL(sp_blas_prepare(NULL), SP_OK); /* as main.c does */
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    test_harm();
    test_deaf();
    test_killed_from_outside();
    test_stopped();
    test_shared_process();
    test_peak_of_each();
    test_later_data();
    test_interrupt();
    test_signal_of_the_last_moment();
    test_fail_fast();
    test_killed_parent();
    test_order();
    test_runs_joined();
    test_sharing();
    test_references();
    test_failed_references();
    test_progress();
    return sp_check_done();
}
