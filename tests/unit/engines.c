/* engines.c -- every form of loss over every storage, against the definitions summed in long double: values, gradients,
 * clipped queries, Hessians and their products, on all records and on lists of them; and what is not finite or not as
 * certified. */
#include "core/numeric/isa.h"
#include "core/numeric/stream.h"
#include "losses/engine/engine.h"
#include "tests/forms.h"
#include "tests/storages.h"

#include <gsl/gsl_randist.h>

extern const sp_regulariser sp_regulariser_nonconvex;

enum { N = 29, FEATURES = 7, D_MAX = FEATURES + 1 };
static const sp_loss *const forms[] = { &forms_link, &forms_tilt, &forms_record };
enum { FORMS = sizeof forms / sizeof *forms };

typedef struct scene {
    records records;
    double X[N * FEATURES], y[N], w[D_MAX], v[D_MAX];
    sp_dataset data;
    sp_problem problem;
    sp_workspace *workspace;
    size_t d;
} scene;

static bool scene_make(scene *s, const sp_loss *loss, sp_storage storage, bool signs, bool broken)
{
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(2385, "engines", signs, SP_STREAM_DATA));
    const double unit = 0.731 / sqrt((double)FEATURES);
    *s = (scene){ .d = loss->record ? D_MAX : FEATURES };
    for (size_t k = 0; k < N * FEATURES; k++) {
        const double z = gsl_ran_gaussian(stream, 0.31);
        s->X[k] = signs ? copysign(unit, z) : fabs(z) < 0.2 ? 0.0 : z;
    }
    for (size_t i = 0; i < N; i++)
        s->y[i] = gsl_rng_uniform(stream) - 0.5;
    if (broken)
        s->y[3] = FORMS_NAN, s->y[11] = FORMS_INFINITE;
    for (size_t j = 0; j < D_MAX; j++) {
        s->w[j] = gsl_ran_gaussian(stream, 0.9);
        s->v[j] = gsl_ran_gaussian(stream, 0.9);
    }
    gsl_rng_free(stream);
    s->records = (records){ .n = N, .d = FEATURES, .X = s->X, .y = loss->tilt ? NULL : s->y, .unit = signs ? unit : 0.0,
                            .radius = 1.9, .label_bound = 1.0 };
    s->problem = (sp_problem){ .loss = loss, .number = { 1.31 }, .regulariser = &sp_regulariser_nonconvex,
                               .lambda = 0.0271, .domain = { SP_DOMAIN_L2_BALL, s->d, 5.0, 5.0 }, .train = &s->data };
    const sp_setting setting = { .loss = loss, .number = s->problem.number, .domain = &s->problem.domain, .n = N,
                                 .features = FEATURES, .radius = 1.9, .label_bound = 1.0 };
    const bool ok = records_stored(&s->records, storage, &s->data) &&
                    sp_certify(&setting, &s->problem.certified, NULL) == SP_OK;
    s->workspace = ok ? sp_workspace_new(&s->problem) : NULL;
    CHECK(s->workspace != NULL);
    return s->workspace != NULL;
}

static void scene_drop(scene *s)
{
    sp_workspace_free(s->workspace);
    sp_dataset_free(&s->data);
}

/* Sums of the definition over `rows`, divided by `divisor`; broken records are left out. */
typedef struct truth {
    long double value, gradient[D_MAX], H[D_MAX * D_MAX], product[D_MAX];
} truth;

static void define(const scene *s, size_t i, const double *w, truth *out)
{
    forms_define(s->problem.loss, FEATURES, s->X + i * FEATURES, s->y[i], w, &out->value, out->gradient, out->H);
}

static truth define_sum(const scene *s, sp_rows rows, const double *w, double divisor)
{
    truth sum = { 0.0L }, one;
    for (size_t i = 0; i < (rows.index ? rows.count : N); i++) {
        define(s, rows.index ? rows.index[i] : i, w, &one);
        sum.value += one.value / divisor;
        for (size_t j = 0; j < s->d; j++) {
            sum.gradient[j] += one.gradient[j] / divisor;
            for (size_t k = 0; k < s->d; k++) {
                sum.H[j * s->d + k] += one.H[j * s->d + k] / divisor;
                sum.product[j] += one.H[j * s->d + k] * s->v[k] / divisor;
            }
        }
    }
    return sum;
}

static const uint32_t some[] = { 4, 28, 4, 0, 17, 9, 21, 13, 2, 26 };
static const sp_rows subsets[] = { { NULL, 0 }, { some, 1 }, { some, 10 } };

/* --- as it is ---------------------------------------------------------------------------------------------------- */

static void check_problem(scene *s)
{
    const size_t d = s->d;
    const sp_regulariser *r = &sp_regulariser_nonconvex;
    const truth t = define_sum(s, subsets[0], s->w, N);
    const bool bowl = s->problem.loss->public_part != NULL;
    long double value = t.value;
    double g[D_MAX], H[D_MAX * D_MAX], P[D_MAX * D_MAX], product[D_MAX];
    sp_problem_gradient(&s->problem, s->workspace, s->w, g);
    sp_problem_hessian(&s->problem, s->workspace, s->w, H);
    sp_public_hessian(&s->problem, s->workspace, s->w, P);
    sp_problem_product(&s->problem, s->workspace, s->w, s->v, product);
    for (size_t j = 0; j < d; j++) {
        const double w = s->w[j], slope = 0.0271 * r->slope(w) + (bowl ? 1.31 * w : 0.0);
        const double bend = 0.0271 * r->curvature(w) + (bowl ? 1.31 : 0.0);
        value += 0.0271 * r->value(w) + (bowl ? 0.655 * w * w : 0.0);
        CHECK_NEAR(g[j], (double)t.gradient[j] + slope, 1e-14);
        CHECK_NEAR(product[j], (double)t.product[j] + bend * s->v[j], 1e-14);
        for (size_t k = 0; k < d; k++) {
            CHECK_NEAR(H[j * d + k], (double)t.H[j * d + k] + (j == k ? bend : 0.0), 1e-14);
            CHECK_NEAR(P[j * d + k], j == k ? bend : 0.0, 1e-15);
            CHECK(H[j * d + k] == H[k * d + j]);
        }
    }
    CHECK_NEAR(sp_problem_value(&s->problem, s->workspace, s->w), (double)value, 1e-14);
    CHECK_NEAR(sp_public_value(&s->problem, s->w), (double)(value - t.value), 1e-14);
}

static void check_records(scene *s)
{
    const size_t d = s->d;
    truth t;
    double g[D_MAX], H[D_MAX * D_MAX], values[N];
    for (size_t k = 0; k < 3; k++) {
        const size_t count = subsets[k].index ? subsets[k].count : N;
        sp_data_values(&s->problem, s->workspace, subsets[k], s->w, values);
        for (size_t i = 0; i < count; i++) {
            define(s, subsets[k].index ? subsets[k].index[i] : i, s->w, &t);
            CHECK_NEAR(values[i], (double)t.value, 1e-14);
        }
    }
    for (size_t i = 0; i < N; i += 9) {
        define(s, i, s->w, &t);
        CHECK_NEAR(sp_record_value(&s->problem, s->workspace, i, s->w), (double)t.value, 1e-14);
        sp_record_gradient(&s->problem, s->workspace, i, s->w, g);
        sp_record_hessian(&s->problem, s->workspace, i, s->w, H);
        for (size_t j = 0; j < d; j++) {
            CHECK_NEAR(g[j], (double)t.gradient[j], 1e-14);
            for (size_t m = 0; m < d; m++)
                CHECK_NEAR(H[j * d + m], (double)t.H[j * d + m], 1e-14);
        }
    }
}

/* Where the certified bounds are true nothing is enforced. */
static void check_data_hessian(scene *s)
{
    double H[D_MAX * D_MAX];
    for (size_t k = 0; k < 3; k++) {
        const truth t = define_sum(s, subsets[k], s->w, 12.5);
        sp_data_hessian(&s->problem, s->workspace, subsets[k], s->w, 12.5, H);
        for (size_t j = 0; j < s->d * s->d; j++)
            CHECK_NEAR(H[j], (double)t.H[j], 1e-14);
    }
}

/* --- clipped ----------------------------------------------------------------------------------------------------- */

static void clip(size_t d, long double *v, double bound)
{
    long double square = 0.0L;
    for (size_t j = 0; j < d; j++)
        square += v[j] * v[j];
    for (size_t j = 0; j < d && sqrtl(square) > bound; j++)
        v[j] *= bound / sqrtl(square);
}

/* (1/divisor) sum over rows of clip(c clip(grad f(w), record) - 0.62 clip(grad f(v), record), bound); of one term: the
 * first. */
static void check_query(scene *s, sp_rows rows, size_t terms, double c, double record, double bound)
{
    const size_t d = s->d;
    const sp_term term[] = { { c, s->w }, { -0.62, s->v } };
    long double expected[D_MAX] = { 0.0L };
    truth t;
    double out[D_MAX];
    for (size_t i = 0; i < (rows.index ? rows.count : N); i++) {
        const size_t k = rows.index ? rows.index[i] : i;
        long double sum[D_MAX] = { 0.0L };
        if (s->records.y && forms_broken(s->y[k]) != 0.0)
            continue;
        for (size_t m = 0; m < terms; m++) {
            define(s, k, term[m].point, &t);
            clip(d, t.gradient, record);
            for (size_t j = 0; j < d; j++)
                sum[j] += term[m].coefficient * t.gradient[j];
        }
        clip(d, sum, bound);
        for (size_t j = 0; j < d; j++)
            expected[j] += sum[j] / 12.5L;
    }
    sp_data_query(&s->problem, s->workspace, rows, terms, term, record, bound, 12.5, out);
    for (size_t j = 0; j < d; j++)
        CHECK_NEAR(out[j], (double)expected[j], 2e-14);
    double into[D_MAX]; /* the answer may replace a point */
    memcpy(into, s->w, sizeof into);
    const sp_term same[] = { { c, into }, { -0.62, s->v } };
    sp_data_query(&s->problem, s->workspace, rows, terms, same, record, bound, 12.5, into);
    CHECK(memcmp(into, out, d * sizeof *out) == 0);
}

static void check_queries(scene *s)
{
    static const double limits[][2] = { { 90.0, 90.0 }, { 0.31, 90.0 }, { 90.0, 0.31 }, { 0.31, 0.12 } };
    for (size_t k = 0; k < 3; k++)
        for (size_t m = 0; m < 4; m++) {
            check_query(s, subsets[k], 2, 1.31, limits[m][0], limits[m][1]);
            check_query(s, subsets[k], 1, 1.31, limits[m][0], limits[m][1]);
            check_query(s, subsets[k], 1, 1.0, limits[m][0], limits[m][1]);
        }
    const sp_term term[] = { { 2.0, s->w }, { -0.5, s->v } };
    double out[D_MAX];
    sp_public_query(&s->problem, s->workspace, 2, term, out);
    for (size_t j = 0; j < s->d; j++) {
        double expected = 0.0;
        for (size_t k = 0; k < 2; k++) {
            const double w = term[k].point[j];
            expected += term[k].coefficient * (0.0271 * sp_regulariser_nonconvex.slope(w) +
                                               (s->problem.loss->public_part ? 1.31 * w : 0.0));
        }
        CHECK_NEAR(out[j], expected, 1e-14);
    }
}

/* Many points, one read of the records: what each is alone, to the bit. More points than are asked at once. */
static void check_many(scene *s)
{
    enum { POINTS = 67 };
    const size_t d = s->d;
    static double points[POINTS][D_MAX], values[POINTS], gradients[POINTS * D_MAX];
    const double *point[POINTS];
    double alone[D_MAX], answers[3][D_MAX];
    for (size_t k = 0; k < POINTS; k++) {
        for (size_t j = 0; j < d; j++)
            points[k][j] = s->w[j] + 0.0731 * (double)k * s->v[j];
        point[k] = points[k];
    }
    sp_problem_values(&s->problem, s->workspace, POINTS, point, values);
    sp_problem_gradients(&s->problem, s->workspace, POINTS, point, gradients);
    for (size_t k = 0; k < POINTS; k++) {
        CHECK(values[k] == sp_problem_value(&s->problem, s->workspace, point[k]));
        sp_problem_gradient(&s->problem, s->workspace, point[k], alone);
        CHECK(memcmp(alone, gradients + k * d, d * sizeof *alone) == 0);
    }
    const sp_term term[] = { { 1.31, s->w }, { -0.62, s->v }, { 0.5, points[5] } };
    const sp_clip tight = { 0.31, 0.12 }, loose = { 90.0, 0.31 };
    const sp_data_ask ask[] = { { 2, term, &tight, answers[0] }, { 1, term + 2, NULL, answers[1] },
                                { 3, term, &loose, answers[2] } };
    for (size_t k = 0; k < 3; k++) {
        sp_data_queries(&s->problem, s->workspace, subsets[k], 3, ask, 12.5);
        sp_data_query(&s->problem, s->workspace, subsets[k], 2, term, 0.31, 0.12, 12.5, alone);
        CHECK(memcmp(alone, answers[0], d * sizeof *alone) == 0);
        sp_data_query(&s->problem, s->workspace, subsets[k], 1, term + 2, INFINITY, INFINITY, 12.5, alone);
        CHECK(memcmp(alone, answers[1], d * sizeof *alone) == 0);
        sp_data_query(&s->problem, s->workspace, subsets[k], 3, term, 90.0, 0.31, 12.5, alone);
        CHECK(memcmp(alone, answers[2], d * sizeof *alone) == 0);
    }
}

static void check_all(void)
{
    for (int form = 0; form < FORMS; form++)
        for (int signs = 0; signs < 2; signs++)
            for (int storage = 0; storage < STORAGES; storage++) {
                scene s;
                if (storage == SP_STORE_SIGNS && !signs)
                    continue;
                if (scene_make(&s, forms[form], (sp_storage)storage, signs, false)) {
                    check_problem(&s);
                    check_records(&s);
                    check_data_hessian(&s);
                    check_queries(&s);
                    check_many(&s);
                }
                scene_drop(&s);
            }
}

/* --- a tilt's clipped sums, to the bit ---------------------------------------------------------------------------- */

/* sum += c clip(v, limit), by FMAs; nothing if `whole` and v is not finite. */
static void add_clipped_plainly(size_t d, double c, const double *v, double limit, sp_norm in, bool whole, double *sum)
{
    double lane[8] = { 0.0 }, most = 0.0;
    for (size_t j = 0; j < d; j++) {
        lane[j % 8] = fma(v[j], v[j], lane[j % 8]);
        most = fabs(v[j]) > most ? fabs(v[j]) : most;
    }
    const double square = ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
    const double norm = in == SP_NORM_L2 ? sqrt(square) : most;
    c *= norm > limit ? limit / norm : 1.0;
    for (size_t j = 0; j < d && (!whole || isfinite(square)); j++)
        sum[j] = fma(c, v[j], sum[j]);
}

/* One record after the other, as the definition of its arithmetic. */
static void clipped_plainly(const sp_dataset *data, size_t count, size_t terms, const sp_term *term,
                            const sp_clip *limit, double *sum)
{
    enum { MOST = 64 };
    double x[MOST], one[MOST], total[MOST], slope[MOST];
    memset(sum, 0, data->d * sizeof *sum);
    for (size_t i = 0; i < count; i++) {
        sp_row_of(data, i, x);
        memset(total, 0, sizeof total);
        for (size_t k = 0; k < terms; k++) {
            forms_tilt.tilt->phi(NULL, data->d, term[k].point, 1, slope);
            for (size_t j = 0; j < data->d; j++)
                one[j] = x[j] * slope[j];
            add_clipped_plainly(data->d, term[k].coefficient, one, limit->record, limit->norm, false, total);
        }
        add_clipped_plainly(data->d, 1.0, total, limit->total, limit->norm, true, sum);
    }
}

/* Records 3 and 9 are broken where the storage can hold that: dense ones, behind the back of what sealed them. */
static void check_clipped_sums(sp_storage storage, size_t count, size_t d)
{
    enum { MOST = 64, COUNT = 17 };
    static const sp_clip limits[] = { { 0.31, 0.12, SP_NORM_L2 }, { 0.93, 0.41, SP_NORM_L2 },
                                      { 0.071, 0.031, SP_NORM_LINF }, { 1e-300, 0.31, SP_NORM_L2 },
                                      { 0.031, HUGE_VAL, SP_NORM_LINF } };
    static const double odd[] = { NAN, INFINITY, -INFINITY, 1.3e200 };
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(2385, "clipped", count * MOST + d, SP_STREAM_DATA));
    double X[COUNT * MOST], point[SP_TERMS_MAX][MOST], out[MOST], expected[MOST];
    const double unit = 0.831 / sqrt((double)d);
    for (size_t k = 0; k < count * d; k++) {
        const double z = gsl_ran_gaussian(stream, 1.31) / sqrt((double)d);
        X[k] = storage == SP_STORE_SIGNS ? copysign(unit, z) : k % 5 == 0 ? 0.0 : z;
    }
    for (size_t k = 0; k < SP_TERMS_MAX; k++)
        for (size_t j = 0; j < d; j++)
            point[k][j] = gsl_ran_gaussian(stream, 0.9);
    gsl_rng_free(stream);
    const records r = { .n = count, .d = d, .X = X, .unit = storage == SP_STORE_SIGNS ? unit : 0.0, .radius = 90.0 };
    const sp_term term[] = { { 1.31, point[0] }, { -0.62, point[1] }, { 0.38, point[2] }, { -0.0, point[3] } };
    sp_dataset data;
    if (!records_stored(&r, storage, &data))
        return;
    const sp_problem p = { .loss = &forms_tilt, .number = { 1.31 },
                           .domain = { SP_DOMAIN_SPACE, d, INFINITY, INFINITY },
                           .certified = { .radius = 90.0 }, .train = &data };
    sp_workspace *s = sp_workspace_new(&p);
    CHECK(s != NULL);
    for (size_t m = 0; s && m < sizeof limits / sizeof *limits; m++)
        for (size_t broken = 0; broken < (storage == SP_STORE_DENSE ? 4 : 1); broken++)
            for (size_t terms = 1; terms <= SP_TERMS_MAX; terms++) {
                for (size_t i = 3; i < count && storage == SP_STORE_DENSE; i += 6)
                    sp_dataset_X(&data)[i * data.stride + i * 7 % d] = odd[(broken + i) % 4];
                clipped_plainly(&data, count, terms, term, &limits[m], expected);
                for (sp_isa isa = SP_ISA_BASELINE; isa < SP_ISAS; isa++) {
                    if (!sp_isa_known(sp_isa_name(isa)))
                        continue;
                    const sp_data_ask ask = { terms, term, &limits[m], out };
                    sp_isa_chosen = isa;
                    sp_data_queries(&p, s, (sp_rows){ NULL, 0 }, 1, &ask, 1.0);
                    SP_CHECK_REPORT(memcmp(out, expected, d * sizeof *out) == 0, "%s, %s, n = %zu, d = %zu, %zu terms, "
                                    "limit %zu", sp_isa_name(isa), sp_storage_names[storage], count, d, terms, m);
                }
                sp_isa_chosen = SP_ISAS;
            }
    sp_workspace_free(s);
    sp_dataset_free(&data);
}

static void check_clipped(void)
{
    static const size_t wide[] = { 1, 2, 7, 8, 9, 10, 15, 16, 17, 24, 31, 63 };
    for (int storage = 0; storage < STORAGES; storage++)
        for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
            for (size_t count = 1; count <= 17; count++)
                check_clipped_sums((sp_storage)storage, count, wide[k]);
}

/* --- what is not finite, what is not as certified ---------------------------------------------------------------- */

static void check_broken(void)
{
    for (int form = 0; form < FORMS; form += 2) { /* a tilt has no labels */
        scene s;
        if (scene_make(&s, forms[form], SP_STORE_DENSE, false, true)) {
            const sp_rows broken = { (const uint32_t[]){ 3, 11 }, 2 };
            double out[D_MAX], H[D_MAX * D_MAX], values[2];
            check_queries(&s);
            sp_data_query(&s.problem, s.workspace, broken, 1, &(sp_term){ 1.0, s.w }, 90.0, 90.0, 1.0, out);
            sp_data_hessian(&s.problem, s.workspace, broken, s.w, 1.0, H);
            for (size_t j = 0; j < s.d; j++)
                CHECK(out[j] == 0.0);
            for (size_t j = 0; j < s.d * s.d; j++)
                CHECK(H[j] == 0.0);
            sp_data_values(&s.problem, s.workspace, broken, s.w, values); /* as they are */
            CHECK(isnan(values[0]) && isinf(values[1]));
        }
        scene_drop(&s);
    }
}

static double frobenius(size_t count, const double *A, const double *B)
{
    double square = 0.0;
    for (size_t k = 0; k < count; k++)
        square += (A[k] - B[k]) * (A[k] - B[k]);
    return sqrt(square);
}

/* A window -l <= hess <= u that the records do not respect: each becomes A0 + clip(A - A0, sqrt d (u + l)/2), A0 =
 * (u - l)/2 I, so that no two of them, a broken one included, differ by more than sqrt d (u + l). */
static void check_window(double up, double down)
{
    scene s;
    if (scene_make(&s, &forms_record, SP_STORE_DENSE, false, true)) {
        const size_t d = s.d, size = d * d;
        const double r = sqrt((double)d) * (up + down) / 2.0, whole = sqrt((double)d) * fmax(up, down);
        double H[N][D_MAX * D_MAX], zero[D_MAX * D_MAX] = { 0.0 };
        int clipped = 0;
        s.workspace->record.curvature_high = up;
        s.workspace->record.curvature_low = down;
        for (size_t i = 0; i < N; i++) {
            truth t;
            long double square = 0.0L;
            const uint32_t one = (uint32_t)i;
            sp_data_hessian(&s.problem, s.workspace, (sp_rows){ &one, 1 }, s.w, 1.0, H[i]);
            CHECK_LESS_EQUAL(frobenius(size, H[i], zero), whole * (1.0 + 1e-14));
            if (forms_broken(s.y[i]) != 0.0)
                continue;
            define(&s, i, s.w, &t);
            for (size_t k = 0; k < d; k++)
                t.H[k * d + k] -= (up - down) / 2.0L;
            for (size_t k = 0; k < size; k++)
                square += t.H[k] * t.H[k];
            clipped += square > r * r;
            clip(size, t.H, r);
            for (size_t k = 0; k < d; k++)
                t.H[k * d + k] += (up - down) / 2.0L;
            for (size_t k = 0; k < size; k++)
                CHECK_NEAR(H[i][k], (double)t.H[k], 1e-14);
        }
        for (size_t i = 0; i < N; i++)
            for (size_t k = 0; k < i; k++)
                CHECK_LESS_EQUAL(frobenius(size, H[i], H[k]), 2.0 * r * (1.0 + 1e-14));
        CHECK(clipped > 3);
    }
    scene_drop(&s);
}

/* A tilt's Phi'' is cut to what is certified, and none counts where it is not finite. */
static void check_tilt_window(void)
{
    scene s;
    if (scene_make(&s, &forms_tilt, SP_STORE_DENSE, false, false)) {
        double H[D_MAX * D_MAX];
        s.workspace->tilt.curvature = 0.31;
        sp_data_hessian(&s.problem, s.workspace, subsets[0], s.w, N, H);
        for (size_t j = 0; j < s.d; j++)
            CHECK_NEAR(H[j * s.d + j], s.data.mean[j] * fmax(-0.31, fmin(0.31, -sin(s.w[j]))), 1e-15);
        s.w[2] = INFINITY; /* sin is NaN there */
        sp_data_hessian(&s.problem, s.workspace, subsets[0], s.w, N, H);
        for (size_t k = 0; k < s.d * s.d; k++)
            CHECK(H[k] == 0.0);
    }
    scene_drop(&s);
}

/* --- other records ----------------------------------------------------------------------------------------------- */

/* The same problem over test records and a population in another storage, with one workspace. */
static void check_on(void)
{
    scene s, other;
    if (scene_make(&s, &forms_link, SP_STORE_DENSE, true, false) &&
        scene_make(&other, &forms_link, SP_STORE_INDEXED, true, false)) {
        const sp_dataset one = other.data;
        s.problem.population = &one;
        sp_workspace *both = sp_workspace_new(&s.problem);
        const sp_problem on = sp_problem_on(&s.problem, &one);
        CHECK(on.train == &one && on.certified.n == N && on.loss == s.problem.loss && on.lambda == s.problem.lambda);
        if (both) {
            double g[D_MAX], h[D_MAX];
            sp_problem_gradient(&on, both, s.w, g);
            sp_problem_gradient(&s.problem, both, s.w, h);
            for (size_t j = 0; j < s.d; j++)
                CHECK_NEAR(g[j], h[j], 1e-15);
        }
        CHECK(both != NULL);
        sp_workspace_free(both);
    }
    scene_drop(&s);
    scene_drop(&other);
}

/* --- wide -------------------------------------------------------------------------------------------------------- */

static uint64_t scramble(uint64_t z) /* SplitMix64 */
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t wide_word(size_t i, size_t k)
{
    return scramble(1000003 * i + k) | scramble(7 + 1000003 * i + k); /* three of four are + */
}

static void wide_row(const void *context, size_t i, size_t d, double *restrict x)
{
    const double unit = *(const double *)context;
    for (size_t j = 0; j < d; j++)
        x[j] = wide_word(i, j / 64) >> j % 64 & 1 ? unit : -unit;
}

static double wide_margin(size_t d, double unit, const uint64_t *sign, const double *w)
{
    double lane[2] = { 0.0 };
    for (size_t j = 0; j < d; j++)
        lane[sign[j / 64] >> j % 64 & 1] += w[j];
    return unit * (lane[1] - lane[0]);
}

/* d = 10^5: everything but a Hessian, against the definition at some coordinates. */
static void check_wide(sp_storage storage, size_t n)
{
    enum { WIDE = 100000 };
    const double unit = 1.0 / sqrt((double)WIDE);
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(2385, "wide", 0, SP_STREAM_DATA));
    double *w = sp_alloc(WIDE, 4 * sizeof *w), *v = w + WIDE, *g = v + WIDE, *product = g + WIDE, *m = sp_alloc(n, 24);
    uint64_t *sign = sp_alloc(n, (WIDE + 63) / 64 * sizeof *sign);
    sp_dataset data;
    CHECK(sp_dataset_new(storage, n, WIDE, 0, true, false, &data, NULL) == SP_OK);
    for (size_t i = 0; i < n; i++) {
        uint64_t *row = sign + i * ((WIDE + 63) / 64);
        for (size_t k = 0; k < (WIDE + 63) / 64; k++)
            row[k] = wide_word(i, k) & (64 * (k + 1) > WIDE ? (UINT64_C(1) << WIDE % 64) - 1 : UINT64_MAX);
        sp_dataset_y(&data)[i] = gsl_rng_uniform(stream) - 0.5;
    }
    if (storage == SP_STORE_SIGNS)
        memcpy(sp_dataset_sign(&data), sign, n * data.words * sizeof *sign);
    data.unit = unit;
    data.row_maker = wide_row;
    data.row_context = &unit;
    CHECK(sp_dataset_seal(&data, 1.0, 0.5, NULL) == SP_OK);
    for (size_t j = 0; j < WIDE; j++) {
        w[j] = 0.01 * gsl_ran_gaussian_ziggurat(stream, 1.0) + 0.002;
        v[j] = gsl_ran_gaussian_ziggurat(stream, 1.0);
    }
    const sp_problem p = { .loss = &forms_link, .domain = { SP_DOMAIN_SPACE, WIDE, INFINITY, INFINITY },
                           .certified = { .radius = 1.0 }, .train = &data };
    sp_workspace *s = sp_workspace_new(&p);
    CHECK(s != NULL);
    if (s) {
        const double value = sp_problem_value(&p, s, w);
        sp_data_query(&p, s, (sp_rows){ NULL, 0 }, 1, &(sp_term){ 1.0, w }, 0.31, 0.31, (double)n, g);
        sp_problem_product(&p, s, w, v, product);
        double expected = 0.0;
        for (size_t i = 0; i < n; i++) {
            const uint64_t *row = sign + i * ((WIDE + 63) / 64);
            const double r = wide_margin(WIDE, unit, row, w) - data.y[i];
            expected += log(cosh(r)) / (double)n;
            m[i] = fmax(-0.31, fmin(0.31, tanh(r)));
            m[n + i] = (1.0 - tanh(r) * tanh(r)) * wide_margin(WIDE, unit, row, v);
        }
        CHECK_NEAR(value, expected, 1e-13);
        for (size_t j = 0; j < WIDE; j += 3571) {
            double first = 0.0, second = 0.0;
            for (size_t i = 0; i < n; i++) {
                const double x = sign[i * ((WIDE + 63) / 64) + j / 64] >> j % 64 & 1 ? unit : -unit;
                first += m[i] * x / (double)n;
                second += m[n + i] * x / (double)n;
            }
            CHECK_NEAR(g[j], first, 1e-14);
            CHECK_NEAR(product[j], second, 1e-14);
        }
    }
    sp_workspace_free(s);
    sp_dataset_free(&data);
    free(sign);
    free(m);
    free(w);
    gsl_rng_free(stream);
}

int main(void)
{
    check_all();
    check_clipped();
    check_broken();
    check_window(0.11, 0.062);
    check_window(0.031, 0.0);
    check_window(0.0, 0.017);
    check_tilt_window();
    check_on();
    check_wide(SP_STORE_SIGNS, 1000);
    check_wide(SP_STORE_INDEXED, 19);
    return sp_check_done();
}
