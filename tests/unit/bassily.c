/* unit/bassily.c -- phased_sgd and prox_md: schedules, ledgers and bounds at the reference point of the specification
 * (n = 1e4, d = 10, epsilon = 1, delta = 1e-8, every constant 1), iterates without noise, and that no record is read
 * twice.
 *
 * Reference numbers: an independent Python computation from the formulas in the files' heads; mu(1, 1e-8) by bisection
 * of the exact condition. */
#include "core/oracle/replay.h"
#include "losses/optimum/prox.h"
#include "tests/trial.h"

#include <gsl/gsl_cblas.h>
#include <sys/resource.h>

static const double mu = 0.196066560213954;

/* --- problems of our own --------------------------------------------------------------------------------------- */

static double square_value(double m, double y, sp_numbers p)
{
    (void)p;
    return 0.5 * (m - y) * (m - y);
}

static double square_slope(double m, double y, sp_numbers p)
{
    (void)p;
    return m - y;
}

static double square_curvature(double m, double y, sp_numbers p)
{
    (void)m, (void)y, (void)p;
    return 1.0;
}

SP_LINK(square_value, square_slope, square_curvature)

static void square_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    (void)p;
    *out = (sp_link_bounds){ .slope = sp_margin_bound(region) + region->label_bound, .curvature_high = 1.0,
                             .gap = 0.5 * region->label_bound * region->label_bound };
}

static const sp_loss square = { .name = "square", .formula = "(m - y)^2 / 2", .source = "-", .link = &link,
                                .link_bounds = square_bounds, .smooth = true, .convex = true };

/* n records x with labels y over this domain; values of the loss's parameters are their defaults. */
static void make(const sp_loss *loss, size_t n, const double *x, const double *y, sp_domain domain,
                 const double *start, trial_problem *out)
{
    const size_t d = domain.d;
    sp_error error = { .text = "" };
    sp_values values;
    *out = (trial_problem){ 0 };
    CHECK_EQUAL(sp_dataset_new(SP_STORE_DENSE, n, d, 0, true, false, &out->data, &error), SP_OK);
    for (size_t i = 0; i < n; i++) {
        memcpy(sp_dataset_X(&out->data) + i * out->data.stride, x + i * d, d * sizeof *x);
        sp_dataset_y(&out->data)[i] = y[i];
    }
    CHECK_EQUAL(sp_dataset_seal(&out->data, 1.0, 1.0, &error), SP_OK);
    sp_problem *p = &out->problem;
    *p = (sp_problem){ .loss = loss, .train = &out->data, .start = sp_alloc_doubles(d), .domain = domain };
    memcpy(p->start, start, d * sizeof *start);
    sp_values_start(&values, loss->params);
    for (size_t i = 0; i < values.count; i++)
        p->number[i] = values.value[i].number;
    const sp_setting setting = { .loss = loss, .number = p->number, .domain = &p->domain, .n = n, .features = d,
                                 .radius = 1.0, .label_bound = 1.0, .start_norm = cblas_dnrm2((int)d, start, 1) };
    SP_CHECK_REPORT(sp_certify(&setting, &p->certified, &error) == SP_OK, "%s", error.text);
    p->declared = p->certified;
}

typedef struct path {
    size_t d, count;
    double w[64][4];
} path;

static void keep(trial_run *run, size_t step, const double *w)
{
    path *p = run->context;
    (void)step;
    if (p->count < 64)
        memcpy(p->w[p->count], w, p->d * sizeof *w);
    p->count++;
}

/* --- what is asked of a single pass ------------------------------------------------------------------------------ */

/* One private run with its calls recorded, of which the caller asks; w[d] takes the answer. */
static sp_transcript *recorded_run(const char *name, const char *settings, const trial_problem *t, sp_privacy privacy,
                                   double *w)
{
    const sp_algorithm *a = sp_algorithm_find(name);
    const sp_values values = trial_values(a, settings);
    sp_transcript *transcript = sp_transcript_new();
    sp_oracle *o = NULL;
    const sp_oracle_options options = {
        .problem = &t->problem, .privacy = privacy, .transcript = transcript,
        .coins = trial_key(41, SP_STREAM_COINS), .sampling = trial_key(41, SP_STREAM_SAMPLING),
        .noise = trial_key(41, SP_STREAM_NOISE), .selection = trial_key(41, SP_STREAM_SELECTION),
    };
    sp_transcript_record(transcript);
    CHECK_EQUAL(sp_oracle_new(&options, &o, NULL), SP_OK);
    memcpy(w, t->problem.start, t->data.d * sizeof *w);
    const sp_status status = a->run(o, &values, w);
    SP_CHECK_REPORT(status == SP_OK, "%s: %s", name, sp_oracle_error(o)->text);
    sp_oracle_free(o);
    return transcript;
}

/* Every call is on a batch of its own, or on that of the call before; no record is in two batches. */
static void reads_no_record_twice(const sp_transcript *transcript, size_t n, size_t least)
{
    size_t *batch = sp_alloc(n, sizeof *batch), batches = 0, records = 0;
    const sp_event *before = NULL;
    for (size_t i = 0; i < sp_transcript_count(transcript); i++) {
        const sp_event *event = sp_transcript_at(transcript, i);
        CHECK(event->rows != NULL);
        const bool same = before && before->count == event->count &&
                          memcmp(before->rows, event->rows, event->count * sizeof *event->rows) == 0;
        batches += !same;
        for (size_t k = 0; k < event->count; k++) {
            CHECK(batch[event->rows[k]] == (same ? batches : 0));
            batch[event->rows[k]] = batches;
        }
        before = event;
    }
    for (size_t i = 0; i < n; i++)
        records += batch[i] > 0;
    CHECK(records >= least && records <= n);
    free(batch);
}

/* --- phased_sgd --------------------------------------------------------------------------------------------------- */

/* f = (w - 1)^2 / 2, identical records. */
static void phased_square(void)
{
    static const double ones[8] = { 1, 1, 1, 1, 1, 1, 1, 1 }, zero = 0.0;
    static const double expected[] = { 0.0, 0.226225, 0.2549997578125, 0.2596560093261719 };
    const sp_algorithm *a = sp_algorithm_find("phased_sgd");
    trial_problem t;
    path seen = { .d = 1 };
    trial_run run = { .seed = 42, .watch = keep, .context = &seen };
    make(&square, 8, ones, ones, (sp_domain){ SP_DOMAIN_L2_BALL, 1, 2.0, 2.0 }, &zero, &t);
    sp_values values = trial_values(a, "eta=0.4");
    trial_go(a, &values, &t, trial_noise_off(1.0, 1e-8), &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s", run.message);
    CHECK_EQUAL(seen.count, 4);
    for (size_t i = 0; i < 4; i++)
        CHECK_NEAR(seen.w[i][0], expected[i], 1e-15);
    CHECK_NEAR(run.w[0], expected[3], 1e-15);
    CHECK_NEAR(run.cost.gradients, 7.0, 0.0); /* 4 + 2 + 1 */
    trial_end(&run);

    values = trial_values(a, "eta=8.001"); /* beta = 1 */
    trial_go(a, &values, &t, trial_noise_off(1.0, 1e-8), &run);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "eta = 8.001: the first phase's steps, eta / 4, are above 2 / beta = 2");
    trial_end(&run);
    values = trial_values(a, "envelope=3");
    trial_go(a, &values, &t, trial_noise_off(1.0, 1e-8), &run);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "envelope = 3: the loss is smooth and needs none");
    CHECK_EQUAL(run.cost.releases, 0);
    trial_end(&run);

    t.problem.declared.beta = 1e4; /* the default is capped: (D / L) min{ .., .. } = .0654 is above 8 / beta */
    values = trial_values(a, "");
    trial_go(a, &values, &t, trial_private(1.0, 1e-8), &run);
    CHECK_NEAR(trial_resolved(&run, "eta"), 8e-4, 1e-18);
    CHECK_EQUAL(run.resolved[0].from, SP_FROM_CAP);
    trial_end(&run);
    trial_drop(&t);
}

/* n = 1e4, d = 10, |m - y| on the unit ball, so ||w0 - w*|| <= 1: k = 13 phases with all of the budget each. */
static void phased_reference(void)
{
    const sp_algorithm *a = sp_algorithm_find("phased_sgd");
    const double eta = 0.031000845163532253;
    trial_problem t;
    trial_run run = { .seed = 43 };
    if (!trial_make("absolute", 10000, 10, 1.0, false, &t))
        return;
    sp_values values = trial_values(a, "");
    trial_go(a, &values, &t, trial_private(1.0, 1e-8), &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s", run.message);
    CHECK_NEAR(trial_resolved(&run, "eta"), eta, 1e-12);
    CHECK_NEAR(trial_resolved(&run, "envelope"), 100.0, 1e-12);
    CHECK_NEAR(trial_resolved(&run, "bound"), 0.04631397989169181, 1e-8); /* 1e-7 of it for what projections forgive */
    CHECK_TEXT(run.warning, ""); /* F(w0) - F* <= L D = 1 */
    CHECK_NEAR(run.spent.best, 1.0, 1e-6);
    CHECK_NEAR(run.cost.gradients, 5000 + 2500 + 1250 + 625 + 312 + 156 + 78 + 39 + 19 + 9 + 4 + 2 + 1, 0.0);
    CHECK_EQUAL(run.ledger.count, 13);
    for (size_t i = 0; i < run.ledger.count; i++) {
        const sp_entry *entry = &run.ledger.entry[i];
        CHECK(entry->kind == SP_LEDGER_GAUSS && entry->count == 1 && entry->pool == i + 1);
        CHECK_NEAR(entry->noise_multiplier, 1.0 / mu, 1e-6);
        const double eta_i = eta * pow(0.25, (double)(i + 1)), forgiven = 1e-12 * (1.0 + eta_i);
        CHECK_NEAR(entry->sensitivity_high / (2.0 * eta_i + 2.0 * (double)(10000 >> (i + 1)) * forgiven), 1.0, 1e-11);
    }
    CHECK_LESS_EQUAL(cblas_dnrm2(10, run.w, 1), 1.0 * (1.0 + 1e-12));
    trial_end(&run);

    sp_privacy paper = trial_private(1.0, 1e-8);
    paper.calibration = SP_CALIBRATE_PAPER;
    trial_go(a, &values, &t, paper, &run);
    CHECK_EQUAL(run.status, SP_OK);
    for (size_t i = 0; i < run.ledger.count; i++) /* 4 L eta_i sqrt(ln(1/delta)) / epsilon, of 2 L eta_i */
        CHECK_NEAR(run.ledger.entry[i].noise_multiplier, 2.0 * sqrt(log(1e8)), 1e-12);
    CHECK(run.spent.best < 1.0 && run.spent.best > 0.5);
    trial_end(&run);
    trial_drop(&t);
}

/* Against a program of its own, in the order that the run has read the records: slopes of the envelope from its
 * definition, an average in two passes. */
static void phased_by_hand(void)
{
    enum { N = 37, D = 3 };
    trial_problem t;
    double w[D], v[D], mean[D], x[D];
    if (!trial_make("absolute", N, D, 0.4, false, &t))
        return;
    sp_transcript *transcript = recorded_run("phased_sgd", "eta=0.3 envelope=0.8", &t, trial_noise_off(1.0, 1e-6), w);
    reads_no_record_twice(transcript, N, 18 + 9 + 4 + 2 + 1);
    CHECK_EQUAL(sp_transcript_count(transcript), 5);
    memset(v, 0, sizeof v);
    for (size_t i = 0; i < sp_transcript_count(transcript); i++) {
        const sp_event *event = sp_transcript_at(transcript, i);
        const double eta = 0.3 / pow(4.0, (double)i + 1.0);
        CHECK_TEXT(event->primitive, "stable_pass");
        CHECK_EQUAL(event->count, N >> (i + 1));
        CHECK_NEAR(event->sensitivity, 2.0 * eta + 2.0 * (double)(N >> (i + 1)) * 1e-12 * (0.4 + eta), 1e-15);
        memset(mean, 0, sizeof mean);
        for (size_t k = 0; k < event->count; k++) {
            const size_t record = event->rows[k];
            memcpy(x, sp_dataset_X(&t.data) + record * t.data.stride, sizeof x);
            const double r = cblas_ddot(D, x, 1, v, 1) - t.data.y[record];
            cblas_daxpy(D, -eta * fmax(-1.0, fmin(1.0, 0.8 * r)), x, 1, v, 1);
            const double norm = cblas_dnrm2(D, v, 1);
            cblas_dscal(D, norm > 0.4 ? 0.4 / norm : 1.0, v, 1);
            cblas_daxpy(D, 1.0, v, 1, mean, 1);
        }
        for (size_t j = 0; j < D; j++)
            v[j] = mean[j] / (double)event->count;
    }
    for (size_t j = 0; j < D; j++)
        CHECK_NEAR(w[j], v[j], 1e-14);
    CHECK(cblas_dnrm2(D, w, 1) > 1e-3);
    sp_transcript_free(transcript);
    trial_drop(&t);

    if (trial_make("logistic", 1000, D, 1.0, false, &t)) {
        transcript = recorded_run("phased_sgd", "", &t, trial_private(1.0, 1e-6), w);
        reads_no_record_twice(transcript, 1000, 990);
        sp_transcript_free(transcript);
    }
    trial_drop(&t);
}

/* Risk on fresh records stays within the bound, and falls below what the start has: hinge, labels by a halfspace. */
static void phased_learns(void)
{
    enum { N = 8000, D = 4 };
    const sp_algorithm *a = sp_algorithm_find("phased_sgd");
    const double teacher[D] = { 0.5, -0.5, 0.5, 0.5 }, zero[D] = { 0.0 };
    double *x = sp_alloc(N, D * sizeof *x), *y = sp_alloc_doubles(N), mean = 0.0, best = NAN, bound = 0.0;
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(7, "phased", 0, SP_STREAM_DATA));
    trial_problem t, fresh;
    for (int twin = 0; twin < 2; twin++) {
        for (size_t i = 0; i < N; i++) {
            gsl_ran_dir_nd(stream, D, x + i * D);
            y[i] = copysign(1.0, cblas_ddot(D, x + i * D, 1, teacher, 1));
        }
        make(sp_loss_find("hinge"), N, x, y, (sp_domain){ SP_DOMAIN_L2_BALL, D, 2.0, 2.0 }, zero, twin ? &fresh : &t);
    }
    sp_workspace *space = sp_workspace_new(&fresh.problem);
    double at[D];
    memcpy(at, teacher, sizeof at);
    cblas_dscal(D, 2.0, at, 1);
    best = sp_problem_value(&fresh.problem, space, at); /* at least P*, nearly it by symmetry */
    for (uint64_t seed = 1; seed <= 10; seed++) {
        trial_run run = { .seed = seed };
        const sp_values values = trial_values(a, "");
        trial_go(a, &values, &t, trial_private(1.0, 1e-6), &run);
        SP_CHECK_REPORT(run.status == SP_OK, "%s", run.message);
        mean += (sp_problem_value(&fresh.problem, space, run.w) - best) / 10.0;
        bound = trial_resolved(&run, "bound");
        trial_end(&run);
    }
    CHECK_LESS_EQUAL(mean, bound);
    CHECK_LESS_EQUAL(mean, 0.5 * (1.0 - best)); /* F(0) = 1 */
    sp_workspace_free(space);
    gsl_rng_free(stream);
    free(y);
    free(x);
    trial_drop(&t);
    trial_drop(&fresh);
}

/* The same sparse records, stored sparse and dense: the same run, to rounding. */
static void fill_sparse(size_t n, size_t d, size_t entries, sp_storage storage, sp_domain domain, trial_problem *out)
{
    const sp_loss *loss = sp_loss_find("hinge");
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(9, "sparse", 0, SP_STREAM_DATA));
    *out = (trial_problem){ 0 };
    CHECK_EQUAL(sp_dataset_new(storage, n, d, storage == SP_STORE_SPARSE ? n * entries : 0, true, false, &out->data,
                               NULL), SP_OK);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0, j = 0; k < entries; k++) { /* columns ascend */
            j = k * (d / entries) + gsl_rng_uniform_int(stream, d / entries);
            const double x = (2.0 * gsl_rng_uniform(stream) - 1.0) / sqrt((double)entries);
            if (storage == SP_STORE_SPARSE) {
                sp_dataset_column(&out->data)[i * entries + k] = (uint32_t)j;
                sp_dataset_entry(&out->data)[i * entries + k] = x;
            } else {
                sp_dataset_X(&out->data)[i * out->data.stride + j] = x;
            }
        }
        if (storage == SP_STORE_SPARSE)
            sp_dataset_start(&out->data)[i + 1] = (i + 1) * entries;
        sp_dataset_y(&out->data)[i] = i % 3 ? 1.0 : -1.0;
    }
    gsl_rng_free(stream);
    CHECK_EQUAL(sp_dataset_seal(&out->data, 1.0, 1.0, NULL), SP_OK);
    sp_problem *p = &out->problem;
    *p = (sp_problem){ .loss = loss, .train = &out->data, .start = sp_alloc_doubles(d), .domain = domain };
    const sp_setting setting = { .loss = loss, .number = p->number, .domain = &p->domain, .n = n, .features = d,
                                 .radius = 1.0, .label_bound = 1.0 };
    CHECK_EQUAL(sp_certify(&setting, &p->certified, NULL), SP_OK);
    p->declared = p->certified;
}

static void phased_sparse(void)
{
    enum { N = 300, D = 24, LARGE = 100000, RECORDS = 10000 };
    trial_problem t;
    double w[2][D];
    for (int k = 0; k < 2; k++) {
        fill_sparse(N, D, 6, k ? SP_STORE_SPARSE : SP_STORE_DENSE, (sp_domain){ SP_DOMAIN_L2_BALL, D, 1.0, 1.0 }, &t);
        sp_transcript_free(recorded_run("phased_sgd", "", &t, trial_private(1.0, 1e-6), w[k]));
        trial_drop(&t);
    }
    for (size_t j = 0; j < D; j++)
        CHECK_NEAR(w[0][j], w[1][j], 1e-13);

    /* d = 1e5, n = 1e4: memory is linear in d */
    struct rusage before, after;
    double *large = sp_alloc_doubles(LARGE);
    fill_sparse(RECORDS, LARGE, 20, SP_STORE_SPARSE, (sp_domain){ SP_DOMAIN_L2_BALL, LARGE, 1.0, 1.0 }, &t);
    const sp_algorithm *a = sp_algorithm_find("phased_sgd");
    const sp_values values = trial_values(a, "");
    sp_oracle *o = NULL;
    const sp_oracle_options options = { .problem = &t.problem, .privacy = trial_private(1.0, 1e-6) };
    getrusage(RUSAGE_SELF, &before);
    CHECK_EQUAL(sp_oracle_new(&options, &o, NULL), SP_OK);
    const sp_status status = a->run(o, &values, large);
    SP_CHECK_REPORT(status == SP_OK, "%s", sp_oracle_error(o)->text);
    sp_oracle_free(o);
    getrusage(RUSAGE_SELF, &after);
    const double vectors = (double)(after.ru_maxrss - before.ru_maxrss) * 1024.0 / (LARGE * sizeof(double));
    CHECK_LESS_EQUAL(vectors, 160.0); /* of d doubles: two oracles', 32 of each for packed rows */
    CHECK_LESS_EQUAL((double)after.ru_maxrss, 2.0 * 1024.0 * 1024.0); /* kilobytes */
    CHECK_LESS_EQUAL(cblas_dnrm2(LARGE, large, 1), 1.0 + 1e-12);
    CHECK(cblas_dnrm2(LARGE, large, 1) > 0.0);
    free(large);
    trial_drop(&t);
}

static void phased_misfits(void)
{
    static const struct {
        const char *loss, *why;
        double radius;
    } cases[] = { { "welsch", "not convex", 1.0 },
                  { "absolute", "no bound on ||w0 - w*|| is known", INFINITY },
                  { "overparameterised_least_squares", "not smooth (beta)", 1.0 },
                  { "logistic", NULL, 1.0 },
                  { "hinge", NULL, 1.0 } };
    const sp_algorithm *a = sp_algorithm_find("phased_sgd");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trial_problem t;
        if (!trial_make(cases[i].loss, 6, 2, cases[i].radius, false, &t))
            continue;
        if (i == 2) /* a smooth one whose constant is not known */
            t.problem.declared.beta = INFINITY;
        const char *misfit = a->fits(&t.problem.declared);
        if (cases[i].why)
            CHECK_CONTAINS(misfit ? misfit : "fits", cases[i].why);
        else
            CHECK(!misfit);
        sp_constants c = t.problem.declared;
        c.convex = c.smooth = true;
        c.beta = c.distance = 1.0;
        CHECK(!a->fits(&c));
        c.distance = 0.0;
        CHECK_CONTAINS(a->fits(&c), "known to be 0");
        c.distance = 1.0;
        c.n = 1;
        CHECK_CONTAINS(a->fits(&c), "one record makes no phase");
        c.n = 6;
        c.L = INFINITY;
        CHECK_CONTAINS(a->fits(&c), "not bounded");
        c.smooth = c.gll = false;
        CHECK_CONTAINS(a->fits(&c), "has kinks and is no GLM");
        trial_drop(&t);
    }
    /* few records: it runs, and says once what its bound is worth */
    trial_problem t;
    trial_run run = { .seed = 44 };
    const sp_values values = trial_values(a, "");
    if (trial_make("absolute", 60, 3, 1.0, false, &t)) {
        trial_go(a, &values, &t, trial_private(1.0, 1e-8), &run);
        CHECK_TEXT(run.warning, "vacuous parameters: the bound 2.5 is not below 1, which holds at the start");
        CHECK_NEAR(trial_resolved(&run, "bound"), 2.4981696899624377, 1e-6);
        trial_end(&run);
    }
    trial_drop(&t);
}

/* --- prox_md ------------------------------------------------------------------------------------------------------ */

/* |m - y|, claimed to be 1-weakly convex with |phi'| <= 1 and phi(0) - inf phi <= 1. */
static void bent_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    (void)p, (void)region;
    *out = (sp_link_bounds){ .slope = 1.0, .curvature_high = INFINITY, .curvature_low = 1.0, .third = INFINITY,
                             .gap = 1.0 };
}

static sp_loss bent(void)
{
    sp_loss loss = *sp_loss_find("absolute");
    loss.name = "bent";
    loss.convex = false;
    loss.classes = NULL;
    loss.envelope = NULL;
    loss.link_bounds = bent_bounds;
    return loss;
}

/* f = |w|, rho_w = L = 1, from 1, one round: prox(1) = 1/2. */
static void prox_absolute(void)
{
    static const double ones[4] = { 1, 1, 1, 1 }, zeros[4] = { 0 };
    static const double expected[] = { 1.0, 0.6, 0.53333333333333333, 0.51428571428571429, 0.50714285714285714,
                                       0.50396825396825397, 0.50238095238095238 };
    const sp_algorithm *a = sp_algorithm_find("prox_md");
    const sp_loss loss = bent();
    trial_problem t;
    path seen = { .d = 1 };
    trial_run run = { .seed = 45, .watch = keep, .context = &seen };
    make(&loss, 4, ones, zeros, (sp_domain){ SP_DOMAIN_SPACE, 1, INFINITY, INFINITY }, ones, &t);
    sp_values values = trial_values(a, "rounds=1 inner_steps=6 select=last");
    trial_go(a, &values, &t, trial_noise_off(1.0, 1e-8), &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s", run.message);
    CHECK_EQUAL(seen.count, 7);
    for (size_t i = 0; i < 7; i++)
        CHECK_NEAR(seen.w[i][0], expected[i], 1e-14);
    CHECK_NEAR(run.w[0], 0.5741758241758241, 1e-14); /* of the points before their update, weights t + 3 */
    CHECK_NEAR(run.cost.gradients, 24.0, 0.0);
    trial_end(&run);

    values = trial_values(a, "rounds=9 inner_steps=2");
    run = (trial_run){ .seed = 45 };
    trial_go(a, &values, &t, trial_private(1.0, 1e-8), &run);
    CHECK_CONTAINS(run.warning, "prox_md: rounds = 9, but there are 4 records, one a round");
    CHECK_NEAR(trial_resolved(&run, "rounds"), 4.0, 0.0);
    CHECK_EQUAL(run.resolved[0].from, SP_FROM_CAP);
    CHECK_EQUAL(run.ledger.pools, 4);
    trial_end(&run);

    /* 2: (1, w_2) are as likely as each other */
    values = trial_values(a, "rounds=1 inner_steps=6");
    size_t starts = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        run = (trial_run){ .seed = seed };
        trial_go(a, &values, &t, trial_noise_off(1.0, 1e-8), &run);
        CHECK(run.w[0] == 1.0 || fabs(run.w[0] - 0.5741758241758241) < 1e-14);
        starts += run.w[0] == 1.0;
        trial_end(&run);
    }
    CHECK(starts > 60 && starts < 140); /* 5.6 standard deviations */
    trial_drop(&t);
}

/* The bound's R, T and value where every constant is 1, and the ledger: T releases a pool that spend all of it. */
static void prox_reference(void)
{
    static const struct {
        size_t n;
        double rounds, steps, bound;
        const char *settings;
    } cases[] = { { 10000, 6, 2668, 0.7331121971578698, "" },
                  { 10000, 6, 2668, 0.7331121971578698, "inner_max=100000" },
                  { 100000, 32, 5000, 0.4693386775836986, "" },
                  { 100000, 21, 21785, 0.42183901383195277, "inner_max=100000" } };
    const sp_algorithm *a = sp_algorithm_find("prox_md");
    const sp_loss loss = bent();
    for (size_t i = 0; i < 4; i++) {
        trial_problem t;
        trial_run run = { .seed = 46, .fail_at = 1 };
        if (!trial_make("absolute", cases[i].n, 10, INFINITY, false, &t))
            return;
        t.problem.loss = &loss;
        t.problem.certified.convex = t.problem.declared.convex = false;
        t.problem.certified.weak_convexity = t.problem.declared.weak_convexity = 1.0;
        const sp_values values = trial_values(a, cases[i].settings);
        trial_go(a, &values, &t, trial_private(1.0, 1e-8), &run);
        CHECK_EQUAL(run.status, SP_EINTERRUPTED);
        CHECK_NEAR(trial_resolved(&run, "rounds"), cases[i].rounds, 0.0);
        CHECK_NEAR(trial_resolved(&run, "inner_steps"), cases[i].steps, 0.0);
        CHECK_NEAR(trial_resolved(&run, "bound"), cases[i].bound, 1e-8);
        CHECK_EQUAL(run.resolved[0].from, SP_FROM_BALANCE);
        CHECK_EQUAL(run.resolved[1].from, i == 2 ? SP_FROM_CAP : SP_FROM_THEORY);
        CHECK_TEXT(run.warning, i < 2 ? "vacuous parameters: the bound 0.733 is not below 0.5, which holds at the start"
                                      : ""); /* L / B, whatever the data */
        trial_end(&run);
        if (i == 0) { /* a whole run, with fewer updates */
            const sp_values few = trial_values(a, "inner_steps=40");
            run = (trial_run){ .seed = 46 };
            trial_go(a, &few, &t, trial_private(1.0, 1e-8), &run);
            SP_CHECK_REPORT(run.status == SP_OK, "%s", run.message);
            CHECK_NEAR(run.spent.best, 1.0, 1e-6);
            const size_t rounds = (size_t)trial_resolved(&run, "rounds"), m = 10000 / rounds;
            CHECK_EQUAL(run.ledger.pools, rounds);
            double releases[64] = { 0.0 };
            for (size_t e = 0; e < run.ledger.count; e++) {
                const sp_entry *entry = &run.ledger.entry[e];
                CHECK(entry->kind == SP_LEDGER_GAUSS && entry->pool >= 1 && entry->pool <= rounds);
                CHECK_NEAR(entry->noise_multiplier, sqrt(40.0) / mu, 1e-5);
                CHECK_NEAR(entry->sensitivity_high, 2.0 / (double)m, 1e-15);
                releases[entry->pool] += (double)entry->count;
            }
            for (size_t pool = 1; pool <= rounds; pool++)
                CHECK_NEAR(releases[pool], 40.0, 0.0);
            CHECK_NEAR(run.cost.gradients, 40.0 * (double)(rounds * m), 0.0);
            trial_end(&run);
        }
        trial_drop(&t);
    }
}

/* p = 1.5 on its ball, which every update is projected onto, against a program of its own: powers by NumPy, projection
 * by a golden section search along the boundary. */
static void prox_lp_ball(void)
{
    static const double x[] = { 0.6, -0.5, -0.3, 0.8, 0.9, 0.1, 0.2, 0.7 }, y[] = { 0.7, -0.4, 0.9, 0.35 };
    static const double start[] = { -0.05, 0.12 }, expected[9][2] = {
        { -0.05, 0.12 },
        { 0.2824082937013176, 0.05874726596224457 }, { 0.2842535441050846, 0.05462159895307298 },
        { 0.28439368734045856, 0.05430138962085058 }, { 0.2844191374106646, 0.05424312972152782 },
        { 0.2844259208900816, 0.054227595366190484 }, { 0.28442819451063955, 0.054222388172953606 },
        { 0.28442908796444943, 0.0542203418529718 }, { 0.2844294818717608, 0.054219439654935454 } };
    const sp_algorithm *a = sp_algorithm_find("prox_md");
    const sp_domain ball = { .kind = SP_DOMAIN_LP_BALL, .d = 2, .radius = 0.3, .norm = 0.3, .p = 1.5 };
    trial_problem t;
    path seen = { .d = 2 };
    trial_run run = { .seed = 47, .watch = keep, .context = &seen };
    make(sp_loss_find("cauchy"), 4, x, y, ball, start, &t);
    CHECK_NEAR(t.problem.certified.weak_convexity, 0.125, 1e-15);
    sp_values values = trial_values(a, "rounds=1 inner_steps=8 select=last p=1.5");
    trial_go(a, &values, &t, trial_noise_off(1.0, 1e-8), &run);
    SP_CHECK_REPORT(run.status == SP_OK, "%s", run.message);
    CHECK_EQUAL(seen.count, 9);
    for (size_t i = 0; i < 9; i++)
        for (size_t j = 0; j < 2; j++)
            CHECK_NEAR(seen.w[i][j], expected[i][j], 2e-8);
    CHECK_NEAR(run.w[0], 0.26194178074219493, 2e-8);
    CHECK_NEAR(run.w[1], 0.05903694481759628, 2e-8);
    CHECK(isnan(trial_resolved(&run, "bound"))); /* of another distance than is measured */
    CHECK_CONTAINS(run.warning, "vacuous");
    trial_end(&run);

    values = trial_values(a, "p=1.25");
    trial_go(a, &values, &t, trial_private(1.0, 1e-8), &run);
    CHECK_EQUAL(run.status, SP_EINVAL);
    CHECK_CONTAINS(run.message, "p = 1.25: there is a Bregman projection onto R^d and onto the lp_ball of that p; the "
                                "domain is lp_ball");
    CHECK_EQUAL(run.cost.releases, 0);
    trial_end(&run);
    trial_drop(&t);
}

/* A long round without noise ends at the proximal point of the measures, of a loss with kinks too: the promise is in
 * their unit. */
static void prox_point(void)
{
    static const char *const losses[] = { "absolute_sigmoid", "welsch", "robust_phase_retrieval" };
    enum { N = 40, D = 3 };
    const sp_algorithm *a = sp_algorithm_find("prox_md");
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(8, "prox", 0, SP_STREAM_DATA));
    const double start[D] = { 0.3, -0.4, 0.2 };
    double x[N * D], y[N];
    for (size_t i = 0; i < N; i++) {
        gsl_ran_dir_nd(stream, D, x + i * D);
        y[i] = 0.8 * (2.0 * gsl_rng_uniform(stream) - 1.0);
    }
    for (size_t l = 0; l < 3; l++) {
        trial_problem t;
        make(sp_loss_find(losses[l]), N, x, y, (sp_domain){ SP_DOMAIN_L2_BALL, D, 0.6, 0.6 }, start, &t);
        sp_workspace *space = sp_workspace_new(&t.problem);
        double *scratch = sp_alloc_doubles(sp_prox_scratch(&t.problem)), prox[D], error = INFINITY, off = 0.0;
        CHECK_EQUAL(sp_prox(&t.problem, space, t.problem.certified.weak_convexity, start, 1e-6, 0.0, prox, &error,
                            scratch), SP_OK);
        CHECK_LESS_EQUAL(error, 1e-3);
        trial_run run = { .seed = 48 };
        const sp_values values = trial_values(a, "rounds=1 inner_steps=20000 select=last");
        trial_go(a, &values, &t, trial_noise_off(1.0, 1e-8), &run);
        for (size_t j = 0; j < D; j++)
            off = hypot(off, run.w[j] - prox[j]);
        const double B = 2.0 * t.problem.certified.weak_convexity;
        CHECK_LESS_EQUAL(off, 1e-2 * t.problem.certified.L / B);
        double moved = 0.0;
        for (size_t j = 0; j < D; j++)
            moved = hypot(moved, start[j] - prox[j]);
        CHECK(moved > 20.0 * off); /* not of another B */
        CHECK_LESS_EQUAL(moved, t.problem.certified.L / B); /* what holds at the start */
        trial_end(&run);
        free(scratch);
        sp_workspace_free(space);
        trial_drop(&t);
    }
    gsl_rng_free(stream);
}

static void prox_misfits(void)
{
    const sp_algorithm *a = sp_algorithm_find("prox_md");
    trial_problem t;
    double w[3];
    if (trial_make("logistic", 6, 2, 1.0, false, &t))
        CHECK_CONTAINS(a->fits(&t.problem.declared), "F is convex: use phased_sgd");
    trial_drop(&t);
    if (trial_make("robust_phase_retrieval", 6, 2, INFINITY, false, &t)) {
        CHECK_CONTAINS(a->fits(&t.problem.declared), "not bounded");
        t.problem.declared.L_data = t.problem.declared.L = 3.0;
        t.problem.declared.gap = INFINITY;
        CHECK_CONTAINS(a->fits(&t.problem.declared), "(gap)");
        t.problem.declared.weak_convexity = INFINITY;
        CHECK_CONTAINS(a->fits(&t.problem.declared), "not weakly convex");
    }
    trial_drop(&t);
    if (trial_make("welsch", 1000, 3, 1.0, false, &t)) {
        sp_transcript *transcript = recorded_run("prox_md", "rounds=7 inner_steps=5", &t, trial_private(1.0, 1e-6), w);
        CHECK_EQUAL(sp_transcript_count(transcript), 35);
        reads_no_record_twice(transcript, 1000, 7 * 142);
        sp_transcript_free(transcript);
        trial_run run = { .seed = 49 };
        const sp_values values = trial_values(a, "p=1.5");
        trial_go(a, &values, &t, trial_private(1.0, 1e-8), &run);
        CHECK_EQUAL(run.status, SP_EINVAL);
        CHECK_CONTAINS(run.message, "the domain is l2_ball");
        trial_end(&run);
    }
    trial_drop(&t);
}

int main(void)
{
    phased_square();
    phased_reference();
    phased_by_hand();
    phased_learns();
    phased_sparse();
    phased_misfits();
    prox_absolute();
    prox_reference();
    prox_lp_ball();
    prox_point();
    prox_misfits();
    return sp_check_done();
}
