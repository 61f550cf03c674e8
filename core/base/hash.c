/* hash.c -- SHA-256 by Nettle. */
#include "core/base/hash.h"

#include <string.h>

void sp_hash_start(sp_hash *hash)
{
    sha256_init(&hash->state);
}

void sp_hash_add(sp_hash *hash, const void *bytes, size_t count)
{
    sha256_update(&hash->state, count, bytes);
}

void sp_hash_text(sp_hash *hash, const char *text)
{
    sp_hash_add(hash, text, strlen(text) + 1);
}

void sp_hash_end(sp_hash *hash, unsigned char out[SP_HASH_SIZE])
{
    sha256_digest(&hash->state, SP_HASH_SIZE, out);
}

void sp_hash_hex(const unsigned char hash[SP_HASH_SIZE], char out[SP_HASH_HEX])
{
    static const char digit[] = "0123456789abcdef";
    for (size_t i = 0; i < SP_HASH_SIZE; i++) {
        out[2 * i] = digit[hash[i] >> 4];
        out[2 * i + 1] = digit[hash[i] & 15];
    }
    out[SP_HASH_HEX - 1] = '\0';
}

void sp_hash_end_hex(sp_hash *hash, char out[SP_HASH_HEX])
{
    unsigned char bytes[SP_HASH_SIZE];
    sp_hash_end(hash, bytes);
    sp_hash_hex(bytes, out);
}
