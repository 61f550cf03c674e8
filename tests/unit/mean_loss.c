/* mean_loss.c -- noisy means of losses: against the definition, how far a neighbour moves them, what they are charged,
 * what is refused.
 *
 * Statistical tests fix their seed; each allows 4.9 standard errors (false alarm 1e-6). */
#include "core/oracle/replay.h"
#include "tests/private_problem.h"

#include <gsl/gsl_math.h>

enum { N = 23, D = 3 };

static const double v[D] = { 0.31, -1.27, 0.05 }, u[D] = { 0.33, -1.20, 0.1 }, far[D] = { -4.0, 3.0, 7.5 };
static const sp_batch all = { 0 };

static double distance(const double *a, const double *b)
{
    double norm = 0.0;
    for (size_t j = 0; j < D; j++)
        norm = hypot(norm, a[j] - b[j]);
    return norm;
}

/* The definition, one record at a time. */
static double plain_loop(const private_problem *p, const sp_query *query, double bound)
{
    sp_workspace *space = sp_workspace_new(&p->problem);
    double mean = 0.0;
    for (size_t i = 0; i < p->data.n; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < query->terms; k++)
            sum += query->term[k].coefficient * sp_record_value(&p->problem, space, i, query->term[k].point);
        mean += (isnan(sum) ? 0.0 : fmax(-bound, fmin(bound, sum))) / (double)p->data.n;
    }
    for (size_t k = 0; k < query->terms; k++)
        for (size_t j = 0; j < D && p->problem.regulariser; j++)
            mean += query->term[k].coefficient * p->problem.lambda *
                    p->problem.regulariser->value(query->term[k].point[j]);
    sp_workspace_free(space);
    return mean;
}

static void definition(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.07, N, D);
    sp_oracle *o = private_oracle(&p, private_silent, 1);
    const double L = sp_public(o)->L_data, near = distance(v, u);
    const struct {
        sp_query query;
        double bound;
    } cases[] = {
        { { .terms = 2, .term = { { 1.0, v }, { -1.0, u } } }, L * near },
        { { .terms = 2, .term = { { 250.0, v }, { -250.0, u } } }, 250.0 * L * near },
        { { .terms = 2, .term = { { 250.0, v }, { -250.0, u } }, .bound = 4.0 }, 4.0 },
        { { .terms = 3, .term = { { 0.5, far }, { -1.5, v }, { 1.0, u } } },
          0.5 * L * distance(far, u) + 1.5 * L * near },
        { { .terms = 1, .term = { { 1.0, far } }, .bound = 6.2 }, 6.2 },
        { { .terms = 3, .term = { { 0.5, far }, { -1.5, v }, { 0.25, u } }, .bound = 2.1 }, 2.1 },
    };
    enum { CASES = sizeof cases / sizeof *cases };
    double terms = 0.0, out = NAN;
    for (size_t i = 0; i < CASES; i++) {
        OK(o, sp_mean_loss(o, &cases[i].query, 0.0, &out));
        CHECK_NEAR(out, plain_loop(&p, &cases[i].query, cases[i].bound), 1e-13 * fmax(1.0, cases[i].bound));
        const double uncut = plain_loop(&p, &cases[i].query, INFINITY);
        CHECK((fabs(out - uncut) > 1e-3) == (i == 2 || i > 3)); /* L is true: it alone cuts nothing */
        terms += (double)cases[i].query.terms;
    }
    CHECK(sp_oracle_cost(o).losses == terms * N && sp_oracle_cost(o).gradients == 0.0);
    CHECK_EQUAL(sp_oracle_cost(o).releases, CASES);

    const sp_query same = { .terms = 2, .term = { { 3.0, v }, { -3.0, (const double[]){ v[0], v[1], v[2] } } } };
    OK(o, sp_mean_loss(o, &same, 0.0, &out));
    CHECK(out == 0.0);

    double mean = 0.0; /* disjoint batches average to the whole */
    for (size_t block = 0; block < 4; block++) {
        const size_t m = block < 3 ? 6 : 5;
        sp_query query = cases[2].query;
        OK(o, sp_draw(o, sp_fresh(m), &query.batch));
        OK(o, sp_mean_loss(o, &query, 0.0, &out));
        mean += out * (double)m / N;
    }
    CHECK_NEAR(mean, plain_loop(&p, &cases[2].query, 4.0), 1e-13);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* A record whose loss is no number counts as 0, one beyond the bound as the bound, and a false L changes no privacy. */
static void cuts(void)
{
    double *X = NULL, *y = NULL, out = NAN;
    private_problem p;
    private_problem_new(&p, 4, D, &X, &y);
    X[0] = 1.0;
    X[p.data.stride + 1] = -1.0;
    y[0] = y[1] = y[2] = y[3] = 1.0;
    private_problem_seal(&p, &sp_loss_logistic, 0.0);
    y[2] = NAN;
    p.problem.declared.L_data = 0.01;
    sp_oracle *o = private_oracle(&p, private_silent, 1);
    const double w[D] = { 2.0, 0.5, 0.0 }, zero[D] = { 0.0 };
    const sp_query query = { .terms = 2, .term = { { 1.0, w }, { -1.0, zero } } };
    const double limit = 0.01 * hypot(2.0, 0.5);
    OK(o, sp_mean_loss(o, &query, 0.0, &out)); /* down, up, none, and the loss at x = 0 does not change */
    CHECK_NEAR(out, (-limit + limit) / 4.0, 1e-15);
    y[1] = -1.0;
    OK(o, sp_mean_loss(o, &query, 0.0, &out));
    CHECK_NEAR(out, -2.0 * limit / 4.0, 1e-15);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Neighbours move the answer by the sensitivity, and no more: 2 bound / m, recorded and found by a replay. */
static void neighbours(void)
{
    static const double w[D] = { 0.9, 0.0, 0.0 }, zero[D] = { 0.0 };
    for (size_t i = 0; i < 3; i++) { /* the bound that L implies; one that cuts; what is paid for half of that */
        sp_transcript *transcript[2] = { sp_transcript_new(), sp_transcript_new() };
        for (size_t side = 0; side < 2; side++) {
            private_problem p;
            double *X = NULL, *y = NULL, out = NAN;
            sp_oracle *o = NULL;
            private_problem_new(&p, 4, D, &X, &y);
            X[0] = 1.0;
            y[0] = side == 0 ? 1.0 : -1.0;
            y[1] = y[2] = y[3] = 1.0;
            private_problem_seal(&p, &sp_loss_logistic, 0.0);
            sp_oracle_options options = private_options(&p, private_paper, 5);
            options.transcript = transcript[side];
            if (side == 0)
                sp_transcript_record(transcript[0]);
            else
                sp_transcript_replay(transcript[1], transcript[0]);
            CHECK_EQUAL(sp_oracle_new(&options, &o, NULL), SP_OK);
            const sp_query query = { .terms = 2, .term = { { 1.0, w }, { -1.0, zero } }, .bound = i == 0 ? 0.0 : 0.2 };
            OK(o, sp_mean_loss(o, &query, 7.0, &out));
            const sp_event *event = sp_transcript_at(transcript[side], 0);
            const double bound = i == 0 ? sp_public(o)->L_data * 0.9 : 0.2;
            CHECK_TEXT(event->primitive, "mean_loss");
            CHECK(event->size == 1 && event->answers == 1 && event->points == 2 && event->point[0][0] == 0.9);
            CHECK_NEAR(event->sensitivity, 2.0 * bound / 4.0, 1e-15);
            CHECK_NEAR(event->noise_std, 7.0 * 2.0 * bound / 4.0, 1e-14);
            CHECK(out == event->answer[0] && out == sp_transcript_at(transcript[0], 0)->answer[0]);
            sp_oracle_free(o);
            private_problem_free(&p);
        }
        CHECK(!sp_transcript_finding(transcript[1]));
        const double moved = i == 0 ? (log1p(exp(0.9)) - log1p(exp(-0.9))) / (2.0 * 0.9) : 1.0;
        CHECK_NEAR(sp_transcript_move(transcript[1]), moved, 1e-12);
        sp_transcript_free(transcript[1]);
        sp_transcript_free(transcript[0]);
    }
}

/* Noise has the announced deviation on every kind of batch, and the ledger what was announced. */
static void noise_and_charges(void)
{
    enum { RUNS = 4000, SIZE = 10, KINDS = 5, MEMBERS = 40 };
    const sp_sample samples[KINDS] = { sp_full(), sp_subset(SIZE), sp_fresh(SIZE), sp_pass(SIZE, true),
                                       sp_poisson(0.25) };
    static const sp_ledger_kind kinds[KINDS] = { SP_LEDGER_GAUSS, SP_LEDGER_GAUSS_WOR, SP_LEDGER_GAUSS, SP_LEDGER_GAUSS,
                                                 SP_LEDGER_POISSON };
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.07, MEMBERS, D);
    for (size_t k = 0; k < KINDS; k++) {
        const size_t runs = k == 2 ? MEMBERS / SIZE : RUNS;
        const double m = k == 0 ? MEMBERS : SIZE, unit = (k == 4 ? 1.0 : 2.0) * 4.0 / m;
        sp_transcript *transcript = sp_transcript_new();
        sp_oracle_options options = private_options(&p, private_tight, 2);
        sp_oracle *o = NULL;
        double multiplier = NAN, sum = 0.0, squares = 0.0, out;
        options.transcript = transcript;
        sp_transcript_record(transcript);
        CHECK_EQUAL(sp_oracle_new(&options, &o, NULL), SP_OK);
        OK(o, sp_calibrate(o, &(sp_release_plan){ SP_MEAN_LOSS, samples[k], runs }, 1, &multiplier));
        for (size_t t = 0; t < runs; t++) {
            sp_query query = { .terms = 2, .term = { { 250.0, v }, { -250.0, u } }, .bound = 4.0 };
            OK(o, sp_draw(o, samples[k], &query.batch));
            OK(o, sp_mean_loss(o, &query, multiplier, &out));
            const sp_event *event = sp_transcript_at(transcript, t);
            CHECK_NEAR(event->noise_std, multiplier * unit, 1e-12 * multiplier * unit);
            const double public_part = plain_loop(&p, &query, 0.0);
            const double z = (out - public_part - event->raw[0]) / event->noise_std;
            sum += z / (double)runs;
            squares += z * z / (double)runs;
        }
        CHECK_NEAR(sum, 0.0, 4.9 / sqrt((double)runs));
        CHECK(k == 2 || fabs(squares - 1.0) <= 4.9 * sqrt(2.0 / (double)runs)); /* fresh: four numbers are no normal */
        const sp_ledger *ledger = sp_oracle_ledger(o);
        size_t count = 0;
        for (size_t i = 0; i < ledger->count; i++) {
            CHECK_EQUAL(ledger->entry[i].kind, kinds[k]);
            CHECK(k == 3 || fabs(ledger->entry[i].sensitivity_high - unit) < 1e-14);
            count += ledger->entry[i].count;
        }
        CHECK(k == 3 ? count <= runs : count == runs); /* of a pass: an epoch is charged once */
        sp_bounds bounds = { .best = NAN };
        CHECK_EQUAL(sp_oracle_spent(o, &bounds, NULL), SP_OK);
        CHECK_LESS_EQUAL(bounds.best, 1.0 + 1e-9);
        CHECK_LESS_EQUAL(0.9999, bounds.best);
        if (k < 2) { /* nothing is left for another one */
            sp_query query = { .terms = 2, .term = { { 1.0, v }, { -1.0, u } } };
            OK(o, sp_draw(o, samples[k], &query.batch));
            out = 77.5;
            CHECK_EQUAL(sp_mean_loss(o, &query, multiplier, &out), SP_EBUDGET);
            CHECK(out == 77.5);
        }
        sp_oracle_free(o);
        sp_transcript_free(transcript);
    }
    private_problem_free(&p);
}

static void refusals(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_paper, 3);
    const double broken[D] = { 0.0, NAN, 0.0 }, wrong[] = { 0.0, -1.0, NAN, INFINITY };
    const sp_query good = { .terms = 2, .term = { { 1.0, v }, { -1.0, u } } };
    double out = 77.5;
    sp_query query = SP_AT(all, v);
    REFUSED(o, sp_mean_loss(o, &query, 5.0, &out), SP_EINVAL, "the coefficients sum to 1, and a loss that is no "
            "difference needs a bound");
    query = (sp_query){ .terms = 0 };
    REFUSED(o, sp_mean_loss(o, &query, 5.0, &out), SP_EINVAL, "terms = 0 must be in [1, 4]");
    query = (sp_query){ .terms = 1, .term = { { NAN, v } }, .bound = 1.0 };
    REFUSED(o, sp_mean_loss(o, &query, 5.0, &out), SP_EINVAL, "coefficient 0 is nan");
    query = (sp_query){ .terms = 2, .term = { { 1.0, broken }, { -1.0, u } } };
    REFUSED(o, sp_mean_loss(o, &query, 5.0, &out), SP_ENUMERIC, "coordinate 1 of the point is nan");
    query = good;
    query.bound = -2.5;
    REFUSED(o, sp_mean_loss(o, &query, 5.0, &out), SP_EINVAL, "bound = -2.5 must be >= 0");
    query.bound = 1e200;
    REFUSED(o, sp_mean_loss(o, &query, 5.0, &out), SP_EPRIVACY, "bound = 1e+200 is above 1e+150");
    query = good;
    query.batch.id = 999;
    REFUSED(o, sp_mean_loss(o, &query, 5.0, &out), SP_EINVAL, "no longer valid");
    for (size_t i = 0; i < 4; i++)
        REFUSED(o, sp_mean_loss(o, &good, wrong[i], &out), SP_EPRIVACY, "sp_mean_loss: noise_multiplier = ");
    p.problem.declared.L_data = INFINITY;
    REFUSED(o, sp_mean_loss(o, &good, 5.0, &out), SP_EPRIVACY, "no finite sensitivity (L_data = inf");
    CHECK(out == 77.5 && sp_oracle_ledger(o)->count == 0 && sp_oracle_cost(o).releases == 0);
    query = good;
    query.bound = 0.5; /* it needs no L */
    OK(o, sp_mean_loss(o, &query, 5.0, &out));
    OK(o, sp_draw(o, sp_subset(5), &query.batch));
    OK(o, sp_mean_loss(o, &query, 5.0, &out));
    REFUSED(o, sp_mean_loss(o, &query, 5.0, &out), SP_EPRIVACY, "was released twice");
    sp_oracle_free(o);

    sp_privacy other = private_paper;
    other.neighbours = SP_ADD_REMOVE;
    o = private_oracle(&p, other, 4);
    query = good;
    query.bound = 0.5;
    REFUSED(o, sp_mean_loss(o, &query, 5.0, &out), SP_EPRIVACY, "only releases on Poisson samples");
    OK(o, sp_draw(o, sp_poisson(0.3), &query.batch));
    OK(o, sp_mean_loss(o, &query, 5.0, &out));
    sp_oracle_free(o);
    private_problem_free(&p);
}

int main(void)
{
    gsl_set_error_handler_off();
    definition();
    cuts();
    neighbours();
    noise_and_charges();
    refusals();
    return sp_check_done();
}
