/* algorithm.h -- what an algorithm exports. One algorithm a file; the file's name is its name in Lua.
 *
 * A file here includes this header, core/base, GSL, CBLAS (<gsl/gsl_cblas.h>) and LAPACKE, and nothing of the data or
 * the losses: it reaches records only through the oracle. No statics that change, no locks, no printing. */
#ifndef SP_ALGORITHMS_ALGORITHM_H
#define SP_ALGORITHMS_ALGORITHM_H

#include "core/base/memory.h"
#include "core/base/param.h"
#include "core/privacy/oracle.h"

#include <gsl/gsl_cblas.h>
#include <stdlib.h>
#include <string.h>

typedef struct sp_algorithm {
    const char *name;
    const char *summary;   /* one line */
    const char *source;    /* citation */
    const sp_param *params;
    bool non_private_only; /* a reference method: run with privacy = "none" */
    /* NULL when the algorithm fits a problem with these constants, else why not (static text). */
    const char *(*fits)(const sp_constants *);
    /* w[d] holds the start and takes the returned iterate. */
    sp_status (*run)(sp_oracle *, const sp_values *, double *w);
    /* Public bound on E[F(w) - F*] at the resolved parameters, for a warm start; NULL where theory gives none. */
    double (*risk_bound)(const sp_oracle *, const sp_values *);
} sp_algorithm;

typedef struct sp_method {
    const sp_algorithm *algorithm;
    sp_values values;
} sp_method;

#endif
