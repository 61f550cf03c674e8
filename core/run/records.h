/* records.h -- the records of a run: real data, shaped (shuffled, split, normalised) once and shared with every worker;
 * or generated data, made by the process of the run, which keeps the last ones. */
#ifndef SP_RUN_RECORDS_H
#define SP_RUN_RECORDS_H

#include "core/run/execute.h"

typedef struct sp_record_set {
    const sp_dataset *train, *test, *population; /* test and population may be NULL */
    sp_dataset own;                 /* without a pool: what train points to when the records were generated */
} sp_record_set;

/* The replicate whose records are used: its own, or replicate 0 with `resample = false`. */
size_t sp_records_replicate(const sp_cell *, size_t replicate);

/* Real data must be resident in the pool. Generated ones are there until the next call. Free with sp_record_set_free,
 * before the pool. */
sp_status sp_record_set_make(sp_data_pool *, const sp_cell *, size_t replicate, sp_record_set *, sp_error *);
void sp_record_set_free(sp_record_set *);

/* Read the data set of this cell before shaping (does nothing for generated data): a missing or broken file shows
 * before the first run starts. */
sp_status sp_data_pool_open(sp_data_pool *, const sp_cell *, sp_error *);

/* How often something has been added: a process that was forked before does not have it. */
size_t sp_data_pool_additions(const sp_data_pool *);

#endif
