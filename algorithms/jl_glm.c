/*
 * jl_glm.c -- projects a GLM to k random dimensions, runs another method there, and lifts its output back.
 *
 *   f(w, (x, y)) = phi(<w, x>, y), |phi'| <= L_p, |phi''| <= b_p, ||x|| <= R:
 *
 *   Phi k x d, entries N(0, 1/k), of public coins;  z_i = Phi x_i, clipped to norm 2 R;
 *   v = base({(z_i, y_i)}; Lipschitz 2 L_p R, smoothness 4 b_p R^2, start Phi w0);   w = Phi' v
 *
 * <v, Phi x> = <Phi' v, x>, so a gradient of the projected objective is Phi grad F(Phi' v) if nothing is clipped, and
 * for records of rank r the noise is that of k ~ r dimensions instead of d. If k >= d, `base` runs on the records
 * themselves.
 *
 * k
 *   practical   min{ ceil(scale (n epsilon)^(4/5)), 4 rank }; 4 rank keeps norms on a subspace of that dimension to a
 *               factor of about 1 +- 1/2;
 *   published   ln(2 n / delta) min{ argmin_j [ g(j) + L_p R ln(n) / sqrt j ], rank }, times scale, g the rate of
 *                 dp_spider in dimension j, for any base: with a = sqrt(j ln(1/delta)) / (n epsilon), g(j) = (2 L_p R
 *                 sqrt(gap 4 b_p R^2) a)^(2/3) + 2 L_p R a.
 *               This exceeds d at every feasible n.
 * `rank` is a public bound on the rank of the records; the rank itself is private.
 *
 * When: a GLM whose d is large compared with a known rank or with (n epsilon)^(4/5), and whose steps cost too much.
 * Neither the bound nor the cost of a step then depends on d. But noise orthogonal to all records changes no margin <w,
 * x>, so the error of dp_gd does not depend on d either if its number of steps does not, and it is as small
 * (experiments/jl_glm.lua).
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Arora, Bassily, Gonzalez, Guzman, Menart & Ullah 2023, Alg. 4; Lowy, Ullman & Wright 2024, section 8.
 * Privacy  (epsilon, delta), replace-one: that of base on all records. Phi does not depend on the data and z on its own
 *          record alone, with ||z|| <= 2 R whatever Phi is: for every k.
 * Differs  The paper does not clip and pays delta / 2 for max ||Phi x|| > 2 R, hence its factor ln(2 n / delta); here
 *          base has all of delta. It prints the smoothness 2 b_p R^2 of the projected objective and takes the rank of
 *          the data. The projected problem has another minimiser: distance and classes are certified again (`distance`
 *          is for tuning), and so is the gap unless a larger one is declared; a declared L or beta is multiplied by 2
 *          or 4. Bounded domains are refused: Phi' v may be outside, and projecting it back costs more than is gained.
 * Output   that of base, lifted.
 * Cost     n k d for the projection, k d doubles; base's, in k dimensions.
 */
#include "algorithms/algorithm.h"

#include "core/numeric/normal.h"

extern const sp_algorithm sp_algorithm_dp_spider;

enum { BASE, PARAMETERS, DIMENSION, RANK, SCALE, GAP, DISTANCE };
enum { PRACTICAL, PUBLISHED };

static const sp_param params[] = {
    [BASE]       = { "base", SP_METHOD, 0, { 0, 0 }, "the method in k dimensions; default dp_spider" },
    [PARAMETERS] = { "parameters", SP_CHOICE, PRACTICAL, { 0, 0 }, "where k comes from", "practical|published" },
    [DIMENSION]  = { "k",     SP_COUNT, SP_DERIVED, { 1, 1e9 }, "dimension of z; default by `parameters`" },
    [RANK]       = { "rank",  SP_COUNT, SP_DERIVED, { 1, 1e9 }, "public bound on the rank of the records" },
    [SCALE]      = { "scale", SP_REAL,  1, SP_POSITIVE, "multiplies the formula's k (not 4 rank)" },
    [GAP]        = { "gap",   SP_REAL,  SP_DERIVED, SP_POSITIVE, "bound on F(w0) - F* for base; default certified" },
    [DISTANCE]   = { "distance", SP_REAL, SP_DERIVED, SP_POSITIVE, "bound on ||v0 - v*|| for base; default certified" },
    { 0 }
};

static const char *fits(const sp_constants *c)
{
    if (!c->glm)
        return "the loss is not a function of <w, x> and y (GLM)";
    if (c->L > c->L_data && c->beta > c->beta_data)
        return "the regulariser is not a function of <w, x>";
    return isinf(c->diameter) ? NULL : "the domain is bounded, and Phi' v is about sqrt(d/k) times as long as v";
}

/* argmin over j of g(j) + L_p R ln(n) / sqrt j; NAN when g is not finite. */
static double best_dimension(const sp_constants *c, const sp_budget *budget)
{
    const double n = (double)c->n, L = 2.0 * c->L_data, curve = sqrt(4.0 * c->beta_data * c->gap);
    const double noise = sqrt(sp_log(1.0 / budget->delta)) / (n * budget->epsilon);
    double best = NAN, smallest = INFINITY;
    for (double j = 1.0; j <= (double)c->d; j++) {
        const double a = noise * sqrt(j), g = sp_pow(L * curve * a, 2.0 / 3.0) + L * a;
        const double value = g + c->L_data * sp_log(n) / sqrt(j);
        if (value < smallest) {
            smallest = value;
            best = j;
        }
    }
    return best;
}

static sp_status resolve(sp_oracle *o, const sp_values *v, size_t *k)
{
    const sp_constants *c = sp_public(o);
    const sp_budget *budget = sp_budget_of(o);
    const double n = (double)c->n, d = (double)c->d, scale = sp_real(v, SCALE);
    const double rank = sp_given(v, RANK) ? (double)sp_count(v, RANK) : INFINITY;
    sp_provenance from = SP_FROM_THEORY;
    double wanted;
    if (sp_given(v, DIMENSION)) {
        wanted = (double)sp_count(v, DIMENSION);
        from = SP_FROM_USER;
    } else if (sp_choice(v, PARAMETERS) == PUBLISHED) {
        const double j = best_dimension(c, budget);
        if (isnan(j))
            return sp_refuse(o, SP_EINVAL, "k must be given: its published value needs a smooth loss and a finite gap");
        wanted = ceil(scale * sp_log(2.0 * n / budget->delta) * fmin(j, rank));
    } else {
        const double exact = ceil(scale * sp_pow(n * budget->epsilon, 0.8));
        wanted = fmin(exact, 4.0 * rank);
        from = wanted < exact ? SP_FROM_CAP : SP_FROM_THEORY;
    }
    if (wanted >= d)
        sp_warn_of(o, SP_WARNED_PARAMETER_UNUSED,
                   "jl_glm: k = %.4g is not below d = %.4g: the records are not projected", wanted, d);
    *k = (size_t)fmin(wanted, d);
    sp_resolved(o, "k", (double)*k, wanted > d ? SP_FROM_CAP : from);
    return SP_OK;
}

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(o);
    sp_method base = { .algorithm = &sp_algorithm_dp_spider };
    sp_child_options options = { .mode = SP_SHARE_BASIC, .share = 1.0, .stage = "base" };
    sp_oracle *child = NULL;
    double *phi = NULL, *low = NULL;
    size_t k = 0;

    sp_values_start(&base.values, base.algorithm->params);
    if (sp_given(v, BASE))
        base = *sp_submethod(v, BASE);
    if (sp_given(v, GAP))
        options.gap = sp_real(v, GAP);
    if (sp_given(v, DISTANCE))
        options.distance = sp_real(v, DISTANCE);
    SP_TRY(resolve(o, v, &k));
    if (k < d) {
        sp_stream_key key;
        const uint64_t step = sp_stream_step(sp_coins(o), &key);
        phi = sp_alloc(k, d * sizeof *phi);
        if (!phi)
            SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for a projection from %zu to %zu dimensions", d, k));
        sp_normal_add(key, step, 0, k * d, 1.0 / sqrt((double)k), phi);
        options.projection = phi;
        options.projected = k;
    }
    low = sp_alloc_doubles(k);
    if (!low)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the iterate"));
    SP_TRY(sp_child(o, &options, &child));
    free(phi); /* the child has its own */
    phi = NULL;
    SP_TRY(sp_run(child, &base, low));
    SP_TRY(sp_lift(child, low, w));
cleanup:
    free(low);
    free(phi);
    return status;
}

const sp_algorithm sp_algorithm_jl_glm = {
    .name = "jl_glm",
    .summary = "a method on randomly projected records of a GLM: when d is large beside their rank",
    .when = "d is large beside a known rank and a step in d dimensions costs too much; do not expect a smaller "
            "gradient (experiments/jl_glm.lua)",
    .source = "Arora et al. 2023, Alg. 4; Lowy, Ullman & Wright 2024, section 8",
    .releases = "those of base, on the projected records",
    .uses = "dp_spider parts/fits parts/output parts/theory",
    .params = params,
    .fits = fits,
    .run = run,
};
