/* transcript.c -- records the calls of an oracle, or compares them with recorded ones.
 *
 * A replay hands out the same released values as the record. So everything public (which call, at which point, how much
 * noise) must be equal to the last bit; only the raw values may differ, by at most the sensitivity that was paid
 * for. */
#include "core/oracle/replay.h"

#include "core/base/memory.h"
#include "core/oracle/oracle_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MAX = 100000 }; /* fixtures are small */

/* Rounding: raw values are means of some hundred terms. */
#define MOVE_SLACK 1e-9

typedef enum { RECORDING, REPLAYING, FOLLOWING } mode;

/* The solution of one calibration. */
typedef struct calibration {
    sp_ledger planned;
    double epsilon, delta, factor;
    sp_neighbours neighbours;
    struct calibration *next;
} calibration;

/* The solution of one sp_zcdp_rho. */
typedef struct zcdp_budget {
    double epsilon, delta, rho;
    struct zcdp_budget *next;
} zcdp_budget;

struct sp_transcript {
    mode mode;
    const sp_transcript *recorded; /* REPLAYING, FOLLOWING */
    sp_event **event;        /* each one block, arrays included */
    size_t count, capacity;
    sp_status status;
    double move;
    char finding[512];
    calibration *calibrations;
    zcdp_budget *budgets;
};

sp_transcript *sp_transcript_new(void)
{
    return calloc(1, sizeof(sp_transcript));
}

static void clear(sp_transcript *transcript)
{
    while (transcript->count > 0)
        free(transcript->event[--transcript->count]);
    transcript->status = SP_OK;
    transcript->move = 0.0;
    transcript->finding[0] = '\0';
}

static void calibration_free(calibration *c)
{
    sp_ledger_free(&c->planned);
    free(c);
}

void sp_transcript_free(sp_transcript *transcript)
{
    if (!transcript)
        return;
    clear(transcript);
    while (transcript->calibrations) {
        calibration *next = transcript->calibrations->next;
        calibration_free(transcript->calibrations);
        transcript->calibrations = next;
    }
    while (transcript->budgets) {
        zcdp_budget *next = transcript->budgets->next;
        free(transcript->budgets);
        transcript->budgets = next;
    }
    free(transcript->event);
    free(transcript);
}

static void start(sp_transcript *transcript, mode what, const sp_transcript *recorded)
{
    clear(transcript);
    transcript->mode = what;
    transcript->recorded = recorded;
}

void sp_transcript_record(sp_transcript *transcript)
{
    start(transcript, RECORDING, NULL);
}

void sp_transcript_replay(sp_transcript *transcript, const sp_transcript *recorded)
{
    start(transcript, REPLAYING, recorded);
}

void sp_transcript_follow(sp_transcript *transcript, const sp_transcript *recorded)
{
    start(transcript, FOLLOWING, recorded);
}

void sp_transcript_end(sp_transcript *transcript, sp_status status)
{
    const sp_transcript *recorded = transcript->recorded;
    transcript->status = status;
    if (transcript->mode == RECORDING || transcript->finding[0] != '\0')
        return;
    if (status != recorded->status)
        snprintf(transcript->finding, sizeof transcript->finding, "the run ended with %s, on the neighbour with %s",
                 sp_status_name(recorded->status), sp_status_name(status));
    else if (transcript->count < recorded->count)
        snprintf(transcript->finding, sizeof transcript->finding, "%zu calls, on the neighbour %zu", recorded->count,
                 transcript->count);
}

size_t sp_transcript_count(const sp_transcript *transcript)
{
    return transcript->count;
}

const sp_event *sp_transcript_at(const sp_transcript *transcript, size_t index)
{
    return transcript->event[index];
}

const char *sp_transcript_finding(const sp_transcript *transcript)
{
    return transcript->finding[0] != '\0' ? transcript->finding : NULL;
}

void sp_transcript_forget(sp_transcript *transcript, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        transcript->event[i]->forgotten = true;
}

double sp_transcript_move(const sp_transcript *transcript)
{
    return transcript->move;
}

/* --- keeping ------------------------------------------------------------------------------------------------ */

/* One block: the event, the pointers to its points, all doubles, the rows, the pool. */
static sp_event *copy(const sp_event *event)
{
    const size_t rows = event->rows ? event->count : 0, pooled = event->pool ? event->pooled : 0;
    const size_t doubles = event->points * event->dimension + event->size + event->answers;
    sp_event *kept = malloc(sizeof *kept + event->points * sizeof *event->point + doubles * sizeof(double)
                            + (rows + pooled) * sizeof *event->rows);
    if (!kept)
        return NULL;
    *kept = *event;
    const double **point = (const double **)(kept + 1);
    double *next = (double *)(point + event->points);
    for (size_t k = 0; k < event->points; k++, next += event->dimension) {
        point[k] = next;
        memcpy(next, event->point[k], event->dimension * sizeof *next);
    }
    kept->point = point;
    kept->raw = next;
    if (event->size > 0)
        memcpy(next, event->raw, event->size * sizeof *next);
    kept->answer = next += event->size;
    if (event->answers > 0)
        memcpy(next, event->answer, event->answers * sizeof *next);
    uint32_t *last = (uint32_t *)(next + event->answers);
    if (rows > 0)
        kept->rows = memcpy(last, event->rows, rows * sizeof *last);
    if (pooled > 0)
        kept->pool = memcpy(last + rows, event->pool, pooled * sizeof *last);
    return kept;
}

static sp_status keep(struct sp_oracle *o, const sp_event *event)
{
    sp_transcript *transcript = o->transcript;
    if (transcript->count == EVENTS_MAX)
        return sp_refuse(o, SP_ELIMIT, "transcript: more than %d calls", EVENTS_MAX);
    if (transcript->count == transcript->capacity) {
        const size_t capacity = 2 * transcript->capacity + 16;
        sp_event **grown = realloc(transcript->event, capacity * sizeof *grown);
        if (!grown)
            return sp_refuse(o, SP_ENOMEM, "transcript: out of memory after %zu calls", transcript->count);
        transcript->event = grown;
        transcript->capacity = capacity;
    }
    transcript->event[transcript->count] = copy(event);
    if (!transcript->event[transcript->count])
        return sp_refuse(o, SP_ENOMEM, "transcript: out of memory after %zu calls", transcript->count);
    transcript->count++;
    return SP_OK;
}

/* --- comparing ---------------------------------------------------------------------------------------------- */

static double l2_move(const sp_event *a, const sp_event *b)
{
    double norm = 0.0;
    for (size_t j = 0; j < a->size; j++)
        norm = hypot(norm, a->raw[j] - b->raw[j]);
    return norm;
}

/* A common shift of all scores is free. */
static double range_move(const sp_event *a, const sp_event *b)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t j = 0; j < a->size; j++) {
        const double moved = a->raw[j] - b->raw[j];
        if (isnan(moved))
            return NAN;
        low = fmin(low, moved);
        high = fmax(high, moved);
    }
    return a->size > 0 ? high - low : 0.0;
}

/* What differs between two calls, into `out`; false: nothing. */
static bool differ(const sp_event *a, const sp_event *b, char *out, size_t room)
{
    const struct {
        const char *name;
        double a, b;
    } number[] = {
        { "points", (double)a->points, (double)b->points },
        { "the dimension", (double)a->dimension, (double)b->dimension },
        { "the announced batch size", a->m, b->m },
        { "the size of the batch", (double)a->count, (double)b->count },
        { "the sampling rate", a->rate, b->rate },
        { "the envelope", a->envelope, b->envelope },
        { "the size", (double)a->size, (double)b->size },
        { "the size of the answer", (double)a->answers, (double)b->answers },
        { "how moves are measured", (double)a->move, (double)b->move },
        { "the sensitivity", a->sensitivity, b->sensitivity },
        { "noise_std", a->noise_std, b->noise_std },
        { "whether the noise is mirrored", a->mirrored, b->mirrored },
    };
    if (strcmp(a->primitive, b->primitive) != 0) {
        snprintf(out, room, "on the neighbour it is %s", b->primitive);
        return true;
    }
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (number[i].a != number[i].b) {
            snprintf(out, room, "%s is %.17g, on the neighbour %.17g", number[i].name, number[i].a, number[i].b);
            return true;
        }
    for (size_t k = 0; k < a->points; k++)
        for (size_t j = 0; j < a->dimension; j++)
            if (memcmp(&a->point[k][j], &b->point[k][j], sizeof(double)) != 0) {
                snprintf(out, room, "argument %zu differs at coordinate %zu: %.17g, on the neighbour %.17g", k, j,
                         a->point[k][j], b->point[k][j]);
                return true;
            }
    if (!a->rows != !b->rows || (a->rows && memcmp(a->rows, b->rows, a->count * sizeof *a->rows) != 0)) {
        snprintf(out, room, "the batch differs");
        return true;
    }
    return false;
}

static void compare(sp_transcript *transcript, const sp_event *now)
{
    const sp_transcript *recorded = transcript->recorded;
    char what[384];
    if (transcript->count >= recorded->count) {
        snprintf(transcript->finding, sizeof transcript->finding, "%zu calls, on the neighbour one more: %s",
                 recorded->count,
                 now->primitive);
        return;
    }
    const sp_event *then = recorded->event[transcript->count];
    if (differ(then, now, what, sizeof what)) {
        snprintf(transcript->finding, sizeof transcript->finding, "call %zu, %s: %s", transcript->count + 1,
                 then->primitive, what);
    } else if (transcript->mode == REPLAYING) {
        const double moved = then->move == SP_MOVE_RANGE ? range_move(then, now) : l2_move(then, now);
        if (!(moved <= then->sensitivity * (1.0 + MOVE_SLACK)))
            snprintf(transcript->finding, sizeof transcript->finding, 
                     "call %zu, %s: the raw value moves by %.6g, declared is %.6g",
                     transcript->count + 1, then->primitive, moved, then->sensitivity);
        if (then->sensitivity > 0.0)
            transcript->move = fmax(transcript->move, moved / then->sensitivity);
    }
}

/* Of an oracle on records of its own: these records (NULL: all) in the root's numbers. *own is to be freed. */
static sp_status at_root(struct sp_oracle *o, const uint32_t **rows, size_t *count, uint32_t **own)
{
    for (const struct sp_oracle *child = o; child->parent; child = child->parent) {
        if (!child->nesting.records)
            continue;
        if (!*rows)
            *count = sp_records(o);
        if (!*own && !(*own = sp_alloc(*count, sizeof **own)))
            return sp_refuse(o, SP_ENOMEM, "transcript: out of memory for %zu records", *count);
        for (size_t i = 0; i < *count; i++)
            (*own)[i] = child->nesting.records[*rows ? (*rows)[i] : i];
        *rows = *own;
    }
    return SP_OK;
}

static sp_status take(struct sp_oracle *o, const sp_event *event)
{
    sp_transcript *transcript = o->transcript;
    if (transcript->mode != RECORDING) {
        if (transcript->finding[0] == '\0')
            compare(transcript, event);
        if (transcript->finding[0] != '\0')
            return sp_refuse(o, SP_EPRIVACY, "replay: %s", transcript->finding);
        if (event->answers > 0)
            memcpy(event->answer, transcript->recorded->event[transcript->count]->answer,
                   event->answers * sizeof *event->answer);
    }
    return keep(o, event);
}

sp_status sp_transcript_event(struct sp_oracle *o, const sp_event *event)
{
    sp_status status = SP_OK;
    sp_event known = *event;
    uint32_t *rows = NULL, *pool = NULL;
    if (!o->transcript)
        return SP_OK;
    known.envelope = o->problem->envelope;
    known.pool = NULL;
    known.pooled = 0;
    SP_TRY(at_root(o, &known.rows, &known.count, &rows));
    SP_TRY(at_root(o, &known.pool, &known.pooled, &pool));
    SP_TRY(take(o, &known));
cleanup:
    free(pool);
    free(rows);
    return status;
}

/* --- calibrations ------------------------------------------------------------------------------------------- */

static bool same_entries(const sp_ledger *a, const sp_ledger *b)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->entry, b->entry, a->count * sizeof *a->entry) == 0);
}

static const calibration *recall(const struct sp_oracle *o, const sp_ledger *planned)
{
    for (const sp_transcript *transcript = o->transcript; transcript; transcript = transcript->recorded)
        for (const calibration *c = transcript->calibrations; c; c = c->next)
            if (c->epsilon == o->budget.epsilon && c->delta == o->budget.delta &&
                c->neighbours == o->options.privacy.neighbours && same_entries(&c->planned, planned))
                return c;
    return NULL;
}

static sp_status remember(struct sp_oracle *o, const sp_ledger *planned, double factor)
{
    sp_status status = SP_OK;
    calibration *c = calloc(1, sizeof *c);
    if (!c)
        return SP_ENOMEM;
    SP_TRY(sp_ledger_copy(planned, &c->planned));
    c->epsilon = o->budget.epsilon;
    c->delta = o->budget.delta;
    c->neighbours = o->options.privacy.neighbours;
    c->factor = factor;
    c->next = o->transcript->calibrations;
    o->transcript->calibrations = c;
    return SP_OK;
cleanup:
    calibration_free(c);
    return status;
}

sp_status sp_transcript_calibrate(struct sp_oracle *o, const sp_ledger *planned, double *factor)
{
    const calibration *known = recall(o, planned);
    if (known) {
        *factor = known->factor;
        return SP_OK;
    }
    const sp_status status = sp_calibrate_under(NULL, planned, o->options.privacy.neighbours, o->budget.epsilon,
                                                o->budget.delta, factor, &o->error);
    return status == SP_OK && o->transcript ? remember(o, planned, *factor) : status;
}

double sp_transcript_rho(sp_transcript *transcript, double epsilon, double delta)
{
    for (const zcdp_budget *b = transcript ? transcript->budgets : NULL; b; b = b->next)
        if (b->epsilon == epsilon && b->delta == delta)
            return b->rho;
    const double rho = sp_zcdp_rho(epsilon, delta);
    zcdp_budget *new = transcript ? malloc(sizeof *new) : NULL;
    if (new) { /* else it is solved again */
        *new = (zcdp_budget){ epsilon, delta, rho, transcript->budgets };
        transcript->budgets = new;
    }
    return rho;
}
