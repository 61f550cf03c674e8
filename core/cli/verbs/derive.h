/* derive.h -- makes the derived tables of a folder again, beside it, and compares them with those that are there. */
#ifndef SP_VERBS_DERIVE_H
#define SP_VERBS_DERIVE_H

#include "core/session/session.h"

typedef enum {
    SP_DERIVED_SAME,
    SP_DERIVED_DIFFERS,  /* other bytes, or the tables give none */
    SP_DERIVED_MISSING,  /* the tables give it, and it is not there */
    SP_DERIVED_UNKNOWN   /* it takes traces.tsv, which is not here */
} sp_derived_found;

/* Calls `take` with each derived table, "figures/r.tsv", that the tables in `folder` give or that lies there. */
typedef sp_status sp_derived_take(void *context, const char *file, sp_derived_found, sp_error *);
sp_status sp_derive_again(const sp_session *, const char *folder, sp_derived_take *, void *context, sp_error *);

#endif
