/* scan.c -- splits a text into lines and words (scan.h). */
#include "core/data/read/scan.h"

#include "core/data/read/decimal.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { SHOWN_MAX = 40 };

void sp_scan_start(sp_scan *scan, const char *name, const char *bytes, size_t size, sp_error *error)
{
    static const char mark[] = { '\xef', '\xbb', '\xbf' }; /* UTF-8 */
    const char *stop = bytes + size;
    if (size >= sizeof mark && memcmp(bytes, mark, sizeof mark) == 0)
        bytes += sizeof mark;
    while (stop > bytes && (sp_is_blank(stop[-1]) || stop[-1] == '\n' || stop[-1] == '\r'))
        stop--;
    const size_t length = (size_t)(stop - bytes);
    const bool by_cr = length > 0 && !memchr(bytes, '\n', length) && memchr(bytes, '\r', length);
    *scan = (sp_scan){ .name = name, .next = bytes, .stop = stop, .at = bytes, .end = bytes,
                       .line_end = by_cr ? '\r' : '\n', .error = error };
}

/* The next line, whatever it holds; returns its first character that is no blank. */
static const char *take_line(sp_scan *scan)
{
    const char *end = memchr(scan->next, scan->line_end, (size_t)(scan->stop - scan->next));
    scan->at = scan->next;
    scan->end = end ? end : scan->stop;
    scan->next = scan->end + 1;
    if (scan->end > scan->at && scan->end[-1] == '\r')
        scan->end--;
    scan->line += 1 + scan->further;
    scan->further = 0;
    const char *first = scan->at;
    while (first < scan->end && sp_is_blank(*first))
        first++;
    return first;
}

sp_status sp_scan_line(sp_scan *scan, bool *more)
{
    while ((*more = scan->next < scan->stop)) {
        const char *first = take_line(scan);
        if (first == scan->end ? scan->empty_lines : scan->comment && *first == scan->comment)
            continue;
        const char *cr = first < scan->end ? memchr(first, '\r', (size_t)(scan->end - first)) : NULL;
        if (cr)
            return sp_scan_fail(scan, "a stray carriage return (CR) after %zu characters: lines end in LF or CR LF",
                                (size_t)(cr - scan->at));
        return first < scan->end ? SP_OK : sp_scan_fail(scan, "an empty line");
    }
    return SP_OK;
}

void sp_scan_extend(sp_scan *scan)
{
    const char *end = memchr(scan->next, scan->line_end, (size_t)(scan->stop - scan->next));
    scan->end = end ? end : scan->stop;
    scan->next = scan->end + 1;
    if (scan->end[-1] == '\r')
        scan->end--;
    scan->further++;
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

bool sp_word_same(sp_word_view a, sp_word_view b)
{
    return a.length == b.length && memcmp(a.start, b.start, a.length) == 0;
}

size_t sp_word_hash(sp_word_view word)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < word.length; i++)
        hash = (hash ^ (unsigned char)word.start[i]) * 1099511628211u;
    return (size_t)(hash ^ hash >> 32);
}

bool sp_word_number(sp_word_view word, double *value)
{
    const char *end = word.start + word.length;
    return sp_decimal_read(word.start, end, value) == end;
}

bool sp_word_comma(sp_word_view word, double *value)
{
    enum { LENGTH_MAX = 64 };
    char text[LENGTH_MAX], *comma;
    if (word.length >= sizeof text || !memchr(word.start, ',', word.length) || memchr(word.start, '.', word.length))
        return false;
    memcpy(text, word.start, word.length);
    comma = memchr(text, ',', word.length);
    *comma = '.';
    return sp_word_number((sp_word_view){ text, word.length }, value);
}

const char *sp_word_remedy(sp_word_view word)
{
    double value;
    const size_t sign = word.length > 0 && (*word.start == '-' || *word.start == '+');
    const char *start = word.start + sign;
    const size_t length = word.length - sign;
    if (sp_word_comma(word, &value))
        return " (a decimal comma: write a point)";
    if (length > 2 && start[0] == '0' && (start[1] | 0x20) == 'x')
        return " (hexadecimal: write it as a decimal number)";
    if (length >= 3 && (strncasecmp(start, "nan", 3) == 0 || strncasecmp(start, "inf", 3) == 0))
        return " (correct it, or leave it out where the value is not known)";
    return "";
}

sp_status sp_scan_number(const sp_scan *scan, const char *what, sp_word_view word, double *value)
{
    if (word.length > 0 && sp_word_number(word, value))
        return SP_OK;
    return sp_scan_fail(scan, "%s '%.*s' is not a finite number%s", what, sp_word_shown(word), word.start,
                        sp_word_remedy(word));
}

sp_status sp_scan_count(const sp_scan *scan, const char *what, sp_word_view word, size_t least, size_t most,
                        size_t *value)
{
    size_t number = 0;
    bool whole = word.length > 0;
    for (size_t i = 0; i < word.length && whole; i++) {
        whole = sp_is_digit(word.start[i]);
        if (number <= most)
            number = 10 * number + (size_t)(word.start[i] - '0');
    }
    if (!whole || number < least || number > most)
        return sp_scan_fail(scan, "%s '%.*s' is not a whole number from %zu to %zu", what, sp_word_shown(word),
                            word.start, least, most);
    *value = number;
    return SP_OK;
}
