/* main.c -- the program: picks the verb. */
#include "core/base/isa.h"
#include "core/base/blas.h"
#include "core/base/pin.h"
#include "core/cli/verbs/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_version.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const sp_verb *const verbs[] = {
    &sp_verb_run, &sp_verb_plan, &sp_verb_status, &sp_verb_plot, &sp_verb_export, &sp_verb_check, &sp_verb_compare,
    &sp_verb_summary, &sp_verb_merge, &sp_verb_list, &sp_verb_describe, &sp_verb_rerun, &sp_verb_data, &sp_verb_test,
    &sp_verb_privacy, &sp_verb_audit, &sp_verb_epsilon, &sp_verb_delta, &sp_verb_calibrate,
    &sp_verb_new, &sp_verb_cite
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static void help(FILE *out)
{
    fprintf(out, "Usage: stillpoint VERB [ARGUMENTS...]\n"
                 "A benchmark harness for differentially private non-convex optimisation.\n\n");
    for (size_t i = 0; i < VERBS; i++)
        fprintf(out, "  %-9s %s\n", verbs[i]->name, verbs[i]->summary);
    fprintf(out, "\n`stillpoint VERB --help` tells more about a verb, `stillpoint --version` what it was built "
                 "from.\n");
}

static void version(void)
{
    printf("stillpoint %s\nGSL %s\n%s\nOpenBLAS kernels %s\n", STILLPOINT_VERSION, gsl_version, sp_blas_config(),
           sp_blas_core());
}

/* An input or output that was closed on purpose is none: no file that is opened later may stand in its place. */
static void open_closed(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
            _exit(SP_EXIT_FAILED); /* nowhere to say it */
}

/* What could not be written must not pass for success. */
static int finish(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "stillpoint: the standard output could not be written (%s)\n",
            errno == EPIPE ? "nobody reads it any more" : "is the disk full?");
    return code == SP_EXIT_OK ? SP_EXIT_FAILED : code;
}

int main(int argc, char **argv)
{
    open_closed();
    sp_pin(argv);
    setlocale(LC_ALL, "C");
    gsl_set_error_handler_off();

    const char *isa = getenv("STILLPOINT_ISA");
    if (isa && !sp_isa_known(isa)) {
        fprintf(stderr, "stillpoint: STILLPOINT_ISA = %s is no instruction set of this processor (baseline%s%s)\n", isa,
                sp_isa_known("avx2") ? ", avx2" : "", sp_isa_known("avx512") ? ", avx512" : "");
        return SP_EXIT_USAGE;
    }
    if (argc < 2) {
        help(stderr);
        return SP_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        help(stdout);
        return finish(SP_EXIT_OK);
    }
    if (strcmp(argv[1], "--version") == 0) {
        version();
        return finish(SP_EXIT_OK);
    }
    const char *names[VERBS];
    for (size_t i = 0; i < VERBS; i++) {
        if (strcmp(argv[1], verbs[i]->name) == 0) {
            sp_error error = { 0 };
            if (sp_blas_prepare(&error) != SP_OK)
                return sp_complain(&error, SP_EXIT_FAILED);
            return finish(verbs[i]->run(argc - 1, argv + 1));
        }
        names[i] = verbs[i]->name;
    }
    const char *near = sp_nearest(argv[1], names, VERBS);
    fprintf(stderr, "stillpoint: unknown verb %s%s%s%s\n", argv[1], near ? "; did you mean " : "", near ? near : "",
            near ? "?" : " (stillpoint --help lists them)");
    return SP_EXIT_USAGE;
}
