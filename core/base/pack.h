/* pack.h -- writes files that may lie packed by gzip (packed.h reads them). Equal bytes are packed to equal bytes: there is
 * no name and no time in them. */
#ifndef SP_BASE_PACK_H
#define SP_BASE_PACK_H

#include "core/base/draft.h"

/* What a committed table may have before it is packed. */
enum { SP_PACK_ABOVE = 50000 };

/* Places a complete draft (draft.h); where PATH.gz holds the same bytes it stays, else it makes room. SP_EIO, SP_ENOMEM. */
sp_status sp_pack_place(sp_draft *, sp_error *);
/* The same of these bytes, as sp_write_file. */
sp_status sp_pack_write(const char *path, const char *bytes, size_t size, sp_error *);
/* PATH becomes PATH.gz, unless it lies packed already. */
sp_status sp_pack(const char *path, sp_error *);

#endif
