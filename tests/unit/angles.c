/* angles.c -- losses of angles and their records against numbers from an independent NumPy program, which worked with
 * moduli and angles of complex numbers; the clip of each pair; means by mean(x) and gradients clipped one by one. */
#include "core/data/generate.h"
#include "losses/engine/engine.h"
#include "tests/generated.h"
#include "tests/landscape.h"

#include <gsl/gsl_cblas.h>

extern const sp_loss sp_loss_circular, sp_loss_ripple_ramp;

enum { N = 4, D = 3, PAIRS = 6 };

static const double records[N][PAIRS] = { /* of the first three, some pairs are outside of their disc */
    { 0.31, -0.42, 0.9, 0.1, -0.05, 0.02 },
    { -0.2, 0.55, -0.3, -0.61, 0.4, 0.0 },
    { 0.0, 0.0, 0.11, -0.7, -0.5, -0.5 },
    { 0.57, 0.1, 0.2, 0.3, 0.25, -0.45 },
};
static const double w[D] = { 0.731, -1.385, 0.2385 }, w2[D] = { -0.4, 0.9, 2.2 }, v[D] = { 0.3, -0.7, 1.1 };
static const sp_rows everything = { NULL, 0 };

typedef struct scene {
    sp_dataset data;
    sp_problem problem;
    sp_workspace *workspace;
} scene;

static sp_constants certified(const sp_loss *loss, const double *number, size_t features, double norm, double start)
{
    sp_constants c = { 0 };
    sp_error error = { .text = "" };
    size_t d = 0;
    CHECK_EQUAL(sp_loss_dimension(loss, number, features, &d, &error), SP_OK);
    const sp_domain domain = { isfinite(norm) ? SP_DOMAIN_L2_BALL : SP_DOMAIN_SPACE, d, norm, norm };
    const sp_setting setting = { .loss = loss, .number = number, .domain = &domain, .n = N, .features = features,
                                 .radius = 3.1, .label_bound = 1.0, .start_norm = start };
    SP_CHECK_REPORT(sp_certify(&setting, &c, &error) == SP_OK, "%s", error.text);
    return c;
}

/* The first `features` of the records of `x`, rows of `width`; `mapped`: through the loss's map. */
static void scene_make(const sp_loss *loss, const double *number, size_t features, const double *x, size_t width,
                       bool mapped, scene *s)
{
    sp_error error = { .text = "" };
    *s = (scene){ 0 };
    bool ok = sp_dataset_new(SP_STORE_DENSE, N, features, 0, false, false, &s->data, &error) == SP_OK;
    for (size_t i = 0; ok && i < N; i++)
        memcpy(sp_dataset_X(&s->data) + i * s->data.stride, x + i * width, features * sizeof *x);
    ok = ok && sp_dataset_seal(&s->data, 3.1, 1.0, &error) == SP_OK;
    ok = ok && (!mapped || sp_dataset_map(&s->data, sp_loss_map(loss), &error) == SP_OK);
    s->problem = (sp_problem){ .loss = loss, .train = &s->data,
                               .certified = certified(loss, number, features, INFINITY, 0.0) };
    for (size_t i = 0; loss->params && loss->params[i].key; i++)
        s->problem.number[i] = number[i];
    s->problem.domain = (sp_domain){ SP_DOMAIN_SPACE, s->problem.certified.d, INFINITY, INFINITY };
    s->workspace = ok ? sp_workspace_new(&s->problem) : NULL;
    SP_CHECK_REPORT(s->workspace != NULL, "%s", error.text);
}

static void scene_drop(scene *s)
{
    sp_workspace_free(s->workspace);
    sp_dataset_free(&s->data);
}

static void check_vector(size_t count, const double *got, const double *expected, double tolerance)
{
    for (size_t j = 0; j < count; j++)
        CHECK_NEAR(got[j], expected[j], tolerance);
}

/* --- the map ------------------------------------------------------------------------------------------------------ */

static void check_map(void)
{
    static const double clipped[N][PAIRS] = {
        { 0.31, -0.42, 0.5738190417564826, 0.06375767130627585, -0.05, 0.02 },
        { -0.1973054494666166, 0.5425899860331956, -0.2547960218835473, -0.518085244496546, 0.4, 0.0 },
        { 0.0, 0.0, 0.08962660524369125, -0.5703511242780352, -0.4082482904634917, -0.4082482904634917 },
        { 0.5686652033192451, 0.09976582514372723, 0.2, 0.3, 0.25, -0.45 },
    };
    const sp_record_map *map = sp_loss_map(&sp_loss_circular);
    double x[PAIRS];
    for (size_t i = 0; i < N; i++) {
        memcpy(x, records[i], sizeof x);
        map->apply(PAIRS, x);
        check_vector(PAIRS, x, clipped[i], 1e-15);
        for (size_t j = 0; j < PAIRS; j += 2) /* short of the disc 1 / sqrt d by more than rounding */
            CHECK(hypot(x[j], x[j + 1]) * sqrt(3.0) < 1.0 - 0.9 * 0x1p-40);
    }
    double far[PAIRS] = { 1e300, -1e300, 3e-310, 0.0, 0.0, -1e200 };
    map->apply(PAIRS, far);
    CHECK_NEAR(far[0], sqrt(1.0 / 6.0), 1e-12);
    CHECK_NEAR(far[1], -sqrt(1.0 / 6.0), 1e-12);
    CHECK(far[2] == 3e-310);
    CHECK_NEAR(far[5], -sqrt(1.0 / 3.0), 1e-12);

    /* mean(x) is that of the clipped records, not the clipped mean; the content says which records they are */
    scene plain, mapped;
    scene_make(&sp_loss_circular, NULL, PAIRS, records[0], PAIRS, false, &plain);
    scene_make(&sp_loss_circular, NULL, PAIRS, records[0], PAIRS, true, &mapped);
    for (size_t j = 0; j < PAIRS; j++)
        CHECK_NEAR(mapped.data.mean[j], (clipped[0][j] + clipped[1][j] + clipped[2][j] + clipped[3][j]) / 4.0, 1e-15);
    CHECK(strcmp(plain.data.content, mapped.data.content) != 0);
    sp_mapped_content(map, plain.data.content);
    CHECK_TEXT(plain.data.content, mapped.data.content);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(mapped.data.norm[i], cblas_dnrm2(PAIRS, clipped[i], 1), 1e-15);
    sp_dataset taken;
    const uint32_t two[2] = { 3, 1 };
    CHECK_EQUAL(sp_dataset_take(&mapped.data, two, 2, &taken, NULL), SP_OK);
    CHECK(taken.map == map);
    sp_dataset_free(&taken);
    const sp_record_map other = { "other", map->apply };
    sp_error error = { .text = "" };
    CHECK_EQUAL(sp_dataset_map(&mapped.data, map, &error), SP_OK); /* once is enough */
    CHECK_EQUAL(sp_dataset_map(&mapped.data, &other, &error), SP_EUNSUPPORTED);
    CHECK(mapped.data.mapping == NULL);
    scene_drop(&plain);
    scene_drop(&mapped);

    const made signs = generator_with("signs", "");
    sp_dataset packed = generated(&signs, SP_STORE_SIGNS, 5, PAIRS, 1, 1);
    CHECK_EQUAL(sp_dataset_map(&packed, map, &error), SP_EUNSUPPORTED);
    CHECK_CONTAINS(error.text, "circular: wanted dense records as they were made; these are signs");
    CHECK(packed.mapping == NULL);
}

/* --- circular ----------------------------------------------------------------------------------------------------- */

static void check_circular(void)
{
    static const double gradient[D] = { 0.14581991092951407, -0.23636205193410348, 0.21117880455511845 };
    static const double diagonal[D] = { 0.18035281992444654, 0.01806896790929796, -0.06966677115276693 };
    static const double least[D] = { 0.1821220006102143, -0.5035658394504943, -0.7770630736106852 };
    scene s;
    double g[D], H[D * D], Hv[D], values[N], mean = 0.0;
    scene_make(&sp_loss_circular, NULL, PAIRS, records[0], PAIRS, true, &s);
    CHECK_NEAR(sp_problem_value(&s.problem, s.workspace, w), 0.9570816611063407, 1e-15);
    sp_problem_gradient(&s.problem, s.workspace, w, g);
    check_vector(D, g, gradient, 1e-15);
    sp_problem_product(&s.problem, s.workspace, w, v, Hv);
    for (int enforced = 0; enforced < 2; enforced++) {
        if (enforced)
            sp_data_hessian(&s.problem, s.workspace, everything, w, N, H);
        else
            sp_problem_hessian(&s.problem, s.workspace, w, H);
        for (size_t j = 0; j < D; j++) {
            CHECK_NEAR(Hv[j], diagonal[j] * v[j], 1e-15);
            for (size_t k = 0; k < D; k++)
                CHECK_NEAR(H[j * D + k], j == k ? diagonal[j] : 0.0, 1e-15);
        }
    }
    sp_data_values(&s.problem, s.workspace, everything, w, values);
    for (size_t i = 0; i < N; i++) {
        mean += values[i] / N;
        CHECK_NEAR(values[i], sp_record_value(&s.problem, s.workspace, i, w), 1e-15);
    }
    CHECK_NEAR(mean, 0.9570816611063407, 1e-15);
    CHECK(sp_problem_minimiser(&s.problem, g));
    check_vector(D, g, least, 1e-15);
    CHECK_NEAR(sp_problem_value(&s.problem, s.workspace, g), 0.6358373129704415, 1e-15);
    s.data.map = NULL; /* then nothing is known of the records */
    CHECK(!sp_problem_minimiser(&s.problem, g));
    scene_drop(&s);

    double at[D] = { 9.0, 9.0, 9.0 };
    sp_loss_circular.record->affine->minimiser(NULL, D, (double[]){ 0.0, 0.0, -0.0, -0.1, -0.2, 0.0 }, at);
    CHECK_NEAR(at[0], 0.0, 0.0); /* any angle is one */
    CHECK_NEAR(at[1], -M_PI / 2.0 / sqrt(3.0), 1e-15);
    CHECK_NEAR(fabs(at[2]), M_PI / sqrt(3.0), 1e-15);
}

/* The constants of the specification, whatever the radius of the records. */
static void check_constants(void)
{
    sp_constants c = certified(&sp_loss_circular, NULL, 10, INFINITY, 0.0);
    CHECK(c.d == 5 && c.smooth && !c.convex && !c.glm && c.strict_saddle && c.quasar == 0.0 && c.kl_gamma == 0.0);
    CHECK(c.L_data == 1.0 && c.L == 1.0 && c.beta_data == 1.0 && c.beta == 1.0 && c.weak_convexity == 1.0);
    CHECK_NEAR(c.rho_hessian, sqrt(5.0), 1e-15);
    CHECK_NEAR(c.hessian_frobenius, 2.0 * sqrt(5.0), 1e-15);
    CHECK_NEAR(c.hessian_norm, sqrt(5.0), 1e-15);
    CHECK_NEAR(c.gap, 2.0, 0.0);
    CHECK_NEAR(c.distance, M_PI, 0.0);
    c = certified(&sp_loss_circular, NULL, 10, 1.7, 0.0);
    CHECK_NEAR(c.gap, 1.5025608102805856, 1e-15); /* 2 sin(1.7 / 2) */
    CHECK_NEAR(c.distance, 1.7, 0.0);
    size_t d = 7;
    sp_error error = { .text = "" };
    CHECK_EQUAL(sp_loss_dimension(&sp_loss_circular, NULL, 7, &d, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "circular: 7 features; wanted: an even number");

    /* 2 sqrt d is attained: all angles opposite to those of a neighbour */
    scene s;
    double x[N][PAIRS] = { { 0.0 } }, H[2][D * D];
    for (size_t j = 0; j < D; j++)
        x[0][2 * j] = 0.9, x[1][2 * j] = -0.9; /* beyond the disc */
    scene_make(&sp_loss_circular, NULL, PAIRS, x[0], PAIRS, true, &s);
    for (size_t i = 0; i < 2; i++)
        sp_record_hessian(&s.problem, s.workspace, i, (double[D]){ 0.0 }, H[i]);
    cblas_daxpy(D * D, -1.0, H[1], 1, H[0], 1);
    CHECK_NEAR(cblas_dnrm2(D * D, H[0], 1), s.problem.certified.hessian_frobenius, 1e-11);
    scene_drop(&s);
}

/* On |u_j| <= U: what the note promises for q and gamma holds, and is nearly met. */
static void check_region(void)
{
    const double U = 2.85, q = 0.4184889550103801, gamma_square = 26.308617171654294, A = cos(0.45);
    CHECK_NEAR(fmin(1.0, U / tan(U / 2.0)), q, 1e-14);
    CHECK_NEAR(1.0 / (A * (1.0 + cos(U))), gamma_square, 1e-11);
    const made m = generator_with("angles", "");
    sp_dataset data;
    sp_error error = { .text = "" };
    gsl_rng *stream = landscape_stream("angles");
    CHECK_EQUAL(sp_generate_population(m.generator, &m.values, true, 0, PAIRS, truth_key(3), records_key(3), &data,
                                       &error), SP_OK);
    CHECK_EQUAL(sp_dataset_map(&data, sp_loss_map(&sp_loss_circular), &error), SP_OK);
    sp_problem p = { .loss = &sp_loss_circular, .train = &data, .domain = { SP_DOMAIN_SPACE, D, INFINITY, INFINITY } };
    sp_workspace *space = sp_workspace_new(&p);
    double least[D], at[D], g[D], slackest = INFINITY, steepest = 0.0;
    CHECK(space != NULL && stream != NULL && sp_problem_minimiser(&p, least));
    const double value = sp_problem_value(&p, space, least);
    for (int k = 0; k < 4000; k++) {
        double along = 0.0;
        for (size_t j = 0; j < D; j++) {
            const double far = gsl_rng_uniform(stream) < 0.3 ? 1.0 : gsl_rng_uniform(stream);
            at[j] = least[j] + (k % 7 == 0 ? U : (2.0 * gsl_rng_uniform(stream) - 1.0) * far * U) / sqrt(3.0);
        }
        sp_problem_gradient(&p, space, at, g);
        for (size_t j = 0; j < D; j++)
            along += g[j] * (at[j] - least[j]);
        const double excess = sp_problem_value(&p, space, at) - value;
        CHECK_LESS_EQUAL(q * excess, along + 1e-12);
        CHECK_LESS_EQUAL(excess, gamma_square * cblas_ddot(D, g, 1, g, 1) * (1.0 + 1e-9));
        slackest = fmin(slackest, along / excess);
        steepest = fmax(steepest, excess / cblas_ddot(D, g, 1, g, 1));
    }
    CHECK_NEAR(slackest, q, 1e-9);
    CHECK_NEAR(steepest, gamma_square, 1e-6);
    gsl_rng_free(stream);
    sp_workspace_free(space);
    sp_dataset_free(&data);
}

/* --- queries: by the mean record, or clipped one by one ----------------------------------------------------------- */

static const sp_term terms[2] = { { 1.0, w }, { -0.917, w2 } };

static void query(scene *s, sp_rows rows, const sp_clip *clip, double divisor, double *out)
{
    sp_data_queries(&s->problem, s->workspace, rows, 1, &(sp_data_ask){ 2, terms, clip, out }, divisor);
}

static void check_largest(void)
{
    const sp_affine *a = sp_loss_circular.record->affine;
    CHECK_NEAR(a->largest(NULL, D, 2, terms, SP_NORM_L2), 1.7557018064026437, 1e-15);
    CHECK_NEAR(a->largest(NULL, D, 2, terms, SP_NORM_LINF), 1.0977554703319343, 1e-15);
    const double one = a->largest(NULL, D, 1, terms, SP_NORM_L2);
    CHECK_NEAR(one, 1.0, 1e-12);
    CHECK(one < 1.0 - 0.9 * 0x1p-40); /* so the default clip, 1, cuts nothing, whatever rounding does */
    CHECK(isnan(a->largest(NULL, D, 1, &(sp_term){ 1.0, (double[D]){ 0.0, NAN, 0.0 } }, SP_NORM_L2)));
    CHECK(isnan(a->largest(NULL, D, 1, &(sp_term){ 1.0, (double[D]){ 0.0, INFINITY, 0.0 } }, SP_NORM_LINF)));

    /* attained: pair j at -i s_j / |s_j| */
    double x[N][PAIRS] = { { 0.0 } }, g[D];
    for (size_t j = 0; j < D; j++) {
        double re = 0.0, im = 0.0;
        for (size_t k = 0; k < 2; k++) {
            re += terms[k].coefficient * cos(sqrt(3.0) * terms[k].point[j]);
            im += terms[k].coefficient * sin(sqrt(3.0) * terms[k].point[j]);
        }
        x[0][2 * j] = im / hypot(re, im);
        x[0][2 * j + 1] = -re / hypot(re, im);
    }
    scene s;
    scene_make(&sp_loss_circular, NULL, PAIRS, x[0], PAIRS, true, &s);
    query(&s, (sp_rows){ &(uint32_t){ 0 }, 1 }, NULL, 1.0, g);
    CHECK_NEAR(cblas_dnrm2(D, g, 1), 1.7557018064026437, 1e-14);
    scene_drop(&s);
}

static void check_queries(void)
{
    static const double none[D] = { 0.28481013485123524, -0.3778703516713563, 0.3891941869520251 };
    static const double l2[D] = { 0.05972565631531136, -0.14088860866358946, 0.15368386014335125 };
    static const double total[D] = { 0.06027926468475241, -0.13986599055881058, 0.15354207400238287 };
    static const double record[D] = { 0.16452380751417622, -0.2774820624417322, 0.26424365310254105 };
    static const double linf[D] = { 0.08330658989913622, -0.1218208717783265, 0.15065714521661727 };
    scene s, raw;
    double out[D], wide[D];
    scene_make(&sp_loss_circular, NULL, PAIRS, records[0], PAIRS, true, &s);
    query(&s, everything, NULL, N, out);
    check_vector(D, out, none, 1e-15);
    query(&s, everything, &(sp_clip){ 1.0, 1.7557018064026438, SP_NORM_L2 }, N, out); /* by the mean record */
    check_vector(D, out, none, 1e-15);
    query(&s, everything, &(sp_clip){ 1.0, 1.75, SP_NORM_L2 }, N, wide); /* one by one: none of these is so long */
    check_vector(D, wide, none, 1e-15);
    query(&s, everything, &(sp_clip){ 0.4, 0.3, SP_NORM_L2 }, N, out); /* never the clip of the mean */
    check_vector(D, out, l2, 1e-15);
    query(&s, everything, &(sp_clip){ 1.0, 0.3, SP_NORM_L2 }, N, out); /* each limit by itself */
    check_vector(D, out, total, 1e-15);
    query(&s, everything, &(sp_clip){ 0.4, 9.0, SP_NORM_L2 }, N, out);
    check_vector(D, out, record, 1e-15);
    query(&s, everything, &(sp_clip){ 0.2, 0.25, SP_NORM_LINF }, N, out);
    check_vector(D, out, linf, 1e-15);
    query(&s, (sp_rows){ (const uint32_t[]){ 0, 1, 2, 3, 3, 2, 1, 0 }, 8 }, &(sp_clip){ 0.4, 0.3, SP_NORM_L2 }, 8.0,
          out);
    check_vector(D, out, l2, 1e-15);
    query(&s, (sp_rows){ (const uint32_t[]){ 3, 1, 0, 2 }, 4 }, NULL, 2.0, out);
    for (size_t j = 0; j < D; j++)
        CHECK_NEAR(out[j], 2.0 * none[j], 1e-15);
    query(&s, (sp_rows){ (const uint32_t[]){ 0 }, 0 }, NULL, 2.0, out); /* an empty batch */
    check_vector(D, out, (double[D]){ 0.0 }, 0.0);
    const double nowhere[D] = { 0.1, NAN, 0.2 };
    double H[D * D];
    sp_data_query(&s.problem, s.workspace, everything, 1, &(sp_term){ 1.0, nowhere }, 1.0, 1.0, N, out);
    check_vector(D, out, (double[D]){ 0.0 }, 0.0); /* no record's gradient is a number: all are left out */
    sp_data_hessian(&s.problem, s.workspace, everything, nowhere, N, H);
    for (size_t j = 0; j < D * D; j++)
        CHECK(H[j] == 0.0);
    CHECK(isnan(sp_problem_value(&s.problem, s.workspace, nowhere)));

    /* records that have not been through the map are clipped one by one, however far outside of the disc */
    double x[N][PAIRS] = { { 0.0 } };
    x[2][1] = -1.9;
    scene_make(&sp_loss_circular, NULL, PAIRS, x[0], PAIRS, false, &raw);
    sp_data_query(&raw.problem, raw.workspace, everything, 1, &(sp_term){ 1.0, (double[D]){ 0.0 } }, 1.0, 1.0, 1.0,
                  out);
    check_vector(D, out, (double[D]){ 1.0, 0.0, 0.0 }, 1e-15);
    scene_drop(&raw);
    scene_drop(&s);
}

/* Differences between points ever closer, where terms cancel: of gradients known to rounding of their own size, so that
 * no clip by ||w - w'|| is met, and by the mean record as one by one; of values to rounding of ||w - w'||. */
static void check_close(void)
{
    enum { FEATURES = 1 + PAIRS, SPACE = 1 + D };
    static const double slope[] = { 0.385, 0.0 }, from[SPACE] = { 3.1, 0.731, -1.385, 0.2385 };
    static const double step[SPACE] = { 0.61, -0.5, 0.27, 0.83 };
    for (int ramp = 0; ramp < 3; ramp++) { /* circular, ripple_ramp, and that with rise = 0.8 */
        const double number[] = { slope[0], ramp == 2 ? 0.8 : 0.0 }, ripple = fmax(slope[0], number[1]);
        const sp_loss *loss = ramp ? &sp_loss_ripple_ramp : &sp_loss_circular;
        const size_t first = ramp ? 0 : 1, d = SPACE - first;
        const double beta = ramp ? 0.6 : 1.0;
        double x[N][FEATURES];
        scene s;
        for (size_t i = 0; i < N; i++) {
            x[i][0] = i % 2 ? 0.9 : 0.7;
            memcpy(x[i] + 1, records[i], sizeof records[i]);
        }
        scene_make(loss, number, FEATURES - first, x[0] + first, FEATURES, true, &s);
        const double *mean = s.data.mean;
        for (double size = 1e-2; size > 1e-17; size *= 0.0137) {
            double to[SPACE], apart[SPACE], got[SPACE], one[SPACE];
            for (size_t j = 0; j < SPACE; j++) {
                to[j] = from[j] + size * step[j];
                apart[j] = to[j] - from[j];
            }
            const sp_term both[2] = { { 1.0, to + first }, { -1.0, from + first } };
            const double limit = beta * cblas_dnrm2((int)d, apart + first, 1);
            const double most = loss->record->affine->largest(number, d, 2, both, SP_NORM_L2);
            CHECK_LESS_EQUAL(most, limit);
            if (!ramp)
                CHECK_LESS_EQUAL(limit * (1.0 - 2.0 * size * size - 2e-12), most);
            sp_data_query(&s.problem, s.workspace, everything, 2, both, 2.0, limit, N, got);
            for (size_t j = 0; j < d; j++) { /* by Hessians at the middle, exact but for the square of the step */
                const size_t k = j + first;
                const double middle = 0.5 * (to[k] + from[k]), root = sqrt(3.0);
                const double *pair = mean + 2 * (k - 1) + (1 - first);
                const double bend = k == 0 ? 0.375 * number[0] / ripple * mean[0] * sin(middle / ripple)
                                           : (ramp ? 0.6 : 1.0) * root * (pair[0] * cos(root * middle)
                                                                         + pair[1] * sin(root * middle));
                one[j] = bend * apart[k];
            }
            check_vector(d, got, one, limit * (size * size + 4e-15));

            double middle[SPACE], slope_there[SPACE]; /* values by gradients there, exact but for the cube */
            for (size_t j = 0; j < SPACE; j++)
                middle[j] = 0.5 * (to[j] + from[j]);
            sp_data_query(&s.problem, s.workspace, everything, 1, &(sp_term){ 1.0, middle + first }, 2.0, 2.0, N,
                          slope_there);
            const double change = loss->record->affine->change(number, FEATURES - first, mean, to + first,
                                                               from + first);
            CHECK_NEAR(change, cblas_ddot((int)d, slope_there, 1, apart + first, 1), limit * (size * size + 4e-15));
        }
        for (double size = 1e-2; size < 1e3; size *= 7.0) { /* and far, by values */
            double to[SPACE];
            for (size_t j = 0; j < SPACE; j++)
                to[j] = from[j] - size * step[j];
            const sp_record_form *record = loss->record;
            const double here = record->value(number, FEATURES - first, mean, 0.0, to + first, NULL);
            const double there = record->value(number, FEATURES - first, mean, 0.0, from + first, NULL);
            CHECK_NEAR(record->affine->change(number, FEATURES - first, mean, to + first, from + first), here - there,
                       1e-15 * (4.0 + 4.0 * size));
        }
        scene_drop(&s);
    }
}

/* --- ripple_ramp -------------------------------------------------------------------------------------------------- */

static void check_ripple(void)
{
    enum { FEATURES = 1 + PAIRS, SPACE = 1 + D };
    static const double lead[N] = { 0.7, -2.3, 1.0, 0.44 }, slope[] = { 0.385, 0.0 };
    static const double at[SPACE] = { 3.1, 0.731, -1.385, 0.2385 }, at2[SPACE] = { -0.9, -0.4, 0.9, 2.2 };
    static const double along[SPACE] = { 1.3, 0.3, -0.7, 1.1 };
    static const double gradient[SPACE] = { 0.42839625026612316, 0.08749194655770844, -0.14181723116046208,
                                            0.12670728273307105 };
    static const double diagonal[SPACE] = { 1.1047875775031253, 0.10821169195466793, 0.01084138074557878,
                                            -0.04180006269166015 };
    static const double cut[SPACE] = { -0.0043848045538487, 0.06632705866183614, -0.13786828302739387,
                                       0.13715576018134146 };
    static const struct {
        double number[2]; /* slope, rise */
        double gap, distance, L, rho;
    } members[] = { { { 0.7071067811865476, 0.0 }, 2.187731041065571, 3.590680958478044, 0.9963997691689818, INFINITY },
                    { { 0.5, 0.0 }, 1.9266685429757962, 3.945110959160537, 0.822439207479799, INFINITY },
                    { { 0.385, 0.0 }, 2.0447002642959418, 4.291357364978188, 0.7399981524470179, INFINITY },
                    { { 0.0078125, 0.0 }, 1.9499952012373916, 128.0433791747712, 0.6000643695634902, INFINITY },
                    { { 32.0 / 45.0, 0.0 }, 2.1937116271698756, 3.589208508889936, 1.0, INFINITY },
                    { { 0.7071067811865476, 0.8 }, 2.351292886035144, 3.782003703731036, 0.9963997691689818, 3.05 },
                    { { 0.385, 0.8 }, 1.9918916993350553, 4.444889460419548, 0.7399981524470179, 3.05 },
                    { { 0.0078125, 0.8 }, 1.9506512484016292, 128.10730389395252, 0.6000643695634902, 3.05 } };
    const sp_affine *a = sp_loss_ripple_ramp.record->affine;
    double x[N][FEATURES], g[SPACE], H[SPACE * SPACE], Hv[SPACE];
    scene s;
    for (size_t i = 0; i < N; i++) {
        x[i][0] = lead[i];
        memcpy(x[i] + 1, records[i], sizeof records[i]);
    }
    scene_make(&sp_loss_ripple_ramp, slope, FEATURES, x[0], FEATURES, true, &s);
    CHECK_NEAR(s.data.mean[0], 0.285, 1e-12);
    CHECK_NEAR(sp_problem_value(&s.problem, s.workspace, at), 0.4299083075372316, 1e-15);
    sp_problem_gradient(&s.problem, s.workspace, at, g);
    check_vector(SPACE, g, gradient, 1e-15);
    sp_problem_hessian(&s.problem, s.workspace, at, H);
    sp_problem_product(&s.problem, s.workspace, at, along, Hv);
    for (size_t j = 0; j < SPACE; j++) {
        CHECK_NEAR(Hv[j], diagonal[j] * along[j], 4e-15);
        for (size_t k = 0; k < SPACE; k++)
            CHECK_NEAR(H[j * SPACE + k], j == k ? diagonal[j] : 0.0, 4e-15);
    }
    CHECK(sp_problem_minimiser(&s.problem, g));
    CHECK_NEAR(g[0], 2.7096650998957186, 1e-14);
    CHECK_NEAR(sp_problem_value(&s.problem, s.workspace, g), 0.15396037375372465, 1e-14);

    const sp_term both[2] = { { 1.0, at }, { -0.917, at2 } };
    CHECK_NEAR(a->largest(slope, SPACE, 2, both, SP_NORM_L2), 1.0570434928937367, 1e-14);
    CHECK_NEAR(a->largest(slope, SPACE, 2, both, SP_NORM_LINF), 0.6586532821991605, 1e-14);
    CHECK(isnan(a->largest(slope, SPACE, 1, &(sp_term){ 1.0, (double[SPACE]){ NAN } }, SP_NORM_LINF)));
    for (int mapped = 0; mapped < 2; mapped++) { /* with and without the mean record */
        sp_data_query(&s.problem, s.workspace, everything, 2, both, 0.35, 0.3, N, g);
        check_vector(SPACE, g, cut, 1e-15);
        s.data.map = NULL;
    }
    scene_drop(&s);

    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const sp_constants c = certified(&sp_loss_ripple_ramp, members[i].number, 19, INFINITY, 0.0);
        const double slope_of = members[i].number[0], ripple = fmax(slope_of, members[i].number[1]);
        CHECK(c.d == 10 && c.smooth && !c.convex && !c.strict_saddle && c.quasar == 0.0);
        CHECK_NEAR(c.gap, members[i].gap, 1e-13);
        CHECK_NEAR(c.distance, members[i].distance, 1e-12);
        CHECK_NEAR(c.L_data, members[i].L, 1e-15);
        CHECK(c.L_data <= 1.0 && isinf(c.L));
        CHECK(isinf(members[i].rho) ? isinf(c.rho_hessian) : fabs(c.rho_hessian - members[i].rho) <= 1e-14);
        CHECK(c.beta_data == 0.6 && c.weak_convexity == 0.6);
        const double first = 0.375 * slope_of / ripple;
        CHECK_NEAR(c.beta, 1.0 + first, 1e-15);
        CHECK_NEAR(c.hessian_frobenius, 2.0 * sqrt(first * first + 0.36 * 9.0), 1e-15);
        CHECK_NEAR(c.hessian_norm, sqrt(first * first + 0.36 * 9.0), 1e-15);
        /* the slope vanishes nowhere before the wall, on either side: one minimiser in w_1 */
        double mean[3] = { -0.31, 0.2, 0.0 }, there[2];
        CHECK(a->minimiser(members[i].number, 2, mean, there) && there[0] < -1.0 / slope_of);
        mean[0] = 0.0;
        CHECK(a->minimiser(members[i].number, 2, mean, there) && there[0] == 0.0);
    }
    /* a wall whose Hessian grows: within the length of its growth, and beyond on the other side */
    static const double soft[] = { 0.385, 0.8 };
    static const struct {
        double t, value, gradient, curvature;
    } walls[] = { { 3.1, -0.20662586887777584, 0.10615176713517138, 0.5938168573597523 },
                  { -4.0, 0.8268770527029718, -1.096562965084885, 1.0493209215800372 } };
    scene_make(&sp_loss_ripple_ramp, soft, FEATURES, x[0], FEATURES, true, &s);
    for (size_t i = 0; i < 2; i++) {
        const double there[SPACE] = { walls[i].t }, flat[SPACE] = { 0.0 };
        CHECK_NEAR(sp_problem_value(&s.problem, s.workspace, there) - sp_problem_value(&s.problem, s.workspace, flat),
                   walls[i].value, 1e-14);
        sp_problem_gradient(&s.problem, s.workspace, there, g);
        CHECK_NEAR(g[0], walls[i].gradient, 1e-15);
        sp_problem_hessian(&s.problem, s.workspace, there, H);
        sp_problem_product(&s.problem, s.workspace, there, along, Hv);
        CHECK_NEAR(H[0], walls[i].curvature, 1e-15);
        CHECK_NEAR(Hv[0], along[0] * walls[i].curvature, 1e-15);
    }
    CHECK(sp_problem_minimiser(&s.problem, g));
    CHECK_NEAR(g[0], 2.865973264880547, 1e-14);
    scene_drop(&s);

    size_t d = 7;
    CHECK_EQUAL(sp_loss_dimension(&sp_loss_ripple_ramp, slope, 6, &d, NULL), SP_EINVAL);
    CHECK_EQUAL(sp_loss_dimension(&sp_loss_ripple_ramp, slope, 1, &d, NULL), SP_EINVAL);
    /* far out the ripples go on */
    const double out_there = 1e7, two[3] = { 1.0, 0.0, 0.0 };
    sp_loss_ripple_ramp.record->gradient(slope, 3, two, 0.0, (double[2]){ out_there, 0.0 }, NULL, g);
    CHECK_NEAR(g[0], -0.75 * 0.385 * (1.0 + 0.5 * cos(out_there / 0.385)), 1e-7);

    /* Hessians of unmapped records are held to the bound on ||.||_F all the same */
    double wild[N][FEATURES] = { { 0.0 } };
    wild[0][1] = 2.3;
    scene_make(&sp_loss_ripple_ramp, slope, FEATURES, wild[0], FEATURES, false, &s);
    sp_data_hessian(&s.problem, s.workspace, (sp_rows){ &(uint32_t){ 0 }, 1 }, (double[SPACE]){ 0.0 }, 1.0, H);
    CHECK_NEAR(cblas_dnrm2(SPACE * SPACE, H, 1), sqrt(0.375 * 0.375 + 0.36 * 3.0), 1e-15);
    scene_drop(&s);
}

/* --- the generator ------------------------------------------------------------------------------------------------ */

/* A record's angles are t_j +- spread, by independent fair coins; t_j = +-offset by the truth. Five standard errors. */
static void check_angles(void)
{
    enum { COUNT = 20000, FEATURES = 140, HALF = FEATURES / 2 };
    const made m = generator_with("angles", "");
    sp_dataset a = generated(&m, SP_STORE_DENSE, COUNT, FEATURES, 1, 2);
    static double up[HALF], both[HALF];
    size_t positive = 0;
    for (size_t j = 0; j < HALF; j++) {
        const double t = a.X[2 * j + 1] > 0.0 ? 2.4 : -2.4; /* 2.4 + 0.45 < pi */
        positive += t > 0.0;
        for (size_t i = 0; i < COUNT; i++) {
            const double *x = a.X + i * a.stride, s = atan2(x[2 * j + 1], x[2 * j]) - t;
            CHECK_NEAR(fabs(s), 0.45, 1e-14);
            CHECK_NEAR(hypot(x[2 * j], x[2 * j + 1]) * sqrt(HALF), 1.0 - 0x1p-40, 1e-15);
            up[j] += (s > 0.0 ? 1.0 : -1.0) / COUNT;
            if (j > 0) {
                const double before = atan2(x[2 * j - 1], x[2 * j - 2]) - (a.X[2 * j - 1] > 0.0 ? 2.4 : -2.4);
                both[j] += (s > 0.0) == (before > 0.0) ? 1.0 / COUNT : -1.0 / COUNT;
            }
        }
        CHECK_NEAR(up[j], 0.0, 5.0 / sqrt(COUNT));
        CHECK_NEAR(both[j], 0.0, 5.0 / sqrt(COUNT));
    }
    CHECK(positive > 14 && positive < 56); /* of 70 coins: five deviations */
    sp_dataset_free(&a);

    /* x_0 = +-1 of mean +-0.9, independent of the angles; both signs of the mean occur */
    size_t ups = 0;
    for (uint64_t truth = 0; truth < 20; truth++) {
        sp_dataset b = generated(&m, SP_STORE_DENSE, 4000, 7, truth, 3);
        double angle = 0.0;
        for (size_t i = 0; i < 4000; i++) {
            const double *x = b.X + i * b.stride;
            CHECK(fabs(x[0]) == 1.0 - 0x1p-40);
            angle += x[0] * (atan2(x[2], x[1]) - (x[2] > 0.0 ? 2.4 : -2.4)) / 0.45 / 4000.0;
        }
        CHECK_NEAR(fabs(b.mean[0]), 0.9, 5.0 * sqrt(0.19 / 4000.0));
        CHECK_NEAR(angle, 0.0, 5.0 / sqrt(4000.0));
        CHECK_NEAR(b.radius, sqrt(2.0), 1e-15);
        ups += b.mean[0] > 0.0;
        sp_dataset_free(&b);
    }
    CHECK(ups > 2 && ups < 18);

    /* F of the population: 1 - cos(0.45) mean cos(u_j -+ 2.4); at 0 the risk 1.564 and the gradient 0.61 */
    double at[D] = { 0.731, -1.385, 0.2385 }, zero[D] = { 0.0 }, g[D], least[D];
    sp_error error = { .text = "" };
    CHECK_EQUAL(sp_generate_population(m.generator, &m.values, true, 0, PAIRS, truth_key(3), records_key(3), &a,
                                       &error), SP_OK);
    CHECK_EQUAL(sp_dataset_map(&a, sp_loss_map(&sp_loss_circular), &error), SP_OK);
    sp_problem p = { .loss = &sp_loss_circular, .train = &a, .domain = { SP_DOMAIN_SPACE, D, INFINITY, INFINITY } };
    sp_workspace *space = sp_workspace_new(&p);
    CHECK(space != NULL && sp_problem_minimiser(&p, least));
    for (size_t j = 0; j < D; j++)
        at[j] *= copysign(1.0, a.mean[2 * j + 1]) * (j == 1 ? -1.0 : 1.0); /* the program had the signs +, -, + */
    CHECK_NEAR(sp_problem_value(&p, space, at), 0.694163112421632, 1e-14);
    CHECK_NEAR(sp_problem_value(&p, space, zero) - sp_problem_value(&p, space, least), 1.5644311368034425, 1e-14);
    sp_problem_gradient(&p, space, zero, g);
    CHECK_NEAR(cblas_dnrm2(D, g, 1), 0.6082188636726535, 1e-14);
    sp_workspace_free(space);
    sp_dataset_free(&a);
}

int main(void)
{
    check_map();
    check_circular();
    check_constants();
    check_region();
    check_largest();
    check_queries();
    check_close();
    check_ripple();
    check_angles();
    return sp_check_done();
}
