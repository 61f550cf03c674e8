/* axis.h -- range and marks of a plot's axis. */
#ifndef SP_FIGURES_AXIS_H
#define SP_FIGURES_AXIS_H

#include "core/plan/plan.h"

typedef struct sp_axis {
    sp_scale scale;
    double low, high; /* first of the data, then of the axis */
    bool positive;    /* all data are */
} sp_axis;

sp_axis sp_axis_start(sp_scale);
/* Ascending values, no two the same, whose ratios are more alike than their differences: 1, 3, 10, but not 6, 8, 10. */
bool sp_is_geometric(const double *value, size_t count);
/* Takes a value into account; non-finite ones never, those without a logarithm not on a logarithmic axis. */
void sp_axis_add(sp_axis *, double value);
/* Decides an automatic scale (logarithmic when all values are positive and span more than a decade) and adds
 * `margin` times its length at both ends. */
void sp_axis_finish(sp_axis *, double margin);
/* Of a finished axis: 0 at its low end, 1 at its high end. */
double sp_axis_share(const sp_axis *, double value);
/* Is the value between its ends? */
bool sp_axis_holds(const sp_axis *, double value);
/* "label position label position ...": marks at round numbers inside the range; the label "-" is a mark without one, as
 * where it would touch the one before: `length` is that of the axis in pixels, `upright` that its labels are above each
 * other. */
void sp_axis_marks(const sp_axis *, double length, bool upright, sp_text *out);

#endif
