/* cell.h -- one point of a sweep: the problem, the privacy and the algorithm with all parameters, and what names it. */
#ifndef SP_PLAN_CELL_H
#define SP_PLAN_CELL_H

#include "algorithms/algorithm.h"
#include "core/base/hash.h"
#include "core/numeric/stream.h"
#include "core/data/read/catalogue.h"
#include "core/data/generate.h"
#include "core/oracle/oracle_host.h"
#include "core/schema/claim.h"
#include "losses/engine/problem.h"
#include "measures/measure.h"

#include <stdint.h>

typedef enum { SP_DATA_GENERATED, SP_DATA_CATALOGUE, SP_DATA_FILE } sp_data_kind;
typedef enum { SP_POPULATION_NONE, SP_POPULATION_FRESH, SP_POPULATION_EXACT, SP_POPULATION_TEST } sp_population_kind;
typedef enum { SP_START_ZERO, SP_START_CONSTANT, SP_START_SPHERE } sp_start_kind;

/* What `problem` gives, checked: see docs/reference/keys.md. What it points to lives as long as the plan. */
typedef struct sp_problem_spec {
    const sp_loss *loss;
    double number[SP_PARAM_MAX];    /* the loss's parameters, in the order of its schema */
    const sp_regulariser *regulariser;
    double lambda;
    sp_data_kind data;
    const sp_generator *generator;
    const sp_values *generator_values; /* those of its own parameters and no more: never copied */
    const sp_catalogue_entry *entry; /* as it is read here (sp_catalogue_vary) */
    const char *path;               /* of a file of the user's own */
    sp_read_options options;
    const char *options_text;       /* sp_read_options_text; NULL for generated data */
    char fingerprint[SP_HASH_HEX];  /* of the bytes that the records come from, when the plan was made (catalogue.h); ""
                                       for generated data: the cell and the core determine them */
    sp_storage storage;
    size_t n;                       /* training records */
    size_t features;                /* of a record; domain.d counts the entries of w */
    sp_population_kind population;
    size_t population_size;         /* fresh records */
    sp_shape shape;
    sp_domain domain;
    sp_start_kind start;
    double start_size;
    double radius, label_bound;     /* public bounds */
    bool realisable;                /* y = <w*, x> exactly, w* in the domain */
    const sp_values *declared;      /* what is declared of its constants; like generator_values. NULL: nothing */
    const char *family;             /* "problem.loss.slope": the axis whose values are one family; NULL: none */
} sp_problem_spec;

enum {
    SP_MEASURES_MAX = 16,
    SP_REPLICATES_MAX = 1000000,
    SP_TUNING_FIRST = SP_REPLICATES_MAX /* tuning runs are the replicates from here on: no stream is shared */
};

/* Some axes of a problem, for which there is a text of their own. */
typedef enum {
    SP_AXES_PROBLEM, /* all of them: stream START, key of F* */
    SP_AXES_RECORDS, /* those of the records alone (data, n, d): stream DATA */
    SP_AXES_TRUTH    /* the same without n: streams TRUTH and POPULATION */
} sp_axes_of;

typedef struct sp_axis_text {
    const char *key, *value;   /* "problem.n" and "1000" */
} sp_axis_text;

/* What the experiment gives to one part of a cell, sorted by key. */
typedef struct sp_axes {
    size_t count;
    sp_axis_text axis[];
} sp_axes;

typedef enum { SP_PART_ALGORITHM, SP_PART_PRIVACY, SP_PART_PROBLEM, SP_PARTS } sp_part; /* in the order of their keys */

typedef struct sp_cell {
    const char *sweep;      /* "main", or the sweep's name */
    char *label;            /* the algorithm's name, or the label given */
    const sp_problem_spec *problem; /* shared by the cells of a variant of the problem */
    sp_privacy privacy;
    const sp_method *method; /* shared by cells with the same parameters */
    const sp_measure **measure; /* shared by cells that have the same: never changed */
    uint64_t seed;
    double checkpoints;
    const sp_axes *part[SP_PARTS]; /* everything given, and n and d; shared by the cells that are given the same */
    char *skip;             /* NULL, or why this cell is not run */
    uint32_t index;         /* position in the plan */
    uint32_t first;         /* replicate: 0, or SP_TUNING_FIRST */
    uint32_t replicates;    /* SP_REPLICATES_MAX at most */
    uint16_t shown;         /* bit i: a figure shows the trace of measure[i] */
    uint8_t measures;       /* SP_MEASURES_MAX at most */
    bool keep_iterate : 1;  /* the store does, whatever its dimension */
    bool tuned : 1;         /* some parameters are winners of a grid */
    bool pending : 1;       /* they are not known yet: their axes hold the grid, and the cell cannot run */
    bool left_out : 1;      /* this invocation is about others (core/sweep/selection.h) */
    bool resample : 1;      /* each replicate meets records of its own: generated ones, or a new shuffle and split */
} sp_cell;

/* What its constants are: computed, which takes some microseconds. It has been certified when the plan was made. */
sp_status sp_problem_constants(const sp_problem_spec *, sp_constants *certified, sp_constants *declared, sp_error *);

/* One axis of a cell; { 0 } before the first one. They are sorted by key: "algorithm", ..., "privacy.epsilon", ...,
 * "problem.n". */
typedef struct sp_axis_at {
    const char *key, *value; /* they live as long as the plan */
    size_t part, k;          /* which one of which part comes next */
} sp_axis_at;

bool sp_cell_next_axis(const sp_cell *, sp_axis_at *); /* false past the last one */
size_t sp_cell_axes(const sp_cell *);               /* how many */
/* Every axis, "key=value" a line, in a new string: run identity, the algorithm's streams. NULL when out of memory. */
char *sp_cell_text(const sp_cell *);
void sp_cell_hash(const sp_cell *, sp_hash *);      /* adds that text */
/* The same of some axes of its problem. */
char *sp_cell_problem_text(const sp_cell *, sp_axes_of);
/* The stream that belongs to that text. SP_ENOMEM. */
sp_status sp_cell_stream(const sp_cell *, sp_axes_of, size_t replicate, sp_purpose, sp_stream_key *out);
/* As strcmp would order the texts of their records. */
int sp_cell_compare_records(const sp_cell *, const sp_cell *);
/* As strcmp would order cells by their texts, part by part; 0: the same text. */
int sp_cell_compare(const sp_cell *, const sp_cell *);
/* The value of an axis of a cell as text ("n", "problem.n", "epsilon", "algorithm.eta"), NULL when it has none. */
const char *sp_cell_axis(const sp_cell *, const char *name);

#endif
