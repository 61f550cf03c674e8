/* gather.c -- the curves and guides of a figure; see figures_internal.h. */
#include "core/contest/majority.h"
#include "core/rates/response.h"
#include "core/figures/figures_internal.h"

#include "core/base/memory.h"
#include "core/figures/figure_text.h"

#include <stdlib.h>
#include <string.h>

/* Has the label no value of the facet at all, as what is not private has no epsilon? It is in every panel then. */
static bool is_everywhere(const sp_canvas *c, const char *label)
{
    const sp_figure *f = c->figure;
    const sp_selection s = { c->place, f->sweep, label, NULL, NULL, f->where, f->wheres };
    const size_t column = f->facet && label ? sp_runs_column(c->runs, f->facet) : c->runs->table.columns;
    bool yes = column < c->runs->table.columns;
    for (size_t row = 0; row < c->runs->table.rows && yes; row++)
        yes = !sp_runs_selected(c->runs, &s, row) || sp_table_empty(&c->runs->table, row, column);
    return yes;
}

sp_selection sp_canvas_selection(const sp_canvas *c, const char *label, size_t panel)
{
    const sp_figure *f = c->figure;
    return (sp_selection){ c->place, f->across ? NULL : f->sweep, label, sp_canvas_x(c, panel), f->y[panel],
                           c->where[panel], is_everywhere(c, label) ? f->wheres : c->wheres };
}

const char *sp_canvas_x(const sp_canvas *c, size_t panel)
{
    static const char *const own[] = { [SP_PROFILE] = "ratio", [SP_DOMINANCE] = "method", [SP_SEARCH] = "points",
                                       [SP_UTILITY] = "epsilon" };
    if (c->kind < SP_PROFILE || (c->kind == SP_UTILITY && panel > 0))
        return c->figure->x ? c->figure->x : "oracle_calls";
    return own[c->kind];
}

const sp_measure *sp_canvas_measure(const sp_canvas *c, size_t panel)
{
    for (size_t i = 0; i < c->plan->cells; i++)
        for (size_t m = 0; m < c->plan->cell[i].measures; m++)
            if (strcmp(c->plan->cell[i].measure[m]->name, c->figure->y[panel]) == 0)
                return c->plan->cell[i].measure[m];
    return NULL;
}

size_t sp_canvas_parts(const sp_canvas *c)
{
    return c->figure->facet ? c->figure->panels : 1;
}

bool sp_is_private(const sp_canvas *c, const sp_item *e)
{
    return strcmp(sp_table_text(&c->runs->table, e->row, c->runs->private), "yes") == 0;
}

bool sp_is_chance(const sp_canvas *c, const sp_item *e)
{
    return e->guide == SP_LEVEL && e->row == c->runs->table.rows;
}

bool sp_is_named(const sp_item *e)
{
    return !e->guide || e->guide == SP_LEVEL;
}

bool sp_canvas_fits(const sp_canvas *c)
{
    return c->kind == SP_RATE || c->kind == SP_RESIDUAL;
}

bool sp_canvas_meets(const sp_canvas *c, size_t panel)
{
    return c->kind == SP_SEARCH || (c->kind == SP_UTILITY && panel == 0);
}

bool sp_is_bent(const sp_shown *in)
{
    return in->slope.fit_p < 0.05;
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

bool sp_same_guide(const sp_verdict *a, const sp_verdict *b)
{
    const sp_claim *p = a->claim, *q = b->claim;
    return a->row == b->row && strcmp(p->y, q->y) == 0 && strcmp(p->mode, q->mode) == 0 &&
           same_number(a->exponent, b->exponent) && same_number(p->constant, q->constant) && p->log == q->log &&
           p->pers == q->pers;
}

double sp_guide_value(const sp_item *e, size_t panel, size_t point)
{
    const sp_verdict *v = e->in[panel].verdict;
    const double middle = e->in[panel].middle;
    if (e->guide == SP_FLOOR)
        return v->floor[point];
    if (e->guide == SP_RIVAL)
        return (v->claim->rival - v->exponent) * (log(v->curve.x[point]) - middle);
    return isnan(middle) ? e->constant * v->theory[point] : 0.0;
}

size_t sp_guide_points(const sp_item *e, size_t panel)
{
    return e->in[panel].verdict ? e->in[panel].verdict->curve.points : 0;
}

/* In no panel yet. */
static void set_item(const sp_canvas *c, sp_item *item, const char *label, sp_guide_kind guide)
{
    const size_t rows = c->runs->table.rows;
    *item = (sp_item){ .label = label, .row = rows, .look = sp_look_of_label(c->plan, label), .guide = guide };
    for (size_t p = 0; p < c->figure->panels; p++)
        item->in[p] = (sp_shown){ .row = rows, .slope = sp_no_slope, .middle = NAN, .begins = NAN };
}

static bool about_claim(const sp_canvas *c, const sp_claim *claim)
{
    return sp_canvas_fits(c) && strcmp(claim->sweep, c->figure->sweep) == 0 &&
           strcmp(claim->y, c->figure->y[0]) == 0 && /* that of all panels */
           sp_runs_column(c->runs, claim->x) == sp_runs_column(c->runs, c->figure->x);
}

/* Does the label only show what a claim's method does without noise? */
static bool is_floor(const sp_canvas *c, const char *label)
{
    bool yes = false;
    for (size_t k = 0; k < c->plan->claims && !yes; k++) {
        const sp_verdict *v = &c->evidence->verdict[k];
        yes = about_claim(c, v->claim) && v->curve.noise_free_label && strcmp(v->curve.noise_free_label, label) == 0;
    }
    return yes;
}

bool sp_canvas_asks(const sp_canvas *c, const char *label)
{
    bool yes = c->figure->labels == 0;
    for (size_t i = 0; i < c->figure->labels && !yes; i++)
        yes = strcmp(c->figure->label[i], label) == 0;
    return yes;
}

/* Its place among the figure's methods, or, where it gives none, among the rows. */
static size_t rank_of(const sp_canvas *c, const sp_item *item)
{
    size_t rank = 0;
    while (rank < c->figure->labels && strcmp(c->figure->label[rank], item->label) != 0)
        rank++;
    return c->figure->labels ? rank : item->row;
}

static void sort_labels(const sp_canvas *c, sp_item *item, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && rank_of(c, &item[k]) < rank_of(c, &item[k - 1]); k--) {
            const sp_item other = item[k];
            item[k] = item[k - 1];
            item[k - 1] = other;
        }
}

/* The first row of a label in a panel that has an x (with `level`: that has none); rows of the table: there is none. */
static size_t first_row(const sp_canvas *c, const char *label, size_t panel, bool level)
{
    const sp_table *t = &c->runs->table;
    const sp_selection s = sp_canvas_selection(c, label, panel);
    const bool always = c->kind >= SP_TRAJECTORY;
    const size_t x = always ? t->columns : sp_runs_column(c->runs, s.x);
    size_t row = 0;
    while (row < t->rows && !(sp_runs_selected(c->runs, &s, row) &&
                              (always || (x < t->columns && isfinite(sp_table_number(t, row, x)))) != level))
        row++;
    return row;
}

/* The labels that have a row with an x in some panel (or, with `level`, without one), in the order of the rows. */
static void find_labels(sp_canvas *c, bool level, size_t *count)
{
    const sp_table *t = &c->runs->table;
    const size_t first = level ? c->curves : 0;
    for (size_t l = 0; l < c->labels; l++) {
        sp_item *item = &c->item[first + *count];
        if (!sp_canvas_asks(c, c->label[l]) || (is_floor(c, c->label[l]) && c->figure->labels == 0))
            continue;
        set_item(c, item, c->label[l], level ? SP_LEVEL : SP_NO_GUIDE);
        for (size_t p = 0; p < c->figure->panels; p++) {
            item->in[p].row = first_row(c, c->label[l], p, level);
            item->row = item->in[p].row < item->row ? item->in[p].row : item->row;
        }
        *count += item->row < t->rows;
    }
    sort_labels(c, c->item + first, *count);
}

/* One line of a panel for all claims that lead to it. */
static void add_guide(sp_canvas *c, const sp_item *curve, size_t panel, const sp_verdict *verdict, sp_guide_kind kind)
{
    sp_item *e = c->item + c->curves;
    for (; e < c->item + c->curves + c->guides; e++)
        if (e->guide == kind && e->label == curve->label && e->in[panel].verdict &&
            sp_same_guide(e->in[panel].verdict, verdict))
            return;
    set_item(c, e, curve->label, kind);
    e->row = e->in[panel].row = curve->in[panel].row;
    e->in[panel].verdict = verdict;
    e->in[panel].middle = curve->in[panel].middle;
    c->guides++;
}

static bool has_floor(const sp_verdict *v)
{
    bool yes = false;
    for (size_t p = 0; p < v->curve.points; p++)
        yes = yes || v->floor[p] > 0.0;
    return yes;
}

/* A claim is drawn where its conditions hold for the row that stands for the curve. */
static bool is_claimed(const sp_canvas *c, const sp_item *curve, size_t panel, const sp_verdict *v)
{
    const sp_claim *claim = v->claim;
    const sp_selection s = { c->place, claim->sweep, claim->algorithm, claim->x, claim->y, claim->where,
                             claim->wheres };
    return curve->in[panel].row < c->runs->table.rows && about_claim(c, claim) &&
           sp_runs_selected(c->runs, &s, curve->in[panel].row);
}

/* Does it enter the means? Where no point counts, all do. */
static bool enters(const sp_verdict *v, size_t point)
{
    return v->counted[point] || v->points == 0;
}

/* Mean of log x over the points that count. */
static double middle_of(const sp_verdict *v)
{
    double sum = 0.0, count = 0.0;
    for (size_t p = 0; p < v->curve.points; p++) {
        sum += enters(v, p) ? log(v->curve.x[p]) : 0.0;
        count += enters(v, p);
    }
    return sum / count;
}

/* The first claim of each curve; of residuals only curves that have one are kept. */
static void find_verdicts(sp_canvas *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->curves; i++) {
        bool claimed = false;
        for (size_t p = 0; p < c->figure->panels; p++) {
            sp_shown *in = &c->item[i].in[p];
            for (size_t k = c->plan->claims; k-- > 0;)
                if (is_claimed(c, &c->item[i], p, &c->evidence->verdict[k]))
                    in->verdict = &c->evidence->verdict[k];
            if (in->verdict && c->kind == SP_RESIDUAL)
                in->middle = middle_of(in->verdict);
            claimed = claimed || in->verdict;
        }
        if (claimed || c->kind != SP_RESIDUAL)
            c->item[kept++] = c->item[i];
    }
    c->curves = kept;
}

/* Lines first, then floors, each in the order of the curves. */
static void find_claims(sp_canvas *c)
{
    find_verdicts(c);
    for (size_t i = 0; i < c->curves; i++)
        for (size_t k = 0; k < c->plan->claims; k++)
            for (size_t p = 0; p < c->figure->panels; p++) {
                const sp_verdict *v = &c->evidence->verdict[k], *shown = c->item[i].in[p].verdict;
                const bool bound = strcmp(v->claim->mode, "bound") == 0;
                if (is_claimed(c, &c->item[i], p, v) && (c->kind == SP_RATE || sp_same_guide(shown, v)))
                    add_guide(c, &c->item[i], p, v, c->kind == SP_RATE && bound ? SP_BOUND : SP_POWER);
            }
    for (size_t i = 0; i < c->curves; i++)
        for (size_t p = 0; p < c->figure->panels; p++) {
            const sp_verdict *v = c->item[i].in[p].verdict;
            if (v && c->kind == SP_RATE && has_floor(v))
                add_guide(c, &c->item[i], p, v, SP_FLOOR);
            if (v && c->kind == SP_RESIDUAL && !isnan(v->claim->rival))
                add_guide(c, &c->item[i], p, v, SP_RIVAL);
        }
}

/* The points that a verdict judged. */
static sp_status show_verdict(const char *label, sp_shown *in)
{
    const sp_verdict *v = in->verdict;
    in->series = (sp_series){ .label = label, .points = v->curve.points, .row = in->row,
                              .x = sp_alloc_doubles(v->curve.points + 1),
                              .mean = sp_alloc(v->curve.points + 1, sizeof *in->series.mean) };
    if (!in->series.x || !in->series.mean)
        return SP_ENOMEM;
    memcpy(in->series.x, v->curve.x, v->curve.points * sizeof *in->series.x);
    memcpy(in->series.mean, v->y, v->curve.points * sizeof *in->series.mean);
    in->slope = v->drawn;
    return SP_OK;
}

/* log of what was fitted, less that of the claimed power, about its mean over the points that count; 90 %. */
static sp_status show_residuals(const char *label, sp_shown *in)
{
    const sp_verdict *v = in->verdict;
    double sum = 0.0, count = 0.0;
    if (show_verdict(label, in) != SP_OK)
        return SP_ENOMEM;
    in->slope = v->slope;
    for (size_t p = 0; p < v->curve.points; p++) {
        sp_interval *r = &in->series.mean[p];
        const double power = v->exponent * log(v->curve.x[p]);
        if (!v->claim->alpha)
            *r = v->fitted[p];
        *r = (sp_interval){ log(r->estimate) - power, r->low <= 0.0 ? -INFINITY : log(r->low) - power,
                            log(r->high) - power, r->count };
        sum += enters(v, p) ? r->estimate : 0.0;
        count += enters(v, p);
    }
    for (size_t p = 0; p < v->curve.points; p++) {
        in->series.mean[p].estimate -= sum / count;
        in->series.mean[p].low -= sum / count;
        in->series.mean[p].high -= sum / count;
    }
    return SP_OK;
}

/* The family of a curve without a claim, unless the figure chooses a member; NULL: none. */
static const char *family_of(const sp_canvas *c, const sp_item *e)
{
    const sp_figure *f = c->figure;
    const char *family = NULL;
    for (size_t i = 0; i < c->plan->cells && c->kind == SP_RATE && !e->guide && !family; i++)
        if (strcmp(c->plan->cell[i].sweep, f->sweep) == 0 && strcmp(c->plan->cell[i].label, e->label) == 0)
            family = c->plan->cell[i].problem->family;
    for (size_t i = 0; i < f->wheres && family; i++)
        if (sp_runs_column(c->runs, f->where[i].key) == sp_runs_column(c->runs, family))
            family = NULL;
    return family;
}

static sp_status fill(sp_canvas *c, sp_item *e, size_t panel, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_selection s = sp_canvas_selection(c, e->label, panel);
    const char *family = family_of(c, e);
    sp_shown *in = &e->in[panel];
    sp_series *series = &in->series;
    if (in->verdict)
        status = c->kind == SP_RESIDUAL ? show_residuals(e->label, in) : show_verdict(e->label, in);
    else if (c->kind == SP_TRAJECTORY)
        SP_TRY(sp_series_trace(c->runs, &s, series, error));
    else if (family)
        SP_TRY(sp_series_worst(c->runs, &s, family, series, error));
    else
        SP_TRY(sp_series_collect(c->runs, &s, e->guide != SP_NO_GUIDE, series, error));
    if (status == SP_OK && c->kind == SP_RATE && !in->verdict)
        in->slope = sp_series_fit(c->runs, &s, series);
    if (status != SP_OK)
        sp_fail(error, status, "%s: out of memory", c->place);
cleanup:
    return status;
}

/* Is it one point, at x = 0, wherever there is anything of it (`start`)? */
static bool stays(const sp_canvas *c, const sp_item *e)
{
    bool yes = false, moves = false;
    for (size_t p = 0; p < c->figure->panels; p++) {
        const sp_series *series = &e->in[p].series;
        const bool one = series->points == 1 && series->x[0] == 0.0;
        yes = yes || one;
        moves = moves || (series->points > 0 && !one);
    }
    return yes && !moves;
}

/* Such trajectories have no place on a logarithmic axis: they become levels. */
static void find_levels(sp_canvas *c)
{
    sp_item *spare = c->item + c->curves;
    size_t kept = 0;
    for (size_t i = 0; i < c->curves; i++)
        if (stays(c, &c->item[i])) {
            spare[c->guides] = c->item[i];
            spare[c->guides++].guide = SP_LEVEL;
        } else {
            c->item[kept++] = c->item[i];
        }
    memmove(c->item + kept, spare, c->guides * sizeof *spare);
    c->curves = kept;
}

/* Where the second method of a warm start begins. */
static void find_hand_overs(sp_canvas *c)
{
    for (const sp_item *e = c->item; e < c->item + c->curves; e++) {
        sp_item *guide = &c->item[c->curves + c->guides];
        bool any = false;
        set_item(c, guide, e->label, SP_HAND_OVER);
        guide->row = e->row;
        for (size_t p = 0; p < c->figure->panels; p++) {
            any = any || e->in[p].series.handover > 0.0;
            guide->in[p].begins = e->in[p].series.handover;
        }
        c->guides += any;
    }
}

/* Adds the shares of the majority class in the cells that the panel shows of a label: their mean and their range. */
static void add_chance(const sp_canvas *c, const char *label, size_t panel, sp_interval *chance)
{
    const sp_selection s = sp_canvas_selection(c, label, panel);
    for (size_t row = 0; row < c->runs->table.rows;) {
        sp_majority cell = { 0 };
        const bool shown = sp_runs_selected(c->runs, &s, row);
        row = sp_majority_add(&cell, c->runs, row);
        if (!shown || cell.cells == 0)
            continue;
        chance->estimate += (cell.shares - chance->estimate) / (double)++chance->count;
        chance->low = fmin(chance->low, cell.shares);
        chance->high = fmax(chance->high, cell.shares);
    }
}

/* A level in the panels of an accuracy. It is no method and has no row. */
static sp_status find_chance(sp_canvas *c)
{
    sp_item *const guide = &c->item[c->curves + c->guides];
    bool any = false, failed = false;
    set_item(c, guide, "majority class", SP_LEVEL);
    guide->look.colour = SP_GREY;
    for (size_t p = 0; p < c->figure->panels && c->kind != SP_RESIDUAL; p++) {
        sp_interval chance = { 0.0, INFINITY, -INFINITY, 0 };
        for (const sp_item *e = c->item; e < guide && strcmp(c->figure->y[p], "accuracy") == 0; e++)
            if (sp_is_named(e))
                add_chance(c, e->label, p, &chance);
        if (chance.count == 0)
            continue;
        chance.count = 0; /* replicates: it is no mean of these */
        sp_series *series = &guide->in[p].series;
        *series = (sp_series){ .label = guide->label, .points = 1, .x = sp_alloc_doubles(1),
                               .mean = sp_alloc(1, sizeof *series->mean) };
        any = true;
        failed = failed || !series->x || !series->mean;
        if (!failed)
            *series->mean = chance;
    }
    c->guides += any;
    return failed ? SP_ENOMEM : SP_OK;
}

/* --- edges ------------------------------------------------------------------------------------------------------- */

/* Marks the points whose parameters were chosen at an end of their grid; of a trajectory its last one. */
static sp_status find_edges(sp_canvas *c, sp_item *e, size_t panel)
{
    const sp_table *t = &c->runs->table;
    const sp_selection s = sp_canvas_selection(c, e->label, panel);
    const size_t x = c->kind == SP_TRAJECTORY ? t->columns : sp_runs_column(c->runs, s.x);
    sp_shown *in = &e->in[panel];
    for (size_t row = 0; row < t->rows && in->series.points > 0; row++) {
        if ((row > 0 && sp_runs_same_cell(c->runs, row, row - 1)) || !sp_runs_selected(c->runs, &s, row) ||
            !sp_runs_on_edge(c->runs, row))
            continue;
        if (!in->edge && !(in->edge = sp_alloc(in->series.points, sizeof *in->edge)))
            return SP_ENOMEM;
        const size_t last = in->series.points - 1;
        const size_t p = x == t->columns ? last : sp_find_sorted(in->series.x, last + 1, sp_table_number(t, row, x));
        if (p <= last)
            in->edge[p] = c->ringed = true;
    }
    return SP_OK;
}

/* --- profiles ----------------------------------------------------------------------------------------------- */

void sp_keep_rivals(sp_canvas *c)
{
    size_t private = 0, kept = 0;
    for (size_t i = 0; i < c->curves; i++)
        private += sp_is_private(c, &c->item[i]);
    for (size_t i = 0; i < c->curves; i++)
        if (private == 0 || sp_is_private(c, &c->item[i])) {
            c->item[kept++] = c->item[i];
        } else {
            sp_text_append(&c->left_out, "%s", c->left_out.length ? ", " : "");
            sp_append_plain(&c->left_out, c->item[i].label);
        }
    c->curves = kept;
}

static sp_status show_profile(sp_canvas *c, size_t panel)
{
    const sp_profile *profile = &c->profile[panel];
    for (size_t l = 0; l < c->curves; l++) {
        sp_series *series = &c->item[l].in[panel].series;
        *series = (sp_series){ .label = c->item[l].label, .points = profile->points,
                               .x = sp_alloc_doubles(profile->points + 1),
                               .mean = sp_alloc(profile->points + 1, sizeof *series->mean) };
        if (!series->x || !series->mean)
            return SP_ENOMEM;
        for (size_t k = 0; k < profile->points; k++) {
            series->x[k] = profile->tau[k];
            series->mean[k] = profile->share[l * profile->points + k];
        }
    }
    return SP_OK;
}

static sp_status gather_profiles(sp_canvas *c, size_t *points, sp_error *error)
{
    sp_status status = SP_OK;
    const char **label = sp_alloc(c->labels + 1, sizeof *label);
    if (!label)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", c->place));
    sp_keep_rivals(c);
    for (size_t i = 0; i < c->curves; i++)
        label[i] = c->item[i].label;
    for (size_t p = 0; p < c->figure->panels; p++) {
        const sp_selection s = sp_canvas_selection(c, NULL, p);
        SP_TRY(sp_profile_of(c->runs, &s, label, c->curves, &c->profile[p], error));
        if (show_profile(c, p) != SP_OK)
            SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", c->place));
        for (size_t i = 0; i < c->curves; i++)
            *points += c->item[i].in[p].series.points > 0;
    }
cleanup:
    free(label);
    return status;
}

sp_status sp_figure_gather(sp_canvas *c, size_t *points, sp_error *error)
{
    sp_status status = SP_OK;
    find_labels(c, false, &c->curves);
    if (c->kind == SP_PROFILE)
        return gather_profiles(c, points, error);
    if (c->kind > SP_PROFILE)
        return sp_gather_scores(c, points, error);
    if (sp_canvas_fits(c))
        find_claims(c);
    else if (c->kind == SP_TRADE_OFF)
        find_labels(c, true, &c->guides);
    for (sp_item *e = c->item; e < c->item + c->curves + c->guides; e++)
        for (size_t p = 0; p < c->figure->panels && (!e->guide || e->guide == SP_LEVEL); p++) {
            if (c->kind == SP_RESIDUAL && !e->in[p].verdict)
                continue;
            SP_TRY(fill(c, e, p, error));
            if (!e->guide && find_edges(c, e, p) != SP_OK)
                SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", c->place));
            for (size_t i = 0; i < e->in[p].series.points; i++)
                *points += isfinite(e->in[p].series.mean[i].estimate) != 0;
        }
    if (c->kind == SP_TRAJECTORY) {
        find_levels(c);
        find_hand_overs(c);
    }
    if (find_chance(c) != SP_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", c->place));
cleanup:
    return status;
}
