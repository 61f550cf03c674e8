/* tuning.h -- a point of a sweep whose parameters are chosen from a grid. */
#ifndef SP_PLAN_TUNING_H
#define SP_PLAN_TUNING_H

#include "core/plan/cell.h"

struct sp_node;

/* One parameter of a grid, as one member of a family meets it. */
typedef struct sp_tuned_key {
    const char *key;              /* of the algorithm: "eta" */
    const sp_param *param;        /* its row in the algorithm's table */
    const struct sp_node **value; /* what it may take: numbers, flags, texts */
    size_t values;
    bool times;                   /* they are factors on `derived` */
    double derived;               /* what the algorithm derives itself; NAN: not known yet */
} sp_tuned_key;

typedef struct sp_tuned_member {
    const struct sp_node *method; /* resolved, without the tuned keys */
    sp_tuned_key *key;            /* the grid, as many keys as the tuning has */
} sp_tuned_member;

/* A point of a sweep whose parameters are chosen from a grid. */
typedef struct sp_tuning {
    size_t cell, members; /* plan->cell[cell .. cell + members): one point, the members of its family (or 1) */
    size_t base;          /* plan->base[base + m], where `derives`: nothing of the grid given */
    size_t trial, points; /* plan->trial[trial + m points + g]: the grid on each member */
    bool derives;         /* some values are factors */
    sp_tuned_member *member; /* by member of the family: its grid */
    size_t keys;          /* how many parameters are tuned */
    const sp_measure *measure; /* of which the winner has the best median */
    size_t variant[3];    /* which one of problem, of privacy and of the entry's own sweeps */
    const char *lender;   /* tune = "label": it has no grid of its own, points = 0 */
    size_t from;          /* plan->tuning[from] has the grid: the lender's, or this one */
    bool known;           /* is the winner known? */
    size_t winner;        /* a point of the grid, 0 to points - 1 */
    const char *skipped;  /* why its cells cannot be run, as its runs of now say (sp_tuning_skip); NULL: they can */
} sp_tuning;

/* Which value of key k a grid point takes. */
size_t sp_tuning_digit(const sp_tuning *, size_t point, size_t k);
/* "eta=0.3 steps=times 3", and "eta={0.1,0.3} steps=times {1,3}": on the first member. */
void sp_tuning_print_point(const sp_tuning *, size_t point, sp_text *);
void sp_tuning_print_grid(const sp_tuning *, sp_text *);

#endif
