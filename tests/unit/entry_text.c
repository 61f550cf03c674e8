/* entry_text.c -- entries as written, and the round trip of a printed ledger. */
#include "core/accountant/entry_text.h"
#include "tests/check.h"

#include <stdlib.h>

static void read_well(void)
{
    const struct {
        const char *text;
        sp_entry entry;
    } cases[] = {
        { "gauss:noise_multiplier=4,count=100", { SP_LEDGER_GAUSS, .noise_multiplier = 4.0, .count = 100 } },
        { "gauss_wor:noise_multiplier=1.25,rate=0.01,count=1000",
          { SP_LEDGER_GAUSS_WOR, .noise_multiplier = 1.25, .rate = 0.01, .count = 1000 } },
        { "poisson:rate=1e-3,noise_multiplier=.7",
          { SP_LEDGER_POISSON, .noise_multiplier = 0.7, .rate = 1e-3, .count = 1 } },
        { "laplace:scale=4,count=10", { SP_LEDGER_LAPLACE, .epsilon = 0.25, .count = 10 } },
        { "laplace:epsilon=0.3", { SP_LEDGER_LAPLACE, .epsilon = 0.3, .count = 1 } },
        { "em:epsilon=0.1,count=1e9", { SP_LEDGER_EM, .epsilon = 0.1, .count = 1000000000 } },
        { "rnm_laplace:epsilon=0.1", { SP_LEDGER_RNM_LAPLACE, .epsilon = 0.1, .count = 1 } },
        { "svt:epsilon=0.1,pool=3", { SP_LEDGER_SVT, .epsilon = 0.1, .count = 1, .pool = 3 } },
        { "pure:epsilon=0.1,count=10", { SP_LEDGER_PURE, .epsilon = 0.1, .count = 10 } },
        { "approx:epsilon=0.3,delta=1e-7", { SP_LEDGER_APPROX, .epsilon = 0.3, .delta = 1e-7, .count = 1 } },
        { "randomised_response:epsilon=2.5", { SP_LEDGER_RANDOMISED_RESPONSE, .epsilon = 2.5, .count = 1 } },
        { "randomised_response:epsilon=2.5,choices=10",
          { SP_LEDGER_RANDOMISED_RESPONSE, .epsilon = 2.5, .choices = 10, .count = 1 } },
        { "tree:noise_multiplier=4,steps=1000",
          { SP_LEDGER_TREE, .noise_multiplier = 4.0, .steps = 1000, .count = 1 } },
        { "select:noise_multiplier=2,mean=10,shape=inf",
          { SP_LEDGER_SELECT, .noise_multiplier = 2.0, .mean = 10.0, .shape = INFINITY, .count = 1 } },
        { "gauss:noise_multiplier=4,filter=gauss",
          { SP_LEDGER_GAUSS, .noise_multiplier = 4.0, .count = 1, .filter = SP_FILTER_GAUSS } },
        { "em:epsilon=0.1,filter=zcdp", { SP_LEDGER_EM, .epsilon = 0.1, .count = 1, .filter = SP_FILTER_ZCDP } },
        { "svt:epsilon=0.1,filter=none", { SP_LEDGER_SVT, .epsilon = 0.1, .count = 1 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sp_entry e;
        sp_error error = { .text = "" };
        const sp_entry *want = &cases[i].entry;
        SP_CHECK_REPORT(sp_entry_read(cases[i].text, &e, &error) == SP_OK, "%s", error.text);
        CHECK_EQUAL(e.kind, want->kind);
        CHECK(e.noise_multiplier == want->noise_multiplier && e.rate == want->rate && e.epsilon == want->epsilon);
        CHECK(e.delta == want->delta && e.mean == want->mean && e.shape == want->shape);
        CHECK_EQUAL(e.steps, want->steps);
        CHECK_EQUAL(e.choices, want->choices);
        CHECK_EQUAL(e.count, want->count);
        CHECK_EQUAL(e.pool, want->pool);
        CHECK_EQUAL(e.filter, want->filter);
    }
}

static void refused(void)
{
    const char *const cases[][2] = {
        { "", "no entry is called \"\"" },
        { "gaus:noise_multiplier=4", "gaus:noise_multiplier=4: no entry is called \"gaus\"; did you mean gauss?" },
        { "gauss", "gauss: noise_multiplier is missing" },
        { "gauss_wor:noise_multiplier=1", "rate is missing" },
        { "select:noise_multiplier=1,mean=3", "shape is missing" },
        { "gauss:noise_multipler=4", "unknown key \"noise_multipler\"; did you mean noise_multiplier?" },
        { "gauss:noise_multiplier=4,rate=0.1", "unknown key \"rate\"" },
        { "em:scale=1", "unknown key \"scale\"" },
        { "laplace:scal=1", "did you mean scale?" },
        { "em:epsilon=1,filter=zcpd", "filter = \"zcpd\" is none of its values; did you mean zcdp?" },
        { "em:epsilon=1,filter=1", "filter = \"1\" is none of its values" },
        { "approx:epsilon=1,delta=1e-7,filter=basic", "no filter counts such an entry" },
        { "select:noise_multiplier=1,mean=3,shape=1,filter=zcdp", "no filter counts such an entry" },
        { "laplace:scale=1,epsilon=1", "epsilon is given twice" },
        { "laplace:scale=0", "scale must be > 0" },
        { "laplace:scale=nan", "scale must be > 0" },
        { "gauss:noise_multiplier=4,noise_multiplier=4", "given twice" },
        { "gauss:noise_multiplier", "\"noise_multiplier\" is not key=value" },
        { "gauss:noise_multiplier=4,", "\"\" is not key=value" },
        { "gauss:noise_multiplier=", "noise_multiplier is not a number" },
        { "gauss:noise_multiplier=4x", "noise_multiplier is not a number" },
        { "gauss:noise_multiplier=-4", "gauss:noise_multiplier=-4,count=1: noise_multiplier must be > 0" },
        { "gauss:noise_multiplier=nan", "noise_multiplier must be > 0" },
        { "gauss:noise_multiplier=4,count=0", "count must be >= 1" },
        { "gauss:noise_multiplier=4,count=-1", "count must be a whole number" },
        { "gauss:noise_multiplier=4,count=1.5", "count must be a whole number" },
        { "gauss:noise_multiplier=4,count=nan", "count must be a whole number" },
        { "gauss:noise_multiplier=4,count=1e30", "count must be a whole number" },
        { "poisson:noise_multiplier=4,rate=1.5", "rate must be in (0, 1]" },
        { "approx:epsilon=1,delta=0", "delta must be in (0, 1)" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sp_entry e;
        sp_error error = { .text = "" };
        CHECK_EQUAL(sp_entry_read(cases[i][0], &e, &error), SP_EINVAL);
        CHECK_CONTAINS(error.text, cases[i][1]);
        CHECK_EQUAL(sp_entry_read(cases[i][0], &e, NULL), SP_EINVAL);
    }
}

static void round_trip(void)
{
    const sp_entry entries[] = {
        { SP_LEDGER_GAUSS, .noise_multiplier = 0.1 + 0.2, .count = 9007199254740992 },
        { SP_LEDGER_GAUSS_WOR, .noise_multiplier = M_PI * 1e-3, .rate = 1.0 / 3.0, .count = 7 },
        { SP_LEDGER_POISSON, .noise_multiplier = 1e300, .rate = 1.0, .count = 1, .pool = 5 },
        { SP_LEDGER_EM, .epsilon = 1e-17, .count = 3 },
        { SP_LEDGER_RNM_LAPLACE, .epsilon = 0.7, .count = 3 },
        { SP_LEDGER_LAPLACE, .epsilon = 1.0 / 7.0, .count = 3 },
        { SP_LEDGER_SVT, .epsilon = 0.7, .count = 2 },
        { SP_LEDGER_PURE, .epsilon = 0.7, .count = 2, .pool = 4 },
        { SP_LEDGER_APPROX, .epsilon = 0.7, .delta = 1e-12, .count = 2 },
        { SP_LEDGER_RANDOMISED_RESPONSE, .epsilon = 0.7, .count = 2 },
        { SP_LEDGER_RANDOMISED_RESPONSE, .epsilon = 0.7, .choices = 3, .count = 2 },
        { SP_LEDGER_TREE, .noise_multiplier = 2.385, .steps = 77, .count = 2 },
        { SP_LEDGER_SELECT, .noise_multiplier = 2.385, .mean = 0.5, .shape = INFINITY, .count = 2 },
        { SP_LEDGER_SELECT, .noise_multiplier = 2.385, .mean = 5.5, .shape = -0.25, .count = 2 },
    };
    const size_t count = sizeof entries / sizeof entries[0];
    sp_ledger from = { 0 }, to = { 0 };
    sp_text printed = { 0 }, again = { 0 };
    sp_error error = { .text = "" };
    bool seen[SP_LEDGER_KINDS] = { false };
    for (size_t i = 0; i < count; i++) {
        sp_text one = { 0 };
        sp_entry back;
        CHECK_EQUAL(sp_ledger_append(&from, &entries[i]), SP_OK);
        seen[entries[i].kind] = true;
        sp_entry_print(&entries[i], &one); /* the other form */
        SP_CHECK_REPORT(sp_entry_read(one.data, &back, &error) == SP_OK, "%s", error.text);
        CHECK(back.noise_multiplier == entries[i].noise_multiplier && back.epsilon == entries[i].epsilon);
        sp_text_free(&one);
    }
    for (size_t kind = 0; kind < SP_LEDGER_KINDS; kind++)
        SP_CHECK_REPORT(seen[kind], "no case for %s", sp_ledger_kind_name((sp_ledger_kind)kind));
    sp_ledger_print(&from, &printed);
    SP_CHECK_REPORT(sp_ledger_read(printed.data, &to, &error) == SP_OK, "%s", error.text);
    CHECK_EQUAL(to.count, from.count);
    CHECK_EQUAL(to.pools, 5);
    sp_ledger_print(&to, &again);
    CHECK_TEXT(again.data, printed.data);
    for (size_t i = 0; i < count && to.count == count; i++) {
        const sp_entry *a = &to.entry[i], *b = &entries[i];
        CHECK(a->kind == b->kind && a->noise_multiplier == b->noise_multiplier && a->rate == b->rate &&
              a->epsilon == b->epsilon && a->delta == b->delta && a->mean == b->mean && a->shape == b->shape &&
              a->steps == b->steps && a->choices == b->choices && a->count == b->count && a->pool == b->pool);
    }
    sp_text_free(&printed);
    sp_text_free(&again);
    sp_ledger_free(&from);
    sp_ledger_free(&to);
}

static void broken_ledgers(void)
{
    sp_ledger ledger = { 0 };
    sp_error error = { .text = "" };
    CHECK_EQUAL(sp_ledger_read("", &ledger, &error), SP_OK);
    CHECK_EQUAL(ledger.count, 0);
    CHECK_EQUAL(sp_ledger_read("gauss noise_multiplier=2 count=1\nem epsilon=0 count=1\n", &ledger, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "line 2: em:epsilon=0,count=1: epsilon must be > 0");
    CHECK_EQUAL(sp_ledger_read("gauss noise_multiplier=2 cuont=1\n", &ledger, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "line 1: gauss noise_multiplier=2 cuont=1: unknown key \"cuont\"; did you mean count?");
    sp_ledger_free(&ledger);
}

int main(void)
{
    read_well();
    refused();
    round_trip();
    broken_ledgers();
    return sp_check_done();
}
