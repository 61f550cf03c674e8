/* results.c -- `export` and `plot`: tables from the store, figures from the tables. Nothing is run. */
#include "core/cli/verbs/session.h"

#include "core/store/export.h"
#include "core/figures/figures.h"

#include <stdio.h>

typedef struct {
    sp_common common;
    const char *experiment;
} arguments;

static error_t parse(int key, char *argument, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        return 0;
    case ARGP_KEY_ARG:
        if (a->experiment)
            argp_error(state, "one experiment at a time");
        a->experiment = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which experiment?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = { { &sp_common_argp, 0, NULL, 0 }, { 0 } };

static int run_export(int argc, char **argv)
{
    static const struct argp argp = { NULL, parse, "EXPERIMENT.lua",
                                      "Writes runs.tsv, traces.tsv and timings.tsv from the store.", children, NULL, NULL };
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    arguments a = { .common = { .root = ".", .scale = "default" } };
    sp_parse(&argp, argc, argv, &a);

    SP_TRY(sp_session_open(a.experiment, &a.common, false, &session, &error));
    SP_TRY(sp_session_store(&session, false, &error));
    SP_TRY(sp_export(&session.plan, session.store, session.results, &error));
    if (!a.common.quiet)
        printf("tables: %s\n", session.results);
cleanup:
    sp_session_close(&session);
    return status == SP_OK ? SP_EXIT_OK : sp_complain(&error, SP_EXIT_FAILED);
}

static int run_plot(int argc, char **argv)
{
    static const struct argp argp = { NULL, parse, "EXPERIMENT.lua",
                                      "Draws the figures of an experiment from its exported tables (runs.tsv, traces.tsv); "
                                      "needs no store.",
                                      children, NULL, NULL };
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    arguments a = { .common = { .root = ".", .scale = "default" } };
    sp_parse(&argp, argc, argv, &a);

    SP_TRY(sp_session_open(a.experiment, &a.common, false, &session, &error));
    SP_TRY(sp_plot(&session.plan, session.results, session.plots, STILLPOINT_SOURCE_DIR "/plots",
                   a.common.quiet ? NULL : sp_say, &error));
cleanup:
    sp_session_close(&session);
    return status == SP_OK ? SP_EXIT_OK : sp_complain(&error, SP_EXIT_FAILED);
}

const sp_verb sp_verb_export = { "export", "tables from the store", run_export };
const sp_verb sp_verb_plot = { "plot", "figures from the tables", run_plot };
