/* grids.c -- see grids.h. */
#include "core/store/grids.h"

#include "core/base/memory.h"
#include "core/lua/values.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

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
        const bool there = !cell->pending && sp_store_measured(store, cell, replicate, cell->measure[0]);
        const sp_status status = there ? sp_store_get(store, cell, replicate, &result, error) : SP_EABSENT;
        if (status == SP_EABSENT) {
            out->complete = false;
            loss[r] = NAN;
            continue;
        }
        if (status != SP_OK)
            return status;
        if (result.status == SP_EREFERENCE) { /* it has not been tried yet */
            sp_result_free(&result);
            out->complete = false;
            loss[r] = NAN;
            continue;
        }
        const double value = sign * result.value[0];
        loss[r] = result.status == SP_OK && !result.diverged && !isnan(value) ? value : INFINITY;
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
