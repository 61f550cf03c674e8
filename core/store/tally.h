/* tally.h -- are the rows of a store what was written? Rows come in any order, from SQLite or from pages (pages.h). Each has a
 * checksum, and each run says how many rows the other tables have for it. */
#ifndef SP_STORE_TALLY_H
#define SP_STORE_TALLY_H

#include "core/store/columns.h"
#include "core/store/damage.h"
#include "core/store/number_set.h"
#include "core/store/store_internal.h"

typedef enum {
    SP_INVOCATION_ROWS, SP_ANSWERS_ROWS, SP_RUN_ROWS, SP_MEASURE_ROWS, SP_ITERATE_ROWS, SP_TRACE_ROWS, SP_TRACE_MEASURE_ROWS,
    SP_REFERENCE_ROWS, SP_AUDIT_ROWS, SP_TASK_ROWS, SP_ROW_KINDS
} sp_row_kind;

/* A table of a store, as this version writes it. */
typedef struct sp_row_shape {
    const char *table;
    sp_statement put;
    bool keyed;               /* without rowid */
    int keys;                 /* its first columns, which no two rows share, and in whose order SQLite lists them */
    const char *const *name;  /* of the columns, where version 6 may have others; ends with NULL. NULL: it has the same */
    const char *const *old;   /* those of version 6 */
    sp_columns columns;       /* count and roles */
    int old_count;            /* columns of version 6 */
    sp_role old_role[SP_COLUMNS_MAX];
    char codes[256];          /* of the warnings of a row of version 6, which has sentences alone */
} sp_row_shape;

void sp_row_shapes(sp_row_shape shape[SP_ROW_KINDS]);

/* A run, and the rows of it that were found. */
typedef struct sp_tallied {
    uint64_t id, answers, invocation;
    char name[SP_RUN_NAME];
    unsigned char identity[SP_HASH_SIZE];
    uint64_t rows[SP_ROW_KINDS], found[SP_ROW_KINDS];
    const char *bad;          /* the table of a row that differs from its checksum; NULL: none */
} sp_tallied;

typedef struct sp_tally {
    sp_tallied *run;
    size_t runs, room;
    sp_number_set id[SP_RUN_ROWS]; /* of sound rows of `invocation` and of `answers` */
} sp_tally; /* starts as { 0 } */

/* A sound row of `run`, `invocation` or `answers`; SP_ENOMEM. */
sp_status sp_tally_add(sp_tally *, sp_row_kind, const sp_columns *);
/* All of them are added: from now on runs can be found. Of two rows of one identity the later one counts. Returns how many do
 * not. */
size_t sp_tally_sort(sp_tally *);
/* NULL: there is no such run. */
sp_tallied *sp_tally_find(const sp_tally *, uint64_t id);
bool sp_tally_has(const sp_tally *, sp_row_kind, uint64_t id);
/* What is wrong with a run that all its rows were counted for; false: nothing. */
bool sp_tally_wrong(const sp_tally *, const sp_tallied *, char what[SP_DAMAGE_WHAT]);
void sp_tally_free(sp_tally *);

#endif
