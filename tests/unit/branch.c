/* branch.c -- the hull of a regulariser against numerical hulls, Newton's method over a box, branch and bound against
 * brute force in one to three dimensions, and jumps against F itself. */
#include "core/numeric/eigen.h"
#include "losses/optimum/branch.h"
#include "losses/optimum/descent.h"
#include "losses/optimum/hull.h"
#include "losses/optimum/jump.h"
#include "losses/optimum/reference.h"
#include "losses/optimum/sublevel.h"
#include "tests/landscape.h"

#include <float.h>
#include <gsl/gsl_cblas.h>

static const double nowhere[LANDSCAPE_D]; /* all starts: 0 */

/* --- shapes ------------------------------------------------------------------------------------------------ */

/* What losses/loss.h says of a regulariser with a tangent, by a grid. */
static void check_shapes(void)
{
    size_t shaped = 0;
    for (size_t i = 0; i < sp_regulariser_count; i++) {
        const sp_regulariser *r = sp_regularisers[i];
        if (!r->tangent)
            continue;
        shaped++;
        CHECK(!r->convex && r->bend > 0.0 && r->trough > r->bend);
        CHECK_NEAR(r->curvature(r->bend), 0.0, 1e-12);
        CHECK_NEAR(r->curvature(r->trough), -r->curvature_low, 1e-12);
        for (double w = 0.0; w < 50.0; w += 0.0137) {
            CHECK(r->value(w) == r->value(-w) && r->curvature(w) == r->curvature(-w));
            const double bend = r->curvature(w), next = r->curvature(w + 0.0137);
            CHECK(w + 0.0137 < r->trough ? next < bend : w < r->trough || next > bend);
        }
        for (double b = r->bend; b < 1e5; b *= 1.19) {
            const double t = r->tangent(b);
            CHECK(t > 0.0 && t <= r->bend * (1.0 + 1e-12));
            CHECK_NEAR(r->value(b) - r->value(t), r->slope(t) * (b - t), 1e-14);
        }
    }
    CHECK(shaped > 0);
    /* phi'' of a peaked link: once it falls, it never rises */
    size_t peaked = 0;
    for (size_t i = 0; i < sp_loss_count; i++) {
        const sp_loss *loss = sp_losses[i];
        double number[SP_PARAM_MAX] = { 0.0 }, last = 0.0;
        if (!loss->peaked)
            continue;
        peaked++;
        CHECK(loss->link && loss->convex && loss->smooth);
        landscape_defaults(loss->params, number);
        for (double y = -1.0; y <= 1.0; y += 2.0) {
            bool falling = false;
            for (double m = -40.0; m <= 40.0; m += 0.01, falling = falling || m > -39.0 ? falling : false) {
                double bend = NAN;
                loss->link->curvature(number, 1, &m, &y, &bend);
                CHECK(!(falling && bend > last * (1.0 + 1e-12)));
                falling = falling || (m > -39.99 && bend < last * (1.0 - 1e-12));
                last = bend;
            }
            CHECK(falling);
        }
    }
    CHECK(peaked > 0);
}

/* The lower convex hull of r on a grid, by Andrew's monotone chain; its value at every grid point in out. */
static void grid_hull(const sp_regulariser *r, double low, double high, size_t count, double *out)
{
    size_t *corner = sp_alloc(count, sizeof *corner), corners = 0;
    const double step = (high - low) / (double)(count - 1);
    for (size_t i = 0; corner && i < count; i++) {
        out[i] = r->value(low + step * (double)i);
        while (corners > 1) {
            const size_t a = corner[corners - 2], b = corner[corners - 1];
            if ((out[b] - out[a]) * (double)(i - a) <= (out[i] - out[a]) * (double)(b - a))
                break;
            corners--;
        }
        corner[corners++] = i;
    }
    for (size_t k = 0; k + 1 < corners; k++)
        for (size_t a = corner[k], b = corner[k + 1], i = a + 1; i < b; i++)
            out[i] = out[a] + (out[b] - out[a]) * (double)(i - a) / (double)(b - a);
    free(corner);
}

static void check_hull(void)
{
    enum { COUNT = 4001 };
    static double expected[COUNT];
    gsl_rng *stream = landscape_stream("hull");
    const sp_regulariser *r = sp_regulariser_find("nonconvex");
    for (int k = 0; k < 150; k++) {
        const double scale = pow(10.0, 2.0 * gsl_rng_uniform(stream) - 1.0);
        const double one = gsl_ran_gaussian(stream, scale), two = gsl_ran_gaussian(stream, k % 3 ? scale : 0.4);
        const double low = fmin(one, two), high = fmax(one, two), step = (high - low) / (COUNT - 1);
        const sp_hull hull = sp_hull_of(r, low, high);
        double least = INFINITY, rising = -INFINITY;
        grid_hull(r, low, high, COUNT, expected);
        for (size_t i = 0; i < COUNT; i++) {
            const double w = i + 1 < COUNT ? low + step * (double)i : high, value = sp_hull_value(r, &hull, w);
            const double slope = sp_hull_slope(r, &hull, w);
            CHECK_LESS_EQUAL(value, expected[i] + 1e-14);
            CHECK_NEAR(value, expected[i], step * step + 1e-14); /* r'' <= 2 on a grid */
            CHECK_LESS_EQUAL(value, r->value(w) + 1e-14);
            CHECK(sp_hull_curvature(r, &hull, w) >= 0.0);
            CHECK_LESS_EQUAL(rising, slope + 1e-12);
            rising = slope;
            least = fmin(least, r->curvature(w));
            if (i > 0 && i + 1 < COUNT) {
                const double a = fmax(low, w - 1e-5), b = fmin(high, w + 1e-5);
                CHECK_NEAR((sp_hull_value(r, &hull, b) - sp_hull_value(r, &hull, a)) / (b - a), slope, 3e-5);
            }
        }
        CHECK_LESS_EQUAL(sp_least_curvature(r, low, high), least);
        CHECK_NEAR(sp_least_curvature(r, low, high), least, 5.0 * step);
    }
    const sp_hull point = sp_hull_of(r, 1.3, 1.3);
    CHECK(sp_hull_value(r, &point, 1.3) == r->value(1.3));
    /* the widest box: 0 in the middle, the ends on r */
    const sp_hull cube = sp_hull_of(r, -1e6, 1e6);
    CHECK(sp_hull_value(r, &cube, 0.0) == 0.0);
    CHECK_NEAR(sp_hull_value(r, &cube, 1e6), 1.0, 1e-7);
    gsl_rng_free(stream);
}

/* --- Newton over a box -------------------------------------------------------------------------------------- */

enum { Q = 3 };

typedef struct quadratic {
    double H[Q * Q], slope[Q];
} quadratic;

static sp_status quadratic_gradient(void *context, const double *w, double *out)
{
    const quadratic *q = context;
    for (size_t j = 0; j < Q; j++)
        out[j] = q->slope[j] + cblas_ddot(Q, q->H + j * Q, 1, w, 1);
    return SP_OK;
}

static sp_status quadratic_value(void *context, const double *w, double *out)
{
    const quadratic *q = context;
    double g[Q];
    quadratic_gradient(context, w, g);
    *out = 0.5 * (cblas_ddot(Q, g, 1, w, 1) + cblas_ddot(Q, q->slope, 1, w, 1));
    return SP_OK;
}

static sp_status quadratic_hessian(void *context, const double *w, double *out)
{
    (void)w;
    memcpy(out, ((const quadratic *)context)->H, Q * Q * sizeof *out);
    return SP_OK;
}

/* Convex quadratics, some singular: the point meets the conditions of a minimum over the box, and all bounds hold. */
static void check_newton_box(void)
{
    gsl_rng *stream = landscape_stream("box");
    for (int k = 0; k < 300; k++) {
        quadratic q = { .slope = { 0.0 } };
        double low[Q], high[Q], w[Q], g[Q], scratch[2 * Q * (Q + 2)], A[Q * Q];
        const sp_smooth_function f = { Q, &q, quadratic_value, quadratic_gradient, quadratic_hessian };
        for (size_t i = 0; i < Q * Q; i++)
            A[i] = i < Q && k % 4 == 0 ? 0.0 : gsl_ran_gaussian(stream, 1.0);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, Q, Q, Q, 1.0, A, Q, A, Q, 0.0, q.H, Q);
        for (size_t j = 0; j < Q; j++) {
            q.slope[j] = gsl_ran_gaussian(stream, 1.0);
            low[j] = gsl_ran_gaussian(stream, 1.0);
            high[j] = low[j] + gsl_rng_uniform(stream);
            w[j] = gsl_ran_gaussian(stream, 3.0);
        }
        sp_boxed all, part;
        CHECK(sp_newton_box(&f, low, high, &(sp_box_goal){ 1e-13, INFINITY, -INFINITY }, 60, w, scratch, &all) ==
              SP_OK);
        CHECK_LESS_EQUAL(all.gap, 1e-12);
        CHECK_LESS_EQUAL(all.value - all.lower, 1e-12);
        quadratic_gradient(&q, w, g);
        double again = NAN;
        quadratic_value(&q, w, &again);
        CHECK(again == all.value);
        for (size_t j = 0; j < Q; j++) {
            CHECK(w[j] >= low[j] && w[j] <= high[j]);
            CHECK(fabs(g[j]) <= 1e-6 || (g[j] > 0.0 ? w[j] - low[j] : high[j] - w[j]) <= 1e-6);
        }
        for (int i = 0; i < 200; i++) { /* no point of the box is below the bound */
            double v[Q], value;
            for (size_t j = 0; j < Q; j++)
                v[j] = low[j] + gsl_rng_uniform(stream) * (high[j] - low[j]);
            quadratic_value(&q, v, &value);
            CHECK_LESS_EQUAL(all.lower, value + 1e-13);
        }
        /* what ends it early */
        memcpy(w, low, sizeof w);
        CHECK(sp_newton_box(&f, low, high, &(sp_box_goal){ 0.0, INFINITY, INFINITY }, 60, w, scratch, &part) == SP_OK);
        CHECK(memcmp(w, low, sizeof w) == 0 && part.lower <= all.lower + 1e-12);
        CHECK(sp_newton_box(&f, low, high, &(sp_box_goal){ 0.0, part.lower, -INFINITY }, 60, w, scratch, &part) ==
              SP_OK);
        CHECK(memcmp(w, low, sizeof w) == 0);
    }
    gsl_rng_free(stream);
}

/* --- problems ------------------------------------------------------------------------------------------------ */

static bool certify(sp_problem *p, sp_problem *bare)
{
    sp_setting setting = { .loss = p->loss, .number = p->number, .regulariser = p->regulariser, .lambda = p->lambda,
                           .domain = &p->domain, .n = p->train->n, .features = p->train->d,
                           .radius = p->train->radius, .label_bound = p->train->label_bound };
    bool ok = sp_certify(&setting, &p->certified, NULL) == SP_OK;
    *bare = *p;
    bare->regulariser = setting.regulariser = NULL;
    ok = ok && sp_certify(&setting, &bare->certified, NULL) == SP_OK;
    return ok && sp_branch_fits(p, bare);
}

/* n records in d dimensions, of both labels about evenly; `noise` flips some, so that they are not separable. */
static sp_problem problem_of(sp_dataset *data, gsl_rng *stream, size_t n, size_t d, double noise)
{
    double planted[3];
    CHECK(sp_dataset_new(SP_STORE_DENSE, n, d, 0, true, false, data, NULL) == SP_OK);
    gsl_ran_dir_nd(stream, d, planted);
    for (size_t i = 0; i < n; i++) {
        double *x = sp_dataset_X(data) + i * data->stride;
        for (size_t j = 0; j < d; j++)
            x[j] = gsl_ran_gaussian(stream, j == 0 ? 0.4 : 0.15);
        const double norm = fmax(1.0, cblas_dnrm2((int)d, x, 1));
        cblas_dscal((int)d, 1.0 / norm, x, 1);
        const bool up = (cblas_ddot((int)d, x, 1, planted, 1) > 0.0) != (gsl_rng_uniform(stream) < noise);
        sp_dataset_y(data)[i] = up ? 1.0 : -1.0;
    }
    CHECK(sp_dataset_seal(data, 1.0, 1.0, NULL) == SP_OK);
    return (sp_problem){ .loss = sp_loss_find("logistic"), .regulariser = sp_regulariser_find("nonconvex"),
                         .train = data, .start = (double *)(uintptr_t)nowhere,
                         .domain = { .kind = SP_DOMAIN_SPACE, .d = d, .radius = INFINITY, .norm = INFINITY } };
}

/* --- sublevel sets ------------------------------------------------------------------------------------------ */

/* Points u = v + t z on rays, t where D(u) = e by bisection: within the extents, margins within reach, and H below the
 * Hessian there; further out as convexity has it. */
static void check_sublevel(void)
{
    enum { D = 3, RAYS = 100 };
    gsl_rng *stream = landscape_stream("sublevel");
    size_t found = 0;
    double closest = 0.0, farthest = 0.0;
    for (int k = 0; k < 40; k++) {
        sp_dataset data;
        sp_problem p = problem_of(&data, stream, 200, D, 0.25), f;
        certify(&p, &f);
        sp_workspace *s = sp_workspace_new(&f);
        sp_sublevel level = { 0 };
        CHECK(sp_sublevel_make(&level, &f) == SP_OK);
        double v[D], g[D], work = 1e9;
        const double e = pow(10.0, -4.0 * gsl_rng_uniform(stream) - 0.5);
        for (size_t j = 0; j < D; j++)
            v[j] = gsl_ran_gaussian(stream, 2.0);
        const double here = sp_problem_value(&f, s, v);
        sp_problem_gradient(&f, s, v, g);
        const bool is = sp_sublevel_find(&level, &f, s, v, e, &work);
        CHECK(work < 1e9);
        found += is;
        for (int i = 0; i < RAYS && is; i++) {
            double z[D], u[D], A[D * D], least = NAN;
            gsl_ran_dir_nd(stream, D, z);
            for (double multiple = 1.0; multiple < 40.0; multiple *= 3.0) {
                double t = 0.0;
                for (double step = 4096.0; step > 1e-7; step *= 0.5) {
                    for (size_t j = 0; j < D; j++)
                        u[j] = v[j] + (t + step) * z[j];
                    const double slope = (t + step) * cblas_ddot(D, g, 1, z, 1);
                    t += sp_problem_value(&f, s, u) - here - slope <= multiple * e ? step : 0.0;
                }
                for (size_t j = 0; j < D; j++) {
                    u[j] = v[j] + t * z[j];
                    CHECK_LESS_EQUAL(fabs(t * z[j]), multiple * level.extent[j] + 1e-6);
                    closest = fmax(closest, multiple == 1.0 ? fabs(t * z[j]) / level.extent[j] : 0.0);
                }
                if (multiple > 1.0)
                    continue;
                CHECK(sp_sublevel_holds(&level, &f, s, u));
                sp_problem_hessian(&f, s, u, A);
                for (size_t j = 0; j < D * D; j++)
                    A[j] -= level.H[j];
                CHECK(sp_eigen_smallest(D, A, &least, NULL) == SP_OK && least >= 0.0);
                farthest = fmax(farthest, t);
            }
        }
        for (size_t j = 0; j < D && is; j++) /* far out it does not hold */
            v[j] += 1e3;
        CHECK(!is || !sp_sublevel_holds(&level, &f, s, v));
        sp_sublevel_free(&level);
        sp_workspace_free(s);
        sp_dataset_free(&data);
    }
    CHECK(found > 20 && found < 40 && closest > 0.5 && farthest > 1.0);
    gsl_rng_free(stream);
}

/* --- branch and bound --------------------------------------------------------------------------------------- */

/* Least F found from every point of a grid that is finer about 0, by compass steps from the best of them. */
static double brute_force(const sp_problem *p, sp_workspace *s, double reach)
{
    enum { SIDE = 41, KEPT = 12 };
    const size_t d = sp_problem_d(p), count = d == 1 ? SIDE : d == 2 ? SIDE * SIDE : SIDE * SIDE * SIDE;
    double kept[KEPT][4], least = INFINITY; /* F, w */
    for (size_t k = 0; k < KEPT; k++)
        kept[k][0] = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double w[3] = { 0.0 };
        for (size_t j = 0, rest = i; j < d; j++, rest /= SIDE)
            w[j] = sinh(6.0 * ((double)(rest % SIDE) / (SIDE / 2) - 1.0)) / sinh(6.0) * reach;
        sp_domain_project(&p->domain, w);
        const double value = sp_problem_value(p, s, w);
        size_t worst = 0;
        for (size_t k = 1; k < KEPT; k++)
            worst = kept[k][0] > kept[worst][0] ? k : worst;
        if (value < kept[worst][0]) {
            kept[worst][0] = value;
            memcpy(kept[worst] + 1, w, sizeof w);
        }
    }
    for (size_t k = 0; k < KEPT && isfinite(kept[k][0]); k++)
        for (double step = 1.0; step > 1e-6;) {
            bool fell = false;
            for (size_t j = 0; j < 2 * d; j++) {
                double w[3];
                memcpy(w, kept[k] + 1, sizeof w);
                w[j / 2] += j % 2 ? step : -step;
                sp_domain_project(&p->domain, w);
                const double value = sp_problem_value(p, s, w);
                if (value < kept[k][0]) {
                    kept[k][0] = value;
                    memcpy(kept[k] + 1, w, sizeof w);
                    fell = true;
                }
            }
            step *= fell ? 1.0 : 0.5;
            least = fmin(least, kept[k][0]);
        }
    return least;
}

/* Where F without its regulariser is least; a new array. */
static double *minimiser_of(const sp_problem *bare)
{
    sp_reference r;
    gsl_rng *stream = landscape_stream("bare");
    CHECK(sp_reference_compute(bare, 1, stream, &r, NULL) == SP_OK);
    gsl_rng_free(stream);
    return r.minimiser;
}

static void check_branch(void)
{
    enum { PROBLEMS = 60 };
    gsl_rng *stream = landscape_stream("branch");
    size_t moved = 0, closed = 0, below = 0;
    for (int k = 0; k < PROBLEMS; k++) {
        const size_t d = 1 + (size_t)k % 3, n = 20 + 15 * (size_t)(k % 4);
        sp_dataset data;
        sp_problem p = problem_of(&data, stream, n, d, k % 5 == 4 ? 0.0 : 0.15), bare;
        p.lambda = pow(10.0, -1.0 - 2.0 * gsl_rng_uniform(stream));
        if (k % 7 == 3)
            p.domain = (sp_domain){ .kind = SP_DOMAIN_BOX, .d = d, .low = -4.1, .high = 2.3,
                                    .norm = 4.1 * sqrt((double)d), .radius = 4.1 * sqrt((double)d) };
        CHECK(certify(&p, &bare));
        sp_workspace *s = sp_workspace_new(&p);
        double w[3], again[3], far[3] = { 0.0 };
        double *bottom = minimiser_of(&bare);
        for (size_t j = 0; j < d; j++)
            w[j] = gsl_ran_gaussian(stream, 1.0);
        sp_domain_project(&p.domain, w);
        memcpy(again, w, sizeof w);
        memcpy(far, w, sizeof w);
        const double start = sp_problem_value(&p, s, w), least = fmin(start, brute_force(&p, s, 300.0));
        sp_branch_result r, same, little;
        CHECK(sp_branch(&p, &bare, s, 1e-7, 1e9, bottom, w, &r) == SP_OK);
        CHECK_LESS_EQUAL(r.lower, least + 1e-12);
        CHECK_LESS_EQUAL(r.lower, r.value);
        CHECK(r.value == sp_problem_value(&p, s, w) && r.value <= start && sp_domain_contains(&p.domain, w));
        /* separable: F without its regulariser has no minimiser, and no box holds all points with F <= value */
        const bool none = p.domain.kind == SP_DOMAIN_SPACE && sp_problem_value(&bare, s, bottom) < 1e-6;
        SP_CHECK_REPORT(none ? r.lower == -INFINITY : r.value - r.lower <= 1e-7 && r.value <= least + 1e-7,
                        "problem %d, d = %zu: gap %g after %zu boxes, brute force %.12f, value %.12f", k, d,
                        r.value - r.lower, r.boxes, least, r.value);
        closed += !none && r.boxes > 3;
        moved += r.value < start - 1e-3;
        CHECK(sp_branch(&p, &bare, s, 1e-7, 1e9, bottom, again, &same) == SP_OK);
        CHECK(memcmp(w, again, d * sizeof *w) == 0 && memcmp(&r.lower, &same.lower, sizeof r.lower) == 0 &&
              r.boxes == same.boxes);
        /* asked for less, or stopped early, it is a bound all the same */
        memcpy(again, far, sizeof again);
        CHECK(sp_branch(&p, &bare, s, 2.0 * p.lambda, 1e9, bottom, again, &same) == SP_OK);
        CHECK_LESS_EQUAL(same.lower, least + 1e-12);
        CHECK(none || same.value - same.lower <= 2.0 * p.lambda);
        below += !none && same.lower < least - 1e-6;
        CHECK(sp_branch(&p, &bare, s, 1e-7, 2e4 * (double)(n * d), bottom, far, &little) == SP_OK);
        CHECK_LESS_EQUAL(little.lower, least + 1e-12);
        CHECK(little.boxes <= r.boxes);
        free(bottom);
        sp_workspace_free(s);
        sp_dataset_free(&data);
    }
    CHECK(moved > PROBLEMS / 4 && closed > PROBLEMS / 4 && below > PROBLEMS / 8);
    gsl_rng_free(stream);
}

static void check_fits(void)
{
    gsl_rng *stream = landscape_stream("fits");
    sp_dataset data;
    sp_problem p = problem_of(&data, stream, 9, 2, 0.2), bare, other;
    p.lambda = 0.01;
    CHECK(certify(&p, &bare));
    other = p;
    other.lambda = 0.0;
    CHECK(!sp_branch_fits(&other, &bare));
    other = p;
    other.regulariser = sp_regulariser_find("l2");
    CHECK(!sp_branch_fits(&other, &bare));
    other = p;
    other.domain = (sp_domain){ .kind = SP_DOMAIN_L2_BALL, .d = 2, .radius = 1.0, .norm = 1.0 };
    CHECK(!sp_branch_fits(&other, &bare));
    other = bare;
    other.certified.convex = false;
    CHECK(!sp_branch_fits(&p, &other));
    sp_dataset_free(&data);
    gsl_rng_free(stream);
}

/* --- jumps -------------------------------------------------------------------------------------------------- */

static void check_jumps(void)
{
    gsl_rng *stream = landscape_stream("jump");
    static const char *const losses[] = { "logistic", "sigmoid" };
    double seen[2 * SP_PLACES];
    for (size_t k = 0; k < SP_PLACES; k++)
        seen[k] = fabs(sp_jump_place(k));
    CHECK(seen[0] == 0.0 && seen[1] == 0.5 && seen[2] == 0.5 && seen[SP_PLACES - 1] == 64.0 &&
          sp_jump_place(3) == -sp_jump_place(4));
    for (size_t l = 0; l < 2; l++) {
        sp_dataset data;
        sp_problem p = problem_of(&data, stream, 600, 3, 0.2), bare;
        for (size_t i = 0; i < 600; i += 2) /* some entries are 0 */
            sp_dataset_X(&data)[i * data.stride + i % 3] = 0.0;
        CHECK(sp_dataset_seal(&data, 1.0, 1.0, NULL) == SP_OK);
        p.loss = sp_loss_find(losses[l]);
        p.lambda = 0.0173;
        certify(&p, &bare);
        CHECK(sp_jump_fits(&p) && !sp_jump_fits(&bare));
        CHECK(sp_jump_leaves(&p, 0.3, 1.0) && sp_jump_leaves(&p, 2.0, -2.0) && !sp_jump_leaves(&p, 2.0, 30.0) &&
              !sp_jump_leaves(&p, 0.5, -0.5));
        sp_workspace *s = sp_workspace_new(&p);
        const double w[3] = { 0.385, -2.17, 11.3 }, here = sp_problem_value(&p, s, w);
        double change[3 * SP_PLACES];
        sp_jump_changes(&p, s, w, change);
        for (size_t i = 0; i < 3 * SP_PLACES; i++) {
            double v[3];
            memcpy(v, w, sizeof v);
            v[i / SP_PLACES] = sp_jump_place(i % SP_PLACES);
            CHECK_NEAR(change[i], sp_problem_value(&p, s, v) - here, 1e-13);
        }
        sp_workspace_free(s);
        sp_dataset_free(&data);
    }
    gsl_rng_free(stream);
}

int main(void)
{
    check_shapes();
    check_hull();
    check_newton_box();
    check_sublevel();
    check_branch();
    check_fits();
    check_jumps();
    return sp_check_done();
}
