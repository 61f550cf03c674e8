/* NAME.c -- FILL: what a record is. As it stands: x uniform in the cube |x_j| <= 1 / sqrt(d), so that ||x|| <= 1, and a
 * label y = -1 or +1 with equal probability. */
#include "core/data/generator.h"

/* FILL: public bounds on ||x|| and on |y|, for every record and every d. */
static double radius(const sp_values *v, size_t d)
{
    (void)v, (void)d;
    return 1.0;
}

static double label_bound(const sp_values *v, size_t d)
{
    (void)v, (void)d;
    return 1.0;
}

/* FILL: a record, from nothing but these arguments: the same whenever it is made. y is NULL where no label is
 * asked for. */
static void record(const sp_values *v, size_t d, const double *truth, sp_rng *stream, double *restrict x, double *y)
{
    (void)v, (void)truth;
    const double side = (1.0 - 1e-15) / sqrt((double)d);
    for (size_t j = 0; j < d; j++)
        x[j] = side * (2.0 * gsl_rng_uniform(stream) - 1.0);
    if (y)
        *y = gsl_rng_uniform(stream) < 0.5 ? -1.0 : 1.0;
}

const sp_generator sp_generator_NAME = {
    .name = "NAME",
    .summary = "uniform in a cube, random labels", /* FILL: one line */
    .radius = radius,
    .label_bound = label_bound,
    .labels = true,
    .binary = true, /* labels are -1 and +1 */
    .record = record,
};
