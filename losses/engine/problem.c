/* problem.c -- constants composed from a loss, a regulariser and a domain; the objective composed from their parts.
 *
 * Data part of one record, ||x|| <= R, link bounds s1 = sup |phi'|, u = sup phi'', l = sup -phi'', s3 = sup |phi'''|:
 *
 *   GLM    gradient phi' x, Hessian phi'' x x':  L = R s1,  -R^2 l <= hess <= R^2 u,  rho_H = R^3 s3
 *          ||b x x' - c z z'||_F <= R^2 max(sqrt2 max(u, l), u + l): orthogonal x, z of one sign, equal ones of two
 *   tilt   gradient x o Phi', Hessian diag(x o Phi''):  L = R s1,  |hess| <= R s2,  rho_H = R s3, and 2 R s2 in ||.||_F
 *
 * The public part h + lambda sum_j r(w_j) adds its own slope, curvature window and third derivative.
 *
 * Gap. F(w0) - F* <= (F_0(0) - inf F_0) + L_0 ||w0|| + lambda sum_j r(w0_j), F_0 without the regulariser. r >= r(0) = 0
 * gives r'(0) = 0 and sum_j r(w0_j) <= min(sqrt d sup |r'| ||w0||, sup r'' ||w0||^2 / 2). On a ball also <= L diameter.
 */
#include "losses/engine/problem.h"

#include "core/base/memory.h"
#include "losses/engine/engine.h"

#include <gsl/gsl_cblas.h>
#include <stdlib.h>
#include <string.h>

/* --- constants -------------------------------------------------------------------------------------------- */

/* Of one part of F: L, -down <= hess <= up, rho_H. */
typedef struct part {
    double slope, up, down, third;
} part;

static part regulariser_part(const sp_regulariser *r, double lambda, const sp_domain *domain)
{
    if (!r || lambda == 0.0)
        return (part){ 0.0, 0.0, 0.0, 0.0 };
    const double bend = fmax(r->curvature_high, r->curvature_low);
    return (part){ lambda * fmin(sqrt((double)domain->d) * r->slope_max, bend * domain->radius),
                   lambda * r->curvature_high, lambda * r->curvature_low, lambda * r->third };
}

sp_status sp_certify(const sp_loss *loss, sp_numbers number, const sp_regulariser *regulariser, double lambda,
                     const sp_domain *domain, double radius, double label_bound, bool realisable, double start_norm,
                     size_t n, sp_constants *out, sp_error *error)
{
    if (!(radius >= 0.0 && radius < INFINITY))
        return sp_fail(error, SP_EINVAL, "radius = %g: the feature norm needs a finite bound", radius);
    if (!(lambda >= 0.0 && lambda < INFINITY))
        return sp_fail(error, SP_EINVAL, "lambda = %g must be finite and at least 0", lambda);
    if (!(start_norm <= domain->radius * (1.0 + 1e-12)))
        return sp_fail(error, SP_EINVAL, "the start has norm %g, outside the domain of radius %g", start_norm,
                       domain->radius);
    const double R = radius, d = (double)domain->d;
    const part r = regulariser_part(regulariser, lambda, domain);
    const bool plain = !regulariser || lambda == 0.0;
    part data, h = { 0.0, 0.0, 0.0, 0.0 };
    double frobenius, gap, distance = INFINITY, quasar = 0.0;
    if (loss->link) {
        sp_link_bounds b;
        loss->link_bounds(number, label_bound, &b);
        data = (part){ R * b.slope, R * R * b.curvature_high, R * R * b.curvature_low, R * R * R * b.third };
        frobenius = fmax(sqrt(2.0) * fmax(data.up, data.down), data.up + data.down);
        gap = b.gap;
        if (realisable && loss->quasar)
            quasar = loss->quasar(number, isfinite(domain->radius) ? R * domain->radius + label_bound : INFINITY);
    } else {
        sp_tilt_bounds b;
        loss->tilt_bounds(number, domain->d, &b);
        loss->tilt->reach(number, domain->d, R, &gap, &distance);
        data = (part){ R * b.phi_slope, R * b.phi_curvature, R * b.phi_curvature, R * b.phi_third };
        h = (part){ b.h_slope, b.h_curvature, b.h_weak_convexity, b.h_third };
        frobenius = 2.0 * data.up;
        quasar = data.slope == 0.0 ? b.quasar : 0.0;
    }
    const double L = data.slope + h.slope + r.slope, down = data.down + h.down + r.down;
    const double start_value = plain ? 0.0 : lambda * fmin(sqrt(d) * regulariser->slope_max * start_norm,
                                                           0.5 * regulariser->curvature_high * start_norm * start_norm);
    gap += (data.slope + h.slope) * start_norm + start_value;
    *out = (sp_constants){
        .n = n,
        .d = domain->d,
        .radius = R,
        .L_data = data.slope,
        .L = L,
        .beta_data = fmax(data.up, data.down),
        .beta = fmax(data.up + h.up + r.up, down),
        .rho_hessian = data.third + h.third + r.third,
        .hessian_operator = fmax(data.up, data.down),
        .hessian_frobenius = frobenius,
        .weak_convexity = down,
        .diameter = sp_domain_diameter(domain),
        /* a bound on ||w*|| below the ball's radius holds on the ball too: all minimisers are inside */
        .distance = start_norm + fmin(plain ? distance : INFINITY, domain->radius),
        .gap = fmin(gap, L > 0.0 ? L * sp_domain_diameter(domain) : 0.0),
        .quasar = down == 0.0 ? 1.0 : plain ? quasar : 0.0,
        .convex = down == 0.0,
        .glm = loss->link != NULL,
    };
    return SP_OK;
}

/* --- declared --------------------------------------------------------------------------------------------- */

const sp_param sp_declared_params[] = {
    { "L", SP_REAL, SP_DERIVED, { 0.0, DBL_MAX }, "Lipschitz constant of one record's f; default certified" },
    { "L_data", SP_REAL, SP_DERIVED, { 0.0, DBL_MAX }, "the same of its data part, the clip; default certified" },
    { "beta", SP_REAL, SP_DERIVED, { 0.0, DBL_MAX }, "smoothness of one record's f; default certified" },
    { "beta_data", SP_REAL, SP_DERIVED, { 0.0, DBL_MAX }, "the same of its data part; default certified" },
    { "rho_hessian", SP_REAL, SP_DERIVED, { 0.0, DBL_MAX }, "Lipschitz constant of the Hessian; default certified" },
    { "gap", SP_REAL, SP_DERIVED, { 0.0, DBL_MAX }, "bound on F(w0) - F*; default certified" },
    { "distance", SP_REAL, SP_DERIVED, { 0.0, DBL_MAX }, "bound on ||w0 - w*||; default certified" },
    { "quasar", SP_REAL, SP_DERIVED, { DBL_MIN, 1.0 }, "F is q-quasar-convex; default certified" },
    { "kl_gamma", SP_REAL, SP_DERIVED, SP_POSITIVE, "F - F* <= gamma^kappa ||grad F||^kappa; default certified" },
    { "kl_kappa", SP_REAL, SP_DERIVED, SP_POSITIVE, "see kl_gamma" },
    { 0 }
};

enum { D_L, D_L_DATA, D_BETA, D_BETA_DATA, D_RHO, D_GAP, D_DISTANCE, D_QUASAR, D_KL_GAMMA, D_KL_KAPPA, D_COUNT };

sp_status sp_declare(const sp_constants *certified, const sp_values *declared, sp_constants *out, sp_error *error)
{
    *out = *certified;
    double *const place[D_COUNT] = { &out->L,   &out->L_data,   &out->beta,   &out->beta_data, &out->rho_hessian,
                                     &out->gap, &out->distance, &out->quasar, &out->kl_gamma,  &out->kl_kappa };
    char digits[2][SP_NUMBER_SIZE];
    for (size_t i = 0; i < D_COUNT; i++) {
        if (!sp_given(declared, i))
            continue;
        const double now = *place[i], wanted = sp_real(declared, i);
        const bool unknown = isinf(now) || (i >= D_QUASAR && now == 0.0);
        const bool weaker = i == D_QUASAR ? wanted <= now : i == D_KL_KAPPA ? wanted == now : wanted >= now;
        if (!unknown && !weaker)
            return sp_fail(error, SP_EINVAL, "problem.declared.%s = %s claims more than the certified %s",
                           sp_declared_params[i].key, sp_number(wanted, digits[0]), sp_number(now, digits[1]));
        *place[i] = wanted;
    }
    if (sp_given(declared, D_KL_GAMMA) != sp_given(declared, D_KL_KAPPA))
        return sp_fail(error, SP_EINVAL, "problem.declared: kl_gamma and kl_kappa are declared together");
    for (size_t i = D_L; i <= D_BETA; i += D_BETA - D_L) { /* the total next to its data part */
        double *total = place[i], part_of_it = *place[i + 1];
        if (sp_given(declared, i) && *total < part_of_it)
            return sp_fail(error, SP_EINVAL, "problem.declared.%s = %s is below problem.declared.%s = %s",
                           sp_declared_params[i].key, sp_number(*total, digits[0]), sp_declared_params[i + 1].key,
                           sp_number(part_of_it, digits[1]));
        *total = fmax(*total, part_of_it);
    }
    return SP_OK;
}

/* --- workspace -------------------------------------------------------------------------------------------- */

enum { BLOCK_DOUBLES = 16384, VECTORS = SP_TERMS_MAX + 2 };

sp_workspace *sp_workspace_new(const sp_problem *p)
{
    const size_t d = p->train->d, rows = BLOCK_DOUBLES / p->train->stride;
    sp_workspace *s = sp_alloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->block = rows < 8 ? 8 : rows > SP_BLOCK ? SP_BLOCK : rows;
    s->packed = sp_alloc(d, (s->block + 1 + VECTORS) * sizeof *s->packed);
    if (!s->packed) {
        free(s);
        return NULL;
    }
    s->sum = s->packed + s->block * d;
    for (size_t k = 0; k < VECTORS; k++)
        s->vector[k] = s->sum + (k + 1) * d;
    if (p->loss->link)
        p->loss->link_bounds(p->number, p->train->label_bound, &s->link);
    else
        p->loss->tilt_bounds(p->number, d, &s->tilt);
    return s;
}

void sp_workspace_free(sp_workspace *s)
{
    if (s)
        free(s->packed);
    free(s);
}

/* --- the objective ---------------------------------------------------------------------------------------- */

static const sp_engine *engine(const sp_problem *p)
{
    return p->loss->link ? &sp_glm_engine : &sp_tilt_engine;
}

static const sp_rows everything = { NULL, 0 };

static void add_public_hessian(const sp_problem *p, const double *w, double *H)
{
    const size_t d = p->train->d;
    if (p->loss->tilt)
        p->loss->tilt->hessian(p->number, d, w, H);
    for (size_t j = 0; p->regulariser && j < d; j++)
        H[j * d + j] += p->lambda * p->regulariser->curvature(w[j]);
}

double sp_public_value(const sp_problem *p, const double *w)
{
    double sum = 0.0;
    for (size_t j = 0; p->regulariser && j < p->train->d; j++)
        sum += p->regulariser->value(w[j]);
    return (p->loss->tilt ? p->loss->tilt->value(p->number, p->train->d, w) : 0.0) + p->lambda * sum;
}

double sp_problem_value(const sp_problem *p, sp_workspace *s, const double *w)
{
    return engine(p)->value(p, s, everything, w, (double)p->train->n) + sp_public_value(p, w);
}

void sp_problem_gradient(const sp_problem *p, sp_workspace *s, const double *w, double *out)
{
    const sp_term term = { 1.0, w };
    double *public_part = s->vector[VECTORS - 1];
    engine(p)->query(p, s, everything, 1, &term, NULL, (double)p->train->n, out);
    sp_public_query(p, s, 1, &term, public_part);
    cblas_daxpy((int)p->train->d, 1.0, public_part, 1, out, 1);
}

void sp_problem_hessian(const sp_problem *p, sp_workspace *s, const double *w, double *H)
{
    engine(p)->hessian(p, s, everything, w, false, (double)p->train->n, H);
    add_public_hessian(p, w, H);
}

double sp_record_value(const sp_problem *p, sp_workspace *s, size_t i, const double *w)
{
    return engine(p)->value(p, s, (sp_rows){ &(uint32_t){ (uint32_t)i }, 1 }, w, 1.0);
}

void sp_record_gradient(const sp_problem *p, sp_workspace *s, size_t i, const double *w, double *out)
{
    engine(p)->query(p, s, (sp_rows){ &(uint32_t){ (uint32_t)i }, 1 }, 1, &(sp_term){ 1.0, w }, NULL, 1.0, out);
}

void sp_record_hessian(const sp_problem *p, sp_workspace *s, size_t i, const double *w, double *H)
{
    engine(p)->hessian(p, s, (sp_rows){ &(uint32_t){ (uint32_t)i }, 1 }, w, false, 1.0, H);
}

/* --- what the oracle uses --------------------------------------------------------------------------------- */

void sp_data_query(const sp_problem *p, sp_workspace *s, sp_rows rows, size_t terms, const sp_term *term,
                   double record_clip, double bound, double divisor, double *out)
{
    engine(p)->query(p, s, rows, terms, term, &(sp_clip){ record_clip, bound }, divisor, out);
}

void sp_data_values(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, double *out)
{
    engine(p)->values(p, s, rows, w, out);
}

void sp_data_hessian(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, double divisor, double *H)
{
    engine(p)->hessian(p, s, rows, w, true, divisor, H);
}

void sp_public_query(const sp_problem *p, sp_workspace *s, size_t terms, const sp_term *term, double *out)
{
    const size_t d = p->train->d;
    double *total = s->sum, *h = s->vector[0];
    memset(total, 0, d * sizeof *total);
    for (size_t k = 0; k < terms; k++) {
        const double c = term[k].coefficient, *w = term[k].point;
        if (p->loss->tilt) {
            p->loss->tilt->gradient(p->number, d, w, h);
            cblas_daxpy((int)d, c, h, 1, total, 1);
        }
        for (size_t j = 0; p->regulariser && j < d; j++)
            total[j] += c * p->lambda * p->regulariser->slope(w[j]);
    }
    memcpy(out, total, d * sizeof *out);
}

void sp_public_hessian(const sp_problem *p, sp_workspace *s, const double *w, double *H)
{
    (void)s;
    memset(H, 0, p->train->d * p->train->d * sizeof *H);
    add_public_hessian(p, w, H);
}
