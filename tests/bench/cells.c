/* cells.c -- 100,000 cells of one step each: what the plan, the sweep and the tables cost a cell; and the plan of one list
 * of 990,000 step sizes, each a setting that no other cell shares. */
#include "core/store/export.h"
#include "core/sweep/tuning.h"
#include "tests/bench/bench.h"
#include "tests/check.h"
#include "tests/experiment.h"

#include <sys/wait.h>

enum { CELLS = 100000, LONG = 990000, ROUNDS = 3 };

static const char experiment[] =
    "local etas = {}\n"
    "for i = 1, 100000 do etas[i] = i * 1e-5 end\n"
    "return { seed = 17, replicates = 1, checkpoints = 0, privacy = 'none', measures = { 'grad_norm' },\n"
    "         problem = { loss = 'pseudo_huber', data = 'signs', n = 5, d = 2 },\n"
    "         algorithms = { { 'gd', steps = 1, eta = etas } } }\n";

static const char long_list[] =
    "local etas = {}\n"
    "for i = 1, 990000 do etas[i] = i * 1e-6 end\n"
    "return { seed = 17, replicates = 1, checkpoints = 0, measures = { 'grad_norm' },\n"
    "         privacy = { epsilon = 1, delta = 1e-5 }, problem = { loss = 'pseudo_huber', n = 5, d = 2 },\n"
    "         algorithms = { { 'dp_gd', steps = 1, eta = etas } } }\n";

typedef struct figures {
    double plan, run, again; /* seconds */
    double memory;           /* bytes, at most, of this process; its workers have theirs */
} figures;

/* From the script to the tables: seconds. */
static double run_all(const char *folder, double *planned)
{
    sp_error error = { 0 };
    sp_run_summary summary;
    sp_store *store = NULL;
    sp_plan plan;
    const double start = bench_wall();
    SP_CHECK_REPORT(load_text(experiment, "default", &plan, &error) == SP_OK, "%s", error.text);
    *planned = bench_wall() - start;
    CHECK_EQUAL(plan.cells, CELLS);
    CHECK_EQUAL(sp_make_directory(folder, &error), SP_OK);
    CHECK_EQUAL(sp_store_open(folder, &store, &error), SP_OK);
    CHECK_EQUAL(sp_tuning_choose(&plan, store, &error), SP_OK);
    CHECK_EQUAL(sp_run_stages(&plan, store, &(sp_run_options){ .quiet = true }, &summary, &error), SP_OK);
    CHECK_EQUAL(sp_export(&plan, store, folder, NULL, &error), SP_OK);
    CHECK_EQUAL(summary.done + summary.present, CELLS);
    sp_store_close(store);
    sp_plan_free(&plan);
    return bench_wall() - start;
}

static double memory_at_most(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

static figures measure(void)
{
    figures out;
    double planned;
    out.run = run_all("results", &out.plan);
    out.again = run_all("results", &planned);
    out.memory = memory_at_most();
    return out;
}

static figures plan_alone(void)
{
    figures out = { NAN, NAN, NAN, NAN };
    sp_error error = { 0 };
    sp_plan plan;
    const double start = bench_processor();
    SP_CHECK_REPORT(load_text(long_list, "default", &plan, &error) == SP_OK, "%s", error.text);
    out.plan = bench_processor() - start;
    CHECK_EQUAL(plan.cells, LONG);
    out.memory = memory_at_most();
    sp_plan_free(&plan);
    return out;
}

/* In a process of its own, whose memory is counted from nothing. */
static figures apart(figures (*measured)(void))
{
    figures out = { NAN, NAN, NAN, NAN };
    char folder[64];
    int ends[2];
    fflush(stdout);
    if (pipe(ends) != 0 || enter_folder(folder) != 0) {
        CHECK(false);
        return out;
    }
    const pid_t process = fork();
    if (process == 0) {
        out = measured();
        CHECK(write(ends[1], &out, sizeof out) == sizeof out);
        _exit(sp_check_done());
    }
    int state = 1;
    close(ends[1]);
    CHECK(read(ends[0], &out, sizeof out) == sizeof out);
    close(ends[0]);
    CHECK(waitpid(process, &state, 0) == process && state == 0);
    leave_folder(folder);
    return out;
}

int main(int count, char **words)
{
    double plan[ROUNDS], rate[ROUNDS], again[ROUNDS], memory[ROUNDS], listed[ROUNDS], held[ROUNDS];
    (void)count;
    bench_start(words);
    for (size_t i = 0; i < ROUNDS; i++) {
        const figures f = apart(measure), list = apart(plan_alone);
        plan[i] = 1e6 * f.plan / CELLS;
        rate[i] = CELLS / f.run;
        again[i] = f.again;
        memory[i] = f.memory / 1e6;
        listed[i] = 1e6 * list.plan / LONG;
        held[i] = list.memory / 1e6;
    }
    bench_line("100,000 cells of one step: the plan, a cell", BENCH_AT_MOST, 10.0, "us", plan, ROUNDS);
    bench_line("100,000 cells of one step, from script to tables", BENCH_AT_LEAST, 5000.0, "1/s", rate, ROUNDS);
    bench_line("100,000 cells, nothing to do: from script to tables", BENCH_AT_MOST, 2.0, "s", again, ROUNDS);
    bench_line("100,000 cells: memory of the process that hands out the runs", BENCH_AT_MOST, 300.0, "MB", memory,
               ROUNDS);
    bench_line("one list of 990,000 step sizes: the plan, a cell", BENCH_AT_MOST, 5.0, "us", listed, ROUNDS);
    bench_line("one list of 990,000 step sizes: memory of the plan, at most", BENCH_AT_MOST, 300.0, "MB", held, ROUNDS);
    return sp_check_done();
}
