/* scan.c -- lines and words. */
#include "core/data/scan.h"

#include "core/data/decimal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_MAX = 40 };

void sp_scan_start(sp_scan *scan, const char *name, const char *bytes, size_t size, sp_error *error)
{
    static const char mark[] = { '\xef', '\xbb', '\xbf' }; /* UTF-8 */
    const char *stop = bytes + size;
    if (size >= sizeof mark && memcmp(bytes, mark, sizeof mark) == 0)
        bytes += sizeof mark;
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
    scan->line += 1 + scan->further;
    scan->further = 0;
    const char *first = scan->at;
    const char *cr = first < scan->end ? memchr(first, '\r', (size_t)(scan->end - first)) : NULL;
    if (cr)
        return sp_scan_fail(scan, "a stray carriage return (CR) after %zu characters: lines end in LF or CR LF",
                            (size_t)(cr - scan->at));
    while (first < scan->end && sp_is_blank(*first))
        first++;
    return first < scan->end ? SP_OK : sp_scan_fail(scan, "an empty line");
}

void sp_scan_extend(sp_scan *scan)
{
    const char *end = memchr(scan->next, '\n', (size_t)(scan->stop - scan->next));
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

bool sp_word_number(sp_word_view word, double *value)
{
    const char *end = word.start + word.length;
    return sp_decimal_read(word.start, end, value) == end;
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
