/* content.c -- reads a file into memory and unpacks it, or one member of it, by libarchive.
 *
 * A file is read, not mapped: another program may change it afterwards without changing the bytes or ending this
 * process (access beyond the end of a truncated mapped file raises SIGBUS).
 *
 * Only filters inside libarchive are allowed. Some others would start a program for a file that happens to begin with
 * their signature. */
#include "core/data/read/content.h"

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/memory.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };
static const size_t unpacked_floor = (size_t)256 << 20, ratio = 100; /* of the default limit of what is unpacked */

/* Begins as what one of the filters below unpacks does. What does not is left as it is, and not shown to libarchive,
 * which (3.6.2) does not survive the lack of memory everywhere. */
static bool may_be_packed(const sp_content *content)
{
    static const struct {
        const char *bytes;
        size_t size;
    } start[] = { { "\x1f\x8b", 2 }, { "BZh", 3 }, { "\xfd" "7zXZ", 5 }, { "\x28\xb5\x2f\xfd", 4 } };
    /* zstd that begins with a note */
    bool may = content->size >= 4 && memcmp(content->bytes + 1, "\x2a\x4d\x18", 3) == 0;
    for (size_t i = 0; i < sizeof start / sizeof *start; i++)
        may = may || (content->size >= start[i].size && memcmp(content->bytes, start[i].bytes, start[i].size) == 0);
    return may;
}

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

size_t sp_content_limit(size_t asked)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return asked > 0 ? asked : pages > 0 && size > 0 ? (size_t)pages * (size_t)size / 4 : (size_t)1 << 30;
}

/* What a packed file of `size` bytes may unpack to. */
static size_t unpacked_limit(size_t asked, size_t size)
{
    const size_t most = sp_content_limit(0), plausible = size > unpacked_floor / ratio ? ratio * size : unpacked_floor;
    return asked > 0 ? asked : plausible < most ? plausible : most;
}

static sp_status too_large(const char *path, const char *does, size_t limit, sp_error *error)
{
    return sp_fail(error, SP_ELIMIT, "%s: %s more than %.6g MiB (`limit` is the limit)", path, does,
                   (double)limit / 1048576.0);
}

/* A NUL follows the bytes. Whatever the status, the caller frees the block. */
static sp_status read_entry(struct archive *a, const char *path, size_t limit, sp_content *out, sp_error *error)
{
    size_t capacity = 0;
    for (;;) {
        if (out->size == capacity) {
            if (capacity == limit)
                return too_large(path, "unpacks to", limit, error);
            capacity = capacity ? 2 * capacity : PIECE;
            capacity = capacity < limit ? capacity : limit;
            char *grown = realloc(out->block, capacity + 1);
            if (!grown)
                return sp_fail(error, SP_ENOMEM, "%s: too large (more than %zu bytes)", path, out->size);
            out->bytes = out->block = grown;
        }
        const la_ssize_t got = archive_read_data(a, out->block + out->size, capacity - out->size);
        if (got < 0)
            return sp_fail(error, SP_EDATA, "%s: %s", path, archive_error_string(a));
        if (got == 0)
            break;
        out->size += (size_t)got;
    }
    out->block[out->size] = '\0';
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
static sp_status find_member(struct archive *a, const char *path, const char *member, size_t limit,
                             sp_content *out, sp_error *error)
{
    sp_status status = SP_OK;
    struct archive *inner = NULL;
    struct archive_entry *entry = NULL;
    sp_content nested = { 0 };
    int code;
    while ((code = archive_read_next_header(a, &entry)) == ARCHIVE_OK) {
        const char *name = archive_entry_pathname(entry);
        if (name && ends_with(name, member))
            return read_entry(a, path, limit, out, error);
        if (!name || !is_tar(name))
            continue;
        SP_TRY(read_entry(a, path, limit, &nested, error));
        if (!(inner = reader_new(true)) || archive_read_open_memory(inner, nested.bytes, nested.size) != ARCHIVE_OK) {
            status = sp_fail(error, SP_EDATA, "%s: %s: %s", path, name,
                             inner ? archive_error_string(inner) : "out of memory");
            goto cleanup;
        }
        status = find_member(inner, path, member, limit, out, error);
        goto cleanup;
    }
    status = code == ARCHIVE_EOF ? sp_fail(error, SP_EDATA, "%s: no member %s", path, member)
                                 : sp_fail(error, SP_EDATA, "%s: %s", path, archive_error_string(a));
cleanup:
    archive_read_free(inner);
    free(nested.block);
    return status;
}

/* *file: open for reading, or -1. */
static sp_status open_file(const char *path, int *file, size_t *size, sp_error *error)
{
    const char *why = sp_open_file(path, file, size);
    return why ? sp_fail(error, SP_EIO, "%s: %s", path, why) : SP_OK;
}

/* The next `size` bytes. */
static sp_status read_bytes(int file, const char *path, char *to, size_t size, sp_error *error)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = read(file, to + done, size - done);
        if (got < 0 && errno != EINTR)
            return sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno));
        if (got == 0)
            return sp_fail(error, SP_EIO, "%s: was cut short while it was read", path);
        done += got > 0 ? (size_t)got : 0;
    }
    return SP_OK;
}

sp_status sp_content_load(const char *path, size_t limit, sp_content *content, sp_error *error)
{
    sp_status status = SP_OK;
    char *bytes = NULL;
    size_t size = 0;
    int file = -1;
    *content = (sp_content){ 0 };
    SP_TRY(open_file(path, &file, &size, error));
    if (size > sp_content_limit(limit)) {
        status = too_large(path, "has", sp_content_limit(limit), error);
        goto cleanup;
    }
    if (size > 0 && !(bytes = sp_map(size))) {
        status = sp_fail(error, SP_ENOMEM, "%s: out of memory (%zu bytes)", path, size);
        goto cleanup;
    }
    SP_TRY(read_bytes(file, path, bytes, size, error));
    *content = (sp_content){ .bytes = bytes, .size = size };
    bytes = NULL;
cleanup:
    sp_unmap(bytes, size);
    if (file >= 0)
        close(file);
    return status;
}

sp_status sp_content_hash(const char *path, char out[SP_HASH_HEX], sp_error *error)
{
    sp_status status = SP_OK;
    size_t size = 0;
    int file = -1;
    sp_hash hash;
    char *piece = malloc(PIECE);
    if (!piece)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
    SP_TRY(open_file(path, &file, &size, error));
    sp_hash_start(&hash);
    for (size_t left = size; left > 0;) {
        const size_t here = left < PIECE ? left : PIECE;
        SP_TRY(read_bytes(file, path, piece, here, error));
        sp_hash_add(&hash, piece, here);
        left -= here;
    }
    sp_hash_end_hex(&hash, out);
cleanup:
    if (file >= 0)
        close(file);
    free(piece);
    return status;
}

sp_status sp_content_unpack(const char *path, const char *member, size_t limit, sp_content *content, sp_error *error)
{
    sp_status status = SP_OK;
    sp_content unpacked = { 0 };
    struct archive_entry *entry = NULL;
    struct archive *a = NULL;
    const size_t most = unpacked_limit(limit, content->size);
    if (!member && !may_be_packed(content))
        return SP_OK;
    if (!(a = reader_new(member != NULL)))
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
    if (archive_read_open_memory(a, content->bytes, content->size) != ARCHIVE_OK) {
        status = sp_fail(error, SP_EDATA, "%s: %s", path, archive_error_string(a));
        goto cleanup;
    }
    if (member) {
        SP_TRY(find_member(a, path, member, most, &unpacked, error));
    } else {
        const int code = archive_read_next_header(a, &entry);
        if (code != ARCHIVE_OK && code != ARCHIVE_EOF) {
            status = sp_fail(error, SP_EDATA, "%s: %s", path, archive_error_string(a));
            goto cleanup;
        }
        if (archive_filter_code(a, 0) == ARCHIVE_FILTER_NONE)
            goto cleanup; /* plain: as it is */
        if (code == ARCHIVE_OK)
            SP_TRY(read_entry(a, path, most, &unpacked, error));
    }
    sp_content_free(content);
    *content = unpacked;
    unpacked = (sp_content){ 0 };

cleanup:
    archive_read_free(a);
    free(unpacked.block);
    return status;
}

sp_status sp_content_read(const char *path, const char *member, size_t limit, sp_content *content, sp_error *error)
{
    sp_status status = sp_content_load(path, limit, content, error);
    if (status == SP_OK && (status = sp_content_unpack(path, member, limit, content, error)) != SP_OK)
        sp_content_free(content);
    return status;
}

void sp_content_free(sp_content *content)
{
    if (content->block)
        free(content->block);
    else
        sp_unmap((char *)content->bytes, content->size);
    *content = (sp_content){ 0 };
}
