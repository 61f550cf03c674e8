/* audited.c -- looks up audits.tsv (audited.h). */
#include "core/stats/audited.h"

#include <string.h>

static const char *const words[] = { SP_AUDITED_NONE, "yes", "no", "failed" }; /* the worst last */
enum { WORDS = sizeof words / sizeof *words, NO = 2 };

static bool names_method(const char *column)
{
    const char prefix[] = "algorithm";
    return strncmp(column, prefix, sizeof prefix - 1) == 0;
}

bool sp_runs_have_audits(const sp_runs *runs)
{
    return runs->audits.columns > 0;
}

static size_t place_of(const char *word)
{
    size_t i = 0;
    while (i < WORDS && strcmp(words[i], word) != 0)
        i++;
    return i;
}

sp_status sp_audits_check(const sp_table *t, const char *results, sp_error *error)
{
    const size_t audited = sp_table_column(t, "audited"), finding = sp_table_column(t, "finding");
    if (t->columns == 0)
        return SP_OK;
    if (audited == t->columns || finding == t->columns)
        return sp_fail(error, SP_EDATA, "%s/audits.tsv: no column %s", results,
                       audited == t->columns ? "audited" : "finding");
    for (size_t row = 0; row < t->rows; row++) {
        const size_t place = place_of(sp_table_text(t, row, audited));
        if (place == 0 || place == WORDS)
            return sp_fail(error, SP_EDATA, "%s/audits.tsv: line %zu: audited is %s: yes, no or failed was expected",
                           results, row + 2, sp_table_text(t, row, audited));
    }
    return SP_OK;
}

/* The row of audits.tsv; its rows: there is none. */
static size_t audit_of(const sp_runs *runs, size_t row)
{
    const sp_table *t = &runs->audits;
    size_t i = 0;
    for (bool same = false; i < t->rows; i++) {
        same = true;
        for (size_t c = 0; c < t->columns && same; c++) {
            const size_t column = names_method(t->column[c]) ? sp_table_column(&runs->table, t->column[c]) : 0;
            if (names_method(t->column[c]))
                same = strcmp(sp_table_text(t, i, c), column < runs->table.columns
                                                          ? sp_table_text(&runs->table, row, column) : "-") == 0;
        }
        if (same)
            break;
    }
    return i;
}

static size_t audited(const sp_runs *runs, size_t row, const char **finding)
{
    const sp_table *t = &runs->audits;
    if (strcmp(sp_table_text(&runs->table, row, runs->private), "yes") != 0)
        return 0;
    const size_t at = audit_of(runs, row);
    if (at == t->rows)
        return NO;
    if (finding)
        *finding = sp_table_text(t, at, sp_table_column(t, "finding"));
    return place_of(sp_table_text(t, at, sp_table_column(t, "audited")));
}

const char *sp_runs_audited(const sp_runs *runs, size_t row)
{
    return words[audited(runs, row, NULL)];
}

const char *sp_label_audited(const sp_runs *runs, const char *sweep, const char *label, const char **finding)
{
    const sp_table *t = &runs->table;
    size_t worst = 0;
    for (size_t row = 0; row < t->rows; row++) {
        const char *found = NULL;
        if (strcmp(sp_table_text(t, row, runs->label), label) != 0 ||
            (sweep && strcmp(sp_table_text(t, row, runs->sweep), sweep) != 0) ||
            (row > 0 && sp_runs_same_cell(runs, row - 1, row)))
            continue;
        const size_t place = audited(runs, row, &found);
        if (place > worst && finding)
            *finding = found;
        worst = place > worst ? place : worst;
    }
    return words[worst];
}

void sp_append_failed_audits(const sp_runs *runs, const char *sweep, const char *const *label, size_t labels,
                             const char *before, sp_text *out)
{
    size_t failed = 0;
    for (size_t i = 0; i < labels; i++) {
        if (strcmp(sp_label_audited(runs, sweep, label[i], NULL), "failed") != 0)
            continue;
        if (failed++ == 0)
            sp_text_append(out, "%saudit FAILED: ", before);
        sp_text_append(out, "%s%s", failed > 1 ? ", " : "", label[i]);
    }
    sp_text_add_text(out, failed > 0 ? "\n" : "");
}
