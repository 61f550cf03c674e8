/* promises.h -- tests of the other promises of a method, a measure or a generator, besides privacy, on small problems.
 * The verb `audit` shows them next to the audits of privacy.
 *
 *   algorithm   its parameters accept their defaults; on the same streams it makes the same calls and returns the same
 *               bytes, at once and after runs on other records and with other streams; it returns finite numbers
 *   measure     gives the same number at the same point, whatever the scratch contains; writes only into its scratch
 *               and not into an iterate; gives a number or NaN
 *   generator   a record is the same whenever it is requested, before or after others, and does not depend on their
 *               number; it is finite, ||x|| and |y| are within its bounds; labels are -1 and +1 if it says so
 *
 * The tests search for mistakes; finding none proves nothing. They run in the calling process: a crash ends it. */
#ifndef SP_AUDIT_PROMISES_H
#define SP_AUDIT_PROMISES_H

#include "core/base/status.h"

#include <stdbool.h>

struct sp_algorithm;
struct sp_loss;
struct sp_measure;
struct sp_generator;

typedef struct sp_promise {
    const char *what; /* "same streams, same bytes" */
    bool kept;
    bool last;       /* broken so that nothing else can be tried: no run ends */
    char detail[400]; /* where it was broken, or on what it was tried */
} sp_promise;

typedef struct sp_promise_options {
    void (*report)(void *context, const sp_promise *);
    void *context;
} sp_promise_options;

/* A report a promise. SP_EMISFIT where no small problem fits; SP_ENOMEM. */
sp_status sp_promises_algorithm(const struct sp_algorithm *, const sp_promise_options *, sp_error *);
/* What certify.h finds of it at its defaults; SP_EMISFIT where it has none. */
sp_status sp_promises_loss(const struct sp_loss *, const sp_promise_options *, sp_error *);
sp_status sp_promises_measure(const struct sp_measure *, const sp_promise_options *, sp_error *);
sp_status sp_promises_generator(const struct sp_generator *, const sp_promise_options *, sp_error *);

#endif
