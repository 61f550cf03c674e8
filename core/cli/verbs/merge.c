/* merge.c -- `merge`: runs from exported tables, or from what the tasks of a sweep have made, into the store. */
#include "core/cli/verbs/verbs.h"
#include "core/cluster/shard.h"
#include "core/session/sealed.h"

#include "core/store/import.h"
#include "core/store/place.h"
#include "core/sweep/tuning.h"

#include <stdio.h>
#include <unistd.h>

typedef struct {
    sp_common common;
    bool trust;
    const char *store;
} arguments;

static const sp_option options[] = {
    { "trust", '\0', SP_OPTION_SET, offsetof(arguments, trust), NULL,
      "Where a folder does not say by which sources its runs were made: by these", 0, 0 },
    SP_DISCARD_OPTION(arguments),
    { "store", '\0', SP_OPTION_TEXT, offsetof(arguments, store), "FILE",
      "Keep the store in FILE, on a local disk, with a link to it in results/: for file systems without locks", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "EXPERIMENT.lua FOLDER...\nEXPERIMENT.lua [FILE...]",
    .about = "Takes the runs that the tables in FOLDER hold into the store of the experiment, so that `run` makes "
             "those alone that are missing: a fresh clone goes on from committed results by `stillpoint merge "
             "experiments/X.lua results/X`. Without FOLDER: the runs that the tasks of `run --shard` have made, which "
             "lie in results/X/shards/, or in each FILE; then exports the tables. A FOLDER may also be one that holds such "
             "files, or the one in which a task has left its runs because they could not be copied.",
    .notes = "A run is taken by its identity. The same runs again change nothing; a run that is there with other "
             "fields, made by the same sources, is an error that names both, and nothing is merged. By which sources "
             "a run was made keys.tsv says; where other ones made it, or it is not known (--trust: they are these), "
             "`run` makes it again. Tables hold no ledgers and no iterates, and git keeps no traces: what shows them "
             "is made again. Shards hold all of it; one of another script or of another core is refused, and named.",
    .option = options, .common = true, .fewest = 1, .most = SP_SHARDS_MAX,
    .missing = "needs an experiment and a folder of tables (results/X)", .excess = "too many files",
};

static void say(const sp_imported_runs *m, const char *folder)
{
    const size_t added = m->of[SP_BROUGHT_NEW] + m->of[SP_BROUGHT_INSTEAD];
    printf("%s: %zu runs added", folder, added);
    if (m->of[SP_BROUGHT_INSTEAD] > 0)
        printf(" (%zu in place of stale ones)", m->of[SP_BROUGHT_INSTEAD]);
    printf(", %zu there before\n", m->of[SP_BROUGHT_SAME] + m->of[SP_BROUGHT_OLD]);
    if (m->stale > 0)
        printf("%zu of them are stale: other sources or libraries made them; `stillpoint status` says which, `run` "
               "makes them again\n", m->stale);
    if (m->unknown > 0)
        printf("of %zu it is not known by which sources they were made (there is no keys.tsv that says so): `run` "
               "makes them again; `merge --trust` takes them as made by these\n", m->unknown);
    if (m->of[SP_BROUGHT_OLD] > 0)
        printf("%zu of %s were made by other sources and differ from those that are there, which stay\n",
               m->of[SP_BROUGHT_OLD], folder);
    if (m->untraced > 0)
        printf("%zu have no trace (tables of results/ hold none in git): a trajectory that shows them has them made "
               "again\n", m->untraced);
    if (m->foreign > 0)
        printf("%zu rows were left out: the experiment does not ask for such runs\n", m->foreign);
}

static sp_status merge_tables(sp_session *s, const char *folder, const arguments *a, sp_error *error)
{
    sp_imported_runs merged;
    if (access(folder, F_OK) == 0)
        sp_warn_unsealed(folder);
    const sp_status status = sp_import_tables(&s->plan, s->store, folder, a->trust, &merged, error);
    if (status == SP_OK && !a->common.quiet)
        say(&merged, folder);
    return status;
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    char **word;
    size_t words, shards = 0;
    int code;
    arguments a = { .common = SP_COMMON_DEFAULTS };
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    code = SP_EXIT_USAGE;
    SP_TRY(sp_session_open(word[0], &a.common, NULL, false, &session, &error));
    code = SP_EXIT_FAILED;
    if (a.store)
        SP_TRY(sp_place_link(session.results, a.store, &error));
    SP_TRY(sp_session_store(&session, true, &error));
    for (size_t i = 1; i < words; i++)
        if (sp_holds_shards(word[i]))
            word[1 + shards++] = word[i];
        else
            SP_TRY(merge_tables(&session, word[i], &a, &error));
    if (shards > 0 || words == 1) {
        sp_merged_files m;
        SP_TRY(sp_merge_shards(&session, word + 1, shards, a.common.quiet, &m, &error));
        if (!a.common.quiet)
            printf("%zu shard%s: %zu runs imported, %zu replaced, %zu there before\ntables: %s\n", m.files, m.files == 1 ? "" : "s",
                   m.runs.brought, m.runs.replaced, m.runs.there, session.results);
    }
    code = SP_EXIT_OK;
cleanup:
    if (status == SP_EABSENT) /* no such folder, no shards */
        code = SP_EXIT_USAGE;
    if (status != SP_OK)
        sp_complain(&error, code);
    sp_session_say_damage(&session, &code);
    sp_session_close(&session);
    return code;
}

const sp_verb sp_verb_merge = { "merge", "runs from tables, or from the tasks of a sweep, into the store", &usage, run };
