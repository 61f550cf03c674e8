/* plan_limit.c -- see plan_limit.h.
 *
 * Lua's own limit counts its instructions: one call of string.find or table.move may take for ever and is none. Nothing
 * can leave such a call but the end of the process; a plan made in another process would have to come back, cells,
 * functions and all. So a timer ends this one: nothing has been stored yet, or whatever was is committed. The clock is
 * the processor's, so that a program that waits or is stopped loses nothing. */
#include "core/session/plan_limit.h"

#include "core/session/common.h"
#include "core/lua/host.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double default_seconds = 600.0;
static const double still_seconds = 3.0; /* 1e5 instructions take a millisecond */

/* What the handler knows, which looks once a tick. */
typedef struct limit {
    sp_lua *const *lua;  /* in which the text runs; NULL there: not yet */
    const char *path;
    double tick, seconds, all, still; /* seconds: of a tick, allowed, of the plan so far, without progress so far */
    size_t progress;     /* sp_lua_progress */
} limit;

static void end(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        errno = 0; /* nobody hears it: the exit code says so, too */
    _exit(SP_EXIT_USAGE);
}

static void look(int signal, siginfo_t *info, void *context)
{
    limit *l = info->si_value.sival_ptr;
    const sp_lua *lua = *l->lua;
    const size_t progress = lua ? sp_lua_progress(lua) : 0;
    char text[2048], place[1024];
    (void)signal;
    (void)context;
    l->all += l->tick;
    l->still = progress > 0 && progress == l->progress ? l->still + l->tick : 0.0;
    l->progress = progress;
    snprintf(place, sizeof place, "%.800s", l->path);
    if (l->still >= still_seconds) {
        sp_lua_call_place(lua, place, sizeof place);
        snprintf(text, sizeof text, "stillpoint: %s: given up after %g s in a function of Lua's library (a pattern that "
                 "backtracks for ever?): nothing was changed\n", place, l->still);
        end(text);
    } else if (l->all >= l->seconds) {
        if (progress > 0)
            sp_lua_call_place(lua, place, sizeof place);
        snprintf(text, sizeof text, "stillpoint: %s: given up after %g s of planning (an endless pattern or loop? "
                 "STILLPOINT_PLAN_LIMIT is the limit): nothing was changed\n", place, l->seconds);
        end(text);
    }
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
    *out = (sp_plan){ 0 };
    double seconds;
    struct sigaction before;
    sigset_t set;
    timer_t timer;
    SP_TRY(read_limit(&seconds, error));
    limit l = { .lua = &out->lua, .path = path, .tick = fmin(seconds, 1.0), .seconds = seconds };
    const struct sigaction now = { .sa_sigaction = look, .sa_flags = SA_SIGINFO | SA_RESTART };
    const struct timespec tick = { (time_t)l.tick, (long)(1e9 * fmod(l.tick, 1.0)) + (l.tick < 1.0) };
    const struct itimerspec ticks = { tick, tick };
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
    event.sigev_value.sival_ptr = &l;
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0)
        return sp_fail(error, SP_EIO, "%s: no timer: %s", path, strerror(errno));
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    sigaction(SIGALRM, &now, &before);
    timer_settime(timer, 0, &ticks, NULL);
    status = sp_plan_load(path, scale, out, error);
    timer_delete(timer);
    sigaction(SIGALRM, &before, NULL);
cleanup:
    return status;
}
