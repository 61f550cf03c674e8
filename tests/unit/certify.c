/* certify.c -- the search finds what there is to find, and each kind of false claim fails: bounds, kinks, classes,
 * envelopes, block loops. (tests/conformance/loss.c does the same with every loss's bounds and derivatives.) */
#include "core/numeric/stream.h"
#include "losses/certify/certify.h"
#include "tests/certify.h"
#include "tests/landscape.h"

#include <gsl/gsl_rng.h>

/* --- the search --------------------------------------------------------------------------------------------- */

/* -||v - (1, 2, ..., k)/k||: 0 at its maximum */
static double cone(void *context, const double *v)
{
    const size_t k = *(const size_t *)context;
    double square = 0.0;
    for (size_t j = 0; j < k; j++)
        square += pow(v[j] - (double)(j + 1) / (double)k, 2.0);
    return -sqrt(square);
}

static double broken(void *context, const double *v)
{
    (void)context;
    return v[0] > 1.0 ? NAN : v[0];
}

static double upwards(void *context, const double *v)
{
    (void)context;
    return v[0];
}

static double found(double (*score)(void *, const double *), size_t k, size_t steps)
{
    gsl_rng *stream = landscape_stream("certify");
    const double best = sp_certify_search(score, &k, k, stream, 5, steps);
    gsl_rng_free(stream);
    return best;
}

static void check_search(void)
{
    CHECK_LESS_EQUAL(-1e-6, found(cone, 1, 500));
    CHECK_LESS_EQUAL(-1e-4, found(cone, 5, 3000));
    CHECK_LESS_EQUAL(-11.0, found(cone, SP_SEARCH_MAX, 3000)); /* 0 is 13 away, a random start further */
    CHECK(found(cone, 5, 300) == found(cone, 5, 300));
    CHECK(found(broken, 1, 300) == INFINITY);
    CHECK(found(upwards, 1, 300) == SP_SEARCH_FAR);
}

static void check_features(void)
{
    double number[SP_PARAM_MAX] = { 0.0 };
    const sp_loss *lds = sp_loss_find("linear_dynamical_system"), *logistic = sp_loss_find("logistic");
    landscape_defaults(lds->params, number);
    CHECK_EQUAL(sp_certify_features(lds, number, 3, 20), 6); /* even, above 2 order */
    CHECK_EQUAL(sp_certify_features(lds, number, 7, 7), 0);
    CHECK_EQUAL(sp_certify_features(logistic, number, 7, 9), 7);
}

/* --- false claims ------------------------------------------------------------------------------------------- */

/* The kinds of claims that fail; of `what` (NULL: any). */
static const char *watched;

static void watch(void *context, const sp_finding *f)
{
    if (!watched || strcmp(f->what, watched) == 0)
        certify_quietly(context, f);
}

static unsigned failed(const sp_loss *loss, unsigned claims, const char *what)
{
    double number[SP_PARAM_MAX] = { 0.0 };
    certification c = { 0 };
    const sp_certify_options with = { .claims = claims, .seed = 1, .report = watch, .context = &c };
    landscape_defaults(loss->params, number);
    watched = what;
    CHECK(sp_certify_loss(loss, number, &with, NULL) == SP_OK && c.findings > 0);
    return c.failed;
}

static const sp_loss *original;

/* min(|m - y|, 1): the kink at 1 is a concave one, which no curvature shows */
static void trimmed_value(sp_numbers p, size_t count, const double *m, const double *y, double *restrict out)
{
    (void)p;
    for (size_t i = 0; i < count; i++)
        out[i] = fmin(1.0, fabs(m[i] - y[i]));
}

static void trimmed_slope(sp_numbers p, size_t count, const double *m, const double *y, double *restrict out)
{
    (void)p;
    for (size_t i = 0; i < count; i++)
        out[i] = fabs(m[i] - y[i]) < 1.0 ? copysign(1.0, m[i] - y[i]) : 0.0;
}

static void flat(sp_numbers p, size_t count, const double *m, const double *y, double *restrict out)
{
    (void)p, (void)m, (void)y;
    memset(out, 0, count * sizeof *out);
}

static void check_kinks(void)
{
    static const sp_link trimmed = { trimmed_value, trimmed_slope, flat };
    sp_loss wrong = *sp_loss_find("absolute");
    wrong.envelope = NULL;
    wrong.link = &trimmed;
    CHECK_EQUAL(failed(&wrong, SP_CLAIM_BOUND, "curvature_low"), 0);
    CHECK_EQUAL(failed(&wrong, SP_CLAIM_BOUND, "curvature_low, midpoints"), SP_CLAIM_BOUND);
    CHECK_EQUAL(failed(&wrong, SP_CLAIM_CONSTANT, "weak_convexity, midpoints"), SP_CLAIM_CONSTANT);
    CHECK_EQUAL(failed(sp_loss_find("absolute"), SP_CLAIM_BOUND | SP_CLAIM_CONSTANT, NULL), 0);
}

/* Called smooth, |m - y| has the certified beta 0 almost everywhere. */
static void no_curvature(sp_numbers p, const sp_region *r, sp_link_bounds *b)
{
    original->link_bounds(p, r, b);
    b->curvature_high = b->third = 0.0;
}

static void check_smooth(void)
{
    sp_loss wrong = *(original = sp_loss_find("absolute"));
    wrong.smooth = true;
    wrong.link_bounds = no_curvature;
    CHECK_EQUAL(failed(&wrong, SP_CLAIM_CONSTANT, "beta_data"), SP_CLAIM_CONSTANT);
    CHECK_EQUAL(failed(&wrong, SP_CLAIM_CONSTANT, "beta"), SP_CLAIM_CONSTANT);
}

static void boast(sp_numbers p, const sp_region *r, sp_classes *c)
{
    if (original->classes)
        original->classes(p, r, c);
    c->quasar = fmin(1.0, 1.05 * c->quasar);
    c->kl_gamma *= 0.95;
    c->strict_saddle = c->quasar == 0.0;
}

/* q and gamma 5 % too good; and sin_pl tilted so much, beyond 1.544, that it has bad local minima. */
static void check_classes(void)
{
    static const sp_param untilted[] = { { "tilt", SP_REAL, 0.0, { 0.0, 1e9 }, "mu = 0.1755 exactly" }, { 0 } };
    static const sp_param tilted[] = { { "tilt", SP_REAL, 3.0, { 0.0, 1e9 }, "beyond PL" }, { 0 } };
    sp_loss right = *(original = sp_loss_find("barron")), wrong = right;
    wrong.classes = boast;
    CHECK_EQUAL(failed(&right, SP_CLAIM_CLASS, NULL), 0);
    CHECK_EQUAL(failed(&wrong, SP_CLAIM_CLASS, "quasar-convex, 1/q"), SP_CLAIM_CLASS);
    right = wrong = *(original = sp_loss_find("sin_pl"));
    right.params = wrong.params = untilted;
    wrong.classes = boast;
    CHECK_EQUAL(failed(&right, SP_CLAIM_CLASS, NULL), 0);
    CHECK_EQUAL(failed(&wrong, SP_CLAIM_CLASS, "KL, gamma^kappa"), SP_CLAIM_CLASS);
    wrong.params = tilted;
    CHECK_EQUAL(failed(&wrong, SP_CLAIM_CLASS, "strict saddle, F - F*"), SP_CLAIM_CLASS);
}

static void steep_envelope(sp_numbers p, double b, double m, double y, double *value, double *slope)
{
    original->envelope(p, b, m, y, value, slope);
    *slope *= 1.001;
}

static void high_envelope(sp_numbers p, double b, double m, double y, double *value, double *slope)
{
    original->envelope(p, b, m, y, value, slope);
    *value += 1e-6;
}

static void check_envelopes(void)
{
    sp_loss wrong = *(original = sp_loss_find("hinge"));
    CHECK_EQUAL(failed(&wrong, SP_CLAIM_ENVELOPE, NULL), 0);
    wrong.envelope = steep_envelope;
    CHECK_EQUAL(failed(&wrong, SP_CLAIM_ENVELOPE, "smoothness"), SP_CLAIM_ENVELOPE);
    CHECK_EQUAL(failed(&wrong, SP_CLAIM_ENVELOPE, "phi(prox) + (b/2)(prox - m)^2 - phi_b(m)"), SP_CLAIM_ENVELOPE);
    wrong.envelope = high_envelope;
    CHECK_EQUAL(failed(&wrong, SP_CLAIM_ENVELOPE, "phi_b(m) - phi(u) - (b/2)(u - m)^2"), SP_CLAIM_ENVELOPE);
    CHECK_EQUAL(failed(&wrong, SP_CLAIM_ENVELOPE, "phi_b - phi"), SP_CLAIM_ENVELOPE);
}

/* A block loop that is wrong in its last record. */
static void last_slope(sp_numbers p, size_t count, const double *m, const double *y, double *restrict out)
{
    original->link->slope(p, count, m, y, out);
    out[count - 1] *= count > 1 ? 1.001 : 1.0;
}

static void last_curvature(sp_numbers p, size_t count, const double *m, const double *y, double *restrict out)
{
    original->link->curvature(p, count, m, y, out);
    out[count - 1] *= count > 1 ? 0.999 : 1.0;
}

static void last_value(sp_numbers p, size_t count, const double *m, const double *y, double *restrict out)
{
    original->link->value(p, count, m, y, out);
    out[count - 1] *= count > 1 ? 1.001 : 1.0;
}

static void check_engine(void)
{
    const sp_loss *loss = original = sp_loss_find("sigmoid");
    sp_link link = *loss->link;
    sp_loss wrong = *loss;
    wrong.link = &link;
    CHECK_EQUAL(failed(&wrong, SP_CLAIM_ENGINE, NULL), 0);
    link.slope = last_slope;
    CHECK_EQUAL(failed(&wrong, SP_CLAIM_ENGINE, "sum of clipped gradients"), SP_CLAIM_ENGINE);
    link = *loss->link;
    link.curvature = last_curvature;
    CHECK_EQUAL(failed(&wrong, SP_CLAIM_ENGINE, "sum of Hessians"), SP_CLAIM_ENGINE);
    link = *loss->link;
    link.value = last_value;
    CHECK_EQUAL(failed(&wrong, SP_CLAIM_ENGINE, "objective"), SP_CLAIM_ENGINE);
}

int main(void)
{
    check_search();
    check_features();
    check_kinks();
    check_smooth();
    check_classes();
    check_envelopes();
    check_engine();
    return sp_check_done();
}
