/* shard_check.c -- see shard_check.h. */
#include "core/cluster/shard_check.h"

#include <stdio.h>
#include <string.h>

static const char *name_of(const char *balance, char out[64])
{
    if (balance[0] == '\0')
        return "sizes alone";
    snprintf(out, 64, "a balance.tsv of SHA-256 %.12s", balance);
    return out;
}

bool sp_shard_check(const sp_task_row *has, const sp_task_row *now, char why[SP_SHARD_WHY])
{
    char was[64], is[64];
    if (has->shard[0] == '\0')
        snprintf(why, SP_SHARD_WHY, "an older program made it, which did not write down how the sweep was cut");
    else if (strcmp(has->shard, now->shard) != 0)
        snprintf(why, SP_SHARD_WHY, "it is that of task %s under another name", has->shard);
    else if (strcmp(has->part, now->part) == 0)
        return true;
    else if (strcmp(has->balance, now->balance) != 0)
        snprintf(why, SP_SHARD_WHY, "the sweep was cut by %s then, and is by %s now (once it is again, the file counts)",
                 name_of(has->balance, was), name_of(now->balance, is));
    else
        snprintf(why, SP_SHARD_WHY, "the script, or data sets, are others than then");
    return false;
}
