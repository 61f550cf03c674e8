/* export_files.c -- see export_files.h. */
#include "core/export/export_files.h"

#include "core/base/memory.h"
#include "core/base/pack.h"
#include "core/base/packed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    bool in_git;
} file[SP_TABLES] = {
    [SP_PROVENANCE_TABLE] = { "provenance.tsv", true }, [SP_KEYS_TABLE] = { "keys.tsv", true },
    [SP_CELLS_TABLE] = { "cells.tsv", true },           [SP_RUNS_TABLE] = { "runs.tsv", true },
    [SP_SKIPPED_TABLE] = { "skipped.tsv", true },       [SP_TUNING_TABLE] = { "tuning.tsv", true },
    [SP_TRACES_TABLE] = { "traces.tsv", false },        [SP_TIMINGS_TABLE] = { "timings.tsv", false },
};

sp_status sp_table_files_begin(sp_table_files *files, const char *directory, sp_error *error)
{
    for (size_t i = 0; i < SP_TABLES; i++) {
        char *path = sp_format("%s/%s", directory, file[i].name);
        const sp_status status = path ? sp_atomic_file_begin(&files->draft[i], path, error)
                                      : sp_fail(error, SP_ENOMEM, "%s: out of memory", directory);
        free(path);
        if (status != SP_OK)
            return status;
    }
    return SP_OK;
}

sp_status sp_table_files_pass(sp_table_files *files, sp_error *error)
{
    sp_status status = SP_OK;
    for (size_t i = 0; i < SP_TABLES && status == SP_OK; i++)
        status = sp_atomic_file_pass(&files->draft[i], error);
    return status;
}

void sp_table_files_drop(sp_table_files *files)
{
    for (size_t i = 0; i < SP_TABLES; i++)
        sp_atomic_file_drop(&files->draft[i]);
}

/* Is the table there as it would be written? Of what git does not keep, or is it not there at all? */
static bool is_there(const sp_table_files *files, sp_table_kind i)
{
    const sp_atomic_file *draft = &files->draft[i];
    if (files->unwanted[i] && i == SP_TRACES_TABLE)
        return true;
    return sp_packed_there(draft->path) ? !files->unwanted[i] && sp_packed_same(draft->path, draft->beside)
                                       : files->unwanted[i] || !file[i].in_git;
}

static sp_status remove_file(const char *path, sp_error *error)
{
    return unlink(path) == 0 || errno == ENOENT ? SP_OK : sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno));
}

static sp_status place(sp_table_files *files, sp_table_kind i, sp_error *error)
{
    sp_atomic_file *draft = &files->draft[i];
    if (!files->unwanted[i])
        return sp_pack_place(draft, error);
    if (i == SP_TRACES_TABLE) /* no run has a trace: those of a table that is there are not known better */
        return SP_OK;
    char *packed = sp_format("%s.gz", draft->path);
    sp_status status = packed ? remove_file(draft->path, error) : sp_fail(error, SP_ENOMEM, "%s: out of memory", draft->path);
    if (status == SP_OK)
        status = remove_file(packed, error);
    free(packed);
    return status;
}

sp_status sp_table_files_place(sp_table_files *files, bool *same, sp_error *error)
{
    sp_status status = SP_OK;
    for (size_t i = 0; i < SP_TABLES; i++)
        SP_TRY(sp_atomic_file_complete(&files->draft[i], error));
    bool stays = same && access(files->draft[SP_PROVENANCE_TABLE].path, F_OK) == 0;
    for (sp_table_kind i = SP_CELLS_TABLE; i <= SP_TRACES_TABLE && stays; i++)
        stays = is_there(files, i);
    /* provenance and keys first: killed behind them, the next export still finds tables that differ */
    for (sp_table_kind i = stays ? SP_CELLS_TABLE : SP_PROVENANCE_TABLE; i < SP_TABLES; i++)
        SP_TRY(place(files, i, error));
    if (same)
        *same = stays;
cleanup:
    return status;
}
