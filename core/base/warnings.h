/* warnings.h -- the warnings of a run as codes for programs, which are stored next to the sentences for people.
 *
 * In a table the codes of a run are words separated by spaces, in the order of this list. */
#ifndef SP_BASE_WARNINGS_H
#define SP_BASE_WARNINGS_H

#include "core/base/text.h"

#include <stdint.h>

/* X(CODE, word): the last four are the harness's, the first one is any sentence of a method without a code of its
 * own. */
#define SP_WARNINGS(X)                                                                                                \
    X(METHOD, "method")                                                                                               \
    X(VACUOUS_BOUND, "vacuous_bound")                   /* the promised bound is not below what holds at the start */ \
    X(VACUOUS_PARAMETERS, "vacuous_parameters")         /* the parameters allow no such level as the theorem needs */ \
    X(NO_BOUND, "no_bound")                             /* no bound at these parameters */                            \
    X(UNCERTIFIED, "uncertified")                       /* the returned point passed no test */                       \
    X(UNCERTIFIED_PARAMETERS, "uncertified_parameters") /* the proof asks for others */                               \
    X(RECORDS_RAN_OUT, "records_ran_out")                                                                             \
    X(STOPPED_EARLY, "stopped_early")                   /* the announced releases were used up */                     \
    X(PARAMETER_CUT, "parameter_cut")                   /* a parameter was cut to what the records allow */           \
    X(PARAMETER_UNUSED, "parameter_unused")                                                                           \
    X(INEXACT, "inexact")                               /* an inner problem was solved too coarsely for the noise */  \
    X(NO_REFERENCE, "no_reference")                     /* F* or P* is not known */                                   \
    X(TRACE_CUT, "trace_cut")                                                                                         \
    X(RESOLVED_CUT, "resolved_cut")                     /* more resolved values than are stored */                    \
    X(MEMORY_LIMIT, "memory_limit")                     /* it ran under a limit */

#define SP_WARNING_CODE(code, word) SP_WARNED_##code,
typedef enum { SP_WARNINGS(SP_WARNING_CODE) SP_WARNING_CODES } sp_warning;
#undef SP_WARNING_CODE

typedef uint32_t sp_warning_set; /* bit i: code i */

static inline sp_warning_set sp_warning_bit(sp_warning code)
{
    return (sp_warning_set)1 << code;
}

/* "vacuous_bound no_reference"; nothing for the empty set. */
void sp_warnings_print(sp_warning_set, sp_text *);
/* Words that are no code are left out. */
sp_warning_set sp_warnings_read(const char *words);

#endif
