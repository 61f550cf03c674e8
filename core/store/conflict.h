/* conflict.h -- a run that two stores have, when rows of one are brought into the other: which row is to stand, and whether
 * they say the same. What was measured on a machine is no part of a result: two rows may differ in it. */
#ifndef SP_STORE_CONFLICT_H
#define SP_STORE_CONFLICT_H

#include "core/store/store_internal.h"

typedef struct sp_both {
    sp_store *into, *from;
    const sp_stored_run *old, *run; /* there, and the one that comes */
} sp_both;

/* Is the row of `from` to stand in the place of the one that is there? */
bool sp_both_better(const sp_both *);
/* SP_EDATA: two results of the same sources differ; the message names both files. Only successes are compared. */
sp_status sp_both_compare(const sp_both *, sp_error *);
/* The old row goes, with its rows in other tables, whether or not SQLite follows references now. */
sp_status sp_both_forget(const sp_both *, sp_error *);

#endif
