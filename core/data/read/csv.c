/* csv.c -- splits CSV text into records and fields (csv.h). */
#include "core/data/read/csv.h"

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

sp_status sp_csv_split(const char *text, const char *what, sp_arena *arena, sp_csv_list *out, sp_error *error)
{
    sp_status status = SP_OK;
    sp_scan scan = { .at = text, .end = text ? text + strlen(text) : NULL, .name = what, .error = error };
    size_t room = 1;
    *out = (sp_csv_list){ 0 };
    for (const char *c = text; c && *c; c++)
        room += *c == ',';
    sp_word_view *word = sp_arena_alloc(arena, room, sizeof *word);
    if (!word)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", what);
    for (bool more = text && *text; more; out->count++)
        SP_TRY(sp_csv_field(&scan, ',', arena, &more, &word[out->count]));
    out->word = word;
cleanup:
    return status;
}

bool sp_csv_missing(sp_word_view field, const sp_csv_list *words)
{
    static const char *const usual[] = {
        "?", "NA", "N/A", "#N/A", "<NA>", "NaN", "nan", "-NaN", "-nan", "NULL", "null"
    };
    enum { LONGEST = 4 };
    const bool may = field.length > 0 && field.length <= LONGEST && !(*field.start >= '0' && *field.start <= '9');
    for (size_t i = 0; may && i < sizeof usual / sizeof *usual; i++)
        if (sp_word_is(field, usual[i]))
            return true;
    for (size_t i = 0; i < words->count; i++)
        if (sp_word_same(field, words->word[i]))
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

/* --- columns by name ----------------------------------------------------------------------------------------- */

typedef struct sp_csv_name {
    size_t place; /* of the last column that has it */
    size_t count; /* columns that have it; 0: an empty slot */
} sp_csv_name;

static sp_csv_name *slot_of(const sp_csv_names *names, sp_word_view name)
{
    size_t at = sp_word_hash(name) & (names->slots - 1);
    while (names->slot[at].count > 0 && !sp_word_same(names->name[names->slot[at].place], name))
        at = (at + 1) & (names->slots - 1);
    return &names->slot[at];
}

sp_status sp_csv_index(sp_csv_names *names, sp_arena *arena, const sp_word_view *name, size_t count, sp_error *error)
{
    *names = (sp_csv_names){ .name = name, .count = count };
    if (!name)
        return SP_OK;
    for (names->slots = 16; names->slots < 2 * count; names->slots *= 2)
        ;
    if (!(names->slot = sp_arena_alloc(arena, names->slots, sizeof *names->slot)))
        return sp_fail(error, SP_ENOMEM, "%zu columns: out of memory", count);
    for (size_t i = 0; i < count; i++)
        if (name[i].length > 0) {
            sp_csv_name *slot = slot_of(names, name[i]);
            slot->place = i;
            slot->count++;
        }
    return SP_OK;
}

size_t sp_csv_called(const sp_csv_names *names, sp_word_view name, size_t *place)
{
    if (!names->slot || name.length == 0)
        return 0;
    const sp_csv_name *slot = slot_of(names, name);
    if (slot->count > 0)
        *place = slot->place;
    return slot->count;
}

static sp_status no_column(const sp_scan *scan, const sp_csv_names *names, const char *what, sp_word_view name)
{
    enum { LIST_MAX = 300 };
    sp_text list = { 0 };
    for (size_t i = 0; names->name && i < names->count && list.length <= LIST_MAX; i++)
        sp_text_append(&list, "%s%.*s", i > 0 ? ", " : "; they are ", sp_word_shown(names->name[i]),
                       names->name[i].start);
    const sp_status status = sp_scan_fail(scan, "no column '%.*s' (%s): there are %zu, counted from 1%s%s",
                                          sp_word_shown(name), name.start, what, names->count,
                                          list.data ? list.data : "", list.length > LIST_MAX ? ", ..." : "");
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

sp_status sp_csv_find(const sp_scan *scan, const sp_csv_names *names, const char *what, sp_word_view name,
                      size_t *place)
{
    double number;
    const size_t found = sp_csv_called(names, name, place);
    if (found > 1)
        return sp_scan_fail(scan, "%zu columns are called '%.*s': say which by its number, counted from 1", found,
                            sp_word_shown(name), name.start);
    if (found == 1 || (name.length > 0 && sp_word_number(name, &number) && place_of(number, names->count, place)))
        return SP_OK;
    return no_column(scan, names, what, name);
}
