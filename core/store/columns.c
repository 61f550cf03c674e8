/* columns.c -- see columns.h. */
#include "core/store/columns.h"

#include "core/base/checksum.h"

#include <string.h>

sp_role sp_role_of(const char *name, const char *type)
{
    if (strcmp(name, "state_checksum") == 0)
        return SP_COLUMN_STATE_SUM;
    return *type == 'T' ? SP_COLUMN_TEXT : *type == 'R' ? SP_COLUMN_REAL : *type == 'B' ? SP_COLUMN_BYTES : SP_COLUMN_NUMBER;
}

/* NULL counts as 0, an empty text, or NaN (database.h). */
static bool has_kind(const sp_field *v, sp_role r)
{
    switch (r) {
    case SP_COLUMN_TEXT: return v->kind == SP_FIELD_TEXT || v->kind == SP_FIELD_NULL;
    case SP_COLUMN_BYTES: return v->kind == SP_FIELD_BYTES || v->kind == SP_FIELD_NULL;
    case SP_COLUMN_REAL: return v->kind != SP_FIELD_TEXT && v->kind != SP_FIELD_BYTES;
    default: return v->kind == SP_FIELD_INTEGER || v->kind == SP_FIELD_NULL;
    }
}

bool sp_columns_same(sp_columns *row)
{
    bool same = true;
    row->sum = SP_CHECKSUM_START;
    for (int i = 0; i < row->count; i++) {
        const sp_field *v = &row->value[i];
        same = same && has_kind(v, row->role[i]) && (row->role[i] != SP_COLUMN_STATE_SUM || sp_field_number(v) == row->sum);
        switch (row->role[i]) {
        case SP_COLUMN_TEXT:
        case SP_COLUMN_BYTES: row->sum = sp_checksum_bytes(row->sum, v->bytes, v->size); break;
        case SP_COLUMN_REAL: row->sum = sp_checksum_real(row->sum, sp_field_real(v)); break;
        default: row->sum = sp_checksum_word(row->sum, sp_field_number(v));
        }
    }
    return same && row->value[row->count].kind == SP_FIELD_INTEGER && row->sum == sp_field_number(&row->value[row->count]);
}
