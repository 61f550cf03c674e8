/* data.c -- the public data sets: list, fetch, info. */
#include "core/cli/verbs/verbs.h"

#include "core/data/catalogue.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    const char *action;
    char **names;
    int count;
} arguments;

static error_t parse(int key, char *argument, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        a->action = argument;
        a->names = state->argv + state->next;
        a->count = state->argc - state->next;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    NULL, parse, "list\nfetch NAME...\ninfo NAME...",
    "The public data sets.\v"
    "A data set is looked for in the folder named by STILLPOINT_DATA, then in the cache (STILLPOINT_CACHE, else "
    "~/.cache/stillpoint). `fetch` downloads what is missing, checks its SHA-256 and keeps nothing that differs.",
    NULL, NULL, NULL
};

static int list(void)
{
    for (size_t i = 0; i < sp_catalogue_count; i++) {
        const sp_catalogue_entry *e = &sp_catalogue[i];
        printf("%-12s %9zu x %-5zu %-8s %s\n", e->name, e->n, e->d,
               sp_catalogue_present(e, NULL) == SP_OK ? "here" : "absent", e->summary);
    }
    return SP_EXIT_OK;
}

static const sp_catalogue_entry *find(const char *name)
{
    const sp_catalogue_entry *entry = sp_catalogue_find(name);
    if (!entry) {
        sp_error error;
        sp_fail(&error, SP_EINVAL, "data: no data set is named %s (stillpoint data list)", name);
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
    arguments a = { 0 };
    sp_parse(&argp, argc, argv, &a);

    int (*act)(const char *) = strcmp(a.action, "fetch") == 0 ? fetch : strcmp(a.action, "info") == 0 ? info : NULL;
    if (strcmp(a.action, "list") == 0 && a.count == 0)
        return list();
    if (!act || a.count == 0) {
        sp_error error;
        sp_fail(&error, SP_EINVAL, "data: say `data list`, `data fetch NAME...` or `data info NAME...`");
        return sp_complain(&error, SP_EXIT_USAGE);
    }
    int worst = SP_EXIT_OK;
    for (int i = 0; i < a.count; i++) {
        const int code = act(a.names[i]);
        if (code > worst)
            worst = code;
    }
    return worst;
}

const sp_verb sp_verb_data = { "data", "list, fetch and describe public data sets", run };
