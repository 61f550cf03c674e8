/* content.h -- the bytes of a file: plain, gz, bz2, xz or zstd, or a member of an archive (libarchive decides from the
 * content, not from the name). */
#ifndef SP_DATA_CONTENT_H
#define SP_DATA_CONTENT_H

#include "core/base/status.h"

#include <stddef.h>

/* A plain file is mapped, not copied: it must not change while its content is in use. */
typedef struct sp_content {
    const char *bytes;
    size_t size;
    char *block; /* what was unpacked; NULL: the bytes are the mapped file's */
} sp_content;

/* The file as it lies there. */
sp_status sp_content_map(const char *path, sp_content *, sp_error *);
/* *content, uncompressed, in its place; `member` (may be NULL) picks the first entry of an archive (.tar, .zip, .deb
 * and the data.tar inside it) whose path ends with it, component by component. `path` is for messages. On failure
 * *content is as before. */
sp_status sp_content_unpack(const char *path, const char *member, sp_content *, sp_error *);
/* Both. On failure *content is { 0 }. */
sp_status sp_content_read(const char *path, const char *member, sp_content *, sp_error *);
void sp_content_free(sp_content *); /* { 0 } is allowed */

#endif
