/* param.c -- sets, checks and prints parameters by their schema. Every error names the place, the value and what is
 * allowed. */
#include "core/base/param.h"

#include <string.h>

static const double count_max = 9007199254740991.0; /* 2^53 - 1 */

static bool holds_number(sp_kind kind)
{
    return kind == SP_REAL || kind == SP_COUNT;
}

static sp_value initial_value(const sp_param *param)
{
    if (param->kind == SP_TEXT)
        return (sp_value){ .text = NULL };
    return param->kind == SP_METHOD ? (sp_value){ .method = NULL } : (sp_value){ .number = param->initial };
}

static void set_value(sp_values *values, size_t index, sp_value value)
{
    values->value[index] = value;
    values->given |= UINT32_C(1) << index;
}

void sp_values_start(sp_values *values, const sp_param *params)
{
    *values = (sp_values){ .params = params };
    while (params && values->count < SP_PARAM_MAX && params[values->count].key) {
        values->value[values->count] = initial_value(&params[values->count]);
        values->count++;
    }
}

void sp_values_copy(sp_values *values, const sp_values *from)
{
    *values = (sp_values){ .params = from->params, .count = from->count, .given = from->given };
    memcpy(values->value, from->value, from->count * sizeof *from->value);
}

/* The word after `*words`, which moves behind it; NULL at the end. */
static const char *next_word(const char **words, size_t *length)
{
    if (!*words || **words == '\0')
        return NULL;
    const char *word = *words;
    *length = strcspn(word, "|");
    *words = word + *length + (word[*length] == '|');
    return word;
}

static const char *word_at(const char *words, size_t index, size_t *length)
{
    const char *word = next_word(&words, length);
    for (; word && index > 0; index--)
        word = next_word(&words, length);
    return word;
}

static void print_word(const char *words, size_t index, sp_text *out)
{
    size_t length = 0;
    const char *word = word_at(words, index, &length);
    if (word)
        sp_text_append(out, "%.*s", (int)length, word);
}

static void print_words(const char *words, sp_text *out)
{
    size_t length = 0;
    const char *between = "", *word;
    while ((word = next_word(&words, &length))) {
        sp_text_append(out, "%s%.*s", between, (int)length, word);
        between = ", ";
    }
}

static void print_wanted(const sp_param *param, sp_text *out)
{
    switch (param->kind) {
    case SP_REAL:
        sp_text_append(out, "a number");
        break;
    case SP_COUNT:
        sp_text_append(out, "a whole number");
        break;
    case SP_FLAG:
        sp_text_append(out, "true or false");
        break;
    case SP_CHOICE:
        sp_text_append(out, "one of ");
        print_words(param->choices, out);
        break;
    case SP_TEXT:
        sp_text_append(out, "a text");
        break;
    case SP_METHOD:
        sp_text_append(out, "an algorithm");
        break;
    }
}

static sp_range range_of(const sp_param *param)
{
    if (param->kind != SP_COUNT)
        return param->range;
    return (sp_range){ fmax(param->range.low, 0.0), fmin(param->range.high, count_max) };
}

/* "at least 1 and at most 5"; nothing for the whole line. */
static void print_range(sp_range range, sp_text *out)
{
    char number[SP_NUMBER_SIZE];
    const bool below = range.low > -DBL_MAX, above = range.high < DBL_MAX;
    if (below && range.low == DBL_MIN)
        sp_text_append(out, "positive");
    else if (below)
        sp_text_append(out, "at least %s", sp_number(range.low, number));
    if (below && above)
        sp_text_append(out, " and ");
    if (above)
        sp_text_append(out, "at most %s", sp_number(range.high, number));
}

static const char *dot(const char *path)
{
    return path && *path ? "." : "";
}

static const char *stem(const char *path)
{
    return path ? path : "";
}

/* "path.key = value: must be wanted"; consumes `wanted`. */
static sp_status refuse(const char *path, const char *key, const char *value, sp_text *wanted, sp_error *error)
{
    const sp_status status = wanted->failed
        ? sp_fail(error, SP_ENOMEM, "%s%s%s: out of memory", stem(path), dot(path), key)
        : sp_fail(error, SP_EINVAL, "%s%s%s = %s: must be %s", stem(path), dot(path), key, value, wanted->data);
    sp_text_free(wanted);
    return status;
}

static sp_status refuse_kind(const char *path, const sp_param *param, const char *value, sp_error *error)
{
    sp_text wanted = { 0 };
    print_wanted(param, &wanted);
    return refuse(path, param->key, value, &wanted, error);
}

static sp_status refuse_text(const char *path, const sp_param *param, const char *text, sp_error *error)
{
    char quoted[128];
    const size_t length = strlen(text), shown = length <= 100 ? length : 97;
    const char *tail = shown < length ? "..." : "";
    quoted[0] = '"';
    memcpy(quoted + 1, text, shown);
    strcpy(quoted + 1 + shown, tail);
    strcat(quoted, "\"");
    return refuse_kind(path, param, quoted, error);
}

static sp_status refuse_unknown(const sp_values *values, const char *path, const char *key, sp_error *error)
{
    const char *keys[SP_PARAM_MAX] = { NULL };
    for (size_t i = 0; i < values->count; i++)
        keys[i] = values->params[i].key;
    const char *nearest = sp_nearest(key, keys, values->count);
    sp_text hint = { 0 };
    if (nearest)
        sp_text_append(&hint, "did you mean %s?", nearest);
    else if (values->count == 0)
        sp_text_append(&hint, "there are no keys here");
    else
        sp_text_append(&hint, "known keys: ");
    for (size_t i = 0; !nearest && i < values->count; i++)
        sp_text_append(&hint, "%s%s", i > 0 ? ", " : "", keys[i]);
    const sp_status status = hint.failed
        ? sp_fail(error, SP_ENOMEM, "%s%s%s: out of memory", stem(path), dot(path), key)
        : sp_fail(error, SP_EINVAL, "%s%s%s: unknown key; %s", stem(path), dot(path), key, hint.data);
    sp_text_free(&hint);
    return status;
}

static sp_status find(const sp_values *values, const char *path, const char *key, size_t *index, sp_error *error)
{
    for (size_t i = 0; i < values->count; i++)
        if (strcmp(values->params[i].key, key) == 0) {
            *index = i;
            return SP_OK;
        }
    return refuse_unknown(values, path, key, error);
}

sp_status sp_values_set_number(sp_values *values, const char *path, const char *key, double number, sp_error *error)
{
    sp_status status = SP_OK;
    size_t index = 0;
    SP_TRY(find(values, path, key, &index, error));
    const sp_param *param = &values->params[index];
    char shown[SP_NUMBER_SIZE];
    sp_number(number, shown);
    if (!holds_number(param->kind))
        return refuse_kind(path, param, shown, error);
    if (!isfinite(number) || (param->kind == SP_COUNT && number != trunc(number))) {
        sp_text wanted = { 0 };
        sp_text_append(&wanted, param->kind == SP_COUNT ? "a whole number" : "a finite number");
        return refuse(path, key, shown, &wanted, error);
    }
    const sp_range range = range_of(param);
    if (number < range.low || number > range.high) {
        sp_text wanted = { 0 };
        print_range(range, &wanted);
        return refuse(path, key, shown, &wanted, error);
    }
    set_value(values, index, (sp_value){ .number = number + 0.0 }); /* -0 and 0 are one value */
cleanup:
    return status;
}

sp_status sp_values_set_flag(sp_values *values, const char *path, const char *key, bool flag, sp_error *error)
{
    sp_status status = SP_OK;
    size_t index = 0;
    SP_TRY(find(values, path, key, &index, error));
    if (values->params[index].kind != SP_FLAG)
        return refuse_kind(path, &values->params[index], flag ? "true" : "false", error);
    set_value(values, index, (sp_value){ .number = flag ? 1.0 : 0.0 });
cleanup:
    return status;
}

static bool find_word(const char *words, const char *text, double *index)
{
    size_t length = 0;
    const char *word;
    for (*index = 0.0; (word = next_word(&words, &length)); *index += 1.0)
        if (strlen(text) == length && memcmp(word, text, length) == 0)
            return true;
    return false;
}

sp_status sp_values_set_text(sp_values *values, const char *path, const char *key, const char *text, sp_error *error)
{
    sp_status status = SP_OK;
    size_t index = 0;
    double choice = 0.0;
    SP_TRY(find(values, path, key, &index, error));
    const sp_param *param = &values->params[index];
    if (param->kind == SP_TEXT)
        set_value(values, index, (sp_value){ .text = text });
    else if (param->kind == SP_CHOICE && find_word(param->choices, text, &choice))
        set_value(values, index, (sp_value){ .number = choice });
    else
        status = refuse_text(path, param, text, error);
cleanup:
    return status;
}

sp_status sp_values_set_method(sp_values *values, const char *path, const char *key, const struct sp_method *method,
                               sp_error *error)
{
    sp_status status = SP_OK;
    size_t index = 0;
    SP_TRY(find(values, path, key, &index, error));
    if (values->params[index].kind != SP_METHOD)
        return refuse_kind(path, &values->params[index], "an algorithm", error);
    set_value(values, index, (sp_value){ .method = method });
cleanup:
    return status;
}

static bool required(const sp_param *param)
{
    return isinf(param->initial);
}

sp_status sp_values_check(const sp_values *values, const char *path, sp_error *error)
{
    for (size_t i = 0; i < values->count; i++)
        if (required(&values->params[i]) && !sp_given(values, i))
            return sp_fail(error, SP_EINVAL, "%s%s%s: missing (%s)", stem(path), dot(path), values->params[i].key,
                           values->params[i].meaning);
    return SP_OK;
}

bool sp_given(const sp_values *values, size_t index)
{
    return values->given >> index & 1;
}

double sp_real(const sp_values *values, size_t index)
{
    return values->value[index].number;
}

size_t sp_count(const sp_values *values, size_t index)
{
    const double number = values->value[index].number;
    return isfinite(number) ? (size_t)number : 0;
}

bool sp_flag(const sp_values *values, size_t index)
{
    return values->value[index].number == 1.0;
}

size_t sp_choice(const sp_values *values, size_t index)
{
    return sp_count(values, index);
}

bool sp_chosen(const sp_values *values, size_t index, const char *word)
{
    size_t length = 0;
    const char *chosen = values->params[index].kind != SP_CHOICE
                             ? NULL : word_at(values->params[index].choices, sp_choice(values, index), &length);
    return chosen && strlen(word) == length && strncmp(chosen, word, length) == 0;
}

const char *sp_word(const sp_values *values, size_t index)
{
    const sp_param *param = &values->params[index];
    const char *text = param->kind != SP_TEXT    ? NULL
                       : sp_given(values, index) ? values->value[index].text
                                                 : param->choices;
    return text ? text : "";
}

const struct sp_method *sp_submethod(const sp_values *values, size_t index)
{
    return values->params[index].kind == SP_METHOD ? values->value[index].method : NULL;
}

/* Quoted and escaped, so that no text can pass for two values. */
static void print_quoted(const char *text, sp_text *out)
{
    sp_text_append(out, "\"");
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            sp_text_append(out, "\\%c", *c);
        else if ((unsigned char)*c < ' ')
            sp_text_append(out, "\\x%02x", (unsigned)*c);
        else
            sp_text_append(out, "%c", *c);
    }
    sp_text_append(out, "\"");
}

static void print_value(const sp_param *param, const sp_value *value, sp_text *out)
{
    char number[SP_NUMBER_SIZE];
    if (holds_number(param->kind))
        sp_text_append(out, "%s", sp_number(value->number, number));
    else if (param->kind == SP_FLAG)
        sp_text_append(out, "%s", value->number == 1.0 ? "true" : "false");
    else if (param->kind == SP_CHOICE)
        print_word(param->choices, (size_t)value->number, out);
    else
        print_quoted(value->text ? value->text : "", out);
}

void sp_values_print(const sp_values *values, sp_text *out)
{
    const char *between = "";
    for (size_t i = 0; i < values->count; i++) {
        const sp_param *param = &values->params[i];
        if (!sp_given(values, i) || param->kind == SP_METHOD)
            continue;
        sp_text_append(out, "%s%s=", between, param->key);
        print_value(param, &values->value[i], out);
        between = ",";
    }
}

void sp_param_describe(const sp_param *param, sp_text *out)
{
    const sp_value initial = initial_value(param);
    const sp_range range = range_of(param);
    sp_text_append(out, "%s: ", param->key);
    print_wanted(param, out);
    if (holds_number(param->kind) && (range.low > -DBL_MAX || range.high < DBL_MAX)) {
        sp_text_append(out, ", ");
        print_range(range, out);
    }
    if (required(param)) {
        sp_text_append(out, "; required");
    } else if (isnan(param->initial)) {
        sp_text_append(out, "; derived");
    } else if (param->kind != SP_METHOD) {
        sp_text_append(out, "; default ");
        print_value(param, &initial, out);
    }
    sp_text_append(out, "; %s", param->meaning);
}
