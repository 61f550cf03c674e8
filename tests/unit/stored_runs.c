/* stored_runs.c -- the list of runs that a store holds in memory (core/store/identities.h) against a plain array that
 * is searched from end to end, and what of digits is an identity. */
#include "core/base/hash.h"
#include "core/store/identities.h"

#include "tests/check.h"

#include <stdio.h>

enum { RUNS = 3000 };

/* The digits of run i: a hash; every seventh differs from the one before in the last digit alone. */
static void write_digits(size_t i, char digits[SP_HASH_HEX])
{
    const size_t named = i % 7 == 6 ? i - 1 : i;
    sp_hash hash;
    sp_hash_start(&hash);
    sp_hash_add(&hash, &named, sizeof named);
    sp_hash_end_hex(&hash, digits);
    if (named != i)
        digits[SP_HASH_HEX - 2] = digits[SP_HASH_HEX - 2] == '0' ? '1' : '0';
}

static void every_run_is_found(void)
{
    char digits[SP_HASH_HEX];
    sp_identities runs = { 0 };
    for (size_t i = 0; i < RUNS; i++) {
        sp_stored_run run = { .id = 3 * i + 1, .checkpoints = 0.5 * (double)i, .answers = (uint32_t)(i % 5),
                              .dimension = (uint32_t)(i % 11), .status = i % 2 ? SP_ELIMIT : SP_OK };
        write_digits(i, digits);
        CHECK(sp_identities_find(&runs, digits) == NULL);
        CHECK(sp_identity_read(digits, run.identity) && sp_identities_reserve(&runs));
        sp_identities_put(&runs, &run);
    }
    CHECK_EQUAL(runs.count, RUNS);
    for (size_t i = 0; i < RUNS; i += 3) { /* in the place of the one of the same identity */
        write_digits(i, digits);
        sp_stored_run again = *sp_identities_find(&runs, digits);
        again.id += 1000000;
        CHECK(sp_identities_reserve(&runs));
        sp_identities_put(&runs, &again);
    }
    CHECK_EQUAL(runs.count, RUNS);
    for (size_t i = 0; i < RUNS; i++) {
        write_digits(i, digits);
        const sp_stored_run *run = sp_identities_find(&runs, digits);
        CHECK(run == &runs.run[i] && run == sp_identities_at(&runs, runs.run[i].identity));
        CHECK_EQUAL(run->id, 3 * i + 1 + (i % 3 == 0 ? 1000000 : 0));
        CHECK(run->checkpoints == 0.5 * (double)i && run->answers == i % 5 && run->dimension == i % 11);
        CHECK_EQUAL(run->status, i % 2 ? SP_ELIMIT : SP_OK);
    }
    /* docs/how_to/large_sweeps.md */
    CHECK(runs.count * sizeof *runs.run + runs.slots * sizeof *runs.slot <= 80 * RUNS);
    sp_identities_free(&runs);
    write_digits(0, digits);
    CHECK(sp_identities_find(&runs, digits) == NULL);
}

static void digits_are_read(void)
{
    static const char hex[] = "0123456789abcdef";
    unsigned char identity[SP_HASH_SIZE];
    char digits[SP_HASH_HEX + 1], printed[SP_HASH_HEX];
    write_digits(0, digits);
    for (unsigned value = 0; value < 256; value++) { /* each byte, at each place */
        const size_t at = value % SP_HASH_SIZE;
        digits[2 * at] = hex[value / 16];
        digits[2 * at + 1] = hex[value % 16];
        CHECK(sp_identity_read(digits, identity));
        CHECK_EQUAL(identity[at], value);
        sp_hash_hex(identity, printed);
        CHECK_TEXT(printed, digits);
    }
    for (int c = 1; c < 256; c++) { /* anything else, at a place */
        const size_t at = (size_t)c % (SP_HASH_HEX - 1);
        const char kept = digits[at];
        digits[at] = (char)c;
        CHECK(sp_identity_read(digits, identity) == (strchr(hex, c) != NULL));
        digits[at] = kept;
    }
    for (size_t length = 0; length < SP_HASH_HEX - 1; length++) {
        char shorter[SP_HASH_HEX] = "";
        memcpy(shorter, digits, length);
        CHECK(!sp_identity_read(shorter, identity));
    }
    strcpy(digits + SP_HASH_HEX - 1, "0");
    CHECK(!sp_identity_read(digits, identity));
}

int main(void)
{
    every_run_is_found();
    digits_are_read();
    return sp_check_done();
}
