/* root.h -- finds a root of a continuous function of one variable between two points where it has different signs. */
#ifndef SP_NUMERIC_ROOT_H
#define SP_NUMERIC_ROOT_H

typedef double (*sp_scalar_function)(void *context, double x);

/* x in [a, b] where f changes its sign, to the rounding of x and 1e-20 (b - a). Where f(a) and f(b) have the same sign,
 * the end with the smaller |f|. Infinite values of f are allowed. */
double sp_root(sp_scalar_function f, void *context, double a, double b);

#endif
