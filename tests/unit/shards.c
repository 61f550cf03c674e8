/* shards.c -- the parts of a plan: every run is in one part, tuned points are whole, parts are even. */
#include "core/sweep/selection.h"
#include "core/sweep/shards.h"
#include "core/store/store.h"
#include "tests/check.h"
#include "tests/experiment.h"

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
        for (size_t r = cell[i].first; !cell[i].left_out && !cell[i].skip && r < cell[i].first + cell[i].replicates; r++) {
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
    CHECK_EQUAL(load_text(experiment, "default", &plan, NULL), SP_OK);
    count_plan(&whole, &plan);
    sp_plan_free(&plan);
    for (size_t n = 0; n < sizeof of / sizeof *of; n++) {
        parts = (counted){ .count = 0 };
        for (size_t k = 1; k <= of[n]; k++) {
            CHECK_EQUAL(load_text(experiment, "default", &plan, NULL), SP_OK);
            CHECK_EQUAL(sp_plan_shard(&plan, (sp_shard){ k, of[n] }, NULL), SP_OK);
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
    CHECK_EQUAL(sp_shards_walk(&plan, 8, add, &l, NULL), SP_OK);
    for (size_t i = 0; i < 8; i++) {
        CHECK(l.runs[i] == 2997 / 8 || l.runs[i] == 2997 / 8 + 1);
        sum += l.runs[i];
    }
    CHECK_EQUAL(sum, 2997);
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
    names();
    leave_folder(folder);
    return sp_check_done();
}
