/* composition.h -- what one record pays over all releases of a ledger. Included inside this folder only.
 *
 * The releases of a ledger are grouped by the records that they were made on: the outer group, made on all records
 * (pool 0 of the entries), and one group for each pool of records. A record pays the outer group and the group of its
 * own pool; the cost of a run is that of the record that pays most.
 *
 * The unsampled Gaussians of a group compose exactly to mu^2 = sum of count / noise_multiplier^2, in every bound. Its
 * other releases are listed, equal ones with a count. Equal groups are kept once; of pools that differ only in mu^2,
 * the one with the largest is kept. If a group has more than SP_RELEASES_MAX different other releases, similar ones are
 * joined into one with the least noise, the highest rate and the largest epsilon among them. A filter's bound is a sum
 * of epsilon or of its square: there joined choices keep their total cost. */
#ifndef SP_ACCOUNTANT_COMPOSITION_H
#define SP_ACCOUNTANT_COMPOSITION_H

#include "core/accountant/accountant.h"

/* Entries of the ledger that noise is calibrated for carry a factor on their noise. */
enum { SP_FIXED, SP_SCALED };

enum { SP_RELEASES_MAX = 31 };

/* Equal releases. */
typedef struct sp_repeated_release {
    sp_entry entry;
    double count;   /* instead of the entry's, which could overflow */
    int scaled;     /* SP_FIXED, SP_SCALED */
    long bucket[2]; /* of its noise or epsilon, and of its rate or delta, on a logarithmic scale: what is joined */
} sp_repeated_release;

typedef struct sp_release_group {
    double mu2[2];                      /* of the unsampled Gaussians at factor 1, by SP_FIXED, SP_SCALED */
    const sp_repeated_release *release; /* the others: array of `distinct` */
    size_t distinct;
} sp_release_group;

typedef struct sp_grouped_ledger {
    sp_neighbours neighbours;
    sp_filter filter;              /* whose bound alone counts; SP_FILTER_NONE: all do */
    sp_repeated_release *releases; /* of all groups, one after the other */
    sp_release_group *groups;      /* [0] the outer one, then the distinct pools */
    size_t count;                  /* of groups */
    sp_bounds *bounds;             /* room for one a group */
} sp_grouped_ledger;

/* Refuses entries that no accountant covers. Close whatever the status; start from { 0 }. */
sp_status sp_grouped_open(const sp_ledger *fixed, const sp_ledger *scaled, sp_neighbours, sp_grouped_ledger *,
                          sp_error *);
void sp_grouped_close(sp_grouped_ledger *);

bool sp_entry_noisy(const sp_entry *); /* has a noise multiplier, which calibration may scale */
/* Sampled, or a selection: it is neither in mu^2 nor has an epsilon of its own, only a Renyi curve and, if sampled, a
 * privacy-loss distribution. */
bool sp_release_needs_curve(const sp_repeated_release *);

/* What a record pays when the noise of the scaled entries is multiplied by `factor` (INFINITY: they cost nothing). */
typedef struct sp_composition {
    const sp_release_group *group[2]; /* the outer one, that of the record's pool */
    sp_neighbours neighbours;
    sp_filter filter; /* of the ledger */
    double factor;
    bool has_curves, has_pure; /* releases that need a curve; others, which have an epsilon */
    bool has_sampled, has_selections; /* of those with a curve */
    bool rising;               /* the Renyi curve does not decrease with the order: no `select` */
    bool without_pure;         /* the Renyi curve leaves the releases with an epsilon out */
    bool without_sampled;      /* the Renyi curve leaves the sampled releases out */
    double approx_delta;       /* sum of the deltas of approx entries, which count as pure elsewhere */
    double cut;                /* sum of the chances that a number of runs is cut to its cap */
} sp_composition;

/* Privacy-loss distributions cost some milliseconds: */
typedef enum {
    SP_WITHOUT_PLD,
    SP_WITH_PLD /* where they can lower the worst record's bound */
} sp_effort;

/* Every record's composition is among those of the groups sp_grouped_first(ledger) .. ledger->count - 1. */
size_t sp_grouped_first(const sp_grouped_ledger *);
sp_composition sp_composition_of(const sp_grouped_ledger *, size_t group, double factor);
double sp_composition_mu2(const sp_composition *);
/* The worst record's. SP_ENOMEM. */
sp_status sp_grouped_bounds(const sp_grouped_ledger *, double delta, double factor, sp_effort, sp_bounds *);
/* Smallest delta at epsilon of every bound, the worst record's; *best has the smallest for that record. SP_ENOMEM. */
sp_status sp_grouped_deltas(const sp_grouped_ledger *, double epsilon, double delta[SP_BOUNDS], sp_bound_kind *best);

#endif
