/* pass.c -- passes over the records of a link loss: how near they come to what the memory gives, and to what BLAS and
 * the C library would take. Reading once: every double of X added up, in vectors of eight lanes. */
#include "core/base/memory.h"
#include "core/numeric/stream.h"
#include "core/data/read/catalogue.h"
#include "losses/engine/problem.h"
#include "tests/bench/bench.h"

#include <gsl/gsl_cblas.h>

enum { ROUNDS = 31, MANY = 64, BLOCK = 256, BATCH = 256, BATCHES = 512, D_MAX = 1000 };

extern const sp_loss sp_loss_logistic;

typedef struct passing {
    sp_dataset data;
    sp_problem problem;
    sp_workspace *workspace;
    double *w, *out, *margin, *packed; /* MANY x d each but the last two: n; BLOCK x d */
    const double *point[MANY];
    uint32_t *index; /* BATCHES x BATCH */
    size_t batch;
} passing;

/* The same numbers on every machine, without a stream: a Weyl sequence. */
static double uniform(void)
{
    static uint64_t state;
    state += UINT64_C(0x9e3779b97f4a7c15);
    return (double)(state >> 11) * 0x1p-53 - 0.5;
}

/* `data` becomes its own. */
static void passing_new(passing *p, const sp_dataset *data)
{
    const size_t n = data->n, d = data->d;
    *p = (passing){ .data = *data };
    p->problem = (sp_problem){ .loss = &sp_loss_logistic, .train = &p->data,
                               .domain = { SP_DOMAIN_SPACE, d, INFINITY, INFINITY },
                               .certified = { .radius = data->radius } };
    p->workspace = sp_workspace_new(&p->problem);
    p->w = sp_alloc_doubles(MANY * d);
    p->out = sp_alloc_doubles(MANY * d + d * d);
    p->margin = sp_alloc_doubles(n);
    p->packed = sp_alloc_doubles(BLOCK * d);
    p->index = sp_alloc(BATCHES * BATCH, sizeof *p->index);
    if (!p->workspace || !p->w || !p->out || !p->margin || !p->packed || !p->index)
        exit(1);
    for (size_t j = 0; j < MANY * d; j++)
        p->w[j] = uniform();
    for (size_t k = 0; k < MANY; k++)
        p->point[k] = p->w + k * d;
    for (size_t i = 0; i < BATCHES * BATCH; i++)
        p->index[i] = (uint32_t)((uniform() + 0.5) * (double)n);
}

static void passing_free(passing *p)
{
    sp_workspace_free(p->workspace);
    sp_dataset_free(&p->data);
    free(p->w);
    free(p->out);
    free(p->margin);
    free(p->packed);
    free(p->index);
}

static sp_dataset made(size_t n, size_t d)
{
    sp_dataset data;
    sp_error error = { .text = "" };
    if (sp_dataset_new(SP_STORE_DENSE, n, d, 0, true, true, &data, &error) != SP_OK)
        puts(error.text), exit(1);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < d; j++)
            sp_dataset_X(&data)[i * data.stride + j] = uniform();
        sp_dataset_y(&data)[i] = uniform() < 0.0 ? -1.0 : 1.0;
    }
    if (sp_dataset_seal(&data, sqrt((double)d), 1.0, &error) != SP_OK)
        puts(error.text), exit(1);
    return data;
}

/* --- contenders ------------------------------------------------------------------------------------------------- */

static volatile double sink;

static inline double read_loop(size_t n, const double *x)
{
    double lane[32] = { 0.0 }, sum = 0.0;
    for (size_t i = 0; i + 32 <= n; i += 32)
        for (size_t l = 0; l < 32; l++)
            lane[l] += x[i + l];
    for (size_t l = 0; l < 32; l++)
        sum += lane[l];
    return sum;
}
SP_KERNEL(double, read_on, (size_t n, const double *x), read_loop(n, x))

static void read_once(void *context)
{
    const passing *p = context;
    sink = read_on_pick()(p->data.n * p->data.stride, p->data.X);
}

static void gradient(void *context)
{
    passing *p = context;
    sp_problem_gradient(&p->problem, p->workspace, p->w, p->out);
}

static void clipped(void *context)
{
    passing *p = context;
    sp_data_query(&p->problem, p->workspace, (sp_rows){ NULL, 0 }, 1, &(sp_term){ 1.0, p->w }, 1.0, 1.0,
                  (double)p->data.n, p->out);
}

static void difference(void *context)
{
    passing *p = context;
    const sp_term term[] = { { 1.0, p->point[0] }, { -1.0, p->point[1] } };
    sp_data_query(&p->problem, p->workspace, (sp_rows){ NULL, 0 }, 2, term, 1.0, 1.0, (double)p->data.n, p->out);
}

static void many(void *context)
{
    passing *p = context;
    sp_problem_gradients(&p->problem, p->workspace, MANY, p->point, p->out);
}

static void batch(void *context)
{
    passing *p = context;
    const sp_rows rows = { p->index + p->batch++ % BATCHES * BATCH, BATCH };
    sp_data_query(&p->problem, p->workspace, rows, 1, &(sp_term){ 1.0, p->w }, 1.0, 1.0, BATCH, p->out);
}

static void hessian(void *context)
{
    passing *p = context;
    sp_problem_hessian(&p->problem, p->workspace, p->w, p->out);
}

/* margins by dgemv, slopes by the C library, their sum by dgemv: two reads of X */
static void blas_gradient(void *context)
{
    passing *p = context;
    const int n = (int)p->data.n, d = (int)p->data.d, stride = (int)p->data.stride;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, d, 1.0, p->data.X, stride, p->w, 1, 0.0, p->margin, 1);
    for (size_t i = 0; i < p->data.n; i++)
        p->margin[i] = -p->data.y[i] / (1.0 + exp(p->data.y[i] * p->margin[i]));
    cblas_dgemv(CblasRowMajor, CblasTrans, n, d, 1.0 / (double)n, p->data.X, stride, p->margin, 1, 0.0, p->out, 1);
}

/* rows times the root of their curvature, BLOCK at a time, then dsyrk */
static void blas_hessian(void *context)
{
    passing *p = context;
    const size_t n = p->data.n, d = p->data.d;
    memset(p->out, 0, d * d * sizeof *p->out);
    for (size_t first = 0; first < n; first += BLOCK) {
        const size_t count = n - first < BLOCK ? n - first : BLOCK;
        const double *X = p->data.X + first * p->data.stride;
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)count, (int)d, 1.0, X, (int)p->data.stride, p->w, 1, 0.0,
                    p->margin, 1);
        for (size_t i = 0; i < count; i++) {
            const double e = exp(-fabs(p->margin[i])), root = sqrt(e) / (1.0 + e);
            for (size_t j = 0; j < d; j++)
                p->packed[i * d + j] = root * X[i * p->data.stride + j];
        }
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)d, (int)count, 1.0 / (double)n, p->packed, (int)d, 1.0,
                    p->out, (int)d);
    }
}

/* --- figures ---------------------------------------------------------------------------------------------------- */

static void figure_read(size_t n, size_t d, double of_read, double of_blas)
{
    char text[128];
    sp_dataset data = made(n, d);
    passing p;
    passing_new(&p, &data);
    bench_lap lap[] = { { .run = read_once, .context = &p }, { .run = gradient, .context = &p },
                        { .run = clipped, .context = &p }, { .run = difference, .context = &p },
                        { .run = blas_gradient, .context = &p } };
    bench_race(lap, 5, ROUNDS);
    snprintf(text, sizeof text, "read X once / gradient, %zu x %zu", n, d);
    bench_times(text, of_read, &lap[0], &lap[1]);
    snprintf(text, sizeof text, "read X once / clipped gradient, %zu x %zu", n, d);
    bench_times(text, 0.0, &lap[0], &lap[2]);
    snprintf(text, sizeof text, "two clipped gradients / a clipped difference, %zu x %zu", n, d);
    for (size_t r = 0; r < ROUNDS; r++)
        lap[2].seconds[r] *= 2.0;
    bench_times(text, 0.0, &lap[2], &lap[3]);
    snprintf(text, sizeof text, "two dgemv + libm / gradient, %zu x %zu", n, d);
    bench_times(text, of_blas, &lap[4], &lap[1]);
    snprintf(text, sizeof text, "a record of a gradient, %zu x %zu", n, d);
    bench_time(text, 0.0, "ns", 1e9 / (double)n, &lap[1]);
    snprintf(text, sizeof text, "read X once, %zu x %zu", n, d);
    bench_rate(text, 0.0, "GB/s", 8e-9 * (double)(n * data.stride), &lap[0]);
    passing_free(&p);
}

/* goal: ns a record and point */
static void figure_many(size_t n, size_t d, double goal)
{
    char text[128];
    sp_dataset data = made(n, d);
    passing p;
    passing_new(&p, &data);
    bench_lap lap[] = { { .run = gradient, .context = &p }, { .run = many, .context = &p, .work = MANY } };
    bench_race(lap, 2, ROUNDS / 3);
    snprintf(text, sizeof text, "a gradient alone / one of %d, %zu x %zu", MANY, n, d);
    bench_times(text, 0.0, &lap[0], &lap[1]);
    snprintf(text, sizeof text, "a record at one of %d points, %zu x %zu", MANY, n, d);
    bench_time(text, goal, "ns", 1e9 / (double)n, &lap[1]);
    passing_free(&p);
}

static void figure_hessian(size_t n, size_t d, double goal)
{
    char text[128];
    sp_dataset data = made(n, d);
    passing p;
    passing_new(&p, &data);
    bench_lap lap[] = { { .run = blas_hessian, .context = &p }, { .run = hessian, .context = &p } };
    bench_race(lap, 2, ROUNDS / 2);
    snprintf(text, sizeof text, "blocked dsyrk / Hessian, %zu x %zu", n, d);
    bench_times(text, goal, &lap[0], &lap[1]);
    passing_free(&p);
}

/* goals: us, and ns a record */
static void figure_cached(size_t n, size_t d, double goal, double a_record)
{
    char text[128];
    sp_dataset data = made(n, d);
    passing p;
    passing_new(&p, &data);
    bench_lap lap[] = { { .run = gradient, .context = &p }, { .run = clipped, .context = &p } };
    bench_race(lap, 2, ROUNDS);
    snprintf(text, sizeof text, "gradient, %zu x %zu", n, d);
    bench_time(text, goal, "us", 1e6, &lap[0]);
    snprintf(text, sizeof text, "clipped gradient, %zu x %zu", n, d);
    bench_time(text, 0.0, "us", 1e6, &lap[1]);
    snprintf(text, sizeof text, "a record of a gradient, %zu x %zu", n, d);
    bench_time(text, a_record, "ns", 1e9 / (double)n, &lap[0]);
    passing_free(&p);
}

static void figure_batch(size_t n, size_t d)
{
    char text[128];
    sp_dataset data = made(n, d);
    passing p;
    passing_new(&p, &data);
    bench_lap lap[] = { { .run = read_once, .context = &p, .work = (double)n },
                        { .run = batch, .context = &p, .work = BATCH } };
    bench_race(lap, 2, ROUNDS);
    snprintf(text, sizeof text, "a row read in line / in a batch of %d, %zu x %zu", BATCH, n, d);
    bench_times(text, 0.0, &lap[0], &lap[1]);
    snprintf(text, sizeof text, "a row of a batch of %d, %zu x %zu", BATCH, n, d);
    bench_time(text, 0.0, "ns", 1e9, &lap[1]);
    passing_free(&p);
}

/* Covertype as an experiment has it: shuffled, normalised; dense, sparse, and in the storage that is chosen. */
static void figure_covertype(void)
{
    enum { DENSE, SPARSE, CHOSEN, WAYS };
    const sp_catalogue_entry *entry = sp_catalogue_find("covtype");
    sp_catalogue_entry stored;
    sp_error error = { .text = "" };
    sp_dataset raw, data, none;
    passing p[WAYS];
    if (sp_catalogue_present(entry, &error) != SP_OK) {
        bench_skip("%s", error.text);
        return;
    }
    for (int way = 0; way < WAYS; way++) {
        const sp_storage storage = way == DENSE ? SP_STORE_DENSE : SP_STORE_SPARSE;
        const sp_shape shape = { .normalise = SP_NORMALISE_L2, .choose = way == CHOSEN };
        gsl_rng *stream = sp_stream_open(sp_stream_key_of(2385, "covtype", 0, SP_STREAM_DATA));
        if (!stream || sp_catalogue_vary(entry, storage, NULL, NULL, &stored, &error) != SP_OK ||
            sp_catalogue_open(&stored, &raw, &error) != SP_OK ||
            sp_dataset_shape(&raw, &shape, stream, &data, &none, &error) != SP_OK)
            puts(error.text), exit(1);
        sp_dataset_free(&raw);
        gsl_rng_free(stream);
        passing_new(&p[way], &data);
    }
    bench_lap lap[] = { { .run = gradient, .context = &p[DENSE] }, { .run = gradient, .context = &p[SPARSE] },
                        { .run = gradient, .context = &p[CHOSEN] }, { .run = hessian, .context = &p[DENSE] },
                        { .run = hessian, .context = &p[SPARSE] }, { .run = hessian, .context = &p[CHOSEN] } };
    bench_race(lap, 6, ROUNDS / 2);
    bench_times("dense / one-hot gradient, Covertype", 2.8, &lap[0], &lap[2]);
    bench_times("sparse / one-hot gradient, Covertype", 0.0, &lap[1], &lap[2]);
    bench_time("a record of a gradient, one-hot, Covertype", 0.0, "ns", 1e9 / (double)entry->n, &lap[2]);
    bench_times("dense / one-hot Hessian, Covertype", 3.0, &lap[3], &lap[5]);
    bench_times("sparse / one-hot Hessian, Covertype", 0.0, &lap[4], &lap[5]);
    bench_time("a record of a Hessian, one-hot, Covertype", 0.0, "ns", 1e9 / (double)entry->n, &lap[5]);
    for (int way = 0; way < WAYS; way++)
        passing_free(&p[way]);
}

int main(int count, char **words)
{
    (void)count;
    bench_start(words);
    figure_read(1500000, 22, 0.95, 0.0);
    figure_read(581012, 54, 0.95, 2.7);
    figure_read(40000, D_MAX, 0.90, 1.8);
    figure_cached(1000, 10, 3.0, 0.0);
    figure_cached(16000, 54, 0.0, 0.0);
    figure_cached(35000, 22, 0.0, bench_on_intel(7.0));
    figure_many(581012, 54, 5.0);
    figure_many(20000, D_MAX, 0.0);
    figure_hessian(581012, 54, 2.2);
    figure_batch(35000, 22);
    figure_batch(581012, 54);
    figure_covertype();
    return 0;
}
