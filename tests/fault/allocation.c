/* allocation.c -- verbs while the k-th allocation fails, for every k, the C library's own included: they end with the
 * right answer, or with a message and another exit code, never by a signal and never with half an answer. */
#include "core/base/memory.h"
#include "core/cli/verbs/verbs.h"
#include "tests/check.h"

#include <gsl/gsl_errno.h>
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
        char *argv[8] = { NULL };
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

int main(void)
{
    gsl_set_error_handler_off(); /* as main.c does */
    const char *source = getenv("SOURCE");
    const struct { const sp_verb *verb; const char *words[8]; } calls[] = {
        { &sp_verb_run, { "run" } }, { &sp_verb_run, { "run", "--jobs", "0", "x.lua" } },
        { &sp_verb_run, { "run", "--help" } },
        { &sp_verb_run, { "run", "missing.lua" } }, { &sp_verb_plan, { "plan", "--help" } },
        { &sp_verb_plan, { "plan", "missing.lua" } }, { &sp_verb_status, { "status", "missing.lua", "--scale=smoke" } },
        { &sp_verb_plot, { "plot", "missing.lua" } }, { &sp_verb_export, { "export", "missing.lua", "-q" } },
        { &sp_verb_rerun, { "rerun", "missing.lua", "a" } }, { &sp_verb_privacy, { "privacy", "missing.lua" } },
        { &sp_verb_list, { "list", "losses", "--plain" } }, { &sp_verb_list, { "list", "--markdown", "losses" } },
        { &sp_verb_list, { "list", "--markdown", "algorithms" } },
        { &sp_verb_describe, { "describe", "logistic" } }, { &sp_verb_describe, { "describe", "nothing" } },
        { &sp_verb_data, { "data", "info", "nothing" } }, { &sp_verb_test, { "test", "logistc" } },
        { &sp_verb_audit, { "audit", "nothing" } },
        { &sp_verb_epsilon, { "epsilon", "gauss:noise_multiplier=4", "--delta", "1e-6" } },
        { &sp_verb_delta, { "delta", "gauss:noise_multiplier=4", "--epsilon", "1" } },
        { &sp_verb_calibrate, { "calibrate", "gauss:noise_multiplier=4", "-e1", "-d1e-6", "--plain" } },
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
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        check_verb(calls[i].verb, calls[i].words, count);
    return sp_check_done();
}
#endif
