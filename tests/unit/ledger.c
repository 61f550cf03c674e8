/* ledger.c -- run lengths, checks, copies and the printed form. */
#include "core/accountant/ledger.h"
#include "tests/check.h"

#include <stdint.h>

static sp_entry gauss(double noise_multiplier, size_t count)
{
    return (sp_entry){ .kind = SP_LEDGER_GAUSS, .noise_multiplier = noise_multiplier, .count = count };
}

static sp_entry subset(double noise_multiplier, double rate, size_t count)
{
    return (sp_entry){
        .kind = SP_LEDGER_GAUSS_WOR, .noise_multiplier = noise_multiplier, .rate = rate, .count = count
    };
}

static void append(sp_ledger *ledger, sp_entry entry)
{
    CHECK_EQUAL(sp_ledger_append(ledger, &entry), SP_OK);
}

static void run_lengths(void)
{
    sp_ledger ledger = { 0 };
    for (size_t t = 0; t < 1000; t++) { /* SPIDER: one full batch, then nine subsets */
        if (t % 10 == 0)
            append(&ledger, gauss(3.25, 1));
        else
            append(&ledger, subset(5.77, 0.0122, 1));
    }
    CHECK_EQUAL(ledger.count, 2);
    CHECK_EQUAL(ledger.entry[0].count, 100);
    CHECK_EQUAL(ledger.entry[1].count, 900);

    append(&ledger, gauss(3.25000001, 2)); /* nearly equal is another release */
    append(&ledger, subset(5.77, 0.0123, 4));
    CHECK_EQUAL(ledger.count, 4);
    sp_entry pooled = gauss(3.25, 1);
    pooled.pool = 7;
    append(&ledger, pooled);
    append(&ledger, pooled);
    CHECK_EQUAL(ledger.count, 5);
    CHECK_EQUAL(ledger.entry[4].count, 2);
    CHECK_EQUAL(ledger.pools, 7);
    append(&ledger, gauss(3.25, 1)); /* five entries back: out of sight, so a new entry */
    CHECK_EQUAL(ledger.count, 6);

    sp_ledger_clear(&ledger);
    CHECK_EQUAL(ledger.count, 0);
    CHECK_EQUAL(ledger.pools, 0);
    sp_ledger_free(&ledger);
    CHECK(ledger.entry == NULL);
}

/* Releases of different sensitivity at one multiplier are one entry, which tells the range. */
static void sensitivities(void)
{
    sp_ledger ledger = { 0 };
    sp_entry entry = gauss(2.385, 1);
    const double of[] = { 0.31, 0.07, 0.12 };
    for (size_t i = 0; i < 3; i++) {
        entry.sensitivity_low = entry.sensitivity_high = of[i];
        append(&ledger, entry);
    }
    CHECK_EQUAL(ledger.count, 1);
    CHECK_EQUAL(ledger.entry[0].count, 3);
    CHECK(ledger.entry[0].sensitivity_low == 0.07 && ledger.entry[0].sensitivity_high == 0.31);
    entry.sensitivity_low = 0.5; /* above the highest */
    CHECK_EQUAL(sp_ledger_append(&ledger, &entry), SP_EINVAL);
    entry.sensitivity_low = -0.1;
    CHECK_EQUAL(sp_ledger_append(&ledger, &entry), SP_EINVAL);
    entry.sensitivity_low = 0.1, entry.sensitivity_high = INFINITY;
    CHECK_EQUAL(sp_ledger_append(&ledger, &entry), SP_EINVAL);
    sp_ledger_free(&ledger);
}

static void unused_fields_do_not_matter(void)
{
    sp_ledger ledger = { 0 };
    sp_entry entry = gauss(2.385, 1);
    append(&ledger, entry);
    entry.rate = 0.3;
    entry.epsilon = NAN;
    append(&ledger, entry);
    CHECK_EQUAL(ledger.count, 1);
    sp_ledger_free(&ledger);
}

static void counts_do_not_overflow(void)
{
    sp_ledger ledger = { 0 };
    append(&ledger, gauss(2.385, SIZE_MAX - 3));
    append(&ledger, gauss(2.385, 5));
    CHECK_EQUAL(ledger.count, 2);
    append(&ledger, gauss(2.385, 3)); /* joins the last that has room */
    CHECK_EQUAL(ledger.entry[1].count, 8);
    append(&ledger, subset(1.5, 0.25, 1000000000));
    CHECK_EQUAL(ledger.entry[2].count, 1000000000);
    sp_ledger_free(&ledger);
}

static void copies(void)
{
    sp_ledger from = { 0 }, to = { 0 };
    append(&to, gauss(9.5, 3));
    append(&from, subset(1.75, 0.031, 12));
    append(&from, (sp_entry){ .kind = SP_LEDGER_EM, .epsilon = 0.375, .count = 1, .pool = 4 });
    CHECK_EQUAL(sp_ledger_copy(&from, &to), SP_OK);
    CHECK_EQUAL(to.count, 2);
    CHECK_EQUAL(to.pools, 4);
    CHECK(to.entry[0].rate == 0.031 && to.entry[1].epsilon == 0.375);
    from.entry[0].count = 1;
    CHECK_EQUAL(to.entry[0].count, 12);
    CHECK_EQUAL(sp_ledger_reserve(&to, 1000), SP_OK);
    const sp_entry *before = to.entry;
    for (size_t i = 0; i < 1000; i++)
        append(&to, gauss(1.0 + (double)i, 1));
    CHECK(to.entry == before); /* no allocation after a reservation */
    CHECK_EQUAL(sp_ledger_reserve(&to, SIZE_MAX / 2), SP_ENOMEM);
    sp_ledger_free(&from);
    CHECK_EQUAL(sp_ledger_copy(&from, &to), SP_OK);
    CHECK_EQUAL(to.count, 0);
    sp_ledger_free(&to);
}

static void printed(void)
{
    sp_ledger ledger = { 0 };
    sp_text text = { 0 };
    append(&ledger, gauss(4, 100));
    append(&ledger, subset(1.25, 0.01, 7));
    append(&ledger, (sp_entry){ .kind = SP_LEDGER_APPROX, .epsilon = 0.3, .delta = 1e-7, .count = 1, .pool = 2 });
    append(&ledger, (sp_entry){ .kind = SP_LEDGER_TREE, .noise_multiplier = 2.5, .steps = 64, .count = 1 });
    sp_ledger_print(&ledger, &text);
    CHECK_TEXT(text.data, "gauss noise_multiplier=4 count=100\n"
                          "gauss_wor noise_multiplier=1.25 rate=0.01 count=7\n"
                          "approx epsilon=0.3 delta=1e-07 count=1 pool=2\n"
                          "tree noise_multiplier=2.5 steps=64 count=1\n");
    sp_text_free(&text);
    sp_ledger_free(&ledger);
    CHECK_TEXT(sp_ledger_kind_name(SP_LEDGER_RANDOMISED_RESPONSE), "randomised_response");
    CHECK_TEXT(sp_ledger_kind_name(SP_LEDGER_KINDS), "unknown");
    for (int kind = 0; kind < SP_LEDGER_KINDS; kind++)
        CHECK(strlen(sp_ledger_kind_name((sp_ledger_kind)kind)) > 0);
}

int main(void)
{
    run_lengths();
    sensitivities();
    unused_fields_do_not_matter();
    counts_do_not_overflow();
    copies();
    printed();
    return sp_check_done();
}
