/* version_6.h -- the columns of stores of version 6 (until November 2026) that later versions have more of. They are never
 * edited: rewrite.c reads such stores by them. */
#ifndef SP_STORE_VERSION_6_H
#define SP_STORE_VERSION_6_H

#define SP_INVOCATION_COLUMNS_6(X)                                                                                    \
    X(id, "INTEGER PRIMARY KEY") X(started, "TEXT") X(command, "TEXT") X(scale, "TEXT") X(script, "TEXT")             \
    X(commit_hash, "TEXT") X(dirty, "INTEGER") X(compiler, "TEXT") X(flags, "TEXT") X(libraries, "TEXT")              \
    X(blas_core, "TEXT") X(cpu, "TEXT")

#define SP_RUN_STATE_COLUMNS_6(X)                                                                                     \
    X(id, "INTEGER PRIMARY KEY") X(identity, "TEXT NOT NULL") X(answers, "INTEGER NOT NULL REFERENCES answers (id)")  \
    X(status, "TEXT NOT NULL") X(checkpoints, "REAL") X(dimension, "INTEGER")

#define SP_RUN_COLUMNS_6(X)                                                                                           \
    SP_RUN_STATE_COLUMNS_6(X)                                                                                         \
    X(state_checksum, "INTEGER NOT NULL") X(invocation, "INTEGER REFERENCES invocation (id)")                         \
    X(cell, "TEXT NOT NULL") X(seed, "INTEGER NOT NULL")                                                              \
    X(replicate, "INTEGER NOT NULL") X(content, "TEXT") X(signal, "INTEGER") X(message, "TEXT") X(warning, "TEXT")    \
    X(resolved, "TEXT") X(ledger, "TEXT") X(epsilon, "REAL") X(bound, "TEXT") X(renyi_order, "REAL")                  \
    X(bounds, "TEXT") X(gradients, "REAL") X(differences, "REAL") X(hessians, "REAL") X(losses, "REAL")               \
    X(releases, "INTEGER") X(steps, "INTEGER") X(handover, "REAL") X(reference, "REAL") X(reference_error, "REAL")    \
    X(reference_method, "TEXT") X(population, "REAL") X(population_error, "REAL") X(population_method, "TEXT")        \
    X(seconds, "REAL") X(elapsed, "REAL") X(peak_memory, "INTEGER") X(measures, "INTEGER") X(traces, "INTEGER")

#endif
