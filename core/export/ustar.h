/* ustar.h -- members of a tar file as POSIX has it (ustar, IEEE Std 1003.1), in one spelling alone: times and owners are
 * 0, modes 0644 or 0755, and what fills a block up is zeros. So equal members are equal bytes, whichever library or
 * machine writes them, and a reader that makes the header which it expects and compares needs to know no other.
 *
 * A member is a header of SP_USTAR_BLOCK bytes, its bytes, and zeros up to the next block; the file ends with two blocks
 * of zeros. */
#ifndef SP_EXPORT_USTAR_H
#define SP_EXPORT_USTAR_H

#include <stdbool.h>
#include <stddef.h>

enum { SP_USTAR_BLOCK = 512, SP_USTAR_NAME = 257 }; /* of a path with its NUL */

/* NULL, or the words why the path can be none of a member: it is empty, leads out of the folder in which it is unpacked,
 * has a byte that is no letter to see, or does not fit the format. */
const char *sp_ustar_path_fault(const char *path);

/* The header of a member whose path has no fault; false: it is too large for one (8 GiB). */
bool sp_ustar_header(const char *path, size_t size, bool program, unsigned char out[SP_USTAR_BLOCK]);

/* Do these bytes look like the header of any tar file? */
bool sp_ustar_is(const unsigned char header[SP_USTAR_BLOCK]);

/* What a header says: its path, which may have a fault, and its size. False: its sum is not that of its bytes, or it is
 * that of no file. Who needs to know that the rest is as written here makes it again and compares. */
bool sp_ustar_read(const unsigned char header[SP_USTAR_BLOCK], char path[SP_USTAR_NAME], size_t *size, bool *program);

/* Zeros behind so many bytes. */
static inline size_t sp_ustar_padding(size_t size)
{
    return (SP_USTAR_BLOCK - size % SP_USTAR_BLOCK) % SP_USTAR_BLOCK;
}

#endif
