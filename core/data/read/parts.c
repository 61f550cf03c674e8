/* parts.c -- searches for a file of a data set in STILLPOINT_DATA, among the downloads, and where Debian's package
 * installs it; accepts it only if its SHA-256 is right. */
#include "core/data/read/read_internal.h"

#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/data/read/cache.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* folder/file as it is or compressed. */
static sp_status look_in(const char *folder, const char *file, char **path, sp_error *error)
{
    static const char *const endings[] = { "", ".gz", ".bz2", ".xz", ".zst" };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (!(*path = sp_format("%s/%s%s", folder, file, endings[i])))
            return sp_fail(error, SP_ENOMEM, "%s: out of memory", file);
        if (access(*path, F_OK) == 0)
            return SP_OK;
        free(*path);
        *path = NULL;
    }
    return SP_OK;
}

sp_status sp_part_locate(const sp_catalogue_part *part, char **path, bool *own, sp_error *error)
{
    sp_status status = SP_OK;
    const char *given = getenv("STILLPOINT_DATA");
    char *downloads = NULL;
    *path = NULL;
    *own = false;
    if (given && *given)
        SP_TRY(look_in(given, part->file, path, error));
    if (!*path && sp_cache_folder("downloads", &downloads, NULL) == SP_OK) {
        SP_TRY(look_in(downloads, part->file, path, error));
        *own = *path != NULL;
    }
    if (!*path && part->member && part->address && strncmp(part->address, SP_DEBIAN, strlen(SP_DEBIAN)) == 0)
        SP_TRY(look_in("", part->member, path, error));
cleanup:
    free(downloads);
    return status;
}

sp_status sp_part_absent(const sp_catalogue_entry *entry, const sp_catalogue_part *part, sp_error *error)
{
    if (part->address)
        return sp_fail(error, SP_EABSENT, "not on this machine; get it with: stillpoint data fetch %s", entry->name);
    return sp_fail(error, SP_EABSENT,
                   "not on this machine, and no public address has its bytes; place %s in the folder named by "
                   "STILLPOINT_DATA",
                   part->file);
}

sp_status sp_part_read(const sp_catalogue_part *part, const char *path, const char *member, sp_content *content,
                       sp_error *error)
{
    const sp_status status = sp_content_read(path, member, 0, content, error);
    if (status != SP_OK)
        return status;
    char hex[SP_HASH_HEX];
    sp_hash hash;
    sp_hash_start(&hash);
    sp_hash_add(&hash, content->bytes, content->size);
    sp_hash_end_hex(&hash, hex);
    if (strcmp(hex, part->sha256) == 0)
        return SP_OK;
    sp_content_free(content);
    return sp_fail(error, SP_EHASH, "%s: the SHA-256 of %s is %s, expected %s", path,
                   member ? member : "its uncompressed bytes", hex, part->sha256);
}
