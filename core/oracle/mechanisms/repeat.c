/* repeat.c -- private selection by repetition: makes a random number K of runs and keeps the best one.
 *
 * Let Q be one run: its output x and its score. R_Q is the Renyi curve of Q. If K is drawn independently of the records
 * from a truncated negative binomial distribution (core/accountant/repetitions.h: eta, gamma), then the output and
 * score of the run with the smallest score have the curve
 *
 *   R(a) = R_Q(a) + (1 + eta) min_{b > 1} [ (1 - 1/b) R_Q(b) + ln(1/gamma) / b ] + ln E[K] / (a - 1)
 *
 * (Papernot & Steinke 2022, Theorem 2), provided that nothing else is released: not the other runs, not their number,
 * not which of them was the best. R_Q must hold whatever a run does. So each run has a child oracle of its own that
 * enforces (1 - s) rho in zCDP, and a second one that enforces s rho for its score,
 *
 *   score = mean clip(f(x) - f(w0), +-L_data ||x - w0||) + noise:   R_Q(a) <= rho a
 *
 * by zCDP composition (s is the score's share). The theorem requires runs that are equal except for their own coins and
 * noise; the parameters of a run may be drawn, too. The accountant solves for rho, with the cap on K (composition.c).
 *
 * If a run fails, its error is part of its output, with the score INFINITY. */
#include "core/oracle/oracle_internal.h"

#include "core/accountant/repetitions.h"
#include "core/numeric/math.h"
#include "core/base/memory.h"
#include "core/oracle/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of delta, or of certainty where there is none, for K beyond its cap. */
static const double for_the_cap = 1e-3, certainly = 1e-12;

/* The best run so far, and the one that is under way. */
typedef struct attempt {
    sp_oracle *child;
    sp_status status;
    double score;
    double *answer;    /* size */
    size_t from, to;   /* its events in a transcript */
} attempt;

static size_t cap_of(const sp_oracle *o, const sp_repeats *r)
{
    const double epsilon = o->budget.epsilon, delta = o->budget.delta;
    return sp_repetitions_cap(r->shape, r->mean,
                              o->options.privacy.private ? for_the_cap * delta / (1.0 + sp_exp(epsilon)) : certainly);
}

static sp_status check(sp_oracle *o, const sp_repeats *r)
{
    if (o->options.privacy.neighbours != SP_REPLACE_ONE)
        return sp_refuse(o, SP_EPRIVACY,
                         "sp_repeat: privacy.neighbours = \"add_remove\": its runs are counted in zCDP, "
                         "under replace_one alone");
    if (!(r->mean > 1.0 && isfinite(r->mean) && r->shape > -1.0 && isfinite(r->shape)))
        return sp_refuse(o, SP_EINVAL, "sp_repeat: mean = %g must be > 1, shape = %g > -1, both finite", r->mean,
                         r->shape);
    if (!(r->score > 0.0 && r->score < 1.0))
        return sp_refuse(o, SP_EINVAL, "sp_repeat: score = %g must be in (0, 1)", r->score);
    if (r->size < sp_dimension(o) || !r->attempt)
        return sp_refuse(o, SP_EINVAL,
                         "sp_repeat: size = %zu: an answer has %zu numbers at least, and a run a function", r->size,
                         sp_dimension(o));
    if (o->options.privacy.private && o->shares.zcdp)
        return sp_refuse(o, SP_EPRIVACY,
                         "sp_repeat: this oracle's budget is kept in zCDP, which has no theorem for the "
                         "best of several runs");
    return SP_OK;
}

/* Ends everything, whatever the score. */
static bool is_fatal(sp_status status)
{
    return status == SP_ENOMEM || status == SP_ELIMIT || status == SP_EINTERRUPTED || status == SP_EREHEARSED;
}

static size_t events(const sp_oracle *o)
{
    return o->transcript ? sp_transcript_count(o->transcript) : 0;
}

/* x->score of x->answer, by an oracle of its own. */
static sp_status judge(sp_oracle *o, double rho, attempt *x)
{
    sp_status status = SP_OK;
    sp_oracle *judge = NULL;
    double multiplier = 0.0;
    sp_batch all;
    SP_TRY(sp_child_repeated(o, rho, &judge));
    SP_TRY(sp_calibrate(judge, &(sp_release_plan){ .kind = SP_MEAN_LOSS, .sample = sp_full(), .count = 1 }, 1,
                        &multiplier));
    SP_TRY(sp_draw(judge, sp_full(), &all));
    SP_TRY(sp_mean_loss(judge, &SP_BETWEEN(all, x->answer, judge->problem->start), multiplier, &x->score));
cleanup:
    if (status != SP_OK && judge)
        x->child->error = judge->error;
    sp_child_drop(o, judge);
    return status;
}

static sp_status make_run(sp_oracle *o, const sp_repeats *r, double rho, attempt *x)
{
    sp_status status = SP_OK;
    x->from = events(o);
    x->score = INFINITY;
    SP_TRY(sp_child_repeated(o, (1.0 - r->score) * rho, &x->child));
    x->status = r->attempt(r->context, x->child, x->answer);
    if (x->status == SP_OK)
        x->status = judge(o, r->score * rho, x);
    if (x->status != SP_OK)
        x->score = INFINITY;
    x->to = events(o);
    status = is_fatal(x->status) ? x->status : SP_OK;
cleanup:
    return status;
}

static void forget(sp_oracle *o, const attempt *x)
{
    if (o->transcript)
        sp_transcript_forget(o->transcript, x->from, x->to);
    sp_child_drop(o, x->child);
}

sp_status sp_repeat(sp_oracle *o, const sp_repeats *r, double *answer, double *score)
{
    sp_status status = SP_OK;
    double *memory = NULL, rho = INFINITY, multiplier = 0.0;
    attempt best = { .child = NULL }, next = { .child = NULL };
    SP_TRY(sp_not_reentered(o));
    SP_TRY(check(o, r));
    const size_t cap = cap_of(o, r);
    const sp_release_plan plan = { .kind = SP_REPEATS, .sample = sp_full(), .count = 1, .mean = r->mean,
                                   .shape = r->shape, .cap = cap };
    memory = sp_alloc(2, r->size * sizeof *memory);
    if (!memory)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "sp_repeat: out of memory for answers of %zu numbers", r->size));
    best.answer = memory;
    next.answer = memory + r->size;
    SP_TRY(sp_repeats_noise(o, &plan, &multiplier));
    if (o->options.privacy.private)
        rho = 0.5 / (multiplier * multiplier);
    SP_TRY(sp_charge(o, &(sp_entry){ .kind = SP_LEDGER_SELECT, .noise_multiplier = multiplier, .mean = r->mean,
                                     .shape = r->shape, .cap = cap, .count = 1 }, 1));
    const size_t runs = sp_repetitions_draw(r->shape, r->mean, cap, gsl_rng_uniform(o->coins));
    for (size_t k = 0; k < runs; k++) {
        SP_TRY(make_run(o, r, rho, &next));
        if (k == 0 || next.score < best.score) {
            const attempt beaten = best;
            best = next;
            next = (attempt){ .answer = beaten.answer };
            if (k > 0)
                forget(o, &beaten);
        } else {
            forget(o, &next);
            next.child = NULL;
        }
    }
    best.child->stage = r->stage;
    sp_take_told(o, best.child);
    *score = best.score;
    memcpy(answer, best.answer, r->size * sizeof *answer);
    status = best.status;
cleanup:
    free(memory);
    return status;
}
