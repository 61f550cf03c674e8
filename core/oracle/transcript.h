/* transcript.h -- the recorder of the replay audit inside the oracle. Included in this folder and through replay.h
 * only.
 *
 * Every primitive that touches records calls sp_transcript_event once it has its raw (unnoised) value and its released
 * value. Without a transcript the call returns at once. A recording transcript keeps the call: primitive, public
 * arguments, batch, raw value, declared sensitivity, noise, released value. A replaying one (same method, same streams,
 * neighbouring data) requires the same call, replaces the released value by the recorded one, and checks that the raw
 * value moved by at most the declared sensitivity. */
#ifndef SP_ORACLE_TRANSCRIPT_H
#define SP_ORACLE_TRANSCRIPT_H

#include "core/oracle/oracle.h"

#include <stdint.h>

typedef enum {
    SP_MOVE_L2,   /* ||raw - raw'||_2 <= sensitivity */
    SP_MOVE_RANGE /* max_ij |(raw_i - raw'_i) - (raw_j - raw'_j)| <= sensitivity */
} sp_move;

/* How a choice i follows from the raw values u and noise_std. */
typedef enum {
    SP_LAW_OTHER,    /* not told here */
    SP_LAW_GIBBS,    /* P(i) ~ exp(-u_i / noise_std) */
    SP_LAW_NOISY_MIN /* the least of u_i + noise_std Z_i, Z_i independent with density exp(-|z|) / 2 */
} sp_law;

typedef struct sp_event {
    const char *primitive;  /* "gradient", "hessian", "mean_loss", "trace", "solve", "accumulator", "choose",
                               "choose_point", "choose_product", "stable_pass" (static text) */
    const double *const *point; /* public arguments: `points` vectors of `dimension` doubles */
    size_t points, dimension;
    const uint32_t *rows;   /* the batch, `count` records; NULL: all records. In a transcript they are the run's
                               records, also of a child on records of its own */
    size_t count;
    const uint32_t *pool;   /* of a child on records of its own: these, `pooled` of them; NULL: all records of the run.
                               sp_transcript_event fills it in */
    size_t pooled;
    double m;               /* announced batch size, the divisor */
    double rate;            /* the ledger needs the batch secret: P(a record is in it); 0: it does not */
    const double *raw;      /* the value before noise, `size` doubles: the part that depends on records */
    size_t size;
    sp_move move;
    double sensitivity;     /* declared and paid for */
    double noise_std;       /* of the noise that was added; 0: none */
    bool mirrored;          /* a Hessian's noise has noise_std off the diagonal, too; else noise_std / sqrt 2 there */
    double *answer;         /* what the algorithm gets, `answers` doubles; a replay overwrites it */
    size_t answers;
    double envelope;        /* of the loss (sp_child_options); 0: none. sp_transcript_event fills it in */
    sp_law law;             /* of a choice, answer[0] */
    bool forgotten;         /* of a run of several that was not the best: nobody was told the answer */
} sp_event;

struct sp_oracle;
struct sp_ledger;
struct sp_transcript;
/* SP_OK, or what the audit found (SP_EPRIVACY, with a message in the oracle). */
sp_status sp_transcript_event(struct sp_oracle *, const sp_event *);
/* The events from..to-1, of a run of several, are forgotten. */
void sp_transcript_forget(struct sp_transcript *, size_t from, size_t to);
/* sp_calibrate_under the oracle's budget and neighbours, with nothing spent; a transcript remembers the answers, so
 * that an audit's thousands of runs of one method do not solve the same equation thousands of times. */
sp_status sp_transcript_calibrate(struct sp_oracle *, const struct sp_ledger *planned, double *factor);
/* sp_zcdp_rho, remembered by a transcript, which may be NULL. */
double sp_transcript_rho(struct sp_transcript *, double epsilon, double delta);

#endif
