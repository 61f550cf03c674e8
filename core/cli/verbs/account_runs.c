/* account_runs.c -- `account runs`: what stored runs cost, recomputed from their ledgers alone. */
#include "core/cli/verbs/verbs.h"
#include "core/cli/print/json.h"
#include "core/session/session.h"

#include "core/accountant/accountant.h"
#include "core/accountant/entry_text.h"
#include "core/store/import.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    sp_common common;
    bool plain, json;
} arguments;

static const sp_option options[] = {
    { "plain", 'p', SP_OPTION_SET, offsetof(arguments, plain), NULL, "Tab-separated lines, for scripts", 0, 0 },
    { "json", '\0', SP_OPTION_SET, offsetof(arguments, json), NULL,
      "Every composition and its bounds, for other programs", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "EXPERIMENT.lua [RUN]",
    .about = "What stored runs cost, recomputed from their ledgers alone: a line a cell (the worst of its runs), or "
             "the ledger of one RUN (the first column of runs.tsv, or as much of it as is unique) and every bound.",
    .option = options, .common = true, .fewest = 1, .most = 2, .missing = "which experiment?",
    .excess = "one run at a time",
};

static bool charged(const sp_cell *cell)
{
    return cell->privacy.private && cell->privacy.noise;
}

/* Runs that `merge` took from tables have none. */
static sp_status need_ledger(const sp_cell *cell, size_t replicate, const sp_result *result, sp_error *error)
{
    char name[SP_RUN_NAME];
    if (strcmp(result->ledger, SP_LEDGER_UNKNOWN) != 0)
        return SP_OK;
    sp_run_name(cell, replicate, name);
    return sp_fail(error, SP_EABSENT, "run %s (%s/%s) was merged from tables, which hold no ledger (epsilon_spent is "
                   "in them): `stillpoint run --again --only \"%s\"` makes it", name, cell->sweep, cell->label,
                   cell->label);
}

static const char *calibration_of(const sp_cell *cell)
{
    return cell->privacy.calibration == SP_CALIBRATE_TIGHT ? "tight" : "paper";
}

/* Bounds of a stored ledger text, under the cell's neighbours. */
static sp_status account(const char *text, const sp_privacy *privacy, sp_ledger *ledger, sp_bounds *out,
                         sp_error *error)
{
    sp_ledger_clear(ledger);
    const sp_status status = sp_ledger_read(text, ledger, error);
    return status == SP_OK ? sp_account(ledger, privacy->neighbours, privacy->delta, out, error) : status;
}

/* One run, or the worst run of a cell; no ledger: nothing was promised. */
static sp_status print_json(const sp_cell *cell, const char *run, size_t runs, const sp_ledger *ledger,
                            const sp_bounds *bounds, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text text = { 0 };
    const char *const key[] = { "run", "sweep", "method", "n", "d" };
    const char *const value[] = { run, cell->sweep, cell->label, sp_cell_axis(cell, "n"), sp_cell_axis(cell, "d") };
    for (size_t i = 0; i < sizeof key / sizeof key[0]; i++) {
        sp_text_append(&text, "%s\"%s\": ", i == 0 ? "{ " : ", ", key[i]);
        sp_json_string(value[i], &text);
    }
    sp_text_append(&text, ", \"runs\": %zu, \"epsilon_asked\": ", runs);
    sp_json_number(cell->privacy.private ? cell->privacy.epsilon : NAN, &text);
    sp_text_append(&text, ", \"calibration\": \"%s\", \"composition\": ", calibration_of(cell));
    if (ledger)
        SP_TRY(sp_json_composition(ledger, cell->privacy.neighbours, cell->privacy.delta, bounds, &text, error));
    else
        sp_json_string(NULL, &text);
    sp_text_append(&text, " }");
    if (text.failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
    fputs(text.data, stdout);
cleanup:
    sp_text_free(&text);
    return status;
}

static sp_status print_cell(sp_session *s, const sp_cell *cell, const arguments *a, sp_error *error)
{
    sp_status status = SP_OK;
    const bool plain = a->plain;
    sp_ledger ledger = { 0 }, dearest = { 0 };
    sp_result result = { 0 };
    sp_bounds bounds, worst = { .best = -INFINITY };
    char last[64 * 1024] = "", epsilon[SP_NUMBER_SIZE], spent[SP_NUMBER_SIZE], method[128], bound[64];
    char first[SP_RUN_NAME] = "-";
    size_t runs = 0;
    for (size_t r = 0; r < cell->replicates && !cell->skip; r++) {
        status = sp_store_get(s->store, cell, r, &result, error);
        if (status == SP_EABSENT)
            continue;
        SP_TRY(status);
        if (runs++ == 0)
            sp_run_name(cell, r, first);
        if (charged(cell))
            SP_TRY(need_ledger(cell, r, &result, error));
        if (charged(cell) && (runs == 1 || strcmp(last, result.ledger) != 0)) { /* replicates mostly spend alike */
            SP_TRY(account(result.ledger, &cell->privacy, &ledger, &bounds, error));
            if (bounds.best > worst.best) {
                const sp_ledger before = dearest;
                worst = bounds;
                dearest = ledger;
                ledger = before;
            }
            snprintf(last, sizeof last, "%s", result.ledger);
        }
        sp_result_free(&result);
    }
    status = SP_OK;
    snprintf(method, sizeof method, "%s/%s", cell->sweep, cell->label);
    const bool known = charged(cell) && runs > 0;
    if (a->json) {
        SP_TRY(print_json(cell, runs > 0 ? first : NULL, runs, known ? &dearest : NULL, &worst, error));
        goto cleanup;
    }
    snprintf(bound, sizeof bound, "%s%s", sp_bound_name(worst.bound),
             cell->privacy.neighbours == SP_ADD_REMOVE ? ", add_remove neighbours" : "");
    const char *n = sp_cell_axis(cell, "n"), *d = sp_cell_axis(cell, "d");
    printf(plain ? "%s\t%s\t%s\t%s\t%zu\t%s\t%s\t%s\n" : "%-14s %-28s %8s %6s %5zu  %-10s %-12.12s %s\n", first, method,
           n ? n : "-", d ? d : "-", runs, cell->privacy.private ? sp_number(cell->privacy.epsilon, epsilon) : "none",
           known ? sp_number(worst.best, spent) : "-", known ? bound
           : runs == 0 ? "nothing stored" : cell->privacy.private ? "noise off: not private" : "not private");
cleanup:
    sp_result_free(&result);
    sp_ledger_free(&dearest);
    sp_ledger_free(&ledger);
    return status;
}

/* Every digit for scripts, 12 for people. */
static const char *write_number(double value, bool plain, char out[SP_NUMBER_SIZE])
{
    if (plain)
        return sp_number(value, out);
    snprintf(out, SP_NUMBER_SIZE, "%.12g", value);
    return out;
}

static double field_of(const sp_entry *entry, size_t field)
{
    const void *at = (const char *)entry + sp_entry_fields[field].offset;
    return sp_entry_fields[field].whole ? (double)*(const size_t *)at : *(const double *)at;
}

/* The columns that some entry uses. */
static void print_entries(const sp_ledger *ledger, bool plain)
{
    bool used[SP_ENTRY_FIELDS] = { false };
    for (size_t i = 0; i < ledger->count; i++)
        for (size_t f = 0; f < SP_ENTRY_FIELDS; f++)
            used[f] = used[f] || (sp_entry_field_use(ledger->entry[i].kind, f) != SP_FIELD_UNUSED &&
                                  field_of(&ledger->entry[i], f) != 0.0);
    printf(plain ? "%s" : "%-20s", "entry");
    for (size_t f = 0; f < SP_ENTRY_FIELDS; f++)
        if (used[f])
            printf(plain ? "\t%s" : " %-18s", sp_entry_fields[f].key);
    putchar('\n');
    for (size_t i = 0; i < ledger->count; i++) {
        const sp_entry *e = &ledger->entry[i];
        printf(plain ? "%s" : "%-20s", sp_ledger_kind_name(e->kind));
        for (size_t f = 0; f < SP_ENTRY_FIELDS; f++) {
            char digits[SP_NUMBER_SIZE] = "-";
            if (!used[f])
                continue;
            if (sp_entry_fields[f].names)
                snprintf(digits, sizeof digits, "%s", sp_entry_fields[f].names[(size_t)field_of(e, f)]);
            else if (sp_entry_field_use(e->kind, f) != SP_FIELD_UNUSED)
                write_number(field_of(e, f), plain, digits);
            printf(plain ? "\t%s" : " %-18s", digits);
        }
        putchar('\n');
    }
}

static sp_status print_run(sp_session *s, const sp_cell *cell, size_t replicate, const arguments *a, sp_error *error)
{
    sp_status status = SP_OK;
    const bool plain = a->plain;
    char name[SP_RUN_NAME];
    sp_ledger ledger = { 0 };
    sp_result result = { 0 };
    sp_bounds bounds;
    char digits[SP_NUMBER_SIZE];
    status = sp_store_get(s->store, cell, replicate, &result, error);
    if (status == SP_EABSENT)
        SP_TRY(sp_fail(error, SP_EABSENT, "this run is not stored yet"));
    SP_TRY(status);
    sp_run_name(cell, replicate, name);
    if (charged(cell))
        SP_TRY(need_ledger(cell, replicate, &result, error));
    if (charged(cell))
        SP_TRY(account(result.ledger, &cell->privacy, &ledger, &bounds, error));
    if (a->json) {
        SP_TRY(print_json(cell, name, 1, charged(cell) ? &ledger : NULL, &bounds, error));
        putchar('\n');
        goto cleanup;
    }
    if (!plain)
        printf("%s/%s, replicate %zu: ", cell->sweep, cell->label, replicate);
    if (!charged(cell)) {
        puts(cell->privacy.private ? "noise off: not private" : "not private");
        goto cleanup;
    }
    if (!plain)
        printf("epsilon = %.6g at delta = %g, of %g asked for (%s calibration); %s neighbours\n\n", bounds.best,
               cell->privacy.delta, cell->privacy.epsilon,
               calibration_of(cell),
               sp_neighbours_name(cell->privacy.neighbours));
    print_entries(&ledger, plain);
    printf(plain ? "bound\tepsilon\n" : "\n%-20s epsilon\n", "bound");
    for (int k = 0; k < SP_BOUNDS; k++) {
        if (isnan(bounds.epsilon[k]))
            continue;
        printf(plain ? "%s\t%s" : "%-20s %-18s", sp_bound_name((sp_bound_kind)k),
               write_number(bounds.epsilon[k], plain, digits));
        if (!plain && k == SP_BOUND_RDP)
            printf(" order %.4g", bounds.order);
        puts(!plain && k == (int)bounds.bound ? " <- reported" : "");
    }
    if (!(fabs(bounds.best - result.spent.best) <= 1e-6 * bounds.best))
        fprintf(stderr, "stillpoint: the store says epsilon = %s\n", sp_number(result.spent.best, digits));
cleanup:
    sp_result_free(&result);
    sp_ledger_free(&ledger);
    return status;
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    const sp_cell *cell = NULL;
    size_t replicate = 0;
    char **word;
    size_t words;
    int code;
    arguments a = { .common = SP_COMMON_DEFAULTS };
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    if (a.plain && a.json)
        return sp_misused(argv[0], "--plain or --json, not both");
    SP_TRY(sp_session_open(word[0], &a.common, NULL, false, &session, &error));
    SP_TRY(sp_session_store(&session, false, &error));
    if (words > 1) {
        SP_TRY(sp_session_find_run(&session, word[1], &cell, &replicate, &error));
        SP_TRY(print_run(&session, cell, replicate, &a, &error));
        goto cleanup;
    }
    if (a.json)
        puts("[");
    else
        printf(a.plain ? "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n" : "%-14s %-28s %8s %6s %5s  %-10s %-12s %s\n", "run",
               "method", "n", "d", "runs", "epsilon", "spent", "bound");
    for (size_t i = 0; i < session.plan.cells; i++) {
        SP_TRY(print_cell(&session, &session.plan.cell[i], &a, &error));
        if (a.json)
            puts(i + 1 < session.plan.cells ? "," : "");
    }
    if (a.json)
        puts("]");
cleanup:
    sp_session_close(&session);
    return status == SP_OK ? SP_EXIT_OK : sp_complain(&error, SP_EXIT_USAGE);
}

const sp_verb sp_verb_account_runs = { "account runs", "what stored runs cost, recomputed from their ledgers", &usage, run };
