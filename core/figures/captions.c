/* captions.c -- what stands beside the curves, above the panels and below them; see figures_internal.h. */
#include "core/figures/figures_internal.h"

#include "core/stats/audited.h"
#include "core/contest/majority.h"
#include "core/contest/unmoved.h"
#include "core/figures/figure_text.h"

#include <ctype.h>
#include <string.h>

/* Does `column` say this in a row? */
static bool says(const sp_canvas *c, size_t row, size_t column, const char *value)
{
    return column < c->runs->table.columns && strcmp(sp_table_text(&c->runs->table, row, column), value) == 0;
}

/* What a reader must know before comparing this one with the others. */
static void append_privacy(const sp_canvas *c, const sp_item *e, size_t p, sp_text *text)
{
    const sp_table *t = &c->runs->table;
    const size_t row = e->in[p].row;
    double spent = 0.0;
    if (says(c, row, c->runs->private, "no")) {
        sp_text_append(text, "\nnot private");
    } else if (says(c, row, c->runs->private, "noise_off")) {
        sp_text_append(text, "\nnoise off: not private");
    } else if (says(c, row, sp_runs_column(c->runs, "calibration"), "paper")) {
        const sp_selection s = sp_canvas_selection(c, e->label, p);
        for (size_t i = 0; i < t->rows; i++)
            if (sp_runs_selected(c->runs, &s, i) && sp_runs_succeeded(c->runs, i))
                spent = fmax(spent, sp_table_number(t, i, c->runs->epsilon_spent));
        if (isfinite(spent))
            sp_text_append(text, "\npaper calibration:\nspends up to \u03b5 = %.3g", spent);
        else
            sp_text_append(text, "\npaper calibration:\nspends \u03b5 = \u221e");
    }
    if (says(c, row, sp_runs_column(c->runs, "neighbours"), "add_remove"))
        sp_text_append(text, "\n\u03b5 for add-remove neighbours");
    const char *sweep = c->figure->across ? NULL : sp_table_text(t, e->row, c->runs->sweep);
    const char *audited = sp_label_audited(c->runs, sweep, e->label, NULL);
    if (strcmp(audited, "failed") == 0)
        sp_text_append(text, "\naudit failed");
    else if (strcmp(audited, "no") == 0 && sp_runs_have_audits(c->runs)) /* others of the table are */
        sp_text_append(text, "\nnot audited");
}

static void append_power(const char *symbol, double exponent, sp_text *text)
{
    sp_text_append(text, "%s^{", symbol);
    sp_append_exponent(text, exponent);
    sp_text_append(text, "}");
}

/* "n^{-0.52} [-0.54, -0.50]" */
static void append_slope(const char *symbol, double estimate, double low, double high, sp_text *text)
{
    sp_text_append(text, "%s^{", symbol);
    sp_append_rounded(text, estimate);
    sp_text_append(text, "}");
    if (isfinite(low)) {
        sp_text_append(text, SP_SPACE "[");
        sp_append_rounded(text, low);
        sp_text_append(text, ", ");
        sp_append_rounded(text, high);
        sp_text_append(text, "]");
    }
}

/* On how many problems it is best, and has no result. */
static void append_places(const sp_series *profile, sp_text *text)
{
    const sp_interval *first = &profile->mean[0], *last = &profile->mean[profile->points - 1];
    const double problems = (double)first->count;
    sp_text_append(text, "\nbest on %.0f of %.0f", problems * first->estimate, problems);
    if (last->estimate < 1.0)
        sp_text_append(text, "\nno result on %.0f", problems * (1.0 - last->estimate));
}

/* Of a method's values; 0: there are none. */
static size_t problems_of(const sp_series *series)
{
    size_t most = 0;
    for (size_t i = 0; i < series->points; i++)
        most = series->mean[i].count > most ? series->mean[i].count : most;
    return most;
}

/* In how many of its cells in a panel of the accuracy do all runs end where they started? At w = 0 each margin counts as +1,
 * so what is drawn there is the share of one class. */
static void append_still(const sp_canvas *c, const sp_item *e, size_t p, sp_text *text)
{
    const sp_selection s = sp_canvas_selection(c, e->label, p);
    size_t cells = 0, still = 0;
    if (c->kind >= SP_PROFILE || strcmp(c->figure->y[p], "accuracy") != 0)
        return;
    for (size_t row = 0, end; row < c->runs->table.rows; row = end) {
        end = row + 1;
        if (!sp_runs_selected(c->runs, &s, row))
            continue;
        still += sp_unmoved_cell(c->runs, row, &end);
        cells++;
    }
    if (still > 0)
        sp_text_append(text, "\nreturned the start");
    if (still > 0 && still < cells)
        sp_text_append(text, " in %zu of %zu cells", still, cells);
}

/* A label, what is measured, and whether it is a power law. */
static void write_curve(const sp_canvas *c, sp_item *e, size_t p, const char *symbol)
{
    sp_shown *in = &e->in[p];
    sp_text *text = &in->words;
    if (in->row == c->runs->table.rows)
        return;
    sp_append_plain(text, e->label);
    if (c->kind > SP_PROFILE && problems_of(&in->series) < c->scores.board.problems)
        sp_text_append(text, SP_SPACE "(%zu)", problems_of(&in->series));
    if (sp_canvas_fits(c) && isnan(in->slope.estimate)) {
        sp_text_append(text, "\nno exponent");
    } else if (sp_canvas_fits(c)) {
        sp_text_append(text, "\n");
        append_slope(symbol, in->slope.estimate, in->slope.low, in->slope.high, text);
    }
    if (c->kind == SP_PROFILE && in->series.points > 0)
        append_places(&in->series, text);
    if (sp_is_bent(in)) {
        sp_text_append(text, "\nfit rejected:" SP_SPACE);
        sp_append_probability(text, in->slope.fit_p);
    }
    append_still(c, e, p, text);
    append_privacy(c, e, p, text);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Does an earlier claim with the same line say the same? */
static bool is_said(const sp_canvas *c, size_t claim)
{
    const sp_verdict *v = &c->evidence->verdict[claim];
    bool yes = false;
    for (const sp_verdict *u = c->evidence->verdict; u < v && !yes; u++)
        yes = sp_same_guide(u, v) && u->kind == v->kind && same_text(u->claim->below, v->claim->below) &&
              (u->claim->rival == v->claim->rival || isnan(v->claim->rival));
    return yes;
}

static bool is_conjecture(const sp_claim *claim)
{
    return strcmp(claim->origin, "conjecture") == 0;
}

/* "excludes n^{-1/2}" */
static void append_rival(const sp_verdict *v, const char *symbol, sp_text *text)
{
    sp_text_append(text, "%s" SP_SPACE, sp_verdict_excludes_rival(v) ? "excludes" : "does not exclude");
    append_power(symbol, v->claim->rival, text);
}

/* Is the fitted exponent another than that of the curve that is drawn? */
static bool is_scaled(const sp_verdict *v)
{
    return fabs(v->slope.estimate - v->drawn.estimate) >= 0.005;
}

static void append_verdict(const sp_canvas *c, const sp_verdict *v, const char *symbol, sp_text *text)
{
    if (v->claim->below) {
        sp_text_append(text, "\n%sbelow ", is_conjecture(v->claim) ? "conjecture: " : "");
        sp_append_plain(text, v->claim->below);
    }
    sp_text_append(text, ": ");
    for (const char *word = sp_verdict_name(v->kind); *word; word++)
        sp_text_append(text, "%c", *word == '_' ? ' ' : tolower((unsigned char)*word));
    if (c->kind == SP_RATE && is_scaled(v)) {
        sp_text_append(text, "\nfitted" SP_SPACE);
        append_slope(symbol, v->slope.estimate, v->slope.low, v->slope.high, text);
    }
    if (strcmp(v->claim->mode, "bound") == 0 && !v->claim->below && isfinite(v->slope.tail)) {
        sp_text_append(text, "\nat the end" SP_SPACE); /* which is what is held against a bound */
        append_slope(symbol, v->slope.tail, v->slope.tail_low, v->slope.tail_high, text);
    }
    if (c->kind == SP_RATE && !isnan(v->claim->rival)) {
        sp_text_append(text, "\n");
        append_rival(v, symbol, text);
    }
}

/* Whose exponent it is: printed, resolved by the method over the sweep, or a conjecture of the experiment's authors. */
static void append_origin(const sp_claim *claim, sp_text *text)
{
    const bool bound = strcmp(claim->mode, "bound") == 0, conjecture = is_conjecture(claim);
    if (bound || isnan(claim->exponent))
        sp_text_append(text, "%s%sbound", conjecture ? "conjectured " : "", isnan(claim->exponent) ? "resolved " : "");
    else
        sp_text_append(text, "%s", conjecture ? "conjecture" : "theory");
}

/* What y was divided by: "log^2 n", "per steps" */
static void append_factors(const sp_claim *claim, const char *symbol, sp_text *text)
{
    if (claim->log != 0.0) {
        sp_text_append(text, SP_SPACE "log");
        if (claim->log != 1.0) {
            sp_text_append(text, "^{");
            sp_append_exponent(text, claim->log);
            sp_text_append(text, "}");
        }
        sp_text_append(text, SP_SPACE "%s", symbol);
    }
    for (size_t i = 0; i < claim->pers; i++) {
        double power = 1.0;
        sp_read_number(claim->per[i].value, &power);
        sp_text_append(text, SP_SPACE "per ");
        sp_append_plain(text, claim->per[i].key);
        if (power != 1.0) {
            sp_text_append(text, "^{");
            sp_append_exponent(text, power);
            sp_text_append(text, "}");
        }
    }
}

/* "theory n^{-1/2}: agrees"; of several claims that lead to the line a verdict each: "below dp_spider: shallower" */
static void write_guide(const sp_canvas *c, sp_item *e, size_t p, const char *symbol)
{
    const sp_verdict *v = e->in[p].verdict;
    sp_text *text = &e->in[p].words;
    if (e->guide == SP_LEVEL && e->in[p].row < c->runs->table.rows) {
        sp_append_plain(text, e->label);
        append_still(c, e, p, text);
        append_privacy(c, e, p, text);
        return;
    }
    if (sp_is_chance(c, e) && e->in[p].series.points > 0) {
        const sp_interval *share = e->in[p].series.mean;
        sp_append_plain(text, e->label);
        if (share->high - share->low > 5e-4)
            sp_text_append(text, "\n%.3f to" SP_SPACE "%.3f", share->low, share->high);
        return;
    }
    if (e->guide == SP_HAND_OVER || !v) /* a note tells; not in this panel */
        return;
    if (e->guide == SP_FLOOR) {
        sp_append_plain(text, e->label);
        sp_text_append(text, " without noise");
        return;
    }
    if (e->guide == SP_RIVAL) {
        append_rival(v, symbol, text);
        return;
    }
    append_origin(v->claim, text);
    if (isfinite(v->claim->constant)) {
        sp_text_append(text, SP_SPACE);
        sp_append_magnitude(text, v->claim->constant, 2);
    }
    if (!isnan(v->exponent)) {
        sp_text_append(text, SP_SPACE);
        append_power(symbol, v->exponent, text);
        append_factors(v->claim, symbol, text);
    }
    for (size_t k = 0; k < c->plan->claims; k++)
        if (sp_same_guide(&c->evidence->verdict[k], v) && !is_said(c, k))
            append_verdict(c, &c->evidence->verdict[k], symbol, text);
}

/* Of a guide, whichever panel it is in; NULL: it stands for no claim. */
static const sp_verdict *verdict_of(const sp_canvas *c, const sp_item *e)
{
    const sp_verdict *v = NULL;
    for (size_t p = 0; p < c->figure->panels && !v; p++)
        v = e->in[p].verdict;
    return v;
}

/* "mode: theory, sup", and how many instances a point is the worst of. */
static void append_modes(const sp_canvas *c, sp_text *text)
{
    size_t members = 1;
    for (const sp_item *e = c->item + c->curves; e < c->item + c->curves + c->guides; e++) {
        const sp_verdict *v = verdict_of(c, e);
        bool said = !v || e->guide == SP_FLOOR;
        for (const sp_item *before = c->item + c->curves; before < e && !said; before++)
            said = strcmp(verdict_of(c, before)->claim->mode, v->claim->mode) == 0;
        if (!said)
            sp_text_append(text, "%s%s", text->length ? ", " : "mode: ", v->claim->mode);
        if (v && v->curve.members > members)
            members = v->curve.members;
    }
    if (members > 1)
        sp_text_append(text, "; worst of %zu instances", members);
}

/* How many replicates a point is a mean of, and of how many seeds one is that has a verdict over seeds. */
typedef struct tally {
    size_t fewest, most, seeds;
} tally;

static void count_replicates(tally *t, size_t replicates)
{
    t->fewest = replicates > 0 && replicates < t->fewest ? replicates : t->fewest;
    t->most = replicates > t->most ? replicates : t->most;
}

static tally find_replicates(const sp_canvas *c)
{
    tally t = { SIZE_MAX, 0, 1 };
    for (size_t p = 0; p < sp_canvas_parts(c) && c->kind == SP_PROFILE; p++) {
        count_replicates(&t, c->profile[p].fewest);
        count_replicates(&t, c->profile[p].most);
    }
    if (c->kind > SP_PROFILE && c->kind != SP_SEARCH) {
        count_replicates(&t, c->scores.fewest);
        count_replicates(&t, c->scores.most);
    }
    for (const sp_item *e = c->item; e < c->item + c->curves + c->guides && c->kind < SP_PROFILE; e++)
        for (size_t p = 0; p < sp_canvas_parts(c); p++)
            for (size_t i = 0; i < e->in[p].series.points; i++) {
                const sp_verdict *v = e->in[p].verdict;
                if (v && v->seeds > 1)
                    t.seeds = v->seeds;
                else
                    count_replicates(&t, e->in[p].series.mean[i].count);
            }
    return t;
}

/* "8 of 39 methods, 17 problems, 51 tasks" */
static void append_board(const sp_canvas *c, sp_text *text)
{
    const sp_board *b = &c->scores.board;
    const size_t shown = c->kind == SP_DOMINANCE ? c->scores.shown : c->curves;
    if (shown < b->labels)
        sp_text_append(text, "%zu of ", shown);
    sp_text_append(text, "%zu methods, %zu problem%s, %zu task%s", b->labels, b->problems, b->problems == 1 ? "" : "s",
                   b->tasks, b->tasks == 1 ? "" : "s");
}

/* The same; "12 problems"; of the panels of a facet "12 problems a panel", "12, 9 problems" */
static void append_problems(const sp_canvas *c, sp_text *text)
{
    const size_t parts = sp_canvas_parts(c), first = c->profile[0].problems;
    bool same = true;
    if (c->kind > SP_PROFILE)
        append_board(c, text);
    if (c->kind != SP_PROFILE)
        return;
    for (size_t p = 1; p < parts; p++)
        same = same && c->profile[p].problems == first;
    for (size_t p = 0; p < (same ? 1 : parts); p++)
        sp_text_append(text, "%s%zu", p > 0 ? ", " : "", c->profile[p].problems);
    sp_text_append(text, first == 1 && same ? " problem" : " problems");
    sp_text_append(text, same && parts > 1 ? " a panel" : "");
}

static void append_failures(const sp_canvas *c, sp_text *text)
{
    size_t runs = 0, failed = 0;
    for (size_t p = 0; p < sp_canvas_parts(c); p++) {
        const sp_selection s = sp_canvas_selection(c, NULL, p);
        for (size_t row = 0; row < c->runs->table.rows; row++)
            if (sp_runs_selected(c->runs, &s, row) &&
                sp_canvas_asks(c, sp_table_text(&c->runs->table, row, c->runs->label))) {
                runs++;
                failed += !sp_runs_succeeded(c->runs, row);
            }
    }
    if (failed > 0)
        sp_text_append(text, "; %zu of %zu runs failed", failed, runs);
}

/* "mode: theory; mean of 20 replicates; band: 95 % interval, of exponents 90 %; 3 of 120 runs failed". */
static void write_subtitle(sp_canvas *c)
{
    sp_text *text = &c->subtitle;
    static const char *const intervals[] = {
        [SP_RATE] = "band: 95 % interval, of exponents 90 %", [SP_RESIDUAL] = "intervals of 90 %",
        [SP_TRADE_OFF] = "band: 95 % interval", [SP_TRAJECTORY] = "band: 95 % interval",
        [SP_PROFILE] = "band: 95 %, by replicates drawn again", [SP_DOMINANCE] = "paired tests over the problems",
        [SP_SEARCH] = "bars: 95 % interval over the problems", [SP_UTILITY] = "bars: 95 % interval over the problems",
    };
    const tally t = find_replicates(c);
    append_modes(c, text);
    append_problems(c, text);
    sp_text_append(text, "%s", text->length ? "; " : "");
    if (c->kind == SP_SEARCH)
        sp_text_append(text, "medians of the tuning runs");
    if (t.seeds > 1)
        sp_text_append(text, "mean of %zu seeds%s", t.seeds, t.most > 0 ? ", else " : "");
    if (t.most == 1)
        sp_text_append(text, "a single replicate");
    else if (t.most > 0 && t.fewest == t.most)
        sp_text_append(text, "mean of %zu replicates", t.most);
    else if (t.most > 0)
        sp_text_append(text, "mean of %zu to %zu replicates", t.fewest, t.most);
    if (t.most > 1 || t.seeds > 1 || c->kind > SP_PROFILE)
        sp_text_append(text, "; %s", intervals[c->kind]);
    append_failures(c, text);
}

/* Of all that an item has in a panel, or of its points there that are not on the axis: smallest and largest value. */
static void range_of(const sp_canvas *c, const sp_item *e, size_t panel, bool outside, double *low, double *high)
{
    const bool law = e->guide && e->guide != SP_LEVEL;
    const sp_series *series = &e->in[panel].series;
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < (law ? sp_guide_points(e, panel) : series->points); i++) {
        const double value = law ? sp_guide_value(e, panel, i) : series->mean[i].estimate;
        if (outside && (!sp_canvas_shows(c, series, i) || sp_axis_holds(&c->y[panel], value)))
            continue;
        *low = fmin(*low, value);
        *high = fmax(*high, value);
    }
}

void sp_append_panel_unit(const sp_canvas *c, size_t panel, sp_text *text)
{
    const sp_measure *measure = sp_canvas_measure(c, panel);
    sp_append_unit(text, measure && measure->unit ? measure->unit : c->figure->y[panel]);
}

/* "gd, not private: F(w) = 1"; "dp_gd without noise: F(w) from 10^{-9} to 10^{-8}" */
static void write_measured(const sp_canvas *c, size_t panel, double low, double high, sp_text *text)
{
    sp_text_append(text, ":" SP_SPACE);
    sp_append_panel_unit(c, panel, text);
    sp_text_append(text, low == high ? SP_SPACE "=" SP_SPACE : SP_SPACE "from ");
    sp_append_magnitude(text, low, 3);
    if (low == high)
        return;
    sp_text_append(text, " to ");
    sp_append_magnitude(text, high, 3);
}

/* Also "dp_gd without noise: at most 0.001"; "dp_gd, bound 7 n^{-2/5}: agrees: at most 900" */
static void write_hidden(const sp_canvas *c, const sp_item *e, size_t panel, sp_text *text)
{
    double low, high;
    range_of(c, e, panel, false, &low, &high);
    if (e->guide == SP_BOUND || e->guide == SP_POWER) {
        sp_append_plain(text, e->label);
        sp_text_append(text, ", ");
    }
    for (const char *w = e->in[panel].words.data; w && *w; w++)
        sp_text_append(text, "%s%c", *w == '\n' ? "," : "", *w == '\n' ? ' ' : *w);
    if (sp_is_named(e)) {
        write_measured(c, panel, low, high, text);
    } else if (high > 0.0) {
        sp_text_append(text, ": at most ");
        sp_append_magnitude(text, high, 2);
    }
    sp_text_append(text, "\n");
}

/* "gd leaves the frame: F(w) = 10^{-31}", of a curve some of whose points are not on the axis. */
static void write_leaving(const sp_canvas *c, const sp_item *e, size_t panel, sp_text *text)
{
    double low, high;
    range_of(c, e, panel, true, &low, &high);
    if (low > high)
        return;
    sp_append_plain(text, e->label);
    sp_text_append(text, " leaves the frame");
    write_measured(c, panel, low, high, text);
    sp_text_append(text, "\n");
}

/* Is some row of the problem from `first` to `end` in the figure? */
static bool is_shown(const sp_canvas *c, size_t first, size_t end)
{
    bool yes = false;
    for (size_t p = 0; p < sp_canvas_parts(c); p++)
        for (size_t row = first; row < end && !yes; row++) {
            const char *label = sp_table_text(&c->runs->table, row, c->runs->label);
            const sp_selection s = { c->place, c->figure->across ? NULL : c->figure->sweep, label, NULL, NULL, c->where[p],
                                     c->wheres };
            yes = sp_canvas_asks(c, label) && sp_runs_selected(c->runs, &s, row);
        }
    return yes;
}

/* "no better than the majority class: 0.876", "on 2 of 3 problems no better than the majority class: 0.8 to 0.9", in a
 * figure of the accuracy: no method of the sweep is. */
static void write_majority(const sp_canvas *c, sp_text *text)
{
    double low = INFINITY, high = -INFINITY;
    size_t problems = 0, unbeaten = 0;
    bool accuracy = false;
    for (size_t p = 0; p < c->figure->panels; p++)
        accuracy = accuracy || strcmp(c->figure->y[p], "accuracy") == 0;
    for (size_t row = 0, end = 0; row < c->runs->table.rows && accuracy; row = end) {
        const double share = sp_majority_unbeaten(c->runs, row, &end);
        if (!is_shown(c, row, end))
            continue;
        problems++;
        unbeaten += isnan(share) ? 0 : 1;
        low = fmin(low, share);
        high = fmax(high, share);
    }
    if (unbeaten == 0)
        return;
    sp_text_append(text, "accuracy: ");
    if (unbeaten < problems)
        sp_text_append(text, "on %zu of %zu problems ", unbeaten, problems);
    sp_text_append(text, "no better than the majority class:" SP_SPACE "%.3f", low);
    if (high - low > 5e-4)
        sp_text_append(text, " to" SP_SPACE "%.3f", high);
    sp_text_append(text, "\n");
}

/* Is a private run shown whose parameters were chosen by measures of the records that its budget does not pay for? */
static bool shows_free_choice(const sp_canvas *c)
{
    const sp_table *t = &c->runs->table;
    bool yes = false;
    for (size_t row = 0; row < t->rows && c->runs->tuned < t->columns && !yes; row++)
        yes = strcmp(sp_table_text(t, row, c->runs->tuned), "yes") == 0 &&
              strcmp(sp_table_text(t, row, c->runs->private), "yes") == 0 && is_shown(c, row, row + 1);
    return yes;
}

/* What a reader must know of a method, in one line. */
static void append_known(const sp_canvas *c, const sp_item *e, sp_text *out)
{
    sp_text words = { 0 };
    append_privacy(c, e, 0, &words);
    for (const char *w = words.data; w && *w; w++)
        if (w > words.data)
            sp_text_append(out, "%s%c", *w == '\n' && w[-1] != ':' ? "," : "", *w == '\n' ? ' ' : *w);
    out->failed = out->failed || words.failed;
    sp_text_free(&words);
}

/* The same of all methods of a square, whose labels have no room for it: "audit failed: dp_a, dp_b". */
static void write_known(const sp_canvas *c, sp_text *text)
{
    for (size_t i = 0; i < c->scores.shown; i++) {
        sp_text mine = { 0 };
        bool said = false;
        append_known(c, &c->item[i], &mine);
        for (size_t k = 0; k < c->scores.shown && mine.length > 0 && !(k < i && said); k++) {
            sp_text theirs = { 0 };
            append_known(c, &c->item[k], &theirs);
            const bool same = theirs.length > 0 && strcmp(mine.data, theirs.data) == 0;
            said = said || (same && k < i);
            if (same && k >= i) {
                sp_text_append(text, k == i ? "%s: " : "%s", k == i ? mine.data : ", ");
                sp_append_plain(text, c->item[k].label);
            }
            sp_text_free(&theirs);
        }
        if (mine.length > 0 && !said)
            sp_text_append(text, "\n");
        text->failed = text->failed || mine.failed;
        sp_text_free(&mine);
    }
}

/* Has some method that is shown no value on some problem? */
static bool shows_part(const sp_canvas *c)
{
    const sp_scores *s = &c->scores;
    bool yes = false;
    for (size_t i = 0; i < s->shown && !yes; i++)
        yes = sp_board_problems(&s->board, s->order[i]) < s->board.problems;
    for (const sp_item *e = c->item; e < c->item + c->curves && !yes; e++)
        yes = problems_of(&e->in[0].series) < s->board.problems;
    return yes;
}

/* What makes the numbers of a figure by the scores. */
static void write_scores(const sp_canvas *c, sp_text *text)
{
    const sp_scores *s = &c->scores;
    const size_t labels = s->board.labels;
    if (c->kind == SP_DOMINANCE) {
        sp_text_append(text, "A field is the geometric mean, over the problems that both methods play, of the ratio of what they "
                             "leave: the darker, the less the row's method leaves. ");
        sp_text_append(text, "The tests are paired t tests over the problems (sign tests where runs failed), their p adjusted "
                             "over the %zu pairs of the %zu methods that share two problems (Holm). ",
                       sp_dominance_tests(&s->board, labels, s->pair), labels);
        sp_text_append(text, "Blank: the two share fewer than two problems. Methods stand by their mean rank, the least "
                             "first.\n");
    } else if (c->kind == SP_SEARCH) {
        sp_text_append(text, "The rank is the share of the other methods at a task that leave less, 0 where a method leaves "
                             "least: expected where each has tried so many points of its grid, drawn at random, and keeps "
                             "the best. ");
        sp_text_append(text, "It is the mean over the tasks of a problem, then over the problems, among all methods that have "
                             "a grid; the intervals are Student's t over the problems.\n");
    } else if (c->kind == SP_UTILITY) {
        sp_text_append(text, "What is left is the geometric mean, over the tasks of a problem and then over the problems, of "
                             "the value over that at the start; the intervals are Student's t over the problems. ");
        sp_text_append(text, "The second panel has the same points against the geometric mean of a run's oracle calls, joined "
                             "in the order of \u03b5: further down leaves less, further left asks less.\n");
    }
    sp_text_append(text, "A task is a problem with so many records at a budget.%s\n",
                   shows_part(c) ? " In brackets: on how many problems a method has values, where not on all." : "");
    if (c->kind == SP_DOMINANCE)
        write_known(c, text);
    if (c->no_grid.length > 0)
        sp_text_append(text, "left out, they have no grid: %s\n", c->no_grid.data);
}

/* What lines and points mean, and what is too far away to be drawn. */
static void write_notes(sp_canvas *c)
{
    sp_text *text = &c->notes;
    bool bent = false, powers = false, slopes = false, faint = false, handed = false, scaled = false;
    for (size_t p = 0; p < c->figure->panels; p++) {
        for (const sp_item *e = c->item; e < c->item + c->curves; e++) {
            const sp_verdict *v = e->in[p].verdict;
            bent = bent || sp_is_bent(&e->in[p]);
            for (size_t i = 0; v && i < v->curve.points; i++)
                faint = faint || !v->counted[i];
        }
        for (const sp_item *e = c->item + c->curves; e < c->item + c->curves + c->guides; e++) {
            const sp_verdict *v = e->in[p].verdict;
            powers = powers || (e->guide == SP_POWER && v);
            slopes = slopes || (e->guide == SP_BOUND && v && isnan(v->claim->constant));
            handed = handed || e->guide == SP_HAND_OVER;
            scaled = scaled || (c->kind == SP_RATE && v && e->guide != SP_FLOOR && is_scaled(v));
        }
    }
    write_majority(c, text);
    if (shows_free_choice(c)) {
        sp_append_plain(text, "tuned: no budget pays for the choice; its price: experiment private_tuning");
        sp_text_append(text, "\n");
    }
    if (c->ringed)
        sp_text_append(text, "ringed: tuned, and the winner is at an end of its grid: the optimum may be further out\n");
    if (c->kind == SP_PROFILE)
        sp_text_append(text, "share of the problems on which a method leaves at most \u03c4 times what the best one leaves\n");
    if (c->kind > SP_PROFILE)
        write_scores(c, text);
    if (c->left_out.length > 0)
        sp_text_append(text, "left out, not private: %s\n", c->left_out.data);
    if (c->kind == SP_RESIDUAL)
        sp_text_append(text, "c: the claimed exponent. A tilt is another exponent, a bend no power law\n");
    else if (powers)
        sp_text_append(text, "dashed: the claimed slope, drawn beside its curve\n");
    if (scaled)
        sp_text_append(text, "fitted: less the value without noise where a floor is shown, divided as the claim says; over "
                             "seeds the mean of their exponents\n");
    if (handed)
        sp_text_append(text, "upright: where the second method of a warm start begins\n");
    if (bent)
        sp_text_append(text, "joined points: the test of the fitted line rejects it\n");
    if (slopes)
        sp_text_append(text, "dash and dot: slope of a bound whose constant is not known, laid on its curve\n");
    if (faint)
        sp_text_append(text, "faint: a point that the claim does not count\n");
    for (const sp_item *e = c->item; e < c->item + c->curves + c->guides; e++)
        for (size_t p = 0; p < c->figure->panels; p++)
            if (e->in[p].hidden)
                write_hidden(c, e, p, text);
            else if (!e->guide)
                write_leaving(c, e, p, text);
}

void sp_append_facet(const sp_canvas *c, size_t panel, sp_text *out)
{
    const char *symbol, *label, *value = c->figure->facet_value[panel];
    double number;
    sp_name_x(c->figure->facet, &symbol, &label);
    sp_text_append(out, "%s" SP_SPACE "=" SP_SPACE, symbol);
    if (sp_read_number(value, &number))
        sp_append_magnitude(out, number, 6);
    else
        sp_append_plain(out, value);
}

void sp_figure_captions(sp_canvas *c)
{
    const sp_figure *f = c->figure;
    const char *symbol, *x_label, *question = c->plan->question;
    sp_name_x(sp_canvas_x(c, 0), &symbol, &x_label);
    sp_text_append(&c->title, "%s", f->title ? f->title : question && *question ? question : f->name);
    write_subtitle(c);
    for (size_t p = 0; p < f->panels; p++)
        for (sp_item *e = c->item; e < c->item + c->curves + c->guides; e++)
            if (!e->guide)
                write_curve(c, e, p, symbol);
            else
                write_guide(c, e, p, symbol);
    write_notes(c);
}
