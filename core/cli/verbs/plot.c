/* plot.c -- `plot`: figures from the tables. Nothing is run. */
#include "core/cli/verbs/verbs.h"
#include "core/cli/verbs/advice.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/session/home.h"
#include "core/session/folders.h"
#include "core/session/sealed.h"
#include "core/figures/figures.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct arguments {
    sp_common common;
    const char *style;
} arguments;

static const sp_option options[] = {
    { "style", '\0', SP_OPTION_TEXT, offsetof(arguments, style), "FILE.gp",
      "A gnuplot script of yours that is loaded before each figure is drawn (docs/how_to/figures.md)", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "EXPERIMENT.lua\nEXPERIMENT",
    .about = "Draws the figures of an experiment from its exported tables (cells.tsv, runs.tsv; traces.tsv for "
             "trajectories); needs no store. By its name alone, without .lua, it draws the figures' own tables in "
             "results/EXPERIMENT/figures/ once more, and needs no script and no data: as SVG, and in the formats in which "
             "a figure is there already.",
    .notes = "Tables that were changed since they were sealed (docs/reference/files.md), figures' tables of other runs, and tables that were "
             "written for another text of the script are refused: `stillpoint export` writes them for the current text.",
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

static bool is_script(const char *word)
{
    const size_t length = strlen(word);
    return length > 4 && strcmp(word + length - 4, ".lua") == 0;
}

/* The tables of figures in results/NAME. */
static sp_status draw_again(const arguments *a, const char *word, sp_error *error)
{
    sp_status status = SP_OK;
    char *name = sp_folder_of(&a->common, word), *scripts = NULL;
    char *results = name ? sp_format("%s/results/%s", a->common.root, name) : NULL;
    char *plots = name ? sp_format("%s/plots/%s", a->common.root, name) : NULL;
    if (!results || !plots)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", word));
    SP_TRY(sp_home_path("plots", &scripts, error));
    const sp_plot_paths to = { plots, scripts, a->style };
    if (access(results, F_OK) == 0 && !sp_warn_unsealed(results))
        SP_TRY(sp_need_sealed(results, NULL, error));
    status = sp_plot_tables(results, &to, a->common.quiet ? NULL : sp_say, error);
    if (status == SP_EABSENT && access(results, F_OK) != 0)
        sp_suggest_folder(&a->common, name, "cells.tsv", error);
cleanup:
    free(scripts);
    free(plots);
    free(results);
    free(name);
    return status;
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
    if (!is_script(word[0])) {
        SP_TRY(draw_again(&a, word[0], &error));
        goto cleanup;
    }
    SP_TRY(sp_session_open(word[0], &a.common, NULL, false, &session, &error));
    SP_TRY(sp_session_own(&session, &error));
    SP_TRY(sp_need_script(session.results, &session.plan, &error));
    if (access(session.results, F_OK) == 0)
        sp_warn_unsealed(session.results);
    SP_TRY(sp_session_plot(&session, session.results, session.plots, a.style, a.common.quiet ? NULL : sp_say, &error));
    if (!a.common.quiet)
        SP_TRY(sp_advise_runs(&session, stderr, &error));
cleanup:
    sp_session_close(&session);
    return status == SP_OK ? SP_EXIT_OK : sp_complain(&error, SP_EXIT_FAILED);
}

const sp_verb sp_verb_plot = { "plot", "figures from the tables", &usage, run };
