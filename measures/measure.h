/* measure.h -- the interface of a measure: a number about an iterate that the harness computes with full access to the
 * records. There is one measure per file; the file's name is its name in Lua. It never flows back to the method, and
 * its time is not counted as the method's. */
#ifndef SP_MEASURES_MEASURE_H
#define SP_MEASURES_MEASURE_H

#include "losses/engine/problem.h"
#include "losses/optimum/reference.h"

/* What a run's value of a measure is. Along the way (traces) it is always that of the iterate. */
typedef enum {
    SP_AT_ANSWER,    /* at the returned iterate; of select = "mean" the mean over the candidates */
    SP_AT_HAND_OVER, /* at the point from which a second method goes on */
    SP_MEAN_OF_PATH, /* the mean over all iterates that the method reports (sp_checkpoint), the start among them */
    SP_MOST_OF_PATH  /* the largest over them */
} sp_measured;

typedef struct sp_measure {
    const char *name;
    const char *summary;   /* one line, with the formula */
    const char *unit;      /* for axes: "||grad F||" */
    const char *error;     /* how exact it is: "rounding", "certified 1e-8 relative", "sampling, 1/sqrt(m)" */
    bool reference;        /* needs F*; with `population` that of the population, P* */
    bool population;       /* needs problem.population */
    bool lower_is_better;
    bool nonnegative;      /* whatever w is: a norm, a distance. Tables then cut an interval at 0 */
    sp_measured measured;
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
