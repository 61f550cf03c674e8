/* lua_method.c -- methods in Lua: noisy gradient descent in twelve lines against dp_gd in C, whole runs at the size of
 * IJCNN1 (n = 35,000, d = 22), the two in turns; an operation of a vector of 50 entries; and what a loss in Lua would
 * take: the slope of the logistic loss by a function in Lua, beside the loops that losses in C are made of. */
#include "core/base/arena.h"
#include "core/methods/lua_methods.h"
#include "core/plan/registry.h"
#include "tests/bench/bench.h"
#include "tests/experiment.h"
#include "tests/private_problem.h"

enum { RECORDS = 35000, D = 22, STEPS = 20, ENTRIES = 50, OPERATIONS = 1000000, ROUNDS = 21 };

static const char text[] =
    "algorithm{ name = 'descent', params = { eta = 0.1, steps = 20 },\n"
    "  run = function (o, p, w)\n"
    "    local m = o:calibrate{ { kind = 'gradient', count = p.steps } }\n"
    "    local all = o:draw('full')\n"
    "    for t = 1, p.steps do\n"
    "      w:add(-p.eta, o:gradient(all, w, m[1]))\n"
    "      o:project(w)\n"
    "      o:checkpoint(t, w)\n"
    "    end\n"
    "  end }\n"
    "algorithm{ name = 'adds', params = { times = 1000000 }, run = function (o, p, w)\n"
    "  local v = o:vector():fill(1)\n"
    "  for t = 1, p.times do w:add(1e-9, v) end\n"
    "end }\n"
    "local exp, abs = math.exp, math.abs\n"
    "local function slope(m, y)\n"
    "  local e = exp(-abs(y * m))\n"
    "  return y * m > 0 and -y * e / (1 + e) or -y / (1 + e)\n"
    "end\n"
    "algorithm{ name = 'slopes', params = { times = 1000000 }, run = function (o, p, w)\n"
    "  local sum = 0\n"
    "  for t = 1, p.times do sum = sum + slope(1e-6 * t, 1) end\n"
    "  w:put(1, sum)\n"
    "end }\n"
    "return {}\n";

typedef struct runner {
    private_problem problem;
    const sp_algorithm *algorithm;
    sp_values values;
} runner;

static void whole_run(void *context)
{
    runner *r = context;
    double w[ENTRIES] = { 0.0 };
    sp_oracle *o = private_oracle(&r->problem, private_tight, 1);
    OK(o, sp_algorithm_run(r->algorithm, o, &r->values, w));
    sp_oracle_free(o);
}

static void slopes_in_c(void *context)
{
    static double m[RECORDS], y[RECORDS], out[RECORDS];
    const sp_loss *loss = context;
    for (size_t i = 0; i < RECORDS; i++) {
        m[i] = 1e-6 * (double)i;
        y[i] = 1.0;
    }
    for (size_t done = 0; done < OPERATIONS; done += RECORDS)
        loss->link->slope(NULL, RECORDS, m, y, out);
}

static void start(runner *r, const sp_algorithm *a)
{
    r->algorithm = a;
    sp_values_start(&r->values, a->params);
}

int main(int count, char **words)
{
    static runner mine, theirs, adds, slopes;
    sp_arena arena = { 0 };
    sp_lua *lua = NULL;
    const sp_node *root;
    const sp_algorithm *algorithm = NULL;
    size_t algorithms = 0;
    char hash[SP_HASH_HEX], folder[64];
    sp_error error = { .text = "" };
    (void)count;
    bench_start(words);
    if (enter_folder(folder) != 0)
        return 1;
    write_text("m.lua", text);
    CHECK(sp_lua_open("m.lua", &sp_lua_method_library, &arena, &lua, &root, hash, &error) == SP_OK);
    CHECK(lua && sp_lua_methods(lua, &arena, &algorithm, &algorithms, &error) == SP_OK && algorithms == 3);
    if (algorithms == 3) {
        private_problem_random(&mine.problem, sp_loss_find("logistic"), 0.0, RECORDS, D);
        private_problem_random(&adds.problem, sp_loss_find("logistic"), 0.0, 10, ENTRIES);
        theirs.problem = mine.problem;
        start(&mine, &algorithm[0]);
        start(&theirs, sp_algorithm_find("dp_gd"));
        start(&adds, &algorithm[1]);
        slopes.problem = adds.problem;
        start(&slopes, &algorithm[2]);
        CHECK(sp_values_set_number(&theirs.values, "dp_gd", "eta", 0.1, NULL) == SP_OK);
        CHECK(sp_values_set_number(&theirs.values, "dp_gd", "steps", STEPS, NULL) == SP_OK);
        CHECK(sp_values_set_text(&theirs.values, "dp_gd", "select", "last", NULL) == SP_OK);
        bench_lap lap[] = { { .run = whole_run, .context = &theirs, .work = STEPS },
                            { .run = whole_run, .context = &mine, .work = STEPS } };
        bench_race(lap, 2, ROUNDS);
        bench_times("n = 35000, d = 22: dp_gd in C / descent in Lua", 1.0 / 1.3, &lap[0],
                    &lap[1]);
        bench_time("descent in Lua, n = 35000, d = 22: a step", 0.0, "us", 1e6, &lap[1]);
        bench_lap operation[] = { { .run = whole_run, .context = &adds, .work = OPERATIONS } };
        bench_race(operation, 1, ROUNDS);
        bench_time("w:add(a, v) in Lua, d = 50", 100.0, "ns", 1e9, &operation[0]);
        bench_lap slope[] = { { .run = whole_run, .context = &slopes, .work = OPERATIONS } };
        bench_race(slope, 1, ROUNDS);
        bench_time("the logistic slope in Lua, a record", 0.0, "ns", 1e9, &slope[0]);
        bench_lap block[] = { { .run = slopes_in_c, .context = (void *)(uintptr_t)sp_loss_find("logistic"),
                                .work = (OPERATIONS + RECORDS - 1) / RECORDS * RECORDS } };
        bench_race(block, 1, ROUNDS);
        bench_time("the logistic slope in C, a record", 0.0, "ns", 1e9, &block[0]);
        private_problem_free(&mine.problem);
        private_problem_free(&adds.problem);
    }
    sp_lua_close(lua);
    sp_arena_free(&arena);
    leave_folder(folder);
    return sp_check_done();
}
