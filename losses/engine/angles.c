/* angles.c -- f, its derivatives and queries for the mean of 1 - cos(u_j - theta_j) over m angles theta_j. A record has
 * them as pairs (x_{2j}, x_{2j+1}) = (cos theta_j, sin theta_j) / sqrt m; u_j = sqrt m w_j; `weight` is a factor of f.
 *
 *   cos(u_j - theta_j) = sqrt m (x_{2j} cos u_j + x_{2j+1} sin u_j), so with z_j = x_{2j} + i x_{2j+1}
 *
 *   df/dw_j = weight (x_{2j} sin u_j - x_{2j+1} cos u_j) = weight Im(exp(i u_j) conj z_j),
 *   d2f/dw_j2 = weight sqrt m (x_{2j} cos u_j + x_{2j+1} sin u_j),  at most weight sqrt m |z_j| in size.
 *
 * Queries. Entry j of sum_k c_k grad f(w_k) is weight Im(s_j conj z_j), s_j = sum_k c_k exp(i u_kj). Over |z_j| <= r
 * it is at most weight r |s_j|, attained at z_j = -i r s_j / |s_j|, and one record attains it for all j. If the c_k sum
 * to 0 and the points are close, s_j is small, and it must be accurate relative to its own size, because the
 * sensitivity of the query and its noise are of that size. So it is summed from the differences to the first point,
 *
 *   exp(i u_k) - exp(i u_0) = 2 i sin(h) exp(i (u_0 + h)),  h = (u_k - u_0) / 2.
 *
 * Differences of values, f(w) - f(c), are -weight / sqrt m times the sum of Re((exp(i u_j) - exp(i u_j(c))) conj z_j),
 * computed in the same way.
 */
#include "losses/loss.h"

double sp_angles(double weight, size_t m, const double *x, const double *w)
{
    const double root = sqrt((double)m);
    double sum = 0.0;
    for (size_t j = 0; j < m; j++)
        sum += x[2 * j] * sp_cos(root * w[j]) + x[2 * j + 1] * sp_sin(root * w[j]);
    return weight * (1.0 - sum / root);
}

double sp_angles_change(double weight, size_t m, const double *x, const double *w, const double *c)
{
    const double root = sqrt((double)m);
    double sum = 0.0;
    for (size_t j = 0; j < m; j++) {
        const double half = 0.5 * root * (w[j] - c[j]), middle = root * c[j] + half;
        sum += 2.0 * sp_sin(half) * (x[2 * j] * sp_sin(middle) - x[2 * j + 1] * sp_cos(middle));
    }
    return weight * (sum / root);
}

/* s_j; not a number where coordinate j of a point is none, or far out */
static void turns(double root, size_t j, size_t terms, const sp_term *term, double *re, double *im)
{
    const double first = root * term[0].point[j], cosine = sp_cos(first), sine = sp_sin(first);
    double whole = term[0].coefficient;
    *re = *im = 0.0;
    for (size_t k = 1; k < terms; k++) {
        const double half = 0.5 * root * (term[k].point[j] - term[0].point[j]);
        const double chord = 2.0 * term[k].coefficient * sp_sin(half);
        whole += term[k].coefficient;
        *re -= chord * sp_sin(first + half);
        *im += chord * sp_cos(first + half);
    }
    *re += whole * cosine;
    *im += whole * sine;
}

void sp_angles_query(double weight, size_t first, size_t m, const double *x, size_t terms, const sp_term *term,
                     double *restrict out)
{
    const double root = sqrt((double)m);
    for (size_t j = 0; j < m; j++) {
        double re, im;
        turns(root, first + j, terms, term, &re, &im);
        out[j] = weight * (x[2 * j] * im - x[2 * j + 1] * re);
    }
}

void sp_angles_product(double weight, size_t m, const double *x, const double *w, const double *v, double *restrict out)
{
    const double root = sqrt((double)m);
    for (size_t j = 0; j < m; j++)
        out[j] = weight * root * (x[2 * j] * sp_cos(root * w[j]) + x[2 * j + 1] * sp_sin(root * w[j])) * v[j];
}

double sp_angles_largest(double weight, size_t first, size_t m, size_t terms, const sp_term *term, sp_norm norm)
{
    const double root = sqrt((double)m), size = weight * sp_disc(m);
    double squares = 0.0, most = 0.0;
    for (size_t j = first; j < first + m; j++) {
        double re, im;
        turns(root, j, terms, term, &re, &im);
        const double square = re * re + im * im;
        squares += square;
        most = square > most || isnan(square) ? square : most;
    }
    return size * sqrt(norm == SP_NORM_LINF ? most : squares);
}

/* atan2(y, x); 0 at the origin */
static double angle(double y, double x)
{
    if (x == 0.0)
        return y == 0.0 ? 0.0 : copysign(0.5 * M_PI, y);
    return sp_atan(y / x) + (x < 0.0 ? copysign(M_PI, y) : 0.0);
}

void sp_angles_minimiser(size_t m, const double *mean, double *restrict w)
{
    for (size_t j = 0; j < m; j++)
        w[j] = angle(mean[2 * j + 1], mean[2 * j]) / sqrt((double)m);
}

void sp_angles_clip(size_t m, double *restrict x)
{
    const double disc = sp_disc(m);
    for (size_t j = 0; j < m; j++) {
        const double norm = sp_hypot(x[2 * j], x[2 * j + 1]);
        for (size_t k = 0; k < 2 && norm > disc; k++)
            x[2 * j + k] = x[2 * j + k] / norm * disc;
    }
}
