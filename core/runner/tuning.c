/* tuning.c -- parameters chosen from grids; see tuning.h. */
#include "core/runner/tuning.h"

#include "core/base/memory.h"
#include "core/runner/tree.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- grids in the store ------------------------------------------------------------------------------------ */

static void add_cost(sp_cost *sum, const sp_cost *cost)
{
    sum->gradients += cost->gradients;
    sum->differences += cost->differences;
    sum->hessians += cost->hessians;
    sum->losses += cost->losses;
    sum->releases += cost->releases;
}

/* The loss of each replicate of a cell: the measure, or its negative where more is better; INFINITY for a failure. */
static sp_status read_cell(sp_store *store, const sp_cell *cell, double *loss, sp_tuning_scores *out, sp_error *error)
{
    const double sign = cell->measure[0]->lower_is_better ? 1.0 : -1.0;
    for (size_t r = 0; r < cell->replicates; r++) {
        sp_result result;
        const size_t replicate = cell->first + r;
        const sp_status status = cell->pending ? SP_EABSENT : sp_store_get(store, cell, replicate, &result, error);
        if (status == SP_EABSENT) {
            out->complete = false;
            loss[r] = NAN;
            continue;
        }
        if (status != SP_OK)
            return status;
        const double value = sign * result.value[0];
        loss[r] = result.status == SP_OK && !isnan(value) ? value : INFINITY;
        out->runs++;
        out->failed += result.status != SP_OK;
        add_cost(&out->cost, &result.cost);
        sp_result_free(&result);
    }
    return SP_OK;
}

/* Of the middle two when there are two; INFINITY when one of them failed. */
static double median(double *value, size_t count)
{
    gsl_sort(value, 1, count);
    return gsl_stats_median_from_sorted_data(value, 1, count);
}

/* The worst member of each grid point, the best of those. */
static sp_status judge(const sp_plan *plan, const sp_tuning *t, sp_store *store, double *loss, sp_tuning_scores *out,
                       sp_error *error)
{
    sp_status status = SP_OK;
    double best = INFINITY;
    out->winner = t->points;
    for (size_t g = 0; g < t->points; g++) {
        double worst = -INFINITY;
        for (size_t m = 0; m < t->members; m++) {
            const sp_cell *cell = &plan->trial[t->trial + m * t->points + g];
            SP_TRY(read_cell(store, cell, loss, out, error));
            const double score = median(loss, cell->replicates);
            if (score > worst) {
                worst = score;
                out->worst[g] = m;
            }
        }
        if (worst < best) {
            best = worst;
            out->winner = g;
        }
        out->median[g] = isinf(worst) ? NAN : t->measure->lower_is_better ? worst : -worst;
    }
cleanup:
    return status;
}

sp_status sp_tuning_read(const sp_plan *plan, const sp_tuning *t, sp_store *store, sp_tuning_scores *out,
                         sp_error *error)
{
    sp_status status = SP_OK;
    const size_t replicates = plan->trial[t->trial].replicates;
    double *loss = sp_alloc_doubles(replicates);
    *out = (sp_tuning_scores){ .complete = true, .median = sp_alloc_doubles(t->points),
                               .worst = sp_alloc(t->points, sizeof *out->worst) };
    if (!loss || !out->median || !out->worst) {
        status = sp_fail(error, SP_ENOMEM, "tuning: out of memory");
        goto cleanup;
    }
    for (size_t m = 0; m < t->members && t->derives; m++)
        SP_TRY(read_cell(store, &plan->base[t->base + m], loss, out, error));
    SP_TRY(judge(plan, t, store, loss, out, error));
cleanup:
    free(loss);
    if (status != SP_OK)
        sp_tuning_scores_free(out);
    return status;
}

void sp_tuning_scores_free(sp_tuning_scores *scores)
{
    free(scores->median);
    free(scores->worst);
    *scores = (sp_tuning_scores){ 0 };
}

/* --- edges ------------------------------------------------------------------------------------------------- */

/* May the parameter go beyond this value of its grid, on some member? */
static bool may_go_on(const sp_tuning *t, size_t k, double value)
{
    for (size_t m = 0; m < t->members; m++) {
        const sp_tuned_key *key = &t->member[m].key[k];
        const double there = key->times ? value * key->derived : value;
        if (there > key->param->range.low && there < key->param->range.high)
            return true;
    }
    return false;
}

static bool at_edge(const sp_tuning *t, size_t winner, size_t k)
{
    const sp_tuned_key *key = &t->member->key[k];
    const sp_node *chosen = key->value[sp_tuning_digit(t, winner, k)];
    bool below = false, above = false;
    if (chosen->kind != SP_NODE_NUMBER || key->values == 1)
        return false;
    for (size_t i = 0; i < key->values; i++) {
        below = below || key->value[i]->number < chosen->number;
        above = above || key->value[i]->number > chosen->number;
    }
    return !(below && above) && may_go_on(t, k, chosen->number);
}

void sp_tuning_edge(const sp_tuning *t, size_t winner, sp_text *out)
{
    const char *between = "";
    for (size_t k = 0; k < t->keys; k++)
        if (at_edge(t, winner, k)) {
            sp_text_append(out, "%s%s", between, t->member->key[k].key);
            between = ",";
        }
}

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
        *ready = status == SP_OK;
        if (status == SP_EABSENT)
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

static sp_status settle_trials(sp_plan *plan, sp_tuning *t, sp_store *store, sp_error *error)
{
    sp_status status = SP_OK;
    bool ready = true;
    SP_TRY(derive(plan, t, store, &ready, error));
    for (size_t m = 0; m < t->members && ready; m++)
        for (size_t g = 0; g < t->points; g++)
            SP_TRY(sp_tuning_settle_trial(plan, t, m, g, error));
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
        status = sp_tuning_skip(plan, t, "tuning: every grid point failed", error);
    sp_tuning_scores_free(&scores);
cleanup:
    return status;
}

sp_status sp_tuning_choose(sp_plan *plan, sp_store *store, sp_error *error)
{
    sp_status status = SP_OK;
    for (size_t i = 0; i < plan->tunings; i++) {
        sp_tuning *t = &plan->tuning[i];
        if (t->lender || plan->cell[t->cell].skip)
            continue;
        if (t->derives)
            SP_TRY(settle_trials(plan, t, store, error));
        if (!plan->cell[t->cell].skip)
            SP_TRY(choose_winner(plan, t, store, error));
    }
    for (size_t i = 0; i < plan->tunings; i++) {
        const sp_tuning *t = &plan->tuning[i], *grid = &plan->tuning[t->from];
        const char *no_winner = plan->cell[grid->cell].skip;
        if (no_winner && !plan->cell[t->cell].skip)
            SP_TRY(sp_tuning_skip(plan, t, no_winner, error));
        for (size_t m = 0; m < t->members && grid->known; m++)
            SP_TRY(sp_tuning_settle_cell(plan, t, m, error));
    }
cleanup:
    return status;
}

/* --- stages ------------------------------------------------------------------------------------------------ */

typedef enum { BASE, GRID, EVALUATION, STAGES } stage;

static sp_plan stage_of(const sp_plan *plan, stage s)
{
    sp_plan part = *plan;
    if (s == EVALUATION)
        return part;
    part.cell = s == BASE ? plan->base : plan->trial;
    part.cells = s == BASE ? plan->bases : plan->trials;
    part.runs = 0;
    for (size_t i = 0; i < part.cells; i++)
        part.runs += part.cell[i].skip ? 0 : part.cell[i].replicates;
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
    for (stage s = BASE; s < STAGES; s++) {
        if (s > BASE && !stop && plan->tunings > 0)
            SP_TRY(sp_tuning_choose(plan, store, error));
        const sp_plan part = stage_of(plan, s);
        sp_run_summary done = { .planned = part.runs, .remaining = part.runs };
        if (!stop && part.cells > 0)
            status = sp_run_plan(&part, store, options, &done, error);
        add_summary(summary, &done);
        stop = stop || status != SP_OK || (options->fail_fast && done.failed > 0);
        if (status != SP_OK && status != SP_EINTERRUPTED)
            goto cleanup;
    }
    if (status == SP_EINTERRUPTED) /* with the stages that were not reached */
        sp_fail(error, status, "interrupted: %zu runs are left; the same command goes on from here",
                summary->remaining);
cleanup:
    return status;
}
