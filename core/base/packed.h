/* packed.h -- reads files that are stored plain or packed by gzip: if PATH does not exist, the unpacked bytes of
 * PATH.gz are read in its place. */
#ifndef SP_BASE_PACKED_H
#define SP_BASE_PACKED_H

#include "core/base/text.h"

/* Is the file there, in one form or the other? */
bool sp_packed_there(const char *path);

/* A file that is being read. SP_EABSENT when it is there in neither form; SP_EDATA when it is there in both, which the
 * message names; SP_EIO with the system's words. */
typedef struct sp_packed sp_packed;
sp_status sp_packed_open(const char *path, sp_packed **, sp_error *);
/* The next bytes, unpacked, at most room > 0 of them; *got = 0: there are no more. SP_EDATA when PATH.gz is cut short,
 * damaged or nothing that gzip writes; SP_ELIMIT beyond 200 times its size and 64 MiB, whichever is larger, or what
 * STILLPOINT_UNPACK_LIMIT says in MiB; SP_EIO, SP_ENOMEM. */
sp_status sp_packed_next(sp_packed *, void *bytes, size_t room, size_t *got, sp_error *);
/* Back to the first byte. */
sp_status sp_packed_rewind(sp_packed *, sp_error *);
void sp_packed_close(sp_packed *);

/* All bytes of the file, one piece after the other, until `take` wants no more and says so by false. Errors as
 * above. */
typedef bool (*sp_take)(void *to, const void *bytes, size_t count);
sp_status sp_packed_read(const char *path, sp_take take, void *to, sp_error *);

/* The same as one text, added to what is there already; `data` is not NULL then, whatever the file holds. SP_ENOMEM
 * too. */
sp_status sp_packed_text(const char *path, sp_text *out, sp_error *);

/* Is the file there, and holds the bytes of the file `other`, which lies as it is? */
bool sp_packed_same(const char *path, const char *other);

#endif
