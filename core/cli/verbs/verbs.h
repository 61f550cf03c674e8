/* verbs.h -- the words of the command line. One verb a file. */
#ifndef SP_VERBS_VERBS_H
#define SP_VERBS_VERBS_H

#include "core/cli/options.h"
#include "core/session/common.h"

#include <stdint.h>
#include <stdio.h>

/* A verb, or one form of a verb, which a second word selects: "account epsilon", "compare --score". */
typedef struct sp_verb {
    const char *name, *summary;
    const sp_usage *usage;
    int (*run)(int argc, char **argv); /* argv[0] is the name */
} sp_verb;

extern const sp_verb sp_verb_account_calibrate, sp_verb_account_delta, sp_verb_account_epsilon, sp_verb_account_runs,
    sp_verb_archive, sp_verb_audit, sp_verb_check, sp_verb_compare, sp_verb_compare_score, sp_verb_compare_versus, sp_verb_data,
    sp_verb_export, sp_verb_list, sp_verb_list_cite, sp_verb_merge, sp_verb_new, sp_verb_plan, sp_verb_plot, sp_verb_report,
    sp_verb_run, sp_verb_run_rerun, sp_verb_status, sp_verb_store, sp_verb_submit, sp_verb_table, sp_verb_verify,
    sp_verb_verify_seal;

/* All of them, in the order of --help. */
extern const sp_verb *const sp_verbs[];
extern const size_t sp_verb_count;

/* The verb that argv[1] names, together with the second word where the verb has forms: a plain word as argv[2], an option
 * anywhere in front of "--". Removes that word; argv[1] becomes the verb's name. An old name is replaced by the new one, with
 * a message. NULL: there is no such verb, and a message says so; or the help of a verb's forms was asked for; *code is
 * the exit code. */
const sp_verb *sp_verb_find(int *argc, char **argv, int *code);

/* The verbs, and how to ask for more. */
void sp_help(FILE *);

#endif
