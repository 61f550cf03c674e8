/* root.c -- Chandrupatla's method (1997): inverse quadratic interpolation if the last three points look like a monotone
 * inverse function, otherwise bisection. */
#include "core/numeric/root.h"

#include <float.h>
#include <math.h>

double sp_root(sp_scalar_function f, void *context, double a, double b)
{
    const double finest = 1e-20 * fabs(b - a);
    double fa = f(context, a), fb = f(context, b), c = a, fc = fa, t = 0.5;
    if (fa == 0.0 || fb == 0.0 || (fa > 0.0) == (fb > 0.0))
        return fabs(fa) <= fabs(fb) ? a : b;
    for (;;) { /* a is the newest point, b across the root, c the one that a or b replaced */
        const double x = a + t * (b - a), fx = f(context, x);
        if ((fx > 0.0) == (fa > 0.0)) {
            c = a;
            fc = fa;
        } else {
            c = b;
            fc = fb;
            b = a;
            fb = fa;
        }
        a = x;
        fa = fx;
        const double best = fabs(fa) < fabs(fb) ? a : b;
        const double least = (2.0 * DBL_EPSILON * fabs(best) + finest) / fabs(b - a); /* a smaller step is none */
        if (fa == 0.0 || !(least <= 0.5))
            return best;
        const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
        t = 0.5;
        if (phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi)
            t = fa / (fb - fa) * (fc / (fb - fc)) + (c - a) / (b - a) * (fa / (fc - fa)) * (fb / (fc - fb));
        t = fmin(1.0 - least, fmax(least, t));
    }
}
