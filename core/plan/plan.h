/* plan.h -- a Lua experiment, read, checked and expanded into cells in a stable order. Nothing here runs a cell; a
 * user's own file is opened to learn n and d. What an experiment may hold: docs/how_to/write_an_experiment.md, docs/reference/keys.md. */
#ifndef SP_PLAN_PLAN_H
#define SP_PLAN_PLAN_H

#include "core/plan/tuning.h"

enum { SP_PANELS_MAX = 6 };

/* The key `plugins` and the option --plugin are refused with this advice. */
#define SP_PLUGINS_REFUSED                                                                                           \
    "shared libraries are not loaded: build in a folder with the sources (./bootstrap --with FOLDER), or write the "   \
    "method in Lua or as an external program"

typedef enum { SP_SCALE_AUTOMATIC, SP_SCALE_LINEAR, SP_SCALE_LOGARITHMIC } sp_scale;

/* How an axis of a figure is to look. */
typedef struct sp_figure_axis {
    char *label;      /* words for it; NULL: not given */
    sp_scale scale;
    bool ranged;      /* from low to high */
    double low, high;
} sp_figure_axis;

typedef enum { SP_FORMAT_SVG = 1, SP_FORMAT_PDF = 2, SP_FORMAT_PNG = 4 } sp_figure_format;

typedef struct sp_figure {
    char *sweep;            /* whose cells it shows */
    bool across;            /* over the cells of all sweeps */
    char *name;             /* of the file */
    char *kind;             /* rate, residual, trade_off, trajectory, profile, dominance, search, utility */
    char *title;            /* NULL: not given */
    char *x;                /* an axis; of a trajectory what is counted, a column of traces.tsv or one that is made of
                             * them (series.h); NULL: not given */
    char *y[SP_PANELS_MAX]; /* one panel a measure; of a facet, and of kind utility, the measure of every panel */
    size_t panels;
    sp_axis_value *where;   /* what its cells have */
    size_t wheres;
    char **label;           /* the only ones that it shows, in their order; NULL: all of the sweep */
    size_t labels;
    char *facet;            /* an axis, a panel a value; NULL: none */
    char *facet_value[SP_PANELS_MAX];
    sp_figure_axis x_axis, y_axis[SP_PANELS_MAX];
    unsigned formats;       /* sum of sp_figure_format; 0: SVG */
    double width, height;   /* mm; 0: as its words need */
} sp_figure;

/* A measure that a sweep names and some problem of it has not. */
typedef struct sp_unfit {
    const char *sweep, *reason;
    const sp_measure *measure;
} sp_unfit;

/* What a rehearsal said of a cell: how many oracle calls (a record at a point each) its method announces, in how many
 * releases. */
typedef struct sp_cell_cost {
    uint32_t cell;
    bool partial;          /* another method within it comes later, and announces more */
    double calls, releases;
} sp_cell_cost;

typedef struct sp_plan {
    char *name;            /* of the experiment: the file's base name without .lua */
    char *path, *scale;
    char *question, *source;
    char script[SP_HASH_HEX]; /* hash of the script and of everything it includes */
    uint64_t seed;
    sp_cell *cell;
    size_t cells;
    size_t runs;           /* sum of replicates over cells that are not skipped */
    sp_tuning *tuning;     /* in the order of their cells */
    size_t tunings;
    sp_cell *base, *trial; /* cells of tuning runs, without a trace and with the tuning measure alone */
    size_t bases, trials;
    size_t tuning_runs;    /* sum of their replicates */
    sp_claim *claim;
    size_t claims;
    sp_figure *figure;
    size_t figures;
    sp_cell_cost *cost;    /* by cell, of those that were rehearsed and announce something */
    size_t costs;
    char *crashes;         /* "main/mine: it crashed (Segmentation fault)", a line each method that a rehearsal did not get
                            * through; NULL: none */
    char *notes;           /* lines to be shown: what was guessed of the user's own files; NULL: none */
    struct sp_lua *lua;    /* in which the experiment was read */
    bool apart;            /* some of its methods are programs of their own */
    const struct sp_program_found *program; /* the last of a list of them (sp_plan_program) */
    const sp_algorithm *own; /* methods that it defines */
    size_t owned;
    sp_unfit *unfit;       /* one a sweep and measure */
    size_t unfits;
    struct sp_arena *arena; /* owns every string, claim and figure */
} sp_plan;

/* Reads, validates and expands; scale "default" overrides nothing, an unknown one is refused with those known. */
sp_status sp_plan_load(const char *path, const char *scale, sp_plan *out, sp_error *);
void sp_plan_free(sp_plan *);

/* The algorithms that the experiment calls so: a method that it defines, or whatever its cells run under this label or
 * algorithm's name, each once, at most `room` of them. How many. They live as long as the plan. */
size_t sp_plan_methods(const sp_plan *, const char *name, const sp_algorithm **out, size_t room);

/* Does some cell name this loss, measure or generator? */
bool sp_plan_names(const sp_plan *, const void *entry);

/* Turns a plan of which nothing has run to another seed of `run --seeds`: seed `number` = 2, 3, ... is 52 bits of a
 * stream's key (core/numeric/stream.h) that the experiment's own, which is number 1, gives its name to; a script may hold
 * it. Whatever draws from streams draws others: records, starts, coins and noise, of tuning runs too. */
void sp_plan_seed(sp_plan *, size_t number);

/* What a run of cell i costs, or of another cell of its method on this problem; NULL: it is not known. */
const sp_cell_cost *sp_plan_cost(const sp_plan *, size_t i);
/* About how many seconds a run of a cell with that cost takes: a few nanoseconds for each entry of each record, where
 * records are there one by one. */
double sp_plan_seconds(const sp_cell *, const sp_cell_cost *);

/* Program i of those that it names as methods, in no order that means anything; NULL past the last one. */
const sp_algorithm *sp_plan_program(const sp_plan *, size_t i);

/* Gives the cells of grid point `point` on member m their values, once every `derived` they multiply is known; and its
 * cell in the plan those of the winner. */
sp_status sp_tuning_resolve_trial(sp_plan *, const sp_tuning *, size_t m, size_t point, sp_error *);
sp_status sp_tuning_resolve_cell(sp_plan *, const sp_tuning *, size_t m, sp_error *);
/* A tuning whose cells cannot be run: they and its tuning runs are skipped. The other takes that back. */
sp_status sp_tuning_skip(sp_plan *, sp_tuning *, const char *reason, sp_error *);
void sp_tuning_unskip(sp_plan *, sp_tuning *);

/* results/<name> or results/<name>.<scale>, below `root`; a new string. */
char *sp_plan_directory(const sp_plan *, const char *root, const char *top);

#endif
