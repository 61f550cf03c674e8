/* common.c -- see common.h. */
#include "core/session/common.h"

#include "core/plan/registry.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int sp_complain(const sp_error *error, int code)
{
    fprintf(stderr, "stillpoint: %s\n", error->text[0] ? error->text : sp_status_text(error->status));
    return code;
}

void sp_quote(sp_text *out, const char *word)
{
    sp_text_append(out, "'");
    for (const char *c = word; *c; c++)
        sp_text_append(out, *c == '\'' ? "'\\''" : "%c", *c);
    sp_text_append(out, "'");
}

void sp_say(const char *line)
{
    puts(line);
    fflush(stdout);
}

int sp_run_sandboxed(int (*work)(void *context), void *context, unsigned seconds)
{
    int ended = 0;
    if (!*sp_extra_names)
        return work(context);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = { seconds, seconds + 1 }, none = { 0, 0 };
        setrlimit(RLIMIT_CORE, &none);
        if (seconds > 0)
            setrlimit(RLIMIT_CPU, &limit);
        alarm(10 * seconds); /* for one that sleeps */
        const int code = work(context);
        _exit(fflush(stdout) == 0 && !ferror(stdout) ? code : SP_EXIT_FAILED);
    }
    if (child < 0)
        return work(context);
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    if (!WIFSIGNALED(ended))
        return WEXITSTATUS(ended);
    if (WTERMSIG(ended) == SIGXCPU || WTERMSIG(ended) == SIGALRM)
        fprintf(stderr, "stillpoint: stopped: it took more than %u s of the processor\n", seconds);
    else
        fprintf(stderr, "stillpoint: it crashed (%s)\n", strsignal(WTERMSIG(ended)));
    return SP_EXIT_FAILED;
}

unsigned sp_patience(double limit)
{
    return limit > 0.0 ? (unsigned)(2.0 * fmin(limit, 1e8) + 10.0) : 0;
}
