/* packed.c -- reads plain and gzip-packed files (packed.h). */
#include "core/base/packed.h"

#include "core/base/files.h"
#include "core/base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* bytes read at once; zlib's word for a gzip header, and a check sum */
enum { BLOCK = 1 << 16, GZIP = 16 + MAX_WBITS };

struct sp_packed {
    char *path;     /* of the form that is there */
    int file;
    bool packed;
    z_stream from;
    bool whole;     /* what was unpacked ends where a packed file does */
    size_t given, most; /* bytes unpacked so far, and those that it may be unpacked to */
    bool holds;     /* zlib may hold more than there was room for */
    unsigned char block[BLOCK];
};

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

bool sp_packed_there(const char *path)
{
    char *packed = sp_format("%s.gz", path);
    const bool there = is_there(path) || (packed && is_there(packed));
    free(packed);
    return there;
}

/* What a packed file of `size` bytes may unpack to. */
static sp_status find_limit(size_t size, size_t *most, sp_error *error)
{
    static const size_t least = (size_t)64 << 20, ratio = 200; /* tables are packed to a tenth, at best a fiftieth */
    const char *text = getenv("STILLPOINT_UNPACK_LIMIT");
    double mebibytes;
    *most = size > least / ratio ? ratio * size : least;
    if (!text || !*text)
        return SP_OK;
    if (!sp_read_number(text, &mebibytes) || !(mebibytes > 0.0 && mebibytes <= 1e9))
        return sp_fail(error, SP_EINVAL, "STILLPOINT_UNPACK_LIMIT = %s: must be a number of MiB, at most 1e9", text);
    *most = (size_t)(mebibytes * 1048576.0);
    return SP_OK;
}

sp_status sp_packed_open(const char *path, sp_packed **out, sp_error *error)
{
    sp_status status = SP_OK;
    size_t size;
    char *packed = sp_format("%s.gz", path);
    sp_packed *p = *out = sp_alloc(1, sizeof *p);
    if (p)
        p->file = -1;
    if (!p || !packed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    p->packed = is_there(packed);
    if (p->packed && is_there(path))
        SP_TRY(sp_fail(error, SP_EDATA, "%s and %s are both there: remove the one that is not meant", path, packed));
    if (!(p->path = sp_copy_text(p->packed ? packed : path)) || (p->packed && inflateInit2(&p->from, GZIP) != Z_OK))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    const char *why = sp_open_file(p->path, &p->file, &size);
    if (why)
        SP_TRY(sp_fail(error, errno == ENOENT ? SP_EABSENT : SP_EIO, "%s: %s", p->path, why));
    if (p->packed)
        SP_TRY(find_limit(size, &p->most, error));
cleanup:
    free(packed);
    if (status != SP_OK) {
        sp_packed_close(p);
        *out = NULL;
    }
    return status;
}

static sp_status read_block(sp_packed *p, void *bytes, size_t room, size_t *got, sp_error *error)
{
    const ssize_t count = sp_read(p->file, bytes, room);
    *got = count < 0 ? 0 : (size_t)count;
    return count < 0 ? sp_fail(error, SP_EIO, "%s: %s", p->path, strerror(errno)) : SP_OK;
}

/* After the end of one packed file another may follow, as gzip has it. */
static sp_status unpack(sp_packed *p, sp_error *error)
{
    z_stream *from = &p->from;
    if (p->whole && inflateReset(from) != Z_OK)
        return sp_fail(error, SP_EDATA, "%s: damaged", p->path);
    const int said = inflate(from, Z_NO_FLUSH);
    if (said == Z_MEM_ERROR)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", p->path);
    if (said != Z_OK && said != Z_STREAM_END && said != Z_BUF_ERROR)
        return sp_fail(error, SP_EDATA, "%s: damaged, or not written by gzip: %s", p->path,
                       from->msg ? from->msg : "a dictionary is missing");
    p->whole = said == Z_STREAM_END;
    p->holds = from->avail_out == 0 && !p->whole;
    return SP_OK;
}

sp_status sp_packed_next(sp_packed *p, void *bytes, size_t room, size_t *got, sp_error *error)
{
    sp_status status = SP_OK;
    z_stream *from = &p->from;
    const size_t most = room < BLOCK ? room : BLOCK;
    *got = 0;
    if (!p->packed)
        return read_block(p, bytes, room, got, error);
    from->next_out = bytes;
    from->avail_out = (uInt)most;
    while (from->avail_out == most) {
        if (from->avail_in == 0 && !p->holds) {
            size_t count;
            SP_TRY(read_block(p, p->block, BLOCK, &count, error));
            if (count == 0 && !p->whole)
                SP_TRY(sp_fail(error, SP_EDATA, "%s: cut short: the packed file ends too early", p->path));
            if (count == 0)
                goto cleanup;
            from->next_in = p->block;
            from->avail_in = (uInt)count;
        }
        SP_TRY(unpack(p, error));
    }
    *got = most - from->avail_out;
    p->given += *got;
    if (p->given > p->most)
        SP_TRY(sp_fail(error, SP_ELIMIT, "%s: unpacks to more than %zu MiB, which its size does not explain "
                       "(STILLPOINT_UNPACK_LIMIT=MIB is the limit)", p->path, p->most >> 20));
cleanup:
    return status;
}

sp_status sp_packed_rewind(sp_packed *p, sp_error *error)
{
    if (lseek(p->file, 0, SEEK_SET) != 0)
        return sp_fail(error, SP_EIO, "%s: %s", p->path, strerror(errno));
    if (p->packed && inflateReset(&p->from) != Z_OK)
        return sp_fail(error, SP_EDATA, "%s: damaged", p->path);
    p->from.avail_in = 0;
    p->given = 0;
    p->whole = p->holds = false;
    return SP_OK;
}

void sp_packed_close(sp_packed *p)
{
    if (!p)
        return;
    if (p->packed)
        inflateEnd(&p->from);
    if (p->file >= 0)
        close(p->file);
    free(p->path);
    free(p);
}

sp_status sp_packed_read(const char *path, sp_take take, void *to, sp_error *error)
{
    sp_status status = SP_OK;
    unsigned char block[BLOCK];
    size_t got;
    sp_packed *p = NULL;
    SP_TRY(sp_packed_open(path, &p, error));
    do
        SP_TRY(sp_packed_next(p, block, BLOCK, &got, error));
    while (got > 0 && take(to, block, got));
cleanup:
    sp_packed_close(p);
    return status;
}

static bool append(void *to, const void *bytes, size_t count)
{
    sp_text *text = to;
    sp_text_add(text, bytes, count);
    return !text->failed;
}

sp_status sp_packed_text(const char *path, sp_text *out, sp_error *error)
{
    const sp_status status = sp_packed_read(path, append, out, error);
    sp_text_add(out, "", 0); /* an empty file is a text, too */
    return status == SP_OK && out->failed ? sp_fail(error, SP_ENOMEM, "%s: out of memory", path) : status;
}

/* --- comparing ------------------------------------------------------------------------------------------------- */

typedef struct comparison {
    FILE *other;
    bool differs;
} comparison;

static bool compare(void *to, const void *bytes, size_t count)
{
    comparison *c = to;
    char block[BLOCK];
    c->differs = fread(block, 1, count, c->other) != count || memcmp(block, bytes, count) != 0;
    return !c->differs;
}

bool sp_packed_same(const char *path, const char *other)
{
    comparison c = { .other = fopen(other, "re") };
    const bool same = c.other && sp_packed_read(path, compare, &c, NULL) == SP_OK && !c.differs &&
                      fgetc(c.other) == EOF && !ferror(c.other);
    if (c.other)
        fclose(c.other);
    return same;
}
