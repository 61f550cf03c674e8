/* own_file.c -- see own_file.h. */
#include "core/problem/own_file.h"

#include "core/base/memory.h"
#include "core/data/read/csv.h"
#include "core/plan/registry.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { FILE_PATH, FORMAT, DELIMITER, DECIMAL, COMMENT, HEADER, LABEL, CATEGORICAL, OMIT, INDEX, MISSING, MISSING_WORDS,
       LABELS, FEATURES, ZERO_BASED, REGRESSION, LIMIT, SHAPE };
/* in the order of SP_SHAPE_... */
enum { POSITIVE = SHAPE, NEGATIVE, SCALE, STATISTICS, NORMALISE, RADIUS, INTERCEPT, TEST, RESAMPLE };
const sp_param sp_file_keys[] = {
    [FILE_PATH]   = { "file", SP_TEXT, SP_REQUIRED, { 0, 0 }, "path, from the experiment's file" },
    [FORMAT]      = { "format", SP_CHOICE, SP_DERIVED, { 0, 0 }, "how it is written; default guessed",
                      "libsvm|csv|fann|idx|arff" },
    [DELIMITER]   = { "delimiter", SP_TEXT, 0, { 0, 0 }, "csv: one character, \"\\t\" is a tab; default guessed" },
    [DECIMAL]     = { "decimal", SP_CHOICE, false, { 0, 0 }, "csv: what divides the digits of a number, 1.5 or 1,5",
                      "point|comma" },
    [COMMENT]     = { "comment", SP_TEXT, 0, { 0, 0 }, "csv: lines that begin with this character are passed over, \"#\", "
                                                       "or \"none\"; default guessed" },
    [HEADER]      = { "header", SP_FLAG, SP_DERIVED, { 0, 1 }, "csv: the first line names the columns; default "
                                                                    "guessed" },
    [LABEL]       = { "label", SP_TEXT, 0, { 0, 0 }, "csv, arff: the label's column, by its name or number (from 1; -1 "
                                                     "the last); default guessed" },
    [CATEGORICAL] = { "categorical", SP_TEXT, 0, { 0, 0 }, "csv, arff: columns of words, { \"job\", 3 }, beside "
                                                           "those that have no number" },
    [OMIT]        = { "omit", SP_TEXT, 0, { 0, 0 }, "csv, arff: columns to leave out, { \"note\", 1 }" },
    [INDEX]       = { "index", SP_TEXT, 0, { 0, 0 }, "csv, arff: a column that names or numbers the records and is left out; "
                                                     "\"none\": the first is a feature, though it looks like one" },
    [MISSING]     = { "missing", SP_CHOICE, SP_MISSING_REFUSE, { 0, 0 }, "csv, arff: a record with an empty field, ?, "
                      "NA or the like; drop it, or make that a category", "refuse|drop|category" },
    [MISSING_WORDS] = { "missing_words", SP_TEXT, 0, { 0, 0 }, "csv, arff: more words that stand for no value, { \"-\", -999 }" },
    [LABELS]      = { "labels", SP_TEXT, 0, { 0, 0 }, "idx: path of the labels" },
    [FEATURES]    = { "features", SP_COUNT, 0, { 0, 4294967295.0 }, "libsvm: how many; default the largest index" },
    [ZERO_BASED]  = { "zero_based", SP_FLAG, false, { 0, 1 }, "libsvm: indices count from 0" },
    [REGRESSION]  = { "regression", SP_FLAG, false, { 0, 1 }, "keep the labels as they are" },
    [LIMIT]       = { "limit", SP_REAL, SP_DERIVED, SP_POSITIVE, "MiB that reading may take; default a quarter of the "
                                                                 "machine's memory" },
    [POSITIVE]    = { "positive", SP_TEXT, 0, { 0, 0 }, "the label that becomes +1, \"yes\" or 1; default the larger "
                                                        "of two numbers" },
    [NEGATIVE]    = { "negative", SP_TEXT, 0, { 0, 0 }, "the one that becomes -1; default all others" },
    [SCALE]       = { "scale", SP_TEXT, 0, { 0, 0 }, "columns: \"none\", \"standard\", \"minmax\", or csv: bounds that "
                      "are public, { age = { 18, 90 } }" },
    [STATISTICS]  = { "public_statistics", SP_FLAG, false, { 0, 1 }, "scale = \"standard\" or \"minmax\": means, "
                      "deviations and ranges of the columns are public, no budget pays for them" },
    [NORMALISE]   = { "normalise", SP_CHOICE, SP_NORMALISE_L2, { 0, 0 }, "rows: norm 1, or at most radius", "none|l2" },
    [RADIUS]      = { "radius", SP_REAL, SP_DERIVED, SP_POSITIVE, "of rows; normalise = \"none\" needs it" },
    [INTERCEPT]   = { "intercept", SP_FLAG, false, { 0, 1 }, "append a constant feature" },
    [TEST]        = { "test", SP_REAL, 0, { 0, 0.9 }, "fraction of the records held out" },
    [RESAMPLE]    = { "resample", SP_FLAG, false, { 0, 1 }, "a new shuffle and split each replicate" },
    { 0 }
};
const sp_param *const sp_shape_keys = sp_file_keys + SHAPE;

#define NEED(pointer)                                              \
    do {                                                           \
        if (!(pointer))                                            \
            return sp_fail(error, SP_ENOMEM, "out of memory");     \
    } while (0)

/* --- one text for what is no sweep ------------------------------------------------------------------------------ */

static bool is_one_of(const char *key, const size_t *which, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(sp_file_keys[which[i]].key, key) == 0)
            return true;
    return false;
}

static const size_t of_words[] = { LABEL, INDEX, POSITIVE, NEGATIVE },
                    of_columns[] = { CATEGORICAL, OMIT, MISSING_WORDS };
enum { OF_WORDS = sizeof of_words / sizeof *of_words, OF_COLUMNS = sizeof of_columns / sizeof *of_columns };

/* A number as text. */
static sp_status spell_word(sp_arena *arena, const sp_node **node, sp_error *error)
{
    const char *text = (*node)->text;
    if ((*node)->kind == SP_NODE_NUMBER)
        text = sp_node_print(arena, *node);
    else if ((*node)->kind != SP_NODE_TEXT)
        return SP_OK;
    NEED(text && (*node = sp_node_text(arena, (*node)->path, text)));
    return SP_OK;
}

/* { "job", 3 } as "job,3"; a name with a comma stands in quotes, as a field would. */
static sp_status join_columns(sp_arena *arena, const sp_node **list, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text joined = { 0 };
    for (size_t i = 0; i < (*list)->items; i++) {
        const sp_node *item = sp_node_item(arena, *list, i);
        SP_TRY(item ? SP_OK : sp_fail(error, SP_ENOMEM, "out of memory"));
        SP_TRY(spell_word(arena, &item, error));
        if (item->kind != SP_NODE_TEXT)
            SP_TRY(sp_fail(error, SP_EINVAL, "%s: must be a column, by its name or its number from 1, or a word",
                           item->path));
        const char *quote = strpbrk(item->text, ",\"") ? "\"" : "";
        if (*quote && strchr(item->text, '"'))
            SP_TRY(sp_fail(error, SP_EINVAL, "%s: name a column with quotes in its name by its number", item->path));
        sp_text_append(&joined, "%s%s%s%s", i > 0 ? "," : "", quote, item->text, quote);
    }
    const char *text = joined.failed ? NULL : sp_arena_copy(arena, joined.data ? joined.data : "");
    if (!text || !(*list = sp_node_text(arena, (*list)->path, text)))
        status = sp_fail(error, SP_ENOMEM, "out of memory");
cleanup:
    sp_text_free(&joined);
    return status;
}

/* Of a list, each item. */
static sp_status spell_each(sp_arena *arena, const sp_node **node, sp_error *error,
                            sp_status (*spell)(sp_arena *, const sp_node **, sp_error *))
{
    sp_status status = SP_OK;
    if (!sp_node_is_list(*node))
        return spell(arena, node, error);
    sp_node *list = sp_node_object(arena, (*node)->path);
    const sp_node **item = sp_arena_alloc(arena, (*node)->items, sizeof *item);
    NEED(list && item);
    for (size_t i = 0; i < (*node)->items; i++) {
        NEED(item[i] = sp_node_item(arena, *node, i));
        SP_TRY(spell(arena, &item[i], error));
    }
    list->item = item;
    list->items = (*node)->items;
    sp_node_close(list);
    *node = list;
cleanup:
    return status;
}

/* A list of lists is a sweep over lists. */
static sp_status spell_columns(sp_arena *arena, const sp_node **node, sp_error *error)
{
    if (!sp_node_is_list(*node))
        return spell_word(arena, node, error);
    if ((*node)->items > 0 && !(*node)->numbers && sp_node_is_list((*node)->item[0]))
        return spell_each(arena, node, error, spell_columns);
    return join_columns(arena, node, error);
}

/* { age = { 18, 90 } } as "age:18:90". */
static sp_status spell_scale(sp_arena *arena, const sp_node **node, sp_error *error)
{
    const char *text = NULL;
    for (size_t i = 0; sp_node_is_object(*node) && i < (*node)->fields; i++) {
        const char *key = (*node)->field[i].key, *quote = strchr(key, ',') ? "\"" : "";
        const sp_node *pair = (*node)->field[i].node;
        char low[SP_NUMBER_SIZE], high[SP_NUMBER_SIZE];
        if (!pair->numbers || pair->items != 2 || !(pair->numbers[0] < pair->numbers[1]))
            return sp_fail(error, SP_EINVAL, "%s: must be { low, high }, bounds known without a look at the records",
                           pair->path);
        text = sp_arena_format(arena, "%s%s%s%s:%s:%s%s", text ? text : "", text ? "," : "", quote, key,
                               sp_number(pair->numbers[0], low), sp_number(pair->numbers[1], high), quote);
        NEED(text);
    }
    if (text)
        NEED(*node = sp_node_text(arena, (*node)->path, text));
    return SP_OK;
}

static sp_status spell_delimiter(sp_arena *arena, const sp_node **node, sp_error *error)
{
    if ((*node)->kind == SP_NODE_TEXT && strcmp((*node)->text, "\t") == 0)
        NEED(*node = sp_node_text(arena, (*node)->path, "tab"));
    return SP_OK;
}

static sp_status spell_one(sp_arena *arena, const sp_node **data, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_node *node = *data, *out = node;
    const char *name = sp_node_name(node);
    if (node->kind != SP_NODE_TABLE || (name && sp_generator_find(name)))
        return SP_OK;
    for (size_t i = 0; i < node->fields; i++) {
        const char *key = node->field[i].key;
        const sp_node *value = node->field[i].node, *before = value;
        if (is_one_of(key, of_words, OF_WORDS))
            SP_TRY(spell_each(arena, &value, error, spell_word));
        else if (is_one_of(key, of_columns, OF_COLUMNS))
            SP_TRY(spell_columns(arena, &value, error));
        else if (strcmp(key, sp_file_keys[DELIMITER].key) == 0)
            SP_TRY(spell_each(arena, &value, error, spell_delimiter));
        else if (strcmp(key, sp_file_keys[SCALE].key) == 0)
            SP_TRY(spell_each(arena, &value, error, spell_scale));
        if (value != before)
            NEED(out = sp_node_with(arena, out, key, value));
    }
    *data = out;
cleanup:
    return status;
}

sp_status sp_data_spell(sp_arena *arena, const sp_node **data, sp_error *error)
{
    return spell_each(arena, data, error, spell_one);
}

/* Of columns, from the text of `scale`; bounds count as none, and are *bounds. */
static sp_scaling scale_of(const sp_values *v, size_t index, const char **bounds)
{
    const char *text = sp_word(v, index);
    const bool none = !*text || strcmp(text, "none") == 0, standard = strcmp(text, "standard") == 0;
    const bool minmax = strcmp(text, "minmax") == 0;
    *bounds = none || standard || minmax ? NULL : text;
    return standard ? SP_SCALE_STANDARD : minmax ? SP_SCALE_MINMAX : SP_SCALE_NONE;
}

/* --- looking at the file ----------------------------------------------------------------------------------------- */

char *sp_own_file_key(sp_arena *arena, const sp_values *values)
{
    sp_values reading = *values;
    sp_text text = { 0 };
    reading.count = NORMALISE;
    sp_values_print(&reading, &text);
    char *key = text.failed || !text.data ? NULL : sp_arena_copy(arena, text.data);
    sp_text_free(&text);
    return key;
}

/* *out is NULL when the key is not given. */
static sp_status take_word(sp_arena *arena, const sp_values *v, size_t index, const char **out, sp_error *error)
{
    *out = NULL;
    if (sp_given(v, index))
        NEED(*out = sp_arena_copy(arena, sp_word(v, index)));
    return SP_OK;
}

static sp_status find_path(sp_arena *arena, const char *folder, const char *place, const sp_values *v, size_t index,
                           const char **out, sp_error *error)
{
    const char *given = sp_word(v, index), *key = sp_file_keys[index].key;
    const bool relative = *given != '/' && *folder;
    *out = NULL;
    if (!sp_given(v, index))
        return SP_OK;
    if (!*given)
        return sp_fail(error, SP_EINVAL, "%s.%s = \"\": must be a path", place, key);
    NEED(*out = relative ? sp_arena_format(arena, "%s%s", folder, given) : sp_arena_copy(arena, given));
    if (relative && access(*out, F_OK) != 0 && access(given, F_OK) == 0)
        return sp_fail(error, SP_EINVAL, "%s.%s = \"%s\": there is no %s; paths are relative to the experiment's file, "
                       "as those of include (the current directory has such a file)", place, key, given, *out);
    return SP_OK;
}

static const char said_none[] = "none"; /* of `comment` and `index` */

static sp_status read_comment(const char *place, const sp_values *v, char *out, sp_error *error)
{
    const char *comment = sp_word(v, COMMENT);
    *out = strcmp(comment, said_none) == 0 ? '\0' : *comment;
    if (*out && comment[1])
        return sp_fail(error, SP_EINVAL, "%s.comment = \"%s\": must be one character, or \"none\"", place, comment);
    return SP_OK;
}

static sp_status read_options(sp_arena *arena, const char *folder, const char *place, const sp_values *v,
                              sp_own_file *out, unsigned *open, sp_error *error)
{
    sp_status status = SP_OK;
    const char *delimiter = sp_word(v, DELIMITER);
    sp_read_options *o = &out->options;
    *o = (sp_read_options){
        .format = (sp_data_format)sp_choice(v, FORMAT), .d = sp_count(v, FEATURES), .header = sp_flag(v, HEADER),
        .delimiter = strcmp(delimiter, "tab") == 0 ? '\t' : *delimiter,
        .decimal_comma = sp_choice(v, DECIMAL), .zero_based = sp_flag(v, ZERO_BASED),
        .missing = (sp_missing)sp_choice(v, MISSING), .regression = sp_flag(v, REGRESSION),
        .limit = sp_given(v, LIMIT) ? (size_t)fmin(fmax(ceil(sp_real(v, LIMIT) * 1048576.0), 0.0), 0x1p62) : 0,
    };
    if (o->delimiter != '\t' && strlen(delimiter) > 1)
        return sp_fail(error, SP_EINVAL, "%s.delimiter = \"%s\": must be one character (a tab is \"\\t\")", place,
                       delimiter);
    if (o->delimiter == '"')
        return sp_fail(error, SP_EINVAL, "%s.delimiter: a quote holds fields together, it cannot divide them", place);
    SP_TRY(read_comment(place, v, &o->comment, error));
    SP_TRY(find_path(arena, folder, place, v, FILE_PATH, &out->path, error));
    SP_TRY(find_path(arena, folder, place, v, LABELS, &o->labels, error));
    if (o->labels && access(o->labels, R_OK) != 0)
        return sp_fail(error, SP_EINVAL, "%s.labels: %s: %s; `labels` is the second file of idx data, the column of a "
                       "csv is `label`", place, o->labels, strerror(errno));
    const struct { size_t index; const char **word; } words[] = {
        { LABEL, &o->label }, { CATEGORICAL, &o->categorical }, { OMIT, &o->omit }, { INDEX, &o->index },
        { MISSING_WORDS, &o->missing_words }, { POSITIVE, &o->positive },
        { NEGATIVE, &o->negative } };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        SP_TRY(take_word(arena, v, words[i].index, words[i].word, error));
    *open = (sp_given(v, FORMAT) ? 0u : SP_OPEN_FORMAT) | (o->delimiter ? 0u : SP_OPEN_DELIMITER) |
            (sp_given(v, HEADER) ? 0u : SP_OPEN_HEADER) | (o->label ? 0u : SP_OPEN_LABEL) |
            (o->positive || sp_given(v, REGRESSION) ? 0u : SP_OPEN_POSITIVE) |
            (sp_given(v, COMMENT) ? 0u : SP_OPEN_COMMENT);
    out->indexed = o->index != NULL;
    if (o->index && strcmp(o->index, said_none) == 0)
        o->index = NULL;
    const char *bounds;
    out->scaled = scale_of(v, SCALE, &bounds) != SP_SCALE_NONE || bounds;
    if (bounds)
        NEED(o->bounds = sp_arena_copy(arena, bounds));
    if (bounds && !strchr(bounds, ':'))
        return sp_fail(error, SP_EINVAL, "%s.scale = \"%s\": must be \"none\", \"standard\", \"minmax\" or bounds, "
                       "{ age = { 18, 90 } }", place, bounds);
    if (o->negative && !o->positive)
        return sp_fail(error, SP_EINVAL, "%s.negative: needs `positive`, the label that becomes +1", place);
cleanup:
    return status;
}

sp_status sp_own_file_look(sp_arena *arena, const char *folder, const char *place, const sp_values *values,
                           sp_own_file *out, sp_error *error)
{
    sp_status status = SP_OK;
    unsigned open = 0;
    *out = (sp_own_file){ 0 };
    NEED(out->key = sp_own_file_key(arena, values));
    SP_TRY(read_options(arena, folder, place, values, out, &open, error));
    status = sp_data_guess_file(out->path, open, arena, &out->options, out->fingerprint, &out->seen, error);
    if (status != SP_OK)
        sp_fail_prefix(error, "%s.file", place);
cleanup:
    return status;
}

/* --- what was guessed -------------------------------------------------------------------------------------------- */

static const char *const formats[] = { "libsvm", "csv", "fann", "idx", "arff" };

static const sp_node *with_text(sp_arena *arena, const sp_node *node, size_t index, const char *text)
{
    const char *key = sp_file_keys[index].key;
    return node && text ? sp_node_with(arena, node, key, sp_node_text(arena, node->path, text)) : node;
}

static const sp_node *with_flag(sp_arena *arena, const sp_node *node, size_t index, bool flag)
{
    sp_node *value = node ? sp_node_number(arena, node->path, flag) : NULL;
    if (!value)
        return NULL;
    value->kind = SP_NODE_FLAG;
    return sp_node_with(arena, node, sp_file_keys[index].key, value);
}

const sp_node *sp_own_file_resolve(sp_arena *arena, const sp_own_file *file, const sp_node *node)
{
    const sp_read_options *o = &file->options;
    const unsigned guessed = file->seen.guessed;
    const char by[] = { o->delimiter, '\0' }, *delimiter = o->delimiter == '\t' ? "tab" : sp_arena_copy(arena, by);
    if (!delimiter)
        return NULL;
    if (guessed & SP_OPEN_FORMAT)
        node = with_text(arena, node, FORMAT, formats[o->format]);
    if (o->format == SP_FORMAT_CSV) {
        node = with_text(arena, node, DELIMITER, delimiter);
        node = with_flag(arena, node, HEADER, o->header);
        node = with_text(arena, node, CATEGORICAL, o->categorical);
        if (guessed & SP_OPEN_COMMENT && o->comment)
            node = with_text(arena, node, COMMENT, sp_arena_copy(arena, (const char[]){ o->comment, '\0' }));
    }
    if (o->format == SP_FORMAT_CSV || o->format == SP_FORMAT_ARFF) {
        node = with_text(arena, node, LABEL, o->label);
        node = with_text(arena, node, OMIT, o->omit);
    }
    if (guessed & SP_OPEN_POSITIVE)
        node = o->regression ? with_flag(arena, node, REGRESSION, true) : with_text(arena, node, POSITIVE, o->positive);
    return node;
}

static void print_quoted(const char *text, size_t length, sp_text *out)
{
    sp_text_append(out, "\"");
    for (size_t i = 0; i < length; i++)
        sp_text_append(out, "%s%c", text[i] == '"' || text[i] == '\\' ? "\\" : "", text[i]);
    sp_text_append(out, "\"");
}

/* "job,3" as { "job", "3" } */
static void print_columns(const char *list, sp_text *out)
{
    sp_arena texts = { 0 };
    sp_scan scan = { .at = list, .end = list + strlen(list), .name = "" };
    sp_word_view name;
    const char *between = "{ ";
    for (bool more = true; more && sp_csv_field(&scan, ',', &texts, &more, &name) == SP_OK; between = ", ") {
        sp_text_append(out, "%s", between);
        print_quoted(name.start, name.length, out);
    }
    sp_text_append(out, " }");
    sp_arena_free(&texts);
}

/* "age:18:90" as { ["age"] = { 18, 90 } }; other words as they are. */
static void print_scale(const char *list, sp_text *out)
{
    sp_arena texts = { 0 };
    sp_scan scan = { .at = list, .end = list + strlen(list), .name = "" };
    sp_word_view item;
    const char *between = "{ ";
    for (bool more = true; more && sp_csv_field(&scan, ',', &texts, &more, &item) == SP_OK; between = ", ") {
        const char *end = item.start + item.length, *high = end, *low;
        while (high > item.start && *--high != ':')
            ;
        for (low = high; low > item.start && *--low != ':';)
            ;
        sp_text_append(out, "%s[", between);
        print_quoted(item.start, (size_t)(low - item.start), out);
        sp_text_append(out, "] = { %.*s, %.*s }", (int)(high - low - 1), low + 1, (int)(end - high - 1), high + 1);
    }
    sp_text_append(out, " }");
    sp_arena_free(&texts);
}

static void print_field(const char *key, const sp_node *value, sp_text *out)
{
    char number[SP_NUMBER_SIZE];
    sp_text_append(out, "%s = ", key);
    if (value->kind == SP_NODE_FLAG)
        sp_text_append(out, "%s", value->number == 1.0 ? "true" : "false");
    else if (value->kind == SP_NODE_NUMBER)
        sp_text_append(out, "%s", sp_number(value->number, number));
    else if (is_one_of(key, of_columns, OF_COLUMNS))
        print_columns(value->text, out);
    else if (strcmp(key, sp_file_keys[SCALE].key) == 0 && strchr(value->text, ':'))
        print_scale(value->text, out);
    else if (strcmp(key, sp_file_keys[DELIMITER].key) == 0 && strcmp(value->text, "tab") == 0)
        sp_text_append(out, "\"\\t\"");
    else
        print_quoted(value->text, strlen(value->text), out);
}

void sp_own_file_print(const sp_node *resolved, const sp_node *given, sp_text *out)
{
    const char *between = "";
    for (size_t i = 0; sp_file_keys[i].key; i++) {
        const char *key = sp_file_keys[i].key;
        const sp_node *value = sp_node_field(resolved, key), *said = given ? sp_node_field(given, key) : NULL;
        const bool longer = i == CATEGORICAL && value && said && strcmp(value->text, said->text) != 0;
        if (!value || value->kind == SP_NODE_TABLE || value->kind == SP_NODE_FUNCTION || (said && !longer))
            continue;
        sp_text_append(out, "%s", between);
        print_field(key, value, out);
        between = ", ";
    }
}

/* Columns of numbers that differ by far: rows divided by their norms hold the largest, and little of the others. */
static void advise_scale(const sp_own_file *file, sp_text *out)
{
    const double far = 10.0; /* the others make up a hundredth of the squared norm */
    const sp_seen_column *small = NULL, *large = NULL;
    double least = 0.0, most = 0.0;
    char low[SP_NUMBER_SIZE], high[SP_NUMBER_SIZE];
    for (size_t i = 0; i < file->seen.columns && !file->scaled; i++) {
        const sp_seen_column *c = &file->seen.column[i];
        const double size = fmax(fabs(c->low), fabs(c->high));
        if (c->kind != SP_COLUMN_NUMBERS || size == 0.0)
            continue;
        if (!small || size < least)
            small = c, least = size;
        if (!large || size > most)
            large = c, most = size;
    }
    if (small && most > far * least)
        sp_text_append(out, "%s: column %s reaches %s, %s no more than %s: without `scale` the largest columns "
                       "outweigh the others\n", file->path, large->name, sp_number(most, high), small->name, sp_number(least, low));
}

void sp_own_file_advise(const sp_own_file *file, sp_text *out)
{
    advise_scale(file, out);
    for (size_t i = 0; i < file->seen.columns; i++) {
        const sp_seen_column *c = &file->seen.column[i];
        if (i == 0 && c->index && !file->indexed)
            sp_text_append(out, "%s: column 1 (%s) looks like an index of the records: index = \"%s\" leaves it out, index = "
                           "\"none\" says that it is a feature\n", file->path, c->name, c->name);
        else if (c->counts && c->kind == SP_COLUMN_NUMBERS && !(i == 0 && file->indexed))
            sp_text_append(out, "%s: column %zu (%s) numbers the records: omit = { \"%s\" } leaves it out\n",
                           file->path, i + 1, c->name, c->name);
    }
}

/* --- shape -------------------------------------------------------------------------------------------------------- */

sp_status sp_shape_read(const sp_values *values, size_t at, const char *place, sp_shape *shape, bool *resample,
                        sp_error *error)
{
    const bool choose = shape->choose, given = sp_given(values, at + SP_SHAPE_RADIUS);
    *shape = (sp_shape){
        .normalise = (sp_normalise)sp_choice(values, at + SP_SHAPE_NORMALISE),
        .radius = given ? sp_real(values, at + SP_SHAPE_RADIUS) : 1.0,
        .intercept = sp_flag(values, at + SP_SHAPE_INTERCEPT),
        .test = sp_real(values, at + SP_SHAPE_TEST),
        .choose = choose,
    };
    *resample = sp_flag(values, at + SP_SHAPE_RESAMPLE);
    const char *bounds;
    const bool statistics = sp_flag(values, at + SP_SHAPE_STATISTICS);
    shape->scale = scale_of(values, at + SP_SHAPE_SCALE, &bounds);
    if (bounds && at == 0)
        return sp_fail(error, SP_EINVAL, "%s.scale = \"%s\": must be \"none\", \"standard\" or \"minmax\" here; bounds "
                       "of columns are for a csv", place, bounds);
    if (shape->scale != SP_SCALE_NONE && !statistics)
        return sp_fail(error, SP_EINVAL, "%s.scale = \"%s\": %s of the columns are statistics of the records, which no "
                       "budget pays for: give bounds that are public, scale = { age = { 18, 90 } }, or say "
                       "public_statistics = true", place, sp_word(values, at + SP_SHAPE_SCALE),
                       shape->scale == SP_SCALE_STANDARD ? "means and deviations" : "least and largest values");
    if (shape->scale == SP_SCALE_NONE && statistics)
        return sp_fail(error, SP_EINVAL, "%s.public_statistics: nothing is scaled by statistics of the records "
                       "(scale = \"standard\" or \"minmax\")", place);
    const bool none = shape->normalise == SP_NORMALISE_NONE;
    if (none != given)
        return sp_fail(error, SP_EINVAL,
                       none ? "%s.radius: missing: normalise = \"none\" needs a public bound on the rows"
                            : "%s.radius: normalise = \"l2\" makes every row's norm 1", place);
    return SP_OK;
}
