/* root.c -- roots that are known: to rounding, at infinite values, at an end, beside steps and flat pieces. */
#include "core/numeric/root.h"
#include "tests/check.h"

typedef struct counted {
    int form, calls;
} counted;

static double f(void *context, double x)
{
    counted *c = context;
    c->calls++;
    switch (c->form) {
    case 0:
        return cos(x) - x; /* 0.73908513321516064 (Dottie's number) */
    case 1:
        return 2.385 - x * x * x;
    case 2:
        return x > 1.0 / 3.0 ? 1.0 : -1.0;
    case 3:
        return 1.0 / (1.25 - x); /* a pole counts as a change of sign */
    case 4:
        return log(x) + 0.7; /* -inf at 0 */
    case 5:
        return pow(x - 0.3, 9.0); /* flat */
    default:
        return expm1(-60.0 * (x - 1e-4));
    }
}

int main(void)
{
    static const struct { double a, b, root, tolerance; } known[] = {
        { 0.0, 1.0, 0.73908513321516064, 3e-16 }, { 5.0, -1.0, 1.3360707648940335, 5e-16 },
        { 0.0, 1.0, 1.0 / 3.0, 2e-16 },           { 0.0, 2.0, 1.25, 1e-15 },
        { 0.0, 7.0, 0.49658530379140953, 3e-16 }, { -1.0, 3.0, 0.3, 1e-12 },
        { 0.0, 1e6, 1e-4, 3e-14 },
    };
    for (int form = 0; form < 7; form++) {
        counted c = { form, 0 };
        CHECK_NEAR(sp_root(f, &c, known[form].a, known[form].b), known[form].root, known[form].tolerance);
        CHECK_LESS_EQUAL(c.calls, 160);
        if (form < 2)
            CHECK_LESS_EQUAL(c.calls, 15); /* faster than bisection */
    }
    counted c = { 1, 0 };
    CHECK(sp_root(f, &c, 1.5, 4.0) == 1.5 && sp_root(f, &c, -4.0, 1.25) == 1.25); /* no change of sign */
    CHECK_EQUAL(c.calls, 4);
    return sp_check_done();
}
