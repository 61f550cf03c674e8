/* store_schema.h -- the tables of a store. NULL stands for NaN, a missing text is ''. */
#ifndef SP_STORE_STORE_SCHEMA_H
#define SP_STORE_STORE_SCHEMA_H

#include "core/store/store.h"

#define SP_STORE_SCHEMA                                                                                               \
    "CREATE TABLE invocation ("                                                                                       \
    " id INTEGER PRIMARY KEY, started TEXT, command TEXT, scale TEXT, script TEXT, \"commit\" TEXT, dirty INTEGER,"   \
    " compiler TEXT, flags TEXT, libraries TEXT, blas_core TEXT, cpu TEXT);"                                          \
    "CREATE TABLE run ("                                                                                              \
    " id INTEGER PRIMARY KEY,"                                                                                        \
    " identity TEXT NOT NULL UNIQUE,"                            /* what was asked */                                 \
    " invocation INTEGER REFERENCES invocation (id),"                                                                 \
    " cell TEXT NOT NULL, seed INTEGER NOT NULL, replicate INTEGER NOT NULL, checkpoints REAL,"                       \
    " data TEXT, algorithm TEXT, loss TEXT, regulariser TEXT, core TEXT," /* what answered it: hashes, */             \
    " platform TEXT,"                                            /* and the libraries */                              \
    " content TEXT,"                                             /* of the records */                                 \
    " status TEXT NOT NULL, signal INTEGER, message TEXT, warning TEXT,"                                              \
    " resolved TEXT, ledger TEXT,"                                                                                    \
    " epsilon REAL, bound TEXT, renyi_order REAL,"                                                                    \
    " bounds TEXT,"                                              /* every one: "rdp=1.07 pld=0.98" */                 \
    " gradients REAL, differences REAL, hessians REAL, losses REAL, releases INTEGER, steps INTEGER,"                 \
    " reference REAL, reference_error REAL, reference_method TEXT,"                                                   \
    " population REAL, population_error REAL, population_method TEXT,"                                                \
    " seconds REAL, elapsed REAL, peak_memory INTEGER);"                                                              \
    "CREATE TABLE measure ("                                     /* at the returned iterate */                        \
    " run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,"                                                    \
    " name TEXT NOT NULL, source TEXT, value REAL,"                                                                   \
    " PRIMARY KEY (run, name)) WITHOUT ROWID;"                                                                        \
    "CREATE TABLE trace ("                                                                                            \
    " run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,"                                                    \
    " step INTEGER NOT NULL,"                                                                                         \
    " gradients REAL, differences REAL, hessians REAL, losses REAL, releases INTEGER, seconds REAL,"                  \
    " PRIMARY KEY (run, step)) WITHOUT ROWID;"                                                                        \
    "CREATE TABLE trace_measure ("                                                                                    \
    " run INTEGER NOT NULL, step INTEGER NOT NULL, name TEXT NOT NULL, value REAL,"                                   \
    " PRIMARY KEY (run, step, name),"                                                                                 \
    " FOREIGN KEY (run, step) REFERENCES trace (run, step) ON DELETE CASCADE) WITHOUT ROWID;"                         \
    "CREATE TABLE reference ("                                                                                        \
    " key TEXT PRIMARY KEY, value REAL, error REAL, method TEXT, minimiser BLOB) WITHOUT ROWID;"

#endif
