/* process.h -- another program, its standard input and output as two pipes, and the end of what it writes to its error
 * output. It holds no other descriptor of this process, gets the environment that it is given, leads a process group of
 * its own, and ends with the process that started it. So does every process that it has started, also one that has left
 * its group or its session, or whose parent has died: a keeper (keeper.h) stands between the two. */
#ifndef SP_METHODS_PROCESS_H
#define SP_METHODS_PROCESS_H

#include "core/base/status.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct sp_process {
    pid_t keeper;        /* its parent; 0: none */
    int in, out, err;    /* our ends; -1: closed */
    int leash;           /* socket to the keeper */
    double patience;     /* seconds that it may neither take nor give a byte */
    char tail[2048];     /* the last bytes of its error output */
    size_t kept;
    char *bytes;         /* read from it and not yet taken */
    size_t first, held, room;
    int state;           /* as of waitpid, once it has ended */
    bool was_dumpable, ignores_pipe;
} sp_process;

/* `program` is the path of the file to run, `words` its arguments from argv[0] on, `environment` its variables; both end
 * with NULL. Until sp_process_end nobody of this user may look into this process, and a pipe that nobody reads is an
 * error of a write. SP_EIO. */
sp_status sp_process_start(sp_process *, const char *program, char *const *words, char *const *environment,
                           const char *folder, double patience, sp_error *);
/* All bytes, or SP_ECRASH: it ended, SP_ELIMIT: it took too long. */
sp_status sp_process_write(sp_process *, const void *bytes, size_t size, sp_error *);
/* So many bytes, valid until the next call; SP_ECRASH; SP_ELIMIT; SP_ENOMEM. */
sp_status sp_process_read(sp_process *, size_t size, const void **bytes, sp_error *);
/* Closes its input, waits a second for its end, then ends it and all of its descendants. */
void sp_process_end(sp_process *);
/* The last line of its error output, "" if there is none. Valid until the next call. */
const char *sp_process_last_line(sp_process *);

#endif
