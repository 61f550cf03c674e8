/* seal.c -- tables that were changed after they were written: each row, each table, the folder as a whole; formats; the
 * hash and the path of a script. */
#include "core/base/derived.h"
#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/base/table.h"
#include "core/stats/series.h"
#include "core/lua/script_hash.h"

#include "tests/cells.h"
#include "tests/check.h"
#include "tests/summed.h"

#include <sys/stat.h>

static char *folder;

static void save(const char *name, const char *text)
{
    char *path = sp_format("%s/%s", folder, name);
    CHECK_EQUAL(sp_write_file(path, text, strlen(text), NULL), SP_OK);
    free(path);
}

static sp_status read_one(const char *text, sp_table *t, sp_error *error)
{
    char *path = sp_format("%s/table.tsv", folder);
    save("table.tsv", text);
    *error = (sp_error){ 0 };
    const sp_status status = sp_table_read(path, t, error);
    free(path);
    return status;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static void test_rows(void)
{
    sp_table t = { 0 };
    sp_error error = { 0 };
    char *good = summed("run\tcell\tloss\tbound\nabc\t17\t2.385\tgauss\nabd\t18\t-\t-\n");
    CHECK_EQUAL(read_one(good, &t, &error), SP_OK);
    CHECK_EQUAL(t.rows, 2);
    CHECK_EQUAL(t.columns, 4); /* the checksum is none of them */
    CHECK(sp_table_number(&t, 0, 2) == 2.385 && sp_table_empty(&t, 1, 3));
    sp_table_free(&t);
    /* one digit, two fields swapped, a row below another cell, a name, a checksum that is no more, one of another
     * row */
    static const struct { const char *find, *instead, *place; } edits[] = {
        { "2.385", "2.386", "table.tsv:2: " },   { "2.385\tgauss", "gauss\t2.385", "table.tsv:2: " },
        { "abc\t17", "abc\t18", "table.tsv:2: " }, { "loss", "lost", "table.tsv:2: " },
        { "abd\t18\t-\t-\t", "abd\t18\t-\t-\t0", "table.tsv:3: " }, { "abd", "abe", "abe" },
    };
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        const char *at = strstr(good, edits[i].find);
        char *bad = sp_format("%.*s%s%s", (int)(at - good), good, edits[i].instead, at + strlen(edits[i].find));
        CHECK_EQUAL(read_one(bad, &t, &error), SP_EDATA);
        CHECK_CONTAINS(error.text, edits[i].place);
        free(bad);
    }
    free(good);
}

static void test_fields(void)
{
    sp_table t = { 0 };
    sp_error error = { 0 };
    char *plain = summed("cell\twarning\tstart.loss\n3\tmuch\\rtext\t2.385\n4\t-\tNaN\n");
    sp_text crlf = { 0 };
    for (const char *c = plain; *c; c++)
        sp_text_append(&crlf, *c == '\n' ? "\r\n" : "%c", *c);
    CHECK_EQUAL(read_one(crlf.data, &t, &error), SP_OK); /* as git with core.autocrlf checks it out */
    CHECK_EQUAL(t.rows, 2);
    CHECK_TEXT(t.column[2], "start.loss");
    CHECK_TEXT(sp_table_text(&t, 0, 1), "much\rtext");
    CHECK(sp_table_number(&t, 0, 2) == 2.385);
    sp_table_free(&t);
    sp_text_free(&crlf);
    free(plain);
    CHECK_EQUAL(read_one("a\tb\r\n1\tx\r\n2\ty", &t, &error), SP_OK);
    CHECK_TEXT(t.column[1], "b");
    CHECK_TEXT(sp_table_text(&t, 0, 1), "x");
    sp_table_free(&t);
    static const struct { const char *text, *place, *what; } bad[] = {
        { "cell\tstart.loss\n3\t2,385\n", "table.tsv:2: start.loss", "2,385" }, /* a decimal comma */
        { "a\tepsilon_spent\n1\t2\n1\tsome\n", "table.tsv:3: epsilon_spent", "some" },
        { "a\tsteps\n1\t\n", "table.tsv:2: steps", "not a number" },
        { "a\tb\ta\n1\t2\t3\n", "table.tsv:1: ", "column a" },
        { "a\tb\tc\n1\t2\t3\n1\t2\n", "table.tsv:3: ", "b" },
        { "a\tb\n1\tx\ry\n", "table.tsv:2: b", "carriage return" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_EQUAL(read_one(bad[i].text, &t, &error), SP_EDATA);
        CHECK_CONTAINS(error.text, bad[i].place);
        CHECK_CONTAINS(error.text, bad[i].what);
    }
}

static const char cells[] = "cell\tsweep\tlabel\tproblem.n\tseed\tprivate\tepsilon_spent\tstart.loss\n"
                            "1\tmain\ta\t100\t7\tno\tinf\t3\n2\tmain\ta\t200\t7\tno\tinf\t3\n";

/* A run that stands there twice, and a measure, known by its value at the start in the other table, that is no
 * number. */
static void test_runs(void)
{
    static const struct { const char *rows, *place, *what; } bad[] = {
        { "x\t1\t0\tok\t1.5\ny\t1\t1\tok\t2.5\nx\t1\t0\tok\t1.5\n", "runs.tsv:4: ", "run x" },
        { "x\t1\t0\tok\t1.5\ny\t1\t1\tok\t0,9999\n", "runs.tsv:3: ", "loss = 0,9999" },
    };
    sp_error error = { 0 };
    sp_runs runs;
    save("cells.tsv", cells);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *text = sp_format("run\tcell\treplicate\tstatus\tloss\n%s", bad[i].rows);
        save("runs.tsv", text);
        CHECK_EQUAL(sp_runs_open(folder, 7, &runs, &error), SP_EDATA);
        CHECK_CONTAINS(error.text, bad[i].place);
        CHECK_CONTAINS(error.text, bad[i].what);
        free(text);
    }
}

/* --- folders ------------------------------------------------------------------------------------------------------ */

#define A_HASH "00112233445566778899aabbccddeeff00112233445566778899aabbccddee22"

static void seal_folder(void)
{
    sp_text head = { 0 };
    sp_seal_begin(&head);
    sp_seal_add(&head, "script", "experiments/a b.lua", A_HASH);
    sp_seal_add(&head, "include", "part.lua", A_HASH);
    sp_seal_add_count(&head, "asked", 3, A_HASH);
    sp_seal_add_count(&head, "present", 2, A_HASH);
    sp_seal_add_count(&head, "failed", 1, NULL);
    CHECK_EQUAL(sp_seal_write(folder, &head, NULL), SP_OK);
    sp_text_free(&head);
}

static void check_seal(const char *fault)
{
    sp_error error = { 0 };
    CHECK_EQUAL(sp_seal_check(folder, &error), fault ? SP_EDATA : SP_OK);
    CHECK_CONTAINS(error.text, fault ? fault : "");
}

static void run_in_folder(const char *command)
{
    char *line = sp_format("cd '%s' && %s", folder, command);
    CHECK_EQUAL(system(line), 0);
    free(line);
}

static void test_folder(void)
{
    sp_seal s;
    CHECK_EQUAL(sp_seal_read(folder, &s, NULL), SP_OK);
    CHECK_EQUAL(s.format, 0);
    check_seal(NULL); /* nothing is known of it */
    save("cells.tsv", cells);
    save("runs.tsv", "run\tcell\n");
    save("traces.tsv", "run\tstep\n"); /* it is not in git */
    seal_folder();
    CHECK_EQUAL(sp_seal_read(folder, &s, NULL), SP_OK);
    CHECK_EQUAL(s.format, SP_SEAL_FORMAT);
    CHECK_TEXT(s.script.name, "experiments/a b.lua");
    CHECK_TEXT(s.include[0].hash, A_HASH);
    CHECK_EQUAL(s.asked * 100 + s.present * 10 + s.failed, 321);
    CHECK_EQUAL(s.tables, 2);
    char digest[SP_HASH_HEX];
    memcpy(digest, s.digest, sizeof digest);
    sp_seal_free(&s);
    check_seal(NULL);
    run_in_folder("gzip -n runs.tsv && sed -i 's/$/\\r/' cells.tsv"); /* other forms of the same */
    check_seal(NULL);
    run_in_folder("rm traces.tsv");
    check_seal(NULL);
    save("keys.tsv", "cell\n"); /* what is derived does not depend on it */
    check_seal("keys.tsv");
    seal_folder();
    CHECK_EQUAL(sp_seal_read(folder, &s, NULL), SP_OK);
    CHECK_TEXT(s.digest, digest);
    sp_seal_free(&s);
    save("tuning.tsv", "sweep\n");
    check_seal("tuning.tsv");
    run_in_folder("rm tuning.tsv && gunzip runs.tsv.gz && printf 'x\\t1\\n' >>runs.tsv");
    check_seal("runs.tsv");
    run_in_folder("rm runs.tsv");
    check_seal("runs.tsv: missing");
    static const struct { const char *text, *what; sp_status status; } seals[] = {
        { "stillpoint seal\t2\n", "format 2", SP_EVERSION },
        { "stillpoint seal\tx\n", "SEAL:1", SP_EDATA },
        { "", "cut short", SP_EDATA },
        { "stillpoint seal\t1\nscript\ta.lua\t" A_HASH "\n", "asked", SP_EDATA },
        { "stillpoint seal\t1\nscript\ta.lua\t0123\n", "SEAL:2", SP_EDATA },
    };
    for (size_t i = 0; i < sizeof seals / sizeof *seals; i++) {
        sp_error error = { 0 };
        save("SEAL", seals[i].text);
        CHECK_EQUAL(sp_seal_read(folder, &s, &error), seals[i].status);
        CHECK_CONTAINS(error.text, seals[i].what);
        CHECK(!s.text && !s.table);
    }
    run_in_folder("rm SEAL cells.tsv keys.tsv");
}

/* What is missing, or there twice, is named; a figure of other runs, too. */
static void test_places(void)
{
    static const char head[] = "run\tcell\treplicate\n";
    save("runs.tsv", "run\tcell\treplicate\na\t1\t0\nb\t1\t1\n");
    seal_folder(); /* which has 2 runs */
    check_seal(NULL);
    static const struct { const char *rows, *place; } bad[] = {
        { "a\t1\t0\nb\t1\t1\nb\t1\t1\n", "runs.tsv:4: run b" }, { "b\t1\t1\n", "runs.tsv:2: before run b replicate 0" },
        { "a\t1\t0\n", "runs.tsv:2: " }, { "a\t1\t0\nc\t1\t1\n", "runs.tsv: not as it was" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *text = sp_format("%s%s", head, bad[i].rows);
        save("runs.tsv", text);
        check_seal(bad[i].place);
        free(text);
    }
    run_in_folder("rm SEAL runs.tsv");
}

static void check_derived(const char *plots, const char *fault)
{
    sp_error error = { 0 };
    CHECK_EQUAL(sp_derived_check(folder, plots, &error), fault ? SP_EDATA : SP_OK);
    CHECK_CONTAINS(error.text, fault ? fault : "");
}

static void put_derived(const char *file, const char *path, const char *digest)
{
    sp_derived d;
    char *full = sp_format("%s/%s", folder, path);
    CHECK_EQUAL(sp_derived_read(folder, &d, NULL), SP_OK);
    CHECK_EQUAL(sp_derived_put(&d, file, full, digest, NULL), SP_OK);
    CHECK_EQUAL(sp_derived_write(&d, folder, NULL), SP_OK);
    sp_derived_free(&d);
    free(full);
}

static void test_derived(void)
{
    sp_seal s;
    char *plots = sp_format("%s/drawn", folder);
    run_in_folder("mkdir figures drawn");
    save("summary.tsv", "a\n1\n");
    check_derived(plots, NULL); /* nothing is known without a SEAL */
    save("runs.tsv", "run\na\n");
    seal_folder();
    CHECK_EQUAL(sp_seal_read(folder, &s, NULL), SP_OK);
    check_derived(NULL, "summary.tsv");
    put_derived("summary.tsv", "summary.tsv", s.digest);
    save("figures/r.tsv", "x\n");
    check_derived(NULL, "figures/r.tsv");
    put_derived("figures/r.tsv", "figures/r.tsv", A_HASH);
    check_derived(NULL, "figures/r.tsv: made from other runs");
    put_derived("figures/r.tsv", "figures/r.tsv", s.digest);
    run_in_folder("gzip -n figures/r.tsv && touch figures/t.timings.tsv");
    check_derived(plots, NULL);
    save("drawn/r.svg", "<svg>\n");
    check_derived(NULL, NULL);
    check_derived(plots, "drawn/r.svg");
    put_derived("plots/r.svg", "drawn/r.svg", s.digest);
    check_derived(plots, NULL);
    save("drawn/r.svg", "<svg/>\n");
    check_derived(plots, "drawn/r.svg: changed");
    run_in_folder("rm drawn/r.svg"); /* a figure that is not drawn is no fault */
    check_derived(plots, NULL);
    save("runs.tsv", "run\nb\n"); /* other runs: what was made of the first is dropped */
    seal_folder();
    sp_seal_free(&s);
    CHECK_EQUAL(sp_seal_read(folder, &s, NULL), SP_OK);
    check_derived(plots, "summary.tsv: made from other runs");
    CHECK_EQUAL(sp_derived_drop(folder, s.digest, NULL), SP_OK);
    run_in_folder(
        "test ! -e summary.tsv && test ! -e figures/r.tsv.gz && test -e figures/t.timings.tsv && test $(wc -l "
        "<DERIVED) = 1");
    check_derived(plots, NULL);
    sp_seal_free(&s);
    free(plots);
    run_in_folder("rm -r SEAL DERIVED runs.tsv figures drawn");
}

/* --- scripts ------------------------------------------------------------------------------------------------------ */

static void check_path(const char *tables, const char *script, const char *expected)
{
    char *from = sp_format("%s/%s", folder, tables), *file = sp_format("%s/%s", folder, script);
    char *path = sp_seal_path(from, file);
    CHECK_TEXT(path ? path : "(none)", expected);
    free(from);
    free(file);
    free(path);
}

static void test_scripts(void)
{
    static const char *const same[] = { "return { seed = 7, a = \"x y\" }", "return{seed=7,a=\"x y\"}-- said\n",
                                        "--[[ a\nb ]]return { seed = 7, --x\r\n a = \"x y\" }" };
    static const char *const other[] = { "return { seed = 8, a = \"x y\" }", "return { seed = 7, a = \"x  y\" }",
                                         "return { seed = 7, a = 'x y' }" };
    char first[SP_HASH_HEX], hash[SP_HASH_HEX];
    sp_script_hash(same[0], strlen(same[0]), first);
    for (size_t i = 0; i < 3; i++) {
        sp_script_hash(same[i], strlen(same[i]), hash);
        CHECK_TEXT(hash, first);
        sp_script_hash(other[i], strlen(other[i]), hash);
        CHECK(strcmp(hash, first) != 0);
    }
    run_in_folder(
        "mkdir -p top/results/c/seeds/2 top/experiments else && touch top/experiments/c.lua else/d.lua top/e.lua");
    check_path("top/results/c", "top/experiments/c.lua", "experiments/c.lua");
    check_path("top/results/c/seeds/2", "top/experiments/c.lua", "experiments/c.lua");
    check_path("top/results/c", "top/e.lua", "e.lua");
    check_path("top/results/c", "else/d.lua", "../else/d.lua");
    check_path("top/results/c", "none.lua", "(none)");
    run_in_folder("rm -r top else");
}

int main(void)
{
    folder = cells_folder();
    test_rows();
    test_fields();
    test_runs();
    run_in_folder("rm *.tsv");
    test_folder();
    test_places();
    test_derived();
    test_scripts();
    cells_remove(folder);
    return sp_check_done();
}
