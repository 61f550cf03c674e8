/* nowhere.c -- see nowhere.h. */
#include "core/cli/verbs/nowhere.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct label {
    const char *name, *reason; /* reason NULL: a cell of it is not skipped */
} label;

/* The labels of the cells that are not left out. */
static size_t find_labels(const sp_plan *plan, label *out)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->cells; i++) {
        const sp_cell *cell = &plan->cell[i];
        size_t l = 0;
        if (cell->left_out)
            continue;
        while (l < count && strcmp(out[l].name, cell->label) != 0)
            l++;
        if (l == count)
            out[count++] = (label){ cell->label, cell->skip };
        else if (!cell->skip)
            out[l].reason = NULL;
    }
    return count;
}

sp_status sp_check_nowhere(const sp_plan *plan, sp_error *error)
{
    enum { SHOWN = 3 };
    sp_status status = SP_OK;
    sp_text text = { 0 };
    size_t nowhere = 0;
    label *list = sp_alloc(plan->cells + 1, sizeof *list);
    if (!list)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", plan->path);
    const size_t labels = find_labels(plan, list);
    for (size_t i = 0; i < labels; i++)
        if (list[i].reason && nowhere++ < SHOWN)
            sp_text_append(&text, "%s%s: %s", nowhere > 1 ? "; " : "", list[i].name, list[i].reason);
    if (nowhere > SHOWN)
        sp_text_append(&text, "; and %zu more", nowhere - SHOWN);
    if (nowhere > 0)
        status = sp_fail(error, text.failed ? SP_ENOMEM : SP_EINVAL, "%s: %zu method%s did not run at any point (%s): mend what "
                         "the reason names, take the method out, or say --allow-skipped", plan->path, nowhere,
                         nowhere == 1 ? "" : "s", text.failed ? "out of memory" : text.data);
    sp_text_free(&text);
    free(list);
    return status;
}
