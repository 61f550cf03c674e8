/* cells.h -- cells and plans made by hand for the tests of the runner: a small generated problem and a method whose
 * iterates are known in advance.
 *
 *   walk    w_1 = t after step t, one full gradient a step: the measure `first` (= w_1) is t, the cost n t gradients */
#ifndef SP_TESTS_CELLS_H
#define SP_TESTS_CELLS_H

#include "core/base/memory.h"
#include "core/plan/plan.h"
#include "core/plan/registry.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline double cells_one(const sp_values *v, size_t d)
{
    (void)v, (void)d;
    return 1.0;
}

static inline void cells_record(const sp_values *v, size_t d, const double *truth, gsl_rng *stream, double *restrict x,
                                double *y)
{
    (void)v, (void)truth, (void)y;
    gsl_ran_dir_nd(stream, d, x);
}

static const sp_generator cells_generator = { .name = "directions", .summary = "uniform on the sphere",
                                              .radius = cells_one, .label_bound = cells_one, .record = cells_record };

static const sp_values cells_generator_values = { .params = NULL };

static inline sp_status cells_first(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference,
                                    const double *w, double *scratch, double *out)
{
    (void)p, (void)workspace, (void)reference, (void)scratch;
    *out = w[0];
    return SP_OK;
}

static const sp_measure cells_measure_first = { .name = "first", .summary = "w_1", .unit = "w_1",
                                                .compute = cells_first };

enum { WALK_STEPS };
static const sp_param cells_walk_params[] = {
    [WALK_STEPS] = { "steps", SP_COUNT, 7, { 0, 1e9 }, "steps" },
    { 0 }
};

static inline sp_status cells_walk(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const size_t steps = sp_count(v, WALK_STEPS), d = sp_dimension(o);
    double *g = sp_alloc_doubles(d);
    sp_batch all;
    if (!g)
        return SP_ENOMEM;
    SP_TRY(sp_draw(o, sp_full(), &all));
    sp_resolved(o, "steps", (double)steps, SP_FROM_USER);
    sp_resolved(o, "eta", 0.385, SP_FROM_THEORY);
    for (size_t t = 1; t <= steps; t++) {
        SP_TRY(sp_gradient(o, &SP_AT(all, w), 0.0, g));
        w[0] = (double)t;
        SP_TRY(sp_checkpoint(o, t, w));
    }
cleanup:
    free(g);
    return status;
}

static const sp_algorithm cells_algorithm_walk = { .name = "walk", .summary = "w_1 = t", .source = "-",
                                                   .params = cells_walk_params, .run = cells_walk };

/* One axis. */
static inline sp_axes *cells_axis(const char *key, const char *value)
{
    sp_axes *axes = sp_alloc(1, sizeof *axes + sizeof *axes->axis);
    axes->count = 1;
    axes->axis[0] = (sp_axis_text){ key, sp_copy_text(value) };
    return axes;
}

static inline void cells_free_axes(const sp_axes *axes)
{
    if (axes)
        free((char *)axes->axis[0].value);
    free((void *)axes);
}

/* A non-private cell on pseudo_huber, n = 23, d = 4, with the measure `first`. */
static inline void cells_make(sp_cell *cell, const sp_algorithm *algorithm, const char *text)
{
    *cell = (sp_cell){ .sweep = "main", .label = sp_copy_text(algorithm->name), .seed = 20240601, .replicates = 3,
                       .checkpoints = 4.0, .measures = 1, .resample = true };
    sp_problem_spec *p = sp_alloc(1, sizeof *p);
    sp_method *method = sp_alloc(1, sizeof *method);
    cell->problem = p;
    cell->method = method;
    p->loss = sp_loss_find("pseudo_huber");
    for (size_t i = 0; p->loss->params && p->loss->params[i].key; i++)
        p->number[i] = p->loss->params[i].initial;
    p->data = SP_DATA_GENERATED;
    p->generator = &cells_generator;
    p->generator_values = &cells_generator_values;
    p->domain = (sp_domain){ .kind = SP_DOMAIN_SPACE, .d = 4, .radius = INFINITY,
                              .norm = INFINITY };
    p->n = 23;
    p->features = 4;
    p->radius = 1.0;
    p->label_bound = 1.0;
    cell->privacy = (sp_privacy){ .noise = true };
    method->algorithm = algorithm;
    sp_values_start(&method->values, algorithm->params);
    cell->measure = sp_alloc(SP_MEASURES_MAX, sizeof *cell->measure); /* to be changed */
    cell->measure[0] = &cells_measure_first;
    cell->part[SP_PART_ALGORITHM] = cells_axis("algorithm", text);
    cell->part[SP_PART_PROBLEM] = cells_axis("problem.n", "23");
}

/* To be changed: a cell made here shares nothing with any other. */
static inline sp_problem_spec *cells_problem(sp_cell *cell)
{
    return (sp_problem_spec *)cell->problem;
}

/* What is given of its records, and nothing else of its problem: "23". Another text stands for others. */
static inline char *cells_records(sp_cell *cell)
{
    return (char *)cell->part[SP_PART_PROBLEM]->axis[0].value;
}

static inline sp_method *cells_method(sp_cell *cell)
{
    return (sp_method *)cell->method;
}

/* What is given of its algorithm: the text that cells_make was given. */
static inline char *cells_text(sp_cell *cell)
{
    return (char *)cell->part[SP_PART_ALGORITHM]->axis[0].value;
}

static inline void cells_free(sp_cell *cell)
{
    free(cell->measure);
    free((void *)cell->problem);
    free((void *)cell->method);
    for (size_t i = 0; i < SP_PARTS; i++)
        cells_free_axes(cell->part[i]);
    free(cell->label);
}

static inline void cells_plan(sp_plan *plan, sp_cell *cell, size_t count)
{
    static char name[] = "by_hand", scale[] = "default";
    *plan = (sp_plan){ .name = name, .scale = scale, .cell = cell, .cells = count, .seed = 20240601 };
    for (size_t i = 0; i < count; i++) {
        cell[i].index = (uint32_t)i;
        plan->runs += cell[i].skip ? 0 : cell[i].replicates;
    }
}

/* A new empty folder below the current one; remove with cells_remove. */
static inline char *cells_folder(void)
{
    char *folder = sp_copy_text("runner-test-XXXXXX");
    return mkdtemp(folder);
}

static inline void cells_remove(char *folder)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        perror(folder);
    free(folder);
}

#endif
