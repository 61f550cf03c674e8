/* place.h -- where the file of a store lies: in its folder, or elsewhere, when there is a symbolic link; and on which kind of
 * file system. */
#ifndef SP_STORE_PLACE_H
#define SP_STORE_PLACE_H

#include "core/base/status.h"

#include <stdbool.h>

/* The folder and the name of the file that directory/file is, or is a link to, which need not be there yet: new strings.
 * SP_ENOMEM. */
sp_status sp_place_find(const char *directory, const char *file, char **folder, char **name, sp_error *);

/* "a/b" into "a" and "b", "b" into "." and "b": new strings. SP_ENOMEM. */
sp_status sp_place_split(const char *path, char **folder, char **name, sp_error *);

/* Makes directory/store.sqlite a link to `file`; both folders are made where they lack. SP_EINVAL where the store is there
 * already, or is a link to another file. */
sp_status sp_place_link(const char *directory, const char *file, sp_error *);

/* "lustre"; "of type 0x1234" of one without a name here. *network: processes on several machines may share it. */
const char *sp_place_kind(const char *directory, bool *network, char room[32]);

/* Does this system error say that there are no locks? */
bool sp_place_lacks_locks(int cause);
/* SP_EIO: the file system has no locks; what can be done. */
sp_status sp_place_without_locks(const char *path, int cause, sp_error *);

#endif
