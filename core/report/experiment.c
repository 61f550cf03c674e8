/* experiment.c -- the section of an experiment in the report; see report_internal.h. */
#include "core/base/memory.h"
#include "core/stats/paper_table.h"
#include "core/report/html.h"
#include "core/report/report_internal.h"
#include "core/plan/registry.h"
#include "measures/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void paragraph(sp_text *out, const char *before, const char *text)
{
    if (!text || !*text)
        return;
    sp_text_append(out, "<p>%s", before);
    sp_html_text(out, text);
    sp_text_add_text(out, "</p>\n");
}

static sp_status figures_of(const sp_report_experiment *e, void (*say)(const char *line), sp_text *out, sp_error *error)
{
    sp_status status = SP_OK;
    char *svg = NULL, *table = NULL;
    sp_text_add_text(out, "<div class=\"figures\">\n");
    for (size_t i = 0; i < e->of->plan->figures; i++) {
        const sp_figure *f = &e->of->plan->figure[i];
        const size_t mark = out->length;
        svg = sp_format("%s/%s.svg", e->of->plots, f->name);
        table = sp_format("%s/figures/%s.tsv", e->of->results, f->name);
        if (!svg || !table)
            SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
        sp_text_add_text(out, "<figure tabindex=\"0\">\n");
        status = sp_html_figure(svg, table, f->title ? f->title : f->name, out, error);
        if (status == SP_EABSENT) {
            char line[sizeof error->text + 16];
            status = SP_OK;
            snprintf(line, sizeof line, "left out: %s", error->text);
            *error = (sp_error){ 0 };
            if (say)
                say(line);
            out->length = mark;
            if (out->data)
                out->data[mark] = '\0';
        } else {
            SP_TRY(status);
            sp_text_add_text(out, "</figure>\n");
        }
        free(svg);
        free(table);
        svg = table = NULL;
    }
    sp_text_add_text(out, "</div>\n");
cleanup:
    free(svg);
    free(table);
    return status;
}

/* It sorts by the number that it begins with. */
static void measured_cell(const sp_paper_cell *c, sp_text *out)
{
    const double value = c->mean.estimate;
    sp_text_add_text(out, c->best ? "<td class=\"best\">" : "<td>");
    if (c->there && !isnan(value)) {
        sp_text_append(out, "%.3g", value);
        if (!isnan(c->mean.low))
            sp_text_append(out, " [%.3g, %.3g]", c->mean.low, c->mean.high);
        if (c->best)
            sp_text_add_text(out, " *");
    }
    if (c->there && c->failed > 0)
        sp_text_append(out, " <span class=\"failed\">%zu failed</span>", c->failed);
    sp_text_add_text(out, "</td>");
}

/* One measure of one sweep: rows [begin, end). */
static sp_status measured_table(const sp_report_experiment *e, size_t begin, size_t end, const sp_measure *m, size_t y,
                                sp_text *out, sp_error *error)
{
    sp_status status = SP_OK;
    sp_paper_table t = { 0 };
    const char **head = NULL;
    sp_paper_table_make(&e->runs, begin, end, y, m->lower_is_better, m->nonnegative, &t);
    if (t.points == 0 || t.methods == 0)
        goto cleanup;
    if (!(head = sp_alloc(t.axes + t.methods, sizeof *head)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
    for (size_t c = 0; c < t.axes + t.methods; c++)
        head[c] = c < t.axes ? t.axis[c] : t.method[c - t.axes];
    char caption[512];
    snprintf(caption, sizeof caption, "%s, sweep %s: mean and 95 %% interval; * best%s (%s is better)", m->name,
             sp_table_text(&e->runs.table, begin, e->runs.sweep), t.private_only ? " of the private" : "",
             m->lower_is_better ? "lower" : "higher");
    sp_html_table_begin(out, NULL, caption, head, t.axes + t.methods);
    for (size_t p = 0; p < t.points; p++) {
        sp_text_add_text(out, "<tr>");
        for (size_t k = 0; k < t.axes; k++)
            sp_report_cell(out, t.at[p * t.axes + k]);
        for (size_t k = 0; k < t.methods; k++)
            measured_cell(&t.cell[p * t.methods + k], out);
        sp_text_add_text(out, "</tr>\n");
    }
    sp_html_table_end(out);
cleanup:
    free(head);
    sp_paper_table_free(&t);
    return status;
}

static sp_status tables_of(const sp_report_experiment *e, sp_text *out, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_table *t = &e->runs.table;
    sp_text_add_text(out, "<details><summary>Tables: every measure at every point</summary>\n");
    for (size_t begin = 0, end; begin < t->rows; begin = end) {
        for (end = begin; end < t->rows && strcmp(sp_table_text(t, end, e->runs.sweep),
                                                  sp_table_text(t, begin, e->runs.sweep)) == 0;)
            end++;
        for (size_t c = 0; c < t->columns; c++) {
            const sp_measure *m = e->runs.measure[c] ? sp_measure_find(t->column[c]) : NULL;
            if (m)
                SP_TRY(measured_table(e, begin, end, m, c, out, error));
        }
    }
    sp_text_add_text(out, "</details>\n");
cleanup:
    return status;
}

/* The largest epsilon that a run spent of what it was given, and how many runs there are. */
static void spent(const sp_report_experiment *e, sp_text *out)
{
    const sp_runs *r = &e->runs;
    size_t failed = 0, private_runs = 0;
    double most = 0.0;
    const size_t asked = sp_runs_column(r, "epsilon");
    for (size_t row = 0; row < r->table.rows; row++) {
        failed += !sp_runs_succeeded(r, row);
        const double given = asked < r->table.columns ? sp_table_number(&r->table, row, asked) : NAN,
                     used = sp_table_number(&r->table, row, r->epsilon_spent);
        if (!(given > 0.0 && isfinite(used)))
            continue;
        private_runs++;
        most = fmax(most, used / given);
    }
    sp_text_append(out, "<dt>Runs</dt><dd>%zu, %zu failed</dd>\n", r->table.rows, failed);
    if (private_runs > 0)
        sp_text_append(out, "<dt>Privacy</dt><dd>%zu runs with a budget; the costliest spent %.6g of its "
                            "epsilon</dd>\n", private_runs, most);
}

static void audits_of(const sp_report_experiment *e, sp_text *out)
{
    const sp_table *a = &e->runs.audits;
    const size_t result = sp_table_column(a, "audited");
    sp_text_add_text(out, "<dt>Audit</dt><dd>");
    if (a->rows == 0) {
        sp_text_add_text(out, "no audits.tsv stands beside these tables; <code>stillpoint run</code> audits the methods and "
                              "writes it</dd>\n");
        return;
    }
    size_t failed = 0;
    for (size_t row = 0; row < a->rows && result < a->columns; row++)
        failed += strcmp(sp_table_text(a, row, result), "failed") == 0;
    sp_text_append(out, "%zu methods, %zu failed</dd>\n", a->rows, failed);
}

static void provenance_of(const sp_report_experiment *e, sp_text *out)
{
    static const char *const shown[] = { "commit", "command", "compiler", "flags", "cpu" };
    const sp_table *p = &e->provenance;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const size_t c = sp_table_column(p, shown[i]);
        if (c == p->columns || p->rows == 0)
            continue;
        sp_text_append(out, "<dt>%c%s</dt><dd>", shown[i][0] - 'a' + 'A', shown[i] + 1);
        for (size_t row = 0; row < p->rows; row++)
            if (row == 0 || strcmp(sp_table_text(p, row, c), sp_table_text(p, row - 1, c)) != 0) {
                sp_text_add_text(out, row > 0 ? "; " : "");
                sp_html_text(out, sp_table_text(p, row, c));
            }
        sp_text_add_text(out, "</dd>\n");
    }
}

static sp_status script_of(const sp_report_experiment *e, sp_text *out, sp_error *error)
{
    char *bytes;
    size_t size;
    const sp_status status = sp_html_read(e->of->plan->path, &bytes, &size, error);
    if (status == SP_OK) {
        sp_text_add_text(out, "<details><summary>The experiment's text</summary>\n<pre tabindex=\"0\">");
        sp_html_text(out, bytes);
        sp_text_add_text(out, "</pre></details>\n");
    }
    free(bytes);
    return status;
}

sp_status sp_report_show(const sp_report_experiment *e, void (*say)(const char *line), sp_text *out, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_plan *plan = e->of->plan;
    sp_text_add_text(out, "<section aria-labelledby=\"experiment-");
    sp_html_id(out, plan->name);
    sp_text_add_text(out, "\">\n<h3 id=\"experiment-");
    sp_html_id(out, plan->name);
    sp_text_add_text(out, "\">");
    sp_html_text(out, plan->name);
    sp_text_add_text(out, "</h3>\n");
    paragraph(out, "", plan->question);
    paragraph(out, "After: ", plan->source);
    sp_report_claims(e, out);
    SP_TRY(figures_of(e, say, out, error));
    SP_TRY(sp_report_scores(e, out, error));
    SP_TRY(tables_of(e, out, error));
    SP_TRY(sp_report_settings(e, out, error));
    sp_text_add_text(out, "<dl>\n");
    spent(e, out);
    audits_of(e, out);
    provenance_of(e, out);
    sp_text_add_text(out, "</dl>\n");
    SP_TRY(script_of(e, out, error));
    sp_text_add_text(out, "</section>\n");
cleanup:
    return status;
}
