/* provenance.c -- what made a result; see provenance.h. */
#include "core/export/provenance.h"

#include "core/base/memory.h"
#include "core/numeric/blas.h"
#include "core/plan/registry.h"
#include "core/run/platform.h"
#include "core/store/build.h"

#include <archive.h>
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <lua.h>
#include <nettle/version.h>
#include <spawn.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The first line of a new string; "unknown" for NULL or an empty one. */
static char *first_line(char *text)
{
    if (text)
        text[strcspn(text, "\n")] = '\0';
    if (text && *text)
        return text;
    free(text);
    return sp_copy_text("unknown");
}

static char *processor(void)
{
    char *line = NULL, *found = NULL;
    size_t room = 0;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !found && getline(&line, &room, file) > 0)
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':'))
            found = sp_copy_text(strchr(line, ':') + 2);
    free(line);
    if (file)
        fclose(file);
    return first_line(found);
}

static char *libraries(void)
{
    sp_text text = { 0 };
    sp_text_append(&text, "%s; SQLite %s; %s; %s; libcurl %s; Nettle %d.%d", sp_platform(), sqlite3_libversion(),
                   LUA_RELEASE, archive_version_string(), curl_version_info(CURLVERSION_NOW)->version,
                   nettle_version_major(), nettle_version_minor());
    for (const char *const *name = sp_extra_names; *name; name++)
        sp_text_append(&text, "; built in %s %.12s", *name, sp_source_hash(*name));
    if (text.failed)
        sp_text_free(&text);
    return text.data;
}

static char *command_line(int argc, char *const *argv)
{
    sp_text text = { 0 };
    sp_text_append(&text, "stillpoint run");
    for (int i = 1; i < argc; i++)
        sp_text_append(&text, " %s", argv[i]);
    if (text.failed)
        sp_text_free(&text);
    return text.data;
}

static char *utc_now(void)
{
    char text[32];
    struct tm parts;
    const time_t now = time(NULL);
    gmtime_r(&now, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return sp_copy_text(text);
}

sp_status sp_provenance_record(const sp_plan *plan, sp_store *store, int argc, char *const *argv, sp_error *error)
{
    sp_provenance_row row = {
        .command = command_line(argc, argv),
        .scale = sp_copy_text(plan->scale),
        .script = sp_copy_text(plan->script),
        .commit = sp_copy_text(sp_build_commit),
        .compiler = sp_copy_text(STILLPOINT_COMPILER),
        .flags = sp_copy_text(STILLPOINT_FLAGS),
        .libraries = libraries(),
        .blas_core = sp_copy_text(sp_blas_core()),
        .cpu = processor(),
        .started = utc_now(),
        .dirty = sp_build_changed != 0,
    };
    char *const owned[] = { row.command,   row.scale,     row.script, row.commit,  row.compiler,
                            row.flags,     row.libraries, row.blas_core, row.cpu, row.started };
    bool complete = true;
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        complete = complete && owned[i];

    const sp_status status = complete ? sp_store_invocation(store, &row, error)
                                      : sp_fail(error, SP_ENOMEM, "provenance: out of memory");
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    return status;
}
