/* figure_data.h -- the table that a figure is drawn from: `gnuplot -c plots/KIND.gp TABLE OUTPUT` needs nothing else.
 *
 * Blocks two blank lines apart, columns by tabs:
 *   0    texts, "key value" a row: title and subtitle (one row a line), x_label, x_log, x_low, x_high, x_marks,
 *        panels, curves, guides, styles (a number for each curve and guide), legend_rows
 *   1    panels, one row each: y_name, y_unit, y_log, y_low, y_high, y_marks
 *   2..  panel by panel the curves (x, mean, low, high, fit) and then the guides (x, y), dashed: a claimed rate, or a
 *        method that is not private. The head of the second column is the entry of the legend.
 * Texts are gnuplot's enhanced texts; NaN is missing. */
#ifndef SP_RUNNER_FIGURE_DATA_H
#define SP_RUNNER_FIGURE_DATA_H

#include "core/runner/series.h"

/* *points = 0: nothing to draw, *out is empty. */
sp_status sp_figure_data(const sp_runs *, const sp_figure *, sp_text *out, size_t *points, sp_error *);

#endif
