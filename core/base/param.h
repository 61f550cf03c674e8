/* param.h -- parameter schemas: the parameters that a method, a loss or a generator accepts, checked before anything
 * runs. */
#ifndef SP_BASE_PARAM_H
#define SP_BASE_PARAM_H

#include "core/base/status.h"
#include "core/base/text.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sp_method;

typedef enum {
    SP_REAL,   /* a finite double */
    SP_COUNT,  /* a whole number, exactly representable (below 2^53) */
    SP_FLAG,   /* true or false */
    SP_CHOICE, /* one of the words in `choices` ("theory|capped|balanced"); the default is the index of a word */
    SP_TEXT,   /* any text; the default is `choices`, or the empty text */
    SP_METHOD  /* an algorithm with its own parameters */
} sp_kind;

/* Closed interval; every number must also be finite. */
typedef struct sp_range {
    double low, high;
} sp_range;

#define SP_POSITIVE { DBL_MIN, DBL_MAX }
#define SP_DERIVED ((double)NAN)       /* no fixed default: `meaning` says what it is derived from */
#define SP_REQUIRED ((double)INFINITY) /* must be given */

typedef struct sp_param {
    const char *key;
    sp_kind kind;
    double initial; /* default */
    sp_range range;
    const char *meaning;
    const char *choices; /* of SP_CHOICE the words, of SP_TEXT the default (NULL: empty), else NULL */
} sp_param; /* tables end with { 0 } and have at most SP_PARAM_MAX rows before it */

enum { SP_PARAM_MAX = 32 };

typedef union sp_value { /* which one its row in the schema says */
    double number;    /* reals, counts, flags (0, 1), choices (index) */
    const char *text; /* SP_TEXT; owned by whoever set it; NULL: not given */
    const struct sp_method *method; /* SP_METHOD; NULL: not given */
} sp_value;

typedef struct sp_values {
    const sp_param *params;
    uint32_t count;
    uint32_t given; /* bit i: value i is set by the user */
    sp_value value[SP_PARAM_MAX];
} sp_values;

/* All defaults. A NULL table is an empty one. */
void sp_values_start(sp_values *values, const sp_param *params);
/* The same values: of `from` as many are read as its schema has, for one that is shared may end there. */
void sp_values_copy(sp_values *values, const sp_values *from);

/* Set `key` from a number, a flag or a text. `path` is the place named in messages ("problem.loss"). Refuses an
 * unknown key (with the nearest known one), a wrong type, a value out of range. */
sp_status sp_values_set_number(sp_values *, const char *path, const char *key, double number, sp_error *);
sp_status sp_values_set_flag(sp_values *, const char *path, const char *key, bool flag, sp_error *);
sp_status sp_values_set_text(sp_values *, const char *path, const char *key, const char *text, sp_error *);
sp_status sp_values_set_method(sp_values *, const char *path, const char *key, const struct sp_method *, sp_error *);
/* After all keys are set: refuses a missing SP_REQUIRED one. */
sp_status sp_values_check(const sp_values *, const char *path, sp_error *);

bool sp_given(const sp_values *, size_t index);   /* set by the user */
double sp_real(const sp_values *, size_t index);  /* NAN for a derived default */
size_t sp_count(const sp_values *, size_t index); /* 0 for a derived default */
bool sp_flag(const sp_values *, size_t index);
size_t sp_choice(const sp_values *, size_t index); /* index of the word */
bool sp_chosen(const sp_values *, size_t index, const char *word); /* is it this one? False for other kinds */
const char *sp_word(const sp_values *, size_t index); /* SP_TEXT: the text, the default if not given */
const struct sp_method *sp_submethod(const sp_values *, size_t index); /* NULL if not given */

/* "eta=0.1,steps=20": the given values in the table's order (canonical, used in keys and in tables). A choice is
 * written as its word, a text quoted and escaped. A method is left out: who owns it prints its values. */
void sp_values_print(const sp_values *, sp_text *out);
/* One schema line as a reference manual would print it, "clip: a number, positive; required; gradient bound". */
void sp_param_describe(const sp_param *, sp_text *out);

#endif
