/* extremum.c -- bisects intervals with a certified upper bound to find the largest value (extremum.h). */
#include "losses/engine/extremum.h"

#include <math.h>

enum { CELLS = 64 };

static const double relative = 1e-9, absolute = 1e-18; /* how far the bound may stay above `best`: of it, of bend */
static const double sharpen = 1.0 / 16.0;

typedef struct search {
    double (*f)(const void *context, double x);
    const void *context;
    double bend, slack; /* intervals are done with at best + slack */
    double best, bound; /* the largest value met, and the largest bound of an interval done with */
} search;

static double at(search *s, double x)
{
    const double value = s->f(s->context, x);
    s->best = fmax(s->best, value);
    return value;
}

static double ceiling(const search *s, double h, double left, double right)
{
    const double rise = right - left, bow = s->bend * h * h;
    if (!(2.0 * fabs(rise) < bow))
        return fmax(left, right);
    return 0.5 * (left + right) + 0.125 * bow + 0.5 * rise * rise / bow;
}

static void refine(search *s, double a, double left, double b, double right)
{
    const double middle = 0.5 * (a + b), bound = ceiling(s, b - a, left, right);
    if (bound <= s->best + s->slack || middle <= a || middle >= b) {
        s->bound = fmax(s->bound, bound);
        return;
    }
    const double value = at(s, middle);
    refine(s, a, left, middle, value);
    refine(s, middle, value, b, right);
}

double sp_supremum(double (*f)(const void *context, double x), const void *context, double low, double high,
                   double bend)
{
    search s = { f, context, bend, INFINITY, 0.0, 0.0 };
    double x[CELLS + 1], value[CELLS + 1];
    for (int k = 0; k <= CELLS; k++) {
        x[k] = k < CELLS ? low + (high - low) * k / CELLS : high;
        value[k] = at(&s, x[k]);
    }
    do { /* coarse passes first: a good `best` spares the fine ones almost everything */
        s.bound = 0.0;
        for (int k = 0; k < CELLS; k++)
            refine(&s, x[k], value[k], x[k + 1], value[k + 1]);
        s.slack = sharpen * (s.bound - s.best);
    } while (s.bound > s.best * (1.0 + relative) + absolute * bend);
    return s.bound * (1.0 + relative); /* for rounding in f */
}
