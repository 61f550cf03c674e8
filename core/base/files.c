/* files.c -- see files.h. */
#include "core/base/files.h"

#include "core/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(file, bytes, size);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return true;
}

sp_status sp_write_pieces(const char *path, const sp_piece *pieces, size_t count, sp_error *error)
{
    char *beside = sp_format("%s.%ld", path, (long)getpid());
    if (!beside)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
    sp_status status = SP_OK;
    const int file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool whole = file >= 0;
    for (size_t i = 0; i < count && whole; i++)
        whole = write_all(file, pieces[i].bytes, pieces[i].size);
    whole = whole && fsync(file) == 0;
    int cause = errno;
    if (file >= 0 && close(file) != 0 && whole) { /* some file systems report a full disk here */
        whole = false;
        cause = errno;
    }
    if (whole && rename(beside, path) != 0) {
        whole = false;
        cause = errno;
    }
    if (!whole) {
        status = sp_fail(error, SP_EIO, "%s: %s", path, strerror(cause));
        if (file >= 0)
            unlink(beside);
    }
    free(beside);
    return status;
}

sp_status sp_write_file(const char *path, const char *bytes, size_t size, sp_error *error)
{
    return sp_write_pieces(path, &(sp_piece){ bytes, size }, 1, error);
}

char *sp_absolute_path(const char *path)
{
    char *folder = *path == '/' ? NULL : getcwd(NULL, 0);
    char *absolute = *path == '/' ? sp_copy_text(path) : folder ? sp_format("%s/%s", folder, path) : NULL;
    free(folder);
    return absolute;
}

sp_status sp_make_directory(const char *path, sp_error *error)
{
    char *part = sp_copy_text(path);
    if (!part)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
    sp_status status = SP_OK;
    for (char *end = part + (*part == '/'); status == SP_OK; end++) {
        if (*end != '/' && *end != '\0')
            continue;
        const char rest = *end;
        struct stat found;
        *end = '\0';
        if (*part && mkdir(part, 0777) != 0 && !(errno == EEXIST && stat(part, &found) == 0 && S_ISDIR(found.st_mode)))
            status = sp_fail(error, SP_EIO, "%s: %s", part, strerror(errno));
        if (rest == '\0')
            break;
        *end = rest;
    }
    free(part);
    return status;
}
