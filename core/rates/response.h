/* response.h -- the response: the values to which the slope of a claim is fitted, replicate by replicate.
 *
 * For a family they are those of its worst member. The worst member is chosen on other replicates than those that are
 * fitted, because the largest of several sample means is on average above the largest mean. The tuning runs choose it
 * if they measured the same thing and are at least half as many; otherwise the even replicates choose for the odd ones
 * and vice versa. If the claim has a floor, the same member's value without noise is subtracted, replicate by replicate
 * (both runs had the same records). The result is divided by log^k x and by powers of resolved parameters. */
#ifndef SP_RATES_RESPONSE_H
#define SP_RATES_RESPONSE_H

#include "core/rates/curve.h"

typedef struct sp_response {
    size_t points, replicates;
    double *y;     /* the measure, points x replicates; NAN: none */
    double *floor; /* by point, mean without noise; NAN: not known */
    double *value; /* what is fitted, points x replicates */
    double *scale; /* by point, mean of what it was divided by; NAN: a parameter is missing */
    char *missing; /* the first parameter that the runs did not resolve; NULL: none. Belongs to the claim */
} sp_response;

/* A parameter as the run of this row had it: resolved by the method, or given by the experiment; NAN: neither. */
double sp_run_parameter(const sp_runs *, size_t row, const char *key);

/* Of an inversion there is no response: all NAN. */
void sp_response_of(const sp_runs *, const sp_claim *, const sp_curve *, sp_response *);
void sp_response_free(sp_response *);

/* A series of a label without a claim: at each point the worst member of its family, as a claim in mode sup would have
 * it. */
sp_status sp_series_worst(const sp_runs *, const sp_selection *, const char *family, sp_series *, sp_error *);

#endif
