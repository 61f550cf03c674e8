/* nesting.c -- random trees of oracles inside oracles, against books of our own: what each record was in, release by
 * release, composed by the accountant. The root's ledger never says less than the worst record pays, and that is never
 * above the budget, whatever was shared, divided, announced or refused. */
#include "core/accountant/accountant.h"
#include "core/oracle/oracle_internal.h"
#include "tests/private_problem.h"

enum { N = 24, ORACLES = 12, MOVES = 60, TREES = 30, D = 2 };

static const double point[D] = { 0.1, 0.2 }, candidates[] = { 1.0, 0.0, -1.0, 0.0, 0.5, 0.5 };

typedef struct tree {
    gsl_rng *coins;
    sp_oracle *oracle[ORACLES];
    size_t oracles, released, apart, chosen;
    sp_ledger paid[N]; /* by record */
} tree;

static bool heads(tree *t, double probability)
{
    return gsl_rng_uniform(t->coins) < probability;
}

static size_t upto(tree *t, size_t most)
{
    return 1 + gsl_rng_uniform_int(t->coins, most);
}

/* The records of the batch, as the root counts them, pay for the entry. */
static void book(tree *t, const sp_oracle *o, const sp_resolved_batch *part, sp_entry entry)
{
    const size_t count = part->rows.index ? part->rows.count : sp_records(o);
    entry.count = 1;
    for (size_t i = 0; i < count; i++) {
        size_t record = part->rows.index ? part->rows.index[i] : i;
        for (const sp_oracle *at = o; at->parent; at = at->parent)
            record = at->nesting.records ? at->nesting.records[record] : record;
        CHECK(sp_ledger_append(&t->paid[record], &entry) == SP_OK);
    }
    t->released++;
}

static void release(tree *t, sp_oracle *o, sp_batch batch, const sp_resolved_batch *part, double multiplier)
{
    double out[D];
    if (sp_gradient(o, &SP_AT(batch, point), multiplier, out) == SP_OK)
        book(t, o, part, (sp_entry){ .kind = SP_LEDGER_GAUSS, .noise_multiplier = multiplier });
}

static void choose(tree *t, sp_oracle *o, sp_batch batch, const sp_resolved_batch *part, double epsilon)
{
    static const sp_ledger_kind kinds[] = { SP_LEDGER_EM, SP_LEDGER_RNM_LAPLACE, SP_LEDGER_SVT };
    const sp_chooser chooser = (sp_chooser)(upto(t, 3) - 1);
    double out[D];
    if (sp_choose(o, batch, &(sp_space){ .kind = SP_SPACE_LIST, .count = 3, .points = candidates },
                  &(sp_score){ .kind = SP_SCORE_LOSS, .reference = point }, chooser, epsilon, out, NULL) != SP_OK)
        return;
    book(t, o, part, (sp_entry){ .kind = kinds[chooser], .epsilon = epsilon });
    t->chosen++;
}

static void bear(tree *t, sp_oracle *o)
{
    sp_child_options options = { .mode = heads(t, 0.6) ? SP_SHARE_DISJOINT : (sp_share)(upto(t, 2) - 1),
                                 .share = heads(t, 0.3) ? 1.0 : 0.1 + 0.9 * gsl_rng_uniform(t->coins) };
    if (options.mode == SP_SHARE_DISJOINT)
        options.pool = upto(t, sp_records(o) / 2 + 1);
    if (sp_child(o, &options, &t->oracle[t->oracles]) == SP_OK) {
        t->oracles++;
        t->apart += options.mode == SP_SHARE_DISJOINT;
    }
}

static void announce(tree *t, sp_oracle *o)
{
    sp_release_plan plan[2];
    double multiplier[2];
    for (size_t k = 0; k < 2; k++)
        plan[k] = (sp_release_plan){ .kind = SP_GRADIENT, .count = upto(t, 3),
                                     .sample = heads(t, 0.4) ? sp_full() : sp_fresh(upto(t, sp_records(o))) };
    if (sp_calibrate(o, plan, 2, multiplier) != SP_OK)
        return;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < plan[k].count; i++) {
            sp_batch batch;
            sp_resolved_batch part;
            if (sp_draw(o, plan[k].sample, &batch) == SP_OK && sp_batch_resolve(o, batch, &part) == SP_OK)
                release(t, o, batch, &part, multiplier[k]);
        }
}

static void ask(tree *t, sp_oracle *o)
{
    const sp_sample sample = heads(t, 0.3)   ? sp_full()
                             : heads(t, 0.5) ? sp_fresh(upto(t, sp_records(o)))
                                             : sp_pass(1 + sp_records(o) / 3, false);
    sp_batch batch;
    sp_resolved_batch part;
    if (sp_draw(o, sample, &batch) != SP_OK || sp_batch_resolve(o, batch, &part) != SP_OK)
        return;
    for (size_t again = heads(t, 0.4) ? 2 : 1; again > 0; again--) {
        const double noise = exp2(1.0 + 6.0 * gsl_rng_uniform(t->coins));
        if (heads(t, 0.3))
            choose(t, o, batch, &part, heads(t, 0.3) ? sp_budget_of(o)->epsilon : 1.0 / noise);
        else
            release(t, o, batch, &part, heads(t, 0.2) ? 1.0 / sp_budget_of(o)->mu : noise);
    }
}

static double epsilon_of(const sp_ledger *ledger)
{
    sp_bounds bounds = { .best = NAN };
    sp_error error = { .text = "" };
    if (ledger->count == 0)
        return 0.0;
    SP_CHECK_REPORT(sp_account(ledger, SP_REPLACE_ONE, 1e-6, &bounds, &error) == SP_OK, "%s", error.text);
    return bounds.best;
}

static void grow(tree *t, const private_problem *p, uint64_t seed)
{
    double worst = 0.0;
    t->oracle[0] = private_oracle(p, private_tight, seed);
    t->oracles = 1;
    for (size_t move = 0; move < MOVES; move++) {
        sp_oracle *o = t->oracle[upto(t, t->oracles) - 1];
        if (heads(t, move < ORACLES ? 0.6 : 0.1) && t->oracles < ORACLES)
            bear(t, o);
        else if (heads(t, 0.2))
            announce(t, o);
        else
            ask(t, o);
    }
    for (size_t i = 0; i < N; i++) {
        worst = fmax(worst, epsilon_of(&t->paid[i]));
        sp_ledger_clear(&t->paid[i]);
    }
    CHECK_LESS_EQUAL(worst, epsilon_of(sp_oracle_ledger(t->oracle[0])) * (1.0 + 1e-6));
    CHECK_LESS_EQUAL(worst, 1.0 + 1e-6);
    sp_oracle_free(t->oracle[0]);
}

int main(void)
{
    gsl_set_error_handler_off();
    private_problem p;
    tree t = { .coins = sp_stream_open(sp_stream_key_of(24, "nesting", 0, SP_STREAM_DATA)) };
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    for (size_t i = 0; i < TREES; i++)
        grow(&t, &p, 1000 + i);
    SP_CHECK_REPORT(t.released > 5 * TREES && t.apart >= 10 && t.chosen >= 10, "too little to see: %zu releases, %zu "
                    "children on records of their own, %zu choices", t.released, t.apart, t.chosen);
    for (size_t i = 0; i < N; i++)
        sp_ledger_free(&t.paid[i]);
    gsl_rng_free(t.coins);
    private_problem_free(&p);
    return sp_check_done();
}
