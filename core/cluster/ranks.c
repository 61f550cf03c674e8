/* ranks.c -- see ranks.h. */
#include "core/cluster/ranks.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/cluster/part_claim.h"
#include "core/cluster/tasks.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PARTS_A_RANK = 8 /* so that ranks end at about the same time, and little is lost with one */ };

/* --- who is there ------------------------------------------------------------------------------------------------- */

static bool read_number(const char *name, size_t *out)
{
    const char *text = getenv(name);
    char *end = NULL;
    *out = text && *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    return end && *end == '\0';
}

/* Slurm sets SLURM_PROCID and SLURM_NTASKS in a batch script too, where one process stands for all. There
 * SLURM_STEP_ID is unset, or above SLURM_MAX_NORMAL_STEP_ID of slurm.h, as in the shell of salloc. */
static bool is_step(void)
{
    size_t step;
    return read_number("SLURM_STEP_ID", &step) && step <= 0xfffffff0u;
}

sp_status sp_ranks_find(sp_ranks *out, sp_error *error)
{
    static const char *const name[][2] = { { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
                                           { "PMI_RANK", "PMI_SIZE" },
                                           { "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" },
                                           { "SLURM_PROCID", "SLURM_NTASKS" } };
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if ((i < 2 || is_step()) && read_number(name[i][0], &out->rank) && read_number(name[i][1], &out->size) &&
            out->rank < out->size)
            return SP_OK;
    return sp_fail(error, SP_EINVAL, "--shard auto: neither mpirun nor srun has started this process "
                   "(OMPI_COMM_WORLD_RANK, PMI_RANK, and SLURM_PROCID of a step, are not set). Use `mpirun -n 64 stillpoint "
                   "run X.lua --shard auto`, or `srun` in its place; without them `run --shard K/N` computes one part");
}

/* --- the parts ---------------------------------------------------------------------------------------------------- */

typedef struct ranks {
    const char *experiment;
    const sp_common *common;
    bool fetch;
    const sp_run_options *options;
    int argc;
    char *const *argv;
    char *folder;    /* of the parts */
    size_t of;       /* how many parts there are */
    bool *lacks;     /* by part, from 1: it is not done */
    uint64_t *stamp; /* by part: of its finished file when `lacks` was found, 0: there was none */
    size_t left, failed;
} ranks;

static char *path_of(const ranks *r, size_t part, const char *ending)
{
    char *name = sp_shard_name((sp_shard){ part, r->of }, false);
    char *path = name ? sp_format("%s/%s%s", r->folder, name, ending) : NULL;
    free(name);
    return path;
}

/* Another file, or another state of it, has another stamp. */
static uint64_t stamp_of(const ranks *r, size_t part)
{
    struct stat found = { 0 };
    char *path = path_of(r, part, "");
    const bool there = path && stat(path, &found) == 0;
    free(path);
    return there ? (uint64_t)found.st_ino * 1000003u + (uint64_t)found.st_mtim.tv_sec * 1000000000u +
                       (uint64_t)found.st_mtim.tv_nsec + 1 : 0;
}

/* false: a blocked signal has come that ends this process. */
static bool wait_a_little(const sigset_t *blocked)
{
    sigset_t none;
    const double wait = fmin(fmax(sp_part_claim_limit() / 100.0, 0.02), 1.0);
    const struct timespec pause = { (time_t)wait, (long)(1e9 * (wait - floor(wait))) };
    sigemptyset(&none);
    return sigtimedwait(blocked ? blocked : &none, NULL, &pause) < 0;
}

/* The timings by which all processes cut the sweep: the first one measures and writes them. */
static sp_status agree_on_balance(const ranks *r, const sp_session *s, sp_balance *out, sp_error *error)
{
    sp_part_claim claim = { 0 };
    sp_status status = SP_EABSENT;
    char *path = sp_format("%s/balance.claim", r->folder), *written = sp_format("%s/balance.tsv", r->folder);
    if (!path || !written)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", r->folder));
    SP_TRY(sp_make_directory(r->folder, error));
    while (access(written, F_OK) != 0 && (status = sp_part_claim_take(&claim, path, error)) == SP_EABSENT)
        wait_a_little(NULL);
    if (status == SP_OK || status == SP_EABSENT)
        status = sp_tasks_balance(s, r->common, true, out, error);
cleanup:
    sp_part_claim_release(&claim);
    free(path);
    free(written);
    return status;
}

/* As many parts as earlier files are of, if these agree. */
static sp_status find_parts(ranks *r, sp_session *s, size_t size, sp_error *error)
{
    sp_status status = SP_OK;
    sp_balance balance = { 0 };
    SP_TRY(sp_session_store_if_any(s, error));
    if (sp_tasks_there(s, &r->of, NULL) != SP_OK || r->of == 0)
        r->of = PARTS_A_RANK * size;
    r->folder = sp_shards_folder(s->results);
    r->lacks = sp_alloc(r->of + 2, sizeof *r->lacks);
    r->stamp = sp_alloc(r->of + 2, sizeof *r->stamp);
    if (!r->folder || !r->lacks || !r->stamp)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->results));
    SP_TRY(agree_on_balance(r, s, &balance, error));
    for (size_t part = 1; part <= r->of; part++)
        r->stamp[part] = stamp_of(r, part);
    SP_TRY(sp_tasks_lack(s, r->of, &balance, r->lacks, error));
    for (size_t part = 1; part <= r->of; part++)
        r->left += r->lacks[part];
cleanup:
    sp_balance_free(&balance);
    sp_store_close(s->store);
    s->store = NULL;
    return status;
}

static void end_part(ranks *r, size_t part)
{
    r->lacks[part] = false;
    r->left--;
}

/* Has another process finished it meanwhile? */
static bool is_finished(const ranks *r, size_t part)
{
    const uint64_t stamp = stamp_of(r, part);
    return stamp != 0 && stamp != r->stamp[part];
}

/* One part, which this process has claimed. Whatever fails but for a signal is reported, and the next part is tried. */
static sp_status compute(ranks *r, size_t part, sp_error *error)
{
    sp_common common = *r->common;
    sp_run_options options = *r->options;
    sp_run_summary summary = { 0 };
    common.quiet = options.quiet = true; /* of many processes */
    const sp_status status = sp_run_shard(r->experiment, &common, r->fetch, (sp_shard){ part, r->of }, &options,
                                          r->argc, r->argv, &summary, error);
    if (status == SP_EINTERRUPTED)
        return status;
    if (status != SP_OK)
        fprintf(stderr, "stillpoint: part %zu of %zu: %s\n", part, r->of, error->text);
    r->failed += status != SP_OK || summary.remaining > 0;
    end_part(r, part);
    return SP_OK;
}

/* *held: another process has claimed it. */
static sp_status try_part(ranks *r, size_t part, bool *held, sp_error *error)
{
    sp_part_claim claim = { 0 };
    char *path = path_of(r, part, ".claim");
    sp_status status = path ? sp_part_claim_take(&claim, path, error)
                            : sp_fail(error, SP_ENOMEM, "%s: out of memory", r->folder);
    free(path);
    *held = status == SP_EABSENT;
    if (status != SP_OK)
        return *held ? SP_OK : status;
    if (claim.from[0])
        fprintf(stderr, "stillpoint: part %zu of %zu is taken over from a process that is gone (%s)\n", part, r->of,
                claim.from);
    if (is_finished(r, part))
        end_part(r, part);
    else
        status = compute(r, part, error);
    sp_part_claim_release(&claim);
    return status;
}

/* Ranks begin at different parts. Once all parts that are left are claimed by other processes, each look is followed
 * by a wait. */
static sp_status compute_all(ranks *r, const sp_ranks *own, sp_error *error)
{
    sp_status status = SP_OK;
    sigset_t signals, before;
    size_t part = own->rank * r->of / own->size, held = 0; /* looks in a row that found a part claimed */
    sp_shard_hold_signals(&signals, &before);
    while (r->left > 0) {
        bool claimed = false;
        part = part % r->of + 1;
        if (!r->lacks[part])
            continue;
        if (is_finished(r, part)) {
            end_part(r, part);
            continue;
        }
        SP_TRY(try_part(r, part, &claimed, error));
        held = claimed ? held + 1 : 0;
        if (claimed && held >= r->left && !wait_a_little(&signals))
            SP_TRY(sp_fail(error, SP_EINTERRUPTED, "interrupted while other processes computed the last %zu of %zu parts",
                           r->left, r->of));
    }
cleanup:
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

/* Claims of parts that are done: their process ended between the last byte of a part and the end of its claim. */
static void remove_claims(const ranks *r)
{
    for (size_t part = 1; part <= r->of; part++) {
        char *path = stamp_of(r, part) != 0 ? path_of(r, part, ".claim") : NULL;
        if (path)
            unlink(path);
        free(path);
    }
}

static sp_status merge_all(sp_session *s, sp_error *error)
{
    sp_merged_files merged;
    sp_status status = sp_session_store(s, true, error);
    if (status == SP_OK)
        status = sp_merge_shards(s, NULL, 0, true, &merged, error);
    return status == SP_EABSENT ? SP_OK : status;
}

sp_status sp_run_ranks(const sp_ranks *own, const char *experiment, const sp_common *common, bool fetch,
                       const sp_run_options *options, int argc, char *const *argv, bool *goes_on, sp_error *error)
{
    sp_status status = SP_OK;
    sp_session session = { 0 };
    ranks r = { experiment, common, fetch, options, argc, argv, .of = 0 };
    *goes_on = false;
    SP_TRY(sp_session_open(experiment, common, NULL, fetch, &session, error));
    SP_TRY(sp_session_own(&session, error));
    SP_TRY(find_parts(&r, &session, own->size, error));
    SP_TRY(compute_all(&r, own, error));
    if (own->rank > 0)
        goto cleanup;
    remove_claims(&r);
    SP_TRY(merge_all(&session, error));
    if (r.failed > 0)
        SP_TRY(sp_fail(error, SP_EINTERRUPTED, "%zu of %zu parts are not done: the same command continues", r.failed,
                       r.of));
    *goes_on = true;
cleanup:
    free(r.folder);
    free(r.lacks);
    free(r.stamp);
    sp_session_close(&session);
    return status;
}
