/* peer.h -- a Python process that takes its turns in a race (bench.h). It says "ready ..." once it has begun; then it
 * is asked a line at a time. PYTHON names an interpreter that has NumPy and more; the default is Debian's. */
#ifndef SP_TESTS_BENCH_PEER_H
#define SP_TESTS_BENCH_PEER_H

#include "tests/bench/bench.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct peer {
    pid_t process;
    FILE *to, *from;
} peer;

static inline void peer_close(peer *p)
{
    fclose(p->to);
    fclose(p->from);
    waitpid(p->process, NULL, 0);
}

/* words[1], ... are the interpreter's arguments, up to a NULL. False: there is none, or it lacks what they need. */
static inline bool peer_open(peer *p, const char *need, char *words[])
{
    char *named = getenv("PYTHON"), line[256] = "";
    int down[2], up[2];
    words[0] = named ? named : "/usr/bin/python3";
    signal(SIGPIPE, SIG_IGN);
    if (pipe(down) != 0 || pipe(up) != 0)
        return false;
    p->process = fork();
    if (p->process == 0) {
        dup2(down[0], STDIN_FILENO);
        dup2(up[1], STDOUT_FILENO);
        close_range(STDERR_FILENO + 1, ~0U, 0);
        execv(words[0], words);
        _exit(127);
    }
    close(down[0]);
    close(up[1]);
    p->to = fdopen(down[1], "wb");
    p->from = fdopen(up[0], "rb");
    if (fgets(line, sizeof line, p->from) && strncmp(line, "ready ", 6) == 0) {
        fputs(line + 6, stderr);
        return true;
    }
    peer_close(p);
    bench_skip("%s has no %s (PYTHON names another interpreter)", words[0], need);
    return false;
}

/* Asks for `runs` runs of `what`; how many seconds they took. */
static inline double peer_seconds(const peer *p, const char *what, size_t runs)
{
    char line[64] = "";
    fprintf(p->to, "%s %zu\n", what, runs);
    fflush(p->to);
    return fgets(line, sizeof line, p->from) ? strtod(line, NULL) : NAN;
}

#endif
