/* check.c -- `check`: do the claimed exponents show? From exported tables alone. */
#include "core/cli/verbs/verbs.h"
#include "core/session/folders.h"
#include "core/session/sealed.h"

#include "core/base/memory.h"
#include "core/schema/claim.h"
#include "core/stats/audited.h"
#include "core/rates/outcomes.h"
#include "core/rates/seeds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT_MAX = 100, UNREADABLE = 101 };

typedef struct {
    sp_common common;
    bool plain, counts;
} arguments;

static const sp_option options[] = {
    { "plain", '\0', SP_OPTION_SET, offsetof(arguments, plain), NULL, "A table for scripts, as fits.tsv", 0, 0 },
    { "counts", '\0', SP_OPTION_SET, offsetof(arguments, counts), NULL,
      "A table of how the claims of each paper came out, instead of the claims", 0, 0 },
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
             "is the number of claims that are contradicted (SHALLOWER, and STEEPER where the claim is tight), that are "
             "NOT_RESOLVED, or whose method failed its audit, at most 100; 101 "
             "when tables could not be read, are not as they were sealed (docs/reference/files.md), or were written for another text of the script. --quiet prints those claims alone. The last lines count the claims of "
             "theorems, and conjectures, by verdict. After `run --seeds` the verdicts are "
             "over the seeds.",
    .option = options, .common = true, .most = SIZE_MAX,
};

enum { THEOREM, CONJECTURE, ORIGINS };
static const char *const origins[ORIGINS] = { [THEOREM] = "theorem", [CONJECTURE] = "conjecture" };

typedef struct paper {
    char *name; /* as the sources of its claims begin; "-": they have none */
    int origin;
    sp_outcomes outcomes;
} paper;

typedef struct tally {
    size_t bad, failed_audits; /* claims: that count in the exit code; whose method failed its audit */
    sp_outcomes all[ORIGINS];
    paper *paper;
    size_t papers;
    sp_text unaudited; /* experiments without audits.tsv, ", " between them */
} tally;

static sp_status find_paper(tally *t, const char *source, int origin, paper **out)
{
    const size_t length = sp_source_paper(source);
    for (size_t i = 0; i < t->papers; i++)
        if (t->paper[i].origin == origin && strlen(t->paper[i].name) == length &&
            strncmp(t->paper[i].name, source, length) == 0) {
            *out = &t->paper[i];
            return SP_OK;
        }
    paper *grown = realloc(t->paper, (t->papers + 1) * sizeof *grown);
    if (!grown)
        return SP_ENOMEM;
    t->paper = grown;
    *out = &t->paper[t->papers];
    **out = (paper){ .name = sp_format("%.*s", (int)length, source), .origin = origin };
    t->papers += (*out)->name != NULL;
    return (*out)->name ? SP_OK : SP_ENOMEM;
}

static sp_status count_claim(tally *t, const sp_verdict *v)
{
    const int origin = strcmp(v->claim->origin, origins[CONJECTURE]) == 0 ? CONJECTURE : THEOREM;
    paper *of = NULL;
    const sp_status status = find_paper(t, v->claim->source ? v->claim->source : "-", origin, &of);
    if (status != SP_OK)
        return status;
    sp_outcomes_add(&of->outcomes, v->kind);
    sp_outcomes_add(&t->all[origin], v->kind);
    return SP_OK;
}

static void free_tally(tally *t)
{
    for (size_t i = 0; i < t->papers; i++)
        free(t->paper[i].name);
    free(t->paper);
    sp_text_free(&t->unaudited);
}

/* A row per paper and origin, in the order of the experiments. */
static void print_counts(const tally *t)
{
    printf("origin\tpaper\tclaims");
    for (size_t i = 0; i < SP_OUTCOMES; i++)
        printf("\t%s", sp_verdict_name(sp_outcome_order[i]));
    printf("\n");
    for (const paper *p = t->paper; p < t->paper + t->papers; p++) {
        printf("%s\t%s\t%zu", origins[p->origin], p->name, p->outcomes.claims);
        for (size_t i = 0; i < SP_OUTCOMES; i++)
            printf("\t%zu", p->outcomes.of[sp_outcome_order[i]]);
        printf("\n");
    }
}

static sp_status print_totals(const tally *t, sp_error *error)
{
    static const char *const said[ORIGINS] = { "claims of theorems: ", "conjectures: " };
    sp_text text = { 0 };
    for (int origin = 0; origin < ORIGINS; origin++)
        if (t->all[origin].claims > 0 || (origin == THEOREM && t->papers == 0)) {
            sp_text_append(&text, "%s", said[origin]);
            sp_outcomes_text(&t->all[origin], &text);
            sp_text_append(&text, "\n");
        }
    if (t->failed_audits > 0)
        sp_text_append(&text, "claims whose method failed its audit: %zu\n", t->failed_audits);
    const sp_status status = text.failed ? sp_fail(error, SP_ENOMEM, "check: out of memory") : SP_OK;
    if (status == SP_OK)
        printf("%s", text.data);
    sp_text_free(&text);
    return status;
}

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
    snprintf(v->reason, sizeof v->reason, "%.*s", (int)sizeof v->reason - 1, error->text);
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
    SP_TRY(sp_need_sealed(folder, NULL, error));
    SP_TRY(sp_need_its_script(folder, error));
    if (claims.count > 0)
        SP_TRY(sp_seeds_open(folder, claims.seed, &seeds, error));
    if (!(verdict = sp_alloc(claims.count + 1, sizeof *verdict)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", name));
    for (; judged < claims.count; judged++)
        SP_TRY(judge(&seeds, &claims.claim[judged], &verdict[judged], error));
    sp_verdicts_adjust(verdict, judged);
    for (size_t i = 0; i < judged; i++) {
        const sp_verdict *v = &verdict[i];
        const char *word = audited(&seeds, v->claim, NULL);
        const bool failed = strcmp(word, "failed") == 0;
        const bool bad = sp_outcome_contradicts(v->kind, v->claim->tight) || v->kind == SP_NOT_RESOLVED || failed;
        unaudited = unaudited || (strcmp(word, "no") == 0 && !sp_runs_have_audits(seeds.runs));
        all->bad += bad;
        all->failed_audits += failed;
        if (count_claim(all, v) != SP_OK)
            SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", name));
        if (!a->counts && (bad || !a->common.quiet))
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
    if (a.plain && a.counts)
        SP_TRY(sp_fail(&error, SP_EINVAL, "--plain cannot be combined with --counts: each is a table of its own"));
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
    if (a.counts)
        print_counts(&all);
    if (!a.counts && !a.plain && !a.common.quiet && all.unaudited.length > 0)
        printf("audits unknown (there is no audits.tsv, which `stillpoint run` writes): %s\n",
               all.unaudited.data);
    if (!a.counts && !a.plain && !a.common.quiet)
        SP_TRY(print_totals(&all, &error));
cleanup:
    if (status != SP_OK)
        sp_complain(&error, UNREADABLE);
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    sp_text_free(&head);
    free_tally(&all);
    return status != SP_OK || unreadable ? UNREADABLE : all.bad < COUNT_MAX ? (int)all.bad : COUNT_MAX;
}

const sp_verb sp_verb_check = { "check", "do the claimed exponents show?", &usage, run };
