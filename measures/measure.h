/* measure.h -- a number about an iterate that the harness computes with full access. One measure a file; the file's
 * name is its name in Lua. It never flows back to the algorithm, and runs off the clock. */
#ifndef SP_MEASURES_MEASURE_H
#define SP_MEASURES_MEASURE_H

#include "losses/engine/problem.h"
#include "losses/engine/reference.h"

typedef struct sp_measure {
    const char *name;
    const char *summary;   /* one line, with the formula */
    const char *unit;      /* for axes: "||grad F||" */
    bool reference;        /* needs F* */
    bool lower_is_better;
    /* NULL when it can be computed on this problem (loss, labels, dimension), else why not. */
    const char *(*fits)(const sp_loss *, const sp_constants *, bool labels);
    /* `scratch` has d * d + 2 d doubles. `reference` is NULL unless asked for. */
    sp_status (*compute)(const sp_problem *, sp_workspace *, const sp_reference *, const double *w, double *scratch,
                         double *out);
} sp_measure;

#endif
