/* unpack.c -- see unpack.h. */
#include "core/cli/verbs/unpack.h"

#include "core/base/memory.h"
#include "core/session/temporary.h"
#include "core/export/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sp_is_archive(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".tar") == 0;
}

/* The part of a path behind `top`, up to its next '/'; 0: it is not below it. */
static size_t name_below(const char *path, const char *top, const char **name)
{
    const size_t length = strlen(top);
    if (strncmp(path, top, length) != 0)
        return 0;
    *name = path + length;
    return path[length + strcspn(*name, "/")] == '/' ? strcspn(*name, "/") : 0;
}

/* "quickstart.smoke", the one folder of results/; every member is where `stillpoint archive` puts some. */
static sp_status find_name(const char *path, const sp_archive *a, char **out, sp_error *error)
{
    const char *found = NULL, *name = "";
    size_t length = 0;
    for (size_t i = 0; i < a->members; i++)
        if (length == 0 && (length = name_below(a->member[i].path, "results/", &name)) > 0)
            found = name;
    if (!found)
        return sp_fail(error, SP_EDATA, "%s: no tables in it: it has no member below results/NAME", path);
    for (size_t i = 0; i < a->members; i++) {
        const char *member = a->member[i].path;
        const bool results = name_below(member, "results/", &name) == length, plots =
                   !results && name_below(member, "plots/", &name) == length;
        if (strncmp(member, "experiments/", strlen("experiments/")) != 0 &&
            !((results || plots) && strncmp(name, found, length) == 0))
            return sp_fail(error, SP_EDATA, "%s: %s: not of the experiment %.*s", path, member, (int)length, found);
    }
    *out = sp_format("%.*s", (int)length, found);
    return *out ? SP_OK : sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
}

static sp_status need(const char *path, const sp_archive *a, const char *member, sp_error *error)
{
    for (size_t i = 0; i < a->members; i++)
        if (strcmp(a->member[i].path, member) == 0)
            return SP_OK;
    return sp_fail(error, SP_EDATA, "%s: %s: missing", path, member);
}

sp_status sp_unpack(const char *path, sp_unpacked *u, sp_error *error)
{
    sp_status status = SP_OK;
    sp_archive a = { 0 };
    char *name = NULL, *plain = NULL, *member = NULL; /* plain: without the scale */
    *u = (sp_unpacked){ 0 };
    SP_TRY(sp_archive_read(path, &a, error));
    SP_TRY(find_name(path, &a, &name, error));
    const int base = (int)strcspn(name, ".");
    u->scale = sp_copy_text(name[base] ? name + base + 1 : "default");
    plain = sp_format("%.*s", base, name);
    member = sp_format("experiments/%.*s.lua", base, name);
    if (!u->scale || !plain || !member)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    SP_TRY(need(path, &a, member, error));
    SP_TRY(sp_temporary_make(plain, "where archives are unpacked", &u->folder, error));
    u->script = sp_format("%s/%s", u->folder, member);
    u->tables = sp_format("%s/results/%s", u->folder, name);
    u->plots = sp_format("%s/plots/%s", u->folder, name);
    if (!u->script || !u->tables || !u->plots)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    SP_TRY(sp_archive_unpack(&a, u->folder, error));
cleanup:
    sp_archive_free(&a);
    free(member);
    free(plain);
    free(name);
    return status;
}

void sp_unpacked_close(sp_unpacked *u)
{
    sp_temporary_remove(u->folder);
    free(u->folder);
    free(u->script);
    free(u->tables);
    free(u->plots);
    free(u->scale);
    *u = (sp_unpacked){ 0 };
}
