/* shaped.h -- a logistic problem of the size of a real one: n records of d features in memory that workers share. */
#ifndef SP_TESTS_BENCH_SHAPED_H
#define SP_TESTS_BENCH_SHAPED_H

#include "tests/private_problem.h"

static inline void shaped_problem(private_problem *p, size_t n, size_t d)
{
    sp_error error = { .text = "" };
    gsl_rng *r = sp_stream_open(sp_stream_key_of(54, "shaped", 0, SP_STREAM_DATA));
    memset(p, 0, sizeof *p);
    SP_CHECK_REPORT(sp_dataset_new(SP_STORE_DENSE, n, d, 0, true, true, &p->data, &error) == SP_OK, "%s", error.text);
    double *X = sp_dataset_X(&p->data), *y = sp_dataset_y(&p->data);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < d; j++)
            X[i * p->data.stride + j] = (2.0 * gsl_rng_uniform(r) - 1.0) / sqrt((double)d);
        y[i] = gsl_rng_uniform(r) < 0.5 ? -1.0 : 1.0;
    }
    gsl_rng_free(r);
    private_problem_seal(p, &sp_loss_logistic, 0.0);
}

#endif
