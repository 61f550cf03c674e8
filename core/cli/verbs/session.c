/* session.c -- see session.h. */
#include "core/cli/verbs/session.h"

#include "core/store/export.h"
#include "core/sweep/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        if (!entry || again || count == sizeof tried / sizeof *tried || sp_catalogue_present(entry, NULL) == SP_OK)
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

sp_status sp_session_open(const char *path, const sp_common *common, bool fetch, sp_session *session, sp_error *error)
{
    sp_status status = SP_OK;
    *session = (sp_session){ 0 };
    SP_TRY(sp_plan_load(path, common->scale, &session->plan, error));
    if (fetch && fetch_absent(&session->plan, common->quiet)) {
        sp_plan_free(&session->plan);
        session->plan = (sp_plan){ 0 };
        SP_TRY(sp_plan_load(path, common->scale, &session->plan, error));
    }
    session->results = sp_plan_directory(&session->plan, common->root, "results");
    session->plots = sp_plan_directory(&session->plan, common->root, "plots");
    if (!session->results || !session->plots)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
cleanup:
    if (status != SP_OK)
        sp_session_close(session);
    return status;
}

sp_status sp_session_store(sp_session *session, bool write, sp_error *error)
{
    sp_status status = SP_OK;
    if (write) {
        SP_TRY(sp_make_directory(session->results, error));
        SP_TRY(sp_store_open(session->results, &session->store, error));
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

sp_status sp_session_find_run(const sp_session *session, const char *text, const sp_cell **cell, size_t *replicate,
                              sp_error *error)
{
    const sp_plan *plan = &session->plan;
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
    if (found == 0)
        return sp_fail(error, SP_EINVAL, "%s has no run %s (the first column of runs.tsv names them)", plan->path,
                       text);
    if (found > 1)
        return sp_fail(error, SP_EINVAL, "%s: %zu runs start with %s; give more of the name", plan->path, found, text);
    return SP_OK;
}

void sp_session_close(sp_session *session)
{
    sp_store_close(session->store);
    sp_plan_free(&session->plan);
    free(session->results);
    free(session->plots);
    *session = (sp_session){ 0 };
}
