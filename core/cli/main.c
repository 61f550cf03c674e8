/* main.c -- the program: prepares the process and calls the verb. */
#include "core/numeric/isa.h"
#include "core/numeric/blas.h"
#include "core/base/files.h"
#include "core/numeric/pin.h"
#include "core/session/home.h"
#include "core/cli/verbs/verbs.h"
#include "core/plan/registry.h"
#include "core/store/build.h"

#include <errno.h>
#include <fcntl.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_version.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The accountant is told by the hash of its sources, which changes with any of them. */
static void version(void)
{
    char *home;
    sp_error error = { 0 };
    printf("stillpoint %s\ncommit %s%s\naccountant %.12s\n", STILLPOINT_VERSION, sp_build_commit,
           sp_build_changed ? ", changed" : "", sp_source_hash("accountant"));
    for (const char *const *name = sp_extra_names; *name; name++)
        printf("built in %s %.12s\n", *name, sp_source_hash(*name));
    if (sp_home(&home, &error) == SP_OK)
        printf("files %s\n", home);
    else
        printf("files: %s\n", error.text);
    free(home);
    printf("GSL %s\n%s\nOpenBLAS kernels %s\n", gsl_version, sp_blas_config(), sp_blas_core());
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
            errno == EPIPE ? "nobody reads it any more" : sp_system_error(errno));
    return code == SP_EXIT_OK ? SP_EXIT_FAILED : code;
}

/* Where programs that are methods find what speaks for them (core/methods). */
static void name_clients(void)
{
    char *folder = NULL;
    if (!getenv("STILLPOINT_CLIENTS") && sp_home_path("clients", &folder, NULL) == SP_OK)
        setenv("STILLPOINT_CLIENTS", folder, 0);
    free(folder);
}

int main(int argc, char **argv)
{
    sp_error unpinned = { 0 };
    open_closed();
    if (sp_pin(argv, &unpinned) != SP_OK)
        return sp_complain(&unpinned, SP_EXIT_FAILED);
    signal(SIGXFSZ, SIG_IGN); /* a file at its limit (ulimit -f) is an error of a write */
    setlocale(LC_ALL, "C");
    gsl_set_error_handler_off();

    name_clients();

    const char *isa = getenv("STILLPOINT_ISA");
    if (isa && !sp_isa_known(isa)) {
        fprintf(stderr, "stillpoint: STILLPOINT_ISA = %s is no instruction set of this processor (baseline%s%s)\n", isa,
                sp_isa_known("avx2") ? ", avx2" : "", sp_isa_known("avx512") ? ", avx512" : "");
        return SP_EXIT_USAGE;
    }
    if (argc < 2) {
        sp_help(stderr);
        return SP_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || (argc == 2 && strcmp(argv[1], "help") == 0)) {
        sp_help(stdout);
        return finish(SP_EXIT_OK);
    }
    if (strcmp(argv[1], "--version") == 0) {
        version();
        return finish(SP_EXIT_OK);
    }
    int code;
    sp_error error = { 0 };
    const sp_verb *verb = sp_verb_find(&argc, argv, &code);
    if (!verb)
        return finish(code);
    if (sp_blas_prepare(&error) != SP_OK)
        return sp_complain(&error, SP_EXIT_FAILED);
    return finish(verb->run(argc - 1, argv + 1));
}
