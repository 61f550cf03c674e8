/* audit.h -- privacy audits of a method: is what it releases as private as its ledger says? An audit runs the method on
 * a fixture, a small data set D with a neighbour D'.
 *
 *   replay       one run on D, and one on D' that is given the releases of D and the same streams. Everything public
 *                must be equal, every raw value may move by at most its declared sensitivity, and the ledger must
 *                contain every release.
 *   noise        the standardised noise of a few runs must be normal, and uncorrelated with itself and with other
 *                streams; batches that must be secret must be drawn anew, at their rate.
 *   statistical  runs on D and on D' are told apart by their releases: the error rates of this must not be below the
 *                trade-off curve of the ledger.
 *   one-run      one run in which a coin chooses every record from two: the coins must not be guessed from the releases
 *                better than the epsilon of the ledger allows.
 *
 * Fixtures are worst cases: opposite gradients of full norm, all other records zero or opposite, gradients beyond the
 * declared bound, NaN, infinite. Audits test the ledger, not the requested budget. A correct method fails a noise, a
 * statistical or a one-run audit with probability at most SP_AUDIT_FALSE_ALARM each, and a replay never. */
#ifndef SP_AUDIT_AUDIT_H
#define SP_AUDIT_AUDIT_H

#include "core/base/hash.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sp_algorithm;
struct sp_method;
struct sp_plan;

/* At most 20 such audits an algorithm: together at most 2 %. */
#define SP_AUDIT_FALSE_ALARM 1e-3

typedef enum { SP_AUDIT_REPLAY, SP_AUDIT_NOISE, SP_AUDIT_STATISTICAL, SP_AUDIT_ONE_RUN, SP_AUDITS } sp_audit_kind;
const char *sp_audit_name(sp_audit_kind); /* "replay", "noise", "statistical", "one-run" */

typedef struct sp_audit_verdict {
    sp_audit_kind audit;
    char fixture[160]; /* "opposite gradients, others zero; batch=5" */
    bool passed;
    bool left_out; /* it was not made: the detail says why; neither passed nor failed */
    char detail[640]; /* what was found, or what was looked at */
    double rejected;  /* statistical, one-run: the largest epsilon refuted at the ledger's delta; else NAN */
} sp_audit_verdict;

typedef struct sp_audit_options {
    const struct sp_plan *plan; /* whose losses of built-in folders are tried too; NULL: all */
    size_t runs;   /* a side of a statistical audit, >= 1 */
    uint64_t seed;
    double seconds; /* no audit begins later, and one that has is broken off: it is left out; 0: no limit */
    void (*report)(void *context, const sp_audit_verdict *);
    void *context;
} sp_audit_options;
enum { SP_AUDIT_RUNS = 1000, SP_AUDIT_THOROUGH_RUNS = 10000 };

/* Every audit of one algorithm, a report each. SP_OK also when some fail; an error when an audit could not be carried
 * out (SP_EMISFIT: the algorithm fits no fixture). */
sp_status sp_audit(const struct sp_algorithm *, const sp_audit_options *, sp_error *);

/* --- all audits of a method in one row ------------------------------------------------------------------------- */

/* SHA-256 (hex) of all that the row below depends on: the sources of the method, of those that its values hold, and of
 * what they use; of the losses, on which audits run; of the losses, measures and generators of built-in folders that
 * the plan names (NULL: all); of the audits and of the core; the runs and the seed. Of a method that takes others, the
 * sources of every method that is put into it. */
void sp_audit_key(const struct sp_plan *, const struct sp_method *, size_t runs, uint64_t seed, char key[SP_HASH_HEX]);
/* Have they one key, without a hash of it? Values that are no methods do not count: all points of a grid are the
 * same. */
bool sp_audit_same(const struct sp_method *, const struct sp_method *);

/* The columns of the row, in the order of its fields, with tabs between them (core/base/table.h):
 *
 *   audited                             "yes"; "failed", if any of them did; "no" for a method that fits no fixture
 *   conformance                         the promises (promises.h) of the algorithm, and of the losses, measures and
 *                                       generators of built-in folders that the plan names: "pass", "fail"
 *   replay noise statistical one_run    "pass", "fail", nothing where none was made
 *   epsilon_hat                         the largest of one-run audits, a lower bound on epsilon
 *   left_out                            audits that could not be made, as the method refuses the domain, say
 *   finding                             the first failure: method, audit (or conformance), fixture, detail */
#define SP_AUDIT_COLUMNS "audited\tconformance\treplay\tnoise\tstatistical\tone_run\tepsilon_hat\tleft_out\tfinding"

/* Examines the algorithm of the method and those of the methods that its values hold, each at the parameters of audits,
 * without a limit. The row, equal for equal keys, is added to the text. SP_ENOMEM; whatever else kept an audit from
 * being carried out. */
sp_status sp_audit_row(const struct sp_plan *, const struct sp_method *, size_t runs, uint64_t seed, sp_text *,
                       sp_error *);

#endif
