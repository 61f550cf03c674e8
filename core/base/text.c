/* text.c -- growing strings, numbers printed such that they read back exactly, and the edit distance of names. */
#include "core/base/text.h"

#include "core/base/memory.h"

#include <ctype.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
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
    va_list arguments, again;
    const size_t spare = text->capacity - text->length;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(spare > 0 ? text->data + text->length : NULL, spare, format, arguments);
    va_end(arguments);
    text->failed = length < 0 || !reserve(text, text->length + (size_t)length + 1);
    if (!text->failed && (size_t)length >= spare)
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
    va_end(again);
    if (!text->failed)
        text->length += (size_t)length;
    else if (spare > 0)
        text->data[text->length] = '\0';
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

void sp_text_add_text(sp_text *text, const char *added)
{
    sp_text_add(text, added, strlen(added));
}

/* Decimal digits; `end` is behind the last one. Returns the first. */
static char *write_digits(uint64_t value, char *end)
{
    do
        *--end = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    return end;
}

void sp_text_add_count(sp_text *text, size_t count)
{
    char digits[20], *end = digits + sizeof digits, *first = write_digits(count, end);
    sp_text_add(text, first, (size_t)(end - first));
}

void sp_text_free(sp_text *text)
{
    free(text->data);
    *text = (sp_text){ 0 };
}

void sp_need_text(const sp_text *text)
{
    sp_need(text->failed ? NULL : (void *)text);
}

/* --- numbers ------------------------------------------------------------------------------------------------ */

enum { DIGITS_LEAST = 15, DIGITS_MOST = 17, POWER_MOST = 22, BITS = 53 }; /* 2^BITS 10^POWER_MOST < 2^127 */

static const uint64_t ten_to_the[] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000,
    10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000
};

/* A positive number m 2^-k is D 10^-p to so many digits, 10^(digits-1) <= D < 10^digits: what printf writes. Sets D and
 * p, which comes in right or one too large; false when the integers m 10^p and D 2^k, which are compared exactly, could
 * overflow. *same: does D 10^-p read back as the number, being nearer to it than half the way to the next double? */
static bool round_to(uint64_t m, int k, int digits, uint64_t *D, int *p, bool *same)
{
    const uint64_t limit = ten_to_the[digits];
    for (;; --*p) { /* also where D is rounded up to 10^digits */
        if (*p < 0 || *p > POWER_MOST)
            return false;
        const unsigned __int128 power = (unsigned __int128)ten_to_the[*p / 2] * ten_to_the[*p - *p / 2];
        const unsigned __int128 exact = m * power, one = (unsigned __int128)1 << k, half = one >> 1;
        const unsigned __int128 rest = exact & (one - 1);
        *D = (uint64_t)(exact >> k);
        const bool up = rest > half || (rest == half && *D % 2 == 1);
        *D += up;
        const unsigned __int128 error = up ? one - rest : rest;
        *same = 2 * error < power;
        if (*D < limit)
            return true;
    }
}

/* The number as %.*g writes it, to as few digits (15 or more) as read back. False for one that it leaves to printf:
 * below 1e-6 or so, 1e15 or more, and a power of two, whose neighbour below is nearer. It must not be whole. */
static bool write_shortest(double value, char out[SP_NUMBER_SIZE])
{
    int exponent, p = 0;
    uint64_t D = 0;
    bool same = false;
    const double size = fabs(value);
    if (!(size > 1e-8 && size < 1e15))
        return false;
    const uint64_t m = (uint64_t)ldexp(frexp(size, &exponent), BITS);
    const int k = BITS - exponent;
    if (m == UINT64_C(1) << (BITS - 1) || k <= 0)
        return false;
    const int least = (int)floor(0.30103 * (exponent - 1)); /* 10^least <= value */
    for (int digits = DIGITS_LEAST; !same; digits++) {
        p = digits - 1 - least;
        if (digits > DIGITS_MOST || !round_to(m, k, digits, &D, &p, &same))
            return false;
    }
    for (; D % 10 == 0; p--)
        D /= 10;
    char digit[20], *end = digit + sizeof digit, *first = write_digits(D, end);
    const int count = (int)(end - first), scale = count - 1 - p; /* the first digit stands for 10^scale */
    char *to = out;
    if (value < 0.0)
        *to++ = '-';
    if (scale < -4) {
        *to++ = *first++;
        if (first < end)
            *to++ = '.';
        to = mempcpy(to, first, (size_t)(end - first));
        to = mempcpy(to, "e-0", 3);
        *to++ = (char)('0' - scale);
    } else if (scale < 0) {
        to = mempcpy(to, "0.000", (size_t)(1 - scale));
        to = mempcpy(to, first, (size_t)count);
    } else {
        to = mempcpy(to, first, (size_t)scale + 1);
        *to++ = '.';
        to = mempcpy(to, first + scale + 1, (size_t)(count - scale - 1));
    }
    *to = '\0';
    return true;
}

char *sp_number(double value, char out[SP_NUMBER_SIZE])
{
    if (isnan(value))
        return strcpy(out, "nan");
    if (isinf(value))
        return strcpy(out, value > 0.0 ? "inf" : "-inf");
    if (fabs(value) < 1e15 && value == trunc(value)) {
        char digit[20], *end = digit + sizeof digit, *first = write_digits((uint64_t)fabs(value), end);
        if (signbit(value))
            *--first = '-';
        *(char *)mempcpy(out, first, (size_t)(end - first)) = '\0';
        return out;
    }
    if (write_shortest(value, out))
        return out;
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    /* 15 digits always survive the way from decimal to double and back, save among the subnormals */
    int digits = fabs(value) < DBL_MIN ? 1 : DIGITS_LEAST;
    do
        snprintf(out, SP_NUMBER_SIZE, "%.*g", digits, value);
    while (digits++ < DIGITS_MOST && strtod(out, NULL) != value);
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
