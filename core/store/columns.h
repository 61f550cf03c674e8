/* columns.h -- the columns of a row that goes over from one store into another: what they are, and the checksum of the row with
 * the numbers that it had and with those that it gets. */
#ifndef SP_STORE_COLUMNS_H
#define SP_STORE_COLUMNS_H

#include "core/store/pages.h"

#include <math.h>

typedef enum sp_role {
    SP_COLUMN_TEXT, SP_COLUMN_REAL, SP_COLUMN_BYTES, SP_COLUMN_NUMBER, /* as they are */
    SP_COLUMN_RUN, SP_COLUMN_ANSWERS, SP_COLUMN_INVOCATION,            /* numbers of rows */
    SP_COLUMN_STATE_SUM                                                /* the checksum of the columns before it */
} sp_role;

enum { SP_COLUMNS_MAX = 64 };

typedef struct sp_columns {
    int count; /* the checksum is one more */
    sp_role role[SP_COLUMNS_MAX];
    sp_field value[SP_COLUMNS_MAX + 1];
    uint64_t number[SP_COLUMNS_MAX + 1]; /* new, of the roles from SP_COLUMN_NUMBER on, and the checksum */
} sp_columns;

/* Of a column in store_schema.h. */
sp_role sp_role_of(const char *name, const char *type);

/* Sets `number`: runs get `runs` more than they have, answers and what made the run these. False: the values are not what
 * was written. */
bool sp_columns_take(sp_columns *, uint64_t runs, uint64_t answers, uint64_t invocation);
/* The same where all numbers stay. */
bool sp_columns_same(sp_columns *);

static inline uint64_t sp_field_number(const sp_field *v)
{
    return v->kind == SP_FIELD_INTEGER ? (uint64_t)v->integer : 0;
}

/* SQLite writes a whole number as one, also in a column of reals. */
static inline double sp_field_real(const sp_field *v)
{
    return v->kind == SP_FIELD_REAL ? v->real : v->kind == SP_FIELD_INTEGER ? (double)v->integer : (double)NAN;
}

#endif
