/*
 * verify_stamp.c -- see verify_stamp.h.
 *
 * A run that differs, or that dies, keeps all its old hashes from being stamped, since any of them may be the cause; and
 * so does an experiment that cannot be checked.
 */
#include "core/cli/verbs/verify_sample.h"

#include "core/cli/verbs/replay.h"

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/base/seal.h"
#include "core/plan/registry.h"
#include "core/store/build.h"
#include "core/export/reseal.h"
#include "core/sweep/workers.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* How a sampled run went, in memory that the workers share. */
typedef struct outcome {
    enum { WAITING, STARTED, EQUAL, DIFFERENT, IMPOSSIBLE } state;
    char text[480];      /* the field that differs, or why it could not be rerun */
} outcome;

typedef struct board {
    atomic_size_t next;
    outcome outcome[];
} board;

typedef struct stamping {
    sp_stale_sample sample;
    char *path;          /* of stamps.tsv */
    board *board;
} stamping;

/* --- reruns ---------------------------------------------------------------------------------------------------- */

typedef struct rerun {
    sp_data_pool *pool;
    const sp_stale_run *of;
    outcome *out;
} rerun;

static sp_status rerun_one(void *context, const sp_table_run *stored, sp_error *error)
{
    sp_status status = SP_OK;
    const rerun *r = context;
    sp_text theirs = { 0 }, ours = { 0 };
    char name[SP_RUN_NAME];
    SP_TRY(sp_run_compare(r->pool, stored, &theirs, &ours, error));
    sp_run_name(stored->cell, stored->replicate, name);
    if (theirs.length > 0) {
        const int length = (int)strcspn(theirs.data, "\t");
        snprintf(r->out->text, sizeof r->out->text, "run %s (%s: %s/%s, replicate %zu): %.*s = %.80s in %s, %.80s here", name,
                 r->of->of->name, stored->cell->sweep, stored->cell->label, stored->replicate, length, theirs.data,
                 theirs.data + length + 1, stored->from, ours.data + strcspn(ours.data, "\t") + 1);
    }
    r->out->state = theirs.length > 0 ? DIFFERENT : EQUAL;
cleanup:
    sp_text_free(&theirs);
    sp_text_free(&ours);
    return status;
}

static _Noreturn void be_worker(const stamping *s, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    rerun r = { 0 };
    if (getppid() != parent || sp_data_pool_new(&r.pool) != SP_OK)
        _exit(EXIT_FAILURE);
    for (size_t i; (i = atomic_fetch_add(&s->board->next, 1)) < s->sample.count;) {
        sp_error error = { 0 };
        const double begun = sp_now();
        r.of = &s->sample.chosen[i];
        r.out = &s->board->outcome[i];
        snprintf(r.out->text, sizeof r.out->text, "%d", (int)getpid());
        r.out->state = STARTED;
        if (sp_table_runs_read(&r.of->of->tables, r.of->place, rerun_one, &r, &error) != SP_OK) {
            snprintf(r.out->text, sizeof r.out->text, "%s: %.400s", r.of->of->name, error.text);
            r.out->state = IMPOSSIBLE;
        }
        if (!s->sample.asked->common->quiet)
            fprintf(stderr, "%zu of %zu: a run of %s, %.3g s\n", i + 1, s->sample.count, r.of->of->name, sp_now() - begun);
    }
    _exit(EXIT_SUCCESS);
}

/* The run at which a worker has died is one that could not be rerun. */
static void note_death(const stamping *s, pid_t worker, int how)
{
    char number[16];
    snprintf(number, sizeof number, "%d", (int)worker);
    for (size_t i = 0; i < s->sample.count; i++) {
        outcome *o = &s->board->outcome[i];
        if (o->state != STARTED || strcmp(o->text, number) != 0)
            continue;
        o->state = IMPOSSIBLE;
        snprintf(o->text, sizeof o->text, "%s: a rerun died by %s", s->sample.chosen[i].of->name,
                 WIFSIGNALED(how) ? strsignal(WTERMSIG(how)) : "an error");
    }
}

static sp_status rerun_all(const stamping *s, sp_error *error)
{
    const pid_t parent = getpid();
    const size_t slots = sp_worker_slots((size_t)s->sample.asked->jobs, s->sample.asked->common->quiet);
    size_t alive = 0;
    sp_status status = SP_OK;
    fflush(NULL);
    do {
        while (status == SP_OK && alive < slots && atomic_load(&s->board->next) < s->sample.count) {
            const pid_t worker = fork();
            if (worker == 0)
                be_worker(s, parent);
            if (worker < 0)
                status = sp_fail(error, SP_EIO, "verify: no worker: %s", sp_system_error(errno));
            alive += worker > 0;
        }
        int how = 0;
        const pid_t ended = alive > 0 ? wait(&how) : -1;
        if (ended > 0 && (!WIFEXITED(how) || WEXITSTATUS(how) != EXIT_SUCCESS))
            note_death(s, ended, how);
        alive -= ended > 0;
    } while (alive > 0);
    return status;
}

/* --- what it means --------------------------------------------------------------------------------------------- */

static void block(stamping *s, const sp_source_list *list, const char *why)
{
    for (size_t i = 0; i < list->count; i++)
        s->sample.source[list->source[i]].blocked = why;
}

/* Every old hash that the keys of an experiment without a sampled run hold. */
static void block_unchecked(stamping *s, const sp_stale_tables *e)
{
    for (size_t row = 0; row < e->keys.table.rows; row++) {
        const char *text[SP_KEY_TEXTS];
        sp_table_keys_take(&e->keys, row, text);
        for (size_t i = 0; i < s->sample.sources; i++)
            for (size_t k = 0; k < SP_KEY_TEXTS; k++)
                if (s->sample.source[i].of.then[0] && strstr(text[k], s->sample.source[i].of.then))
                    s->sample.source[i].blocked = "an experiment that carries it was not checked";
    }
}

static size_t judge(stamping *s, size_t *differ)
{
    size_t drawn_differ = 0, bound = s->sample.drawn;
    for (size_t i = 0; i < s->sample.count; i++) {
        const outcome *o = &s->board->outcome[i];
        const sp_stale_run *c = &s->sample.chosen[i];
        const bool drawn = bound > 0 && c->rank <= s->sample.candidate[bound - 1].rank;
        c->of->sampled++;
        for (size_t k = 0; k < c->sources->count; k++)
            s->sample.source[c->sources->source[k]].runs++;
        if (o->state == EQUAL)
            continue;
        printf("%s  %s\n", o->state == DIFFERENT ? "DIFFERS" : "not rerun:",
               o->state == WAITING ? "its worker did not come to it" : o->text);
        block(s, c->sources, o->state == DIFFERENT ? "a sampled run that carries it differs"
                                                   : "a sampled run that carries it could not be rerun");
        c->of->differ++;
        ++*differ;
        drawn_differ += drawn;
    }
    for (size_t e = 0; e < s->sample.experiments; e++)
        if (s->sample.experiment[e].tables.places == 0)
            block_unchecked(s, &s->sample.experiment[e]);
    return drawn_differ;
}

static sp_status stamp_sources(stamping *s, size_t *stamped, size_t *refused, sp_error *error)
{
    for (size_t i = 0; i < s->sample.sources; i++) {
        const sp_stale_source *of = &s->sample.source[i];
        sp_stamp stamp = { .runs = of->runs, .sample = s->sample.count };
        if (!of->stale)
            continue;
        if (strspn(of->of.then, "0123456789abcdef") != SP_KEY_DIGITS) { /* "?" of keys.tsv */
            printf("not stamped: %s %s: the tables do not say which one made them\n", of->of.kind, of->of.name);
            continue;
        }
        if (of->blocked || of->runs == 0) {
            ++*refused;
            printf("not stamped: %s %s %s: %s\n", of->of.kind, of->of.name, of->of.then,
                   of->blocked ? of->blocked : "no run that carries it can be rerun");
            continue;
        }
        snprintf(stamp.kind, sizeof stamp.kind, "%s", of->of.kind);
        snprintf(stamp.name, sizeof stamp.name, "%s", of->of.name);
        memcpy(stamp.then, of->of.then, sizeof stamp.then);
        memcpy(stamp.now, of->of.now, sizeof stamp.now);
        snprintf(stamp.commit, sizeof stamp.commit, "%s", sp_build_commit);
        if (sp_stamps_add(&s->sample.stamps, &stamp) != SP_OK)
            return sp_fail(error, SP_ENOMEM, "%s: out of memory", s->path);
        ++*stamped;
    }
    return SP_OK;
}

/* Writes keys.tsv, and SEAL anew where there is one, since it names all tables. */
static sp_status write_keys(const sp_stale_tables *e, sp_error *error)
{
    sp_status status = SP_OK;
    sp_seal seal = { 0 };
    char *path = sp_format("%s/%s", e->tables.folder, sp_seal_file), *before = path ? sp_format("%s.before", path) : NULL;
    if (!before)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", e->tables.folder));
    SP_TRY(sp_seal_read(e->tables.folder, &seal, error));
    SP_TRY(sp_table_keys_make(&e->tables, error));
    if (seal.format > 0) { /* keys.tsv is not in it yet */
        if (rename(path, before) != 0)
            SP_TRY(sp_fail(error, SP_EIO, "%s: %s", path, sp_system_error(errno)));
        status = sp_reseal(&e->session.plan, e->tables.folder, error);
        if (status == SP_OK)
            remove(before);
        else
            rename(before, path); /* the folder must not pass for one of format 0 */
    }
cleanup:
    sp_seal_free(&seal);
    free(before);
    free(path);
    return status;
}

/* Tables that do not say by which sources they were made get a keys.tsv: by those of now, of which a sample is equal. */
static sp_status stamp_tables(stamping *s, size_t *stamped, size_t *refused, sp_error *error)
{
    sp_status status = SP_OK;
    for (size_t i = 0; i < s->sample.experiments; i++) {
        const sp_stale_tables *e = &s->sample.experiment[i];
        sp_stamp stamp = { .kind = "keys", .runs = e->sampled, .sample = s->sample.count };
        if (!e->unknown || e->sampled == 0)
            continue;
        if (e->differ > 0) {
            ++*refused;
            printf("not stamped: keys %s: %zu of its %zu sampled runs differ\n", e->name, e->differ, e->sampled);
            continue;
        }
        snprintf(stamp.name, sizeof stamp.name, "%s", e->name);
        snprintf(stamp.now, sizeof stamp.now, "%.*s", SP_KEY_DIGITS, sp_source_hash("core"));
        snprintf(stamp.commit, sizeof stamp.commit, "%s", sp_build_commit);
        SP_TRY(write_keys(e, error));
        if (sp_stamps_add(&s->sample.stamps, &stamp) != SP_OK)
            SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->path));
        ++*stamped;
    }
cleanup:
    return status;
}

/* --- the verb -------------------------------------------------------------------------------------------------- */

static sp_status refuse_build(sp_error *error)
{
    if (strcmp(sp_build_commit, "unknown") == 0)
        return sp_fail(error, SP_EINVAL, "--stamp names the commit of this program, which was not built in a git checkout: "
                       "build it in one");
    if (sp_build_changed)
        return sp_fail(error, SP_EINVAL, "--stamp names the commit of this program, and its sources differed from commit "
                       "%.12s when it was built: commit them, and build it again", sp_build_commit);
    return SP_OK;
}

static sp_status stamp_all(stamping *s, size_t *refused, sp_error *error)
{
    sp_status status = SP_OK;
    size_t differ = 0, stamped = 0;
    sp_text share = { 0 };
    size_t bytes = 0;
    SP_TRY(sp_stamps_read(s->path, &s->sample.stamps, error));
    SP_TRY(sp_sample_open(&s->sample, error));
    SP_TRY(sp_sample_choose(&s->sample, error));
    if (s->sample.count == 0) {
        *refused = s->sample.unchecked;
        printf("nothing to stamp: no run that can be rerun here was made by other sources than the current ones\n");
        goto cleanup;
    }
    if (!s->sample.asked->common->quiet)
        fprintf(stderr, "%zu runs were made by sources that have changed since, or are not known: %zu of them are rerun\n",
                s->sample.candidates, s->sample.count);
    bytes = sizeof *s->board + s->sample.count * sizeof *s->board->outcome;
    s->board = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s->board == MAP_FAILED) {
        s->board = NULL;
        SP_TRY(sp_fail(error, SP_ENOMEM, "verify: out of memory"));
    }
    SP_TRY(rerun_all(s, error));
    const size_t drawn_differ = judge(s, &differ);
    SP_TRY(stamp_sources(s, &stamped, refused, error));
    SP_TRY(stamp_tables(s, &stamped, refused, error));
    if (stamped > 0)
        SP_TRY(sp_stamps_write(s->path, &s->sample.stamps, error));
    *refused += s->sample.unchecked;
    sp_share_print(drawn_differ, s->sample.drawn, s->sample.candidates, &share);
    printf("%zu of %zu sampled runs are equal in every field; of the %zu drawn from %zu, %s\n%zu stamps written to %s\n",
           s->sample.count - differ, s->sample.count, s->sample.drawn, s->sample.candidates, share.data ? share.data : "", stamped, s->path);
cleanup:
    sp_text_free(&share);
    if (s->board)
        munmap(s->board, bytes);
    return status;
}

int sp_verify_stamp(const sp_stamping *asked)
{
    sp_error error = { 0 };
    size_t refused = 0;
    stamping s = { .sample.asked = asked };
    sp_status status = refuse_build(&error);
    if (status == SP_OK && !(s.path = sp_format("%s/results/" SP_STAMPS_FILE, asked->common->root)))
        status = sp_fail(&error, SP_ENOMEM, "verify: out of memory");
    if (status == SP_OK)
        status = stamp_all(&s, &refused, &error);
    const bool reran = s.sample.count > 0;
    sp_sample_free(&s.sample);
    free(s.path);
    if (status != SP_OK)
        return sp_complain(&error, reran ? SP_EXIT_FAILED : SP_EXIT_USAGE);
    return refused > 0 ? SP_EXIT_FAILED : SP_EXIT_OK;
}
