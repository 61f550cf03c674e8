/* unit/frank_wolfe.c -- noisy_fw: parameters, ledgers and bounds at the reference point of the specification (n = 1e4,
 * d = 10, epsilon = 1, delta = 1e-8, every constant 1), iterates without noise against the definition.
 *
 * Reference numbers: an independent Python computation; rho_z(1, 1e-8) = 0.0172053180394. */
#include "tests/trial.h"

enum { D = 3, PATH = 512 };

static const double rho_z = 0.0172053180394;
static trial_problem reference; /* an l1 ball of diameter 1 */

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
    c->beta = 9.2, c->gap = 1.0;
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

/* --- what does not fit ------------------------------------------------------------------------------------------- */

static void test_misfits(void)
{
    const sp_algorithm *noisy = named("noisy_fw");
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
        trial_drop(&t);
    }
    sp_domain_free(&one);
    make(sp_loss_find("absolute"), domain_of("l1_ball", 1.0, NULL, 2), 2, records, &t);
    CHECK_CONTAINS(noisy->fits(&t.problem.declared), "not smooth");
    trial_drop(&t);
}

int main(void)
{
    if (trial_make_on(domain_of("l1_ball", 0.5, NULL, 10), "pseudo_huber", 10000, false, &reference)) {
        sp_constants *c = &reference.problem.declared;
        c->L = c->L_data = c->beta = c->beta_data = c->gap = 1.0;
        c->convex = true;
        test_noisy_fw_parameters();
        test_noisy_fw_by_hand();
        test_noisy_fw_path();
        test_misfits();
    }
    trial_drop(&reference);
    return sp_check_done();
}
