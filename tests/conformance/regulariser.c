/* conformance/regulariser.c NAME -- r, r', r'' against differences; the bounds hold and are reached. */
#include "tests/allocation.h"
#include "tests/landscape.h"

enum { SLOPE, HIGH, LOW, THIRD, NEGATIVE };

typedef struct probe {
    const sp_regulariser *r;
    int what;
} probe;

static double score(void *context, const double *v)
{
    const probe *p = context;
    const double h = 1e-4;
    switch (p->what) {
    case SLOPE: return fabs(p->r->slope(v[0]));
    case HIGH: return p->r->curvature(v[0]);
    case LOW: return -p->r->curvature(v[0]);
    case THIRD: return fabs(p->r->curvature(v[0] + h) - p->r->curvature(v[0] - h)) / (2.0 * h);
    default: return -p->r->value(v[0]);
    }
}

int main(int argc, char **argv)
{
    const sp_regulariser *r = argc == 2 ? sp_regulariser_find(argv[1]) : NULL;
    gsl_rng *stream = landscape_stream("regulariser");
    CHECK(r != NULL && stream != NULL);
    if (!r)
        return sp_check_done();
    CHECK(r->formula && r->source);
    for (int i = 0; i < 200; i++) {
        const double w = gsl_ran_gaussian(stream, 2.385), h = 1e-5;
        CHECK_NEAR(r->slope(w), (r->value(w + h) - r->value(w - h)) / (2.0 * h), 1e-8);
        CHECK_NEAR(r->curvature(w), (r->slope(w + h) - r->slope(w - h)) / (2.0 * h), 1e-8);
    }
    const double bound[] = { r->slope_max, r->curvature_high, r->curvature_low, r->third, 0.0 };
    for (int what = SLOPE; what <= NEGATIVE; what++) {
        probe p = { r, what };
        if (isfinite(bound[what]))
            CHECK_BOUND(fmax(0.0, attack(score, &p, 1, stream, 10, 500)), bound[what], 0.999);
    }
    CHECK(r->value(0.0) == 0.0 && r->slope(0.0) == 0.0);
    CHECK(r->convex == (r->curvature_low == 0.0));
    gsl_rng_free(stream);
    return sp_check_done();
}
