/* parts.h -- the pieces of a certification (certify.h). Included inside this folder only.
 *
 * A target is one part of a loss f as a function of the iterate w, at a record (x, y) that the adversary chooses. One
 * search (target.c) looks for violations of the bounds of every part; a part only defines how it is evaluated (forms.c,
 * problem.c). */
#ifndef SP_LOSSES_CERTIFY_PARTS_H
#define SP_LOSSES_CERTIFY_PARTS_H

#include "losses/certify/certify.h"

enum { SP_CERTIFY_MAX = 64 }; /* most entries of w and of x */

/* One certification: what is searched, and how long. */
typedef struct sp_search {
    const sp_loss *loss;        /* NULL: a regulariser is certified */
    sp_numbers number;          /* the loss's parameters */
    const sp_certify_options *with;
    gsl_rng *stream;
    size_t starts, steps;       /* random starts of a search, local steps from each */
    size_t samples;             /* random points of a comparison */
    size_t d, features;         /* entries of w, of x */
    double radius, label_bound; /* of the records: ||x||, |y| */
} sp_search;

typedef struct sp_certify_region {
    const char *name, *realisable; /* what findings call it; where labels are <planted, x> */
    double norm;                   /* ||w|| <= norm */
} sp_certify_region;
enum { SP_CERTIFY_REGIONS = 2 };
extern const sp_certify_region sp_certify_regions[SP_CERTIFY_REGIONS]; /* largest first */

bool sp_search_wants(const sp_search *, sp_claim_kind);
/* Reports one claim. `scale`: what rounding is relative to where claimed = 0. */
void sp_judge(const sp_search *, sp_claim_kind, const char *part, const char *what, const char *region, double claimed,
              double found, double required, double scale);

/* --- one part --------------------------------------------------------------------------------------------- */

/* The bounds of one part, as in sp_link_bounds. */
typedef struct sp_part_bounds {
    double slope, curvature_high, curvature_low, third, gap;
} sp_part_bounds;

typedef struct sp_target {
    const sp_search *search;
    const char *part;           /* as in sp_finding */
    size_t d, features;         /* of w, of the record; features = 0: it has none */
    bool labels;                /* the record has a label */
    double norm;                /* the region: ||w|| <= norm */
    double radius, label_bound; /* of the record */
    double unit;                /* a length over which derivatives change */
    double *x, y;               /* the record; x has room for `features` */
    const double *start;        /* d: where the gap counts from */
    void (*aimed)(struct sp_target *); /* x and y are new; may be NULL */
    double (*value)(struct sp_target *, const double *w);
    void (*gradient)(struct sp_target *, const double *w, double *out);
    void (*product)(struct sp_target *, const double *w, const double *v, double *out); /* out = hess v */
    const void *subject;        /* what these three work on */
    double *scratch;            /* record form: as much as the loss asks for */
} sp_target;

typedef enum {
    SP_SEEK_SLOPE,    /* ||grad|| */
    SP_SEEK_HIGH,     /* v'Hv, ||v|| = 1 */
    SP_SEEK_LOW,      /* -v'Hv */
    SP_SEEK_BEND,     /* |v'Hv| */
    SP_SEEK_THIRD,    /* |v'(H(w) - H(w'))v| / ||w - w'|| */
    SP_SEEK_QUOTIENT, /* ||grad(w) - grad(w')|| / ||w - w'|| */
    SP_SEEK_MIDPOINT, /* 8 (f((w + w')/2) - (f(w) + f(w'))/2) / ||w - w'||^2 */
    SP_SEEK_GAP       /* f(start) - f(w) */
} sp_seek;

/* How many of the adversary's numbers make a record; reads the record, and w, from them. */
size_t sp_target_record(const sp_target *);
void sp_target_aim(sp_target *, const double *v);
void sp_target_place(const sp_target *, const double *v, double *w);
/* The largest value met; never below 0. */
double sp_target_seek(sp_target *, sp_seek);
/* A length over which derivatives with these bounds change, at most 1. */
double sp_part_unit(const sp_part_bounds *);

/* Gradient and Hessian-vector product against differences. */
void sp_target_derivatives(sp_target *, const char *region);
/* The five bounds, where they are finite; `tight`: SP_TIGHT_*. Returns SP_TIGHT_* of the finite ones: in a smaller
 * region they need not be tight any more. */
unsigned sp_target_bounds(sp_target *, const sp_part_bounds *claimed, unsigned tight, const char *region);

/* --- a problem whose records the adversary writes ----------------------------------------------------------- */

typedef struct sp_adversary {
    const sp_search *search;
    sp_dataset data;
    sp_problem problem;
    sp_workspace *workspace;
    double *X, *y, *norm, *mean; /* of data, to be written */
} sp_adversary;

/* n records of so many features, all zero, on R^d or the ball. Close it, after a failure too. */
sp_status sp_adversary_open(const sp_search *, size_t n, size_t features, double norm, bool realisable,
                            double start_norm, sp_adversary *, sp_error *);
void sp_adversary_close(sp_adversary *);
/* The loss's map, norms and mean of the records as they now are. */
void sp_adversary_refresh(sp_adversary *);
/* Random records, every other one of full norm, and labels, every third at an end; y = <planted, x> unless NULL. */
void sp_adversary_draw(sp_adversary *, const double *planted);
/* w = argmin F (d entries), *value = F(w), as good as reference.h knows them. */
sp_status sp_adversary_least(sp_adversary *, double *w, double *value, sp_error *);

/* --- what sp_certify_loss goes through ------------------------------------------------------------------------ */

sp_status sp_certify_forms(const sp_search *, sp_error *);
sp_status sp_certify_constants(const sp_search *, sp_error *);
sp_status sp_certify_classes(const sp_search *, sp_error *);
void sp_certify_envelope(const sp_search *);
sp_status sp_certify_engine(const sp_search *, sp_error *);

#endif
