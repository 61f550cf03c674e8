/* queue.c -- what a sweep has to do, while the k-th allocation fails, for every k: SP_ENOMEM and nothing left of the
 * queue, or the whole queue; nothing is freed twice (the C library ends the program then). */
#include "core/sweep/queue.h"
#include "tests/check.h"
#include "tests/experiment.h"

#if defined __SANITIZE_ADDRESS__
int main(void)
{
    puts("skipped: the sanitizer has allocation for itself");
    return 0;
}
#else
#include "tests/faults.h"

/* Two sweeps that share runs, four problems each with a reference value of its own. */
static const char experiment[] =
    "local e = { problem = { loss = 'pseudo_huber', data = 'signs', n = { 20, 40, 60, 80 }, d = 2 },\n"
    "            algorithms = { { 'dp_gd', steps = 3 }, { 'gd', steps = 4 } } }\n"
    "return { seed = 3, replicates = 2, privacy = { epsilon = 1, delta = 1e-6 },\n"
    "         measures = { 'grad_norm', 'excess_risk' }, sweeps = { a = e, b = e } }\n";

int main(void)
{
    char folder[64];
    sp_plan plan = { 0 };
    sp_store *store = NULL;
    sp_error error = { 0 };
    size_t count = 0, failed = 0;
    CHECK_EQUAL(enter_folder(folder), 0);
    write_text("e.lua", experiment);
    CHECK_EQUAL(sp_plan_load("e.lua", "default", &plan, &error), SP_OK);
    CHECK_EQUAL(sp_store_open(folder, &store, &error), SP_OK);
    CHECK_TEXT(error.text, "");
    for (size_t k = 1; failed == k - 1; k++)
        for (int all = 0; all < 2; all++) {
            const sp_run_options options = { .jobs = 1, .shuffle = 2385 };
            sp_run_summary summary = { 0 };
            sp_queue queue;
            count = 0;
            failing = k;
            all_after = all;
            counted = &count;
            const sp_status status = sp_queue_make(&plan, store, &options, &queue, &summary, &error);
            counted = NULL;
            if (status == SP_OK) {
                CHECK_EQUAL(queue.jobs, 16);
                CHECK_EQUAL(queue.references, 8);
                CHECK_EQUAL(summary.planned, 32);
            } else {
                CHECK_EQUAL(status, SP_ENOMEM);
                CHECK(!queue.job && !queue.reference && queue.references == 0);
            }
            failed += status != SP_OK && all;
            sp_queue_free(&queue);
        }
    printf("%zu allocations\n", failed);
    CHECK(failed > 60);
    sp_store_close(store);
    sp_plan_free(&plan);
    leave_folder(folder);
    return sp_check_done();
}
#endif
