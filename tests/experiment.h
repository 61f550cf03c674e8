/* experiment.h -- experiments written down inside tests: a fresh folder, files in it, plans loaded from it. */
#ifndef SP_TESTS_EXPERIMENT_H
#define SP_TESTS_EXPERIMENT_H

#include "core/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes and enters an empty folder where no public data are found: below TMPDIR, if that is short enough. */
static inline int enter_folder(char folder[64])
{
    static const char name[] = "/stillpoint-test-XXXXXX";
    const char *temporary = getenv("TMPDIR");
    if (!temporary || !*temporary || strlen(temporary) + sizeof name > 64)
        temporary = "/tmp";
    snprintf(folder, 64, "%s%s", temporary, name);
    if (!mkdtemp(folder) || chdir(folder) != 0 || mkdir("empty", 0700) != 0)
        return 1;
    return setenv("STILLPOINT_DATA", "empty", 1) || setenv("STILLPOINT_CACHE", "cache", 1);
}

static inline void leave_folder(const char *folder)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (chdir("/") != 0 || system(command) != 0)
        fprintf(stderr, "%s stays behind\n", folder);
}

static inline void write_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        perror(path);
}

static inline void write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

/* What lies in a file of the user's own now. */
static inline sp_status open_own_file(const char *path, const sp_read_options *options, sp_dataset *out,
                                      sp_error *error)
{
    char fingerprint[SP_HASH_HEX];
    *out = (sp_dataset){ 0 };
    const sp_status status = sp_data_file_fingerprint(path, options, fingerprint, error);
    return status == SP_OK ? sp_data_open_file(path, options, fingerprint, out, error) : status;
}

/* Loads `text` as x.lua of the folder; on failure prints why unless `error` is wanted. */
static inline sp_status load_text(const char *text, const char *scale, sp_plan *plan, sp_error *error)
{
    sp_error own = { SP_OK, "" };
    write_text("x.lua", text);
    const sp_status status = sp_plan_load("x.lua", scale, plan, error ? error : &own);
    if (status != SP_OK && !error)
        fprintf(stderr, "%s\n", own.text);
    return status;
}

#endif
