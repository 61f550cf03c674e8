/* export.c -- `export`: writes the tables of an experiment from its store. */
#include "core/cli/verbs/verbs.h"
#include "core/session/session.h"

#include "core/base/memory.h"
#include "core/base/packed.h"
#include "core/export/keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    sp_common common;
} arguments;

static const sp_option options[] = {
    SP_DISCARD_OPTION(arguments),
    { 0 }
};

static const sp_usage usage = {
    .operands = "EXPERIMENT.lua",
    .about = "Writes the tables in results/EXPERIMENT[.SCALE]/ from the store. First it imports the runs that the tables hold "
             "and the store lacks. `stillpoint table` prints a table as text, LaTeX, CSV or JSON.",
    .option = options, .common = true, .fewest = 1, .most = 1, .missing = "which experiment?",
    .excess = "one experiment at a time",
};

/* --- from the store -------------------------------------------------------------------------------------------- */

/* For reading; where it lacks runs that the tables hold, for writing, and imports them. So the runs of a sweep that is under way
 * can be exported. */
static sp_status open_store(sp_session *s, bool quiet, bool *imported, sp_error *error)
{
    bool all = false;
    char *runs = sp_format("%s/runs.tsv", s->results);
    sp_status status = runs ? sp_session_store(s, false, error)
                            : sp_fail(error, SP_ENOMEM, "%s: out of memory", s->results);
    if (!runs || !sp_packed_there(runs) || (status != SP_OK && status != SP_EABSENT))
        goto cleanup;
    if (status == SP_OK && sp_kept_all(&s->plan, s->store, s->results, &all, NULL) == SP_OK && all)
        goto cleanup;
    sp_store_close(s->store);
    s->store = NULL;
    SP_TRY(sp_session_store(s, true, error));
    SP_TRY(sp_session_keep(s, quiet, error));
    *imported = true;
cleanup:
    free(runs);
    return status;
}

static sp_status export_store(const arguments *a, const char *path, int *code, sp_error *error)
{
    sp_status status = SP_OK;
    sp_session session = { 0 };
    bool imported = false, same = false;
    SP_TRY(sp_session_open(path, &a->common, NULL, false, &session, error));
    SP_TRY(sp_session_own(&session, error));
    SP_TRY(open_store(&session, a->common.quiet, &imported, error));
    SP_TRY(sp_session_export(&session, imported ? &same : NULL, error)); /* what made the runs, their tables know best */
    if (!a->common.quiet)
        printf("tables: %s\n", session.results);
    *code = SP_EXIT_OK;
cleanup:
    sp_session_say_damage(&session, code);
    sp_session_close(&session);
    return status;
}

static int run(int argc, char **argv)
{
    sp_error error = { 0 };
    char **word;
    size_t words;
    int code;
    arguments a = { .common = SP_COMMON_DEFAULTS };
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    if (export_store(&a, word[0], &code, &error) != SP_OK)
        return sp_complain(&error, SP_EXIT_FAILED);
    return code;
}

const sp_verb sp_verb_export = { "export", "write the tables from the store", &usage, run };
