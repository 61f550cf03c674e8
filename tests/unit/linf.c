/* unit/linf.c -- records that are cut in l_inf, for choices by inner product: the l1 size of domains, the constants of
 * those norms, the clip of each form of loss, the sensitivity of choices by the worst neighbours, and what may not be
 * done with such an accumulator. */
#include "core/data/generate.h"
#include "core/data/rows.h"
#include "core/oracle/replay.h"
#include "core/plan/registry.h"
#include "tests/forms.h"
#include "tests/trial.h"

enum { N = 6, D = 4 };

static const double size = 0.5; /* 1 / sqrt(D): signs of norm 1 */

/* --- domains ----------------------------------------------------------------------------------------------------- */

static sp_domain polytope_of(const char *vertices, size_t d)
{
    sp_values values;
    sp_domain out;
    sp_values_start(&values, sp_domain_params);
    CHECK(sp_values_set_text(&values, "domain", "vertices", vertices, NULL) == SP_OK);
    CHECK(sp_domain_make("polytope", &values, d, &out, NULL) == SP_OK);
    return out;
}

static sp_domain box_of(double low, double high, size_t d)
{
    const double norm = sqrt((double)d) * fmax(fabs(low), fabs(high));
    return (sp_domain){ SP_DOMAIN_BOX, d, norm, norm, .low = low, .high = high };
}

static double length_l1(const double *v, const double *w)
{
    double sum = 0.0;
    for (size_t j = 0; j < D; j++)
        sum += fabs(v[j] - (w ? w[j] : 0.0));
    return sum;
}

/* By all pairs of vertices; of balls without vertices at +-(1, ..., 1) times what is on the boundary. */
static void domains(void)
{
    sp_domain polytope = polytope_of("0.9 0.1 -0.2 0.3; -0.4 0.6 0.3 0; -0.1 -0.8 0.5 0.2", D);
    const sp_domain with[] = { { SP_DOMAIN_L1_BALL, D, 0.83, 0.83 }, { SP_DOMAIN_SIMPLEX, D, 0.71, 0.71 },
                               box_of(-0.3, 0.45, D), polytope };
    for (size_t i = 0; i < 4; i++) {
        double v[D], w[D], norm = 0.0, diameter = 0.0;
        for (size_t k = 0; k < sp_domain_vertices(&with[i]); k++) {
            sp_domain_vertex(&with[i], k, v);
            norm = fmax(norm, length_l1(v, NULL));
            for (size_t l = 0; l < k; l++) {
                sp_domain_vertex(&with[i], l, w);
                diameter = fmax(diameter, length_l1(v, w));
            }
        }
        CHECK_NEAR(sp_domain_norm_l1(&with[i]), norm, 1e-14);
        CHECK_NEAR(sp_domain_diameter_l1(&with[i]), diameter, 1e-14);
    }
    sp_domain_free(&polytope);
    for (size_t i = 0; i < 2; i++) {
        const double p = i == 0 ? 2.0 : 1.5;
        const sp_domain ball = { i == 0 ? SP_DOMAIN_L2_BALL : SP_DOMAIN_LP_BALL, D, 0.77, 0.77, p };
        double v[D], norm = 0.0;
        for (size_t j = 0; j < D; j++)
            v[j] = 0.77 * pow(D, -1.0 / p);
        CHECK(sp_domain_contains(&ball, v));
        CHECK_NEAR(sp_domain_norm_l1(&ball), length_l1(v, NULL), 1e-14);
        CHECK_NEAR(sp_domain_diameter_l1(&ball), 2.0 * length_l1(v, NULL), 1e-14);
        gsl_rng *stream = sp_stream_open(sp_stream_key_of(3, "linf", i, SP_STREAM_DATA));
        for (size_t k = 0; k < 1000; k++) {
            gsl_ran_dir_nd(stream, D, v);
            sp_domain_project(&ball, v);
            norm = fmax(norm, length_l1(v, NULL));
        }
        CHECK_LESS_EQUAL(norm, sp_domain_norm_l1(&ball));
        gsl_rng_free(stream);
    }
    CHECK(sp_domain_diameter_l1(&(sp_domain){ SP_DOMAIN_SPACE, D, INFINITY, INFINITY }) == INFINITY);
    CHECK_NEAR(sp_domain_diameter_l1(&(sp_domain){ SP_DOMAIN_SIMPLEX, 1, 0.7, 0.7 }), 0.0, 0.0);
}

/* --- records ------------------------------------------------------------------------------------------------------ */

/* The maker's claim is checked, and kept by a subset; without one it is the radius. */
static void records(void)
{
    sp_dataset data = { 0 }, part = { 0 };
    sp_error error = { .text = "" };
    CHECK(sp_dataset_new(SP_STORE_DENSE, N, D, 0, false, false, &data, &error) == SP_OK);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++)
            sp_dataset_X(&data)[i * data.stride + j] = (i + j) % 3 ? size : -size;
    CHECK(sp_dataset_seal(&data, 1.0, 1.0, &error) == SP_OK);
    CHECK_NEAR(data.largest, 1.0, 0.0);
    data.largest = size;
    CHECK(sp_dataset_seal(&data, 1.0, 1.0, &error) == SP_OK);
    CHECK_NEAR(data.largest, size, 0.0);
    const uint32_t index[] = { 4, 1 };
    CHECK(sp_dataset_take(&data, index, 2, &part, &error) == SP_OK);
    CHECK_NEAR(part.largest, size, 0.0);
    sp_dataset_X(&data)[4 * data.stride + 2] = -0.51;
    CHECK(sp_dataset_seal(&data, 1.1, 1.0, &error) == SP_EDATA);
    CHECK_CONTAINS(error.text, "record 5, feature 3: |-0.51");
    CHECK_CONTAINS(error.text, "0.5");
    sp_dataset_free(&part);
    sp_dataset_free(&data);

    const sp_generator *signs = sp_generator_find("signs"), *sphere = sp_generator_find("sphere");
    static const sp_storage storages[] = { SP_STORE_DENSE, SP_STORE_SIGNS, SP_STORE_INDEXED };
    sp_values values;
    const sp_stream_key key = sp_stream_key_of(3, "linf", 0, SP_STREAM_DATA);
    sp_values_start(&values, signs->params);
    for (size_t s = 0; s < 3; s++) {
        double x[50];
        CHECK(sp_generate(signs, &values, storages[s], 9, 50, key, key, &data, &error) == SP_OK);
        CHECK_NEAR(data.largest, 1.0 / sqrt(50.0), 1e-16);
        sp_row_of(&data, 3, x);
        for (size_t j = 0; j < 50; j++)
            CHECK_LESS_EQUAL(fabs(x[j]), data.largest);
        sp_dataset_free(&data);
    }
    sp_values_start(&values, sphere->params);
    CHECK(sp_generate(sphere, &values, SP_STORE_DENSE, 9, 50, key, key, &data, &error) == SP_OK);
    CHECK_NEAR(data.largest, 1.0, 0.0);
    CHECK_NEAR(sp_generator_largest(sphere, &values, 50), 0.0, 0.0);
    sp_dataset_free(&data);
}

/* --- a problem of signs --------------------------------------------------------------------------------------- */

/* x_ij = +-size, the i-th labels y[i]; `first`: the signs of the first record, those of others are fixed */
static bool make(const sp_loss *loss, sp_domain domain, const double *first, const double *y, trial_problem *out)
{
    sp_error error = { .text = "" };
    sp_problem *p = &out->problem;
    *out = (trial_problem){ 0 };
    bool ok = sp_dataset_new(SP_STORE_DENSE, N, D, 0, true, false, &out->data, &error) == SP_OK;
    out->data.largest = size;
    for (size_t i = 0; ok && i < N; i++) {
        for (size_t j = 0; j < D; j++)
            sp_dataset_X(&out->data)[i * out->data.stride + j] = i == 0 ? size * first[j] : i * j % 3 ? size : -size;
        sp_dataset_y(&out->data)[i] = y[i];
    }
    ok = ok && sp_dataset_seal(&out->data, 1.0, 1.0, &error) == SP_OK;
    *p = (sp_problem){ .loss = loss, .domain = domain, .train = &out->data, .start = sp_alloc_doubles(domain.d) };
    sp_values values;
    sp_values_start(&values, loss->params);
    for (size_t i = 0; i < values.count; i++)
        p->number[i] = values.value[i].number;
    const sp_setting setting = { .loss = loss, .number = p->number, .domain = &p->domain, .n = N, .features = D,
                                 .radius = 1.0, .largest = size, .label_bound = 1.0 };
    ok = ok && sp_certify(&setting, &p->certified, &error) == SP_OK;
    SP_CHECK_REPORT(ok, "%s", error.text);
    p->declared = p->certified;
    return ok;
}

static const double up[D] = { 1, 1, 1, 1 }, mixed[D] = { 1, -1, 1, -1 };
static const double labels[N] = { 1, -1, 1, 1, -1, -1 };

/* Constants of link and tilt losses against random points and all records; those of others are the l2 ones. */
static void constants(void)
{
    size_t links = 0, tilts = 0, near_slope = 0;
    const sp_domain ball = { SP_DOMAIN_L1_BALL, D, 1.7, 1.7 };
    for (size_t i = 0; i < sp_loss_count; i++) {
        trial_problem t;
        if (sp_losses[i]->record || !make(sp_losses[i], ball, mixed, labels, &t))
            continue;
        const sp_constants *c = &t.problem.certified;
        const double R = 1.0;
        links += sp_losses[i]->link != NULL;
        tilts += sp_losses[i]->tilt != NULL;
        CHECK_NEAR(c->largest, size, 0.0);
        CHECK_NEAR(c->L_data_linf, size / R * c->L_data, 1e-12 * c->L_data);
        if (isfinite(c->beta_data))
            CHECK_NEAR(c->beta_data_linf, (sp_losses[i]->link ? size * size : size) * c->beta_data,
                       1e-12 * c->beta_data);
        CHECK_LESS_EQUAL(c->L_linf, c->L);
        CHECK_LESS_EQUAL(c->beta_linf, c->beta);
        CHECK_NEAR(c->L_linf - c->L_data_linf, fmin(c->L - c->L_data, c->L - c->L_data_linf), 1e-12);
        sp_workspace *space = sp_workspace_new(&t.problem);
        gsl_rng *stream = sp_stream_open(sp_stream_key_of(5, "linf", i, SP_STREAM_DATA));
        double steepest = 0.0, bent = 0.0;
        for (size_t k = 0; k < 400; k++) {
            double w[2][D], g[2][D];
            for (size_t e = 0; e < 2; e++) {
                for (size_t j = 0; j < D; j++)
                    w[e][j] = e == 1 && k % 2 ? w[0][j] + gsl_ran_gaussian(stream, 0.01)
                                              : gsl_ran_gaussian(stream, 1.0);
                sp_domain_project(&ball, w[e]);
            }
            for (size_t e = 0; e < 2; e++)
                sp_record_gradient(&t.problem, space, k % N, w[e], g[e]);
            const double apart = length_l1(w[0], w[1]);
            for (size_t j = 0; j < D; j++) {
                steepest = fmax(steepest, fabs(g[0][j]));
                bent = fmax(bent, fabs(g[1][j] - g[0][j]) / apart);
            }
        }
        SP_CHECK_REPORT(steepest <= c->L_data_linf * (1.0 + 1e-12), "%s: %g above L_data_linf = %g", sp_losses[i]->name,
                        steepest, c->L_data_linf);
        SP_CHECK_REPORT(bent <= c->beta_data_linf * (1.0 + 1e-9), "%s: %g above beta_data_linf = %g",
                        sp_losses[i]->name, bent, c->beta_data_linf);
        near_slope += steepest > 0.9 * c->L_data_linf;
        gsl_rng_free(stream);
        sp_workspace_free(space);
        trial_drop(&t);
    }
    CHECK(links > 5 && tilts > 0 && near_slope > 3);
}

/* --- the clip ------------------------------------------------------------------------------------------------- */

/* clip(sum_k c_k clip(grad f(w_k))) of one record from its parts; of a link loss by `size`, which is ||x||_inf here. */
static void clips(void)
{
    const sp_loss *const losses[] = { &forms_link, &forms_tilt, &forms_record, sp_loss_find("pseudo_huber") };
    const double w[2][D + 1] = { { 0.41, -0.27, 0.63, -0.11, 0.37 }, { -0.35, 0.18, 0.07, 0.52, -0.24 } };
    const double weight[2] = { 1.0, -0.6 };
    for (size_t l = 0; l < 4; l++) {
        trial_problem t;
        const size_t d = l == 2 ? D + 1 : D;
        size_t cut = 0;
        if (!make(losses[l], (sp_domain){ SP_DOMAIN_L1_BALL, d, 2.0, 2.0 }, mixed, labels, &t))
            continue;
        sp_workspace *space = sp_workspace_new(&t.problem);
        for (size_t i = 0; i < N; i++)
            for (size_t loose = 0; loose < 2; loose++) {
                const double record = loose ? 9.0 : 0.01, total = loose ? 9.0 : 0.004;
                const uint32_t row = (uint32_t)i;
                const sp_term term[2] = { { weight[0], w[0] }, { weight[1], w[1] } };
                const sp_clip clip = { record, total, SP_NORM_LINF };
                double expected[D + 1] = { 0.0 }, out[D + 1], most = 0.0;
                for (size_t k = 0; k < 2; k++) {
                    double g[D + 1], norm = 0.0;
                    sp_record_gradient(&t.problem, space, i, w[k], g);
                    for (size_t j = 0; j < d; j++)
                        norm = fmax(norm, fabs(g[j]));
                    for (size_t j = 0; j < d; j++)
                        expected[j] += weight[k] * g[j] * fmin(1.0, record / norm);
                }
                for (size_t j = 0; j < d; j++)
                    most = fmax(most, fabs(expected[j]));
                sp_data_queries(&t.problem, space, (sp_rows){ &row, 1 }, 1,
                                &(sp_data_ask){ 2, term, &clip, out }, 1.0);
                for (size_t j = 0; j < d; j++)
                    CHECK_NEAR(out[j], expected[j] * fmin(1.0, total / most), 1e-14);
                cut += most > total;
            }
        CHECK(cut > 0);
        sp_workspace_free(space);
        trial_drop(&t);
    }
}

/* --- sensitivity ---------------------------------------------------------------------------------------------- */

/* Claims |phi'| <= 1 and breaks the claim: 100 y. */
static double steep_value(double m, double y, sp_numbers p)
{
    (void)p;
    return 100.0 * m * y;
}

static double steep_slope(double m, double y, sp_numbers p)
{
    (void)m, (void)p;
    return 100.0 * y;
}

static double steep_curvature(double m, double y, sp_numbers p)
{
    (void)m, (void)y, (void)p;
    return 0.0;
}

#define link steep_link
SP_LINK(steep_value, steep_slope, steep_curvature)
#undef link

static void steep_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    (void)p, (void)region;
    *out = (sp_link_bounds){ .slope = 1.0, .curvature_high = 1.0, .gap = 1.0 };
}

static const sp_loss steep = { .name = "steep", .formula = "100 m y", .source = "-", .link = &steep_link,
                               .link_bounds = steep_bounds, .smooth = true };

static trial_run replay(const char *name, const char *settings, const trial_problem *t, sp_transcript *transcript)
{
    trial_run run = { .seed = 7, .transcript = transcript };
    const sp_algorithm *a = sp_algorithm_find(name);
    const sp_values values = trial_values(a, settings);
    trial_go(a, &values, t, trial_private(4.0, 1e-5), &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s %s: %s", name, settings, run.message);
    return run;
}

/* The worst neighbours there are reach the declared sensitivity, and never go beyond: opposite signs in one record,
 * whose gradient is a hundred times the bound. */
static void neighbours(void)
{
    sp_domain polytope = polytope_of("0.9 0.9 0.9 0.9; -0.4 -0.4 -0.4 -0.4; 0.1 -0.8 0.5 0.2", D);
    const sp_domain domains[] = { { SP_DOMAIN_L1_BALL, D, 0.83, 0.83 }, { SP_DOMAIN_SIMPLEX, D, 0.71, 0.71 },
                                  box_of(-0.3, 0.45, D), polytope };
    const double down[D] = { -1, -1, -1, -1 }, swapped[D] = { -1, 1, -1, 1 };
    const double D_l1[] = { 1.66, 1.42, 4 * 0.75, 4 * 1.3 }, D_l2[] = { 1.66, M_SQRT2 * 0.71, 2 * 0.75, 2 * 1.3 };
    static const char *const methods[] = { "noisy_fw", "poly_sfw" }, *const settings[] = { "steps=3", "rounds=1" };
    for (size_t k = 0; k < 4; k++)
        for (size_t m = 0; m < 2; m++)
            for (size_t norm = 0; norm < 3; norm++) {
                static const char *const norms[] = { "auto", "l2", "linf" };
                trial_problem here, there;
                char text[64];
                const bool signs_differ = domains[k].kind == SP_DOMAIN_SIMPLEX;
                make(&steep, domains[k], signs_differ ? mixed : up, labels, &here);
                make(&steep, domains[k], signs_differ ? swapped : down, labels, &there);
                snprintf(text, sizeof text, "%s norm=%s", settings[m], norms[norm]);
                sp_transcript *recorded = sp_transcript_new(), *replayed = sp_transcript_new();
                sp_transcript_record(recorded);
                trial_run run = replay(methods[m], text, &here, recorded);
                const sp_event *e = sp_transcript_at(recorded, 0);
                const double linf = 2.0 * size * D_l1[k] / N, l2 = 2.0 * D_l2[k] / N;
                CHECK_NEAR(e->sensitivity, norm == 0 ? fmin(linf, l2) : norm == 1 ? l2 : linf, 1e-12);
                trial_end(&run);
                sp_transcript_replay(replayed, recorded);
                run = replay(methods[m], text, &there, replayed);
                SP_CHECK_REPORT(!sp_transcript_finding(replayed), "%s on %zu: %s", text, k,
                                sp_transcript_finding(replayed));
                if (norm == 2)
                    CHECK_NEAR(sp_transcript_move(replayed), 1.0, 1e-9);
                CHECK(sp_transcript_move(replayed) > 0.1);
                trial_end(&run);
                sp_transcript_free(replayed);
                sp_transcript_free(recorded);
                trial_drop(&here);
                trial_drop(&there);
            }
    sp_domain_free(&polytope);
}

/* --- an accumulator ------------------------------------------------------------------------------------------- */

static sp_oracle *oracle(const trial_problem *t, sp_transcript *transcript)
{
    sp_oracle *o = NULL;
    sp_error error = { .text = "" };
    const sp_oracle_options options = { .problem = &t->problem, .privacy = trial_private(1.0, 1e-6),
                                        .coins = trial_key(3, SP_STREAM_COINS),
                                        .sampling = trial_key(3, SP_STREAM_SAMPLING),
                                        .noise = trial_key(3, SP_STREAM_NOISE),
                                        .selection = trial_key(3, SP_STREAM_SELECTION), .transcript = transcript };
    SP_CHECK_REPORT(sp_oracle_new(&options, &o, &error) == SP_OK, "%s", error.text);
    return o;
}

#define OK(o, call) SP_CHECK_REPORT((call) == SP_OK, "%s: %s", #call, sp_oracle_error(o)->text)
#define REFUSED(o, call, expected, part)                   \
    do {                                                   \
        CHECK_EQUAL(call, expected);                       \
        CHECK_CONTAINS(sp_oracle_error(o)->text, part);    \
    } while (0)

static void releases_are_refused(void)
{
    trial_problem t;
    if (!make(&steep, (sp_domain){ SP_DOMAIN_L1_BALL, D, 0.83, 0.83 }, up, labels, &t))
        return;
    sp_oracle *o = oracle(&t, NULL);
    sp_accumulator *a = NULL, *tree = NULL;
    const double w[D] = { 0.1, -0.2, 0.05, 0.3 };
    double out[D] = { 77.5 };
    const sp_batch all = { 0 };
    sp_query linf = SP_AT(all, w), l2 = SP_AT(all, w), l1 = SP_AT(all, w);
    linf.norm = SP_NORM_LINF, l1.norm = SP_NORM_L1;
    CHECK_NEAR(sp_sensitivity(o, &l2), 2.0 / N, 1e-15);
    CHECK_NEAR(sp_sensitivity(o, &linf), 2.0 * size / N, 1e-15);
    const double previous[D] = { 0.1, -0.25, 0.05, 0.27 }; /* 0.08 away in l1, beta_data_linf = size^2 */
    sp_query between = SP_BETWEEN(all, w, previous);
    between.norm = SP_NORM_LINF;
    CHECK_NEAR(sp_sensitivity(o, &between), 2.0 * fmin(size * size * 0.08, hypot(0.05, 0.03)) / N, 1e-15);

    REFUSED(o, sp_gradient(o, &linf, 1.0, out), SP_EPRIVACY, "l_inf");
    REFUSED(o, sp_gradient(o, &l1, 1.0, out), SP_EUNSUPPORTED, "norm = 1");
    OK(o, sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &a));
    OK(o, sp_accumulator_open(o, SP_NOISE_TREE, &(sp_accumulator_plan){ 4 }, &tree));
    REFUSED(o, sp_accumulator_add(tree, 1.0, &linf), SP_EPRIVACY, "l_inf");
    REFUSED(o, sp_accumulator_add(a, 1.0, &l1), SP_EUNSUPPORTED, "norm = 1");
    OK(o, sp_accumulator_add(a, 1.0, &l2));
    OK(o, sp_accumulator_add(a, 1.0, &linf));
    REFUSED(o, sp_accumulator_release(a, 10.0, out), SP_EPRIVACY, "only choices by inner product");
    OK(o, sp_accumulator_add(a, 1e-9, &l2)); /* some of it is still there */
    REFUSED(o, sp_accumulator_release(a, 10.0, out), SP_EPRIVACY, "only choices by inner product");
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 0);
    CHECK(out[0] == 77.5);
    OK(o, sp_accumulator_add(a, 0.0, &l2));
    OK(o, sp_accumulator_release(a, 10.0, out));
    OK(o, sp_accumulator_add(a, 1.0, &linf));
    OK(o, sp_accumulator_restart(a));
    OK(o, sp_accumulator_add(a, 1.0, &l2));
    OK(o, sp_accumulator_release(a, 10.0, out));
    sp_oracle_free(o);
    trial_drop(&t);
}

/* An l2 move is an l_inf move too: weights of both kinds add up, and count by l1 distances. */
static void mixed_weights(void)
{
    enum { COUNT = 3 };
    static const double points[COUNT * D] = { 0.4, -0.3, 0.2, 0.1, -0.6, 0.5, 0.3, -0.2, 0.1, 0.7, -0.4, 0.6 };
    trial_problem t;
    if (!make(&steep, (sp_domain){ SP_DOMAIN_L1_BALL, D, 0.83, 0.83 }, up, labels, &t))
        return;
    sp_transcript *transcript = sp_transcript_new();
    sp_transcript_record(transcript);
    sp_oracle *o = oracle(&t, transcript);
    sp_accumulator *a = NULL;
    const double w[D] = { 0.1, -0.2, 0.05, 0.3 };
    double out[D], mean[D] = { 0.0 }, r[2] = { 0.0 };
    const sp_batch all = { 0 };
    sp_query linf = SP_AT(all, w), l2 = SP_AT(all, w);
    linf.norm = SP_NORM_LINF;
    OK(o, sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &a));
    OK(o, sp_accumulator_add(a, 1.0, &l2));
    OK(o, sp_accumulator_add(a, 0.7, &linf));
    const double weight = 2.0 * (0.7 + size) / N;
    const sp_score score = { .kind = SP_SCORE_INNER_PRODUCT, .accumulator = a };
    OK(o, sp_choose(o, all, &(sp_space){ .kind = SP_SPACE_VERTICES }, &score, SP_CHOOSE_EXPONENTIAL, 0.1, out, NULL));
    CHECK_NEAR(sp_transcript_at(transcript, 0)->sensitivity, weight * 1.66, 1e-12);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < D; j++)
            mean[j] += points[i * D + j] / COUNT;
    for (size_t i = 0; i < COUNT; i++) { /* the two furthest from their mean, in l1 */
        const double far = length_l1(points + i * D, mean);
        if (far > r[0]) {
            r[1] = r[0];
            r[0] = far;
        } else {
            r[1] = fmax(r[1], far);
        }
    }
    OK(o, sp_choose(o, all, &(sp_space){ .kind = SP_SPACE_LIST, .count = COUNT, .points = points }, &score,
                    SP_CHOOSE_EXPONENTIAL, 0.1, out, NULL));
    CHECK_NEAR(sp_transcript_at(transcript, 1)->sensitivity, weight * (r[0] + r[1]), 1e-12);
    OK(o, sp_choose(o, all, &(sp_space){ .kind = SP_SPACE_VERTICES }, &score, SP_CHOOSE_ABOVE_THRESHOLD, 0.1, out,
                    NULL));
    CHECK_NEAR(sp_transcript_at(transcript, 2)->sensitivity, 2.0 * weight * 0.83, 1e-12);
    sp_oracle_free(o);
    sp_transcript_free(transcript);
    trial_drop(&t);
}

int main(void)
{
    domains();
    records();
    constants();
    clips();
    neighbours();
    releases_are_refused();
    mixed_weights();
    return sp_check_done();
}
