/* file_columns.c -- collects the columns of a CSV or an ARFF, and turns them into features (file_columns.h). */
#include "core/data/read/file_columns.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

void sp_columns_free(sp_columns *columns)
{
    for (size_t i = 0; columns && i < columns->names.count; i++)
        tdestroy(columns->column[i].tree, free);
    if (columns)
        sp_arena_free(&columns->texts);
    free(columns);
}

/* --- options --------------------------------------------------------------------------------------------------- */

const char *sp_file_columns_name(const sp_reading *r, size_t place, char out[SP_COLUMN_SIZE])
{
    return sp_csv_column(r->columns->names.name, place, out);
}

static sp_status find_column(const sp_reading *r, const char *what, sp_word_view name, size_t *place)
{
    return sp_csv_find(&r->scan, &r->columns->names, what, name, place);
}

/* The columns of a list become of one kind. */
static sp_status mark(sp_reading *r, const char *what, const char *text, sp_holds holds)
{
    sp_status status = SP_OK;
    sp_csv_list list;
    SP_TRY(sp_csv_split(text, what, &r->columns->texts, &list, r->error));
    for (size_t i = 0; i < list.count; i++) {
        const sp_word_view name = list.word[i];
        size_t place = 0;
        SP_TRY(find_column(r, what, name, &place));
        if (place == r->columns->label)
            return sp_scan_fail(&r->scan, "column '%.*s' is the label: it cannot be in %s", sp_word_shown(name),
                                name.start, what);
        if (holds == SP_HOLDS_OMITTED && r->columns->column[place].asked)
            return sp_scan_fail(&r->scan, "column '%.*s' is in categorical and in %s", sp_word_shown(name),
                                name.start, what);
        r->columns->column[place].holds = holds;
        r->columns->column[place].asked = holds == SP_HOLDS_NAMED;
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
    sp_column *c = &r->columns->column[place];
    if (place == r->columns->label || c->holds != SP_HOLDS_UNSEEN)
        return sp_scan_fail(&r->scan, "column '%.*s' is %s: it cannot be in scale", sp_word_shown(name), name.start,
                            place == r->columns->label ? "the label" : "in categorical or omit");
    c->holds = SP_HOLDS_NUMBERS;
    c->bounded = true;
    c->low = number[0];
    c->high = number[1];
    return SP_OK;
}

static sp_status bound_columns(sp_reading *r)
{
    sp_status status = SP_OK;
    sp_csv_list list;
    SP_TRY(sp_csv_split(r->options->bounds, "scale", &r->columns->texts, &list, r->error));
    for (size_t i = 0; i < list.count; i++)
        SP_TRY(bound_column(r, list.word[i]));
cleanup:
    return status;
}

sp_status sp_file_columns_new(sp_reading *r, size_t count)
{
    if (!(r->columns = sp_alloc(1, sizeof *r->columns + count * sizeof *r->columns->column)))
        return sp_fail(r->error, SP_ENOMEM, "%s: out of memory", r->scan.name);
    r->columns->names.count = count;
    r->columns->hint = "";
    return SP_OK;
}

sp_status sp_file_columns_open(sp_reading *r, const sp_word_view *name)
{
    sp_status status = SP_OK;
    const sp_read_options *o = r->options;
    sp_columns *c = r->columns;
    const char *label = o->label ? o->label : "-1";
    size_t left = 0;
    SP_TRY(sp_csv_index(&c->names, &c->texts, name, c->names.count, r->error));
    SP_TRY(sp_csv_split(o->missing_words, "missing_words", &c->texts, &c->missing, r->error));
    SP_TRY(find_column(r, "label", (sp_word_view){ label, strlen(label) }, &c->label));
    SP_TRY(mark(r, "categorical", o->categorical, SP_HOLDS_NAMED));
    SP_TRY(mark(r, "omit", o->omit, SP_HOLDS_OMITTED));
    SP_TRY(mark(r, "index", o->index, SP_HOLDS_OMITTED));
    SP_TRY(bound_columns(r));
    for (size_t i = 0; i < c->names.count; i++)
        left += i != c->label && c->column[i].holds != SP_HOLDS_OMITTED;
    if (left == 0)
        return sp_scan_fail(&r->scan, "a record without features");
cleanup:
    return status;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const sp_word_view x = ((const sp_column_word *)a)->word, y = ((const sp_column_word *)b)->word;
    const int order = memcmp(x.start, y.start, x.length < y.length ? x.length : y.length);
    return order ? order : (x.length > y.length) - (x.length < y.length);
}

sp_status sp_column_number(sp_reading *r, sp_column *c, sp_word_view word, size_t *number)
{
    const sp_column_word wanted = { word, c->words };
    sp_column_word *const *found = tfind(&wanted, &c->tree, compare);
    if (!found) {
        sp_column_word *added = malloc(sizeof *added);
        if (!added || !(found = tsearch(added, &c->tree, (*added = wanted, compare)))) {
            free(added);
            return sp_fail(r->error, SP_ENOMEM, "%s: out of memory", r->scan.name);
        }
        c->words++;
    }
    *number = (*found)->number;
    return SP_OK;
}

/* Of a column whose words the file declares. */
static sp_status declared_number(sp_reading *r, size_t place, sp_word_view word, size_t *number)
{
    const sp_column *c = &r->columns->column[place];
    const sp_column_word wanted = { word, 0 };
    sp_column_word *const *found = tfind(&wanted, &c->tree, compare);
    char name[SP_COLUMN_SIZE];
    if (!found)
        return sp_scan_fail(&r->scan, "%s: '%.*s' is not one of the %zu values that its attribute declares",
                            sp_file_columns_name(r, place, name), sp_word_shown(word), word.start, c->words);
    *number = (*found)->number;
    return SP_OK;
}

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
    return r->scan.line > 2 ? "" : r->columns->hint;
}

static sp_status missing(sp_reading *r, size_t place, sp_word_view word)
{
    char name[SP_COLUMN_SIZE];
    if (r->options->missing != SP_MISSING_CATEGORY || place == r->columns->label)
        return sp_scan_fail(&r->scan, "%s: '%.*s' is missing: missing = \"drop\" leaves such records out%s",
                            sp_file_columns_name(r, place, name), sp_word_shown(word), word.start,
                            place == r->columns->label ? "" : ", \"category\" makes it a category of its own");
    r->columns->column[place].gaps = true;
    return sp_collect(&r->records, place, NAN);
}

bool sp_file_columns_lack(const sp_reading *r, size_t place, sp_word_view word)
{
    const sp_columns *c = r->columns;
    return place < c->names.count && c->column[place].holds != SP_HOLDS_OMITTED && sp_csv_missing(word, &c->missing);
}

static sp_status numeric_value(sp_reading *r, size_t place, double number)
{
    const sp_column *c = &r->columns->column[place];
    if (c->bounded)
        number = (fmin(fmax(number, c->low), c->high) - c->low) / (c->high - c->low);
    return sp_collect(&r->records, place, number);
}

sp_status sp_file_columns_value(sp_reading *r, size_t place, sp_word_view word)
{
    sp_column *c = &r->columns->column[place];
    char name[SP_COLUMN_SIZE];
    double number;
    size_t which = 0;
    if (c->holds == SP_HOLDS_OMITTED)
        return SP_OK;
    if (sp_csv_missing(word, &r->columns->missing))
        return missing(r, place, word);
    const bool numeric = sp_word_number(word, &number) || (r->options->decimal_comma && sp_word_comma(word, &number));
    if (c->holds == SP_HOLDS_UNSEEN) {
        c->holds = !numeric && is_word(word) ? SP_HOLDS_WORDS : SP_HOLDS_NUMBERS;
        c->first = word;
    }
    if (c->holds == SP_HOLDS_NUMBERS && numeric)
        return numeric_value(r, place, number);
    if (c->holds == SP_HOLDS_NUMBERS)
        return sp_scan_fail(&r->scan, "%s: '%.*s' is not a finite number%s%s", sp_file_columns_name(r, place, name),
                            sp_word_shown(word), word.start, sp_word_remedy(word), hint(r));
    if (c->holds == SP_HOLDS_WORDS && numeric)
        return sp_scan_fail(&r->scan, "%s: '%.*s' is a number, the first record has '%.*s'%s",
                            sp_file_columns_name(r, place, name), sp_word_shown(word), word.start,
                            sp_word_shown(c->first), c->first.start, hint(r));
    if (c->holds == SP_HOLDS_WORDS && !is_word(word))
        return sp_scan_fail(&r->scan, "%s: '%.*s' is not a word", sp_file_columns_name(r, place, name),
                            sp_word_shown(word), word.start);
    const sp_status status = c->declared ? declared_number(r, place, word, &which)
                                         : sp_column_number(r, c, word, &which);
    return status == SP_OK ? sp_collect(&r->records, place, 1.0 + (double)which) : status;
}

sp_status sp_file_columns_end(sp_reading *r, sp_word_view label)
{
    char text[64], *comma;
    double number;
    if (sp_csv_missing(label, &r->columns->missing))
        return missing(r, r->columns->label, label);
    if (r->options->decimal_comma && label.length < sizeof text && sp_word_comma(label, &number)) {
        memcpy(text, label.start, label.length);
        comma = memchr(text, ',', label.length);
        *comma = '.';
        label.start = text;
    }
    return sp_reading_end(r, label);
}

/* --- features ----------------------------------------------------------------------------------------------------- */

typedef struct ranking {
    size_t *rank; /* by the number of the word: its place in the order of the words */
    size_t next;  /* words placed so far */
} ranking;

static size_t width_of(const sp_column *c)
{
    const size_t values = c->holds == SP_HOLDS_OMITTED ? 0 : c->holds >= SP_HOLDS_WORDS ? c->words : 1;
    return values + c->gaps;
}

static void rank(const void *node, VISIT visit, void *ranks)
{
    ranking *r = ranks;
    if (visit == postorder || visit == leaf) /* between its two branches */
        r->rank[(*(sp_column_word *const *)node)->number] = r->next++;
}

/* The features of a column, from number `first` on: of its words by the number of their appearance, then that of
 * missing values. */
static void place_words(const sp_column *c, size_t first, size_t width, size_t *place)
{
    ranking ranks = { place, first };
    *place = first;
    if (c->gaps)
        place[width - 1] = first + width - 1;
    if (c->holds == SP_HOLDS_OMITTED)
        return;
    if (!c->declared)
        twalk_r(c->tree, rank, &ranks);
    for (size_t i = 0; c->declared && i < c->words; i++)
        place[i] = first + i;
}

sp_status sp_file_columns_finish(sp_reading *r)
{
    sp_status status = SP_OK;
    const sp_columns *columns = r->columns;
    sp_collected *c = &r->records;
    size_t d = 0, **place = NULL;
    if (!columns)
        return SP_OK;
    const size_t count = columns->names.count;
    if (!(place = sp_alloc(count, sizeof *place)))
        return sp_fail(r->error, SP_ENOMEM, "%s: out of memory", r->scan.name);
    for (size_t i = 0; i < count; i++) {
        const size_t width = width_of(&columns->column[i]);
        if (!(place[i] = sp_alloc(width + 1, sizeof **place))) {
            status = sp_fail(r->error, SP_ENOMEM, "%s: out of memory", r->scan.name);
            goto cleanup;
        }
        place_words(&columns->column[i], d, width, place[i]);
        d += i == columns->label ? 0 : width;
    }
    for (size_t k = 0; k < c->entries; k++) {
        const sp_column *from = &columns->column[c->column[k]];
        const size_t *features = place[c->column[k]];
        const bool word = from->holds >= SP_HOLDS_WORDS, gap = isnan(c->entry[k]);
        c->column[k] = (uint32_t)features[gap ? width_of(from) - 1 : word ? (size_t)c->entry[k] - 1 : 0];
        c->entry[k] = word || gap ? 1.0 : c->entry[k];
    }
    SP_TRY(sp_reading_width(r, d));
cleanup:
    for (size_t i = 0; i < count; i++)
        free(place[i]);
    free(place);
    return status;
}
