/* segments.c -- the common code of adaptive_spider and fixed_spider (segments.h). Letters: adaptive_spider.c. */
#include "algorithms/parts/segments.h"

#include "algorithms/parts/escape.h"
#include "algorithms/parts/sosp.h"
#include "algorithms/parts/theory.h"

enum { ACCURACY, ESCAPE, SELECTION, ETA, KAPPA, NOISE, DEPTH, SEGMENT, BATCH, RATE, BATCH_SCALE, STRIDE, ZETA };
enum { JUMPS_UP_TO = 64, DEPTH_MAX = 15, SEGMENT_MAX = 32767, GRID = 80, UPDATES_MAX = 100000 };
enum { TRIED_UP_TO = 1024, TRIED_MAX = 20 }; /* under square-root noise: longest default segment; how many there are */

const sp_param sp_segments_params[] = {
    [ACCURACY]  = { "accuracy", SP_REAL, SP_DERIVED, SP_POSITIVE, "g, a quarter of the level alpha; default what the "
                    "records allow" },
    [ESCAPE]    = { "escape", SP_CHOICE, 0, { 0, 0 }, "from a saddle: auto is hessian up to d = 64, else kick "
                    "as published, whose lemma is false", "auto|kick|psgd|hessian" },
    [SELECTION] = { "selection", SP_CHOICE, 0, { 0, 0 }, "private choice of the answer on a half of the "
                    "records", "em|svt|none" },
    [ETA]       = { "eta", SP_REAL, SP_DERIVED, SP_POSITIVE, "step size; default 1 / beta" },
    [KAPPA]     = { "kappa", SP_REAL, SP_DERIVED, { DBL_MIN, 1e6 }, "way between gradients times beta, at most 1e6, "
                "with which none ends a segment; default of the fewest records" },
    [NOISE]     = { "noise", SP_CHOICE, 0, { 0, 0 }, "how a segment's noise is made; sqrt: where segments are "
                    "long, a third of the tree's", "tree|sqrt" },
    [DEPTH]     = { "depth", SP_COUNT, SP_DERIVED, { 1, DEPTH_MAX }, "h, for 2^h - 1 estimates a tree; default of "
                "the fewest records" },
    [SEGMENT]   = { "segment", SP_COUNT, SP_DERIVED, { 1, SEGMENT_MAX }, "N, estimates a segment under noise = sqrt; "
                    "default of the fewest records" },
    [BATCH]     = { "gradient_batch", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "records b of a gradient; default "
                "by theory" },
    [RATE]      = { "difference_rate", SP_REAL, SP_DERIVED, SP_POSITIVE, "m: records of a difference, in proportion to "
                    "beta_data times the way; default by theory, and gradient_batch / L_data where that is given: one "
                    "sensitivity for both" },
    [BATCH_SCALE] = { "batch_scale", SP_REAL, 1, SP_POSITIVE, "multiplies the defaults of the two batches; below 1 "
                      "nothing is proved" },
    [STRIDE]    = { "stride", SP_COUNT, SP_DERIVED, { 1, SP_STEPS_MAX }, "steps from one candidate to the next; "
                    "default for about 1000 candidates" },
    [ZETA]      = { "zeta", SP_REAL, 0.05, { 1e-12, 0.5 }, "failure probability" },
    { 0 }
};

/* A length of segments. */
typedef struct segment {
    double estimates; /* N, at most */
    double factor;    /* f: deviation of a coordinate of the noisiest estimate, in units of s / mu */
    double ways;      /* ln of how many of the N count as the noisiest: N under square-root noise, 1 under a tree */
} segment;

typedef struct schedule {
    bool fixed;
    sp_accumulator_noise noise;
    size_t lengths;                    /* that are tried */
    const segment *tried;
    sp_escape_plan escape;
    sp_sosp choice;
    double mu, available;              /* of a release; records for the estimates and Hessians */
    double updates, hessians;          /* T, n_h */
    double jump, step, rounds;         /* how much lower F is after each, at least; rounds of psgd */
    double chances;                    /* l */
    double kappa;                      /* kap */
    segment segment;
    double batch, rate, hessian_batch; /* b, m, b_h */
    double records;                    /* U */
} schedule;

/* --- the schedule ------------------------------------------------------------------------------------------------ */

static double given_or(const sp_values *v, size_t key, double derived)
{
    return !sp_given(v, key) ? derived : v->params[key].kind == SP_COUNT ? (double)sp_count(v, key) : sp_real(v, key);
}

/* The lengths that are tried, with the noise that each of them means; a tree's h is its f. */
static sp_status try_lengths(sp_oracle *o, const sp_values *v, segment *tried, schedule *s)
{
    s->noise = sp_choice(v, NOISE) > 0 ? SP_NOISE_SQRT : SP_NOISE_TREE;
    s->tried = tried;
    if (s->noise == SP_NOISE_TREE) {
        if (sp_given(v, SEGMENT))
            sp_warn_of(o, SP_WARNED_PARAMETER_UNUSED,
                       "segment = %zu is not used: noise = tree has depth", sp_count(v, SEGMENT));
        const size_t low = sp_given(v, DEPTH) ? sp_count(v, DEPTH) : 1, high = sp_given(v, DEPTH) ? low : DEPTH_MAX;
        for (size_t h = low; h <= high; h++)
            tried[s->lengths++] = (segment){ ldexp(1.0, (int)h) - 1.0, (double)h, 0.0 };
        return SP_OK;
    }
    if (sp_given(v, DEPTH))
        sp_warn_of(o, SP_WARNED_PARAMETER_UNUSED,
                   "depth = %zu is not used: noise = sqrt has segment", sp_count(v, DEPTH));
    const size_t low = sp_given(v, SEGMENT) ? sp_count(v, SEGMENT) : 1, high = sp_given(v, SEGMENT) ? low : TRIED_UP_TO;
    for (size_t N = low; N <= high; N += N < 3 ? 1 : N & (N - 1) ? N / 3 : N / 2) { /* 1, 2, 3, 4, 6, 8, 12, ... */
        const double factor = sqrt(sp_node_cost(SP_NOISE_SQRT, N, 0, 1.0) *
                                   sp_answer_variance_max(SP_NOISE_SQRT, N, 0, 1.0));
        if (isnan(factor))
            return sp_refuse(o, SP_ENOMEM, "no memory for a segment of %zu estimates", N);
        tried[s->lengths++] = (segment){ (double)N, factor, sp_log((double)N) };
    }
    return SP_OK;
}

/* Records of a difference after a move of length c / beta_data. */
static double difference_batch(const schedule *s, double c)
{
    return fmax(1.0, ceil(s->rate * (s->fixed ? s->kappa : c)));
}

/* b_h: A / b_h + B / sqrt(b_h), the noise's part and the sampling's, is sqrt(rho_H alpha) / 10 there. */
static double hessian_batch(const sp_constants *c, const schedule *s)
{
    const double d = (double)c->d, zeta = s->escape.zeta, C = 0.1 * sqrt(c->rho_hessian * s->escape.alpha);
    const double A = (sqrt(2.0 * d) + sqrt(2.0 * sp_log(4.0 * s->hessians / zeta))) * c->hessian_frobenius / s->mu;
    const double B = sp_hessian_spread(c) * sqrt(8.0 * sp_log(8.0 * d * s->hessians / zeta));
    const double root = (B + sqrt(B * B + 4.0 * A * C)) / (2.0 * C);
    return fmax(1.0, ceil(root * root));
}

/* What follows from g alone. */
static void plan_accuracy(const sp_constants *c, double g, schedule *s)
{
    const bool jumps = s->escape.kind == SP_ESCAPE_HESSIAN;
    s->escape.g = g;
    s->escape.alpha = s->choice.alpha = 4.0 * g;
    s->escape.pause = sp_escape_pause(c, &s->escape);
    s->escape.round_steps = sp_escape_round(c, &s->escape);
    s->jump = sp_jump_fall(c, g);
    s->hessians = jumps ? 1.0 + floor(c->gap / s->jump) : 0.0;
    s->hessian_batch = jumps ? hessian_batch(c, s) : 0.0;
}

/* What follows from g and kap. */
static void plan_way(const sp_constants *c, const sp_values *v, double kappa, schedule *s)
{
    const double g = s->escape.g, shortest = s->fixed ? kappa / c->beta : INFINITY;
    s->kappa = kappa;
    s->step = fmin(sp_step_fall(c, 3.0 * g), 1.3 * g * shortest);
    s->rounds = s->escape.kind == SP_ESCAPE_PSGD ? s->escape.rounds : 0.0;
    s->updates = s->escape.kind == SP_ESCAPE_HESSIAN
                     ? 1.0 + floor(c->gap / fmin(s->step, s->jump))
                     : ceil(4.0 * c->beta * c->gap / (g * g)) + s->rounds * s->escape.round_steps;
    s->choice.steps = s->updates;
    s->choice.stride = given_or(v, STRIDE, ceil(s->updates / SP_SOSP_CANDIDATES));
    s->chances = sp_log(8.0 * s->updates / s->escape.zeta);
}

/* What follows from g, kap and the segment. */
static void plan_segment(const sp_constants *c, const sp_values *v, const segment *N, schedule *s)
{
    const double g = s->escape.g, way = 1.3 * g; /* of F, over the length of a step */
    const double l = s->chances, few = 1600.0 * l / (g * g), L = c->L_data, scale = sp_real(v, BATCH_SCALE);
    const double most = g * s->mu / (10.0 * N->factor * (sqrt((double)c->d) + sqrt(2.0 * (l + N->ways))));
    s->segment = *N;
    s->batch = given_or(v, BATCH, fmax(1.0, ceil(scale * fmax(2.0 * L / most, few * L * L))));
    s->rate = given_or(v, RATE, sp_given(v, BATCH) ? s->batch / L : scale * fmax(2.0 / most, few * s->kappa));

    const double each = s->fixed ? difference_batch(s, s->kappa) : 1.0, along = s->fixed ? 0.0 : s->rate;
    if (s->escape.kind == SP_ESCAPE_HESSIAN) {
        const double fall = fmin(way * s->kappa / c->beta, N->estimates * s->step);
        const double steps = along * c->beta_data / way + each / s->step + s->batch / fall;
        s->records = s->batch + s->hessian_batch + c->gap * fmax(steps, (s->batch + s->hessian_batch) / s->jump);
    } else {
        const double whole = 4.0 * c->gap / g, full = s->updates / N->estimates; /* segments of N estimates, at most */
        s->records = s->batch * (1.0 + c->beta * whole / s->kappa +
                                 (s->noise == SP_NOISE_SQRT ? floor(full) : full) + s->rounds) +
                     along * c->beta_data * whole + each * s->updates;
    }
}

/* The schedule of g with the kap and the segment of the fewest records, or with the first that take no more than
 * `enough` (NAN: there are none). `endless` takes no more than any segment, after rounding, too: all operations are
 * monotone. So a kap with which even that takes too many is passed over; s->records is NAN where all were. */
static void plan_for(const sp_constants *c, const sp_values *v, double g, double enough, schedule *s)
{
    static const segment endless = { INFINITY, 1.0, 0.0 };
    const double whole = 4.0 * c->beta * c->gap / g;
    schedule at = *s;
    s->records = NAN; /* the first try counts, whatever it takes */
    plan_accuracy(c, g, &at);
    for (int i = 0; i <= (sp_given(v, KAPPA) ? 0 : GRID) && !(s->records <= enough); i++) {
        plan_way(c, v, given_or(v, KAPPA, whole * sp_pow(2.0, -0.5 * i)), &at);
        plan_segment(c, v, &endless, &at);
        if (at.records > fmin(s->records, enough))
            continue;
        for (size_t k = 0; k < s->lengths; k++) {
            plan_segment(c, v, &s->tried[k], &at);
            if (!(at.records >= s->records))
                *s = at;
        }
    }
}

/* The smallest g that the records allow. */
static void bisect(const sp_constants *c, const sp_values *v, double top, schedule *s)
{
    double low = 1e-9 * top, high = 1e9 * top;
    while (high > low * (1.0 + 1e-9)) {
        const double middle = sqrt(low * high);
        plan_for(c, v, middle, s->available, s);
        if (s->records <= s->available)
            high = middle;
        else
            low = middle;
    }
    plan_for(c, v, high, NAN, s);
}

/* Where the records do not allow what holds at the start: the batches of that level, all cut in proportion. */
static void cut(const sp_values *v, schedule *s)
{
    const double part = fmin(1.0, s->available / s->records);
    if (!sp_given(v, BATCH))
        s->batch = fmax(1.0, floor(part * s->batch));
    if (!sp_given(v, RATE) && !sp_given(v, BATCH))
        s->rate *= part;
    s->hessian_batch = fmax(1.0, floor(part * s->hessian_batch));
}

static void report(sp_oracle *o, const sp_values *v, const schedule *s, sp_provenance from)
{
    const struct { size_t key; double value; bool used; } rows[] = {
        { ACCURACY, s->escape.g, true }, { ETA, s->escape.eta, true }, { KAPPA, s->kappa, true },
        { DEPTH, s->segment.factor, s->noise == SP_NOISE_TREE },
        { SEGMENT, s->segment.estimates, s->noise == SP_NOISE_SQRT },
        { BATCH, s->batch, true }, { RATE, s->rate, true },
        { STRIDE, s->choice.stride, s->choice.rule != SP_SOSP_NONE },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].used)
            sp_resolved(o, sp_segments_params[rows[i].key].key, rows[i].value,
                        sp_given(v, rows[i].key) ? SP_FROM_USER : from);
}

static sp_status resolve(sp_oracle *o, const sp_values *v, bool fixed, segment *tried, schedule *s)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const double start = sp_level_at_start(c), zeta = sp_real(v, ZETA), d = (double)c->d;
    const size_t escape = sp_choice(v, ESCAPE);
    *s = (schedule){ .fixed = fixed, .mu = sp_budget_of(o)->mu,
                     .choice = { .rule = (sp_sosp_rule)(SP_SOSP_EM + sp_choice(v, SELECTION)), .zeta = zeta },
                     .escape = { .kind = escape > 0             ? (sp_escape_kind)(escape - 1)
                                         : c->d <= JUMPS_UP_TO ? SP_ESCAPE_HESSIAN
                                                               : SP_ESCAPE_KICK,
                                 .zeta = zeta, .eta = given_or(v, ETA, 1.0 / c->beta),
                                 .rounds = ceil(5.2 * sp_log(1.0 / zeta)), .iota = fmax(1.0, sp_log(d / zeta)) } };
    sp_sosp_divide(&s->choice, o, true, 1.0);
    s->available = (double)sp_records(o) - s->choice.records;
    SP_TRY(try_lengths(o, v, tried, s));
    bisect(c, v, start / 4.0, s);
    const double allowed = sp_sosp_bound(&s->choice, c);
    const bool capped = !sp_given(v, ACCURACY) && s->escape.g > start / 8.0;
    if (sp_given(v, ACCURACY) || capped)
        plan_for(c, v, given_or(v, ACCURACY, start / 8.0), NAN, s);
    const double needed = s->records;
    if (capped)
        cut(v, s);
    if (!(s->updates <= UPDATES_MAX))
        SP_TRY(sp_refuse(o, SP_EINVAL, "accuracy = %g takes %g steps, above %d", s->escape.g, s->updates,
                         UPDATES_MAX));
    s->escape.longest = fixed ? s->kappa / c->beta : 0.0;
    report(o, v, s, capped ? SP_FROM_CAP : SP_FROM_THEORY);
    if (needed <= s->available)
        sp_promise(o, false, sp_sosp_bound(&s->choice, c), start);
    else
        sp_warn_of(o, SP_WARNED_VACUOUS_PARAMETERS,
                   "vacuous parameters: accuracy g = %.3g takes up to %.4g records, of which there are %.4g; these "
                   "allow level %.3g, and %.3g holds at the start", s->escape.g, needed, s->available, allowed, start);
cleanup:
    return status;
}

/* --- the run ----------------------------------------------------------------------------------------------------- */

typedef struct state {
    sp_oracle *o;
    schedule *s;
    sp_walk walk;
    sp_accumulator *sum;                  /* v */
    double noise_std, hessian_multiplier; /* of a release of the sum, of a Hessian */
    double records;                       /* left */
    double moved;                         /* beta times the way since the last gradient */
    size_t estimates;                     /* of this segment */
    size_t taken, gradients, hessians;    /* steps; releases */
} state;

/* Draws m fresh records. Where they have run out the run stops. */
static sp_status draw(state *a, double m, sp_batch *batch)
{
    a->walk.done = m > a->records;
    if (a->walk.done)
        return SP_OK;
    a->records -= m;
    return sp_draw(a->o, sp_fresh((size_t)m), batch);
}

static sp_status fresh(state *a)
{
    sp_status status = SP_OK;
    sp_batch batch;
    SP_TRY(draw(a, a->s->batch, &batch));
    if (a->walk.done)
        return SP_OK;
    SP_TRY(sp_accumulator_restart(a->sum));
    SP_TRY(sp_accumulator_add(a->sum, 1.0, &SP_AT(batch, a->walk.w)));
    a->walk.drift = a->moved = 0.0;
    a->estimates = 0;
    a->gradients++;
cleanup:
    return status;
}

static sp_status estimate(state *a)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(a->o);
    sp_walk *walk = &a->walk;
    sp_batch batch;
    const double length = sp_walk_distance(walk, walk->previous), way = fmin(c->beta_data * length, 2.0 * c->L_data);
    a->moved += fmax(c->beta * length, way);
    if (!isfinite(walk->drift) || a->moved >= a->s->kappa || (double)a->estimates == a->s->segment.estimates) {
        SP_TRY(fresh(a));
    } else {
        SP_TRY(draw(a, difference_batch(a->s, way), &batch));
        if (!walk->done)
            SP_TRY(sp_accumulator_add(a->sum, 1.0, &SP_BETWEEN(batch, walk->w, walk->previous)));
    }
    if (!walk->done)
        SP_TRY(sp_accumulator_release(a->sum, a->noise_std, walk->estimate));
    a->estimates++;
cleanup:
    return status;
}

static sp_status jump(state *a)
{
    sp_status status = SP_OK;
    sp_batch batch;
    SP_TRY(draw(a, a->s->hessian_batch, &batch));
    if (a->walk.done)
        return SP_OK;
    SP_TRY(sp_hessian(a->o, batch, a->walk.w, a->hessian_multiplier, a->walk.work));
    a->hessians++;
    SP_TRY(sp_escape_jump(&a->walk));
cleanup:
    return status;
}

/* The next update from a known estimate. */
static sp_status update(state *a)
{
    const sp_escape_kind kind = a->s->escape.kind;
    const bool due = sp_escape_due(&a->walk);
    if (due && kind == SP_ESCAPE_HESSIAN)
        return jump(a);
    if (due && kind == SP_ESCAPE_KICK) {
        sp_escape_kick(&a->walk);
        return SP_OK;
    }
    if (due) {
        sp_escape_begin(&a->walk);
        a->walk.anchor_drift = INFINITY; /* the sum cannot go back: a round begins with a new gradient */
    }
    sp_walk_step(&a->walk);
    return SP_OK;
}

static sp_status descend(state *a)
{
    sp_status status = SP_OK;
    bool kept = false;
    while (!a->walk.done && (double)a->taken < a->s->updates) {
        SP_TRY(estimate(a));
        if (!a->walk.done)
            SP_TRY(update(a));
        if (a->walk.done)
            break;
        SP_TRY(sp_checkpoint(a->o, ++a->taken, a->walk.w));
        kept = sp_sosp_offer(&a->s->choice, a->taken, a->walk.w);
    }
    if (a->walk.done || !kept)
        sp_sosp_keep(&a->s->choice, a->walk.w);
    if (a->walk.done && !a->walk.passed)
        sp_warn_of(a->o, SP_WARNED_RECORDS_RAN_OUT,
                   "the records ran out after %zu of at most %g steps: %zu gradients, %zu Hessians", a->taken,
                   a->s->updates, a->gradients, a->hessians);
cleanup:
    return status;
}

/* A batch that is too large is announced as what there is: it ends the run when it is to be drawn. */
static sp_sample announced(const schedule *s, double m)
{
    return sp_fresh((size_t)fmax(1.0, fmin(m, s->available)));
}

/* Announces what there is to release, and opens the sum. */
static sp_status open(state *a)
{
    sp_status status = SP_OK;
    const schedule *s = a->s;
    const double L = sp_public(a->o)->L_data, longest = fmin(s->fixed ? s->kappa : INFINITY, 2.0 * L);
    const double bound = s->fixed ? longest / difference_batch(s, s->kappa) : fmin(1.0 / s->rate, longest);
    const sp_release_plan plan[] = {
        { .kind = SP_ACCUMULATED, .sample = announced(s, s->batch), .count = (size_t)s->updates },
        { .kind = SP_HESSIAN, .sample = announced(s, s->hessian_batch), .count = (size_t)s->hessians },
    };
    const sp_accumulator_plan sum = { .adds = (size_t)s->segment.estimates, .keep = 1.0 };
    double multiplier[2] = { 0.0 };
    SP_TRY(sp_calibrate(a->o, plan, 2, multiplier));
    SP_TRY(sp_accumulator_open(a->o, s->noise, &sum, &a->sum));
    a->noise_std = multiplier[0] * sqrt(sp_node_cost(s->noise, sum.adds, 0, 1.0)) *
                   2.0 * fmax(L / s->batch, bound);
    a->hessian_multiplier = multiplier[1];
cleanup:
    return status;
}

sp_status sp_segments_run(sp_oracle *o, const sp_values *v, bool fixed, double *w)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(o);
    double *memory = sp_alloc(d + 5, d * sizeof *memory);
    schedule s = { 0 };
    segment tried[TRIED_MAX];
    state a = { .o = o, .s = &s, .walk = { .o = o, .plan = &s.escape, .d = d, .w = w, .drift = INFINITY } };

    if (!memory)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient estimate"));
    a.walk.previous = memory;
    a.walk.estimate = memory + d;
    a.walk.anchor = memory + 2 * d;
    a.walk.anchor_estimate = memory + 3 * d;
    a.walk.work = memory + 4 * d; /* d x d of a Hessian and d of its eigenvector */
    memcpy(a.walk.previous, w, d * sizeof *w);
    SP_TRY(resolve(o, v, fixed, tried, &s));
    a.records = s.available;
    SP_TRY(sp_sosp_open(&s.choice, o));
    SP_TRY(open(&a));
    SP_TRY(descend(&a));
    if (s.choice.rule == SP_SOSP_NONE)
        sp_escape_tell(&a.walk);
    SP_TRY(sp_sosp_choose(&s.choice, w));
    SP_TRY(sp_checkpoint(o, a.taken + 1, w));
cleanup:
    free(s.choice.list);
    free(memory);
    return status;
}
