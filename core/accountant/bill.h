/* bill.h -- a ledger summed up by who pays. Included inside this folder only.
 *
 * Unsampled Gaussians of one payer compose to mu^2 = sum count / noise_multiplier^2, exactly, under every bound; other
 * entries stay apart. A record pays the outer entries and those of its own pool, so only distinct pools are kept, and
 * of pools that differ in mu^2 alone the worst. A payer of more than SP_CLASSES different other releases has them
 * joined into classes: the least noise, the highest rate and the largest epsilon of each. */
#ifndef SP_ACCOUNTANT_BILL_H
#define SP_ACCOUNTANT_BILL_H

#include "core/accountant/accountant.h"

/* Entries of the ledger that noise is calibrated for carry a factor on their noise. */
enum { SP_FIXED, SP_SCALED };

enum { SP_CLASSES = 31 };

typedef struct sp_item {
    sp_entry entry;
    double count;  /* instead of the entry's, which could overflow */
    int scaled;    /* SP_FIXED, SP_SCALED */
    long class[2]; /* of the release, on a logarithmic scale */
} sp_item;

typedef struct sp_payer {
    double mu2[2]; /* at factor 1, by SP_FIXED, SP_SCALED */
    const sp_item *other;
    size_t others;
} sp_payer;

typedef struct sp_books {
    sp_neighbours neighbours;
    sp_filter filter; /* which bound alone counts; SP_FILTER_NONE: all do */
    sp_item *items;
    sp_payer *payers; /* [0] the outer entries, then the distinct pools */
    size_t count;
    sp_bounds *bounds; /* room for one a payer */
} sp_books;

/* Refuses entries that no accountant covers. Close whatever the status; start from { 0 }. */
sp_status sp_books_open(const sp_ledger *fixed, const sp_ledger *scaled, sp_neighbours, sp_books *, sp_error *);
void sp_books_close(sp_books *);

bool sp_entry_noisy(const sp_entry *); /* has a noise multiplier, which calibration may scale */
bool sp_item_curved(const sp_item *);  /* sampled, or a selection: neither in mu^2 nor with an epsilon of its own */

/* What one record pays when the noise of the scaled entries is multiplied by `factor` (INFINITY: they cost nothing). */
typedef struct sp_bill {
    const sp_payer *part[2]; /* outer, pool */
    sp_neighbours neighbours;
    sp_filter filter;
    double factor;
    bool curved, pure; /* has such entries */
    bool rest;         /* the curve leaves the pure ones out */
    double lost;       /* sum of the deltas of approx entries: elsewhere these are pure */
} sp_bill;

/* Privacy-loss distributions cost some milliseconds: */
typedef enum {
    SP_WITHOUT_PLD,
    SP_WITH_PLD /* where they can lower the worst record's bound */
} sp_effort;

/* Every record's bill is among payers sp_bill_first(books) .. books->count - 1. */
size_t sp_bill_first(const sp_books *);
sp_bill sp_bill_of(const sp_books *, size_t payer, double factor);
double sp_bill_mu2(const sp_bill *);
/* The worst record's. SP_ENOMEM. */
sp_status sp_books_bounds(const sp_books *, double delta, double factor, sp_effort, sp_bounds *);
/* Smallest delta at epsilon of every bound, the worst record's; *best has the smallest for that record. SP_ENOMEM. */
sp_status sp_books_deltas(const sp_books *, double epsilon, double delta[SP_BOUNDS], sp_bound_kind *best);

#endif
