/* figures.h -- figures from exported tables: statistics computed here, written as tables, drawn by gnuplot. */
#ifndef SP_FIGURES_FIGURES_H
#define SP_FIGURES_FIGURES_H

#include "core/plan/plan.h"

/* Reads `results`/cells.tsv and runs.tsv (tuning.tsv; traces.tsv for a trajectory), writes `results`/summary.tsv (a row
 * a cell and measure), fits.tsv and claims.tsv (a row a claim), and for every figure of the plan
 * `results`/figures/FIGURE.tsv, from which `scripts`/figure.gp draws `plots`/FIGURE.svg; `results` and `plots` are the
 * folders of the experiment. `plots` NULL: no figures and none of their tables. A figure without a single point and a
 * trajectory without traces.tsv are not drawn, and the reason is reported. `report` (may be NULL) gets a line a figure.
 * SP_EABSENT when there are no tables or no gnuplot, SP_EINVAL when several cells stand at one point of a figure or a
 * claim (the message names what differs), SP_EIO with gnuplot's own words; then the figure that was there stays. */
sp_status sp_plot(const sp_plan *, const char *results, const char *plots, const char *scripts,
                  void (*report)(const char *line), sp_error *);

#endif
