/* merge_shards.c -- `merge` without a folder: what the tasks of a sweep have made, into its store. */
#include "core/cli/verbs/shard.h"

#include "core/base/memory.h"
#include "core/store/export.h"
#include "core/store/merge.h"
#include "core/store/provenance.h"
#include "core/sweep/tuning.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ends_in(const char *name, const char *ending)
{
    const size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

static int wanted(const struct dirent *entry)
{
    return strstr(entry->d_name, "-of-") && ends_in(entry->d_name, ".sqlite");
}

/* One file; adds to the sums. */
static sp_status bring(const sp_session *s, const char *folder, const char *name, sp_merged *all, sp_error *error)
{
    sp_merged one = { 0 };
    const sp_status status = sp_store_merge(s->store, folder, name, s->plan.script, &one, error);
    all->brought += one.brought;
    all->there += one.there;
    all->replaced += one.replaced;
    return status;
}

static sp_status bring_all(sp_session *s, sp_merged *all, size_t *files, sp_error *error)
{
    sp_status status = SP_OK;
    struct dirent **entry = NULL;
    char *folder = sp_shards_folder(s->results);
    int count = -1;
    if (!folder)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->results));
    count = scandir(folder, &entry, wanted, alphasort);
    if (count < 0 && errno != ENOENT)
        SP_TRY(sp_fail(error, SP_EIO, "%s: %s", folder, strerror(errno)));
    if (count <= 0)
        SP_TRY(sp_fail(error, SP_EABSENT, "%s: no shards there: `stillpoint run --shard K/N` makes them (tables of runs: name their folder)", folder));
    for (int i = 0; i < count; i++)
        SP_TRY(bring(s, folder, entry[i]->d_name, all, error));
    *files = (size_t)count;
cleanup:
    for (int i = 0; i < count; i++)
        free(entry[i]);
    free(entry);
    free(folder);
    return status;
}

sp_status sp_merge_shards(sp_session *s, bool quiet, sp_error *error)
{
    sp_status status = SP_OK;
    sp_merged all = { 0 };
    size_t files = 0;
    SP_TRY(sp_store_expect(s->store, true, error));
    status = bring_all(s, &all, &files, error);
    if (status != SP_OK)
        sp_store_expect(s->store, false, NULL); /* why nothing was brought is what counts */
    SP_TRY(status);
    SP_TRY(sp_store_expect(s->store, false, error));
    SP_TRY(sp_tuning_choose(&s->plan, s->store, error));
    SP_TRY(sp_export(&s->plan, s->store, s->results, NULL, error));
    if (!quiet)
        printf("%zu shard%s: %zu runs brought, %zu replaced, %zu there before\ntables: %s\n", files, files == 1 ? "" : "s",
               all.brought, all.replaced, all.there, s->results);
cleanup:
    return status;
}
