/* session.h -- an experiment opened by a verb: its plan, its folders, its store. */
#ifndef SP_SESSION_SESSION_H
#define SP_SESSION_SESSION_H

#include "core/session/common.h"
#include "core/store/damage.h"
#include "core/sweep/selection.h"

/* --only LABEL and --where KEY=VALUE, each of which may be repeated (SP_PICKED_OPTIONS of core/cli/options.h). */
typedef struct sp_picked {
    sp_words only, where;
} sp_picked;
/* Room for what may stand among argc words. Free with sp_picked_free. */
sp_status sp_picked_make(int argc, sp_picked *, sp_error *);
void sp_picked_free(sp_picked *);

typedef struct sp_session {
    const sp_picked *picked; /* lent by the verb; NULL: all cells */
    sp_plan plan;
    char *results, *plots; /* folders of this experiment and scale */
    char *tables;          /* the folder of this seed's tables: `results`, or one below it (core/rates/seeds.h) */
    bool discard;          /* tables may lose runs */
    bool lost;             /* a file that was merged was damaged, which was said */
    sp_store *store;       /* NULL until asked for; it holds the runs of all seeds */
} sp_session;

/* Loads the plan of the experiment at `path`, the cells that are not picked left out (NULL: none is); when `fetch`,
 * data sets that the others name and this machine lacks are downloaded first (a failed download is a line on the
 * standard error, and a skip). */
sp_status sp_session_open(const char *path, const sp_common *, const sp_picked *, bool fetch, sp_session *, sp_error *);
/* What was guessed of the user's own files, on the standard error; nothing when the user wants quiet. */
void sp_session_say_guesses(const sp_session *, const sp_common *);
/* The store of results/: made when `write`, and written anew where it is damaged, which is said; else SP_EABSENT where nothing was run yet. The plan gets the winners of its
 * grids, as far as they are known. */
sp_status sp_session_store(sp_session *, bool write, sp_error *);
/* The same for reading; where nothing was run yet there is no store, and that is no error. */
sp_status sp_session_store_if_any(sp_session *, sp_error *);
/* SP_EINVAL: the tables, as their SEAL says, are of another script, which still exists and holds another text. */
sp_status sp_session_own(const sp_session *, sp_error *);
/* Checks that first. Before the first write to `tables`: imports what they hold and the store, which is open for writing, lacks. SP_EINVAL:
 * they hold runs that the experiment does not ask for (--discard); SP_EDATA: they are damaged. */
sp_status sp_session_keep(sp_session *, bool quiet, sp_error *);
/* The tables of the store; SP_EINVAL where they would lose runs without --discard. `same` as of sp_export. */
sp_status sp_session_export(sp_session *, bool *same, sp_error *);
/* Turns to a seed of `run --seeds`, 1 being the experiment's own, with a plan that is read anew: SP_EINVAL when the
 * experiment, or a file that it reads, is no longer what it was when the session was opened. */
sp_status sp_session_seed(sp_session *, size_t number, sp_error *);
/* The run whose name starts with `text`, a tuning run too, of the first seed that has one, to which the session turns;
 * SP_EINVAL for none and for several. Cells of two sweeps may share one run. */
sp_status sp_session_find_run(sp_session *, const char *text, const sp_cell **cell, size_t *replicate, sp_error *);
/* Figures, and tables about them, from the tables in `tables` (sp_plot); `plots` NULL: no figures; `style` NULL: no
 * script of the user's. */
sp_status sp_session_plot(const sp_session *, const char *tables, const char *plots, const char *style,
                          void (*report)(const char *line), sp_error *);
/* Damage that was found while the store was read (core/store/damage.h), on the standard error: the runs by name, label and
 * replicate; and that the store was removed while it was written. Then, and where a file that was merged was damaged, *code becomes
 * SP_EXIT_FAILED where it was SP_EXIT_OK. */
void sp_session_say_damage(const sp_session *, int *code);
/* A line "run 0123456789ab (main/dp_gd, replicate 3): what is wrong" each, where the plan has that run, on the standard error. */
void sp_session_print_damages(const sp_session *, const sp_damages *);
void sp_session_close(sp_session *);

#endif
