/* process.c -- see process.h. Between fork and exec nothing is called that may not be called there. */
#include "core/methods/process.h"

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/methods/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLICE = 100 /* ms */, GRACE = 10 /* slices */ };

/* Moves descriptors that would be in the way of 0, 1, 2. */
static int above(int file)
{
    return file > STDERR_FILENO ? file : fcntl(file, F_DUPFD, STDERR_FILENO + 1);
}

typedef struct start {
    const int *file; /* its standard ones */
    const char *program, *folder;
    char *const *words, *const *environment;
} start;

static void become(pid_t parent, const void *context)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGCHLD, SIGXFSZ };
    static const char failed[] = "it cannot be started: ";
    const start *s = context;
    int standard[3];
    sigset_t none;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before the line above */
        _exit(127);
    setpgid(0, 0);
    for (int i = 0; i < 3; i++)
        if ((standard[i] = above(s->file[i])) < 0)
            _exit(127);
    for (int i = 0; i < 3; i++)
        if (dup2(standard[i], i) < 0)
            _exit(127);
    close_range(STDERR_FILENO + 1, ~0U, 0);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (chdir(s->folder) == 0)
        execve(s->program, s->words, s->environment);
    const char *why = strerrordesc_np(errno);
    if (write(STDERR_FILENO, failed, sizeof failed - 1) > 0 && why)
        (void)!write(STDERR_FILENO, why, strlen(why));
    _exit(127);
}

static void close_one(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

/* The next number from the keeper. False: the keeper has ended. */
static bool hear(sp_process *p, int *number)
{
    ssize_t got;
    do
        got = recv(p->leash, number, sizeof *number, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *number;
}

sp_status sp_process_start(sp_process *p, const char *program, char *const *words, char *const *environment,
                           const char *folder, double patience, sp_error *error)
{
    int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err[2] = { -1, -1 }, leash[2] = { -1, -1 };
    int cause = 0;
    *p = (sp_process){ .in = -1, .out = -1, .err = -1, .leash = -1, .patience = patience };
    if (pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0 &&
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, leash) == 0) {
        p->was_dumpable = prctl(PR_GET_DUMPABLE) == 1;
        prctl(PR_SET_DUMPABLE, 0);
        p->keeper = fork();
        if (p->keeper == 0)
            sp_keeper_run(leash[1], become, &(start){ (const int[3]){ in[0], out[1], err[1] }, program, folder,
                                                      words, environment });
    } else
        p->keeper = -1;
    if (p->keeper < 0)
        cause = errno;
    close_one(&in[0]);
    close_one(&out[1]);
    close_one(&err[1]);
    close_one(&leash[1]);
    p->in = in[1];
    p->out = out[0];
    p->err = err[0];
    p->leash = leash[0];
    p->ignores_pipe = signal(SIGPIPE, SIG_IGN) == SIG_IGN;
    if (p->keeper > 0 && !hear(p, &cause))
        cause = ECHILD;
    if (cause != 0) {
        sp_process_end(p);
        return sp_fail(error, SP_EIO, "no process for %s: %s", program, sp_system_error(cause));
    }
    fcntl(p->in, F_SETFL, O_NONBLOCK);
    fcntl(p->out, F_SETFL, O_NONBLOCK);
    fcntl(p->err, F_SETFL, O_NONBLOCK);
    return SP_OK;
}

/* What is there of its error output; the last bytes are kept. False: there will be no more. */
static bool drain(sp_process *p)
{
    char bytes[4096];
    for (;;) {
        const ssize_t got = read(p->err, bytes, sizeof bytes);
        if (got <= 0)
            return got < 0 && (errno == EAGAIN || errno == EINTR);
        const size_t all = (size_t)got, size = all < sizeof p->tail ? all : sizeof p->tail;
        const size_t stays = p->kept + size <= sizeof p->tail ? p->kept : sizeof p->tail - size;
        memmove(p->tail, p->tail + p->kept - stays, stays);
        memcpy(p->tail + stays, bytes + all - size, size);
        p->kept = stays + size;
    }
}

/* Waits until `file` is ready. Waiting is counted in slices, so that time for which this process is stopped does not count. poll
 * looks at `leash` before `file`: if the program has ended by then, `file` already holds everything that it wrote. */
static sp_status wait_for(sp_process *p, int file, short events, sp_error *error)
{
    for (double waited = 0.0; waited < p->patience;) {
        struct pollfd wait[] = { { .fd = p->leash, .events = POLLIN }, { .fd = file, .events = events },
                                 { .fd = p->err, .events = POLLIN } };
        const int ready = poll(wait, 3, SLICE);
        if (ready == 0)
            waited += 1e-3 * SLICE;
        if (ready > 0 && wait[2].revents && !drain(p))
            close_one(&p->err); /* a negative one is passed over by poll */
        if (ready > 0 && wait[1].revents)
            return SP_OK;
        if (ready > 0 && wait[0].revents) /* a process that it left behind may hold `file` open */
            return sp_fail(error, SP_ECRASH, "it has ended before its answer");
    }
    return sp_fail(error, SP_ELIMIT, "it has %s nothing for %g s (patience)", events == POLLIN ? "said" : "read",
                   p->patience);
}

sp_status sp_process_write(sp_process *p, const void *bytes, size_t size, sp_error *error)
{
    sp_status status = SP_OK;
    const char *at = bytes;
    while (size > 0) {
        const ssize_t written = write(p->in, at, size);
        if (written > 0) {
            at += written;
            size -= (size_t)written;
        } else if (written < 0 && errno == EAGAIN)
            SP_TRY(wait_for(p, p->in, POLLOUT, error));
        else if (written < 0 && errno != EINTR)
            SP_TRY(sp_fail(error, SP_ECRASH, "it has ended before its answer"));
    }
cleanup:
    return status;
}

static sp_status make_room(sp_process *p, size_t size, sp_error *error)
{
    if (p->first > 0)
        memmove(p->bytes, p->bytes + p->first, p->held);
    p->first = 0;
    if (p->room >= size)
        return SP_OK;
    const size_t room = size > 1 << 14 ? size : 1 << 14;
    char *grown = realloc(p->bytes, room);
    if (!grown)
        return sp_fail(error, SP_ENOMEM, "out of memory for a frame");
    p->bytes = grown;
    p->room = room;
    return SP_OK;
}

sp_status sp_process_read(sp_process *p, size_t size, const void **bytes, sp_error *error)
{
    sp_status status = SP_OK;
    if (p->held < size)
        SP_TRY(make_room(p, size, error));
    while (p->held < size) {
        SP_TRY(wait_for(p, p->out, POLLIN, error));
        const ssize_t got = read(p->out, p->bytes + p->held, p->room - p->held);
        if (got > 0)
            p->held += (size_t)got;
        else if (got == 0 || (errno != EAGAIN && errno != EINTR))
            SP_TRY(sp_fail(error, SP_ECRASH, "it has ended before its answer"));
    }
    *bytes = p->bytes + p->first;
    p->first += size;
    p->held -= size;
cleanup:
    return status;
}

/* Has it ended within the time that there is for it? */
static bool ends_by_itself(sp_process *p)
{
    for (int i = 0; i < GRACE; i++)
        for (const double until = sp_now() + 1e-3 * SLICE; sp_now() < until;) {
            struct pollfd wait[] = { { .fd = p->leash, .events = POLLIN }, { .fd = p->err, .events = POLLIN } };
            const int ready = poll(wait, 2, SLICE);
            if (ready > 0 && wait[1].revents && !drain(p))
                close_one(&p->err);
            if (ready > 0 && wait[0].revents)
                return hear(p, &p->state);
        }
    return false;
}

void sp_process_end(sp_process *p)
{
    close_one(&p->in);
    close_one(&p->out);
    if (p->keeper > 0) {
        const bool ended = ends_by_itself(p);
        shutdown(p->leash, SHUT_WR);
        if (!ended && !hear(p, &p->state))
            p->state = SIGKILL;
        while (waitpid(p->keeper, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (p->err >= 0)
        drain(p);
    close_one(&p->err);
    close_one(&p->leash);
    if (!p->ignores_pipe)
        signal(SIGPIPE, SIG_DFL);
    if (p->was_dumpable)
        prctl(PR_SET_DUMPABLE, 1);
    free(p->bytes);
    p->bytes = NULL;
    p->keeper = 0;
}

const char *sp_process_last_line(sp_process *p)
{
    size_t end = p->kept, first;
    char *text = p->tail;
    while (end > 0 && (unsigned char)text[end - 1] <= ' ')
        end--;
    for (first = end; first > 0 && text[first - 1] != '\n'; first--)
        ;
    if (end == sizeof p->tail)
        end--;
    text[end] = '\0';
    for (char *c = text + first; *c; c++)
        if ((unsigned char)*c < ' ' || *c == '\x7f')
            *c = ' ';
    return text + first;
}
