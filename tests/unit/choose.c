/* choose.c -- private choices: their law against the definition, the sensitivity of the scores by brute force, charges.
 *
 * Statistical tests fix their seed; each allows the 1e-6 quantile. */
#include "core/oracle/replay.h"
#include "tests/private_problem.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>

enum { N = 40, D = 3, COUNT = 6 };

static const double candidates[COUNT * D] = { 0.9,  -0.4, 0.1, -1.1, 0.3,  0.8, 0.05, 0.02, -0.3,
                                              -0.6, -0.9, 0.2, 1.3,  0.25, 0.4, 0.0,  0.7,  -1.2 };
static const double reference[D] = { 0.1, 0.05, -0.2 };
static const sp_batch all = { 0 };

static void generate(void *context, size_t index, double *out)
{
    memcpy(out, (const double *)context + index * D, D * sizeof *out);
}

static double distance(const double *v, const double *w)
{
    double norm = 0.0;
    for (size_t j = 0; j < D; j++)
        norm = hypot(norm, v[j] - w[j]);
    return norm;
}

static sp_space list(void)
{
    return (sp_space){ .kind = SP_SPACE_LIST, .count = COUNT, .points = candidates };
}

/* F(w) by the definition, f(w, z) - f(c, z) cut to +-L r. */
static double loss_of(const private_problem *p, const double *w, double *range)
{
    sp_workspace *space = sp_workspace_new(&p->problem);
    const double limit = p->problem.declared.L_data * distance(w, reference);
    double sum = 0.0;
    for (size_t i = 0; i < p->data.n; i++) {
        const double base = sp_record_value(&p->problem, space, i, reference);
        const double gap = sp_record_value(&p->problem, space, i, w) - base;
        sum += fmax(-limit, fmin(limit, gap)) / (double)p->data.n;
    }
    for (size_t j = 0; p->problem.regulariser && j < D; j++)
        sum += p->problem.lambda * (p->problem.regulariser->value(w[j]) - p->problem.regulariser->value(reference[j]));
    *range = 2.0 * limit / (double)p->data.n;
    sp_workspace_free(space);
    return sum;
}

static double laplace_cdf(double x)
{
    return x < 0.0 ? 0.5 * exp(x) : 1.0 - 0.5 * exp(-x);
}

/* P(report-noisy-min = i) by quadrature over i's noise. */
static double noisy_min_law(const double *u, double scale, size_t i)
{
    double sum = 0.0;
    for (double x = -30.0; x < 30.0; x += 0.001) { /* midpoints; the kink at 0 is an end of a cell */
        const double z = x + 0.0005;
        double product = 0.5 * exp(-fabs(z)) * 0.001;
        for (size_t j = 0; j < COUNT; j++)
            product *= j == i ? 1.0 : 1.0 - laplace_cdf(z + (u[i] - u[j]) / scale);
        sum += product;
    }
    return sum;
}

/* P(AboveThreshold = i), i = COUNT: none, by quadrature over the threshold's noise. */
static double threshold_law(const double *u, double unit, double threshold, size_t i)
{
    double sum = 0.0;
    for (double x = -30.0; x < 30.0; x += 0.001) {
        const double z = threshold + 2.0 * unit * (x + 0.0005);
        double product = 0.5 * exp(-fabs(x + 0.0005)) * 0.001;
        for (size_t j = 0; j < i; j++)
            product *= 1.0 - laplace_cdf((z - u[j]) / (4.0 * unit));
        if (i < COUNT)
            product *= laplace_cdf((z - u[i]) / (4.0 * unit));
        sum += product;
    }
    return sum;
}

static void laws(void)
{
    enum { RUNS = 20000 };
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.07, N, D);
    const double epsilon = 1.7;
    double u[COUNT], r[COUNT], two[2] = { 0 };
    for (size_t i = 0; i < COUNT; i++) {
        u[i] = loss_of(&p, candidates + i * D, &r[i]);
        if (r[i] > two[0]) {
            two[1] = two[0];
            two[0] = r[i];
        } else {
            two[1] = fmax(two[1], r[i]);
        }
    }
    const double range = two[0] + two[1], single = two[0], threshold = (u[0] + u[3]) / 2.0;
    for (int chooser = 0; chooser < 3; chooser++) {
        sp_oracle *o = private_oracle(&p, private_paper, 61 + (uint64_t)chooser);
        double seen[COUNT + 1] = { 0 }, law[COUNT + 1] = { 0 }, total = 0.0, chi2 = 0.0, out[D];
        const sp_space lists = list(), generator = { .kind = SP_SPACE_GENERATOR, .count = COUNT,
                                                     .generate = generate, .context = (void *)candidates };
        const sp_score score = { .kind = SP_SCORE_LOSS, .reference = reference, .threshold = threshold, .radius = 2.0 };
        for (size_t i = 0; i <= COUNT; i++) {
            if (chooser == SP_CHOOSE_EXPONENTIAL && i < COUNT)
                law[i] = exp(-epsilon / range * u[i]);
            if (chooser == SP_CHOOSE_NOISY_MIN && i < COUNT)
                law[i] = noisy_min_law(u, range / epsilon, i);
            if (chooser == SP_CHOOSE_ABOVE_THRESHOLD)
                law[i] = threshold_law(u, single / epsilon, threshold, i);
            total += law[i];
        }
        if (chooser != SP_CHOOSE_EXPONENTIAL)
            CHECK_NEAR(total, 1.0, 1e-5);
        for (size_t t = 0; t < RUNS; t++) {
            size_t index = 99;
            out[0] = 77.5;
            OK(o, sp_choose(o, all, t % 2 ? &lists : &generator, &score, (sp_chooser)chooser, epsilon, out, &index));
            seen[index] += 1.0;
            if (index < COUNT)
                CHECK(memcmp(out, candidates + index * D, sizeof out) == 0);
            else
                CHECK(out[0] == 77.5);
        }
        for (size_t i = 0; i <= COUNT; i++)
            if (law[i] > 0.0)
                chi2 += gsl_pow_2(seen[i] - RUNS * law[i] / total) / (RUNS * law[i] / total);
        CHECK_LESS_EQUAL(chi2, gsl_cdf_chisq_Qinv(1e-6, chooser == SP_CHOOSE_ABOVE_THRESHOLD ? COUNT : COUNT - 1.0));
        const sp_entry entry = sp_oracle_ledger(o)->entry[0];
        CHECK_EQUAL(sp_oracle_ledger(o)->count, 1);
        CHECK_EQUAL(entry.kind, chooser == SP_CHOOSE_EXPONENTIAL ? SP_LEDGER_EM
                                : chooser == SP_CHOOSE_NOISY_MIN ? SP_LEDGER_RNM_LAPLACE
                                                                 : SP_LEDGER_SVT);
        CHECK(entry.epsilon == epsilon && entry.count == RUNS && entry.pool == 0);
        CHECK_NEAR(sp_oracle_cost(o).losses, RUNS * N * (COUNT + 1.0), 0.0);
        sp_oracle_free(o);
    }
    private_problem_free(&p);
}

/* F(out) - min F <= (ln COUNT + t) / tau with probability 1 - e^-t. */
static void utility(void)
{
    enum { RUNS = 5000 };
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_paper, 65);
    double u[COUNT], r[COUNT], best = INFINITY, range = 0.0, out[D], failures = 0.0;
    const double t = 1.5, epsilon = 3.0;
    const sp_space space = list();
    const sp_score score = { .kind = SP_SCORE_LOSS, .reference = reference };
    size_t exact = 0, index = 0;
    for (size_t i = 0; i < COUNT; i++) {
        u[i] = loss_of(&p, candidates + i * D, &r[i]);
        if (u[i] < best)
            exact = i;
        best = fmin(best, u[i]);
        range = fmax(range, 2.0 * r[i]);
    }
    for (size_t run = 0; run < RUNS; run++) {
        OK(o, sp_choose(o, all, &space, &score, SP_CHOOSE_EXPONENTIAL, epsilon, out, &index));
        failures += u[index] - best > (log(COUNT) + t) * range / epsilon;
    }
    CHECK_LESS_EQUAL(failures / RUNS, exp(-t) + 4.9 * sqrt(exp(-t) / RUNS));
    sp_oracle_free(o);
    for (int noise = 0; noise < 2; noise++) { /* without noise: the smallest */
        o = private_oracle(&p, noise ? private_silent : private_none, 65);
        for (int chooser = 0; chooser < 2; chooser++) {
            OK(o, sp_choose(o, all, &space, &score, (sp_chooser)chooser, 0.0, out, &index));
            CHECK_EQUAL(index, exact);
        }
        sp_oracle_free(o);
    }
    private_problem_free(&p);
}

/* --- sensitivity, by neighbours ----------------------------------------------------------------------------------- */

/* Records: random, but the first replaced by one of the worst kind. */
static void neighbour(private_problem *p, const sp_loss *loss, double lambda, int side)
{
    double *X = NULL, *y = NULL;
    gsl_rng *r = sp_stream_open(sp_stream_key_of(5, "neighbours", 0, SP_STREAM_DATA));
    private_problem_new(p, N, D, &X, &y);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < D; j++)
            X[i * p->data.stride + j] = 0.5 * (gsl_rng_uniform(r) - 0.5);
        y[i] = gsl_rng_uniform(r) < 0.5 ? -1.0 : 1.0;
    }
    gsl_rng_free(r);
    const double norm = distance(candidates, candidates + D);
    for (size_t j = 0; side > 0 && j < D; j++)
        X[j] = (side == 1 ? 1.0 : -1.0) * (candidates[j] - candidates[D + j]) / norm;
    y[0] = 1.0;
    private_problem_seal(p, loss, lambda);
}

/* The raw scores of one run, over the list or over the vertices of a domain, and what is declared of them. */
static double scores(const sp_loss *loss, double lambda, int side, const sp_score *score, sp_chooser chooser,
                     const sp_domain *domain, double *raw)
{
    private_problem p;
    sp_transcript *transcript = sp_transcript_new();
    sp_oracle *o = NULL;
    sp_error error;
    sp_accumulator *a = NULL;
    const sp_space space = domain ? (sp_space){ .kind = SP_SPACE_VERTICES } : list();
    sp_score used = *score;
    double out[D];
    neighbour(&p, loss, lambda, side);
    if (domain)
        p.problem.domain = *domain;
    sp_oracle_options options = private_options(&p, private_paper, 66);
    options.transcript = transcript;
    CHECK_EQUAL(sp_oracle_new(&options, &o, &error), SP_OK);
    if (score->kind == SP_SCORE_INNER_PRODUCT) {
        OK(o, sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &a));
        OK(o, sp_accumulator_add(a, 1.0, &SP_AT(all, candidates)));
        OK(o, sp_accumulator_add(a, 0.6, &SP_BETWEEN(all, candidates + D, reference)));
        used.accumulator = a;
    }
    OK(o, sp_choose(o, all, &space, &used, chooser, 0.5, out, NULL));
    const sp_event *event = sp_transcript_at(transcript, sp_transcript_count(transcript) - 1);
    CHECK_TEXT(event->primitive, "choose");
    CHECK_EQUAL(event->move, SP_MOVE_RANGE);
    memcpy(raw, event->raw, event->size * sizeof *raw);
    const double sensitivity = event->sensitivity;
    sp_oracle_free(o);
    sp_transcript_free(transcript);
    private_problem_free(&p);
    return sensitivity;
}

static void sensitivities(void)
{
    const sp_score kinds[] = { { .kind = SP_SCORE_LOSS, .reference = reference },
                               { .kind = SP_SCORE_INNER_PRODUCT },
                               { .kind = SP_SCORE_SOSP, .gradient_scale = 0.3, .curvature_scale = 5.0 },
                               { .kind = SP_SCORE_SOSP, .gradient_scale = 40.0, .curvature_scale = 0.4 } };
    const sp_loss *const losses[] = { &sp_loss_logistic, &sp_loss_pseudo_huber };
    for (size_t k = 0; k < 4; k++) {
        double closest = 0.0;
        for (size_t l = 0; l < 2; l++)
            for (int side = 0; side < 3; side++) {
                double raw[2][COUNT], low = INFINITY, high = -INFINITY, largest = 0.0;
                const double declared = scores(losses[l], 0.05, side, &kinds[k], SP_CHOOSE_EXPONENTIAL, NULL, raw[0]);
                CHECK(declared ==
                      scores(losses[l], 0.05, (side + 1) % 3, &kinds[k], SP_CHOOSE_EXPONENTIAL, NULL, raw[1]));
                const double svt = scores(losses[l], 0.05, side, &kinds[k], SP_CHOOSE_ABOVE_THRESHOLD, NULL, raw[0]);
                for (size_t i = 0; i < COUNT; i++) {
                    low = fmin(low, raw[0][i] - raw[1][i]);
                    high = fmax(high, raw[0][i] - raw[1][i]);
                    largest = fmax(largest, fabs(raw[0][i] - raw[1][i]));
                }
                CHECK_LESS_EQUAL(high - low, declared * (1.0 + 1e-12));
                CHECK_LESS_EQUAL(largest, svt / 2.0 * (1.0 + 1e-12));
                closest = fmax(closest, (high - low) / declared);
            }
        SP_CHECK_REPORT(closest > (k < 2 ? 0.2 : 0.05), "score %zu moves by %.3g of what is declared", k, closest);
    }
}

/* A declared L that is too small is enforced: the clip keeps the sensitivity. */
static void clipping(void)
{
    double raw[2][2];
    for (int side = 0; side < 2; side++) {
        private_problem p;
        double *X = NULL, *y = NULL, out[D];
        sp_transcript *transcript = sp_transcript_new();
        sp_oracle *o = NULL;
        sp_error error;
        private_problem_new(&p, 4, D, &X, &y);
        X[0] = side == 0 ? 1.0 : -1.0;
        y[0] = y[1] = y[2] = y[3] = 1.0;
        private_problem_seal(&p, &sp_loss_logistic, 0.0);
        p.problem.declared.L_data = 0.01; /* a lie */
        sp_oracle_options options = private_options(&p, private_paper, 67);
        options.transcript = transcript;
        CHECK_EQUAL(sp_oracle_new(&options, &o, &error), SP_OK);
        const double pair[2 * D] = { 2.0, 0.0, 0.0, -2.0, 0.0, 0.0 }, zero[D] = { 0 };
        const sp_space space = { .kind = SP_SPACE_LIST, .count = 2, .points = pair };
        OK(o, sp_choose(o, all, &space, &(sp_score){ .kind = SP_SCORE_LOSS, .reference = zero }, SP_CHOOSE_EXPONENTIAL,
                        1.0, out, NULL));
        memcpy(raw[side], sp_transcript_at(transcript, 0)->raw, sizeof raw[side]);
        CHECK_NEAR(sp_transcript_at(transcript, 0)->sensitivity, 2.0 * 0.01 * 4.0 / 4.0, 1e-15);
        sp_oracle_free(o);
        sp_transcript_free(transcript);
        private_problem_free(&p);
    }
    CHECK_NEAR((raw[0][0] - raw[1][0]) - (raw[0][1] - raw[1][1]), -2.0 * 0.01 * 4.0 / 4.0, 1e-15); /* attained */
}

/* SOSP level by the definition. */
static void sosp_definition(void)
{
    private_problem p;
    double raw[COUNT];
    const sp_score score = { .kind = SP_SCORE_SOSP, .gradient_scale = 0.3, .curvature_scale = 0.02 };
    const double declared = scores(&sp_loss_pseudo_huber, 0.4, 1, &score, SP_CHOOSE_EXPONENTIAL, NULL, raw);
    neighbour(&p, &sp_loss_pseudo_huber, 0.4, 1);
    const sp_constants *k = &p.problem.declared; /* both ways: one score up, another down */
    const double bend = fmin(2.0 * k->hessian_norm, k->hessian_frobenius);
    CHECK_NEAR(declared, 2.0 / N * fmax(2.0 * k->L_data / 0.3, bend / 0.02), 1e-14);
    sp_workspace *space = sp_workspace_new(&p.problem);
    bool negative = false;
    for (size_t i = 0; i < COUNT; i++) {
        double g[D], H[D * D], value = -INFINITY, norm = 0.0;
        sp_problem_gradient(&p.problem, space, candidates + i * D, g);
        sp_problem_hessian(&p.problem, space, candidates + i * D, H);
        for (size_t j = 0; j < D; j++) {
            norm = hypot(norm, g[j]);
            H[j * D + j] -= 100.0;
        }
        double v[D] = { 0.3, 0.5, 0.7 }; /* power iteration on H - 100 I: the smallest eigenvalue */
        for (size_t step = 0; step < 20000; step++) {
            double next[D] = { 0 }, length = 0.0;
            for (size_t j = 0; j < D * D; j++)
                next[j / D] += H[j] * v[j % D];
            for (size_t j = 0; j < D; j++)
                length = hypot(length, next[j]);
            for (size_t j = 0; j < D; j++)
                v[j] = next[j] / length;
            value = 100.0 - length;
        }
        negative = negative || value < 0.0;
        CHECK_NEAR(raw[i], fmax(norm / 0.3, -value / 0.02), 1e-6);
    }
    CHECK(negative);
    sp_workspace_free(space);
    private_problem_free(&p);
}

/* --- vertices ----------------------------------------------------------------------------------------------------- */

enum { VERTICES_MAX = 8 };

static sp_domain domain_of(size_t kind)
{
    static const char *const names[] = { "l1_ball", "simplex", "box", "polytope" };
    sp_domain domain;
    sp_error error = { .text = "" };
    sp_values values;
    sp_values_start(&values, sp_domain_params);
    if (kind < 2)
        CHECK_EQUAL(sp_values_set_number(&values, "domain", "radius", 1.3, &error), SP_OK);
    if (kind == 2) {
        CHECK_EQUAL(sp_values_set_number(&values, "domain", "low", -0.4, &error), SP_OK);
        CHECK_EQUAL(sp_values_set_number(&values, "domain", "high", 0.7, &error), SP_OK);
    }
    if (kind == 3)
        CHECK_EQUAL(sp_values_set_text(&values, "domain", "vertices", "0.9 -0.4 0.1; -1.1 0.3 0.8; 0.1 1.2 -0.9; 0 0 0",
                                       &error), SP_OK);
    SP_CHECK_REPORT(sp_domain_make(names[kind], &values, D, &domain, &error) == SP_OK, "%s", error.text);
    return domain;
}

/* Scores by the definition, sensitivities by neighbours, the best vertex without noise, the law with it. */
static void vertices(void)
{
    enum { RUNS = 20000 };
    static const size_t counts[] = { 6, 3, 8, 4 };
    const sp_score scored[] = { { .kind = SP_SCORE_INNER_PRODUCT },
                                { .kind = SP_SCORE_LOSS, .reference = reference },
                                { .kind = SP_SCORE_SOSP, .gradient_scale = 0.3, .curvature_scale = 5.0 } };
    for (size_t kind = 0; kind < 4; kind++) {
        sp_domain domain = domain_of(kind);
        const size_t count = sp_domain_vertices(&domain);
        double points[VERTICES_MAX * D], closest = 0.0;
        CHECK_EQUAL(count, counts[kind]);
        for (size_t k = 0; k < count; k++)
            sp_domain_vertex(&domain, k, points + k * D);
        for (size_t s = 0; s < 3; s++)
            for (int side = 0; side < 3; side++) {
                double raw[2][VERTICES_MAX], low = INFINITY, high = -INFINITY, most = 0.0;
                const double declared =
                    scores(&sp_loss_logistic, 0.05, side, &scored[s], SP_CHOOSE_EXPONENTIAL, &domain, raw[0]);
                scores(&sp_loss_logistic, 0.05, (side + 1) % 3, &scored[s], SP_CHOOSE_EXPONENTIAL, &domain, raw[1]);
                const double svt =
                    scores(&sp_loss_logistic, 0.05, side, &scored[s], SP_CHOOSE_ABOVE_THRESHOLD, &domain, raw[0]);
                for (size_t i = 0; i < count; i++) {
                    low = fmin(low, raw[0][i] - raw[1][i]);
                    high = fmax(high, raw[0][i] - raw[1][i]);
                    most = fmax(most, fabs(raw[0][i] - raw[1][i]));
                }
                CHECK_LESS_EQUAL(high - low, declared * (1.0 + 1e-12));
                CHECK_LESS_EQUAL(most, svt / 2.0 * (1.0 + 1e-12));
                closest = fmax(closest, s == 0 ? (high - low) / declared : 0.0);
            }
        SP_CHECK_REPORT(closest > 0.2, "%s: moves by %.3g of what is declared", sp_domain_names[domain.kind], closest);

        private_problem p;
        private_problem_random(&p, &sp_loss_logistic, 0.07, N, D);
        p.problem.domain = domain;
        sp_workspace *workspace = sp_workspace_new(&p.problem);
        double g[D], best[D], out[D], law[VERTICES_MAX], seen[VERTICES_MAX] = { 0 }, total = 0.0, chi2 = 0.0;
        double largest = 0.0;
        sp_problem_gradient(&p.problem, workspace, reference, g);
        sp_workspace_free(workspace);
        CHECK_EQUAL(sp_domain_linear_minimise(&domain, g, best), SP_OK);
        sp_accumulator *a = NULL;
        const sp_space space = { .kind = SP_SPACE_VERTICES };
        size_t index = 99;
        sp_oracle *o = private_oracle(&p, private_none, 71);
        OK(o, sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &a));
        OK(o, sp_accumulator_add(a, 1.0, &SP_AT(all, reference)));
        OK(o, sp_choose(o, all, &space, &(sp_score){ .kind = SP_SCORE_INNER_PRODUCT, .accumulator = a },
                        SP_CHOOSE_EXPONENTIAL, 0.0, out, &index));
        CHECK(memcmp(out, best, sizeof out) == 0 && memcmp(points + index * D, best, sizeof out) == 0);
        sp_oracle_free(o);

        o = private_oracle(&p, private_paper, 72);
        OK(o, sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &a));
        OK(o, sp_accumulator_add(a, 1.0, &SP_AT(all, reference)));
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < i; k++)
                largest = fmax(largest, distance(points + i * D, points + k * D));
        const double range = largest * 2.0 * p.problem.declared.L_data / N, epsilon = 2.5;
        for (size_t i = 0; i < count; i++) {
            double score = 0.0;
            for (size_t j = 0; j < D; j++)
                score += points[i * D + j] * g[j];
            total += law[i] = exp(-epsilon / range * score);
        }
        for (size_t t = 0; t < RUNS; t++) {
            OK(o, sp_choose(o, all, &space, &(sp_score){ .kind = SP_SCORE_INNER_PRODUCT, .accumulator = a },
                            SP_CHOOSE_EXPONENTIAL, epsilon, out, &index));
            seen[index] += 1.0;
            CHECK(memcmp(out, points + index * D, sizeof out) == 0);
        }
        for (size_t i = 0; i < count; i++) {
            const double expected = RUNS * law[i] / total;
            chi2 += gsl_pow_2(seen[i] - expected) / expected;
        }
        CHECK_LESS_EQUAL(chi2, gsl_cdf_chisq_Qinv(1e-6, (double)count - 1.0));
        sp_oracle_free(o);
        private_problem_free(&p);
        sp_domain_free(&domain);
    }
}

/* --- charges and refusals ----------------------------------------------------------------------------------------- */

static void charges(void)
{
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    sp_oracle *o = private_oracle(&p, private_tight, 68);
    const sp_space space = list();
    const sp_score score = { .kind = SP_SCORE_LOSS, .reference = reference };
    double out[D];
    sp_batch batch;
    sp_bounds bounds;
    /* announced beside Gaussians: both fit together */
    const sp_release_plan plan[] = {
        { .kind = SP_GRADIENT, .sample = sp_full(), .count = 9 },
        { .kind = SP_SELECTION, .sample = sp_full(), .count = 2, .chooser = SP_CHOOSE_EXPONENTIAL, .epsilon = 0.3 },
    };
    double multiplier[2];
    OK(o, sp_calibrate(o, plan, 2, multiplier));
    CHECK(multiplier[1] == 0.0);
    for (size_t t = 0; t < 9; t++) {
        OK(o, sp_gradient(o, &SP_AT(all, reference), multiplier[0], out));
        if (t % 5 == 0)
            OK(o, sp_choose(o, all, &space, &score, SP_CHOOSE_EXPONENTIAL, t == 0 ? 0.25 : 0.3, out, NULL));
    }
    CHECK_EQUAL(sp_oracle_spent(o, &bounds, NULL), SP_OK);
    CHECK_LESS_EQUAL(0.9, bounds.best); /* one choice was more private than announced */
    REFUSED(o, sp_choose(o, all, &space, &score, SP_CHOOSE_EXPONENTIAL, 0.3, out, NULL), SP_EBUDGET, "em:epsilon=0.3");
    sp_oracle_free(o);

    /* fresh batches choose in parallel; a subset's choice is everybody's, and spends the subset */
    o = private_oracle(&p, private_tight, 69);
    OK(o, sp_filter_by(o, SP_FILTER_BASIC));
    for (size_t t = 0; t < 4; t++) {
        OK(o, sp_draw(o, sp_fresh(5), &batch));
        OK(o, sp_choose(o, batch, &space, &score, SP_CHOOSE_NOISY_MIN, 0.9, out, NULL));
        CHECK_EQUAL(sp_oracle_ledger(o)->entry[t].pool, t + 1);
    }
    CHECK_EQUAL(sp_oracle_spent(o, &bounds, NULL), SP_OK);
    CHECK_LESS_EQUAL(bounds.best, 0.9);
    CHECK_LESS_EQUAL(0.899, bounds.best);
    REFUSED(o, sp_choose(o, batch, &space, &score, SP_CHOOSE_NOISY_MIN, 0.2, out, NULL), SP_EBUDGET, "pool=4");
    OK(o, sp_draw(o, sp_subset(5), &batch));
    OK(o, sp_choose(o, batch, &space, &score, SP_CHOOSE_EXPONENTIAL, 0.05, out, NULL));
    CHECK_EQUAL(sp_oracle_ledger(o)->entry[4].pool, 0);
    CHECK(sp_oracle_ledger(o)->entry[4].epsilon == 0.05);
    REFUSED(o, sp_choose(o, batch, &space, &score, SP_CHOOSE_EXPONENTIAL, 0.01, out, NULL), SP_EPRIVACY, "draw anew");
    sp_oracle_free(o);

    /* an accumulator over fresh batches: each pool pays by its weight */
    o = private_oracle(&p, private_tight, 70);
    OK(o, sp_filter_by(o, SP_FILTER_BASIC));
    sp_accumulator *a = NULL;
    OK(o, sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &a));
    double weight[3];
    for (size_t t = 0; t < 3; t++) {
        OK(o, sp_draw(o, sp_fresh(5 + t), &batch));
        OK(o, sp_accumulator_add(a, 0.8, &SP_AT(batch, reference)));
        weight[t] = sp_sensitivity(o, &SP_AT(batch, reference)) * pow(0.8, 2.0 - (double)t);
    }
    OK(o, sp_choose(o, all, &space, &(sp_score){ .kind = SP_SCORE_INNER_PRODUCT, .accumulator = a },
                    SP_CHOOSE_EXPONENTIAL, 0.7, out, NULL));
    const double worst = fmax(weight[0], fmax(weight[1], weight[2]));
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 3);
    for (size_t t = 0; t < 3; t++) {
        CHECK_EQUAL(sp_oracle_ledger(o)->entry[t].pool, t + 1);
        CHECK_NEAR(sp_oracle_ledger(o)->entry[t].epsilon, 0.7 * weight[t] / worst, 1e-14);
    }
    /* with a full batch in it, all pay */
    OK(o, sp_accumulator_add(a, 0.8, &SP_AT(all, reference)));
    OK(o, sp_choose(o, all, &space, &(sp_score){ .kind = SP_SCORE_INNER_PRODUCT, .accumulator = a },
                    SP_CHOOSE_EXPONENTIAL, 0.1, out, NULL));
    CHECK(sp_oracle_ledger(o)->count == 4 && sp_oracle_ledger(o)->entry[3].pool == 0);
    CHECK(sp_oracle_ledger(o)->entry[3].epsilon == 0.1);

    sp_oracle_free(o);

    /* a pass between two adds of one fresh batch: its records weigh the sum */
    o = private_oracle(&p, private_tight, 71);
    const double ends[2 * D] = { 1.0, 0.0, 0.0, -1.0, 0.0, 0.0 };
    sp_batch block;
    OK(o, sp_draw(o, sp_fresh(5), &batch));
    OK(o, sp_draw(o, sp_pass(N / 2, false), &block));
    OK(o, sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &a));
    OK(o, sp_accumulator_add(a, 1.0, &SP_AT(batch, reference)));
    OK(o, sp_accumulator_add(a, 1.0, &SP_AT(block, reference)));
    OK(o, sp_accumulator_add(a, 1.0, &SP_AT(batch, reference)));
    OK(o, sp_choose(o, all, &(sp_space){ .kind = SP_SPACE_LIST, .count = 2, .points = ends },
                    &(sp_score){ .kind = SP_SCORE_INNER_PRODUCT, .accumulator = a }, SP_CHOOSE_EXPONENTIAL, 0.1, out,
                    NULL));
    CHECK_NEAR(sp_oracle_ledger(o)->entry[0].sensitivity_high,
               2.0 * (2.0 * sp_sensitivity(o, &SP_AT(batch, reference)) + sp_sensitivity(o, &SP_AT(block, reference))),
               1e-12);
    sp_oracle_free(o);

    o = private_oracle(&p, private_tight, 72);
    out[0] = 3.25;
    const double bad[] = { 0.0, -1.0, NAN, INFINITY };
    for (size_t i = 0; i < 4; i++)
        REFUSED(o, sp_choose(o, all, &space, &score, SP_CHOOSE_EXPONENTIAL, bad[i], out, NULL), SP_EPRIVACY, "epsilon");
    REFUSED(o, sp_choose(o, all, &(sp_space){ .kind = SP_SPACE_VERTICES }, &score, SP_CHOOSE_EXPONENTIAL, 0.1, out,
                         NULL), SP_EUNSUPPORTED, "vertices");
    REFUSED(o, sp_choose(o, all, &(sp_space){ 0 }, &score, SP_CHOOSE_EXPONENTIAL, 0.1, out, NULL), SP_EINVAL,
            "no candidates");
    REFUSED(o, sp_choose(o, all, &space, &(sp_score){ .kind = SP_SCORE_LOSS }, SP_CHOOSE_EXPONENTIAL, 0.1, out, NULL),
            SP_EINVAL, "reference");
    REFUSED(o, sp_choose(o, all, &space, &(sp_score){ .kind = SP_SCORE_LOSS, .reference = reference, .radius = 0.5 },
                         SP_CHOOSE_EXPONENTIAL, 0.1, out, NULL), SP_EINVAL, "radius = 0.5");
    REFUSED(o, sp_choose(o, all, &space, &(sp_score){ .kind = SP_SCORE_SOSP }, SP_CHOOSE_EXPONENTIAL, 0.1, out, NULL),
            SP_EINVAL, "gradient_scale");
    REFUSED(o, sp_choose(o, all, &space, &(sp_score){ .kind = SP_SCORE_INNER_PRODUCT }, SP_CHOOSE_EXPONENTIAL, 0.1, out,
                         NULL), SP_EINVAL, "accumulator");
    OK(o, sp_accumulator_open(o, SP_NOISE_TREE, &(sp_accumulator_plan){ .adds = 4 }, &a));
    REFUSED(o, sp_choose(o, all, &space, &(sp_score){ .kind = SP_SCORE_INNER_PRODUCT, .accumulator = a },
                         SP_CHOOSE_EXPONENTIAL, 0.1, out, NULL), SP_EUNSUPPORTED, "tree");
    double nan_points[COUNT * D];
    memcpy(nan_points, candidates, sizeof nan_points);
    nan_points[4] = NAN;
    REFUSED(o, sp_choose(o, all, &(sp_space){ .count = COUNT, .points = nan_points }, &score, SP_CHOOSE_EXPONENTIAL,
                         0.1, out, NULL), SP_ENUMERIC, "coordinate 1");
    CHECK(out[0] == 3.25 && sp_oracle_ledger(o)->count == 0);
    sp_oracle_free(o);
    private_problem_free(&p);
}

/* Scores so small that the noise would be 0 where they are not: the choice is still private. */
static void tiny_scores(void)
{
    enum { MANY = 20000, DRAWS = 40 };
    private_problem p;
    private_problem_random(&p, &sp_loss_logistic, 0.0, MANY, D);
    const double points[2 * D] = { 1e-321, 0.0, 0.0, -1e-321, 0.0, 0.0 }, huge[2 * D] = { 1e300, 0.0, 0.0 };
    size_t first = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        sp_oracle *o = private_oracle(&p, private_tight, 300 + i);
        sp_accumulator *a = NULL;
        size_t index;
        double out[D];
        OK(o, sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &a));
        OK(o, sp_accumulator_add(a, 1.0, &SP_AT(all, reference)));
        const sp_score score = { .kind = SP_SCORE_INNER_PRODUCT, .accumulator = a };
        const sp_space space = { .kind = SP_SPACE_LIST, .count = 2, .points = points };
        OK(o, sp_choose(o, all, &space, &score, SP_CHOOSE_EXPONENTIAL, 1e-6, out, &index));
        first += index == 0;
        REFUSED(o, sp_choose(o, all, &(sp_space){ .kind = SP_SPACE_LIST, .count = 2, .points = huge }, &score,
                             SP_CHOOSE_EXPONENTIAL, 1e-6, out, &index), SP_EPRIVACY, "is above 1e+150");
        sp_oracle_free(o);
    }
    CHECK(first > 4 && first < DRAWS - 4); /* false alarm 2e-7 */
    private_problem_free(&p);
}

/* Public offsets are added to the scores, before noise and threshold. */
static void offsets(void)
{
    private_problem p;
    const double offset[COUNT] = { 0.05, -0.4, 0.31, 0.02, -0.12, -0.27 }, bad[COUNT] = { 0.0, 0.0, NAN };
    double u[COUNT], out[D], range;
    size_t least = 0, first = COUNT, index = 0;
    private_problem_random(&p, &sp_loss_logistic, 0.05, N, D);
    sp_oracle *o = private_oracle(&p, private_none, 5);
    const sp_space space = list();
    sp_score score = { .kind = SP_SCORE_LOSS, .reference = reference, .offset = offset, .threshold = 0.1 };
    for (size_t i = 0; i < COUNT; i++) {
        u[i] = loss_of(&p, candidates + i * D, &range) + offset[i];
        least = u[i] < u[least] ? i : least;
        first = first == COUNT && u[i] <= score.threshold ? i : first;
    }
    CHECK(first < COUNT && first != least);
    OK(o, sp_choose(o, all, &space, &score, SP_CHOOSE_EXPONENTIAL, 1.0, out, &index));
    CHECK_EQUAL(index, least);
    OK(o, sp_choose(o, all, &space, &score, SP_CHOOSE_ABOVE_THRESHOLD, 1.0, out, &index));
    CHECK_EQUAL(index, first);
    CHECK(memcmp(out, candidates + first * D, sizeof out) == 0);
    score.threshold = -10.0;
    memset(out, 0, sizeof out);
    OK(o, sp_choose(o, all, &space, &score, SP_CHOOSE_ABOVE_THRESHOLD, 1.0, out, &index));
    CHECK(index == COUNT && out[0] == 0.0 && out[1] == 0.0 && out[2] == 0.0);
    score.offset = bad;
    REFUSED(o, sp_choose(o, all, &space, &score, SP_CHOOSE_EXPONENTIAL, 1.0, out, &index), SP_ENUMERIC,
            "offset 2 is nan");
    score.offset = offset;
    score.radius = 3.0;
    const sp_space grid = { .kind = SP_SPACE_GRID, .origin = reference, .spacing = 0.5, .side = 2 };
    REFUSED(o, sp_choose(o, all, &grid, &score, SP_CHOOSE_EXPONENTIAL, 1.0, out, &index), SP_EUNSUPPORTED,
            "offsets are for candidates of a list");
    CHECK_EQUAL(sp_oracle_cost(o).releases, 3);
    sp_oracle_free(o);
    private_problem_free(&p);
}

int main(void)
{
    gsl_set_error_handler_off();
    laws();
    utility();
    sensitivities();
    clipping();
    sosp_definition();
    vertices();
    charges();
    tiny_scores();
    offsets();
    return sp_check_done();
}
