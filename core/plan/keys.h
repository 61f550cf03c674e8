/* keys.h -- every key that an experiment may hold: the tables it is read by, in the order of docs/reference/keys.md. */
#ifndef SP_PLAN_KEYS_H
#define SP_PLAN_KEYS_H

#include "core/base/param.h"

typedef struct sp_key_table {
    const char *place;   /* "problem.data": where the keys stand; "" the experiment's own table */
    const char *summary; /* what the table is */
    const sp_param *keys; /* of kind SP_METHOD where `meaning` says what the value is: a table, a list, a name */
} sp_key_table;

extern const sp_key_table sp_key_tables[];
extern const size_t sp_key_table_count;

#endif
