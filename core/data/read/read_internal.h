/* read_internal.h -- the files of a data set: where each one is, and its verified content. Included in core/data/
 * only. */
#ifndef SP_DATA_READ_READ_INTERNAL_H
#define SP_DATA_READ_READ_INTERNAL_H

#include "core/data/read/catalogue.h"

/* Start of an address that names a Debian package. */
#define SP_DEBIAN "debian:"

static inline size_t sp_part_count(const sp_catalogue_entry *entry)
{
    size_t count = 0;
    while (count < SP_PARTS_MAX && entry->part[count].file)
        count++;
    return count;
}

/* *path: a new string, or NULL when the file is nowhere. *own: it is in the cache, ours to delete. */
sp_status sp_part_locate(const sp_catalogue_part *, char **path, bool *own, sp_error *);
/* SP_EABSENT, with what to do about it. */
sp_status sp_part_absent(const sp_catalogue_entry *, const sp_catalogue_part *, sp_error *);
/* The content of `path` (of its `member`, if not NULL), SP_EHASH naming both hashes when it is not the part's. */
sp_status sp_part_read(const sp_catalogue_part *, const char *path, const char *member, sp_content *, sp_error *);

#endif
