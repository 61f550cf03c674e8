/* script_hash.c -- see script_hash.h. */
#include "core/lua/script_hash.h"

#include "core/base/hash.h"
#include "core/lua/tokens.h"

void sp_script_hash(const char *text, size_t size, char out[SP_HASH_HEX])
{
    sp_hash hash;
    sp_tokens left = { text + sp_token_mark(text, size), text + size, 1 };
    sp_hash_start(&hash);
    for (sp_token token = sp_token_next(&left); token.kind != SP_TOKEN_END; token = sp_token_next(&left)) {
        sp_hash_add(&hash, token.at, token.length);
        sp_hash_add(&hash, "", 1);
    }
    sp_hash_end_hex(&hash, out);
}
