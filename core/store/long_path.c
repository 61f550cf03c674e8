/* long_path.c -- see long_path.h. SQLite makes a path absolute and resolves its symbolic links, /proc/self/fd/N among them,
 * before it looks at the length. So a copy of its interface to the system leaves paths as they are. */
#include "core/store/long_path.h"

#include "core/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 512, ENDING = 8 /* "-journal" */ };
static const char as_it_is[] = "stillpoint";

static int keep_path(sqlite3_vfs *vfs, const char *path, int room, char *out)
{
    (void)vfs;
    return strlen(sqlite3_snprintf(room, out, "%s", path)) == strlen(path) ? SQLITE_OK : SQLITE_CANTOPEN;
}

static bool prepare_interface(void)
{
    static sqlite3_vfs interface; /* SQLite keeps its address */
    sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
    if (sqlite3_vfs_find(as_it_is))
        return true;
    if (!usual)
        return false;
    interface = *usual;
    interface.zName = as_it_is;
    interface.xFullPathname = keep_path;
    return sqlite3_vfs_register(&interface, 0) == SQLITE_OK;
}

sp_status sp_sqlite_path_make(const char *directory, const char *file, sp_sqlite_path *out, sp_error *error)
{
    sp_status status = SP_OK;
    char *real = realpath(directory, NULL);
    const size_t length = real ? strlen(real) + 1 + strlen(file) : 0;
    *out = (sp_sqlite_path){ .path = sp_format("%s/%s", directory, file), .folder = -1 };
    if (!out->path)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", directory));
    if (length + ENDING <= MOST && strlen(out->path) + ENDING <= MOST)
        goto cleanup;
    free(out->path);
    out->folder = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    out->path = sp_format("/proc/self/fd/%d/%s", out->folder, file);
    out->vfs = as_it_is;
    char *through = sp_format("/proc/self/fd/%d/.", out->folder);
    if (!out->path || !through || out->folder < 0 || access(through, F_OK) != 0 || !prepare_interface())
        status = sp_fail(error, SP_EIO, "%s/%s: its path has %zu bytes, and SQLite takes at most %d without /proc (%s): use a "
                         "folder with a shorter path, or --root", directory, file, length, MOST - ENDING, strerror(errno));
    free(through);
cleanup:
    free(real);
    if (status != SP_OK)
        sp_sqlite_path_free(out);
    return status;
}

void sp_sqlite_path_free(sp_sqlite_path *p)
{
    if (p->folder >= 0)
        close(p->folder);
    free(p->path);
    *p = (sp_sqlite_path){ .folder = -1 };
}
