/* verify_quick.h -- `verify --quick`: seals and derived tables, without a run. */
#ifndef SP_VERBS_VERIFY_QUICK_H
#define SP_VERBS_VERIFY_QUICK_H

#include "core/cli/verbs/verbs.h"

/* Checks the folders of these experiments, without one of all that have tables in results/; prints a line a folder. An exit
 * code. */
int sp_verify_quick(const sp_common *, char **word, size_t words);

#endif
