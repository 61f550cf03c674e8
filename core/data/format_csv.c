/* format_csv.c -- value,value,...,label; a column of words becomes one indicator feature a distinct word.
 *
 * Until the last line is read nobody knows how many words a column has: a value is collected under the number of its
 * column, a word as 1 + the number of its first appearance, a missing value as NaN; sp_read_csv.finish puts all of them
 * where they belong. */
#include "core/data/csv.h"
#include "core/data/formats.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One of the words of a column. */
typedef struct category {
    sp_word_view word;
    size_t number; /* from 0, in the order of appearance */
} category;

typedef enum { UNSEEN, NUMBERS, WORDS, NAMED, OMITTED } column_kind; /* NAMED: in `categorical` */

typedef struct column {
    column_kind kind;
    sp_word_view first;                          /* its first value */
    bool gaps;                                   /* some values are missing, which is a category */
    bool bounded;                                /* by these: */
    double low, high;
    void *tree;                                  /* its categories, see search.h */
    size_t categories;                           /* how many they are */
} column;

struct sp_columns {
    sp_arena texts;  /* fields that held quotes */
    const sp_word_view *name; /* count: in the header; NULL without one */
    size_t count;    /* columns, the label's too */
    size_t label;    /* which one is the label's */
    column column[]; /* count */
};

void sp_columns_free(sp_columns *columns)
{
    for (size_t i = 0; columns && i < columns->count; i++)
        tdestroy(columns->column[i].tree, free);
    if (columns)
        sp_arena_free(&columns->texts);
    free(columns);
}

/* --- fields -------------------------------------------------------------------------------------------------- */

static char delimiter(const sp_reading *r)
{
    return r->options->delimiter ? r->options->delimiter : ',';
}

/* Fields of the current record, which stays current. */
static sp_status count_fields(sp_reading *r, size_t *fields)
{
    sp_status status = SP_OK;
    sp_scan line = r->scan;
    sp_arena texts = { 0 };
    sp_word_view field;
    *fields = 0;
    for (bool more = true; more; ++*fields)
        SP_TRY(sp_csv_field(&line, delimiter(r), &texts, &more, &field));
cleanup:
    sp_arena_free(&texts);
    return status;
}

/* --- columns ------------------------------------------------------------------------------------------------- */

static const char *name_of(const sp_reading *r, size_t place, char out[SP_COLUMN_SIZE])
{
    return sp_csv_column(r->columns->name, place, out);
}

static sp_status find_column(const sp_reading *r, const char *what, sp_word_view name, size_t *place)
{
    return sp_csv_find(&r->scan, r->columns->name, r->columns->count, what, name, place);
}

static sp_status read_names(sp_reading *r)
{
    sp_status status = SP_OK;
    sp_scan line = r->scan;
    sp_word_view *name = sp_arena_alloc(&r->columns->texts, r->columns->count, sizeof *name);
    if (!name)
        return sp_fail(r->error, SP_ENOMEM, "%s: out of memory", r->scan.name);
    bool more = true;
    for (size_t i = 0; more; i++)
        SP_TRY(sp_csv_field(&line, delimiter(r), &r->columns->texts, &more, &name[i]));
    r->columns->name = name;
cleanup:
    return status;
}

/* The columns of a list with commas between become of one kind. */
static sp_status mark(sp_reading *r, const char *what, const char *names, column_kind kind)
{
    sp_status status = SP_OK;
    sp_scan list = { .at = names, .end = names ? names + strlen(names) : NULL, .name = what, .error = r->error };
    for (bool more = names && *names; more;) {
        sp_word_view name;
        size_t place = 0;
        SP_TRY(sp_csv_field(&list, ',', &r->columns->texts, &more, &name));
        SP_TRY(find_column(r, what, name, &place));
        if (place == r->columns->label)
            return sp_scan_fail(&r->scan, "column '%.*s' is the label: it cannot be in %s", sp_word_shown(name),
                                name.start, what);
        if (kind == OMITTED && r->columns->column[place].kind == NAMED)
            return sp_scan_fail(&r->scan, "column '%.*s' is in categorical and in omit", sp_word_shown(name),
                                name.start);
        r->columns->column[place].kind = kind;
    }
cleanup:
    return status;
}

/* "age:18:90" */
static sp_status bound_column(sp_reading *r, sp_word_view item)
{
    const char *end = item.start + item.length, *low = end, *high = end;
    size_t place = 0;
    while (high > item.start && *--high != ':')
        ;
    for (low = high; low > item.start && *--low != ':';)
        ;
    const sp_word_view name = { item.start, (size_t)(low - item.start) };
    double number[2];
    if (low == item.start || !sp_word_number((sp_word_view){ low + 1, (size_t)(high - low - 1) }, &number[0]) ||
        !sp_word_number((sp_word_view){ high + 1, (size_t)(end - high - 1) }, &number[1]) || !(number[0] < number[1]))
        return sp_scan_fail(&r->scan, "scale, '%.*s': must be COLUMN:LOW:HIGH with LOW below HIGH", sp_word_shown(item),
                            item.start);
    const sp_status status = find_column(r, "scale", name, &place);
    if (status != SP_OK)
        return status;
    column *c = &r->columns->column[place];
    if (place == r->columns->label || c->kind != UNSEEN)
        return sp_scan_fail(&r->scan, "column '%.*s' is %s: it cannot be in scale", sp_word_shown(name), name.start,
                            place == r->columns->label ? "the label" : "in categorical or omit");
    c->kind = NUMBERS;
    c->bounded = true;
    c->low = number[0];
    c->high = number[1];
    return SP_OK;
}

static sp_status bound_columns(sp_reading *r)
{
    sp_status status = SP_OK;
    const char *bounds = r->options->bounds;
    sp_scan list = { .at = bounds, .end = bounds ? bounds + strlen(bounds) : NULL, .name = "scale", .error = r->error };
    sp_word_view item;
    for (bool more = bounds && *bounds; more;) {
        SP_TRY(sp_csv_field(&list, ',', &r->columns->texts, &more, &item));
        SP_TRY(bound_column(r, item));
    }
cleanup:
    return status;
}

/* From the first record of the first source. */
static sp_status set_up(sp_reading *r, size_t fields)
{
    sp_status status = SP_OK;
    const sp_read_options *o = r->options;
    const char *label = o->label ? o->label : "-1";
    size_t left = 0;
    if (!(r->columns = sp_alloc(1, sizeof *r->columns + fields * sizeof *r->columns->column)))
        return sp_fail(r->error, SP_ENOMEM, "%s: out of memory", r->scan.name);
    r->columns->count = fields;
    if (o->header)
        SP_TRY(read_names(r));
    SP_TRY(find_column(r, "label", (sp_word_view){ label, strlen(label) }, &r->columns->label));
    SP_TRY(mark(r, "categorical", o->categorical, NAMED));
    SP_TRY(mark(r, "omit", o->omit, OMITTED));
    SP_TRY(bound_columns(r));
    for (size_t i = 0; i < fields; i++)
        left += i != r->columns->label && r->columns->column[i].kind != OMITTED;
    if (left == 0)
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

static sp_status missing(sp_reading *r, size_t place, sp_word_view word)
{
    char name[SP_COLUMN_SIZE];
    if (r->options->missing != SP_MISSING_CATEGORY || place == r->columns->label)
        return sp_scan_fail(&r->scan, "%s: '%.*s' is missing: missing = \"drop\" leaves such records out%s",
                            name_of(r, place, name), (int)word.length, word.start,
                            place == r->columns->label ? "" : ", \"category\" makes it a category of its own");
    r->columns->column[place].gaps = true;
    return sp_collect(&r->records, place, NAN);
}

static sp_status value(sp_reading *r, size_t place, sp_word_view word)
{
    column *c = &r->columns->column[place];
    char name[SP_COLUMN_SIZE];
    double number;
    size_t which = 0;
    const bool numeric = sp_word_number(word, &number);
    if (c->kind == OMITTED)
        return SP_OK;
    if (sp_csv_missing(word))
        return missing(r, place, word);
    if (c->kind == UNSEEN) {
        c->kind = !numeric && is_word(word) ? WORDS : NUMBERS;
        c->first = word;
    }
    if (c->kind == NUMBERS && numeric) {
        if (c->bounded)
            number = (fmin(fmax(number, c->low), c->high) - c->low) / (c->high - c->low);
        return sp_collect(&r->records, place, number);
    }
    if (c->kind == NUMBERS)
        return sp_scan_fail(&r->scan, "%s: '%.*s' is not a finite number%s", name_of(r, place, name),
                            sp_word_shown(word), word.start, hint(r));
    if (c->kind == WORDS && numeric)
        return sp_scan_fail(&r->scan, "%s: '%.*s' is a number, the first record has '%.*s'%s",
                            name_of(r, place, name), sp_word_shown(word), word.start,
                            sp_word_shown(c->first), c->first.start, hint(r));
    if (c->kind == WORDS && !is_word(word))
        return sp_scan_fail(&r->scan, "%s: '%.*s' is not a word", name_of(r, place, name),
                            sp_word_shown(word), word.start);
    const sp_status status = number_of(r, c, word, &which);
    return status == SP_OK ? sp_collect(&r->records, place, 1.0 + (double)which) : status;
}

/* Does the current record, which stays current, lack a value? */
static sp_status lacks(sp_reading *r, bool *missing)
{
    sp_status status = SP_OK;
    sp_scan line = r->scan;
    sp_word_view field;
    bool more = true;
    *missing = false;
    for (size_t i = 0; more; i++) {
        SP_TRY(sp_csv_field(&line, delimiter(r), &r->columns->texts, &more, &field));
        *missing = *missing || (i < r->columns->count && r->columns->column[i].kind != OMITTED &&
                                sp_csv_missing(field));
    }
cleanup:
    return status;
}

static sp_status record(sp_reading *r)
{
    sp_status status = SP_OK;
    sp_word_view field, label = { "", 0 };
    size_t count = 0;
    bool without = false;
    if (r->options->missing == SP_MISSING_DROP)
        SP_TRY(lacks(r, &without));
    if (without)
        SP_TRY(count_fields(r, &count));
    for (bool more = !without; more; count++) {
        SP_TRY(sp_csv_field(&r->scan, delimiter(r), &r->columns->texts, &more, &field));
        if (count == r->columns->label)
            label = field;
        else if (count < r->columns->count)
            SP_TRY(value(r, count, field));
    }
    if (count != r->columns->count)
        return sp_scan_fail(&r->scan, "%zu fields, expected %zu", count, r->columns->count);
    if (!without && sp_csv_missing(label))
        return missing(r, r->columns->label, label);
    if (!without)
        SP_TRY(sp_reading_end(r, label));
cleanup:
    return status;
}

static sp_status read(sp_reading *r, const sp_source *source)
{
    sp_status status = SP_OK;
    size_t fields;
    bool more, held = !r->options->header; /* the first line is a record too */
    sp_scan_start(&r->scan, source->name, source->bytes, source->size, r->error);
    SP_TRY(sp_csv_record(&r->scan, delimiter(r), &more));
    if (!more)
        return SP_OK;
    SP_TRY(count_fields(r, &fields));
    if (!r->columns)
        SP_TRY(set_up(r, fields));
    else if (fields != r->columns->count)
        return sp_scan_fail(&r->scan, "%zu fields, expected %zu", fields, r->columns->count);
    for (;; held = false) {
        if (!held)
            SP_TRY(sp_csv_record(&r->scan, delimiter(r), &more));
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

static size_t width_of(const column *c)
{
    const size_t values = c->kind == OMITTED ? 0 : c->kind >= WORDS ? c->categories : 1;
    return values + c->gaps;
}

static void rank(const void *node, VISIT visit, void *ranks)
{
    ranking *r = ranks;
    if (visit == postorder || visit == leaf) /* between its two branches */
        r->rank[(*(category *const *)node)->number] = r->next++;
}

/* place[i]: the features of column i: of its words by the number of their appearance, then that of missing values. */
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
        const size_t width = width_of(&columns->column[i]);
        if (!(place[i] = ranks.rank = sp_alloc(width + 1, sizeof **place))) {
            status = sp_fail(r->error, SP_ENOMEM, "%s: out of memory", r->scan.name);
            goto cleanup;
        }
        *place[i] = d;
        if (columns->column[i].gaps)
            place[i][width - 1] = d + width - 1;
        twalk_r(columns->column[i].tree, rank, &ranks);
        d += i == columns->label ? 0 : width;
    }
    for (size_t k = 0; k < c->entries; k++) {
        const column *from = &columns->column[c->column[k]];
        const size_t *features = place[c->column[k]];
        const bool word = from->kind >= WORDS, gap = isnan(c->entry[k]);
        c->column[k] = (uint32_t)features[gap ? width_of(from) - 1 : word ? (size_t)c->entry[k] - 1 : 0];
        c->entry[k] = word || gap ? 1.0 : c->entry[k];
    }
    SP_TRY(sp_reading_width(r, d));
cleanup:
    for (size_t i = 0; i < columns->count; i++)
        free(place[i]);
    free(place);
    return status;
}

const sp_format_reader sp_read_csv = { .width = 2, .files = 1, .read = read, .finish = finish };
