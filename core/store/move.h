/* move.h -- runs of one store into another by SQLite itself: a statement a table, which copies columns as they are,
 * compares every row with its checksum and writes it with that of its new numbers. */
#ifndef SP_STORE_MOVE_H
#define SP_STORE_MOVE_H

#include "core/store/parts.h"

typedef struct sp_move {
    sp_store *into, *from;
    const sp_stored_run **run;  /* by id in `from`, up to from->last_run: to be moved, none of which `into` has; NULL: not */
    const size_t *answers;      /* by position in `from`: position in `into` */
    const uint64_t *invocation; /* by id in `from`, up to `invocations`: id in `into` */
    uint64_t invocations;
} sp_move;

/* Within a transaction of `into`, where `from` is attached (sp_database_attach). Row i becomes row into->last_run + i.
 * SP_EDATA: `from` is damaged. */
sp_status sp_move_runs(const sp_move *, sp_error *);

#endif
