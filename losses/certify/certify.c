/* certify.c -- the adversary's search, the verdict on one claim, and the sequence of checks of a certification. */
#include "losses/certify/parts.h"

#include "core/base/memory.h"
#include "core/numeric/stream.h"

#include <gsl/gsl_randist.h>
#include <stdio.h>
#include <string.h>

const sp_certify_region sp_certify_regions[SP_CERTIFY_REGIONS] = {
    { "whole space", "whole space, realisable", INFINITY },
    { "ball", "ball, realisable", SP_CERTIFY_BALL },
};

double sp_certify_search(double (*score)(void *, const double *), void *context, size_t k, gsl_rng *stream,
                        size_t starts, size_t steps)
{
    double best = -INFINITY, v[SP_SEARCH_MAX], step[SP_SEARCH_MAX], trial[SP_SEARCH_MAX];
    for (size_t start = 0; start < starts; start++) {
        double length = sp_pow(10.0, 2.0 * gsl_rng_uniform(stream) - 1.0);
        for (size_t j = 0; j < k; j++)
            v[j] = gsl_ran_gaussian_ziggurat(stream, length);
        double here = score(context, v);
        bool again = false;
        for (size_t i = 0; i < steps && !isnan(here); i++) {
            const size_t only = gsl_rng_uniform_int(stream, 2 * k); /* one number, or all */
            for (size_t j = 0; j < k; j++) {
                const bool moves = only >= k || only == j;
                step[j] = again ? 1.6 * step[j] : moves ? gsl_ran_gaussian_ziggurat(stream, length) : 0.0;
                trial[j] = fmax(-SP_SEARCH_FAR, fmin(SP_SEARCH_FAR, v[j] + step[j]));
            }
            const double there = score(context, trial);
            again = there > here || isnan(there);
            length *= again ? 1.6 : 0.88;
            if (again) {
                memcpy(v, trial, k * sizeof *v);
                here = there;
            } else if (length < 1e-9) /* at rest: shake */
                length = sp_pow(10.0, 2.0 * gsl_rng_uniform(stream) - 2.0);
        }
        best = fmax(best, isnan(here) ? INFINITY : here);
    }
    return best;
}

static const double slack = 1e-9;

void sp_judge(const sp_search *h, sp_claim_kind kind, const char *part, const char *what, const char *region,
              double claimed, double found, double required, double scale)
{
    const bool holds = claimed >= 0.0 && found <= claimed + slack * (claimed > 0.0 ? claimed : scale);
    const sp_finding finding = { kind, part, what, region, claimed, found, required,
                                 holds && found >= required * claimed };
    h->with->report(h->with->context, &finding);
}

bool sp_search_wants(const sp_search *h, sp_claim_kind kind)
{
    return h->with->claims == 0 || (h->with->claims & kind) != 0;
}

static sp_status open(sp_search *h, const char *name, sp_error *error)
{
    const size_t restarts = h->with->thorough ? 6 : 1, steps = h->with->thorough ? 8 : 1;
    h->starts = 10 * restarts;
    h->steps = 1000 * steps;
    h->samples = 60 * restarts;
    h->stream = sp_stream_open(sp_stream_key_of(h->with->seed, name, 0, SP_STREAM_MEASURE));
    return h->stream ? SP_OK : sp_fail(error, SP_ENOMEM, "%s: out of memory", name);
}

size_t sp_certify_features(const sp_loss *loss, sp_numbers number, size_t least, size_t most)
{
    size_t d;
    for (size_t features = least; features <= most; features++)
        if (sp_loss_dimension(loss, number, features, &d, NULL) == SP_OK)
            return features;
    return 0;
}

sp_status sp_certify_loss(const sp_loss *loss, sp_numbers number, const sp_certify_options *with, sp_error *error)
{
    sp_status status = SP_OK;
    sp_search h = { .loss = loss, .number = number, .with = with, .radius = SP_CERTIFY_RADIUS,
                  .label_bound = loss->labels_binary ? 1.0 : SP_CERTIFY_LABEL };
    SP_TRY(open(&h, loss->name, error));
    h.features = sp_certify_features(loss, number, 3, SP_CERTIFY_MAX);
    if (h.features == 0)
        SP_TRY(sp_fail(error, SP_EUNSUPPORTED, "%s: takes none of 3 to %d features at these parameters", loss->name,
                       SP_CERTIFY_MAX));
    SP_TRY(sp_loss_dimension(loss, number, h.features, &h.d, error));
    if (h.d > SP_CERTIFY_MAX)
        SP_TRY(sp_fail(error, SP_EUNSUPPORTED, "%s: %zu entries of w at these parameters, at most %d can be tested",
                       loss->name, h.d, SP_CERTIFY_MAX));
    SP_TRY(sp_certify_forms(&h, error));
    SP_TRY(sp_certify_constants(&h, error));
    SP_TRY(sp_certify_classes(&h, error));
    sp_certify_envelope(&h);
    SP_TRY(sp_certify_engine(&h, error));
cleanup:
    gsl_rng_free(h.stream);
    return status;
}

/* --- a regulariser: a function of one coordinate ------------------------------------------------------------ */

static double value(sp_target *t, const double *w)
{
    return ((const sp_regulariser *)t->subject)->value(*w);
}

static void gradient(sp_target *t, const double *w, double *out)
{
    *out = ((const sp_regulariser *)t->subject)->slope(*w);
}

static void product(sp_target *t, const double *w, const double *v, double *out)
{
    *out = ((const sp_regulariser *)t->subject)->curvature(*w) * *v;
}

sp_status sp_certify_regulariser(const sp_regulariser *r, const sp_certify_options *with, sp_error *error)
{
    sp_search h = { .with = with };
    const sp_status status = open(&h, r->name, error);
    if (status != SP_OK)
        return status;
    const char *region = sp_certify_regions[0].name;
    const double zero = 0.0;
    const sp_part_bounds claimed = { r->slope_max, r->curvature_high, r->curvature_low, r->third, 0.0 }; /* r >= r(0) */
    sp_target t = { .search = &h, .part = "regulariser", .d = 1, .norm = INFINITY, .unit = sp_part_unit(&claimed),
                    .start = &zero, .value = value, .gradient = gradient, .product = product, .subject = r };
    sp_target_derivatives(&t, region);
    sp_target_bounds(&t, &claimed, SP_TIGHT_ALL, region);
    sp_judge(&h, SP_CLAIM_BOUND, t.part, "|r(0)|", region, 0.0, fabs(r->value(0.0)), 0.0, 0.0);
    sp_judge(&h, SP_CLAIM_BOUND, t.part, "|r'(0)|", region, 0.0, fabs(r->slope(0.0)), 0.0, 0.0);
    if (r->convex)
        sp_judge(&h, SP_CLAIM_BOUND, t.part, "curvature_low of a convex one", region, 0.0, r->curvature_low, 0.0, 0.0);
    gsl_rng_free(h.stream);
    return SP_OK;
}
