/* cache.c -- the folder of the cache, and datasets in binary form in it.
 *
 * A cached dataset is used if its header is intact (magic, version, byte order, checksum) and has the right key, if its
 * sizes agree with each other and with the file, if the checksum of its block (XXH3, 128 bits) is that of the header,
 * and if its offsets and columns are within the block. Otherwise it counts as absent and is written again. The block is
 * read into memory in pieces, each of which is added to the checksum while it is in the processor's cache. So the
 * checked data cannot change or shrink afterwards, whatever happens to the file. */
#include "core/data/read/cache.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/data/read/catalogue.h"
#include "core/data/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* --- folders --------------------------------------------------------------------------------------- */

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

sp_status sp_cache_folder(const char *name, char **out, sp_error *error)
{
    const char *own = environment("STILLPOINT_CACHE"), *user = environment("XDG_CACHE_HOME");
    const char *home = environment("HOME");
    *out = NULL;
    if (!own && !user && !home)
        return sp_fail(error, SP_EIO, "no place for the cache: set STILLPOINT_CACHE");
    char *path = sp_format("%s%s/%s", own ? own : user ? user : home,
                           own ? "" : user ? "/stillpoint" : "/.cache/stillpoint", name);
    if (!path)
        return sp_fail(error, SP_ENOMEM, "cache: out of memory");
    for (size_t length = strlen(path); length > 1 && path[length - 1] == '/'; length--)
        path[length - 1] = '\0';
    const sp_status status = sp_make_directory(path, error);
    if (status == SP_OK)
        *out = path;
    else
        free(path);
    return status;
}

sp_status sp_cache_directory(char **out, sp_error *error)
{
    return sp_cache_folder("", out, error);
}

void sp_cache_write(const char *path, const sp_piece *pieces, size_t count)
{
    struct stat found;
    if (lstat(path, &found) == 0 && !S_ISREG(found.st_mode))
        unlink(path); /* a folder stays */
    sp_write_pieces(path, pieces, count, NULL);
}

/* --- datasets ------------------------------------------------------------------------------------------------ */

enum { VERSION = 4, HEADER_SIZE = 4 * SP_ALIGNMENT, PIECE = 1 << 18 };
static const char magic[8] = "SPDATA\r\n";
static const uint32_t byte_order = 0x01020304;

typedef struct header {
    char magic[8];
    uint32_t version, byte_order;
    uint64_t storage, n, d;            /* of the dataset */
    uint64_t entries;                  /* that its block is laid out for */
    uint64_t labels;                   /* 1: there are labels, 0: there are none */
    uint64_t size;                     /* bytes of the file */
    double unit, radius, label_bound;  /* of the dataset */
    char key[SP_HASH_HEX];             /* under which it was kept */
    char content[SP_HASH_HEX];         /* of the dataset */
    XXH128_canonical_t block_checksum; /* of all bytes after the header */
    XXH128_canonical_t checksum;       /* of all members above */
} header;

typedef union page {
    header header;
    char bytes[HEADER_SIZE];
} page;
_Static_assert(sizeof(page) == HEADER_SIZE, "the header outgrew its place");

static XXH128_canonical_t checksum_of(const void *bytes, size_t size)
{
    XXH128_canonical_t out;
    XXH128_canonicalFromHash(&out, XXH3_128bits(bytes, size));
    return out;
}

static bool same(const XXH128_canonical_t *a, const XXH128_canonical_t *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static char *path_of(const char *key)
{
    char *folder = NULL;
    if (sp_cache_folder("binary", &folder, NULL) != SP_OK)
        return NULL;
    char *path = sp_format("%s/%s.spd", folder, key);
    free(folder);
    return path;
}

static bool read_at(int file, void *to, size_t size, size_t at)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = pread(file, (char *)to + done, size - done, (off_t)(at + done));
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool sound(const page *p, const char *key, size_t size)
{
    const header *h = &p->header;
    const XXH128_canonical_t checksum = checksum_of(p, offsetof(header, checksum));
    if (h->storage == SP_STORE_INDEXED || h->storage > SP_STORE_ONE_HOT)
        return false;
    const size_t block = sp_layout_size((sp_storage)h->storage, h->n, h->d, h->entries, h->labels != 0);
    return memcmp(h->magic, magic, sizeof magic) == 0 && h->version == VERSION && h->byte_order == byte_order &&
           same(&h->checksum, &checksum) && strncmp(h->key, key, sizeof h->key) == 0 && block != 0 &&
           h->size == HEADER_SIZE + block && h->size == size;
}

/* An open file whose header is sound, or -1. */
static int open_sound(const char *key, page *first)
{
    struct stat found;
    char *path = path_of(key);
    int file = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    free(path);
    if (file >= 0 && (fstat(file, &found) != 0 || !read_at(file, first, sizeof *first, 0) ||
                      !sound(first, key, (size_t)found.st_size))) {
        close(file);
        file = -1;
    }
    return file;
}

bool sp_cache_has(const char *key)
{
    page first;
    const int file = open_sound(key, &first);
    if (file >= 0)
        close(file);
    return file >= 0;
}

/* The bytes after the header; false when they are too few or others than were written. */
static bool read_block(int file, const header *h, char *block)
{
    const size_t size = h->size - HEADER_SIZE;
    XXH128_canonical_t checksum;
    XXH3_state_t *state = XXH3_createState();
    bool whole = state && XXH3_128bits_reset(state) == XXH_OK;
    for (size_t at = 0; at < size && whole; at += PIECE) {
        const size_t here = size - at < PIECE ? size - at : PIECE;
        whole = read_at(file, block + at, here, HEADER_SIZE + at) &&
                XXH3_128bits_update(state, block + at, here) == XXH_OK;
    }
    if (whole)
        XXH128_canonicalFromHash(&checksum, XXH3_128bits_digest(state));
    XXH3_freeState(state);
    return whole && same(&checksum, &h->block_checksum);
}

sp_status sp_cache_load(const char *key, sp_dataset *out)
{
    page first;
    const header *h = &first.header;
    *out = (sp_dataset){ 0 };
    const int file = open_sound(key, &first);
    if (file < 0)
        return SP_EABSENT;
    sp_status status = sp_dataset_new((sp_storage)h->storage, h->n, h->d, h->entries, h->labels != 0, true, out, NULL);
    if (status == SP_OK) {
        out->unit = h->unit;
        out->radius = h->radius;
        out->largest = sp_largest_feature(out);
        out->label_bound = h->label_bound;
        memcpy(out->content, h->content, sizeof out->content);
        if (!read_block(file, h, out->mapping) || sp_records_check(out, NULL) != SP_OK)
            status = SP_EABSENT;
    }
    close(file);
    if (status == SP_OK)
        return SP_OK;
    sp_dataset_free(out);
    return SP_EABSENT;
}

void sp_cache_keep(const char *key, const sp_dataset *dataset)
{
    if (dataset->storage == SP_STORE_INDEXED)
        return;
    const size_t entries = sp_layout_entries(dataset);
    const size_t block = sp_layout_size(dataset->storage, dataset->n, dataset->d, entries, dataset->y != NULL);
    page first = { .bytes = { 0 } };
    header *h = &first.header;
    *h = (header){ .version = VERSION, .byte_order = byte_order, .storage = dataset->storage, .n = dataset->n,
                   .d = dataset->d, .entries = entries, .labels = dataset->y != NULL, .size = HEADER_SIZE + block,
                   .unit = dataset->unit, .radius = dataset->radius, .label_bound = dataset->label_bound };
    memcpy(h->magic, magic, sizeof magic);
    memcpy(h->key, key, sizeof h->key);
    memcpy(h->content, dataset->content, sizeof h->content);
    h->block_checksum = checksum_of(dataset->mapping, block);
    h->checksum = checksum_of(h, offsetof(header, checksum));

    const sp_piece pieces[] = { { &first, sizeof first }, { dataset->mapping, block } };
    char *path = path_of(key);
    if (path)
        sp_cache_write(path, pieces, 2);
    free(path);
}
