/* selection.c -- see selection.h. */
#include "core/sweep/selection.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* --- one condition ------------------------------------------------------------------------------------------- */

/* The tuning of a tuned cell: they stand in the order of their cells. */
static const sp_tuning *tuning_of(const sp_plan *plan, const sp_cell *cell)
{
    size_t low = 0, high = plan->tunings;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (plan->tuning[middle].cell <= cell->index)
            low = middle;
        else
            high = middle;
    }
    return &plan->tuning[low];
}

/* Is the axis of this name, full or short, one that the grid of the cell chooses? */
static bool is_chosen(const sp_plan *plan, const sp_cell *cell, const char *name)
{
    static const char prefix[] = "algorithm.";
    const char *key = strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : name;
    if (!cell->tuned)
        return false;
    const sp_tuning *grid = &plan->tuning[tuning_of(plan, cell)->from];
    for (size_t k = 0; k < grid->keys; k++)
        if (strcmp(grid->member->key[k].key, key) == 0)
            return true;
    return false;
}

static const char *value_of(const sp_plan *plan, const sp_cell *cell, const char *key)
{
    if (strcmp(key, "sweep") == 0)
        return cell->sweep;
    return is_chosen(plan, cell, key) ? NULL : sp_cell_axis(cell, key);
}

static bool same_value(const char *a, const char *b)
{
    double x, y;
    return strcmp(a, b) == 0 || (sp_read_number(a, &x) && sp_read_number(b, &y) && x == y);
}

/* "n" of "problem.n" */
static const char *short_name(const char *axis)
{
    static const char *const parts[] = { "algorithm.", "privacy.", "problem." };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strncmp(axis, parts[i], strlen(parts[i])) == 0)
            return axis + strlen(parts[i]);
    return axis;
}

/* "n=1000" taken apart */
typedef struct condition {
    char *key;
    const char *value;
} condition;

static bool has_label(const sp_selector *s, const sp_cell *cell)
{
    bool any = s->labels == 0;
    for (size_t i = 0; i < s->labels && !any; i++)
        any = strcmp(s->label[i], cell->label) == 0;
    return any;
}

static bool meets(const sp_plan *plan, const condition *where, size_t wheres, const sp_cell *cell)
{
    for (size_t i = 0; i < wheres; i++) {
        const char *value = value_of(plan, cell, where[i].key);
        bool any = false;
        for (size_t k = 0; value && k < wheres && !any; k++)
            any = strcmp(where[k].key, where[i].key) == 0 && same_value(value, where[k].value);
        if (!any)
            return false;
    }
    return true;
}

/* --- refusals ------------------------------------------------------------------------------------------------ */

typedef struct known {
    const char **name;
    size_t count;
} known;

static void add(known *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->name[i], name) == 0)
            return;
    list->name[list->count++] = name;
}

/* "--only dp_gb: no cell has this label; did you mean dp_gd?", or the whole list */
static sp_status refuse(const char *option, const char *word, const char *what, const known *list, sp_error *error)
{
    enum { SHOWN = 24 };
    sp_text text = { 0 };
    const char *near = sp_nearest(word, list->name, list->count);
    sp_text_append(&text, "%s: no cell has this %s", option, what);
    if (near)
        sp_text_append(&text, "; did you mean %s?", near);
    sp_text_append(&text, "%s", near ? " (there are " : "; there are ");
    for (size_t i = 0; i < list->count && i < SHOWN; i++)
        sp_text_append(&text, "%s%s", i > 0 ? ", " : "", list->name[i]);
    sp_text_append(&text, "%s%s", list->count > SHOWN ? ", ..." : "", near ? ")" : "");
    const sp_status status = text.failed ? sp_fail(error, SP_ENOMEM, "selection: out of memory")
                                         : sp_fail(error, SP_EINVAL, "%s", text.data);
    sp_text_free(&text);
    return status;
}

static sp_status check_label(const sp_plan *plan, const char *label, known *labels, sp_error *error)
{
    labels->count = 0;
    for (size_t i = 0; i < plan->cells; i++) {
        if (strcmp(plan->cell[i].label, label) == 0)
            return SP_OK;
        add(labels, plan->cell[i].label);
    }
    char *option = sp_format("--only %s", label);
    const sp_status status = option ? refuse(option, label, "label", labels, error)
                                    : sp_fail(error, SP_ENOMEM, "selection: out of memory");
    free(option);
    return status;
}

static sp_status check_where(const sp_plan *plan, const condition *where, const char *text, known *list,
                             sp_error *error)
{
    bool any = false, chosen = false;
    list->count = 0;
    for (size_t i = 0; i < plan->cells; i++) {
        const char *value = value_of(plan, &plan->cell[i], where->key);
        any = any || value;
        chosen = chosen || is_chosen(plan, &plan->cell[i], where->key);
        if (value && same_value(value, where->value))
            return SP_OK;
        if (value)
            add(list, value);
    }
    if (chosen && !any)
        return sp_fail(error, SP_EINVAL, "--where %s: a grid chooses %s: it names no cell", text, where->key);
    for (size_t i = 0; i < plan->cells && !any; i++)
        for (sp_axis_at axis = { 0 }; sp_cell_next_axis(&plan->cell[i], &axis);)
            if (!is_chosen(plan, &plan->cell[i], axis.key))
                add(list, short_name(axis.key));
    char *option = sp_format("--where %s", text);
    const sp_status status = option ? refuse(option, any ? where->value : where->key, any ? "value" : "axis", list,
                                             error)
                                    : sp_fail(error, SP_ENOMEM, "selection: out of memory");
    free(option);
    return status;
}

/* What the texts of all cells need room for. */
static size_t most_names(const sp_plan *plan)
{
    size_t most = 1;
    for (size_t i = 0; i < plan->cells; i++)
        most += 1 + sp_cell_axes(&plan->cell[i]);
    return most;
}

/* Every label and condition by itself is some cell's. */
static sp_status check(const sp_plan *plan, const sp_selector *s, const condition *where, sp_error *error)
{
    sp_status status = SP_OK;
    known list = { .name = sp_alloc(most_names(plan), sizeof *list.name) };
    if (!list.name)
        return sp_fail(error, SP_ENOMEM, "selection: out of memory");
    for (size_t i = 0; i < s->labels; i++)
        SP_TRY(check_label(plan, s->label[i], &list, error));
    for (size_t i = 0; i < s->wheres; i++)
        SP_TRY(check_where(plan, &where[i], s->where[i], &list, error));
cleanup:
    free(list.name);
    return status;
}

/* --- what the tuned ones need ---------------------------------------------------------------------------------- */

/* Tunings that some selected cell needs. */
static bool *find_needed(const sp_plan *plan)
{
    bool *needed = sp_alloc(plan->tunings + 1, sizeof *needed);
    for (size_t i = 0; needed && i < plan->tunings; i++) {
        const sp_tuning *t = &plan->tuning[i];
        for (size_t m = 0; m < t->members; m++)
            needed[t->from] = needed[t->from] || !plan->cell[t->cell + m].left_out;
    }
    return needed;
}

sp_status sp_leave_out_tuning(sp_plan *plan, sp_error *error)
{
    bool *needed = find_needed(plan);
    if (!needed)
        return sp_fail(error, SP_ENOMEM, "selection: out of memory");
    for (size_t i = 0; i < plan->tunings; i++) {
        const sp_tuning *t = &plan->tuning[i];
        for (size_t m = 0; m < t->members && t->derives; m++)
            plan->base[t->base + m].left_out = !needed[i];
        for (size_t k = 0; k < t->members * t->points; k++)
            plan->trial[t->trial + k].left_out = !needed[i];
    }
    free(needed);
    return SP_OK;
}

/* --- all --------------------------------------------------------------------------------------------------- */

sp_status sp_plan_select(sp_plan *plan, const sp_selector *s, sp_error *error)
{
    sp_status status = SP_OK;
    size_t selected = 0;
    condition *where = sp_alloc(s->wheres + 1, sizeof *where);
    if (!where)
        return sp_fail(error, SP_ENOMEM, "selection: out of memory");
    for (size_t i = 0; i < s->wheres; i++) {
        const char *equals = strchr(s->where[i], '=');
        if (!equals || equals == s->where[i] || equals[1] == '\0')
            SP_TRY(sp_fail(error, SP_EINVAL, "--where %s: must be KEY=VALUE, as in --where n=1000", s->where[i]));
        where[i].value = equals + 1;
        if (!(where[i].key = sp_format("%.*s", (int)(equals - s->where[i]), s->where[i])))
            SP_TRY(sp_fail(error, SP_ENOMEM, "selection: out of memory"));
    }
    SP_TRY(check(plan, s, where, error));
    for (size_t i = 0; i < plan->cells; i++) {
        sp_cell *cell = &plan->cell[i];
        cell->left_out = !(has_label(s, cell) && meets(plan, where, s->wheres, cell));
        selected += !cell->left_out;
    }
    if (selected == 0)
        SP_TRY(sp_fail(error, SP_EINVAL, "%s: no cell has all that --only and --where ask for", plan->path));
    SP_TRY(sp_leave_out_tuning(plan, error));
cleanup:
    for (size_t i = 0; i < s->wheres; i++)
        free(where[i].key);
    free(where);
    return status;
}

bool sp_plan_is_whole(const sp_plan *plan)
{
    for (size_t i = 0; i < plan->cells; i++)
        if (plan->cell[i].left_out)
            return false;
    return true;
}

size_t sp_runs_of(const sp_cell *cell, size_t cells)
{
    size_t runs = 0;
    for (size_t i = 0; i < cells; i++)
        runs += cell[i].skip || cell[i].left_out ? 0 : cell[i].replicates;
    return runs;
}
