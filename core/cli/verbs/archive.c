/* archive.c -- `archive`: an experiment and what came of it in one file, which others can check, compare with and make
 * some runs of again. */
#include "core/cli/verbs/verbs.h"
#include "core/session/folders.h"
#include "core/session/sealed.h"
#include "core/session/session.h"
#include "core/cli/verbs/unpack.h"

#include "core/base/derived.h"
#include "core/base/memory.h"
#include "core/base/packed.h"
#include "core/methods/external.h"
#include "core/lua/host.h"
#include "core/export/archive.h"
#include "core/export/table_runs.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    sp_common common;
    const char *output;
} arguments;

static const sp_option options[] = {
    { "output", 'o', SP_OPTION_TEXT, offsetof(arguments, output), "FILE",
      "What to write (default: NAME.tar, or NAME.SCALE.tar, in this folder)", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "EXPERIMENT",
    .about = "Packs an experiment in one file: its text and the files that it includes or runs, all its tables with "
             "provenance and keys, its figures, and a list of SHA-256. `compare` takes such a file for a folder of "
             "results, `verify` makes some of its runs again; both refuse one in which a byte has changed.",
    .notes = "EXPERIMENT is the path of its file, or the name that it has in experiments/. The file is a tar (`tar xf`, "
             "then `sha256sum -c SHA256SUMS`); the same content gives the same bytes. Left out are the store, traces, "
             "what was measured on the machine (timings), records, sources of methods in C, and programs outside "
             "the experiment's folder, which are named. Tables that were changed since they were sealed (docs/reference/files.md), derived files of other runs, and "
             "tables of another text of the script are refused, with exit code 2.",
    .option = options, .common = true, .fewest = 1, .most = 1, .missing = "which experiment?",
    .excess = "one experiment at a time",
};

/* --- the text ---------------------------------------------------------------------------------------------------- */

static bool has_member(const sp_archive *a, const char *path)
{
    for (size_t i = 0; i < a->members; i++)
        if (strcmp(a->member[i].path, path) == 0)
            return true;
    return false;
}

/* A text that is included twice is one member. */
static sp_status add_texts(const sp_plan *plan, sp_archive *a, sp_error *error)
{
    sp_status status = SP_OK;
    const char *path, *bytes;
    size_t size;
    for (size_t i = 0; status == SP_OK && sp_lua_file(plan->lua, i, &path, &bytes, &size); i++) {
        char *member = sp_format("experiments/%s", path);
        if (!member)
            status = sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
        else if (!has_member(a, member))
            status = sp_archive_add(a, member, bytes, size, false, error);
        free(member);
    }
    return status;
}

/* The files of a program that lie in the experiment's folder; others are named. */
static sp_status add_program(const char *folder, const sp_algorithm *program, sp_archive *a, sp_error *error)
{
    sp_status status = SP_OK;
    const char *file;
    const size_t length = strlen(folder);
    for (size_t i = 0; status == SP_OK && (file = sp_external_file(program, i)) != NULL; i++) {
        char real[PATH_MAX];
        if (!realpath(file, real))
            return sp_fail(error, SP_EIO, "%s: %s", file, strerror(errno));
        if (strncmp(real, folder, length) != 0 || real[length] != '/') {
            fprintf(stderr, "stillpoint: not packed, for it is outside %s: %s\n", folder, real);
            continue;
        }
        char *member = sp_format("experiments/%s", real + length + 1);
        if (!member)
            status = sp_fail(error, SP_ENOMEM, "%s: out of memory", file);
        else if (!has_member(a, member))
            status = sp_archive_add_file(a, member, real, error);
        free(member);
    }
    return status;
}

static sp_status add_programs(const sp_plan *plan, sp_archive *a, sp_error *error)
{
    sp_status status = SP_OK;
    char real[PATH_MAX];
    const sp_algorithm *program;
    if (!realpath(plan->path, real))
        return sp_fail(error, SP_EIO, "%s: %s", plan->path, strerror(errno));
    *strrchr(real, '/') = '\0';
    for (size_t i = 0; status == SP_OK && (program = sp_plan_program(plan, i)) != NULL; i++)
        status = add_program(real, program, a, error);
    return status;
}

/* --- tables and figures ------------------------------------------------------------------------------------------ */

static bool ends_in(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_kept(const char *name)
{
    static const char *const kept[] = { ".tsv", ".svg", ".pdf", ".png" };
    static const char *const left[] = { "timings.tsv", "timings.svg", "timings.pdf", "timings.png", "traces.tsv" };
    bool yes = strcmp(name, sp_seal_file) == 0 || strcmp(name, sp_derived_file) == 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        yes = yes || ends_in(name, kept[i]);
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        yes = yes && !ends_in(name, left[i]);
    return yes && *name != '.';
}

/* Whether a table lies packed or not, its member is the table: the same content gives the same bytes. */
static sp_status add_table(const char *path, const char *member, sp_archive *a, sp_error *error)
{
    sp_text text = { 0 };
    sp_status status = sp_packed_text(path, &text, error);
    if (status == SP_OK)
        status = sp_archive_add(a, member, text.data, text.length, false, error);
    sp_text_free(&text);
    return status;
}

static sp_status add_result(char *path, char *member, sp_archive *a, sp_error *error)
{
    const bool packed = ends_in(path, ".gz");
    if (packed) {
        path[strlen(path) - 3] = '\0';
        member[strlen(member) - 3] = '\0';
    }
    if (!is_kept(last_part(path)))
        return SP_OK;
    return ends_in(path, ".tsv") ? add_table(path, member, a, error)
           : packed              ? SP_OK
                                 : sp_archive_add_file(a, member, path, error);
}

/* A folder that is not there has no files. */
static sp_status add_folder(const char *folder, const char *member, sp_archive *a, sp_error *error)
{
    sp_status status = SP_OK;
    DIR *open = opendir(folder);
    const struct dirent *entry;
    if (!open && errno != ENOENT)
        return sp_fail(error, SP_EIO, "%s: %s", folder, strerror(errno));
    while (open && status == SP_OK && (entry = readdir(open)) != NULL) {
        const char *name = entry->d_name;
        struct stat found;
        char *path = sp_format("%s/%s", folder, name), *below = sp_format("%s/%s", member, name);
        if (!path || !below)
            status = sp_fail(error, SP_ENOMEM, "%s: out of memory", folder);
        else if (*name == '.' || strcmp(name, "shards") == 0 || stat(path, &found) != 0)
            status = SP_OK;
        else if (S_ISDIR(found.st_mode))
            status = add_folder(path, below, a, error);
        else if (S_ISREG(found.st_mode))
            status = add_result(path, below, a, error);
        free(path);
        free(below);
    }
    if (open)
        closedir(open);
    return status;
}

/* Tables of another text than the one that is packed would be no evidence of anything. */
static sp_status check_tables(const sp_session *session, sp_error *error)
{
    sp_table_runs tables = { 0 };
    sp_status status = sp_table_runs_open(&session->plan, session->results, "archive", SP_RUNNABLE_RUNS, &tables, error);
    if (status == SP_OK && tables.places == 0 && session->plan.tunings == 0)
        status = sp_fail(error, SP_EINVAL, "%s: none of its %zu rows is of a run that %s asks for: the experiment has "
                         "changed since", session->results, tables.runs.rows, session->plan.path);
    if (status == SP_OK)
        status = sp_need_sealed(session->results, session->plots, error);
    if (status == SP_OK)
        status = sp_need_script(session->results, &session->plan, error);
    sp_table_runs_free(&tables);
    return status;
}

static sp_status pack(const sp_session *session, sp_archive *a, sp_error *error)
{
    sp_status status = SP_OK;
    char *results = sp_format("results/%s", last_part(session->results));
    char *plots = sp_format("plots/%s", last_part(session->plots));
    if (!results || !plots)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", session->plan.path));
    SP_TRY(check_tables(session, error));
    SP_TRY(add_texts(&session->plan, a, error));
    SP_TRY(add_programs(&session->plan, a, error));
    SP_TRY(add_folder(session->results, results, a, error));
    SP_TRY(add_folder(session->plots, plots, a, error));
cleanup:
    free(results);
    free(plots);
    return status;
}

/* --- the verb ---------------------------------------------------------------------------------------------------- */

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    sp_archive a = { 0 };
    char *script = NULL, *output = NULL, hash[SP_HASH_HEX], **word;
    size_t words;
    int code;
    arguments given = { .common = SP_COMMON_DEFAULTS };
    if (!sp_parse(&usage, argc, argv, &given, &word, &words, &code))
        return code;
    code = SP_EXIT_USAGE;
    if (given.output && !sp_is_archive(given.output))
        SP_TRY(sp_fail(&error, SP_EINVAL, "--output %s: an archive's name ends in .tar, by which other verbs know it",
                       given.output));
    SP_TRY(sp_experiment_path(&given.common, word[0], &script, &error));
    SP_TRY(sp_session_open(script, &given.common, NULL, false, &session, &error));
    SP_TRY(pack(&session, &a, &error));
    output = given.output ? sp_copy_text(given.output) : sp_format("%s.tar", last_part(session.results));
    if (!output)
        SP_TRY(sp_fail(&error, SP_ENOMEM, "archive: out of memory"));
    code = SP_EXIT_FAILED;
    SP_TRY(sp_archive_write(&a, output, hash, &error));
    if (!given.common.quiet)
        printf("%s: %zu files, SHA-256 %s\n", output, a.members, hash);
    code = SP_EXIT_OK;
cleanup:
    if (status != SP_OK)
        sp_complain(&error, code);
    sp_archive_free(&a);
    sp_session_close(&session);
    free(script);
    free(output);
    return code;
}

const sp_verb sp_verb_archive = { "archive", "packs an experiment with its results in one file", &usage, run };
