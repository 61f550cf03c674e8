/* guess.c -- what nobody said of a file: guessed, or refused with the line and the token, never taken for another
 * thing. */
#include "core/data/read/guess_parts.h"
#include "core/data/read/guess.h"
#include "tests/check.h"

#include <stdlib.h>

static const unsigned all = SP_OPEN_FORMAT | SP_OPEN_DELIMITER | SP_OPEN_HEADER | SP_OPEN_LABEL | SP_OPEN_POSITIVE |
                            SP_OPEN_COMMENT;

typedef struct guessed {
    sp_status status;
    sp_read_options options;
    sp_seen seen;
    sp_error error;
    sp_arena arena;
} guessed;

/* Of bytes at the end of a block of their own. The caller frees the arena. */
static guessed guess_bytes(const char *bytes, size_t size, unsigned open, sp_read_options options)
{
    guessed g = { .options = options };
    char *exact = malloc(size > 0 ? size : 1);
    memcpy(exact, bytes, size);
    g.status = sp_guess(&(sp_source){ "f", exact, size }, 1, open, &g.arena, &g.options, &g.seen, &g.error);
    free(exact);
    return g;
}

static guessed guess(const char *text, sp_read_options options)
{
    return guess_bytes(text, strlen(text), options.positive ? all - SP_OPEN_POSITIVE : all, options);
}

static void test_formats(void)
{
    const struct { const char *text; sp_data_format format; const char *positive; } known[] = {
        { "1 1:0.5 2:1\n2 3:1\n", SP_FORMAT_LIBSVM, "2" },
        { "1 qid:1 1:0.5\n2 qid:1 3:1\n", SP_FORMAT_LIBSVM, "2" },
        { "# note\n1 1:0.5 # note, too\n2 3:1\n", SP_FORMAT_LIBSVM, "2" },
        { "1 1:0.5\n2\n1\n2 3:1\n", SP_FORMAT_LIBSVM, "2" },
        { "1 0:0.5\n2 3:1\n", SP_FORMAT_LIBSVM, "2" },
        { "1 1:nan\n2 3:1\n", SP_FORMAT_LIBSVM, "2" },      /* the reader says what is wrong with these */
        { "1 1:0x1p-2\n2 3:1\n", SP_FORMAT_LIBSVM, "2" },
        { "1 1:0,5\n2 3:1,25\n", SP_FORMAT_LIBSVM, "2" },
        { "1 1:0.5\n2 3:1\nrubbish, here\n1 2:1\n", SP_FORMAT_LIBSVM, NULL },
        { "a,b,y\n1,2,0\n2,3,1\n", SP_FORMAT_CSV, "1" },
        { "a,b,y\r1,2,0\r2,3,1\r", SP_FORMAT_CSV, "1" },
        { "t,b,y\n10:30,2,0\n10:45,3,1\n10:45,3,1\n", SP_FORMAT_CSV, "1" },
        { "1 2 1\n0.5 1\n0\n", SP_FORMAT_FANN, NULL },
        { "% x\n@RELATION r\n@attribute a real\n@attribute y {0,1}\n@data\n1,0\n2,1\n", SP_FORMAT_ARFF, "1" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        guessed g = guess(known[i].text, (sp_read_options){ 0 });
        SP_CHECK_REPORT(g.options.format == known[i].format, "\"%s\" is format %d: %s", known[i].text, g.options.format,
                        g.error.text);
        if (known[i].positive)
            CHECK_TEXT(g.options.positive, known[i].positive);
        sp_arena_free(&g.arena);
    }
}

static void test_foreign(void)
{
#define BYTES(text) text, sizeof text - 1
    const struct { const char *bytes; size_t size; const char *name; } known[] = {
        { BYTES("\x93NUMPY\1\0v\0{'descr': '<f8'}"), "NumPy" }, { BYTES("PAR1\25\4\25"), "Parquet" },
        { BYTES("\x89HDF\r\n\x1a\n\0\0"), "HDF5" }, { BYTES("ARROW1\0\0"), "Arrow" },
        { BYTES("PK\3\4\24\0\0\0xl/workbook.xml"), "xlsx" }, { BYTES("PK\3\4\24\0\0\0x.npy"), "npz" },
        { BYTES("PK\3\4\24\0\0\0a.csv"), "zip" }, { BYTES("\x80\4\x95\1\0"), "pickle" },
        { BYTES("%PDF-1.7\n"), "PDF" }, { BYTES("\xff\xfe" "1\0,\0"), "UTF-16" },
          { BYTES("\xfe\xff\0" "1\0,"), "UTF-16" },
        { BYTES("<html><body>not found</body></html>"), "web page" }, { BYTES("{\"a\": 1}\n{\"a\": 2}\n"), "JSON" },
        { BYTES("SQLite format 3\0\20\0"), "SQLite" }, { BYTES("\x1f\x8b\10\0"), "gzip" },
        { BYTES("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0"), "Excel" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        guessed g = guess_bytes(known[i].bytes, known[i].size, all, (sp_read_options){ 0 });
        CHECK_EQUAL(g.status, SP_EDATA);
        CHECK_CONTAINS(g.error.text, known[i].name);
        sp_arena_free(&g.arena);
    }
    CHECK(!sp_foreign_format(BYTES("1 1:0.5\n"), true) && !sp_foreign_format(BYTES("a,b\n1,2\n"), true));
    CHECK(!sp_foreign_format(BYTES("[[0,1],2\n"), false)); /* who says that it is a csv has a csv */
    guessed g = guess_bytes(BYTES("PAR1\25\4\25"), all - SP_OPEN_FORMAT, (sp_read_options){ .format = SP_FORMAT_CSV });
    CHECK_CONTAINS(g.error.text, "Parquet");
    sp_arena_free(&g.arena);
}

/* The message has the line and the token, and the key or the command that mends it. */
static void test_refused(void)
{
    static char dates[700], months[700];
    for (size_t i = 0, a = 0, b = 0; i < 21; i++) {
        if (i == 0) {
            a += (size_t)snprintf(dates, sizeof dates, "day,y\n");
            b += (size_t)snprintf(months, sizeof months, "a,day,y\n");
        }
        a += (size_t)snprintf(dates + a, sizeof dates - a, "2024-03-%02zu,%zu\n", 1 + i % 3, i % 2);
        b += (size_t)snprintf(months + b, sizeof months - b, "%zu,%zu-Mar-24 12:30,%zu\n", i * i % 5, 1 + i % 3, i % 2);
    }
    const struct { const char *text, *place, *token, *remedy; } wrong[] = {
        { "y\n0\n1\n", "f:1: ", "'y'", "delimiter" },
        { "1 2 0\n3 4 1\n", "f:1: ", "'1 2 0'", "delimiter = \" \"" },
        { "name,y\nK\xf6ln,0\nUlm,1\n", "f:2: ", "0xf6", "iconv" },
        { "a,b,y\n1,x,0\n2,3,1\n4,4,0\n", "f:2: ", "'x'", "missing_words" },
        { "a,b,y\n1,#N/A,0\n2,3,1\n4,4,0\n", "f:2: ", "'#N/A'", "missing = " },
        { "a;b;y\n1;2,5;0\n2;3,5;1\n4;4,5;0\n", "f:2: ", "'2,5'", "decimal = \"comma\"" },
        { "a;y\n1;2,5\n2;3,5\n4;4,5\n", "f:2: ", "'2,5'", "decimal = \"comma\"" },
        { "#a,b,y\n1,2,0\n2,3,1\n", "f:1: ", "'#a,b,y'", "comment = \"none\"" },
        { "a,b,y\n1,2,true\n2,3,false\n1,1,True\n", "f:4: ", "'True'", "positive" },
        { "no 1:1\nNo 2:1\nno 1:3\nyes 2:1\n", "f:2: ", "'No'", "positive" },
        { "yes 1:1\nno 2:1\n", "f:1: ", "'yes'", "positive" },
        { dates, "f:2: ", "'2024-03-01'", "omit = { \"day\" }" },
        { months, "f:2: ", "'1-Mar-24 12:30'", "omit = { \"day\" }" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        guessed g = guess(wrong[i].text, (sp_read_options){ 0 });
        CHECK_EQUAL(g.status, SP_EDATA);
        SP_CHECK_REPORT(strncmp(g.error.text, wrong[i].place, strlen(wrong[i].place)) == 0, "\"%s\" is not at %s",
                        g.error.text, wrong[i].place);
        CHECK_CONTAINS(g.error.text, wrong[i].token);
        CHECK_CONTAINS(g.error.text, wrong[i].remedy);
        sp_arena_free(&g.arena);
    }
}

/* By consent they are read. */
static void test_consent(void)
{
    guessed g = guess("a;b;y\n1;2,5;0\n2;3,5;1\n4;4,5;0\n", (sp_read_options){ .decimal_comma = true });
    CHECK_TEXT(g.error.text, "");
    CHECK(g.seen.columns == 3 && g.seen.column[1].low == 2.5 && g.seen.column[1].high == 4.5);
    sp_arena_free(&g.arena);

    g = guess("a,b,y\n1,x,0\n2,3,1\n4,4,0\n", (sp_read_options){ .missing_words = "x", .missing = SP_MISSING_DROP });
    CHECK_TEXT(g.error.text, "");
    CHECK(g.seen.column[1].kind == SP_COLUMN_NUMBERS && g.seen.column[1].missing == 1);
    sp_arena_free(&g.arena);

    g = guess("# by hand\n# two lines\na,b,y\n1,2,0\n2,3,1\n", (sp_read_options){ 0 });
    CHECK_TEXT(g.error.text, "");
    CHECK(g.options.comment == '#' && g.seen.records == 2);
    sp_arena_free(&g.arena);

    g = guess("a,b,y\n1,2,a\n2,3,A\n1,1,b\n", (sp_read_options){ .positive = "a", .negative = "A" });
    CHECK_TEXT(g.error.text, ""); /* both are named: they differ by intent */
    sp_arena_free(&g.arena);

    g = guess("day,y\n2024-03-01,0\n2024-03-02,1\n2024-03-01,1\n", (sp_read_options){ .categorical = "day" });
    CHECK_TEXT(g.error.text, "");
    sp_arena_free(&g.arena);
}

/* A first column of whole numbers that ascend, or the only one without a name, is called an index, and stays in. */
static void test_index(void)
{
    char text[900] = "id,x,y\n", unnamed[] = ",x,y\n7,1,0\n3,2,1\n5,1,1\n", few[] = "id,x,y\n1,5,0\n5,3,1\n";
    for (size_t i = 0, at = strlen(text); i < 25; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%zu,%zu,%zu\n", 10 + i * i, i * i % 7, i % 2);
    const struct { const char *text, *index; bool found; } tried[] = {
        { text, NULL, true }, { unnamed, NULL, true }, { few, NULL, false }, { text, "id", false } };
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        guessed g = guess(tried[i].text, (sp_read_options){ .index = tried[i].index });
        SP_CHECK_REPORT(g.status == SP_OK, "%s", g.error.text);
        CHECK_EQUAL(g.seen.column[0].index, tried[i].found);
        CHECK_EQUAL(g.seen.column[0].kind, tried[i].index ? SP_COLUMN_OMITTED : SP_COLUMN_NUMBERS);
        CHECK(g.options.omit == NULL);
        sp_arena_free(&g.arena);
    }
}

/* Of a sparse ARFF: what is left out counts as 0, and the label as its first value. */
static void test_arff(void)
{
    guessed g = guess("@relation r\n@attribute a real\n@attribute c {u,v}\n@attribute y {no,yes}\n@data\n"
                      "{0 2.5, 2 yes}\n{1 v}\n{0 3, 2 yes}\n", (sp_read_options){ .positive = "yes" });
    CHECK_TEXT(g.error.text, "");
    CHECK(g.options.format == SP_FORMAT_ARFF && g.seen.records == 3 && g.seen.columns == 3);
    if (g.seen.columns == 3) {
        CHECK(g.seen.column[0].low == 0.0 && g.seen.column[0].high == 3.0);
        CHECK(g.seen.column[1].kind == SP_COLUMN_WORDS && g.seen.column[2].kind == SP_COLUMN_LABEL);
        CHECK_TEXT(g.options.label, "y");
        CHECK(g.seen.label.values == 2 && g.seen.label.value[0].count == 2 && g.seen.label.value[1].count == 1);
    }
    sp_arena_free(&g.arena);
}

int main(void)
{
    test_formats();
    test_foreign();
    test_refused();
    test_consent();
    test_index();
    test_arff();
    return sp_check_done();
}
