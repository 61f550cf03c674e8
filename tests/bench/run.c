/* run.c -- what a run costs apart from its steps, and what a second worker brings. */
#include "core/run/worker.h"
#include "core/sweep/workers.h"
#include "tests/bench/bench.h"
#include "tests/bench/shaped.h"
#include "tests/cells.h"

#include <gsl/gsl_cblas.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

static void report_failure(sp_status status, const sp_error *error)
{
    SP_CHECK_REPORT(status == SP_OK, "%s", error->text);
}

/* --- no steps: fork, records, oracle, books, measure, pipe, row ------------------------------------------------ */

typedef struct setting {
    size_t workers;
    double (*clock)(void);
    size_t memory_limit; /* any: each run has a process of its own */
} setting;

static double no_steps(void *context, size_t runs)
{
    const setting *s = context;
    sp_error error = { 0 };
    sp_run_summary summary;
    sp_store *store = NULL;
    sp_plan plan;
    sp_cell cell;
    char *folder = cells_folder();
    cells_make(&cell, &cells_algorithm_walk, "no steps");
    report_failure(sp_values_set_number(&cells_method(&cell)->values, "walk", "steps", 0.0, &error), &error);
    cell.replicates = (uint32_t)runs;
    cells_plan(&plan, &cell, 1);
    report_failure(sp_store_open(folder, &store, &error), &error);
    const double start = s->clock();
    report_failure(sp_run_plan(&plan, store, &(sp_run_options){ .jobs = s->workers, .memory_limit = s->memory_limit,
                                                                .quiet = true }, &summary, &error), &error);
    const double seconds = s->clock() - start;
    CHECK_EQUAL(summary.done, runs);
    sp_store_close(store);
    cells_free(&cell);
    cells_remove(folder);
    return seconds;
}

static double forks(void *context, size_t runs)
{
    const setting *s = context;
    const double start = s->clock();
    for (size_t i = 0; i < runs; i++) {
        const pid_t child = fork();
        if (child == 0)
            _exit(0);
        waitpid(child, NULL, 0);
    }
    return s->clock() - start;
}

static void overhead(void)
{
    setting one = { 1, bench_wall }, two = { 2, bench_wall }, busy = { 1, bench_processors };
    setting alone = { 1, bench_wall, (size_t)1 << 32 };
    bench_lap lap[] = {
        { .timed = no_steps, .context = &one, .turn = 300 },  { .timed = no_steps, .context = &two, .turn = 300 },
        { .timed = no_steps, .context = &busy, .turn = 300 }, { .timed = forks, .context = &one, .turn = 300 },
        { .timed = forks, .context = &busy, .turn = 300 },    { .timed = no_steps, .context = &alone, .turn = 300 },
    };
    bench_race(lap, 6, 11);
    bench_time("run of zero steps, from fork to committed row", 110.0, "us", 1e6, &lap[0]);
    bench_time("run of zero steps, two workers", 0.0, "us", 1e6, &lap[1]);
    bench_time("run of zero steps, processor time", 0.0, "us", 1e6, &lap[2]);
    bench_time("run of zero steps in a process of its own (a memory limit)", 0.0, "us", 1e6, &lap[5]);
    bench_time("fork and wait alone", 0.0, "us", 1e6, &lap[3]);
    bench_time("fork and wait alone, processor time", 0.0, "us", 1e6, &lap[4]);
}

/* --- one worker, two workers ------------------------------------------------------------------------------------ */

enum { STEPS = 30, RUNS = 2 };

static void descend(const void *task, sp_result *result)
{
    const private_problem *p = *(const private_problem *const *)task;
    const size_t d = p->data.d;
    sp_batch all;
    double multiplier = 0.0, *w = sp_alloc_doubles(d), *g = sp_alloc_doubles(d);
    sp_oracle *o = private_oracle(p, private_tight, 1);
    sp_result_start(result);
    OK(o, sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .count = STEPS }, 1, &multiplier));
    OK(o, sp_draw(o, sp_full(), &all));
    for (size_t t = 1; t <= STEPS; t++) {
        OK(o, sp_gradient(o, &SP_AT(all, w), multiplier, g));
        cblas_daxpy((int)d, -1.0, g, 1, w, 1);
    }
    sp_oracle_free(o);
    free(w);
    free(g);
}

static void finish(sp_worker *worker)
{
    sp_result result;
    struct pollfd wait;
    do {
        wait = (struct pollfd){ .fd = worker->socket, .events = POLLIN };
        poll(&wait, 1, -1);
    } while (!sp_worker_read(worker));
    CHECK(sp_worker_take(worker, &result) && result.status == SP_OK);
    sp_worker_end(worker);
    sp_result_free(&result);
}

/* The same RUNS runs, as many at once as there are workers. */
static double descents(const private_problem *p, size_t workers)
{
    sp_error error = { 0 };
    sp_worker worker[RUNS];
    const double start = bench_wall();
    for (size_t first = 0; first < RUNS; first += workers) {
        for (size_t i = 0; i < workers; i++)
            report_failure(sp_worker_start(&worker[i], descend, &p, sizeof p, 0.0, 0, &error), &error);
        for (size_t i = 0; i < workers; i++)
            finish(&worker[i]);
    }
    return bench_wall() - start;
}

static double by_one(void *context, size_t runs)
{
    (void)runs;
    return descents(context, 1);
}

static double by_two(void *context, size_t runs)
{
    (void)runs;
    return descents(context, 2);
}

static void two_workers(void)
{
    private_problem p;
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        bench_skip("two workers: one processor");
        return;
    }
    shaped_problem(&p, 581012, 54);
    bench_lap lap[] = { { .timed = by_one, .context = &p, .turn = 1 }, { .timed = by_two, .context = &p, .turn = 1 } };
    bench_race(lap, 2, 7);
    bench_times("two workers against one, DP-GD at 581,012 x 54", 1.9, &lap[0], &lap[1]);
    private_problem_free(&p);
}

int main(int count, char **words)
{
    (void)count;
    bench_start(words);
    overhead();
    two_workers();
    return sp_check_done();
}
