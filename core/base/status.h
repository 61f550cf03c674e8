/* status.h -- the statuses that functions return, and error messages.
 *
 * A function that can fail returns sp_status. If its failure depends on a value given by a user, it also takes an
 * sp_error (last argument, may be NULL) and writes into it the offending value and where it stands.
 */
#ifndef SP_BASE_STATUS_H
#define SP_BASE_STATUS_H

#include <stdarg.h>
#include <stddef.h>

/* One list makes the enum, the names and the texts. */
#define SP_STATUS_LIST(X)                                                                     \
    X(OK,           "success")                                                                \
    X(EINVAL,       "invalid value")                                                          \
    X(ENOMEM,       "out of memory")                                                          \
    X(EIO,          "input or output failed")                                                 \
    X(EDATA,        "malformed data")                                                         \
    X(EHASH,        "content does not match its hash")                                        \
    X(EABSENT,      "not available on this machine")                                          \
    X(EBUDGET,      "privacy budget exceeded")                                                \
    X(EPRIVACY,     "no theorem covers this release")                                         \
    X(EUNSUPPORTED, "not supported")                                                          \
    X(EDRAINED,     "no unused records left")                                                 \
    X(ENUMERIC,     "numerical failure")                                                      \
    X(EMISFIT,      "algorithm does not fit the problem")                                     \
    X(EVERSION,     "written by another version")                                             \
    X(ELIMIT,       "time or memory limit exceeded")                                          \
    X(ECRASH,       "worker or program died")                                                 \
    X(EREFERENCE,   "no reference value")                                                     \
    X(EINTERRUPTED, "interrupted")                                                            \
    X(EREHEARSED,   "a rehearsal, which has no records")

typedef enum {
#define SP_STATUS_ENUM(name, text) SP_##name,
    SP_STATUS_LIST(SP_STATUS_ENUM)
#undef SP_STATUS_ENUM
    SP_STATUS_COUNT
} sp_status;

typedef struct sp_error {
    sp_status status;
    char text[4096]; /* NUL-terminated, no trailing newline */
} sp_error;

const char *sp_status_name(sp_status status); /* "SP_EINVAL" */
const char *sp_status_text(sp_status status); /* "invalid value" */

/* Write a message and return `status`, so that `return sp_fail(error, SP_EINVAL, ...)` reads as one thought.
 * A NULL error keeps the status only. */
sp_status sp_fail(sp_error *error, sp_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Put "prefix: " (a path, a file, a line) before the message that is there. */
void sp_fail_prefix(sp_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Needs a local `sp_status status` and a label `cleanup`. */
#define SP_TRY(expression)                       \
    do {                                         \
        if ((status = (expression)) != SP_OK)    \
            goto cleanup;                        \
    } while (0)

#endif
