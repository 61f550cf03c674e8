/* reference.c -- F* in every way it can be known, against closed forms and against values computed elsewhere. */
#include "losses/engine/engine.h"
#include "losses/engine/reference.h"
#include "tests/landscape.h"

static const double rows[5][2] = { { 0.385, -0.612 }, { 0.217, 0.904 }, { -0.731, 0.118 }, { 0.566, 0.421 },
                                   { -0.294, -0.833 } };
static const double labels[5] = { 1, -1, 1, -1, 1 };

static sp_status certify(landscape *l)
{
    sp_problem *p = &l->problem;
    return sp_certify(p->loss, p->number, p->regulariser, p->lambda, &p->domain, l->data.radius, l->data.label_bound,
                      p->realisable, 0.0, l->data.n, &p->certified, NULL);
}

static sp_reference reference(const sp_problem *p, size_t starts)
{
    gsl_rng *stream = landscape_stream("reference");
    sp_reference r = { NAN, NAN, "" }, again = { 0 };
    sp_error error = { 0 };
    CHECK(sp_reference_compute(p, starts, stream, &r, &error) == SP_OK);
    gsl_rng_free(stream);
    stream = landscape_stream("reference");
    CHECK(sp_reference_compute(p, starts, stream, &again, &error) == SP_OK);
    CHECK(memcmp(&r.value, &again.value, sizeof r.value) == 0);
    CHECK_TEXT(r.method, again.method);
    gsl_rng_free(stream);
    return r;
}

/* The certificates at points that are not the minimiser: valid everywhere, and within a factor of the truth near it. */
static void check_certificate(const sp_problem *p, double least, bool ball)
{
    gsl_rng *stream = landscape_stream("certificate");
    sp_workspace *s = sp_workspace_new(p);
    double scratch[6], w[2], gap = NAN, norm = NAN, best_ratio = INFINITY;
    for (int i = 0; s && i < 400; i++) {
        const double length = pow(10.0, -3.5 * gsl_rng_uniform(stream));
        for (size_t j = 0; j < 2; j++) /* around the minimiser that the decimal computation found, or anywhere */
            w[j] = (ball ? 0.0 : j == 0 ? -1.579908820811429 : -2.428055437805132) + gsl_ran_gaussian(stream, length);
        if (ball) /* close to the boundary point of smallest value, at angle 4.1933 */
            w[0] += 0.75 * cos(4.193312703523325), w[1] += 0.75 * sin(4.193312703523325);
        sp_domain_project(&p->domain, w);
        CHECK(sp_convex_gap(p, s, w, scratch, &gap, &norm) == SP_OK);
        const double truth = sp_problem_value(p, s, w) - least;
        CHECK_LESS_EQUAL(truth, gap + 1e-15);
        if (truth > 1e-9)
            best_ratio = fmin(best_ratio, gap / truth);
    }
    CHECK(s != NULL);
    CHECK_LESS_EQUAL(best_ratio, 2.5); /* ||g||^2 / mu against ||g||^2 / (2 mu) */
    sp_workspace_free(s);
    gsl_rng_free(stream);
}

/* Logistic loss of five records: with 0.0271/2 ||w||^2 on R^2 (Newton in 40-digit decimal arithmetic, Python), and
 * alone on the ball of radius 3/4 (golden section over the angle). */
static void check_convex(void)
{
    landscape l = { 0 };
    double *X = NULL, *y = NULL;
    double start[2] = { 0.0, 0.0 };
    CHECK(sp_dataset_new(5, 2, true, false, &l.data, &X, &y, NULL) == SP_OK);
    for (size_t i = 0; i < 5; i++) {
        memcpy(X + i * l.data.stride, rows[i], sizeof rows[i]);
        y[i] = labels[i];
    }
    CHECK(sp_dataset_seal(&l.data, 1.0, 1.0, NULL) == SP_OK);
    l.problem = (sp_problem){ .loss = sp_loss_find("logistic"), .regulariser = sp_regulariser_find("l2"),
                              .lambda = 0.0271, .domain = { SP_DOMAIN_SPACE, 2, INFINITY }, .train = &l.data,
                              .start = start };
    CHECK(certify(&l) == SP_OK);
    sp_reference r = reference(&l.problem, 8);
    CHECK_NEAR(r.value, 0.3119559601589185, 1e-15);
    CHECK_LESS_EQUAL(r.error, 1e-15);
    CHECK_CONTAINS(r.method, "convex, gap ");
    check_certificate(&l.problem, 0.3119559601589185, false);

    l.problem.regulariser = NULL;
    l.problem.lambda = 0.0;
    l.problem.domain = (sp_domain){ SP_DOMAIN_L2_BALL, 2, 0.75 };
    CHECK(certify(&l) == SP_OK);
    r = reference(&l.problem, 8);
    CHECK_NEAR(r.value, 0.4973357542429876, 1e-13);
    CHECK_LESS_EQUAL(r.value - 0.4973357542429876, r.error + 1e-15);
    CHECK_LESS_EQUAL(r.error, 1e-6);
    CHECK_CONTAINS(r.method, "convex, gap ");
    check_certificate(&l.problem, 0.4973357542429876, true);
    sp_dataset_free(&l.data);
}

/* A direction that no record has: the Hessian is singular, so only the weak certificates remain, and the label says so
 * unless a distance is known. */
static void check_singular(void)
{
    landscape l = { 0 };
    double *X = NULL, *y = NULL;
    double start[3] = { 0.0 };
    CHECK(sp_dataset_new(5, 3, true, false, &l.data, &X, &y, NULL) == SP_OK);
    for (size_t i = 0; i < 5; i++) {
        memcpy(X + i * l.data.stride, rows[i], sizeof rows[i]);
        y[i] = i == 3 ? 1.0 : labels[i]; /* not separable */
    }
    y[0] = -1.0;
    CHECK(sp_dataset_seal(&l.data, 1.0, 1.0, NULL) == SP_OK);
    l.problem = (sp_problem){ .loss = sp_loss_find("logistic"), .train = &l.data, .start = start,
                              .domain = { SP_DOMAIN_SPACE, 3, INFINITY } };
    CHECK(certify(&l) == SP_OK);
    sp_reference r = reference(&l.problem, 8);
    CHECK_CONTAINS(r.method, "convex, grad ");
    CHECK(isfinite(r.error) && r.error <= r.value + 1e-15); /* F >= 0 */
    l.problem.certified.distance = 50.0;
    r = reference(&l.problem, 8);
    CHECK_CONTAINS(r.method, "convex, gap ");
    CHECK_LESS_EQUAL(r.error, 1e-9);
    sp_dataset_free(&l.data);
}

static void check_closed(void)
{
    gsl_rng *stream = landscape_stream("closed");
    landscape l;
    landscape_options o = { .loss = sp_loss_find("barron"), .n = 40, .d = 3, .radius = 1.31, .label_bound = 0.83,
                            .realisable = true };
    if (landscape_make(o, stream, &l)) {
        sp_reference r = reference(&l.problem, 8);
        CHECK(r.value == 0.0 && r.error == 0.0);
        CHECK_TEXT(r.method, "closed");
        l.problem.realisable = false; /* the same minimum must be found without being told */
        r = reference(&l.problem, 4);
        CHECK_NEAR(r.value, 0.0, 1e-15);
        CHECK_TEXT(r.method, "multistart 4, 4 agree");
        CHECK(isinf(r.error));
        l.problem.realisable = true;
        l.problem.regulariser = sp_regulariser_find("l2"); /* with a regulariser it is no longer closed */
        l.problem.lambda = 0.1;
        CHECK(certify(&l) == SP_OK);
        r = reference(&l.problem, 4);
        CHECK(r.value > 0.0);
        CHECK_CONTAINS(r.method, "multistart 4, ");
    }
    landscape_drop(&l);

    /* pairs x, -x: mean(x) = 0, and F* = min h = 0 although records differ */
    o = (landscape_options){ .loss = sp_loss_find("huber_ramp"), .n = 40, .d = 3, .radius = 1.31, .label_bound = 1.0 };
    if (landscape_make(o, stream, &l)) {
        const sp_reference r = reference(&l.problem, 8);
        CHECK_NEAR(r.value, 0.0, 1e-15);
        CHECK_TEXT(r.method, "closed");
    }
    landscape_drop(&l);

    /* no tilt: h alone. On a ball that leaves its minimiser out, h at the nearest point. */
    const double untilted[SP_PARAM_MAX] = { 0.385, 2.0, 0.0 };
    o = (landscape_options){ .loss = sp_loss_find("pseudo_huber"), .number = untilted, .n = 7, .d = 3, .radius = 1.31,
                             .label_bound = 1.0 };
    if (landscape_make(o, stream, &l)) {
        sp_reference r = reference(&l.problem, 8);
        CHECK_NEAR(r.value, 0.0, 1e-15);
        CHECK_TEXT(r.method, "closed");
        l.problem.domain = (sp_domain){ SP_DOMAIN_L2_BALL, 3, 1.3 };
        CHECK(certify(&l) == SP_OK);
        r = reference(&l.problem, 8);
        CHECK_NEAR(r.value, hypot(0.385, 0.7) - 0.385, 1e-13);
        CHECK_CONTAINS(r.method, "convex, gap ");
    }
    landscape_drop(&l);
    gsl_rng_free(stream);
}

/* One record x = 1.2, slope 0.31, tilt 0.9, d = 1: the tilt beats the ramp. F* by a grid of 3e5 points and golden
 * section (Python). */
static void check_multistart(void)
{
    gsl_rng *stream = landscape_stream("multistart");
    landscape l;
    const double number[SP_PARAM_MAX] = { 0.31, 0.9 };
    const landscape_options o = { .loss = sp_loss_find("huber_ramp"), .number = number, .n = 1, .d = 1, .radius = 1.2,
                                  .label_bound = 1.0 };
    if (landscape_make(o, stream, &l)) {
        const sp_reference r = reference(&l.problem, 8);
        size_t starts = 0, agree = 0;
        CHECK_NEAR(r.value, 0.4232542041216105, 1e-13);
        CHECK(sscanf(r.method, "multistart %zu, %zu agree", &starts, &agree) == 2);
        CHECK(starts == 8 && agree >= 1 && agree < 8); /* two local minima */
        CHECK(isinf(r.error));
        sp_error error = { 0 };
        sp_reference none;
        CHECK(sp_reference_compute(&l.problem, 0, stream, &none, &error) == SP_EINVAL);
        CHECK_CONTAINS(error.text, "starts = 0");
    }
    landscape_drop(&l);
    gsl_rng_free(stream);
}

int main(void)
{
    check_convex();
    check_singular();
    check_closed();
    check_multistart();
    return sp_check_done();
}
