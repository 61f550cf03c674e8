/* mpi.c -- see mpi.h. */
#include "core/sweep/mpi.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/sweep/mpi_note.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the messenger ----------------------------------------------------------------------------------------------- */

static sp_status say_note(const sp_mpi *m, sp_mpi_note note, sp_error *error)
{
    return send(m->socket, &note, sizeof note, MSG_NOSIGNAL) == (ssize_t)sizeof note
               ? SP_OK
               : sp_fail(error, SP_EIO, "--mpi: stillpoint-mpi is gone");
}

static sp_status next_note(const sp_mpi *m, sp_mpi_note *note, sp_error *error)
{
    ssize_t got;
    do
        got = recv(m->socket, note, sizeof *note, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *note ? SP_OK : sp_fail(error, SP_EIO, "--mpi: stillpoint-mpi is gone");
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
    sp_mpi_note hello;
    sp_status status = SP_OK;
    *m = (sp_mpi){ .socket = -1 };
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
    if (next_note(m, &hello, NULL) != SP_OK || hello.kind != SP_NOTE_HELLO)
        SP_TRY(sp_fail(error, SP_EABSENT, "--mpi: MPI did not start"));
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
    if (m->socket >= 0)
        close(m->socket);
    if (m->messenger > 0)
        while (waitpid(m->messenger, NULL, 0) < 0 && errno == EINTR)
            ;
    *m = (sp_mpi){ .socket = -1 };
}

/* --- rank 0 ------------------------------------------------------------------------------------------------------ */

enum { TRIES = 3 }; /* of a task */

typedef struct rank {
    bool idle, lost;
    size_t task; /* 0: none */
} rank;

typedef struct hand_out {
    sp_mpi *mpi;
    rank *rank;    /* by number; 0 is this one */
    size_t *tries; /* by task */
    size_t *queue; /* tasks that nobody has, the next one last */
    size_t queued, of, open; /* open: neither done nor given up */
    size_t left;
    void (*say)(const char *line);
} hand_out;

static void tell(const hand_out *h, char *line)
{
    if (h->say && line)
        h->say(line);
    free(line);
}

/* The task of a rank that has not done it. */
static void take_back(hand_out *h, size_t task, size_t from, bool lost)
{
    const bool again = h->tries[task] < TRIES;
    tell(h, sp_format("rank %zu %s task %zu of %zu%s", from, lost ? "is lost, with" : "could not do", task, h->of,
                      again ? ", which goes to another rank" : ": given up"));
    if (again) {
        h->queue[h->queued++] = task;
    } else {
        h->open--;
        h->left++;
    }
}

static sp_status give(hand_out *h, sp_error *error)
{
    for (size_t r = 1; r < h->mpi->ranks && h->queued > 0; r++) {
        rank *to = &h->rank[r];
        if (!to->idle || to->lost)
            continue;
        to->task = h->queue[--h->queued];
        to->idle = false;
        h->tries[to->task]++;
        const sp_mpi_note note = { SP_NOTE_TASK, (int32_t)r, (int32_t)to->task, (int32_t)h->of, 0 };
        const sp_status status = say_note(h->mpi, note, error);
        if (status != SP_OK)
            return status;
    }
    return SP_OK;
}

/* A rank that was taken for lost may be heard again; its task has gone to another by then. */
static void hear(hand_out *h, const sp_mpi_note *note)
{
    rank *from = &h->rank[note->rank];
    const size_t task = from->task;
    from->task = 0;
    from->lost = note->kind == SP_NOTE_LOST;
    from->idle = note->kind == SP_NOTE_FREE;
    if (task > 0 && (from->lost || note->code != 0))
        take_back(h, task, (size_t)note->rank, from->lost);
    else if (task > 0)
        h->open--;
    else if (from->lost)
        tell(h, sp_format("rank %d is lost", (int)note->rank));
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
    hand_out h = { mpi, sp_alloc(mpi->ranks, sizeof *h.rank), sp_alloc(of + 1, sizeof *h.tries),
                   sp_alloc(of + 1, sizeof *h.queue), .of = of, .say = say };
    if (!h.rank || !h.tries || !h.queue)
        SP_TRY(sp_fail(error, SP_ENOMEM, "--mpi: out of memory"));
    for (size_t k = of; k >= 1; k--)
        if (wanted[k])
            h.queue[h.queued++] = k;
    h.open = h.queued;
    while (h.open > 0 && !all_lost(&h)) {
        sp_mpi_note note;
        SP_TRY(next_note(mpi, &note, error));
        hear(&h, &note);
        SP_TRY(give(&h, error));
    }
    *left = h.left + h.open;
    SP_TRY(say_note(mpi, (sp_mpi_note){ .kind = SP_NOTE_END }, error));
    if (h.open > 0)
        SP_TRY(sp_fail(error, SP_EINTERRUPTED, "--mpi: no other rank is left; %zu of %zu tasks are not done: the same "
                       "command goes on from here", *left, of));
cleanup:
    free(h.rank);
    free(h.tries);
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
        SP_TRY(say_note(mpi, free_again, error));
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
