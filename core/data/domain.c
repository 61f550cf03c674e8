/* domain.c -- creates domains, and computes their size, vertices and linear minimisers. Projections are in project.c.
 * r = radius, 1 < p <= 2. A simplex in one dimension is a point: its diameters are 0.
 *
 *               sup ||w||_2                diameter in ||.||_2     diameter in ||.||_1
 *   l2_ball     r                          2 r                     2 r sqrt(d)
 *   l1_ball     r                          2 r                     2 r
 *   lp_ball     r (at +-r e_j)             2 r                     2 r d^(1 - 1/p)
 *   simplex     r                          sqrt(2) r               2 r
 *   box         sqrt(d) max(|low|, |high|)   sqrt(d) (high - low)   d (high - low)
 *   polytope    of its vertices: the largest norm, and the largest distance of two
 *
 * argmin of <g, v>:  l2_ball  -r g / ||g||_2;   lp_ball  -r sign(g) t^(1/(p-1)) / ||t^(1/(p-1))||_p with t = |g| / max
 * |g| (which cannot overflow, however small p - 1 is);   box  by coordinate;   l1_ball, simplex, polytope  a vertex.
 */
#include "core/data/project.h"

#include "core/numeric/math.h"
#include "core/base/memory.h"

#include <ctype.h>
#include <gsl/gsl_cblas.h>
#include <gsl/gsl_math.h>
#include <stdlib.h>
#include <string.h>

enum { RADIUS, P, LOW, HIGH, VERTICES, PARAMS };
enum { BOX_VERTICES_MAX_D = 20 };

const char *const sp_domain_names[] = { "space", "l2_ball", "l1_ball", "lp_ball", "simplex", "box", "polytope", NULL };

const char *const sp_domain_formulas[] = {
    "R^d", "||w||_2 <= radius", "||w||_1 <= radius", "||w||_p <= radius", "w >= 0, sum_j w_j = radius",
    "low <= w_j <= high", "conv(vertices)", NULL
};

const sp_param sp_domain_params[] = {
    [RADIUS] = { "radius", SP_REAL, SP_DERIVED, SP_POSITIVE, "of a ball about 0, in its norm; of a simplex the sum" },
    [P] = { "p", SP_REAL, SP_DERIVED, { 1.0, 2.0 }, "norm of an lp_ball, above 1" },
    [LOW] = { "low", SP_REAL, SP_DERIVED, { -DBL_MAX, DBL_MAX }, "least coordinate of a box" },
    [HIGH] = { "high", SP_REAL, SP_DERIVED, { -DBL_MAX, DBL_MAX }, "largest coordinate of a box" },
    [VERTICES] = { "vertices", SP_TEXT, 0.0, { 0 }, "of a polytope, at most 64: \"0 0; 1 0; 0 2\"" },
    { 0 },
};

#define TAKES(index) (1u << (index))
static const unsigned takes[] = { [SP_DOMAIN_SPACE] = 0,
                                  [SP_DOMAIN_L2_BALL] = TAKES(RADIUS),
                                  [SP_DOMAIN_L1_BALL] = TAKES(RADIUS),
                                  [SP_DOMAIN_LP_BALL] = TAKES(RADIUS) | TAKES(P),
                                  [SP_DOMAIN_SIMPLEX] = TAKES(RADIUS),
                                  [SP_DOMAIN_BOX] = TAKES(LOW) | TAKES(HIGH),
                                  [SP_DOMAIN_POLYTOPE] = TAKES(VERTICES) };

/* --- making one --------------------------------------------------------------------------------------------------- */

static sp_status check_keys(sp_domain_kind kind, const sp_values *values, sp_error *error)
{
    const char *name = sp_domain_names[kind];
    for (size_t i = 0; i < PARAMS; i++) {
        const sp_param *param = &sp_domain_params[i];
        const bool wanted = takes[kind] & TAKES(i);
        if (wanted && !sp_given(values, i))
            return sp_fail(error, SP_EINVAL, "problem.domain.%s: missing (%s needs it)", param->key, name);
        if (!wanted && sp_given(values, i)) {
            char number[SP_NUMBER_SIZE];
            return sp_fail(error, SP_EINVAL, "problem.domain.%s = %.60s: %s takes none", param->key,
                           param->kind == SP_TEXT ? sp_word(values, i) : sp_number(sp_real(values, i), number), name);
        }
    }
    return SP_OK;
}

/* Splits `text` at its first `separator`; the next part, or NULL. */
static char *split(char *text, char separator)
{
    char *end = strchr(text, separator);
    if (end)
        *end++ = '\0';
    return end;
}

static sp_status read_vertex(char *text, size_t k, size_t d, double *vertex, sp_error *error)
{
    size_t words = 0;
    for (char *word = text; *word; word++) /* every blank is the same one */
        *word = isspace((unsigned char)*word) ? ' ' : *word;
    for (char *word = text, *next; word; word = next) {
        double value;
        next = split(word, ' ');
        if (*word == '\0')
            continue;
        if (!sp_read_number(word, &value) || !isfinite(value))
            return sp_fail(error, SP_EINVAL, "problem.domain.vertices: vertex %zu, word %zu = \"%.60s\": not a number",
                           k, words + 1, word);
        if (words < d)
            vertex[words] = value;
        words++;
    }
    if (words != d)
        return sp_fail(error, SP_EINVAL, "problem.domain.vertices: vertex %zu has %zu entries, the problem has d = %zu",
                       k, words, d);
    return SP_OK;
}

static sp_status read_vertices(const char *given, sp_domain *out, sp_error *error)
{
    sp_status status = SP_OK;
    char *text = NULL;
    double *vertex = NULL;
    size_t count = 1;
    for (const char *c = given; *c; c++)
        count += *c == ';';
    if (count > SP_POLYTOPE_MAX)
        return sp_fail(error, SP_EINVAL, "problem.domain.vertices: %zu of them, at most %d", count, SP_POLYTOPE_MAX);
    text = sp_copy_text(given);
    vertex = sp_alloc(count, out->d * sizeof *vertex);
    if (!text || !vertex)
        SP_TRY(sp_fail(error, SP_ENOMEM, "problem.domain.vertices: out of memory for %zu of %zu", count, out->d));
    char *next, *part = text;
    for (size_t k = 0; k < count; k++, part = next) {
        next = split(part, ';');
        SP_TRY(read_vertex(part, k + 1, out->d, vertex + k * out->d, error));
    }
    out->vertices = count;
    out->vertex = vertex;
    vertex = NULL;
cleanup:
    free(vertex);
    free(text);
    return status;
}

static double norm(const sp_domain *domain)
{
    const double root = sqrt((double)domain->d);
    double most = 0.0;
    if (domain->kind == SP_DOMAIN_BOX)
        return root * fmax(fabs(domain->low), fabs(domain->high));
    if (domain->kind != SP_DOMAIN_POLYTOPE)
        return domain->radius;
    for (size_t k = 0; k < domain->vertices; k++)
        most = fmax(most, sp_norm_p(2.0, domain->d, domain->vertex + k * domain->d, NULL));
    return most;
}

sp_status sp_domain_make(const char *name, const sp_values *values, size_t d, sp_domain *out, sp_error *error)
{
    enum { KINDS = sizeof sp_domain_names / sizeof *sp_domain_names - 1 };
    sp_status status = SP_OK;
    sp_domain made = { .d = d, .radius = INFINITY };
    size_t kind = 0;
    *out = (sp_domain){ 0 };
    while (kind < KINDS && strcmp(name, sp_domain_names[kind]) != 0)
        kind++;
    if (kind == KINDS) {
        const char *nearest = sp_nearest(name, sp_domain_names, KINDS);
        return sp_fail(error, SP_EINVAL, "problem.domain = \"%s\": there is no such domain%s%s%s", name,
                       nearest ? " (did you mean " : "", nearest ? nearest : "", nearest ? "?)" : "");
    }
    made.kind = (sp_domain_kind)kind;
    SP_TRY(check_keys(made.kind, values, error));
    if (takes[kind] & TAKES(RADIUS))
        made.radius = sp_real(values, RADIUS);
    switch (made.kind) {
    case SP_DOMAIN_LP_BALL:
        made.p = sp_real(values, P);
        if (!(made.p > 1.0))
            return sp_fail(error, SP_EINVAL, "problem.domain.p = %g: above 1; the limit is an l1_ball", made.p);
        break;
    case SP_DOMAIN_BOX:
        made.low = sp_real(values, LOW);
        made.high = sp_real(values, HIGH);
        if (!(made.low < made.high))
            return sp_fail(error, SP_EINVAL, "problem.domain.low = %g: not below high = %g", made.low, made.high);
        break;
    case SP_DOMAIN_POLYTOPE:
        SP_TRY(read_vertices(sp_word(values, VERTICES), &made, error));
        break;
    default:
        break;
    }
    made.norm = norm(&made);
    if (kind == SP_DOMAIN_BOX || kind == SP_DOMAIN_POLYTOPE)
        made.radius = made.norm;
    *out = made;
cleanup:
    return status;
}

void sp_domain_free(sp_domain *domain)
{
    free((double *)domain->vertex);
    domain->vertex = NULL;
    domain->vertices = 0;
}

/* --- size --------------------------------------------------------------------------------------------------------- */

double sp_domain_diameter(const sp_domain *domain)
{
    const size_t d = domain->d;
    double most = 0.0;
    switch (domain->kind) {
    case SP_DOMAIN_SIMPLEX:
        return d > 1 ? M_SQRT2 * domain->radius : 0.0;
    case SP_DOMAIN_BOX:
        return sqrt((double)d) * (domain->high - domain->low);
    case SP_DOMAIN_POLYTOPE:
        for (size_t k = 0; k < domain->vertices; k++)
            for (size_t i = 0; i < k; i++)
                most = fmax(most, sp_norm_p(2.0, d, domain->vertex + k * d, domain->vertex + i * d));
        return most;
    default:
        return 2.0 * domain->radius;
    }
}

double sp_domain_norm_l1(const sp_domain *domain)
{
    const double d = (double)domain->d;
    double most = 0.0;
    switch (domain->kind) {
    case SP_DOMAIN_L2_BALL:
        return sqrt(d) * domain->radius;
    case SP_DOMAIN_LP_BALL:
        return sp_pow(d, 1.0 - 1.0 / domain->p) * domain->radius;
    case SP_DOMAIN_BOX:
        return d * fmax(fabs(domain->low), fabs(domain->high));
    case SP_DOMAIN_POLYTOPE:
        for (size_t k = 0; k < domain->vertices; k++)
            most = fmax(most, sp_norm_p(1.0, domain->d, domain->vertex + k * domain->d, NULL));
        return most;
    default:
        return domain->radius;
    }
}

double sp_domain_diameter_l1(const sp_domain *domain)
{
    const size_t d = domain->d;
    double most = 0.0;
    switch (domain->kind) {
    case SP_DOMAIN_SIMPLEX:
        return d > 1 ? 2.0 * domain->radius : 0.0;
    case SP_DOMAIN_BOX:
        return (double)d * (domain->high - domain->low);
    case SP_DOMAIN_POLYTOPE:
        for (size_t k = 0; k < domain->vertices; k++)
            for (size_t i = 0; i < k; i++)
                most = fmax(most, sp_norm_p(1.0, d, domain->vertex + k * d, domain->vertex + i * d));
        return most;
    default:
        return 2.0 * sp_domain_norm_l1(domain);
    }
}

static double mean_vertex(const sp_domain *domain, size_t j)
{
    double sum = 0.0;
    for (size_t k = 0; k < domain->vertices; k++)
        sum += domain->vertex[k * domain->d + j];
    return sum / (double)domain->vertices;
}

static double centre_of(const sp_domain *domain, size_t j)
{
    switch (domain->kind) {
    case SP_DOMAIN_SIMPLEX:
        return domain->radius / (double)domain->d;
    case SP_DOMAIN_BOX:
        return domain->low + 0.5 * (domain->high - domain->low);
    case SP_DOMAIN_POLYTOPE:
        return mean_vertex(domain, j);
    default:
        return 0.0;
    }
}

double sp_domain_centre(const sp_domain *domain, double *centre)
{
    const size_t d = domain->d;
    double most = 0.0;
    for (size_t j = 0; centre && j < d; j++)
        centre[j] = centre_of(domain, j);
    switch (domain->kind) {
    case SP_DOMAIN_SIMPLEX:
        return domain->radius * sqrt(1.0 - 1.0 / (double)d);
    case SP_DOMAIN_BOX:
        return 0.5 * sp_domain_diameter(domain);
    case SP_DOMAIN_POLYTOPE:
        for (size_t k = 0; k < domain->vertices; k++) {
            double norm = 0.0;
            for (size_t j = 0; j < d; j++)
                norm = sp_hypot(norm, domain->vertex[k * d + j] - mean_vertex(domain, j));
            most = fmax(most, norm);
        }
        return most;
    default:
        return domain->radius;
    }
}

/* --- linear functions --------------------------------------------------------------------------------------------- */

size_t sp_domain_vertices(const sp_domain *domain)
{
    switch (domain->kind) {
    case SP_DOMAIN_L1_BALL:
        return 2 * domain->d;
    case SP_DOMAIN_SIMPLEX:
        return domain->d;
    case SP_DOMAIN_BOX:
        return domain->d <= BOX_VERTICES_MAX_D ? (size_t)1 << domain->d : 0;
    case SP_DOMAIN_POLYTOPE:
        return domain->vertices;
    default:
        return 0;
    }
}

static double corner(const sp_domain *box, size_t k, size_t j)
{
    return k >> j & 1 ? box->high : box->low;
}

void sp_domain_vertex(const sp_domain *domain, size_t k, double *v)
{
    const size_t d = domain->d;
    if (domain->kind == SP_DOMAIN_POLYTOPE)
        memcpy(v, domain->vertex + k * d, d * sizeof *v);
    else if (domain->kind == SP_DOMAIN_BOX)
        for (size_t j = 0; j < d; j++)
            v[j] = corner(domain, k, j);
    else {
        memset(v, 0, d * sizeof *v);
        if (domain->kind == SP_DOMAIN_L1_BALL)
            v[k / 2] = k % 2 ? -domain->radius : domain->radius;
        else
            v[k] = domain->radius;
    }
}

double sp_domain_vertex_dot(const sp_domain *domain, size_t k, const double *g)
{
    double sum = 0.0;
    switch (domain->kind) {
    case SP_DOMAIN_L1_BALL:
        return (k % 2 ? -domain->radius : domain->radius) * g[k / 2];
    case SP_DOMAIN_SIMPLEX:
        return domain->radius * g[k];
    case SP_DOMAIN_BOX:
        for (size_t j = 0; j < domain->d; j++)
            sum += corner(domain, k, j) * g[j];
        return sum;
    default:
        return cblas_ddot((int)domain->d, domain->vertex + k * domain->d, 1, g, 1);
    }
}

/* The first vertex of the smallest <g / max |g|, v>, in units of the largest coordinate, so that nothing overflows. */
static size_t least_vertex(const sp_domain *domain, double top, const double *g)
{
    const size_t d = domain->d, count = sp_domain_vertices(domain);
    double least = INFINITY;
    size_t index = 0;
    for (size_t k = 0; k < count; k++) {
        double score = 0.0;
        if (domain->kind == SP_DOMAIN_POLYTOPE)
            for (size_t j = 0; top > 0.0 && j < d; j++)
                score += g[j] / top * domain->vertex[k * d + j];
        else
            score = domain->kind == SP_DOMAIN_SIMPLEX ? g[k] : k % 2 ? -g[k / 2] : g[k / 2];
        if (score < least) {
            least = score;
            index = k;
        }
    }
    return index;
}

/* -radius phi(g) / ||phi(g)||_p, phi(g) = sign(g) |g|^(1/(p-1)): where <g, v> is least in the lp ball. */
static void ball_minimise(const sp_domain *domain, double p, double top, const double *g, double *v)
{
    for (size_t j = 0; j < domain->d; j++)
        v[j] = top > 0.0 ? -copysign(sp_pow(fabs(g[j]) / top, 1.0 / (p - 1.0)), g[j]) : 0.0;
    const double length = sp_norm_p(p, domain->d, v, NULL);
    for (size_t j = 0; length > 0.0 && j < domain->d; j++)
        v[j] = domain->radius * (v[j] / length);
}

sp_status sp_domain_linear_minimise(const sp_domain *domain, const double *g, double *v)
{
    const size_t d = domain->d;
    if (domain->kind == SP_DOMAIN_SPACE)
        return SP_EUNSUPPORTED;
    if (!sp_all_finite(d, g))
        return SP_ENUMERIC;
    const double top = sp_norm_max(d, g, NULL);
    switch (domain->kind) {
    case SP_DOMAIN_L2_BALL:
        ball_minimise(domain, 2.0, top, g, v);
        break;
    case SP_DOMAIN_LP_BALL:
        ball_minimise(domain, domain->p, top, g, v);
        break;
    case SP_DOMAIN_BOX:
        for (size_t j = 0; j < d; j++)
            v[j] = g[j] < 0.0 ? domain->high : domain->low;
        break;
    default:
        sp_domain_vertex(domain, least_vertex(domain, top, g), v);
    }
    return SP_OK;
}
