/* claim.h -- what an experiment claims about an exponent, and its table.
 *
 * A claim is checked from tables alone (core/rates), so claims.tsv holds all of it: one row a claim, the members of
 * sp_claim by name beside the experiment's seed; `where`, `per` and `within` are "key=value, key=value", a comma, an
 * equals sign and a backslash inside of a key or a value behind a backslash; what is not given is nothing
 * (core/base/table.h), and where no claim has any limits there is no column `within`. What the keys mean:
 * docs/explanation/claims.md. */
#ifndef SP_PLAN_CLAIM_H
#define SP_PLAN_CLAIM_H

#include "core/base/table.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One thing that a cell, a claim or a figure is given. */
typedef struct sp_axis_value {
    char *key, *value; /* "problem.n" = "1000"; numbers by sp_number */
    const char *place; /* where the experiment gives it: "problem.n[2]" */
} sp_axis_value;

typedef struct sp_claim {
    char *sweep, *algorithm; /* where the curve is: a sweep and a label */
    char *y, *x;             /* a measure; an axis ("n" stands for "problem.n", "epsilon" for "privacy.epsilon"),
                                or a budget in other units */
    char *mode;              /* what is claimed of y against x: theory, sup, bound, inversion */
    char *source;            /* which statement of which paper: "Cor. 5.3"; NULL: not given */
    char *origin;            /* whose statement it is: theorem, conjecture (ours) */
    double exponent;         /* the claimed one; NAN: that of the bound which the method itself resolves */
    double rival;            /* the exponent that must be excluded; NAN: none */
    double log;              /* y is divided by log^log x first; 0: not at all */
    double tolerance;        /* how far the fitted exponent may be from the claimed one */
    bool tight;              /* an exponent better than claimed is a failure too: there is a lower bound */
    double scatter;          /* how far local slopes may be from the fitted exponent */
    double from, to;         /* points with x in this range count; 0 and INFINITY: no limit */
    double floor;            /* a point counts where y, less the floor without noise, is at least so many times it */
    double start;            /* and where y is at most this share of its value at the start */
    char *family;            /* the axis of instances over which the worst is taken; NULL: none */
    char *closed;            /* ends of the family beyond which there is no instance: neither, low, high, both */
    char *alpha;             /* the axis that an inversion solves for; NULL: not an inversion */
    double reach, share;     /* of an inversion: y <= reach alpha is success; share of the runs that must succeed */
    double constant;         /* C of the bound C x^exponent; NAN: not given */
    char *toward;            /* where x goes in the theorem: infinity, zero */
    char *below;             /* the label whose exponent is claimed to be worse; NULL: none */
    char *control;           /* the label that must not show the same exponent; NULL: none */
    sp_axis_value *where;    /* conditions: axes that have to have these values */
    size_t wheres;
    sp_axis_value *per;      /* resolved parameters, by whose powers y is divided first: "steps" = "1" */
    size_t pers;
    sp_axis_value *within;   /* measures, and what none of the runs may exceed: "path_radius" = "2.85" */
    size_t withins;
    size_t points;           /* values of x that the plan has */
    size_t levels, members;  /* values of alpha and of the family that the plan has; 1 without one */
    size_t replicates;       /* of a cell of the plan */
} sp_claim;

/* What claims and figures may have as x beside the axes, a budget in other units: "mu", the largest one of which mu-GDP
 * is (epsilon, delta)-DP, and "rho", the largest one of which all that is rho-zCDP is (the accountant's gauss and zcdp).
 * NAN where there is no budget. */
bool sp_is_budget(const char *x);
double sp_budget_as(const char *x, double epsilon, double delta);

/* What a performance profile takes for a problem: all that the problem is, and the budget it has to be solved with. */
bool sp_is_problem_axis(const char *axis);

/* claims.tsv in the folder `results`. */
sp_status sp_claims_write(const sp_claim *, size_t count, uint64_t seed, const char *results, sp_error *);

typedef struct sp_claims {
    sp_claim *claim;
    size_t count;
    uint64_t seed;       /* of the experiment; 0 without a claim */
    sp_table table;      /* owns the texts */
    sp_axis_value *value; /* pairs of all claims; claim[i].where, .per and .within point into it */
} sp_claims;

/* SP_EABSENT when there is no claims.tsv, SP_EDATA with file and line for what sp_claims_write does not write. */
sp_status sp_claims_read(const char *results, sp_claims *, sp_error *);
void sp_claims_free(sp_claims *);

/* "epsilon=1, loss=sigmoid" as in claims.tsv, "-" without a condition. */
void sp_claim_conditions(const sp_claim *, sp_text *);
/* "steps=1" in the same way. */
void sp_claim_powers(const sp_claim *, sp_text *);
/* "path_radius=2.85" in the same way. */
void sp_claim_limits(const sp_claim *, sp_text *);

#endif
