/*
 * heal.c -- a store that is opened for writing holds sound rows alone.
 *
 * Where a row differs from its checksum, or SQLite cannot read a page, everything sound is written into a new file (rewrite.c),
 * which takes the place of the old one; the old one is kept aside, as store.sqlite.damaged. So the runs that are lost are
 * missing, and `run` computes them again. A store of version 6 is rewritten in the same way, and not kept.
 */
#include "core/base/memory.h"
#include "core/store/store_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- what is damaged counts as missing --------------------------------------------------------------------------------- */

sp_status sp_store_note(sp_store *store, const char *run, const char *what, sp_error *error)
{
    return sp_damages_add(&store->damages, run, what) == SP_OK
               ? SP_EABSENT : sp_fail(error, SP_ENOMEM, "%s: out of memory", store->database.path);
}

sp_status sp_store_note_run(sp_store *store, const sp_cell *cell, size_t replicate, sp_error *error)
{
    char identity[SP_HASH_HEX], name[SP_RUN_NAME];
    sp_run_identity(cell, replicate, identity);
    sp_run_name(cell, replicate, name);
    sp_stored_run *run = sp_identities_find(&store->runs, identity);
    if (run)
        sp_identities_hide(run);
    return sp_store_note(store, name, "a row of it differs from its checksum, or cannot be read", error);
}

static bool names(const sp_damages *list, const sp_stored_run *run)
{
    char name[SP_RUN_NAME];
    bool found = false;
    sp_stored_run_name(run, name);
    for (size_t k = 0; k < list->count && !found; k++)
        found = strcmp(list->item[k].run, name) == 0;
    return found;
}

void sp_store_hide_damaged(sp_store *store)
{
    for (size_t i = 0; i < store->runs.count && store->damages.count > 0; i++)
        if (names(&store->damages, &store->runs.run[i]))
            sp_identities_hide(&store->runs.run[i]);
}

void sp_store_remake_healed(sp_store *store)
{
    for (size_t i = 0; i < store->runs.count && store->healed.count > 0; i++)
        if (names(&store->healed, &store->runs.run[i]))
            store->runs.run[i].checkpoints = -1.0; /* fewer than any cell asks for: it is stale */
}

/* --- a file written anew ------------------------------------------------------------------------------------------------ */

/* store.sqlite.damaged, store.sqlite.damaged-2, ...: the first that is not there. */
static char *name_aside(const char *path)
{
    char *name = sp_format("%s.damaged", path);
    for (size_t i = 2; name && access(name, F_OK) == 0; i++) {
        free(name);
        name = sp_format("%s.damaged-%zu", path, i);
    }
    return name;
}

/* The old file is there, under one name or the other, at any time. */
static sp_status put_in_place(const char *new, const char *path, const char *aside, sp_error *error)
{
    const bool linked = !aside || link(path, aside) == 0;
    if (!linked && rename(path, aside) != 0) /* a file system without links */
        return sp_fail(error, SP_EIO, "%s: %s", aside, strerror(errno));
    return rename(new, path) == 0 ? SP_OK : sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno));
}

/* Rewrites the store without what is damaged: *lost gets the list of that, *aside the path of the old file. */
static sp_status write_anew(sp_store *store, sp_damages *lost, char **aside, sp_error *error)
{
    sp_status status = SP_OK;
    size_t runs = 0;
    const char *path = store->database.path;
    char *new = sp_format("%s.new", path);
    if (!new)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    SP_TRY(sp_database_release(&store->database, error));
    unlink(new); /* of a program that was stopped */
    for (size_t i = 0; i < store->damages.count; i++)
        if (sp_damages_add(lost, store->damages.item[i].run, store->damages.item[i].what) != SP_OK)
            SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    SP_TRY(sp_store_rewrite(path, new, lost, &runs, error));
    if (lost->count > 0 && !(*aside = name_aside(path)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    status = put_in_place(new, path, *aside, error);
cleanup:
    if (status != SP_OK && new)
        unlink(new);
    free(new);
    return status;
}

sp_status sp_store_open(const char *directory, sp_store **out, sp_error *error)
{
    sp_status status = SP_OK;
    sp_damages lost = { 0 };
    char *aside = NULL;
    SP_TRY(sp_store_open_as(directory, SP_STORE_FILE, true, true, out, error));
    if (!(*out)->database.old)
        SP_TRY(sp_store_check(*out, error));
    if (!(*out)->database.old && (*out)->damages.count == 0)
        return SP_OK;
    SP_TRY(write_anew(*out, &lost, &aside, error));
    sp_store_close(*out);
    SP_TRY(sp_store_open_as(directory, SP_STORE_FILE, true, true, out, error));
    (*out)->healed = lost;
    (*out)->aside = aside;
    return SP_OK;
cleanup:
    if (aside) /* the new file is in place and does not open */
        sp_fail_prefix(error, "the store as it was is %s", aside);
    sp_damages_free(&lost);
    free(aside);
    sp_store_close(*out);
    *out = NULL;
    return status;
}
