/* atomic_file.c -- writes PATH.PID.part, calls fsync, renames it to PATH; removes the parts of processes that ended. */
#include "core/base/atomic_file.h"

#include "core/base/files.h"
#include "core/base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };

/* --- leftovers ------------------------------------------------------------------------------------------------ */

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

/* --- drafts --------------------------------------------------------------------------------------------------- */

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

static sp_status fail(const sp_atomic_file *draft, int cause, sp_error *error)
{
    return sp_fail(error, SP_EIO, "%s: %s", draft->path, sp_system_error(cause));
}

sp_status sp_atomic_file_begin(sp_atomic_file *draft, const char *path, sp_error *error)
{
    struct stat found;
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) {
        *draft = (sp_atomic_file){ .file = -1 };
        return sp_fail(error, SP_EIO, "%s: not a regular file", path);
    }
    *draft = (sp_atomic_file){ .path = sp_copy_text(path), .beside = sp_part_path(path), .file = -1 };
    if (!draft->path || !draft->beside) {
        sp_atomic_file_drop(draft);
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
    }
    sp_remove_leftovers(path);
    draft->file = open(draft->beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (draft->file < 0)
        return fail(draft, errno, error);
    if (flock(draft->file, LOCK_EX | LOCK_NB) != 0)
        errno = 0; /* a file system without locks: nobody gets one to remove it, either */
    return SP_OK;
}

sp_status sp_atomic_file_flush(sp_atomic_file *draft, sp_error *error)
{
    if (draft->text.failed)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", draft->path);
    if (draft->text.length > 0 && !write_all(draft->file, draft->text.data, draft->text.length))
        return fail(draft, errno, error);
    draft->text.length = 0;
    return SP_OK;
}

sp_status sp_atomic_file_pass(sp_atomic_file *draft, sp_error *error)
{
    return draft->text.length >= BLOCK || draft->text.failed ? sp_atomic_file_flush(draft, error) : SP_OK;
}

sp_status sp_atomic_file_add(sp_atomic_file *draft, const void *bytes, size_t count, sp_error *error)
{
    const sp_status status = sp_atomic_file_flush(draft, error);
    return status == SP_OK && !write_all(draft->file, bytes, count) ? fail(draft, errno, error) : status;
}

sp_status sp_atomic_file_complete(sp_atomic_file *draft, sp_error *error)
{
    const sp_status status = sp_atomic_file_flush(draft, error);
    return status == SP_OK && fsync(draft->file) != 0 ? fail(draft, errno, error) : status;
}

sp_status sp_atomic_file_place(sp_atomic_file *draft, sp_error *error)
{
    const int file = draft->file;
    draft->file = -1;
    if (close(file) != 0 || rename(draft->beside, draft->path) != 0) /* some file systems report a full disk here */
        return fail(draft, errno, error);
    free(draft->beside);
    draft->beside = NULL;
    return SP_OK;
}

void sp_atomic_file_drop(sp_atomic_file *draft)
{
    if (draft->beside && draft->path)
        unlink(draft->beside);
    if (draft->path && draft->file >= 0)
        close(draft->file);
    sp_text_free(&draft->text);
    free(draft->beside);
    free(draft->path);
    *draft = (sp_atomic_file){ 0 };
}
