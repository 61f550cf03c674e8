/* text.h -- growing strings, exact formats of numbers, and the nearest of several names ("did you mean ...?"). */
#ifndef SP_BASE_TEXT_H
#define SP_BASE_TEXT_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* A growing string. Start from { 0 }; once an append failed, `failed` stays set and later appends do nothing, so
 * that a caller checks once at the end. */
typedef struct sp_text {
    char *data; /* NUL-terminated, or NULL while empty */
    size_t length, capacity;
    bool failed;
} sp_text;

void sp_text_append(sp_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same without a format, for what is written a million times. */
void sp_text_add(sp_text *text, const char *bytes, size_t length);
void sp_text_add_text(sp_text *text, const char *added);
void sp_text_add_count(sp_text *text, size_t count);
void sp_text_free(sp_text *text);
/* Ends the process as sp_need (memory.h) does if an append failed. */
void sp_need_text(const sp_text *text);

/* The shortest decimal that reads back as the same double ("0.1", "1e+06" is written "1000000"; "nan", "inf",
 * "-inf"). Writes at most SP_NUMBER_SIZE bytes, returns its argument. Independent of the locale. */
enum { SP_NUMBER_SIZE = 32 };
char *sp_number(double value, char out[SP_NUMBER_SIZE]);

/* Read a whole string as a double, independent of the locale; false if anything is left over. */
bool sp_read_number(const char *text, double *value);

/* The candidate nearest to `name` by edit distance, or NULL when none is close enough to suggest. `candidates` has
 * `count` entries. */
const char *sp_nearest(const char *name, const char *const *candidates, size_t count);

#endif
