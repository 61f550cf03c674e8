/* run.c -- everything that an experiment lacks: run, export, draw. */
#include "core/cli/verbs/session.h"

#include "core/base/memory.h"
#include "core/store/export.h"
#include "core/figures/figures.h"
#include "core/store/provenance.h"
#include "core/sweep/tuning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP_GOING = 2000, FAIL_FAST, TIME_LIMIT, MEMORY_LIMIT, RETRY, NO_FETCH, NO_PLOT, SHUFFLE };

typedef struct {
    sp_common common;
    sp_run_options options;
    bool fetch, plot;
    const char *experiment;
} arguments;

static const struct argp_option options[] = {
    { "jobs", 'j', "N", 0, "Worker processes (default: one a processor)", 0 },
    { "fail-fast", FAIL_FAST, NULL, 0, "Stop at the first run that fails", 0 },
    { "keep-going", KEEP_GOING, NULL, 0, "Go on after a run failed (the default)", 0 },
    { "retry-failed", RETRY, NULL, 0, "Run again what failed before", 0 },
    { "time-limit", TIME_LIMIT, "SECONDS", 0, "Kill a run after so long", 0 },
    { "memory-limit", MEMORY_LIMIT, "MIB", 0, "Memory that a run may add", 0 },
    { "no-fetch", NO_FETCH, NULL, 0, "Do not download data sets; skip what needs them", 0 },
    { "no-plot", NO_PLOT, NULL, 0, "Do not draw the figures", 0 },
    { "shuffle", SHUFFLE, "SEED", 0, "Start the runs in another order (the results are the same)", 0 },
    { 0 }
};

/* The whole of `text` as a number within [low, high], or a usage error. */
static double number(struct argp_state *state, const char *option, const char *text, double low, double high,
                     bool whole)
{
    double value;
    if (!sp_read_number(text, &value) || !(value >= low && value <= high) || (whole && floor(value) != value))
        argp_error(state, "--%s %s: needs a %snumber from %g to %g", option, text, whole ? "whole " : "", low, high);
    return value;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        return 0;
    case 'j':
        a->options.jobs = (size_t)number(state, "jobs", argument, 1, 1024, true);
        return 0;
    case FAIL_FAST:
        a->options.fail_fast = true;
        return 0;
    case KEEP_GOING:
        a->options.fail_fast = false;
        return 0;
    case RETRY:
        a->options.retry_failed = true;
        return 0;
    case TIME_LIMIT:
        a->options.time_limit = number(state, "time-limit", argument, 1e-3, 1e9, false);
        return 0;
    case MEMORY_LIMIT:
        a->options.memory_limit = (size_t)(number(state, "memory-limit", argument, 1, 1e9, false) * 1048576.0);
        return 0;
    case NO_FETCH:
        a->fetch = false;
        return 0;
    case NO_PLOT:
        a->plot = false;
        return 0;
    case SHUFFLE:
        a->options.shuffle = (uint64_t)number(state, "shuffle", argument, 1, 9e15, true);
        return 0;
    case ARGP_KEY_ARG:
        if (a->experiment)
            argp_error(state, "one experiment at a time");
        a->experiment = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which experiment? (a Lua file, for instance experiments/quickstart.lua)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = { { &sp_common_argp, 0, NULL, 0 }, { 0 } };
static const struct argp argp = {
    options, parse, "EXPERIMENT.lua",
    "Runs what an experiment lacks, exports the tables and draws the figures."
    "\vRuns that are in the store are not repeated; a run whose sources changed is. Results are in "
    "results/EXPERIMENT[.SCALE]/, figures in plots/EXPERIMENT[.SCALE]/. Exit code 0 when every run succeeded.",
    children, NULL, NULL
};

typedef struct {
    const char *reason;
    size_t first, cells; /* the index of the first cell that is skipped for it, and how many are */
} skip;

static int by_reason(const void *a, const void *b)
{
    const skip *x = a, *y = b;
    const int order = strcmp(x->reason, y->reason);
    return order ? order : (x->first > y->first) - (x->first < y->first);
}

static int by_first(const void *a, const void *b)
{
    const skip *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Each reason for skipping once, in plan order, with how many cells it concerns. */
static sp_status report_skips(const sp_plan *plan, sp_error *error)
{
    size_t count = 0, kept = 0;
    skip *list = sp_alloc(plan->cells + 1, sizeof *list);
    if (!list)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", plan->path);
    for (size_t i = 0; i < plan->cells; i++)
        if (plan->cell[i].skip)
            list[count++] = (skip){ plan->cell[i].skip, i, 1 };
    qsort(list, count, sizeof *list, by_reason);
    for (size_t i = 0; i < count; i++)
        if (kept > 0 && strcmp(list[kept - 1].reason, list[i].reason) == 0)
            list[kept - 1].cells++;
        else
            list[kept++] = list[i];
    qsort(list, kept, sizeof *list, by_first);
    for (size_t i = 0; i < kept; i++)
        fprintf(stderr, "skipped %zu cell%s: %s\n", list[i].cells, list[i].cells == 1 ? "" : "s", list[i].reason);
    free(list);
    return SP_OK;
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    sp_run_summary summary = { 0 };
    int code = SP_EXIT_USAGE; /* until something has run */
    arguments a = { .common = { .root = ".", .scale = "default" }, .fetch = true, .plot = true };
    sp_parse(&argp, argc, argv, &a);
    a.options.quiet = a.common.quiet;

    SP_TRY(sp_session_open(a.experiment, &a.common, a.fetch, &session, &error));
    SP_TRY(sp_session_store(&session, true, &error));
    code = SP_EXIT_FAILED;
    if (!a.common.quiet)
        SP_TRY(report_skips(&session.plan, &error));
    SP_TRY(sp_provenance_record(&session.plan, session.store, argc, argv, &error));
    status = sp_run_stages(&session.plan, session.store, &a.options, &summary, &error);
    if (status == SP_EINTERRUPTED)
        code = SP_EXIT_INTERRUPTED;
    if (!a.common.quiet || summary.failed > 0)
        fprintf(stderr, "%s: %zu runs: %zu done now, %zu there before, %zu failed, %zu left; %zu cell%s skipped\n",
                session.plan.name, summary.planned, summary.done, summary.present, summary.failed, summary.remaining,
                summary.skipped, summary.skipped == 1 ? "" : "s");
    SP_TRY(status);
    SP_TRY(sp_export(&session.plan, session.store, session.results, &error));
    if (a.plot && summary.present + summary.done > 0)
        SP_TRY(sp_plot(&session.plan, session.results, session.plots, STILLPOINT_SOURCE_DIR "/plots",
                       a.common.quiet ? NULL : sp_say, &error));
    if (!a.common.quiet)
        printf("tables: %s\n", session.results);
    if (summary.failed == 0 && summary.remaining == 0)
        code = SP_EXIT_OK;
cleanup:
    if (status != SP_OK)
        sp_complain(&error, code);
    sp_session_close(&session);
    return code;
}

const sp_verb sp_verb_run = { "run", "run what an experiment lacks, export, draw", run };
