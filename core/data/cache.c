/* cache.c -- the folder of the cache, whole files, and datasets that are mapped in no time.
 *
 * A cached dataset is believed when its header is whole (magic, version, byte order, checksum), bears the key, and its
 * sizes agree with each other and with the file. Anything else counts as absent and is written anew. */
#include "core/data/cache.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/data/catalogue.h"
#include "core/data/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* --- datasets ------------------------------------------------------------------------------------------------ */

enum { VERSION = 3, HEADER_SIZE = 4 * SP_ALIGNMENT };
static const char magic[8] = "SPDATA\r\n";
static const uint32_t byte_order = 0x01020304;

typedef struct header {
    char magic[8];
    uint32_t version, byte_order;
    uint64_t storage, n, d, entries, labels, size; /* of the file */
    double unit, radius, label_bound;
    char key[SP_HASH_HEX], content[SP_HASH_HEX];
    unsigned char check[SP_HASH_SIZE]; /* of all above */
} header;

typedef union page {
    header header;
    char bytes[HEADER_SIZE];
} page;
_Static_assert(sizeof(page) == HEADER_SIZE, "the header outgrew its place");

static void checksum(const page *p, unsigned char out[SP_HASH_SIZE])
{
    sp_hash hash;
    sp_hash_start(&hash);
    sp_hash_add(&hash, p->bytes, offsetof(header, check));
    sp_hash_end(&hash, out);
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

static bool sound(const page *p, const char *key, size_t size)
{
    const header *h = &p->header;
    unsigned char check[SP_HASH_SIZE];
    checksum(p, check);
    if (h->storage >= SP_STORE_INDEXED)
        return false;
    const size_t block = sp_layout_size((sp_storage)h->storage, h->n, h->d, h->entries, h->labels != 0);
    return memcmp(h->magic, magic, sizeof magic) == 0 && h->version == VERSION && h->byte_order == byte_order &&
           memcmp(h->check, check, sizeof check) == 0 && strncmp(h->key, key, sizeof h->key) == 0 && block != 0 &&
           h->size == HEADER_SIZE + block && h->size == size;
}

sp_status sp_cache_load(const char *key, sp_dataset *out)
{
    sp_status status = SP_EABSENT;
    page first;
    struct stat found;
    *out = (sp_dataset){ 0 };
    char *path = path_of(key);
    const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0 || fstat(file, &found) != 0 || pread(file, &first, sizeof first, 0) != (ssize_t)sizeof first ||
        !sound(&first, key, (size_t)found.st_size))
        goto cleanup;

    const header *h = &first.header;
    char *mapping = mmap(NULL, h->size, PROT_READ, MAP_SHARED, file, 0);
    if (mapping == MAP_FAILED)
        goto cleanup;
    *out = (sp_dataset){ .storage = (sp_storage)h->storage, .n = h->n, .d = h->d, .unit = h->unit, .radius = h->radius,
                         .label_bound = h->label_bound, .mapping = mapping, .mapping_size = h->size, .mapped = true };
    memcpy(out->content, h->content, sizeof out->content);
    sp_layout_point(out, h->entries, h->labels != 0, mapping + HEADER_SIZE);
    status = SP_OK;

cleanup:
    if (file >= 0)
        close(file);
    free(path);
    return status;
}

void sp_cache_keep(const char *key, sp_dataset *dataset)
{
    if (dataset->storage == SP_STORE_INDEXED)
        return;
    const size_t entries = dataset->storage == SP_STORE_SPARSE ? dataset->start[dataset->n] : 0;
    const size_t block = sp_layout_size(dataset->storage, dataset->n, dataset->d, entries, dataset->y != NULL);
    page first = { .bytes = { 0 } };
    header *h = &first.header;
    *h = (header){ .version = VERSION, .byte_order = byte_order, .storage = dataset->storage, .n = dataset->n,
                   .d = dataset->d, .entries = entries, .labels = dataset->y != NULL, .size = HEADER_SIZE + block,
                   .unit = dataset->unit, .radius = dataset->radius, .label_bound = dataset->label_bound };
    memcpy(h->magic, magic, sizeof magic);
    memcpy(h->key, key, sizeof h->key);
    memcpy(h->content, dataset->content, sizeof h->content);
    checksum(&first, h->check);

    sp_dataset kept = { 0 };
    const sp_piece pieces[] = { { &first, sizeof first }, { dataset->norm, block } };
    char *path = path_of(key);
    if (path && sp_write_pieces(path, pieces, 2, NULL) == SP_OK && sp_cache_load(key, &kept) == SP_OK) {
        sp_dataset_free(dataset);
        *dataset = kept;
    }
    free(path);
}
