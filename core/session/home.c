/* home.c -- see home.h. */
#include "core/session/home.h"

#include "core/base/files.h"
#include "core/base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && S_ISDIR(there.st_mode);
}

sp_status sp_this_program(char **out, sp_error *error)
{
    *out = sp_own_program();
    return *out ? SP_OK : sp_fail(error, SP_EIO, "the system does not say where this program is: start it by its path");
}

/* The folder that holds the running program, a new string; NULL where the system does not say. */
static char *program_folder(void)
{
    char *path = NULL, *slash = sp_this_program(&path, NULL) == SP_OK ? strrchr(path, '/') : NULL;
    if (!slash) {
        free(path);
        return NULL;
    }
    slash[slash == path] = '\0';
    return path;
}

/* The candidates after STILLPOINT_HOME, each a new string or NULL. */
enum { CANDIDATES = 3 };
static void list_candidates(char *candidate[CANDIDATES])
{
    char *program = program_folder();
    candidate[0] = program ? sp_format("%s/%s", program, STILLPOINT_HOME_FROM_PROGRAM) : NULL;
    candidate[1] = program ? sp_format("%s/share/stillpoint", program) : NULL;
    candidate[2] = sp_copy_text(STILLPOINT_HOME_INSTALLED);
    free(program);
}

sp_status sp_home(char **folder, sp_error *error)
{
    const char *given = getenv("STILLPOINT_HOME");
    *folder = NULL;
    if (given && *given) {
        if (!is_folder(given))
            return sp_fail(error, SP_EABSENT, "STILLPOINT_HOME = %s: no such folder", given);
        *folder = sp_copy_text(given);
        return *folder ? SP_OK : sp_fail(error, SP_ENOMEM, "%s: out of memory", given);
    }
    char *candidate[CANDIDATES];
    list_candidates(candidate);
    for (size_t i = 0; i < CANDIDATES && !*folder; i++)
        if (candidate[i] && is_folder(candidate[i])) {
            *folder = candidate[i];
            candidate[i] = NULL;
        }
    const sp_status status =
        *folder ? SP_OK
                : sp_fail(error, SP_EABSENT, "stillpoint's own files are in none of %s, %s, %s; STILLPOINT_HOME can name "
                          "their folder", candidate[0] ? candidate[0] : "-", candidate[1] ? candidate[1] : "-",
                          candidate[2] ? candidate[2] : "-");
    for (size_t i = 0; i < CANDIDATES; i++)
        free(candidate[i]);
    return status;
}

sp_status sp_home_path(const char *name, char **path, sp_error *error)
{
    char *folder;
    const sp_status status = sp_home(&folder, error);
    *path = status == SP_OK ? sp_format("%s/%s", folder, name) : NULL;
    free(folder);
    return status == SP_OK && !*path ? sp_fail(error, SP_ENOMEM, "%s: out of memory", name) : status;
}
