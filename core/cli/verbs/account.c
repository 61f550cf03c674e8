/* account.c -- `account epsilon`, `account delta`, `account calibrate`: the accountants on entries from the command line. */
#include "core/cli/print/json.h"
#include "core/cli/verbs/verbs.h"

#include "core/base/memory.h"
#include "core/accountant/accountant.h"
#include "core/accountant/entry_text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double epsilon, delta; /* NAN until given */
    const char *relation;  /* NULL until given */
    bool plain, json;
    sp_neighbours neighbours;
    char **text;
    size_t entries;
} arguments;

static const sp_option options[] = {
    { "epsilon", 'e', SP_OPTION_REAL, offsetof(arguments, epsilon), "NUMBER",
      "Privacy parameter, > 0", -HUGE_VAL, HUGE_VAL },
    { "delta", 'd', SP_OPTION_REAL, offsetof(arguments, delta), "NUMBER",
      "Privacy parameter, in (0, 1)", -HUGE_VAL, HUGE_VAL },
    { "neighbours", '\0', SP_OPTION_TEXT, offsetof(arguments, relation), "RELATION",
      "replace_one (default) or add_remove",
      0, 0 },
    { "plain", 'p', SP_OPTION_SET, offsetof(arguments, plain), NULL, "Tab-separated lines, for scripts", 0, 0 },
    { "json", '\0', SP_OPTION_SET, offsetof(arguments, json), NULL,
      "epsilon: the composition and its bounds, for other programs", 0, 0 },
    { 0 }
};

/* An exit code: SP_EXIT_OK when the relation is known, and epsilon and delta are given where they are needed. */
static int check_arguments(const char *verb, arguments *a, bool needs_epsilon, bool needs_delta)
{
    const char *names[] = { sp_neighbours_name(SP_REPLACE_ONE), sp_neighbours_name(SP_ADD_REMOVE) };
    size_t relation = 0;
    while (a->relation && relation < 2 && strcmp(a->relation, names[relation]) != 0)
        relation++;
    if (relation == 2) {
        const char *near = sp_nearest(a->relation, names, 2);
        return sp_misused(verb, "--neighbours %s: must be %s or %s%s%s%s", a->relation, names[0], names[1],
                          near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
    a->neighbours = (sp_neighbours)relation;
    if (needs_epsilon && isnan(a->epsilon))
        return sp_misused(verb, "needs --epsilon");
    if (needs_delta && isnan(a->delta))
        return sp_misused(verb, "needs --delta");
    if (!needs_epsilon && !isnan(a->epsilon))
        return sp_misused(verb, "finds epsilon: takes no --epsilon");
    if (!needs_delta && !isnan(a->delta))
        return sp_misused(verb, "finds delta: takes no --delta");
    if (needs_epsilon && a->json)
        return sp_misused(verb, "takes no --json: it goes with epsilon");
    if (a->plain && a->json)
        return sp_misused(verb, "--plain or --json, not both");
    return SP_EXIT_OK;
}

static const char entries_text[] =
    "An ENTRY is KIND:KEY=VALUE,...; every kind takes count (default 1) and pool (entries of different pools > 0 "
    "touch disjoint records).\n\n"
    "  gauss:noise_multiplier=4\n"
    "  gauss_wor:noise_multiplier=1,rate=0.01      fixed-size subsets\n"
    "  poisson:noise_multiplier=1,rate=0.01\n"
    "  tree:noise_multiplier=4,steps=1000          prefix sums\n"
    "  laplace:scale=1                             (or epsilon=1)\n"
    "  em:epsilon=0.1   pure:   rnm_laplace:   svt:\n"
    "  randomised_response:epsilon=1,choices=2\n"
    "  approx:epsilon=0.3,delta=1e-7\n"
    "  select:noise_multiplier=2,mean=10,shape=1   best of a random number of runs (shape=inf: Poisson; cap=200)\n\n"
    "noise_multiplier and scale are relative to the replace-one sensitivity; of poisson, and under add_remove, to "
    "the bound of one record.";

static sp_status read_entries(const arguments *a, sp_entry **entries, sp_ledger *ledger, sp_error *error)
{
    sp_status status = SP_OK;
    *entries = sp_alloc(a->entries, sizeof **entries);
    if (!*entries)
        SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory for %zu entries", a->entries));
    for (size_t i = 0; i < a->entries; i++) {
        SP_TRY(sp_entry_read(a->text[i], &(*entries)[i], error));
        if (sp_ledger_append(ledger, &(*entries)[i]) != SP_OK)
            SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory for %zu entries", a->entries));
    }
cleanup:
    return status;
}

/* The bounds that there are, largest first; the best one, with its value, last. */
static void print_bounds(const arguments *a, const char *what, const double value[SP_BOUNDS], sp_bound_kind best,
                         double smallest)
{
    sp_bound_kind order[SP_BOUNDS];
    size_t count = 0;
    for (int k = 0; k < SP_BOUNDS; k++) {
        if (k == (int)best || isnan(value[k]))
            continue;
        size_t at = count++;
        for (; at > 0 && value[order[at - 1]] < value[k]; at--)
            order[at] = order[at - 1];
        order[at] = (sp_bound_kind)k;
    }
    order[count++] = best;
    if (!a->plain)
        printf("\n%-8s %s\n", "bound", what);
    for (size_t i = 0; i < count; i++) {
        const double shown = order[i] == best ? smallest : value[order[i]];
        char digits[SP_NUMBER_SIZE];
        if (a->plain)
            printf("%s\t%s\n", sp_bound_name(order[i]), sp_number(shown, digits));
        else
            printf("%-8s %.8g\n", sp_bound_name(order[i]), shown);
    }
}

static sp_status say_composition(const arguments *a, const sp_ledger *ledger, const sp_bounds *bounds, sp_error *error)
{
    sp_text text = { 0 };
    const sp_status status = sp_json_composition(ledger, a->neighbours, a->delta, bounds, &text, error);
    if (status == SP_OK)
        puts(text.data);
    sp_text_free(&text);
    return status;
}

static sp_status say_epsilon(const arguments *a, const sp_ledger *ledger, sp_error *error)
{
    sp_bounds bounds;
    const sp_status status = sp_account(ledger, a->neighbours, a->delta, &bounds, error);
    if (status != SP_OK)
        return status;
    if (a->json)
        return say_composition(a, ledger, &bounds, error);
    if (!a->plain)
        printf("epsilon = %.6g at delta = %g, %s neighbours\n", bounds.best, a->delta,
               sp_neighbours_name(a->neighbours));
    print_bounds(a, "epsilon", bounds.epsilon, bounds.bound, bounds.best);
    return SP_OK;
}

static sp_status say_delta(const arguments *a, const sp_ledger *ledger, sp_error *error)
{
    double delta[SP_BOUNDS];
    sp_bound_kind best;
    const sp_status status = sp_account_deltas(ledger, a->neighbours, a->epsilon, delta, &best, error);
    if (status != SP_OK)
        return status;
    if (!a->plain) /* the least double stands for what is below it */
        printf("delta %s %.6g at epsilon = %g, %s neighbours\n", delta[best] == DBL_TRUE_MIN ? "<=" : "=", delta[best],
               a->epsilon, sp_neighbours_name(a->neighbours));
    print_bounds(a, "delta", delta, best, delta[best]);
    return SP_OK;
}

static bool noisy(const sp_entry *entry)
{
    return sp_entry_field_use(entry->kind, 0) == SP_FIELD_REQUIRED;
}

static sp_status say_factor(const arguments *a, const sp_ledger *ledger, const sp_entry *entries, sp_error *error)
{
    double factor;
    char digits[SP_NUMBER_SIZE];
    const sp_status status = sp_calibrate_under(NULL, ledger, a->neighbours, a->epsilon, a->delta, &factor, error);
    if (status != SP_OK)
        return status;
    if (a->plain)
        printf("factor\t%s\n", sp_number(factor, digits));
    else
        printf("factor = %.12g for epsilon = %g at delta = %g, %s neighbours\n\n%-20s %s\n", factor, a->epsilon,
               a->delta, sp_neighbours_name(a->neighbours), "noise_multiplier", "of");
    for (size_t i = 0; i < a->entries; i++) {
        if (!noisy(&entries[i]))
            continue;
        const double multiplier = entries[i].noise_multiplier * factor;
        if (a->plain)
            printf("%s\t%s\n", a->text[i], sp_number(multiplier, digits));
        else
            printf("%-20.12g %s\n", multiplier, a->text[i]);
    }
    return SP_OK;
}

static int account(const sp_usage *usage, int argc, char **argv, bool epsilon, bool delta)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_ledger ledger = { 0 };
    sp_entry *entries = NULL;
    arguments a = { .epsilon = NAN, .delta = NAN };
    int code;
    if (!sp_parse(usage, argc, argv, &a, &a.text, &a.entries, &code) ||
        (code = check_arguments(argv[0], &a, epsilon, delta)) != SP_EXIT_OK)
        return code;
    SP_TRY(read_entries(&a, &entries, &ledger, &error));
    if (epsilon && delta)
        SP_TRY(say_factor(&a, &ledger, entries, &error));
    else if (epsilon)
        SP_TRY(say_delta(&a, &ledger, &error));
    else
        SP_TRY(say_epsilon(&a, &ledger, &error));
cleanup:
    free(entries);
    sp_ledger_free(&ledger);
    return status == SP_OK ? SP_EXIT_OK : sp_complain(&error, SP_EXIT_USAGE);
}

#define USAGE(about_)                                                                                \
    {                                                                                                \
        .operands = "ENTRY...", .about = about_, .notes = entries_text, .option = options, .fewest = 1, \
        .most = SIZE_MAX, .missing = "which ENTRY? (try gauss:noise_multiplier=4,count=100)"         \
    }
static const sp_usage epsilon_usage = USAGE("The smallest valid upper bound on epsilon at --delta for these releases "
                                            "together, and every other bound beside it.");
static const sp_usage delta_usage = USAGE("The smallest valid upper bound on delta at --epsilon for these releases "
                                          "together.");
static const sp_usage calibrate_usage = USAGE("The smallest common factor on the noise multipliers with which these "
                                              "releases are within --epsilon and --delta: the multipliers given are "
                                              "relative weights.");
#undef USAGE

static int run_epsilon(int argc, char **argv)
{
    return account(&epsilon_usage, argc, argv, false, true);
}

static int run_delta(int argc, char **argv)
{
    return account(&delta_usage, argc, argv, true, false);
}

static int run_calibrate(int argc, char **argv)
{
    return account(&calibrate_usage, argc, argv, true, true);
}

const sp_verb sp_verb_account_epsilon = { "account epsilon", "the epsilon of a list of releases at a given delta", &epsilon_usage, run_epsilon };
const sp_verb sp_verb_account_delta = { "account delta", "the delta of a list of releases at a given epsilon", &delta_usage, run_delta };
const sp_verb sp_verb_account_calibrate = { "account calibrate", "the noise that a list of releases needs",
                                             &calibrate_usage, run_calibrate };
