/* grid.c -- parses a grid of parameter settings (grid.h), checks it against a schema, and sets one of its points. */
#include "core/base/grid.h"

#include <string.h>

enum { WORD = 64 }; /* longest key and value */

/* A key with its values, in the text. */
typedef struct axis {
    const char *key, *value; /* "steps", "5,10,20" */
    size_t key_length, length;
    size_t count;            /* of values */
} axis;

static size_t blanks(const char *text)
{
    return strspn(text, " \t");
}

/* The next axis of *rest, which moves behind it; false at the end. Without a "=": value is NULL. */
static bool next_axis(const char **rest, axis *out)
{
    const char *text = *rest + blanks(*rest);
    const size_t length = strcspn(text, " \t"), key = strcspn(text, "= \t");
    *out = (axis){ .key = text, .key_length = key, .count = 1 };
    *rest = text + length;
    if (key < length) {
        out->value = text + key + 1;
        out->length = length - key - 1;
        for (size_t i = 0; i < out->length; i++)
            out->count += out->value[i] == ',';
    }
    return length > 0;
}

static bool copy_word(const char *from, size_t length, char word[WORD])
{
    if (length >= WORD)
        return false;
    memcpy(word, from, length);
    word[length] = '\0';
    return true;
}

/* The index-th value of an axis. */
static bool value_of(const axis *a, size_t index, char word[WORD])
{
    const char *at = a->value, *end = a->value + a->length;
    for (; index > 0; index--)
        at = (const char *)memchr(at, ',', (size_t)(end - at)) + 1;
    const char *comma = memchr(at, ',', (size_t)(end - at));
    return copy_word(at, (size_t)((comma ? comma : end) - at), word);
}

static const sp_param *find(const sp_values *values, const char *key, size_t *index)
{
    for (*index = 0; *index < values->count; ++*index)
        if (strcmp(values->params[*index].key, key) == 0)
            return &values->params[*index];
    return NULL;
}

static sp_status set(sp_values *values, const char *path, const char *key, const char *word, sp_error *error)
{
    size_t index;
    double number;
    const sp_param *param = find(values, key, &index);
    if (param && (param->kind == SP_TEXT || param->kind == SP_METHOD))
        return sp_fail(error, SP_EINVAL, "%s: %s is no number, flag or word, of which a grid has several", path, key);
    if (sp_read_number(word, &number))
        return sp_values_set_number(values, path, key, number, error);
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        return sp_values_set_flag(values, path, key, *word == 't', error);
    return sp_values_set_text(values, path, key, word, error);
}

static sp_status check_axis(sp_values *values, const char *path, const axis *a, sp_error *error)
{
    sp_status status = SP_OK;
    char key[WORD], word[WORD], earlier[WORD];
    size_t index;
    if (!a->value || a->key_length == 0 || !copy_word(a->key, a->key_length, key))
        return sp_fail(error, SP_EINVAL, "%s: \"%.*s\" is not KEY=VALUE,VALUE,...", path, (int)a->key_length, a->key);
    if (find(values, key, &index) && sp_given(values, index))
        return sp_fail(error, SP_EINVAL, "%s: %s is given already, or twice", path, key);
    for (size_t i = 0; i < a->count; i++) {
        if (!value_of(a, i, word))
            return sp_fail(error, SP_EINVAL, "%s: a value of %s has more than %d letters", path, key, WORD - 1);
        SP_TRY(set(values, path, key, word, error));
        for (size_t k = 0; k < i; k++)
            if (value_of(a, k, earlier) && strcmp(earlier, word) == 0)
                return sp_fail(error, SP_EINVAL, "%s: %s = %s twice", path, key, word);
    }
cleanup:
    return status;
}

sp_status sp_grid_check(const sp_values *values, const char *path, const char *grid, size_t *points, sp_error *error)
{
    sp_status status = SP_OK;
    sp_values scratch;
    size_t product = 1;
    axis a;
    sp_values_copy(&scratch, values);
    while (next_axis(&grid, &a)) {
        SP_TRY(check_axis(&scratch, path, &a, error));
        if (a.count > SP_GRID_POINTS / product)
            return sp_fail(error, SP_EINVAL, "%s: more than %d points", path, (int)SP_GRID_POINTS);
        product *= a.count;
    }
    if (points)
        *points = product;
cleanup:
    return status;
}

sp_status sp_grid_set(sp_values *values, const char *path, const char *grid, size_t point, sp_error *error)
{
    sp_status status = SP_OK;
    size_t behind = 1;
    axis a;
    for (const char *rest = grid; next_axis(&rest, &a);)
        behind *= a.count;
    for (const char *rest = grid; next_axis(&rest, &a);) {
        char key[WORD], word[WORD];
        behind /= a.count;
        if (copy_word(a.key, a.key_length, key) && value_of(&a, point / behind % a.count, word))
            SP_TRY(set(values, path, key, word, error));
    }
cleanup:
    return status;
}
