/* problem.c -- (1) sp_certify computes the constants of F: Lipschitz L, smoothness beta, Lipschitz constant rho_H of
 * the Hessian, a bound on the gap F(w0) - F* and on the distance from w0 to a minimiser. (2) sp_declare replaces
 * constants by those of the user, which may only be weaker. (3) The workspace, and F and its derivatives, computed by
 * the engines.
 *
 * F(w) = mean over records of the data part + public part h(w) + lambda sum_j r(w_j). The data part has one of the
 * three forms link, tilt and record, whose functions phi and Phi losses/loss.h defines. w0 is the start, r the
 * regulariser.
 *
 * All constants hold for records with ||x|| <= R and for every ||w|| <= B, where B is the largest norm in the domain.
 * This ball contains 0 and may be larger than the domain. Let s1 = sup |phi'|, u = sup phi'', l = sup -phi'', s2 = sup
 * |Phi_j''| and s3 = sup of the third derivative; for a tilt s1 = sup |Phi_j'|. For one record:
 *
 *   link    gradient phi' x, Hessian phi'' x x':  L = R s1,  -R^2 l <= hess <= R^2 u,  rho_H = R^3 s3
 *           two Hessians: ||b x x' - c z z'||_F <= R^2 max(sqrt2 max(u, l), u + l). The first term is reached by
 *           orthogonal x, z and b, c of one sign, the second by x = z and b, c of two signs
 *   tilt    gradient x o Phi', Hessian diag(x o Phi''):  L = R s1,  |hess| <= R s2 (also in ||.||_F),  rho_H = R s3
 *   record  the loss itself gives L, -l <= hess <= u and rho_H. The d eigenvalues of a difference of two Hessians are
 *           at most u + l, so its ||.||_F is at most sqrt d (u + l), which u I and -l I attain; that of one Hessian is
 *           at most sqrt d max(u, l). If the loss bounds ||hess||_F by b itself: 2 b and b
 *
 * Gradients in ||.||_inf and their change per ||w - w'||_1, with m >= every |x_j|, m <= R:
 *   link    ||phi' x||_inf <= m s1,  |phi'(<w, x>) - phi'(<w', x>)| ||x||_inf <= m^2 max(u, l) ||w - w'||_1
 *   tilt    m s1,  |x_j| |Phi_j'(w) - Phi_j'(w')| <= m s2 ||w - w'||_inf;   record and public part: the l2 bounds
 *
 * If the link is replaced by its Moreau envelope phi_b (envelope.h): the same s1, 0 <= phi_b'' <= b and no bound on the
 * third derivative. The gap is at most that of the link, because phi_b <= phi and inf phi_b = inf phi.
 *
 * The public part and the regulariser add their own slope, curvature and third derivative. A loss with kinks has
 * beta = rho_H = infinity. A loss that is affine in x also bounds lambda_max(hess F_0), the gap and the distance of
 * F_0 = F without the regulariser over R^d as a whole; these bounds are used where they are below the sums of the
 * parts.
 *
 * Gap. The segment from w0 to 0 is in the ball, and inf F >= inf F_0 because r >= r(0) = 0. So F(w0) - F* <=
 * (F_0(0) - inf F_0) + L_0 ||w0|| + lambda sum_j r(w0_j). As r'(0) = 0, sum_j r(w0_j) <=
 * min(sqrt d sup |r'| ||w0||, sup r'' ||w0||^2 / 2). The domain is convex, so the gap is also at most L diameter.
 *
 * Distance. Without a regulariser, a tilt loss and a loss affine in x give a D with ||w|| <= D for every minimiser over
 * R^d. An l2 ball of radius >= D has the same minimisers; for other domains nothing follows from D. In every domain a
 * minimiser is within B of 0 and within the diameter of w0.
 */
#include "losses/engine/problem.h"

#include "core/base/memory.h"
#include "losses/engine/engine.h"

#include <gsl/gsl_cblas.h>
#include <stdlib.h>
#include <string.h>

/* --- constants -------------------------------------------------------------------------------------------- */

/* Of one part of F: L, -down <= hess <= up, rho_H, F_part(0) - inf F_part; L and the bound on |hess| from ||.||_1 to
 * ||.||_inf. */
typedef struct part {
    double slope, up, down, third, gap, slope_linf, bend_linf;
} part;

static part with_linf(part p)
{
    p.slope_linf = p.slope;
    p.bend_linf = fmax(p.up, p.down);
    return p;
}

/* 0 times no bound is 0: what is absent needs none. */
static double times(double a, double b)
{
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

static sp_region region_of(const sp_setting *s)
{
    return (sp_region){ .d = s->domain->d, .features = s->features, .norm = s->domain->norm, .radius = s->radius,
                        .label_bound = s->label_bound, .realisable = s->realisable };
}

static bool regularised(const sp_regulariser *r, double lambda)
{
    return r && lambda != 0.0;
}

static part regulariser_part(const sp_setting *s)
{
    const sp_regulariser *r = s->regulariser;
    if (!regularised(r, s->lambda))
        return (part){ 0.0 };
    const double bend = fmax(r->curvature_high, r->curvature_low), d = (double)s->domain->d;
    const double start = fmin(times(sqrt(d) * r->slope_max, s->start_norm),
                              0.5 * r->curvature_high * s->start_norm * s->start_norm);
    const double slope = fmin(sqrt(d) * r->slope_max, times(bend, s->domain->norm));
    return with_linf((part){ s->lambda * slope, s->lambda * r->curvature_high, s->lambda * r->curvature_low,
                             s->lambda * r->third, s->lambda * start });
}

static part public_part(const sp_setting *s, const sp_region *region)
{
    sp_public_bounds b = { 0.0 };
    if (s->loss->public_part)
        s->loss->public_part->bounds(s->number, region, &b);
    return with_linf((part){ b.slope, b.curvature_high, b.curvature_low, b.third, b.gap });
}

/* Of the link, or of its envelope of curvature b > 0. */
static void link_bounds(const sp_loss *loss, sp_numbers number, const sp_region *region, double b, sp_link_bounds *out)
{
    loss->link_bounds(number, region, out);
    if (b > 0.0) {
        out->curvature_high = b;
        out->curvature_low = 0.0;
        out->third = INFINITY;
    }
}

/* The data part; its record and neighbour bounds in ||.||_F go to *c. */
static part data_part(const sp_setting *s, const sp_region *region, sp_constants *c)
{
    const double R = region->radius, most = s->largest > 0.0 ? fmin(s->largest, R) : R;
    part data;
    if (s->loss->link) {
        sp_link_bounds b;
        link_bounds(s->loss, s->number, region, s->envelope, &b);
        data = (part){ times(R, b.slope), times(R * R, b.curvature_high), times(R * R, b.curvature_low),
                       times(R * R * R, b.third), b.gap, times(most, b.slope),
                       times(most * most, fmax(b.curvature_high, b.curvature_low)) };
        c->hessian_norm = fmax(data.up, data.down);
        c->hessian_frobenius = fmax(sqrt(2.0) * c->hessian_norm, data.up + data.down);
    } else if (s->loss->tilt) {
        sp_tilt_bounds b;
        s->loss->tilt->bounds(s->number, &b);
        data = (part){ times(R, b.slope), times(R, b.curvature), times(R, b.curvature), times(R, b.third), 0.0,
                       times(most, b.slope), times(most, b.curvature) };
        c->hessian_norm = data.up;
        c->hessian_frobenius = 2.0 * data.up;
    } else {
        sp_record_bounds b;
        s->loss->record->bounds(s->number, region, &b);
        data = with_linf((part){ b.slope, b.curvature_high, b.curvature_low, b.third, b.gap });
        c->hessian_norm = b.frobenius > 0.0 ? b.frobenius : sqrt((double)region->d) * fmax(data.up, data.down);
        c->hessian_frobenius = b.frobenius > 0.0 ? 2.0 * b.frobenius : sqrt((double)region->d) * (data.up + data.down);
    }
    return data;
}

sp_status sp_loss_dimension(const sp_loss *loss, sp_numbers number, size_t features, size_t *d, sp_error *error)
{
    *d = loss->record ? loss->record->dimension(number, features) : features;
    if (*d == 0)
        return sp_fail(error, SP_EINVAL, "%s: %zu features; wanted: %s", loss->name, features, loss->record->wanted);
    return SP_OK;
}

static sp_status check(const sp_setting *s, sp_error *error)
{
    const sp_domain *domain = s->domain;
    size_t d;
    const sp_status status = sp_loss_dimension(s->loss, s->number, s->features, &d, error);
    if (status != SP_OK)
        return status;
    if (d != domain->d)
        return sp_fail(error, SP_EINVAL, "%s: w has %zu entries on %zu features, the domain has %zu", s->loss->name, d,
                       s->features, domain->d);
    if (!(s->radius >= 0.0 && s->radius < INFINITY))
        return sp_fail(error, SP_EINVAL, "radius = %g: the feature norm needs a finite bound", s->radius);
    if (s->envelope > 0.0 && !(s->loss->link && s->loss->convex))
        return sp_fail(error, SP_EINVAL, "%s: an envelope is of a convex link", s->loss->name);
    if (!(s->lambda >= 0.0 && s->lambda < INFINITY))
        return sp_fail(error, SP_EINVAL, "lambda = %g must be finite and at least 0", s->lambda);
    if (domain->kind == SP_DOMAIN_SPACE ? !isinf(domain->norm) : !isfinite(domain->norm))
        return sp_fail(error, SP_EINVAL, "domain: norm = %g is not that of %s", domain->norm,
                       sp_domain_names[domain->kind]);
    if (!(s->start_norm <= domain->norm * (1.0 + 1e-12)))
        return sp_fail(error, SP_EINVAL, "the start has norm %g, outside the domain of radius %g", s->start_norm,
                       domain->norm);
    return SP_OK;
}

sp_status sp_certify(const sp_setting *s, sp_constants *out, sp_error *error)
{
    const sp_status status = check(s, error);
    if (status != SP_OK)
        return status;
    const sp_loss *loss = s->loss;
    const sp_domain *domain = s->domain;
    const sp_region region = region_of(s);
    const bool plain = !regularised(s->regulariser, s->lambda), smooth = loss->smooth || s->envelope > 0.0;
    const double diameter = sp_domain_diameter(domain);
    *out = (sp_constants){ .n = s->n, .d = domain->d, .radius = s->radius, .diameter = diameter,
                            .vertices = sp_domain_vertices(domain) };
    const part data = data_part(s, &region, out), h = public_part(s, &region), r = regulariser_part(s);
    const double L = data.slope + h.slope + r.slope, down = data.down + h.down + r.down;
    const sp_affine *affine = loss->record ? loss->record->affine : NULL;
    double gap = data.gap + h.gap, reach = INFINITY, up = data.up + h.up;
    if (loss->tilt)
        loss->tilt->reach(s->number, domain->d, s->radius, &gap, &reach);
    if (affine) {
        double up_whole, gap_whole;
        affine->whole(s->number, domain->d, &up_whole, &gap_whole, &reach);
        up = fmin(up, up_whole);
        gap = fmin(gap, gap_whole);
    }
    if (!plain || (domain->kind != SP_DOMAIN_SPACE && domain->kind != SP_DOMAIN_L2_BALL))
        reach = INFINITY;
    gap += times(data.slope + h.slope, s->start_norm) + r.gap;
    sp_classes classes = { 0.0 };
    if (plain && loss->classes && !(s->envelope > 0.0))
        loss->classes(s->number, &region, &classes);

    out->L_data = data.slope;
    out->L = L;
    out->beta_data = smooth ? fmax(data.up, data.down) : INFINITY;
    out->beta = smooth ? fmax(up + r.up, down) : INFINITY;
    out->largest = s->largest > 0.0 ? fmin(s->largest, s->radius) : s->radius;
    out->L_data_linf = data.slope_linf;
    out->L_linf = fmin(L, data.slope_linf + h.slope_linf + r.slope_linf);
    out->beta_data_linf = smooth ? data.bend_linf : INFINITY;
    out->beta_linf = smooth ? fmin(out->beta, data.bend_linf + h.bend_linf + r.bend_linf) : INFINITY;
    out->rho_hessian = smooth ? data.third + h.third + r.third : INFINITY;
    out->weak_convexity = down;
    out->distance = fmin(s->start_norm + fmin(reach, domain->norm), diameter);
    out->gap = fmin(gap, times(L, diameter));
    out->convex = down == 0.0;
    out->quasar = out->convex ? 1.0 : classes.quasar;
    out->kl_gamma = classes.kl_gamma;
    out->kl_kappa = classes.kl_kappa;
    out->strict_saddle = classes.strict_saddle;
    out->cosines = affine && plain && domain->kind == SP_DOMAIN_SPACE ? affine->cosines : 0.0;
    out->smooth = smooth;
    out->glm = loss->link && !loss->public_part;
    out->gll = out->glm && out->convex && !smooth;
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

enum { VECTORS = SP_TERMS_MAX + 2, PACK_DOUBLES = 16384, PACK_MIN = 32, ASKS = 64 };

static size_t buffer_of(const sp_problem *p)
{
    const sp_dataset *all[] = { p->train, p->test, p->population };
    size_t most = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] && sp_rows_buffer(all[i]) > most)
            most = sp_rows_buffer(all[i]);
    return most;
}

sp_workspace *sp_workspace_new(const sp_problem *p)
{
    const size_t d = p->domain.d, features = p->train->d, rows = PACK_DOUBLES / features;
    const sp_region region = { d, features, p->domain.norm, p->certified.radius, p->train->label_bound, p->realisable };
    const size_t buffer = buffer_of(p);
    const size_t scratch = p->loss->record ? p->loss->record->scratch(p->number, features)
                         : p->loss->tilt ? sp_tilt_scratch(features) : 0;
    sp_workspace *s = sp_alloc(1, sizeof *s);
    if (!s)
        return NULL;
    if (p->loss->link) {
        s->pack = rows < PACK_MIN ? PACK_MIN : rows > SP_ROWS ? SP_ROWS : rows;
        link_bounds(p->loss, p->number, &region, p->envelope, &s->link);
    } else if (p->loss->tilt) {
        p->loss->tilt->bounds(p->number, &s->tilt);
    } else {
        p->loss->record->bounds(p->number, &region, &s->record);
    }
    s->packing = sp_rows_packing(p->train, s->pack);
    if (s->packing > 0)
        s->packed = sp_map(s->packing * sizeof *s->packed); /* of wide records large, and needed for Hessians alone */
    s->buffer = sp_alloc_doubles(features + buffer + scratch + (1 + VECTORS) * d);
    if ((s->packing > 0 && !s->packed) || !s->buffer) {
        sp_workspace_free(s);
        return NULL;
    }
    s->scratch = s->buffer + buffer;
    s->feature = s->scratch + scratch;
    s->sum = s->feature + features;
    for (size_t k = 0; k < VECTORS; k++)
        s->vector[k] = s->sum + (k + 1) * d;
    return s;
}

void sp_workspace_free(sp_workspace *s)
{
    if (s) {
        sp_unmap(s->packed, s->packing * sizeof *s->packed);
        free(s->buffer);
    }
    free(s);
}

size_t sp_block_open(const sp_problem *p, sp_workspace *s, sp_rows rows, size_t first, size_t most)
{
    const size_t left = sp_row_count(p, rows) - first, count = left < most ? left : most;
    sp_rows_gather(p->train, rows.index ? rows.index + first : NULL, first, count, s->buffer, &s->block);
    return count;
}

size_t sp_block_packed(const sp_problem *p, const sp_workspace *s)
{
    const size_t block = sp_rows_per_block(p->train);
    return p->train->storage == SP_STORE_INDEXED && block < s->pack ? block : s->pack;
}

size_t sp_block_gather(const sp_problem *p, sp_workspace *s, sp_rows rows, size_t first, size_t most)
{
    const size_t block = sp_rows_per_block(p->train);
    const size_t count = sp_block_open(p, s, rows, first, block < most ? block : most);
    sp_rows_labels(&s->block, s->label, s->norm);
    return count;
}

void sp_block_mean(const sp_problem *p, sp_workspace *s, sp_rows rows, double divisor, double *restrict out)
{
    const sp_dataset *data = p->train;
    if (!rows.index) {
        for (size_t j = 0; j < data->d; j++)
            out[j] = data->mean[j] * ((double)data->n / divisor);
        return;
    }
    memset(out, 0, data->d * sizeof *out);
    for (size_t i = 0; i < SP_ROWS; i++)
        s->scale[i] = 1.0;
    for (size_t first = 0; first < rows.count;) {
        first += sp_block_gather(p, s, rows, first, SP_ROWS);
        sp_rows_add(&s->block, s->scale, out);
    }
    for (size_t j = 0; j < data->d; j++)
        out[j] /= divisor;
}

/* --- the objective ---------------------------------------------------------------------------------------- */

static const sp_engine *engine(const sp_problem *p)
{
    return p->loss->link ? &sp_glm_engine : p->loss->tilt ? &sp_tilt_engine : &sp_record_engine;
}

static const sp_rows everything = { NULL, 0 };

static void add_public_hessian(const sp_problem *p, const double *w, double *H)
{
    const size_t d = p->domain.d;
    if (p->loss->public_part)
        p->loss->public_part->hessian(p->number, d, w, H);
    for (size_t j = 0; p->regulariser && j < d; j++)
        H[j * d + j] += p->lambda * p->regulariser->curvature(w[j]);
}

double sp_public_value(const sp_problem *p, const double *w)
{
    double sum = 0.0;
    for (size_t j = 0; p->regulariser && j < p->domain.d; j++)
        sum += p->regulariser->value(w[j]);
    return (p->loss->public_part ? p->loss->public_part->value(p->number, p->domain.d, w) : 0.0) + p->lambda * sum;
}

double sp_problem_value(const sp_problem *p, sp_workspace *s, const double *w)
{
    return engine(p)->value(p, s, everything, w, (double)p->train->n) + sp_public_value(p, w);
}

void sp_problem_gradient(const sp_problem *p, sp_workspace *s, const double *w, double *out)
{
    const sp_term term = { 1.0, w };
    double *public_part_of = s->vector[VECTORS - 1];
    engine(p)->query(p, s, everything, 1, &term, NULL, (double)p->train->n, out);
    sp_public_query(p, s, 1, &term, public_part_of);
    cblas_daxpy((int)p->domain.d, 1.0, public_part_of, 1, out, 1);
}

void sp_problem_values(const sp_problem *p, sp_workspace *s, size_t count, const double *const *point, double *out)
{
    for (size_t k = 0; k < count && !engine(p)->value_of_each; k++)
        out[k] = sp_problem_value(p, s, point[k]);
    if (!engine(p)->value_of_each)
        return;
    engine(p)->value_of_each(p, s, everything, count, point, (double)p->train->n, out);
    for (size_t k = 0; k < count; k++)
        out[k] += sp_public_value(p, point[k]);
}

void sp_problem_gradients(const sp_problem *p, sp_workspace *s, size_t count, const double *const *point, double *out)
{
    const size_t d = p->domain.d;
    double *public_part_of = s->vector[VECTORS - 1];
    for (size_t first = 0, some; first < count; first += some) {
        sp_term term[ASKS];
        sp_data_ask ask[ASKS];
        some = count - first < ASKS ? count - first : ASKS;
        for (size_t k = 0; k < some; k++) {
            term[k] = (sp_term){ 1.0, point[first + k] };
            ask[k] = (sp_data_ask){ 1, &term[k], NULL, out + (first + k) * d };
        }
        sp_data_queries(p, s, everything, some, ask, (double)p->train->n);
        for (size_t k = 0; k < some; k++) {
            sp_public_query(p, s, 1, &term[k], public_part_of);
            cblas_daxpy((int)d, 1.0, public_part_of, 1, ask[k].out, 1);
        }
    }
}

void sp_problem_hessian(const sp_problem *p, sp_workspace *s, const double *w, double *H)
{
    engine(p)->hessian(p, s, everything, w, false, (double)p->train->n, H);
    add_public_hessian(p, w, H);
}

void sp_problem_product(const sp_problem *p, sp_workspace *s, const double *w, const double *v, double *out)
{
    const size_t d = p->domain.d;
    engine(p)->product(p, s, everything, w, v, (double)p->train->n, out);
    if (p->loss->public_part)
        p->loss->public_part->product(p->number, d, w, v, out);
    for (size_t j = 0; p->regulariser && j < d; j++)
        out[j] += p->lambda * p->regulariser->curvature(w[j]) * v[j];
}

bool sp_problem_minimiser(const sp_problem *p, double *w)
{
    const sp_tilt *tilt = p->loss->tilt;
    const sp_affine *affine = p->loss->record ? p->loss->record->affine : NULL;
    if (tilt && tilt->minimiser)
        return tilt->minimiser(p->number, p->domain.d, p->train->mean, w);
    return affine && p->train->map == affine->map &&
           affine->minimiser(p->number, p->domain.d, p->train->mean, w);
}

bool sp_problem_cosines(const sp_problem *p, double *A, double *w)
{
    const double *mean = p->train->mean;
    if (!(p->certified.cosines > 0.0) || !sp_problem_minimiser(p, w))
        return false;
    for (size_t j = 0; j < p->domain.d; j++)
        A[j] = fmin(sqrt((double)p->domain.d) * sp_hypot(mean[2 * j], mean[2 * j + 1]), 1.0);
    return true;
}

sp_problem sp_problem_on(const sp_problem *p, const sp_dataset *records)
{
    sp_problem other = *p;
    other.train = records;
    other.certified.n = other.declared.n = records->n;
    return other;
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

void sp_data_queries(const sp_problem *p, sp_workspace *s, sp_rows rows, size_t count, const sp_data_ask *ask,
                     double divisor)
{
    if (engine(p)->queries)
        engine(p)->queries(p, s, rows, count, ask, divisor);
    for (size_t k = 0; k < count && !engine(p)->queries; k++)
        engine(p)->query(p, s, rows, ask[k].terms, ask[k].term, ask[k].clip, divisor, ask[k].out);
}

bool sp_data_summed(const sp_problem *p)
{
    return p->train->moments && !p->loss->link;
}

bool sp_data_exact(const sp_problem *p, size_t terms, const sp_term *term, const sp_clip *clip)
{
    const sp_affine *affine = p->loss->record ? p->loss->record->affine : NULL;
    return !sp_data_summed(p) ||
           (affine && p->train->map == affine->map && sp_record_unclipped(p, terms, term, clip));
}

size_t sp_data_value_count(const sp_problem *p, sp_rows rows, const double **weight)
{
    const bool summed = sp_data_summed(p);
    *weight = summed ? &p->train->moments->total : sp_dataset_weight(p->train);
    return summed ? 1 : sp_row_count(p, rows);
}

void sp_data_values(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, double *out)
{
    engine(p)->values(p, s, rows, w, out);
}

void sp_data_changes(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, const double *c,
                     const double *base, double *out)
{
    const double *weight;
    if (sp_data_summed(p)) {
        out[0] = sp_record_change(p, s, rows, w, c);
        return;
    }
    const size_t count = sp_data_value_count(p, rows, &weight);
    sp_data_values(p, s, rows, w, out);
    for (size_t i = 0; i < count; i++)
        out[i] -= base[i];
}

void sp_data_hessian(const sp_problem *p, sp_workspace *s, sp_rows rows, const double *w, double divisor, double *H)
{
    engine(p)->hessian(p, s, rows, w, true, divisor, H);
}

void sp_public_query(const sp_problem *p, sp_workspace *s, size_t terms, const sp_term *term, double *out)
{
    const size_t d = p->domain.d;
    double *total = s->sum, *h = s->vector[0];
    if (!p->loss->public_part && !p->regulariser) {
        memset(out, 0, d * sizeof *out);
        return;
    }
    memset(total, 0, d * sizeof *total);
    for (size_t k = 0; k < terms; k++) {
        const double c = term[k].coefficient, *w = term[k].point;
        if (p->loss->public_part) {
            p->loss->public_part->gradient(p->number, d, w, h);
            for (size_t j = 0; j < d; j++)
                total[j] += c * h[j];
        }
        for (size_t j = 0; p->regulariser && j < d; j++)
            total[j] += c * p->lambda * p->regulariser->slope(w[j]);
    }
    memcpy(out, total, d * sizeof *out);
}

void sp_public_hessian(const sp_problem *p, sp_workspace *s, const double *w, double *H)
{
    (void)s;
    memset(H, 0, p->domain.d * p->domain.d * sizeof *H);
    add_public_hessian(p, w, H);
}

void sp_public_curvature(const sp_problem *p, const double *w, sp_weights weights, double *restrict out)
{
    for (size_t j = 0; j < p->domain.d; j++)
        out[j] = !p->regulariser                  ? 0.0
                 : weights == SP_WEIGHTS_MAJORANT ? p->lambda * p->regulariser->curvature_high
                                                  : p->lambda * fmax(0.0, p->regulariser->curvature(w[j]));
}
