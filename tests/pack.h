/* pack.h -- compressed files and archives made by libarchive, so that no test needs a packer on the machine. */
#ifndef SP_TESTS_PACK_H
#define SP_TESTS_PACK_H

#include "tests/check.h"

#include <archive.h>
#include <archive_entry.h>

typedef int (*chooser)(struct archive *); /* of a format or a filter */

/* An archive of `count` members, or one compressed file when the format is raw. */
static void pack(const char *path, chooser format, chooser filter, size_t count, const char *const *names,
                 const char *const *bytes, const size_t *sizes)
{
    struct archive *a = archive_write_new();
    CHECK_EQUAL(format(a), ARCHIVE_OK);
    CHECK_EQUAL(filter(a), ARCHIVE_OK);
    CHECK_EQUAL(archive_write_open_filename(a, path), ARCHIVE_OK);
    for (size_t i = 0; i < count; i++) {
        struct archive_entry *entry = archive_entry_new();
        archive_entry_set_pathname(entry, names[i]);
        archive_entry_set_size(entry, (la_int64_t)sizes[i]);
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        CHECK_EQUAL(archive_write_header(a, entry), ARCHIVE_OK);
        CHECK_EQUAL(archive_write_data(a, bytes[i], sizes[i]), sizes[i]);
        archive_entry_free(entry);
    }
    CHECK_EQUAL(archive_write_free(a), ARCHIVE_OK);
}

#endif
