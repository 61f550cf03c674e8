/* export_files.h -- tables that are written as they are made: each beside its file until all are complete, so that none
 * is replaced where one of them could not be written. */
#ifndef SP_EXPORT_EXPORT_FILES_H
#define SP_EXPORT_EXPORT_FILES_H

#include "core/base/atomic_file.h"

#include <stdbool.h>

/* In the order in which they are placed. */
typedef enum {
    SP_PROVENANCE_TABLE, SP_KEYS_TABLE, SP_CELLS_TABLE, SP_RUNS_TABLE, SP_SKIPPED_TABLE, SP_TUNING_TABLE,
    SP_TRACES_TABLE, SP_TIMINGS_TABLE, SP_TABLES
} sp_table_kind;

/* Start from { 0 }. */
typedef struct sp_table_files {
    sp_atomic_file draft[SP_TABLES];
    bool unwanted[SP_TABLES]; /* there is to be no such table */
} sp_table_files;

sp_status sp_table_files_begin(sp_table_files *, const char *directory, sp_error *);
/* Between rows: what is there goes into the files. */
sp_status sp_table_files_pass(sp_table_files *, sp_error *);
/* Completes all and puts them into their places; a table that lies there packed and holds the same stays packed, else
 * the packed one makes room. Where `same` is given and is then set, provenance and keys stay as they are: the others
 * held these very bytes before, but for timings, and traces, which may be missing (sp_export). */
sp_status sp_table_files_place(sp_table_files *, bool *same, sp_error *);
void sp_table_files_drop(sp_table_files *);

#endif
