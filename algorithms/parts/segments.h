/* segments.h -- SPIDER on fresh records in segments, each with its own correlated noise, with escapes from saddles and
 * a private choice at the end. The head of adaptive_spider.c explains the method; that of fixed_spider.c the variant
 * with a fixed batch. */
#ifndef SP_ALGORITHMS_PARTS_SEGMENTS_H
#define SP_ALGORITHMS_PARTS_SEGMENTS_H

#include "algorithms/algorithm.h"

extern const sp_param sp_segments_params[];

/* `fixed`: a difference takes as many records as the longest step needs, else in proportion to the step. */
sp_status sp_segments_run(sp_oracle *, const sp_values *, bool fixed, double *w);

#endif
