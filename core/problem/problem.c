/* problem.c -- `problem`: names and parameters to a specification, and to certified constants. */
#include "core/plan/plan_internal.h"

#include "core/plan/registry.h"

#include <stdlib.h>
#include <string.h>

enum { N, D, STORAGE };
const sp_param sp_problem_keys[] = { /* SP_METHOD: read by its own function below */
    [N] = { "n", SP_COUNT, SP_DERIVED, { 1, 4294967295.0 }, "records; of real data, default all, that many shuffled" },
    [D] = { "d", SP_COUNT, SP_DERIVED, { 1, 1e7 }, "features; not given for real data" },
    [STORAGE] = { "storage", SP_CHOICE, 0, { 0, 0 }, "of the features; default the catalogue's, or dense, and one-hot "
                                                     "rows of real data where these are smaller; moments: counts alone, "
                                                     "for up to 2^32 - 1 records",
                  "dense|sparse|signs|indexed|moments" },
    { "data",        SP_METHOD, 0, { 0, 0 }, "a generator or a public data set, \"name\" or { \"name\", ... }, or a "
                                             "file of one's own, { file = ... }; default \"signs\"" },
    { "declared",    SP_METHOD, 0, { 0, 0 }, "{ L = 1, gap = 1, ... }; default the certified constants" },
    { "domain",      SP_METHOD, 0, { 0, 0 }, "a name or { \"l2_ball\", radius = 1 }; default \"space\"" },
    { "family",      SP_METHOD, 0, { 0, 0 }, "which list is one family of instances: \"loss.slope\"" },
    { "loss",        SP_METHOD, 0, { 0, 0 }, "a name or { \"barron\", q = 0.5 }; required" },
    { "population",  SP_METHOD, 0, { 0, 0 }, "what stands for the distribution: a number of fresh records, \"exact\" "
                                             "(E x or E y x in closed form) or \"test\" (the records held out)" },
    { "regulariser", SP_METHOD, 0, { 0, 0 }, "\"none\" or { \"nonconvex\", lambda = 1e-3 }; default none" },
    { "start",       SP_METHOD, 0, { 0, 0 }, "\"zero\", { \"constant\", value = 0.1 } or { \"sphere\", radius = 1 }; "
                                             "default zero" },
    { 0 }
};

static const sp_storage storages[] = { SP_STORE_DENSE, SP_STORE_SPARSE, SP_STORE_SIGNS, SP_STORE_INDEXED,
                                       SP_STORE_MOMENTS }; /* the words of "storage" */

static const sp_param regulariser_params[] = {
    { "lambda", SP_REAL, SP_REQUIRED, { 0, DBL_MAX }, "weight" },
    { 0 }
};

static const char *const starts[] = { "zero", "constant", "sphere" };
static const sp_param start_params[][2] = {
    [SP_START_ZERO]     = { { 0 } },
    [SP_START_CONSTANT] = { { "value", SP_REAL, SP_REQUIRED, { -DBL_MAX, DBL_MAX }, "of every coordinate" }, { 0 } },
    [SP_START_SPHERE]   = { { "radius", SP_REAL, SP_REQUIRED, SP_POSITIVE, "of the sphere it is drawn from" }, { 0 } },
};

/* Equal bytes as before are those of before: problems that share them are alike. NULL when out of memory. */
static const void *keep_bytes(sp_build *b, const void *bytes, size_t size, const void *before, size_t before_size)
{
    if (before && before_size == size && memcmp(before, bytes, size) == 0)
        return before;
    void *kept = sp_arena_alloc(b->plan->arena, 1, size);
    return kept ? memcpy(kept, bytes, size) : NULL;
}

static size_t size_of(const sp_values *values)
{
    return values ? offsetof(sp_values, value) + values->count * sizeof *values->value : 0;
}

/* Those that there are, without the room for more. */
static const sp_values *keep_values(sp_build *b, const sp_values *values, const sp_values *before)
{
    return keep_bytes(b, values, size_of(values), before, size_of(before));
}

static sp_status named(sp_build *b, const sp_node *node, const char *what, const char **name)
{
    *name = sp_node_name(node);
    return *name ? SP_OK
                 : sp_fail(b->error, SP_EINVAL, "%s: must be a %s: \"name\" or { \"name\", key = value }", node->path,
                           what);
}

static sp_status read_loss(sp_build *b, const sp_node *node, sp_problem_spec *spec)
{
    sp_status status = SP_OK;
    const char *name = NULL;
    sp_values values;
    SP_TRY(named(b, node, "loss", &name));
    if (!(spec->loss = sp_loss_find(name))) {
        sp_names known = { 0 };
        for (size_t i = 0; i < sp_loss_count; i++)
            sp_names_add(&known, sp_losses[i]->name);
        return sp_no_such(b, node->path, "loss", name, &known);
    }
    SP_TRY(sp_read_params(b, node, spec->loss->params, &values));
    for (size_t i = 0; i < values.count; i++)
        spec->number[i] = values.value[i].number;
cleanup:
    return status;
}

static sp_status read_regulariser(sp_build *b, const sp_node *node, sp_problem_spec *spec)
{
    sp_status status = SP_OK;
    const char *name = NULL;
    sp_values values;
    SP_TRY(named(b, node, "regulariser", &name));
    if (strcmp(name, "none") == 0)
        return sp_read_params(b, node, NULL, &values);
    if (!(spec->regulariser = sp_regulariser_find(name))) {
        sp_names known = { { "none" }, 1 };
        for (size_t i = 0; i < sp_regulariser_count; i++)
            sp_names_add(&known, sp_regularisers[i]->name);
        return sp_no_such(b, node->path, "regulariser", name, &known);
    }
    SP_TRY(sp_read_params(b, node, regulariser_params, &values));
    spec->lambda = sp_real(&values, 0);
cleanup:
    return status;
}

static sp_status read_start(sp_build *b, const sp_node *node, sp_problem_spec *spec)
{
    sp_status status = SP_OK;
    const char *name = NULL;
    sp_values values;
    size_t kind = 0;
    SP_TRY(named(b, node, "start", &name));
    while (kind < 3 && strcmp(name, starts[kind]) != 0)
        kind++;
    if (kind == 3)
        return sp_no_such(b, node->path, "start", name, &(sp_names){ { starts[0], starts[1], starts[2] }, 3 });
    spec->start = (sp_start_kind)kind;
    SP_TRY(sp_read_params(b, node, start_params[kind], &values));
    spec->start_size = values.count > 0 ? sp_real(&values, 0) : 0.0;
cleanup:
    return status;
}

static size_t size_of_vertices(const sp_domain *domain)
{
    return domain->vertices * domain->d * sizeof *domain->vertex;
}

static sp_status read_domain(sp_build *b, const sp_node *node, size_t d, const sp_domain *before, sp_domain *out)
{
    sp_status status = SP_OK;
    const char *name = sp_domain_names[0];
    sp_values values;
    sp_values_start(&values, sp_domain_params);
    if (node) {
        SP_TRY(named(b, node, "domain", &name));
        SP_TRY(sp_read_params(b, node, sp_domain_params, &values));
    }
    SP_TRY(sp_domain_make(name, &values, d, out, b->error));
    if (out->vertices > 0) { /* cells share the vertices: the arena keeps them */
        const double *vertex = keep_bytes(b, out->vertex, size_of_vertices(out), before->vertex,
                                          size_of_vertices(before));
        const sp_domain made = *out;
        sp_domain_free(out);
        SP_NEED(b, vertex);
        *out = made;
        out->vertex = vertex;
    }
cleanup:
    return status;
}

/* --- data ---------------------------------------------------------------------------------------------------- */

/* n and d of the training records, from those of the file. */
static sp_status count_records(sp_build *b, const sp_node *problem, size_t n, size_t d, sp_problem_spec *spec)
{
    const sp_node *asked = sp_node_field(problem, "n"), *given = sp_node_field(problem, "d");
    const size_t kept = n - (size_t)floor(spec->shape.test * (double)n);
    if (given)
        return sp_fail(b->error, SP_EINVAL, "%s: the data decide d (%zu)", given->path, d + spec->shape.intercept);
    if (asked && asked->number > (double)kept)
        return sp_fail(b->error, SP_EINVAL, "%s = %.0f: the data have %zu training records", asked->path, asked->number,
                       kept);
    spec->shape.n = asked ? (size_t)asked->number : 0;
    spec->n = asked ? (size_t)asked->number : kept;
    spec->features = d + spec->shape.intercept;
    return SP_OK;
}

/* Says what was guessed. */
static sp_status note_guesses(sp_build *b, const sp_seen_file *seen, const sp_node *node)
{
    sp_status status = SP_OK;
    sp_text text = { 0 };
    const sp_node *resolved = sp_own_file_resolve(b->arena, &seen->file, node);
    SP_NEED(b, resolved);
    sp_own_file_print(resolved, node, &text);
    const char *guesses = text.length > 0 ? text.data : NULL, *before = b->plan->notes ? b->plan->notes : "";
    b->plan->notes = sp_arena_format(b->plan->arena, "%s%s: %zu records, %zu features%s%s\n", before, seen->file.path,
                                     seen->n, seen->d, guesses ? "; guessed: " : "", guesses ? guesses : "");
    sp_text_free(&text);
    sp_own_file_advise(&seen->file, &text);
    if (b->plan->notes && text.length > 0)
        b->plan->notes = sp_arena_format(b->plan->arena, "%s%s", b->plan->notes, text.data);
    if (text.failed || !b->plan->notes)
        status = sp_fail(b->error, SP_ENOMEM, "out of memory");
    sp_text_free(&text);
    return status;
}

static sp_status keep_options(sp_build *b, sp_problem_spec *spec)
{
    char *text = sp_read_options_text(&spec->options);
    SP_NEED(b, text);
    spec->options_text = sp_keep(b, text);
    free(text);
    SP_NEED(b, spec->options_text);
    return SP_OK;
}

/* The folder of the experiment's file: "" or with a slash at its end. */
static char *folder_of(sp_build *b)
{
    const char *slash = strrchr(b->plan->path, '/');
    return sp_arena_format(b->plan->arena, "%.*s", slash ? (int)(slash + 1 - b->plan->path) : 0, b->plan->path);
}

/* Scaled columns are stored dense. */
static bool chooses_storage(const sp_problem_spec *spec)
{
    return spec->shape.choose && spec->shape.scale == SP_SCALE_NONE;
}

/* A file not looked at before, or not in this way. */
static sp_status see_file(sp_build *b, const sp_node *node, const sp_values *values, const sp_problem_spec *spec)
{
    sp_status status = SP_OK;
    sp_dataset records = { 0 };
    sp_seen_file *seen = sp_arena_alloc(b->plan->arena, 1, sizeof *seen);
    const char *folder = folder_of(b);
    SP_NEED(b, seen);
    SP_NEED(b, folder);
    SP_TRY(sp_own_file_look(b->plan->arena, folder, node->path, values, &seen->file, b->error));
    seen->file.options.storage = seen->asked = spec->storage;
    seen->file.options.choose_storage = chooses_storage(spec);
    status = sp_data_open_file(seen->file.path, &seen->file.options, seen->file.fingerprint, &records, b->error);
    if (status != SP_OK)
        sp_fail_prefix(b->error, "%s.file", node->path);
    SP_TRY(status);
    seen->next = b->seen;
    seen->storage = records.storage;
    seen->n = records.n;
    seen->d = records.d;
    seen->label_bound = records.label_bound;
    b->seen = seen;
    SP_TRY(note_guesses(b, seen, node));
cleanup:
    sp_dataset_free(&records);
    return status;
}

static sp_status open_file(sp_build *b, const sp_node *node, const sp_values *values, const sp_problem_spec *spec,
                           const sp_seen_file **out)
{
    const char *key = sp_own_file_key(b->arena, values);
    const sp_seen_file *seen = b->seen;
    SP_NEED(b, key);
    while (seen && !(strcmp(seen->file.key, key) == 0 && seen->asked == spec->storage &&
                     seen->file.options.choose_storage == chooses_storage(spec)))
        seen = seen->next;
    if (!seen) {
        const sp_status status = see_file(b, node, values, spec);
        if (status != SP_OK)
            return status;
        seen = b->seen;
    }
    *out = seen;
    return SP_OK;
}

/* NULL when it is not given. */
static const char *given_word(const sp_values *v, size_t index)
{
    return sp_given(v, index) ? sp_word(v, index) : NULL;
}

/* Where the storage was asked for, shape.choose is false. */
static sp_status check_scale(sp_build *b, const sp_node *node, const sp_problem_spec *spec)
{
    if (spec->shape.scale == SP_SCALE_NONE || spec->shape.choose || spec->storage == SP_STORE_DENSE)
        return SP_OK;
    return sp_fail(b->error, SP_EINVAL, "%s.scale: scaled columns are stored dense, not problem.storage = \"%s\"",
                   node->path, sp_storage_names[spec->storage]);
}

/* *problem gets what was guessed. */
static sp_status read_file(sp_build *b, const sp_node **problem, const sp_node *node, sp_read_problem *out)
{
    sp_status status = SP_OK;
    const sp_seen_file *seen = NULL;
    sp_problem_spec *spec = &out->spec;
    sp_values v;
    SP_TRY(sp_read_params(b, node, sp_file_keys, &v));
    spec->data = SP_DATA_FILE;
    SP_TRY(sp_shape_read(&v, (size_t)(sp_shape_keys - sp_file_keys), node->path, &spec->shape, &out->resample,
                         b->error));
    SP_TRY(open_file(b, node, &v, spec, &seen));
    spec->path = seen->file.path;
    spec->storage = seen->storage;
    SP_TRY(check_scale(b, node, spec));
    spec->radius = spec->shape.radius;
    spec->options = seen->file.options;
    SP_TRY(keep_options(b, spec));
    spec->label_bound = seen->label_bound;
    memcpy(spec->fingerprint, seen->file.fingerprint, sizeof spec->fingerprint);
    SP_TRY(count_records(b, *problem, seen->n, seen->d, spec));
    SP_NEED(b, node = sp_own_file_resolve(b->arena, &seen->file, node));
    SP_NEED(b, *problem = sp_node_with(b->arena, *problem, "data", node));
cleanup:
    return status;
}

static sp_status read_generator(sp_build *b, const sp_node *problem, const sp_node *node,
                                const sp_problem_spec *before, sp_read_problem *out)
{
    sp_status status = SP_OK;
    sp_problem_spec *spec = &out->spec;
    const sp_node *n = sp_node_field(problem, "n"), *d = sp_node_field(problem, "d");
    sp_values values;
    spec->data = SP_DATA_GENERATED;
    out->resample = true;
    sp_values_start(&values, spec->generator->params);
    if (node)
        SP_TRY(sp_read_params(b, node, spec->generator->params, &values));
    SP_NEED(b, spec->generator_values = keep_values(b, &values, before->generator_values));
    if (!n || !d)
        return sp_fail(b->error, SP_EINVAL, "%s.%s: missing (generated data need n and d)", problem->path,
                       n ? "d" : "n");
    spec->n = (size_t)n->number;
    spec->features = (size_t)d->number;
    status = sp_generate_check(spec->generator, spec->generator_values, spec->storage, spec->n,
                               spec->features, b->error);
    if (status != SP_OK) {
        sp_fail_prefix(b->error, "%s", problem->path);
        return SP_EINVAL;
    }
    spec->radius = spec->generator->radius(spec->generator_values, spec->features);
    spec->label_bound = spec->generator->label_bound(spec->generator_values, spec->features);
cleanup:
    return status;
}

static sp_status skip_problem(sp_build *b, sp_read_problem *out, const char *reason)
{
    SP_NEED(b, reason);
    SP_NEED(b, out->skip = sp_keep(b, reason));
    return SP_OK;
}

/* Another storage, another pair of classes than the entry's own. */
static sp_status vary_entry(sp_build *b, const sp_node *node, const sp_values *values, bool stored,
                            const sp_problem_spec *before, sp_problem_spec *spec)
{
    const char *positive = given_word(values, SP_SHAPE_POSITIVE), *negative = given_word(values, SP_SHAPE_NEGATIVE);
    sp_catalogue_entry entry;
    if (!stored)
        spec->storage = spec->entry->options.storage;
    const sp_status status = sp_catalogue_vary(spec->entry, spec->storage, positive, negative, &entry, b->error);
    if (status != SP_OK) {
        sp_fail_prefix(b->error, "%s", node->path);
        return status;
    }
    SP_NEED(b, spec->entry = keep_bytes(b, &entry, sizeof entry, before->entry, sizeof entry));
    spec->options = spec->entry->options;
    sp_catalogue_fingerprint(spec->entry, spec->fingerprint);
    return keep_options(b, spec);
}

/* `node` may be NULL: the default generator. `stored`: the storage was asked for. */
static sp_status read_data(sp_build *b, const sp_node **problem, const sp_node *node, bool stored,
                           const sp_problem_spec *before, sp_read_problem *out)
{
    sp_status status = SP_OK;
    sp_problem_spec *spec = &out->spec;
    const char *name = "signs";
    sp_values values;
    const bool file = node && sp_node_is_object(node);
    if (node && !file)
        SP_TRY(named(b, node, "data set or generator", &name));
    if (!file && (spec->generator = sp_generator_find(name)))
        return read_generator(b, *problem, node, before, out);
    if (spec->storage > SP_STORE_SPARSE)
        return sp_fail(b->error, SP_EINVAL, "%s.storage = \"%s\": files are read dense or sparse", (*problem)->path,
                       sp_storage_names[spec->storage]);
    spec->shape.choose = !stored;
    if (file)
        return read_file(b, problem, node, out);
    if (!(spec->entry = sp_catalogue_find(name))) {
        sp_names known = { 0 };
        for (size_t i = 0; i < sp_generator_count; i++)
            sp_names_add(&known, sp_generators[i]->name);
        for (size_t i = 0; i < sp_catalogue_count; i++)
            sp_names_add(&known, sp_catalogue[i].name);
        if (strpbrk(name, "./") && !sp_nearest(name, known.name, known.count))
            return sp_fail(b->error, SP_EINVAL, "%s = \"%s\": no such data; a file of your own is { file = \"%s\" }",
                           node->path, name, name);
        return sp_no_such(b, node->path, "data", name, &known);
    }
    spec->data = SP_DATA_CATALOGUE;
    spec->label_bound = 1.0;
    SP_TRY(sp_read_params(b, node, sp_shape_keys, &values));
    SP_TRY(sp_shape_read(&values, 0, node->path, &spec->shape, &out->resample, b->error));
    spec->radius = spec->shape.radius;
    SP_TRY(check_scale(b, node, spec));
    SP_TRY(vary_entry(b, node, &values, stored, before, spec));
    SP_TRY(count_records(b, *problem, spec->entry->n, spec->entry->d, spec));
    if (sp_catalogue_present(spec->entry, NULL) != SP_OK)
        SP_TRY(skip_problem(b, out, sp_arena_format(b->arena, "data %s is not on this machine (stillpoint data fetch %s)",
                                                    name, name)));
cleanup:
    return status;
}

/* --- population ---------------------------------------------------------------------------------------------- */

/* Why the population is not known by a mean, or NULL: E x for losses affine in x, E y x for those in y <w, x>. */
static const char *not_exact(const sp_problem_spec *spec)
{
    const sp_generator *g = spec->generator;
    if (spec->loss->tilt || (spec->loss->record && spec->loss->record->affine))
        return g->mean ? NULL : "E x is not known in closed form";
    if (!(spec->loss->affine_margin > 0.0) || !g->class_mean)
        return "only <x, Phi(w)> needs no more than E x";
    const double largest = sp_generator_largest(g, spec->generator_values, spec->features);
    const double in_l2 = spec->radius * spec->domain.norm;
    const double margin = largest > 0.0 ? fmin(in_l2, largest * sp_domain_norm_l1(&spec->domain)) : in_l2;
    return margin <= spec->loss->affine_margin * (1.0 + 1e-12)
               ? NULL
               : "the loss is not affine in y <w, x> all over the domain";
}

static sp_status read_population(sp_build *b, const sp_node *node, sp_problem_spec *spec)
{
    const char *text = node->kind == SP_NODE_TEXT ? node->text : "";
    const bool generated = spec->data == SP_DATA_GENERATED;
    const double m = node->kind == SP_NODE_NUMBER ? node->number : 0.0;
    if (m >= 1.0 && m <= 1e9 && m == floor(m)) {
        spec->population = SP_POPULATION_FRESH;
        spec->population_size = (size_t)m;
    } else if (strcmp(text, "exact") == 0) {
        spec->population = SP_POPULATION_EXACT;
    } else if (strcmp(text, "test") == 0) {
        spec->population = SP_POPULATION_TEST;
    } else {
        return sp_fail(b->error, SP_EINVAL,
                       "%s: must be a whole number of fresh records, \"exact\" or \"test\"", node->path);
    }
    if (spec->population == SP_POPULATION_FRESH && generated &&
        (sp_loss_map(spec->loss) || spec->storage == SP_STORE_MOMENTS)) {
        const sp_status status = sp_generate_check(spec->generator, spec->generator_values, spec->storage,
                                                   spec->population_size, spec->features, b->error);
        if (status != SP_OK) {
            sp_fail_prefix(b->error, "%s", node->path);
            return SP_EINVAL;
        }
    }
    if (generated == (spec->population == SP_POPULATION_TEST))
        return sp_fail(b->error, SP_EINVAL,
                       generated ? "%s = \"test\": generated data have no test records; give a number of fresh ones"
                                 : "%s: of real data only the test records are known: \"test\"",
                       node->path);
    if (spec->population == SP_POPULATION_TEST && spec->shape.test == 0.0)
        return sp_fail(b->error, SP_EINVAL, "%s = \"test\": problem.data.test holds no records out", node->path);
    if (spec->population == SP_POPULATION_EXACT && not_exact(spec))
        return sp_fail(b->error, SP_EINVAL, "%s = \"exact\": %s; give a number of fresh records", node->path,
                       not_exact(spec));
    return SP_OK;
}

/* --- what fits ------------------------------------------------------------------------------------------------ */

static sp_status misfit(sp_build *b, sp_read_problem *out)
{
    const sp_problem_spec *spec = &out->spec;
    const bool generated = spec->data == SP_DATA_GENERATED;
    const bool labels = !generated || spec->generator->labels;
    const bool binary = generated ? spec->generator->binary : !spec->options.regression && spec->label_bound == 1.0;
    if (out->skip)
        return SP_OK;
    if (!spec->loss->tilt && !spec->loss->labels_unused && !labels)
        return skip_problem(b, out, sp_arena_format(b->arena, "loss %s needs labels, data %s have none",
                                                    spec->loss->name, spec->generator->name));
    if (spec->loss->labels_binary && !binary)
        return skip_problem(b, out, sp_arena_format(b->arena, "loss %s needs labels -1 and +1", spec->loss->name));
    return SP_OK;
}

/* Moments hold means over records, or how often each of the few there are occurs. */
static sp_status check_moments(sp_build *b, const char *path, const sp_problem_spec *spec)
{
    const sp_loss *loss = spec->loss;
    const bool affine = loss->record && loss->record->affine;
    if (spec->storage != SP_STORE_MOMENTS)
        return SP_OK;
    const bool whole = spec->generator->parts->whole;
    if (affine && !whole)
        return SP_OK;
    if (!loss->link || !whole)
        return sp_fail(b->error, SP_EINVAL, "%s.storage = \"moments\": %s needs more of %s records than their counts; it "
                       "is for circular and ripple_ramp on angles, and for GLMs on one_hot", path, loss->name,
                       spec->generator->name);
    if (!spec->realisable || (spec->regulariser && spec->lambda > 0.0))
        return sp_fail(b->error, SP_EINVAL, "%s.storage = \"moments\": F* of %s is known where labels are realisable "
                       "within the domain and there is no regulariser; otherwise take \"dense\"", path, loss->name);
    return SP_OK;
}

/* Resolves one key of the variant into `problem` and lets the functions after it read it. */
static sp_status resolve_key(sp_build *b, const sp_node *variant, const char *key, sp_scope *scope,
                             const sp_node **problem, const sp_node **node)
{
    sp_status status = SP_OK;
    *node = sp_node_field(variant, key);
    if (!*node)
        return SP_OK;
    SP_TRY(sp_resolve(b, *scope, *node, node));
    SP_NEED(b, *problem = sp_node_with(b->arena, *problem, key, *node));
    SP_TRY(sp_scope_set(b, scope, "problem", *problem));
cleanup:
    return status;
}

/* Adds n and d, which data from a file bring with them, unless they are given. */
static sp_status resolve_counts(sp_build *b, sp_scope *scope, const sp_node **problem, const sp_problem_spec *spec)
{
    sp_status status = SP_OK;
    const struct {
        const char *key;
        size_t value;
    } count[] = { { "n", spec->n }, { "d", spec->features } };
    for (size_t i = 0; i < 2; i++) {
        const sp_node *given = sp_node_field(*problem, count[i].key);
        const sp_node *node = given ? given : sp_node_number(b->arena, "problem.data", (double)count[i].value);
        SP_TRY(sp_scope_set(b, scope, count[i].key, node));
        SP_NEED(b, *problem = sp_node_with(b->arena, *problem, count[i].key, node));
    }
    SP_TRY(sp_scope_set(b, scope, "problem", *problem));
cleanup:
    return status;
}

/* --- constants ------------------------------------------------------------------------------------------------ */

static double length_of_start(const sp_problem_spec *spec)
{
    return spec->start == SP_START_CONSTANT ? fabs(spec->start_size) * sqrt((double)spec->domain.d) : spec->start_size;
}

static sp_status certify(const sp_problem_spec *spec, sp_constants *out, sp_error *error)
{
    const double largest = spec->data == SP_DATA_GENERATED
                               ? sp_generator_largest(spec->generator, spec->generator_values, spec->features)
                               : 0.0;
    const sp_setting setting = { .loss = spec->loss, .number = spec->number, .regulariser = spec->regulariser,
                                 .lambda = spec->lambda, .domain = &spec->domain, .n = spec->n,
                                 .features = spec->features, .radius = spec->radius,
                                 .largest = largest, .label_bound = spec->label_bound, .realisable = spec->realisable,
                                 .start_norm = length_of_start(spec) };
    return sp_certify(&setting, out, error);
}

static sp_status declare(const sp_problem_spec *spec, const sp_constants *certified, sp_constants *out, sp_error *error)
{
    sp_values values;
    sp_values_start(&values, sp_declared_params);
    if (spec->declared)
        sp_values_copy(&values, spec->declared);
    return sp_declare(certified, &values, out, error);
}

sp_status sp_problem_constants(const sp_problem_spec *spec, sp_constants *certified, sp_constants *declared,
                               sp_error *error)
{
    const sp_status status = certify(spec, certified, error);
    return status == SP_OK ? declare(spec, certified, declared, error) : status;
}

/* Is it the same but for its number of records, on which no constant depends? */
static bool same_but_n(const sp_problem_spec *one, const sp_problem_spec *other)
{
    sp_problem_spec as_one;
    memcpy(&as_one, other, sizeof as_one);
    as_one.n = one->n;
    as_one.shape.n = one->shape.n;
    return memcmp(&as_one, one, sizeof as_one) == 0;
}

static sp_status find_constants(sp_build *b, const char *path, const sp_read_problem *before, sp_read_problem *out)
{
    if (before && same_but_n(&before->spec, &out->spec)) {
        out->certified = before->certified;
        out->declared = before->declared;
        out->certified.n = out->declared.n = out->spec.n;
        return SP_OK;
    }
    const sp_status status = certify(&out->spec, &out->certified, b->error);
    if (status != SP_OK) {
        sp_fail_prefix(b->error, "%s", path);
        return status;
    }
    return declare(&out->spec, &out->certified, &out->declared, b->error);
}

/* --- the whole ------------------------------------------------------------------------------------------------- */

sp_status sp_plan_problem(sp_build *b, const sp_node *variant, const sp_read_problem *before, sp_scope *scope,
                          sp_read_problem *out)
{
    static const sp_problem_spec none;
    sp_status status = SP_OK;
    const sp_problem_spec *last = before ? &before->spec : &none;
    sp_problem_spec *spec = &out->spec;
    const sp_node *problem = sp_node_object(b->arena, variant->path), *node = NULL, *declared = NULL;
    size_t d = 0;
    sp_values values;
    memset(out, 0, sizeof *out); /* what lies between the fields, too: problems are compared word by word */
    SP_NEED(b, problem);
    sp_values_start(&values, sp_problem_keys);
    SP_TRY(sp_tree_read(variant, &values, b->error));
    for (size_t i = N; i <= STORAGE; i++) {
        SP_TRY(resolve_key(b, variant, sp_problem_keys[i].key, scope, &problem, &node));
        if (node)
            SP_TRY(sp_scope_set(b, scope, sp_problem_keys[i].key, node));
    }
    const bool stored = sp_node_field(problem, "storage") != NULL;
    sp_values_start(&values, sp_problem_keys);
    if (stored)
        SP_TRY(sp_values_set_text(&values, variant->path, "storage", sp_node_field(problem, "storage")->text,
                                  b->error));
    spec->storage = storages[sp_choice(&values, STORAGE)];
    SP_TRY(resolve_key(b, variant, "data", scope, &problem, &node));
    SP_TRY(read_data(b, &problem, node, stored, last, out));
    SP_TRY(resolve_counts(b, scope, &problem, spec));

    SP_TRY(resolve_key(b, variant, "loss", scope, &problem, &node));
    if (!node)
        return sp_fail(b->error, SP_EINVAL, "%s.loss: missing", variant->path);
    SP_TRY(read_loss(b, node, spec));
    if (sp_loss_map(spec->loss) && spec->storage != SP_STORE_DENSE && spec->storage != SP_STORE_MOMENTS)
        return sp_fail(b->error, SP_EINVAL, "%s.storage = \"%s\": %s clips parts of each record: it needs \"dense\"%s",
                       variant->path, sp_storage_names[spec->storage], spec->loss->name,
                       spec->generator && spec->generator->parts ? " or \"moments\"" : "");
    spec->shape.choose = spec->shape.choose && !sp_loss_map(spec->loss);
    SP_TRY(sp_scope_set(b, scope, "loss", sp_node_text(b->arena, node->path, spec->loss->name)));
    SP_TRY(resolve_key(b, variant, "regulariser", scope, &problem, &node));
    if (node)
        SP_TRY(read_regulariser(b, node, spec));
    SP_TRY(resolve_key(b, variant, "domain", scope, &problem, &node));
    status = sp_loss_dimension(spec->loss, spec->number, spec->features, &d, b->error);
    if (status != SP_OK) {
        sp_fail_prefix(b->error, "%s", variant->path);
        return status;
    }
    SP_TRY(read_domain(b, node, d, &last->domain, &spec->domain));
    SP_TRY(resolve_key(b, variant, "population", scope, &problem, &node));
    if (node)
        SP_TRY(read_population(b, node, spec));
    SP_TRY(resolve_key(b, variant, "start", scope, &problem, &node));
    if (node)
        SP_TRY(read_start(b, node, spec));
    SP_TRY(resolve_key(b, variant, "declared", scope, &problem, &declared));
    if (declared && declared->kind != SP_NODE_TABLE)
        return sp_fail(b->error, SP_EINVAL, "%s: must be a table of constants", declared->path);
    if (declared) {
        SP_TRY(sp_read_params(b, declared, sp_declared_params, &values));
        SP_NEED(b, spec->declared = keep_values(b, &values, last->declared));
    }
    out->tree = problem;

    SP_TRY(misfit(b, out));
    spec->realisable = spec->data == SP_DATA_GENERATED &&
                       sp_generator_realisable(spec->generator, spec->generator_values, &spec->domain);
    SP_TRY(check_moments(b, variant->path, spec));
    SP_TRY(find_constants(b, variant->path, before, out));
cleanup:
    return status;
}
