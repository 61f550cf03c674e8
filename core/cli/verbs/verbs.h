/* verbs.h -- the words of the command line. One verb a file. */
#ifndef SP_VERBS_VERBS_H
#define SP_VERBS_VERBS_H

#include "core/base/status.h"
#include "core/base/text.h"
#include "core/cli/options.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Exit codes. */
enum {
    SP_EXIT_OK = 0,            /* every run succeeded */
    SP_EXIT_FAILED = 1,        /* some run, figure or download did not */
    SP_EXIT_USAGE = 2,         /* the command or the experiment is wrong; nothing was run */
    SP_EXIT_INTERRUPTED = 130
};

typedef struct sp_verb {
    const char *name, *summary;
    const sp_usage *usage;
    int (*run)(int argc, char **argv); /* argv[0] is the verb */
} sp_verb;

extern const sp_verb sp_verb_run, sp_verb_plan, sp_verb_status, sp_verb_plot, sp_verb_export, sp_verb_check,
    sp_verb_compare, sp_verb_versus, sp_verb_summary, sp_verb_score, sp_verb_merge, sp_verb_store, sp_verb_list, sp_verb_describe, sp_verb_rerun, sp_verb_verify, sp_verb_archive, sp_verb_report, sp_verb_data,
    sp_verb_test, sp_verb_audit, sp_verb_privacy, sp_verb_epsilon, sp_verb_delta, sp_verb_calibrate, sp_verb_new,
    sp_verb_cite, sp_verb_submit, sp_verb_seal, sp_verb_help, sp_verb_manual;

/* All of them, in the order of --help. */
extern const sp_verb *const sp_verbs[];
extern const size_t sp_verb_count;

/* Options that several verbs share: --root DIR, --scale NAME, --quiet. */
typedef struct sp_common {
    const char *root;  /* where results/ and plots/ are; default "." */
    const char *scale; /* default "default" */
    bool quiet, discard; /* discard: an option of the verbs that write tables (SP_DISCARD_OPTION) */
} sp_common;
#define SP_COMMON_DEFAULTS { .root = ".", .scale = "default" }

/* "stillpoint: message" on the standard error; returns `code`. */
int sp_complain(const sp_error *, int code);

/* The verbs, and how to ask for more. */
void sp_help(FILE *);

/* Returns work(context), an exit code. In a program with built-in folders the work happens in a process of its own: a
 * crash is reported as a message, and so is work that takes the processor longer than so many seconds, or ten times as
 * long by the clock (0: no limit); the code is SP_EXIT_FAILED. */
int sp_apart(int (*work)(void *context), void *context, unsigned seconds);
/* The seconds for work that looks at a limit of its own between its steps: twice the limit, and 10 s. 0: no limit. */
unsigned sp_patience(double limit);

/* Adds a word in single quotes, for sh. */
void sp_quote(sp_text *, const char *word);

/* One line on the standard output, flushed. */
void sp_say(const char *line);

#endif
