/* lua_tokens.c -- tokens of a Lua text, and where it writes what. */
#include "core/lua/places.h"
#include "core/lua/tokens.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static void test_tokens(void)
{
    static const char text[] = "local a_1 = { [\"k\"] = 'it\\'s', -- a comment \"}\n"
                               "  x=0x1p-4..[==[ ]] \n]==] ~= 1e+5, 3.25--[[ {\n ]]--\n} \xe2\x80\x93 a.b";
    static const struct { const char *token; sp_token_kind kind; size_t line; } wanted[] = {
        { "local", SP_TOKEN_NAME, 1 }, { "a_1", SP_TOKEN_NAME, 1 }, { "=", SP_TOKEN_SYMBOL, 1 },
          { "{", SP_TOKEN_SYMBOL, 1 },
        { "[", SP_TOKEN_SYMBOL, 1 }, { "\"k\"", SP_TOKEN_STRING, 1 }, { "]", SP_TOKEN_SYMBOL, 1 },
        { "=", SP_TOKEN_SYMBOL, 1 }, { "'it\\'s'", SP_TOKEN_STRING, 1 }, { ",", SP_TOKEN_SYMBOL, 1 },
        { "x", SP_TOKEN_NAME, 2 }, { "=", SP_TOKEN_SYMBOL, 2 }, { "0x1p-4..", SP_TOKEN_NUMBER, 2 },
        { "[==[ ]] \n]==]", SP_TOKEN_STRING, 2 }, { "~=", SP_TOKEN_SYMBOL, 3 }, { "1e+5", SP_TOKEN_NUMBER, 3 },
        { ",", SP_TOKEN_SYMBOL, 3 }, { "3.25", SP_TOKEN_NUMBER, 3 }, { "}", SP_TOKEN_SYMBOL, 5 },
        { "\xe2\x80\x93", SP_TOKEN_OTHER, 5 }, { "a", SP_TOKEN_NAME, 5 }, { ".", SP_TOKEN_SYMBOL, 5 },
        { "b", SP_TOKEN_NAME, 5 },
    };
    sp_tokens rest = { text, text + sizeof text - 1, 1 };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const sp_token t = sp_token_next(&rest);
        SP_CHECK_REPORT(sp_token_is(&t, wanted[i].token) && t.kind == wanted[i].kind && t.line == wanted[i].line,
                        "token %zu: \"%.*s\" of kind %d in line %zu, not \"%s\"", i, (int)t.length, t.at, (int)t.kind,
                        t.line, wanted[i].token);
    }
    CHECK_EQUAL(sp_token_next(&rest).kind, SP_TOKEN_END);
    CHECK_EQUAL(sp_token_next(&rest).kind, SP_TOKEN_END);
}

/* What is not closed ends with the text, and no byte behind it is read. */
static void test_open_ends(void)
{
    static const char *const texts[] = { "\"abc", "'a\\", "[[ab", "[==[ab]=]", "--[[ab", "-",
                                         "0x",    "1e+",  "\xe2", "[=",        "" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const size_t size = strlen(texts[i]);
        char *bytes = malloc(size + 1); /* the sanitizer watches its end */
        sp_tokens rest = { bytes, bytes + size, 1 };
        size_t tokens = 0;
        if (!bytes)
            return;
        memcpy(bytes, texts[i], size);
        bytes = realloc(bytes, size ? size : 1);
        rest = (sp_tokens){ bytes, bytes + size, 1 };
        while (sp_token_next(&rest).kind != SP_TOKEN_END && tokens <= size)
            tokens++;
        CHECK(tokens <= size);
        free(bytes);
    }
}

static void test_places(void)
{
    static const char text[] = "local base = {\n d = 5 }\nlocal e = { problem = base,\n list = { 1, 2, { 'm', k = 1,\n"
                               "  k = 2 } } }\ne.privacy = {}\ne.privacy.epsilon = 1\nreturn e\n";
    static const struct { const char *path; size_t line; } wanted[] = {
        { "problem", 3 }, { "problem.d", 2 }, { "problem.n", 3 }, { "list[3].k", 5 }, { "list[2]", 4 },
          { "list[3].z", 4 },
        { "privacy.epsilon", 7 }, { "privacy.delta", 6 }, { "nowhere", 0 }, { "prob", 0 },
    };
    sp_arena arena = { 0 };
    sp_places places = { 0 };
    const char *file = NULL;
    CHECK(sp_places_add(&places, &arena, "e.lua", text, sizeof text - 1));
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const size_t line = sp_places_find(&places, "e.lua", wanted[i].path, &file);
        SP_CHECK_REPORT(line == wanted[i].line, "%s: in line %zu, not %zu", wanted[i].path, line, wanted[i].line);
    }
    CHECK(places.twice && !places.twice->next);
    if (places.twice) {
        CHECK_TEXT(places.twice->key, "k");
        CHECK_EQUAL(places.twice->line, 5);
        CHECK_EQUAL(places.twice->before, 4);
    }
    sp_arena_free(&arena);
}

int main(void)
{
    test_tokens();
    test_open_ends();
    test_places();
    return sp_check_done();
}
