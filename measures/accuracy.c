/* accuracy.c -- the share of records with y = sign(<w, x>), where a margin of 0 counts as +1; on the test records if
 * there are any, otherwise on the training records. A margin that is NaN counts as wrong. */
#include "measures/measure.h"

#include "core/data/rows.h"

static const sp_dataset *data_of(const sp_problem *p)
{
    return p->test ? p->test : p->train;
}

static size_t scratch_of(const sp_problem *p)
{
    return SP_ROWS + sp_rows_buffer(data_of(p));
}

static const char *fits(const sp_loss *loss, const sp_constants *constants, bool labels)
{
    (void)constants;
    return !labels || !loss->link || !loss->labels_binary ? "accuracy needs a GLM loss with labels -1 and +1" : NULL;
}

static sp_status compute(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference, const double *w,
                         double *scratch, double *out)
{
    (void)workspace, (void)reference;
    const sp_dataset *data = data_of(p);
    const size_t most = sp_rows_per_block(data);
    double *margin = scratch, *buffer = margin + SP_ROWS;
    sp_row_block block;
    size_t right = 0;
    for (size_t first = 0, count; first < data->n; first += count) {
        count = data->n - first < most ? data->n - first : most;
        sp_rows_gather(data, NULL, first, count, buffer, &block);
        sp_rows_dot(&block, w, margin);
        for (size_t i = 0; i < count; i++)
            right += data->y[first + i] > 0.0 ? margin[i] >= 0.0 : margin[i] < 0.0;
    }
    *out = (double)right / (double)data->n;
    return SP_OK;
}

const sp_measure sp_measure_accuracy = {
    .name = "accuracy",
    .summary = "share of test records (training ones without a test set) with y = sign(<w, x>)",
    .unit = "accuracy",
    .error = "exact on these records",
    .fits = fits,
    .scratch = scratch_of,
    .compute = compute,
};
