/* folders.c -- what an experiment's results are called, and which there are. */
#include "core/cli/verbs/verbs.h"

#include "core/base/memory.h"

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
        const bool wanted = path && of_scale(entry->d_name, common->scale) && access(path, F_OK) == 0;
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
