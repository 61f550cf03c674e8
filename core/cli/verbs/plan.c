/* plan.c -- `plan`: what `run` would do, without doing it; `status`: what has been done. */
#include "core/cli/verbs/verbs.h"
#include "core/cli/verbs/advice.h"
#include "core/cluster/task_load.h"
#include "core/cluster/tasks.h"

#include "core/base/memory.h"
#include "core/rates/seeds.h"
#include "core/store/audits.h"
#include "core/store/damage.h"
#include "core/sweep/tuning.h"
#include "core/base/clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    sp_common common;
    sp_picked picked;
    bool plain;
    uint64_t tasks;
} arguments;

static const sp_option options[] = {
    { "plain", 'p', SP_OPTION_SET, offsetof(arguments, plain), NULL, "Tab-separated lines, for scripts", 0, 0 },
    { "tasks", '\0', SP_OPTION_COUNT, offsetof(arguments, tasks), "N",
      "Instead: runs, minutes, memory and disk a task of `run --shard K/N`", 1, SP_SHARDS_MAX },
    SP_PICKED_OPTIONS(arguments, picked),
    { 0 }
};

/* --- the axes worth printing ------------------------------------------------------------------------------- */

/* Moves *at to the axis `key` of a cell, or to the first one behind where it would stand. Axes are sorted by key. */
static bool find_axis(const sp_cell *cell, sp_axis_at *at, const char *key)
{
    bool more = at->key || sp_cell_next_axis(cell, at);
    while (more && strcmp(at->key, key) < 0)
        more = sp_cell_next_axis(cell, at);
    return more && strcmp(at->key, key) == 0;
}

/* Which axes of a sweep's first cell are the same in all of its cells: one flag each. */
static bool *find_constant(const sp_plan *plan, const sp_cell *first)
{
    const size_t axes = sp_cell_axes(first);
    bool *constant = sp_alloc(axes + 1, sizeof *constant);
    for (size_t k = 0; constant && k < axes; k++)
        constant[k] = true;
    for (size_t i = first->index; constant && i < plan->cells && strcmp(plan->cell[i].sweep, first->sweep) == 0; i++) {
        sp_axis_at one = { 0 }, other = { 0 };
        for (size_t k = 0; sp_cell_next_axis(first, &one); k++) {
            const bool found = find_axis(&plan->cell[i], &other, one.key);
            constant[k] = constant[k] && found && strcmp(other.value, one.value) == 0;
        }
    }
    return constant;
}

/* Without the constant ones of `first`; with first == NULL all. */
static void print_axes(const sp_cell *cell, const sp_cell *first, const bool *constant)
{
    sp_axis_at axis = { 0 }, other = { 0 };
    size_t k = 0; /* of `other` */
    bool more = first && sp_cell_next_axis(first, &other);
    while (sp_cell_next_axis(cell, &axis)) {
        for (; more && strcmp(other.key, axis.key) < 0; k++)
            more = sp_cell_next_axis(first, &other);
        const bool dull = first && ((more && strcmp(other.key, axis.key) == 0 && constant[k]) ||
                                    strcmp(axis.key, "algorithm") == 0); /* the label says it */
        if (!dull)
            printf(" %s=%s", axis.key, axis.value);
    }
}

/* --- counting ---------------------------------------------------------------------------------------------- */

typedef struct {
    size_t runs, done, failed, stale, missing;
} tally;

/* Adds the runs of one cell, unless it is skipped or left out. */
static sp_status count_cell(sp_store *store, const sp_cell *cell, tally *t, sp_text *why, sp_error *error)
{
    sp_status status = SP_OK;
    for (size_t r = cell->first; !cell->skip && !cell->left_out && r < cell->first + cell->replicates; r++) {
        sp_run_state state = SP_RUN_MISSING;
        if (store)
            SP_TRY(sp_store_state(store, cell, r, &state, why && why->length == 0 ? why : NULL, error));
        t->runs++;
        t->done += state == SP_RUN_DONE;
        t->failed += state == SP_RUN_FAILED;
        t->stale += state == SP_RUN_STALE || state == SP_RUN_UNMEASURED;
        t->missing += state == SP_RUN_MISSING;
    }
cleanup:
    return status;
}

/* Adds the tuning runs of one point. */
static sp_status count_tuning(const sp_plan *plan, sp_store *store, const sp_tuning *t, tally *out, sp_text *why,
                              sp_error *error)
{
    sp_status status = SP_OK;
    for (size_t m = 0; m < t->members && t->derives; m++)
        SP_TRY(count_cell(store, &plan->base[t->base + m], out, why, error));
    for (size_t i = 0; i < t->members * t->points; i++)
        SP_TRY(count_cell(store, &plan->trial[t->trial + i], out, why, error));
cleanup:
    return status;
}

/* --- methods: the cells of one label of one sweep ---------------------------------------------------------- */

typedef struct methods {
    size_t *of;   /* by cell: its method, in the order of their first cells */
    size_t count;
} methods;

static int by_method(const void *a, const void *b, void *context)
{
    const sp_plan *plan = context;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const int sweep = strcmp(plan->cell[x].sweep, plan->cell[y].sweep);
    const int label = sweep ? sweep : strcmp(plan->cell[x].label, plan->cell[y].label);
    return label ? label : (x > y) - (x < y);
}

static sp_status find_methods(const sp_plan *plan, methods *out, sp_error *error)
{
    size_t *order = sp_alloc(plan->cells + 1, sizeof *order), *first = sp_alloc(plan->cells + 1, sizeof *first);
    *out = (methods){ .of = sp_alloc(plan->cells + 1, sizeof *out->of) };
    if (!order || !first || !out->of) {
        free(order);
        free(first);
        return sp_fail(error, SP_ENOMEM, "plan: out of memory");
    }
    for (size_t i = 0; i < plan->cells; i++)
        order[i] = i;
    qsort_r(order, plan->cells, sizeof *order, by_method, (void *)plan);
    for (size_t i = 0; i < plan->cells; i++) {
        const sp_cell *cell = &plan->cell[order[i]], *before = i > 0 ? &plan->cell[order[i - 1]] : NULL;
        const bool same = before && strcmp(cell->sweep, before->sweep) == 0 && strcmp(cell->label, before->label) == 0;
        first[order[i]] = same ? first[order[i - 1]] : order[i];
    }
    for (size_t i = 0; i < plan->cells; i++)
        out->of[i] = first[i] == i ? out->count++ : out->of[first[i]];
    free(order);
    free(first);
    return SP_OK;
}

/* What is known of a method's runs. */
typedef struct method_tally {
    size_t left;          /* runs to do */
    size_t timed;         /* stored ones */
    double seconds;       /* that they took together */
} method_tally;

static void add_seconds(sp_store *store, const sp_cell *cell, method_tally *t)
{
    for (size_t r = 0; store && !cell->skip && r < cell->replicates; r++) {
        sp_result result = { 0 };
        if (sp_store_get(store, cell, r, &result, NULL) == SP_OK && result.status == SP_OK && !isnan(result.elapsed)) {
            t->seconds += result.elapsed;
            t->timed++;
        }
        sp_result_free(&result);
    }
}

/* left[i]: the runs that cell i lacks. Stored runs are read where their method lacks some. */
static sp_status print_estimate(const sp_plan *plan, sp_store *store, const size_t *left, sp_error *error)
{
    sp_status status = SP_OK;
    double seconds = 0.0;
    size_t unknown = 0;
    char text[SP_DURATION_SIZE];
    methods m = { 0 };
    method_tally *tallies = NULL;
    SP_TRY(find_methods(plan, &m, error));
    if (!(tallies = sp_alloc(m.count + 1, sizeof *tallies)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "plan: out of memory"));
    for (size_t i = 0; i < plan->cells; i++)
        tallies[m.of[i]].left += left[i];
    for (size_t i = 0; i < plan->cells; i++)
        if (tallies[m.of[i]].left > 0)
            add_seconds(store, &plan->cell[i], &tallies[m.of[i]]);
    for (size_t i = 0; i < m.count; i++) {
        const method_tally *t = &tallies[i];
        const double mean = t->timed > 0 ? t->seconds / (double)t->timed : 0.0;
        seconds += mean * (double)t->left;
        unknown += mean > 0.0 ? 0 : t->left;
    }
    if (seconds > 0.0)
        printf("estimate: %s on one processor%s\n", sp_duration(seconds, text), unknown > 0 ? ", and more" : "");
    if (unknown > 0)
        printf("%zu runs have no stored run of their method to judge by (a smaller --scale gives an idea)\n",
               unknown);
cleanup:
    free(tallies);
    free(m.of);
    return status;
}

/* What the runs of a method cost, of which no time is known yet. */
typedef struct method_cost {
    const sp_cell *first;
    double least, most;   /* oracle calls of a run */
    double seconds;       /* of all runs */
    bool unknown;         /* some cells' */
    bool partial;         /* as in sp_cell_cost */
} method_cost;

/* A line for each method of which something is known: what its runs ask of the oracle, and about how long that takes. */
static sp_status print_costs(const sp_plan *plan, sp_error *error)
{
    sp_status status = SP_OK;
    methods m = { 0 };
    method_cost *cost = NULL;
    char least[SP_NUMBER_SIZE], most[SP_NUMBER_SIZE], time[SP_DURATION_SIZE];
    SP_TRY(find_methods(plan, &m, error));
    if (!(cost = sp_alloc(m.count + 1, sizeof *cost)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "plan: out of memory"));
    for (size_t i = 0; i < plan->cells; i++) {
        const sp_cell *cell = &plan->cell[i];
        const sp_cell_cost *known = cell->skip || cell->left_out ? NULL : sp_plan_cost(plan, i);
        method_cost *c = &cost[m.of[i]];
        c->unknown = c->unknown || (!known && !cell->skip && !cell->left_out);
        if (!known)
            continue;
        c->least = c->first ? fmin(c->least, known->calls) : known->calls;
        c->most = fmax(c->most, known->calls);
        c->seconds += sp_plan_seconds(cell, known) * cell->replicates;
        c->first = cell;
        c->partial = c->partial || known->partial;
    }
    for (size_t i = 0; i < m.count; i++) {
        const method_cost *c = &cost[i];
        if (!c->first)
            continue;
        snprintf(least, sizeof least, "%.3g", c->least);
        snprintf(most, sizeof most, "%.3g", c->most);
        const bool range = strcmp(least, most) != 0;
        printf("cost  %s/%s: %s%s%s%s oracle calls a run, about %s on one processor for its runs%s\n", c->first->sweep,
               c->first->label, c->partial ? "at least " : "", least, range ? " to " : "", range ? most : "", sp_duration(c->seconds, time),
               c->unknown ? " (of some cells it is not known)" : "");
    }
cleanup:
    free(cost);
    free(m.of);
    return status;
}

/* One line a point whose parameters are chosen: the grid, and its winner once there is one. */
static sp_status print_tunings(const sp_session *session, bool plain, tally *total, size_t *left, sp_error *error)
{
    const sp_plan *plan = &session->plan;
    sp_status status = SP_OK;
    sp_text text = { 0 };
    for (size_t i = 0; i < plan->tunings; i++) {
        const sp_tuning *t = &plan->tuning[i];
        const sp_cell *cell = &plan->cell[t->cell];
        tally point = { 0 };
        if (t->lender || plan->trial[t->trial].left_out)
            continue;
        SP_TRY(count_tuning(plan, session->store, t, &point, NULL, error));
        sp_text_free(&text);
        sp_tuning_print_grid(t, &text);
        if (t->known) {
            sp_text_append(&text, plain ? "\t" : "  winner: ");
            sp_tuning_print_point(t, t->winner, &text);
            if (!plain)
                sp_advise_edge(t, &text);
        }
        if (text.failed)
            SP_TRY(sp_fail(error, SP_ENOMEM, "plan: out of memory"));
        printf(plain ? "tuning\t%s\t%s\t%zu\t%s%s\n" : "tuning  %s/%s: %zu runs  %s%s\n", cell->sweep, cell->label,
               point.runs, text.data, t->known || !plain ? "" : "\t-");
        total->runs += point.runs;
        total->done += point.done;
        total->failed += point.failed;
        total->stale += point.stale;
        total->missing += point.missing;
        left[t->cell] += point.stale + point.missing;
    }
    if (!plain && plan->tunings > 0)
        printf("%zu tuning runs\n", sp_runs_of(plan->base, plan->bases) + sp_runs_of(plan->trial, plan->trials));
cleanup:
    sp_text_free(&text);
    return status;
}

/* With no run left to be made, are the tables those of this plan? */
static bool is_whole(const sp_session *session, const sp_picked *picked)
{
    return session->store && picked->only.count + picked->where.count == 0;
}

/* --- the verbs --------------------------------------------------------------------------------------------- */

static const sp_usage plan_usage = {
    .operands = "EXPERIMENT.lua",
    .about = "What `run` would do: the cells, which are skipped and why, how many runs are left and about how "
             "long they take (from stored runs of the same method). Runs nothing.",
    .option = options, .common = true, .fewest = 1, .most = 1, .missing = "which experiment?",
    .excess = "one experiment at a time",
};

static sp_status print_tasks(const sp_session *s, size_t of, const sp_balance *balance, sp_error *error)
{
    sp_task_load l;
    const sp_status status = sp_task_load_find(s, of, balance, &l, error);
    if (status != SP_OK)
        return status;
    printf("%zu tasks\nruns a task: %.0f to %.0f, median %.0f\n", of, l.runs.least, l.runs.most, l.runs.median);
    if (!l.timed)
        printf("minutes a task: not known before a run is stored (`run --scale smoke`, or --only LABEL, gives an idea); till "
               "then runs weigh by n d of their problems\n");
    else
        printf("minutes a task on one processor: %.3g to %.3g, median %.3g%s\n", l.seconds.least / 60.0, l.seconds.most / 60.0,
               l.seconds.median / 60.0,
               l.guessed ? " (where no run of a cell is stored, by n d and what others of its method took)" : "");
    printf("memory a task: %.0f MB for the plan%s", l.plan_memory / 1e6,
           l.worker_memory > 0.0 ? "" : ", and that of its workers\n");
    if (l.worker_memory > 0.0)
        printf(", and %.0f MB a worker at most so far\n", l.worker_memory / 1e6);
    if (isnan(l.disk))
        printf("disk a task: not known before a run is stored\n");
    else
        printf("disk a task: %.3g MB below TMPDIR at most, as much in %s/shards\n", l.disk / 1e6, s->results);
    return SP_OK;
}

static int run_plan_verb(int argc, char **argv)
{
    char **word;
    size_t words;
    int code;
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    tally total = { 0 };
    size_t cells = 0, skipped = 0, *left = NULL;
    sp_balance balance = { 0 };
    const sp_cell *first = NULL;
    bool *constant = NULL;
    arguments a = { .common = SP_COMMON_DEFAULTS };
    SP_TRY(sp_picked_make(argc, &a.picked, &error));
    if (!sp_parse(&plan_usage, argc, argv, &a, &word, &words, &code)) {
        sp_picked_free(&a.picked);
        return code;
    }

    if (a.tasks > 0)
        SP_TRY(sp_tasks_of_all(&a.picked, 1, &error));
    SP_TRY(sp_session_open(word[0], &a.common, &a.picked, false, &session, &error));
    sp_session_say_guesses(&session, &a.common);
    SP_TRY(sp_session_store_if_any(&session, &error));
    if (a.tasks > 0) {
        SP_TRY(sp_tasks_balance(&session, &a.common, false, &balance, &error));
        status = print_tasks(&session, (size_t)a.tasks, &balance, &error);
        goto cleanup;
    }
    if (!a.plain && session.plan.question)
        printf("%s\n", session.plan.question);
    if (!(left = sp_alloc(session.plan.cells + 1, sizeof *left)))
        SP_TRY(sp_fail(&error, SP_ENOMEM, "%s: out of memory", word[0]));
    for (size_t i = 0; i < session.plan.cells; i++) {
        const sp_cell *cell = &session.plan.cell[i];
        if (cell->left_out)
            continue;
        cells++;
        if (!first || strcmp(first->sweep, cell->sweep) != 0) {
            first = cell;
            free(constant);
            if (!(constant = find_constant(&session.plan, first)))
                SP_TRY(sp_fail(&error, SP_ENOMEM, "%s: out of memory", word[0]));
        }
        if (a.plain) {
            printf("%" PRIu32 "\t%s\t%s\t%" PRIu32 "\t%s\t", cell->index, cell->sweep, cell->label, cell->replicates,
                   cell->skip ? cell->skip : "-");
            print_axes(cell, NULL, NULL);
            putchar('\n');
        } else {
            printf("%4" PRIu32 "  %s/%s x %" PRIu32 " ", cell->index + 1, cell->sweep, cell->label, cell->replicates);
            print_axes(cell, first, constant);
            if (cell->skip)
                printf("  SKIPPED: %s", cell->skip);
            putchar('\n');
        }
        const size_t before = total.stale + total.missing;
        skipped += cell->skip != NULL;
        SP_TRY(count_cell(session.store, cell, &total, NULL, &error));
        left[i] = total.stale + total.missing - before;
    }
    SP_TRY(print_tunings(&session, a.plain, &total, left, &error));
    if (!a.plain) {
        printf("%zu cells, %zu skipped; %zu runs: %zu done, %zu failed, %zu stale, %zu to do\n", cells, skipped,
               total.runs, total.done, total.failed, total.stale, total.missing);
        SP_TRY(print_costs(&session.plan, &error));
        SP_TRY(print_estimate(&session.plan, session.store, left, &error));
        SP_TRY(sp_advise_plan(&session.plan, stdout, &error));
        if (total.done == total.runs && is_whole(&session, &a.picked))
            SP_TRY(sp_advise_runs(&session, stdout, &error));
    }
cleanup:
    sp_picked_free(&a.picked);
    free(left);
    free(constant);
    sp_balance_free(&balance);
    sp_session_close(&session);
    return status == SP_OK ? SP_EXIT_OK : sp_complain(&error, SP_EXIT_USAGE);
}

static void print_status(const sp_cell *cell, const char *part, const tally *t, const char *audited, size_t skipped,
                         const char *why, bool plain)
{
    char name[128];
    if (plain) {
        printf("%s\t%s%s\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t%s\n", cell->sweep, cell->label, part, t->runs, t->done,
               t->failed, t->stale, t->missing, skipped, audited);
        return;
    }
    snprintf(name, sizeof name, "%s/%s%s", cell->sweep, cell->label, part);
    printf("%-32s %6zu %6zu %6zu %6zu %7zu %7s  %zu%s%s%s\n", name, t->runs, t->done, t->failed, t->stale, t->missing,
           audited, skipped, why ? "  (" : "", why ? why : "", why ? ")" : "");
}

/* How far a method is. */
typedef struct progress {
    const sp_cell *first; /* of the seed at hand */
    const sp_cell *run;   /* the first that is not skipped; NULL: none */
    tally runs, tuning;
    size_t skipped;      /* cells */
    bool selected;       /* some cell is */
    sp_text why;         /* why its first stale run is stale */
} progress;

/* Adds the runs of the session's seed. */
static sp_status count_seed(const sp_session *session, const methods *m, progress *all, sp_error *error)
{
    const sp_plan *plan = &session->plan;
    sp_status status = SP_OK;
    for (size_t i = plan->cells; i-- > 0;) {
        all[m->of[i]].first = &plan->cell[i];
        all[m->of[i]].run = NULL;
    }
    for (size_t i = plan->cells; i-- > 0;)
        all[m->of[i]].run = plan->cell[i].skip ? all[m->of[i]].run : &plan->cell[i];
    for (size_t i = 0; i < plan->cells; i++) {
        progress *p = &all[m->of[i]];
        p->skipped += plan->cell[i].skip && !plan->cell[i].left_out;
        p->selected = p->selected || !plan->cell[i].left_out;
        SP_TRY(count_cell(session->store, &plan->cell[i], &p->runs, &p->why, error));
    }
    for (size_t k = 0; k < plan->tunings; k++) {
        progress *p = &all[m->of[plan->tuning[k].cell]];
        SP_TRY(count_tuning(plan, session->store, &plan->tuning[k], &p->tuning, &p->why, error));
    }
cleanup:
    return status;
}

typedef struct {
    sp_common common;
    sp_picked picked;
    bool plain, missing;
    uint64_t seeds, tasks;
} status_arguments;

static const sp_option status_options[] = {
    { "plain", 'p', SP_OPTION_SET, offsetof(status_arguments, plain), NULL, "Tab-separated lines, for scripts", 0, 0 },
    { "seeds", '\0', SP_OPTION_COUNT, offsetof(status_arguments, seeds), "K", "Of all seeds of `run --seeds K` together",
      SP_SEEDS_MIN, SP_SEEDS_MAX },
    { "missing", '\0', SP_OPTION_SET, offsetof(status_arguments, missing), NULL,
      "Instead: the tasks of `run --shard` that are not done, as in 3,17,90-95", 0, 0 },
    { "tasks", '\0', SP_OPTION_COUNT, offsetof(status_arguments, tasks), "N",
      "With --missing: of how many tasks (default: as many as there are files of)", 1, SP_SHARDS_MAX },
    SP_PICKED_OPTIONS(status_arguments, picked),
    { 0 }
};

static const sp_usage status_usage = {
    .operands = "EXPERIMENT.lua",
    .about = "How far an experiment is: runs done, failed, stale (and what changed) and missing, and whether the "
             "method was audited, a line a method.",
    .notes = "Exit code 0 when every run is done.", .option = status_options, .common = true, .fewest = 1, .most = 1,
    .missing = "which experiment?", .excess = "one experiment at a time",
};

/* *left: is any? */
static sp_status print_missing(const sp_session *session, const sp_common *common, size_t of, bool plain, size_t *left,
                               sp_error *error)
{
    sp_status status = SP_OK;
    sp_balance balance = { 0 };
    sp_text text = { 0 };
    if (of == 0)
        SP_TRY(sp_tasks_there(session, &of, error));
    if (of == 0)
        SP_TRY(sp_fail(error, SP_EINVAL, "--missing: of how many tasks? There are no files of any: say --tasks N"));
    SP_TRY(sp_tasks_balance(session, common, false, &balance, error));
    SP_TRY(sp_tasks_missing(session, of, &balance, &text, error));
    *left = text.length;
    if (plain)
        printf("%s\n", text.length > 0 ? text.data : "");
    else if (text.length > 0)
        printf("of %zu tasks not done: %s\n", of, text.data);
    else
        printf("all of %zu tasks are done\n", of);
cleanup:
    sp_balance_free(&balance);
    sp_text_free(&text);
    return status;
}

static int run_status(int argc, char **argv)
{
    char **word;
    size_t words;
    int code;
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    methods m = { 0 };
    progress *all = NULL;
    size_t left = 0;
    status_arguments a = { .common = SP_COMMON_DEFAULTS, .seeds = 1 };
    SP_TRY(sp_picked_make(argc, &a.picked, &error));
    if (!sp_parse(&status_usage, argc, argv, &a, &word, &words, &code)) {
        sp_picked_free(&a.picked);
        return code;
    }

    if (a.tasks > 0 && !a.missing)
        SP_TRY(sp_fail(&error, SP_EINVAL, "--tasks: goes with --missing, which names those of N tasks that are not done"));
    if (a.missing)
        SP_TRY(sp_tasks_of_all(&a.picked, (size_t)a.seeds, &error));
    SP_TRY(sp_session_open(word[0], &a.common, &a.picked, false, &session, &error));
    SP_TRY(sp_session_store_if_any(&session, &error));
    if (session.store)
        SP_TRY(sp_store_check(session.store, &error));
    if (a.missing) {
        status = print_missing(&session, &a.common, (size_t)a.tasks, a.plain, &left, &error);
        goto cleanup;
    }
    if (a.plain)
        puts("sweep\tlabel\truns\tdone\tfailed\tstale\tmissing\tskipped_cells\taudited");
    else
        printf("%-32s %6s %6s %6s %6s %7s %7s  %s\n", "method", "runs", "done", "failed", "stale", "missing", "audited",
               "skipped cells");
    SP_TRY(find_methods(&session.plan, &m, &error));
    if (!(all = sp_alloc(m.count + 1, sizeof *all)))
        SP_TRY(sp_fail(&error, SP_ENOMEM, "%s: out of memory", word[0]));
    SP_TRY(count_seed(&session, &m, all, &error));
    for (size_t number = 2; number <= a.seeds; number++) {
        SP_TRY(sp_session_seed(&session, number, &error));
        SP_TRY(count_seed(&session, &m, all, &error));
    }
    for (size_t i = 0; i < m.count; i++) {
        const progress *p = &all[i];
        char audited[SP_AUDITED_SIZE] = "-";
        if (session.store && p->run)
            SP_TRY(sp_store_audited(session.store, &session.plan, p->run, audited, &error));
        if (p->tuning.runs > 0)
            print_status(p->first, " (tuning)", &p->tuning, audited, 0, NULL, a.plain);
        if (p->selected)
            print_status(p->first, "", &p->runs, audited, p->skipped, p->why.data, a.plain);
        left += p->runs.failed + p->runs.stale + p->runs.missing;
        left += p->tuning.failed + p->tuning.stale + p->tuning.missing;
    }
    if (!a.plain && left == 0 && a.seeds == 1 && is_whole(&session, &a.picked))
        SP_TRY(sp_advise_runs(&session, stdout, &error));
cleanup:
    sp_picked_free(&a.picked);
    for (size_t i = 0; all && i < m.count; i++)
        sp_text_free(&all[i].why);
    free(all);
    free(m.of);
    code = status != SP_OK ? SP_EXIT_USAGE : left == 0 ? SP_EXIT_OK : SP_EXIT_FAILED;
    if (status != SP_OK)
        sp_complain(&error, code);
    sp_session_say_damage(&session, &code);
    sp_session_close(&session);
    return code;
}

const sp_verb sp_verb_plan = { "plan", "what run would do: cells, skips, estimate", &plan_usage, run_plan_verb };
const sp_verb sp_verb_status = { "status", "how far an experiment is", &status_usage, run_status };
