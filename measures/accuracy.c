/* accuracy.c -- the share of records with y = sign(<w, x>), a margin of 0 counting as +1; on the test records where
 * there are any, else on the training records. A margin that is not a number is wrong. */
#include "measures/measure.h"

#include <gsl/gsl_cblas.h>

static const char *fits(const sp_loss *loss, const sp_constants *constants, bool labels)
{
    (void)constants;
    return !labels || !loss->link || !loss->labels_binary ? "accuracy needs a GLM loss with labels -1 and +1" : NULL;
}

static sp_status compute(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference, const double *w,
                         double *scratch, double *out)
{
    (void)workspace, (void)reference, (void)scratch;
    const sp_dataset *data = p->test ? p->test : p->train;
    size_t right = 0;
    for (size_t i = 0; i < data->n; i++) {
        const double margin = cblas_ddot((int)data->d, data->X + i * data->stride, 1, w, 1);
        right += data->y[i] > 0.0 ? margin >= 0.0 : margin < 0.0;
    }
    *out = (double)right / (double)data->n;
    return SP_OK;
}

const sp_measure sp_measure_accuracy = {
    .name = "accuracy",
    .summary = "share of test records (training ones without a test set) with y = sign(<w, x>)",
    .unit = "accuracy",
    .fits = fits,
    .compute = compute,
};
