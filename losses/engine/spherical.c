/* spherical.c -- derivatives of h(w) = g(r), r = ||v||, v = w - centre (1, ..., 1), from g'/r and g''.
 *
 *   grad h = (g'/r) v,   hess h = (g'/r) I + (g'' - g'/r) (v/r) (v/r)',   hess h = g''(0) I at r = 0
 */
#include "losses/loss.h"

double sp_spherical_radius(double centre, size_t d, const double *w)
{
    double square = 0.0;
    for (size_t j = 0; j < d; j++)
        square += (w[j] - centre) * (w[j] - centre);
    return sqrt(square);
}

void sp_spherical_gradient(double tangential, double centre, size_t d, const double *w, double *restrict out)
{
    for (size_t j = 0; j < d; j++)
        out[j] = tangential * (w[j] - centre);
}

void sp_spherical_hessian(double tangential, double radial, double centre, size_t d, const double *w,
                          double *restrict H)
{
    const double r = sp_spherical_radius(centre, d, w);
    for (size_t j = 0; j < d; j++) {
        const double along = r > 0.0 ? (radial - tangential) * ((w[j] - centre) / r) : 0.0;
        for (size_t k = 0; along != 0.0 && k < d; k++)
            H[j * d + k] += along * ((w[k] - centre) / r);
        H[j * d + j] += tangential;
    }
}

void sp_spherical_product(double tangential, double radial, double centre, size_t d, const double *w, const double *v,
                          double *restrict out)
{
    const double r = sp_spherical_radius(centre, d, w);
    double along = 0.0;
    for (size_t j = 0; r > 0.0 && j < d; j++)
        along += (w[j] - centre) / r * v[j];
    for (size_t j = 0; j < d; j++)
        out[j] += tangential * v[j] + (r > 0.0 ? (radial - tangential) * along * ((w[j] - centre) / r) : 0.0);
}
