/* preconditions.c -- decides which points of a claim count, and finds the reasons why its runs cannot decide the claim
 * or would mislead. */
#include "core/stats/inference.h"
#include "core/rates/rates_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sp_rule(sp_verdict *v, sp_verdict_kind kind, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->reason, sizeof v->reason, format, arguments);
    va_end(arguments);
    v->kind = kind;
    v->p = NAN;
    return true;
}

bool sp_is_mode(const sp_verdict *v, const char *mode)
{
    return strcmp(v->claim->mode, mode) == 0;
}

const char *sp_short_name(const char *axis)
{
    const char *dot = strrchr(axis, '.');
    return dot ? dot + 1 : axis;
}

/* --- which points count -------------------------------------------------------------------------------------- */

bool sp_in_range(const sp_verdict *v, size_t p)
{
    return v->curve.x[p] >= v->claim->from && v->curve.x[p] <= v->claim->to;
}

size_t sp_fewest_replicates(const sp_verdict *v)
{
    size_t fewest = v->seeds > 1 ? v->seeds : v->curve.replicates;
    for (size_t p = 0; p < v->curve.points; p++)
        if (v->counted[p] && v->y[p].count < fewest)
            fewest = v->y[p].count;
    return fewest;
}

bool sp_subtracts_floor(const sp_verdict *v)
{
    return v->claim->floor > 0.0 && v->curve.private;
}

sp_tally sp_count_points(sp_verdict *v)
{
    const sp_claim *claim = v->claim;
    const double reach = claim->alpha ? claim->reach : 1.0;
    sp_tally t = { 0 };
    for (size_t p = 0; p < v->curve.points; p++) {
        const double y = v->y[p].estimate, floor = v->floor[p];
        if (!sp_in_range(v, p))
            continue;
        const bool high = reach * y > claim->start * v->start[p];
        const bool near_floor = sp_subtracts_floor(v) && !(y - floor >= claim->floor * floor);
        v->counted[p] = !high && !near_floor;
        v->points += v->counted[p];
        t.in_range++;
        t.high += high;
        t.near_floor += near_floor && !high;
    }
    return t;
}

/* Slope of the noise-free values over the range, for the message. */
static double noise_free_slope(const sp_verdict *v)
{
    double first_x = NAN, first_y = NAN, last_x = NAN, last_y = NAN;
    for (size_t p = 0; p < v->curve.points; p++)
        if (sp_in_range(v, p) && v->floor[p] > 0.0) {
            last_x = log(v->curve.x[p]);
            last_y = log(v->floor[p]);
            if (isnan(first_x)) {
                first_x = last_x;
                first_y = last_y;
            }
        }
    return (last_y - first_y) / (last_x - first_x);
}

/* --- from where on there would be something to test ------------------------------------------------------------ */

/* A point where the line through (x, y) with this slope in logarithms has the value; NAN: nowhere ahead, where the
 * theorem goes. */
static double line_reaches(const sp_verdict *v, double x, double y, double slope, double value)
{
    const double at = exp(log(x) + log(value / y) / slope);
    const bool ahead = strcmp(v->claim->toward, "zero") == 0 ? at < x : at > x;
    return ahead && isfinite(at) && at > 0.0 ? at : NAN;
}

/* The bound that the method of a point promises over what holds at the start. NAN: it promises none. */
static double bound_over_start(const sp_runs *runs, const sp_verdict *v, size_t p)
{
    const size_t row = v->curve.row[p * v->curve.levels * v->curve.members];
    double bound = NAN, known = NAN;
    if (row < runs->table.rows)
        sp_runs_promise(runs, row, &bound, &known);
    return bound / known;
}

/* The last point in range on the way of the theorem, and the one before it; false: there are no two. */
static bool last_two(const sp_verdict *v, size_t *last, size_t *before)
{
    const bool back = strcmp(v->claim->toward, "zero") == 0;
    size_t found = 0;
    for (size_t i = 0; i < v->curve.points && found < 2; i++) {
        const size_t p = back ? i : v->curve.points - 1 - i;
        if (sp_in_range(v, p))
            *(found++ == 0 ? last : before) = p;
    }
    return found == 2;
}

/* From where on a claim could be tested: from its first point that counts, where the last one does; if none counts,
 * where the method's own bound would be below its share of the start, by the line through the bound's last two values;
 * where nothing is known of a bound, where y would be, were the claimed exponent to hold from the last point on, which
 * is the earliest. */
static void tell_testable(const sp_runs *runs, const sp_verdict *v, char *out, size_t size)
{
    const sp_claim *claim = v->claim;
    const char *name = sp_short_name(claim->x);
    size_t last = 0, before = 0;
    if (!last_two(v, &last, &before))
        return;
    const double *x = v->curve.x;
    const double run = log(x[last] / x[before]), y = v->y[last].estimate / v->start[last];
    if (v->points > 0) {
        size_t first = last; /* of the points that count, the one that comes first on the way */
        for (size_t p = 0; p < v->curve.points; p++)
            if (v->counted[p] && (last > before ? x[p] < x[first] : x[p] > x[first]))
                first = p;
        if (v->counted[last])
            snprintf(out, size, "; testable from %s = %g on, by %d points there", name, x[first],
                           SP_FEWEST_POINTS);
        return;
    }
    const double bound = bound_over_start(runs, v, last), bound_before = bound_over_start(runs, v, before);
    double at = line_reaches(v, x[last], bound, log(bound / bound_before) / run, claim->start);
    if (!isnan(at)) {
        snprintf(out, size, "; testable from about %s = %.2g on, where its own bound falls below that", name, at);
        return;
    }
    if (claim->alpha || claim->log != 0.0 || claim->pers > 0)
        return;
    at = line_reaches(v, x[last], y, v->exponent, claim->start);
    if (!isnan(at))
        snprintf(out, size, "; testable from %s = %.2g on at the earliest, were its exponent to hold from %s = %g on",
                 name, at, name, x[last]);
}

static bool too_few(sp_verdict *v, const sp_runs *runs, sp_tally t)
{
    if (v->points >= SP_FEWEST_POINTS)
        return false;
    if (t.near_floor > 0 && t.near_floor >= t.high)
        return sp_rule(v, SP_NOT_RESOLVED, "the schedule alone: the private term is below %g times the noise-free "
                       "floor at %zu of %zu points, and without noise the slope is %.2f", v->claim->floor, t.near_floor,
                    t.in_range, noise_free_slope(v));
    if (t.high > 0) {
        char ahead[256] = "";
        tell_testable(runs, v, ahead, sizeof ahead);
        return sp_rule(v, SP_VACUOUS, "%s is above %g of its value at the start at %zu of %zu points%s", v->claim->y,
                       v->claim->start, t.high, t.in_range, ahead);
    }
    return sp_rule(v, SP_NOT_RESOLVED, "%zu point%s: a slope needs %d", v->points, v->points == 1 ? "" : "s",
                SP_FEWEST_POINTS);
}

/* --- what must be there -------------------------------------------------------------------------------------- */

static bool runs_missing(sp_verdict *v)
{
    const sp_claim *claim = v->claim;
    const size_t planned = claim->points * claim->levels * claim->members * claim->replicates;
    if (v->curve.runs != planned)
        return sp_rule(v, SP_NOT_RESOLVED, "%zu of %zu runs are there", v->curve.runs, planned);
    if (v->curve.failed > 0)
        return sp_rule(v, SP_NOT_RESOLVED, "%zu of %zu runs failed", v->curve.failed, planned);
    if (v->curve.diverged > 0)
        return sp_rule(v, SP_NOT_RESOLVED, "%zu of %zu runs diverged (column diverged)", v->curve.diverged, planned);
    return false;
}

static bool values_missing(sp_verdict *v, const sp_response *response)
{
    const bool needs_floor = sp_subtracts_floor(v);
    for (size_t p = 0; p < v->curve.points; p++) {
        const double x = v->curve.x[p], y = v->y[p].estimate;
        const char *name = sp_short_name(v->claim->x);
        if (!sp_in_range(v, p))
            continue;
        if (isnan(v->start[p]))
            return sp_rule(v, SP_NOT_RESOLVED, "no %s at the start at %s = %g", v->claim->y, name, x);
        if (needs_floor && isnan(v->floor[p]))
            return sp_rule(v, SP_NOT_RESOLVED, "no run of the same schedule without noise (privacy = { noise = \"off\" "
                           "}) at %s = %g", name, x);
        if (isnan(y))
            return sp_rule(v, SP_NOT_RESOLVED, "no alpha of the grid is reached at %s = %g", name, x);
        if (!(y > 0.0 && x > 0.0))
            return sp_rule(v, SP_NOT_RESOLVED, "%s = %g at %s = %g has no logarithm", v->claim->y, y, name, x);
        if (!v->claim->alpha && response->missing)
            return sp_rule(v, SP_NOT_RESOLVED, "the runs did not resolve %s, by which %s is to be divided",
                        response->missing, v->claim->y);
        if (v->claim->log != 0.0 && !(x > 1.0))
            return sp_rule(v, SP_NOT_RESOLVED, "%s = %g has no logarithm by which %s could be divided", name, x,
                        v->claim->y);
    }
    return false;
}

bool sp_has_no_logarithm(const sp_verdict *v)
{
    for (size_t p = 0; p < v->curve.points; p++)
        if (sp_in_range(v, p) && v->y[p].estimate <= 0.0)
            return true;
    return false;
}

static bool exponent_missing(sp_verdict *v)
{
    const sp_claim *claim = v->claim;
    if (!isfinite(v->exponent))
        return sp_rule(v, SP_NOT_RESOLVED, "the method resolves no bound (column resolved) to take the exponent from");
    return claim->tolerance >= 0.5 * fabs(claim->rival - v->exponent) &&
           sp_rule(v, SP_NOT_RESOLVED, "the tolerance %g is no less than half the distance to the rival %.3g",
                claim->tolerance, claim->rival);
}

/* --- what was capped ----------------------------------------------------------------------------------------- */

/* Of "eta=0.5 steps=9:20": "eta = 0.5, steps = 9 instead of 20". */
static void append_caps(const char *caps, sp_text *out)
{
    for (const char *word = caps; *word; word += strspn(word, " ")) {
        const size_t key = strcspn(word, "="), value = strcspn(word, ": "), length = strcspn(word, " ");
        sp_text_append(out, "%s%.*s = %.*s", word > caps ? ", " : "", (int)key, word, (int)(value - key - 1),
                       word + key + 1);
        if (value < length)
            sp_text_append(out, " instead of %.*s", (int)(length - value - 1), word + value + 1);
        word += length;
    }
}

/* What was capped in the first run of a point of which a parameter was; *out stays empty where none was. */
static void find_caps(const sp_runs *runs, const sp_curve *c, size_t p, sp_text *out)
{
    const size_t cells = c->levels * c->members;
    for (size_t cell = p * cells; cell < (p + 1) * cells && out->length == 0; cell++)
        for (size_t row = c->row[cell];
             row < runs->table.rows && sp_runs_same_cell(runs, c->row[cell], row) && out->length == 0; row++)
            sp_runs_caps(runs, row, out);
}

void sp_tell_caps(const sp_runs *runs, const sp_verdict *v, sp_text *out)
{
    size_t points = 0, first = 0;
    sp_text caps = { 0 };
    for (size_t p = v->curve.points; p-- > 0;) {
        sp_text found = { 0 };
        if (v->counted[p])
            find_caps(runs, &v->curve, p, &found);
        out->failed = out->failed || found.failed;
        if (found.length == 0)
            continue;
        sp_text_free(&caps);
        caps = found;
        points++;
        first = p;
    }
    if (points > 0) {
        sp_text_append(out, "%zu of %zu points were capped: ", points, v->points);
        append_caps(caps.data, out);
        sp_text_append(out, " at %s = %g", sp_short_name(v->claim->x), v->curve.x[first]);
    }
    sp_text_free(&caps);
}

/* Parameters from a cap are not the theorem's; nor are parameters of unknown origin. */
static bool theory_capped(sp_verdict *v, const sp_runs *runs, const sp_text *caps)
{
    if (!sp_is_mode(v, "theory"))
        return false;
    if (sp_table_column(&runs->table, "resolved") == runs->table.columns)
        return sp_rule(v, SP_NOT_RESOLVED, "the tables have no column resolved, which would say what was capped");
    return caps->length > 0 && sp_rule(v, SP_VACUOUS, "%.900s", caps->data);
}

/* --- what a claim is about ----------------------------------------------------------------------------------- */

/* Runs of points that count and are not at or below a bound. */
typedef struct excess {
    size_t above, highest; /* how many; the row of runs.tsv of the highest, or of one whose value is not known */
    double most;
} excess;

static excess find_excess(const sp_runs *runs, const sp_verdict *v, size_t column, double bound)
{
    const sp_table *t = &runs->table;
    const sp_curve *c = &v->curve;
    excess e = { .most = bound };
    for (size_t cell = 0; cell < c->points * c->levels * c->members; cell++)
        for (size_t row = c->row[cell]; row < t->rows && sp_runs_same_cell(runs, c->row[cell], row); row++) {
            const double value = sp_table_number(t, row, column);
            if (!v->counted[cell / (c->levels * c->members)] || value <= bound)
                continue;
            e.above++;
            if (!isnan(e.most) && !(value <= e.most)) {
                e.most = value;
                e.highest = row;
            }
        }
    return e;
}

/* Does some run leave where the claim's statement holds? */
static bool out_of_bounds(sp_verdict *v, const sp_runs *runs)
{
    const sp_claim *claim = v->claim;
    const sp_table *t = &runs->table;
    const size_t x = sp_runs_column(runs, claim->x);
    for (size_t i = 0; i < claim->withins; i++) {
        const char *measure = claim->within[i].key, *limit = claim->within[i].value;
        const size_t column = sp_table_column(t, measure);
        double bound = NAN;
        sp_read_number(limit, &bound);
        if (column == t->columns)
            return sp_rule(v, SP_NOT_RESOLVED, "no column %s, which is to be at most %s", measure, limit);
        const excess e = find_excess(runs, v, column, bound);
        if (e.above == 0)
            continue;
        const char *at = sp_table_text(t, e.highest, x);
        if (isnan(e.most))
            return sp_rule(v, SP_NOT_RESOLVED, "%s, which is to be at most %s, is not known at %s = %s", measure, limit,
                           sp_short_name(claim->x), at);
        return sp_rule(v, SP_VACUOUS, "%s, which is to be at most %s, is above it in %zu run%s, %.3g at %s = %s",
                       measure, limit, e.above, e.above == 1 ? "" : "s", e.most, sp_short_name(claim->x), at);
    }
    return false;
}

/* --- what would mislead -------------------------------------------------------------------------------------- */

static bool counts_at(const sp_verdict *v, double x)
{
    const size_t p = sp_find_sorted(v->curve.x, v->curve.points, x);
    return p < v->curve.points && v->counted[p];
}

/* A row of tuning.tsv about one of the points. */
static bool about(const sp_verdict *v, const sp_runs *runs, size_t row)
{
    const sp_claim *claim = v->claim;
    const size_t x = sp_table_axis(&runs->tuning, claim->x);
    return sp_runs_tunes(runs, claim->sweep, claim->algorithm, claim->where, claim->wheres, row) &&
           (x == runs->tuning.columns || counts_at(v, sp_table_number(&runs->tuning, row, x)));
}

static bool tuned_on_edge(sp_verdict *v, const sp_runs *runs)
{
    const sp_table *t = &runs->tuning;
    const size_t edge = sp_table_column(t, "edge"), x = sp_table_axis(t, v->claim->x);
    const bool tuned = v->row < runs->table.rows && runs->tuned < runs->table.columns &&
                       strcmp(sp_table_text(&runs->table, v->row, runs->tuned), "yes") == 0;
    if (edge == t->columns)
        return tuned && sp_rule(v, SP_NOT_RESOLVED, "tuned, but tuning.tsv does not say where the optima are");
    for (size_t row = 0; row < t->rows; row++) {
        const char *name = sp_table_text(t, row, edge);
        if (!sp_table_empty(t, row, edge) && about(v, runs, row))
            return sp_rule(v, SP_NOT_RESOLVED, "the tuned optimum of %s is on the edge of its grid at %s = %s", name,
                        sp_short_name(v->claim->x), x < t->columns ? sp_table_text(t, row, x) : "every point");
    }
    return false;
}

static bool is_closed(const sp_verdict *v, const char *end)
{
    return strcmp(v->claim->closed, "both") == 0 || strcmp(v->claim->closed, end) == 0;
}

/* Is the worst member at p, one of the ends, worse than every member between them? Where members tie, which one is
 * worst is chance: one-sided paired t tests, at 5 % over all points. */
static bool end_is_worst(const sp_verdict *v, size_t p, double *difference)
{
    const sp_curve *c = &v->curve;
    const double *worst = c->value + (p * c->members + v->decides[p]) * c->replicates;
    for (size_t m = 1; m + 1 < c->members; m++) {
        const double *other = c->value + (p * c->members + m) * c->replicates;
        for (size_t r = 0; r < c->replicates; r++)
            difference[r] = worst[r] - other[r];
        const double t = sp_t_test(difference, c->replicates, 0.0, SP_GREATER); /* NAN: all differ by the same */
        if (!(isnan(t) ? difference[0] > 0.0 : t < 0.05 / (double)v->points))
            return false;
    }
    return true;
}

static bool family_cut_off(sp_verdict *v, double *difference)
{
    const sp_curve *c = &v->curve;
    for (size_t p = 0; p < c->points && v->claim->family && !v->claim->alpha; p++) {
        const bool first = v->decides[p] == 0 && !is_closed(v, "low");
        const bool last = v->decides[p] + 1 == c->members && !is_closed(v, "high");
        if (v->counted[p] && (first || last) && end_is_worst(v, p, difference))
            return sp_rule(v, SP_NOT_RESOLVED, "the family is cut off: the worst instance at %s = %g is its %s member, "
                        "%s = %s", sp_short_name(v->claim->x), c->x[p], first ? "first" : "last",
                        sp_short_name(v->claim->family), c->member[v->decides[p]]);
    }
    for (size_t p = 0; p < c->points && v->claim->alpha; p++)
        if (v->counted[p] && v->decides[p] == 0)
            return sp_rule(v, SP_NOT_RESOLVED, "the smallest alpha of the grid, %g, is reached at %s = %g: the grid is "
                        "cut off", c->level[0], sp_short_name(v->claim->x), c->x[p]);
    return false;
}

bool sp_preconditions_fail(sp_verdict *v, const sp_runs *runs, const sp_response *response, sp_tally t,
                           const sp_text *caps, double *room)
{
    if (runs_missing(v) || values_missing(v, response) || too_few(v, runs, t) || exponent_missing(v) ||
        theory_capped(v, runs, caps) || out_of_bounds(v, runs) || tuned_on_edge(v, runs) || family_cut_off(v, room))
        return true;
    const size_t fewest = sp_fewest_replicates(v);
    return fewest < SP_FEWEST_REPLICATES &&
           sp_rule(v, SP_NOT_RESOLVED, "%zu replicate%s: an interval needs %d", fewest, fewest == 1 ? "" : "s",
                   SP_FEWEST_REPLICATES);
}
