/* files.c -- see files.h. */
#include "core/base/files.h"

#include "core/base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
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

/* --- parts ---------------------------------------------------------------------------------------------------- */

static const char part_ending[] = ".part";

char *sp_part_path(const char *path)
{
    return sp_format("%s.%ld%s", path, (long)getpid(), part_ending);
}

/* The maker of an entry that is called "BASE.PID.part"; 0: it is none. */
static long maker_of(const char *entry, const char *base)
{
    const size_t length = strlen(base);
    char *end = NULL;
    if (strncmp(entry, base, length) != 0 || entry[length] != '.' || entry[length + 1] < '1' || entry[length + 1] > '9')
        return 0;
    const long maker = strtol(entry + length + 1, &end, 10);
    return strcmp(end, part_ending) == 0 ? maker : 0;
}

/* No such process here, and, where the folder is shared with other machines, none there that holds its lock. */
static bool is_gone(long maker, int part)
{
    return kill((pid_t)maker, 0) != 0 && errno == ESRCH && flock(part, LOCK_EX | LOCK_NB) == 0;
}

static void remove_entry(int folder, const char *name, int part)
{
    struct dirent *entry;
    if (unlinkat(folder, name, 0) == 0)
        return;
    DIR *inner = fdopendir(dup(part));
    while (inner && (entry = readdir(inner)) != NULL)
        unlinkat(part, entry->d_name, 0);
    if (inner)
        closedir(inner);
    unlinkat(folder, name, AT_REMOVEDIR);
}

void sp_remove_leftovers(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char *name = slash ? sp_format("%.*s", (int)(base - path), path) : sp_copy_text(".");
    DIR *folder = name ? opendir(name) : NULL;
    struct dirent *entry;
    while (folder && (entry = readdir(folder)) != NULL) {
        const long maker = maker_of(entry->d_name, base);
        const int part = maker == 0 ? -1 : openat(dirfd(folder), entry->d_name,
                                                  O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
        if (part >= 0 && is_gone(maker, part))
            remove_entry(dirfd(folder), entry->d_name, part);
        if (part >= 0)
            close(part);
    }
    if (folder)
        closedir(folder);
    free(name);
}

/* --- whole files ---------------------------------------------------------------------------------------------- */

sp_status sp_write_pieces(const char *path, const sp_piece *pieces, size_t count, sp_error *error)
{
    char *beside = sp_part_path(path);
    if (!beside)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
    sp_status status = SP_OK;
    sp_remove_leftovers(path);
    const int file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool whole = file >= 0;
    if (whole && flock(file, LOCK_EX | LOCK_NB) != 0)
        errno = 0; /* a file system without locks: nobody gets one to remove it, either */
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

sp_status sp_copy_file(const char *from, const char *to, sp_error *error)
{
    int file = -1;
    size_t size = 0;
    const char *why = sp_open_file(from, &file, &size);
    void *bytes = why || size == 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    const sp_status status = bytes == MAP_FAILED ? sp_fail(error, SP_EIO, "%s: %s", from, why ? why : strerror(errno))
                                                 : sp_write_file(to, bytes, size, error);
    if (bytes != MAP_FAILED)
        munmap(bytes, size);
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
        return strerror(errno);
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
