/* plugins.c -- see plugins.h. */
#include "core/plan/plugins.h"

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/plan/registry.h"
#include "core/plugin/inspect.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOAD_SECONDS = 10 };

typedef struct loaded {
    struct loaded *next;
    char hash[SP_HASH_HEX];
    char path[];
} loaded;

static loaded *first, **end = &first;

size_t sp_plugins_loaded(void)
{
    size_t count = 0;
    for (const loaded *l = first; l; l = l->next)
        count++;
    return count;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void sp_plugins_print(sp_text *out)
{
    for (const loaded *l = first; l; l = l->next)
        sp_text_append(out, "; plugin %s %s", file_name(l->path), l->hash);
}

/* --- a process of its own --------------------------------------------------------------------------------------- */

/* What a child says: nothing, when all is well, or the message of its failure. */
typedef struct said {
    sp_status status;
    char text[sizeof((sp_error *)NULL)->text];
} said;

/* Calls work(context, error) in a child and takes what it says; *ended is how the child ended when it said nothing, else
 * 0. */
static sp_status in_child(sp_status (*work)(void *context, sp_error *), void *context, unsigned seconds, int *ended,
                          sp_error *error)
{
    int ends[2];
    said heard = { .status = SP_OK };
    *ended = 0;
    if (pipe(ends) != 0)
        return sp_fail(error, SP_EIO, "no pipe: %s", strerror(errno));
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit none = { 0, 0 };
        sp_error mine = { 0 };
        close(ends[0]);
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGALRM, SIG_DFL);
        alarm(seconds);
        heard.status = work(context, &mine);
        memcpy(heard.text, mine.text, sizeof heard.text);
        const ssize_t written = write(ends[1], &heard, sizeof heard);
        _exit(written == sizeof heard ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    const int cause = errno;
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return sp_fail(error, SP_EIO, "no process: %s", strerror(cause));
    }
    size_t got = 0;
    for (ssize_t more = 1; more > 0 && got < sizeof heard; got += more > 0 ? (size_t)more : 0)
        more = sp_read(ends[0], (char *)&heard + got, sizeof heard - got);
    close(ends[0]);
    while (waitpid(child, ended, 0) < 0 && errno == EINTR)
        ;
    if (got < sizeof heard) {
        *ended = *ended == 0 ? W_EXITCODE(EXIT_FAILURE, 0) : *ended; /* what it called has ended it */
        return SP_OK;
    }
    *ended = 0;
    return heard.status == SP_OK ? SP_OK : sp_fail(error, heard.status, "%s", heard.text);
}

/* --- what it holds ---------------------------------------------------------------------------------------------- */

/* A name that tables and keys can hold, as `new` wants it. */
static sp_status check_entry(const char *path, const char *kind, const char *name, const char *const text[], bool works,
                             sp_error *error)
{
    enum { LONGEST = 40 };
    if (!name || name[0] < 'a' || name[0] > 'z' || strlen(name) > LONGEST ||
        name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")])
        return sp_fail(error, SP_EINVAL, "%s: a %s called %s: a name is a lower-case letter, then lower-case letters, digits "
                       "and _, %d at most", path, kind, name ? name : "nothing", LONGEST);
    for (size_t i = 0; text[i]; i += 2) /* "summary", its value, ... */
        if (strpbrk(text[i + 1], "\t\n"))
            return sp_fail(error, SP_EINVAL, "%s: %s %s: %s must be one line of text", path, kind, name, text[i]);
    if (!works)
        return sp_fail(error, SP_EINVAL, "%s: %s %s: what computes it is missing", path, kind, name);
    return SP_OK;
}

/* A text that is missing is a wrong one. */
#define TEXT(entry, field) #field, (entry)->field ? (entry)->field : "\n"

static sp_status register_all(const char *path, const sp_plugin *plugin, const char *hash, sp_error *error)
{
    sp_status status = SP_OK;
    size_t held = 0;
    for (const sp_algorithm *const *a = plugin->algorithms; a && *a; a++, held++) {
        const char *const text[] = { TEXT(*a, summary), TEXT(*a, when), TEXT(*a, source), TEXT(*a, releases), NULL };
        SP_TRY(check_entry(path, "algorithm", (*a)->name, text, (*a)->run, error));
        SP_TRY(sp_register_algorithm(*a, hash, error));
    }
    for (const sp_loss *const *l = plugin->losses; l && *l; l++, held++) {
        const char *const text[] = { TEXT(*l, family), TEXT(*l, formula), TEXT(*l, source), NULL };
        const int forms = ((*l)->link != NULL) + ((*l)->tilt != NULL) + ((*l)->record != NULL);
        SP_TRY(check_entry(path, "loss", (*l)->name, text, forms == 1 && (!(*l)->link || (*l)->link_bounds), error));
        SP_TRY(sp_register_loss(*l, hash, error));
    }
    for (const sp_measure *const *m = plugin->measures; m && *m; m++, held++) {
        const char *const text[] = { TEXT(*m, summary), TEXT(*m, unit), TEXT(*m, error), NULL };
        SP_TRY(check_entry(path, "measure", (*m)->name, text, (*m)->compute, error));
        SP_TRY(sp_register_measure(*m, hash, error));
    }
    for (const sp_generator *const *g = plugin->generators; g && *g; g++, held++) {
        const char *const text[] = { TEXT(*g, summary), NULL };
        const bool works = (*g)->radius && (*g)->label_bound && ((*g)->record || (*g)->nth);
        SP_TRY(check_entry(path, "generator", (*g)->name, text, works, error));
        SP_TRY(sp_register_generator(*g, hash, error));
    }
    if (held == 0)
        SP_TRY(sp_fail(error, SP_EINVAL, "%s: it holds no algorithm, loss, measure or generator", path));
cleanup:
    if (status != SP_OK && error && strncmp(error->text, path, strlen(path)) != 0)
        sp_fail_prefix(error, "%s", path);
    return status;
}

static sp_status hash_file(const char *path, char out[SP_HASH_HEX], sp_error *error)
{
    char block[1 << 14];
    sp_hash hash;
    int file;
    size_t size;
    ssize_t got;
    const char *why = sp_open_file(path, &file, &size);
    if (why)
        return sp_fail(error, SP_EINVAL, "%s: %s", path, why);
    sp_hash_start(&hash);
    while ((got = sp_read(file, block, sizeof block)) > 0)
        sp_hash_add(&hash, block, (size_t)got);
    close(file);
    if (got < 0)
        return sp_fail(error, SP_EINVAL, "%s: it could not be read", path);
    sp_hash_end_hex(&hash, out);
    return SP_OK;
}

typedef struct loading {
    const char *path, *hash;
} loading;

static sp_status load(void *context, sp_error *error)
{
    const loading *l = context;
    const sp_plugin *plugin;
    const sp_status status = sp_plugin_inspect(l->path, &plugin, error);
    return status == SP_OK ? register_all(l->path, plugin, l->hash, error) : status;
}

sp_status sp_plugins_load(const char *path, sp_error *error)
{
    sp_status status = SP_OK;
    char hash[SP_HASH_HEX];
    loaded *new = NULL;
    int ended;
    SP_TRY(hash_file(path, hash, error));
    for (const loaded *l = first; l; l = l->next)
        if (strcmp(l->hash, hash) == 0)
            return SP_OK;
    loading l = { path, hash };
    SP_TRY(in_child(load, &l, LOAD_SECONDS, &ended, error));
    if (WIFSIGNALED(ended) && WTERMSIG(ended) == SIGALRM)
        SP_TRY(sp_fail(error, SP_EINVAL, "%s: it was not loaded after %d s", path, LOAD_SECONDS));
    if (WIFSIGNALED(ended))
        SP_TRY(sp_fail(error, SP_EINVAL, "%s: it crashed while it was loaded (%s)", path, strsignal(WTERMSIG(ended))));
    if (ended != 0)
        SP_TRY(sp_fail(error, SP_EINVAL, "%s: it ended the program that loaded it", path));
    if (!(new = sp_alloc(1, sizeof *new + strlen(path) + 1)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    SP_TRY(load(&l, error));
    memcpy(new->path, path, strlen(path));
    memcpy(new->hash, hash, sizeof hash);
    *end = new;
    end = &new->next;
    new = NULL;
cleanup:
    free(new);
    return status;
}

/* --- what is done with it --------------------------------------------------------------------------------------- */

typedef struct trial {
    void (*work)(void *context);
    void *context;
} trial;

static sp_status do_work(void *context, sp_error *error)
{
    (void)error;
    const trial *t = context;
    t->work(t->context);
    return SP_OK;
}

sp_status sp_plugins_try(void (*work)(void *context), void *context, unsigned seconds, const char *what, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text names = { 0 };
    int ended;
    if (!first)
        return SP_OK;
    SP_TRY(in_child(do_work, &(trial){ work, context }, seconds, &ended, error));
    if (ended == 0 || (WIFSIGNALED(ended) && WTERMSIG(ended) == SIGALRM))
        return SP_OK;
    for (const loaded *l = first; l; l = l->next)
        sp_text_append(&names, "%s%s", l == first ? "" : ", ", file_name(l->path));
    status = sp_fail(error, SP_EINVAL, "%s: a plugin %s%s%s: %s", what, WIFSIGNALED(ended) ? "crashed (" : "ended the program",
                     WIFSIGNALED(ended) ? strsignal(WTERMSIG(ended)) : "", WIFSIGNALED(ended) ? ")" : "",
                     names.data ? names.data : "");
cleanup:
    sp_text_free(&names);
    return status;
}
