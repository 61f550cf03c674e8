/* polytope.c -- projects w onto conv(v_1 .. v_K), the nearest point (Wolfe 1976). It computes only the point's weights:
 * any d, no scratch memory.
 *
 * A point of the polytope is sum_i x_i v_i with weights x_i >= 0 of sum 1. With D = max ||v_i - v_1||, S = max(D,
 * ||w - v_1||), tau = D / S, and the edges a_i = (v_i - v_1) / D, the weights of the nearest point
 *
 *   minimise   tau x'Gx/2 - <b, x>,   G_ij = <a_i, a_j>,   b_i = <a_i, w - v_1> / S,
 *
 * where G, b and tau are at most 1 at any scale. The gap <x, gradient> - min gradient is the certificate: in units
 * of D S it bounds <w - P, v - P> over the polytope, and the squared distance to the true projection P. The vertex with
 * the smallest gradient joins the face. Then Newton's steps within the face are shortened where a weight would become
 * negative, that vertex leaves, and so on until a full step fits. Pivots of the face's Gram matrix are kept above their
 * rounding errors, so steps remain descent steps for vertices that are dependent, or nearly so.
 */
#include "core/data/project.h"

#include <float.h>
#include <string.h>

enum { K = SP_POLYTOPE_MAX, PASSES = 32 * K };

static const double gap_goal = 1e-15, least_pivot = 16.0 * DBL_EPSILON;

typedef struct wolfe {
    size_t vertices;     /* of the polytope, at most K */
    double tau, gram[K][K], b[K]; /* tau, G and b of the head */
    double gradient[K];  /* tau G x - b at the current weights */
    size_t count;        /* vertices of the face */
    size_t face[K];      /* which they are: those that may have weight */
    double step[K];      /* Newton's step of their weights */
    double factor[K][K]; /* Cholesky factor of their system */
} wolfe;

/* False where there is nothing to choose. */
static bool scale(wolfe *s, const sp_domain *domain, const double *w)
{
    const size_t d = domain->d;
    const double *v = domain->vertex;
    double D = 0.0;
    s->vertices = domain->vertices;
    for (size_t i = 1; i < s->vertices; i++)
        D = fmax(D, sp_norm_p(2.0, d, v + i * d, v));
    if (D == 0.0)
        return false;
    const double S = fmax(D, sp_norm_p(2.0, d, w, v));
    s->tau = D / S;
    for (size_t i = 0; i < s->vertices; i++) {
        for (size_t k = 0; k <= i; k++) {
            double sum = 0.0;
            for (size_t j = 0; j < d; j++)
                sum += (v[i * d + j] - v[j]) / D * ((v[k * d + j] - v[j]) / D);
            s->gram[i][k] = s->gram[k][i] = sum;
        }
        s->b[i] = 0.0;
        for (size_t j = 0; j < d; j++)
            s->b[i] += (v[i * d + j] - v[j]) / D * ((w[j] - v[j]) / S);
    }
    return true;
}

/* The gap; *least is the vertex of the smallest gradient. */
static double differentiate(wolfe *s, const double *weight, size_t *least)
{
    double mean = 0.0;
    *least = 0;
    for (size_t i = 0; i < s->vertices; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < s->vertices; k++)
            sum += s->gram[i][k] * weight[k];
        s->gradient[i] = s->tau * sum - s->b[i];
        mean += weight[i] * s->gradient[i];
        if (s->gradient[i] < s->gradient[*least])
            *least = i;
    }
    return mean - s->gradient[*least];
}

/* step = tau times Newton's step within the face, of sum 0: that of its other vertices against its first. */
static void direct(wolfe *s)
{
    const size_t n = s->count - 1, first = s->face[0], *other = s->face + 1;
    double *step = s->step;
    for (size_t i = 0; i < n; i++) {
        step[i + 1] = s->gradient[first] - s->gradient[other[i]];
        for (size_t k = 0; k <= i; k++) {
            double sum = s->gram[other[i]][other[k]] - s->gram[other[i]][first] - s->gram[other[k]][first] +
                         s->gram[first][first];
            for (size_t l = 0; l < k; l++)
                sum -= s->factor[i][l] * s->factor[k][l];
            s->factor[i][k] = k < i ? sum / s->factor[k][k] : sqrt(fmax(sum, least_pivot));
        }
        for (size_t l = 0; l < i; l++)
            step[i + 1] -= s->factor[i][l] * step[l + 1];
        step[i + 1] /= s->factor[i][i];
    }
    step[0] = 0.0;
    for (size_t i = n; i-- > 0;) {
        for (size_t l = i + 1; l < n; l++)
            step[i + 1] -= s->factor[l][i] * step[l + 1];
        step[i + 1] /= s->factor[i][i];
        step[0] -= step[i + 1];
    }
}

/* Moves along the step as far as the weights allow; true when a vertex had to leave the face. */
static bool move(wolfe *s, double *weight)
{
    double length = fmin(1.0 / s->tau, DBL_MAX);
    size_t leaves = s->count;
    for (size_t i = 0; i < s->count; i++)
        if (s->step[i] < 0.0 && weight[s->face[i]] / -s->step[i] < length) {
            length = weight[s->face[i]] / -s->step[i];
            leaves = i;
        }
    for (size_t i = 0; i < s->count; i++)
        weight[s->face[i]] = fmax(weight[s->face[i]] + length * s->step[i], 0.0);
    if (leaves == s->count)
        return false;
    weight[s->face[leaves]] = 0.0;
    s->face[leaves] = s->face[--s->count];
    return true;
}

static void normalise(const wolfe *s, double *weight)
{
    double sum = 0.0;
    for (size_t i = 0; i < s->vertices; i++)
        sum += weight[i];
    for (size_t i = 0; i < s->vertices; i++)
        weight[i] /= sum;
}

static bool in_face(const wolfe *s, size_t vertex)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->face[i] == vertex)
            return true;
    return false;
}

void sp_project_polytope(const sp_domain *domain, const double *w, double *weight)
{
    wolfe s = { .count = 1 };
    size_t least;
    memset(weight, 0, domain->vertices * sizeof *weight);
    weight[0] = 1.0;
    if (!scale(&s, domain, w))
        return;
    for (int pass = 0; pass < PASSES && differentiate(&s, weight, &least) > gap_goal; pass++) {
        if (!in_face(&s, least))
            s.face[s.count++] = least;
        for (direct(&s); move(&s, weight) && s.count > 1; direct(&s))
            differentiate(&s, weight, &least);
        normalise(&s, weight);
    }
}
