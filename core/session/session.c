/* session.c -- see session.h. */
#include "core/session/session.h"

#include "core/session/home.h"
#include "core/session/plan_limit.h"
#include "core/base/memory.h"
#include "core/base/seal.h"
#include "core/rates/seeds.h"
#include "core/figures/figures.h"
#include "core/lua/host.h"
#include "core/lua/script_hash.h"
#include "core/export/export.h"
#include "core/export/keep.h"
#include "core/sweep/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

sp_status sp_picked_make(int argc, sp_picked *picked, sp_error *error)
{
    picked->only.word = sp_alloc((size_t)argc, sizeof *picked->only.word);
    picked->where.word = sp_alloc((size_t)argc, sizeof *picked->where.word);
    return picked->only.word && picked->where.word ? SP_OK : sp_fail(error, SP_ENOMEM, "command line: out of memory");
}

void sp_picked_free(sp_picked *picked)
{
    free(picked->only.word);
    free(picked->where.word);
}

static void to_stderr(const char *line)
{
    fprintf(stderr, "%s\n", line);
}

/* Fetches every catalogue data set that a cell names and that is not here; true when one has arrived. */
static bool fetch_absent(const sp_plan *plan, bool quiet)
{
    bool arrived = false;
    const sp_catalogue_entry *tried[64];
    size_t count = 0;
    for (size_t i = 0; i < plan->cells; i++) {
        const sp_catalogue_entry *entry = plan->cell[i].problem->entry;
        bool again = false;
        for (size_t k = 0; k < count; k++)
            again = again || tried[k] == entry;
        if (!entry || plan->cell[i].left_out || again || count == sizeof tried / sizeof *tried ||
            sp_catalogue_present(entry, NULL) == SP_OK)
            continue;
        tried[count++] = entry;
        sp_error error = { 0 };
        if (sp_catalogue_fetch(entry, quiet ? NULL : to_stderr, &error) == SP_OK)
            arrived = true;
        else
            fprintf(stderr, "stillpoint: %s\n", error.text);
    }
    return arrived;
}

/* The plan, the cells that are not picked left out. */
static sp_status load(const sp_session *session, const char *path, const char *scale, sp_plan *plan, sp_error *error)
{
    const sp_picked *picked = session->picked;
    *plan = (sp_plan){ 0 };
    sp_status status = sp_plan_load_within(path, scale, plan, error);
    if (status == SP_OK && plan->apart) /* its programs may not look into this process and its workers */
        prctl(PR_SET_DUMPABLE, 0);
    if (status == SP_OK && picked && picked->only.count + picked->where.count > 0)
        status = sp_plan_select(plan, &(sp_selector){ picked->only.word, picked->where.word, picked->only.count,
                                                      picked->where.count }, error);
    return status;
}

sp_status sp_session_open(const char *path, const sp_common *common, const sp_picked *picked, bool fetch,
                          sp_session *session, sp_error *error)
{
    sp_status status = SP_OK;
    *session = (sp_session){ .picked = picked, .discard = common->discard };
    SP_TRY(load(session, path, common->scale, &session->plan, error));
    if (fetch && fetch_absent(&session->plan, common->quiet)) {
        sp_plan_free(&session->plan);
        SP_TRY(load(session, path, common->scale, &session->plan, error));
    }
    session->results = sp_plan_directory(&session->plan, common->root, "results");
    session->plots = sp_plan_directory(&session->plan, common->root, "plots");
    session->tables = session->results ? sp_seeds_folder(session->results, 1) : NULL;
    if (!session->results || !session->plots || !session->tables)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
cleanup:
    if (status != SP_OK)
        sp_session_close(session);
    return status;
}

void sp_session_say_guesses(const sp_session *session, const sp_common *common)
{
    if (!common->quiet && session->plan.notes)
        fputs(session->plan.notes, stderr);
}

/* How many runs of the session's seed have such a name; one of them. */
static size_t count_runs(const sp_plan *plan, const char *text, const sp_cell **cell, size_t *replicate)
{
    const struct { const sp_cell *cell; size_t cells; } list[] = { { plan->cell, plan->cells },
                                                                   { plan->base, plan->bases },
                                                                   { plan->trial, plan->trials } };
    char name[SP_RUN_NAME], before[SP_RUN_NAME] = "";
    size_t found = 0;
    for (size_t l = 0; l < sizeof list / sizeof *list; l++)
        for (size_t i = 0; i < list[l].cells; i++) {
            const sp_cell *c = &list[l].cell[i];
            for (size_t r = c->first; !c->pending && r < c->first + c->replicates; r++) {
                sp_run_name(c, r, name);
                if (strncmp(name, text, strlen(text)) != 0 || (found > 0 && strcmp(name, before) == 0))
                    continue;
                memcpy(before, name, sizeof before);
                found++;
                *cell = c;
                *replicate = r;
            }
        }
    return found;
}

void sp_session_print_damages(const sp_session *session, const sp_damages *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const sp_damage *d = &list->item[i];
        const sp_cell *cell = NULL;
        size_t replicate = 0;
        fputs("  ", stderr);
        if (d->run[0])
            fprintf(stderr, "run %s", d->run);
        if (d->run[0] && count_runs(&session->plan, d->run, &cell, &replicate) > 0)
            fprintf(stderr, " (%s/%s, replicate %zu)", cell->sweep, cell->label, replicate);
        fprintf(stderr, "%s%s\n", d->run[0] ? ": " : "", d->what);
    }
}

static void say_healed(const sp_session *session)
{
    const char *aside = NULL;
    const sp_damages *healed = sp_store_healed(session->store, &aside);
    if (healed->count > 0)
        fprintf(stderr, "%s: the store was damaged, and was rewritten without the damaged rows; the old file is %s:\n",
                session->results, aside);
    sp_session_print_damages(session, healed);
}

sp_status sp_session_store(sp_session *session, bool write, sp_error *error)
{
    sp_status status = SP_OK;
    if (write) {
        SP_TRY(sp_make_directory(session->results, error));
        SP_TRY(sp_store_open(session->results, &session->store, error));
        say_healed(session);
    } else {
        SP_TRY(sp_store_open_readonly(session->results, &session->store, error));
    }
    SP_TRY(sp_tuning_choose(&session->plan, session->store, error));
cleanup:
    return status;
}

sp_status sp_session_store_if_any(sp_session *session, sp_error *error)
{
    const sp_status status = sp_session_store(session, false, error);
    return status == SP_EABSENT ? SP_OK : status;
}

/* Is the script that the tables were made by another file than that of the plan, and still there? */
static bool is_other(const char *root, const char *recorded, const char *own)
{
    char *path = sp_format("%s/%s", root, recorded);
    const bool other = path && strcmp(recorded, own) != 0 && access(path, F_OK) == 0;
    free(path);
    return other;
}

sp_status sp_session_own(const sp_session *session, sp_error *error)
{
    sp_seal seal = { 0 };
    const char *path, *bytes;
    size_t size;
    char hash[SP_HASH_HEX] = "";
    const sp_status status = sp_seal_read(session->results, &seal, NULL);
    char *root = sp_seal_root(session->results), *own = sp_seal_path(session->results, session->plan.path);
    if (session->plan.lua && sp_lua_file(session->plan.lua, 0, &path, &bytes, &size))
        sp_script_hash(bytes, size, hash);
    const bool other = status == SP_OK && seal.format > 0 && root && own && *hash &&
                       strcmp(seal.script.hash, hash) != 0 && is_other(root, seal.script.name, own);
    if (other)
        sp_fail(error, SP_EINVAL, "%s: its tables are of %s, not of %s: give one of the experiments another name, or use "
                "another --root (if the script has moved, remove the old one)", session->results, seal.script.name, own);
    sp_seal_free(&seal);
    free(root);
    free(own);
    return other ? SP_EINVAL : SP_OK;
}

static void say_imported(const sp_session *s, const sp_imported_runs *b)
{
    const size_t added = b->of[SP_BROUGHT_NEW];
    if (added == 0)
        return;
    fprintf(stderr, "%s: %zu run%s of its tables imported into the store", s->tables, added, added == 1 ? "" : "s");
    if (b->stale + b->unknown > 0)
        fprintf(stderr, "; other sources or libraries, or unknown ones, made %zu of them: `run` makes these again where it "
                "is asked for them", b->stale + b->unknown);
    fputc('\n', stderr);
}

sp_status sp_session_keep(sp_session *session, bool quiet, sp_error *error)
{
    sp_keeping kept;
    sp_error damaged = { 0 };
    sp_status status = sp_session_own(session, error);
    if (status != SP_OK)
        return status;
    status = sp_keep_tables(&session->plan, session->store, session->tables, session->discard, &kept,
                                            &damaged, error);
    if (status == SP_OK && damaged.text[0])
        fprintf(stderr, "%s: the tables are discarded: %s\n", session->tables, damaged.text);
    if (status == SP_OK && kept.discarded > 0)
        fprintf(stderr, "%s: %zu rows discarded: %s does not ask for their runs\n", session->tables, kept.discarded,
                session->plan.path);
    if (status == SP_OK && !quiet)
        say_imported(session, &kept.brought);
    return status;
}

sp_status sp_session_export(sp_session *session, bool *same, sp_error *error)
{
    return (session->discard ? sp_export_discarding : sp_export)(&session->plan, session->store, session->tables, same,
                                                                 error);
}

/* The script, and what it reads. */
static bool same_experiment(const sp_plan *a, const sp_plan *b)
{
    bool same = strcmp(a->script, b->script) == 0 && a->cells == b->cells;
    for (size_t i = 0; same && i < a->cells; i++) {
        const sp_problem_spec *one = a->cell[i].problem, *other = b->cell[i].problem;
        same = strcmp(one->fingerprint, other->fingerprint) == 0;
    }
    return same;
}

sp_status sp_session_seed(sp_session *session, size_t number, sp_error *error)
{
    sp_status status = SP_OK;
    sp_plan plan = { 0 };
    const char *path = session->plan.path;
    char *tables = sp_seeds_folder(session->results, number);
    if (!tables)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    SP_TRY(load(session, path, session->plan.scale, &plan, error));
    if (!same_experiment(&plan, &session->plan))
        SP_TRY(sp_fail(error, SP_EINVAL, "%s: it has changed, or a file that it reads, since its first seed: run it "
                       "again", path));
    sp_plan_seed(&plan, number);
    if (session->store)
        SP_TRY(sp_tuning_choose(&plan, session->store, error));
    sp_plan_free(&session->plan);
    free(session->tables);
    session->plan = plan;
    session->tables = tables;
cleanup:
    if (status != SP_OK) {
        sp_plan_free(&plan);
        free(tables);
    }
    return status;
}

/* Was `run --seeds` there? */
static bool seed_was_run(const sp_session *session, size_t number)
{
    char *folder = sp_seeds_folder(session->results, number);
    const bool there = folder && access(folder, F_OK) == 0;
    free(folder);
    return there;
}

sp_status sp_session_find_run(sp_session *session, const char *text, const sp_cell **cell, size_t *replicate,
                              sp_error *error)
{
    sp_status status = SP_OK;
    size_t found = count_runs(&session->plan, text, cell, replicate);
    for (size_t number = 2; found == 0 && seed_was_run(session, number); number++) {
        SP_TRY(sp_session_seed(session, number, error));
        found = count_runs(&session->plan, text, cell, replicate);
    }
    if (found == 0)
        SP_TRY(sp_fail(error, SP_EINVAL, "%s has no run %s (the first column of runs.tsv names them)",
                       session->plan.path, text));
    if (found > 1)
        SP_TRY(sp_fail(error, SP_EINVAL, "%s: %zu runs start with %s; give more of the name", session->plan.path, found,
                       text));
cleanup:
    return status;
}

sp_status sp_session_plot(const sp_session *session, const char *tables, const char *plots, const char *style,
                          void (*report)(const char *line), sp_error *error)
{
    char *scripts = NULL;
    sp_status status = plots ? sp_home_path("plots", &scripts, error) : SP_OK;
    const sp_plot_paths to = { plots, scripts, style };
    if (status == SP_OK)
        status = sp_plot(&session->plan, tables, plots ? &to : NULL, report, error);
    free(scripts);
    return status;
}

void sp_session_say_damage(const sp_session *session, int *code)
{
    static const sp_damages none = { 0 };
    const sp_damages *found = session->store ? sp_store_damages(session->store) : &none;
    const size_t restored = session->store ? sp_store_restored(session->store) : 0;
    if (*code == SP_EXIT_OK && (found->count > 0 || restored > 0 || session->lost))
        *code = SP_EXIT_FAILED;
    if (restored > 0)
        fprintf(stderr, "stillpoint: %s: the store was removed, or its folder renamed, while it was written; it is there again, with "
                "all runs\n", session->results);
    if (found->count == 0)
        return;
    fprintf(stderr, "stillpoint: %s: the store is damaged; the damaged rows count as missing, and `stillpoint run` computes them again:\n",
            session->results);
    sp_session_print_damages(session, found);
}

void sp_session_close(sp_session *session)
{
    sp_store_close(session->store);
    sp_plan_free(&session->plan);
    free(session->results);
    free(session->plots);
    free(session->tables);
    *session = (sp_session){ 0 };
}
