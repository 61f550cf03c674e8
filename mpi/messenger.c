/*
 * messenger.c -- stillpoint-mpi: carries notes (core/sweep/mpi_note.h) between the program that started it and the other
 * ranks. The program itself has no MPI: it may fork and be killed as it likes.
 *
 * Every second ranks tell rank 0, and rank 0 tells them, that they are there. Who is not heard of for SILENCE seconds is
 * lost; should it only have been slow, it is heard again. After a loss nobody calls MPI_Finalize, which might wait for the
 * lost one for ever. Nothing here waits within MPI: that would take a whole processor.
 */
#include "core/sweep/mpi_note.h"

#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = sizeof(sp_mpi_note) / sizeof(int32_t), WAIT_MS = 5, TAG = 1 };
static const double beat_every = 1.0, silence = 10.0, silence_of_all = 60.0, farewell = 5.0; /* seconds */

typedef struct peer {
    double heard; /* when last */
    bool lost, gone;
} peer;

typedef struct messenger {
    int rank, ranks;
    peer *peer;
    double beaten;
    bool any_lost, ended;
} messenger;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The program is gone: so is this. */
static void to_program(const sp_mpi_note *note)
{
    if (write(SP_MPI_SOCKET, note, sizeof *note) != (ssize_t)sizeof *note)
        _exit(EXIT_FAILURE);
}

static void to_rank(const messenger *m, int rank, sp_mpi_note note)
{
    if (!m->peer[rank].lost && !m->peer[rank].gone) /* who cannot be reached falls silent */
        MPI_Send(&note, WORDS, MPI_INT32_T, rank, TAG, MPI_COMM_WORLD);
}

static void beat(messenger *m, double time)
{
    if (time - m->beaten < beat_every)
        return;
    m->beaten = time;
    for (int r = 0; r < m->ranks; r++)
        if (r != m->rank && (r == 0 || m->rank == 0))
            to_rank(m, r, (sp_mpi_note){ .kind = SP_NOTE_BEAT, .rank = m->rank });
}

static void listen_for_silence(messenger *m, double time)
{
    const double most = m->rank == 0 ? silence : silence_of_all;
    for (int r = 0; r < m->ranks; r++) {
        peer *p = &m->peer[r];
        if (r == m->rank || (r != 0 && m->rank != 0) || p->lost || p->gone || time - p->heard < most)
            continue;
        p->lost = m->any_lost = true;
        to_program(&(sp_mpi_note){ .kind = SP_NOTE_LOST, .rank = r });
    }
}

static void hear(messenger *m, double time)
{
    int there = 0;
    MPI_Status from;
    while (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &from) == MPI_SUCCESS && there) {
        sp_mpi_note note;
        if (MPI_Recv(&note, WORDS, MPI_INT32_T, from.MPI_SOURCE, TAG, MPI_COMM_WORLD, &from) != MPI_SUCCESS)
            return;
        peer *p = &m->peer[from.MPI_SOURCE];
        p->heard = time;
        p->lost = false;
        p->gone = p->gone || note.kind == SP_NOTE_BYE;
        if (note.kind == SP_NOTE_END) {
            m->ended = true;
            m->any_lost = note.code != 0;
        }
        if (note.kind != SP_NOTE_BEAT && note.kind != SP_NOTE_BYE)
            to_program(&note);
    }
}

/* What the program has to say, once it has come. Where it has ended rank 0 has nothing left to do. */
static void read_program(messenger *m)
{
    sp_mpi_note note = { .kind = SP_NOTE_END };
    const ssize_t got = read(SP_MPI_SOCKET, &note, sizeof note);
    if (got != (ssize_t)sizeof note && !(got == 0 && m->rank == 0))
        _exit(EXIT_FAILURE);
    if (note.kind == SP_NOTE_END) { /* of rank 0 alone */
        note.code = m->any_lost;
        for (int r = 1; r < m->ranks; r++)
            to_rank(m, r, note);
        m->ended = true;
    } else {
        to_rank(m, note.kind == SP_NOTE_TASK ? note.rank : 0, note);
    }
}

/* Until all have heard that it is over. */
static void take_leave(messenger *m)
{
    const double until = now() + farewell;
    if (m->rank > 0) {
        to_rank(m, 0, (sp_mpi_note){ .kind = SP_NOTE_BYE, .rank = m->rank });
        return;
    }
    for (bool all = false; !all && now() < until; poll(NULL, 0, WAIT_MS)) {
        hear(m, now());
        all = true;
        for (int r = 1; r < m->ranks; r++)
            all = all && (m->peer[r].gone || m->peer[r].lost);
    }
}

int main(int count, char **words)
{
    messenger m = { .ranks = 0 };
    sigset_t none;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (MPI_Init(&count, &words) != MPI_SUCCESS)
        return EXIT_FAILURE;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m.ranks);
    if (!(m.peer = calloc((size_t)m.ranks, sizeof *m.peer)))
        return EXIT_FAILURE;
    for (int r = 0; r < m.ranks; r++)
        m.peer[r].heard = now();
    to_program(&(sp_mpi_note){ .kind = SP_NOTE_HELLO, .rank = m.rank, .of = m.ranks });
    while (!m.ended) {
        struct pollfd program = { .fd = SP_MPI_SOCKET, .events = POLLIN };
        const bool said = poll(&program, 1, WAIT_MS) > 0;
        if (said)
            read_program(&m);
        const double time = now();
        hear(&m, time);
        beat(&m, time);
        listen_for_silence(&m, time);
    }
    take_leave(&m);
    free(m.peer);
    if (m.any_lost)
        _exit(EXIT_SUCCESS);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
