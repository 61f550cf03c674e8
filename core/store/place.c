/* place.c -- see place.h. */
#include "core/store/place.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/store/store.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

sp_status sp_place_split(const char *path, char **folder, char **name, sp_error *error)
{
    const char *slash = strrchr(path, '/');
    *folder = slash ? sp_format("%.*s", (int)(slash == path ? 1 : slash - path), path) : sp_copy_text(".");
    *name = sp_copy_text(slash ? slash + 1 : path);
    return *folder && *name ? SP_OK : sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
}

sp_status sp_place_find(const char *directory, const char *file, char **folder, char **name, sp_error *error)
{
    sp_status status = SP_OK;
    char target[PATH_MAX], *path = sp_format("%s/%s", directory, file), *led = NULL;
    *folder = *name = NULL;
    if (!path)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", directory));
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length > 0) {
        target[length] = '\0';
        led = *target == '/' ? sp_copy_text(target) : sp_format("%s/%s", directory, target);
        if (!led)
            SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", directory));
    }
    status = sp_place_split(led ? led : path, folder, name, error);
cleanup:
    free(path);
    free(led);
    return status;
}

sp_status sp_place_link(const char *directory, const char *file, sp_error *error)
{
    sp_status status = SP_OK;
    char target[PATH_MAX] = "", *folder = NULL, *name = NULL;
    char *path = sp_format("%s/" SP_STORE_FILE, directory), *to = sp_absolute_path(file);
    if (!path || !to)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", file));
    SP_TRY(sp_place_split(to, &folder, &name, error));
    SP_TRY(sp_make_directory(directory, error));
    SP_TRY(sp_make_directory(folder, error));
    if (symlink(to, path) == 0)
        goto cleanup;
    if (errno != EEXIST)
        SP_TRY(sp_fail(error, SP_EIO, "%s: %s", path, sp_system_error(errno)));
    const ssize_t length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    if (length <= 0)
        status = sp_fail(error, SP_EINVAL, "--store %s: %s is there already: move it to %s first", file, path, to);
    else if (strcmp(target, to) != 0)
        status = sp_fail(error, SP_EINVAL, "--store %s: %s is a link to %s: move that file, and remove the link, first", file, path,
                         target);
cleanup:
    free(path);
    free(to);
    free(folder);
    free(name);
    return status;
}

const char *sp_place_kind(const char *directory, bool *network, char room[32])
{
    /* numbers as in statfs(2); fuse may be sshfs */
    static const struct { uint32_t type; const char *name; bool network; } known[] = {
        { 0x6969, "nfs", true }, { 0x517b, "smb", true }, { 0xff534d42, "cifs", true }, { 0xfe534d42, "smb2", true },
        { 0x01021997, "9p", true }, { 0x5346414f, "afs", true }, { 0x6b414653, "kafs", true }, { 0x73757245, "coda", true },
        { 0x564c, "ncp", true }, { 0x00c36400, "ceph", true }, { 0x0bd00bd0, "lustre", true }, { 0x47504653, "gpfs", true },
        { 0x19830326, "beegfs", true }, { 0xaad7aaea, "panfs", true }, { 0x7461636f, "ocfs2", true }, { 0x01161970, "gfs2", true },
        { 0x65735546, "fuse", true }, { 0xef53, "ext4", false }, { 0x58465342, "xfs", false }, { 0x9123683e, "btrfs", false },
        { 0x2fc12fc1, "zfs", false }, { 0x01021994, "tmpfs", false }, { 0x794c7630, "overlay", false }, { 0xf2f52010, "f2fs", false },
        { 0x4d44, "fat", false }, { 0x2011bab0, "exfat", false }
    };
    struct statfs about;
    *network = true; /* if the system does not say, the safe guess */
    if (statfs(directory, &about) != 0)
        return "of a type that the system does not tell";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((uint32_t)about.f_type == known[i].type) {
            *network = known[i].network;
            return known[i].name;
        }
    *network = false;
    snprintf(room, 32, "of type 0x%x", (unsigned)about.f_type);
    return room;
}

bool sp_place_lacks_locks(int cause)
{
    return cause == ENOSYS || cause == ENOLCK || cause == EOPNOTSUPP || cause == ENOTSUP;
}

sp_status sp_place_without_locks(const char *path, int cause, sp_error *error)
{
    char room[32], *folder = NULL, *name = NULL;
    bool network;
    if (sp_place_split(path, &folder, &name, NULL) == SP_OK)
        sp_fail(error, SP_EIO, "%s: its file system (%s) has no locks (%s), and without them two runs could spoil the store: "
                "--store FILE keeps it in a file on a local disk", path, sp_place_kind(folder, &network, room), strerror(cause));
    free(folder);
    free(name);
    return SP_EIO;
}
