/* damage.c -- see damage.h. */
#include "core/store/damage.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/store/tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- lists ---------------------------------------------------------------------------------------------------------- */

sp_status sp_damages_add(sp_damages *list, const char *run, const char *what)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->item[i].run, run) == 0 && (*run || strcmp(list->item[i].what, what) == 0))
            return SP_OK;
    sp_damage *grown = realloc(list->item, (list->count + 1) * sizeof *grown);
    if (!grown)
        return SP_ENOMEM;
    list->item = grown;
    snprintf(grown[list->count].run, SP_RUN_NAME, "%s", run);
    snprintf(grown[list->count].what, SP_DAMAGE_WHAT, "%s", what);
    list->count++;
    return SP_OK;
}

void sp_damages_free(sp_damages *list)
{
    free(list->item);
    *list = (sp_damages){ 0 };
}

const sp_damages *sp_store_damages(const sp_store *store)
{
    return &store->damages;
}

const sp_damages *sp_store_healed(const sp_store *store, const char **aside)
{
    *aside = store->aside;
    return &store->healed;
}

/* --- all rows ------------------------------------------------------------------------------------------------------- */

typedef struct check {
    sp_store *store;
    sp_tally tally;
    sp_row_shape shape[SP_ROW_KINDS];
} check;

static sp_status note(const check *c, const char *run, const char *what, sp_error *error)
{
    const sp_status status = sp_damages_add(&c->store->damages, run, what);
    return status == SP_OK ? status : sp_fail(error, status, "%s: out of memory", c->store->database.path);
}

static void take_field(sqlite3_stmt *at, int i, sp_field *v)
{
    *v = (sp_field){ .kind = SP_FIELD_NULL, .bytes = (const unsigned char *)"" };
    switch (sqlite3_column_type(at, i)) {
    case SQLITE_INTEGER: v->kind = SP_FIELD_INTEGER; v->integer = sqlite3_column_int64(at, i); return;
    case SQLITE_FLOAT: v->kind = SP_FIELD_REAL; v->real = sqlite3_column_double(at, i); return;
    case SQLITE_TEXT: v->kind = SP_FIELD_TEXT; v->bytes = sqlite3_column_text(at, i); break;
    case SQLITE_BLOB: v->kind = SP_FIELD_BYTES; v->bytes = sqlite3_column_blob(at, i); break;
    default: return;
    }
    v->size = (size_t)sqlite3_column_bytes(at, i);
    v->bytes = v->bytes ? v->bytes : (const unsigned char *)"";
}

/* Fields of keys alone: a number, or a text of which the first bytes do. */
typedef struct key {
    int64_t number;
    char text[64];
} key;
enum { KEYS_MAX = 3 };

static void take_key(const sp_field *v, key *out)
{
    *out = (key){ .number = v->integer };
    if (v->kind == SP_FIELD_TEXT)
        memcpy(out->text, v->bytes, v->size < sizeof out->text ? v->size : sizeof out->text);
}

/* Do the keys of the row come after those of the one before? A damaged page may list a row twice. */
static bool comes_next(const sp_row_shape *s, key last[KEYS_MAX], bool first)
{
    int order = first;
    for (int i = 0; i < s->keys; i++) {
        key now;
        take_key(&s->columns.value[i], &now);
        if (order == 0)
            order = now.number != last[i].number ? (now.number > last[i].number) - (now.number < last[i].number)
                                                 : memcmp(now.text, last[i].text, sizeof now.text);
        last[i] = now;
    }
    return order > 0;
}

/* A row that differs from its checksum, or is listed twice. */
static sp_status note_row(const check *c, sp_row_kind kind, sp_error *error)
{
    const sp_row_shape *s = &c->shape[kind];
    char what[SP_DAMAGE_WHAT], run[SP_RUN_NAME] = "";
    sp_tallied *of = kind > SP_RUN_ROWS && kind < SP_REFERENCE_ROWS
                         ? sp_tally_find(&c->tally, sp_field_number(&s->columns.value[0])) : NULL;
    if (of)
        of->bad = s->table;
    if (of)
        return SP_OK;
    if (kind == SP_RUN_ROWS && s->columns.value[1].kind == SP_FIELD_TEXT && s->columns.value[1].size == SP_HASH_HEX - 1)
        memcpy(run, s->columns.value[1].bytes, SP_RUN_NAME - 1);
    snprintf(what, sizeof what, "a row of the table %s differs from its checksum", s->table);
    return note(c, run, what, error);
}

static sp_status check_row(check *c, sp_row_kind kind, key last[KEYS_MAX], bool first, sp_error *error)
{
    sp_columns *row = &c->shape[kind].columns;
    const bool next = comes_next(&c->shape[kind], last, first);
    if (!sp_columns_same(row) || !next)
        return note_row(c, kind, error);
    if (kind <= SP_RUN_ROWS)
        return sp_tally_add(&c->tally, kind, row) == SP_OK ? SP_OK : sp_fail(error, SP_ENOMEM, "out of memory");
    sp_tallied *of = kind < SP_REFERENCE_ROWS ? sp_tally_find(&c->tally, sp_field_number(&row->value[0])) : NULL;
    if (of)
        of->found[kind]++;
    return SP_OK;
}

/* What SQLite itself cannot read is damage too. */
static sp_status unreadable(const check *c, const sp_row_shape *s, sp_error *error)
{
    char what[SP_DAMAGE_WHAT];
    snprintf(what, sizeof what, "pages of the table %s cannot be read", s->table);
    return note(c, "", what, error);
}

static sp_status check_table(check *c, sp_row_kind kind, sp_error *error)
{
    sp_status status = SP_OK;
    sp_row_shape *s = &c->shape[kind];
    sqlite3_stmt *at = NULL;
    sp_row columns;
    key last[KEYS_MAX];
    char sql[64];
    snprintf(sql, sizeof sql, "SELECT * FROM %s", s->table);
    int code = sqlite3_prepare_v2(c->store->database.db, sql, -1, &at, NULL);
    if (code == SQLITE_ERROR && kind >= SP_AUDIT_ROWS) /* not every store has these tables */
        return SP_OK;
    if (code == SQLITE_OK && sp_row_prepare(&c->store->database, s->put, &columns, NULL) != SP_OK) /* which names them all */
        code = SQLITE_CORRUPT;
    for (bool first = true; code == SQLITE_OK || code == SQLITE_ROW; first = false) {
        code = sqlite3_step(at);
        if (code != SQLITE_ROW)
            break;
        for (int i = 0; i <= s->columns.count; i++)
            take_field(at, i, &s->columns.value[i]);
        SP_TRY(check_row(c, kind, last, first, error));
    }
    if (code == SQLITE_NOMEM)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", c->store->database.path));
    if (code != SQLITE_DONE)
        SP_TRY(unreadable(c, s, error));
cleanup:
    sqlite3_finalize(at);
    return status;
}

static sp_status check_runs(const check *c, sp_error *error)
{
    sp_status status = SP_OK;
    char what[SP_DAMAGE_WHAT];
    for (size_t i = 0; i < c->tally.runs; i++) {
        const sp_tallied *run = &c->tally.run[i];
        if (sp_tally_wrong(&c->tally, run, what))
            SP_TRY(note(c, run->name, what, error));
        if (run->invocation > 0 && !sp_tally_has(&c->tally, SP_INVOCATION_ROWS, run->invocation))
            SP_TRY(note(c, "", "which program made some of its runs is lost", error));
    }
cleanup:
    return status;
}

sp_status sp_store_check(sp_store *store, sp_error *error)
{
    sp_status status = SP_OK;
    check c = { .store = store };
    bool held = false;
    SP_TRY(sp_store_hold(store, &held, error));
    sp_row_shapes(c.shape);
    for (sp_row_kind kind = 0; kind < SP_ROW_KINDS; kind++) {
        SP_TRY(check_table(&c, kind, error));
        if (kind == SP_RUN_ROWS && sp_tally_sort(&c.tally) > 0)
            SP_TRY(note(&c, "", "a run appears twice", error));
    }
    SP_TRY(check_runs(&c, error));
    sp_store_hide_damaged(store);
cleanup:
    sp_store_let_go(store, held);
    sp_tally_free(&c.tally);
    return status;
}
