/* hash.h -- SHA-256 (Nettle): content keys of data, sources and runs. */
#ifndef SP_BASE_HASH_H
#define SP_BASE_HASH_H

#include "core/base/digest.h"

#include <nettle/sha2.h>
#include <stddef.h>

typedef struct sp_hash {
    struct sha256_ctx state;
} sp_hash;

void sp_hash_start(sp_hash *hash);
void sp_hash_add(sp_hash *hash, const void *bytes, size_t count);
void sp_hash_text(sp_hash *hash, const char *text); /* with its terminating NUL, so that fields cannot run together */
void sp_hash_end(sp_hash *hash, unsigned char out[SP_HASH_SIZE]);
void sp_hash_hex(const unsigned char hash[SP_HASH_SIZE], char out[SP_HASH_HEX]); /* lower case */
void sp_hash_end_hex(sp_hash *hash, char out[SP_HASH_HEX]);

#endif
