/* plan.h -- a Lua experiment, read, checked and expanded into cells in a stable order. Nothing here runs a cell; a
 * user's own file is opened to learn n and d.
 *
 * An experiment is text that returns one table (any other key is refused by its path with the nearest known name):
 *
 *   question, source  text
 *   seed              whole number, required
 *   replicates        whole number, default 1
 *   checkpoints       trace points a decade of steps, default 4; 0 = no trace
 *   problem           loss, regulariser, data, n, d, domain, declared, start  (see sp_problem_spec)
 *   privacy           "none", or { epsilon, delta, calibration = "tight"|"paper", noise = "on"|"off" }
 *   algorithms        list of { "name", parameter = value, ..., label = "text", privacy = ... (overrides) }
 *   measures          list of names
 *   claims            list of { algorithm, y, x, exponent, mode = "theory"|"sup"|"bound", where = { key = value } }
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
 * A reference algorithm (non_private_only), or one with privacy = "none", gives one cell a problem, without epsilon. */
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

enum { SP_MEASURES_MAX = 16 };

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
    size_t replicates;
    double checkpoints;
    sp_pair *axis;          /* everything given, and n and d, flat, sorted by key: "algorithm", "problem.n", ... */
    size_t axes;
    char *cell_text;        /* every axis, "key=value" a line: run identity, the algorithm's streams */
    char *problem_text;     /* the axes of the problem alone: stream START, key of F* */
    char *data_text;        /* those of the records alone (data, n, d): stream DATA */
    char *truth_text;       /* the same without n: streams TRUTH and POPULATION */
    char *skip;             /* NULL, or why this cell is not run */
} sp_cell;

typedef struct sp_claim {
    char *sweep, *algorithm; /* a label */
    char *y, *x;             /* a measure; an axis ("n" stands for "problem.n", "epsilon" for "privacy.epsilon") */
    double exponent;
    char *mode;
    sp_pair *where;
    size_t wheres;
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
    sp_claim *claim;
    size_t claims;
    sp_figure *figure;
    size_t figures;
    struct sp_arena *arena; /* owns every string, claim and figure */
} sp_plan;

/* Reads, validates and expands; scale "default" overrides nothing, an unknown one is refused with those known. */
sp_status sp_plan_load(const char *path, const char *scale, sp_plan *out, sp_error *);
void sp_plan_free(sp_plan *);

/* The value of an axis of a cell as text ("n", "problem.n", "epsilon", "algorithm.eta"), NULL when it has none. */
const char *sp_cell_axis(const sp_cell *, const char *name);
/* results/<name> or results/<name>.<scale>, below `root`; a new string. */
char *sp_plan_directory(const sp_plan *, const char *root, const char *top);

#endif
