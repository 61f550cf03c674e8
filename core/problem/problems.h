/* problems.h -- whole problems by name (one table in problems.c): problem = "wang_xu_ijcnn1", or with keys of one's own
 * in the place of the problem's, problem = { "wang_xu_ijcnn1", loss = "sigmoid", n = 2000 }.
 *
 * A name stands for its keys and nothing else: spelled out, they give the same cells. */
#ifndef SP_PROBLEM_PROBLEMS_H
#define SP_PROBLEM_PROBLEMS_H

#include "core/lua/values.h"

typedef struct sp_named_problem {
    const char *name, *summary, *source;
    const char *differs; /* from the print */
    const char *loss, *regulariser, *data, *normalise;
    double lambda;
    const char *least;   /* F*, as sp_reference_compute finds it */
} sp_named_problem;

extern const sp_named_problem sp_named_problems[];
extern const size_t sp_named_problem_count;
const sp_named_problem *sp_named_problem_find(const char *name); /* NULL when there is none */

/* Its keys, as they would be written at `path`. NULL when out of memory. */
const sp_node *sp_named_problem_tree(sp_arena *, const sp_named_problem *, const char *path);

#endif
