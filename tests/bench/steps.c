/* steps.c -- what a step costs where records cost next to nothing: whole oracle calls (query, clip, charge, noise) in a
 * private run on losses h(w) + <x, Phi(w)>, whose full batch takes O(d). The fixed cost is that of a call on <x, w>,
 * which leaves no mathematics to the loss. And whole runs of sr_nsgd, whose step is to take no longer after many epochs
 * than after few: Eq. (3) of Tran & Cutkosky 2022, as printed, sums T / N terms a step, N the blocks of an epoch. */
#include "tests/bench/bench.h"
#include "tests/private_problem.h"
#include "tests/trial.h"

enum { RECORDS = 1000, D = 10, ROUNDS = 41, FEW = 10, MANY = 160 };

static void phi(sp_numbers p, size_t d, const double *w, int order, double *restrict out)
{
    (void)p;
    sp_linear(1.0, d, w, order, out);
}

static void phi_bounds(sp_numbers p, sp_tilt_bounds *out)
{
    (void)p;
    *out = (sp_tilt_bounds){ .slope = 1.0 };
}

static bool no_minimiser(sp_numbers p, size_t d, const double *mean, double *restrict w)
{
    (void)p, (void)d, (void)mean, (void)w;
    return false;
}

static void no_reach(sp_numbers p, size_t d, double radius, double *gap, double *distance)
{
    (void)p, (void)d, (void)radius;
    *gap = *distance = INFINITY;
}

static const sp_tilt inner_product_tilt = { phi, phi_bounds, no_minimiser, no_reach };
static const sp_loss inner_product = { .name = "<x, w>", .tilt = &inner_product_tilt, .smooth = true };

extern const sp_loss sp_loss_cos_saddle, sp_loss_huber_ramp, sp_loss_log_tail, sp_loss_power, sp_loss_radial,
    sp_loss_sin_pl;

typedef struct call {
    private_problem problem;
    sp_oracle *oracle;
    sp_batch all;
    double multiplier;
    double w[D], previous[D], out[D];
} call;

static void call_new(call *c, const sp_loss *loss)
{
    private_problem_random(&c->problem, loss, 0.0, RECORDS, D);
    c->oracle = private_oracle(&c->problem, private_tight, 1);
    for (size_t j = 0; j < D; j++)
        c->previous[j] = 1e-3 + (c->w[j] = 0.1 * sin(1.0 + (double)j));
    OK(c->oracle, sp_draw(c->oracle, sp_full(), &c->all));
    OK(c->oracle, sp_calibrate(c->oracle, &(sp_release_plan){ .kind = SP_GRADIENT, .count = (size_t)1 << 40 }, 1,
                               &c->multiplier));
}

static void call_free(call *c)
{
    sp_oracle_free(c->oracle);
    private_problem_free(&c->problem);
}

static void gradient(void *context)
{
    call *c = context;
    OK(c->oracle, sp_gradient(c->oracle, &SP_AT(c->all, c->w), c->multiplier, c->out));
}

static void difference(void *context)
{
    call *c = context;
    OK(c->oracle, sp_gradient(c->oracle, &SP_BETWEEN(c->all, c->w, c->previous), c->multiplier, c->out));
}

typedef struct descent {
    const trial_problem *problem;
    size_t epochs;
} descent;

static void many_epochs(void *context)
{
    const descent *s = context;
    const sp_algorithm *a = sp_algorithm_find("sr_nsgd");
    trial_run run = { .seed = 1 };
    char settings[32];
    snprintf(settings, sizeof settings, "epochs=%zu", s->epochs);
    const sp_values values = trial_values(a, settings);
    trial_go(a, &values, s->problem, private_tight, &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s", run.message);
    trial_end(&run);
}

static void figure_epochs(void)
{
    char figure[128];
    trial_problem problem;
    if (!trial_make("pseudo_huber", RECORDS, D, INFINITY, false, &problem))
        return;
    descent few = { &problem, FEW }, many = { &problem, MANY };
    bench_lap lap[] = { { .run = many_epochs, .context = &few, .work = FEW * RECORDS, .turn = MANY / FEW },
                        { .run = many_epochs, .context = &many, .work = MANY * RECORDS, .turn = 1 } };
    bench_race(lap, 2, 7);
    snprintf(figure, sizeof figure, "sr_nsgd, d = %d: a step of T/N = %d / of T/N = %d", D, FEW, MANY);
    bench_times(figure, 0.9, &lap[0], &lap[1]);
    snprintf(figure, sizeof figure, "sr_nsgd, d = %d: a step of T/N = %d", D, MANY);
    bench_time(figure, 0.0, "us", 1e6, &lap[1]);
    trial_drop(&problem);
}

int main(int count, char **words)
{
    static const sp_loss *const loss[] = { &inner_product,     &sp_loss_pseudo_huber, &sp_loss_cos_saddle,
                                           &sp_loss_huber_ramp, &sp_loss_log_tail,    &sp_loss_power,
                                           &sp_loss_radial,    &sp_loss_sin_pl };
    (void)count;
    bench_start(words);
    for (size_t i = 0; i < sizeof loss / sizeof *loss; i++) {
        static call c;
        char figure[128];
        call_new(&c, loss[i]);
        bench_lap lap[] = { { .run = gradient, .context = &c }, { .run = difference, .context = &c } };
        bench_race(lap, 2, ROUNDS);
        snprintf(figure, sizeof figure, "oracle call, d = %d, %s%s", D, loss[i]->name, i ? "" : ": the fixed cost");
        bench_time(figure, i ? 0.0 : 150.0, "ns", 1e9, &lap[0]);
        snprintf(figure, sizeof figure, "oracle call, d = %d, %s, a difference", D, loss[i]->name);
        bench_time(figure, 0.0, "ns", 1e9, &lap[1]);
        call_free(&c);
    }
    figure_epochs();
    return sp_check_done();
}
