/* transcript.c -- records the oracle's calls, or compares them with recorded ones.
 *
 * A replay sees the same releases as the record, so everything that is public (which call, where, how much noise) has
 * to be the same to the last bit; the raw values alone may differ, by no more than was paid for. */
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
    struct calibration *next;
} calibration;

struct sp_tape {
    mode mode;
    const sp_tape *recorded; /* REPLAYING, FOLLOWING */
    sp_event **event;        /* each one block, arrays included */
    size_t count, capacity;
    sp_status status;
    double move;
    char finding[512];
    calibration *calibrations;
};

sp_tape *sp_tape_new(void)
{
    return calloc(1, sizeof(sp_tape));
}

static void clear(sp_tape *tape)
{
    while (tape->count > 0)
        free(tape->event[--tape->count]);
    tape->status = SP_OK;
    tape->move = 0.0;
    tape->finding[0] = '\0';
}

static void calibration_free(calibration *c)
{
    sp_ledger_free(&c->planned);
    free(c);
}

void sp_tape_free(sp_tape *tape)
{
    if (!tape)
        return;
    clear(tape);
    while (tape->calibrations) {
        calibration *next = tape->calibrations->next;
        calibration_free(tape->calibrations);
        tape->calibrations = next;
    }
    free(tape->event);
    free(tape);
}

static void start(sp_tape *tape, mode what, const sp_tape *recorded)
{
    clear(tape);
    tape->mode = what;
    tape->recorded = recorded;
}

void sp_tape_record(sp_tape *tape)
{
    start(tape, RECORDING, NULL);
}

void sp_tape_replay(sp_tape *tape, const sp_tape *recorded)
{
    start(tape, REPLAYING, recorded);
}

void sp_tape_follow(sp_tape *tape, const sp_tape *recorded)
{
    start(tape, FOLLOWING, recorded);
}

void sp_tape_end(sp_tape *tape, sp_status status)
{
    const sp_tape *recorded = tape->recorded;
    tape->status = status;
    if (tape->mode == RECORDING || tape->finding[0] != '\0')
        return;
    if (status != recorded->status)
        snprintf(tape->finding, sizeof tape->finding, "the run ended with %s, on the neighbour with %s",
                 sp_status_name(recorded->status), sp_status_name(status));
    else if (tape->count < recorded->count)
        snprintf(tape->finding, sizeof tape->finding, "%zu calls, on the neighbour %zu", recorded->count, tape->count);
}

size_t sp_tape_count(const sp_tape *tape)
{
    return tape->count;
}

const sp_event *sp_tape_at(const sp_tape *tape, size_t index)
{
    return tape->event[index];
}

const char *sp_tape_finding(const sp_tape *tape)
{
    return tape->finding[0] != '\0' ? tape->finding : NULL;
}

double sp_tape_move(const sp_tape *tape)
{
    return tape->move;
}

/* --- keeping ------------------------------------------------------------------------------------------------ */

/* One block: the event, the pointers to its points, all doubles, the rows. */
static sp_event *copy(const sp_event *event)
{
    const size_t rows = event->rows ? event->count : 0;
    const size_t doubles = event->points * event->dimension + event->size + event->answers;
    sp_event *kept = malloc(sizeof *kept + event->points * sizeof *event->point + doubles * sizeof(double)
                            + rows * sizeof *event->rows);
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
    if (rows > 0)
        kept->rows = memcpy(next + event->answers, event->rows, rows * sizeof *event->rows);
    return kept;
}

static sp_status keep(struct sp_oracle *o, const sp_event *event)
{
    sp_tape *tape = o->tape;
    if (tape->count == EVENTS_MAX)
        return sp_refuse(o, SP_ELIMIT, "tape: more than %d calls", EVENTS_MAX);
    if (tape->count == tape->capacity) {
        const size_t capacity = 2 * tape->capacity + 16;
        sp_event **grown = realloc(tape->event, capacity * sizeof *grown);
        if (!grown)
            return sp_refuse(o, SP_ENOMEM, "tape: out of memory after %zu calls", tape->count);
        tape->event = grown;
        tape->capacity = capacity;
    }
    tape->event[tape->count] = copy(event);
    if (!tape->event[tape->count])
        return sp_refuse(o, SP_ENOMEM, "tape: out of memory after %zu calls", tape->count);
    tape->count++;
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
        { "the size", (double)a->size, (double)b->size },
        { "the size of the answer", (double)a->answers, (double)b->answers },
        { "how moves are measured", (double)a->move, (double)b->move },
        { "the sensitivity", a->sensitivity, b->sensitivity },
        { "noise_std", a->noise_std, b->noise_std },
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

static void compare(sp_tape *tape, const sp_event *now)
{
    const sp_tape *recorded = tape->recorded;
    char what[384];
    if (tape->count >= recorded->count) {
        snprintf(tape->finding, sizeof tape->finding, "%zu calls, on the neighbour one more: %s", recorded->count,
                 now->primitive);
        return;
    }
    const sp_event *then = recorded->event[tape->count];
    if (differ(then, now, what, sizeof what)) {
        snprintf(tape->finding, sizeof tape->finding, "call %zu, %s: %s", tape->count + 1, then->primitive, what);
    } else if (tape->mode == REPLAYING) {
        const double moved = then->move == SP_MOVE_RANGE ? range_move(then, now) : l2_move(then, now);
        if (!(moved <= then->sensitivity * (1.0 + MOVE_SLACK)))
            snprintf(tape->finding, sizeof tape->finding, "call %zu, %s: the raw value moves by %.6g, declared is %.6g",
                     tape->count + 1, then->primitive, moved, then->sensitivity);
        if (then->sensitivity > 0.0)
            tape->move = fmax(tape->move, moved / then->sensitivity);
    }
}

/* Of an oracle on records of its own: the batch in the root's numbers. *rows is to be freed. */
static sp_status at_root(struct sp_oracle *o, sp_event *event, uint32_t **rows)
{
    size_t count = event->rows ? event->count : sp_records(o);
    for (const struct sp_oracle *child = o; child->parent; child = child->parent) {
        if (!child->nesting.records)
            continue;
        if (!*rows && !(*rows = sp_alloc(count, sizeof **rows)))
            return sp_refuse(o, SP_ENOMEM, "tape: out of memory for %zu records", count);
        for (size_t i = 0; i < count; i++)
            (*rows)[i] = child->nesting.records[event->rows ? event->rows[i] : i];
        event->rows = *rows;
        event->count = count;
    }
    return SP_OK;
}

static sp_status take(struct sp_oracle *o, const sp_event *event)
{
    sp_tape *tape = o->tape;
    if (tape->mode != RECORDING) {
        if (tape->finding[0] == '\0')
            compare(tape, event);
        if (tape->finding[0] != '\0')
            return sp_refuse(o, SP_EPRIVACY, "replay: %s", tape->finding);
        if (event->answers > 0)
            memcpy(event->answer, tape->recorded->event[tape->count]->answer, event->answers * sizeof *event->answer);
    }
    return keep(o, event);
}

sp_status sp_tape_event(struct sp_oracle *o, const sp_event *event)
{
    sp_status status = SP_OK;
    sp_event known = *event;
    uint32_t *rows = NULL;
    if (!o->tape)
        return SP_OK;
    SP_TRY(at_root(o, &known, &rows));
    SP_TRY(take(o, &known));
cleanup:
    free(rows);
    return status;
}

/* --- calibrations ------------------------------------------------------------------------------------------- */

static bool same_entries(const sp_ledger *a, const sp_ledger *b)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->entry, b->entry, a->count * sizeof *a->entry) == 0);
}

static const calibration *recall(const sp_tape *tape, const sp_budget *budget, const sp_ledger *planned)
{
    for (; tape; tape = tape->recorded)
        for (const calibration *c = tape->calibrations; c; c = c->next)
            if (c->epsilon == budget->epsilon && c->delta == budget->delta && same_entries(&c->planned, planned))
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
    c->factor = factor;
    c->next = o->tape->calibrations;
    o->tape->calibrations = c;
    return SP_OK;
cleanup:
    calibration_free(c);
    return status;
}

sp_status sp_tape_calibrate(struct sp_oracle *o, const sp_ledger *planned, double *factor)
{
    const calibration *known = recall(o->tape, &o->budget, planned);
    if (known) {
        *factor = known->factor;
        return SP_OK;
    }
    const sp_status status = sp_calibrate_factor(NULL, planned, o->budget.epsilon, o->budget.delta, factor, &o->error);
    return status == SP_OK && o->tape ? remember(o, planned, *factor) : status;
}
