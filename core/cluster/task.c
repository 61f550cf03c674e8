/* task.c -- see task.h. */
#include "core/cluster/task.h"

#include "core/store/store_internal.h"

#include <stdio.h>

sp_status sp_store_put_task(sp_store *store, const sp_task_row *task, sp_error *error)
{
    sp_status status = SP_OK;
    sp_row r;
    SP_TRY(sp_database_run(&store->database, MAKE_TASKS, "making room for its task", error));
    SP_TRY(sp_row_prepare(&store->database, PUT_TASK, &r, error));
    sp_put_count(&r, store->invocation);
    sp_put_text(&r, task->shard);
    sp_put_text(&r, task->balance);
    sp_put_text(&r, task->part);
    sp_put_checksum(&r);
    SP_TRY(sp_row_run(&r, "storing its task", error));
cleanup:
    return status;
}

sp_status sp_store_get_task(sp_store *store, sp_task_row *task, sp_error *error)
{
    sp_status status = SP_OK;
    uint64_t there = 0, last = 0;
    sp_row r;
    *task = (sp_task_row){ .shard = "" };
    SP_TRY(sp_store_ask(store, HAS_TASKS, &there, error));
    if (there == 0)
        return SP_OK;
    SP_TRY(sp_store_ask(store, LAST_INVOCATION, &last, error));
    SP_TRY(sp_row_prepare(&store->database, TASK, &r, error));
    sp_put_count(&r, last);
    status = sp_row_next(&r, error);
    if (status != SP_OK)
        return status == SP_EABSENT ? SP_OK : status;
    sp_take_count(&r);
    snprintf(task->shard, sizeof task->shard, "%s", sp_take_text(&r));
    snprintf(task->balance, sizeof task->balance, "%s", sp_take_text(&r));
    snprintf(task->part, sizeof task->part, "%s", sp_take_text(&r));
    if (!sp_take_checksum(&r))
        status = sp_store_note(store, "", "a row of the table task differs from its checksum", error);
    sqlite3_reset(r.at);
    if (status == SP_EABSENT) {
        *task = (sp_task_row){ .shard = "" };
        status = SP_OK;
    }
cleanup:
    return status;
}
