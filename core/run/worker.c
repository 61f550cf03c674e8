/* worker.c -- starts worker processes, sends them runs and receives results (worker.h). */
#include "core/run/worker.h"

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/run/message.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the worker's side ------------------------------------------------------------------------------------- */

/* The soft limit only, so that it can be lifted again to send the result. */
static void limit_memory(rlim_t soft)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0) {
        limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
        setrlimit(RLIMIT_AS, &limit);
    }
}

/* Size of this process's address space now, to a page: the smallest limit under which another page can be mapped. */
static rlim_t address_space(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    rlim_t low = 0, high = (rlim_t)1 << 48;
    while (high - low > page) {
        const rlim_t middle = low + (high - low) / 2;
        limit_memory(middle);
        void *mapped = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED) {
            low = middle;
        } else {
            munmap(mapped, page);
            high = middle;
        }
    }
    return high;
}

static void detach(int keep)
{
    static const int ignored[] = { SIGINT, SIGTERM, SIGHUP };
    sigset_t none;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (keep > STDERR_FILENO + 1)
        close_range(STDERR_FILENO + 1, (unsigned)keep - 1, 0);
    close_range((unsigned)keep + 1, ~0U, 0);
}

static void send_bytes(int socket, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(socket, bytes, size);
        if (written < 0 && errno != EINTR)
            _exit(EXIT_FAILURE);
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
}

/* The next task; there is none when the parent has closed its end. */
static bool receive(int socket, char *task, size_t size)
{
    for (size_t had = 0; had < size;) {
        const ssize_t got = read(socket, task + had, size - had);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        had += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* The most memory that this process has had is that of the next run alone. */
static void forget_peak(void)
{
    const int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file >= 0 && write(file, "5", 1) < 0)
        errno = 0; /* a kernel without it: the number is that of the worker */
    if (file >= 0)
        close(file);
}

static void do_task(int socket, sp_work work, const char *task, size_t memory_limit)
{
    sp_result result;
    char *bytes;
    size_t size;
    if (memory_limit > 0)
        limit_memory(address_space() + memory_limit);
    work(task, &result);
    limit_memory(RLIM_INFINITY);
    if (sp_message_pack(&result, &bytes, &size) != SP_OK)
        _exit(EXIT_FAILURE);
    send_bytes(socket, bytes, size);
    free(bytes);
    sp_result_free(&result);
}

/* Leaves by _exit: buffers and handles inherited from the parent stay untouched. */
static _Noreturn void be_worker(pid_t parent, int socket, sp_work work, const void *first, size_t size,
                                size_t memory_limit)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before the line above */
        _exit(EXIT_FAILURE);
    detach(socket);
    char *task = malloc(size);
    if (!task)
        _exit(EXIT_FAILURE);
    memcpy(task, first, size);
    do_task(socket, work, task, memory_limit);
    while (receive(socket, task, size)) {
        forget_peak();
        do_task(socket, work, task, memory_limit);
    }
    _exit(EXIT_SUCCESS);
}

/* --- the parent's side ------------------------------------------------------------------------------------- */

sp_status sp_worker_start(sp_worker *worker, sp_work work, const void *task, size_t size, double time_limit,
                          size_t memory_limit, sp_error *error)
{
    int ends[2];
    const pid_t parent = getpid();
    *worker = (sp_worker){ .socket = -1, .limit = time_limit, .memory_limit = memory_limit, .stopped = NAN,
                           .tasks = 1 };
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return sp_fail(error, SP_EIO, "workers: no socket: %s", sp_system_error(errno));
    worker->process = fork();
    if (worker->process == 0)
        be_worker(parent, ends[1], work, task, size, memory_limit);
    const int cause = errno;
    close(ends[1]);
    if (worker->process < 0) {
        close(ends[0]);
        return sp_fail(error, cause == EAGAIN ? SP_ELIMIT : SP_EIO, "workers: no process: %s", sp_system_error(cause));
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    worker->socket = ends[0];
    worker->started = sp_now(); /* a large process takes a while to fork */
    return SP_OK;
}

void sp_worker_again(sp_worker *worker, const void *task, size_t size, double time_limit)
{
    worker->started = sp_now();
    worker->limit = time_limit;
    worker->tasks++;
    if (send(worker->socket, task, size, MSG_NOSIGNAL) != (ssize_t)size)
        sp_worker_kill(worker, false);
}

bool sp_worker_read(sp_worker *worker)
{
    for (;;) {
        if (worker->size == worker->room) {
            const size_t room = worker->room ? 2 * worker->room : 1 << 14;
            char *grown = realloc(worker->bytes, room);
            if (!grown) { /* then the message is not whole, and the run a failure */
                worker->lost = true;
                sp_worker_kill(worker, false);
                return true;
            }
            worker->bytes = grown;
            worker->room = room;
        }
        const ssize_t got = read(worker->socket, worker->bytes + worker->size, worker->room - worker->size);
        if (got > 0)
            worker->size += (size_t)got;
        else if (got == 0 || (errno != EAGAIN && errno != EINTR))
            return true;
        else if (errno == EAGAIN)
            return false;
        if (sp_message_whole(worker->bytes, worker->size))
            return true;
    }
}

double sp_worker_left(const sp_worker *worker, double now)
{
    const bool counts = worker->limit > 0.0 && !worker->late && isnan(worker->stopped);
    return counts ? worker->started + worker->limit - now : INFINITY;
}

void sp_worker_notice(sp_worker *worker, double now)
{
    siginfo_t news = { 0 };
    while (waitid(P_PID, (id_t)worker->process, &news, WSTOPPED | WCONTINUED | WNOHANG) == 0 && news.si_pid != 0) {
        if (news.si_code == CLD_STOPPED && isnan(worker->stopped)) {
            worker->stopped = now;
        } else if (news.si_code == CLD_CONTINUED && !isnan(worker->stopped)) {
            worker->started += now - worker->stopped;
            worker->stopped = NAN;
        }
        news.si_pid = 0;
    }
}

void sp_worker_excuse(sp_worker *worker, double seconds, double now)
{
    worker->started = fmin(worker->started + seconds, now);
    if (!isnan(worker->stopped))
        worker->stopped = fmin(worker->stopped + seconds, now);
}

void sp_worker_kill(sp_worker *worker, bool late)
{
    worker->late = worker->late || late;
    kill(worker->process, SIGKILL);
}

static const char *mebibytes(size_t bytes, char digits[SP_NUMBER_SIZE])
{
    return sp_number((double)bytes / 1048576.0, digits);
}

static void explain_death(const sp_worker *worker, int state, sp_result *result)
{
    char digits[SP_NUMBER_SIZE];
    sp_result_start(result);
    if (WIFSIGNALED(state))
        result->signal = WTERMSIG(state);
    if (worker->memory_limit > 0)
        sp_result_warn(result, sp_warning_bit(SP_WARNED_MEMORY_LIMIT), "a memory limit of %s MiB was set",
                       mebibytes(worker->memory_limit, digits));
    if (worker->late)
        sp_result_fail(result, SP_ELIMIT, "time limit of %s s", sp_number(worker->limit, digits));
    else if (worker->lost)
        sp_result_fail(result, SP_ENOMEM, "out of memory for the result of a worker");
    else if (WIFSIGNALED(state))
        sp_result_fail(result, SP_ECRASH, "the worker died of SIG%s", sigabbrev_np(WTERMSIG(state)));
    else
        sp_result_fail(result, SP_ECRASH, "the worker ended with exit code %d before it had a result",
                       WEXITSTATUS(state));
}

void sp_worker_end(sp_worker *worker)
{
    close(worker->socket);
    while (waitpid(worker->process, NULL, 0) < 0 && errno == EINTR)
        ;
    free(worker->bytes);
    *worker = (sp_worker){ .socket = -1 };
}

/* Why there is no result; frees the worker. */
static void bury(sp_worker *worker, sp_result *result)
{
    int state = 0;
    struct rusage usage = { 0 };
    close(worker->socket); /* should it be alive, it ends */
    while (wait4(worker->process, &state, 0, &usage) < 0 && errno == EINTR)
        ;
    explain_death(worker, state, result);
    result->elapsed = sp_now() - worker->started;
    result->peak_memory = (size_t)usage.ru_maxrss * 1024;
    free(worker->bytes);
    *worker = (sp_worker){ .socket = -1 };
}

bool sp_worker_take(sp_worker *worker, sp_result *result)
{
    char digits[SP_NUMBER_SIZE];
    if (sp_message_unpack(worker->bytes, worker->size, result) != SP_OK) {
        bury(worker, result);
        return false;
    }
    if (result->status == SP_ENOMEM && worker->memory_limit > 0)
        sp_result_fail(result, SP_ELIMIT, "memory limit of %s MiB", mebibytes(worker->memory_limit, digits));
    worker->size = 0;
    return true;
}

/* The others are sent by what a process does itself. */
bool sp_killed_from_outside(const sp_result *result)
{
    static const int sent[] = { SIGKILL, SIGTERM, SIGQUIT, SIGHUP, SIGINT };
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++)
        if (result->status == SP_ECRASH && result->signal == sent[i])
            return true;
    return false;
}
