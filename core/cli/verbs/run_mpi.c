/* run_mpi.c -- `run --mpi`: the tasks of a sweep by the ranks of one MPI job (core/cluster/mpi.h). */
#include "core/cli/verbs/shard.h"
#include "core/cli/verbs/tasks.h"

#include "core/base/memory.h"
#include "core/session/home.h"
#include "core/cluster/mpi.h"

#include <stdio.h>
#include <stdlib.h>

enum { TASKS_A_RANK = 8 }; /* so that ranks end at about the same time, and little is lost with one */

typedef struct rank_work {
    const char *experiment;
    const sp_common *common;
    bool fetch;
    const sp_run_options *options;
    int argc;
    char *const *argv;
} rank_work;

static sp_status work(void *context, sp_shard shard, sp_error *error)
{
    const rank_work *w = context;
    sp_common common = *w->common;
    sp_run_options options = *w->options;
    sp_run_summary summary = { 0 };
    common.quiet = options.quiet = true; /* of many, rank 0 speaks */
    const sp_status status = sp_run_shard(w->experiment, &common, w->fetch, shard, &options, w->argc, w->argv, &summary,
                                          error);
    if (status != SP_OK && status != SP_EINTERRUPTED)
        fprintf(stderr, "stillpoint: task %zu of %zu: %s\n", shard.number, shard.of, error->text);
    return status;
}

static void say(const char *line)
{
    fprintf(stderr, "stillpoint: %s\n", line);
}

/* As many tasks as files of earlier ones are of, if these agree. */
static sp_status find_missing(sp_session *s, const sp_common *common, const sp_mpi *mpi, size_t *of, bool **lacks,
                              sp_error *error)
{
    sp_status status = SP_OK;
    sp_balance balance = { 0 };
    SP_TRY(sp_session_store_if_any(s, error));
    if (sp_tasks_there(s, of, NULL) != SP_OK || *of == 0)
        *of = TASKS_A_RANK * (mpi->ranks - 1);
    if (!(*lacks = sp_alloc(*of + 2, sizeof **lacks)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->results));
    SP_TRY(sp_tasks_balance(s, common, true, &balance, error));
    SP_TRY(sp_tasks_lack(s, *of, &balance, *lacks, error));
cleanup:
    sp_balance_free(&balance);
    sp_store_close(s->store);
    s->store = NULL;
    return status;
}

static sp_status lead(const rank_work *w, sp_mpi *mpi, bool *goes_on, sp_error *error)
{
    sp_status status = SP_OK, merged = SP_OK;
    sp_session session = { 0 };
    sp_error other = { 0 };
    bool *lacks = NULL;
    size_t of = 0, left = 0;
    SP_TRY(sp_session_open(w->experiment, w->common, NULL, w->fetch, &session, error));
    SP_TRY(find_missing(&session, w->common, mpi, &of, &lacks, error));
    status = sp_mpi_hand_out(mpi, lacks, of, w->common->quiet ? NULL : say, &left, error);
    sp_mpi_end(mpi);
    merged = sp_session_store(&session, true, &other); /* what is there, whatever has happened */
    if (merged == SP_OK)
        merged = sp_merge_shards(&session, NULL, 0, true, &other);
    if (status == SP_OK && merged != SP_OK && merged != SP_EABSENT)
        SP_TRY(sp_fail(error, merged, "%s", other.text));
    if (status != SP_OK && merged != SP_OK && merged != SP_EABSENT)
        fprintf(stderr, "stillpoint: %s\n", other.text);
    if (status == SP_OK && left > 0)
        SP_TRY(sp_fail(error, SP_EINTERRUPTED, "%zu of %zu tasks are not done: the same command goes on from here", left, of));
    *goes_on = status == SP_OK;
cleanup:
    free(lacks);
    sp_session_close(&session);
    return status;
}

sp_status sp_run_mpi(const char *experiment, const sp_common *common, bool fetch, const sp_run_options *options, int argc,
                     char *const *argv, bool *goes_on, sp_error *error)
{
    sp_status status = SP_OK;
    rank_work w = { experiment, common, fetch, options, argc, argv };
    sp_mpi mpi = { .socket = -1 };
    char *messenger = NULL;
    *goes_on = false;
    SP_TRY(sp_beside_program("stillpoint-mpi", &messenger, error));
    SP_TRY(sp_mpi_start(&mpi, messenger, error));
    status = mpi.rank == 0 ? lead(&w, &mpi, goes_on, error) : sp_mpi_serve(&mpi, work, &w, error);
cleanup:
    sp_mpi_end(&mpi);
    free(messenger);
    return status;
}
