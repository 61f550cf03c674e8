/* accumulator.c -- accumulators: secret sums a <- keep a + q that a method can add to and release, but never read.
 *
 * Weights. A batch has a weight w: the sensitivity of its q times the |keep| of all later adds. A record outside all
 * other batches moves a by at most w_0, the sum over full batches; all records are charged for it. A record in fresh
 * batch g moves a by w_0 + w_g, so the pool of g is charged for the difference of squares, (w_0 + w_g)^2 - w_0^2 = w_g
 * (w_g + 2 w_0). If passes bring a record in several times, its weights are added, record by record.
 *
 * Trees. The adds since the last release form a leaf. A block of leaves is released once, with noise of its own, and
 * pays for the weights that its adds have at its end. A record in one add is in at most floor(log2 T) + 1 blocks of T
 * leaves. What the method receives is computed from released blocks (tree.c). Any keep is covered: keep is public, and
 * so are the points of a query, because they depend on released values alone.
 *
 * Square root (banded.c). The adds go through a linear filter, whose output is released after each add. This file pays
 * for every add and checks that the adds are such that the charge is right.
 *
 * Norms. A weight bounds a move in l2, and therefore in l_inf too. Once something was added that is bounded in l_inf
 * only, all weights are in l_inf. The charges do not change; a choice (choose.c) then bounds a score by a weight times
 * an l1 distance.
 *
 * Overflow and underflow. `reach` bounds the norm of the sum, whatever the records are; an add that could bring it
 * beyond SP_MAGNITUDE_MAX is refused, so no sum is infinite. A nonzero weight is kept at or above WEIGHT_MIN, so that
 * it does not become 0 before the sum that it belongs to. */
#include "core/oracle/oracle_internal.h"

#include "core/base/memory.h"
#include "core/oracle/mechanisms/banded.h"
#include "core/oracle/noise.h"
#include "core/oracle/mechanisms/tree.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 64 };

#define WEIGHT_MIN 1e-200
#define SAME (1.0 + 1e-12) /* numbers that differ by rounding */

/* One batch: a pool, or (pool 0) the records `row` .. `row + rows` of a pass. */
typedef struct weight {
    size_t pool, row, rows;
    double weight;
} weight;

/* Adds of consecutive steps. The weights are those at its end; `kept` brings them to now. */
typedef struct leaves {
    double *sum;  /* d: the data part */
    double full;  /* weight of the full batches */
    double kept;
    size_t first; /* weight */
} leaves;

/* Square root: what the adds since the last restart were. */
typedef struct walk {
    bool open;          /* the last add waits for its release */
    size_t pool;        /* of the last add; 0: of no fresh batch */
    size_t serial;      /* of the last add's block, by the number of its draw; 0: of no pass */
    double sensitivity; /* by which the last add is charged: its own, in a pass the first one's */
    double largest;     /* of the sensitivities so far */
    double noise_std;   /* of all releases; 0: none yet */
} walk;

struct sp_accumulator {
    sp_accumulator *next;
    sp_oracle *oracle;
    sp_accumulator_noise noise;
    sp_accumulator_plan plan; /* adds: leaves between restarts; 0: plain */
    sp_tree *tree;  /* NULL: no tree */
    sp_banded *banded; /* NULL: not square root */
    walk walk;
    double *vectors, *exact; /* exact, d: the public part */
    double *value;  /* noisy blocks */
    double reach;   /* bound on the norm of the data part's sum */
    bool fresh, passed; /* it holds fresh batches, blocks of a pass */
    sp_norm norm;   /* of the weights */
    leaves *stack;  /* the blocks on the tree's stack, then the open leaf */
    size_t depth;   /* of the open leaf */
    weight *weight;
    double *levy;   /* mu^2 of the pool whose last weight it is */
    sp_entry *charge;
    size_t count, capacity;
    uint32_t *row;
    size_t rows, row_capacity;
    double *moved, *record_levy; /* n: of passes */
};

static void accumulator_free(sp_accumulator *a)
{
    if (!a)
        return;
    sp_tree_free(a->tree);
    sp_banded_free(a->banded);
    free(a->vectors);
    free(a->value);
    free(a->stack);
    free(a->weight);
    free(a->levy);
    free(a->charge);
    free(a->row);
    free(a->moved);
    free(a->record_levy);
    free(a);
}

void sp_accumulators_free(sp_accumulator *a)
{
    while (a) {
        sp_accumulator *next = a->next;
        accumulator_free(a);
        a = next;
    }
}

/* Room for one more weight. */
static sp_status reserve(sp_accumulator *a)
{
    if (a->count + 1 < a->capacity)
        return SP_OK;
    if (a->count > SIZE_MAX / (8 * sizeof *a->charge))
        return sp_refuse(a->oracle, SP_ENOMEM, "accumulator: %zu batches", a->count);
    const size_t capacity = 2 * a->count + 16;
    void *grown[3] = { realloc(a->weight, capacity * sizeof *a->weight), NULL, NULL };
    if (grown[0])
        a->weight = grown[0];
    if ((grown[1] = realloc(a->levy, capacity * sizeof *a->levy)))
        a->levy = grown[1];
    if ((grown[2] = realloc(a->charge, (capacity + 1) * sizeof *a->charge)))
        a->charge = grown[2];
    if (!grown[0] || !grown[1] || !grown[2])
        return sp_refuse(a->oracle, SP_ENOMEM, "accumulator: out of memory for %zu batches", a->count);
    memset(a->levy + a->capacity, 0, (capacity - a->capacity) * sizeof *a->levy);
    a->capacity = capacity;
    return SP_OK;
}

/* Room for the records of a pass. */
static sp_status reserve_rows(sp_accumulator *a, size_t rows)
{
    const size_t n = sp_records(a->oracle);
    if (!a->moved)
        a->moved = sp_alloc_doubles(n);
    if (!a->record_levy)
        a->record_levy = sp_alloc_doubles(n);
    if (a->rows + rows > a->row_capacity) {
        const size_t capacity = 2 * (a->rows + rows);
        uint32_t *row = realloc(a->row, capacity * sizeof *row);
        if (!row)
            return sp_refuse(a->oracle, SP_ENOMEM, "accumulator: out of memory for %zu records", a->rows + rows);
        a->row = row;
        a->row_capacity = capacity;
    }
    return a->moved && a->record_levy
               ? SP_OK
               : sp_refuse(a->oracle, SP_ENOMEM, "accumulator: out of memory for %zu records", n);
}

static void clear(sp_accumulator *a)
{
    const size_t d = sp_dimension(a->oracle);
    a->depth = a->count = a->rows = 0;
    a->reach = 0.0;
    a->fresh = a->passed = false;
    a->norm = SP_NORM_L2;
    a->stack[0].full = 0.0;
    a->stack[0].kept = 1.0;
    a->stack[0].first = 0;
    memset(a->stack[0].sum, 0, d * sizeof *a->exact);
    memset(a->exact, 0, d * sizeof *a->exact);
    a->walk = (walk){ 0 };
    if (a->tree)
        sp_tree_clear(a->tree);
    if (a->banded)
        sp_banded_clear(a->banded);
}

sp_status sp_accumulator_open(sp_oracle *o, sp_accumulator_noise noise, const sp_accumulator_plan *plan,
                              sp_accumulator **out)
{
    sp_status status = SP_OK;
    sp_accumulator *a = NULL;
    const size_t d = sp_dimension(o);
    const bool tree = noise == SP_NOISE_TREE || noise == SP_NOISE_HONAKER, root = noise == SP_NOISE_SQRT;
    size_t levels = 1;
    SP_TRY(sp_not_reentered(o));
    if ((tree || root) && (!plan || plan->adds == 0))
        return sp_refuse(o, SP_EINVAL, "sp_accumulator_open: %s needs the number of adds between restarts",
                         tree ? "a tree" : "square-root noise");
    if (root && !(plan->keep >= 0.0 && plan->keep <= 1.0))
        return sp_refuse(o, SP_EINVAL, "sp_accumulator_open: keep = %g of square-root noise must be in [0, 1]",
                         plan->keep);
    a = sp_alloc(1, sizeof *a);
    if (!a)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "accumulator: out of memory"));
    a->oracle = o;
    a->noise = noise;
    if (tree || root)
        a->plan = *plan;
    while (tree && levels < LEVELS && a->plan.adds >> levels > 0)
        levels++;
    if (tree)
        a->tree = sp_tree_new(d, a->plan.adds, noise == SP_NOISE_HONAKER);
    if (root)
        a->banded = sp_banded_new(d, a->plan.adds, a->plan.period, a->plan.keep);
    a->vectors = sp_alloc(d, (levels + 2) * sizeof *a->vectors);
    a->value = sp_alloc(d, (noise == SP_NOISE_HONAKER ? levels : 1) * sizeof *a->value);
    a->stack = sp_alloc(levels + 1, sizeof *a->stack);
    if (!a->vectors || !a->value || !a->stack || (tree && !a->tree) || (root && !a->banded))
        SP_TRY(sp_refuse(o, SP_ENOMEM, "accumulator: out of memory at d = %zu", d));
    a->exact = a->vectors + (levels + 1) * d;
    for (size_t k = 0; k <= levels; k++)
        a->stack[k].sum = a->vectors + k * d;
    SP_TRY(reserve(a));
    clear(a);
    a->next = o->accumulators;
    o->accumulators = a;
    *out = a;
    a = NULL;
cleanup:
    accumulator_free(a);
    return status;
}

/* A weight times |keep| */
static double scaled(double w, double keep)
{
    return w > 0.0 && keep != 0.0 ? fmax(w * fabs(keep), WEIGHT_MIN) : 0.0;
}

/* Are the adds such as banded.c charges them? */
static sp_status check_walk(sp_accumulator *a, double keep, const sp_question *question)
{
    sp_oracle *o = a->oracle;
    const walk *w = &a->walk;
    const sp_resolved_batch *resolved = &question->resolved;
    const size_t period = a->plan.period, steps = sp_banded_steps(a->banded);
    const bool pass = resolved->kind == SP_SAMPLE_PASS, fresh = resolved->kind == SP_SAMPLE_FRESH;
    if (w->open)
        return sp_refuse(o, SP_EINVAL, "sp_accumulator_add: square-root noise wants a release after every add");
    if (keep != a->plan.keep)
        return sp_refuse(o, SP_EINVAL, "sp_accumulator_add: keep = %g: the accumulator was opened for %g", keep,
                         a->plan.keep);
    if (!o->options.privacy.private)
        return SP_OK;
    if (pass && o->passes.reshuffle)
        return sp_refuse(o, SP_EUNSUPPORTED, "sp_accumulator_add: square-root noise wants a fixed pass");
    if (period != (fresh ? 0 : pass ? o->passes.blocks : 1))
        return sp_refuse(o, SP_EPRIVACY, "sp_accumulator_add: opened for a period of %zu: a batch of another kind, or "
                         "a pass of other blocks, is charged otherwise", period);
    if (fresh && w->pool == resolved->entry.pool)
        return sp_refuse(o, SP_EPRIVACY, "sp_accumulator_add: under square-root noise a fresh batch serves one add");
    if (pass && steps > 0 && resolved->drawn->serial != w->serial + 1)
        return sp_refuse(o, SP_EPRIVACY, "sp_accumulator_add: under square-root noise the blocks of a pass are added "
                         "in the order drawn, each once");
    if (!fresh && steps > 0 && question->sensitivity > w->largest * SAME)
        return sp_refuse(o, SP_EPRIVACY, "sp_accumulator_add: under square-root noise a pass is charged by its first "
                         "add: sensitivity %g is above %g", question->sensitivity, w->largest);
    return SP_OK;
}

/* The next add's batch and size. */
static sp_status check_add(sp_accumulator *a, double keep, sp_norm norm, const sp_question *question)
{
    sp_oracle *o = a->oracle;
    const sp_sample_kind kind = question->resolved.kind;
    double largest = scaled(a->reach, keep) + question->bound;
    if (!isfinite(keep))
        return sp_refuse(o, SP_EINVAL, "sp_accumulator_add: keep = %g must be finite", keep);
    if (a->noise != SP_NOISE_PLAIN && norm != SP_NORM_L2)
        return sp_refuse(o, SP_EPRIVACY, "sp_accumulator_add: records that are cut in l_inf have no l2 sensitivity, "
                         "which correlated noise is relative to");
    if (o->options.privacy.private && (kind == SP_SAMPLE_SUBSET || kind == SP_SAMPLE_POISSON))
        return sp_refuse(o, SP_EPRIVACY, "sp_accumulator_add: no theorem covers subsets in an accumulator");
    for (size_t k = 0; k < a->depth; k++)
        largest = fmax(largest, fabs(a->stack[k].kept * keep));
    if (o->charged && !(largest <= SP_MAGNITUDE_MAX))
        return sp_refuse(o, SP_EPRIVACY, "sp_accumulator_add: keep = %g: a sum of up to %g is above %g: whether it "
                         "overflows would tell about records", keep, largest, SP_MAGNITUDE_MAX);
    return a->banded ? check_walk(a, keep, question) : SP_OK;
}

/* c_t <= keep^t, so what bounds the sum of the adds bounds the filter's output. */
static void walk_on(walk *w, const sp_question *question)
{
    const sp_resolved_batch *resolved = &question->resolved;
    w->open = true;
    w->pool = resolved->entry.pool;
    w->serial = resolved->kind == SP_SAMPLE_PASS ? resolved->drawn->serial : 0;
    w->largest = fmax(w->largest, question->sensitivity);
    w->sensitivity = resolved->kind == SP_SAMPLE_FRESH ? question->sensitivity : w->largest;
}

/* A fixed pass moves the records of a block together: the first stands for all. */
static void add_pass(sp_accumulator *a, const sp_resolved_batch *resolved, double sensitivity)
{
    const size_t rows = a->oracle->passes.reshuffle ? resolved->rows.count : 1;
    memcpy(a->row + a->rows, resolved->rows.index, rows * sizeof *a->row);
    a->weight[a->count++] = (weight){ .row = a->rows, .rows = rows, .weight = sensitivity };
    a->rows += rows;
}

sp_status sp_accumulator_add(sp_accumulator *a, double keep, const sp_query *query)
{
    sp_status status = SP_OK;
    sp_oracle *o = a->oracle;
    sp_question question;
    const sp_resolved_batch *resolved = &question.resolved;
    leaves *open = &a->stack[a->depth];
    const int d = (int)sp_dimension(o);
    const bool tracked = !a->banded && (o->charged || o->transcript);
    SP_TRY(sp_not_reentered(o));
    SP_TRY(sp_query_check(o, query, &question));
    SP_TRY(check_add(a, keep, query->norm, &question));
    if (tracked && resolved->kind != SP_SAMPLE_FULL)
        SP_TRY(reserve(a));
    if (tracked && resolved->kind == SP_SAMPLE_PASS)
        SP_TRY(reserve_rows(a, resolved->rows.count));

    sp_query_answer(o, query, &question, o->scratch.data, o->scratch.exact);
    cblas_dscal(d, keep, open->sum, 1);
    cblas_dscal(d, keep, a->exact, 1);
    cblas_daxpy(d, 1.0, o->scratch.data, 1, open->sum, 1);
    cblas_daxpy(d, 1.0, o->scratch.exact, 1, a->exact, 1);

    for (size_t k = 0; k < a->depth; k++)
        a->stack[k].kept *= keep;
    if (a->tree)
        sp_tree_keep(a->tree, keep);
    a->reach = scaled(a->reach, keep) + question.bound;
    a->fresh = a->fresh || resolved->kind == SP_SAMPLE_FRESH;
    a->passed = a->passed || resolved->kind == SP_SAMPLE_PASS;
    if (query->norm == SP_NORM_LINF || keep == 0.0)
        a->norm = query->norm;
    if (a->banded) {
        walk_on(&a->walk, &question);
        return SP_OK;
    }
    open->full = scaled(open->full, keep);
    for (size_t i = open->first; i < a->count; i++)
        a->weight[i].weight = scaled(a->weight[i].weight, keep);
    if (!tracked)
        return SP_OK;
    if (resolved->kind == SP_SAMPLE_PASS)
        add_pass(a, resolved, question.sensitivity);
    else if (resolved->entry.pool == 0)
        open->full += question.sensitivity;
    else if (a->count > open->first && a->weight[a->count - 1].pool == resolved->entry.pool)
        a->weight[a->count - 1].weight += question.sensitivity;
    else
        a->weight[a->count++] = (weight){ .pool = resolved->entry.pool, .weight = question.sensitivity };
cleanup:
    return status;
}

/* --- charges ---------------------------------------------------------------------------------------------------- */

static double full_weight(const sp_accumulator *a, size_t bottom)
{
    double full = 0.0;
    for (size_t k = bottom; k <= a->depth; k++)
        full += scaled(a->stack[k].full, a->stack[k].kept);
    return full;
}

/* The block from stack[bottom] to now, released with noise_std: mu^2 of each pool and record beyond what all pay.
 * Returns the largest weight. */
static double levy_block(sp_accumulator *a, size_t bottom, double noise_std)
{
    const double full = full_weight(a, bottom);
    double worst = full, run = 0.0;
    for (size_t k = bottom; k <= a->depth; k++) {
        const double kept = a->stack[k].kept;
        const size_t end = k < a->depth ? a->stack[k + 1].first : a->count;
        for (size_t i = a->stack[k].first; i < end; i++) {
            const weight *w = &a->weight[i];
            for (size_t r = 0; r < w->rows; r++) {
                double *moved = &a->moved[a->row[w->row + r]];
                *moved += scaled(w->weight, kept);
                worst = fmax(worst, full + *moved);
            }
            if (w->pool == 0)
                continue;
            run += scaled(w->weight, kept);
            size_t next = i + 1;
            while (next < a->count && a->weight[next].pool == 0)
                next++;
            if (next == a->count || a->weight[next].pool != w->pool) { /* the same batch may be in two leaves */
                worst = fmax(worst, full + run);
                a->levy[i] += gsl_pow_2(sqrt(run) * sqrt(run + 2.0 * full) / noise_std);
                run = 0.0;
            }
        }
    }
    for (size_t i = a->stack[bottom].first; i < a->count; i++) {
        for (size_t r = 0; r < a->weight[i].rows; r++) {
            const uint32_t record = a->row[a->weight[i].row + r];
            const double moved = a->moved[record];
            a->record_levy[record] += gsl_pow_2(sqrt(moved) * sqrt(moved + 2.0 * full) / noise_std);
            a->moved[record] = 0.0;
        }
    }
    return worst;
}

static void take_levies(sp_accumulator *a, size_t first, bool pay)
{
    for (size_t i = first; i < a->count; i++) {
        a->levy[i] = 0.0;
        for (size_t r = 0; r < a->weight[i].rows; r++) {
            const uint32_t record = a->row[a->weight[i].row + r];
            if (pay)
                a->oracle->passes.mu2[record] += a->record_levy[record];
            a->record_levy[record] = 0.0;
        }
    }
}

/* What is too small to be a number costs nothing: a weight of 0, or one that has vanished. */
static void add_charge(sp_accumulator *a, double mu2, size_t pool, size_t *entries)
{
    const double noise_multiplier = 1.0 / sqrt(mu2);
    if (mu2 > 0.0 && isfinite(noise_multiplier))
        a->charge[(*entries)++] = (sp_entry){ .noise_multiplier = noise_multiplier, .count = 1, .pool = pool };
}

/* Pay for the blocks that reach `from` .. `to` places below the open leaf; sensitivity[l]: of each. */
static sp_status charge(sp_accumulator *a, size_t from, size_t to, double noise_std, double *sensitivity)
{
    sp_oracle *o = a->oracle;
    sp_passes *p = &o->passes;
    const size_t first = a->stack[a->depth - to].first;
    size_t entries = 0;
    double mu2 = 0.0, worst = p->worst;
    sp_entry raised;
    for (size_t l = from; l <= to; l++) {
        mu2 += gsl_pow_2(full_weight(a, a->depth - l) / noise_std);
        sensitivity[l] = levy_block(a, a->depth - l, noise_std);
    }
    if (!o->charged) {
        take_levies(a, first, false);
        return SP_OK;
    }
    for (size_t i = first; i < a->count; i++)
        for (size_t r = 0; r < a->weight[i].rows; r++) {
            const uint32_t record = a->row[a->weight[i].row + r];
            worst = fmax(worst, p->mu2[record] + a->record_levy[record]);
        }
    if (sp_pass_entry(o, worst, &raised))
        mu2 += worst - p->worst;
    add_charge(a, mu2, 0, &entries);
    for (size_t i = first; i < a->count; i++)
        add_charge(a, a->levy[i], a->weight[i].pool, &entries);
    const sp_status status = sp_charge(o, a->charge, entries);
    take_levies(a, first, status == SP_OK);
    if (status == SP_OK)
        p->worst = worst;
    return status;
}

/* --- releasing -------------------------------------------------------------------------------------------------- */

/* A noisy vector leaves. */
static sp_status tell(sp_accumulator *a, double noise_std, double sensitivity, double *value)
{
    sp_oracle *o = a->oracle;
    const size_t d = sp_dimension(o);
    memcpy(value, o->scratch.raw, d * sizeof *value);
    sp_noise_gaussian(o->noise, noise_std, d, value);
    return sp_transcript_event(o, &(sp_event){ .primitive = "accumulator", .dimension = d, .m = (double)sp_records(o),
                                         .raw = o->scratch.raw, .size = d, .move = SP_MOVE_L2,
                                         .sensitivity = sensitivity,
                                         .noise_std = noise_std, .answer = value, .answers = d });
}

/* The block's sum with its noise, `deep` stack places below the open leaf. */
static sp_status release_block(sp_accumulator *a, size_t deep, double noise_std, double sensitivity, double *value)
{
    sp_oracle *o = a->oracle;
    const size_t d = sp_dimension(o);
    memset(o->scratch.raw, 0, d * sizeof *o->scratch.raw);
    for (size_t k = a->depth - deep; k <= a->depth; k++)
        cblas_daxpy((int)d, a->stack[k].kept, a->stack[k].sum, 1, o->scratch.raw, 1);
    return tell(a, noise_std, sensitivity, value);
}

/* The open leaf and the `merges` blocks below it become one, and a new leaf is opened. */
static void merge(sp_accumulator *a, size_t merges)
{
    const size_t d = sp_dimension(a->oracle), bottom = a->depth - merges;
    leaves *block = &a->stack[bottom];
    block->full = full_weight(a, bottom);
    for (size_t k = bottom; k <= a->depth; k++) {
        const size_t end = k < a->depth ? a->stack[k + 1].first : a->count;
        for (size_t i = a->stack[k].first; i < end; i++)
            a->weight[i].weight = scaled(a->weight[i].weight, a->stack[k].kept);
        if (k == bottom)
            cblas_dscal((int)d, block->kept, block->sum, 1);
        else
            cblas_daxpy((int)d, a->stack[k].kept, a->stack[k].sum, 1, block->sum, 1);
    }
    block->kept = 1.0;
    a->depth = bottom + 1;
    leaves *open = &a->stack[a->depth];
    *open = (leaves){ .sum = open->sum, .kept = 1.0, .first = a->count };
    memset(open->sum, 0, d * sizeof *open->sum);
}

/* The filter's next output, paid for in advance. */
static sp_status release_walk(sp_accumulator *a, double noise_std, double *out)
{
    sp_status status = SP_OK;
    sp_oracle *o = a->oracle;
    walk *w = &a->walk;
    double *sum = a->stack[0].sum;
    size_t entries = 0;
    if (!w->open)
        SP_TRY(sp_refuse(o, SP_EINVAL, "sp_accumulator_release: square-root noise wants an add before every release"));
    if (sp_banded_steps(a->banded) == a->plan.adds)
        SP_TRY(sp_refuse(o, SP_EINVAL, "sp_accumulator_release: the accumulator was opened for %zu releases",
                         a->plan.adds));
    if (o->charged && w->noise_std > 0.0 && noise_std != w->noise_std)
        SP_TRY(sp_refuse(o, SP_EPRIVACY, "sp_accumulator_release: noise_std = %g: what came before was charged for %g "
                         "throughout", noise_std, w->noise_std));
    if (!o->charged)
        noise_std = 0.0;
    if (o->charged) {
        add_charge(a, sp_banded_due(a->banded) * gsl_pow_2(w->sensitivity / noise_std), w->pool, &entries);
        SP_TRY(sp_charge(o, a->charge, entries));
    }
    o->cost.releases++;
    sp_banded_mix(a->banded, sum, o->scratch.raw);
    SP_TRY(tell(a, noise_std, sp_banded_weight(a->banded) * (w->pool > 0 ? w->largest : w->sensitivity), a->value));
    sp_banded_step(a->banded, o->scratch.raw, a->value, o->scratch.data);
    w->open = false;
    w->noise_std = noise_std;
    memset(sum, 0, sp_dimension(o) * sizeof *sum);
    for (size_t j = 0; j < sp_dimension(o); j++)
        out[j] = o->scratch.data[j] + a->exact[j];
cleanup:
    return status;
}

sp_status sp_accumulator_release(sp_accumulator *a, double noise_std, double *out)
{
    sp_status status = SP_OK;
    sp_oracle *o = a->oracle;
    const size_t d = sp_dimension(o), merges = a->tree ? sp_tree_merges(a->tree) : 0;
    const size_t first = a->noise == SP_NOISE_HONAKER ? 0 : merges;
    double sensitivity[LEVELS] = { 0.0 };
    SP_TRY(sp_not_reentered(o));
    SP_TRY(sp_noise_check(o, "sp_accumulator_release: noise_std", noise_std));
    if (a->norm != SP_NORM_L2)
        SP_TRY(sp_refuse(o, SP_EPRIVACY, "sp_accumulator_release: it holds records that are cut in l_inf, whose sum "
                         "has no l2 sensitivity: only choices by inner product may read it"));
    if (a->banded)
        return release_walk(a, noise_std, out);
    if (o->options.privacy.private && a->fresh && a->passed)
        SP_TRY(sp_refuse(o, SP_EPRIVACY, "sp_accumulator_release: a record may be in a fresh batch and in a pass, and "
                         "its weights would add up: one or the other is charged"));
    if (a->tree && sp_tree_steps(a->tree) == a->plan.adds)
        SP_TRY(sp_refuse(o, SP_EINVAL, "sp_accumulator_release: the tree was opened for %zu releases", a->plan.adds));
    if (!o->charged)
        noise_std = 0.0;
    if (o->charged || o->transcript)
        SP_TRY(charge(a, first, merges, noise_std, sensitivity));
    o->cost.releases++;
    for (size_t l = first; l <= merges; l++)
        SP_TRY(release_block(a, l, noise_std, sensitivity[l], a->value + (l - first) * d));
    if (a->tree) {
        sp_tree_step(a->tree, a->value, noise_std, o->scratch.data);
        merge(a, merges);
    } else {
        memcpy(o->scratch.data, a->value, d * sizeof *o->scratch.data);
    }
    for (size_t j = 0; j < d; j++)
        out[j] = o->scratch.data[j] + a->exact[j];
cleanup:
    return status;
}

sp_status sp_accumulator_restart(sp_accumulator *a)
{
    const sp_status status = sp_not_reentered(a->oracle);
    if (status == SP_OK)
        clear(a);
    return status;
}

/* --- for choices -------------------------------------------------------------------------------------------------- */

const sp_oracle *sp_accumulator_oracle(const sp_accumulator *a)
{
    return a->oracle;
}

sp_secret sp_accumulator_secret(const sp_accumulator *a)
{
    const leaves *open = &a->stack[a->depth];
    sp_secret secret = { .data = a->tree || a->banded ? NULL : open->sum, .exact = a->exact, .worst = open->full,
                         .norm = a->norm,
                         .shared = open->full > 0.0 };
    double passes = 0.0, pool = 0.0, run = 0.0; /* a record's share of the passes is at most all of it */
    size_t number = 0;
    for (size_t i = 0; i < a->count; i++) {
        const weight *w = &a->weight[i];
        if (w->pool == 0) {
            passes += w->weight;
            secret.shared = true;
            continue;
        }
        run = w->pool == number ? run + w->weight : w->weight; /* a pass may come between adds of one pool */
        number = w->pool;
        pool = fmax(pool, run);
    }
    secret.worst += passes + pool;
    return secret;
}

size_t sp_accumulator_pools(const sp_accumulator *a)
{
    return a->count;
}

double sp_accumulator_pool(const sp_accumulator *a, size_t i, size_t *pool)
{
    *pool = a->weight[i].pool;
    return a->weight[i].weight;
}
