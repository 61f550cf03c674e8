/* unpack.h -- an archive (core/export/archive.h) as a verb takes it: checked, and unpacked where no one else looks.
 *
 * `stillpoint archive` puts an experiment's files in it as they lie below a root: experiments/NAME.lua with what it
 * includes, results/NAME[.SCALE]/ with tables, plots/NAME[.SCALE]/ with figures. So it may be unpacked by hand, too, and
 * every verb works there. */
#ifndef SP_VERBS_UNPACK_H
#define SP_VERBS_UNPACK_H

#include "core/base/status.h"

#include <stdbool.h>

/* Is it called as an archive is, "NAME.tar"? Whether it is one, reading it tells. */
bool sp_is_archive(const char *path);

typedef struct sp_unpacked {
    char *folder; /* what it is unpacked in; NULL: nothing is */
    char *script, *tables, *plots; /* paths there: of the experiment's file, of the two folders */
    char *scale;
} sp_unpacked;    /* starts as { 0 } */

/* SP_EDATA for an archive that is not as it was written, or that holds other files than those of one experiment; SP_EIO.
 * Free with sp_unpacked_close, after a failure too. */
sp_status sp_unpack(const char *path, sp_unpacked *, sp_error *);
/* Removes what was unpacked. */
void sp_unpacked_close(sp_unpacked *);

#endif
