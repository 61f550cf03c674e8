/* pack.h -- writes files that may be packed by gzip (packed.h reads them). Equal bytes are packed to equal bytes,
 * because the packed file contains neither a name nor a time. */
#ifndef SP_BASE_PACK_H
#define SP_BASE_PACK_H

#include "core/base/atomic_file.h"

/* Bytes: a committed table that is larger is packed. */
enum { SP_PACK_ABOVE = 50000 };

/* Places a complete draft (atomic_file.h). If PATH.gz holds the same bytes, it stays and the draft is not placed;
 * otherwise PATH.gz is removed. SP_EIO, SP_ENOMEM. */
sp_status sp_pack_place(sp_atomic_file *, sp_error *);
/* Writes these bytes to PATH as sp_pack_place places a draft. */
sp_status sp_pack_write(const char *path, const char *bytes, size_t size, sp_error *);
/* Replaces PATH by PATH.gz, unless it is packed already. */
sp_status sp_pack(const char *path, sp_error *);

#endif
