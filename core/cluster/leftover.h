/* leftover.h -- the folder below TMPDIR that a task was stopped in: the next task of the same number goes on there. */
#ifndef SP_CLUSTER_LEFTOVER_H
#define SP_CLUSTER_LEFTOVER_H

#include "core/base/status.h"

/* A new folder for the task whose runs are to be kept at `done`, of the file name `name`; the folder says so itself. SP_EIO,
 * SP_ENOMEM. */
sp_status sp_scratch_make(const char *name, const char *done, char **folder, sp_error *);
/* The folder of this user in which such a task on this machine has left a store that nobody writes; NULL: there is none. */
char *sp_scratch_find(const char *name, const char *done);

#endif
