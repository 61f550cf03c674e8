/* external.c -- methods that are other programs: dp_gd in Python (with NumPy and without) and in Perl gives the
 * iterates of the one in C to the bit; every call against the one of oracle.h that it stands for; programs that die,
 * hang or talk nonsense; what they are handed, with the variables of their environment; what is left of them; what
 * decides whether a run is current. */
#include "core/base/arena.h"
#include "core/base/clock.h"
#include "core/methods/external.h"
#include "tests/descent.h"
#include "tests/experiment.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const sp_param params[] = {
    { "eta",   SP_REAL, 0.1, { -DBL_MAX, DBL_MAX }, "-" },
    { "steps", SP_REAL, 20,  { -DBL_MAX, DBL_MAX }, "-" },
    { 0 }
};

/* A program found from this folder. */
typedef struct program {
    sp_arena arena;
    sp_algorithm algorithm;
    sp_error error;
} program;

static sp_status find_with(const char *command, const char *files, const char *environment, double patience, program *p)
{
    const sp_external e = { .command = command, .files = files, .environment = environment, .folder = "",
                            .patience = patience, .params = params };
    *p = (program){ .error.text = "" };
    return sp_external_new(&p->arena, &e, "here", &p->algorithm, &p->error);
}

static sp_status find(const char *command, const char *files, double patience, program *p)
{
    return find_with(command, files, "", patience, p);
}

static bool must_find(const char *command, double patience, program *p)
{
    const sp_status status = find(command, "", patience, p);
    SP_CHECK_REPORT(status == SP_OK, "%s", p->error.text);
    return status == SP_OK;
}

/* A text in Perl, by itself. */
static bool in_perl(const char *text, double patience, program *p)
{
    write_text("p.pl", text);
    return must_find("perl p.pl", patience, p);
}

static void drop(program *p)
{
    sp_arena_free(&p->arena);
}

/* --- the same iterates --------------------------------------------------------------------------------------- */

static const char descent_py[] =
    "import stillpoint\n"
    "\n"
    "def run(o, p, w):\n"
    "    m, = o.calibrate(dict(kind='gradient', count=p['steps']))\n"
    "    records = o.draw('full')\n"
    "    for t in range(1, p['steps'] + 1):\n"
    "        w = o.step(-p['eta'], w, o.gradient(records, w, m))\n"
    "        o.checkpoint(t, w)\n"
    "    return w\n"
    "\n"
    "stillpoint.serve(run)\n";

#define PERL_FRAMES                                                                                                \
    "binmode STDIN; binmode STDOUT; $| = 1;\n"                                                                     \
    "sub frame { my ($code, $text, @x) = @_;\n"                                                                    \
    "  print pack('VVQ<', $code, length $text, scalar @x), pack('d<*', @x), $text }\n"                             \
    "sub take { read(STDIN, my $head, 16) == 16 or exit 1;\n"                                                      \
    "  my ($code, $length, $count) = unpack 'VVQ<', $head; my ($numbers, $text) = ('', '');\n"                     \
    "  read STDIN, $numbers, 8 * $count if $count; read STDIN, $text, $length if $length;\n"                       \
    "  return ($code, $text, unpack 'd<*', $numbers) }\n"                                                          \
    "sub call { frame(@_); my ($refused, $text, @x) = take(); die \"$text\\n\" if $refused; @x }\n"                \
    "my ($version, $names, @x) = take(); my @names = split /\\n/, $names; my %o; @o{@names} = splice @x, 0, @names;\n" \
    "my @w = @x;\n"

static const char descent_pl[] = PERL_FRAMES
    "my ($m) = call(1, '', 0, 0, 0, 0, $o{'p.steps'}, 0, 0, 0, 0);\n"
    "my ($all) = call(2, '', 0, 0, 0);\n"
    "for my $t (1 .. $o{'p.steps'}) {\n"
    "  my @g = call(3, '', $all, $m, 0, 0, @w);\n"
    "  @w = call(13, '', -$o{'p.eta'}, @w, @g);\n"
    "  call(11, '', $t, @w);\n"
    "}\n"
    "frame(0, '', @w);\n";

static void same_iterates(const char *command)
{
    static const sp_privacy requests[] = { { .private = true, .epsilon = 1.0, .delta = 1e-6, .noise = true },
                                           { .private = true, .epsilon = 1.0, .delta = 1e-6, .noise = false } };
    static const double radii[] = { INFINITY, 0.02385 };
    program p;
    for (size_t k = 0; k < 2 && must_find(command, 60.0, &p); k++) {
        descent_is_dp_gd(&p.algorithm, command, requests[k], radii[k]);
        drop(&p);
    }
}

/* --- each call ----------------------------------------------------------------------------------------------- */

static const char every_call[] =
    "import stillpoint\n"
    "def plus(w, c, v):\n"
    "    return [x + c * y for x, y in zip(w, v)]\n"
    "def run(o, p, w):\n"
    "    print('this is no frame')\n"
    "    assert o.n == 40 and o.d == 3 and o.epsilon == 3 and o.smooth and p['eta'] == 0.5\n"
    "    m = o.calibrate(dict(kind='gradient', sample='fresh', size=10, count=2, share=0.5),\n"
    "                    dict(kind='hessian', count=1, share=0.25), dict(kind='accumulated', count=3, share=0.25),\n"
    "                    dict(kind='selection', chooser='noisy_min', epsilon=0.1))\n"
    "    v = plus(o.start, 0.5, [1, 1, 1])\n"
    "    w = plus(w, 1, o.gradient(o.draw('fresh', 10), w, m[0], bound=0.75))\n"
    "    w = plus(w, 1, o.difference(o.draw('fresh', 10), w, v, m[0]))\n"
    "    every = o.draw()\n"
    "    h = o.hessian(every, v, m[1])\n"
    "    w = [((w[i] + h[3 * i]) + h[3 * i + 1]) + h[3 * i + 2] for i in range(3)]\n"
    "    a = o.accumulator()\n"
    "    o.add(a, 1, every, (1, w), (-0.5, v))\n"
    "    o.add(a, 0.875, every, (1, v))\n"
    "    w = plus(w, 1, o.release(a, 2 * m[2]))\n"
    "    o.restart(a)\n"
    "    o.add(a, 1, every, (1, w))\n"
    "    w = plus(w, 1, o.release(a, 2 * m[2]))\n"
    "    index, w = o.choose(every, v, points=[w, v, [0.5 * x for x in w]], chooser='noisy_min', epsilon=0.1)\n"
    "    w = plus(w, index, [0.25, 0.5, 1])\n"
    "    w = plus(w, 1, o.uniform(3))\n"
    "    try:\n"
    "        o.draw('fresh', 21)\n"
    "    except stillpoint.Refused as refused:\n"
    "        assert refused.status == 'SP_EDRAINED'\n"
    "        w = plus(w, 1, [1, 1, 1])\n"
    "    o.resolved('eta', 0.5)\n"
    "    o.warn('told')\n"
    "    o.candidate(w)\n"
    "    o.checkpoint(5, w)\n"
    "    return w\n"
    "stillpoint.serve(run)\n";

static sp_status in_c(sp_oracle *o, const sp_values *values, double *w)
{
    sp_status status = SP_OK;
    enum { THREE = 3 };
    const sp_release_plan plan[] = {
        { .kind = SP_GRADIENT, .sample = sp_fresh(10), .count = 2, .share = 0.5 },
        { .kind = SP_HESSIAN, .sample = sp_full(), .count = 1, .share = 0.25 },
        { .kind = SP_ACCUMULATED, .sample = sp_full(), .count = 3, .share = 0.25 },
        { .kind = SP_SELECTION, .sample = sp_full(), .chooser = SP_CHOOSE_NOISY_MIN, .epsilon = 0.1, .count = 1 },
    };
    static const double by[THREE] = { 0.25, 0.5, 1.0 };
    double m[4], v[THREE], g[THREE], h[THREE * THREE], points[3 * THREE];
    sp_batch batch, all;
    sp_accumulator *a = NULL;
    size_t index = 0;
    (void)values;
    SP_TRY(sp_calibrate(o, plan, 4, m));
    for (size_t j = 0; j < THREE; j++)
        v[j] = sp_start(o)[j] + 0.5;
    SP_TRY(sp_draw(o, sp_fresh(10), &batch));
    sp_query q = SP_AT(batch, w);
    q.bound = 0.75;
    SP_TRY(sp_gradient(o, &q, m[0], g));
    for (size_t j = 0; j < THREE; j++)
        w[j] += g[j];
    SP_TRY(sp_draw(o, sp_fresh(10), &batch));
    SP_TRY(sp_gradient(o, &SP_BETWEEN(batch, w, v), m[0], g));
    for (size_t j = 0; j < THREE; j++)
        w[j] += g[j];
    SP_TRY(sp_draw(o, sp_full(), &all));
    SP_TRY(sp_hessian(o, all, v, m[1], h));
    for (size_t i = 0; i < THREE; i++)
        for (size_t j = 0; j < THREE; j++)
            w[i] += h[THREE * i + j];
    SP_TRY(sp_accumulator_open(o, SP_NOISE_PLAIN, &(sp_accumulator_plan){ .keep = 1.0 }, &a));
    q = SP_BETWEEN(all, w, v);
    q.term[1].coefficient = -0.5;
    SP_TRY(sp_accumulator_add(a, 1.0, &q));
    SP_TRY(sp_accumulator_add(a, 0.875, &SP_AT(all, v)));
    SP_TRY(sp_accumulator_release(a, 2.0 * m[2], g));
    for (size_t j = 0; j < THREE; j++)
        w[j] += g[j];
    SP_TRY(sp_accumulator_restart(a));
    SP_TRY(sp_accumulator_add(a, 1.0, &SP_AT(all, w)));
    SP_TRY(sp_accumulator_release(a, 2.0 * m[2], g));
    for (size_t j = 0; j < THREE; j++) {
        w[j] += g[j];
        points[j] = w[j];
        points[THREE + j] = v[j];
        points[2 * THREE + j] = 0.5 * w[j];
    }
    const sp_space space = { .kind = SP_SPACE_LIST, .count = 3, .points = points };
    const sp_score score = { .kind = SP_SCORE_LOSS, .reference = v };
    SP_TRY(sp_choose(o, all, &space, &score, SP_CHOOSE_NOISY_MIN, 0.1, w, &index));
    for (size_t j = 0; j < THREE; j++)
        w[j] += (double)index * by[j];
    for (size_t j = 0; j < THREE; j++)
        w[j] = (w[j] + gsl_rng_uniform(sp_coins(o))) + 1.0;
    SP_TRY(sp_candidate(o, w));
    SP_TRY(sp_checkpoint(o, 5, w));
cleanup:
    return status;
}

static void count_candidate(trial_run *run, const double *w)
{
    (void)w;
    ++*(size_t *)run->context;
}

static void same_calls(void)
{
    const sp_algorithm c = { .name = "every", .run = in_c };
    program p;
    trial_problem t;
    size_t candidates = 0, others = 0;
    trial_run a = { .seed = 1, .candidate = count_candidate, .context = &candidates };
    trial_run b = { .seed = 1, .candidate = count_candidate, .context = &others };
    write_text("every.py", every_call);
    if (!must_find("python3 every.py", 60.0, &p) || !trial_make("pseudo_huber", 40, 3, INFINITY, false, &t))
        return;
    const sp_values v = trial_values(&p.algorithm, "eta=0.5"), none = trial_values(&c, "");
    trial_go(&p.algorithm, &v, &t, trial_private(3.0, 1e-6), &a);
    trial_go(&c, &none, &t, trial_private(3.0, 1e-6), &b);
    SP_CHECK_REPORT(a.status == SP_OK, "%s", a.message);
    SP_CHECK_REPORT(b.status == SP_OK, "%s", b.message);
    CHECK(memcmp(a.w, b.w, 3 * sizeof *a.w) == 0 && isfinite(a.w[0]) && a.w[0] != 0.0);
    CHECK_EQUAL(a.last_step, 5);
    CHECK_EQUAL(candidates, 1);
    CHECK_TEXT(a.warning, "told");
    CHECK(trial_resolved(&a, "eta") == 0.5);
    CHECK(a.spent.best == b.spent.best && a.spent.best > 0.0 && a.spent.best <= 3.0 * (1.0 + 1e-9));
    CHECK(memcmp(&a.cost, &b.cost, sizeof a.cost) == 0);
    trial_end(&a);
    trial_end(&b);
    trial_drop(&t);
    drop(&p);
}

/* --- programs that fail -------------------------------------------------------------------------------------- */

typedef struct broken {
    const char *text;
    double patience;
    sp_status status;
    const char *said, *line;
} broken;

static const broken programs[] = {
    { "print STDERR \"first\\nlast words\\n\\n\"; exit 3", 60, SP_ECRASH,
      "perl: it has ended before its answer (exit code 3)",
      "; its last line: last words" },
    { "die 'no reason'", 60, SP_ECRASH, "ended", "no reason at p.pl line 1." },
    { "exit 0", 60, SP_ECRASH, "it has ended before its answer (exit code 0)", "" },
    { "kill 'SEGV', $$; sleep 9", 60, SP_ECRASH, "it has ended before its answer (SIGSEGV)", "" },
    { "print STDERR 'thinking'; sleep 100", 2.385, SP_ELIMIT, "it has said nothing for 2.385 s (patience)",
      "thinking" },
    { "$SIG{TERM} = $SIG{HUP} = $SIG{INT} = 'IGNORE'; sleep 1 while 1", 0.3, SP_ELIMIT, "nothing for 0.3 s", "" },
    { "print 'x' x 64; $| = 1; sleep 100", 60, SP_EDATA, "it has sent no frame: code 2021161080", "" },
    { "close STDIN; close STDOUT; sleep 100", 60, SP_ECRASH, "it has ended before its answer", "" },
    { PERL_FRAMES "print STDERR 'hm'; call(99, '')", 60, SP_EDATA, "call 99 of 0 numbers: there is no such call",
      "hm" },
    { PERL_FRAMES "call(3, '', 0, 1, 0, 0, 1)", 60, SP_EDATA, "call 3 of 5 numbers: not so many are expected", "" },
    { PERL_FRAMES "call(2, '', 0.5, 0, 0)", 60, SP_EDATA, "call 2 of 3 numbers: a number is no whole one", "" },
    { PERL_FRAMES "call(2, '', 'nan', 0, 0)", 60, SP_EDATA, "a number is no whole one", "" },
    { PERL_FRAMES "call(8, '', 0, 1)", 60, SP_EDATA, "a number is no whole one, or out of its range", "" },
    { PERL_FRAMES "call(1, '', 0)", 60, SP_EDATA, "1 to 64 entries of 9 are expected", "" },
    { PERL_FRAMES "frame(0, '', 1)", 60, SP_EDATA, "call 0 of 1 numbers", "" },
    { PERL_FRAMES "call(3, '', 7, 1, 0, 0, @w)", 60, SP_EINVAL, "batch 7 is no longer valid", "" },
    { PERL_FRAMES "call(3, '', 0, 0, 0, 0, @w)", 60, SP_EPRIVACY, "noise_multiplier = 0", "" },
    { PERL_FRAMES "call(3, '', 0, 1e-9, 0, 0, @w)", 60, SP_EBUDGET, "above 0.024356 of privacy.epsilon = 1", "" },
    { PERL_FRAMES "call(16, 'et', 1)", 60, SP_EINVAL, "et is no parameter of this program", "" },
    { PERL_FRAMES "eval { call(3, '', 0, 0, 0, 0, @w) }; print STDERR 'gave up'; exit 2", 60, SP_EPRIVACY,
      "noise_multiplier = 0", "; its last line: gave up" },
    { "if (!fork) { setpgrp; sleep 100; exit } exit 4", 60, SP_ECRASH, "exit code 4", "" },
    { "print STDERR 'x' x 100, \"\\n\" for 1 .. 10000; print STDERR \"end\\n\"; exit 1", 60, SP_ECRASH, "exit code 1",
      "; its last line: end" },
};

static void nothing_is_left(void)
{
    struct sigaction action;
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    CHECK(sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
    CHECK(prctl(PR_GET_DUMPABLE) == 1);
}

static void broken_programs(const trial_problem *t)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        program p;
        trial_run run = { .seed = 1 };
        if (!in_perl(programs[i].text, programs[i].patience, &p))
            continue;
        const sp_values v = trial_values(&p.algorithm, "");
        const double begun = sp_now();
        trial_go(&p.algorithm, &v, t, trial_private(1.0, 1e-6), &run);
        SP_CHECK_REPORT(run.status == programs[i].status, "%s: %s (%s)", programs[i].text, sp_status_name(run.status),
                        run.message);
        CHECK_CONTAINS(run.message, programs[i].said);
        CHECK_CONTAINS(run.message, programs[i].line);
        SP_CHECK_REPORT(sp_now() - begun < 20.0, "%s: %g s", programs[i].text, sp_now() - begun);
        nothing_is_left();
        trial_end(&run);
        drop(&p);
    }
}

/* Calls with any numbers, of which most are as many as there should be: each ends in an answer, or in the run's
 * failure, and nothing beyond the budget is released. */
static void any_calls(const trial_problem *t)
{
    enum { RUNS = 200 };
    static const char text[] = PERL_FRAMES
        "srand $o{'p.steps'};\n"
        "my @some = (0, 1, 2, 3, 4, 10, 20, 0.5, -1, 1e-9, 1e9, 1e300, 'nan', 'inf');\n"
        "sub any { rand() < 0.95 ? $some[rand 2] : $some[rand @some] }\n"
        "my %count = (1 => 9, 2 => 3, 3 => 4 + 3, 4 => 4 + 6, 5 => 2 + 3, 6 => 4, 7 => 4 + 4, 8 => 2, 9 => 1, 10 => 10 "
        "+ 9,\n"
        "             11 => 1 + 3, 12 => 3, 13 => 1 + 6, 14 => 1, 15 => 0, 16 => 1, 17 => 0, 18 => 1);\n"
        "call(1, '', 0, 0, 0, 0, 5, 0, 0, 0, 0) if rand() < 0.5;\n"
        "for (1 .. 1 + rand 20) {\n"
        "  my $code = 1 + int(rand() < 0.98 ? rand 17 : rand 18); my $n = $count{$code};\n"
        "  $n = int rand 30 if rand() < 0.01;\n"
        "  eval { call($code, rand() < 0.5 ? 'eta' : '', map { any() } 1 .. $n) };\n"
        "}\n"
        "frame(0, '', 1, 2, 3);\n";
    program p;
    size_t whole = 0;
    if (!in_perl(text, 60.0, &p))
        return;
    for (int i = 1; i <= RUNS; i++) {
        char settings[32];
        trial_run run = { .seed = (uint64_t)i };
        snprintf(settings, sizeof settings, "steps=%d", i);
        const sp_values v = trial_values(&p.algorithm, settings);
        trial_go(&p.algorithm, &v, t, trial_private(1.0, 1e-6), &run);
        SP_CHECK_REPORT(run.status == SP_OK || run.status == SP_EDATA || run.status == SP_ENOMEM, "%d: %s (%s)", i,
                        sp_status_name(run.status), run.message);
        CHECK(run.settled == SP_OK && run.spent.best <= 1.0 + 1e-9);
        whole += run.status == SP_OK;
        trial_end(&run);
    }
    SP_CHECK_REPORT(whole > 0 && whole < RUNS, "%zu whole runs", whole);
    drop(&p);
    nothing_is_left();
}

/* --- what a program is handed, and what it leaves ------------------------------------------------------------- */

static void handed(const trial_problem *t)
{
    static const char text[] = PERL_FRAMES
        "opendir my $folder, '/proc/self/fd'; my @open = grep { /^\\d+$/ } readdir $folder;\n"
        "my $others = grep { $_ > 2 && $_ != fileno $folder } @open;\n"
        "my $named = grep { /DATA|SECRET|CACHE/ || $ENV{$_} =~ /records/ } grep { $_ ne 'HOME' } keys %ENV;\n"
        "my $looked = open(my $memory, '<', '/proc/' . getppid() . '/mem') && sysseek($memory, 4096, 0) ? 1 : 0;\n"
        "frame(0, '', $others, $named, $looked);\n";
    program p;
    trial_run run = { .seed = 1 };
    CHECK(setenv("A_SECRET", "records", 1) == 0);
    FILE *held = fopen("held", "w"); /* inherited over exec, were it not closed */
    if (!held || !in_perl(text, 60.0, &p))
        return;
    const sp_values v = trial_values(&p.algorithm, "");
    trial_go(&p.algorithm, &v, t, trial_private(1.0, 1e-6), &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s", run.message);
    CHECK_EQUAL(run.w[0], 0);
    CHECK_EQUAL(run.w[1], 0);
    CHECK(run.w[2] == 0.0 || geteuid() == 0); /* root may look into any process */
    CHECK_EQUAL(run.cost.releases, 0);
    fclose(held);
    trial_end(&run);
    drop(&p);
    nothing_is_left();
}

/* How many processes the file "pids" names, and how many of them are there. */
static size_t noted(size_t *there)
{
    size_t count = 0;
    long pid;
    FILE *file = fopen("pids", "r");
    *there = 0;
    while (file && fscanf(file, "%ld", &pid) == 1) {
        count++;
        *there += kill((pid_t)pid, 0) == 0 || errno != ESRCH;
    }
    if (file)
        fclose(file);
    return count;
}

#define PERL_NOTES                                                                                                 \
    "use POSIX (); open my $pids, '>>', 'pids' or die;\n"                                                          \
    "sub note { syswrite $pids, \"$$\\n\" }\n"                                                                     \
    "sub free { POSIX::setsid(); close STDIN; close STDOUT; close STDERR }\n"                                      \
    "sub wait_for { my $n = shift; while (1) { open my $f, '<', 'pids'; my @l = <$f>; last if @l >= $n;\n"         \
    "  select undef, undef, undef, 0.01 } }\n"

static const struct {
    const char *text; /* defines begin(), after which `count` processes have noted themselves */
    size_t count;
} leavers[] = {
    { "sub begin { if (!fork) { close STDIN; close STDOUT; close STDERR; note(); sleep 100; exit } }\n", 1 },
    { "sub begin { if (!fork) { free(); if (!fork) { free(); note(); sleep 100 } exit } }\n", 1 },
    { "sub begin { if (!fork) { free(); $SIG{$_} = 'IGNORE' for qw(TERM HUP INT QUIT PIPE); note(); sleep 100 while 1 "
      "} }\n",
      1 },
    { "sub tree { my $depth = shift; return if !$depth; for (1, 2) { if (!fork) { free(); tree($depth - 1); note();\n"
      "  sleep 100; exit } } }\n"
      "sub begin { tree(6) }\n",
      126 },
    { "sub begin { if (!fork) { for (1 .. 99) { free(); note(); exit if fork } note(); sleep 100; exit } }\n", 100 },
};

/* No process that the program started and left behind outlives its run. */
static void no_descendant(const trial_problem *t)
{
    for (size_t i = 0; i < sizeof leavers / sizeof *leavers; i++) {
        char text[4096];
        program p;
        size_t there;
        trial_run run = { .seed = 1 };
        snprintf(text, sizeof text, "%s%s%sbegin(); wait_for(%zu); frame(0, '', 0, 0, 0);\n", PERL_FRAMES, PERL_NOTES,
                 leavers[i].text, leavers[i].count);
        unlink("pids");
        if (!in_perl(text, 60.0, &p))
            continue;
        const sp_values v = trial_values(&p.algorithm, "");
        trial_go(&p.algorithm, &v, t, trial_private(1.0, 1e-6), &run);
        SP_CHECK_REPORT(run.status == SP_OK, "%zu: %s", i, run.message);
        CHECK_EQUAL(noted(&there), leavers[i].count);
        SP_CHECK_REPORT(there == 0, "%zu: %zu processes are there", i, there);
        nothing_is_left();
        trial_end(&run);
        drop(&p);
    }
}

/* Nor the process that holds the run, which is killed, as at a time limit. */
static void no_descendant_of_a_killed_run(const trial_problem *t)
{
    static const char text[] = PERL_FRAMES PERL_NOTES
        "note(); if (!fork) { free(); note(); sleep 100; exit } sleep 100;\n";
    program p;
    size_t there = 0;
    unlink("pids");
    if (!in_perl(text, 60.0, &p))
        return;
    const pid_t holder = fork();
    if (holder == 0) {
        trial_run run = { .seed = 1 };
        const sp_values v = trial_values(&p.algorithm, "");
        trial_go(&p.algorithm, &v, t, trial_private(1.0, 1e-6), &run);
        _exit(0);
    }
    for (int i = 0; i < 6000 && noted(&there) < 2; i++)
        usleep(10000);
    CHECK_EQUAL(there, 2);
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
    for (int i = 0; i < 6000 && there > 0; i++, noted(&there))
        usleep(10000);
    CHECK_EQUAL(there, 0);
    drop(&p);
}

/* --- what a program is made of ------------------------------------------------------------------------------- */

static void contents(void)
{
    static const struct { const char *command, *files, *path, *text; bool changes; } made[] = {
        { "perl p.pl x", "", "p.pl", "one", false },     { "perl p.pl x", "", "p.pl", "two", true },
        { "perl p.pl y", "", "p.pl", "one", true },      { "perl p.pl x", "other", "p.pl", "one", true },
        { "perl p.pl x", "", "unnamed", "new", false },  { "perl \"p.pl\" x", "", "p.pl", "one", true },
    };
    program p;
    char first[SP_HASH_HEX] = "";
    write_text("other", "1");
    write_text("p.pl", "one");
    CHECK_EQUAL(find("perl p.pl x", "", 60.0, &p), SP_OK);
    snprintf(first, sizeof first, "%s", p.algorithm.foreign->content);
    CHECK(p.algorithm.foreign->apart);
    drop(&p);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        write_text("p.pl", "one");
        write_text(made[i].path, made[i].text);
        CHECK_EQUAL(find(made[i].command, made[i].files, 60.0, &p), SP_OK);
        SP_CHECK_REPORT((strcmp(first, p.algorithm.foreign->content) != 0) == made[i].changes, "%zu", i);
        drop(&p);
    }
    char before[SP_HASH_HEX] = "";
    CHECK_EQUAL(find("perl p.pl", "other", 60.0, &p), SP_OK);
    snprintf(before, sizeof before, "%s", p.algorithm.foreign->content);
    drop(&p);
    write_text("other", "2");
    CHECK_EQUAL(find("perl p.pl", "other", 60.0, &p), SP_OK);
    CHECK(strcmp(before, p.algorithm.foreign->content) != 0);
    drop(&p);
}

static void refused(void)
{
    static const struct { const char *command, *files; sp_status status; const char *said, *environment; } bad[] = {
        { "no_such_program x", "", SP_EINVAL, "here.command: there is no program no_such_program on the PATH" },
        { "./p.pl", "", SP_EINVAL, "here.command: ./p.pl is no file that can be run" },
        { "", "", SP_EINVAL, "here.command: names no program" },
        { "perl \"p.pl", "", SP_EINVAL, "here.command: a quote is not closed" },
        { "perl p.pl", "nowhere", SP_EIO, "here.files: nowhere: " },
        { "perl p.pl", "", SP_EINVAL, "here.environment: \"A=1\" is no name: the value is the one", "MINE A=1" },
        { "perl p.pl", "", SP_EINVAL, "here.environment: \"MY-OWN\" is no name of a variable", "MY-OWN" },
        { "perl p.pl", "", SP_EINVAL, "here.environment: \"1ST\" is no name of a variable", "1ST" },
        { "perl p.pl", "", SP_EINVAL, "here.environment: \"\" is no name of a variable", "MINE \"\"" },
        { "perl p.pl", "", SP_EINVAL, "here.environment: \"STILLPOINT_DATA\" is stillpoint's own", "STILLPOINT_DATA" },
        { "perl p.pl", "", SP_EINVAL, "here.environment: \"MINE\" stands there twice", "MINE OTHER MINE" },
        { "perl p.pl", "", SP_EINVAL, "here.environment: a quote is not closed", "\"MINE" },
    };
    program p;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *environment = bad[i].environment ? bad[i].environment : "";
        CHECK_EQUAL(find_with(bad[i].command, bad[i].files, environment, 60.0, &p), bad[i].status);
        CHECK_CONTAINS(p.error.text, bad[i].said);
        drop(&p);
    }
}

/* --- the environment ----------------------------------------------------------------------------------------- */

/* What a program that declares `declared` finds there, a variable a line, sorted. */
static void find_environment(const trial_problem *t, const char *declared, const char *expected)
{
    static const char text[] = PERL_FRAMES
        "open my $out, '>', 'environment' or die; print $out map { \"$_=$ENV{$_}\\n\" } sort keys %ENV; close $out;\n"
        "frame(0, '', @w);\n";
    char found[4096] = "";
    program p;
    trial_run run = { .seed = 1 };
    write_text("p.pl", text);
    CHECK_EQUAL(find_with("perl p.pl", "", declared, 60.0, &p), SP_OK);
    const sp_values v = trial_values(&p.algorithm, "");
    trial_go(&p.algorithm, &v, t, trial_private(1.0, 1e-6), &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s", run.message);
    FILE *file = fopen("environment", "r");
    CHECK(file && fread(found, 1, sizeof found - 1, file) > 0);
    CHECK_TEXT(found, expected);
    if (file)
        fclose(file);
    trial_end(&run);
    drop(&p);
}

#define FIRST "LANG=C\nOMP_NUM_THREADS=1\nOPENBLAS_CORETYPE=Haswell\nOPENBLAS_NUM_THREADS=1\n"
#define PYTHON "PYTHONDONTWRITEBYTECODE=1\nPYTHONHASHSEED=0\nPYTHONNOUSERSITE=1\n"

static void environment(const trial_problem *t)
{
    static const char *const names[] = { "LANG",
                                         "LC_ALL",
                                         "HOME",
                                         "LD_LIBRARY_PATH",
                                         "PERL5LIB",
                                         "PYTHONPATH",
                                         "TZ",
                                         "TMPDIR",
                                         "OPENBLAS_CORETYPE",
                                         "GLIBC_TUNABLES",
                                         "OMP_NUM_THREADS",
                                         "MINE",
                                         "EMPTY" };
    enum { NAMES = sizeof names / sizeof *names };
    const char *clients = getenv("STILLPOINT_CLIENTS");
    char *before[NAMES], *folder = strdup(clients ? clients : "");
    for (size_t i = 0; i < NAMES; i++)
        before[i] = getenv(names[i]) ? strdup(getenv(names[i])) : NULL;
    setenv("LANG", "de_AT.UTF-8", 1);
    setenv("LC_ALL", "de_AT.UTF-8", 1);
    setenv("HOME", "/home/mine", 1);
    setenv("PERL5LIB", "/mine", 1);
    setenv("PYTHONPATH", "/mine", 1);
    setenv("TZ", "Mine", 1);
    setenv("TMPDIR", "/mine", 1);
    setenv("OPENBLAS_CORETYPE", "Haswell", 1);
    unsetenv("GLIBC_TUNABLES");
    unsetenv("LD_LIBRARY_PATH");
    setenv("OMP_NUM_THREADS", "7", 1);
    setenv("MINE", "a = b", 1);
    setenv("EMPTY", "", 1);
    unsetenv("STILLPOINT_CLIENTS");
    find_environment(t, "", FIRST "PATH=/usr/local/bin:/usr/bin:/bin\n" PYTHON "TMPDIR=/mine\nTZ=UTC\n");
    find_environment(t, "MINE LC_ALL OMP_NUM_THREADS PYTHONPATH EMPTY LD_LIBRARY_PATH TMPDIR",
                     "EMPTY=\nLANG=C\nLC_ALL=de_AT.UTF-8\nMINE=a = b\nOMP_NUM_THREADS=7\nOPENBLAS_CORETYPE=Haswell\n"
                     "OPENBLAS_NUM_THREADS=1\nPATH=/usr/local/bin:/usr/bin:/bin\n"
                     "PYTHONDONTWRITEBYTECODE=1\nPYTHONHASHSEED=0\nPYTHONNOUSERSITE=1\nPYTHONPATH=/mine\nTMPDIR=/mine\n"
                     "TZ=UTC\n");
    setenv("STILLPOINT_CLIENTS", "/clients", 1);
    unsetenv("TMPDIR");
    find_environment(t, "", FIRST "PATH=/usr/local/bin:/usr/bin:/bin\n" PYTHON "PYTHONPATH=/clients\nTZ=UTC\n");
    char expected[8192];
    snprintf(expected, sizeof expected, FIRST "PATH=%s\n" PYTHON "PYTHONPATH=/clients:/mine\nTZ=Mine\n",
             getenv("PATH"));
    find_environment(t, "PYTHONPATH TZ PATH OPENBLAS_CORETYPE", expected);
    for (size_t i = 0; i < NAMES; i++) {
        if (before[i])
            setenv(names[i], before[i], 1);
        else
            unsetenv(names[i]);
        free(before[i]);
    }
    setenv("STILLPOINT_CLIENTS", folder, 1);
    free(folder);
}

/* Which values are in the key: of each row `name` is set to `value` where `declared` is given. */
static void environment_in_the_key(void)
{
    static const struct { const char *declared, *name, *value; bool changes; } made[] = {
        { "MINE", "MINE", "one", false },       { "MINE", "MINE", "two", true },    { "MINE", "MINE", "", true },
        { "MINE", "MINE", NULL, true },         { "MINE", "OTHER", "x", false },
             { "MINE", "LC_ALL", "de_AT", false },
        { "MINE", "TMPDIR", "/mine", false },   { "MINE", "PYTHONPATH", "/mine", false },
        { "MINE", "OPENBLAS_CORETYPE", "Zen", true }, { "MINE", "GLIBC_TUNABLES", "glibc.cpu.hwcaps=-FMA", true },
        { "MINE OTHER", "MINE", "one", true },  { "", "MINE", "one", true },
    };
    static const char *const alone[] = { "PYTHONPATH", "TMPDIR", "LC_ALL", "PATH" };
    char first[SP_HASH_HEX] = "", *old_path = strdup(getenv("PATH"));
    program p;
    write_text("p.pl", "one");
    setenv("MINE", "one", 1);
    CHECK_EQUAL(find_with("perl p.pl", "", "MINE", 60.0, &p), SP_OK);
    snprintf(first, sizeof first, "%s", p.algorithm.foreign->content);
    drop(&p);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        char *before = getenv(made[i].name) ? strdup(getenv(made[i].name)) : NULL;
        if (made[i].value)
            setenv(made[i].name, made[i].value, 1);
        else
            unsetenv(made[i].name);
        CHECK_EQUAL(find_with("perl p.pl", "", made[i].declared, 60.0, &p), SP_OK);
        SP_CHECK_REPORT((strcmp(first, p.algorithm.foreign->content) != 0) == made[i].changes, "%s of \"%s\": %s",
                        made[i].name, made[i].declared, made[i].value ? made[i].value : "not set");
        drop(&p);
        if (before)
            setenv(made[i].name, before, 1);
        else
            unsetenv(made[i].name);
        free(before);
    }
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) { /* those that have a place of their own */
        char content[2][SP_HASH_HEX], value[4096];
        for (int k = 0; k < 2; k++) {
            snprintf(value, sizeof value, "%s:/%d", old_path, k);
            setenv(alone[i], value, 1);
            CHECK_EQUAL(find_with("perl p.pl", "", alone[i], 60.0, &p), SP_OK);
            snprintf(content[k], SP_HASH_HEX, "%s", p.algorithm.foreign->content);
            drop(&p);
        }
        SP_CHECK_REPORT(strcmp(content[0], content[1]) != 0, "%s", alone[i]);
        unsetenv(alone[i]);
        setenv("PATH", old_path, 1);
    }
    free(old_path);
    unsetenv("MINE");
}

/* The same interpreter in another folder finds other packages: where it was found counts. */
static void place_of_the_program(void)
{
    char search[6144], content[2][SP_HASH_HEX], *before = strdup(getenv("PATH"));
    CHECK(mkdir("one", 0755) == 0 && mkdir("two", 0755) == 0);
    for (int k = 0; k < 2; k++) {
        program p;
        char file[64], folder[4096];
        snprintf(file, sizeof file, "%s/interpreter", k == 0 ? "one" : "two");
        write_text(file, "#!/bin/sh\n");
        CHECK_EQUAL(chmod(file, 0755), 0);
        CHECK(getcwd(folder, 2048) != NULL);
        snprintf(search, sizeof search, "%.2048s/%s:%.1500s", folder, k == 0 ? "one" : "two", before);
        setenv("PATH", search, 1);
        CHECK_EQUAL(find("interpreter x", "", 60.0, &p), SP_OK);
        snprintf(content[k], SP_HASH_HEX, "%s", p.algorithm.foreign->content);
        drop(&p);
    }
    CHECK(strcmp(content[0], content[1]) != 0);
    setenv("PATH", before, 1);
    free(before);
}

/* What runs a script counts: by its path, or by env, which looks on the PATH that the program gets. */
static void scripts(void)
{
    enum { KINDS = 4 };
    char folder[2048], search[2100], *before = strdup(getenv("PATH"));
    CHECK(getcwd(folder, sizeof folder) != NULL && mkdir("runs", 0755) == 0);
    snprintf(search, sizeof search, "%s/runs", folder);
    for (int kind = 0; kind < KINDS; kind++) {
        char line[4][2200], content[3][SP_HASH_HEX];
        program p;
        snprintf(line[0], sizeof line[0], "#!%s/runs/it -w\n", folder);
        snprintf(line[1], sizeof line[1], "#! /usr/bin/env it\n");
        snprintf(line[2], sizeof line[2], "#!/usr/bin/env -S A=1 it -w\n");
        snprintf(line[3], sizeof line[3], "#!%s/runs/between\n", folder); /* itself a script that `it` runs */
        write_text("runs/between", line[0]);
        write_text("mine", line[kind]);
        CHECK(chmod("mine", 0755) == 0 && chmod("runs/between", 0755) == 0);
        for (int k = 0; k < 3; k++) {
            write_text("runs/it", k == 1 ? "two" : "one");
            CHECK_EQUAL(chmod("runs/it", 0755), 0);
            setenv("PATH", search, 1);
            CHECK_EQUAL(find_with("./mine", "", "PATH", 60.0, &p), SP_OK);
            snprintf(content[k], SP_HASH_HEX, "%s", p.algorithm.foreign->content);
            setenv("PATH", before, 1);
            drop(&p);
        }
        CHECK(strcmp(content[0], content[1]) != 0);
        CHECK_TEXT(content[0], content[2]);
    }
    static const char *const odd[] = { "#!",
                                       "#!\n",
                                       "#! \n",
                                       "#!/usr/bin/env\n",
                                       "#!/usr/bin/env -S\n",
                                       "#!/no/such/one\n",
                                       "#!it\n",
                                       "",
                                       "#",
                                       "#!/usr/bin/env no_such_one\n" };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        program p;
        write_text("mine", odd[i]);
        CHECK_EQUAL(find("./mine", "", 60.0, &p), SP_OK);
        drop(&p);
    }
    free(before);
}

/* A run is made by what the plan has seen. */
static void changed_files(const trial_problem *t)
{
    static const char whole[] = PERL_FRAMES "frame(0, '', 1, 2, 3);\n",
                      other[] = PERL_FRAMES "frame(0, '', 1, 2, 4);\n";
    static const struct { const char *text; sp_status status; const char *said; } now[] = {
        { whole, SP_OK, "" }, { other, SP_EHASH, "p.pl has changed since the plan was made: run again" },
        { NULL, SP_EIO, "p.pl" }, { whole, SP_OK, "" },
    };
    program p;
    if (!in_perl(whole, 60.0, &p))
        return;
    for (size_t i = 0; i < sizeof now / sizeof *now; i++) {
        trial_run run = { .seed = 1 };
        const sp_values v = trial_values(&p.algorithm, "");
        CHECK(remove("p.pl") == 0 || i == 3);
        if (now[i].text)
            write_text("p.pl", now[i].text);
        trial_go(&p.algorithm, &v, t, trial_private(1.0, 1e-6), &run);
        SP_CHECK_REPORT(run.status == now[i].status, "%zu: %s", i, run.message);
        CHECK_CONTAINS(run.message, now[i].said);
        CHECK(run.status != SP_OK || run.w[2] == 3.0);
        trial_end(&run);
    }
    drop(&p);
}

/* A word comes through as it is. */
static void words(const trial_problem *t)
{
    static const char *const word[] = { "two words", "a \"quote\"", "back\\slash", "", "plain" };
    program p;
    trial_run run = { .seed = 1 };
    sp_arena arena = { 0 };
    char command[512] = "perl words.pl";
    write_text("words.pl", PERL_FRAMES "die join('|', @ARGV) . \"\\n\" unless join('|', @ARGV) eq "
                           "'two words|a \"quote\"|back\\\\slash||plain'; frame(0, '', 1, 2, 3)");
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        strcat(command, " ");
        strcat(command, sp_external_word(&arena, word[i]));
    }
    if (must_find(command, 60.0, &p)) {
        const sp_values v = trial_values(&p.algorithm, "");
        trial_go(&p.algorithm, &v, t, trial_private(1.0, 1e-6), &run);
        SP_CHECK_REPORT(run.status == SP_OK && run.w[2] == 3.0, "%s", run.message);
        trial_end(&run);
        drop(&p);
    }
    sp_arena_free(&arena);
}

int main(void)
{
    char folder[64], clients[4096];
    trial_problem t;
    snprintf(clients, sizeof clients, "%s/clients", getenv("SOURCE") ? getenv("SOURCE") : ".");
    if (setenv("STILLPOINT_CLIENTS", clients, 1) != 0 || enter_folder(folder) != 0)
        return 1;
    write_text("descent.py", descent_py);
    write_text("descent.pl", descent_pl);
    same_iterates("python3 descent.py");
    same_iterates("/usr/bin/python3 descent.py");
    same_iterates("perl descent.pl");
    same_calls();
    if (trial_make("pseudo_huber", 40, 3, INFINITY, false, &t)) {
        broken_programs(&t);
        any_calls(&t);
        handed(&t);
        no_descendant(&t);
        no_descendant_of_a_killed_run(&t);
        words(&t);
        changed_files(&t);
        environment(&t);
        trial_drop(&t);
    }
    contents();
    environment_in_the_key();
    place_of_the_program();
    scripts();
    refused();
    leave_folder(folder);
    return sp_check_done();
}
