/* problem.c -- certified constants against the printed table and against minimisers found by search, for every form and
 * domain; declarations. */
#include "core/numeric/trust_region.h"
#include "tests/forms.h"
#include "tests/landscape.h"

#include <gsl/gsl_cblas.h>

static const sp_domain space3 = { SP_DOMAIN_SPACE, 3, INFINITY, INFINITY };
static const sp_domain ball3 = { SP_DOMAIN_L2_BALL, 3, 2.385, 2.385 };

static sp_constants certified(const char *loss, const double *given, const char *regulariser, double lambda,
                              const sp_domain *domain, double radius, double label_bound, bool realisable, double start)
{
    sp_constants c = { 0 };
    double number[SP_PARAM_MAX] = { 0.0 };
    const sp_loss *l = sp_loss_find(loss);
    landscape_defaults(l->params, number);
    for (size_t i = 0; given && !isnan(given[i]); i++)
        number[i] = given[i];
    const sp_regulariser *r = regulariser ? sp_regulariser_find(regulariser) : NULL;
    const sp_setting setting = { .loss = l, .number = number, .regulariser = r, .lambda = lambda, .domain = domain,
                                 .n = 1000, .features = domain->d, .radius = radius, .label_bound = label_bound,
                                 .realisable = realisable, .start_norm = start };
    CHECK(sp_certify(&setting, &c, NULL) == SP_OK);
    CHECK(c.n == 1000 && c.d == domain->d && c.radius == radius);
    return c;
}

/* spec: logistic + lambda sum w^2/(1+w^2): L = R + 0.6495 lambda sqrt d, beta = R^2/4 + 2 lambda, ... */
static void check_glm(void)
{
    const double R = 1.31, lambda = 0.0271;
    sp_constants c = certified("logistic", NULL, "nonconvex", lambda, &space3, R, 1.0, false, 0.0);
    CHECK(c.glm && c.smooth && !c.gll && !c.convex && c.quasar == 0.0 && c.kl_gamma == 0.0 && !c.strict_saddle);
    CHECK_NEAR(c.L_data, R, 1e-15);
    CHECK_NEAR(c.L, R + 0.64951905 * lambda * sqrt(3.0), 1e-8);
    CHECK_NEAR(c.beta_data, R * R / 4.0, 1e-15);
    CHECK_NEAR(c.beta, R * R / 4.0 + 2.0 * lambda, 1e-15);
    CHECK_NEAR(c.rho_hessian, 0.09622504 * R * R * R + 4.66855928 * lambda, 1e-7);
    CHECK_NEAR(c.weak_convexity, lambda / 2.0, 1e-15);
    CHECK_NEAR(c.hessian_frobenius, sqrt(2.0) * R * R / 4.0, 1e-15);
    CHECK_NEAR(c.hessian_norm, R * R / 4.0, 1e-15);
    CHECK_NEAR(c.gap, log(2.0), 1e-15);
    CHECK(isinf(c.distance) && isinf(c.diameter));

    c = certified("sigmoid", NULL, "l2", lambda, &space3, R, 1.0, false, 0.0);
    CHECK(isinf(c.L) && isfinite(c.L_data));
    CHECK_NEAR(c.beta, 0.09622504486 * R * R + lambda, 1e-9);
    CHECK_NEAR(c.hessian_frobenius, 2.0 * 0.09622504486 * R * R, 1e-9);
    c = certified("sigmoid", NULL, "l2", lambda, &ball3, R, 1.0, false, 0.731);
    CHECK_NEAR(c.L, R / 4.0 + lambda * 2.385, 1e-15);
    CHECK_NEAR(c.diameter, 2.0 * 2.385, 1e-15);
    CHECK_NEAR(c.distance, 2.385 + 0.731, 1e-15);
    CHECK_NEAR(c.gap, 0.5 + 0.25 * R * 0.731 + 0.5 * lambda * 0.731 * 0.731, 1e-15);

    c = certified("logistic", NULL, NULL, 0.0, &space3, R, 1.0, false, 0.0);
    CHECK(c.convex && c.quasar == 1.0 && c.weak_convexity == 0.0);
    c = certified("logistic", NULL, "nonconvex", 0.0, &space3, R, 1.0, false, 0.0); /* lambda = 0: not there */
    CHECK(c.convex);

    /* Welsch, c = 0.731: table of the specification */
    const double width[] = { 0.731, NAN };
    c = certified("welsch", width, NULL, 0.0, &space3, 1.0, 0.83, false, 0.0);
    CHECK_NEAR(c.L_data, 0.42888194 * 0.731, 1e-8);
    CHECK_NEAR(c.weak_convexity, 0.44626032, 1e-8);
    CHECK_NEAR(c.rho_hessian, 1.95178 / 0.731, 2e-5);
    CHECK_NEAR(c.hessian_frobenius, 1.44626032, 1e-8);

    /* Barron: table of the specification, q = 1/4, 1/2, 3/4 */
    const double q[] = { 0.25, 0.5, 0.75 }, low[] = { 0.0245, 0.0332, 0.0232 }, third[] = { 0.3305, 0.5892, 0.7684 };
    for (size_t k = 0; k < 3; k++) {
        const double given[] = { q[k], 1.0, NAN };
        c = certified("barron", given, NULL, 0.0, &space3, 1.0, 0.83, true, 0.0);
        CHECK_NEAR(c.L_data, q[k] * pow(1.0 - q[k], -0.5) * pow(1.0 + 1.0 / (1.0 - q[k]), q[k] / 2.0 - 1.0), 1e-14);
        CHECK_NEAR(c.weak_convexity, low[k], 6e-5);
        CHECK_NEAR(c.rho_hessian, third[k], 6e-5);
        CHECK_NEAR(c.beta, q[k], 1e-15);
        CHECK_NEAR(c.quasar, q[k], 1e-15); /* no bound on the margins */
        CHECK(!c.convex);
    }
    const double quarter[] = { 0.25, 1.0, NAN };
    const sp_domain wide = { SP_DOMAIN_L2_BALL, 3, 9.0, 9.0 };
    c = certified("barron", quarter, NULL, 0.0, &wide, 1.0, 1.0, true, 0.0);
    CHECK_NEAR(c.quasar, 0.565, 5e-4); /* |r| <= 10 */
    c = certified("barron", quarter, NULL, 0.0, &wide, 1.0, 1.0, false, 0.0);
    CHECK(c.quasar == 0.0);
    c = certified("barron", quarter, "l2", 0.1, &wide, 1.0, 1.0, true, 0.0);
    CHECK(c.quasar == 0.0);
}

static void check_tilt(void)
{
    const double R = 1.31, s = 0.385, tilt = 0.62;
    const double bowl[] = { s, 2.0, tilt, NAN }, plain[] = { s, 2.0, 0.0, NAN }, ramp[] = { 0.25, tilt, NAN };
    sp_constants c = certified("pseudo_huber", bowl, NULL, 0.0, &space3, R, 1.0, false, 0.0);
    CHECK(!c.glm && !c.convex && c.quasar == 0.0);
    CHECK_NEAR(c.L_data, R * tilt, 1e-15);
    CHECK_NEAR(c.L, 1.0 + R * tilt, 1e-15);
    CHECK_NEAR(c.beta_data, 0.7698003589 * R * tilt, 1e-9);
    CHECK_NEAR(c.beta, 1.0 / s + 0.7698003589 * R * tilt, 1e-9);
    CHECK_NEAR(c.rho_hessian, 0.8586501034 / (s * s) + 2.0 * R * tilt, 1e-9);
    CHECK_NEAR(c.hessian_frobenius, 2.0 * 0.7698003589 * R * tilt, 1e-9);
    CHECK_NEAR(c.weak_convexity, 0.7698003589 * R * tilt, 1e-9);
    c = certified("pseudo_huber", plain, NULL, 0.0, &space3, R, 1.0, false, 0.0);
    CHECK(c.convex && c.quasar == 1.0 && c.L_data == 0.0);
    CHECK_NEAR(c.gap, s * (sqrt(1.0 + 4.0 / (s * s)) - 1.0), 1e-14);
    CHECK_NEAR(c.distance, 2.0, 1e-14);
    c = certified("pseudo_huber", bowl, "l2", 0.1, &space3, R, 1.0, false, 0.0);
    CHECK(isinf(c.distance));
    c = certified("huber_ramp", ramp, NULL, 0.0, &space3, R, 1.0, false, 0.0);
    CHECK(isinf(c.rho_hessian));
    CHECK_NEAR(c.L, hypot(1.0, 0.25) + R * tilt, 1e-15);
    CHECK_NEAR(c.gap, 1.0 - 0.5 * 0.25 * 0.25 + R * tilt, 1e-15);
}

typedef struct view {
    const landscape *l;
} view;

static sp_status value_of(void *context, const double *w, double *out)
{
    const landscape *l = ((view *)context)->l;
    *out = sp_problem_value(&l->problem, l->workspace, w);
    return SP_OK;
}

static sp_status gradient_of(void *context, const double *w, double *out)
{
    const landscape *l = ((view *)context)->l;
    sp_problem_gradient(&l->problem, l->workspace, w, out);
    return SP_OK;
}

static sp_status hessian_of(void *context, const double *w, double *out)
{
    const landscape *l = ((view *)context)->l;
    sp_problem_hessian(&l->problem, l->workspace, w, out);
    return SP_OK;
}

/* One record of norm R, many parameters: the best minimum of several starts respects gap and distance; over all of them
 * both come within a factor of the truth. */
static void check_reach(const char *loss, double gap_factor, double distance_factor)
{
    gsl_rng *stream = landscape_stream("reach");
    double gap_ratio = 0.0, distance_ratio = 0.0;
    for (int trial = 0; trial < 60; trial++) {
        landscape l;
        double number[SP_PARAM_MAX] = { 0.0 }, zero[LANDSCAPE_D] = { 0.0 };
        const size_t d = 1 + (size_t)trial % 5;
        const bool bowl = strcmp(loss, "pseudo_huber") == 0;
        number[0] = exp(gsl_ran_gaussian(stream, 0.8));
        if (!bowl)
            number[0] = fmin(number[0] / 3.0, 1.0);
        if (bowl)
            number[1] = gsl_rng_uniform(stream);
        number[bowl ? 2 : 1] = exp(gsl_ran_gaussian(stream, 0.8));
        const landscape_options o = { .loss = sp_loss_find(loss), .number = number, .n = 1, .d = d, .radius = 1.31,
                                      .label_bound = 1.0 };
        if (landscape_make(o, stream, &l)) {
            double *x = sp_dataset_X(&l.data), *mean = (double *)l.data.mean, best = INFINITY, length = 0.0;
            for (size_t j = 0; j < d; j++) /* equal coordinates reach furthest */
                mean[j] = x[j] = trial % 3 == 0 ? -1.31 / sqrt((double)d) : x[j];
            if (trial % 3 == 1) {
                gsl_ran_dir_nd(stream, d, x);
                for (size_t j = 0; j < d; j++)
                    mean[j] = x[j] *= 1.31;
            }
            view v = { &l };
            const sp_smooth_function f = { d, &v, value_of, gradient_of, hessian_of };
            for (int start = 0; start < 8; start++) {
                double w[LANDSCAPE_D];
                sp_trust_region_result r;
                for (size_t j = 0; j < d; j++)
                    w[j] = start == 0 ? 0.0 : gsl_ran_gaussian(stream, 3.0);
                CHECK(sp_trust_region(&f, 1e-11, 300, w, &r) == SP_OK && r.converged);
                if (r.value < best) {
                    best = r.value;
                    length = cblas_dnrm2((int)d, w, 1);
                }
            }
            const sp_constants *c = &l.problem.certified;
            const double gap = sp_problem_value(&l.problem, l.workspace, zero) - best;
            CHECK_LESS_EQUAL(gap, c->gap + 1e-9);
            CHECK_LESS_EQUAL(length, c->distance + 1e-6);
            gap_ratio = fmax(gap_ratio, gap / c->gap);
            distance_ratio = fmax(distance_ratio, length / c->distance);
        }
        landscape_drop(&l);
    }
    CHECK_LESS_EQUAL(gap_factor, gap_ratio);
    CHECK_LESS_EQUAL(distance_factor, distance_ratio);
    gsl_rng_free(stream);
}

static sp_status declare(const sp_constants *c, const char *key, double number, sp_constants *out, sp_error *error)
{
    sp_values v;
    sp_values_start(&v, sp_declared_params);
    CHECK(sp_values_set_number(&v, "problem.declared", key, number, NULL) == SP_OK);
    return sp_declare(c, &v, out, error);
}

static void check_declared(void)
{
    const double given[] = { 0.25, 1.0, NAN };
    const sp_constants c = certified("barron", given, NULL, 0.0, &ball3, 1.31, 0.83, true, 0.0);
    sp_constants out;
    sp_error error = { 0 };
    sp_values v;
    sp_values_start(&v, sp_declared_params);
    CHECK(sp_declare(&c, &v, &out, NULL) == SP_OK && memcmp(&c, &out, sizeof c) == 0); /* nothing declared */

    static const char *const keys[] = { "L", "L_data", "beta", "beta_data", "rho_hessian", "gap", "distance" };
    const double now[] = { c.L, c.L_data, c.beta, c.beta_data, c.rho_hessian, c.gap, c.distance };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char path[64], digits[SP_NUMBER_SIZE];
        CHECK(declare(&c, keys[i], 0.999 * now[i], &out, &error) == SP_EINVAL);
        snprintf(path, sizeof path, "problem.declared.%s = ", keys[i]);
        CHECK_CONTAINS(error.text, path);
        CHECK_CONTAINS(error.text, sp_number(now[i], digits));
        CHECK_CONTAINS(error.text, sp_number(0.999 * now[i], digits));
        CHECK(declare(&c, keys[i], now[i], &out, NULL) == SP_OK);
        CHECK(declare(&c, keys[i], 2.385 * now[i], &out, NULL) == SP_OK);
        const double after[] = { out.L, out.L_data, out.beta, out.beta_data, out.rho_hessian, out.gap, out.distance };
        CHECK_NEAR(after[i], 2.385 * now[i], 1e-15);
    }
    /* the total follows its data part, and may not be declared below it */
    CHECK(declare(&c, "L_data", 2.385, &out, NULL) == SP_OK && out.L == 2.385 && out.L_data == 2.385);
    CHECK(declare(&c, "beta_data", 2.385, &out, NULL) == SP_OK && out.beta == 2.385);
    CHECK(sp_values_set_number(&v, "problem.declared", "L", 1.9, NULL) == SP_OK);
    CHECK(sp_values_set_number(&v, "problem.declared", "L_data", 2.1, NULL) == SP_OK);
    CHECK(sp_declare(&c, &v, &out, &error) == SP_EINVAL);
    CHECK_CONTAINS(error.text, "problem.declared.L = 1.9 is below problem.declared.L_data = 2.1");
    /* q: smaller is weaker */
    CHECK(declare(&c, "quasar", 0.9 * c.quasar, &out, NULL) == SP_OK && out.quasar == 0.9 * c.quasar);
    CHECK(declare(&c, "quasar", fmin(1.0, 1.1 * c.quasar), &out, &error) == SP_EINVAL);
    CHECK_CONTAINS(error.text, "problem.declared.quasar");
    /* where nothing is certified the declaration is an assumption */
    const sp_constants free_q = certified("sigmoid", NULL, "l2", 0.1, &space3, 1.0, 1.0, false, 0.0);
    CHECK(declare(&free_q, "quasar", 0.3, &out, NULL) == SP_OK && out.quasar == 0.3);
    CHECK(declare(&free_q, "L", 0.4, &out, NULL) == SP_OK && out.L == 0.4);
    CHECK(declare(&free_q, "L", 0.2, &out, &error) == SP_EINVAL); /* but not below the data part, 1/4 */
    CHECK(declare(&free_q, "distance", 1.7, &out, NULL) == SP_OK && out.distance == 1.7);
    CHECK(declare(&free_q, "kl_gamma", 1.7, &out, &error) == SP_EINVAL);
    CHECK_CONTAINS(error.text, "declared together");
}

/* --- by hand: kinks, public parts, records, classes, domains ------------------------------------------------- */

static sp_constants certify(const sp_setting *s)
{
    sp_constants c = { 0 };
    sp_error error = { 0 };
    const sp_status status = sp_certify(s, &c, &error);
    SP_CHECK_REPORT(status == SP_OK, "%s: %s", s->loss->name, error.text);
    return c;
}

/* What the region holds, brought out through the bounds; no slope bound on an unbounded domain. */
static void region_bounds(sp_numbers p, const sp_region *r, sp_link_bounds *out)
{
    *out = (sp_link_bounds){ .slope = isinf(r->norm) ? INFINITY : (double)(10 * r->d + r->features),
                             .curvature_high = p[0] * r->norm, .third = r->radius,
                             .gap = r->label_bound + (r->realisable ? 100.0 : 0.0) };
}

static void region_classes(sp_numbers p, const sp_region *r, sp_classes *out)
{
    *out = (sp_classes){ .quasar = r->realisable ? 0.385 : 0.0, .kl_gamma = p[0] * r->norm, .kl_kappa = 1.31,
                         .strict_saddle = true };
}

static void check_region(void)
{
    sp_loss loss = forms_link;
    const double number[] = { 0.62 };
    sp_setting s = { .loss = &loss, .number = number, .domain = &ball3, .n = 9, .features = 3, .radius = 1.31,
                     .label_bound = 0.83, .realisable = true };
    loss.link_bounds = region_bounds;
    loss.classes = region_classes;
    sp_constants c = certify(&s);
    CHECK_NEAR(c.L_data, 33.0 * 1.31, 1e-13);
    CHECK_NEAR(c.beta_data, 0.62 * 2.385 * 1.31 * 1.31, 1e-14);
    CHECK_NEAR(c.rho_hessian, 1.31 * 1.31 * 1.31 * 1.31, 1e-14);
    CHECK_NEAR(c.gap, 100.83, 1e-13);
    CHECK(c.convex && c.quasar == 1.0); /* convexity says more than the class */
    CHECK_NEAR(c.kl_gamma, 0.62 * 2.385, 1e-15);
    CHECK(c.kl_kappa == 1.31 && c.strict_saddle);
    /* a regulariser takes the classes away, and one that is not convex the convexity; lambda = 0 takes nothing */
    s.regulariser = sp_regulariser_find("nonconvex");
    CHECK(certify(&s).quasar == 1.0 && certify(&s).strict_saddle);
    s.lambda = 0.0271;
    c = certify(&s);
    CHECK(!c.convex && c.quasar == 0.0 && c.kl_gamma == 0.0 && c.kl_kappa == 0.0 && !c.strict_saddle);
    /* no records to speak of: bounds that are infinite do not matter */
    const sp_domain space = space3;
    s = (sp_setting){ .loss = &loss, .number = number, .domain = &space, .n = 9, .features = 3 };
    c = certify(&s);
    CHECK(c.L_data == 0.0 && c.beta_data == 0.0 && c.hessian_frobenius == 0.0);
}

/* |m - y|: certified as it is used by the GLL methods */
static void kink_bounds(sp_numbers p, const sp_region *r, sp_link_bounds *out)
{
    (void)p;
    *out = (sp_link_bounds){ .slope = 1.0, .gap = r->label_bound };
}

static void check_kinks(void)
{
    sp_loss loss = forms_link;
    const sp_setting s = { .loss = &loss, .domain = &ball3, .n = 9, .features = 3, .radius = 1.31, .label_bound = 1.0 };
    CHECK(!certify(&s).gll && certify(&s).smooth);
    loss.link_bounds = kink_bounds;
    loss.smooth = false;
    const sp_constants c = certify(&s);
    CHECK(c.gll && c.glm && c.convex && !c.smooth && c.quasar == 1.0);
    CHECK(isinf(c.beta) && isinf(c.beta_data) && isinf(c.rho_hessian));
    CHECK_NEAR(c.L, 1.31, 1e-15);
    CHECK_NEAR(c.weak_convexity, 0.0, 0.0);
}

/* A link with a public part is no longer a function of <w, x>. */
static void check_public(void)
{
    sp_loss loss = forms_link;
    const double number[] = { 0.62 }, B = 2.385, R = 1.31;
    const sp_setting s = { .loss = &loss, .number = number, .domain = &ball3, .n = 9, .features = 3, .radius = R,
                           .label_bound = 0.83, .start_norm = 0.5 };
    loss.public_part = &forms_public;
    const sp_constants c = certify(&s);
    CHECK(!c.glm && !c.gll);
    CHECK_NEAR(c.L_data, R, 1e-15);
    CHECK_NEAR(c.L, R + 0.62 * B, 1e-15);
    CHECK_NEAR(c.beta_data, R * R, 1e-15);
    CHECK_NEAR(c.beta, R * R + 0.62, 1e-15);
    CHECK_NEAR(c.gap, 0.83 + 0.5 * (R + 0.62 * B), 1e-15);
}

/* w has one entry more than x. sqrt d (u + l) is attained by u I and -l I, sqrt d max(u, l) by one of them. */
static void check_record(void)
{
    const sp_domain ball4 = { SP_DOMAIN_L2_BALL, 4, 1.7, 1.7 };
    const sp_region region = { .d = 4, .features = 3, .norm = 1.7, .radius = 0.9, .label_bound = 0.83 };
    sp_setting s = { .loss = &forms_record, .domain = &ball4, .n = 9, .features = 3, .radius = 0.9,
                     .label_bound = 0.83, .start_norm = 0.5 };
    sp_record_bounds b;
    forms_record_bounds(NULL, &region, &b);
    const sp_constants c = certify(&s);
    CHECK(c.d == 4 && !c.glm && !c.gll && !c.convex && c.smooth);
    CHECK(c.L_data == b.slope && c.L == b.slope && c.beta == b.curvature_high && c.weak_convexity == b.curvature_low);
    CHECK_NEAR(c.hessian_frobenius, 2.0 * (b.curvature_high + b.curvature_low), 1e-14);
    CHECK_NEAR(c.hessian_norm, 2.0 * b.curvature_high, 1e-14);
    CHECK_NEAR(c.gap, b.gap + 0.5 * b.slope, 1e-14);

    sp_error error = { 0 };
    sp_constants none;
    size_t d = 7;
    CHECK(sp_loss_dimension(&forms_record, NULL, 3, &d, NULL) == SP_OK && d == 4);
    CHECK(sp_loss_dimension(&forms_link, NULL, 3, &d, NULL) == SP_OK && d == 3);
    CHECK(sp_loss_dimension(&forms_record, NULL, 2, &d, &error) == SP_EINVAL);
    CHECK_CONTAINS(error.text, "forms_record: 2 features; wanted: any number but 2");
    s.features = 2;
    CHECK(sp_certify(&s, &none, &error) == SP_EINVAL);
    CHECK_CONTAINS(error.text, "any number but 2");
    s.features = 5;
    CHECK(sp_certify(&s, &none, &error) == SP_EINVAL);
    CHECK_CONTAINS(error.text, "w has 6 entries on 5 features, the domain has 4");
}

/* A point of the domain: uniform weights or corners and edges; 0 is in neither. */
static void random_point(const sp_domain *domain, gsl_rng *stream, double *w)
{
    double sum = 0.0;
    for (size_t j = 0; j < domain->d; j++) {
        const double u = gsl_rng_uniform(stream), edge = gsl_rng_uniform(stream);
        if (domain->kind == SP_DOMAIN_BOX)
            w[j] = edge < 0.3 ? domain->low : edge < 0.6 ? domain->high
                                                          : domain->low + u * (domain->high - domain->low);
        else
            sum += w[j] = edge < 0.4 ? 0.0 : -log(u);
    }
    for (size_t j = 0; j < domain->d && domain->kind == SP_DOMAIN_SIMPLEX; j++)
        w[j] = sum > 0.0 ? w[j] / sum * domain->radius : j == 0 ? domain->radius : 0.0;
}

/* On a simplex and on a box that 0 is far from: gap and distance hold, and what is known over R^d is not used for the
 * distance. */
static void check_domain(const sp_domain *domain, const sp_loss *loss, const double *number)
{
    enum { D = 3, POINTS = 3000 };
    gsl_rng *stream = landscape_stream("domains");
    for (int trial = 0; trial < 8; trial++) {
        landscape l;
        const landscape_options o = { .loss = loss, .number = number, .n = 1 + 3 * (size_t)trial, .d = D,
                                      .radius = 1.31, .label_bound = 1.0 };
        if (landscape_make(o, stream, &l)) {
            double w[D], start[D], best[D] = { 0.0 }, least = INFINITY, start_norm = 0.0, way = 0.0;
            random_point(domain, stream, start);
            for (size_t j = 0; j < D; j++)
                start_norm = hypot(start_norm, start[j]);
            const sp_setting s = { .loss = loss, .number = number, .domain = domain, .n = o.n, .features = D,
                                   .radius = 1.31, .label_bound = 1.0, .start_norm = start_norm };
            const sp_constants c = certify(&s);
            for (int k = 0; k < POINTS; k++) {
                random_point(domain, stream, w);
                const double value = sp_problem_value(&l.problem, l.workspace, w);
                if (value < least) {
                    least = value;
                    memcpy(best, w, sizeof w);
                }
            }
            for (size_t j = 0; j < D; j++)
                way = hypot(way, best[j] - start[j]);
            CHECK_LESS_EQUAL(sp_problem_value(&l.problem, l.workspace, start) - least, c.gap + 1e-14);
            CHECK_LESS_EQUAL(way, c.distance * (1.0 + 1e-14));
            CHECK_NEAR(c.distance, fmin(start_norm + domain->norm, sp_domain_diameter(domain)), 1e-15);
            CHECK_LESS_EQUAL(c.gap, c.L * c.diameter);
        }
        landscape_drop(&l);
    }
    gsl_rng_free(stream);
}

static void check_domains(void)
{
    const sp_domain simplex = { .kind = SP_DOMAIN_SIMPLEX, .d = 3, .radius = 7.3, .norm = 7.3 };
    const sp_domain box = { .kind = SP_DOMAIN_BOX, .d = 3, .low = 1.2, .high = 3.1, .norm = 3.1 * sqrt(3.0) };
    const double bowl[SP_PARAM_MAX] = { 0.385, 2.0, 0.31 }, ramp[SP_PARAM_MAX] = { 0.25, 0.62 };
    const double none[SP_PARAM_MAX] = { 0.0 };
    check_domain(&simplex, sp_loss_find("pseudo_huber"), bowl);
    check_domain(&simplex, sp_loss_find("huber_ramp"), ramp);
    check_domain(&simplex, sp_loss_find("logistic"), none);
    check_domain(&box, sp_loss_find("pseudo_huber"), bowl);
    check_domain(&box, sp_loss_find("logistic"), none);
    check_domain(&box, sp_loss_find("sigmoid"), none);
}

static void check_refused(void)
{
    sp_constants c;
    sp_error error = { 0 };
    const sp_setting fine = { .loss = sp_loss_find("logistic"), .domain = &space3, .n = 9, .features = 3, .radius = 1.0,
                              .label_bound = 1.0 };
    sp_setting s = fine;
    s.radius = INFINITY;
    CHECK(sp_certify(&s, &c, &error) == SP_EINVAL);
    CHECK_CONTAINS(error.text, "radius");
    s = fine;
    s.lambda = -0.3;
    CHECK(sp_certify(&s, &c, &error) == SP_EINVAL);
    CHECK_CONTAINS(error.text, "-0.3");
    s = fine;
    s.domain = &ball3;
    s.start_norm = 2.6;
    CHECK(sp_certify(&s, &c, &error) == SP_EINVAL);
    CHECK_CONTAINS(error.text, "2.6");
    /* a domain whose norm was not set would make every bound wrong */
    const sp_domain careless = { .kind = SP_DOMAIN_SPACE, .d = 3, .radius = INFINITY };
    s = fine;
    s.domain = &careless;
    CHECK(sp_certify(&s, &c, &error) == SP_EINVAL);
    CHECK_CONTAINS(error.text, "domain: norm = 0 is not that of space");
}

int main(void)
{
    check_glm();
    check_tilt();
    check_reach("pseudo_huber", 0.95, 0.95);
    check_reach("huber_ramp", 0.6, 0.9);
    check_declared();
    check_region();
    check_kinks();
    check_public();
    check_record();
    check_domains();
    check_refused();
    return sp_check_done();
}
