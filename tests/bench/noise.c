/* noise.c -- normal numbers against gsl_ran_gaussian on mt19937 and NumPy's ziggurat on PCG64, each on its own
 * processor clock; what the noise of one release costs, and batches.
 *
 *   bench_noise                  the figures, on the instruction set that STILLPOINT_ISA names
 *   bench_noise long [DRAWS]     the law at DRAWS draws (default 1e9: half a minute), of long steps and of steps as
 *                                short as a release at d = 10: p-values of chi-square over 4096 cells of [-8, 8], of
 *                                the variance, and of the counts beyond 3 to 6.5 deviations */
#include "core/numeric/isa.h"
#include "core/base/memory.h"
#include "core/numeric/normal.h"
#include "core/oracle/noise.h"
#include "tests/bench/peer.h"
#include "tests/private_problem.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>

enum { COUNT = 16384, ROUNDS = 41, D = 10, BATCH = 256 };

/* --- speed ------------------------------------------------------------------------------------------------------ */

typedef struct contenders {
    gsl_rng *mt19937, *noise;
    peer numpy;
    double v[COUNT];
} contenders;

static char script[] =
    "import sys, time\n"
    "try:\n"
    "    import numpy\n"
    "except ImportError:\n"
    "    sys.exit(77)\n"
    "stream, v = numpy.random.Generator(numpy.random.PCG64(1)), numpy.empty(int(sys.argv[1]))\n"
    "print('ready NumPy', numpy.__version__, flush=True)\n"
    "while words := sys.stdin.readline().split():\n"
    "    start = time.process_time()\n"
    "    for i in range(int(words[1])):\n"
    "        stream.standard_normal(out=v)\n"
    "    print(time.process_time() - start, flush=True)\n";

static bool numpy_open(peer *p)
{
    char count[32], option[] = "-c";
    char *words[] = { NULL, option, script, count, NULL };
    snprintf(count, sizeof count, "%d", COUNT);
    return peer_open(p, "NumPy", words);
}

static double numpy_run(void *context, size_t runs)
{
    return peer_seconds(&((contenders *)context)->numpy, "normal", runs);
}

static void gsl_run(void *context)
{
    contenders *d = context;
    for (size_t i = 0; i < COUNT; i++)
        d->v[i] = gsl_ran_gaussian(d->mt19937, 1.0);
}

static void ours_run(void *context)
{
    contenders *d = context;
    sp_noise_gaussian(d->noise, 1.0, COUNT, d->v);
}

static void release_run(void *context)
{
    contenders *d = context;
    sp_noise_gaussian(d->noise, 1.0, D, d->v);
}

static void gumbel_run(void *context)
{
    contenders *d = context;
    d->v[0] = sp_noise_gumbel(d->noise);
}

typedef struct batches {
    private_problem problem;
    sp_oracle *oracle;
    sp_sample sample;
} batches;

static void batch_run(void *context)
{
    batches *b = context;
    sp_batch batch;
    OK(b->oracle, sp_draw(b->oracle, b->sample, &batch));
}

static void batch_time(const char *figure, sp_sample sample, size_t n)
{
    batches b = { .sample = sample };
    private_problem_random(&b.problem, &sp_loss_logistic, 0.0, n, 1);
    b.oracle = private_oracle(&b.problem, private_tight, 1);
    bench_lap lap = { batch_run, NULL, &b, .work = BATCH };
    bench_race(&lap, 1, ROUNDS);
    bench_time(figure, 0.0, "ns", 1e9, &lap);
    sp_oracle_free(b.oracle);
    private_problem_free(&b.problem);
}

static void speed(void)
{
    static contenders d;
    d.mt19937 = gsl_rng_alloc(gsl_rng_mt19937);
    d.noise = sp_stream_open(sp_stream_key_of(1, "bench", 0, SP_STREAM_NOISE));
    const bool numpy = numpy_open(&d.numpy);
    bench_lap lap[] = {
        { ours_run, NULL, &d, .work = COUNT },   { gsl_run, NULL, &d, .work = COUNT },
        { release_run, NULL, &d },               { gumbel_run, NULL, &d },
        { NULL, numpy_run, &d, .work = COUNT },
    };
    fprintf(stderr, "instruction set: %s\n", sp_isa_name(sp_isa_in_use()));
    bench_race(lap, numpy ? 5 : 4, ROUNDS);
    bench_times("normal numbers / gsl_ran_gaussian on mt19937", 10.0, &lap[1], &lap[0]);
    if (numpy)
        bench_times("normal numbers / NumPy, ziggurat on PCG64", 3.5, &lap[4], &lap[0]);
    bench_time("normal number", 0.0, "ns", 1e9, &lap[0]);
    bench_time("noise of a release, d = 10", 0.0, "ns", 1e9, &lap[2]);
    bench_time("Gumbel number", 0.0, "ns", 1e9, &lap[3]);
    batch_time("record of a subset of 256 of 35,000", sp_subset(BATCH), 35000);
    batch_time("record of a subset of 256 of 581,012", sp_subset(BATCH), 581012);
    batch_time("record of a Poisson batch of 256 of 581,012", sp_poisson(BATCH / 581012.0), 581012);
    if (numpy)
        peer_close(&d.numpy);
    gsl_rng_free(d.mt19937);
    gsl_rng_free(d.noise);
}

/* --- law -------------------------------------------------------------------------------------------------------- */

enum { CELLS = 4096, TAILS = 8 };
static const double REACH = 8.0, P_LEAST = 1e-6, tail[TAILS] = { 3.0, 4.0, 5.0, 5.5, 5.75, 6.0, 6.25, 6.5 };

static double two_sided(double below, double above)
{
    return fmin(1.0, 2.0 * fmin(below, above));
}

/* The probability of [a, b], whichever side of 0 it is on. */
static double probability(double a, double b)
{
    return a >= 0.0 ? gsl_cdf_ugaussian_Q(a) - gsl_cdf_ugaussian_Q(b) : gsl_cdf_ugaussian_P(b) - gsl_cdf_ugaussian_P(a);
}

static void p_line(const char *steps, const char *what, double p)
{
    char figure[128];
    snprintf(figure, sizeof figure, "%s, %s", steps, what);
    bench_line(figure, BENCH_AT_LEAST, P_LEAST, "p", &p, 1);
}

/* Cells with fewer than 10 expected draws are counted as one. */
static double chi_square(const double *cell, double draws)
{
    double chi2 = 0.0, rest = draws, few = draws, freedom = 0.0;
    for (size_t i = 0; i < CELLS; i++) {
        const double width = 2.0 * REACH / CELLS, a = (double)i * width - REACH;
        const double expected = draws * probability(a, a + width);
        if (expected < 10.0)
            continue;
        chi2 += gsl_pow_2(cell[i] - expected) / expected;
        freedom += 1.0;
        few -= cell[i];
        rest -= expected;
    }
    chi2 += gsl_pow_2(few - rest) / rest;
    return two_sided(gsl_cdf_chisq_P(chi2, freedom), gsl_cdf_chisq_Q(chi2, freedom));
}

static void law(const char *steps, size_t length, double draws, uint64_t replicate)
{
    const sp_stream_key key = sp_stream_key_of(1, "bench law", replicate, SP_STREAM_NOISE);
    double *z = sp_alloc_doubles(length), *cell = sp_alloc_doubles(CELLS), squares = 0.0, largest = 0.0, drawn = 0.0;
    size_t beyond[2][TAILS] = { { 0 } };
    for (uint64_t step = 0; drawn < draws; step++, drawn += (double)length) {
        double sum = 0.0;
        memset(z, 0, length * sizeof *z);
        sp_normal_add(key, step, 0, length, 1.0, z);
        for (size_t i = 0; i < length; i++) {
            if (fabs(z[i]) < REACH)
                cell[(size_t)((z[i] + REACH) * (CELLS / (2.0 * REACH)))] += 1.0;
            sum += z[i] * z[i];
            for (size_t k = 0; k < TAILS && fabs(z[i]) > tail[k]; k++)
                beyond[z[i] > 0.0][k]++;
            largest = fmax(largest, fabs(z[i]));
        }
        squares += sum;
    }
    fprintf(stderr, "%s: %.4g draws, the largest is %.4f deviations\n", steps, drawn, largest);
    p_line(steps, "chi-square over the cells", chi_square(cell, drawn));
    const double deviation = (squares - drawn) / sqrt(2.0 * drawn);
    p_line(steps, "variance", two_sided(gsl_cdf_ugaussian_P(deviation), gsl_cdf_ugaussian_Q(deviation)));
    for (int side = 0; side < 2; side++)
        for (size_t k = 0; k < TAILS; k++) {
            const double expected = drawn * gsl_cdf_ugaussian_Q(tail[k]), seen = (double)beyond[side][k];
            char what[96];
            snprintf(what, sizeof what, "%s %s%.2f: %.0f of %.6g expected", side ? "above" : "below", side ? "" : "-",
                     tail[k], seen, expected); /* sums of Poisson terms are gamma functions */
            p_line(steps, what, two_sided(gsl_cdf_gamma_Q(expected, seen + 1.0, 1.0),
                                          seen > 0.0 ? gsl_cdf_gamma_P(expected, seen, 1.0) : 1.0));
        }
    free(z);
    free(cell);
}

int main(int count, char **words)
{
    bench_start(words);
    if (count > 1 && strcmp(words[1], "long") == 0) {
        const double draws = count > 2 ? strtod(words[2], NULL) : 1e9;
        law("long steps", (size_t)1 << 16, draws, 0);
        law("short steps", D, draws, 1);
    } else {
        speed();
    }
    return 0;
}
