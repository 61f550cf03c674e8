/* rerun.c -- one run again, in the foreground, its log on the terminal. Nothing is stored. */
#include "core/cli/verbs/session.h"

#include "core/run/execute.h"

#include <stdio.h>
#include <stdlib.h>

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
    sp_reference found[SP_REFERENCES] = { 0 };
    const sp_reference *reference[SP_REFERENCES] = { NULL };
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
    SP_TRY(sp_session_store_if_any(&session, &error)); /* knows the winners of grids */
    SP_TRY(sp_session_find_run(&session, word[1], &cell, &replicate, &error));
    if (cell->skip)
        SP_TRY(sp_fail(&error, SP_EINVAL, "this run is skipped: %s", cell->skip));
    code = SP_EXIT_FAILED;
    printf("%s/%s, replicate %zu\n", cell->sweep, cell->label, replicate);
    const sp_axis_value *axis;
    for (size_t k = 0; (axis = sp_cell_axis_at(cell, k)) != NULL; k++)
        printf("  %s = %s\n", axis->key, axis->value);
    SP_TRY(sp_data_pool_new(&pool));
    SP_TRY(sp_data_pool_prepare(pool, cell, replicate, &error));
    for (sp_reference_of of = SP_OF_TRAINING; of < SP_REFERENCES; of++) {
        char *key;
        status = sp_reference_key(cell, of, replicate, &key);
        if (status == SP_OK && key)
            status = sp_execute_reference(pool, cell, of, replicate, &found[of], &error);
        if (status == SP_OK && key)
            reference[of] = &found[of];
        free(key);
        if (status != SP_OK && status != SP_ENUMERIC) {
            sp_fail_prefix(&error, "no reference value");
            goto cleanup;
        }
        if (status == SP_ENUMERIC) /* as in `run`: there is none, and what needs it is NaN */
            fprintf(stderr, "stillpoint: %s* is not known: %s\n", of == SP_OF_POPULATION ? "P" : "F", error.text);
        status = SP_OK;
    }
    sp_execute(pool, cell, replicate, reference, sp_say, &result);
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
    for (size_t of = 0; of < SP_REFERENCES; of++)
        sp_reference_free(&found[of]);
    sp_result_free(&result);
    sp_data_pool_free(pool);
    sp_session_close(&session);
    return code;
}

const sp_verb sp_verb_rerun = { "rerun", "one run again, its log on the terminal", &usage, run };
