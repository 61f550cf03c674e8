/* temporary.c -- see temporary.h. */
#include "core/session/temporary.h"

#include "core/base/files.h"
#include "core/base/memory.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *sp_temporary_top(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

sp_status sp_temporary_make(const char *name, const char *use, char **folder, sp_error *error)
{
    sp_status status = SP_OK;
    *folder = sp_format("%s/stillpoint-%s-XXXXXX", sp_temporary_top(), name);
    if (!*folder)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", name);
    if (!mkdtemp(*folder)) {
        status = sp_fail(error, SP_EIO, "%s: %s (TMPDIR says %s)", *folder, sp_system_error(errno), use);
        free(*folder);
        *folder = NULL;
    }
    return status;
}

static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *where)
{
    (void)found, (void)kind, (void)where;
    remove(path);
    return 0;
}

void sp_temporary_remove(const char *folder)
{
    if (folder)
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
