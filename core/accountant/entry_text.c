/* entry_text.c -- reads ledger entries from text (the grammar is in entry_text.h), with messages that name the
 * mistake. */
#include "core/accountant/entry_text.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t";

/* Largest count that a double holds exactly. */
static const double count_max = 9007199254740992.0;

/* A text being read: `word` is the current one, ended in place. */
typedef struct reading {
    const char *text; /* as written, for messages */
    char *rest;
    sp_error *error;
} reading;

static sp_status refuse(const reading *, const char *near, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static sp_status refuse(const reading *r, const char *near, const char *format, ...)
{
    char why[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return sp_fail(r->error, SP_EINVAL, "%s: %s%s%s%s", r->text, why, near ? "; did you mean " : "", near ? near : "",
                   near ? "?" : "");
}

static sp_status read_kind(const reading *r, const char *name, sp_entry *out)
{
    const char *names[SP_LEDGER_KINDS];
    for (int kind = 0; kind < SP_LEDGER_KINDS; kind++) {
        names[kind] = sp_ledger_kind_name((sp_ledger_kind)kind);
        if (strcmp(name, names[kind]) == 0) {
            *out = (sp_entry){ .kind = (sp_ledger_kind)kind, .count = 1 };
            return SP_OK;
        }
    }
    return refuse(r, sp_nearest(name, names, SP_LEDGER_KINDS), "no entry is called \"%s\"", name);
}

/* The field of this key, and whether it is written as `scale`. */
static sp_status read_key(const reading *r, const char *key, sp_ledger_kind kind, size_t *field, bool *scale)
{
    const char *names[SP_ENTRY_FIELDS + 1];
    size_t count = 0;
    *scale = kind == SP_LEDGER_LAPLACE && strcmp(key, "scale") == 0;
    for (*field = 0; *field < SP_ENTRY_FIELDS; (*field)++) {
        const char *name = sp_entry_fields[*field].key;
        if (sp_entry_field_use(kind, *field) == SP_FIELD_UNUSED)
            continue;
        if (strcmp(*scale ? "epsilon" : key, name) == 0)
            return SP_OK;
        names[count++] = name;
    }
    if (kind == SP_LEDGER_LAPLACE)
        names[count++] = "scale";
    return refuse(r, sp_nearest(key, names, count), "unknown key \"%s\"", key);
}

static sp_status read_value(const reading *r, const char *key, const char *text, const sp_entry_field *field,
                            bool scale, sp_entry *out)
{
    double value;
    if (field->names) {
        for (size_t i = 0; i < SP_FILTERS; i++)
            if (strcmp(text, field->names[i]) == 0) {
                *(size_t *)((char *)out + field->offset) = i;
                return SP_OK;
            }
        return refuse(r, sp_nearest(text, field->names, SP_FILTERS), "%s = \"%s\" is none of its values", key, text);
    }
    if (!sp_read_number(text, &value))
        return refuse(r, NULL, "%s is not a number", key);
    if (scale && !(value > 0.0 && isfinite(value)))
        return refuse(r, NULL, "%s must be > 0 and finite", key);
    if (!field->whole) {
        *(double *)((char *)out + field->offset) = scale ? 1.0 / value : value;
        return SP_OK;
    }
    if (!(value >= 0.0 && value <= count_max) || value != floor(value))
        return refuse(r, NULL, "%s must be a whole number from 0 to 2^53", key);
    *(size_t *)((char *)out + field->offset) = (size_t)value;
    return SP_OK;
}

/* One entry from words that `separators` part; *words is overwritten. */
static sp_status read_entry(const char *text, char *words, const char *first, const char *next, sp_entry *out,
                            sp_error *error)
{
    reading r = { text, words, error };
    sp_status status = SP_OK;
    bool given[SP_ENTRY_FIELDS] = { false };
    SP_TRY(read_kind(&r, strsep(&r.rest, first), out));
    while (r.rest) {
        char *key = strsep(&r.rest, next), *value = strchr(key, '=');
        size_t field = 0;
        bool scale = false;
        if (!value)
            SP_TRY(refuse(&r, NULL, "\"%s\" is not key=value", key));
        *value++ = '\0';
        SP_TRY(read_key(&r, key, out->kind, &field, &scale));
        if (given[field])
            SP_TRY(refuse(&r, NULL, "%s is given twice", sp_entry_fields[field].key));
        given[field] = true;
        SP_TRY(read_value(&r, key, value, &sp_entry_fields[field], scale, out));
    }
    for (size_t field = 0; field < SP_ENTRY_FIELDS; field++)
        if (!given[field] && sp_entry_field_use(out->kind, field) == SP_FIELD_REQUIRED)
            SP_TRY(refuse(&r, NULL, "%s is missing", sp_entry_fields[field].key));
    SP_TRY(sp_entry_check(out, error));
cleanup:
    return status;
}

sp_status sp_entry_read(const char *text, sp_entry *out, sp_error *error)
{
    char *words = sp_copy_text(text);
    if (!words)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", text);
    const sp_status status = read_entry(text, words, ":", ",", out, error);
    free(words);
    return status;
}

sp_status sp_ledger_read(const char *text, sp_ledger *out, sp_error *error)
{
    sp_status status = SP_OK;
    char *lines = sp_copy_text(text), *rest = lines, *words = NULL;
    if (!lines)
        return sp_fail(error, SP_ENOMEM, "ledger: out of memory");
    for (size_t number = 1; rest; number++) {
        const char *line = strsep(&rest, "\n");
        sp_entry entry;
        if (*line == '\0')
            continue;
        free(words);
        words = sp_copy_text(line);
        if (!words)
            SP_TRY(sp_fail(error, SP_ENOMEM, "ledger: out of memory"));
        if ((status = read_entry(line, words, blanks, blanks, &entry, error)) != SP_OK) {
            sp_fail_prefix(error, "line %zu", number);
            goto cleanup;
        }
        if (sp_ledger_append(out, &entry) != SP_OK)
            SP_TRY(sp_fail(error, SP_ENOMEM, "ledger: out of memory"));
    }
cleanup:
    free(words);
    free(lines);
    return status;
}
