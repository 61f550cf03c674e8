/* figure_data.h -- the table that a figure is drawn from: `gnuplot -c plots/figure.gp TABLE OUTPUT` needs nothing else.
 *
 * Blocks two blank lines apart, columns by tabs, all places in pixels from the left and the top:
 *   0    "key value" a row: width and height, x_log, x_low, x_high, x_marks, across (panels in a row), panels, curves,
 *        guides, point_size; colours and dashes (one for each curve and guide; see the script), shapes of the curves;
 *        ringed where some curve has the column edge; of a figure of a given size scale (what such a pixel is drawn as),
 *        keyed where its words are below the panels; x_each where panels have an x of their own; asides, by which the x of the curves of the first panel are
 *        multiplied, so that they stand side by side and have bars, no bands; fields, the methods of a square, which
 *        has no panels
 *   1    panels, one row each: left, top, width, height, y_log, y_low, y_high, y_marks; with x_each x_log, x_low,
 *        x_high, x_marks
 *   2    texts: x, y (of the left end, or of the middle for the labels of axes), colour, size (0 title, 1 name of a
 *        curve, 2 small, 3 and 4 label of an axis, along and upright, 5 small and ending there, 6 small and rising), text
 *   3    leaders from the end of a curve to its words: x, y, and how far right and down
 *   4..  panel by panel the curves (x, mean, low, high, line: fitted, or the mean itself; counted: by the
 *        claim, 0 or 1; edge: was the winner of its tuning at an end of the grid) and then the guides (x, y). The head of the second column is the label.
 *   4, 5 of a square: its fields (x, y, width, height, colour, ink of the mark, mark: 1 the two differ, 2 they are
 *        equivalent; then label, base and what `score --table dominance` says of them), and those that tell what
 *        colours and marks mean
 *   last keyed: where each curve and guide has a sample of its line (x of the left end, y)
 * Texts are gnuplot's enhanced texts; NaN is missing.
 *
 * The curve of a label with a claim is the one that its verdict judged: the worst of a family, or an inversion. What
 * runs without noise for such a claim is a guide, no curve. Claims of a curve that say the same power share a guide: a
 * power stands beside the curve, for it says nothing but a slope; a bound has its constant, or the least with which it
 * is above all points. A bound or what is left without noise that is far from all curves is a note below the panels. In
 * panels of the accuracy the guide "majority class" is the share of that class. */
#ifndef SP_FIGURES_FIGURE_DATA_H
#define SP_FIGURES_FIGURE_DATA_H

#include "core/rates/verdict.h"
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
