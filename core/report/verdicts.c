/* verdicts.c -- claims in the report: how they came out paper by paper, what contradicts a theorem, a row a claim. */
#include "core/report/report_internal.h"

#include "core/base/memory.h"
#include "core/rates/outcomes.h"
#include "core/report/html.h"
#include "core/report/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *sp_report_fit(const sp_report_experiment *e, size_t row, size_t column)
{
    return sp_table_text(&e->fits, row, e->column[column]);
}

static double number(const sp_report_experiment *e, size_t row, size_t column)
{
    return sp_table_number(&e->fits, row, e->column[column]);
}

bool sp_report_theorem(const sp_report_experiment *e, size_t row)
{
    return strcmp(sp_report_fit(e, row, SP_FIT_ORIGIN), "theorem") == 0;
}

bool sp_report_agrees(const sp_report_experiment *e, size_t row)
{
    return strcmp(sp_report_fit(e, row, SP_FIT_WORD), "AGREES") == 0;
}

/* --- a claim ------------------------------------------------------------------------------------------------------ */

/* Of a bound the end of the curve is what is judged. */
static bool judged_at_end(const sp_report_experiment *e, size_t row)
{
    return strcmp(sp_report_fit(e, row, SP_FIT_MODE), "bound") == 0;
}

/* "0.602 [0.558, 0.646] at the end"; what it is is returned. */
static double measured(const sp_report_experiment *e, size_t row, sp_text *out)
{
    const bool end = judged_at_end(e, row);
    const double at = number(e, row, end ? SP_FIT_TAIL : SP_FIT_MEASURED);
    if (!isnan(at))
        sp_text_append(out, "%.3f [%.3f, %.3f]%s", at, number(e, row, end ? SP_FIT_TAIL_LOW : SP_FIT_LOW),
                       number(e, row, end ? SP_FIT_TAIL_HIGH : SP_FIT_HIGH), end ? " at the end" : "");
    return at;
}

static void cell_measured(const sp_report_experiment *e, size_t row, sp_text *out)
{
    sp_report_sorted(out, "<td class=\"whole\"", number(e, row, judged_at_end(e, row) ? SP_FIT_TAIL : SP_FIT_MEASURED));
    measured(e, row, out);
    sp_text_add_text(out, "</td>");
}

/* "not resolved" */
static void small_word(const char *word, sp_text *out)
{
    for (; *word; word++) {
        const char small = *word == '_' ? ' ' : (char)(*word >= 'A' && *word <= 'Z' ? *word - 'A' + 'a' : *word);
        sp_text_add(out, &small, 1);
    }
}

static void cell_word(const sp_report_experiment *e, size_t row, sp_text *out)
{
    const char *word = sp_report_fit(e, row, SP_FIT_WORD);
    sp_text_append(out, "<td class=\"%s\">", word);
    small_word(word, out);
    sp_text_add_text(out, "</td>");
}

/* "grad_norm / steps^1/2": y with what it is divided by first. */
static void divided(const sp_report_experiment *e, size_t row, sp_text *out)
{
    const sp_claim *c = &e->claims.claim[row];
    double power;
    sp_html_text(out, sp_report_fit(e, row, SP_FIT_Y));
    if (c->log != 0.0) {
        sp_text_add_text(out, " / log");
        if (c->log != 1.0) {
            sp_text_add_text(out, "^");
            sp_report_power(out, c->log);
        }
        sp_text_add_text(out, " ");
        sp_html_text(out, sp_report_fit(e, row, SP_FIT_X));
    }
    for (size_t i = 0; i < c->pers; i++) {
        sp_text_add_text(out, " / ");
        sp_html_text(out, c->per[i].key);
        if (!sp_read_number(c->per[i].value, &power)) {
            sp_text_add_text(out, "^");
            sp_html_text(out, c->per[i].value);
        } else if (power != 1.0) {
            sp_text_add_text(out, "^");
            sp_report_power(out, power);
        }
    }
}

static void cell_claim(const sp_report_experiment *e, size_t row, sp_text *out)
{
    sp_text_add_text(out, "<td>");
    divided(e, row, out);
    sp_text_add_text(out, " against ");
    sp_html_text(out, sp_report_fit(e, row, SP_FIT_X));
    sp_text_add_text(out, "</td>");
}

static void cell_long(const char *text, sp_text *out)
{
    sp_text_add_text(out, *text ? "<td class=\"long\">" : "<td>");
    sp_html_text(out, text);
    sp_text_add_text(out, "</td>");
}

static const char *text_or_none(const sp_report_experiment *e, size_t row, size_t column)
{
    return sp_table_empty(&e->fits, row, e->column[column]) ? "" : sp_report_fit(e, row, column);
}

static sp_verdict_kind kind_of(const sp_report_experiment *e, size_t row)
{
    sp_verdict_kind kind = SP_NOT_RESOLVED;
    sp_verdict_named(sp_report_fit(e, row, SP_FIT_WORD), &kind);
    return kind;
}

static const char *reason_of(const sp_report_experiment *e, size_t row)
{
    return sp_outcome_reason(kind_of(e, row), text_or_none(e, row, SP_FIT_REASON));
}

/* Where it was measured: "warm_start, n" with a link, or the sweep alone within an experiment's own section. */
static void cell_where(const sp_report_experiment *e, size_t row, bool with_name, sp_text *out)
{
    const char *sweep = sp_report_fit(e, row, SP_FIT_SWEEP);
    sp_text_add_text(out, "<td>");
    if (with_name) {
        sp_report_link_to(out, "experiment", e->of->plan->name);
        if (strcmp(sweep, "main") != 0)
            sp_text_add_text(out, ", ");
    }
    if (!with_name || strcmp(sweep, "main") != 0)
        sp_html_text(out, sweep);
    sp_text_add_text(out, "</td>");
}

static void verdict_row(const sp_report_experiment *e, size_t row, bool with_name, sp_text *out)
{
    const bool excluded = number(e, row, SP_FIT_LOG_LR) >= log(20.0);
    sp_text_add_text(out, "<tr>");
    cell_word(e, row, out);
    cell_long(text_or_none(e, row, SP_FIT_SOURCE), out);
    cell_where(e, row, with_name, out);
    sp_report_cell(out, sp_report_fit(e, row, SP_FIT_LABEL));
    cell_claim(e, row, out);
    sp_report_cell_power(out, number(e, row, SP_FIT_CLAIMED));
    cell_measured(e, row, out);
    sp_report_cell_power(out, excluded ? number(e, row, SP_FIT_RIVAL) : NAN);
    cell_long(reason_of(e, row), out);
    sp_report_cell(out, sp_report_fit(e, row, SP_FIT_MODE));
    sp_report_cell(out, sp_report_fit(e, row, SP_FIT_ORIGIN));
    sp_text_add_text(out, "</tr>\n");
}

enum { WHERE = 2, VERDICT_COLUMNS = 11 };
static const char *const verdict_columns[VERDICT_COLUMNS] = { "verdict", "source", "experiment", "method", "claim", "claimed",
                                                              "measured, 90 %", "excluded", "why", "mode", "origin" };

void sp_report_claims(const sp_report_experiment *e, sp_text *out)
{
    const char *columns[VERDICT_COLUMNS];
    if (e->fits.rows == 0)
        return;
    memcpy(columns, verdict_columns, sizeof columns);
    columns[WHERE] = "sweep";
    sp_html_table_begin(out, NULL, "Its claims", columns, VERDICT_COLUMNS);
    for (size_t row = 0; row < e->fits.rows; row++)
        verdict_row(e, row, false, out);
    sp_html_table_end(out);
}

/* --- all claims --------------------------------------------------------------------------------------------------- */

typedef struct place {
    const sp_report_experiment *e;
    size_t row, order;
    const char *source;
    size_t paper; /* how many letters of the source name the paper */
} place;

/* Claims without a source behind all others. */
static int by_source(const void *a, const void *b)
{
    const place *p = a, *q = b;
    const bool p_says = strcmp(p->source, "-") != 0, q_says = strcmp(q->source, "-") != 0;
    const int order = p_says != q_says ? q_says - p_says : strcmp(p->source, q->source);
    return order != 0 ? order : p->order < q->order ? -1 : 1;
}

static bool same_paper(const place *a, const place *b)
{
    return a->paper == b->paper && strncmp(a->source, b->source, a->paper) == 0;
}

/* Claims of theorems among places [begin, end). */
static sp_outcomes count_theorems(const place *p, size_t begin, size_t end)
{
    sp_outcomes o = { 0 };
    for (size_t i = begin; i < end; i++)
        if (sp_report_theorem(p[i].e, p[i].row))
            sp_outcomes_add(&o, kind_of(p[i].e, p[i].row));
    return o;
}

static void bar(const sp_outcomes *o, sp_text *out)
{
    sp_text_add_text(out, "<span class=\"bar\" aria-hidden=\"true\">");
    for (size_t i = 0; i < SP_OUTCOMES; i++) {
        const sp_verdict_kind kind = sp_outcome_order[i];
        if (o->of[kind] > 0)
            sp_text_append(out, "<span class=\"of_%s\" style=\"width:%.2f%%\"></span>", sp_verdict_name(kind),
                           100.0 * (double)o->of[kind] / (double)o->claims);
    }
    sp_text_add_text(out, "</span>");
}

static void by_paper(const place *p, size_t claims, sp_text *out)
{
    enum { FIXED = 3 };
    const char *columns[FIXED + SP_OUTCOMES] = { "paper", "claims", "how they came out" };
    for (size_t i = 0; i < SP_OUTCOMES; i++)
        columns[FIXED + i] = sp_outcome_word(sp_outcome_order[i]);
    sp_html_table_begin(out, NULL, "The claims of theorems, a row a paper", columns, sizeof columns / sizeof *columns);
    for (size_t begin = 0, end; begin < claims; begin = end) {
        for (end = begin + 1; end < claims && same_paper(&p[begin], &p[end]);)
            end++;
        const sp_outcomes o = count_theorems(p, begin, end);
        char *name = o.claims > 0 ? sp_format("%.*s", (int)p[begin].paper, p[begin].source) : NULL;
        if (o.claims == 0)
            continue;
        sp_text_add_text(out, "<tr>");
        out->failed |= !name;
        sp_report_cell(out, name ? name : "");
        sp_text_append(out, "<td>%zu</td><td data-value=\"%.7g\">", o.claims,
                       (double)o.of[SP_AGREES] / (double)o.claims);
        bar(&o, out);
        sp_text_add_text(out, "</td>");
        for (size_t i = 0; i < SP_OUTCOMES; i++)
            sp_text_append(out, "<td>%zu</td>", o.of[sp_outcome_order[i]]);
        sp_text_add_text(out, "</tr>\n");
        free(name);
    }
    sp_html_table_end(out);
}

static bool contradicts(const place *p)
{
    return sp_report_theorem(p->e, p->row) && sp_outcome_contradicts(kind_of(p->e, p->row), p->e->claims.claim[p->row].tight);
}

/* "Bassily et al. 2021, Theorem 7, has fw_gap of poly_sfw go at most as n to the power -1/3; measured is the power -0.270
 * [...]: shallower, the tail lies ... (frank_wolfe, main)." */
static void contradiction(const place *p, sp_text *out)
{
    const sp_report_experiment *e = p->e;
    sp_text_add_text(out, "<li>");
    sp_html_text(out, p->source);
    sp_text_add_text(out, ", has ");
    divided(e, p->row, out);
    sp_text_add_text(out, " of ");
    sp_html_text(out, sp_report_fit(e, p->row, SP_FIT_LABEL));
    sp_text_add_text(out, judged_at_end(e, p->row) ? " go at most as " : " go as ");
    sp_html_text(out, sp_report_fit(e, p->row, SP_FIT_X));
    sp_text_add_text(out, " to the power ");
    sp_report_power(out, number(e, p->row, SP_FIT_CLAIMED));
    sp_text_add_text(out, "; measured is the power ");
    measured(e, p->row, out);
    sp_text_append(out, ": %s, ", sp_outcome_word(kind_of(e, p->row)));
    sp_html_text(out, reason_of(e, p->row));
    sp_text_add_text(out, " (");
    sp_report_link_to(out, "experiment", e->of->plan->name);
    sp_text_add_text(out, ", ");
    sp_html_text(out, sp_report_fit(e, p->row, SP_FIT_SWEEP));
    sp_text_add_text(out, ").</li>\n");
}

static void contradictions(const place *p, size_t claims, const char *manual, sp_text *out)
{
    size_t found = 0;
    sp_text_add_text(out, "<h3>What contradicts a theorem</h3>\n");
    for (size_t i = 0; i < claims; i++) {
        if (!contradicts(&p[i]))
            continue;
        if (found++ == 0)
            sp_text_add_text(out, "<ul>\n");
        contradiction(&p[i], out);
    }
    sp_text_add_text(out, found > 0 ? "</ul>\n" : "<p>No measured exponent does.</p>\n");
    if (manual) {
        sp_text_add_text(out, "<p>What is wrong in the papers beside exponents, with the command that shows it: ");
        sp_report_link(manual, "results/errata.md", "errata", out);
        sp_text_add_text(out, ".</p>\n");
    }
}

/* "77 agree": a number to be seen from afar. */
static void tiles(const sp_outcomes *o, sp_text *out)
{
    sp_text_append(out, "<ul class=\"tiles\">\n<li><b>%zu</b> claims of theorems</li>\n", o->claims);
    for (size_t i = 0; i < SP_OUTCOMES; i++) {
        const sp_verdict_kind kind = sp_outcome_order[i];
        if (o->of[kind] > 0)
            sp_text_append(out, "<li class=\"%s\"><b>%zu</b> %s</li>\n", sp_verdict_name(kind), o->of[kind],
                           sp_outcome_word(kind));
    }
    sp_text_add_text(out, "</ul>\n");
}

/* What came out, and every claim in the order of its source. */
static void show_claims(const place *p, size_t claims, const char *manual, sp_text *out)
{
    const sp_outcomes theorems = count_theorems(p, 0, claims);
    if (theorems.claims > 0)
        tiles(&theorems, out);
    sp_text_append(out, "<p>%zu claims; of the %zu that are theorems', %zu agree. A claim agrees when the 90 %% "
                        "interval of the measured exponent is within the tolerance of the claimed one, its rival is "
                        "excluded and its control does not show it; <em>not resolved</em> means that the runs cannot tell, and "
                        "why.", claims, theorems.claims, theorems.of[SP_AGREES]);
    if (manual) {
        sp_text_add_text(out, " More in ");
        sp_report_link(manual, "explanation/read_a_verdict.md", "How to read a verdict", out);
        sp_text_add_text(out, ".");
    }
    sp_text_add_text(out, "</p>\n");
    if (theorems.claims > 0) {
        by_paper(p, claims, out);
        contradictions(p, claims, manual, out);
    }
    sp_text_add_text(out, "<h3>Every claim</h3>\n<label>Show rows with <input type=\"search\" data-table=\"claims\" "
                          "placeholder=\"words, such as: warm_start agrees\"/></label>\n");
    sp_html_table_begin(out, "claims", "A row a claim; a column's head sorts by it", verdict_columns, VERDICT_COLUMNS);
    for (size_t i = 0; i < claims; i++)
        verdict_row(p[i].e, p[i].row, true, out);
    sp_html_table_end(out);
}

sp_status sp_report_verdicts(const sp_report_experiment *e, size_t count, const char *manual, sp_text *out, sp_error *error)
{
    size_t claims = 0;
    for (size_t i = 0; i < count; i++)
        claims += e[i].fits.rows;
    place *p = sp_alloc(claims + 1, sizeof *p);
    if (!p)
        return sp_fail(error, SP_ENOMEM, "out of memory");
    claims = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t row = 0; row < e[i].fits.rows; row++, claims++) {
            const char *source = sp_report_fit(&e[i], row, SP_FIT_SOURCE);
            p[claims] = (place){ &e[i], row, claims, source, sp_source_paper(source) };
        }
    qsort(p, claims, sizeof *p, by_source);
    sp_text_add_text(out, "<section aria-labelledby=\"verdicts\">\n<h2 id=\"verdicts\">Verdicts</h2>\n");
    if (claims > 0)
        show_claims(p, claims, manual, out);
    else
        sp_text_add_text(out, "<p>None of these experiments claims an exponent.</p>\n");
    sp_text_add_text(out, "</section>\n");
    free(p);
    return SP_OK;
}
