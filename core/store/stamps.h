/* stamps.h -- hashes of sources that were found to give the same runs.
 *
 * `verify --stamp` reruns a sample of the runs whose sources have changed since. When every sampled run is equal in all
 * fields, it writes each pair of an old and a new hash to results/stamps.tsv:
 *
 *   kind, name   data, algorithm, loss, regulariser, core or measure, and of which name; keys: the experiment whose tables
 *                did not say by which sources they were made, and whose keys.tsv was written by the stamp
 *   old, new     the first 16 digits of the hashes (keys.h); of kind keys no old one, and the new one of the core
 *   runs         how many of the sampled runs carry the old hash
 *   sample       how many runs were sampled in all
 *   commit       whose program ran them
 *
 * A run made by a source of one hash counts as made by the other. Stamps are followed from hash to hash, in both
 * directions, since each says that two sources give equal runs. */
#ifndef SP_STORE_STAMPS_H
#define SP_STORE_STAMPS_H

#include "core/store/import.h"

#define SP_STAMPS_FILE "stamps.tsv"

typedef struct sp_stamp {
    char kind[16], name[64];
    char then[SP_KEY_DIGITS + 1], now[SP_KEY_DIGITS + 1]; /* then: "" of kind keys */
    size_t runs, sample;
    char commit[48];
} sp_stamp;

typedef struct sp_stamps {
    sp_stamp *stamp;
    size_t count;
    struct sp_stamped_hash *hash; /* sorted; those of one group give equal runs */
    size_t hashes;
} sp_stamps;

/* A file that is not there holds none. SP_EDATA with path:line for what is no hash. */
sp_status sp_stamps_read(const char *path, sp_stamps *, sp_error *);
/* One more, in the place of one with the same kind, name and hashes. SP_ENOMEM. It counts once it has been written and
 * read again. */
sp_status sp_stamps_add(sp_stamps *, const sp_stamp *);
/* Sorted by kind, name and hashes. */
sp_status sp_stamps_write(const char *path, const sp_stamps *, sp_error *);
void sp_stamps_free(sp_stamps *);

/* Are the sources of two hashes known to give equal runs? Of longer ones the first 16 digits count. */
bool sp_same_source(const sp_stamps *, const char *then, const char *now);

#endif
