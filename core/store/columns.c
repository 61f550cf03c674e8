/* columns.c -- see columns.h. */
#include "core/store/columns.h"

#include "core/base/checksum.h"

#include <string.h>

sp_role sp_role_of(const char *name, const char *type)
{
    static const struct { const char *name; sp_role role; } numbered[] = {
        { "id", SP_COLUMN_RUN }, { "run", SP_COLUMN_RUN }, { "answers", SP_COLUMN_ANSWERS },
        { "invocation", SP_COLUMN_INVOCATION }, { "state_checksum", SP_COLUMN_STATE_SUM }
    };
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++)
        if (strcmp(name, numbered[i].name) == 0)
            return numbered[i].role;
    return *type == 'T' ? SP_COLUMN_TEXT : *type == 'R' ? SP_COLUMN_REAL : *type == 'B' ? SP_COLUMN_BYTES : SP_COLUMN_NUMBER;
}

typedef struct sums {
    uint64_t old, new;
} sums;

static void add_word(sums *s, uint64_t old, uint64_t new)
{
    s->old = sp_checksum_word(s->old, old);
    s->new = sp_checksum_word(s->new, new);
}

static void add_bytes(sums *s, const sp_field *v)
{
    s->old = sp_checksum_bytes(s->old, v->bytes, v->size);
    s->new = sp_checksum_bytes(s->new, v->bytes, v->size);
}

static void add_real(sums *s, const sp_field *v)
{
    s->old = sp_checksum_real(s->old, sp_field_real(v));
    s->new = sp_checksum_real(s->new, sp_field_real(v));
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

bool sp_columns_take(sp_columns *row, uint64_t runs, uint64_t answers, uint64_t invocation)
{
    sums s = { SP_CHECKSUM_START, SP_CHECKSUM_START };
    bool whole = true;
    for (int i = 0; i < row->count; i++) {
        const sp_field *v = &row->value[i];
        const uint64_t old = sp_field_number(v);
        uint64_t new = old;
        whole = whole && has_kind(v, row->role[i]);
        switch (row->role[i]) {
        case SP_COLUMN_TEXT:
        case SP_COLUMN_BYTES: add_bytes(&s, v); continue;
        case SP_COLUMN_REAL: add_real(&s, v); continue;
        case SP_COLUMN_NUMBER: break;
        case SP_COLUMN_RUN: new = old + runs; break;
        case SP_COLUMN_ANSWERS: new = answers; break;
        case SP_COLUMN_INVOCATION: new = invocation; break;
        case SP_COLUMN_STATE_SUM: /* of the columns before it */
            whole = whole && old == s.old;
            new = s.new;
            break;
        }
        row->number[i] = new;
        add_word(&s, old, new);
    }
    row->number[row->count] = s.new;
    return whole && row->value[row->count].kind == SP_FIELD_INTEGER && s.old == sp_field_number(&row->value[row->count]);
}

static uint64_t number_of(const sp_columns *row, sp_role role)
{
    for (int i = 0; i < row->count; i++)
        if (row->role[i] == role)
            return sp_field_number(&row->value[i]);
    return 0;
}

bool sp_columns_same(sp_columns *row)
{
    return sp_columns_take(row, 0, number_of(row, SP_COLUMN_ANSWERS), number_of(row, SP_COLUMN_INVOCATION));
}
