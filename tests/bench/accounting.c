/* accounting.c -- how fast the accountants are, and the ledger that they read. */
#include "core/accountant/accountant.h"
#include "tests/bench/bench.h"

enum { ENTRIES = 100000, APPENDS = 10000000, NEW = 1000000, ROUNDS = 5 };

static void calibrate(void *context)
{
    double factor;
    sp_calibrate_factor(NULL, context, 1.0, 1e-6, &factor, NULL);
}

static void account_add_remove(void *context)
{
    sp_bounds bounds;
    sp_account(context, SP_ADD_REMOVE, 1e-6, &bounds, NULL);
}

static void account(void *context)
{
    sp_bounds bounds;
    sp_account(context, SP_REPLACE_ONE, 1e-6, &bounds, NULL);
}

static void append_recent(void *context)
{
    sp_ledger_clear(context);
    for (size_t i = 0; i < APPENDS; i++) {
        const bool other = i % 10 == 0;
        sp_ledger_append(context, &(sp_entry){ .kind = SP_LEDGER_GAUSS_WOR, .noise_multiplier = other ? 3.5 : 1.25,
                                               .rate = other ? 1.0 : 0.01, .count = 1 });
    }
}

static void append_new(void *context)
{
    sp_ledger_clear(context);
    for (size_t i = 0; i < NEW; i++)
        sp_ledger_append(context, &(sp_entry){ .kind = SP_LEDGER_GAUSS, .noise_multiplier = 1.0 + (double)i,
                                               .count = 1 });
}

static void fill_different(sp_ledger *ledger)
{
    for (size_t i = 0; i < ENTRIES; i++) {
        const double u = (double)(i * 7919 % ENTRIES) / ENTRIES;
        sp_ledger_append(ledger, &(sp_entry){ .kind = SP_LEDGER_GAUSS_WOR, .noise_multiplier = 2.0 + u,
                                              .rate = 1e-3 * (1.0 + 0.5 * u), .count = 1 });
    }
}

int main(int count, char **words)
{
    (void)count;
    bench_start(words);
    sp_ledger fixed = { 0 }, poisson = { 0 }, different = { 0 }, appended = { 0 };
    sp_ledger_append(&fixed, &(sp_entry){ .kind = SP_LEDGER_GAUSS_WOR, .noise_multiplier = 1.0, .rate = 0.01,
                                          .count = 1000 });
    sp_ledger_append(&poisson, &(sp_entry){ .kind = SP_LEDGER_POISSON, .noise_multiplier = 1.0, .rate = 0.01,
                                            .count = 10000 });
    fill_different(&different);
    bench_lap lap[] = {
        { .run = calibrate, .context = &fixed },
        { .run = account_add_remove, .context = &poisson },
        { .run = account, .context = &different },
        { .run = append_recent, .context = &appended, .work = APPENDS },
        { .run = append_new, .context = &appended, .work = NEW },
    };
    bench_race(lap, sizeof lap / sizeof *lap, ROUNDS);
    bench_time("calibration, fixed-size subsets", 150.0, "ms", 1e3, &lap[0]);
    bench_time("Poisson, q = 0.01, T = 10^4, every bound", 50.0, "ms", 1e3, &lap[1]);
    bench_time("10^5 different entries, every bound", 1000.0, "ms", 1e3, &lap[2]);
    bench_time("append of a recent entry", 100.0, "ns", 1e9, &lap[3]);
    bench_time("append of a new entry", 100.0, "ns", 1e9, &lap[4]);
    sp_ledger_free(&fixed);
    sp_ledger_free(&poisson);
    sp_ledger_free(&different);
    sp_ledger_free(&appended);
    return 0;
}
