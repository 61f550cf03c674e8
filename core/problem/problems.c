/* problems.c -- the table of problems that a paper names, and their keys as an experiment would spell them. */
#include "core/problem/problems.h"

#include <string.h>

#define WANG_XU "Wang & Xu 2020, section 5"
#define SIGMOID "their other objective is loss = \"sigmoid\", printed with the wrong sign, and regulariser = { \"l2\", " \
                "lambda = 1e-3 }"

const sp_named_problem sp_named_problems[] = {
    { .name = "wang_xu_covtype",
      .summary = "logistic loss with a non-convex regulariser on Covertype",
      .source = WANG_XU,
      .differs = "features scaled to [0, 1] before the rows are to norm 1; " SIGMOID,
      .loss = "logistic", .regulariser = "nonconvex", .lambda = 1e-3, .data = "covtype", .normalise = "l2",
      .least = "0.5380000363 is the best value known, 0.514872 a certified lower bound" },
    { .name = "wang_xu_ijcnn1",
      .summary = "logistic loss with a non-convex regulariser on IJCNN1",
      .source = WANG_XU,
      .differs = SIGMOID,
      .loss = "logistic", .regulariser = "nonconvex", .lambda = 1e-3, .data = "ijcnn1", .normalise = "l2",
      .least = "0.2071308479, certified within 1e-7" },
};
const size_t sp_named_problem_count = sizeof sp_named_problems / sizeof *sp_named_problems;

const sp_named_problem *sp_named_problem_find(const char *name)
{
    for (size_t i = 0; i < sp_named_problem_count; i++)
        if (strcmp(sp_named_problems[i].name, name) == 0)
            return &sp_named_problems[i];
    return NULL;
}

/* { "name", key = value } at path.field */
static const sp_node *method(sp_arena *arena, const char *path, const char *field, const char *name, const char *key,
                             const sp_node *value)
{
    const char *place = sp_arena_format(arena, "%s.%s", path, field);
    const sp_node *text = place ? sp_node_text(arena, place, name) : NULL;
    sp_node *node = text ? sp_node_object(arena, place) : NULL;
    const sp_node **item = sp_arena_alloc(arena, 1, sizeof *item);
    if (!node || !item)
        return NULL;
    *item = text;
    node->item = item;
    node->items = 1;
    return sp_node_with(arena, node, key, value);
}

const sp_node *sp_named_problem_tree(sp_arena *arena, const sp_named_problem *p, const char *path)
{
    const struct { const char *key; const sp_node *value; } field[] = {
        { "loss", sp_node_text(arena, path, p->loss) },
        { "regulariser", method(arena, path, "regulariser", p->regulariser, "lambda",
                                sp_node_number(arena, path, p->lambda)) },
        { "data", method(arena, path, "data", p->data, "normalise", sp_node_text(arena, path, p->normalise)) },
    };
    const sp_node *tree = sp_node_object(arena, path);
    for (size_t i = 0; tree && i < sizeof field / sizeof *field; i++)
        tree = sp_node_with(arena, tree, field[i].key, field[i].value);
    return tree;
}
