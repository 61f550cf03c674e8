/* folders.h -- what an experiment's results are called, which there are, and their tables. */
#ifndef SP_SESSION_FOLDERS_H
#define SP_SESSION_FOLDERS_H

#include "core/session/common.h"
#include "core/stats/series.h"

/* What the results of an experiment are called in results/: "quickstart.smoke" for "experiments/quickstart.lua",
 * "results/quickstart/" or "quickstart" at the scale smoke. A new string. */
char *sp_folder_of(const sp_common *, const char *experiment);
/* The path of an experiment's file, a new string: the word itself, where it ends in .lua; else
 * experiments/WORD.lua below the root, or among those that the program brings. SP_EABSENT. */
sp_status sp_experiment_path(const sp_common *, const char *word, char **path, sp_error *);
/* The folders in results/ of this scale that hold such a table, sorted; *names and its texts are the caller's, also
 * after a failure. SP_EABSENT without results/. */
sp_status sp_folders_with(const sp_common *, const char *table, char ***names, size_t *count, sp_error *);

typedef struct sp_taken {
    size_t all, failed; /* experiments, and those for which `take` failed */
} sp_taken;
typedef sp_status sp_take_experiment(void *context, const char *experiment, sp_error *);
/* Calls `take` with each of the words; without words, with the name of each experiment that has a runs.tsv in results/ at this
 * scale. When it fails, the message is printed and the next experiment follows. SP_EABSENT without words and results/. */
sp_status sp_each_experiment(const sp_common *, char **word, size_t words, sp_take_experiment *take, void *context, sp_taken *,
                             sp_error *);

/* The tables in results/NAME, without streams (seed 0). SP_EABSENT with the nearest folder that has some. */
sp_status sp_open_runs(const sp_common *, const char *name, sp_runs *, sp_error *);
/* After SP_EABSENT for a table of results/NAME: the message names the folder with that table which is called most like
 * it, if any is. */
void sp_suggest_folder(const sp_common *, const char *name, const char *table, sp_error *error);

/* SP_OK when a word is among those known, else SP_EINVAL: "PLACE has no WHAT WORD" and the nearest, or all of them. */
sp_status sp_need_word(const char *const *known, size_t count, const char *place, const char *what, const char *word,
                       sp_error *);

#endif
