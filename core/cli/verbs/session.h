/* session.h -- an experiment opened by a verb: its plan, its folders, its store. */
#ifndef SP_VERBS_SESSION_H
#define SP_VERBS_SESSION_H

#include "core/store/store.h"
#include "core/cli/verbs/verbs.h"

typedef struct sp_session {
    sp_plan plan;
    char *results, *plots; /* folders of this experiment and scale */
    sp_store *store;       /* NULL until asked for */
} sp_session;

/* Loads the plan of the experiment at `path`; when `fetch`, data sets that it names and this machine lacks are
 * downloaded first (a failed download is a line on the standard error, and a skip). */
sp_status sp_session_open(const char *path, const sp_common *, bool fetch, sp_session *, sp_error *);
/* The store of results/: made when `write`, else SP_EABSENT where nothing was run yet. The plan gets the winners of its
 * grids, as far as they are known. */
sp_status sp_session_store(sp_session *, bool write, sp_error *);
/* The same for reading; where nothing was run yet there is no store, and that is no error. */
sp_status sp_session_store_if_any(sp_session *, sp_error *);
/* The run whose name starts with `text`, a tuning run too; SP_EINVAL for none and for several. Cells of two sweeps may
 * share one run. */
sp_status sp_session_find_run(const sp_session *, const char *text, const sp_cell **cell, size_t *replicate,
                              sp_error *);
void sp_session_close(sp_session *);

#endif
