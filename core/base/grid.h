/* grid.h -- a grid of parameter settings as one text, such as "steps=5,10,20 eta=0.1,1": keys separated by blanks,
 * values by commas. The points of the grid are all combinations of one value per key; the values of the last key change
 * fastest. The empty text has one point, which sets nothing. */
#ifndef SP_BASE_GRID_H
#define SP_BASE_GRID_H

#include "core/base/param.h"

enum { SP_GRID_POINTS = 1000000 }; /* most of them */

/* SP_EINVAL, `path` naming the place: what the table of these values does not know or refuses, a text or a method, a
 * key twice, or already given in `values`, a value twice, too many points. *points may be NULL. */
sp_status sp_grid_check(const sp_values *values, const char *path, const char *grid, size_t *points, sp_error *);
/* Sets the keys of a grid that has been checked as its point number `point` says. */
sp_status sp_grid_set(sp_values *, const char *path, const char *grid, size_t point, sp_error *);

#endif
