/* verify_sample.h -- the runs in the tables of all experiments whose sources have changed since, and a sample of them.
 *
 * The sample has two parts. SP_STAMP_SAMPLE runs or more are drawn uniformly from all these runs, whatever they cost: the
 * share that may differ is stated of them. Then, in each experiment, a run is added for each source that its runs name and
 * none of those drawn has: the cheapest that has it, by the oracle calls in its row. */
#ifndef SP_VERBS_VERIFY_SAMPLE_H
#define SP_VERBS_VERIFY_SAMPLE_H

#include "core/session/session.h"
#include "core/cli/verbs/verify_stamp.h"

#include "core/store/stamps.h"
#include "core/export/table_keys.h"

/* A source that some run names, by the hashes of then and now. */
typedef struct sp_stale_source {
    sp_key_source of;
    bool stale;          /* then is another hash, which no stamp joins with that of now */
    const char *blocked; /* why it is not stamped; NULL: nothing speaks against it */
    size_t runs;         /* of the sample */
} sp_stale_source;

/* The sources of the runs of a cell that have one key. */
typedef struct sp_source_list {
    struct sp_source_list *next;
    size_t key;     /* row of keys.tsv */
    bool stale;     /* some source is, or the key is not known */
    size_t count;
    size_t source[SP_KEY_SOURCES];
} sp_source_list;

typedef struct sp_stale_tables {
    char *name, *script;
    sp_session session;
    sp_table_runs tables;
    sp_table_keys keys;
    sp_source_list **list;  /* by cell of the plan */
    bool unknown;        /* its tables do not say by which sources they were made */
    size_t sampled, differ;
} sp_stale_tables;

typedef struct sp_stale_run {
    sp_stale_tables *of;
    const sp_source_list *sources;
    size_t place;
    uint64_t rank;       /* by the seed: the smallest are drawn */
    double cost;
} sp_stale_run;

/* Start from { .asked = ... }. */
typedef struct sp_stale_sample {
    const sp_stamping *asked;
    sp_stamps stamps;
    sp_stale_tables *experiment;
    size_t experiments;
    size_t unchecked;    /* experiments of which no run can be rerun here */
    sp_stale_source *source;
    size_t sources;
    sp_stale_run *candidate, *chosen; /* once chosen, candidates are in the order in which they are drawn */
    size_t candidates, room, count;   /* count: of those chosen, the most expensive first */
    size_t drawn;        /* so many of the candidates, the first ones, were drawn uniformly */
} sp_stale_sample;

/* Every experiment with tables, its runs and their sources. One that cannot be checked is a line on the standard output. */
sp_status sp_sample_open(sp_stale_sample *, sp_error *);
sp_status sp_sample_choose(sp_stale_sample *, sp_error *);
void sp_sample_free(sp_stale_sample *);

#endif
