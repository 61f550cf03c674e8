/* scan.c -- lines, words and exact numbers.
 *
 * A decimal m 10^k with m < 2^53 and |k| <= 22 is one rounded product or quotient of two exact doubles, hence the
 * nearest double (Clinger 1990); any other goes the long way through strtod.
 */
#include "core/data/scan.h"

#include "core/base/text.h"

#include <gsl/gsl_math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 255, SHOWN_MAX = 40, EXACT_DIGITS = 19 /* below 2^64 */ };

void sp_scan_start(sp_scan *scan, const char *name, const char *bytes, size_t size, sp_error *error)
{
    const char *stop = bytes + size;
    while (stop > bytes && (sp_is_blank(stop[-1]) || stop[-1] == '\n' || stop[-1] == '\r'))
        stop--;
    *scan = (sp_scan){ .name = name, .next = bytes, .stop = stop, .at = bytes, .end = bytes, .error = error };
}

sp_status sp_scan_line(sp_scan *scan, bool *more)
{
    *more = scan->next < scan->stop;
    if (!*more)
        return SP_OK;
    const char *end = memchr(scan->next, '\n', (size_t)(scan->stop - scan->next));
    scan->at = scan->next;
    scan->end = end ? end : scan->stop;
    scan->next = scan->end + 1;
    if (scan->end > scan->at && scan->end[-1] == '\r')
        scan->end--;
    scan->line++;
    const char *first = scan->at;
    while (first < scan->end && sp_is_blank(*first))
        first++;
    return first < scan->end ? SP_OK : sp_scan_fail(scan, "an empty line");
}

bool sp_scan_word(sp_scan *scan, char stop, sp_word_view *word)
{
    while (scan->at < scan->end && sp_is_blank(*scan->at))
        scan->at++;
    word->start = scan->at;
    while (scan->at < scan->end && !sp_is_blank(*scan->at) && *scan->at != stop)
        scan->at++;
    word->length = (size_t)(scan->at - word->start);
    return scan->at > word->start || scan->at < scan->end;
}

sp_status sp_scan_fail(const sp_scan *scan, const char *format, ...)
{
    sp_error message;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message.text, sizeof message.text / 2, format, arguments);
    va_end(arguments);
    if (scan->line == 0)
        return sp_fail(scan->error, SP_EDATA, "%s: %s", scan->name, message.text);
    return sp_fail(scan->error, SP_EDATA, "%s:%zu: %s", scan->name, scan->line, message.text);
}

int sp_word_shown(sp_word_view word)
{
    return word.length < SHOWN_MAX ? (int)word.length : SHOWN_MAX;
}

bool sp_word_is(sp_word_view word, const char *text)
{
    return strlen(text) == word.length && memcmp(text, word.start, word.length) == 0;
}

/* [start, end) is a number already; is it a finite one? */
static bool long_way(const char *start, const char *end, double *value)
{
    char text[WORD_MAX + 1];
    const size_t length = (size_t)(end - start);
    if (length > WORD_MAX)
        return false;
    memcpy(text, start, length);
    text[length] = '\0';
    return sp_read_number(text, value) && gsl_finite(*value);
}

static const char *digits(const char *at, const char *end, uint64_t *number)
{
    for (; at < end && sp_is_digit(*at); at++)
        *number = 10 * *number + (uint64_t)(*at - '0'); /* may wrap: whoever asks counts the digits */
    return at;
}

bool sp_scan_decimal(const char **start, const char *end, double *value)
{
    static const double power[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    const char *at = *start;
    const bool minus = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');

    uint64_t mantissa = 0;
    const char *first = at;
    at = digits(at, end, &mantissa);
    ptrdiff_t count = at - first, scale = 0;
    if (at < end && *at == '.') {
        const char *point = ++at;
        at = digits(at, end, &mantissa);
        scale = at - point;
        count += scale;
    }
    if (count == 0)
        return false;

    ptrdiff_t exponent = -scale;
    if (at < end && (*at == 'e' || *at == 'E')) {
        const bool down = ++at < end && *at == '-';
        at += at < end && (*at == '-' || *at == '+');
        uint64_t size = 0;
        const char *mark = at;
        at = digits(at, end, &size);
        if (at == mark)
            return false;
        if (at - mark > 3)
            exponent = PTRDIFF_MAX;
        else
            exponent += down ? -(ptrdiff_t)size : (ptrdiff_t)size;
    }

    const char *from = *start;
    *start = at;
    if (count > EXACT_DIGITS || mantissa > (uint64_t)1 << 53 || exponent < -22 || exponent > 22) {
        if (long_way(from, at, value))
            return true;
        *start = from;
        return false;
    }
    const double size = exponent < 0 ? (double)mantissa / power[-exponent] : (double)mantissa * power[exponent];
    *value = minus ? -size : size;
    return true;
}

bool sp_word_number(sp_word_view word, double *value)
{
    const char *at = word.start, *end = at + word.length;
    return sp_scan_decimal(&at, end, value) && at == end;
}

sp_status sp_scan_number(const sp_scan *scan, const char *what, sp_word_view word, double *value)
{
    if (word.length > 0 && sp_word_number(word, value))
        return SP_OK;
    return sp_scan_fail(scan, "%s '%.*s' is not a finite number", what, sp_word_shown(word), word.start);
}

sp_status sp_scan_count(const sp_scan *scan, const char *what, sp_word_view word, size_t most, size_t *value)
{
    size_t number = 0;
    bool whole = word.length > 0;
    for (size_t i = 0; i < word.length && whole; i++) {
        whole = sp_is_digit(word.start[i]);
        if (number <= most)
            number = 10 * number + (size_t)(word.start[i] - '0');
    }
    if (!whole || number < 1 || number > most)
        return sp_scan_fail(scan, "%s '%.*s' is not a whole number from 1 to %zu", what, sp_word_shown(word),
                            word.start, most);
    *value = number;
    return SP_OK;
}
