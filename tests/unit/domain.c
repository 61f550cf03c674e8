/* domain.c -- the projection by its variational inequality, the linear minimiser by search, names and messages. */
#include "core/base/stream.h"
#include "core/data/domain.h"
#include "tests/check.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_randist.h>

enum { D = 7 };
static const double radius = 2.385;

static sp_status make(const char *name, double given, sp_domain *out, sp_error *error)
{
    sp_values values;
    sp_values_start(&values, sp_domain_params);
    if (!isnan(given))
        CHECK_EQUAL(sp_values_set_number(&values, "problem.domain", "radius", given, error), SP_OK);
    return sp_domain_make(name, &values, D, out, error);
}

static void test_make(void)
{
    sp_domain domain;
    sp_error error;
    CHECK_EQUAL(make("space", NAN, &domain, &error), SP_OK);
    CHECK(domain.kind == SP_DOMAIN_SPACE && domain.d == D && isinf(domain.radius));
    CHECK(isinf(sp_domain_diameter(&domain)));
    CHECK_EQUAL(make("l2_ball", radius, &domain, &error), SP_OK);
    CHECK(domain.kind == SP_DOMAIN_L2_BALL && domain.d == D && domain.radius == radius);
    CHECK_NEAR(sp_domain_diameter(&domain), 4.77, 1e-15);

    CHECK_EQUAL(make("l2_ball", NAN, &domain, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "problem.domain.radius: missing");
    CHECK_EQUAL(make("space", radius, &domain, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "problem.domain.radius = 2.385");
    CHECK_EQUAL(make("l2_bal", radius, &domain, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "\"l2_bal\"");
    CHECK_CONTAINS(error.text, "did you mean l2_ball?");
    CHECK_TEXT(sp_domain_names[0], "space");
    CHECK_TEXT(sp_domain_names[1], "l2_ball");
    CHECK(sp_domain_names[2] == NULL);
}

/* A point of the ball, uniform in direction. */
static void inside(gsl_rng *stream, double *v)
{
    gsl_ran_dir_nd(stream, D, v);
    cblas_dscal(D, radius * gsl_rng_uniform(stream), v, 1);
}

/* p = P(w) exactly when <w - p, v - p> <= 0 for every v of the domain; g's minimiser m has <g, m> <= <g, v>. */
static void test_ball(gsl_rng *stream)
{
    sp_domain domain;
    double w[D], p[D], v[D], m[D];
    CHECK_EQUAL(make("l2_ball", radius, &domain, NULL), SP_OK);
    for (int trial = 0; trial < 50; trial++) {
        gsl_ran_dir_nd(stream, D, w);
        cblas_dscal(D, radius * (1.01 + 10.0 * gsl_rng_uniform(stream)), w, 1);
        CHECK(!sp_domain_contains(&domain, w));
        memcpy(p, w, sizeof p);
        sp_domain_project(&domain, p);
        CHECK(sp_domain_contains(&domain, p));
        CHECK_NEAR(cblas_dnrm2(D, p, 1), radius, 1e-14);
        CHECK_EQUAL(sp_domain_linear_minimise(&domain, w, m), SP_OK);
        CHECK(sp_domain_contains(&domain, m));
        double worst = -INFINITY, least = INFINITY;
        for (int other = 0; other < 200; other++) {
            inside(stream, v);
            least = fmin(least, cblas_ddot(D, w, 1, v, 1));
            double sum = 0.0;
            for (int j = 0; j < D; j++)
                sum += (w[j] - p[j]) * (v[j] - p[j]);
            worst = fmax(worst, sum);
        }
        CHECK_LESS_EQUAL(worst, 1e-12);
        CHECK_LESS_EQUAL(cblas_ddot(D, w, 1, m, 1), least);
        CHECK_NEAR(cblas_ddot(D, w, 1, m, 1), -radius * cblas_dnrm2(D, w, 1), 1e-12);
        memcpy(v, p, sizeof v);
        sp_domain_project(&domain, v); /* once is enough, to the bit */
        CHECK(memcmp(v, p, sizeof v) == 0);
    }
    inside(stream, w);
    memcpy(p, w, sizeof p);
    sp_domain_project(&domain, p);
    CHECK(memcmp(w, p, sizeof w) == 0);
    memset(w, 0, sizeof w);
    CHECK_EQUAL(sp_domain_linear_minimise(&domain, w, m), SP_OK);
    CHECK(sp_domain_contains(&domain, m));
    w[3] = NAN;
    CHECK(!sp_domain_contains(&domain, w));
}

static void test_space(void)
{
    sp_domain domain;
    double w[D] = { 1e300, -2.385, 0.5, 3e8, -1e-300, 7.25, 0.0 }, before[D], v[D];
    CHECK_EQUAL(make("space", NAN, &domain, NULL), SP_OK);
    memcpy(before, w, sizeof w);
    CHECK(sp_domain_contains(&domain, w));
    sp_domain_project(&domain, w);
    CHECK(memcmp(w, before, sizeof w) == 0);
    CHECK_EQUAL(sp_domain_linear_minimise(&domain, w, v), SP_EUNSUPPORTED);
    w[D - 1] = INFINITY;
    CHECK(!sp_domain_contains(&domain, w));
}

int main(void)
{
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(2385, "domain", 0, SP_STREAM_DATA));
    test_make();
    test_ball(stream);
    test_space();
    gsl_rng_free(stream);
    return sp_check_done();
}
