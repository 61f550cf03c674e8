/* measure.h -- a number about an iterate that the harness computes with full access. One measure a file; the file's
 * name is its name in Lua. It never flows back to the algorithm, and runs off the clock. */
#ifndef SP_MEASURES_MEASURE_H
#define SP_MEASURES_MEASURE_H

#include "losses/engine/problem.h"
#include "losses/optimum/reference.h"

typedef struct sp_measure {
    const char *name;
    const char *summary;   /* one line, with the formula */
    const char *unit;      /* for axes: "||grad F||" */
    const char *error;     /* how exact it is: "rounding", "certified 1e-8 relative", "sampling, 1/sqrt(m)" */
    bool reference;        /* needs F*; with `population` that of the population, P* */
    bool population;       /* needs problem.population */
    bool lower_is_better;
    bool handed_over;      /* of a run: at the point from which a second method goes on, in place of the returned one */
    /* NULL when it can be computed on this problem (loss, labels, dimension), else why not. */
    const char *(*fits)(const sp_loss *, const sp_constants *, bool labels);
    /* Doubles of scratch that compute needs; NULL: 8 d. */
    size_t (*scratch)(const sp_problem *);
    /* `reference` is NULL unless asked for: sp_reference_compute on the training records or, where `population` is set
     * too, on sp_problem_on(p, p->population). *out is NAN, with SP_OK, where it does not exist at w. SP_ENUMERIC where
     * it could not be computed at w. */
    sp_status (*compute)(const sp_problem *, sp_workspace *, const sp_reference *, const double *w, double *scratch,
                         double *out);
} sp_measure;

#endif
