/* cache.h -- files that Stillpoint keeps: downloads, and datasets in binary form. For core/data/ alone.
 *
 * CACHE/downloads/FILE      uncompressed, verified
 * CACHE/binary/KEY.spd      a header, then the block of layout.h; mapped, never read as a whole */
#ifndef SP_DATA_CACHE_H
#define SP_DATA_CACHE_H

#include "core/data/dataset.h"

/* CACHE/name, created if need be; a new string. */
sp_status sp_cache_folder(const char *name, char **out, sp_error *);

/* Map what was kept under `key` (hex). SP_EABSENT when nothing sound is there. */
sp_status sp_cache_load(const char *key, sp_dataset *out);
/* Keep *dataset under `key` and replace it by the mapped file; where that cannot be done, and when it is indexed, it
 * stays in memory. */
void sp_cache_keep(const char *key, sp_dataset *dataset);

#endif
