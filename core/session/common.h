/* common.h -- what verbs share below the command line: exit codes, common options, messages, and a process of its own for
 * code from built-in folders. */
#ifndef SP_SESSION_COMMON_H
#define SP_SESSION_COMMON_H

#include "core/base/status.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Exit codes. */
enum {
    SP_EXIT_OK = 0,            /* every run succeeded */
    SP_EXIT_FAILED = 1,        /* some run, figure or download did not */
    SP_EXIT_USAGE = 2,         /* the command or the experiment is wrong; nothing was run */
    SP_EXIT_INTERRUPTED = 130
};

/* Options that several verbs share: --root DIR, --scale NAME, --quiet. */
typedef struct sp_common {
    const char *root;  /* where results/ and plots/ are; default "." */
    const char *scale; /* default "default" */
    bool quiet, discard; /* discard: an option of the verbs that write tables (SP_DISCARD_OPTION) */
} sp_common;
#define SP_COMMON_DEFAULTS { .root = ".", .scale = "default" }

/* The values of an option that may be repeated. */
typedef struct sp_words {
    const char **word;
    size_t count;
} sp_words;

/* "stillpoint: message" on the standard error; returns `code`. */
int sp_complain(const sp_error *, int code);

/* Returns work(context), an exit code. In a program with built-in folders the work happens in a process of its own: a
 * crash is reported as a message, and so is work that takes the processor longer than so many seconds, or ten times as
 * long by the clock (0: no limit); the code is SP_EXIT_FAILED. */
int sp_run_sandboxed(int (*work)(void *context), void *context, unsigned seconds);
/* The seconds for work that looks at a limit of its own between its steps: twice the limit, and 10 s. 0: no limit. */
unsigned sp_patience(double limit);

/* Adds a word in single quotes, for sh. */
void sp_quote(sp_text *, const char *word);

/* One line on the standard output, flushed. */
void sp_say(const char *line);

#endif
