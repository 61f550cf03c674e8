/* export.c -- the verb `export`. Without --format it writes the tables of results/ from the store. With --format it
 * prints one exported table in another format, for which it needs neither the store nor the experiment. */
#include "core/cli/verbs/verbs.h"
#include "core/session/folders.h"
#include "core/cli/print/formats.h"
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
    const char *format, *table;
} arguments;

static const sp_option options[] = {
    SP_DISCARD_OPTION(arguments),
    { "format", 'f', SP_OPTION_TEXT, offsetof(arguments, format), "NAME",
      "csv, latex or json: one table on the standard output", 0, 0 },
    { "table", 't', SP_OPTION_TEXT, offsetof(arguments, table), "NAME",
      "Which one: runs, each with the columns of its cell (default), summary, fits, cells, tuning, ...", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "EXPERIMENT.lua\nEXPERIMENT --format NAME [--table NAME]",
    .about = "Writes the tables of results/ from the store, into which it first imports the runs that they hold and the store lacks; with --format prints one that is there, for which neither "
             "store nor experiment is needed.",
    .notes = "csv: RFC 4180, nothing is an empty field; a text that a spreadsheet would take for a formula has a "
             "backslash before it. json: an array with an object a row; nothing is null, what JSON has no number for "
             "is \"NaN\", \"inf\" or \"-inf\". latex: a tabular (booktabs); `stillpoint summary --latex` prints one as "
             "papers have them.",
    .option = options, .common = true, .fewest = 1, .most = 1, .missing = "which experiment?",
    .excess = "one experiment at a time",
};

static const char *const tables[] = { "runs",   "summary", "fits",       "cells",  "claims", "tuning",
                                      "traces", "timings", "provenance", "skipped", "seeds" };
enum { TABLES = sizeof tables / sizeof *tables };

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

/* --- from a table ---------------------------------------------------------------------------------------------- */

static sp_status read_one(const char *folder, const char *name, sp_table *table, sp_error *error)
{
    char *path = sp_format("%s/%s.tsv", folder, name);
    const sp_status status = path ? sp_table_read(path, table, error)
                                  : sp_fail(error, SP_ENOMEM, "%s: out of memory", folder);
    if (status == SP_EABSENT)
        sp_fail(error, status, "%s: no %s.tsv there: `stillpoint run` makes the tables", folder, name);
    free(path);
    return status;
}

static sp_status print_table(const arguments *a, const char *experiment, sp_print_format format, sp_error *error)
{
    sp_status status = SP_OK;
    sp_table table = { 0 }, cells = { 0 };
    sp_text text = { 0 };
    char *name = sp_folder_of(&a->common, experiment);
    char *folder = name ? sp_format("%s/results/%s", a->common.root, name) : NULL;
    if (!folder)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", experiment));
    status = read_one(folder, a->table, &table, error);
    if (status == SP_EABSENT && access(folder, F_OK) != 0)
        sp_suggest_folder(&a->common, name, "runs.tsv", error);
    SP_TRY(status);
    if (strcmp(a->table, "runs") == 0) {
        SP_TRY(read_one(folder, "cells", &cells, error));
        SP_TRY(sp_table_join(&table, &cells, "cell", folder, error));
    }
    sp_table_print(&table, format, &text);
    if (text.failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", folder));
    fwrite(text.data, 1, text.length, stdout);
cleanup:
    sp_text_free(&text);
    sp_table_free(&table);
    sp_table_free(&cells);
    free(folder);
    free(name);
    return status;
}

/* --- the verb -------------------------------------------------------------------------------------------------- */

/* Position in the list; SP_EINVAL names the option and what may stand there. */
static sp_status find(const char *option, const char *word, const char *const *names, size_t count, size_t *at,
                      sp_error *error)
{
    sp_text known = { 0 };
    for (*at = 0; *at < count; ++*at)
        if (strcmp(names[*at], word) == 0)
            return SP_OK;
    for (size_t i = 0; i < count; i++)
        sp_text_append(&known, "%s%s", i > 0 ? ", " : "", names[i]);
    sp_fail(error, SP_EINVAL, "--%s %s: must be one of %s", option, word, known.data ? known.data : "");
    sp_text_free(&known);
    return SP_EINVAL;
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    size_t format = SP_PRINTS, table;
    char **word;
    size_t words;
    int code;
    arguments a = { .common = SP_COMMON_DEFAULTS };
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    if (a.table && !a.format)
        return sp_misused(argv[0], "--table %s: in which --format?", a.table);
    if (!a.format) {
        SP_TRY(export_store(&a, word[0], &code, &error));
        return code;
    }
    a.table = a.table ? a.table : "runs";
    SP_TRY(find("format", a.format, sp_print_formats, SP_PRINTS, &format, &error));
    SP_TRY(find("table", a.table, tables, TABLES, &table, &error));
    SP_TRY(print_table(&a, word[0], (sp_print_format)format, &error));
cleanup:
    if (status == SP_OK)
        return SP_EXIT_OK;
    return sp_complain(&error, a.format && (status == SP_EINVAL || status == SP_EABSENT) ? SP_EXIT_USAGE
                                                                                          : SP_EXIT_FAILED);
}

const sp_verb sp_verb_export = { "export", "tables from the store; CSV, LaTeX, JSON", &usage, run };
