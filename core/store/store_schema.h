/* store_schema.h -- the tables of a store. NULL stands for NaN, a missing text is ''. Every row of results ends with a
 * checksum of its columns, in their order (core/base/checksum.h).
 *
 * A table is a list X(column, type), from which its CREATE, INSERT and SELECT are made. */
#ifndef SP_STORE_STORE_SCHEMA_H
#define SP_STORE_STORE_SCHEMA_H

#include "core/store/store.h"

/* What made a row: core/export/provenance.h */
#define SP_INVOCATION_COLUMNS(X)                                                                                      \
    X(id, "INTEGER PRIMARY KEY") X(started, "TEXT") X(command, "TEXT") X(scale, "TEXT") X(script, "TEXT")             \
    X(commit_hash, "TEXT") X(dirty, "INTEGER") X(compiler, "TEXT") X(flags, "TEXT") X(libraries, "TEXT")              \
    X(blas_core, "TEXT") X(cpu, "TEXT")

/* What answered runs: hashes; of the measures "name hash name hash "; the libraries; and "name name " of the measures
 * whose values along the way the traces lack. Runs share such rows. */
#define SP_ANSWERS_COLUMNS(X)                                                                                         \
    X(id, "INTEGER PRIMARY KEY") X(data, "TEXT") X(algorithm, "TEXT") X(loss, "TEXT") X(regulariser, "TEXT")          \
    X(core, "TEXT") X(platform, "TEXT") X(measures, "TEXT")         \
    X(untraced, "TEXT")

/* What sp_store_state needs: all of it is read, and checked by itself, when a store is opened. dimension: of the iterate
 * that is stored, 0: none. */
#define SP_RUN_STATE_COLUMNS(X)                                                                                       \
    X(id, "INTEGER PRIMARY KEY") X(identity, "TEXT NOT NULL") X(answers, "INTEGER NOT NULL REFERENCES answers (id)")  \
    X(status, "TEXT NOT NULL") X(checkpoints, "REAL") X(dimension, "INTEGER")

/* After them: what was asked, and the result. content: of the records (dataset.h); bounds: every one, "rdp=1.07 pld=0.98";
 * measures and traces: how many rows the other tables have for it; warnings: codes (core/base/warnings.h). */
#define SP_RUN_COLUMNS(X)                                                                                             \
    SP_RUN_STATE_COLUMNS(X)                                                                                           \
    X(state_checksum, "INTEGER NOT NULL") X(invocation, "INTEGER REFERENCES invocation (id)")                         \
    X(cell, "TEXT NOT NULL") X(seed, "INTEGER NOT NULL")                                                              \
    X(replicate, "INTEGER NOT NULL") X(content, "TEXT") X(signal, "INTEGER") X(message, "TEXT") X(warning, "TEXT")    \
    X(resolved, "TEXT") X(ledger, "TEXT") X(epsilon, "REAL") X(bound, "TEXT") X(renyi_order, "REAL")                  \
    X(bounds, "TEXT") X(gradients, "REAL") X(differences, "REAL") X(hessians, "REAL") X(losses, "REAL")               \
    X(releases, "INTEGER") X(steps, "INTEGER") X(handover, "REAL") X(reference, "REAL") X(reference_error, "REAL")    \
    X(reference_method, "TEXT") X(population, "REAL") X(population_error, "REAL") X(population_method, "TEXT")        \
    X(seconds, "REAL") X(elapsed, "REAL") X(peak_memory, "INTEGER") X(measures, "INTEGER") X(traces, "INTEGER")    \
    X(promise, "REAL") X(promise_at_start, "REAL") X(warnings, "TEXT") X(diverged, "TEXT")

/* Of the run */
#define SP_MEASURE_COLUMNS(X)                                                                                         \
    X(run, "INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE") X(name, "TEXT NOT NULL") X(value, "REAL")

#define SP_TRACE_COLUMNS(X)                                                                                           \
    X(run, "INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE") X(step, "INTEGER NOT NULL")                      \
    X(gradients, "REAL") X(differences, "REAL") X(hessians, "REAL") X(losses, "REAL") X(releases, "INTEGER")          \
    X(seconds, "REAL")

#define SP_TRACE_MEASURE_COLUMNS(X)                                                                                   \
    X(run, "INTEGER NOT NULL") X(step, "INTEGER NOT NULL") X(name, "TEXT NOT NULL") X(value, "REAL")

/* The iterate that the run returned. */
#define SP_ITERATE_COLUMNS(X) X(run, "INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE") X(w, "BLOB")

#define SP_REFERENCE_COLUMNS(X)                                                                                       \
    X(key, "TEXT PRIMARY KEY") X(value, "REAL") X(error, "REAL") X(method, "TEXT") X(minimiser, "BLOB")

/* What an audit found, by sp_audit_key: a row of audits.tsv (core/audit/audit.h). Made where it is lacking: stores are
 * older. */
#define SP_AUDIT_STORE_COLUMNS(X) X(key, "TEXT PRIMARY KEY") X(row, "TEXT NOT NULL")

/* Which part of a sweep the invocation of that id made: core/cluster/task.h. Made by `run --shard`: other stores have none. */
#define SP_TASK_COLUMNS(X) X(id, "INTEGER PRIMARY KEY") X(shard, "TEXT") X(balance, "TEXT") X(part, "TEXT")

#define SP_COLUMN_NAME(name, type) #name ", "
#define SP_COLUMN_TYPED(name, type) #name " " type ", "
#define SP_COLUMN_MARK(name, type) "?, "

#define SP_CREATE(table, columns, more) \
    "CREATE TABLE " table " (" columns(SP_COLUMN_TYPED) "checksum INTEGER NOT NULL" more ";"
#define SP_INTO(table, columns) \
    "INTO " table " (" columns(SP_COLUMN_NAME) "checksum) VALUES (" columns(SP_COLUMN_MARK) "?)"
#define SP_SELECT(table, columns) "SELECT " columns(SP_COLUMN_NAME) "checksum FROM " table

#define SP_STORE_SCHEMA                                                                                               \
    SP_CREATE("invocation", SP_INVOCATION_COLUMNS, ")")                                                               \
    SP_CREATE("answers", SP_ANSWERS_COLUMNS, ")")                                                                     \
    SP_CREATE("run", SP_RUN_COLUMNS, ")")                                                                             \
    SP_CREATE("measure", SP_MEASURE_COLUMNS, ", PRIMARY KEY (run, name)) WITHOUT ROWID")                              \
    SP_CREATE("trace", SP_TRACE_COLUMNS, ", PRIMARY KEY (run, step)) WITHOUT ROWID")                                  \
    SP_CREATE("trace_measure", SP_TRACE_MEASURE_COLUMNS, ", PRIMARY KEY (run, step, name),"                           \
              " FOREIGN KEY (run, step) REFERENCES trace (run, step) ON DELETE CASCADE) WITHOUT ROWID")               \
    SP_CREATE("iterate", SP_ITERATE_COLUMNS, ")")                                                                     \
    SP_CREATE("reference", SP_REFERENCE_COLUMNS, ") WITHOUT ROWID")                                                   \
    "CREATE TABLE contents (runs INTEGER NOT NULL); INSERT INTO contents VALUES (0);" /* rows of run */

#endif
