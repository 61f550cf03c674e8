/* rehearsal.c -- each method on each problem up to where it would first need a record or its noise: what it refuses
 * before (a batch of more records than there are, steps or a step size that its theorem does not give here, noise that
 * no paper printed) is a mistake of the experiment's, and is told before anything runs. What it announces is what its
 * runs will cost.
 *
 * Methods run in a process of their own, which says through a pipe what it begins and how that ended. One that crashes,
 * or does not come back, ends that process alone: it is named, and another process goes on with the other methods. Its
 * runs fail one by one, as those of any method. */
#include "core/plan/plan_internal.h"

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/memory.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* At most REHEARSALS_MAX pairs of a method and a problem are rehearsed, the first ones of the plan, by at most PROCESSES_MAX
 * processes. A process begins no rehearsal after SECONDS_MAX of processor time, because computing a schedule may take long; the
 * run itself then finds what the method refuses. One rehearsal may take GIVE_UP seconds by the clock. */
enum { REHEARSALS_MAX = 1024, GIVE_UP = 10, PROCESSES_MAX = 32 };
static const double SECONDS_MAX = 1.0;

/* A cell that was rehearsed. */
typedef struct rehearsed {
    const sp_cell *cell;
    bool refused;       /* or it crashed */
} rehearsed;

/* How far the rehearsal is. First each method once a problem, for what it refuses; then also with other budgets, for what
 * it costs. */
typedef struct progress {
    bool budgets;
    bool trials;        /* among the cells of grid points */
    size_t next;        /* cell of that list */
    rehearsed *seen;
    size_t count;
} progress;

/* What the process says: that it begins with the cell at `next`, or how that has ended. */
typedef struct news {
    bool ended;
    bool budgets, trials;
    size_t next;
    sp_status status;
    double calls, releases;
    char text[512];
} news;

/* Does one tell enough of both? Cells share methods and problems; of a label that was refused no other is asked. */
static bool is_same(const sp_cell *a, const sp_cell *b, bool refused, bool budgets)
{
    if (refused)
        return strcmp(a->label, b->label) == 0 && strcmp(a->sweep, b->sweep) == 0;
    return a->method == b->method && a->problem == b->problem && a->privacy.private == b->privacy.private &&
           a->privacy.calibration == b->privacy.calibration && a->privacy.neighbours == b->privacy.neighbours &&
           (!budgets || (a->privacy.epsilon == b->privacy.epsilon && a->privacy.delta == b->privacy.delta));
}

static sp_status rehearse(const sp_cell *cell, const sp_problem_spec *spec, news *out, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_method *method = cell->method;
    const sp_dataset header = { .storage = spec->storage == SP_STORE_MOMENTS ? SP_STORE_DENSE : spec->storage,
                                .n = spec->n, .d = spec->features, .radius = spec->radius,
                                .label_bound = spec->label_bound };
    sp_problem problem = {
        .loss = spec->loss, .regulariser = spec->regulariser, .lambda = spec->lambda, .domain = spec->domain,
        .train = &header, .realisable = spec->realisable, .start = sp_alloc_doubles(spec->domain.d),
    };
    memcpy(problem.number, spec->number, sizeof problem.number);
    const sp_oracle_options options = { .problem = &problem, .privacy = cell->privacy, .rehearsal = true };
    sp_oracle *oracle = NULL;
    double *w = sp_alloc_doubles(spec->domain.d);
    if (!problem.start || !w)
        SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
    SP_TRY(sp_problem_constants(spec, &problem.certified, &problem.declared, error));
    SP_TRY(sp_oracle_new(&options, &oracle, error));
    status = sp_algorithm_run(method->algorithm, oracle, &method->values, w);
    sp_oracle_planned(oracle, &out->calls, &out->releases);
    if (status != SP_OK)
        sp_fail(error, status, "%s", sp_oracle_error(oracle)->text);
cleanup:
    sp_oracle_free(oracle);
    free(w);
    free(problem.start);
    return status;
}

/* A message without the oracle's call that it begins with, which who writes an experiment did not make. */
static const char *without_call(const char *text)
{
    const char *end = strncmp(text, "sp_", 3) == 0 ? strstr(text, ": ") : NULL;
    return end ? end + 2 : text;
}

/* Where the experiment writes the entry of a cell; NULL: it is not found. */
static const char *path_of_entry(const sp_build *b, const sp_cell *cell)
{
    const sp_node *sweep = sp_node_field(sp_node_field(b->root, "sweeps"), cell->sweep);
    const sp_node *own = sp_node_field(sweep, "algorithms"), *list = own ? own : sp_node_field(b->root, "algorithms");
    for (size_t i = 0; list && i < list->items; i++) {
        const sp_node *label = sp_node_field(list->item[i], "label");
        const char *name = label ? label->text : sp_node_name(list->item[i]);
        if (name && strcmp(name, cell->label) == 0)
            return list->item[i]->path;
    }
    return NULL;
}

/* A method that a rehearsal did not get through. */
static sp_status note_crash(sp_build *b, const sp_cell *cell, const char *how)
{
    const char *before = b->plan->crashes ? b->plan->crashes : "";
    SP_NEED(b, b->plan->crashes = sp_arena_format(b->plan->arena, "%s%s%s/%s: %s", before, *before ? "\n" : "",
                                                  cell->sweep, cell->label, how));
    return SP_OK;
}

/* Notes a method that ended the rehearsal's process; `ended` is as of waitpid. */
static sp_status note_end(sp_build *b, const sp_cell *cell, int ended)
{
    char text[128];
    if (!WIFSIGNALED(ended))
        return note_crash(b, cell, "it ended the program when it was tried without records");
    if (WTERMSIG(ended) == SIGALRM)
        snprintf(text, sizeof text, "it was not through after %d s when it was tried without records", GIVE_UP);
    else
        snprintf(text, sizeof text, "it crashed when it was tried without records (%s)", strsignal(WTERMSIG(ended)));
    return note_crash(b, cell, text);
}

static bool has_inner(const sp_cell *cell)
{
    const sp_method *method = cell->method;
    bool inner = false;
    for (size_t i = 0; i < method->values.count && !inner; i++)
        inner = sp_submethod(&method->values, i) != NULL;
    return inner;
}

/* Is it a mistake of the experiment? Other errors depend on records, noise or the budget, and the run reports them. */
static bool is_refusal(sp_status status)
{
    return status == SP_EINVAL || status == SP_EUNSUPPORTED || status == SP_ELIMIT;
}

/* Stores the outcome of a cell's rehearsal: its cost, a crash, or a mistake. */
static sp_status take(sp_build *b, const sp_cell *cell, const news *heard)
{
    const sp_problem_spec *spec = cell->problem;
    sp_plan *plan = b->plan;
    if (heard->status == SP_ENOMEM)
        return sp_fail(b->error, heard->status, "out of memory");
    if (heard->releases > 0.0 && !heard->trials) {
        if (!plan->cost)
            SP_NEED(b, plan->cost = sp_alloc(REHEARSALS_MAX, sizeof *plan->cost));
        plan->cost[plan->costs++] = (sp_cell_cost){ cell->index, has_inner(cell), heard->calls, heard->releases };
    }
    if (heard->status == SP_ELIMIT)
        return note_crash(b, cell, heard->text);
    if (!is_refusal(heard->status))
        return SP_OK;
    sp_fail(b->error, SP_EINVAL, "%s of sweep %s, n = %zu, d = %zu: %s", cell->label, cell->sweep, spec->n,
            spec->domain.d, without_call(heard->text));
    return sp_mistake_at(b, path_of_entry(b, cell), SP_EINVAL);
}

static const sp_cell *cell_at(const sp_plan *plan, const progress *p)
{
    return p->trials ? &plan->trial[p->next] : &plan->cell[p->next];
}

/* Moves on to a cell that has something to say; false: there is none. */
static bool find_next(const sp_plan *plan, progress *p, double end)
{
    while (p->count < REHEARSALS_MAX && sp_processor_now() < end) {
        if (p->next == (p->trials ? plan->trials : plan->cells)) {
            if (p->budgets)
                return false;
            p->budgets = p->trials;
            p->trials = !p->trials;
            p->next = 0;
            continue;
        }
        const sp_cell *cell = cell_at(plan, p);
        bool done = cell->skip || cell->pending;
        if (!done) {
            const sp_foreign *foreign = cell->method->algorithm->foreign;
            done = foreign && foreign->apart;
        }
        for (size_t k = p->count; !done && k-- > 0;)
            done = is_same(p->seen[k].cell, cell, p->seen[k].refused, p->budgets);
        if (!done)
            return true;
        p->next++;
    }
    return false;
}

/* In the process of its own. */
static void rehearse_all(const sp_plan *plan, progress *p, int out)
{
    const struct rlimit none = { 0, 0 };
    const double end = sp_processor_now() + SECONDS_MAX;
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGALRM, SIG_DFL);
    while (find_next(plan, p, end)) {
        const sp_cell *cell = cell_at(plan, p);
        const sp_problem_spec *spec = cell->problem;
        sp_error error = { .text = "" };
        news said = { .budgets = p->budgets, .trials = p->trials, .next = p->next };
        alarm(GIVE_UP);
        if (write(out, &said, sizeof said) != sizeof said)
            return;
        said.status = rehearse(cell, spec, &said, &error);
        said.ended = true;
        snprintf(said.text, sizeof said.text, "%.*s", (int)sizeof said.text - 1, error.text);
        alarm(0);
        if (write(out, &said, sizeof said) != sizeof said)
            return;
        p->seen[p->count++] = (rehearsed){ cell, is_refusal(said.status) };
        p->next++;
    }
}

/* One process: *more where a method has ended it, and the others are left. */
static sp_status hear(sp_build *b, progress *p, bool *more)
{
    sp_status status = SP_OK;
    int ends[2], ended = 0;
    const sp_cell *begun = NULL;
    news heard;
    *more = false;
    if (pipe(ends) != 0)
        return SP_OK; /* left to the runs, as what takes too long */
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        rehearse_all(b->plan, p, ends[1]);
        _exit(EXIT_SUCCESS);
    }
    close(ends[1]);
    while (child > 0 && sp_read(ends[0], &heard, sizeof heard) == sizeof heard) {
        p->budgets = heard.budgets;
        p->trials = heard.trials;
        p->next = heard.next;
        begun = heard.ended ? NULL : cell_at(b->plan, p);
        if (!heard.ended)
            continue;
        const sp_cell *cell = cell_at(b->plan, p);
        if (status == SP_OK)
            status = take(b, cell, &heard);
        p->seen[p->count++] = (rehearsed){ cell, is_refusal(heard.status) };
        p->next++;
    }
    close(ends[0]);
    while (child > 0 && waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    if (status == SP_OK && begun) {
        *more = true;
        p->seen[p->count++] = (rehearsed){ begun, true };
        p->next++;
        status = note_end(b, begun, ended);
    }
    return status;
}

static int by_cell(const void *a, const void *b)
{
    const sp_cell_cost *x = a, *y = b;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

sp_status sp_plan_rehearse(sp_build *b)
{
    sp_status status = SP_OK;
    progress p = { .seen = sp_alloc(REHEARSALS_MAX + PROCESSES_MAX, sizeof *p.seen) };
    bool more = true;
    SP_NEED(b, p.seen);
    for (size_t i = 0; i < PROCESSES_MAX && more; i++)
        SP_TRY(hear(b, &p, &more));
    if (b->plan->costs > 1)
        qsort(b->plan->cost, b->plan->costs, sizeof *b->plan->cost, by_cell);
cleanup:
    free(p.seen);
    return status;
}

const sp_cell_cost *sp_plan_cost(const sp_plan *plan, size_t i)
{
    for (size_t k = 0; k < plan->costs; k++)
        if (is_same(&plan->cell[plan->cost[k].cell], &plan->cell[i], false, true))
            return &plan->cost[k];
    return NULL;
}

double sp_plan_seconds(const sp_cell *cell, const sp_cell_cost *cost)
{
    const sp_problem_spec *spec = cell->problem;
    const double d = (double)spec->domain.d, features = (double)spec->features;
    const double records = spec->storage == SP_STORE_MOMENTS ? 0.0 : cost->calls * (1e-8 + 2e-9 * features);
    return records + cost->releases * (2e-6 + 3e-8 * d);
}
