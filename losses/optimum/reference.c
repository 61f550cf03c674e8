/* reference.c -- computes F* (reference.h): by a closed form, as a minimum with a certificate, or as the best of
 * several starts.
 *
 * A local minimum of a smooth F over R^d is found by the trust-region method (d <= SP_DENSE_MAX) or by Newton's method
 * with conjugate gradients; over a domain by accelerated projected gradient steps, which the trust-region method
 * polishes if no constraint is active. A convex F with kinks is minimised through its smoothings F_b with increasing b;
 * any other F with kinks by proximal points, each of which lowers F.
 *
 * If the regulariser is convex only near 0, F has a local minimum for nearly every choice of the entries that are near
 * 0 or far from it (jump.h). From a local minimum one entry jumps to where F is smallest along it, and F is minimised
 * again. If there are many records, the starts are first moved to local minima of F over some of the records.
 *
 * Realisable real labels y_i = <w*, x_i> with phi >= 0 and phi(y_i, y_i) = 0 for every record: F* = 0 at any w with X w
 * = y, which conjugate gradients on the normal equations find. For a link loss over moments, whose rows have counts, no
 * other F* is known. */
#include "losses/optimum/reference.h"

#include "core/base/memory.h"
#include "losses/optimum/branch.h"
#include "losses/optimum/certificate.h"
#include "losses/optimum/descent.h"
#include "losses/engine/engine.h"
#include "losses/optimum/jump.h"
#include "losses/optimum/prox.h"
#include "losses/engine/smoothed.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_randist.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double gradient_tolerance = 1e-12; /* times max(1, L_data): rounding of the gradient */
static const double gap_tolerance = 1e-10; /* the same where a gap decides: over a domain, and for smoothings */
static const double agreement = 1e-9, kinked_agreement = 1e-6, certain = 1e-6, wanted_gap = 1e-8, exact = 1e-12;
static const double negligible = 1e-7; /* above the least that a record can cost */
static const double branch_gap = 1e-7; /* times max(1, |F*|), as those above */
static const double still = 1e-7; /* a proximal point this near ends the search: sqrt(rounding) is what cuts can tell */
static const double branch_work = 3e11; /* multiplications: less than a minute */
enum { NEWTON_MAX = 300, PROJECTED_MAX = 20000, PROX_MAX = 300, SMOOTHINGS = 12, SAMPLE = 10000, TRIES = 4 };

typedef struct solver {
    const sp_problem *problem;
    sp_workspace *workspace;
    double b;            /* 0, or F is replaced by its smoothing F_b */
    double *w, *g, *other; /* d each */
    double *scratch;
} solver;

static size_t largest(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t scratch_doubles(const sp_problem *p)
{
    const size_t d = sp_problem_d(p);
    return largest(largest(sp_certificate_scratch(p), 6 * d), p->certified.smooth ? 0 : sp_prox_scratch(p));
}

static sp_smoothed smoothed(const solver *s)
{
    return (sp_smoothed){ s->problem, s->workspace, s->b };
}

static sp_status value_at(void *context, const double *w, double *out)
{
    const solver *s = context;
    *out = s->b > 0.0 ? sp_smoothed_value(&(sp_smoothed){ s->problem, s->workspace, s->b }, w)
                      : sp_problem_value(s->problem, s->workspace, w);
    return SP_OK;
}

static sp_status gradient_at(void *context, const double *w, double *out)
{
    const solver *s = context;
    const sp_smoothed f = smoothed(s);
    if (s->b > 0.0)
        sp_smoothed_gradient(&f, w, out);
    else
        sp_problem_gradient(s->problem, s->workspace, w, out);
    return SP_OK;
}

static sp_status hessian_at(void *context, const double *w, double *out)
{
    const solver *s = context;
    const sp_smoothed f = smoothed(s);
    if (s->b > 0.0)
        sp_smoothed_hessian(&f, w, out);
    else
        sp_problem_hessian(s->problem, s->workspace, w, out);
    return SP_OK;
}

static sp_status product_at(void *context, const double *w, const double *v, double *out)
{
    const solver *s = context;
    sp_problem_product(s->problem, s->workspace, w, v, out);
    return SP_OK;
}

/* --- local minima ------------------------------------------------------------------------------------------ */

/* Over R^d, from w. */
static sp_status newton(solver *s, const sp_smooth_function *f, double tolerance, double *w, double *out)
{
    sp_trust_region_result dense = { .value = NAN };
    sp_descent large = { .value = NAN };
    sp_status status;
    if (f->d <= SP_DENSE_MAX) {
        status = sp_trust_region(f, tolerance, NEWTON_MAX, w, &dense);
        *out = dense.value;
        return status;
    }
    if (s->b > 0.0)
        status = sp_descend(f, &s->problem->domain, tolerance, PROJECTED_MAX, w, s->scratch, &large);
    else
        status = sp_newton_cg(f, product_at, tolerance, NEWTON_MAX, w, s->scratch, &large);
    *out = large.value;
    return status;
}

static sp_status over_domain(solver *s, const sp_smooth_function *f, double tolerance, double *out)
{
    sp_status status = SP_OK;
    sp_descent result;
    double value = NAN;
    SP_TRY(sp_descend(f, &s->problem->domain, tolerance, PROJECTED_MAX, s->w, s->scratch, &result));
    SP_TRY(gradient_at(s, s->w, s->g));
    *out = result.value;
    if (f->d > SP_DENSE_MAX || cblas_dnrm2((int)f->d, s->g, 1) > 2.0 * fmax(result.residual, tolerance))
        goto cleanup; /* a constraint is active */
    memcpy(s->other, s->w, f->d * sizeof *s->w);
    SP_TRY(newton(s, f, gradient_tolerance / gap_tolerance * tolerance, s->other, &value));
    if (value <= *out && sp_domain_contains(&s->problem->domain, s->other)) {
        memcpy(s->w, s->other, f->d * sizeof *s->w);
        *out = value;
    }
cleanup:
    return status;
}

/* w <- prox(w) until it stays. */
static sp_status by_proximal_points(solver *s, double *out)
{
    const sp_problem *p = s->problem;
    const size_t d = sp_problem_d(p);
    const double rho = fmax(p->certified.weak_convexity, 1.0);
    double moved = INFINITY, error = 0.0;
    *out = sp_problem_value(p, s->workspace, s->w);
    for (int k = 0; k < PROX_MAX && moved > still; k++) {
        const sp_status status = sp_prox(p, s->workspace, rho, s->w, still, 0.1, s->other, &error, s->scratch);
        if (status != SP_OK)
            return status;
        const double value = sp_problem_value(p, s->workspace, s->other);
        if (!(value < *out))
            break;
        moved = 0.0;
        for (size_t j = 0; j < d; j++)
            moved = fmax(moved, fabs(s->other[j] - s->w[j]));
        memcpy(s->w, s->other, d * sizeof *s->w);
        *out = value;
    }
    return SP_OK;
}

/* A local minimum over the domain from s->w; its place in s->w, its value in *out. */
static sp_status minimise(solver *s, double *out)
{
    const sp_problem *p = s->problem;
    const sp_smooth_function f = { sp_problem_d(p), s, value_at, gradient_at, hessian_at };
    const double scale = isfinite(p->certified.L_data) ? fmax(1.0, p->certified.L_data) : 1.0;
    const bool space = p->domain.kind == SP_DOMAIN_SPACE;
    const double tolerance = scale * (space && s->b == 0.0 ? gradient_tolerance : gap_tolerance);
    if (!p->certified.smooth && s->b == 0.0)
        return by_proximal_points(s, out);
    return space ? newton(s, &f, tolerance, s->w, out) : over_domain(s, &f, tolerance, out);
}

/* --- closed forms ------------------------------------------------------------------------------------------ */

static bool plain(const sp_problem *p)
{
    return !p->regulariser || p->lambda == 0.0;
}

/* The loss's own formula; F* over R^d, so over any domain that has the point. */
static bool by_formula(const sp_problem *p, double *w)
{
    return plain(p) && sp_problem_minimiser(p, w) && sp_domain_contains(&p->domain, w);
}

static bool realisable(const sp_problem *p, sp_workspace *s)
{
    const sp_dataset *data = p->train;
    if (!p->loss->link || p->loss->public_part || p->loss->labels_binary || !p->realisable || !plain(p) || !data->y)
        return false;
    const size_t n = sp_dataset_rows(data);
    for (size_t first = 0, count; first < n; first += count) {
        count = n - first < SP_ROWS ? n - first : SP_ROWS;
        p->loss->link->value(p->number, count, data->y + first, data->y + first, s->slope);
        for (size_t i = 0; i < count; i++)
            if (s->slope[i] != 0.0)
                return false;
    }
    return true;
}

/* out = X' (X v - shift y) / n */
static void normal_product(const sp_problem *p, sp_workspace *s, const double *v, double shift, double *out)
{
    const size_t n = sp_dataset_rows(p->train), d = p->train->d;
    memset(out, 0, d * sizeof *out);
    for (size_t first = 0, count; first < n; first += count) {
        count = sp_block_gather(p, s, (sp_rows){ NULL, n }, first, SP_ROWS);
        sp_rows_dot(&s->block, v, s->scale);
        for (size_t i = 0; i < count; i++)
            s->scale[i] = (s->scale[i] - shift * s->label[i]) / (double)n;
        sp_rows_add(&s->block, s->scale, out);
    }
}

/* s->w with X w = y, as near as 2 d steps of conjugate gradients come. */
static void interpolate(solver *s)
{
    const sp_problem *p = s->problem;
    const int d = (int)sp_problem_d(p);
    double *r = s->g, *v = s->other, *Av = s->scratch, square = 0.0, first = 0.0;
    memset(s->w, 0, (size_t)d * sizeof *s->w);
    normal_product(p, s->workspace, s->w, 1.0, r);
    cblas_dscal(d, -1.0, r, 1);
    memcpy(v, r, (size_t)d * sizeof *v);
    first = square = cblas_ddot(d, r, 1, r, 1);
    for (int k = 0; k < 2 * d && square > 1e-32 * first; k++) {
        normal_product(p, s->workspace, v, 0.0, Av);
        const double bend = cblas_ddot(d, v, 1, Av, 1);
        if (!(bend > 0.0))
            break;
        cblas_daxpy(d, square / bend, v, 1, s->w, 1);
        cblas_daxpy(d, -square / bend, Av, 1, r, 1);
        const double next = cblas_ddot(d, r, 1, r, 1);
        cblas_dscal(d, next / square, v, 1);
        cblas_daxpy(d, 1.0, r, 1, v, 1);
        square = next;
    }
}

/* True when F* is known by a formula; s->w is then its place if *place. */
static bool closed(solver *s, sp_reference *out, bool *place)
{
    const sp_problem *p = s->problem;
    *place = by_formula(p, s->w);
    if (*place) {
        out->value = sp_problem_value(p, s->workspace, s->w);
        return true;
    }
    if (!realisable(p, s->workspace))
        return false;
    interpolate(s);
    *place = sp_problem_value(p, s->workspace, s->w) <= exact && sp_domain_contains(&p->domain, s->w);
    return *place || p->domain.kind == SP_DOMAIN_SPACE;
}

/* Not below the gap when it is printed to one digit. */
static double rounded_up(double gap)
{
    char digit[32], unit[32];
    snprintf(digit, sizeof digit, "%.0e", gap);
    if (!(strtod(digit, NULL) < gap))
        return gap;
    snprintf(unit, sizeof unit, "1%s", strchr(digit, 'e'));
    return gap + 0.5 * strtod(unit, NULL);
}

/* --- convex ------------------------------------------------------------------------------------------------ */

static void label_convex(sp_reference *out, double gradient_norm)
{
    out->error = fmax(out->error, DBL_EPSILON * fmax(1.0, fabs(out->value))); /* F itself is rounded */
    const double gap = rounded_up(out->error);
    if (out->error <= certain * fmax(1.0, fabs(out->value)))
        snprintf(out->method, sizeof out->method, "convex, gap %.1g", gap);
    else
        snprintf(out->method, sizeof out->method, "convex, gap %.1g, grad %.1g", gap, gradient_norm);
}

/* The records that cost next to nothing at w pull it to infinity for nothing: a record whose phi is within `negligible`
 * of inf phi >= phi(0) - gap falls by no more than that anywhere, and the others have a gap of their own. */
static sp_status certify_others(solver *s, double *error)
{
    sp_status status = SP_OK;
    const sp_problem *p = s->problem;
    const size_t n = p->train->n;
    const sp_rows all = { NULL, n };
    size_t count = 0;
    double gap = 0.0;
    sp_dataset some = { 0 };
    sp_workspace *workspace = NULL;
    double *value = sp_alloc_doubles(n), *at_zero = sp_alloc_doubles(n);
    uint32_t *index = sp_alloc(n, sizeof *index);
    SP_TRY(value && at_zero && index ? SP_OK : SP_ENOMEM);
    memset(s->other, 0, sp_problem_d(p) * sizeof *s->other);
    sp_data_values(p, s->workspace, all, s->w, value);
    sp_data_values(p, s->workspace, all, s->other, at_zero);
    for (size_t i = 0; i < n; i++)
        if (!(value[i] - (at_zero[i] - s->workspace->link.gap) <= negligible))
            index[count++] = (uint32_t)i;
    if (count > 0) {
        SP_TRY(sp_dataset_take(p->train, index, count, &some, NULL));
        const sp_problem others = sp_problem_on(p, &some);
        const sp_minorant minorant = { s->other, 0.0, INFINITY };
        workspace = sp_workspace_new(&others);
        SP_TRY(workspace ? SP_OK : SP_ENOMEM);
        sp_problem_gradient(&others, workspace, s->w, s->other);
        SP_TRY(sp_certificate(&others, workspace, s->w, &minorant, s->scratch, &gap));
    }
    *error = fmin(*error, ((double)count * gap + (double)(n - count) * negligible) / (double)n);
cleanup:
    sp_workspace_free(workspace);
    sp_dataset_free(&some);
    free(index);
    free(at_zero);
    free(value);
    return status;
}

static sp_status convex_smooth(solver *s, sp_reference *out)
{
    sp_status status = SP_OK;
    const sp_minorant minorant = { s->g, 0.0, INFINITY };
    memcpy(s->w, s->problem->start, sp_problem_d(s->problem) * sizeof *s->w);
    SP_TRY(minimise(s, &out->value));
    SP_TRY(gradient_at(s, s->w, s->g));
    SP_TRY(sp_certificate(s->problem, s->workspace, s->w, &minorant, s->scratch, &out->error));
    if (out->error > wanted_gap && s->problem->loss->link && !s->problem->loss->public_part && plain(s->problem))
        SP_TRY(certify_others(s, &out->error));
    label_convex(out, cblas_dnrm2((int)sp_problem_d(s->problem), s->g, 1));
cleanup:
    return status;
}

/* The smallest F(w) over the smoothings, against the largest lower bound. */
static sp_status convex_kinked(solver *s, double *best, sp_reference *out)
{
    sp_status status = SP_OK;
    const sp_problem *p = s->problem;
    const size_t d = sp_problem_d(p);
    double lower = -INFINITY, norm = 0.0, ignored = 0.0;
    out->value = INFINITY;
    memcpy(s->w, p->start, d * sizeof *s->w);
    for (int k = 0; k < SMOOTHINGS; k++) {
        sp_minorant minorant = { s->g, 0.0, INFINITY };
        double gap = INFINITY;
        s->b = s->workspace->link.slope * sp_pow(10.0, k - 1);
        SP_TRY(minimise(s, &ignored));
        SP_TRY(gradient_at(s, s->w, s->g));
        const sp_smoothed f = smoothed(s);
        minorant.kink = sp_smoothed_kink(&f, s->w);
        norm = cblas_dnrm2((int)d, s->g, 1);
        if (d <= SP_DENSE_MAX)
            SP_TRY(sp_smoothed_reach(&f, s->w, norm, minorant.kink, s->scratch, &minorant.distance));
        SP_TRY(sp_certificate(p, s->workspace, s->w, &minorant, s->scratch, &gap));
        const double value = sp_problem_value(p, s->workspace, s->w);
        lower = fmax(lower, value - gap);
        if (value < out->value) {
            out->value = value;
            memcpy(best, s->w, d * sizeof *best);
        }
        if (out->value - lower <= wanted_gap * fmax(1.0, fabs(out->value)))
            break;
    }
    memcpy(s->w, best, d * sizeof *best);
    out->error = out->value - lower;
    label_convex(out, norm);
cleanup:
    s->b = 0.0;
    return status;
}

static sp_status convex(solver *s, double *best, sp_reference *out)
{
    return s->problem->certified.smooth ? convex_smooth(s, out) : convex_kinked(s, best, out);
}

/* --- not convex -------------------------------------------------------------------------------------------- */

/* Start k: the problem's own, 0, then Gaussian ones of deviation 1/2, 1, 2, 4, 1/2, ... in the domain. */
static void start(solver *s, size_t k, gsl_rng *stream)
{
    const size_t d = sp_problem_d(s->problem);
    if (k == 0)
        memcpy(s->w, s->problem->start, d * sizeof *s->w);
    else
        for (size_t j = 0; j < d; j++)
            s->w[j] = k == 1 ? 0.0 : gsl_ran_gaussian(stream, ldexp(0.5, (int)((k - 2) % 4)));
    sp_domain_project(&s->problem->domain, s->w);
}

/* From a local minimum s->w of value *out to one that no single jump improves, trying `tries` jumps that F does not
 * fall by at once. change: d (SP_PLACES + 1) doubles. */
static sp_status jump(solver *s, size_t tries, double *change, double *out)
{
    sp_status status = SP_OK;
    const sp_problem *p = s->problem;
    const size_t d = sp_problem_d(p);
    double *from = change + d * SP_PLACES;
    for (bool fell = true; fell;) {
        fell = false;
        memcpy(from, s->w, d * sizeof *from);
        sp_jump_changes(p, s->workspace, from, change);
        for (size_t t = 0; t <= tries && !fell; t++) {
            size_t best = 0;
            double least = INFINITY, value = NAN;
            for (size_t i = 0; i < d * SP_PLACES; i++)
                if (change[i] < least && sp_jump_leaves(p, from[i / SP_PLACES], sp_jump_place(i % SP_PLACES))) {
                    least = change[i];
                    best = i;
                }
            if (!(least < (t < tries ? 0.5 * p->lambda : -agreement)))
                break;
            change[best] = INFINITY;
            memcpy(s->w, from, d * sizeof *from);
            s->w[best / SP_PLACES] = sp_jump_place(best % SP_PLACES);
            sp_domain_project(&p->domain, s->w);
            SP_TRY(minimise(s, &value));
            fell = value < *out - agreement;
            if (fell)
                *out = value;
        }
        if (!fell)
            memcpy(s->w, from, d * sizeof *from);
    }
cleanup:
    return status;
}

static sp_status settle(solver *s, size_t tries, double *change, double *value)
{
    const sp_status status = minimise(s, value);
    return status == SP_OK && sp_jump_fits(s->problem) ? jump(s, tries, change, value) : status;
}

/* `p` over every k-th record, some SAMPLE of them; false: all are few enough. */
static sp_status sample(const sp_problem *p, sp_dataset *some, bool *sampled)
{
    const size_t step = p->train->n / SAMPLE, count = SAMPLE;
    *sampled = step > 1 && p->certified.smooth && !p->train->moments;
    if (!*sampled)
        return SP_OK;
    uint32_t *index = sp_alloc(count, sizeof *index);
    if (!index)
        return SP_ENOMEM;
    for (size_t i = 0; i < count; i++)
        index[i] = (uint32_t)(i * step);
    const sp_status status = sp_dataset_take(p->train, index, count, some, NULL);
    free(index);
    return status;
}

/* A certified lower bound on F*: the minimum without the regulariser, which is >= 0, where that is convex; else
 * -INFINITY. Raised by branch and bound from best[d], which a better point may replace. */
static sp_status lower_bound(solver *s, double *best, double *value, double *out)
{
    const sp_problem *p = s->problem;
    const size_t d = sp_problem_d(p);
    sp_problem bare = *p;
    sp_reference without = { .minimiser = NULL };
    sp_branch_result branch;
    *out = -INFINITY;
    if (plain(p))
        return SP_OK;
    const sp_setting setting = { .loss = p->loss, .number = p->number, .domain = &p->domain, .n = p->train->n,
                                 .features = p->train->d, .radius = p->certified.radius,
                                 .label_bound = p->train->label_bound, .realisable = p->realisable,
                                 .start_norm = cblas_dnrm2((int)d, p->start, 1) };
    bare.regulariser = NULL;
    sp_status status = sp_certify(&setting, &bare.certified, NULL);
    if (status != SP_OK || !bare.certified.convex || !(bare.certified.smooth || bare.certified.gll))
        return status;
    s->problem = &bare;
    status = convex(s, best + d, &without);
    s->problem = p;
    *out = without.value - without.error;
    if (status != SP_OK || !sp_branch_fits(p, &bare))
        return status;
    SP_TRY(sp_branch(p, &bare, s->workspace, branch_gap * fmax(1.0, fabs(*value)), branch_work, s->w, best, &branch));
    *out = fmax(*out, branch.lower);
    if (branch.value < *value) {
        memcpy(s->w, best, d * sizeof *best);
        SP_TRY(minimise(s, value));
        memcpy(best, s->w, d * sizeof *best);
    }
cleanup:
    return status;
}

/* `best` has 2 d doubles. */
static sp_status multistart(solver *s, size_t starts, gsl_rng *stream, double *values, double *best, sp_reference *out)
{
    sp_status status = SP_OK;
    const sp_problem *p = s->problem;
    const size_t d = sp_problem_d(p);
    const double near = p->certified.smooth ? agreement : kinked_agreement;
    size_t agree = 0;
    double lower = -INFINITY, *change = NULL;
    sp_dataset some = { 0 };
    sp_problem fewer;
    solver few = *s;
    bool sampled = false;
    few.workspace = NULL;
    out->value = INFINITY;
    if (sp_jump_fits(p)) {
        change = sp_alloc_doubles(d * (SP_PLACES + 1));
        SP_TRY(change ? SP_OK : SP_ENOMEM);
    }
    SP_TRY(sample(p, &some, &sampled));
    if (sampled) {
        fewer = sp_problem_on(p, &some);
        few.problem = &fewer;
        few.workspace = sp_workspace_new(&fewer);
        SP_TRY(few.workspace ? SP_OK : SP_ENOMEM);
    }
    for (size_t k = 0; k < starts; k++) {
        start(s, k, stream);
        status = sampled ? settle(&few, TRIES, change, &values[k]) : SP_OK;
        if (status == SP_OK)
            status = settle(s, sampled ? 0 : TRIES, change, &values[k]);
        if (status == SP_ENUMERIC) /* F is not finite there: that start is lost */
            values[k] = INFINITY;
        else
            SP_TRY(status);
        if (values[k] < out->value) {
            out->value = values[k];
            memcpy(best, s->w, d * sizeof *best);
        }
    }
    SP_TRY(isfinite(out->value) ? SP_OK : SP_ENUMERIC);
    SP_TRY(lower_bound(s, best, &out->value, &lower));
    memcpy(s->w, best, d * sizeof *best);
    for (size_t k = 0; k < starts; k++)
        agree += values[k] - out->value <= near * fmax(1.0, fabs(out->value));
    out->error = fmax(out->value - lower, DBL_EPSILON * fmax(1.0, fabs(out->value)));
    const int length = snprintf(out->method, sizeof out->method, "multistart %zu, %zu agree", starts, agree);
    if (isfinite(out->error))
        snprintf(out->method + length, sizeof out->method - (size_t)length, ", gap %.1g", rounded_up(out->error));
cleanup:
    sp_workspace_free(few.workspace);
    sp_dataset_free(&some);
    free(change);
    return status;
}

sp_status sp_reference_compute(const sp_problem *p, size_t starts, gsl_rng *stream, sp_reference *out, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t d = sp_problem_d(p);
    double *memory = NULL, *values = NULL, *best = NULL;
    solver s = { .problem = p };
    bool place = true;
    *out = (sp_reference){ .method = "closed" };
    if (starts == 0)
        return sp_fail(error, SP_EINVAL, "starts = 0: a reference needs at least one");
    memory = sp_alloc_doubles(4 * d + scratch_doubles(p));
    values = sp_alloc_doubles(starts);
    s.w = sp_alloc_doubles(d);
    s.workspace = sp_workspace_new(p);
    SP_TRY(memory && values && s.w && s.workspace ? SP_OK : SP_ENOMEM);
    s.g = memory;
    s.other = s.g + d;
    best = s.other + d;
    s.scratch = best + 2 * d;
    if (!closed(&s, out, &place)) {
        place = true;
        SP_TRY(p->loss->link && p->train->moments ? SP_EUNSUPPORTED : SP_OK);
        if (p->certified.convex && (p->certified.smooth || p->certified.gll))
            SP_TRY(convex(&s, best, out));
        else
            SP_TRY(multistart(&s, starts, stream, values, best, out));
    }
    if (place) {
        out->minimiser = s.w;
        out->d = d;
        s.w = NULL;
    }
cleanup:
    if (status != SP_OK)
        sp_fail(error, status, "reference F* of %s: %s", p->loss->name, sp_status_text(status));
    sp_workspace_free(s.workspace);
    free(s.w);
    free(values);
    free(memory);
    return status;
}

void sp_reference_free(sp_reference *r)
{
    free(r->minimiser);
    r->minimiser = NULL;
    r->d = 0;
}
