/* describe.c -- one name, as a reference manual would have it; everything comes from the schemas. */
#include "core/runner/registry.h"
#include "core/runner/verbs/verbs.h"

#include "algorithms/algorithm.h"
#include "core/data/catalogue.h"
#include "core/data/generator.h"
#include "losses/loss.h"
#include "measures/measure.h"

#include <stdio.h>
#include <string.h>

static void print_params(const sp_param *params, sp_text *out)
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

static void describe_algorithm(const sp_algorithm *a, sp_text *out)
{
    sp_text_append(out, "%s (algorithm)\n  %s\n  Source: %s\n  Releases: %s\n", a->name, a->summary, a->source,
                   a->releases);
    if (a->non_private_only)
        sp_text_append(out, "  A non-private reference: it runs with privacy = \"none\".\n");
    print_params(a->params, out);
}

static void number(sp_text *out, const char *what, double value)
{
    char digits[SP_NUMBER_SIZE];
    sp_text_append(out, "  %-28s %s\n", what, sp_number(value, digits));
}

/* The bounds at the default parameters. */
static void describe_loss(const sp_loss *l, sp_text *out)
{
    sp_values values;
    double p[SP_PARAM_MAX] = { 0 };
    sp_values_start(&values, l->params);
    for (size_t i = 0; i < values.count; i++)
        p[i] = values.value[i].number;
    sp_text_append(out, "%s (loss)\n  %s\n  Source: %s\n  Form: %s%s%s\n", l->name, l->formula, l->source,
                   l->link ? "GLM, phi(<w, x>, y)" : "tilt, h(w) + <x, Phi(w)>", l->convex ? ", convex" : "",
                   l->labels_binary ? "; labels -1 and +1" : "");
    if (l->link) {
        sp_link_bounds b = { 0 };
        l->link_bounds(p, 1.0, &b);
        sp_text_append(out, "\nBounds of the link (defaults, |y| <= 1)\n");
        number(out, "sup |phi'|", b.slope);
        number(out, "sup phi''", b.curvature_high);
        number(out, "sup -phi''", b.curvature_low);
        number(out, "sup |phi'''|", b.third);
    } else {
        sp_tilt_bounds b = { 0 };
        l->tilt_bounds(p, 10, &b);
        sp_text_append(out, "\nBounds (defaults, d = 10)\n");
        number(out, "h: L", b.h_slope);
        number(out, "h: beta", b.h_curvature);
        number(out, "h: rho_H", b.h_third);
        number(out, "sup |Phi_j'|", b.phi_slope);
        number(out, "sup |Phi_j''|", b.phi_curvature);
    }
    print_params(l->params, out);
}

static void describe_regulariser(const sp_regulariser *r, sp_text *out)
{
    sp_text_append(out, "%s (regulariser)\n  %s\n  Source: %s\n\nBounds (lambda = 1, one coordinate)\n", r->name, r->formula,
                   r->source);
    number(out, "sup |r'|", r->slope_max);
    number(out, "sup r''", r->curvature_high);
    number(out, "sup -r''", r->curvature_low);
    number(out, "sup |r'''|", r->third);
}

static void describe_measure(const sp_measure *m, sp_text *out)
{
    sp_text_append(out, "%s (measure)\n  %s\n  Symbol: %s; %s is better%s\n", m->name, m->summary, m->unit,
                   m->lower_is_better ? "lower" : "higher", m->reference ? "; needs F*" : "");
}

static void describe_data(const sp_catalogue_entry *e, sp_text *out)
{
    sp_text_append(out, "%s (data set)\n  %s\n  %zu records, %zu features; %zu positive, %zu negative labels\n"
                        "  Cite: %s\n  Licence: %s\n",
                   e->name, e->summary, e->n, e->d, e->positive, e->negative, e->citation, e->licence);
}

static void describe_generator(const sp_generator *g, sp_text *out)
{
    sp_text_append(out, "%s (generator)\n  %s\n", g->name, g->summary);
    print_params(g->params, out);
}

/* Every name there is, for "did you mean". Returns the number written. */
static size_t all_names(const char **names, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < sp_algorithm_count && count < room; i++)
        names[count++] = sp_algorithms[i]->name;
    for (size_t i = 0; i < sp_loss_count && count < room; i++)
        names[count++] = sp_losses[i]->name;
    for (size_t i = 0; i < sp_regulariser_count && count < room; i++)
        names[count++] = sp_regularisers[i]->name;
    for (size_t i = 0; i < sp_measure_count && count < room; i++)
        names[count++] = sp_measures[i]->name;
    for (size_t i = 0; i < sp_catalogue_count && count < room; i++)
        names[count++] = sp_catalogue[i].name;
    for (size_t i = 0; i < sp_generator_count && count < room; i++)
        names[count++] = sp_generators[i].name;
    return count;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    const char **name = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (*name)
            argp_error(state, "one name at a time");
        *name = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which one? (stillpoint list shows the names)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = { NULL, parse, "NAME",
                                  "What an algorithm, a loss, a regulariser, a measure, a data set or a generator is and "
                                  "accepts.",
                                  NULL, NULL, NULL };

static int run(int argc, char **argv)
{
    const char *name = NULL;
    sp_parse(&argp, argc, argv, &name);

    /* One name may stand for several things (a loss and a generator, say): all are described. */
    sp_text out = { 0 };
    const sp_algorithm *algorithm = sp_algorithm_find(name);
    const sp_loss *loss = sp_loss_find(name);
    const sp_regulariser *regulariser = sp_regulariser_find(name);
    const sp_measure *measure = sp_measure_find(name);
    const sp_catalogue_entry *entry = sp_catalogue_find(name);
    const sp_generator *generator = sp_generator_find(name);
    if (algorithm)
        describe_algorithm(algorithm, &out);
    if (loss)
        describe_loss(loss, &out);
    if (regulariser)
        describe_regulariser(regulariser, &out);
    if (measure)
        describe_measure(measure, &out);
    if (entry)
        describe_data(entry, &out);
    if (generator)
        describe_generator(generator, &out);

    sp_error error;
    int code = SP_EXIT_OK;
    if (out.failed) {
        sp_fail(&error, SP_ENOMEM, "describe %s: out of memory", name);
        code = sp_complain(&error, SP_EXIT_FAILED);
    } else if (out.length > 0) {
        fputs(out.data, stdout);
    } else {
        const char *names[256];
        const char *near = sp_nearest(name, names, all_names(names, sizeof names / sizeof *names));
        sp_fail(&error, SP_EINVAL, "describe: nothing is named %s%s%s%s", name, near ? "; did you mean " : "",
                near ? near : " (stillpoint list shows the names)", near ? "?" : "");
        code = sp_complain(&error, SP_EXIT_USAGE);
    }
    sp_text_free(&out);
    return code;
}

const sp_verb sp_verb_describe = { "describe", "what a name is and which parameters it takes", run };
