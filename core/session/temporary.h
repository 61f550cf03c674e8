/* temporary.h -- folders that a verb makes below TMPDIR (/tmp where it is not set), and removes in the end. */
#ifndef SP_SESSION_TEMPORARY_H
#define SP_SESSION_TEMPORARY_H

#include "core/base/status.h"

/* The folder in which they are. */
const char *sp_temporary_top(void);
/* Makes stillpoint-NAME-XXXXXX there, which only this user may read; *folder is a new string, NULL after a failure. `use`:
 * "where archives are unpacked", for the message. SP_EIO, SP_ENOMEM. */
sp_status sp_temporary_make(const char *name, const char *use, char **folder, sp_error *);
/* Removes the folder and everything in it, but follows no link. NULL: nothing is done. */
void sp_temporary_remove(const char *folder);

#endif
