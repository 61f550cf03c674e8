/* verify_seal.c -- `verify --seal`: brings committed tables to the current format, without a run. */
#include "core/cli/verbs/verbs.h"
#include "core/cli/verbs/derive.h"
#include "core/session/folders.h"

#include "core/base/derived.h"
#include "core/base/memory.h"
#include "core/base/pack.h"
#include "core/base/packed.h"
#include "core/export/reseal.h"
#include "core/export/table_grids.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    sp_common common;
    bool plain;
} arguments;

static const sp_option options[] = {
    { "plain", '\0', SP_OPTION_SET, offsetof(arguments, plain), NULL, "Pack no table", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "[EXPERIMENT...]",
    .about = "Brings the tables in results/EXPERIMENT to the format of this program, before they are committed: checksums of "
             "rows, SEAL, DERIVED, and every table above 50 kB packed by gzip; without a name, of all that are there. Nothing "
             "is run, and no number changes.",
    .notes = "Tables of programs before there was a SEAL (format 0) are taken as they are; of others every row must have "
             "its checksum, and every table must be as in the SEAL that is there. The derived tables are computed again and compared: "
             "one that differs is named, and `stillpoint plot` writes it again. EXPERIMENT is the path of its file, or the name that "
             "it has in experiments/. Exit code 0 when all are sealed, 1 when one is not.",
    .option = options, .common = true, .most = SIZE_MAX,
};

/* --- derived files --------------------------------------------------------------------------------------------------- */

typedef struct noting {
    const sp_session *session;
    sp_seal seal;
    sp_derived derived;
    size_t differ;
} noting;

static sp_status note(noting *n, const char *file, const char *folder, const char *name, sp_error *error)
{
    char *path = sp_format("%s/%s", folder, name);
    const sp_status status = path ? sp_derived_put(&n->derived, file, path, n->seal.digest, error)
                                  : sp_fail(error, SP_ENOMEM, "%s: out of memory", folder);
    free(path);
    return status;
}

/* What was drawn from the table of a figure, in any format. */
static sp_status note_drawn(noting *n, const char *figure, sp_error *error)
{
    static const char *const ending[] = { "svg", "pdf", "png" };
    sp_status status = SP_OK;
    for (size_t i = 0; i < sizeof ending / sizeof *ending && status == SP_OK; i++) {
        char *file = sp_format("plots/%s.%s", figure, ending[i]);
        char *path = file ? sp_format("%s%s", n->session->plots, file + strlen("plots")) : NULL;
        if (!path)
            status = sp_fail(error, SP_ENOMEM, "%s: out of memory", figure);
        else if (sp_packed_there(path))
            status = note(n, file, n->session->plots, file + strlen("plots/"), error);
        free(file);
        free(path);
    }
    return status;
}

static sp_status take(void *context, const char *file, sp_derived_found found, sp_error *error)
{
    noting *n = context;
    char figure[256];
    if (found == SP_DERIVED_MISSING)
        return SP_OK;
    if (found == SP_DERIVED_DIFFERS) {
        n->differ++;
        fprintf(stderr, "stillpoint: %s/%s differs from what its tables give: `stillpoint plot %s` writes it again\n",
                n->session->results, file, n->session->plan.path);
        return SP_OK;
    }
    const sp_status status = note(n, file, n->session->results, file, error);
    if (status == SP_OK && sscanf(file, "figures/%255[^.]", figure) == 1)
        return note_drawn(n, figure, error);
    return status;
}

/* --- packing --------------------------------------------------------------------------------------------------------- */

/* The tables of a folder that git keeps. */
static sp_status pack_all(const char *folder, sp_error *error)
{
    static const char *const left[] = { "traces.tsv", "timings.tsv", "audits.tsv" };
    sp_status status = SP_OK;
    DIR *open = opendir(folder);
    for (const struct dirent *entry = open ? readdir(open) : NULL; entry && status == SP_OK; entry = readdir(open)) {
        const char *name = entry->d_name, *ending = strrchr(name, '.');
        struct stat found;
        bool kept = ending && strcmp(ending, ".tsv") == 0 && *name != '.' && !strstr(name, ".timings.");
        for (size_t i = 0; i < sizeof left / sizeof *left; i++)
            kept = kept && strcmp(name, left[i]) != 0;
        char *path = sp_format("%s/%s", folder, name);
        if (!path)
            status = sp_fail(error, SP_ENOMEM, "%s: out of memory", folder);
        else if (kept && stat(path, &found) == 0 && found.st_size > SP_PACK_ABOVE)
            status = sp_pack(path, error);
        free(path);
    }
    if (open)
        closedir(open);
    return status;
}

/* --- the verb -------------------------------------------------------------------------------------------------------- */

typedef struct sealing {
    const arguments *asked;
    size_t differ; /* derived tables */
} sealing;

static sp_status seal(void *context, const char *word, sp_error *error)
{
    sealing *s = context;
    const arguments *a = s->asked;
    sp_status status = SP_OK;
    sp_session session = { 0 };
    noting n = { .session = &session };
    char *script = NULL, *figures = NULL;
    SP_TRY(sp_experiment_path(&a->common, word, &script, error));
    SP_TRY(sp_session_open(script, &a->common, NULL, false, &session, error));
    SP_TRY(sp_table_grids_choose(&session.plan, session.results, error));
    SP_TRY(sp_reseal(&session.plan, session.results, error));
    SP_TRY(sp_seal_read(session.results, &n.seal, error));
    SP_TRY(sp_derive_again(&session, session.results, take, &n, error));
    SP_TRY(sp_derived_write(&n.derived, session.results, error));
    if (!(figures = sp_format("%s/figures", session.results)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", word));
    if (!a->plain) {
        SP_TRY(pack_all(session.results, error));
        SP_TRY(pack_all(figures, error));
    }
    if (!a->common.quiet)
        printf("%s: %zu of %zu runs, %zu derived files%s\n", session.results, n.seal.present, n.seal.asked, n.derived.count,
               n.differ > 0 ? ", others differ" : "");
    s->differ += n.differ;
cleanup:
    sp_derived_free(&n.derived);
    sp_seal_free(&n.seal);
    sp_session_close(&session);
    free(script);
    free(figures);
    return status;
}

static int run(int argc, char **argv)
{
    sp_error error = { 0 };
    char **word;
    size_t words;
    int code;
    arguments a = { .common = SP_COMMON_DEFAULTS };
    sealing s = { .asked = &a };
    sp_taken taken;
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    if (sp_each_experiment(&a.common, word, words, seal, &s, &taken, &error) != SP_OK)
        return sp_complain(&error, SP_EXIT_USAGE);
    return taken.failed + s.differ > 0 ? SP_EXIT_FAILED : SP_EXIT_OK;
}

const sp_verb sp_verb_verify_seal = { "verify --seal", "bring committed tables to the current format", &usage, run };
