/* certify.h -- findings of losses/certify/certify.h as checks. */
#ifndef SP_TESTS_CERTIFY_H
#define SP_TESTS_CERTIFY_H

#include "core/plan/registry.h"
#include "losses/certify/certify.h"
#include "tests/check.h"

typedef struct certification {
    const char *subject;
    size_t findings, failures;
    unsigned failed; /* kinds of claims that failed */
} certification;

/* Counts. */
static inline void certify_quietly(void *context, const sp_finding *f)
{
    certification *c = context;
    c->findings++;
    c->failures += !f->passed;
    c->failed |= f->passed ? 0 : (unsigned)f->kind;
}

/* Counts, and a check each. */
static inline void certify(void *context, const sp_finding *f)
{
    const certification *c = context;
    certify_quietly(context, f);
    SP_CHECK_REPORT(f->passed, "%s: %s, %s, %s: claimed %.17g, found %.17g, at least %g of it wanted",
                    c->subject ? c->subject : "", f->part, f->what, f->region, f->claimed, f->found, f->required);
}

#endif
