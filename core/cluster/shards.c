/* shards.c -- see shards.h. */
#include "core/cluster/shards.h"

#include "core/base/memory.h"
#include "core/sweep/selection.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- names ----------------------------------------------------------------------------------------------------- */

sp_status sp_shard_read(const char *text, sp_shard *out, sp_error *error)
{
    const size_t length = strspn(text, "0123456789");
    const char *rest = text + length + (text[length] == '/');
    const bool form = length > 0 && length < 8 && text[length] == '/' && *rest && strlen(rest) < 8 &&
                      rest[strspn(rest, "0123456789")] == '\0';
    *out = (sp_shard){ form ? strtoul(text, NULL, 10) : 0, form ? strtoul(rest, NULL, 10) : 0 };
    if (out->number < 1 || out->number > out->of || out->of > SP_SHARDS_MAX)
        return sp_fail(error, SP_EINVAL, "--shard %s: must be K/N with K from 1 to N, and N at most %d, as in --shard "
                       "17/200", text, SP_SHARDS_MAX);
    return SP_OK;
}

void sp_shard_text(sp_shard s, char out[SP_SHARD_TEXT])
{
    snprintf(out, SP_SHARD_TEXT, "%zu/%zu", s.number, s.of);
}

char *sp_shard_name(sp_shard s, bool part)
{
    char all[24];
    const int digits = snprintf(all, sizeof all, "%zu", s.of);
    return sp_format("%0*zu-of-%s%s.sqlite", digits, s.number, all, part ? ".part" : "");
}

/* --- pieces ---------------------------------------------------------------------------------------------------- */

typedef struct unit {
    const sp_cell *cell;     /* of a tuning: its first */
    const sp_tuning *tuning; /* NULL: the cell's own replicates */
    size_t runs;             /* replicates; of a tuning: all runs */
} unit;

typedef struct units {
    unit *unit;
    size_t count;
} units;

/* Data sets together, tuned points before the rest, equal cells beside one another. The text of a tuned cell changes when
 * its grid has a winner. */
static int by_records(const void *a, const void *b)
{
    const unit *x = a, *y = b;
    int order = sp_cell_compare_records(x->cell, y->cell);
    if (order == 0)
        order = !x->tuning - !y->tuning;
    if (order == 0 && !x->tuning)
        order = sp_cell_compare(x->cell, y->cell);
    return order ? order : (x->cell->index > y->cell->index) - (x->cell->index < y->cell->index);
}

/* Whether or not they are skipped, which those of a grid without a winner are once it was searched. */
static size_t runs_of(const sp_cell *cell, size_t cells)
{
    size_t runs = 0;
    for (size_t i = 0; i < cells; i++)
        runs += cell[i].replicates;
    return runs;
}

/* A point at which a grid is made, or lent. */
static bool has_grid(const sp_plan *plan, const sp_tuning *t)
{
    return !t->lender || &plan->tuning[t->from] != t;
}

static sp_status list_units(const sp_plan *plan, units *out, sp_error *error)
{
    size_t *place = sp_alloc(plan->tunings + 1, sizeof *place); /* of the unit of a grid */
    out->unit = sp_alloc(plan->cells + 1, sizeof *out->unit);
    if (!place || !out->unit) {
        free(place);
        return sp_fail(error, SP_ENOMEM, "shards: out of memory");
    }
    for (size_t i = 0; i < plan->cells; i++)
        if (!plan->cell[i].skip && !plan->cell[i].tuned)
            out->unit[out->count++] = (unit){ &plan->cell[i], NULL, plan->cell[i].replicates };
    for (size_t i = 0; i < plan->tunings; i++) {
        const sp_tuning *t = &plan->tuning[i];
        if (t->lender)
            continue;
        place[i] = out->count;
        out->unit[out->count++] =
            (unit){ &plan->cell[t->cell], t,
                    runs_of(&plan->cell[t->cell], t->members) + runs_of(&plan->trial[t->trial], t->members * t->points) +
                        (t->derives ? runs_of(&plan->base[t->base], t->members) : 0) };
    }
    for (size_t i = 0; i < plan->tunings; i++) {
        const sp_tuning *t = &plan->tuning[i];
        if (t->lender && has_grid(plan, t))
            out->unit[place[t->from]].runs += runs_of(&plan->cell[t->cell], t->members);
    }
    free(place);
    qsort(out->unit, out->count, sizeof *out->unit, by_records);
    size_t kept = 0; /* equal cells of several sweeps are one unit: the first, with the most replicates */
    for (size_t i = 0; i < out->count; i++) {
        unit *last = kept > 0 ? &out->unit[kept - 1] : NULL;
        const unit *u = &out->unit[i];
        if (last && !last->tuning && !u->tuning && sp_cell_compare(last->cell, u->cell) == 0)
            last->runs = u->runs > last->runs ? u->runs : last->runs;
        else
            out->unit[kept++] = *u;
    }
    out->count = kept;
    return SP_OK;
}

/* Where the next piece begins, and the weight of all. */
typedef struct scale {
    uint64_t at, whole;
    size_t of;
} scale;

static void give(scale *s, uint64_t weight, sp_piece_of_plan piece, void (*take)(void *, const sp_piece_of_plan *),
                 void *context)
{
    const double share = (double)s->at / (double)s->whole * (double)s->of;
    const size_t task = (size_t)share;
    piece.task = 1 + (task < s->of ? task : s->of - 1);
    s->at += weight;
    take(context, &piece);
}

sp_status sp_shards_walk(const sp_plan *plan, size_t of, const sp_balance *balance,
                         void (*take)(void *context, const sp_piece_of_plan *), void *context, sp_error *error)
{
    sp_status status = SP_OK;
    units all = { 0 };
    scale s = { .of = of };
    SP_TRY(list_units(plan, &all, error));
    for (size_t i = 0; i < all.count; i++)
        s.whole += all.unit[i].runs * sp_balance_weight(balance, all.unit[i].cell);
    for (size_t first = 0, end; first < all.count; first = end) {
        size_t most = 0, plain = first;
        const sp_cell *records = all.unit[first].cell;
        for (end = first; end < all.count && sp_cell_compare_records(all.unit[end].cell, records) == 0; end++) {
            const unit *u = &all.unit[end];
            if (!u->tuning) {
                most = u->runs > most ? u->runs : most;
                continue;
            }
            give(&s, u->runs * sp_balance_weight(balance, u->cell),
                 (sp_piece_of_plan){ .cell = u->cell, .tuning = u->tuning, .runs = u->runs }, take, context);
            plain = end + 1;
        }
        for (size_t r = 0; r < most; r++)
            for (size_t i = plain; i < end; i++)
                if (r < all.unit[i].runs)
                    give(&s, sp_balance_weight(balance, all.unit[i].cell),
                         (sp_piece_of_plan){ .cell = all.unit[i].cell, .replicate = r, .runs = 1 }, take, context);
    }
cleanup:
    free(all.unit);
    return status;
}

void sp_part_start(sp_hash *hash, const sp_plan *plan, sp_shard shard)
{
    const uint64_t numbers[] = { shard.number, shard.of };
    sp_hash_start(hash);
    sp_hash_text(hash, plan->script);
    sp_hash_text(hash, plan->scale);
    sp_hash_add(hash, numbers, sizeof numbers);
}

void sp_part_add(sp_hash *hash, const sp_piece_of_plan *piece)
{
    const sp_problem_spec *problem = piece->cell->problem;
    const uint64_t numbers[] = { piece->cell->index, piece->tuning != NULL, piece->replicate, piece->runs };
    sp_hash_text(hash, problem->fingerprint);
    sp_hash_add(hash, numbers, sizeof numbers);
}

/* --- one shard of a plan ----------------------------------------------------------------------------------------- */

typedef struct choice {
    const sp_plan *plan;
    size_t task;
    size_t *low, *high; /* by cell: its replicates */
    bool *tuned;        /* by tuning */
    sp_hash part;
} choice;

static void choose(void *context, const sp_piece_of_plan *piece)
{
    choice *c = context;
    const size_t i = piece->cell->index;
    if (piece->task != c->task)
        return;
    sp_part_add(&c->part, piece);
    if (piece->tuning) {
        c->tuned[piece->tuning - c->plan->tuning] = true;
    } else { /* in the order of replicates, without gaps */
        c->low[i] = c->high[i] == 0 ? piece->replicate : c->low[i];
        c->high[i] = piece->replicate + 1;
    }
}

static int by_text(const void *a, const void *b)
{
    const sp_cell *const *x = a, *const *y = b;
    const int order = sp_cell_compare(*x, *y);
    return order ? order : ((*x)->index > (*y)->index) - ((*x)->index < (*y)->index);
}

/* Cells that are the same run have the same part of their replicates. */
static void narrow(sp_plan *plan, const choice *c, sp_cell **order)
{
    const sp_cell *leader = NULL;
    for (size_t i = 0; i < plan->cells; i++) {
        sp_cell *cell = order[i];
        cell->left_out = true;
        if (cell->tuned || cell->skip)
            continue;
        leader = leader && sp_cell_compare(leader, cell) == 0 ? leader : cell;
        const size_t low = c->low[leader->index], high = c->high[leader->index];
        const size_t end = high < cell->replicates ? high : cell->replicates;
        cell->first = (uint32_t)low;
        cell->replicates = (uint32_t)(end > low ? end - low : 0);
        cell->left_out = cell->replicates == 0;
    }
    for (size_t i = 0; i < plan->tunings; i++)
        for (size_t m = 0; m < plan->tuning[i].members; m++)
            plan->cell[plan->tuning[i].cell + m].left_out = !c->tuned[plan->tuning[i].from];
}

sp_status sp_plan_shard(sp_plan *plan, sp_shard shard, const sp_balance *balance, char part[SP_HASH_HEX],
                        sp_error *error)
{
    sp_status status = SP_OK;
    choice c = { plan, shard.number, sp_alloc(plan->cells + 1, sizeof *c.low),
                 sp_alloc(plan->cells + 1, sizeof *c.high), sp_alloc(plan->tunings + 1, sizeof *c.tuned) };
    sp_cell **order = sp_alloc(plan->cells + 1, sizeof *order);
    if (!c.low || !c.high || !c.tuned || !order)
        SP_TRY(sp_fail(error, SP_ENOMEM, "shards: out of memory"));
    sp_part_start(&c.part, plan, shard);
    SP_TRY(sp_shards_walk(plan, shard.of, balance, choose, &c, error));
    sp_hash_end_hex(&c.part, part);
    for (size_t i = 0; i < plan->cells; i++)
        order[i] = &plan->cell[i];
    qsort(order, plan->cells, sizeof *order, by_text);
    narrow(plan, &c, order);
    plan->runs = sp_runs_of(plan->cell, plan->cells);
    SP_TRY(sp_leave_out_tuning(plan, error));
cleanup:
    free(c.low);
    free(c.high);
    free(c.tuned);
    free(order);
    return status;
}
