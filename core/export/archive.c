/* archive.c -- see archive.h. libarchive writes and parses the tar; this file chooses what a header holds, writes and checks
 * the list of hashes, and accounts for every byte between the members. */
#include "core/export/archive.h"

#include "core/base/atomic_file.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char sp_archive_sums[] = "SHA256SUMS";
/* Bytes of a block of a tar; where the header has its checksum, and how many octal digits that has. */
enum { BLOCK = 512, CHECKSUM = 148, CHECKSUM_DIGITS = 6, HEX = SP_HASH_HEX - 1, LONGEST_PATH = 256 };

static void hash_of(const void *bytes, size_t size, char out[SP_HASH_HEX])
{
    sp_hash hash;
    sp_hash_start(&hash);
    sp_hash_add(&hash, bytes, size);
    sp_hash_end_hex(&hash, out);
}

/* --- members --------------------------------------------------------------------------------------------------- */

/* Why no member may have this path; NULL: it may. */
static const char *path_fault(const char *path)
{
    if (*path == '\0')
        return "it is empty";
    if (*path == '/')
        return "it begins at the root";
    for (const char *c = path; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f || *c == '\\')
            return "it has a byte that a path may not have here";
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += part != path;
        const size_t length = strcspn(part, "/");
        if (length == 0)
            return "it has a part without a name";
        if ((length == 1 && part[0] == '.') || (length == 2 && part[0] == '.' && part[1] == '.'))
            return "it has . or .. in it, which may lead elsewhere";
    }
    return strlen(path) > LONGEST_PATH ? "it is too long" : NULL;
}

static void append(sp_archive *a, const sp_member *member)
{
    if (a->members == a->room) {
        a->room = a->room > 0 ? 2 * a->room : 64;
        a->member = sp_need(realloc(a->member, a->room * sizeof *a->member));
    }
    a->member[a->members++] = *member;
}

sp_status sp_archive_add(sp_archive *a, const char *path, const void *bytes, size_t size, bool program, sp_error *error)
{
    const char *fault = path_fault(path);
    if (fault || strcmp(path, sp_archive_sums) == 0)
        return sp_fail(error, SP_EINVAL, "%s: an archive can have no member of this path: %s", path,
                       fault ? fault : "the list of hashes has it");
    char *copy = sp_need(sp_arena_text(&a->arena, size + 1));
    if (size > 0)
        memcpy(copy, bytes, size);
    append(a, &(sp_member){ sp_need(sp_arena_copy(&a->arena, path)), copy, size, program });
    return SP_OK;
}

/* The bytes of a file; nothing is mapped of an empty one. */
static sp_status map(const char *path, void **bytes, size_t *size, bool *program, sp_error *error)
{
    sp_status status = SP_OK;
    struct stat found;
    int file = -1;
    *bytes = NULL;
    const char *why = sp_open_file(path, &file, size);
    const bool absent = why && errno == ENOENT;
    if (!why && fstat(file, &found) != 0)
        why = strerror(errno);
    if (!why && *size > 0 && (*bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0)) == MAP_FAILED) {
        *bytes = NULL;
        why = strerror(errno);
    }
    if (why)
        status = sp_fail(error, absent ? SP_EABSENT : SP_EIO, "%s: %s", path, why);
    else if (program)
        *program = (found.st_mode & S_IXUSR) != 0;
    if (file >= 0)
        close(file);
    return status;
}

sp_status sp_archive_add_file(sp_archive *a, const char *path, const char *from, sp_error *error)
{
    sp_status status = SP_OK;
    void *bytes = NULL;
    size_t size = 0;
    bool program = false;
    SP_TRY(map(from, &bytes, &size, &program, error));
    status = sp_archive_add(a, path, bytes, size, program, error);
    if (bytes)
        munmap(bytes, size);
cleanup:
    return status;
}

void sp_archive_free(sp_archive *a)
{
    free(a->member);
    sp_arena_free(&a->arena);
    if (a->mapped)
        munmap(a->mapped, a->mapped_size);
    *a = (sp_archive){ 0 };
}

/* --- writing --------------------------------------------------------------------------------------------------- */

static int by_path(const void *a, const void *b)
{
    return strcmp(((const sp_member *)a)->path, ((const sp_member *)b)->path);
}

static void write_sums(const sp_archive *a, sp_text *out)
{
    char hash[SP_HASH_HEX];
    for (size_t i = 0; i < a->members; i++) {
        hash_of(a->member[i].bytes, a->member[i].size, hash);
        sp_text_append(out, "%s  %s\n", hash, a->member[i].path);
    }
}

typedef struct writing {
    sp_atomic_file draft;
    sp_hash hash;     /* of the bytes so far */
    sp_status status; /* of the draft */
    sp_error *error;
} writing;

/* libarchive hands over the next bytes of the file. */
static la_ssize_t take(struct archive *tar, void *context, const void *bytes, size_t size)
{
    (void)tar;
    writing *w = context;
    sp_hash_add(&w->hash, bytes, size);
    w->status = sp_atomic_file_add(&w->draft, bytes, size, w->error);
    return w->status == SP_OK ? (la_ssize_t)size : -1;
}

/* Times and owners are not set and thus 0. */
static sp_status write_member(struct archive *tar, writing *w, const sp_member *m)
{
    struct archive_entry *entry = sp_need(archive_entry_new());
    archive_entry_set_pathname(entry, m->path);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, m->program ? 0755 : 0644);
    archive_entry_set_size(entry, (la_int64_t)m->size);
    const bool written = archive_write_header(tar, entry) == ARCHIVE_OK &&
                         archive_write_data(tar, m->bytes, m->size) == (la_ssize_t)m->size;
    archive_entry_free(entry);
    if (!written && w->status == SP_OK)
        w->status = sp_fail(w->error, SP_EINVAL, "%s: no archive can hold it: %s", m->path, archive_error_string(tar));
    return w->status;
}

/* Without padding behind the two blocks of zeros that end a tar. */
static sp_status write_members(const sp_archive *a, writing *w, const sp_text *sums)
{
    sp_status status = SP_OK;
    struct archive *tar = sp_need(archive_write_new());
    archive_write_set_format_ustar(tar);
    archive_write_set_bytes_in_last_block(tar, 1);
    if (archive_write_open(tar, w, NULL, take, NULL) != ARCHIVE_OK)
        SP_TRY(sp_fail(w->error, SP_EIO, "%s: %s", w->draft.path, archive_error_string(tar)));
    SP_TRY(write_member(tar, w, &(sp_member){ sp_archive_sums, sums->data, sums->length, false }));
    for (size_t i = 0; i < a->members; i++)
        SP_TRY(write_member(tar, w, &a->member[i]));
    if (archive_write_close(tar) != ARCHIVE_OK)
        SP_TRY(w->status == SP_OK ? sp_fail(w->error, SP_EIO, "%s: %s", w->draft.path, archive_error_string(tar))
                                  : w->status);
cleanup:
    archive_write_free(tar);
    return status;
}

sp_status sp_archive_write(sp_archive *a, const char *path, char hash[SP_HASH_HEX], sp_error *error)
{
    sp_status status = SP_OK;
    sp_text sums = { 0 };
    writing w = { .error = error };
    if (a->members > 0)
        qsort(a->member, a->members, sizeof *a->member, by_path);
    for (size_t i = 1; i < a->members; i++)
        if (strcmp(a->member[i - 1].path, a->member[i].path) == 0)
            SP_TRY(sp_fail(error, SP_EINVAL, "%s: two members of an archive have this path", a->member[i].path));
    write_sums(a, &sums);
    sp_need_text(&sums);
    sp_hash_start(&w.hash);
    SP_TRY(sp_atomic_file_begin(&w.draft, path, error));
    SP_TRY(write_members(a, &w, &sums));
    SP_TRY(sp_atomic_file_complete(&w.draft, error));
    SP_TRY(sp_atomic_file_place(&w.draft, error));
    sp_hash_end_hex(&w.hash, hash);
cleanup:
    sp_atomic_file_drop(&w.draft);
    sp_text_free(&sums);
    return status;
}

/* --- reading --------------------------------------------------------------------------------------------------- */

typedef struct reading {
    const char *path;           /* of the file */
    const unsigned char *bytes; /* the whole file */
    size_t size, at;            /* its length; where the next header must begin */
    sp_error *error;
} reading;

static sp_status wrong(const reading *r, const char *member, const char *what)
{
    return sp_fail(r->error, SP_EDATA, "%s: %s: %s", r->path, member, what);
}

static bool all_zero(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static bool set(const char *text)
{
    return text && *text;
}

/* Does the header hold nothing but a path, a size and whether the file is a program? libarchive has compared its checksum,
 * whose own field must be six digits, a NUL and a blank. */
static bool plain_header(struct archive *tar, struct archive_entry *entry, const unsigned char *header)
{
    const mode_t mode = archive_entry_perm(entry);
    bool plain = archive_format(tar) == ARCHIVE_FORMAT_TAR_USTAR && (mode == 0644 || mode == 0755) &&
                 archive_entry_uid(entry) == 0 && archive_entry_gid(entry) == 0 && archive_entry_mtime(entry) == 0 &&
                 !set(archive_entry_uname(entry)) && !set(archive_entry_gname(entry));
    for (size_t i = 0; i < CHECKSUM_DIGITS; i++)
        plain = plain && header[CHECKSUM + i] >= '0' && header[CHECKSUM + i] <= '7';
    return plain && memcmp(header + CHECKSUM + CHECKSUM_DIGITS, "\0 ", 2) == 0;
}

/* The member whose header libarchive has just parsed. Its bytes lie behind the header, and zeros behind them up to the next
 * block. */
static sp_status read_member(reading *r, struct archive *tar, struct archive_entry *entry, sp_archive *a)
{
    const char *path = archive_entry_pathname(entry), *fault = path ? path_fault(path) : "it is empty";
    const size_t size = (size_t)archive_entry_size(entry), padding = (BLOCK - size % BLOCK) % BLOCK;
    const unsigned char *header = r->bytes + r->at;
    if (fault)
        return sp_fail(r->error, SP_EDATA, "%s: %s: a path that no member may have: %s", r->path, path ? path : "", fault);
    if (archive_entry_filetype(entry) != AE_IFREG || set(archive_entry_hardlink(entry)))
        return wrong(r, path, "not a regular file");
    if ((size_t)archive_read_header_position(tar) != r->at || !plain_header(tar, entry, header))
        return wrong(r, path, "its header is not one that `stillpoint archive` writes");
    const size_t left = r->size - r->at - BLOCK;
    if (left < size || left - size < padding)
        return sp_fail(r->error, SP_EDATA, "%s: %s: the file is cut short: it has %zu of its %zu bytes", r->path, path,
                       left < size ? left : size, size);
    if (!all_zero(header + BLOCK + size, padding))
        return wrong(r, path, "there are bytes behind its last one");
    append(a, &(sp_member){ sp_need(sp_arena_copy(&a->arena, path)), header + BLOCK, size,
                            archive_entry_perm(entry) == 0755 });
    r->at += BLOCK + size + padding;
    return SP_OK;
}

static sp_status read_members(reading *r, sp_archive *a)
{
    sp_status status = SP_OK;
    struct archive_entry *entry;
    struct archive *tar = sp_need(archive_read_new());
    archive_read_support_format_tar(tar);
    int code = archive_read_open_memory(tar, r->bytes, r->size);
    while (code == ARCHIVE_OK && (code = archive_read_next_header(tar, &entry)) == ARCHIVE_OK)
        SP_TRY(read_member(r, tar, entry, a));
    if (a->members == 0 || strcmp(a->member[0].path, sp_archive_sums) != 0)
        SP_TRY(sp_fail(r->error, SP_EDATA, "%s: no archive of `stillpoint archive`: its first member is not %s", r->path,
                       sp_archive_sums));
    if (code != ARCHIVE_EOF)
        SP_TRY(sp_fail(r->error, SP_EDATA, "%s: behind %s: %s", r->path, a->member[a->members - 1].path,
                       archive_error_string(tar)));
cleanup:
    archive_read_free(tar);
    return status;
}

/* A line of SHA256SUMS. */
typedef struct sum {
    char hash[SP_HASH_HEX], path[LONGEST_PATH + 1];
} sum;

/* Reads one and moves *line behind it. */
static bool read_sum(const char **line, const char *end, sum *out)
{
    const char *stop = memchr(*line, '\n', (size_t)(end - *line));
    const size_t length = stop ? (size_t)(stop - *line) : 0;
    if (length <= HEX + 2 || length - HEX - 2 >= sizeof out->path || memcmp(*line + HEX, "  ", 2) != 0)
        return false;
    *out = (sum){ 0 };
    memcpy(out->hash, *line, HEX);
    memcpy(out->path, *line + HEX + 2, length - HEX - 2);
    *line = stop + 1;
    return strlen(out->path) == length - HEX - 2;
}

static sp_status check_hash(const reading *r, const sp_member *m, const sum *listed)
{
    char found[SP_HASH_HEX];
    hash_of(m->bytes, m->size, found);
    return strcmp(listed->hash, found) == 0
               ? SP_OK
               : sp_fail(r->error, SP_EDATA, "%s: %s: changed: SHA-256 %.12s..., and SHA256SUMS has %.12s...", r->path,
                         m->path, found, listed->hash);
}

/* Both the lines of SHA256SUMS and the other members are in the order of their paths. */
static sp_status check_sums(const reading *r, const sp_member *sums, const sp_member *m, size_t members)
{
    sp_status status = SP_OK;
    const char *line = sums->bytes, *end = line + sums->size;
    sum listed;
    for (size_t i = 0; line < end || i < members; i++) {
        const bool more = line < end;
        if (more && !read_sum(&line, end, &listed))
            return sp_fail(r->error, SP_EDATA, "%s: %s:%zu: not a SHA-256, two spaces and a path", r->path,
                           sp_archive_sums, i + 1);
        const int order = !more ? 1 : i == members ? -1 : strcmp(listed.path, m[i].path);
        if (order < 0)
            return wrong(r, listed.path, "missing: SHA256SUMS lists it");
        if (order > 0)
            return wrong(r, m[i].path, "a member that SHA256SUMS does not list");
        if (i > 0 && strcmp(m[i - 1].path, m[i].path) >= 0)
            return sp_fail(r->error, SP_EDATA, "%s: %s:%zu: %s does not come after %s in the order of paths", r->path,
                           sp_archive_sums, i + 1, m[i].path, m[i - 1].path);
        SP_TRY(check_hash(r, &m[i], &listed));
    }
cleanup:
    return status;
}

/* Two blocks of zeros and nothing else. */
static sp_status check_end(const reading *r)
{
    const size_t left = r->size - r->at;
    if (left == 2 * BLOCK && all_zero(r->bytes + r->at, left))
        return SP_OK;
    return wrong(r, "the end", left < 2 * BLOCK ? "the file is cut short behind its last member"
                                                : "there are bytes behind the last member");
}

sp_status sp_archive_read(const char *path, sp_archive *a, sp_error *error)
{
    sp_status status = SP_OK;
    *a = (sp_archive){ 0 };
    SP_TRY(map(path, &a->mapped, &a->mapped_size, NULL, error));
    reading r = { path, a->mapped, a->mapped_size, 0, error };
    SP_TRY(read_members(&r, a));
    SP_TRY(check_sums(&r, &a->member[0], a->member + 1, a->members - 1));
    SP_TRY(check_end(&r));
    memmove(a->member, a->member + 1, --a->members * sizeof *a->member); /* without SHA256SUMS */
cleanup:
    if (status != SP_OK)
        sp_archive_free(a);
    return status;
}

sp_status sp_archive_unpack(const sp_archive *a, const char *folder, sp_error *error)
{
    sp_status status = SP_OK;
    for (size_t i = 0; i < a->members && status == SP_OK; i++) {
        const sp_member *m = &a->member[i];
        char *path = sp_need(sp_format("%s/%s", folder, m->path));
        char *parent = sp_need(sp_format("%.*s", (int)(strrchr(path, '/') - path), path));
        if ((status = sp_make_directory(parent, error)) == SP_OK)
            status = sp_write_file(path, m->bytes, m->size, error);
        if (status == SP_OK && m->program && chmod(path, 0755) != 0)
            status = sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno));
        free(parent);
        free(path);
    }
    return status;
}
