/* accounting.c -- how fast the accountants are. By hand, in a release build: cmake --build build --target bench &&
 * build/tests/bench_accounting. */
#include "core/privacy/accountant.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void report(const char *what, double seconds, double goal, double value)
{
    printf("%-52s %10.3g ms  goal %8.3g ms  %s  value %.8g\n", what, 1e3 * seconds, 1e3 * goal,
           seconds <= goal ? "ok  " : "SLOW", value);
}

/* The fastest of five: the others met something else on the machine. */
#define BEST_OF_FIVE(seconds, ...)                     \
    do {                                               \
        seconds = 1e9;                                 \
        for (int trial = 0; trial < 5; trial++) {      \
            const double start = now();                \
            __VA_ARGS__;                               \
            const double took = now() - start;         \
            seconds = took < seconds ? took : seconds; \
        }                                              \
    } while (0)

int main(void)
{
    gsl_set_error_handler_off();
    double seconds, value = 0.0;
    sp_bounds bounds = { 0 };
    sp_ledger ledger = { 0 };

    const sp_entry subset = { .kind = SP_LEDGER_GAUSS_WOR, .noise_multiplier = 1.0, .rate = 0.01, .count = 1000 };
    sp_ledger_append(&ledger, &subset);
    BEST_OF_FIVE(seconds, sp_calibrate_factor(NULL, &ledger, 1.0, 1e-6, &value, NULL));
    report("calibration, fixed-size", seconds, 0.15, value);

    sp_ledger_clear(&ledger);
    const sp_entry poisson = { .kind = SP_LEDGER_POISSON, .noise_multiplier = 1.0, .rate = 0.01, .count = 10000 };
    sp_ledger_append(&ledger, &poisson);
    BEST_OF_FIVE(seconds, sp_account(&ledger, SP_ADD_REMOVE, 1e-6, &bounds, NULL));
    report("Poisson, q = 0.01, T = 10^4 (6.9074 within 1e-3)", seconds, 0.05, bounds.best);

    sp_ledger_clear(&ledger);
    for (size_t i = 0; i < 100000; i++) {
        const double u = (double)((i * 7919) % 100000) / 1e5;
        sp_ledger_append(&ledger, &(sp_entry){ .kind = SP_LEDGER_GAUSS_WOR, .noise_multiplier = 2.0 + u,
                                               .rate = 1e-3 * (1.0 + 0.5 * u), .count = 1 });
    }
    BEST_OF_FIVE(seconds, sp_account(&ledger, SP_REPLACE_ONE, 1e-6, &bounds, NULL));
    report("10^5 different entries, every bound", seconds, 1.0, bounds.best);

    enum { APPENDS = 10000000 };
    sp_ledger_clear(&ledger);
    BEST_OF_FIVE(seconds, {
        for (size_t i = 0; i < APPENDS; i++) {
            const sp_entry e = { .kind = SP_LEDGER_GAUSS_WOR, .noise_multiplier = i % 10 == 0 ? 3.5 : 1.25,
                                 .rate = i % 10 == 0 ? 1.0 : 0.01, .count = 1 };
            sp_ledger_append(&ledger, &e);
        }
    });
    report("10^7 appends of recent entries", seconds, 1e-7 * APPENDS, (double)ledger.count);
    enum { NEW = 1000000 };
    BEST_OF_FIVE(seconds, {
        sp_ledger_clear(&ledger);
        for (size_t i = 0; i < NEW; i++)
            sp_ledger_append(&ledger, &(sp_entry){ .kind = SP_LEDGER_GAUSS, .noise_multiplier = 1.0 + (double)i,
                                                   .count = 1 });
    });
    report("10^6 appends of new entries", seconds, 1e-7 * NEW, (double)ledger.count);
    sp_ledger_free(&ledger);
    return 0;
}
