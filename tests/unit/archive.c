/* archive.c -- an archive holds what was put in, has the same bytes whatever the order of adding, the machine and the
 * version of libarchive, and can be read by other programs. No byte of it can change, and no part of it can be cut off,
 * without a message that names a member. Paths that lead elsewhere and members that are missing, extra or not in their
 * order are refused. Archives of earlier programs, whose headers spell numbers in another way, are read. */
#include "core/export/archive.h"

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "tests/check.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MEMBERS = 5 };
static const char deep[] =
    "experiments/a-folder-of-forty-letters-and-some-more-12/another-one-of-them-that-is-as-long-as-"
    "that-0/third.lua"; /* longer than the 100 bytes of a name */
static const struct { const char *path, *bytes; size_t size; bool program; } member[MEMBERS] = {
    { "results/q/runs.tsv", "run\tgrad_norm\n7f\t2.385\n", 23, false },
    { "experiments/q.lua", "return {}\n", 10, false },
    { "experiments/empty.lua", "", 0, false },
    { "experiments/mine.py", "#!/bin/sh\n\0\xff", 12, true },
    { deep, "x", 1, false },
};

static char *read_file(const char *path, size_t *size)
{
    int file;
    CHECK(sp_open_file(path, &file, size) == NULL);
    char *bytes = malloc(*size + 1);
    CHECK_EQUAL(read(file, bytes, *size), *size);
    close(file);
    return bytes;
}

static void make(const char *path, int first, int step, char hash[SP_HASH_HEX])
{
    sp_archive a = { 0 };
    for (int i = 0, at = first; i < MEMBERS; i++, at = (at + step) % MEMBERS)
        CHECK(sp_archive_add(&a, member[at].path, member[at].bytes, member[at].size, member[at].program, NULL) ==
              SP_OK);
    CHECK(sp_archive_write(&a, path, hash, NULL) == SP_OK);
    sp_archive_free(&a);
}

static size_t which(const char *path)
{
    size_t i = 0;
    while (i < MEMBERS && strcmp(member[i].path, path) != 0)
        i++;
    return i;
}

/* --- what is in it ----------------------------------------------------------------------------------------------- */

static void test_round_trip(void)
{
    char hash[SP_HASH_HEX], again[SP_HASH_HEX], found[SP_HASH_HEX];
    size_t size;
    sp_hash file;
    sp_archive a;
    make("one.tar", 0, 1, hash);
    make("two.tar", 3, 2, again);
    CHECK_TEXT(hash, again);
    char *bytes = read_file("one.tar", &size);
    sp_hash_start(&file);
    sp_hash_add(&file, bytes, size);
    sp_hash_end_hex(&file, found);
    CHECK_TEXT(hash, found);
    CHECK_TEXT(hash, "571a88d169658b5038b249783887f881c6a3057aa31d1c3a0672b414c81ed73e");
    free(bytes);
    CHECK(sp_archive_read("one.tar", &a, NULL) == SP_OK);
    CHECK_EQUAL(a.members, MEMBERS);
    for (size_t i = 0; i < a.members; i++) {
        const size_t at = which(a.member[i].path);
        CHECK(at < MEMBERS && a.member[i].size == member[at].size && a.member[i].program == member[at].program &&
              memcmp(a.member[i].bytes, member[at].bytes, member[at].size) == 0);
        CHECK(i == 0 || strcmp(a.member[i - 1].path, a.member[i].path) < 0);
    }
    CHECK(mkdir("out", 0777) == 0 && sp_archive_unpack(&a, "out", NULL) == SP_OK);
    CHECK(access("out/experiments/mine.py", X_OK) == 0 && access("out/experiments/q.lua", F_OK) == 0);
    sp_archive_free(&a);
}

/* Owner, time and permission as other programs see them, and SHA256SUMS has the hash of each member. */
static void test_libarchive(void)
{
    struct archive *tar = archive_read_new();
    struct archive_entry *entry;
    char sums[2048] = "", bytes[2048];
    size_t count = 0;
    archive_read_support_format_tar(tar);
    CHECK(archive_read_open_filename(tar, "one.tar", 10240) == ARCHIVE_OK);
    while (archive_read_next_header(tar, &entry) == ARCHIVE_OK) {
        const char *path = archive_entry_pathname(entry);
        const la_ssize_t size = archive_read_data(tar, bytes, sizeof bytes);
        CHECK_EQUAL(archive_entry_mtime(entry), 0);
        CHECK_EQUAL(archive_entry_uid(entry), 0);
        CHECK_EQUAL(archive_entry_filetype(entry), AE_IFREG);
        if (count++ == 0) {
            CHECK_TEXT(path, sp_archive_sums);
            snprintf(sums, sizeof sums, "%.*s", (int)size, bytes);
            continue;
        }
        const size_t at = which(path);
        char hash[SP_HASH_HEX], line[SP_HASH_HEX + 300];
        sp_hash file;
        CHECK(at < MEMBERS && (size_t)size == member[at].size && memcmp(bytes, member[at].bytes, member[at].size) == 0);
        CHECK_EQUAL(archive_entry_perm(entry), at < MEMBERS && member[at].program ? 0755 : 0644);
        sp_hash_start(&file);
        sp_hash_add(&file, bytes, (size_t)size);
        sp_hash_end_hex(&file, hash);
        snprintf(line, sizeof line, "%s  %s\n", hash, path);
        CHECK_CONTAINS(sums, line);
    }
    CHECK_EQUAL(count, MEMBERS + 1);
    archive_read_free(tar);
}

/* --- what must not be --------------------------------------------------------------------------------------------- */

static sp_status read_bytes(const char *bytes, size_t size, sp_error *error)
{
    sp_archive a;
    FILE *file = fopen("changed.tar", "wb"); /* not sp_write_file, which waits for the disk */
    CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    const sp_status status = sp_archive_read("changed.tar", &a, error);
    sp_archive_free(&a);
    return status;
}

static bool names_a_member(const char *text)
{
    bool names = strstr(text, sp_archive_sums) || strstr(text, ": the end: ");
    for (size_t i = 0; i < MEMBERS; i++)
        names = names || strstr(text, member[i].path);
    return names;
}

/* Each byte in turn is another one: every 7th in all its bits, the others in one. */
static void test_every_byte(void)
{
    size_t size, unnamed = 0, accepted = 0;
    char *bytes = read_file("one.tar", &size);
    CHECK(read_bytes(bytes, size, NULL) == SP_OK);
    const int file = open("changed.tar", O_WRONLY);
    for (size_t i = 0; i < size; i++) {
        sp_error error = { 0 };
        sp_archive a;
        const char other = (char)(i % 7 ? bytes[i] ^ 1 << i % 8 : ~bytes[i]);
        CHECK_EQUAL(pwrite(file, &other, 1, (off_t)i), 1);
        accepted += sp_archive_read("changed.tar", &a, &error) != SP_EDATA;
        unnamed += !names_a_member(error.text) && !strstr(error.text, "no archive of `stillpoint archive`");
        sp_archive_free(&a);
        CHECK_EQUAL(pwrite(file, &bytes[i], 1, (off_t)i), 1);
    }
    close(file);
    CHECK(read_bytes(bytes, size, NULL) == SP_OK);
    CHECK_EQUAL(accepted, 0);
    CHECK_EQUAL(unnamed, 0);
    for (size_t cut = 0; cut < size; cut += cut % 512 == 0 || cut % 512 == 511 ? 1 : 73) {
        sp_error error = { 0 };
        CHECK(read_bytes(bytes, cut, &error) == SP_EDATA);
        CHECK(names_a_member(error.text) || strstr(error.text, "no archive of"));
    }
    char *longer = malloc(size + 1024);
    memcpy(longer, bytes, size);
    memset(longer + size, 0, 1024);
    sp_error error = { 0 };
    CHECK(read_bytes(longer, size + 1, &error) == SP_EDATA);
    CHECK_CONTAINS(error.text, "there are bytes behind the last member");
    CHECK(read_bytes(longer, size + 1024, &error) == SP_EDATA);
    free(longer);
    free(bytes);
}

enum { BLOCK = 512 };

/* A header as programs before libarchive wrote it (and Python writes it): numbers fill their fields up to a NUL. */
static void put_header(char *header, const char *path, size_t size)
{
    unsigned sum = 0;
    char field[BLOCK] = "";
    snprintf(field, 101, "%.100s", path);
    for (size_t at = 100; at < 124; at += 8)
        snprintf(field + at, 8, "%07o", at == 100 ? 0644u : 0u);
    snprintf(field + 124, 12, "%011o", (unsigned)size & 07777);
    snprintf(field + 136, 12, "%011o", 0u);
    memset(field + 148, ' ', 8);
    field[156] = '0';
    memcpy(field + 257, "ustar\0" "00", 8);
    for (size_t i = 0; i < BLOCK; i++)
        sum += (unsigned char)field[i];
    snprintf(field + 148, 7, "%06o", sum & 0777777);
    memcpy(header, field, BLOCK);
}

/* An archive by hand: members as given, with sums of those whose `listed` is set. */
typedef struct part {
    const char *path, *bytes;
    bool listed, there;
} part;

static sp_status read_parts(const part *parts, size_t count, sp_error *error)
{
    char sums[2048] = "", *file = calloc(64, BLOCK);
    size_t at = 0, length = 0;
    for (size_t i = 0; i < count; i++) {
        char hash[SP_HASH_HEX];
        sp_hash h;
        sp_hash_start(&h);
        sp_hash_add(&h, parts[i].bytes, strlen(parts[i].bytes));
        sp_hash_end_hex(&h, hash);
        if (parts[i].listed)
            length += (size_t)snprintf(sums + length, sizeof sums - length, "%s  %s\n", hash, parts[i].path);
    }
    for (size_t i = 0; i <= count; i++) {
        const char *path = i == 0 ? sp_archive_sums : parts[i - 1].path, *bytes = i == 0 ? sums : parts[i - 1].bytes;
        if (i > 0 && !parts[i - 1].there)
            continue;
        put_header(file + at, path, strlen(bytes));
        memcpy(file + at + BLOCK, bytes, strlen(bytes));
        at += BLOCK + (strlen(bytes) + BLOCK - 1) / BLOCK * BLOCK;
    }
    const sp_status status = read_bytes(file, at + 2 * BLOCK, error);
    free(file);
    return status;
}

#define READ(...) read_parts((const part[]){ __VA_ARGS__ }, sizeof (const part[]){ __VA_ARGS__ } / sizeof(part), &error)

static void test_members(void)
{
    sp_error error = { 0 };
    const part a = { "experiments/a.lua", "a", true, true }, b = { "experiments/b.lua", "b", true, true };
    CHECK(READ(a, b) == SP_OK);
    CHECK(READ(b, a) == SP_EDATA);
    CHECK_CONTAINS(error.text, "SHA256SUMS:2: experiments/a.lua does not come after experiments/b.lua");
    CHECK(READ(a, a) == SP_EDATA);
    CHECK(READ(a, { "experiments/b.lua", "b", true, false }) == SP_EDATA);
    CHECK_CONTAINS(error.text, "changed.tar: experiments/b.lua: missing");
    CHECK(READ({ "experiments/a.lua", "a", true, false }, b) == SP_EDATA);
    CHECK_CONTAINS(error.text, "changed.tar: experiments/a.lua: missing");
    CHECK(READ(a, { "experiments/b.lua", "b", false, true }) == SP_EDATA);
    CHECK_CONTAINS(error.text, "changed.tar: experiments/b.lua: a member that SHA256SUMS does not list");
    CHECK(READ({ "experiments/a.lua", "a", false, true }, b) == SP_EDATA);
    CHECK_CONTAINS(error.text, "changed.tar: experiments/a.lua: a member that SHA256SUMS does not list");
}

static void test_paths(void)
{
    sp_error error = { 0 };
    sp_archive a = { 0 };
    static const char *const escapes[] = { "../a", "/etc/a", "x/../../a", "x/..", "./a", "x//a",
                                           "a/",   "a\nb",   "a\\b",      "..",   "" };
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        const part escaping = { escapes[i], "a", true, true }, unlisted = { escapes[i], "a", false, true };
        CHECK(READ(escaping) == SP_EDATA);
        CHECK(READ(unlisted) == SP_EDATA);
        CHECK_CONTAINS(error.text, escapes[i]);
        CHECK(sp_archive_add(&a, escapes[i], "a", 1, false, &error) == SP_EINVAL);
    }
    const part up = { "../up", "a", false, true };
    CHECK(READ(up) == SP_EDATA);
    CHECK_CONTAINS(error.text, "changed.tar: ../up: a path that no member may have");
    CHECK(access("../up", F_OK) != 0);
    char path[400];
    memset(path, 'p', sizeof path);
    path[300] = '\0';
    CHECK(sp_archive_add(&a, path, "a", 1, false, &error) == SP_EINVAL);
    CHECK_CONTAINS(error.text, "it is too long");
    for (size_t length = 101; length >= 100; length--) { /* the format holds 100 bytes without a '/' */
        sp_archive one = { 0 };
        char unused[SP_HASH_HEX];
        path[length] = '\0';
        CHECK(sp_archive_add(&one, path, "a", 1, false, &error) == SP_OK);
        CHECK(sp_archive_write(&one, "long.tar", unused, &error) == (length > 100 ? SP_EINVAL : SP_OK));
        CHECK(length == 100 || (strstr(error.text, path) && access("long.tar", F_OK) != 0));
        sp_archive_free(&one);
    }
    CHECK(sp_archive_add(&a, sp_archive_sums, "a", 1, false, &error) == SP_EINVAL);
    CHECK(sp_archive_add(&a, "a", "a", 1, false, &error) == SP_OK &&
          sp_archive_add(&a, "a", "b", 1, false, &error) == SP_OK);
    char hash[SP_HASH_HEX];
    CHECK(sp_archive_write(&a, "twice.tar", hash, &error) == SP_EINVAL);
    CHECK(access("twice.tar", F_OK) != 0);
    CHECK(sp_archive_add_file(&a, "b", "nowhere", &error) == SP_EABSENT);
    sp_archive_free(&a);
    CHECK(sp_archive_read("nowhere.tar", &a, &error) == SP_EABSENT);
    CHECK_CONTAINS(error.text, "nowhere.tar: ");
}

int main(void)
{
    char folder[] = "/tmp/stillpoint-archive-XXXXXX", command[64];
    CHECK(mkdtemp(folder) && chdir(folder) == 0);
    test_round_trip();
    test_libarchive();
    test_every_byte();
    test_members();
    test_paths();
    CHECK(chdir("/") == 0);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQUAL(system(command), 0);
    return sp_check_done();
}
