/* stamps.c -- stamps are read as they were written, followed from hash to hash, and decide whether a run is current;
 * what a sample of reruns shows. */
#include "core/cli/verbs/replay.h"
#include "core/plan/sources.h"
#include "core/run/platform.h"
#include "core/store/store_internal.h"

#include "tests/cells.h"
#include "tests/check.h"

#include <sys/stat.h>

static const char path[] = "stamped/stamps.tsv";

static sp_stamp stamp_of(const char *kind, const char *name, const char *then, const char *now)
{
    sp_stamp s = { .runs = 17, .sample = 311, .commit = "e19951b2385" };
    snprintf(s.kind, sizeof s.kind, "%s", kind);
    snprintf(s.name, sizeof s.name, "%s", name);
    snprintf(s.then, sizeof s.then, "%.16s", then);
    snprintf(s.now, sizeof s.now, "%.16s", now);
    return s;
}

static const char A[] = "0a1b2c3d4e5f6071", B[] = "1a1b2c3d4e5f6072", C[] = "fa1b2c3d4e5f6073",
                  D[] = "8a1b2c3d4e5f6074", E[] = "9a1b2c3d4e5f6075", F[] = "7a1b2c3d4e5f6076";

static void chains(void)
{
    sp_stamps s = { 0 }, again;
    sp_error error = { 0 };
    CHECK_EQUAL(sp_stamps_read("stamped/none.tsv", &again, &error), SP_OK);
    CHECK_EQUAL(again.count, 0);
    CHECK_EQUAL(sp_same_source(&again, A, A), true);
    CHECK_EQUAL(sp_same_source(&again, A, B), false);
    const sp_stamp list[] = { stamp_of("core", "", C, D), stamp_of("core", "", A, B), stamp_of("core", "", B, C),
                              stamp_of("loss", "logistic", E, F), stamp_of("keys", "kl", "", D),
                              stamp_of("core", "", A, B) };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        CHECK_EQUAL(sp_stamps_add(&s, &list[i]), SP_OK);
    CHECK_EQUAL(s.count, 5);
    CHECK_EQUAL(sp_stamps_write(path, &s, &error), SP_OK);
    CHECK_EQUAL(sp_stamps_read(path, &again, &error), SP_OK);
    CHECK_EQUAL(again.count, 5);
    CHECK_EQUAL(strcmp(again.stamp[0].then, A), 0);
    CHECK_EQUAL(again.stamp[0].runs, 17);
    CHECK_EQUAL(again.stamp[0].sample, 311);
    CHECK_EQUAL(strcmp(again.stamp[0].commit, "e19951b2385"), 0);
    const char *const group[] = { A, B, C, D };
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 4; k++) {
            CHECK_EQUAL(sp_same_source(&again, group[i], group[k]), true);
            CHECK_EQUAL(sp_same_source(&again, group[i], E), false);
        }
    CHECK_EQUAL(sp_same_source(&again, E, F), true);
    CHECK_EQUAL(sp_same_source(&again, "0a1b2c3d4e5f6071ffff", "8a1b2c3d4e5f60740000"), true); /* whole hashes */
    CHECK_EQUAL(sp_same_source(&again, "", D), false);
    CHECK_EQUAL(sp_same_source(&again, sp_unknown_source, D), false);
    CHECK_EQUAL(sp_same_source(&again, "0a1b2c3d4e5f607", D), false);
    sp_stamps_free(&s);
    sp_stamps_free(&again);
}

static void refusals(void)
{
    static const char *const text[] = {
        "kind\tname\told\tnew\truns\tsample\n", /* a column less */
        "kind\tname\told\tnew\truns\tsample\tcommit\ncore\t-\t0a1b2c3d4e5f6071\t1a1b\t1\t1\tx\n",
        "kind\tname\told\tnew\truns\tsample\tcommit\ncore\t-\t-\t1a1b2c3d4e5f6072\t1\t1\tx\n",
        "kind\tname\told\tnew\truns\tsample\tcommit\ncore\t-\t0A1b2c3d4e5f6071\t1a1b2c3d4e5f6072\t1\t1\tx\n",
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        sp_stamps s;
        FILE *file = fopen(path, "w");
        fputs(text[i], file);
        fclose(file);
        CHECK_EQUAL(sp_stamps_read(path, &s, NULL), SP_EDATA);
        CHECK_EQUAL(s.count, 0);
    }
}

/* The key of a cell by the sources of now. */
typedef struct made_key {
    char digits[CORE + 1][SP_HASH_HEX], measures[128];
    const char *text[SP_KEY_TEXTS];
} made_key;

static void make_key(const sp_cell *cell, made_key *key)
{
    const sp_method *method = cell->method;
    const char *measure = cell->measure[0]->name;
    sp_hash hash;
    memset(key, 0, sizeof *key);
    sp_hash_start(&hash);
    sp_hash_method(&hash, method);
    sp_hash_end_hex(&hash, key->digits[ALGORITHM]);
    snprintf(key->digits[LOSS], SP_HASH_HEX, "%s", sp_source_of("losses", cell->problem->loss->name));
    snprintf(key->digits[CORE], SP_HASH_HEX, "%s", sp_source_hash("core"));
    snprintf(key->measures, sizeof key->measures, "%s %.16s", measure, sp_source_of("measures", measure));
    for (size_t i = 0; i <= CORE; i++) {
        key->digits[i][SP_KEY_DIGITS] = '\0';
        key->text[i] = key->digits[i];
    }
    key->text[PLATFORM] = sp_platform();
    key->text[MEASURE_SOURCES] = key->measures;
}

static sp_store *open_store(void)
{
    sp_store *store = NULL;
    CHECK_EQUAL(sp_store_open("stamped/one", &store, NULL), SP_OK);
    return store;
}

static sp_run_state state_of(const sp_cell *cell)
{
    sp_run_state state = SP_RUN_MISSING;
    sp_store *store = open_store();
    CHECK_EQUAL(sp_store_state(store, cell, 0, &state, NULL, NULL), SP_OK);
    sp_store_close(store);
    return state;
}

static bool is_current(const sp_cell *cell, const made_key *key)
{
    sp_store *store = open_store();
    const bool current = sp_key_is_current(store, cell, key->text);
    sp_store_close(store);
    return current;
}

static void put(const sp_cell *cell, const made_key *key)
{
    sp_imported what;
    sp_result r;
    sp_error error = { 0 };
    sp_store *store = open_store();
    sp_result_start(&r);
    r.value[0] = 2.385;
    r.resolved = sp_copy_text("");
    r.ledger = sp_copy_text("");
    const sp_incoming in = { .from = "here", .cell = cell, .result = &r, .key = key->text };
    SP_CHECK_REPORT(sp_store_import(store, &in, false, &what, &error) == SP_OK, "%s", error.text);
    CHECK_EQUAL(what, SP_BROUGHT_NEW);
    sp_result_free(&r);
    sp_store_close(store);
}

/* A run by an older core, loss, algorithm and measure is current once each of them is stamped. */
static void current(void)
{
    sp_cell cell;
    made_key now, old;
    sp_stamps s = { 0 };
    CHECK_EQUAL(remove(path), 0);
    cells_make(&cell, &cells_algorithm_walk, "walk");
    cell.measure[0] = sp_measure_find("grad_norm");
    cell.checkpoints = 0.0;
    make_key(&cell, &now);
    CHECK_EQUAL(is_current(&cell, &now), true);
    make_key(&cell, &old);
    memcpy(old.digits[CORE], A, sizeof A);
    memcpy(old.digits[LOSS], E, sizeof E);
    memcpy(old.digits[ALGORITHM], F, sizeof F);
    snprintf(old.measures, sizeof old.measures, "grad_norm %s", C);
    put(&cell, &old);
    const char *const measure = strchr(now.measures, ' ') + 1;
    const sp_stamp list[] = { stamp_of("core", "", A, B), stamp_of("core", "", B, now.digits[CORE]),
                              stamp_of("loss", "pseudo_huber", E, now.digits[LOSS]),
                              stamp_of("algorithm", "walk", F, now.digits[ALGORITHM]),
                              stamp_of("measure", "grad_norm", C, measure) };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        CHECK_EQUAL(is_current(&cell, &old), false);
        CHECK_EQUAL(state_of(&cell), SP_RUN_STALE);
        CHECK_EQUAL(sp_stamps_add(&s, &list[i]), SP_OK);
        CHECK_EQUAL(sp_stamps_write(path, &s, NULL), SP_OK);
    }
    CHECK_EQUAL(is_current(&cell, &old), true);
    CHECK_EQUAL(state_of(&cell), SP_RUN_DONE);
    snprintf(old.measures, sizeof old.measures, "grad_norm %s", D);
    CHECK_EQUAL(is_current(&cell, &old), false);
    sp_stamps_free(&s);
    cells_free(&cell);
}

/* The share p at which so few of a sample differ with probability 0.05, by the binomial sum. */
static void shares(void)
{
    static const struct { size_t differ, sample; const char *percent; } cases[] = {
        { 0, 299, " 1 %" }, { 0, 5, " 46 %" }, { 0, 1, " 95 %" }, { 1, 20, " 22 %" }, { 3, 311, " 2.5 %" },
          { 17, 23, " 88 %" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const double p = sp_share_at_most(cases[c].differ, cases[c].sample), n = (double)cases[c].sample;
        double sum = 0.0, term = pow(1.0 - p, n);
        for (size_t k = 0; k <= cases[c].differ; k++) {
            sum += term;
            term *= (n - (double)k) / ((double)k + 1.0) * p / (1.0 - p);
        }
        CHECK_NEAR(sum, 0.05, 1e-9);
        sp_text text = { 0 };
        sp_share_print(cases[c].differ, cases[c].sample, 1000, &text);
        SP_CHECK_REPORT(strstr(text.data, cases[c].percent), "%zu of %zu: %s", cases[c].differ, cases[c].sample,
                        text.data);
        sp_text_free(&text);
    }
    CHECK_NEAR(sp_share_at_most(7, 7), 1.0, 0.0);
    CHECK_NEAR(sp_share_at_most(0, 0), 1.0, 0.0);
}

int main(void)
{
    CHECK_EQUAL(system("rm -rf stamped"), 0);
    CHECK_EQUAL(mkdir("stamped", 0777), 0);
    CHECK_EQUAL(mkdir("stamped/one", 0777), 0);
    chains();
    refusals();
    current();
    shares();
    CHECK_EQUAL(system("rm -rf stamped"), 0);
    return sp_check_done();
}
