/* allocation.c -- verbs while the k-th allocation fails, for every k, the C library's own included: they end with the
 * right answer, or with a message and another exit code, never by a signal and never with half an answer; what they
 * write is whole, and the next run mends what is missing.
 *
 * Verbs that do much allocate some ten thousand times: of those MOST values of k are taken, evenly, and all of them by
 * hand with `test_fault_allocation all [VERB [PART/PARTS]]`, in an hour or two; of PARTS processes each takes every
 * PARTS-th k. */
#include "core/numeric/blas.h"
#include "core/base/memory.h"
#include "core/cli/verbs/verbs.h"
#include "tests/check.h"
#include "tests/experiment.h"

#include <errno.h>
#include <gsl/gsl_errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__
int main(void)
{
    puts("skipped: the sanitizer has allocation for itself");
    return 0;
}
#else
#include "tests/faults.h"

/* --- verbs ----------------------------------------------------------------------------------------------------- */

enum { WORDS = 10 };

typedef struct outcome {
    int status; /* of waitpid */
    char *out, *err;
} outcome;

static char *contents(FILE *file)
{
    char *text = calloc(1, 1 << 20);
    rewind(file);
    text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* In a child of its own; the k-th allocation fails, with `all` every one from there on; k = 0: none. */
static outcome call(const sp_verb *verb, const char *const *words, size_t k, bool all, size_t *count)
{
    FILE *out = tmpfile(), *err = tmpfile();
    outcome o = { 0 };
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        char *argv[WORDS] = { NULL };
        int argc = 0;
        for (; words[argc]; argc++)
            argv[argc] = sp_copy_text(words[argc]);
        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(err), STDERR_FILENO);
        *count = 0;
        failing = k;
        all_after = all;
        counted = count;
        const int code = verb->run(argc, argv);
        counted = NULL;
        fflush(stdout);
        _exit(code);
    }
    CHECK(child > 0 && waitpid(child, &o.status, 0) == child);
    o.out = contents(out);
    o.err = contents(err);
    return o;
}

static void free_outcome(outcome *o)
{
    free(o->out);
    free(o->err);
}

static void check_verb(const sp_verb *verb, const char *const *words, size_t *count)
{
    outcome right = call(verb, words, 0, false, count);
    CHECK(WIFEXITED(right.status) && (*right.out != '\0' || *right.err != '\0'));
    const size_t allocations = *count;
    size_t survived = 0;
    for (size_t k = 1; k <= allocations + 1; k++)
        for (int all = 0; all < 2; all++) {
            outcome o = call(verb, words, k, all, count);
            const bool ended = WIFEXITED(o.status), same = ended && o.status == right.status;
            const bool answered = same && strcmp(o.out, right.out) == 0 && strcmp(o.err, right.err) == 0;
            const bool good = answered || (ended && *o.err != '\0' && WEXITSTATUS(o.status) != 0);
            if (!good)
                printf("%s %s: allocation %zu of %zu%s: status %#x, says: %s\n", words[0], words[1] ? words[1] : "", k,
                       allocations, all ? " and all behind it" : "", (unsigned)o.status, o.err);
            CHECK(good);
            survived += answered;
            free_outcome(&o);
        }
    CHECK(survived >= 2); /* where nothing fails any more */
    printf("%s %s: %zu allocations\n", words[0], words[1] ? words[1] : "", allocations);
    free_outcome(&right);
}

/* --- verbs on an experiment ------------------------------------------------------------------------------------ */

enum { MOST = 20 };

/* Which values of k: all of them, or some; and of those every `parts`-th, from the `part`-th on. */
typedef struct share {
    bool every;
    size_t part, parts;
} share;

static const char experiment[] =
    "algorithm{ name = 'mine', params = { steps = 3 }, fits = function (c) end, run = function (o, p, w)\n"
    "  local m, all = o:calibrate{ { count = p.steps } }, o:draw()\n"
    "  for t = 1, p.steps do w:add(-0.5, o:gradient(all, w, m[1])) o:checkpoint(t, w) end end }\n"
    "return { seed = 3, privacy = { epsilon = 1, delta = 1e-6 }, measures = { 'grad_norm', 'excess_risk' },\n"
    "  sweeps = {\n"
    "    made = { problem = { loss = 'pseudo_huber', data = 'signs', n = { 20, 40, 80 }, d = 2 },\n"
    "             algorithms = { { 'dp_gd', steps = 3, label = 'x' }, { 'gd', tune = { steps = { 2, 3 } } },\n"
    "                            { 'mine' }, { 'external', command = { 'perl', 'mine.pl' }, privacy = 'none' } },\n"
    "             claims = { { algorithm = 'x', y = 'grad_norm', x = 'n', exponent = -1, mode = 'theory' } },\n"
    "             figures = { { name = 'f', kind = 'rate', x = 'n', y = 'grad_norm' } } },\n"
    "    own = { problem = { loss = 'logistic', data = { file = 'own.csv', format = 'csv' },\n"
    "            domain = { 'l2_ball', radius = 2 } }, algorithms = { { 'dp_sgd' } } } } }\n";

static const char *const tables[] = { "cells.tsv", "runs.tsv", "traces.tsv", "summary.tsv", "fits.tsv", "audits.tsv" };
enum { TABLES = sizeof tables / sizeof *tables, AUDITS = TABLES - 1 /* which "work" does not have */ };

static char *table_text(const char *root, size_t i)
{
    char path[256];
    snprintf(path, sizeof path, "%s/results/e/%s", root, tables[i]);
    FILE *file = fopen(path, "rb");
    return file ? contents(file) : NULL;
}

/* The files in `root` are those of the undisturbed run, a copy of which is in "kept"; without `all`, those that are
 * there. */
static bool same_tables(const char *root, bool all)
{
    bool same = true;
    for (size_t i = 0; i < TABLES; i++) {
        char *right = table_text("kept", i), *text = table_text(root, i);
        same = same && right && (text ? strcmp(text, right) == 0 : !all || (i == AUDITS && strcmp(root, "work") == 0));
        free(right);
        free(text);
    }
    return same;
}

/* Behind the number of seconds, "0.01 s", that begins here, if one does. */
static const char *behind_seconds(const char *text)
{
    const size_t digits = strspn(text, "0123456789.e-");
    return digits > 0 && strncmp(text + digits, " s", 2) == 0 && strchr(" \n", text[digits + 2]) ? text + digits : text;
}

/* But for seconds. */
static bool same_text(const char *a, const char *b)
{
    for (;; a++, b++) {
        a = behind_seconds(a);
        b = behind_seconds(b);
        if (*a != *b || !*a)
            return *a == *b;
    }
}

static void remove_folder(const char *folder)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK_EQUAL(system(command), 0);
}

/* Where a call starts: in "right", which has everything and keeps it; from nothing, in "work"; in "right" without its
 * audits. */
typedef enum { COMPLETE, FROM_NOTHING, UNAUDITED } start;

static void prepare(start from)
{
    sqlite3 *db = NULL;
    remove_folder("cache");
    if (from == FROM_NOTHING)
        remove_folder("work");
    if (from != UNAUDITED)
        return;
    CHECK_EQUAL(sqlite3_open("right/results/e/store.sqlite", &db), SQLITE_OK);
    CHECK_EQUAL(sqlite3_exec(db, "DELETE FROM audits", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    CHECK(unlink("right/results/e/audits.tsv") == 0 || errno == ENOENT);
}

/* What a call leaves that did not succeed is mended by `run`, or, where everything is there, by the same call again. */
static void check_sampled(const sp_verb *verb, const char *const *words, start from, share of, size_t *count)
{
    const char *const root = from == FROM_NOTHING ? "work" : "right";
    size_t ignored, failed = 0, calls = 0;
    prepare(from);
    outcome right = call(verb, words, 0, false, count);
    const size_t allocations = *count, step = of.every && from != UNAUDITED ? 1 : allocations / MOST + 1;
    CHECK(WIFEXITED(right.status));
    for (size_t k = 1 + (of.part - 1) * step; k <= allocations; k += of.parts * step)
        for (int all = 0; all < 2; all++) {
            prepare(from);
            outcome o = call(verb, words, k, all, count);
            const bool ended = WIFEXITED(o.status);
            const bool success = ended && o.status == right.status && strcmp(o.err, right.err) == 0;
            bool good = success ? same_text(o.out, right.out)
                                : ended && *o.err != '\0' && WEXITSTATUS(o.status) != 0;
            good = good && ((!success && from != COMPLETE) || same_tables(root, true));
            if (!success && from != COMPLETE) {
                outcome next = call(&sp_verb_run, words, 0, false, &ignored);
                good = good && next.status == 0 && same_tables(root, true);
                free_outcome(&next);
            }
            if (!good)
                printf("%s: allocation %zu of %zu%s: status %#x, says: %s%s\n", words[0], k, allocations,
                       all ? " and all behind it" : "", (unsigned)o.status, o.err, o.out);
            CHECK(good);
            failed += !success;
            calls++;
            free_outcome(&o);
        }
    printf("%s: %zu allocations, %zu of %zu calls failed\n", words[0], allocations, failed, calls);
    fflush(stdout);
    CHECK(failed > 0);
    outcome again = call(verb, words, 0, false, &ignored);
    CHECK_EQUAL(again.status, right.status);
    CHECK(same_text(again.out, right.out));
    CHECK_TEXT(again.err, right.err);
    free_outcome(&again);
    free_outcome(&right);
}

/* Only of one verb unless it is NULL. */
static void check_experiment(share of, const char *only, size_t *count)
{
    static const char *const make[] = { "run", "e.lua", "--quiet", "--root=right", NULL };
    const struct { const sp_verb *verb; const char *words[WORDS]; start from; } calls[] = {
        { &sp_verb_run, { "run", "e.lua", "--quiet", "--no-plot", "--retry-failed", "-j1", "--no-audit",
          "--root=work" },
          FROM_NOTHING },
        { &sp_verb_run, { "run", "e.lua", "--quiet", "--no-plot", "--root=right" }, COMPLETE },
        { &sp_verb_run, { "run", "e.lua", "--quiet", "--no-plot", "-j1", "--root=right" }, UNAUDITED },
        { &sp_verb_plan, { "plan", "e.lua", "--plain", "--root=right" }, COMPLETE },
        { &sp_verb_status, { "status", "e.lua", "--plain", "--root=right" }, COMPLETE },
        { &sp_verb_export, { "export", "e.lua", "--root=right" }, COMPLETE },
        { &sp_verb_plot, { "plot", "e.lua", "--root=right" }, COMPLETE },
        { &sp_verb_account_runs, { "account", "e.lua", "--root=right" }, COMPLETE },
        { &sp_verb_check, { "check", "e", "--root=right" }, COMPLETE },
        { &sp_verb_run_rerun, { "run", "e.lua", "", "--root=right" }, COMPLETE },
        { &sp_verb_list_cite, { "list", "e.lua" }, COMPLETE },
        { &sp_verb_audit, { "audit", "logistic" }, COMPLETE },
        { &sp_verb_audit, { "audit", "gd" }, COMPLETE },
        { &sp_verb_data, { "data", "list" }, COMPLETE },
        { &sp_verb_data, { "data", "info", "words.csv", "positive=yes", "missing=category", "scale=a:0:2" }, COMPLETE },
    };
    char folder[64], run[16] = "";
    size_t ignored;
    CHECK_EQUAL(enter_folder(folder), 0);
    setenv("STILLPOINT_CACHE", "cache", 1);
    write_text("e.lua", experiment);
    write_text("words.csv", "a,b,y\n1,\"u \"\"v\"\"\",no\n0.5,w,yes\n2,,no\n1,w,yes\n");
    write_text("mine.pl",
               "binmode STDIN; binmode STDOUT; read STDIN, my $head, 16; my ($c, $l, $n) = unpack 'VVQ<', $head;"
               "read STDIN, my $x, 8 * $n; read STDIN, my $t, $l; print pack 'VVQ<d<2', 0, 0, 2, 0.25, 0.5");
    write_text("own.csv", "1,2,0\n0.5,1,1\n2,0,0\n1,1,1\n");
    outcome made = call(&sp_verb_run, make, 0, false, &ignored);
    printf("%s", made.err);
    CHECK_EQUAL(made.status, 0);
    free_outcome(&made);
    CHECK_EQUAL(system("cp -r right kept"), 0);
    char *runs = table_text("right", 1);
    CHECK(runs && sscanf(strchr(runs, '\n'), "%12s", run) == 1);
    free(runs);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const char *words[WORDS];
        for (size_t w = 0; w < WORDS; w++)
            words[w] = calls[i].words[w] && !*calls[i].words[w] ? run : calls[i].words[w];
        if (!only || strcmp(only, words[0]) == 0)
            check_sampled(calls[i].verb, words, calls[i].from, of, count);
    }
    leave_folder(folder);
}

int main(int argc, char **argv)
{
    share of = { .every = argc > 1 && strcmp(argv[1], "all") == 0, .part = 1, .parts = 1 };
    gsl_set_error_handler_off(); /* as main.c does */
    CHECK_EQUAL(sp_blas_prepare(NULL), SP_OK);
    const char *source = getenv("SOURCE");
    const struct { const sp_verb *verb; const char *words[8]; } calls[] = {
        { &sp_verb_run, { "run" } }, { &sp_verb_run, { "run", "--jobs", "0", "x.lua" } },
        { &sp_verb_run, { "run", "--help" } },
        { &sp_verb_run, { "run", "missing.lua" } }, { &sp_verb_plan, { "plan", "--help" } },
        { &sp_verb_new, { "new", "loss", "logistic" } }, { &sp_verb_new, { "new", "loss", "no.name" } },
        { &sp_verb_plan, { "plan", "missing.lua" } }, { &sp_verb_status, { "status", "missing.lua", "--scale=smoke" } },
        { &sp_verb_plot, { "plot", "missing.lua" } }, { &sp_verb_export, { "export", "missing.lua", "-q" } },
        { &sp_verb_run_rerun, { "run", "missing.lua", "a" } }, { &sp_verb_account_runs, { "account", "missing.lua" } },
        { &sp_verb_list, { "list", "losses", "--plain" } },
        { &sp_verb_list, { "list", "logistic" } }, { &sp_verb_list, { "list", "nothing" } },
        { &sp_verb_data, { "data", "info", "nothing" } }, { &sp_verb_audit, { "audit", "logistc" } },
        { &sp_verb_audit, { "audit", "nothing" } },
        { &sp_verb_account_epsilon, { "account", "gauss:noise_multiplier=4", "--delta", "1e-6" } },
        { &sp_verb_account_delta, { "account", "gauss:noise_multiplier=4", "--epsilon", "1" } },
        { &sp_verb_account_calibrate, { "account", "gauss:noise_multiplier=4", "-e1", "-d1e-6", "--plain" } },
        { &sp_verb_check, { "check", "nothing" } }, { &sp_verb_compare, { "compare", "nothing", "gd" } },
        { &sp_verb_check, { "check", "quickstart", "--root", source } },
        { &sp_verb_compare, { "compare", "escape_lemma", "kick", "--measure=sosp_level", "--root", source } },
        { &sp_verb_compare,
          { "compare", "escape_lemma", "kick", "--measure=sosp_level", "--plain", "--root", source } },
        { &sp_verb_compare,
          { "compare", "ijcnn1", "gd", "dp_gd", "--measure=accuracy", "--worst=loss", "--root", source } },
    };
    size_t *count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!source || count == MAP_FAILED)
        return 1;
    if (argc > 3 && (sscanf(argv[3], "%zu/%zu", &of.part, &of.parts) != 2 || of.part < 1 || of.part > of.parts)) {
        printf("%s: must be PART/PARTS, such as 1/4\n", argv[3]);
        return 1;
    }
    for (size_t i = 0; !of.every && i < sizeof calls / sizeof *calls; i++)
        check_verb(calls[i].verb, calls[i].words, count);
    check_experiment(of, argc > 2 ? argv[2] : NULL, count);
    return sp_check_done();
}
#endif
