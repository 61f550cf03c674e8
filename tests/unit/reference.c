/* reference.c -- F* in every way it can be known, against closed forms, brute force and values computed elsewhere; and
 * its certificates at points that are not the minimiser. */
#include "losses/optimum/certificate.h"
#include "losses/optimum/descent.h"
#include "losses/optimum/reference.h"
#include "losses/engine/smoothed.h"
#include "tests/landscape.h"

#include <gsl/gsl_cblas.h>

static const double rows[5][2] = { { 0.385, -0.612 }, { 0.217, 0.904 }, { -0.731, 0.118 }, { 0.566, 0.421 },
                                   { -0.294, -0.833 } };
static const double labels[5] = { 1, -1, 1, -1, 1 };
static const double nowhere[LANDSCAPE_D]; /* all starts: 0 */

static sp_status certify(sp_problem *p)
{
    const sp_setting setting = { .loss = p->loss, .number = p->number, .regulariser = p->regulariser,
                                 .lambda = p->lambda, .domain = &p->domain, .n = p->train->n, .features = p->train->d,
                                 .radius = p->train->radius, .label_bound = p->train->label_bound,
                                 .realisable = p->realisable };
    const sp_status status = sp_certify(&setting, &p->certified, NULL);
    p->declared = p->certified;
    return status;
}

/* n dense records of d features in R^d; the caller frees data. */
static sp_problem problem_of(sp_dataset *data, const char *loss, size_t n, size_t d, const double *X, const double *y,
                             double radius, double label_bound)
{
    CHECK(sp_dataset_new(SP_STORE_DENSE, n, d, 0, true, false, data, NULL) == SP_OK);
    for (size_t i = 0; i < n; i++) {
        memcpy(sp_dataset_X(data) + i * data->stride, X + i * d, d * sizeof *X);
        sp_dataset_y(data)[i] = y[i];
    }
    CHECK(sp_dataset_seal(data, radius, label_bound, NULL) == SP_OK);
    sp_problem p = { .loss = sp_loss_find(loss), .train = data, .start = (double *)(uintptr_t)nowhere,
                     .domain = { .kind = SP_DOMAIN_SPACE, .d = d, .radius = INFINITY, .norm = INFINITY } };
    landscape_defaults(p.loss->params, p.number);
    CHECK(certify(&p) == SP_OK);
    return p;
}

/* Twice the same bytes; the minimiser, where there is one, lies in the domain and has the value. */
static sp_reference reference(const sp_problem *p, size_t starts)
{
    sp_reference r = { .value = NAN, .error = NAN }, again = { 0 };
    sp_error error = { 0 };
    sp_workspace *s = sp_workspace_new(p);
    for (int k = 0; k < 2; k++) {
        gsl_rng *stream = landscape_stream("reference");
        const sp_status status = sp_reference_compute(p, starts, stream, k == 0 ? &r : &again, &error);
        SP_CHECK_REPORT(status == SP_OK, "%s", error.text);
        gsl_rng_free(stream);
    }
    CHECK(memcmp(&r.value, &again.value, sizeof r.value) == 0 && memcmp(&r.error, &again.error, sizeof r.error) == 0);
    CHECK_TEXT(r.method, again.method);
    CHECK((r.minimiser == NULL) == (again.minimiser == NULL));
    CHECK_EQUAL(r.d, r.minimiser ? sp_problem_d(p) : 0);
    if (r.minimiser) {
        CHECK(memcmp(r.minimiser, again.minimiser, sp_problem_d(p) * sizeof *r.minimiser) == 0);
        CHECK(sp_domain_contains(&p->domain, r.minimiser));
        CHECK_NEAR(sp_problem_value(p, s, r.minimiser), r.value, 1e-12 * fmax(1.0, fabs(r.value)));
    }
    CHECK(r.error >= 0.0);
    sp_reference_free(&again);
    sp_workspace_free(s);
    return r;
}

/* The certificate at points around `centre`, where F = least: valid everywhere, and within `factor` of the truth
 * somewhere. */
static void check_certificate(const sp_problem *p, const double *centre, double least, double factor)
{
    gsl_rng *stream = landscape_stream("certificate");
    sp_workspace *s = sp_workspace_new(p);
    const size_t d = sp_problem_d(p);
    double *scratch = sp_alloc_doubles(sp_certificate_scratch(p)), w[LANDSCAPE_D], g[LANDSCAPE_D], best = INFINITY;
    for (int i = 0; s && scratch && i < 400; i++) {
        const double length = pow(10.0, 1.0 - 5.0 * gsl_rng_uniform(stream));
        double gap = NAN;
        for (size_t j = 0; j < d; j++)
            w[j] = centre[j] + gsl_ran_gaussian(stream, length);
        sp_domain_project(&p->domain, w);
        sp_problem_gradient(p, s, w, g);
        CHECK(sp_certificate(p, s, w, &(sp_minorant){ g, 0.0, INFINITY }, scratch, &gap) == SP_OK);
        const double truth = sp_problem_value(p, s, w) - least;
        CHECK_LESS_EQUAL(truth, gap + 1e-14);
        if (truth > 1e-10)
            best = fmin(best, gap / truth);
    }
    CHECK_LESS_EQUAL(best, factor);
    free(scratch);
    sp_workspace_free(s);
    gsl_rng_free(stream);
}

/* Logistic loss of five records: with 0.0271/2 ||w||^2 on R^2 (Newton in 40-digit decimal arithmetic, Python), and
 * alone on the ball of radius 3/4 (golden section over the angle). */
static void check_convex(void)
{
    sp_dataset data;
    sp_problem p = problem_of(&data, "logistic", 5, 2, rows[0], labels, 1.0, 1.0);
    p.regulariser = sp_regulariser_find("l2");
    p.lambda = 0.0271;
    CHECK(certify(&p) == SP_OK);
    sp_reference r = reference(&p, 8);
    const double minimiser[2] = { -1.579908820811429, -2.428055437805132 };
    CHECK_NEAR(r.value, 0.3119559601589185, 1e-15);
    CHECK_LESS_EQUAL(r.error, 1e-15);
    CHECK_CONTAINS(r.method, "convex, gap ");
    for (size_t j = 0; r.minimiser && j < 2; j++)
        CHECK_NEAR(r.minimiser[j], minimiser[j], 1e-9);
    check_certificate(&p, minimiser, 0.3119559601589185, 2.5); /* ||g||^2 / mu against ||g||^2 / (2 mu) */
    sp_reference_free(&r);

    p.regulariser = NULL;
    p.lambda = 0.0;
    p.domain = (sp_domain){ .kind = SP_DOMAIN_L2_BALL, .d = 2, .radius = 0.75, .norm = 0.75 };
    CHECK(certify(&p) == SP_OK);
    r = reference(&p, 8);
    const double edge[2] = { 0.75 * cos(4.193312703523325), 0.75 * sin(4.193312703523325) };
    CHECK_NEAR(r.value, 0.4973357542429876, 1e-13);
    CHECK_LESS_EQUAL(r.error, 1e-9);
    CHECK_CONTAINS(r.method, "convex, gap ");
    for (size_t j = 0; r.minimiser && j < 2; j++)
        CHECK_NEAR(r.minimiser[j], edge[j], 1e-6);
    check_certificate(&p, edge, 0.4973357542429876, 2.5);
    sp_reference_free(&r);
    sp_dataset_free(&data);
}

/* Every bounded domain, by a grid: no point of it is lower than F* - error, and one comes near. */
static void check_domains(void)
{
    enum { SIDE = 100 };
    static const double corners[] = { -0.3, -1.1, 0.9, -0.4, 0.2, 0.7, -0.6, 0.1 };
    const sp_domain domains[] = {
        { .kind = SP_DOMAIN_L2_BALL, .d = 2, .radius = 1.385, .norm = 1.385 },
        { .kind = SP_DOMAIN_L1_BALL, .d = 2, .radius = 1.385, .norm = 1.385 },
        { .kind = SP_DOMAIN_LP_BALL, .d = 2, .radius = 1.385, .norm = 1.385, .p = 1.4 },
        { .kind = SP_DOMAIN_SIMPLEX, .d = 2, .radius = 1.385, .norm = 1.385 },
        { .kind = SP_DOMAIN_BOX, .d = 2, .low = -0.9, .high = 1.3, .norm = 1.3 * 1.4142135623731 },
        { .kind = SP_DOMAIN_POLYTOPE, .d = 2, .vertices = 4, .vertex = corners, .norm = 1.14018, .radius = 1.14018 },
    };
    static const char *const losses[] = { "logistic", "hinge", "absolute", "pinball" };
    for (size_t k = 0; k < sizeof domains / sizeof *domains; k++)
        for (size_t l = 0; l < sizeof losses / sizeof *losses; l++) {
            sp_dataset data;
            sp_problem p = problem_of(&data, losses[l], 5, 2, rows[0], labels, 1.0, 1.0);
            double inside[2] = { 1.385, 0.0 };
            p.domain = domains[k];
            p.start = p.domain.kind == SP_DOMAIN_SIMPLEX ? inside : p.start;
            CHECK(sp_domain_contains(&p.domain, p.start));
            p.certified.gap = INFINITY;
            const sp_setting setting = { .loss = p.loss, .number = p.number, .domain = &p.domain, .n = 5, .features = 2,
                                         .radius = 1.0, .label_bound = 1.0,
                                         .start_norm = cblas_dnrm2(2, p.start, 1) };
            CHECK(sp_certify(&setting, &p.certified, NULL) == SP_OK);
            sp_reference r = reference(&p, 8);
            sp_workspace *s = sp_workspace_new(&p);
            double least = INFINITY;
            for (int i = 0; s && i <= SIDE; i++)
                for (int j = 0; j <= SIDE; j++) {
                    double w[2] = { 2.8 * i / SIDE - 1.4, 2.8 * j / SIDE - 1.4 };
                    sp_domain_project(&p.domain, w);
                    least = fmin(least, sp_problem_value(&p, s, w));
                }
            CHECK_LESS_EQUAL(r.value - r.error, least + 1e-15);
            CHECK_LESS_EQUAL(r.value, least + 1e-8);
            CHECK_LESS_EQUAL(least, r.value + 0.03); /* the grid is 0.028 wide, and |slope| <= 1 */
            SP_CHECK_REPORT(r.error <= 1e-6, "%s on %s: %s", losses[l], sp_domain_names[p.domain.kind], r.method);
            CHECK_CONTAINS(r.method, "convex, gap ");
            sp_workspace_free(s);
            sp_reference_free(&r);
            sp_dataset_free(&data);
        }
}

/* A direction that no record has: F does not depend on it, and the certificate leaves it out. One that a record has
 * with a weight of 1e-5 counts. */
static void check_singular(void)
{
    double X[15] = { 0.0 }, y[5];
    for (size_t i = 0; i < 5; i++) {
        memcpy(X + 3 * i, rows[i], sizeof rows[i]);
        y[i] = i == 0 ? -1.0 : i == 3 ? 1.0 : labels[i]; /* not separable */
    }
    sp_dataset data;
    sp_problem p = problem_of(&data, "logistic", 5, 3, X, y, 1.0, 1.0);
    sp_reference r = reference(&p, 8);
    CHECK_CONTAINS(r.method, "convex, gap ");
    CHECK_LESS_EQUAL(r.error, 1e-9);
    for (int k = 0; k < 20; k++) { /* nothing found from elsewhere is lower */
        sp_problem other = p;
        double start[3] = { 3.0 * cos(k), 4.0 * sin(k), k };
        other.start = start;
        sp_reference o = reference(&other, 8);
        CHECK_LESS_EQUAL(r.value - r.error, o.value);
        sp_reference_free(&o);
    }
    check_certificate(&p, r.minimiser, r.value - r.error, 2.5);
    double plane[3];
    memcpy(plane, r.minimiser, sizeof plane);
    sp_reference_free(&r);
    sp_dataset_free(&data);
    X[2] = 1e-5;
    p = problem_of(&data, "logistic", 5, 3, X, y, 1.0, 1.0);
    p.certified.gap = INFINITY; /* else F - F* <= F counts */
    r = reference(&p, 8);
    CHECK(strstr(r.method, "grad ") || r.error <= 1e-6);
    check_certificate(&p, plane, r.value, INFINITY);
    sp_reference_free(&r);
    sp_dataset_free(&data);

    /* least squares of two records in R^4: F* = 0, strongly convex on their span alone */
    const double two[8] = { 0.6, -0.2, 0.1, 0.4, 0.1, 0.7, -0.3, 0.2 }, wanted[2] = { 0.385, -0.612 };
    p = problem_of(&data, "overparameterised_least_squares", 2, 4, two, wanted, 1.0, 1.0);
    r = reference(&p, 8);
    CHECK_NEAR(r.value, 0.0, 1e-15);
    CHECK_LESS_EQUAL(r.error, 1e-12);
    check_certificate(&p, r.minimiser, 0.0, 2.5);
    sp_reference_free(&r);
    sp_dataset_free(&data);
}

/* A steep record x = 1 at w = 0 amid 40 slow ones x = 0.01 that pull the minimiser to w = -110: the curvature at 0 says
 * nothing about the way there, and rho_H has to tell. */
static void check_curvature_elsewhere(void)
{
    double X[41], y[41], least = INFINITY;
    const double zero = 0.0;
    sp_dataset data;
    for (size_t i = 0; i < 41; i++) {
        X[i] = i == 0 ? 1.0 : 0.01;
        y[i] = i <= 30 ? -1.0 : 1.0;
    }
    sp_problem p = problem_of(&data, "logistic", 41, 1, X, y, 1.0, 1.0);
    sp_workspace *s = sp_workspace_new(&p);
    for (double w = -150.0; w < -80.0; w += 1e-3)
        least = fmin(least, sp_problem_value(&p, s, &w));
    p.certified.gap = INFINITY;
    check_certificate(&p, &zero, least, INFINITY);
    sp_reference r = reference(&p, 1);
    CHECK_NEAR(r.value, least, 1e-9);
    CHECK_LESS_EQUAL(r.error, 1e-9);
    sp_reference_free(&r);
    sp_workspace_free(s);
    sp_dataset_free(&data);
}

/* Separable data: the infimum 0 is not attained, and the certified gap says so. */
static void check_separable(void)
{
    const double X[2] = { 0.7, -0.385 }, y[2] = { 1.0, -1.0 };
    sp_dataset data;
    sp_problem p = problem_of(&data, "logistic", 2, 1, X, y, 1.0, 1.0);
    sp_reference r = reference(&p, 8);
    CHECK_NEAR(r.value, 0.0, 1e-9);
    CHECK_LESS_EQUAL(r.value, r.error + 1e-15);
    CHECK_LESS_EQUAL(r.error, 1e-9);
    sp_reference_free(&r);
    sp_dataset_free(&data);
}

/* --- kinks ------------------------------------------------------------------------------------------------- */

/* Piecewise linear in the plane: the minimum lies where two of the kink lines <w, x_i> = k_i cross. */
static double crossing_minimum(const sp_problem *p, sp_workspace *s, size_t kinks, const double *level)
{
    const sp_dataset *data = p->train;
    double least = INFINITY;
    for (size_t a = 0; a < kinks * data->n; a++)
        for (size_t b = 0; b < a; b++) {
            const double *u = data->X + a / kinks * data->stride, *v = data->X + b / kinks * data->stride;
            const double det = u[0] * v[1] - u[1] * v[0];
            if (fabs(det) < 1e-12)
                continue;
            const double w[2] = { (level[a] * v[1] - level[b] * u[1]) / det,
                                  (u[0] * level[b] - v[0] * level[a]) / det };
            least = fmin(least, sp_problem_value(p, s, w));
        }
    return least;
}

static void check_kinked(void)
{
    enum { MANY = 31 };
    gsl_rng *stream = landscape_stream("kinked");
    static const char *const losses[] = { "absolute", "pinball", "epsilon_insensitive", "hinge" };
    for (size_t l = 0; l < sizeof losses / sizeof *losses; l++)
        for (int k = 0; k < 6; k++) {
            double X[2 * MANY], y[MANY], level[2 * MANY];
            sp_dataset data;
            const bool hinge = strcmp(losses[l], "hinge") == 0, tube = strcmp(losses[l], "epsilon_insensitive") == 0;
            for (size_t i = 0; i < MANY; i++) {
                gsl_ran_dir_2d(stream, X + 2 * i, X + 2 * i + 1);
                y[i] = hinge ? (gsl_rng_uniform(stream) < 0.5 + 0.4 * X[2 * i] ? 1.0 : -1.0)
                             : 0.9 * X[2 * i] - 0.5 * X[2 * i + 1] + gsl_ran_gaussian(stream, 0.3);
            }
            sp_problem p = problem_of(&data, losses[l], MANY, 2, X, y, 1.0, 4.0);
            for (size_t i = 0; i < MANY; i++) {
                level[tube ? 2 * i : i] = hinge ? y[i] : tube ? y[i] - p.number[0] : y[i];
                if (tube)
                    level[2 * i + 1] = y[i] + p.number[0];
            }
            sp_workspace *s = sp_workspace_new(&p);
            const double least = crossing_minimum(&p, s, tube ? 2 : 1, level);
            sp_reference r = reference(&p, 8);
            CHECK_NEAR(r.value, least, 1e-8);
            CHECK_LESS_EQUAL(r.value - r.error, least + 1e-13);
            SP_CHECK_REPORT(r.error <= 1e-6, "%s: %s", losses[l], r.method);
            CHECK_CONTAINS(r.method, "convex, gap ");
            sp_reference_free(&r);
            sp_workspace_free(s);
            sp_dataset_free(&data);
        }
    gsl_rng_free(stream);
}

/* With an l2 term: against F at every point of a fine grid, and the modulus lambda. A median, by its definition. */
static void check_kinked_more(void)
{
    sp_dataset data;
    sp_problem p = problem_of(&data, "hinge", 5, 2, rows[0], labels, 1.0, 1.0);
    p.regulariser = sp_regulariser_find("l2");
    p.lambda = 0.385;
    CHECK(certify(&p) == SP_OK && p.certified.gll);
    sp_reference r = reference(&p, 8);
    sp_workspace *s = sp_workspace_new(&p);
    CHECK_LESS_EQUAL(r.error, 1e-8);
    for (int i = 0; i < 40000; i++) {
        const double w[2] = { r.minimiser[0] + 0.02 * (i % 200 - 100), r.minimiser[1] + 0.02 * (i / 200 - 100) };
        const double square = pow(w[0] - r.minimiser[0], 2.0) + pow(w[1] - r.minimiser[1], 2.0);
        CHECK_LESS_EQUAL(r.value - r.error + 0.5 * p.lambda * pow(fmax(sqrt(square) - 1e-3, 0.0), 2.0),
                         sp_problem_value(&p, s, w) + 1e-12);
    }
    sp_reference_free(&r);
    sp_workspace_free(s);
    sp_dataset_free(&data);

    const double ones[7] = { 1, 1, 1, 1, 1, 1, 1 }, y[7] = { 0.4, -1.2, 0.9, 0.385, 2.2, -0.1, 0.7 };
    p = problem_of(&data, "absolute", 7, 1, ones, y, 1.0, 3.0);
    r = reference(&p, 8);
    CHECK_NEAR(r.value, (1.6 + 0.5 + 0.015 + 1.8 + 0.5 + 0.3) / 7.0, 1e-8);
    CHECK_NEAR(*r.minimiser, 0.4, 1e-7);
    CHECK_LESS_EQUAL(r.error, 1e-8);
    sp_reference_free(&r);
    sp_dataset_free(&data);
}

static sp_status smoothed_value(void *f, const double *w, double *out)
{
    *out = sp_smoothed_value(f, w);
    return SP_OK;
}

static sp_status smoothed_gradient(void *f, const double *w, double *out)
{
    sp_smoothed_gradient(f, w, out);
    return SP_OK;
}

/* What F_b promises about F, at random points and near its minimiser. */
static void check_smoothed(void)
{
    enum { N = 41, D = 3 };
    gsl_rng *stream = landscape_stream("smoothed");
    static const char *const losses[] = { "absolute", "hinge", "pinball", "epsilon_insensitive" };
    for (size_t l = 0; l < sizeof losses / sizeof *losses; l++) {
        landscape m;
        const landscape_options o = { .loss = sp_loss_find(losses[l]), .n = N, .d = D, .radius = 1.31,
                                      .label_bound = 1.0 };
        size_t told = 0;
        const bool made = landscape_make(o, stream, &m);
        for (int k = 0; made && k < 60; k++) {
            sp_problem *p = &m.problem;
            const sp_smoothed f = { p, m.workspace, pow(10.0, 3.0 * gsl_rng_uniform(stream) - 1.0) };
            const double L0 = o.loss == sp_loss_find("pinball") ? fmax(p->number[0], 1.0 - p->number[0]) : 1.0;
            double w[D], v[D], g[D], up[D], H[D * D], moved[D], reach = NAN;
            for (size_t j = 0; j < D; j++)
                w[j] = gsl_ran_gaussian(stream, 0.8);
            if (k % 2) { /* half of them near the minimiser of F_b */
                const sp_smooth_function smooth = { D, (void *)(uintptr_t)&f, smoothed_value, smoothed_gradient, NULL };
                double scratch[5 * D];
                sp_descent descent;
                CHECK(sp_descend(&smooth, &p->domain, 1e-4, 4000, w, scratch, &descent) == SP_OK);
            }
            const double here = sp_problem_value(p, m.workspace, w), low = sp_smoothed_value(&f, w);
            CHECK(low <= here + 1e-14 && here <= low + L0 * L0 / (2.0 * f.b) + 1e-14);
            sp_smoothed_gradient(&f, w, g);
            sp_smoothed_hessian(&f, w, H);
            const double kink = sp_smoothed_kink(&f, w);
            for (size_t j = 0; j < D; j++) { /* derivatives by differences */
                memcpy(v, w, sizeof w);
                memcpy(moved, w, sizeof w);
                v[j] += 1e-5 / f.b;
                moved[j] -= 1e-5 / f.b;
                CHECK_NEAR((sp_smoothed_value(&f, v) - sp_smoothed_value(&f, moved)) / (2e-5 / f.b), g[j],
                           1e-4 + 1e-9 * f.b);
                sp_smoothed_gradient(&f, v, up);
                sp_smoothed_gradient(&f, moved, moved);
                for (size_t i = 0; i < D; i++)
                    CHECK_NEAR((up[i] - moved[i]) / (2e-5 / f.b), H[j * D + i], 0.03 * f.b); /* one at its corner */
            }
            CHECK(kink >= 0.0 && kink <= L0 * L0 / (2.0 * f.b));
            CHECK(sp_smoothed_reach(&f, w, cblas_dnrm2(D, g, 1), kink, H, &reach) == SP_OK);
            told += isfinite(reach) != 0;
            for (int i = 0; i < 300; i++) {
                double slope = 0.0, square = 0.0;
                const double length = pow(10.0, 2.0 * gsl_rng_uniform(stream) - 1.5);
                for (size_t j = 0; j < D; j++) {
                    const double step = gsl_ran_gaussian(stream, length);
                    v[j] = w[j] + step;
                    slope += g[j] * step;
                    square += step * step;
                }
                const double there = sp_problem_value(p, m.workspace, v);
                CHECK_LESS_EQUAL(here - kink + slope, there + 1e-13);
                if (there <= here)
                    CHECK_LESS_EQUAL(sqrt(square), reach);
            }
        }
        CHECK(told > 0);
        landscape_drop(&m);
    }
    gsl_rng_free(stream);
}

/* --- closed forms ------------------------------------------------------------------------------------------ */

static void check_realisable(void)
{
    gsl_rng *stream = landscape_stream("closed");
    landscape l;
    landscape_options o = { .loss = sp_loss_find("barron"), .n = 40, .d = 3, .radius = 1.31, .label_bound = 0.83,
                            .realisable = true };
    if (landscape_make(o, stream, &l)) {
        sp_reference r = reference(&l.problem, 8);
        CHECK(r.value == 0.0 && r.error == 0.0 && r.minimiser);
        CHECK_TEXT(r.method, "closed");
        for (size_t i = 0; r.minimiser && i < o.n; i++)
            CHECK_NEAR(cblas_ddot(3, l.data.X + i * l.data.stride, 1, r.minimiser, 1), l.data.y[i], 1e-9);
        sp_reference_free(&r);
        l.problem.realisable = false; /* the same minimum must be found without being told */
        r = reference(&l.problem, 4);
        CHECK_NEAR(r.value, 0.0, 1e-15);
        CHECK_TEXT(r.method, "multistart 4, 4 agree");
        CHECK(isinf(r.error));
        sp_reference_free(&r);
        l.problem.realisable = true;
        l.problem.regulariser = sp_regulariser_find("l2"); /* with a regulariser it is no longer closed */
        l.problem.lambda = 0.1;
        CHECK(certify(&l.problem) == SP_OK);
        r = reference(&l.problem, 4);
        CHECK(r.value > 0.0);
        CHECK_CONTAINS(r.method, "multistart 4, ");
        sp_reference_free(&r);
    }
    landscape_drop(&l);
    /* fitted to the label as a probability or to sig of it: in one of the two is a record with m = y at its minimum */
    o.loss = sp_loss_find("sigmoid_square");
    for (int target = 0; target < 2; target++) {
        double number[SP_PARAM_MAX] = { 0.0 };
        landscape_defaults(o.loss->params, number);
        for (size_t i = 0; o.loss->params[i].key; i++)
            if (strcmp(o.loss->params[i].key, "target") == 0)
                number[i] = target;
        o.number = number;
        if (landscape_make(o, stream, &l)) {
            sp_reference r = reference(&l.problem, 8);
            l.problem.realisable = false;
            sp_reference found = reference(&l.problem, 8);
            CHECK_NEAR(r.value, found.value, 1e-9);
            sp_reference_free(&found);
            sp_reference_free(&r);
        }
        landscape_drop(&l);
    }
    gsl_rng_free(stream);
    /* phi >= 0 = phi(y, y) is what the closed form rests on: no link that has the equality goes below 0 */
    for (size_t i = 0; i < sp_loss_count; i++) {
        const sp_loss *loss = sp_losses[i];
        double number[SP_PARAM_MAX] = { 0.0 };
        landscape_defaults(loss->params, number);
        for (double y = -1.2; loss->link && !loss->labels_binary && y <= 1.2; y += 0.385)
            for (double m = -9.0; m < 9.0; m += 0.17) {
                double least = NAN, other = NAN;
                loss->link->value(number, 1, &y, &y, &least);
                loss->link->value(number, 1, &m, &y, &other);
                if (least == 0.0)
                    CHECK_LESS_EQUAL(0.0, other);
            }
    }
}

static void check_tilt(void)
{
    gsl_rng *stream = landscape_stream("tilt");
    landscape l;
    for (size_t i = 0; i < 2 * sp_loss_count; i++) {
        const landscape_options o = { .loss = sp_losses[i / 2], .n = 41, .d = 3, .radius = 0.31, .label_bound = 1.0,
                                      .regulariser = i % 2 ? sp_regulariser_find("l2") : NULL, .lambda = 0.371,
                                      .ball = 3.0 };
        if (!o.loss->tilt || !landscape_make(o, stream, &l)) {
            continue;
        }
        sp_reference r = reference(&l.problem, 8);
        double w[LANDSCAPE_D], least = INFINITY;
        for (int k = 0; k < 20000; k++) {
            for (size_t j = 0; j < l.problem.domain.d; j++)
                w[j] = (k % 2 ? r.minimiser[j] : 0.0) + gsl_ran_gaussian(stream, pow(10.0, -(k % 7) / 2.0));
            sp_domain_project(&l.problem.domain, w);
            least = fmin(least, sp_problem_value(&l.problem, l.workspace, w));
        }
        SP_CHECK_REPORT(r.value <= least + 1e-13, "%s: F* = %.17g by %s, but F = %.17g", o.loss->name, r.value,
                        r.method, least);
        CHECK_LESS_EQUAL(least, r.value + 1e-3);
        if (strcmp(r.method, "closed") == 0)
            CHECK(r.error == 0.0);
        sp_reference_free(&r);
        landscape_drop(&l);
    }

    /* no tilt: h alone. On a ball that leaves its minimiser out, h at the nearest point. */
    const double untilted[SP_PARAM_MAX] = { 0.385, 2.0, 0.0 };
    landscape_options o = { .loss = sp_loss_find("pseudo_huber"), .number = untilted, .n = 7, .d = 3, .radius = 1.31,
                            .label_bound = 1.0 };
    if (landscape_make(o, stream, &l)) {
        sp_reference r = reference(&l.problem, 8);
        CHECK_NEAR(r.value, 0.0, 1e-15);
        CHECK_TEXT(r.method, "closed");
        sp_reference_free(&r);
        l.problem.domain = (sp_domain){ .kind = SP_DOMAIN_L2_BALL, .d = 3, .radius = 1.3, .norm = 1.3 };
        CHECK(certify(&l.problem) == SP_OK);
        r = reference(&l.problem, 8);
        CHECK_NEAR(r.value, hypot(0.385, 0.7) - 0.385, 1e-13);
        CHECK_CONTAINS(r.method, "convex, gap ");
        sp_reference_free(&r);
    }
    landscape_drop(&l);
    gsl_rng_free(stream);
}

/* --- not convex -------------------------------------------------------------------------------------------- */

/* One record x = 1.2, slope 0.31, tilt 0.9, d = 1: the tilt beats the ramp. F* by a grid of 3e5 points and golden
 * section (Python). */
static void check_multistart(void)
{
    gsl_rng *stream = landscape_stream("multistart");
    landscape l;
    const double number[SP_PARAM_MAX] = { 0.31, 0.9 };
    const landscape_options o = { .loss = sp_loss_find("huber_ramp"), .number = number, .n = 1, .d = 1, .radius = 1.2,
                                  .label_bound = 1.0 };
    if (landscape_make(o, stream, &l)) {
        sp_reference r = reference(&l.problem, 8);
        size_t starts = 0, agree = 0;
        CHECK_NEAR(r.value, 0.4232542041216105, 1e-13);
        if (strcmp(r.method, "closed") != 0) {
            CHECK(sscanf(r.method, "multistart %zu, %zu agree", &starts, &agree) == 2);
            CHECK(starts == 8 && agree >= 1 && agree < 8); /* two local minima */
            CHECK(isinf(r.error));
        }
        sp_reference_free(&r);
        sp_error error = { 0 };
        CHECK(sp_reference_compute(&l.problem, 0, stream, &r, &error) == SP_EINVAL);
        CHECK_CONTAINS(error.text, "starts = 0");
    }
    landscape_drop(&l);
    gsl_rng_free(stream);
}

/* Records along the axes: F = sum_j F_j(w_j), so F* = sum_j min F_j, each by a grid. Logistic loss with a nonconvex
 * regulariser, as Wang & Xu have it; over a ball the gap is that to the logistic loss alone. */
static void check_regularised(void)
{
    enum { D = 4, N = 12 };
    double X[N * D] = { 0.0 }, y[N], least = 0.0, bare = 0.0;
    for (size_t i = 0; i < N; i++) {
        X[i * D + i % D] = 0.4 + 0.05 * (double)i;
        y[i] = i < 2 * D ? 1.0 : -1.0;
    }
    sp_dataset data;
    sp_problem p = problem_of(&data, "logistic", N, D, X, y, 1.0, 1.0);
    p.regulariser = sp_regulariser_find("nonconvex");
    p.lambda = 0.0385;
    CHECK(certify(&p) == SP_OK && !p.certified.convex);
    for (size_t j = 0; j < D; j++) {
        double alone = INFINITY, best = INFINITY;
        for (int k = -400000; k <= 400000; k++) {
            const double v = 1e-4 * k;
            double sum = 0.0;
            for (size_t i = j; i < N; i += D)
                sum += log1p(exp(-y[i] * X[i * D + j] * v)) / N;
            alone = fmin(alone, sum);
            best = fmin(best, sum + p.lambda * (1.0 - 1.0 / (1.0 + v * v)));
        }
        least += best;
        bare += alone;
    }
    sp_reference r = reference(&p, 16);
    CHECK_NEAR(r.value, least, 1e-8);
    CHECK_CONTAINS(r.method, "multistart 16, ");
    CHECK_CONTAINS(r.method, " agree, gap ");
    CHECK_LESS_EQUAL(r.error, 1e-7); /* branch and bound */
    CHECK_LESS_EQUAL(r.value - r.error, least + 1e-12);
    sp_reference_free(&r);
    p.domain = (sp_domain){ .kind = SP_DOMAIN_L2_BALL, .d = D, .radius = 100.0, .norm = 100.0 }; /* not over a ball */
    CHECK(certify(&p) == SP_OK);
    r = reference(&p, 16);
    CHECK_NEAR(r.value, least, 1e-8);
    CHECK_NEAR(r.error, r.value - bare, 1e-6);
    CHECK_LESS_EQUAL(r.value - r.error, bare + 1e-12);
    sp_reference_free(&r);
    sp_dataset_free(&data);
}

/* A feature that only records of one label have runs off to infinity: without them F has a minimiser, and theirs is the
 * infimum of all. */
static void check_partly_separable(void)
{
    enum { D = 3, N = 8, OTHERS = 5 };
    double X[N * D], y[N] = { 1, -1, 1, -1, 1, -1, -1, -1 };
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++)
            X[i * D + j] = j < 2        ? rows[i % 5][j] * (i < OTHERS ? 0.9 : -0.3)
                           : i < OTHERS ? 0.0
                                        : 0.2 + 0.05 * (double)i;
    memcpy(X + D, X, D * sizeof *X); /* of two labels: the others are not separable */
    memcpy(X + 3 * D, X + 2 * D, D * sizeof *X);
    sp_dataset data, other;
    sp_problem p = problem_of(&data, "logistic", N, D, X, y, 1.0, 1.0);
    sp_problem q = problem_of(&other, "logistic", OTHERS, D, X, y, 1.0, 1.0);
    sp_reference all = reference(&p, 1), some = reference(&q, 1);
    const double least = some.value * OTHERS / N;
    CHECK(some.value > 0.1);
    CHECK_NEAR(all.value, least, 1e-9);
    CHECK_LESS_EQUAL(all.error, 1e-7);
    CHECK_LESS_EQUAL(all.value - all.error, least + 1e-14);
    CHECK_CONTAINS(all.method, "convex, gap ");
    sp_reference_free(&all);
    sp_reference_free(&some);
    sp_dataset_free(&data);
    sp_dataset_free(&other);
}

/* Weakly convex with kinks: |w^2 - y| summed over three records, by a grid; and the planted signal in the plane. */
static void check_weakly_convex(void)
{
    sp_dataset data;
    const double X[3] = { 1.0, 0.7, -0.4 }, y[3] = { 0.9, 0.2, 0.385 };
    sp_problem p = problem_of(&data, "robust_phase_retrieval", 3, 1, X, y, 1.0, 1.0);
    double least = INFINITY;
    for (int k = 0; k < 200000; k++) {
        const double w = 2e-5 * k;
        double sum = 0.0;
        for (size_t i = 0; i < 3; i++)
            sum += fabs(X[i] * X[i] * w * w - y[i]) / 3.0;
        least = sum < least ? sum : least; /* of fmin here gcc 12.2 for aarch64 dies */
    }
    sp_reference r = reference(&p, 6);
    CHECK_LESS_EQUAL(r.value, least + 1e-12);
    CHECK_NEAR(r.value, least, 1e-4);
    CHECK_CONTAINS(r.method, "multistart 6, ");
    CHECK(isinf(r.error));
    sp_reference_free(&r);
    sp_dataset_free(&data);

    double measured[5];
    for (size_t i = 0; i < 5; i++)
        measured[i] = pow(0.8 * rows[i][0] - 0.385 * rows[i][1], 2.0);
    p = problem_of(&data, "robust_phase_retrieval", 5, 2, rows[0], measured, 1.0, 1.0);
    r = reference(&p, 8);
    CHECK_NEAR(r.value, 0.0, 1e-8);
    CHECK_NEAR(fabs(r.minimiser[0]), 0.8, 1e-6);
    CHECK_NEAR(fabs(r.minimiser[1]), 0.385, 1e-6);
    sp_reference_free(&r);
    sp_dataset_free(&data);
}

/* d = 2200 > SP_DENSE_MAX, records along the axes: every coordinate alone. The modulus of the l2 term certifies. */
static void check_large(void)
{
    enum { D = 2200, N = 60 };
    sp_dataset data = { 0 };
    CHECK(sp_dataset_new(SP_STORE_SPARSE, N, D, N, true, false, &data, NULL) == SP_OK);
    double least = 0.0, *start = sp_alloc_doubles(D);
    for (size_t i = 0; i < N; i++) {
        const double size = 0.2 + 0.0131 * (double)i, y = i % 3 ? 1.0 : -1.0;
        double low = 0.0, high = 1e4;
        sp_dataset_start(&data)[i + 1] = i + 1;
        sp_dataset_column(&data)[i] = (uint32_t)(37 * i);
        sp_dataset_entry(&data)[i] = size;
        sp_dataset_y(&data)[i] = y;
        for (int k = 0; k < 100; k++) { /* size / (1 + exp(size v)) / N = lambda v */
            const double v = 0.5 * (low + high);
            *(size / (1.0 + exp(size * v)) / N > 1e-3 * v ? &low : &high) = v;
        }
        least += log1p(exp(-size * low)) / N + 0.5e-3 * low * low;
    }
    CHECK(sp_dataset_seal(&data, 1.0, 1.0, NULL) == SP_OK);
    sp_problem p = { .loss = sp_loss_find("logistic"), .regulariser = sp_regulariser_find("l2"), .lambda = 1e-3,
                     .train = &data, .start = start,
                     .domain = { .kind = SP_DOMAIN_SPACE, .d = D, .radius = INFINITY, .norm = INFINITY } };
    CHECK(certify(&p) == SP_OK);
    sp_reference r = reference(&p, 8);
    CHECK_NEAR(r.value, least, 1e-13);
    CHECK_LESS_EQUAL(r.error, 1e-12);
    CHECK_CONTAINS(r.method, "convex, gap ");
    sp_reference_free(&r);
    p.regulariser = sp_regulariser_find("nonconvex"); /* r >= 0, r <= 1, and F* between */
    CHECK(certify(&p) == SP_OK);
    r = reference(&p, 3);
    CHECK_CONTAINS(r.method, "multistart 3, ");
    CHECK(r.value > 0.0 && r.value <= log(2.0));
    sp_reference_free(&r);
    free(start);
    sp_dataset_free(&data);
}

int main(void)
{
    check_convex();
    check_domains();
    check_singular();
    check_curvature_elsewhere();
    check_separable();
    check_kinked();
    check_kinked_more();
    check_smoothed();
    check_realisable();
    check_tilt();
    check_multistart();
    check_regularised();
    check_partly_separable();
    check_weakly_convex();
    check_large();
    return sp_check_done();
}
