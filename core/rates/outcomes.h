/* outcomes.h -- how many claims had which outcome: the only count and the only wording, used by `check`, the report
 * and, by `check --counts`, README.md and docs/results/results.md. */
#ifndef SP_EVIDENCE_OUTCOMES_H
#define SP_EVIDENCE_OUTCOMES_H

#include "core/rates/verdict.h"

enum { SP_OUTCOMES = SP_NOT_RESOLVED + 1 };

typedef struct sp_outcomes {
    size_t claims, of[SP_OUTCOMES]; /* of: claims by sp_verdict_kind */
} sp_outcomes;

/* The order in which they are printed, and their words: "agree", "not resolved". */
extern const sp_verdict_kind sp_outcome_order[SP_OUTCOMES];
const char *sp_outcome_word(sp_verdict_kind);

/* The verdict of that name; false: there is none. */
bool sp_verdict_named(const char *name, sp_verdict_kind *);
/* Does the measurement contradict the claim? A better exponent contradicts only a tight claim. */
bool sp_outcome_contradicts(sp_verdict_kind, bool tight);
/* Why the verdict is of this kind: the reason that it gives, or, where the exponent alone decides, which side of the
 * tolerance the interval lies on. "" for a claim that agrees without a reason. */
const char *sp_outcome_reason(sp_verdict_kind, const char *reason);

void sp_outcomes_add(sp_outcomes *, sp_verdict_kind);
/* "8 (5 agree, 2 not resolved, 1 shallower)" */
void sp_outcomes_text(const sp_outcomes *, sp_text *);

/* How many letters of a claim's source name the paper: up to the year, else up to a comma. */
size_t sp_source_paper(const char *source);

#endif
