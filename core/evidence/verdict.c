/* verdict.c -- see verdict.h. */
#include "core/evidence/verdict.h"

#include "core/base/memory.h"
#include "core/plan/claim.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_POINTS = 3 };

static const char *const names[] = { [SP_AGREES] = "AGREES", [SP_STEEPER] = "STEEPER", [SP_SHALLOWER] = "SHALLOWER",
                                     [SP_VACUOUS] = "VACUOUS", [SP_NOT_RESOLVED] = "NOT_RESOLVED" };

const char *sp_verdict_name(sp_verdict_kind kind)
{
    return names[kind];
}

/* The verdict, and true: nothing more is to be asked. */
__attribute__((format(printf, 3, 4))) static bool
rule(sp_verdict *v, sp_verdict_kind kind, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->reason, sizeof v->reason, format, arguments);
    va_end(arguments);
    v->kind = kind;
    return true;
}

static bool is_mode(const sp_verdict *v, const char *mode)
{
    return strcmp(v->claim->mode, mode) == 0;
}

static const char *short_name(const char *axis)
{
    const char *dot = strrchr(axis, '.');
    return dot ? dot + 1 : axis;
}

/* --- which points count -------------------------------------------------------------------------------------- */

typedef struct tally {
    size_t in_range, high, near_floor; /* near_floor: y is too near to its value without noise */
} tally;

static bool in_range(const sp_verdict *v, size_t p)
{
    return v->curve.x[p] >= v->claim->from && v->curve.x[p] <= v->claim->to;
}

static tally count_points(sp_verdict *v)
{
    const sp_claim *claim = v->claim;
    const double reach = claim->alpha ? claim->reach : 1.0;
    tally t = { 0 };
    for (size_t p = 0; p < v->curve.points; p++) {
        const double y = v->y[p].estimate, floor = v->floor[p];
        if (!in_range(v, p))
            continue;
        const bool high = reach * y > claim->start * v->start[p];
        const bool near_floor = claim->floor > 0.0 && v->curve.private && !(y - floor >= claim->floor * floor);
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
        if (in_range(v, p) && v->floor[p] > 0.0) {
            last_x = log(v->curve.x[p]);
            last_y = log(v->floor[p]);
            if (isnan(first_x)) {
                first_x = last_x;
                first_y = last_y;
            }
        }
    return (last_y - first_y) / (last_x - first_x);
}

static bool too_few(sp_verdict *v, tally t)
{
    if (v->points >= FEWEST_POINTS)
        return false;
    if (t.near_floor > 0 && t.near_floor >= t.high)
        return rule(v, SP_NOT_RESOLVED, "the schedule alone: the private term is below %g times the noise-free floor "
                    "at %zu of %zu points, and without noise the slope is %.2f", v->claim->floor, t.near_floor,
                    t.in_range, noise_free_slope(v));
    if (t.high > 0)
        return rule(v, SP_VACUOUS, "%s is above %g of its value at the start at %zu of %zu points", v->claim->y,
                    v->claim->start, t.high, t.in_range);
    return rule(v, SP_NOT_RESOLVED, "%zu point%s: a slope needs %d", v->points, v->points == 1 ? "" : "s",
                FEWEST_POINTS);
}

/* --- what must be there -------------------------------------------------------------------------------------- */

static bool runs_missing(sp_verdict *v)
{
    const sp_claim *claim = v->claim;
    const size_t planned = claim->points * claim->levels * claim->members * claim->replicates;
    if (v->curve.runs != planned)
        return rule(v, SP_NOT_RESOLVED, "%zu of %zu runs are there", v->curve.runs, planned);
    if (v->curve.failed > 0)
        return rule(v, SP_NOT_RESOLVED, "%zu of %zu runs failed", v->curve.failed, planned);
    return false;
}

static bool values_missing(sp_verdict *v)
{
    const bool needs_floor = v->claim->floor > 0.0 && v->curve.private;
    for (size_t p = 0; p < v->curve.points; p++) {
        const double x = v->curve.x[p], y = v->y[p].estimate;
        const char *name = short_name(v->claim->x);
        if (!in_range(v, p))
            continue;
        if (isnan(v->start[p]))
            return rule(v, SP_NOT_RESOLVED, "no %s at the start at %s = %g", v->claim->y, name, x);
        if (needs_floor && isnan(v->floor[p]))
            return rule(v, SP_NOT_RESOLVED, "no run of the same schedule without noise (privacy = { noise = \"off\" }) "
                        "at %s = %g", name, x);
        if (isnan(y))
            return rule(v, SP_NOT_RESOLVED, "no alpha of the grid is reached at %s = %g", name, x);
        if (!(y > 0.0 && x > 0.0))
            return rule(v, SP_NOT_RESOLVED, "%s = %g at %s = %g has no logarithm", v->claim->y, y, name, x);
    }
    return false;
}

/* --- what was capped ----------------------------------------------------------------------------------------- */

static const char capped[] = ":theory_capped";

/* Of "eta=0.5:theory steps=9:theory_capped:20" the capped ones: "steps = 9 instead of 20". */
static void append_caps(const char *resolved, sp_text *out)
{
    const char *between = "";
    for (const char *word = resolved; *word; word += strspn(word, " ")) {
        const size_t key = strcspn(word, "= "), value = strcspn(word, ": "), length = strcspn(word, " ");
        const char *wanted = word + value + sizeof capped - 1;
        if (key < value && strncmp(word + value, capped, sizeof capped - 1) == 0) {
            sp_text_append(out, "%s%.*s = %.*s", between, (int)key, word, (int)(value - key - 1), word + key + 1);
            if (*wanted == ':')
                sp_text_append(out, " instead of %.*s", (int)(word + length - wanted - 1), wanted + 1);
            between = ", ";
        }
        word += length;
    }
}

/* The first run of a point of which a parameter was capped; rows of runs.tsv: none. */
static size_t capped_run(const sp_runs *runs, const sp_curve *c, size_t p, size_t resolved)
{
    const sp_table *t = &runs->table;
    const size_t cells = c->levels * c->members;
    for (size_t cell = p * cells; cell < (p + 1) * cells; cell++)
        for (size_t row = c->row[cell]; row < t->rows && sp_runs_same_cell(runs, c->row[cell], row); row++)
            if (strstr(sp_table_text(t, row, resolved), capped))
                return row;
    return t->rows;
}

/* "2 of 5 points were capped: steps = 9 instead of 20 at n = 1000", nothing without any. */
static void tell_caps(const sp_runs *runs, const sp_verdict *v, sp_text *out)
{
    const sp_table *t = &runs->table;
    const size_t resolved = sp_table_column(t, "resolved");
    size_t points = 0, first = 0, row = t->rows;
    for (size_t p = v->curve.points; p-- > 0 && resolved < t->columns;) {
        const size_t found = v->counted[p] ? capped_run(runs, &v->curve, p, resolved) : t->rows;
        if (found < t->rows) {
            points++;
            first = p;
            row = found;
        }
    }
    if (points == 0)
        return;
    sp_text_append(out, "%zu of %zu points were capped: ", points, v->points);
    append_caps(sp_table_text(t, row, resolved), out);
    sp_text_append(out, " at %s = %g", short_name(v->claim->x), v->curve.x[first]);
}

/* Whose parameters are a cap's are not the theorem's; so are those of which nothing says where they come from. */
static bool theory_capped(sp_verdict *v, const sp_runs *runs, const sp_text *caps)
{
    if (!is_mode(v, "theory"))
        return false;
    if (sp_table_column(&runs->table, "resolved") == runs->table.columns)
        return rule(v, SP_NOT_RESOLVED, "the tables have no column resolved, which would say what was capped");
    return caps->length > 0 && rule(v, SP_VACUOUS, "%.900s", caps->data);
}

/* Of another mode it is no more than a note. */
static void note_caps(sp_verdict *v, const sp_text *caps)
{
    const size_t length = strlen(v->reason);
    if (caps->length > 0)
        snprintf(v->reason + length, sizeof v->reason - length, "%s%s", length > 0 ? "; " : "", caps->data);
}

/* --- what would mislead -------------------------------------------------------------------------------------- */

static bool counts_at(const sp_verdict *v, double x)
{
    const size_t p = sp_find_sorted(v->curve.x, v->curve.points, x);
    return p < v->curve.points && v->counted[p];
}

/* A row of tuning.tsv about one of the points. */
static bool about(const sp_verdict *v, const sp_table *t, size_t row, size_t sweep, size_t label)
{
    const sp_claim *claim = v->claim;
    const size_t x = sp_table_axis(t, claim->x);
    if (strcmp(sp_table_text(t, row, sweep), claim->sweep) != 0 ||
        strcmp(sp_table_text(t, row, label), claim->algorithm) != 0)
        return false;
    for (size_t i = 0; i < claim->wheres; i++) {
        const size_t column = sp_table_axis(t, claim->where[i].key);
        const bool known = column < t->columns && !sp_table_empty(t, row, column); /* else members differ in it */
        if (known && strcmp(sp_table_text(t, row, column), claim->where[i].value) != 0)
            return false;
    }
    return x == t->columns || counts_at(v, sp_table_number(t, row, x));
}

static bool tuned_on_edge(sp_verdict *v, const sp_runs *runs)
{
    const sp_table *t = &runs->tuning;
    const size_t sweep = sp_table_column(t, "sweep"), label = sp_table_column(t, "label");
    const size_t edge = sp_table_column(t, "edge"), x = sp_table_axis(t, v->claim->x);
    const bool tuned = v->row < runs->table.rows && runs->tuned < runs->table.columns &&
                       strcmp(sp_table_text(&runs->table, v->row, runs->tuned), "yes") == 0;
    if (sweep == t->columns || label == t->columns || edge == t->columns)
        return tuned && rule(v, SP_NOT_RESOLVED, "tuned, but tuning.tsv does not say where the optima are");
    for (size_t row = 0; row < t->rows; row++) {
        const char *name = sp_table_text(t, row, edge);
        if (!sp_table_empty(t, row, edge) && about(v, t, row, sweep, label))
            return rule(v, SP_NOT_RESOLVED, "the tuned optimum of %s is on the edge of its grid at %s = %s", name,
                        short_name(v->claim->x), x < t->columns ? sp_table_text(t, row, x) : "every point");
    }
    return false;
}

static bool is_closed(const sp_verdict *v, const char *end)
{
    return strcmp(v->claim->closed, "both") == 0 || strcmp(v->claim->closed, end) == 0;
}

/* Where members tie, which one is worst is chance: it says something when the resamples agree, at 5 % over all
 * points. */
static bool family_cut_off(sp_verdict *v)
{
    const sp_curve *c = &v->curve;
    for (size_t p = 0; p < c->points && v->claim->family && !v->claim->alpha; p++) {
        const bool first = v->decides[p] == 0 && !is_closed(v, "low");
        const bool last = v->decides[p] + 1 == c->members && !is_closed(v, "high");
        if (v->counted[p] && v->agreement[p] > 1.0 - 0.05 / (double)v->points && (first || last))
            return rule(v, SP_NOT_RESOLVED, "the family is cut off: the worst instance at %s = %g is its %s member, "
                        "%s = %s", short_name(v->claim->x), c->x[p], first ? "first" : "last",
                        short_name(v->claim->family), c->member[v->decides[p]]);
    }
    for (size_t p = 0; p < c->points && v->claim->alpha; p++)
        if (v->counted[p] && v->decides[p] == 0)
            return rule(v, SP_NOT_RESOLVED, "the smallest alpha of the grid, %g, is reached at %s = %g: the grid is "
                        "cut off", c->level[0], short_name(v->claim->x), c->x[p]);
    return false;
}

static bool scattered(sp_verdict *v)
{
    double lowest = INFINITY, highest = -INFINITY;
    bool far = false;
    for (size_t p = 0; p < v->curve.points; p++) {
        const sp_interval *local = &v->local[p];
        if (isnan(local->estimate))
            continue;
        lowest = fmin(lowest, local->estimate);
        highest = fmax(highest, local->estimate);
        far = far || local->low > v->slope.estimate + v->claim->scatter ||
              local->high < v->slope.estimate - v->claim->scatter;
    }
    return far && rule(v, SP_NOT_RESOLVED, "local slopes go from %.2f to %.2f, more than %.2f from the fitted %.2f: no "
                       "power law%s", lowest, highest, v->claim->scatter, v->slope.estimate,
                       v->claim->family ? ", or a family with members too far apart (a staircase)" : "");
}

/* --- the exponent -------------------------------------------------------------------------------------------- */

static bool above_bound(sp_verdict *v)
{
    const sp_claim *claim = v->claim;
    for (size_t p = 0; p < v->curve.points; p++)
        if (v->counted[p] && v->y[p].low > claim->constant * pow(v->curve.x[p], claim->exponent))
            return rule(v, SP_SHALLOWER, "%s = %.3g at %s = %g is above the bound %.3g", claim->y, v->y[p].estimate,
                        short_name(claim->x), v->curve.x[p], claim->constant * pow(v->curve.x[p], claim->exponent));
    return false;
}

/* How much worse than claimed, with its interval, in units of the exponent. */
static sp_interval excess_of(const sp_verdict *v)
{
    const double claimed = v->claim->exponent;
    const sp_interval *s = &v->slope;
    if (strcmp(v->claim->toward, "zero") == 0)
        return (sp_interval){ claimed - s->estimate, claimed - s->high, claimed - s->low, s->count };
    return (sp_interval){ s->estimate - claimed, s->low - claimed, s->high - claimed, s->count };
}

static void compare(sp_verdict *v)
{
    const double tolerance = v->claim->tolerance;
    const sp_interval excess = excess_of(v);
    const bool bound = is_mode(v, "bound"), sure = excess.low > tolerance || excess.high < -tolerance;
    const double width = 0.5 * (excess.high - excess.low);
    if (isfinite(v->claim->constant) && above_bound(v))
        return;
    if (!sure && width > tolerance && !(bound && excess.high <= tolerance)) {
        rule(v, SP_NOT_RESOLVED, "the interval is %.3f to either side, the tolerance %g: more replicates", width,
             tolerance);
        return;
    }
    if (excess.estimate > tolerance)
        v->kind = SP_SHALLOWER;
    else if (excess.estimate < -tolerance && !bound)
        v->kind = SP_STEEPER;
    else
        v->kind = SP_AGREES;
}

/* The same of the label that the exponent is claimed to be below: whatever it is, but resolved. A cap makes an exponent
 * worse, and so that claim easier: what was capped there counts as it does here. */
static sp_status compare_with_other(const sp_runs *runs, sp_verdict *v, sp_error *error)
{
    sp_claim other = *v->claim;
    sp_text caps = { 0 };
    sp_verdict w;
    other.algorithm = v->claim->below;
    other.below = NULL;
    other.mode = (char[]){ "bound" };
    other.tolerance = INFINITY;
    other.constant = NAN;
    const sp_status status = sp_verdict_of(runs, &other, &w, error);
    if (status != SP_OK)
        return status;
    const sp_interval mine = excess_of(v), theirs = excess_of(&w);
    tell_caps(runs, &w, &caps);
    if (w.kind != SP_AGREES)
        rule(v, SP_NOT_RESOLVED, "that of %s is not resolved: %.900s", other.algorithm, w.reason);
    else if (caps.length > 0 && is_mode(v, "theory"))
        rule(v, SP_VACUOUS, "of %s %.900s", other.algorithm, caps.data);
    else if (!(mine.high < theirs.low))
        rule(v, mine.low > theirs.high ? SP_SHALLOWER : SP_NOT_RESOLVED, "not better than that of %s, %.3f [%.3f, "
             "%.3f]", other.algorithm, w.slope.estimate, w.slope.low, w.slope.high);
    if (caps.length > 0 && !is_mode(v, "theory")) {
        const size_t length = strlen(v->reason);
        snprintf(v->reason + length, sizeof v->reason - length, "%sof %s %s", length > 0 ? "; " : "", other.algorithm,
                 caps.data);
    }
    sp_verdict_free(&w);
    const bool failed = caps.failed;
    sp_text_free(&caps);
    return failed ? sp_fail(error, SP_ENOMEM, "claims: out of memory") : SP_OK;
}

/* --- the whole ----------------------------------------------------------------------------------------------- */

static bool make_room(sp_verdict *v)
{
    const size_t points = v->curve.points + 1;
    v->counted = sp_alloc(points, sizeof *v->counted);
    v->y = sp_alloc(points, sizeof *v->y);
    v->local = sp_alloc(points, sizeof *v->local);
    v->start = sp_alloc_doubles(points);
    v->floor = sp_alloc_doubles(points);
    v->decides = sp_alloc(points, sizeof *v->decides);
    v->agreement = sp_alloc_doubles(points);
    return v->counted && v->y && v->local && v->start && v->floor && v->decides && v->agreement;
}

/* Estimates at every point; the start of an inversion is the worst over its alphas, which all start alike. */
static sp_status estimate(const sp_runs *runs, sp_verdict *v)
{
    const sp_curve *c = &v->curve;
    double *y = sp_alloc_doubles(c->points + 1);
    sp_samples value = sp_curve_samples(c, v->claim, c->value), start = sp_curve_samples(c, v->claim, c->start);
    const sp_samples noise_free = sp_curve_samples(c, v->claim, c->noise_free);
    if (!y)
        return SP_ENOMEM;
    start.members *= start.levels;
    start.levels = 1;
    start.level = NULL;
    sp_curve_values(&value, y, v->decides);
    sp_curve_values(&start, v->start, NULL);
    sp_curve_values(&noise_free, v->floor, NULL);
    v->row = runs->table.rows;
    for (size_t p = 0; p < c->points; p++) {
        v->y[p] = v->local[p] = (sp_interval){ .estimate = NAN, .low = NAN, .high = NAN };
        v->y[p].estimate = y[p];
        v->y[p].count = c->replicates;
    }
    for (size_t cell = 0; cell < c->points * c->levels * c->members && v->row == runs->table.rows; cell++)
        v->row = c->row[cell];
    free(y);
    return SP_OK;
}

/* The band of a plain mean is that of summary.tsv: named by its cell. */
static sp_status plain_bands(const sp_runs *runs, sp_verdict *v)
{
    sp_status status = SP_OK;
    const sp_curve *c = &v->curve;
    const size_t y = sp_table_column(&runs->table, v->claim->y);
    size_t failed = 0;
    double *value = sp_alloc_doubles(runs->replicates + 1);
    if (!value)
        SP_TRY(SP_ENOMEM);
    for (size_t p = 0; p < c->points && c->levels * c->members == 1; p++)
        SP_TRY(sp_runs_cell(runs, c->row[p], y, value, &failed, &v->y[p], NULL));
cleanup:
    free(value);
    return status;
}

static sp_status fit(const sp_runs *runs, sp_verdict *v, const bool *use)
{
    gsl_rng *stream = NULL;
    const sp_samples samples = sp_curve_samples(&v->curve, v->claim, v->curve.value);
    sp_curve_fit out = { .y = v->y, .agreement = v->agreement, .local = v->local };
    sp_status status = sp_runs_exponent_stream(runs, v->row, v->claim->y, v->claim->x, &stream);
    if (status == SP_OK)
        status = sp_fit_curve(&samples, use, 0.95, stream, &out);
    if (status == SP_OK) {
        v->slope = out.slope;
        v->intercept = out.intercept;
    }
    gsl_rng_free(stream);
    return status == SP_EINVAL ? SP_OK : status; /* no line: said by the NANs */
}

sp_status sp_verdict_of(const sp_runs *runs, const sp_claim *claim, sp_verdict *v, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text caps = { 0 };
    char *place = sp_format("claim %s on %s against %s", claim->algorithm, claim->y, claim->x);
    *v = (sp_verdict){ .claim = claim, .slope = { .estimate = NAN, .low = NAN, .high = NAN }, .intercept = NAN };
    if (!place)
        SP_TRY(sp_fail(error, SP_ENOMEM, "claims: out of memory"));
    SP_TRY(sp_curve_gather(runs, claim, place, &v->curve, error));
    if (!make_room(v) || estimate(runs, v) != SP_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", place));
    const bool missing = runs_missing(v);
    const tally t = count_points(v);
    /* Without enough points that count, what is measured over all of them is still worth a line. */
    if (v->row < runs->table.rows &&
        (fit(runs, v, v->points >= FEWEST_POINTS ? v->counted : NULL) != SP_OK || plain_bands(runs, v) != SP_OK))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", place));
    tell_caps(runs, v, &caps);
    if (caps.failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", place));
    if (missing || values_missing(v) || too_few(v, t) || theory_capped(v, runs, &caps) || tuned_on_edge(v, runs) ||
        family_cut_off(v))
        goto cleanup;
    if (isnan(v->slope.low))
        rule(v, SP_NOT_RESOLVED, "a single replicate has no interval");
    else if (is_mode(v, "bound") || !scattered(v))
        compare(v);
    if (claim->below && (v->kind == SP_AGREES || v->kind == SP_STEEPER))
        SP_TRY(compare_with_other(runs, v, error));
    note_caps(v, &caps);
cleanup:
    sp_text_free(&caps);
    free(place);
    if (status != SP_OK)
        sp_verdict_free(v);
    return status;
}

void sp_verdict_free(sp_verdict *v)
{
    sp_curve_free(&v->curve);
    free(v->counted);
    free(v->y);
    free(v->local);
    free(v->start);
    free(v->floor);
    free(v->decides);
    free(v->agreement);
    *v = (sp_verdict){ 0 };
}

/* --- words --------------------------------------------------------------------------------------------------- */

static void append_number(sp_text *text, double value)
{
    char number[SP_NUMBER_SIZE];
    sp_text_append(text, "\t%s", isnan(value) ? "NaN" : sp_number(value, number));
}

/* "-0.48 -0.51 -0.50", "-" without any. */
static void append_locals(const sp_verdict *v, sp_text *out)
{
    bool any = false;
    for (size_t p = 0; p < v->curve.points; p++)
        if (isfinite(v->local[p].estimate)) {
            sp_text_append(out, "%s%.2f", any ? " " : "", v->local[p].estimate);
            any = true;
        }
    if (!any)
        sp_text_append(out, "-");
}

void sp_verdict_head(sp_text *out)
{
    sp_text_append(out, "sweep\talgorithm\ty\tx\twhere\tmode\tclaimed\texponent\tlow\thigh\tpoints\ttolerance\tlocal\t"
                        "verdict\treason");
}

static void append_text(sp_text *out, const char *text)
{
    sp_text_append(out, "\t");
    sp_table_write(out, text);
}

void sp_verdict_row(const sp_verdict *v, sp_text *out)
{
    const sp_claim *c = v->claim;
    sp_text where = { 0 };
    sp_claim_conditions(c, &where);
    sp_table_write(out, c->sweep);
    append_text(out, c->algorithm);
    append_text(out, c->y);
    append_text(out, c->x);
    append_text(out, c->wheres > 0 ? where.data : NULL);
    append_text(out, c->mode);
    append_number(out, c->exponent);
    append_number(out, v->slope.estimate);
    append_number(out, v->slope.low);
    append_number(out, v->slope.high);
    sp_text_append(out, "\t%zu", v->slope.count);
    append_number(out, c->tolerance);
    sp_text_append(out, "\t");
    append_locals(v, out);
    append_text(out, sp_verdict_name(v->kind));
    append_text(out, *v->reason ? v->reason : NULL);
    out->failed = out->failed || where.failed;
    sp_text_free(&where);
}

void sp_verdict_line(const sp_verdict *v, sp_text *out)
{
    const sp_claim *c = v->claim;
    sp_text_append(out, "%-12s  %s: %s ~ %s^%.3g +-%g (%s", sp_verdict_name(v->kind), c->algorithm, c->y,
                   short_name(c->x), c->exponent, c->tolerance, c->mode);
    if (c->below)
        sp_text_append(out, "; below %s", c->below);
    if (c->wheres > 0) {
        sp_text_append(out, "; ");
        sp_claim_conditions(c, out);
    }
    if (isnan(v->slope.estimate))
        sp_text_append(out, "): not measured");
    else
        sp_text_append(out, "): measured %.3f [%.3f, %.3f], local ", v->slope.estimate, v->slope.low, v->slope.high);
    if (!isnan(v->slope.estimate))
        append_locals(v, out);
    if (*v->reason)
        sp_text_append(out, ": %s", v->reason);
}
