/* audit_internal.h -- what the files behind audit.h share: fixtures, settings, and one run over a transcript. */
#ifndef SP_AUDIT_AUDIT_INTERNAL_H
#define SP_AUDIT_AUDIT_INTERNAL_H

#include "core/audit/audit.h"

#include "algorithms/algorithm.h"
#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/oracle/replay.h"
#include "core/plan/plan.h"

#include <math.h>

/* --- fixtures (audit_fixture.c) ------------------------------------------------------------------------------ */

/* Labels of the probe's records: what their gradients do. */
#define SP_PROBE_ZERO 0.0
#define SP_PROBE_FULL 1.0     /* full norm everywhere; negative: opposite */
#define SP_PROBE_CURVED 0.5   /* full curvature; negative: opposite */
#define SP_PROBE_STEEP 0.25   /* a million times the bound; negative: opposite */
#define SP_PROBE_NAN 0.125
#define SP_PROBE_INFINITE -0.125

typedef struct sp_fixture {
    const char *name;
    const struct sp_loss *loss; /* NULL: the probe, all records at the first axis, told apart by their labels */
    size_t n, d;
    double start;               /* the first coordinate of w0 */
    double others, here, there; /* probe: labels of the other records; of the one that differs, on D and on D' */
    size_t place;               /* its index */
    const bool *coin;           /* canaries, n of them, of the probe each on its axis (n = d): is it the one of D, or
                                   the opposite of that? NULL: no canaries */
    bool convex;                /* probe: it claims that phi'' >= 0; not for labels of negative curvature */
    sp_domain_kind domain;
} sp_fixture;

/* The problems of one fixture: on D, on the neighbour D', and with every record like one of D's others, like the
 * differing one of D, like that of D'. Of a registered loss only the first two. Of canaries all but the second and the
 * third: as their coins say, all one way, all the other. */
typedef enum { SP_HERE, SP_THERE, SP_ALL_OTHERS, SP_ALL_HERE, SP_ALL_THERE, SP_SIDES } sp_side;
typedef struct sp_neighbourhood {
    sp_dataset data[SP_SIDES];
    sp_problem problem[SP_SIDES];
    size_t sides;
    double *corners; /* a polytope's vertices */
} sp_neighbourhood;
sp_status sp_neighbourhood_make(const sp_fixture *, sp_neighbourhood *, sp_error *);
void sp_neighbourhood_free(sp_neighbourhood *);

/* --- settings and runs (audit_run.c) ------------------------------------------------------------------------- */

/* A method at parameters that keep it small, where it has such keys: `steps` updates (at most) and a small eta. Half of
 * the budget goes to gradients (theta), for one calibration to do for every problem. What its method parameters are set
 * to is `inner`, NULL for the first private method that has none itself. */
typedef struct sp_audit_setting {
    char name[64]; /* "", "batch=5", "select=last" */
    sp_method method;
    sp_method inner; /* what method parameters are set to */
} sp_audit_setting;
sp_status sp_audit_setting_start(const sp_algorithm *, const sp_algorithm *inner, size_t steps, sp_audit_setting *,
                                 sp_error *);
/* Do audits for this plan look at the loss, measure or generator? At those of built-in folders only where a cell of the
 * plan names them (NULL: at all). */
bool sp_audit_takes(const sp_plan *, const void *entry);
/* Has it a method parameter? */
bool sp_audit_nests(const sp_algorithm *);
/* Private by a theorem: it gets a budget. */
static inline bool sp_audit_private(const sp_algorithm *a)
{
    return !a->non_private_only && !a->uncertified;
}
/* False when the algorithm has no such key. */
bool sp_audit_setting_number(sp_audit_setting *, const char *key, double number);
bool sp_audit_setting_word(sp_audit_setting *, const char *key, const char *word);

/* One run, with everything public about it. */
typedef struct sp_run_record {
    sp_status status;  /* what the algorithm returned */
    char message[256]; /* its refusal */
    sp_text account;   /* ledger, cost, resolved values, warning: a line each, to the last bit */
    sp_hash iterates;  /* of the checkpoints and of the returned iterate */
    sp_ledger ledger;
} sp_run_record;
void sp_run_record_free(sp_run_record *);

typedef struct sp_trial {
    const sp_method *method;
    const sp_problem *problem;
    sp_privacy privacy;
    uint64_t seed;
    sp_transcript *transcript;
    sp_ledger *worst; /* NULL: not wanted; else the run's ledger takes its place where it is costlier */
    double *returned; /* NULL: not wanted; the d numbers of the iterate */
} sp_trial;
/* The keys of its streams. */
sp_stream_key sp_trial_key(const sp_trial *, sp_purpose);
/* `out` (NULL: not wanted) is replaced. What the algorithm returns is in it, or with NULL returned, the message in the
 * error; else only SP_ENOMEM is. */
sp_status sp_trial_run(const sp_trial *, sp_run_record *out, sp_error *);

/* Gaussian noise was added to its raw value. */
static inline bool sp_event_gaussian(const sp_event *event)
{
    return event->move == SP_MOVE_L2 && event->noise_std > 0.0;
}

/* --- the audits ---------------------------------------------------------------------------------------------- */

/* Trade-off curves of the ledgers met so far. */
typedef struct sp_curve sp_curve;
void sp_curves_free(sp_curve *);

typedef struct sp_audit_case {
    const sp_fixture *fixture;
    const sp_neighbourhood *neighbourhood;
    const sp_audit_setting *setting;
    sp_privacy privacy;
    sp_transcript *const *transcript; /* SP_SIDES transcripts; the same ones for all audits, for what they remember */
    sp_curve **curves;    /* statistical */
    double until; /* on sp_now's clock: no further run begins; INFINITY: no limit */
} sp_audit_case;

static inline bool sp_audit_late(const sp_audit_case *c)
{
    return isfinite(c->until) && sp_now() >= c->until;
}

/* One replay; with further coins where nothing was recorded. `finding` gets what was found, "" for nothing; adds to
 * what was looked at. SP_EUNSUPPORTED when the method has no printed formula for its noise. */
typedef struct sp_replays {
    bool may_refuse; /* a run that fails is no finding, if it fails on the neighbour, too */
    size_t runs, calls, refused;
    char refusal[256]; /* the first one */
    double move;
} sp_replays;
sp_status sp_audit_replay(const sp_audit_case *, uint64_t seed, sp_replays *, sp_text *finding, sp_error *);
/* Fill passed, detail and rejected. */
sp_status sp_audit_noise(const sp_audit_case *, const sp_audit_options *, sp_audit_verdict *, sp_error *);
sp_status sp_audit_statistical(const sp_audit_case *, const sp_audit_options *, sp_audit_verdict *, sp_error *);
/* The case's fixture has n records: as many canaries in a run, SP_CANARIES (or some more) in all runs; the
 * neighbourhood is not looked at. */
enum { SP_CANARIES = 1024 };
sp_status sp_audit_one_run(const sp_audit_case *, const sp_audit_options *, sp_audit_verdict *, sp_error *);
/* The bound on the probability that v or more of r guesses at m coins are right, and the least epsilon at which it is
 * not below the level. */
double sp_one_run_tail(size_t m, size_t r, size_t v, double epsilon, double delta);
double sp_one_run_epsilon(size_t m, size_t r, size_t v, double delta, double level);

#endif
