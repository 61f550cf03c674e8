/* plan_internal.h -- what the files of this folder share: the plan being built, and one function a part of the experiment. */
#ifndef SP_PLAN_PLAN_INTERNAL_H
#define SP_PLAN_PLAN_INTERNAL_H

#include "core/lua/host.h"
#include "core/problem/own_file.h"
#include "core/plan/plan.h"

/* A user's file, looked at once a plan, however many ways there are to make records of it. */
typedef struct sp_seen_file {
    struct sp_seen_file *next;
    sp_own_file file;
    sp_storage asked, storage;      /* asked for; and of the records that were counted */
    size_t n, d;                    /* number and dimension of its records */
    double label_bound;             /* no |label| is larger */
} sp_seen_file;

/* A program that an experiment names as a method, found once. */
typedef struct sp_program_found {
    struct sp_program_found *next;
    const char *path, *command;     /* of its table, and its words */
    sp_algorithm algorithm;
} sp_program_found;

typedef struct sp_build {
    sp_plan *plan;
    sp_arena *arena;   /* of the trees being made: the plan's own, or `scratch` while cells are made */
    sp_arena *scratch; /* emptied after each cell, each variant of the problem, each sweep */
    sp_texts *texts;   /* names, keys of axes, in the plan's arena; NULL once the plan is made */
    sp_lua *lua;       /* in which the functions of the experiment are called */
    sp_error *error;   /* where a refusal says why */
    sp_seen_file *seen; /* the first of a list */
    sp_program_found *programs; /* the same */
    const sp_node *root; /* the experiment's table at this scale */
    sp_text mistakes;  /* refusals that did not stop the reading, a line each kind */
    size_t mistaken, refused; /* how many lines, and how many refusals */
    bool unreadable;   /* a table that cells need is none */
} sp_build;

/* A mistake of the experiment's (SP_EINVAL) is kept for the list of all, and reading goes on; nothing else is. Its line is
 * that of the path that its message begins with, or of `path`. */
sp_status sp_mistake(sp_build *, sp_status);
sp_status sp_mistake_at(sp_build *, const char *path, sp_status);
/* Keys that one table gives twice, of which Lua keeps the last: a mistake each. */
sp_status sp_mistakes_twice(sp_build *);
/* One mistake is said as it is, several in a list, of which a message shows what it has room for; SP_OK: there is none. */
sp_status sp_mistakes_say(sp_build *);
/* Every key of a table is known, and every value that can be judged by itself allowed: numbers, flags and texts, where
 * `lists` also those in a list, while functions and tables are left to others. What is wrong is a mistake each; *table is
 * then without it, so that reading goes on. SP_EINVAL for what is no table of keys. */
sp_status sp_check_keys(sp_build *, const sp_node **table, const sp_param *keys, bool lists);

/* What a function of the cell may read, growing as the cell is resolved: an object whose path is "cell". */
typedef const sp_node *sp_scope;

#define SP_NEED(build, pointer)                                        \
    do {                                                               \
        if (!(pointer))                                                \
            return sp_fail((build)->error, SP_ENOMEM, "out of memory"); \
    } while (0)

/* Names that may stand somewhere, for "did you mean". */
typedef struct sp_names {
    const char *name[128];
    size_t count;
} sp_names;
void sp_names_add(sp_names *, const char *name);
/* "problem.loss = "logistc": no such loss; did you mean logistic?" */
sp_status sp_no_such(sp_build *, const char *path, const char *what, const char *name, const sp_names *);

/* scope[key] = value */
sp_status sp_scope_set(sp_build *, sp_scope *, const char *key, const sp_node *value);
/* One copy of a text, in the plan's arena. NULL when out of memory. */
char *sp_keep(sp_build *, const char *text);
/* A variant with every function replaced by its value; its texts are single lines. */
sp_status sp_resolve(sp_build *, sp_scope, const sp_node *, const sp_node **out);
/* The parameters of a name or method; those that are methods themselves become sp_method. */
sp_status sp_read_params(sp_build *, const sp_node *, const sp_param *, sp_values *);
/* The method that a name or a table stands for: a program, one that the experiment defines, or a registered one. */
sp_status sp_find_algorithm(sp_build *, const sp_node *, const sp_algorithm **);
/* A program, { "external", command = ... }; the table has been spelled out. */
sp_status sp_find_program(sp_build *, const sp_node *, const sp_algorithm **);
/* The lists of words in the table of a program, or of programs within it, become texts: they are no sweeps. */
sp_status sp_spell_programs(sp_build *, const sp_node **);
sp_status sp_read_method(sp_build *, const sp_node *, sp_method *);
/* The same for cells to share. */
sp_status sp_keep_method(sp_build *, const sp_node *, const sp_method **);

extern const sp_param sp_experiment_keys[], sp_entry_keys[], sp_program_keys[], sp_problem_keys[];
/* A variant of the problem, read. */
typedef struct sp_read_problem {
    sp_problem_spec spec;
    sp_constants certified, declared;
    bool resample;          /* as in sp_cell */
    char *skip;             /* why it cannot be run here; NULL: it can */
    const sp_node *tree;    /* resolved, n and d of real data added */
} sp_read_problem;
/* Adds n, d, loss and problem to the scope. What is as it was `before` (NULL: there was none) is shared with it. */
sp_status sp_plan_problem(sp_build *, const sp_node *variant, const sp_read_problem *before, sp_scope *,
                          sp_read_problem *out);

/* One sweep, read but not expanded. */
typedef struct sp_method_entry {
    const sp_node *node;    /* without label, privacy and tune */
    const sp_node *privacy; /* its own; NULL: the sweep's */
    const sp_algorithm *algorithm;
    char *label;            /* of its cells, in tables and figures */
    const sp_node *tune;    /* its grid, or the label of another's; NULL: not tuned */
    size_t points;          /* of its own grid, else 0 */
    const struct sp_method_entry *lender; /* whose winners it takes */
} sp_method_entry;

typedef struct sp_sweep {
    const char *name;
    const sp_node *problem, *privacy, *measures; /* privacy may be NULL; measures are checked names */
    const char *family;     /* "problem.loss.slope", or NULL; `problem` is without it */
    const sp_node *members; /* its list */
    const sp_method_entry *entry; /* its algorithms */
    size_t entries;
    bool partial;           /* without those that were refused: what compares them with each other is left out */
    size_t replicates, tuning_replicates; /* of each cell, and of each tuning run */
    const sp_measure *tuning_measure;     /* by which a grid point wins */
    const sp_measure **tuning_measures;   /* it alone */
    double checkpoints;     /* in a decade of steps */
    bool keep_iterates;
} sp_sweep;

enum { SP_CELLS_MAX = 100000 }; /* of a plan, with those of its tuning runs: some 300 MB */

extern const sp_param sp_privacy_keys[];
/* What a resolved tree gives to a part of cells. */
sp_status sp_axes_make(sp_build *, sp_part, const sp_node *, const sp_axes **);
/* The first place in which two trees of a part differ, and its key; the last one of all where none does. Both may have
 * functions. */
sp_status sp_axes_places(sp_build *, sp_part, const sp_node *one, const sp_node *other, const char **place,
                         const char **other_place, const char **key);
/* A cell's method and its part of the algorithm, which shows the tree `shown`. NULL for `method`: it is not known yet. */
sp_status sp_cell_give_method(sp_build *, const sp_node *shown, const sp_node *method, sp_cell *);
/* Room for `more` cells, which sp_cell_append then adds. */
sp_status sp_cell_reserve(sp_build *, sp_cell **list, size_t count, size_t more);
void sp_cell_append(sp_cell *list, size_t *count, const sp_cell *);

/* Checks of `tune` what can be checked before there is a cell, and counts its points. */
sp_status sp_tune_read(sp_build *, sp_method_entry *);
/* Refuses grids of different sizes; finds the lenders of `tune = "label"`. */
sp_status sp_tune_compare(sp_build *, sp_method_entry *, size_t entries);
/* The grid of one member: functions called in `scope`. *method gets what the grid must give for it to be read (the
 * first values of required parameters), *shown the whole grid, as text. */
sp_status sp_tune_member(sp_build *, const sp_method_entry *, sp_scope, const sp_node **method, const sp_node **shown,
                         sp_tuned_member *);
/* One point, its cells and members filled in: adds it with the cells of its tuning runs. */
sp_status sp_tune_point(sp_build *, const sp_sweep *, const sp_method_entry *, const sp_tuning *point);
/* Finds the lenders among a sweep's tunings, which start at `first`. */
sp_status sp_tune_lend(sp_build *, size_t first);

/* Appends the sweep's cells to the plan; refuses two that are equal. */
sp_status sp_plan_cells(sp_build *, const sp_sweep *);

/* Refuses the text of a heading that a spreadsheet would take for a formula. */
sp_status sp_plan_heading(sp_build *, const sp_node *text);

/* Claims and figures of one sweep, whose cells are [first, plan->cells). The node may be NULL. */
extern const sp_param sp_claim_keys[], sp_figure_keys[];
sp_status sp_plan_claims(sp_build *, const sp_node *, const sp_sweep *, size_t first);
sp_status sp_plan_figures(sp_build *, const sp_node *, const sp_sweep *, size_t first);
/* The labels and measures that its claims and figures name, of a sweep whose cells cannot be made. */
sp_status sp_view_names(sp_build *, const sp_node *table, const sp_sweep *, bool measured);
/* What methods refuse of the cells before they need a record, as mistakes. */
sp_status sp_plan_rehearse(sp_build *);

/* Sets sp_cell.shown, once all cells and figures are there. */
void sp_plan_mark_shown(sp_plan *);

#endif
