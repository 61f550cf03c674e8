/* atomic_file.h -- atomic writes of files. A process writes PATH.PID.part next to PATH and renames it to PATH when it
 * is complete. So nobody reads an incomplete file, a failure leaves the old file, and two writers do no harm. The
 * writer holds a lock (flock) on its part for as long as it lives; a part without a lock was left by a killed process,
 * and the next writer removes it. */
#ifndef SP_BASE_ATOMIC_FILE_H
#define SP_BASE_ATOMIC_FILE_H

#include "core/base/text.h"

/* PATH.PID.part, a new string; NULL when out of memory. */
char *sp_part_path(const char *path);
/* Removes the parts of `path`, files and folders with the files in them, whose makers are gone. */
void sp_remove_leftovers(const char *path);

/* Start from { 0 }: sp_atomic_file_drop may be called at any time. */
typedef struct sp_atomic_file {
    char *path, *beside; /* what it is going to be, and where it lies; NULL: not begun, or placed */
    sp_text text;        /* to be added to: what comes next, and is not in the file yet */
    int file;
} sp_atomic_file;

/* Errors are SP_EIO with the path and the system's words, or SP_ENOMEM. A pipe or a device is refused, which a rename
 * would remove. */
sp_status sp_atomic_file_begin(sp_atomic_file *, const char *path, sp_error *);
/* Moves the text into the file when there is a block of it, so that little is held. */
sp_status sp_atomic_file_pass(sp_atomic_file *, sp_error *);
/* More, right behind the text. */
sp_status sp_atomic_file_add(sp_atomic_file *, const void *bytes, size_t count, sp_error *);
/* All of it is in the file, which can be read at `beside`; sp_atomic_file_complete: and on the disk. */
sp_status sp_atomic_file_flush(sp_atomic_file *, sp_error *);
sp_status sp_atomic_file_complete(sp_atomic_file *, sp_error *);
/* Renames what is complete. */
sp_status sp_atomic_file_place(sp_atomic_file *, sp_error *);
/* Removes it unless it was placed. */
void sp_atomic_file_drop(sp_atomic_file *);

#endif
