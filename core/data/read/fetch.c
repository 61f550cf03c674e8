/* fetch.c -- downloads a missing file into a temporary folder of the cache, verifies it, and only then keeps it. */
#include "core/data/read/catalogue.h"

#include "core/base/atomic_file.h"
#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/data/read/cache.h"
#include "core/data/read/read_internal.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The last download, kept while it may serve again: two parts may come from one package. */
typedef struct depot {
    char *folder;        /* of its own in the cache, removed with all in it; NULL: nothing was fetched yet */
    int lock;            /* held on it; -1 without */
    char *file;          /* what was fetched */
    const char *address; /* from where */
} depot;

/* --- the web ------------------------------------------------------------------------------------------------- */

static sp_status fetch_web(const char *address, const char *file, sp_error *error)
{
    char said[CURL_ERROR_SIZE] = "";
    CURL *curl = curl_easy_init();
    FILE *out = fopen(file, "wb");
    CURLcode code = CURLE_OUT_OF_MEMORY;
    if (curl && out) {
        curl_easy_setopt(curl, CURLOPT_URL, address);
        curl_easy_setopt(curl, CURLOPT_WRITEDATA, out);
        curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, said);
        curl_easy_setopt(curl, CURLOPT_USERAGENT, "stillpoint");
        curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
        curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 10L);
        curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
        curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 30L);
        curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 100L); /* bytes a second, for so many seconds: given up */
        curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, 60L);
        curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
        code = curl_easy_perform(curl);
    }
    const bool whole = (!out || fclose(out) == 0) && code == CURLE_OK;
    curl_easy_cleanup(curl);
    if (whole)
        return SP_OK;
    return sp_fail(error, SP_EIO, "%s: %s", address,
                   *said ? said : code != CURLE_OK ? curl_easy_strerror(code) : strerror(errno));
}

/* --- Debian's packages --------------------------------------------------------------------------------------- */

/* What the child complained about, as one line. */
static void read_complaint(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(text, 1, room - 1, file) : 0;
    if (file)
        fclose(file);
    while (size > 0 && text[size - 1] == '\n')
        size--;
    text[size] = '\0';
    for (char *at = text; (at = strchr(at, '\n'));)
        *at = ' ';
}

static sp_status run_apt(const char *package, const char *folder, const char *complaints, sp_error *error)
{
    char *argv[] = { "apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", (char *)package, NULL };
    char said[512];
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int result = 0, failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return sp_fail(error, SP_ENOMEM, "apt-get: %s", strerror(failed));
    failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    failed = failed ? failed : posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    failed = failed ? failed : posix_spawn_file_actions_addopen(&actions, 2, complaints, O_WRONLY | O_CREAT, 0600);
    failed = failed ? failed : posix_spawn_file_actions_addchdir_np(&actions, folder); /* last: paths are relative */
    failed = failed ? failed : posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return sp_fail(error, SP_EIO, "apt-get download %s: %s", package, strerror(failed));
    while (waitpid(child, &result, 0) < 0)
        if (errno != EINTR)
            return sp_fail(error, SP_EIO, "apt-get download %s: %s", package, strerror(errno));
    if (WIFEXITED(result) && WEXITSTATUS(result) == 0)
        return SP_OK;
    read_complaint(complaints, said, sizeof said);
    return sp_fail(error, SP_EIO, "apt-get download %s: %s", package, *said ? said : "failed");
}

/* *file: the package that lies in the folder afterwards, a new string. */
static sp_status fetch_debian(const char *package, const char *folder, char **file, sp_error *error)
{
    sp_status status = SP_OK;
    glob_t found = { 0 };
    char *complaints = sp_format("%s/complaints", folder), *pattern = sp_format("%s/*.deb", folder);
    if (!complaints || !pattern) {
        status = sp_fail(error, SP_ENOMEM, "%s: out of memory", package);
        goto cleanup;
    }
    SP_TRY(run_apt(package, folder, complaints, error));
    if (glob(pattern, 0, NULL, &found) != 0)
        status = sp_fail(error, SP_EIO, "apt-get download %s: left no package behind", package);
    else if (!(*file = sp_copy_text(found.gl_pathv[0])))
        status = sp_fail(error, SP_ENOMEM, "%s: out of memory", package);
cleanup:
    globfree(&found);
    free(pattern);
    free(complaints);
    return status;
}

/* --- the depot ----------------------------------------------------------------------------------------------- */

static void depot_close(depot *d)
{
    char *pattern = d->folder ? sp_format("%s/*", d->folder) : NULL;
    glob_t found = { 0 };
    if (pattern && glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            unlink(found.gl_pathv[i]);
    globfree(&found);
    free(pattern);
    if (d->folder)
        rmdir(d->folder);
    if (d->lock >= 0)
        close(d->lock);
    free(d->folder);
    free(d->file);
    *d = (depot){ .lock = -1 };
}

static void tell(void (*report)(const char *), const char *name, const char *what, const char *where)
{
    char *line = report ? sp_format("%s: %s %s", name, what, where) : NULL;
    if (line)
        report(line);
    free(line);
}

/* A folder that goes with this process: should it be killed, the next one removes it. */
static sp_status make_folder(depot *d, sp_error *error)
{
    sp_status status = SP_OK;
    char *cache = NULL, *name = NULL;
    SP_TRY(sp_cache_directory(&cache, error));
    if (!(name = sp_format("%s/fetch", cache)) || !(d->folder = sp_part_path(name)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", cache));
    sp_remove_leftovers(name);
    if (mkdir(d->folder, 0700) != 0 && errno != EEXIST) { /* left by one that had this process's number */
        status = sp_fail(error, SP_EIO, "%s: %s", d->folder, strerror(errno));
        free(d->folder);
        d->folder = NULL;
        goto cleanup;
    }
    d->lock = open(d->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d->lock >= 0 && flock(d->lock, LOCK_EX | LOCK_NB) != 0)
        errno = 0; /* as in sp_atomic_file_begin */
cleanup:
    free(name);
    free(cache);
    return status;
}

static sp_status depot_open(depot *d, const sp_catalogue_part *part, void (*report)(const char *), sp_error *error)
{
    const char *address = part->address;
    if (d->address && strcmp(d->address, address) == 0)
        return SP_OK;
    sp_status status = SP_OK;
    depot_close(d);
    tell(report, part->file, "fetching", address);
    SP_TRY(make_folder(d, error));
    if (strncmp(address, SP_DEBIAN, strlen(SP_DEBIAN)) == 0)
        SP_TRY(fetch_debian(address + strlen(SP_DEBIAN), d->folder, &d->file, error));
    else if ((d->file = sp_format("%s/download", d->folder)))
        SP_TRY(fetch_web(address, d->file, error));
    else
        status = sp_fail(error, SP_ENOMEM, "%s: out of memory", address);
    d->address = address;
cleanup:
    return status;
}

/* --- parts --------------------------------------------------------------------------------------------------- */

/* *here: the file was found and is what it should be. One in the cache that is not is deleted. */
static sp_status check_here(const sp_catalogue_part *part, void (*report)(const char *), bool *here, sp_error *error)
{
    sp_status status = SP_OK;
    char *path = NULL;
    sp_content content = { 0 };
    bool own;
    *here = false;
    SP_TRY(sp_part_locate(part, &path, &own, error));
    if (!path)
        goto cleanup;
    status = sp_part_read(part, path, NULL, &content, error);
    if (status == SP_OK) {
        *here = true;
        tell(report, part->file, "already here, SHA-256 right:", path);
    } else if (own && (status == SP_EHASH || status == SP_EDATA)) {
        status = SP_OK;
        unlink(path);
        tell(report, part->file, "damaged, deleted:", path);
    }
cleanup:
    sp_content_free(&content);
    free(path);
    return status;
}

static sp_status fetch_part(const sp_catalogue_part *part, depot *d, void (*report)(const char *), sp_error *error)
{
    sp_status status = SP_OK;
    char *folder = NULL, *path = NULL;
    sp_content content = { 0 };
    SP_TRY(depot_open(d, part, report, error));
    if ((status = sp_part_read(part, d->file, part->member, &content, error)) != SP_OK) {
        sp_fail_prefix(error, "%s: not kept", part->address);
        goto cleanup;
    }
    SP_TRY(sp_cache_folder("downloads", &folder, error));
    if (!(path = sp_format("%s/%s", folder, part->file))) {
        status = sp_fail(error, SP_ENOMEM, "%s: out of memory", part->file);
        goto cleanup;
    }
    SP_TRY(sp_write_file(path, content.bytes, content.size, error));
    tell(report, part->file, "SHA-256 right, kept as", path);
cleanup:
    free(path);
    free(folder);
    sp_content_free(&content);
    return status;
}

sp_status sp_catalogue_fetch(const sp_catalogue_entry *entry, void (*report)(const char *line), sp_error *error)
{
    sp_status status = SP_OK;
    depot d = { .lock = -1 };
    for (size_t i = 0; i < sp_part_count(entry); i++) {
        const sp_catalogue_part *part = &entry->part[i];
        bool here;
        SP_TRY(check_here(part, report, &here, error));
        if (here)
            continue;
        if (!part->address) {
            status = sp_part_absent(entry, part, error);
            goto cleanup;
        }
        SP_TRY(fetch_part(part, &d, report, error));
    }
cleanup:
    depot_close(&d);
    if (status != SP_OK)
        sp_fail_prefix(error, "%s", entry->name);
    return status;
}
