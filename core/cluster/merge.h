/* merge.h -- the rows of one store brought into another: shards that other processes, on other machines, have made. */
#ifndef SP_CLUSTER_MERGE_H
#define SP_CLUSTER_MERGE_H

#include "core/cluster/task.h"

typedef struct sp_merged {
    size_t brought;  /* runs */
    size_t there;    /* runs that the store had, with the same result */
    size_t replaced; /* runs whose row in the store had failed, was of other sources, or lacked measures */
} sp_merged;

/* Imports what is in the store directory/name, every imported row compared with its checksum, in one transaction: any order,
 * any number of times. A run that both have keeps its row; a success replaces a failure, a row of this program's sources one
 * of others, a row with more measures one with fewer, a row with its trace one without. SP_EDATA: the same run, or the same reference value, has other
 * bytes in both (the message names them), or the file is damaged or none of ours. SP_EVERSION: it was made by other
 * sources of the core than this program has, or by another script than `script` (NULL: any). Then nothing is brought,
 * and the store is to be closed. */
sp_status sp_store_merge(sp_store *, const char *directory, const char *name, const char *script, sp_merged *,
                         sp_error *);

/* Much is going to be brought, or it has been: between the two SQLite writes rows once, into the file, instead of first into
 * its log, as long as nobody reads the store; who begins to read it waits. A merge is whole or not at all in any case. */
sp_status sp_store_expect(sp_store *, bool much, sp_error *);

/* What of this can be known without its rows of results: SP_OK, SP_EABSENT, SP_EDATA or SP_EVERSION; and which task it is. */
sp_status sp_store_mergeable(const char *directory, const char *name, const char *script, sp_task_row *, sp_error *);

/* Brings the log that a stopped program has left beside directory/store.sqlite into that file, which can be merged then.
 * *runs: how many it holds; where a program was stopped before it had stored any, nobody may have made them. SP_EIO: somebody
 * writes it. */
sp_status sp_store_complete(const char *directory, size_t *runs, sp_error *);

/* Writes all of a store that is open for writing to `path`: in one file, put in its place at once. */
sp_status sp_store_save(sp_store *, const char *path, sp_error *);

#endif
