/* shown.c -- which measures of a cell some figure follows along the way. */
#include "core/plan/plan_internal.h"
#include "core/plan/view.h"

#include <string.h>

static uint16_t panels_of(const sp_figure *figure, const sp_cell *cell)
{
    uint16_t shown = 0;
    for (size_t i = 0; i < cell->measures; i++)
        for (size_t p = 0; p < figure->panels; p++)
            if (strcmp(figure->y[p], cell->measure[i]->name) == 0)
                shown |= (uint16_t)(1u << i);
    return shown;
}

void sp_plan_mark_shown(sp_plan *plan)
{
    _Static_assert(SP_MEASURES_MAX <= 16, "a bit a measure");
    for (size_t f = 0; f < plan->figures; f++) {
        const sp_figure *figure = &plan->figure[f];
        if (strcmp(figure->kind, "trajectory") != 0)
            continue;
        for (size_t i = 0; i < plan->cells; i++) {
            sp_cell *cell = &plan->cell[i];
            if (strcmp(cell->sweep, figure->sweep) == 0 && cell->checkpoints > 0.0 &&
                sp_view_selects(cell, NULL, figure->where, figure->wheres))
                cell->shown |= panels_of(figure, cell);
        }
    }
}
