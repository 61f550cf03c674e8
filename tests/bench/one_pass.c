/* one_pass.c -- how does the time of the methods in Table 1 of Bassily, Guzman & Menart 2021 grow with the number n of
 * records? Whole private runs by theory in 10 dimensions, up to 10^7 records where the method takes each once, up to
 * 10^5 where it comes back; the exponent is the slope of log time against log n, by least squares, each round. Only
 * phased_sgd's time is said to be nearly linear and is bound to a goal. */
#include "tests/bench/bench.h"
#include "tests/trial.h"

enum { SIZES = 4, D = 10, ROUNDS = 5 };

typedef struct method {
    const char *name, *loss, *words; /* words: its parameters */
    sp_domain_kind domain;
    double least, most, goal; /* n from least to most; goal: the exponent at most, 0: none */
} method;

typedef struct instance {
    const method *method;
    trial_problem problem;
} instance;

static void pass(void *context)
{
    const instance *i = context;
    const sp_algorithm *a = sp_algorithm_find(i->method->name);
    const sp_values values = trial_values(a, i->method->words);
    trial_run run = { .seed = 1 };
    trial_go(a, &values, &i->problem, trial_private(1.0, 1e-6), &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s: %s", i->method->name, run.message);
    trial_end(&run);
}

static bool time_method(const method *m)
{
    static instance made[SIZES];
    bench_lap lap[SIZES];
    double exponent[ROUNDS], log_n[SIZES], mean = 0.0, square = 0.0;
    char figure[96];
    for (size_t i = 0; i < SIZES; i++) {
        const size_t n = (size_t)round(m->least * pow(m->most / m->least, (double)i / (SIZES - 1)));
        const sp_domain domain = { m->domain, D, 1.0, 1.0 };
        made[i].method = m;
        if (!trial_make_on(domain, m->loss, n, false, &made[i].problem))
            return false;
        lap[i] = (bench_lap){ .run = pass, .context = &made[i], .work = (double)n };
        log_n[i] = log((double)n);
        mean += log_n[i] / SIZES;
    }
    bench_race(lap, SIZES, ROUNDS);
    for (size_t i = 0; i < SIZES; i++) {
        snprintf(figure, sizeof figure, "%s, d = %d: a record of %.0f", m->name, D, lap[i].work);
        bench_time(figure, 0.0, "ns", 1e9, &lap[i]);
        square += pow(log_n[i] - mean, 2);
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        exponent[round] = 0.0;
        for (size_t i = 0; i < SIZES; i++)
            exponent[round] += (log_n[i] - mean) / square * log(lap[i].seconds[round] * lap[i].work);
    }
    snprintf(figure, sizeof figure, "%s: exponent of n in its time, %.3g to %.3g records", m->name, m->least, m->most);
    bench_line(figure, BENCH_AT_MOST, m->goal, "", exponent, ROUNDS);
    for (size_t i = 0; i < SIZES; i++)
        trial_drop(&made[i].problem);
    return true;
}

int main(int count, char **words)
{
    static const method methods[] = {
        { "phased_sgd", "hinge", "", SP_DOMAIN_L2_BALL, 1e4, 1e7, 1.15 },
        { "noisy_fw", "hinge", "parameters=theory", SP_DOMAIN_L1_BALL, 1e3, 1e5, 0.0 },
        { "poly_sfw", "logistic", "parameters=theory", SP_DOMAIN_L1_BALL, 1e5, 1e7, 0.0 },
        { "nsfw", "logistic", "parameters=theory", SP_DOMAIN_L2_BALL, 1e5, 1e7, 0.0 },
        { "prox_md", "robust_phase_retrieval", "", SP_DOMAIN_L2_BALL, 1e3, 1e5, 0.0 },
    };
    (void)count;
    bench_start(words);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!time_method(&methods[i]))
            break;
    return sp_check_done();
}
