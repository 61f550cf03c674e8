/* ledger.h -- the ledger: the list of releases of a run, as the accountant needs it. Entries are appended as noise is
 * drawn, and run-length encoded (an entry equal to a recent one adds to its count; an append is O(1)).
 *
 * Neighbours replace one record, so noise_multiplier = noise_std / replace-one sensitivity. For SP_LEDGER_POISSON
 * alone it is noise_std / per-record bound, under both kinds of neighbours. */
#ifndef SP_ACCOUNTANT_LEDGER_H
#define SP_ACCOUNTANT_LEDGER_H

#include "core/accountant/filter.h"
#include "core/base/status.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum { SP_REPLACE_ONE, SP_ADD_REMOVE } sp_neighbours;

typedef enum {
    SP_LEDGER_GAUSS,               /* unsampled Gaussian release */
    SP_LEDGER_GAUSS_WOR,           /* on a fresh uniform subset of `rate` = m/n of the records, without replacement */
    SP_LEDGER_POISSON,             /* Poisson-sampled Gaussian at `rate` */
    SP_LEDGER_EM,                  /* exponential mechanism, bounded range: `epsilon` */
    SP_LEDGER_RNM_LAPLACE,         /* report-noisy-min with Laplace noise: `epsilon` */
    SP_LEDGER_LAPLACE,             /* Laplace mechanism: `epsilon` = 1 / scale */
    SP_LEDGER_SVT,                 /* AboveThreshold, one hit: `epsilon` */
    SP_LEDGER_PURE,                /* anything `epsilon`-DP */
    SP_LEDGER_APPROX,              /* anything (`epsilon`, `delta`)-DP */
    SP_LEDGER_RANDOMISED_RESPONSE, /* `epsilon` */
    SP_LEDGER_TREE,                /* tree prefix sums over `steps` */
    SP_LEDGER_SELECT,              /* the best of a random number of runs (repetitions.h: `mean`, `shape`, `cap`), each
                                    * rho-zCDP, rho = 1 / (2 noise_multiplier^2); for shape INFINITY each of unsampled
                                    * Gaussian releases that compose to 1 / noise_multiplier (rdp.h: the theorems) */
    SP_LEDGER_KINDS
} sp_ledger_kind;

typedef struct sp_entry {
    sp_ledger_kind kind;
    double noise_multiplier; /* Gaussian kinds */
    double rate;             /* sampled kinds, (0, 1] */
    double epsilon, delta;   /* other kinds */
    double mean, shape;      /* SP_LEDGER_SELECT: expected repetitions; shape > -1, INFINITY for Poisson */
    size_t steps;            /* SP_LEDGER_TREE */
    size_t choices;          /* SP_LEDGER_RANDOMISED_RESPONSE: how many answers; 0 where it is not known */
    size_t cap;              /* SP_LEDGER_SELECT: most repetitions; 0: as many as are drawn */
    size_t count;            /* how many such releases, >= 1 */
    /* smallest and largest of these releases: noise_std = noise_multiplier x sensitivity, or the range of an epsilon's
     * scores. For the reader alone: no accountant looks at it. 0: not told (what several releases cost together) */
    double sensitivity_low, sensitivity_high;
    /* who pays: 0 = every record; g > 0 = only the records of disjoint pool g (the cost of a run is the maximum over
     * records: outer entries composed with the worst pool) */
    size_t pool;
    /* sp_filter: by which filter an oracle let it pass, unannounced; SP_FILTER_NONE: announced before the first
     * release, or fixed in some other way that no answer could change */
    size_t filter;
} sp_entry;

typedef struct sp_ledger {
    sp_entry *entry;
    size_t count, capacity;
    size_t pools; /* highest pool number in use */
} sp_ledger;

const char *sp_ledger_kind_name(sp_ledger_kind); /* "gauss", "gauss_wor", ... */

/* What an entry is written with: "noise_multiplier", ..., "count", "pool", "filter". */
typedef struct sp_entry_field {
    const char *key;
    size_t offset; /* of the double, or the size_t, in sp_entry */
    bool whole;    /* a size_t */
    const char *const *names; /* of a size_t from 0 to SP_FILTERS - 1 that is written by name; NULL: as a number */
} sp_entry_field;
enum { SP_ENTRY_FIELDS = 14 };
extern const sp_entry_field sp_entry_fields[SP_ENTRY_FIELDS];
typedef enum { SP_FIELD_UNUSED, SP_FIELD_OPTIONAL, SP_FIELD_REQUIRED } sp_field_use;
sp_field_use sp_entry_field_use(sp_ledger_kind, size_t field);

sp_status sp_ledger_append(sp_ledger *, const sp_entry *); /* SP_EINVAL for NaN, rate outside (0,1], ... */
void sp_ledger_clear(sp_ledger *);
void sp_ledger_free(sp_ledger *);
/* By which filter its unannounced entries passed, zcdp where several did; SP_FILTER_NONE: there are none. */
sp_filter sp_ledger_filter(const sp_ledger *);
sp_status sp_ledger_copy(const sp_ledger *from, sp_ledger *to);
/* Room for `entries` more, so that appends on the hot path do not allocate. */
sp_status sp_ledger_reserve(sp_ledger *, size_t entries);
/* "gauss:noise_multiplier=4,count=100". */
void sp_entry_print(const sp_entry *, sp_text *out);
/* "gauss noise_multiplier=4 count=100" a line. */
void sp_ledger_print(const sp_ledger *, sp_text *out);
/* Names the entry in messages: "gauss_wor:noise_multiplier=-1,rate=0.01,count=10: noise_multiplier must be > 0". */
sp_status sp_entry_check(const sp_entry *, sp_error *);
/* The same form with another reason: "ENTRY: why". Returns the status. */
sp_status sp_entry_refuse(const sp_entry *, sp_status, const char *why, sp_error *);

#endif
