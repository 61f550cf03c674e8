/* keeper.c -- see keeper.h. A descendant can leave its process group (by setsid) and its tree (when its parent dies). It cannot
 * leave its nearest ancestor that is a subreaper: the kernel makes that ancestor its parent. No privilege is needed.
 *
 * This process kills only its own children, because a child keeps its process identity until its parent has waited for it. When
 * a child dies, the kernel makes its children the children of this process, so repeating this ends all descendants. */
#include "core/methods/keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIDS = 1 << 22 }; /* the largest pid_max of Linux */

static void report(int leash, int number)
{
    send(leash, &number, sizeof number, MSG_NOSIGNAL);
}

/* Waits for children that have ended. False: there are no children. */
static bool reap(int leash, pid_t program)
{
    int state;
    pid_t ended;
    while ((ended = waitpid(-1, &state, WNOHANG | __WALL)) > 0)
        if (ended == program)
            report(leash, state);
    return ended == 0 || errno != ECHILD;
}

static bool kill_child(pid_t child)
{
    siginfo_t news;
    return child > 0 && waitid(P_PID, (id_t)child, &news, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 &&
           kill(child, SIGKILL) == 0;
}

/* Kills the children that the kernel lists. False: it lists none, for example because there is no /proc. */
static bool kill_listed(void)
{
    char path[64];
    long child;
    bool any = false;
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *list = fopen(path, "re");
    while (list && fscanf(list, "%ld", &child) == 1)
        any = kill_child((pid_t)child) || any;
    if (list)
        fclose(list);
    return any;
}

/* Without a list: tries every process identity until one is that of a child, and kills it. Trying all takes about a second. */
static void kill_by_trial(void)
{
    const pid_t self = getpid(); /* children mostly follow it */
    for (pid_t i = 1; i < PIDS; i++)
        if (kill_child((self + i) % PIDS))
            return;
}

static _Noreturn void end_all(int leash, pid_t program)
{
    while (reap(leash, program)) {
        if (!kill_listed())
            kill_by_trial();
        poll(NULL, 0, 1); /* ms: those that were killed need time to end */
    }
    _exit(EXIT_SUCCESS);
}

_Noreturn void sp_keeper_run(int leash, void (*become)(pid_t parent, const void *context), const void *context)
{
    static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
    const pid_t self = getpid();
    sigset_t child;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    setpgid(0, 0);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_SETMASK, &child, NULL);
    const pid_t program = fork();
    if (program == 0)
        become(self, context);
    report(leash, program < 0 ? errno : 0);
    if (leash > 0)
        close_range(0, (unsigned)leash - 1, 0);
    close_range((unsigned)leash + 1, ~0U, 0);
    const int ended = signalfd(-1, &child, SFD_CLOEXEC);
    struct pollfd wait[] = { { .fd = leash, .events = POLLIN }, { .fd = ended, .events = POLLIN } };
    while (program > 0 && !wait[0].revents) {
        struct signalfd_siginfo news;
        if (poll(wait, 2, -1) > 0 && wait[1].revents && read(ended, &news, sizeof news) > 0)
            reap(leash, program);
    }
    end_all(leash, program);
}
