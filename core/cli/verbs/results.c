/* results.c -- `export` and `plot`: tables from the store, figures from the tables. Nothing is run. */
#include "core/cli/verbs/advice.h"

#include "core/store/export.h"
#include "core/figures/figures.h"

#include <stdio.h>

/* Opens the experiment that the command names and does this with it. */
static int with_experiment(const sp_usage *usage, int argc, char **argv,
                           sp_status (*act)(sp_session *, const sp_common *, sp_error *))
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    char **word;
    size_t words;
    int code;
    sp_common common = SP_COMMON_DEFAULTS;
    if (!sp_parse(usage, argc, argv, &common, &word, &words, &code))
        return code;
    SP_TRY(sp_session_open(word[0], &common, NULL, false, &session, &error));
    SP_TRY(act(&session, &common, &error));
cleanup:
    sp_session_close(&session);
    return status == SP_OK ? SP_EXIT_OK : sp_complain(&error, SP_EXIT_FAILED);
}

static sp_status export_tables(sp_session *session, const sp_common *common, sp_error *error)
{
    sp_status status = SP_OK;
    SP_TRY(sp_session_store(session, false, error));
    SP_TRY(sp_export(&session->plan, session->store, session->results, NULL, error));
    if (!common->quiet)
        printf("tables: %s\n", session->results);
cleanup:
    return status;
}

static sp_status draw_figures(sp_session *session, const sp_common *common, sp_error *error)
{
    const sp_status status = sp_plot(&session->plan, session->results, session->plots, STILLPOINT_SOURCE_DIR "/plots",
                                     common->quiet ? NULL : sp_say, error);
    return status == SP_OK && !common->quiet ? sp_advise_runs(session, stderr, error) : status;
}

static int run_export(int argc, char **argv)
{
    static const sp_usage usage = { .operands = "EXPERIMENT.lua",
                                    .about = "Writes the tables of results/ from the store.",
                                    .common = true, .fewest = 1, .most = 1, .missing = "which experiment?",
                                    .excess = "one experiment at a time" };
    return with_experiment(&usage, argc, argv, export_tables);
}

static int run_plot(int argc, char **argv)
{
    static const sp_usage usage = { .operands = "EXPERIMENT.lua",
                                    .about = "Draws the figures of an experiment from its exported tables (cells.tsv, "
                                             "runs.tsv; traces.tsv for trajectories); needs no store.",
                                    .common = true, .fewest = 1, .most = 1, .missing = "which experiment?",
                                    .excess = "one experiment at a time" };
    return with_experiment(&usage, argc, argv, draw_figures);
}

const sp_verb sp_verb_export = { "export", "tables from the store", run_export };
const sp_verb sp_verb_plot = { "plot", "figures from the tables", run_plot };
