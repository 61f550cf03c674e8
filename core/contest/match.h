/* match.h -- decides which cells of two labels are compared with each other: those at one point of a sweep.
 *
 * A point is given by all axes except the method's own parameters, and by those own parameters that both labels sweep.
 * If only one label sweeps a parameter, each of its values is a point, and is compared with the other label's single
 * cell. If one of two cells lacks an axis of privacy (a method without privacy has no epsilon) and they agree in the
 * others, they match, unless the other label has a cell at exactly that point. So the one cell of gd is compared with
 * dp_gd at every epsilon. Private cells with different neighbours never match; the default of privacy.neighbours is
 * replace_one. */
#ifndef SP_CONTEST_MATCH_H
#define SP_CONTEST_MATCH_H

#include "core/stats/series.h"

typedef struct sp_match {
    size_t label, base; /* first row of the cell of the label, and of the cell of the base */
    char *at;           /* "epsilon=1, n=1000": the axes that tell points apart, but the family; "-": none does */
} sp_match;

typedef struct sp_matches {
    sp_match *match;    /* in the order of the table */
    size_t count;
    size_t alone;       /* cells of either label without a match; 0 when a label is not in the sweep at all */
} sp_matches;

/* Within the sweep in rows [begin, end). family: a column that `at` leaves out; columns of the table for none. */
void sp_match_cells(const sp_runs *, size_t begin, size_t end, const char *label, const char *base, size_t family,
                    sp_matches *);
void sp_matches_free(sp_matches *);

#endif
