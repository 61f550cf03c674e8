/* long_path.h -- SQLite takes no path of more than 512 bytes. */
#ifndef SP_STORE_LONG_PATH_H
#define SP_STORE_LONG_PATH_H

#include "core/base/status.h"

/* How SQLite is to open a file. */
typedef struct sp_sqlite_path {
    char *path;
    const char *vfs; /* its system interface, NULL: the default */
    int folder;      /* has to stay open as long as the file, -1: none */
} sp_sqlite_path;

/* Of DIRECTORY/FILE, whose directory exists. A path that is too long leads through a descriptor of the directory, which
 * takes /proc. SP_EIO without that. */
sp_status sp_sqlite_path_make(const char *directory, const char *file, sp_sqlite_path *, sp_error *);
void sp_sqlite_path_free(sp_sqlite_path *);

#endif
