/* rehearsal.c -- a rehearsal has no records: every method, on problems of each kind, ends where it would need the first
 * one, or with what it refuses before. Whoever touches one reads from address zero. */
#include "tests/trial.h"

enum { N = 120, D = 3 };

/* How the rehearsal of some methods ends at their default parameters. */
typedef struct expected_end {
    const char *algorithm;
    sp_status status;
} expected_end;

static const expected_end ends[] = {
    { "dp_gd", SP_EREHEARSED },      { "dp_sgd", SP_EREHEARSED },   { "dp_spider", SP_EREHEARSED },
    { "dp_tr", SP_EREHEARSED },      { "tree_spider", SP_EREHEARSED }, { "em_zoom", SP_EREHEARSED },
    { "warm_start", SP_EINVAL },     { "start", SP_OK },
};

static sp_status rehearse(const trial_problem *t, const sp_algorithm *a, sp_privacy privacy, sp_error *error)
{
    const sp_dataset header = { .storage = SP_STORE_DENSE, .n = N, .d = t->data.d, .radius = 1.0, .label_bound = 1.0 };
    sp_problem problem = t->problem;
    sp_oracle *o = NULL;
    sp_values values;
    double w[D] = { 0.0 };
    problem.train = &header;
    sp_values_start(&values, a->params);
    const sp_oracle_options options = { .problem = &problem, .privacy = privacy, .rehearsal = true };
    sp_status status = sp_oracle_new(&options, &o, error);
    if (status != SP_OK)
        return status;
    status = a->run(o, &values, w);
    *error = *sp_oracle_error(o);
    if (status != SP_OK)
        CHECK(error->text[0] != '\0');
    CHECK(sp_oracle_cost(o).releases == 0);
    CHECK(sp_oracle_ledger(o)->count == 0);
    sp_oracle_free(o);
    return status;
}

static void every_method(const char *loss, double radius, bool private)
{
    trial_problem t;
    sp_error error = { .text = "" };
    const sp_privacy privacy = { .private = private, .epsilon = 1.0, .delta = 1e-6, .noise = true };
    if (!trial_make(loss, N, D, radius, false, &t))
        return;
    for (size_t i = 0; sp_algorithms[i]; i++) {
        const sp_algorithm *a = sp_algorithms[i];
        if (a->fits && a->fits(&t.problem.declared))
            continue;
        const sp_status status = rehearse(&t, a, privacy, &error);
        SP_CHECK_REPORT(a->ignores_data ? status == SP_OK : status != SP_OK, "%s on %s: %s", a->name, loss,
                        sp_status_name(status));
        SP_CHECK_REPORT(status != SP_ENOMEM && status != SP_EBUDGET, "%s on %s: %s", a->name, loss, error.text);
        for (size_t k = 0; private && strcmp(loss, "pseudo_huber") == 0 && k < sizeof ends / sizeof *ends; k++)
            if (strcmp(ends[k].algorithm, a->name) == 0)
                SP_CHECK_REPORT(status == ends[k].status, "%s: %s, %s", a->name, sp_status_name(status), error.text);
    }
    trial_drop(&t);
}

/* What is refused before a record is needed is what a run refuses. */
static void same_refusals(void)
{
    trial_problem t;
    sp_error error = { .text = "" };
    const sp_algorithm *gd = sp_algorithm_find("dp_gd"), *spider = sp_algorithm_find("dp_spider");
    const sp_privacy none = { 0 };
    const sp_privacy paper = { .private = true, .epsilon = 1.0, .delta = 1e-6, .noise = true,
                               .calibration = SP_CALIBRATE_PAPER };
    if (!gd || !spider || !trial_make("logistic", N, D, INFINITY, false, &t)) {
        CHECK(gd && spider);
        return;
    }
    CHECK(rehearse(&t, gd, none, &error) == SP_EINVAL);
    CHECK(strstr(error.text, "steps must be given") != NULL);
    CHECK(rehearse(&t, spider, paper, &error) == SP_EUNSUPPORTED);
    CHECK(strstr(error.text, "no printed formula") != NULL);
    trial_drop(&t);
}

int main(void)
{
    every_method("pseudo_huber", INFINITY, true);
    every_method("pseudo_huber", 1.0, true);
    every_method("logistic", INFINITY, true);
    every_method("logistic", 1.0, false);
    every_method("circular", INFINITY, true);
    every_method("hinge", 1.0, true);
    every_method("cos_saddle", 1.0, true);
    same_refusals();
    return sp_check_done();
}
