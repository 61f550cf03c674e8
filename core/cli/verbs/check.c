/* check.c -- `check`: do the claimed exponents show? From exported tables alone. */
#include "core/cli/verbs/verbs.h"

#include "core/base/memory.h"
#include "core/plan/claim.h"
#include "core/evidence/verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAIN = 2000, COUNT_MAX = 100, UNREADABLE = 101 };

typedef struct {
    sp_common common;
    bool plain;
    char **experiment;
    size_t experiments;
} arguments;

static const struct argp_option options[] = {
    { "plain", PLAIN, NULL, 0, "A table for scripts, as fits.tsv", 0 },
    { 0 }
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    arguments *a = state->input;
    (void)argument;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        return 0;
    case PLAIN:
        a->plain = true;
        return 0;
    case ARGP_KEY_ARGS:
        a->experiment = state->argv + state->next;
        a->experiments = (size_t)(state->argc - state->next);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = { { &sp_common_argp, 0, NULL, 0 }, { 0 } };
static const struct argp argp = {
    options, parse, "[EXPERIMENT...]",
    "Judges every claim of the experiments from results/EXPERIMENT[.SCALE]/*.tsv; without a name, of all that are "
    "there."
    "\vAGREES: within the tolerance of the claimed exponent. STEEPER: y falls faster (or grows more slowly) than "
    "claimed; SHALLOWER: the other way round. VACUOUS: y never falls well below its start. NOT_RESOLVED: the runs "
    "cannot tell; the reason is given. The exit code is the number of SHALLOWER and NOT_RESOLVED claims, at most 100; "
    "101 when tables could not be read. --quiet prints those claims alone.",
    children, NULL, NULL
};

typedef struct tally {
    size_t claims, bad;
} tally;

/* `name` is what the results folder is called: "quickstart.smoke". */
static void print(const arguments *a, const char *name, const sp_verdict *v)
{
    sp_text text = { 0 };
    if (a->plain)
        sp_verdict_row(v, &text);
    else
        sp_verdict_line(v, &text);
    if (a->plain)
        printf("%s\t%s\n", name, text.data ? text.data : "");
    else if (strcmp(v->claim->sweep, "main") == 0)
        printf("%s %s\n", name, text.data ? text.data : "");
    else
        printf("%s/%s %s\n", name, v->claim->sweep, text.data ? text.data : "");
    sp_text_free(&text);
}

/* A claim that several cells answer is about none of them: said in its line, the others are judged all the same. */
static sp_status judge(const sp_runs *runs, const sp_claim *claim, sp_verdict *v, sp_error *error)
{
    const sp_status status = sp_verdict_of(runs, claim, v, error);
    if (status != SP_EINVAL)
        return status;
    *v = (sp_verdict){ .claim = claim, .kind = SP_NOT_RESOLVED, .slope = { .estimate = NAN, .low = NAN, .high = NAN } };
    snprintf(v->reason, sizeof v->reason, "%s", error->text);
    return SP_OK;
}

static sp_status check(const arguments *a, const char *name, tally *all, sp_error *error)
{
    sp_status status = SP_OK;
    sp_claims claims = { 0 };
    sp_runs runs = { 0 };
    char *folder = sp_format("%s/results/%s", a->common.root, name);
    if (!folder)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", name));
    SP_TRY(sp_claims_read(folder, &claims, error));
    if (claims.count > 0)
        SP_TRY(sp_runs_open(folder, claims.seed, &runs, error));
    for (size_t i = 0; i < claims.count; i++) {
        sp_verdict v;
        SP_TRY(judge(&runs, &claims.claim[i], &v, error));
        const bool bad = v.kind == SP_SHALLOWER || v.kind == SP_NOT_RESOLVED;
        all->claims++;
        all->bad += bad;
        if (bad || !a->common.quiet)
            print(a, name, &v);
        sp_verdict_free(&v);
    }
cleanup:
    sp_claims_free(&claims);
    sp_runs_close(&runs);
    free(folder);
    return status;
}

/* Those that are named; *names and its texts are the caller's. */
static sp_status find_named(const arguments *a, char ***names, size_t *count, sp_error *error)
{
    *names = sp_alloc(a->experiments, sizeof **names);
    if (!*names)
        return sp_fail(error, SP_ENOMEM, "check: out of memory");
    for (; *count < a->experiments; ++*count)
        if (!((*names)[*count] = sp_folder_of(&a->common, a->experiment[*count])))
            return sp_fail(error, SP_ENOMEM, "check: out of memory");
    return SP_OK;
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    arguments a = { .common = { .root = ".", .scale = "default" } };
    char **names = NULL;
    size_t count = 0;
    tally all = { 0 };
    sp_text head = { 0 };
    bool unreadable = false;
    sp_parse(&argp, argc, argv, &a);

    SP_TRY(a.experiments > 0 ? find_named(&a, &names, &count, &error)
                             : sp_folders_with(&a.common, "claims.tsv", &names, &count, &error));
    if (a.plain) {
        sp_verdict_head(&head);
        printf("experiment\t%s\n", head.data ? head.data : "");
    }
    for (size_t i = 0; i < count; i++)
        if (check(&a, names[i], &all, &error) != SP_OK) {
            sp_complain(&error, UNREADABLE);
            unreadable = true;
        }
    if (!a.plain && !a.common.quiet)
        printf("%zu claim%s, %zu not borne out\n", all.claims, all.claims == 1 ? "" : "s", all.bad);
cleanup:
    if (status != SP_OK)
        sp_complain(&error, UNREADABLE);
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    sp_text_free(&head);
    return status != SP_OK || unreadable ? UNREADABLE : all.bad < COUNT_MAX ? (int)all.bad : COUNT_MAX;
}

const sp_verb sp_verb_check = { "check", "do the claimed exponents show?", run };
