/* content.c -- packed files: refused, or unpacked within the limit. The first byte asks for a member of an archive. */
#include "core/data/read/content.h"

#include "tests/fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const size_t limit = (size_t)16 << 20;
    if (size < 2)
        return 0;
    char *block = malloc(size - 1);
    if (!block)
        return 0;
    memcpy(block, bytes + 1, size - 1);
    sp_content content = { .bytes = block, .size = size - 1, .block = block };
    sp_error error = { 0 };
    const sp_status status = sp_content_unpack("packed", bytes[0] % 2 ? "train" : NULL, limit, &content, &error);
    FUZZ_CHECK(status == SP_OK || (content.block == block && content.size == size - 1 && error.text[0]));
    FUZZ_CHECK(content.size <= limit || content.block == block);
    sp_content_free(&content);
    return 0;
}
