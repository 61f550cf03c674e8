/* claims.h -- the claims of an experiment as a table, so that what is checked needs no Lua.
 *
 * claims.tsv: one row a claim, the members of sp_claim by name beside the experiment's seed; `where` is
 * "key=value, key=value"; "-" stands for what is not given. */
#ifndef SP_RUNNER_CLAIMS_H
#define SP_RUNNER_CLAIMS_H

#include "core/runner/plan.h"
#include "core/runner/export.h"

typedef struct sp_claims {
    sp_claim *claim;
    size_t count;
    uint64_t seed;      /* of the experiment; 0 without a claim */
    sp_table table;     /* owns the texts */
    sp_pair *pair;      /* all conditions */
} sp_claims;

sp_status sp_claims_write(const sp_plan *, const char *results, sp_error *);
/* SP_EABSENT when there is no claims.tsv, SP_EDATA with file and line for what sp_claims_write does not write. */
sp_status sp_claims_read(const char *results, sp_claims *, sp_error *);
void sp_claims_free(sp_claims *);

/* "epsilon=1, loss=sigmoid", "-" without a condition. */
void sp_claim_conditions(const sp_claim *, sp_text *);

#endif
