/* verify_quick.c -- see verify_quick.h. */
#include "core/cli/verbs/verify_quick.h"

#include "core/cli/verbs/derive.h"
#include "core/session/folders.h"
#include "core/session/sealed.h"
#include "core/export/table_grids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct counts {
    const char *folder;
    size_t same, differ, unknown;
} counts; /* of one experiment */

typedef struct verifying {
    const sp_common *common;
    size_t differ; /* derived tables of all experiments */
} verifying;

static sp_status take(void *context, const char *file, sp_derived_found found, sp_error *error)
{
    counts *c = context;
    (void)error;
    c->same += found == SP_DERIVED_SAME;
    c->unknown += found == SP_DERIVED_UNKNOWN;
    c->differ += found == SP_DERIVED_DIFFERS;
    if (found == SP_DERIVED_DIFFERS)
        printf("DIFFERS  %s/%s differs from what its tables give\n", c->folder, file);
    return SP_OK;
}

static sp_status verify(void *context, const char *word, sp_error *error)
{
    verifying *v = context;
    const sp_common *common = v->common;
    sp_status status = SP_OK;
    sp_session session = { 0 };
    char *script = NULL;
    SP_TRY(sp_experiment_path(common, word, &script, error));
    SP_TRY(sp_session_open(script, common, NULL, false, &session, error));
    SP_TRY(sp_table_grids_choose(&session.plan, session.results, error));
    SP_TRY(sp_need_sealed(session.results, session.plots, error));
    SP_TRY(sp_need_script(session.results, &session.plan, error));
    counts c = { .folder = session.results };
    SP_TRY(sp_derive_again(&session, session.results, take, &c, error));
    if (!common->quiet || c.differ > 0) {
        printf("%s: sealed; %zu of %zu derived tables are the same", session.results, c.same, c.same + c.differ);
        if (c.unknown > 0)
            printf(", %zu more need traces.tsv, which is not here", c.unknown);
        printf("\n");
    }
    v->differ += c.differ;
cleanup:
    sp_session_close(&session);
    free(script);
    return status;
}

int sp_verify_quick(const sp_common *common, char **word, size_t words)
{
    sp_error error = { 0 };
    verifying v = { .common = common };
    sp_taken taken;
    if (sp_each_experiment(common, word, words, verify, &v, &taken, &error) != SP_OK)
        return sp_complain(&error, SP_EXIT_USAGE);
    if (words != 1)
        printf("%zu of %zu folders are sealed; %zu derived tables differ\n", taken.all - taken.failed, taken.all, v.differ);
    return taken.failed + v.differ > 0 ? SP_EXIT_FAILED : SP_EXIT_OK;
}
