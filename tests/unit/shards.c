/* shards.c -- the parts of a plan: every run is in one part, tuned points are whole, parts are even, also in time. */
#include "core/sweep/selection.h"
#include "core/cluster/shards.h"
#include "core/store/store.h"
#include "tests/check.h"
#include "tests/experiment.h"

#include <math.h>

static const sp_balance by_size = { 0 };

static const char experiment[] =
    "return { seed = 1, replicates = 5, tuning_replicates = 2, measures = { 'grad_norm' },"
    " problem = { loss = 'pseudo_huber', data = 'signs', n = { 100, 200, 400 }, d = 3 },"
    " privacy = { epsilon = { 1, 2 }, delta = 1e-6 },"
    " sweeps = {"
    "  one = { algorithms = { { 'dp_gd', steps = { 3, 4 } }, { 'gd', steps = 9 } } },"
    "  two = { replicates = 8, algorithms = { { 'gd', steps = 9 },"
    "          { 'dp_gd', label = 'tuned', tune = { eta = { times = { 0.3, 1, 3 } } } },"
    "          { 'dp_gd', label = 'borrows', tune = 'tuned', privacy = { noise = 'off' } } } } } }";

enum { RUNS_MAX = 1000 };

/* How many parts have each run, by its name; tuning runs and pending ones by the text that they have now. */
typedef struct counted {
    char name[RUNS_MAX][SP_HASH_HEX];
    size_t times[RUNS_MAX], count;
} counted;

static void count(counted *all, const sp_cell *cell, size_t cells)
{
    for (size_t i = 0; i < cells; i++)
        for (size_t r = cell[i].first; !cell[i].left_out && !cell[i].skip && r < cell[i].first + cell[i].replicates;
             r++) {
            char name[SP_HASH_HEX];
            size_t k = 0;
            sp_run_identity(&cell[i], r, name);
            while (k < all->count && strcmp(all->name[k], name) != 0)
                k++;
            if (k == all->count && k < RUNS_MAX)
                memcpy(all->name[all->count++], name, sizeof name);
            all->times[k]++;
        }
}

static void count_plan(counted *all, const sp_plan *plan)
{
    count(all, plan->cell, plan->cells);
    count(all, plan->base, plan->bases);
    count(all, plan->trial, plan->trials);
}

static void every_run_is_in_one_part(void)
{
    static counted whole, parts;
    static const size_t of[] = { 1, 2, 7, 40, 1000 };
    sp_plan plan;
    char part[SP_HASH_HEX];
    CHECK_EQUAL(load_text(experiment, "default", &plan, NULL), SP_OK);
    count_plan(&whole, &plan);
    sp_plan_free(&plan);
    for (size_t n = 0; n < sizeof of / sizeof *of; n++) {
        parts = (counted){ .count = 0 };
        for (size_t k = 1; k <= of[n]; k++) {
            CHECK_EQUAL(load_text(experiment, "default", &plan, NULL), SP_OK);
            CHECK_EQUAL(sp_plan_shard(&plan, (sp_shard){ k, of[n] }, &by_size, part, NULL), SP_OK);
            count_plan(&parts, &plan);
            for (size_t i = 0; i < plan.tunings; i++) { /* whole, with who borrows from it */
                const sp_tuning *t = &plan.tuning[i];
                CHECK_EQUAL(plan.cell[t->cell].left_out, plan.cell[plan.tuning[t->from].cell].left_out);
                for (size_t g = 0; g < t->members * t->points; g++)
                    CHECK_EQUAL(plan.trial[t->trial + g].left_out, plan.cell[t->cell].left_out);
            }
            sp_plan_free(&plan);
        }
        CHECK_EQUAL(parts.count, whole.count);
        for (size_t i = 0; i < parts.count; i++) {
            size_t k = 0;
            while (k < whole.count && strcmp(whole.name[k], parts.name[i]) != 0)
                k++;
            SP_CHECK_REPORT(k < whole.count && parts.times[i] == whole.times[k],
                            "%zu parts: run %.12s is there %zu times, in the plan %zu times", of[n], parts.name[i],
                            parts.times[i], whole.times[k]);
        }
    }
}

typedef struct load {
    size_t runs[8];
} load;

static void add(void *context, const sp_piece_of_plan *piece)
{
    load *l = context;
    if (piece->task >= 1 && piece->task <= 8)
        l->runs[piece->task - 1] += piece->runs;
    else
        CHECK(false);
}

static void parts_are_even(void)
{
    sp_plan plan;
    load l = { { 0 } };
    size_t sum = 0;
    CHECK_EQUAL(load_text("return { seed = 1, replicates = 999, measures = { 'grad_norm' }, privacy = 'none',"
                          " problem = { loss = 'pseudo_huber', data = 'signs', n = 100, d = 3 },"
                          " algorithms = { { 'gd', steps = { 3, 4, 5 } } } }", "default", &plan, NULL), SP_OK);
    CHECK_EQUAL(sp_shards_walk(&plan, 8, &by_size, add, &l, NULL), SP_OK);
    for (size_t i = 0; i < 8; i++) {
        CHECK(l.runs[i] == 2997 / 8 || l.runs[i] == 2997 / 8 + 1);
        sum += l.runs[i];
    }
    CHECK_EQUAL(sum, 2997);
    sp_plan_free(&plan);
}

/* --- before and after grids are searched ------------------------------------------------------------------------- */

typedef struct tasks_of {
    size_t task[RUNS_MAX]; /* by piece, in the order of cells and replicates */
    size_t pieces, runs;
} tasks_of;

static void note_task(void *context, const sp_piece_of_plan *piece)
{
    enum { REPLICATES = 20 };
    tasks_of *all = context;
    const size_t at = piece->cell->index * REPLICATES + piece->replicate;
    if (piece->replicate < REPLICATES && at < RUNS_MAX)
        all->task[at] = piece->task;
    else
        CHECK(false);
    all->pieces++;
    all->runs += piece->runs;
}

/* The winners of grids change the texts of cells, and a grid without a winner has its cells skipped: the parts stay. */
static void parts_stay_when_winners_are_known(void)
{
    static const char tuned[] =
        "return { seed = 1, replicates = 5, tuning_replicates = 2, measures = { 'grad_norm' }, privacy = 'none',"
        " problem = { loss = 'pseudo_huber', data = 'signs', n = { 100, 200 }, d = 3 }, algorithms = {"
        "  { 'gd', label = 'a', steps = 3, tune = { eta = { 0.1, 0.3, 1 } } },"
        "  { 'gd', label = 'b', steps = 4, tune = { eta = { 0.1, 0.3, 3 } } },"
        "  { 'gd', label = 'c', steps = 5, tune = { eta = { 0.2, 0.3, 1 } } },"
        "  { 'gd', label = 'borrows', steps = 6, tune = 'c' }, { 'gd', label = 'plain', steps = 7 } } }";
    static tasks_of before, after;
    static const size_t winner[] = { 2, 0, 1 }; /* of a, b, c: their order by text is another then */
    sp_plan plan;
    CHECK_EQUAL(load_text(tuned, "default", &plan, NULL), SP_OK);
    for (size_t of = 1; of <= 20; of++) {
        before = after = (tasks_of){ .pieces = 0 };
        sp_plan_free(&plan);
        CHECK_EQUAL(load_text(tuned, "default", &plan, NULL), SP_OK);
        CHECK_EQUAL(sp_shards_walk(&plan, of, &by_size, note_task, &before, NULL), SP_OK);
        for (size_t i = 0; i < plan.tunings; i++) {
            sp_tuning *t = &plan.tuning[i];
            const char *label = plan.cell[plan.tuning[t->from].cell].label;
            t->winner = winner[label[0] - 'a'];
            if (i % 2 == 0)
                CHECK_EQUAL(sp_tuning_resolve_cell(&plan, t, 0, NULL), SP_OK);
            else
                CHECK_EQUAL(sp_tuning_skip(&plan, t, "no winner", NULL), SP_OK);
        }
        CHECK_EQUAL(sp_shards_walk(&plan, of, &by_size, note_task, &after, NULL), SP_OK);
        CHECK_EQUAL(before.pieces, 2 * (3 + 5));
        CHECK_EQUAL(before.runs, 2 * (3 * (5 + 3 * 2) + 5 + 5));
        CHECK_EQUAL(after.runs, before.runs);
        SP_CHECK_REPORT(memcmp(before.task, after.task, sizeof before.task) == 0, "%zu parts: cut otherwise", of);
    }
    sp_plan_free(&plan);
}

/* --- by time ------------------------------------------------------------------------------------------------------ */

static const char fast_and_slow[] =
    "return { seed = 1, replicates = 300, measures = { 'grad_norm' }, privacy = 'none',"
    " problem = { loss = 'pseudo_huber', data = 'signs', n = { 1600, 8000 }, d = 10 },"
    " algorithms = { { 'gd', label = 'fast' }, { 'gd', label = 'slow', steps = 9 }, { 'gd', label = 'new', steps = 7 } "
    "} }";

/* fast: 2 ms and slow: 50 ms at n d / 16 = 1000, of ten runs and of thirty. */
static void write_timings(const char *slow)
{
    FILE *out = fopen("balance.tsv", "w");
    CHECK(out && fprintf(out, "sweep\tlabel\truns\tseconds\tsize\n-\tslow\t30\t%s\t2000\nmain\tfast\t10\t0.002\t2000\n"
                              "main\tslow\t30\t%s\t2000\n", slow, slow) > 0);
    if (out)
        fclose(out);
}

enum { PARTS_MAX = 40 };

/* The order of pieces does not depend on timings: a part is what lies between two places in it. */
typedef struct parts {
    sp_hash hash[PARTS_MAX + 1];
    size_t first[PARTS_MAX + 1], runs[PARTS_MAX + 1], pieces;
} parts;

static void add_piece(void *context, const sp_piece_of_plan *piece)
{
    parts *p = context;
    sp_part_add(&p->hash[piece->task], piece);
    p->first[piece->task] = p->runs[piece->task] == 0 ? p->pieces : p->first[piece->task];
    p->runs[piece->task] += piece->runs;
    p->pieces++;
}

typedef struct cut_part {
    char digest[SP_HASH_HEX];
    size_t number, of, first, runs;
} cut_part;

static bool same_part(const cut_part *a, const cut_part *b)
{
    return a->number == b->number && a->of == b->of && a->first == b->first && a->runs == b->runs;
}

/* A part has one digest however it is made, and another one than every part with other runs. */
static void parts_have_digests(void)
{
    static const char *const timings[] = { NULL, "0.05", "0.1", "0.0001" };
    static cut_part all[400];
    size_t count = 0, same = 0;
    for (size_t b = 0; b < sizeof timings / sizeof *timings; b++)
        for (size_t of = 1; of <= PARTS_MAX; of += 13) {
            sp_plan plan;
            sp_balance balance;
            parts p = { .pieces = 0 };
            if (timings[b])
                write_timings(timings[b]);
            CHECK_EQUAL(sp_balance_read(".", &balance, NULL), SP_OK);
            CHECK_EQUAL(load_text(fast_and_slow, "default", &plan, NULL), SP_OK);
            for (size_t k = 1; k <= of; k++)
                sp_part_start(&p.hash[k], &plan, (sp_shard){ k, of });
            CHECK_EQUAL(sp_shards_walk(&plan, of, &balance, add_piece, &p, NULL), SP_OK);
            sp_plan_free(&plan);
            for (size_t k = 1; k <= of; k++) {
                char walked[SP_HASH_HEX];
                cut_part *new = &all[count];
                *new = (cut_part){ .number = k, .of = of, .first = p.first[k], .runs = p.runs[k] };
                sp_hash_end_hex(&p.hash[k], walked);
                CHECK_EQUAL(load_text(fast_and_slow, "default", &plan, NULL), SP_OK);
                CHECK_EQUAL(sp_plan_shard(&plan, (sp_shard){ k, of }, &balance, new->digest, NULL), SP_OK);
                CHECK_TEXT(new->digest, walked);
                CHECK_EQUAL(plan.runs, new->runs);
                for (size_t i = 0; i < count; i++) {
                    CHECK_EQUAL(strcmp(all[i].digest, new->digest) == 0, same_part(&all[i], new));
                    same += same_part(&all[i], new);
                }
                sp_plan_free(&plan);
                count++;
            }
            sp_balance_free(&balance);
        }
    CHECK_EQUAL(remove("balance.tsv"), 0);
    CHECK(same >= 6 && same < count); /* one part of one has all runs, by whatever timings */
}

typedef struct time_of {
    double seconds[7], most;
} time_of;

/* What write_timings says, and 0.3 ms a run; `new` is taken for the mean of all sixty by size. */
static void add_time(void *context, const sp_piece_of_plan *piece)
{
    time_of *t = context;
    const double size = 1000.0 + (double)piece->cell->problem->n * 10.0 / 16.0;
    const double mean = strcmp(piece->cell->label, "fast") == 0   ? 0.002
                        : strcmp(piece->cell->label, "slow") == 0 ? 0.05
                                                                  : (10 * 0.002 + 60 * 0.05) / 70;
    const double seconds = 3e-4 + mean * size / 2000;
    t->seconds[piece->task - 1] += seconds;
    t->most = seconds > t->most ? seconds : t->most;
}

static void parts_take_equal_times(void)
{
    sp_plan plan;
    sp_balance b;
    sp_error error = { 0 };
    time_of t = { { 0 }, 0 };
    double all = 0.0;
    CHECK_EQUAL(load_text(fast_and_slow, "default", &plan, NULL), SP_OK);
    write_timings("0.05");
    CHECK_EQUAL(sp_balance_read(".", &b, NULL), SP_OK);
    CHECK_EQUAL(b.timings, 3);
    CHECK_EQUAL(sp_shards_walk(&plan, 7, &b, add_time, &t, NULL), SP_OK);
    for (size_t k = 0; k < 7; k++)
        all += t.seconds[k];
    for (size_t k = 0; k < 7; k++) /* a part ends within one run of where it should; microseconds are cut off */
        SP_CHECK_REPORT(fabs(t.seconds[k] - all / 7) <= t.most + 2e-6 * 1800, "part %zu: %g s of %g", k + 1,
                        t.seconds[k], all);
    sp_balance_free(&b);

    static const char *const bad[] = { "-1", "inf", "soon", "-" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_timings(bad[i]);
        CHECK_EQUAL(sp_balance_read(".", &b, &error), SP_EDATA);
        SP_CHECK_REPORT(strstr(error.text, "balance.tsv:2: ") && strstr(error.text, bad[i]), "%s", error.text);
        CHECK(b.timings == 0 && !b.timing);
    }
    CHECK_EQUAL(remove("balance.tsv"), 0);
    CHECK_EQUAL(sp_balance_read(".", &b, NULL), SP_OK); /* no file: sizes */
    CHECK(b.timings == 0 && !b.kept);
    CHECK_EQUAL(sp_balance_weight(&b, &plan.cell[0]), 1000 + 1600 * 10 / 16);
    sp_plan_free(&plan);
}

/* Two replicates of one cell count as one timing, failed runs and cells without any as none. */
static void timings_come_from_stored_runs(void)
{
    sp_plan plan;
    sp_store *store;
    sp_balance measured, again;
    double took = 0.25;
    CHECK_EQUAL(load_text(fast_and_slow, "default", &plan, NULL), SP_OK);
    CHECK_EQUAL(sp_store_open("store", &store, NULL), SP_OK);
    for (size_t i = 0; i < plan.cells; i++) {
        const sp_cell *cell = &plan.cell[i];
        const bool fails = strcmp(cell->label, "new") == 0;
        for (size_t r = 0; r < 2; r++, took *= 2.0) {
            sp_result result = { .status = fails ? SP_ELIMIT : SP_OK, .elapsed = took, .resolved = "", .ledger = "" };
            if (strcmp(cell->label, "slow") != 0 || cell->problem->n < 5000)
                CHECK_EQUAL(sp_store_put(store, cell, r, &result, NULL), SP_OK);
        }
    }
    CHECK_EQUAL(sp_balance_measure(&plan, store, &measured, NULL), SP_OK);
    CHECK_EQUAL(measured.timings, 2);
    CHECK_TEXT(measured.timing[0].label, "fast");
    CHECK_EQUAL(measured.timing[0].runs, 2);
    CHECK(measured.timing[0].size == 1000 + (1600 + 8000) * 10 / 16 / 2);
    CHECK_TEXT(measured.timing[1].label, "slow");
    CHECK_EQUAL(measured.timing[1].runs, 1);
    CHECK(measured.timing[1].size == 2000);
    CHECK_EQUAL(sp_balance_write(&measured, "shards", NULL), SP_OK);
    CHECK_EQUAL(sp_balance_read("shards", &again, NULL), SP_OK);
    CHECK(again.kept);
    for (size_t i = 0; i < plan.cells; i++) /* the same parts from the file */
        CHECK_EQUAL(sp_balance_weight(&measured, &plan.cell[i]), sp_balance_weight(&again, &plan.cell[i]));
    sp_balance_free(&measured);
    sp_balance_free(&again);
    sp_store_close(store);
    sp_plan_free(&plan);
}

static void names(void)
{
    static const char *const bad[] = { "", "0/0", "0/7", "8/7", "-1/7", "1", "/7", "1/", "1.5/7", "1/7x", " 1/7",
                                       "1/9999999" };
    sp_shard s;
    CHECK_EQUAL(sp_shard_read("17/200", &s, NULL), SP_OK);
    CHECK(s.number == 17 && s.of == 200);
    char *whole = sp_shard_name(s, false), *part = sp_shard_name(s, true);
    CHECK_TEXT(whole, "017-of-200.sqlite");
    CHECK_TEXT(part, "017-of-200.part.sqlite");
    free(whole);
    free(part);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sp_error error = { 0 };
        CHECK_EQUAL(sp_shard_read(bad[i], &s, &error), SP_EINVAL);
        CHECK(strstr(error.text, "K/N") != NULL);
    }
}

int main(void)
{
    char folder[64];
    if (enter_folder(folder) != 0)
        return 1;
    every_run_is_in_one_part();
    parts_are_even();
    parts_stay_when_winners_are_known();
    parts_have_digests();
    parts_take_equal_times();
    timings_come_from_stored_runs();
    names();
    leave_folder(folder);
    return sp_check_done();
}
