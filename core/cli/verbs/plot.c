/* plot.c -- `plot`: figures from the tables. Nothing is run. */
#include "core/cli/verbs/advice.h"

#include "core/base/files.h"

#include <stddef.h>
#include <unistd.h>

typedef struct arguments {
    sp_common common;
    const char *style;
} arguments;

static const sp_option options[] = {
    { "style", '\0', SP_OPTION_TEXT, offsetof(arguments, style), "FILE.gp",
      "A gnuplot script of yours that is loaded before each figure is drawn (docs/experiments.md)", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "EXPERIMENT.lua",
    .about = "Draws the figures of an experiment from its exported tables (cells.tsv, runs.tsv; traces.tsv for "
             "trajectories); needs no store.",
    .option = options, .common = true, .fewest = 1, .most = 1, .missing = "which experiment?",
    .excess = "one experiment at a time"
};

/* A regular file that can be read: gnuplot would say of another that it cannot open the script of the figures. */
static sp_status need_style(const char *style, sp_error *error)
{
    int file;
    size_t size;
    const char *why = style ? sp_open_file(style, &file, &size) : NULL;
    if (why)
        return sp_fail(error, SP_EINVAL, "--style %s: %s", style, why);
    if (style)
        close(file);
    return SP_OK;
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    char **word;
    size_t words;
    int code;
    arguments a = { .common = SP_COMMON_DEFAULTS };
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    SP_TRY(need_style(a.style, &error));
    SP_TRY(sp_session_open(word[0], &a.common, NULL, false, &session, &error));
    SP_TRY(sp_session_plot(&session, session.results, session.plots, a.style, a.common.quiet ? NULL : sp_say, &error));
    if (!a.common.quiet)
        SP_TRY(sp_advise_runs(&session, stderr, &error));
cleanup:
    sp_session_close(&session);
    return status == SP_OK ? SP_EXIT_OK : sp_complain(&error, SP_EXIT_FAILED);
}

const sp_verb sp_verb_plot = { "plot", "figures from the tables", &usage, run };
