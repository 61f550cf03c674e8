/* report.c -- see report.h. */
#include "core/report/report.h"

#include "core/base/memory.h"
#include "core/stats/tables.h"
#include "core/report/html.h"
#include "core/report/method.h"
#include "core/report/report_internal.h"
#include "core/plan/registry.h"

#include <stdlib.h>
#include <string.h>

typedef sp_report_experiment experiment;

static const char *const columns[SP_FIT_COLUMNS] = {
    "sweep", "algorithm", "y", "x", "mode", "source", "origin", "claimed", "low90", "exponent", "high90", "tail", "tail_low",
    "tail_high", "rival", "log_lr", "verdict", "reason",
};

/* --- opening ------------------------------------------------------------------------------------------------------ */

/* A table that need not be there. */
static sp_status read_table(const char *results, const char *name, sp_table *out, sp_error *error)
{
    sp_status status = sp_results_table(results, name, out, error);
    if (status == SP_EABSENT) {
        status = SP_OK;
        *error = (sp_error){ 0 };
    }
    return status;
}

static sp_status open_experiment(const sp_reported *of, experiment *e, sp_error *error)
{
    sp_status status = SP_OK;
    e->of = of;
    SP_TRY(sp_runs_open(of->results, of->plan->seed, &e->runs, error));
    SP_TRY(read_table(of->results, "fits.tsv", &e->fits, error));
    SP_TRY(read_table(of->results, "provenance.tsv", &e->provenance, error));
    SP_TRY(sp_report_stand(e, error));
    if (e->fits.columns == 0)
        goto cleanup;
    for (size_t c = 0; c < SP_FIT_COLUMNS; c++)
        SP_TRY(sp_need_column(&e->fits, "fits.tsv", columns[c], &e->column[c], error));
    SP_TRY(sp_claims_read(of->results, &e->claims, error));
    if (e->claims.count != e->fits.rows)
        SP_TRY(sp_fail(error, SP_EDATA, "%s: claims.tsv has %zu claims and fits.tsv %zu (`stillpoint plot` writes "
                       "both)", of->results, e->claims.count, e->fits.rows));
cleanup:
    return status;
}

static void close_experiment(experiment *e)
{
    sp_runs_close(&e->runs);
    sp_table_free(&e->fits);
    sp_table_free(&e->provenance);
    sp_claims_free(&e->claims);
    sp_board_free(&e->board);
    free(e->standing);
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

/* Does some cell of the experiment run it? */
static bool runs_method(const experiment *e, const char *name)
{
    const sp_table *t = &e->runs.cells;
    const size_t column = sp_table_column(t, "algorithm");
    for (size_t row = 0; row < t->rows && column < t->columns; row++)
        if (strcmp(sp_table_text(t, row, column), name) == 0)
            return true;
    return false;
}

/* Is it the label of a method of that name, in this sweep? */
static bool is_label_of(const experiment *e, const char *sweep, const char *label, const char *name)
{
    const sp_table *t = &e->runs.cells;
    const size_t at[] = { sp_table_column(t, "sweep"), sp_table_column(t, "label"), sp_table_column(t, "algorithm") };
    const char *const wanted[] = { sweep, label, name };
    for (size_t row = 0; row < t->rows; row++) {
        bool same = true;
        for (size_t k = 0; k < sizeof at / sizeof *at && same; k++)
            same = at[k] < t->columns && strcmp(sp_table_text(t, row, at[k]), wanted[k]) == 0;
        if (same)
            return true;
    }
    return false;
}

static sp_report_place place_of(const experiment *e, const char *name)
{
    sp_report_place place = { .of = e };
    for (size_t row = 0; row < e->fits.rows; row++) {
        if (!sp_report_theorem(e, row) ||
            !is_label_of(e, sp_report_fit(e, row, SP_FIT_SWEEP), sp_report_fit(e, row, SP_FIT_LABEL), name))
            continue;
        place.claims++;
        place.agree += sp_report_agrees(e, row);
    }
    return place;
}

/* The experiments that run it; place[count]. How many. */
static size_t find_places(const experiment *e, size_t count, const char *name, sp_report_place *place)
{
    size_t places = 0;
    for (size_t i = 0; i < count; i++)
        if (runs_method(&e[i], name))
            place[places++] = place_of(&e[i], name);
    return places;
}

/* Links to what stands below a heading. */
static void index_begin(const char *label, sp_text *out)
{
    sp_text_append(out, "<nav aria-label=\"%s\"><ul>\n", label);
}

static void index_item(const char *kind, const char *name, sp_text *out)
{
    sp_text_add_text(out, "<li>");
    sp_report_link_to(out, kind, name);
    sp_text_add_text(out, "</li>\n");
}

static void index_end(sp_text *out)
{
    sp_text_add_text(out, "</ul></nav>\n");
}

static sp_status show_methods(const experiment *e, size_t count, sp_text *out, sp_error *error)
{
    sp_report_place *place = sp_alloc(count + 1, sizeof *place);
    if (!place)
        return sp_fail(error, SP_ENOMEM, "out of memory");
    sp_text_add_text(out, "<section aria-labelledby=\"methods\">\n<h2 id=\"methods\">Methods</h2>\n");
    index_begin("Methods", out);
    for (size_t k = 0; k < sp_algorithm_count; k++)
        if (find_places(e, count, sp_algorithms[k]->name, place) > 0)
            index_item("method", sp_algorithms[k]->name, out);
    index_end(out);
    for (size_t k = 0; k < sp_algorithm_count; k++) {
        const size_t places = find_places(e, count, sp_algorithms[k]->name, place);
        if (places > 0)
            sp_report_method(sp_algorithms[k], place, places, out);
    }
    sp_text_add_text(out, "</section>\n");
    free(place);
    return SP_OK;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static void contents(bool scores, sp_text *out)
{
    sp_text_add_text(out, "<nav aria-label=\"Contents\"><ul class=\"top\">\n<li><a href=\"#verdicts\">Verdicts</a></li>\n");
    if (scores)
        sp_text_add_text(out, "<li><a href=\"#which\">Which method?</a></li>\n");
    sp_text_add_text(out, "<li><a href=\"#experiments\">Experiments</a></li>\n<li><a href=\"#methods\">Methods</a></li>\n"
                          "</ul></nav>\n");
}

/* Those that compare methods over many problems, or the others. */
static void list_experiments(const experiment *e, size_t count, bool scores, sp_text *out)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if ((e[i].standing != NULL) != scores)
            continue;
        if (found++ == 0)
            index_begin(scores ? "Experiments over many problems" : "Experiments", out);
        index_item("experiment", e[i].of->plan->name, out);
    }
    if (found > 0)
        index_end(out);
}

static sp_status show_experiments(const experiment *e, size_t count, bool scores, void (*say)(const char *line), sp_text *out,
                                  sp_error *error)
{
    sp_status status = SP_OK;
    for (size_t i = 0; i < count; i++)
        if ((e[i].standing != NULL) == scores)
            SP_TRY(sp_report_show(&e[i], say, out, error));
cleanup:
    return status;
}

static bool any_scores(const experiment *e, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (e[i].standing)
            return true;
    return false;
}

/* The shapes of points, of the first figure that was drawn. */
static void shapes(const experiment *e, size_t count, sp_text *out)
{
    sp_error none = { 0 };
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < e[i].of->plan->figures; k++) {
            char *svg = sp_format("%s/%s.svg", e[i].of->plots, e[i].of->plan->figure[k].name);
            const bool done = svg && sp_html_shapes(svg, out, &none) == SP_OK;
            free(svg);
            if (done)
                return;
        }
}

sp_status sp_report(const sp_reported *of, size_t count, const char *made_by, const char *manual,
                    void (*say)(const char *line), sp_text *out, sp_error *error)
{
    sp_status status = SP_OK;
    experiment *e = sp_alloc(count + 1, sizeof *e);
    if (!e)
        SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
    for (size_t i = 0; i < count; i++)
        SP_TRY(open_experiment(&of[i], &e[i], error));
    sp_html_begin(out, "Stillpoint: private non-convex optimisation, measured against its theorems");
    shapes(e, count, out);
    sp_text_add_text(out, "<header>\n<h1>Private non-convex optimisation, measured against its theorems</h1>\n"
                          "<p>What experiments of Stillpoint have shown: whether the exponents that theorems claim are "
                          "there, which method leaves less, and what each run was made by.");
    if (manual) {
        sp_text_add_text(out, " ");
        sp_report_link(manual, "README.md", "The manual", out);
        sp_text_add_text(out, " says how they are made, and how one is asked.");
    }
    sp_text_add_text(out, "</p>\n");
    contents(any_scores(e, count), out);
    sp_text_add_text(out, "</header>\n<main id=\"content\">\n");
    SP_TRY(sp_report_verdicts(e, count, manual, out, error));
    if (any_scores(e, count)) {
        sp_text_add_text(out, "<h2 id=\"which\">Which method?</h2>\n");
        list_experiments(e, count, true, out);
        SP_TRY(show_experiments(e, count, true, say, out, error));
    }
    sp_text_add_text(out, "<h2 id=\"experiments\">Experiments</h2>\n<p>Over a point of a figure its numbers stand under the "
                          "pointer; by keyboard, arrows step through the points of the figure that has the focus.</p>\n");
    list_experiments(e, count, false, out);
    SP_TRY(show_experiments(e, count, false, say, out, error));
    SP_TRY(show_methods(e, count, out, error));
    sp_text_add_text(out, "</main>\n<footer><p>");
    sp_html_text(out, made_by);
    sp_text_add_text(out, "</p></footer>\n");
    sp_html_end(out);
    if (out->failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "the report: out of memory"));
cleanup:
    for (size_t i = 0; e && i < count; i++)
        close_experiment(&e[i]);
    free(e);
    return status;
}
