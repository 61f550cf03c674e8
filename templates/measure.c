/* NAME.c -- FILL: a number about an iterate w. As it stands: ||w - w0||_2, w0 the start. */
#include "measures/measure.h"

/* FILL: why it cannot be computed on this problem; NULL: it can. */
static const char *fits(const sp_loss *loss, const sp_constants *constants, bool labels)
{
    (void)loss, (void)constants, (void)labels;
    return NULL;
}

/* FILL: *out from the problem, whose records and constants are at hand: nothing here goes back to a method. `scratch`
 * holds 8 d doubles. NAN, with SP_OK, where the number does not exist at w. */
static sp_status compute(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference, const double *w,
                         double *scratch, double *out)
{
    (void)workspace, (void)reference, (void)scratch;
    double square = 0.0;
    for (size_t j = 0; j < sp_problem_d(p); j++)
        square += (w[j] - p->start[j]) * (w[j] - p->start[j]);
    *out = sqrt(square);
    return SP_OK;
}

const sp_measure sp_measure_NAME = {
    .name = "NAME",
    .summary = "||w - w0||_2, w0 the start", /* FILL: one line, with the formula */
    .unit = "||w - w0||",                    /* FILL: on axes */
    .error = "rounding",                     /* FILL: how exact it is */
    .lower_is_better = true,
    .fits = fits,
    .compute = compute,
};
