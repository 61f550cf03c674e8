/* record.h -- the loss at the first record, past the oracle: its problem is the first thing that it points to. */
#ifndef RECORD_H
#define RECORD_H

#include "cheat.h"

struct sp_problem;
struct sp_workspace;
struct sp_workspace *sp_workspace_new(const struct sp_problem *);
void sp_workspace_free(struct sp_workspace *);
double sp_record_value(const struct sp_problem *, struct sp_workspace *, size_t i, const double *w);

static inline double first_record(const sp_oracle *o, const double *w)
{
    const struct sp_problem *problem = *(const struct sp_problem *const *)(const void *)o;
    struct sp_workspace *workspace = sp_workspace_new(problem);
    const double value = workspace ? sp_record_value(problem, workspace, 0, w) : 0.0;
    sp_workspace_free(workspace);
    return value;
}

#endif
