/* figure_data.h -- the table that a figure is drawn from: `gnuplot -c plots/KIND.gp TABLE OUTPUT` needs nothing else.
 *
 * Blocks two blank lines apart, columns by tabs:
 *   0    texts, "key value" a row: title and subtitle (one row a line), x_label, x_log, x_low, x_high, x_marks,
 *        panels, curves, guides, styles (a number for each curve and guide), dashes (a number for each guide),
 *        legend_rows
 *   1    panels, one row each: y_name, y_unit, y_log, y_low, y_high, y_marks
 *   2..  panel by panel the curves (x, mean, low, high, fit, uncounted: the mean where the claim does not count it) and
 *        then the guides (x, y): dash 1 a claimed rate through the middle of the points, or a method that is not
 *        private; dash 2 a bound with its constant; dash 3 the same schedule without noise. The head of the second
 *        column is the entry of the legend.
 * Texts are gnuplot's enhanced texts; NaN is missing.
 *
 * The curve of a label with a claim is the one that its verdict judged: the worst of a family, or an inversion. What
 * runs without noise for such a claim is a guide, no curve. */
#ifndef SP_FIGURES_FIGURE_DATA_H
#define SP_FIGURES_FIGURE_DATA_H

#include "core/evidence/verdict.h"
#include "core/plan/plan.h"

/* What figures show. */
typedef struct sp_evidence {
    const sp_plan *plan;
    const sp_runs *runs;
    const sp_verdict *verdict; /* one for each claim of the plan, in its order */
} sp_evidence;

/* *points = 0: nothing to draw, *out is empty. */
sp_status sp_figure_data(const sp_evidence *, const sp_figure *, sp_text *out, size_t *points, sp_error *);

#endif
