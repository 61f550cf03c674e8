/* cells.c -- 100,000 cells of one step each: what the plan, the sweep and the tables cost a cell; and the plan of one
 * list of 990,000 values that no other cell shares: of step sizes, of epsilons with a step size that is a function of
 * each, of n, and of a parameter of the loss. */
#include "core/export/export.h"
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

#define LONG_LIST(list, problem, epsilon, eta)                                                                        \
    "local list = {}\n"                                                                                               \
    "for i = 1, 990000 do list[i] = " list " end\n"                                                                    \
    "return { seed = 17, replicates = 1, checkpoints = 0, measures = { 'grad_norm' },\n"                              \
    "         privacy = { epsilon = " epsilon ", delta = 1e-5 }, problem = { d = 2, " problem " },\n"                  \
    "         algorithms = { { 'dp_gd', steps = 1, eta = " eta " } } }\n"

static const struct { const char *name, *text; } long_list[] = {
    { "step sizes", LONG_LIST("i * 1e-6", "loss = 'pseudo_huber', n = 5", "1", "list") },
    { "epsilons and a function of each",
      LONG_LIST("i * 1e-6", "loss = 'pseudo_huber', n = 5", "list", "function (c) return c.epsilon / 7 end") },
    { "n", LONG_LIST("i", "loss = 'pseudo_huber', n = list", "1", "0.5") },
    { "a parameter of the loss", LONG_LIST("i * 1e-6", "loss = { 'pseudo_huber', scale = list }, n = 5", "1", "0.5") },
};
enum { LISTS = sizeof long_list / sizeof *long_list };

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

static figures measure(const char *unused)
{
    (void)unused;
    figures out;
    double planned;
    out.run = run_all("results", &out.plan);
    out.again = run_all("results", &planned);
    out.memory = memory_at_most();
    return out;
}

static figures plan_alone(const char *text)
{
    figures out = { NAN, NAN, NAN, NAN };
    sp_error error = { 0 };
    sp_plan plan;
    const double start = bench_processor();
    SP_CHECK_REPORT(load_text(text, "default", &plan, &error) == SP_OK, "%s", error.text);
    out.plan = bench_processor() - start;
    CHECK_EQUAL(plan.cells, LONG);
    out.memory = memory_at_most();
    sp_plan_free(&plan);
    return out;
}

/* In a process of its own, whose memory is counted from nothing. */
static figures apart(figures (*measured)(const char *), const char *text)
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
        out = measured(text);
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
    double plan[ROUNDS], rate[ROUNDS], again[ROUNDS], memory[ROUNDS], listed[LISTS][ROUNDS], held[LISTS][ROUNDS];
    char line[96];
    (void)count;
    bench_start(words);
    for (size_t i = 0; i < ROUNDS; i++) {
        const figures f = apart(measure, NULL);
        plan[i] = 1e6 * f.plan / CELLS;
        rate[i] = CELLS / f.run;
        again[i] = f.again;
        memory[i] = f.memory / 1e6;
        for (size_t k = 0; k < LISTS; k++) {
            const figures list = apart(plan_alone, long_list[k].text);
            listed[k][i] = 1e6 * list.plan / LONG;
            held[k][i] = list.memory / 1e6;
        }
    }
    bench_line("100,000 cells of one step: the plan, a cell", BENCH_AT_MOST, 10.0, "us", plan, ROUNDS);
    bench_line("100,000 cells of one step, from script to tables", BENCH_AT_LEAST, 5000.0, "1/s", rate, ROUNDS);
    bench_line("100,000 cells, nothing to do: from script to tables", BENCH_AT_MOST, 2.0, "s", again, ROUNDS);
    bench_line("100,000 cells: memory of the process that hands out the runs", BENCH_AT_MOST, 300.0, "MB", memory,
               ROUNDS);
    for (size_t k = 0; k < LISTS; k++) {
        snprintf(line, sizeof line, "a list of 990,000: %s: the plan, a cell", long_list[k].name);
        bench_line(line, BENCH_AT_MOST, 5.0, "us", listed[k], ROUNDS);
        snprintf(line, sizeof line, "a list of 990,000: %s: memory of the plan", long_list[k].name);
        bench_line(line, BENCH_AT_MOST, 300.0, "MB", held[k], ROUNDS);
    }
    return sp_check_done();
}
