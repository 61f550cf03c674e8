/* replay.c -- see replay.h. */
#include "core/cli/verbs/replay.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

sp_status sp_replay_run(sp_data_pool *pool, const sp_cell *cell, size_t replicate, void (*log)(const char *line),
                       sp_result *result, sp_error *error)
{
    sp_status status = SP_OK;
    sp_reference found[SP_REFERENCES] = { 0 };
    const sp_reference *reference[SP_REFERENCES] = { NULL };
    SP_TRY(sp_data_pool_prepare(pool, cell, replicate, error));
    for (sp_reference_of of = SP_OF_TRAINING; of < SP_REFERENCES; of++) {
        char *key;
        status = sp_reference_key(cell, of, replicate, &key);
        if (status == SP_OK && key)
            status = sp_execute_reference(pool, cell, of, replicate, &found[of], error);
        if (status == SP_OK && key)
            reference[of] = &found[of];
        free(key);
        if (status != SP_OK && status != SP_ENUMERIC) {
            sp_fail_prefix(error, "no reference value");
            goto cleanup;
        }
        if (status == SP_ENUMERIC) /* as in `run`: there is none, and what needs it is NaN */
            fprintf(stderr, "stillpoint: %s* is not known: %s\n", of == SP_OF_POPULATION ? "P" : "F", error->text);
        status = SP_OK;
    }
    sp_execute(pool, cell, replicate, reference, log, result);
cleanup:
    for (size_t of = 0; of < SP_REFERENCES; of++)
        sp_reference_free(&found[of]);
    return status;
}

/* F* and P* are in the tables of a run that another sweep asks for with more measures: those are not compared that this
 * cell does not need. */
static sp_status drop_unneeded(const sp_table_run *stored, sp_result *known, sp_error *error)
{
    sp_reference *const reference[SP_REFERENCES] = { &known->reference, &known->population };
    for (sp_reference_of of = SP_OF_TRAINING; of < SP_REFERENCES; of++) {
        char *key;
        if (sp_reference_key(stored->cell, of, stored->replicate, &key) != SP_OK)
            return sp_fail(error, SP_ENOMEM, "out of memory");
        if (!key)
            *reference[of] = (sp_reference){ .value = NAN };
        free(key);
    }
    return SP_OK;
}

sp_status sp_run_compare(sp_data_pool *pool, const sp_table_run *stored, sp_text *theirs, sp_text *ours, sp_error *error)
{
    sp_status status = SP_OK;
    sp_result result = { 0 }, known = stored->result;
    SP_TRY(sp_replay_run(pool, stored->cell, stored->replicate, NULL, &result, error));
    SP_TRY(drop_unneeded(stored, &known, error));
    SP_TRY(sp_result_difference(stored->cell, &known, &result, theirs, ours, error));
cleanup:
    sp_result_free(&result);
    return status;
}

double sp_share_at_most(size_t differ, size_t sample)
{
    return differ < sample ? gsl_cdf_beta_Pinv(0.95, (double)differ + 1.0, (double)(sample - differ)) : 1.0;
}

void sp_share_print(size_t differ, size_t sample, size_t all, sp_text *out)
{
    if (sample == all && differ == 0) {
        sp_text_append(out, "no run differs: all %zu were rerun", all);
        return;
    }
    if (sample == all) {
        sp_text_append(out, "%zu of %zu runs differ: all were rerun", differ, all);
        return;
    }
    const double percent = 100.0 * sp_share_at_most(differ, sample);
    const double unit = pow(10.0, floor(log10(percent)) - 1.0); /* of the second digit */
    sp_text_append(out, "at most %.3g %% of the runs differ, with 95 %% confidence: %zu runs", ceil(percent / unit - 1e-9) * unit,
                   sample);
}
