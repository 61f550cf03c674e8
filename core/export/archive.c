/* archive.c -- see archive.h. */
#include "core/export/archive.h"

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/export/ustar.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char sp_archive_sums[] = "SHA256SUMS";
static const unsigned char zeros[2 * SP_USTAR_BLOCK];
enum { HEX = SP_HASH_HEX - 1 };

static void hash_of(const void *bytes, size_t size, char out[SP_HASH_HEX])
{
    sp_hash hash;
    sp_hash_start(&hash);
    sp_hash_add(&hash, bytes, size);
    sp_hash_end_hex(&hash, out);
}

/* --- members --------------------------------------------------------------------------------------------------- */

static sp_status append(sp_archive *a, const sp_member *member, sp_error *error)
{
    if (a->members == a->room) {
        const size_t room = a->room > 0 ? 2 * a->room : 64;
        sp_member *grown = realloc(a->member, room * sizeof *grown);
        if (!grown)
            return sp_fail(error, SP_ENOMEM, "%s: out of memory", member->path);
        a->member = grown;
        a->room = room;
    }
    a->member[a->members++] = *member;
    return SP_OK;
}

sp_status sp_archive_add(sp_archive *a, const char *path, const void *bytes, size_t size, bool program, sp_error *error)
{
    const char *fault = sp_ustar_path_fault(path);
    if (fault || strcmp(path, sp_archive_sums) == 0)
        return sp_fail(error, SP_EINVAL, "%s: an archive can have no member of this path: %s", path,
                       fault ? fault : "the list of hashes has it");
    char *copy = sp_arena_text(&a->arena, size + 1), *name = sp_arena_copy(&a->arena, path);
    if (!copy || !name)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
    if (size > 0)
        memcpy(copy, bytes, size);
    return append(a, &(sp_member){ name, copy, size, program }, error);
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

/* Header, bytes and zeros of a member. */
static sp_status add_pieces(const sp_member *m, unsigned char header[SP_USTAR_BLOCK], sp_piece *piece, sp_error *error)
{
    if (!sp_ustar_header(m->path, m->size, m->program, header))
        return sp_fail(error, SP_EINVAL, "%s: too large for an archive", m->path);
    piece[0] = (sp_piece){ header, SP_USTAR_BLOCK };
    piece[1] = (sp_piece){ m->bytes, m->size };
    piece[2] = (sp_piece){ zeros, sp_ustar_padding(m->size) };
    return SP_OK;
}

sp_status sp_archive_write(sp_archive *a, const char *path, char hash[SP_HASH_HEX], sp_error *error)
{
    sp_status status = SP_OK;
    sp_text sums = { 0 };
    sp_hash all;
    const size_t pieces = 3 * (a->members + 1) + 1;
    sp_piece *piece = sp_alloc(pieces, sizeof *piece);
    unsigned char (*header)[SP_USTAR_BLOCK] = sp_alloc(a->members + 1, sizeof *header);
    if (a->members > 0)
        qsort(a->member, a->members, sizeof *a->member, by_path);
    for (size_t i = 1; i < a->members; i++)
        if (strcmp(a->member[i - 1].path, a->member[i].path) == 0)
            SP_TRY(sp_fail(error, SP_EINVAL, "%s: two members of an archive have this path", a->member[i].path));
    write_sums(a, &sums);
    if (sums.failed || !piece || !header)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    const sp_member first = { sp_archive_sums, sums.data ? sums.data : "", sums.length, false };
    for (size_t i = 0; i <= a->members; i++)
        SP_TRY(add_pieces(i == 0 ? &first : &a->member[i - 1], header[i], piece + 3 * i, error));
    piece[pieces - 1] = (sp_piece){ zeros, sizeof zeros };
    SP_TRY(sp_write_pieces(path, piece, pieces, error));
    sp_hash_start(&all);
    for (size_t i = 0; i < pieces; i++)
        sp_hash_add(&all, piece[i].bytes, piece[i].size);
    sp_hash_end_hex(&all, hash);
cleanup:
    sp_text_free(&sums);
    free(piece);
    free(header);
    return status;
}

/* --- reading --------------------------------------------------------------------------------------------------- */

typedef struct reading {
    const char *path;           /* of the file */
    const unsigned char *bytes; /* the whole file */
    size_t size, at;            /* how far it is read */
    sp_error *error;
} reading;

static sp_status wrong(const reading *r, const char *member, const char *what)
{
    return sp_fail(r->error, SP_EDATA, "%s: %s: %s", r->path, member, what);
}

/* The member that begins here, which should be `expected`. Its path may still be another. */
static sp_status read_member(reading *r, const char *expected, char path[SP_USTAR_NAME], sp_member *m)
{
    unsigned char again[SP_USTAR_BLOCK];
    const unsigned char *header = r->bytes + r->at;
    const size_t left = r->size - r->at;
    if (left < SP_USTAR_BLOCK)
        return wrong(r, expected, "missing: the file is cut short before it");
    if (memcmp(header, zeros, SP_USTAR_BLOCK) == 0)
        return wrong(r, expected, "missing: the archive ends before it");
    if (!sp_ustar_read(header, path, &m->size, &m->program))
        return wrong(r, expected, "its header has changed, or is that of no file");
    const char *fault = sp_ustar_path_fault(path);
    if (fault)
        return sp_fail(r->error, SP_EDATA, "%s: %s: a path that no member may have: %s", r->path, path, fault);
    if (!sp_ustar_header(path, m->size, m->program, again) || memcmp(header, again, SP_USTAR_BLOCK) != 0)
        return wrong(r, path, "its header is not one that `stillpoint archive` writes");
    if (left - SP_USTAR_BLOCK < m->size || left - SP_USTAR_BLOCK - m->size < sp_ustar_padding(m->size))
        return sp_fail(r->error, SP_EDATA, "%s: %s: the file is cut short: it has %zu of its %zu bytes", r->path, path,
                       left - SP_USTAR_BLOCK < m->size ? left - SP_USTAR_BLOCK : m->size, m->size);
    m->bytes = header + SP_USTAR_BLOCK;
    r->at += SP_USTAR_BLOCK + m->size;
    if (memcmp(r->bytes + r->at, zeros, sp_ustar_padding(m->size)) != 0)
        return wrong(r, path, "there are bytes behind its last one");
    r->at += sp_ustar_padding(m->size);
    return SP_OK;
}

/* Line `number` of the sums, a path and the hash before it; *at is then behind it. */
static sp_status read_sum(const reading *r, const sp_member *sums, size_t number, size_t *at, char hash[SP_HASH_HEX],
                          char path[SP_USTAR_NAME])
{
    const char *line = (const char *)sums->bytes + *at;
    const size_t left = sums->size - *at;
    const char *end = memchr(line, '\n', left);
    const size_t length = end ? (size_t)(end - line) : left;
    const char *fault = NULL;
    bool is_sum = end && length > HEX + 2 && length < HEX + 2 + SP_USTAR_NAME && line[HEX] == ' ' && line[HEX + 1] == ' ';
    for (size_t i = 0; i < HEX && is_sum; i++)
        is_sum = strchr("0123456789abcdef", line[i]) && line[i];
    if (is_sum) {
        memcpy(hash, line, HEX);
        hash[HEX] = '\0';
        memcpy(path, line + HEX + 2, length - HEX - 2);
        path[length - HEX - 2] = '\0';
        fault = strlen(path) == length - HEX - 2 ? sp_ustar_path_fault(path) : "it has a byte that a path may not have here";
    }
    if (!is_sum || fault)
        return sp_fail(r->error, SP_EDATA, "%s: %s:%zu: %s", r->path, sp_archive_sums, number,
                       fault ? fault : "not a SHA-256, two spaces and a path");
    *at += length + 1;
    return SP_OK;
}

/* Does a later line have the path? */
static bool comes_later(const reading *r, const sp_member *sums, size_t number, size_t at, const char *path)
{
    char hash[SP_HASH_HEX], later[SP_USTAR_NAME];
    const reading quiet = { r->path, r->bytes, r->size, r->at, NULL };
    while (at < sums->size && read_sum(&quiet, sums, number, &at, hash, later) == SP_OK)
        if (strcmp(path, later) == 0)
            return true;
    return false;
}

static sp_status read_all(reading *r, sp_archive *a)
{
    sp_status status = SP_OK;
    sp_member sums = { 0 };
    char path[SP_USTAR_NAME], expected[SP_USTAR_NAME], before[SP_USTAR_NAME] = "", hash[SP_HASH_HEX], found[SP_HASH_HEX];
    if (r->size < SP_USTAR_BLOCK || !sp_ustar_is(r->bytes))
        return sp_fail(r->error, SP_EDATA, "%s: no archive of `stillpoint archive`: it does not begin as a tar file does",
                       r->path);
    SP_TRY(read_member(r, sp_archive_sums, path, &sums));
    if (strcmp(path, sp_archive_sums) != 0)
        SP_TRY(wrong(r, path, "where SHA256SUMS should be: this is no archive of `stillpoint archive`"));
    for (size_t at = 0, number = 1; at < sums.size; number++) {
        sp_member m = { 0 };
        SP_TRY(read_sum(r, &sums, number, &at, hash, expected));
        if (strcmp(before, expected) >= 0)
            SP_TRY(sp_fail(r->error, SP_EDATA, "%s: %s:%zu: %s does not come after %s in the order of paths", r->path,
                           sp_archive_sums, number, expected, before));
        memcpy(before, expected, sizeof before);
        SP_TRY(read_member(r, expected, path, &m));
        if (strcmp(path, expected) != 0)
            SP_TRY(comes_later(r, &sums, number, at, path) ? wrong(r, expected, "missing: SHA256SUMS lists it")
                                                           : wrong(r, path, "a member that SHA256SUMS does not list"));
        hash_of(m.bytes, m.size, found);
        if (strcmp(hash, found) != 0)
            SP_TRY(sp_fail(r->error, SP_EDATA, "%s: %s: changed: SHA-256 %.12s..., and SHA256SUMS has %.12s...", r->path,
                           path, found, hash));
        if (!(m.path = sp_arena_copy(&a->arena, path)))
            SP_TRY(sp_fail(r->error, SP_ENOMEM, "%s: out of memory", r->path));
        SP_TRY(append(a, &m, r->error));
    }
cleanup:
    return status;
}

/* Two blocks of zeros and nothing else. */
static sp_status read_end(reading *r)
{
    const char *last = "the end";
    const size_t left = r->size - r->at;
    sp_member m = { 0 };
    char path[SP_USTAR_NAME];
    if (left == sizeof zeros && memcmp(r->bytes + r->at, zeros, sizeof zeros) == 0)
        return SP_OK;
    if (left < sizeof zeros)
        return wrong(r, last, "the file is cut short behind its last member");
    if (memcmp(r->bytes + r->at, zeros, SP_USTAR_BLOCK) == 0)
        return wrong(r, last, "there are bytes behind the last member");
    const sp_status status = read_member(r, last, path, &m);
    return status == SP_OK ? wrong(r, path, "a member that SHA256SUMS does not list") : status;
}

sp_status sp_archive_read(const char *path, sp_archive *a, sp_error *error)
{
    sp_status status = SP_OK;
    *a = (sp_archive){ 0 };
    SP_TRY(map(path, &a->mapped, &a->mapped_size, NULL, error));
    reading r = { path, a->mapped, a->mapped_size, 0, error };
    SP_TRY(read_all(&r, a));
    SP_TRY(read_end(&r));
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
        char *path = sp_format("%s/%s", folder, m->path);
        char *parent = path ? sp_format("%.*s", (int)(strrchr(path, '/') - path), path) : NULL;
        if (!parent)
            status = sp_fail(error, SP_ENOMEM, "%s: out of memory", m->path);
        else if ((status = sp_make_directory(parent, error)) == SP_OK)
            status = sp_write_file(path, m->bytes, m->size, error);
        if (status == SP_OK && m->program && chmod(path, 0755) != 0)
            status = sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno));
        free(parent);
        free(path);
    }
    return status;
}
