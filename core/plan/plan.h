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
 *                     core/plan/problems.h, "wang_xu_ijcnn1", or { "wang_xu_ijcnn1", n = 2000 }
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
 * A reference algorithm (non_private_only), or one with privacy = "none", gives one cell a problem, without epsilon. */
#ifndef SP_PLAN_PLAN_H
#define SP_PLAN_PLAN_H

#include "core/plan/tuning.h"

enum { SP_PANELS_MAX = 6 };

typedef struct sp_figure {
    char *sweep, *name, *kind, *title, *x, *x_label;
    char *y[SP_PANELS_MAX]; /* one panel a measure */
    size_t panels;
    sp_axis_value *where;
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
sp_status sp_tuning_resolve_trial(sp_plan *, const sp_tuning *, size_t m, size_t point, sp_error *);
sp_status sp_tuning_resolve_cell(sp_plan *, const sp_tuning *, size_t m, sp_error *);
/* A tuning whose cells cannot be run: they and its tuning runs are skipped. */
sp_status sp_tuning_skip(sp_plan *, const sp_tuning *, const char *reason, sp_error *);

/* results/<name> or results/<name>.<scale>, below `root`; a new string. */
char *sp_plan_directory(const sp_plan *, const char *root, const char *top);

#endif
