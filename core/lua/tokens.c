/* tokens.c -- see tokens.h. */
#include "core/lua/tokens.h"

#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Byte i from here on; 0 past the end. */
static char peek(const sp_tokens *t, size_t i)
{
    return (size_t)(t->end - t->at) > i ? t->at[i] : '\0';
}

static void skip(sp_tokens *t, size_t bytes)
{
    for (; bytes > 0 && t->at < t->end; bytes--, t->at++)
        t->line += *t->at == '\n';
}

/* The number of bytes of "[[", "[==[" here; 0: there is none. */
static size_t long_bracket(const sp_tokens *t)
{
    size_t level = 1;
    while (peek(t, level) == '=')
        level++;
    return peek(t, 0) == '[' && peek(t, level) == '[' ? level + 1 : 0;
}

/* Past the bracket that closes one of `size` bytes. */
static void skip_long(sp_tokens *t, size_t size)
{
    for (skip(t, size); t->at < t->end; skip(t, 1)) {
        size_t level = 1;
        while (level + 1 < size && peek(t, level) == '=')
            level++;
        if (peek(t, 0) == ']' && level + 1 == size && peek(t, level) == ']') {
            skip(t, size);
            return;
        }
    }
}

static void skip_quoted(sp_tokens *t)
{
    const char quote = *t->at;
    for (skip(t, 1); t->at < t->end && *t->at != quote && *t->at != '\n';) {
        const bool escape = *t->at == '\\', blank = escape && peek(t, 1) == 'z';
        skip(t, escape ? 2 : 1);
        while (blank && t->at < t->end && strchr(" \t\r\n\f\v", *t->at) && *t->at)
            skip(t, 1);
    }
    skip(t, t->at < t->end && *t->at == quote);
}

static void skip_blank(sp_tokens *t)
{
    for (;;) {
        if (t->at < t->end && *t->at && strchr(" \t\r\n\f\v", *t->at)) {
            skip(t, 1);
        } else if (peek(t, 0) == '-' && peek(t, 1) == '-') {
            skip(t, 2);
            const size_t bracket = long_bracket(t);
            if (bracket > 0)
                skip_long(t, bracket);
            while (bracket == 0 && t->at < t->end && *t->at != '\n')
                skip(t, 1);
        } else {
            return;
        }
    }
}

/* As Lua reads it: digits, letters and points, and a sign after the letter of an exponent. */
static size_t number_size(const sp_tokens *t)
{
    const bool hexadecimal = peek(t, 0) == '0' && (peek(t, 1) | 0x20) == 'x';
    size_t size = hexadecimal ? 2 : 0;
    for (;;) {
        const char c = peek(t, size), sign = peek(t, size + 1);
        if ((c | 0x20) == (hexadecimal ? 'p' : 'e') && (sign == '+' || sign == '-'))
            size += 2;
        else if (is_letter(c) || is_digit(c) || c == '.')
            size++;
        else
            return size;
    }
}

static size_t symbol_size(const sp_tokens *t)
{
    static const char *const symbols[] = { "...", "..", "==", "~=", "<=", ">=", "//", "<<", ">>", "::" };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        const size_t size = strlen(symbols[i]);
        if ((size_t)(t->end - t->at) >= size && memcmp(t->at, symbols[i], size) == 0)
            return size;
    }
    return 1;
}

/* Of a character of UTF-8. */
static size_t character_size(const sp_tokens *t)
{
    size_t size = 1;
    while ((peek(t, 0) & 0x80) && (peek(t, size) & 0xc0) == 0x80)
        size++;
    return size;
}

size_t sp_token_mark(const char *text, size_t size)
{
    return size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

sp_token sp_token_next(sp_tokens *t)
{
    skip_blank(t);
    sp_token token = { SP_TOKEN_END, t->at, 0, t->line };
    if (t->at == t->end)
        return token;
    const char c = *t->at;
    const size_t bracket = long_bracket(t);
    if (is_letter(c)) {
        token.kind = SP_TOKEN_NAME;
        while (is_letter(peek(t, 0)) || is_digit(peek(t, 0)))
            skip(t, 1);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(t, 1)))) {
        token.kind = SP_TOKEN_NUMBER;
        skip(t, number_size(t));
    } else if (c == '"' || c == '\'' || bracket > 0) {
        token.kind = SP_TOKEN_STRING;
        if (bracket > 0)
            skip_long(t, bracket);
        else
            skip_quoted(t);
    } else {
        token.kind = c && strchr("+-*/%^#&~|<>=(){}[];:,.", c) ? SP_TOKEN_SYMBOL : SP_TOKEN_OTHER;
        skip(t, token.kind == SP_TOKEN_SYMBOL ? symbol_size(t) : character_size(t));
    }
    token.length = (size_t)(t->at - token.at);
    return token;
}

bool sp_token_is(const sp_token *token, const char *text)
{
    return strlen(text) == token->length && memcmp(token->at, text, token->length) == 0;
}
