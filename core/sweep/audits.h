/* audits.h -- runs the privacy audit of every method of an experiment once. A verdict is looked up in the store, then
 * in the user's cache, by its key (a hash of all sources behind it, core/audit/audit.h). Where it is in neither, a
 * forked worker makes it, and it is saved in both.
 *
 * The cache (core/data/read/catalogue.h) has one file per key, audits/KEY, which holds the row and its checksum. A
 * damaged file counts as absent. A cache that cannot be written is no error. */
#ifndef SP_SWEEP_AUDITS_H
#define SP_SWEEP_AUDITS_H

#include "core/store/audits.h"

#define SP_AUDIT_SECONDS 60 /* of the processor, for one method */

typedef struct sp_audits_options {
    size_t jobs;      /* at a time; 0: the number of processors */
    unsigned seconds; /* of the processor: a method that takes more is left out; 0: no limit */
    bool quiet;       /* but for those that fail or die */
} sp_audits_options;

/* methods = made + known + left_out + died, but when interrupted */
typedef struct sp_audits_summary {
    size_t methods;
    size_t made;     /* now */
    size_t known;    /* from the store or the cache */
    size_t left_out; /* beyond the limit: nothing is kept, the next call tries again */
    size_t died;     /* with their workers, or could not be audited: as above */
    size_t failed;   /* of those made or known */
} sp_audits_summary;

/* Audits what the plan's cells run under a budget, without those that are left out. What is found goes to the store as
 * soon as it is there. SP_EINTERRUPTED by the signals that stop a sweep (workers.h); SP_ENOMEM, here or in a worker. */
sp_status sp_audit_methods(const sp_plan *, sp_store *, const sp_audits_options *, sp_audits_summary *, sp_error *);

#endif
