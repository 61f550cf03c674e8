/* generator.c -- what every generator promises: bounds, records that depend on nothing but their index, storages,
 * means, populations, refusals. The distributions are in generator_laws.c. */
#include "tests/generated.h"

typedef struct setting {
    const char *name, *values;
    size_t d;
} setting;

/* Every generator as it comes, and where its bounds are strained. */
static const setting settings[] = {
    { "signs", "", 7 },
    { "signs", "mean=0.385", 131 },
    { "signs", "mean=0.385 drawn=true", 131 },
    { "sphere", "", 1 },
    { "sphere", "", 9 },
    { "gaussian", "", 7 },
    { "gaussian", "radius=0.61", 3 },
    { "linear", "", 7 },
    { "linear", "norm=2.385 noise=0.71 margin=0.31", 5 },
    { "linear", "design=gaussian radius=1.13 margin=0.97 noise=0.2", 4 },
    { "logistic", "", 7 },
    { "logistic", "design=gaussian radius=0.8 margin=0.79 noise=0.12", 6 },
    { "logistic", "design=gaussian radius=0.8 margin=0.3 decay=1.5", 6 },
    { "logistic", "radius=31.7 margin=2.3", 1 },
    { "low_rank", "", 7 },
    { "low_rank", "rank=6 norm=3.1 noise=0.4", 6 },
    { "spiked", "", 7 },
    { "spiked", "spike=57.3 radius=0.9", 5 },
    { "lds", "", 12 },
    { "lds", "order=5 memory=0.7 gain=13.7 noise=1.9", 14 },
    { "lds", "order=1 memory=0 gain=2.385", 4 },
    { "phase", "", 7 },
    { "angles", "", 6 },
    { "angles", "offset=1.31 spread=0.385", 140 },
    { "angles", "mean=0.31", 9 },
    { "one_hot", "", 4 },
    { "one_hot", "offset=1.31", 11 },
    { "classes", "", 7 },
    { "classes", "mean=0.385", 131 },
    { "classes", "mean=0.7 sparse=true", 131 },
    { "pairs", "", 1 },
    { "pairs", "", 9 },
    { "phase", "norm=2.385 noise=0.3 design=gaussian radius=1.4 margin=0.2", 3 },
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static made made_of(size_t k)
{
    return generator_with(settings[k].name, settings[k].values);
}

static bool same(const double *a, const double *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

/* All are in the table above, each under its own name. */
static void test_table(void)
{
    for (size_t g = 0; g < sp_generator_count; g++) {
        size_t uses = 0;
        CHECK(sp_generator_find(sp_generators[g]->name) == sp_generators[g]);
        for (size_t k = 0; k < SETTINGS; k++)
            uses += strcmp(settings[k].name, sp_generators[g]->name) == 0;
        SP_CHECK_REPORT(uses > 0, "%s: untested", sp_generators[g]->name);
    }
    CHECK(sp_generator_find("sign") == NULL);
}

/* The bounds hold for every truth and every record; the tight ones are come close to. */
static void test_bounds(void)
{
    enum { TRUTHS = 40, N = 60 };
    for (size_t k = 0; k < SETTINGS; k++) {
        const made m = made_of(k);
        const sp_generator *g = m.generator;
        const size_t d = settings[k].d;
        const double radius = g->radius(&m.values, d), label_bound = g->label_bound(&m.values, d);
        double most = 0.0, most_label = 0.0;
        for (uint64_t truth = 0; truth < TRUTHS; truth++) {
            sp_dataset a = generated(&m, SP_STORE_DENSE, N, d, truth, truth);
            CHECK_NEAR(a.radius, radius, 0.0);
            CHECK_NEAR(a.label_bound, label_bound, 0.0);
            CHECK_EQUAL(a.y != NULL, g->labels);
            for (size_t i = 0; i < N; i++) {
                most = fmax(most, a.norm[i]);
                most_label = fmax(most_label, a.y ? fabs(a.y[i]) : 0.0);
                CHECK(!g->binary || fabs(a.y[i]) == 1.0);
            }
            sp_dataset_free(&a);
        }
        CHECK_LESS_EQUAL(most, radius * (1.0 + 1e-13));
        CHECK_LESS_EQUAL(most_label, label_bound * (1.0 + 1e-13));
        CHECK_LESS_EQUAL(0.25 * radius, most);
        CHECK(!g->labels || most_label >= 0.5 * label_bound);
    }
}

static void one_record(const made *m, size_t d, const double *truth, size_t i, gsl_rng *stream, double *x, double *y)
{
    if (m->generator->nth)
        m->generator->nth(&m->values, d, truth, i, x, y);
    else
        m->generator->record(&m->values, d, truth, stream, x, y);
}

/* A record depends on the values, the truth and its index alone: not on n, nor on whether the label is asked for. */
static void test_pure(void)
{
    enum { N = 50, FEW = 13 };
    for (size_t k = 0; k < SETTINGS; k++) {
        const made m = made_of(k);
        const size_t d = settings[k].d;
        sp_dataset a = generated(&m, SP_STORE_DENSE, N, d, 1, 1), again = generated(&m, SP_STORE_DENSE, N, d, 1, 1);
        sp_dataset less = generated(&m, SP_STORE_DENSE, FEW, d, 1, 1);
        sp_dataset other = generated(&m, SP_STORE_DENSE, N, d, 1, 2);
        CHECK_TEXT(a.content, again.content);
        CHECK(memcmp(a.mapping, again.mapping, a.mapping_size) == 0);
        for (size_t i = 0; i < FEW; i++)
            CHECK(same(a.X + i * a.stride, less.X + i * a.stride, d));
        CHECK(!a.y || same(a.y, less.y, FEW));
        const bool coins = m.generator == sp_generator_find("angles") || m.generator->nth;
        size_t equal = 0;
        for (size_t i = 0; i < N && d > 1; i++)
            for (size_t l = 0; l < N; l++)
                if (same(a.X + i * a.stride, other.X + l * a.stride, d) ||
                    (i != l && same(a.X + i * a.stride, a.X + l * a.stride, d)))
                    equal++;
        CHECK(equal == 0 || m.generator->signs || coins); /* coins may fall alike */
        CHECK(strcmp(a.content, other.content) != 0 || d == 1);

        double *truth = truth_of(&m, d, 1), *x = sp_alloc_doubles(d), y = 0.0;
        gsl_rng *stream = sp_stream_open(records_key(1));
        for (size_t i = N; i-- > 0;) {
            const bool opposite = m.generator->opposites && i % 2 == 1; /* of the record before it */
            for (int labelled = 1; labelled >= 0; labelled--) {
                sp_stream_at(stream, opposite ? i - 1 : i);
                one_record(&m, d, truth, i, stream, x, labelled && a.y ? &y : NULL);
                for (size_t j = 0; opposite && j < d; j++)
                    x[j] = -x[j];
                CHECK(same(x, a.X + i * a.stride, d));
                CHECK(!a.y || same(&y, a.y + i, 1));
            }
        }
        gsl_rng_free(stream);
        free(x);
        free(truth);
        sp_dataset_free(&a);
        sp_dataset_free(&again);
        sp_dataset_free(&less);
        sp_dataset_free(&other);
    }
}

/* The same records in every storage; an indexed dataset needs nothing of what it was made from. */
static void test_storages(void)
{
    enum { N = 300 };
    for (size_t k = 0; k < SETTINGS; k++) {
        made m = made_of(k);
        const size_t d = settings[k].d;
        sp_dataset a = generated(&m, SP_STORE_DENSE, N, d, 3, 4);
        for (sp_storage storage = SP_STORE_SIGNS; storage <= SP_STORE_INDEXED; storage++) {
            if (storage == SP_STORE_SIGNS && !m.generator->signs)
                continue;
            made used = m;
            double x[256];
            sp_dataset b = generated(&used, storage, N, d, 3, 4);
            memset(&used, 0xa5, sizeof used);
            CHECK_EQUAL(b.storage, storage);
            CHECK(b.X == NULL);
            for (size_t i = 0; i < N; i++) {
                sp_row_of(&b, i, x);
                CHECK(same(x, a.X + i * a.stride, d));
                CHECK_NEAR(b.norm[i], a.norm[i], 1e-14 * a.radius);
            }
            for (size_t j = 0; j < d; j++)
                CHECK_NEAR(b.mean[j], a.mean[j], 1e-14 * a.radius);
            CHECK_EQUAL(b.y != NULL, a.y != NULL);
            CHECK(!a.y || same(a.y, b.y, N));
            CHECK_NEAR(b.radius, a.radius, 0.0);
            CHECK_NEAR(b.label_bound, a.label_bound, 0.0);
            sp_dataset_free(&b);
        }
        sp_dataset_free(&a);
    }
}

static void content(const made *m, sp_storage storage, size_t n, size_t d, uint64_t truth, uint64_t records,
                    char out[SP_HASH_HEX])
{
    sp_generated_content(m->generator, &m->values, storage, n, d, truth_key(truth), records_key(records), out);
}

/* Whatever the records depend on changes what they are called, and nothing behind the values is read. */
static void test_content(void)
{
    enum { N = 20, MOST = 8 + SP_PARAM_MAX };
    for (size_t k = 0; k < SETTINGS; k++) {
        const made m = made_of(k);
        const size_t d = settings[k].d, size = offsetof(sp_values, value) + m.values.count * sizeof *m.values.value;
        sp_generator renamed = *m.generator;
        char name[MOST][SP_HASH_HEX];
        size_t names = 6;
        content(&m, SP_STORE_DENSE, N, d, 1, 2, name[0]);
        content(&m, SP_STORE_INDEXED, N, d, 1, 2, name[1]);
        content(&m, SP_STORE_DENSE, N + 1, d, 1, 2, name[2]);
        content(&m, SP_STORE_DENSE, N, d + 1, 1, 2, name[3]);
        content(&m, SP_STORE_DENSE, N, d, 3, 2, name[4]);
        content(&m, SP_STORE_DENSE, N, d, 1, 3, name[5]);
        renamed.name = "another";
        made other = { &renamed, m.values };
        content(&other, SP_STORE_DENSE, N, d, 1, 2, name[names++]);
        for (size_t i = 0; i < m.values.count; i++) {
            other = m;
            double *number = &other.values.value[i].number;
            *number = isnan(*number) ? 0.385 : *number + 0.385;
            content(&other, SP_STORE_DENSE, N, d, 1, 2, name[names++]);
        }
        for (size_t i = 0; i < names; i++)
            for (size_t l = 0; l < i; l++)
                CHECK(strcmp(name[i], name[l]) != 0);

        sp_values *cut = malloc(size); /* as a plan keeps them */
        sp_dataset a = generated(&m, SP_STORE_DENSE, N, d, 1, 2), b = { 0 };
        memcpy(cut, &m.values, size);
        CHECK_EQUAL(sp_generate(m.generator, cut, SP_STORE_DENSE, N, d, truth_key(1), records_key(2), &b, NULL), SP_OK);
        free(cut);
        CHECK_TEXT(a.content, name[0]);
        CHECK_TEXT(b.content, name[0]);
        CHECK(a.mapping_size == b.mapping_size && memcmp(a.mapping, b.mapping, a.mapping_size) == 0);
        sp_dataset_free(&a);
        sp_dataset_free(&b);
    }
}

/* The exact mean, of x or of y x, is what sample means come to: five standard errors, about 900 entries, false alarm
 * 6e-4 in all. */
static void test_mean(void)
{
    enum { N = 4000 };
    for (size_t k = 0; k < SETTINGS; k++) {
        const made m = made_of(k);
        const size_t d = settings[k].d;
        sp_dataset exact, a = generated(&m, SP_STORE_DENSE, N, d, 5, 6);
        CHECK_EQUAL(sp_generate_population(m.generator, &m.values, true, 0, d, truth_key(5), records_key(6), &exact,
                                           NULL), SP_OK);
        CHECK_EQUAL(exact.n, 1);
        CHECK_EQUAL(exact.d, d);
        CHECK_EQUAL(exact.y != NULL, m.generator->class_mean != NULL);
        CHECK(!exact.y || exact.y[0] == 1.0);
        CHECK_NEAR(exact.radius, a.radius, 0.0);
        CHECK_NEAR(exact.label_bound, a.label_bound, 0.0);
        for (size_t j = 0; j < d; j++) {
            double mean = 0.0, variance = 0.0;
            for (size_t i = 0; i < N; i++)
                mean += (exact.y ? a.y[i] : 1.0) * a.X[i * a.stride + j] / N;
            for (size_t i = 0; i < N; i++)
                variance += pow((exact.y ? a.y[i] : 1.0) * a.X[i * a.stride + j] - mean, 2) / (N - 1);
            CHECK_NEAR(mean, exact.X[j], 5.0 * sqrt(variance / N) + 1e-14);
            CHECK_NEAR(exact.mean[j], exact.X[j], 0.0);
        }
        sp_dataset_free(&exact);
        sp_dataset_free(&a);
    }
}

static void zeros(const sp_values *v, size_t d, const double *truth, gsl_rng *stream, double *restrict x, double *y)
{
    (void)v, (void)truth, (void)stream, (void)y;
    memset(x, 0, d * sizeof *x);
}

/* Fresh records of the same truth; packed where they can be, indexed where they would fill more than 1 GiB. */
static void test_population(void)
{
    enum { M = 200, D = 70 };
    sp_dataset a, b;
    sp_error error = { 0 };
    made m = generator_with("linear", "noise=0.3");
    CHECK_EQUAL(sp_generate_population(m.generator, &m.values, false, M, D, truth_key(1), records_key(9), &a, &error),
                SP_OK);
    b = generated(&m, SP_STORE_DENSE, M, D, 1, 9);
    CHECK_TEXT(a.content, b.content);
    CHECK(a.mapping_size == b.mapping_size && memcmp(a.mapping, b.mapping, a.mapping_size) == 0);
    sp_dataset_free(&a);
    sp_dataset_free(&b);

    m = generator_with("signs", "");
    CHECK_EQUAL(sp_generate_population(m.generator, &m.values, false, M, D, truth_key(1), records_key(9), &a, &error),
                SP_OK);
    b = generated(&m, SP_STORE_SIGNS, M, D, 1, 9);
    CHECK_EQUAL(a.storage, SP_STORE_SIGNS);
    CHECK_TEXT(a.content, b.content);
    CHECK(a.mapping_size == b.mapping_size && memcmp(a.mapping, b.mapping, a.mapping_size) == 0);
    sp_dataset_free(&a);
    sp_dataset_free(&b);

    sp_generator blank = *sp_generator_find("sphere");
    blank.record = zeros;
    blank.mean = NULL;
    CHECK_EQUAL(sp_generate_population(&blank, &m.values, false, 129, 1 << 20, truth_key(1), records_key(9), &a, NULL),
                SP_OK);
    CHECK_EQUAL(a.storage, SP_STORE_INDEXED);
    sp_dataset_free(&a);
    CHECK_EQUAL(sp_generate_population(&blank, &m.values, true, M, D, truth_key(1), records_key(9), &a, &error),
                SP_EUNSUPPORTED);
    CHECK_CONTAINS(error.text, "sphere: the mean of the records is not known");
    CHECK_EQUAL(sp_generate_population(&blank, &m.values, false, 0, D, truth_key(1), records_key(9), &a, &error),
                SP_EINVAL);
    CHECK_EQUAL(sp_generate_population(&blank, &m.values, false, M, 0, truth_key(1), records_key(9), &a, &error),
                SP_EINVAL);
}

/* linear and low_rank without noise, and one_hot, have labels <w*, x>; others not. */
static void test_realisable(void)
{
    for (size_t k = 0; k < SETTINGS; k++) {
        const made m = made_of(k);
        const char *name = settings[k].name;
        const bool one_hot = strcmp(name, "one_hot") == 0;
        const bool expected = one_hot || ((strcmp(name, "linear") == 0 || strcmp(name, "low_rank") == 0) &&
                                          !strstr(settings[k].values, "noise"));
        const size_t d = settings[k].d;
        const sp_domain space = { .kind = SP_DOMAIN_SPACE, .d = d, .norm = INFINITY };
        const double norm = expected ? m.generator->truth_norm(&m.values, d) : 1.0;
        const sp_domain ball = { .kind = SP_DOMAIN_L2_BALL, .d = d, .radius = norm, .norm = norm };
        const sp_domain small = { .kind = SP_DOMAIN_L2_BALL, .d = d, .radius = 0.99 * norm, .norm = 0.99 * norm };
        const sp_domain other = { .kind = SP_DOMAIN_BOX, .low = -norm, .high = norm, .norm = 9.0 * norm };
        CHECK_EQUAL(sp_generator_realisable(m.generator, &m.values, &space), expected);
        CHECK_EQUAL(sp_generator_realisable(m.generator, &m.values, &ball), expected);
        CHECK(!sp_generator_realisable(m.generator, &m.values, &small)); /* w* is outside */
        CHECK(!sp_generator_realisable(m.generator, &m.values, &other)); /* not certain to be inside */
    }
}

static void check_refused(const char *name, const char *values, sp_storage storage, size_t n, size_t d,
                          sp_status expected, const char *part)
{
    const made m = generator_with(name, values);
    sp_dataset dataset = { .n = 2385 };
    sp_error error = { 0 };
    CHECK_EQUAL(sp_generate_check(m.generator, &m.values, storage, n, d, &error), expected);
    CHECK_CONTAINS(error.text, part);
    error.text[0] = '\0';
    CHECK_EQUAL(sp_generate(m.generator, &m.values, storage, n, d, truth_key(1), records_key(1), &dataset, &error),
                expected);
    CHECK_CONTAINS(error.text, part);
    CHECK(dataset.mapping == NULL && dataset.n == 0);
}

static void test_refuses(void)
{
    check_refused("signs", "", SP_STORE_DENSE, 0, 7, SP_EINVAL, "n = 0");
    check_refused("signs", "", SP_STORE_DENSE, 1000000, 1000000, SP_EINVAL, "d = 1000000, dense: too large");
    check_refused("signs", "", SP_STORE_SPARSE, 10, 7, SP_EUNSUPPORTED, "storage = sparse: signs records");
    check_refused("gaussian", "", SP_STORE_SIGNS, 10, 7, SP_EUNSUPPORTED, "storage = signs: gaussian records");
    check_refused("low_rank", "rank=8", SP_STORE_DENSE, 10, 7, SP_EINVAL, "low_rank, d = 7: the rank is above d");
    check_refused("lds", "", SP_STORE_DENSE, 10, 7, SP_EINVAL, "lds, d = 7: d must be even");
    check_refused("lds", "order=5", SP_STORE_DENSE, 10, 10, SP_EINVAL, "lds, d = 10: there must be more than `order`");
    check_refused("linear", "margin=1.001", SP_STORE_DENSE, 10, 7, SP_EINVAL, "the margin is above the radius");
    check_refused("logistic", "design=gaussian margin=2.001", SP_STORE_INDEXED, 10, 7, SP_EINVAL, "the margin");
    check_refused("angles", "", SP_STORE_DENSE, 10, 1, SP_EINVAL, "angles, d = 1: there must be a pair");
    check_refused("linear", "decay=0.5", SP_STORE_DENSE, 10, 7, SP_EINVAL, "a decay is for design = \"gaussian\"");
    check_refused("phase", "radius=0.5 margin=0.6", SP_STORE_DENSE, 10, 7, SP_EINVAL, "the margin is above");
    made m = generator_with("signs", "");
    CHECK_EQUAL(sp_values_set_number(&m.values, "signs", "mean", 1.001, NULL), SP_EINVAL);
    m = generator_with("lds", "");
    CHECK_EQUAL(sp_values_set_number(&m.values, "lds", "memory", 0.701, NULL), SP_EINVAL);
    m = generator_with("logistic", "");
    CHECK_EQUAL(sp_values_set_number(&m.values, "logistic", "noise", 0.501, NULL), SP_EINVAL);
}

int main(void)
{
    test_table();
    test_bounds();
    test_pure();
    test_content();
    test_storages();
    test_mean();
    test_population();
    test_realisable();
    test_refuses();
    return sp_check_done();
}
