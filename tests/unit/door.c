/* door.c -- methods that cheat at the oracle's interface: a generator whose second answer is another, one that calls
 * the oracle, writing through a cast into what the oracle shows, and looking at memory before the noise is in it. */
#include "core/numeric/stream.h"
#include "core/oracle/oracle_internal.h"
#include "core/oracle/replay.h"
#include "tests/private_problem.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N = 12, D = 3, COUNT = 4 };

static const sp_batch all = { 0 };
static const double reference[D] = { 0.1, 0.05, -0.2 }, origin[D] = { 0.0 };

/* --- generators ---------------------------------------------------------------------------------------------- */

/* Near the reference when asked for the first time, far away from then on. */
typedef struct liar {
    size_t asked[COUNT];
    sp_oracle *oracle; /* called from within; NULL: no */
    sp_accumulator *accumulator;
    double *score_point; /* changed from within; NULL: no */
    size_t call;
} liar;

static void lie(void *context, size_t index, double *out)
{
    liar *l = context;
    const double far = l->asked[index]++ == 0 ? 1e-3 : 5.0;
    memcpy(out, reference, sizeof reference);
    out[index % D] += index < D ? far : -far;
    if (l->score_point)
        l->score_point[0] = 7.0;
}

static sp_space liars(liar *l)
{
    return (sp_space){ .kind = SP_SPACE_GENERATOR, .count = COUNT, .generate = lie, .context = l };
}

/* On neighbours, the scores that a choice is made of move by no more than it was charged for. */
static void answers_once(void)
{
    static const sp_chooser choosers[] = { SP_CHOOSE_EXPONENTIAL, SP_CHOOSE_NOISY_MIN, SP_CHOOSE_ABOVE_THRESHOLD };
    private_problem p, q;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    private_problem_random(&q, &sp_loss_logistic, 0.0, N, D);
    for (size_t j = 0; j < D; j++) /* the neighbour */
        sp_dataset_X(&q.data)[j] *= -1.0;
    for (size_t k = 0; k < 3; k++) {
        sp_transcript *transcript[2] = { sp_transcript_new(), sp_transcript_new() };
        for (size_t side = 0; side < 2; side++) {
            sp_oracle *o = NULL;
            sp_oracle_options options = private_options(side == 0 ? &p : &q, private_paper, 5);
            liar l = { 0 };
            const sp_space space = liars(&l);
            double out[D], near = 0.0;
            options.transcript = transcript[side];
            if (side == 0)
                sp_transcript_record(transcript[0]);
            else
                sp_transcript_replay(transcript[1], transcript[0]);
            CHECK_EQUAL(sp_oracle_new(&options, &o, NULL), SP_OK);
            const sp_score score = { .kind = SP_SCORE_LOSS, .reference = reference, .threshold = 1e9 };
            OK(o, sp_choose(o, all, &space, &score, choosers[k], 0.3, out, NULL));
            for (size_t i = 0; i < COUNT; i++)
                CHECK_EQUAL(l.asked[i], 1);
            for (size_t j = 0; j < D; j++)
                near = fmax(near, fabs(out[j] - reference[j]));
            CHECK_NEAR(near, 1e-3, 1e-12);
            sp_transcript_end(transcript[side], SP_OK);
            sp_oracle_free(o);
        }
        CHECK(!sp_transcript_finding(transcript[1]));
        CHECK(sp_transcript_move(transcript[1]) > 0.0);
        CHECK_LESS_EQUAL(sp_transcript_move(transcript[1]), 1.0);
        sp_transcript_free(transcript[1]);
        sp_transcript_free(transcript[0]);
    }
    private_problem_free(&p);
    private_problem_free(&q);
}

/* What a generator does to the score is done before the score is checked. */
static void changes_the_score(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_paper, 6);
    double moving[D] = { 0.0 }, out[D];
    liar l = { .score_point = moving };
    const sp_space space = liars(&l);
    REFUSED(o, sp_choose(o, all, &space, &(sp_score){ .kind = SP_SCORE_LOSS, .reference = moving, .radius = 1.0 },
                         SP_CHOOSE_EXPONENTIAL, 0.3, out, NULL), SP_EINVAL, "from the reference, radius = 1");
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 0);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Call number `call` of the oracle, from within a generator. */
static sp_status call(liar *l)
{
    sp_oracle *o = l->oracle, *child;
    sp_batch batch;
    double out[D * D] = { 0.0 }, number;
    const sp_space space = { .kind = SP_SPACE_LIST, .count = 1, .points = reference };
    switch (l->call) {
    case 0: return sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .count = 1 }, 1, &number);
    case 1: return sp_filter_by(o, SP_FILTER_BASIC);
    case 2: return sp_draw(o, sp_fresh(1), &batch);
    case 3: return sp_gradient(o, &SP_AT(all, reference), 1e3, out);
    case 4: return sp_hessian(o, all, reference, 1e3, out);
    case 5: return sp_hessian_mirrored(o, all, reference, 1e3, out);
    case 6: return sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &l->accumulator);
    case 7: return sp_accumulator_add(l->accumulator, 1.0, &SP_AT(all, reference));
    case 8: return sp_accumulator_release(l->accumulator, 1e3, out);
    case 9: return sp_accumulator_restart(l->accumulator);
    case 10: return sp_pass_cost(o, SP_NOISE_TREE, 3, 4, 1.0, &number);
    case 11:
        return sp_choose(o, all, &space, &(sp_score){ .kind = SP_SCORE_LOSS, .reference = reference },
                         SP_CHOOSE_EXPONENTIAL, 0.1, out, NULL);
    case 12:
        return sp_choose_point(o, &(sp_continuum){ .centre = reference, .radius = 1.0, .trials = 1e15 }, 0.1, out);
    case 13: return sp_choose_product(o, 0.1, out);
    case 14: return sp_stable_pass(o, all, reference, 0.1, 1e3, out);
    case 15: return sp_child(o, &(sp_child_options){ .share = 0.5 }, &child);
    case 16: return sp_checkpoint(o, 1, reference);
    case 17: return sp_candidate(o, reference);
    case 18: return sp_hand_over(o, reference);
    case 19:
        return sp_mean_loss(o, &(sp_query){ .terms = 1, .term = { { 1.0, reference } }, .bound = 1.0 }, 1e3, &number);
    default: return SP_OK;
    }
}

enum { CALLS = 20 };

static void call_and_lie(void *context, size_t index, double *out)
{
    liar *l = context;
    if (index == 1)
        CHECK_EQUAL(call(l), SP_EPRIVACY);
    lie(context, index, out);
}

static void is_not_reentered(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    for (size_t k = 0; k < CALLS; k++)
        for (size_t whose = 0; whose < 3; whose++) { /* the same oracle, its parent, its child */
            sp_oracle *o = private_oracle(&p, private_tight, 7), *child;
            double out[D] = { 77.5 };
            OK(o, sp_child(o, &(sp_child_options){ .share = 0.5 }, &child));
            sp_oracle *choosing = whose == 1 ? child : o;
            liar l = { .oracle = whose == 2 ? child : o, .call = k };
            if (k >= 7 && k <= 9)
                OK(l.oracle, sp_accumulator_open(l.oracle, SP_NOISE_PLAIN, NULL, &l.accumulator));
            sp_space space = liars(&l);
            space.generate = call_and_lie;
            const sp_score score = { .kind = SP_SCORE_LOSS, .reference = reference };
            REFUSED(choosing, sp_choose(choosing, all, &space, &score, SP_CHOOSE_EXPONENTIAL, 0.1, out, NULL),
                    SP_EPRIVACY, "called by a generator");
            CHECK(out[0] == 77.5 && l.asked[COUNT - 1] == 1);
            CHECK_EQUAL(sp_oracle_ledger(o)->count, 0);
            l = (liar){ 0 };
            space = liars(&l);
            OK(choosing, sp_choose(choosing, all, &space, &score, SP_CHOOSE_EXPONENTIAL, 0.1, out, NULL));
            sp_oracle_free(o);
        }
    private_problem_free(&p);
}

/* --- casts --------------------------------------------------------------------------------------------------- */

/* Every answer there is, into `told`; `cheat` scribbles over all that is shown first. */
static void ask_all(const private_problem *p, bool cheat, double told[8 * D * D], sp_bounds *spent)
{
    sp_oracle *o = private_oracle(p, private_paper, 8), *child;
    sp_accumulator *a;
    sp_error error = { .text = "" };
    const sp_batch batch = { 0 };
    for (size_t pass = 0; pass < 2; pass++) {
        sp_oracle *at = o;
        if (pass == 1) {
            OK(o, sp_child(o, &(sp_child_options){ .share = 0.5 }, &child));
            at = child;
        }
        if (cheat) {
            sp_constants *c = (sp_constants *)(size_t)sp_public(at);
            sp_domain *domain = (sp_domain *)(size_t)sp_domain_of(at);
            sp_budget *budget = (sp_budget *)(size_t)sp_budget_of(at);
            c->L_data = c->L = c->hessian_norm = c->hessian_frobenius = c->beta_data = c->L_data_linf = 1e-9;
            c->beta = c->L = 1e-9;
            c->convex = true;
            for (size_t k = 0; k < domain->vertices * domain->d; k++)
                ((double *)(size_t)domain->vertex)[k] = 1e-9;
            *domain = (sp_domain){ .kind = SP_DOMAIN_BOX, .d = 1, .norm = 1e-9 };
            *budget = (sp_budget){ 1e9, 0.5, 1e9, 1e9, 1e9, false, 1e9, true };
            for (size_t j = 0; j < D; j++)
                ((double *)(size_t)sp_start(at))[j] = 1e9;
        }
        double *out = told + pass * 4 * D * D;
        const sp_space vertices = { .kind = SP_SPACE_VERTICES };
        OK(at, sp_gradient(at, &SP_AT(batch, reference), 5.0, out));
        OK(at, sp_hessian(at, batch, reference, 5.0, out + D * D));
        OK(at, sp_mean_loss(at, &(sp_query){ .terms = 2, .term = { { 1.0, reference }, { -1.0, origin } } }, 5.0,
                            out + D));
        OK(at, sp_accumulator_open(at, SP_NOISE_PLAIN, NULL, &a));
        OK(at, sp_accumulator_add(a, 1.0, &SP_AT(batch, reference)));
        OK(at, sp_choose(at, batch, &vertices, &(sp_score){ .kind = SP_SCORE_INNER_PRODUCT, .accumulator = a },
                         SP_CHOOSE_EXPONENTIAL, 0.1, out + 2 * D * D, NULL));
        OK(at, sp_stable_pass(at, batch, reference, 0.1, 5.0, out + 3 * D * D));
    }
    CHECK_EQUAL(sp_oracle_spent(o, spent, &error), SP_OK);
    sp_oracle_free(o);
}

static void casts_change_nothing(void)
{
    static double vertices[4 * D] = { 1.0, 0.2, 0.0, -1.0, 0.3, 0.1, 0.0, 1.5, -0.4, 0.2, 0.1, 1.1 };
    double honest[8 * D * D] = { 0.0 }, cheated[8 * D * D] = { 0.0 };
    sp_bounds spent[2];
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    p.problem.domain = (sp_domain){ .kind = SP_DOMAIN_POLYTOPE, .d = D, .radius = 2.0, .norm = 2.0, .vertices = 4,
                                    .vertex = vertices };
    ask_all(&p, false, honest, &spent[0]);
    ask_all(&p, true, cheated, &spent[1]);
    CHECK(memcmp(honest, cheated, sizeof honest) == 0);
    CHECK(spent[0].best == spent[1].best);
    CHECK(vertices[0] == 1.0 && p.problem.declared.hessian_norm > 1e-3 && p.problem.start[0] != 1e9);
    private_problem_free(&p);
}

/* --- memory before the noise --------------------------------------------------------------------------------- */

/* `page` is read-only until something is written to it; `seen` is where the noise streams were by then. */
static struct watched {
    double *page;
    size_t size;
    gsl_rng *noise, *selection;
    sp_stream_state seen[2];
    volatile sig_atomic_t writes;
} watched;

static void look(int number, siginfo_t *what, void *context)
{
    (void)number, (void)context;
    if ((char *)what->si_addr < (char *)watched.page || (char *)what->si_addr >= (char *)watched.page + watched.size)
        _exit(99);
    watched.seen[0] = *(sp_stream_state *)watched.noise->state;
    watched.seen[1] = *(sp_stream_state *)watched.selection->state;
    watched.writes++;
    mprotect(watched.page, watched.size, PROT_READ | PROT_WRITE);
}

static bool same(const sp_stream_state *a, const sp_stream_state *b)
{
    return memcmp(a->counter, b->counter, sizeof a->counter) == 0 && a->used == b->used;
}

typedef sp_status asks(sp_oracle *, double *out);

static sp_status ask_gradient(sp_oracle *o, double *out)
{
    return sp_gradient(o, &SP_AT(all, reference), 5.0, out);
}

static sp_status ask_hessian(sp_oracle *o, double *out)
{
    return sp_hessian(o, all, reference, 5.0, out);
}

static sp_status ask_mirrored(sp_oracle *o, double *out)
{
    return sp_hessian_mirrored(o, all, reference, 5.0, out);
}

static sp_status ask_mean_loss(sp_oracle *o, double *out)
{
    return sp_mean_loss(o, &(sp_query){ .terms = 2, .term = { { 1.0, reference }, { -1.0, origin } } }, 5.0, out);
}

static sp_status ask_accumulator(sp_oracle *o, double *out, sp_accumulator_noise noise)
{
    sp_accumulator *a;
    OK(o, sp_accumulator_open(o, noise, &(sp_accumulator_plan){ .adds = 4, .keep = 0.5, .period = 1 }, &a));
    OK(o, sp_accumulator_add(a, 0.5, &SP_AT(all, reference)));
    return sp_accumulator_release(a, 5.0, out);
}

static sp_status ask_plain(sp_oracle *o, double *out)
{
    return ask_accumulator(o, out, SP_NOISE_PLAIN);
}

static sp_status ask_tree(sp_oracle *o, double *out)
{
    return ask_accumulator(o, out, SP_NOISE_HONAKER);
}

static sp_status ask_sqrt(sp_oracle *o, double *out)
{
    return ask_accumulator(o, out, SP_NOISE_SQRT);
}

static sp_status ask_stable(sp_oracle *o, double *out)
{
    return sp_stable_pass(o, all, reference, 0.1, 5.0, out);
}

static sp_status ask_choice(sp_oracle *o, double *out)
{
    static const double points[2 * D] = { 0.5, 0.0, 0.1, -0.3, 0.2, 0.9 };
    const sp_space space = { .kind = SP_SPACE_LIST, .count = 2, .points = points };
    return sp_choose(o, all, &space, &(sp_score){ .kind = SP_SCORE_LOSS, .reference = reference },
                     SP_CHOOSE_NOISY_MIN, 0.3, out, NULL);
}

static sp_status ask_rejection(sp_oracle *o, double *out)
{
    return sp_choose_point(o, &(sp_continuum){ .centre = reference, .radius = 1.0, .trials = 1e15 }, 0.3, out);
}

static sp_status ask_walk(sp_oracle *o, double *out)
{
    double none;
    const sp_release_plan plan = { .kind = SP_SELECTION, .count = 1, .epsilon = 0.3, .tv = 1e-9 };
    OK(o, sp_calibrate(o, &plan, 1, &none));
    return sp_choose_point(o, &(sp_continuum){ .centre = reference, .radius = 1.0, .moves = 50, .move_std = 0.3,
                                               .tv = 1e-9 }, 0.3, out);
}

/* A method's memory is written to once all noise of the answer is drawn. */
static void noise_comes_first(void)
{
    static asks *const calls[] = { ask_gradient, ask_hessian, ask_mirrored, ask_mean_loss, ask_plain, ask_tree,
                                   ask_sqrt,     ask_stable,  ask_choice,   ask_rejection, ask_walk };
    struct sigaction action = { .sa_sigaction = look, .sa_flags = SA_SIGINFO }, before;
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    watched.size = (size_t)sysconf(_SC_PAGESIZE);
    watched.page = mmap(NULL, watched.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(watched.page != MAP_FAILED);
    CHECK_EQUAL(sigaction(SIGSEGV, &action, &before), 0);
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        sp_oracle *o = private_oracle(&p, private_paper, 9 + k);
        const sp_stream_state noise = *(sp_stream_state *)o->noise->state;
        const sp_stream_state selection = *(sp_stream_state *)o->selection->state;
        watched.noise = o->noise;
        watched.selection = o->selection;
        watched.writes = 0;
        CHECK_EQUAL(mprotect(watched.page, watched.size, PROT_READ), 0);
        OK(o, calls[k](o, watched.page));
        mprotect(watched.page, watched.size, PROT_READ | PROT_WRITE);
        CHECK_EQUAL(watched.writes, 1);
        SP_CHECK_REPORT(same(&watched.seen[0], o->noise->state) && same(&watched.seen[1], o->selection->state),
                        "call %zu writes an answer while its noise is not yet drawn", k);
        CHECK(!same(&watched.seen[0], &noise) || !same(&watched.seen[1], &selection));
        sp_oracle_free(o);
    }
    sigaction(SIGSEGV, &before, NULL);
    munmap(watched.page, watched.size);
    private_problem_free(&p);
}

int main(void)
{
    gsl_set_error_handler_off();
    answers_once();
    changes_the_score();
    is_not_reentered();
    casts_change_nothing();
    noise_comes_first();
    return sp_check_done();
}
