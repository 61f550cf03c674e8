/* move.h -- copies the runs of one store file into another store with ATTACH and INSERT ... SELECT. Each row is
 * compared with its checksum and gets a new one, because the numbers of runs change. */
#ifndef SP_CLUSTER_MOVE_H
#define SP_CLUSTER_MOVE_H

#include "core/cluster/merge.h"
#include "core/store/store_internal.h"

typedef struct sp_move {
    sp_store *into, *from; /* the list of runs of `from` is not needed */
    const size_t *answers; /* by position in `from`: position in `into` */
    sp_merged *done;       /* the runs are added to these counts */
} sp_move;

/* Makes the file of `from` readable for SQL of `into`. Call it outside a transaction, and sp_move_detach afterwards. */
sp_status sp_move_attach(const sp_move *, sp_error *);
void sp_move_detach(const sp_move *);

/* Call it within a transaction of `into`, whose list of runs and number of runs are updated. Row i becomes row
 * into->last_run + i. A run that is already there is replaced or compared; host, times and memory are not compared.
 * SP_EDATA: `from` is damaged, or a run has another result in it. After an error roll the transaction back and close
 * `into`, because its list may be ahead of its file. */
sp_status sp_move_runs(const sp_move *, sp_error *);

#endif
