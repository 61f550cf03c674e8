/* nowhere.h -- methods of an experiment that run at none of its points. */
#ifndef SP_CLI_VERBS_NOWHERE_H
#define SP_CLI_VERBS_NOWHERE_H

#include "core/plan/plan.h"

/* SP_EINVAL names the labels, each with the reason of its first cell, and the remedy: all cells of the label that this
 * invocation is about are skipped. */
sp_status sp_check_nowhere(const sp_plan *, sp_error *);

#endif
