/* score.c -- computes the scores of score.h. */
#include "core/contest/score.h"

#include "core/base/memory.h"
#include "core/numeric/stream.h"

#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double level_95 = 0.95, least_left = 1e-9;

/* --- near the best --------------------------------------------------------------------------------------------- */

sp_interval sp_over_problems(const sp_board *b, const double *value)
{
    double *mean = sp_need(sp_alloc_doubles(b->problems + 1)), *count = sp_need(sp_alloc_doubles(b->problems + 1));
    for (size_t t = 0; t < b->tasks; t++)
        if (!isnan(value[t])) {
            mean[b->problem[t]] += value[t];
            count[b->problem[t]] += 1.0;
        }
    for (size_t p = 0; p < b->problems; p++)
        mean[p] /= count[p]; /* 0/0: no task, left out */
    const sp_interval interval = sp_mean_t(mean, b->problems, level_95);
    free(mean);
    free(count);
    return interval;
}

/* The ratios of one label: shares of all tasks, and the interquartile mean; sorts them. NAN: not played. */
static void near_best(double *ratio, size_t tasks, double out[3])
{
    size_t played = 0, best = 0, near = 0;
    for (size_t t = 0; t < tasks; t++)
        if (!isnan(ratio[t])) {
            best += ratio[t] <= 1.0;
            near += ratio[t] <= 2.0;
            ratio[played++] = ratio[t];
        }
    gsl_sort(ratio, 1, played);
    const size_t cut = played / 4;
    double sum = 0.0;
    for (size_t i = cut; i < played - cut; i++)
        sum += ratio[i];
    out[0] = (double)best / (double)tasks;
    out[1] = (double)near / (double)tasks;
    out[2] = sum / (double)(played - 2 * cut);
}

gsl_rng *sp_score_stream(const sp_runs *runs, const char *measure)
{
    char *name = sp_need(sp_format("score\t%s", measure));
    gsl_rng *stream = sp_need(sp_stream_open(sp_stream_key_of(runs->seed, name, 0, SP_STREAM_BOOTSTRAP)));
    free(name);
    return stream;
}

static void find_near(const sp_board *b, gsl_rng *stream, sp_label_score *score)
{
    size_t *drawn = sp_need(sp_alloc(b->replicates + 1, sizeof *drawn));
    double *ratio = sp_need(sp_alloc_doubles(b->labels * b->tasks + 1));
    double *sample = sp_need(sp_alloc_doubles(b->labels * 3 * SP_RESAMPLES + 1)); /* labels x 3 x SP_RESAMPLES */
    double out[3];
    for (size_t again = 0; again < SP_RESAMPLES; again++) {
        sp_board_draw(b, stream, drawn, ratio);
        for (size_t l = 0; l < b->labels; l++) {
            near_best(ratio + l * b->tasks, b->tasks, out);
            for (size_t i = 0; i < 3; i++)
                sample[(l * 3 + i) * SP_RESAMPLES + again] = out[i];
        }
    }
    memcpy(ratio, b->ratio, b->labels * b->tasks * sizeof *ratio);
    for (size_t l = 0; l < b->labels; l++) {
        sp_interval *const into[3] = { &score[l].best, &score[l].near, &score[l].middle };
        near_best(ratio + l * b->tasks, b->tasks, out);
        for (size_t i = 0; i < 3; i++) {
            double *mine = sample + (l * 3 + i) * SP_RESAMPLES;
            *into[i] = (sp_interval){ out[i], NAN, NAN, score[l].tasks };
            gsl_sort(mine, 1, SP_RESAMPLES); /* order statistics: an infinity has its place */
            into[i]->low = mine[(size_t)(0.025 * SP_RESAMPLES)];
            into[i]->high = mine[(size_t)(0.975 * SP_RESAMPLES) - 1];
        }
    }
    free(drawn);
    free(ratio);
    free(sample);
}

/* --- rank and improvement ---------------------------------------------------------------------------------------- */

/* P(a run of a is better than one of b) + P(equal) / 2; NAN: there are no runs. */
static double chance_to_beat(const sp_board *b, size_t a, size_t other)
{
    const double *x = b->value + a * b->replicates, *y = b->value + other * b->replicates;
    double won = 0.0;
    for (size_t i = 0; i < b->runs[a]; i++)
        for (size_t j = 0; j < b->runs[other]; j++)
            won += x[i] < y[j] ? 1.0 : x[i] > y[j] ? 0.0 : 0.5;
    return won / ((double)b->runs[a] * (double)b->runs[other]);
}

/* rank[tasks] of a label; adds the chances to beat the others, and of how many. */
static void place(const sp_board *b, size_t l, double *rank, double *chances, double *others)
{
    for (size_t t = 0; t < b->tasks; t++) {
        const size_t cell = sp_board_at(b, l, t);
        double before = 0.0, players = 0.0;
        rank[t] = NAN;
        if (!sp_board_plays(b, l, t))
            continue;
        for (size_t o = 0; o < b->labels; o++) {
            if (o == l || !sp_board_plays(b, o, t))
                continue;
            const double mine = b->mean[cell], theirs = b->mean[sp_board_at(b, o, t)];
            before += theirs < mine ? 1.0 : theirs > mine ? 0.0 : 0.5;
            players += 1.0;
            *chances += chance_to_beat(b, cell, sp_board_at(b, o, t));
        }
        *others += players;
        rank[t] = before / players; /* 0/0: alone */
    }
}

void sp_score_all(const sp_board *b, gsl_rng *stream, sp_label_score *score)
{
    double *rank = sp_need(sp_alloc_doubles(b->tasks + 1));
    bool *met = sp_need(sp_alloc(b->problems + 1, sizeof *met));
    for (size_t l = 0; l < b->labels; l++) {
        double chances = 0.0, others = 0.0;
        score[l] = (sp_label_score){ 0 };
        memset(met, 0, b->problems * sizeof *met);
        for (size_t t = 0; t < b->tasks; t++) {
            const bool plays = sp_board_plays(b, l, t);
            score[l].tasks += plays;
            score[l].problems += plays && !met[b->problem[t]];
            met[b->problem[t]] |= plays;
            score[l].failed += b->failed[sp_board_at(b, l, t)];
        }
        place(b, l, rank, &chances, &others);
        score[l].improvement = chances / others;
        score[l].rank = sp_over_problems(b, rank);
    }
    find_near(b, stream, score);
    free(rank);
    free(met);
}

void sp_score_ranks(const sp_board *b, sp_interval *rank)
{
    double *value = sp_need(sp_alloc_doubles(b->tasks + 1));
    for (size_t l = 0; l < b->labels; l++) {
        double chances = 0.0, others = 0.0;
        place(b, l, value, &chances, &others);
        rank[l] = sp_over_problems(b, value);
    }
    free(value);
}

/* --- who beats whom ---------------------------------------------------------------------------------------------- */

/* Of both labels at each problem, NAN where they do not meet. */
static void meet(const sp_board *b, const size_t label[2], double *value[2], double *count)
{
    for (size_t p = 0; p < b->problems; p++)
        value[0][p] = value[1][p] = count[p] = 0.0;
    for (size_t t = 0; t < b->tasks; t++) {
        if (!sp_board_plays(b, label[0], t) || !sp_board_plays(b, label[1], t))
            continue;
        for (size_t i = 0; i < 2; i++)
            value[i][b->problem[t]] += log(b->ratio[sp_board_at(b, label[i], t)]);
        count[b->problem[t]] += 1.0;
    }
    for (size_t p = 0; p < b->problems; p++)
        for (size_t i = 0; i < 2; i++)
            value[i][p] = exp(value[i][p] / count[p]);
}

/* Room for one meeting after the other. */
typedef struct meetings {
    double *value[2], *count, *room;
    sp_paired **all; /* pairs that were made, whose p-values are adjusted together */
    size_t found;
} meetings;

static void meetings_begin(const sp_board *b, size_t pairs, meetings *m)
{
    *m = (meetings){ .value = { sp_need(sp_alloc_doubles(b->problems + 1)),
                                sp_need(sp_alloc_doubles(b->problems + 1)) },
                     .count = sp_need(sp_alloc_doubles(b->problems + 1)),
                     .room = sp_need(sp_alloc_doubles(2 * b->problems + 1)),
                     .all = sp_need(sp_alloc(pairs + 1, sizeof *m->all)) };
}

static void meetings_end(meetings *m)
{
    free(m->value[0]);
    free(m->value[1]);
    free(m->count);
    free(m->room);
    free(m->all);
}

static void hold(const sp_board *b, size_t one, size_t other, double margin, meetings *m, sp_paired *pair)
{
    meet(b, (size_t[]){ one, other }, m->value, m->count);
    m->all[m->found++] = pair;
    *pair = sp_pair(m->value[0], m->value[1], b->problems, true, margin, m->room);
}

void sp_dominance_all(const sp_board *b, double margin, sp_dominance *out)
{
    meetings m;
    meetings_begin(b, b->labels * (b->labels - 1) / 2, &m);
    for (size_t i = 0; i < b->labels * b->labels; i++)
        out[i] = (sp_dominance){ .order = SP_TOO_FEW };
    for (size_t i = 0; i < b->labels; i++)
        for (size_t j = i + 1; j < b->labels; j++)
            hold(b, i, j, margin, &m, &out[i * b->labels + j].pair);
    sp_paired_adjust(m.all, m.found);
    for (size_t i = 0; i < b->labels; i++)
        for (size_t j = i + 1; j < b->labels; j++) { /* and the other way round */
            sp_dominance *d = &out[i * b->labels + j], *e = &out[j * b->labels + i];
            *e = *d;
            e->pair.estimate = (sp_interval){ 1.0 / d->pair.estimate.estimate, 1.0 / d->pair.estimate.high,
                                              1.0 / d->pair.estimate.low, d->pair.estimate.count };
            e->pair.log_ratio = -d->pair.log_ratio;
            e->pair.all.side = -d->pair.all.side;
            e->pair.finite.side = -d->pair.finite.side;
            e->pair.improvement = 1.0 - d->pair.improvement;
            d->order = sp_order_of(&d->pair.all, d->pair.p_equivalent, true);
            e->order = sp_order_of(&e->pair.all, e->pair.p_equivalent, true);
        }
    meetings_end(&m);
}

void sp_dominance_row(const sp_board *b, size_t a, double margin, sp_dominance *out)
{
    meetings m;
    meetings_begin(b, b->labels, &m);
    for (size_t l = 0; l < b->labels; l++) {
        out[l] = (sp_dominance){ .order = SP_TOO_FEW };
        if (l != a)
            hold(b, a, l, margin, &m, &out[l].pair);
    }
    sp_paired_adjust(m.all, m.found);
    for (size_t l = 0; l < b->labels; l++)
        if (l != a)
            out[l].order = sp_order_of(&out[l].pair.all, out[l].pair.p_equivalent, true);
    meetings_end(&m);
}

size_t sp_dominance_tests(const sp_board *b, size_t a, const sp_dominance *all)
{
    size_t tests = 0;
    for (size_t i = 0; i < b->labels; i++)
        for (size_t j = a < b->labels ? 0 : i + 1; j < b->labels; j++)
            tests += (a == b->labels || i == a) && i != j && !isnan(all[i * b->labels + j].pair.all.p);
    return tests;
}

/* --- rank against tuning budget ----------------------------------------------------------------------------------- */

/* The medians of a grid, ascending; a point that failed is infinite. */
typedef struct grid {
    double *median;
    size_t points;
} grid;

static void read_grid(const char *text, grid *g)
{
    size_t fields = 1;
    for (const char *c = text; *c; c++)
        fields += *c == ' ';
    *g = (grid){ .median = sp_need(sp_alloc_doubles(fields)) };
    for (const char *at = text; *at;) {
        char *end;
        const double value = strtod(at, &end);
        g->median[g->points++] = end == at || isnan(value) ? INFINITY : value;
        at = strchr(at, ' ') ? strchr(at, ' ') + 1 : "";
    }
    gsl_sort(g->median, 1, g->points);
}

/* The label's row of tuning.tsv at a task, by this measure; tuning.rows: there is none. */
static size_t find_search(const sp_runs *runs, size_t row, const char *measure)
{
    const sp_table *t = &runs->tuning, *all = &runs->table;
    const size_t sweep = sp_table_column(t, "sweep"), label = sp_table_column(t, "label");
    const size_t by = sp_table_column(t, "measure");
    for (size_t i = 0; i < t->rows; i++) {
        bool same = strcmp(sp_table_text(t, i, sweep), sp_table_text(all, row, runs->sweep)) == 0 &&
                    strcmp(sp_table_text(t, i, label), sp_table_text(all, row, runs->label)) == 0 &&
                    strcmp(sp_table_text(t, i, by), measure) == 0;
        for (size_t c = 0; c < t->columns && same; c++) {
            const size_t column = sp_is_problem_axis(t->column[c]) ? sp_table_column(all, t->column[c]) : all->columns;
            same = column == all->columns || strcmp(sp_table_text(t, i, c), sp_table_text(all, row, column)) == 0;
        }
        if (same)
            return i;
    }
    return t->rows;
}

/* Chance that the least of k of the points is the i-th. */
static double chance_of(size_t points, size_t k, size_t i)
{
    const size_t drawn = k < points ? k : points;
    return points - 1 - i < drawn - 1 ? 0.0
                                      : gsl_sf_choose((unsigned)(points - 1 - i), (unsigned)(drawn - 1)) /
                                            gsl_sf_choose((unsigned)points, (unsigned)drawn);
}

/* P(the least of k points of b is below that of k points of a) + P(equal) / 2. */
static double chance_before(const grid *a, const grid *b, size_t k)
{
    double chance = 0.0;
    for (size_t i = 0; i < a->points; i++)
        for (size_t j = 0; j < b->points; j++)
            chance += chance_of(a->points, k, i) * chance_of(b->points, k, j) *
                      (b->median[j] < a->median[i] ? 1.0 : b->median[j] > a->median[i] ? 0.0 : 0.5);
    return chance;
}

void sp_search_ranks(const sp_runs *runs, const sp_board *b, const char *measure, size_t k, sp_interval *rank)
{
    const size_t cells = b->labels * b->tasks, medians = sp_table_column(&runs->tuning, "medians");
    grid *search = sp_need(sp_alloc(cells + 1, sizeof *search));
    double *value = sp_need(sp_alloc_doubles(b->tasks + 1));
    for (size_t cell = 0; cell < cells && medians < runs->tuning.columns; cell++) {
        const size_t row = b->row[cell] < runs->table.rows ? find_search(runs, b->row[cell], measure)
                                                           : runs->tuning.rows;
        if (row < runs->tuning.rows)
            read_grid(sp_table_text(&runs->tuning, row, medians), &search[cell]);
    }
    for (size_t l = 0; l < b->labels; l++) {
        for (size_t t = 0; t < b->tasks; t++) {
            const grid *mine = &search[sp_board_at(b, l, t)];
            double before = 0.0, others = 0.0;
            for (size_t o = 0; o < b->labels && mine->points > 0; o++) {
                const grid *theirs = &search[sp_board_at(b, o, t)];
                if (o == l || theirs->points == 0)
                    continue;
                before += chance_before(mine, theirs, k);
                others += 1.0;
            }
            value[t] = before / others; /* 0/0: no search, or alone */
        }
        rank[l] = sp_over_problems(b, value);
    }
    for (size_t cell = 0; cell < cells; cell++)
        free(search[cell].median);
    free(search);
    free(value);
}

size_t sp_search_points(const sp_runs *runs, const sp_board *b, const char *measure, size_t k[SP_SEARCHES])
{
    static const size_t few[SP_SEARCHES - 1] = { 1, 3, 9 };
    const size_t medians = sp_table_column(&runs->tuning, "medians");
    size_t largest = 0, count = SP_SEARCHES - 1;
    for (size_t cell = 0; cell < b->labels * b->tasks && medians < runs->tuning.columns; cell++) {
        const size_t row = b->row[cell] < runs->table.rows ? find_search(runs, b->row[cell], measure)
                                                           : runs->tuning.rows;
        size_t points = row < runs->tuning.rows ? 1 : 0;
        for (const char *c = points ? sp_table_text(&runs->tuning, row, medians) : ""; *c; c++)
            points += *c == ' ';
        largest = points > largest ? points : largest;
    }
    memcpy(k, few, sizeof few);
    if (largest > few[SP_SEARCHES - 2])
        k[count++] = largest;
    return count;
}

/* --- what is left, and its price --------------------------------------------------------------------------------- */

/* log of the mean over the runs of a cell: of y over its value at the start, and of the calls. y, start: columns */
static void price_of(const sp_runs *runs, const sp_board *b, size_t cell, size_t y, size_t start, double *left,
                     double *calls)
{
    double before = 0.0, asked = 0.0;
    for (size_t row = b->row[cell]; row < runs->table.rows && sp_runs_same_cell(runs, b->row[cell], row); row++)
        if (!isnan(sp_runs_value(runs, row, y, true))) {
            before += sp_table_number(&runs->table, row, start);
            asked += sp_oracle_calls(&runs->table, row);
        }
    *left = isnan(before) ? NAN : log(fmax(b->mean[cell] / (before / (double)b->runs[cell]), least_left));
    *calls = asked > 0.0 ? log(asked / (double)b->runs[cell]) : NAN;
}

size_t sp_utility_budgets(const sp_runs *runs, const sp_board *b, const char **text)
{
    const sp_table *t = &runs->table;
    const size_t column = sp_runs_column(runs, "privacy.epsilon");
    size_t found = 0;
    for (size_t cell = 0; cell < b->labels * b->tasks && column < t->columns; cell++) {
        const size_t row = b->row[cell];
        size_t k = 0;
        if (row == t->rows || sp_table_empty(t, row, column))
            continue;
        while (k < found && strcmp(text[k], sp_table_text(t, row, column)) != 0)
            k++;
        if (k == found)
            text[found++] = sp_table_text(t, row, column);
    }
    return found;
}

sp_status sp_utility_at(const sp_runs *runs, const sp_board *b, const char *measure, const char *epsilon,
                        sp_utility *out, sp_error *error)
{
    sp_status status = SP_OK;
    const sp_table *t = &runs->table;
    const size_t start = sp_runs_start_column(runs, measure), y = sp_table_column(t, measure);
    const size_t budget = sp_runs_column(runs, "privacy.epsilon");
    double *left = sp_need(sp_alloc_doubles(b->tasks + 1)), *calls = sp_need(sp_alloc_doubles(b->tasks + 1));
    if (start == t->columns)
        SP_TRY(sp_fail(error, SP_EINVAL, "runs.tsv has no column start.%s", measure));
    for (size_t l = 0; l < b->labels; l++) {
        for (size_t k = 0; k < b->tasks; k++) {
            const size_t cell = sp_board_at(b, l, k);
            left[k] = calls[k] = NAN;
            if (isfinite(b->mean[cell]) && budget < t->columns &&
                strcmp(sp_table_text(t, b->row[cell], budget), epsilon) == 0)
                price_of(runs, b, cell, y, start, &left[k], &calls[k]);
        }
        const sp_interval price = sp_over_problems(b, calls);
        out[l].left = sp_over_problems(b, left);
        out[l].left = (sp_interval){ exp(out[l].left.estimate), exp(out[l].left.low), exp(out[l].left.high),
                                     out[l].left.count };
        out[l].calls = exp(price.estimate);
    }
cleanup:
    free(left);
    free(calls);
    return status;
}
