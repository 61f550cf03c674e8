/* part_claim.c -- see part_claim.h. */
#include "core/cluster/part_claim.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RENEWALS = 10 /* within the limit */ };

double sp_part_claim_limit(void)
{
    const char *text = getenv("STILLPOINT_CLAIM_SECONDS");
    const double asked = text ? strtod(text, NULL) : 0.0;
    return asked >= 0.1 && asked <= 3600.0 ? asked : 600.0;
}

/* --- renewing ----------------------------------------------------------------------------------------------------- */

/* A thread, because the program waits for its workers without an end. When the program is stopped, so is the thread. */
static void *renew(void *context)
{
    const sp_part_claim *c = context;
    const double wait = sp_part_claim_limit() / RENEWALS;
    const struct timespec pause = { (time_t)wait, (long)(1e9 * (wait - (double)(time_t)wait)) };
    for (;;) {
        nanosleep(&pause, NULL); /* where sp_part_claim_release ends it */
        utimensat(AT_FDCWD, c->path, NULL, 0);
    }
    return NULL;
}

/* Signals are for the other thread. Without a thread the claim is not renewed: then the work may be done twice. */
static void begin_to_renew(sp_part_claim *c)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    c->renews = pthread_create(&c->renewer, NULL, renew, c) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* --- taking ------------------------------------------------------------------------------------------------------- */

static void write_text(char out[SP_CLAIM_TEXT])
{
    char host[256] = "", date[32];
    const time_t now = time(NULL);
    struct tm utc;
    gethostname(host, sizeof host - 1);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    snprintf(out, SP_CLAIM_TEXT, "%s %ld %s", host, (long)getpid(), date);
}

static void read_text(const char *path, char out[SP_CLAIM_TEXT])
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? sp_read(file, out, SP_CLAIM_TEXT - 1) : 0;
    out[length > 0 ? length : 0] = '\0';
    if (file >= 0)
        close(file);
}

/* Was it written on this host, by a process that is gone, or by one that had the number of this process? */
static bool is_process_gone(const char *text, const char *own)
{
    const size_t host = strcspn(own, " ") + 1;
    const long process = strncmp(text, own, host) == 0 ? strtol(text + host, NULL, 10) : 0;
    return process > 0 && (process == (long)getpid() || (kill((pid_t)process, 0) != 0 && errno == ESRCH));
}

/* The time of the file system, by a file that is created beside the claim. 0: it cannot be created. */
static double file_system_time(const char *path, const char *own)
{
    struct stat made = { 0 };
    char *name = sp_format("%s.%.*s.%ld", path, (int)strcspn(own, " "), own, (long)getpid());
    const int file = name ? open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0666) : -1;
    if (file >= 0) {
        if (futimens(file, NULL) == 0)
            fstat(file, &made);
        close(file);
        unlink(name);
    }
    free(name);
    return (double)made.st_mtim.tv_sec + 1e-9 * (double)made.st_mtim.tv_nsec;
}

static bool is_abandoned(const char *path, const char *text, const char *own)
{
    struct stat found;
    if (is_process_gone(text, own) || stat(path, &found) != 0)
        return true;
    const double renewed = (double)found.st_mtim.tv_sec + 1e-9 * (double)found.st_mtim.tv_nsec;
    return file_system_time(path, own) - renewed > sp_part_claim_limit();
}

sp_status sp_part_claim_take(sp_part_claim *c, const char *path, sp_error *error)
{
    *c = (sp_part_claim){ 0 };
    write_text(c->text);
    int file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST) {
        read_text(path, c->from);
        if (!is_abandoned(path, c->from, c->text))
            return SP_EABSENT;
        unlink(path);
        file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
        if (file < 0 && errno == EEXIST)
            return SP_EABSENT;
    }
    if (file < 0)
        return sp_fail(error, SP_EIO, "%s: %s", path, sp_system_error(errno));
    const ssize_t length = (ssize_t)strlen(c->text), written = write(file, c->text, (size_t)length);
    close(file);
    c->path = sp_copy_text(path);
    if (!c->path || written != length) {
        unlink(path);
        free(c->path);
        c->path = NULL;
        return sp_fail(error, SP_EIO, "%s: it cannot be written", path);
    }
    begin_to_renew(c);
    return SP_OK;
}

void sp_part_claim_release(sp_part_claim *c)
{
    char now[SP_CLAIM_TEXT];
    if (!c->path)
        return;
    if (c->renews) {
        pthread_cancel(c->renewer);
        pthread_join(c->renewer, NULL);
    }
    read_text(c->path, now);
    if (strcmp(now, c->text) == 0)
        unlink(c->path);
    free(c->path);
    *c = (sp_part_claim){ 0 };
}
