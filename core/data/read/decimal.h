/* decimal.h -- parses decimal numbers in a text to the nearest doubles, independent of the locale. Included in
 * core/data/ only.
 *
 * A decimal m 10^k with m < 2^53 and |k| <= 22 is one rounded product or quotient of two exact doubles, hence the
 * nearest double (Clinger 1990). The most frequent numbers of data sets are parsed inline: one digit, or one digit, a
 * point, and at most eight more digits. */
#ifndef SP_DATA_READ_DECIMAL_H
#define SP_DATA_READ_DECIMAL_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern const double sp_power_of_ten[]; /* 1e0 to 1e22 */

/* sp_decimal_read for any number. */
const char *sp_decimal_general(const char *start, const char *end, double *value);

static inline bool sp_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The decimal number that begins at `start`, of which no byte from `end` on is read; returns where it ends, NULL when
 * there is none or it is not finite.
 *
 * The eight bytes behind a point are taken at once, so that no branch has to guess how many of them are digits. They
 * are a number to the base 256, the first digit its lowest; the digits move up until the last is the highest, then
 * neighbours join, by twos. */
static inline const char *sp_decimal_read(const char *start, const char *end, double *value)
{
    enum { ROOM = 12 }; /* a sign, a digit, a point, eight more, what ends the number */
    static const uint64_t power[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 };
    const uint64_t each = 0x0101010101010101;
    if (end - start < ROOM)
        return sp_decimal_general(start, end, value);
    const bool minus = *start == '-';
    const char *at = start;
    if (__builtin_expect(minus, false)) /* a branch: where the digits begin is then known before the byte is */
        at++;
    uint64_t number = (unsigned char)*at++ - (uint64_t)'0', bytes;
    unsigned places = 0;
    if (number > 9)
        return sp_decimal_general(start, end, value);
    if (*at == '.') {
        memcpy(&bytes, ++at, sizeof bytes);
        bytes = le64toh(bytes);
        /* the high bit of each byte above '9' or below '0'; carries spoil only what comes after the first of them */
        const uint64_t other = ((bytes + 0x46 * each) | (bytes - '0' * each)) & 0x80 * each;
        const unsigned bits = other ? (unsigned)__builtin_ctzll(other) & ~7U : 64;
        if (bits == 0)
            return sp_decimal_general(start, end, value);
        places = bits / 8;
        bytes = (bytes - '0' * each) << (64 - bits);
        bytes = (bytes * 10 + (bytes >> 8)) & 0x00ff00ff00ff00ff;
        bytes = (bytes * 100 + (bytes >> 16)) & 0x0000ffff0000ffff;
        bytes = (bytes * 10000 + (bytes >> 32)) & 0xffffffff;
        number = number * power[places] + bytes;
        at += places;
    }
    if (sp_is_digit(*at) || (*at | 0x20) == 'e')
        return sp_decimal_general(start, end, value);
    const double size = (double)(int64_t)number / sp_power_of_ten[places];
    *value = minus ? -size : size;
    return at;
}

#endif
