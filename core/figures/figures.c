/* figures.c -- tables of statistics, then each figure's table, then gnuplot over it. */
#include "core/figures/figures.h"

#include "core/base/derived.h"
#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/base/pack.h"
#include "core/base/packed.h"
#include "core/figures/figure_data.h"
#include "core/figures/gnuplot.h"
#include "core/rates/seeds.h"
#include "core/stats/summary.h"

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

/* What is made of the tables in a folder. */
typedef struct making {
    const char *digest; /* of their seal; "": there is none, and nothing is noted */
    sp_derived derived;
} making;

/* Notes a file that was made, "figures/r.tsv" or "plots/r.svg", from tables of this digest. */
static sp_status note(making *m, const char *below, const char *path, const char *digest, sp_error *error)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (!*digest || strstr(name, ".timings."))
        return SP_OK;
    char *file = sp_format("%s%s", below, name);
    const sp_status status = file ? sp_derived_put(&m->derived, file, path, digest, error)
                                  : sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
    free(file);
    return status;
}

/* The table as gnuplot can read it: a copy in the folder of figures, which *copied says, where it lies packed. */
static sp_status plain_table(const char *table, const char *name, const char *plots, char **plain, bool *copied,
                             sp_error *error)
{
    sp_text text = { 0 };
    *copied = access(table, F_OK) != 0;
    *plain = *copied ? sp_format("%s/.%s.tsv", plots, name) : sp_copy_text(table);
    sp_status status = *plain ? SP_OK : sp_fail(error, SP_ENOMEM, "%s: out of memory", table);
    if (status == SP_OK && *copied)
        status = sp_packed_text(table, &text, error);
    if (status == SP_OK && *copied)
        status = sp_write_file(*plain, text.data, text.length, error);
    sp_text_free(&text);
    return status;
}

/* Every format that is asked for; one that cannot be drawn does not stop the others. `digest`: what the table is made of. */
static sp_status draw_formats(unsigned wanted, const char *name, const char *table, const sp_plot_paths *to, making *m,
                              const char *digest, void (*report)(const char *line), sp_error *error)
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
        if (status == SP_OK)
            status = note(m, "plots/", path, digest, &why);
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

static sp_status draw_all(unsigned wanted, const char *name, const char *table, const sp_plot_paths *to, making *m,
                          const char *digest, void (*report)(const char *line), sp_error *error)
{
    char *plain = NULL;
    bool copied = false;
    sp_status status = plain_table(table, name, to->plots, &plain, &copied, error);
    if (status == SP_OK)
        status = draw_formats(wanted, name, plain, to, m, digest, report, error);
    if (copied && plain)
        unlink(plain);
    free(plain);
    return status;
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
                      const sp_plot_paths *to, making *m, void (*report)(const char *line), sp_error *error)
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
        SP_TRY(sp_pack_write(table, text.data, text.length, error));
        SP_TRY(note(m, "figures/", table, m->digest, error));
        if (to->plots)
            SP_TRY(draw_all(figure->formats, name, table, to, m, m->digest, report, error));
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

/* Notes the tables of statistics; figures that this plan does not have any more are no longer of use. */
static sp_status note_all(making *m, const char *results, bool figures, sp_error *error)
{
    static const char *const tables[] = { "summary.tsv", "fits.tsv" };
    sp_status status = SP_OK;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == SP_OK; i++) {
        char *path = sp_format("%s/%s", results, tables[i]);
        status = path ? note(m, "", path, m->digest, error) : sp_fail(error, SP_ENOMEM, "%s: out of memory", results);
        free(path);
    }
    if (status == SP_OK)
        status = sp_derived_write(&m->derived, results, error);
    return status == SP_OK && figures ? sp_derived_drop(results, m->digest, error) : status;
}

sp_status sp_plot(const sp_plan *plan, const char *results, const sp_plot_paths *to,
                  void (*report)(const char *line), sp_error *error)
{
    sp_status status = SP_OK;
    sp_seeds seeds = { 0 };
    sp_seal seal = { 0 };
    making made = { .digest = seal.digest };
    sp_verdict *verdict = sp_alloc(plan->claims + 1, sizeof *verdict);
    char *folder = sp_format("%s/figures", results);
    if (!folder || !verdict)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", results));
    const size_t figures = to ? plan->figures : 0;
    SP_TRY(sp_seal_read(results, &seal, error));
    SP_TRY(sp_derived_read(results, &made.derived, error));
    SP_TRY(sp_summary_write(results, error));
    if (seal.format == 0) /* else it is one of the sealed tables */
        SP_TRY(sp_claims_write(plan->claim, plan->claims, plan->seed, results, error));
    if (plan->claims + figures > 0) /* else nothing asks for all runs at once */
        SP_TRY(sp_seeds_open(results, plan->seed, &seeds, error));
    SP_TRY(figures > 0 ? read_traces(plan, results, seeds.runs, error) : SP_OK);
    for (size_t i = 0; i < plan->claims; i++)
        SP_TRY(sp_seeds_verdict(&seeds, &plan->claim[i], &verdict[i], error));
    sp_verdicts_adjust(verdict, plan->claims);
    SP_TRY(sp_fits_write(verdict, plan->claims, results, error));
    if (figures > 0) {
        SP_TRY(sp_make_directory(folder, error));
        if (to->plots)
            SP_TRY(sp_make_directory(to->plots, error));
    }
    const sp_evidence evidence = { plan, seeds.runs, verdict };
    sp_status first = SP_OK; /* one that cannot be drawn does not stop the others */
    for (size_t i = 0; i < figures; i++) {
        sp_error why = { 0 };
        const sp_status one = plot(&evidence, &plan->figure[i], results, to, &made, report, &why);
        if (one != SP_OK && first == SP_OK && error)
            *error = why;
        first = first == SP_OK ? one : first;
    }
    if (seal.format > 0)
        SP_TRY(note_all(&made, results, to != NULL, error));
    status = first;
cleanup:
    for (size_t i = 0; verdict && i < plan->claims; i++)
        sp_verdict_free(&verdict[i]);
    sp_seeds_close(&seeds);
    sp_derived_free(&made.derived);
    sp_seal_free(&seal);
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

/* The length of the figure's name in that of its table, "r.tsv" or "r.tsv.gz"; 0: it is no table. */
static size_t name_length(const char *file)
{
    size_t length = strlen(file);
    if (length > 3 && strcmp(file + length - 3, ".gz") == 0)
        length -= 3;
    return length > 4 && *file != '.' && strncmp(file + length - 4, ".tsv", 4) == 0 ? length - 4 : 0;
}

static int is_table(const struct dirent *entry)
{
    return name_length(entry->d_name) > 0;
}

/* What the table of a figure was made of; "": unknown. */
static void digest_of(const sp_derived *d, const char *name, char digest[SP_HASH_HEX])
{
    *digest = '\0';
    for (size_t i = 0; i < d->count; i++) {
        const char *file = d->line[i].file;
        if (strncmp(file, "figures/", 8) == 0 && strncmp(file + 8, name, strlen(name)) == 0 &&
            strcmp(file + 8 + strlen(name), ".tsv") == 0)
            memcpy(digest, d->line[i].of, SP_HASH_HEX);
    }
}

sp_status sp_plot_tables(const char *results, const sp_plot_paths *to, void (*report)(const char *line),
                         sp_error *error)
{
    sp_status status = SP_OK;
    struct dirent **entry = NULL;
    making made = { .digest = "" };
    char *folder = sp_format("%s/figures", results);
    const int count = folder ? scandir(folder, &entry, is_table, alphasort) : 0;
    if (!folder)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", results));
    if (count < 0)
        SP_TRY(sp_fail(error, errno == ENOENT ? SP_EABSENT : SP_EIO, "%s: %s", folder, strerror(errno)));
    if (count == 0)
        SP_TRY(sp_fail(error, SP_EABSENT, "%s: no tables of figures there", folder));
    SP_TRY(sp_make_directory(to->plots, error));
    SP_TRY(sp_derived_read(results, &made.derived, error));
    sp_status first = SP_OK;
    for (int i = 0; i < count; i++) {
        sp_error why = { 0 };
        char *name = sp_format("%.*s", (int)name_length(entry[i]->d_name), entry[i]->d_name);
        char *table = name ? sp_format("%s/%s.tsv", folder, name) : NULL;
        char digest[SP_HASH_HEX];
        digest_of(&made.derived, name ? name : "", digest);
        const sp_status one = table ? draw_all(formats_there(name, to->plots), name, table, to, &made, digest, report, &why)
                                            : sp_fail(&why, SP_ENOMEM, "%s: out of memory", folder);
        if (one != SP_OK && first == SP_OK && error)
            *error = why;
        first = first == SP_OK ? one : first;
        free(name);
        free(table);
    }
    if (made.derived.count > 0)
        SP_TRY(sp_derived_write(&made.derived, results, error));
    status = first;
cleanup:
    sp_derived_free(&made.derived);
    for (int i = 0; i < count; i++)
        free(entry[i]);
    free(entry);
    free(folder);
    return status;
}
