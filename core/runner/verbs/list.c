/* list.c -- what there is: algorithms, losses, regularisers, measures, data sets, generators. */
#include "core/runner/registry.h"
#include "core/runner/verbs/verbs.h"

#include "algorithms/algorithm.h"
#include "core/data/catalogue.h"
#include "core/data/domain.h"
#include "core/data/generator.h"
#include "losses/loss.h"
#include "measures/measure.h"

#include <stdio.h>
#include <string.h>

/* Each kind is a name and a function that gives entry i, or false past the end. */
typedef bool (*entry_of)(size_t i, const char **name, const char **summary);

static bool algorithm(size_t i, const char **name, const char **summary)
{
    if (i >= sp_algorithm_count)
        return false;
    *name = sp_algorithms[i]->name;
    *summary = sp_algorithms[i]->summary;
    return true;
}

static bool loss(size_t i, const char **name, const char **summary)
{
    if (i >= sp_loss_count)
        return false;
    *name = sp_losses[i]->name;
    *summary = sp_losses[i]->formula;
    return true;
}

static bool regulariser(size_t i, const char **name, const char **summary)
{
    if (i >= sp_regulariser_count)
        return false;
    *name = sp_regularisers[i]->name;
    *summary = sp_regularisers[i]->formula;
    return true;
}

static bool measure(size_t i, const char **name, const char **summary)
{
    if (i >= sp_measure_count)
        return false;
    *name = sp_measures[i]->name;
    *summary = sp_measures[i]->summary;
    return true;
}

static bool data(size_t i, const char **name, const char **summary)
{
    if (i >= sp_catalogue_count)
        return false;
    *name = sp_catalogue[i].name;
    *summary = sp_catalogue[i].summary;
    return true;
}

static bool generator(size_t i, const char **name, const char **summary)
{
    if (i >= sp_generator_count)
        return false;
    *name = sp_generators[i].name;
    *summary = sp_generators[i].summary;
    return true;
}

static const struct {
    const char *kind;
    entry_of entry;
} kinds[] = { { "algorithms", algorithm },     { "losses", loss }, { "regularisers", regulariser },
              { "measures", measure },         { "data", data },   { "generators", generator } };
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct {
    bool plain;
    const char *kind;
} arguments;

static const struct argp_option options[] = {
    { "plain", 'p', NULL, 0, "A name a line and nothing else, for scripts", 0 },
    { 0 }
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case 'p':
        a->plain = true;
        return 0;
    case ARGP_KEY_ARG:
        if (a->kind)
            argp_error(state, "one kind at a time");
        a->kind = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options, parse, "[algorithms|losses|regularisers|measures|data|generators]",
    "What an experiment can name. Without a kind: everything.", NULL, NULL, NULL
};

static int run(int argc, char **argv)
{
    arguments a = { 0 };
    sp_parse(&argp, argc, argv, &a);

    bool known = a.kind == NULL;
    const char *names[KINDS];
    for (size_t k = 0; k < KINDS; k++) {
        names[k] = kinds[k].kind;
        known = known || strcmp(kinds[k].kind, a.kind) == 0;
    }
    if (!known) {
        sp_error error;
        const char *near = sp_nearest(a.kind, names, KINDS);
        sp_fail(&error, SP_EINVAL, "list: unknown kind %s%s%s%s", a.kind, near ? "; did you mean " : "",
                near ? near : " (stillpoint list --help)", near ? "?" : "");
        return sp_complain(&error, SP_EXIT_USAGE);
    }

    for (size_t k = 0; k < KINDS; k++) {
        if (a.kind && strcmp(kinds[k].kind, a.kind) != 0)
            continue;
        if (!a.plain && !a.kind)
            printf("%s%s\n", k > 0 ? "\n" : "", kinds[k].kind);
        const char *name, *summary;
        for (size_t i = 0; kinds[k].entry(i, &name, &summary); i++) {
            if (a.plain)
                printf("%s\n", name);
            else
                printf("  %-22s %s\n", name, summary);
        }
    }
    return SP_EXIT_OK;
}

const sp_verb sp_verb_list = { "list", "algorithms, losses, regularisers, measures, data sets, generators", run };
