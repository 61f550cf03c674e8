/* extremum.h -- the largest value of a scalar function on an interval, rounded up. It gives constants that have no
 * closed form.
 *
 * If f'' >= -bend, f + bend x^2 / 2 is convex, so on [a, b], h = b - a,
 *
 *   f(x) <= chord(x) + (bend/2) (x - a) (b - x)
 *        <= (f(a) + f(b))/2 + bend h^2 / 8 + (f(b) - f(a))^2 / (2 bend h^2),   or max(f(a), f(b)) if |f(b) - f(a)| is
 *                                                                              at least bend h^2 / 2.
 *
 * An interval whose bound is not above the largest value found is discarded; any other is halved. |f| has the property
 * if f and -f have it. A supremum of 0 that f nearly reaches all along an interval is slow: use |f| there. */
#ifndef SP_LOSSES_EXTREMUM_H
#define SP_LOSSES_EXTREMUM_H

/* At least the supremum of max(f, 0) over [low, high], above it by a relative 3e-9 at most (and 1e-18 bend); 0 where
 * f < 0. Requires low <= high, both finite; f finite; f'' >= -bend, bend > 0. */
double sp_supremum(double (*f)(const void *context, double x), const void *context, double low, double high,
                   double bend);

#endif
