/* folders.c -- see folders.h. */
#include "core/session/folders.h"
#include "core/session/sealed.h"

#include "core/session/home.h"
#include "core/base/memory.h"
#include "core/base/packed.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *sp_folder_of(const sp_common *common, const char *experiment)
{
    size_t length = strlen(experiment);
    while (length > 1 && experiment[length - 1] == '/')
        length--;
    size_t start = length;
    while (start > 0 && experiment[start - 1] != '/')
        start--;
    const bool lua = length > start + 4 && strncmp(experiment + length - 4, ".lua", 4) == 0;
    const bool scaled = strcmp(common->scale, "default") != 0;
    return sp_format("%.*s%s%s", (int)(length - start - (lua ? 4 : 0)), experiment + start, scaled ? "." : "",
                     scaled ? common->scale : "");
}

/* The experiment beside this file, "FOLDER/WORD.lua", whose name is nearest to the word and nearer than `best`, which is freed
 * then; `best` (NULL: none yet) where there is none. */
static char *nearer(const char *file, const char *word, char *best)
{
    const char *slash = strrchr(file, '/');
    char *folder = slash ? sp_format("%.*s", (int)(slash - file), file) : NULL;
    DIR *directory = folder ? opendir(folder) : NULL;
    for (const struct dirent *entry = directory ? readdir(directory) : NULL; entry; entry = readdir(directory)) {
        const size_t length = strlen(entry->d_name);
        if (length <= 4 || strcmp(entry->d_name + length - 4, ".lua") != 0)
            continue;
        char *name = sp_format("%.*s", (int)(length - 4), entry->d_name);
        const char *const names[] = { name, best };
        if (name && sp_nearest(word, names, best ? 2 : 1) == name) {
            free(best);
            best = name;
        } else {
            free(name);
        }
    }
    if (directory)
        closedir(directory);
    free(folder);
    return best;
}

static sp_status no_experiment(const char *word, const char *below, const char *own, sp_error *error)
{
    char *near = nearer(own, word, nearer(below, word, NULL));
    const sp_status status = sp_fail(error, SP_EABSENT, "%s: no such experiment: neither a file, nor %s, nor %s%s%s%s", word, below,
                                     own, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    free(near);
    return status;
}

sp_status sp_experiment_path(const sp_common *common, const char *word, char **path, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t length = strlen(word);
    char *below = NULL, *own = NULL, *file = sp_format("experiments/%s.lua", word);
    const bool given = length > 4 && strcmp(word + length - 4, ".lua") == 0;
    *path = NULL;
    if (!given)
        below = sp_format("%s/experiments/%s.lua", common->root, word);
    if (!file || (!given && !below))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", word));
    if (!given && access(below, F_OK) != 0)
        SP_TRY(sp_home_path(file, &own, error));
    if (own && access(own, F_OK) != 0)
        SP_TRY(no_experiment(word, below, own, error));
    *path = sp_copy_text(given ? word : own ? own : below);
    if (!*path)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", word));
cleanup:
    free(below);
    free(own);
    free(file);
    return status;
}

/* Is it of this scale? A name has no dot, a scale follows one. */
static bool of_scale(const char *folder, const char *scale)
{
    const char *dot = strchr(folder, '.');
    return dot ? dot > folder && strcmp(dot + 1, scale) == 0 : strcmp(scale, "default") == 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

sp_status sp_folders_with(const sp_common *common, const char *table, char ***names, size_t *count, sp_error *error)
{
    sp_status status = SP_OK;
    char *results = sp_format("%s/results", common->root);
    DIR *directory = results ? opendir(results) : NULL;
    if (!directory)
        SP_TRY(sp_fail(error, SP_EABSENT, "%s/results: no results there yet", common->root));
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char *path = sp_format("%s/%s/%s", results, entry->d_name, table);
        const bool wanted = path && of_scale(entry->d_name, common->scale) && sp_packed_there(path);
        free(path);
        if (!wanted)
            continue;
        char **grown = realloc(*names, (*count + 1) * sizeof *grown);
        if (grown)
            *names = grown;
        if (!grown || !(grown[*count] = sp_copy_text(entry->d_name)))
            SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", results));
        ++*count;
    }
    if (*count > 0)
        qsort(*names, *count, sizeof **names, by_text);
cleanup:
    if (directory)
        closedir(directory);
    free(results);
    return status;
}

sp_status sp_each_experiment(const sp_common *common, char **word, size_t words, sp_take_experiment *take, void *context,
                             sp_taken *out, sp_error *error)
{
    char **name = NULL;
    size_t count = 0;
    *out = (sp_taken){ .all = words };
    const sp_status status = words > 0 ? SP_OK : sp_folders_with(common, "runs.tsv", &name, &count, error);
    if (status == SP_OK && words == 0)
        out->all = count;
    for (size_t i = 0; i < out->all; i++) {
        sp_error why = { 0 };
        if (words == 0)
            name[i][strcspn(name[i], ".")] = '\0'; /* without the scale */
        if (take(context, words > 0 ? word[i] : name[i], &why) == SP_OK)
            continue;
        out->failed++;
        sp_complain(&why, SP_EXIT_FAILED);
    }
    for (size_t i = 0; i < count; i++)
        free(name[i]);
    free(name);
    return status;
}

void sp_suggest_folder(const sp_common *common, const char *name, const char *table, sp_error *error)
{
    char **names = NULL;
    size_t count = 0;
    const char *near = sp_folders_with(common, table, &names, &count, NULL) == SP_OK
                           ? sp_nearest(name, (const char *const *)names, count) : NULL;
    if (near) /* as one would type it: without the scale */
        sp_fail(error, SP_EABSENT, "%s/results/%s: no tables there; did you mean %.*s?", common->root, name,
                (int)strcspn(near, "."), near);
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

sp_status sp_open_runs(const sp_common *common, const char *name, sp_runs *runs, sp_error *error)
{
    char *folder = sp_format("%s/results/%s", common->root, name);
    const sp_status status = folder ? sp_runs_open(folder, 0, runs, error)
                                    : sp_fail(error, SP_ENOMEM, "%s: out of memory", name);
    if (status == SP_OK)
        sp_warn_unsealed(folder);
    if (status == SP_EABSENT)
        sp_suggest_folder(common, name, "runs.tsv", error);
    free(folder);
    return status;
}

sp_status sp_need_word(const char *const *known, size_t count, const char *place, const char *what, const char *word,
                       sp_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(known[i], word) == 0)
            return SP_OK;
    const char *near = sp_nearest(word, known, count);
    if (near)
        return sp_fail(error, SP_EINVAL, "%s has no %s %s; did you mean %s?", place, what, word, near);
    sp_text list = { 0 };
    for (size_t i = 0; i < count; i++)
        sp_text_append(&list, "%s%s", i > 0 ? ", " : "", known[i]);
    sp_fail(error, SP_EINVAL, "%s has no %s %s; it has: %s", place, what, word, list.data ? list.data : "none");
    sp_text_free(&list);
    return SP_EINVAL;
}
