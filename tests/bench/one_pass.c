/* one_pass.c -- does phased_sgd take time linear in the number n of records? Whole private runs on the hinge, n from
 * 10^4 to 10^7 in 10 dimensions; the exponent is the slope of log time against log n, by least squares, each round. */
#include "tests/bench/bench.h"
#include "tests/trial.h"

enum { SIZES = 4, D = 10, ROUNDS = 5 };

static void pass(void *context)
{
    const sp_algorithm *a = sp_algorithm_find("phased_sgd");
    const sp_values values = trial_values(a, "");
    trial_run run = { .seed = 1 };
    trial_go(a, &values, context, trial_private(1.0, 1e-6), &run);
    CHECK_EQUAL(run.status, SP_OK);
    trial_end(&run);
}

int main(int count, char **words)
{
    static const size_t n[SIZES] = { 10000, 100000, 1000000, 10000000 };
    static trial_problem problem[SIZES];
    bench_lap lap[SIZES];
    double exponent[ROUNDS], mean = 0.0, square = 0.0;
    (void)count;
    bench_start(words);
    for (size_t i = 0; i < SIZES; i++) {
        if (!trial_make("hinge", n[i], D, 1.0, false, &problem[i]))
            return sp_check_done();
        lap[i] = (bench_lap){ .run = pass, .context = &problem[i], .work = (double)n[i] };
        mean += log((double)n[i]) / SIZES;
    }
    bench_race(lap, SIZES, ROUNDS);
    for (size_t i = 0; i < SIZES; i++) {
        char figure[64];
        snprintf(figure, sizeof figure, "phased_sgd, d = %d: a record of %zu", D, n[i]);
        bench_time(figure, 0.0, "ns", 1e9, &lap[i]);
        square += pow(log((double)n[i]) - mean, 2);
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        exponent[round] = 0.0;
        for (size_t i = 0; i < SIZES; i++)
            exponent[round] += (log((double)n[i]) - mean) / square * log(lap[i].seconds[round] * lap[i].work);
    }
    bench_line("phased_sgd: exponent of n in its time, 10^4 to 10^7 records", BENCH_AT_MOST, 1.15, "", exponent,
               ROUNDS);
    for (size_t i = 0; i < SIZES; i++)
        trial_drop(&problem[i]);
    return sp_check_done();
}
