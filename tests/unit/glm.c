/* glm.c -- the fused pass: known numbers, clipping in closed form, one order of summation whatever shares a pass. What
 * needs every loss is in conformance/loss.c. */
#include "losses/engine/engine.h"
#include "tests/landscape.h"

#include <gsl/gsl_cblas.h>

/* Five records, and logistic loss and derivatives at w = (0.731, -0.385), in 40-digit decimal arithmetic (Python). */
static const double rows[5][2] = { { 0.385, -0.612 }, { 0.217, 0.904 }, { -0.731, 0.118 }, { 0.566, 0.421 },
                                   { -0.294, -0.833 } };
static const double labels[5] = { 1, -1, 1, -1, 1 };
static const double at[2] = { 0.731, -0.385 };

static bool five(landscape *l, const char *loss)
{
    *l = (landscape){ 0 };
    bool ok = sp_dataset_new(SP_STORE_DENSE, 5, 2, 0, true, false, &l->data, NULL) == SP_OK;
    for (size_t i = 0; ok && i < 5; i++) {
        memcpy(sp_dataset_X(&l->data) + i * l->data.stride, rows[i], sizeof rows[i]);
        sp_dataset_y(&l->data)[i] = labels[i];
    }
    ok = ok && sp_dataset_seal(&l->data, 1.0, 1.0, NULL) == SP_OK;
    l->problem = (sp_problem){ .loss = sp_loss_find(loss), .train = &l->data, .start = sp_alloc_doubles(2),
                               .domain = { SP_DOMAIN_SPACE, 2, INFINITY, INFINITY } };
    landscape_defaults(l->problem.loss->params, l->problem.number);
    const sp_setting setting = { .loss = l->problem.loss, .number = l->problem.number, .domain = &l->problem.domain,
                                 .n = 5, .features = 2, .radius = 1.0, .label_bound = 1.0 };
    ok = ok && sp_certify(&setting, &l->problem.certified, NULL) == SP_OK;
    l->workspace = ok ? sp_workspace_new(&l->problem) : NULL;
    CHECK(l->workspace != NULL);
    return l->workspace != NULL;
}

static void check_known(void)
{
    landscape l;
    double g[2], H[4];
    if (five(&l, "logistic")) {
        CHECK_NEAR(sp_problem_value(&l.problem, l.workspace, at), 0.7127202065922732, 1e-15);
        sp_problem_gradient(&l.problem, l.workspace, at, g);
        CHECK_NEAR(g[0], 0.1761363235931924, 1e-15);
        CHECK_NEAR(g[1], 0.2387250071881345, 1e-15);
        sp_problem_hessian(&l.problem, l.workspace, at, H);
        CHECK_NEAR(H[0], 0.05393993998118086, 1e-15);
        CHECK_NEAR(H[1], 0.01866225493126723, 1e-15);
        CHECK_NEAR(H[2], H[1], 0.0);
        CHECK_NEAR(H[3], 0.1019873373026562, 1e-15);

        /* one record: clipped to the bound it has that length and points along x */
        const uint32_t second = 1;
        const sp_rows one = { &second, 1 };
        sp_data_query(&l.problem, l.workspace, one, 1, &(sp_term){ 1.0, at }, INFINITY, 0.0385, 1.0, g);
        CHECK_NEAR(hypot(g[0], g[1]), 0.0385, 1e-16);
        CHECK_NEAR(g[0] * 0.904, g[1] * 0.217, 1e-16);
        /* and it is divided by what is announced, not by the number of rows */
        double half[2];
        sp_data_query(&l.problem, l.workspace, one, 1, &(sp_term){ 1.0, at }, INFINITY, 0.0385, 2.0, half);
        CHECK_NEAR(half[0], 0.5 * g[0], 0.0);
        /* no rows: zero */
        sp_data_query(&l.problem, l.workspace, (sp_rows){ &second, 0 }, 1, &(sp_term){ 1.0, at }, 1.0, 1.0, 3.0, g);
        CHECK(g[0] == 0.0 && g[1] == 0.0);
        /* the answer may replace the point it was asked at */
        double w[2] = { at[0], at[1] };
        sp_problem_gradient(&l.problem, l.workspace, at, g);
        sp_data_query(&l.problem, l.workspace, (sp_rows){ NULL, 0 }, 1, &(sp_term){ 1.0, w }, 1.0, 1.0, 5.0, w);
        CHECK(w[0] == g[0] && w[1] == g[1]);
    }
    landscape_drop(&l);
}

/* More rows than a block, in wide and narrow rows; wider than a block has doubles. */
static void check_order(size_t n, size_t d)
{
    gsl_rng *stream = landscape_stream("order");
    landscape l = { 0 };
    double *w = sp_alloc_doubles(5 * d), *v = w + d, *one = v + d, *two = one + d, *all = two + d;
    uint32_t *index = sp_alloc(n, sizeof *index);
    bool ok = w && index && sp_dataset_new(SP_STORE_DENSE, n, d, 0, true, false, &l.data, NULL) == SP_OK;
    double *X = ok ? sp_dataset_X(&l.data) : NULL, *y = ok ? sp_dataset_y(&l.data) : NULL;
    for (size_t i = 0; ok && i < n; i++) {
        gsl_ran_dir_nd(stream, d, X + i * l.data.stride);
        y[i] = i % 3 ? 1.0 : -1.0;
        index[i] = (uint32_t)i;
    }
    ok = ok && sp_dataset_seal(&l.data, 1.0 + 1e-9, 1.0, NULL) == SP_OK;
    l.problem = (sp_problem){ .loss = sp_loss_find("sigmoid"), .train = &l.data,
                              .domain = { SP_DOMAIN_SPACE, d, INFINITY, INFINITY },
                              .certified = { .radius = 1.0 + 1e-9 } };
    l.workspace = ok ? sp_workspace_new(&l.problem) : NULL;
    CHECK(l.workspace != NULL);
    if (l.workspace) {
        const sp_rows every = { NULL, 0 }, listed = { index, n };
        for (size_t j = 0; j < d; j++) {
            w[j] = gsl_ran_gaussian(stream, 1.0);
            v[j] = gsl_ran_gaussian(stream, 1.0);
        }
        const sp_term term[] = { { 1.0, w }, { 0.0, v } };
        sp_data_query(&l.problem, l.workspace, every, 1, term, 0.2, 0.2, (double)n, one);
        sp_data_query(&l.problem, l.workspace, every, 2, term, 0.2, 0.2, (double)n, two);
        sp_data_query(&l.problem, l.workspace, listed, 1, term, 0.2, 0.2, (double)n, all);
        CHECK(memcmp(one, two, d * sizeof *one) == 0); /* a passenger changes no bit */
        CHECK(memcmp(one, all, d * sizeof *one) == 0); /* nor does a list of all records */
        double expected = 0.0; /* first coordinate, straight from the definition */
        for (size_t i = 0; i < n; i++) {
            const double m = cblas_ddot((int)d, X + i * l.data.stride, 1, w, 1), s = 1.0 / (1.0 + exp(y[i] * m));
            expected -= fmin(0.2, s * (1.0 - s)) * y[i] * X[i * l.data.stride] / (double)n;
        }
        CHECK_NEAR(one[0], expected, 1e-13);
    }
    sp_workspace_free(l.workspace);
    sp_dataset_free(&l.data);
    free(index);
    free(w);
    gsl_rng_free(stream);
}

/* Rows longer than R count as rows of length R in a Hessian, curvatures as far as they are certified. */
static void check_enforced(void)
{
    landscape l;
    double H[4], whole[4];
    const double zero[2] = { 0.0, 0.0 };
    if (five(&l, "logistic")) {
        l.problem.certified.radius = 0.5;
        const uint32_t fifth = 4;
        sp_data_hessian(&l.problem, l.workspace, (sp_rows){ &fifth, 1 }, zero, 1.0, H);
        CHECK_NEAR(H[0] + H[3], 0.25 * 0.25, 1e-15); /* trace = phi'' R^2 */
        CHECK_NEAR(H[0] * 0.833 * 0.833, H[3] * 0.294 * 0.294, 1e-15);
        l.workspace->link.curvature_high = 0.1; /* as if phi'' <= 1/10 had been certified */
        sp_data_hessian(&l.problem, l.workspace, (sp_rows){ &fifth, 1 }, zero, 1.0, H);
        CHECK_NEAR(H[0] + H[3], 0.1 * 0.25, 1e-15);
        sp_record_hessian(&l.problem, l.workspace, 4, zero, whole);
        CHECK_NEAR(whole[0], 0.25 * 0.294 * 0.294, 1e-15);
    }
    landscape_drop(&l);
}

/* --- clipping: where it is left out it would have changed nothing ------------------------------------------------ */

enum { AXES = 16 };
static const double far = 2.62; /* R */

/* v cut to limit / norm */
static double cut(double v, double limit, double norm)
{
    return fabs(v) > limit / norm ? copysign(limit / norm, v) : v;
}

/* Record i lies along axis i, so that out[i] is what it counts times its length; the slopes are +-1, the certified
 * bound; a margin that is not finite, as of record 11 sometimes, makes a record count nothing. */
static void check_cut(const landscape *l, size_t terms, const sp_term *term, sp_clip clip)
{
    double out[AXES];
    sp_data_queries(&l->problem, l->workspace, (sp_rows){ NULL, 0 }, 1, &(sp_data_ask){ terms, term, &clip, out }, 1.0);
    for (size_t i = 0; i < AXES; i++) {
        const double length = l->data.X[i * l->data.stride + i];
        const double norm = clip.norm == SP_NORM_LINF ? fmin(l->data.norm[i], l->data.largest) : l->data.norm[i];
        double a = 0.0;
        for (size_t k = 0; k < terms; k++)
            a += term[k].coefficient * cut(term[k].point[i] * length > l->data.y[i] ? 1.0 : -1.0, clip.record, norm);
        a = isinf(term->point[i] * length) ? 0.0 : cut(a, clip.total, norm);
        SP_CHECK_REPORT(out[i] == a * length, "record %zu, limits %.17g and %.17g: %.17g for %.17g", i, clip.record,
                        clip.total, out[i], a * length);
        const double rounding = clip.norm == SP_NORM_LINF ? 1.1e-12 : 4e-16; /* |x_ij| <= largest (1 + 1e-12) */
        CHECK(fabs(out[i]) <= clip.total * (1.0 + rounding) + 0x1p-1072);
    }
}

static void check_cuts(void)
{
    static const double length[] = { 1.0 + 1e-12, 1.0, 1.0 - 1e-12, 1.0, 1.0 + 5e-13, 0.385, 0.0, 1.0 + 1e-12 };
    landscape l = { 0 };
    double w[AXES], v[AXES];
    bool ok = sp_dataset_new(SP_STORE_DENSE, AXES, AXES, 0, true, false, &l.data, NULL) == SP_OK;
    for (size_t i = 0; ok && i < AXES; i++) {
        sp_dataset_X(&l.data)[i * l.data.stride + i] = far * length[i % 8] * (i < 8 ? 1.0 : i < 12 ? 0.731 : 1e-300);
        sp_dataset_y(&l.data)[i] = i % 3 == 0 ? 0.731 : -0.731;
        w[i] = i % 2 ? 2.385e300 : -2.385e300;
        v[i] = i % 5 < 3 ? 2.385e300 : -2.385e300;
    }
    ok = ok && sp_dataset_seal(&l.data, far, 1.0, NULL) == SP_OK;
    l.problem = (sp_problem){ .loss = sp_loss_find("absolute"), .train = &l.data, .start = sp_alloc_doubles(AXES),
                              .domain = { SP_DOMAIN_SPACE, AXES, INFINITY, INFINITY } };
    l.workspace = ok ? sp_workspace_new(&l.problem) : NULL;
    CHECK(l.workspace != NULL);
    if (!l.workspace)
        return;
    const sp_term term[] = { { 1.0, w }, { -1.0, v } };
    static const double other[] = { 0.0, 0x1p-1074, 0x1p-1030, 1e-300, 0.385, 1e308, INFINITY };
    for (int pass = 0; pass < 4; pass++) {
        const sp_norm in = pass % 2 ? SP_NORM_LINF : SP_NORM_L2;
        w[11] = v[11] = pass < 2 ? 0.731 : 1.7e308;
        for (int k = -20; k <= 60 + (int)(sizeof other / sizeof *other); k++) {
            const double limit = k <= 60 ? far * (1.0 + k * 1e-13) : other[k - 61];
            check_cut(&l, 1, term, (sp_clip){ limit, limit, in });
            check_cut(&l, 1, term, (sp_clip){ INFINITY, limit, in });
            check_cut(&l, 2, term, (sp_clip){ limit, 2.0 * limit, in });
            check_cut(&l, 2, term, (sp_clip){ limit, limit, in });
            check_cut(&l, 2, term, (sp_clip){ INFINITY, 2.0 * limit, in });
        }
    }
    landscape_drop(&l);
}

int main(void)
{
    check_known();
    check_cuts();
    check_enforced();
    check_order(1, 1);
    check_order(257, 3);
    check_order(1000, 64);
    check_order(301, 85);
    check_order(19, 20011);
    return sp_check_done();
}
