/* packed.h -- files that lie as they are or packed by gzip: where there is no PATH, what PATH.gz holds stands for it. */
#ifndef SP_BASE_PACKED_H
#define SP_BASE_PACKED_H

#include "core/base/text.h"

/* Is the file there, in one form or the other? */
bool sp_packed_there(const char *path);

/* The next bytes of a file, from its begin on; false: no more of it is wanted. */
typedef bool (*sp_take)(void *to, const void *bytes, size_t count);

/* All bytes of the file, unpacked, one piece after the other, until `take` wants no more. SP_EABSENT when it is there in
 * neither form; SP_EDATA when it is there in both, which the message names, and when PATH.gz is cut short, damaged or
 * nothing that gzip writes; SP_EIO with the system's words. */
sp_status sp_packed_read(const char *path, sp_take take, void *to, sp_error *);

/* The same as one text, added to what is there already; `data` is not NULL then, whatever the file holds. SP_ENOMEM too. */
sp_status sp_packed_text(const char *path, sp_text *out, sp_error *);

/* Is the file there, and holds the bytes of the file `other`, which lies as it is? */
bool sp_packed_same(const char *path, const char *other);

#endif
