/* shard.c -- see shard.h. */
#include "core/cluster/shard_check.h"
#include "core/cluster/leftover.h"
#include "core/cluster/shard.h"
#include "core/session/temporary.h"

#include "core/base/atomic_file.h"
#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/session/home.h"
#include "core/cluster/merge.h"
#include "core/export/provenance.h"
#include "core/sweep/tuning.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *sp_shards_folder(const char *results)
{
    return sp_format("%s/shards", results);
}

typedef struct task {
    sp_store *store;
    char *scratch;      /* the folder of its own */
    char *done, *part;  /* where its runs are kept */
    bool left;          /* another task was stopped in it */
    bool unsaved;       /* they could not be: the folder stays */
    sp_task_row now;    /* which part of the sweep it is */
} task;

/* What an earlier task of the same number has left. */
static sp_status go_on(const task *t, sp_error *error)
{
    sp_status status = SP_OK;
    const char *from = access(t->done, F_OK) == 0 ? t->done : access(t->part, F_OK) == 0 ? t->part : NULL;
    char *store = sp_format("%s/" SP_STORE_FILE, t->scratch);
    if (!store)
        status = sp_fail(error, SP_ENOMEM, "%s: out of memory", t->scratch);
    else if (from)
        status = sp_copy_file(from, store, error);
    free(store);
    return status;
}

static void save_part(void *context)
{
    const task *t = context;
    sp_error error = { 0 };
    if (sp_store_save(t->store, t->part, &error) != SP_OK)
        fprintf(stderr, "not saved, and tried again later: %s\n", error.text);
}

/* `whole`: nothing is left to do. */
static sp_status keep(task *t, bool whole, sp_error *error)
{
    const sp_status status = sp_store_save(t->store, whole ? t->done : t->part, error);
    t->unsaved = status != SP_OK;
    if (t->unsaved)
        sp_fail_prefix(error, "its runs stay in %s, for they could not be copied", t->scratch);
    if (status == SP_OK && whole) {
        unlink(t->part);
        sp_remove_leftovers(t->part); /* of a task that was killed while it saved */
    }
    return status;
}

/* Imports the runs that an earlier task of the same number kept in a file; those of other sources are stale. */
static sp_status take_kept(const task *t, const char *folder, const char *name, sp_error *error)
{
    sp_merged brought;
    const sp_status status = sp_store_merge(t->store, folder, name, NULL, &brought, error);
    return status == SP_EVERSION || status == SP_EABSENT ? SP_OK : status;
}

/* A finished file of another part, and a part that was begun since, are both gone on from; where the task goes on in a folder
 * that was left, neither is in it yet. */
static sp_status go_on_from_all(const task *t, const char *folder, const char *done, const char *part, bool quiet, sp_error *error)
{
    sp_status status = SP_OK;
    sp_task_row has;
    char why[SP_SHARD_WHY];
    const bool finished = access(t->done, F_OK) == 0;
    if (finished && !t->left) {
        SP_TRY(sp_store_get_task(t->store, &has, error));
        if (!sp_shard_check(&has, &t->now, why) && !quiet)
            fprintf(stderr, "goes on from %s, which is not what task %s is now: %s\n", t->done, t->now.shard, why);
    }
    if (finished && t->left)
        SP_TRY(take_kept(t, folder, done, error));
    if (finished || t->left)
        SP_TRY(take_kept(t, folder, part, error));
cleanup:
    return status;
}

/* The command that brings in what stayed in the task's folder, where that is. */
static void say_how_to_bring(const task *t, const sp_session *s, const sp_common *common)
{
    sp_text command = { 0 };
    char host[256] = "", *program = NULL;
    char *experiment = sp_absolute_path(s->plan.path), *root = sp_absolute_path(common->root);
    char *folder = sp_absolute_path(t->scratch);
    gethostname(host, sizeof host - 1);
    if (experiment && root && folder && sp_this_program(&program, NULL) == SP_OK) {
        sp_quote(&command, program);
        sp_text_append(&command, " merge ");
        sp_quote(&command, experiment);
        sp_text_append(&command, " --root ");
        sp_quote(&command, root);
        sp_text_append(&command, " --scale ");
        sp_quote(&command, s->plan.scale);
        sp_text_append(&command, " ");
        sp_quote(&command, folder);
    }
    if (command.data && !command.failed)
        fprintf(stderr, "runs that could not be copied come in, once there is room, by this command on %s:\n    %s\n",
                host[0] ? host : "this machine", command.data);
    sp_text_free(&command);
    free(program);
    free(experiment);
    free(root);
    free(folder);
}

/* Names what was damaged, and is computed again. */
static void say_healed(const task *t, const char *name)
{
    const char *aside;
    const sp_damages *lost = sp_store_healed(t->store, &aside);
    for (size_t i = 0; i < lost->count; i++)
        fprintf(stderr, "%s: %s%s%s%s; it is computed again\n", name, lost->item[i].run[0] ? "run " : "", lost->item[i].run,
                lost->item[i].run[0] ? ": " : "", lost->item[i].what);
}

static sp_status open_task(task *t, const char *results, sp_shard shard, bool quiet, sp_error *error)
{
    sp_status status = SP_OK;
    char *folder = sp_shards_folder(results), *done = sp_shard_name(shard, false), *part = sp_shard_name(shard, true);
    t->done = folder && done ? sp_format("%s/%s", folder, done) : NULL;
    t->part = folder && part ? sp_format("%s/%s", folder, part) : NULL;
    if (!t->done || !t->part)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", results));
    SP_TRY(sp_make_directory(folder, error));
    t->scratch = sp_scratch_find(done, t->done);
    t->left = t->scratch != NULL;
    if (t->left && !quiet)
        fprintf(stderr, "goes on from %s, where a task %s was stopped\n", t->scratch, t->now.shard);
    if (!t->left) {
        SP_TRY(sp_scratch_make(done, t->done, &t->scratch, error));
        SP_TRY(go_on(t, error));
    }
    status = sp_store_open(t->scratch, &t->store, error);
    if (status == SP_EDATA || status == SP_EVERSION)
        sp_fail(error, status, "%s goes on from %s, which is no store of this program, or damaged: remove it, and its "
                "runs are computed again", done, t->left ? t->scratch : access(t->done, F_OK) == 0 ? t->done : t->part);
    SP_TRY(status);
    say_healed(t, done);
    SP_TRY(go_on_from_all(t, folder, done, part, quiet, error));
cleanup:
    free(folder);
    free(done);
    free(part);
    return status;
}

static void close_task(task *t)
{
    sp_store_close(t->store);
    if (!t->unsaved)
        sp_temporary_remove(t->scratch);
    free(t->scratch);
    free(t->done);
    free(t->part);
}

void sp_shard_hold_signals(sigset_t *held, sigset_t *before)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction now;
    sigemptyset(held);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(held, ends[i]);
    sigprocmask(SIG_BLOCK, held, before);
}

sp_status sp_run_shard(const char *experiment, const sp_common *common, bool fetch, sp_shard shard,
                       const sp_run_options *options, int argc, char *const *argv, sp_run_summary *summary,
                       sp_error *error)
{
    sp_status status = SP_OK;
    sp_session session = { 0 };
    sp_balance balance = { 0 };
    task t = { 0 };
    sp_run_options with = *options;
    char *folder = NULL;
    SP_TRY(sp_session_open(experiment, common, NULL, fetch, &session, error));
    SP_TRY(sp_session_own(&session, error));
    if (!(folder = sp_shards_folder(session.results)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", session.results));
    SP_TRY(sp_balance_read(folder, &balance, error));
    sp_shard_text(shard, t.now.shard);
    SP_TRY(sp_balance_digest(&balance, t.now.balance, error));
    SP_TRY(sp_plan_shard(&session.plan, shard, &balance, t.now.part, error));
    sp_shard_hold_signals(&(sigset_t){ 0 }, NULL);
    SP_TRY(open_task(&t, session.results, shard, common->quiet, error));
    SP_TRY(sp_tuning_choose(&session.plan, t.store, error));
    SP_TRY(sp_provenance_record(&session.plan, t.store, argc, argv, error));
    SP_TRY(sp_store_put_task(t.store, &t.now, error));
    with.save = save_part;
    with.save_context = &t;
    status = sp_run_stages(&session.plan, t.store, &with, summary, error);
    if (!common->quiet || summary->failed > 0)
        fprintf(stderr, "%s, part %zu of %zu: %zu runs: %zu done now, %zu there before, %zu failed, %zu left\n",
                session.plan.name, shard.number, shard.of, summary->planned, summary->done, summary->present,
                summary->failed, summary->remaining);
    if (summary->present + summary->done + summary->failed > 0 || status == SP_OK) { /* whatever has stopped it */
        sp_error unsaved = { 0 };
        const sp_status kept = keep(&t, status == SP_OK && summary->remaining == 0, &unsaved);
        if (kept != SP_OK) {
            status = kept;
            *error = unsaved;
            say_how_to_bring(&t, &session, common);
        }
    }
cleanup:
    close_task(&t);
    free(folder);
    sp_balance_free(&balance);
    sp_session_close(&session);
    return status;
}
