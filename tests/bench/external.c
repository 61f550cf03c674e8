/* external.c -- methods that are programs: what a call takes at d = 50, from a program in Perl and from the client in
 * Python, in whole runs of many calls: a gradient of ten records. Of the processor, in both processes, which wait for
 * each other. */
#include "core/base/arena.h"
#include "core/methods/external.h"
#include "core/plan/registry.h"
#include "tests/bench/bench.h"
#include "tests/experiment.h"
#include "tests/private_problem.h"

enum { RECORDS = 10, D = 50, CALLS = 20000, ROUNDS = 7 };

static const char python[] =
    "import stillpoint\n"
    "def run(o, p, w):\n"
    "    m, = o.calibrate(dict(kind='gradient', count=p['calls']))\n"
    "    records = o.draw()\n"
    "    for t in range(p['calls']):\n"
    "        o.gradient(records, w, m)\n"
    "    return w\n"
    "stillpoint.serve(run)\n";

static const char perl[] =
    "binmode STDIN; binmode STDOUT; $| = 1;\n"
    "sub take { read(STDIN, my $head, 16) == 16 or exit 1; my ($code, $length, $count) = unpack 'VVQ<', $head;\n"
    "  my ($x, $text) = ('', ''); read STDIN, $x, 8 * $count if $count; read STDIN, $text, $length if $length;\n"
    "  return ($code, $text, unpack 'd<*', $x) }\n"
    "sub frame { my ($code, @x) = @_; print pack('VVQ<d<*', $code, 0, scalar @x, @x) }\n"
    "sub call { frame(@_); my ($refused, $text, @x) = take(); die $text if $refused; @x }\n"
    "my ($version, $names, @x) = take(); my @names = split /\\n/, $names; my %o; @o{@names} = splice @x, 0, @names;\n"
    "my ($m) = call(1, 0, 0, 0, 0, $o{'p.calls'}, 0, 0, 0, 0); my ($all) = call(2, 0, 0, 0);\n"
    "call(3, $all, $m, 0, 0, @x) for 1 .. $o{'p.calls'};\n"
    "frame(0, @x);\n";

static const sp_param params[] = { { "calls", SP_REAL, CALLS, { 1, 1e9 }, "-" }, { 0 } };

typedef struct runner {
    const private_problem *problem;
    sp_algorithm algorithm;
    sp_values values;
} runner;

static double timed(void *context, size_t runs)
{
    runner *r = context;
    const double begun = bench_processors();
    for (size_t i = 0; i < runs; i++) {
        double w[D] = { 0.0 };
        sp_oracle *o = private_oracle(r->problem, private_tight, 1);
        OK(o, sp_algorithm_run(&r->algorithm, o, &r->values, w));
        sp_oracle_free(o);
    }
    return bench_processors() - begun;
}

static bool start(sp_arena *arena, const char *command, const private_problem *problem, double calls, runner *r)
{
    const sp_external e = {
        .command = command, .files = "", .environment = "", .folder = "", .patience = 60.0, .params = params
    };
    sp_error error = { .text = "" };
    r->problem = problem;
    if (sp_external_new(arena, &e, "bench", &r->algorithm, &error) != SP_OK) {
        fprintf(stderr, "%s\n", error.text);
        return false;
    }
    sp_values_start(&r->values, params);
    return sp_values_set_number(&r->values, "bench", "calls", calls, NULL) == SP_OK;
}

int main(int count, char **words)
{
    static const struct { const char *command, *figure; } of[] = {
        { "perl b.pl", "a call of a program in Perl, d = 50" },
        { "python3 b.py", "a call by the client in Python, d = 50" },
        { "/usr/bin/python3 b.py", "a call by the client in Python with NumPy, d = 50" },
    };
    static runner many[3];
    private_problem problem;
    sp_arena arena = { 0 };
    char folder[64];
    (void)count;
    bench_start(words);
    setenv("STILLPOINT_CLIENTS", STILLPOINT_BENCH "/../../clients", 1);
    if (enter_folder(folder) != 0)
        return 1;
    write_text("b.py", python);
    write_text("b.pl", perl);
    private_problem_random(&problem, sp_loss_find("logistic"), 0.0, RECORDS, D);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (start(&arena, of[i].command, &problem, CALLS, &many[i])) {
            bench_lap lap = { .timed = timed, .context = &many[i], .work = CALLS, .turn = 1 };
            bench_race(&lap, 1, ROUNDS);
            bench_time(of[i].figure, 30.0, "us", 1e6, &lap);
        }
    private_problem_free(&problem);
    sp_arena_free(&arena);
    leave_folder(folder);
    return sp_check_done();
}
