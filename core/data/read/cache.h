/* cache.h -- the files that Stillpoint keeps: downloads, and datasets in binary form. Included in core/data/ only.
 *
 * CACHE/downloads/FILE      uncompressed, verified
 * CACHE/binary/KEY.spd      a header, then the block of layout.h */
#ifndef SP_DATA_READ_CACHE_H
#define SP_DATA_READ_CACHE_H

#include "core/data/dataset.h"

/* CACHE/name, created if need be; a new string. */
sp_status sp_cache_folder(const char *name, char **out, sp_error *);

/* Is there a file of this key (hex) with a sound header? Its content is not read. */
bool sp_cache_has(const char *key);
/* What was kept under `key`, read into memory and verified. SP_EABSENT when nothing sound is there. */
sp_status sp_cache_load(const char *key, sp_dataset *out);
/* Keep *dataset under `key`. Where that cannot be done nothing is said: it is only made again another time. An indexed
 * one is not kept. */
void sp_cache_keep(const char *key, const sp_dataset *);

#endif
