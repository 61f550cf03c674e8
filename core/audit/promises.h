/* promises.h -- what an algorithm, a measure or a generator promises besides privacy, tried on small problems: what
 * `stillpoint test` shows beside the audits.
 *
 *   algorithm   its parameters' defaults are values that they take; on the same streams it makes the same calls and
 *               returns the same bytes, at once and after runs on other records and with other streams; what it
 *               returns is finite
 *   measure     the same number from the same point, whatever the scratch holds; it writes no further than its scratch and
 *               into no iterate; a number or NaN
 *   generator   a record is the same whenever it is asked for, before others or after them, and does not depend on their
 *               number; finite, ||x|| and |y| within its bounds; labels -1 and +1 where it says so
 *
 * They look for mistakes; that none was found proves nothing. Whatever the code does to the process is done to this one. */
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
