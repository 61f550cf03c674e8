/* signals.c -- see signals.h. */
#include "core/sweep/signals.h"

#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

void sp_signals_hold(sp_signals *out)
{
    static const int held[] = { SIGINT, SIGTERM, SIGHUP };
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
        struct sigaction now;
        if (sigaction(held[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&set, held[i]);
    }
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGCONT);
    sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = SIG_DFL }, &out->child);
    sigprocmask(SIG_BLOCK, &set, &out->mask);
    out->file = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

sp_news sp_signals_read(const sp_signals *signals)
{
    struct signalfd_siginfo one;
    sp_news any = { false, false, false };
    while (read(signals->file, &one, sizeof one) > 0) {
        any.child = any.child || one.ssi_signo == SIGCHLD;
        any.continued = any.continued || one.ssi_signo == SIGCONT;
        any.interrupt = any.interrupt || (one.ssi_signo != SIGCHLD && one.ssi_signo != SIGCONT);
    }
    return any;
}

void sp_signals_release(sp_signals *signals, bool noticed)
{
    if (signals->file >= 0) {
        if (noticed)
            sp_signals_read(signals);
        close(signals->file);
    }
    sigprocmask(SIG_SETMASK, &signals->mask, NULL);
    sigaction(SIGCHLD, &signals->child, NULL);
}
