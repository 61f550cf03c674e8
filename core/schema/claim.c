/* claim.c -- see claim.h. */
#include "core/schema/claim.h"

#include "core/accountant/accountant.h"
#include "core/base/pack.h"
#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool sp_is_budget(const char *x)
{
    return strcmp(x, "mu") == 0 || strcmp(x, "rho") == 0;
}

bool sp_is_problem_axis(const char *axis)
{
    return strncmp(axis, "problem.", strlen("problem.")) == 0 || strcmp(axis, "problem") == 0 ||
           strcmp(axis, "privacy.epsilon") == 0 || strcmp(axis, "privacy.delta") == 0;
}

double sp_budget_as(const char *x, double epsilon, double delta)
{
    if (!(epsilon > 0.0 && isfinite(epsilon) && delta > 0.0 && delta < 1.0))
        return NAN;
    return strcmp(x, "mu") == 0 ? sp_gaussian_mu(epsilon, delta) : sp_zcdp_rho(epsilon, delta);
}

typedef enum { TEXT, NUMBER, COUNT, FLAG } column_kind;

/* The members of sp_claim, in the order of the table. */
static const struct {
    const char *name;
    column_kind kind;
    size_t offset;
} columns[] = {
    { "sweep", TEXT, offsetof(sp_claim, sweep) },
    { "algorithm", TEXT, offsetof(sp_claim, algorithm) },
    { "y", TEXT, offsetof(sp_claim, y) },
    { "x", TEXT, offsetof(sp_claim, x) },
    { "mode", TEXT, offsetof(sp_claim, mode) },
    { "source", TEXT, offsetof(sp_claim, source) },
    { "origin", TEXT, offsetof(sp_claim, origin) },
    { "exponent", NUMBER, offsetof(sp_claim, exponent) },
    { "rival", NUMBER, offsetof(sp_claim, rival) },
    { "log", NUMBER, offsetof(sp_claim, log) },
    { "tolerance", NUMBER, offsetof(sp_claim, tolerance) },
    { "tight", FLAG, offsetof(sp_claim, tight) },
    { "scatter", NUMBER, offsetof(sp_claim, scatter) },
    { "from", NUMBER, offsetof(sp_claim, from) },
    { "to", NUMBER, offsetof(sp_claim, to) },
    { "floor", NUMBER, offsetof(sp_claim, floor) },
    { "start", NUMBER, offsetof(sp_claim, start) },
    { "family", TEXT, offsetof(sp_claim, family) },
    { "closed", TEXT, offsetof(sp_claim, closed) },
    { "alpha", TEXT, offsetof(sp_claim, alpha) },
    { "reach", NUMBER, offsetof(sp_claim, reach) },
    { "share", NUMBER, offsetof(sp_claim, share) },
    { "constant", NUMBER, offsetof(sp_claim, constant) },
    { "toward", TEXT, offsetof(sp_claim, toward) },
    { "below", TEXT, offsetof(sp_claim, below) },
    { "control", TEXT, offsetof(sp_claim, control) },
    { "points", COUNT, offsetof(sp_claim, points) },
    { "levels", COUNT, offsetof(sp_claim, levels) },
    { "members", COUNT, offsetof(sp_claim, members) },
    { "replicates", COUNT, offsetof(sp_claim, replicates) },
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* --- writing ------------------------------------------------------------------------------------------------- */

/* What would end a key or a value stands behind a backslash. */
static void append_part(sp_text *out, const char *text)
{
    for (; *text; text++)
        sp_text_append(out, strchr("=,\\", *text) ? "\\%c" : "%c", *text);
}

static void append_pairs(const sp_axis_value *pair, size_t count, sp_text *out)
{
    for (size_t i = 0; i < count; i++) {
        sp_text_append(out, i ? ", " : "");
        append_part(out, pair[i].key);
        sp_text_append(out, "=");
        append_part(out, pair[i].value);
    }
    if (count == 0)
        sp_text_append(out, "-");
}

void sp_claim_conditions(const sp_claim *claim, sp_text *out)
{
    append_pairs(claim->where, claim->wheres, out);
}

void sp_claim_powers(const sp_claim *claim, sp_text *out)
{
    append_pairs(claim->per, claim->pers, out);
}

void sp_claim_limits(const sp_claim *claim, sp_text *out)
{
    append_pairs(claim->within, claim->withins, out);
}

static void append_pairs_cell(const sp_axis_value *pair, size_t count, sp_text *out)
{
    sp_text text = { 0 };
    append_pairs(pair, count, &text);
    sp_text_append(out, "\t");
    sp_table_write(out, count > 0 ? text.data : NULL);
    out->failed = out->failed || text.failed;
    sp_text_free(&text);
}

static void append_member(const sp_claim *claim, size_t column, sp_text *out)
{
    const char *at = (const char *)claim + columns[column].offset;
    char number[SP_NUMBER_SIZE];
    if (columns[column].kind == TEXT) {
        sp_text_append(out, "\t");
        sp_table_write(out, *(char *const *)at);
    } else if (columns[column].kind == NUMBER) {
        const double value = *(const double *)at;
        sp_text_append(out, "\t%s", isnan(value) ? "NaN" : sp_number(value, number));
    } else if (columns[column].kind == FLAG) {
        sp_text_append(out, "\t%s", *(const bool *)at ? "yes" : "no");
    } else {
        sp_text_append(out, "\t%zu", *(const size_t *)at);
    }
}

sp_status sp_claims_write(const sp_claim *claim, size_t count, uint64_t seed, const char *results, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text text = { 0 };
    char *path = sp_format("%s/claims.tsv", results);
    bool within = false;
    for (size_t i = 0; i < count; i++)
        within = within || claim[i].withins > 0;
    sp_text_append(&text, "seed");
    for (size_t c = 0; c < COLUMNS; c++)
        sp_text_append(&text, "\t%s", columns[c].name);
    sp_text_append(&text, "\twhere\tper%s\n", within ? "\twithin" : "");
    for (size_t i = 0; i < count; i++) {
        sp_text_append(&text, "%llu", (unsigned long long)seed);
        for (size_t c = 0; c < COLUMNS; c++)
            append_member(&claim[i], c, &text);
        append_pairs_cell(claim[i].where, claim[i].wheres, &text);
        append_pairs_cell(claim[i].per, claim[i].pers, &text);
        if (within)
            append_pairs_cell(claim[i].within, claim[i].withins, &text);
        sp_text_append(&text, "\n");
    }
    if (!path || text.failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s/claims.tsv: out of memory", results));
    SP_TRY(sp_pack_write(path, text.data, text.length, error));
cleanup:
    sp_text_free(&text);
    free(path);
    return status;
}

/* --- reading ------------------------------------------------------------------------------------------------- */

static sp_status read_member(const sp_table *t, size_t row, size_t from, size_t column, sp_claim *claim)
{
    char *at = (char *)claim + columns[column].offset, *text = t->cell[row * t->columns + from];
    double value = NAN;
    if (columns[column].kind == TEXT) {
        *(char **)at = sp_table_empty(t, row, from) ? NULL : text;
        return SP_OK;
    }
    if (columns[column].kind == FLAG) {
        *(bool *)at = strcmp(text, "yes") == 0;
        return *(bool *)at || strcmp(text, "no") == 0 ? SP_OK : SP_EDATA;
    }
    if (strcmp(text, "NaN") != 0 && !sp_read_number(text, &value))
        return SP_EDATA;
    if (columns[column].kind == NUMBER) {
        *(double *)at = value;
        return SP_OK;
    }
    if (!(value >= 0.0 && value < 1e9))
        return SP_EDATA;
    *(size_t *)at = (size_t)value;
    return SP_OK;
}

/* Cuts a key or a value in place, at `end` or at the end of the text; what is behind it, NULL at the end. */
static char *cut_part(char *text, char end)
{
    char *to = text;
    for (; *text && *text != end; text++) {
        text += *text == '\\' && text[1];
        *to++ = *text;
    }
    char *const behind = *text ? text + 1 : NULL;
    *to = '\0';
    return behind;
}

/* Cuts "key=value, key=value" in place; NULL: no pair. */
static sp_status read_pairs(char *text, sp_axis_value *out, size_t *count)
{
    while (text) {
        char *value = cut_part(text, '='), *next = value ? cut_part(value, ',') : NULL;
        if (!value || (next && *next++ != ' '))
            return SP_EDATA;
        out[(*count)++] = (sp_axis_value){ .key = text, .value = value };
        text = next;
    }
    return SP_OK;
}

static char *text_at(const sp_table *t, size_t row, size_t column)
{
    return column == t->columns || sp_table_empty(t, row, column) ? NULL : t->cell[row * t->columns + column];
}

typedef struct pair_columns {
    size_t where, per, within; /* within: the table's columns, where it has none */
} pair_columns;

static bool all_numbers(const sp_axis_value *pair, size_t count)
{
    double number;
    for (size_t i = 0; i < count; i++)
        if (!sp_read_number(pair[i].value, &number))
            return false;
    return true;
}

/* The claim's pairs, into `out`. */
static sp_status read_all_pairs(const sp_table *t, size_t row, pair_columns c, sp_claim *claim, sp_axis_value *out)
{
    claim->where = out;
    if (read_pairs(text_at(t, row, c.where), claim->where, &claim->wheres) != SP_OK)
        return SP_EDATA;
    claim->per = out + claim->wheres;
    if (read_pairs(text_at(t, row, c.per), claim->per, &claim->pers) != SP_OK)
        return SP_EDATA;
    claim->within = claim->per + claim->pers;
    if (read_pairs(text_at(t, row, c.within), claim->within, &claim->withins) != SP_OK)
        return SP_EDATA;
    return all_numbers(claim->per, claim->pers) && all_numbers(claim->within, claim->withins) ? SP_OK : SP_EDATA;
}

static size_t pairs_at_most(const sp_table *t, size_t column)
{
    size_t count = 0;
    for (size_t row = 0; row < t->rows && column < t->columns; row++)
        for (const char *c = sp_table_text(t, row, column); *c; c++)
            count += *c == '=';
    return count;
}

/* Is it one of the words of "a|b|c"? */
static bool is_one_of(const char *words, const char *word)
{
    for (const char *w = words; w; w = strchr(w, '|') ? strchr(w, '|') + 1 : NULL)
        if (strcspn(w, "|") == strlen(word) && strncmp(w, word, strlen(word)) == 0)
            return true;
    return false;
}

/* What a verdict relies on without asking. */
static bool is_whole(const sp_claim *c)
{
    return c->sweep && c->algorithm && c->y && c->x && c->mode && c->origin && c->closed && c->toward &&
           is_one_of("theory|sup|bound|inversion", c->mode) && is_one_of("theorem|conjecture", c->origin) &&
           is_one_of("neither|low|high|both", c->closed) && is_one_of("infinity|zero", c->toward) &&
           c->levels > 0 && c->members > 0 && isfinite(c->log) && c->tolerance > 0.0 && c->scatter > 0.0 &&
           c->from >= 0.0 && c->to > 0.0 && c->floor >= 0.0 && c->start > 0.0;
}

sp_status sp_claims_read(const char *results, sp_claims *out, sp_error *error)
{
    sp_status status = SP_OK;
    char *path = sp_format("%s/claims.tsv", results);
    size_t column[COLUMNS], values = 0;
    *out = (sp_claims){ 0 };
    if (!path)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s/claims.tsv: out of memory", results));
    status = sp_table_read(path, &out->table, error);
    if (status == SP_EABSENT)
        sp_fail(error, status, "%s: no claims.tsv there yet: `stillpoint run` makes it", results);
    SP_TRY(status);
    sp_table *t = &out->table;
    const pair_columns pairs = { sp_table_column(t, "where"), sp_table_column(t, "per"), sp_table_column(t, "within") };
    const size_t seed = sp_table_column(t, "seed");
    bool complete = pairs.where < t->columns && pairs.per < t->columns && seed < t->columns;
    for (size_t c = 0; c < COLUMNS; c++) {
        column[c] = sp_table_column(t, columns[c].name);
        complete = complete && column[c] < t->columns;
    }
    if (!complete)
        SP_TRY(sp_fail(error, SP_EDATA, "%s: a column is missing: another version wrote it, `stillpoint export` writes it "
                       "anew", path));
    out->claim = sp_alloc(t->rows + 1, sizeof *out->claim);
    out->value = sp_alloc(pairs_at_most(t, pairs.where) + pairs_at_most(t, pairs.per) +
                              pairs_at_most(t, pairs.within) + 1, sizeof *out->value);
    if (!out->claim || !out->value)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    for (size_t row = 0; row < t->rows; row++) {
        sp_claim *claim = &out->claim[row];
        double root = sp_table_number(t, row, seed);
        bool good = root >= 0.0 && root < 9.1e15;
        for (size_t c = 0; c < COLUMNS && good; c++)
            good = read_member(t, row, column[c], c, claim) == SP_OK;
        if (!good || !is_whole(claim) || read_all_pairs(t, row, pairs, claim, out->value + values) != SP_OK)
            SP_TRY(sp_fail(error, SP_EDATA, "%s: line %zu is not a claim", path, row + 2));
        values += claim->wheres + claim->pers + claim->withins;
        out->seed = (uint64_t)root;
        out->count++;
    }
cleanup:
    free(path);
    if (status != SP_OK)
        sp_claims_free(out);
    return status;
}

void sp_claims_free(sp_claims *claims)
{
    sp_table_free(&claims->table);
    free(claims->claim);
    free(claims->value);
    *claims = (sp_claims){ 0 };
}
