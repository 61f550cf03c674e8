/* unit/audits.c -- audits in one row: its key changes with every source behind it and with nothing else; a method that
 * takes something past the oracle fails; verdicts are kept in the store and in the cache, each is made once, and what
 * is damaged is made again. Linked with sp_source_hash wrapped. */
#include "core/oracle/oracle_internal.h"
#include "core/plan/sources.h"
#include "core/store/audits.h"
#include "core/export/export.h"
#include "core/sweep/audits.h"
#include "tests/cells.h"
#include "tests/check.h"
#include "tests/experiment.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_errno.h>
#include <signal.h>
#include <sqlite3.h>

/* --- other sources -------------------------------------------------------------------------------------------- */

const char *__real_sp_source_hash(const char *name);
const char *__wrap_sp_source_hash(const char *name);

static const char *edited; /* the name whose source is another one; NULL: none */

const char *__wrap_sp_source_hash(const char *name)
{
    return edited && strcmp(name, edited) == 0 ? "edited" : __real_sp_source_hash(name);
}

/* --- methods -------------------------------------------------------------------------------------------------- */

enum { STEPS, FIRST, SECOND };
static const sp_param params[] = {
    [STEPS] = { "steps", SP_COUNT, 3, { 1, 50 }, "releases" },
    { 0 }
};
static const sp_param nesting_params[] = {
    [STEPS] = { "steps", SP_COUNT, 3, { 1, 50 }, "releases" },
    [FIRST] = { "first", SP_METHOD, SP_REQUIRED, { 0, 0 }, "a method" },
    [SECOND] = { "second", SP_METHOD, SP_REQUIRED, { 0, 0 }, "a method" },
    { 0 }
};

static sp_status run_honest(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    double multiplier = 0.0, *g = sp_alloc_doubles(sp_dimension(o));
    const sp_release_plan plan = { .kind = SP_GRADIENT, .sample = sp_full(), .count = sp_count(v, STEPS) };
    sp_batch all;
    if (!g)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory"));
    SP_TRY(sp_calibrate(o, &plan, 1, &multiplier));
    SP_TRY(sp_draw(o, sp_full(), &all));
    for (size_t t = 0; t < sp_count(v, STEPS); t++) {
        SP_TRY(sp_gradient(o, &SP_AT(all, w), multiplier, g));
        cblas_daxpy((int)sp_dimension(o), -0.01, g, 1, w, 1);
        SP_TRY(sp_checkpoint(o, t + 1, w));
    }
cleanup:
    free(g);
    return status;
}

/* Takes the first record's label past the oracle. */
static sp_status run_thief(sp_oracle *o, const sp_values *v, double *w)
{
    const sp_status status = run_honest(o, v, w);
    w[0] += 1e-9 * o->problem->train->y[0];
    return status;
}

/* Counts its runs, and says how many there were. */
static sp_status run_counter(sp_oracle *o, const sp_values *v, double *w)
{
    static double runs;
    const sp_status status = run_honest(o, v, w);
    w[sp_dimension(o) > 1] += 1e-9 * runs++;
    return status;
}

static sp_status run_spin(sp_oracle *o, const sp_values *v, double *w)
{
    (void)o, (void)v, (void)w;
    for (volatile size_t i = 0;; i++)
        ;
    return SP_OK;
}

static sp_status run_crash(sp_oracle *o, const sp_values *v, double *w)
{
    (void)o, (void)v, (void)w;
    signal(SIGSEGV, SIG_DFL); /* a sanitizer would turn it into an exit */
    raise(SIGSEGV);
    return SP_OK;
}

static sp_status run_interrupt(sp_oracle *o, const sp_values *v, double *w)
{
    (void)o, (void)v, (void)w;
    kill(getppid(), SIGINT);
    sleep(600);
    return SP_OK;
}

static sp_status run_hungry(sp_oracle *o, const sp_values *v, double *w)
{
    (void)v, (void)w;
    return sp_refuse(o, SP_ENOMEM, "no memory at all");
}

static const char *fits_nothing(const sp_constants *c)
{
    (void)c;
    return "nothing is good enough";
}

static const sp_algorithm honest = { .name = "honest", .params = params, .run = run_honest };
static const sp_algorithm thief = { .name = "thief", .params = params, .run = run_thief };
static const sp_algorithm counter = { .name = "counter", .params = params, .run = run_counter };
static const sp_algorithm spin = { .name = "spin", .params = params, .run = run_spin };
static const sp_algorithm crash = { .name = "crash", .params = params, .run = run_crash };
static const sp_algorithm interrupt = { .name = "interrupt", .params = params, .run = run_interrupt };
static const sp_algorithm hungry = { .name = "hungry", .params = params, .run = run_hungry };
static const sp_algorithm misfit = { .name = "misfit", .params = params, .run = run_crash, .fits = fits_nothing };
static const sp_algorithm pair = { .name = "pair", .params = nesting_params, .run = run_honest };

static sp_method method_of(const sp_algorithm *algorithm)
{
    sp_method m = { .algorithm = algorithm };
    sp_values_start(&m.values, algorithm->params);
    return m;
}

/* --- the key -------------------------------------------------------------------------------------------------- */

/* Is the key of the method another one when that source is? */
static bool depends(const sp_method *method, const char *source)
{
    char before[SP_HASH_HEX], after[SP_HASH_HEX];
    sp_audit_key(NULL, method, 100, 1, before);
    edited = source;
    sp_audit_key(NULL, method, 100, 1, after);
    edited = NULL;
    CHECK_EQUAL(strlen(before), SP_HASH_HEX - 1);
    return strcmp(before, after) != 0;
}

static bool differ(const sp_method *a, const sp_method *b)
{
    char key[2][SP_HASH_HEX];
    sp_audit_key(NULL, a, 100, 1, key[0]);
    sp_audit_key(NULL, b, 100, 1, key[1]);
    CHECK_EQUAL(sp_audit_same(a, b), strcmp(key[0], key[1]) == 0);
    return strcmp(key[0], key[1]) != 0;
}

static void key_is_of_the_sources(void)
{
    sp_method rrsgd = method_of(sp_algorithm_find("rrsgd")), other = rrsgd;
    CHECK(depends(&rrsgd, "core"));
    CHECK(depends(&rrsgd, "core/audit"));
    CHECK(depends(&rrsgd, "algorithms/rrsgd"));
    CHECK(depends(&rrsgd, "algorithms/parts/fits")); /* a part of it */
    CHECK(depends(&rrsgd, "algorithms/parts/theory"));
    CHECK(depends(&rrsgd, "losses/logistic")); /* which it is audited on */
    CHECK(!depends(&rrsgd, "algorithms/parts/momentum")); /* a part of others */
    CHECK(!depends(&rrsgd, "algorithms/dp_gd"));
    CHECK(!depends(&rrsgd, "measures/grad_norm"));
    CHECK(!depends(&rrsgd, "core/data/generators/signs"));
    CHECK(sp_source_hash("core/audit") && sp_source_hash("algorithms/parts/momentum") &&
          sp_source_hash("measures/grad_norm") && sp_source_hash("core/data/generators/signs"));

    CHECK_EQUAL(sp_values_set_number(&other.values, "rrsgd", "batch", 7.0, NULL), SP_OK);
    CHECK(!differ(&rrsgd, &other)); /* audits have parameters of their own */
    other = method_of(sp_algorithm_find("dp_gd"));
    CHECK(differ(&rrsgd, &other));
    other = method_of(&honest);
    const sp_method another = method_of(&thief); /* made by hand: no sources */
    CHECK(differ(&other, &another));

    char one[SP_HASH_HEX], two[SP_HASH_HEX], three[SP_HASH_HEX];
    sp_audit_key(NULL, &rrsgd, 100, 1, one);
    sp_audit_key(NULL, &rrsgd, 101, 1, two);
    sp_audit_key(NULL, &rrsgd, 100, 2, three);
    CHECK(strcmp(one, two) != 0 && strcmp(one, three) != 0 && strcmp(two, three) != 0);
}

static void key_is_of_what_is_inside(void)
{
    const sp_method a = method_of(sp_algorithm_find("dp_sgd")), b = method_of(sp_algorithm_find("dp_spider"));
    sp_method there = method_of(sp_algorithm_find("warm_start")), back = there,
              half[2] = { method_of(&pair), method_of(&pair) };
    CHECK_EQUAL(sp_values_set_method(&there.values, "x", "first", &a, NULL), SP_OK);
    CHECK_EQUAL(sp_values_set_method(&there.values, "x", "second", &b, NULL), SP_OK);
    CHECK_EQUAL(sp_values_set_method(&back.values, "x", "first", &b, NULL), SP_OK);
    CHECK_EQUAL(sp_values_set_method(&back.values, "x", "second", &a, NULL), SP_OK);
    CHECK(differ(&there, &back));
    CHECK(depends(&there, "algorithms/warm_start"));
    CHECK(depends(&there, "algorithms/dp_sgd"));
    CHECK(depends(&there, "algorithms/dp_spider"));
    CHECK(depends(&there, "algorithms/dp_gd")); /* audits put it into the warm start, too */
    CHECK(!depends(&there, "algorithms/gd"));   /* not private */
    CHECK(!depends(&a, "algorithms/warm_start"));
    CHECK_EQUAL(sp_values_set_method(&half[0].values, "x", "first", &a, NULL), SP_OK);
    CHECK_EQUAL(sp_values_set_method(&half[1].values, "x", "second", &a, NULL), SP_OK);
    CHECK(differ(&half[0], &half[1]));
}

/* --- the row -------------------------------------------------------------------------------------------------- */

/* Fields from 1 on; the caller's. */
static char *field(const char *row, size_t number)
{
    for (; number > 1 && *row; row++)
        number -= *row == '\t';
    char *out = sp_copy_text(row);
    out[strcspn(out, "\t\n")] = '\0';
    return out;
}

static void check_field(const char *row, size_t number, const char *expected)
{
    char *found = field(row, number);
    CHECK_TEXT(found, expected);
    free(found);
}

enum {
    AUDITED = 1,
    CONFORMANCE,
    REPLAY,
    NOISE,
    STATISTICAL,
    ONE_RUN,
    EPSILON_HAT,
    LEFT_OUT,
    FINDING,
    FIELDS = FINDING
};

static char *row_of(const sp_method *method)
{
    sp_text row = { 0 };
    sp_error error = { 0 };
    SP_CHECK_REPORT(sp_audit_row(NULL, method, 40, 1, &row, &error) == SP_OK, "%s", error.text);
    size_t tabs = 0;
    for (const char *c = row.data; *c; c++)
        tabs += *c == '\t';
    CHECK_EQUAL(tabs, FIELDS - 1);
    return row.data;
}

static void rows_say_what_was_found(void)
{
    const sp_method sound = method_of(&honest), stealing = method_of(&thief), unfit = method_of(&misfit),
                    counting = method_of(&counter);
    char *row = row_of(&sound), *again = row_of(&sound);
    CHECK_TEXT(row, again);
    check_field(row, AUDITED, "yes");
    for (size_t i = CONFORMANCE; i <= ONE_RUN; i++)
        check_field(row, i, "pass");
    char *epsilon = field(row, EPSILON_HAT);
    double value = NAN;
    CHECK(sp_read_number(epsilon, &value) && value >= 0.0 && value <= 3.0); /* the request is 3 */
    check_field(row, FINDING, "-");
    free(epsilon);
    free(row);
    free(again);

    row = row_of(&stealing);
    check_field(row, AUDITED, "failed");
    check_field(row, CONFORMANCE, "pass");
    check_field(row, REPLAY, "fail");
    char *finding = field(row, FINDING);
    CHECK_CONTAINS(finding, "thief: replay, ");
    CHECK_CONTAINS(finding, "iterates differ although the releases do not");
    free(finding);
    free(row);

    row = row_of(&counting);
    check_field(row, AUDITED, "failed");
    check_field(row, CONFORMANCE, "fail");
    finding = field(row, FINDING);
    CHECK_CONTAINS(finding, "counter: conformance, same streams, same bytes: entry 1 of the answer is ");
    free(finding);
    free(row);

    row = row_of(&unfit);
    check_field(row, AUDITED, "no");
    check_field(row, REPLAY, "-");
    check_field(row, EPSILON_HAT, "-");
    finding = field(row, FINDING);
    CHECK_CONTAINS(finding, "misfit fits no fixture");
    free(finding);
    free(row);
}

/* What is inside is audited as well. */
static void rows_are_of_all_methods(void)
{
    const sp_method good = method_of(&honest), bad = method_of(&thief);
    sp_method both = method_of(&pair);
    CHECK_EQUAL(sp_values_set_method(&both.values, "x", "first", &good, NULL), SP_OK);
    CHECK_EQUAL(sp_values_set_method(&both.values, "x", "second", &bad, NULL), SP_OK);
    char *row = row_of(&both), *finding = field(row, FINDING);
    check_field(row, AUDITED, "failed");
    CHECK_CONTAINS(finding, "thief: ");
    free(finding);
    free(row);
}

/* --- an experiment's ------------------------------------------------------------------------------------------ */

enum { CELLS = 4 };

typedef struct experiment {
    sp_cell cell[CELLS];
    sp_plan plan;
    char *folder;
    sp_store *store;
} experiment;

/* A cell an algorithm, under a budget; the last is without. */
static void open_experiment(experiment *e, const sp_algorithm *const *algorithm, size_t count)
{
    static char path[] = "by_hand.lua";
    sp_error error = { 0 };
    *e = (experiment){ .folder = cells_folder() };
    for (size_t i = 0; i < count; i++) {
        cells_make(&e->cell[i], algorithm[i], algorithm[i]->name);
        e->cell[i].privacy = (sp_privacy){ .private = true, .epsilon = 1.0, .delta = 1e-6, .noise = true };
    }
    cells_make(&e->cell[count], &cells_algorithm_walk, "walk");
    cells_plan(&e->plan, e->cell, count + 1);
    e->plan.path = path;
    SP_CHECK_REPORT(sp_store_open(e->folder, &e->store, &error) == SP_OK, "%s", error.text);
}

static void close_experiment(experiment *e)
{
    sp_store_close(e->store);
    for (size_t i = 0; i < e->plan.cells; i++)
        cells_free(&e->cell[i]);
    cells_remove(e->folder);
}

static sp_audits_summary make(experiment *e, size_t jobs, sp_status expected, const char *message)
{
    const sp_audits_options options = { .jobs = jobs, .seconds = 1, .quiet = true };
    sp_audits_summary summary;
    sp_error error = { 0 };
    const sp_status status = sp_audit_methods(&e->plan, e->store, &options, &summary, &error);
    SP_CHECK_REPORT(status == expected, "%s: %s", sp_status_name(status), error.text);
    if (message)
        CHECK_CONTAINS(error.text, message);
    return summary;
}

/* The caller's; NULL: there is none. */
static char *table_of(const experiment *e)
{
    sp_error error = { 0 };
    SP_CHECK_REPORT(sp_export_audits(&e->plan, e->store, e->folder, &error) == SP_OK, "%s", error.text);
    char *path = sp_format("%s/audits.tsv", e->folder), *text = NULL;
    FILE *file = fopen(path, "r");
    if (file) {
        text = calloc(1, 1 << 16);
        CHECK(fread(text, 1, (1 << 16) - 1, file) > 0);
        fclose(file);
    }
    free(path);
    return text;
}

static char *cached(const experiment *e, size_t cell)
{
    char key[SP_HASH_HEX];
    const sp_method *method = e->cell[cell].method;
    sp_audit_key(NULL, method, SP_AUDITED_RUNS, SP_AUDITED_SEED, key);
    return sp_format("cache/audits/%s", key);
}

static void each_is_made_once(void)
{
    const sp_algorithm *const two[] = { &honest, &thief };
    /* of these names, and they would not survive */
    const sp_algorithm new_honest = { .name = "honest", .params = params, .run = run_crash };
    const sp_algorithm new_thief = { .name = "thief", .params = params, .run = run_crash };
    const sp_algorithm *const deadly[] = { &new_honest, &new_thief };
    experiment e;
    open_experiment(&e, two, 2);
    CHECK(table_of(&e) == NULL); /* nothing is known */
    sp_audits_summary s = make(&e, 1, SP_OK, NULL);
    CHECK_EQUAL(s.methods, 2);
    CHECK_EQUAL(s.made, 2);
    CHECK_EQUAL(s.known + s.left_out, 0);
    CHECK_EQUAL(s.failed, 1);
    char *table = table_of(&e);
    CHECK(strncmp(table, "algorithm\tkey\taudited\tconformance\treplay\t", 41) == 0);
    CHECK_CONTAINS(table, "\nhonest\t");
    CHECK_CONTAINS(table, "\tyes\tpass\tpass\tpass\tpass\tpass\t");
    CHECK_CONTAINS(table, "\nthief\t");
    CHECK_CONTAINS(table, "\tfailed\tpass\tfail\t");
    CHECK(strstr(table, "walk") == NULL); /* it has no budget */
    s = make(&e, 1, SP_OK, NULL);
    CHECK_EQUAL(s.known, 2);
    CHECK_EQUAL(s.made, 0);
    CHECK_EQUAL(s.failed, 1); /* still */
    char word[SP_AUDITED_SIZE];
    const char *const expected[] = { "yes", "failed", "-" };
    for (size_t i = 0; i < 3; i++) {
        CHECK_EQUAL(sp_store_audited(e.store, &e.plan, &e.cell[i], word, NULL), SP_OK);
        CHECK_TEXT(word, expected[i]);
    }
    close_experiment(&e);

    open_experiment(&e, deadly, 2); /* a store of its own: from the cache */
    s = make(&e, 2, SP_OK, NULL);
    CHECK_EQUAL(s.known, 2);
    CHECK_EQUAL(s.made + s.left_out, 0);
    CHECK_EQUAL(s.failed, 1);
    char *same = table_of(&e);
    CHECK_TEXT(same, table);
    CHECK_EQUAL(system("rm -r cache"), 0); /* now the store alone has them */
    s = make(&e, 2, SP_OK, NULL);
    CHECK_EQUAL(s.known, 2);
    close_experiment(&e);

    open_experiment(&e, two, 2); /* two at a time */
    s = make(&e, 2, SP_OK, NULL);
    CHECK_EQUAL(s.made, 2);
    char *parallel = table_of(&e);
    CHECK_TEXT(parallel, table);
    close_experiment(&e);
    free(parallel);
    free(same);
    free(table);
}

/* Any change of the file, and any other file under its name. */
static void damaged_cache_is_made_again(void)
{
    const sp_algorithm *const one[] = { &honest };
    experiment e;
    open_experiment(&e, one, 1);
    make(&e, 1, SP_OK, NULL);
    char *path = cached(&e, 0), *copy = sp_format("cp %s whole", path);
    char *back = sp_format("[ -f %s ] && cmp -s %s whole", path, path); /* of a pipe cmp would wait for ever */
    CHECK_EQUAL(system(copy), 0);
    static const char *const damages[] = { /* of $f */
        "sed s/yes/failed/ whole >$f", "sed s/pass/paSs/ whole >$f", "tr '\\n' ' ' <whole >$f", "head -c 20 whole >$f",
        ": >$f", "{ cat whole; echo; } >$f", "head -c 99999 /dev/zero >$f", "rm $f; mkfifo $f", "rm $f",
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char *command = sp_format("f=%s; %s", path, damages[i]);
        CHECK_EQUAL(system(command), 0);
        free(command);
        close_experiment(&e);
        open_experiment(&e, one, 1);
        const sp_audits_summary s = make(&e, 1, SP_OK, NULL);
        SP_CHECK_REPORT(s.made == 1 && s.known == 0 && s.failed == 0, "%s", damages[i]);
        SP_CHECK_REPORT(system(back) == 0, "%s: not as it was", damages[i]);
    }
    close_experiment(&e);
    free(path);
    free(copy);
    free(back);
}

/* Without a cache, or one that cannot be written, the store has it. */
static void cache_is_no_need(void)
{
    const sp_algorithm *const one[] = { &honest };
    experiment e;
    write_text("file", "in the way");
    CHECK_EQUAL(setenv("STILLPOINT_CACHE", "file/cache", 1), 0);
    open_experiment(&e, one, 1);
    CHECK_EQUAL(make(&e, 1, SP_OK, NULL).made, 1);
    CHECK_EQUAL(make(&e, 1, SP_OK, NULL).known, 1);
    close_experiment(&e);
    CHECK_EQUAL(setenv("STILLPOINT_CACHE", "cache", 1), 0);
}

/* One that cannot be audited costs the others nothing, and nothing of it is kept: it is tried again. */
static void left_out(void)
{
    const sp_algorithm *const all[] = { &spin, &crash, &honest };
    experiment e;
    CHECK_EQUAL(system("rm -rf cache"), 0);
    open_experiment(&e, all, 3);
    for (size_t jobs = 1; jobs <= 2; jobs++) {
        const sp_audits_summary s = make(&e, jobs, SP_OK, NULL);
        CHECK_EQUAL(s.left_out, 1);
        CHECK_EQUAL(s.died, 1);
        CHECK_EQUAL(s.made, jobs == 1);
        CHECK_EQUAL(s.known, jobs == 2);
        CHECK_EQUAL(s.failed, 0);
    }
    char *table = table_of(&e);
    CHECK_CONTAINS(table, "\nspin\t");
    CHECK_CONTAINS(table, "\tno\t-\t-\t-\t-\t-\t-\t-\t-\n");
    CHECK_CONTAINS(table, "\tyes\tpass");
    free(table);
    e.cell[0].left_out = e.cell[1].left_out = true; /* run --only honest */
    const sp_audits_summary s = make(&e, 1, SP_OK, NULL);
    CHECK_EQUAL(s.methods, 1);
    CHECK_EQUAL(s.left_out + s.died, 0);
    close_experiment(&e);
}

static void stops(void)
{
    const sp_algorithm *const first[] = { &honest, &interrupt }, *const second[] = { &hungry };
    experiment e;
    CHECK_EQUAL(system("rm -rf cache"), 0);
    open_experiment(&e, first, 2);
    sp_audits_summary s = make(&e, 1, SP_EINTERRUPTED, "1 methods are left");
    CHECK_EQUAL(s.made, 1);
    char *table = table_of(&e); /* what was made by then is kept */
    CHECK_CONTAINS(table, "\nhonest\t");
    CHECK_CONTAINS(table, "\tyes\tpass");
    free(table);
    close_experiment(&e);
    open_experiment(&e, second, 1);
    make(&e, 1, SP_ENOMEM, "hungry: out of memory");
    close_experiment(&e);
}

/* A store of before there were audits can be read, and gets its table when it is written. */
static void older_stores(void)
{
    const sp_algorithm *const one[] = { &honest };
    experiment e;
    sp_text row = { 0 };
    open_experiment(&e, one, 1);
    sp_store_close(e.store);
    char *path = sp_format("%s/store.sqlite", e.folder);
    sqlite3 *db = NULL;
    CHECK_EQUAL(sqlite3_open(path, &db), SQLITE_OK);
    CHECK_EQUAL(sqlite3_exec(db, "DROP TABLE audits", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    CHECK_EQUAL(sp_store_open_readonly(e.folder, &e.store, NULL), SP_OK);
    CHECK_EQUAL(sp_store_get_audit(e.store, "key", &row, NULL), SP_EABSENT);
    CHECK(table_of(&e) == NULL);
    sp_store_close(e.store);
    CHECK_EQUAL(sp_store_open(e.folder, &e.store, NULL), SP_OK);
    CHECK_EQUAL(sp_store_put_audit(e.store, "key", "yes\tand more", NULL), SP_OK);
    CHECK_EQUAL(sp_store_put_audit(e.store, "key", "no\tand more", NULL), SP_OK); /* replaces it */
    CHECK_EQUAL(sp_store_get_audit(e.store, "key", &row, NULL), SP_OK);
    CHECK_TEXT(row.data, "no\tand more");
    sp_text_free(&row);
    close_experiment(&e);
    free(path);
}

int main(void)
{
    char folder[64];
    gsl_set_error_handler_off();
    if (enter_folder(folder) != 0)
        return 1;
    key_is_of_the_sources();
    key_is_of_what_is_inside();
    rows_say_what_was_found();
    rows_are_of_all_methods();
    each_is_made_once();
    damaged_cache_is_made_again();
    cache_is_no_need();
    left_out();
    stops();
    older_stores();
    leave_folder(folder);
    return sp_check_done();
}
