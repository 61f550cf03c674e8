/* catalogue.c -- found, fetched, verified, cached: with small entries, a web server and an apt-get of its own, and the
 * real data where they are present. */
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/data/read/catalogue.h"
#include "core/data/rows.h"
#include "tests/check.h"
#include "tests/experiment.h"
#include "tests/pack.h"
#include "tests/storages.h"

#include <arpa/inet.h>
#include <glob.h>
#include <sys/wait.h>

static const char first_text[] = "1 1:0.5 2:-2.385\n-1 2:7.25\n", second_text[] = "-1 1:3\n1 1:4 2:0.125\n";

static void hash_of(const char *text, char out[SP_HASH_HEX])
{
    sp_hash hash;
    sp_hash_start(&hash);
    sp_hash_add(&hash, text, strlen(text));
    sp_hash_end_hex(&hash, out);
}

/* One part, two records, found at `address`. The hashes outlive it. */
static sp_catalogue_entry small(const char *address, const char *member)
{
    static char hash[SP_HASH_HEX];
    hash_of(first_text, hash);
    return (sp_catalogue_entry){ .name = "small", .n = 2, .d = 2, .positive = 1, .negative = 1, .options = { .d = 2 },
                                 .part = { { address, member, "small.txt", hash } } };
}

static size_t count_files(const char *pattern)
{
    glob_t found = { 0 };
    const size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    globfree(&found);
    return count;
}

static void forget(const char *what)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", what);
    CHECK_EQUAL(system(command), 0);
}

static void check_opens(const sp_catalogue_entry *entry, char content[SP_HASH_HEX])
{
    sp_dataset a = { 0 };
    sp_error error = { 0 };
    const sp_status status = sp_catalogue_open(entry, &a, &error);
    SP_CHECK_REPORT(status == SP_OK, "%s", error.text);
    if (status != SP_OK)
        return;
    CHECK(a.n == 2 && a.d == 2 && a.mapped && a.radius >= 7.25 && a.label_bound == 1.0);
    CHECK(a.X[0] == 0.5 && a.X[1] == -2.385 && a.X[a.stride] == 0.0 && a.X[a.stride + 1] == 7.25);
    CHECK(a.y[0] == 1.0 && a.y[1] == -1.0);
    CHECK_NEAR(a.norm[1], 7.25, 0.0);
    CHECK_NEAR(a.mean[1], (-2.385 + 7.25) / 2, 1e-15);
    CHECK_TEXT(a.content, "");
    if (content)
        records_content(&a, content);
    sp_dataset_free(&a);
}

static void check_fails(const sp_catalogue_entry *entry, sp_status expected, const char *message)
{
    sp_dataset a;
    sp_error error = { 0 };
    CHECK_EQUAL(sp_catalogue_open(entry, &a, &error), expected);
    CHECK_CONTAINS(error.text, message);
    CHECK(a.mapping == NULL);
}

static char reported[2000];

static void report(const char *line)
{
    snprintf(reported + strlen(reported), sizeof reported - strlen(reported), "%s\n", line);
}

static sp_status fetch(const sp_catalogue_entry *entry, sp_error *error)
{
    reported[0] = '\0';
    *error = (sp_error){ SP_OK, "" };
    const sp_status status = sp_catalogue_fetch(entry, report, error);
    CHECK_EQUAL(count_files("cache/fetch*"), 0); /* nothing passing stays */
    CHECK_EQUAL(count_files("cache/downloads/*.??????"), 0);
    return status;
}

static void check_fetches(const sp_catalogue_entry *entry)
{
    sp_error error;
    const sp_status status = fetch(entry, &error);
    SP_CHECK_REPORT(status == SP_OK, "%s", error.text);
}

/* --- the table ----------------------------------------------------------------------------------------------- */

static void test_table(void)
{
    static const char *const names[] = { "a9a", "a9a.t", "covtype", "ijcnn1", "ijcnn1.val", "ijcnn1.t", "mnist",
                                         "mnist.t", "mushroom", "mushrooms", "spambase" };
    CHECK_EQUAL(sp_catalogue_count, sizeof names / sizeof *names);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const sp_catalogue_entry *e = sp_catalogue_find(names[i]);
        CHECK(e && strcmp(e->name, names[i]) == 0);
        CHECK(e && e->summary && e->citation && e->licence);
        CHECK(e && e->positive + e->negative == e->n && e->options.d == e->d);
        for (size_t k = 0; e && k < SP_PARTS_MAX && e->part[k].file; k++) {
            const sp_catalogue_part *part = &e->part[k];
            CHECK_EQUAL(strlen(part->sha256), 64);
            CHECK_EQUAL(strspn(part->sha256, "0123456789abcdef"), 64);
            const char *address = part->address;
            CHECK(!address || strncmp(address, "https://", 8) == 0 || strncmp(address, "debian:", 7) == 0);
        }
    }
    CHECK(sp_catalogue_find("mushr") == NULL);
}

static void test_vary(void)
{
    const struct { const char *name, *positive, *negative, *message; } wrong[] = {
        { "a9a", "1", NULL, "a9a has two classes: there is nothing to choose" },
        { "mnist", NULL, "1", "`negative` needs `positive`" },
        { "mnist", "10", "1", "'10': the classes of mnist are 0 to 9" },
        { "mnist", "1", "", "'': the classes of mnist are 0 to 9" },
        { "mnist", "1", "x", "'x': the classes of mnist are 0 to 9" },
        { "mnist", "4", "4", "`negative` is the same label as `positive`" },
    };
    sp_catalogue_entry varied = { .n = 5 };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sp_error error = { 0 };
        CHECK_EQUAL(sp_catalogue_vary(sp_catalogue_find(wrong[i].name), SP_STORE_SPARSE, wrong[i].positive,
                                      wrong[i].negative, &varied, &error), SP_EINVAL);
        CHECK_TEXT(error.text, wrong[i].message);
        CHECK_EQUAL(varied.n, 5);
    }
    CHECK_EQUAL(sp_catalogue_vary(sp_catalogue_find("mnist"), SP_STORE_DENSE, NULL, NULL, &varied, NULL), SP_OK);
    CHECK(varied.n == 6131 + 5851 && varied.options.storage == SP_STORE_DENSE);
    CHECK_EQUAL(sp_catalogue_vary(&varied, SP_STORE_SPARSE, "9", "4", &varied, NULL), SP_OK);
    CHECK(varied.n == 5949 + 5842 && varied.positive == 5949 && varied.options.storage == SP_STORE_SPARSE);
    CHECK_EQUAL(sp_catalogue_vary(&varied, SP_STORE_SPARSE, "0", NULL, &varied, NULL), SP_OK);
    CHECK(varied.n == 60000 && varied.positive == 5923);
}

static void test_absent(void)
{
    sp_error error = { 0 };
    sp_catalogue_entry entry = small("https://localhost/x", NULL);
    CHECK_EQUAL(sp_catalogue_present(&entry, &error), SP_EABSENT);
    CHECK_TEXT(error.text, "small: not on this machine; get it with: stillpoint data fetch small");
    check_fails(&entry, SP_EABSENT, "small: not on this machine");
    entry.part[0].address = NULL;
    CHECK_EQUAL(sp_catalogue_present(&entry, &error), SP_EABSENT);
    CHECK_CONTAINS(error.text, "place small.txt in the folder named by STILLPOINT_DATA");
    CHECK_EQUAL(fetch(&entry, &error), SP_EABSENT);
    CHECK_CONTAINS(error.text, "small: not on this machine, and no public address has its bytes");
}

/* One file as it is: a tar, an ar, or compressed. */
static void pack_one(const char *path, chooser format, chooser filter, const char *name, const char *bytes, size_t size)
{
    pack(path, format, filter, 1, &name, &bytes, &size);
}

/* --- where files are found, and what is believed --------------------------------------------------------------- */

static void test_given_folder(void)
{
    const sp_catalogue_entry entry = small(NULL, NULL);
    sp_error error = { 0 };
    const struct { const char *path; chooser filter; } packed[] = {
        { "empty/small.txt", archive_write_add_filter_none },   { "empty/small.txt.gz", archive_write_add_filter_gzip },
        { "empty/small.txt.bz2", archive_write_add_filter_bzip2 },
        { "empty/small.txt.xz", archive_write_add_filter_xz },
        { "empty/small.txt.zst", archive_write_add_filter_zstd },
    };
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        pack_one(packed[i].path, archive_write_set_format_raw, packed[i].filter, "small.txt", first_text,
                 strlen(first_text));
        CHECK_EQUAL(sp_catalogue_present(&entry, &error), SP_OK);
        check_opens(&entry, NULL);
        CHECK_EQUAL(fetch(&entry, &error), SP_OK); /* nothing is missing */
        CHECK_CONTAINS(reported, "already here");
        forget("cache empty/small.txt*");
    }

    write_text("empty/small.txt", second_text);
    char right[SP_HASH_HEX], wrong[SP_HASH_HEX];
    hash_of(first_text, right);
    hash_of(second_text, wrong);
    for (int round = 0; round < 2; round++) {
        if (round == 0)
            check_fails(&entry, SP_EHASH, "small: empty/small.txt:");
        sp_dataset a;
        CHECK_EQUAL(round == 0 ? sp_catalogue_open(&entry, &a, &error) : fetch(&entry, &error), SP_EHASH);
        CHECK_CONTAINS(error.text, "empty/small.txt");
        CHECK_CONTAINS(error.text, right);
        CHECK_CONTAINS(error.text, wrong);
        CHECK_EQUAL(count_files("empty/small.txt"), 1); /* the user's file is left alone */
    }
    /* It comes before what was downloaded. */
    CHECK_EQUAL(system("mkdir -p cache/downloads"), 0);
    write_text("cache/downloads/small.txt", first_text);
    check_fails(&entry, SP_EHASH, "small: empty/small.txt:");
    forget("empty/small.txt");
    check_opens(&entry, NULL);
    forget("cache");
}

static void test_counts(void)
{
    write_text("empty/small.txt", first_text);
    sp_catalogue_entry entry = small(NULL, NULL);
    entry.positive = 2, entry.negative = 0;
    check_fails(&entry, SP_EDATA, "small: 2 records, 2 features, 1 positive and 1 negative labels; "
                                  "the catalogue says 2, 2, 2 and 0");
    entry = small(NULL, NULL);
    entry.n = 3;
    check_fails(&entry, SP_EDATA, "the catalogue says 3");
    CHECK_EQUAL(count_files("cache/binary/*"), 0);
    forget("empty/small.txt cache");
}

static void test_parts(void)
{
    char hash[SP_HASH_HEX];
    hash_of(second_text, hash);
    sp_catalogue_entry entry = small(NULL, NULL);
    entry.part[1] = (sp_catalogue_part){ NULL, NULL, "second.txt", hash };
    entry.n = 4, entry.positive = 2, entry.negative = 2;
    write_text("empty/small.txt", first_text);
    CHECK_EQUAL(sp_catalogue_present(&entry, NULL), SP_EABSENT);
    write_text("empty/second.txt", second_text);
    CHECK_EQUAL(sp_catalogue_present(&entry, NULL), SP_OK);
    for (int round = 0; round < 2; round++) { /* read, then from the cache */
        sp_dataset a = { 0 };
        CHECK_EQUAL(sp_catalogue_open(&entry, &a, NULL), SP_OK);
        CHECK(a.n == 4 && a.d == 2);
        const double X[] = { 0.5, -2.385, 0.0, 7.25, 3.0, 0.0, 4.0, 0.125 }, y[] = { 1.0, -1.0, -1.0, 1.0 };
        for (size_t i = 0; i < a.n; i++)
            CHECK(memcmp(a.X + i * a.stride, X + 2 * i, 2 * sizeof *X) == 0 && a.y[i] == y[i]);
        sp_dataset_free(&a);
    }
    forget("empty/s*.txt cache");
}

/* --- the binary cache ---------------------------------------------------------------------------------------- */

/* Its bytes and a NUL, malloc'ed. */
static char *whole_file(const char *path, size_t *size)
{
    sp_content c = { 0 };
    CHECK_EQUAL(sp_content_load(path, 0, &c, NULL), SP_OK);
    char *bytes = calloc(c.size + 1, 1);
    if (c.size > 0)
        memcpy(bytes, c.bytes, c.size);
    *size = c.size;
    sp_content_free(&c);
    return bytes;
}

static char *only_file(const char *pattern)
{
    glob_t found = { 0 };
    CHECK_EQUAL(glob(pattern, 0, NULL, &found), 0);
    CHECK_EQUAL(found.gl_pathc, 1);
    char *path = found.gl_pathc ? sp_copy_text(found.gl_pathv[0]) : sp_copy_text("none");
    globfree(&found);
    return path;
}

static void test_binary(void)
{
    const sp_catalogue_entry entry = small(NULL, NULL);
    char content[SP_HASH_HEX], again[SP_HASH_HEX];
    write_text("empty/small.txt", first_text);
    check_opens(&entry, content);
    forget("empty/small.txt");
    CHECK_EQUAL(sp_catalogue_present(&entry, NULL), SP_OK);
    check_opens(&entry, again); /* the text is not needed any more */
    CHECK_TEXT(again, content);

    write_text("empty/small.txt", first_text);
    char *path = only_file("cache/binary/*");
    size_t size;
    char *bytes = whole_file(path, &size);
    const size_t cuts[] = { 0, 5, 255, 256, size - 1 };
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) { /* cut short */
        write_bytes(path, bytes, cuts[i]);
        check_opens(&entry, again);
        CHECK_TEXT(again, content);
    }
    for (size_t at = 0; at < size; at += at < 256 ? 3 : 31) { /* a byte changed: of the header, of the numbers */
        bytes[at] = (char)(bytes[at] ^ 0x41);
        write_bytes(path, bytes, size);
        bytes[at] = (char)(bytes[at] ^ 0x41);
        check_opens(&entry, again);
        CHECK_TEXT(again, content);
    }
    size_t healed_size;
    char *healed = whole_file(path, &healed_size); /* written anew, the same */
    CHECK(healed_size == size && memcmp(healed, bytes, size) == 0);
    free(healed);
    forget("empty/small.txt"); /* no text to make it again from */
    bytes[300] = (char)(bytes[300] ^ 0x41);
    write_bytes(path, bytes, size);
    bytes[300] = (char)(bytes[300] ^ 0x41);
    check_fails(&entry, SP_EABSENT, "not on this machine");
    write_text("empty/small.txt", first_text);

    sp_catalogue_entry other = entry; /* another reading of the same bytes is another dataset */
    other.options.positive = "-1";
    sp_dataset a = { 0 };
    CHECK_EQUAL(sp_catalogue_open(&other, &a, NULL), SP_OK);
    CHECK(a.y && a.y[0] == -1.0 && a.y[1] == 1.0);
    sp_dataset_free(&a);
    CHECK_EQUAL(count_files("cache/binary/*"), 2);
    char *renamed = sp_copy_text(path); /* a file under a key that is not its own */
    CHECK_EQUAL(unlink(path), 0);
    free(path);
    path = only_file("cache/binary/*");
    CHECK_EQUAL(rename(path, renamed), 0);
    check_opens(&entry, again);
    CHECK_TEXT(again, content);
    free(renamed);
    free(path);
    free(bytes);
    forget("empty/small.txt cache");
}

static void test_no_cache(void)
{
    const sp_catalogue_entry entry = small(NULL, NULL);
    write_text("empty/small.txt", first_text);
    write_text("file", "in the way");
    CHECK_EQUAL(setenv("STILLPOINT_CACHE", "file/cache", 1), 0);
    char *folder = NULL;
    sp_error error = { 0 };
    CHECK_EQUAL(sp_cache_directory(&folder, &error), SP_EIO);
    CHECK_CONTAINS(error.text, "file");
    CHECK(folder == NULL);
    check_opens(&entry, NULL);
    CHECK_EQUAL(setenv("STILLPOINT_CACHE", "cache", 1), 0);
    CHECK_EQUAL(count_files("cache"), 0);
    forget("empty/small.txt file");
}

static void test_at_once(void)
{
    const sp_catalogue_entry entry = small(NULL, NULL);
    write_text("empty/small.txt", first_text);
    for (int i = 0; i < 6; i++)
        if (fork() == 0) {
            sp_dataset a = { 0 };
            for (int k = 0; k < 20; k++) {
                if (k % 4 == i % 4 && system("rm -f cache/binary/*.spd") != 0) /* one takes it away from the others */
                    _exit(2);
                if (sp_catalogue_open(&entry, &a, NULL) != SP_OK || a.n != 2 || a.X[1] != -2.385 || a.y[1] != -1.0)
                    _exit(1);
                sp_dataset_free(&a);
            }
            _exit(0);
        }
    for (int i = 0, result; i < 6; i++)
        CHECK(wait(&result) > 0 && WIFEXITED(result) && WEXITSTATUS(result) == 0);
    check_opens(&entry, NULL);
    CHECK_EQUAL(count_files("cache/binary/*"), 1); /* no half-written ones */
    forget("empty/small.txt cache");
}

static void test_cache_directory(void)
{
    char *folder = NULL;
    const char *home = getenv("HOME"), *xdg = getenv("XDG_CACHE_HOME");
    char *old_home = sp_copy_text(home), *old_xdg = sp_copy_text(xdg);
    setenv("HOME", "h", 1);
    setenv("XDG_CACHE_HOME", "x", 1);
    CHECK_EQUAL(sp_cache_directory(&folder, NULL), SP_OK);
    CHECK_TEXT(folder, "cache");
    free(folder);
    setenv("STILLPOINT_CACHE", "", 1);
    CHECK_EQUAL(sp_cache_directory(&folder, NULL), SP_OK);
    CHECK_TEXT(folder, "x/stillpoint");
    free(folder);
    unsetenv("XDG_CACHE_HOME");
    CHECK_EQUAL(sp_cache_directory(&folder, NULL), SP_OK);
    CHECK_TEXT(folder, "h/.cache/stillpoint");
    CHECK_EQUAL(count_files(folder), 1);
    free(folder);
    unsetenv("HOME");
    sp_error error = { 0 };
    CHECK_EQUAL(sp_cache_directory(&folder, &error), SP_EIO);
    CHECK_CONTAINS(error.text, "set STILLPOINT_CACHE");
    setenv("STILLPOINT_CACHE", "cache", 1);
    if (old_home)
        setenv("HOME", old_home, 1);
    if (old_xdg)
        setenv("XDG_CACHE_HOME", old_xdg, 1);
    free(old_home);
    free(old_xdg);
    forget("cache x h");
}

static void test_own_file(void)
{
    const sp_read_options o = { .d = 2 }, wide = { .d = 5 };
    sp_dataset a = { 0 }, b = { 0 };
    char one[SP_HASH_HEX], other[SP_HASH_HEX];
    write_text("mine.txt", first_text);
    CHECK_EQUAL(open_own_file("mine.txt", &o, &a, NULL), SP_OK);
    CHECK_EQUAL(open_own_file("mine.txt", &o, &b, NULL), SP_OK); /* from the cache */
    records_content(&a, one);
    records_content(&b, other);
    CHECK(a.n == 2 && a.d == 2 && a.mapped && a.X[1] == -2.385 && strcmp(one, other) == 0);
    CHECK_EQUAL(count_files("cache/binary/*"), 1);
    sp_dataset_free(&b);
    CHECK_EQUAL(open_own_file("mine.txt", &wide, &b, NULL), SP_OK);
    CHECK_EQUAL(b.d, 5);
    sp_dataset_free(&b);
    write_text("mine.txt", second_text); /* the bytes decide, not the name */
    CHECK_EQUAL(open_own_file("mine.txt", &o, &b, NULL), SP_OK);
    records_content(&b, other);
    CHECK(b.X && b.X[0] == 3.0 && strcmp(one, other) != 0);
    sp_dataset_free(&a);
    sp_dataset_free(&b);
    forget("mine.txt cache");
}

/* --- fetching ------------------------------------------------------------------------------------------------ */

/* A folder of downloads whose maker is gone. */
static void leave_depot(void)
{
    char folder[64], file[80];
    const pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    CHECK(gone > 0 && waitpid(gone, NULL, 0) == gone);
    snprintf(folder, sizeof folder, "cache/fetch.%ld.part", (long)gone);
    snprintf(file, sizeof file, "%s/download", folder);
    CHECK_EQUAL(mkdir(folder, 0700), 0);
    write_text(file, "half of it");
}

/* Answers so many requests on a port of its own: /small the text, /moved goes there, /wrong other bytes, else 404. */
static pid_t serve(int requests, int *port)
{
    struct sockaddr_in place = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof place;
    const int door = socket(AF_INET, SOCK_STREAM, 0);
    if (door < 0 || bind(door, (struct sockaddr *)&place, length) != 0 || listen(door, 4) != 0 ||
        getsockname(door, (struct sockaddr *)&place, &length) != 0)
        return -1;
    *port = ntohs(place.sin_port);
    const pid_t child = fork();
    if (child == 0)
        alarm(600); /* for a test that asks less than it should */
    for (; child == 0 && requests > 0; requests--) {
        char asked[4000], answer[500];
        const int line = accept(door, NULL, NULL);
        const ssize_t got = read(line, asked, sizeof asked - 1);
        asked[got > 0 ? got : 0] = '\0';
        const bool small_one = strncmp(asked, "GET /small ", 11) == 0, wrong = strncmp(asked, "GET /wrong ", 11) == 0;
        const char *body = small_one ? first_text : wrong ? second_text : "";
        snprintf(answer, sizeof answer, "HTTP/1.1 %s\r\nContent-Length: %zu\r\nConnection: close\r\n%s\r\n%s",
                 small_one || wrong ? "200 OK" : strncmp(asked, "GET /moved ", 11) == 0 ? "302 Found" : "404 Not Found",
                 strlen(body), "Location: /small\r\n", body);
        if (write(line, answer, strlen(answer)) < 0)
            _exit(1);
        close(line);
    }
    if (child == 0)
        _exit(0);
    close(door);
    return child;
}

static void test_web(void)
{
    int port = 0;
    setenv("no_proxy", "127.0.0.1", 1);
    const pid_t server = serve(5, &port);
    if (server < 0) {
        puts("no sockets here: the web is not tried");
        return;
    }
    char moved[64], gone[64], wrong[64], right_hash[SP_HASH_HEX], wrong_hash[SP_HASH_HEX];
    snprintf(moved, sizeof moved, "http://127.0.0.1:%d/moved", port);
    snprintf(gone, sizeof gone, "http://127.0.0.1:%d/gone", port);
    snprintf(wrong, sizeof wrong, "http://127.0.0.1:%d/wrong", port);
    hash_of(first_text, right_hash);
    hash_of(second_text, wrong_hash);
    sp_error error = { 0 };

    sp_catalogue_entry entry = small(gone, NULL);
    CHECK_EQUAL(fetch(&entry, &error), SP_EIO);
    CHECK_CONTAINS(error.text, gone);
    CHECK_CONTAINS(error.text, "404");
    entry = small(wrong, NULL);
    CHECK_EQUAL(fetch(&entry, &error), SP_EHASH);
    CHECK_CONTAINS(error.text, wrong);
    CHECK_CONTAINS(error.text, right_hash);
    CHECK_CONTAINS(error.text, wrong_hash);
    CHECK_EQUAL(count_files("cache/downloads/*"), 0); /* nothing that does not verify is kept */

    entry = small(moved, NULL);
    check_fetches(&entry);
    CHECK_CONTAINS(reported, moved);
    CHECK_CONTAINS(reported, "kept as cache/downloads/small.txt");
    CHECK_EQUAL(count_files("cache/downloads/*"), 1);
    check_opens(&entry, NULL);
    check_fetches(&entry); /* nobody is asked again */
    CHECK_CONTAINS(reported, "already here");

    forget("cache/binary");
    write_text("cache/downloads/small.txt", second_text);
    check_fails(&entry, SP_EHASH, "cache/downloads/small.txt");
    snprintf(moved, sizeof moved, "http://127.0.0.1:%d/small", port);
    leave_depot();
    check_fetches(&entry); /* damaged: deleted and fetched again; what a killed process left, too */
    CHECK_CONTAINS(reported, "damaged");
    check_opens(&entry, NULL);
    CHECK_EQUAL(waitpid(server, NULL, 0), server);
    forget("cache");
    CHECK_EQUAL(fetch(&entry, &error), SP_EIO); /* nobody answers */
    CHECK_CONTAINS(error.text, moved);
    forget("cache");
}

static void test_debian(void)
{
    sp_error error = { 0 };
    char *tar, *old_path = sp_copy_text(getenv("PATH")), here[300], path[4000];
    size_t size;
    pack_one("data.tar", archive_write_set_format_ustar, archive_write_add_filter_none, "./usr/share/none/m.txt",
             first_text, strlen(first_text));
    tar = whole_file("data.tar", &size);
    pack_one("made.deb", archive_write_set_format_ar_svr4, archive_write_add_filter_none, "data.tar", tar, size);
    free(tar);
    CHECK(getcwd(here, sizeof here) != NULL);
    CHECK_EQUAL(mkdir("bin", 0700), 0);
    snprintf(path, sizeof path, "%s/bin:%s", here, old_path);
    setenv("PATH", path, 1);
    setenv("HERE", here, 1);

    sp_catalogue_entry entry = small("debian:some-doc", "usr/share/none/m.txt");
    write_text("bin/apt-get", "#!/bin/sh\necho \"$*\" >>\"$HERE/asked\"\ncp \"$HERE/made.deb\" ./some-doc_1_all.deb\n");
    CHECK_EQUAL(chmod("bin/apt-get", 0700), 0);
    check_fetches(&entry);
    check_opens(&entry, NULL);
    char *asked = whole_file("asked", &size);
    CHECK_CONTAINS(asked, "download some-doc\n");
    free(asked);
    forget("cache asked");

    sp_catalogue_entry pair = entry; /* two parts of one package: one download */
    pair.part[1] = pair.part[0];
    pair.part[1].file = "twin.txt";
    pair.n = 4, pair.positive = pair.negative = 2;
    check_fetches(&pair);
    asked = whole_file("asked", &size);
    CHECK(asked && strchr(asked, '\n') == asked + size - 1);
    free(asked);
    CHECK_EQUAL(count_files("cache/downloads/*"), 2);
    forget("cache");

    entry.part[0].member = "usr/share/none/other.txt";
    CHECK_EQUAL(fetch(&entry, &error), SP_EDATA);
    CHECK_CONTAINS(error.text, "debian:some-doc");
    CHECK_CONTAINS(error.text, "no member usr/share/none/other.txt");
    write_text("bin/apt-get", "#!/bin/sh\n(echo 'E: Unable to locate package some-doc'; echo second) >&2\nexit 100\n");
    CHECK_EQUAL(fetch(&entry, &error), SP_EIO);
    CHECK_TEXT(error.text, "small: apt-get download some-doc: E: Unable to locate package some-doc second");
    write_text("bin/apt-get", "#!/bin/sh\nexit 0\n");
    CHECK_EQUAL(fetch(&entry, &error), SP_EIO);
    CHECK_CONTAINS(error.text, "left no package behind");
    CHECK_EQUAL(unlink("bin/apt-get"), 0);
    setenv("PATH", "bin", 1);
    CHECK_EQUAL(fetch(&entry, &error), SP_EIO);
    CHECK_TEXT(error.text, "small: apt-get download some-doc: No such file or directory");
    setenv("PATH", old_path, 1);
    free(old_path);
    CHECK_EQUAL(count_files("cache/downloads/*"), 0);
    forget("cache asked bin");
}

/* An installed package serves without any fetching; its files may be compressed. */
static void test_installed(void)
{
    char here[300], member[400];
    CHECK(getcwd(here, sizeof here) != NULL);
    snprintf(member, sizeof member, "%s/installed.txt", here + 1);
    const sp_catalogue_entry entry = small("debian:some-doc", member);
    pack_one("installed.txt.gz", archive_write_set_format_raw, archive_write_add_filter_gzip, "installed.txt",
             first_text, strlen(first_text));
    CHECK_EQUAL(sp_catalogue_present(&entry, NULL), SP_OK);
    check_opens(&entry, NULL);
    forget("cache installed.txt*");
}

/* --- the real data ------------------------------------------------------------------------------------------- */

/* A real set comes out the same however it is stored. */
static void test_storages(void)
{
    sp_catalogue_entry entry[2];
    sp_dataset a[2] = { { 0 } };
    double x[123], z[123];
    for (int k = 0; k < 2; k++) {
        CHECK_EQUAL(sp_catalogue_vary(sp_catalogue_find("a9a.t"), k ? SP_STORE_SPARSE : SP_STORE_DENSE, NULL, NULL,
                                      &entry[k], NULL), SP_OK);
        if (sp_catalogue_present(&entry[k], NULL) == SP_OK)
            CHECK_EQUAL(sp_catalogue_open(&entry[k], &a[k], NULL), SP_OK);
    }
    CHECK(a[0].n == a[1].n && a[0].storage == SP_STORE_DENSE && (a[1].n == 0 || a[1].storage == SP_STORE_SPARSE));
    for (size_t i = 0; i < a[0].n && i < a[1].n; i++) {
        sp_row_of(&a[0], i, x);
        sp_row_of(&a[1], i, z);
        CHECK(memcmp(x, z, sizeof x) == 0 && a[0].y[i] == a[1].y[i]);
    }
    sp_dataset_free(&a[0]);
    sp_dataset_free(&a[1]);
}

/* Another pair of digits, and one digit against all others; opening asserts the counts. */
static void test_digits(void)
{
    static const char *const pairs[][2] = { { "0", "1" }, { "7", NULL }, { "8", "3" } };
    for (size_t i = 0; i < 3; i++) {
        sp_catalogue_entry entry;
        sp_dataset a = { 0 };
        sp_error error = { 0 };
        CHECK_EQUAL(sp_catalogue_vary(sp_catalogue_find("mnist.t"), SP_STORE_SPARSE, pairs[i][0], pairs[i][1], &entry,
                                      &error), SP_OK);
        CHECK_EQUAL(entry.n, i == 0 ? 980 + 1135 : i == 1 ? 10000 : 974 + 1010);
        CHECK_EQUAL(entry.positive, i == 0 ? 980 : i == 1 ? 1028 : 974);
        if (sp_catalogue_present(&entry, NULL) != SP_OK)
            continue;
        SP_CHECK_REPORT(sp_catalogue_open(&entry, &a, &error) == SP_OK, "%s", error.text);
        sp_dataset_free(&a);
    }
}

/* Counts that the catalogue asserts are checked by opening; what opening does not check is here: numbers of the texts
 * (the first record's norm^2 and the number of non-zeros, counted in the text by a script). */
static void test_real(const char *folder)
{
    static const struct { const char *name; double square; size_t nonzero; } known[] = {
        { "ijcnn1", 1.5689284054060002, 454999 }, { "a9a", 14.0, 451592 }, { "mushrooms", 21.0, 170604 },
        { "spambase", 81027.45702, 59231 }, { "mushroom", 22.0, 176248 },
        { "a9a.t", 14.0, 225731 }, { "ijcnn1.val", 1.740190867324, 194870 }, { "ijcnn1.t", 1.465034260004, 1192101 },
        { "mnist", 122.93138023836987, 2015487 }, { "mnist.t", 119.00061514801999, 336839 },
        { "covtype", 4.94435376340261, 6940438 },
    };
#if defined(__SANITIZE_ADDRESS__)
    const size_t count = sizeof known / sizeof *known - 1; /* covtype is 71 MB of text */
#else
    const size_t count = sizeof known / sizeof *known;
#endif
    setenv("STILLPOINT_DATA", folder, 1);
    for (size_t i = 0; i < count; i++) {
        const sp_catalogue_entry *entry = sp_catalogue_find(known[i].name);
        sp_dataset a = { 0 };
        sp_error error = { 0 };
        if (sp_catalogue_present(entry, &error) != SP_OK) {
            puts(error.text);
            continue;
        }
        const sp_status status = sp_catalogue_open(entry, &a, &error);
        SP_CHECK_REPORT(status == SP_OK, "%s", error.text);
        if (status != SP_OK)
            continue;
        size_t nonzero = 0;
        for (size_t k = 0; a.storage == SP_STORE_DENSE && k < a.n * a.d; k++)
            nonzero += a.X[k / a.d * a.stride + k % a.d] != 0.0;
        CHECK_EQUAL(a.storage == SP_STORE_SPARSE ? a.start[a.n] : nonzero, known[i].nonzero);
        CHECK_NEAR(a.norm[0] * a.norm[0], known[i].square, 1e-12 * known[i].square);
        sp_dataset_free(&a);
    }
    test_storages();
    test_digits();
    setenv("STILLPOINT_DATA", "empty", 1);
}

int main(void)
{
    char folder[64], data[4000] = "";
    const char *given = getenv("STILLPOINT_DATA"), *source = getenv("SOURCE");
    if (given && *given)
        snprintf(data, sizeof data, "%s", given);
    else if (source)
        snprintf(data, sizeof data, "%s/../shared/data", source);
    char *real = *data ? realpath(data, NULL) : NULL;
    if (enter_folder(folder) != 0)
        return 1;
    test_table();
    test_vary();
    test_absent();
    test_given_folder();
    test_counts();
    test_parts();
    test_binary();
    test_no_cache();
    test_at_once();
    test_cache_directory();
    test_own_file();
    test_web();
    test_debian();
    test_installed();
    if (real)
        test_real(real);
    else
        puts("no real data here (STILLPOINT_DATA): not tried");
    free(real);
    leave_folder(folder);
    return sp_check_done();
}
