/* derive.c -- see derive.h. The folder is linked into a temporary one, file by file, and derived there. */
#include "core/cli/verbs/derive.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/base/packed.h"
#include "core/base/seal.h"
#include "core/session/temporary.h"
#include "core/figures/figures.h"
#include "core/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_linked(const char *name)
{
    static const char *const derived[] = { "summary.tsv", "fits.tsv", "summary.tsv.gz", "fits.tsv.gz", "figures", "DERIVED" };
    bool yes = *name != '.';
    for (size_t i = 0; i < sizeof derived / sizeof *derived && yes; i++)
        yes = strcmp(name, derived[i]) != 0;
    return yes && strncmp(name, SP_STORE_FILE, strlen(SP_STORE_FILE)) != 0;
}

static sp_status link_all(const char *from, const char *to, sp_error *error)
{
    sp_status status = SP_OK;
    char real[PATH_MAX];
    DIR *open = realpath(from, real) ? opendir(real) : NULL;
    if (!open)
        return sp_fail(error, SP_EIO, "%s: %s", from, strerror(errno));
    for (const struct dirent *entry = readdir(open); entry && status == SP_OK; entry = readdir(open)) {
        if (!is_linked(entry->d_name))
            continue;
        char *one = sp_format("%s/%s", real, entry->d_name), *other = sp_format("%s/%s", to, entry->d_name);
        if (!one || !other)
            status = sp_fail(error, SP_ENOMEM, "%s: out of memory", from);
        else if (symlink(one, other) != 0)
            status = sp_fail(error, SP_EIO, "%s: %s", other, strerror(errno));
        free(one);
        free(other);
    }
    closedir(open);
    return status;
}

/* --- comparing --------------------------------------------------------------------------------------------------------- */

typedef struct comparing {
    const char *there, *again; /* folders */
    const sp_plan *plan;
    sp_derived_take *take;
    void *context;
} comparing;

static bool is_trajectory(const sp_plan *plan, const char *file)
{
    for (size_t i = 0; i < plan->figures; i++) {
        const size_t length = strlen(plan->figure[i].name);
        if (strcmp(plan->figure[i].kind, "trajectory") == 0 && strncmp(file, "figures/", 8) == 0 &&
            strncmp(file + 8, plan->figure[i].name, length) == 0 && file[8 + length] == '.')
            return true;
    }
    return false;
}

static sp_status compare(const comparing *c, const char *file, sp_error *error)
{
    sp_status status = SP_OK;
    char one[SP_HASH_HEX] = "", two[SP_HASH_HEX] = "";
    char *there = sp_format("%s/%s", c->there, file), *again = sp_format("%s/%s", c->again, file);
    char *traces = sp_format("%s/traces.tsv", c->there);
    if (!there || !again || !traces)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", file));
    if (sp_packed_there(there))
        SP_TRY(sp_seal_hash(there, one, error));
    if (sp_packed_there(again))
        SP_TRY(sp_seal_hash(again, two, error));
    const bool unknown = is_trajectory(c->plan, file) && access(traces, F_OK) != 0;
    status = c->take(c->context, file, !*one ? SP_DERIVED_MISSING : unknown ? SP_DERIVED_UNKNOWN
                                  : strcmp(one, two) == 0 ? SP_DERIVED_SAME : SP_DERIVED_DIFFERS, error);
cleanup:
    free(there);
    free(again);
    free(traces);
    return status;
}

/* The tables in figures/ of a folder; with `other`, those alone that are not there. */
static sp_status compare_figures(const comparing *c, const char *folder, const char *other, sp_error *error)
{
    sp_status status = SP_OK;
    char *path = sp_format("%s/figures", folder);
    DIR *open = path ? opendir(path) : NULL;
    for (const struct dirent *entry = open ? readdir(open) : NULL; entry && status == SP_OK; entry = readdir(open)) {
        size_t length = strlen(entry->d_name);
        length -= length > 3 && strcmp(entry->d_name + length - 3, ".gz") == 0 ? 3 : 0;
        if (length < 5 || *entry->d_name == '.' || strncmp(entry->d_name + length - 4, ".tsv", 4) != 0 ||
            strstr(entry->d_name, ".timings."))
            continue;
        char *file = sp_format("figures/%.*s", (int)length, entry->d_name);
        char *same = other && file ? sp_format("%s/%s", other, file) : NULL;
        if (!file || (other && !same))
            status = sp_fail(error, SP_ENOMEM, "%s: out of memory", folder);
        else if (!other || !sp_packed_there(same))
            status = compare(c, file, error);
        free(file);
        free(same);
    }
    if (open)
        closedir(open);
    free(path);
    return status;
}

sp_status sp_derive_again(const sp_session *session, const char *folder, sp_derived_take *take, void *context, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_plot_paths none = { 0 };
    char *again = NULL;
    SP_TRY(sp_temporary_make("derived", "where tables are derived again", &again, error));
    SP_TRY(link_all(folder, again, error));
    SP_TRY(sp_plot(&session->plan, again, &none, NULL, error));
    const comparing c = { folder, again, &session->plan, take, context };
    SP_TRY(compare(&c, "summary.tsv", error));
    SP_TRY(compare(&c, "fits.tsv", error));
    SP_TRY(compare_figures(&c, folder, NULL, error));
    SP_TRY(compare_figures(&c, again, folder, error));
cleanup:
    sp_temporary_remove(again);
    free(again);
    return status;
}
