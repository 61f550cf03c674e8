/* mpi.c -- see mpi.h. */
#include "core/cluster/mpi.h"

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/cluster/mpi_note.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the messenger ----------------------------------------------------------------------------------------------- */

/* Its end, which after `patience` seconds is made. As of waitpid. */
static int ended(sp_mpi *m, double patience)
{
    int state = 0;
    pid_t found = 0;
    for (const double until = sp_now() + patience; m->messenger > 0 && found == 0 && sp_now() < until;) {
        found = waitpid(m->messenger, &state, WNOHANG);
        if (found == 0)
            poll(NULL, 0, 5);
    }
    if (m->messenger > 0 && found == 0) {
        kill(m->messenger, SIGKILL);
        while (waitpid(m->messenger, &state, 0) < 0 && errno == EINTR)
            ;
    }
    m->messenger = 0;
    return state;
}

/* "exit code 1" or "SIGKILL", of a messenger that has closed its socket. */
static const char *how_it_ended(sp_mpi *m, char how[64])
{
    const int state = ended(m, 5.0);
    if (WIFSIGNALED(state))
        snprintf(how, 64, "SIG%s", sigabbrev_np(WTERMSIG(state)));
    else
        snprintf(how, 64, "exit code %d", WEXITSTATUS(state));
    return how;
}

static sp_status messenger_gone(sp_mpi *m, sp_error *error)
{
    char how[64];
    return sp_fail(error, SP_EIO, "--mpi: %s, which speaks to the other ranks, is gone (%s): what was saved stays, and the "
                   "same command goes on from here", m->path, how_it_ended(m, how));
}

static sp_status say_note(sp_mpi *m, sp_mpi_note note, sp_error *error)
{
    return send(m->socket, &note, sizeof note, MSG_NOSIGNAL) == (ssize_t)sizeof note ? SP_OK : messenger_gone(m, error);
}

static bool read_note(const sp_mpi *m, sp_mpi_note *note)
{
    ssize_t got;
    do
        got = recv(m->socket, note, sizeof *note, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *note;
}

static sp_status next_note(sp_mpi *m, sp_mpi_note *note, sp_error *error)
{
    return read_note(m, note) ? SP_OK : messenger_gone(m, error);
}

static _Noreturn void be_messenger(const char *path, int socket)
{
    char *const words[] = { (char *)path, NULL };
    if (socket == SP_MPI_SOCKET)
        fcntl(socket, F_SETFD, 0);
    else
        dup2(socket, SP_MPI_SOCKET);
    execv(path, words);
    _exit(127);
}

sp_status sp_mpi_start(sp_mpi *m, const char *messenger, sp_error *error)
{
    int ends[2];
    char how[64];
    sp_mpi_note hello;
    sp_status status = SP_OK;
    *m = (sp_mpi){ .path = messenger, .socket = -1 };
    if (access(messenger, X_OK) != 0)
        return sp_fail(error, SP_EABSENT, "--mpi: this program was built without MPI: there is no %s. Where Open MPI is "
                       "installed (Debian: libopenmpi-dev), cmake builds it", messenger);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return sp_fail(error, SP_EIO, "--mpi: no socket: %s", strerror(errno));
    m->messenger = fork();
    if (m->messenger == 0)
        be_messenger(messenger, ends[1]);
    close(ends[1]);
    m->socket = ends[0];
    if (m->messenger < 0)
        SP_TRY(sp_fail(error, SP_EIO, "--mpi: no process: %s", strerror(errno)));
    if (!read_note(m, &hello) || hello.kind != SP_NOTE_HELLO)
        SP_TRY(sp_fail(error, SP_EABSENT, "--mpi: MPI did not start: %s has ended at once (%s). Does `mpirun -n 2 hostname` "
                       "work, and does `ldd %s` find each library?", messenger, how_it_ended(m, how), messenger));
    m->rank = (size_t)hello.rank;
    m->ranks = (size_t)hello.of;
    if (m->ranks < 2)
        SP_TRY(sp_fail(error, SP_EABSENT, "--mpi: one rank alone: rank 0 hands out the runs that others make, so start two "
                       "or more, as in mpirun --enable-recovery -n 64 stillpoint run X.lua --mpi"));
cleanup:
    if (status != SP_OK)
        sp_mpi_end(m);
    return status;
}

void sp_mpi_end(sp_mpi *m)
{
    static const double longer_than_its_leave = 120.0; /* seconds */
    if (m->socket >= 0)
        close(m->socket);
    ended(m, longer_than_its_leave);
    *m = (sp_mpi){ .socket = -1 };
}

/* --- rank 0 ------------------------------------------------------------------------------------------------------ */

enum { TRIES = 3 }; /* of a task */

typedef struct rank {
    bool idle; /* it has said FREE, and got no task since */
    bool lost;
    size_t task; /* what it has and nobody else; 0: none */
} rank;

typedef struct task {
    size_t tries;
    bool done, given_up;
} task;

typedef struct hand_out {
    sp_mpi *mpi;
    rank *rank;    /* by number; 0 is this one */
    task *task;    /* by number, from 1 */
    size_t *queue; /* tasks that nobody has, the next one last */
    size_t queued, of, wanted, done, given_up;
    void (*say)(const char *line);
} hand_out;

static void tell(const hand_out *h, char *line)
{
    if (h->say && line)
        h->say(line);
    free(line);
}

/* A rank has not done the task that it had, unless somebody else has meanwhile. */
static void take_back(hand_out *h, rank *from, const char *why)
{
    const size_t k = from->task;
    task *t = &h->task[k];
    from->task = 0;
    if (k == 0 || t->done)
        return;
    t->given_up = t->tries == TRIES;
    h->given_up += t->given_up;
    if (!t->given_up)
        h->queue[h->queued++] = k;
    tell(h, sp_format("rank %zu %s task %zu of %zu%s", (size_t)(from - h->rank), why, k, h->of,
                      t->given_up ? ": given up" : ", which goes to another rank"));
}

static void mark_done(hand_out *h, task *t)
{
    h->given_up -= t->given_up;
    h->done += !t->done;
    t->given_up = false;
    t->done = true;
}

/* A rank says FREE once of each task that it was given, however often it was lost and heard again meanwhile. What it had
 * when it was lost is with another rank since, or waits for one: what both make is the same, so that the first who has
 * done it counts, and a failure of who no longer has it does not. */
static void hear(hand_out *h, const sp_mpi_note *note)
{
    if (note->rank < 1 || (size_t)note->rank >= h->mpi->ranks || note->number < 0 || (size_t)note->number > h->of)
        return;
    rank *from = &h->rank[note->rank];
    if (note->kind == SP_NOTE_LOST) {
        if (from->task == 0 || h->task[from->task].done)
            tell(h, sp_format("rank %d is lost", (int)note->rank));
        from->lost = true;
        take_back(h, from, "is lost, with");
    } else if (note->kind == SP_NOTE_BACK) {
        from->lost = false;
        tell(h, sp_format("rank %d is heard again", (int)note->rank));
    } else if (note->kind == SP_NOTE_FREE) {
        from->idle = true;
        if (h->task[note->number].tries > 0 && note->code == 0)
            mark_done(h, &h->task[note->number]);
        take_back(h, from, "could not do");
    }
}

/* Of a task that waits somebody who was taken for lost may say that it is done. */
static bool any_waits(hand_out *h)
{
    while (h->queued > 0 && h->task[h->queue[h->queued - 1]].done)
        h->queued--;
    return h->queued > 0;
}

static sp_status give(hand_out *h, sp_error *error)
{
    sp_status status = SP_OK;
    for (size_t r = 1; r < h->mpi->ranks && any_waits(h); r++) {
        rank *to = &h->rank[r];
        if (!to->idle || to->lost)
            continue;
        to->task = h->queue[--h->queued];
        to->idle = false;
        h->task[to->task].tries++;
        SP_TRY(say_note(h->mpi, (sp_mpi_note){ SP_NOTE_TASK, (int32_t)r, (int32_t)to->task, (int32_t)h->of, 0 }, error));
    }
cleanup:
    return status;
}

static bool all_lost(const hand_out *h)
{
    bool all = true;
    for (size_t r = 1; r < h->mpi->ranks; r++)
        all = all && h->rank[r].lost;
    return all;
}

sp_status sp_mpi_hand_out(sp_mpi *mpi, const bool *wanted, size_t of, void (*say)(const char *line), size_t *left,
                          sp_error *error)
{
    sp_status status = SP_OK;
    hand_out h = { mpi, sp_alloc(mpi->ranks, sizeof *h.rank), sp_alloc(of + 1, sizeof *h.task),
                   sp_alloc(of + 1, sizeof *h.queue), .of = of, .say = say };
    if (!h.rank || !h.task || !h.queue)
        SP_TRY(sp_fail(error, SP_ENOMEM, "--mpi: out of memory"));
    for (size_t k = of; k >= 1; k--)
        if (wanted[k])
            h.queue[h.queued++] = k;
    h.wanted = h.queued;
    while (h.done + h.given_up < h.wanted && !all_lost(&h)) {
        sp_mpi_note note;
        SP_TRY(next_note(mpi, &note, error));
        hear(&h, &note);
        SP_TRY(give(&h, error));
    }
    *left = h.wanted - h.done;
    SP_TRY(say_note(mpi, (sp_mpi_note){ .kind = SP_NOTE_END }, error));
    if (*left > h.given_up)
        SP_TRY(sp_fail(error, SP_EINTERRUPTED, "--mpi: no other rank is left; %zu of %zu tasks are not done: the same "
                       "command goes on from here", *left, of));
cleanup:
    free(h.rank);
    free(h.task);
    free(h.queue);
    return status;
}

/* --- the others -------------------------------------------------------------------------------------------------- */

sp_status sp_mpi_serve(sp_mpi *mpi, sp_status (*work)(void *context, sp_shard, sp_error *), void *context,
                       sp_error *error)
{
    sp_status status = SP_OK;
    sp_mpi_note free_again = { .kind = SP_NOTE_FREE, .rank = (int32_t)mpi->rank };
    for (;;) {
        sp_mpi_note note;
        /* While this rank worked END may have come, which is then the next note, and the messenger have gone. */
        (void)send(mpi->socket, &free_again, sizeof free_again, MSG_NOSIGNAL);
        SP_TRY(next_note(mpi, &note, error));
        if (note.kind == SP_NOTE_END)
            break;
        if (note.kind == SP_NOTE_LOST)
            SP_TRY(sp_fail(error, SP_EINTERRUPTED, "--mpi: nothing is heard of rank 0 any more"));
        const sp_status done = work(context, (sp_shard){ (size_t)note.number, (size_t)note.of }, error);
        if (done == SP_EINTERRUPTED)
            SP_TRY(done);
        free_again.number = note.number;
        free_again.code = done != SP_OK;
    }
cleanup:
    return status;
}
