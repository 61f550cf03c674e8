/* describe.c -- one name, as a reference manual would have it; everything comes from the schemas. */
#include "core/cli/verbs/verbs.h"
#include "core/cli/manual/manual.h"
#include "core/plan/keys.h"
#include "core/plan/registry.h"
#include "core/session/session.h"

#include "algorithms/algorithm.h"
#include "core/data/domain.h"

#include <stdio.h>
#include <string.h>

static void describe_algorithm(const sp_algorithm *a, sp_text *out)
{
    sp_text_append(out, "%s (algorithm)\n  %s\n  When: %s\n  Source: %s\n  Releases: %s\n", a->name, a->summary, a->when,
                   a->source, a->releases);
    if (a->non_private_only)
        sp_text_append(out, "  A non-private reference: it runs with privacy = \"none\".\n");
    if (a->ignores_data)
        sp_text_append(out, "  It ignores the data: epsilon = 0, which is within every budget.\n");
    if (a->uncertified)
        sp_text_append(out, "  Uncertified: it refuses a budget unless its caller vouches for it.\n");
    sp_manual_params(a->params, out);
    sp_text_append(out, "\nSymbols: n records, d dimensions; w the iterate, w' the one before it. L_data, beta, gap and\n"
                        "other constants are those of problem.declared (stillpoint list keys).\n");
}

enum { OWN_MAX = 16 }; /* methods of an experiment of one label */

/* Every name there is, for "did you mean". Returns the number written. */
static size_t all_names(const char **names, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < sp_algorithm_count && count < room; i++)
        names[count++] = sp_algorithms[i]->name;
    for (size_t i = 0; i < sp_loss_count && count < room; i++)
        names[count++] = sp_losses[i]->name;
    for (size_t i = 0; i < sp_regulariser_count && count < room; i++)
        names[count++] = sp_regularisers[i]->name;
    for (size_t i = 0; i < sp_measure_count && count < room; i++)
        names[count++] = sp_measures[i]->name;
    for (size_t i = 0; i < sp_catalogue_count && count < room; i++)
        names[count++] = sp_catalogue[i].name;
    for (size_t i = 0; i < sp_generator_count && count < room; i++)
        names[count++] = sp_generators[i]->name;
    for (size_t i = 0; sp_domain_names[i] && count < room; i++)
        names[count++] = sp_domain_names[i];
    for (size_t i = 0; i < sp_named_problem_count && count < room; i++)
        names[count++] = sp_named_problems[i].name;
    for (size_t i = 1; i < sp_key_table_count && count < room; i++) /* the first has no name */
        names[count++] = sp_key_tables[i].place;
    return count;
}

static const sp_usage usage = {
    .operands = "NAME [EXPERIMENT.lua]",
    .about = "What an algorithm, a loss, a regulariser, a measure, a domain, a data set, a generator or a problem is "
             "and accepts; the keys of a part of an experiment (problem.data: of a file of your own). With an experiment, "
             "NAME may be a method that it defines, or a label of its methods.",
    .fewest = 1, .most = 2, .missing = "which one? (stillpoint list shows the names)", .excess = "one name at a time",
};

static int run(int argc, char **argv)
{
    char **word;
    size_t words;
    int code;
    if (!sp_parse(&usage, argc, argv, NULL, &word, &words, &code))
        return code;
    const char *name = word[0];
    sp_session session = { 0 };
    sp_error error = { 0 };
    if (words > 1 && sp_session_open(word[1], &(sp_common)SP_COMMON_DEFAULTS, NULL, false, &session, &error) != SP_OK)
        return sp_complain(&error, SP_EXIT_USAGE);

    /* One name may stand for several things (a loss and a generator, say): all are described. */
    sp_text out = { 0 };
    const sp_algorithm *algorithm = sp_algorithm_find(name);
    const sp_loss *loss = sp_loss_find(name);
    const sp_regulariser *regulariser = sp_regulariser_find(name);
    const sp_measure *measure = sp_measure_find(name);
    const sp_catalogue_entry *entry = sp_catalogue_find(name);
    const sp_generator *generator = sp_generator_find(name);
    const sp_named_problem *problem = sp_named_problem_find(name);
    const sp_algorithm *own[OWN_MAX];
    const size_t owned = words > 1 ? sp_plan_methods(&session.plan, name, own, OWN_MAX) : 0;
    for (size_t i = 0; i < owned; i++)
        describe_algorithm(own[i], &out);
    if (algorithm && owned == 0)
        describe_algorithm(algorithm, &out);
    if (loss)
        sp_manual_loss(loss, &out);
    if (regulariser)
        sp_manual_regulariser(regulariser, &out);
    if (measure)
        sp_manual_measure(measure, &out);
    if (entry)
        sp_manual_data(entry, &out);
    if (generator)
        sp_manual_generator(generator, &out);
    if (problem)
        sp_manual_problem(problem, &out);
    for (size_t i = 0; sp_domain_names[i]; i++)
        if (strcmp(sp_domain_names[i], name) == 0)
            sp_manual_domain(i, &out);
    for (size_t i = 1; i < sp_key_table_count; i++)
        if (strcmp(sp_key_tables[i].place, name) == 0)
            sp_manual_keys(&sp_key_tables[i], &out);

    if (out.failed) {
        sp_fail(&error, SP_ENOMEM, "describe %s: out of memory", name);
        code = sp_complain(&error, SP_EXIT_FAILED);
    } else if (out.length > 0) {
        fputs(out.data, stdout);
    } else {
        const char *names[256];
        const char *near = sp_nearest(name, names, all_names(names, sizeof names / sizeof *names));
        sp_fail(&error, SP_EINVAL, "describe: nothing is named %s%s%s%s", name, near ? "; did you mean " : "",
                near ? near : " (stillpoint list shows the names)", near ? "?" : "");
        code = sp_complain(&error, SP_EXIT_USAGE);
    }
    sp_text_free(&out);
    sp_session_close(&session);
    return code;
}

const sp_verb sp_verb_describe = { "describe", "what a name is and which parameters it takes", &usage, run };
