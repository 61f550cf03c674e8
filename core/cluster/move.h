/* move.h -- runs of one store into another: SQLite inserts row after row of what is read from the file that they come
 * from; every row is compared with its checksum and written with that of its new numbers. */
#ifndef SP_CLUSTER_MOVE_H
#define SP_CLUSTER_MOVE_H

#include "core/cluster/merge.h"
#include "core/store/store_internal.h"

typedef struct sp_move {
    sp_store *into, *from; /* of `from` the list of runs is not needed */
    const size_t *answers; /* by position in `from`: position in `into` */
    sp_merged *done;       /* is counted up */
} sp_move;

/* Within a transaction of `into`, whose list of runs and number of runs follow. Row i becomes row into->last_run + i; a run
 * that is there already is replaced, or compared (conflict.h). SP_EDATA: `from` is damaged, or has another result. After an
 * error the transaction is to be rolled back, and `into` to be closed: its list may be ahead. */
sp_status sp_move_runs(const sp_move *, sp_error *);

#endif
