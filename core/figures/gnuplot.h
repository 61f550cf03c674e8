/* gnuplot.h -- gnuplot as a process: without a shell, and without the user's own settings (-d), so that the same table
 * gives the same figure. */
#ifndef SP_FIGURES_GNUPLOT_H
#define SP_FIGURES_GNUPLOT_H

#include "core/base/status.h"

#include <stdbool.h>

/* gnuplot -c script input output [style]. It would run a shell for a name that begins with '<' or '|': all are made
 * absolute. SP_EABSENT when it is not installed, SP_EIO with its own words when it fails. */
sp_status sp_gnuplot(const char *script, const char *input, const char *output, const char *style, sp_error *);
/* Can it draw on such a terminal, a word like "pdfcairo"? SP_EABSENT when it is not installed. */
sp_status sp_gnuplot_has(const char *terminal, bool *has, sp_error *);

#endif
