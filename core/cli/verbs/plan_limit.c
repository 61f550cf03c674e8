/* plan_limit.c -- see plan_limit.h.
 *
 * Lua's own limit counts its instructions: one call of string.find or table.move may take for ever and is none. Nothing
 * can leave such a call but the end of the process; a plan made in another process would have to come back, cells,
 * functions and all. So a timer ends this one: nothing has been stored yet, or whatever was is committed. The clock is
 * the processor's, so that a program that waits or is stopped loses nothing. */
#include "core/cli/verbs/plan_limit.h"

#include "core/cli/verbs/verbs.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double default_seconds = 600.0;

/* Its value is the message. */
static void give_up(int signal, siginfo_t *info, void *context)
{
    const char *text = info->si_value.sival_ptr;
    (void)signal;
    (void)context;
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        errno = 0; /* nobody hears it: the exit code says so, too */
    _exit(SP_EXIT_USAGE);
}

static sp_status read_limit(double *seconds, sp_error *error)
{
    const char *text = getenv("STILLPOINT_PLAN_LIMIT");
    *seconds = default_seconds;
    if (!text || !*text || (sp_read_number(text, seconds) && *seconds > 0.0 && *seconds <= 1e9))
        return SP_OK;
    return sp_fail(error, SP_EINVAL, "STILLPOINT_PLAN_LIMIT = %s: must be a number of seconds, at most 1e9", text);
}

sp_status sp_plan_load_within(const char *path, const char *scale, sp_plan *out, sp_error *error)
{
    sp_status status = SP_OK;
    double seconds;
    char text[1024];
    struct sigaction before;
    sigset_t set;
    timer_t timer;
    SP_TRY(read_limit(&seconds, error));
    snprintf(text, sizeof text, "stillpoint: %.800s: given up after %g s of planning (an endless pattern or loop? "
             "STILLPOINT_PLAN_LIMIT is the limit): nothing was changed\n", path, seconds);
    const struct sigaction now = { .sa_sigaction = give_up, .sa_flags = SA_SIGINFO | SA_RESTART };
    const struct itimerspec limit = { .it_value = { (time_t)seconds, (long)(1e9 * fmod(seconds, 1.0)) + 1 } };
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
    event.sigev_value.sival_ptr = text;
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0)
        return sp_fail(error, SP_EIO, "%s: no timer: %s", path, strerror(errno));
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    sigaction(SIGALRM, &now, &before);
    timer_settime(timer, 0, &limit, NULL);
    status = sp_plan_load(path, scale, out, error);
    timer_delete(timer);
    sigaction(SIGALRM, &before, NULL);
cleanup:
    return status;
}
