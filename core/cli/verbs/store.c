/* store.c -- `store`: are all rows of a store what was written; and a new store of those that are. */
#include "core/cli/verbs/verbs.h"
#include "core/session/folders.h"
#include "core/session/session.h"

#include "core/base/memory.h"
#include "core/store/damage.h"
#include "core/store/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    sp_common common;
    const char *output;
} arguments;

static const sp_option options[] = {
    { "output", 'o', SP_OPTION_TEXT, offsetof(arguments, output), "NEW",
      "With salvage: the file that is written (default: FILE.salvaged)", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "check FILE|EXPERIMENT.lua\nsalvage FILE|EXPERIMENT.lua [-o NEW]",
    .about = "check: compares every row of a store with its checksum, and says what is damaged. salvage: writes all runs that are "
             "as they were written, and what belongs to them, into a new store, and says what is lost; FILE stays as it is.",
    .notes = "FILE is a store.sqlite, or the file of a task. Of an experiment it is the store in its folder of results/. Salvage "
             "reads every page of the file, also where SQLite itself finds it malformed, and takes stores of version 6 too. Exit "
             "code 1 where something is damaged or lost. `stillpoint run` does the same by itself, keeps the damaged file as "
             "store.sqlite.damaged, and makes the lost runs again.",
    .option = options, .common = true, .fewest = 2, .most = 2,
    .missing = "say `store check FILE` or `store salvage FILE`", .excess = "one file at a time",
};

/* The file, or that of an experiment: a new string. */
static char *file_of(const arguments *a, const char *word)
{
    struct stat about;
    const size_t length = strlen(word);
    const bool script = length > 4 && strcmp(word + length - 4, ".lua") == 0;
    if (!script && stat(word, &about) == 0 && S_ISDIR(about.st_mode))
        return sp_format("%s/" SP_STORE_FILE, word);
    if (!script)
        return sp_copy_text(word);
    char *name = sp_folder_of(&a->common, word);
    char *file = name ? sp_format("%s/results/%s/" SP_STORE_FILE, a->common.root, name) : NULL;
    free(name);
    return file;
}

static void print_damages(const sp_damages *list)
{
    for (size_t i = 0; i < list->count; i++)
        printf("%s%s%s%s\n", list->item[i].run[0] ? "run " : "", list->item[i].run, list->item[i].run[0] ? ": " : "",
               list->item[i].what);
}

static sp_status check(const arguments *a, const char *file, bool *sound, sp_error *error)
{
    sp_status status = SP_OK;
    sp_store *store = NULL;
    char *folder = NULL, *name = NULL;
    SP_TRY(sp_place_split(file, &folder, &name, error));
    SP_TRY(sp_store_open_file(folder, name, &store, error));
    SP_TRY(sp_store_check(store, error));
    const sp_damages *list = sp_store_damages(store);
    *sound = list->count == 0;
    print_damages(list);
    if (!a->common.quiet)
        printf("%s: %zu runs, %s\n", file, sp_store_runs(store), *sound ? "every row is as it was written" : "damaged");
cleanup:
    sp_store_close(store);
    free(folder);
    free(name);
    return status;
}

static sp_status salvage(const arguments *a, const char *file, bool *sound, sp_error *error)
{
    sp_status status = SP_OK;
    sp_damages lost = { 0 };
    size_t runs = 0;
    char *new = a->output ? sp_copy_text(a->output) : sp_format("%s.salvaged", file);
    if (!new)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", file));
    SP_TRY(sp_store_salvage(file, new, &lost, &runs, error));
    *sound = lost.count == 0;
    print_damages(&lost);
    if (!a->common.quiet)
        printf("%s: %zu runs saved, %s\n", new, runs, *sound ? "none lost" : "the rest is lost");
cleanup:
    sp_damages_free(&lost);
    free(new);
    return status;
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    char **word, *file = NULL;
    size_t words;
    int code;
    bool sound = false;
    arguments a = { .common = SP_COMMON_DEFAULTS };
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    const bool saves = strcmp(word[0], "salvage") == 0;
    if (!saves && strcmp(word[0], "check") != 0)
        return sp_misused(argv[0], "%s", usage.missing);
    if (a.output && !saves)
        return sp_misused(argv[0], "--output %s: only salvage writes a file", a.output);
    code = SP_EXIT_FAILED;
    if (!(file = file_of(&a, word[1])))
        SP_TRY(sp_fail(&error, SP_ENOMEM, "%s: out of memory", word[1]));
    SP_TRY(saves ? salvage(&a, file, &sound, &error) : check(&a, file, &sound, &error));
    code = sound ? SP_EXIT_OK : SP_EXIT_FAILED;
cleanup:
    free(file);
    return status == SP_OK ? code : sp_complain(&error, status == SP_EABSENT ? SP_EXIT_USAGE : SP_EXIT_FAILED);
}

const sp_verb sp_verb_store = { "store", "check a store, and save what is sound of a damaged one", &usage, run };
