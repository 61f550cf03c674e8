/* verify_stamp.h -- `verify --stamp`: reruns a sample of the runs of all experiments whose sources have changed, and writes
 * which old hashes stand for the sources of now (core/store/stamps.h). */
#ifndef SP_VERBS_VERIFY_STAMP_H
#define SP_VERBS_VERIFY_STAMP_H

#include "core/cli/verbs/verbs.h"

typedef struct sp_stamping {
    const sp_common *common;
    uint64_t sample, seed, jobs; /* jobs 0: the number of processors */
} sp_stamping;

enum { SP_STAMP_SAMPLE = 299 }; /* the fewest: when none of them differs, at most 1 % of all do, with 95 % confidence */

/* An exit code; messages go to the standard error. */
int sp_verify_stamp(const sp_stamping *);

#endif
