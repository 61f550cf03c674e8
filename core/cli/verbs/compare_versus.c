/* compare_versus.c -- `compare --versus`: a method of yours in the field of experiments/standard.lua, tuned as the others are, and where it
 * stands. What runs is an experiment like any other, written beside the method's file. */
#include "core/cli/verbs/verbs.h"
#include "core/session/folders.h"
#include "core/session/plan_limit.h"
#include "core/session/session.h"
#include "core/cli/print/ranking_text.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/base/packed.h"
#include "core/session/home.h"
#include "core/plan/registry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    sp_common common;
    bool plain, audit, dry_run;
    const char *tune, *measure;
    uint64_t jobs;
    double time_limit;
} arguments;

static const sp_option options[] = {
    { "tune", 't', SP_OPTION_TEXT, offsetof(arguments, tune), "KEYS",
      "The grid of a METHOD, as an experiment has it: 'eta = { 0.1, 0.3, 1 }, steps = { 10, 50, 250 }'", 0, 0 },
    { "measure", '\0', SP_OPTION_TEXT, offsetof(arguments, measure), "NAME",
      "What to judge by: excess_risk (default) or grad_norm", 0, 0 },
    { "jobs", 'j', SP_OPTION_COUNT, offsetof(arguments, jobs), "N", "Worker processes (default: one a processor)", 1, 1024 },
    { "time-limit", '\0', SP_OPTION_REAL, offsetof(arguments, time_limit), "SECONDS", "Kill a run after so long", 1e-3, 1e9 },
    { "no-audit", '\0', SP_OPTION_CLEAR, offsetof(arguments, audit), NULL, "Do not audit methods that have no audit yet", 0, 0 },
    { "dry-run", '\0', SP_OPTION_SET, offsetof(arguments, dry_run), NULL, "Write the experiment, and run nothing", 0, 0 },
    { "plain", '\0', SP_OPTION_SET, offsetof(arguments, plain), NULL, "Tables for scripts", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "METHOD|FILE.lua",
    .about = "Runs a method of yours against the field of experiments/standard.lua, on problems of every kind, all tuned on "
             "grids of one size and seeds of their own, and says where it stands: how often near the best, against each "
             "other method, at what cost, and whether it was audited.",
    .notes = "METHOD is the name of a method in C, and --tune its grid. FILE.lua returns what an "
             "experiment has among its algorithms, { \"mine\", tune = { eta = { 0.1, 0.3, 1 } } }, of a method that it "
             "defines or a program; or an experiment, of which the entries of methods count that the field has not. A grid "
             "has as many points as those of the field (9), or there is none.\n"
             "What runs is versus_NAME.lua beside the file (of a METHOD in the root), an experiment like any other: run, "
             "check, compare, plot and archive take it, and a second `versus` runs what is missing. --scale smoke takes "
             "less than a minute, the default some ten on two cores, and what your method takes.\n"
             "Printed are the scores of `stillpoint compare --score` with the exponent in epsilon (mean over problems, 95 %), oracle "
             "calls a record, failed runs and audits; then yours against each other: the geometric mean of what is left over "
             "the problems, yours / other, 95 %, with a word at 5 % over all others together (Holm).",
    .option = options, .common = true, .fewest = 1, .most = 1, .missing = "which method?", .excess = "one method at a time",
};

static const char marker[] = "-- Written by `stillpoint ";
static const char slot[] = "local yours = nil\n"; /* the line of standard.lua that says what is yours */

/* --- the experiment ---------------------------------------------------------------------------------------------- */

static bool is_file(const char *word)
{
    const size_t length = strlen(word);
    return length > 4 && strcmp(word + length - 4, ".lua") == 0;
}

/* A text of Lua. */
static void append_quoted(sp_text *out, const char *text)
{
    sp_text_append(out, "\"");
    for (const char *c = text; *c; c++)
        sp_text_append(out, *c == '\n' ? "\\n" : *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    sp_text_append(out, "\"");
}

/* What stands in the slot. */
static void append_yours(const arguments *a, const char *word, bool in_field, sp_text *out)
{
    const char *slash = strrchr(word, '/');
    sp_text_append(out, "local yours = ");
    if (is_file(word)) {
        sp_text_append(out, "include ");
        append_quoted(out, slash ? slash + 1 : word);
    } else if (in_field && !a->tune) {
        sp_text_append(out, "nil -- %s is in the field", word);
    } else {
        sp_text_append(out, "{ \"%s\"", word);
        if (in_field)
            sp_text_append(out, ", label = \"%s, yours\"", word);
        if (a->tune)
            sp_text_append(out, ", tune = { %s }", a->tune);
        sp_text_append(out, " }");
    }
    sp_text_append(out, "\n");
}

/* standard.lua with what is yours. */
static sp_status make_text(const arguments *a, const char *word, bool in_field, const char *standard, sp_text *out,
                           sp_error *error)
{
    sp_status status = SP_OK;
    sp_text text = { 0 };
    SP_TRY(sp_packed_text(standard, &text, error));
    const char *at = text.data ? strstr(text.data, slot) : NULL;
    if (!at || strstr(at + 1, slot))
        SP_TRY(sp_fail(error, SP_EDATA, "%s: it has not one line \"%.*s\" for a method of yours", standard,
                       (int)strcspn(slot, "\n"), slot));
    sp_text_append(out, "%scompare --versus`: standard.lua with %s in its field.\n", marker, word);
    sp_text_add(out, text.data, (size_t)(at - text.data));
    append_yours(a, word, in_field, out);
    sp_text_add_text(out, at + strlen(slot));
    if (out->failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", standard));
cleanup:
    sp_text_free(&text);
    return status;
}

/* DIR/versus_NAME.lua; SP_EINVAL for one that somebody else has written. */
static sp_status write_text(const char *path, const sp_text *text, sp_error *error)
{
    sp_text there = { 0 };
    sp_status status = sp_packed_text(path, &there, error);
    if (status == SP_EABSENT)
        status = sp_write_file(path, text->data, text->length, error);
    else if (status == SP_OK && (!there.data || strncmp(there.data, marker, strlen(marker)) != 0))
        status = sp_fail(error, SP_EINVAL, "%s: it is there, and not written by `stillpoint compare --versus`", path);
    else if (status == SP_OK && strcmp(there.data, text->data) != 0)
        status = sp_write_file(path, text->data, text->length, error);
    sp_text_free(&there);
    return status;
}

static char *path_of(const arguments *a, const char *word)
{
    const char *slash = strrchr(word, '/'), *base = slash ? slash + 1 : word;
    if (!is_file(word))
        return sp_format("%s/versus_%s.lua", a->common.root, word);
    return sp_format("%.*sversus_%s", (int)(base - word), word, base);
}

/* --- labels ------------------------------------------------------------------------------------------------------ */

typedef struct labels {
    const char **word; /* belong to the plan */
    size_t count;
} labels;

static bool holds(const labels *l, const char *word)
{
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->word[i], word) == 0)
            return true;
    return false;
}

/* Does it spend a budget on the records? */
static bool competes(const sp_cell *cell)
{
    return !cell->skip && cell->privacy.private && !cell->method->algorithm->ignores_data;
}

/* The labels of a plan, in its order; of cells that compete, or of all. */
static sp_status find_labels(const sp_plan *plan, bool competing, labels *out, sp_error *error)
{
    out->word = sp_alloc(plan->cells + 1, sizeof *out->word);
    if (!out->word)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", plan->path);
    for (size_t i = 0; i < plan->cells; i++)
        if ((!competing || competes(&plan->cell[i])) && !holds(out, plan->cell[i].label))
            out->word[out->count++] = plan->cell[i].label;
    return SP_OK;
}

static sp_status check_fits(const sp_plan *plan, const char *label, const labels *competing, sp_error *error)
{
    const char *skip = NULL;
    bool runs = false;
    if (holds(competing, label))
        return SP_OK;
    for (size_t i = 0; i < plan->cells; i++)
        if (strcmp(plan->cell[i].label, label) == 0) {
            skip = skip ? skip : plan->cell[i].skip;
            runs = runs || !plan->cell[i].skip;
        }
    if (!runs)
        return sp_fail(error, SP_EINVAL, "%s fits none of the problems: %s", label, skip);
    return sp_fail(error, SP_EINVAL, "%s spends no budget on the records: it is not compared with private methods", label);
}

/* Which labels of the plan are yours: those that the field has not, or else the method that is named. */
static sp_status find_yours(const sp_plan *plan, const labels *field, const char *word, const labels *competing,
                            labels *yours, sp_error *error)
{
    sp_status status = SP_OK;
    labels all = { 0 };
    SP_TRY(find_labels(plan, false, &all, error));
    yours->word = sp_alloc(all.count + 1, sizeof *yours->word);
    if (!yours->word)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", plan->path));
    for (size_t i = 0; i < all.count; i++)
        if (!holds(field, all.word[i]))
            yours->word[yours->count++] = all.word[i];
    for (size_t i = 0; i < all.count && yours->count == 0; i++)
        if (!is_file(word) && strcmp(all.word[i], word) == 0)
            yours->word[yours->count++] = all.word[i];
    if (yours->count == 0)
        SP_TRY(sp_fail(error, SP_EINVAL, "%s: of its algorithms there is none that the field has not", word));
    for (size_t i = 0; i < yours->count; i++)
        SP_TRY(check_fits(plan, yours->word[i], competing, error));
cleanup:
    free(all.word);
    return status;
}

static size_t grid_of(const sp_plan *plan, const char *label)
{
    for (size_t i = 0; i < plan->tunings; i++)
        if (!label || strcmp(plan->cell[plan->tuning[i].cell].label, label) == 0)
            return plan->tuning[i].points;
    return 0;
}

/* --- the verdict ------------------------------------------------------------------------------------------------- */

static void judge_one(const arguments *a, const sp_plan *plan, const sp_board *b, size_t label,
                      const sp_rank *standing, sp_text *verdicts, sp_text *out)
{
    sp_dominance *row = sp_need(sp_alloc(b->labels, sizeof *row));
    sp_dominance_row(b, label, 0.05, row);
    if (!a->plain)
        sp_text_append(out, "\n%s against each, %s:\n", b->label[label], a->measure);
    sp_against_append(b, label, row, a->plain, out);
    const sp_tuned_on tuned = { grid_of(plan, b->label[label]), grid_of(plan, NULL), strcmp(plan->scale, "smoke") == 0 };
    sp_sentence_append(b, label, &standing[label], row, &tuned, verdicts);
    free(row);
}

static bool is_on_board(const sp_board *b, const char *label)
{
    for (size_t l = 0; l < b->labels; l++)
        if (strcmp(b->label[l], label) == 0)
            return true;
    return false;
}

static sp_status judge(const arguments *a, const sp_session *session, const labels *yours, sp_error *error)
{
    sp_status status = SP_OK;
    sp_runs runs = { 0 };
    sp_board b = { 0 };
    sp_rank *standing = NULL;
    bool *mine = NULL;
    sp_text out = { 0 }, verdicts = { 0 };
    SP_TRY(sp_runs_open(session->tables, 0, &runs, error)); /* as `score` draws */
    SP_TRY(sp_board_make(&runs, a->measure, &b, error));
    standing = sp_alloc(b.labels + 1, sizeof *standing);
    mine = sp_alloc(b.labels + 1, sizeof *mine);
    if (!standing || !mine)
        SP_TRY(sp_fail(error, SP_ENOMEM, "compare --versus: out of memory"));
    SP_TRY(sp_ranking(&runs, &b, a->measure, standing, error));
    for (size_t l = 0; l < b.labels; l++)
        mine[l] = holds(yours, b.label[l]);
    if (!a->plain)
        sp_text_append(&out, "%s of %zu methods on %zu tasks, %zu problems with their budgets; * yours\n", a->measure,
                       b.labels, b.tasks, b.problems);
    sp_ranking_append(&b, standing, mine, a->plain, &out);
    for (size_t l = 0; l < b.labels; l++)
        if (mine[l])
            judge_one(a, &session->plan, &b, l, standing, &verdicts, &out);
    if (out.failed || verdicts.failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "compare --versus: out of memory"));
    fputs(out.data, stdout);
    if (!a->plain && verdicts.data)
        printf("\n%s", verdicts.data);
    for (size_t i = 0; i < yours->count; i++)
        if (!is_on_board(&b, yours->word[i]))
            SP_TRY(sp_fail(error, SP_EDATA, "%s is not compared: it has no value of %s (its runs failed, or were skipped: "
                           "`stillpoint status %s` says which, and run --retry-failed makes them again)", yours->word[i],
                           a->measure, session->plan.path));
cleanup:
    sp_board_free(&b);
    sp_runs_close(&runs);
    sp_text_free(&out);
    sp_text_free(&verdicts);
    free(standing);
    free(mine);
    return status;
}

/* --- the verb ---------------------------------------------------------------------------------------------------- */

/* As `stillpoint run` does, with the words that it would be given. */
static int run_experiment(const arguments *a, char *path)
{
    char verb[] = "run", root[] = "--root", scale[] = "--scale", jobs[32], limit[64], quiet[] = "--quiet",
         silent[] = "--no-audit", skipped[] = "--allow-skipped"; /* not every method fits every problem of the field */
    char *word[12] = { verb, path, root, sp_copy_text(a->common.root), scale, sp_copy_text(a->common.scale), skipped };
    int words = 7, code = SP_EXIT_FAILED;
    snprintf(jobs, sizeof jobs, "--jobs=%" PRIu64, a->jobs);
    snprintf(limit, sizeof limit, "--time-limit=%.17g", a->time_limit);
    if (a->jobs > 0)
        word[words++] = jobs;
    if (a->time_limit > 0.0)
        word[words++] = limit;
    if (a->common.quiet || a->plain)
        word[words++] = quiet;
    if (!a->audit)
        word[words++] = silent;
    char *const copies[] = { word[3], word[5] }; /* the words are put in order */
    if (copies[0] && copies[1])
        code = sp_verb_run.run(words, word);
    free(copies[0]);
    free(copies[1]);
    return code;
}

/* The measure that is asked for is one that the experiment takes. */
static sp_status check_measure(const arguments *a, const sp_plan *plan, sp_error *error)
{
    const char *known[SP_MEASURES_MAX];
    const sp_cell *cell = plan->cell;
    for (size_t i = 0; i < cell->measures; i++)
        known[i] = cell->measure[i]->name;
    return sp_need_word(known, cell->measures, "standard.lua", "measure", a->measure, error);
}

static sp_status check_word(const arguments *a, const char *word, sp_error *error)
{
    sp_status status = SP_OK;
    const char **known = sp_alloc(sp_algorithm_count, sizeof *known);
    if (is_file(word)) {
        if (a->tune)
            SP_TRY(sp_fail(error, SP_EINVAL, "--tune is for a METHOD: %s says its grid itself, { \"mine\", tune = { ... } }",
                           word));
        if (access(word, R_OK) != 0)
            SP_TRY(sp_fail(error, SP_EABSENT, "%s: no such file", word));
        goto cleanup;
    }
    if (!known)
        SP_TRY(sp_fail(error, SP_ENOMEM, "compare --versus: out of memory"));
    for (size_t i = 0; i < sp_algorithm_count; i++)
        known[i] = sp_algorithms[i]->name;
    const char *near = sp_nearest(word, known, sp_algorithm_count);
    if (!sp_algorithm_find(word))
        SP_TRY(near ? sp_fail(error, SP_EINVAL, "no method is named %s; did you mean %s?", word, near)
                    : sp_fail(error, SP_EINVAL, "no method is named %s, and a file ends in .lua", word));
cleanup:
    free(known);
    return status;
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    sp_plan standard = { 0 };
    labels field = { 0 }, all = { 0 }, yours = { 0 };
    sp_text text = { 0 };
    char *home = NULL, *path = NULL, **word;
    size_t words;
    int code;
    arguments a = { .common = SP_COMMON_DEFAULTS, .audit = true, .measure = "excess_risk" };
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    code = SP_EXIT_USAGE;
    SP_TRY(check_word(&a, word[0], &error));
    SP_TRY(sp_home_path("experiments/standard.lua", &home, &error));
    SP_TRY(sp_plan_load_within(home, a.common.scale, &standard, &error));
    SP_TRY(find_labels(&standard, false, &field, &error));
    SP_TRY(make_text(&a, word[0], holds(&field, word[0]), home, &text, &error));
    if (!(path = path_of(&a, word[0])))
        SP_TRY(sp_fail(&error, SP_ENOMEM, "compare --versus: out of memory"));
    SP_TRY(write_text(path, &text, &error));
    SP_TRY(sp_session_open(path, &a.common, NULL, false, &session, &error));
    SP_TRY(find_labels(&session.plan, true, &all, &error));
    SP_TRY(find_yours(&session.plan, &field, word[0], &all, &yours, &error));
    SP_TRY(check_measure(&a, &session.plan, &error));
    if (!a.common.quiet && !a.plain)
        printf("experiment: %s\n", path);
    if (a.dry_run) {
        code = SP_EXIT_OK;
        goto cleanup;
    }
    const int ran = run_experiment(&a, path);
    code = SP_EXIT_FAILED;
    if (ran == SP_EXIT_OK || ran == SP_EXIT_FAILED)
        SP_TRY(judge(&a, &session, &yours, &error));
    code = ran;
cleanup:
    if (status == SP_EIO || status == SP_ENOMEM) /* nobody's mistake */
        code = SP_EXIT_FAILED;
    if (status != SP_OK)
        sp_complain(&error, code);
    sp_session_close(&session);
    sp_plan_free(&standard);
    sp_text_free(&text);
    free(field.word);
    free(all.word);
    free(yours.word);
    free(home);
    free(path);
    return code;
}

const sp_verb sp_verb_compare_versus = { "compare --versus", "run your method against the field, tuned alike", &usage, run };
