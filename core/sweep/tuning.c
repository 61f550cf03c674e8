/* tuning.c -- parameters chosen from grids; see tuning.h. */
#include "core/sweep/tuning.h"

#include "core/store/grids.h"
#include "core/sweep/selection.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- choosing ---------------------------------------------------------------------------------------------- */

/* The number after "KEY=" in "eta=0.5:theory steps=100:user". */
static bool find_resolved(const char *resolved, const char *key, double *out)
{
    const size_t length = strlen(key);
    for (const char *at = resolved; at && *at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
        if (strncmp(at, key, length) == 0 && at[length] == '=') {
            char number[SP_NUMBER_SIZE];
            snprintf(number, sizeof number, "%.*s", (int)strcspn(at + length + 1, ": "), at + length + 1);
            return sp_read_number(number, out);
        }
    return false;
}

/* What the algorithm derives on each member. *ready = false while a base run is missing, or when there is nothing to
 * multiply: then the cells are skipped. */
static sp_status derive(sp_plan *plan, sp_tuning *t, sp_store *store, bool *ready, sp_error *error)
{
    sp_status status = SP_OK;
    for (size_t m = 0; m < t->members; m++) {
        const sp_cell *base = &plan->base[t->base + m];
        char reason[256];
        sp_result result;
        status = sp_store_get(store, base, base->first, &result, error);
        *ready = status == SP_OK && result.status != SP_EREFERENCE; /* then it has not been tried yet */
        if (status == SP_OK && !*ready)
            sp_result_free(&result);
        if (status == SP_EABSENT || (status == SP_OK && !*ready))
            return SP_OK;
        SP_TRY(status);
        for (size_t k = 0; k < t->keys && *ready; k++) {
            sp_tuned_key *key = &t->member[m].key[k];
            if (key->times && !(find_resolved(result.resolved, key->key, &key->derived) && isfinite(key->derived))) {
                snprintf(reason, sizeof reason, "tuning: %s did not say which %s it derives", base->label, key->key);
                *ready = false;
            }
        }
        sp_result_free(&result);
        if (!*ready)
            return sp_tuning_skip(plan, t, reason, error);
    }
cleanup:
    return status;
}

/* Trials whose grid has factors on what the algorithm derives: once that is known. */
static sp_status resolve_trials(sp_plan *plan, sp_tuning *t, sp_store *store, sp_error *error)
{
    sp_status status = SP_OK;
    bool ready = true;
    SP_TRY(derive(plan, t, store, &ready, error));
    for (size_t m = 0; m < t->members && ready; m++)
        for (size_t g = 0; g < t->points; g++)
            SP_TRY(sp_tuning_resolve_trial(plan, t, m, g, error));
cleanup:
    return status;
}

static sp_status choose_winner(sp_plan *plan, sp_tuning *t, sp_store *store, sp_error *error)
{
    sp_status status = SP_OK;
    sp_tuning_scores scores;
    SP_TRY(sp_tuning_read(plan, t, store, &scores, error));
    t->winner = scores.winner;
    t->known = scores.complete && scores.winner < t->points;
    if (scores.complete && !t->known)
        status = sp_tuning_skip(plan, t, "tuning: every grid point failed or diverged", error);
    sp_tuning_scores_free(&scores);
cleanup:
    return status;
}

void sp_tuning_forget(sp_plan *plan)
{
    for (size_t i = 0; i < plan->tunings; i++)
        sp_tuning_unskip(plan, &plan->tuning[i]);
}

/* The trials of all grids that have factors. */
static sp_status derive_trials(sp_plan *plan, sp_store *store, sp_error *error)
{
    sp_status status = SP_OK;
    sp_tuning_forget(plan);
    for (size_t i = 0; i < plan->tunings; i++) {
        sp_tuning *t = &plan->tuning[i];
        if (!t->lender && t->derives && !plan->cell[t->cell].skip)
            SP_TRY(resolve_trials(plan, t, store, error));
    }
cleanup:
    return status;
}

sp_status sp_tuning_choose(sp_plan *plan, sp_store *store, sp_error *error)
{
    sp_status status = SP_OK;
    SP_TRY(derive_trials(plan, store, error));
    for (size_t i = 0; i < plan->tunings; i++) {
        sp_tuning *t = &plan->tuning[i];
        if (!t->lender && !plan->cell[t->cell].skip)
            SP_TRY(choose_winner(plan, t, store, error));
    }
    for (size_t i = 0; i < plan->tunings; i++) {
        sp_tuning *t = &plan->tuning[i], *grid = &plan->tuning[t->from];
        const char *no_winner = plan->cell[grid->cell].skip;
        if (no_winner && !plan->cell[t->cell].skip)
            SP_TRY(sp_tuning_skip(plan, t, no_winner, error));
        for (size_t m = 0; m < t->members; m++)
            if (grid->known)
                SP_TRY(sp_tuning_resolve_cell(plan, t, m, error));
            else
                plan->cell[t->cell + m].pending = true; /* also when another winner was known before */
    }
cleanup:
    return status;
}

/* --- stages ------------------------------------------------------------------------------------------------ */

typedef enum { BASE, GRID, EVALUATION, STAGES } stage;

static sp_plan stage_of(const sp_plan *plan, stage s)
{
    sp_plan part = *plan;
    if (s != EVALUATION) {
        part.cell = s == BASE ? plan->base : plan->trial;
        part.cells = s == BASE ? plan->bases : plan->trials;
    }
    part.runs = sp_runs_of(part.cell, part.cells);
    return part;
}

static void add_summary(sp_run_summary *sum, const sp_run_summary *part)
{
    sum->planned += part->planned;
    sum->present += part->present;
    sum->done += part->done;
    sum->failed += part->failed;
    sum->remaining += part->remaining;
    sum->stale += part->stale;
    sum->skipped = part->skipped; /* of the last stage: cells of the plan */
    sum->interrupted = sum->interrupted || part->interrupted;
}

sp_status sp_run_stages(sp_plan *plan, sp_store *store, const sp_run_options *options, sp_run_summary *summary,
                        sp_error *error)
{
    sp_status status = SP_OK;
    bool stop = false;
    *summary = (sp_run_summary){ 0 };
    sp_tuning_forget(plan);
    for (stage s = BASE; s < STAGES; s++) {
        if (s == GRID && !stop) /* trials that failed before may succeed now: none of them is skipped for that */
            SP_TRY(derive_trials(plan, store, error));
        if (s == EVALUATION && !stop && plan->tunings > 0)
            SP_TRY(sp_tuning_choose(plan, store, error));
        const sp_plan part = stage_of(plan, s);
        sp_run_summary done = { .planned = part.runs, .remaining = part.runs };
        sp_run_options with = *options;
        with.again = options->again && s == EVALUATION;
        if (!stop && part.cells > 0)
            status = sp_run_plan(&part, store, &with, &done, error);
        add_summary(summary, &done);
        stop = stop || status != SP_OK || (options->fail_fast && done.failed > 0);
        if (status != SP_OK && status != SP_EINTERRUPTED)
            goto cleanup;
    }
    if (status == SP_EINTERRUPTED) /* with the stages that were not reached */
        sp_fail(error, status, "interrupted: %zu runs are left%s", summary->remaining,
                options->again ? ", as they were before" : "; the same command goes on from here");
cleanup:
    return status;
}
