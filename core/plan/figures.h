/* figures.h -- what the files share that read an experiment's figures: figures.c what is shown, figure_look.c how. */
#ifndef SP_PLAN_FIGURES_H
#define SP_PLAN_FIGURES_H

#include "core/plan/view.h"

/* Of a figure whose kind, x, y, facet and conditions are known: the words, scales and ranges of its axes, its size and
 * its files. */
sp_status sp_figure_read_look(const sp_view *, const sp_node *table, sp_figure *);

#endif
