/* conformance/regulariser.c NAME -- r, r', r'' and their bounds by losses/certify/certify.h; a wrong one is noticed. */
#include "tests/allocation.h"
#include "tests/certify.h"

static const sp_regulariser *subject;

static double steeper(double w)
{
    return 1.0001 * subject->slope(w);
}

static double flipped(double w)
{
    return -subject->curvature(w);
}

static bool passes(const sp_regulariser *r)
{
    certification c = { 0 };
    const sp_certify_options with = { .seed = 1, .report = certify_quietly, .context = &c };
    CHECK(sp_certify_regulariser(r, &with, NULL) == SP_OK && c.findings > 0);
    return c.failures == 0;
}

int main(int argc, char **argv)
{
    subject = argc == 2 ? sp_regulariser_find(argv[1]) : NULL;
    CHECK(subject != NULL);
    if (!subject)
        return sp_check_done();
    certification c = { 0 };
    const sp_certify_options with = { .seed = 1, .report = certify, .context = &c };
    CHECK(subject->formula && subject->source);
    CHECK(sp_certify_regulariser(subject, &with, NULL) == SP_OK && c.findings > 0);

    sp_regulariser wrong = *subject;
    wrong.slope = steeper;
    CHECK(!passes(&wrong));
    wrong = *subject;
    wrong.curvature = flipped;
    CHECK(!passes(&wrong));
    for (int k = 0; k < 8; k++) { /* too small, or looser than claimed */
        wrong = *subject;
        double *bound[] = { &wrong.slope_max, &wrong.curvature_high, &wrong.curvature_low, &wrong.third };
        if (*bound[k / 2] == 0.0 || isinf(*bound[k / 2]))
            continue;
        *bound[k / 2] *= k % 2 ? 1.05 : 0.99;
        CHECK(!passes(&wrong));
    }
    return sp_check_done();
}
