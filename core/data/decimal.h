/* decimal.h -- decimal numbers in a text as the nearest doubles, independent of the locale. For core/data/ alone.
 *
 * A decimal m 10^k with m < 2^53 and |k| <= 22 is one rounded product or quotient of two exact doubles, hence the
 * nearest double (Clinger 1990). Inline is what most numbers need: at most 15 digits and no exponent. */
#ifndef SP_DATA_DECIMAL_H
#define SP_DATA_DECIMAL_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct sp_decimal {
    bool minus;        /* the number is negative */
    ptrdiff_t digits;  /* all of them */
    ptrdiff_t places;  /* those behind the point */
    uint64_t mantissa; /* the digits as one number; wraps beyond 19 */
} sp_decimal;

extern const double sp_power_of_ten[]; /* 1e0 to 1e22 */

/* The rest of sp_decimal_read, of `start` as far as `at`: no digits, too many, an exponent. */
const char *sp_decimal_rest(const char *start, const char *at, const char *end, sp_decimal, double *value);

static inline bool sp_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The digits from `at` on, onto *number; where they end. */
static inline const char *sp_digits(const char *at, const char *end, uint64_t *number)
{
    uint64_t sum = *number;
    for (unsigned digit; at < end && (digit = (unsigned)(*at - '0')) <= 9; at++)
        sum = 10 * sum + digit;
    *number = sum;
    return at;
}

/* The same, the first eight at once, so that no branch has to guess how many they are. Eight bytes are a number to the
 * base 256, the first digit its lowest; the digits move up until the last is the highest, then neighbours join, by
 * twos. */
static inline const char *sp_many_digits(const char *at, const char *end, uint64_t *number)
{
    static const uint64_t power[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 };
    const uint64_t each = 0x0101010101010101;
    uint64_t bytes;
    if (end - at < 8 || !sp_is_digit(*at))
        return sp_digits(at, end, number);
    memcpy(&bytes, at, sizeof bytes);
    bytes = le64toh(bytes);
    /* the high bit of each byte above '9' or below '0'; carries spoil only what comes after the first of them */
    const uint64_t other = ((bytes + 0x46 * each) | (bytes - '0' * each)) & 0x80 * each;
    const unsigned bits = other ? (unsigned)__builtin_ctzll(other) & ~7U : 64;
    bytes = (bytes - '0' * each) << (64 - bits);
    bytes = (bytes * 10 + (bytes >> 8)) & 0x00ff00ff00ff00ff;
    bytes = (bytes * 100 + (bytes >> 16)) & 0x0000ffff0000ffff;
    bytes = (bytes * 10000 + (bytes >> 32)) & 0xffffffff;
    *number = *number * power[bits / 8] + bytes;
    at += bits / 8;
    return bits == 64 ? sp_digits(at, end, number) : at;
}

/* The decimal number that begins at `start`; returns where it ends, NULL when there is none or it is not finite. */
static inline const char *sp_decimal_read(const char *start, const char *end, double *value)
{
    enum { PLAIN = 15 }; /* below 2^53 */
    sp_decimal n = { .minus = start < end && *start == '-' };
    const char *first = start + (start < end && (*start == '-' || *start == '+'));
    const char *at = sp_digits(first, end, &n.mantissa);
    n.digits = at - first;
    if (at < end && *at == '.') {
        const char *point = at + 1;
        at = sp_many_digits(point, end, &n.mantissa);
        n.places = at - point;
        n.digits += n.places;
    }
    if (n.digits == 0 || n.digits > PLAIN || (at < end && (*at == 'e' || *at == 'E')))
        return sp_decimal_rest(start, at, end, n, value);
    const double size = (double)(int64_t)n.mantissa / sp_power_of_ten[n.places];
    *value = n.minus ? -size : size;
    return at;
}

#endif
