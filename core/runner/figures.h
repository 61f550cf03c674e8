/* figures.h -- figures from exported tables: statistics computed here, written as tables, drawn by gnuplot. */
#ifndef SP_RUNNER_FIGURES_H
#define SP_RUNNER_FIGURES_H

#include "core/runner/export.h"

/* Reads `results`/runs.tsv (and traces.tsv), writes `results`/summary.tsv and fits.tsv, and draws every figure of the plan
 * as plots/<experiment>/<figure>.svg and .png with plots/<kind>.gp. A figure without a single point is not drawn, and the
 * reason is reported. `report` gets a line a figure. */
sp_status sp_plot(const sp_plan *, const char *results, const char *plots, const char *scripts,
                  void (*report)(const char *line), sp_error *);

#endif
