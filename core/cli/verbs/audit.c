/* audit.c -- `audit`: tries to break what a name claims and promises, one line each: the constants of a loss (or a regulariser) at given
 * parameters; the promises of an algorithm, a measure or a generator; the audits of an algorithm. */
#include "core/cli/verbs/verbs.h"
#include "core/audit/audit.h"
#include "core/audit/promises.h"
#include "core/plan/registry.h"
#include "core/session/session.h"

#include "algorithms/algorithm.h"
#include "core/data/generate.h"
#include "losses/certify/certify.h"
#include "measures/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    bool thorough, plain;
    uint64_t seed;
    double limit;     /* seconds for the audits of an algorithm */
    const char *name; /* of what is tested */
    const sp_plan *plan; /* of the experiment that has it; NULL: none is named */
    char **setting;   /* "key=value", `settings` of them */
    size_t settings;
    size_t claims, failures, left_out;
    char first[256]; /* failure; "": none */
    bool stopped;    /* no run ends: nothing to audit */
    const char *part, *region; /* of the line before */
} arguments;

static const sp_option options[] = {
    { "thorough", '\0', SP_OPTION_SET, offsetof(arguments, thorough), NULL,
      "Of a loss 6 times the restarts and 8 times the steps; of an algorithm 10000 runs a side instead of 1000", 0, 0 },
    { "limit", '\0', SP_OPTION_REAL, offsetof(arguments, limit), "SECONDS",
      "What is not done by then, of the audits of an algorithm, is left out (default 300; 3000 with --thorough; 0: no limit)",
      0, 1e9 },
    { "seed", '\0', SP_OPTION_COUNT, offsetof(arguments, seed), "NUMBER", "Another search (default: 1)", 0,
      9007199254740991.0 },
    { "plain", '\0', SP_OPTION_SET, offsetof(arguments, plain), NULL,
      "Tab-separated lines: name, part, claim, region or detail, certified, found, ratio, required, verdict", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "NAME|all [EXPERIMENT.lua] [KEY=VALUE...]",
    .about = "Does a loss, an algorithm, a measure or a generator keep what it claims? Of a loss, derivatives are compared "
             "with differences, and an adversary, who chooses the point, the records and the direction, tries to exceed "
             "every bound. An algorithm is run twice and on other records, and audited. A measure is taken twice; a "
             "generator's records are made in several orders. With an experiment, NAME may be a method that it defines, or "
             "a label of its methods. `all` takes every algorithm in turn.",
    .notes = "For a loss: one line per claim, with the certified value, the largest value found, their ratio, and the ratio "
             "that must be reached if the bound is called tight. Regions: the whole space and the ball of radius 2.385; "
             "records of norm up to 1.31, labels up to 0.83. Parameters that are not given are the defaults. A "
             "regulariser can be tested too. For other names: one line per promise (conformance) and, for an algorithm, one line "
             "per audit.\n\n"
             "replay: the same releases, fed back on a neighbouring data set, must lead to the same calls and the "
             "same ledger, and raw values within their declared sensitivity. noise: its distribution, and that no "
             "stream is used twice. statistical: the two data sets must not be told apart better than the ledger's "
             "trade-off curve allows. one-run: each of a thousand records is one of two, by a coin; one run must not "
             "tell the coins better than the ledger's epsilon allows. A sound algorithm fails a given noise, statistical or "
             "one-run audit with probability at most 0.001.\n\nThe exit "
             "code is 1 when a claim is broken, or is looser than it says, when a promise is broken or an audit fails; what was left out is no failure. "
             "A search looks for mistakes; that none was found proves nothing.",
    .option = options, .fewest = 1, .most = SIZE_MAX, .missing = "which name? (stillpoint list shows them)",
};

static void count_failure(arguments *a, const char *part, const char *what)
{
    if (a->failures++ == 0)
        snprintf(a->first, sizeof a->first, "%s, %s", part, what);
}

static void report(void *context, const sp_finding *f)
{
    arguments *a = context;
    char certified[SP_NUMBER_SIZE], found[SP_NUMBER_SIZE], ratio[SP_NUMBER_SIZE], required[SP_NUMBER_SIZE];
    const double share = f->claimed > 0.0 && isfinite(f->claimed) ? f->found / f->claimed : NAN;
    const char *verdict = f->passed ? "ok" : f->found <= f->claimed ? "LOOSE" : "VIOLATED";
    a->claims++;
    if (!f->passed)
        count_failure(a, f->part, f->what);
    if (a->plain) {
        printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", a->name, f->part, f->what, f->region,
               sp_number(f->claimed, certified), sp_number(f->found, found), sp_number(share, ratio),
               sp_number(f->required, required), verdict);
        return;
    }
    if (!a->part || strcmp(a->part, f->part) != 0 || strcmp(a->region, f->region) != 0)
        printf("\n%s, %s\n  %-36s %13s %13s %9s %9s\n", f->part, f->region, "", "certified", "found", "ratio",
               "required");
    a->part = f->part;
    a->region = f->region;
    snprintf(ratio, sizeof ratio, "%.4f", share);
    snprintf(required, sizeof required, "%.2f", f->required);
    printf("  %-36s %13.7g %13.7g %9s %9s  %s\n", f->what, f->claimed, f->found, isnan(share) ? "" : ratio,
           f->required > 0.0 ? required : "", verdict);
}

/* "key=value" into the schema's values */
static sp_status set(const char *name, char *setting, sp_values *values, sp_error *error)
{
    char *equals = strchr(setting, '=');
    double number;
    if (!equals)
        return sp_fail(error, SP_EINVAL, "audit: %s: must be KEY=VALUE", setting);
    *equals = '\0';
    const char *text = equals + 1;
    sp_status status;
    if (sp_read_number(text, &number))
        status = sp_values_set_number(values, name, setting, number, error);
    else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        status = sp_values_set_flag(values, name, setting, text[0] == 't', error);
    else
        status = sp_values_set_text(values, name, setting, text, error);
    *equals = '=';
    return status;
}

/* --- promises and audits ----------------------------------------------------------------------------------------- */

/* `found`: the largest epsilon that an audit refutes; NAN: none. */
static void report_line(arguments *a, const char *part, const char *what, const char *verdict, double found,
                        const char *detail)
{
    char digits[SP_NUMBER_SIZE];
    if (a->plain)
        printf("%s\t%s\t%s\t%s\t\t%s\t\t\t%s\n", a->name, part, what, detail,
               isnan(found) ? "" : sp_number(found, digits), verdict);
    else
        printf("  %-12s %-52s %-8s  %s\n", part, what, verdict, detail);
    fflush(stdout);
}

static void report_promise(void *context, const sp_promise *promise)
{
    arguments *a = context;
    a->claims++;
    if (!promise->kept)
        count_failure(a, "conformance", promise->what);
    a->stopped = a->stopped || promise->last;
    report_line(a, "conformance", promise->what, promise->kept ? "ok" : "BROKEN", NAN, promise->detail);
}

static void report_audit(void *context, const sp_audit_verdict *verdict)
{
    arguments *a = context;
    a->claims += !verdict->left_out;
    if (!verdict->passed && !verdict->left_out)
        count_failure(a, sp_audit_name(verdict->audit), verdict->fixture);
    a->left_out += verdict->left_out;
    report_line(a, sp_audit_name(verdict->audit), verdict->fixture,
                verdict->left_out ? "left out" : verdict->passed ? "ok" : "FAILED", verdict->rejected, verdict->detail);
}

static void begin(const arguments *a, const char *kind, const char *summary)
{
    if (!a->plain)
        printf("%s (%s): %s\n", a->name, kind, summary);
}

/* The verdict on what was tried since then; the exit code. */
static int end(arguments *a, const char *things)
{
    const bool failed = a->failures > 0;
    if (!a->plain && a->left_out > 0)
        printf("%s: %zu of %zu %s failed, %zu left out", a->name, a->failures, a->claims, things, a->left_out);
    else if (!a->plain)
        printf("%s: %zu of %zu %s failed", a->name, a->failures, a->claims, things);
    if (!a->plain)
        printf("%s%s\n", *a->first ? "; the first: " : "", a->first);
    a->claims = a->failures = a->left_out = 0;
    a->stopped = false;
    *a->first = '\0';
    return failed ? SP_EXIT_FAILED : SP_EXIT_OK;
}

static int audit_algorithm(arguments *a, const sp_algorithm *algorithm)
{
    sp_error error = { 0 };
    const bool apart = algorithm->foreign && algorithm->foreign->apart;
    const sp_audit_options audits = { .plan = a->plan, .runs = a->thorough ? SP_AUDIT_THOROUGH_RUNS : SP_AUDIT_RUNS, .seed = a->seed,
                                      .seconds = a->limit, .report = report_audit, .context = a };
    begin(a, "algorithm", algorithm->summary);
    if (apart && !a->plain)
        puts("  it is handed the oracle's answers and no record: a process of its own");
    if (sp_promises_algorithm(algorithm, &(sp_promise_options){ report_promise, a }, &error) != SP_OK)
        return sp_complain(&error, SP_EXIT_FAILED);
    if (a->stopped)
        report_line(a, "audits", "", "left out", NAN, "no run ends");
    else if (sp_audit(algorithm, &audits, &error) != SP_OK) { /* one could not be carried out */
        sp_complain(&error, SP_EXIT_FAILED);
        count_failure(a, "an audit", "which could not be made");
    }
    return end(a, "promises and audits");
}

static int audit_measure(arguments *a, const sp_measure *measure)
{
    sp_error error = { 0 };
    begin(a, "measure", measure->summary);
    if (sp_promises_measure(measure, &(sp_promise_options){ report_promise, a }, &error) != SP_OK)
        return sp_complain(&error, SP_EXIT_FAILED);
    return end(a, "promises");
}

static int audit_generator(arguments *a, const sp_generator *generator)
{
    sp_error error = { 0 };
    begin(a, "generator", generator->summary);
    if (sp_promises_generator(generator, &(sp_promise_options){ report_promise, a }, &error) != SP_OK)
        return sp_complain(&error, SP_EXIT_FAILED);
    return end(a, "promises");
}

static int unknown(const char *name)
{
    const char *names[256];
    size_t count = 0;
    sp_error error;
    for (size_t i = 0; i < sp_loss_count && count < sizeof names / sizeof *names; i++)
        names[count++] = sp_losses[i]->name;
    for (size_t i = 0; i < sp_regulariser_count && count < sizeof names / sizeof *names; i++)
        names[count++] = sp_regularisers[i]->name;
    for (size_t i = 0; i < sp_algorithm_count && count < sizeof names / sizeof *names; i++)
        names[count++] = sp_algorithms[i]->name;
    for (size_t i = 0; i < sp_measure_count && count < sizeof names / sizeof *names; i++)
        names[count++] = sp_measures[i]->name;
    for (size_t i = 0; i < sp_generator_count && count < sizeof names / sizeof *names; i++)
        names[count++] = sp_generators[i]->name;
    const char *near = sp_nearest(name, names, count);
    sp_fail(&error, SP_EINVAL, "audit: nothing to audit is named %s%s%s%s", name, near ? "; did you mean " : "",
            near ? near : " (stillpoint list shows the names; of an experiment's own methods: audit NAME EXPERIMENT.lua)",
            near ? "?" : "");
    return sp_complain(&error, SP_EXIT_USAGE);
}

static int audit_loss(arguments *a, const sp_loss *loss, const sp_regulariser *regulariser)
{
    sp_error error = { 0 };
    sp_values values;
    double number[SP_PARAM_MAX] = { 0.0 };
    sp_values_start(&values, loss ? loss->params : NULL);
    for (size_t i = 0; i < a->settings; i++)
        if (set(a->name, a->setting[i], &values, &error) != SP_OK)
            return sp_complain(&error, SP_EXIT_USAGE);
    if (sp_values_check(&values, a->name, &error) != SP_OK)
        return sp_complain(&error, SP_EXIT_USAGE);
    for (size_t i = 0; i < values.count; i++)
        number[i] = values.value[i].number;

    const sp_certify_options with = { .seed = a->seed, .thorough = a->thorough, .report = report, .context = a };
    if (!a->plain)
        printf("%s: %s\n", a->name, loss ? loss->formula : regulariser->formula);
    const sp_status status = loss ? sp_certify_loss(loss, number, &with, &error)
                                  : sp_certify_regulariser(regulariser, &with, &error);
    if (status != SP_OK)
        return sp_complain(&error, SP_EXIT_FAILED);
    if (!a->plain)
        putchar('\n');
    return end(a, "claims");
}

/* A name may stand for several things; the worst code. */
enum { OWN_MAX = 16 };

static bool is_experiment(const char *word)
{
    const size_t length = strlen(word);
    return length > 4 && strcmp(word + length - 4, ".lua") == 0;
}

static int audit_name(void *context)
{
    arguments *a = context;
    const sp_loss *loss = sp_loss_find(a->name);
    const sp_regulariser *regulariser = sp_regulariser_find(a->name);
    const sp_algorithm *algorithm = sp_algorithm_find(a->name), *own[OWN_MAX];
    const size_t owned = a->plan ? sp_plan_methods(a->plan, a->name, own, OWN_MAX) : 0;
    const sp_measure *measure = sp_measure_find(a->name);
    const sp_generator *generator = sp_generator_find(a->name);
    int code = SP_EXIT_OK, worst = SP_EXIT_OK;
    for (size_t i = 0; strcmp(a->name, "all") == 0 && i < sp_algorithm_count; i++) {
        arguments one = *a;
        one.name = sp_algorithms[i]->name;
        code = audit_algorithm(&one, sp_algorithms[i]);
        worst = code > worst ? code : worst;
    }
    if (strcmp(a->name, "all") == 0)
        return worst;
    if (!loss && !regulariser && !algorithm && !measure && !generator && owned == 0)
        return unknown(a->name);
    if (loss || regulariser)
        worst = audit_loss(a, loss, regulariser);
    else if (a->settings > 0)
        return sp_misused("audit", "%s: parameters are set of losses alone", a->setting[0]);
    for (size_t i = 0; i < owned; i++)
        if ((code = audit_algorithm(a, own[i])) > worst)
            worst = code;
    if (algorithm && owned == 0 && (code = audit_algorithm(a, algorithm)) > worst)
        worst = code;
    if (measure && (code = audit_measure(a, measure)) > worst)
        worst = code;
    if (generator && (code = audit_generator(a, generator)) > worst)
        worst = code;
    return worst;
}

static int run(int argc, char **argv)
{
    arguments a = { .seed = 1, .limit = NAN };
    char **word; /* the name, then settings "key=value" */
    size_t words;
    int code;
    sp_session session = { 0 };
    sp_error error = { 0 };
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    if (isnan(a.limit))
        a.limit = a.thorough ? 3000.0 : 300.0;
    const bool within = words > 1 && is_experiment(word[1]);
    a.name = word[0];
    a.setting = word + 1 + within;
    a.settings = words - 1 - within;
    if (is_experiment(a.name))
        return sp_misused("audit", "%s: which of its methods? (audit NAME %s)", a.name, a.name);
    if (within && sp_session_open(word[1], &(sp_common)SP_COMMON_DEFAULTS, NULL, false, &session, &error) != SP_OK)
        return sp_complain(&error, SP_EXIT_USAGE);
    a.plan = within ? &session.plan : NULL;
    const bool all = strcmp(a.name, "all") == 0;
    const bool limited = a.plan || sp_algorithm_find(a.name); /* others look at no limit */
    code = sp_run_sandboxed(audit_name, &a, all ? 0 : sp_patience(limited || a.limit <= 0.0 ? a.limit : fmax(a.limit, 300.0)));
    sp_session_close(&session);
    return code;
}

const sp_verb sp_verb_audit = { "audit", "try to break what a method, a loss, a measure or a generator claims", &usage, run };
