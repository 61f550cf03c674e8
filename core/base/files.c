/* files.c -- reads, writes and copies whole files, and makes folders. */
#include "core/base/files.h"

#include "core/base/atomic_file.h"
#include "core/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

const char *sp_system_error(int number)
{
    switch (number) {
    case EFBIG:
        return "the file would be larger than this process may make one (ulimit -f)";
    case EMFILE:
        return "this process has as many files open as it may (ulimit -n)";
    case EAGAIN:
        return "this user or container has as many processes as it may (ulimit -u)";
    default:
        return strerror(number);
    }
}

sp_status sp_write_pieces(const char *path, const sp_piece *pieces, size_t count, sp_error *error)
{
    sp_atomic_file draft = { 0 };
    sp_status status = SP_OK;
    SP_TRY(sp_atomic_file_begin(&draft, path, error));
    for (size_t i = 0; i < count; i++)
        SP_TRY(sp_atomic_file_add(&draft, pieces[i].bytes, pieces[i].size, error));
    SP_TRY(sp_atomic_file_complete(&draft, error));
    SP_TRY(sp_atomic_file_place(&draft, error));
cleanup:
    sp_atomic_file_drop(&draft);
    return status;
}

sp_status sp_write_file(const char *path, const char *bytes, size_t size, sp_error *error)
{
    return sp_write_pieces(path, &(sp_piece){ bytes, size }, 1, error);
}

ssize_t sp_read(int file, void *bytes, size_t room)
{
    ssize_t got;
    do
        got = read(file, bytes, room);
    while (got < 0 && errno == EINTR);
    return got;
}

sp_status sp_copy_file(const char *from, const char *to, sp_error *error)
{
    enum { BLOCK = 1 << 16 };
    char block[BLOCK];
    sp_status status = SP_OK;
    sp_atomic_file draft = { 0 };
    int file = -1;
    size_t size = 0, copied = 0;
    ssize_t got;
    const char *why = sp_open_file(from, &file, &size);
    if (why)
        SP_TRY(sp_fail(error, SP_EIO, "%s: %s", from, why));
    SP_TRY(sp_atomic_file_begin(&draft, to, error));
    for (; (got = sp_read(file, block, BLOCK)) > 0; copied += (size_t)got)
        SP_TRY(sp_atomic_file_add(&draft, block, (size_t)got, error));
    if (got < 0 || copied != size)
        SP_TRY(sp_fail(error, SP_EIO, "%s: %s", from,
                       got < 0 ? sp_system_error(errno) : "written to while it was copied"));
    SP_TRY(sp_atomic_file_complete(&draft, error));
    SP_TRY(sp_atomic_file_place(&draft, error));
cleanup:
    sp_atomic_file_drop(&draft);
    if (file >= 0)
        close(file);
    return status;
}

const char *sp_open_file(const char *path, int *file, size_t *size)
{
    struct stat found;
    *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*file >= 0 && fstat(*file, &found) == 0 && S_ISREG(found.st_mode)) {
        *size = (size_t)found.st_size;
        return NULL;
    }
    if (*file < 0)
        return sp_system_error(errno);
    close(*file);
    *file = -1;
    errno = S_ISDIR(found.st_mode) ? EISDIR : EINVAL;
    return S_ISDIR(found.st_mode) ? strerror(EISDIR) : "not a regular file";
}

char *sp_absolute_path(const char *path)
{
    char *folder = *path == '/' ? NULL : getcwd(NULL, 0);
    char *absolute = *path == '/' ? sp_copy_text(path) : folder ? sp_format("%s/%s", folder, path) : NULL;
    free(folder);
    return absolute;
}

char *sp_own_program(void)
{
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    const char *started = (const char *)getauxval(AT_EXECFN);
    if (length <= 0)
        return started ? realpath(started, NULL) : NULL;
    path[length] = '\0';
    return sp_copy_text(path);
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
            status = sp_fail(error, SP_EIO, "%s: %s", part, sp_system_error(errno));
        if (rest == '\0')
            break;
        *end = rest;
    }
    free(part);
    return status;
}
