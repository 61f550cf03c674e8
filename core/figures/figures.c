/* figures.c -- tables of statistics, then each figure's table, then gnuplot over it. */
#include "core/figures/figures.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/figures/figure_data.h"
#include "core/figures/gnuplot.h"
#include "core/evidence/seeds.h"
#include "core/evidence/summary.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A format of figures: the ending of its files, the terminal that it takes (NULL: every gnuplot has it). */
static const struct { sp_figure_format format; const char *ending, *terminal; } formats[] = {
    { SP_FORMAT_SVG, "svg", NULL }, { SP_FORMAT_PDF, "pdf", "pdfcairo" }, { SP_FORMAT_PNG, "png", "pngcairo" },
};
enum { FORMATS = sizeof formats / sizeof *formats };

const char *sp_figure_terminal(sp_figure_format format)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].format == format)
            return formats[i].terminal;
    return NULL;
}

/* Blanks the date that cairo writes into a PDF: the same table gives the same bytes. */
static sp_status forget_date(const char *path, sp_error *error)
{
    static const char key[] = "/CreationDate (";
    FILE *file = fopen(path, "r+b");
    size_t matched = 0;
    bool failed = !file;
    for (int c = failed ? EOF : getc(file); c != EOF; c = getc(file)) {
        matched = c == key[matched] ? matched + 1 : c == key[0];
        if (key[matched] != '\0')
            continue;
        failed = fseek(file, -(long)matched, SEEK_CUR) != 0;
        for (size_t i = 0; i < sizeof key - 1 + strlen("D:20000101000000Z)") && !failed; i++)
            failed = putc(' ', file) == EOF;
        break;
    }
    failed = (file && fclose(file) != 0) || failed;
    return failed ? sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno)) : SP_OK;
}

/* Beside its place and then renamed: a failure leaves the figure that was there. */
static sp_status draw(const char *name, const char *table, size_t format, const sp_plot_paths *to, char **path,
                      sp_error *error)
{
    sp_status status = SP_OK;
    const char *ending = formats[format].ending, *terminal = formats[format].terminal;
    bool has = true;
    char *script = sp_format("%s/figure.gp", to->scripts);
    char *draft = sp_format("%s/.%s.draft.%s", to->plots, name, ending);
    *path = sp_format("%s/%s.%s", to->plots, name, ending);
    if (!script || !draft || !*path)
        SP_TRY(sp_fail(error, SP_ENOMEM, "figure %s: out of memory", name));
    if (access(script, R_OK) != 0)
        SP_TRY(sp_fail(error, SP_EIO, "%s: %s", script, strerror(errno)));
    if (terminal)
        SP_TRY(sp_gnuplot_has(terminal, &has, error));
    if (!has)
        SP_TRY(sp_fail(error, SP_EABSENT, "%s: this gnuplot has no terminal %s (Debian's gnuplot-nox has it)", *path,
                       terminal));
    SP_TRY(sp_gnuplot(script, table, draft, to->style, error));
    if (formats[format].format == SP_FORMAT_PDF)
        SP_TRY(forget_date(draft, error));
    if (rename(draft, *path) != 0)
        SP_TRY(sp_fail(error, SP_EIO, "%s: %s", *path, strerror(errno)));
cleanup:
    if (draft && status != SP_OK)
        unlink(draft);
    free(script);
    free(draft);
    return status;
}

static bool is_trajectory(const sp_figure *figure)
{
    return strcmp(figure->kind, "trajectory") == 0;
}

/* Along seconds, which are this machine's and no two runs'. */
static bool is_timed(const sp_figure *figure)
{
    return is_trajectory(figure) && figure->x && strcmp(figure->x, "seconds") == 0;
}

/* Every format that is asked for; one that cannot be drawn does not stop the others. */
static sp_status draw_all(unsigned wanted, const char *name, const char *table, const sp_plot_paths *to,
                          void (*report)(const char *line), sp_error *error)
{
    sp_status first = SP_OK;
    for (size_t i = 0; i < FORMATS; i++) {
        sp_error why = { 0 };
        char *path = NULL, *line = NULL;
        if (!((wanted ? wanted : SP_FORMAT_SVG) & formats[i].format))
            continue;
        sp_status status = draw(name, table, i, to, &path, &why);
        if (status == SP_OK && !(line = sp_format("figure: %s", path)))
            status = sp_fail(&why, SP_ENOMEM, "figure %s: out of memory", name);
        if (status == SP_OK && report)
            report(line);
        if (status != SP_OK && first == SP_OK && error)
            *error = why;
        first = first == SP_OK ? status : first;
        free(path);
        free(line);
    }
    return first;
}

/* Is there such a table? */
static bool has_table(const char *results, const char *name)
{
    char *path = sp_format("%s/%s", results, name);
    const bool yes = path && access(path, F_OK) == 0;
    free(path);
    return yes;
}

static sp_status plot(const sp_evidence *evidence, const sp_figure *figure, const char *results,
                      const sp_plot_paths *to, void (*report)(const char *line), sp_error *error)
{
    sp_status status = SP_OK;
    sp_text text = { 0 };
    size_t points = 0;
    char *name = sp_format("%s%s", figure->name, is_timed(figure) ? ".timings" : "");
    char *table = name ? sp_format("%s/figures/%s.tsv", results, name) : NULL, *line = NULL;
    if (!name || !table)
        SP_TRY(sp_fail(error, SP_ENOMEM, "figure %s: out of memory", figure->name));
    const char *missing = is_trajectory(figure) && evidence->runs->trace.columns == 0 ? "traces.tsv"
                          : is_timed(figure) && !has_table(results, "timings.tsv")    ? "timings.tsv" : NULL;
    if (!missing)
        SP_TRY(sp_figure_data(evidence, figure, &text, &points, error));
    if (points > 0) {
        SP_TRY(sp_write_file(table, text.data, text.length, error));
        SP_TRY(draw_all(figure->formats, name, table, to, report, error));
        goto cleanup;
    }
    line = missing ? sp_format("figure %s is not drawn: there is no %s/%s (`stillpoint run` makes it)", figure->name,
                               results, missing)
                   : sp_format("figure %s is not drawn: %s", figure->name,
                               strcmp(figure->kind, "dominance") == 0 ? "no two of its methods share two problems"
                               : strcmp(figure->kind, "search") == 0  ? "no two methods searched a grid at one task"
                                                                      : "no run that it shows has succeeded");
    if (!line)
        SP_TRY(sp_fail(error, SP_ENOMEM, "figure %s: out of memory", figure->name));
    if (report)
        report(line);
cleanup:
    sp_text_free(&text);
    free(name);
    free(table);
    free(line);
    return status;
}

/* When a figure draws them, and if they are there. */
static sp_status read_traces(const sp_plan *plan, const char *results, sp_runs *runs, sp_error *error)
{
    bool drawn = false, timed = false;
    for (size_t i = 0; i < plan->figures; i++) {
        drawn = drawn || is_trajectory(&plan->figure[i]);
        timed = timed || is_timed(&plan->figure[i]);
    }
    const sp_status status = drawn ? sp_runs_read_traces(results, timed, runs, error) : SP_OK;
    return status == SP_EABSENT ? SP_OK : status;
}

sp_status sp_plot(const sp_plan *plan, const char *results, const sp_plot_paths *to,
                  void (*report)(const char *line), sp_error *error)
{
    sp_status status = SP_OK;
    sp_seeds seeds = { 0 };
    sp_verdict *verdict = sp_alloc(plan->claims + 1, sizeof *verdict);
    char *folder = sp_format("%s/figures", results);
    if (!folder || !verdict)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", results));
    const size_t figures = to ? plan->figures : 0;
    SP_TRY(sp_summary_write(results, error));
    SP_TRY(sp_claims_write(plan->claim, plan->claims, plan->seed, results, error));
    if (plan->claims + figures > 0) /* else nothing asks for all runs at once */
        SP_TRY(sp_seeds_open(results, plan->seed, &seeds, error));
    SP_TRY(figures > 0 ? read_traces(plan, results, seeds.runs, error) : SP_OK);
    for (size_t i = 0; i < plan->claims; i++)
        SP_TRY(sp_seeds_verdict(&seeds, &plan->claim[i], &verdict[i], error));
    if (sp_verdicts_adjust(verdict, plan->claims) != SP_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", results));
    SP_TRY(sp_fits_write(verdict, plan->claims, results, error));
    if (figures > 0) {
        SP_TRY(sp_make_directory(folder, error));
        SP_TRY(sp_make_directory(to->plots, error));
    }
    const sp_evidence evidence = { plan, seeds.runs, verdict };
    sp_status first = SP_OK; /* one that cannot be drawn does not stop the others */
    for (size_t i = 0; i < figures; i++) {
        sp_error why = { 0 };
        const sp_status one = plot(&evidence, &plan->figure[i], results, to, report, &why);
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

/* --- tables that are there ------------------------------------------------------------------------------------- */

/* The formats in which the figure is there. */
static unsigned formats_there(const char *name, const char *plots)
{
    unsigned there = 0;
    for (size_t i = 0; i < FORMATS; i++) {
        char *path = sp_format("%s/%s.%s", plots, name, formats[i].ending);
        there |= path && access(path, F_OK) == 0 ? formats[i].format : 0;
        free(path);
    }
    return there;
}

static int is_table(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 4 && *entry->d_name != '.' && strcmp(entry->d_name + length - 4, ".tsv") == 0;
}

sp_status sp_plot_tables(const char *results, const sp_plot_paths *to, void (*report)(const char *line),
                         sp_error *error)
{
    sp_status status = SP_OK;
    struct dirent **entry = NULL;
    char *folder = sp_format("%s/figures", results);
    const int count = folder ? scandir(folder, &entry, is_table, alphasort) : 0;
    if (!folder)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", results));
    if (count < 0)
        SP_TRY(sp_fail(error, errno == ENOENT ? SP_EABSENT : SP_EIO, "%s: %s", folder, strerror(errno)));
    if (count == 0)
        SP_TRY(sp_fail(error, SP_EABSENT, "%s: no tables of figures there", folder));
    SP_TRY(sp_make_directory(to->plots, error));
    sp_status first = SP_OK;
    for (int i = 0; i < count; i++) {
        sp_error why = { 0 };
        char *name = sp_format("%.*s", (int)strlen(entry[i]->d_name) - 4, entry[i]->d_name);
        char *table = sp_format("%s/%s", folder, entry[i]->d_name);
        const sp_status one = name && table ? draw_all(formats_there(name, to->plots), name, table, to, report, &why)
                                            : sp_fail(&why, SP_ENOMEM, "%s: out of memory", folder);
        if (one != SP_OK && first == SP_OK && error)
            *error = why;
        first = first == SP_OK ? one : first;
        free(name);
        free(table);
    }
    status = first;
cleanup:
    for (int i = 0; i < count; i++)
        free(entry[i]);
    free(entry);
    free(folder);
    return status;
}
