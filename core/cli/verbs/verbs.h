/* verbs.h -- the words of the command line. One verb a file. */
#ifndef SP_VERBS_VERBS_H
#define SP_VERBS_VERBS_H

#include "core/cli/options.h"
#include "core/session/common.h"

#include <stdint.h>
#include <stdio.h>

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

/* The verbs, and how to ask for more. */
void sp_help(FILE *);

#endif
