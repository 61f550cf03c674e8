/* audited.h -- were the methods of the runs audited? Answered from audits.tsv (core/store/audits.h), whose columns
 * `algorithm`, `algorithm.first`, ... name a method as in cells.tsv. */
#ifndef SP_STATS_AUDITED_H
#define SP_STATS_AUDITED_H

#include "core/stats/series.h"

/* "yes", "no", "failed"; SP_AUDITED_NONE: a run without a budget. "no" where there is no table. */
#define SP_AUDITED_NONE "-"
const char *sp_runs_audited(const sp_runs *, size_t row);
/* Of the runs of a label of a sweep (NULL: of any) the worst: "failed", "no", "yes", in this order. *finding (may be
 * NULL): what failed, of "failed". */
const char *sp_label_audited(const sp_runs *, const char *sweep, const char *label, const char **finding);
/* Adds "audit FAILED: dp_gd, dp_sgd", a line that begins with `before`, of those labels whose audits failed; nothing
 * where none did. */
void sp_append_failed_audits(const sp_runs *, const char *sweep, const char *const *label, size_t labels,
                             const char *before, sp_text *out);
/* Is there a table of audits? */
bool sp_runs_have_audits(const sp_runs *);

/* SP_EDATA for a table that sp_export does not write; an empty one is none. */
sp_status sp_audits_check(const sp_table *, const char *results, sp_error *);

#endif
