/* gnuplot.c -- see gnuplot.h. */
#include "core/figures/gnuplot.h"

#include "core/base/files.h"
#include "core/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Its exit status, and what it said on its standard error, up to the room there is. SP_EABSENT: it is not installed. */
static sp_status run(char *const argv[], int *exit_status, char *said, size_t room_for, sp_error *error)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t usual; /* signals that end it, although this program ignores them */
    int ends[2], wait_status = 0, failure;
    pid_t child;
    size_t length = 0;
    ssize_t got;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return sp_fail(error, SP_EIO, "gnuplot: %s", strerror(errno));
    failure = posix_spawn_file_actions_init(&actions);
    if (failure == 0) {
        failure = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (failure == 0)
            failure = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        if (failure == 0)
            failure = posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
        sigemptyset(&usual);
        sigaddset(&usual, SIGXFSZ);
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setsigdefault(&attributes, &usual);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
        if (failure == 0)
            failure = posix_spawnp(&child, argv[0], &actions, &attributes, argv, environ);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (failure != 0) {
        close(ends[0]);
        if (failure == ENOENT)
            return sp_fail(error, SP_EABSENT, "gnuplot is not installed (Debian: gnuplot-nox)");
        return sp_fail(error, SP_EIO, "gnuplot: %s", strerror(failure));
    }
    for (;;) { /* to the end, so that it never waits for us; the head is what gets reported */
        char rest[512];
        const bool room = length < room_for - 1;
        got = sp_read(ends[0], room ? said + length : rest, room ? room_for - 1 - length : sizeof rest);
        if (got <= 0)
            break;
        length += room ? (size_t)got : 0;
    }
    close(ends[0]);
    while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR)
        ;
    while (length > 0 && (said[length - 1] == '\n' || said[length - 1] == ' '))
        length--;
    said[length] = '\0';
    *exit_status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
    return SP_OK;
}

sp_status sp_gnuplot(const char *script, const char *input, const char *output, const char *style, sp_error *error)
{
    sp_status status = SP_OK;
    char said[800];
    int exit_status;
    char *const path[] = { sp_absolute_path(script), sp_absolute_path(input), sp_absolute_path(output),
                           style ? sp_absolute_path(style) : NULL };
    char *const argv[] = { "gnuplot", "-d", "-c", path[0], path[1], path[2], path[3], NULL };
    if (!path[0] || !path[1] || !path[2] || (style && !path[3]))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", output));
    status = run(argv, &exit_status, said, sizeof said, error);
    if (status != SP_OK)
        sp_fail_prefix(error, "%s", output);
    SP_TRY(status);
    if (exit_status != 0)
        SP_TRY(sp_fail(error, SP_EIO, "%s: gnuplot failed: %s", script, *said ? said : "without a word"));
cleanup:
    for (size_t i = 0; i < sizeof path / sizeof *path; i++)
        free(path[i]);
    return status;
}

sp_status sp_gnuplot_has(const char *terminal, bool *has, sp_error *error)
{
    enum { YES = 17, NO = 18 };
    char said[200];
    int exit_status = 0;
    char *command = sp_format("exit status strstrt(' '.GPVAL_TERMINALS.' ', ' %s ') ? %d : %d", terminal, YES, NO);
    char *const argv[] = { "gnuplot", "-d", "-e", command, NULL };
    sp_status status = command ? run(argv, &exit_status, said, sizeof said, error)
                               : sp_fail(error, SP_ENOMEM, "gnuplot: out of memory");
    if (status == SP_OK && exit_status != YES && exit_status != NO)
        status = sp_fail(error, SP_EIO, "gnuplot does not say which terminals it has: %s", said);
    *has = exit_status == YES;
    free(command);
    return status;
}
