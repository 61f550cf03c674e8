/* claims.c -- what an experiment claims: what a claim names exists in its sweep, and what it varies varies. */
#include "core/plan/view.h"

#include <string.h>

enum { ALGORITHM, ALPHA, BELOW, CLOSED, CONSTANT, CONTROL, FAMILY, FLOOR, FROM, LOG, MODE, ORIGIN, REACH, RIVAL,
       SCATTER, SHARE, SOURCE, START, TIGHT, TO, TOLERANCE, TOWARD, CLAIM_X, CLAIM_Y };
enum { THEORY, SUP, BOUND, INVERSION };
const sp_param sp_claim_keys[] = {
    [ALGORITHM] = { "algorithm", SP_TEXT,   SP_REQUIRED, { 0, 0 }, "a label" },
    [ALPHA]     = { "alpha",     SP_TEXT,   0,           { 0, 0 }, "inversion: an axis that varies" },
    [BELOW]     = { "below",     SP_TEXT,   0,           { 0, 0 }, "a label whose exponent is worse" },
    [CLOSED]    = { "closed",    SP_CHOICE, 0,           { 0, 0 }, "true ends of the family", "neither|low|high|both" },
    [CONSTANT]  = { "constant",  SP_REAL,   SP_DERIVED,  SP_POSITIVE, "bound: y <= constant x^exponent" },
    [CONTROL]   = { "control",   SP_TEXT,   0,           { 0, 0 }, "a label that must not show this exponent" },
    [FAMILY]    = { "family",    SP_TEXT,   0,           { 0, 0 }, "an axis that varies; default problem.family" },
    [FLOOR]     = { "floor",     SP_REAL,   SP_DERIVED,  { 0, 1e9 }, "noise-free floors in the private term" },
    [FROM]      = { "from",      SP_REAL,   SP_DERIVED,  SP_POSITIVE, "smallest x that counts" },
    [LOG]       = { "log",       SP_REAL,   0,           { -10, 10 }, "y is divided by this power of log x first" },
    [MODE]      = { "mode",      SP_CHOICE, SP_REQUIRED, { 0, 0 }, "what the exponent means",
                    "theory|sup|bound|inversion" },
    [ORIGIN]    = { "origin",    SP_CHOICE, 0,           { 0, 0 }, "whose statement it is", "theorem|conjecture" },
    [REACH]     = { "reach",     SP_REAL,   1,           SP_POSITIVE, "inversion: success is y <= reach alpha" },
    [RIVAL]     = { "rival",     SP_REAL,   SP_DERIVED,  { -100, 100 }, "the exponent that must be excluded" },
    [SCATTER]   = { "scatter",   SP_REAL,   SP_DERIVED,  SP_POSITIVE, "of local slopes about the fitted one" },
    [SHARE]     = { "share",     SP_REAL,   0.9,         { DBL_MIN, 1 }, "inversion: of the runs" },
    [SOURCE]    = { "source",    SP_TEXT,   0,           { 0, 0 }, "which statement of the paper (\"Cor. 5.3\")" },
    [START]     = { "start",     SP_REAL,   0.5,         SP_POSITIVE, "largest share of its value at the start" },
    [TIGHT]     = { "tight",     SP_FLAG,   0,           { 0, 0 }, "there is a lower bound: better is a failure too" },
    [TO]        = { "to",        SP_REAL,   SP_DERIVED,  SP_POSITIVE, "largest x that counts" },
    [TOLERANCE] = { "tolerance", SP_REAL,   0.05,        { DBL_MIN, 0.25 }, "of the exponent" },
    [TOWARD]    = { "toward",    SP_CHOICE, 0,           { 0, 0 }, "where x goes in the theorem", "infinity|zero" },
    [CLAIM_X]   = { "x",         SP_TEXT,   SP_REQUIRED, { 0, 0 }, "an axis that varies, or mu or rho: the budget" },
    [CLAIM_Y]   = { "y",         SP_TEXT,   SP_REQUIRED, { 0, 0 }, "a measure" },
    { "exponent", SP_METHOD, 0, { 0, 0 }, "of y in x, a number; or \"bound\": that of the bound which the method "
      "resolves; required" },
    { "per", SP_METHOD, 0, { 0, 0 }, "{ parameter = power }: y is divided by these powers of resolved parameters" },
    { "where", SP_METHOD, 0, { 0, 0 }, "{ axis = value, ... }: only cells that have these" },
    { "within", SP_METHOD, 0, { 0, 0 }, "{ measure = bound }: VACUOUS where a run that counts exceeds it" },
    { 0 }
};

/* The family: the claim's own, else the one that the problem declares, unless `where` chose a member. */
static sp_status read_family(const sp_view *v, const sp_node *table, const sp_values *values, sp_claim *out)
{
    sp_build *b = v->build;
    sp_status status = SP_OK;
    const char *first;
    SP_TRY(sp_view_word(v, table, values, FAMILY, &out->family));
    if (out->family)
        return sp_view_axis(v, sp_node_field(table, "family"), out->algorithm, out->where, out->wheres, true,
                            &out->members);
    for (size_t i = 0; i < v->cells && !out->family; i++) {
        const char *family = v->cell[i].problem->family;
        if (family && sp_view_selects(&v->cell[i], out->algorithm, out->where, out->wheres))
            SP_NEED(b, out->family = sp_arena_copy(b->arena, family));
    }
    if (out->family)
        SP_TRY(sp_view_values(v, out->family, out->algorithm, out->where, out->wheres, true, &out->members, &first));
    if (out->members < 2) {
        out->family = NULL;
        out->members = 1;
    }
    if (sp_choice(values, MODE) == SUP && !out->family)
        return sp_fail(b->error, SP_EINVAL, "%s.family: missing: mode sup is about the worst of a family", table->path);
cleanup:
    return status;
}

/* Members differ in something that is not x, and only a family has ends. */
static sp_status check_family(const sp_view *v, const sp_node *table, const sp_claim *claim)
{
    if (claim->family && strcmp(claim->family, claim->x) == 0)
        return sp_fail(v->build->error, SP_EINVAL, "%s.family = \"%s\": is x itself, of which every value is a point",
                       table->path, claim->family);
    if (!claim->family && sp_node_field(table, sp_claim_keys[CLOSED].key))
        return sp_fail(v->build->error, SP_EINVAL, "%s.closed: is about the ends of a family, and there is none here",
                       table->path);
    return SP_OK;
}

/* Another label of the claim has the same points, or slopes of different things would be compared. */
static sp_status read_other(const sp_view *v, const sp_node *table, const sp_values *values, size_t key, sp_claim *out,
                            char **label)
{
    sp_status status = SP_OK;
    const sp_node *node = sp_node_field(table, sp_claim_keys[key].key);
    size_t points, levels = 1, members = 1;
    const char *first;
    if (!node)
        return SP_OK;
    SP_TRY(sp_view_word(v, table, values, key, label));
    SP_TRY(sp_view_label(v, node));
    SP_TRY(sp_view_values(v, out->x, *label, out->where, out->wheres, false, &points, &first));
    if (out->alpha)
        SP_TRY(sp_view_values(v, out->alpha, *label, out->where, out->wheres, false, &levels, &first));
    if (out->family)
        SP_TRY(sp_view_values(v, out->family, *label, out->where, out->wheres, true, &members, &first));
    if (points != out->points || levels != out->levels || members != out->members)
        return sp_fail(v->build->error, SP_EINVAL, "%s = \"%s\": has %zu points here, %s has %zu", node->path, *label,
                       points * levels * members, out->algorithm, out->points * out->levels * out->members);
    if (strcmp(*label, out->algorithm) == 0)
        return sp_fail(v->build->error, SP_EINVAL, "%s = \"%s\": is this label itself", node->path, *label);
cleanup:
    return status;
}

/* A number, or the word for the bound that the method resolves. */
static sp_status read_exponent(const sp_view *v, const sp_node *table, sp_claim *out)
{
    const sp_node *node = sp_node_field(table, "exponent");
    out->exponent = NAN;
    if (!node)
        return sp_fail(v->build->error, SP_EINVAL, "%s.exponent: missing (a number, or \"bound\")", table->path);
    if (node->kind == SP_NODE_TEXT && strcmp(node->text, "bound") == 0)
        return !out->alpha ? SP_OK : sp_fail(v->build->error, SP_EINVAL, "%s = \"bound\": mode inversion is about "
                                             "alpha: no bound on it is resolved", node->path);
    if (node->kind != SP_NODE_NUMBER || !(fabs(node->number) <= 100.0)) {
        const char *given = sp_node_print(v->build->arena, node), *quote = node->kind == SP_NODE_TEXT ? "\"" : "";
        return sp_fail(v->build->error, SP_EINVAL, "%s%s%s%s%s: must be a number between -100 and 100, or \"bound\"",
                       node->path, given ? " = " : "", quote, given ? given : "", quote);
    }
    out->exponent = node->number;
    return SP_OK;
}

/* What a table { name = number } gives under a key. */
typedef struct pair_rule {
    const char *key, *shape;
    sp_range range;
} pair_rule;

static sp_status read_pairs(const sp_view *v, const sp_node *table, const pair_rule *rule, sp_axis_value **out,
                            size_t *count)
{
    sp_build *b = v->build;
    const sp_node *pairs = sp_node_field(table, rule->key);
    if (!pairs)
        return SP_OK;
    if (pairs->kind != SP_NODE_TABLE || pairs->items > 0)
        return sp_fail(b->error, SP_EINVAL, "%s: must be a table %s", pairs->path, rule->shape);
    SP_NEED(b, *out = sp_arena_alloc(b->arena, pairs->fields, sizeof **out));
    for (size_t i = 0; i < pairs->fields; i++) {
        const sp_node *value = pairs->field[i].node;
        if (value->kind != SP_NODE_NUMBER || !(value->number >= rule->range.low && value->number <= rule->range.high))
            return sp_fail(b->error, SP_EINVAL, "%s: must be a number between %g and %g", value->path, rule->range.low,
                           rule->range.high);
        (*out)[i] = (sp_axis_value){ sp_arena_copy(b->arena, pairs->field[i].key), sp_node_print(b->arena, value),
                                     value->path };
        SP_NEED(b, (*out)[i].key);
        SP_NEED(b, (*out)[i].value);
        *count = i + 1;
    }
    return SP_OK;
}

/* Whether a method resolves a parameter is known when it has run; what is measured, before. */
static sp_status read_all_pairs(const sp_view *v, const sp_node *table, sp_claim *out)
{
    static const pair_rule per = { "per", "{ parameter = power }", { -100, 100 } };
    static const pair_rule within = { "within", "{ measure = bound }", { 0, 1e9 } };
    sp_status status = SP_OK;
    SP_TRY(read_pairs(v, table, &per, &out->per, &out->pers));
    SP_TRY(read_pairs(v, table, &within, &out->within, &out->withins));
    for (size_t i = 0; i < out->withins; i++)
        SP_TRY(sp_view_measures(v, out->within[i].place, out->within[i].key));
cleanup:
    return status;
}

/* A claim that half agrees with its rival tells nothing apart. */
static sp_status check_rival(const sp_view *v, const sp_node *table, const sp_claim *claim)
{
    const double distance = fabs(claim->rival - claim->exponent);
    if (!(claim->tolerance >= 0.5 * distance)) /* nor where one of them is not known */
        return SP_OK;
    return sp_fail(v->build->error, SP_EINVAL, "%s.tolerance = %g: must be less than half the distance to the rival %g,"
                   " which is %g", table->path, claim->tolerance, claim->rival, distance);
}

/* What only one mode has. */
static sp_status check_mode(const sp_view *v, const sp_node *table, const sp_values *values)
{
    static const struct { size_t key, mode; const char *name; } only[] = {
        { ALPHA, INVERSION, "inversion" }, { REACH, INVERSION, "inversion" },
        { SHARE, INVERSION, "inversion" }, { CONSTANT, BOUND, "bound" },
    };
    for (size_t i = 0; i < sizeof only / sizeof *only; i++)
        if (sp_given(values, only[i].key) && sp_choice(values, MODE) != only[i].mode)
            return sp_fail(v->build->error, SP_EINVAL, "%s.%s: belongs to mode %s", table->path,
                           sp_claim_keys[only[i].key].key, only[i].name);
    if (sp_choice(values, MODE) == BOUND && sp_flag(values, TIGHT))
        return sp_fail(v->build->error, SP_EINVAL, "%s.tight: mode bound has no better side: a bound may be kept with "
                       "room to spare", table->path);
    if (sp_choice(values, MODE) == INVERSION && (sp_real(values, LOG) != 0.0 || sp_node_field(table, "per")))
        return sp_fail(v->build->error, SP_EINVAL, "%s.%s: mode inversion is about alpha itself: nothing divides it",
                       table->path, sp_node_field(table, "per") ? "per" : "log");
    if (sp_choice(values, MODE) == INVERSION && !sp_given(values, ALPHA))
        return sp_fail(v->build->error, SP_EINVAL, "%s.alpha: missing (an axis that varies)", table->path);
    if (sp_given(values, FROM) && sp_given(values, TO) && !(sp_real(values, FROM) < sp_real(values, TO)))
        return sp_fail(v->build->error, SP_EINVAL, "%s.to = %g: must be above from = %g", table->path,
                       sp_real(values, TO), sp_real(values, FROM));
    return SP_OK;
}

/* A run's mean over its iterates says nothing of how many of them reach alpha. */
static sp_status check_inversion(const sp_view *v, const sp_node *table, const sp_values *values, const sp_claim *claim)
{
    for (size_t i = 0; i < v->cells && sp_choice(values, MODE) == INVERSION; i++) {
        const sp_method *method = v->cell[i].method;
        if (sp_view_selects(&v->cell[i], claim->algorithm, claim->where, claim->wheres) && sp_measures_mean(method))
            return sp_fail(v->build->error, SP_EINVAL, "%s.mode: inversion counts runs, and select = \"mean\" of %s "
                           "has means over iterates in place of a run's measure", table->path, claim->algorithm);
    }
    return SP_OK;
}

static double given_or(const sp_values *values, size_t key, double otherwise)
{
    return sp_given(values, key) ? sp_real(values, key) : otherwise;
}

static void read_numbers(const sp_values *values, sp_claim *out)
{
    out->rival = sp_real(values, RIVAL);
    out->log = sp_real(values, LOG);
    out->tight = sp_flag(values, TIGHT);
    out->tolerance = sp_real(values, TOLERANCE);
    out->scatter = given_or(values, SCATTER, fmax(0.25 * fabs(out->exponent), 3.0 * out->tolerance));
    out->from = given_or(values, FROM, 0.0);
    out->to = given_or(values, TO, INFINITY);
    out->floor = given_or(values, FLOOR, sp_choice(values, MODE) == THEORY ? 3.0 : 0.0);
    out->start = sp_real(values, START);
    out->reach = sp_real(values, REACH);
    out->share = sp_real(values, SHARE);
    out->constant = sp_real(values, CONSTANT);
}

/* A choice as its word, given or not. */
static sp_status copy_choice(const sp_view *v, const sp_values *values, size_t key, char **out)
{
    const char *word = sp_claim_keys[key].choices;
    for (size_t i = 0; i < sp_choice(values, key); i++)
        word = strchr(word, '|') + 1;
    SP_NEED(v->build, *out = sp_arena_format(v->build->arena, "%.*s", (int)strcspn(word, "|"), word));
    return SP_OK;
}

static sp_status read_claim(const sp_view *v, const sp_node *table, sp_claim *out)
{
    sp_build *b = v->build;
    sp_status status = SP_OK;
    sp_values values;
    sp_values_start(&values, sp_claim_keys);
    SP_TRY(sp_tree_read(table, &values, b->error));
    SP_TRY(sp_values_check(&values, table->path, b->error));
    SP_TRY(check_mode(v, table, &values));
    SP_NEED(b, out->sweep = sp_arena_copy(b->arena, v->sweep->name));
    SP_TRY(sp_view_word(v, table, &values, ALPHA, &out->alpha));
    SP_TRY(read_exponent(v, table, out));
    SP_TRY(read_all_pairs(v, table, out));
    read_numbers(&values, out);
    SP_TRY(check_rival(v, table, out));
    SP_TRY(sp_view_word(v, table, &values, ALGORITHM, &out->algorithm));
    SP_TRY(sp_view_word(v, table, &values, CLAIM_X, &out->x));
    SP_TRY(sp_view_word(v, table, &values, CLAIM_Y, &out->y));
    SP_TRY(sp_view_word(v, table, &values, SOURCE, &out->source));
    SP_TRY(copy_choice(v, &values, MODE, &out->mode));
    SP_TRY(copy_choice(v, &values, CLOSED, &out->closed));
    SP_TRY(copy_choice(v, &values, TOWARD, &out->toward));
    SP_TRY(copy_choice(v, &values, ORIGIN, &out->origin));
    SP_TRY(sp_view_label(v, sp_node_field(table, "algorithm")));
    SP_TRY(sp_view_measure(v, sp_node_field(table, "y")));
    SP_TRY(sp_view_where(v, table, out->algorithm, &out->where, &out->wheres));
    SP_TRY(sp_view_axis(v, sp_node_field(table, "x"), out->algorithm, out->where, out->wheres, false, &out->points));
    SP_TRY(check_inversion(v, table, &values, out));
    out->levels = 1;
    if (out->alpha)
        SP_TRY(sp_view_axis(v, sp_node_field(table, "alpha"), out->algorithm, out->where, out->wheres, false,
                         &out->levels));
    SP_TRY(read_family(v, table, &values, out));
    SP_TRY(check_family(v, table, out));
    SP_TRY(sp_view_single(v, &(sp_points_of){ table->path, out->algorithm, out->x, out->alpha, out->family, out->where,
                                              out->wheres, false }));
    SP_TRY(read_other(v, table, &values, BELOW, out, &out->below));
    SP_TRY(read_other(v, table, &values, CONTROL, out, &out->control));
    out->replicates = v->sweep->replicates;
cleanup:
    return status;
}

sp_status sp_plan_claims(sp_build *b, const sp_node *list, const sp_sweep *sweep, size_t first)
{
    sp_status status = SP_OK;
    sp_plan *plan = b->plan;
    const sp_view v = sp_view_of(b, sweep, first);
    SP_TRY(sp_view_check_list(b, list));
    const size_t more = list ? list->items : 0;
    SP_NEED(b, plan->claim = sp_view_extend(b->arena, plan->claim, plan->claims, more, sizeof *plan->claim));
    for (size_t i = 0; i < more; i++) {
        const size_t before = b->refused;
        SP_TRY(sp_mistake(b, read_claim(&v, list->item[i], &plan->claim[plan->claims])));
        plan->claims += b->refused == before;
    }
cleanup:
    return status;
}
