/* check.c -- `check`: do the claimed exponents show? From exported tables alone. */
#include "core/cli/verbs/folders.h"

#include "core/base/memory.h"
#include "core/plan/claim.h"
#include "core/evidence/audited.h"
#include "core/evidence/seeds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT_MAX = 100, UNREADABLE = 101 };

typedef struct {
    sp_common common;
    bool plain;
} arguments;

static const sp_option options[] = {
    { "plain", '\0', SP_OPTION_SET, offsetof(arguments, plain), NULL, "A table for scripts, as fits.tsv", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "[EXPERIMENT...]",
    .about = "Judges every claim of the experiments from results/EXPERIMENT[.SCALE]/*.tsv; without a name, of all that "
             "are there.",
    .notes = "A line a claim: the claimed exponent +- its tolerance; the measured one with its 90 % interval; the rival "
             "exponent that it excludes, with the log likelihood ratio (3.0 at least); the exponent of the control, "
             "which must be another one; fit p, that the points lie on a line; tail, the slope at the curve's end; "
             "power, the chance of AGREES were the claim exactly true; p, of the word, adjusted (Holm) over the claims "
             "of the experiment that share it; local, the slopes between neighbours.\n"
             "AGREES: the interval (in mode bound the tail's) is within the tolerance. STEEPER: it is outside, y falls "
             "faster (or grows more slowly) than claimed; SHALLOWER: the other way round. VACUOUS: y never falls well "
             "below its start (and from which x on the claim could be tested), or a theorem's parameters were capped. NOT_RESOLVED: the runs cannot tell; the reason "
             "is given. What audits found of the claim's method stands at the end where it is not in order (audits.tsv; "
             "--plain: the column audited). The exit code "
             "is the number of SHALLOWER and NOT_RESOLVED claims, of STEEPER ones that are tight, and of those whose "
             "method failed its audit, at most 100; 101 "
             "when tables could not be read. --quiet prints those claims alone. After `run --seeds` the verdicts are "
             "over the seeds.",
    .option = options, .common = true, .most = SIZE_MAX,
};

typedef struct tally {
    size_t claims, bad;
    sp_text unaudited; /* experiments without audits.tsv, ", " between them */
} tally;

/* What audits found of the claim's method; *finding: what failed. */
static const char *audited(const sp_seeds *seeds, const sp_claim *claim, const char **finding)
{
    return sp_label_audited(seeds->runs, claim->sweep, claim->algorithm, finding);
}

/* `name` is what the results folder is called: "quickstart.smoke". */
static sp_status print(const arguments *a, const char *name, const sp_seeds *seeds, const sp_verdict *v,
                       sp_error *error)
{
    sp_text text = { 0 };
    const char *finding = NULL, *word = audited(seeds, v->claim, &finding);
    if (a->plain)
        sp_verdict_row(v, &text);
    else
        sp_verdict_line(v, &text);
    if (a->plain)
        sp_text_append(&text, "\t%s", word);
    else if (finding && strcmp(word, "failed") == 0)
        sp_text_append(&text, "; THE AUDIT OF ITS METHOD FAILED: %s", finding);
    else if (strcmp(word, "no") == 0 && sp_runs_have_audits(seeds->runs))
        sp_text_append(&text, "; its method is not audited");
    const bool main_sweep = strcmp(v->claim->sweep, "main") == 0;
    if (text.failed) {
        sp_text_free(&text);
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", name);
    }
    if (a->plain)
        printf("%s\t%s\n", name, text.data);
    else
        printf("%s%s%s %s\n", name, main_sweep ? "" : "/", main_sweep ? "" : v->claim->sweep, text.data);
    sp_text_free(&text);
    return SP_OK;
}

/* A claim that several cells answer is about none of them: said in its line, the others are judged all the same. */
static sp_status judge(const sp_seeds *seeds, const sp_claim *claim, sp_verdict *v, sp_error *error)
{
    const sp_status status = sp_seeds_verdict(seeds, claim, v, error);
    if (status != SP_EINVAL)
        return status;
    *v = sp_verdict_none(claim);
    v->kind = SP_NOT_RESOLVED;
    snprintf(v->reason, sizeof v->reason, "%s", error->text);
    return SP_OK;
}

static sp_status check(const arguments *a, const char *name, tally *all, sp_error *error)
{
    sp_status status = SP_OK;
    sp_claims claims = { 0 };
    sp_seeds seeds = { 0 };
    sp_verdict *verdict = NULL;
    size_t judged = 0;
    bool unaudited = false;
    char *folder = sp_format("%s/results/%s", a->common.root, name);
    if (!folder)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", name));
    status = sp_claims_read(folder, &claims, error);
    if (status == SP_EABSENT && access(folder, F_OK) != 0)
        sp_suggest_folder(&a->common, name, "claims.tsv", error);
    SP_TRY(status);
    if (claims.count > 0)
        SP_TRY(sp_seeds_open(folder, claims.seed, &seeds, error));
    if (!(verdict = sp_alloc(claims.count + 1, sizeof *verdict)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", name));
    for (; judged < claims.count; judged++)
        SP_TRY(judge(&seeds, &claims.claim[judged], &verdict[judged], error));
    if (sp_verdicts_adjust(verdict, judged) != SP_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", name));
    for (size_t i = 0; i < judged; i++) {
        const sp_verdict *v = &verdict[i];
        const char *word = audited(&seeds, v->claim, NULL);
        const bool bad = v->kind == SP_SHALLOWER || v->kind == SP_NOT_RESOLVED ||
                         (v->kind == SP_STEEPER && v->claim->tight) || strcmp(word, "failed") == 0;
        unaudited = unaudited || (strcmp(word, "no") == 0 && !sp_runs_have_audits(seeds.runs));
        all->claims++;
        all->bad += bad;
        if (bad || !a->common.quiet)
            SP_TRY(print(a, name, &seeds, v, error));
    }
    if (unaudited)
        sp_text_append(&all->unaudited, "%s%s", all->unaudited.length > 0 ? ", " : "", name);
cleanup:
    for (size_t i = 0; i < judged; i++)
        sp_verdict_free(&verdict[i]);
    free(verdict);
    sp_claims_free(&claims);
    sp_seeds_close(&seeds);
    free(folder);
    return status;
}

/* Those that are named; *names and its texts are the caller's. */
static sp_status find_named(const arguments *a, char **word, size_t words, char ***names, size_t *count,
                            sp_error *error)
{
    *names = sp_alloc(words, sizeof **names);
    if (!*names)
        return sp_fail(error, SP_ENOMEM, "check: out of memory");
    for (; *count < words; ++*count)
        if (!((*names)[*count] = sp_folder_of(&a->common, word[*count])))
            return sp_fail(error, SP_ENOMEM, "check: out of memory");
    return SP_OK;
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    char **word;
    size_t words;
    int code;
    arguments a = { .common = SP_COMMON_DEFAULTS };
    char **names = NULL;
    size_t count = 0;
    tally all = { 0 };
    sp_text head = { 0 };
    bool unreadable = false;
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;

    SP_TRY(words > 0 ? find_named(&a, word, words, &names, &count, &error)
                             : sp_folders_with(&a.common, "claims.tsv", &names, &count, &error));
    if (a.plain) {
        sp_verdict_head(&head);
        if (head.failed)
            SP_TRY(sp_fail(&error, SP_ENOMEM, "check: out of memory"));
        printf("experiment\t%s\taudited\n", head.data);
    }
    for (size_t i = 0; i < count; i++)
        if (check(&a, names[i], &all, &error) != SP_OK) {
            sp_complain(&error, UNREADABLE);
            unreadable = true;
        }
    if (all.unaudited.failed)
        SP_TRY(sp_fail(&error, SP_ENOMEM, "check: out of memory"));
    if (!a.plain && !a.common.quiet && all.unaudited.length > 0)
        printf("not audited, or nobody wrote it down (no audits.tsv, which `stillpoint run` makes): %s\n",
               all.unaudited.data);
    if (!a.plain && !a.common.quiet)
        printf("%zu claim%s, %zu not borne out\n", all.claims, all.claims == 1 ? "" : "s", all.bad);
cleanup:
    if (status != SP_OK)
        sp_complain(&error, UNREADABLE);
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    sp_text_free(&head);
    sp_text_free(&all.unaudited);
    return status != SP_OK || unreadable ? UNREADABLE : all.bad < COUNT_MAX ? (int)all.bad : COUNT_MAX;
}

const sp_verb sp_verb_check = { "check", "do the claimed exponents show?", &usage, run };
