/* response.c -- chooses the worst member of a family and forms the response (response.h). */
#include "core/rates/response.h"

#include "core/base/memory.h"
#include "core/stats/inference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the worst member ---------------------------------------------------------------------------------------- */

/* The worst at point p by the tuning runs, unless half of the replicates are more; members of the curve: none. */
static size_t worst_when_tuned(const sp_runs *runs, const sp_claim *claim, const sp_curve *c, size_t p)
{
    const sp_table *t = &runs->tuning;
    const size_t worst = sp_table_column(t, "worst"), measure = sp_table_column(t, "measure");
    const size_t x = sp_table_axis(t, claim->x), replicates = sp_table_column(t, "replicates");
    if (worst == t->columns || measure == t->columns || x == t->columns || replicates == t->columns)
        return c->members;
    for (size_t row = 0; row < t->rows; row++) {
        if (!sp_runs_tunes(runs, claim->sweep, claim->algorithm, claim->where, claim->wheres, row) ||
            sp_table_number(t, row, x) != c->x[p] || strcmp(sp_table_text(t, row, measure), claim->y) != 0 ||
            !(2.0 * sp_table_number(t, row, replicates) >= (double)c->replicates))
            continue;
        for (size_t m = 0; m < c->members; m++)
            if (strcmp(sp_table_text(t, row, worst), c->member[m]) == 0)
                return m;
    }
    return c->members;
}

/* The member with the largest mean over the replicates of a parity (2: over all). */
static size_t worst_by_replicates(const sp_curve *c, size_t p, size_t parity)
{
    double largest = -INFINITY;
    size_t worst = 0;
    for (size_t m = 0; m < c->members; m++) {
        const double *value = c->value + (p * c->members + m) * c->replicates;
        double sum = 0.0;
        size_t count = 0;
        for (size_t r = 0; r < c->replicates; r++)
            if (isfinite(value[r]) && (parity == 2 || r % 2 == parity)) {
                sum += value[r];
                count++;
            }
        if (count > 0 && sum / (double)count > largest) {
            largest = sum / (double)count;
            worst = m;
        }
    }
    return worst;
}

/* For the replicates of each parity. */
static void choose(const sp_runs *runs, const sp_claim *claim, const sp_curve *c, size_t p, size_t chosen[2])
{
    const size_t tuned = claim->family ? worst_when_tuned(runs, claim, c, p) : 0;
    for (size_t parity = 0; parity < 2; parity++)
        chosen[parity] = tuned < c->members  ? tuned
                         : c->replicates > 1 ? worst_by_replicates(c, p, 1 - parity)
                                             : worst_by_replicates(c, p, 2);
}

/* --- what it is divided by ----------------------------------------------------------------------------------- */

/* Of "eta=0.5:theory steps=9:theory_capped:20" the value of a key; NAN: it is not there. */
static double resolved_value(const char *resolved, const char *key)
{
    const size_t length = strlen(key);
    for (const char *word = resolved; *word; word += strcspn(word, " "), word += strspn(word, " "))
        if (strncmp(word, key, length) == 0 && word[length] == '=')
            return strtod(word + length + 1, NULL);
    return NAN;
}

double sp_run_parameter(const sp_runs *runs, size_t row, const char *key)
{
    const sp_table *t = &runs->table;
    const size_t resolved = sp_table_column(t, "resolved"), axis = sp_runs_column(runs, key);
    const double value = resolved < t->columns ? resolved_value(sp_table_text(t, row, resolved), key) : NAN;
    return isnan(value) && axis < t->columns ? sp_table_number(t, row, axis) : value;
}

/* What y is divided by in one run; *missing: the parameter that it lacks. */
static double divisor_of(const sp_runs *runs, const sp_claim *claim, double x, size_t row, char **missing)
{
    double divisor = claim->log != 0.0 ? pow(log(x), claim->log) : 1.0;
    for (size_t i = 0; i < claim->pers; i++) {
        const double value = sp_run_parameter(runs, row, claim->per[i].key);
        double power = NAN;
        sp_read_number(claim->per[i].value, &power);
        if (!(value > 0.0) && !*missing)
            *missing = claim->per[i].key;
        divisor *= value > 0.0 ? pow(value, power) : NAN;
    }
    return divisor;
}

/* By replicate, of the cell whose first row this is. */
static void find_divisors(const sp_runs *runs, const sp_claim *claim, double x, size_t first, double *divisor,
                          char **missing)
{
    const sp_table *t = &runs->table;
    for (size_t row = first; row < t->rows && sp_runs_same_cell(runs, first, row); row++)
        divisor[(size_t)sp_table_number(t, row, runs->replicate)] = divisor_of(runs, claim, x, row, missing);
}

/* --- the whole ----------------------------------------------------------------------------------------------- */

static void fill_point(const sp_runs *runs, const sp_claim *claim, const sp_curve *c, size_t p, double *divisor,
                       sp_response *out)
{
    const size_t replicates = c->replicates, at = p * replicates;
    double *floor = out->value + at; /* room until it is subtracted */
    size_t chosen[2], row[2];
    choose(runs, claim, c, p, chosen);
    for (size_t k = 0; k < 2; k++)
        row[k] = c->row[p * c->members + chosen[k]];
    for (size_t r = 0; r < replicates; r++) {
        const size_t cell = p * c->members + chosen[r % 2];
        out->y[at + r] = c->value[cell * replicates + r];
        floor[r] = c->noise_free[cell * replicates + r];
    }
    out->floor[p] = sp_finite_mean(floor, NULL, replicates, NULL);
    double sum = 0.0;
    size_t count = 0;
    for (size_t k = 0; k < 2; k++) {
        for (size_t r = 0; r < replicates; r++)
            divisor[r] = NAN;
        if (row[k] < runs->table.rows)
            find_divisors(runs, claim, c->x[p], row[k], divisor, &out->missing);
        for (size_t r = k; r < replicates; r += 2) {
            const double without = isfinite(floor[r]) ? floor[r] : out->floor[p];
            const double private = claim->floor > 0.0 && c->private ? out->y[at + r] - without : out->y[at + r];
            out->value[at + r] = private / divisor[r];
            if (isfinite(divisor[r])) {
                sum += divisor[r];
                count++;
            }
        }
    }
    out->scale[p] = count ? sum / (double)count : NAN;
}

void sp_response_of(const sp_runs *runs, const sp_claim *claim, const sp_curve *c, sp_response *out)
{
    const size_t values = c->points * c->replicates + 1;
    double *divisor = sp_need(sp_alloc_doubles(c->replicates + 1));
    *out = (sp_response){ .points = c->points, .replicates = c->replicates, .y = sp_need(sp_alloc_doubles(values)),
                          .floor = sp_need(sp_alloc_doubles(c->points + 1)), .value = sp_need(sp_alloc_doubles(values)),
                          .scale = sp_need(sp_alloc_doubles(c->points + 1)) };
    for (size_t i = 0; i + 1 < values; i++)
        out->y[i] = out->value[i] = NAN;
    for (size_t p = 0; p < c->points; p++) {
        out->floor[p] = out->scale[p] = NAN;
        if (!claim->alpha)
            fill_point(runs, claim, c, p, divisor, out);
    }
    free(divisor);
}

void sp_response_free(sp_response *r)
{
    free(r->y);
    free(r->floor);
    free(r->value);
    free(r->scale);
    *r = (sp_response){ 0 };
}

sp_status sp_series_worst(const sp_runs *runs, const sp_selection *s, const char *family, sp_series *out,
                          sp_error *error)
{
    static char sup[] = "sup", infinity[] = "infinity";
    sp_status status = SP_OK;
    const sp_claim claim = { .sweep = (char *)s->sweep, .algorithm = (char *)s->label, .y = (char *)s->y,
                             .x = (char *)s->x, .mode = sup, .family = (char *)family, .toward = infinity,
                             .where = (sp_axis_value *)s->where, .wheres = s->wheres };
    sp_curve curve = { 0 };
    sp_response response = { 0 };
    *out = (sp_series){ .label = s->label };
    SP_TRY(sp_curve_gather(runs, &claim, s->place, &curve, error));
    out->mean = sp_need(sp_alloc(curve.points + 1, sizeof *out->mean));
    sp_response_of(runs, &claim, &curve, &response);
    for (size_t p = 0; p < curve.points; p++)
        out->mean[p] = sp_mean_t(response.y + p * curve.replicates, curve.replicates, 0.95);
    out->points = curve.points;
    out->replicates = curve.replicates;
    out->row = runs->table.rows;
    for (size_t cell = 0; cell < curve.points * curve.members && out->row == runs->table.rows; cell++)
        out->row = curve.row[cell];
    out->x = curve.x;
    out->value = response.value;
    curve.x = response.value = NULL;
cleanup:
    sp_response_free(&response);
    sp_curve_free(&curve);
    if (status != SP_OK)
        sp_series_free(out);
    return status;
}
