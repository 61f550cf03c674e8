/* choose.h -- the state of one private selection (choose.c), shared by the files that implement it. Included inside
 * this folder only. */
#ifndef SP_ORACLE_MECHANISMS_CHOOSE_H
#define SP_ORACLE_MECHANISMS_CHOOSE_H

#include "core/oracle/oracle_internal.h"

/* One call: its arguments, and memory that the oracle keeps. */
typedef struct sp_choosing {
    sp_oracle *o;
    const sp_space *space;
    const sp_score *score;
    sp_resolved_batch resolved;
    size_t d;
    double *u, *point, *centre; /* count, d, d */
    double *change, *base;      /* loss: one a record, the candidate's less the reference's, and the reference's */
    double range, single;       /* Dr, Du */
} sp_choosing;

/* Memory for `count` scores. */
sp_status sp_choosing_open(sp_choosing *, size_t count);
/* Losses: looks at the reference; then the score of c->point. */
void sp_choosing_start(sp_choosing *);
double sp_choosing_loss(sp_choosing *);
/* c->u[i] of every candidate. */
sp_status sp_choosing_scores(sp_choosing *);
double sp_distance_of(size_t d, const double *v, const double *w);
/* Finite; of summed data in the domain, too (SP_EUNSUPPORTED). */
sp_status sp_reference_check(sp_oracle *, const char *what, const double *reference);

/* --- on W (choose_grid.c) --- */
void sp_choosing_project(sp_choosing *);        /* c->point into W; of summed data no further than the radius */
void sp_choosing_grid(sp_choosing *, size_t i); /* c->point = candidate i of a grid */
double sp_grid_points(const sp_space *, size_t d);
/* SP_EPRIVACY without a certified L, SP_EUNSUPPORTED beyond SP_GRID_SEARCH_D. */
sp_status sp_search_check(sp_oracle *);
/* A draw with P(i) ~ exp(-u_i / unit) among the grid. unit = 0: an i with u_i <= min u + L r, r half a cell's diagonal;
 * then *below is at most u everywhere on W. */
sp_status sp_choosing_search(sp_choosing *, double unit, size_t *index, double *below);

#endif
