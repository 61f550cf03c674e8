/* rates_internal.h -- what the files of a verdict share: preconditions.c (reasons why the runs cannot decide),
 * measured.c (the slope of a label), verdict.c (the outcome). */
#ifndef SP_RATES_RATES_INTERNAL_H
#define SP_RATES_RATES_INTERNAL_H

#include "core/rates/response.h"
#include "core/rates/verdict.h"


/* The verdict, with a reason for people and without a p, and true: nothing more is to be asked. */
__attribute__((format(printf, 3, 4))) bool sp_rule(sp_verdict *, sp_verdict_kind, const char *format, ...);
bool sp_is_mode(const sp_verdict *, const char *mode);
/* "n" of "problem.n" */
const char *sp_short_name(const char *axis);

/* --- preconditions.c ---------------------------------------------------------------------------------------------- */

bool sp_in_range(const sp_verdict *, size_t point);
/* Is y to be taken less its value without noise? */
bool sp_subtracts_floor(const sp_verdict *);
/* Is some y in range zero or less? */
bool sp_has_no_logarithm(const sp_verdict *);
/* Of a point that counts; over seeds, how many of those. */
size_t sp_fewest_replicates(const sp_verdict *);

typedef struct sp_tally {
    size_t in_range, high, near_floor; /* points; high: y is too near to the start; near_floor: to that without noise */
} sp_tally;

/* Marks and counts the points that count. */
sp_tally sp_count_points(sp_verdict *);
/* "2 of 5 points were capped: steps = 9 instead of 20 at n = 1000", nothing without any. */
void sp_tell_caps(const sp_runs *, const sp_verdict *, sp_text *);
/* Rules where the runs do not let the label be judged, whatever its slope is. room[replicates]. */
bool sp_preconditions_fail(sp_verdict *, const sp_runs *, const sp_response *, sp_tally, const sp_text *caps,
                           double *room);

/* --- measured.c ---------------------------------------------------------------------------------------------- */

/* Everything about a label but the word, over all seeds; a reason where it cannot be judged; its caps. The claim
 * outlives it. */
sp_status sp_verdict_measure(const sp_runs *, const sp_claim *, sp_verdict *, sp_text *caps, sp_error *);

#endif
