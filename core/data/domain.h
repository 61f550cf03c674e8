/* domain.h -- where w lives: projection, linear minimisation, diameter. Independent of the data. */
#ifndef SP_DATA_DOMAIN_H
#define SP_DATA_DOMAIN_H

#include "core/base/param.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    SP_DOMAIN_SPACE,  /* R^d */
    SP_DOMAIN_L2_BALL /* ||w||_2 <= radius */
} sp_domain_kind;

typedef struct sp_domain {
    sp_domain_kind kind;
    size_t d;
    double radius; /* INFINITY on the whole space */
} sp_domain;

/* Schema of `problem.domain = { "l2_ball", radius = 1 }`. */
extern const char *const sp_domain_names[]; /* NULL-terminated: "space", "l2_ball" */
extern const sp_param sp_domain_params[];
sp_status sp_domain_make(const char *name, const sp_values *, size_t d, sp_domain *out, sp_error *);

double sp_domain_diameter(const sp_domain *);
void sp_domain_project(const sp_domain *, double *w);               /* Euclidean projection, in place */
bool sp_domain_contains(const sp_domain *, const double *w);
/* argmin over the domain of <g, v>; SP_EUNSUPPORTED on an unbounded one. */
sp_status sp_domain_linear_minimise(const sp_domain *, const double *g, double *v);

#endif
