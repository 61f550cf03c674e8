/* content.h -- the bytes of a file: plain, gz, bz2, xz or zstd, or a member of an archive. libarchive recognises the
 * form from the content, not from the name. */
#ifndef SP_DATA_READ_CONTENT_H
#define SP_DATA_READ_CONTENT_H

#include "core/base/hash.h"
#include "core/base/status.h"

#include <stddef.h>

/* A copy of its own: the file may change meanwhile. */
typedef struct sp_content {
    const char *bytes;
    size_t size; /* of the bytes */
    char *block; /* the bytes, when they were unpacked (released by free); NULL: a mapping (released by munmap) */
} sp_content;

/* The file without unpacking it. SP_ELIMIT if it is larger than `limit` bytes (0: the default of sp_content_limit).
 * SP_EIO with the path and the system's words, or if the file becomes shorter while it is read. */
sp_status sp_content_load(const char *path, size_t limit, sp_content *, sp_error *);
/* SHA-256 of the same bytes, which are read and not kept. */
sp_status sp_content_hash(const char *path, char out[SP_HASH_HEX], sp_error *);
/* The limit that was asked for, in bytes; for 0 a quarter of the machine's memory, because the dataset that is made of
 * the bytes needs memory too. */
size_t sp_content_limit(size_t asked);

/* *content, uncompressed, in its place; `member` (may be NULL) picks the first entry of an archive (.tar, .zip, .deb
 * and the data.tar inside it) whose path ends with it, component by component. `path` is for messages. SP_ELIMIT
 * beyond `limit` bytes (0: 100 times the packed size or 256 MiB, whichever is larger, and at most the default above).
 * On failure *content is as before. */
sp_status sp_content_unpack(const char *path, const char *member, size_t limit, sp_content *, sp_error *);
/* Both. On failure *content is { 0 }. */
sp_status sp_content_read(const char *path, const char *member, size_t limit, sp_content *, sp_error *);
void sp_content_free(sp_content *); /* { 0 } is allowed */

#endif
