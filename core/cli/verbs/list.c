/* list.c -- `list`: the names that an experiment can use, or the description of one name. Descriptions come from the schemas. */
#include "core/cli/manual/manual.h"
#include "core/plan/keys.h"
#include "core/plan/registry.h"
#include "core/cli/verbs/verbs.h"
#include "core/session/session.h"

#include "algorithms/algorithm.h"
#include "core/data/domain.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    bool plain;
} arguments;

static void item(const arguments *a, const char *name, const char *summary)
{
    if (a->plain)
        printf("%s\n", name);
    else
        printf("  %-22s %s\n", name, summary);
}

static void heading(const arguments *a, const char *text)
{
    if (!a->plain)
        printf("%s\n", text);
}

static void problems(const arguments *a)
{
    for (size_t i = 0; i < sp_named_problem_count; i++)
        item(a, sp_named_problems[i].name, sp_named_problems[i].summary);
}

static void algorithms(const arguments *a)
{
    for (size_t i = 0; i < sp_algorithm_count; i++)
        item(a, sp_algorithms[i]->name, sp_algorithms[i]->summary);
}

static void family(void *context, const char *name)
{
    heading(context, name);
}

static void loss(void *context, const sp_loss *l)
{
    item(context, l->name, l->formula);
}

static void losses(const arguments *a)
{
    if (a->plain)
        for (size_t i = 0; i < sp_loss_count; i++)
            item(a, sp_losses[i]->name, sp_losses[i]->formula);
    else
        sp_manual_families(family, loss, (void *)a);
}

static void regularisers(const arguments *a)
{
    for (size_t i = 0; i < sp_regulariser_count; i++)
        item(a, sp_regularisers[i]->name, sp_regularisers[i]->formula);
}

static void measures(const arguments *a)
{
    for (size_t i = 0; i < sp_measure_count; i++)
        item(a, sp_measures[i]->name, sp_measures[i]->summary);
}

static void domains(const arguments *a)
{
    for (size_t i = 0; sp_domain_names[i]; i++)
        item(a, sp_domain_names[i], sp_domain_formulas[i]);
}

static void generators(const arguments *a)
{
    for (size_t i = 0; i < sp_generator_count; i++)
        item(a, sp_generators[i]->name, sp_generators[i]->summary);
}

/* What problem.data may name. */
static void data(const arguments *a)
{
    heading(a, "public data sets");
    for (size_t i = 0; i < sp_catalogue_count; i++)
        item(a, sp_catalogue[i].name, sp_catalogue[i].summary);
    heading(a, "generators");
    generators(a);
}

static void keys(const arguments *a)
{
    for (size_t i = 0; i < sp_key_table_count; i++) {
        const sp_key_table *table = &sp_key_tables[i];
        heading(a, *table->place ? table->place : "the experiment");
        for (const sp_param *key = table->keys; key->key; key++) {
            if (a->plain)
                printf("%s%s", table->place, *table->place ? "." : "");
            item(a, key->key, key->meaning);
        }
    }
}

static const struct {
    const char *kind;
    void (*print)(const arguments *);
    bool part; /* of another kind: left out of a list of everything */
} kinds[] = { { "algorithms", algorithms, false }, { "losses", losses, false }, { "regularisers", regularisers, false },
              { "measures", measures, false },     { "domains", domains, false }, { "data", data, false },
              { "problems", problems, false },     { "generators", generators, true },
              { "keys", keys, true } };
enum { KINDS = sizeof kinds / sizeof *kinds };

/* --- one name ------------------------------------------------------------------------------------------------- */

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
    for (size_t i = 0; i < KINDS && count < room; i++)
        names[count++] = kinds[i].kind;
    for (size_t i = 0; i < sp_key_table_count; i++)
        for (const sp_param *key = sp_key_tables[i].keys; key->key && count < room; key++)
            names[count++] = key->key;
    return count;
}

/* "privacy.epsilon" or "epsilon" */
static bool is_called(const sp_key_table *table, const sp_param *key, const char *word)
{
    const size_t length = strlen(table->place);
    return strcmp(word, key->key) == 0 ||
           (length > 0 && strncmp(word, table->place, length) == 0 && word[length] == '.' &&
            strcmp(word + length + 1, key->key) == 0);
}

static void describe_key(const char *word, sp_text *out)
{
    for (size_t i = 0; i < sp_key_table_count; i++)
        for (const sp_param *key = sp_key_tables[i].keys; key->key; key++)
            if (is_called(&sp_key_tables[i], key, word)) {
                sp_text_append(out, "%s%s%s (key)\n", sp_key_tables[i].place, *sp_key_tables[i].place ? "." : "", key->key);
                sp_manual_key(key, out);
            }
}

/* Everything of that name. plan NULL: of no experiment. */
static void describe(const char *name, const sp_plan *plan, sp_text *out)
{
    const sp_algorithm *algorithm = sp_algorithm_find(name);
    const sp_loss *loss = sp_loss_find(name);
    const sp_regulariser *regulariser = sp_regulariser_find(name);
    const sp_measure *measure = sp_measure_find(name);
    const sp_catalogue_entry *entry = sp_catalogue_find(name);
    const sp_generator *generator = sp_generator_find(name);
    const sp_named_problem *problem = sp_named_problem_find(name);
    const sp_algorithm *own[OWN_MAX];
    const size_t owned = plan ? sp_plan_methods(plan, name, own, OWN_MAX) : 0;
    for (size_t i = 0; i < owned; i++)
        describe_algorithm(own[i], out);
    if (algorithm && owned == 0)
        describe_algorithm(algorithm, out);
    if (loss)
        sp_manual_loss(loss, out);
    if (regulariser)
        sp_manual_regulariser(regulariser, out);
    if (measure)
        sp_manual_measure(measure, out);
    if (entry)
        sp_manual_data(entry, out);
    if (generator)
        sp_manual_generator(generator, out);
    if (problem)
        sp_manual_problem(problem, out);
    for (size_t i = 0; sp_domain_names[i]; i++)
        if (strcmp(sp_domain_names[i], name) == 0)
            sp_manual_domain(i, out);
    for (size_t i = 1; i < sp_key_table_count; i++)
        if (strcmp(sp_key_tables[i].place, name) == 0)
            sp_manual_keys(&sp_key_tables[i], out);
    describe_key(name, out);
}

static int print_name(const char *name, const char *experiment)
{
    sp_session session = { 0 };
    sp_error error = { 0 };
    sp_text out = { 0 };
    int code = SP_EXIT_OK;
    if (experiment &&
        sp_session_open(experiment, &(sp_common)SP_COMMON_DEFAULTS, NULL, false, &session, &error) != SP_OK)
        return sp_complain(&error, SP_EXIT_USAGE);
    describe(name, experiment ? &session.plan : NULL, &out);
    if (out.failed) {
        sp_fail(&error, SP_ENOMEM, "list %s: out of memory", name);
        code = sp_complain(&error, SP_EXIT_FAILED);
    } else if (out.length > 0) {
        fputs(out.data, stdout);
    } else {
        const char *names[512];
        const char *near = sp_nearest(name, names, all_names(names, sizeof names / sizeof *names));
        sp_fail(&error, SP_EINVAL, "list: nothing is named %s%s%s%s", name, near ? "; did you mean " : "",
                near ? near : " (stillpoint list shows the names)", near ? "?" : "");
        code = sp_complain(&error, SP_EXIT_USAGE);
    }
    sp_text_free(&out);
    sp_session_close(&session);
    return code;
}

/* --- the verb ------------------------------------------------------------------------------------------------- */

static const sp_option options[] = {
    { "plain", 'p', SP_OPTION_SET, offsetof(arguments, plain), NULL,
      "Names alone, one per line, for scripts", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "[algorithms|losses|regularisers|measures|domains|data|problems|generators|keys]\nNAME "
                "[EXPERIMENT.lua]\n--cite EXPERIMENT.lua",
    .about = "The names that an experiment can use; without a kind, of all kinds. `data` lists the public data sets and the "
             "generators, `keys` what an experiment may hold. With a NAME: what an algorithm, a loss, a regulariser, a measure, "
             "a domain, a data set, a generator, a problem or a key is and accepts. With an experiment, NAME may be a method "
             "that it defines, or a label of its methods.",
    .option = options, .most = 2, .excess = "one name at a time",
};

static int run(int argc, char **argv)
{
    arguments a = { 0 };
    char **word;
    size_t words;
    int code;
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    size_t kind = 0;
    while (words == 1 && kind < KINDS && strcmp(kinds[kind].kind, word[0]) != 0)
        kind++;
    if (words == 2 || kind == KINDS)
        return print_name(word[0], words == 2 ? word[1] : NULL);
    for (size_t k = 0; k < KINDS; k++) {
        if (words == 1 ? k != kind : kinds[k].part)
            continue;
        if (!a.plain && words == 0)
            printf("%s%s\n", k > 0 ? "\n" : "", kinds[k].kind);
        kinds[k].print(&a);
    }
    return SP_EXIT_OK;
}

const sp_verb sp_verb_list = { "list", "the names that an experiment can use, or what one of them is", &usage, run };
