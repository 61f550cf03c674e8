/* sealed.h -- may a verb quote what is in a folder of results? */
#ifndef SP_SESSION_SEALED_H
#define SP_SESSION_SEALED_H

#include "core/plan/plan.h"

/* SP_OK when the folder has a SEAL, its tables match it, its derived tables were made from them, and with `plots` (may be
 * NULL) its figures, too. SP_EDATA and SP_EVERSION name what is not so, with a remedy. */
sp_status sp_need_sealed(const char *folder, const char *plots, sp_error *);

/* For verbs that read tables of any format: one line on the standard error, and true, where the folder has no SEAL. */
bool sp_warn_unsealed(const char *folder);

/* Are the tables those of this text of the script? SP_EDATA when the script or a file that it includes has other tokens than
 * it had. A folder without a SEAL passes. */
sp_status sp_need_script(const char *folder, const sp_plan *, sp_error *);
/* The same of the script that the SEAL names and of the files that it includes, as far as they are there. */
sp_status sp_need_its_script(const char *folder, sp_error *);

#endif
