/* resolved.h -- the column `resolved` of a run, such as "eta=0.1:user steps=7:theory_capped:20": for each parameter its
 * value, where the value came from, and, if a cap reduced it, the value without the cap. */
#ifndef SP_BASE_RESOLVED_H
#define SP_BASE_RESOLVED_H

#include "core/base/text.h"

#define SP_RESOLVED_CAPPED "theory_capped"

/* The capped ones as the column `capped` has them: "steps=7:20", or "steps=7" where the method does not tell. */
void sp_resolved_caps(const char *resolved, sp_text *out);

#endif
