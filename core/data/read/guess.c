/* guess.c -- decides what a user's file contains from what its columns hold (guess.h has the rules). */
#include "core/data/read/guess_parts.h"

#include "core/base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { CLASSES_MAX = 20 }; /* whole numbers as labels: up to so many may be classes */

/* --- names ----------------------------------------------------------------------------------------------------- */

static char *text_of(const sp_guessing *g, sp_word_view word)
{
    return sp_arena_format(g->arena, "%.*s", (int)word.length, word.start);
}

/* As an experiment names the column; its number where its name does not tell it from others or is no plain text. */
static char *column_name(const sp_guessing *g, size_t place)
{
    size_t found;
    bool plain = g->names.name && sp_csv_called(&g->names, g->names.name[place], &found) == 1;
    for (size_t i = 0; plain && i < g->names.name[place].length; i++)
        plain = (unsigned char)g->names.name[place].start[i] >= ' ';
    return plain ? text_of(g, g->names.name[place]) : sp_arena_format(g->arena, "%zu", place + 1);
}

/* In quotes where a list with commas needs them. */
static char *listed_name(const sp_guessing *g, size_t place)
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

static const char *shown(const sp_guessing *g, size_t place, char out[SP_COLUMN_SIZE])
{
    return sp_csv_column(g->names.name, place, out);
}

/* "age, job" of the columns that `belongs` says; NULL where there are none. `room`: from so many bytes on "..." */
static sp_status list_columns(const sp_guessing *g, bool (*belongs)(const sp_guess_column *), size_t room,
                              const char *between, char *(*name)(const sp_guessing *, size_t), const char **out)
{
    sp_status status = SP_OK;
    sp_text list = { 0 };
    const char *own;
    *out = NULL;
    for (size_t i = 0; i < g->names.count && !list.failed; i++) {
        if (!belongs(&g->column[i]))
            continue;
        if (list.length > room) {
            sp_text_append(&list, "%s...", between);
            break;
        }
        if (!(own = name(g, i)))
            list.failed = true;
        sp_text_append(&list, "%s%s", list.length > 0 ? between : "", own ? own : "");
    }
    if (list.failed || (list.data && !(*out = sp_arena_copy(g->arena, list.data))))
        status = sp_fail(g->error, SP_ENOMEM, "%s: out of memory", g->source->name);
    sp_text_free(&list);
    return status;
}

static bool is_any(const sp_guess_column *c)
{
    (void)c;
    return true;
}

static bool is_words(const sp_guess_column *c)
{
    return c->kind == SP_COLUMN_WORDS;
}

static bool is_unnamed_words(const sp_guess_column *c)
{
    return c->kind == SP_COLUMN_WORDS && !c->named;
}

static bool is_omitted(const sp_guess_column *c)
{
    return c->kind == SP_COLUMN_OMITTED && !c->index;
}

/* --- header ---------------------------------------------------------------------------------------------------- */

static sp_status guess_header(sp_guessing *g)
{
    size_t over_words = 0, over_numbers = 0, numbers = 0, again = 0;
    double number;
    for (size_t i = 0; i < g->names.count; i++) {
        const sp_guess_column *c = &g->column[i];
        const bool numeric = sp_word_number(g->first[i], &number), empty = sp_csv_missing(g->first[i], &g->missing);
        again += sp_guess_tally_find(&c->values, g->first[i]) != NULL;
        if (c->numbers > 0 && c->words == 0 && !empty) {
            over_numbers += numeric;
            over_words += !numeric;
        }
        numbers += numeric;
    }
    if (over_numbers + over_words > 0 ? over_numbers == 0
                                      : numbers == 0 && again == 0 && g->seen->records >= SP_FEW_RECORDS)
        g->options->header = true;
    else if (over_words > 0 || (over_numbers == 0 && numbers == 0 && again == 0))
        return sp_fail(g->error, SP_EDATA, "%s:1: cannot tell whether the first line names the columns: set header = "
                       "true or false", g->source->name);
    else
        g->options->header = false;
    return SP_OK;
}

/* --- label ----------------------------------------------------------------------------------------------------- */

static sp_status which_label(const sp_guessing *g)
{
    const char *list;
    const sp_status status = list_columns(g, is_any, 300, ", ", column_name, &list);
    return status != SP_OK ? status
         : sp_fail(g->error, SP_EDATA, "%s: cannot tell which column is the label: set label = \"...\" (%s: %s)",
                   g->source->name, g->names.name ? "the columns are" : "by their numbers they are", list);
}

static sp_status guess_label(sp_guessing *g)
{
    static const char *const usual[] = { "label", "target", "class", "y", "outcome", "response" };
    size_t called = 0, binary = 0, place = 0, two = 0;
    for (size_t i = 0; i < g->names.count; i++) {
        for (size_t k = 0; g->names.name && k < sizeof usual / sizeof *usual; k++)
            if (g->first[i].length == strlen(usual[k]) &&
                strncasecmp(g->first[i].start, usual[k], g->first[i].length) == 0) {
                called++;
                place = i;
            }
        if (g->column[i].kind != SP_COLUMN_OMITTED && sp_guess_two_values(&g->column[i])) {
            binary++;
            two = i;
        }
    }
    if (called == 1)
        g->label = place;
    else if (called == 0 && binary > 0 && two == g->names.count - 1)
        g->label = two;
    else if (called == 0 && binary == 1)
        g->label = two;
    else
        return which_label(g);
    return SP_OK;
}

/* Labels that differ in case alone are one label, written in two ways. */
static sp_status check_case(const sp_guessing *g, const sp_guess_column *c, const char *what)
{
    const sp_guess_tallied *slot = c->values.slot;
    if (c->words == 0 || c->values.over || g->options->negative || g->options->regression)
        return SP_OK;
    for (size_t i = 0; i < c->values.slots; i++)
        for (size_t k = 0; slot[i].count > 0 && k < i; k++) {
            if (slot[k].count == 0 || slot[i].word.length != slot[k].word.length ||
                strncasecmp(slot[i].word.start, slot[k].word.start, slot[i].word.length) != 0)
                continue;
            const sp_guess_tallied *first = slot[i].line < slot[k].line ? &slot[i] : &slot[k],
                                   *later = first == &slot[i] ? &slot[k] : &slot[i];
            return sp_fail(g->error, SP_EDATA,
                           "%s:%zu: %s '%.*s' is '%.*s' on line %zu: write both alike, or set positive and "
                           "negative",
                           g->source->name, later->line, what, sp_word_shown(later->word), later->word.start,
                           sp_word_shown(first->word), first->word.start, first->line);
        }
    return SP_OK;
}

/* "'no' (4000), 'yes' (521)" */
static const char *list_values(const sp_guessing *g, const sp_seen_column *c)
{
    enum { ROOM = 5 };
    const char *list = "";
    for (size_t i = 0; list && i < c->values && i < ROOM; i++)
        list = sp_arena_format(g->arena, "%s%s'%.40s' (%zu)", list, i > 0 ? ", " : "", c->value[i].text,
                               c->value[i].count);
    return list && (c->more || c->values > ROOM) ? sp_arena_format(g->arena, "%s, ...", list) : list ? list : "";
}

/* What becomes +1; `c` holds the labels, `what` names them in messages. */
static sp_status guess_positive(sp_guessing *g, const sp_guess_column *c, const char *what)
{
    double value[SP_NUMBERS_COUNTED];
    bool whole = true;
    const size_t numbers = sp_guess_numbers(c, value, &whole);
    const char *name = g->source->name, *values = list_values(g, &g->seen->label);
    double comma;
    if (c->words > 0 && sp_word_comma(c->word, &comma))
        return sp_fail(g->error, SP_EDATA,
                       "%s:%zu: %s is '%.*s', a number with a decimal comma: set decimal = \"comma\"", name,
                       c->word_line, what, sp_word_shown(c->word), c->word.start);
    if (c->words > 0 && c->numbers > 0)
        return sp_fail(g->error, SP_EDATA, "%s:%zu: %s is '%.*s', a word, and elsewhere a number: correct it, or set "
                       "positive (the values are %s)", name, c->word_line, what, sp_word_shown(c->word),
                       c->word.start, values);
    if (c->words > 0)
        return sp_fail(g->error, SP_EDATA,
                       "%s:%zu: %s holds words: set positive = \"%.40s\" to make that one +1 and all "
                       "others -1, or another (the values are %s)",
                       name, c->word_line, what, g->seen->label.value[g->seen->label.values > 1].text, values);
    if (numbers < 2 && !c->values.over)
        return sp_fail(g->error, SP_EDATA, "%s: %s has one value only (%s): nothing can be learnt", name, what,
                       values);
    if (numbers == 2 && !c->values.over) {
        char number[SP_NUMBER_SIZE];
        SP_GUESS_NEED(g, g->options->positive = sp_arena_copy(g->arena, sp_number(fmax(value[0], value[1]), number)));
        return SP_OK;
    }
    if (whole && !c->values.over && numbers <= CLASSES_MAX)
        return sp_fail(g->error, SP_EDATA, "%s: %s has %zu values (%s): set positive = \"%s\" to compare that "
                       "class with the others, or regression = true", name, what, numbers, values,
                       g->seen->label.value[0].text);
    g->options->regression = true;
    return SP_OK;
}

/* --- the kinds of the columns ---------------------------------------------------------------------------------- */

/* Marks the columns of a list. */
static sp_status mark(sp_guessing *g, const char *what, const char *text, sp_column_kind kind, bool index)
{
    sp_status status = SP_OK;
    sp_csv_list list;
    SP_TRY(sp_csv_split(text, what, g->scratch, &list, g->error));
    g->scan.line = 0; /* what is wrong is not on a line */
    for (size_t i = 0; i < list.count; i++) {
        size_t place = 0;
        SP_TRY(sp_csv_find(&g->scan, &g->names, what, list.word[i], &place));
        g->column[place].kind = kind;
        g->column[place].named = kind == SP_COLUMN_WORDS;
        g->column[place].index = index;
    }
cleanup:
    return status;
}

static sp_status check_missing(sp_guessing *g)
{
    enum { ROOM = 300 };
    const char *list = "";
    size_t fields = 0, first = 0;
    for (size_t i = 0; i < g->names.count; i++) {
        const sp_guess_column *c = &g->column[i];
        if (c->kind == SP_COLUMN_OMITTED || c->missing == 0)
            continue;
        if (fields == 0 || c->missing_line < g->column[first].missing_line)
            first = i;
        if (strlen(list) < ROOM)
            SP_GUESS_NEED(g, list = sp_arena_format(g->arena, "%s%s%s %zu", list, fields > 0 ? ", " : "",
                                                    column_name(g, i), c->missing));
        fields++;
    }
    if (fields == 0 || g->options->missing != SP_MISSING_REFUSE)
        return SP_OK;
    char name[SP_COLUMN_SIZE];
    return sp_fail(g->error, SP_EDATA,
                   "%s:%zu: %s: '%.*s': a value is missing; set missing = \"drop\" to leave such records "
                   "out, or \"category\" to make it a category of its own (values missing: %s)",
                   g->source->name, g->column[first].missing_line, shown(g, first, name),
                   sp_word_shown(g->column[first].missing_word), g->column[first].missing_word.start, list);
}

/* Refuses a column of words that `categorical` does not name where words are probably a mistake. */
static sp_status check_words(const sp_guessing *g, size_t place, const char *own)
{
    const sp_guess_column *c = &g->column[place];
    char name[SP_COLUMN_SIZE];
    const char *at = g->source->name;
    double comma;
    if (sp_word_comma(c->word, &comma))
        return sp_fail(g->error, SP_EDATA,
                       "%s:%zu: %s: '%.*s' is a number with a decimal comma: set decimal = \"comma\"", at, c->word_line,
                       shown(g, place, name), sp_word_shown(c->word), c->word.start);
    if (sp_guess_dates(c))
        return sp_fail(g->error, SP_EDATA,
                       "%s:%zu: %s: '%.*s' is a date, and each of the %zu dates would be a feature: set "
                       "omit = { \"%s\" } to leave the column out, categorical = { \"%s\" } to have these features, or "
                       "write a number, days since some day",
                       at, c->word_line, shown(g, place, name), sp_word_shown(c->word), c->word.start, c->values.count,
                       own, own);
    if (c->values.over || (g->seen->records >= SP_FEW_RECORDS && 2 * c->values.count > g->seen->records))
        return sp_fail(g->error, SP_EDATA,
                       "%s: %s has %s%zu different words in %zu records: set omit = { \"%s\" } "
                       "to leave it out, or categorical = { \"%s\" } to make each of them a feature",
                       at, shown(g, place, name), c->values.over ? "more than " : "", c->values.count, g->seen->records,
                       own, own);
    return SP_OK;
}

static sp_status decide_kind(sp_guessing *g, size_t place)
{
    sp_guess_column *c = &g->column[place];
    char name[SP_COLUMN_SIZE];
    const char *at = g->source->name;
    if (place == g->label)
        c->kind = SP_COLUMN_LABEL;
    if (c->kind == SP_COLUMN_LABEL || c->kind == SP_COLUMN_OMITTED || c->named || c->declared)
        return SP_OK;
    const char *own = column_name(g, place);
    SP_GUESS_NEED(g, own);
    if (c->numbers + c->words == 0)
        return sp_fail(g->error, SP_EDATA, "%s: %s has no value: set omit = { \"%s\" }", at, shown(g, place, name),
                       own);
    if (c->words > 0 && c->numbers > 0 && c->kind == SP_COLUMN_NUMBERS)
        return sp_fail(g->error, SP_EDATA, "%s:%zu: %s: '%.*s' is not a number, %zu others are%s: correct it, set "
                       "missing_words = { \"%.*s\" } where it stands for no value, or categorical = { \"%s\" }", at,
                       c->word_line, shown(g, place, name), sp_word_shown(c->word), c->word.start, c->numbers,
                       sp_word_remedy(c->word), sp_word_shown(c->word), c->word.start, own);
    if (c->words == 0 && c->kind == SP_COLUMN_NUMBERS)
        return SP_OK;
    c->kind = SP_COLUMN_WORDS;
    return check_words(g, place, own);
}

/* The lists of the options, of all that hold words and of all that are left out, in the order of the file. */
static sp_status name_lists(sp_guessing *g)
{
    sp_status status = SP_OK;
    sp_read_options *o = g->options;
    SP_TRY(list_columns(g, is_unnamed_words, SIZE_MAX, ",", listed_name, &g->seen->words));
    SP_TRY(list_columns(g, is_omitted, SIZE_MAX, ",", listed_name, &o->omit));
    if (o->format == SP_FORMAT_CSV) /* an ARFF says itself which columns hold words */
        SP_TRY(list_columns(g, is_words, SIZE_MAX, ",", listed_name, &o->categorical));
cleanup:
    return status;
}

/* The first column: does it look like what pandas and R write before the data? */
static bool looks_like_index(const sp_guessing *g)
{
    const sp_guess_column *c = &g->column[0];
    bool unnamed = g->names.name && g->names.name[0].length == 0;
    for (size_t i = 1; unnamed && i < g->names.count; i++)
        unnamed = g->names.name[i].length > 0;
    return c->kind == SP_COLUMN_NUMBERS && c->words == 0 && c->missing == 0 && !g->options->index &&
           (unnamed || (c->ascends && g->seen->records >= SP_FEW_RECORDS));
}

/* --- the whole ------------------------------------------------------------------------------------------------- */

/* Where it is a record, the first line counts, too. */
static sp_status count_first(sp_guessing *g)
{
    sp_status status = SP_OK;
    for (size_t i = 0; i < g->names.count; i++) {
        sp_guess_column *c = &g->column[i];
        double number;
        const bool numeric = sp_word_number(g->first[i], &number) && c->numbers > 0;
        const bool counts = c->counts && numeric && number == c->low - 1.0;
        const bool ascends = c->ascends && numeric && number < c->low && number == trunc(number);
        const size_t words = c->words, missing = c->missing;
        SP_TRY(sp_guess_count(g, c, g->first[i], g->first_line));
        if (c->words > words) {
            c->word = g->first[i];
            c->word_line = g->first_line;
        }
        if (c->missing > missing) {
            c->missing_word = g->first[i];
            c->missing_line = g->first_line;
        }
        c->counts = counts;
        c->ascends = ascends;
    }
    g->seen->records++;
cleanup:
    return status;
}

/* Names and label of a CSV. */
static sp_status decide_csv(sp_guessing *g)
{
    sp_status status = SP_OK;
    sp_read_options *o = g->options;
    SP_TRY(sp_guess_delimiter(g));
    SP_TRY(sp_guess_read_csv(g));
    if (g->open & SP_OPEN_HEADER)
        SP_TRY(guess_header(g));
    if (!o->header)
        SP_TRY(count_first(g));
    SP_TRY(sp_csv_index(&g->names, g->scratch, o->header ? g->first : NULL, g->names.count, g->error));
    SP_TRY(mark(g, "categorical", o->categorical, SP_COLUMN_WORDS, false));
    SP_TRY(mark(g, "omit", o->omit, SP_COLUMN_OMITTED, false));
    SP_TRY(mark(g, "index", o->index, SP_COLUMN_OMITTED, true));
    if (g->open & SP_OPEN_LABEL)
        SP_TRY(guess_label(g));
    else
        SP_TRY(sp_csv_find(&g->scan, &g->names, "label", (sp_word_view){ o->label, strlen(o->label) }, &g->label));
cleanup:
    return status;
}

/* Names and label of an ARFF. */
static sp_status decide_arff(sp_guessing *g)
{
    sp_status status = SP_OK;
    const sp_read_options *o = g->options;
    SP_TRY(sp_guess_read_arff(g));
    SP_TRY(mark(g, "categorical", o->categorical, SP_COLUMN_WORDS, false));
    SP_TRY(mark(g, "omit", o->omit, SP_COLUMN_OMITTED, false));
    SP_TRY(mark(g, "index", o->index, SP_COLUMN_OMITTED, true));
    g->column[g->label].declared = false;
cleanup:
    return status;
}

static const char *label_kind(const sp_guess_column *c)
{
    return c->index ? "index" : c->kind == SP_COLUMN_OMITTED ? "omit" : c->named ? "categorical" : NULL;
}

static sp_status decide_columns(sp_guessing *g)
{
    sp_status status = SP_OK;
    sp_read_options *o = g->options;
    SP_TRY(sp_csv_split(o->missing_words, "missing_words", g->scratch, &g->missing, g->error));
    SP_TRY(o->format == SP_FORMAT_ARFF ? decide_arff(g) : decide_csv(g));
    if (g->seen->records == 0)
        return sp_fail(g->error, SP_EDATA, "%s: there are no records", g->source->name);
    sp_guess_column *label = &g->column[g->label];
    if (label_kind(label))
        return sp_fail(g->error, SP_EDATA, "%s: '%s' is the label: it cannot be in %s", g->source->name,
                       column_name(g, g->label), label_kind(label));
    SP_GUESS_NEED(g, o->label = column_name(g, g->label));
    for (size_t i = 0; i < g->names.count; i++)
        SP_TRY(decide_kind(g, i));
    SP_TRY(check_missing(g));
    SP_TRY(name_lists(g));
    SP_GUESS_NEED(g, g->seen->column = sp_arena_alloc(g->arena, g->names.count, sizeof *g->seen->column));
    g->seen->columns = g->names.count;
    for (size_t i = 0; i < g->names.count; i++)
        SP_TRY(sp_guess_describe(g, &g->column[i], column_name(g, i), &g->seen->column[i]));
    g->seen->column[0].index = looks_like_index(g);
    g->seen->label = g->seen->column[g->label];
    char name[SP_COLUMN_SIZE], what[SP_COLUMN_SIZE + 16];
    snprintf(what, sizeof what, "the label, %s,", shown(g, g->label, name));
    SP_TRY(check_case(g, label, what));
    if (g->open & SP_OPEN_POSITIVE)
        SP_TRY(guess_positive(g, label, what));
cleanup:
    return status;
}

static sp_status guess_columns(sp_guessing *g)
{
    const sp_status status = decide_columns(g);
    for (size_t i = 0; i < g->names.count; i++)
        sp_guess_tally_free(&g->column[i].values);
    return status;
}

static sp_status guess_others(sp_guessing *g, size_t count)
{
    sp_status status = SP_OK;
    sp_guess_column labels = { .kind = SP_COLUMN_LABEL };
    SP_TRY(sp_guess_read_labels(g, count, &labels));
    SP_TRY(sp_guess_describe(g, &labels, "label", &g->seen->label));
    SP_TRY(check_case(g, &labels, "the label"));
    const bool all = labels.numbers + labels.words > 0 && labels.numbers + labels.words == g->seen->records;
    if (all && g->open & SP_OPEN_POSITIVE) /* the reader says what is wrong with others */
        SP_TRY(guess_positive(g, &labels, "the label"));
cleanup:
    sp_guess_tally_free(&labels.values);
    return status;
}

sp_status sp_guess(const sp_source *source, size_t count, unsigned open, sp_arena *arena, sp_read_options *options,
                   sp_seen *out, sp_error *error)
{
    sp_status status = SP_OK;
    sp_arena scratch = { 0 };
    sp_guessing g = { .source = source, .arena = arena, .scratch = &scratch, .options = options, .seen = out,
                      .open = open, .error = error };
    *out = (sp_seen){ .guessed = open };
    SP_TRY(sp_guess_format(&g));
    if (options->format != SP_FORMAT_IDX)
        SP_TRY(sp_guess_encoding(&g));
    if (options->format == SP_FORMAT_CSV || options->format == SP_FORMAT_ARFF)
        SP_TRY(guess_columns(&g));
    else
        SP_TRY(guess_others(&g, count));
cleanup:
    sp_arena_free(&scratch);
    return status;
}
