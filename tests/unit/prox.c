/* prox.c -- proximal points against nested golden sections and the optimality condition; and the solvers below them
 * (simplex.h, descent.h) against closed forms. */
#include "losses/optimum/descent.h"
#include "losses/optimum/prox.h"
#include "losses/optimum/simplex.h"
#include "tests/landscape.h"

#include <gsl/gsl_cblas.h>

static gsl_rng *stream;

/* --- the quadratic programme ------------------------------------------------------------------------------- */

static void check_simplex(void)
{
    enum { MOST = 40 };
    static double Q[MOST * MOST], S[MOST * MOST], scratch[MOST * (MOST + 6)], c[MOST], a[MOST], g[MOST];
    for (int trial = 0; trial < 300; trial++) {
        const size_t k = 1 + gsl_rng_uniform_int(stream, MOST), rank = 1 + gsl_rng_uniform_int(stream, MOST);
        const double scale = pow(10.0, 12.0 * gsl_rng_uniform(stream) - 9.0);
        const bool identity = trial % 3 == 0;
        for (size_t i = 0; i < k * rank; i++)
            S[i] = gsl_ran_gaussian(stream, pow(10.0, -(trial % 4)));
        for (size_t i = 0; i < k; i++) {
            for (size_t j = 0; j < k; j++)
                Q[i * k + j] = scale * (identity ? i == j : cblas_ddot((int)rank, S + i * rank, 1, S + j * rank, 1));
            c[i] = scale * gsl_ran_gaussian(stream, 0.385);
        }
        if (trial % 5 == 0 && k > 1) /* the same cut twice */
            for (size_t j = 0; j < k; j++)
                Q[j] = Q[j * k] = Q[(k - 1) * k + j], c[0] = c[k - 1];
        if (trial % 5 == 0 && k > 1)
            Q[0] = Q[(k - 1) * k + k - 1];
        sp_simplex_minimise(k, Q, c, a, scratch);
        double sum = 0.0, least = INFINITY, most = -INFINITY, mean = 0.0;
        for (size_t i = 0; i < k; i++) {
            g[i] = cblas_ddot((int)k, Q + i * k, 1, a, 1) - c[i];
            CHECK(a[i] >= 0.0);
            sum += a[i];
            mean += a[i] * g[i];
            least = fmin(least, g[i]);
            most = fmax(most, g[i]);
        }
        CHECK_NEAR(sum, 1.0, 1e-14);
        CHECK_LESS_EQUAL(mean - least, 1e-10 * (most - least) + 1e-14 * scale); /* the gap to the minimum */
        if (identity && trial % 5 != 0) { /* the projection of c / scale */
            const sp_domain simplex = { .kind = SP_DOMAIN_SIMPLEX, .d = k, .radius = 1.0, .norm = 1.0 };
            cblas_dscal((int)k, 1.0 / scale, c, 1);
            sp_domain_project(&simplex, c);
            for (size_t i = 0; i < k; i++)
                CHECK_NEAR(a[i], c[i], 1e-6);
        }
    }
}

/* --- descent ----------------------------------------------------------------------------------------------- */

enum { LARGEST = 300 };

typedef struct quadratic { /* sum_j h_j (v_j - z_j)^2 / 2 */
    size_t d;
    double h[LARGEST], z[LARGEST];
    size_t gradients;
} quadratic;

static sp_status quadratic_value(void *context, const double *v, double *out)
{
    const quadratic *q = context;
    *out = 0.0;
    for (size_t j = 0; j < q->d; j++)
        *out += 0.5 * q->h[j] * (v[j] - q->z[j]) * (v[j] - q->z[j]);
    return SP_OK;
}

static sp_status quadratic_gradient(void *context, const double *v, double *out)
{
    quadratic *q = context;
    q->gradients++;
    for (size_t j = 0; j < q->d; j++)
        out[j] = q->h[j] * (v[j] - q->z[j]);
    return SP_OK;
}

static sp_status quadratic_product(void *context, const double *w, const double *v, double *out)
{
    const quadratic *q = context;
    (void)w;
    for (size_t j = 0; j < q->d; j++)
        out[j] = q->h[j] * v[j];
    return SP_OK;
}

static void check_descend(void)
{
    static const double corners[] = { -0.3, -1.1, 0.4, 0.9, -0.4, 0.1, 0.2, 0.7, -0.9 };
    const sp_domain domains[] = {
        { .kind = SP_DOMAIN_SPACE, .d = 3, .radius = INFINITY, .norm = INFINITY },
        { .kind = SP_DOMAIN_L2_BALL, .d = 3, .radius = 1.385, .norm = 1.385 },
        { .kind = SP_DOMAIN_L1_BALL, .d = 3, .radius = 1.385, .norm = 1.385 },
        { .kind = SP_DOMAIN_LP_BALL, .d = 3, .radius = 1.385, .norm = 1.385, .p = 1.4 },
        { .kind = SP_DOMAIN_SIMPLEX, .d = 3, .radius = 1.385, .norm = 1.385 },
        { .kind = SP_DOMAIN_BOX, .d = 3, .low = -0.9, .high = 1.3, .norm = 2.26 },
        { .kind = SP_DOMAIN_POLYTOPE, .d = 3, .vertices = 3, .vertex = corners, .norm = 1.3, .radius = 1.3 },
    };
    double w[LARGEST], scratch[5 * LARGEST], close[LARGEST];
    sp_descent result;
    for (size_t k = 0; k < sizeof domains / sizeof *domains; k++)
        for (int trial = 0; trial < 20; trial++) {
            quadratic q = { .d = 3 };
            const sp_smooth_function f = { 3, &q, quadratic_value, quadratic_gradient, NULL };
            for (size_t j = 0; j < 3; j++) {
                q.h[j] = 2.385; /* equal: the minimiser is the projection */
                q.z[j] = close[j] = gsl_ran_gaussian(stream, 1.5);
                w[j] = gsl_ran_gaussian(stream, 1.5);
            }
            sp_domain_project(&domains[k], close);
            CHECK(sp_descend(&f, &domains[k], 1e-10, 1000, w, scratch, &result) == SP_OK && result.converged);
            double far = 0.0;
            for (size_t j = 0; j < 3; j++)
                far += pow(w[j] - close[j], 2.0);
            CHECK_LESS_EQUAL(sqrt(far), result.residual / 2.385 + 1e-8);
            CHECK(sp_domain_contains(&domains[k], w));
            /* unequal, stopped early: the certificate holds, and so does the value */
            q.h[0] = 40.0, q.h[1] = 0.7;
            double best[3] = { 0.0, 0.0, 0.0 }, value = NAN;
            sp_domain_project(&domains[k], best);
            CHECK(sp_descend(&f, &domains[k], 1e-11, 5000, best, scratch, &result) == SP_OK);
            for (size_t most = 1; most < 40; most += 3) {
                w[0] = 0.9, w[1] = -0.4, w[2] = 0.1;
                CHECK(sp_descend(&f, &domains[k], 0.0, most, w, scratch, &result) == SP_OK);
                CHECK(result.iterations <= most);
                far = 0.0;
                for (size_t j = 0; j < 3; j++)
                    far += pow(w[j] - best[j], 2.0);
                CHECK_LESS_EQUAL(sqrt(far), result.residual / 0.7 + 1e-7);
                CHECK(quadratic_value(&q, w, &value) == SP_OK && value == result.value);
            }
        }
    quadratic q = { .d = 2, .h = { NAN, 1.0 } };
    const sp_smooth_function f = { 2, &q, quadratic_value, quadratic_gradient, NULL };
    const sp_domain plane = { .kind = SP_DOMAIN_SPACE, .d = 2, .radius = INFINITY, .norm = INFINITY };
    CHECK(sp_descend(&f, &plane, 0.0, 10, w, scratch, &result) == SP_ENUMERIC);
    /* condition 1e4: acceleration gets there in hundreds of gradients, not ten thousands */
    quadratic steep = { .d = 50 };
    const sp_smooth_function slow = { 50, &steep, quadratic_value, quadratic_gradient, NULL };
    const sp_domain space = { .kind = SP_DOMAIN_SPACE, .d = 50, .radius = INFINITY, .norm = INFINITY };
    for (size_t j = 0; j < 50; j++) {
        steep.h[j] = pow(10.0, -4.0 * (double)j / 49.0);
        steep.z[j] = w[j] = 0.0;
        w[j] += 1.0;
    }
    CHECK(sp_descend(&slow, &space, 1e-9, 4000, w, scratch, &result) == SP_OK && result.converged);
    CHECK(steep.gradients < 3000);
}

static sp_status rosenbrock_value(void *context, const double *v, double *out)
{
    (void)context;
    *out = pow(1.0 - v[0], 2.0) + 100.0 * pow(v[1] - v[0] * v[0], 2.0);
    return SP_OK;
}

static sp_status rosenbrock_gradient(void *context, const double *v, double *out)
{
    (void)context;
    out[0] = -2.0 * (1.0 - v[0]) - 400.0 * v[0] * (v[1] - v[0] * v[0]);
    out[1] = 200.0 * (v[1] - v[0] * v[0]);
    return SP_OK;
}

static sp_status rosenbrock_product(void *context, const double *w, const double *v, double *out)
{
    (void)context;
    out[0] = (2.0 - 400.0 * (w[1] - 3.0 * w[0] * w[0])) * v[0] - 400.0 * w[0] * v[1];
    out[1] = -400.0 * w[0] * v[0] + 200.0 * v[1];
    return SP_OK;
}

static sp_status saddle_value(void *context, const double *v, double *out) /* minima at (0, +-1), -1/4 */
{
    (void)context;
    *out = 0.5 * v[0] * v[0] - 0.5 * v[1] * v[1] + 0.25 * pow(v[1], 4.0);
    return SP_OK;
}

static sp_status saddle_gradient(void *context, const double *v, double *out)
{
    (void)context;
    out[0] = v[0];
    out[1] = pow(v[1], 3.0) - v[1];
    return SP_OK;
}

static sp_status saddle_product(void *context, const double *w, const double *v, double *out)
{
    (void)context;
    out[0] = v[0];
    out[1] = (3.0 * w[1] * w[1] - 1.0) * v[1];
    return SP_OK;
}

static void check_newton(void)
{
    double w[LARGEST] = { -1.2, 1.0 }, scratch[6 * LARGEST];
    sp_descent result;
    const sp_smooth_function rosenbrock = { 2, NULL, rosenbrock_value, rosenbrock_gradient, NULL };
    CHECK(sp_newton_cg(&rosenbrock, rosenbrock_product, 1e-10, 200, w, scratch, &result) == SP_OK && result.converged);
    CHECK_NEAR(w[0], 1.0, 1e-9);
    CHECK_NEAR(w[1], 1.0, 1e-9);
    CHECK(result.iterations < 60);
    const sp_smooth_function saddle = { 2, NULL, saddle_value, saddle_gradient, NULL };
    w[0] = 0.8, w[1] = 1e-7;
    CHECK(sp_newton_cg(&saddle, saddle_product, 1e-11, 200, w, scratch, &result) == SP_OK && result.converged);
    CHECK_NEAR(result.value, -0.25, 1e-15);
    CHECK_NEAR(w[1], 1.0, 1e-9);
    quadratic q = { .d = LARGEST };
    const sp_smooth_function f = { LARGEST, &q, quadratic_value, quadratic_gradient, NULL };
    for (size_t j = 0; j < LARGEST; j++) {
        q.h[j] = pow(10.0, -3.0 * (double)j / (LARGEST - 1));
        q.z[j] = gsl_ran_gaussian(stream, 2.0);
        w[j] = 0.0;
    }
    CHECK(sp_newton_cg(&f, quadratic_product, 1e-12, 200, w, scratch, &result) == SP_OK && result.converged);
    for (size_t j = 0; j < LARGEST; j++)
        CHECK_NEAR(w[j], q.z[j], 1e-8);
    q.h[7] = NAN;
    CHECK(sp_newton_cg(&f, quadratic_product, 1e-12, 200, w, scratch, &result) == SP_ENUMERIC);
    w[0] = w[1] = 1.0; /* at the minimum already: nothing is tried */
    CHECK(sp_newton_cg(&rosenbrock, rosenbrock_product, 1e-10, 200, w, scratch, &result) == SP_OK);
    CHECK(result.converged && result.iterations == 0);
}

/* --- proximal points --------------------------------------------------------------------------------------- */

typedef struct line {
    landscape *l;
    double rho;
    const double *w;
    double v[2];
    size_t free; /* the coordinate that moves first; those after it are minimised over */
} line;

static double least_from(line *f, size_t j);

static double along(line *f, size_t j, double x)
{
    f->v[j] = x;
    return least_from(f, j + 1);
}

/* min over v_j, v_{j+1}, ... of the convex F + rho ||v - w||^2; where, in v. */
static double least_from(line *f, size_t j)
{
    const sp_problem *p = &f->l->problem;
    if (j == sp_problem_d(p)) {
        double square = 0.0;
        for (size_t i = 0; i < j; i++)
            square += pow(f->v[i] - f->w[i], 2.0);
        return sp_problem_value(p, f->l->workspace, f->v) + f->rho * square;
    }
    const double ratio = 0.5 * (sqrt(5.0) - 1.0);
    double a = -8.0, b = 8.0, x = b - ratio * (b - a), y = a + ratio * (b - a);
    double at_x = along(f, j, x), at_y = along(f, j, y);
    while (b - a > 1e-6) {
        if (at_x < at_y) {
            b = y, y = x, at_y = at_x, x = b - ratio * (b - a);
            at_x = along(f, j, x);
        } else {
            a = x, x = y, at_x = at_y, y = a + ratio * (b - a);
            at_y = along(f, j, y);
        }
    }
    return along(f, j, 0.5 * (a + b));
}

static void check_all_losses(void)
{
    size_t smooth = 0, kinked = 0;
    for (size_t i = 0; i < sp_loss_count; i++) {
        const bool whole = sp_losses[i]->smooth;
        landscape l;
        const landscape_options o = { .loss = sp_losses[i], .n = 21, .d = whole ? 3 : 2, .radius = 1.31,
                                      .label_bound = 1.0 };
        const bool made = landscape_make(o, stream, &l);
        const sp_problem *p = &l.problem;
        const double modulus = p->certified.weak_convexity;
        double w[64], v[64], g[64], error = NAN, distance = NAN;
        double *scratch = made ? sp_alloc_doubles(sp_prox_distance_scratch(p)) : NULL;
        for (int trial = 0; scratch && modulus > 0.0 && isfinite(modulus) && trial < 6; trial++) {
            const size_t d = sp_problem_d(p);
            const double rho = modulus * (trial % 2 ? 1.0 : 1.385);
            for (size_t j = 0; j < d; j++)
                w[j] = gsl_ran_gaussian(stream, 0.9);
            CHECK(sp_prox(p, l.workspace, rho, w, whole ? 1e-9 : 1e-6, 0.0, v, &error, scratch) == SP_OK);
            SP_CHECK_REPORT(error <= (whole ? 1e-8 : 1e-6), "%s: error %g", o.loss->name, error);
            if (whole) { /* grad F(v) + 2 rho (v - w) = 0, and its size bounds the distance */
                sp_problem_gradient(p, l.workspace, v, g);
                cblas_daxpy((int)d, 2.0 * rho, v, 1, g, 1);
                cblas_daxpy((int)d, -2.0 * rho, w, 1, g, 1);
                CHECK_LESS_EQUAL(cblas_dnrm2((int)d, g, 1), 1e-7 * fmax(1.0, p->certified.beta + 2.0 * rho));
                smooth++;
            } else if (trial < 3 && d == 2) {
                line f = { &l, rho, w, { 0.0, 0.0 }, 0 };
                least_from(&f, 0);
                CHECK_LESS_EQUAL(hypot(f.v[0] - v[0], f.v[1] - v[1]), error + 5e-5);
                kinked++;
            }
            CHECK(sp_prox_distance(p, l.workspace, w, scratch, &distance) == SP_OK);
            if (trial % 2) {
                double square = 0.0;
                CHECK(sp_prox(p, l.workspace, rho, w, 1e-6, 0.0, v, &error, scratch) == SP_OK);
                for (size_t j = 0; j < d; j++)
                    square += pow(v[j] - w[j], 2.0);
                CHECK_NEAR(distance, sqrt(square), (whole ? 2e-6 : 0.011 * distance + 3e-6));
            }
        }
        if (scratch && modulus > 0.0 && isfinite(modulus))
            CHECK(sp_prox(p, l.workspace, 0.5 * modulus, w, 1e-6, 0.0, v, &error, scratch) == SP_EINVAL);
        free(scratch);
        landscape_drop(&l);
    }
    CHECK(smooth > 30 && kinked > 2);
}

/* F = |w^2 - 1| in one dimension, rho_w = 2: from w in (0, 1) the prox solves min |v^2 - 1| + 2 (v - w)^2: 1 - v^2 + 2
 * v^2 - 4 w v + ..., so v = 2 w up to 1. On the box [-0.9, 0.9], v = min(2 w, 0.9). */
static void check_by_hand(void)
{
    landscape l;
    const landscape_options o = { .loss = sp_loss_find("robust_phase_retrieval"), .n = 2, .d = 1, .radius = 1.0,
                                  .label_bound = 1.0 };
    if (landscape_make(o, stream, &l)) {
        sp_problem *p = &l.problem;
        sp_dataset_y(&l.data)[0] = sp_dataset_y(&l.data)[1] = 1.0;
        CHECK(sp_dataset_seal(&l.data, 1.0, 1.0, NULL) == SP_OK);
        CHECK_NEAR(p->certified.weak_convexity, 2.0, 1e-15);
        double *scratch = sp_alloc_doubles(sp_prox_distance_scratch(p)), v = NAN, error = NAN, distance = NAN;
        for (double w = 0.05; w < 1.5; w += 0.0385)
            for (int box = 0; box < 2; box++) {
                p->domain = box ? (sp_domain){ .kind = SP_DOMAIN_BOX, .d = 1, .low = -0.9, .high = 0.9, .norm = 0.9 }
                                : (sp_domain){ .kind = SP_DOMAIN_SPACE, .d = 1, .radius = INFINITY, .norm = INFINITY };
                /* from w > 1: v^2 - 1 + 2 (v - w)^2 is least at 2 w / 3, if that is above 1 */
                const double free_v = w < 1.0 ? fmin(2.0 * w, 1.0) : fmax(2.0 * w / 3.0, 1.0);
                const double wanted = box ? fmin(free_v, 0.9) : free_v;
                CHECK(sp_prox(p, l.workspace, 2.0, &w, 1e-6, 0.0, &v, &error, scratch) == SP_OK);
                CHECK_NEAR(v, wanted, 2e-6);
                CHECK_LESS_EQUAL(fabs(v - wanted), error + 1e-12);
                CHECK(sp_prox_distance(p, l.workspace, &w, scratch, &distance) == SP_OK);
                CHECK_NEAR(distance, fabs(w - wanted), fmax(1e-6, 0.01 * distance));
            }
        free(scratch);
    }
    landscape_drop(&l);
}

/* In a ball that is felt, and in more dimensions than cuts would fill: the error asked for is reached, and no point is
 * lower than strong convexity around v allows. */
static void check_kinked(void)
{
    int edge = 0;
    for (int trial = 0; trial < 12; trial++) {
        landscape l;
        const bool high = trial % 3 == 0;
        const landscape_options o = { .loss = sp_loss_find(trial % 2 ? "absolute_sigmoid" : "robust_phase_retrieval"),
                                      .n = high ? 400 : 21, .d = high ? 16 : 2, .radius = 1.31, .label_bound = 1.0,
                                      .ball = high ? 0.0 : 0.4 };
        if (landscape_make(o, stream, &l)) {
            const sp_problem *p = &l.problem;
            const size_t d = sp_problem_d(p);
            const double rho = p->certified.weak_convexity, wanted = high ? 1e-5 : 1e-6;
            double w[64], v[64], u[64], error = NAN, *scratch = sp_alloc_doubles(sp_prox_scratch(p));
            for (size_t i = 0; !high && i < l.data.n; i++)
                sp_dataset_y(&l.data)[i] = 0.9; /* F falls all the way to the edge */
            CHECK(sp_dataset_seal(&l.data, l.data.radius, 1.0, NULL) == SP_OK);
            for (size_t j = 0; j < d; j++)
                w[j] = gsl_ran_gaussian(stream, 0.7);
            sp_domain_project(&p->domain, w);
            CHECK(sp_prox(p, l.workspace, rho, w, wanted, 0.0, v, &error, scratch) == SP_OK);
            CHECK_LESS_EQUAL(error, wanted);
            CHECK(sp_domain_contains(&p->domain, v));
            edge += !high && hypot(v[0], v[1]) > 0.399999;
            double at = sp_problem_value(p, l.workspace, v);
            for (size_t j = 0; j < d; j++)
                at += rho * pow(v[j] - w[j], 2.0);
            for (int i = 0; i < 3000; i++) {
                double there = 0.0, far = 0.0;
                const double length = pow(10.0, -5.0 * gsl_rng_uniform(stream));
                for (size_t j = 0; j < d; j++)
                    u[j] = v[j] + gsl_ran_gaussian(stream, length);
                sp_domain_project(&p->domain, u);
                there = sp_problem_value(p, l.workspace, u);
                for (size_t j = 0; j < d; j++) {
                    there += rho * pow(u[j] - w[j], 2.0);
                    far += pow(u[j] - v[j], 2.0);
                }
                /* Psi(v) <= min Psi + (rho/2) error^2 and Psi(u) >= min Psi + (rho/2) ||u - prox||^2 */
                const double apart = fmax(sqrt(far) - error, 0.0);
                CHECK_LESS_EQUAL(at + 0.5 * rho * (apart * apart - error * error), there + 1e-13);
            }
            free(scratch);
        }
        landscape_drop(&l);
    }
    CHECK(edge >= 3);
}

int main(void)
{
    stream = landscape_stream("prox");
    check_simplex();
    check_descend();
    check_newton();
    check_all_losses();
    check_by_hand();
    check_kinked();
    gsl_rng_free(stream);
    return sp_check_done();
}
