/* plan.c -- `plan`: what `run` would do, without doing it; `status`: what has been done. */
#include "core/runner/verbs/session.h"

#include "core/runner/workers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    sp_common common;
    const char *experiment;
    bool plain;
} arguments;

static const struct argp_option options[] = {
    { "plain", 'p', NULL, 0, "Tab-separated lines, for scripts", 0 },
    { 0 }
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        return 0;
    case 'p':
        a->plain = true;
        return 0;
    case ARGP_KEY_ARG:
        if (a->experiment)
            argp_error(state, "one experiment at a time");
        a->experiment = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which experiment?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = { { &sp_common_argp, 0, NULL, 0 }, { 0 } };

/* Does this axis take more than one value within the cell's sweep? Those are the ones worth printing. */
static bool varies(const sp_plan *plan, const sp_cell *cell, const char *key)
{
    const char *mine = sp_cell_axis(cell, key);
    for (size_t i = 0; i < plan->cells; i++) {
        if (strcmp(plan->cell[i].sweep, cell->sweep) != 0)
            continue;
        const char *other = sp_cell_axis(&plan->cell[i], key);
        if (!other || strcmp(mine, other) != 0)
            return true;
    }
    return false;
}

static void print_axes(const sp_plan *plan, const sp_cell *cell, bool all)
{
    for (size_t i = 0; i < cell->axes; i++)
        if (strcmp(cell->axis[i].key, "algorithm") != 0 && (all || varies(plan, cell, cell->axis[i].key)))
            printf(" %s=%s", cell->axis[i].key, cell->axis[i].value);
}

/* Mean seconds of the stored runs with this cell's label, 0 when there is none. */
static double mean_seconds(const sp_plan *plan, sp_store *store, const sp_cell *cell)
{
    double sum = 0.0;
    size_t count = 0;
    for (size_t i = 0; store && i < plan->cells; i++) {
        const sp_cell *other = &plan->cell[i];
        if (other->skip || strcmp(other->label, cell->label) != 0 || strcmp(other->sweep, cell->sweep) != 0)
            continue;
        for (size_t r = 0; r < other->replicates; r++) {
            sp_result result = { 0 };
            if (sp_store_get(store, other, r, &result, NULL) == SP_OK && result.status == SP_OK) {
                sum += result.elapsed;
                count++;
            }
            sp_result_free(&result);
        }
    }
    return count > 0 ? sum / (double)count : 0.0;
}

typedef struct {
    size_t runs, done, failed, stale, missing;
    double seconds; /* estimated for what is left */
    size_t unknown; /* runs left whose label has no stored run */
} tally;

/* Counts the runs of one cell. */
static sp_status count_cell(const sp_plan *plan, sp_store *store, const sp_cell *cell, tally *t, sp_text *why,
                            sp_error *error)
{
    sp_status status = SP_OK;
    const size_t left_before = t->missing + t->stale;
    for (size_t r = 0; r < cell->replicates; r++) {
        sp_run_state state = SP_RUN_MISSING;
        if (store)
            SP_TRY(sp_store_state(store, cell, r, &state, why && why->length == 0 ? why : NULL, error));
        t->runs++;
        t->done += state == SP_RUN_DONE;
        t->failed += state == SP_RUN_FAILED;
        t->stale += state == SP_RUN_STALE;
        t->missing += state == SP_RUN_MISSING;
    }
    const size_t left = t->missing + t->stale - left_before;
    if (left > 0) {
        const double mean = mean_seconds(plan, store, cell);
        t->seconds += mean * (double)left;
        t->unknown += mean > 0.0 ? 0 : left;
    }
cleanup:
    return status;
}

static int run_plan_verb(int argc, char **argv)
{
    static const struct argp argp = { options, parse, "EXPERIMENT.lua",
                                      "What `run` would do: the cells, which are skipped and why, how many runs are left and "
                                      "about how long they take (from stored runs of the same method). Runs nothing.",
                                      children, NULL, NULL };
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    tally total = { 0 };
    size_t skipped = 0;
    arguments a = { .common = { .root = ".", .scale = "default" } };
    sp_parse(&argp, argc, argv, &a);

    SP_TRY(sp_session_open(a.experiment, &a.common, false, &session, &error));
    status = sp_session_store(&session, false, &error);
    if (status != SP_OK && status != SP_EABSENT)
        goto cleanup;
    status = SP_OK;
    if (!a.plain && session.plan.question)
        printf("%s\n", session.plan.question);
    for (size_t i = 0; i < session.plan.cells; i++) {
        const sp_cell *cell = &session.plan.cell[i];
        if (a.plain) {
            printf("%zu\t%s\t%s\t%zu\t%s\t", cell->index, cell->sweep, cell->label, cell->replicates,
                   cell->skip ? cell->skip : "-");
            print_axes(&session.plan, cell, true);
            putchar('\n');
        } else {
            printf("%4zu  %s/%s x %zu ", cell->index + 1, cell->sweep, cell->label, cell->replicates);
            print_axes(&session.plan, cell, false);
            if (cell->skip)
                printf("  SKIPPED: %s", cell->skip);
            putchar('\n');
        }
        if (cell->skip)
            skipped++;
        else
            SP_TRY(count_cell(&session.plan, session.store, cell, &total, NULL, &error));
    }
    if (!a.plain) {
        printf("%zu cells, %zu skipped; %zu runs: %zu done, %zu failed, %zu stale, %zu to do\n", session.plan.cells, skipped,
               total.runs, total.done, total.failed, total.stale, total.missing);
        if (total.unknown > 0)
            printf("estimate: %zu runs have no stored run of their method to judge by (try --scale smoke first)\n",
                   total.unknown);
        if (total.seconds > 0.0)
            printf("estimate: %.3g processor seconds for the others\n", total.seconds);
    }
cleanup:
    sp_session_close(&session);
    return status == SP_OK ? SP_EXIT_OK : sp_complain(&error, SP_EXIT_USAGE);
}

static int run_status(int argc, char **argv)
{
    static const struct argp argp = { options, parse, "EXPERIMENT.lua",
                                      "How far an experiment is: runs done, failed, stale (and what changed) and missing, a "
                                      "line a method.\vExit code 0 when every run is done.",
                                      children, NULL, NULL };
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    sp_text why = { 0 };
    size_t left = 0;
    arguments a = { .common = { .root = ".", .scale = "default" } };
    sp_parse(&argp, argc, argv, &a);

    SP_TRY(sp_session_open(a.experiment, &a.common, false, &session, &error));
    status = sp_session_store(&session, false, &error);
    if (status != SP_OK && status != SP_EABSENT)
        goto cleanup;
    status = SP_OK;
    if (a.plain)
        puts("sweep\tlabel\truns\tdone\tfailed\tstale\tmissing\tskipped_cells");
    else
        printf("%-32s %6s %6s %6s %6s %7s  %s\n", "method", "runs", "done", "failed", "stale", "missing", "skipped cells");
    for (size_t i = 0; i < session.plan.cells; i++) {
        const sp_cell *first = &session.plan.cell[i];
        bool seen = false; /* one line a (sweep, label), at its first cell */
        for (size_t k = 0; k < i && !seen; k++)
            seen = strcmp(session.plan.cell[k].sweep, first->sweep) == 0 &&
                   strcmp(session.plan.cell[k].label, first->label) == 0;
        if (seen)
            continue;
        tally t = { 0 };
        size_t skipped = 0;
        sp_text_free(&why);
        for (size_t k = i; k < session.plan.cells; k++) {
            const sp_cell *cell = &session.plan.cell[k];
            if (strcmp(cell->sweep, first->sweep) != 0 || strcmp(cell->label, first->label) != 0)
                continue;
            if (cell->skip)
                skipped++;
            else
                SP_TRY(count_cell(&session.plan, session.store, cell, &t, &why, &error));
        }
        left += t.failed + t.stale + t.missing;
        if (a.plain) {
            printf("%s\t%s\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\n", first->sweep, first->label, t.runs, t.done, t.failed, t.stale,
                   t.missing, skipped);
        } else {
            char name[128];
            snprintf(name, sizeof name, "%s/%s", first->sweep, first->label);
            printf("%-32s %6zu %6zu %6zu %6zu %7zu  %zu%s%s%s\n", name, t.runs, t.done, t.failed, t.stale, t.missing, skipped,
                   why.length ? "  (" : "", why.length ? why.data : "", why.length ? ")" : "");
        }
    }
cleanup:
    sp_text_free(&why);
    sp_session_close(&session);
    if (status != SP_OK)
        return sp_complain(&error, SP_EXIT_USAGE);
    return left == 0 ? SP_EXIT_OK : SP_EXIT_FAILED;
}

const sp_verb sp_verb_plan = { "plan", "what run would do: cells, skips, estimate", run_plan_verb };
const sp_verb sp_verb_status = { "status", "how far an experiment is", run_status };
