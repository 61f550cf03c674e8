/* conformance/loss.c NAME -- losses/certify/certify.h at the default parameters, at drawn ones and with every
 * regulariser; and mutants of the loss, which it has to notice. */
#include "losses/optimum/reference.h"
#include "tests/allocation.h"
#include "tests/certify.h"
#include "tests/landscape.h"

static gsl_rng *stream;

/* Every parameter drawn log-uniformly from what its range and [0.2, 4] share. */
static void draw_numbers(const sp_param *params, double *number)
{
    for (size_t i = 0; params && params[i].key; i++) {
        const double low = fmax(params[i].range.low, 0.2), high = fmin(params[i].range.high, 4.0);
        const double u = gsl_rng_uniform(stream);
        if (params[i].kind == SP_REAL && high >= low)
            number[i] = low * pow(high / low, u);
        else if (params[i].kind == SP_COUNT)
            number[i] = fmin(params[i].range.high, ceil(fmax(params[i].range.low, 1.0)) + floor(3.0 * u));
        else if (params[i].kind == SP_FLAG)
            number[i] = u < 0.5;
        else if (params[i].kind == SP_CHOICE) {
            size_t words = 1;
            for (const char *c = params[i].choices; *c; c++)
                words += *c == '|';
            number[i] = floor(u * (double)words);
        }
    }
}

static void check_loss(const sp_loss *loss, const double *number, const sp_regulariser *regulariser, unsigned claims)
{
    sp_text name = { 0 };
    sp_error error = { 0 };
    sp_text_append(&name, "%s", loss->name);
    for (size_t i = 0; loss->params && loss->params[i].key; i++)
        sp_text_append(&name, " %s=%.6g", loss->params[i].key, number[i]);
    certification c = { .subject = name.data };
    const sp_certify_options with = { .claims = claims, .regulariser = regulariser, .lambda = regulariser ? 0.371 : 0.0,
                                     .seed = 1, .report = certify, .context = &c };
    SP_CHECK_REPORT(sp_certify_loss(loss, number, &with, &error) == SP_OK && c.findings > 0, "%s", error.text);
    sp_text_free(&name);
}

/* --- mutants ------------------------------------------------------------------------------------------------ */

static const sp_loss *original;
static unsigned mutated; /* SP_TIGHT_*: which bound is wrong */
static double factor;

static void spoil(double *slope, double *high, double *low, double *third, double *gap)
{
    double *const bound[] = { slope, high, low, third, gap };
    for (int i = 0; i < 5; i++)
        if (bound[i] && (mutated & 1u << i))
            *bound[i] *= factor;
}

static void link_bounds(sp_numbers p, const sp_region *r, sp_link_bounds *b)
{
    original->link_bounds(p, r, b);
    spoil(&b->slope, &b->curvature_high, &b->curvature_low, &b->third, &b->gap);
}

static void tilt_bounds(sp_numbers p, sp_tilt_bounds *b)
{
    original->tilt->bounds(p, b);
    spoil(&b->slope, &b->curvature, NULL, &b->third, NULL);
}

static void record_bounds(sp_numbers p, const sp_region *r, sp_record_bounds *b)
{
    original->record->bounds(p, r, b);
    spoil(&b->slope, &b->curvature_high, &b->curvature_low, &b->third, &b->gap);
}

static void public_bounds(sp_numbers p, const sp_region *r, sp_public_bounds *b)
{
    original->public_part->bounds(p, r, b);
    spoil(&b->slope, &b->curvature_high, &b->curvature_low, &b->third, &b->gap);
}

static void link_slope(sp_numbers p, size_t count, const double *m, const double *y, double *restrict out)
{
    original->link->slope(p, count, m, y, out);
    for (size_t i = 0; i < count; i++)
        out[i] *= factor;
}

static void link_curvature(sp_numbers p, size_t count, const double *m, const double *y, double *restrict out)
{
    original->link->curvature(p, count, m, y, out);
    for (size_t i = 0; i < count; i++)
        out[i] *= factor;
}

static void tilt_phi(sp_numbers p, size_t d, const double *w, int order, double *restrict out)
{
    original->tilt->phi(p, d, w, order, out);
    for (size_t j = 0; j < d; j++)
        out[j] *= order == 1 ? factor : 1.0;
}

static void record_gradient(sp_numbers p, size_t features, const double *x, double y, const double *w, double *scratch,
                            double *restrict out)
{
    size_t d = 0;
    original->record->gradient(p, features, x, y, w, scratch, out);
    CHECK(sp_loss_dimension(original, p, features, &d, NULL) == SP_OK);
    out[d - 1] *= factor;
}

static void public_gradient(sp_numbers p, size_t d, const double *w, double *restrict out)
{
    original->public_part->gradient(p, d, w, out);
    for (size_t j = 0; j < d; j++)
        out[j] *= factor;
}

/* The kinds of claims of `loss` that fail. */
static unsigned failed(const sp_loss *loss, const double *number, unsigned claims)
{
    certification c = { 0 };
    const sp_certify_options with = { .claims = claims, .seed = 1, .report = certify_quietly, .context = &c };
    CHECK(sp_certify_loss(loss, number, &with, NULL) == SP_OK);
    return c.failed;
}

/* Is the bound a positive number in some region? Otherwise there is nothing to be wrong. */
static bool claimed(const sp_loss *loss, const double *number, bool of_public_part, unsigned flag)
{
    for (int i = 0; i < 2; i++) {
        size_t d = 0;
        const size_t features = sp_certify_features(loss, number, 3, 64);
        CHECK(sp_loss_dimension(loss, number, features, &d, NULL) == SP_OK);
        const sp_region r = { d, features, i ? SP_CERTIFY_BALL : INFINITY, SP_CERTIFY_RADIUS,
                              loss->labels_binary ? 1.0 : SP_CERTIFY_LABEL, false };
        sp_public_bounds b = { 0 };
        if (of_public_part)
            loss->public_part->bounds(number, &r, &b);
        else if (loss->link) {
            sp_link_bounds l = { 0 };
            loss->link_bounds(number, &r, &l);
            b = (sp_public_bounds){ l.slope, l.curvature_high, l.curvature_low, l.third, l.gap };
        } else if (loss->tilt) {
            sp_tilt_bounds t = { 0 };
            loss->tilt->bounds(number, &t);
            b = (sp_public_bounds){ t.slope, t.curvature, 0.0, t.third, 0.0 };
        } else {
            sp_record_bounds t = { 0 };
            loss->record->bounds(number, &r, &t);
            b = (sp_public_bounds){ t.slope, t.curvature_high, t.curvature_low, t.third, t.gap };
        }
        const double bound[] = { b.slope, b.curvature_high, b.curvature_low, b.third, b.gap };
        for (int k = 0; k < 5; k++)
            if (flag == 1u << k && bound[k] > 0.0 && isfinite(bound[k]))
                return true;
    }
    return false;
}

/* A bound that is called tight and is 4 % too small, or looser than "tight" allows. */
static void check_bound_mutants(const double *number)
{
    sp_loss wrong = *original;
    sp_tilt tilt = original->tilt ? *original->tilt : (sp_tilt){ 0 };
    sp_record_form record = original->record ? *original->record : (sp_record_form){ 0 };
    sp_public_part public_part = original->public_part ? *original->public_part : (sp_public_part){ 0 };
    for (int of_public_part = 0; of_public_part < (original->public_part ? 2 : 1); of_public_part++) {
        wrong = *original;
        tilt.bounds = tilt_bounds, record.bounds = record_bounds, public_part.bounds = public_bounds;
        if (of_public_part)
            wrong.public_part = &public_part;
        else if (original->link)
            wrong.link_bounds = link_bounds;
        else if (original->tilt)
            wrong.tilt = &tilt;
        else
            wrong.record = &record;
        const unsigned tight = of_public_part ? original->public_tight : original->tight;
        for (mutated = SP_TIGHT_SLOPE; mutated <= SP_TIGHT_GAP; mutated *= 2)
            for (int k = 0; k < 2 && (tight & mutated) && claimed(original, number, of_public_part, mutated); k++) {
                factor = k ? 1.07 : 0.96;
                SP_CHECK_REPORT(failed(&wrong, number, SP_CLAIM_BOUND) == SP_CLAIM_BOUND,
                                "%s, %s: bound %u times %g was not noticed", original->name,
                                of_public_part ? "public part" : "data part", mutated, factor);
            }
    }
}

/* Derivatives off by 1 in 10^4, or of the wrong sign. */
static void check_derivative_mutants(const double *number)
{
    sp_link slope = { 0 }, curvature = { 0 };
    sp_tilt tilt = original->tilt ? *original->tilt : (sp_tilt){ 0 };
    sp_record_form record = original->record ? *original->record : (sp_record_form){ 0 };
    sp_public_part public_part = original->public_part ? *original->public_part : (sp_public_part){ 0 };
    sp_link_bounds b = { 0 };
    if (original->link) {
        const sp_region r = { 3, 3, SP_CERTIFY_BALL, SP_CERTIFY_RADIUS, 1.0, false };
        slope = curvature = *original->link;
        slope.slope = link_slope, curvature.curvature = link_curvature;
        original->link_bounds(number, &r, &b);
    }
    tilt.phi = tilt_phi, record.gradient = record_gradient, public_part.gradient = public_gradient;
    for (int k = 0; k < 2; k++) {
        factor = k ? 1.0001 : -1.0;
        for (int part = 0; part < 5; part++) {
            sp_loss wrong = *original;
            if (part == 0 && original->link)
                wrong.link = &slope;
            else if (part == 1 && original->link && (b.curvature_low > 0.0 || original->smooth))
                wrong.link = &curvature;
            else if (part == 2 && original->tilt)
                wrong.tilt = &tilt;
            else if (part == 3 && original->record)
                wrong.record = &record;
            else if (part == 4 && original->public_part)
                wrong.public_part = &public_part;
            else
                continue;
            SP_CHECK_REPORT(failed(&wrong, number, SP_CLAIM_DERIVATIVE) == SP_CLAIM_DERIVATIVE,
                            "%s: derivative %d times %g was not noticed", original->name, part, factor);
        }
    }
}

/* --- allocation --------------------------------------------------------------------------------------------- */

static void check_allocation(const sp_loss *loss, const double *number)
{
    landscape l;
    const landscape_options o = { .loss = loss, .n = 5, .d = 2, .radius = 1.31,
                                  .label_bound = loss->labels_binary ? 1.0 : 0.83 };
    bool all = !landscape_make(o, stream, &l);
    for (size_t k = 1; !all; k++) {
        arm(k);
        sp_workspace *s = sp_workspace_new(&l.problem);
        disarm();
        all = allocations < k;
        CHECK((s != NULL) == all);
        sp_workspace_free(s);
    }
    landscape_drop(&l);
    all = false;
    for (size_t k = 1; !all; k++) {
        certification c = { 0 };
        const sp_certify_options with = { .claims = SP_CLAIM_ENGINE, .seed = 1, .report = certify_quietly,
                                         .context = &c };
        arm(k);
        const sp_status status = sp_certify_loss(loss, number, &with, NULL);
        disarm();
        all = allocations < k;
        CHECK_EQUAL(status, all ? SP_OK : SP_ENOMEM);
    }
}

/* The most by which the parabola of `scale` times the majorant lies below phi, at drawn margins. */
static double below_majorant(const double *number, double scale)
{
    const sp_region r = { 3, 3, INFINITY, SP_CERTIFY_RADIUS, 1.0, false };
    const sp_link *link = original->link;
    sp_link_bounds b = { 0 };
    double most = 0.0;
    original->link_bounds(number, &r, &b);
    for (size_t i = 0; i < 20000; i++) {
        const double y = original->labels_binary ? (i % 2 ? 1.0 : -1.0) : gsl_ran_flat(stream, -1.0, 1.0);
        const double m = gsl_ran_gaussian(stream, pow(10.0, gsl_ran_flat(stream, -6.0, 2.0)));
        const double u = i % 3 == 0 ? -m : gsl_ran_gaussian(stream, pow(10.0, gsl_ran_flat(stream, -3.0, 2.0)));
        double h, slope, here, there;
        original->majorant(number, 1, &m, &y, &h);
        link->slope(number, 1, &m, &y, &slope);
        link->value(number, 1, &m, &y, &here);
        link->value(number, 1, &u, &y, &there);
        CHECK(h >= 0.0 && h <= b.curvature_high * (1.0 + 1e-14));
        const double form = scale * h * (u - m) * (u - m) / 2.0;
        most = fmax(most, there - here - slope * (u - m) - form - 1e-13 * (1.0 + fabs(here) + fabs(there) + form));
    }
    return most;
}

/* And one that is 1 % too small is noticed. */
static void check_majorant(const double *number)
{
    if (!original->majorant)
        return;
    CHECK(original->link);
    CHECK_LESS_EQUAL(below_majorant(number, 1.0), 0.0);
    CHECK(below_majorant(number, 0.99) > 1e-6);
}

int main(int argc, char **argv)
{
    enum { VARIANTS = 3 };
    const sp_loss *loss = original = argc == 2 ? sp_loss_find(argv[1]) : NULL;
    double number[SP_PARAM_MAX] = { 0.0 };
    CHECK(loss != NULL);
    if (!loss)
        return sp_check_done();
    stream = landscape_stream(loss->name);
    CHECK(stream != NULL && loss->family && loss->formula && loss->source);
    CHECK((loss->link != NULL) + (loss->tilt != NULL) + (loss->record != NULL) == 1);
    CHECK((loss->link != NULL) == (loss->link_bounds != NULL));
    landscape_defaults(loss->params, number);
    check_loss(loss, number, NULL, SP_CLAIM_ALL);
    for (size_t i = 0; i < sp_regulariser_count; i++)
        check_loss(loss, number, sp_regularisers[i], SP_CLAIM_DERIVATIVE | SP_CLAIM_CONSTANT | SP_CLAIM_ENGINE);
    check_bound_mutants(number);
    check_derivative_mutants(number);
    check_majorant(number);
    check_allocation(loss, number);
    for (int variant = 0; loss->params && variant < VARIANTS; variant++) {
        draw_numbers(loss->params, number);
        check_loss(loss, number, NULL, SP_CLAIM_ALL);
    }
    gsl_rng_free(stream);
    return sp_check_done();
}
