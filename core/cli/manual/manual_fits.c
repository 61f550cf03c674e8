/* manual_fits.c -- docs/reference/which_method.md: which method fits which losses, asked of each method's `fits` with the constants
 * that sp_certify gives; and when to use it. */
#include "core/cli/manual/manual.h"

#include "algorithms/algorithm.h"
#include "core/base/memory.h"
#include "core/data/domain.h"
#include "core/plan/registry.h"
#include "losses/certify/certify.h"
#include "losses/engine/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where a loss is minimised, from the least that is asked for to the most. */
typedef struct setting {
    const char *word, *meaning;
    sp_domain_kind domain;
    size_t features;
} setting;
static const setting settings[] = {
    { "any", "on the whole space, hence with any domain that its own bounds allow", SP_DOMAIN_SPACE, 10 },
    { "ball", "in the l2 ball of radius 1, not on the whole space", SP_DOMAIN_L2_BALL, 10 },
    { "vertices", "in the l1 ball of radius 1, whose vertices can be listed, not in the l2 ball", SP_DOMAIN_L1_BALL, 10 },
    { "d <= 3", "in few dimensions alone: with 3 features in the l2 ball", SP_DOMAIN_L2_BALL, 3 },
};
enum { SETTINGS = sizeof settings / sizeof *settings, RECORDS = 10000, FAMILIES_MAX = 32 };

/* NULL when the method fits the loss at its default parameters there, else why not. */
static const char *misfit(const sp_algorithm *a, const sp_loss *l, const setting *s)
{
    static const char unknown[] = "the loss does not take so few features";
    sp_values values;
    double number[SP_PARAM_MAX] = { 0.0 };
    size_t d;
    sp_constants constants;
    sp_values_start(&values, l->params);
    for (size_t i = 0; i < values.count; i++)
        number[i] = values.value[i].number;
    const size_t features = sp_certify_features(l, number, s->features, 10 * s->features);
    if (features == 0 || sp_loss_dimension(l, number, features, &d, NULL) != SP_OK)
        return unknown;
    sp_domain domain = { .kind = s->domain, .d = d, .radius = 1.0, .norm = 1.0 };
    if (s->domain == SP_DOMAIN_SPACE)
        domain.radius = domain.norm = INFINITY;
    const sp_setting at = { .loss = l, .number = number, .domain = &domain, .n = RECORDS, .features = features,
                            .radius = 1.0, .label_bound = 1.0 };
    return sp_certify(&at, &constants, NULL) == SP_OK ? sp_misfit(a, &constants) : unknown;
}

/* What it fits depends on the methods that it is given. */
static bool follows_its_methods(const sp_algorithm *a)
{
    return a->hands_over && !a->fits;
}

/* The first setting in which it fits; SETTINGS: none. */
static size_t first_fit(const sp_algorithm *a, const sp_loss *l)
{
    size_t s = 0;
    while (s < SETTINGS && misfit(a, l, &settings[s]))
        s++;
    return s;
}

/* --- families ------------------------------------------------------------------------------------------------- */

typedef struct families {
    const char *name[FAMILIES_MAX];
    size_t count;
} families;

static void add_family(void *context, const char *name)
{
    families *f = context;
    if (f->count < FAMILIES_MAX)
        f->name[f->count++] = name;
}

static void no_loss(void *context, const sp_loss *l)
{
    (void)context, (void)l;
}

/* "any", "3 of 7", "-": in how many losses of a family, and the weakest word where it is all of them. */
static void append_fit(const sp_algorithm *a, const char *family, sp_text *out)
{
    size_t losses = 0, fits = 0, worst = 0;
    if (follows_its_methods(a)) {
        sp_text_append(out, " | as its methods");
        return;
    }
    for (size_t i = 0; i < sp_loss_count; i++) {
        if (strcmp(sp_losses[i]->family, family) != 0)
            continue;
        const size_t s = first_fit(a, sp_losses[i]);
        losses++;
        fits += s < SETTINGS;
        worst = s < SETTINGS && s > worst ? s : worst;
    }
    if (fits == 0)
        sp_text_append(out, " | -");
    else if (fits == losses)
        sp_text_append(out, " | %s", settings[worst].word);
    else
        sp_text_append(out, " | %s, %zu of %zu", settings[worst].word, fits, losses);
}

static bool is_shown(const sp_algorithm *a)
{
    return !a->non_private_only && !a->ignores_data;
}

static void append_chart(const families *f, sp_text *out)
{
    sp_text_append(out, "| method |");
    for (size_t k = 0; k < f->count; k++)
        sp_text_append(out, " %s |", f->name[k]);
    sp_text_append(out, "\n|---|");
    for (size_t k = 0; k < f->count; k++)
        sp_text_append(out, "---|");
    for (size_t i = 0; i < sp_algorithm_count; i++) {
        const sp_algorithm *a = sp_algorithms[i];
        if (!is_shown(a))
            continue;
        sp_text_append(out, "\n| [%s](#%s)", a->name, a->name);
        for (size_t k = 0; k < f->count; k++)
            append_fit(a, f->name[k], out);
        sp_text_append(out, " |");
    }
    sp_text_append(out, "\n");
}

/* --- methods ---------------------------------------------------------------------------------------------------- */

/* Each reason once, with the losses that it keeps out of the method in every setting; said of the l2 ball. */
static void append_reasons(const sp_algorithm *a, sp_text *out)
{
    const char **why = sp_alloc(sp_loss_count, sizeof *why); /* by loss; NULL: it fits, or its reason was said */
    out->failed = out->failed || !why;
    for (size_t i = 0; i < sp_loss_count && why; i++)
        why[i] = first_fit(a, sp_losses[i]) < SETTINGS ? NULL : misfit(a, sp_losses[i], &settings[1]);
    for (size_t i = 0; i < sp_loss_count && why; i++) {
        const char *reason = why[i];
        for (size_t k = i; k < sp_loss_count && reason; k++)
            if (why[k] && strcmp(why[k], reason) == 0) {
                sp_text_append(out, "%s%s", k == i ? "* Not: " : ", ", sp_losses[k]->name);
                why[k] = NULL;
            }
        if (reason)
            sp_text_append(out, ": %s.\n", reason);
    }
    free(why);
}

static void append_method(const sp_algorithm *a, sp_text *out)
{
    sp_text_append(out, "\n### %s\n\n%s (%s).\n\n* When: %s.\n* Releases: %s.\n", a->name, a->summary, a->source,
                   a->when, a->releases);
    if (a->add_remove)
        sp_text_append(out, "* Runs under add-remove neighbours, too.\n");
    if (a->passes)
        sp_text_append(out, "* Takes records by themselves or in passes: none that are held as counts "
                            "(`storage = \"moments\"`).\n");
    if (a->uncertified)
        sp_text_append(out, "* No theorem says that it is private: it refuses a budget unless you vouch for it.\n");
    append_reasons(a, out);
}

void sp_manual_fits(sp_text *out)
{
    for (size_t i = 0; i < sp_algorithm_count; i++)
        for (size_t k = 0; k < sp_loss_count && !follows_its_methods(sp_algorithms[i]) && is_shown(sp_algorithms[i]); k++) {
            const size_t s = first_fit(sp_algorithms[i], sp_losses[k]);
            sp_text_append(out, "%s\t%s\t%s\n", sp_algorithms[i]->name, sp_losses[k]->name,
                           s < SETTINGS ? settings[s].word : "-");
        }
}

void sp_manual_which_page(sp_text *out)
{
    families f = { .count = 0 };
    sp_manual_families(add_family, no_loss, &f);
    sp_text_append(out,
                   "# Which method?\n\n"
                   "Made by `stillpoint list fits --markdown`: each method is asked whether it fits each loss; do not "
                   "edit.\n\n"
                   "1. Find your loss and its family in [losses.md](losses.md); `stillpoint list losses` is the short "
                   "form.\n"
                   "2. The column of that family says which private methods fit, and where.\n"
                   "3. What is said under *When* tells those that remain apart. Where several remain, run them side by "
                   "side with `dp_gd`, tuned with equal grids ([tune](../how_to/tune.md)), "
                   "and `start`, which releases nothing; [field.md](../results/field.md) has such a comparison, and "
                   "[the pages of papers](../README.md#results) what theory promises of each.\n\n"
                   "`stillpoint plan` says of your own experiment which method fits its problem, and why another does "
                   "not. Constants that you declare (`problem.declared`), a regulariser, a domain and the parameters of a loss "
                   "may change the answer.\n\n"
                   "## What fits\n\n"
                   "Losses at their default parameters, n = %d, ||x|| <= 1, |y| <= 1, w0 = 0. \"3 of 7\" are the losses of the "
                   "family that the method fits; of several words the one that asks for most is shown.\n\n"
                   "| word | the method fits |\n|---|---|\n", RECORDS);
    for (size_t s = 0; s < SETTINGS; s++)
        sp_text_append(out, "| %s | %s |\n", settings[s].word, settings[s].meaning);
    sp_text_append(out, "| - | no loss of the family |\n\n");
    append_chart(&f, out);
    sp_text_append(out, "\n## The methods\n\n\"Not\" names the losses that no setting above suits, with the reason in the "
                        "l2 ball.\n");
    for (size_t i = 0; i < sp_algorithm_count; i++)
        if (is_shown(sp_algorithms[i]))
            append_method(sp_algorithms[i], out);
    sp_text_append(out, "\n## Yardsticks\n\nWithout privacy, or without the records: what the others are held against.\n\n");
    for (size_t i = 0; i < sp_algorithm_count; i++)
        if (!is_shown(sp_algorithms[i]))
            sp_text_append(out, "* `%s`: %s; %s.\n", sp_algorithms[i]->name, sp_algorithms[i]->summary,
                           sp_algorithms[i]->when);
}
