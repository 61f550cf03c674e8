/* run_rerun.c -- `run --rerun`: one run again, in the foreground, its log on the terminal. Nothing is stored. */
#include "core/cli/verbs/verbs.h"
#include "core/cli/verbs/replay.h"
#include "core/session/session.h"

#include "core/export/table_grids.h"

#include <stdio.h>

static const sp_usage usage = {
    .operands = "EXPERIMENT.lua RUN",
    .about = "One run again, with the same streams, its log on the terminal. RUN is the first column of runs.tsv, or "
             "as much of it as is unique. Nothing is stored.",
    .common = true, .fewest = 2, .most = 2, .missing = "needs an experiment and a run (the first column of runs.tsv)",
    .excess = "one run at a time",
};

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    sp_data_pool *pool = NULL;
    sp_result result = { 0 };
    const sp_cell *cell = NULL;
    size_t replicate = 0;
    char **word;
    size_t words;
    int code;
    sp_common common = SP_COMMON_DEFAULTS;
    if (!sp_parse(&usage, argc, argv, &common, &word, &words, &code))
        return code;
    code = SP_EXIT_USAGE;

    SP_TRY(sp_session_open(word[0], &common, NULL, false, &session, &error));
    SP_TRY(sp_session_store_if_any(&session, &error)); /* knows the winners of grids, */
    SP_TRY(sp_table_grids_choose(&session.plan, session.tables, &error)); /* and so do tables */
    SP_TRY(sp_session_find_run(&session, word[1], &cell, &replicate, &error));
    if (cell->skip)
        SP_TRY(sp_fail(&error, SP_EINVAL, "this run is skipped: %s", cell->skip));
    code = SP_EXIT_FAILED;
    printf("%s/%s, replicate %zu\n", cell->sweep, cell->label, replicate);
    for (sp_axis_at axis = { 0 }; sp_cell_next_axis(cell, &axis);)
        printf("  %s = %s\n", axis.key, axis.value);
    SP_TRY(sp_data_pool_new(&pool));
    SP_TRY(sp_replay_run(pool, cell, replicate, sp_say, &result, &error));
    if (result.status == SP_OK) {
        for (size_t m = 0; m < cell->measures; m++) {
            char digits[SP_NUMBER_SIZE];
            printf("%s = %s\n", cell->measure[m]->name, sp_number(result.value[m], digits));
        }
        printf("%.3g s\n", result.elapsed);
        code = SP_EXIT_OK;
    } else {
        status = sp_fail(&error, result.status, "the run failed: %s", result.message);
    }
cleanup:
    if (status != SP_OK)
        sp_complain(&error, code);
    sp_result_free(&result);
    sp_data_pool_free(pool);
    sp_session_close(&session);
    return code;
}

const sp_verb sp_verb_run_rerun = { "run --rerun", "run one run again, with its log on the terminal", &usage, run };
