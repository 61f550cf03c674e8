/* list.c -- what there is: problems, algorithms, losses, regularisers, measures, domains, data sets, generators; and
 * the keys of an experiment; what fits. */
#include "core/cli/manual/manual.h"
#include "core/plan/keys.h"
#include "core/plan/registry.h"
#include "core/cli/verbs/verbs.h"

#include "algorithms/algorithm.h"
#include "core/data/domain.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    bool plain, markdown;
    const char *kind; /* NULL: all */
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

/* Which method fits which loss */
static void fits(const arguments *a)
{
    sp_text out = { 0 };
    (void)a;
    sp_manual_fits(&out);
    if (out.data && !out.failed)
        fputs(out.data, stdout);
    sp_text_free(&out);
}

/* How much of what there may be: the page is plain enough. */
static void limits(const arguments *a)
{
    sp_text out = { 0 };
    (void)a;
    sp_manual_limits_page(&out);
    if (out.data && !out.failed)
        fputs(out.data, stdout);
    sp_text_free(&out);
}

/* What an experiment may hold, by place. */
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
              { "keys", keys, true },              { "fits", fits, true },
              { "limits", limits, true } };
enum { KINDS = sizeof kinds / sizeof *kinds };

static const sp_option options[] = {
    { "plain", 'p', SP_OPTION_SET, offsetof(arguments, plain), NULL,
      "A name a line and nothing else, for scripts", 0, 0 },
    { "markdown", '\0', SP_OPTION_SET, offsetof(arguments, markdown), NULL,
      "The page of docs/reference/: losses.md, keys.md, limits.md, (fits) which_method.md, (algorithms) methods.md", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "[algorithms|losses|regularisers|measures|domains|data|problems|generators|keys|fits|limits]",
    .about = "What an experiment can name. Without a kind: everything. `data` is the public data sets and the "
             "generators, `keys` what an experiment may hold, `fits` which private method fits which loss, and "
             "where, `limits` how much of what there may be.",
    .option = options, .most = 1, .excess = "one kind at a time",
};

static const struct {
    const char *kind;
    void (*print)(sp_text *);
} pages[] = { { "algorithms", sp_manual_algorithms_table }, { "losses", sp_manual_losses_page },
              { "keys", sp_manual_keys_page },             { "fits", sp_manual_which_page },
              { "limits", sp_manual_limits_page } };
enum { PAGES = sizeof pages / sizeof *pages };

/* PAGES when that kind has no page. */
static size_t page_of(const char *kind)
{
    size_t page = 0;
    while (page < PAGES && !(kind && strcmp(kind, pages[page].kind) == 0))
        page++;
    return page;
}

static int markdown(size_t page)
{
    sp_text out = { 0 };
    pages[page].print(&out);
    const bool failed = out.failed;
    if (!failed)
        fputs(out.data, stdout);
    sp_text_free(&out);
    if (!failed)
        return SP_EXIT_OK;
    return sp_complain(&(sp_error){ SP_ENOMEM, "list: out of memory" }, SP_EXIT_FAILED);
}

static int run(int argc, char **argv)
{
    arguments a = { 0 };
    char **word;
    size_t words;
    int code;
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    a.kind = words > 0 ? word[0] : NULL;
    if (a.markdown && (a.plain || page_of(a.kind) == PAGES))
        return sp_misused(argv[0], "--markdown is for algorithms, losses, keys, fits and limits");
    if (a.markdown)
        return markdown(page_of(a.kind));

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
        if (a.kind ? strcmp(kinds[k].kind, a.kind) != 0 : kinds[k].part)
            continue;
        if (!a.plain && !a.kind)
            printf("%s%s\n", k > 0 ? "\n" : "", kinds[k].kind);
        kinds[k].print(&a);
    }
    return SP_EXIT_OK;
}

const sp_verb sp_verb_list = { "list", "algorithms, losses, regularisers, measures, domains, data", &usage, run };
