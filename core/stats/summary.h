/* summary.h -- summary.tsv, the statistics of every cell of an experiment. */
#ifndef SP_STATS_SUMMARY_H
#define SP_STATS_SUMMARY_H

#include "core/base/status.h"

/* Writes summary.tsv into the folder `results`: one row a cell and measure, of the tables there. The runs of one cell
 * are held at once. Errors as of sp_runs_open. */
sp_status sp_summary_write(const char *results, sp_error *);

#endif
