/* domain.c -- every kind: projection by its variational inequality and by brute force, linear minimisation by search,
 * vertices, sizes, extreme scales, names and messages. */
#include "core/numeric/stream.h"
#include "core/data/domain.h"
#include "tests/check.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_randist.h>
#include <stdlib.h>

enum { D = 7, MOST = 300 };
static const double radius = 2.385;

typedef struct keys {
    double radius, p, low, high; /* NAN: not given */
    const char *vertices;        /* NULL: not given */
} keys;
static const keys none = { NAN, NAN, NAN, NAN, NULL };

static sp_status make(const char *name, size_t d, keys k, sp_domain *out, sp_error *error)
{
    const struct { const char *key; double number; } numbers[] = { { "radius", k.radius }, { "p", k.p },
                                                                   { "low", k.low }, { "high", k.high } };
    sp_values values;
    sp_values_start(&values, sp_domain_params);
    for (size_t i = 0; i < 4; i++)
        if (!isnan(numbers[i].number)) {
            const sp_status status =
                sp_values_set_number(&values, "problem.domain", numbers[i].key, numbers[i].number, error);
            if (status != SP_OK)
                return status;
        }
    if (k.vertices)
        CHECK_EQUAL(sp_values_set_text(&values, "problem.domain", "vertices", k.vertices, error), SP_OK);
    return sp_domain_make(name, &values, d, out, error);
}

static sp_domain made(const char *name, size_t d, keys k)
{
    sp_domain domain;
    sp_error error = { .text = "" };
    SP_CHECK_REPORT(make(name, d, k, &domain, &error) == SP_OK, "%s: %s", name, error.text);
    return domain;
}

static sp_domain ball(const char *name, size_t d, double r)
{
    return made(name, d, (keys){ r, NAN, NAN, NAN, NULL });
}

static sp_domain lp(size_t d, double r, double p)
{
    return made("lp_ball", d, (keys){ r, p, NAN, NAN, NULL });
}

static sp_domain box(size_t d, double low, double high)
{
    return made("box", d, (keys){ NAN, NAN, low, high, NULL });
}

/* A polytope of these points, as sp_domain_make would have made it. */
static sp_domain polytope(size_t d, size_t count, const double *vertex)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < count * d; i++)
        fprintf(out, "%s%.17g", i == 0 ? "" : i % d ? " " : ";", vertex[i]);
    fclose(out);
    const sp_domain domain = made("polytope", d, (keys){ NAN, NAN, NAN, NAN, text });
    free(text);
    return domain;
}

/* --- making ------------------------------------------------------------------------------------------------------- */

static void refused(const char *name, keys k, const char *part)
{
    sp_domain domain = { 0 };
    sp_error error = { .text = "" };
    CHECK_EQUAL(make(name, 3, k, &domain, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, part);
    CHECK_CONTAINS(error.text, "problem.domain");
    CHECK(domain.vertex == NULL);
}

static void test_make(void)
{
    static const char *const names[] = { "space", "l2_ball", "l1_ball", "lp_ball", "simplex", "box", "polytope" };
    for (size_t i = 0; i < 7; i++) {
        CHECK_TEXT(sp_domain_names[i], names[i]);
        CHECK(sp_domain_formulas[i] && sp_domain_formulas[i][0]);
    }
    CHECK(sp_domain_names[7] == NULL && sp_domain_formulas[7] == NULL);

    const sp_domain space = made("space", D, none), two = ball("l2_ball", D, radius), one = ball("l1_ball", D, radius);
    const sp_domain p = lp(D, radius, 1.37), simplex = ball("simplex", D, radius), cube = box(D, -0.75, 2.5);
    CHECK(space.kind == SP_DOMAIN_SPACE && isinf(space.radius) && isinf(space.norm));
    CHECK(isinf(sp_domain_diameter(&space)));
    CHECK(two.kind == SP_DOMAIN_L2_BALL && two.d == D && two.radius == radius && two.norm == radius);
    CHECK(one.kind == SP_DOMAIN_L1_BALL && one.radius == radius && one.norm == radius);
    CHECK(p.kind == SP_DOMAIN_LP_BALL && p.p == 1.37 && p.radius == radius && p.norm == radius);
    CHECK(simplex.kind == SP_DOMAIN_SIMPLEX && simplex.radius == radius && simplex.norm == radius);
    CHECK(cube.kind == SP_DOMAIN_BOX && cube.low == -0.75 && cube.high == 2.5);
    CHECK_NEAR(cube.norm, 2.5 * sqrt(7.0), 1e-14);
    CHECK_NEAR(sp_domain_diameter(&two), 4.77, 1e-15);
    CHECK_NEAR(sp_domain_diameter(&one), 4.77, 1e-15);
    CHECK_NEAR(sp_domain_diameter(&p), 4.77, 1e-15);
    CHECK_NEAR(sp_domain_diameter(&simplex), radius * sqrt(2.0), 1e-15);
    CHECK_NEAR(sp_domain_diameter(&cube), 3.25 * sqrt(7.0), 1e-14);
    const sp_domain point = ball("simplex", 1, radius);
    CHECK(sp_domain_diameter(&point) == 0.0);

    sp_domain corners = made("polytope", 2, (keys){ NAN, NAN, NAN, NAN, "0.25 -1;\t3.5 1e0 ;0 2\n" });
    CHECK(corners.kind == SP_DOMAIN_POLYTOPE && corners.vertices == 3);
    const double expected[] = { 0.25, -1.0, 3.5, 1.0, 0.0, 2.0 };
    CHECK(memcmp(corners.vertex, expected, sizeof expected) == 0);
    CHECK_NEAR(corners.norm, sqrt(3.5 * 3.5 + 1.0), 1e-14);
    CHECK_NEAR(sp_domain_diameter(&corners), sqrt(3.25 * 3.25 + 4.0), 1e-14);
    sp_domain_free(&corners);
    CHECK(corners.vertex == NULL);
    sp_domain_free(&(sp_domain){ 0 });

    refused("l2_ball", none, "problem.domain.radius: missing (l2_ball needs it)");
    refused("lp_ball", (keys){ radius, NAN, NAN, NAN, NULL }, "problem.domain.p: missing");
    refused("box", (keys){ NAN, NAN, -1.0, NAN, NULL }, "problem.domain.high: missing");
    refused("polytope", none, "problem.domain.vertices: missing");
    refused("space", (keys){ radius, NAN, NAN, NAN, NULL }, "problem.domain.radius = 2.385: space takes none");
    refused("l2_ball", (keys){ radius, 1.5, NAN, NAN, NULL }, "problem.domain.p = 1.5");
    refused("box", (keys){ NAN, NAN, -1.0, 1.0, "0 0 0" }, "problem.domain.vertices = 0 0 0: box");
    refused("box", (keys){ NAN, NAN, 1.5, 1.5, NULL }, "problem.domain.low = 1.5: not below high = 1.5");
    refused("lp_ball", (keys){ radius, 1.0, NAN, NAN, NULL }, "problem.domain.p = 1");
    refused("lp_ball", (keys){ radius, 2.5, NAN, NAN, NULL }, "problem.domain.p = 2.5");
    refused("l1_ball", (keys){ -1.0, NAN, NAN, NAN, NULL }, "problem.domain.radius = -1");
    refused("l2_bal", none, "\"l2_bal\": there is no such domain (did you mean l2_ball?)");
    refused("polytop", none, "did you mean polytope?");
    refused("polytope", (keys){ NAN, NAN, NAN, NAN, "0 0 0; 1 0.x 0" }, "vertex 2, word 2 = \"0.x\"");
    refused("polytope", (keys){ NAN, NAN, NAN, NAN, "0 0 0; 1 inf 0" }, "vertex 2, word 2 = \"inf\"");
    refused("polytope", (keys){ NAN, NAN, NAN, NAN, "0 0 0; 1 0" }, "vertex 2 has 2 entries, the problem has d = 3");
    refused("polytope", (keys){ NAN, NAN, NAN, NAN, "0 0 0 7 8" }, "vertex 1 has 5 entries");
    refused("polytope", (keys){ NAN, NAN, NAN, NAN, "0 0 0;" }, "vertex 2 has 0 entries");
    refused("polytope", (keys){ NAN, NAN, NAN, NAN, "" }, "vertices");
    char many[65 * 6 + 1] = "";
    for (int i = 0; i < 65; i++)
        strcat(many, i ? ";1 2 3" : "1 2 3");
    refused("polytope", (keys){ NAN, NAN, NAN, NAN, many }, "problem.domain.vertices: 65 of them, at most 64");
}

/* --- points by the definition ------------------------------------------------------------------------------------- */

static double norm_of(size_t d, double p, const double *w)
{
    long double sum = 0.0L;
    for (size_t j = 0; j < d; j++)
        sum += powl(fabsl((long double)w[j]), p);
    return (double)powl(sum, 1.0L / p);
}

/* A random point of the domain, often at its boundary. */
static void inside(const sp_domain *domain, gsl_rng *stream, double *v)
{
    const size_t d = domain->d;
    const double depth = gsl_rng_uniform(stream) < 0.5 ? 1.0 : gsl_rng_uniform(stream);
    double p = 2.0, sum = 0.0, weight[SP_POLYTOPE_MAX];
    switch (domain->kind) {
    case SP_DOMAIN_BOX:
        for (size_t j = 0; j < d; j++)
            v[j] = domain->low + (domain->high - domain->low) * fmin(1.0, 1.3 * gsl_rng_uniform(stream));
        return;
    case SP_DOMAIN_SIMPLEX:
        for (size_t j = 0; j < d; j++)
            sum += v[j] = gsl_rng_uniform(stream) < 0.5 && j > 0 ? 0.0 : gsl_ran_exponential(stream, 1.0);
        for (size_t j = 0; j < d; j++)
            v[j] *= domain->radius / sum;
        return;
    case SP_DOMAIN_POLYTOPE:
        memset(v, 0, d * sizeof *v);
        for (size_t k = 0; k < domain->vertices; k++)
            sum += weight[k] = gsl_rng_uniform(stream) < 0.5 && k > 0 ? 0.0 : gsl_ran_exponential(stream, 1.0);
        for (size_t k = 0; k < domain->vertices; k++)
            cblas_daxpy((int)d, weight[k] / sum, domain->vertex + k * d, 1, v, 1);
        return;
    case SP_DOMAIN_L1_BALL:
        p = 1.0;
        break;
    case SP_DOMAIN_LP_BALL:
        p = domain->p;
        break;
    default:
        break;
    }
    for (size_t j = 0; j < d; j++)
        v[j] = pow(fabs(gsl_ran_gaussian(stream, 1.0)), 1.0 + 2.0 * gsl_rng_uniform(stream)) *
               (gsl_rng_uniform(stream) < 0.5 ? -1.0 : 1.0);
    cblas_dscal((int)d, domain->radius * depth / norm_of(d, p, v), v, 1);
}

static double gap_at(size_t d, const double *w, const double *p, const double *v)
{
    long double sum = 0.0L;
    for (size_t j = 0; j < d; j++)
        sum += ((long double)w[j] - p[j]) * ((long double)v[j] - p[j]);
    return (double)sum;
}

/* p = P(w) exactly when p is in the domain and <w - p, v - p> <= 0 for all v in it; the sup by random v and by the
 * minimiser of <p - w, v>. */
static void check_projection(const sp_domain *domain, gsl_rng *stream, const double *w, double tolerance,
                             double moves)
{
    const size_t d = domain->d;
    double p[MOST], v[MOST], g[MOST], worst = -INFINITY, size = domain->norm;
    memcpy(p, w, d * sizeof *p);
    sp_domain_project(domain, p);
    SP_CHECK_REPORT(sp_domain_contains(domain, p), "%s: the projection is outside", sp_domain_names[domain->kind]);
    for (size_t j = 0; j < d; j++) {
        g[j] = p[j] - w[j];
        size = fmax(size, fabs(g[j]));
    }
    if (cblas_dnrm2((int)d, g, 1) == 0.0)
        return;
    for (int other = 0; other < 20; other++) {
        inside(domain, stream, v);
        worst = fmax(worst, gap_at(d, w, p, v));
    }
    CHECK_EQUAL(sp_domain_linear_minimise(domain, g, v), SP_OK);
    worst = fmax(worst, gap_at(d, w, p, v));
    for (size_t k = 0; k < sp_domain_vertices(domain); k++) {
        sp_domain_vertex(domain, k, v);
        worst = fmax(worst, gap_at(d, w, p, v));
    }
    SP_CHECK_REPORT(worst <= tolerance * size * domain->norm, "%s, d = %zu, p = %g: gap %.3g of %.3g",
                    sp_domain_names[domain->kind], d, domain->p, worst, size * domain->norm);
    memcpy(v, p, d * sizeof *v);
    sp_domain_project(domain, v); /* once is enough, to the bit where moves = 0 */
    for (size_t j = 0; j < d; j++)
        CHECK_NEAR(v[j], p[j], moves * domain->norm);
}

/* m is a minimiser of <g, .>: better than random points and all vertices, in the domain, and the first of equals. */
static void check_minimiser(const sp_domain *domain, gsl_rng *stream, const double *g)
{
    const size_t d = domain->d;
    double m[MOST], v[MOST], least = INFINITY, first[MOST];
    CHECK_EQUAL(sp_domain_linear_minimise(domain, g, m), SP_OK);
    CHECK(sp_domain_contains(domain, m));
    const double got = cblas_ddot((int)d, g, 1, m, 1), slack = 1e-12 * cblas_dnrm2((int)d, g, 1) * domain->norm;
    for (int other = 0; other < 50; other++) {
        inside(domain, stream, v);
        CHECK_LESS_EQUAL(got, cblas_ddot((int)d, g, 1, v, 1) + slack);
    }
    for (size_t k = 0; k < sp_domain_vertices(domain); k++) {
        sp_domain_vertex(domain, k, v);
        const double value = cblas_ddot((int)d, g, 1, v, 1);
        CHECK(sp_domain_contains(domain, v));
        CHECK_NEAR(sp_domain_vertex_dot(domain, k, g), value, slack);
        if (value < least - (domain->kind == SP_DOMAIN_POLYTOPE ? 0.0 : slack)) {
            least = value;
            memcpy(first, v, sizeof first);
        }
    }
    if (domain->kind == SP_DOMAIN_POLYTOPE) /* of vertices that nearly coincide any is good */
        CHECK_LESS_EQUAL(got, least + slack);
    else if (isfinite(least))
        CHECK(memcmp(m, first, d * sizeof *m) == 0);
}

static void check_domain(const sp_domain *domain, gsl_rng *stream, int trials, double tolerance,
                         double moves)
{
    double w[MOST];
    const size_t d = domain->d;
    for (int trial = 0; trial < trials; trial++) {
        const double size = domain->norm * pow(10.0, 4.0 * gsl_rng_uniform(stream) - 2.0);
        for (size_t j = 0; j < d; j++)
            w[j] = size * gsl_ran_gaussian(stream, 1.0);
        if (trial % 3 == 0) /* ties */
            for (size_t j = 1; j < d; j += 2)
                w[j] = w[0];
        check_projection(domain, stream, w, tolerance, moves);
        check_minimiser(domain, stream, w);
        inside(domain, stream, w);
        double same[MOST];
        memcpy(same, w, d * sizeof *w);
        CHECK(sp_domain_contains(domain, w));
        sp_domain_project(domain, w);
        for (size_t j = 0; j < d; j++)
            CHECK_NEAR(w[j], same[j], moves * domain->norm);
        for (size_t j = 0; j < d; j++) /* just outside */
            w[j] *= 1.0 + 1e-6;
        check_projection(domain, stream, w, tolerance, moves);
    }
    memset(w, 0, d * sizeof *w);
    check_minimiser(domain, stream, w);
    const double broken[] = { NAN, INFINITY, -INFINITY };
    for (size_t i = 0; i < 3; i++) { /* what is not finite stays so */
        double v[MOST], same[MOST];
        inside(domain, stream, w);
        w[d / 2] = broken[i];
        memcpy(same, w, d * sizeof *w);
        sp_domain_project(domain, w);
        CHECK(memcmp(w, same, d * sizeof *w) == 0);
        CHECK(!sp_domain_contains(domain, w));
        CHECK_EQUAL(sp_domain_linear_minimise(domain, w, v), SP_ENUMERIC);
    }
}

static void test_kinds(gsl_rng *stream)
{
    const size_t dimensions[] = { 1, 2, 3, D, 60 };
    for (size_t i = 0; i < 5; i++) {
        const size_t d = dimensions[i];
        const sp_domain domains[] = { ball("l2_ball", d, radius), ball("l1_ball", d, radius),
                                      ball("simplex", d, radius), lp(d, radius, 1.03),
                                      lp(d, radius, 1.25),        lp(d, radius, 1.7),
                                      lp(d, 0.1, 2.0),            box(d, -0.75, 2.5),
                                      box(d, 1.125, 1.5) };
        for (size_t k = 0; k < sizeof domains / sizeof *domains; k++)
            if (domains[k].kind != SP_DOMAIN_BOX || d <= D || d > 20)
                check_domain(&domains[k], stream, 15, 1e-13, 0.0);
    }
    const sp_domain large = box(21, 0.0, 1.0), cube = box(20, 0.0, 1.0), two = ball("l2_ball", 3, 1.0);
    CHECK_EQUAL(sp_domain_vertices(&large), 0);
    CHECK_EQUAL(sp_domain_vertices(&cube), 1048576);
    CHECK_EQUAL(sp_domain_vertices(&two), 0);
    /* the order that the header promises */
    const sp_domain one = ball("l1_ball", 3, 0.7), simplex = ball("simplex", 3, 0.7), small = box(3, -1.5, 0.25);
    double v[3];
    sp_domain_vertex(&one, 2, v);
    CHECK(v[0] == 0.0 && v[1] == 0.7 && v[2] == 0.0);
    sp_domain_vertex(&one, 5, v);
    CHECK(v[0] == 0.0 && v[1] == 0.0 && v[2] == -0.7);
    sp_domain_vertex(&simplex, 1, v);
    CHECK(v[0] == 0.0 && v[1] == 0.7 && v[2] == 0.0);
    sp_domain_vertex(&small, 6, v);
    CHECK(v[0] == -1.5 && v[1] == 0.25 && v[2] == 0.25);
    /* just outside what is forgiven */
    const double near[] = { 0.7 * (1.0 + 5e-13), 0.0, 0.0 }, out[] = { 0.7 * (1.0 + 2e-12), 0.0, 0.0 };
    CHECK(sp_domain_contains(&one, near) && !sp_domain_contains(&one, out));
    CHECK(sp_domain_contains(&simplex, near) && !sp_domain_contains(&simplex, out));
    CHECK(!sp_domain_contains(&simplex, (const double[]){ 0.7 + 1e-9, -1e-9, 0.0 }));
    CHECK(!sp_domain_contains(&simplex, (const double[]){ 0.35, 0.34, 0.0 }));
}

static void test_space(void)
{
    const sp_domain domain = made("space", D, none);
    double w[D] = { 1e300, -2.385, 0.5, 3e8, -1e-300, 7.25, 0.0 }, before[D], v[D];
    memcpy(before, w, sizeof w);
    CHECK(sp_domain_contains(&domain, w));
    sp_domain_project(&domain, w);
    CHECK(memcmp(w, before, sizeof w) == 0);
    CHECK_EQUAL(sp_domain_linear_minimise(&domain, w, v), SP_EUNSUPPORTED);
    CHECK_EQUAL(sp_domain_vertices(&domain), 0);
    w[D - 1] = INFINITY;
    CHECK(!sp_domain_contains(&domain, w));
}

/* --- brute force -------------------------------------------------------------------------------------------------- */

/* Projection onto the simplex by trying every support: w_j - theta on it, theta from the sum; the nearest feasible. */
static void simplex_by_supports(size_t d, double r, const double *w, double *best)
{
    double least = INFINITY;
    for (size_t support = 1; support < (size_t)1 << d; support++) {
        double sum = -r, count = 0.0, v[D], distance = 0.0;
        bool feasible = true;
        for (size_t j = 0; j < d; j++)
            if (support >> j & 1) {
                sum += w[j];
                count += 1.0;
            }
        for (size_t j = 0; j < d; j++) {
            v[j] = support >> j & 1 ? w[j] - sum / count : 0.0;
            feasible = feasible && v[j] >= 0.0;
            distance += (w[j] - v[j]) * (w[j] - v[j]);
        }
        if (feasible && distance < least) {
            least = distance;
            memcpy(best, v, d * sizeof *v);
        }
    }
}

/* The nearest point of a polytope, d <= 3: of the projections onto the affine hulls of all sets of at most 4 vertices
 * that land in the set's hull (Gram-Schmidt by hand; Caratheodory: one of them is it). */
static double polytope_by_faces(size_t d, size_t count, const double *vertex, const double *w)
{
    double best = INFINITY;
    for (size_t set = 1; set < (size_t)1 << count; set++) {
        size_t member[4], size = 0;
        for (size_t k = 0; k < count && size <= 4; k++)
            if (set >> k & 1) {
                if (size < 4)
                    member[size] = k;
                size++;
            }
        if (size > 4 || size > d + 1)
            continue;
        /* weights of the affine projection: solve the bordered normal equations by elimination */
        double A[5][6] = { { 0 } };
        for (size_t i = 0; i < size; i++) {
            for (size_t k = 0; k < size; k++)
                A[i][k] = cblas_ddot((int)d, vertex + member[i] * d, 1, vertex + member[k] * d, 1);
            A[i][size] = A[size][i] = 1.0;
            A[i][size + 1] = cblas_ddot((int)d, vertex + member[i] * d, 1, w, 1);
        }
        A[size][size + 1] = 1.0;
        bool good = true;
        for (size_t c = 0; c <= size && good; c++) {
            size_t pivot = c;
            for (size_t i = c; i <= size; i++)
                if (fabs(A[i][c]) > fabs(A[pivot][c]))
                    pivot = i;
            good = fabs(A[pivot][c]) > 1e-10;
            for (size_t k = 0; k < size + 2; k++) {
                const double t = A[c][k];
                A[c][k] = A[pivot][k];
                A[pivot][k] = t;
            }
            for (size_t i = 0; i <= size && good; i++)
                for (size_t k = size + 2; i != c && k-- > c;)
                    A[i][k] -= A[i][c] / A[c][c] * A[c][k];
        }
        double x[3] = { 0 }, distance = 0.0;
        for (size_t i = 0; i < size && good; i++) {
            const double weight = A[i][size + 1] / A[i][i];
            good = weight >= -1e-12;
            cblas_daxpy((int)d, weight, vertex + member[i] * d, 1, x, 1);
        }
        for (size_t j = 0; j < d; j++)
            distance = hypot(distance, x[j] - w[j]);
        if (good)
            best = fmin(best, distance);
    }
    return best;
}

static void test_brute_force(gsl_rng *stream)
{
    for (int trial = 0; trial < 200; trial++) {
        const size_t d = 1 + (size_t)trial % D;
        double w[D], p[D], best[D], signs[D];
        const sp_domain simplex = ball("simplex", d, radius), one = ball("l1_ball", d, radius);
        for (size_t j = 0; j < d; j++)
            w[j] = 3.0 * gsl_ran_gaussian(stream, 1.0);
        simplex_by_supports(d, radius, w, best);
        memcpy(p, w, sizeof p);
        sp_domain_project(&simplex, p);
        for (size_t j = 0; j < d; j++)
            CHECK_NEAR(p[j], best[j], 1e-14);
        if (norm_of(d, 1.0, w) <= radius)
            continue;
        for (size_t j = 0; j < d; j++)
            signs[j] = fabs(w[j]);
        simplex_by_supports(d, radius, signs, best);
        memcpy(p, w, sizeof p);
        sp_domain_project(&one, p);
        for (size_t j = 0; j < d; j++)
            CHECK_NEAR(p[j], copysign(best[j], w[j]), 1e-14);
    }
    for (int trial = 0; trial < 60; trial++) {
        const size_t d = 1 + (size_t)trial % 3, count = 1 + (size_t)trial % 9;
        double vertex[27], w[3], p[3], distance = 0.0;
        for (size_t i = 0; i < count * d; i++)
            vertex[i] = gsl_ran_gaussian(stream, 1.0);
        for (size_t j = 0; j < d; j++)
            p[j] = w[j] = 2.0 * gsl_ran_gaussian(stream, 1.0);
        sp_domain domain = polytope(d, count, vertex);
        sp_domain_project(&domain, p);
        for (size_t j = 0; j < d; j++)
            distance = hypot(distance, p[j] - w[j]);
        CHECK_NEAR(distance, polytope_by_faces(d, count, vertex, w), 1e-9);
        sp_domain_free(&domain);
    }
}

/* --- polytopes that are others, flat ones, repeated and nearly repeated vertices ---------------------------------- */

static void test_polytopes(gsl_rng *stream)
{
    double vertex[SP_POLYTOPE_MAX * MOST], w[MOST], p[MOST], v[MOST];
    const sp_domain others[] = { ball("l1_ball", 30, radius), ball("simplex", 41, radius), box(6, -0.75, 2.5),
                                 box(5, 1.125, 1.5), ball("simplex", 1, radius) };
    for (size_t i = 0; i < 5; i++) {
        const size_t d = others[i].d, count = sp_domain_vertices(&others[i]);
        for (size_t k = 0; k < count; k++)
            sp_domain_vertex(&others[i], k, vertex + k * d);
        sp_domain same = polytope(d, count, vertex);
        CHECK_NEAR(same.norm, others[i].norm, 1e-14);
        CHECK_NEAR(sp_domain_diameter(&same), sp_domain_diameter(&others[i]), 1e-14);
        for (int trial = 0; trial < 20; trial++) {
            for (size_t j = 0; j < d; j++)
                w[j] = 0.2 * (trial + 1) * gsl_ran_gaussian(stream, 1.0);
            memcpy(p, w, d * sizeof *p);
            memcpy(v, w, d * sizeof *v);
            sp_domain_project(&same, p);
            sp_domain_project(&others[i], v);
            for (size_t j = 0; j < d; j++)
                CHECK_NEAR(p[j], v[j], 1e-12);
            CHECK_EQUAL(sp_domain_contains(&same, w), sp_domain_contains(&others[i], w));
        }
        check_domain(&same, stream, 6, 1e-12, 1e-13);
        sp_domain_free(&same);
    }
    for (int trial = 0; trial < 24; trial++) {
        const size_t d = (const size_t[]){ 2, 3, 10, 50 }[trial % 4], count = trial % 3 ? SP_POLYTOPE_MAX : 17;
        for (size_t i = 0; i < count * d; i++)
            vertex[i] = gsl_ran_gaussian(stream, 1.0) + (trial % 5 == 0 ? 3.0 : 0.0);
        if (trial % 4 == 1) /* flat */
            for (size_t k = 0; k < count; k++)
                vertex[k * d] = 0.5 - vertex[k * d + 1];
        for (size_t k = count / 2; trial % 3 == 1 && k < count; k++) /* nearly repeated, by 0 to 1e-5 */
            for (size_t j = 0; j < d; j++)
                vertex[k * d + j] = vertex[(k - count / 2) * d + j] +
                                    (k % 2 ? pow(10.0, -5.0 - (double)(k % 13)) * gsl_ran_gaussian(stream, 1.0) : 0.0);
        sp_domain domain = polytope(d, count, vertex);
        check_domain(&domain, stream, 6, 1e-12, trial % 3 == 1 ? 1e-7 : 1e-12);
        sp_domain_free(&domain);
    }
    const double point[] = { 0.5, -2.0, 0.5, -2.0 };
    sp_domain repeated = polytope(2, 2, point);
    check_domain(&repeated, stream, 5, 1e-12, 0.0);
    CHECK(sp_domain_diameter(&repeated) == 0.0);
    sp_domain_free(&repeated);
    const double twice[] = { 0.25, 0.25, 0.5, -2.0, 0.5, -2.0 + 1e-15 }; /* <g, .> is the same: the first of both */
    sp_domain equal = polytope(2, 3, twice);
    CHECK_EQUAL(sp_domain_linear_minimise(&equal, (const double[]){ -2.0, 0.0 }, p), SP_OK);
    CHECK(p[0] == 0.5 && p[1] == -2.0);
    sp_domain_free(&equal);
}

/* --- scales ------------------------------------------------------------------------------------------------------- */

/* Projections are homogeneous: scaling domain and point by a power of two scales the answer; far away they tend to the
 * linear minimiser of -w. */
static void test_scales(gsl_rng *stream)
{
    static const int exponents[] = { -990, -500, -60, 60, 500, 990 };
    double w[D], unit[D], p[D], vertex[9 * D], scaled[9 * D];
    for (int trial = 0; trial < 6; trial++) {
        const double t = ldexp(1.0, exponents[trial]);
        for (size_t i = 0; i < 9 * D; i++) {
            vertex[i] = gsl_ran_gaussian(stream, 1.0);
            scaled[i] = t * vertex[i];
        }
        sp_domain base[] = { ball("l2_ball", D, 0.6), ball("l1_ball", D, 0.6), ball("simplex", D, 0.6), lp(D, 0.6, 1.3),
                             box(D, -0.3, 0.2), polytope(D, 9, vertex) };
        sp_domain large[] = { ball("l2_ball", D, 0.6 * t), ball("l1_ball", D, 0.6 * t), ball("simplex", D, 0.6 * t),
                              lp(D, 0.6 * t, 1.3), box(D, -0.3 * t, 0.2 * t), polytope(D, 9, scaled) };
        for (size_t k = 0; k < 6; k++)
            for (int repeat = 0; repeat < 5; repeat++) {
                for (size_t j = 0; j < D; j++) {
                    unit[j] = gsl_ran_gaussian(stream, 1.0);
                    w[j] = t * unit[j];
                }
                sp_domain_project(&base[k], unit);
                sp_domain_project(&large[k], w);
                for (size_t j = 0; j < D; j++)
                    CHECK_NEAR(w[j] / t, unit[j], 1e-13);
            }
        for (size_t j = 0; j < D; j++)
            unit[j] = gsl_ran_gaussian(stream, 1.0);
        for (size_t k = 0; k < 5; k++) { /* the domain at its scale, the point at 1e300 */
            for (size_t j = 0; j < D; j++) {
                w[j] = 1e300 * unit[j];
                p[j] = -w[j];
            }
            if (t > 1e30)
                continue;
            sp_domain_project(&large[k], w);
            double m[D];
            CHECK_EQUAL(sp_domain_linear_minimise(&large[k], p, m), SP_OK);
            for (size_t j = 0; j < D; j++)
                CHECK_NEAR(w[j] / t, m[j] / t, 1e-13);
        }
        sp_domain_free(&base[5]);
        sp_domain_free(&large[5]);
    }
    /* a far point and a polytope: the vertex of the smallest <-w, v> */
    sp_domain domain = polytope(D, 9, vertex);
    for (size_t j = 0; j < D; j++) {
        w[j] = 1e280 * unit[j];
        p[j] = -w[j];
    }
    double m[D];
    CHECK_EQUAL(sp_domain_linear_minimise(&domain, p, m), SP_OK);
    sp_domain_project(&domain, w);
    for (size_t j = 0; j < D; j++)
        CHECK_NEAR(w[j], m[j], 1e-12);
    sp_domain_free(&domain);
    /* entries of 1e10 and differences of 1: the simplex keeps its sum, and its answer to what the entries hold */
    const sp_domain simplex = ball("simplex", 3, 1.0);
    double far[] = { 1e10 + 0.25, 1e10, 1e10 - 5.0 };
    sp_domain_project(&simplex, far);
    CHECK_NEAR(far[0], 0.625, 1e-15);
    CHECK_NEAR(far[1], 0.375, 1e-15);
    CHECK(far[2] == 0.0);
}

/* d = 10^6: sums keep their digits; entries that fall geometrically, the slow case of thresholding by passes. */
static void test_large(gsl_rng *stream)
{
    enum { LARGE = 1000000 };
    double *w = malloc(LARGE * sizeof *w);
    const sp_domain domains[] = { ball("simplex", LARGE, radius), ball("l1_ball", LARGE, radius),
                                  lp(LARGE, radius, 1.5) };
    for (size_t k = 0; k < 3; k++)
        for (int form = 0; form < 4; form++) {
            for (size_t j = 0; j < LARGE; j++)
                w[j] = form == 0 ? 0.1 : form == 1 ? gsl_rng_uniform(stream) : pow(0.9999, (double)j);
            if (form == 3) /* one large entry, and a threshold whose rounding counts 10^6 times */
                for (size_t j = 0; j < LARGE; j++)
                    w[j] = j == 0 ? radius * 0.9999 : radius * 1e-9;
            if (k == 2 && form > 0)
                continue;
            sp_domain_project(&domains[k], w);
            CHECK(sp_domain_contains(&domains[k], w));
            if (form == 0)
                CHECK_NEAR(w[77], k == 2 ? radius * 1e-4 : radius * 1e-6, 1e-17);
        }
    free(w);
}

/* The lp ball for p near 1 is nearly the l1 ball; lp_ball with p = 2 the l2 ball; both to their own accuracy. */
static void test_limits(gsl_rng *stream)
{
    const sp_domain one = ball("l1_ball", D, radius), near = lp(D, radius, 1.0 + 1e-9);
    const sp_domain two = ball("l2_ball", D, radius), same = lp(D, radius, 2.0);
    for (int trial = 0; trial < 30; trial++) {
        double w[D], a[D], b[D];
        for (size_t j = 0; j < D; j++)
            a[j] = b[j] = w[j] = 4.0 * gsl_ran_gaussian(stream, 1.0);
        sp_domain_project(&two, a);
        sp_domain_project(&same, b);
        for (size_t j = 0; j < D; j++)
            CHECK_NEAR(a[j], b[j], 1e-15 * 4.0);
        memcpy(a, w, sizeof w);
        memcpy(b, w, sizeof w);
        sp_domain_project(&one, a);
        sp_domain_project(&near, b);
        for (size_t j = 0; j < D; j++)
            CHECK_NEAR(a[j], b[j], 1e-5);
    }
}

int main(void)
{
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(2385, "domain", 0, SP_STREAM_DATA));
    test_make();
    test_kinds(stream);
    test_space();
    test_brute_force(stream);
    test_polytopes(stream);
    test_scales(stream);
    test_large(stream);
    test_limits(stream);
    gsl_rng_free(stream);
    return sp_check_done();
}
