/* normalise.c -- records that are normalised in place of being cut: C v / (||v|| + xi), by the definition, in each
 * engine; no record's part is C long, whatever it is; what is refused. */
#include "core/oracle/replay.h"
#include "tests/landscape.h"
#include "tests/private_problem.h"

#include <gsl/gsl_cblas.h>

enum { N = 40, D = 3 };

/* The mean over the records of C v / (||v|| + xi), v = sum_k c_k clip(grad f(w_k), record). */
static void by_hand(const landscape *l, size_t terms, const sp_term *term, double record, double C, double xi,
                    double *out)
{
    const size_t d = l->problem.domain.d;
    double g[2 * LANDSCAPE_D], v[2 * LANDSCAPE_D];
    memset(out, 0, d * sizeof *out);
    for (size_t i = 0; i < N; i += 2) { /* the others are their opposites */
        memset(v, 0, sizeof v);
        for (size_t k = 0; k < terms; k++) {
            sp_record_gradient(&l->problem, l->workspace, i, term[k].point, g);
            const double norm = cblas_dnrm2((int)d, g, 1), cut = norm > record ? record / norm : 1.0;
            cblas_daxpy((int)d, term[k].coefficient * cut, g, 1, v, 1);
        }
        const double norm = cblas_dnrm2((int)d, v, 1);
        cblas_daxpy((int)d, C / (norm + xi) / N, v, 1, out, 1);
    }
}

static void definition(void)
{
    static const char *const losses[] = { "logistic", "sigmoid", "pseudo_huber", "sin_pl", "circular", "radial" };
    static const double limit[] = { INFINITY, 0.05 };
    gsl_rng *stream = landscape_stream("normalise");
    uint32_t even[N / 2];
    for (uint32_t k = 0; k < N / 2; k++)
        even[k] = 2 * k;
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        landscape l;
        const sp_loss *loss = sp_loss_find(losses[i]);
        if (!landscape_make((landscape_options){ .loss = loss, .n = N, .d = D, .radius = 1.0, .label_bound = 1.0,
                                                 .short_rows = true }, stream, &l))
            continue;
        const size_t d = l.problem.domain.d;
        double w[2 * LANDSCAPE_D], v[2 * LANDSCAPE_D], out[2 * LANDSCAPE_D], expected[2 * LANDSCAPE_D], length = 0.0;
        for (size_t j = 0; j < d; j++) {
            w[j] = gsl_ran_gaussian(stream, 0.5);
            v[j] = gsl_ran_gaussian(stream, 0.5);
        }
        const sp_term one[] = { { 1.0, w } }, two[] = { { 1.0, w }, { -0.7, v } };
        for (size_t k = 0; k < 4; k++) {
            const double record = limit[k % 2];
            const sp_clip clip = { .record = record, .total = 0.35, .normalise = 0.02 };
            const sp_data_ask ask = { k < 2 ? 1 : 2, k < 2 ? one : two, &clip, out };
            sp_data_queries(&l.problem, l.workspace, (sp_rows){ even, N / 2 }, 1, &ask, N);
            by_hand(&l, ask.terms, ask.term, record, 0.35, 0.02, expected);
            for (size_t j = 0; j < d; j++) {
                CHECK_NEAR(out[j], expected[j], 1e-13);
                length = fmax(length, fabs(expected[j]));
            }
        }
        CHECK(length > 1e-3);
        for (uint32_t row = 0; row < N; row++) { /* alone: shorter than C */
            const sp_clip clip = { .record = INFINITY, .total = 0.35, .normalise = 1e-9 };
            const sp_data_ask ask = { 1, one, &clip, out };
            sp_data_queries(&l.problem, l.workspace, (sp_rows){ &row, 1 }, 1, &ask, 1.0);
            CHECK_LESS_EQUAL(cblas_dnrm2((int)d, out, 1), 0.35 * (1.0 + 1e-12));
        }
        landscape_drop(&l);
    }
    gsl_rng_free(stream);
}

/* Records of any gradient, or none: in the oracle, where L_data is what is declared, however wrong. */
static void wild_records(void)
{
    static const double label[] = { 1.0, 1e9, -1e200, NAN, INFINITY };
    const double w[D] = { 0.3, -0.2, 0.1 };
    double answer[5][D];
    for (size_t side = 0; side < 5; side++) {
        private_problem p;
        double *X = NULL, *y = NULL;
        private_problem_new(&p, 4, D, &X, &y);
        for (size_t i = 0; i < 4; i++)
            X[i * p.data.stride + i % D] = y[i] = 1.0;
        private_problem_seal(&p, &sp_loss_logistic, 0.0);
        y[2] = label[side];
        p.problem.declared.L_data = 1e30;
        sp_oracle *o = private_oracle(&p, private_silent, 1);
        const sp_query query = { .terms = 1, .term = { { 1.0, w } }, .bound = 0.5, .normalise = 0.01 };
        CHECK_NEAR(sp_sensitivity(o, &query), 2.0 * 0.5 / 4.0, 1e-15);
        OK(o, sp_gradient(o, &query, 0.0, answer[side]));
        for (size_t j = 0; j < D; j++)
            CHECK_LESS_EQUAL(fabs(answer[side][j] - answer[0][j]), 2.0 * 0.5 / 4.0);
        sp_oracle_free(o);
        private_problem_free(&p);
    }
    CHECK_NEAR(answer[3][2], 0.0, 1e-15); /* no number counts as 0 */
}

static void refusals(void)
{
    private_problem p;
    double out[D], wrong[] = { -0.1, NAN, INFINITY };
    const double w[D] = { 0.3, -0.2, 0.1 };
    sp_accumulator *a;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_paper, 2);
    sp_query query = { .terms = 1, .term = { { 1.0, w } }, .bound = 0.5 };
    for (size_t i = 0; i < 3; i++) {
        query.normalise = wrong[i];
        REFUSED(o, sp_gradient(o, &query, 5.0, out), SP_EINVAL, "query: normalise = ");
    }
    query.normalise = 0.01;
    query.norm = SP_NORM_LINF;
    OK(o, sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &a));
    REFUSED(o, sp_accumulator_add(a, 1.0, &query), SP_EUNSUPPORTED, "records are normalised in l2");
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 0);
    query.norm = SP_NORM_L2;
    OK(o, sp_accumulator_add(a, 1.0, &query));
    sp_oracle_free(o);
    private_problem_free(&p);
}

int main(void)
{
    gsl_set_error_handler_off();
    definition();
    wild_records();
    refusals();
    return sp_check_done();
}
