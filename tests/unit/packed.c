/* packed.c -- files that lie packed: what zlib packed reads back in every form that gzip has; both forms at once, files
 * cut at every byte and files with one byte changed are refused. */
#include "core/base/packed.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/base/table.h"
#include "tests/cells.h"
#include "tests/check.h"

#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

static char *path, *packed, *other; /* FOLDER/t.tsv, FOLDER/t.tsv.gz, FOLDER/other */

/* As one member of a gzip file, behind what is in `out`. */
static void pack(const char *bytes, size_t count, sp_text *out)
{
    z_stream to = { 0 };
    const size_t bound = count + count / 1000 + 1000;
    unsigned char *room = sp_alloc(bound, 1);
    CHECK_EQUAL(deflateInit2(&to, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    to.next_in = (unsigned char *)(uintptr_t)bytes;
    to.avail_in = (uInt)count;
    to.next_out = room;
    to.avail_out = (uInt)bound;
    CHECK_EQUAL(deflate(&to, Z_FINISH), Z_STREAM_END);
    sp_text_add(out, (const char *)room, to.total_out);
    deflateEnd(&to);
    free(room);
}

/* Not by sp_write_file, which waits for the disk. */
static void lay(const char *where, const char *bytes, size_t count)
{
    FILE *file = fopen(where, "wb");
    CHECK(file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

static bool same(const sp_text *a, const sp_text *b)
{
    return a->length == b->length && (a->length == 0 || memcmp(a->data, b->data, a->length) == 0);
}

/* Does what lies there hold just these bytes? */
static bool holds(const char *bytes, size_t count)
{
    lay(other, bytes, count);
    return sp_packed_same(path, other);
}

/* What lies there is `expected`, and holds nothing else. */
static void check_reads(const sp_text *expected)
{
    sp_text got = { 0 };
    sp_error error = { 0 };
    CHECK_EQUAL(sp_packed_text(path, &got, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    CHECK(got.data != NULL && same(&got, expected));
    CHECK(sp_packed_there(path));
    CHECK(holds(expected->data ? expected->data : "", expected->length));
    CHECK(!holds(expected->data ? expected->data : "", expected->length + 1)); /* the zero behind it */
    if (expected->length > 0) {
        CHECK(!holds(expected->data, expected->length - 1));
        for (size_t i = 0; i < 3; i++) {
            char *byte = &expected->data[i * (expected->length - 1) / 2];
            *byte ^= 1;
            CHECK(!holds(expected->data, expected->length));
            *byte ^= 1;
        }
    }
    sp_text_free(&got);
}

static void check_refused(sp_status wanted, const char *message)
{
    sp_text got = { 0 };
    sp_error error = { 0 };
    sp_table table;
    CHECK_EQUAL(sp_packed_text(path, &got, &error), wanted);
    CHECK_CONTAINS(error.text, message);
    error = (sp_error){ 0 };
    CHECK_EQUAL(sp_table_read(path, &table, &error), wanted);
    CHECK_CONTAINS(error.text, message);
    CHECK(!table.bytes && !holds("", 0));
    sp_text_free(&got);
}

/* Numbers of 17 digits, which hardly pack: packed and unpacked, they are many blocks long. */
static void append_numbers(sp_text *out, size_t count)
{
    unsigned long long state = 2385;
    sp_text_append(out, "a\tb\n");
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        sp_text_append(out, "%.17g\t%llu\n", (double)(state >> 11) * 0x1p-53, state);
    }
}

/* Of the size of a block and of two, and of one more or less: the end of what is packed may be that of a block. */
static void test_blocks(void)
{
    sp_text text = { 0 }, bytes = { 0 };
    append_numbers(&text, 4000);
    CHECK(text.length > 2 * 65536 + 1);
    for (size_t i = 0; i < 6; i++) {
        sp_text part = { 0 };
        sp_text_add(&part, text.data, (1 + i / 3) * 65536 + i % 3 - 1);
        bytes.length = 0;
        pack(part.data, part.length, &bytes);
        lay(packed, bytes.data, bytes.length);
        check_reads(&part);
        sp_text_free(&part);
    }
    CHECK_EQUAL(unlink(packed), 0);
    sp_text_free(&text);
    sp_text_free(&bytes);
}

/* Read in parts of any size, and once more from the begin on, also in the middle of it. */
static void test_parts(void)
{
    sp_text text = { 0 }, bytes = { 0 };
    append_numbers(&text, 20000);
    pack(text.data, text.length, &bytes);
    for (int form = 0; form < 2; form++) {
        sp_packed *file = NULL;
        lay(form == 0 ? path : packed, form == 0 ? text.data : bytes.data, form == 0 ? text.length : bytes.length);
        CHECK_EQUAL(sp_packed_open(path, &file, NULL), SP_OK);
        for (size_t pass = 0; pass < 3 && file; pass++) {
            const size_t wanted = pass == 1 ? text.length / 2 : text.length;
            sp_text got = { 0 };
            char part[100000];
            size_t count = 1;
            for (size_t room = 1; count > 0 && got.length < wanted; room = room * 3 % 99991 + 1) {
                CHECK_EQUAL(sp_packed_next(file, part, room, &count, NULL), SP_OK);
                CHECK(count <= room);
                sp_text_add(&got, part, count);
            }
            CHECK(got.length >= wanted && got.length <= text.length && memcmp(got.data, text.data, got.length) == 0);
            CHECK_EQUAL(sp_packed_rewind(file, NULL), SP_OK);
            sp_text_free(&got);
        }
        sp_packed_close(file);
        CHECK_EQUAL(unlink(form == 0 ? path : packed), 0);
    }
    sp_text_free(&text);
    sp_text_free(&bytes);
}

static void test_forms(void)
{
    sp_text empty = { 0 }, text = { 0 }, twice = { 0 }, bytes = { 0 };
    append_numbers(&text, 20000);
    lay(path, text.data, text.length);
    check_reads(&text);
    CHECK(!sp_packed_same(path, "nowhere"));
    CHECK_EQUAL(unlink(path), 0);

    pack(text.data, text.length, &bytes);
    CHECK(bytes.length > 4 * 65536);
    lay(packed, bytes.data, bytes.length);
    check_reads(&text);
    sp_table table = { 0 };
    CHECK_EQUAL(sp_table_read(path, &table, NULL), SP_OK);
    CHECK_EQUAL(table.rows, 20000);
    CHECK_EQUAL(table.columns, 2);
    sp_table_free(&table);

    pack(text.data, text.length, &bytes); /* `cat one.gz other.gz` is a packed file, too */
    sp_text_add(&twice, text.data, text.length);
    sp_text_add(&twice, text.data, text.length);
    lay(packed, bytes.data, bytes.length);
    check_reads(&twice);

    bytes.length = 0;
    pack("", 0, &bytes);
    lay(packed, bytes.data, bytes.length);
    check_reads(&empty);
    CHECK_EQUAL(sp_table_read(path, &table, NULL), SP_EDATA); /* no line that names columns */
    CHECK_EQUAL(unlink(packed), 0);
    sp_text_free(&text);
    sp_text_free(&twice);
    sp_text_free(&bytes);
}

/* Little on disk, much in memory: refused at the limit, which the environment can raise. */
static void test_bomb(void)
{
    enum { SIZE = (64 << 20) + 1 };
    char *zeros = sp_alloc(SIZE, 1);
    sp_text bytes = { 0 }, got = { 0 };
    sp_error error = { 0 };
    CHECK(zeros != NULL);
    pack(zeros, SIZE, &bytes);
    CHECK(bytes.length < SIZE / 900);
    lay(packed, bytes.data, bytes.length);
    CHECK_EQUAL(sp_packed_text(path, &got, &error), SP_ELIMIT);
    CHECK_CONTAINS(error.text, "64 MiB");
    CHECK(got.length <= SIZE);
    got.length = 0;
    setenv("STILLPOINT_UNPACK_LIMIT", "65", 1);
    CHECK_EQUAL(sp_packed_text(path, &got, &error), SP_OK);
    CHECK_EQUAL(got.length, SIZE);
    setenv("STILLPOINT_UNPACK_LIMIT", "all", 1);
    CHECK_EQUAL(sp_packed_text(path, &got, &error), SP_EINVAL);
    unsetenv("STILLPOINT_UNPACK_LIMIT");
    CHECK_EQUAL(unlink(packed), 0);
    sp_text_free(&bytes);
    sp_text_free(&got);
    free(zeros);
}

static void test_refusals(void)
{
    CHECK(!sp_packed_there(path));
    check_refused(SP_EABSENT, "t.tsv: No such file");
    lay(path, "a\n1\n", 4);
    lay(packed, "a\n1\n", 4);
    char *both = sp_format("%s and %s are both there", path, packed);
    check_refused(SP_EDATA, both);
    free(both);
    CHECK_EQUAL(unlink(path), 0);
    check_refused(SP_EDATA, "t.tsv.gz: damaged, or not written by gzip");
    lay(packed, "", 0);
    check_refused(SP_EDATA, "t.tsv.gz: cut short");
    CHECK_EQUAL(unlink(packed), 0);
    CHECK_EQUAL(sp_make_directory(packed, NULL), SP_OK);
    check_refused(SP_EIO, "t.tsv.gz: Is a directory");
    CHECK_EQUAL(rmdir(packed), 0);
}

/* Cut anywhere, or with any byte changed, the file is refused. In its header of ten bytes the time (4 to 7), what
 * packed it (8, 9) and the flag of a text (3) may be others: they say nothing of what it holds. */
static void test_damage(void)
{
    sp_text text = { 0 }, bytes = { 0 };
    append_numbers(&text, 20);
    pack(text.data, text.length, &bytes);
    for (size_t length = 0; length < bytes.length; length++) {
        lay(packed, bytes.data, length);
        check_refused(SP_EDATA, "t.tsv.gz: cut short");
    }
    for (size_t i = 0; i < bytes.length; i++) {
        bytes.data[i] ^= 1;
        lay(packed, bytes.data, bytes.length);
        if (i >= 3 && i < 10)
            check_reads(&text);
        else
            check_refused(SP_EDATA, "t.tsv.gz: ");
        bytes.data[i] ^= 1;
    }
    sp_text_add(&bytes, "rest", 4);
    lay(packed, bytes.data, bytes.length);
    check_refused(SP_EDATA, "t.tsv.gz: damaged");
    CHECK_EQUAL(unlink(packed), 0);
    sp_text_free(&text);
    sp_text_free(&bytes);
}

static size_t pieces;
static bool stop(void *to, const void *bytes, size_t count)
{
    (void)to, (void)bytes, (void)count;
    pieces++;
    return false;
}

/* Who has seen enough gets no more, and no complaint about the rest. */
static void test_stop(void)
{
    sp_text text = { 0 }, bytes = { 0 };
    append_numbers(&text, 20000);
    pack(text.data, text.length, &bytes);
    lay(path, text.data, text.length);
    CHECK_EQUAL(sp_packed_read(path, stop, NULL, NULL), SP_OK);
    CHECK_EQUAL(unlink(path), 0);
    lay(packed, bytes.data, bytes.length / 2);
    CHECK_EQUAL(sp_packed_read(path, stop, NULL, NULL), SP_OK);
    CHECK_EQUAL(pieces, 2);
    CHECK_EQUAL(unlink(packed), 0);
    sp_text_free(&text);
    sp_text_free(&bytes);
}

int main(void)
{
    char *folder = cells_folder();
    path = sp_format("%s/t.tsv", folder);
    packed = sp_format("%s/t.tsv.gz", folder);
    other = sp_format("%s/other", folder);
    test_blocks();
    test_parts();
    test_forms();
    test_bomb();
    test_refusals();
    test_damage();
    test_stop();
    free(path);
    free(packed);
    free(other);
    cells_remove(folder);
    return sp_check_done();
}
