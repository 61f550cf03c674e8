/* series.h -- collects the exported rows that belong together: the values to which a claim is fitted, or that a figure
 * shows.
 *
 * The tables are those of core/export/export.h. Runs and cells are read as one table: to every row of runs.tsv the
 * columns of its row in cells.tsv are added.
 *
 * A series is one label of one sweep, plotted against an axis x of runs.tsv or a column of traces.tsv: at each point it
 * has the replicates of one cell. Two cells at one point are never averaged: that is an error, which names what
 * differs. */
#ifndef SP_STATS_SERIES_H
#define SP_STATS_SERIES_H

#include "core/base/table.h"
#include "core/stats/slope.h"
#include "core/schema/claim.h"

typedef struct sp_runs {
    uint64_t seed;      /* of the experiment: root of the bootstrap's streams */
    sp_table table;     /* runs.tsv, each row with the columns of its cell */
    sp_table cells;     /* cells.tsv; owns the texts of those columns */
    sp_table tuning;    /* tuning.tsv, empty when there is none */
    sp_table audits;    /* audits.tsv, empty when there is none (audited.h) */
    sp_table trace;     /* traces.tsv and what is made of it, empty until sp_runs_read_traces */
    size_t run, sweep, label, replicate, status, private, epsilon_spent; /* columns of `table` */
    size_t tuned, diverged; /* columns of `table`; table.columns when there is none */
    const size_t *cell; /* row of `cells`, by row of `table`; the rows of a cell follow each other */
    bool *axis;         /* by column of `table`: does it hold an axis of the experiment? */
    bool *measure;      /* by column of `table`: does it hold a measure at the returned iterate? */
    size_t replicates;  /* of the cell that has most replicates */
    const struct sp_runs *next; /* the runs of the experiment's next seed (seeds.h); NULL: none */
} sp_runs;

/* SP_EABSENT when there are no tables, SP_EDATA with the file for tables that sp_export does not write. */
sp_status sp_runs_open(const char *results, uint64_t seed, sp_runs *, sp_error *);
/* What only trajectories need: traces.tsv with the column oracle_calls (sp_oracle_calls), and with `seconds` that
 * column of timings.tsv, all NAN where there is no such file. SP_EABSENT when there is no traces.tsv, SP_EDATA when the
 * two are not of the same runs. */
sp_status sp_runs_read_traces(const char *results, bool seconds, sp_runs *, sp_error *);
void sp_runs_close(sp_runs *);

/* The same tables a cell at a time, so that what is held does not grow with them but by a byte a cell. Start from { 0
 * }: sp_cell_reader_close may be called at any time. */
typedef struct sp_cell_reader {
    sp_runs runs; /* of the cell at hand, as if there were no others, and the row of `cells` that is its own;
                                  without a seed, tuning, audits, traces and the columns mu and rho */
    sp_table_reader run, cell; /* of runs.tsv and cells.tsv */
    size_t key;                /* the column `cell` of the former */
    size_t rows;               /* for so many there is room in `runs` */
    bool *seen;                /* by row of cells.tsv: has it had its runs? */
    size_t room;
} sp_cell_reader;

/* Errors as of sp_runs_open. The columns are known from now on. */
sp_status sp_cell_reader_open(const char *results, sp_cell_reader *, sp_error *);
/* The next cell in the order of runs.tsv; without a row when there is none. Fast when cells.tsv has the same order. */
sp_status sp_cell_reader_next(sp_cell_reader *, sp_error *);
void sp_cell_reader_close(sp_cell_reader *);

/* Column of a table that holds an axis, under its full or a short name ("n" for "problem.n"); `columns`: none. */
size_t sp_table_axis(const sp_table *, const char *name);
/* Column of runs.tsv that holds an axis, under a full or a short name, the label, or a budget in other units (claim.h),
 * which is no axis itself; table.columns: none. */
size_t sp_runs_column(const sp_runs *, const char *name);
/* Column that holds a measure at the starting point; table.columns: none. */
size_t sp_runs_start_column(const sp_runs *, const char *measure);
/* What a cell has in a column: a private one has neighbours whether it says so or not (replace_one), for an epsilon for
 * one kind is none for the other. */
const char *sp_runs_text(const sp_runs *, size_t row, size_t column);
bool sp_runs_succeeded(const sp_runs *, size_t row);
/* The measure of one run in column y, as all take it that hold methods against each other. A failed run has the worst
 * value that there is, an infinity, and so has one with an infinite number, or with none where another run of its cell
 * has one. NAN: it is missing, for no fault of the method: its reference value could not be computed (SP_EREFERENCE;
 * the next `run` makes both), the cell was not asked for the measure, or no run of it that ended well has a number, as
 * where nobody knows F*. */
double sp_runs_value(const sp_runs *, size_t row, size_t y, bool lower_is_better);
/* Did the run succeed and diverge (core/run/diverged.h)? Tables of e19951b do not say: none did. */
bool sp_runs_diverged(const sp_runs *, size_t row);
/* As sp_runs_value, for rankings: a run that diverged has the worst value. */
double sp_runs_rank_value(const sp_runs *, size_t row, size_t y, bool lower_is_better);
/* The bound that the run's method promised and what holds at the start (NAN: none), and what caps cut: "steps=9:20".
 * Both from the columns of these names, or, in tables of e19951b, from the sentences in `warning` and from
 * `resolved`. */
void sp_runs_promise(const sp_runs *, size_t row, double *promise, double *at_start);
void sp_runs_caps(const sp_runs *, size_t row, sp_text *out);
/* Oracle calls up to a row of runs.tsv or of traces.tsv, one being one record asked at one point for its loss, gradient
 * or Hessian (a difference asks at two); NAN where the table does not count them all. */
double sp_oracle_calls(const sp_table *, size_t row);
/* Does replicate r meet the same records at every x? Records are drawn anew for each problem. */
bool sp_runs_joint(const sp_runs *, const char *x);
/* Is this row of tuning.tsv about a label of a sweep, under these conditions as far as it says? */
bool sp_runs_tunes(const sp_runs *, const char *sweep, const char *label, const sp_axis_value *where, size_t wheres,
                   size_t row);
/* Is the winner of the cell's tuning, which tuning.tsv has under the cell's label and axes, at an end of its grid? */
bool sp_runs_on_edge(const sp_runs *, size_t row);
/* Replicates of one cell? */
bool sp_runs_same_cell(const sp_runs *, size_t a, size_t b);
/* value[replicates] of column y for the cell whose first row this is, NAN where a run failed, is missing or not there;
 * how many failed, unless NULL, by sp_runs_value; 95 % interval of the mean and, unless NULL, of the median
 * (inference.h). */
void sp_runs_cell(const sp_runs *, size_t first, size_t y, double *value, size_t *failed, sp_interval *mean,
                  sp_interval *median);
/* A message for several cells where one was expected: `a` and `b` are rows, `at` is "" or " at n = 100". SP_EINVAL. */
sp_status sp_runs_ambiguous(const sp_runs *, const char *place, size_t a, size_t b, const char *at, sp_error *);
/* The stream of an exponent of y in x: named by the sweep and the label of a row, by y and by x. */
gsl_rng *sp_runs_exponent_stream(const sp_runs *, size_t row, const char *y, const char *x);

typedef struct sp_selection {
    const char *place;          /* for messages: "figure rates" */
    const char *sweep, *label;  /* rows of this sweep and of this label; NULL: of every one */
    const char *x, *y;          /* x: an axis, or for trajectories a column of traces.tsv; y: a measure */
    const sp_axis_value *where; /* axes that have to have these values */
    size_t wheres;
} sp_selection;

typedef struct sp_series {
    const char *label;
    size_t points, replicates;  /* replicates: of the cell that has most */
    size_t row;                 /* first row of runs.tsv that belongs to the series */
    double *x;                  /* by point, ascending; NAN for the only point of a level */
    double *value;              /* the measure y, points x replicates; NAN where there is none */
    sp_interval *mean;          /* of y over the replicates, by point, 95 % */
    double handover;            /* of a trace: mean x at which a second method begins; NAN: none does */
} sp_series;

bool sp_runs_selected(const sp_runs *, const sp_selection *, size_t row);
/* Rows with a number in column x, or with `level` those without one (a method that is not private has no epsilon).
 * points = 0 when there are none. */
sp_status sp_series_collect(const sp_runs *, const sp_selection *, bool level, sp_series *, sp_error *);
/* The checkpoints of one cell; x is a column of traces.tsv, averaged over replicates. SP_EDATA where traces.tsv lacks a
 * column or was not read. */
sp_status sp_series_trace(const sp_runs *, const sp_selection *, sp_series *, sp_error *);
/* Allocates room for so many points. */
void sp_series_alloc(const sp_runs *, size_t points, sp_series *);
void sp_series_free(sp_series *);

/* Exponent of the series; all NAN where it has none. */
sp_slope sp_series_fit(const sp_runs *, const sp_selection *, const sp_series *);

#endif
