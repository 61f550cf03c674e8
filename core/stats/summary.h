/* summary.h -- statistics of an experiment as tables. */
#ifndef SP_STATS_SUMMARY_H
#define SP_STATS_SUMMARY_H

#include "core/rates/verdict.h"

/* Results/summary.tsv: one row a cell and measure, of the tables there, of which one cell's runs are held at once. Errors as of
 * sp_runs_open. */
sp_status sp_summary_write(const char *results, sp_error *);
/* Results/fits.tsv: one row a claim. */
sp_status sp_fits_write(const sp_verdict *, size_t count, const char *results, sp_error *);

#endif
