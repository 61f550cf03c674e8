/* run.c -- everything that an experiment lacks: run, export, draw. */
#include "core/cli/verbs/verbs.h"
#include "core/cli/verbs/advice.h"
#include "core/cli/verbs/nowhere.h"
#include "core/cluster/ranks.h"

#include "core/numeric/isa.h"
#include "core/base/memory.h"
#include "core/rates/seeds.h"
#include "core/export/export.h"
#include "core/store/place.h"
#include "core/export/provenance.h"
#include "core/sweep/audits.h"
#include "core/sweep/tuning.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    sp_common common;
    sp_picked picked;
    bool fetch, plot, audit, fail_fast, retry_failed, again, all, allow_skipped;
    double time_limit, memory_limit; /* seconds; MiB; 0: none */
    uint64_t jobs, shuffle, seeds;
    const char *shard, *store;
    double save_every; /* seconds */
} arguments;

static const sp_option options[] = {
    { "jobs", 'j', SP_OPTION_COUNT, offsetof(arguments, jobs), "N",
      "Worker processes (default: one a processor)", 1, 1024 },
    { "fail-fast", '\0', SP_OPTION_SET, offsetof(arguments, fail_fast), NULL,
      "Stop at the first run that fails", 0, 0 },
    { "keep-going", '\0', SP_OPTION_CLEAR, offsetof(arguments, fail_fast), NULL,
      "Go on after a run failed (the default)", 0, 0 },
    { "retry-failed", '\0', SP_OPTION_SET, offsetof(arguments, retry_failed), NULL,
      "Run again what failed before", 0, 0 },
    SP_PICKED_OPTIONS(arguments, picked),
    { "again", '\0', SP_OPTION_SET, offsetof(arguments, again), NULL,
      "Make the runs that --only and --where choose anew, though they are there", 0, 0 },
    { "all", '\0', SP_OPTION_SET, offsetof(arguments, all), NULL, "With --again: all runs", 0, 0 },
    { "time-limit", '\0', SP_OPTION_REAL, offsetof(arguments, time_limit), "SECONDS",
      "Kill a run after so long", 1e-3, 1e9 },
    { "memory-limit", '\0', SP_OPTION_REAL, offsetof(arguments, memory_limit), "MIB",
      "Memory that a run may add", 1, 1e9 },
    { "no-fetch", '\0', SP_OPTION_CLEAR, offsetof(arguments, fetch), NULL,
      "Do not download data sets; skip what needs them", 0, 0 },
    { "no-plot", '\0', SP_OPTION_CLEAR, offsetof(arguments, plot), NULL,
      "Leave out the figures; the tables are written", 0, 0 },
    { "no-audit", '\0', SP_OPTION_CLEAR, offsetof(arguments, audit), NULL,
      "Do not audit methods that have no audit yet", 0, 0 },
    { "seeds", '\0', SP_OPTION_COUNT, offsetof(arguments, seeds), "K",
      "Repeat all of it, tuning included, with K seeds: its own and K - 1 that follow from it", SP_SEEDS_MIN,
      SP_SEEDS_MAX },
    { "shard", '\0', SP_OPTION_TEXT, offsetof(arguments, shard), "K/N|auto",
      "Part K of N, counted from 1, into results/EXPERIMENT/shards/: for `stillpoint merge`. auto: started by mpirun or srun, "
      "take one part after the other until all are done; rank 0 merges them", 0, 0 },
    { "save-every", '\0', SP_OPTION_REAL, offsetof(arguments, save_every), "SECONDS",
      "With --shard: how often what is there is copied to where it is kept (default: 180)", 0, 1e9 },
    { "allow-skipped", '\0', SP_OPTION_SET, offsetof(arguments, allow_skipped), NULL,
      "A method that is skipped at every point is no error", 0, 0 },
    SP_DISCARD_OPTION(arguments),
    { "store", '\0', SP_OPTION_TEXT, offsetof(arguments, store), "FILE",
      "Keep the store in FILE, on a local disk, with a link to it in results/: for file systems without locks", 0, 0 },
    { "shuffle", '\0', SP_OPTION_COUNT, offsetof(arguments, shuffle), "SEED",
      "Start the runs in another order (the results are the same)", 1, 9e15 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "EXPERIMENT.lua\n--rerun EXPERIMENT.lua RUN", .about = "Runs what an experiment lacks, exports the tables and draws the figures.",
    .notes = "Runs that are in the store are not repeated; a run whose sources changed is. Runs that the tables in "
             "results/EXPERIMENT hold and the store lacks, as in a fresh clone, are imported first: what is not run again "
             "stays in the tables. With --only and --where "
             "the others stay as they are, and grids that the chosen ones need are searched. Results are in "
             "results/EXPERIMENT[.SCALE]/, figures in plots/EXPERIMENT[.SCALE]/, tables of further seeds in seeds/2/ "
             "and so on below the results. Methods that spend a budget are audited, once for their sources (some seconds "
             "each; not at the scale smoke): audits.tsv. Exit code 0 when every run succeeded, every method "
             "ran at some point and no audit failed.",
    .option = options, .common = true, .fewest = 1, .most = 1,
    .missing = "which experiment? (a Lua file, for instance experiments/quickstart.lua)",
    .excess = "one experiment at a time",
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
        if (plan->cell[i].skip && !plan->cell[i].left_out)
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

typedef struct {
    sp_run_summary runs;
    bool stop; /* no further seed is to be run */
    bool same; /* the tables held these bytes before */
} outcome;

static sp_run_options options_of(const arguments *a)
{
    return (sp_run_options){ .jobs = (size_t)a->jobs, .time_limit = a->time_limit,
                             .memory_limit = (size_t)(a->memory_limit * 1048576.0), .fail_fast = a->fail_fast,
                             .retry_failed = a->retry_failed, .again = a->again, .quiet = a->common.quiet,
                             .save_every = a->save_every, .shuffle = a->shuffle };
}

/* Runs and exports what the session's seed lacks. */
static sp_status run_seed(sp_session *s, const arguments *a, size_t number, outcome *out, sp_error *error)
{
    sp_run_summary *summary = &out->runs;
    const sp_run_options with = options_of(a);
    char seed[64] = "";
    if (a->seeds > 1)
        snprintf(seed, sizeof seed, ", seed %zu of %" PRIu64, number, a->seeds);
    if (a->seeds > 1 && !a->common.quiet)
        fprintf(stderr, "%s%s: %" PRIu64 "\n", s->plan.name, seed, s->plan.seed);
    sp_status status = sp_run_stages(&s->plan, s->store, &with, summary, error);
    if (!a->common.quiet || summary->failed > 0)
        fprintf(stderr, "%s%s: %zu runs: %zu done now, %zu there before, %zu failed, %zu left; %zu cell%s skipped\n",
                s->plan.name, seed, summary->planned, summary->done, summary->present, summary->failed,
                summary->remaining, summary->skipped, summary->skipped == 1 ? "" : "s");
    if (status != SP_OK && a->seeds > 1)
        sp_fail_prefix(error, "%s", seed + 2);
    out->stop = summary->remaining > 0 || (a->fail_fast && summary->failed > 0);
    sp_error not_written = { 0 };
    if (status == SP_EINTERRUPTED && sp_session_export(s, &out->same, &not_written) != SP_OK)
        fprintf(stderr, "stillpoint: %s\n", not_written.text);
    return status == SP_OK ? sp_session_export(s, &out->same, error) : status;
}

/* What was found by then also when it fails, or is interrupted. *unsound: how many methods did not pass, or died. */
static sp_status audit(const sp_session *s, const arguments *a, size_t *unsound, sp_error *error)
{
    const sp_audits_options with = { .jobs = (size_t)a->jobs, .seconds = SP_AUDIT_SECONDS, .quiet = a->common.quiet };
    sp_audits_summary summary;
    const sp_status status = sp_audit_methods(&s->plan, s->store, &with, &summary, error);
    const sp_status exported = sp_export_audits(&s->plan, s->store, s->tables, status == SP_OK ? error : NULL);
    *unsound = summary.failed + summary.died;
    return status == SP_OK ? exported : status;
}

static sp_status draw(const sp_session *s, const char *plots, bool quiet, sp_error *error)
{
    return sp_session_plot(s, s->tables, plots, NULL, quiet ? NULL : sp_say, error);
}

/* The seeds after the first, whose tables are never drawn; adds to the failed and the remaining runs. */
static sp_status run_further_seeds(sp_session *s, const arguments *a, sp_run_summary *all, sp_error *error)
{
    sp_status status = SP_OK;
    uint64_t *seed = sp_alloc((size_t)a->seeds, sizeof *seed);
    if (!seed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->plan.path));
    seed[0] = s->plan.seed;
    outcome one = { 0 };
    for (size_t number = 2; number <= a->seeds && !one.stop; number++) {
        one = (outcome){ 0 };
        SP_TRY(sp_session_seed(s, number, error));
        SP_TRY(sp_session_keep(s, a->common.quiet, error));
        SP_TRY(run_seed(s, a, number, &one, error));
        if (one.runs.present + one.runs.done > 0)
            SP_TRY(draw(s, NULL, true, error));
        seed[number - 1] = s->plan.seed;
        all->failed += one.runs.failed;
        all->remaining += one.runs.remaining;
    }
    SP_TRY(sp_session_seed(s, 1, error));
    if (!one.stop)
        SP_TRY(sp_seeds_write(s->results, seed, (size_t)a->seeds, error));
cleanup:
    free(seed);
    return status;
}

/* With what was chosen go the grids that it needs. */
static void report_selection(const sp_plan *plan)
{
    const size_t tuning = sp_runs_of(plan->base, plan->bases) + sp_runs_of(plan->trial, plan->trials);
    if (sp_plan_is_whole(plan))
        return;
    fprintf(stderr, "selected: %zu of %zu runs", sp_runs_of(plan->cell, plan->cells), plan->runs);
    if (tuning > 0)
        fprintf(stderr, ", and the %zu tuning runs that choose their parameters", tuning);
    fputc('\n', stderr);
}

static sp_status nothing_ran(const sp_plan *plan, sp_error *error)
{
    const sp_cell *cell = plan->cell;
    while (cell->left_out)
        cell++;
    return sp_fail(error, SP_EINVAL, "%s: every%s cell is skipped (%s): nothing has run", plan->path,
                   sp_plan_is_whole(plan) ? "" : " selected", cell->skip);
}

/* Selections that would not do what they seem to. */
static sp_status check_selection(const arguments *a, sp_error *error)
{
    const bool selects = a->picked.only.count + a->picked.where.count > 0;
    if (a->again && !selects && !a->all)
        return sp_fail(error, SP_EINVAL, "--again: which runs? Choose them with --only LABEL and --where KEY=VALUE, or "
                       "say --again --all");
    if (a->all && !a->again)
        return sp_fail(error, SP_EINVAL, "--all is for --again: without it `run` makes all that is missing");
    if (a->all && selects)
        return sp_fail(error, SP_EINVAL, "--all and a selection: say one of them");
    if (a->shard && (selects || a->again || a->seeds > 1))
        return sp_fail(error, SP_EINVAL, "--shard is a part of all runs of one seed: it cannot be combined with --only, --where, "
                       "--again and --seeds");
    if (a->shard && a->store)
        return sp_fail(error, SP_EINVAL, "--store %s: --shard keeps its stores below TMPDIR; `stillpoint merge --store %s` "
                       "says where these are merged", a->store, a->store);
    if (selects && a->seeds > 1)
        return sp_fail(error, SP_EINVAL, "--seeds repeats all of an experiment: it does not go with --only and "
                       "--where");
    return SP_OK;
}

static sp_status run_shard(const arguments *a, const sp_run_options *with, const char *path, int argc, char **argv,
                           int *code, sp_error *error)
{
    sp_shard shard;
    sp_run_summary summary = { 0 };
    sp_status status = SP_OK;
    SP_TRY(sp_shard_read(a->shard, &shard, error));
    signal(SIGPIPE, SIG_IGN);
    *code = SP_EXIT_FAILED;
    SP_TRY(sp_run_shard(path, &a->common, a->fetch, shard, with, argc, argv, &summary, error));
    if (summary.failed == 0 && summary.remaining == 0)
        *code = SP_EXIT_OK;
cleanup:
    return status;
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    outcome own = { 0 };
    sp_run_summary *summary = &own.runs;
    size_t unsound = 0;
    char **word;
    size_t words;
    int code;
    arguments a = { .common = SP_COMMON_DEFAULTS, .fetch = true, .plot = true, .audit = true,
                    .seeds = 1, .save_every = 180.0 };
    code = SP_EXIT_USAGE; /* until something has run */
    SP_TRY(sp_picked_make(argc, &a.picked, &error));
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code)) {
        sp_picked_free(&a.picked);
        return code;
    }
    code = SP_EXIT_USAGE;
    SP_TRY(check_selection(&a, &error));
    if (a.shard && strcmp(a.shard, "auto") != 0) {
        const sp_run_options with = options_of(&a);
        status = run_shard(&a, &with, word[0], argc, argv, &code, &error);
        goto cleanup;
    }
    if (a.shard) {
        const sp_run_options with = options_of(&a);
        sp_ranks ranks;
        bool goes_on = false;
        SP_TRY(sp_ranks_find(&ranks, &error));
        signal(SIGPIPE, SIG_IGN);
        code = SP_EXIT_FAILED;
        SP_TRY(sp_run_ranks(&ranks, word[0], &a.common, a.fetch, &with, argc, argv, &goes_on, &error));
        code = goes_on ? SP_EXIT_USAGE : SP_EXIT_OK;
        if (!goes_on)
            goto cleanup;
    }
    signal(SIGPIPE, SIG_IGN); /* who no longer reads what is said does not cost the runs and their tables */

    if (!a.common.quiet && !sp_isa_fma())
        fprintf(stderr, "this processor has no FMA: libm's fma() stands in for it, the digits are the same, the pace a "
                        "hundredth\n");
    SP_TRY(sp_session_open(word[0], &a.common, &a.picked, a.fetch, &session, &error));
    sp_session_say_guesses(&session, &a.common);
    if (a.store)
        SP_TRY(sp_place_link(session.results, a.store, &error));
    SP_TRY(sp_session_store(&session, true, &error));
    SP_TRY(sp_session_keep(&session, a.common.quiet, &error));
    sp_store_remake_healed(session.store);
    code = SP_EXIT_FAILED;
    if (!a.common.quiet && sp_store_rollback(session.store))
        fprintf(stderr, "%s: the store keeps a rollback journal, no write-ahead log: %s\n", session.results,
                sp_store_rollback(session.store));
    if (!a.common.quiet)
        report_selection(&session.plan);
    sp_tuning_forget(&session.plan); /* these runs are tried again where their sources changed */
    if (!a.common.quiet)
        SP_TRY(report_skips(&session.plan, &error));
    if (!a.common.quiet)
        SP_TRY(sp_advise_plan(&session.plan, stderr, &error));
    SP_TRY(sp_provenance_record(&session.plan, session.store, argc, argv, &error));
    SP_TRY(run_seed(&session, &a, 1, &own, &error));
    const bool further = a.seeds > 1 && !own.stop, any = summary->present + summary->done > 0;
    if (a.audit && any && !own.stop && strcmp(session.plan.scale, "smoke") != 0)
        SP_TRY(audit(&session, &a, &unsound, &error));
    if (any)
        SP_TRY(draw(&session, a.plot ? session.plots : NULL, a.common.quiet || further, &error));
    if (further)
        SP_TRY(run_further_seeds(&session, &a, summary, &error));
    if (further && any) /* once more: fits are over the seeds now */
        SP_TRY(draw(&session, a.plot ? session.plots : NULL, a.common.quiet, &error));
    if (!a.common.quiet && any)
        SP_TRY(sp_advise_runs(&session, stderr, &error));
    if (!a.common.quiet)
        printf("tables: %s%s\n", session.results,
               own.same && summary->done > 0 ? " (the same bytes as before: provenance.tsv says who made them first)"
                                             : "");
    if (summary->planned == 0)
        SP_TRY(nothing_ran(&session.plan, &error));
    if (!a.allow_skipped)
        SP_TRY(sp_check_nowhere(&session.plan, &error));
    if (summary->failed == 0 && summary->remaining == 0 && unsound == 0)
        code = SP_EXIT_OK;
cleanup:
    if (status == SP_EINTERRUPTED)
        code = SP_EXIT_INTERRUPTED;
    if (status != SP_OK)
        sp_complain(&error, code);
    sp_session_say_damage(&session, &code);
    sp_session_close(&session);
    sp_picked_free(&a.picked);
    return code;
}

const sp_verb sp_verb_run = { "run", "run what an experiment lacks, export, draw", &usage, run };
