/* data.c -- the public data sets: list, fetch, info; and what is in a file of the user's own. */
#include "core/cli/verbs/data_file.h"
#include "core/cli/verbs/verbs.h"

#include "core/base/memory.h"
#include "core/data/read/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const sp_usage usage = {
    .operands = "list\nfetch NAME...\ninfo NAME...\ninfo FILE [KEY=VALUE...]",
    .about = "The public data sets; and of a file of your own what is in it, what is guessed of it, what training "
             "would see, and the line for an experiment.",
    .notes = "A data set is looked for in the folder named by STILLPOINT_DATA, then in the cache (STILLPOINT_CACHE, "
             "else ~/.cache/stillpoint). `fetch` downloads what is missing, checks its SHA-256 and keeps nothing "
             "that differs. The keys of a file are those of problem.data (stillpoint list keys).",
    .fewest = 1, .most = SIZE_MAX, .missing = "say `data list`, `data fetch NAME...`, `data info NAME...` or "
                                                  "`data info FILE`",
};

static int list(void)
{
    for (size_t i = 0; i < sp_catalogue_count; i++) {
        const sp_catalogue_entry *e = &sp_catalogue[i];
        sp_error error = { 0 };
        const sp_status status = sp_catalogue_present(e, &error);
        if (status != SP_OK && status != SP_EABSENT)
            return sp_complain(&error, SP_EXIT_FAILED);
        printf("%-12s %9zu x %-5zu %-8s %s\n", e->name, e->n, e->d, status == SP_OK ? "here" : "absent", e->summary);
    }
    return SP_EXIT_OK;
}

static const sp_catalogue_entry *find(const char *name)
{
    const sp_catalogue_entry *entry = sp_catalogue_find(name);
    if (!entry) {
        sp_error error = { 0 };
        const char **known = sp_alloc(sp_catalogue_count, sizeof *known);
        for (size_t i = 0; known && i < sp_catalogue_count; i++)
            known[i] = sp_catalogue[i].name;
        const char *near = known ? sp_nearest(name, known, sp_catalogue_count) : NULL;
        sp_fail(&error, SP_EINVAL, "data: no data set is named %s (stillpoint data list), and no file%s%s%s", name,
                near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
        free(known);
        sp_complain(&error, SP_EXIT_USAGE);
    }
    return entry;
}

static int fetch(const char *name)
{
    sp_error error = { 0 };
    const sp_catalogue_entry *entry = find(name);
    if (!entry)
        return SP_EXIT_USAGE;
    sp_dataset dataset = { 0 };
    sp_status status = sp_catalogue_open(entry, &dataset, &error);
    if (status == SP_EABSENT && (status = sp_catalogue_fetch(entry, sp_say, &error)) == SP_OK)
        status = sp_catalogue_open(entry, &dataset, &error);
    if (status != SP_OK)
        return sp_complain(&error, SP_EXIT_FAILED);
    printf("%s: %zu records, %zu features, verified\n", name, dataset.n, dataset.d);
    sp_dataset_free(&dataset);
    return SP_EXIT_OK;
}

static int info(const char *name)
{
    const sp_catalogue_entry *e = find(name);
    if (!e)
        return SP_EXIT_USAGE;
    printf("%s\n  %s\n  %zu records, %zu features; %zu positive, %zu negative labels\n  cite: %s\n  licence: %s\n", e->name,
           e->summary, e->n, e->d, e->positive, e->negative, e->citation, e->licence);
    for (size_t i = 0; i < SP_PARTS_MAX && e->part[i].file; i++)
        printf("  part: %s\n    from   %s\n    sha256 %s (uncompressed)\n", e->part[i].file,
               e->part[i].address ? e->part[i].address : "no public address", e->part[i].sha256);
    sp_error error = { 0 };
    if (sp_catalogue_present(e, &error) == SP_OK)
        puts("  here: yes");
    else
        printf("  here: no; %s\n", error.text);
    return SP_EXIT_OK;
}

static int run(int argc, char **argv)
{
    char **word;
    size_t words;
    int code;
    if (!sp_parse(&usage, argc, argv, NULL, &word, &words, &code))
        return code;
    int (*act)(const char *) = strcmp(word[0], "fetch") == 0 ? fetch : strcmp(word[0], "info") == 0 ? info : NULL;
    if (strcmp(word[0], "list") == 0 && words == 1)
        return list();
    if (!act || words == 1)
        return sp_misused(argv[0], "%s", usage.missing);
    if (act == info && !sp_catalogue_find(word[1]) &&
        (access(word[1], F_OK) == 0 || (words > 2 && strchr(word[2], '='))))
        return sp_data_file_info(word + 1, words - 1);
    int worst = SP_EXIT_OK;
    for (size_t i = 1; i < words; i++) {
        code = act(word[i]);
        if (code > worst)
            worst = code;
    }
    return worst;
}

const sp_verb sp_verb_data = { "data", "list, fetch and describe public data sets", &usage, run };
