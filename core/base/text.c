/* text.c -- growing strings, numbers that read back exactly, edit distance. */
#include "core/base/text.h"

#include <ctype.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(sp_text *text, size_t size)
{
    if (size <= text->capacity)
        return true;
    const size_t capacity = size < 64 ? 64 : 2 * size;
    char *data = realloc(text->data, capacity);
    if (!data)
        return false;
    text->data = data;
    text->capacity = capacity;
    return true;
}

void sp_text_append(sp_text *text, const char *format, ...)
{
    if (text->failed)
        return;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(text, text->length + (size_t)length + 1)) {
        text->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

void sp_text_add(sp_text *text, const char *bytes, size_t length)
{
    text->failed = text->failed || !reserve(text, text->length + length + 1);
    if (text->failed)
        return;
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void sp_text_free(sp_text *text)
{
    free(text->data);
    *text = (sp_text){ 0 };
}

char *sp_number(double value, char out[SP_NUMBER_SIZE])
{
    if (isnan(value))
        return strcpy(out, "nan");
    if (isinf(value))
        return strcpy(out, value > 0.0 ? "inf" : "-inf");
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    if (fabs(value) < 1e15 && value == trunc(value)) {
        snprintf(out, SP_NUMBER_SIZE, "%.0f", value);
    } else { /* 15 digits always survive the way from decimal to double and back, save among the subnormals */
        int digits = fabs(value) < DBL_MIN ? 1 : 15;
        do
            snprintf(out, SP_NUMBER_SIZE, "%.*g", digits, value);
        while (digits++ < 17 && strtod(out, NULL) != value);
    }
    uselocale(before);
    freelocale(plain);
    return out;
}

bool sp_read_number(const char *text, double *value)
{
    if (*text == '\0' || isspace((unsigned char)*text))
        return false;
    char *end = NULL;
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const double number = strtod_l(text, &end, plain);
    freelocale(plain);
    if (end == text || *end != '\0')
        return false;
    *value = number;
    return true;
}

enum { NAME_MAX_LENGTH = 63 };

/* Edits that turn a into b: insert, delete, replace, swap neighbours (optimal string alignment); case is free. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][NAME_MAX_LENGTH + 1], *before = rows[0], *above = rows[1], *row = rows[2];
    const size_t na = strlen(a), nb = strlen(b);
    for (size_t j = 0; j <= nb; j++)
        above[j] = j;
    for (size_t i = 1; i <= na; i++) {
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            const bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            size_t least = above[j - 1] + (same ? 0 : 1);
            if (above[j] + 1 < least)
                least = above[j] + 1;
            if (row[j - 1] + 1 < least)
                least = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < least)
                least = before[j - 2] + 1;
            row[j] = least;
        }
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[nb];
}

const char *sp_nearest(const char *name, const char *const *candidates, size_t count)
{
    const size_t length = strlen(name);
    if (length < 2 || length > NAME_MAX_LENGTH) /* one letter is an edit away from every other letter */
        return NULL;
    const char *nearest = NULL;
    size_t least = (length < 6 ? 1 : length / 3) + 1;
    for (size_t i = 0; i < count; i++) {
        if (strlen(candidates[i]) > NAME_MAX_LENGTH)
            continue;
        const size_t edits = distance(name, candidates[i]);
        if (edits < least) {
            least = edits;
            nearest = candidates[i];
        }
    }
    return nearest;
}
