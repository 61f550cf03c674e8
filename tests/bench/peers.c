/* peers.c -- steps of DP-GD and DP-SGD (draw, clipped gradient, charge, noise, update) against the same in NumPy, which
 * peers.py says as well as it can; DP-SGD against PyTorch and Opacus too (peers_torch.py), where they are. Both sides
 * first have to agree on gradients; then they take turns, each on its own processor clock. */
#include "tests/bench/peer.h"
#include "tests/bench/shaped.h"

#include <gsl/gsl_cblas.h>

enum { BATCH = 256, AHEAD = 1 << 30 };
static const double ETA = 0.1, AGREEMENT = 1e-12;

typedef struct descent {
    private_problem problem;
    sp_oracle *oracle;
    double multiplier[2]; /* of a subset, of all records */
    double w[64], g[64];
    peer peer;
} descent;

/* --- a Python process -------------------------------------------------------------------------------------------- */

static void write_records(const sp_dataset *data, const char *path)
{
    FILE *file = fopen(path, "wb");
    const size_t cells = data->n * data->stride;
    CHECK(file && fwrite(data->X, sizeof *data->X, cells, file) == cells &&
          fwrite(data->y, sizeof *data->y, data->n, file) == data->n && fclose(file) == 0);
}

/* `kind` is behind the numbers, NULL: nothing is. */
static bool open_peer(descent *s, const char *need, char *script, char *kind)
{
    const sp_dataset *data = &s->problem.data;
    const double clip = s->problem.problem.declared.L_data;
    char path[] = "/tmp/stillpoint-bench-XXXXXX", number[7][32];
    const int file = mkstemp(path);
    if (file < 0)
        return false;
    close(file);
    write_records(data, path);
    snprintf(number[0], sizeof number[0], "%zu", data->n);
    snprintf(number[1], sizeof number[1], "%zu", data->d);
    snprintf(number[2], sizeof number[2], "%zu", data->stride);
    snprintf(number[3], sizeof number[3], "%d", BATCH);
    snprintf(number[4], sizeof number[4], "%.17g", clip);
    snprintf(number[5], sizeof number[5], "%.17g", ETA);
    snprintf(number[6], sizeof number[6], "%.17g", s->multiplier[0] * 2.0 * clip / BATCH);
    char *words[] = { NULL,      script,    path,      number[0], number[1], number[2],
                      number[3], number[4], number[5], number[6], kind, NULL };
    const bool ready = peer_open(&s->peer, need, words);
    unlink(path);
    return ready;
}

/* index NULL: all records */
static void peer_gradient(const peer *p, size_t d, const double *w, const uint32_t *index, double *out)
{
    fputs(index ? "batch\n" : "full\n", p->to);
    fwrite(w, sizeof *w, d, p->to);
    if (index)
        fwrite(index, sizeof *index, BATCH, p->to);
    fflush(p->to);
    CHECK_EQUAL(fread(out, sizeof *out, d, p->from), d);
}

/* --- ours ------------------------------------------------------------------------------------------------------- */

static void step(descent *s, sp_sample sample, double multiplier)
{
    sp_batch batch;
    OK(s->oracle, sp_draw(s->oracle, sample, &batch));
    OK(s->oracle, sp_gradient(s->oracle, &SP_AT(batch, s->w), multiplier, s->g));
    cblas_daxpy((int)s->problem.data.d, -ETA, s->g, 1, s->w, 1);
}

static void our_sgd(void *context)
{
    descent *s = context;
    step(s, sp_subset(BATCH), s->multiplier[0]);
}

static void our_gd(void *context)
{
    descent *s = context;
    step(s, sp_full(), s->multiplier[1]);
}

static double peer_sgd(void *context, size_t runs)
{
    return peer_seconds(&((descent *)context)->peer, "sgd", runs);
}

static double peer_gathered(void *context, size_t runs)
{
    return peer_seconds(&((descent *)context)->peer, "gathered", runs);
}

static double numpy_plain_gd(void *context, size_t runs)
{
    return peer_seconds(&((descent *)context)->peer, "plain_gd", runs);
}

static double numpy_gd(void *context, size_t runs)
{
    return peer_seconds(&((descent *)context)->peer, "gd", runs);
}

/* The largest difference between the two sides' gradients, as a part of the largest entry. */
static double disagreement(descent *s, const uint32_t *index)
{
    const sp_problem *p = &s->problem.problem;
    const size_t d = s->problem.data.d;
    const double m = index ? BATCH : (double)s->problem.data.n, clip = p->declared.L_data;
    double theirs[64], most = 0.0, largest = 0.0;
    sp_workspace *space = sp_workspace_new(p);
    for (size_t j = 0; j < d; j++)
        s->w[j] = 3.0 * cos(1.0 + (double)j);
    sp_data_query(p, space, (sp_rows){ index, index ? BATCH : 0 }, 1, &(sp_term){ 1.0, s->w }, clip, clip, m, s->g);
    peer_gradient(&s->peer, d, s->w, index, theirs);
    for (size_t j = 0; j < d; j++) {
        most = fmax(most, fabs(s->g[j] - theirs[j]));
        largest = fmax(largest, fabs(theirs[j]));
    }
    sp_workspace_free(space);
    return most / largest;
}

static bool agree(descent *s, bool full, double agreement)
{
    uint32_t index[BATCH];
    for (size_t i = 0; i < BATCH; i++)
        index[i] = (uint32_t)((i * 7919 + 13) % s->problem.data.n);
    const double batch = disagreement(s, index), all = full ? disagreement(s, NULL) : 0.0;
    memset(s->w, 0, sizeof s->w);
    CHECK_LESS_EQUAL(batch, agreement);
    CHECK_LESS_EQUAL(all, agreement);
    return batch <= agreement && all <= agreement;
}

/* --- figures ---------------------------------------------------------------------------------------------------- */

static void against_numpy(descent *s, double sgd_goal)
{
    const size_t n = s->problem.data.n, d = s->problem.data.d;
    char figure[128], script[] = STILLPOINT_BENCH "/peers.py";
    if (!open_peer(s, "NumPy", script, NULL))
        return;
    if (agree(s, true, AGREEMENT)) {
        bench_lap lap[] = { { .timed = peer_sgd, .context = s }, { .run = our_sgd, .context = s },
                            { .timed = numpy_gd, .context = s }, { .run = our_gd, .context = s },
                            { .timed = numpy_plain_gd, .context = s } };
        bench_race(lap, 5, 21);
        snprintf(figure, sizeof figure, "DP-SGD step, batch %d, %zu x %zu: NumPy / ours", BATCH, n, d);
        bench_times(figure, sgd_goal, &lap[0], &lap[1]);
        snprintf(figure, sizeof figure, "DP-GD step, %zu x %zu: NumPy / ours", n, d);
        bench_times(figure, 2.5, &lap[2], &lap[3]);
        bench_times("  the same, NumPy's products over all rows at once", 3.5, &lap[4], &lap[3]);
        bench_time("  our DP-SGD step", 0.0, "us", 1e6, &lap[1]);
        bench_time("  NumPy's DP-SGD step", 0.0, "us", 1e6, &lap[0]);
        bench_time("  our DP-GD step", 0.0, "us", 1e6, &lap[3]);
        bench_time("  NumPy's DP-GD step", 0.0, "us", 1e6, &lap[2]);
    }
    peer_close(&s->peer);
}

static void against_torch(descent *s)
{
    const size_t n = s->problem.data.n, d = s->problem.data.d;
    char figure[128], script[] = STILLPOINT_BENCH "/peers_torch.py", kind[] = "torch";
    if (!open_peer(s, "PyTorch", script, kind))
        return;
    if (agree(s, false, AGREEMENT)) {
        bench_lap lap[] = { { .timed = peer_sgd, .context = s }, { .run = our_sgd, .context = s } };
        bench_race(lap, 2, 21);
        snprintf(figure, sizeof figure, "DP-SGD step, batch %d, %zu x %zu: PyTorch's vmap / ours", BATCH, n, d);
        bench_times(figure, 0.0, &lap[0], &lap[1]);
    }
    peer_close(&s->peer);
}

static void against_opacus(descent *s, double goal)
{
    const size_t n = s->problem.data.n, d = s->problem.data.d;
    char figure[128], script[] = STILLPOINT_BENCH "/peers_torch.py", kind[] = "opacus";
    if (!open_peer(s, "PyTorch with Opacus", script, kind))
        return;
    if (agree(s, false, 1e-5)) {
        bench_lap lap[] = { { .timed = peer_sgd, .context = s },
                            { .timed = peer_gathered, .context = s },
                            { .run = our_sgd, .context = s } };
        bench_race(lap, 3, 21);
        snprintf(figure, sizeof figure, "DP-SGD step, batch %d, %zu x %zu: Opacus / ours", BATCH, n, d);
        bench_times(figure, goal, &lap[0], &lap[2]);
        bench_times("  the same, Opacus without its data loader", 0.0, &lap[1], &lap[2]);
    }
    peer_close(&s->peer);
}

static void compare(size_t n, size_t d, double numpy_goal, double opacus_goal)
{
    static descent s;
    shaped_problem(&s.problem, n, d);
    s.oracle = private_oracle(&s.problem, private_tight, 1);
    const sp_release_plan plan[] = { { .kind = SP_GRADIENT, .sample = sp_subset(BATCH), .count = AHEAD },
                                     { .kind = SP_GRADIENT, .sample = sp_full(), .count = AHEAD } };
    OK(s.oracle, sp_calibrate(s.oracle, plan, 2, s.multiplier));
    against_numpy(&s, numpy_goal);
    against_torch(&s);
    against_opacus(&s, opacus_goal);
    sp_oracle_free(s.oracle);
    private_problem_free(&s.problem);
}

int main(int count, char **words)
{
    (void)count;
    bench_start(words);
    compare(35000, 22, 12.0, 300.0);
    compare(581012, 54, 5.0, 0.0);
    return sp_check_done();
}
