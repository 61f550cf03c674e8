/* privacy.c -- what core/oracle and core/accountant must refuse, and that the message names the value. */
#include "tests/private_problem.h"

enum { N = 30, D = 3 };

static const double point[D] = { 0.31, -1.27, 0.05 };
static const sp_batch all = { 0 };

static void entries(void)
{
    const struct {
        sp_entry entry;
        const char *message;
    } cases[] = {
        { { SP_LEDGER_GAUSS_WOR, .noise_multiplier = -1, .rate = 0.01, .count = 10 },
          "gauss_wor:noise_multiplier=-1,rate=0.01,count=10: noise_multiplier must be > 0" },
        { { SP_LEDGER_GAUSS, .noise_multiplier = NAN, .count = 1 }, "gauss:noise_multiplier=nan,count=1: noise_mult" },
        { { SP_LEDGER_GAUSS, .noise_multiplier = 0, .count = 1 }, "noise_multiplier must be > 0 and finite" },
        { { SP_LEDGER_GAUSS, .noise_multiplier = INFINITY, .count = 1 }, "noise_multiplier must be > 0 and finite" },
        { { SP_LEDGER_GAUSS, .noise_multiplier = 2, .count = 0 }, "count must be >= 1" },
        { { SP_LEDGER_GAUSS_WOR, .noise_multiplier = 2, .rate = 1.5, .count = 1 }, "rate must be in (0, 1]" },
        { { SP_LEDGER_GAUSS_WOR, .noise_multiplier = 2, .rate = 0, .count = 1 }, "rate must be in (0, 1]" },
        { { SP_LEDGER_POISSON, .noise_multiplier = 2, .rate = NAN, .count = 1 }, "rate must be in (0, 1]" },
        { { SP_LEDGER_EM, .epsilon = 0, .count = 1 }, "em:epsilon=0,count=1: epsilon must be > 0" },
        { { SP_LEDGER_LAPLACE, .epsilon = NAN, .count = 1 }, "epsilon must be > 0" },
        { { SP_LEDGER_SVT, .epsilon = INFINITY, .count = 1 }, "epsilon must be > 0 and finite" },
        { { SP_LEDGER_APPROX, .epsilon = 1, .delta = 1, .count = 1 }, "delta must be in (0, 1)" },
        { { SP_LEDGER_TREE, .noise_multiplier = 1, .steps = 0, .count = 1, .pool = 3 },
          "tree:noise_multiplier=1,steps=0,count=1,pool=3: steps" },
        { { SP_LEDGER_SELECT, .noise_multiplier = 2, .mean = 0, .shape = 1, .count = 1 },
          "mean must be > 0 and finite" },
        { { SP_LEDGER_SELECT, .noise_multiplier = 2, .mean = 9, .shape = -1, .count = 1 }, "shape must be > -1" },
        { { SP_LEDGER_SELECT, .noise_multiplier = 2, .mean = 9, .shape = NAN, .count = 1 }, "shape must be > -1" },
        { { SP_LEDGER_SELECT, .noise_multiplier = 2, .mean = 0.5, .shape = 2, .count = 1 }, "mean must be > 1 unless" },
        { { SP_LEDGER_RANDOMISED_RESPONSE, .epsilon = 2, .choices = 1, .count = 1 }, "choices must be >= 2" },
        { { (sp_ledger_kind)99, .count = 1 }, "unknown kind 99" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sp_error error = { .text = "" };
        sp_ledger ledger = { 0 };
        CHECK_EQUAL(sp_entry_check(&cases[i].entry, &error), SP_EINVAL);
        CHECK_CONTAINS(error.text, cases[i].message);
        CHECK_EQUAL(sp_ledger_append(&ledger, &cases[i].entry), SP_EINVAL);
        CHECK_EQUAL(ledger.count, 0);
        sp_ledger_free(&ledger);
    }
}

static sp_status account(sp_entry entry, sp_neighbours neighbours, double delta, sp_error *error)
{
    sp_ledger ledger = { 0 };
    sp_bounds bounds;
    double mass;
    CHECK_EQUAL(sp_ledger_append(&ledger, &entry), SP_OK);
    const sp_status status = sp_account(&ledger, neighbours, delta, &bounds, error);
    if (status == SP_EPRIVACY)
        CHECK_EQUAL(sp_account_delta(&ledger, neighbours, 1.0, &mass, NULL), SP_EPRIVACY);
    sp_ledger_free(&ledger);
    return status;
}

/* No theorem, no number. */
static void missing_theorems(void)
{
    sp_error error;
    const sp_entry subset = { SP_LEDGER_GAUSS_WOR, .noise_multiplier = 2, .rate = 0.1, .count = 3 };
    CHECK_EQUAL(account(subset, SP_ADD_REMOVE, 1e-6, &error), SP_EPRIVACY);
    CHECK_CONTAINS(error.text, "gauss_wor:noise_multiplier=2,rate=0.1,count=3");
    CHECK_CONTAINS(error.text, "add_remove");
    CHECK_EQUAL(account(subset, SP_REPLACE_ONE, 1e-6, &error), SP_OK);
    const sp_entry plain = { SP_LEDGER_GAUSS, .noise_multiplier = 2, .count = 1000000000 };
    CHECK_EQUAL(account(plain, SP_ADD_REMOVE, 1e-6, &error), SP_OK);
    /* one such entry among others refuses the ledger, in calibration too */
    sp_ledger ledger = { 0 };
    double factor;
    CHECK_EQUAL(sp_ledger_append(&ledger, &plain), SP_OK);
    CHECK_EQUAL(sp_ledger_append(&ledger, &subset), SP_OK);
    CHECK_EQUAL(sp_calibrate_under(NULL, &ledger, SP_ADD_REMOVE, 1.0, 1e-6, &factor, &error), SP_EPRIVACY);
    CHECK_CONTAINS(error.text, "gauss_wor:");
    sp_ledger_free(&ledger);
}

static void targets(void)
{
    const sp_entry one = { SP_LEDGER_GAUSS, .noise_multiplier = 2, .count = 1 };
    const double deltas[] = { 0.0, 1.0, -1e-9, NAN, INFINITY }, epsilons[] = { 0.0, -1.0, NAN, INFINITY };
    sp_ledger ledger = { 0 };
    sp_error error;
    double number;
    CHECK_EQUAL(sp_ledger_append(&ledger, &one), SP_OK);
    for (size_t i = 0; i < 5; i++) {
        CHECK_EQUAL(account(one, SP_REPLACE_ONE, deltas[i], &error), SP_EINVAL);
        CHECK_CONTAINS(error.text, "delta = ");
        CHECK_EQUAL(sp_calibrate_factor(NULL, &ledger, 1.0, deltas[i], &number, &error), SP_EINVAL);
    }
    for (size_t i = 0; i < 4; i++) {
        CHECK_EQUAL(sp_calibrate_factor(NULL, &ledger, epsilons[i], 1e-6, &number, &error), SP_EINVAL);
        CHECK_CONTAINS(error.text, "epsilon = ");
    }
    CHECK_EQUAL(sp_account_delta(&ledger, SP_REPLACE_ONE, -1.0, &number, &error), SP_EINVAL);
    CHECK_EQUAL(sp_account_delta(&ledger, SP_REPLACE_ONE, NAN, &number, &error), SP_EINVAL);
    sp_ledger_free(&ledger);
}

static void budgets(const private_problem *p)
{
    const struct {
        double epsilon, delta;
        const char *message;
    } cases[] = { { 0.0, 1e-6, "privacy.epsilon = 0: must be > 0" },   { -1.0, 1e-6, "privacy.epsilon = -1" },
                  { NAN, 1e-6, "privacy.epsilon = nan" },              { INFINITY, 1e-6, "privacy.epsilon = inf" },
                  { 1.0, 0.0, "privacy.delta = 0: must be in (0, 1)" }, { 1.0, 1.0, "privacy.delta = 1" },
                  { 1.0, -0.5, "privacy.delta = -0.5" },               { 1.0, NAN, "privacy.delta = nan" } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sp_oracle *o = NULL;
        sp_error error = { .text = "" };
        sp_privacy privacy = private_tight;
        privacy.epsilon = cases[i].epsilon;
        privacy.delta = cases[i].delta;
        const sp_oracle_options options = private_options(p, privacy, 1);
        CHECK_EQUAL(sp_oracle_new(&options, &o, &error), SP_EINVAL);
        CHECK_CONTAINS(error.text, cases[i].message);
        CHECK(o == NULL);
    }
}

static void releases(const private_problem *p)
{
    sp_oracle *o = private_oracle(p, private_tight, 2);
    const double bad[] = { 0.0, -1.0, NAN, INFINITY }, nan_point[D] = { 0.0, NAN, 0.0 }, far[D] = { 0, 0, INFINITY };
    double out[D * D] = { 3.25 };
    sp_batch batch;
    for (size_t i = 0; i < 4; i++) {
        REFUSED(o, sp_gradient(o, &SP_AT(all, point), bad[i], out), SP_EPRIVACY, "noise_multiplier = ");
        REFUSED(o, sp_hessian(o, all, point, bad[i], out), SP_EPRIVACY, "noise_multiplier = ");
    }
    sp_query query = SP_AT(all, point);
    REFUSED(o, sp_gradient(o, &SP_AT(all, nan_point), 9.0, out), SP_ENUMERIC, "coordinate 1 of the point is nan");
    REFUSED(o, sp_gradient(o, &SP_BETWEEN(all, point, far), 9.0, out), SP_ENUMERIC, "coordinate 2 of the point is inf");
    REFUSED(o, sp_hessian(o, all, far, 9.0, out), SP_ENUMERIC, "coordinate 2");
    query.norm = SP_NORM_L1;
    REFUSED(o, sp_gradient(o, &query, 9.0, out), SP_EUNSUPPORTED, "l2");
    query = SP_AT(all, point);
    query.terms = 0;
    REFUSED(o, sp_gradient(o, &query, 9.0, out), SP_EINVAL, "terms = 0");
    query.terms = SP_TERMS_MAX + 1;
    REFUSED(o, sp_gradient(o, &query, 9.0, out), SP_EINVAL, "terms = 5");
    query = SP_AT(all, point);
    query.term[0].coefficient = NAN;
    REFUSED(o, sp_gradient(o, &query, 9.0, out), SP_EINVAL, "coefficient 0 is nan");
    query = SP_AT(all, point);
    query.bound = -1.0;
    REFUSED(o, sp_gradient(o, &query, 9.0, out), SP_EINVAL, "bound = -1");
    query.bound = NAN;
    REFUSED(o, sp_gradient(o, &query, 9.0, out), SP_EINVAL, "bound = nan");
    CHECK(out[0] == 3.25);
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 0);
    CHECK(sp_oracle_cost(o).gradients == 0.0);

    REFUSED(o, sp_draw(o, sp_pass(0, true), &batch), SP_EINVAL, "m = 0");
    const double rates[] = { 0.0, -0.1, 1.5, NAN };
    for (size_t i = 0; i < 4; i++)
        REFUSED(o, sp_draw(o, sp_poisson(rates[i]), &batch), SP_EINVAL, "rate = ");
    REFUSED(o, sp_draw(o, sp_fresh(N + 1), &batch), SP_EINVAL, "m = 31");
    sp_oracle_free(o);
}

static void plans(const private_problem *p)
{
    sp_oracle *o = private_oracle(p, private_tight, 3);
    double s[2];
    sp_release_plan plan[2] = { { .kind = SP_GRADIENT, .sample = sp_full(), .count = 1000000000, .share = 0.5 },
                                { .kind = SP_GRADIENT, .sample = sp_subset(3), .count = 1000000000, .share = 0.5 } };
    OK(o, sp_calibrate(o, plan, 2, s)); /* long plans are fine */
    CHECK(s[0] > 1e4 && s[1] > 1e3 && isfinite(s[0] + s[1]));
    REFUSED(o, sp_calibrate(o, plan, 0, s), SP_EINVAL, "no releases");
    plan[1].share = 0.0;
    REFUSED(o, sp_calibrate(o, plan, 2, s), SP_EINVAL, "group 2 has no share");
    plan[1].share = -0.5;
    REFUSED(o, sp_calibrate(o, plan, 2, s), SP_EINVAL, "share = -0.5");
    plan[1].share = 0.5;
    plan[1].sample = sp_subset(N + 1);
    REFUSED(o, sp_calibrate(o, plan, 2, s), SP_EINVAL, "m = 31");
    plan[1].sample = sp_poisson(1.25);
    REFUSED(o, sp_calibrate(o, plan, 2, s), SP_EINVAL, "rate = 1.25");
    plan[1].sample = sp_pass(N + 1, false);
    REFUSED(o, sp_calibrate(o, plan, 2, s), SP_EINVAL, "m = 31");
    plan[1].kind = SP_SELECTION;
    plan[1].sample = sp_full();
    REFUSED(o, sp_calibrate(o, plan, 2, s), SP_EPRIVACY, "epsilon = 0");
    sp_oracle_free(o);
}

/* An unbounded record has no sensitivity. */
static void unbounded(private_problem *p)
{
    double out[D * D];
    const sp_constants declared = p->problem.declared;
    p->problem.declared.L_data = INFINITY;
    p->problem.declared.hessian_frobenius = INFINITY;
    sp_oracle *o = private_oracle(p, private_tight, 4);
    REFUSED(o, sp_gradient(o, &SP_AT(all, point), 9.0, out), SP_EPRIVACY, "no finite sensitivity (L_data = inf");
    REFUSED(o, sp_hessian(o, all, point, 9.0, out), SP_EPRIVACY, "hessian_frobenius = inf");
    CHECK_EQUAL(sp_oracle_ledger(o)->count, 0);
    sp_oracle_free(o);
    o = private_oracle(p, private_none, 4);
    OK(o, sp_gradient(o, &SP_AT(all, point), 0.0, out));
    CHECK(isfinite(out[0]));
    sp_oracle_free(o);
    p->problem.declared = declared;
}

int main(void)
{
    private_problem p;
    gsl_set_error_handler_off();
    private_problem_random(&p, &sp_loss_logistic, 0.0, N, D);
    entries();
    missing_theorems();
    targets();
    budgets(&p);
    releases(&p);
    plans(&p);
    unbounded(&p);
    private_problem_free(&p);
    return sp_check_done();
}
