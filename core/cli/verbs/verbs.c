/* verbs.c -- the verbs that there are. */
#include "core/cli/verbs/verbs.h"

const sp_verb *const sp_verbs[] = {
    &sp_verb_run,
    &sp_verb_plan,
    &sp_verb_status,
    &sp_verb_plot,
    &sp_verb_export,
    &sp_verb_check,
    &sp_verb_compare,
    &sp_verb_versus,
    &sp_verb_summary,
    &sp_verb_score,
    &sp_verb_merge,
    &sp_verb_store,
    &sp_verb_submit,
    &sp_verb_list,
    &sp_verb_describe,
    &sp_verb_rerun,
    &sp_verb_verify,
    &sp_verb_seal,
    &sp_verb_archive,
    &sp_verb_report,
    &sp_verb_data,
    &sp_verb_test,
    &sp_verb_privacy,
    &sp_verb_audit,
    &sp_verb_epsilon,
    &sp_verb_delta,
    &sp_verb_calibrate,
    &sp_verb_new,
    &sp_verb_cite,
    &sp_verb_help,
    &sp_verb_manual
};
const size_t sp_verb_count = sizeof sp_verbs / sizeof *sp_verbs;
