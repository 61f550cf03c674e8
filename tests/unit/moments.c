/* moments.c -- storage = "moments": its law against that of records, its sums against theirs, batches, refusals, and
 * the privacy of what is released: the replay audit on neighbours that differ in one record.
 *
 * Statistical tests fix their seed; each allows the 1e-6 quantile. */
#include "core/data/moments.h"

#include "core/audit/audit_internal.h"
#include "losses/optimum/reference.h"
#include "tests/generated.h"
#include "tests/trial.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_cdf.h>

static const double most = 4.891638; /* deviations: 1e-6 on both sides */
static const sp_rows everything = { NULL, 0 };

/* --- a problem over some records ---------------------------------------------------------------------------------- */

typedef struct scene {
    sp_dataset data;
    sp_problem problem;
    sp_workspace *workspace;
    trial_problem trial; /* the same, for trial_go; nothing of its own */
} scene;

static void scene_certify(scene *s)
{
    sp_error error = { .text = "" };
    sp_problem *p = &s->problem;
    const sp_setting setting = { .loss = p->loss, .number = p->number, .domain = &p->domain, .n = s->data.n,
                                 .features = s->data.d, .radius = s->data.radius, .label_bound = s->data.label_bound,
                                 .realisable = p->realisable };
    SP_CHECK_REPORT(p->start && sp_certify(&setting, &p->certified, &error) == SP_OK, "%s", error.text);
    p->declared = p->certified;
    p->declared.kl_gamma = 10.0, p->declared.kl_kappa = 2.0;
}

/* Takes *data over. */
static void scene_over(const char *loss, const sp_dataset *data, scene *s)
{
    sp_error error = { .text = "" };
    sp_values values;
    *s = (scene){ .data = *data };
    sp_problem *p = &s->problem;
    *p = (sp_problem){ .loss = sp_loss_find(loss), .train = &s->data, .realisable = data->y != NULL };
    CHECK_EQUAL(sp_dataset_map(&s->data, sp_loss_map(p->loss), &error), SP_OK);
    sp_values_start(&values, p->loss->params);
    for (size_t i = 0; i < values.count; i++)
        p->number[i] = values.value[i].number;
    size_t d = 0;
    CHECK_EQUAL(sp_loss_dimension(p->loss, p->number, s->data.d, &d, &error), SP_OK);
    p->domain = (sp_domain){ SP_DOMAIN_SPACE, d, INFINITY, INFINITY };
    p->start = sp_alloc_doubles(d);
    scene_certify(s);
    s->workspace = sp_workspace_new(p);
    s->trial = (trial_problem){ .data = s->data, .problem = *p };
}

static void scene_made(const char *loss, const char *generator, const char *settings, sp_storage storage, size_t n,
                       size_t d, scene *s)
{
    const made m = generator_with(generator, settings);
    const sp_dataset data = generated(&m, storage, n, d, 1, 1);
    scene_over(loss, &data, s);
}

static void scene_drop(scene *s)
{
    sp_workspace_free(s->workspace);
    free(s->problem.start);
    sp_dataset_free(&s->data);
}

/* Of one value per pair, which of the two the record has: that of the k-th record of a dense dataset. */
static sp_dataset counted(const made *m, const sp_dataset *dense, bool marked, const double *mark)
{
    const size_t d = dense->d, parts = (d + d % 2) / 2, rows = 2 + marked;
    double *truth = truth_of(m, d, 1), *count = sp_alloc_doubles(parts * rows);
    uint32_t *part = sp_alloc(d, sizeof *part);
    sp_dataset out;
    sp_error error = { .text = "" };
    CHECK_EQUAL(sp_dataset_new(SP_STORE_DENSE, rows, d, 0, false, false, &out, &error), SP_OK);
    for (size_t j = 0; j < d; j++) {
        part[j] = (uint32_t)((j + d % 2) / 2);
        for (size_t k = 0; k < rows; k++)
            sp_dataset_X(&out)[k * out.stride + j] = k < 2 ? truth[k * d + j] : mark[j];
    }
    for (size_t i = 0; i < dense->n; i++)
        for (size_t p = 0; p < parts; p++) {
            const size_t j = d % 2 == 1 && p == 0 ? 0 : 2 * p - d % 2 + 1;
            count[p * rows + (dense->X[i * dense->stride + j] == truth[d + j])] += 1.0;
        }
    for (size_t p = 0; p < parts && marked; p++)
        count[p * rows + 2] = 1.0;
    CHECK_EQUAL(sp_dataset_seal(&out, 2.0, 0.0, &error), SP_OK);
    CHECK_EQUAL(sp_moments_make(&out, dense->n + marked, parts, part, count, marked, &error), SP_OK);
    free(part);
    free(count);
    free(truth);
    return out;
}

/* The unit vectors, as often as n records have each, and one more record, its label realised as theirs are. */
static sp_dataset counted_units(const made *m, size_t n, size_t d, const double *mark)
{
    sp_dataset units = generated(m, SP_STORE_MOMENTS, n, d, 1, 5), out;
    double *count = sp_alloc_doubles(d + 1);
    uint32_t *part = sp_alloc(d, sizeof *part);
    sp_error error = { .text = "" };
    CHECK_EQUAL(sp_dataset_new(SP_STORE_DENSE, d + 1, d, 0, true, false, &out, &error), SP_OK);
    for (size_t k = 0; k <= d; k++) {
        for (size_t j = 0; j < d; j++)
            sp_dataset_X(&out)[k * out.stride + j] = k < d ? (double)(j == k) : mark[j];
        sp_dataset_y(&out)[k] = k < d ? units.y[k] : cblas_ddot((int)d, mark, 1, units.y, 1);
        count[k] = k < d ? units.moments->count[k] : 1.0;
    }
    CHECK_EQUAL(sp_dataset_seal(&out, units.radius, units.label_bound, &error), SP_OK);
    CHECK_EQUAL(sp_moments_make(&out, n + 1, 1, part, count, true, &error), SP_OK);
    free(part);
    free(count);
    sp_dataset_free(&units);
    return out;
}

/* --- the law ------------------------------------------------------------------------------------------------------ */

/* Of `angles`, x_0 and two pairs: how many of n records have the second value, in each part. From moments, and from
 * records one by one. */
static void second_values(const made *m, sp_storage storage, size_t n, uint64_t replicate, double *count)
{
    enum { D = 5, PARTS = 3 };
    sp_dataset data = generated(m, storage, n, D, 1, replicate);
    double *truth = truth_of(m, D, 1);
    for (size_t p = 0; p < PARTS; p++) {
        const size_t j = p == 0 ? 0 : 2 * p; /* mean = (n - k) first + k second, over n */
        count[p] = (data.mean[j] - truth[j]) / (truth[D + j] - truth[j]) * (double)n;
        CHECK_NEAR(count[p], round(count[p]), 1e-9);
        count[p] = round(count[p]);
    }
    free(truth);
    sp_dataset_free(&data);
}

static void test_law(void)
{
    enum { N = 7, PARTS = 3, REPLICATES = 20000 };
    const made m = generator_with("angles", "");
    double seen[2][PARTS][N + 1] = { { { 0.0 } } }, product[2][PARTS] = { { 0.0 } };
    static const double variance[PARTS] = { N * 0.95 * 0.05, N * 0.25, N * 0.25 };
    static const double mean[PARTS] = { N * 0.95, N * 0.5, N * 0.5 };
    for (uint64_t r = 0; r < REPLICATES; r++)
        for (size_t side = 0; side < 2; side++) {
            double k[PARTS];
            second_values(&m, side ? SP_STORE_DENSE : SP_STORE_MOMENTS, N, r, k);
            for (size_t p = 0; p < PARTS; p++) {
                const size_t q = (p + 1) % PARTS;
                seen[side][p][(size_t)k[p]] += 1.0;
                product[side][p] += (k[p] - mean[p]) * (k[q] - mean[q]) / sqrt(variance[p] * variance[q]);
            }
        }
    for (size_t p = 0; p < PARTS; p++) {
        double chi = 0.0, cells = 0.0; /* of the one against the other */
        for (size_t k = 0; k <= N; k++) {
            const double both = seen[0][p][k] + seen[1][p][k];
            chi += both > 40.0 ? (seen[0][p][k] - seen[1][p][k]) * (seen[0][p][k] - seen[1][p][k]) / both : 0.0;
            cells += both > 40.0;
        }
        CHECK(cells >= 4.0);
        CHECK_LESS_EQUAL(gsl_cdf_chisq_P(chi, cells), 1.0 - 1e-6);
        for (size_t side = 0; side < 2; side++) /* parts are independent */
            CHECK_LESS_EQUAL(fabs(product[side][p]) / sqrt(REPLICATES), 1.1 * most);
    }
}

/* One replicate has one sum, whatever runs on it; n = 2^32 - 1 takes no more room than n = 10. */
static void test_made(void)
{
    const made m = generator_with("angles", "");
    sp_dataset a = generated(&m, SP_STORE_MOMENTS, 1000, 6, 1, 1), b = generated(&m, SP_STORE_MOMENTS, 1000, 6, 1, 1);
    sp_dataset other = generated(&m, SP_STORE_MOMENTS, 1000, 6, 1, 2);
    sp_dataset dense = generated(&m, SP_STORE_DENSE, 1000, 6, 1, 1);
    sp_dataset large = generated(&m, SP_STORE_MOMENTS, UINT32_MAX, 6, 1, 1);
    CHECK_TEXT(a.content, b.content);
    CHECK(memcmp(a.mean, b.mean, 6 * sizeof *a.mean) == 0);
    CHECK(memcmp(a.mean, other.mean, 6 * sizeof *a.mean) != 0);
    CHECK(strcmp(a.content, other.content) != 0 && strcmp(a.content, dense.content) != 0);
    CHECK_EQUAL(a.n, 1000);
    CHECK_EQUAL(large.n, UINT32_MAX);
    CHECK_EQUAL(large.mapping_size, a.mapping_size);
    CHECK_EQUAL(sp_dataset_rows(&large), 2);
    CHECK(sp_dataset_weight(&large) == NULL);
    for (size_t p = 0; p < 3; p++)
        CHECK_NEAR(large.moments->count[2 * p] + large.moments->count[2 * p + 1], 4294967295.0, 0.0);
    sp_dataset *all[] = { &a, &b, &other, &dense, &large };
    for (size_t i = 0; i < 5; i++)
        sp_dataset_free(all[i]);

    sp_dataset pair = generated(&m, SP_STORE_MOMENTS, 1000, 2, 1, 1); /* one angle: a part, and no record of its own */
    CHECK_EQUAL(pair.storage, SP_STORE_DENSE);
    CHECK_NEAR(pair.moments->count[0] + pair.moments->count[1], 1000.0, 0.0);
    CHECK_EQUAL(sp_dataset_map(&pair, sp_loss_map(sp_loss_find("circular")), NULL), SP_OK);
    sp_dataset_free(&pair);

    const made unit = generator_with("one_hot", "");
    sp_dataset sum = generated(&unit, SP_STORE_MOMENTS, 23, 7, 1, 1),
               rows = generated(&unit, SP_STORE_DENSE, 23, 7, 1, 1);
    for (size_t j = 0; j < 7; j++) {
        CHECK_NEAR(sum.moments->count[j], j < 2 ? 4.0 : 3.0, 0.0);
        CHECK_NEAR(sum.mean[j], rows.mean[j], 1e-15);
        CHECK_NEAR(sum.y[j], rows.y[j], 0.0);
    }
    CHECK(sp_dataset_weight(&sum) == sum.moments->count);
    sp_dataset_free(&sum);
    sp_dataset_free(&rows);

    const made none = generator_with("signs", "");
    sp_error error = { .text = "" };
    CHECK_EQUAL(sp_generate_check(none.generator, &none.values, SP_STORE_MOMENTS, 100, 6, &error), SP_EUNSUPPORTED);
    CHECK_CONTAINS(error.text, "signs records are not made of parts");
    CHECK_EQUAL(sp_generate_check(m.generator, &m.values, SP_STORE_MOMENTS, (size_t)1 << 32, 6, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "from 1 to 2^32 - 1 records");
    CHECK_EQUAL(sp_generate_check(m.generator, &m.values, SP_STORE_MOMENTS, 10, 1, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "there must be a pair");
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

static void check_same(size_t count, const double *a, const double *b)
{
    for (size_t j = 0; j < count; j++)
        CHECK_NEAR(a[j], b[j], 1e-14 * fmax(1.0, fabs(b[j])));
}

/* The same records, one by one and as moments: the same numbers from everything that reads them. */
static void check_sums(scene *dense, scene *moments, double clip)
{
    enum { MOST = 8 };
    const size_t d = sp_problem_d(&dense->problem);
    const double *point[2];
    double w[MOST], v[MOST], got[2][MOST * MOST];
    for (size_t j = 0; j < d; j++) {
        w[j] = 0.731 - 0.385 * (double)j;
        v[j] = 0.2385 * (double)(j * j) - 1.17;
    }
    point[0] = w, point[1] = v;
    scene *both[] = { dense, moments };
    const sp_term term[] = { { 1.0, w }, { -0.7, v } };
    const sp_clip limits = { clip, 0.8 * clip, SP_NORM_L2 };
    for (size_t s = 0; s < 2; s++)
        got[s][0] = sp_problem_value(&both[s]->problem, both[s]->workspace, w);
    check_same(1, got[1], got[0]);
    for (size_t s = 0; s < 2; s++)
        sp_problem_values(&both[s]->problem, both[s]->workspace, 2, point, got[s]);
    check_same(2, got[1], got[0]);
    for (size_t s = 0; s < 2; s++)
        sp_problem_gradients(&both[s]->problem, both[s]->workspace, 2, point, got[s]);
    check_same(2 * d, got[1], got[0]);
    for (size_t s = 0; s < 2; s++)
        sp_problem_product(&both[s]->problem, both[s]->workspace, w, v, got[s]);
    check_same(d, got[1], got[0]);
    for (size_t enforced = 0; enforced < 2; enforced++) {
        for (size_t s = 0; s < 2; s++)
            if (enforced)
                sp_data_hessian(&both[s]->problem, both[s]->workspace, everything, w, 5.0, got[s]);
            else
                sp_problem_hessian(&both[s]->problem, both[s]->workspace, w, got[s]);
        check_same(d * d, got[1], got[0]);
    }
    for (size_t s = 0; s < 2; s++) {
        const sp_data_ask ask = { 2, term, &limits, got[s] };
        CHECK(sp_data_exact(&both[s]->problem, 2, term, &limits));
        sp_data_queries(&both[s]->problem, both[s]->workspace, everything, 1, &ask, 3.0);
    }
    check_same(d, got[1], got[0]);
    double sum[2] = { 0.0, 0.0 };
    for (size_t s = 0; s < 2; s++) {
        const double *weight;
        const size_t count = sp_data_value_count(&both[s]->problem, everything, &weight);
        double *values = sp_alloc_doubles(count);
        sp_data_values(&both[s]->problem, both[s]->workspace, everything, w, values);
        for (size_t i = 0; i < count; i++)
            sum[s] += values[i] * (weight ? weight[i] : 1.0);
        free(values);
    }
    check_same(1, &sum[1], &sum[0]);
    if (sp_problem_minimiser(&dense->problem, got[0])) {
        CHECK(sp_problem_minimiser(&moments->problem, got[1]));
        check_same(d, got[1], got[0]);
    }
}

static void test_sums(void)
{
    static const double mark[2][7] = { { 0.4, -0.55, 0.31, 0.02, -0.7, 0.2 },
                                       { -0.35, 0.4, -0.55, 0.31, 0.02, -0.7, 0.2 } };
    static const char *const losses[] = { "circular", "ripple_ramp" };
    const made m = generator_with("angles", "");
    for (size_t l = 0; l < 2; l++)
        for (size_t marked = 0; marked < 2; marked++) {
            const size_t d = 6 + l, n = 40;
            sp_dataset records = generated(&m, SP_STORE_DENSE, n, d, 1, 3), more = records;
            const sp_dataset sum = counted(&m, &records, marked, mark[l]);
            if (marked) { /* the same records and the one */
                sp_error error = { .text = "" };
                CHECK_EQUAL(sp_dataset_new(SP_STORE_DENSE, n + 1, d, 0, false, false, &more, &error), SP_OK);
                for (size_t i = 0; i <= n; i++)
                    memcpy(sp_dataset_X(&more) + i * more.stride, i < n ? records.X + i * records.stride : mark[l],
                           d * sizeof *mark[l]);
                CHECK_EQUAL(sp_dataset_seal(&more, 2.0, 0.0, &error), SP_OK);
                sp_dataset_free(&records);
            }
            scene dense, moments;
            scene_over(losses[l], &more, &dense);
            scene_over(losses[l], &sum, &moments);
            CHECK_EQUAL(moments.data.n, n + marked);
            check_same(d, moments.data.mean, dense.data.mean);
            check_sums(&dense, &moments, 2.5);
            scene_drop(&dense);
            scene_drop(&moments);
        }
    sp_dataset records = generated(&m, SP_STORE_DENSE, 40, 2, 1, 3); /* one angle */
    const sp_dataset sum = counted(&m, &records, false, NULL);
    scene one, angle;
    scene_over("circular", &records, &one);
    scene_over("circular", &sum, &angle);
    check_sums(&one, &angle, 2.5);
    scene_drop(&one);
    scene_drop(&angle);
    for (size_t l = 0; l < 2; l++) { /* gradients of a GLM are cut, one by one */
        static const char *const links[] = { "versine", "welsch" };
        scene dense, moments;
        scene_made(links[l], "one_hot", "", SP_STORE_DENSE, 23, 7, &dense);
        scene_made(links[l], "one_hot", "", SP_STORE_MOMENTS, 23, 7, &moments);
        check_sums(&dense, &moments, 0.3);
        scene_drop(&dense);
        scene_drop(&moments);
    }
}

/* F* and its place. */
static void test_least(void)
{
    static const char *const losses[] = { "circular", "ripple_ramp", "versine" };
    for (size_t l = 0; l < 3; l++) {
        scene s;
        sp_reference least = { .value = NAN };
        sp_error error = { .text = "" };
        gsl_rng *stream = sp_stream_open(records_key(7));
        scene_made(losses[l], l == 2 ? "one_hot" : "angles", "", SP_STORE_MOMENTS, 1000000000, 6 + l % 2, &s);
        SP_CHECK_REPORT(sp_reference_compute(&s.problem, 3, stream, &least, &error) == SP_OK, "%s", error.text);
        CHECK_TEXT(least.method, "closed");
        double g[8];
        CHECK(least.minimiser != NULL);
        sp_problem_gradient(&s.problem, s.workspace, least.minimiser, g);
        for (size_t j = 0; j < sp_problem_d(&s.problem); j++)
            CHECK_NEAR(g[j], 0.0, 1e-14);
        sp_reference_free(&least);
        s.problem.realisable = false;
        if (l == 2) {
            CHECK_EQUAL(sp_reference_compute(&s.problem, 3, stream, &least, &error), SP_EUNSUPPORTED);
            sp_reference_free(&least);
        }
        gsl_rng_free(stream);
        scene_drop(&s);
    }
}

/* --- batches ------------------------------------------------------------------------------------------------------ */

static double choose_of(size_t n, size_t k)
{
    double c = 1.0;
    for (size_t i = 0; i < k; i++)
        c = c * (double)(n - i) / (double)(i + 1);
    return k <= n ? c : 0.0;
}

/* Batches of 2 and of 3 of the 6 records, of which one is marked: how many of the other 5 have the second value in each
 * of two parts, and where the marked one is, against the law of a random order of records. */
static void test_batches(void)
{
    enum { DRAWS = 40000, SECOND = 3, OTHERS = 5 };
    static const double mark[4] = { 0.1, 0.2, 0.3, -0.1 };
    static const size_t size[2] = { 2, 3 };
    const made m = generator_with("angles", "");
    sp_dataset records = generated(&m, SP_STORE_DENSE, OTHERS, 4, 1, 3), all = counted(&m, &records, true, mark);
    sp_dataset left, batch;
    double seen[3][4][4][4][4] = { 0 };
    gsl_rng *stream = sp_stream_open(records_key(7));
    for (size_t p = 0; p < 2; p++) {
        all.moments->count[p * 3] = OTHERS - SECOND + (double)p;
        all.moments->count[p * 3 + 1] = SECOND - (double)p;
    }
    sp_moments_mean(&all);
    for (size_t i = 0; i < DRAWS; i++) {
        size_t k[2][2], where = 2;
        CHECK_EQUAL(sp_moments_like(&all, &left, NULL), SP_OK);
        CHECK_EQUAL(sp_moments_like(&all, &batch, NULL), SP_OK);
        for (size_t b = 0; b < 2; b++) {
            CHECK_EQUAL(sp_moments_draw(&left, size[b], stream, &batch, NULL), SP_OK);
            const double *count = batch.moments->count;
            CHECK(batch.n == size[b] && count[2] == count[5]);
            for (size_t p = 0; p < 2; p++) {
                CHECK_NEAR(count[3 * p] + count[3 * p + 1] + count[3 * p + 2], (double)size[b], 0.0);
                k[b][p] = (size_t)count[3 * p + 1];
            }
            where = count[2] > 0.0 ? b : where;
        }
        seen[where][k[0][0]][k[0][1]][k[1][0]][k[1][1]] += 1.0;
        for (size_t p = 0; p < 2; p++)
            for (size_t r = 0; r < 3; r++)
                CHECK(left.moments->count[3 * p + r] >= 0.0);
        CHECK_EQUAL(left.n, 1);
        sp_dataset_free(&left);
        sp_dataset_free(&batch);
    }
    double chi = 0.0, cells = 0.0, sum = 0.0;
    for (size_t where = 0; where < 3; where++)
        for (size_t cell = 0; cell < 256; cell++) {
            const size_t k[2][2] = { { cell / 64, cell / 16 % 4 }, { cell / 4 % 4, cell % 4 } };
            double p = (where < 2 ? (double)size[where] : 1.0) / 6.0;
            for (size_t part = 0; part < 2; part++) {
                const size_t second = SECOND - part, a = size[0] - (where == 0), b = size[1] - (where == 1);
                const size_t ka = k[0][part], kb = k[1][part];
                const bool can = ka <= a && ka <= second && kb <= b && ka + kb <= second &&
                                 second - ka - kb <= OTHERS - a - b;
                p *= can ? choose_of(a, ka) * choose_of(b, kb) * choose_of(OTHERS - a - b, second - ka - kb) /
                               choose_of(OTHERS, second)
                         : 0.0;
            }
            const double got = seen[where][k[0][0]][k[0][1]][k[1][0]][k[1][1]], expected = p * DRAWS;
            CHECK(p > 0.0 || got == 0.0);
            sum += p;
            chi += p > 0.0 ? (got - expected) * (got - expected) / expected : 0.0;
            cells += p > 0.0;
        }
    CHECK_NEAR(sum, 1.0, 1e-12);
    CHECK_LESS_EQUAL(gsl_cdf_chisq_P(chi, cells - 1.0), 1.0 - 1e-6);
    gsl_rng_free(stream);
    sp_dataset_free(&all);
    sp_dataset_free(&records);
}

static void test_wrong_counts(void)
{
    static const double short_of[] = { 3.0, 2.0, 3.0, 1.0 }, broken[] = { 2.5, 2.5, 3.0, 2.0 },
                        negative[] = { 6.0, -1.0, 3.0, 2.0 }, none[] = { NAN, 5.0, 3.0, 2.0 };
    static const double *const wrong[] = { short_of, broken, negative, none };
    static const char *const part_of[] = { "part 1 counts 4 records, there are 5", "value 0 of part 0 counts 2.5 times",
                                           "value 1 of part 0 counts -1 times", "value 0 of part 0 counts " };
    const uint32_t part[] = { 0, 0, 1, 1 };
    const made m = generator_with("angles", "");
    sp_dataset left = generated(&m, SP_STORE_MOMENTS, 10, 4, 1, 1), batch;
    sp_error error = { .text = "" };
    gsl_rng *stream = sp_stream_open(records_key(7));
    for (size_t i = 0; i < 4; i++) {
        sp_dataset rows = generated(&m, SP_STORE_DENSE, 2, 4, 1, 1);
        CHECK_EQUAL(sp_moments_make(&rows, 5, 2, part, wrong[i], false, &error), SP_EINVAL);
        CHECK_CONTAINS(error.text, part_of[i]);
        CHECK(!rows.moments);
        sp_dataset_free(&rows);
    }
    CHECK_EQUAL(sp_moments_like(&left, &batch, NULL), SP_OK);
    CHECK_EQUAL(sp_moments_draw(&left, 11, stream, &batch, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "11 records asked for, 10 are left");
    CHECK_EQUAL(left.n, 10);
    CHECK_EQUAL(sp_moments_draw(&left, 10, stream, &batch, &error), SP_OK);
    CHECK_EQUAL(sp_moments_draw(&left, 1, stream, &batch, &error), SP_EINVAL);
    gsl_rng_free(stream);
    sp_dataset_free(&left);
    sp_dataset_free(&batch);
}

/* --- the oracle --------------------------------------------------------------------------------------------------- */

static sp_oracle *watched(const scene *s, sp_privacy privacy, uint64_t seed, sp_transcript *transcript)
{
    sp_oracle *o = NULL;
    sp_error error = { .text = "" };
    const sp_oracle_options options = { .problem = &s->problem, .privacy = privacy,
                                        .coins = trial_key(seed, SP_STREAM_COINS),
                                        .sampling = trial_key(seed, SP_STREAM_SAMPLING),
                                        .noise = trial_key(seed, SP_STREAM_NOISE),
                                        .selection = trial_key(seed, SP_STREAM_SELECTION),
                                        .transcript = transcript };
    SP_CHECK_REPORT(sp_oracle_new(&options, &o, &error) == SP_OK, "%s", error.text);
    return o;
}

static sp_oracle *oracle(const scene *s, sp_privacy privacy, uint64_t seed)
{
    return watched(s, privacy, seed, NULL);
}

#define OK(o, call) SP_CHECK_REPORT((call) == SP_OK, "%s: %s", #call, sp_oracle_error(o)->text)
#define REFUSED(o, call, expected, part)                  \
    do {                                                  \
        CHECK_EQUAL(call, expected);                      \
        CHECK_CONTAINS(sp_oracle_error(o)->text, part);   \
    } while (0)

/* Fresh batches and a child's pool divide the records: their sums add up to that of all. A batch stays what it is. */
static void test_fresh(void)
{
    enum { D = 3 };
    static const char *const losses[] = { "circular", "versine" };
    for (size_t l = 0; l < 2; l++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            const size_t n = 1000000007, sizes[] = { 1, 999, 300000000, n / 2, 0 };
            scene s;
            sp_oracle *child;
            sp_batch batch, within;
            double w[D] = { 0.731, -0.385, 1.17 }, g[D], again[D], all[D], sum[D] = { 0.0 };
            scene_made(losses[l], l ? "one_hot" : "angles", "", SP_STORE_MOMENTS, n, l ? D : 2 * D, &s);
            sp_oracle *o = oracle(&s, trial_noise_off(1.0, 1e-6), seed);
            size_t left = n;
            for (size_t b = 0; b < 5; b++) {
                const size_t m = b < 4 ? sizes[b] : left / 3;
                OK(o, sp_draw(o, sp_fresh(m), &batch));
                CHECK_EQUAL(sp_batch_size(o, batch), m);
                OK(o, sp_gradient(o, &SP_AT(batch, w), 0.0, g));
                OK(o, sp_gradient(o, &SP_AT(batch, w), 0.0, again));
                CHECK(memcmp(g, again, sizeof g) == 0);
                for (size_t j = 0; j < D; j++)
                    sum[j] += g[j] * ((double)m / (double)n);
                left -= m;
            }
            REFUSED(o, sp_draw(o, sp_fresh(left + 1), &batch), SP_EDRAINED, "fresh records asked for");
            OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_DISJOINT, .share = 1.0, .pool = left }, &child));
            CHECK_EQUAL(sp_records(child), left);
            OK(child, sp_draw(child, sp_fresh(left / 2), &within));
            OK(child, sp_gradient(child, &SP_AT(within, w), 0.0, g));
            OK(child, sp_draw(child, sp_fresh(left - left / 2), &batch));
            OK(child, sp_gradient(child, &SP_AT(batch, w), 0.0, again));
            OK(child, sp_gradient(child, &SP_AT((sp_batch){ 0 }, w), 0.0, all));
            for (size_t j = 0; j < D; j++) {
                const double halves = g[j] * (double)(left / 2) + again[j] * (double)(left - left / 2);
                CHECK_NEAR(all[j], halves / (double)left, 1e-14);
                sum[j] += all[j] * ((double)left / (double)n);
            }
            OK(o, sp_draw(o, sp_full(), &batch));
            OK(o, sp_gradient(o, &SP_AT(batch, w), 0.0, all));
            for (size_t j = 0; j < D; j++)
                CHECK_NEAR(sum[j], all[j], 1e-14);
            sp_oracle_free(o);
            scene_drop(&s);
        }
}

/* The m records of a fresh batch, one by one in some order: of `angles` by the mean of each pair, of `one_hot` by how
 * many are which unit vector. Gradients at two points tell, from records that are known. */
static sp_dataset told(scene *s, sp_oracle *o, sp_batch batch, size_t m)
{
    enum { D = 3 };
    const bool hot = s->problem.loss->link, pairs = !hot;
    const double zero[D] = { 0.0 }, quarter[D] = { M_PI_2 / sqrt(3.0), M_PI_2 / sqrt(3.0), M_PI_2 / sqrt(3.0) };
    double g[2][D], all[D], *x;
    size_t first = 0;
    sp_dataset out;
    sp_error error = { .text = "" };
    OK(o, sp_gradient(o, &SP_AT(batch, zero), 0.0, g[0])); /* -sin of a pair */
    OK(o, sp_gradient(o, &SP_AT(batch, quarter), 0.0, g[1])); /* cos */
    OK(o, sp_gradient(o, &SP_AT((sp_batch){ 0 }, zero), 0.0, all));
    CHECK_EQUAL(sp_dataset_new(SP_STORE_DENSE, m, s->data.d, 0, hot, false, &out, &error), SP_OK);
    x = sp_dataset_X(&out);
    for (size_t j = 0; j < D; j++) {
        const double *value[2] = { s->data.X + 2 * j, s->data.X + s->data.stride + 2 * j };
        double count = hot ? g[0][j] * (double)m / (all[j] * (double)s->data.n) * s->data.moments->count[j] : 0.0;
        if (pairs) {
            const double c = value[1][0] - value[0][0], sine = value[1][1] - value[0][1];
            count = ((g[1][j] - value[0][0]) * c - (g[0][j] + value[0][1]) * sine) / (c * c + sine * sine) * (double)m;
        }
        CHECK_NEAR(count, round(count), 1e-9);
        for (size_t i = 0; pairs && i < m; i++)
            memcpy(x + i * out.stride + 2 * j, value[(double)i < round(count)], 2 * sizeof *x);
        for (size_t i = first; hot && (double)(i - first) < round(count) && i < m; i++) {
            x[i * out.stride + j] = 1.0;
            sp_dataset_y(&out)[i] = s->data.y[j];
        }
        first += (size_t)round(count);
    }
    CHECK(pairs || first == m);
    CHECK_EQUAL(sp_dataset_seal(&out, s->data.radius, s->data.label_bound, &error), SP_OK);
    return out;
}

/* Hessians and scores on a fresh batch are those of its records, not of all. */
static void test_fresh_scores(void)
{
    enum { D = 3, COUNT = 4 };
    static const char *const losses[] = { "circular", "versine" };
    static const double w[COUNT * D] = { 0.731, -0.385, 1.17, -1.5, 1.6, -1.2, 1.7, 0.2, -1.65, 0.1, -0.3, 0.5 };
    const sp_space space = { .kind = SP_SPACE_LIST, .count = COUNT, .points = w };
    const sp_score score[] = {
        { .kind = SP_SCORE_LOSS, .reference = w },
        { .kind = SP_SCORE_SOSP, .gradient_scale = 1.0, .curvature_scale = 1e9 },
        { .kind = SP_SCORE_SOSP, .gradient_scale = 1e9, .curvature_scale = 1.0 },
    };
    sp_transcript *seen[2] = { sp_transcript_new(), sp_transcript_new() };
    for (size_t l = 0; l < 2; l++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            scene side[2]; /* moments, and the batch's records */
            sp_oracle *o[2];
            double out[D], H[2][D * D];
            scene_made(losses[l], l ? "one_hot" : "angles", "", SP_STORE_MOMENTS, 60, l ? D : 2 * D, &side[0]);
            sp_transcript_record(seen[0]);
            o[0] = watched(&side[0], trial_noise_off(1.0, 1e-6), seed, seen[0]);
            for (size_t m = 7; m < 30; m += 13) {
                sp_batch batch[2] = { { 0 }, { 0 } };
                OK(o[0], sp_draw(o[0], sp_fresh(m), &batch[0]));
                const sp_dataset records = told(&side[0], o[0], batch[0], m);
                scene_over(losses[l], &records, &side[1]);
                sp_transcript_record(seen[1]);
                o[1] = watched(&side[1], trial_noise_off(1.0, 1e-6), seed, seen[1]);
                for (size_t s = 0; s < 2; s++)
                    OK(o[s], sp_hessian(o[s], batch[s], w, 0.0, H[s]));
                check_same(D * D, H[0], H[1]);
                for (size_t k = 0; k < 3; k++) {
                    const double *raw[2];
                    for (size_t s = 0; s < 2; s++) {
                        OK(o[s], sp_choose(o[s], batch[s], &space, &score[k], SP_CHOOSE_EXPONENTIAL, 0.1, out, NULL));
                        raw[s] = sp_transcript_at(seen[s], sp_transcript_count(seen[s]) - 1)->raw;
                    }
                    check_same(COUNT, raw[0], raw[1]);
                    CHECK(fmax(fabs(raw[1][1]), fabs(raw[1][2])) > 0.01);
                }
                for (size_t k = 1; k < COUNT; k++) {
                    double change[2];
                    for (size_t s = 0; s < 2; s++) {
                        const sp_query query = { .batch = batch[s], .terms = 2,
                                                 .term = { { 2.5, w + k * D }, { -2.5, w } } };
                        OK(o[s], sp_mean_loss(o[s], &query, 0.0, &change[s]));
                    }
                    check_same(1, &change[0], &change[1]);
                }
                sp_oracle_free(o[1]);
                scene_drop(&side[1]);
            }
            sp_oracle_free(o[0]);
            scene_drop(&side[0]);
        }
    for (size_t s = 0; s < 2; s++)
        sp_transcript_free(seen[s]);
}

/* The same records are divided once: by an oracle, or a child on all of them, or a child of that. */
static void test_once(void)
{
    static const sp_child_options shared = { .mode = SP_SHARE_BASIC, .share = 0.4 };
    static const char *const says = "divides them once: give each stage records of its own";
    const sp_child_options own = { .mode = SP_SHARE_DISJOINT, .share = 0.2, .pool = 100 };
    const double w[3] = { 0.731, -1.385, 0.2385 };
    scene s;
    scene_made("circular", "angles", "", SP_STORE_MOMENTS, 1000, 6, &s);
    for (size_t first = 0; first < 4; first++) {
        double g[3];
        sp_batch batch;
        sp_oracle *o = oracle(&s, trial_noise_off(1.0, 1e-6), 1), *by[4] = { o };
        OK(o, sp_child(o, &shared, &by[1]));
        OK(o, sp_child(o, &shared, &by[2]));
        OK(by[2], sp_child(by[2], &shared, &by[3]));
        for (size_t i = 0; i < 4; i++) /* who comes first goes on as it likes */
            for (size_t again = 0; again < 2; again++) {
                sp_oracle *who = by[(first + i) % 4];
                OK(who, sp_gradient(who, &SP_AT((sp_batch){ 0 }, w), 0.0, g));
                if (i == 0)
                    OK(who, sp_draw(who, sp_fresh(100), &batch));
                else
                    REFUSED(who, sp_draw(who, sp_fresh(100), &batch), SP_EUNSUPPORTED, says);
                OK(by[first], sp_draw(by[first], sp_fresh(10), &batch));
                OK(by[first], sp_gradient(by[first], &SP_AT(batch, w), 0.0, g));
            }
        sp_oracle_free(o);
    }
    for (size_t inner = 0; inner < 2; inner++) { /* so are those of a child's own, whoever divides the others */
        sp_batch batch;
        sp_oracle *o = oracle(&s, trial_noise_off(1.0, 1e-6), 1), *child[2], *grandchild;
        for (size_t i = 0; i < 2; i++) {
            OK(o, sp_child(o, &own, &child[i]));
            OK(child[i], sp_child(child[i], &shared, &grandchild));
            sp_oracle *one = inner ? grandchild : child[i], *other = inner ? child[i] : grandchild;
            OK(one, sp_draw(one, sp_fresh(40), &batch));
            OK(one, sp_draw(one, sp_fresh(60), &batch));
            REFUSED(other, sp_draw(other, sp_fresh(40), &batch), SP_EUNSUPPORTED, says);
        }
        OK(o, sp_draw(o, sp_fresh(40), &batch));
        OK(o, sp_child(o, &shared, &child[0]));
        REFUSED(child[0], sp_child(child[0], &own, &grandchild), SP_EUNSUPPORTED, says);
        REFUSED(child[0], sp_draw(child[0], sp_fresh(1000), &batch), SP_EUNSUPPORTED, says);
        sp_oracle_free(o);
    }
    scene_drop(&s);
}

static void test_refusals(void)
{
    enum { D = 3 };
    scene s, units;
    sp_batch batch, all = { 0 };
    sp_oracle *child = NULL;
    double out[D], cost, w[D] = { 0.731, -1.385, 0.2385 }, near[D] = { 0.731, -1.385 + 1e-7, 0.2385 - 1e-8 };
    scene_made("circular", "angles", "", SP_STORE_MOMENTS, 1000, 2 * D, &s);
    scene_made("versine", "one_hot", "", SP_STORE_MOMENTS, 1000, D, &units);
    for (size_t k = 0; k < 2; k++) {
        sp_oracle *o = oracle(k ? &units : &s, trial_private(1.0, 1e-6), 1);
        REFUSED(o, sp_draw(o, sp_subset(10), &batch), SP_EUNSUPPORTED, "a subset: storage = \"moments\" has full");
        REFUSED(o, sp_draw(o, sp_poisson(0.1), &batch), SP_EUNSUPPORTED, "a Poisson sample: storage = \"moments\"");
        REFUSED(o, sp_draw(o, sp_pass(10, false), &batch), SP_EUNSUPPORTED, "a pass: storage = \"moments\"");
        REFUSED(o, sp_draw(o, sp_pass(10, true), &batch), SP_EUNSUPPORTED, "a pass: storage = \"moments\"");
        REFUSED(o, sp_pass_cost(o, SP_NOISE_TREE, 10, 5, 1.0, &cost), SP_EUNSUPPORTED, "a pass: storage = \"moments\"");
        REFUSED(o, sp_stable_pass(o, all, w, 0.1, 1.0, out), SP_EUNSUPPORTED, "a pass of single records: storage");
        REFUSED(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_BASIC, .share = 0.5, .projection = out,
                                                    .projected = 1 }, &child),
                SP_EUNSUPPORTED, "a projection of records: storage");
        OK(o, sp_draw(o, sp_subset(1000), &batch)); /* all of them */
        CHECK_EQUAL(batch.id, 0);
        sp_oracle_free(o);
    }

    /* a bound of one's own: at the largest query of a record nothing is cut; below it the mean would be */
    sp_oracle *o = oracle(&s, trial_private(1.0, 1e-6), 1);
    sp_query query = { .terms = 1, .term = { { 1.0, w } }, .bound = 1.0 };
    OK(o, sp_gradient(o, &query, 7.0, out));
    query.bound = 0.999;
    REFUSED(o, sp_gradient(o, &query, 7.0, out), SP_EUNSUPPORTED, "above the bound 0.999");
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 1);
    query = SP_BETWEEN(all, w, near);
    OK(o, sp_gradient(o, &query, 7.0, out)); /* at most beta_data ||w - near||, with 1e-12 to spare */
    query.bound = 0.99 * sqrt(1e-14 + 1e-16);
    REFUSED(o, sp_gradient(o, &query, 7.0, out), SP_EUNSUPPORTED, "a record's terms may be above the bound");
    const double far[D] = { 0.731, -1e7, 0.2385 }; /* its cosine is no number */
    query = SP_AT(all, far);
    REFUSED(o, sp_gradient(o, &query, 7.0, out), SP_EUNSUPPORTED, "are no numbers, so far out is a point");
    CHECK(sp_oracle_ledger(o)->count == 1 && sp_oracle_ledger(o)->entry[0].count == 2); /* alike, in one entry */
    query = SP_BETWEEN(all, w, near);
    query.bound = 0.99 * sqrt(1e-14 + 1e-16);
    sp_accumulator *sum;
    OK(o, sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &sum));
    REFUSED(o, sp_accumulator_add(sum, 1.0, &query), SP_EUNSUPPORTED, "storage = \"moments\" has no records to cut");
    sp_oracle_free(o);

    /* means of losses: differences that L keeps within the bound, in the domain */
    o = oracle(&s, trial_private(1.0, 1e-6), 1);
    double number;
    const double apart = hypot(hypot(w[0], w[1]), w[2]) * s.problem.certified.L_data, zero[D] = { 0.0 };
    query = (sp_query){ .terms = 2, .term = { { 1.0, w }, { -1.0, zero } } };
    OK(o, sp_mean_loss(o, &query, 7.0, &number));
    query.bound = apart;
    OK(o, sp_mean_loss(o, &query, 7.0, &number));
    query.bound = 0.999 * apart;
    REFUSED(o, sp_mean_loss(o, &query, 7.0, &number), SP_EUNSUPPORTED, "a record's loss may be above the bound");
    query = (sp_query){ .terms = 1, .term = { { 1.0, w } }, .bound = 100.0 };
    REFUSED(o, sp_mean_loss(o, &query, 7.0, &number), SP_EUNSUPPORTED, "ask for differences in the domain");
    sp_oracle_free(o);
    s.problem.domain = (sp_domain){ SP_DOMAIN_L2_BALL, D, 1.0, 1.0 };
    o = oracle(&s, trial_private(1.0, 1e-6), 1);
    query = (sp_query){ .terms = 2, .term = { { 1.0, w }, { -1.0, zero } } };
    REFUSED(o, sp_mean_loss(o, &query, 7.0, &number), SP_EUNSUPPORTED, "ask for differences in the domain");
    sp_oracle_free(o);

    o = oracle(&units, trial_private(1.0, 1e-6), 1); /* records that are there are cut */
    query = (sp_query){ .terms = 1, .term = { { 1.0, w } }, .bound = 0.01 };
    OK(o, sp_gradient(o, &query, 7.0, out));
    sp_oracle_free(o);
    scene_drop(&s);
    scene_drop(&units);
}

/* Near points: the closed form of the largest query is as exact as their distance. */
static void test_largest(void)
{
    enum { D = 3 };
    const sp_affine *affine = sp_loss_find("circular")->record->affine;
    for (double step = 1.0; step > 1e-15; step /= 7.0) {
        const double w[D] = { 1.731, -0.385, 0.2385 };
        double v[D], squares = 0.0, way = 0.0;
        for (size_t j = 0; j < D; j++) {
            v[j] = w[j] - step * (0.3 + (double)j);
            squares += pow(2.0 * sin(0.5 * sqrt(3.0) * (w[j] - v[j])), 2.0);
            way += (w[j] - v[j]) * (w[j] - v[j]);
        }
        const sp_term term[] = { { 1.0, w }, { -1.0, v } };
        const double got = affine->largest(NULL, D, 2, term, SP_NORM_L2), expected = sp_disc(D) * sqrt(squares);
        CHECK_NEAR(got, expected, 1e-14 * expected);
        CHECK_LESS_EQUAL(got, sqrt(way));
    }
}

/* --- algorithms --------------------------------------------------------------------------------------------------- */

/* Every algorithm runs within its budget, the same each time, or says what it would need. */
static void test_algorithms(void)
{
    static const char *const wanted[] = { "dp_gd",     "dp_sgd",      "dp_sgd_hp",   "dp_spider",  "kl_gd",
                                          "kl_spider", "spider_sosp", "tree_spider", "warm_start", "gd" };
    scene s;
    size_t ran = 0;
    scene_made("circular", "angles", "", SP_STORE_MOMENTS, 6000, 6, &s);
    for (size_t i = 0; i < sp_algorithm_count; i++) {
        const sp_algorithm *a = sp_algorithms[i];
        if (a->uncertified || (a->fits && a->fits(&s.problem.declared)))
            continue;
        for (int mode = 0; mode < 2; mode++) {
            const sp_values values = trial_values(a, mode ? "mode=population" : "batch=6000 steps=20");
            const sp_privacy privacy = a->non_private_only ? trial_not_private() : trial_private(1.37, 1e-6);
            trial_run run = { .seed = 41 }, again = { .seed = 41 };
            if (mode && strcmp(a->name, "spider_sosp") != 0)
                continue;
            trial_go(a, &values, &s.trial, privacy, &run);
            trial_go(a, &values, &s.trial, privacy, &again);
            CHECK_EQUAL(run.status, again.status);
            CHECK(memcmp(run.w, again.w, sizeof run.w) == 0);
            bool need = false;
            for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
                need |= strcmp(a->name, wanted[k]) == 0;
            SP_CHECK_REPORT(!need || run.status == SP_OK, "%s: %s", a->name, run.message);
            if (run.status == SP_EUNSUPPORTED)
                SP_CHECK_REPORT(strstr(run.message, "storage = \"moments\"") != NULL || strstr(run.message, "domain"),
                                "%s: %s", a->name, run.message);
            if (run.status == SP_OK) {
                CHECK(run.settled == SP_OK);
                CHECK(a->non_private_only || run.spent.best <= 1.37 * (1.0 + 1e-9));
                ran++;
            }
            printf("%s: %s\n", a->name, run.status == SP_OK ? "runs" : run.message);
            trial_end(&run);
            trial_end(&again);
        }
    }
    CHECK(ran >= 10);
    scene_drop(&s);
}

/* --- privacy ------------------------------------------------------------------------------------------------------ */

/* D and D' differ in their marked record, of opposite pairs; it is in whatever batch it is in, on both sides. */
static void neighbours(const char *loss, size_t n, size_t d, scene side[2])
{
    static const double unit[2][8] = { { 0.85, -0.05, 0.05 }, { -0.05, 0.0, -0.05, 0.05, -0.8 } };
    double x[2][8];
    if (sp_loss_find(loss)->link) {
        const made m = generator_with("one_hot", "");
        for (size_t s = 0; s < 2; s++) {
            const sp_dataset data = counted_units(&m, n - 1, d, unit[s]);
            scene_over(loss, &data, &side[s]);
        }
        return;
    }
    const made angles = generator_with("angles", ""), *m = &angles;
    sp_dataset records = generated(m, SP_STORE_DENSE, n - 1, d, 1, 5);
    for (size_t s = 0; s < 2; s++) {
        for (size_t j = 0; j < d; j++)
            x[s][j] = (s ? -1.0 : 1.0) * (j == 0 && d % 2 == 1 ? 0.97 : j % 2 == d % 2 ? 0.33 : -0.47);
        const sp_dataset data = counted(m, &records, true, x[s]);
        scene_over(loss, &data, &side[s]);
    }
    sp_dataset_free(&records);
}

/* The same, with n records: the one and n - 1 others, not quite half of them of either value. */
static void enlarge(scene *s, size_t n)
{
    sp_moments *m = s->data.moments;
    for (size_t p = 0; p < m->parts; p++) {
        m->count[p * m->rows] = floor(0.49987 * (double)n) + 13.0 * (double)p;
        m->count[p * m->rows + 1] = (double)n - 1.0 - m->count[p * m->rows];
    }
    m->total = (double)n;
    s->data.n = n;
    sp_moments_mean(&s->data);
    scene_certify(s);
}

static const char *const audited[] = { "circular", "ripple_ramp", "versine" };
enum { AUDITED = sizeof audited / sizeof *audited, NEIGHBOURS = 60 };

/* The record in which D and D' differ is in one batch of a partition, however it is nested, and moves that alone. */
static void test_members(void)
{
    static const size_t sizes[] = { 7, 1, 25, 27 }; /* the third is a child's, which divides it into 10 and 15 */
    for (size_t l = 0; l < AUDITED; l++) {
        const double w[3] = { 0.731, -0.385, 1.17 }; /* and 0, 0, 0 */
        scene side[2];
        size_t where[5] = { 0 };
        neighbours(audited[l], NEIGHBOURS, 6 + l % 2, side);
        const size_t d = sp_problem_d(&side[0].problem);
        for (uint64_t seed = 0; seed < 200; seed++) {
            double value[2][5][8], point[8] = { w[0], w[1], w[2] };
            for (size_t s = 0; s < 2; s++) {
                sp_oracle *o = oracle(&side[s], trial_noise_off(1.0, 1e-6), seed);
                for (size_t b = 0, pool = 0; b < 4; b++) {
                    sp_oracle *who = o;
                    if (b == 2)
                        OK(o, sp_child(o, &(sp_child_options){ .mode = SP_SHARE_DISJOINT, .share = 1.0,
                                                               .pool = sizes[b] }, &who));
                    for (size_t m = b == 2 ? 10 : sizes[b], left = sizes[b]; left > 0; left -= m, m = left, pool++) {
                        sp_batch batch;
                        OK(who, sp_draw(who, sp_fresh(m), &batch));
                        OK(who, sp_gradient(who, &SP_AT(batch, point), 0.0, value[s][pool]));
                    }
                }
                sp_oracle_free(o);
            }
            size_t moved = 0;
            for (size_t pool = 0; pool < 5; pool++) {
                bool same = true;
                for (size_t j = 0; j < d; j++)
                    same = same && value[0][pool][j] == value[1][pool][j];
                moved += !same;
                where[pool] += !same;
            }
            CHECK_EQUAL(moved, 1);
        }
        for (size_t pool = 0; pool < 5; pool++)
            CHECK(pool == 1 || where[pool] > 0);
        scene_drop(&side[0]);
        scene_drop(&side[1]);
    }
}

static void test_replay(void)
{
    static const struct {
        const char *algorithm, *settings;
        size_t n; /* 0: 60 */
    } runs[] = {
        { "dp_gd", "steps=7" }, { "dp_sgd", "batch=60 steps=7" }, { "dp_spider", "steps=9 period=3" },
        { "dp_sgd_hp", "batch=60 steps=5" }, { "tree_spider", "batch=8" }, { "spider_sosp", "steps=6" },
        { "spider_sosp", "steps=6 mode=population" }, { "kl_gd", "steps=5" }, { "em_net", "points=20" },
        { "warm_start", "steps=4" }, { "warm_start", "steps=4 budget=disjoint" }, { "em_product", "" },
        { "em_zoom", "points=20" }, { "em_zoom", "rounds=30 points=20" },
        /* from here on they stay enlarged: differences of the last points' losses are below the rounding of a loss */
        { "em_zoom", "rounds=34 points=50", 10000000 }, { "em_product", "", 1000000000 },
    };
    sp_transcript *transcript[SP_SIDES] = { NULL };
    for (size_t i = 0; i < SP_SIDES; i++)
        transcript[i] = sp_transcript_new();
    for (size_t l = 0; l < AUDITED; l++) {
        scene side[2];
        double furthest = 0.0;
        sp_neighbourhood h = { .sides = 2 };
        neighbours(audited[l], NEIGHBOURS, 6 + l % 2, side);
        for (size_t s = 0; s < 2; s++)
            h.problem[s] = side[s].problem;
        for (size_t i = 0; i < 10 * (sizeof runs / sizeof *runs); i++) {
            const char *name = runs[i / 10].algorithm, *settings = runs[i / 10].settings;
            const sp_algorithm *a = sp_algorithm_find(name);
            const bool summed = !h.problem[0].loss->link; /* the others' rows are not two values a part */
            if ((a->fits && a->fits(&h.problem[0].declared)) || (runs[i / 10].n > 0 && !summed))
                continue;
            for (size_t s = 0; s < 2 && runs[i / 10].n > 0; s++) {
                enlarge(&side[s], runs[i / 10].n);
                h.problem[s] = side[s].problem;
            }
            sp_audit_setting setting = { .method = { a, trial_values(a, settings) } };
            const sp_audit_case c = { NULL, &h, &setting, trial_private(4.0, 1e-5), transcript, NULL };
            sp_replays done = { 0 };
            sp_text finding = { 0 };
            sp_error error = { .text = "" };
            SP_CHECK_REPORT(sp_audit_replay(&c, 7 + i, &done, &finding, &error) == SP_OK, "%s %s: %s", name, settings,
                            error.text);
            SP_CHECK_REPORT(finding.length == 0, "%s %s: %s", name, settings, finding.data);
            CHECK(done.calls > 0);
            CHECK_LESS_EQUAL(done.move, 1.0);
            furthest = fmax(furthest, done.move);
            sp_text_free(&finding);
        }
        CHECK(furthest > 0.5); /* the neighbours do differ */
        scene_drop(&side[0]);
        scene_drop(&side[1]);
    }
    for (size_t i = 0; i < SP_SIDES; i++)
        sp_transcript_free(transcript[i]);
}

/* Choices on a bounded domain that the radius does not cover: what one record moves by their scores is what is charged,
 * although no record's loss can be cut. */
static void test_radius(void)
{
    enum { D = 2, SIDE = 6, MOST = 80 };
    const double radius = 0.3, centre[D] = { 0.2, -0.1 }, outside[D] = { 1.9, -0.8 }, origin[D] = { -1.0, -1.0 };
    sp_transcript *seen = sp_transcript_new();
    scene side[2];
    neighbours("circular", NEIGHBOURS, 2 * D, side);
    for (int way = 0; way < 4; way++) { /* a grid, a search, rejection, a random walk */
        double raw[2][MOST], sensitivity = NAN, low = INFINITY, high = -INFINITY, out[D], none;
        size_t count = 0;
        sp_space grid = { .kind = SP_SPACE_GRID, .origin = origin, .spacing = 0.4, .side = SIDE, .search = way == 1 };
        sp_score score = { .kind = SP_SCORE_LOSS, .reference = centre, .radius = radius };
        sp_continuum W = { .centre = centre, .radius = radius, .trials = 1e6, .moves = way == 3 ? 50 : 0,
                           .move_std = 0.1, .tv = 1e-9 };
        for (size_t s = 0; s < 2; s++) {
            side[s].problem.domain = (sp_domain){ SP_DOMAIN_L2_BALL, D, 2.0, 2.0 };
            scene_certify(&side[s]);
            sp_transcript_record(seen);
            sp_oracle *o = watched(&side[s], trial_private(1.0, 1e-6), 1, seen);
            OK(o, sp_calibrate(o, &(sp_release_plan){ .kind = SP_SELECTION, .count = 1, .epsilon = 0.4,
                                                      .tv = way == 3 ? W.tv : 0.0 }, 1, &none));
            if (way < 2)
                OK(o, sp_choose(o, (sp_batch){ 0 }, &grid, &score, SP_CHOOSE_EXPONENTIAL, 0.4, out, NULL));
            else
                OK(o, sp_choose_point(o, &W, 0.4, out));
            CHECK_LESS_EQUAL(hypot(out[0] - centre[0], out[1] - centre[1]), radius * (1.0 + 1e-12));
            CHECK(sp_domain_contains(&side[s].problem.domain, out));
            const sp_event *event = sp_transcript_at(seen, 0);
            sensitivity = event->sensitivity;
            count = event->size;
            CHECK(count <= MOST);
            memcpy(raw[s], event->raw, count * sizeof **raw);

            score.reference = W.centre = outside;
            if (way < 2)
                REFUSED(o, sp_choose(o, (sp_batch){ 0 }, &grid, &score, SP_CHOOSE_EXPONENTIAL, 0.4, out, NULL),
                        SP_EUNSUPPORTED, "reference: not in domain l2_ball, and storage = \"moments\"");
            else
                REFUSED(o, sp_choose_point(o, &W, 0.4, out), SP_EUNSUPPORTED, "centre: not in domain l2_ball");
            score.reference = W.centre = centre;
            sp_oracle_free(o);
        }
        CHECK_NEAR(sensitivity, 4.0 * radius / 60.0, 1e-12);
        for (size_t i = 0; i < count; i++) {
            low = fmin(low, raw[0][i] - raw[1][i]);
            high = fmax(high, raw[0][i] - raw[1][i]);
        }
        CHECK_LESS_EQUAL(high - low, sensitivity);
        CHECK(high - low > 0.5 * sensitivity);
    }
    scene_drop(&side[0]);
    scene_drop(&side[1]);
    sp_transcript_free(seen);
}

/* Where the public part of F is so large that its rounding is above what one of 10^9 records can add. */
static void test_far(void)
{
    enum { D = 4, COUNT = 2 * D + 1 };
    const double radius = 1e-6;
    double points[COUNT * D], raw[2][COUNT], out[D], sensitivity = NAN, low = INFINITY, high = -INFINITY;
    sp_transcript *seen = sp_transcript_new();
    scene side[2];
    neighbours("ripple_ramp", NEIGHBOURS, 2 * D - 1, side);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < D; j++)
            points[i * D + j] = (j == 0 ? 53.0 : 0.3) + (i > 0 && (i - 1) / 2 == j ? (i % 2 ? radius : -radius) : 0.0);
    for (size_t s = 0; s < 2; s++) {
        enlarge(&side[s], 1000000000);
        sp_transcript_record(seen);
        sp_oracle *o = watched(&side[s], trial_private(1.0, 1e-6), 1, seen);
        OK(o, sp_choose(o, (sp_batch){ 0 }, &(sp_space){ .kind = SP_SPACE_LIST, .count = COUNT, .points = points },
                        &(sp_score){ .kind = SP_SCORE_LOSS, .reference = points }, SP_CHOOSE_EXPONENTIAL, 0.1, out,
                        NULL));
        sensitivity = sp_transcript_at(seen, 0)->sensitivity;
        memcpy(raw[s], sp_transcript_at(seen, 0)->raw, sizeof raw[s]);
        sp_oracle_free(o);
    }
    for (size_t i = 0; i < COUNT; i++) {
        low = fmin(low, raw[0][i] - raw[1][i]);
        high = fmax(high, raw[0][i] - raw[1][i]);
    }
    CHECK_LESS_EQUAL(high - low, sensitivity);
    CHECK(high - low > 0.3 * sensitivity);
    scene_drop(&side[0]);
    scene_drop(&side[1]);
    sp_transcript_free(seen);
}

/* What is released is the mean, moved by what the records differ by, plus noise of the announced deviation. */
static void test_noise(void)
{
    enum { D = 3, RUNS = 4000 };
    scene side[2];
    double raw[2][D], sum[2][D] = { { 0.0 } }, squares = 0.0, multiplier = NAN, sensitivity = NAN;
    const double w[D] = { 0.731, -1.385, 0.2385 };
    neighbours("circular", NEIGHBOURS, 2 * D, side);
    for (size_t s = 0; s < 2; s++) {
        sp_problem_gradient(&side[s].problem, side[s].workspace, w, raw[s]);
        for (uint64_t r = 0; r < RUNS; r++) {
            double out[D];
            sp_oracle *o = oracle(&side[s], trial_private(1.0, 1e-5), 2 * r + s);
            const sp_query query = SP_AT((sp_batch){ 0 }, w);
            OK(o, sp_calibrate(o, &(sp_release_plan){ .kind = SP_GRADIENT, .sample = sp_full(), .count = 1 }, 1,
                               &multiplier));
            sensitivity = sp_sensitivity(o, &query);
            OK(o, sp_gradient(o, &query, multiplier, out));
            for (size_t j = 0; j < D; j++) {
                sum[s][j] += out[j] - raw[s][j];
                squares += (out[j] - raw[s][j]) * (out[j] - raw[s][j]);
            }
            sp_oracle_free(o);
        }
    }
    const double noise_std = multiplier * sensitivity;
    CHECK_NEAR(sensitivity, 2.0 / 60.0, 1e-15);
    for (size_t s = 0; s < 2; s++)
        for (size_t j = 0; j < D; j++)
            CHECK_LESS_EQUAL(fabs(sum[s][j]) / (noise_std * sqrt(RUNS)), most);
    const double chi = squares / (noise_std * noise_std);
    CHECK_LESS_EQUAL(gsl_cdf_chisq_P(chi, 2.0 * RUNS * D), 1.0 - 1e-6);
    CHECK_LESS_EQUAL(gsl_cdf_chisq_Q(chi, 2.0 * RUNS * D), 1.0 - 1e-6);
    for (size_t j = 0; j < D; j++)
        raw[0][j] -= raw[1][j];
    CHECK_LESS_EQUAL(cblas_dnrm2(D, raw[0], 1), sensitivity);
    CHECK(cblas_dnrm2(D, raw[0], 1) > 0.3 * sensitivity);
    scene_drop(&side[0]);
    scene_drop(&side[1]);
}

int main(void)
{
    test_law();
    test_made();
    test_sums();
    test_least();
    test_batches();
    test_wrong_counts();
    test_fresh();
    test_fresh_scores();
    test_once();
    test_refusals();
    test_largest();
    test_algorithms();
    test_members();
    test_replay();
    test_radius();
    test_far();
    test_noise();
    return sp_check_done();
}
