/* figure_data.c -- see figure_data.h. */
#include "core/figures/figure_data.h"

#include "core/base/memory.h"
#include "core/figures/axis.h"
#include "core/figures/figure_text.h"
#include "core/plan/registry.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef enum { RATE, TRADE_OFF, TRAJECTORY } figure_kind;

/* What a guide shows, in the numbers of `dashes`. */
typedef enum { NO_GUIDE, LINE, BOUND, FLOOR } guide_kind;

/* One line of the legend: a curve; or a guide, the level of a method without an x or what belongs to a claim. */
typedef struct entry {
    const char *label;
    size_t row;                /* of runs.tsv */
    size_t style;
    sp_series series[SP_PANELS_MAX];
    sp_interval slope;         /* rates only */
    double intercept;
    const sp_verdict *verdict; /* of a curve: the one that it shows; of a guide: NULL for a level */
    guide_kind guide;
    sp_text legend;
} entry;

typedef struct canvas {
    const sp_evidence *evidence;
    const sp_plan *plan;
    const sp_runs *runs;
    const sp_figure *figure;
    figure_kind kind;
    char *place;
    entry *entry;          /* curves, then guides */
    size_t curves, guides;
    sp_axis x, y[SP_PANELS_MAX];
} canvas;

static sp_selection select_label(const canvas *c, const char *label, size_t panel)
{
    const sp_figure *f = c->figure;
    return (sp_selection){ c->place, f->sweep, label, f->x ? f->x : "gradients", f->y[panel], f->where, f->wheres };
}

/* --- words ------------------------------------------------------------------------------------------------ */

static const sp_measure *measure_of(const sp_plan *plan, const char *name)
{
    for (size_t c = 0; c < plan->cells; c++)
        for (size_t m = 0; m < plan->cell[c].measures; m++)
            if (strcmp(plan->cell[c].measure[m]->name, name) == 0)
                return plan->cell[c].measure[m];
    return NULL;
}

/* "grad norm" and "||grad F||": two columns. */
static void append_y_label(sp_text *text, const sp_measure *measure, const char *name)
{
    for (const char *c = name; *c; c++)
        sp_text_append(text, "%c", *c == '_' ? ' ' : *c);
    sp_text_append(text, "\t");
    if (measure && measure->unit && strcmp(measure->unit, name) != 0)
        sp_append_plain(text, measure->unit);
}

/* Does `column` say this in the row that stands for the entry? */
static bool says(const canvas *c, const entry *e, size_t column, const char *value)
{
    return column < c->runs->table.columns && strcmp(sp_table_text(&c->runs->table, e->row, column), value) == 0;
}

/* What a reader must know before comparing this one with the others. */
static void append_privacy(const canvas *c, const entry *e, sp_text *text)
{
    const sp_table *t = &c->runs->table;
    double spent = 0.0;
    if (says(c, e, c->runs->private, "no")) {
        sp_text_append(text, " (not private)");
    } else if (says(c, e, c->runs->private, "noise_off")) {
        sp_text_append(text, " (noise off: not private)");
    } else if (says(c, e, sp_runs_column(c->runs, "calibration"), "paper")) {
        const sp_selection s = select_label(c, e->label, 0);
        for (size_t row = 0; row < t->rows; row++)
            if (sp_runs_selected(c->runs, &s, row) && sp_runs_succeeded(c->runs, row))
                spent = fmax(spent, sp_table_number(t, row, c->runs->epsilon_spent));
        if (isfinite(spent))
            sp_text_append(text, " (paper calibration: spends up to \u03b5 = %.3g)", spent);
        else
            sp_text_append(text, " (paper calibration: spends \u03b5 = \u221e)");
    }
    if (says(c, e, sp_runs_column(c->runs, "neighbours"), "add_remove"))
        sp_text_append(text, " (\u03b5 for add-remove neighbours)");
}

static bool is_noise_free(const sp_cell *cell)
{
    return cell->privacy.private && !cell->privacy.noise;
}

/* A style for each label of the experiment, the same in all its figures and, as far as none is taken, for the same
 * algorithm in every experiment: its place in the registry, else the next free one. Labels without noise come last, so
 * that they take none from the others. */
static size_t style_of(const sp_plan *plan, const char *label)
{
    enum { STYLES = 8 };
    size_t count = 0, used[STYLES] = { 0 };
    for (size_t i = 0; i < 2 * plan->cells; i++) {
        const size_t c = i % plan->cells;
        bool seen = is_noise_free(&plan->cell[c]) != (i >= plan->cells);
        for (size_t k = 0; k < c && !seen; k++)
            seen = strcmp(plan->cell[k].label, plan->cell[c].label) == 0;
        if (seen)
            continue;
        size_t style = 0;
        while (style < sp_algorithm_count && sp_algorithms[style] != plan->cell[c].method->algorithm)
            style++;
        style = style < sp_algorithm_count ? style % STYLES : count % STYLES;
        while (used[style] > count / STYLES)
            style = (style + 1) % STYLES;
        used[style]++;
        count++;
        if (strcmp(plan->cell[c].label, label) == 0)
            return style + 1;
    }
    return 1;
}

/* --- gathering -------------------------------------------------------------------------------------------- */

static void set_entry(canvas *c, size_t index, const char *label, size_t row)
{
    c->entry[index].label = label;
    c->entry[index].row = row;
    c->entry[index].style = style_of(c->plan, label);
    c->entry[index].slope.estimate = NAN;
}

static bool about_claim(const canvas *c, const sp_claim *claim)
{
    return c->kind == RATE && strcmp(claim->sweep, c->figure->sweep) == 0 && strcmp(claim->y, c->figure->y[0]) == 0 &&
           sp_runs_column(c->runs, claim->x) == sp_runs_column(c->runs, c->figure->x);
}

/* Does the label only show what a claim's method does without noise? */
static bool is_floor(const canvas *c, const char *label)
{
    bool yes = false;
    for (size_t k = 0; k < c->plan->claims && !yes; k++) {
        const sp_verdict *v = &c->evidence->verdict[k];
        yes = about_claim(c, v->claim) && v->curve.noise_free_label && strcmp(v->curve.noise_free_label, label) == 0;
    }
    return yes;
}

/* The labels that have a row with an x (or, with `level`, without one), in the order of the rows. */
static void find_labels(canvas *c, bool level, size_t *count)
{
    const sp_table *t = &c->runs->table;
    const sp_selection s = select_label(c, NULL, 0);
    const size_t x = c->kind == TRAJECTORY ? t->columns : sp_runs_column(c->runs, s.x);
    for (size_t row = 0; row < t->rows; row++) {
        const char *label = sp_table_text(t, row, c->runs->label);
        const bool has_x = c->kind == TRAJECTORY || (x < t->columns && isfinite(sp_table_number(t, row, x)));
        const size_t first = level ? c->curves : 0;
        bool seen = has_x == level || !sp_runs_selected(c->runs, &s, row) || is_floor(c, label);
        for (size_t i = 0; i < *count && !seen; i++)
            seen = strcmp(c->entry[first + i].label, label) == 0;
        if (!seen) {
            set_entry(c, first + *count, label, row);
            c->entry[first + *count].guide = level ? LINE : NO_GUIDE;
            ++*count;
        }
    }
}

static void add_guide(canvas *c, const entry *curve, const sp_verdict *verdict, guide_kind kind)
{
    c->entry[c->curves + c->guides++] = (entry){ .label = curve->label, .row = curve->row, .style = curve->style,
                                                 .verdict = verdict, .guide = kind };
}

static bool has_floor(const sp_verdict *v)
{
    bool yes = false;
    for (size_t p = 0; p < v->curve.points; p++)
        yes = yes || v->floor[p] > 0.0;
    return yes;
}

/* A claim is drawn where its conditions hold for the row that stands for the curve: lines first, then floors, each in
 * the order of the curves. */
static void find_claims(canvas *c)
{
    for (size_t floors = 0; floors < 2; floors++)
        for (size_t i = 0; i < c->curves; i++)
            for (size_t k = 0; k < c->plan->claims; k++) {
                const sp_verdict *v = &c->evidence->verdict[k];
                const sp_claim *claim = v->claim;
                const sp_selection s = { c->place, claim->sweep, claim->algorithm, claim->x, claim->y, claim->where,
                                         claim->wheres };
                entry *curve = &c->entry[i];
                if (!about_claim(c, claim) || !sp_runs_selected(c->runs, &s, curve->row))
                    continue;
                if (!curve->verdict)
                    curve->verdict = v;
                if (!floors)
                    add_guide(c, curve, v, isfinite(claim->constant) ? BOUND : LINE);
                else if (curve->verdict == v && has_floor(v))
                    add_guide(c, curve, v, FLOOR);
            }
}

/* The points that a verdict judged. */
static sp_status show_verdict(entry *e)
{
    const sp_verdict *v = e->verdict;
    sp_series *series = &e->series[0];
    *series = (sp_series){ .label = e->label, .points = v->curve.points, .row = e->row,
                           .x = sp_alloc_doubles(v->curve.points + 1),
                           .mean = sp_alloc(v->curve.points + 1, sizeof *series->mean) };
    if (!series->x || !series->mean)
        return SP_ENOMEM;
    memcpy(series->x, v->curve.x, v->curve.points * sizeof *series->x);
    memcpy(series->mean, v->y, v->curve.points * sizeof *series->mean);
    e->slope = v->slope;
    e->intercept = v->intercept;
    return SP_OK;
}

static sp_status fill(canvas *c, entry *e, size_t panel, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_selection s = select_label(c, e->label, panel);
    sp_series *series = &e->series[panel];
    if (e->verdict)
        status = show_verdict(e);
    else if (c->kind == TRAJECTORY)
        SP_TRY(sp_series_trace(c->runs, &s, series, error));
    else
        SP_TRY(sp_series_collect(c->runs, &s, e->guide != NO_GUIDE, series, error));
    if (status == SP_OK && c->kind == RATE && !e->verdict)
        status = sp_series_fit(c->runs, &s, series, &e->slope, &e->intercept);
    if (status != SP_OK)
        sp_fail(error, status, "%s: out of memory", c->place);
cleanup:
    return status;
}

static sp_status gather(canvas *c, size_t *points, sp_error *error)
{
    sp_status status = SP_OK;
    find_labels(c, false, &c->curves);
    if (c->kind == RATE)
        find_claims(c);
    else if (c->kind == TRADE_OFF)
        find_labels(c, true, &c->guides);
    for (entry *e = c->entry; e < c->entry + c->curves + c->guides; e++)
        for (size_t p = 0; p < c->figure->panels && !(e->guide && e->verdict); p++) {
            SP_TRY(fill(c, e, p, error));
            for (size_t i = 0; i < e->series[p].points; i++)
                *points += isfinite(e->series[p].mean[i].estimate) != 0;
        }
cleanup:
    return status;
}

/* The start of a run, at no cost at all, has no place on a logarithmic axis. */
static bool shown(const canvas *c, const sp_series *series, size_t point)
{
    return isfinite(series->mean[point].estimate) && !(c->x.scale == SP_SCALE_LOGARITHMIC && series->x[point] <= 0.0);
}

/* A floor far below the curves would squeeze them: it is shown as far as two decades down, and the legend tells. */
static void add_floors(canvas *c)
{
    const double lowest = c->y[0].low;
    for (const entry *e = c->entry + c->curves; e < c->entry + c->curves + c->guides; e++)
        for (size_t i = 0; e->guide == FLOOR && i < e->verdict->curve.points; i++)
            if (e->verdict->floor[i] > 0.01 * lowest)
                sp_axis_add(&c->y[0], e->verdict->floor[i]);
}

static void find_axes(canvas *c)
{
    c->x = sp_axis_start(c->kind == TRADE_OFF ? SP_SCALE_AUTOMATIC : SP_SCALE_LOGARITHMIC);
    for (size_t p = 0; p < c->figure->panels; p++) {
        const sp_measure *measure = measure_of(c->plan, c->figure->y[p]);
        const bool share = measure && !measure->lower_is_better;
        c->y[p] = sp_axis_start(c->kind == RATE ? SP_SCALE_LOGARITHMIC : share ? SP_SCALE_LINEAR : SP_SCALE_AUTOMATIC);
        for (const entry *e = c->entry; e < c->entry + c->curves + c->guides; e++)
            for (size_t i = 0; i < e->series[p].points; i++) {
                const sp_series *series = &e->series[p];
                if (!shown(c, series, i))
                    continue;
                sp_axis_add(&c->x, series->x[i]);
                sp_axis_add(&c->y[p], series->mean[i].estimate);
                if (series->mean[i].low > 0.0 || !(series->mean[i].estimate > 0.0)) /* the axis stays logarithmic */
                    sp_axis_add(&c->y[p], series->mean[i].low);
                sp_axis_add(&c->y[p], series->mean[i].high);
            }
        add_floors(c);
        sp_axis_finish(&c->y[p]);
    }
    sp_axis_finish(&c->x);
}

/* --- writing ---------------------------------------------------------------------------------------------- */

/* "dp_gd: theory n^{-1/2}: agrees", "dp_spider: theory n^{-2/3}, below dp_gd: agrees" */
static void append_guide(const entry *e, const char *symbol, sp_text *text)
{
    if (e->guide == FLOOR) {
        double highest = 0.0;
        for (size_t i = 0; i < e->verdict->curve.points; i++)
            highest = fmax(highest, e->verdict->floor[i]);
        sp_text_append(text, ": without noise, at most %.2g", highest);
        return;
    }
    sp_text_append(text, ": %s ", strcmp(e->verdict->claim->mode, "bound") == 0 ? "bound" : "theory");
    if (e->guide == BOUND)
        sp_text_append(text, "%.3g ", e->verdict->claim->constant);
    sp_append_plain(text, symbol);
    sp_text_append(text, "^{");
    sp_append_exponent(text, e->verdict->claim->exponent);
    sp_text_append(text, "}");
    if (e->verdict->claim->below) {
        sp_text_append(text, ", below ");
        sp_append_plain(text, e->verdict->claim->below);
    }
    sp_text_append(text, ": ");
    for (const char *word = sp_verdict_name(e->verdict->kind); *word; word++)
        sp_text_append(text, "%c", *word == '_' ? ' ' : tolower((unsigned char)*word));
}

static void write_legends(canvas *c, const char *symbol)
{
    for (entry *e = c->entry; e < c->entry + c->curves + c->guides; e++) {
        sp_text *text = &e->legend;
        sp_append_plain(text, e->label);
        if (e->guide && e->verdict) {
            append_guide(e, symbol, text);
            continue;
        }
        if (c->kind == RATE && isnan(e->slope.estimate)) {
            sp_text_append(text, ": no exponent");
        } else if (c->kind == RATE) {
            sp_text_append(text, ": measured ");
            sp_append_plain(text, symbol);
            sp_text_append(text, "^{");
            sp_append_rounded(text, e->slope.estimate);
            sp_text_append(text, "}");
            if (isfinite(e->slope.low)) {
                sp_text_append(text, " [");
                sp_append_rounded(text, e->slope.low);
                sp_text_append(text, ", ");
                sp_append_rounded(text, e->slope.high);
                sp_text_append(text, "]");
            }
        }
        append_privacy(c, e, text);
    }
}

/* Rows of the legend such that its columns fit the width; a claim stands beside its curve where there is room. */
static size_t legend_rows(const canvas *c)
{
    enum { ROW = 110, SAMPLE = 8 }; /* in characters */
    size_t longest = 1;
    const size_t entries = c->curves + c->guides;
    for (size_t i = 0; i < entries; i++) {
        size_t length = 0;
        for (const char *t = c->entry[i].legend.data; t && *t; t++)
            length += !strchr("\\{}^", *t) && ((unsigned char)*t & 0xC0) != 0x80;
        longest = length > longest ? length : longest;
    }
    const size_t fitting = ROW / (longest + SAMPLE), columns = fitting > 1 ? fitting : 1;
    return c->kind == RATE && c->guides > 0 && columns * c->curves >= entries ? c->curves
                                                                             : (entries + columns - 1) / columns;
}

/* "modes: theory, sup", and how many instances a point is the worst of. */
static void append_modes(const canvas *c, sp_text *text)
{
    size_t members = 1;
    for (const entry *e = c->entry + c->curves; e < c->entry + c->curves + c->guides; e++) {
        bool said = !e->verdict || e->guide == FLOOR;
        for (const entry *before = c->entry + c->curves; before < e && !said; before++)
            said = strcmp(before->verdict->claim->mode, e->verdict->claim->mode) == 0;
        if (!said)
            sp_text_append(text, "%s%s", text->length ? ", " : "mode: ", e->verdict->claim->mode);
        if (e->verdict && e->verdict->curve.members > members)
            members = e->verdict->curve.members;
    }
    if (members > 1)
        sp_text_append(text, "; worst of %zu instances", members);
}

/* "mode: theory; mean of 20 replicates; band: 95 % interval; 3 of 120 runs failed" */
static void append_subtitle(const canvas *c, sp_text *out)
{
    sp_text text = { 0 };
    size_t fewest = SIZE_MAX, most = 0, runs = 0, failed = 0;
    append_modes(c, &text);
    for (const entry *e = c->entry; e < c->entry + c->curves + c->guides; e++)
        for (size_t i = 0; i < e->series[0].points; i++) {
            const size_t count = e->series[0].mean[i].count;
            fewest = count > 0 && count < fewest ? count : fewest;
            most = count > most ? count : most;
        }
    const sp_selection s = select_label(c, NULL, 0);
    for (size_t row = 0; row < c->runs->table.rows; row++)
        if (sp_runs_selected(c->runs, &s, row)) {
            runs++;
            failed += !sp_runs_succeeded(c->runs, row);
        }
    sp_text_append(&text, "%s", text.length ? "; " : "");
    if (most == 1)
        sp_text_append(&text, "a single replicate");
    else if (fewest == most)
        sp_text_append(&text, "mean of %zu replicates; band: 95 %% interval", most);
    else
        sp_text_append(&text, "mean of %zu to %zu replicates; band: 95 %% interval", fewest, most);
    if (failed > 0)
        sp_text_append(&text, "; %zu of %zu runs failed", failed, runs);
    out->failed = out->failed || text.failed;
    sp_append_lines(out, "subtitle", text.data ? text.data : "", 110);
    sp_text_free(&text);
}

static void append_numbers(sp_text *out, const double *value, size_t count)
{
    char number[SP_NUMBER_SIZE];
    for (size_t i = 0; i < count; i++)
        sp_text_append(out, "%s%s", i ? "\t" : "", isfinite(value[i]) ? sp_number(value[i], number) : "NaN");
    sp_text_append(out, "\n");
}

static void append_axis(sp_text *out, const sp_axis *axis, const char *separator, const char *const key[4])
{
    sp_text marks = { 0 };
    sp_axis_marks(axis, &marks);
    sp_text_append(out, "%s%d%s%s%#.10g%s%s%#.10g%s%s%s", key[0], axis->scale == SP_SCALE_LOGARITHMIC, separator,
                   key[1], axis->low, separator, key[2], axis->high, separator, key[3], marks.data ? marks.data : "");
    out->failed = out->failed || marks.failed;
    sp_text_append(out, "\n");
    sp_text_free(&marks);
}

static void write_curve(const canvas *c, const entry *e, size_t panel, const char *symbol, sp_text *out)
{
    const sp_series *series = &e->series[panel];
    size_t rows = 0;
    sp_text_append(out, "\n\n%s\t%s\tlow\thigh\tfit\tuncounted\n", symbol, e->legend.data ? e->legend.data : "");
    for (size_t i = 0; i < series->points; i++)
        if (shown(c, series, i)) {
            const sp_interval *mean = &series->mean[i];
            const double fit = exp(e->intercept + e->slope.estimate * log(series->x[i]));
            const bool counted = !e->verdict || e->verdict->counted[i];
            const bool fitted = counted || e->verdict->slope.count > e->verdict->points;
            const double low = mean->low < c->y[panel].low ? c->y[panel].low : mean->low;
            append_numbers(out, (double[]){ series->x[i], mean->estimate, low, mean->high, fitted ? fit : NAN,
                                            counted ? NAN : mean->estimate }, 6);
            rows++;
        }
    if (rows == 0) /* a block must have a row */
        append_numbers(out, (double[]){ NAN, NAN, NAN, NAN, NAN, NAN }, 6);
}

/* C of the line C x^exponent through the middle of the points that count: their geometric mean. */
static double through_points(const sp_verdict *v)
{
    double log_c = 0.0, count = 0.0;
    bool any = false;
    for (size_t i = 0; i < v->curve.points; i++)
        any = any || v->counted[i];
    for (size_t i = 0; i < v->curve.points; i++)
        if ((v->counted[i] || !any) && v->curve.x[i] > 0.0 && v->y[i].estimate > 0.0) {
            log_c += log(v->y[i].estimate) - v->claim->exponent * log(v->curve.x[i]);
            count += 1.0;
        }
    return exp(log_c / count);
}

static void write_guide(const canvas *c, const entry *e, size_t panel, const char *symbol, sp_text *out)
{
    const sp_verdict *v = e->verdict;
    sp_text_append(out, "\n\n%s\t%s\n", symbol, e->legend.data ? e->legend.data : "");
    if (!v) {
        const double level = e->series[panel].points ? e->series[panel].mean[0].estimate : NAN;
        append_numbers(out, (double[]){ c->x.low, level }, 2);
        append_numbers(out, (double[]){ c->x.high, level }, 2);
        return;
    }
    const double constant = e->guide == BOUND ? v->claim->constant : through_points(v);
    for (size_t i = 0; i < v->curve.points; i++) {
        const double x = v->curve.x[i], power = constant * pow(x, v->claim->exponent);
        append_numbers(out, (double[]){ x, e->guide == FLOOR ? v->floor[i] : power }, 2);
    }
    if (v->curve.points == 0)
        append_numbers(out, (double[]){ NAN, NAN }, 2);
}

static void write_data(canvas *c, sp_text *out)
{
    const sp_figure *f = c->figure;
    const char *symbol, *x_label;
    sp_name_x(f->x ? f->x : "gradients", &symbol, &x_label);
    write_legends(c, symbol);
    sp_text_append(out, "key\tvalue\n");
    const char *question = c->plan->question;
    sp_append_lines(out, "title", f->title ? f->title : question && *question ? question : f->name, 90);
    append_subtitle(c, out);
    sp_append_lines(out, "x_label", f->x_label ? f->x_label : x_label, 90);
    append_axis(out, &c->x, "\n", (const char *const[]){ "x_log\t", "x_low\t", "x_high\t", "x_marks\t" });
    sp_text_append(out, "panels\t%zu\ncurves\t%zu\nguides\t%zu\nstyles\t", f->panels, c->curves, c->guides);
    for (size_t i = 0; i < c->curves + c->guides; i++)
        sp_text_append(out, "%s%zu", i ? " " : "", c->entry[i].style);
    sp_text_append(out, "\ndashes\t");
    for (size_t i = c->curves; i < c->curves + c->guides; i++)
        sp_text_append(out, "%s%d", i > c->curves ? " " : "", (int)c->entry[i].guide);
    sp_text_append(out, "\nlegend_rows\t%zu\n\n\ny_name\ty_unit\ty_log\ty_low\ty_high\ty_marks\n", legend_rows(c));
    for (size_t p = 0; p < f->panels; p++) {
        if (c->curves > 0 && c->entry->verdict && c->entry->verdict->claim->alpha)
            sp_text_append(out, "smallest alpha reached\t");
        else
            append_y_label(out, measure_of(c->plan, f->y[p]), f->y[p]);
        append_axis(out, &c->y[p], "\t", (const char *const[]){ "\t", "", "", "" });
    }
    for (size_t p = 0; p < f->panels; p++) {
        for (size_t i = 0; i < c->curves; i++)
            write_curve(c, &c->entry[i], p, symbol, out);
        for (size_t i = c->curves; i < c->curves + c->guides; i++)
            write_guide(c, &c->entry[i], p, symbol, out);
    }
}

static const char *const kinds[] = { [RATE] = "rate", [TRADE_OFF] = "trade_off", [TRAJECTORY] = "trajectory" };

sp_status sp_figure_data(const sp_evidence *evidence, const sp_figure *figure, sp_text *out, size_t *points,
                         sp_error *error)
{
    sp_status status = SP_OK;
    canvas c = { .evidence = evidence, .plan = evidence->plan, .runs = evidence->runs, .figure = figure };
    *points = 0;
    while (c.kind <= TRAJECTORY && strcmp(kinds[c.kind], figure->kind) != 0)
        c.kind++;
    if (c.kind > TRAJECTORY)
        SP_TRY(sp_fail(error, SP_EINVAL, "figure %s: kind %s is not rate, trade_off or trajectory", figure->name,
                       figure->kind));
    if (!figure->x && c.kind != TRAJECTORY)
        SP_TRY(sp_fail(error, SP_EINVAL, "figure %s: %s needs x", figure->name, figure->kind));
    if (figure->panels < 1 || (c.kind == RATE && figure->panels > 1)) /* the legend holds the exponents of one y */
        SP_TRY(sp_fail(error, SP_EINVAL, "figure %s: %zu measures in y; a rate shows one", figure->name,
                       figure->panels));
    c.place = sp_format("figure %s", figure->name);
    c.entry = sp_alloc(2 * (c.runs->table.rows + c.plan->claims), sizeof *c.entry);
    if (!c.place || !c.entry)
        SP_TRY(sp_fail(error, SP_ENOMEM, "figure %s: out of memory", figure->name));
    SP_TRY(gather(&c, points, error));
    if (*points == 0)
        goto cleanup;
    find_axes(&c);
    write_data(&c, out);
    if (out->failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", c.place));
cleanup:
    for (size_t i = 0; i < c.curves + c.guides; i++) {
        for (size_t p = 0; p < SP_PANELS_MAX; p++)
            sp_series_free(&c.entry[i].series[p]);
        sp_text_free(&c.entry[i].legend);
    }
    free(c.entry);
    free(c.place);
    return status;
}
