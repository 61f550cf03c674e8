/* archive.c -- the uncompressed content of a file or of one member of an archive, by libarchive.
 *
 * Only filters inside the library are allowed: some others would start a program for a file that happens to begin with
 * their signature. */
#include "core/data/reader.h"

#include "core/base/memory.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };
static const size_t content_max = (size_t)1 << 36;

static struct archive *reader_new(bool archive)
{
    struct archive *a = archive_read_new();
    if (!a)
        return NULL;
    archive_read_support_filter_gzip(a);
    archive_read_support_filter_bzip2(a);
    archive_read_support_filter_xz(a);
    archive_read_support_filter_zstd(a);
    if (archive) {
        archive_read_support_format_ar(a);
        archive_read_support_format_tar(a);
        archive_read_support_format_zip(a);
    } else {
        archive_read_support_format_raw(a);
        archive_read_support_format_empty(a);
    }
    return a;
}

/* *bytes is malloc'ed, or NULL; the caller frees it whatever the status. */
static sp_status read_entry(struct archive *a, const char *path, char **bytes, size_t *size, sp_error *error)
{
    size_t capacity = 0;
    *size = 0;
    for (;;) {
        if (*size == capacity) {
            capacity = capacity ? 2 * capacity : PIECE;
            char *grown = capacity <= content_max ? realloc(*bytes, capacity + 1) : NULL;
            if (!grown)
                return sp_fail(error, SP_ENOMEM, "%s: too large (more than %zu bytes)", path, *size);
            *bytes = grown;
        }
        const la_ssize_t got = archive_read_data(a, *bytes + *size, capacity - *size);
        if (got < 0)
            return sp_fail(error, SP_EDATA, "%s: %s", path, archive_error_string(a));
        if (got == 0)
            break;
        *size += (size_t)got;
    }
    (*bytes)[*size] = '\0';
    return SP_OK;
}

/* Whole components: "b/c" ends "a/b/c", not "ab/c". */
static bool ends_with(const char *path, const char *member)
{
    const size_t length = strlen(path), tail = strlen(member);
    return length >= tail && strcmp(path + length - tail, member) == 0 &&
           (length == tail || *member == '/' || path[length - tail - 1] == '/');
}

static bool is_tar(const char *path)
{
    return strncmp(path, "data.tar", 8) == 0; /* of a .deb */
}

/* The wanted entry of an open archive; the data.tar of a .deb is opened in turn. */
static sp_status find_member(struct archive *a, const char *path, const char *member, char **bytes, size_t *size,
                             sp_error *error)
{
    sp_status status = SP_OK;
    struct archive *inner = NULL;
    struct archive_entry *entry = NULL;
    char *nested = NULL;
    size_t nested_size = 0;
    int code;
    while ((code = archive_read_next_header(a, &entry)) == ARCHIVE_OK) {
        const char *name = archive_entry_pathname(entry);
        if (name && ends_with(name, member))
            return read_entry(a, path, bytes, size, error);
        if (!name || !is_tar(name))
            continue;
        SP_TRY(read_entry(a, path, &nested, &nested_size, error));
        if (!(inner = reader_new(true)) || archive_read_open_memory(inner, nested, nested_size) != ARCHIVE_OK) {
            status = sp_fail(error, SP_EDATA, "%s: %s: %s", path, name,
                             inner ? archive_error_string(inner) : "out of memory");
            goto cleanup;
        }
        status = find_member(inner, path, member, bytes, size, error);
        goto cleanup;
    }
    status = code == ARCHIVE_EOF ? sp_fail(error, SP_EDATA, "%s: no member %s", path, member)
                                 : sp_fail(error, SP_EDATA, "%s: %s", path, archive_error_string(a));
cleanup:
    archive_read_free(inner);
    free(nested);
    return status;
}

static sp_status read_whole(struct archive *a, const char *path, char **bytes, size_t *size, sp_error *error)
{
    struct archive_entry *entry = NULL;
    const int code = archive_read_next_header(a, &entry);
    if (code == ARCHIVE_OK)
        return read_entry(a, path, bytes, size, error);
    if (code != ARCHIVE_EOF)
        return sp_fail(error, SP_EDATA, "%s: %s", path, archive_error_string(a));
    *bytes = sp_alloc(1, 1); /* an empty file */
    return *bytes ? SP_OK : sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
}

sp_status sp_read_file(const char *path, const char *member, char **bytes, size_t *size, sp_error *error)
{
    sp_status status = SP_OK;
    char *content = NULL;
    struct stat kind;
    *bytes = NULL;
    *size = 0;
    struct archive *a = reader_new(member != NULL);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (!a) {
        status = sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
        goto cleanup;
    }
    if (file < 0 || fstat(file, &kind) != 0 || S_ISDIR(kind.st_mode)) {
        status = sp_fail(error, SP_EIO, "%s: %s", path, strerror(file >= 0 && S_ISDIR(kind.st_mode) ? EISDIR : errno));
        goto cleanup;
    }
    if (archive_read_open_fd(a, file, PIECE) != ARCHIVE_OK) {
        status = sp_fail(error, SP_EDATA, "%s: %s", path, archive_error_string(a));
        goto cleanup;
    }
    if (member)
        SP_TRY(find_member(a, path, member, &content, size, error));
    else
        SP_TRY(read_whole(a, path, &content, size, error));
    *bytes = content;
    content = NULL;

cleanup:
    archive_read_free(a);
    if (file >= 0)
        close(file);
    free(content);
    return status;
}
