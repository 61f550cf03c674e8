/* claims.h -- a claim as core/plan/claims.c makes it when a Lua file gives no more than these. */
#ifndef SP_TESTS_CLAIMS_H
#define SP_TESTS_CLAIMS_H

#include "core/plan/plan.h"

/* The plan's strings are not const. */
#define CLAIMS_TEXT(text) ((char[]){ text })
#define CLAIMS_OF(label, rate, kind)                                                                               \
    ((sp_claim){ .sweep = CLAIMS_TEXT("main"), .algorithm = CLAIMS_TEXT(label), .y = CLAIMS_TEXT("grad_norm"),     \
                 .x = CLAIMS_TEXT("n"), .mode = CLAIMS_TEXT(kind), .exponent = (rate), .tolerance = 0.05,          \
                 .rival = NAN, .origin = CLAIMS_TEXT("theorem"),                                                   \
                 .scatter = 0.15, .from = 0.0, .to = INFINITY, .floor = 0.0, .start = 0.5,                         \
                 .closed = CLAIMS_TEXT("neither"), .reach = 1.0, .share = 0.9, .constant = NAN,                    \
                 .toward = CLAIMS_TEXT("infinity"), .points = 1, .levels = 1, .members = 1, .replicates = 1 })

#endif
