/* bench.h -- speed in figures that one run of one program makes: contenders take turns, round by round, so that
 * whatever else the machine does meets all of them, and a figure is its median over the rounds, between its quartiles.
 *
 * A bench prints one line per figure, tab-separated: figure, goal, median, first and third quartile, unit, verdict
 * ("met", "missed", "-" where there is no goal). Remarks go to the standard error. tests/bench/all.sh runs all
 * benches. */
#ifndef SP_TESTS_BENCH_H
#define SP_TESTS_BENCH_H

#include "core/numeric/pin.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { BENCH_ROUNDS = 41 };     /* at most */
static const double BENCH_TURN = 2e-2; /* seconds that a turn takes at least: until the caches are the contender's */

typedef struct bench_lap {
    void (*run)(void *context);
    double (*timed)(void *context, size_t runs); /* instead of `run`: makes so many; the seconds that they took */
    void *context;
    double work;    /* what one run does, in whatever unit the figure speaks of; 0 stands for 1 */
    size_t turn;    /* runs a turn; 0: found by the race */
    size_t rounds;
    double seconds[BENCH_ROUNDS]; /* of a unit of work, round by round */
} bench_lap;

/* As the program itself starts: pinned kernels, one thread. */
static inline void bench_start(char **words)
{
    sp_pin(words, NULL);
    gsl_set_error_handler_off();
}

/* Of the processor in this process: what other programs take from the machine does not count. */
static inline double bench_processor(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of the processor in this process and in those that it has waited for. */
static inline double bench_processors(void)
{
    double seconds = 0.0;
    for (int who = RUSAGE_CHILDREN; who <= RUSAGE_SELF; who++) { /* -1, 0 */
        struct rusage used;
        getrusage(who, &used);
        seconds += (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                   1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    }
    return seconds;
}

/* On the clock on the wall: where several processes work, or wait. */
static inline double bench_wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double bench_turn(const bench_lap *lap, size_t runs)
{
    if (lap->timed)
        return lap->timed(lap->context, runs);
    const double start = bench_processor();
    for (size_t i = 0; i < runs; i++)
        lap->run(lap->context);
    return bench_processor() - start;
}

static inline void bench_race(bench_lap *lap, size_t laps, size_t rounds)
{
    for (size_t i = 0; i < laps; i++) { /* also warms up */
        lap[i].rounds = rounds;
        for (size_t runs = 1; lap[i].turn == 0; runs *= 2)
            if (bench_turn(&lap[i], runs) >= BENCH_TURN)
                lap[i].turn = runs;
    }
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < laps; i++)
            lap[i].seconds[round] = bench_turn(&lap[i], lap[i].turn) / (double)lap[i].turn /
                                    (lap[i].work > 0.0 ? lap[i].work : 1.0);
}

static inline int bench_ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A goal that was set for processors of one maker alone; on others there is none. */
static inline double bench_on_intel(double goal)
{
#if defined(__x86_64__)
    return __builtin_cpu_is("intel") ? goal : 0.0;
#else
    return 0.0;
#endif
}

typedef enum { BENCH_AT_LEAST, BENCH_AT_MOST } bench_side;

/* The line of a figure whose value each round is value[0 .. rounds - 1]; goal 0: there is none. */
static inline void bench_line(const char *figure, bench_side side, double goal, const char *unit, const double *value,
                              size_t rounds)
{
    double sorted[BENCH_ROUNDS];
    memcpy(sorted, value, rounds * sizeof *sorted);
    qsort(sorted, rounds, sizeof *sorted, bench_ascending);
    const double median = sorted[rounds / 2];
    const int met = side == BENCH_AT_LEAST ? median >= goal : median <= goal;
    printf("%s\t", figure);
    if (goal > 0.0)
        printf("%s %.4g", side == BENCH_AT_LEAST ? ">=" : "<=", goal);
    printf("\t%.4g\t%.4g\t%.4g\t%s\t%s\n", median, sorted[rounds / 4], sorted[rounds - 1 - rounds / 4], unit,
           goal > 0.0 ? met ? "met" : "missed" : "-");
    fflush(stdout);
}

/* How many times as long the first takes as the second, a unit of work: at least `goal`. */
static inline void bench_times(const char *figure, double goal, const bench_lap *slow, const bench_lap *fast)
{
    double ratio[BENCH_ROUNDS];
    for (size_t round = 0; round < fast->rounds; round++)
        ratio[round] = slow->seconds[round] / fast->seconds[round];
    bench_line(figure, BENCH_AT_LEAST, goal, "times", ratio, fast->rounds);
}

/* How long a unit of work takes, at most `goal`: `scale` of the unit "ns" is 1e9. */
static inline void bench_time(const char *figure, double goal, const char *unit, double scale, const bench_lap *lap)
{
    double value[BENCH_ROUNDS];
    for (size_t round = 0; round < lap->rounds; round++)
        value[round] = lap->seconds[round] * scale;
    bench_line(figure, BENCH_AT_MOST, goal, unit, value, lap->rounds);
}

/* How much work a second, at least `goal`. */
static inline void bench_rate(const char *figure, double goal, const char *unit, double scale, const bench_lap *lap)
{
    double value[BENCH_ROUNDS];
    for (size_t round = 0; round < lap->rounds; round++)
        value[round] = scale / lap->seconds[round];
    bench_line(figure, BENCH_AT_LEAST, goal, unit, value, lap->rounds);
}

/* What was meant to be measured and is not. */
__attribute__((format(printf, 1, 2))) static inline void bench_skip(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("skipped: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

#endif
