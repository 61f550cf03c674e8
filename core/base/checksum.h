/* checksum.h -- a 64-bit checksum of a sequence of values, to detect damage (not malice: hash.h is for that). Every
 * step is a bijection of the sum, so a change within one value, or within 8 bytes of a text, is always detected; any
 * other change goes undetected with probability 2^-64. */
#ifndef SP_BASE_CHECKSUM_H
#define SP_BASE_CHECKSUM_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SP_CHECKSUM_START UINT64_C(0x243f6a8885a308d3)

static inline uint64_t sp_checksum_word(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 32;
}

/* All NaN are one, and so are 0 and -0. */
static inline uint64_t sp_checksum_real(uint64_t sum, double value)
{
    uint64_t word;
    value = isnan(value) ? (double)NAN : value + 0.0;
    memcpy(&word, &value, sizeof word);
    return sp_checksum_word(sum, word);
}

static inline uint64_t sp_checksum_bytes(uint64_t sum, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    uint64_t word = 0;
    sum = sp_checksum_word(sum, count);
    for (; count >= sizeof word; count -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        sum = sp_checksum_word(sum, word);
    }
    word = 0;
    memcpy(&word, at, count);
    return sp_checksum_word(sum, word);
}

static inline uint64_t sp_checksum_text(uint64_t sum, const char *text)
{
    return sp_checksum_bytes(sum, text, strlen(text));
}

#endif
