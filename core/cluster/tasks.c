/* tasks.c -- see tasks.h. */
#include "core/cluster/tasks.h"

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/cluster/shard_check.h"
#include "core/cluster/shard.h"
#include "core/cluster/merge.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- how many tasks ---------------------------------------------------------------------------------------------- */

sp_status sp_tasks_of_all(const sp_picked *picked, size_t seeds, sp_error *error)
{
    if (picked->only.count + picked->where.count > 0 || seeds > 1)
        return sp_fail(error, SP_EINVAL, "tasks are parts of all runs of one seed: they do not go with --only, --where and "
                       "--seeds");
    return SP_OK;
}

/* N of "017-of-200.sqlite" and "017-of-200.part.sqlite"; 0: another file. */
static size_t tasks_of(const char *name)
{
    const char *mark = strstr(name, "-of-");
    char *end = NULL;
    const size_t of = mark ? strtoul(mark + 4, &end, 10) : 0;
    return end && (strcmp(end, ".sqlite") == 0 || strcmp(end, ".part.sqlite") == 0) ? of : 0;
}

sp_status sp_tasks_there(const sp_session *s, size_t *of, sp_error *error)
{
    sp_status status = SP_OK;
    char *folder = sp_shards_folder(s->results);
    DIR *open = folder ? opendir(folder) : NULL;
    struct dirent *entry;
    *of = 0;
    while (open && status == SP_OK && (entry = readdir(open)) != NULL) {
        const size_t found = tasks_of(entry->d_name);
        if (found > 0 && *of > 0 && found != *of)
            status = sp_fail(error, SP_EINVAL, "%s: parts of %zu and of %zu tasks: say --tasks N", folder,
                             found < *of ? found : *of, found < *of ? *of : found);
        *of = found > 0 ? found : *of;
    }
    if (open)
        closedir(open);
    free(folder);
    return status;
}

/* --- how they are cut --------------------------------------------------------------------------------------------- */

/* From the stored runs of another scale; none where there is no such scale, or nothing of it is stored. */
static sp_status measure_smoke(const sp_session *s, const sp_common *common, sp_balance *out, sp_error *error)
{
    sp_common smoke = *common;
    sp_session other = { 0 };
    sp_error unheard = { 0 };
    sp_status status = SP_OK;
    smoke.scale = "smoke";
    if (strcmp(common->scale, "smoke") != 0 && sp_session_open(s->plan.path, &smoke, NULL, false, &other, &unheard) == SP_OK &&
        sp_session_store_if_any(&other, &unheard) == SP_OK && other.store)
        status = sp_balance_measure(&other.plan, other.store, out, error);
    sp_session_close(&other);
    return status;
}

sp_status sp_tasks_balance(const sp_session *s, const sp_common *common, bool keep, sp_balance *out, sp_error *error)
{
    sp_status status = SP_OK;
    size_t of = 0;
    char *folder = sp_shards_folder(s->results);
    if (!folder)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", s->results);
    SP_TRY(sp_balance_read(folder, out, error));
    if (out->kept || sp_tasks_there(s, &of, NULL) != SP_OK || of > 0)
        goto cleanup;
    if (s->store)
        SP_TRY(sp_balance_measure(&s->plan, s->store, out, error));
    if (out->timings == 0) {
        sp_balance_free(out);
        SP_TRY(measure_smoke(s, common, out, error));
    }
    if (keep)
        SP_TRY(sp_balance_write(out, folder, error));
cleanup:
    free(folder);
    return status;
}

/* --- which are missing ------------------------------------------------------------------------------------------- */

typedef struct missing {
    const sp_session *session;
    bool *lacks;  /* by task */
    sp_status status;
    sp_error *error;
} missing;

static void look_at(missing *m, size_t task, const sp_cell *cell, size_t first, size_t end)
{
    for (size_t r = first; r < end && !cell->skip && m->status == SP_OK && !m->lacks[task]; r++) {
        sp_run_state state = SP_RUN_MISSING;
        if (m->session->store)
            m->status = sp_store_state(m->session->store, cell, r, &state, NULL, m->error);
        m->lacks[task] = state == SP_RUN_MISSING || state == SP_RUN_STALE;
    }
}

static void look(void *context, const sp_piece_of_plan *piece)
{
    missing *m = context;
    const sp_plan *plan = &m->session->plan;
    if (!piece->tuning) {
        look_at(m, piece->task, piece->cell, piece->replicate, piece->replicate + 1);
        return;
    }
    for (size_t i = 0; i < plan->tunings; i++)
        for (size_t k = 0; &plan->tuning[plan->tuning[i].from] == piece->tuning && k < plan->tuning[i].members; k++) {
            const sp_cell *cell = &plan->cell[plan->tuning[i].cell + k];
            look_at(m, piece->task, cell, cell->first, cell->first + cell->replicates);
        }
}

typedef struct finished {
    const sp_session *session;
    const char *folder;
    bool *lacks;     /* by task */
    sp_task_row now; /* its shard and its part are those of `task` */
    size_t task, of;
    sp_hash part;    /* so far */
} finished;

/* A finished file that cannot be merged is none, nor is one of another part: why is said. */
static bool is_finished(finished *f, sp_shard shard)
{
    sp_error error = { 0 };
    sp_task_row has;
    char why[SP_SHARD_WHY], *name = sp_shard_name(shard, false);
    sp_status status = name ? sp_store_mergeable(f->folder, name, f->session->plan.script, &has, &error) : SP_ENOMEM;
    if (status == SP_OK && !sp_shard_check(&has, &f->now, why))
        status = sp_fail(&error, SP_EVERSION, "%s/%s is not what task %s is now: %s. Run the task again, which goes on from "
                         "it; `merge` takes its runs in any case", f->folder, name, f->now.shard, why);
    if (status != SP_OK && status != SP_EABSENT)
        fprintf(stderr, "stillpoint: %s\n", error.text);
    free(name);
    return status == SP_OK;
}

/* All pieces of the task have been met. */
static void end_part(finished *f)
{
    const sp_shard shard = { f->task, f->of };
    if (f->task == 0 || !f->lacks[f->task])
        return;
    sp_shard_text(shard, f->now.shard);
    sp_hash_end_hex(&f->part, f->now.part);
    f->lacks[f->task] = !is_finished(f, shard);
}

static void add_to_part(void *context, const sp_piece_of_plan *piece)
{
    finished *f = context;
    if (piece->task != f->task) {
        end_part(f);
        f->task = piece->task;
        sp_part_start(&f->part, &f->session->plan, (sp_shard){ f->task, f->of });
    }
    if (f->lacks[f->task])
        sp_part_add(&f->part, piece);
}

/* A folder that cannot be read may hold every file; one that is not there holds none. */
static sp_status check_folder(const char *folder, sp_error *error)
{
    DIR *open = opendir(folder);
    if (!open && errno != ENOENT)
        return sp_fail(error, SP_EIO, "%s: %s", folder, strerror(errno));
    if (open)
        closedir(open);
    return SP_OK;
}

sp_status sp_tasks_lack(const sp_session *s, size_t of, const sp_balance *balance, bool *lacks, sp_error *error)
{
    sp_status status = SP_OK;
    missing m = { s, lacks, SP_OK, error };
    char *folder = sp_shards_folder(s->results);
    finished f = { .session = s, .folder = folder, .lacks = lacks, .of = of };
    if (!folder)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", s->results);
    SP_TRY(check_folder(folder, error));
    SP_TRY(sp_shards_walk(&s->plan, of, balance, look, &m, error));
    SP_TRY(m.status);
    SP_TRY(sp_balance_digest(balance, f.now.balance, error));
    SP_TRY(sp_shards_walk(&s->plan, of, balance, add_to_part, &f, error));
    end_part(&f);
cleanup:
    free(folder);
    return status;
}

void sp_tasks_list(const bool *of_tasks, size_t of, sp_text *out)
{
    for (size_t k = 1, last; k <= of; k = last + 1) {
        for (last = k; of_tasks[k] && of_tasks[last + 1]; last++)
            ;
        if (of_tasks[k])
            sp_text_append(out, "%s%zu", out->length > 0 ? "," : "", k);
        if (last > k)
            sp_text_append(out, "-%zu", last);
    }
}

sp_status sp_tasks_missing(const sp_session *s, size_t of, const sp_balance *balance, sp_text *out, sp_error *error)
{
    sp_status status = SP_OK;
    bool *lacks = sp_alloc(of + 2, sizeof *lacks);
    if (!lacks)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", s->results);
    SP_TRY(sp_tasks_lack(s, of, balance, lacks, error));
    sp_tasks_list(lacks, of, out);
    if (out->failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->results));
cleanup:
    free(lacks);
    return status;
}
