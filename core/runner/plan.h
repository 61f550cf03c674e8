/* plan.h -- a Lua experiment, read, checked and expanded into cells in a stable order. Nothing here runs a cell; a
 * user's own file is opened to learn n and d.
 *
 * An experiment is text that returns one table (any other key is refused by its path with the nearest known name):
 *
 *   question, source  text
 *   seed              whole number, required
 *   replicates        whole number, default 1
 *   checkpoints       trace points a decade of steps, default 4; 0 = no trace
 *   tuning_replicates runs of a grid point, default 5: apart from the replicates, on streams of their own
 *   tuning_measure    the measure by which a grid point is chosen, default the first of measures
 *   problem           loss, regulariser, data, n, d, domain, declared, start  (see sp_problem_spec); or a name of
 *                     core/runner/problems.h, "wang_xu_ijcnn1", or { "wang_xu_ijcnn1", n = 2000 }
 *   privacy           "none", or { epsilon, delta, calibration = "tight"|"paper", noise = "on"|"off" }
 *   algorithms        list of { "name", parameter = value, ..., label = "text", privacy = ... (overrides), tune = ... }
 *   measures          list of names
 *   claims            list of { algorithm, y, x, exponent, mode = "theory"|"sup"|"bound"|"inversion", ... }: see below
 *   figures           list of { name, kind = "rate"|"trade_off"|"trajectory", x, y, title, x_label, where }
 *   scales            { smoke = { overrides }, full = { overrides } }: merged into the table key by key; a list, a
 *                     method { "name", ... } or a single value replaces
 *   sweeps            { name = { any of the keys above but seed, scales and sweeps } }: several sweeps in one
 *                     experiment, each laid over the table's own keys; claims and figures then belong to a sweep.
 *                     Without it there is one sweep, named "main"
 *
 * A list where a single value is expected is a sweep: one cell for each combination. Cells stand in the order sweep (by
 * name), problem, privacy, algorithms (as listed), an algorithm's parameters; within each of them keys in alphabetical
 * order, the last one varying fastest. A table with a string key is a method or an object, not a list: { "barron",
 * q = 0.5 }. Two equal cells of a sweep are refused.
 *
 * A function may stand for a value of problem (but n and d), of privacy or of an algorithm. It is called with the cell
 * so far and returns the value: fields n, d, loss, algorithm, epsilon, delta (math.huge and 1 where privacy is "none")
 * and the tables problem and privacy, resolved in the order data, loss, regulariser, domain, start, declared, epsilon,
 * delta, the rest of privacy, the algorithm's keys. Reading what is not known yet is an error.
 *
 * A family: problem.family = "loss.slope" says that the list problem.loss.slope is one family of instances, of which
 * the worst counts. Its members share all declarable constants (problem.declared; members that differ in one are
 * refused), so that no algorithm can tell them apart. They vary fastest of all: a point's members stand together.
 *
 * Tuning: an entry's tune = { eta = { 0.1, 0.3, 1 }, steps = { times = { 0.3, 1, 3 } } } spans a grid, keys in
 * alphabetical order, the last one varying fastest. A value may be a function of the cell; `times` lists factors on
 * what the algorithm derives itself when nothing of `tune` is given, as a run without it reports. Every tuned entry of
 * a sweep has as many grid points as the others. A point of the sweep (with a family: all its members) gets the grid
 * point whose median over the tuning replicates, at the worst member, is best; a failed run is the worst of all, the
 * first of equals wins. tune = "label" takes the winners of that entry, with the same budget and sweeps: for a floor
 * without noise.
 *
 * A reference algorithm (non_private_only), or one with privacy = "none", gives one cell a problem, without epsilon.
 *
 * Claims: y of the label `algorithm` goes as x^exponent, within `tolerance`. What is measured, by mode:
 *   theory     the theorem's parameters on one instance (or the worst of a family)
 *   sup        the worst of a family of instances, the parameters tuned at each x
 *   bound      y <= constant x^exponent (when `constant` is given), and no slower than that; `toward` = "zero" where
 *              the theorem is about small x
 *   inversion  the smallest value of the axis `alpha` that is reached (y <= reach alpha) by `share` of the runs, at
 *              every member of the family
 * `family` is an axis; default the one that problem.family declares. `closed` names its ends beyond which there is no
 * instance: elsewhere a worst instance at an end says that the family was cut off. A point counts when x lies in
 * [from, to], y (less the noise-free floor) is at least `floor` times the noise-free floor (default 3 in theory mode,
 * else 0), and y is at most `start` times its value at the start. The floor is measured by runs of the same algorithm,
 * parameters and problem with privacy = { noise = "off" } (or "none") in the same sweep. A local slope further than
 * `scatter` from the fitted one (default the larger of |exponent|/4 and three tolerances) is no power law. The verdict:
 * core/runner/verdict.h. `below` names another label of the sweep, at the same points: this exponent is to be better
 * than that label's, their 95 % intervals disjoint. */
#ifndef SP_RUNNER_PLAN_H
#define SP_RUNNER_PLAN_H

#include "algorithms/algorithm.h"
#include "core/base/text.h"
#include "core/data/catalogue.h"
#include "core/data/generator.h"
#include "core/privacy/oracle_host.h"
#include "losses/engine/problem.h"
#include "measures/measure.h"

#include <stdint.h>

typedef enum { SP_DATA_GENERATED, SP_DATA_CATALOGUE, SP_DATA_FILE } sp_data_kind;
typedef enum { SP_POPULATION_NONE, SP_POPULATION_FRESH, SP_POPULATION_EXACT, SP_POPULATION_TEST } sp_population_kind;
typedef enum { SP_START_ZERO, SP_START_CONSTANT, SP_START_SPHERE } sp_start_kind;

/* problem = {
 *   loss = "logistic" | { "barron", q = 0.5 },
 *   regulariser = { "nonconvex", lambda = 1e-3 },            -- default none
 *   data = { "signs", mean = 0.1 }                            -- a generator with its parameters, or
 *        | { "mushroom", normalise = "l2"|"none", radius, intercept, test, resample }   -- a catalogue name, or
 *        | { file = "path", format = "libsvm"|"csv"|"fann"|"idx", label_column, label, categorical, labels, positive,
 *            negative, delimiter, header, features, regression, normalise, radius, intercept, test, resample },
 *                                                              -- the user's own
 *   n = 1000, d = 10,            -- generated data: both required. Real data: n (optional) keeps n shuffled records
 *   storage = "dense" | "sparse" (files) | "signs" | "indexed" (generated),   -- default dense, or the catalogue's own
 *   population = 100000 | "exact" | "test",   -- what stands for the distribution: fresh records, E x, held out ones
 *   domain = "space" | { "l2_ball", radius = 1 } | ...,      -- core/data/domain.h
 *   declared = { L = 1, gap = 1, ... },
 *   family = "loss.slope",       -- see above
 *   start = "zero" | { "constant", value = 0.1 } | { "sphere", radius = 1 },
 * } */
typedef struct sp_problem_spec {
    const sp_loss *loss;
    sp_values loss_values;
    double number[SP_PARAM_MAX];
    const sp_regulariser *regulariser;
    double lambda;
    sp_data_kind data;
    const sp_generator *generator;
    sp_values generator_values;
    const sp_catalogue_entry *entry; /* as it is read here (sp_catalogue_vary) */
    char *path;
    sp_read_options options;
    const char *options_text;       /* sp_read_options_text; NULL for generated data */
    sp_storage storage;
    size_t features;                /* of a record; declared.d counts the entries of w */
    sp_population_kind population;
    size_t population_size;         /* fresh records */
    sp_shape shape;
    bool resample;                  /* real data: a new shuffle and split each replicate */
    sp_domain domain;
    sp_start_kind start;
    double start_size;
    double radius, label_bound;     /* public bounds */
    bool realisable;                /* y = <w*, x> exactly, w* in the domain */
    sp_constants certified, declared;
} sp_problem_spec;

typedef struct sp_pair {
    char *key, *value; /* "problem.n" = "1000"; numbers by sp_number */
    const char *place; /* where the experiment gives it: "problem.n[2]" */
} sp_pair;

enum {
    SP_MEASURES_MAX = 16,
    SP_REPLICATES_MAX = 1000000,
    SP_TUNING_FIRST = SP_REPLICATES_MAX /* tuning runs are the replicates from here on: no stream is shared */
};

typedef struct sp_cell {
    size_t index;           /* position in the plan */
    const char *sweep;      /* "main", or the sweep's name */
    char *label;            /* the algorithm's name, or the label given */
    sp_problem_spec problem;
    sp_privacy privacy;
    sp_method method;
    const sp_measure *measure[SP_MEASURES_MAX];
    size_t measures;
    uint64_t seed;
    size_t first;           /* replicate: 0, or SP_TUNING_FIRST */
    size_t replicates;
    double checkpoints;
    const char *family;     /* "problem.loss.slope": the axis whose values are one family; NULL: none */
    bool tuned;             /* some parameters are winners of a grid */
    bool pending;           /* they are not known yet: their axes hold the grid, and the cell cannot run */
    sp_pair *axis;          /* everything given, and n and d, flat, sorted by key: "algorithm", "problem.n", ... */
    size_t axes;
    char *cell_text;        /* every axis, "key=value" a line: run identity, the algorithm's streams */
    char *problem_text;     /* the axes of the problem alone: stream START, key of F* */
    char *data_text;        /* those of the records alone (data, n, d): stream DATA */
    char *truth_text;       /* the same without n: streams TRUTH and POPULATION */
    char *skip;             /* NULL, or why this cell is not run */
} sp_cell;

struct sp_node;

/* One parameter of a grid, as one member of a family meets it. */
typedef struct sp_tuned_key {
    const char *key;
    const sp_param *param;
    const struct sp_node **value; /* numbers, flags, texts */
    size_t values;
    bool times;                   /* they are factors on `derived` */
    double derived;               /* what the algorithm derives itself; NAN: not known yet */
} sp_tuned_key;

typedef struct sp_tuned_member {
    const struct sp_node *problem, *privacy, *method; /* resolved, without the tuned keys */
    sp_tuned_key *key;                                /* as many as the tuning has */
} sp_tuned_member;

/* A point of a sweep whose parameters are chosen from a grid. */
typedef struct sp_tuning {
    size_t cell, members; /* plan->cell[cell .. cell + members): one point, the members of its family (or 1) */
    size_t base;          /* plan->base[base + m], where `derives`: nothing of the grid given */
    size_t trial, points; /* plan->trial[trial + m points + g]: the grid on each member */
    bool derives;         /* some values are factors */
    sp_tuned_member *member;
    size_t keys;
    const sp_measure *measure;
    size_t variant[3];    /* which one of problem, of privacy and of the entry's own sweeps */
    const char *lender;   /* tune = "label": it has no grid of its own, points = 0 */
    size_t from;          /* plan->tuning[from] has the grid: the lender's, or this one */
    bool known;           /* the winner is */
    size_t winner;        /* a point of the grid */
} sp_tuning;

typedef struct sp_claim {
    char *sweep, *algorithm; /* a label */
    char *y, *x;             /* a measure; an axis ("n" stands for "problem.n", "epsilon" for "privacy.epsilon") */
    char *mode;              /* theory, sup, bound, inversion */
    double exponent, tolerance, scatter;
    double from, to;         /* 0 and INFINITY: no limit */
    double floor, start;
    char *family;            /* an axis; NULL: none */
    char *closed;            /* neither, low, high, both */
    char *alpha;             /* an axis; NULL: not an inversion */
    double reach, share;
    double constant;         /* NAN: not given */
    char *toward;            /* infinity, zero */
    char *below;             /* a label; NULL: none */
    sp_pair *where;
    size_t wheres;
    size_t points, levels, members, replicates; /* that the plan has: values of x, of alpha and of the family; runs */
} sp_claim;

enum { SP_PANELS_MAX = 6 };

typedef struct sp_figure {
    char *sweep, *name, *kind, *title, *x, *x_label;
    char *y[SP_PANELS_MAX]; /* one panel a measure */
    size_t panels;
    sp_pair *where;
    size_t wheres;
} sp_figure;

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
    struct sp_arena *arena; /* owns every string, claim and figure */
} sp_plan;

/* Reads, validates and expands; scale "default" overrides nothing, an unknown one is refused with those known. */
sp_status sp_plan_load(const char *path, const char *scale, sp_plan *out, sp_error *);
void sp_plan_free(sp_plan *);

/* Gives the cells of grid point `point` on member m their values, once every `derived` they multiply is known; and its
 * cell in the plan those of the winner. */
sp_status sp_tuning_settle_trial(sp_plan *, const sp_tuning *, size_t m, size_t point, sp_error *);
sp_status sp_tuning_settle_cell(sp_plan *, const sp_tuning *, size_t m, sp_error *);
/* A tuning whose cells cannot be run: they and its tuning runs are skipped. */
sp_status sp_tuning_skip(sp_plan *, const sp_tuning *, const char *reason, sp_error *);
/* Which value of key k a grid point takes. */
size_t sp_tuning_digit(const sp_tuning *, size_t point, size_t k);
/* "eta=0.3 steps=times 3", and "eta={0.1,0.3} steps=times {1,3}": on the first member. */
void sp_tuning_print_point(const sp_tuning *, size_t point, sp_text *);
void sp_tuning_print_grid(const sp_tuning *, sp_text *);

/* The value of an axis of a cell as text ("n", "problem.n", "epsilon", "algorithm.eta"), NULL when it has none. */
const char *sp_cell_axis(const sp_cell *, const char *name);
/* results/<name> or results/<name>.<scale>, below `root`; a new string. */
char *sp_plan_directory(const sp_plan *, const char *root, const char *top);

#endif
