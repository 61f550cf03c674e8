/* rehearsal.c -- each method on each problem up to where it would first need a record or its noise: what it refuses
 * before (a batch of more records than there are, steps or a step size that its theorem does not give here, noise that
 * no paper printed) is a mistake of the experiment's, and is told before anything runs. */
#include "core/plan/parts.h"

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/plan/registry.h"

#include <stdlib.h>
#include <string.h>

/* Pairs of a method and a problem that are rehearsed: of a larger plan the first ones, and none is begun after so many
 * seconds of this process, for a schedule may take long. What is left is for the run to refuse. */
enum { REHEARSALS_MAX = 1024 };
static const double SECONDS_MAX = 1.0;

/* Does one tell enough of both? Cells share methods and problems; of a label that was refused no other is asked. */
static bool is_same(const sp_cell *a, const sp_cell *b, bool refused)
{
    if (refused)
        return strcmp(a->label, b->label) == 0 && strcmp(a->sweep, b->sweep) == 0;
    return a->method == b->method && a->problem == b->problem && a->privacy.private == b->privacy.private &&
           a->privacy.calibration == b->privacy.calibration && a->privacy.neighbours == b->privacy.neighbours;
}

/* A plugin's method runs in a worker's process alone, whose death it may be. */
static bool from_plugin(const sp_method *method)
{
    bool yes = sp_is_registered(method->algorithm);
    for (size_t i = 0; i < method->values.count && !yes; i++)
        yes = sp_submethod(&method->values, i) && from_plugin(sp_submethod(&method->values, i));
    return yes;
}

static sp_status rehearse(const sp_cell *cell, const sp_problem_spec *spec, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_method method = sp_cell_method(cell);
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
    status = sp_algorithm_run(method.algorithm, oracle, &method.values, w);
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

static sp_status rehearse_cell(sp_build *b, const sp_cell *cell)
{
    sp_error said = { .text = "" };
    const sp_problem_spec spec = sp_cell_problem(cell);
    const sp_status status = rehearse(cell, &spec, &said);
    if (status == SP_ENOMEM)
        return sp_fail(b->error, status, "out of memory");
    if (status != SP_EINVAL && status != SP_EUNSUPPORTED)
        return SP_OK; /* what answers or the budget decide is the run's */
    sp_fail(b->error, SP_EINVAL, "%s of sweep %s, n = %zu, d = %zu: %s", cell->label, cell->sweep, spec.n,
            spec.domain.d, without_call(said.text));
    return sp_mistake_at(b, path_of_entry(b, cell), SP_EINVAL);
}

sp_status sp_plan_rehearse(sp_build *b)
{
    sp_status status = SP_OK;
    const sp_plan *plan = b->plan;
    const struct { const sp_cell *cell; size_t cells; } list[] = { { plan->cell, plan->cells },
                                                                   { plan->trial, plan->trials } };
    struct { const sp_cell *cell; bool refused; } *seen = sp_alloc(REHEARSALS_MAX, sizeof *seen);
    size_t count = 0;
    const double end = sp_processor_now() + SECONDS_MAX;
    SP_NEED(b, seen);
    for (size_t l = 0; l < sizeof list / sizeof *list; l++)
        for (size_t i = 0; i < list[l].cells && count < REHEARSALS_MAX && sp_processor_now() < end; i++) {
            const sp_cell *cell = &list[l].cell[i];
            const sp_method method = sp_cell_method(cell);
            const sp_foreign *foreign = method.algorithm->foreign;
            bool done = cell->skip || cell->pending || (foreign && foreign->apart) ||
                        from_plugin(&method);
            for (size_t k = count; !done && k-- > 0;)
                done = is_same(seen[k].cell, cell, seen[k].refused);
            if (done)
                continue;
            const size_t before = b->refused;
            SP_TRY(rehearse_cell(b, cell));
            seen[count].cell = cell;
            seen[count++].refused = b->refused > before;
        }
cleanup:
    free(seen);
    return status;
}
