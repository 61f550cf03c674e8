/* scan.h -- splits a text into lines, words and numbers, with messages that name the place. Included in core/data/
 * only. */
#ifndef SP_DATA_READ_SCAN_H
#define SP_DATA_READ_SCAN_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* A word where it stands in the text. */
typedef struct sp_word_view {
    const char *start;
    size_t length;
} sp_word_view;

typedef struct sp_scan {
    const char *name;     /* of the text, for messages */
    const char *next;     /* start of the next line */
    const char *stop;     /* end of the text */
    size_t line;          /* number of the current line, from 1; 0: none yet */
    size_t further;       /* lines after it that belong to it (sp_scan_extend) */
    const char *at, *end; /* what is left of it */
    char line_end;        /* '\n'; '\r' in a text that has no '\n' */
    char comment;         /* lines that begin with it are passed over; 0: none are */
    bool empty_lines;     /* are passed over, too; otherwise they are refused */
    sp_error *error;      /* where sp_scan_fail writes; may be NULL */
} sp_scan;

static inline bool sp_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* White space after the last line is dropped, and a byte order mark before the first. `comment` and `empty_lines` are
 * set afterwards. */
void sp_scan_start(sp_scan *scan, const char *name, const char *bytes, size_t size, sp_error *error);
/* Step to the next line that is no comment (its end, "\n" or "\r\n", left out; "\r" where the whole text has no "\n");
 * *more = false when there is none. An empty one is refused, and one with another carriage return. */
sp_status sp_scan_line(sp_scan *scan, bool *more);
/* The line after the current one (there is one) becomes a part of it, line end and all. */
void sp_scan_extend(sp_scan *scan);
/* The next word of the line, up to a blank or `stop`; false at the end of the line. */
bool sp_scan_word(sp_scan *scan, char stop, sp_word_view *word);

/* A whole word as a number (see decimal.h). Anything but a finite decimal number is refused as "WHAT 'word'". */
sp_status sp_scan_number(const sp_scan *scan, const char *what, sp_word_view word, double *value);
/* A whole number in [least, most]. */
sp_status sp_scan_count(const sp_scan *scan, const char *what, sp_word_view word, size_t least, size_t most,
                        size_t *value);

bool sp_word_is(sp_word_view word, const char *text);
bool sp_word_same(sp_word_view, sp_word_view);
size_t sp_word_hash(sp_word_view); /* for tables in memory */
/* Quietly: is it a finite decimal number? */
bool sp_word_number(sp_word_view word, double *value);
/* What a word may be that is no finite number, and how it is mended, to follow "is not a finite number"; "" when
 * nothing is known. */
const char *sp_word_remedy(sp_word_view word);
/* "1,5": a number if its only comma were a point. */
bool sp_word_comma(sp_word_view word, double *value);
/* Length to print a word with "%.*s"; long rubbish is cut. */
int sp_word_shown(sp_word_view word);
/* SP_EDATA with "name:line: " before the message. */
sp_status sp_scan_fail(const sp_scan *scan, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
