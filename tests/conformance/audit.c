/* conformance/audit.c NAME -- the audits pass on every algorithm: replay, noise, statistical, one-run. The seeds are
 * fixed; with others, each noise, statistical or one-run audit of a sound algorithm would fail with probability
 * SP_AUDIT_FALSE_ALARM at most. Linked with the allocators wrapped. */
#include "algorithms/algorithm.h"
#include "core/audit/audit.h"
#include "core/plan/registry.h"
#include "tests/allocation.h"
#include "tests/check.h"

#include <gsl/gsl_errno.h>

static size_t seen[SP_AUDITS], on_polytopes, of_one_more, inside;

static void report(void *context, const sp_audit_verdict *verdict)
{
    const sp_algorithm *algorithm = context;
    seen[verdict->audit]++;
    SP_CHECK_REPORT(verdict->audit != SP_AUDIT_ONE_RUN || verdict->rejected >= 0.0, "%s: no epsilon-hat: %s",
                    algorithm->name, verdict->detail);
    on_polytopes += strstr(verdict->fixture, "polytope") && !verdict->left_out;
    of_one_more += strstr(verdict->fixture, "one record more") && verdict->audit == SP_AUDIT_STATISTICAL;
    inside += strstr(verdict->fixture, "; with ") != NULL;
    printf("%s\t%s\t%s\t%s\n", sp_audit_name(verdict->audit), verdict->fixture,
           verdict->left_out ? "left out" : verdict->passed ? "pass" : "FAIL", verdict->detail);
    SP_CHECK_REPORT(verdict->passed || verdict->left_out, "%s: %s, %s: %s", algorithm->name,
                    sp_audit_name(verdict->audit), verdict->fixture, verdict->detail);
}

static bool whole_space_alone(const char *name)
{
    return strcmp(name, "em_product") == 0 || strcmp(name, "jl_glm") == 0;
}

static void count_report(void *context, const sp_audit_verdict *verdict)
{
    (void)verdict;
    ++*(size_t *)context;
}

/* An audit that runs out of memory says so; it neither passes nor finds fault. */
static void survives_failed_allocations(const sp_algorithm *algorithm)
{
    for (size_t k = 1; k <= 30; k++) { /* the first fixture's */
        size_t verdicts = 0;
        sp_error error = { .text = "" };
        const sp_audit_options options = { .runs = 10, .seed = 1, .report = count_report, .context = &verdicts };
        arm(k);
        const sp_status status = sp_audit(algorithm, &options, &error);
        disarm();
        if (status == SP_OK && verdicts > 0)
            continue; /* what is remembered, to be solved again: nothing is lost */
        SP_CHECK_REPORT(status == SP_ENOMEM, "allocation %zu failed, status %s: %s", k, sp_status_name(status),
                        error.text);
        CHECK_CONTAINS(error.text, "memory");
        CHECK_EQUAL(verdicts, 0);
    }
}

int main(int argc, char **argv)
{
    const sp_algorithm *algorithm = argc > 1 ? sp_algorithm_find(argv[1]) : NULL;
    sp_error error = { .text = "" };
    gsl_set_error_handler_off();
    if (!algorithm) {
        fprintf(stderr, "no algorithm %s\n", argc > 1 ? argv[1] : "given");
        return 1;
    }
    survives_failed_allocations(algorithm);
    const sp_audit_options options = { .runs = SP_AUDIT_RUNS, .seed = 20240601, .report = report,
                                       .context = (void *)(size_t)algorithm };
    const sp_status status = sp_audit(algorithm, &options, &error);
    SP_CHECK_REPORT(status == SP_OK, "%s: %s", sp_status_name(status), error.text);
    CHECK(seen[SP_AUDIT_REPLAY] > 0);
    if (!algorithm->non_private_only && !algorithm->uncertified && !algorithm->ignores_data) {
        CHECK(seen[SP_AUDIT_NOISE] > 0);
        CHECK(seen[SP_AUDIT_STATISTICAL] > 0);
        CHECK_EQUAL(seen[SP_AUDIT_ONE_RUN], 1);
        CHECK_EQUAL(of_one_more > 0, algorithm->add_remove);
        CHECK_EQUAL(on_polytopes == 0, whole_space_alone(algorithm->name));
        CHECK_EQUAL(inside > 20, strcmp(algorithm->name, "warm_start") == 0 || strcmp(algorithm->name, "jl_glm") == 0 ||
                                     strcmp(algorithm->name, "private_tuning") == 0);
    }
    return sp_check_done();
}
