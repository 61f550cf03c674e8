/*
 * verify.c -- `verify`: some of the runs that tables hold, made again and compared field by field.
 *
 * Which ones, a seed says: those whose hash of seed and name is smallest. So a sample is the same on every machine, and
 * that of a larger N holds that of a smaller.
 */
#include "core/cli/verbs/verbs.h"
#include "core/cli/verbs/replay.h"
#include "core/session/folders.h"
#include "core/session/session.h"
#include "core/cli/verbs/unpack.h"
#include "core/cli/verbs/verify_quick.h"
#include "core/cli/verbs/verify_stamp.h"

#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/plan/registry.h"
#include "core/store/import.h"
#include "core/export/table_grids.h"
#include "core/export/table_runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    sp_common common;
    uint64_t sample, seed, jobs;
    bool stamp;
    bool quick;
} arguments;

static const sp_option options[] = {
    { "sample", 'n', SP_OPTION_COUNT, offsetof(arguments, sample), "N", "How many runs (default: 5; without an experiment 1 of each)", 1, 1e9 },
    { "seed", '\0', SP_OPTION_COUNT, offsetof(arguments, seed), "S", "Of the choice (default: 1)", 0, 9e15 },
    { "stamp", '\0', SP_OPTION_SET, offsetof(arguments, stamp), NULL,
      "Rerun a sample of all experiments; when it is equal, their runs count as made by the current sources", 0, 0 },
    { "jobs", 'j', SP_OPTION_COUNT, offsetof(arguments, jobs), "N", "With --stamp: runs at a time (default: the number of processors)", 1, 1e6 },
    { "quick", '\0', SP_OPTION_SET, offsetof(arguments, quick), NULL, "Runs nothing: compares the tables with their SEAL, and computes the derived ones again", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "[EXPERIMENT [FOLDER]]\nARCHIVE\n--seal [EXPERIMENT...]",
    .about = "Makes some of the runs again that the tables in FOLDER hold (default: those of the experiment), and "
             "compares every field of runs.tsv, to the last digit: can this program make what is committed? Without an "
             "experiment it takes all that have tables in results/; of an ARCHIVE, NAME.tar as `archive` writes it, it "
             "takes script and tables, once every byte of it has been checked.",
    .notes = "Behind the number of equal runs stands what the sample shows: the share of all runs that may differ, with 95 % "
             "confidence. --stamp takes at least 299 runs of those whose sources have changed since, drawn from all experiments with tables, and "
             "in each experiment at least one for each algorithm, loss, regulariser, measure and generator that they name. Where all are equal, it writes each old and new hash of "
             "a source to results/stamps.tsv, and runs of the old hash are current from then on; a hash that a run which differs carries is not stamped, "
             "and the exit code is 1. Tables without keys.tsv, which do not say by which sources they were made, get one. The program has to be built from a commit. "
             "What a grid has chosen is taken from the store here, or else from tuning.tsv; left out are runs of points whose "
             "grid multiplies what a method derives itself, where no store knows the winner. Nothing is stored. EXPERIMENT is the "
             "path of its file, or the name that it has in experiments/. "
             "An archive whose experiment runs programs is refused: code from elsewhere is not run "
             "unseen. Exit code 0 when all chosen runs are the same, 1 when one is not.",
    .option = options, .common = true, .fewest = 0, .most = 2,
    .excess = "one experiment and one folder at a time",
};

/* --- which runs ------------------------------------------------------------------------------------------------ */

typedef struct chosen {
    char rank[SP_HASH_HEX];
    size_t place; /* in the tables */
} chosen;

static int by_rank(const void *a, const void *b)
{
    return strcmp(((const chosen *)a)->rank, ((const chosen *)b)->rank);
}

/* All runs of the tables, in the order in which they are chosen. NULL: out of memory. */
static chosen *choose(const sp_table_runs *tables, uint64_t seed)
{
    chosen *all = sp_alloc(tables->places + 1, sizeof *all);
    for (size_t i = 0; all && i < tables->places; i++) {
        const sp_cell *cell;
        size_t replicate;
        char identity[SP_HASH_HEX], text[SP_HASH_HEX + 32];
        sp_table_runs_at(tables, i, &cell, &replicate);
        sp_run_identity(cell, replicate, identity);
        snprintf(text, sizeof text, "%" PRIu64 " %s", seed, identity);
        sp_hash hash;
        sp_hash_start(&hash);
        sp_hash_text(&hash, text);
        sp_hash_end_hex(&hash, all[i].rank);
        all[i].place = i;
    }
    if (all && tables->places > 0)
        qsort(all, tables->places, sizeof *all, by_rank);
    return all;
}

/* --- a run ----------------------------------------------------------------------------------------------------- */

typedef struct verifying {
    sp_data_pool *pool;
    bool quiet;
    size_t differ;
} verifying;

static sp_status verify_run(void *context, const sp_table_run *stored, sp_error *error)
{
    sp_status status = SP_OK;
    verifying *v = context;
    sp_text theirs = { 0 }, ours = { 0 };
    char name[SP_RUN_NAME];
    SP_TRY(sp_run_compare(v->pool, stored, &theirs, &ours, error));
    sp_run_name(stored->cell, stored->replicate, name);
    if (theirs.length > 0) {
        v->differ++;
        const int length = (int)strcspn(theirs.data, "\t");
        printf("DIFFERS  run %s (%s/%s, replicate %zu): %.*s = %s in %s, %s here\n", name, stored->cell->sweep,
               stored->cell->label, stored->replicate, length, theirs.data, theirs.data + length + 1, stored->from,
               ours.data + strcspn(ours.data, "\t") + 1);
    } else if (!v->quiet) {
        printf("same     run %s (%s/%s, replicate %zu)\n", name, stored->cell->sweep, stored->cell->label,
               stored->replicate);
    }
    fflush(stdout);
cleanup:
    sp_text_free(&theirs);
    sp_text_free(&ours);
    return status;
}

/* --- tables ---------------------------------------------------------------------------------------------------- */

/* Where an experiment and its tables are. */
typedef struct verified {
    const char *script;
    const char *folder; /* of the tables; NULL: where the session says */
    const char *shown;  /* what the folder is called; NULL: as it is */
    const char *scale;
    bool strange;       /* it comes from somebody else: what it would start is refused */
} verified;

typedef struct totals {
    size_t experiments, runs, differ;
} totals;

static sp_status open_session(const arguments *a, const verified *of, sp_session *session, sp_error *error)
{
    sp_status status = SP_OK;
    sp_common common = a->common;
    common.scale = of->scale;
    SP_TRY(sp_session_open(of->script, &common, NULL, false, session, error));
    if (of->strange && session->plan.apart)
        SP_TRY(sp_fail(error, SP_EINVAL, "%s: its experiment runs programs, which would be run here: unpack it, look at "
                       "them, and verify what is unpacked", of->shown));
    if (!of->strange)
        SP_TRY(sp_session_store_if_any(session, error)); /* knows the winners of grids */
cleanup:
    return status;
}

/* Why no row can be rerun: what the plan says where it skips all cells alike, as for data that are not here. SP_EABSENT. */
static sp_status refuse_all(const sp_plan *plan, const sp_table_runs *tables, sp_error *error)
{
    const char *why = plan->cells > 0 ? plan->cell[0].skip : NULL;
    for (size_t i = 1; i < plan->cells && why; i++)
        if (!plan->cell[i].skip || strcmp(plan->cell[i].skip, why) != 0)
            why = NULL;
    return sp_fail(error, SP_EABSENT, "%s: none of its %zu rows can be rerun: %s", tables->folder, tables->runs.rows,
                   why ? why : "the experiment does not ask for such runs, its data are not here (`stillpoint plan`), or a grid "
                               "has to be searched first that chooses their parameters");
}

/* Runs that were chosen, made again and compared. SP_EABSENT where none can be. */
static sp_status verify(const arguments *a, const verified *of, totals *t, sp_error *error)
{
    sp_status status = SP_OK;
    sp_session session = { 0 };
    sp_table_runs tables = { 0 };
    chosen *order = NULL;
    sp_text share = { 0 };
    verifying v = { .quiet = a->common.quiet };
    SP_TRY(open_session(a, of, &session, error));
    const char *folder = of->folder ? of->folder : session.tables;
    SP_TRY(sp_table_grids_choose(&session.plan, folder, error));
    SP_TRY(sp_table_runs_open(&session.plan, folder, "verify", SP_RUNNABLE_RUNS, &tables, error));
    tables.folder = of->shown ? of->shown : tables.folder;
    if (tables.places == 0)
        SP_TRY(refuse_all(&session.plan, &tables, error));
    if (!(order = choose(&tables, a->seed)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
    SP_TRY(sp_data_pool_new(&v.pool));
    const size_t count = a->sample < tables.places ? (size_t)a->sample : tables.places;
    size_t done = 0;
    while (done < count && status == SP_OK) {
        status = sp_table_runs_read(&tables, order[done].place, verify_run, &v, error);
        done += status == SP_OK;
    }
    sp_share_print(v.differ, done, tables.places, &share);
    if (done > 0) /* an error does not unmake what was found before it */
        printf("%s: %zu of %zu runs are the same in every field; chosen from %zu%s; %s\n", tables.folder, done - v.differ,
               done, tables.places, tables.foreign > 0 ? ", without those whose grid has to be searched again, whose data "
                                                         "are not here or that the experiment does not ask for" : "",
               share.data ? share.data : "");
    fflush(stdout);
    t->experiments += status == SP_OK;
    t->runs += done;
    t->differ += v.differ;
cleanup:
    free(order);
    sp_text_free(&share);
    sp_table_runs_free(&tables);
    sp_data_pool_free(v.pool);
    sp_session_close(&session);
    return status;
}

/* --- which tables ---------------------------------------------------------------------------------------------- */

static void say_mean(const totals *t)
{
    sp_text share = { 0 };
    sp_share_print(t->differ, t->runs, SIZE_MAX, &share);
    if (!share.failed)
        printf("in the mean over experiments, %s\n", share.data);
    sp_text_free(&share);
}

typedef struct verifying_all {
    const arguments *asked;
    totals *totals;
} verifying_all;

/* An experiment without a run that can be rerun here is no failure. */
static sp_status verify_one(void *context, const char *name, sp_error *error)
{
    const verifying_all *v = context;
    char *script = NULL;
    sp_status status = sp_experiment_path(&v->asked->common, name, &script, error);
    if (status == SP_OK)
        status = verify(v->asked, &(verified){ .script = script, .scale = v->asked->common.scale }, v->totals, error);
    free(script);
    if (status == SP_EABSENT)
        printf("not checked: %s\n", error->text);
    return status == SP_EABSENT ? SP_OK : status;
}

/* All experiments that have tables in results/. */
static sp_status verify_all(const arguments *a, totals *t, size_t *unread, sp_error *error)
{
    sp_status status = SP_OK;
    sp_taken taken;
    verifying_all v = { a, t };
    SP_TRY(sp_each_experiment(&a->common, NULL, 0, verify_one, &v, &taken, error));
    *unread = taken.failed;
    printf("%zu of %zu experiments checked: %zu of %zu runs are the same in every field\n", t->experiments, taken.all,
           t->runs - t->differ, t->runs);
    if (t->runs > 0 && t->runs == t->experiments * a->sample) /* as many of each, so that the mean is over experiments */
        say_mean(t);
    if (t->runs == 0)
        status = sp_fail(error, SP_EABSENT, "%s/results: no run there can be rerun", a->common.root);
cleanup:
    return status;
}

static sp_status verify_archive(const arguments *a, const char *path, totals *t, sp_error *error)
{
    sp_unpacked unpacked;
    sp_status status = sp_unpack(path, &unpacked, error);
    if (status == SP_OK)
        status = verify(a, &(verified){ unpacked.script, unpacked.tables, path, unpacked.scale, true }, t, error);
    sp_unpacked_close(&unpacked);
    return status;
}

static sp_status verify_folder(const arguments *a, char **word, size_t words, totals *t, sp_error *error)
{
    char *script;
    sp_status status = sp_experiment_path(&a->common, word[0], &script, error);
    if (status == SP_OK)
        status = verify(a, &(verified){ .script = script, .folder = words > 1 ? word[1] : NULL,
                                        .scale = a->common.scale }, t, error);
    free(script);
    return status;
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    totals t = { 0 };
    char **word;
    size_t words, unread = 0;
    int code;
    arguments a = { .common = SP_COMMON_DEFAULTS, .seed = 1 };
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    if (a.stamp && words > 0)
        return sp_complain(&(sp_error){ SP_EINVAL, "--stamp looks at all experiments, because they share sources: it takes none by name" },
                           SP_EXIT_USAGE);
    if (a.stamp)
        return sp_verify_stamp(&(sp_stamping){ &a.common, a.sample, a.seed, a.jobs });
    if (a.quick && words > 1)
        return sp_misused(argv[0], "--quick takes one experiment, or none for all: it looks at results/EXPERIMENT, and %s is "
                          "a second word", word[1]);
    if (a.quick)
        return sp_verify_quick(&a.common, word, words);
    if (a.sample == 0)
        a.sample = words > 0 ? 5 : 1;
    if (words == 0)
        status = verify_all(&a, &t, &unread, &error);
    else if (!sp_is_archive(word[0]))
        status = verify_folder(&a, word, words, &t, &error);
    else if (words == 1)
        status = verify_archive(&a, word[0], &t, &error);
    else
        status = sp_fail(&error, SP_EINVAL, "%s has tables of its own: no folder behind it", word[0]);
    if (status == SP_OK)
        return t.differ + unread > 0 ? SP_EXIT_FAILED : SP_EXIT_OK;
    return sp_complain(&error, t.runs > 0 || status == SP_EDATA ? SP_EXIT_FAILED : SP_EXIT_USAGE);
}

const sp_verb sp_verb_verify = { "verify", "makes some committed runs again: the same?", &usage, run };
