/* store.c -- the disk fills up while runs are stored: said so, nothing before is lost, and it goes on when there is
 * room. */
#include "core/export/export.h"
#include "core/store/store.h"

#include "tests/cells.h"
#include "tests/check.h"

#include <signal.h>
#include <sys/resource.h>

static rlim_t limit_files(rlim_t bytes)
{
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = bytes;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    return before;
}

static void fill(sp_result *r)
{
    sp_result_start(r);
    r->value[0] = 2.385;
    r->traces = 200;
    r->trace = sp_alloc(r->traces, sizeof *r->trace);
    for (size_t i = 0; i < r->traces; i++)
        r->trace[i] = (sp_trace_point){ .step = i, .value = { (double)i } };
}

static size_t count(sp_store *store, const sp_cell *cell)
{
    size_t found = 0;
    for (size_t i = 0; i < 1000; i++) {
        sp_result r;
        const sp_status status = sp_store_get(store, cell, i, &r, NULL);
        CHECK(status == SP_OK || status == SP_EABSENT);
        if (status == SP_OK && r.traces == 200 && r.value[0] == 2.385)
            found++;
        sp_result_free(&r);
    }
    return found;
}

static void test_full_disk(void)
{
    char *folder = cells_folder();
    sp_store *store = NULL;
    sp_error error = { 0 };
    sp_cell cell;
    sp_result result;
    size_t stored = 0;
    cells_make(&cell, &cells_algorithm_walk, "walk 1");
    fill(&result);
    CHECK_EQUAL(sp_store_open(folder, &store, &error), SP_OK);
    const rlim_t before = limit_files(400000);
    while (stored < 1000 && sp_store_put(store, &cell, stored, &result, &error) == SP_OK)
        stored++;
    CHECK(stored > 3 && stored < 1000);
    CHECK_CONTAINS(error.text, folder);
    CHECK_CONTAINS(error.text, "store.sqlite: ");
    CHECK_CONTAINS(error.text, "ulimit -f");
    CHECK_CONTAINS(error.text, "every run stored before is safe");
    CHECK_EQUAL(count(store, &cell), stored);

    /* an exported table of before stays whole */
    char *path = sp_format("%s/table.tsv", folder), *text = sp_alloc(1, 500001);
    memset(text, 'x', 500000);
    CHECK_EQUAL(sp_write_file(path, text, 1000, &error), SP_OK);
    CHECK_EQUAL(sp_write_file(path, text, 500000, &error), SP_EIO);
    CHECK_CONTAINS(error.text, path);
    FILE *file = fopen(path, "r");
    CHECK_EQUAL(fread(text, 1, 500000, file), 1000);
    fclose(file);
    free(path);
    free(text);

    sp_store_close(store); /* still without room */
    CHECK_EQUAL(sp_store_open_readonly(folder, &store, &error), SP_OK);
    CHECK_EQUAL(count(store, &cell), stored);
    sp_store_close(store);
    limit_files(before);
    CHECK_EQUAL(sp_store_open(folder, &store, &error), SP_OK);
    CHECK_EQUAL(count(store, &cell), stored);
    CHECK_EQUAL(sp_store_put(store, &cell, stored, &result, &error), SP_OK);
    CHECK_EQUAL(count(store, &cell), stored + 1);
    sp_store_close(store);
    sp_result_free(&result);
    cells_free(&cell);
    cells_remove(folder);
}

/* No room even for the schema: refused, and created later. */
static void test_no_room_at_all(void)
{
    char *folder = cells_folder();
    sp_store *store = NULL;
    sp_error error = { 0 };
    const rlim_t before = limit_files(4096);
    CHECK_EQUAL(sp_store_open(folder, &store, &error), SP_EIO);
    CHECK(store == NULL);
    CHECK_CONTAINS(error.text, "ulimit -f");
    limit_files(before);
    CHECK_EQUAL(sp_store_open(folder, &store, &error), SP_OK);
    sp_store_close(store);
    cells_remove(folder);
}

int main(void)
{
    signal(SIGXFSZ, SIG_IGN); /* as sp_run_plan does: write() fails instead */
    test_full_disk();
    test_no_room_at_all();
    return sp_check_done();
}
