/* plot.c -- `plot`: figures from the tables. Nothing is run. */
#include "core/cli/verbs/advice.h"

static const sp_usage usage = {
    .operands = "EXPERIMENT.lua",
    .about = "Draws the figures of an experiment from its exported tables (cells.tsv, runs.tsv; traces.tsv for "
             "trajectories); needs no store.",
    .common = true, .fewest = 1, .most = 1, .missing = "which experiment?", .excess = "one experiment at a time"
};

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    char **word;
    size_t words;
    int code;
    sp_common common = SP_COMMON_DEFAULTS;
    if (!sp_parse(&usage, argc, argv, &common, &word, &words, &code))
        return code;
    SP_TRY(sp_session_open(word[0], &common, NULL, false, &session, &error));
    SP_TRY(sp_session_plot(&session, session.results, session.plots, common.quiet ? NULL : sp_say, &error));
    if (!common.quiet)
        SP_TRY(sp_advise_runs(&session, stderr, &error));
cleanup:
    sp_session_close(&session);
    return status == SP_OK ? SP_EXIT_OK : sp_complain(&error, SP_EXIT_FAILED);
}

const sp_verb sp_verb_plot = { "plot", "figures from the tables", &usage, run };
