/* merge_shards.c -- the part of `merge` that copies the runs of shards (stores such as 017-of-200.sqlite, one per task
 * of a cluster) into the store of their experiment. */
#include "core/cluster/shard.h"

#include "core/base/memory.h"
#include "core/store/damage.h"
#include "core/export/export.h"
#include "core/cluster/merge.h"
#include "core/export/provenance.h"
#include "core/sweep/tuning.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static bool has(const char *folder, const char *name)
{
    char *path = sp_format("%s/%s", folder, name);
    const bool there = path && access(path, F_OK) == 0;
    free(path);
    return there;
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

bool sp_holds_shards(const char *path)
{
    struct dirent **entry = NULL;
    if (!is_folder(path))
        return access(path, F_OK) == 0;
    if (has(path, "runs.tsv") || has(path, "runs.tsv.gz"))
        return false;
    const int count = scandir(path, &entry, wanted, NULL);
    for (int i = 0; i < count; i++)
        free(entry[i]);
    free(entry);
    return count > 0 || has(path, SP_STORE_FILE);
}

typedef struct bringing {
    sp_session *session;
    sp_merged all; /* sums */
    size_t files;
} bringing;

/* The store that a task was stopped with, or could not copy, may have a log or a journal beside it. */
static sp_status complete(const bringing *b, const char *folder, size_t *runs, sp_error *error)
{
    sp_status status = SP_OK;
    char *here = realpath(folder, NULL), *own = realpath(b->session->results, NULL);
    if (!here || !own)
        SP_TRY(sp_fail(error, SP_EIO, "%s: %s", here ? b->session->results : folder, strerror(errno)));
    if (strcmp(here, own) == 0)
        SP_TRY(sp_fail(error, SP_EINVAL, "%s/%s is the store of the experiment itself", folder, SP_STORE_FILE));
    if (access(folder, W_OK) == 0 || has(folder, SP_STORE_FILE "-wal") || has(folder, SP_STORE_FILE "-journal"))
        SP_TRY(sp_store_complete(folder, runs, error));
cleanup:
    free(here);
    free(own);
    return status;
}

/* What is sound of a file that could not be merged; where that does not help, damage was not the reason, and the error stays. */
static sp_status bring_sound(bringing *b, const char *folder, const char *name, sp_merged *one, sp_error *error)
{
    static const char sound[] = "merge.salvaged";
    sp_session *s = b->session;
    sp_status status = SP_OK;
    sp_error own = { 0 };
    sp_damages lost = { 0 };
    size_t runs = 0;
    char *from = sp_format("%s/%s", folder, name), *to = sp_format("%s/%s", s->results, sound);
    if (!from || !to)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", folder));
    unlink(to);
    status = sp_store_salvage(from, to, &lost, &runs, &own);
    if (status != SP_OK || runs == 0)
        SP_TRY(SP_EDATA); /* the message is there */
    sp_store_close(s->store); /* what was begun with is rolled back, and not what it holds in memory */
    s->store = NULL;
    SP_TRY(sp_store_open(s->results, &s->store, error));
    SP_TRY(sp_store_expect(s->store, true, error));
    if (sp_store_merge(s->store, s->results, sound, s->plan.script, one, &own) != SP_OK)
        SP_TRY(SP_EDATA); /* damage is not why */
    fprintf(stderr, "stillpoint: %s is damaged: the %zu runs of it that are sound are merged%s\n", from, runs,
            lost.count > 0 ? ", the others are not:" : ", which are all");
    sp_session_print_damages(s, &lost);
    s->lost = lost.count > 0;
cleanup:
    if (to)
        unlink(to);
    sp_damages_free(&lost);
    free(from);
    free(to);
    return status;
}

static sp_status bring(bringing *b, const char *folder, const char *name, sp_error *error)
{
    sp_status status = SP_OK;
    sp_merged one = { 0 };
    size_t runs = 1; /* of a file that is complete it need not be known */
    if (strcmp(name, SP_STORE_FILE) == 0)
        SP_TRY(complete(b, folder, &runs, error));
    if (runs > 0)
        status = sp_store_merge(b->session->store, folder, name, b->session->plan.script, &one, error);
    if (status == SP_EDATA)
        status = bring_sound(b, folder, name, &one, error);
    SP_TRY(status);
    b->all.brought += one.brought;
    b->all.there += one.there;
    b->all.replaced += one.replaced;
    b->files++;
cleanup:
    return status;
}

static sp_status bring_folder(bringing *b, const char *folder, sp_error *error)
{
    sp_status status = SP_OK;
    struct dirent **entry = NULL;
    const int count = scandir(folder, &entry, wanted, alphasort);
    if (count < 0 && errno != ENOENT)
        SP_TRY(sp_fail(error, SP_EIO, "%s: %s", folder, strerror(errno)));
    if (count <= 0)
        SP_TRY(sp_fail(error, SP_EABSENT, "%s: no shards there: `stillpoint run --shard K/N` makes them (tables of runs: name "
                       "their folder)", folder));
    for (int i = 0; i < count; i++)
        SP_TRY(bring(b, folder, entry[i]->d_name, error));
cleanup:
    for (int i = 0; i < count; i++)
        free(entry[i]);
    free(entry);
    return status;
}

static sp_status bring_path(bringing *b, const char *path, sp_error *error)
{
    if (is_folder(path))
        return has(path, SP_STORE_FILE) ? bring(b, path, SP_STORE_FILE, error) : bring_folder(b, path, error);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *folder = slash ? sp_format("%.*s", (int)(slash == path ? 1 : slash - path), path) : sp_copy_text(".");
    const sp_status status = folder ? bring(b, folder, name, error) : sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
    free(folder);
    return status;
}

static sp_status bring_all(bringing *b, char *const *path, size_t paths, sp_error *error)
{
    sp_status status = SP_OK;
    char *folder = sp_shards_folder(b->session->results);
    if (!folder)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", b->session->results));
    if (paths == 0)
        SP_TRY(bring_folder(b, folder, error));
    for (size_t i = 0; i < paths; i++)
        SP_TRY(bring_path(b, path[i], error));
cleanup:
    free(folder);
    return status;
}

sp_status sp_merge_shards(sp_session *s, char *const *path, size_t paths, bool quiet, sp_merged_files *out, sp_error *error)
{
    sp_status status = SP_OK;
    bringing b = { .session = s };
    SP_TRY(sp_session_keep(s, quiet, error));
    SP_TRY(sp_store_expect(s->store, true, error));
    status = bring_all(&b, path, paths, error);
    if (status != SP_OK)
        sp_store_expect(s->store, false, NULL); /* why nothing was brought is what counts */
    SP_TRY(status);
    SP_TRY(sp_store_expect(s->store, false, error));
    SP_TRY(sp_tuning_choose(&s->plan, s->store, error));
    SP_TRY(sp_session_export(s, NULL, error));
    *out = (sp_merged_files){ b.files, b.all };
cleanup:
    return status;
}
