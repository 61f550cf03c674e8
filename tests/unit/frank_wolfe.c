/* unit/frank_wolfe.c -- noisy_fw, poly_sfw, nsfw: parameters, ledgers and bounds at the reference point of the
 * specification (n = 1e4, d = 10, epsilon = 1, delta = 1e-8, every constant 1), iterates without noise against the
 * definition.
 *
 * Reference numbers: an independent Python computation; mu(1, 1e-8) = 0.196066560213954, rho_z(1, 1e-8) =
 * 0.0172053180394. */
#include "core/oracle/replay.h"
#include "tests/trial.h"

#include <gsl/gsl_cblas.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { D = 3, PATH = 512 };

static const double mu = 0.196066560213954, rho_z = 0.0172053180394;
static trial_problem reference, ball; /* an l1 ball of diameter 1, an l2 ball */

/* --- problems ---------------------------------------------------------------------------------------------------- */

/* f(w, x) = ||w - x||^2 / 2 */
static size_t same_dimension(sp_numbers p, size_t features)
{
    (void)p;
    return features;
}

static size_t no_scratch(sp_numbers p, size_t features)
{
    (void)p, (void)features;
    return 0;
}

static double square_value(sp_numbers p, size_t d, const double *x, double y, const double *w, double *scratch)
{
    (void)p, (void)y, (void)scratch;
    double sum = 0.0;
    for (size_t j = 0; j < d; j++)
        sum += 0.5 * (w[j] - x[j]) * (w[j] - x[j]);
    return sum;
}

static void square_gradient(sp_numbers p, size_t d, const double *x, double y, const double *w, double *scratch,
                            double *restrict out)
{
    (void)p, (void)y, (void)scratch;
    for (size_t j = 0; j < d; j++)
        out[j] = w[j] - x[j];
}

static void square_product(sp_numbers p, size_t d, const double *x, double y, const double *w, const double *v,
                           double *scratch, double *restrict out)
{
    (void)p, (void)x, (void)y, (void)w, (void)scratch;
    memcpy(out, v, d * sizeof *out);
}

static void square_bounds(sp_numbers p, const sp_region *region, sp_record_bounds *out)
{
    (void)p;
    const double reach = region->norm + region->radius;
    *out = (sp_record_bounds){ .slope = reach, .curvature_high = 1.0, .gap = 0.5 * reach * reach };
}

static const sp_record_form square_form = { same_dimension, "any number", no_scratch, square_value, square_gradient,
                                            square_product, square_bounds };
static const sp_loss square = { .name = "square", .formula = "||w - x||^2 / 2", .source = "-", .record = &square_form,
                                .convex = true, .smooth = true, .labels_unused = true };

/* n records of norm at most 1 and a loss on a domain; records[n x d]. */
static void make(const sp_loss *loss, sp_domain domain, size_t n, const double *records, trial_problem *out)
{
    sp_error error = { .text = "" };
    sp_problem *p = &out->problem;
    *out = (trial_problem){ 0 };
    CHECK(sp_dataset_new(SP_STORE_DENSE, n, domain.d, 0, true, false, &out->data, &error) == SP_OK);
    for (size_t i = 0; i < n; i++)
        memcpy(sp_dataset_X(&out->data) + i * out->data.stride, records + i * domain.d, domain.d * sizeof *records);
    CHECK(sp_dataset_seal(&out->data, 1.0, 1.0, &error) == SP_OK);
    *p = (sp_problem){ .loss = loss, .domain = domain, .train = &out->data, .start = sp_alloc_doubles(domain.d) };
    const sp_setting setting = { .loss = loss, .number = p->number, .domain = &p->domain, .n = n, .features = domain.d,
                                 .radius = 1.0, .label_bound = 1.0 };
    SP_CHECK_REPORT(sp_certify(&setting, &p->certified, &error) == SP_OK, "%s", error.text);
    p->declared = p->certified;
}

/* name = radius, or low = -high = radius of a box; a polytope's vertices */
static sp_domain domain_of(const char *name, double radius, const char *vertices, size_t d)
{
    sp_values values;
    sp_domain out;
    sp_error error = { .text = "" };
    sp_values_start(&values, sp_domain_params);
    if (vertices) {
        CHECK(sp_values_set_text(&values, "domain", "vertices", vertices, &error) == SP_OK);
    } else if (strcmp(name, "box") == 0) {
        CHECK(sp_values_set_number(&values, "domain", "low", -radius, &error) == SP_OK);
        CHECK(sp_values_set_number(&values, "domain", "high", radius, &error) == SP_OK);
    } else {
        CHECK(sp_values_set_number(&values, "domain", "radius", radius, &error) == SP_OK);
    }
    SP_CHECK_REPORT(sp_domain_make(name, &values, d, &out, &error) == SP_OK, "%s", error.text);
    return out;
}

/* --- runs -------------------------------------------------------------------------------------------------------- */

static const sp_algorithm *named(const char *name)
{
    return sp_algorithm_find(name);
}

typedef struct path {
    double w[PATH + 1][TRIAL_DIMENSION];
    size_t d;
} path;

static void record(trial_run *run, size_t step, const double *w)
{
    path *p = run->context;
    if (p && step <= PATH)
        memcpy(p->w[step], w, p->d * sizeof *w);
}

static trial_run go(const char *name, const char *settings, const trial_problem *t, sp_privacy privacy, path *p)
{
    trial_run run = { .seed = 3, .watch = record, .context = p };
    const sp_values values = trial_values(named(name), settings);
    if (p)
        p->d = t->data.d;
    trial_go(named(name), &values, t, privacy, &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s %s: %s %s", name, settings, sp_status_name(run.status), run.message);
    return run;
}

static trial_run at_reference(const char *name, const char *settings)
{
    return go(name, settings, &reference, trial_private(1.0, 1e-8), NULL);
}

static sp_provenance provenance(const trial_run *run, const char *key)
{
    size_t i = 0;
    while (i + 1 < run->resolved_count && strcmp(run->resolved[i].key, key) != 0)
        i++;
    return run->resolved[i].from;
}

/* --- noisy_fw ---------------------------------------------------------------------------------------------------- */

static void test_noisy_fw_parameters(void)
{
    sp_constants *c = &reference.problem.declared;
    const sp_constants ones = *c;
    c->beta = c->beta_linf = 9.2;
    trial_run run = at_reference("noisy_fw", "parameters=theory");
    CHECK_EQUAL(trial_resolved(&run, "steps"), 253);
    CHECK(provenance(&run, "steps") == SP_FROM_THEORY);
    CHECK_NEAR(run.risk_bound, 0.09784407110386181, 1e-10);
    CHECK_NEAR(trial_resolved(&run, "bound"), run.risk_bound, 0.0);
    CHECK_TEXT(run.warning, "");
    CHECK_EQUAL(run.ledger.count, 1);
    const sp_entry *e = &run.ledger.entry[0];
    CHECK(e->kind == SP_LEDGER_EM && e->count == 253 && e->pool == 0);
    CHECK_NEAR(e->epsilon, 0.02332470100848407, 1e-11);
    CHECK_NEAR(e->sensitivity_high, 2.0 * 1.0 * 1.0 / 1e4, 1e-18);
    CHECK_NEAR((double)e->count * e->epsilon * e->epsilon / 8.0, rho_z, 1e-10);
    CHECK(run.spent.best > 0.99 && run.spent.best <= 1.0); /* the accountant has a little better than zCDP */
    CHECK_NEAR(run.cost.gradients, 253e4, 0.0);
    trial_end(&run);

    run = at_reference("noisy_fw", "");
    CHECK_EQUAL(trial_resolved(&run, "steps"), 804); /* 803.76 */
    CHECK(provenance(&run, "steps") == SP_FROM_BALANCE);
    CHECK_NEAR(run.risk_bound, 0.06862026326616526, 1e-10);
    trial_end(&run);
    for (size_t i = 0; i < 2; i++) { /* where the bound is least */
        static const char *const settings[] = { "steps=700", "steps=920" };
        trial_run other = at_reference("noisy_fw", settings[i]);
        CHECK(provenance(&other, "steps") == SP_FROM_USER);
        CHECK(other.risk_bound > 0.06862026326616526);
        trial_end(&other);
    }
    run = at_reference("noisy_fw", "steps=3"); /* few enough to be pure */
    CHECK_NEAR(run.ledger.entry[0].epsilon, 1.0 / 3.0, 1e-15);
    CHECK(run.spent.best > 0.98 && run.spent.best <= 1.0);
    CHECK_CONTAINS(run.warning, "vacuous");
    trial_end(&run);

    /* printed: Laplace noise of scale L max ||v|| sqrt(8 T ln(1/delta)) / (n epsilon) on sensitivity 2 L D / n */
    sp_privacy paper = trial_private(1.0, 1e-8);
    paper.calibration = SP_CALIBRATE_PAPER;
    run = go("noisy_fw", "parameters=theory", &reference, paper, NULL);
    e = &run.ledger.entry[0];
    CHECK(e->kind == SP_LEDGER_RNM_LAPLACE && e->count == 253);
    CHECK_NEAR(e->epsilon, 0.020715809058873068, 1e-12);
    CHECK(run.spent.best > 1.5); /* what it really costs is told */
    CHECK(run.risk_bound == INFINITY);
    trial_end(&run);

    c->convex = false;
    run = at_reference("noisy_fw", "parameters=theory");
    CHECK(run.risk_bound == INFINITY);
    trial_end(&run);
    *c = ones;

    run = (trial_run){ .seed = 1 };
    const sp_values values = trial_values(named("noisy_fw"), "");
    trial_go(named("noisy_fw"), &values, &reference, trial_not_private(), &run);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "steps must be given");
    trial_end(&run);
}

/* On the l1 ball of radius 1, F = ||w - (.5, .25)||^2 / 2: (1, 0), (-1/3, 0), (1/3, 0). */
static void test_noisy_fw_by_hand(void)
{
    static const double records[3 * 2] = { 0.5, 0.25, 0.5, 0.25, 0.5, 0.25 };
    static const double first[] = { 1.0, -1.0 / 3.0, 1.0 / 3.0 };
    trial_problem t;
    path p;
    make(&square, domain_of("l1_ball", 1.0, NULL, 2), 3, records, &t);
    trial_run run = go("noisy_fw", "steps=3", &t, trial_noise_off(1.0, 1e-6), &p);
    for (size_t i = 0; i < 3; i++) {
        CHECK_NEAR(p.w[i + 1][0], first[i], 1e-15);
        CHECK_NEAR(p.w[i + 1][1], 0.0, 0.0);
    }
    trial_end(&run);
    trial_drop(&t);
}

/* The vertex of least <v, g>, from the definition of the domain. */
static void least_vertex(const sp_domain *domain, const double *g, double *out)
{
    const size_t d = domain->d;
    double v[TRIAL_DIMENSION], least = INFINITY;
    const size_t count = domain->kind == SP_DOMAIN_L1_BALL  ? 2 * d
                         : domain->kind == SP_DOMAIN_SIMPLEX ? d
                         : domain->kind == SP_DOMAIN_BOX     ? (size_t)1 << d
                                                             : domain->vertices;
    for (size_t k = 0; k < count; k++) {
        double score = 0.0;
        for (size_t j = 0; j < d; j++) {
            v[j] = domain->kind == SP_DOMAIN_L1_BALL   ? (k / 2 == j ? (k % 2 ? -1.0 : 1.0) * domain->radius : 0.0)
                   : domain->kind == SP_DOMAIN_SIMPLEX ? (k == j ? domain->radius : 0.0)
                   : domain->kind == SP_DOMAIN_BOX     ? (k & (size_t)1 << j ? domain->high : domain->low)
                                                       : domain->vertex[k * d + j];
            score += v[j] * g[j];
        }
        if (score < least) {
            least = score;
            memcpy(out, v, d * sizeof *out);
        }
    }
}

static void test_noisy_fw_path(void)
{
    static const double records[4 * D] = { 0.31, -0.62, 0.17, -0.23, 0.11, 0.71, 0.05, -0.43, -0.19, 0.57, 0.29, 0.38 };
    sp_domain domains[] = { domain_of("l1_ball", 0.83, NULL, D), domain_of("simplex", 0.71, NULL, D),
                            domain_of("box", 0.37, NULL, D),
                            domain_of("polytope", 0.0, "0.9 0.1 -0.2; -0.4 0.6 0.3; -0.1 -0.8 0.5; 0.2 0.3 -0.7", D) };
    for (size_t k = 0; k < 4; k++) {
        trial_problem t;
        path p;
        double w[D] = { 0.0 }, v[D];
        make(&square, domains[k], 4, records, &t);
        trial_run run = go("noisy_fw", "steps=40", &t, trial_noise_off(1.0, 1e-6), &p);
        sp_domain_project(&domains[k], w);
        if (domains[k].kind == SP_DOMAIN_SIMPLEX) /* the start is not in it */
            CHECK_NEAR(w[0], 0.71 / 3.0, 1e-12);
        for (size_t s = 0; s < 40; s++) {
            double g[D];
            for (size_t j = 0; j < D; j++)
                g[j] = w[j] - (records[j] + records[D + j] + records[2 * D + j] + records[3 * D + j]) / 4.0;
            least_vertex(&domains[k], g, v);
            for (size_t j = 0; j < D; j++) {
                w[j] += 2.0 / ((double)s + 2.0) * (v[j] - w[j]);
                CHECK_NEAR(p.w[s + 1][j], w[j], 1e-12);
            }
        }
        CHECK(memcmp(run.w, p.w[40], D * sizeof *run.w) == 0);
        trial_end(&run);
        trial_drop(&t);
        sp_domain_free(&domains[k]);
    }
}

/* A GLM with kinks is replaced by its envelope: |m - y| has the slope b (m - y), cut to [-1, 1]. */
static void test_noisy_fw_envelope(void)
{
    trial_problem t;
    path p;
    CHECK(trial_make_on(domain_of("l1_ball", 0.5, NULL, 10), "absolute", 10000, false, &t));
    t.problem.declared.gap = 1.0;
    trial_run run = go("noisy_fw", "parameters=theory", &t, trial_private(1.0, 1e-8), NULL);
    CHECK_NEAR(trial_resolved(&run, "envelope"), 9.189338339428785, 1e-9);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 253); /* 252.97 */
    CHECK_NEAR(run.risk_bound, 0.15217133179648135, 1e-9);
    CHECK_NEAR(trial_resolved(&run, "bound"), run.risk_bound, 0.0);
    CHECK(run.ledger.count == 1 && run.ledger.entry[0].count == 253 && run.ledger.entry[0].pool == 0);
    CHECK_NEAR(run.ledger.entry[0].epsilon, 0.02332470100848407, 1e-11);
    trial_end(&run);
    run = go("noisy_fw", "", &t, trial_private(1.0, 1e-8), NULL);
    CHECK_EQUAL(trial_resolved(&run, "steps"), 803);
    CHECK_NEAR(run.risk_bound, 0.12300452881793777, 1e-9);
    trial_end(&run);
    run = (trial_run){ .seed = 1 };
    const sp_values values = trial_values(named("noisy_fw"), "steps=3");
    trial_go(named("noisy_fw"), &values, &t, trial_not_private(), &run);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "envelope must be given");
    trial_end(&run);
    trial_drop(&t);

    CHECK(trial_make_on(domain_of("l1_ball", 0.9, NULL, D), "absolute", 40, false, &t));
    run = go("noisy_fw", "steps=30 envelope=1.7", &t, trial_noise_off(1.0, 1e-6), &p);
    double w[D] = { 0.0 }, v[D];
    for (size_t s = 0; s < 30; s++) {
        double g[D] = { 0.0 };
        for (size_t i = 0; i < 40; i++) {
            const double *x = t.data.X + i * t.data.stride;
            const double slope = 1.7 * (cblas_ddot(D, x, 1, w, 1) - t.data.y[i]);
            for (size_t j = 0; j < D; j++)
                g[j] += fmax(-1.0, fmin(1.0, slope)) * x[j] / 40.0;
        }
        least_vertex(&t.problem.domain, g, v);
        for (size_t j = 0; j < D; j++) {
            w[j] += 2.0 / ((double)s + 2.0) * (v[j] - w[j]);
            CHECK_NEAR(p.w[s + 1][j], w[j], 1e-12);
        }
    }
    trial_end(&run);
    trial_drop(&t);

    run = (trial_run){ .seed = 1 };
    const sp_values smooth = trial_values(named("noisy_fw"), "envelope=2");
    trial_go(named("noisy_fw"), &smooth, &reference, trial_private(1.0, 1e-8), &run);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "envelope = 2: the loss is smooth");
    trial_end(&run);
}

/* --- rounds ------------------------------------------------------------------------------------------------------ */

/* What is resolved before a run that need not succeed. */
static trial_run resolve(const char *name, const char *settings, const trial_problem *t)
{
    trial_run run = { .seed = 3 };
    const sp_values values = trial_values(named(name), settings);
    trial_go(named(name), &values, t, trial_private(1.0, 1e-8), &run);
    return run;
}

static void test_rounds(void)
{
    static const char *const methods[] = { "poly_sfw", "nsfw" };
    static const char *const rounds[] = { "rounds=3", "rounds=4", "rounds=5", "rounds=6" };
    static const double batch[] = { 2181, 1368, 935, 676 };
    static const double bound[2][4] = {
        { 1.0699198036975395, 0.9005050319597798, 0.8021241554075008, 0.8259266292073125 },
        { 1.063059268621982, 0.8912304157791753, 0.7953879750931869, 0.8335961763814551 }
    };
    const trial_problem *const at[] = { &reference, &ball };
    for (size_t m = 0; m < 2; m++) {
        for (size_t i = 0; i < 4; i++) {
            trial_run run = go(methods[m], rounds[i], at[m], trial_private(1.0, 1e-8), NULL);
            CHECK_EQUAL(trial_resolved(&run, "batch"), batch[i]);
            CHECK(provenance(&run, "rounds") == SP_FROM_USER && provenance(&run, "batch") == SP_FROM_THEORY);
            CHECK_NEAR(trial_resolved(&run, "bound"), bound[m][i], 1e-9);
            CHECK_EQUAL(run.checkpoints, ((size_t)1 << (i + 3)) - 1);
            CHECK_EQUAL(run.cost.releases, run.checkpoints);
            CHECK_EQUAL(strstr(run.warning, "vacuous") != NULL, i == 0); /* L D = 1 */
            CHECK_NEAR(run.spent.best, 1.0, 1e-6);
            trial_end(&run);
        }
        trial_run run = go(methods[m], "", at[m], trial_private(1.0, 1e-8), NULL);
        CHECK_EQUAL(trial_resolved(&run, "rounds"), 5); /* the smallest bound */
        CHECK(provenance(&run, "rounds") == SP_FROM_BALANCE);
        trial_end(&run);
        run = go(methods[m], "parameters=theory select=last", at[m], trial_private(1.0, 1e-8), NULL);
        CHECK_EQUAL(trial_resolved(&run, "rounds"), m == 0 ? 3 : 2); /* 1.08, raised to 3; 2.49 */
        CHECK(isnan(trial_resolved(&run, "bound"))); /* which speaks of a uniform iterate */
        trial_end(&run);
        run = go(methods[m], "rounds=6 batch=5000", at[m], trial_private(1.0, 1e-8), NULL);
        CHECK_EQUAL(trial_resolved(&run, "rounds"), 1);
        CHECK(provenance(&run, "rounds") == SP_FROM_CAP && provenance(&run, "batch") == SP_FROM_USER);
        CHECK_CONTAINS(run.warning, "rounds = 6 take 73724 records, n = 10000: rounds = 1");
        trial_end(&run);
        run = resolve(methods[m], "batch=10001", at[m]);
        CHECK_EQUAL(run.status, SP_EINVAL);
        CHECK_CONTAINS(run.message, "m = 10001");
        trial_end(&run);
    }
    /* the printed number of rounds at n = 1e6: 4.73, and on an lp_ball of p = 3/2 4.85 */
    reference.problem.declared.n = ball.problem.declared.n = 1000000;
    trial_run run = resolve("poly_sfw", "parameters=theory", &reference);
    CHECK_EQUAL(trial_resolved(&run, "rounds"), 5);
    CHECK_EQUAL(trial_resolved(&run, "batch"), 93615);
    trial_end(&run);
    run = resolve("nsfw", "parameters=theory", &ball);
    CHECK_EQUAL(trial_resolved(&run, "rounds"), 7); /* 6.87 */
    CHECK_EQUAL(trial_resolved(&run, "batch"), 51320);
    trial_end(&run);
    ball.problem.domain.kind = SP_DOMAIN_LP_BALL, ball.problem.domain.p = 1.5;
    run = resolve("nsfw", "parameters=theory", &ball);
    CHECK_EQUAL(trial_resolved(&run, "rounds"), 5);
    trial_end(&run);
    ball.problem.domain.kind = SP_DOMAIN_L2_BALL;
    reference.problem.declared.n = ball.problem.declared.n = 10000;
}

/* --- poly_sfw ---------------------------------------------------------------------------------------------------- */

/* What each batch pays in each choice of each round, by the definition: tau_r D s_i prod (1 - h_j). */
static void test_poly_sfw_ledger(void)
{
    trial_run run = at_reference("poly_sfw", "rounds=3 batch=8");
    const double last[] = { 0.25, 0.5, 0.5841391732748735, 0.7886751345948129 };
    const double tau[] = { 1.4840083251259746, 0.7420041625629873, 0.4704117893511356 };
    size_t e = 0, pools = 0;
    for (size_t round = 0; round < 3; round++) {
        const size_t steps = (size_t)1 << round;
        double squares[4] = { 0.0 };
        for (size_t t = 0; t < steps; t++)
            for (size_t i = 0; i <= t; i++, e++) {
                const double h = 1.0 / sqrt((double)i + 1.0), before = i > 0 ? 1.0 / sqrt((double)i) : 0.0;
                double weight = 2.0 * ((1.0 - h) * fmin(before, 2.0) + h) / ceil(8.0 / (double)(i + 1));
                if (round == 2 && i == t)
                    CHECK_NEAR(weight, last[t], 1e-12);
                for (size_t j = i + 1; j <= t; j++)
                    weight *= 1.0 - 1.0 / sqrt((double)j + 1.0);
                CHECK(e < run.ledger.count);
                if (e >= run.ledger.count)
                    return;
                const sp_entry *entry = &run.ledger.entry[e];
                CHECK(entry->kind == SP_LEDGER_EM && entry->count == 1 && entry->filter == SP_FILTER_ZCDP);
                CHECK_EQUAL(entry->pool, pools + i + 1);
                CHECK_NEAR(entry->epsilon, tau[round] * weight, 1e-9);
                squares[i] += entry->epsilon * entry->epsilon / 8.0;
            }
        pools += steps;
        for (size_t i = 0; i < steps; i++) /* the last batch is the dearest */
            CHECK(i + 1 < steps ? squares[i] < 0.999 * rho_z : fabs(squares[i] - rho_z) < 1e-10);
    }
    CHECK_EQUAL(e, run.ledger.count);
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    CHECK_NEAR(run.cost.gradients, 3 * 8.0 + 2.0 * (4 + 4 + 3 + 2), 0.0);
    trial_end(&run);
    run = go("poly_sfw", "rounds=9", &reference, trial_private(1.0, 1e-8), NULL); /* 256 different choices on a batch */
    CHECK_EQUAL(run.status, SP_OK);
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    trial_end(&run);

    /* printed: Laplace noise of scale 2 D (L + beta D) 2^r sqrt(ln(1/delta)) / (b epsilon), which leaves budget over */
    sp_privacy paper = trial_private(1.0, 1e-8);
    paper.calibration = SP_CALIBRATE_PAPER;
    run = go("poly_sfw", "rounds=3 batch=8", &reference, paper, NULL);
    CHECK(run.ledger.entry[0].kind == SP_LEDGER_RNM_LAPLACE);
    CHECK_NEAR(run.ledger.entry[0].epsilon, 0.25 * 8.0 / (4.0 * sqrt(log(1e8))), 1e-12);
    CHECK_NEAR(run.ledger.entry[run.ledger.count - 1].epsilon, last[3] * 8.0 / (16.0 * sqrt(log(1e8))), 1e-12);
    CHECK(run.spent.best < 0.9 && isnan(trial_resolved(&run, "bound")));
    trial_end(&run);
}

/* Of a recorded run: G by its printed recursion from the records of each batch, then the least vertex, or the least
 * point of a ball. */
static void check_path(const trial_problem *t, const trial_run *run, const path *p, const char *primitive, double q)
{
    const sp_domain *domain = &t->problem.domain;
    const size_t d = t->data.d;
    double w[TRIAL_DIMENSION] = { 0.0 }, previous[TRIAL_DIMENSION], G[TRIAL_DIMENSION] = { 0.0 }, v[TRIAL_DIMENSION];
    size_t event = 0;
    sp_domain_project(domain, w);
    for (size_t round = 0; event < sp_transcript_count(run->transcript); round++)
        for (size_t s = 0; s < (size_t)1 << round; s++, event++) {
            const sp_event *e = sp_transcript_at(run->transcript, event);
            const double h = 1.0 / sqrt((double)s + 1.0), m = (double)e->count;
            CHECK_TEXT(e->primitive, primitive);
            CHECK(e->rows && e->m == m);
            for (size_t j = 0; j < d; j++) {
                double mean = 0.0;
                for (size_t i = 0; i < e->count; i++)
                    mean += t->data.X[e->rows[i] * t->data.stride + j] / m;
                const double here = w[j] - mean, there = previous[j] - mean;
                G[j] = s == 0 ? here : (1.0 - h) * (G[j] + here - there) + h * here;
            }
            if (q == 0.0) {
                least_vertex(domain, G, v);
            } else {
                double norm = 0.0;
                for (size_t j = 0; j < d; j++)
                    norm += pow(fabs(G[j]), q);
                for (size_t j = 0; j < d; j++)
                    v[j] = -domain->radius * copysign(pow(fabs(G[j]), q - 1.0), G[j]) / pow(norm, (q - 1.0) / q);
            }
            memcpy(previous, w, d * sizeof *w);
            for (size_t j = 0; j < d; j++) {
                w[j] = (1.0 - h) * w[j] + h * v[j];
                CHECK_NEAR(p->w[event + 1][j], w[j], 1e-11);
            }
        }
}

static void test_paths(void)
{
    enum { N = 90 };
    double records[N * D];
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(11, "frank_wolfe", 0, SP_STREAM_DATA));
    for (size_t i = 0; i < N; i++) {
        gsl_ran_dir_nd(stream, D, records + i * D);
        records[i * D] = fabs(records[i * D]); /* so that the mean is not 0 */
    }
    gsl_rng_free(stream);
    const struct {
        const char *method, *primitive;
        sp_domain domain;
        double q; /* 0: by vertices */
    } cases[] = {
        { "poly_sfw", "choose", domain_of("l1_ball", 0.83, NULL, D), 0.0 },
        { "poly_sfw", "choose", domain_of("simplex", 0.71, NULL, D), 0.0 },
        { "poly_sfw", "choose", domain_of("polytope", 0, "0.9 0.1 -0.2; -0.4 0.6 0.3; -0.1 -0.8 0.5; 0 0 -1", D), 0.0 },
        { "nsfw", "gradient", domain_of("l2_ball", 0.77, NULL, D), 2.0 },
        { "nsfw", "gradient", domain_of("simplex", 0.71, NULL, D), 0.0 },
        { "nsfw", "gradient", domain_of("box", 0.37, NULL, D), 0.0 },
        { "nsfw", "gradient", (sp_domain){ SP_DOMAIN_LP_BALL, D, 0.77, 0.77, 1.5 }, 3.0 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        trial_problem t;
        path p = { .d = D };
        trial_run run = { .seed = 5 + k, .watch = record, .context = &p, .transcript = sp_transcript_new() };
        const sp_values values = trial_values(named(cases[k].method), "rounds=4 select=last");
        make(&square, cases[k].domain, N, records, &t);
        sp_transcript_record(run.transcript);
        trial_go(named(cases[k].method), &values, &t, trial_noise_off(1.0, 1e-6), &run);
        SP_CHECK_REPORT(run.status == SP_OK, "case %zu: %s", k, run.message);
        CHECK_EQUAL(sp_transcript_count(run.transcript), 15);
        check_path(&t, &run, &p, cases[k].primitive, cases[k].q);
        CHECK(memcmp(run.w, p.w[15], D * sizeof *run.w) == 0);
        sp_transcript_free(run.transcript);
        trial_end(&run);
        trial_drop(&t);
    }
    sp_domain polytope = cases[2].domain;
    sp_domain_free(&polytope);
}

/* The rule that is drawn before the first release. */
static void test_outputs(void)
{
    static const char *const methods[] = { "poly_sfw", "nsfw" };
    for (size_t m = 0; m < 2; m++) {
        path p;
        double mean[10] = { 0.0 };
        size_t found = 0;
        trial_run run = go(methods[m], "rounds=4", &reference, trial_private(1.0, 1e-8), &p);
        for (size_t t = 1; t < 15; t++) /* the start, or a point before its update */
            found += memcmp(run.w, p.w[t], 10 * sizeof *run.w) == 0;
        for (size_t j = 0; j < 10; j++)
            p.w[0][j] = 0.0;
        CHECK(found > 0 || memcmp(run.w, p.w[0], 10 * sizeof *run.w) == 0);
        trial_end(&run);
        run = go(methods[m], "rounds=4 select=average", &reference, trial_private(1.0, 1e-8), &p);
        for (size_t j = 0; j < 10; j++) {
            p.w[0][j] = 0.0;
            for (size_t t = 0; t < 15; t++)
                mean[j] += p.w[t][j] / 15.0;
            CHECK_NEAR(run.w[j], mean[j], 1e-14);
        }
        trial_end(&run);
    }
}

/* --- nsfw -------------------------------------------------------------------------------------------------------- */

static double length(const double *v, const double *w)
{
    double sum = 0.0;
    for (size_t j = 0; j < 10; j++)
        sum += (v[j] - w[j]) * (v[j] - w[j]);
    return sqrt(sum);
}

static void test_nsfw_noise(void)
{
    for (size_t calibration = 0; calibration < 2; calibration++) {
        path p = { .d = 10 };
        trial_run run = { .seed = 5, .watch = record, .context = &p, .transcript = sp_transcript_new() };
        const sp_values values = trial_values(named("nsfw"), "rounds=4");
        sp_privacy privacy = trial_private(1.0, 1e-8);
        privacy.calibration = calibration ? SP_CALIBRATE_PAPER : SP_CALIBRATE_TIGHT;
        sp_transcript_record(run.transcript);
        trial_go(named("nsfw"), &values, &ball, privacy, &run);
        CHECK_EQUAL(run.status, SP_OK);
        memset(p.w[0], 0, sizeof p.w[0]);
        size_t event = 0;
        for (size_t round = 0; round < 4; round++)
            for (size_t t = 0; t < (size_t)1 << round; t++, event++) {
                const sp_event *e = sp_transcript_at(run.transcript, event);
                const double h = 1.0 / sqrt((double)t + 1.0), m = ceil(1368.0 / (double)(t + 1));
                const double way = t == 0 ? 0.0 : length(p.w[event], p.w[event - 1]);
                const double move = t == 0 ? 1.0 : (1.0 - h) * fmin(way, 2.0) + h;
                CHECK_NEAR(e->m, m, 0.0);
                CHECK_NEAR(e->sensitivity, 2.0 * move / m, 1e-15);
                const double two = hypot(4.0 * h, 4.0 * (1.0 - h) * h) * sqrt(log(1e8)) / m;
                CHECK_NEAR(e->noise_std, calibration ? two : e->sensitivity / mu, 1e-5 * e->noise_std);
            }
        CHECK_EQUAL(event, sp_transcript_count(run.transcript));
        size_t releases = 0;
        for (size_t i = 0; i < run.ledger.count; i++) {
            CHECK(run.ledger.entry[i].kind == SP_LEDGER_GAUSS && run.ledger.entry[i].pool > 0);
            releases += run.ledger.entry[i].count;
        }
        CHECK_EQUAL(releases, 15);
        CHECK(calibration ? run.spent.best < 1.0 : fabs(run.spent.best - 1.0) < 1e-6);
        sp_transcript_free(run.transcript);
        trial_end(&run);
    }
}

/* --- one pass ---------------------------------------------------------------------------------------------------- */

/* Records that are generated again each time they are read, and counted. */
enum { COUNTED = 400 };
static size_t reads[COUNTED];

static void make_counted(const void *context, size_t i, size_t d, double *restrict x)
{
    (void)context;
    reads[i]++;
    for (size_t j = 0; j < d; j++)
        x[j] = ((i + 3 * j) % 5 < 3 ? 1.0 : -1.0) / sqrt((double)d);
}

/* The methods of one pass read no record twice, whatever their parameters; a full batch is seen by the same counter. */
static void test_reads(void)
{
    static const struct {
        const char *method, *settings;
        size_t most;
    } cases[] = { { "poly_sfw", "", 1 },          { "poly_sfw", "rounds=5", 1 }, { "poly_sfw", "rounds=3 batch=50", 1 },
                  { "poly_sfw", "norm=l2", 1 },   { "nsfw", "", 1 },             { "nsfw", "rounds=5", 1 },
                  { "nsfw", "parameters=theory", 1 }, { "tree_spider", "", 1 },  { "noisy_fw", "steps=4", 4 } };
    trial_problem t = { 0 };
    sp_error error = { .text = "" };
    sp_problem *p = &t.problem;
    CHECK(sp_dataset_new(SP_STORE_INDEXED, COUNTED, D, 0, true, false, &t.data, &error) == SP_OK);
    t.data.row_maker = make_counted;
    for (size_t i = 0; i < COUNTED; i++)
        sp_dataset_y(&t.data)[i] = i % 3 ? 1.0 : -1.0;
    CHECK(sp_dataset_seal(&t.data, 1.0, 1.0, &error) == SP_OK);
    *p = (sp_problem){ .loss = sp_loss_find("logistic"), .domain = domain_of("l1_ball", 0.9, NULL, D),
                       .train = &t.data, .start = sp_alloc_doubles(D) };
    const sp_setting setting = { .loss = p->loss, .number = p->number, .domain = &p->domain, .n = COUNTED,
                                 .features = D, .radius = 1.0, .label_bound = 1.0 };
    SP_CHECK_REPORT(sp_certify(&setting, &p->certified, &error) == SP_OK, "%s", error.text);
    p->declared = p->certified;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        size_t most = 0, sum = 0;
        memset(reads, 0, sizeof reads);
        trial_run run = go(cases[k].method, cases[k].settings, &t, trial_private(1.0, 1e-6), NULL);
        for (size_t i = 0; i < COUNTED; i++) {
            most = reads[i] > most ? reads[i] : most;
            sum += reads[i];
        }
        SP_CHECK_REPORT(most == cases[k].most, "%s %s: a record was read %zu times", cases[k].method,
                        cases[k].settings, most);
        CHECK(sum > COUNTED / 2);
        trial_end(&run);
    }
    trial_drop(&t);
}

/* --- many dimensions --------------------------------------------------------------------------------------------- */

enum { MANY_N = 10000, MANY_D = 100000, ENTRIES = 20 };

/* Sparse signs over sqrt(ENTRIES): |x_j| is bounded by that. */
static bool make_many(sp_domain domain, trial_problem *t)
{
    sp_error error = { .text = "" };
    sp_problem *p = &t->problem;
    *t = (trial_problem){ 0 };
    bool ok = sp_dataset_new(SP_STORE_SPARSE, MANY_N, MANY_D, MANY_N * ENTRIES, true, false, &t->data, &error) == SP_OK;
    for (size_t i = 0; ok && i < MANY_N; i++) {
        for (size_t e = 0; e < ENTRIES; e++) {
            const size_t apart = MANY_D / ENTRIES;
            sp_dataset_column(&t->data)[i * ENTRIES + e] = (uint32_t)(e * apart + i * 7919 % apart);
            sp_dataset_entry(&t->data)[i * ENTRIES + e] = ((i + e) % 3 ? 1.0 : -1.0) / sqrt(ENTRIES);
        }
        sp_dataset_start(&t->data)[i + 1] = (i + 1) * ENTRIES;
        sp_dataset_y(&t->data)[i] = i % 2 ? 1.0 : -1.0;
    }
    t->data.largest = 1.0 / sqrt(ENTRIES);
    ok = ok && sp_dataset_seal(&t->data, 1.0, 1.0, &error) == SP_OK;
    *p = (sp_problem){ .loss = sp_loss_find("logistic"), .domain = domain, .train = &t->data,
                       .start = sp_alloc_doubles(MANY_D) };
    const sp_setting setting = { .loss = p->loss, .number = p->number, .domain = &p->domain, .n = MANY_N,
                                 .features = MANY_D, .radius = 1.0, .largest = t->data.largest, .label_bound = 1.0 };
    ok = ok && p->start && sp_certify(&setting, &p->certified, &error) == SP_OK;
    p->declared = p->certified;
    fprintf(stderr, "%s", error.text);
    return ok;
}

/* In a process of its own: 0 when the run succeeds. */
static int run_many(const char *method, const char *settings, sp_domain domain)
{
    trial_problem t;
    sp_oracle *o = NULL;
    sp_error error = { .text = "" };
    if (!make_many(domain, &t))
        return 2;
    const sp_oracle_options options = { .problem = &t.problem, .privacy = trial_private(1.0, 1e-6),
                                        .coins = trial_key(3, SP_STREAM_COINS),
                                        .sampling = trial_key(3, SP_STREAM_SAMPLING),
                                        .noise = trial_key(3, SP_STREAM_NOISE),
                                        .selection = trial_key(3, SP_STREAM_SELECTION) };
    const sp_values values = trial_values(named(method), settings);
    double *w = sp_alloc_doubles(MANY_D);
    if (!w || sp_oracle_new(&options, &o, &error) != SP_OK || named(method)->run(o, &values, w) != SP_OK) {
        fprintf(stderr, "%s: %s %s\n", method, error.text, o ? sp_oracle_error(o)->text : "");
        return 3;
    }
    free(w);
    sp_oracle_free(o);
    trial_drop(&t);
    return 0;
}

/* d = 1e5 at n = 1e4: nothing is d x d, nor vertices x d, which alone would take 80 GB. */
static void test_memory(void)
{
    static const struct {
        const char *method, *settings;
        sp_domain_kind domain;
    } cases[] = { { "noisy_fw", "steps=3", SP_DOMAIN_L1_BALL },
                  { "poly_sfw", "rounds=3", SP_DOMAIN_L1_BALL },
                  { "nsfw", "rounds=3", SP_DOMAIN_L2_BALL } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0)
            _exit(run_many(cases[k].method, cases[k].settings, (sp_domain){ cases[k].domain, MANY_D, 1.0, 1.0 }));
        int status = -1;
        struct rusage used = { 0 };
        CHECK(child > 0 && wait4(child, &status, 0, &used) == child);
        SP_CHECK_REPORT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: status %d", cases[k].method, status);
        SP_CHECK_REPORT(used.ru_maxrss > 1024 && used.ru_maxrss < 512 * 1024, "%s: %ld kB of memory", cases[k].method,
                        used.ru_maxrss); /* a quarter of the 2 GiB that are promised */
    }
}

/* --- what does not fit ------------------------------------------------------------------------------------------- */

static void test_misfits(void)
{
    const sp_algorithm *noisy = named("noisy_fw"), *poly = named("poly_sfw"), *gauss = named("nsfw");
    static const double records[2 * 21] = { 0.5 };
    trial_problem t;
    CHECK(noisy->fits(&reference.problem.declared) == NULL);
    sp_domain box = domain_of("box", 1.0, NULL, 21), one = domain_of("polytope", 0.0, "0.1 0.2", 2);
    const sp_domain without[] = { { SP_DOMAIN_SPACE, 2, INFINITY, INFINITY }, domain_of("l2_ball", 1.0, NULL, 2), box,
                                  one };
    for (size_t i = 0; i < 4; i++) {
        make(&square, without[i], 2, records, &t);
        if (i > 0)
            CHECK_CONTAINS(noisy->fits(&t.problem.declared), "no vertices to list");
        CHECK(noisy->fits(&t.problem.declared) != NULL);
        CHECK_TEXT(poly->fits(&t.problem.declared), noisy->fits(&t.problem.declared));
        CHECK_EQUAL(gauss->fits(&t.problem.declared) == NULL, i == 1 || i == 2);
        if (i == 0 || i == 3)
            CHECK_CONTAINS(gauss->fits(&t.problem.declared), "not bounded, or one point");
        trial_drop(&t);
    }
    sp_domain_free(&one);
    make(sp_loss_find("absolute"), domain_of("l1_ball", 1.0, NULL, 2), 2, records, &t);
    CHECK(noisy->fits(&t.problem.declared) == NULL); /* a convex GLM has an envelope */
    CHECK_CONTAINS(poly->fits(&t.problem.declared), "not smooth");
    CHECK_CONTAINS(gauss->fits(&t.problem.declared), "not smooth");
    trial_drop(&t);
    make(sp_loss_find("absolute_sigmoid"), domain_of("l1_ball", 1.0, NULL, 2), 2, records, &t);
    CHECK_CONTAINS(noisy->fits(&t.problem.declared), "not smooth");
    trial_drop(&t);
    make(sp_loss_find("absolute"), domain_of("l2_ball", 1.0, NULL, 2), 2, records, &t);
    CHECK_CONTAINS(noisy->fits(&t.problem.declared), "no vertices to list");
    trial_drop(&t);
}

int main(void)
{
    if (trial_make_on(domain_of("l1_ball", 0.5, NULL, 10), "pseudo_huber", 10000, false, &reference) &&
        trial_make("pseudo_huber", 10000, 10, 0.5, false, &ball)) {
        sp_constants *const constants[] = { &reference.problem.declared, &ball.problem.declared };
        for (size_t i = 0; i < 2; i++) {
            sp_constants *c = constants[i];
            c->L = c->L_data = c->beta = c->beta_data = c->gap = 1.0;
            c->L_linf = c->L_data_linf = c->beta_linf = c->beta_data_linf = 1.0;
            c->convex = true;
        }
        test_noisy_fw_parameters();
        test_noisy_fw_by_hand();
        test_noisy_fw_path();
        test_noisy_fw_envelope();
        test_rounds();
        test_poly_sfw_ledger();
        test_paths();
        test_outputs();
        test_nsfw_noise();
        test_reads();
        test_memory();
        test_misfits();
    }
    trial_drop(&reference);
    trial_drop(&ball);
    return sp_check_done();
}
