/* conformance/loss.c NAME -- derivatives against differences, every certified constant against adversarial search, and
 * the engine against the definition record by record, at the default parameters and at drawn ones. */
#include "losses/engine/reference.h"
#include "tests/allocation.h"
#include "tests/landscape.h"

enum { D = 3, RECORDS = 24, STARTS = 10, STEPS = 500 };

static const double radius = 1.31, label_bound_real = 0.83, ball = 2.385;
static gsl_rng *stream;

static double label_bound(const sp_loss *loss)
{
    return loss->labels_binary ? 1.0 : label_bound_real;
}

/* Every parameter drawn log-uniformly from what its range and [0.2, 4] share. */
static void draw_numbers(const sp_param *params, double *number)
{
    for (size_t i = 0; params && params[i].key; i++) {
        const double low = fmax(params[i].range.low, 0.2), high = fmin(params[i].range.high, 4.0);
        const double u = gsl_rng_uniform(stream);
        if (params[i].kind == SP_REAL)
            number[i] = low * pow(high / low, u);
        else if (params[i].kind == SP_COUNT)
            number[i] = ceil(fmax(params[i].range.low, 1.0)) + floor(3.0 * u);
        else if (params[i].kind == SP_FLAG)
            number[i] = u < 0.5;
    }
}

/* --- the link --------------------------------------------------------------------------------------------- */

typedef struct link_probe {
    const sp_loss *loss;
    const double *number;
    double bound; /* of the labels */
    int what;
} link_probe;

static double at(const link_probe *p, int order, double m, double y)
{
    double out;
    const sp_link *l = p->loss->link;
    (order == 0 ? l->value : order == 1 ? l->slope : l->curvature)(p->number, 1, &m, &y, &out);
    return out;
}

enum { SLOPE, HIGH, LOW, THIRD, GAP };

static double link_score(void *context, const double *v)
{
    const link_probe *p = context;
    const double m = v[0] * v[0] * v[0]; /* reaches far */
    const double y = p->loss->labels_binary ? copysign(1.0, v[1]) : p->bound * tanh(v[1]);
    const double h = 1e-4;
    switch (p->what) {
    case SLOPE: return fabs(at(p, 1, m, y));
    case HIGH: return at(p, 2, m, y);
    case LOW: return -at(p, 2, m, y);
    case THIRD: return fabs(at(p, 2, m + h, y) - at(p, 2, m - h, y)) / (2.0 * h);
    default: return at(p, 0, 0.0, y) - at(p, 0, m, y);
    }
}

static void check_link(const sp_loss *loss, const double *number)
{
    link_probe p = { loss, number, label_bound(loss), 0 };
    sp_link_bounds b;
    loss->link_bounds(number, p.bound, &b);
    for (int i = 0; i < 200; i++) {
        const double m = gsl_ran_gaussian(stream, 2.385), h = 1e-5;
        const double y = loss->labels_binary ? (i % 2 ? 1.0 : -1.0) : p.bound * (2.0 * gsl_rng_uniform(stream) - 1.0);
        CHECK_NEAR(at(&p, 1, m, y), (at(&p, 0, m + h, y) - at(&p, 0, m - h, y)) / (2.0 * h), 1e-8 * (1.0 + b.third));
        CHECK_NEAR(at(&p, 2, m, y), (at(&p, 1, m + h, y) - at(&p, 1, m - h, y)) / (2.0 * h), 1e-7 * (1.0 + b.third));
    }
    const double bound[] = { b.slope, b.curvature_high, b.curvature_low, b.third, b.gap };
    for (p.what = SLOPE; p.what <= GAP; p.what++)
        if (isfinite(bound[p.what]))
            CHECK_BOUND(attack(link_score, &p, 2, stream, STARTS, 2 * STEPS), bound[p.what], 0.97);
    CHECK(loss->convex == (b.curvature_low == 0.0));
}

/* --- h and Phi -------------------------------------------------------------------------------------------- */

typedef struct tilt_probe {
    const sp_loss *loss;
    const double *number;
    int what;
} tilt_probe;

enum { H_SLOPE, H_CURVATURE, H_WEAK, H_THIRD, PHI_SLOPE, PHI_CURVATURE, PHI_THIRD, TILT_PROBES };

static double tilt_score(void *context, const double *v)
{
    const tilt_probe *p = context;
    const sp_tilt *t = p->loss->tilt;
    const double h = 1e-4, norm = cblas_dnrm2(D, v + D, 1);
    double w[D], w2[D], a[D * D] = { 0.0 }, b[D * D] = { 0.0 }, values[D];
    for (size_t j = 0; j < D; j++) {
        w[j] = v[j] * (1.0 + v[j] * v[j]); /* reaches far */
        w2[j] = w[j] + h * v[D + j] / norm;
    }
    if (p->what == H_SLOPE) {
        t->gradient(p->number, D, w, a);
        return cblas_dnrm2(D, a, 1);
    }
    if (p->what <= H_THIRD) {
        t->hessian(p->number, D, w, a);
        if (p->what == H_THIRD) {
            t->hessian(p->number, D, w2, b);
            cblas_daxpy(D * D, -1.0, b, 1, a, 1);
        }
        CHECK(sp_eigen_all(D, a, values) == SP_OK);
        return p->what == H_WEAK ? -values[0] : fmax(-values[0], values[D - 1]) / (p->what == H_THIRD ? h : 1.0);
    }
    t->phi(p->number, D, w, p->what == PHI_SLOPE ? 1 : 2, a);
    if (p->what < PHI_THIRD)
        return fabs(a[0]);
    w2[0] = w[0] + h;
    t->phi(p->number, D, w2, 2, b);
    return fabs(b[0] - a[0]) / h;
}

static void check_tilt(const sp_loss *loss, const double *number)
{
    const sp_tilt *t = loss->tilt;
    const double h = 1e-5;
    sp_tilt_bounds b;
    loss->tilt_bounds(number, D, &b);
    const double bound[TILT_PROBES] = { b.h_slope,   b.h_curvature,   b.h_weak_convexity, b.h_third,
                                        b.phi_slope, b.phi_curvature, b.phi_third };
    for (int what = 0; what < TILT_PROBES; what++) {
        tilt_probe p = { loss, number, what };
        if (isfinite(bound[what]))
            CHECK_BOUND(fmax(0.0, attack(tilt_score, &p, 2 * D, stream, STARTS, 2 * STEPS)), bound[what], 0.97);
    }
    for (int i = 0; i < 50; i++) {
        double w[D], g[D], H[D * D] = { 0.0 }, up[D], down[D];
        for (size_t j = 0; j < D; j++)
            w[j] = gsl_ran_gaussian(stream, 2.385);
        t->gradient(number, D, w, g);
        t->hessian(number, D, w, H);
        for (size_t j = 0; j < D; j++) {
            const double centre = w[j];
            w[j] = centre + h;
            const double value_up = t->value(number, D, w);
            t->gradient(number, D, w, up);
            w[j] = centre - h;
            const double value_down = t->value(number, D, w);
            t->gradient(number, D, w, down);
            w[j] = centre;
            CHECK_NEAR(g[j], (value_up - value_down) / (2.0 * h), 1e-7 * (1.0 + b.h_curvature));
            for (size_t k = 0; k < D; k++)
                CHECK_NEAR(H[k * D + j], (up[k] - down[k]) / (2.0 * h), 1e-6 * (1.0 + b.h_curvature));
        }
        for (int order = 0; order < 2; order++) {
            double exact[D], shifted[D];
            t->phi(number, D, w, order + 1, exact);
            for (size_t j = 0; j < D; j++)
                w[j] += h;
            t->phi(number, D, w, order, up);
            for (size_t j = 0; j < D; j++)
                shifted[j] = w[j] - 2.0 * h;
            t->phi(number, D, shifted, order, down);
            for (size_t j = 0; j < D; j++) {
                w[j] -= h;
                CHECK_NEAR(exact[j], (up[j] - down[j]) / (2.0 * h), 1e-8 * (1.0 + b.phi_third));
            }
        }
    }
    double start[D] = { 0.0 }, least[D] = { 0.0 }, g[D];
    if (t->minimiser) {
        t->minimiser(number, D, least);
        t->gradient(number, D, least, g);
        CHECK_NEAR(cblas_dnrm2(D, g, 1), 0.0, 1e-12);
        double gap, distance;
        t->reach(number, D, 0.0, &gap, &distance);
        CHECK_NEAR(gap, t->value(number, D, start) - t->value(number, D, least), 1e-12 * (1.0 + gap));
        CHECK_NEAR(distance, cblas_dnrm2(D, least, 1), 1e-12 * (1.0 + distance));
    }
}

/* --- constants of a problem ------------------------------------------------------------------------------- */

typedef struct probe {
    landscape *l;
    size_t i, other; /* records */
    int what;
} probe;

enum { LIPSCHITZ_DATA, LIPSCHITZ, SMOOTH_DATA, SMOOTH, THIRD_ORDER, OPERATOR, FROBENIUS, WEAK, PROBES };

/* w[d] and, for differences, another point at a distance between 1e-4 and 10 */
static double points(const probe *p, const double *v, double *w, double *w2)
{
    memcpy(w, v, D * sizeof *w);
    sp_domain_project(&p->l->problem.domain, w);
    const double norm = cblas_dnrm2(D, v + D, 1), length = pow(10.0, -1.5 + 2.5 * tanh(v[2 * D]));
    for (size_t j = 0; j < D; j++)
        w2[j] = w[j] + v[D + j] / norm * length;
    sp_domain_project(&p->l->problem.domain, w2);
    double square = 0.0;
    for (size_t j = 0; j < D; j++)
        square += (w2[j] - w[j]) * (w2[j] - w[j]);
    return sqrt(square);
}

static void gradient_of(const probe *p, const double *w, bool total, double *out)
{
    double extra[D];
    sp_record_gradient(&p->l->problem, p->l->workspace, p->i, w, out);
    if (total) {
        sp_public_query(&p->l->problem, p->l->workspace, 1, &(sp_term){ 1.0, w }, extra);
        cblas_daxpy(D, 1.0, extra, 1, out, 1);
    }
}

static void hessian_of(const probe *p, size_t record, const double *w, bool total, double *H)
{
    double extra[D * D];
    sp_record_hessian(&p->l->problem, p->l->workspace, record, w, H);
    if (total) {
        sp_public_hessian(&p->l->problem, p->l->workspace, w, extra);
        cblas_daxpy(D * D, 1.0, extra, 1, H, 1);
    }
}

static double score(void *context, const double *v)
{
    const probe *p = context;
    double w[D], w2[D], a[D * D], b[D * D], values[D];
    const double distance = points(p, v, w, w2);
    if (!(distance > 3e-5))
        return -INFINITY;
    switch (p->what) {
    case LIPSCHITZ_DATA:
    case LIPSCHITZ:
        gradient_of(p, w, p->what == LIPSCHITZ, a);
        return cblas_dnrm2(D, a, 1);
    case SMOOTH_DATA:
    case SMOOTH:
        gradient_of(p, w, p->what == SMOOTH, a);
        gradient_of(p, w2, p->what == SMOOTH, b);
        cblas_daxpy(D, -1.0, b, 1, a, 1);
        return cblas_dnrm2(D, a, 1) / distance;
    case FROBENIUS:
        hessian_of(p, p->i, w, false, a);
        hessian_of(p, p->other, w, false, b);
        cblas_daxpy(D * D, -1.0, b, 1, a, 1);
        return cblas_dnrm2(D * D, a, 1);
    case THIRD_ORDER:
        hessian_of(p, p->i, w, true, a);
        hessian_of(p, p->i, w2, true, b);
        cblas_daxpy(D * D, -1.0, b, 1, a, 1);
        CHECK(sp_eigen_all(D, a, values) == SP_OK);
        return fmax(-values[0], values[D - 1]) / distance;
    default:
        hessian_of(p, p->i, w, p->what == WEAK, a);
        CHECK(sp_eigen_all(D, a, values) == SP_OK);
        return p->what == WEAK ? -values[0] : fmax(-values[0], values[D - 1]);
    }
}

static double descent(void *context, const double *v)
{
    const probe *p = context;
    double w[D], zero[D] = { 0.0 };
    memcpy(w, v, sizeof w);
    sp_domain_project(&p->l->problem.domain, w);
    return sp_problem_value(&p->l->problem, p->l->workspace, zero) -
           sp_problem_value(&p->l->problem, p->l->workspace, w);
}

static void check_constants(const sp_loss *loss, const double *number, const sp_regulariser *regulariser, double lambda,
                            double domain)
{
    landscape l;
    const landscape_options o = { .loss = loss, .number = number, .regulariser = regulariser, .lambda = lambda,
                                  .ball = domain, .n = RECORDS, .d = D, .radius = radius,
                                  .label_bound = label_bound(loss) };
    if (landscape_make(o, stream, &l)) {
        const sp_constants *c = &l.problem.certified;
        const double bound[PROBES] = { c->L_data, c->L, c->beta_data, c->beta, c->rho_hessian,
                                       c->hessian_operator, c->hessian_frobenius, c->weak_convexity };
        const bool free_data = !regulariser && domain <= 0.0; /* nothing else hides the data part's extremes */
        for (int what = 0; what < PROBES; what++) {
            double found = 0.0;
            const bool tight = free_data && (loss->link || what == LIPSCHITZ_DATA || what == SMOOTH_DATA ||
                                             what == OPERATOR || what == FROBENIUS);
            for (size_t record = 0; isfinite(bound[what]) && record < RECORDS; record += what == FROBENIUS ? 2 : 7)
                for (size_t other = record + 1; other < record + (what == FROBENIUS ? 3 : 2); other++) {
                    probe p = { &l, record, other % RECORDS, what };
                    found = fmax(found, attack(score, &p, 2 * D + 1, stream, 2, STEPS));
                }
            if (isfinite(bound[what]))
                CHECK_BOUND(found, bound[what], tight ? 0.9 : 0.0);
        }
        probe p = { &l, 0, 1, 0 };
        CHECK_BOUND(attack(descent, &p, D, stream, STARTS, STEPS), c->gap, 0.0);
    }
    landscape_drop(&l);
}

/* The gap and the distance to the minimiser, one record at a time. */
static void check_gap(const sp_loss *loss, const double *number)
{
    double found = 0.0, bound = 0.0;
    for (int i = 0; i < 6; i++) {
        landscape l;
        const landscape_options o = { .loss = loss, .number = number, .n = 1, .d = D, .radius = radius,
                                      .label_bound = label_bound(loss) };
        if (landscape_make(o, stream, &l)) {
            probe p = { &l, 0, 0, 0 };
            bound = l.problem.certified.gap;
            found = fmax(found, attack(descent, &p, D, stream, STARTS, STEPS));
        }
        landscape_drop(&l);
    }
    CHECK_BOUND(found, bound, loss->link ? 0.97 : 0.0);
}

/* <grad F(w), w - w*> - q F(w) >= 0 on a ball when the labels are <w*, x>, and q cannot be much larger. */
static double quasar_ratio(void *context, const double *v)
{
    const probe *p = context;
    const sp_problem *problem = &p->l->problem;
    double w[1] = { v[0] }, g[1];
    sp_domain_project(&problem->domain, w);
    const double planted = problem->train->y[0] / problem->train->X[0];
    const double value = sp_problem_value(problem, p->l->workspace, w);
    sp_problem_gradient(problem, p->l->workspace, w, g);
    return value > 1e-9 ? -g[0] * (w[0] - planted) / value : -INFINITY;
}

static void check_quasar(const sp_loss *loss, const double *number)
{
    for (double domain = 0.4; loss->quasar && domain < 50.0; domain *= 2.7) {
        landscape l;
        const landscape_options o = { .loss = loss, .number = number, .ball = domain, .n = 4, .d = 1, .radius = radius,
                                      .label_bound = radius * fmin(domain, 0.63), .realisable = true };
        if (landscape_make(o, stream, &l)) {
            probe p = { &l, 0, 0, 0 };
            const double q = l.problem.certified.quasar;
            const double found = -attack(quasar_ratio, &p, 1, stream, STARTS, STEPS);
            CHECK_LESS_EQUAL(q, found * (1.0 + 1e-9));
            CHECK_LESS_EQUAL(fmin(1.0, 0.9 * found) - 1e-12, q);
        }
        landscape_drop(&l);
    }
    if (loss->quasar) {
        CHECK_LESS_EQUAL(loss->quasar(number, INFINITY), loss->quasar(number, 1e3));
        CHECK_LESS_EQUAL(loss->quasar(number, 1e3), loss->quasar(number, 1.0));
        CHECK_LESS_EQUAL(loss->quasar(number, 1.0), 1.0);
    }
}

/* --- the engine against the definition --------------------------------------------------------------------- */

enum { WIDE = 11, MANY = 613 }; /* more than two blocks, and not a multiple of eight columns */

static void clip(double *v, double bound)
{
    const double norm = cblas_dnrm2(WIDE, v, 1);
    if (norm > bound)
        cblas_dscal(WIDE, bound / norm, v, 1);
}

static bool all_finite(const double *v)
{
    for (size_t j = 0; j < WIDE; j++)
        if (!isfinite(v[j]))
            return false;
    return true;
}

static void query_by_definition(landscape *l, sp_rows rows, size_t terms, const sp_term *term, double record_clip,
                                double bound, double divisor, double *out)
{
    memset(out, 0, WIDE * sizeof *out);
    for (size_t r = 0; r < (rows.index ? rows.count : MANY); r++) {
        double total[WIDE] = { 0.0 }, g[WIDE];
        for (size_t k = 0; k < terms; k++) {
            sp_record_gradient(&l->problem, l->workspace, rows.index ? rows.index[r] : r, term[k].point, g);
            clip(g, record_clip);
            cblas_daxpy(WIDE, term[k].coefficient, g, 1, total, 1);
        }
        clip(total, bound);
        if (all_finite(total))
            cblas_daxpy(WIDE, 1.0 / divisor, total, 1, out, 1);
    }
}

static void check_query(landscape *l, sp_rows rows, size_t terms, const sp_term *term, double record_clip, double bound)
{
    double expected[WIDE], got[WIDE], again[WIDE];
    const double divisor = 0.731 * (double)(rows.index ? rows.count : MANY);
    query_by_definition(l, rows, terms, term, record_clip, bound, divisor, expected);
    sp_data_query(&l->problem, l->workspace, rows, terms, term, record_clip, bound, divisor, got);
    sp_data_query(&l->problem, l->workspace, rows, terms, term, record_clip, bound, divisor, again);
    for (size_t j = 0; j < WIDE; j++)
        CHECK_NEAR(got[j], expected[j], 1e-12 * (1.0 + fmin(bound, 1e3)));
    CHECK(memcmp(got, again, sizeof got) == 0);
}

static void check_engine(const sp_loss *loss, const double *number, const sp_regulariser *regulariser)
{
    landscape l;
    const landscape_options o = { .loss = loss, .number = number, .regulariser = regulariser, .lambda = 0.271,
                                  .n = MANY, .d = WIDE, .radius = radius, .label_bound = label_bound(loss),
                                  .short_rows = true };
    if (!landscape_make(o, stream, &l)) {
        landscape_drop(&l);
        return;
    }
    uint32_t index[317];
    double w[3][WIDE], huge[WIDE], H[WIDE * WIDE], sum[WIDE * WIDE] = { 0.0 }, one[WIDE * WIDE], g[WIDE];
    const sp_problem *p = &l.problem;
    for (size_t i = 0; i < 317; i++)
        index[i] = (uint32_t)gsl_rng_uniform_int(stream, MANY);
    for (size_t j = 0; j < WIDE; j++) {
        for (size_t k = 0; k < 3; k++)
            w[k][j] = gsl_ran_gaussian(stream, 0.8);
        huge[j] = j % 2 ? 1.5e308 : -1.5e308;
    }
    const sp_term term[] = { { 1.0, w[0] }, { -0.917, w[1] }, { 0.385, w[2] } };
    const sp_term lost[] = { { 1.0, w[0] }, { 1.0, huge } };
    const sp_rows rows[] = { { NULL, 0 }, { index, 317 }, { index, 1 } };
    const double L = p->certified.L_data;
    for (size_t r = 0; r < 3; r++) {
        check_query(&l, rows[r], 1, term, L, INFINITY);
        check_query(&l, rows[r], 1, term, INFINITY, 0.31 * L);
        check_query(&l, rows[r], 2, term, L, 2.0 * L);
        check_query(&l, rows[r], 3, term, 0.23 * L, 0.29 * L);
        check_query(&l, rows[r], 1, lost + 1, L, L);
        check_query(&l, rows[r], 2, lost, 0.4 * L, L);
    }
    /* a point that is not a number: every record is dropped, and the full-access gradient says so */
    double nowhere[WIDE], out[WIDE];
    for (size_t j = 0; j < WIDE; j++)
        nowhere[j] = j == 3 ? NAN : w[0][j];
    sp_data_query(p, l.workspace, rows[0], 1, &(sp_term){ 1.0, nowhere }, L, L, 1.0, out);
    sp_data_hessian(p, l.workspace, rows[0], nowhere, 1.0, H);
    CHECK(cblas_dasum(WIDE, out, 1) == 0.0 && cblas_dasum(WIDE * WIDE, H, 1) == 0.0);
    sp_problem_gradient(p, l.workspace, nowhere, out);
    CHECK(!all_finite(out));
    CHECK(!isfinite(sp_problem_value(p, l.workspace, nowhere)));

    for (size_t r = 0; r < 2; r++) {
        const size_t count = rows[r].index ? rows[r].count : MANY;
        memset(sum, 0, sizeof sum);
        for (size_t i = 0; i < count; i++) {
            sp_record_hessian(p, l.workspace, rows[r].index ? index[i] : i, w[0], one);
            cblas_daxpy(WIDE * WIDE, 1.0 / (double)count, one, 1, sum, 1);
        }
        sp_data_hessian(p, l.workspace, rows[r], w[0], (double)count, H);
        for (size_t j = 0; j < WIDE; j++)
            for (size_t k = 0; k < WIDE; k++) {
                CHECK_NEAR(H[j * WIDE + k], sum[j * WIDE + k], 1e-12);
                CHECK(H[j * WIDE + k] == H[k * WIDE + j]);
            }
    }
    /* the objective is the mean of its records plus its public part; its derivatives against differences */
    double value = loss->tilt ? loss->tilt->value(p->number, WIDE, w[0]) : 0.0;
    for (size_t i = 0; i < MANY; i++)
        value += sp_record_value(p, l.workspace, i, w[0]) / MANY;
    for (size_t j = 0; regulariser && j < WIDE; j++)
        value += p->lambda * regulariser->value(w[0][j]);
    CHECK_NEAR(sp_problem_value(p, l.workspace, w[0]), value, 1e-12 * (1.0 + fabs(value)));
    sp_problem_gradient(p, l.workspace, w[0], g);
    sp_problem_hessian(p, l.workspace, w[0], H);
    sp_data_hessian(p, l.workspace, rows[0], w[0], MANY, sum);
    sp_public_hessian(p, l.workspace, w[0], one);
    for (size_t j = 0; j < WIDE; j++) {
        double up[WIDE], down[WIDE];
        const double h = 1e-5, centre = w[0][j];
        w[0][j] = centre + h;
        const double value_up = sp_problem_value(p, l.workspace, w[0]);
        sp_problem_gradient(p, l.workspace, w[0], up);
        w[0][j] = centre - h;
        const double value_down = sp_problem_value(p, l.workspace, w[0]);
        sp_problem_gradient(p, l.workspace, w[0], down);
        w[0][j] = centre;
        CHECK_NEAR(g[j], (value_up - value_down) / (2.0 * h), 1e-8 * (1.0 + p->certified.beta));
        for (size_t k = 0; k < WIDE; k++) {
            CHECK_NEAR(H[k * WIDE + j], (up[k] - down[k]) / (2.0 * h), 1e-7 * (1.0 + p->certified.beta));
            CHECK_NEAR(H[k * WIDE + j], sum[k * WIDE + j] + one[k * WIDE + j], 1e-12 * (1.0 + p->certified.beta));
        }
    }
    landscape_drop(&l);
}

static void check_allocation(const sp_loss *loss)
{
    landscape l;
    const landscape_options o = { .loss = loss, .n = 5, .d = 2, .radius = radius, .label_bound = label_bound(loss) };
    if (landscape_make(o, stream, &l))
        for (size_t k = 1;; k++) {
            arm(k);
            sp_workspace *s = sp_workspace_new(&l.problem);
            disarm();
            const bool all = allocations < k;
            CHECK((s != NULL) == all);
            sp_workspace_free(s);
            if (all)
                break;
        }
    for (size_t k = 1; l.workspace; k++) {
        sp_reference r;
        arm(k);
        const sp_status status = sp_reference_compute(&l.problem, 2, stream, &r, NULL);
        disarm();
        const bool all = allocations < k;
        CHECK_EQUAL(status, all ? SP_OK : SP_ENOMEM);
        if (all)
            break;
    }
    landscape_drop(&l);
}

int main(int argc, char **argv)
{
    const sp_loss *loss = argc == 2 ? sp_loss_find(argv[1]) : NULL;
    CHECK(loss != NULL);
    if (!loss)
        return sp_check_done();
    stream = landscape_stream(loss->name);
    CHECK(stream != NULL && loss->formula && loss->source);
    CHECK((loss->link != NULL) != (loss->tilt != NULL));
    for (int variant = 0; variant < (loss->params ? 4 : 1); variant++) {
        double number[SP_PARAM_MAX] = { 0.0 };
        landscape_defaults(loss->params, number);
        if (variant > 0)
            draw_numbers(loss->params, number);
        if (loss->link)
            check_link(loss, number);
        else
            check_tilt(loss, number);
        check_gap(loss, number);
        check_quasar(loss, number);
        check_constants(loss, number, NULL, 0.0, 0.0);
        check_engine(loss, number, NULL);
        for (size_t i = 0; i < sp_regulariser_count; i++) {
            check_constants(loss, number, sp_regularisers[i], 0.371, variant % 2 ? ball : 0.0);
            check_engine(loss, number, sp_regularisers[i]);
        }
    }
    check_allocation(loss);
    gsl_rng_free(stream);
    return sp_check_done();
}
