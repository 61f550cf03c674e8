/* pack.c -- packs files by gzip (pack.h). */
#include "core/base/pack.h"

#include "core/base/memory.h"
#include "core/base/packed.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { GZIP = 16 + MAX_WBITS, MEMORY = 8 }; /* zlib's words for a gzip header and for what deflate may take */

static sp_status remove_file(const char *path, sp_error *error)
{
    return unlink(path) == 0 || errno == ENOENT ? SP_OK : sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno));
}

sp_status sp_pack_place(sp_atomic_file *draft, sp_error *error)
{
    sp_status status = SP_OK;
    char *packed = sp_format("%s.gz", draft->path);
    if (!packed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", draft->path));
    if (access(packed, F_OK) == 0 && sp_packed_same(draft->path, draft->beside))
        goto cleanup;
    SP_TRY(sp_atomic_file_place(draft, error));
    SP_TRY(remove_file(packed, error));
cleanup:
    free(packed);
    return status;
}

sp_status sp_pack_write(const char *path, const char *bytes, size_t size, sp_error *error)
{
    sp_status status = SP_OK;
    sp_atomic_file draft = { 0 };
    SP_TRY(sp_atomic_file_begin(&draft, path, error));
    SP_TRY(sp_atomic_file_add(&draft, bytes, size, error));
    SP_TRY(sp_atomic_file_complete(&draft, error));
    SP_TRY(sp_pack_place(&draft, error));
cleanup:
    sp_atomic_file_drop(&draft);
    return status;
}

static sp_status deflate_into(const sp_text *text, sp_text *out, const char *path, sp_error *error)
{
    z_stream to = { 0 };
    if (deflateInit2(&to, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
    const size_t most = deflateBound(&to, text->length);
    out->data = sp_alloc(most + 1, 1);
    out->capacity = most + 1;
    to.next_in = (Bytef *)text->data;
    to.avail_in = (uInt)text->length;
    to.next_out = (Bytef *)out->data;
    to.avail_out = (uInt)most;
    const bool good = out->data && text->length < UINT32_MAX && most < UINT32_MAX &&
                      deflate(&to, Z_FINISH) == Z_STREAM_END;
    out->length = good ? most - to.avail_out : 0;
    deflateEnd(&to);
    return good ? SP_OK : sp_fail(error, SP_ENOMEM, "%s: too large to be packed", path);
}

sp_status sp_pack(const char *path, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text text = { 0 }, out = { 0 };
    sp_atomic_file draft = { 0 };
    char *packed = sp_format("%s.gz", path);
    if (!packed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    SP_TRY(sp_packed_text(path, &text, error));
    if (access(packed, F_OK) == 0)
        goto cleanup;
    SP_TRY(deflate_into(&text, &out, path, error));
    SP_TRY(sp_atomic_file_begin(&draft, packed, error));
    SP_TRY(sp_atomic_file_add(&draft, out.data, out.length, error));
    SP_TRY(sp_atomic_file_complete(&draft, error));
    SP_TRY(sp_atomic_file_place(&draft, error));
    SP_TRY(remove_file(path, error));
cleanup:
    sp_atomic_file_drop(&draft);
    sp_text_free(&text);
    sp_text_free(&out);
    free(packed);
    return status;
}
