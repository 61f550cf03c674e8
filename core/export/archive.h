/* archive.h -- an experiment with its results in one file, whose every byte is accounted for.
 *
 * The file is a tar (ustar.h). Its first member, SHA256SUMS, has a line for each of the others, in the order of their
 * paths: the SHA-256 of its bytes, two spaces, its path, as sha256sum(1) writes and checks them. Equal members give
 * equal bytes, whatever the order in which they were added.
 *
 * A file that is read is one that sp_archive_write writes: not only has each member its hash, but there is no byte in a
 * header, between two members or behind the last that would not be written. So the members' names and bytes, and nothing
 * else, are what two archives may differ in. */
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

/* One member more, copied. SP_EINVAL for a path that can be none (the message begins with it), SP_ENOMEM. */
sp_status sp_archive_add(sp_archive *, const char *path, const void *bytes, size_t size, bool program, sp_error *);
/* The file at `from` as a member. SP_EABSENT, SP_EIO where it cannot be read. */
sp_status sp_archive_add_file(sp_archive *, const char *path, const char *from, sp_error *);
/* Sorts the members, then writes beside `path` and renames; hash[] is that of the file, in hex. SP_EINVAL for two members
 * of one path, SP_EIO. */
sp_status sp_archive_write(sp_archive *, const char *path, char hash[SP_HASH_HEX], sp_error *);

/* The members but SHA256SUMS, all checked. SP_EABSENT, SP_EIO where the file cannot be read; SP_EDATA for one that was not written
 * by sp_archive_write or has changed since: "FILE: MEMBER: what is wrong". */
sp_status sp_archive_read(const char *path, sp_archive *, sp_error *);
/* Writes the members below a folder that is there. */
sp_status sp_archive_unpack(const sp_archive *, const char *folder, sp_error *);
void sp_archive_free(sp_archive *);

#endif
