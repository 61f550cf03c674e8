/* files.h -- writes whole files atomically, opens regular files, makes folders with their parents, and explains errors
 * of the system. */
#ifndef SP_BASE_FILES_H
#define SP_BASE_FILES_H

#include "core/base/status.h"

#include <stddef.h>
#include <sys/types.h>

typedef struct sp_piece {
    const void *bytes;
    size_t size;
} sp_piece;

/* Writes the pieces beside `path`, then renames over it (atomic_file.h). SP_EIO with the path and the system's
 * words. */
sp_status sp_write_pieces(const char *path, const sp_piece *pieces, size_t count, sp_error *);
sp_status sp_write_file(const char *path, const char *bytes, size_t size, sp_error *);
/* `to` in the same way, a piece after the other. SP_EIO also for a file that is of another size than at first. */
sp_status sp_copy_file(const char *from, const char *to, sp_error *);

/* The system's words for an error number, and the limit of this process if one is the cause. EAGAIN is that of fork.
 * Valid until the next call. */
const char *sp_system_error(int number);

/* As read(), but an interruption is none. */
ssize_t sp_read(int file, void *bytes, size_t room);

/* Opens a regular file for reading and says how large it is; nothing waits for whoever might write into a pipe. NULL,
 * or the words why not; then *file is -1, and errno says it, too (EINVAL: not a regular file). */
const char *sp_open_file(const char *path, int *file, size_t *size);

/* The path from the root on, a new string; NULL when out of memory. A program that takes names that begin with '<',
 * '|', '-' or '~' for something else takes this for a file. */
char *sp_absolute_path(const char *path);

/* The path of this program, a new string, also without /proc; NULL: the system does not say. Without /proc it is valid
 * before the working directory changes. */
char *sp_own_program(void);

sp_status sp_make_directory(const char *path, sp_error *);

#endif
