/* tasks.c -- see tasks.h. */
#include "core/cluster/tasks.h"

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/cluster/shard_check.h"
#include "core/cluster/shard.h"
#include "core/cluster/merge.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
    char why[SP_CUT_WHY], *name = sp_shard_name(shard, false);
    sp_status status = name ? sp_store_mergeable(f->folder, name, f->session->plan.script, &has, &error) : SP_ENOMEM;
    if (status == SP_OK && !sp_cut_same(&has, &f->now, why))
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

/* --- what each has to do ------------------------------------------------------------------------------------------ */

typedef struct loads {
    const sp_balance *balance;
    const double *cell_seconds; /* by cell: what a stored run of it took; NAN: none is stored */
    double *runs, *seconds;     /* by task, from 0 */
    double unknown;             /* runs whose cell has no stored one */
} loads;

static void add(void *context, const sp_piece_of_plan *piece)
{
    loads *l = context;
    const double known = l->cell_seconds[piece->cell->index];
    const double guess = 1e-6 * (double)sp_balance_weight(l->balance, piece->cell);
    l->runs[piece->task - 1] += (double)piece->runs;
    l->seconds[piece->task - 1] += (double)piece->runs * (isnan(known) ? guess : known);
    l->unknown += isnan(known) ? (double)piece->runs : 0.0;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One stored run of each cell; the largest memory of them. */
static double read_seconds(const sp_session *s, double *seconds)
{
    double memory = 0.0;
    for (size_t i = 0; i < s->plan.cells; i++) {
        const sp_cell *cell = &s->plan.cell[i];
        sp_result result = { 0 };
        seconds[i] = NAN;
        if (s->store && !cell->skip && !cell->pending && sp_store_get(s->store, cell, cell->first, &result, NULL) == SP_OK) {
            seconds[i] = result.elapsed;
            memory = fmax(memory, (double)result.peak_memory);
        }
        sp_result_free(&result);
    }
    return memory;
}

/* Bytes a run in the store that there is; NAN without one. */
static double disk_a_run(const sp_session *s)
{
    struct stat about;
    char *path = sp_format("%s/" SP_STORE_FILE, s->results);
    const size_t runs = s->store ? sp_store_runs(s->store) : 0;
    const bool there = path && runs > 0 && stat(path, &about) == 0;
    free(path);
    return there ? (double)about.st_size / (double)runs : (double)NAN;
}

sp_status sp_tasks_print(const sp_session *s, size_t of, const sp_balance *balance, sp_error *error)
{
    enum { CELL = 200 }; /* bytes of one in a plan: docs/how_to/large_sweeps.md */
    sp_status status = SP_OK;
    double *seconds = sp_alloc_doubles(s->plan.cells + 1);
    loads l = { balance, seconds, sp_alloc_doubles(of), sp_alloc_doubles(of), 0.0 };
    if (!seconds || !l.runs || !l.seconds)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->plan.path));
    const double memory = read_seconds(s, seconds), disk = disk_a_run(s);
    for (size_t k = 0; k < of; k++)
        l.runs[k] = l.seconds[k] = 0.0;
    SP_TRY(sp_shards_walk(&s->plan, of, balance, add, &l, error));
    qsort(l.runs, of, sizeof *l.runs, by_size);
    qsort(l.seconds, of, sizeof *l.seconds, by_size);
    printf("%zu tasks\nruns a task: %.0f to %.0f, median %.0f\n", of, l.runs[0], l.runs[of - 1], l.runs[of / 2]);
    if (balance->timings == 0)
        printf("minutes a task: not known before a run is stored (`run --scale smoke`, or --only LABEL, gives an idea); till "
               "then runs weigh by n d of their problems\n");
    else
        printf("minutes a task on one processor: %.3g to %.3g, median %.3g%s\n", l.seconds[0] / 60.0,
               l.seconds[of - 1] / 60.0, l.seconds[of / 2] / 60.0,
               l.unknown > 0.0 ? " (where no run of a cell is stored, by n d and what others of its method took)" : "");
    printf("memory a task: %.0f MB for the plan%s", 16.0 + (double)(s->plan.cells + s->plan.trials) * CELL / 1e6,
           memory > 0.0 ? "" : ", and that of its workers\n");
    if (memory > 0.0)
        printf(", and %.0f MB a worker at most so far\n", memory / 1e6);
    if (isnan(disk))
        printf("disk a task: not known before a run is stored\n");
    else
        printf("disk a task: %.3g MB below TMPDIR at most, as much in %s/shards\n", disk * l.runs[of - 1] / 1e6,
               s->results);
cleanup:
    free(seconds);
    free(l.runs);
    free(l.seconds);
    return status;
}
