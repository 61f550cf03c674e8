/* manual.c -- constants are those of sp_certify at the default parameters, with six digits, rounded to the side on
 * which they still hold. */
#include "core/cli/manual/manual.h"

#include "algorithms/algorithm.h"
#include "core/data/domain.h"
#include "core/plan/keys.h"
#include "core/plan/registry.h"
#include "losses/certify/certify.h"
#include "losses/engine/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bounds go up, q goes down; what is six digits already stays. */
static char *rounded(double value, bool up, char out[SP_NUMBER_SIZE])
{
    if (value != 0.0 && isfinite(value)) {
        const double scale = pow(10.0, 5.0 - floor(log10(value))), digits = value * scale;
        value = (up ? ceil(digits * (1.0 - 1e-12)) : floor(digits * (1.0 + 1e-12))) / scale;
    }
    return sp_number(value, out);
}

void sp_manual_params(const sp_param *params, sp_text *out)
{
    sp_text_append(out, "\nParameters\n");
    if (!params || !params[0].key)
        sp_text_append(out, "  none\n");
    for (size_t i = 0; params && params[i].key; i++) {
        sp_text_append(out, "  ");
        sp_param_describe(&params[i], out);
        sp_text_append(out, "\n");
    }
}

/* --- constants of a loss ------------------------------------------------------------------------------------ */

enum { FEATURES = 10, COLUMNS = 2 };
static const double norms[COLUMNS] = { INFINITY, 1.0 };
static const char *const columns[COLUMNS] = { "R^d", "||w|| <= 1" };

typedef struct sheet {
    size_t features, d;
    sp_constants any[COLUMNS], realisable[COLUMNS]; /* whatever the labels; y = <w*, x> */
} sheet;

/* Can y = <w*, x> be? */
static bool real_labels(const sp_loss *l)
{
    return l->link && !l->labels_binary && !l->labels_unused;
}

static bool fill(const sp_loss *l, sheet *s)
{
    sp_values values;
    double number[SP_PARAM_MAX] = { 0.0 };
    sp_values_start(&values, l->params);
    for (size_t i = 0; i < values.count; i++)
        number[i] = values.value[i].number;
    s->features = sp_certify_features(l, number, FEATURES, 10 * FEATURES);
    if (s->features == 0 || sp_loss_dimension(l, number, s->features, &s->d, NULL) != SP_OK)
        return false;
    for (size_t k = 0; k < 2 * COLUMNS; k++) {
        const double norm = norms[k / 2];
        const sp_domain domain = { .kind = isfinite(norm) ? SP_DOMAIN_L2_BALL : SP_DOMAIN_SPACE, .d = s->d,
                                   .radius = norm, .norm = norm };
        const sp_setting setting = { .loss = l, .number = number, .domain = &domain, .n = 1, .features = s->features,
                                     .radius = 1.0, .label_bound = 1.0, .realisable = k % 2 };
        if (sp_certify(&setting, k % 2 ? &s->realisable[k / 2] : &s->any[k / 2], NULL) != SP_OK)
            return false;
    }
    return true;
}

typedef struct row {
    const char *name, *meaning;
    size_t offset;   /* in sp_constants */
    bool up;         /* rounds up, else down */
    bool realisable; /* of the second set */
    bool optional;   /* left out when it is 0 */
} row;

#define ROW(field, text, ...) { #field, text, offsetof(sp_constants, field), __VA_ARGS__ }
static const row rows[] = {
    ROW(L_data, "Lipschitz constant of a record's data part", .up = true),
    ROW(L, "Lipschitz constant of f", .up = true),
    ROW(beta_data, "smoothness of a record's data part", .up = true),
    ROW(beta, "smoothness of f", .up = true),
    ROW(rho_hessian, "Lipschitz constant of the Hessian of f", .up = true),
    ROW(hessian_norm, "of a record's Hessian, ||.||_F", .up = true),
    ROW(hessian_frobenius, "of the difference of two records' Hessians, ||.||_F", .up = true),
    ROW(weak_convexity, "f + (rho/2) ||w||^2 is convex", .up = true),
    ROW(gap, "F(0) - F*", .up = true),
    ROW(distance, "||w*||", .up = true),
    ROW(quasar, "F is q-quasar-convex", .optional = true),
    { "quasar, y = <w*, x>", "the same with realisable labels", offsetof(sp_constants, quasar), .realisable = true,
      .optional = true },
    ROW(kl_gamma, "F - F* <= gamma^kappa ||grad F||^kappa", .up = true, .optional = true),
    ROW(kl_kappa, "see kl_gamma", .up = true, .optional = true),
};
#undef ROW
enum { ROWS = sizeof rows / sizeof *rows };

static double entry(const sheet *s, const row *r, size_t column)
{
    const sp_constants *c = r->realisable ? &s->realisable[column] : &s->any[column];
    return *(const double *)((const char *)c + r->offset);
}

static bool shown(const sp_loss *l, const sheet *s, const row *r)
{
    if (r->realisable && (!real_labels(l) || s->any[0].quasar == 1.0))
        return false;
    return !r->optional || entry(s, r, 0) != 0.0 || entry(s, r, 1) != 0.0;
}

/* "convex, GLM, not smooth": what holds on both domains */
static void print_classes(const sp_loss *l, const sheet *s, sp_text *out)
{
    const sp_constants *c = &s->any[0];
    sp_text_append(out, "%s, %s", l->smooth ? "smooth" : "not smooth", c->convex ? "convex" : "not convex");
    if (c->glm)
        sp_text_append(out, c->gll ? ", GLM, GLL" : ", GLM");
    if (s->any[1].strict_saddle)
        sp_text_append(out, c->strict_saddle ? ", strict saddle" : ", strict saddle on the ball");
}

static const char *form(const sp_loss *l)
{
    if (l->tilt)
        return "h(w) + <x, Phi(w)>: the gradient needs mean(x) alone";
    if (l->record && l->record->affine)
        return "a(w) + <x, b(w)>: the gradient needs mean(x) alone";
    return l->link ? "phi(<w, x>, y), one pass over X" : "record by record";
}

static const char *labels(const sp_loss *l)
{
    return l->labels_binary ? "-1 and +1" : l->tilt || l->labels_unused ? "not used" : "real";
}

static const char *envelope(const sp_loss *l, const sheet *s)
{
    return !s->any[0].gll ? NULL : l->envelope ? "closed form" : "by bisection";
}

void sp_manual_loss(const sp_loss *l, sp_text *out)
{
    sheet s = { 0 };
    const bool known = fill(l, &s);
    sp_text_append(out, "%s (loss, %s)\n  f(w, (x, y)) = %s\n", l->name, l->family, l->formula);
    sp_text_append(out, "  Form: %s\n  Labels: %s\n", form(l), labels(l));
    if (known) {
        sp_text_append(out, "  Class: ");
        print_classes(l, &s, out);
        sp_text_append(out, "\n");
    }
    if (known && envelope(l, &s))
        sp_text_append(out, "  Moreau envelope: %s\n", envelope(l, &s));
    if (l->note)
        sp_text_append(out, "  Note: %s\n", l->note);
    sp_text_append(out, "  Source: %s\n", l->source);
    sp_manual_params(l->params, out);
    if (!known)
        return;
    sp_text_append(out, "\nConstants at the defaults, ||x|| <= 1, |y| <= 1, %zu features, d = %zu, w0 = 0\n",
                   s.features, s.d);
    sp_text_append(out, "  %-20s %-12s %s\n", "", columns[0], columns[1]);
    for (size_t i = 0; i < ROWS; i++) {
        char a[SP_NUMBER_SIZE], b[SP_NUMBER_SIZE];
        if (shown(l, &s, &rows[i]))
            sp_text_append(out, "  %-20s %-12s %-12s %s\n", rows[i].name,
                           rounded(entry(&s, &rows[i], 0), rows[i].up, a),
                           rounded(entry(&s, &rows[i], 1), rows[i].up, b), rows[i].meaning);
    }
    sp_text_append(out, "\n  `stillpoint audit %s` tries to break them.\n", l->name);
}

void sp_manual_families(void (*start)(void *, const char *), void (*each)(void *, const sp_loss *), void *context)
{
    for (size_t i = 0; i < sp_loss_count; i++) {
        const char *family = sp_losses[i]->family;
        bool first = true;
        for (size_t k = 0; k < i; k++)
            first = first && strcmp(sp_losses[k]->family, family) != 0;
        if (!first)
            continue;
        start(context, family);
        for (size_t k = i; k < sp_loss_count; k++)
            if (strcmp(sp_losses[k]->family, family) == 0)
                each(context, sp_losses[k]);
    }
}

/* --- everything else ---------------------------------------------------------------------------------------- */

static void number(sp_text *out, const char *what, double value)
{
    char digits[SP_NUMBER_SIZE];
    sp_text_append(out, "  %-14s %s\n", what, rounded(value, true, digits));
}

void sp_manual_regulariser(const sp_regulariser *r, sp_text *out)
{
    sp_text_append(out, "%s (regulariser%s)\n  %s\n  Source: %s\n\nBounds (lambda = 1, one coordinate)\n", r->name,
                   r->convex ? ", convex" : "", r->formula, r->source);
    number(out, "sup |r'|", r->slope_max);
    number(out, "sup r''", r->curvature_high);
    number(out, "sup -r''", r->curvature_low);
    number(out, "sup |r'''|", r->third);
}

void sp_manual_measure(const sp_measure *m, sp_text *out)
{
    sp_text_append(out, "%s (measure)\n  %s\n  Symbol: %s; %s is better\n", m->name, m->summary, m->unit,
                   m->lower_is_better ? "lower" : "higher");
    if (m->error)
        sp_text_append(out, "  Error: %s\n", m->error);
    if (m->reference || m->population)
        sp_text_append(out, "  Needs: %s%s%s\n", m->reference ? "F*" : "", m->reference && m->population ? ", " : "",
                       m->population ? "the population" : "");
}

void sp_manual_data(const sp_catalogue_entry *e, sp_text *out)
{
    sp_text_append(out, "%s (data set)\n  %s\n  %zu records, %zu features; ", e->name, e->summary, e->n, e->d);
    size_t classes = 0;
    while (classes < SP_CLASSES_MAX && e->class_count[classes] > 0)
        classes++;
    if (classes > 0)
        sp_text_append(out, "%zu classes\n", classes);
    else
        sp_text_append(out, "%zu positive, %zu negative labels\n", e->positive, e->negative);
    sp_text_append(out, "  Cite: %s\n  Licence: %s\n", e->citation, e->licence);
}

void sp_manual_problem(const sp_named_problem *p, sp_text *out)
{
    const sp_catalogue_entry *e = sp_catalogue_find(p->data);
    char lambda[SP_NUMBER_SIZE];
    sp_text_append(out, "%s (problem)\n  %s\n  Source: %s\n  Differs: %s\n", p->name, p->summary, p->source,
                   p->differs);
    sp_text_append(out, "  Loss: %s\n  Regulariser: %s, lambda = %s\n", p->loss, p->regulariser,
                   sp_number(p->lambda, lambda));
    sp_text_append(out, "  Data: %s (%s), normalise = \"%s\"\n        %zu records, %zu features; %zu positive, %zu "
                   "negative labels\n", p->data, e->summary, p->normalise, e->n, e->d, e->positive, e->negative);
    sp_text_append(out, "  F*: %s\n  Use: problem = \"%s\", or { \"%s\", n = 2000 } and the like\n", p->least,
                   p->name, p->name);
}

void sp_manual_generator(const sp_generator *g, sp_text *out)
{
    sp_text_append(out, "%s (generator)\n  %s\n  Labels: %s%s\n  Storage: dense, indexed%s%s\n  Population: %s\n",
                   g->name, g->summary, !g->labels ? "none" : g->binary ? "-1 and +1" : "real",
                   g->realisable ? "; y = <w*, x> where no noise is asked for" : "", g->signs ? ", signs" : "",
                   g->parts ? ", moments" : "",
                   g->mean         ? "E x in closed form, or fresh records"
                   : g->class_mean ? "E y x in closed form, or fresh records"
                                   : "fresh records");
    sp_manual_params(g->params, out);
}

void sp_manual_domain(size_t index, sp_text *out)
{
    sp_text_append(out, "%s (domain)\n  %s\n\nParameters of domains, each kind taking its own\n",
                   sp_domain_names[index], sp_domain_formulas[index]);
    for (const sp_param *p = sp_domain_params; p->key; p++)
        sp_text_append(out, "  %s: %s\n", p->key, p->meaning);
}

/* --- docs/reference/methods.md -------------------------------------------------------------------------- */

/* Text in a cell of a table, which a bare | would end. */
static void cell(sp_text *out, const char *text)
{
    for (; *text; text++)
        sp_text_append(out, "%s%c", *text == '|' ? "\\" : "", *text);
}

void sp_manual_algorithms_table(sp_text *out)
{
    sp_text_append(out, "| name | paper | what it releases | when to use it |\n|---|---|---|---|\n");
    for (size_t i = 0; i < sp_algorithm_count; i++) {
        const sp_algorithm *a = sp_algorithms[i];
        const char *const texts[] = { a->source, a->releases, a->when };
        sp_text_append(out, "| [%s](../../algorithms/%s.c)", a->name, a->name);
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            sp_text_append(out, " | ");
            cell(out, texts[k]);
        }
        sp_text_append(out, " |\n");
    }
}

/* --- docs/reference/losses.md ----------------------------------------------------------------------------------------- */

/* The list of losses at the head of the page: a line a family. */
static void index_family(void *out, const char *family)
{
    sp_text_append(out, "\n* %s:", family);
}

static void index_loss(void *out, const sp_loss *l)
{
    const bool taken = strcmp(l->name, l->family) == 0; /* its family's heading has the name before it */
    sp_text_append(out, " [%s](#%s%s)", l->name, l->name, taken ? "-1" : "");
}

static void page_family(void *out, const char *family)
{
    sp_text_append(out, "\n## %s\n", family);
}

static void page_table(const sp_loss *l, const sheet *s, sp_text *out)
{
    sp_text_append(out, "\n| [constant](losses.md) | on R^d | on \\|\\|w\\|\\| <= 1 |\n|---|---|---|\n");
    for (size_t i = 0; i < ROWS; i++) {
        char a[SP_NUMBER_SIZE], b[SP_NUMBER_SIZE];
        if (shown(l, s, &rows[i]))
            sp_text_append(out, "| %s | %s | %s |\n", rows[i].name, rounded(entry(s, &rows[i], 0), rows[i].up, a),
                           rounded(entry(s, &rows[i], 1), rows[i].up, b));
    }
}

static void page_loss(void *context, const sp_loss *l)
{
    sp_text *out = context;
    sheet s = { 0 };
    const bool known = fill(l, &s);
    sp_text_append(out, "\n### %s\n\n    %s\n\n", l->name, l->formula);
    if (known)
        print_classes(l, &s, out);
    sp_text_append(out, "; labels: %s. Family: %s. Form: %s.", labels(l), l->family, form(l));
    if (known && envelope(l, &s))
        sp_text_append(out, " Moreau envelope: %s.", envelope(l, &s));
    if (l->note)
        sp_text_append(out, "\n\n*Note.* %s.", l->note);
    sp_text_append(out, "\n\n*Source.* %s.\n", l->source);
    for (size_t i = 0; l->params && l->params[i].key; i++) {
        sp_text line = { 0 };
        sp_param_describe(&l->params[i], &line);
        sp_text_append(out, "%s* `%s`%s\n", i == 0 ? "\n" : "", l->params[i].key,
                       line.data ? line.data + strlen(l->params[i].key) : "");
        out->failed = out->failed || line.failed;
        sp_text_free(&line);
    }
    if (known && s.d != FEATURES)
        sp_text_append(out, "\nConstants for %zu features, d = %zu:\n", s.features, s.d);
    if (known)
        page_table(l, &s, out);
}

void sp_manual_losses_page(sp_text *out)
{
    char digits[4][SP_NUMBER_SIZE];
    sp_text_append(out,
                   "# Losses\n\n"
                   "Made by `stillpoint_manual losses` from the tables that the program works with; do not "
                   "edit. `stillpoint list NAME` shows one entry, `stillpoint audit NAME` tries to break its "
                   "constants, at these parameters or at others.\n");
    sp_manual_families(index_family, index_loss, out);
    sp_text_append(out,
                   "\n* beside them: [regularisers](#regularisers), [domains](#domains)\n\n"
                   "A GLM (generalised linear model) depends on w through <w, x> alone. A GLL (generalised linear loss) is "
                   "one that is convex and Lipschitz; here it has a kink, and a Moreau envelope, which is smooth. Weakly "
                   "convex, quasar-convex, KL (Kurdyka, Lojasiewicz) and PL (Polyak, Lojasiewicz, kl_kappa = 2) are what the "
                   "constants of these names say, below. At a strict saddle the Hessian has a negative eigenvalue. Losses of "
                   "the hard family have a parameter over which the worst instance is sought (`problem.family`).\n\n"
                   "The objective is F(w) = (1/n) sum_i f(w, (x_i, y_i)) + lambda sum_j r(w_j). f has a data part, "
                   "which sensitivities depend on, and a part that no record enters.\n\n"
                   "Constants are for one record with ||x|| <= 1 and |y| <= 1, %d features, start w0 = 0 and the "
                   "default parameters, rounded to six digits on the safe side. Those of a run are computed from its "
                   "own parameters, radius and domain. `inf` means that there is no such bound.\n\n"
                   "| constant | meaning |\n|---|---|\n",
                   FEATURES);
    for (size_t i = 0; i < ROWS; i++) {
        sp_text_append(out, "| %s | ", rows[i].name);
        cell(out, rows[i].meaning);
        sp_text_append(out, " |\n");
    }
    sp_manual_families(page_family, page_loss, out);
    sp_text_append(out, "\n## Regularisers\n\n"
                        "| name | term | sup abs r' | sup r'' | sup -r'' | sup abs r''' | source |\n"
                        "|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sp_regulariser_count; i++) {
        const sp_regulariser *r = sp_regularisers[i];
        sp_text_append(out, "| %s | ", r->name);
        cell(out, r->formula);
        sp_text_append(out, " | %s | %s | %s | %s | %s |\n", rounded(r->slope_max, true, digits[0]),
                       rounded(r->curvature_high, true, digits[1]), rounded(r->curvature_low, true, digits[2]),
                       rounded(r->third, true, digits[3]), r->source);
    }
    sp_text_append(out, "\n## Domains\n\n| name | w |\n|---|---|\n");
    for (size_t i = 0; sp_domain_names[i]; i++) {
        sp_text_append(out, "| %s | ", sp_domain_names[i]);
        cell(out, sp_domain_formulas[i]);
        sp_text_append(out, " |\n");
    }
}

/* --- the page of keys --------------------------------------------------------------------------------------- */

void sp_manual_key(const sp_param *key, sp_text *out)
{
    sp_text_append(out, "* ");
    if (key->kind == SP_METHOD) /* its meaning says what stands there */
        sp_text_append(out, "%s: %s", key->key, key->meaning);
    else
        sp_param_describe(key, out);
    sp_text_append(out, "\n");
}

void sp_manual_keys(const sp_key_table *table, sp_text *out)
{
    sp_text_append(out, "%s (keys)\n  Here: %s.\n\n", table->place, table->summary);
    for (const sp_param *key = table->keys; key->key; key++)
        sp_manual_key(key, out);
}

static const char *place_of(const sp_key_table *table)
{
    return *table->place ? table->place : "The experiment";
}

void sp_manual_keys_page(sp_text *out)
{
    sp_text_append(out, "# Keys of an experiment\n\n"
                        "Made by `stillpoint_manual keys` from the tables that the program reads experiments "
                        "by; do not edit. [Write an experiment](../how_to/write_an_experiment.md) says how an experiment is put together. Any "
                        "other key is refused by its place, with the nearest known one. Losses, regularisers and "
                        "domains have parameters of their own ([losses.md](losses.md)), so have generators and "
                        "algorithms: `stillpoint list NAME`.\n\n"
                        "A *required* key must be there. What is *derived* follows from the others where it is not given. "
                        "The default \"\" is: nothing.\n\n");
    for (size_t i = 0; i < sp_key_table_count; i++) {
        const sp_key_table *table = &sp_key_tables[i];
        sp_text_append(out, "* [%s](#", place_of(table));
        for (const char *letter = *table->place ? table->place : "the-experiment"; *letter; letter++)
            if (*letter != '.') /* which the name of a heading has not */
                sp_text_add(out, letter, 1);
        sp_text_append(out, "): %s\n", table->summary);
    }
    for (size_t i = 0; i < sp_key_table_count; i++) {
        const sp_key_table *table = &sp_key_tables[i];
        sp_text_append(out, "\n## %s\n\nHere: %s.\n\n", place_of(table), table->summary);
        for (const sp_param *key = table->keys; key->key; key++)
            sp_manual_key(key, out);
    }
}
