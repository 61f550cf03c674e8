/* figures.c -- tables of statistics, then each figure's table, then gnuplot over it. */
#include "core/figures/figures.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/figures/figure_data.h"
#include "core/evidence/seeds.h"
#include "core/evidence/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* gnuplot -d: without the user's own settings, so that the same table gives the same figure. It runs a shell for a name
 * that begins with '<' or '|': all paths are absolute. */
static sp_status gnuplot(const char *script, const char *input, const char *output, sp_error *error)
{
    char *const argv[] = { "gnuplot", "-d", "-c", (char *)script, (char *)input, (char *)output, NULL };
    posix_spawn_file_actions_t actions;
    int ends[2], wait_status = 0, failure;
    pid_t child;
    char said[800];
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
        if (failure == 0)
            failure = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (failure != 0) {
        close(ends[0]);
        if (failure == ENOENT)
            return sp_fail(error, SP_EABSENT, "%s: gnuplot is not installed (Debian: gnuplot-nox)", output);
        return sp_fail(error, SP_EIO, "gnuplot: %s", strerror(failure));
    }
    for (;;) { /* to the end, so that it never waits for us; the head is what gets reported */
        char rest[512];
        const bool room = length < sizeof said - 1;
        got = read(ends[0], room ? said + length : rest, room ? sizeof said - 1 - length : sizeof rest);
        if (got < 0 && errno == EINTR)
            continue;
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
    return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0
               ? SP_OK
               : sp_fail(error, SP_EIO, "%s: gnuplot failed: %s", script, length ? said : "without a word");
}

/* Beside its place and then renamed: a failure leaves the figure that was there. */
static sp_status draw(const sp_figure *figure, const char *table, const char *plots, const char *scripts,
                      sp_error *error)
{
    sp_status status = SP_OK;
    char *script = sp_format("%s/figure.gp", scripts);
    char *path = sp_format("%s/%s.svg", plots, figure->name);
    char *draft = sp_format("%s/.%s.draft.svg", plots, figure->name);
    char *const argument[] = { script ? sp_absolute_path(script) : NULL, sp_absolute_path(table),
                               draft ? sp_absolute_path(draft) : NULL };
    if (!script || !path || !draft || !argument[0] || !argument[1] || !argument[2])
        SP_TRY(sp_fail(error, SP_ENOMEM, "figure %s: out of memory", figure->name));
    if (access(script, R_OK) != 0)
        SP_TRY(sp_fail(error, SP_EIO, "%s: %s", script, strerror(errno)));
    SP_TRY(gnuplot(argument[0], argument[1], argument[2], error));
    if (rename(draft, path) != 0)
        SP_TRY(sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno)));
cleanup:
    if (draft && status != SP_OK)
        unlink(draft);
    for (size_t i = 0; i < sizeof argument / sizeof *argument; i++)
        free(argument[i]);
    free(script);
    free(path);
    free(draft);
    return status;
}

static bool is_trajectory(const sp_figure *figure)
{
    return strcmp(figure->kind, "trajectory") == 0;
}

static sp_status plot(const sp_evidence *evidence, const sp_figure *figure, const char *results, const char *plots,
                      const char *scripts, void (*report)(const char *line), sp_error *error)
{
    sp_status status = SP_OK;
    sp_text text = { 0 };
    size_t points = 0;
    char *table = sp_format("%s/figures/%s.tsv", results, figure->name), *line = NULL;
    if (!table)
        SP_TRY(sp_fail(error, SP_ENOMEM, "figure %s: out of memory", figure->name));
    const bool traces_missing = is_trajectory(figure) && evidence->runs->trace.columns == 0;
    if (!traces_missing)
        SP_TRY(sp_figure_data(evidence, figure, &text, &points, error));
    if (points > 0) {
        SP_TRY(sp_write_file(table, text.data, text.length, error));
        SP_TRY(draw(figure, table, plots, scripts, error));
        line = sp_format("figure: %s/%s.svg", plots, figure->name);
    } else if (traces_missing) {
        line = sp_format("figure %s is not drawn: there is no %s/traces.tsv (`stillpoint run` makes it)", figure->name,
                         results);
    } else {
        line = sp_format("figure %s is not drawn: no run that it shows has succeeded", figure->name);
    }
    if (!line)
        SP_TRY(sp_fail(error, SP_ENOMEM, "figure %s: out of memory", figure->name));
    if (report)
        report(line);
cleanup:
    sp_text_free(&text);
    free(table);
    free(line);
    return status;
}

/* When a figure draws them, and if they are there. */
static sp_status read_traces(const sp_plan *plan, const char *results, sp_runs *runs, sp_error *error)
{
    bool drawn = false;
    for (size_t i = 0; i < plan->figures; i++)
        drawn = drawn || is_trajectory(&plan->figure[i]);
    const sp_status status = drawn ? sp_runs_read_traces(results, runs, error) : SP_OK;
    return status == SP_EABSENT ? SP_OK : status;
}

sp_status sp_plot(const sp_plan *plan, const char *results, const char *plots, const char *scripts,
                  void (*report)(const char *line), sp_error *error)
{
    sp_status status = SP_OK;
    sp_seeds seeds = { 0 };
    sp_verdict *verdict = sp_alloc(plan->claims + 1, sizeof *verdict);
    char *folder = sp_format("%s/figures", results);
    if (!folder || !verdict)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", results));
    SP_TRY(sp_seeds_open(results, plan->seed, &seeds, error));
    SP_TRY(plots ? read_traces(plan, results, seeds.runs, error) : SP_OK);
    SP_TRY(sp_summary_write(seeds.runs, results, error));
    SP_TRY(sp_claims_write(plan->claim, plan->claims, plan->seed, results, error));
    for (size_t i = 0; i < plan->claims; i++)
        SP_TRY(sp_seeds_verdict(&seeds, &plan->claim[i], &verdict[i], error));
    if (sp_verdicts_adjust(verdict, plan->claims) != SP_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", results));
    SP_TRY(sp_fits_write(verdict, plan->claims, results, error));
    const size_t figures = plots ? plan->figures : 0;
    if (figures > 0) {
        SP_TRY(sp_make_directory(folder, error));
        SP_TRY(sp_make_directory(plots, error));
    }
    const sp_evidence evidence = { plan, seeds.runs, verdict };
    sp_status first = SP_OK; /* one that cannot be drawn does not stop the others */
    for (size_t i = 0; i < figures; i++) {
        sp_error why = { 0 };
        const sp_status one = plot(&evidence, &plan->figure[i], results, plots, scripts, report, &why);
        if (one != SP_OK && first == SP_OK && error)
            *error = why;
        first = first == SP_OK ? one : first;
    }
    status = first;
cleanup:
    for (size_t i = 0; verdict && i < plan->claims; i++)
        sp_verdict_free(&verdict[i]);
    sp_seeds_close(&seeds);
    free(verdict);
    free(folder);
    return status;
}
