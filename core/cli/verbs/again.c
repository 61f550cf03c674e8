/* again.c -- see again.h. */
#include "core/cli/verbs/again.h"

#include <stdio.h>
#include <stdlib.h>

sp_status sp_run_again(sp_data_pool *pool, const sp_cell *cell, size_t replicate, void (*log)(const char *line),
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
