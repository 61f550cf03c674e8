/* stamps.c -- see stamps.h. */
#include "core/store/stamps.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/base/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sp_stamped_hash {
    char digits[SP_KEY_DIGITS + 1];
    size_t group; /* the position of a hash of the same group that comes earlier, or its own */
} stamped_hash;

enum { KIND, NAME, THEN, NOW, RUNS, SAMPLE, COMMIT, COLUMNS };
static const char *const columns[COLUMNS] = { "kind", "name", "old", "new", "runs", "sample", "commit" };

/* --- groups ---------------------------------------------------------------------------------------------------- */

static int by_digits(const void *a, const void *b)
{
    return strcmp(((const stamped_hash *)a)->digits, ((const stamped_hash *)b)->digits);
}

static stamped_hash *find_hash(const sp_stamps *stamps, const char *hash)
{
    stamped_hash wanted = { .group = 0 };
    if (stamps->hashes == 0 || strlen(hash) < SP_KEY_DIGITS)
        return NULL;
    memcpy(wanted.digits, hash, SP_KEY_DIGITS);
    return bsearch(&wanted, stamps->hash, stamps->hashes, sizeof wanted, by_digits);
}

static size_t group_of(const sp_stamps *stamps, size_t i)
{
    while (stamps->hash[i].group != i)
        i = stamps->hash[i].group;
    return i;
}

static void join(sp_stamps *stamps, const sp_stamp *s)
{
    const size_t a = group_of(stamps, (size_t)(find_hash(stamps, s->then) - stamps->hash));
    const size_t b = group_of(stamps, (size_t)(find_hash(stamps, s->now) - stamps->hash));
    stamps->hash[a > b ? a : b].group = a > b ? b : a;
}

static sp_status find_groups(sp_stamps *stamps)
{
    size_t kept = 0;
    stamped_hash *all = stamps->hash = sp_alloc(2 * stamps->count + 1, sizeof *all);
    if (!all)
        return SP_ENOMEM;
    for (size_t i = 0; i < stamps->count; i++)
        if (stamps->stamp[i].then[0]) {
            memcpy(all[stamps->hashes++].digits, stamps->stamp[i].then, SP_KEY_DIGITS + 1);
            memcpy(all[stamps->hashes++].digits, stamps->stamp[i].now, SP_KEY_DIGITS + 1);
        }
    if (stamps->hashes > 0)
        qsort(all, stamps->hashes, sizeof *all, by_digits);
    for (size_t i = 0; i < stamps->hashes; i++)
        if (i == 0 || strcmp(all[i].digits, all[kept - 1].digits) != 0) {
            all[kept] = all[i];
            all[kept].group = kept;
            kept++;
        }
    stamps->hashes = kept;
    for (size_t i = 0; i < stamps->count; i++)
        if (stamps->stamp[i].then[0])
            join(stamps, &stamps->stamp[i]);
    return SP_OK;
}

bool sp_same_source(const sp_stamps *stamps, const char *then, const char *now)
{
    if (strcmp(then, now) == 0 || (strlen(then) == SP_KEY_DIGITS && strncmp(then, now, SP_KEY_DIGITS) == 0))
        return true;
    const stamped_hash *a = find_hash(stamps, then), *b = find_hash(stamps, now);
    return a && b && group_of(stamps, (size_t)(a - stamps->hash)) == group_of(stamps, (size_t)(b - stamps->hash));
}

/* --- the file -------------------------------------------------------------------------------------------------- */

static bool is_hash(const char *text)
{
    return strlen(text) == SP_KEY_DIGITS && strspn(text, "0123456789abcdef") == SP_KEY_DIGITS;
}

static sp_status read_row(const sp_table *t, const size_t column[COLUMNS], size_t row, const char *path, sp_stamp *out,
                          sp_error *error)
{
    const char *text[COLUMNS];
    for (size_t c = 0; c < COLUMNS; c++)
        text[c] = sp_table_empty(t, row, column[c]) ? "" : sp_table_text(t, row, column[c]);
    const bool keys = strcmp(text[KIND], "keys") == 0 && !text[THEN][0];
    for (size_t c = keys ? NOW : THEN; c <= NOW; c++)
        if (!is_hash(text[c]))
            return sp_fail(error, SP_EDATA, "%s:%zu: %s = %s is not %d digits of a hash: restore the file from version "
                           "control", path, row + 2, columns[c], text[c], SP_KEY_DIGITS);
    *out = (sp_stamp){ .runs = (size_t)sp_table_number(t, row, column[RUNS]),
                       .sample = (size_t)sp_table_number(t, row, column[SAMPLE]) };
    snprintf(out->kind, sizeof out->kind, "%s", text[KIND]);
    snprintf(out->name, sizeof out->name, "%s", text[NAME]);
    memcpy(out->then, text[THEN], strlen(text[THEN]));
    memcpy(out->now, text[NOW], SP_KEY_DIGITS);
    snprintf(out->commit, sizeof out->commit, "%s", text[COMMIT]);
    return SP_OK;
}

sp_status sp_stamps_read(const char *path, sp_stamps *stamps, sp_error *error)
{
    sp_table t = { 0 };
    size_t column[COLUMNS];
    *stamps = (sp_stamps){ 0 };
    sp_status status = sp_table_read(path, &t, error);
    if (status == SP_EABSENT) {
        if (error)
            *error = (sp_error){ 0 };
        return SP_OK;
    }
    if (status != SP_OK)
        return status;
    for (size_t c = 0; c < COLUMNS; c++)
        if ((column[c] = sp_table_column(&t, columns[c])) == t.columns)
            SP_TRY(sp_fail(error, SP_EDATA, "%s: no column %s", path, columns[c]));
    for (size_t row = 0; row < t.rows; row++) {
        sp_stamp s;
        SP_TRY(read_row(&t, column, row, path, &s, error));
        if (sp_stamps_add(stamps, &s) != SP_OK)
            SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    }
    if (find_groups(stamps) != SP_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
cleanup:
    sp_table_free(&t);
    if (status != SP_OK)
        sp_stamps_free(stamps);
    return status;
}

static int by_place(const void *a, const void *b)
{
    const sp_stamp *x = a, *y = b;
    int order = strcmp(x->kind, y->kind);
    order = order ? order : strcmp(x->name, y->name);
    order = order ? order : strcmp(x->then, y->then);
    return order ? order : strcmp(x->now, y->now);
}

sp_status sp_stamps_add(sp_stamps *stamps, const sp_stamp *added)
{
    size_t i = 0;
    while (i < stamps->count && by_place(&stamps->stamp[i], added) != 0)
        i++;
    if (i == stamps->count) {
        sp_stamp *grown = realloc(stamps->stamp, (stamps->count + 1) * sizeof *grown);
        if (!grown)
            return SP_ENOMEM;
        stamps->stamp = grown;
        stamps->count++;
    }
    stamps->stamp[i] = *added;
    return SP_OK;
}

sp_status sp_stamps_write(const char *path, const sp_stamps *stamps, sp_error *error)
{
    sp_text text = { 0 };
    for (size_t c = 0; c < COLUMNS; c++)
        sp_text_append(&text, "%s%s", c > 0 ? "\t" : "", columns[c]);
    sp_text_add(&text, "\n", 1);
    if (stamps->count > 0)
        qsort(stamps->stamp, stamps->count, sizeof *stamps->stamp, by_place);
    for (size_t i = 0; i < stamps->count; i++) {
        const sp_stamp *s = &stamps->stamp[i];
        const char *const field[] = { s->name[0] ? s->name : NULL, s->then[0] ? s->then : NULL, s->now };
        sp_table_write(&text, s->kind);
        for (size_t f = 0; f < sizeof field / sizeof *field; f++) {
            sp_text_add(&text, "\t", 1);
            sp_table_write(&text, field[f]);
        }
        sp_text_append(&text, "\t%zu\t%zu\t%s\n", s->runs, s->sample, s->commit);
    }
    const sp_status status = text.failed ? sp_fail(error, SP_ENOMEM, "%s: out of memory", path)
                                         : sp_write_file(path, text.data, text.length, error);
    sp_text_free(&text);
    return status;
}

void sp_stamps_free(sp_stamps *stamps)
{
    free(stamps->stamp);
    free(stamps->hash);
    *stamps = (sp_stamps){ 0 };
}
