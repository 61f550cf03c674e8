/* audits.c -- see audits.h. A worker is forked for each method: whatever the method does to its process, it costs its
 * own audit alone, and the limit is one of the system's. */
#include "core/sweep/audits.h"

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/data/read/catalogue.h"
#include "core/run/worker.h"
#include "core/sweep/signals.h"
#include "core/sweep/workers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* --- the user's cache --------------------------------------------------------------------------------------- */

/* A new string; NULL: there is no such place. */
static char *cache_path(const char *key)
{
    char *cache = NULL, *folder = NULL, *path = NULL;
    if (sp_cache_directory(&cache, NULL) == SP_OK && (folder = sp_format("%s/audits", cache)) &&
        sp_make_directory(folder, NULL) == SP_OK)
        path = sp_format("%s/%s", folder, key);
    free(folder);
    free(cache);
    return path;
}

static void checksum_of(const char *key, const char *row, char out[SP_HASH_HEX])
{
    sp_hash hash;
    sp_hash_start(&hash);
    sp_hash_text(&hash, key);
    sp_hash_text(&hash, row);
    sp_hash_end_hex(&hash, out);
}

/* "row\nchecksum\n" */
static void keep_in_cache(const char *key, const char *row)
{
    char checksum[SP_HASH_HEX], *path = cache_path(key);
    checksum_of(key, row, checksum);
    char *text = path ? sp_format("%s\n%s\n", row, checksum) : NULL;
    if (text)
        sp_cache_write(path, &(sp_piece){ text, strlen(text) }, 1);
    free(text);
    free(path);
}

/* The row, a new string; NULL: it is not there, or not whole. */
static char *find_in_cache(const char *key)
{
    enum { MOST = 1 << 16 };
    char checksum[SP_HASH_HEX], *path = cache_path(key), *row = NULL;
    size_t size = 0, got = 0;
    int file = -1;
    if (path && !sp_open_file(path, &file, &size) && size < MOST && (row = sp_alloc(size + 1, 1)))
        for (ssize_t more = 1; more > 0 && got < size; got += more > 0 ? (size_t)more : 0)
            more = read(file, row + got, size - got);
    if (file >= 0)
        close(file);
    free(path);
    char *end = row && strlen(row) == size ? strchr(row, '\n') : NULL;
    if (end) {
        *end++ = '\0';
        checksum_of(key, row, checksum);
        if (strncmp(end, checksum, SP_HASH_HEX - 1) == 0 && strcmp(end + SP_HASH_HEX - 1, "\n") == 0)
            return row;
    }
    free(row);
    return NULL;
}

/* --- one method --------------------------------------------------------------------------------------------- */

typedef struct task {
    const sp_plan *plan;
    const sp_audited *audited;
    unsigned seconds;
} task;

/* Is it, or a method within it, a process of its own? */
static bool is_apart(const sp_method *method)
{
    const sp_foreign *foreign = method->algorithm->foreign;
    bool apart = foreign && foreign->apart;
    for (size_t i = 0; i < method->values.count && !apart; i++)
        apart = sp_submethod(&method->values, i) && is_apart(sp_submethod(&method->values, i));
    return apart;
}

/* In the worker. The row is the result's `resolved`. */
static void work(const void *context, sp_result *result)
{
    const task *t = context;
    sp_error error = { 0 };
    sp_text row = { 0 };
    const struct rlimit limit = { t->seconds, t->seconds + 1 }, none = { 0, 0 };
    sp_result_start(result);
    if (t->seconds > 0) {
        setrlimit(RLIMIT_CORE, &none);
        setrlimit(RLIMIT_CPU, &limit);
    }
    if (t->seconds > 0 && is_apart(&t->audited->method)) /* its time is another process's */
        alarm(t->seconds);
    const sp_status status = sp_audit_row(t->plan, &t->audited->method, SP_AUDITED_RUNS, SP_AUDITED_SEED, &row, &error);
    if (status == SP_OK)
        result->resolved = row.data;
    else
        sp_result_fail(result, status, "%s", error.text);
}

/* "warm_start (dp_sgd, dp_spider)" */
static void append_name(const sp_method *method, sp_text *out)
{
    const char *before = " (";
    sp_text_append(out, "%s", method->algorithm->name);
    for (size_t i = 0; i < method->values.count; i++)
        if (sp_submethod(&method->values, i)) {
            sp_text_append(out, "%s", before);
            append_name(sp_submethod(&method->values, i), out);
            before = ", ";
        }
    sp_text_append(out, "%s", *before == ',' ? ")" : "");
}

static void say(const sp_method *method, const char *text)
{
    sp_text name = { 0 };
    append_name(method, &name);
    fprintf(stderr, "audit: %s: %s\n", name.data ? name.data : method->algorithm->name, text);
    sp_text_free(&name);
}

/* --- all of them -------------------------------------------------------------------------------------------- */

typedef struct slot {
    sp_worker worker;
    const sp_audited *audited;
} slot;

typedef struct audits {
    const sp_plan *plan;
    sp_store *store;
    const sp_audits_options *options;
    sp_audits_summary *summary;
    sp_audited *audited; /* those that have to be made */
    size_t count, next;
    slot *slot;
    struct pollfd *wait; /* one a slot at work, then the signals */
    size_t slots, active;
    sp_signals signals;
} audits;

/* The finding, which names the method, is the last field. */
static void count_failure(audits *a, const char *row)
{
    if (strncmp(row, "failed\t", strlen("failed\t")) != 0)
        return;
    a->summary->failed++;
    fprintf(stderr, "audit FAILED: %s\n", strrchr(row, '\t') + 1);
}

/* In the store, or found in the cache and stored. */
static sp_status find_known(audits *a, const sp_audited *audited, bool *known, sp_error *error)
{
    sp_text row = { 0 };
    char *cached = NULL;
    sp_status status = sp_store_get_audit(a->store, audited->key, &row, error);
    if (status == SP_EABSENT) {
        status = SP_OK;
        if ((cached = find_in_cache(audited->key)))
            SP_TRY(sp_store_put_audit(a->store, audited->key, cached, error));
    }
    const char *found = cached ? cached : row.data;
    *known = status == SP_OK && found;
    if (*known) {
        a->summary->known++;
        count_failure(a, found);
    }
cleanup:
    free(cached);
    sp_text_free(&row);
    return status;
}

static sp_status keep(audits *a, const sp_audited *audited, const sp_result *result, sp_error *error)
{
    sp_status status = SP_OK;
    if (result->status == SP_ENOMEM)
        SP_TRY(sp_fail(error, SP_ENOMEM, "the audit of %s: out of memory", audited->method.algorithm->name));
    if (result->signal == SIGXCPU || result->signal == SIGALRM) {
        a->summary->left_out++;
        if (!a->options->quiet)
            say(&audited->method, "not done in the seconds that there are for one: left out");
        goto cleanup;
    }
    if (result->status != SP_OK) {
        a->summary->died++;
        say(&audited->method, result->message);
        goto cleanup;
    }
    a->summary->made++;
    keep_in_cache(audited->key, result->resolved);
    SP_TRY(sp_store_put_audit(a->store, audited->key, result->resolved, error));
    count_failure(a, result->resolved);
cleanup:
    return status;
}

/* The last slot in use moves into the place that becomes free. */
static sp_status finish(audits *a, size_t i, sp_error *error)
{
    slot done = a->slot[i];
    sp_result result;
    a->slot[i] = a->slot[--a->active];
    if (sp_worker_take(&done.worker, &result))
        sp_worker_end(&done.worker);
    const sp_status status = keep(a, done.audited, &result, error);
    sp_result_free(&result);
    return status;
}

static sp_status make_all(audits *a, sp_error *error)
{
    sp_status status = SP_OK;
    while (a->next < a->count || a->active > 0) {
        while (a->active < a->slots && a->next < a->count) {
            slot *s = &a->slot[a->active];
            const task t = { a->plan, s->audited = &a->audited[a->next], a->options->seconds };
            SP_TRY(sp_worker_start(&s->worker, work, &t, sizeof t, 0.0, 0, error));
            a->active++;
            a->next++;
        }
        for (size_t i = 0; i < a->active; i++)
            a->wait[i] = (struct pollfd){ .fd = a->slot[i].worker.socket, .events = POLLIN };
        a->wait[a->active] = (struct pollfd){ .fd = a->signals.file, .events = POLLIN };
        const size_t polled = a->active;
        if (poll(a->wait, polled + 1, -1) < 0 && errno != EINTR)
            SP_TRY(sp_fail(error, SP_EIO, "audits: %s", strerror(errno)));
        if (sp_signals_read(&a->signals).interrupt)
            SP_TRY(sp_fail(error, SP_EINTERRUPTED, "interrupted: %zu methods are left to be audited; the runs are stored, "
                           "the tables are written", a->count - a->next + a->active));
        for (size_t i = polled; i-- > 0;) /* downwards: finish() fills the gap from above */
            if (a->wait[i].revents != 0 && sp_worker_read(&a->slot[i].worker))
                SP_TRY(finish(a, i, error));
    }
cleanup:
    for (size_t i = 0; i < a->active; i++)
        sp_worker_kill(&a->slot[i].worker, false);
    while (a->active > 0)
        sp_worker_end(&a->slot[--a->active].worker);
    return status;
}

static void say_what_is_to_be_done(const audits *a)
{
    sp_text names = { 0 };
    if (a->options->quiet || a->count == 0)
        return;
    for (size_t i = 0; i < a->count; i++) {
        sp_text_append(&names, "%s", i > 0 ? ", " : "");
        append_name(&a->audited[i].method, &names);
    }
    fprintf(stderr, "auditing, once (--no-audit leaves it out): %s\n", names.data ? names.data : "");
    sp_text_free(&names);
}

sp_status sp_audit_methods(const sp_plan *plan, sp_store *store, const sp_audits_options *options,
                           sp_audits_summary *summary, sp_error *error)
{
    sp_status status = SP_OK;
    size_t methods = 0;
    audits a = { .plan = plan, .store = store, .options = options, .summary = summary };
    *summary = (sp_audits_summary){ 0 };
    sp_signals_hold(&a.signals);
    SP_TRY(sp_audited_methods(plan, &a.audited, &methods, error));
    for (size_t i = 0; i < methods; i++) {
        bool known = a.audited[i].left_out;
        summary->methods += !known;
        if (!known)
            SP_TRY(find_known(&a, &a.audited[i], &known, error));
        if (!known)
            a.audited[a.count++] = a.audited[i];
    }
    a.slots = a.count > 0 ? sp_worker_slots(options->jobs, true) : 0;
    a.slots = a.slots < a.count ? a.slots : a.count;
    a.slot = sp_alloc(a.slots + 1, sizeof *a.slot);
    a.wait = sp_alloc(a.slots + 1, sizeof *a.wait);
    if (a.signals.file < 0 || !a.slot || !a.wait)
        SP_TRY(sp_fail(error, a.signals.file < 0 ? SP_EIO : SP_ENOMEM, "audits: %s", strerror(errno)));
    say_what_is_to_be_done(&a);
    SP_TRY(make_all(&a, error));
    for (size_t i = 0; i < methods && !options->quiet; i++)
        if (is_apart(&a.audited[i].method))
            say(&a.audited[i].method, "a program of its own: it is handed the oracle's answers and no record");
    if (!options->quiet)
        fprintf(stderr, "audits: %zu methods: %zu made now, %zu known before, %zu left out, %zu failed\n",
                summary->methods, summary->made, summary->known, summary->left_out + summary->died, summary->failed);
cleanup:
    free(a.audited);
    free(a.slot);
    free(a.wait);
    sp_signals_release(&a.signals, status == SP_EINTERRUPTED);
    return status;
}
