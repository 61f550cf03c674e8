/* tokens.h -- the tokens of a Lua text, without its comments and white space. It needs no valid text: what Lua does not
 * know is a token of its own, so that a mistake can be named. */
#ifndef SP_LUA_TOKENS_H
#define SP_LUA_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    SP_TOKEN_END,
    SP_TOKEN_NAME,   /* also a keyword */
    SP_TOKEN_NUMBER, /* also a malformed one, "1_000" */
    SP_TOKEN_STRING, /* with its quotes or brackets; one that is not closed ends with its line or with the text */
    SP_TOKEN_SYMBOL, /* "{", "..", "~=" */
    SP_TOKEN_OTHER   /* a character that is none of Lua's; one of UTF-8 with all its bytes */
} sp_token_kind;

typedef struct sp_token {
    sp_token_kind kind;
    const char *at;
    size_t length, line; /* lines count from 1: the one that it begins in */
} sp_token;

/* What is left of a text; starts as { text, text + size, 1 }. */
typedef struct sp_tokens {
    const char *at, *end;
    size_t line;
} sp_tokens;

/* A byte order mark of UTF-8 at the beginning of a text: 3 where there is one, else 0. */
size_t sp_token_mark(const char *text, size_t size);
sp_token sp_token_next(sp_tokens *);
bool sp_token_is(const sp_token *, const char *text);

#endif
