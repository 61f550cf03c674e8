/* conformance/measure.c NAME -- every measure: fits or says why not, repeats to the bit, leaves the iterate alone,
 * survives failed allocations; and the known ones against their definitions, record by record or by brute force. */
#include "losses/engine/reference.h"
#include "measures/measure.h"
#include "tests/allocation.h"
#include "tests/landscape.h"

enum { N = 83, D = 2 };

static gsl_rng *stream;
static const double reference_value = 0.2385; /* any number: measures only subtract it */

static double objective(landscape *l, const double *w)
{
    const sp_problem *p = &l->problem;
    double sum = 0.0;
    for (size_t i = 0; i < N; i++)
        sum += sp_record_value(p, l->workspace, i, w) / N;
    for (size_t j = 0; p->regulariser && j < D; j++)
        sum += p->lambda * p->regulariser->value(w[j]);
    return sum + (p->loss->tilt ? p->loss->tilt->value(p->number, D, w) : 0.0);
}

static double grad_norm(landscape *l, const double *w)
{
    const double h = 1e-5;
    double square = 0.0;
    for (size_t j = 0; j < D; j++) {
        double up[D] = { w[0], w[1] }, down[D] = { w[0], w[1] };
        up[j] += h;
        down[j] -= h;
        square += pow((objective(l, up) - objective(l, down)) / (2.0 * h), 2.0);
    }
    return sqrt(square);
}

/* The smallest second difference over all directions. (The objective's own test covers sp_problem_value.) */
static double hessian_min_eigenvalue(landscape *l, const double *w)
{
    const double h = 1e-3;
    const double centre = sp_problem_value(&l->problem, l->workspace, w);
    double least = INFINITY;
    for (int k = 0; k < 500; k++) {
        const double u = cos(M_PI * k / 500.0), v = sin(M_PI * k / 500.0);
        const double up[D] = { w[0] + h * u, w[1] + h * v }, down[D] = { w[0] - h * u, w[1] - h * v };
        const double ahead = sp_problem_value(&l->problem, l->workspace, up);
        const double behind = sp_problem_value(&l->problem, l->workspace, down);
        least = fmin(least, (ahead - 2.0 * centre + behind) / (h * h));
    }
    return least;
}

static double excess_risk(landscape *l, const double *w)
{
    return objective(l, w) - reference_value;
}

static double accuracy(landscape *l, const double *w)
{
    const sp_dataset *data = l->problem.test ? l->problem.test : l->problem.train;
    double right = 0.0;
    for (size_t i = 0; i < data->n; i++) {
        const double *x = data->X + i * data->stride;
        right += (x[0] * w[0] + x[1] * w[1] >= 0.0 ? 1.0 : -1.0) == data->y[i];
    }
    return right / (double)data->n;
}

static const struct definition {
    const char *name;
    double (*value)(landscape *, const double *);
    double tolerance;
} definitions[] = {
    { "accuracy", accuracy, 0.0 },
    { "excess_risk", excess_risk, 1e-13 },
    { "grad_norm", grad_norm, 1e-8 },
    { "hessian_min_eigenvalue", hessian_min_eigenvalue, 1e-5 },
    { "objective", objective, 1e-13 },
};

static void check(const sp_measure *m, landscape *l)
{
    const sp_problem *p = &l->problem;
    const sp_reference reference = { reference_value, 0.0, "closed" };
    double scratch[D * D + 2 * D], w[D], kept[D], out = NAN, again = NAN;
    if (m->fits(p->loss, &p->certified, p->train->y != NULL) != NULL) {
        CHECK(strlen(m->fits(p->loss, &p->certified, p->train->y != NULL)) > 0);
        return;
    }
    for (int k = 0; k < 12; k++) {
        for (size_t j = 0; j < D; j++)
            kept[j] = w[j] = k == 0 ? 0.0 : gsl_ran_gaussian(stream, 1.385);
        CHECK(m->compute(p, l->workspace, m->reference ? &reference : NULL, w, scratch, &out) == SP_OK);
        CHECK(m->compute(p, l->workspace, m->reference ? &reference : NULL, w, scratch, &again) == SP_OK);
        CHECK(isfinite(out) && memcmp(&out, &again, sizeof out) == 0 && memcmp(w, kept, sizeof w) == 0);
        for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++)
            if (strcmp(definitions[i].name, m->name) == 0)
                CHECK_NEAR(out, definitions[i].value(l, w), definitions[i].tolerance);
    }
    for (size_t k = 1;; k++) {
        arm(k);
        const sp_status status = m->compute(p, l->workspace, m->reference ? &reference : NULL, w, scratch, &out);
        disarm();
        const bool all = allocations < k;
        CHECK_EQUAL(status, all ? SP_OK : SP_ENOMEM);
        if (all)
            break;
    }
}

/* A margin of 0 counts as +1, one that is not a number as wrong. */
static void check_accuracy(landscape *l)
{
    const sp_measure *m = sp_measure_find("accuracy");
    double out = NAN, positive = 0.0;
    const double zero[D] = { 0.0 }, nowhere[D] = { NAN, 1.0 };
    for (size_t i = 0; i < N; i++)
        positive += l->data.y[i] > 0.0;
    CHECK(m->compute(&l->problem, l->workspace, NULL, zero, NULL, &out) == SP_OK);
    CHECK_NEAR(out, positive / N, 0.0);
    CHECK(m->compute(&l->problem, l->workspace, NULL, nowhere, NULL, &out) == SP_OK);
    CHECK_NEAR(out, 0.0, 0.0);
    CHECK_CONTAINS(m->fits(sp_loss_find("pseudo_huber"), &l->problem.certified, true), "GLM");
    CHECK(m->fits(l->problem.loss, &l->problem.certified, false) != NULL);
}

int main(int argc, char **argv)
{
    const sp_measure *m = argc == 2 ? sp_measure_find(argv[1]) : NULL;
    stream = landscape_stream("measure");
    CHECK(m != NULL && stream != NULL);
    if (!m)
        return sp_check_done();
    CHECK(m->summary && m->unit && strlen(m->unit) > 0);
    for (size_t i = 0; i < sp_loss_count; i++)
        for (size_t k = 0; k <= sp_regulariser_count; k++) {
            landscape l, test;
            landscape_options o = { .loss = sp_losses[i], .regulariser = sp_regularisers[k], .lambda = 0.371, .n = N,
                                    .d = D, .radius = 1.31, .label_bound = 1.0 };
            if (landscape_make(o, stream, &l)) {
                check(m, &l);
                o.n = 17;
                if (landscape_make(o, stream, &test)) {
                    l.problem.test = &test.data;
                    check(m, &l);
                    l.problem.test = NULL;
                }
                landscape_drop(&test);
                if (strcmp(m->name, "accuracy") == 0 && o.loss->labels_binary)
                    check_accuracy(&l);
                sp_constants large = l.problem.certified;
                large.d = 2001;
                if (strcmp(m->name, "hessian_min_eigenvalue") == 0)
                    CHECK_CONTAINS(m->fits(o.loss, &large, true), "d <= 2000");
            }
            landscape_drop(&l);
        }
    gsl_rng_free(stream);
    return sp_check_done();
}
