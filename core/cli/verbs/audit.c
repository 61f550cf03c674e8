/* audit.c -- `audit`: the verdicts on one algorithm, or on all. */
#include "core/audit/audit.h"
#include "core/plan/registry.h"
#include "core/cli/verbs/verbs.h"

#include "algorithms/algorithm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    bool thorough, plain;
    double limit;
    const char *algorithm; /* that is audited */
    size_t verdicts, failures, left_out;
} arguments;

static const sp_option options[] = {
    { "thorough", '\0', SP_OPTION_SET, offsetof(arguments, thorough), NULL,
      "10000 runs a side in statistical audits, instead of 1000", 0, 0 },
    { "limit", '\0', SP_OPTION_REAL, offsetof(arguments, limit), "SECONDS",
      "What is not done by then, of each algorithm, is left out (default 300; 3000 with --thorough; 0: no limit)", 0,
      1e9 },
    { "plain", '\0', SP_OPTION_SET, offsetof(arguments, plain), NULL,
      "Tab-separated lines: algorithm, audit, fixture, result, refuted epsilon, detail", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "ALGORITHM|all",
    .about = "Does what an algorithm releases keep what its ledger says? Small runs on the worst neighbours there are.",
    .notes = "replay: the same releases, fed back on a neighbouring data set, must lead to the same calls and the "
             "same ledger, and raw values within their declared sensitivity. noise: its distribution, and that no "
             "stream is used twice. statistical: the two data sets must not be told apart better than the ledger's "
             "trade-off curve allows. one-run: each of a thousand records is one of two, by a coin; one run must not "
             "tell the coins better than the ledger's epsilon allows.\n\nA sound algorithm fails a given noise, "
             "statistical or one-run audit with probability at most 0.001. The exit code is 1 when any audit fails; "
             "what was left out is no failure. Audits look for mistakes; that none was found "
             "proves nothing.",
    .option = options, .fewest = 1, .most = 1,
    .missing = "which algorithm? (all for each of them; stillpoint list shows the names)",
    .excess = "one algorithm at a time, or all",
};

static void report(void *context, const sp_audit_verdict *verdict)
{
    arguments *a = context;
    const char *result = verdict->left_out ? "left out" : verdict->passed ? "pass" : "FAIL";
    char digits[SP_NUMBER_SIZE];
    a->verdicts++;
    a->failures += !verdict->passed && !verdict->left_out;
    a->left_out += verdict->left_out;
    if (a->plain)
        printf("%s\t%s\t%s\t%s\t%s\t%s\n", a->algorithm, sp_audit_name(verdict->audit), verdict->fixture, result,
               isnan(verdict->rejected) ? "" : sp_number(verdict->rejected, digits), verdict->detail);
    else
        printf("%-12s %-52s %s  %s\n", sp_audit_name(verdict->audit), verdict->fixture, result, verdict->detail);
    fflush(stdout);
}

static int audit(arguments *a, const sp_algorithm *algorithm)
{
    sp_error error = { 0 };
    const size_t failures = a->failures;
    const sp_audit_options with = { .runs = a->thorough ? SP_AUDIT_THOROUGH_RUNS : SP_AUDIT_RUNS, .seed = 1,
                                    .seconds = a->limit, .report = report, .context = a };
    a->algorithm = algorithm->name;
    a->verdicts = a->left_out = 0;
    if (!a->plain)
        printf("%s: %s\n", algorithm->name, algorithm->summary);
    if (sp_audit(algorithm, &with, &error) != SP_OK)
        return sp_complain(&error, SP_EXIT_FAILED);
    if (!a->plain && a->left_out > 0)
        printf("%s: %zu of %zu audits failed, %zu left out\n\n", algorithm->name, a->failures - failures, a->verdicts,
               a->left_out);
    else if (!a->plain)
        printf("%s: %zu of %zu audits failed\n\n", algorithm->name, a->failures - failures, a->verdicts);
    return a->failures > failures ? SP_EXIT_FAILED : SP_EXIT_OK;
}

static int unknown(const char *name)
{
    const char *names[256];
    size_t count = 0;
    sp_error error;
    for (; count < sp_algorithm_count && count < sizeof names / sizeof *names; count++)
        names[count] = sp_algorithms[count]->name;
    const char *near = sp_nearest(name, names, count);
    sp_fail(&error, SP_EINVAL, "audit: no algorithm is named %s%s%s%s", name, near ? "; did you mean " : "",
            near ? near : " (stillpoint list shows the names)", near ? "?" : "");
    return sp_complain(&error, SP_EXIT_USAGE);
}

static int audit_all(void *context)
{
    arguments *a = context;
    const bool all = strcmp(a->algorithm, "all") == 0;
    const sp_algorithm *one = sp_algorithm_find(a->algorithm);
    int code = SP_EXIT_OK;
    if (!all)
        return one ? audit(a, one) : unknown(a->algorithm);
    for (size_t i = 0; i < sp_algorithm_count; i++)
        if (audit(a, sp_algorithms[i]) != SP_EXIT_OK)
            code = SP_EXIT_FAILED;
    return code;
}

static int run(int argc, char **argv)
{
    arguments a = { .limit = NAN };
    char **word;
    size_t words;
    int code;
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    if (isnan(a.limit))
        a.limit = a.thorough ? 3000.0 : 300.0;
    a.algorithm = word[0];
    return sp_run_sandboxed(audit_all, &a, strcmp(word[0], "all") == 0 ? 0 : sp_patience(a.limit));
}

const sp_verb sp_verb_audit = { "audit", "tests whether an algorithm keeps what its ledger says", &usage, run };
