/* sealed.c -- see sealed.h. */
#include "core/session/sealed.h"

#include "core/base/derived.h"
#include "core/base/memory.h"
#include "core/base/packed.h"
#include "core/lua/host.h"
#include "core/lua/script_hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* SP_EVERSION for tables without a SEAL. */
static sp_status need_seal(const char *folder, sp_error *error)
{
    sp_seal seal = { 0 };
    sp_status status = sp_seal_read(folder, &seal, error);
    if (status == SP_OK && seal.format == 0) {
        const char *slash = strrchr(folder, '/'), *name = slash ? slash + 1 : folder;
        status = sp_fail(error, SP_EVERSION, "%s: tables of format 0, without a %s, so that nothing shows whether they were "
                         "changed: `stillpoint verify --seal %.*s` brings them to format %d", folder, sp_seal_file,
                         (int)strcspn(name, "."), name, SP_SEAL_FORMAT);
    }
    sp_seal_free(&seal);
    return status;
}

bool sp_warn_unsealed(const char *folder)
{
    sp_error error = { 0 };
    const bool unsealed = need_seal(folder, &error) == SP_EVERSION;
    if (unsealed)
        fprintf(stderr, "warning: %s\n", error.text);
    return unsealed;
}

sp_status sp_need_sealed(const char *folder, const char *plots, sp_error *error)
{
    sp_status status = need_seal(folder, error);
    if (status == SP_OK)
        status = sp_seal_check(folder, error);
    if (status == SP_OK)
        status = sp_derived_check(folder, plots, error);
    return status;
}

static sp_status other_text(const char *folder, const char *script, const char *file, sp_error *error)
{
    return sp_fail(error, SP_EDATA, "%s: its tables were written for another text of %s: `stillpoint export %s` writes them "
                   "for the current text, without a run", folder, file, script);
}

sp_status sp_need_script(const char *folder, const sp_plan *plan, sp_error *error)
{
    sp_status status = SP_OK;
    sp_seal seal = { 0 };
    const char *path, *bytes;
    size_t size, files = 0;
    char hash[SP_HASH_HEX];
    SP_TRY(sp_seal_read(folder, &seal, error));
    for (; seal.format > 0 && plan->lua && sp_lua_file(plan->lua, files, &path, &bytes, &size); files++) {
        const char *known = files == 0 ? seal.script.hash : files <= seal.includes ? seal.include[files - 1].hash : "";
        sp_script_hash(bytes, size, hash);
        if (strcmp(hash, known) != 0)
            SP_TRY(other_text(folder, plan->path, files == 0 ? plan->path : path, error));
    }
    if (files > 0 && files != seal.includes + 1)
        SP_TRY(other_text(folder, plan->path, plan->path, error));
cleanup:
    sp_seal_free(&seal);
    return status;
}

/* Has the file the tokens that a SEAL says? A file that is not there passes. `script`: of the experiment, for the message. */
static sp_status need_text(const char *folder, const char *script, const char *path, const char *known, sp_error *error)
{
    sp_text text = { 0 };
    char hash[SP_HASH_HEX];
    if (access(path, F_OK) != 0)
        return SP_OK;
    sp_status status = sp_packed_text(path, &text, error);
    if (status == SP_OK) {
        sp_script_hash(text.data ? text.data : "", text.length, hash);
        if (strcmp(hash, known) != 0)
            status = other_text(folder, script, path, error);
    }
    sp_text_free(&text);
    return status;
}

sp_status sp_need_its_script(const char *folder, sp_error *error)
{
    sp_status status = SP_OK;
    sp_seal seal = { 0 };
    char *root = NULL, *path = NULL, *include = NULL;
    SP_TRY(sp_seal_read(folder, &seal, error));
    if (seal.format == 0 || !(root = sp_seal_root(folder)))
        goto cleanup;
    if (!(path = sp_format("%s/%s", root, seal.script.name)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", folder));
    SP_TRY(need_text(folder, seal.script.name, path, seal.script.hash, error));
    const int to_folder = (int)(strrchr(path, '/') - path);
    for (size_t i = 0; i < seal.includes && access(path, F_OK) == 0; i++) { /* named from the folder of the script on */
        free(include);
        if (!(include = sp_format("%.*s/%s", to_folder, path, seal.include[i].name)))
            SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", folder));
        SP_TRY(need_text(folder, seal.script.name, include, seal.include[i].hash, error));
    }
cleanup:
    free(include);
    sp_seal_free(&seal);
    free(root);
    free(path);
    return status;
}
