/* private_problem.h -- small problems and oracles over them, for the tests of core/oracle. */
#ifndef SP_TESTS_PRIVATE_PROBLEM_H
#define SP_TESTS_PRIVATE_PROBLEM_H

#include "core/base/memory.h"
#include "core/oracle/oracle_host.h"
#include "tests/check.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <stdlib.h>

extern const sp_loss sp_loss_logistic, sp_loss_pseudo_huber;
extern const sp_regulariser sp_regulariser_nonconvex;

typedef struct private_problem {
    sp_dataset data;
    sp_problem problem;
} private_problem;

/* Records of norm at most 1; the caller fills X (n x stride) and y before private_problem_seal. */
static inline void private_problem_new(private_problem *p, size_t n, size_t d, double **X, double **y)
{
    sp_error error;
    memset(p, 0, sizeof *p);
    SP_CHECK_REPORT(sp_dataset_new(SP_STORE_DENSE, n, d, 0, true, false, &p->data, &error) == SP_OK, "%s", error.text);
    *X = sp_dataset_X(&p->data);
    *y = sp_dataset_y(&p->data);
}

static inline void private_problem_seal(private_problem *p, const sp_loss *loss, double lambda)
{
    sp_error error = { .text = "" };
    sp_values values;
    sp_problem *q = &p->problem;
    const size_t d = p->data.d;
    SP_CHECK_REPORT(sp_dataset_seal(&p->data, 1.0, 1.0, &error) == SP_OK, "%s", error.text);
    sp_values_start(&values, loss->params);
    q->loss = loss;
    for (size_t i = 0; i < values.count; i++)
        q->number[i] = sp_real(&values, i);
    q->regulariser = lambda > 0.0 ? &sp_regulariser_nonconvex : NULL;
    q->lambda = lambda;
    q->domain = (sp_domain){ SP_DOMAIN_SPACE, d, INFINITY, INFINITY };
    q->train = &p->data;
    q->start = sp_alloc_doubles(d);
    const sp_setting setting = { .loss = loss, .number = q->number, .regulariser = q->regulariser, .lambda = lambda,
                                 .domain = &q->domain, .n = p->data.n, .features = d, .radius = 1.0,
                                 .label_bound = 1.0 };
    SP_CHECK_REPORT(sp_certify(&setting, &q->certified, &error) == SP_OK, "%s", error.text);
    q->declared = q->certified;
}

/* Records uniform in direction, of norm in [0.3, 1], labels by coin. */
static inline void private_problem_random(private_problem *p, const sp_loss *loss, double lambda, size_t n, size_t d)
{
    double *X = NULL, *y = NULL;
    gsl_rng *r = sp_stream_open(sp_stream_key_of(17, "private_problem", 0, SP_STREAM_DATA));
    private_problem_new(p, n, d, &X, &y);
    for (size_t i = 0; i < n; i++) {
        double norm = 0.0;
        const double length = 0.3 + 0.7 * gsl_rng_uniform(r);
        for (size_t j = 0; j < d; j++) {
            X[i * p->data.stride + j] = gsl_ran_gaussian(r, 1.0);
            norm = hypot(norm, X[i * p->data.stride + j]);
        }
        for (size_t j = 0; j < d; j++)
            X[i * p->data.stride + j] *= length / norm;
        y[i] = gsl_rng_uniform(r) < 0.5 ? -1.0 : 1.0;
    }
    gsl_rng_free(r);
    private_problem_seal(p, loss, lambda);
}

/* Record i is the i-th unit vector under pseudo_huber: the data part of an answer shows which records it saw. */
static inline void private_problem_units(private_problem *p, size_t n)
{
    double *X = NULL, *y = NULL;
    private_problem_new(p, n, n, &X, &y);
    for (size_t i = 0; i < n; i++)
        X[i * p->data.stride + i] = y[i] = 1.0;
    private_problem_seal(p, &sp_loss_pseudo_huber, 0.0);
}

static inline void private_problem_free(private_problem *p)
{
    sp_dataset_free(&p->data);
    free(p->problem.start);
}

static inline sp_oracle_options private_options(const private_problem *p, sp_privacy privacy, uint64_t seed)
{
    return (sp_oracle_options){ .problem = &p->problem,
                                .privacy = privacy,
                                .coins = sp_stream_key_of(seed, "", 0, SP_STREAM_COINS),
                                .sampling = sp_stream_key_of(seed, "", 0, SP_STREAM_SAMPLING),
                                .noise = sp_stream_key_of(seed, "", 0, SP_STREAM_NOISE),
                                .selection = sp_stream_key_of(seed, "", 0, SP_STREAM_SELECTION) };
}

static inline sp_oracle *private_oracle(const private_problem *p, sp_privacy privacy, uint64_t seed)
{
    sp_oracle *o = NULL;
    sp_error error = { .text = "" };
    const sp_oracle_options options = private_options(p, privacy, seed);
    SP_CHECK_REPORT(sp_oracle_new(&options, &o, &error) == SP_OK, "%s", error.text);
    return o;
}

static const sp_privacy private_tight = { .private = true, .epsilon = 1.0, .delta = 1e-6, .noise = true };
static const sp_privacy private_paper = { .private = true, .epsilon = 1.0, .delta = 1e-6, .noise = true,
                                          .calibration = SP_CALIBRATE_PAPER };
static const sp_privacy private_silent = { .private = true, .epsilon = 1.0, .delta = 1e-6, .noise = false };
static const sp_privacy private_none = { .private = false };

#define OK(o, call) SP_CHECK_REPORT((call) == SP_OK, "%s: %s", #call, sp_oracle_error(o)->text)

/* The call is refused with this status and a message that contains `part`. */
#define REFUSED(o, call, expected, part)                  \
    do {                                                  \
        CHECK_EQUAL(call, expected);                      \
        CHECK_EQUAL(sp_oracle_error(o)->status, expected); \
        CHECK_CONTAINS(sp_oracle_error(o)->text, part);   \
    } while (0)

#endif
