/* claims.c -- claims of a Lua file with their defaults, through claims.tsv and back. */
#include "core/plan/plan.h"

#include "core/accountant/accountant.h"
#include "core/base/files.h"
#include "core/base/memory.h"
#include "tests/check.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/stillpoint-claims-XXXXXX";

static char *in_folder(const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_text(const char *name, const char *text)
{
    CHECK_EQUAL(sp_write_file(in_folder(name), text, strlen(text), NULL), SP_OK);
}

static const char experiment[] =
    "return { seed = 20240607, replicates = 6,\n"
    "  problem = { loss = { 'huber_ramp', slope = { 0.5, 0.25, 0.125 } }, n = { 100, 200, 400, 800 }, d = 3 },\n"
    "  privacy = { epsilon = { 1, 2 }, delta = 1e-6 },\n"
    "  algorithms = { { 'dp_gd' }, { 'dp_spider', steps = { 10, 20 } },\n"
    "    { 'dp_gd', label = 'dp_spider nothing', steps = 3 } }, measures = { 'grad_norm' },\n"
    "  claims = {\n"
    "    { algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -0.5, mode = 'sup', family = 'loss.slope',\n"
    "      closed = 'low', where = { epsilon = 2 } },\n"
    "    { algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = 'bound', mode = 'theory', tolerance = 0.1,\n"
    "      rival = -2/3, log = 1, per = { steps = 1, eta = -0.5 }, control = 'dp_spider nothing', tight = true,\n"
    "      origin = 'conjecture', source = 'Cor. 5.3',\n"
    "      within = { grad_norm = 2.385 }, from = 150, to = 1000, start = 0.4, scatter = 0.7, toward = 'zero',\n"
    "      where = { epsilon = 1, ['loss.slope'] = 0.25 } },\n"
    "    { algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'bound', constant = 2.385, floor = 5,\n"
    "      below = 'dp_spider', where = { epsilon = 1, ['loss.slope'] = 0.25 } },\n"
    "    { algorithm = 'dp_spider', y = 'grad_norm', x = 'n', exponent = -0.57, mode = 'inversion', alpha = 'steps',\n"
    "      reach = 2, share = 0.8, where = { epsilon = 1, ['loss.slope'] = 0.25 } } } }\n";

static void same(const char *a, const char *b)
{
    if (a && b)
        CHECK_TEXT(a, b);
    else
        CHECK(!a && !b);
}

static void test_plan(const sp_plan *plan)
{
    const sp_claim *c = plan->claim;
    CHECK_EQUAL(plan->claims, 4);
    CHECK_TEXT(c[0].mode, "sup");
    CHECK_TEXT(c[0].family, "loss.slope");
    CHECK_NEAR(c[0].tolerance, 0.05, 0);
    CHECK_NEAR(c[0].scatter, 0.15, 1e-15); /* three tolerances, above 0.5 / 4 */
    CHECK_NEAR(c[0].floor, 0.0, 0);
    CHECK_NEAR(c[0].start, 0.5, 0);
    CHECK_NEAR(c[0].from, 0.0, 0);
    CHECK(isinf(c[0].to) && isnan(c[0].constant) && !c[0].alpha);
    CHECK(isnan(c[0].rival) && c[0].log == 0.0 && c[0].pers == 0 && !c[0].control && !c[0].source && !c[0].tight);
    CHECK_TEXT(c[0].origin, "theorem");
    CHECK_NEAR(c[1].rival, -2.0 / 3.0, 0);
    CHECK_NEAR(c[1].log, 1.0, 0);
    CHECK_TEXT(c[1].control, "dp_spider nothing");
    CHECK_TEXT(c[1].origin, "conjecture");
    CHECK_TEXT(c[1].source, "Cor. 5.3");
    CHECK(c[1].tight);
    CHECK_EQUAL(c[1].pers, 2);
    sp_text per = { 0 };
    sp_claim_powers(&c[1], &per);
    CHECK_TEXT(per.data, "eta=-0.5, steps=1");
    sp_text_free(&per);
    sp_text within = { 0 };
    sp_claim_limits(&c[1], &within);
    CHECK_TEXT(within.data, "grad_norm=2.385");
    sp_text_free(&within);
    CHECK(isnan(c[1].exponent) && c[0].withins == 0);
    CHECK_TEXT(c[0].closed, "low");
    CHECK_TEXT(c[0].toward, "infinity");
    CHECK(c[0].points == 4 && c[0].levels == 1 && c[0].members == 3 && c[0].replicates == 6);
    CHECK_NEAR(c[1].floor, 3.0, 0); /* theory */
    CHECK_NEAR(c[1].scatter, 0.7, 0);
    CHECK_NEAR(c[1].from, 150.0, 0);
    CHECK_NEAR(c[1].to, 1000.0, 0);
    CHECK_TEXT(c[1].closed, "neither");
    CHECK_TEXT(c[1].toward, "zero");
    CHECK(!c[1].family && c[1].members == 1 && c[1].points == 4);
    CHECK_NEAR(c[2].constant, 2.385, 0);
    CHECK_NEAR(c[2].floor, 5.0, 0);
    CHECK_NEAR(c[2].scatter, 0.25, 0); /* a quarter of the exponent */
    CHECK_TEXT(c[2].below, "dp_spider");
    CHECK(!c[0].below && !c[1].below && !c[3].below);
    CHECK_TEXT(c[3].alpha, "steps");
    CHECK(c[3].levels == 2 && c[3].reach == 2.0 && c[3].share == 0.8);
}

static void test_round_trip(const sp_plan *plan)
{
    sp_claims read;
    sp_text a = { 0 }, b = { 0 };
    CHECK_EQUAL(sp_claims_write(plan->claim, plan->claims, plan->seed, folder, NULL), SP_OK);
    CHECK_EQUAL(sp_claims_read(folder, &read, NULL), SP_OK);
    CHECK_EQUAL(read.count, plan->claims);
    CHECK_EQUAL(read.seed, 20240607);
    for (size_t i = 0; i < read.count; i++) {
        const sp_claim *x = &plan->claim[i], *y = &read.claim[i];
        const char *const text[][2] = { { x->sweep, y->sweep }, { x->algorithm, y->algorithm }, { x->y, y->y },
                                        { x->x, y->x }, { x->mode, y->mode }, { x->family, y->family },
                                        { x->closed, y->closed }, { x->alpha, y->alpha }, { x->toward, y->toward },
                                        { x->below, y->below }, { x->control, y->control },
                                        { x->source, y->source }, { x->origin, y->origin } };
        const double number[][2] = { { x->log, y->log }, { x->tolerance, y->tolerance },
                                     { x->scatter, y->scatter }, { x->from, y->from }, { x->floor, y->floor },
                                     { x->start, y->start }, { x->reach, y->reach }, { x->share, y->share } };
        for (size_t k = 0; k < sizeof text / sizeof *text; k++)
            same(text[k][0], text[k][1]);
        for (size_t k = 0; k < sizeof number / sizeof *number; k++)
            CHECK_NEAR(number[k][0], number[k][1], 0);
        CHECK(x->to == y->to && (x->constant == y->constant || (isnan(x->constant) && isnan(y->constant))));
        CHECK(x->exponent == y->exponent || (isnan(x->exponent) && isnan(y->exponent)));
        CHECK(x->rival == y->rival || (isnan(x->rival) && isnan(y->rival)));
        CHECK(x->tight == y->tight);
        CHECK(x->points == y->points && x->levels == y->levels && x->members == y->members &&
              x->replicates == y->replicates);
        CHECK_EQUAL(x->wheres, y->wheres);
        sp_claim_conditions(x, &a);
        sp_claim_conditions(y, &b);
        sp_claim_powers(x, &a);
        sp_claim_powers(y, &b);
        CHECK_EQUAL(x->withins, y->withins);
        sp_claim_limits(x, &a);
        sp_claim_limits(y, &b);
        CHECK_TEXT(a.data, b.data);
        sp_text_free(&a);
        sp_text_free(&b);
    }
    sp_claims_free(&read);
}

static void test_refused(void)
{
    static const struct {
        const char *find, *replace, *message;
    } bad[] = {
        { "tolerance", "toleranse",
          "a column is missing: another version wrote it, `stillpoint export` writes it anew" },
        { "epsilon=2", "epsilon 2", "claims.tsv: line 2 is not a claim" },
        { "\t0.05\t", "\tsome\t", "line 2 is not a claim" },
        { "20240607\tmain\tdp_gd", "20240607\t-\tdp_gd", "line 2 is not a claim" },
        { "\tsup\t", "\tsoup\t", "line 2 is not a claim" },
        { "\tsup\t", "\tsu\t", "line 2 is not a claim" },
        { "\ttheorem\t", "\tme\t", "line 2 is not a claim" },
        { "\tlow\t", "\tmaybe\t", "line 2 is not a claim" },
        { "\tinfinity\t", "\teast\t", "line 2 is not a claim" },
        { "eta=-0.5", "eta=half", "line 3 is not a claim" },
        { "grad_norm=2.385", "grad_norm=much", "line 3 is not a claim" },
        { "\t0.05\t", "\tNaN\t", "line 2 is not a claim" },
        { "\tyes\t", "\tmaybe\t", "line 3 is not a claim" },
        { "20240607", "seed", "claims.tsv:2: seed = seed" },
        { "\t4\t1\t3\t6\t", "\t4\t0\t3\t6\t", "line 2 is not a claim" },
    };
    sp_claims read;
    sp_error error = { 0 };
    FILE *file = fopen(in_folder("claims.tsv"), "r");
    char good[8192];
    good[fread(good, 1, sizeof good - 1, file)] = '\0';
    fclose(file);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *at = strstr(good, bad[i].find);
        CHECK(at != NULL);
        if (!at)
            continue;
        char *text = sp_format("%.*s%s%s", (int)(at - good), good, bad[i].replace, at + strlen(bad[i].find));
        write_text("claims.tsv", text);
        CHECK_EQUAL(sp_claims_read(folder, &read, &error), SP_EDATA);
        CHECK_CONTAINS(error.text, bad[i].message);
        CHECK(!read.claim && !read.value);
        free(text);
    }
    unlink(in_folder("claims.tsv"));
    CHECK_EQUAL(sp_claims_read(folder, &read, &error), SP_EABSENT);
    CHECK_CONTAINS(error.text, "no claims.tsv there yet");
}

/* Tables of experiments that limit nothing are what they were. */
static void test_no_limits(void)
{
    sp_claim claim = CLAIMS_OF("a_gd", -0.5, "sup");
    sp_claims read;
    sp_table t = { 0 };
    CHECK_EQUAL(sp_claims_write(&claim, 1, 5, folder, NULL), SP_OK);
    CHECK_EQUAL(sp_table_read(in_folder("claims.tsv"), &t, NULL), SP_OK);
    CHECK_EQUAL(sp_table_column(&t, "within"), t.columns);
    CHECK_EQUAL(sp_table_column(&t, "per") + 1, t.columns);
    sp_table_free(&t);
    CHECK_EQUAL(sp_claims_read(folder, &read, NULL), SP_OK);
    CHECK(read.count == 1 && read.claim[0].withins == 0);
    sp_claims_free(&read);
}

/* Labels, axes and values may hold whatever a table or a list of conditions is cut at. */
static void test_awkward_texts(void)
{
    char label[] = "-", other[] = "back\\slash\tand tab", key[] = "problem.a=b", value[] = "x, y=\\z, ", blank[] = "";
    sp_axis_value where[] = { { key, value, NULL }, { other, blank, NULL } };
    sp_claim claim = CLAIMS_OF("", -0.5, "sup");
    sp_claims read;
    sp_error error = { 0 };
    claim.algorithm = label;
    claim.below = other;
    claim.where = where;
    claim.wheres = 2;
    CHECK_EQUAL(sp_claims_write(&claim, 1, 5, folder, NULL), SP_OK);
    CHECK_EQUAL(sp_claims_read(folder, &read, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    CHECK_EQUAL(read.count, 1);
    if (read.count == 1) {
        CHECK_TEXT(read.claim[0].algorithm, label);
        CHECK_TEXT(read.claim[0].below, other);
        CHECK(read.claim[0].family == NULL);
        CHECK_EQUAL(read.claim[0].wheres, 2);
        for (size_t i = 0; i < read.claim[0].wheres && i < 2; i++) {
            CHECK_TEXT(read.claim[0].where[i].key, where[i].key);
            CHECK_TEXT(read.claim[0].where[i].value, where[i].value);
        }
    }
    sp_claims_free(&read);
}

/* Without a claim the table has its head alone. */
static void test_none(void)
{
    const sp_plan plan = { .seed = 5 };
    sp_claims read;
    CHECK_EQUAL(sp_claims_write(plan.claim, plan.claims, plan.seed, folder, NULL), SP_OK);
    CHECK_EQUAL(sp_claims_read(folder, &read, NULL), SP_OK);
    CHECK_EQUAL(read.count, 0);
    sp_claims_free(&read);
}

/* The family that the problem declares is the claim's, unless a member is chosen. */
static void test_declared_family(void)
{
    sp_plan plan;
    sp_error error = { 0 };
    write_text("f.lua", "return { seed = 1, problem = { n = { 10, 20 }, d = 3,\n"
                        "  loss = { 'pseudo_huber', scale = { 2, 3.6 }, distance = 1.5, tilt = 0 },\n"
                        "  family = 'loss.scale', declared = { beta = 1, gap = 2, rho_hessian = 1 } },\n"
                        "  privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { { 'dp_gd' } },\n"
                        "  measures = { 'grad_norm' }, claims = {\n"
                        "  { algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -0.5, mode = 'sup' },\n"
                        "  { algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -0.5, mode = 'theory',\n"
                        "    where = { ['loss.scale'] = 2 } } } }\n");
    CHECK_EQUAL(sp_plan_load(in_folder("f.lua"), "default", &plan, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    if (plan.claims == 2) {
        CHECK_TEXT(plan.claim[0].family, "problem.loss.scale");
        CHECK_EQUAL(plan.claim[0].members, 2);
        CHECK(!plan.claim[1].family);
        CHECK_EQUAL(plan.claim[1].members, 1);
    }
    sp_plan_free(&plan);
}

/* A budget in other units varies where epsilon or delta does, and is what the definitions say. */
static void test_budgets(void)
{
    static const char *const x[] = { "mu", "rho", "epsilon" };
    sp_plan plan;
    sp_error error = { 0 };
    write_text("b.lua", "return { seed = 1, problem = { n = 10, d = 3, loss = 'pseudo_huber' },\n"
                        "  privacy = { epsilon = { 0.5, 1, 2.385 },\n"
                        "              delta = function (c) return 1e-6 / c.epsilon end },\n"
                        "  algorithms = { { 'dp_gd' }, { 'gd' } }, measures = { 'grad_norm' }, claims = {\n"
                        "  { algorithm = 'dp_gd', y = 'grad_norm', x = 'mu', exponent = -0.5, mode = 'theory' },\n"
                        "  { algorithm = 'dp_gd', y = 'grad_norm', x = 'rho', exponent = -0.25, mode = 'theory' },\n"
                        "  { algorithm = 'dp_gd', y = 'grad_norm', x = 'epsilon', exponent = -1, mode = 'theory' }\n"
                        "  }, figures = { { name = 'f', kind = 'rate', x = 'mu', y = 'grad_norm' } } }\n");
    CHECK_EQUAL(sp_plan_load(in_folder("b.lua"), "default", &plan, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    for (size_t i = 0; i < plan.claims; i++) {
        CHECK_TEXT(plan.claim[i].x, x[i]);
        CHECK_EQUAL(plan.claim[i].points, 3);
    }
    CHECK_EQUAL(plan.claims, 3);
    sp_plan_free(&plan);

    static const double epsilon[] = { 0.1, 1.0, 8.0 }, delta[] = { 1e-12, 1e-6, 1e-2 };
    for (size_t i = 0; i < 9; i++) {
        const double e = epsilon[i / 3], d = delta[i % 3];
        CHECK_NEAR(sp_gaussian_delta(sp_budget_as("mu", e, d), e), d, 1e-9 * d);
        CHECK_NEAR(sp_zcdp_epsilon(sp_budget_as("rho", e, d), d), e, 1e-9 * e);
    }
    CHECK(isnan(sp_budget_as("mu", 0.0, 1e-6)) && isnan(sp_budget_as("rho", INFINITY, 1e-6)));
    CHECK(isnan(sp_budget_as("mu", 1.0, 0.0)) && isnan(sp_budget_as("rho", 1.0, 1.0)) &&
          isnan(sp_budget_as("mu", NAN, NAN)));
    CHECK(sp_is_budget("mu") && sp_is_budget("rho") && !sp_is_budget("epsilon") && !sp_is_budget(""));
}

int main(void)
{
    sp_plan plan;
    sp_error error = { 0 };
    if (!mkdtemp(folder))
        return 1;
    write_text("e.lua", experiment);
    CHECK_EQUAL(sp_plan_load(in_folder("e.lua"), "default", &plan, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    if (plan.claims == 4) {
        test_plan(&plan);
        test_round_trip(&plan);
        test_refused();
    }
    sp_plan_free(&plan);
    test_no_limits();
    test_awkward_texts();
    test_none();
    test_declared_family();
    test_budgets();
    char *command = sp_format("rm -r %s", folder);
    CHECK_EQUAL(system(command), 0);
    free(command);
    return sp_check_done();
}
