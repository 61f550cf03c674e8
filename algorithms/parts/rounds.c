/* rounds.c -- computes the number of rounds, the batch and the bound of rounds.h. */
#include "algorithms/parts/rounds.h"

#include "algorithms/parts/theory.h"

enum { THEORY, BALANCED };

double sp_rounds_step(size_t t)
{
    return 1.0 / sqrt((double)t + 1.0);
}

size_t sp_rounds_batch(size_t b, size_t t)
{
    return (b + t) / (t + 1); /* >= 1 for b >= 1 */
}

double sp_rounds_move(double L, double beta, double way, size_t t)
{
    const double h = sp_rounds_step(t);
    return t == 0 ? L : (1.0 - h) * fmin(beta * way, 2.0 * L) + h * L;
}

sp_query sp_rounds_query(sp_batch batch, size_t t, double move, const double *w, const double *previous)
{
    if (t == 0)
        return SP_AT(batch, w);
    return (sp_query){ .batch = batch, .terms = 2, .bound = move,
                       .term = { { 1.0, w }, { sp_rounds_step(t) - 1.0, previous } } };
}

/* Records that R rounds take. */
static double records(size_t b, size_t rounds)
{
    double sum = 0.0;
    for (size_t r = 0; r < rounds; r++) /* the steps 2^(r-1) .. 2^r - 1 are in the rounds r .. R-1 */
        for (size_t t = r == 0 ? 0 : (size_t)1 << (r - 1); t < (size_t)1 << r; t++)
            sum += (double)(rounds - r) * (double)sp_rounds_batch(b, t);
    return sum;
}

/* The largest b with which R rounds take n records at most; at least 1. */
static size_t largest(size_t n, size_t rounds)
{
    size_t low = 1, high = n;
    while (low < high) {
        const size_t middle = low + (high - low + 1) / 2;
        if (records(middle, rounds) <= (double)n)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static double bound(const sp_oracle *o, const sp_geometry *g, size_t b, size_t rounds, sp_rounds_error *error)
{
    double sum = 0.0;
    for (size_t r = 0; r < rounds; r++) {
        sum += g->rise * sqrt(ldexp(1.0, (int)r)) + error(o, g, b, r);
        for (size_t t = 0; t < (size_t)1 << r; t++)
            sum += 0.5 * g->curvature * sp_rounds_step(t);
    }
    return sum / (ldexp(1.0, (int)rounds) - 1.0);
}

sp_rounds sp_rounds_resolve(sp_oracle *o, const sp_values *v, const sp_geometry *g, double theory, size_t least,
                            sp_rounds_error *error)
{
    const sp_constants *c = sp_public(o);
    const bool batch_given = sp_given(v, SP_ROUNDS_BATCH), balanced = sp_choice(v, SP_ROUNDS_PARAMETERS) == BALANCED;
    const size_t batch = batch_given ? sp_count(v, SP_ROUNDS_BATCH) : 1;
    sp_rounds s = { .rounds = 1, .batch = batch };
    sp_provenance from = balanced ? SP_FROM_BALANCE : SP_FROM_THEORY;
    size_t most = 1;
    while (most < SP_ROUNDS_MAX && records(batch, most + 1) <= (double)c->n)
        most++;
    if (sp_given(v, SP_ROUNDS_ROUNDS)) {
        const size_t asked = sp_count(v, SP_ROUNDS_ROUNDS);
        s.rounds = asked < most ? asked : most;
        from = asked > most ? SP_FROM_CAP : SP_FROM_USER;
        if (asked > most)
            sp_warn_of(o, SP_WARNED_PARAMETER_CUT,
                       "rounds = %zu take %.0f records, n = %zu: rounds = %zu", asked, records(batch, asked), c->n,
                       most);
    } else if (balanced) {
        double smallest = INFINITY;
        s.rounds = most < SP_ROUNDS_LEAST ? most : SP_ROUNDS_LEAST;
        for (size_t rounds = s.rounds; rounds <= most; rounds++) {
            const double value = bound(o, g, batch_given ? batch : largest(c->n, rounds), rounds, error);
            if (value < smallest) {
                smallest = value;
                s.rounds = rounds;
            }
        }
    } else {
        const double exact = fmax((double)least, round(theory));
        s.rounds = (size_t)fmin(exact, (double)most);
        from = exact > (double)most ? SP_FROM_CAP : SP_FROM_THEORY;
    }
    if (!batch_given)
        s.batch = largest(c->n, s.rounds);
    s.steps = ((size_t)1 << s.rounds) - 1;
    sp_resolved(o, "rounds", (double)s.rounds, from);
    sp_resolved(o, "batch", (double)s.batch, batch_given ? SP_FROM_USER : SP_FROM_THEORY);
    sp_promise(o, sp_output_is_uniform(sp_rounds_rule(v)), bound(o, g, s.batch, s.rounds, error), g->rise);
    return s;
}

sp_output_rule sp_rounds_rule(const sp_values *v)
{
    static const sp_output_rule rules[] = { SP_OUTPUT_UNIFORM, SP_OUTPUT_AVERAGE, SP_OUTPUT_LAST,
                                            SP_OUTPUT_MEAN };
    return rules[sp_choice(v, SP_ROUNDS_SELECT)];
}
