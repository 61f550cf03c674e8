/* conformance/measure.c NAME -- every measure: fits or says why not, repeats to the bit, leaves the iterate alone,
 * stays in the scratch it asked for, survives failed allocations, is the same in every storage; and each against its
 * definition, record by record or by brute force. */
#include "core/data/rows.h"
#include "losses/optimum/reference.h"
#include "measures/measure.h"
#include "tests/allocation.h"
#include "tests/landscape.h"

#include <gsl/gsl_cblas.h>

enum { N = 83, D = 2, ROOM = 64 };

static gsl_rng *stream;
static double minimiser[ROOM];
static const double reference_value = 0.2385; /* any number: measures only subtract it */

static double objective(landscape *l, const double *w)
{
    const sp_problem *p = &l->problem;
    double sum = sp_public_value(p, w);
    for (size_t i = 0; i < p->train->n; i++)
        sum += sp_record_value(p, l->workspace, i, w) / (double)p->train->n;
    return sum;
}

/* The gradient from the records' own. */
static void gradient(landscape *l, const double *w, double *out)
{
    const sp_problem *p = &l->problem;
    const size_t d = sp_problem_d(p);
    double g[ROOM];
    sp_public_query(p, l->workspace, 1, &(sp_term){ 1.0, w }, out);
    for (size_t i = 0; i < p->train->n; i++) {
        sp_record_gradient(p, l->workspace, i, w, g);
        for (size_t j = 0; j < d; j++)
            out[j] += g[j] / (double)p->train->n;
    }
}

static double grad_norm(landscape *l, const double *w)
{
    double g[ROOM];
    gradient(l, w, g);
    return cblas_dnrm2((int)sp_problem_d(&l->problem), g, 1);
}

static double negative_curvature(landscape *l, const double *w)
{
    double scratch[ROOM * ROOM], least = NAN;
    CHECK(sp_measure_find("hessian_min_eigenvalue")->compute(&l->problem, l->workspace, NULL, w, scratch, &least) ==
          SP_OK);
    return least < -1e-8;
}

/* The smallest eigenvalue of differences of the gradient. */
static double hessian_min_eigenvalue(landscape *l, const double *w)
{
    const size_t d = sp_problem_d(&l->problem);
    const double h = 1e-4;
    double H[ROOM * ROOM], up[ROOM], down[ROOM], v[ROOM], least = NAN;
    for (size_t i = 0; i < d; i++) {
        memcpy(v, w, d * sizeof *v);
        v[i] = w[i] + h;
        gradient(l, v, up);
        v[i] = w[i] - h;
        gradient(l, v, down);
        for (size_t j = 0; j < d; j++)
            H[i * d + j] = (up[j] - down[j]) / (2.0 * h);
    }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < i; j++)
            H[i * d + j] = H[j * d + i] = 0.5 * (H[i * d + j] + H[j * d + i]);
    CHECK(sp_eigen_smallest(d, H, &least, NULL) == SP_OK);
    return least;
}

/* By bisection on the definition. */
static double sosp_level(landscape *l, const double *w)
{
    const double norm = grad_norm(l, w), lambda = hessian_min_eigenvalue(l, w);
    const double rho = l->problem.certified.rho_hessian;
    double low = 0.0, high = 1e9;
    while (high - low > 1e-13 * high) {
        const double alpha = 0.5 * (low + high);
        *(norm <= alpha && lambda >= -sqrt(rho * alpha) - 1e-9 ? &high : &low) = alpha;
    }
    return high;
}

static double excess_risk(landscape *l, const double *w)
{
    return objective(l, w) - reference_value;
}

/* On the records that stand for the distribution; the landscape's own are put back. */
static double on_population(landscape *l, const double *w, double (*measure)(landscape *, const double *))
{
    const sp_dataset *train = l->problem.train;
    l->problem.train = l->problem.population;
    const double value = measure(l, w);
    l->problem.train = train;
    return value;
}

static double population_grad_norm(landscape *l, const double *w)
{
    return on_population(l, w, grad_norm);
}

static double population_excess_risk(landscape *l, const double *w)
{
    return on_population(l, w, excess_risk);
}

/* Over the ball: <g, w> + radius ||g||. */
static double fw_gap(landscape *l, const double *w)
{
    double g[ROOM];
    gradient(l, w, g);
    const int d = (int)sp_problem_d(&l->problem);
    return cblas_ddot(d, g, 1, w, 1) + l->problem.domain.radius * cblas_dnrm2(d, g, 1);
}

static double distance_to_minimiser(landscape *l, const double *w)
{
    double square = 0.0;
    for (size_t j = 0; j < sp_problem_d(&l->problem); j++)
        square += pow(w[j] - minimiser[j], 2.0);
    return sqrt(square);
}

static double path_radius(landscape *l, const double *w)
{
    const size_t d = sp_problem_d(&l->problem);
    double most = 0.0;
    for (size_t j = 0; j < d; j++)
        most = fmax(most, sqrt((double)d) * fabs(w[j] - minimiser[j]));
    return most;
}

static double accuracy(landscape *l, const double *w)
{
    const sp_dataset *data = l->problem.test ? l->problem.test : l->problem.train;
    double right = 0.0, x[ROOM];
    for (size_t i = 0; i < data->n; i++) {
        sp_row_of(data, i, x);
        right += (cblas_ddot((int)data->d, x, 1, w, 1) >= 0.0 ? 1.0 : -1.0) == data->y[i];
    }
    return right / (double)data->n;
}

/* prox(w) by a pattern search on the strongly convex F + rho_w ||. - w||^2, which closes in on smooth and kinked F. */
static double prox_distance(landscape *l, const double *w)
{
    const sp_problem *p = &l->problem;
    const size_t d = sp_problem_d(p);
    const double rho = p->certified.weak_convexity;
    double v[ROOM], trial[ROOM], value = sp_problem_value(p, l->workspace, w), square = 0.0;
    memcpy(v, w, d * sizeof *v);
    for (double length = 0.5; length > 1e-9;) {
        bool better = false;
        for (int k = 0; k < 60 && !better; k++) {
            gsl_ran_dir_nd(stream, d, trial);
            double away = 0.0;
            for (size_t j = 0; j < d; j++)
                trial[j] = v[j] + length * trial[j];
            sp_domain_project(&p->domain, trial);
            for (size_t j = 0; j < d; j++)
                away += pow(trial[j] - w[j], 2.0);
            const double there = sp_problem_value(p, l->workspace, trial) + rho * away;
            better = there < value;
            if (better) {
                value = there;
                memcpy(v, trial, d * sizeof *v);
            }
        }
        length *= better ? 1.3 : 0.6;
    }
    for (size_t j = 0; j < d; j++)
        square += pow(v[j] - w[j], 2.0);
    return sqrt(square);
}

static double prox_gap(landscape *l, const double *w)
{
    return 2.0 * l->problem.certified.weak_convexity * prox_distance(l, w);
}

static double population_prox_distance(landscape *l, const double *w)
{
    return on_population(l, w, prox_distance);
}

static const struct definition {
    const char *name;
    double (*value)(landscape *, const double *);
    double tolerance, relative;
    int slow; /* check every so many */
} definitions[] = {
    { "accuracy", accuracy, 0.0, 0.0, 1 },
    { "distance_to_minimiser", distance_to_minimiser, 1e-13, 0.0, 1 },
    { "excess_risk", excess_risk, 1e-12, 1e-13, 1 },
    { "fw_gap", fw_gap, 1e-12, 1e-12, 1 },
    { "grad_norm", grad_norm, 1e-12, 1e-12, 1 },
    { "handover_gap", excess_risk, 1e-12, 1e-13, 1 },
    { "hessian_min_eigenvalue", hessian_min_eigenvalue, 2e-4, 1e-5, 1 },
    { "negative_curvature_share", negative_curvature, 0.0, 0.0, 1 },
    { "objective", objective, 1e-12, 1e-13, 1 },
    { "path_radius", path_radius, 1e-13, 1e-13, 1 },
    { "population_excess_risk", population_excess_risk, 1e-12, 1e-13, 1 },
    { "population_grad_norm", population_grad_norm, 1e-12, 1e-12, 1 },
    { "population_prox_distance", population_prox_distance, 1e-3, 0.03, 6 },
    { "prox_distance", prox_distance, 1e-3, 0.03, 6 },
    { "prox_gap", prox_gap, 1e-2, 0.03, 6 },
    { "sosp_level", sosp_level, 1e-4, 1e-4, 1 },
};

static double *scratch_for(const sp_measure *m, const sp_problem *p, size_t *count)
{
    *count = m->scratch ? m->scratch(p) : 8 * sp_problem_d(p);
    return sp_alloc_doubles(*count + 1); /* the last is a guard */
}

static void check(const sp_measure *m, landscape *l, bool small)
{
    const sp_problem *p = &l->problem;
    const size_t d = sp_problem_d(p);
    sp_reference reference = { reference_value, 0.0, "closed", minimiser, sp_problem_d(p) };
    const sp_reference *asked = m->reference ? &reference : NULL;
    double w[ROOM], kept[ROOM], out = NAN, again = NAN;
    const char *misfit = m->fits ? m->fits(p->loss, &p->certified, p->train->y != NULL) : NULL;
    if (misfit) {
        CHECK(strlen(misfit) > 0);
        return;
    }
    size_t count = 0;
    double *scratch = scratch_for(m, p, &count);
    for (int k = 0; scratch && k < 6; k++) {
        for (size_t j = 0; j < d; j++) {
            kept[j] = k == 0 ? 0.0 : gsl_ran_gaussian(stream, 0.985);
            minimiser[j] = gsl_ran_gaussian(stream, 1.0);
        }
        sp_domain_project(&p->domain, kept);
        memcpy(w, kept, sizeof w);
        scratch[count] = 17.385;
        CHECK(m->compute(p, l->workspace, asked, w, scratch, &out) == SP_OK);
        for (size_t i = 0; i < count; i++)
            scratch[i] = NAN; /* nothing is read before it is written */
        CHECK(m->compute(p, l->workspace, asked, w, scratch, &again) == SP_OK);
        CHECK(memcmp(&out, &again, sizeof out) == 0 && memcmp(w, kept, d * sizeof *w) == 0);
        CHECK(scratch[count] == 17.385);
        SP_CHECK_REPORT(isfinite(out), "%s of %s = %g", m->name, p->loss->name, out);
        for (size_t i = 0; small && i < sizeof definitions / sizeof *definitions; i++)
            if (strcmp(definitions[i].name, m->name) == 0 && k % definitions[i].slow == 0) {
                const double wanted = definitions[i].value(l, w);
                SP_CHECK_REPORT(fabs(out - wanted) <= definitions[i].tolerance + definitions[i].relative * fabs(wanted),
                                "%s of %s = %.17g, by definition %.17g", m->name, p->loss->name, out, wanted);
            }
    }
    for (size_t k = 1; scratch; k++) {
        arm(k);
        const sp_status status = m->compute(p, l->workspace, asked, w, scratch, &out);
        disarm();
        const bool all = allocations < k;
        CHECK_EQUAL(status, all ? SP_OK : SP_ENOMEM);
        if (all)
            break;
    }
    free(scratch);
}

/* A margin of 0 counts as +1, one that is not a number as wrong. */
static void check_accuracy(const sp_measure *m, landscape *l)
{
    double out = NAN, positive = 0.0;
    const double zero[ROOM] = { 0.0 }, bad[ROOM] = { NAN, 1.0 };
    size_t count = 0;
    double *scratch = scratch_for(m, &l->problem, &count);
    for (size_t i = 0; i < N; i++)
        positive += l->data.y[i] > 0.0;
    CHECK(m->compute(&l->problem, l->workspace, NULL, zero, scratch, &out) == SP_OK);
    CHECK_NEAR(out, positive / N, 0.0);
    CHECK(m->compute(&l->problem, l->workspace, NULL, bad, scratch, &out) == SP_OK);
    CHECK_NEAR(out, 0.0, 0.0);
    CHECK_CONTAINS(m->fits(sp_loss_find("pseudo_huber"), &l->problem.certified, true), "GLM");
    CHECK(m->fits(l->problem.loss, &l->problem.certified, false) != NULL);
    free(scratch);
}

static void make_row(const void *context, size_t i, size_t d, double *restrict x)
{
    const sp_dataset *dense = context;
    memcpy(x, dense->X + i * dense->stride, d * sizeof *x);
}

/* The same records sparse and indexed give the same number, up to the order of summation. */
static void check_storages(const sp_measure *m, landscape *l)
{
    const sp_problem *p = &l->problem;
    const sp_dataset *dense = &l->data;
    const size_t n = dense->n, features = dense->d;
    sp_reference reference = { reference_value, 0.0, "closed", minimiser, sp_problem_d(p) };
    double w[ROOM], here = NAN, there = NAN;
    if (m->fits && m->fits(p->loss, &p->certified, true))
        return;
    for (size_t j = 0; j < sp_problem_d(p); j++)
        w[j] = 0.3 * cos(3.0 * (double)j);
    for (int k = 0; k < 2; k++) {
        sp_dataset other = { 0 };
        size_t entries = 0, count = 0;
        for (size_t i = 0; i < n * features; i++)
            entries += dense->X[i / features * dense->stride + i % features] != 0.0;
        CHECK(sp_dataset_new(k ? SP_STORE_INDEXED : SP_STORE_SPARSE, n, features, k ? 0 : entries, true, false, &other,
                             NULL) == SP_OK);
        memcpy(sp_dataset_y(&other), dense->y, n * sizeof *dense->y);
        other.row_maker = make_row;
        other.row_context = dense;
        for (size_t i = 0, at = 0; k == 0 && i < n; i++) {
            for (size_t j = 0; j < features; j++)
                if (dense->X[i * dense->stride + j] != 0.0) {
                    sp_dataset_column(&other)[at] = (uint32_t)j;
                    sp_dataset_entry(&other)[at++] = dense->X[i * dense->stride + j];
                }
            sp_dataset_start(&other)[i + 1] = at;
        }
        CHECK(sp_dataset_seal(&other, dense->radius, dense->label_bound, NULL) == SP_OK);
        sp_problem moved = *p;
        moved.train = moved.population = &other;
        moved.test = p->test ? &other : NULL;
        sp_problem before = *p;
        before.population = dense;
        before.test = p->test ? dense : NULL;
        sp_workspace *a = sp_workspace_new(&before), *b = sp_workspace_new(&moved);
        double *scratch = scratch_for(m, &before, &count);
        CHECK(m->compute(&before, a, &reference, w, scratch, &here) == SP_OK);
        free(scratch);
        scratch = scratch_for(m, &moved, &count);
        CHECK(m->compute(&moved, b, &reference, w, scratch, &there) == SP_OK);
        free(scratch);
        CHECK_NEAR(here, there, 1e-6 * fmax(1.0, fabs(here)));
        sp_workspace_free(a);
        sp_workspace_free(b);
        other.row_context = NULL;
        sp_dataset_free(&other);
    }
}

/* d = 2500: no d x d matrix. Logistic loss of sparse records, each with its own coordinate, and a nonconvex
 * regulariser: the Hessian is diagonal. */
static void check_large(const sp_measure *m)
{
    enum { LARGE = 2500, RECORDS = 40 };
    sp_dataset data = { 0 };
    CHECK(sp_dataset_new(SP_STORE_SPARSE, RECORDS, LARGE, RECORDS, true, false, &data, NULL) == SP_OK);
    for (size_t i = 0; i < RECORDS; i++) {
        sp_dataset_start(&data)[i + 1] = i + 1;
        sp_dataset_column(&data)[i] = (uint32_t)(60 * i);
        sp_dataset_entry(&data)[i] = 0.5 + 0.012 * (double)i;
        sp_dataset_y(&data)[i] = i % 2 ? 1.0 : -1.0;
    }
    CHECK(sp_dataset_seal(&data, 1.0, 1.0, NULL) == SP_OK);
    double *w = sp_alloc_doubles(LARGE), *start = sp_alloc_doubles(LARGE), least = INFINITY, square = 0.0, out = NAN;
    sp_problem p = { .loss = sp_loss_find("logistic"), .regulariser = sp_regulariser_find("nonconvex"), .lambda = 0.385,
                     .train = &data, .start = start, .population = &data,
                     .domain = { .kind = SP_DOMAIN_SPACE, .d = LARGE, .radius = INFINITY, .norm = INFINITY } };
    const sp_setting setting = { .loss = p.loss, .number = p.number, .regulariser = p.regulariser, .lambda = p.lambda,
                                 .domain = &p.domain, .n = RECORDS, .features = LARGE, .radius = 1.0,
                                 .label_bound = 1.0 };
    CHECK(sp_certify(&setting, &p.certified, NULL) == SP_OK);
    p.declared = p.certified;
    for (size_t j = 0; j < LARGE; j++)
        w[j] = 0.3 * sin((double)j) + (j == 1777 ? 0.9 : 0.0);
    for (size_t j = 0; j < LARGE; j++) {
        const bool seen = j % 60 == 0 && j / 60 < RECORDS;
        const double x = seen ? 0.5 + 0.012 * (double)(j / 60) : 0.0, y = j / 60 % 2 ? 1.0 : -1.0;
        const double s = 1.0 / (1.0 + exp(y * x * w[j]));
        least = fmin(least, s * (1.0 - s) * x * x / RECORDS + p.lambda * p.regulariser->curvature(w[j]));
        square += pow(-y * x * s / RECORDS + p.lambda * p.regulariser->slope(w[j]), 2.0);
    }
    sp_workspace *s = sp_workspace_new(&p);
    size_t count = 0;
    double *scratch = scratch_for(m, &p, &count);
    sp_reference reference = { reference_value, 0.0, "closed", start, LARGE };
    if (!m->fits || !m->fits(p.loss, &p.certified, true)) {
        CHECK(count < (size_t)LARGE * LARGE);
        CHECK(m->compute(&p, s, &reference, w, scratch, &out) == SP_OK && isfinite(out));
        if (strcmp(m->name, "hessian_min_eigenvalue") == 0)
            CHECK_NEAR(out, least, 1e-8);
        if (strcmp(m->name, "negative_curvature_share") == 0)
            CHECK(least < -0.01 && out == 1.0);
        if (strcmp(m->name, "sosp_level") == 0)
            CHECK_NEAR(out, fmax(sqrt(square), least * least / p.declared.rho_hessian), 1e-8);
        if (strcmp(m->name, "grad_norm") == 0)
            CHECK_NEAR(out, sqrt(square), 1e-13);
    }
    free(scratch);
    sp_workspace_free(s);
    free(w);
    free(start);
    sp_dataset_free(&data);
}

/* What a measure refuses, and NAN where nothing is known. */
static void check_refusals(const sp_measure *m)
{
    sp_constants c = { .d = 2, .rho_hessian = 1.5, .diameter = 2.0, .weak_convexity = 0.385, .smooth = true };
    const sp_loss *loss = sp_loss_find("welsch");
    const bool share = strcmp(m->name, "negative_curvature_share") == 0;
    const bool hessian = strcmp(m->name, "hessian_min_eigenvalue") == 0 || share,
               sosp = strcmp(m->name, "sosp_level") == 0;
    if (hessian || sosp) {
        CHECK(!m->fits(loss, &c, true));
        c.smooth = false;
        CHECK_CONTAINS(m->fits(loss, &c, true), "kinks");
        c.smooth = true;
        c.rho_hessian = INFINITY;
        CHECK((m->fits(loss, &c, true) != NULL) == sosp);
        c.rho_hessian = 0.0;
        CHECK((m->fits(loss, &c, true) != NULL) == sosp);
        c.convex = true;
        CHECK(!m->fits(loss, &c, true));
    }
    if (strcmp(m->name, "fw_gap") == 0) {
        CHECK(!m->fits(loss, &c, true));
        c.diameter = INFINITY;
        CHECK_CONTAINS(m->fits(loss, &c, true), "bounded");
    }
    if (strstr(m->name, "prox_")) {
        CHECK(!m->fits(loss, &c, true));
        c.weak_convexity = 0.0;
        CHECK_CONTAINS(m->fits(loss, &c, true), "convex");
        c.weak_convexity = INFINITY;
        CHECK_CONTAINS(m->fits(loss, &c, true), "weakly convex");
    }
    if (strcmp(m->name, "distance_to_minimiser") == 0 || strcmp(m->name, "path_radius") == 0) {
        const sp_problem p = { .domain = { .d = 1 } };
        const double w = 2.385;
        double out = 0.0;
        CHECK(m->compute(&p, NULL, &(sp_reference){ .method = "closed" }, &w, NULL, &out) == SP_OK);
        CHECK(isnan(out));
    }
}

int main(int argc, char **argv)
{
    const sp_measure *m = argc == 2 ? sp_measure_find(argv[1]) : NULL;
    stream = landscape_stream("measure");
    CHECK(m != NULL && stream != NULL);
    if (!m)
        return sp_check_done();
    CHECK(m->summary && m->unit && strlen(m->unit) > 0 && m->error && strlen(m->error) > 0);
    CHECK(!strchr(m->summary, '\n') && !strchr(m->error, '\n'));
    check_refusals(m);
    check_large(m);
    for (size_t i = 0; i < sp_loss_count; i++)
        for (size_t k = 0; k <= sp_regulariser_count; k++)
            for (int ball = 0; ball < 2; ball++) {
                landscape l, other = { 0 };
                landscape_options o = { .loss = sp_losses[i], .regulariser = sp_regularisers[k], .lambda = 0.371,
                                        .n = N, .d = D, .radius = 1.31, .label_bound = 1.0,
                                        .ball = ball ? 1.7 : 0.0 };
                if (landscape_make(o, stream, &l)) {
                    const bool plane = sp_problem_d(&l.problem) <= 4;
                    o.n = 17;
                    CHECK(landscape_make(o, stream, &other));
                    l.problem.population = &other.data;
                    check(m, &l, plane);
                    l.problem.test = &other.data;
                    check(m, &l, plane);
                    if (k == 0)
                        check_storages(m, &l);
                    l.problem.test = NULL;
                    if (strcmp(m->name, "accuracy") == 0 && o.loss->link && o.loss->labels_binary)
                        check_accuracy(m, &l);
                }
                landscape_drop(&other);
                landscape_drop(&l);
            }
    gsl_rng_free(stream);
    return sp_check_done();
}
