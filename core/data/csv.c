/* csv.c -- records and fields; see csv.h. */
#include "core/data/csv.h"

#include "core/base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* From where the quotes of the record are looked at. */
typedef struct quotes {
    const char *at;
    bool fresh; /* nothing but blanks in this field so far: a quote would open it */
    bool open;
} quotes;

static void follow(quotes *q, const char *end, char by)
{
    for (; q->at < end; q->at++) {
        const char c = *q->at;
        if (q->open) {
            if (c == '"' && q->at + 1 < end && q->at[1] == '"')
                q->at++;
            else
                q->open = c != '"';
        } else if (c == by) {
            q->fresh = true;
        } else {
            q->open = c == '"' && q->fresh && by != '"';
            q->fresh = q->fresh && !q->open && sp_is_blank(c);
        }
    }
}

sp_status sp_csv_record(sp_scan *scan, char by, bool *more)
{
    const sp_status status = sp_scan_line(scan, more);
    if (status != SP_OK || !*more || !memchr(scan->at, '"', (size_t)(scan->end - scan->at)))
        return status;
    quotes q = { .at = scan->at, .fresh = true };
    for (follow(&q, scan->end, by); q.open; follow(&q, scan->end, by)) {
        if (scan->next >= scan->stop)
            return sp_scan_fail(scan, "a quote that is not closed");
        sp_scan_extend(scan);
    }
    return SP_OK;
}

static void skip_blanks(sp_scan *scan, char by)
{
    while (scan->at < scan->end && *scan->at != by && sp_is_blank(*scan->at))
        scan->at++;
}

/* Two quotes for each one: without the second ones. */
static sp_status take_doubled(const sp_scan *scan, sp_arena *texts, sp_word_view *field)
{
    char *text = sp_arena_text(texts, field->length + 1);
    size_t length = 0;
    if (!text)
        return sp_fail(scan->error, SP_ENOMEM, "%s: out of memory", scan->name);
    for (size_t i = 0; i < field->length; i++) {
        text[length++] = field->start[i];
        i += field->start[i] == '"';
    }
    *field = (sp_word_view){ text, length };
    return SP_OK;
}

/* The scan stands behind the quote that opens it. */
static sp_status quoted(sp_scan *scan, char by, sp_arena *texts, sp_word_view *field)
{
    const char *start = scan->at, *stop = start;
    bool doubled = false;
    while ((stop = memchr(stop, '"', (size_t)(scan->end - stop))) && stop + 1 < scan->end && stop[1] == '"') {
        doubled = true;
        stop += 2;
    }
    if (!stop)
        return sp_scan_fail(scan, "a quote that is not closed");
    scan->at = stop + 1;
    skip_blanks(scan, by);
    if (scan->at < scan->end && *scan->at != by)
        return sp_scan_fail(scan, "'%c' after a quoted field (a quote within quotes is written twice)", *scan->at);
    *field = (sp_word_view){ start, (size_t)(stop - start) };
    return doubled ? take_doubled(scan, texts, field) : SP_OK;
}

sp_status sp_csv_field(sp_scan *scan, char by, sp_arena *texts, bool *more, sp_word_view *field)
{
    sp_status status = SP_OK;
    skip_blanks(scan, by);
    if (scan->at < scan->end && *scan->at == '"' && by != '"') {
        scan->at++;
        SP_TRY(quoted(scan, by, texts, field));
    } else {
        const char *start = scan->at, *stop = memchr(start, by, (size_t)(scan->end - start));
        stop = scan->at = stop ? stop : scan->end;
        while (stop > start && sp_is_blank(stop[-1]))
            stop--;
        *field = (sp_word_view){ start, (size_t)(stop - start) };
    }
    *more = scan->at < scan->end;
    scan->at += *more;
cleanup:
    return status;
}

bool sp_csv_missing(sp_word_view field)
{
    static const char *const words[] = { "?", "NA", "N/A", "NaN", "nan", "NULL", "null" };
    for (size_t i = 0; field.length > 0 && field.length <= 4 && i < sizeof words / sizeof *words; i++)
        if (sp_word_is(field, words[i]))
            return true;
    return field.length == 0;
}

const char *sp_csv_column(const sp_word_view *names, size_t place, char out[SP_COLUMN_SIZE])
{
    const bool named = names && names[place].length > 0;
    snprintf(out, SP_COLUMN_SIZE, named ? "column %zu (%.*s)" : "column %zu", place + 1,
             named ? sp_word_shown(names[place]) : 0, named ? names[place].start : "");
    return out;
}

static sp_status no_column(const sp_scan *scan, const sp_word_view *names, size_t columns, const char *what,
                           sp_word_view name)
{
    enum { LIST_MAX = 300 };
    sp_text list = { 0 };
    for (size_t i = 0; names && i < columns && list.length <= LIST_MAX; i++)
        sp_text_append(&list, "%s%.*s", i > 0 ? ", " : "; they are ", sp_word_shown(names[i]), names[i].start);
    const sp_status status = sp_scan_fail(scan, "no column '%.*s' (%s): there are %zu, counted from 1%s%s",
                                          sp_word_shown(name), name.start, what, columns, list.data ? list.data : "",
                                          list.length > LIST_MAX ? ", ..." : "");
    sp_text_free(&list);
    return status;
}

static bool place_of(double number, size_t columns, size_t *place)
{
    if (number != trunc(number) || number == 0.0 || fabs(number) > (double)columns)
        return false;
    *place = number < 0.0 ? columns - (size_t)-number : (size_t)number - 1;
    return true;
}

sp_status sp_csv_find(const sp_scan *scan, const sp_word_view *names, size_t columns, const char *what,
                      sp_word_view name, size_t *place)
{
    size_t found = 0;
    double number;
    for (size_t i = 0; names && i < columns; i++) {
        if (name.length == 0 || name.length != names[i].length ||
            memcmp(name.start, names[i].start, name.length) != 0)
            continue;
        *place = i;
        found++;
    }
    if (found > 1)
        return sp_scan_fail(scan, "%zu columns are called '%.*s': say which by its number, counted from 1", found,
                            sp_word_shown(name), name.start);
    if (found == 1 || (name.length > 0 && sp_word_number(name, &number) && place_of(number, columns, place)))
        return SP_OK;
    return no_column(scan, names, columns, what, name);
}
