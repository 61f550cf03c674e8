/* envelope_child.c -- a child whose loss is the Moreau envelope of its parent's: slopes and values by hand, constants,
 * what it costs, how far a neighbour moves it, what is refused. */
#include "core/oracle/replay.h"
#include "losses/engine/smoothed.h"
#include "tests/private_problem.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_math.h>

extern const sp_loss sp_loss_absolute, sp_loss_epsilon_insensitive, sp_loss_hinge, sp_loss_pinball, sp_loss_sigmoid;

enum { N = 60, D = 4, K = 2 };

static const double point[D] = { 0.31, -1.27, 0.05, 0.72 }, b = 4.0;
static const sp_batch all = { 0 };

static sp_oracle *smoothed(sp_oracle *o, double share, double curvature)
{
    sp_oracle *child = NULL;
    OK(o, sp_child(o, &(sp_child_options){ .share = share, .envelope = curvature }, &child));
    return child;
}

static void on_ball(private_problem *p, double radius)
{
    p->problem.domain = (sp_domain){ SP_DOMAIN_L2_BALL, p->data.d, radius, radius };
}

/* |m - y|, b = 4, one record x = 1: at |m - y| = .1 slope .4 and value .02, at .5 slope 1 and value .375. */
static void numbers(void)
{
    static const struct {
        double residual, slope, value;
    } cases[] = { { 0.1, 0.4, 0.02 }, { 0.5, 1.0, 0.375 }, { -0.1, -0.4, 0.02 }, { -0.5, -1.0, 0.375 } };
    private_problem p;
    double *X = NULL, *y = NULL, out;
    private_problem_new(&p, 1, 1, &X, &y);
    X[0] = 1.0;
    y[0] = 0.25;
    private_problem_seal(&p, &sp_loss_absolute, 0.0);
    sp_oracle *o = private_oracle(&p, private_silent, 301), *child = smoothed(o, 1.0, b);
    sp_problem with = p.problem;
    with.envelope = b;
    sp_workspace *space = sp_workspace_new(&with);
    for (size_t i = 0; i < 4; i++) {
        const double w = 0.25 + cases[i].residual;
        OK(child, sp_gradient(child, &SP_AT(all, &w), 0.0, &out));
        CHECK_NEAR(out, cases[i].slope, 1e-15);
        CHECK_NEAR(sp_problem_value(&with, space, &w), cases[i].value, 1e-15);
        OK(o, sp_gradient(o, &SP_AT(all, &w), 0.0, &out)); /* the parent's loss is as it was */
        CHECK(out == copysign(1.0, cases[i].residual));
    }
    sp_workspace_free(space);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Gradients and Hessians are those of F_b, with a regulariser too; a smooth link has an envelope as well. */
static void definition(void)
{
    static const sp_loss *const losses[] = { &sp_loss_absolute, &sp_loss_epsilon_insensitive, &sp_loss_hinge,
                                             &sp_loss_pinball, &sp_loss_logistic };
    for (size_t l = 0; l < 5; l++) {
        private_problem p;
        double out[D], expected[D], H[D * D], expected_H[D * D];
        private_problem_random(&p, losses[l], l % 2 ? 0.1 : 0.0, N, D);
        sp_oracle *o = private_oracle(&p, private_silent, 302), *child = smoothed(o, 1.0, 2.385);
        sp_smoothed f = { &p.problem, sp_workspace_new(&p.problem), 2.385 };
        OK(child, sp_gradient(child, &SP_AT(all, point), 0.0, out));
        OK(child, sp_hessian(child, all, point, 0.0, H));
        sp_smoothed_gradient(&f, point, expected);
        sp_smoothed_hessian(&f, point, expected_H);
        for (size_t j = 0; j < D; j++)
            CHECK_NEAR(out[j], expected[j], losses[l] == &sp_loss_logistic ? 1e-12 : 1e-15);
        for (size_t j = 0; j < D * D; j++)
            CHECK_NEAR(H[j], expected_H[j], losses[l] == &sp_loss_logistic ? 1e-6 : 1e-9);
        sp_workspace_free(f.workspace);
        sp_oracle_free(o);
        private_problem_free(&p);
    }
}

static void constants(void)
{
    private_problem p;
    sp_oracle *child = NULL, *further = NULL;
    const double phi[K * D] = { 2.9, -1.3, 0.2, 0.8, 0.4, 1.1, -0.7, 0.6 }, begin[D] = { 0.1, 0.2, -0.3, 0.25 };
    private_problem_random(&p, &sp_loss_absolute, 0.0, N, D);
    on_ball(&p, 2.0);
    p.problem.declared.L_data = p.problem.declared.L = 1.7; /* goes on; what else is declared is about F */
    p.problem.declared.beta_data = p.problem.declared.beta = 0.9;
    p.problem.declared.distance = 0.3;
    p.problem.declared.gap = 2.1;
    p.problem.declared.kl_gamma = p.problem.declared.kl_kappa = 1.5;
    sp_oracle *o = private_oracle(&p, private_tight, 303);
    OK(o, sp_child(o, &(sp_child_options){ .share = 0.5, .envelope = b, .start = begin }, &child));
    const sp_constants *c = sp_public(child), *whole = sp_public(o);
    const double R = whole->radius;
    CHECK(c->L_data == 1.7 && c->L == 1.7 && c->gap == 2.1);
    CHECK_NEAR(c->beta_data, b * R * R, 1e-15);
    CHECK_NEAR(c->beta, b * R * R, 1e-15);
    CHECK(c->convex && c->smooth && c->glm && !c->gll && c->weak_convexity == 0.0 && c->quasar == 1.0);
    CHECK(isinf(c->rho_hessian) && c->kl_gamma == 0.0 && c->kl_kappa == 0.0 && c->n == N && c->d == D);
    CHECK_NEAR(c->hessian_norm, b * R * R, 1e-15);
    CHECK_NEAR(c->distance, 2.0 + cblas_dnrm2(D, begin, 1), 1e-14); /* not .3: the minimum is another */
    CHECK(whole->convex && !whole->smooth && whole->gll && isinf(p.problem.certified.beta));
    /* a child of it has the envelope too, projected as well: records of norm 2 R */
    OK(child, sp_child(child, &(sp_child_options){ .share = 0.5, .projection = phi, .projected = K }, &further));
    c = sp_public(further);
    CHECK_NEAR(c->beta_data, 4.0 * b * R * R, 1e-14);
    CHECK(c->L_data == 3.4 && c->convex && c->smooth);
    OK(o, sp_child(o, &(sp_child_options){ .share = 0.25, .projection = phi, .projected = K, .envelope = b }, &child));
    CHECK_NEAR(sp_public(child)->beta_data, 4.0 * b * R * R, 1e-14);
    CHECK(sp_public(child)->L_data == 3.4 && sp_public(child)->convex);
    OK(o, sp_child(o, &(sp_child_options){ .share = 0.25, .envelope = b, .gap = 0.4, .distance = 5.5 }, &child));
    CHECK(sp_public(child)->gap == 0.4 && sp_public(child)->distance == 5.5);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Charged like any child, with the sensitivity of the parent's loss; its entries are the parent's too. */
static void charge(void)
{
    private_problem p;
    double out[D], s, t;
    sp_batch batch;
    sp_bounds bounds;
    private_problem_random(&p, &sp_loss_absolute, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 304), *child = smoothed(o, 0.6, b);
    CHECK_NEAR(sp_sensitivity(child, &SP_AT(all, point)), 2.0 / N, 1e-15);
    CHECK_NEAR(sp_budget_of(child)->epsilon, 0.6, 1e-15);
    OK(child, sp_calibrate(child, &(sp_release_plan){ .sample = sp_full(), .count = 2 }, 1, &s));
    CHECK_NEAR(s, sqrt(2.0) / sp_gaussian_mu(0.6, 0.6e-6), 1e-6);
    for (size_t i = 0; i < 2; i++)
        OK(child, sp_gradient(child, &SP_AT(all, point), s, out));
    REFUSED(child, sp_gradient(child, &SP_AT(all, point), 100.0 * s, out), SP_EBUDGET, "0.6");
    const sp_ledger *ledger = sp_oracle_ledger(o);
    CHECK_EQUAL(ledger->count, 1);
    CHECK(ledger->entry[0].kind == SP_LEDGER_GAUSS && ledger->entry[0].count == 2);
    CHECK_NEAR(ledger->entry[0].sensitivity_high, 2.0 / N, 1e-15);
    sp_oracle_free(o);

    o = private_oracle(&p, private_tight, 305); /* fresh batches run in parallel, in the child too */
    child = smoothed(o, 1.0, b);
    OK(child, sp_calibrate(child, &(sp_release_plan){ .sample = sp_fresh(20), .count = 3 }, 1, &t));
    for (size_t i = 0; i < 3; i++) {
        OK(child, sp_draw(child, sp_fresh(20), &batch));
        OK(child, sp_stable_pass(child, batch, point, 0.1, t, out));
    }
    CHECK_NEAR(t, 1.0 / sp_budget_of(o)->mu, 1e-6);
    CHECK_EQUAL(sp_oracle_spent(o, &bounds, NULL), SP_OK);
    CHECK_NEAR(bounds.best, 1.0, 1e-6);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Of a stable pass over a loss with kinks at every record: not without the envelope, and within 2 L eta with it. */
static void stability(void)
{
    double closest = 0.0, out[2][D];
    for (size_t place = 0; place < N; place += 7)
        for (size_t axis = 0; axis < D; axis++) {
            double moved = 0.0, bound = 0.0;
            for (int twin = 0; twin < 2; twin++) {
                private_problem p;
                private_problem_random(&p, &sp_loss_hinge, 0.0, N, D);
                double *x = sp_dataset_X(&p.data) + place * p.data.stride;
                memset(x, 0, D * sizeof *x);
                x[axis] = twin ? -1.0 : 1.0;
                CHECK_EQUAL(sp_dataset_seal(&p.data, 1.0, 1.0, NULL), SP_OK);
                sp_oracle *o = private_oracle(&p, private_tight, 306);
                REFUSED(o, sp_stable_pass(o, all, point, 0.1, 9.0, out[0]), SP_EPRIVACY, "2 / beta = 0");
                sp_oracle_free(o);
                o = private_oracle(&p, private_silent, 306);
                sp_oracle *child = smoothed(o, 1.0, b);
                const double eta = 2.0 / sp_public(child)->beta;
                OK(child, sp_stable_pass(child, all, point, eta, 0.0, out[twin]));
                REFUSED(child, sp_stable_pass(child, all, point, eta * 1.0001, 0.0, out[twin]), SP_EPRIVACY,
                        "2 / beta");
                bound = 2.0 * sp_public(child)->L_data * eta;
                sp_oracle_free(o);
                private_problem_free(&p);
            }
            for (size_t j = 0; j < D; j++)
                moved = hypot(moved, out[0][j] - out[1][j]);
            CHECK_LESS_EQUAL(moved, bound * (1.0 + 1e-12));
            closest = fmax(closest, moved / bound);
        }
    CHECK(closest > 0.05);
}

static void refusals(void)
{
    private_problem p;
    sp_oracle *o, *child = NULL;
    private_problem_random(&p, &sp_loss_absolute, 0.0, N, D);
    o = private_oracle(&p, private_tight, 307);
    const double bad[] = { -4.0, -DBL_MIN, INFINITY, NAN };
    for (size_t i = 0; i < 4; i++)
        REFUSED(o, sp_child(o, &(sp_child_options){ .share = 0.5, .envelope = bad[i] }, &child), SP_EINVAL,
                "envelope = ");
    sp_oracle *first = smoothed(o, 1.0, b);
    REFUSED(first, sp_child(first, &(sp_child_options){ .share = 0.5, .envelope = 3.0 }, &child), SP_EMISFIT,
            "envelope = 3 of a loss that is an envelope, of 4, already");
    CHECK(child == NULL);
    sp_oracle_free(o);
    private_problem_free(&p);

    private_problem_random(&p, &sp_loss_sigmoid, 0.0, N, D);
    o = private_oracle(&p, private_tight, 307);
    REFUSED(o, sp_child(o, &(sp_child_options){ .share = 0.5, .envelope = b }, &child), SP_EMISFIT,
            "the loss sigmoid is not convex");
    sp_oracle_free(o);
    private_problem_free(&p);

    private_problem_random(&p, &sp_loss_pseudo_huber, 0.0, N, D);
    o = private_oracle(&p, private_tight, 307);
    REFUSED(o, sp_child(o, &(sp_child_options){ .share = 0.5, .envelope = b }, &child), SP_EMISFIT,
            "the loss pseudo_huber is no GLM");
    sp_oracle_free(o);
    private_problem_free(&p);

    private_problem_random(&p, &sp_loss_absolute, 0.0, N, D);
    sp_loss steep = sp_loss_absolute;
    steep.link_bounds = sp_loss_pinball.link_bounds; /* of its own number, here without an end */
    p.problem.loss = &steep;
    p.problem.number[0] = INFINITY;
    o = private_oracle(&p, private_tight, 307);
    REFUSED(o, sp_child(o, &(sp_child_options){ .share = 0.5, .envelope = b }, &child), SP_EMISFIT,
            "the slope of absolute is not bounded");
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 0);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* The replay audit looks into such a child: a neighbour's releases may move by the sensitivity, and the envelope is
 * public. */
static void replay(void)
{
    private_problem p, q;
    sp_transcript *recorded = sp_transcript_new(), *played = sp_transcript_new();
    double out[D];
    private_problem_random(&p, &sp_loss_absolute, 0.0, N, D);
    private_problem_random(&q, &sp_loss_absolute, 0.0, N, D);
    cblas_dscal(D, -1.0, sp_dataset_X(&q.data) + 17 * q.data.stride, 1);
    CHECK_EQUAL(sp_dataset_seal(&q.data, 1.0, 1.0, NULL), SP_OK);
    for (int run = 0; run < 3; run++) { /* recorded, on the neighbour, there with another envelope */
        sp_oracle *o = NULL, *child = NULL;
        sp_oracle_options options = private_options(run ? &q : &p, private_tight, 308);
        options.transcript = run ? played : recorded;
        if (run)
            sp_transcript_replay(played, recorded);
        else
            sp_transcript_record(recorded);
        CHECK_EQUAL(sp_oracle_new(&options, &o, NULL), SP_OK);
        child = smoothed(o, 1.0, run < 2 ? b : 3.9);
        sp_status status = sp_gradient(child, &SP_AT(all, point), 60.0, out);
        if (status == SP_OK)
            status = sp_stable_pass(child, all, point, 0.1, 60.0, out);
        CHECK_EQUAL(status, run < 2 ? SP_OK : SP_EPRIVACY);
        sp_transcript_end(options.transcript, status);
        if (run == 1) {
            CHECK(!sp_transcript_finding(played));
            CHECK(sp_transcript_move(played) > 0.1 && sp_transcript_move(played) <= 1.0);
        }
        if (run == 2)
            CHECK_CONTAINS(sp_transcript_finding(played), "the envelope is 4, on the neighbour 3.89");
        sp_oracle_free(o);
    }
    sp_transcript_free(played);
    sp_transcript_free(recorded);
    private_problem_free(&q);
    private_problem_free(&p);
}

int main(void)
{
    gsl_set_error_handler_off();
    numbers();
    definition();
    constants();
    charge();
    stability();
    refusals();
    replay();
    return sp_check_done();
}
