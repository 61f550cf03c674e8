/* format_csv.c -- value,value,...,label; a column of words becomes one indicator feature a distinct word.
 *
 * Until the last line is read nobody knows how many words a column has: a value is collected under the number of its
 * column, a word as 1 + the number of its first appearance; sp_read_csv.finish puts both where they belong. */
#include "core/data/formats.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* One of the words of a column. */
typedef struct category {
    sp_word_view word;
    size_t number; /* from 0, in the order of appearance */
} category;

typedef struct column {
    enum { UNSEEN, NUMBERS, WORDS, NAMED } kind; /* NAMED: in `categorical` */
    sp_word_view first;                          /* its first value */
    void *tree;                                  /* its categories, see search.h */
    size_t categories;                           /* how many they are */
} column;

struct sp_columns {
    size_t count;    /* columns, the label's too */
    size_t label;    /* which one is the label's */
    column column[]; /* count */
};

void sp_columns_free(sp_columns *columns)
{
    for (size_t i = 0; columns && i < columns->count; i++)
        tdestroy(columns->column[i].tree, free);
    free(columns);
}

/* --- fields -------------------------------------------------------------------------------------------------- */

static void skip_blanks(sp_scan *scan, char by)
{
    while (scan->at < scan->end && *scan->at != by && sp_is_blank(*scan->at))
        scan->at++;
}

/* The next field, blanks and quotes around it left out; *more: another one follows. */
static sp_status next_field(sp_scan *scan, char by, bool *more, sp_word_view *field)
{
    skip_blanks(scan, by);
    const char *start = scan->at, *stop;
    const bool quoted = start < scan->end && *start == '"' && by != '"';
    if (quoted) {
        start++;
        if (!(stop = memchr(start, '"', (size_t)(scan->end - start))))
            return sp_scan_fail(scan, "a quote that is not closed");
        scan->at = stop + 1;
        skip_blanks(scan, by);
        if (scan->at < scan->end && *scan->at != by)
            return sp_scan_fail(scan, "'%c' after a quoted field (a quote within quotes is not supported)", *scan->at);
    } else {
        stop = memchr(start, by, (size_t)(scan->end - start));
        stop = scan->at = stop ? stop : scan->end;
        while (stop > start && sp_is_blank(stop[-1]))
            stop--;
    }
    *field = (sp_word_view){ start, (size_t)(stop - start) };
    *more = scan->at < scan->end;
    scan->at += *more;
    return SP_OK;
}

static char delimiter(const sp_reading *r)
{
    return r->options->delimiter ? r->options->delimiter : ',';
}

/* Fields of the current line, which stays current; how many of them are `name`, and the last such. */
static sp_status count_fields(sp_reading *r, sp_word_view name, size_t *fields, size_t *found, size_t *place)
{
    sp_status status = SP_OK;
    sp_scan line = r->scan;
    sp_word_view field;
    *fields = *found = 0;
    for (bool more = true; more; ++*fields) {
        SP_TRY(next_field(&line, delimiter(r), &more, &field));
        if (name.length > 0 && name.length == field.length && memcmp(name.start, field.start, name.length) == 0) {
            *place = *fields;
            ++*found;
        }
    }
cleanup:
    return status;
}

/* --- columns ------------------------------------------------------------------------------------------------- */

/* Negative numbers count from the end. */
static bool place_of(long number, size_t fields, size_t *place)
{
    const long count = (long)fields;
    if (number >= count || number < -count)
        return false;
    *place = (size_t)(number < 0 ? number + count : number);
    return true;
}

static sp_status find_column(sp_reading *r, const char *what, sp_word_view name, size_t *place)
{
    size_t fields, found = 0;
    double number;
    const sp_status status = count_fields(r, name, &fields, &found, place);
    if (status != SP_OK)
        return status;
    if (r->options->header && found > 1)
        return sp_scan_fail(&r->scan, "%zu columns are called '%.*s'", found, sp_word_shown(name), name.start);
    if (r->options->header && found == 1)
        return SP_OK;
    if (sp_word_number(name, &number) && number >= -1e9 && number <= 1e9 && number == (double)(long)number &&
        place_of((long)number, fields, place))
        return SP_OK;
    return sp_scan_fail(&r->scan, "no column '%.*s' (%s): there are %zu", sp_word_shown(name), name.start, what,
                        fields);
}

/* From the first line of the first source. */
static sp_status set_up(sp_reading *r, size_t fields)
{
    sp_status status = SP_OK;
    const sp_read_options *o = r->options;
    if (!(r->columns = sp_alloc(1, sizeof *r->columns + fields * sizeof *r->columns->column)))
        return sp_fail(r->error, SP_ENOMEM, "%s: out of memory", r->scan.name);
    r->columns->count = fields;
    if (o->label_name)
        SP_TRY(find_column(r, "label", (sp_word_view){ o->label_name, strlen(o->label_name) }, &r->columns->label));
    else if (!place_of(o->label_column, fields, &r->columns->label))
        return sp_scan_fail(&r->scan, "no column %ld for the label: there are %zu", o->label_column, fields);

    const char *names = o->categorical ? o->categorical : "";
    sp_scan list = { .at = names, .end = names + strlen(names), .name = "categorical", .error = r->error };
    for (bool more = *names != '\0'; more;) {
        sp_word_view name;
        size_t place = 0;
        SP_TRY(next_field(&list, ',', &more, &name));
        SP_TRY(find_column(r, "categorical", name, &place));
        if (place == r->columns->label)
            return sp_scan_fail(&r->scan, "column '%.*s' is the label: it is not categorical", sp_word_shown(name),
                                name.start);
        r->columns->column[place].kind = NAMED;
    }
    if (fields == 1)
        return sp_scan_fail(&r->scan, "a record without features");
cleanup:
    return status;
}

static int compare(const void *a, const void *b)
{
    const sp_word_view x = ((const category *)a)->word, y = ((const category *)b)->word;
    const int order = memcmp(x.start, y.start, x.length < y.length ? x.length : y.length);
    return order ? order : (x.length > y.length) - (x.length < y.length);
}

static sp_status number_of(sp_reading *r, column *c, sp_word_view word, size_t *number)
{
    const category wanted = { word, c->categories };
    category *const *found = tfind(&wanted, &c->tree, compare);
    if (!found) {
        category *added = malloc(sizeof *added);
        if (!added || !(found = tsearch(added, &c->tree, (*added = wanted, compare)))) {
            free(added);
            return sp_fail(r->error, SP_ENOMEM, "%s: out of memory", r->scan.name);
        }
        c->categories++;
    }
    *number = (*found)->number;
    return SP_OK;
}

/* --- records ------------------------------------------------------------------------------------------------- */

/* "nan", "1e999", "0x10" and nothing at all are neither numbers nor words. */
static bool is_word(sp_word_view word)
{
    char text[64];
    double value;
    if (word.length == 0 || word.length >= sizeof text)
        return word.length > 0;
    memcpy(text, word.start, word.length);
    text[word.length] = '\0';
    return !sp_read_number(text, &value);
}

static const char *hint(const sp_reading *r)
{
    return r->options->header || r->scan.line > 2 ? "" : " (is the first line a header?)";
}

static sp_status value(sp_reading *r, size_t place, sp_word_view word)
{
    column *c = &r->columns->column[place];
    double number;
    size_t name = 0;
    const bool numeric = sp_word_number(word, &number);
    if (c->kind == UNSEEN) {
        c->kind = !numeric && is_word(word) ? WORDS : NUMBERS;
        c->first = word;
    }
    if (c->kind == NUMBERS && numeric) {
        sp_collect(&r->records, place, number);
        return SP_OK;
    }
    if (c->kind == NUMBERS)
        return sp_scan_fail(&r->scan, "field %zu '%.*s' is not a finite number%s", place + 1, sp_word_shown(word),
                            word.start, hint(r));
    if (c->kind == WORDS && numeric)
        return sp_scan_fail(&r->scan, "field %zu '%.*s' is a number, the first record has '%.*s'%s", place + 1,
                            sp_word_shown(word), word.start, sp_word_shown(c->first), c->first.start, hint(r));
    if (c->kind == WORDS ? !is_word(word) : word.length == 0)
        return sp_scan_fail(&r->scan, "field %zu '%.*s' is not a word", place + 1, sp_word_shown(word), word.start);
    const sp_status status = number_of(r, c, word, &name);
    if (status == SP_OK)
        sp_collect(&r->records, place, 1.0 + (double)name);
    return status;
}

static sp_status record(sp_reading *r)
{
    sp_status status = SP_OK;
    sp_word_view field, label = { "", 0 };
    size_t count = 0;
    for (bool more = true; more; count++) {
        SP_TRY(next_field(&r->scan, delimiter(r), &more, &field));
        if (count == r->columns->label)
            label = field;
        else if (count < r->columns->count)
            SP_TRY(value(r, count, field));
    }
    if (count != r->columns->count)
        return sp_scan_fail(&r->scan, "%zu fields, expected %zu", count, r->columns->count);
    SP_TRY(sp_reading_end(r, label));
cleanup:
    return status;
}

static sp_status read(sp_reading *r, const sp_source *source)
{
    sp_status status = SP_OK;
    size_t fields, found, place;
    bool more, held = !r->options->header; /* the first line is a record too */
    sp_scan_start(&r->scan, source->name, source->bytes, source->size, r->error);
    SP_TRY(sp_scan_line(&r->scan, &more));
    if (!more)
        return SP_OK;
    SP_TRY(count_fields(r, (sp_word_view){ "", 0 }, &fields, &found, &place));
    if (!r->columns)
        SP_TRY(set_up(r, fields));
    else if (fields != r->columns->count)
        return sp_scan_fail(&r->scan, "%zu fields, expected %zu", fields, r->columns->count);
    for (;; held = false) {
        if (!held)
            SP_TRY(sp_scan_line(&r->scan, &more));
        if (!more)
            break;
        SP_TRY(record(r));
    }
cleanup:
    return status;
}

/* --- features ------------------------------------------------------------------------------------------------ */

typedef struct ranking {
    size_t *rank; /* by the number of the word: its place in the order of the words */
    size_t next;  /* words placed so far */
} ranking;

static void rank(const void *node, VISIT visit, void *ranks)
{
    ranking *r = ranks;
    if (visit == postorder || visit == leaf) /* between its two branches */
        r->rank[(*(category *const *)node)->number] = r->next++;
}

/* Features before each column, then the words of all categorical columns by the number of their appearance. */
static sp_status finish(sp_reading *r)
{
    sp_status status = SP_OK;
    const sp_columns *columns = r->columns;
    sp_collected *c = &r->records;
    size_t d = 0, **place = NULL;
    if (!columns)
        return SP_OK;
    if (!(place = sp_alloc(columns->count, sizeof *place)))
        return sp_fail(r->error, SP_ENOMEM, "%s: out of memory", r->scan.name);
    for (size_t i = 0; i < columns->count; i++) {
        ranking ranks = { .next = d };
        const size_t width = columns->column[i].kind >= WORDS ? columns->column[i].categories : 1;
        if (!(place[i] = ranks.rank = sp_alloc(width, sizeof **place))) {
            status = sp_fail(r->error, SP_ENOMEM, "%s: out of memory", r->scan.name);
            goto cleanup;
        }
        *place[i] = d;
        twalk_r(columns->column[i].tree, rank, &ranks);
        d += i == columns->label ? 0 : width;
    }
    for (size_t k = 0; k < c->entries; k++) {
        const size_t i = c->column[k];
        const bool word = columns->column[i].kind >= WORDS;
        c->column[k] = (uint32_t)place[i][word ? (size_t)c->entry[k] - 1 : 0];
        c->entry[k] = word ? 1.0 : c->entry[k];
    }
    SP_TRY(sp_reading_width(r, d));
cleanup:
    for (size_t i = 0; i < columns->count; i++)
        free(place[i]);
    free(place);
    return status;
}

const sp_format_reader sp_read_csv = { .width = 2, .files = 1, .read = read, .finish = finish };
