/* archive.h -- an experiment with its results in one file.
 *
 * The file is a tar (POSIX ustar) that libarchive writes. Owners and times are 0 and permissions are 0644 or 0755. The first
 * member is SHA256SUMS. It has one line for each other member, in the order of their paths: the SHA-256 of its bytes, two
 * spaces and its path, as sha256sum(1) writes and checks them. Equal members give equal bytes, whatever the machine and the
 * order in which they were added.
 *
 * Reading refuses everything that does not come from sp_archive_write: a member whose hash differs, that is missing or not
 * listed, a link, an owner, a time, bytes between or behind the members, and a path that leads out of the folder. Archives
 * of programs before libarchive, whose headers spell numbers in another way, are read too. */
#ifndef SP_EXPORT_ARCHIVE_H
#define SP_EXPORT_ARCHIVE_H

#include "core/base/arena.h"
#include "core/base/digest.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct sp_member {
    const char *path;  /* from the folder in which it is unpacked, no part of it ".." */
    const void *bytes; /* size of them */
    size_t size;
    bool program;      /* it may be run */
} sp_member;

typedef struct sp_archive {
    sp_member *member;
    size_t members, room;
    sp_arena arena;    /* owns paths and bytes that were added */
    void *mapped;      /* the file that was read, which owns its bytes; NULL: none */
    size_t mapped_size;
} sp_archive;          /* starts as { 0 } */

extern const char sp_archive_sums[]; /* "SHA256SUMS" */

/* Adds a member, whose bytes are copied. SP_EINVAL for a path that no member may have; the message begins with the path. */
sp_status sp_archive_add(sp_archive *, const char *path, const void *bytes, size_t size, bool program, sp_error *);
/* The file at `from` as a member. SP_EABSENT, SP_EIO where it cannot be read. */
sp_status sp_archive_add_file(sp_archive *, const char *path, const char *from, sp_error *);
/* Sorts the members, writes next to `path` and renames; hash[] is that of the file, in hex. SP_EINVAL for two members of one
 * path, and for a path longer than 100 bytes that has no '/' where the format can cut it; SP_EIO. */
sp_status sp_archive_write(sp_archive *, const char *path, char hash[SP_HASH_HEX], sp_error *);

/* The members except SHA256SUMS, all checked. SP_EABSENT, SP_EIO where the file cannot be read; SP_EDATA for one that was not written
 * by sp_archive_write or has changed since: "FILE: MEMBER: what is wrong". */
sp_status sp_archive_read(const char *path, sp_archive *, sp_error *);
/* Writes the members below a folder that is there. */
sp_status sp_archive_unpack(const sp_archive *, const char *folder, sp_error *);
void sp_archive_free(sp_archive *);

#endif
