/* output.h -- the parameter `select`: which iterate a run returns. The choice uses public coins or released vectors
 * only, so it is post-processing. Candidates are the points at which a gradient estimate was released.
 *
 *   uniform      one of the candidates, all equally likely, drawn before the first release
 *   min_release  the candidate whose released gradient has the smallest norm
 *   average      the mean of all candidates
 *   last         the point after the final update
 *   mean         returns what `uniform` returns, but the harness measures all candidates, and a measure of the run is
 *                its mean over them: exactly its expectation over the draw. Only for methods whose output is the
 *                candidate itself, with nothing done to it or released about it afterwards. */
#ifndef SP_ALGORITHMS_PARTS_OUTPUT_H
#define SP_ALGORITHMS_PARTS_OUTPUT_H

#include "algorithms/algorithm.h"

#define SP_OUTPUT_POINTS "uniform|min_release|average|last"
#define SP_OUTPUTS SP_OUTPUT_POINTS "|mean"
typedef enum {
    SP_OUTPUT_UNIFORM, SP_OUTPUT_MIN_RELEASE, SP_OUTPUT_AVERAGE, SP_OUTPUT_LAST, SP_OUTPUT_MEAN
} sp_output_rule;

/* Is a theorem about a uniform candidate one about what is returned? */
static inline bool sp_output_is_uniform(sp_output_rule rule)
{
    return rule == SP_OUTPUT_UNIFORM || rule == SP_OUTPUT_MEAN;
}

typedef struct sp_output {
    sp_output_rule rule;
    sp_oracle *oracle;
    int d;
    size_t seen;     /* candidates so far */
    size_t drawn;    /* uniform, mean: the index to keep */
    double smallest; /* min_release: the norm of the kept candidate's release */
    double *kept;    /* d: the candidate kept, or the mean so far; free() it */
} sp_output;

/* Draws the index before the first release, so that the coins do not depend on how a run goes on. SP_ENOMEM. */
sp_status sp_output_open(sp_output *, sp_oracle *, sp_output_rule, size_t candidates);
/* The next candidate and the gradient estimate released there. What the harness says, of `mean`. */
sp_status sp_output_offer(sp_output *, const double *w, const double *release);
/* w holds the last iterate and takes the returned one. */
void sp_output_take(const sp_output *, double *w);

/* sp_promise for a theorem that speaks of a uniform iterate. */
void sp_predict(sp_oracle *, sp_output_rule, double bound, double known);

#endif
