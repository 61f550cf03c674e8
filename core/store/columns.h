/* columns.h -- a row of any table of a store with the kinds of its columns, and whether its checksum is that of its
 * values. */
#ifndef SP_STORE_COLUMNS_H
#define SP_STORE_COLUMNS_H

#include "core/store/pages.h"

#include <math.h>

typedef enum sp_role {
    SP_COLUMN_TEXT, SP_COLUMN_REAL, SP_COLUMN_BYTES, SP_COLUMN_NUMBER,
    SP_COLUMN_STATE_SUM /* the checksum of the columns before it */
} sp_role;

enum { SP_COLUMNS_MAX = 64 };

typedef struct sp_columns {
    int count; /* the checksum is one more */
    sp_role role[SP_COLUMNS_MAX];
    sp_field value[SP_COLUMNS_MAX + 1];
    uint64_t sum; /* the checksum of the values, by sp_columns_same */
} sp_columns;

/* Of a column in store_schema.h. */
sp_role sp_role_of(const char *name, const char *type);

/* Sets `sum`. False: the values are not what was written. */
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
