/* packed.c -- see packed.h. */
#include "core/base/packed.h"

#include "core/base/files.h"
#include "core/base/memory.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCK = 1 << 16, GZIP = 16 + MAX_WBITS }; /* bytes read at once; zlib's word for a gzip header, and a check sum */

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

/* As read(), but an interruption is none. */
static ssize_t read_block(int file, unsigned char *block)
{
    ssize_t got;
    do
        got = read(file, block, BLOCK);
    while (got < 0 && errno == EINTR);
    return got;
}

static sp_status read_plain(const char *path, int file, sp_take take, void *to, sp_error *error)
{
    unsigned char block[BLOCK];
    ssize_t got;
    while ((got = read_block(file, block)) > 0)
        if (!take(to, block, (size_t)got))
            return SP_OK;
    return got == 0 ? SP_OK : sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno));
}

/* What `from` brought, unpacked. After the end of one packed file another may follow, as gzip has it. */
static sp_status unpack(z_stream *from, const char *path, bool *whole, bool *wanted, sp_take take, void *to,
                        sp_error *error)
{
    unsigned char block[BLOCK];
    do {
        if (*whole && inflateReset(from) != Z_OK)
            return sp_fail(error, SP_EDATA, "%s: damaged", path);
        from->next_out = block;
        from->avail_out = BLOCK;
        const int said = inflate(from, Z_NO_FLUSH);
        if (said == Z_MEM_ERROR)
            return sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
        if (said != Z_OK && said != Z_STREAM_END && said != Z_BUF_ERROR)
            return sp_fail(error, SP_EDATA, "%s: damaged, or not written by gzip: %s", path,
                           from->msg ? from->msg : "a dictionary is missing");
        *whole = said == Z_STREAM_END;
        *wanted = take(to, block, BLOCK - from->avail_out);
    } while (*wanted && (from->avail_in > 0 || from->avail_out == 0));
    return SP_OK;
}

static sp_status read_packed(const char *path, int file, sp_take take, void *to, sp_error *error)
{
    sp_status status = SP_OK;
    unsigned char block[BLOCK];
    z_stream from = { 0 };
    bool whole = false, wanted = true;
    ssize_t got = 0;
    if (inflateInit2(&from, GZIP) != Z_OK)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
    while (wanted && (got = read_block(file, block)) > 0) {
        from.next_in = block;
        from.avail_in = (uInt)got;
        SP_TRY(unpack(&from, path, &whole, &wanted, take, to, error));
    }
    if (got < 0)
        SP_TRY(sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno)));
    if (wanted && !whole)
        SP_TRY(sp_fail(error, SP_EDATA, "%s: cut short: the packed file ends too early", path));
cleanup:
    inflateEnd(&from);
    return status;
}

sp_status sp_packed_read(const char *path, sp_take take, void *to, sp_error *error)
{
    sp_status status = SP_OK;
    int file = -1;
    size_t size;
    char *packed = sp_format("%s.gz", path);
    if (!packed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    const bool is_packed = is_there(packed);
    if (is_packed && is_there(path))
        SP_TRY(sp_fail(error, SP_EDATA, "%s and %s are both there: remove the one that is not meant", path, packed));
    const char *used = is_packed ? packed : path, *why = sp_open_file(used, &file, &size);
    if (why)
        SP_TRY(sp_fail(error, errno == ENOENT ? SP_EABSENT : SP_EIO, "%s: %s", used, why));
    SP_TRY((is_packed ? read_packed : read_plain)(used, file, take, to, error));
cleanup:
    if (file >= 0)
        close(file);
    free(packed);
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
