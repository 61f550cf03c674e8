/* segments.h -- SPIDER on fresh records, in segments with correlated noise each, saddle escapes and a private choice at
 * the end. What it does and why is in the head of adaptive_spider.c; fixed_spider.c says what a fixed
 * batch changes. */
#ifndef SP_ALGORITHMS_PARTS_SEGMENTS_H
#define SP_ALGORITHMS_PARTS_SEGMENTS_H

#include "algorithms/algorithm.h"

extern const sp_param sp_segments_params[];

/* `fixed`: a difference takes as many records as the longest step needs, else in proportion to the step. */
sp_status sp_segments_run(sp_oracle *, const sp_values *, bool fixed, double *w);

#endif
