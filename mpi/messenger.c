/*
 * messenger.c -- stillpoint-mpi: carries notes (core/cluster/mpi_note.h) between the program that started it and the other
 * ranks. The program itself has no MPI: it may fork and be killed as it likes.
 *
 * Who is there. Every second ranks tell rank 0, and rank 0 tells them, that they are there. A rank of which rank 0 hears
 * nothing for 10 s is lost, and the program of rank 0 is told so; should that rank only have been slow, it is heard again,
 * and the program is told this as well. The last rank that is left has a minute, for the job ends with it; and as much has
 * rank 0 with the others. Time for which a messenger itself was stopped is no silence of others.
 *
 * How it ends. MPI_Finalize waits for all ranks, also for one that has died unheard: so none calls it before all know that
 * none is missing.
 *   1. Rank 0 says END to each rank that is not lost. Each hands it on to its program and answers BYE.
 *   2. Rank 0 waits for the answers, 5 s at most, and then says LAST: with code 0 if each rank has answered, with code 1 if
 *      one has not, or was lost.
 *   3. A rank waits for LAST, 10 s at most. With code 0 it calls MPI_Finalize, as rank 0 does; with code 1, or without a
 *      LAST, it exits at once.
 * A rank may still die, or be stopped, between its answer and its MPI_Finalize. The others would wait for it: a minute after
 * END an alarm ends them.
 *
 * Why it cannot hang. Nothing here waits within MPI but MPI_Init and MPI_Finalize, which an alarm ends (MPI_Init after ten
 * minutes), and MPI_Send, which takes a note of twenty bytes over and returns: a rank that does not listen is sent few
 * (beats until it is lost, a task and the words of the end). The waits of 2 and 3 have their ends, and what comes before
 * them goes on for as long as programs work. A program that dies takes its messenger along (PR_SET_PDEATHSIG).
 *
 * STILLPOINT_MPI_SILENCE, for tests alone: seconds in place of the 10 above, and all the other times but that of MPI_Init
 * in proportion.
 */
#include "core/base/clock.h"
#include "core/cluster/mpi_note.h"

#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WORDS = sizeof(sp_mpi_note) / sizeof(int32_t), WAIT_MS = 5, TAG = 1, START = 600 /* seconds for MPI_Init */ };

typedef struct peer {
    double heard; /* when last */
    bool lost;
    bool told;    /* that it is over */
    bool gone;    /* it has answered that */
} peer;

typedef struct messenger {
    int rank, ranks;
    double beat_every, silence, silence_of_all, farewell; /* seconds; silence_of_all: of all that one hears of */
    peer *peer;
    double beaten, listened; /* when last */
    bool ended, last, all_there; /* END has come; LAST has come, and says that each rank has answered */
} messenger;

static void set_times(messenger *m)
{
    const char *text = getenv("STILLPOINT_MPI_SILENCE");
    const double asked = text ? strtod(text, NULL) : 0.0;
    m->silence = asked >= 0.1 && asked <= 3600.0 ? asked : 10.0;
    m->beat_every = m->silence / 10.0;
    m->silence_of_all = 6.0 * m->silence;
    m->farewell = m->silence / 2.0;
}

/* Nobody has to be there any more once it is over. */
static void to_program(const messenger *m, const sp_mpi_note *note)
{
    if (send(SP_MPI_SOCKET, note, sizeof *note, MSG_NOSIGNAL) != (ssize_t)sizeof *note && !m->ended &&
        note->kind != SP_NOTE_END)
        _exit(EXIT_FAILURE);
}

/* Also to one that is lost, for which a task may have been on its way already: if it comes back, it has it. */
static void to_rank(int rank, sp_mpi_note note)
{
    MPI_Send(&note, WORDS, MPI_INT32_T, rank, TAG, MPI_COMM_WORLD);
}

static void beat(messenger *m, double time)
{
    if (time - m->beaten < m->beat_every)
        return;
    m->beaten = time;
    for (int r = 0; r < m->ranks; r++)
        if (r != m->rank && (r == 0 || m->rank == 0) && !m->peer[r].lost)
            to_rank(r, (sp_mpi_note){ .kind = SP_NOTE_BEAT, .rank = m->rank });
}

static int left(const messenger *m)
{
    int count = 0;
    for (int r = 1; r < m->ranks; r++)
        count += !m->peer[r].lost;
    return count;
}

static void listen_for_silence(messenger *m, double time)
{
    const double since = time - m->listened, stopped = since > m->beat_every ? since : 0.0;
    m->listened = time;
    for (int r = 0; r < m->ranks; r++) {
        peer *p = &m->peer[r];
        p->heard += stopped;
        const double most = m->rank == 0 && left(m) > 1 ? m->silence : m->silence_of_all;
        if (r == m->rank || (r != 0 && m->rank != 0) || p->lost || time - p->heard < most)
            continue;
        p->lost = true;
        to_program(m, &(sp_mpi_note){ .kind = SP_NOTE_LOST, .rank = r });
    }
}

static void hear(messenger *m)
{
    int there = 0;
    MPI_Status from;
    while (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &from) == MPI_SUCCESS && there) {
        sp_mpi_note note;
        if (MPI_Recv(&note, WORDS, MPI_INT32_T, from.MPI_SOURCE, TAG, MPI_COMM_WORLD, &from) != MPI_SUCCESS)
            return;
        peer *p = &m->peer[from.MPI_SOURCE];
        p->heard = sp_now();
        if (p->lost && m->rank == 0)
            to_program(m, &(sp_mpi_note){ .kind = SP_NOTE_BACK, .rank = from.MPI_SOURCE });
        p->lost = false;
        p->gone = p->gone || note.kind == SP_NOTE_BYE;
        if (note.kind == SP_NOTE_LAST) {
            m->last = true;
            m->all_there = note.code == 0;
        }
        if (note.kind == SP_NOTE_TASK || note.kind == SP_NOTE_FREE || note.kind == SP_NOTE_END)
            to_program(m, &note);
        m->ended = m->ended || note.kind == SP_NOTE_END;
    }
}

/* What the program has to say, once it has come. Where it has ended rank 0 has nothing left to do. */
static void read_program(messenger *m)
{
    sp_mpi_note note = { .kind = SP_NOTE_END };
    const ssize_t got = recv(SP_MPI_SOCKET, &note, sizeof note, MSG_WAITALL);
    if (got != (ssize_t)sizeof note && m->rank != 0)
        _exit(EXIT_FAILURE);
    if (got != (ssize_t)sizeof note || note.kind == SP_NOTE_END) /* of rank 0 alone */
        m->ended = true;
    else
        to_rank(note.kind == SP_NOTE_TASK ? note.rank : 0, note);
}

/* Step 2: also of one that is heard again only now. */
static void part_from_all(messenger *m)
{
    const double until = sp_now() + m->farewell;
    bool waits = true;
    while (waits && sp_now() < until) {
        hear(m);
        m->all_there = true;
        waits = false;
        for (int r = 1; r < m->ranks; r++) {
            peer *p = &m->peer[r];
            if (!p->told && !p->lost)
                to_rank(r, (sp_mpi_note){ .kind = SP_NOTE_END });
            p->told = p->told || !p->lost;
            m->all_there = m->all_there && p->gone;
            waits = waits || !(p->gone || p->lost);
        }
        if (waits)
            poll(NULL, 0, WAIT_MS);
    }
    for (int r = 1; r < m->ranks; r++)
        if (m->peer[r].told)
            to_rank(r, (sp_mpi_note){ .kind = SP_NOTE_LAST, .code = !m->all_there });
}

/* Step 3. */
static void part_from_first(messenger *m)
{
    const double until = sp_now() + 2.0 * m->farewell;
    to_rank(0, (sp_mpi_note){ .kind = SP_NOTE_BYE, .rank = m->rank });
    for (hear(m); !m->last && sp_now() < until; hear(m))
        poll(NULL, 0, WAIT_MS);
}

static void leave_without(int alarm)
{
    (void)alarm;
    _exit(EXIT_SUCCESS);
}

int main(int count, char **words)
{
    messenger m = { .ranks = 0 };
    sigset_t none;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGALRM, SIG_DFL);
    alarm(START);
    if (MPI_Init(&count, &words) != MPI_SUCCESS)
        return EXIT_FAILURE;
    alarm(0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m.ranks);
    set_times(&m);
    if (!(m.peer = calloc((size_t)m.ranks, sizeof *m.peer)))
        return EXIT_FAILURE;
    m.listened = sp_now();
    for (int r = 0; r < m.ranks; r++)
        m.peer[r].heard = m.listened;
    to_program(&m, &(sp_mpi_note){ .kind = SP_NOTE_HELLO, .rank = m.rank, .of = m.ranks });
    while (!m.ended) {
        struct pollfd program = { .fd = SP_MPI_SOCKET, .events = POLLIN };
        if (poll(&program, 1, WAIT_MS) > 0)
            read_program(&m);
        hear(&m);
        beat(&m, sp_now());
        listen_for_silence(&m, sp_now());
    }
    signal(SIGALRM, leave_without);
    alarm((unsigned)m.silence_of_all + 1);
    if (m.rank == 0)
        part_from_all(&m);
    else
        part_from_first(&m);
    free(m.peer);
    if (!m.all_there)
        _exit(EXIT_SUCCESS);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
