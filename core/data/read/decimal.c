/* decimal.c -- parses any decimal number, also with an exponent; numbers too long to be exact are left to strtod. */
#include "core/data/read/decimal.h"

#include "core/base/text.h"

#include <math.h>

enum { LENGTH_MAX = 255, EXACT_DIGITS = 19 /* below 2^64 */, EXACT_POWER = 22 };

/* [start, end) is a number already; is it a finite one? */
static bool long_way(const char *start, const char *end, double *value)
{
    char text[LENGTH_MAX + 1];
    const size_t length = (size_t)(end - start);
    if (length > LENGTH_MAX)
        return false;
    memcpy(text, start, length);
    text[length] = '\0';
    return sp_read_number(text, value) && isfinite(*value);
}

const double sp_power_of_ten[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

/* The digits from `at` on, onto *number (which wraps beyond 19); where they end. */
static const char *digits(const char *at, const char *end, uint64_t *number)
{
    for (; at < end && sp_is_digit(*at); at++)
        *number = 10 * *number + (uint64_t)(*at - '0');
    return at;
}

/* *exponent += what is written behind the 'e' at `at`; where it ends, NULL when nothing is written there. */
static const char *add_exponent(const char *at, const char *end, ptrdiff_t *exponent)
{
    const bool down = ++at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    uint64_t size = 0;
    const char *first = at;
    at = digits(at, end, &size);
    if (at - first > 3)
        *exponent = PTRDIFF_MAX;
    else
        *exponent += down ? -(ptrdiff_t)size : (ptrdiff_t)size;
    return at > first ? at : NULL;
}

const char *sp_decimal_general(const char *start, const char *end, double *value)
{
    const bool minus = start < end && *start == '-';
    const char *first = start + (start < end && (*start == '-' || *start == '+'));
    uint64_t mantissa = 0;
    const char *at = digits(first, end, &mantissa);
    ptrdiff_t count = at - first, exponent = 0;
    if (at < end && *at == '.') {
        const char *point = at + 1;
        at = digits(point, end, &mantissa);
        exponent = point - at;
        count += at - point;
    }
    if (count == 0)
        return NULL;
    if (at < end && (*at == 'e' || *at == 'E') && !(at = add_exponent(at, end, &exponent)))
        return NULL;
    if (count > EXACT_DIGITS || mantissa > (uint64_t)1 << 53 || exponent < -EXACT_POWER || exponent > EXACT_POWER)
        return long_way(start, at, value) ? at : NULL;
    const double size = exponent < 0 ? (double)mantissa / sp_power_of_ten[-exponent]
                                     : (double)mantissa * sp_power_of_ten[exponent];
    *value = minus ? -size : size;
    return at;
}
