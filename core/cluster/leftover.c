/* leftover.c -- see leftover.h. */
#include "core/cluster/leftover.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/session/temporary.h"
#include "core/store/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char owner[] = "task"; /* a file in the folder: the path at which the runs are to be kept */

sp_status sp_scratch_make(const char *name, const char *done, char **folder, sp_error *error)
{
    sp_status status = SP_OK;
    char *file = NULL, *target = sp_absolute_path(done);
    *folder = NULL;
    if (!target)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", name));
    SP_TRY(sp_temporary_make(name, "where a task keeps its store", folder, error));
    if (!(file = sp_format("%s/%s", *folder, owner)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", name));
    status = sp_write_file(file, target, strlen(target), error);
cleanup:
    if (status != SP_OK) {
        sp_temporary_remove(*folder);
        free(*folder);
        *folder = NULL;
    }
    free(file);
    free(target);
    return status;
}

/* Does the file in the open folder hold this text, and nothing else? */
static bool holds(int folder, const char *text)
{
    char found[PATH_MAX + 1];
    const int file = openat(folder, owner, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const ssize_t length = file >= 0 ? sp_read(file, found, sizeof found) : -1;
    if (file >= 0)
        close(file);
    return length > 0 && (size_t)length == strlen(text) && memcmp(found, text, (size_t)length) == 0;
}

/* Does the folder hold a store that no process is writing? */
static bool is_left(int folder)
{
    const int lock = openat(folder, SP_STORE_FILE ".lock", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool left = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0 && faccessat(folder, SP_STORE_FILE, R_OK | W_OK, 0) == 0;
    if (lock >= 0)
        close(lock);
    return left;
}

char *sp_scratch_find(const char *name, const char *done)
{
    char *found = NULL, *target = sp_absolute_path(done), *begin = sp_format("stillpoint-%s-", name);
    DIR *all = opendir(sp_temporary_top());
    struct dirent *entry;
    while (all && target && begin && !found && (entry = readdir(all)) != NULL) {
        struct stat about;
        if (strncmp(entry->d_name, begin, strlen(begin)) != 0)
            continue;
        const int folder = openat(dirfd(all), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder >= 0 && fstat(folder, &about) == 0 && about.st_uid == geteuid() && holds(folder, target) && is_left(folder))
            found = sp_format("%s/%s", sp_temporary_top(), entry->d_name);
        if (folder >= 0)
            close(folder);
    }
    if (all)
        closedir(all);
    free(target);
    free(begin);
    return found;
}
