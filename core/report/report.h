/* report.h -- one HTML file for what experiments have shown: verdicts, then each experiment, then each method. It is
 * made from exported tables and drawn figures alone, holds all that it shows, and asks no network for anything. */
#ifndef SP_REPORT_REPORT_H
#define SP_REPORT_REPORT_H

#include "core/plan/plan.h"

typedef struct sp_reported {
    const sp_plan *plan;
    const char *results, *plots; /* folders of this experiment and scale */
} sp_reported;

/* `made_by`: a line for the end of the page. `manual`: where the manual is (below it docs/README.md), as a URL or a path
 * from the page; NULL: nothing links there. The same tables, figures and line give the same bytes. A figure that was
 * not drawn as SVG is left out, and `say` (may be NULL) gets a line that says so. SP_EABSENT for an experiment
 * without tables. */
sp_status sp_report(const sp_reported *, size_t count, const char *made_by, const char *manual,
                    void (*say)(const char *line), sp_text *out, sp_error *);

#endif
