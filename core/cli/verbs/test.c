/* test.c -- `test`: the certification of a loss (or a regulariser) at given parameters, a claim a line. */
#include "core/plan/registry.h"
#include "core/cli/verbs/verbs.h"

#include "losses/certify/certify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    bool thorough, plain;
    uint64_t seed;
    const char *name; /* of what is tested */
    size_t claims, failures;
    const char *part, *region; /* of the line before */
} arguments;

static const sp_option options[] = {
    { "thorough", '\0', SP_OPTION_SET, offsetof(arguments, thorough), NULL,
      "6 times the restarts, 8 times the steps", 0, 0 },
    { "seed", '\0', SP_OPTION_COUNT, offsetof(arguments, seed), "NUMBER", "Another search (default: 1)", 0,
      9007199254740991.0 },
    { "plain", '\0', SP_OPTION_SET, offsetof(arguments, plain), NULL,
      "Tab-separated lines: name, part, claim, region, certified, found, ratio, required, verdict", 0, 0 },
    SP_PLUGIN_OPTION,
    { 0 }
};

static const sp_usage usage = {
    .operands = "LOSS [KEY=VALUE...]",
    .about = "Do the constants of a loss hold? Its derivatives are compared with differences, and an adversary, who "
             "chooses the point, the records and the direction, tries to exceed every bound.",
    .notes = "A line a claim: what is certified, the largest value found, their ratio, the ratio that has to be "
             "reached where the bound is called tight. Regions: the whole space and the ball of radius 2.385; "
             "records of norm up to 1.31, labels up to 0.83. Parameters that are not given are the defaults. A "
             "regulariser can be tested too.\n\nThe exit code is 1 when a claim is broken, or is looser than it "
             "says. A search looks for mistakes; that none was found proves nothing.",
    .option = options, .fewest = 1, .most = SIZE_MAX, .missing = "which loss? (stillpoint list losses shows the names)",
};

static void report(void *context, const sp_finding *f)
{
    arguments *a = context;
    char certified[SP_NUMBER_SIZE], found[SP_NUMBER_SIZE], ratio[SP_NUMBER_SIZE], required[SP_NUMBER_SIZE];
    const double share = f->claimed > 0.0 && isfinite(f->claimed) ? f->found / f->claimed : NAN;
    const char *verdict = f->passed ? "ok" : f->found <= f->claimed ? "LOOSE" : "VIOLATED";
    a->claims++;
    a->failures += !f->passed;
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
        return sp_fail(error, SP_EINVAL, "test: %s: must be KEY=VALUE", setting);
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

static int unknown(const char *name)
{
    const char *names[256];
    size_t count = 0;
    sp_error error;
    for (size_t i = 0; i < sp_loss_count && count < sizeof names / sizeof *names; i++)
        names[count++] = sp_losses[i]->name;
    for (size_t i = 0; i < sp_regulariser_count && count < sizeof names / sizeof *names; i++)
        names[count++] = sp_regularisers[i]->name;
    const char *near = sp_nearest(name, names, count);
    sp_fail(&error, SP_EINVAL, "test: no loss is named %s%s%s%s", name, near ? "; did you mean " : "",
            near ? near : " (stillpoint list losses shows the names)", near ? "?" : "");
    return sp_complain(&error, SP_EXIT_USAGE);
}

static int run(int argc, char **argv)
{
    arguments a = { .seed = 1 };
    sp_error error = { 0 };
    sp_values values;
    double number[SP_PARAM_MAX] = { 0.0 };
    char **word; /* the name, then settings "key=value" */
    size_t words;
    int code;
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    a.name = word[0];
    const sp_loss *loss = sp_loss_find(a.name);
    const sp_regulariser *regulariser = sp_regulariser_find(a.name);
    if (!loss && !regulariser)
        return unknown(a.name);
    sp_values_start(&values, loss ? loss->params : NULL);
    for (size_t i = 1; i < words; i++)
        if (set(a.name, word[i], &values, &error) != SP_OK)
            return sp_complain(&error, SP_EXIT_USAGE);
    if (sp_values_check(&values, a.name, &error) != SP_OK)
        return sp_complain(&error, SP_EXIT_USAGE);
    for (size_t i = 0; i < values.count; i++)
        number[i] = values.value[i].number;

    const sp_certify_options with = { .seed = a.seed, .thorough = a.thorough, .report = report, .context = &a };
    if (!a.plain)
        printf("%s: %s\n", a.name, loss ? loss->formula : regulariser->formula);
    const sp_status status = loss ? sp_certify_loss(loss, number, &with, &error)
                                  : sp_certify_regulariser(regulariser, &with, &error);
    if (status != SP_OK)
        return sp_complain(&error, SP_EXIT_FAILED);
    if (!a.plain)
        printf("\n%s: %zu of %zu claims failed\n", a.name, a.failures, a.claims);
    return a.failures > 0 ? SP_EXIT_FAILED : SP_EXIT_OK;
}

const sp_verb sp_verb_test = { "test", "tries to break the constants of a loss", &usage, run };
