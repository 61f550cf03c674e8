/* cache.h -- files that Stillpoint keeps: downloads, and datasets in binary form. For core/data/ alone.
 *
 * CACHE/downloads/FILE      uncompressed, verified
 * CACHE/binary/KEY.spd      a header, then the block of layout.h; mapped, never read as a whole */
#ifndef SP_DATA_CACHE_H
#define SP_DATA_CACHE_H

#include "core/data/dataset.h"

typedef struct sp_piece {
    const void *bytes;
    size_t size;
} sp_piece;

/* CACHE/name, created if need be; a new string. */
sp_status sp_cache_folder(const char *name, char **out, sp_error *);
/* The pieces under a passing name, then under their own: nobody sees half a file, two writers do no harm. */
sp_status sp_cache_write(const char *path, const sp_piece *pieces, size_t count, sp_error *);

/* Map what was kept under `key` (hex). SP_EABSENT when nothing sound is there. */
sp_status sp_cache_load(const char *key, sp_dataset *out);
/* Keep *dataset under `key` and replace it by the mapped file; where that cannot be done it stays in memory. */
void sp_cache_keep(const char *key, sp_dataset *dataset);

#endif
