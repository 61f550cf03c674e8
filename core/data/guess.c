/* guess.c -- one pass over the file that counts what its columns hold, then the decisions; see guess.h. */
#include "core/data/guess.h"

#include "core/base/text.h"
#include "core/data/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    SAMPLE = 100,          /* first lines that format and delimiter are found from */
    NUMBERS_MAX = 64,      /* different numbers of a column that are counted */
    WORDS_MAX = 1000,      /* different words of a column; with more it is no category */
    CLASSES_MAX = 20,      /* whole numbers as labels: up to so many may be classes */
    FEW = 20               /* of so few records nothing is said about a column that has a word each */
};

/* --- values of a column ---------------------------------------------------------------------------------------- */

typedef struct tallied {
    sp_word_view word;
    size_t count; /* 0: an empty slot */
} tallied;

typedef struct tally {
    tallied *slot;       /* open addressing; a power of two of them */
    size_t slots, count; /* count: different words */
    bool over;           /* there are more than may be counted */
} tally;

typedef struct column {
    size_t numbers, words, missing;     /* fields */
    size_t number_line, word_line, missing_line; /* of the first of each */
    sp_word_view word;                  /* the first */
    double low, high;
    bool counts;                        /* each number is the one before it plus 1 */
    double before;
    tally values;
    sp_column_kind kind;
} column;

typedef struct guess {
    const sp_source *source;
    sp_scan scan;
    sp_arena *arena;           /* of what is told */
    sp_arena *scratch;         /* of what is counted */
    sp_read_options *options;
    sp_seen *seen;
    unsigned open;
    column *column;
    const sp_word_view *first; /* the fields of the first line */
    size_t columns, label;
    sp_error *error;
} guess;

#define NEED(g, pointer)                                                                      \
    do {                                                                                      \
        if (!(pointer))                                                                       \
            return sp_fail((g)->error, SP_ENOMEM, "%s: out of memory", (g)->source->name);    \
    } while (0)

static bool same(sp_word_view a, sp_word_view b)
{
    return a.length == b.length && memcmp(a.start, b.start, a.length) == 0;
}

static tallied *slot_of(const tally *t, sp_word_view word)
{
    size_t at = 2166136261u;
    for (size_t i = 0; i < word.length; i++)
        at = (at ^ (unsigned char)word.start[i]) * 16777619u;
    for (at &= t->slots - 1; t->slot[at].count > 0 && !same(t->slot[at].word, word); at = (at + 1) & (t->slots - 1))
        ;
    return &t->slot[at];
}

static const tallied *find_value(const tally *t, sp_word_view word)
{
    const tallied *found = t->slots > 0 ? slot_of(t, word) : NULL;
    return found && found->count > 0 ? found : NULL;
}

static sp_status count_value(const guess *g, tally *t, size_t most, sp_word_view word)
{
    if (t->over)
        return SP_OK;
    if (4 * (t->count + 1) > 3 * t->slots) {
        tally grown = { .slots = t->slots ? 2 * t->slots : 16, .count = t->count };
        NEED(g, grown.slot = sp_arena_alloc(g->scratch, grown.slots, sizeof *grown.slot));
        for (size_t i = 0; i < t->slots; i++)
            if (t->slot[i].count > 0)
                *slot_of(&grown, t->slot[i].word) = t->slot[i];
        *t = grown;
    }
    tallied *slot = slot_of(t, word);
    if (slot->count == 0 && t->count == most) {
        t->over = true;
        return SP_OK;
    }
    t->count += slot->count == 0;
    *slot = (tallied){ word, slot->count + 1 };
    return SP_OK;
}

static sp_status count_field(const guess *g, column *c, sp_word_view word, size_t line)
{
    double number;
    if (sp_csv_missing(word)) {
        c->missing_line = c->missing++ ? c->missing_line : line;
        return SP_OK;
    }
    if (sp_word_number(word, &number)) {
        c->counts = c->numbers == 0 || (c->counts && number == c->before + 1.0);
        c->before = number;
        c->low = c->numbers == 0 || number < c->low ? number : c->low;
        c->high = c->numbers == 0 || number > c->high ? number : c->high;
        c->number_line = c->numbers++ ? c->number_line : line;
    } else {
        c->word = c->words ? c->word : word;
        c->word_line = c->words++ ? c->word_line : line;
    }
    return count_value(g, &c->values, c->words > 0 ? WORDS_MAX : NUMBERS_MAX, word);
}

/* Different numbers, up to NUMBERS_MAX; *whole: all of them are. */
static size_t different_numbers(const column *c, double value[NUMBERS_MAX], bool *whole)
{
    size_t count = 0;
    *whole = true;
    for (size_t i = 0; i < c->values.slots; i++) {
        double number = NAN;
        size_t k = 0;
        if (c->values.slot[i].count == 0 || !sp_word_number(c->values.slot[i].word, &number))
            continue;
        while (k < count && value[k] != number)
            k++;
        if (k == count && count < NUMBERS_MAX)
            value[count++] = number;
        *whole = *whole && number == trunc(number);
    }
    return count;
}

static bool has_two_values(const column *c)
{
    double value[NUMBERS_MAX];
    bool whole;
    if (c->values.over || (c->words > 0 && c->numbers > 0))
        return false;
    return (c->words > 0 ? c->values.count : different_numbers(c, value, &whole)) == 2;
}

/* --- names ----------------------------------------------------------------------------------------------------- */

static char *text_of(const guess *g, sp_word_view word)
{
    return sp_arena_format(g->arena, "%.*s", (int)word.length, word.start);
}

static const sp_word_view *names_of(const guess *g)
{
    return g->options->header ? g->first : NULL;
}

/* As an experiment names the column; its number where its name does not tell it from others or is no plain text. */
static char *column_name(const guess *g, size_t place)
{
    const sp_word_view *names = names_of(g);
    bool plain = names && names[place].length > 0;
    for (size_t i = 0; plain && i < names[place].length; i++)
        plain = (unsigned char)names[place].start[i] >= ' ';
    for (size_t i = 0; plain && i < g->columns; i++)
        plain = i == place || !same(names[i], names[place]);
    return plain ? text_of(g, names[place]) : sp_arena_format(g->arena, "%zu", place + 1);
}

/* In quotes where a list with commas needs them. */
static char *listed_name(const guess *g, size_t place)
{
    const char *name = column_name(g, place);
    char *quoted = name ? sp_arena_text(g->arena, 2 * strlen(name) + 3) : NULL, *end = quoted;
    if (!quoted || !strpbrk(name, ",\""))
        return (char *)name;
    for (*end++ = '"'; *name; name++) {
        if (*name == '"')
            *end++ = '"';
        *end++ = *name;
    }
    *end = '"';
    return quoted;
}

static const char *shown(const guess *g, size_t place, char out[SP_COLUMN_SIZE])
{
    return sp_csv_column(names_of(g), place, out);
}

/* "a, b, c" of all columns, as far as a message has room. */
static const char *all_names(const guess *g)
{
    const char *list = "";
    for (size_t i = 0; list && i < g->columns; i++) {
        if (strlen(list) > 300)
            return sp_arena_format(g->arena, "%s, ...", list);
        list = sp_arena_format(g->arena, "%s%s%s", list, i > 0 ? ", " : "", column_name(g, i));
    }
    return list ? list : "";
}

/* --- format ---------------------------------------------------------------------------------------------------- */

static void rewind_scan(guess *g)
{
    sp_scan_start(&g->scan, g->source->name, g->source->bytes, g->source->size, NULL);
}

static bool is_feature(sp_word_view word)
{
    const char *colon = memchr(word.start, ':', word.length);
    double value;
    bool digits = colon && colon > word.start;
    for (const char *c = word.start; digits && c < colon; c++)
        digits = *c >= '0' && *c <= '9';
    return digits && sp_word_number((sp_word_view){ colon + 1, word.length - (size_t)(colon + 1 - word.start) },
                                    &value);
}

/* Lines of a number and features; *line: the first one that is not, when most are. */
static bool looks_libsvm(guess *g)
{
    size_t features = 0;
    bool more = true;
    sp_word_view word;
    double number;
    rewind_scan(g);
    for (size_t i = 0; i < SAMPLE && sp_scan_line(&g->scan, &more) == SP_OK && more; i++) {
        if (!sp_scan_word(&g->scan, ' ', &word) || !sp_word_number(word, &number))
            return false;
        while (sp_scan_word(&g->scan, ' ', &word) && word.length > 0) {
            if (!is_feature(word) && i == 0)
                return false;
            features++;
        }
    }
    return features > 0;
}

/* Three whole numbers, then as many numbers as the second says. */
static bool looks_fann(guess *g)
{
    size_t size[3], seen = 0;
    bool more = true;
    sp_word_view word;
    double number;
    rewind_scan(g);
    if (sp_scan_line(&g->scan, &more) != SP_OK || !more)
        return false;
    for (size_t i = 0; i < 3; i++)
        if (!sp_scan_word(&g->scan, ' ', &word) || sp_scan_count(&g->scan, "", word, UINT32_MAX, &size[i]) != SP_OK)
            return false;
    if (sp_scan_word(&g->scan, ' ', &word) || sp_scan_line(&g->scan, &more) != SP_OK || !more)
        return false;
    for (; sp_scan_word(&g->scan, ' ', &word); seen++)
        if (!sp_word_number(word, &number))
            return false;
    return seen == size[1];
}

static sp_status guess_format(guess *g)
{
    const unsigned char *bytes = (const unsigned char *)g->source->bytes;
    const size_t size = g->source->size;
    if (size == 0)
        return sp_fail(g->error, SP_EDATA, "%s: the file is empty", g->source->name);
    if (size >= 4 && bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 8)
        g->options->format = SP_FORMAT_IDX;
    else if (memchr(bytes, 0, size < 4096 ? size : 4096))
        return sp_fail(g->error, SP_EDATA, "%s: has NUL bytes: neither text (UTF-16 is not read: save it as UTF-8) nor "
                       "IDX of unsigned bytes", g->source->name);
    else
        g->options->format = looks_fann(g) ? SP_FORMAT_FANN : looks_libsvm(g) ? SP_FORMAT_LIBSVM : SP_FORMAT_CSV;
    return SP_OK;
}

/* --- delimiter ------------------------------------------------------------------------------------------------- */

/* How many of the first records have the same number of fields; *fields is that of the first. */
static size_t try_delimiter(guess *g, char by, size_t *fields, size_t *records)
{
    sp_arena texts = { 0 };
    sp_word_view field;
    size_t alike = 0;
    *fields = *records = 0;
    rewind_scan(g);
    for (bool more = true; *records < SAMPLE && sp_csv_record(&g->scan, by, &more) == SP_OK && more; ++*records) {
        size_t count = 0;
        for (bool further = true; further; count++)
            if (sp_csv_field(&g->scan, by, &texts, &further, &field) != SP_OK)
                goto cleanup;
        *fields = *records == 0 ? count : *fields;
        alike += count == *fields;
    }
cleanup:
    sp_arena_free(&texts);
    return alike;
}

static sp_status guess_delimiter(guess *g)
{
    static const char candidates[] = ",;\t|";
    static const char *const words[] = { "\",\"", "\";\"", "\"\\t\"", "\"|\"" };
    size_t found = 0, which = 0, other = 0, near = 0, most = 1;
    for (size_t i = 0; candidates[i]; i++) {
        size_t fields, records;
        const size_t alike = try_delimiter(g, candidates[i], &fields, &records);
        if (fields >= 2 && alike == records) {
            other = which;
            which = i;
            found++;
        }
        if (fields >= most) {
            most = fields;
            near = i;
        }
    }
    if (found == 1)
        g->options->delimiter = candidates[which];
    else if (found > 1)
        return sp_fail(g->error, SP_EDATA, "%s: %s and %s both give the first lines the same number of fields: set "
                       "delimiter", g->source->name, words[other], words[which]);
    else if (most > 1) /* the reader says which line is the odd one */
        g->options->delimiter = candidates[near];
    else
        return sp_fail(g->error, SP_EDATA, "%s: not libsvm, FANN or IDX, and no , ; tab or | divides its first line: "
                       "set format, or delimiter", g->source->name);
    return SP_OK;
}

/* --- the pass over a CSV --------------------------------------------------------------------------------------- */

static sp_status read_first(guess *g, bool *more)
{
    sp_status status = SP_OK;
    sp_word_view field;
    bool further = true;
    SP_TRY(sp_csv_record(&g->scan, g->options->delimiter, more));
    if (!*more)
        return sp_fail(g->error, SP_EDATA, "%s: there are no records", g->source->name);
    sp_scan line = g->scan;
    for (; further; g->columns++)
        SP_TRY(sp_csv_field(&line, g->options->delimiter, g->scratch, &further, &field));
    sp_word_view *first = sp_arena_alloc(g->scratch, g->columns, sizeof *first);
    NEED(g, first);
    NEED(g, g->column = sp_arena_alloc(g->scratch, g->columns, sizeof *g->column));
    for (size_t i = 0; i < g->columns; i++)
        SP_TRY(sp_csv_field(&g->scan, g->options->delimiter, g->scratch, &further, &first[i]));
    g->first = first;
cleanup:
    return status;
}

static sp_status read_record(guess *g)
{
    sp_status status = SP_OK;
    sp_word_view field;
    size_t count = 0;
    for (bool further = true; further; count++) {
        SP_TRY(sp_csv_field(&g->scan, g->options->delimiter, g->scratch, &further, &field));
        if (count < g->columns)
            SP_TRY(count_field(g, &g->column[count], field, g->scan.line));
    }
    if (count != g->columns)
        return sp_scan_fail(&g->scan, "%zu field%s, the first line has %zu (delimiter \"%c\")", count,
                            count == 1 ? "" : "s", g->columns, g->options->delimiter);
    g->seen->records++;
cleanup:
    return status;
}

/* --- header ---------------------------------------------------------------------------------------------------- */

static sp_status guess_header(guess *g)
{
    size_t over_words = 0, over_numbers = 0, numbers = 0, again = 0;
    double number;
    for (size_t i = 0; i < g->columns; i++) {
        const column *c = &g->column[i];
        const bool numeric = sp_word_number(g->first[i], &number), empty = sp_csv_missing(g->first[i]);
        again += find_value(&c->values, g->first[i]) != NULL;
        if (c->numbers > 0 && c->words == 0 && !empty) {
            over_numbers += numeric;
            over_words += !numeric;
        }
        numbers += numeric;
    }
    if (over_numbers + over_words > 0 ? over_numbers == 0 : numbers == 0 && again == 0 && g->seen->records >= FEW)
        g->options->header = true;
    else if (over_words > 0 || (over_numbers == 0 && numbers == 0 && again == 0))
        return sp_fail(g->error, SP_EDATA, "%s:1: cannot tell whether the first line names the columns: set header = "
                       "true or false", g->source->name);
    else
        g->options->header = false;
    return SP_OK;
}

/* --- label ----------------------------------------------------------------------------------------------------- */

static sp_status guess_label(guess *g)
{
    static const char *const usual[] = { "label", "target", "class", "y", "outcome", "response" };
    size_t called = 0, binary = 0, place = 0, two = 0;
    for (size_t i = 0; i < g->columns; i++) {
        for (size_t k = 0; names_of(g) && k < sizeof usual / sizeof *usual; k++)
            if (g->first[i].length == strlen(usual[k]) &&
                strncasecmp(g->first[i].start, usual[k], g->first[i].length) == 0) {
                called++;
                place = i;
            }
        if (g->column[i].kind != SP_COLUMN_OMITTED && has_two_values(&g->column[i])) {
            binary++;
            two = i;
        }
    }
    if (called == 1)
        g->label = place;
    else if (called == 0 && binary > 0 && two == g->columns - 1)
        g->label = two;
    else if (called == 0 && binary == 1)
        g->label = two;
    else
        return sp_fail(g->error, SP_EDATA, "%s: cannot tell which column is the label: set label = \"...\" (%s: %s)",
                       g->source->name, names_of(g) ? "the columns are" : "by their numbers they are", all_names(g));
    return SP_OK;
}

static int by_count(const void *a, const void *b)
{
    const tallied *x = a, *y = b;
    const size_t least = x->word.length < y->word.length ? x->word.length : y->word.length;
    const int order = memcmp(x->word.start, y->word.start, least);
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                                : order ? order : (x->word.length > y->word.length) - (x->word.length < y->word.length);
}

/* What is told of a column. */
static sp_status describe_column(const guess *g, const column *c, const char *name, sp_seen_column *out)
{
    enum { LISTED = 32 };
    size_t count = 0;
    tallied *list = sp_arena_alloc(g->scratch, c->values.count + 1, sizeof *list);
    NEED(g, list);
    for (size_t i = 0; i < c->values.slots; i++)
        if (c->values.slot[i].count > 0)
            list[count++] = c->values.slot[i];
    qsort(list, count, sizeof *list, by_count);
    *out = (sp_seen_column){ .name = name, .kind = c->kind, .missing = c->missing, .low = c->low, .high = c->high,
                             .counts = c->counts && c->words == 0 && c->missing == 0 && c->numbers >= FEW &&
                                       (c->low == 0.0 || c->low == 1.0),
                             .values = count < LISTED ? count : LISTED, .more = c->values.over || count > LISTED };
    NEED(g, out->value = sp_arena_alloc(g->arena, out->values + 1, sizeof *out->value));
    for (size_t i = 0; i < out->values; i++) {
        out->value[i].count = list[i].count;
        NEED(g, out->value[i].text = text_of(g, list[i].word));
    }
    return SP_OK;
}

/* "'no' (4000), 'yes' (521)" */
static const char *list_values(const guess *g, const sp_seen_column *c)
{
    enum { ROOM = 5 };
    const char *list = "";
    for (size_t i = 0; list && i < c->values && i < ROOM; i++)
        list = sp_arena_format(g->arena, "%s%s'%.40s' (%zu)", list, i > 0 ? ", " : "", c->value[i].text,
                               c->value[i].count);
    return list && (c->more || c->values > ROOM) ? sp_arena_format(g->arena, "%s, ...", list) : list ? list : "";
}

/* What becomes +1; `c` holds the labels, `what` names them in messages. */
static sp_status guess_positive(guess *g, const column *c, const char *what)
{
    double value[NUMBERS_MAX];
    bool whole = true;
    const size_t numbers = different_numbers(c, value, &whole);
    const char *name = g->source->name, *values = list_values(g, &g->seen->label);
    if (c->words > 0 && c->numbers > 0)
        return sp_fail(g->error, SP_EDATA, "%s:%zu: %s is '%.*s', a word, and elsewhere a number: correct it, or set "
                       "positive (the values are %s)", name, c->word_line, what, sp_word_shown(c->word),
                       c->word.start, values);
    if (c->words > 0)
        return sp_fail(g->error, SP_EDATA, "%s: %s holds words: set positive = \"%.40s\" to make that one +1 and all "
                       "others -1, or another (the values are %s)", name, what,
                       g->seen->label.value[g->seen->label.values > 1].text, values);
    if (numbers < 2 && !c->values.over)
        return sp_fail(g->error, SP_EDATA, "%s: %s has one value only (%s): nothing can be learnt", name, what,
                       values);
    if (numbers == 2 && !c->values.over) {
        char number[SP_NUMBER_SIZE];
        NEED(g, g->options->positive = sp_arena_copy(g->arena, sp_number(fmax(value[0], value[1]), number)));
        return SP_OK;
    }
    if (whole && !c->values.over && numbers <= CLASSES_MAX)
        return sp_fail(g->error, SP_EDATA, "%s: %s has %zu values (%s): set positive = \"%s\" to hold that class "
                       "against the others, or regression = true", name, what, numbers, values,
                       g->seen->label.value[0].text);
    g->options->regression = true;
    return SP_OK;
}

/* --- the kinds of the columns ---------------------------------------------------------------------------------- */

/* Marks the columns of a list with commas. */
static sp_status mark(guess *g, const char *what, const char *names, sp_column_kind kind)
{
    sp_status status = SP_OK;
    sp_scan list = { .at = names, .end = names ? names + strlen(names) : NULL, .name = what, .error = g->error };
    g->scan.line = 0; /* what is wrong is not on a line */
    for (bool more = names && *names; more;) {
        sp_word_view name;
        size_t place = 0;
        SP_TRY(sp_csv_field(&list, ',', g->scratch, &more, &name));
        SP_TRY(sp_csv_find(&g->scan, names_of(g), g->columns, what, name, &place));
        g->column[place].kind = kind;
    }
cleanup:
    return status;
}

static sp_status check_missing(guess *g)
{
    const char *list = "";
    size_t fields = 0, first = 0;
    for (size_t i = 0; i < g->columns; i++) {
        const column *c = &g->column[i];
        if (c->kind == SP_COLUMN_OMITTED || c->missing == 0)
            continue;
        if (fields == 0 || c->missing_line < g->column[first].missing_line)
            first = i;
        if (strlen(list) < 300)
            NEED(g, list = sp_arena_format(g->arena, "%s%s%s %zu", list, fields > 0 ? ", " : "", column_name(g, i),
                                           c->missing));
        fields++;
    }
    if (fields == 0 || g->options->missing != SP_MISSING_REFUSE)
        return SP_OK;
    char name[SP_COLUMN_SIZE];
    return sp_fail(g->error, SP_EDATA, "%s:%zu: %s: a value is missing; set missing = \"drop\" to leave such records "
                   "out, or \"category\" to make it a category of its own (values missing: %s)", g->source->name,
                   g->column[first].missing_line, shown(g, first, name), list);
}

static sp_status decide_kind(guess *g, size_t place)
{
    column *c = &g->column[place];
    char name[SP_COLUMN_SIZE];
    const char *at = g->source->name;
    if (place == g->label)
        c->kind = SP_COLUMN_LABEL;
    if (c->kind != SP_COLUMN_NUMBERS)
        return SP_OK;
    const char *own = column_name(g, place);
    NEED(g, own);
    if (c->numbers + c->words == 0)
        return sp_fail(g->error, SP_EDATA, "%s: %s has no value: set omit = { \"%s\" }", at, shown(g, place, name),
                       own);
    if (c->words > 0 && c->numbers > 0)
        return sp_fail(g->error, SP_EDATA, "%s:%zu: %s: '%.*s' is not a number, %zu others are: correct it, or set "
                       "categorical = { \"%s\" }", at, c->word_line, shown(g, place, name), sp_word_shown(c->word),
                       c->word.start, c->numbers, own);
    if (c->words == 0)
        return SP_OK;
    if (c->values.over || (g->seen->records >= FEW && 2 * c->values.count > g->seen->records))
        return sp_fail(g->error, SP_EDATA, "%s: %s has %s%zu different words in %zu records: set omit = { \"%s\" } "
                       "to leave it out, or categorical = { \"%s\" } to make each of them a feature", at, shown(g, place, name),
                       c->values.over ? "more than " : "", c->values.count, g->seen->records, own, own);
    c->kind = SP_COLUMN_WORDS;
    NEED(g, own = listed_name(g, place));
    NEED(g, g->seen->words = g->seen->words ? sp_arena_format(g->arena, "%s,%s", g->seen->words, own) : own);
    return SP_OK;
}

/* All that hold words, in the order of the file. */
static sp_status name_lists(guess *g)
{
    const struct { sp_column_kind kind; const char **list; } wanted[] = {
        { SP_COLUMN_WORDS, &g->options->categorical }, { SP_COLUMN_OMITTED, &g->options->omit } };
    for (size_t k = 0; k < 2; k++) {
        const char *list = NULL;
        for (size_t i = 0; i < g->columns; i++)
            if (g->column[i].kind == wanted[k].kind)
                NEED(g, list = sp_arena_format(g->arena, "%s%s%s", list ? list : "", list ? "," : "",
                                               listed_name(g, i)));
        *wanted[k].list = list;
    }
    return SP_OK;
}

static sp_status guess_csv(guess *g)
{
    sp_status status = SP_OK;
    sp_read_options *o = g->options;
    bool more = true;
    if (g->open & SP_OPEN_DELIMITER)
        SP_TRY(guess_delimiter(g));
    rewind_scan(g);
    g->scan.error = g->error;
    SP_TRY(read_first(g, &more));
    if (g->columns == 1)
        return sp_scan_fail(&g->scan, "the only column, without features (delimiter \"%c\"): set delimiter",
                            o->delimiter);
    for (;;) {
        SP_TRY(sp_csv_record(&g->scan, o->delimiter, &more));
        if (!more)
            break;
        SP_TRY(read_record(g));
    }
    if (g->open & SP_OPEN_HEADER)
        SP_TRY(guess_header(g));
    for (size_t i = 0; i < g->columns && !o->header; i++) {
        column *c = &g->column[i];
        double number;
        const bool counts = c->counts && sp_word_number(g->first[i], &number) && number == c->low - 1.0;
        SP_TRY(count_field(g, c, g->first[i], 1));
        c->counts = counts;
    }
    g->seen->records += !o->header;
    if (g->seen->records == 0)
        return sp_fail(g->error, SP_EDATA, "%s: there are no records", g->source->name);

    SP_TRY(mark(g, "categorical", o->categorical, SP_COLUMN_WORDS));
    SP_TRY(mark(g, "omit", o->omit, SP_COLUMN_OMITTED));
    if (g->open & SP_OPEN_LABEL)
        SP_TRY(guess_label(g));
    else
        SP_TRY(sp_csv_find(&g->scan, names_of(g), g->columns, "label", (sp_word_view){ o->label, strlen(o->label) },
                           &g->label));
    if (g->column[g->label].kind != SP_COLUMN_NUMBERS)
        return sp_fail(g->error, SP_EDATA, "%s: '%s' is the label: it cannot be in %s", g->source->name,
                       column_name(g, g->label),
                       g->column[g->label].kind == SP_COLUMN_WORDS ? "categorical" : "omit");
    NEED(g, o->label = column_name(g, g->label));
    for (size_t i = 0; i < g->columns; i++)
        SP_TRY(decide_kind(g, i));
    SP_TRY(check_missing(g));
    SP_TRY(name_lists(g));
    NEED(g, g->seen->column = sp_arena_alloc(g->arena, g->columns, sizeof *g->seen->column));
    g->seen->columns = g->columns;
    for (size_t i = 0; i < g->columns; i++)
        SP_TRY(describe_column(g, &g->column[i], column_name(g, i), &g->seen->column[i]));
    g->seen->label = g->seen->column[g->label];
    if (g->open & SP_OPEN_POSITIVE) {
        char name[SP_COLUMN_SIZE], what[SP_COLUMN_SIZE + 16];
        snprintf(what, sizeof what, "the label, %s,", shown(g, g->label, name));
        SP_TRY(guess_positive(g, &g->column[g->label], what));
    }
cleanup:
    return status;
}

/* --- the labels of other formats ------------------------------------------------------------------------------- */

static sp_status count_libsvm(guess *g, column *labels)
{
    sp_status status = SP_OK;
    sp_word_view word;
    for (bool more = true; more;) {
        SP_TRY(sp_scan_line(&g->scan, &more));
        if (more && sp_scan_word(&g->scan, ' ', &word))
            SP_TRY(count_field(g, labels, word, g->scan.line));
        g->seen->records += more;
    }
cleanup:
    return status;
}

/* Of a single output. */
static sp_status count_fann(guess *g, column *labels)
{
    sp_status status = SP_OK;
    sp_word_view word;
    double outputs = 0.0;
    for (bool more = true; more;) {
        SP_TRY(sp_scan_line(&g->scan, &more));
        const size_t line = g->scan.line;
        for (size_t i = 0; more && line == 1 && i < 3 && sp_scan_word(&g->scan, ' ', &word); i++)
            sp_word_number(word, &outputs);
        if (more && line % 2 == 1 && line > 1 && outputs == 1.0 && sp_scan_word(&g->scan, ' ', &word))
            SP_TRY(count_field(g, labels, word, line));
        g->seen->records += more && line % 2 == 1 && line > 1;
    }
cleanup:
    return status;
}

static sp_status count_idx(guess *g, const sp_source *source, column *labels)
{
    enum { HEAD = 8 };
    sp_status status = SP_OK;
    for (size_t i = HEAD; i < source->size; i++) {
        char text[4], *kept = NULL;
        const int length = snprintf(text, sizeof text, "%d", (unsigned char)source->bytes[i]);
        const tallied *found = find_value(&labels->values, (sp_word_view){ text, (size_t)length });
        if (!found)
            NEED(g, kept = sp_arena_copy(g->scratch, text));
        SP_TRY(count_field(g, labels, (sp_word_view){ found ? found->word.start : kept, (size_t)length }, 0));
        g->seen->records++;
    }
cleanup:
    return status;
}

static sp_status guess_others(guess *g, size_t count)
{
    sp_status status = SP_OK;
    column labels = { .kind = SP_COLUMN_LABEL };
    rewind_scan(g);
    g->scan.error = g->error;
    if (g->options->format == SP_FORMAT_LIBSVM)
        SP_TRY(count_libsvm(g, &labels));
    else if (g->options->format == SP_FORMAT_FANN)
        SP_TRY(count_fann(g, &labels));
    else if (count > 1)
        SP_TRY(count_idx(g, &g->source[1], &labels));
    SP_TRY(describe_column(g, &labels, "label", &g->seen->label));
    if (labels.numbers > 0 && labels.words == 0 && g->open & SP_OPEN_POSITIVE) /* the reader says what is wrong else */
        SP_TRY(guess_positive(g, &labels, "the label"));
cleanup:
    return status;
}

sp_status sp_guess(const sp_source *source, size_t count, unsigned open, sp_arena *arena, sp_read_options *options,
                   sp_seen *out, sp_error *error)
{
    sp_status status = SP_OK;
    sp_arena scratch = { 0 };
    guess g = { .source = source, .arena = arena, .scratch = &scratch, .options = options, .seen = out, .open = open,
                .error = error };
    *out = (sp_seen){ .guessed = open };
    if (open & SP_OPEN_FORMAT)
        SP_TRY(guess_format(&g));
    if (options->format == SP_FORMAT_CSV)
        SP_TRY(guess_csv(&g));
    else
        SP_TRY(guess_others(&g, count));
cleanup:
    sp_arena_free(&scratch);
    return status;
}
