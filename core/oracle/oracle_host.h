/* oracle_host.h -- the harness's side of the oracle: makes one over a problem and reads its ledger afterwards. Methods
 * never include this. */
#ifndef SP_ORACLE_ORACLE_HOST_H
#define SP_ORACLE_ORACLE_HOST_H

#include "core/numeric/stream.h"
#include "core/accountant/accountant.h"
#include "core/accountant/ledger.h"
#include "core/oracle/oracle.h"
#include "losses/engine/problem.h"

struct sp_transcript;

typedef enum { SP_CALIBRATE_TIGHT, SP_CALIBRATE_PAPER } sp_calibration;

typedef struct sp_privacy {
    double epsilon, delta;
    sp_calibration calibration : 8;
    sp_neighbours neighbours : 8; /* under SP_ADD_REMOVE releases on Poisson samples alone are let pass */
    bool private;                /* false: privacy = "none" */
    bool noise;                  /* false: noise = "off", the private schedule without its noise */
} sp_privacy;

/* Oracle calls so far; one gradient is one record's gradient at one point. */
typedef struct sp_cost {
    double gradients, differences, hessians, losses;
    size_t releases;
} sp_cost;

typedef struct sp_resolved_value {
    const char *key; /* static text of the algorithm */
    double value;
    sp_provenance from;
    double wanted; /* of SP_FROM_CAP: what the cap cut; NAN: not told */
} sp_resolved_value;

enum { SP_RESOLVED_MAX = 32 };

typedef struct sp_oracle_options {
    const sp_problem *problem;
    sp_privacy privacy;
    sp_stream_key coins, sampling, noise, selection;
    /* called at every sp_checkpoint; a non-OK status stops the run with it */
    sp_status (*checkpoint)(void *context, size_t step, const double *w);
    sp_status (*candidate)(void *context, const double *w); /* the same at every sp_candidate */
    /* the same at every sp_hand_over; so many methods are around the one that says so */
    sp_status (*hand_over)(void *context, size_t depth, const double *w);
    void *context;
    bool rehearsal; /* the problem has no records (train: their number and kind alone): the run ends with SP_EREHEARSED
                       where it first needs some or has noise solved for, or with what is refused before */
    struct sp_transcript *transcript; /* records or replays every access (transcript.h); NULL: none. Not owned. */
} sp_oracle_options;

sp_status sp_oracle_new(const sp_oracle_options *, sp_oracle **, sp_error *);
void sp_oracle_free(sp_oracle *);

/* After the run (or at a checkpoint). */
const sp_ledger *sp_oracle_ledger(const sp_oracle *);
sp_cost sp_oracle_cost(const sp_oracle *);
const sp_resolved_value *sp_oracle_resolved(const sp_oracle *, size_t *count);
/* What sp_calibrate was told so far: records, once for each release that sees them, and releases; 0: nothing. */
void sp_oracle_planned(const sp_oracle *, double *calls, double *releases);
/* The children that have a name as a stage, the first one first; NULL: no more. */
const sp_oracle *sp_oracle_stage(const sp_oracle *, size_t i, const char **name);
/* "" or the warnings, joined by "; "; NULL: there was no memory for one. */
const char *sp_oracle_warning(const sp_oracle *);
sp_warning_set sp_oracle_warned(const sp_oracle *); /* their codes */
/* As of sp_promised; NAN: nothing was promised. */
void sp_oracle_promise(const sp_oracle *, double *bound, double *at_start);
/* (epsilon, delta) from the ledger alone; under tight calibration SP_EBUDGET when it exceeds the request by more than
 * 1e-9 relative. Not private: every bound INFINITY (0 releases: 0). */
sp_status sp_oracle_spent(const sp_oracle *, sp_bounds *, sp_error *);

#endif
