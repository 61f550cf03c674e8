/* measured.c -- measures one label of a claim: its curve, its response, its slope, and the lines that a figure shows.
 *
 * With K seeds (seeds.h) all of this is measured on each seed's own tables; let b_k be the slope from seed k. The slope
 * is the mean b of the b_k, with se^2 = sum_k (b_k - b)^2 / (K (K - 1)) and K - 1 degrees of freedom. So everything
 * that the replicates of a seed share, above all its tuned parameters, is in the spread of the b_k, and not in the
 * intervals of single seeds. The slope at the end, the local slopes, and y are treated in the same way. Whether the
 * points are on a line is tested with the K values at each point; if they are not, the error is at least that of the
 * residuals (slope.h). */
#include "core/stats/inference.h"
#include "core/rates/rates_internal.h"

#include "core/base/memory.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

sp_verdict sp_verdict_none(const sp_claim *claim)
{
    return (sp_verdict){ .claim = claim,
                         .slope = sp_no_slope,
                         .drawn = sp_no_slope,
                         .seeds = 1,
                         .spread = NAN,
                         .within = sp_no_slope,
                         .control = sp_no_slope,
                         .crossing = { NAN, NAN, NAN, 0 },
                         .exponent = claim->exponent,
                         .log_lr = NAN,
                         .power = NAN,
                         .replicates_needed = NAN,
                         .p = NAN,
                         .p_holm = NAN };
}

static void make_room(sp_verdict *v)
{
    const size_t points = v->curve.points + 1;
    v->counted = sp_need(sp_alloc(points, sizeof *v->counted));
    v->y = sp_need(sp_alloc(points, sizeof *v->y));
    v->local = sp_need(sp_alloc(points, sizeof *v->local));
    v->start = sp_need(sp_alloc_doubles(points));
    v->floor = sp_need(sp_alloc_doubles(points));
    v->fitted = sp_need(sp_alloc(points, sizeof *v->fitted));
    v->model = sp_need(sp_alloc_doubles(points));
    v->theory = sp_need(sp_alloc_doubles(points));
    v->decides = sp_need(sp_alloc(points, sizeof *v->decides));
}

/* Estimates at every point; the start of an inversion is the worst over its alphas, which all start alike. */
static void estimate(const sp_runs *runs, const sp_response *response, sp_verdict *v)
{
    const sp_curve *c = &v->curve;
    double *y = sp_need(sp_alloc_doubles(c->points + 1));
    const sp_samples value = sp_curve_samples(c, v->claim, c->value);
    const sp_samples noise_free = sp_curve_samples(c, v->claim, c->noise_free);
    sp_samples start = sp_curve_samples(c, v->claim, c->start);
    start.members *= start.levels;
    start.levels = 1;
    start.level = NULL;
    sp_curve_values(&value, NULL, y, v->decides);
    sp_curve_values(&start, NULL, v->start, NULL);
    sp_curve_values(&noise_free, NULL, v->floor, NULL);
    v->row = runs->table.rows;
    for (size_t p = 0; p < c->points; p++) {
        v->model[p] = v->theory[p] = NAN;
        v->local[p] = v->fitted[p] = v->y[p] = (sp_interval){ y[p], NAN, NAN, c->replicates };
        v->local[p].estimate = NAN;
        if (!v->claim->alpha) {
            v->y[p] = sp_mean_t(response->y + p * c->replicates, c->replicates, 0.95);
            v->floor[p] = response->floor[p];
            v->fitted[p] = sp_mean_t(response->value + p * c->replicates, c->replicates, 0.90);
        }
    }
    for (size_t cell = 0; cell < c->points * c->levels * c->members && v->row == runs->table.rows; cell++)
        v->row = c->row[cell];
    free(y);
}

/* Without enough points that count, what is measured over all of them is still worth a line. */
static void fit(const sp_runs *runs, const sp_response *response, sp_verdict *v)
{
    const sp_curve *c = &v->curve;
    const bool *use = v->points >= SP_FEWEST_POINTS ? v->counted : NULL;
    if (v->claim->alpha) {
        const sp_samples samples = sp_curve_samples(c, v->claim, c->value);
        gsl_rng *stream = sp_runs_exponent_stream(runs, v->row, v->claim->y, v->claim->x);
        sp_slope_of_inversion(&samples, use, stream, &v->slope, v->local, v->y);
        gsl_rng_free(stream);
    } else {
        const sp_points points = { c->points, c->replicates, c->x, response->value,
                                   sp_runs_joint(runs, v->claim->x), strcmp(v->claim->toward, "zero") == 0 };
        sp_slope_fit(&points, use, &v->slope, v->local); /* without a line it leaves the NANs */
    }
}

/* Fits y itself. The estimate of an inversion is y. */
static void fit_drawn(const sp_runs *runs, const sp_response *response, sp_verdict *v)
{
    const sp_curve *c = &v->curve;
    const bool *use = v->points >= SP_FEWEST_POINTS ? v->counted : NULL;
    const sp_points points = { c->points, c->replicates, c->x, response->y, sp_runs_joint(runs, v->claim->x), false };
    v->drawn = v->slope;
    if (v->claim->alpha)
        return;
    v->drawn = sp_no_slope;
    sp_slope_fit(&points, use, &v->drawn, NULL);
}

/* y from a law C x^b of the response. */
static double y_of(const sp_verdict *v, const sp_response *response, size_t p, double log_c, double b)
{
    const double value = exp(log_c + b * log(v->curve.x[p]));
    return (v->claim->alpha ? value : value * response->scale[p]) + (sp_subtracts_floor(v) ? v->floor[p] : 0.0);
}

/* Both lines through the points that were fitted, back on the scale of y. */
static void find_lines(const sp_response *response, sp_verdict *v)
{
    const sp_claim *claim = v->claim;
    const bool all = v->points < SP_FEWEST_POINTS;
    double log_c = 0.0, points = 0.0;
    for (size_t p = 0; p < v->curve.points; p++)
        if (all || v->counted[p]) { /* through the mean of log x and of log y, as least squares */
            log_c += v->slope.intercept + (v->slope.estimate - v->exponent) * log(v->curve.x[p]);
            points += 1.0;
        }
    for (size_t p = 0; p < v->curve.points; p++) {
        const double bound = claim->constant * pow(v->curve.x[p], v->exponent) * response->scale[p];
        v->theory[p] = isfinite(claim->constant) ? bound : y_of(v, response, p, log_c / points, v->exponent);
        if (all || v->counted[p])
            v->model[p] = y_of(v, response, p, v->slope.intercept, v->slope.estimate);
    }
}

/* The exponent of the bound that the method resolves, divided as y is, over the points that count. */
static void find_bound(const sp_runs *runs, const sp_response *response, sp_verdict *v)
{
    double sum_z = 0.0, sum_zz = 0.0, sum_b = 0.0, sum_zb = 0.0, points = 0.0;
    for (size_t p = 0; p < v->curve.points; p++) {
        const size_t member = v->decides[p] < v->curve.members ? v->decides[p] : 0;
        const size_t row = v->curve.row[p * v->curve.members + member];
        if (!v->counted[p] || row == runs->table.rows)
            continue;
        const double z = log(v->curve.x[p]), b = log(sp_run_parameter(runs, row, "bound") / response->scale[p]);
        sum_z += z;
        sum_zz += z * z;
        sum_b += b;
        sum_zb += z * b;
        points += 1.0;
    }
    v->exponent = (points * sum_zb - sum_z * sum_b) / (points * sum_zz - sum_z * sum_z);
}

/* On the tables of one seed. */
static sp_status measure_seed(const sp_runs *runs, const sp_claim *claim, sp_verdict *v, sp_text *caps, sp_error *error)
{
    sp_status status = SP_OK;
    sp_response response = { 0 };
    double *room = NULL;
    char *place = sp_need(sp_format("claim %s on %s against %s", claim->algorithm, claim->y, claim->x));
    *v = sp_verdict_none(claim);
    SP_TRY(sp_curve_gather(runs, claim, place, &v->curve, error));
    room = sp_need(sp_alloc_doubles(v->curve.replicates + 1));
    make_room(v);
    sp_response_of(runs, claim, &v->curve, &response);
    estimate(runs, &response, v);
    const sp_tally t = sp_count_points(v);
    if (v->row < runs->table.rows) {
        fit(runs, &response, v);
        fit_drawn(runs, &response, v);
    }
    if (isnan(claim->exponent))
        find_bound(runs, &response, v);
    find_lines(&response, v);
    sp_tell_caps(runs, v, caps);
    sp_need_text(caps);
    sp_preconditions_fail(v, runs, &response, t, caps, room);
cleanup:
    sp_response_free(&response);
    free(room);
    free(place);
    if (status != SP_OK)
        sp_verdict_free(v);
    return status;
}

/* --- several seeds ------------------------------------------------------------------------------------------- */

typedef struct each_seed {
    sp_verdict *verdict; /* by seed */
    size_t seeds;
    double *value;       /* room for one number of every seed */
} each_seed;

/* Mean, standard error and 90 % interval of the numbers in `value`; the error is no less than rounding. */
static void over_seeds(const each_seed *e, double *estimate, double *se, double *low, double *high)
{
    *estimate = gsl_stats_mean(e->value, 1, e->seeds);
    *se = sqrt(gsl_stats_variance_m(e->value, 1, e->seeds, *estimate) / (double)e->seeds + 1e-18);
    sp_slope_interval(*estimate, *se, (double)e->seeds - 1.0, low, high);
}

/* The line's level, with its covariance with the slope, whose mean is known. */
static void combine_levels(const each_seed *e, sp_slope *s)
{
    const double pairs = (double)e->seeds * ((double)e->seeds - 1.0);
    double low, high;
    for (size_t k = 0; k < e->seeds; k++)
        e->value[k] = e->verdict[k].slope.middle;
    s->middle = gsl_stats_mean(e->value, 1, e->seeds);
    for (size_t k = 0; k < e->seeds; k++)
        e->value[k] = e->verdict[k].slope.level;
    over_seeds(e, &s->level, &s->level_se, &low, &high);
    s->covariance = 0.0;
    for (size_t k = 0; k < e->seeds; k++)
        s->covariance += (e->value[k] - s->level) * (e->verdict[k].slope.estimate - s->estimate) / pairs;
}

static void combine_slopes(const each_seed *e, sp_slope *s)
{
    s->df = s->tail_df = (double)e->seeds - 1.0;
    for (size_t k = 0; k < e->seeds; k++)
        e->value[k] = e->verdict[k].slope.tail;
    over_seeds(e, &s->tail, &s->tail_se, &s->tail_low, &s->tail_high);
    for (size_t k = 0; k < e->seeds; k++)
        e->value[k] = e->verdict[k].slope.intercept;
    s->intercept = gsl_stats_mean(e->value, 1, e->seeds);
    for (size_t k = 0; k < e->seeds; k++)
        e->value[k] = e->verdict[k].slope.estimate;
    over_seeds(e, &s->estimate, &s->se, &s->low, &s->high);
    s->noise_se = s->se;
    s->noise_df = s->df;
    combine_levels(e, s);
}

/* What a figure shows at a point, and the local slope there. */
static void combine_point(const each_seed *e, size_t p, sp_verdict *v)
{
    const double seeds = (double)e->seeds;
    double floor = 0.0, start = 0.0, model = 0.0, theory = 0.0;
    for (size_t k = 0; k < e->seeds; k++) {
        const sp_verdict *w = &e->verdict[k];
        floor += w->floor[p] / seeds;
        start += w->start[p] / seeds;
        model += log(w->model[p]) / seeds;
        theory += log(w->theory[p]) / seeds;
        e->value[k] = w->y[p].estimate;
    }
    v->floor[p] = floor;
    v->start[p] = start;
    v->model[p] = exp(model);
    v->theory[p] = exp(theory);
    v->y[p] = sp_mean_t(e->value, e->seeds, 0.95);
    for (size_t k = 0; k < e->seeds; k++)
        e->value[k] = e->verdict[k].local[p].estimate;
    v->local[p] = sp_mean_t(e->value, e->seeds, 0.90);
    for (size_t k = 0; k < e->seeds; k++)
        e->value[k] = e->verdict[k].fitted[p].estimate;
    v->fitted[p] = sp_mean_t(e->value, e->seeds, 0.90);
}

/* The points, with the seeds for replicates: do they lie on a line? */
static void fit_seeds(const each_seed *e, const sp_runs *runs, sp_verdict *v)
{
    const size_t points = v->curve.points;
    sp_slope line = sp_no_slope;
    double *value = sp_need(sp_alloc_doubles(points * e->seeds + 1));
    for (size_t k = 0; k < e->seeds; k++)
        for (size_t p = 0; p < points; p++)
            value[p * e->seeds + k] = e->verdict[k].fitted[p].estimate;
    const sp_points s = { points, e->seeds, v->curve.x, value, sp_runs_joint(runs, v->claim->x), false };
    sp_slope_fit(&s, v->counted, &line, NULL);
    v->slope.fit_p = line.fit_p;
    if (line.fit_p < 0.05 && line.se > v->slope.se) {
        v->slope.se = line.se;
        v->slope.df = line.df;
        v->slope.level_se = fmax(v->slope.level_se, line.level_se);
        v->slope.covariance = 0.0;
        sp_slope_interval(v->slope.estimate, line.se, line.df, &v->slope.low, &v->slope.high);
    }
    for (size_t k = 0; k < e->seeds; k++)
        for (size_t p = 0; p < points; p++)
            value[p * e->seeds + k] = e->verdict[k].y[p].estimate;
    v->drawn = sp_no_slope;
    sp_slope_fit(&s, v->counted, &v->drawn, NULL);
    free(value);
}

static void combine(const each_seed *e, const sp_runs *runs, sp_verdict *v)
{
    v->seeds = e->seeds;
    v->within = v->slope;
    for (size_t k = 0; k < e->seeds; k++)
        e->value[k] = e->verdict[k].exponent;
    v->exponent = gsl_stats_mean(e->value, 1, e->seeds);
    combine_slopes(e, &v->slope);
    v->spread = v->slope.se * sqrt((double)e->seeds);
    for (size_t k = 0; k < e->seeds; k++)
        for (size_t p = 0; p < v->curve.points; p++)
            v->counted[p] = v->counted[p] && e->verdict[k].counted[p];
    fit_seeds(e, runs, v);
    for (size_t p = 0; p < v->curve.points; p++)
        combine_point(e, p, v);
}

/* The seed that cannot be judged, and why, as the reason. */
static void name_seed(sp_verdict *v, const sp_verdict *trapped, size_t number)
{
    char reason[sizeof v->reason];
    memcpy(reason, trapped->reason, sizeof reason);
    sp_rule(v, trapped->kind, "seed %zu: %.900s", number, reason);
}

sp_status sp_verdict_measure(const sp_runs *runs, const sp_claim *claim, sp_verdict *v, sp_text *caps, sp_error *error)
{
    each_seed e = { .seeds = 1 };
    sp_status status = measure_seed(runs, claim, v, caps, error);
    for (const sp_runs *other = runs->next; other; other = other->next)
        e.seeds++;
    if (status != SP_OK || e.seeds == 1)
        return status;
    if (*v->reason) {
        name_seed(v, v, 1);
        return SP_OK;
    }
    e.verdict = sp_need(sp_alloc(e.seeds, sizeof *e.verdict));
    e.value = sp_need(sp_alloc_doubles(e.seeds));
    size_t k = 1;
    for (const sp_runs *other = runs->next; other && !*v->reason; other = other->next, k++) {
        sp_text theirs = { 0 };
        status = measure_seed(other, claim, &e.verdict[k], &theirs, error);
        sp_text_free(&theirs);
        SP_TRY(status);
        if (*e.verdict[k].reason)
            name_seed(v, &e.verdict[k], k + 1);
    }
    e.verdict[0] = *v;
    if (!*v->reason)
        combine(&e, runs, v);
cleanup:
    for (size_t i = 1; e.verdict && i < e.seeds; i++)
        sp_verdict_free(&e.verdict[i]);
    free(e.verdict);
    free(e.value);
    if (status != SP_OK)
        sp_verdict_free(v);
    return status;
}
